"""Ranks under every convention: by score, by the rank column or as given, and what decides among equal scores."""

from collections.abc import Callable

import numpy as np

from rankworth.errors import InputError
from rankworth.hits import Floats, Integers
from rankworth.io.duplicates import COUNTED
from rankworth.judging.counting import Standing, stand, tie_groups
from rankworth.judging.settings import Ordering, ScoreType

Above = Callable[[Standing], Integers]
"""Tells how many documents of the same score and a greater id each document has."""


def compared(scores: Floats, score_type: ScoreType) -> Floats:
    """Scores as they are compared."""
    if score_type == "float64":
        return scores
    with np.errstate(over="ignore"):
        return scores.astype(np.float32).astype(np.float64)


def places(
    ordering: Ordering,
    scores: Floats,
    starts: Integers,
    lengths: Integers,
    segment: Integers,
    at: Integers,
    row_at: Callable[[Integers], Integers],
    above: Above,
) -> Standing:
    """Where some documents stand; the order of `Standing` is not kept.

    Args:
        ordering: the convention.
        scores: `[R]`, of all documents, those of every query together.
        starts: `[S]`, where each query begins.
        lengths: `[S]`, how many documents it has.
        segment: `[N]`, the queries of the documents that are asked for.
        at: `[N]`, their places in `scores`.
        row_at: the rows at some places, as the run gives them, which tell what document came first.
        above: counts documents of the same score by id.

    Returns:
        Rank, and first and last rank of the group of equal scores, `[N]` each.

    """
    if ordering.order == "given":
        rank = at - starts[segment] + 1
        return Standing(rank, rank, None, rank)
    if ordering.order == "rank":
        rank = _whole(-scores[at])
        return Standing(rank, rank, None, rank)
    values = compared(scores, ordering.score_type)
    standing = stand(values, starts, lengths, segment, values[at])
    if ordering.ties in ("id-descending", "id-ascending"):
        count = above(standing)
        descending = ordering.ties == "id-descending"
        rank = standing.first + count if descending else standing.last - count
    else:
        rank = as_given(standing, starts, segment, lambda: at, row_at, backwards=ordering.ties == "given-reversed")
    if ordering.duplicates in COUNTED:
        rank = _apart(rank, segment, row_at(at))
    return Standing(standing.first, standing.last, None, rank)


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
        starts: as for `places`.
        segment: as for `places`.
        at: as for `places`, asked for only where there are ties.
        row_at: as for `places`.
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


def _apart(rank: Integers, segment: Integers, row: Integers) -> Integers:
    """Ranks of copies of one document, which no id tells apart: that which came first stands first."""
    order = np.lexsort((row, rank, segment))
    follows = np.append(False, (np.diff(rank[order]) == 0) & (np.diff(segment[order]) == 0))[: order.size]
    if not follows.any():
        return rank
    starts = np.flatnonzero(~follows)
    apart = rank.copy()
    apart[order] += np.arange(order.size) - np.repeat(starts, np.diff(starts, append=order.size))
    return apart


def _whole(ranks: Floats) -> Integers:
    """Ranks of a rank column.

    Raises:
        InputError: `bad-score`.

    """
    bad = np.flatnonzero((ranks < 1) | (ranks != np.floor(ranks)))
    if bad.size:
        text = f"a document has the rank {ranks[bad[0]]:g}; ranks are whole numbers from 1"
        raise InputError("bad-score", text, remedy="mend the rank column, or let scores decide: order='score'")
    whole: Integers = ranks.astype(np.int64)
    return whole
