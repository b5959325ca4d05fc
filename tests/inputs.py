"""Every way to hand judgements and a run in: what programs hold, frames of all libraries, files of all formats."""

import bz2
import csv
import dataclasses
import gzip
import importlib
import importlib.util
import io
import itertools
import json
import lzma
import os
import sqlite3
import sys
import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType, SimpleNamespace
from typing import Any, Final, NamedTuple

import duckdb
import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import feather, ipc

import rankworth as rw

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

Dicts = Mapping[str, Mapping[str, float]]
Rows = list[tuple[str, str, float]]


class Way(NamedTuple):
    """A way to hand judgements or a run in."""

    make: Callable[[Dicts, str, Path], object]
    """the source of dicts, with the name of their numbers (`grade` or `score`) and a path that a file may take"""
    only: str = ""
    """`grade` or `score`: what it can hold, where it is one of both"""
    holds: Callable[[str], bool] = bool
    """whether it can hold an id"""
    listed: bool = False
    """whether the order of the documents of a query ranks them"""
    scored: bool = True
    """whether it holds the scores, not only the order of the documents"""
    columns: Mapping[str, str] = MappingProxyType({})
    """how columns are called, where that has to be said"""
    reads: str = ""
    """what it reads from that only one source can have at a time"""
    needs: str = ""
    """a library that only the tests need"""

    def fits(self, value: str, ids: Iterable[str]) -> bool:
        """Whether it can hold grades or scores of these ids, here: not every environment has all libraries."""
        is_here = not self.needs or importlib.util.find_spec(self.needs) is not None
        return is_here and self.only in ("", value) and all(map(self.holds, ids))


def rows_of(dicts: Dicts) -> Rows:
    """The rows of dicts."""
    return [(query, document, number) for query, inner in dicts.items() for document, number in inner.items()]


def columns_of(dicts: Dicts, names: Iterable[str]) -> dict[str, list[Any]]:
    """The columns of dicts."""
    return dict(zip(names, map(list, zip(*rows_of(dicts), strict=True)), strict=True))


def run_lines(rows: Rows) -> list[str]:
    """The lines of a run file."""
    return [f"{query} Q0 {document} {rank} {score!r} bm25" for rank, (query, document, score) in enumerate(rows)]


def qrels_lines(rows: Rows) -> list[str]:
    """The lines of a file of judgements."""
    return [f"{query} 0 {document} {grade!r}" for query, document, grade in rows]


def text_of(lines: list[str]) -> bytes:
    """Lines as the content of a file."""
    return "".join(line + "\n" for line in lines).encode()


def without_null(text: str) -> bool:
    """Whether an id fits where text ends at a null byte."""
    return "\0" not in text


def is_word(text: str) -> bool:
    """Whether an id fits between blanks."""
    return without_null(text) and text.split() == [text] and not text.startswith(("#", "\ufeff")) and text.isprintable()


def is_cell(text: str) -> bool:
    """Whether an id fits into a quoted cell of a table."""
    return without_null(text) and bool(text.strip(" \t")) and "\r" not in text and not text.startswith("\ufeff")


# What programs hold


class Named(NamedTuple):
    """A row with names and one field more."""

    document: str
    query: str
    text: str
    score: float


@dataclasses.dataclass(slots=True)
class Slotted:
    """A row with slots."""

    qid: str
    docno: str
    score: float


@dataclasses.dataclass
class Plain:
    """A row with attributes."""

    topic: str
    pid: str
    prediction: float


class Computed:
    """A row whose attributes are computed."""

    def __init__(self, *parts: Any) -> None:
        """Keep the parts."""
        self._parts = parts

    @property
    def query(self) -> str:
        """The query."""
        return str(self._parts[0])

    @property
    def document(self) -> str:
        """The document."""
        return str(self._parts[1])

    @property
    def score(self) -> float:
        """The score."""
        return float(self._parts[2])


class Keyed:
    """Stands in for what clients of search engines and of databases return: like a dict, and none."""

    def __init__(self, dicts: Mapping[str, Any]) -> None:
        """Keep the dict."""
        self._dicts = dicts

    def keys(self) -> Any:
        """The keys."""
        return self._dicts.keys()

    def __getitem__(self, key: str) -> Any:
        return self._dicts[key]


