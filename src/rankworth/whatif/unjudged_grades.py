"""Lowest and highest value, or difference of two runs, over the grades that unjudged documents could have.

Every end is the value of a ranking in which these documents have grades, built and measured as any other; what is said
here is which grades these are: the least and the best ones where values only grow with grades, else those of `_linear`,
`_prefixes` or an enumeration. A document has one grade in all rankings, and is known to all ideal rankings.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations_with_replacement, product
from math import comb
from typing import Any, NamedTuple

import numpy as np

from rankworth.arrays import Floats, Integers, Pool, expand
from rankworth.judging.judged_run import JudgedRows
from rankworth.measures import Measure, Terms
from rankworth.measures.building_blocks import SIGNED
from rankworth.measures.core import Ideal
from rankworth.scoring.columns import Mask
from rankworth.whatif.rankings import MeasureContext
from rankworth.whatif.tie_orders import MAX_DOCUMENTS, MAX_RANKINGS, Bounds, is_ordered, worth


class Assignments(NamedTuple):
    """Ways to give grades to the unjudged documents of queries."""

    query: Integers
    """`[W]`: which query"""
    grades: Floats
    """`[N]`: the grades of its documents, those of one way after the other"""


class RunWithGaps(NamedTuple):
    """A run of which documents have no grades."""

    context: MeasureContext
    rows: JudgedRows
    """the rows of the queries, with one for each document that the measure looks at"""
    document: Integers
    """`[N]`: the number of the unjudged document among those of its query, -1 for judged ones"""


@dataclass(frozen=True)
class UnjudgedDocuments:
    """Queries with unjudged documents, in one run or two.

    Attributes:
        queries: `[Q]`, which of all queries they are.
        counts: `[Q]`, how many unjudged documents each has in these runs.
        is_inside: `[N]`, which of these documents stand within the cutoff of the measure, in some run.
        sides: the runs.
        ids: of the documents, where these are known.

    """

    queries: Integers
    counts: Integers
    is_inside: Mask
    sides: Sequence[RunWithGaps]
    ids: Sequence[str] = ()

    @classmethod
    def of(cls, sides: Sequence[MeasureContext]) -> "UnjudgedDocuments":
        """Collect the queries with unjudged documents: documents without rows for one run, with ids for several."""
        size = min(len(side.qrels.queries) for side in sides) if len(sides) > 1 else sides[0].column.values.size
        # for each run and query, how many retrieved documents are judged
        judged = [np.bincount(side.run.hits.query[side.run.hits.is_judged], minlength=size)[:size] for side in sides]
        unjudged = [side.run.hits.n_retrieved[:size] - count for side, count in zip(sides, judged, strict=True)]
        queries = np.flatnonzero(np.sum(unjudged, axis=0) > 0)
        if sides[0].run.hits.document is None:
            return cls._of_ranks(sides[0], queries, unjudged[0][queries])
        rows = [_rows_of(side, queries) for side in sides]
        numbers: list[dict[str, int]] = [{} for _ in queries]
        runs, inside = [], [set[int]() for _ in queries]
        for side, hits in zip(sides, rows, strict=True):
            document = np.full(hits.rank.size, -1)
            holes = np.flatnonzero(~hits.is_judged)  # the unjudged rows of the run
            ids = () if hits.document is None else hits.document[holes].tolist()
            within = _within(hits, _depth(side, hits.n_retrieved))[holes].tolist()
            for row, query, name, is_inside in zip(
                holes.tolist(), hits.query[holes].tolist(), ids, within, strict=True
            ):
                number = numbers[query].setdefault(name, len(numbers[query]))
                document[row] = number
                if is_inside:
                    inside[query].add(number)
            runs.append(RunWithGaps(side, hits, document))
        counts = np.array([len(by_id) for by_id in numbers], dtype=np.int64)
        is_inside = [
            number in of_query
            for of_query, count in zip(inside, counts.tolist(), strict=True)
            for number in range(count)
        ]
        ids_of_all = [name for by_id in numbers for name in by_id]
        return cls(queries, counts, np.array(is_inside, dtype=bool), runs, ids_of_all)

    @classmethod
    def _of_ranks(cls, side: MeasureContext, queries: Integers, counts: Integers) -> "UnjudgedDocuments":
        """Collect the queries of one run, whose unjudged documents are known by their ranks, in rank order."""
        hits, measure = _rows_of(side, queries), side.measure
        depth = _depth(side, hits.n_retrieved)
        looks_beyond = "no-sum" in measure.definition.unjudged or measure.parameters.get("ideal") == "retrieved"
        ends = hits.n_retrieved if looks_beyond else depth  # [Q]: the last rank at which documents are looked at
        rows = hits
        if hits.rank.size < hits.n_retrieved.sum():  # unjudged documents have no rows yet
            starts = np.cumsum(ends) - ends  # [Q]: where the E ranks down to there begin, of all queries in a line
            is_absent = np.ones(int(ends.sum()), dtype=bool)  # [E]: whether there is no row at the rank
            is_absent[(starts[hits.query] + hits.rank - 1)[hits.rank <= ends[hits.query]]] = False
            query = np.repeat(np.arange(ends.size), ends)[is_absent]  # [A]: the query of each rank without a row
            rank = np.flatnonzero(is_absent) - starts[query] + 1  # [A]
            rows = hits.with_rows(query, rank, (rank, rank))
        holes = np.flatnonzero(~rows.is_judged)  # [U]: the unjudged rows
        document = np.full(rows.rank.size, -1)
        # counted from 0 in each query, in rank order
        document[holes] = expand(np.zeros_like(counts), np.bincount(rows.query[holes], minlength=counts.size))
        # [Q]: how many of these stand within the depth
        inside = np.bincount(rows.query[holes], _within(rows, depth)[holes], counts.size)
        # [N]: so many of each query, from the first on
        is_inside = expand(np.zeros_like(counts), counts) < np.repeat(inside, counts)
        return cls(queries, counts, is_inside, [RunWithGaps(side, rows, document)])

    @property
    def is_measured(self) -> bool:
        """Whether the values are those of documents that all have the least grade."""
        side = self.sides[0].context
        definition, is_condensed = side.measure.definition, side.run.condensed or side.measure.judged_only
        counts_judged = "judged" in definition.unjudged or not definition.monotone
        counts_judged |= side.measure.parameters.get("rel", np.inf) <= 0
        return not is_condensed and not counts_judged and scale_of([side])[0] == 0

    @property
    def starts(self) -> Integers:
        """`[Q]`: where the documents of each query begin."""
        return np.cumsum(self.counts) - self.counts

    @property
    def ranks(self) -> Floats:
        """`[S, N]`: the rank of each document in each run; infinite where it was not retrieved."""
        ranks = np.full((len(self.sides), self.is_inside.size), np.inf)
        for rank, side in zip(ranks, self.sides, strict=True):
            holed = side.document >= 0  # which rows are unjudged
            rank[self.starts[side.rows.query[holed]] + side.document[holed]] = side.rows.rank[holed]
        return ranks

    def values(self, ways: Assignments) -> Floats:
        """Return `[W]`, the value of each way, or the difference of the second run and the first one."""
        queries = self.queries[ways.query]
        columns = (side.context.column_of(self.filled(side, ways), queries=queries) for side in self.sides)
        first, *further = (column.values for column in columns)
        return further[0] - first if further else first

    def filled(self, side: RunWithGaps, ways: Assignments) -> JudgedRows:
        """Fill in the rankings of a run under some ways, one query each."""
        lengths = np.diff(side.rows.offsets)[ways.query]  # [W]: how many rows each way has
        # [R]: of the rows of all ways, the number of the unjudged document, -1 for a judged row
        document = side.document[expand(side.rows.offsets[ways.query], lengths)]
        rows, counts = side.rows.of(ways.query), self.counts[ways.query]  # counts: [W], how many grades each way has
        owner = np.repeat(np.arange(ways.query.size), lengths)  # [R]: the way of each row
        index = (np.cumsum(counts) - counts)[owner] + document  # [R]: where its grade is in `ways.grades`
        grade = np.where(document >= 0, ways.grades.take(index, mode="clip"), rows.grade)
        is_judged = np.ones_like(rows.is_judged)
        elsewhere = None if rows.elsewhere is None else is_judged
        graded = replace(rows, grade=grade, is_judged=is_judged, judgement=None, subtopics=None, elsewhere=elsewhere)
        return graded.with_pool(np.repeat(np.arange(ways.query.size), counts), ways.grades)

    def uniform(self, inside: float, beyond: float) -> Assignments:
        """Give each query one way: a grade for all documents within the cutoff, and one for those beyond it."""
        return Assignments(np.arange(self.queries.size), np.where(self.is_inside, inside, beyond))


def _depth(side: MeasureContext, n_retrieved: Integers) -> Integers:
    """Return `[Q]`, how many documents may count, apart from how many there are."""
    measure = side.measure
    by_counts = "counts" in measure.definition.unjudged or measure.parameters.get("gain") in SIGNED
    if measure.cutoff is None or by_counts:
        return n_retrieved
    return np.minimum(n_retrieved, measure.cutoff)


def _rows_of(side: MeasureContext, queries: Integers) -> JudgedRows:
    """Return the rows of some queries, without those that a condensed ranking lacks whatever else is judged."""
    hits = side.run.hits.of(queries)
    if side.run.condensed or side.measure.judged_only:
        return hits.without(hits.is_judged & (hits.grade < 0))
    return hits


def _within(rows: JudgedRows, depth: Integers) -> Mask:
    """Return `[N]`, which rows stand within a depth."""
    return (rows.tie_first if rows.ties == "expected" else rows.rank) <= depth[rows.query]


def over_grades(sides: Sequence[MeasureContext], values: Floats) -> Bounds:
    """Find the bounds over the grades that unjudged documents could have.

    Args:
        sides: a measure of a run, or of two whose values are subtracted, the first from the second.
        values: `[Q]`, of all queries as they are; NaN where there is none.

    """
    holes = UnjudgedDocuments.of(sides)
    low, high, is_known = values.copy(), values.copy(), np.ones(values.size, dtype=bool)  # [Q] each
    if not holes.is_measured:
        low[holes.queries], high[holes.queries] = np.nan, np.nan
    unknown: set[int] = set()
    for ways in _ways(holes, scale_of(sides), unknown):
        way_values = holes.values(ways)  # [W]
        np.fmin.at(low, holes.queries[ways.query], way_values)
        np.fmax.at(high, holes.queries[ways.query], way_values)
    is_known[holes.queries[sorted(unknown)]] = False
    is_defined = ~np.isnan(values)
    return Bounds(np.where(is_defined, low, np.nan), np.where(is_defined, high, np.nan), is_known)


def effects(holes: UnjudgedDocuments) -> Floats:
    """Return `[N]`, by how much the best grade of each document changes the value, or the difference.

    It is compared with the least grade, which all other unjudged documents have.
    """
    scale = scale_of([side.context for side in holes.sides])
    before = holes.values(holes.uniform(scale[0], scale[0]))  # [Q]: the least grade for all
    alone = _singles(holes, scale[0], scale[-1])  # N ways
    return holes.values(alone) - before[alone.query]


def grades_of(hits: JudgedRows) -> Floats:
    """Return the grades that unjudged documents could have: 0 and those of the judgements above it, or else 0 and 1."""
    above = np.unique(hits.pool.grades[hits.pool.grades > 0])
    return np.append(0.0, above if above.size else 1.0)


def scale_of(sides: Sequence[MeasureContext]) -> Floats:
    """Return one grade for each worth that a document may have by a measure, from the least to the most."""
    scale = grades_of(sides[0].run.hits)
    rel = sides[0].measure.parameters.get("rel", np.inf)
    # [2, G]: gain of each grade, and whether it is relevant
    worth = np.stack([_worth_of(sides[0].measure, scale), scale >= rel])
    _, first = np.unique(worth, axis=1, return_index=True)  # the first grade of each distinct pair
    return scale[first]


def _worth_of(measure: Measure, scale: Floats) -> Floats:
    """Return `[G]`, the gain of documents with these grades; 0 for measures of items."""
    if measure.definition.needs:
        return np.zeros(scale.size)
    # a single query, with a document of each grade
    ranks, ends = np.arange(1, scale.size + 1), np.array([0, scale.size])
    is_judged, pool = np.ones(scale.size, dtype=bool), Pool(ends, np.sort(scale)[::-1])
    return worth(measure, JudgedRows(ends, ranks, ranks, ranks, scale, is_judged, ranks[-1:], pool))


def _ways(holes: UnjudgedDocuments, scale: Floats, unknown: set[int]) -> Iterator[Assignments]:
    """Yield grades that include both ends of each query; add queries too large to enumerate to `unknown`."""
    least, most, measure = scale[0], scale[-1], holes.sides[0].context.measure
    flags = measure.definition.unjudged
    if not holes.is_measured:
        yield holes.uniform(least, least)
    if scale.size == 1:
        return
    yield holes.uniform(most, most)
    # The greatest difference of rounded values may be another way's than the greatest difference.
    is_rounded = len(holes.sides) > 1 and holes.sides[0].context.resolved.averaging.round_values is not None
    if len(holes.sides) == 1:
        if measure.definition.monotone:
            return
        yield holes.uniform(most, least)
        yield holes.uniform(least, most)
        if "uniform" in flags and holes.sides[0].rows.ties == "broken":  # documents stand within the cutoff or beyond
            return
    elif "first" in flags and not is_rounded:
        yield _singles(holes, least, most)
        return
    else:
        yield from _favouring(holes, least, most)
    is_of_steps = measure.name == "AP" and measure.parameters["area"] == "steps"
    if is_of_steps and (prefixes := _prefixes(holes, scale)) is not None:
        yield from prefixes
        return
    has_sums = measure.definition.linear and "counts" not in flags and not is_rounded
    ends = _linear(holes, scale) if has_sums else None
    if ends is not None:
        yield from ends
        return
    yield from _every_way(holes, scale, unknown)


def _singles(holes: UnjudgedDocuments, least: float, most: float) -> Assignments:
    """Give each document alone the best grade: of several, the first in one run is not better than it is alone."""
    query = np.repeat(np.arange(holes.queries.size), holes.counts)  # [N]: a way for each document
    counts = holes.counts[query]  # [N]: how many grades each way has
    grades = np.full(int(counts.sum()), least)
    # the k-th way of a query has it at its k-th document
    grades[np.cumsum(counts) - counts + expand(np.zeros_like(holes.counts), holes.counts)] = most
    return Assignments(query, grades)


def _favouring(holes: UnjudgedDocuments, least: float, most: float) -> Iterator[Assignments]:
    """Yield ways with the best grade for all documents that stand higher in one of two runs, then in the other."""
    ranks = holes.ranks  # [2, N]
    for is_higher in (ranks[0] < ranks[1], ranks[1] < ranks[0]):
        yield Assignments(np.arange(holes.queries.size), np.where(is_higher, most, least))


def _every_way(holes: UnjudgedDocuments, scale: Floats, unknown: set[int]) -> Iterator[Assignments]:
    """Yield every number of documents with each grade, best or worst first; every way where order is not all.

    Of one run without shared ranks, documents beyond the cutoff all have the least grade, or all the best.
    """
    [context, *further] = [side.context for side in holes.sides]
    is_sorted = is_ordered(context) and "unsorted" not in context.measure.definition.unjudged and not further
    for number, (start, count) in enumerate(zip(holes.starts.tolist(), holes.counts.tolist(), strict=True)):
        has_beyond = not further and holes.sides[0].rows.ties == "broken"
        # [count]: which documents of the query take all grades in turn
        inside = holes.is_inside[start : start + count] if has_beyond else np.ones(count, dtype=bool)
        free = int(inside.sum())
        size = 2 * comb(free + scale.size - 1, free) if is_sorted else scale.size**free
        if size > min(MAX_RANKINGS, MAX_DOCUMENTS // max(1, free)):
            unknown.add(number)
            continue
        ways = [*combinations_with_replacement(scale, free)] if is_sorted else [*product(scale, repeat=free)]
        each = np.array(ways).reshape(len(ways), free)  # [W, free]: a line for each way
        each = np.concatenate([each, each[:, ::-1]]) if is_sorted else each
        for beyond in {scale[0], scale[-1]} if free < count else {scale[0]}:
            every = np.full((len(each), count), beyond)  # [W, count]: with the documents beyond
            every[:, inside] = each
            yield Assignments(np.full(len(each), number), every.reshape(-1))


# average precision


def _prefixes(holes: UnjudgedDocuments, scale: Floats) -> tuple[Assignments, Assignments] | None:
    """Find the ways with the greatest and the least average precision; None for two runs, and where ranks are shared.

    Of ways with one number of relevant documents, that with the first ones is the best, as moving a relevant document
    up never lowers the sum, and that with the last ones the worst. What one more document adds to the sum is known:
    the precision at its rank, and 1 over the rank of each relevant document below it. Relevant documents beyond the
    cutoff lower the value.
    """
    [side, *further] = holes.sides
    measure, rows, ends = side.context.measure, side.rows, []
    # which rows are relevant and within the cutoff
    is_relevant = rows.is_judged & (rows.grade >= measure.parameters["rel"]) & (rows.rank <= (measure.cutoff or np.inf))
    rank = holes.ranks[0]  # [N]
    for sign, beyond in ((1, scale[0]), (-1, scale[-1])):
        sums = _sums(holes, side, scale, beyond) if not further and rows.ties == "broken" else None
        if sums is None:
            return None
        ways = holes.uniform(scale[0], beyond)
        for query, (start, count) in enumerate(zip(holes.starts.tolist(), holes.counts.tolist(), strict=True)):
            inside = np.flatnonzero(holes.is_inside[start : start + count])  # [U]: the documents within the cutoff
            row = slice(rows.offsets[query], rows.offsets[query + 1])
            # [U]: their ranks; [V]: those of the relevant rows of the query, ascending
            ranks, relevant = rank[start + inside], rows.rank[row][is_relevant[row]]
            # [U]: how many relevant rows are above each; [V + 1]: sums of 1 / rank over the last V, V - 1, ...
            above, inverse = np.searchsorted(relevant, ranks), np.append(np.cumsum(1 / relevant[::-1])[::-1], 0.0)
            added = above / ranks + inverse[above]  # [U]: how much each adds to the sum
            if sign > 0:
                added += (inside + 1) / ranks
            else:
                added += np.cumsum(1 / ranks[::-1])[::-1]
            # [U + 1]: the sum by number of relevant documents, of 0 and more
            totals = sign * (sums.start[query] + np.append(0.0, np.cumsum(added[::sign])))
            ways.grades[start + inside[::sign][: _greatest(totals, sums.norm[:, query])]] = scale[-1]
        ends.append(ways)
    return ends[0], ends[1]


def _greatest(sums: Floats, norm: Floats) -> int:
    """Find the number of documents with which a sum over its norm is greatest.

    Args:
        sums: `[U + 1]`, by number.
        norm: where there is none, one, and all of them: it grows with each by as much, up to a limit.

    """
    none, single, every = norm
    norms = np.minimum(none + (single - none) * np.arange(sums.size), max(single, every))  # [U + 1]
    with np.errstate(divide="ignore", invalid="ignore"):
        return int(np.argmax(np.where(norms > 0, sums / norms, -np.inf)))


# sums of gains over a norm


@dataclass(frozen=True)
class _Sums:
    """Values as `(start + sum of weight * gain) / norm`, where gains are those of unjudged documents above the least.

    Attributes:
        start: `[Q]`, the sum where all have the least grade.
        weight: `[N]`, how much the gain of each of them counts.
        norm: `[3, Q]`, where none, one and all of them have the best grade.
        ideal: for each query the gains of the ideal ranking where all have the least grade, and its weights added up;
            None where the norm is no sum of gains.

    """

    start: Floats
    weight: Floats
    norm: Floats
    ideal: list[tuple[Floats, Floats]] | None


def _linear(holes: UnjudgedDocuments, scale: Floats) -> tuple[Assignments, Assignments] | None:
    """Find the ways with the greatest and the least sum of gains over a norm; None where the value is no such quotient.

    Documents in the order of their weights have falling gains: whatever the number of documents with each gain, no
    other order has a greater sum. Where the norm is the same for all numbers, or depends on that of the relevant
    documents, each number is tried. Else see `_best_counts`.
    """
    parts = [_sums(holes, side, scale, scale[0]) for side in holes.sides]
    sums = _difference(*parts) if len(parts) > 1 else parts[0]
    if sums is None:
        return None
    gains = _worth_of(holes.sides[0].context.measure, scale)  # [T + 1]: of each grade of the scale
    ends = []
    for sign in (1, -1):
        grades = np.empty(sums.weight.size)
        for query, (start, count) in enumerate(zip(holes.starts.tolist(), holes.counts.tolist(), strict=True)):
            weight = sign * sums.weight[start : start + count]  # [U]: of each document of the query
            order = np.argsort(-weight, kind="stable")
            added = np.append(0.0, np.cumsum(weight[order]))  # [U + 1]: by number of documents
            # [T]: how many have each gain or more
            counts = _counts(sums, query, gains, sign * sums.start[query], added)
            level = (counts[:, None] > np.arange(count)).sum(axis=0)  # [U]: its grade in the scale, by order
            grades[start + order] = scale[level]
        ends.append(Assignments(np.arange(holes.queries.size), grades))
    return ends[0], ends[1]


def _sums(holes: UnjudgedDocuments, side: RunWithGaps, scale: Floats, beyond: float) -> _Sums | None:
    """Express a run's values as sums over a norm, with a grade beyond the cutoff; None where they are no such sums."""
    context, measure = side.context, replace(side.context.measure, judged_only=False)
    is_condensed = context.run.condensed or context.measure.judged_only
    ideal = measure.parameters.get("ideal")
    may_be_negative = measure.parameters.get("gain") in SIGNED and ideal is not None
    has_two_ideals = ideal == "retrieved" and len(holes.sides) > 1  # a document of one run alone is in one of them
    is_other = "no-sum" in measure.definition.unjudged or may_be_negative or has_two_ideals
    if is_other or (is_condensed and (side.rows.pool.grades < 0).any()):
        return None
    size, least, most = holes.queries.size, scale[0], scale[-1]
    single = holes.uniform(least, beyond)
    single.grades[holes.starts[holes.counts > 0]] = most
    # [3, Q], [Q], and [R]: the weight of each row
    norm, start, weight = np.zeros((3, size)), np.zeros(size), np.zeros(side.rows.rank.size)
    gains: dict[int, Floats] = {}
    weights: dict[int, Floats] = {}
    for queries, terms, _ in _terms(holes, side, measure, holes.uniform(least, beyond)):
        norm[0, queries], start[queries] = terms.norm, terms.total()
        gains |= {} if terms.ideal is None else dict(zip(queries.tolist(), _of_ideal(terms.ideal, "gain"), strict=True))
    for queries, terms, _ in _terms(holes, side, measure, single):
        norm[1, queries] = terms.norm
    for queries, terms, offsets in _terms(holes, side, measure, holes.uniform(most, most)):
        norm[2, queries], contributions = terms.norm, terms.contributions()
        # [q]: how many rows each query of the block has
        lengths = np.minimum(np.diff(offsets)[queries], contributions.shape[1])
        inside = np.arange(contributions.shape[1]) < lengths[:, None]  # [q, H]: the cells with a row
        weight[expand(offsets[queries], lengths)] = contributions[inside]
        if terms.ideal is not None:
            discounts = _of_ideal(terms.ideal, "discount")
            # for each query its weights added up, by number of documents
            added = [np.append(0.0, np.cumsum(1 / discount)) for discount in discounts]
            weights |= dict(zip(queries.tolist(), added, strict=True))
    holed = side.document >= 0
    hole_index = holes.starts[side.rows.query[holed]] + side.document[holed]  # [U]: the document of each unjudged row
    worth = float(_worth_of(context.measure, scale)[-1]) or 1.0
    hole_weights = np.zeros(holes.is_inside.size)
    np.add.at(hole_weights, hole_index, weight[holed] / worth)
    return _Sums(
        start, hole_weights, norm, [(gains[query], weights[query]) for query in range(size)] if gains else None
    )


