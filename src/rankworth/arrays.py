"""Flat arrays of NumPy: their types, positions of several ranges, and the grades of all judged documents of queries."""

from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def expand(starts: Integers, lengths: Integers) -> Integers:
    """List all places of several ranges, one after the other.

    >>> expand(np.array([10, 20]), np.array([2, 3])).tolist()
    [10, 11, 20, 21, 22]
    """
    ends = np.cumsum(lengths)
    places: Integers = np.arange(ends[-1] if ends.size else 0) + np.repeat(starts - (ends - lengths), lengths)
    return places


def padded(offsets: Integers, queries: Integers) -> tuple[Integers, NDArray[np.bool_]]:
    """Return `[Q, H]` each: for each query the places of its rows, side by side, and which of them are real."""
    starts = offsets[queries]
    lengths = offsets[queries + 1] - starts
    step = np.arange(int(lengths.max()) if lengths.size else 0)
    return starts[:, None] + step, step < lengths[:, None]


@dataclass(frozen=True, eq=False)
class Pool:
    """The grades of all judged documents of each query, best first, and what follows from them alone."""

    offsets: Integers = field(repr=False)
    """`[Q + 1]`: the judged documents of query `i` are `offsets[i]` to `offsets[i + 1]`"""
    grades: Floats
    """`[N]`"""
    remembered: dict[Hashable, Any] = field(default_factory=dict, repr=False)
    """what was computed of the block of all queries"""

    @classmethod
    def of(cls, query: Integers, grades: Floats, queries: int) -> "Pool":
        """Build the pool of grades in any order.

        Args:
            query: `[N]`, the query of each.
            grades: `[N]`.
            queries: how many there are.

        """
        counts = np.bincount(query, minlength=queries)
        return cls(np.concatenate(([0], np.cumsum(counts))), grades[np.lexsort((-grades, query))])

    @cached_property
    def lengths(self) -> Integers:
        """`[Q]`: the number of judged documents."""
        return np.diff(self.offsets)

    @cached_property
    def query(self) -> Integers:
        """`[N]`: the query of each grade."""
        return np.repeat(np.arange(self.offsets.size - 1), self.lengths)

    @cached_property
    def lowest(self) -> float:
        """The lowest grade; 0 where there is none."""
        return float(self.grades.min()) if self.grades.size else 0.0

    @cached_property
    def highest(self) -> float:
        """The highest grade; 0 where there is none."""
        return float(self.grades.max()) if self.grades.size else 0.0

    @cached_property
    def relevant(self) -> NDArray[np.bool_]:
        """`[Q]`: whether there is a grade above 0."""
        return self._have(self.grades > 0)

    @cached_property
    def negative(self) -> NDArray[np.bool_]:
        """`[Q]`: whether all grades are negative."""
        return ~self._have(self.grades >= 0)

    @cached_property
    def nonzero(self) -> NDArray[np.bool_]:
        """`[Q]`: whether the grades do not add up to 0."""
        return np.bincount(self.query, weights=self.grades, minlength=self.lengths.size).astype(bool)

    def _have(self, grades: NDArray[np.bool_]) -> NDArray[np.bool_]:
        return np.bincount(self.query[grades], minlength=self.lengths.size).astype(bool)

    def block(self, queries: Integers) -> tuple[Floats, NDArray[np.bool_]]:
        """Return `[Q, P]` each: the grades of some queries side by side, 0 behind them, and which are real."""
        rows, is_real = padded(self.offsets, queries)
        return np.where(is_real, self.grades.take(rows, mode="clip"), 0.0), is_real

    @cached_property
    def padded(self) -> tuple[Floats, NDArray[np.bool_]]:
        """The block of all queries."""
        return self.block(np.arange(self.lengths.size))

    def __eq__(self, other: object) -> bool:
        """Return whether the grades of each query are equal."""
        if self is other or not isinstance(other, Pool):
            return self is other
        return np.array_equal(self.offsets, other.offsets) and np.array_equal(self.grades, other.grades)

    __hash__ = None  # type: ignore[assignment]
