"""The table of queries: what each says, and what else is known of it."""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any, Final

from rankworth.errors import InputError, counted, quoted
from rankworth.io.metadata.columns import Row
from rankworth.tables.frames import to_library

Value = str | int | float | None
"""What a column holds: text or numbers, and None where there is nothing."""

_NUMBER: Final = re.compile(r"-?(0|[1-9][0-9]{0,17})(\.[0-9]+)?(e[+-]?[0-9]+)?", re.IGNORECASE)
"""a number that no id looks like: without zeros in front of it"""


@dataclass(frozen=True)
class QueryTable:
    """What queries say, and further columns such as their language or how often they are asked.

    Attributes:
        texts: what each query says, by its id; empty where nothing tells.
        columns: the further columns, with a value for each query in the same order. A column in which all values are
            numbers holds numbers, any other holds text; None where there is no value.
        name: where the table comes from.

    """

    texts: dict[str, str]
    columns: Mapping[str, Sequence[Value]] = field(default_factory=dict)
    name: str = field(default="the queries", compare=False)

    @property
    def ids(self) -> tuple[str, ...]:
        """The queries in the order of the table."""
        return tuple(self.texts)

    def column(self, name: str) -> dict[str, Value]:
        """The values of a column by query.

        Raises:
            InputError: `frame-columns` where there is no such column.

        """
        if name not in self.columns:
            near = get_close_matches(name, self.columns, 1)
            has = f"the columns are {quoted(self.columns, 8)}" if self.columns else "it has ids and texts only"
            text = f"{self.name}: there is no column {quoted([name])}; {has}"
            raise InputError("frame-columns", text, remedy=f"was {near[0]} meant?" if near else "")
        return dict(zip(self.texts, self.columns[name], strict=True))

    def to_frame(self, library: str = "polars") -> Any:  # noqa: ANN401 - the library's own frame
        """The table with the columns `query` and `text` and all others.

        Args:
            library: `polars`, `pandas` or `pyarrow`.

        Raises:
            UsageError: `missing-library`, `unknown-setting`.

        """
        first = {"query": list(self.texts), "text": list(self.texts.values())}
        return to_library(first | {name: list(values) for name, values in self.columns.items()}, library)

    def __len__(self) -> int:
        """How many queries there are."""
        return len(self.texts)

    def __contains__(self, query: object) -> bool:
        """Whether the table knows a query."""
        return query in self.texts

    def __iter__(self) -> Iterator[str]:
        """The ids."""
        return iter(self.texts)

    def __repr__(self) -> str:
        """Say what is in it."""
        more = f"; columns: {', '.join(self.columns)}" if self.columns else ""
        return f"QueryTable({counted(len(self))}{more})"


def gathered(rows: Iterable[Row], name: str) -> QueryTable:
    """The rows as a table; one that is there twice with the same values counts once.

    Args:
        rows: what was read.
        name: where it comes from.

    Raises:
        InputError: `empty-input`; `input-type` where a query has two texts, or two values in a column.

    """
    held: dict[str, Row] = {}
    for row in rows:
        first = held.setdefault(row.id, row)
        if first.text != row.text or first.more != row.more:
            raise _two(first, row)
    if not held:
        raise InputError("empty-input", f"{name}: there is not one query")
    names = dict.fromkeys(name for row in held.values() for name in row.more)
    columns = {name: settled([row.more.get(name) for row in held.values()]) for name in names}
    return QueryTable({query: row.text for query, row in held.items()}, columns, name)


def settled(values: Sequence[Any]) -> tuple[Value, ...]:
    """A column: numbers where all values are numbers or texts that read as such, otherwise text."""
    numbers = [None if value is None else _number(value) for value in values]
    if any(number is None and value is not None for number, value in zip(numbers, values, strict=True)):
        return tuple(None if value is None else str(value) for value in values)
    if all(number is None or isinstance(number, int) for number in numbers):
        return tuple(numbers)
    return tuple(None if number is None else float(number) for number in numbers)


def _number(value: Any) -> int | float | None:  # noqa: ANN401 - whatever stands there
    """A value as a number; None where it is none."""
    if isinstance(value, str):
        if not _NUMBER.fullmatch(value):
            return None
        value = int(value) if value.removeprefix("-").isdigit() else float(value)
        return value if math.isfinite(value) else None
    return value if isinstance(value, int | float) else None


def _two(first: Row, row: Row) -> InputError:
    """The error for a query that is there twice, and not alike."""
    names = dict.fromkeys((*first.more, *row.more))
    differs = next((name for name in names if first.more.get(name) != row.more.get(name)), "")
    both = (first.text, row.text) if first.text != row.text else (first.more.get(differs), row.more.get(differs))
    what = "text" if first.text != row.text else f"{quoted([differs])}"
    shown = " and ".join(quoted([value]) for value in both)
    text = f"{row.where}: query {quoted([row.id])} is there again with another {what} (first: {first.where}): {shown}"
    return InputError("input-type", text, remedy="keep one row for each query")
