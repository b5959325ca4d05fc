"""Whole JSON documents: a dict of dicts, a dict of lists, a list of objects, a request or a response of _rank_eval.

A document is parsed at once; its queries are let go of as they are handed out.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from rankworth.errors import InputError, quoted
from rankworth.io import jsonl, search_response, validate
from rankworth.io.columns import chosen, is_header, unjudged
from rankworth.io.lines import MARK, RUN, Layout
from rankworth.io.objects import syntax
from rankworth.io.objects.tables import Object, Objects, Spread, shown
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
        progress: told how far the file is read.

    Raises:
        InputError: with the first problem of the file.

    """
    text = source.whole(progress)
    if not text.removeprefix(MARK).strip():
        raise InputError("empty-input", f"{source.name}: there is nothing in it")
    try:
        document = syntax.parsed(text, source)
    except InputError:
        if not _is_lines(text):
            raise
        del text
        yield from jsonl.batches(source, layout, reading, progress)
        return
    form = _form_of(document, reading)
    _check_keys(text, document, form, layout, source.name)
    del text
    if form == "rows":
        yield from _of_objects(document, layout, reading, source.name)
    elif form == "row":
        yield from _of_objects([document], layout, reading, source.name)
    elif form == "rank_eval":
        yield from search_response.batches(document, layout, reading, source.name)
    elif form == "queries":
        yield from _of_queries(document, layout, reading, source.name)
    else:
        problem = f"{source.name}: this is {shown(document)}, neither an object nor a list"
        raise InputError("input-type", problem, remedy=f"as in {{query: {{document: {layout.value}}}}}")


def dicts(
    source: Source, layout: Layout, reading: "Reading", progress: Progress | None = None
) -> dict[str, dict[str, Any]] | None:
    """A dict of dicts, checked, without queries that have no documents; None for any other document, see `batches`.

    Args:
        source: where the bytes come from.
        layout: `RUN` or `QRELS`.
        reading: what the user says of the file.
        progress: told how far the file is read.

    Raises:
        InputError: with the first problem of the file.

    """
    if any(reading.columns.values()) or not is_dicts(source):
        return None
    text = source.whole(progress)
    try:
        document = syntax.parsed(text, source)
    except InputError:
        return None
    if _form_of(document, reading) != "queries" or not all(type(each) is dict for each in document.values()):
        return None
    _check_keys(text, document, "queries", layout, source.name)
    _check_columns(document, layout, reading, source.name)
    parts = list(document.values())
    count = sum(map(len, parts))
    validate.values(parts, count, layout.value, list(document), name=source.name, show=shown)
    return {query: each for query, each in document.items() if each} or None


def is_dicts(source: Source) -> bool:
    """Whether a file begins as a dict of dicts does."""
    return _DICTS.match(source.head(_HEAD).removeprefix(MARK)) is not None


def _form_of(document: object, reading: "Reading") -> str:
    """What a document is; nothing where it is neither an object nor a list."""
    if isinstance(document, list):
        return "rows"
    if not isinstance(document, dict):
        return ""
    if search_response.is_known(document):
        return "rank_eval"
    return "row" if jsonl.is_row(document) and is_header(list(document), reading.columns) else "queries"


def _is_lines(text: bytes) -> bool:
    """Whether the first line is a row by itself, so that others may follow."""
    first, _, rest = text.removeprefix(MARK).lstrip().partition(b"\n")
    try:
        return bool(rest.strip()) and jsonl.is_row(syntax.parsed(first, Source("")))
    except InputError:
        return False


def _check_keys(text: bytes, document: Any, form: str, layout: Layout, name: str) -> None:  # noqa: ANN401 - of JSON
    """An object has each key once: no query, and no document of a query, is there twice."""
    inner = document if form == "rows" else document.values() if form == "queries" else ()
    members = sum(len(each) for each in (document, *inner) if isinstance(each, dict))
    if syntax.has_each_key_once(text, document, members) or not (way := syntax.repeated(text, name)):
        return
    if form == "queries" and len(way) == 1:
        said = f"query {quoted(way)} stands there twice"
    elif form == "queries" and len(way) == 2:  # noqa: PLR2004 - query and document
        said = f"query {quoted(way[:1])} {layout.verb} document {quoted(way[1:])} twice"
    else:
        row = f"row {int(way[0]) + 1}: " if form == "rows" else ""
        said = f"{row}the key {quoted(way[-1:])} stands twice in one object"
    slug = "frame-columns" if (form, len(way)) in (("rows", 2), ("row", 1)) else layout.repeated
    raise InputError(slug, f"{name}: {said}", remedy="keep one of them")


