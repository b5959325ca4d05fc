"""Rank-biased overlap: bounds and extrapolation for rankings of any length, with three treatments of ties."""

from dataclasses import dataclass

import numpy as np

from rankworth.correlation.overlaps.counted import ROWS, Depths, Ties, depths, treatment
from rankworth.correlation.pairing import Pairing, Ranks, cutoff, persistence, totals
from rankworth.hits import Floats, Integers

_TERMS = 1 << 20
"""So many terms of a series are added backwards."""
_SMALLEST = 45.0
"""The negative logarithm of what may be left out: a twentieth of the last bit."""


@dataclass(frozen=True, eq=False)
class RBO:
    """Rank-biased overlap of some queries, `[Q]` each: what it is at least and at most, and what it is likely to be."""

    ext: Floats
    """where the agreement that was seen goes on beyond the end; NaN where both rankings are empty"""
    min: Floats
    """where nothing beyond the end is common"""
    max: Floats
    """where as much as possible is"""
    res: Floats
    """max - min: what the end leaves open"""

    @property
    def value(self) -> Floats:
        """That which stands for all: `ext`."""
        return self.ext


def rbo(pairing: Pairing, *, p: float = 0.9, ties: Ties = "w", k: int | None = None) -> RBO:
    """Rank-biased overlap, `(1 - p) sum of p^(d - 1) A(d)` over all depths d from 1 to infinity.

    `A` is the agreement (`agreements`). Rankings are taken for the beginnings of endless ones, the shorter one with s
    and the longer one with l documents:

        min  nothing beyond the ends is common (Eq. 11)
        max  all documents that one side lacks come next, in the best order, and then nothing but common ones
        res  max - min (Eq. 30)
        ext  between s and l, the shorter ranking has documents of the longer one at the rate A(s), and beyond l
             the agreement stays (Eq. 32; Eq. 23 where s = l)

    Ties: `w` is the treatment of Webber et al. (documents that share a rank are all there from this rank on); `a` is
    the mean over all orders of what is tied, so that a ranking with ties does not agree fully with itself; `b` divides
    by what agreement with itself each ranking has. With ties, between s and l, the share of a document of the longer
    ranking that is cut counts for `max` and `ext`, too. Without ties all three are one.

    From 0 to 1; min <= ext <= max; 1 for two equal rankings but for `a` with ties; symmetric. One empty ranking agrees
    nowhere with the other (0 of d documents at each depth): ext and min are 0, max is 1. Of two empty ones nothing is
    known: min is 0, max is 1, and ext is NaN.

    Args:
        pairing: the rankings.
        p: how likely a reader is to go on from one rank to the next.
        ties: their treatment.
        k: how much of the rankings is read: the first k documents and whatever is tied with the k-th.

    Raises:
        UsageError: `bad-parameter`, `unknown-setting`, `bad-cutoff`.

    Source: Webber, Moffat and Zobel (2010), A similarity measure for indefinite rankings,
    https://doi.org/10.1145/1852102.1852106; ties: Corsi and Urbano (2024), The treatment of ties in rank-biased
    overlap, https://doi.org/10.1145/3626772.3657700

    >>> found = rbo(Pairing.of_lists("abc", "bac"), p=0.5)
    >>> found.ext, found.min.round(4), found.max  # 0.5 * (0 + 0.5 + 0.25) + 0.125
    (array([0.5]), array([0.4544]), array([0.5]))
    """
    p, ties, pairing = persistence(p), treatment(ties), pairing.cut(k)
    longest = int((pairing.first.lengths + pairing.second.lengths).max(initial=0))
    series = _Series(p, longest)
    found = np.empty((3, len(pairing)))
    for queries, block in pairing.blocks(ROWS):
        found[:, queries] = _block(block, ties, series)
    ext, least, most = found
    return RBO(ext=ext, min=least, max=most, res=most - least)


def weight_of_top(d: int, p: float) -> float:
    """The share of RBO that the first d ranks decide, `W(1:d)`, whatever comes after.

    `1 - p^(d - 1) + (1 - p)/p d (ln(1/(1 - p)) - sum of p^i / i for i from 1 to d - 1)`

    From 0 to 1; it grows with d.

    Args:
        d: how many ranks.
        p: as for `rbo`.

    Raises:
        UsageError: `bad-cutoff`, `bad-parameter`.

    Source: Webber, Moffat and Zobel (2010), Eq. 21, https://doi.org/10.1145/1852102.1852106

    >>> round(weight_of_top(10, 0.9), 4), round(weight_of_top(50, 0.98), 4)
    (0.8556, 0.8522)
    """
    cutoff(d)
    series = _Series(persistence(p), d)
    return float(1 - series.power[d - 1] + (1 - p) / p * d * series.tail[d - 1])


