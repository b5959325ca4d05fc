"""Rows that Python programs have, brought to a frame, some hundred thousand at a time."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, Final

import polars as pl

from rankworth.errors import InputError, quoted
from rankworth.io import frames, validate
from rankworth.io.programs import rankings
from rankworth.io.programs.fields import Asked, Reader, is_several
from rankworth.io.programs.rankings import Scored
from rankworth.io.reading import Lists
from rankworth.tables.frames import of_texts

_TRIPLE: Final = 3


def read(rows: Iterator[Any], asked: Asked, names: Sequence[str] = ()) -> pl.DataFrame | Scored:
    """All rows in one frame, or in dicts by query where each row holds the documents of a query as a list.

    Args:
        rows: gone through once; counted from 0 in messages.
        asked: what is to be read.
        names: the names of the fields, where the rows do not have them.

    Raises:
        InputError: `empty-input`, `frame-columns`, `input-type`, `id-type`, `missing-value`, `bad-score`, `bad-grade`.

    """
    some = list(islice(rows, frames.BATCH))
    if not some:
        raise InputError("empty-input", f"{asked.name}: there is not one row")
    reader = Reader(some[0], asked, names=names)
    guesses = _Guesses(reader)
    parts: list[pl.DataFrame] = []
    first = 0
    while some:
        items = reader.columns(some, first)
        if not parts and is_several(items["document"][0]):
            return _of_lists(reader, [*some, *rows], asked)
        guesses.look(items)
        for what in ("query", "document"):
            asked.kinds.meet(what, items[what])
        parts.append(frame(items, asked, first))
        first += len(some)
        some = list(islice(rows, frames.BATCH))
    whole = pl.concat(parts)
    guesses.refuse(whole)
    return whole


def frame(items: Mapping[str, Sequence[Any]], asked: Asked, first: int = 0) -> pl.DataFrame:
    """Some rows as a frame.

    Args:
        items: what stands in each column: `query`, `document`, and what else is known.
        asked: what is to be read.
        first: the number of the first of them.

    Raises:
        InputError: `id-type`, `missing-value`, `bad-score`, `bad-grade`.

    """
    columns: dict[str, Any] = {}
    for what, column in items.items():

        def where(place: int, what: str = what) -> str:
            return f"{asked.name}: row {place + first}: the {what}"

        if what in ("score", "rank", "distance", "grade"):
            columns[asked.value] = validate.numbers(column, what, where)
        elif what == "subtopic" and None in column:
            named = (item if item is None else validate.text(item, where(place)) for place, item in enumerate(column))
            columns[what] = of_texts(what, list(named), asked.name, first)
        else:
            columns[what] = of_texts(what, validate.texts(column, where), asked.name, first)
    if asked.value not in columns:
        columns[asked.value] = rankings.by_order(len(items["query"]), asked.value, first)
    return pl.DataFrame(columns, schema_overrides={asked.value: pl.Float64})


def _of_lists(reader: Reader, rows: list[Any], asked: Asked) -> pl.DataFrame | Scored:
    """Rows that hold the documents of a query as a list, with a list of values or without."""
    value, name = asked.value, asked.name
    columns = reader.columns(rows)
    queries = validate.texts(columns["query"], lambda place: f"{name}: row {place}: the query")
    if len(set(queries)) < len(queries):
        again = next(place for place, query in enumerate(queries) if query in queries[:place])
        text = f"{name}: row {again} lists documents of query {quoted([queries[again]])} again"
        raise InputError("input-type", text, remedy="put all documents of a query into one row")
    others = set(columns) - {"query", "document", value}
    if others:
        text = f"{name}: a row with a list of documents has one of {value}s, and no {quoted(others)}"
        raise InputError("input-type", text, remedy=f"leave {quoted(others)} out, or give a row for each document")
    lists = columns["document"]
    asked.orders.agree("order", name, Lists(reader.scores))
    if value in columns:
        lists = [
            _pairs(*both, value, f"{name}: row {row}")
            for row, both in enumerate(zip(lists, columns[value], strict=True))
        ]
    return rankings.read(dict(zip(columns["query"], lists, strict=True)), replace(asked, columns=reader.unused))


def _pairs(documents: Any, values: Any, value: str, where: str) -> list[tuple[Any, Any]]:  # noqa: ANN401 - lists or not
    if not is_several(documents) or not is_several(values) or len(documents) != len(values):
        shown = f"{validate.shown(documents)} and {validate.shown(values)}"
        text = f"{where} holds, as documents and {value}s, {shown}"
        raise InputError("input-type", text, remedy=f"give two lists of the same length, a {value} for each document")
    return list(zip(documents, values, strict=True))


class _Guesses:
    """Refuses rows without names that may mean something else: documents with scores, or ranks instead of scores."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.integers = set(reader.fields) if reader.by_place else set()
        self.pairs = reader.by_place and len(reader.fields) < _TRIPLE

    def look(self, items: dict[str, list[Any]]) -> None:
        """Look at some rows before they are converted."""
        self.integers &= {what for what in self.integers if set(map(type, items[what])) == {int}}
        if self.pairs and any(isinstance(item, float) for item in items["document"]):
            raise self._no_pairs()

    def refuse(self, frame: pl.DataFrame) -> None:
        """Look at all rows."""
        if self.pairs:
            if "document" in self.integers and frame["query"].n_unique() == frame.height:
                raise self._no_pairs()
        elif "score" in self.integers:
            place = pl.int_range(pl.len()).over("query")
            ranks = [pl.col("score").eq(place + first).all().alias(str(first)) for first in (0, 1)]
            if frame["query"].n_unique() < frame.height and any(frame.select(ranks).row(0)):
                raise validate.like_ranks(self.reader.name)

    def _no_pairs(self) -> InputError:
        value = self.reader.value
        return InputError(
            "input-type",
            f"{self.reader.name}: the rows may be (query, document) as well as (document, {value})",
            remedy=f"give (query, document, {value}), or for one query {{'q1': [(document, {value}), ...]}}",
        )
