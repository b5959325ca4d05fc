"""A matrix of bad inputs: what may be wrong, and in which readers it can be.

Rows are faults, columns are readers; a cell holds what is given there. What is said of it stands in
`tests/data/refusals.txt`, which `scripts/refusals` writes.
"""

import bz2
import datetime as dt
import gzip
import io
import json
import lzma
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

import duckdb
import numpy as np
import pandas as pd
import polars as pl

import rankworth as rw

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

QRELS: Final = {"q1": {"d1": 1, "d2": 0}, "q2": {"d1": 2}}
RUN: Final = {"q1": {"d1": 2.5, "d2": 1.5}, "q2": {"d3": 0.5}}
ROWS: Final = [("q1", "d1", 2.5), ("q1", "d2", 1.5), ("q2", "d3", 0.5)]
GRADED: Final = [("q1", "d1", 1), ("q1", "d2", 0), ("q2", "d1", 2)]


@dataclass(frozen=True)
class Cell:
    """What a reader is given.

    Attributes:
        given: text or bytes of a file, or a function that makes any other input in an empty folder.
        options: `format`, `columns` and `split`, as `Run` and `Qrels` take them.
        name: of the file; that of the reader where not said.
        foreign: whether the message ends in a reason, in parentheses, that another library gives.

    """

    given: str | bytes | Callable[[], Any]
    options: Mapping[str, Any] = field(default_factory=dict)
    name: str = ""
    foreign: bool = False


def cell(given: str | bytes | Callable[[], Any], name: str = "", *, foreign: bool = False, **options: Any) -> Cell:
    """What a reader is given, with what a user says of it."""
    return Cell(given, options, name, foreign)


NAMES: Final = {
    "trec": ("bm25.run", "qrels.txt"),
    "csv": ("run.csv", "qrels.csv"),
    "tsv": ("run.tsv", "qrels.tsv"),
    "msmarco": ("run.marco.tsv", "qrels.marco.tsv"),
    "jsonl": ("run.jsonl", "qrels.jsonl"),
    "json": ("run.json", "qrels.json"),
    "_rank_eval": ("response.json", "request.json"),
    "parquet": ("run.parquet", "qrels.parquet"),
    "arrow": ("run.arrow", "qrels.arrow"),
    "arrow stream": ("run.arrows", "qrels.arrows"),
}
"""how the files of each reader are called: a run, and judgements"""


def lines(*items: object) -> str:
    """JSON lines."""
    return "".join(json.dumps(item) + "\n" for item in items)


def hit(document: object, score: object = 1.0, rating: object = None, **more: object) -> dict[str, Any]:
    """A hit as a response has it."""
    return {"hit": {"_index": "web", "_id": document, "_score": score, **more}, "rating": rating}


def response(*hits: dict[str, Any], **more: object) -> dict[str, Any]:
    """A response of `_rank_eval` with one query."""
    detail = {"metric_score": 0.5, "unrated_docs": [], "hits": list(hits)}
    return {"metric_score": 0.5, "details": {"q1": detail}, "failures": {}, **more}


def request(*ratings: dict[str, Any], query: object = "q1") -> dict[str, Any]:
    """A request of `_rank_eval` with one query."""
    return {"requests": [{"id": query, "request": {"query": {}}, "ratings": list(ratings)}], "metric": {}}


def rating(document: object, grade: object = 1, **more: object) -> dict[str, Any]:
    """A rating as a request has it."""
    return {"_index": "web", "_id": document, "rating": grade, **more}


def frame(rows: list[tuple[Any, ...]], value: str = "score", **schema: Any) -> pl.DataFrame:
    """A frame of Polars."""
    names = ("query", "document", value)
    return pl.DataFrame(rows, schema={name: schema.get(name) for name in names}, orient="row", strict=False)


def written(table: pl.DataFrame, form: str) -> bytes:
    """A frame as a file of this format."""
    file = io.BytesIO()
    if form == "parquet":
        table.write_parquet(file, compression="uncompressed")
    elif form == "arrow":
        table.write_ipc(file, compression="uncompressed")
    else:
        table.write_ipc_stream(file, compression="uncompressed")
    return file.getvalue()


def files(table: pl.DataFrame, where: str = "run") -> dict[str, bytes]:
    """A frame in each format that has columns with types."""
    return {f"{where}, {form}": written(table, form) for form in ("parquet", "arrow", "arrow stream")}


def libraries(table: pl.DataFrame, where: str = "run") -> dict[str, Callable[[], Any]]:
    """A frame in each library."""
    return {
        f"{where}, Polars": lambda: table,
        f"{where}, Polars lazily": table.lazy,
        f"{where}, pandas": table.to_pandas,
        f"{where}, PyArrow": table.to_arrow,
        f"{where}, DuckDB": lambda: duckdb.from_arrow(table.to_arrow()),
    }


GOOD: Final[dict[str, str | bytes]] = {
    "run, trec": "".join(f"{query} Q0 {document} 1 {score} bm25\n" for query, document, score in ROWS),
    "run, csv": "query,document,score\n" + "".join(f"{query},{document},{score}\n" for query, document, score in ROWS),
    "run, tsv": "query\tdocument\tscore\n" + "".join(f"{query}\t{doc}\t{score}\n" for query, doc, score in ROWS),
    "run, msmarco": "q1\td1\t1\nq1\td2\t2\nq2\td3\t1\n",
    "run, jsonl": lines(*({"query": query, "document": doc, "score": score} for query, doc, score in ROWS)),
    "run, json": json.dumps(RUN) + "\n",
    "run, _rank_eval": json.dumps(response(hit("d1", 2.5), hit("d2", 1.5)), indent=1) + "\n",
    "judgements, trec": "".join(f"{query} 0 {document} {grade}\n" for query, document, grade in GRADED),
    "judgements, csv": "query,document,grade\n" + "".join(f"{query},{doc},{grade}\n" for query, doc, grade in GRADED),
    "judgements, tsv": "query-id\tcorpus-id\tscore\n"
    + "".join(f"{query}\t{doc}\t{grade}\n" for query, doc, grade in GRADED),
    "judgements, msmarco": "".join(f"{query}\t0\t{document}\t{grade}\n" for query, document, grade in GRADED),
    "judgements, jsonl": lines(*({"query": query, "document": doc, "grade": grade} for query, doc, grade in GRADED)),
    "judgements, json": json.dumps(QRELS) + "\n",
    "judgements, _rank_eval": json.dumps(request(rating("d1"), rating("d2", 0)), indent=1) + "\n",
}
"""files as they should be"""
TEXT: Final = tuple(GOOD)
BINARY: Final = {
    **files(frame(ROWS * 50)),
    **files(frame(GRADED * 50, "grade"), "judgements"),
}
RUNS: Final = tuple(reader for reader in TEXT if reader.startswith("run"))


