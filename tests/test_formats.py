"""Every format of `FORMATS` is told by what its record says, and what is written in it is read again."""

import gzip
import io
import json
import re
from pathlib import Path
from typing import Final

import h5py
import numpy as np
import pytest

import rankworth as rw
from helpers import Command, command_of
from rankworth.conversion import convert
from rankworth.io.formats import FORMATS, READ, WRITTEN

pytestmark = pytest.mark.filterwarnings("ignore::rankworth.errors.RankworthWarning")
ROOT: Final = Path(__file__).parent.parent
QRELS: Final = {"007": {"é": 1, "d 1": 0}, "7": {"字": 2}}
RUN: Final = {"007": {"d 1": 1e16, "é": 1e16 - 2}, "7": {"字": 0.25}}
"""Ids that look like numbers, hold a blank or lie beyond ASCII, and two scores that are one in 32 bits."""
TREC: Final = ("q1 0 a 1\nq1 0 b 0\n", "q1 Q0 b 1 2 x\nq1 Q0 a 2 1 x\n")
RANKS: Final = np.array([[7, 5, 6]], dtype="<i4")
"""ids of the neighbours found, of which 5 and 6 are the right ones"""


def npy(ids: np.ndarray) -> bytes:
    """A file of NumPy."""
    target = io.BytesIO()
    np.save(target, ids)
    return target.getvalue()


def npz(ids: np.ndarray) -> bytes:
    """A file of NumPy with two arrays."""
    target = io.BytesIO()
    np.savez(target, ids=ids, queries=np.zeros((1, 2)))
    return target.getvalue()


def ibin(rows: np.ndarray) -> bytes:
    """Rows of big-ann-benchmarks, behind how many there are."""
    return np.array(rows.shape, dtype="<u4").tobytes() + rows.astype("<i4").tobytes()


def vecs(rows: np.ndarray) -> bytes:
    """Rows of Texmex, each behind its length."""
    return b"".join(np.int32(len(row)).tobytes() + row.astype("<i4").tobytes() for row in rows)


def hdf5(ids: np.ndarray) -> bytes:
    """A file of ann-benchmarks."""
    target = io.BytesIO()
    with h5py.File(target, "w") as file:
        file["neighbors"] = ids
    return target.getvalue()


def lines(table: dict[str, dict[str, float]], separator: str, header: str) -> bytes:
    """Rows of a table below a header."""
    rows = [(query, document, repr(number)) for query, row in table.items() for document, number in row.items()]
    return "".join(f"{separator.join(row)}\n" for row in [header.split(), *rows]).encode()


def objects(table: dict[str, dict[str, float]], number: str) -> bytes:
    """A line of JSON for each row."""
    rows = [{"query": q, "document": d, number: value} for q, row in table.items() for d, value in row.items()]
    return "".join(f"{json.dumps(row)}\n" for row in rows).encode()


FILES: Final[dict[str, tuple[bytes, bytes]]] = {
    "trec": (
        "007 0 é 1\n007 0 d_1 0\n7 0 字 2\n".encode(),
        "007 Q0 d_1 1 1e16 x\n007 Q0 é 2 9999999999999998 x\n7 Q0 字 1 0.25 x\n".encode(),
    ),
    "tsv": (lines(QRELS, "\t", "query document grade"), lines(RUN, "\t", "query document score")),
    "csv": (lines(QRELS, ",", "query document grade"), lines(RUN, ",", "query document score")),
    "msmarco": (b"", "007\td 1\t1\n007\té\t2\n7\t字\t1\n".encode()),
    "jsonl": (objects(QRELS, "grade"), objects(RUN, "score")),
    "json": (json.dumps(QRELS).encode(), json.dumps(RUN).encode()),
    "svmlight": ("1 qid:007 1:0 # é\n0 qid:007 1:0 # d_1\n2 qid:7 1:0 # 字\n".encode(), b""),
    "scores": (b"", b"1e16\n9999999999999998\n0.25\n"),
    "lists": (b"0 5 6\n1 4\n", b"0 7 5 6\n1 4\n"),
    "npy": (npy(RANKS[:, 1:]), npy(RANKS)),
    "npz": (npz(RANKS[:, 1:]), npz(RANKS)),
    "ibin": (ibin(RANKS[:, 1:]), ibin(RANKS)),
    "fbin": (b"", ibin(np.array([[1, 2, 3]], dtype="<f4").view("<i4"))),
    "ivecs": (vecs(RANKS[:, 1:]), vecs(RANKS)),
    "fvecs": (b"", vecs(np.array([[1, 2, 3]], dtype="<f4").view("<i4"))),
    "hdf5": (hdf5(RANKS[:, 1:]), hdf5(RANKS)),
}
"""Judgements and a run in each format, those that it can hold; `convert` makes those that are not here."""