def _terms(
    holes: UnjudgedDocuments, side: RunWithGaps, measure: Measure, ways: Assignments
) -> Iterator[tuple[Integers, Terms, Integers]]:
    """Yield the terms of all queries, block by block: which queries, their terms, and where the rows of all begin."""
    hits = holes.filled(side, ways)
    for queries, block in hits.blocks():
        yield queries, measure.terms(block), hits.offsets


def _of_ideal(ideal: Ideal, name: str) -> Iterator[Floats]:
    """Iterate over the gains, or the discounts, of the documents of each ideal ranking."""
    is_document = ideal.ranking.is_judged
    column = np.broadcast_to(getattr(ideal.terms, name), is_document.shape)
    return (numbers[mask] for numbers, mask in zip(column, is_document, strict=True))


def _difference(first: _Sums | None, second: _Sums | None) -> _Sums | None:
    """Subtract the first run from the second; None where their norms differ and depend on grades."""
    if first is None or second is None:
        return None
    if np.array_equal(first.norm, second.norm) and (first.ideal is None) == (second.ideal is None):
        return replace(first, start=second.start - first.start, weight=second.weight - first.weight)
    return None


def _counts(sums: _Sums, query: int, gains: Floats, start: float, added: Floats) -> Any:  # noqa: ANN401 - `[T]`
    """Return how many documents have each gain or more: `[T]` numbers for the gains above the least."""
    steps = np.diff(gains)
    number = np.arange(added.size)
    if sums.ideal is None:
        return np.full(steps.size, _greatest(start + added * steps.sum(), sums.norm[:, query]))
    judged, weights = sums.ideal[query]
    # [T]: how many documents are in the ideal ranking with each gain or more
    above = (judged[None, :] >= gains[1:, None]).sum(axis=1)
    norms = weights[np.minimum(above[:, None] + number, weights.size - 1)]  # [T, U + 1]
    return _best_counts(start, added, steps, sums.norm[0, query] - steps @ norms[:, 0], norms)