def _of_objects(rows: Sequence[Any], layout: Layout, reading: "Reading", name: str) -> Iterator[pl.DataFrame]:
    """Rows, or queries with lists, each of which is an object."""
    if not rows:
        raise InputError("empty-input", f"{name}: the list is empty")
    for row, each in enumerate(rows):
        if not isinstance(each, dict):
            raise InputError(
                "input-type",
                f"{name}: item {row + 1} of the list is {shown(each)}, not an object",
                remedy="a list holds objects, one for each document or one for each query",
            )
    table = Objects(layout, reading)
    yield from _found(
        (
            table.frame(rows[start : start + BATCH], lambda row, start=start: f"{name}: row {start + row + 1}")  # type: ignore[misc]
            for start in range(0, len(rows), BATCH)
        ),
        name,
    )


def _found(frames: Iterator[pl.DataFrame], name: str) -> Iterator[pl.DataFrame]:
    """The frames that have rows; at least one."""
    height = 0
    for frame in frames:
        height += frame.height
        if frame.height:
            yield frame
    if not height:
        raise InputError("empty-input", f"{name}: all lists are empty")


def _of_queries(document: dict[str, Any], layout: Layout, reading: "Reading", name: str) -> Iterator[pl.DataFrame]:
    """A list or a dict of documents for each query."""
    if not document:
        raise InputError("empty-input", f"{name}: there are no queries in it")
    _check_form(document, layout, name)
    _check_columns(document, layout, reading, name)
    if isinstance(next(iter(document.values())), list):
        table = Objects(layout, reading)

        def frames() -> Iterator[pl.DataFrame]:
            for queries in _groups(document):
                rows: list[Object] = [{"query": query, "documents": document.pop(query)} for query in queries]
                yield table.frame(rows, lambda row, queries=queries: f"{name}: query {quoted([queries[row]])}")  # type: ignore[misc]

        yield from _found(frames(), name)
        return
    yield from _of_inner_dicts(document, layout, reading, name)


def _of_inner_dicts(document: dict[str, Any], layout: Layout, reading: "Reading", name: str) -> Iterator[pl.DataFrame]:
    """A dict of documents and numbers for each query."""
    if any(reading.columns.values()):
        text = f"{name}: this is a dict of dicts, whose keys are queries and documents; no column has a name"
        raise InputError("frame-columns", text, remedy="leave columns out")
    if layout is RUN:
        reading.orders.agree("score", name)
    try:
        validate.dicts(document, layout.value, name)
    except InputError as error:
        if error.slug != "nested-runs":
            raise
        remedy = "write each of them into a file of its own"
        raise InputError(error.slug, *error.problems, remedy=remedy) from None
    for queries in _groups(document):
        frame = _of_dicts(queries, [document.pop(query) for query in queries], layout, name)
        if frame.height:
            yield frame


def _check_form(document: Mapping[str, Any], layout: Layout, name: str) -> None:
    """All queries hold dicts, or all hold lists."""
    first = type(next(iter(document.values())))
    for query, each in document.items():
        if type(each) is not first or not isinstance(each, dict | list):
            others = f"; those before hold {first.__name__}s" if type(each) is not first else ""
            raise InputError(
                "input-type",
                f"{name}: query {quoted([query])} holds {shown(each)}{others}",
                remedy=f"a dict of dicts is {{query: {{document: {layout.value}}}}}",
            )


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
        raise unjudged(name, next(query for query, part in zip(queries, parts, strict=True) if not part))
    spread = Spread(list(map(len, parts)), lambda row: queries[row])
    values = validate.values(
        parts, sum(spread.counts), layout.value, queries, name=name, show=shown, blanks=layout is not RUN
    )
    texts = pl.Series("document", list(chain.from_iterable(parts)), dtype=pl.String)
    columns = [spread.over(pl.Series("query", queries, dtype=pl.String)), texts, pl.Series(layout.value, values)]
    return pl.DataFrame(columns)


def _check_columns(document: Mapping[str, Any], layout: Layout, reading: "Reading", name: str) -> None:
    """Refuse a table that stands there column by column: its names would pass for queries."""
    try:
        chosen(list(document), layout.value, name, reading.columns)
    except InputError:
        return
    raise InputError(
        "input-type",
        f"{name}: this looks like a table, column by column: {quoted(document, 8)}",
        remedy='write it row by row, as pandas does: frame.to_json(path, orient="records")',
    )
