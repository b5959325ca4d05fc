"""Orders of many samples at a time: who stands above how many, and who is tied with whom."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from rankworth.statistics.samples import ROUNDING, Floats

Integers = NDArray[np.integer[Any]]
_CELLS: Final = 1 << 16
"""how many places are compared at a time: they stay in the cache"""
_SHORT: Final = 1 << 15
"""systems up to which 16 bits hold a rank"""


@dataclass(frozen=True, eq=False)
class Levels:
    """The orders of S systems in B samples, best first; numbers that rounding alone tells apart are tied.

    >>> found = Levels.of(np.array([[0.3, 0.1 + 0.2, 0.5]]))
    >>> found.order[0, 0], found.higher, found.tied, found.groups
    (np.int64(2), array([[1, 1, 0]]), array([[2, 2, 1]]), array([2]))
    """

    order: Integers
    """[B, S]: systems, best first"""
    begin: Integers
    """[B, S], place by place in that order: where the group of ties begins that is there"""
    end: Integers
    """[B, S], likewise: its last place"""

    @classmethod
    def of(cls, heights: Floats) -> Self:
        """Sort.

        Args:
            heights: [B, S], higher is better.

        """
        order = np.argsort(-heights, axis=1, kind="stable")
        sorted_ = np.take_along_axis(heights, order, axis=1)
        near = ROUNDING * np.abs(heights).max(axis=1, keepdims=True, initial=0.0)
        fresh = np.ones(heights.shape, dtype=np.bool_)
        fresh[:, 1:] = sorted_[:, :-1] - sorted_[:, 1:] > near
        place = np.broadcast_to(np.arange(heights.shape[1]), heights.shape)
        begin = np.maximum.accumulate(np.where(fresh, place, 0), axis=1)
        last = np.ones(heights.shape, dtype=np.bool_)
        last[:, :-1] = fresh[:, 1:]
        end = np.where(last, place, heights.shape[1])
        return cls(order, begin, np.minimum.accumulate(end[:, ::-1], axis=1)[:, ::-1])

    def __len__(self) -> int:
        """How many systems there are."""
        return int(self.order.shape[1])

    @cached_property
    def higher(self) -> Integers:
        """[B, S], system by system: how many stand above it."""
        return self._by_system(self.begin)

    @cached_property
    def tied(self) -> Integers:
        """[B, S], system by system: how many share its place, itself included."""
        return self._by_system(self.end - self.begin + 1)

    @cached_property
    def groups(self) -> Integers:
        """[B]: how many different places there are."""
        return np.asarray((self.begin == np.arange(len(self))).sum(axis=1))

    @cached_property
    def tied_pairs(self) -> Integers:
        """[B]: how many pairs of systems are tied."""
        return np.asarray((self.end - self.begin).sum(axis=1) // 2)

    def _by_system(self, places: Integers) -> Integers:
        found = np.empty_like(places)
        np.put_along_axis(found, self.order, places, axis=1)
        return found


@dataclass(frozen=True, eq=False)
class Both:
    """Two orders of the same systems, sample by sample; the counts of `coefficients.pairs.Pairs` for all of them."""

    x: Levels
    y: Levels

    @property
    def all(self) -> int:
        """All pairs of systems."""
        return len(self.x) * (len(self.x) - 1) // 2

    @cached_property
    def above(self) -> Integers:
        """[B, S]: how many systems stand above each in both orders."""
        size = len(self.x)
        kind = np.int16 if size < _SHORT else np.int32
        x, y = (np.ascontiguousarray(one.higher.T.astype(kind)) for one in (self.x, self.y))
        found = np.zeros(x.shape, dtype=kind)
        step = max(64, _CELLS // max(size, 1))
        for start in range(0, x.shape[1], step):
            part = slice(start, start + step)
            first, second, counts = x[:, part].copy(), y[:, part].copy(), np.zeros_like(found[:, part])
            for row in range(size):
                both = first[row] < first
                both &= second[row] < second
                counts += both.view(np.int8)
            found[:, part] = counts
        return found.T.astype(np.intp)

    @cached_property
    def concordant(self) -> Integers:
        """[B]: pairs in the same order."""
        return np.asarray(self.above.sum(axis=1))

    @cached_property
    def discordant(self) -> Integers:
        """[B]: pairs in opposite orders."""
        return self.all - self.x.tied_pairs - self.y.tied_pairs + self._tied_both - self.concordant

    @property
    def balance(self) -> Integers:
        """[B]: concordant minus discordant pairs."""
        return np.asarray(self.concordant - self.discordant)

    @cached_property
    def _tied_both(self) -> Integers:
        """[B]: pairs that are tied in both."""
        if not self.x.tied_pairs.any() or not self.y.tied_pairs.any():
            return np.zeros(len(self.x.order), dtype=np.intp)
        keys = np.sort(self.x.higher * len(self.x) + self.y.higher, axis=1)
        place = np.arange(len(self.x))
        fresh = np.ones(keys.shape, dtype=np.bool_)
        fresh[:, 1:] = keys[:, 1:] != keys[:, :-1]
        return np.asarray((place - np.maximum.accumulate(np.where(fresh, place, 0), axis=1)).sum(axis=1))
