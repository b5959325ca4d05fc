"""Ranks: by score with ties broken by id or by position, by the rank column, or in the order given."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from rankworth.arrays import Floats, Integers, expand
from rankworth.errors import InputError
from rankworth.io.duplicates import COUNTED
from rankworth.settings import Ordering, ScoreType

if TYPE_CHECKING:
    from rankworth.judging.batches import Batch

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


Above = Callable[[Standing], Integers]
"""Tells how many documents of the same score and a greater id each document has."""


def compared(scores: Floats, score_type: ScoreType) -> Floats:
    """Scores as they are compared."""
    if score_type == "float64":
        return scores
    with np.errstate(over="ignore"):
        return scores.astype(np.float32).astype(np.float64)


class Places:
    """Where some documents of a batch stand, by several conventions; what these have in common is found once."""

    def __init__(self, batch: "Batch", segment: Integers, at: Integers, above: Above) -> None:
        """Hold what is asked for.

        Args:
            batch: the rows.
            segment: `[N]`, the queries of the documents.
            at: `[N]`, their places where the rows of every query stand together.
            above: counts documents of the same score by id.

        """
        self._batch = batch
        self._segment = segment
        self._at = at
        self._above = above
        self._scores = batch.scores_together
        self._standing: dict[ScoreType, Standing] = {}
        self._count: dict[ScoreType, Integers] = {}
        self._found: dict[Ordering, Stood] = {}
        self._tied: dict[ScoreType, bool] = {}
        self._untied: list[Stood] = []

    def by(self, ordering: Ordering) -> "Stood":
        """First and last rank of the group of equal scores, and rank, by one convention: `[N]` each."""
        copies = ordering.duplicates in COUNTED
        key = ordering._replace(duplicates="all" if copies else "error", exclude=None)
        if key not in self._found:
            first, last, rank = self._stood(ordering)
            if copies and ordering.order == "score" and self._tied[ordering.score_type]:
                rows = self._batch.row_at(self._at)
                rank = _apart(rank, self._segment, rows, upwards=ordering.ties == "id-ascending")
            self._found[key] = first, last, rank
        return self._found[key]

    def _stood(self, ordering: Ordering) -> "Stood":
        batch, segment, at = self._batch, self._segment, self._at
        if ordering.order == "given":
            rank = at - batch.starts[segment] + 1
            return rank, rank, rank
        if ordering.order == "rank":
            rank = whole((-batch.scores if batch.ranks is None else batch.ranks)[batch.row_at(at)])
            return rank, rank, rank
        kind = ordering.score_type
        if kind not in self._standing:
            values = compared(self._scores, kind)
            self._standing[kind] = stand(values, batch.starts, batch.lengths, segment, values[at])
        standing = self._standing[kind]
        first, last = standing.first, standing.last
        if kind not in self._tied:
            self._tied[kind] = not np.array_equal(first, last)
        if not self._tied[kind]:
            other = next((stood for stood in self._untied if np.array_equal(stood[0], first)), None)
            if other is None:
                self._untied.append((first, last, first))
            return self._untied[-1] if other is None else other
        if ordering.ties in ("given", "given-reversed"):
            backwards = ordering.ties == "given-reversed"
            rank = as_given(standing, batch.starts, segment, lambda: at, batch.row_at, backwards=backwards)
            return first, last, rank
        if kind not in self._count:
            self._count[kind] = self._above(standing)
        count = self._count[kind]
        return first, last, first + count if ordering.ties == "id-descending" else last - count


Stood = tuple[Integers, Integers, Integers]
"""First rank, last rank, rank."""


def as_given(
    standing: Standing,
    starts: Integers,
    segment: Integers,
    at: Callable[[], Integers],
    row_at: Callable[[Integers], Integers],
    *,
    backwards: bool,
) -> Integers:
    """Ranks where the first of several documents with one score is that which came first, or last.

    Args:
        standing: the groups of equal scores.
        starts: `[S]`, where each query begins.
        segment: `[N]`, the queries of the documents.
        at: their places, `[N]`, asked for only where there are ties.
        row_at: the rows at some places, as the run gives them, which tell what document came first.
        backwards: whether that which came last stands first.

    """
    rank = standing.last.copy() if backwards else standing.first.copy()
    groups = tie_groups(standing, starts, segment)
    if not groups.held.size:
        return rank
    order = np.lexsort((row_at(groups.rows), groups.group_of_row))
    size = np.bincount(groups.group_of_row)
    before = np.arange(order.size) - np.repeat(np.cumsum(size) - size, size)
    by_place = np.argsort(groups.rows[order])
    earlier = before[by_place[np.searchsorted(groups.rows[order][by_place], at()[groups.held])]]
    rank[groups.held] += -earlier if backwards else earlier
    return rank


def _apart(rank: Integers, segment: Integers, row: Integers, *, upwards: bool) -> Integers:
    """Ranks of copies of one document, which no id tells apart: that which came first stands first.

    Args:
        rank: `[N]`, the same for all copies: the first of their ranks, or the last.
        segment: `[N]`, the queries of the documents.
        row: `[N]`, their rows.
        upwards: whether it is the last.

    """
    order = np.lexsort((row, rank, segment))
    follows = np.append(False, (np.diff(rank[order]) == 0) & (np.diff(segment[order]) == 0))[: order.size]
    if not follows.any():
        return rank
    starts = np.flatnonzero(~follows)
    apart = rank.copy()
    size = np.diff(starts, append=order.size)
    apart[order] += np.arange(order.size) - np.repeat(starts, size)
    if upwards:
        apart[order] -= np.repeat(size - 1, size)
    return apart


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
