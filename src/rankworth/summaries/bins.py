"""Histograms whose bins are fixed beforehand, so that they may be added up: quantiles within the width of a bin."""

from dataclasses import dataclass
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from rankworth.summaries.asked import Range
from rankworth.summaries.exact import Floats, Places

DIVISIONS: Final = 840
"""A known range is divided into so many parts, so that halves to eighths and tenths stand at bounds."""
DIGITS: Final = 6
"""Where no range is known, values are rounded to so many binary digits behind the first."""

_BITS: Final = 20
_MIDDLE: Final = 1 << (_BITS - 1)  # the bin of 0, or of the lower end
_FURTHEST: Final = 1 << 16  # parts beyond which a value is no more told apart from others outside of its range
_ROWS: Final = 1 << 16
_CELLS: Final = 1 << 21
_SIGN: Final = np.int64(np.iinfo(np.int64).max)


@dataclass(frozen=True, eq=False)
class Histogram:
    """How many values stand in each bin of each cell, for those bins that have any.

    Attributes:
        keys: `[K]`, ascending: the number of the cell, and behind it that of the bin.
        counts: `[K]`, from 1.

    """

    keys: Places
    counts: Places

    @classmethod
    def of(cls, bins: Places, there: NDArray[np.bool_], starts: Places) -> Self:
        """Count.

        Args:
            bins: `[M, N]`, those of the values.
            there: `[M, N]`, which values are counted.
            starts: `[G]`, where each group begins; the cells are numbered group by group.

        """
        measures, rows = bins.shape
        every = bool(there.all())
        parts = []
        for start in range(0, rows, _ROWS):
            end = min(start + _ROWS, rows)
            groups = np.searchsorted(starts, np.arange(start, end), side="right") - 1
            for measure in range(measures):
                found, cells = bins[measure, start:end], groups * measures + measure
                if not every:
                    kept = there[measure, start:end]
                    found, cells = found[kept], cells[kept]
                if found.size:
                    parts.append(_counted(found, cells))
        return cls._together([one.keys for one in parts], [one.counts for one in parts], parts)

    @classmethod
    def _together(cls, keys: list[Places], counts: list[Places], parts: object) -> Self:
        if not parts:
            return cls(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))
        found, places = np.unique(np.concatenate(keys), return_inverse=True)
        total = np.zeros(len(found), dtype=np.int64)
        np.add.at(total, places, np.concatenate(counts))
        return cls(found, total)

    def moved(self, cells: Places) -> "Histogram":
        """The same with other numbers for the cells; -1 for those to be left out. Cells may fall together."""
        numbers = cells[self.keys >> _BITS]
        kept = numbers >= 0
        keys = (numbers[kept] << _BITS) | (self.keys[kept] & ((1 << _BITS) - 1))
        return Histogram._together([keys], [self.counts[kept]], keys.size)

    def plus(self, other: "Histogram") -> "Histogram":
        """Both together."""
        return Histogram._together([self.keys, other.keys], [self.counts, other.counts], True)

    def cell(self, number: int) -> "tuple[Places, Places]":
        """The bins of one cell, ascending, and how many values each holds."""
        begin, end = np.searchsorted(self.keys, [number << _BITS, (number + 1) << _BITS])
        return self.keys[begin:end] & ((1 << _BITS) - 1), self.counts[begin:end]


def binned(values: Floats, span: Range | None) -> Places:
    """The bins of values, which ascend as these do.

    Within a known range the bin is the nearest of `DIVISIONS + 1` points that divide it evenly; otherwise it is the
    value with `DIGITS` binary digits behind the first, so that whole numbers up to 128 have a bin each.
    """
    if span is not None:
        low, high = span
        with np.errstate(over="ignore"):
            parts = np.rint((values - low) / (high - low) * DIVISIONS)
        return np.clip(parts, -_FURTHEST, _FURTHEST).astype(np.int64) + _MIDDLE
    bits = np.ascontiguousarray(values + 0.0).view(np.int64)
    sizes = ((bits & _SIGN) + (1 << (51 - DIGITS))) >> (52 - DIGITS)
    return np.where(bits < 0, -sizes, sizes) + _MIDDLE


def middles(bins: Places, span: Range | None) -> Floats:
    """The values that bins stand for."""
    steps = bins - _MIDDLE
    if span is not None:
        low, high = span
        return np.asarray(low + steps * (high - low) / DIVISIONS)
    return np.copysign((np.abs(steps) << (52 - DIGITS)).view(np.float64), steps)


def _counted(bins: Places, cells: Places) -> Histogram:
    first, least = int(cells[0]), int(bins.min())
    span = int(bins.max()) - least + 1
    stride = (int(cells[-1]) - first + 1) * span
    if stride <= max(_CELLS // 8, min(_CELLS, 4 * bins.size)):
        counts = np.bincount((cells - first) * span + (bins - least), minlength=stride)
        found = np.flatnonzero(counts)
        return Histogram(((found // span + first) << _BITS) | (found % span + least), counts[found])
    keys, counts = np.unique((cells << _BITS) | bins, return_counts=True)
    return Histogram(keys, counts.astype(np.int64))
