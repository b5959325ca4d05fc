"""Ground truths of vector search: arrays of ids, a row for each query, in files of NumPy and of Texmex."""

import gzip
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
    "objects": (lambda: npy("a.npy", np.array([["a"]], dtype=object)), "input-type", "its array of objects holds"),
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


def big_ann(path: str, ids: np.ndarray, distances: np.ndarray | None = None) -> str:
    """As write_gt of big-ann-benchmarks has it: two counts, the ids, the distances."""
    parts = [np.array(ids.shape, "<u4").tobytes(), ids.astype("<u4").tobytes()]
    written(path, b"".join([*parts, *([] if distances is None else [distances.astype("<f4").tobytes()])]))
    return path


@pytest.mark.parametrize("form", ["ibin", "ibin of ids alone", "npz", "objects", "lists"])
def test_ground_truths_of_other_formats_are_read(form: str) -> None:
    expected = (2 / 3 + 3 / 3) / 2
    path = {"npz": "gt.npz", "objects": "gt.npy", "lists": "gt.npy"}.get(form, "gt.ibin")
    if form == "npz":
        np.savez(path, ids=IDS, dist=DISTANCES)
    elif form in ("objects", "lists"):
        rows = np.empty(2, dtype=object)
        rows[:] = [IDS[0], IDS[1]] if form == "objects" else [IDS[0].tolist(), IDS[1].tolist()]
        np.save(path, rows, allow_pickle=True)
    else:
        big_ann(path, IDS, DISTANCES if form == "ibin" else None)
    npy("found.npy", FOUND)
    assert quietly(rw.evaluate_exact, path, {"a": "found.npy"}, ["R@3"])["a"]["R@3"] == expected
    assert quietly(rw.evaluate, path, "found.npy", ["R@3"])["R@3"] == expected


def test_distances_of_big_ann_and_of_npz_make_the_ranking() -> None:
    expected = {
        "0": {"5": -0.125, "6": -0.25, "7": -0.5},
        "1": {"8": -0.125, "9": -0.25, "10": -0.25},
    }
    np.savez("gt.npz", neighbors=IDS, distances=DISTANCES, queries=np.zeros((2, 4)))
    np.savez("named.npz", near=IDS, far=DISTANCES, other=IDS)
    big_ann("beside.ibin", IDS)
    written("beside.fbin", np.array([2, 3], "<u4").tobytes() + DISTANCES.tobytes())
    assert scores_of(rw.Run(big_ann("gt.ibin", IDS, DISTANCES))) == expected
    assert scores_of(rw.Run("gt.npz")) == expected
    assert scores_of(rw.Run("named.npz", columns={"document": "near", "score": "-far"})) == expected
    assert scores_of(rw.Run("beside.fbin")) == expected
    with pytest.raises(rw.InputError, match="nothing tells the ids; there is near far other") as caught:
        scores_of(rw.Run("named.npz"))
    assert caught.value.slug == "frame-columns"


def test_lists_of_different_lengths_are_relevant_documents() -> None:
    rows = np.empty(3, dtype=object)
    rows[:] = [np.array([5, 6]), np.array([], dtype=np.int64), np.array([8])]
    np.save("positives.npy", rows, allow_pickle=True)
    assert rw.Qrels("positives.npy").to_dict() == {"0": {"5": 1.0, "6": 1.0}, "2": {"8": 1.0}}
    lengths, ids = np.array([2, 0, 1], "<u4"), np.array([5, 6, 8], "<u4")  # answers within a radius
    distances = np.array([0.1, 0.2, 0.3], "<f4").tobytes()
    written("radius.ibin", np.array([3, 3], "<u4").tobytes() + lengths.tobytes() + ids.tobytes() + distances)
    assert rw.Qrels("radius.ibin").to_dict() == {"0": {"5": 1.0, "6": 1.0}, "2": {"8": 1.0}}


class _Trap:
    """What would run a program where it is made again."""

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (Path("trapped"),)


@pytest.mark.parametrize("item", [_Trap(), {"q1": [1]}, "d1", np.array([[1, 2], [3, 4]]), np.array([0.5])])
def test_objects_that_are_no_lists_of_ids_are_refused(item: object) -> None:
    rows = np.empty(1, dtype=object)
    rows[0] = item
    np.save("gt.npy", rows, allow_pickle=True)
    with pytest.raises(rw.InputError, match=r"gt\.npy: its array") as caught:
        rw.Qrels("gt.npy")
    assert caught.value.slug == "input-type"
    assert "numpy.load('gt.npy', allow_pickle=True)" in caught.value.remedy
    assert not Path("trapped").exists()


@pytest.mark.parametrize("name", ["gt.ibin", "gt.npz", "gt.fbin"])
def test_files_that_end_early_are_damaged(name: str) -> None:
    np.savez("whole.npz", ids=IDS)
    big_ann("gt.ibin", IDS)
    whole = {"gt.ibin": Path(big_ann("whole.ibin", IDS, DISTANCES)), "gt.npz": Path("whole.npz")}.get(name)
    content = np.array([2, 3], "<u4").tobytes() + DISTANCES.tobytes() if whole is None else whole.read_bytes()
    written(name, content[:-5])
    with pytest.raises(rw.InputError) as caught:
        scores_of(rw.Run(name))
    assert caught.value.slug == "truncated-file"
