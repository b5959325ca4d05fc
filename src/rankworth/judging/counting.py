"""Where judged documents stand among all scores of their query, without ranking the others."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankworth.hits import Floats, Integers
from rankworth.model import expand


@dataclass(frozen=True)
class Standing:
    """The groups of equal scores in which some documents stand."""

    first: Integers
    """`[N]`: the first rank of each document's group, from 1"""
    last: Integers
    """`[N]`: the last rank of it"""
    order: Integers | None
    """rows from the best score to the worst within their segment; None where they stand so already"""


def stand(scores: Floats, starts: Integers, lengths: Integers, segment: Integers, score: Floats) -> Standing:
    """Find the tie groups of documents.

    Args:
        scores: `[R]`, the scores of all rows, segment after segment; a segment holds one query.
        starts: `[S]`, where each segment begins.
        lengths: `[S]`, how many rows it has.
        segment: `[N]`, the segments of the documents.
        score: `[N]`, the scores of the documents.

    """
    ascending = -scores
    order = _order(ascending, starts, lengths, segment)
    if order is not None:
        ascending = ascending[order]
    low, high = starts[segment], starts[segment] + lengths[segment]
    first = _bisect(ascending, low, high, -score, right=False)
    follows = (first + 1 < high) & (ascending.take(first + 1, mode="clip") == -score)
    last = _bisect(ascending, first, high, -score, right=True) if follows.any() else first + 1
    return Standing(first - low + 1, last - low, order)


def tie_groups(standing: Standing, starts: Integers, segment: Integers) -> tuple[Integers, Integers, Integers]:
    """The rows of all groups of several documents that hold one of the documents asked for.

    Returns:
        The rows; the number of the group of each; and the rank at which its group begins.

    """
    tied = np.flatnonzero(standing.last > standing.first)
    begin = starts[segment[tied]] + standing.first[tied] - 1
    begin, once = np.unique(begin, return_index=True)
    first, last = standing.first[tied][once], standing.last[tied][once]
    size = last - first + 1
    places = expand(begin, size)
    rows = places if standing.order is None else standing.order[places]
    return rows, np.repeat(np.arange(begin.size), size), np.repeat(first, size)


def _order(ascending: Floats, starts: Integers, lengths: Integers, segment: Integers) -> Integers | None:
    """Sort the segments that need it: only those that were asked for and do not stand in order."""
    falls = ascending[1:] < ascending[:-1]
    falls[starts[1:] - 1] = False
    if not falls.any():
        return None
    asked = np.zeros(starts.size, dtype=bool)
    asked[segment] = True
    disorder = np.logical_or.reduceat(np.append(falls, False), starts) & asked
    order = np.arange(ascending.size)
    for length in np.unique(lengths[disorder]).tolist():
        rows = starts[disorder & (lengths == length)][:, None] + np.arange(length)
        order[rows] = np.take_along_axis(rows, np.argsort(ascending[rows], axis=1), axis=1)
    return order


def _bisect(values: Floats, low: Integers, high: Integers, target: Floats, *, right: bool) -> Integers:
    """`bisect_left` or `bisect_right` for many slices of one array at once."""
    low, high = low.copy(), high.copy()
    while (open_ := low < high).any():
        middle = (low + high) >> 1
        found = values.take(middle, mode="clip")
        beyond: NDArray[np.bool_] = (found <= target if right else found < target) & open_
        low = np.where(beyond, middle + 1, low)
        high = np.where(open_ & ~beyond, middle, high)
    return low
