"""Spans of sources: a source, its first character and that after the last one, as one id, and what is wrong with any.

A span is the document of a row, and its id tells it whole: `handbook.md:90-120`.
"""

import re
from collections.abc import Callable, Sequence
from typing import Any, Final

from rankworth.errors import InputError
from rankworth.io import validate
from rankworth.io.layout import SPAN, SpanWay

Parsed = tuple[str, int, int]
"""A source, and the first character and that after the last one."""
_MARK: Final = "\x1f"
"""stands between where a document stands, its source and its text, until these are sought in sources"""
_ID: Final = re.compile(r"(.+):([0-9]+)-([0-9]+)", re.DOTALL)
_DIGITS: Final = re.compile(r"-?[0-9]+")
_REMEDY: Final = "characters are counted from 0, and end is the one after the last: 0 <= start <= end"


def id_of(source: str, start: int, end: int) -> str:
    """Return the id of a span.

    >>> id_of("handbook.md", 90, 120)
    'handbook.md:90-120'
    """
    return f"{source}:{start}-{end}"


def parsed(document: str) -> Parsed | None:
    """Return the span of an id, or None if the id tells no span.

    >>> parsed("handbook.md:90-120"), parsed("d17")
    (('handbook.md', 90, 120), None)
    """
    match = _ID.fullmatch(document)
    return None if match is None else (match[1], int(match[2]), int(match[3]))


def are_spans(items: Sequence[Any]) -> bool:
    """Return whether items of lists are spans: tuples of a text and two whole numbers each."""
    return bool(items) and all(
        isinstance(item, tuple)
        and len(item) == len(SPAN)
        and isinstance(item[0], str)
        and all(validate.is_integer(type(number)) for number in item[1:])
        for item in items
    )


def marked(documents: Sequence[str], where: Callable[[int], str], sources: Sequence[str] | None = None) -> list[str]:
    """Add their spans to texts, and to ids of spans, once all rows are read.

    Args:
        documents: ids of spans; texts, where sources are given.
        where: where each row stands.
        sources: of each text, empty where any source may have it.

    Raises:
        InputError: `missing-value`, where there is no text.

    >>> unmarked(marked(["red shoes"], "row {}".format, ["a.md"])[0])
    ('row 0', 'a.md', 'red shoes')
    """
    if sources is None:
        return [_MARK.join(("", where(row), document, "")) for row, document in enumerate(documents)]
    for row in (row for row, text in enumerate(documents) if not isinstance(text, str) or not text.strip()):
        remedy = "give each piece its text, or its source, start and end"
        raise InputError(
            "missing-value", f"{where(row)} has no text that could be sought in the sources", remedy=remedy
        )
    pairs = enumerate(zip(sources, documents, strict=True))
    return [_MARK.join(("", where(row), source, document)) for row, (source, document) in pairs]


def of_texts(texts: Sequence[str], where: Callable[[int], str]) -> list[str]:
    """Add their spans to texts that may stand in any source.

    Raises:
        InputError: `missing-value`, where there is no text.

    """
    return marked(texts, where, [""] * len(texts))


def unmarked(document: str) -> tuple[str, str, str] | None:
    """Return where a text stands, its source and the text, of spans their id and no text; None of anything else."""
    if not document.startswith(_MARK):
        return None
    _, where, source, text = document.split(_MARK, 3)
    return where, source, text


def ids(
    cells: Sequence[Sequence[Any]], where: Callable[[int], str], way: SpanWay = "span", *, in_sources: bool = False
) -> list[str]:
    """Return the ids of spans, one for each row.

    Args:
        cells: of all rows their sources, their starts and their ends; or their texts, and maybe their sources first.
        where: where each row stands, as messages say it.
        way: what tells the spans; of a start and a text, the text tells how long each span is.
        in_sources: whether they are sought in sources later.

    Raises:
        InputError: `bad-span`, `missing-value`, `id-type`.

    """
    if way == "text":
        *named, texts = cells
        names = named[0] if named else [None] * len(texts)
        return marked(texts, where, [validate.text(name, where(row)) if name else "" for row, name in enumerate(names)])
    sources, starts, ends = cells
    checked = validate.text_ids(list(sources), lambda row: f"{where(row)}: the source")
    documents = []
    for row, (source, start, end) in enumerate(zip(checked, starts, ends, strict=True)):
        if not source:
            raise InputError("missing-value", f"{where(row)} has no source", remedy="name the source of each span")
        first = _position(start, "start", where, row)
        last = first + len(_text(end, where, row)) if way == "span-text" else _position(end, "end", where, row)
        if not 0 <= first <= last:
            text = "ends before it starts" if first >= 0 else "starts before its source"
            raise InputError("bad-span", f"{where(row)}: the span {first} to {last} {text}", remedy=_REMEDY)
        documents.append(id_of(source, first, last))
    return marked(documents, where) if in_sources else documents


def of_items(items: Sequence[Any], where: Callable[[int], str], *, in_sources: bool = False) -> list[str] | None:
    """Return the ids of spans in lists of tuples, or None for other items.

    Args:
        items: sources with start and end; in lists that are sought in sources also pairs of a source and a text.
        where: where each stands.
        in_sources: whether they are sought in sources.

    Raises:
        InputError: as `ids`.

    """
    if are_spans(items):
        return ids(list(zip(*items, strict=True)), where, in_sources=in_sources)
    if in_sources and items and all(type(item) is tuple and set(map(type, item)) == {str} for item in items):
        return ids(list(zip(*items, strict=False)), where, "text")
    return None


def _position(cell: Any, role: str, where: Callable[[int], str], row: int) -> int:  # noqa: ANN401 - whatever stands there
    """Return a position as a whole number.

    Raises:
        InputError: `missing-value`, `bad-span`.

    """
    if cell is None or cell == "" or (isinstance(cell, float) and cell != cell):  # noqa: PLR0124 - NaN
        raise InputError("missing-value", f"{where(row)} has no {role}", remedy=f"give each span its {role}; {_REMEDY}")
    if isinstance(cell, str) and _DIGITS.fullmatch(cell.strip()):
        return int(cell)
    if not isinstance(cell, bool | str) and validate.is_number(cell, infinite=False) and cell == int(cell):
        return int(cell)
    text = f"{where(row)}: the {role} is {validate.shown(cell)}, and no whole number"
    raise InputError("bad-span", text, remedy=_REMEDY)


def _text(cell: Any, where: Callable[[int], str], row: int) -> str:  # noqa: ANN401 - whatever stands there
    """Return the text of a piece.

    Raises:
        InputError: `missing-value`.

    """
    if isinstance(cell, str):
        return cell
    text = f"{where(row)} has neither an end nor a text, which would tell it"
    raise InputError("missing-value", text, remedy="give each span its end, or its text")
