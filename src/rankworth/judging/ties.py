"""Ranks: by score with ties broken by id or by position, by the rank column, or in the order given."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from rankworth.arrays import Floats, Integers, expand
from rankworth.errors import InputError
from rankworth.settings import Ordering, ScoreType, Ties

if TYPE_CHECKING:
    from rankworth.judging.steps import Hits, Rows

_CELLS: Final = 1 << 17
"""how many scores are sorted at a time, so that they stay in the processor's cache"""


@dataclass(frozen=True)
class Standing:
    """The groups of equal scores in which some documents stand."""

    first: Integers
    """`[N]`: the first rank of each document's group, from 1"""
    last: Integers
    """`[N]`: the last rank of it"""
    order: Integers | None
    """places from the best score to the worst within their segment; None where they stand so already"""


def stand(scores: Floats, starts: Integers, lengths: Integers, segment: Integers, score: Floats) -> Standing:
    """Find the tie groups of documents.

    Args:
        scores: `[R]`, the scores of all rows, segment after segment; a segment holds one query.
        starts: `[S]`, where each segment begins.
        lengths: `[S]`, how many rows it has.
        segment: `[N]`, the segments of the documents.
        score: `[N]`, the scores of the documents.

    """
    ascending, target = -scores, -score
    disorder = _disorder(ascending, starts, segment)
    order = None
    if disorder.any():
        if int(lengths[segment].sum()) <= 2 * scores.size:
            first, last = _counted(ascending, starts, lengths, segment, target)
            if (first == last).all():
                return Standing(first, last, None)
        order = _order(ascending, starts, lengths, disorder)
        ascending = ascending[order]
    low, high = starts[segment], starts[segment] + lengths[segment]
    first = bisect(low, high, lambda place: ascending.take(place, mode="clip") < target)
    last = first + 1
    follows = (last < high) & (ascending.take(last, mode="clip") == target)
    if follows.any():
        last = bisect(last, high, lambda place: ascending.take(place, mode="clip") <= target)
    return Standing(first - low + 1, last - low, order)


@dataclass(frozen=True)
class TieGroups:
    """The groups of several documents that hold one of the documents asked for."""

    held: Integers
    """`[T]`: the documents asked for that stand in a group"""
    group: Integers
    """`[T]`: the number of the group of each"""
    rows: Integers
    """`[R]`: the rows of all groups"""
    group_of_row: Integers
    """`[R]`: the number of the group of each row"""


def tie_groups(standing: Standing, starts: Integers, segment: Integers) -> TieGroups:
    """Find the rows whose ids decide the order of the documents asked for."""
    held = np.flatnonzero(standing.last > standing.first)
    begin = starts[segment[held]] + standing.first[held] - 1
    begin, once, group = np.unique(begin, return_index=True, return_inverse=True)
    size = (standing.last - standing.first + 1)[held][once]
    places = expand(begin, size)
    rows = places if standing.order is None else standing.order[places]
    return TieGroups(held, group, rows, np.repeat(np.arange(begin.size), size))


def _disorder(ascending: Floats, starts: Integers, segment: Integers) -> NDArray[np.bool_]:
    """`[S]`: the segments that were asked for and do not stand in order."""
    falls = ascending[1:] < ascending[:-1]
    falls[starts[1:] - 1] = False
    asked = np.zeros(starts.size, dtype=bool)
    if falls.any():
        asked[segment] = True
        asked &= np.logical_or.reduceat(np.append(falls, False), starts)
    return asked