def _best_counts(start: float, added: Floats, steps: Floats, base: float, norms: Floats) -> Integers:
    """Count the documents at each gain or above for the greatest ratio of a sum of gains to that of the ideal ranking.

    With c(t) documents of the t-th gain or more, which exceeds the one below it by s(t), the value is

        (start + sum over t of s(t) added[c(t)]) / (base + sum over t of s(t) norms[t, c(t)])

    For a value v the numerator less v times the denominator is a sum over gains, each of which is made greatest alone;
    where that is above 0, a greater value is found, and where it is 0, there is none (Dinkelbach). For v below 0 it is
    greatest where all documents have the least or the best gain, as the norm is a convex function of gains.

    Args:
        start: the sum of the judged documents.
        added: `[U + 1]`, the weights of the first documents added up.
        steps: `[T]`.
        base: the norm without the gains of unjudged documents.
        norms: `[T, U + 1]`.

    """
    # [U + 1] each: numerator and denominator where so many have the best gain
    sums, norm = start + added * steps.sum(), base + steps @ norms
    with np.errstate(divide="ignore", invalid="ignore"):
        values = np.where(norm > 0, sums / norm, -np.inf)
    best = int(np.argmax(values))
    value, counts = float(values[best]), np.full(steps.size, best)
    while value > 0:
        # [T]: a number of documents for each gain
        chosen = np.minimum.accumulate(np.argmax(added - value * norms, axis=1))
        total = base + steps @ norms[np.arange(steps.size), chosen]
        improved = (start + steps @ added[chosen]) / total if total > 0 else value
        if not improved > value:
            break
        value, counts = float(improved), chosen
    return counts
