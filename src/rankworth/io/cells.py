"""Several documents in one cell of a table: ids between separators, or a list as it is written in JSON or in Python."""

import ast
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from rankworth.errors import InputError, shortened
from rankworth.io.layout import NUMBER

Where = Callable[[int], str]
"""Says where a row stands."""
SEPARATORS: Final = (" ", ",", ";", "|")
"""what stands between ids, as messages propose it"""


def split(columns: Mapping[str, Sequence[Any]], separator: str, where: Where) -> dict[str, list[Any]] | None:
    """Return the columns split into lists of documents and their numbers; None if no cell is split.

    Cells that are written as lists, `[706, 372]`, are lists where all documents are and no single number stands beside
    one; others are taken apart only where a separator is said.

    Args:
        columns: `document`, and what stands beside it.
        separator: what stands between ids in a cell; a blank stands for any number of them. Empty where nobody says.
        where: where each row stands.

    Raises:
        InputError: `input-type`, `missing-value`.

    """
    first = next((item for item in columns["document"] if item is not None), None)
    if separator and isinstance(first, list | tuple | dict):
        text = f"{where(0)}: separator={separator!r}, and the documents stand in lists already"
        raise InputError("frame-columns", text, remedy="leave separator out")
    if not isinstance(first, str) or not (separator or _are_lists(columns)):
        return None
    several: dict[str, list[Any]] = {}
    for role, cells in columns.items():
        is_document = role == "document"
        if role in ("query", "subtopic") or not (is_document or any(_is_several(cell, separator) for cell in cells)):
            several[role] = list(cells)
        else:
            several[role] = [
                _listed(cell, separator, f"{where(row)}: the {role}") if isinstance(cell, str | None) else cell
                for row, cell in enumerate(cells)
            ]
    return several


def trimmed(items: Sequence[Any]) -> list[Any]:
    """Return the items of a row with a column for each rank, without those that are missing at its end.

    >>> trimmed(["d1", None, "d2", None])
    ['d1', None, 'd2']
    """
    length = max((rank for rank, item in enumerate(items, 1) if item is not None), default=0)
    return list(items[:length])


def repeated(items: Sequence[Any], counts: list[int]) -> list[Any]:
    """Repeat each item as often as its list has documents."""
    return [item for item, count in zip(items, counts, strict=True) for _ in range(count)]


def is_written(cell: object) -> bool:
    """Return whether a cell is written as a list."""
    return isinstance(cell, str) and cell.lstrip().startswith("[") and cell.rstrip().endswith("]")


def separator_in(cell: object) -> str:
    """Return the separator of ids in a cell, or an empty text for a single id."""
    return next((sign for sign in SEPARATORS if isinstance(cell, str) and sign in cell.strip()), "")


def _are_lists(columns: Mapping[str, Sequence[Any]]) -> bool:
    """Return whether all documents are written as lists, and no number beside them belongs to a single document."""
    beside = [cells for role, cells in columns.items() if role not in ("query", "subtopic", "document")]
    are_written = all(cell is None or is_written(cell) for cell in columns["document"])
    return are_written and not any(is_number(cell) for cells in beside for cell in cells)


def is_number(cell: object) -> bool:
    """Return whether a cell is a single number, or one as text."""
    return bool(NUMBER.fullmatch(cell.strip())) if isinstance(cell, str) else isinstance(cell, float | int)


def _is_several(cell: object, separator: str) -> bool:
    return is_written(cell) or (bool(separator) and isinstance(cell, str) and separator in cell.strip())


def _listed(cell: str | None, separator: str, where: str) -> list[Any]:
    """Split one cell into its items; an empty cell has none."""
    bare = (cell or "").strip()
    if is_written(bare):
        for read in (json.loads, ast.literal_eval):
            try:
                items = read(bare)
            except (ValueError, SyntaxError, RecursionError, MemoryError):
                continue
            return list(items)
        if not separator:
            text = f"{where} {shortened(bare)!r} begins as a list and is none of JSON"
            raise InputError("input-type", text, remedy='write it as JSON does: ["d1", "d2"]')
        bare = bare[1:-1]
    if separator == " " or not bare:
        return bare.split()
    items = [item.strip() for item in bare.split(separator)]
    items = items[:-1] if not items[-1] else items
    if "" in items:
        remedy = "remove it, or fill it in"
        text = f"{where} {shortened(bare)!r} has nothing between two separators"
        raise InputError("missing-value", text, remedy=remedy)
    return items
