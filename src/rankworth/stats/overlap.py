"""How alike rankings are that need not hold the same documents: RBO, RBA, overlap, average overlap, Jaccard.

A `Pairing` holds two rankings for each of many queries, with ties; `depths` counts their overlap at every depth.
"""

from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from numbers import Real
from types import MappingProxyType
from typing import Any, Final, Literal, cast, get_args

import numpy as np
from numpy.typing import NDArray

from rankworth.arrays import Floats, Integers
from rankworth.errors import InputError, UsageError, quoted

ROWS: Final = 1 << 17
"""of both rankings, and depths, that are computed at a time, so that memory is bounded and stays in the cache"""
Ranks = NDArray[np.integer[Any]]
"""Ranks and rows take half of the memory as 32 bits, where these are enough."""
Group = Hashable | Collection[Hashable]
"""A document, or documents that share a rank: a list, a tuple or a set."""
Ranking = Sequence[Group]
"""Groups, best first."""


@dataclass(frozen=True, eq=False)
class Side:
    """One ranking for each query; rows are documents, those of a query together, best first."""

    starts: Integers
    """`[Q + 1]`: the rows of query `i` are `starts[i]` to `starts[i + 1]`"""
    top: Ranks
    """`[N]`: the first rank of the group of documents that are tied with this one, from 1"""
    bottom: Ranks
    """`[N]`: the last rank of that group; the very array `top` where nothing is tied"""
    match: Ranks
    """`[N]`: the row of the same document in the other ranking, -1 where it is not there"""

    @property
    def lengths(self) -> Integers:
        """`[Q]`: how many documents each query has."""
        return np.diff(self.starts)

    @cached_property
    def tied(self) -> bool:
        """Whether any two documents share a rank."""
        return self.bottom is not self.top and not np.array_equal(self.bottom, self.top)

    @cached_property
    def query(self) -> Integers:
        """`[N]`: the number of the query of each row."""
        return np.repeat(np.arange(self.starts.size - 1), self.lengths)

    def rows(self, first: int, last: int, shift: int) -> "Side":
        """The rows of some queries in a row, where those of the other side begin at `shift`."""
        begin, end = int(self.starts[first]), int(self.starts[last])
        top, match = self.top[begin:end], self.match[begin:end]
        bottom = top if self.bottom is self.top else self.bottom[begin:end]
        return Side(self.starts[first : last + 1] - begin, top, bottom, np.where(match < 0, -1, match - shift))

    def kept(self, rows: NDArray[np.bool_], other: NDArray[np.bool_]) -> "Side":
        """Some of the rows, where some of those of the other side are kept."""
        starts = np.concatenate(([0], np.cumsum(rows)))[self.starts]
        top = self.top[rows]
        match = self.match[rows]
        there = np.append(np.where(other, np.cumsum(other) - 1, -1), -1)  # the last one is that of row -1
        bottom = top if self.bottom is self.top else self.bottom[rows]
        return Side(starts, top, bottom, there[match].astype(self.match.dtype))


