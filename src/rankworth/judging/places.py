"""Ranks under every convention: by score, by the rank column or as given, and what decides among equal scores."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from rankworth.errors import InputError
from rankworth.hits import Floats, Integers
from rankworth.io.duplicates import COUNTED
from rankworth.judging.counting import Standing, stand, tie_groups
from rankworth.judging.settings import Ordering, ScoreType

if TYPE_CHECKING:
    from rankworth.judging.batches import Batch

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