class _Series:
    """Powers of p, and what is left of the series of p^i / i, down to some depth."""

    def __init__(self, p: float, last: int) -> None:
        """Count both.

        What is left is added from its end, where terms are small, so that it is exact to the last digits also where
        it is tiny; the whole less the beginning is not.
        """
        self.p = p
        depth = np.arange(1, last + 2)
        self.power: Floats = np.concatenate(([1.0], p**depth))
        """`[last + 2]`: p^d for d from 0"""
        beyond = int(np.ceil(_SMALLEST / -np.log(p)))
        if last + beyond <= _TERMS:
            i = np.arange(last + beyond, 0, -1)
            self.tail: Floats = np.append(0.0, np.cumsum(p**i / i))[::-1][: last + 1]
            """`[last + 1]`: the sum of p^i / i for all i above d, for d from 0"""
        else:
            terms = self.power[1 : last + 1] / depth[:last]
            self.tail = np.maximum(-np.log1p(-p) - np.append(0.0, np.cumsum(terms)), 0.0)


def _block(pairing: Pairing, ties: Ties, series: _Series) -> Floats:
    """`[3, Q]`: ext, min and max."""
    p, power, tail = series.p, series.power, series.tail
    short, long, common = pairing.short, pairing.long, pairing.common
    counted = depths(pairing, ties, long, padded=True)
    weight = power[counted.depth]
    agreed = counted.agreement(counted.overlap)
    ends = counted.starts[:-1] + short - 1
    at_end = np.zeros(long.size)
    at_end[short > 0] = agreed[ends[short > 0]]

    seen = totals(agreed * weight, counted.query, long.size)
    likely = possible = seen
    if not np.array_equal(short, long):
        slot = np.flatnonzero(counted.depth > short[counted.query])
        query, deep = counted.query[slot], weight[slot]
        rate, most = _unseen(pairing, counted, slot, ties)
        missing = counted.depth[slot] - short[query]

        def added(unseen: Floats) -> Floats:
            more = counted.agreement(unseen, slot) * deep
            return totals(more, query, long.size)

        likely = seen + added(missing * at_end[query] * rate)
        possible = seen + added(most)

    # beyond the longer ranking
    all_common = short + long - common
    left = power[long + 1] / (1 - p)
    least = seen + common * tail[long]
    goes_on = np.divide(common + (long - short) * at_end, long, out=np.full(long.size, np.nan), where=long > 0)
    likely = likely + goes_on * left
    # 2 - (all in either ranking) / d at depth d, until all are common, then 1
    full = power[all_common + 1] / (1 - p)
    possible = possible + 2 * (left - full) - all_common * (tail[long] - tail[all_common]) + full
    least, possible = (np.clip((1 - p) / p * one, 0.0, 1.0) for one in (least, possible))
    possible = np.maximum(least, possible)  # equal but for rounding where all is seen
    return np.stack((np.clip((1 - p) / p * likely, least, possible), least, possible))


def _unseen(pairing: Pairing, counted: Depths, slot: Integers, ties: Ties) -> tuple[Floats, Floats]:
    """`[S]` each, for depths beyond the shorter ranking: what is to be expected of it there, and what is possible.

    Documents of the longer ranking that the shorter one lacks: the mean share of those that are there at all, and how
    many of the first ones are there, one more with each depth.
    """
    query, depth = counted.query[slot], counted.depth[slot]
    missing = (depth - pairing.short[query]).astype(np.float64)
    if ties == "w" or not pairing.tied:
        return np.ones(slot.size), missing
    first, second = pairing.first, pairing.second
    in_first = first.lengths[query] > second.lengths[query]
    joined: tuple[Ranks, Ranks, Ranks] = tuple(  # type: ignore[assignment]
        np.concatenate((getattr(first, name), getattr(second, name))) for name in ("top", "bottom", "match")
    )
    top, bottom, match = joined
    begin = np.where(in_first, first.starts[query], second.starts[query] + first.top.size)
    row = begin + depth - 1
    before = np.concatenate(([0], np.cumsum(match < 0)))
    above = before[begin + top[row] - 1] - before[begin]
    group = before[begin + bottom[row]] - before[begin] - above
    share = (depth - top[row] + 1) / (bottom[row].astype(np.int64) - top[row] + 1)
    return (above + share * group) / (above + group), np.minimum(missing, above) + share * np.maximum(
        missing - above, 0
    )
