"""A table of queries: what each says, and what else is known of it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rankworth.errors import InputError, counted, quoted
from rankworth.io.usual_names import nearest
from rankworth.tables.frames import to_library

Value = str | int | float | None
"""What a column holds: text or numbers, and None where there is nothing."""


@dataclass(frozen=True)
class QueryTable:
    """What queries say, and further columns such as their language or how often they are asked.

    Attributes:
        texts: what each query says, by its id; empty where nothing tells.
        columns: the further columns, with a value for each query in the same order. A column in which all values are
            numbers holds numbers, any other holds text; None where there is no value.
        name: where the table comes from.
        orders: the values in their order, of columns of a frame that have one.

    """

    texts: dict[str, str]
    columns: Mapping[str, Sequence[Value]] = field(default_factory=dict)
    name: str = field(default="the queries", compare=False)
    orders: Mapping[str, Sequence[Value]] = field(default_factory=dict, compare=False)

    @property
    def ids(self) -> tuple[str, ...]:
        """The queries in the order of the table."""
        return tuple(self.texts)

    def column(self, name: str) -> dict[str, Value]:
        """Return the values of a column by query.

        Raises:
            InputError: `frame-columns` where there is no such column.

        """
        if name not in self.columns:
            has = f"the columns are {quoted(self.columns, 8)}" if self.columns else "it has ids and texts only"
            text = f"{self.name}: there is no column {quoted([name])}; {has}"
            near = nearest(name, self.columns)
            raise InputError("frame-columns", text, remedy=f"was {near} meant?" if near else "")
        return dict(zip(self.texts, self.columns[name], strict=True))

    def to_frame(self, library: str = "polars") -> Any:  # noqa: ANN401 - the library's own frame
        """Return the table as a frame with the columns `query` and `text` and all others.

        Args:
            library: `polars`, `pandas` or `pyarrow`.

        Raises:
            UsageError: `missing-library`, `unknown-setting`.

        """
        first = {"query": list(self.texts), "text": list(self.texts.values())}
        return to_library(first | {name: list(values) for name, values in self.columns.items()}, library)

    def __len__(self) -> int:
        """Count the queries."""
        return len(self.texts)

    def __contains__(self, query: object) -> bool:
        """Return whether the table knows a query."""
        return query in self.texts

    def __iter__(self) -> Iterator[str]:
        """Iterate over the ids."""
        return iter(self.texts)

    def __repr__(self) -> str:
        """Show the number of queries, and the columns."""
        more = f"; columns: {', '.join(self.columns)}" if self.columns else ""
        return f"QueryTable({counted(len(self))}{more})"
