"""How alike rankings are that need not hold the same documents: RBO, RBA, overlap, average overlap, Jaccard.

Each takes a `Pairing`: two rankings for each of many queries, with ties.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final, Literal

import numpy as np

from rankworth.arrays import Floats, Integers
from rankworth.stats.pairing import Depths, Pairing, Ranks, Side, Ties, cutoff, depths, persistence, totals, treatment

_TERMS: Final = 1 << 20
"""So many terms of a series are added backwards."""
_SMALLEST: Final = 45.0
"""The negative logarithm of what may be left out: a twentieth of the last bit."""


@dataclass(frozen=True, eq=False)
class Bounded:
    """A measure of likeness of some queries, `[Q]` each, that rankings beyond their ends could change."""

    value: Floats
    """what stands for all; NaN where nothing is known"""
    min: Floats
    """the least that documents beyond the ends could make of it"""
    max: Floats
    """the most"""

    @property
    def res(self) -> Floats:
        """`max - min`: what the ends leave open."""
        return self.max - self.min


def rbo(pairing: Pairing, *, p: float = 0.9, ties: Ties = "w", k: int | None = None) -> Bounded:
    """Compute rank-biased overlap, `(1 - p) sum of p^(d - 1) A(d)` over all depths d from 1 to infinity.

    `A` is the agreement (`agreements`). Rankings are taken for the beginnings of endless ones, the shorter one with s
    and the longer one with l documents:

        min  nothing beyond the ends is common (Eq. 11)
        max  all documents that one side lacks come next, in the best order, and then nothing but common ones
        res  max - min (Eq. 30)
        ext  the value: between s and l, the shorter ranking has documents of the longer one at the rate A(s), and
             beyond l the agreement stays (Eq. 32; Eq. 23 where s = l)

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
    >>> found.value, found.min.round(4), found.max  # 0.5 * (0 + 0.5 + 0.25) + 0.125
    (array([0.5]), array([0.4544]), array([0.5]))
    """
    p, ties, pairing = persistence(p), treatment(ties), pairing.cut(k)
    longest = int((pairing.first.lengths + pairing.second.lengths).max(initial=0))
    power, tail = _series(p, longest)  # by depth, from 0
    result = np.empty((3, len(pairing)))  # [3, Q]: ext, min and max
    for queries, block in pairing.blocks():
        result[:, queries] = _rbo_block(block, ties, p, power, tail)
    return Bounded(*result)


def weight_of_top(d: int, p: float) -> float:
    """Return the share of RBO that the first d ranks decide, `W(1:d)`, whatever comes after.

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
    power, tail = _series(persistence(p), d)
    return float(1 - power[d - 1] + (1 - p) / p * d * tail[d - 1])


def _series(p: float, last: int) -> tuple[Floats, Floats]:
    """Return `[last + 2]` powers p^d and `[last + 1]` sums of p^i / i for all i above d, both for d from 0.

    The sums are added from their end, where terms are small, so that they are exact to the last digits also where they
    are tiny; the whole less the beginning is not.
    """
    depth = np.arange(1, last + 2)  # [last + 1]
    power = np.concatenate(([1.0], p**depth))
    beyond = int(np.ceil(_SMALLEST / -np.log(p)))
    if last + beyond <= _TERMS:
        i = np.arange(last + beyond, 0, -1)  # the smallest term first
        return power, np.append(0.0, np.cumsum(p**i / i))[::-1][: last + 1]
    terms = power[1 : last + 1] / depth[:last]  # [last]: p^d / d, for d from 1
    return power, np.maximum(-np.log1p(-p) - np.append(0.0, np.cumsum(terms)), 0.0)


