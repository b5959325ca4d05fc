"""The column of a run that says what documents cost, read as its scores are, with the line of each row."""

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from rankworth.errors import InputError, quoted, shortened
from rankworth.io import query_texts
from rankworth.io.item_table import ITEMS, ItemReader
from rankworth.io.lines import HEAD, first_line
from rankworth.io.source import STDIN
from rankworth.io.usual_names import SPELLINGS

if TYPE_CHECKING:
    from rankworth.model.run import Run

_WORDS: Final = re.compile(r"\w+|[^\w\s]")
"""what counts as a token of a text: a run of letters, digits and underscores, or one other sign that is no blank"""
_NO_NUMBER: Final = ("bad-score", "missing-value", "input-type")
"""what is said of a cell that is no number"""

Row = tuple[str, str, float, str]
"""query, document, cost, and where it stands"""


def rows_of(run: "Run", column: str, unit: str) -> Iterator[Row]:
    """Yield what the rows of a run cost.

    A column of numbers is read as scores are, by every format. A column of texts is counted: tokens are words and
    signs, bytes those of UTF-8.

    Args:
        run: the run.
        column: which holds the costs.
        unit: tokens, bytes or milliseconds.

    Raises:
        InputError: `bad-cost`, `one-stdin`.

    """
    if any(file.path == STDIN for file in run.files):
        raise InputError("one-stdin", "costs are read in a second pass, and standard input can be read once only")
    columns = {role: name for role, name in run.columns.items() if role not in ("score", "rank")}
    try:
        again = type(run)(run.source, run.name, format=run.format, columns={**columns, "score": column}, ids=run.ids)
        frame = pl.concat([part.select("query", "document", "score") for part in again.batches()])
    except InputError as error:
        if error.slug not in _NO_NUMBER:
            raise
        if unit == "milliseconds" or (counted := _counted(run, columns, column, unit)) is None:
            text = f"the column {column}, which says what documents cost: {error.problems[0]}"
            raise InputError("bad-cost", text, remedy="each retrieved document has a cost, a number from 0") from None
        yield from counted
        return
    lines = _lines(run, frame.height)
    for number, (query, document, cost) in enumerate(frame.iter_rows()):
        yield str(query), str(document), cost, f"{lines[number]}: " if lines else ""


def tokens(text: str) -> int:
    """Count the words and signs of a text.

    >>> tokens("What is rank-worth?")
    6
    """
    return len(_WORDS.findall(text))


def _lines(run: "Run", rows: int) -> list[str]:
    """Return where each row stands, for one file with a row in each line; nothing of others."""
    if len(run.files) != 1 or run.kept is not None:
        return []
    try:
        with open(run.files[0].path, encoding="utf-8") as file:  # noqa: PTH123 - a path of any kind
            numbers = [number for number, line in enumerate(file, 1) if line.strip()]
    except (OSError, UnicodeDecodeError, ValueError):
        return []
    numbers = numbers[1:] if len(numbers) == rows + 1 else numbers
    return [f"{run.files[0].name}:{number}" for number in numbers] if len(numbers) == rows else []


def _counted(run: "Run", columns: Mapping[str, Any], column: str, unit: str) -> list[Row] | None:
    """Count the texts of a column; None where there are none.

    Raises:
        InputError: `bad-cost`, where a row has no text.

    """
    document = columns.get("document") or _document_column(run)
    named = {"document": document} if document else {}
    queries = (columns["query"],) if "query" in columns else SPELLINGS["query"]
    try:
        rows = list(query_texts.rows_of(run.source, ItemReader(ITEMS, named)))
    except InputError:  # what the column of costs is refused for says more
        return None
    lines = _lines(run, len(rows))
    cells = [row.more.get(column) for row in rows]
    has_numbers = any(_is_number(cell) for cell in cells)
    found: list[Row] = []
    for number, (row, cell) in enumerate(zip(rows, cells, strict=True)):
        query = next((row.more[name] for name in queries if name in row.more), None)
        if query is None:
            return None
        where = f"{lines[number] if lines else row.where}: "
        if has_numbers and not _is_number(cell):
            shown = "no number" if cell is None else f"{shortened(str(cell))!r}, which is no number"
            text = f"{where}the cost of {quoted([row.id])} in {column} is {shown}"
            raise InputError("bad-cost", text, remedy="each retrieved document has a cost, a number from 0")
        if has_numbers:
            continue
        if not isinstance(cell, str):
            text = f"{where}document {quoted([row.id])} has no text in {column} whose {unit} could be counted"
            raise InputError("bad-cost", text, remedy="give it one, or its cost as a number in another column")
        cost = tokens(cell) if unit == "tokens" else len(cell.encode())
        found.append((str(query), row.id, float(cost), where))
    return found or None


def _is_number(cell: object) -> bool:
    """Return whether a cell holds a number, maybe as text."""
    try:
        float(cell)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return False
    return True


def _document_column(run: "Run") -> str:
    """Return what the header of a text calls its documents; nothing where it has no usual name for them."""
    for file in run.files[:1]:
        names = [
            name.strip(' "') for name in re.split(r"[,;\t]", first_line(file.head(HEAD)).decode("utf-8", "replace"))
        ]
        return next((name for name in names if name.lower() in SPELLINGS["document"]), "")
    return ""