def text(reader: str) -> str:
    """A file as it should be, of a reader of text."""
    return str(GOOD[reader])


def each(readers: tuple[str, ...], change: Callable[[str], str | bytes]) -> dict[str, str | bytes]:
    """A good file of each reader, changed."""
    return {reader: change(text(reader)) for reader in readers}


def said(reader: str) -> dict[str, Any]:
    """What must be said to read a file of some formats."""
    return {"format": "msmarco"} if "msmarco" in reader else {}


LONG: Final = 3 << 20
"""how long a line without end is; readers are told that no line has more than one MiB"""
PACKERS: Final = {"gzip": gzip.compress, "bzip2": bz2.compress, "xz": lzma.compress, "zstd": zstd.compress}


def folder(*names: str) -> Callable[[], str]:
    """A folder with these files."""

    def make() -> str:
        Path("runs").mkdir()
        for name in names:
            Path("runs", name).parent.mkdir(parents=True, exist_ok=True)
            Path("runs", name).write_text(text("run, trec"), encoding="utf-8")
        return "runs"

    return make


def changing(reader: str) -> Callable[[], Any]:
    """A run whose file grows after it was read once."""

    def make() -> Any:
        path = Path(NAMES[reader.partition(", ")[2]][0])
        path.write_bytes(BINARY[reader] if reader in BINARY else text(reader).encode())
        run = rw.Run(path, **said(reader))
        run.to_frame()
        path.write_bytes(path.read_bytes() + b"\n")
        return run

    return make


# Files as such

