"""Where judged documents stand among all scores of their query, without ranking the others."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from rankworth.hits import Floats, Integers, expand

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
