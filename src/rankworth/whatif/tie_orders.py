"""Lowest, expected and highest value of each query over the orders of tied documents.

Every end is the value of a ranking that is built and measured as any other; what is said here is which rankings these
are. Where moving a document up that is worth more never lowers a value, the ends are the two sorted orders.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from math import factorial, prod
from typing import Final, NamedTuple

import numpy as np

from rankworth.arrays import Floats, Integers, expand
from rankworth.errors import MeasureError
from rankworth.judged import Judged
from rankworth.judging import grades
from rankworth.judging.judged_run import JudgedRows
from rankworth.measures import Measure
from rankworth.measures.building_blocks import gain_of, relevant
from rankworth.scoring.columns import Mask
from rankworth.whatif.rankings import MeasureContext

MAX_RANKINGS: Final = 2_000
"""up to how many rankings of a query all are measured"""
MAX_DOCUMENTS: Final = 100_000
"""how many documents these have together at most"""


class Bounds(NamedTuple):
    """`[Q]` each: the lowest and highest values that are known to be attained, and whether there are none beyond."""

    low: Floats
    high: Floats
    is_known: Mask
    reason: str = ""
    """why there are none"""

    def of(self, queries: Integers) -> "Bounds":
        """Return the bounds of some queries."""
        return Bounds(self.low[queries], self.high[queries], self.is_known[queries], self.reason)


class Tie(NamedTuple):
    """Documents of one query with equal scores."""

    first: int
    """the first of their ranks"""
    row_groups: list[list[int]]
    """their rows, those together that no measure can tell apart; -1 for a document without a row"""

    @property
    def orders(self) -> int:
        """How many orders differ."""
        return factorial(sum(map(len, self.row_groups))) // prod(factorial(len(rows)) for rows in self.row_groups)


def is_ordered(context: MeasureContext) -> bool:
    """Return whether the ends over all orders of some documents are the two sorted ones."""
    definition, measure = context.measure.definition, context.measure
    found_within = measure.parameters.get("norm") == "found" and measure.cutoff is not None
    has_order = {
        "no-negative": not (context.qrels.grades < 0).any(),
        "no-cutoff": measure.cutoff is None,
        True: True,
        False: False,
    }[definition.ordered]
    is_dropping = measure.parameters.get("cold") == "dropped"  # what is divided by depends on the order then
    return (definition.linear or has_order) and not found_within and not is_dropping


def worth(measure: Measure, hits: JudgedRows) -> Floats:
    """Return `[N]`, what orders the documents of some rows by a measure: a gain, or 1 where they are relevant."""
    ones = np.ones_like(hits.rank)  # [N]: each document at rank 1
    top = replace(hits, rank=ones, tie_first=ones, tie_last=ones, ties="broken")
    each = np.zeros(hits.rank.size)
    for queries, block in top.blocks():
        lengths = np.diff(hits.offsets)[queries]
        inside = np.arange(block.rank.shape[1]) < lengths[:, None]  # [q, H]: the cells with a row
        each[expand(hits.offsets[queries], lengths)] = _worth(measure, block)[inside]
    return each


def _worth(measure: Measure, block: Judged) -> Floats:
    """Return `[Q, H]`, the worth of documents, of which each stands at rank 1."""
    parameters = measure.parameters
    is_graded = "gain" in parameters or parameters.get("max_grade") is not None or "rel" not in parameters
    if measure.definition.linear and (is_graded or measure.definition.subtopics or measure.definition.needs):
        of_all = replace(measure, cutoff=None, judged_only=False)
        return np.asarray(of_all.terms(replace(block, cutoff=measure.cutoff)).gain)  # what is expected depends on it
    return np.asarray(
        gain_of(block, parameters.get("gain", "linear")) if is_graded else relevant(block, parameters["rel"])
    )


def over_orders(context: MeasureContext) -> Bounds:
    """Find the bounds over the orders of tied documents."""
    values, hits = context.column.values, context.run.judgement.hits
    queries = np.unique(hits.query[hits.tied_rows])  # [T]: the queries with ties
    low, high = values.copy(), values.copy()  # [Q] each
    low[queries], high[queries] = np.nan, np.nan
    is_undefined = np.zeros(values.size, dtype=bool)  # in some order
    rankings: Iterator[tuple[Integers, JudgedRows]]
    if is_ordered(context):
        part = hits.of(queries)
        names = [context.run.standing.queries[query] for query in queries.tolist()]
        # the worth of each row of these queries
        gain = worth(context.measure, grades.graded(part, context.run.judging, names))
        rankings = ((queries, part.ranked(part.within_ties(-sign * gain, ~(sign * gain < 0)))) for sign in (1, -1))
    else:
        rankings = _every_order(hits, queries, low, high)
    for of_queries, ranking in rankings:
        # [W]: a value for each ranking, of the query in `of_queries`
        ordered_values = context.column_of(ranking, replace(context.run.judging, ties="id-descending")).values
        np.fmin.at(low, of_queries, ordered_values)
        np.fmax.at(high, of_queries, ordered_values)
        is_undefined[of_queries[np.isnan(ordered_values)]] = True
    undefined = context.resolved.averaging.undefined
    reason = f"undefined={undefined!r}: whether a value is defined depends on the order of ties, which varies"
    is_decided = bool((is_undefined & ~np.isnan(low)).any())
    return Bounds(low, high, ~np.isnan(low) | np.isnan(values), reason if is_decided else "")


def expected(context: MeasureContext) -> Floats:
    """Average over the orders of ties by the formula of the measure; NaN where it has none, or settings follow it.

    A geometric mean is no mean over orders, so that nothing is expected of it.
    """
    run, averaging, values = context.run, context.resolved.averaging, context.column.values
    hits = run.judgement.hits
    if not hits.tied:
        return values
    changed_after = averaging.round_values is not None or averaging.no_hit != "keep" or context.column.link != "mean"
    if changed_after or run.judging.depth is not None:
        return np.full_like(values, np.nan)
    if run.judging.ties == "expected":
        return values
    # [T]: the queries with ties; [Q]: the expectation for each query
    queries, expected = np.unique(hits.query[hits.tied_rows]), values.copy()
    try:
        column = context.column_of(hits.of(queries), replace(run.judging, ties="expected"))
    except MeasureError:
        return np.full_like(values, np.nan)
    expected[queries] = column.values
    return expected


def _every_order(
    hits: JudgedRows, queries: Integers, low: Floats, high: Floats
) -> Iterator[tuple[Integers, JudgedRows]]:
    """Try every order of the ties of each query; NaN for both ends of queries with too many.

    Args:
        hits: the rows of all queries.
        queries: `[T]`, those with ties.
        low: `[Q]`, of all queries.
        high: `[Q]`, of all queries.

    """
    for query in queries.tolist():
        rows = hits.of(np.array([query]))
        ties = ties_of(rows)
        if prod(tie.orders for tie in ties) > MAX_RANKINGS:
            low[query] = high[query] = np.nan
            continue
        rankings = every_order(rows, ties)
        yield np.full(rankings.n_retrieved.size, query), rankings


def ties_of(hits: JudgedRows) -> list[Tie]:
    """List the ties of one query."""
    ties = []
    for first in np.unique(hits.tie_first[hits.tie_last > hits.tie_first]).tolist():
        rows = np.flatnonzero(hits.tie_first == first).tolist()
        row_groups: dict[object, list[int]] = {None: [-1] * (int(hits.tie_last[rows[0]]) - first + 1 - len(rows))}
        for row in rows:
            label = (float(hits.grade[row]), hits.elsewhere is not None and bool(hits.elsewhere[row]))
            by_row = row if hits.subtopics is not None or hits.item is not None else None  # no two rows are alike then
            is_told = hits.is_judged[row] or hits.item is not None
            row_groups.setdefault((*label, by_row) if is_told else label[1] or None, []).append(row)
        ties.append(Tie(first, [*filter(None, row_groups.values())]))
    return ties


def every_order(hits: JudgedRows, ties: Sequence[Tie]) -> JudgedRows:
    """Put the ties of one query in every order that differs; return one query for each."""
    ranks = []
    for orders in product(*([*_orders(tie.row_groups)] for tie in ties)):
        rank = hits.rank.copy()  # [N]: the rank of each row in this order
        for tie, order in zip(ties, orders, strict=True):
            for offset, row in enumerate(order):
                if row >= 0:
                    rank[row] = tie.first + offset
        ranks.append(rank)
    return in_orders(hits, ranks)


def in_orders(hits: JudgedRows, ranks: Sequence[Integers]) -> JudgedRows:
    """Rank the rows of one query in several ways, `[N]` each; return one query for each."""
    return hits.of(np.zeros(len(ranks), dtype=np.int64)).ranked(np.concatenate(ranks))


def _orders(row_groups: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """Yield the orders of a tie that differ; `row_groups` has its rows as `Tie.row_groups` does."""
    if not any(row_groups):
        yield []
    for number, rows in enumerate(row_groups):
        if rows:
            for order in _orders([*row_groups[:number], rows[1:], *row_groups[number + 1 :]]):
                yield [rows[0], *order]