def named(dicts: Dicts, value: str) -> list[dict[str, Any]]:
    """Rows that are dicts."""
    return [{"query_id": query, "doc_id": document, value: number} for query, document, number in rows_of(dicts)]


def table(dicts: Dicts, value: str) -> dict[str, list[Any]]:
    """Columns by their names."""
    return columns_of(dicts, ("query", "document", value))


def structured(dicts: Dicts, value: str) -> np.ndarray[Any, Any]:
    """An array of NumPy with named fields."""
    return np.array(rows_of(dicts), dtype=[("query", "O"), ("document", "O"), (value, ">f8")])


def database(dicts: Dicts, value: str, *, names: bool) -> Iterator[Any]:
    """The rows of a query of SQLite."""
    base = sqlite3.connect(":memory:")
    base.execute(f"create table run (query text, document text, {value} real)")
    base.executemany("insert into run values (?, ?, ?)", rows_of(dicts))
    base.row_factory = sqlite3.Row if names else None
    yield from base.execute(f"select {f'{value}, document, query' if names else '*'} from run")  # noqa: S608 - our own words
    base.close()


def scored(*row: Any) -> Any:
    """A document with its score as ir_measures has it."""
    return importlib.import_module("ir_measures").ScoredDoc(*row)


def judged(*row: Any) -> Any:
    """A judgement as ir_measures has it."""
    return importlib.import_module("ir_measures").Qrel(*row)


def data_set(columns: dict[str, list[Any]]) -> Any:
    """A data set of Hugging Face."""
    return importlib.import_module("datasets").Dataset.from_dict(columns)


def part_of_data_set(columns: dict[str, list[Any]]) -> Any:
    """All rows of a data set but one more, from the last one on."""
    whole = data_set({name: [column[0], *column] for name, column in columns.items()})
    return whole.select(range(len(whole) - 1, 0, -1))


def by_query(dicts: Dicts) -> dict[str, list[tuple[str, float]]]:
    """The documents of each query with their numbers."""
    return {query: list(inner.items()) for query, inner in dicts.items()}


def ranks(dicts: Dicts) -> list[tuple[str, str, int]]:
    """Rows with the rank of each document, the last one of a query first."""
    rows = [(query, document, rank) for query, inner in dicts.items() for rank, document in enumerate(inner, 1)]
    return rows[::-1]