def _counted(
    ascending: Floats, starts: Integers, lengths: Integers, segment: Integers, target: Floats
) -> tuple[Integers, Integers]:
    """First and last ranks by looking at every score of a segment: for few documents, quicker than to sort it."""
    size = lengths[segment]
    first, last = np.ones_like(segment), np.zeros_like(segment)
    blocks = np.flatnonzero(np.diff(np.cumsum(size) // _CELLS, prepend=-1))
    for begin, end in pairwise([*blocks.tolist(), segment.size]):
        some = slice(begin, end)
        ends = np.cumsum(size[some])
        values = ascending[expand(starts[segment[some]], size[some])]
        theirs = np.repeat(target[some], size[some])
        first[some] += np.add.reduceat(values < theirs, ends - size[some], dtype=np.int64)
        last[some] += np.add.reduceat(values <= theirs, ends - size[some], dtype=np.int64)
    return first, last


def _order(ascending: Floats, starts: Integers, lengths: Integers, disorder: NDArray[np.bool_]) -> Integers:
    """All places, those of the segments in disorder by their values."""
    order = np.arange(ascending.size)
    for length in np.unique(lengths[disorder]).tolist():
        begin, step = starts[disorder & (lengths == length)], max(1, _CELLS // length)
        for some in range(0, begin.size, step):
            rows = begin[some : some + step, None] + np.arange(length)
            order[rows] = np.take_along_axis(rows, np.argsort(ascending[rows], axis=1), axis=1)
    return order


def bisect(low: Integers, high: Integers, before: Callable[[Integers], NDArray[np.bool_]]) -> Integers:
    """For many slices at once, the first place that is not `before`; places may lie one beyond the end.

    Args:
        low: where each slice begins.
        high: where it ends.
        before: tells for one place per slice whether what is searched comes after it.

    """
    low, high = low.copy(), high.copy()
    while (open_ := low < high).any():
        middle = (low + high) >> 1
        beyond = before(middle) & open_
        low = np.where(beyond, middle + 1, low)
        high = np.where(open_ & ~beyond, middle, high)
    return low


def compared(scores: Floats, score_type: ScoreType) -> Floats:
    """Scores as they are compared."""
    if score_type == "float64":
        return scores
    with np.errstate(over="ignore"):
        return scores.astype(np.float32).astype(np.float64)


Stood = tuple[Integers, Integers, Integers]
"""First rank of the group of equal scores, last rank of it, and rank: `[N]` each."""


class Ranks:
    """Ranks of some documents of a batch by several orderings; what these share is computed once."""

    def __init__(self, batch: "Rows", hits: "Hits") -> None:
        """Hold the rows of the batch and the documents."""
        self._batch, self._hits = batch, hits
        self._scores: dict[ScoreType, Standing] = {}
        self._broken: dict[tuple[ScoreType, Ties], Stood] = {}

    def by(self, ordering: Ordering) -> Stood:
        """Ranks by one ordering."""
        batch, hits, key = self._batch, self._hits, (ordering.score_type, ordering.ties)
        if ordering.order == "given":
            rank = hits.row - batch.starts[hits.segment] + 1
            return rank, rank, rank
        if ordering.order == "rank":
            rank = whole(batch.ranks[hits.row])
            return rank, rank, rank
        if key[0] not in self._scores:
            scores, score = compared(batch.scores, key[0]), compared(hits.score, key[0])
            self._scores[key[0]] = stand(scores, batch.starts, batch.lengths, hits.segment, score)
        if key not in self._broken:
            standing = self._scores[key[0]]
            self._broken[key] = standing.first, standing.last, _broken(standing, batch, hits, ordering.ties)
        return self._broken[key]


def _broken(standing: Standing, batch: "Rows", hits: "Hits", ties: Ties) -> Integers:
    """Ranks of documents within groups of equal scores."""
    rank = standing.first.copy()
    groups = tie_groups(standing, batch.starts, hits.segment)
    if not groups.held.size:
        return rank
    if ties in ("given", "given-reversed"):
        order = np.lexsort((groups.rows if ties == "given" else -groups.rows, groups.group_of_row))
    else:
        order = batch.by_id(groups.rows, groups.group_of_row, descending=ties == "id-descending")
    size = np.bincount(groups.group_of_row)
    before = np.empty_like(order)
    before[order] = expand(np.zeros_like(size), size)
    by_row = np.argsort(groups.rows)
    held = np.searchsorted(groups.rows, hits.row[groups.held], sorter=by_row)
    rank[groups.held] += before[by_row[held]]
    return rank


def whole(ranks: Floats) -> Integers:
    """Ranks of a rank column.

    Raises:
        InputError: `bad-score`.

    """
    bad = np.flatnonzero((ranks < 1) | (ranks != np.floor(ranks)) | ~np.isfinite(ranks))
    if bad.size:
        text = f"a document has the rank {ranks[bad[0]]:g}; ranks are whole numbers from 1"
        raise InputError("bad-score", text, remedy="mend the rank column, or let scores decide: order='score'")
    found: Integers = ranks.astype(np.int64)
    return found
