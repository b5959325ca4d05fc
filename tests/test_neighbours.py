"""Ground truths of vector search: arrays of ids, a row for each query, in files of NumPy and of Texmex."""

import gzip
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import rankworth as rw
from helpers import quietly, scores_of
from rankworth import cli

IDS = np.array([[5, 6, 7], [8, 9, 10]], dtype=np.int32)
FOUND = np.array([[5, 7, 99], [9, 8, 10]])
DISTANCES = np.array([[0.125, 0.25, 0.5], [0.125, 0.25, 0.25]], dtype=np.float32)


def vecs(path: str, rows: np.ndarray) -> str:
    lengths = np.full((len(rows), 1), rows.shape[1], dtype=np.int32).view(rows.dtype)
    np.hstack([lengths, rows]).tofile(path)
    return path


def npy(path: str, rows: np.ndarray) -> str:
    np.save(path, rows)
    return path


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_ids_of_numpy_and_of_texmex_are_rankings() -> None:
    ranked = {"0": {"5": -1.0, "6": -2.0, "7": -3.0}, "1": {"8": -1.0, "9": -2.0, "10": -3.0}}
    assert scores_of(rw.Run(npy("gt.npy", IDS))) == ranked
    assert scores_of(rw.Run(npy("wide.npy", IDS.astype(np.uint64)))) == ranked
    assert scores_of(rw.Run(npy("fortran.npy", np.asfortranarray(IDS)))) == ranked
    assert scores_of(rw.Run(vecs("gt.ivecs", IDS))) == ranked
    assert rw.Run("gt.ivecs").name == "gt"
    Path("gt.ivecs.gz").write_bytes(gzip.compress(Path("gt.ivecs").read_bytes()))
    assert scores_of(rw.Run("gt.ivecs.gz")) == ranked
    assert scores_of(rw.Run(npy("holes.npy", np.array([[5, -1], [8, 9]])))) == {
        "0": {"5": -1.0},
        "1": {"8": -1.0, "9": -2.0},
    }
    assert rw.Qrels("gt.ivecs").to_dict() == {query: dict.fromkeys(inner, 1.0) for query, inner in ranked.items()}


def test_distances_of_texmex_belong_to_the_ids_beside_them() -> None:
    vecs("gt.ivecs", IDS)
    run = rw.Run(vecs("gt.fvecs", DISTANCES))
    assert scores_of(run)["0"] == {"5": -0.125, "6": -0.25, "7": -0.5}
    tied = rw.evaluate_exact("gt.fvecs", {"ann": {"1": {"10": -0.25, "8": -0.125}}}, ["R@2"], queries=["1"])
    assert tied["ann"]["R@2"] == 1


