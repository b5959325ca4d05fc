"""Spans of sources: a source, its first character and that after the last one, as one id, and what is wrong with any.

A span is the document of a row, and its id tells it whole: `handbook.md:90-120`.
"""

import re
from collections.abc import Callable, Sequence
from typing import Any, Final

from rankworth.errors import InputError
from rankworth.io import validate
from rankworth.io.layout import SPAN

_ID: Final = re.compile(r"(.+):([0-9]+)-([0-9]+)", re.DOTALL)
_DIGITS: Final = re.compile(r"-?[0-9]+")
_REMEDY: Final = "characters are counted from 0, and end is the one after the last: 0 <= start <= end"


def id_of(source: str, start: int, end: int) -> str:
    """Return the id of a span.

    >>> id_of("handbook.md", 90, 120)
    'handbook.md:90-120'
    """
    return f"{source}:{start}-{end}"


def parsed(document: str) -> tuple[str, int, int] | None:
    """Return the span that an id tells; None where it tells none.

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


def ids(cells: Sequence[Sequence[Any]], where: Callable[[int], str], *, by_text: bool = False) -> list[str]:
    """Return the ids of spans, one for each row.

    Args:
        cells: of all rows their sources, their starts and their ends.
        where: where each row stands, as messages say it.
        by_text: whether texts stand where ends do, which tell how long each span is.

    Raises:
        InputError: `bad-span`, `missing-value`, `id-type`.

    """
    sources, starts, ends = cells
    checked = validate.text_ids(list(sources), lambda row: f"{where(row)}: the source")
    documents = []
    for row, (source, start, end) in enumerate(zip(checked, starts, ends, strict=True)):
        if not source:
            raise InputError("missing-value", f"{where(row)} has no source", remedy="name the source of each span")
        first = _position(start, "start", where, row)
        last = first + len(_text(end, where, row)) if by_text else _position(end, "end", where, row)
        if not 0 <= first <= last:
            text = "ends before it starts" if first >= 0 else "starts before its source"
            raise InputError("bad-span", f"{where(row)}: the span {first} to {last} {text}", remedy=_REMEDY)
        documents.append(id_of(source, first, last))
    return documents


def ids_of_items(items: Sequence[Any], where: Callable[[int], str]) -> list[str]:
    """Return the ids of spans that stand in lists, as `are_spans` tells them.

    Raises:
        InputError: as `ids`.

    """
    return ids([[item[cell] for item in items] for cell in range(len(SPAN))], where)


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
