"""Confusion tables of two judges, one for each query: counts of pairs of grades, without the cells that are empty."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Self

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Compute = Callable[[Floats], Floats]
"""From tables `[b, C, C]` to numbers `[b, S]`."""

_CELLS: Final = 1 << 21
"""how many cells are held as whole tables at a time"""
_COUNTED: Final = 1 << 24
"""up to so many cells, empty ones included, are counted without sorting"""


@dataclass(frozen=True, eq=False)
class Tables:
    """The confusion tables `[Q, C, C]`: a row for each grade of the first judge, a column for each of the second.

    Attributes:
        owner: `[K]`, the query of each cell that is not empty, in order.
        cell: `[K]`, its place in the table, row by row.
        count: `[K]`, how many pairs it has.
        queries: Q.
        size: C.

    """

    owner: Integers
    cell: Integers
    count: Floats
    queries: int
    size: int

    @classmethod
    def of(cls, owner: Integers, first: Integers, second: Integers, queries: int, size: int) -> Self:
        """Count pairs.

        Args:
            owner: `[N]`, the query of each pair.
            first: `[N]`, the place of the first judge's grade among the grades.
            second: `[N]`, that of the second judge's.
            queries: how many there are.
            size: how many grades there are.

        >>> Tables.of(np.array([0, 0, 1]), np.array([0, 0, 1]), np.array([1, 1, 0]), 2, 2).total().tolist()
        [[0.0, 2.0], [1.0, 0.0]]
        """
        key = (owner * size + first) * size + second
        if queries * size**2 <= max(_COUNTED, len(key)):
            counts = np.bincount(key, minlength=1)
            found = np.flatnonzero(counts)
            counts = counts[found]
        else:
            found, counts = np.unique(key, return_counts=True)
        return cls(found // size**2, found % size**2, counts.astype(np.float64), queries, size)

    @cached_property
    def pairs(self) -> Floats:
        """`[Q]`: how many pairs each query has."""
        return np.bincount(self.owner, weights=self.count, minlength=self.queries).astype(np.float64)

    def total(self) -> Floats:
        """`[C, C]`: the table of all queries together."""
        cells = np.bincount(self.cell, weights=self.count, minlength=self.size**2).astype(np.float64)
        return cells.reshape(self.size, self.size)

    def only(self, kept: NDArray[np.bool_]) -> "Tables":
        """Some of the queries.

        Args:
            kept: `[Q]`, which.

        """
        there = kept[self.owner]
        numbers = np.cumsum(kept) - 1
        owner = numbers[self.owner[there]]
        return Tables(owner, self.cell[there], self.count[there], int(kept.sum()), self.size)

    def of_each(self, compute: Compute) -> Floats:
        """`[Q, S]`: what a function makes of the table of each query."""
        return np.concatenate([compute(block) for block in self._blocks()])

    def without_each(self, compute: Compute) -> Floats:
        """`[Q, S]`: what a function makes of the table of all other queries."""
        total = self.total()
        return np.concatenate([compute(total - block) for block in self._blocks()])

    def of_samples(self, compute: Compute, times: Floats) -> Floats:
        """`[b, S]`: what a function makes of the tables of samples of queries.

        Args:
            compute: the function.
            times: `[b, Q]`, how often each sample has each query.

        """
        step = self._step
        parts = []
        for start in range(0, len(times), step):
            tables = np.ascontiguousarray((self._matrix @ times[start : start + step].T).T)
            parts.append(compute(tables.reshape(-1, self.size, self.size)))
        return np.concatenate(parts)

    @property
    def _step(self) -> int:
        return max(1, _CELLS // self.size**2)

    @cached_property
    def _matrix(self) -> "csr_array[Any, tuple[int, int]]":
        """`[C * C, Q]`."""
        from scipy.sparse import csr_array  # noqa: PLC0415 - costs more than small inputs

        return csr_array((self.count, (self.cell, self.owner)), shape=(self.size**2, self.queries))

    def _blocks(self) -> Iterator[Floats]:
        """The tables of some queries at a time, `[b, C, C]`."""
        for start in range(0, self.queries, self._step):
            end = min(start + self._step, self.queries)
            low, high = np.searchsorted(self.owner, (start, end))
            places = (self.owner[low:high] - start) * self.size**2 + self.cell[low:high]
            block = np.zeros((end - start) * self.size**2)
            block[places] = self.count[low:high]
            yield block.reshape(end - start, self.size, self.size)
