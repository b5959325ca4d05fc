"""Overlap and agreement of two rankings at every depth, with ties."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal, cast, get_args

import numpy as np

from rankworth.arrays import Floats, Integers
from rankworth.correlation.pairing import Pairing, Ranks, Side, cutoff
from rankworth.errors import UsageError

Ties = Literal["w", "a", "b"]
"""What a tie means: `w`, the documents really share the rank; `a`, their order is not known, and all orders count
alike; `b`, as `a`, and corrected for what is not known."""
ROWS: Final = 1 << 17
"""Of both rankings, which are worked on at a time, so that memory is bounded and the work stays in the cache."""


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
    for queries, block in reached(pairing, k):
        counted = depths(block, treatment(ties), np.full(len(block), k), padded=False)
        found[queries] = counted.agreement(counted.overlap).reshape(len(block), k)
    return found


def reached(pairing: Pairing, k: int) -> Iterator[tuple[slice, Pairing]]:
    """Blocks of queries that are neither long themselves nor have too many depths down to k."""
    most = max(1, ROWS // k)
    for queries, block in pairing.blocks(ROWS):
        for begin in range(0, len(block), most):
            end = min(begin + most, len(block))
            first, second = int(block.first.starts[begin]), int(block.second.starts[begin])
            some = Pairing(
                block.queries[begin:end],
                block.first.rows(begin, end, second),
                block.second.rows(begin, end, first),
            )
            yield slice(queries.start + begin, queries.start + end), some
