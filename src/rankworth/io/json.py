"""Whole JSON documents: a dict of dicts, a dict of lists, a list of objects, a request or a response of _rank_eval."""

import re
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import polars as pl

from rankworth.errors import InputError, quoted
from rankworth.io import search_response, validate
from rankworth.io.columns import chosen, is_header, unjudged
from rankworth.io.json_text import has_each_key_once, parsed, repeated, shown
from rankworth.io.lines import MARK, RUN, Layout
from rankworth.io.records import Records, Where
from rankworth.io.source import Progress, Source

if TYPE_CHECKING:
    from rankworth.io.reading import Reading

_HEAD: Final = 1 << 12
_STRING: Final = rb'"(?:[^"\\]|\\.)*+"\s*'
_DICTS: Final = re.compile(rb"\s*\{\s*" + _STRING + rb":\s*\{\s*" + _STRING + rb":\s*-?[0-9]")
"""how a dict of dicts begins"""


def batches(
    source: Source, layout: Layout, reading: "Reading", progress: Progress | None = None
) -> Iterator[pl.DataFrame]:
    """The documents, in file order.

    Args:
        source: where the bytes come from.
        layout: `RUN` or `QRELS`.
        reading: what the user says of the file.
        progress: called with how far the file is read.

    Raises:
        InputError: with the first problem of the file.

    """
    name, text = source.name, source.whole(progress)
    if not text.removeprefix(MARK).strip():
        raise InputError("empty-input", f"{name}: there is nothing in it")
    try:
        document = parsed(text, source)
    except InputError:
        if not _is_lines(text):
            raise
        from rankworth.io import jsonl  # noqa: PLC0415 - which needs this module

        del text
        yield from jsonl.batches(source, layout, reading, progress)
        return
    form = _form_of(document, reading)
    _check_keys(text, document, form, layout, name)
    del text
    yield _frame(document, form, layout, reading, name)


def dicts(
    source: Source, layout: Layout, reading: "Reading", progress: Progress | None = None
) -> dict[str, dict[str, Any]] | None:
    """A dict of dicts, checked, without queries that have no documents; None for any other document, see `batches`.

    Args:
        source: where the bytes come from.
        layout: `RUN` or `QRELS`.
        reading: what the user says of the file.
        progress: called with how far the file is read.

    Raises:
        InputError: with the first problem of the file.

    """
    if any(reading.columns.values()) or _DICTS.match(source.head(_HEAD).removeprefix(MARK)) is None:
        return None
    text = source.whole(progress)
    try:
        document = parsed(text, source)
    except InputError:
        return None
    if _form_of(document, reading) != "queries" or not all(type(each) is dict for each in document.values()):
        return None
    _check_keys(text, document, "queries", layout, source.name)
    _refuse_columns(document, layout, reading, source.name)
    parts = list(document.values())
    validate.values(parts, sum(map(len, parts)), layout.value, list(document), name=source.name, show=shown)
    return {query: each for query, each in document.items() if each} or None


def is_row(value: object) -> bool:
    """Whether this is an object with something besides lists and objects, as the ids and numbers of a row are."""
    if not isinstance(value, dict) or search_response.is_known(value):
        return False
    return not all(isinstance(item, dict | list) for item in value.values())


def _form_of(document: Any, reading: "Reading") -> str:  # noqa: ANN401 - of JSON
    """What a document is; nothing where it is neither an object nor a list."""
    if not isinstance(document, dict):
        return "rows" if isinstance(document, list) else ""
    if search_response.is_known(document):
        return "rank_eval"
    return "row" if is_row(document) and is_header(list(document), reading.columns) else "queries"


def _is_lines(text: bytes) -> bool:
    """Whether the first line is a row by itself, so that others may follow."""
    first, _, rest = text.removeprefix(MARK).lstrip().partition(b"\n")
    try:
        return bool(rest.strip()) and is_row(parsed(first, Source("")))
    except InputError:
        return False


def _check_keys(text: bytes, document: Any, form: str, layout: Layout, name: str) -> None:  # noqa: ANN401 - of JSON
    """An object has each key once: no query, and no document of a query, is there twice."""
    inner = document if form == "rows" else document.values() if form == "queries" else ()
    members = sum(len(each) for each in (document, *inner) if isinstance(each, dict))
    if has_each_key_once(text, document, members) or not (way := repeated(text, name)):
        return
    around = [step + 1 if isinstance(step, int) else step for step in way[:-1]]
    within = f"{name}: row {around.pop(0)}" if form == "rows" else name
    within = ", ".join((within, *(f"{quoted([step])}" for step in around)))
    slug = "frame-columns" if not around and form in ("rows", "row") else layout.repeated
    raise InputError(slug, f"{within}: the key {quoted(way[-1:])} stands there twice", remedy="keep one of them")