PROGRAMS: Final = {
    "dicts": Way(lambda dicts, *_: dicts),
    "other mappings": Way(
        lambda dicts, *_: defaultdict(dict, {query: MappingProxyType(inner) for query, inner in dicts.items()})
    ),
    "what has keys": Way(lambda dicts, *_: Keyed(dicts)),
    "tuples": Way(lambda dicts, *_: rows_of(dicts)),
    "a tuple of tuples": Way(lambda dicts, *_: tuple(rows_of(dicts))),
    "a set of tuples": Way(lambda dicts, *_: set(rows_of(dicts))),
    "an iterator of tuples": Way(lambda dicts, *_: iter(rows_of(dicts))),
    "lists with numbers": Way(lambda dicts, *_: [list(row) for row in rows_of(dicts)]),
    "an array of objects": Way(lambda dicts, *_: np.array([list(row) for row in rows_of(dicts)], dtype=object)),
    "namedtuples": Way(lambda dicts, *_: [Named(d, q, "text", s) for q, d, s in rows_of(dicts)], "score"),
    "ScoredDoc of ir_measures": Way(
        lambda dicts, *_: (scored(*row) for row in rows_of(dicts)), "score", needs="ir_measures"
    ),
    "Qrel of ir_measures": Way(
        lambda dicts, *_: (judged(*row) for row in rows_of(dicts)), "grade", needs="ir_measures"
    ),
    "of ir_datasets": Way(
        lambda dicts, *_: [
            importlib.import_module("ir_datasets").formats.GenericScoredDoc(*row) for row in rows_of(dicts)
        ],
        "score",
        needs="ir_datasets",
    ),
    "itertuples of pandas": Way(lambda dicts, value, _: pd.DataFrame(table(dicts, value)).itertuples()),
    "iterrows of pandas": Way(lambda dicts, value, _: (row for _, row in pd.DataFrame(table(dicts, value)).iterrows())),
    "rows of Polars": Way(lambda dicts, value, _: pl.DataFrame(table(dicts, value)).iter_rows(named=True)),
    "dataclasses": Way(lambda dicts, *_: [Plain(*row) for row in rows_of(dicts)], "score"),
    "dataclasses with slots": Way(lambda dicts, *_: [Slotted(*row) for row in rows_of(dicts)], "score"),
    "computed attributes": Way(lambda dicts, *_: [Computed(*row) for row in rows_of(dicts)], "score"),
    "attributes": Way(lambda dicts, value, _: [SimpleNamespace(**row) for row in named(dicts, value)]),
    "rows that are dicts": Way(lambda dicts, value, _: named(dicts, value)),
    "rows with text": Way(lambda dicts, value, _: [{"text": 1, **row} for row in named(dicts, value)]),
    "rows in any order": Way(
        lambda dicts, value, _: [
            dict(itertools.islice(itertools.cycle(row.items()), number % 3, number % 3 + 3))
            for number, row in enumerate(named(dicts, value))
        ]
    ),
    "a database": Way(lambda dicts, value, _: database(dicts, value, names=False), holds=without_null),
    "a database with names": Way(lambda dicts, value, _: database(dicts, value, names=True), holds=without_null),
    "columns": Way(lambda dicts, value, _: table(dicts, value)),
    "arrays by column": Way(
        lambda dicts, value, _: {name: np.array(column, dtype=object) for name, column in table(dicts, value).items()}
    ),
    "pairs of ids as keys": Way(lambda dicts, *_: {(q, d): s for q, d, s in rows_of(dicts)}),
    "a structured array": Way(lambda dicts, value, _: structured(dicts, value)),
    "a record array": Way(lambda dicts, value, _: structured(dicts, value).view(np.recarray)),
    "records": Way(lambda dicts, value, _: list(structured(dicts, value))),
    "a data set": Way(lambda dicts, value, _: data_set(table(dicts, value)), needs="datasets"),
    "a data set as a stream": Way(
        lambda dicts, value, _: data_set(table(dicts, value)).to_iterable_dataset(), needs="datasets"
    ),
    "a part of a data set": Way(lambda dicts, value, _: part_of_data_set(table(dicts, value)), needs="datasets"),
    "batches of Arrow": Way(lambda dicts, value, _: pa.table(table(dicts, value)).to_batches(max_chunksize=2)),
    "an array of structs": Way(lambda dicts, value, _: pa.table(table(dicts, value)).to_struct_array()),
    "frames": Way(lambda dicts, value, _: (pd.DataFrame([row]) for row in named(dicts, value))),
    "parts of a frame": Way(lambda dicts, value, _: list(pl.DataFrame(table(dicts, value)).iter_slices(2))),
}
"""what programs hold whose order is none"""
LISTS: Final = {
    "pairs by query": Way(lambda dicts, *_: by_query(dicts), listed=True),
    "lists of two by query": Way(
        lambda dicts, *_: {query: [list(pair) for pair in pairs] for query, pairs in by_query(dicts).items()},
        only="score",
        listed=True,
    ),
    "lists of two with grades": Way(
        lambda dicts, *_: {query: [list(pair) for pair in pairs] for query, pairs in by_query(dicts).items()},
        only="grade",
        listed=True,
        columns={"document": "0", "grade": "1"},
    ),
    "iterators by query": Way(
        lambda dicts, *_: {query: iter(pairs) for query, pairs in by_query(dicts).items()}, listed=True
    ),
    "records by query": Way(
        lambda dicts, value, _: {
            query: [{"id": document, value: number} for document, number in pairs]
            for query, pairs in by_query(dicts).items()
        },
        listed=True,
    ),
    "scored documents by query": Way(
        lambda dicts, *_: {
            query: [scored(query, document, score) for document, score in pairs]
            for query, pairs in by_query(dicts).items()
        },
        "score",
        listed=True,
        needs="ir_measures",
    ),
    "ranks": Way(
        lambda dicts, *_: [SimpleNamespace(query=query, document=one, rank=rank) for query, one, rank in ranks(dicts)],
        "score",
        listed=True,
        scored=False,
    ),
    "ranks by query": Way(
        lambda dicts, *_: {
            query: [{"docno": document, "rank": rank} for rank, document in enumerate(inner, 1)]
            for query, inner in dicts.items()
        },
        "score",
        listed=True,
        scored=False,
    ),
    "rows with lists": Way(
        lambda dicts, value, _: [
            {"query": query, "documents": list(inner), value + "s": list(inner.values())}
            for query, inner in dicts.items()
        ],
        listed=True,
    ),
    "rows with pairs": Way(
        lambda dicts, *_: [{"query": query, "documents": pairs} for query, pairs in by_query(dicts).items()],
        listed=True,
    ),
    "rows with lists of records": Way(
        lambda dicts, value, _: [
            {"query": query, "documents": [{"sku": document, value: number} for document, number in pairs]}
            for query, pairs in by_query(dicts).items()
        ],
        listed=True,
        columns={"document": "sku"},
    ),
    "ids by query": Way(
        lambda dicts, *_: {query: list(inner) for query, inner in dicts.items()}, "score", listed=True, scored=False
    ),
    "pairs of ids": Way(
        lambda dicts, *_: [(query, document) for query, document, _ in rows_of(dicts)],
        "score",
        listed=True,
        scored=False,
    ),
    "rows with lists of ids": Way(
        lambda dicts, *_: [{"query": query, "documents": list(inner)} for query, inner in dicts.items()],
        "score",
        listed=True,
        scored=False,
    ),
}
"""what programs hold whose order ranks the documents of a query"""