def test_every_format_has_an_example_and_a_line_in_the_documentation() -> None:
    assert {*FILES} | {*WRITTEN} == {*READ} == {*FORMATS}
    rows = re.findall(r"^\| (`[a-z0-9` ]+) \|", (ROOT / "docs" / "formats.md").read_text("utf-8"), re.MULTILINE)
    assert {*READ} <= {*re.findall(r"`([a-z0-9]+)`", " ".join(rows))}


BESIDE: Final = {"fvecs": "ivecs", "fbin": "ibin"}
"""in which format the ids of distances stand"""


def made(name: str, folder: Path, suffix: str) -> tuple[Path | None, Path | None]:
    """The files of a format, under a suffix."""
    (folder / "qrels.csv").write_bytes(FILES["csv"][0])
    (folder / "run.csv").write_bytes(FILES["csv"][1])
    paths: list[Path | None] = []
    for kind, content in zip(("qrels", "run"), FILES.get(name, (None, None)), strict=True):
        path = folder / "made" / f"{kind}{suffix}"
        path.parent.mkdir(exist_ok=True)
        if content is None:
            convert(folder / f"{kind}.csv", path, to=name)
        elif content:
            path.write_bytes(content)
        paths.append(None if content == b"" else path)
    if name in BESIDE:  # distances, whose ids stand beside them
        (folder / "made" / f"run.{BESIDE[name]}").write_bytes(FILES[BESIDE[name]][1])
    return paths[0], paths[1]


def others(name: str) -> tuple[bytes, bytes, float]:
    """Judgements and a run to read beside a format that holds one of them, and the value of RR."""
    if FORMATS[name].module == "neighbours":
        return *FILES["npy"], 1 / 2
    if name == "scores":  # one for each line of the judgements: the relevant documents have the highest ones
        return FILES["svmlight"][0], b"", 1.0
    return *FILES["trec"], (1 / 2 + 1) / 2


def value(
    command: Command, name: str, folder: Path, files: tuple[Path | None, Path | None], told: str
) -> tuple[float, float]:
    """RR of the example, and what it is."""
    judged, ranked, expected = others(name)
    options: list[str] = []
    paths = []
    beside = folder / ("judged.npy" if FORMATS[name].module == "neighbours" else "judged.txt"), folder / "ranked.txt"
    for path, other, content, option in zip(
        files, beside, (judged, ranked), ("--qrels-format", "--run-format"), strict=True
    ):
        if path is None:
            other.write_bytes(content)
        elif told:
            options += [option, told]
        paths.append(path or other)
    status, out, err = command("evaluate", *map(str, paths), *options, "-m", "RR", "-f", "tsv", "--quiet")
    assert status == 0, err
    return float(out.split()[-1]), expected


@pytest.mark.parametrize("name", READ)
@pytest.mark.parametrize("how", ["suffix", "content", "name", "compressed"])
def test_a_format_is_told_by_what_its_record_says(
    name: str, how: str, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    each = FORMATS[name]
    if how in ("suffix", "compressed") and not each.suffixes:
        how = "name"
    if how == "content" and (name == "msmarco" or not (each.magic or each.is_detected)):
        how = "suffix" if each.suffixes else "name"
    files = made(name, tmp_path, ".data" if how in ("content", "name") and name not in BESIDE else each.suffixes[0])
    if how == "compressed" and name not in BESIDE:
        for path in filter(None, files):
            path.with_name(f"{path.name}.gz").write_bytes(gzip.compress(path.read_bytes()))
            path.unlink()
        qrels, run = (path and path.with_name(f"{path.name}.gz") for path in files)
        files = qrels, run
    found, expected = value(command_of(capsysbinary), name, tmp_path, files, name if how == "name" else "")
    assert found == expected


@pytest.mark.parametrize("name", WRITTEN)
def test_what_is_written_is_read_again(name: str, tmp_path: Path) -> None:
    ids = {"d 1": "d_1"} if name in ("trec", "msmarco") else {}
    (tmp_path / "run.json").write_text(
        json.dumps({query: {ids.get(d, d): score for d, score in row.items()} for query, row in RUN.items()})
    )
    convert(tmp_path / "run.json", tmp_path / "copy", kind="run", to=name, lossy=name == "msmarco")
    before, after = rw.Run(tmp_path / "run.json"), rw.Run(tmp_path / "copy", format=name)
    ranks = [frame.select("query", "document").rows() for frame in (before.to_frame(), after.to_frame())]
    assert ranks[0] == ranks[1]
    if name != "msmarco":  # which has ranks alone
        assert before.to_frame()["score"].to_list() == after.to_frame()["score"].to_list()