FILES: Final[dict[str, dict[str, Any]]] = {
    "there is no such file": {"run": lambda: "dense.run", "judgements": lambda: "qrels.txt"},
    "a file of nearly the same name is there": {
        "run": lambda: (Path("dense.run").touch(), "dence.run")[1],
        "judgements": lambda: (Path("qrels.txt.gz").touch(), "qrels.txt")[1],
    },
    "there is no such folder": {"run": lambda: "runs/dense.run", "judgements": lambda: "beir/qrels/test.tsv"},
    "no file fits a pattern": {"run": lambda: "runs/*.parquet", "judgements": lambda: "qrels-?.txt"},
    "a folder that holds several runs": {"run": folder("bm25.run", "dense.run"), "judgements": folder("a.txt", "b.md")},
    "a folder of folders": {"run": folder("a/part-0.run")},
    "an empty folder": {"run": folder()},
    "a folder of BEIR's without this split": {
        "judgements": cell(
            lambda: (
                Path("scifact/qrels").mkdir(parents=True),
                Path("scifact/qrels/train.tsv").write_text(text("judgements, tsv"), encoding="utf-8"),
                "scifact",
            )[-1]
        )
    },
    "a file that may not be read": {
        reader: cell(GOOD[reader], name="locked", **said(reader)) for reader in ("run, trec", "run, csv", "run, json")
    }
    | {"run, parquet": cell(BINARY["run, parquet"], name="locked")},
    "an empty file": {
        reader: cell("", **({} if reader.endswith("trec") else {"format": reader.split(", ")[1]}))
        for reader in (*RUNS[:-1], "judgements, trec", "judgements, csv", "judgements, json")
    }
    | {"run, parquet": cell(b"", format="parquet"), "run, arrow": cell(b"", format="arrow")},
    "nothing but blank lines": dict.fromkeys(("run, trec", "run, csv", "judgements, trec"), "\n \n\n")
    | {"run, jsonl": cell("\n\n", format="jsonl"), "run, json": cell(" \n", format="json")},
    "nothing but comments": {"run, trec": "# q1 Q0 d1 1 2.5 bm25\n", "judgements, trec": "# none yet\n"},
    "nothing below the header": {
        "run, csv": "query,document,score\n",
        "run, tsv": "query\tdocument\tscore\n",
        "judgements, csv": "query,document,grade\n",
    },
    "no rows": {
        **files(frame([], query=pl.String, document=pl.String, score=pl.Float64)),
        **libraries(frame([], query=pl.String, document=pl.String, score=pl.Float64)),
        "run, json": "{}",
        "run, json list": cell("[]", name="run.json"),
        "run, _rank_eval": json.dumps(response()),
        "judgements, _rank_eval": json.dumps({"requests": [{"id": "q1", "ratings": []}]}),
        "run, dict": dict,
        "run, list": list,
        "run, generator": lambda: iter(()),
        "run, dict of empty dicts": lambda: {"q1": {}, "q2": {}},
        "judgements, dict": dict,
    },
    "a packed file that ends early": {
        f"run, {form}": cell(
            PACKERS[packer](text(f"run, {form}").encode() * 50)[:-12],
            name=NAMES[form][0] + {"gzip": ".gz", "bzip2": ".bz2", "xz": ".xz", "zstd": ".zst"}[packer],
            foreign=True,
        )
        for form, packer in [("trec", "gzip"), ("csv", "bzip2"), ("jsonl", "xz"), ("json", "zstd")]
    }
    | {
        "judgements, trec": cell(
            gzip.compress(text("judgements, trec").encode() * 50, mtime=0)[:-12], name="qrels.txt.gz", foreign=True
        )
    },
    "a packed file with a changed byte": {
        "run, trec": cell(
            gzip.compress(text("run, trec").encode(), mtime=0)[:-8] + bytes(8),
            name="bm25.run.gz",
            foreign=True,
        )
    },
    "a zip archive": {
        reader: b"PK\x03\x04\x14\x00\x00\x00\x08\x00" + bytes(20) + b"bm25.run" for reader in ("run, trec", "run, csv")
    },
    "a PDF": {"run, trec": b"%PDF-1.7\n\x00\x01"},
    "a tar archive": {"run, trec": b"bm25.run".ljust(257, b"\0") + b"ustar\x0000" + bytes(248)},
    "a 7z archive": {"run, trec": b"7z\xbc\xaf\x27\x1c\0\4"},
    "a database": {"run, trec": b"SQLite format 3\0\x10\0"},
    "an array of NumPy in a file": {"run, trec": b"\x93NUMPY\1\0v\0{'descr': '<f8'}\n" + bytes(16)},
    "a null byte": {
        reader: cell(text(reader).replace("d2", "d\0").encode(), **said(reader))
        for reader in (*RUNS[:-1], "judgements, trec")
    },
    "text in UTF-16": {
        reader: cell(text(reader).encode("utf-16"), **said(reader)) for reader in (*TEXT[:6], "judgements, trec")
    },
    "text in UTF-16 without a mark": {
        reader: cell(text(reader).encode("utf-16-le"), **said(reader)) for reader in ("run, trec", "run, json")
    },
    "text in UTF-32": {
        reader: cell(text(reader).encode("utf-32"), **said(reader)) for reader in ("run, trec", "run, csv", "run, json")
    },
    "text in Latin-1": {
        reader: cell(text(reader).replace("d2", "café").encode("latin-1"), **said(reader))
        for reader in (*RUNS, "judgements, trec", "judgements, csv")
    },
    "lines that end in LF and in CR": {
        "run, trec": text("run, trec").replace("\n", "\r", 1),
        "judgements, trec": text("judgements, trec").replace("\n", "\r", 1),
    },
    "lines that end in CR alone": {
        reader: cell(text(reader).replace("\n", "\r"), **said(reader))
        for reader in (*TEXT[:5], "judgements, trec", "judgements, csv")
    },
    "a Parquet file that is none": {
        "run, parquet": cell(text("run, csv"), format="parquet"),
        "run, arrow": cell(text("run, csv"), format="arrow"),
    },
    "a Parquet file that ends early": {
        reader: cell(BINARY[reader][: len(BINARY[reader]) // 2], foreign=True)
        for reader in ("run, parquet", "run, arrow", "run, arrow stream")
    },
    "a file of one format that is said to have another": {
        "run, trec": cell(text("run, csv"), format="trec"),
        "run, csv": cell(text("run, trec"), format="csv"),
        "run, tsv": cell(text("run, csv"), format="tsv"),
        "run, msmarco": cell(text("run, tsv"), format="msmarco"),
        "run, jsonl": cell(text("run, csv"), format="jsonl"),
        "run, json": cell(text("run, trec"), format="json"),
    },
    "a line without end": {
        reader: cell(text(reader) + change, name=f"endless-{NAMES[reader.split(', ')[1]][0]}", **said(reader))
        for reader, change in {
            "run, trec": "q3 Q0 " + "x" * LONG,
            "run, csv": 'q3,"' + "x\n" * LONG,
            "run, msmarco": "q3\t" + "x" * LONG,
            "run, jsonl": '{"query": "q3", "document": "' + "x" * LONG,
        }.items()
    },
    "a file that changes while it is read": {
        reader: changing(reader) for reader in ("run, trec", "run, csv", "run, jsonl", "run, json", "run, parquet")
    },
    "the text of a file instead of its path": {
        "run": lambda: text("run, trec"),
        "judgements": lambda: text("judgements, csv"),
        "run, bytes": lambda: text("run, trec").encode(),
    },
    "an open file instead of its path": {"run": lambda: io.StringIO(text("run, trec"))},
}

# Columns

COLUMNS: Final[dict[str, dict[str, Any]]] = {
    "too few columns": {
        "run, trec": "q1 Q0 d1 1 2.5 bm25\nq1 Q0 d2 1.5 bm25\n",
        "judgements, trec": "q1 0 d1 1\nq1 d2 0\n",
        "run, csv": "query,document,score\nq1,d1,2.5\nq1,d2\n",
        "run, tsv": "query\tdocument\tscore\nq1\td1\t2.5\nd2\t1.5\n",
        "run, msmarco": cell("q1\td1\t1\nq1\td2\n", format="msmarco"),
        "judgements, msmarco": cell("q1\td1\n", format="msmarco"),
        "run, rows": lambda: [("q1", "d1", 2.5), ("q1", "d2")],
    },
    "too many columns": {
        "run, trec": "q1 Q0 d1 1 2.5 bm25\nq1 Q0 d 2 2 1.5 bm25\n",
        "judgements, trec": "q1 0 d1 1\nq1 0 d2 0 easy\n",
        "run, csv": "query,document,score\nq1,d1,2,5\n",
        "run, tsv": "query\tdocument\tscore\nq1\td\t1\t2.5\n",
        "run, msmarco": cell("q1\td1\t1\t2.5\n", format="msmarco"),
        "run, rows": lambda: [("q1", "d1", 1, 2.5)],
    },
    "no name of the run at the end": {"run, trec": "q1 Q0 d1 1 2.5\nq1 Q0 d2 2 1.5\n"},
    "blanks in the name of the run": {"run, trec": "q1 Q0 d1 1 2.5 my best run\n"},
    "a run where judgements are expected": {
        "judgements, trec": text("run, trec"),
        "judgements, csv": text("run, csv"),
        "judgements, jsonl": text("run, jsonl"),
        "judgements, parquet": BINARY["run, parquet"],
        "judgements, Polars": lambda: frame(ROWS),
    },
    "judgements where a run is expected": {
        "run, trec": text("judgements, trec"),
        "run, csv": text("judgements, csv"),
        "run, jsonl": text("judgements, jsonl"),
        "run, _rank_eval": text("judgements, _rank_eval"),
        "run, parquet": BINARY["judgements, parquet"],
        "run, Polars": lambda: frame(GRADED, "grade"),
    },
    "no column of queries": {
        "run, csv": "topic_number,document,score\n1,d1,2.5\n",
        "run, tsv": "topic_number\tdocument\tscore\n1\td1\t2.5\n",
        "run, jsonl": lines({"topic_number": 1, "document": "d1", "score": 2.5}),
        **files(pl.DataFrame({"topic_number": [1], "document": ["d1"], "score": [2.5]})),
        **libraries(pl.DataFrame({"topic_number": [1], "document": ["d1"], "score": [2.5]})),
        "run, rows": lambda: [{"topic_number": 1, "document": "d1", "score": 2.5}],
        "judgements, csv": "term,document,grade\n1,d1,1\n",
    },
    "no column of documents": {
        "run, csv": "query,sku,score\nq1,d1,2.5\n",
        "run, jsonl": lines({"query": "q1", "sku": "d1", "score": 2.5}),
        **files(pl.DataFrame({"query": ["q1"], "sku": ["d1"], "score": [2.5]})),
        "run, pandas": lambda: pd.DataFrame({"query": ["q1"], "sku": ["d1"], "score": [2.5]}),
        "run, rows": lambda: [{"query": "q1", "sku": "d1", "score": 2.5}],
        "judgements, Polars": lambda: pl.DataFrame({"query": ["q1"], "sku": ["d1"], "grade": [1]}),
    },
    "no column of scores": {
        "run, csv": "query,document,bm25\nq1,d1,2.5\n",
        "run, jsonl": lines({"query": "q1", "document": "d1", "bm25": 2.5}),
        **files(pl.DataFrame({"query": ["q1"], "document": ["d1"], "bm25": [2.5]})),
        "run, pandas": lambda: pd.DataFrame({"query": ["q1"], "document": ["d1"], "bm25": [2.5]}),
        "run, rows": lambda: [{"query": "q1", "document": "d1", "bm25": 2.5}],
        "run, records": lambda: {"q1": [{"document": "d1", "bm25": 2.5}]},
        "run, jsonl lists": cell(lines({"query": "q1", "docs": [{"id": "d1", "bm25": 2.5}]}), name="run.jsonl"),
    },
    "no column of grades": {
        "judgements, csv": "query,document,stars\nq1,d1,3\n",
        "judgements, jsonl": lines({"query": "q1", "document": "d1", "stars": 3}),
        "judgements, parquet": written(pl.DataFrame({"query": ["q1"], "document": ["d1"], "stars": [3]}), "parquet"),
        "judgements, pandas": lambda: pd.DataFrame({"query": ["q1"], "document": ["d1"], "stars": [3]}),
        "judgements, rows": lambda: [{"query": "q1", "document": "d1", "stars": 3}],
    },
    "two columns that may be the documents": {
        "run, csv": "query,pid,item_id,score\nq1,1,d1,2.5\n",
        "run, jsonl": lines({"query": "q1", "pid": 1, "item_id": "d1", "score": 2.5}),
        "run, parquet": written(
            pl.DataFrame({"query": ["q1"], "pid": [1], "item_id": ["d1"], "score": [2.5]}), "parquet"
        ),
        "run, pandas": lambda: pd.DataFrame({"query": ["q1"], "pid": [1], "item_id": ["d1"], "score": [2.5]}),
        "run, rows": lambda: [{"query": "q1", "pid": 1, "item_id": "d1", "score": 2.5}],
    },
    "a column twice": {
        "run, csv": "query,document,score,score\nq1,d1,2.5,1\n",
        "run, pandas": lambda: pd.DataFrame([["q1", "d1", 2.5, 1]], columns=["query", "document", "score", "score"]),
        "run, jsonl": '{"query": "q1", "document": "d1", "score": 2.5, "score": 1}\n',
    },
    "a column that is said to be there and is not": {
        "run, csv": cell(text("run, csv"), columns={"score": "bm25"}),
        "run, jsonl": cell(text("run, jsonl"), columns={"score": "bm25"}),
        "run, parquet": cell(BINARY["run, parquet"], columns={"score": "bm25"}),
        "run, Polars": cell(lambda: frame(ROWS), columns={"score": "bm25"}),
    },
    "no header": {
        "run, csv": "q1,d1,2.5\nq1,d2,1.5\n",
        "judgements, csv": "q1,d1,1\nq1,d2,0\n",
        "run, tsv": "q1\td1\t2.5\tx\n",
    },
    "a third column that may be ranks or scores": {"run, tsv": "q1\td1\t1\nq1\td2\t2\n"},
    "a header in the middle": {
        "run, csv": "query,document,score\nq1,d1,2.5\nquery,document,score\nq2,d1,1\n",
        "run, trec": "q1 Q0 d1 1 2.5 bm25\nquery Q0 document rank score tag\n",
        "run, msmarco": cell("q1\td1\t1\nquery\tdocument\trank\n", format="msmarco"),
    },
    "a header above lines without one": {
        "run, trec": "query Q0 document rank score tag\nq1 Q0 d1 1 2.5 bm25\n",
        "judgements, trec": "topic iter docno rel\nq1 0 d1 1\n",
    },
    "objects with other keys than the first": {
        "run, jsonl": lines({"query": "q1", "document": "d1", "score": 2.5}, {"query": "q1", "doc": "d2", "score": 2}),
        "run, rows": lambda: [
            {"query": "q1", "document": "d1", "score": 2.5},
            {"query": "q1", "doc": "d2", "score": 2.0},
        ],
        "judgements, jsonl": lines(
            {"query": "q1", "document": "d1", "grade": 1}, {"query": "q1", "docid": "d2", "grade": 0}
        ),
    },
    "a quoted cell that never ends": {"run, csv": 'query,document,score\nq1,"d1,2.5\nq1,d2,1.5\n'},
    "a quoted cell that goes on after its quote": {"run, csv": 'query,document,score\nq1,"5" tv",2.5\n'},
    "a header whose quote never ends": {"run, csv": 'query,"document,score\nq1,d1,2.5\n'},
}

# Values and ids

SCORES: Final[dict[str, dict[str, Any]]] = {
    "a score that is text": {
        "run, trec": "q1 Q0 d1 1 2.5 bm25\nq1 Q0 d2 2 high bm25\n",
        "run, csv": "query,document,score\nq1,d1,2.5\nq1,d2,n/a\n",
        "run, msmarco": cell("q1\td1\t1\nq1\td2\tlast\n", format="msmarco"),
        "run, jsonl": lines({"query": "q1", "document": "d1", "score": "high"}),
        "run, json": json.dumps({"q1": {"d1": 2.5, "d2": "high"}}),
        "run, _rank_eval": json.dumps(response(hit("d1", "high"))),
        **files(pl.DataFrame({"query": ["q1"], "document": ["d1"], "score": ["high"]})),
        **libraries(pl.DataFrame({"query": ["q1"], "document": ["d1"], "score": ["high"]})),
        "run, NumPy": lambda: np.array(
            [("q1", "d1", "high")], dtype=[("query", "U9"), ("document", "U9"), ("score", "U9")]
        ),
        "run, dict": lambda: {"q1": {"d1": 2.5, "d2": "high"}},
        "run, rows": lambda: [("q1", "d1", 2.5), ("q1", "d2", "high")],
        "run, pairs": lambda: {"q1": [("d1", 2.5), ("d2", "high")]},
        "run, records": lambda: {"q1": [{"document": "d1", "score": "high"}]},
    },
    "a decimal comma": {
        "run, trec": "q1 Q0 d1 1 2,5 bm25\n",
        "run, csv": "query;document;score\nq1;d1;2,5\n",
        "judgements, trec": "q1 0 d1 0,5\n",
    },
    "a score that is NaN": {
        "run, trec": "q1 Q0 d1 1 2.5 bm25\nq1 Q0 d2 2 nan bm25\n",
        "run, csv": "query,document,score\nq1,d1,NaN\n",
        "run, jsonl": '{"query": "q1", "document": "d1", "score": NaN}\n',
        "run, json": '{"q1": {"d1": 2.5, "d2": NaN}}',
        **files(frame([("q1", "d1", 2.5), ("q1", "d2", float("nan")), ("q2", "d1", float("nan"))])),
        "run, Polars": lambda: frame([("q1", "d1", 2.5), ("q1", "d2", float("nan"))]),
        "run, PyArrow": lambda: frame([("q1", "d1", 2.5), ("q1", "d2", float("nan"))]).to_arrow(),
        "run, pandas": lambda: pd.DataFrame({"query": ["q1"], "document": ["d1"], "score": [float("nan")]}),
        "run, DuckDB": lambda: duckdb.sql("select 'q1' as query, 'd1' as document, 'nan'::double as score"),
        "run, NumPy": lambda: np.array(
            [("q1", "d1", np.nan)], dtype=[("query", "U9"), ("document", "U9"), ("score", "f8")]
        ),
        "run, dict": lambda: {"q1": {"d1": 2.5, "d2": float("nan")}},
        "run, rows": lambda: [("q1", "d1", 2.5), ("q1", "d2", float("nan"))],
        "run, pairs": lambda: {"q1": [("d1", 2.5), ("d2", float("nan"))]},
    },
    "no score": {
        "run, csv": "query,document,score\nq1,d1,2.5\nq1,d2,\n",
        "run, jsonl": lines(
            {"query": "q1", "document": "d1", "score": 2.5}, {"query": "q1", "document": "d2", "score": None}
        ),
        "run, json": json.dumps({"q1": {"d1": 2.5, "d2": None}}),
        **files(frame([("q1", "d1", 2.5), ("q1", "d2", None)])),
        **libraries(frame([("q1", "d1", 2.5), ("q1", "d2", None)])),
        "run, dict": lambda: {"q1": {"d1": 2.5, "d2": None}},
        "run, rows": lambda: [("q1", "d1", 2.5), ("q1", "d2", None)],
        "run, pairs": lambda: {"q1": [("d1", 2.5), ("d2", None)]},
    },
    "numbers and texts mixed": {
        "run, jsonl": lines(
            {"query": "q1", "document": "d1", "score": 2.5}, {"query": "q1", "document": "d2", "score": [1.5]}
        ),
        "run, pandas": lambda: pd.DataFrame({"query": ["q1", "q1"], "document": ["d1", "d2"], "score": [2.5, "x"]}),
        "judgements, pandas": lambda: pd.DataFrame(
            {"query": ["q1", "q1"], "document": ["d1", "d2"], "grade": [1, "good"]}
        ),
    },
    "a score that is a date": {
        "run, parquet": written(frame([("q1", "d1", dt.date(2024, 5, 1))]), "parquet"),
        "run, Polars": lambda: frame([("q1", "d1", dt.date(2024, 5, 1))]),
        "run, dict": lambda: {"q1": {"d1": dt.date(2024, 5, 1)}},
    },
    "a score that is complex or a list": {
        "run, dict": lambda: {"q1": {"d1": 2 + 1j}},
        "run, NumPy": lambda: {"q1": {"d1": np.array([2.5, 1.5])}},
        "run, json": json.dumps({"q1": {"d1": [2.5]}}),
    },
    "a rank that is no finite number": {
        "run, csv": "query,document,rank\nq1,d1,first\n",
        "run, msmarco": cell("q1\td1\tinf\n", format="msmarco"),
        "run, Polars": lambda: frame([("q1", "d1", float("nan"))], "rank"),
        "run, rows": lambda: [{"query": "q1", "document": "d1", "rank": float("inf")}],
    },
    "scores that may be ranks": {
        "run, rows": lambda: [("q1", "d1", 1), ("q1", "d2", 2), ("q2", "d1", 1)],
        "run, pairs": lambda: {"q1": [("d1", 1), ("d2", 2)], "q2": [("d3", 1), ("d1", 2)]},
    },
}
GRADES: Final[dict[str, dict[str, Any]]] = {
    "a grade that is text": {
        "judgements, trec": "q1 0 d1 1\nq1 0 d2 relevant\n",
        "judgements, csv": "query,document,grade\nq1,d1,relevant\n",
        "judgements, jsonl": lines({"query": "q1", "document": "d1", "grade": "relevant"}),
        "judgements, json": json.dumps({"q1": {"d1": "relevant"}}),
        "judgements, _rank_eval": json.dumps(request(rating("d1", "relevant"))),
        "judgements, parquet": written(frame([("q1", "d1", "relevant")], "grade"), "parquet"),
        "judgements, Polars": lambda: frame([("q1", "d1", "relevant")], "grade"),
        "judgements, dict": lambda: {"q1": {"d1": "relevant"}},
        "judgements, rows": lambda: [("q1", "d1", "relevant")],
    },
    "a grade that is NaN or infinite": {
        "judgements, trec": "q1 0 d1 nan\nq1 0 d2 inf\n",
        "judgements, csv": "query,document,grade\nq1,d1,inf\n",
        "judgements, jsonl": '{"query": "q1", "document": "d1", "grade": Infinity}\n',
        "judgements, json": '{"q1": {"d1": NaN}}',
        "judgements, parquet": written(frame([("q1", "d1", float("inf"))], "grade"), "parquet"),
        "judgements, pandas": lambda: pd.DataFrame({"query": ["q1"], "document": ["d1"], "grade": [float("-inf")]}),
        "judgements, dict": lambda: {"q1": {"d1": float("nan")}},
        "judgements, rows": lambda: [("q1", "d1", float("inf"))],
    },
    "no grade": {
        "judgements, csv": "query,document,grade\nq1,d1,\n",
        "judgements, jsonl": lines({"query": "q1", "document": "d1", "grade": None}),
        "judgements, _rank_eval": json.dumps(request(rating("d1", None))),
        "judgements, parquet": written(frame([("q1", "d1", None)], "grade", grade=pl.Int64), "parquet"),
        "judgements, DuckDB": lambda: duckdb.sql("select 'q1' as query, 'd1' as document, null::int as grade"),
        "judgements, dict": lambda: {"q1": {"d1": None}},
    },
    "a query without judgements": {
        "judgements, jsonl": lines({"query": "q1", "docs": ["d1"]}, {"query": "q2", "docs": []}),
        "judgements, json": json.dumps({"q1": {"d1": 1}, "q2": {}}),
        "judgements, parquet": written(pl.DataFrame({"query": ["q1", "q2"], "docs": [["d1"], []]}), "parquet"),
    },
}
IDS: Final[dict[str, dict[str, Any]]] = {
    "no id of the query": {
        "run, csv": "query,document,score\nq1,d1,2.5\n,d2,1.5\n",
        "run, jsonl": lines({"query": None, "document": "d1", "score": 2.5}),
        **files(frame([("q1", "d1", 2.5), (None, "d2", 1.5)])),
        **libraries(frame([("q1", "d1", 2.5), (None, "d2", 1.5)])),
        "run, dict": lambda: {None: {"d1": 2.5}},
        "run, rows": lambda: [("q1", "d1", 2.5), (None, "d2", 1.5)],
        "judgements, csv": "query,document,grade\n,d1,1\n",
    },
    "no id of the document": {
        "run, csv": "query,document,score\nq1,,2.5\n",
        "run, jsonl": lines({"query": "q1", "document": None, "score": 2.5}),
        "run, _rank_eval": json.dumps(response(hit(None))),
        **files(frame([("q1", "d1", 2.5), ("q1", None, 1.5), ("q2", None, 1.0)])),
        "run, pandas": lambda: pd.DataFrame({"query": ["q1"], "document": [None], "score": [2.5]}),
        "run, dict": lambda: {"q1": {None: 2.5}},
        "run, lists": lambda: {"q1": ["d1", None]},
        "run, rows": lambda: [("q1", None, 2.5)],
        "judgements, dict": lambda: {"q1": {None: 1}},
        "judgements, jsonl lists": cell(lines({"query": "q1", "docs": ["d1", None]}), name="qrels.jsonl"),
    },
    "an id that is a fraction": {
        "run, jsonl": lines({"query": 1.0, "document": "d1", "score": 2.5}),
        **files(frame([(1.0, "d1", 2.5)])),
        "run, pandas": lambda: pd.DataFrame({"query": [1.0, None], "document": ["d1", "d2"], "score": [2.5, 1.5]}),
        "run, Polars": lambda: frame([("q1", 7.0, 2.5)]),
        "run, dict": lambda: {"q1": {7.0: 2.5}},
        "run, rows": lambda: [("q1", 7.0, 2.5)],
        "run, lists": lambda: {"q1": [7.5, 8.5]},
        "judgements, dict": lambda: {1.0: {"d1": 1}},
    },
    "an id that is a truth value": {
        "run, jsonl": lines({"query": "q1", "document": True, "score": 2.5}),
        "run, dict": lambda: {"q1": {True: 2.5}},
        "run, Polars": lambda: frame([("q1", True, 2.5)]),
    },
    "an id that is bytes": {
        "run, dict": lambda: {"q1": {b"d1": 2.5}},
        "run, parquet": written(frame([("q1", b"d1", 2.5)]), "parquet"),
        "run, Polars": lambda: frame([("q1", b"d1", 2.5)]),
    },
    "an id that is a list": {
        "run, jsonl": lines({"query": ["q1"], "document": "d1", "score": 2.5}),
        "run, dict": lambda: {("q1", "d1"): {"x": 1.0}},
        "run, Polars": lambda: pl.DataFrame({"query": [["q1"]], "document": ["d1"], "score": [2.5]}),
    },
    "texts and integers mixed": {
        "run, dict": lambda: {"q1": {1: 2.5, "1": 1.5}},
        "run, queries": lambda: {1: {"d1": 2.5}, "1": {"d1": 1.5}},
        "judgements, dict": lambda: {"q1": {1: 1, "1": 0}},
        "run, lists": lambda: {"q1": ["d1", 0.5, "d2", 0.4]},
    },
    "blanks around an id": {
        "run, csv": "query,document,score\nq1, d1,2.5\n",
        "run, tsv": "query\tdocument\tscore\nq1 \td1\t2.5\n",
    },
    "lines that end in CR LF and in CR": {"run, csv": "query,document,score\r\nq1,d1\r,2.5\r\n"},
    "an id that is no text": {
        "run, json": '{"q1": {"\\ud800": 2.5}}',
        "run, jsonl": '{"query": "q1", "document": "\\ud800", "score": 2.5}\n',
    },
}
DUPLICATES: Final[dict[str, dict[str, Any]]] = {
    "a document twice": {
        "run, trec": "q1 Q0 d1 1 2.5 bm25\nq1 Q0 d2 2 1.5 bm25\nq1 Q0 d1 3 1.0 bm25\n",
        "run, csv": "query,document,score\nq1,d1,2.5\nq1,d1,1.5\n",
        "run, msmarco": cell("q1\td1\t1\nq1\td1\t2\n", format="msmarco"),
        "run, jsonl": lines(*({"query": "q1", "document": "d1", "score": score} for score in (2.5, 1.5))),
        "run, json": '{"q1": {"d1": 2.5, "d1": 1.5}}',
        "run, _rank_eval": json.dumps(response(hit("d1", 2.5), hit("d1", 1.5))),
        **files(frame([("q1", "d1", 2.5), ("q1", "d2", 2.0), ("q1", "d1", 1.5)])),
        "run, pandas": lambda: frame([("q1", "d1", 2.5), ("q1", "d1", 1.5)]).to_pandas(),
        "run, rows": lambda: [("q1", "d1", 2.5), ("q1", "d1", 1.5)],
        "run, lists": lambda: {"q1": ["d1", "d2", "d1"]},
    },
    "a query twice": {
        "run, json": '{"q1": {"d1": 2.5}, "q1": {"d2": 1.5}}',
        "run, jsonl": lines({"query": "q1", "docs": ["d1"]}, {"query": "q1", "docs": ["d2"]}),
        "judgements, _rank_eval": json.dumps({"requests": request(rating("d1"))["requests"] * 2}),
    },
    "a judgement twice": {
        "judgements, trec": "q1 0 d1 1\nq1 0 d2 0\nq1 0 d1 2\n",
        "judgements, csv": "query,document,grade\nq1,d1,1\nq1,d1,2\n",
        "judgements, jsonl": lines(*({"query": "q1", "document": "d1", "grade": grade} for grade in (1, 2))),
        "judgements, json": '{"q1": {"d1": 1, "d1": 2}}',
        "judgements, parquet": written(frame([("q1", "d1", 1), ("q1", "d1", 2)], "grade"), "parquet"),
        "judgements, Polars": lambda: frame([("q1", "d1", 1), ("q1", "d1", 2)], "grade"),
        "judgements, rows": lambda: [("q1", "d1", 1), ("q1", "d1", 2)],
        "judgements, lists": lambda: {"q1": ["d1", "d1"]},
    },
}

# Shapes

JSON: Final[dict[str, dict[str, Any]]] = {
    "JSON cut in the middle": {
        "run, json": json.dumps(RUN)[:-9],
        "run, jsonl": text("run, jsonl")[:-20],
        "run, _rank_eval": text("run, _rank_eval")[:-60],
        "judgements, json": json.dumps(QRELS, indent=1)[:30],
    },
    "a comma too many": {"run, json": '{"q1": {"d1": 2.5,}}', "run, jsonl": '{"query": "q1", "document": "d1",}\n'},
    "single quotes, as Python writes them": {"run, json": str(RUN), "run, jsonl": "{'query': 'q1'}\n"},
    "two documents in one file": {"run, json": json.dumps(RUN, indent=1) + json.dumps(RUN, indent=1)},
    "one object over several lines": {
        "run, jsonl": '{"query": "q1", "document": "d1", "score": 2.5}\n{"query": "q1",\n "document": "d2"}\n'
    },
    "two objects in one line": {
        "run, jsonl": '{"query": "q1", "document": "d1", "score": 2.5} {"query": "q1", "document": "d2", "score": 2}\n'
    },
    "a key twice": {"run, jsonl": '{"query": "q1", "query": "q2", "document": "d1", "score": 2.5}\n'},
    "a line that is no object": {
        "run, jsonl": text("run, jsonl") + '["q1", "d1", 2.5]\n',
        "run, json": '[{"query": "q1", "document": "d1", "score": 2.5}, 3]',
        "run, json rows": cell('["q1", "d1", 2.5]', name="run.json"),
    },
    "a number alone": {"run, json": cell("3.5", format="json"), "run, jsonl": cell("3.5\n", format="jsonl")},
    "nested far too deeply": {"run, json": '{"q1": ' * 3000},
    "a table, column by column": {
        "run, json": json.dumps({"query": {"0": "q1"}, "document": {"0": "d1"}, "score": {"0": 2.5}})
    },
    "several runs in one": {
        "run, json": json.dumps({"bm25": RUN, "dense": RUN}),
        "run, dict": lambda: {"bm25": RUN, "dense": RUN},
        "run, frames": lambda: {"bm25": frame(ROWS), "dense": frame(ROWS)},
        "run, paths": lambda: ["bm25.run", "dense.run"],
        "judgements, dict": lambda: {"day 1": QRELS},
    },
    "queries that hold dicts and others": {
        "run, json": json.dumps({"q1": {"d1": 2.5}, "q2": ["d1"]}),
        "run, dict": lambda: {"q1": {"d1": 2.5}, "q2": ["d1"]},
        "run, lists": lambda: {"q1": ["d1"], "q2": {"d1": 2.5}},
    },
    "queries that hold one id or number": {
        "run, json": json.dumps({"q1": "d1"}),
        "run, dict": lambda: {"q1": "d1"},
        "judgements, dict": lambda: {"q1": 1},
    },
    "a request of _rank_eval as a run": {"run, _rank_eval": text("judgements, _rank_eval")},
    "a response with failures": {
        "run, _rank_eval": json.dumps(
            response(
                hit("d1"),
                failures={
                    "q2": {"error": {"type": "parsing_exception", "reason": "unknown query [macht]"}, "status": 400}
                },
            )
        )
    },
    "an error instead of a response": {
        "run, _rank_eval": json.dumps(
            {"error": {"type": "index_not_found_exception", "reason": "no such index [web]"}, "status": 404}
        )
    },
    "a response of an engine that is not known": {
        "run, json": json.dumps({"data": {"Get": {"Web": [{"_additional": {"id": "d1", "distance": 0.5}}]}}}),
    },
    "responses without queries": {"run, json": json.dumps({"responses": [{"hits": {"hits": []}}] * 2})},
    "a search that ran out of time": {
        "run, json": json.dumps({"timed_out": True, "hits": {"hits": [hit("d1")["hit"]]}})
    },
    "hits without what they need": {
        "run, _rank_eval": json.dumps({**response(), "details": {"q1": {"hits": [{"rating": 1}]}}}),
        "judgements, _rank_eval": json.dumps({"requests": [{"id": "q1", "ratings": [{"_id": "d1"}]}]}),
    },
}
SHAPES: Final[dict[str, dict[str, Any]]] = {
    "lists of different lengths": {
        "run, jsonl": lines({"query": "q1", "docs": ["d1", "d2"], "scores": [2.5]}),
        "run, parquet": written(pl.DataFrame({"query": ["q1"], "docs": [["d1", "d2"]], "scores": [[2.5]]}), "parquet"),
        "run, Polars": lambda: pl.DataFrame({"query": ["q1"], "docs": [["d1", "d2"]], "scores": [[2.5]]}),
        "run, rows": lambda: [{"query": "q1", "docs": ["d1", "d2"], "scores": [2.5]}],
        "run, columns": lambda: {"query": ["q1"], "docs": [["d1", "d2"]], "scores": [[2.5]]},
    },
    "one score for a list of documents": {
        "run, jsonl": lines({"query": "q1", "docs": ["d1", "d2"], "score": 2.5}),
        "run, Polars": lambda: pl.DataFrame({"query": ["q1"], "docs": [["d1", "d2"]], "score": [2.5]}),
    },
    "ids and records in one list": {
        "run, jsonl": lines({"query": "q1", "docs": ["d1", {"id": "d2"}]}),
        "run, records": lambda: {"q1": ["d1", {"id": "d2"}]},
    },
    "pairs and ids in one list": {
        "run, pairs": lambda: {"q1": [("d1", 2.5), "d2"]},
        "run, jsonl": lines({"query": "q1", "docs": [["d1", 2.5], "d2"]}),
    },
    "lists in lists in lists": {
        "run, Polars": lambda: pl.DataFrame({"query": ["q1"], "docs": [[["d1"]]]}),
        "run, parquet": written(pl.DataFrame({"query": ["q1"], "docs": [[["d1"]]]}), "parquet"),
    },
    "rows that may be lists of ids": {"judgements, lists": lambda: [["q1", "d1"], ["q1", "d2"]]},
    "rows of two without a query": {"run, rows": lambda: [("d1", 2.5), ("d2", 1.5)]},
    "documents without a query": {"run, list": lambda: ["d1", 5], "run, NumPy": lambda: np.array([0.5, 0.25])},
    "a set, which has no order": {
        "run, sets": lambda: {"q1": {"d1", "d2"}},
        "run, rows": lambda: {("q1", "d1"), ("q1", "d2")},
    },
    "one column of a frame": {
        "run, pandas": lambda: pd.Series([2.5], name="score"),
        "run, Polars": lambda: pl.Series("score", [2.5]),
        "judgements, pandas": lambda: pd.Series([1], name="grade"),
    },
    "an object that nobody knows": {
        "run": SimpleNamespace,
        "judgements": lambda: 42,
        "run, None": lambda: None,
        "run, rows": lambda: [SimpleNamespace(topic="q1", doc="d1", value=2.5)],
        "run, function": lambda: len,
    },
    "several files and one run": {"run": lambda: ["a.run", "b.run"], "run, tuple": lambda: ("a.run", 3)},
    "an array of two dimensions": {
        "run, NumPy": lambda: np.array([[0.9, 0.1], [0.2, 0.8]]),
        "judgements, NumPy": lambda: np.array([[1, 0, 2], [0, 1, 0]]),
    },
}
TOGETHER: Final[dict[str, dict[str, Any]]] = {
    "no query that is judged": {
        "run, dict": lambda: {"1": {"d1": 2.5}},
        "run, trec": "Q1 Q0 d1 1 2.5 bm25\n",
        "run, parquet": written(frame([(1, "d1", 2.5)]), "parquet"),
    },
    "lists without queries beside queries": {"run, lists": lambda: [["d1", "d2"], ["d3"]]},
}
SETTINGS: Final[dict[str, dict[str, Any]]] = {
    "a format that there is not": {"run": cell(text("run, csv"), name="run.csv", format="xlsx")},
    "columns of what there is not": {
        "run": cell(text("run, csv"), name="run.csv", columns={"doc": "document"}),
        "run, nameless": cell(text("run, csv"), name="run.csv", columns={"query": ""}),
    },
    "a split of what is no folder of BEIR's": {
        "judgements": cell(text("judgements, csv"), name="qrels.csv", split="dev")
    },
}
MATRIX: Final = {
    "Files": FILES,
    "Columns": COLUMNS,
    "Scores": SCORES,
    "Grades": GRADES,
    "Ids": IDS,
    "Duplicates": DUPLICATES,
    "JSON": JSON,
    "Shapes": SHAPES,
    "Together": TOGETHER,
    "Settings": SETTINGS,
}