def _rbo_block(pairing: Pairing, ties: Ties, p: float, power: Floats, tail: Floats) -> Floats:
    """Return `[3, Q]`: ext, min and max."""
    short, long, common = pairing.short, pairing.long, pairing.common  # [Q] each
    counted = depths(pairing, ties, long, padded=True)
    weight = power[counted.depth]  # [D]: p^d
    agreed = counted.agreement(counted.overlap)  # [D]: A(d)
    ends = counted.starts[:-1] + short - 1  # [Q]: where depth s of each query is among all D
    at_end = np.zeros(long.size)  # [Q]: A(s), 0 for an empty ranking
    at_end[short > 0] = agreed[ends[short > 0]]

    seen = totals(agreed * weight, counted.query, long.size)  # [Q], as all sums below
    likely = possible = seen
    if not np.array_equal(short, long):
        slot = np.flatnonzero(counted.depth > short[counted.query])  # [S]: the depths between s and l
        query, deep = counted.query[slot], weight[slot]
        rate, most = _unseen(pairing, counted, slot, ties)  # [S] each
        missing = counted.depth[slot] - short[query]  # [S]: d - s

        def added(unseen: Floats) -> Floats:
            more = counted.agreement(unseen, slot) * deep
            return totals(more, query, long.size)

        likely = seen + added(missing * at_end[query] * rate)
        possible = seen + added(most)

    # beyond the longer ranking
    all_common = short + long - common  # [Q]: how many documents are in either ranking
    left = power[long + 1] / (1 - p)
    least = seen + common * tail[long]
    # [Q]: the agreement at l and beyond
    goes_on = np.divide(common + (long - short) * at_end, long, out=np.full(long.size, np.nan), where=long > 0)
    likely = likely + goes_on * left
    # 2 - (all in either ranking) / d at depth d, until all are common, then 1
    full = power[all_common + 1] / (1 - p)
    possible = possible + 2 * (left - full) - all_common * (tail[long] - tail[all_common]) + full
    least, possible = (np.clip((1 - p) / p * bound, 0.0, 1.0) for bound in (least, possible))
    possible = np.maximum(least, possible)  # equal but for rounding where all is seen
    return np.stack((np.clip((1 - p) / p * likely, least, possible), least, possible))


def _unseen(pairing: Pairing, counted: Depths, slot: Integers, ties: Ties) -> tuple[Floats, Floats]:
    """Return `[S]` each, for depths beyond the shorter ranking: what is expected of it there, and what is possible.

    Documents of the longer ranking that the shorter one lacks: the mean share of those that are there at all, and how
    many of the first ones are there, one more with each depth.
    """
    query, depth = counted.query[slot], counted.depth[slot]
    missing = (depth - pairing.short[query]).astype(np.float64)
    if ties == "w" or not pairing.tied:
        return np.ones(slot.size), missing
    first, second = pairing.first, pairing.second
    in_first = first.lengths[query] > second.lengths[query]  # [S]: whether the first ranking is the longer
    both = (first.top, second.top), (first.bottom, second.bottom), (first.match, second.match)
    top, bottom, match = map(np.concatenate, both)  # [N + N']: rows of the first side, then of the second
    # [S]: the first row of the longer ranking
    begin = np.where(in_first, first.starts[query], second.starts[query] + first.top.size)
    row = begin + depth - 1  # [S]: the row at this depth
    before = np.concatenate(([0], np.cumsum(match < 0)))  # [N + N' + 1]: rows without a match before each
    above = before[begin + top[row] - 1] - before[begin]  # [S]: how many of these are above the group at this depth
    group = before[begin + bottom[row]] - before[begin] - above  # [S]: how many are in the group
    # [S]: which share of the group is above the cut
    share = (depth - top[row] + 1) / (bottom[row].astype(np.int64) - top[row] + 1)
    most = np.minimum(missing, above) + share * np.maximum(missing - above, 0)
    return (above + share * group) / (above + group), most