def _refuse_columns(document: Mapping[str, Any], layout: Layout, reading: "Reading", name: str) -> None:
    """Refuse a table that stands there column by column: its names would pass for queries."""
    try:
        found = chosen(list(document), layout.value, name, reading.columns)
    except InputError:
        return
    ids = document[found["query"]]
    if layout.value not in found and isinstance(ids, dict) and all(map(validate.is_number, ids.values())):
        return  # two queries that are called so
    text = f"{name}: this looks like a table, column by column: {quoted(document, 8)}"
    remedy = 'write it row by row, as pandas does: frame.to_json(path, orient="records")'
    raise InputError("input-type", text, remedy=remedy)


def _frame(document: Any, form: str, layout: Layout, reading: "Reading", name: str) -> pl.DataFrame:  # noqa: ANN401 - of JSON
    """All documents, by what the JSON document is."""
    if not form:
        problem = f"{name}: this is {shown(document)}, neither an object nor a list"
        raise InputError("input-type", problem, remedy=f"as in {{query: {{document: {layout.value}}}}}")
    if form == "rank_eval":
        return search_response.frame(document, layout, reading.columns, reading.orders, name)
    if not document:
        raise InputError("empty-input", f"{name}: the {'list' if form == 'rows' else 'object'} is empty")
    if form != "queries":
        rows = document if form == "rows" else [document]
        if odd := next((row for row, each in enumerate(rows, 1) if not isinstance(each, dict)), 0):
            text = f"{name}: item {odd} of the list is {shown(rows[odd - 1])}, not an object"
            remedy = "a list holds objects, one for each document or one for each query"
            raise InputError("input-type", text, remedy=remedy)
        return _of_rows(rows, lambda row: f"{name}: row {row + 1}", layout, reading, name)
    queries = list(document)
    kinds = {type(each) for each in document.values()}
    if kinds not in ({dict}, {list}):
        odd = next(query for query, each in document.items() if type(each) is not dict)
        text = f"{name}: query {quoted([odd])} holds {shown(document[odd])}"
        raise InputError("input-type", text, remedy=f"all hold {{document: {layout.value}}}, or all hold lists")
    _refuse_columns(document, layout, reading, name)
    if kinds == {dict}:
        return _of_dicts(document, layout, reading, name)
    rows = [{"query": query, "documents": items} for query, items in document.items()]
    return _of_rows(rows, lambda row: f"{name}: query {quoted([queries[row]])}", layout, reading, name)


def _of_rows(rows: list[Any], where: Where, layout: Layout, reading: "Reading", name: str) -> pl.DataFrame:
    """Rows, or queries with lists."""
    frame = Records(layout, reading.columns, reading.orders, show=shown).frame(rows, where)
    if not frame.height:
        raise InputError("empty-input", f"{name}: all lists are empty")
    return frame


def _of_dicts(document: dict[str, Any], layout: Layout, reading: "Reading", name: str) -> pl.DataFrame:
    """The documents of a dict of dicts."""
    if any(reading.columns.values()):
        text = f"{name}: this is a dict of dicts, whose keys are queries and documents; no column has a name"
        raise InputError("frame-columns", text, remedy="leave columns out")
    try:
        validate.dicts(document, layout.value, name)
    except InputError as error:
        remedy = "write each of them into a file of its own" if error.slug == "nested-runs" else error.remedy
        raise InputError(error.slug, *error.problems, remedy=remedy) from None
    queries, parts = list(document), list(document.values())
    if layout is RUN:
        reading.orders.agree("score", name)
    elif not all(parts):
        raise unjudged(name, queries[parts.index({})])
    counts = list(map(len, parts))
    values = validate.values(parts, sum(counts), layout.value, queries, name=name, show=shown, blanks=layout is not RUN)
    of_each = pl.Series("query", queries, dtype=pl.String).gather(np.repeat(np.arange(len(counts)), counts))
    documents = pl.Series("document", list(chain.from_iterable(parts)), dtype=pl.String)
    return pl.DataFrame([of_each, documents, pl.Series(layout.value, values)])