@pytest.mark.parametrize("name", ["gt.npy", "gt.ivecs"])
def test_an_exact_run_of_ids_gives_recall_by_ids(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    (npy if name == "gt.npy" else vecs)(name, IDS)
    npy("found.npy", FOUND)
    assert cli.main(["evaluate", name, "found.npy", "--exact", "-m", "R@3"]) == 0
    out, err = capsys.readouterr()
    assert out.splitlines() == ["run\tR@3", "found\t0.8333333333333333"]
    assert "[recall-by-ids]" in err


def test_ids_in_lists_of_parquet_give_recall_by_ids(capsys: pytest.CaptureFixture[str]) -> None:
    for name, ids in (("truth", IDS), ("found", FOUND)):
        pl.DataFrame({"id": [0, 1], "neighbors_id": ids.tolist()}).write_parquet(f"{name}.parquet")
    columns = ["--columns", "query=id", "document=neighbors_id"]
    assert cli.main(["evaluate", "truth.parquet", "found.parquet", "--exact", "-m", "R@3", *columns]) == 0
    assert capsys.readouterr().out.splitlines()[1] == "found\t0.8333333333333333"


def test_a_file_may_name_the_queries() -> None:
    npy("found.npy", FOUND)
    Path("ids.txt").write_text("q7\nq8\n")
    run = rw.Run("found.npy", columns={"query": "@ids.txt"})
    assert list(scores_of(run)) == ["q7", "q8"]
    assert rw.evaluate({"q7": ["7"]}, "found.npy", ["RR"], run_columns={"query": "@ids.txt"})["RR"] == 0.5
    Path("ids.txt").write_text("q7\n")
    with pytest.raises(rw.InputError, match="response-queries"):
        scores_of(rw.Run("found.npy", columns={"query": "@ids.txt"}))


def written(path: str, content: bytes) -> str:
    Path(path).write_bytes(content)
    return path


WRONG: dict[str, tuple[Any, str, str]] = {
    "numbers": (lambda: npy("a.npy", DISTANCES), "frame-columns", r"float32 \[2 x 3\](.|\n)*rw.evaluate_exact"),
    "a single row": (lambda: npy("a.npy", IDS[0]), "frame-columns", "not integers"),
    "objects": (lambda: npy("a.npy", np.array([["a"]], dtype=object)), "truncated-file", "cannot be read as an array"),
    "nothing": (lambda: npy("a.npy", IDS[:0]), "empty-input", "no ids"),
    "a file cut off": (lambda: written("a.npy", Path(npy("b.npy", IDS)).read_bytes()[:-3]), "truncated-file", "array"),
    "rows cut off": (
        lambda: written("a.ivecs", Path(vecs("b.ivecs", IDS)).read_bytes()[:-3]),
        "truncated-file",
        "no rows",
    ),
    "rows of other lengths": (
        lambda: written("a.ivecs", np.array([2, 5, 6, 1, 8, 9], dtype="<i4").tobytes()),
        "truncated-file",
        "different lengths",
    ),
    "no row": (lambda: written("a.ivecs", b""), "truncated-file", "0 bytes"),
    "distances without ids": (lambda: vecs("a.fvecs", DISTANCES), "missing-file", "a.ivecs"),
    "distances of others": (
        lambda: (vecs("a.ivecs", IDS[:1]), vecs("a.fvecs", DISTANCES))[1],
        "frame-columns",
        "1 x 3 and 2 x 3",
    ),
    "a distance that is NaN": (
        lambda: (vecs("a.ivecs", IDS), vecs("a.fvecs", DISTANCES * np.float32("nan")))[1],
        "bad-score",
        "NaN",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_other_files_are_refused(name: str) -> None:
    write, slug, said = WRONG[name]
    with pytest.raises(rw.InputError, match=said) as caught:
        scores_of(rw.Run(write()))
    assert caught.value.slug == slug


def test_columns_are_for_arrays_with_names(capsys: pytest.CaptureFixture[str]) -> None:
    npy("gt.npy", IDS)
    with pytest.raises(rw.InputError, match="its array has no name"):
        scores_of(rw.Run("gt.npy", columns={"document": "ids"}))
    assert cli.main(["evaluate", "gt.npy", "gt.npy", "--exact", "-m", "R@3", "--columns", "document=ids"]) == 2
    assert "[frame-columns]" in capsys.readouterr().err


def test_hdf5_without_its_library_is_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "h5py", None)
    written("gt.hdf5", b"\x89HDF\r\n\x1a\n" + bytes(100))
    with pytest.raises(rw.UsageError, match=r"gt.hdf5: HDF5 is read by h5py(.|\n)*pip install 'h5py") as caught:
        scores_of(rw.Run("gt.hdf5"))
    assert caught.value.slug == "missing-library"


@pytest.mark.parametrize("suffix", ["ibin", "npz"])
def test_other_arrays_of_neighbours_are_saved_by_the_command_in_the_message(
    suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ids, found = np.array([[4, 7, 1], [2, 9, 5]], "<u4"), np.array([[7, 4, 8], [5, 2, 9]])
    if suffix == "ibin":
        distances = np.zeros(6, "<f4").tobytes()
        Path("gt.ibin").write_bytes(np.array([2, 3], "<u4").tobytes() + ids.tobytes() + distances)
    else:
        np.savez("gt.npz", ids=ids)
    np.save("found.npy", found)
    with pytest.raises(rw.InputError) as error:
        rw.evaluate_exact(f"gt.{suffix}", {"a": "found.npy"}, ["R@3"])
    code = shlex.split(error.value.remedy.partition(": ")[2])[-1]
    subprocess.run([sys.executable, "-c", code], check=True)
    values = quietly(rw.evaluate_exact, "gt.npy", {"a": "found.npy"}, ["R@3"])
    assert values["a"]["R@3"] == (2 / 3 + 3 / 3) / 2
