"""Whole JSON documents: a dict of dicts, a dict of lists, a list of objects, a request or a response of _rank_eval.

A document is parsed at once; its queries are let go of as they are handed out.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from rankworth.errors import InputError, quoted
from rankworth.io import search_response, validate
from rankworth.io.columns import chosen, is_header, unjudged
from rankworth.io.json_rows import Rows, Spread, shown
from rankworth.io.json_text import has_each_key_once, parsed, repeated
from rankworth.io.lines import MARK, RUN, Layout
from rankworth.io.source import Progress, Source

if TYPE_CHECKING:
    from rankworth.io.reading import Reading

BATCH: Final = 1 << 18
_HEAD: Final = 1 << 12
_TEXT: Final = rb'"(?:[^"\\]|\\.)*+"\s*'
_DICTS: Final = re.compile(rb"\s*\{\s*" + _TEXT + rb":\s*\{\s*" + _TEXT + rb":\s*-?[0-9]")
"""how a dict of dicts begins"""


def batches(
    source: Source, layout: Layout, reading: "Reading", progress: Progress | None = None
) -> Iterator[pl.DataFrame]:
    """The documents in batches, in file order.

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
    if form == "rank_eval":
        yield from search_response.batches(document, layout, reading, name)
    elif form == "queries":
        yield from _of_queries(document, layout, reading, name)
    elif form:
        yield from _of_rows(document if form == "rows" else [document], layout, reading, name)
    else:
        problem = f"{name}: this is {shown(document)}, neither an object nor a list"
        raise InputError("input-type", problem, remedy=f"as in {{query: {{document: {layout.value}}}}}")


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


# What a document is


def is_row(value: object) -> bool:
    """Whether this is an object with something besides lists and objects, as the ids and numbers of a row are."""
    if not isinstance(value, dict) or search_response.is_known(value):
        return False
    return not all(isinstance(item, dict | list) for item in value.values())


def _form_of(document: object, reading: "Reading") -> str:
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
    said = f"the key {quoted(way[-1:])} stands twice in one object"
    if form == "queries" and len(way) == 1:
        said = f"query {quoted(way)} stands there twice"
    elif form == "queries" and len(way) == 2:  # noqa: PLR2004 - query and document
        said = f"query {quoted(way[:1])} {layout.verb} document {quoted(way[1:])} twice"
    elif form == "rows":
        said = f"row {int(way[0]) + 1}: {said}"
    slug = "frame-columns" if (form, len(way)) in (("rows", 2), ("row", 1)) else layout.repeated
    raise InputError(slug, f"{name}: {said}", remedy="keep one of them")


def _refuse_columns(document: Mapping[str, Any], layout: Layout, reading: "Reading", name: str) -> None:
    """Refuse a table that stands there column by column: its names would pass for queries."""
    try:
        chosen(list(document), layout.value, name, reading.columns)
    except InputError:
        return
    text = f"{name}: this looks like a table, column by column: {quoted(document, 8)}"
    remedy = 'write it row by row, as pandas does: frame.to_json(path, orient="records")'
    raise InputError("input-type", text, remedy=remedy)


# Its rows


def _of_rows(rows: list[Any], layout: Layout, reading: "Reading", name: str) -> Iterator[pl.DataFrame]:
    """Rows, or queries with lists, each of which is an object."""
    for row, each in enumerate(rows, 1):
        if not isinstance(each, dict):
            text = f"{name}: item {row} of the list is {shown(each)}, not an object"
            remedy = "a list holds objects, one for each document or one for each query"
            raise InputError("input-type", text, remedy=remedy)
    table = Rows(layout, reading)
    height = 0
    for start in range(0, len(rows), BATCH):
        frame = table.frame(rows[start : start + BATCH], lambda row, first=start + 1: f"{name}: row {first + row}")  # type: ignore[misc]
        height += frame.height
        yield frame
    if not height:
        raise InputError("empty-input", f"{name}: {'all lists are' if rows else 'the list is'} empty")


def _of_queries(document: dict[str, Any], layout: Layout, reading: "Reading", name: str) -> Iterator[pl.DataFrame]:
    """A list or a dict of documents for each query."""
    if not document:
        raise InputError("empty-input", f"{name}: there are no queries in it")
    first = type(next(iter(document.values())))
    for query, each in document.items():
        if type(each) is not first or not isinstance(each, dict | list):
            others = f"; those before hold {first.__name__}s" if type(each) is not first else ""
            text = f"{name}: query {quoted([query])} holds {shown(each)}{others}"
            raise InputError("input-type", text, remedy=f"a dict of dicts is {{query: {{document: {layout.value}}}}}")
    _refuse_columns(document, layout, reading, name)
    if first is dict:
        _check_dicts(document, layout, reading, name)
    table = Rows(layout, reading)
    height = 0
    for queries in _groups(document):
        parts = [document.pop(query) for query in queries]
        if first is dict:
            frame = _of_dicts(queries, parts, layout, name)
        else:
            rows = [{"query": query, "documents": part} for query, part in zip(queries, parts, strict=True)]
            frame = table.frame(rows, lambda row, some=queries: f"{name}: query {quoted([some[row]])}")  # type: ignore[misc]
        height += frame.height
        yield frame
    if not height:
        raise InputError("empty-input", f"{name}: all lists are empty")


def _check_dicts(document: dict[str, Any], layout: Layout, reading: "Reading", name: str) -> None:
    """Refuse dicts of dicts that hold something else, or nothing."""
    if any(reading.columns.values()):
        text = f"{name}: this is a dict of dicts, whose keys are queries and documents; no column has a name"
        raise InputError("frame-columns", text, remedy="leave columns out")
    if layout is RUN:
        reading.orders.agree("score", name)
    try:
        validate.dicts(document, layout.value, name)
    except InputError as error:
        remedy = "write each of them into a file of its own" if error.slug == "nested-runs" else error.remedy
        raise InputError(error.slug, *error.problems, remedy=remedy) from None


def _groups(document: Mapping[str, Any]) -> Iterator[list[str]]:
    """The queries in order, as many at a time as make a batch."""
    group: list[str] = []
    held = 0
    for query, length in [(query, len(each)) for query, each in document.items()]:
        group.append(query)
        held += length
        if held >= BATCH:
            yield group
            group, held = [], 0
    if group:
        yield group


def _of_dicts(queries: list[str], parts: list[dict[str, Any]], layout: Layout, name: str) -> pl.DataFrame:
    """The documents of some queries; the dicts are checked as far as that costs nothing for each document."""
    if layout is not RUN and not all(parts):
        raise unjudged(name, queries[parts.index({})])
    spread = Spread(list(map(len, parts)), lambda row: queries[row])
    count, blanks = sum(spread.counts), layout is not RUN
    values = validate.values(parts, count, layout.value, queries, name=name, show=shown, blanks=blanks)
    documents = pl.Series("document", list(chain.from_iterable(parts)), dtype=pl.String)
    return pl.DataFrame([spread.over(pl.Series("query", queries)), documents, pl.Series(layout.value, values)])
