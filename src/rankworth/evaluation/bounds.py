"""How low and how high means could be: over all orders of tied documents, or all grades of unjudged ones."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

from rankworth.evaluation.aggregation import Column, Mask
from rankworth.io.validate import IdKinds

Varied = Literal["ties", "unjudged"]
"""What bounds are taken over: orders of tied documents, or grades of unjudged ones."""


class Bound(NamedTuple):
    """How low and how high a value or mean could be, and its expectation; NaN where that is not known."""

    low: float
    expected: float
    high: float


@dataclass(frozen=True, eq=False)
class MeanBounds(Mapping[str, Bound]):
    """Bounds of the means, by the name of each measure.

    Attributes:
        by: what is varied.
        assumption: what is assumed of these, as a sentence.
        notes: which measures have no bounds, and why.
        columns: by measure the lowest, the expected and the highest values as they are averaged.
        kinds: whether ids of queries came as integers.

    """

    by: Varied
    assumption: str
    notes: tuple[str, ...]
    columns: Mapping[str, tuple[Column, Column, Column]]
    kinds: IdKinds

    def __getitem__(self, measure: str) -> Bound:
        """The bounds of the mean of a measure, by the name that it was asked for by."""
        return Bound(*(column.mean for column in self.columns[measure]))

    def __iter__(self) -> Iterator[str]:
        """The names of the measures."""
        return iter(self.columns)

    def __len__(self) -> int:
        """How many measures there are."""
        return len(self.columns)

    def per_query(self, measure: str) -> dict[Any, Bound]:
        """The bounds of the value of each query."""
        columns = self.columns[measure]
        there = columns[0].there
        rows = zip(*(column.values[there].tolist() for column in columns), strict=True)
        ids = self.kinds.back("query", columns[0].standing.of(there))
        return {query: Bound(*row) for query, row in zip(ids, rows, strict=True)}

    def part(self, rows: Mapping[int, Mask]) -> "MeanBounds":
        """The bounds of some queries alone: `[Q]` by the standing that they are in."""
        parts = {}
        for name, columns in self.columns.items():
            low, expected, high = (column.part(rows[id(column.standing)]) for column in columns)
            parts[name] = low, expected, high
        return replace(self, columns=parts)
