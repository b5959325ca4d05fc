"""The steps of any fusion, from the lists of some queries to fused lists: order, parts, join, order."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from rankworth.arrays import Integers
from rankworth.fusion import candidates as joining
from rankworth.fusion.candidates import Candidates, List, TieRule
from rankworth.fusion.joins import Array, Join
from rankworth.fusion.norms import Lists

InputOrder = Literal["score", "given", "rank"]
"""what ranks the documents of a list: its scores, the order of its rows, or its column of ranks"""
Repetition = Literal["error", "add", "max", "last-part", "first", "last"]
"""what becomes of a document that a list has twice: an error; its parts are added, or the best or the last one counts;
its first row counts, or its first row with the last of its scores"""
Who = Literal["union", "intersection", "all"]
"""which documents are fused: those of any list, or of all lists; or those of any list, where a list that does not have
one takes it for a document of score 0"""
Precision = Literal["float64", "float32"]
Fill = Literal["nothing", "zero", "minimum", "points", "half-points"]
"""what stands in the place of a part of a document that a list lacks: nothing, 0, the least part of the list; what the
ranks that the list leaves open are worth on average when the last of c candidates is worth 1 (`points`), or about that
over c (`half-points`, as ranx has it)"""
LastTies = Literal[TieRule, "score-of-last", "last-list-first"]
"""what stands first among equal fused scores; `score-of-last`: the higher score in the last list that has it;
`last-list-first`: what comes first in the last list, then in the list before it"""
RULES: Final = ("id-descending", "id-ascending", "first-seen")


@dataclass(frozen=True)
class Steps:
    """What a fusion does.

    Attributes:
        part: what each document of a list is worth.
        join: how the parts of a document become one score.
        order: what ranks the documents of a list.
        list_ties: what stands first among equal scores of a list.
        repetition: what becomes of a document that a list has twice.
        who: which documents are fused.
        missing: what stands in the place of a part that is missing.
        precision: the type in which scores are computed.
        ties: what stands first among equal fused scores.
        close: fused scores that differ by less are equal.
        depth: how many documents of each list are looked at; all where None.
        top: how many documents of each query there are in the end; all where None.

    """

    part: Callable[[Lists], Array]
    join: Join
    order: InputOrder = "score"
    list_ties: TieRule = "id-descending"
    repetition: Repetition = "error"
    who: Who = "union"
    missing: Fill = "nothing"
    precision: Precision = "float64"
    ties: LastTies = "id-descending"
    close: float = 0.0
    depth: int | None = None
    top: int | None = None

    @cached_property
    def uses_scores(self) -> bool:
        """Whether scores count, and not ranks alone: parts differ where scores do and ranks do not."""
        return not np.array_equal(self._parts_of(3.0, 2.0, 1.0), self._parts_of(9.0, 2.0, 1.5))

    @cached_property
    def depends_on_depth(self) -> bool:
        """Whether the parts of the first documents change with the scores of those below them."""
        return self.uses_scores and not np.array_equal(
            self._parts_of(3.0, 2.0, 1.0)[:2], self._parts_of(3.0, 2.0, 1.0, 0.5)[:2]
        )

    def _parts_of(self, *scores: float) -> Array:
        """Return the parts of one list of a query."""
        size = len(scores)
        values = np.array([scores], dtype=self.precision)
        ranks = np.arange(1.0, size + 1, dtype=self.precision)[None, :]
        lists = Lists(values, ranks, np.array([4.0], dtype=self.precision), np.zeros(1, dtype=bool), 0, 2)
        with np.errstate(all="ignore"):
            parts: Array = self.part(lists)[0]
        return parts


@dataclass(frozen=True, eq=False)
class FusedLists:
    """The fused lists of some queries.

    Attributes:
        candidate: `[K]`, the documents, by query and then best first.
        scores: `[C]`, of all candidates; NaN of those that are not fused.
        parts: `[C, L]`, before they are weighted and joined; NaN where a list lacks the document and nothing stands for
            it.
        ranks: `[C, L]`, the rank by which the part came about, from 1; NaN where a list lacks the document.

    """

    candidate: Integers
    scores: Array
    parts: Array
    ranks: Array


def fuse_lists(candidates: Candidates, lists: Sequence[List], steps: Steps, weights: Sequence[float]) -> FusedLists:
    """Fuse the lists of some queries.

    Args:
        candidates: their documents.
        lists: one for each system.
        steps: what is done.
        weights: `[L]`.

    """
    kind = np.dtype(steps.precision)
    ranked = [_ranked(candidates, rows, steps) for rows in lists]
    lists_of = np.sum([rows.lengths > 0 for rows in ranked], axis=0)  # [Q]: how many lists have documents for the query
    size = candidates.query.size
    is_left = np.zeros(size, dtype=bool)  # [C]: whether any list has it, once lists are cut
    for rows in ranked:
        is_left[rows.candidate] = True
    sizes = np.bincount(candidates.query[is_left], minlength=len(candidates.queries))  # [Q]
    parts = np.full((size, len(lists)), np.nan, dtype=kind)
    ranks = np.full((size, len(lists)), np.nan)
    for number, (rows, weight) in enumerate(zip(ranked, weights, strict=True)):
        values, by_rank = _parts(sizes, rows, steps, lists_of == 1, number, len(lists), weight)
        parts[:, number] = _put(values, rows.candidate, size, steps.repetition)
        ranks[rows.candidate[::-1], number] = by_rank[::-1]  # of a document that stands twice, the better rank
        if steps.missing != "nothing":
            lacking = np.isnan(ranks[:, number])
            parts[lacking, number] = _fill(sizes, rows, values, steps.missing)[candidates.query[lacking]]
    with np.errstate(all="ignore"):
        scores = np.asarray(steps.join(parts, np.asarray(weights, dtype=kind)))
    fused = ~np.isnan(ranks).any(axis=1) if steps.who == "intersection" else is_left
    chosen = np.flatnonzero(fused)
    order = joining.in_order(
        candidates.query[chosen], scores[chosen], _ties(candidates, ranked, chosen, steps.ties), steps.close
    )
    candidate = chosen[order]
    if steps.top is not None:
        candidate = candidate[_position(candidates.query[candidate], len(candidates.queries)) < steps.top]
    return FusedLists(candidate, np.where(fused, scores, np.nan), parts, ranks)


def _position(query: Integers, queries: int) -> Integers:
    """Return the place of each row among those of its query, from 0."""
    lengths = np.bincount(query, minlength=queries)
    return np.arange(query.size) - (np.cumsum(lengths) - lengths)[query]


def _ranked(candidates: Candidates, rows: List, steps: Steps) -> List:
    """Bring the rows of a list in the order that ranks them."""
    if steps.repetition in ("first", "last"):
        rows = joining.without_repetitions(rows, last=steps.repetition == "last")
    if steps.who == "all":
        rows = _completed(candidates, rows)
    if steps.order == "score":
        rows = _by_score(candidates, rows, steps)
    if steps.depth is not None:
        rows = rows.take(np.flatnonzero(rows.position < steps.depth))
    return rows


def _by_score(candidates: Candidates, rows: List, steps: Steps) -> List:
    """Bring the rows in the order of their scores, unless they stand so."""
    scores = rows.scores.astype(steps.precision)
    inner = rows.query[1:] == rows.query[:-1]
    order = np.arange(scores.size)
    rising = inner & (scores[1:] > scores[:-1])
    if rising.any():
        unordered = np.isin(rows.query, np.unique(rows.query[1:][rising]))
        order[unordered] = order[unordered][np.lexsort((-scores[unordered], rows.query[unordered]))]
    elif not (inner & (scores[1:] == scores[:-1])).any():
        return rows
    ties: Callable[[Integers, Integers], Integers] = joining.by_row
    if steps.list_ties != "first-seen":
        ties = joining.by_id(lambda places: candidates.ids(rows.candidate[places]), steps.list_ties)
    return rows.take(joining.untied(order, rows.query, scores, ties))


def _completed(candidates: Candidates, rows: List) -> List:
    """Add the candidates that a list lacks, with a score of 0; the documents stand in the order of their ids."""
    order = joining.by_id(candidates.ids, "id-ascending")(np.arange(candidates.query.size), candidates.query)
    scores = np.zeros(order.size)
    scores[rows.candidate] = rows.scores
    return List(candidates.sizes, candidates.query[order], order, scores[order])


def _parts(
    candidates: Integers,
    rows: List,
    steps: Steps,
    alone: NDArray[np.bool_],
    number: int,
    systems: int,
    weight: float,
) -> tuple[Array, Array]:
    """Compute what each row is worth, lists of one length at a time.

    Args:
        candidates: `[Q]`, how many documents all lists of a query have together.
        rows: the rows of one list.
        steps: what is done.
        alone: `[Q]`, whether no other list has documents for the query.
        number: which of the systems it is.
        systems: how many there are.
        weight: the weight of this one.

    Returns:
        `[R]` each: the parts, and the ranks from 1.

    """
    values = np.empty(rows.scores.size, dtype=steps.precision)
    ranks = rows.position + 1.0 if steps.order != "rank" or rows.ranks is None else rows.ranks.astype(np.float64)
    starts = np.cumsum(rows.lengths) - rows.lengths
    scores = rows.scores.astype(steps.precision)
    sizes = candidates.astype(steps.precision)
    for length in np.unique(rows.lengths[rows.lengths > 0]).tolist():
        queries = np.flatnonzero(rows.lengths == length)
        places = starts[queries][:, None] + np.arange(length)
        of_ranks = ranks[places].astype(steps.precision)
        of_length = Lists(scores[places], of_ranks, sizes[queries], alone[queries], number, systems, weight)
        with np.errstate(all="ignore"):
            values[places] = steps.part(of_length)
    return values, ranks


def _put(values: Array, candidate: Integers, size: int, repetition: Repetition) -> Array:
    """Return `[C]`, the part of each candidate: NaN where the list does not have it."""
    column = np.full(size, np.nan, dtype=values.dtype)
    if repetition == "max":
        np.fmax.at(column, candidate, values)
    elif repetition == "add":
        column[candidate] = 0
        np.add.at(column, candidate, values)
    else:
        column[candidate] = values
    return column


def _fill(candidates: Integers, rows: List, values: Array, missing: Fill) -> Array:
    """Return `[Q]`, what stands in the place of missing parts of each query."""
    filling = np.zeros(rows.lengths.size, dtype=values.dtype)
    if missing == "points":
        return np.asarray((candidates - rows.lengths + 1) / 2, dtype=values.dtype)
    if missing == "half-points":
        return np.asarray(0.5 - (rows.lengths - 1) / (2 * candidates), dtype=values.dtype)
    if missing == "minimum":
        has_rows = rows.lengths > 0
        starts = (np.cumsum(rows.lengths) - rows.lengths)[has_rows]
        filling[has_rows] = np.minimum.reduceat(values, starts) if starts.size else values
    return filling


def _ties(
    candidates: Candidates, lists: Sequence[List], chosen: Integers, rule: LastTies
) -> Callable[[Integers, Integers], Integers]:
    """Return a function that orders tied documents by their positions among the fused documents."""
    if rule == "first-seen":
        return joining.by_row
    if rule in ("id-descending", "id-ascending"):
        return joining.by_id(lambda places: candidates.ids(chosen[places]), rule)
    first = np.full(candidates.query.size, np.inf)  # [C]: what is less comes first
    for number, rows in enumerate(lists):
        place = rows.position - float(number) * candidates.query.size
        first[rows.candidate[::-1]] = (-rows.scores if rule == "score-of-last" else place)[::-1]
    return lambda rows, group: rows[np.lexsort((rows, first[chosen[rows]], group))]


def with_limits(steps: Steps, depth: int | None, top: int | None) -> Steps:
    """Return steps that look at the first documents of each list, and keep the first ones in the end.

    Args:
        steps: what is done, perhaps with limits of its own; the lower ones hold.
        depth: how many documents of each list are looked at; all where None.
        top: how many documents of each query are kept; all where None.

    """
    return replace(steps, depth=_lower(steps.depth, depth), top=_lower(steps.top, top))


def _lower(limit: int | None, other: int | None) -> int | None:
    return min((each for each in (limit, other) if each is not None), default=None)


def float_of(values: NDArray[Any]) -> NDArray[np.float64]:
    """Return numbers in double precision, as runs hold them."""
    return values.astype(np.float64)