# Frames


class OnlyArrow:
    """Something that no library knows, but that speaks Arrow."""

    def __init__(self, columns: dict[str, list[Any]]) -> None:
        """Hold the columns."""
        self._table = pa.table(columns)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Hand them out."""
        return self._table.__arrow_c_stream__(requested_schema)


ENGINE: Final = duckdb.connect()


def relation(columns: dict[str, list[Any]]) -> Any:
    """A relation of DuckDB."""
    return ENGINE.from_arrow(pa.table(columns))


FRAMES: Final[dict[str, Callable[[dict[str, list[Any]]], Any]]] = {
    "Polars": pl.DataFrame,
    "Polars, lazy": pl.LazyFrame,
    "Polars, categorical": lambda columns: pl.DataFrame(columns).with_columns(pl.col(pl.String).cast(pl.Categorical)),
    "Polars, enum": lambda columns: pl.DataFrame(columns).with_columns(
        pl.col(name).cast(pl.Enum(sorted(set(columns[name])))) for name in list(columns)[:2]
    ),
    "pandas": pd.DataFrame,
    "pandas, objects": lambda columns: pd.DataFrame(columns).astype(object),
    "pandas, categorical": lambda columns: pd.DataFrame(columns).astype(dict.fromkeys(list(columns)[:2], "category")),
    "pandas, odd index": lambda columns: pd.DataFrame(columns, index=range(7, 7 + len(next(iter(columns.values()))))),
    "PyArrow": pa.table,
    "PyArrow, chunks": lambda columns: pa.concat_tables([pa.table(columns).slice(0, 2), pa.table(columns).slice(2)]),
    "DuckDB": relation,
    "only Arrow": OnlyArrow,
    "an Arrow stream": lambda columns: pa.table(columns).to_reader(),
    "narwhals": lambda columns: nw.from_native(pd.DataFrame(columns)),
    "narwhals, lazy": lambda columns: nw.from_native(relation(columns)),
}


def framed(make: Callable[[dict[str, list[Any]]], Any]) -> Way:
    """A way of frames."""
    return Way(lambda dicts, value, _: make(table(dicts, value)))


def ours(dicts: Dicts, value: str) -> Any:
    """The object of this package."""
    return rw.Run(dicts) if value == "score" else rw.Qrels(dicts)


OBJECTS: Final = {
    "Qrels and Run": Way(lambda dicts, value, _: ours(dicts, value)),
    **{
        f"a frame of {library} from Qrels and Run": Way(
            lambda dicts, value, _, library=library: ours(dicts, value).to_frame(library)
        )
        for library in ("polars", "pandas", "pyarrow")
    },
}


# Files of text


def spaced(separators: list[str], *, before: str = "", after: str = "") -> Callable[[list[str]], bytes]:
    """Rewrite lines with other separators, in turn."""

    def write(lines: list[str]) -> bytes:
        texts = []
        for line in lines:
            words = iter(separators * 6)
            texts.append(before + "".join(next(words) + word for word in line.split(" "))[len(separators[0]) :] + after)
        return text_of(texts)

    return write


def commented(lines: list[str]) -> bytes:
    """Put comments and empty lines everywhere, also one that looks like six columns."""
    noise = ["# made by hand", "", "#1 Q0 d 1 9.9 t", "   ", "\t# indented", "#"]
    return text_of(noise + [text for line in lines for text in (line, *noise)])


TREC: Final[dict[str, Callable[[list[str]], bytes]]] = {
    "plain": text_of,
    "no newline at the end": lambda lines: text_of(lines)[:-1],
    "tabs": spaced(["\t"]),
    "many blanks": spaced(["  ", "     "]),
    "blanks and tabs": spaced([" ", "\t", " \t ", "\t\t"]),
    "one tab among blanks": spaced([" ", " ", "\t", " ", " "]),
    "blanks around": spaced([" "], before="  ", after=" "),
    "tabs around": spaced(["\t"], before="\t", after="\t\t"),
    "other white space": spaced([" \v", "\f", "\r"]),
    "CR LF": lambda lines: text_of(lines).replace(b"\n", b"\r\n"),
    "CR LF, none at the end": lambda lines: text_of(lines).replace(b"\n", b"\r\n")[:-2],
    "CR at the end": lambda lines: text_of(lines)[:-1] + b"\r",
    "CR LF in some lines": lambda lines: text_of(lines).replace(b"\n", b"\r\n", 3),
    "tabs and CR LF": lambda lines: spaced(["\t"])(lines).replace(b"\n", b"\r\n"),
    "byte order mark": lambda lines: b"\xef\xbb\xbf" + text_of(lines),
    "byte order mark and CR LF": lambda lines: b"\xef\xbb\xbf" + text_of(lines).replace(b"\n", b"\r\n"),
    "byte order mark and blanks": lambda lines: b"\xef\xbb\xbf" + spaced(["  "])(lines),
    "byte order marks of joined files": lambda lines: (
        b"\xef\xbb\xbf" + text_of(lines).replace(b"\n", b"\n\xef\xbb\xbf", len(lines) - 1)
    ),
    "comments and empty lines": commented,
    "tidy comments": lambda lines: text_of([f"#{lines[-1]}", *lines[:2], f"#{lines[0]}", *lines[2:]]),
    "a comment with tabs first": lambda lines: b"#query\tdocument\n" + text_of(lines),
    "comments, CR LF": lambda lines: commented(lines).replace(b"\n", b"\r\n"),
}
"""how lines of TREC may be written"""
PACKERS: Final[dict[str, Callable[[bytes], bytes]]] = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstd": zstd.compress,
}


def trec(dicts: Dicts, value: str) -> list[str]:
    """Lines of TREC."""
    return (run_lines if value == "score" else qrels_lines)(rows_of(dicts))


def file(content: Callable[[Dicts, str], bytes], suffix: str = "", **how: Any) -> Way:
    """A way of files with this content."""

    def write(dicts: Dicts, value: str, path: Path) -> Path:
        path = path.with_name(path.name + suffix)
        path.write_bytes(content(dicts, value))
        return path

    return Way(write, **how)


def packed(pack: Callable[[bytes], bytes], parts: int) -> Callable[[Dicts, str], bytes]:
    """Lines of TREC, compressed in parts."""

    def content(dicts: Dicts, value: str) -> bytes:
        text = text_of(trec(dicts, value))
        cuts = [len(text) * part // parts for part in range(parts + 1)]
        return b"".join(pack(text[start:end]) for start, end in itertools.pairwise(cuts))

    return content


def in_parts(dicts: Dicts, value: str, path: Path) -> str:
    """A pattern of files, one for each query."""
    path.mkdir(exist_ok=True)
    for before in path.iterdir():
        before.unlink()
    for number, (query, inner) in enumerate(dicts.items()):
        (path / f"{number:02}.txt").write_bytes(text_of(trec({query: inner}, value)))
    return f"{path}/*.txt"


def named_pipe(pack: Callable[[bytes], bytes]) -> Way:
    """A way of pipes that have names, which a thread writes into."""

    def make(dicts: Dicts, value: str, path: Path) -> Path:
        path.unlink(missing_ok=True)
        os.mkfifo(path)
        threading.Thread(target=path.write_bytes, args=[pack(text_of(trec(dicts, value)))], daemon=True).start()
        return path

    return Way(make, holds=is_word)


def standard_input(pack: Callable[[bytes], bytes]) -> Way:
    """A way of what is piped into a program."""

    def make(dicts: Dicts, value: str, _: Path) -> str:
        sys.stdin = io.TextIOWrapper(io.BytesIO(pack(text_of(trec(dicts, value)))))
        return "-"

    return Way(make, holds=is_word, reads="standard input")


def delimited(*, quoting: Any = csv.QUOTE_ALL, suffix: str = "", columns: Iterable[str] = (), **how: Any) -> Way:
    """A way of tables of text as Python writes them."""

    def content(dicts: Dicts, value: str) -> bytes:
        text = io.StringIO(newline="")
        csv.writer(text, **how).writerow(columns or ("query", "document", value))
        csv.writer(text, quoting=quoting, **how).writerows(rows_of(dicts))
        return text.getvalue().encode()

    return file(content, suffix, holds=is_cell if quoting == csv.QUOTE_ALL else is_word)


def json_lines(objects: Callable[[Dicts, str], Iterable[object]], **how: Any) -> Way:
    """A way of lines of JSON."""
    return file(lambda dicts, value: text_of([json.dumps(each) for each in objects(dicts, value)]), **how)


TEXTS: Final = {
    **{
        f"lines of TREC, {shape}": file(lambda dicts, value, write=write: write(trec(dicts, value)), holds=is_word)
        for shape, write in TREC.items()
    },
    **{
        f"{packer} in {parts} parts": file(packed(pack, parts), holds=is_word)
        for packer, pack in PACKERS.items()
        for parts in (1, 3)
    },
    "a suffix that lies": file(lambda dicts, value: text_of(trec(dicts, value)), ".run.gz", holds=is_word),
    "a path as text": Way(
        lambda dicts, value, path: str(TEXTS["lines of TREC, plain"].make(dicts, value, path)), holds=is_word
    ),
    "a file for each query": Way(in_parts, holds=is_word),
    "a named pipe": named_pipe(bytes),
    "a named pipe, gzip": named_pipe(gzip.compress),
    "standard input": standard_input(bytes),
    **{f"standard input, {packer}": standard_input(pack) for packer, pack in PACKERS.items()},
    **{f"a table with {delimiter!r}": delimited(delimiter=delimiter) for delimiter in ",;|\t"},
    "a table with few quotes": delimited(quoting=csv.QUOTE_MINIMAL),
    "a table with quoted texts": delimited(quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n"),
    "a compressed table": file(
        lambda dicts, value: gzip.compress(
            "\n".join([f"query,document,{value}", *(",".join(map(str, row)) for row in rows_of(dicts))]).encode()
        ),
        holds=is_word,
    ),
    "rows of learning to rank": file(
        lambda dicts, _: text_of(
            [f"{grade!r} qid:{query} 1:0.5 # {document}" for query, document, grade in rows_of(dicts)]
        ),
        only="grade",
        holds=is_word,
    ),
    "JSON of dicts": file(lambda dicts, _: json.dumps(dicts).encode()),
    "JSON of dicts, indented": file(lambda dicts, _: json.dumps(dicts, indent=2, ensure_ascii=False).encode()),
    "JSON of rows": file(lambda dicts, value: json.dumps(named(dicts, value)).encode()),
    "JSON of pairs": file(lambda dicts, _: json.dumps(by_query(dicts)).encode(), only="score", listed=True),
    "JSON of pairs with grades": file(
        *(lambda dicts, _: json.dumps(by_query(dicts)).encode(),),
        only="grade",
        listed=True,
        columns={"document": "0", "grade": "1"},
    ),
    "JSON of lists": file(
        lambda dicts, _: json.dumps({query: list(inner) for query, inner in dicts.items()}).encode(),
        only="score",
        listed=True,
        scored=False,
    ),
    "lines of JSON": json_lines(named),
    "lines of JSON with dicts": json_lines(
        lambda dicts, _: ({"query": query, "documents": inner} for query, inner in dicts.items())
    ),
    "lines of JSON with lists": json_lines(
        lambda dicts, value: (
            {"query": query, "documents": list(inner), f"{value}s": list(inner.values())}
            for query, inner in dicts.items()
        ),
        listed=True,
    ),
    "lines of JSON with lists of records": json_lines(
        lambda dicts, value: (
            {"query": query, "results": [{"id": document, value: number} for document, number in inner.items()]}
            for query, inner in dicts.items()
        ),
        listed=True,
    ),
}


# Files of columns

Writer = Callable[[pl.DataFrame, Path], object]


def to_ipc(path: Path, arrow: pa.Table, *, stream: bool, **options: Any) -> None:
    """Write with PyArrow, some rows in each batch."""
    opened = (ipc.new_stream if stream else ipc.new_file)(path, arrow.schema, options=ipc.IpcWriteOptions(**options))
    with opened as writer:
        writer.write_table(arrow, max_chunksize=3)


PARQUET: Final[dict[str, Writer]] = {
    "Polars": lambda frame, path: frame.write_parquet(path),
    "row groups": lambda frame, path: frame.write_parquet(path, row_group_size=2, data_page_size=8),
    "not packed": lambda frame, path: frame.write_parquet(path, compression="uncompressed", statistics=False),
    "PyArrow": lambda frame, path: pq.write_table(frame.to_arrow(), path),
    "Parquet 1.0": lambda frame, path: pq.write_table(frame.to_arrow(), path, version="1.0", use_dictionary=False),
    "data pages 2": lambda frame, path: pq.write_table(
        frame.to_arrow(), path, data_page_version="2.0", compression="brotli", row_group_size=3
    ),
}
ARROW: Final[dict[str, Writer]] = {
    "Arrow file": lambda frame, path: frame.write_ipc(path),
    "batches": lambda frame, path: to_ipc(path, frame.to_arrow(), stream=False),
    "zstd": lambda frame, path: to_ipc(path, frame.to_arrow(), stream=False, compression="zstd"),
    "Feather": lambda frame, path: feather.write_feather(frame.to_arrow(), str(path)),
    "views": lambda frame, path: frame.write_ipc(path, compat_level=pl.CompatLevel.newest()),
    "no views": lambda frame, path: frame.write_ipc(path, compat_level=pl.CompatLevel.oldest()),
    "stream": lambda frame, path: frame.write_ipc_stream(path),
    "stream of batches": lambda frame, path: to_ipc(path, frame.to_arrow(), stream=True),
    "stream, lz4": lambda frame, path: to_ipc(path, frame.to_arrow(), stream=True, compression="lz4"),
}
WRITERS: Final = PARQUET | ARROW


def frame_of(dicts: Dicts, value: str) -> pl.DataFrame:
    """Rows as a frame."""
    return pl.DataFrame(
        rows_of(dicts), schema={"query": pl.String, "document": pl.String, value: pl.Float64}, orient="row"
    )


def with_lists(dicts: Dicts, value: str) -> pl.DataFrame:
    """A row for each query, with lists side by side."""
    return frame_of(dicts, value).group_by("query", maintain_order=True).agg("document", value)


def with_records(dicts: Dicts, value: str) -> pl.DataFrame:
    """A row for each query, with a list of records."""
    rows = frame_of(dicts, value).group_by("query", maintain_order=True)
    return rows.agg(results=pl.struct(item_id="document", **{value: pl.col(value)}))


TABLES: Final[dict[str, Callable[[Dicts, str], pl.DataFrame]]] = {
    "rows": frame_of,
    "lists": with_lists,
    "records": with_records,
}
"""how the columns of a table may hold documents"""


def columnar(write: Writer, shape: str) -> Way:
    """A way of files of columns."""

    def make(dicts: Dicts, value: str, path: Path) -> Path:
        write(TABLES[shape](dicts, value), path)
        return path

    return Way(make, listed=shape != "rows")


COLUMNAR: Final = {
    f"{writer}, {shape}": columnar(write, shape) for writer, write in WRITERS.items() for shape in TABLES
} | {
    f"DuckDB, {shape}": Way(
        lambda dicts, value, _, shape=shape: ENGINE.from_arrow(TABLES[shape](dicts, value).to_arrow()), listed=True
    )
    for shape in ("lists", "records")
}

WAYS: Final[dict[str, Way]] = (
    PROGRAMS | LISTS | {name: framed(make) for name, make in FRAMES.items()} | OBJECTS | TEXTS | COLUMNAR
)
"""every way, by its name"""
