"""Lines that hold a query and its documents, as many as it has: `user item item item`, as LightGCN's data sets have it.

Tabs, commas, semicolons, bars or blanks stand between them. In a run the documents stand best first; in judgements all
of them have grade 1. A query without documents is one that nobody answered or judged, and has no row.
"""

import csv
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Final

import numpy as np
import polars as pl

from rankworth.errors import InputError, quoted
from rankworth.io.facts import Lists
from rankworth.io.layout import RUN, Layout
from rankworth.io.lines import HEAD, decoded, first_line, numbered
from rankworth.io.plain_lines import list_separator
from rankworth.io.source import Source

if TYPE_CHECKING:
    from rankworth.io.facts import Observed
    from rankworth.io.options import Reading

BATCH: Final = 1 << 18
"""how many documents are handed out at a time"""
LONGEST: Final = 32 << 20
"""how many bytes a line may have"""
_CHUNK: Final = 1 << 20
_USED: Final = ("query", "document", "documents", "separator")
_EVERY: Final = "*"


def batches(source: Source, layout: Layout, reading: "Reading", observed: "Observed") -> Iterator[pl.DataFrame]:
    """Yield a row for each document, in file order.

    Args:
        source: where the bytes come from.
        layout: `RUN` or `QRELS`.
        reading: what the user says of the file: the number of the cell with the query, 1 by default, and the separator.
        observed: gets to know the facts.

    Raises:
        InputError: `frame-columns`, `missing-value`, and as `rankworth.io.lines.numbered`.

    """
    cell = _cell_of_query(source, reading)
    separator = reading.columns.get("separator", "") or list_separator(first_line(source.head(HEAD)))
    if layout is RUN:
        observed.agree("order", source.name, Lists())
    split = _splitter(separator)
    queries: list[str] = []
    lists: list[list[str]] = []
    places: list[int] = []
    for number, line in numbered(source, _CHUNK, LONGEST):
        if line.startswith(b"#") and b"\t" not in line:
            continue
        cells = split(decoded(source, line.rstrip(b"\r"), number))
        query = cells.pop(cell) if cell < len(cells) else ""
        documents = [document for document in cells if document]
        if not query:
            text = f"{source.name}:{number}: there is no query in cell {cell + 1}"
            raise InputError("missing-value", text, remedy="drop or fill such lines")
        queries.append(query)
        lists.append(documents)
        places.append(number)
        if len(places) * 8 > BATCH or sum(map(len, lists[-1:])) > BATCH:
            yield _frame(source, layout, observed, queries, lists, places)
            queries, lists, places = [], [], []
    if places:
        yield _frame(source, layout, observed, queries, lists, places)


def _frame(
    source: Source,
    layout: Layout,
    observed: "Observed",
    queries: Sequence[str],
    lists: Sequence[Sequence[str]],
    places: Sequence[int],
) -> pl.DataFrame:
    """Make a row for each document of some lines."""
    lengths = np.fromiter(map(len, lists), np.int64, len(lists))
    if layout is RUN:
        observed.refuse_repeated(queries, lambda row: f"{source.name}:{places[row]}")
        ends = np.repeat(np.cumsum(lengths), lengths)
        value = np.arange(int(lengths.sum())) - (ends - np.repeat(lengths, lengths)) + 1.0
        value = -value
    else:
        value = np.ones(int(lengths.sum()))
    query = pl.Series("query", list(queries), dtype=pl.String).gather(np.repeat(np.arange(len(lists)), lengths))
    documents = pl.Series("document", list(chain(*lists)), dtype=pl.String)
    return pl.DataFrame([query, documents, pl.Series(layout.value, value, dtype=pl.Float64)])


def _cell_of_query(source: Source, reading: "Reading") -> int:
    """Return which cell holds the query, counted from 0.

    Raises:
        InputError: `frame-columns` where anything else is said of the columns.

    """
    said = {role: name for role, name in reading.columns.items() if name}
    documents = said.get("documents", said.get("document", _EVERY))
    query = said.get("query", "1")
    if unused := [f"{role}={name}" for role, name in said.items() if role not in _USED]:
        text = f"{source.name}: each line is a query with its documents, and has no column for {quoted(unused)}"
        raise InputError("frame-columns", text, remedy="leave that out")
    if documents != _EVERY or not query.isdecimal() or query == "0":
        text = f"{source.name}: each line is a query with its documents, in columns without names"
        remedy = f"query=NUMBER 'document={_EVERY}' tells which cell is the query"
        raise InputError("frame-columns", text, remedy=remedy)
    return int(query) - 1


def _splitter(separator: str) -> Callable[[str], list[str]]:
    """Return what splits a line into cells without blanks around them."""
    if not separator.strip(" "):
        return str.split
    return partial(_cells, separator=separator)


def _cells(line: str, separator: str) -> list[str]:
    parts = (
        next(csv.reader([line], delimiter=separator)) if '"' in line and len(separator) == 1 else line.split(separator)
    )
    return [part.strip() for part in parts]
