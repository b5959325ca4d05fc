"""Two rankings of documents side by side, for many queries at once, and how they overlap at every depth, with ties."""

from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Real
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
        """Take the rows of consecutive queries, where those of the other side begin at `shift`."""
        begin, end = int(self.starts[first]), int(self.starts[last])
        top, match = self.top[begin:end], self.match[begin:end]
        bottom = top if self.bottom is self.top else self.bottom[begin:end]
        return Side(self.starts[first : last + 1] - begin, top, bottom, np.where(match < 0, -1, match - shift))

    def kept(self, rows: NDArray[np.bool_], other: NDArray[np.bool_]) -> "Side":
        """Keep some of the rows; `other` says which rows of the other side are kept."""
        starts = np.concatenate(([0], np.cumsum(rows)))[self.starts]  # [Q + 1]
        top = self.top[rows]
        match = self.match[rows]
        # [N' + 1]: the new row of each row of the other side, -1 where it is dropped
        new_rows = np.append(np.where(other, np.cumsum(other) - 1, -1), -1)  # the last one is that of row -1
        bottom = top if self.bottom is self.top else self.bottom[rows]
        return Side(starts, top, bottom, new_rows[match].astype(self.match.dtype))


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
        """Pair two rankings of one query, which goes without a name.

        Raises:
            InputError: `duplicate-document`.

        """
        return cls.of_rankings({"": first}, {"": second})

    @classmethod
    def of_rankings(
        cls, first: Mapping[str, Ranking], second: Mapping[str, Ranking], queries: Sequence[str] | None = None
    ) -> "Pairing":
        """Pair rankings by query.

        Args:
            first: for each query its groups, best first.
            second: for each query the groups of the other side.
            queries: which, in which order; where not said, those of the first side, and after them what else the second
                side has.

        Raises:
            InputError: `duplicate-document`.

        """
        names = tuple({**first, **second} if queries is None else queries)
        sides: list[tuple[list[int], list[int], list[int], list[int]]] = [([0], [], [], []), ([0], [], [], [])]
        for query in names:
            rows_by_side: list[dict[Hashable, int]] = []
            for rankings, (starts, top, bottom, match) in zip((first, second), sides, strict=True):
                rows: dict[Hashable, int] = {}
                for group in rankings.get(query, ()):
                    tied = group if isinstance(group, list | tuple | set | frozenset) else (group,)
                    begin = len(top) - starts[-1] + 1
                    for document in tied:
                        if document in rows:
                            raise repeated_document(document, query)
                        rows[document] = len(top)
                        top.append(begin)
                        bottom.append(begin + len(tied) - 1)
                match.extend([-1] * len(rows))
                starts.append(len(top))
                rows_by_side.append(rows)
            first_rows, second_rows = rows_by_side
            for document in first_rows.keys() & second_rows.keys():
                sides[0][3][first_rows[document]] = second_rows[document]
                sides[1][3][second_rows[document]] = first_rows[document]
        made = []
        for starts, *columns in sides:
            top_ranks, bottom_ranks, matches = (np.array(column, dtype=np.int32) for column in columns)
            made.append(Side(np.array(starts, dtype=np.int64), top_ranks, bottom_ranks, matches))
        return cls(names, *made)

    def __len__(self) -> int:
        """Count the queries."""
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
        """Keep the first k documents of each ranking, and whatever is tied with the k-th; keep all where k is None.

        A group of ties is kept whole or not at all: to keep a part of it, documents would have to be told apart by name
        or by place, and renaming them would change the result.

        Raises:
            UsageError: `bad-cutoff`.

        """
        if cutoff(k) is None:
            return self
        in_first, in_second = (side.top <= np.int64(k or 0) for side in (self.first, self.second))
        if in_first.all() and in_second.all():
            return self
        return Pairing(self.queries, self.first.kept(in_first, in_second), self.second.kept(in_second, in_first))

    def blocks(self, depth: int = 1) -> "Iterator[tuple[slice, Pairing]]":
        """Yield the queries in blocks, so that neither their rows nor their depths down to `depth` are too many."""
        places = self.first.starts + self.second.starts  # [Q + 1]: rows of both sides before each query
        begin = 0
        while begin < len(self):
            rows = int(np.searchsorted(places, places[begin] + ROWS, side="right")) - 1
            end = max(begin + 1, min(rows, begin + ROWS // depth))
            first, second = int(self.first.starts[begin]), int(self.second.starts[begin])
            first_side, second_side = self.first.rows(begin, end, second), self.second.rows(begin, end, first)
            yield slice(begin, end), Pairing(self.queries[begin:end], first_side, second_side)
            begin = end


def cutoff(k: int | None) -> int | None:
    """Check a cutoff and return it; None stands for no cutoff.

    Raises:
        UsageError: `bad-cutoff` where it is no whole number from 1.

    """
    if k is not None and (isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 1):
        raise UsageError("bad-cutoff", f"k={k!r}: a cutoff is a whole number from 1")
    return k


def persistence(p: object) -> float:
    """Check the probability to go on from a rank to the next one, and return it.

    Raises:
        UsageError: `bad-parameter` where it is no number between 0 and 1.

    """
    if isinstance(p, bool) or not isinstance(p, Real) or not 0 < float(p) < 1:
        raise UsageError("bad-parameter", f"p={p!r}: p lies between 0 and 1, and is neither")
    return float(p)


def totals(values: Floats, query: Integers, count: int) -> Floats:
    """Return `[Q]`, the sums of what belongs to each of so many queries, added from left to right."""
    return np.asarray(np.bincount(query, values, minlength=count), dtype=np.float64)


def groups_of(scores: Floats, starts: Integers, kind: type[np.integer[Any]]) -> tuple[Ranks, Ranks]:
    """Return first and last ranks of groups of equal scores, `[N]` each; one array twice where there are no ties.

    Args:
        scores: `[N]`, those of each query together, highest first.
        starts: `[Q + 1]`.
        kind: what ranks are kept as.

    """
    lengths = np.diff(starts)
    rank = np.arange(1, scores.size + 1, dtype=kind)
    rank -= np.repeat(starts[:-1].astype(kind), lengths)  # [N]: from 1 in each query
    opens = np.ones(scores.size, dtype=np.bool_)  # [N]: whether a group begins here
    np.not_equal(scores[1:], scores[:-1], out=opens[1:])
    opens[starts[:-1][lengths > 0]] = True
    if opens.all():
        return rank, rank
    rows = np.flatnonzero(opens)  # [G]: the first row of each group
    sizes = np.diff(rows, append=scores.size)  # [G]
    top = np.repeat(rank[rows], sizes)
    return top, top + np.repeat((sizes - 1).astype(kind), sizes)


def repeated_document(document: object, query: str) -> InputError:
    """Return the error for a document that appears twice in one ranking."""
    where = f"query {quoted([query])}" if query else "a ranking"
    text = f"{where} has the document {quoted([document])} twice"
    return InputError("duplicate-document", text, remedy="a document has one place in a ranking; leave the others out")


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
    """`[D]`: how many of the second ranking are"""
    ties: Ties

    def agreement(self, overlap: Floats, at: "Integers | slice" = slice(None)) -> Floats:
        """Divide some overlaps at some depths by what is there: 0 beside an empty ranking, NaN for two."""
        first, second = self.first[at], self.second[at]
        with np.errstate(invalid="ignore"):
            if self.ties == "b":
                squares = first * second
                return overlap / np.where(squares > 0, np.sqrt(squares), first + second)
            return 2 * overlap / (first + second)


def treatment(ties: str) -> Ties:
    """Check the treatment of ties and return it.

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
        size = depth.astype(np.float64) if padded else np.minimum(depth, side.lengths[query]).astype(np.float64)  # [D]
        if ties != "a" and side.tied:
            slot, row = _slots(side, starts, reach)  # [n] each
            top, bottom = side.top[row].astype(np.float64), side.bottom[row].astype(np.float64)
            # under b, the sum of squared shares
            size[slot] = bottom if ties == "w" else top - 1 + (depth[slot] - top + 1) ** 2 / (bottom - top + 1)
        sizes.append(size)
    return Depths(starts, query, depth, overlap, sizes[0], sizes[1], ties)


def _overlap(pairing: Pairing, ties: Ties, starts: Integers, reach: Integers) -> Floats:
    """Return `[D]`, how many documents, or which shares of them, both rankings have down to each depth."""
    first, second = pairing.first, pairing.second
    row = np.flatnonzero(first.match >= 0)  # [C]: the common documents
    # [C] each: where the depths of the query begin among all D, and the last depth
    base, last = starts[:-1][first.query[row]], reach[first.query[row]]
    other = first.match[row]  # [C]: the same documents on the second side
    total = int(starts[-1])
    if ties == "w" or not pairing.tied:
        # [C]: the first depth at which both rankings have the document
        begins = np.maximum(first.top[row], second.top[other])
        return _counts(base, begins, last, total).astype(np.float64)
    # [C] each: the group in the first ranking
    top, bottom = first.top[row].astype(np.int64), first.bottom[row].astype(np.int64)
    # [C] each: the group in the second ranking
    other_top, other_bottom = second.top[other].astype(np.int64), second.bottom[other].astype(np.int64)

    def during(begins: Integers, ends: Integers) -> Floats:
        return _counts(base, begins, np.minimum(ends, last), total).astype(np.float64)

    first_share, second_share = (_share_by_depth(side, starts, reach) for side in (first, second))  # [D] each
    whole = during(np.maximum(bottom, other_bottom), last)  # [D]: common documents with both groups above the depth
    cut_here = during(np.maximum(top, other_bottom), bottom - 1)
    cut_there = during(np.maximum(bottom, other_top), other_bottom - 1)
    cut_both = during(np.maximum(top, other_top), np.minimum(bottom, other_bottom) - 1)
    return whole + (first_share * cut_here + second_share * cut_there) + first_share * second_share * cut_both


def _counts(base: Integers, begins: Ranks, ends: Integers, total: int) -> Integers:
    """Return `[D]`, how many documents count at each depth, each from one depth to another one, if there are any.

    Args:
        base: `[C]`, where the depths of the query of each document begin.
        begins: `[C]`, the first depth.
        ends: `[C]`, the last depth, no more than there are.
        total: how many depths there are.

    """
    is_valid = begins <= ends
    base = base[is_valid]
    # [D + 1]: how many begin at each depth, less those that ended before it
    changes = np.bincount(base + begins[is_valid] - 1, minlength=total + 1)
    changes -= np.bincount(base + ends[is_valid], minlength=total + 1)
    counts: Integers = np.cumsum(changes)[:-1]
    return counts


def _slots(side: Side, starts: Integers, reach: Integers) -> tuple[Integers, Integers]:
    """Locate the documents of a side: `[n]` each, depths, as places among all depths, and the rows that stand there."""
    query = side.query
    rank = np.arange(1, query.size + 1) - side.starts[query]  # [N]: from 1, each row by itself
    row = np.flatnonzero(rank <= reach[query])  # [n]: the rows down to the last depth
    return starts[query[row]] + rank[row] - 1, row


def _share_by_depth(side: Side, starts: Integers, reach: Integers) -> Floats:
    """Return `[D]`, which share of the group at each depth is above the cut; 1 beyond the end."""
    share = np.ones(int(starts[-1]))
    slot, row = _slots(side, starts, reach)
    top = side.top[row].astype(np.int64)
    rank = row + 1 - side.starts[side.query[row]]  # [n]: from 1, each row by itself
    share[slot] = (rank - top + 1) / (side.bottom[row] - top + 1)
    return share


def agreements(pairing: Pairing, k: int, ties: Ties = "w") -> Floats:
    """Return `[Q, k]`, the agreement of two rankings at depths 1 to k.

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
    values = np.empty((len(pairing), cutoff(k) or 0))
    for queries, block in pairing.blocks(k):
        counted = depths(block, treatment(ties), np.full(len(block), k), padded=False)
        values[queries] = counted.agreement(counted.overlap).reshape(len(block), k)
    return values
