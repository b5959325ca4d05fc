"""What a summary says: means over groups, intervals, and quantiles."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rankworth.errors import UsageError
from rankworth.summaries.asked import Asked
from rankworth.summaries.bins import middles
from rankworth.summaries.cell import Cell
from rankworth.summaries.cells import Cells
from rankworth.summaries.exact import Floats
from rankworth.summaries.making import BEYOND, powers
from rankworth.summaries.poisson import DIGITS


class Ends(NamedTuple):
    """The ends of an interval."""

    low: float
    high: float


UNKNOWN = Ends(math.nan, math.nan)


def ends(cells: Cells, asked: Asked, group: int, measure: int, level: float) -> Ends:
    """The percentile interval of a mean."""
    cell = cells.cell(group, measure, asked.ways[measure])
    if not _sampled(cell, asked, measure):
        return UNKNOWN
    if cell.constant:
        same = cell.shown(cell.added(cell.lowest))
        return Ends(same, same)
    return _ends(_means(cells, measure)[group], level, cell)


def macro_ends(cells: Cells, asked: Asked, measure: int, level: float) -> Ends:
    """The percentile interval of the mean of the means of groups.

    A sample that has not one query of a group is the mean over the other groups.
    """
    found = _of_groups(cells, asked, measure)
    if not found or not all(_sampled(cell, asked, measure) for _, cell in found):
        return UNKNOWN
    first = found[0][1]
    if all(cell.constant for _, cell in found):
        same = macro_mean(cells, asked, measure)
        return Ends(same, same)
    means = _means(cells, measure)[[place for place, _ in found]]
    there = ~np.isnan(means)
    many = there.sum(axis=0)
    total = np.where(there, means, 0.0).sum(axis=0)
    return _ends(np.divide(total, many, out=np.full(len(many), np.nan), where=many > 0), level, first)


def macro_mean(cells: Cells, asked: Asked, measure: int) -> float:
    """The mean of the means of groups; of a sum, that of all."""
    found = _of_groups(cells, asked, measure)
    if asked.ways[measure] == "sum":
        return cells.together().cell(0, measure, "sum").mean
    if not found:
        return math.nan
    centers = [cell.center for _, cell in found]
    if not all(map(math.isfinite, centers)):
        return found[0][1].shown(sum(centers))
    return found[0][1].shown(math.fsum(centers) / len(centers))


def quantiles(cells: Cells, asked: Asked, measure: int, shares: Sequence[float]) -> list[float]:
    """Values below which these shares of all values lie, from the first group."""
    cell = cells.cell(0, measure, asked.ways[measure])
    if cell.nan or cell.values == 0:
        return [math.nan] * len(shares)
    bins, counts = cells.histogram.cell(measure)
    below = np.cumsum(counts)
    ranks = [max(1, math.ceil(share * cell.values)) for share in shares]
    found = middles(bins[np.searchsorted(below, ranks)], asked.ranges[measure])
    return [float(value) for value in found.clip(cell.lowest, cell.highest)]


def checked(level: float) -> float:
    """A confidence level."""
    if not 0 < level < 1:
        raise UsageError("unknown-setting", f"level={level}: a confidence level lies between 0 and 1")
    return level


def _of_groups(cells: Cells, asked: Asked, measure: int) -> list[tuple[int, Cell]]:
    """The groups that have a mean, and their places."""
    every = [(group, cells.cell(group, measure, asked.ways[measure])) for group in range(len(cells.groups))]
    return [(group, cell) for group, cell in every if cell.divided]


def _sampled(cell: Cell, asked: Asked, measure: int) -> bool:
    """Whether an interval is known."""
    if cell.way == "sum" or not asked.resamples or cell.alone or not cell.finite:
        return False
    power = powers(asked)[measure]
    if power is None or not cell.values:
        return True
    size = max(abs(cell.added(cell.lowest)), abs(cell.added(cell.highest)))
    return size <= math.ldexp(BEYOND, power + DIGITS)


def _means(cells: Cells, measure: int) -> Floats:
    """`[G, B]`: the means of samples; NaN for a sample without a query."""
    return cells.tracks[measure].over(cells.tracks[len(cells.tracks) // 2 + measure])


def _ends(means: Floats, level: float, cell: Cell) -> Ends:
    known = means[~np.isnan(means)]
    if not known.size:
        return UNKNOWN
    with np.errstate(over="ignore", invalid="ignore"):  # between means beyond all floats
        low, high = np.quantile(known, [(1 - level) / 2, (1 + level) / 2])
    return Ends(cell.shown(low), cell.shown(high))