def rba(pairing: Pairing, *, p: float = 0.9, k: int | None = None) -> Bounded:
    """Compute rank-biased alignment, the sum of `sqrt(w(r) w(r'))` over the documents of both rankings.

    A document stands at rank r in one ranking and r' in the other, and `w(r) = (1 - p) p^(r - 1)`; tied documents share
    the mean weight of their ranks. `max` is the same sum where each ranking goes on with the documents that it lacks,
    in the order of the other one, and `p^n` for all that may come after these n documents. The value is `min`.

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
    result = np.empty((2, len(pairing)))
    for queries, block in pairing.blocks():
        result[:, queries] = _rba_block(block, p)
    least, most = result
    return Bounded(least, least, most)


def _rba_block(pairing: Pairing, p: float) -> Floats:
    """Return `[2, Q]`: min and max."""
    first, second, size = pairing.first, pairing.second, len(pairing)
    # [N] and [N']: the root of each document's weight
    first_roots, second_roots = (_root(side.top, side.bottom, p) for side in (first, second))
    row = np.flatnonzero(first.match >= 0)  # [C]: the common documents
    least = totals(first_roots[row] * second_roots[first.match[row]], first.query[row], size)
    in_any = first.lengths + second.lengths - pairing.common  # [Q]: how many documents are in either ranking
    most = least + (_appended(first, second, first_roots, p) + _appended(second, first, second_roots, p)) + p**in_any
    return np.minimum([least, most], 1.0)


def _root(top: Ranks, bottom: Ranks, p: float) -> Floats:
    """Return `[N]`, the root of the mean weight of some ranks in a row."""
    size = bottom.astype(np.float64) - top + 1
    weight = np.where(size == 1, 1 - p, -np.expm1(size * np.log(p)) / size)
    return np.asarray(np.sqrt(weight) * p ** ((top - 1.0) / 2))


def _appended(side: Side, other: Side, roots: Floats, p: float) -> Floats:
    """Return `[Q]`, what documents of one side alone would add behind the end of the other, in the same groups."""
    before = np.concatenate(([0], np.cumsum(side.match < 0)))  # [N + 1]: rows without a match before each
    row = np.flatnonzero(side.match < 0)  # [A]: the documents of this side alone
    query = side.query[row]
    begin = side.starts[query]  # [A]: the first row of the query
    # [A] each: first and last rank of the group behind the end of the other ranking
    top = other.lengths[query] + before[begin + side.top[row] - 1] - before[begin] + 1
    bottom = other.lengths[query] + before[begin + side.bottom[row]] - before[begin]
    return totals(roots[row] * _root(top, bottom, p), query, other.lengths.size)


def overlap(pairing: Pairing, *, k: int | None = None) -> Floats:
    """Return `[Q]`, the share of the first k documents that two rankings have in common.

    `2 X / (n + n')`, with the overlap X of the first k documents and the `n = min(k, length)` that each ranking has: so
    `X / k` where both have k documents. Where the cut goes through a group of tied documents, X is the mean over all
    their orders. It is the agreement at depth k under `ties="a"`, and Dice's coefficient of whole rankings.

    From 0 to 1; symmetric; 0 where one ranking is empty, NaN where both are.

    Args:
        pairing: the rankings.
        k: how many documents; all of them where None.

    Raises:
        UsageError: `bad-cutoff`.

    Source: Webber, Moffat and Zobel (2010), A similarity measure for indefinite rankings, section 2,
    https://doi.org/10.1145/1852102.1852106; ties: Corsi and Urbano (2024), The treatment of ties in rank-biased
    overlap, https://doi.org/10.1145/3626772.3657700

    >>> overlap(Pairing.of_lists("abc", "bad"), k=3).round(4)  # 2 of 3
    array([0.6667])
    """
    k = cutoff(k)
    first, second = pairing.first, pairing.second
    row = np.flatnonzero(first.match >= 0)  # [C]: the common documents
    # [C]: how likely each is among the first k of both
    both = _share_of_top(first, row, k) * _share_of_top(second, first.match[row].astype(np.int64), k)
    common = totals(both, first.query[row], len(pairing))
    sizes = first.lengths + second.lengths
    if k is not None:
        sizes = np.minimum(first.lengths, k) + np.minimum(second.lengths, k)
    return _ratio(2 * common, sizes.astype(np.float64))


def average_overlap(pairing: Pairing, *, k: int | None = None) -> Floats:
    """Return `[Q]`, the mean of the overlaps at depths 1 to k.

    The mean of `agreements` under `ties="a"`. Where both rankings end above k, it goes down to the end of the longer
    one; where k is not said, to that of the shorter one (and to depth 1, if that is empty).

    From 0 to 1; 1 for equal rankings without ties; symmetric; 0 where one ranking is empty, NaN where both are.

    Args:
        pairing: the rankings.
        k: the last depth.

    Raises:
        UsageError: `bad-cutoff`.

    Source: Wu and Crestani (2003), Methods for ranking information retrieval systems without relevance judgments,
    https://doi.org/10.1145/952532.952693; Webber, Moffat and Zobel (2010), section 2,
    https://doi.org/10.1145/1852102.1852106

    >>> average_overlap(Pairing.of_lists("abcdefg", "zcavwxy"), k=4).round(4)  # (0 + 0 + 2/3 + 2/4) / 4
    array([0.2917])
    """
    k = cutoff(k)
    last = np.maximum(pairing.short, 1) if k is None else np.clip(pairing.long, 1, k)  # [Q]: the last depth
    result = np.empty(len(pairing))
    for queries, block in pairing.blocks(int(last.max(initial=1))):
        reach = last[queries]
        counted = depths(block, "a", reach, padded=False)
        result[queries] = totals(counted.agreement(counted.overlap), counted.query, len(block)) / reach
    return result


def jaccard(pairing: Pairing, *, k: int | None = None) -> Floats:
    """Return `[Q]`, the share in both of the documents in any of two sets: the first k and what is tied with the k-th.

    From 0 to 1; 1 for equal sets; symmetric; 0 where one is empty, NaN where both are.

    Args:
        pairing: the rankings.
        k: how many documents; all of them where None.

    Raises:
        UsageError: `bad-cutoff`.

    Source: Jaccard (1912), The distribution of the flora in the alpine zone,
    https://doi.org/10.1111/j.1469-8137.1912.tb05611.x

    >>> jaccard(Pairing.of_lists("abc", "bad"), k=3)  # 2 of 4
    array([0.5])
    """
    pairing = pairing.cut(k)
    common = pairing.common.astype(np.float64)
    return _ratio(common, pairing.first.lengths + pairing.second.lengths - common)


def _share_of_top(side: Side, rows: Integers, k: int | None) -> Floats:
    """Return `[C]`, how likely each document at the given rows, `[C]`, is among the first k."""
    if k is None:
        return np.ones(rows.size)
    top, bottom = side.top[rows].astype(np.float64), side.bottom[rows].astype(np.float64)
    return np.asarray(np.clip((k - top + 1) / (bottom - top + 1), 0.0, 1.0))


def _ratio(part: Floats, whole: Floats) -> Floats:
    return np.asarray(np.divide(part, whole, out=np.full(part.size, np.nan), where=whole > 0))


@dataclass(frozen=True)
class Overlap:
    """One way to say how alike two rankings are: from 0 to 1, symmetric."""

    name: str
    label: str
    """what tables call it"""
    function: Callable[..., Floats | Bounded]
    """takes a `Pairing`, and what `takes` says by keyword"""
    takes: tuple[Literal["p", "k"], ...]
    ties: str
    """what becomes of tied documents"""

    def of(self, pairing: Pairing, *, p: float = 0.9, k: int | None = None) -> Floats | Bounded:
        """Return `[Q]` numbers, NaN if undefined, or bounds; an argument that a method does not take has no effect.

        Raises:
            UsageError: `bad-parameter`, `bad-cutoff`.

        """
        parameters = {"p": p, "k": k}
        return self.function(pairing, **{name: parameters[name] for name in self.takes})

    def values(self, pairing: Pairing, *, p: float = 0.9, k: int | None = None) -> Floats:
        """Return `[Q]`, the numbers alone."""
        result = self.of(pairing, p=p, k=k)
        return result.value if isinstance(result, Bounded) else result


_RANDOM: Final = "average over all orders of tied documents"
_SHARED: Final = "tied documents have the same rank"
OVERLAPS: Final[Mapping[str, Overlap]] = {
    one.name: one
    for one in (
        Overlap("rbo", "RBO", rbo, ("p", "k"), _SHARED),
        Overlap("rbo-w", "RBO-w", rbo, ("p", "k"), _SHARED),
        Overlap("rbo-a", "RBO-a", partial(rbo, ties="a"), ("p", "k"), _RANDOM),
        Overlap("rbo-b", "RBO-b", partial(rbo, ties="b"), ("p", "k"), f"{_RANDOM}, with a correction"),
        Overlap("rba", "RBA", rba, ("p", "k"), "tied documents have the mean weight of their ranks"),
        Overlap("overlap", "overlap", overlap, ("k",), _RANDOM),
        Overlap("average-overlap", "AO", average_overlap, ("k",), _RANDOM),
        Overlap("jaccard", "Jaccard", jaccard, ("k",), "every document tied at rank k is included"),
    )
}
"""Each by name; `rbo` is `rbo-w`, which is how its authors treat ties."""
