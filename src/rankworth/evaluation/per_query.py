"""The values of single queries: one row per query, one column per measure."""

from collections.abc import Mapping, Sequence
from itertools import compress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankworth.errors import counted
from rankworth.io.validate import IdKinds
from rankworth.tables import columns as tables
from rankworth.tables.columns import Kind, Sheet
from rankworth.tables.frames import FrameLibrary, to_library
from rankworth.tables.notebook import Shown

Floats = NDArray[np.float64]


def in_columns(parts: Mapping[str, Any], kinds: Mapping[str, Kind]) -> tuple[tables.Column, ...]:
    """Columns by name as those of a sheet, texts first.

    Args:
        parts: the columns: lists of texts, and arrays of numbers.
        kinds: what the columns of numbers are.

    """
    texts = [tables.Column(name, "text", part) for name, part in parts.items() if name not in kinds]
    return (
        *texts,
        *(tables.Column(name, kind, whole_counts(parts[name].tolist(), kind)) for name, kind in kinds.items()),
    )


def whole_counts(values: list[float], kind: Kind) -> list[float]:
    """Counts as whole numbers."""
    return [int(value) for value in values] if kind == "count" else values


class PerQuery(Shown):
    """One row per query, one column per measure.

    Attributes:
        ids: the queries that were scored, as text, in the order of their UTF-8 bytes.
        measures: the names that the measures were asked for by.
        array: `[Q, M]`, read-only.
        texts: facts that are texts, such as `relstring`: one for each query, by name.
        there: `[Q, M]`, where there is a value; None where every query has one by every measure.
        kinds: what each measure's values are, by name.
        groups: the group of each query, where groups were asked for.
        id_kinds: whether ids came as integers.

    """

    def __init__(
        self,
        ids: list[str],
        measures: list[str],
        array: Floats,
        texts: Mapping[str, list[str]] | None = None,
        there: NDArray[np.bool_] | None = None,
        kinds: Sequence[Kind] = (),
        groups: Sequence[str] = (),
        id_kinds: IdKinds | None = None,
    ) -> None:
        """Hold what was measured."""
        self.ids = ids
        self.id_kinds = id_kinds or IdKinds()
        self.measures = measures
        self.array = array
        self.texts = dict(texts or {})
        self.there = there
        self.groups = list(groups)
        self.kinds: dict[str, Kind] = dict(zip(measures, kinds or ["value"] * len(measures), strict=True))

    def __len__(self) -> int:
        """The number of queries."""
        return len(self.ids)

    @property
    def queries(self) -> list[Any]:
        """The ids of the queries as the judgements had them: as integers, or as text."""
        return self.id_kinds.back("query", self.ids)

    def __eq__(self, other: object) -> bool:
        """Whether there are the same values for the same queries and measures."""
        if not isinstance(other, PerQuery):
            return NotImplemented
        named = [(one.ids, one.measures, one.texts, one.groups, one.kinds) for one in (self, other)]
        return (
            named[0] == named[1]
            and np.array_equal(self.array, other.array, equal_nan=True)
            and (self.there is None) == (other.there is None)
            and (self.there is None or np.array_equal(self.there, other.there))  # type: ignore[arg-type]
        )

    __hash__ = None  # type: ignore[assignment]

    def to_dict(self) -> dict[Any, dict[str, float]]:
        """`{query: {measure: value}}`, without the values that are not there."""
        there = np.ones_like(self.array, dtype=bool) if self.there is None else self.there
        rows = zip(self.queries, self.array.tolist(), there.tolist(), strict=True)
        return {query: dict(compress(zip(self.measures, row, strict=True), known)) for query, row, known in rows}

    def to_frame(self, library: FrameLibrary = "polars") -> Any:  # noqa: ANN401 - the library's own frame
        """Columns `query`, `group` where groups were asked for, one for each measure and one for each text.

        The ids of queries are integers where the judgements had integers.

        Raises:
            UsageError: `missing-library`, `unknown-setting`.

        """
        return to_library(self.columns() | {"query": self.queries}, library)

    def columns(self) -> dict[str, Any]:
        """The columns by name, ids as text."""
        return (
            {"query": self.ids}
            | ({"group": self.groups} if self.groups else {})
            | {name: np.ascontiguousarray(self.array[:, place]) for place, name in enumerate(self.measures)}
            | self.texts
        )

    def part(self, group: str) -> "PerQuery":
        """The values of the queries of one group."""
        rows = [one == group for one in self.groups]
        kept = np.array(rows, dtype=bool)
        return PerQuery(
            list(compress(self.ids, rows)),
            self.measures,
            self.array[kept],
            {name: list(compress(texts, rows)) for name, texts in self.texts.items()},
            None if self.there is None else self.there[kept],
            list(self.kinds.values()),
            id_kinds=self.id_kinds,
        )

    def sheets(self) -> list[Sheet]:
        """One row per query, one column per measure."""
        return [Sheet(in_columns(self.columns(), self.kinds))]

    def __repr__(self) -> str:
        """Say what is in it; `to_frame` shows it."""
        return f"PerQuery({counted(len(self.queries))}, {', '.join([*self.measures, *self.texts])})"
