"""Small files that would fill the memory, of each format and compression: how they are made, and what reads them.

`python -m bombs FOLDER` reads them in a process that may ask for little memory, and prints what comes of it.
"""

import bz2
import gzip
import json
import lzma
import sys
from collections.abc import Callable, Iterator
from io import BytesIO
from itertools import repeat
from pathlib import Path
from typing import Any, Final, NamedTuple

import h5py
import numpy as np
import polars as pl
import pyarrow as pa
from numpy.lib import format as npy
from pyarrow import ipc

import rankworth as rw
from rankworth.io import query_texts

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

MEMORY: Final = 3 << 30
"""bytes that the process may ask for"""
LARGEST: Final = 1 << 20
"""bytes that each file may have"""
_MANY: Final = 8_000_000
_PACKERS: Final[dict[str, Callable[[bytes], bytes]]] = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": zstd.compress,
}
QRELS: Final = {"q": {"d": 1}}
RUN: Final = {"q": {"d": 1.0}}


class Bomb(NamedTuple):
    """A file, what reads it, and the slug of what is refused."""

    write: Callable[[Path], object]
    slug: str
    read: Callable[[str], object] = lambda path: rw.evaluate(QRELS, path, ["RR"])


def repeated(line: bytes, packer: str, size: int, begin: bytes = b"", end: bytes = b"") -> Callable[[Path], object]:
    """Return what writes the same line over and over, packed, in parts one after the other.

    Args:
        line: the line.
        packer: a key of `_PACKERS`.
        size: how many bytes there are when unpacked.
        begin: what stands before the first line.
        end: what stands behind the last one.

    """

    def write(path: Path) -> None:
        pack, lines = _PACKERS[packer], line * ((8 << 20) // len(line))
        parts = repeat(pack(lines), size // len(lines))
        path.write_bytes(b"".join([pack(begin) if begin else b"", *parts, pack(end) if end else b""]))

    return write


def _equal_rows(**columns: Any) -> pl.DataFrame:
    return pl.DataFrame({name: pl.Series([value]).new_from_index(0, _MANY) for name, value in columns.items()})


def _long_list(path: Path) -> None:
    row = pl.DataFrame({"query": ["q"], "document": [["d"]]})
    row.select("query", pl.col("document").list.eval(pl.element().repeat_by(_MANY).explode())).write_parquet(path)


def _nulls(path: Path) -> None:
    """Write columns that are null all over, for which Arrow stores nothing."""
    nothing = pa.Array.from_buffers(pa.null(), 1 << 30, [None])
    columns = dict.fromkeys(("query", "document", "score"), nothing)
    with path.open("wb") as file:
        table = pa.RecordBatch.from_arrays(list(columns.values()), list(columns))
        with ipc.new_stream(file, table.schema) as stream:
            stream.write_batch(table)


def _stated(path: Path) -> None:
    """Write the head of an array of 2^56 numbers, and eight of them."""
    with path.open("wb") as file:
        npy.write_array_header_2_0(file, {"descr": "<i8", "fortran_order": False, "shape": (2**36, 2**20)})
        file.write(bytes(64))


def _hdf5(path: Path, make: Callable[[Any], object]) -> None:
    with h5py.File(path, "w") as file:
        make(file)


def _virtual(file: Any) -> None:
    layout = h5py.VirtualLayout(shape=(4, 8), dtype="i4")
    layout[:] = h5py.VirtualSource("other.hdf5", "neighbors", shape=(4, 8))
    file.create_virtual_dataset("neighbors", layout)


def _one_chunk(file: Any) -> None:
    file.create_dataset("neighbors", shape=(10**9, 100), dtype="i4", chunks=(1000, 100))[:1000] = 1


def _ivecs(path: Path) -> None:
    row = np.array([10, *range(10)], dtype="<i4").tobytes()
    repeated(row, "zst", 1 << 30)(path)


def _results(path: Path) -> None:
    """Write what looks like stored values of a thousand million queries."""
    buffer = BytesIO()
    _equal_rows(run="r", measure="RR", query="q", value=1.0).write_parquet(buffer, metadata={"rankworth": "{}"})
    path.write_bytes(buffer.getvalue())


_TREC: Final = b"q Q0 d 1 1 t\n"
_JSON: Final = b'{"query":"q","document":"d","score":1}'
_GIGABYTE: Final = 1 << 30
BOMBS: Final[dict[str, Bomb]] = {
    "trec.gz": Bomb(repeated(_TREC, "gz", 130_000_000), "duplicate-document"),
    "trec.bz2": Bomb(repeated(_TREC, "bz2", 1 << 28), "duplicate-document"),
    "trec.xz": Bomb(repeated(_TREC, "xz", 1 << 28), "duplicate-document"),
    "trec.zst": Bomb(repeated(_TREC, "zst", 1 << 28), "duplicate-document"),
    "two queries.gz": Bomb(repeated(_TREC + b"r Q0 d 1 1 t\n", "gz", 40_000_000), "duplicate-document"),
    "judgements.gz": Bomb(repeated(b"q 0 d 1\n", "gz", 30_000_000), "duplicate-judgement", rw.Qrels),
    "judgements.zst": Bomb(repeated(b"q 0 d 1\n", "zst", _GIGABYTE), "duplicate-judgement", rw.Qrels),
    "table.csv.zst": Bomb(repeated(b"q,d,0.5\n", "zst", _GIGABYTE, b"query,document,score\n"), "duplicate-document"),
    "table.tsv.zst": Bomb(
        repeated(b"q\td\t0.5\n", "zst", _GIGABYTE, b"query\tdocument\tscore\n"), "duplicate-document"
    ),
    "lines.jsonl.zst": Bomb(repeated(_JSON + b"\n", "zst", _GIGABYTE), "inflated-file"),
    "list.json.zst": Bomb(repeated(_JSON + b",", "zst", _GIGABYTE, b"[", _JSON + b"]"), "inflated-file"),
    "ranker.svmlight.zst": Bomb(repeated(b"1 qid:1 1:1\n", "zst", _GIGABYTE), "inflated-file", rw.Qrels),
    "queries.tsv.zst": Bomb(
        repeated(b"q\t" + b"what is it " * 1000 + b"\n", "zst", _GIGABYTE), "inflated-file", query_texts.queries
    ),
    "exclude.txt.zst": Bomb(
        repeated(b"q " + b"document" * 1000 + b"\n", "zst", _GIGABYTE),
        "inflated-file",
        lambda path: rw.evaluate(QRELS, RUN, ["RR"], exclude=path),
    ),
    "items.csv.zst": Bomb(
        repeated(b"d," + b"drama|" * 1000 + b"\n", "zst", _GIGABYTE, b"item_id,genres\n"),
        "inflated-file",
        lambda path: rw.evaluate(QRELS, RUN, ["ILD@1"], items=path),
    ),
    "history.csv.zst": Bomb(
        repeated(b"q,d\n", "zst", _GIGABYTE, b"query,document\n"),
        "inflated-file",
        lambda path: rw.evaluate(QRELS, RUN, ["SelfInformation@1"], history=path),
    ),
    "rows.parquet": Bomb(
        lambda path: _equal_rows(query="q", document="d", score=1.0).write_parquet(path), "inflated-file"
    ),
    "list.parquet": Bomb(_long_list, "inflated-file"),
    "results.parquet": Bomb(_results, "inflated-file", rw.load),
    "rows.arrow": Bomb(
        lambda path: _equal_rows(query="q", document="d", score=1.0).write_ipc(path, compression="zstd"),
        "inflated-file",
    ),
    "stream.arrow": Bomb(
        lambda path: _equal_rows(query="q", document="d", score=1.0).write_ipc_stream(path, compression="zstd"),
        "inflated-file",
    ),
    "nulls.arrow": Bomb(_nulls, "inflated-file"),
    "stated.npy": Bomb(_stated, "truncated-file"),
    "rows.ivecs.zst": Bomb(_ivecs, "inflated-file"),
    "unwritten.hdf5": Bomb(
        lambda path: _hdf5(path, lambda file: file.create_dataset("neighbors", shape=(10**9, 100), dtype="i4")),
        "empty-input",
    ),
    "one chunk.hdf5": Bomb(lambda path: _hdf5(path, _one_chunk), "inflated-file"),
    "virtual.hdf5": Bomb(lambda path: _hdf5(path, _virtual), "input-type"),
}


def outcomes(folder: Path) -> Iterator[tuple[str, str]]:
    """Read each file; yield its name, and the slug of what is refused or what else came of it."""
    for name, bomb in BOMBS.items():
        path = folder / name
        try:
            yield name, f"read: {bomb.read(str(path))!r}"
        except rw.RankworthError as error:
            yield name, error.slug
        except Exception as error:  # noqa: BLE001 - it is what a test looks for
            yield name, f"{type(error).__name__}: {error}"


def _read_in_little_memory(folder: Path) -> None:
    import resource  # noqa: PLC0415 - Windows has none

    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    for outcome in outcomes(folder):
        print(json.dumps(outcome), flush=True)  # noqa: T201 - this is how processes talk


if __name__ == "__main__":
    _read_in_little_memory(Path(sys.argv[1]))