@dataclass(frozen=True, eq=False)
class Pairing:
    """Two rankings of documents for each of some queries.

    A query that a side does not have has an empty ranking there. Which document is which is forgotten, but for the
    matches, so that nothing can depend on names.

    >>> pair = Pairing.of_lists(["a", {"b", "c"}], ["c", "d"])
    >>> pair.first.top, pair.first.bottom, pair.second.match >= 0
    (array([1, 2, 2], dtype=int32), array([1, 3, 3], dtype=int32), array([ True, False]))
    """

    queries: tuple[str, ...]
    """`[Q]`"""
    first: Side
    second: Side

    @classmethod
    def of_lists(cls, first: Ranking, second: Ranking) -> "Pairing":
        """Two rankings of one query, which goes without a name.

        Raises:
            InputError: `duplicate-document`.

        """
        return cls.of_rankings({"": first}, {"": second})

    @classmethod
    def of_rankings(
        cls, first: Mapping[str, Ranking], second: Mapping[str, Ranking], queries: Sequence[str] | None = None
    ) -> "Pairing":
        """Rankings by query.

        Args:
            first: for each query its groups, best first.
            second: likewise.
            queries: which, in which order; where not said, those of the first side, and after them what else the second
                side has.

        Raises:
            InputError: `duplicate-document`.

        """
        names = tuple({**first, **second} if queries is None else queries)
        sides: list[tuple[list[int], list[int], list[int], list[int]]] = [([0], [], [], []), ([0], [], [], [])]
        for query in names:
            known: list[dict[Hashable, int]] = []
            for rankings, (starts, top, bottom, match) in zip((first, second), sides, strict=True):
                rows: dict[Hashable, int] = {}
                for group in map(_members, rankings.get(query, ())):
                    begin = len(top) - starts[-1] + 1
                    for document in group:
                        if document in rows:
                            raise repeated_document(document, query)
                        rows[document] = len(top)
                        top.append(begin)
                        bottom.append(begin + len(group) - 1)
                match.extend([-1] * len(rows))
                starts.append(len(top))
                known.append(rows)
            one, other = known
            for document in one.keys() & other.keys():
                sides[0][3][one[document]] = other[document]
                sides[1][3][other[document]] = one[document]
        made = []
        for starts, *columns in sides:
            top_ranks, bottom_ranks, matches = (np.array(column, dtype=np.int32) for column in columns)
            made.append(Side(np.array(starts, dtype=np.int64), top_ranks, bottom_ranks, matches))
        return cls(names, *made)

    def __len__(self) -> int:
        """The number of queries."""
        return len(self.queries)

    @property
    def tied(self) -> bool:
        """Whether any two documents of a ranking share a rank."""
        return self.first.tied or self.second.tied

    @property
    def short(self) -> Integers:
        """`[Q]`: how many documents the shorter of the two rankings has."""
        return np.minimum(self.first.lengths, self.second.lengths)

    @property
    def long(self) -> Integers:
        """`[Q]`: how many documents the longer of the two rankings has."""
        return np.maximum(self.first.lengths, self.second.lengths)

    @property
    def common(self) -> Integers:
        """`[Q]`: how many documents are in both rankings."""
        return np.bincount(self.first.query[self.first.match >= 0], minlength=len(self))

    def cut(self, k: int | None) -> "Pairing":
        """The first k documents of each ranking, and whatever is tied with the k-th; all of them where k is None.

        A group of ties is kept whole or not at all: to keep a part of it, documents would have to be told apart by name
        or by place, and renaming them would change the result.

        Raises:
            UsageError: `bad-cutoff`.

        """
        if cutoff(k) is None:
            return self
        one, other = (side.top <= np.int64(k or 0) for side in (self.first, self.second))
        if one.all() and other.all():
            return self
        return Pairing(self.queries, self.first.kept(one, other), self.second.kept(other, one))

    def blocks(self, depth: int = 1) -> "Iterator[tuple[slice, Pairing]]":
        """The queries, some at a time, so that neither their rows nor their depths down to `depth` are too many."""
        places = self.first.starts + self.second.starts
        begin = 0
        while begin < len(self):
            rows = int(np.searchsorted(places, places[begin] + ROWS, side="right")) - 1
            end = max(begin + 1, min(rows, begin + ROWS // depth))
            first, second = int(self.first.starts[begin]), int(self.second.starts[begin])
            one, other = self.first.rows(begin, end, second), self.second.rows(begin, end, first)
            yield slice(begin, end), Pairing(self.queries[begin:end], one, other)
            begin = end


def cutoff(k: int | None) -> int | None:
    """The cutoff itself.

    Raises:
        UsageError: `bad-cutoff` where it is no whole number from 1.

    """
    if k is not None and (isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 1):
        raise UsageError("bad-cutoff", f"k={k!r}: a cutoff is a whole number from 1")
    return k


def persistence(p: object) -> float:
    """The probability to go on from a rank to the next one.

    Raises:
        UsageError: `bad-parameter` where it is no number between 0 and 1.

    """
    if isinstance(p, bool) or not isinstance(p, Real):
        raise UsageError("bad-parameter", f"p={p!r}: p is a number between 0 and 1")
    p = float(p)
    if not 0 < p < 1:
        raise UsageError("bad-parameter", f"p={p!r}: p lies between 0 and 1, and is neither")
    return float(p)


def totals(values: Floats, query: Integers, count: int) -> Floats:
    """`[Q]`: the sums of what belongs to each of so many queries, added from left to right."""
    return np.asarray(np.bincount(query, values, minlength=count), dtype=np.float64)


def groups_of(scores: Floats, starts: Integers, kind: type[np.integer[Any]]) -> tuple[Ranks, Ranks]:
    """First and last ranks of groups of equal scores, `[N]` each; one array twice where there are no ties.

    Args:
        scores: `[N]`, those of each query together, highest first.
        starts: `[Q + 1]`.
        kind: what ranks are kept as.

    """
    lengths = np.diff(starts)
    rank = np.arange(1, scores.size + 1, dtype=kind)
    rank -= np.repeat(starts[:-1].astype(kind), lengths)
    opens = np.ones(scores.size, dtype=np.bool_)
    np.not_equal(scores[1:], scores[:-1], out=opens[1:])
    opens[starts[:-1][lengths > 0]] = True
    if opens.all():
        return rank, rank
    rows = np.flatnonzero(opens)
    sizes = np.diff(rows, append=scores.size)
    top = np.repeat(rank[rows], sizes)
    return top, top + np.repeat((sizes - 1).astype(kind), sizes)


def repeated_document(document: object, query: str) -> InputError:
    """The error for a document that stands twice in one ranking."""
    where = f"query {quoted([query])}" if query else "a ranking"
    text = f"{where} has the document {quoted([document])} twice"
    return InputError("duplicate-document", text, remedy="a document has one place in a ranking; leave the others out")


def _members(group: Group) -> Collection[Hashable]:
    return group if isinstance(group, list | tuple | set | frozenset) else (group,)


Ties = Literal["w", "a", "b"]
"""What a tie means: `w`, the documents really share the rank; `a`, their order is not known, and all orders count
alike; `b`, as `a`, and corrected for what is not known."""


@dataclass(frozen=True)
class Depths:
    """Depths 1, 2, ... of some queries; `D` of all queries, those of a query together."""

    starts: Integers
    """`[Q + 1]`: the depths of query `i` are `starts[i]` to `starts[i + 1]`"""
    query: Integers
    """`[D]`"""
    depth: Integers
    """`[D]`: from 1"""
    overlap: Floats
    """`[D]`: how many documents are in both rankings down to here; of a tied document the share that is expected"""
    first: Floats
    """`[D]`: how many documents of the first ranking are down to here, as the treatment of ties counts them"""
    second: Floats
    """`[D]`: likewise of the second"""
    ties: Ties

    def agreement(self, overlap: Floats, at: "Integers | slice" = slice(None)) -> Floats:
        """Some overlaps at some depths, as shares of what is there: 0 beside an empty ranking, NaN for two."""
        first, second = self.first[at], self.second[at]
        with np.errstate(invalid="ignore"):
            if self.ties == "b":
                squares = first * second
                return overlap / np.where(squares > 0, np.sqrt(squares), first + second)
            return 2 * overlap / (first + second)


def treatment(ties: str) -> Ties:
    """The treatment of ties itself.

    Raises:
        UsageError: `unknown-setting`.

    """
    if ties not in get_args(Ties):
        raise UsageError("unknown-setting", f"ties={ties!r}: ties are treated by one of {', '.join(get_args(Ties))}")
    return cast("Ties", ties)


def depths(pairing: Pairing, ties: Ties, reach: Integers, *, padded: bool) -> Depths:
    """Count down to some depth.

    At a depth, every ranking has one group that the depth may cut: of its `g` documents, `c` are above the cut, and
    each of them is there with probability `c / g`. What else overlaps is whole. So

        overlap = both whole + c/g (cut here, whole there) + c'/g' (whole here, cut there) + c/g c'/g' (cut in both)

    where the four counts are integers, kept by adding and taking away at the ranks where groups begin and end: one step
    for each document and each depth, and nothing is rounded before the line above.

    Args:
        pairing: the rankings.
        ties: their treatment. Under `w` documents are down to a depth if their group begins there or above, so that
            there may be more of them than the depth says.
        reach: `[Q]`, the last depth.
        padded: whether a ranking goes on beyond its end, with documents that nobody knows.

    """
    starts = np.concatenate(([0], np.cumsum(reach)))
    total = int(starts[-1])
    query = np.repeat(np.arange(reach.size), reach)
    depth = np.arange(1, total + 1) - starts[query]
    overlap = _overlap(pairing, ties, starts, reach)
    sizes = []
    for side in (pairing.first, pairing.second):
        size = depth.astype(np.float64) if padded else np.minimum(depth, side.lengths[query]).astype(np.float64)
        if ties != "a" and side.tied:
            slot, row = _slots(side, starts, reach)
            top, bottom = side.top[row].astype(np.float64), side.bottom[row].astype(np.float64)
            # under b, the sum of squared shares
            size[slot] = bottom if ties == "w" else top - 1 + (depth[slot] - top + 1) ** 2 / (bottom - top + 1)
        sizes.append(size)
    return Depths(starts, query, depth, overlap, sizes[0], sizes[1], ties)


def _overlap(pairing: Pairing, ties: Ties, starts: Integers, reach: Integers) -> Floats:
    """`[D]`."""
    first, second = pairing.first, pairing.second
    row = np.flatnonzero(first.match >= 0)
    base, last = starts[:-1][first.query[row]], reach[first.query[row]]
    other = first.match[row]
    total = int(starts[-1])
    if ties == "w" or not pairing.tied:
        begins = np.maximum(first.top[row], second.top[other])
        return _counts(base, begins, last, total).astype(np.float64)
    top, bottom = first.top[row].astype(np.int64), first.bottom[row].astype(np.int64)
    other_top, other_bottom = second.top[other].astype(np.int64), second.bottom[other].astype(np.int64)

    def during(begins: Integers, ends: Integers) -> Floats:
        return _counts(base, begins, np.minimum(ends, last), total).astype(np.float64)

    here, there = (_share_by_depth(side, starts, reach) for side in (first, second))
    whole = during(np.maximum(bottom, other_bottom), last)
    cut_here = during(np.maximum(top, other_bottom), bottom - 1)
    cut_there = during(np.maximum(bottom, other_top), other_bottom - 1)
    cut_both = during(np.maximum(top, other_top), np.minimum(bottom, other_bottom) - 1)
    return whole + (here * cut_here + there * cut_there) + here * there * cut_both


def _counts(base: Integers, begins: Ranks, ends: Integers, total: int) -> Integers:
    """`[D]`: how many documents are counted at each depth, each one from a depth to another one, if there are any.

    Args:
        base: where the depths of the query of each document begin.
        begins: the first depth.
        ends: the last depth, no more than there are.
        total: how many depths there are.

    """
    there = begins <= ends
    base = base[there]
    changes = np.bincount(base + begins[there] - 1, minlength=total + 1)
    changes -= np.bincount(base + ends[there], minlength=total + 1)
    counts: Integers = np.cumsum(changes)[:-1]
    return counts


def _slots(side: Side, starts: Integers, reach: Integers) -> tuple[Integers, Integers]:
    """The depths at which a side has a document, as places among all depths, and the rows that stand there."""
    query = side.query
    rank = np.arange(1, query.size + 1) - side.starts[query]
    row = np.flatnonzero(rank <= reach[query])
    return starts[query[row]] + rank[row] - 1, row


def _share_by_depth(side: Side, starts: Integers, reach: Integers) -> Floats:
    """`[D]`: which share of the group at each depth is above the cut; 1 beyond the end."""
    share = np.ones(int(starts[-1]))
    slot, row = _slots(side, starts, reach)
    top = side.top[row].astype(np.int64)
    rank = row + 1 - side.starts[side.query[row]]
    share[slot] = (rank - top + 1) / (side.bottom[row] - top + 1)
    return share


def agreements(pairing: Pairing, k: int, ties: Ties = "w") -> Floats:
    """`[Q, k]`: the agreement of two rankings at depths 1 to k.

    `A(d) = 2 X(d) / (n(d) + n'(d))`, with the overlap `X` of both rankings down to depth d, and how many documents they
    have down to there, which beyond the end of a ranking is all it has: so `X(d) / d` where both have d documents and
    none are tied. What is tied counts

        ties="w"  from the first rank of its group on; n is all that begins at d or above
        ties="a"  by the probability that it stands above the cut, its order being random; n = min(d, length)
        ties="b"  as a, and A = X / sqrt(m m'), where m is the sum of squares of these probabilities

    From 0 to 1; 0 where one ranking is empty, NaN where both are.

    Args:
        pairing: the rankings.
        k: the last depth.
        ties: their treatment.

    Raises:
        UsageError: `bad-cutoff`, `unknown-setting`.

    Source: Webber, Moffat and Zobel (2010), A similarity measure for indefinite rankings,
    https://doi.org/10.1145/1852102.1852106; ties: Corsi and Urbano (2024), The treatment of ties in rank-biased
    overlap, https://doi.org/10.1145/3626772.3657700

    >>> agreements(Pairing.of_lists("abc", "bad"), 4)
    array([[0.        , 1.        , 0.66666667, 0.66666667]])
    """
    found = np.empty((len(pairing), cutoff(k) or 0))
    for queries, block in pairing.blocks(k):
        counted = depths(block, treatment(ties), np.full(len(block), k), padded=False)
        found[queries] = counted.agreement(counted.overlap).reshape(len(block), k)
    return found


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
    """Rank-biased overlap, `(1 - p) sum of p^(d - 1) A(d)` over all depths d from 1 to infinity.

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
    series = _Series(p, longest)
    found = np.empty((3, len(pairing)))
    for queries, block in pairing.blocks():
        found[:, queries] = _rbo_block(block, ties, series)
    return Bounded(*found)


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


def _rbo_block(pairing: Pairing, ties: Ties, series: _Series) -> Floats:
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


def rba(pairing: Pairing, *, p: float = 0.9, k: int | None = None) -> Bounded:
    """Rank-biased alignment, the sum of `sqrt(w(r) w(r'))` over the documents of both rankings.

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
    found = np.empty((2, len(pairing)))
    for queries, block in pairing.blocks():
        found[:, queries] = _rba_block(block, p)
    least, most = found
    return Bounded(least, least, most)


def _rba_block(pairing: Pairing, p: float) -> Floats:
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


def overlap(pairing: Pairing, *, k: int | None = None) -> Floats:
    """`[Q]`: the share of the first k documents that two rankings have in common.

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
    row = np.flatnonzero(first.match >= 0)
    both = _share_of_top(first, row, k) * _share_of_top(second, first.match[row].astype(np.int64), k)
    common = totals(both, first.query[row], len(pairing))
    sizes = first.lengths + second.lengths
    if k is not None:
        sizes = np.minimum(first.lengths, k) + np.minimum(second.lengths, k)
    return _ratio(2 * common, sizes.astype(np.float64))


def average_overlap(pairing: Pairing, *, k: int | None = None) -> Floats:
    """`[Q]`: the mean of the overlaps at depths 1 to k.

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
    last = np.maximum(pairing.short, 1) if k is None else np.clip(pairing.long, 1, k)
    found = np.empty(len(pairing))
    for queries, block in pairing.blocks(int(last.max(initial=1))):
        reach = last[queries]
        counted = depths(block, "a", reach, padded=False)
        found[queries] = totals(counted.agreement(counted.overlap), counted.query, len(block)) / reach
    return found


def jaccard(pairing: Pairing, *, k: int | None = None) -> Floats:
    """`[Q]`: of the documents in any of two sets, the share in both: the first k and what is tied with the k-th.

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
    """How likely each document is among the first k."""
    if k is None:
        return np.ones(rows.size)
    top, bottom = side.top[rows].astype(np.float64), side.bottom[rows].astype(np.float64)
    share: Floats = np.clip((k - top + 1) / (bottom - top + 1), 0.0, 1.0)
    return share


def _ratio(part: Floats, whole: Floats) -> Floats:
    share: Floats = np.divide(part, whole, out=np.full(part.size, np.nan), where=whole > 0)
    return share


@dataclass(frozen=True)
class Overlap:
    """One way to say how alike two rankings are: from 0 to 1, symmetric."""

    name: str
    title: str
    function: Callable[..., Floats | Bounded]
    """takes a `Pairing`, and what `takes` says by keyword"""
    takes: tuple[Literal["p", "k"], ...]
    ties: str
    """what becomes of tied documents"""

    def of(self, pairing: Pairing, *, p: float = 0.9, k: int | None = None) -> Floats | Bounded:
        """`[Q]`: one number for each query, NaN where it is undefined, or bounds, too; what is not taken has no effect.

        Raises:
            UsageError: `bad-parameter`, `bad-cutoff`.

        """
        given = {"p": p, "k": k}
        return self.function(pairing, **{name: given[name] for name in self.takes})

    def values(self, pairing: Pairing, *, p: float = 0.9, k: int | None = None) -> Floats:
        """`[Q]`: the numbers alone."""
        found = self.of(pairing, p=p, k=k)
        return found.value if isinstance(found, Bounded) else found


_RANDOM: Final = "the mean over all orders of what is tied"
_SHARED: Final = "they share their first rank"
_RBO: Final = "Rank-biased overlap"
OVERLAPS: Final[Mapping[str, Overlap]] = MappingProxyType(
    {
        one.name: one
        for one in (
            Overlap("rbo", _RBO, rbo, ("p", "k"), _SHARED),
            Overlap("rbo-w", f"{_RBO}, w", rbo, ("p", "k"), _SHARED),
            Overlap("rbo-a", f"{_RBO}, a", partial(rbo, ties="a"), ("p", "k"), _RANDOM),
            Overlap("rbo-b", f"{_RBO}, b", partial(rbo, ties="b"), ("p", "k"), f"{_RANDOM}, corrected"),
            Overlap("rba", "Rank-biased alignment", rba, ("p", "k"), "they share the mean weight of their ranks"),
            Overlap("overlap", "Overlap", overlap, ("k",), _RANDOM),
            Overlap("average-overlap", "Average overlap", average_overlap, ("k",), _RANDOM),
            Overlap("jaccard", "Jaccard index", jaccard, ("k",), "those tied with the k-th document are in"),
        )
    }
)
"""Each by name; `rbo` is `rbo-w`, which is how its authors treat ties."""
