"""Queries: lists of their ids in a text file, and tables of what they say and what else is known of them."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any, Final

from rankworth.errors import InputError, counted, quoted
from rankworth.io.lines import latin1, numbered, with_lf
from rankworth.io.source import Source
from rankworth.tables.frames import to_library

Value = str | int | float | None
"""What a column holds: text or numbers, and None where there is nothing."""

_NUMBER: Final = re.compile(r"-?(0|[1-9][0-9]{0,17})(\.[0-9]+)?(e[+-]?[0-9]+)?", re.IGNORECASE)
"""a number that no id looks like: without zeros in front of it"""


def read(path: str) -> list[str]:
    """The ids of a file in its order; empty lines and lines that start with `#` are skipped.

    Raises:
        InputError: `missing-file` and its like, `binary-file`, `line-ends`, `endless-line`, `wrong-encoding`,
            `empty-input`.

    """
    source = Source(path)
    ids = [_id(line.strip(), source, number) for number, line in numbered(source)]
    ids = [text for text in ids if not text.startswith("#")]
    if not ids:
        problem = f"{source.name}: there is no query id in it"
        raise InputError("empty-input", problem, remedy="write one id in each line")
    return ids


def _id(line: bytes, source: Source, number: int) -> str:
    """A line as text."""
    if b"\r" in line:
        text = f"{source.name}:{number}: a CR stands within this line; is it the end of one?"
        raise InputError("line-ends", text, remedy=with_lf(source))
    try:
        return line.decode()
    except UnicodeDecodeError as error:
        text = f"{source.name}:{number}: this is not UTF-8 ({error.reason})"
        raise InputError("wrong-encoding", text, remedy=latin1(source)) from None


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


def typed(values: Sequence[Value]) -> tuple[Value, ...]:
    """A column: numbers where all values are numbers or texts that read as such, otherwise text."""
    numbers = [_number(value) for value in values]
    if any(number is None and value is not None for number, value in zip(numbers, values, strict=True)):
        return tuple(None if value is None else str(value) for value in values)
    if all(number is None or isinstance(number, int) for number in numbers):
        return tuple(numbers)
    return tuple(None if number is None else float(number) for number in numbers)


def _number(value: Value) -> int | float | None:
    """A value as a number; None where it is none."""
    if isinstance(value, str):
        if not _NUMBER.fullmatch(value):
            return None
        value = int(value) if value.removeprefix("-").isdigit() else float(value)
        return value if math.isfinite(value) else None
    return value
