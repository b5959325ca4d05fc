"""Lowest, expected and highest value of each query over the orders of tied documents.

Every end is the value of a ranking that is built and measured as any other; what is said here is which rankings these
are. Where moving a document up that is worth more never lowers a value, the ends are the two sorted orders.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import factorial, prod
from typing import Final, NamedTuple

import numpy as np

from rankworth.arrays import Floats, Integers, expand
from rankworth.errors import MeasureError
from rankworth.evaluation.aggregation import Column, Mask
from rankworth.evaluation.evaluator import MeasuredRun
from rankworth.judged import Judged
from rankworth.judging import grades
from rankworth.judging.judged_run import JudgedRows
from rankworth.measures import Measure
from rankworth.measures.building_blocks import gain_of, relevant
from rankworth.model import Qrels
from rankworth.profiles import ResolvedMeasure

MAX_RANKINGS: Final = 2_000
"""up to how many rankings of a query all are measured"""
MAX_DOCUMENTS: Final = 100_000
"""how many documents these have together at most"""


class Bounds(NamedTuple):
    """`[Q]` each: the lowest and highest values that are known to be attained, and whether there are none beyond."""

    low: Floats
    high: Floats
    is_known: Mask


@dataclass(frozen=True)
class Bounding:
    """One measure of a judged run, whose values are bounded.

    Attributes:
        run: the judged run.
        asked: the measure with its settings.
        qrels: the judgements.
        column: the values as they are.

    """

    run: MeasuredRun
    asked: ResolvedMeasure
    qrels: Qrels
    column: Column

    @property
    def measure(self) -> Measure:
        """The measure alone."""
        return self.asked.quantity  # type: ignore[return-value]

    @property
    def is_ordered(self) -> bool:
        """Whether the ends over all orders of some documents are the two sorted ones."""
        definition, measure = self.measure.definition, self.measure
        found_within = measure.parameters.get("norm") == "found" and measure.cutoff is not None
        is_ordered = definition.ordered is True or (definition.ordered and not (self.qrels.grades < 0).any())
        return (definition.linear or bool(is_ordered)) and not found_within

    def values(self, hits: JudgedRows) -> Floats:
        """The values of other rankings, whose grades are settled; NaN where the settings leave them out."""
        size = hits.n_retrieved.size
        names, judged = list(map(str, range(size))), np.ones(size, dtype=bool)
        run = self.run.reranked(hits, names, judged, self.run.judging)
        run.measure([self.measure], self.qrels)
        return run.column(self.measure, self.asked.averaging).shown()

    def worth(self, hits: JudgedRows) -> Floats:
        """`[N]`: what orders the documents of some rows by this measure: a gain, or 1 where they are relevant."""
        ones = np.ones_like(hits.rank)
        top = replace(hits, rank=ones, tie_first=ones, tie_last=ones, ties="broken")
        worth = np.zeros(hits.rank.size)
        for queries, block in top.blocks():
            lengths = np.diff(hits.offsets)[queries]
            inside = np.arange(block.rank.shape[1]) < lengths[:, None]
            worth[expand(hits.offsets[queries], lengths)] = _worth(self.measure, block)[inside]
        return worth


def _worth(measure: Measure, block: Judged) -> Floats:
    """`[Q, H]`: the worth of documents, of which each stands at rank 1."""
    known = measure.parameters
    is_graded = "gain" in known or known.get("max_grade") is not None or "rel" not in known
    if measure.definition.linear and (is_graded or measure.definition.subtopics):
        return np.asarray(replace(measure, cutoff=None, judged_only=False).terms(block).gain)
    return np.asarray(gain_of(block, known.get("gain", "linear")) if is_graded else relevant(block, known["rel"]))


def over_orders(bounding: Bounding) -> Bounds:
    """Bounds over the orders of tied documents."""
    run, values = bounding.run, bounding.column.values
    judging, hits = replace(run.judging, ties="id-descending"), run.judgement.hits
    low, high = values.copy(), values.copy()
    queries = np.unique(hits.query[(hits.tie_last > hits.tie_first) & hits.known])
    part = hits.of(queries)
    names = [run.standing.queries[query] for query in queries.tolist()]
    worth = bounding.worth(grades.graded(part, judging, names))
    if run.judging.unretrieved == "last":
        rankings: Iterator[tuple[Integers, JudgedRows]] = iter(())
        low[:], high[:] = np.nan, np.nan
    elif bounding.is_ordered:
        rankings = ((queries, part.ranked(part.within_ties(-sign * worth, ~(sign * worth < 0)))) for sign in (1, -1))
    else:
        rankings = _every_order(part, queries, low, high)
    for some, ranking in rankings:
        found = bounding.values(grades.settle(ranking, judging, list(map(str, some))))
        np.fmin.at(low, some, found)
        np.fmax.at(high, some, found)
    return Bounds(low, high, ~np.isnan(low) | np.isnan(values))


def expected(bounding: Bounding) -> Floats:
    """The mean over the orders of ties by the formula of the measure; NaN where it has none, or settings follow it."""
    run, averaging = bounding.run, bounding.asked.averaging
    none = np.full(bounding.column.values.size, np.nan)
    if run.judging.ties == "expected" or not run.judgement.hits.tied:
        return bounding.column.values
    changed_after = averaging.round_values is not None or averaging.no_hit != "keep" or averaging.logarithms
    if changed_after or run.judging.depth is not None or run.judging.unretrieved == "last":
        return none
    broken = run.hits if run.judging.ties != "last" else run.judgement.hits
    try:
        return bounding.values(replace(broken, ties="expected"))
    except MeasureError:
        return none


def _every_order(
    hits: JudgedRows, queries: Integers, low: Floats, high: Floats
) -> Iterator[tuple[Integers, JudgedRows]]:
    """Every order of the ties of each query; NaN for both ends of queries with too many.

    Args:
        hits: the rows of some queries.
        queries: which they are.
        low: of all queries.
        high: of all queries.

    """
    for number, query in enumerate(queries.tolist()):
        rows = hits.of(np.array([number]))
        ties = _ties(rows)
        if prod(orders_count(alike) for _, alike in ties) > MAX_RANKINGS:
            low[query] = high[query] = np.nan
            continue
        ranks = []
        for orders in product(*([*orders_of(alike)] for _, alike in ties)):
            rank = rows.rank.copy()
            for (first, _), order in zip(ties, orders, strict=True):
                for place, row in enumerate(order):
                    if row >= 0:
                        rank[row] = first + place
            ranks.append(rank)
        each = np.full(len(ranks), query)
        yield each, rows.of(np.zeros(len(ranks), dtype=np.int64)).ranked(np.concatenate(ranks))


def _ties(hits: JudgedRows) -> list[tuple[int, list[list[int]]]]:
    """The first rank of each tie of one query, and its rows, those together that no measure can tell apart.

    A document without a row is -1.
    """
    ties = []
    for first in np.unique(hits.tie_first[hits.tie_last > hits.tie_first]).tolist():
        rows = np.flatnonzero(hits.tie_first == first).tolist()
        alike: dict[object, list[int]] = {None: [-1] * (int(hits.tie_last[rows[0]]) - first + 1 - len(rows))}
        for row in rows:
            label = (float(hits.grade[row]), hits.elsewhere is not None and bool(hits.elsewhere[row]))
            by_subtopic = row if hits.subtopics is not None else None
            alike.setdefault((*label, by_subtopic) if hits.known[row] else label[1] or None, []).append(row)
        ties.append((first, [*alike.values()]))
    return ties


def orders_count(alike: Sequence[Sequence[int]]) -> int:
    """How many orders of a tie differ."""
    return factorial(sum(map(len, alike))) // prod(factorial(len(rows)) for rows in alike)


def orders_of(alike: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """The orders of a tie that differ.

    Args:
        alike: its rows, those together that no measure can tell apart.

    """
    if not any(alike):
        yield []
    for number, rows in enumerate(alike):
        if rows:
            for order in orders_of([*alike[:number], rows[1:], *alike[number + 1 :]]):
                yield [rows[0], *order]
