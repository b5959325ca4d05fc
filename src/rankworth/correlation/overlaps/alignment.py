"""Rank-biased alignment: where common documents stand in both rankings."""

from dataclasses import dataclass

import numpy as np

from rankworth.correlation.overlaps.counted import ROWS
from rankworth.correlation.pairing import Pairing, Ranks, Side, persistence, totals
from rankworth.hits import Floats


@dataclass(frozen=True, eq=False)
class Alignment:
    """Rank-biased alignment of some queries, `[Q]` each: what it is at least and at most."""

    min: Floats
    """of what was seen"""
    max: Floats
    """where each ranking goes on with what the other one has, and both are alike from there on"""
    res: Floats
    """max - min: what the end leaves open"""

    @property
    def value(self) -> Floats:
        """That which stands for both: `min`."""
        return self.min


def rba(pairing: Pairing, *, p: float = 0.9, k: int | None = None) -> Alignment:
    """Rank-biased alignment, the sum of `sqrt(w(r) w(r'))` over the documents of both rankings.

    A document stands at rank r in one ranking and r' in the other, and `w(r) = (1 - p) p^(r - 1)`; tied documents share
    the mean weight of their ranks. `max` is the same sum where each ranking goes on with the documents that it lacks,
    in the order of the other one, and `p^n` for all that may come after these n documents.

    From 0 to 1; min <= max; max is 1 for equal rankings, min then is `1 - p^n`; symmetric. Nothing is seen of an empty
    ranking: min is 0, and max is 1.

    Args:
        pairing: the rankings.
        p: how likely a reader is to go on from one rank to the next.
        k: how much of the rankings is read: the first k documents and whatever is tied with the k-th.

    Raises:
        UsageError: `bad-parameter`, `bad-cutoff`.

    Source: Moffat, Mackenzie, Mallia and Petri (2024), Rank-biased quality measurement for sets and rankings,
    https://doi.org/10.1145/3673791.3698405

    >>> found = rba(Pairing.of_lists("ab", "ba"), p=0.5)
    >>> found.min.round(4), found.max.round(4)  # 2 * sqrt(0.5 * 0.25), and 0.25 more
    (array([0.7071]), array([0.9571]))
    """
    p, pairing = persistence(p), pairing.cut(k)
    found = np.empty((2, len(pairing)))
    for queries, block in pairing.blocks(ROWS):
        found[:, queries] = _block(block, p)
    least, most = found
    return Alignment(min=least, max=most, res=most - least)


def _block(pairing: Pairing, p: float) -> Floats:
    """`[2, Q]`: min and max."""
    first, second, size = pairing.first, pairing.second, len(pairing)
    one, other = (_root(side.top, side.bottom, p) for side in (first, second))
    row = np.flatnonzero(first.match >= 0)
    least = totals(one[row] * other[first.match[row]], first.query[row], size)
    in_any = first.lengths + second.lengths - pairing.common
    most = least + (_appended(first, second, one, p) + _appended(second, first, other, p)) + p**in_any
    return np.minimum([least, most], 1.0)


def _root(top: Ranks, bottom: Ranks, p: float) -> Floats:
    """`[N]`: the root of the mean weight of some ranks in a row."""
    size = bottom.astype(np.float64) - top + 1
    weight = np.where(size == 1, 1 - p, -np.expm1(size * np.log(p)) / size)
    root: Floats = np.sqrt(weight) * p ** ((top - 1.0) / 2)
    return root


def _appended(side: Side, other: Side, roots: Floats, p: float) -> Floats:
    """`[Q]`: what documents that only one side has would add behind the end of the other, in the same groups."""
    before = np.concatenate(([0], np.cumsum(side.match < 0)))
    row = np.flatnonzero(side.match < 0)
    query = side.query[row]
    begin = side.starts[query]
    top = other.lengths[query] + before[begin + side.top[row] - 1] - before[begin] + 1
    bottom = other.lengths[query] + before[begin + side.bottom[row]] - before[begin]
    return totals(roots[row] * _root(top, bottom, p), query, other.lengths.size)
