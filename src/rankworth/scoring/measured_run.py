"""A judged run under some settings, and the values of its queries."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankworth.arrays import Floats
from rankworth.errors import MeasureError
from rankworth.judging.judged_run import JudgedRows, JudgedRun, subtopics_of
from rankworth.measures import Measure, TextFact
from rankworth.measures.core import Layout
from rankworth.model import Qrels
from rankworth.names import Quantity
from rankworth.profiles import NO_DATA, CallData
from rankworth.scoring import averaging
from rankworth.scoring.averaging import QueryMasks, Standing
from rankworth.scoring.columns import Column, Mask
from rankworth.scoring.counts import TieEffect
from rankworth.scoring.whole_runs import WholeRun, links_of, pooled_counts, refuse_weights
from rankworth.settings import Averaging, Judging


@dataclass
class MeasuredRun:
    """A judged run under some settings, and the values of all queries by every measure with these settings."""

    hits: JudgedRows
    settled: JudgedRows
    """without queries that nobody judged"""
    standing: Standing
    """what averaging needs to know of each query"""
    judging: Judging
    """the settings that change something of this run, the others at their default"""
    judgement: JudgedRun
    qrels: Qrels
    """the judgements, with a query for each part of a query that counts as one"""
    values: dict[Quantity, NDArray[Any]] = field(default_factory=dict)
    """`[Q]` each: numbers, or texts of facts that are texts"""
    failed: dict[Quantity, MeasureError] = field(default_factory=dict)
    """measures that do not suit the grades or the ties"""
    layouts: dict[Quantity, Layout] = field(default_factory=dict)
    """which rows each measure was measured with"""
    ties: list[TieEffect] = field(default_factory=list)
    """measures whose mean depends on the order of ties, once a diagnosis was made"""
    together: dict[Quantity, WholeRun] = field(default_factory=dict)
    """measures of all queries together"""
    _rows: dict[Averaging, QueryMasks] = field(default_factory=dict)

    @property
    def condensed(self) -> bool:
        """Whether unjudged documents are removed before ranks are counted."""
        return self.judging.unjudged == "removed"

    def rows(self, settings: Averaging) -> QueryMasks:
        """Return the queries that count under settings of averaging.

        Raises:
            RefusedError: as `rows_of`.

        """
        if settings not in self._rows:
            self._rows[settings] = averaging.rows_of(self.standing, settings)
        return self._rows[settings]

    def column(
        self, quantity: Quantity, settings: Averaging, data: CallData = NO_DATA, values: Floats | None = None
    ) -> Column:
        """Return the values of a measure, and how much each query counts.

        Args:
            quantity: the measure.
            settings: of averaging.
            data: weights and groups.
            values: `[Q]`, in place of those that were measured.

        Raises:
            MeasureError: where it does not suit the grades or the ties.
            RefusedError: as `rows_of` and `column_of`.
            UsageError: `conflicting-options`, where a measure of all queries together is to be weighted.

        """
        if quantity in self.failed:
            raise self.failed[quantity]
        values = self.values[quantity] if values is None else values
        column = averaging.column_of(quantity, values, self.rows(settings), self.standing, settings, data)
        if quantity not in self.together and quantity.averaging != "median":
            return column
        refuse_weights(str(quantity), [name for name in ("weights", "macro") if getattr(data, name) is not None])
        if quantity not in self.together:
            return column
        return column.of_whole_run(self.together[quantity])

    def with_rankings(
        self,
        hits: JudgedRows,
        queries: list[str],
        quantities: Iterable[Quantity],
        *,
        judging: Judging | None = None,
        judged: Mask | None = None,
        empty: Mask | None = None,
    ) -> "MeasuredRun":
        """Measure other rankings in place of those of the run.

        Args:
            hits: the rankings, one for each query.
            queries: the names of the queries.
            quantities: the measures.
            judging: the settings that change something of them; those of this run where None.
            judged: `[Q]`, which queries count as judged; all where None.
            empty: `[Q]`, which queries have an empty list; none where None.

        """
        judging = self.judging if judging is None else judging
        judged = np.ones(len(queries), dtype=bool) if judged is None else judged
        empty = np.zeros(len(queries), dtype=bool) if empty is None else empty
        standing = standing_of(hits, judging, queries, judged, hits.n_retrieved > 0, empty)
        measured = MeasuredRun(hits, hits, standing, judging, replace(self.judgement, hits=hits), self.qrels)
        measured.measure(quantities)
        return measured

    def measure(self, quantities: Iterable[Quantity]) -> None:
        """Measure all queries; NaN for undefined values, an empty ranking for a query without documents in the run.

        Measures that need rows of judged documents only get no others, whatever is measured beside them.

        Args:
            quantities: the measures and facts.

        """
        size = self.hits.n_retrieved.size
        by_layout: dict[Layout, list[Quantity]] = {}
        pooled: list[Measure] = []
        for quantity in quantities:
            if quantity.definition.subtopics and self.hits.subtopics is None and subtopics_of(self.qrels) is not None:
                self.failed[quantity] = _no_subtopics(quantity)
                continue
            self.layouts[quantity] = layout_of(quantity, self.qrels)
            if quantity.averaging == "micro" and isinstance(quantity, Measure):
                pooled.append(quantity)
                continue
            is_text = isinstance(quantity, TextFact)
            self.values[quantity] = np.full(size, "", dtype=object) if is_text else np.zeros(size)
            by_layout.setdefault(self.layouts[quantity], []).append(quantity)
        if of_all_queries := by_layout.pop("together", None):
            links = links_of(of_all_queries, self.hits, self.qrels, condensed=self.condensed)
            self.values |= {quantity: np.ones(size) for quantity in links}  # none that settings could ask for
            self.failed |= {quantity: link for quantity, link in links.items() if isinstance(link, MeasureError)}
            self.together |= {quantity: link for quantity, link in links.items() if not isinstance(link, MeasureError)}
        for layout, same_layout in by_layout.items():
            hits = self.hits.compact() if layout == "judged" else self.hits
            for places, block in hits.blocks():  # the queries of a block, and their cells
                ranking = block.condensed if self.condensed else block
                for quantity in same_layout:
                    try:
                        self.values[quantity][places] = quantity.values(ranking)
                    except MeasureError as error:
                        self.failed.setdefault(quantity, error)
        for measure in pooled:
            self._measure_pooled(measure)

    def _measure_pooled(self, measure: Measure) -> None:
        """Collect numerators and denominators of a measure with a pooled mean."""
        sums = np.zeros((2, self.hits.n_retrieved.size))
        hits = self.hits.compact() if self.layouts[measure] == "judged" else self.hits
        try:
            for places, block in hits.blocks():
                terms = measure.terms(block.condensed if self.condensed else block)
                sums[0, places], sums[1, places] = terms.total(), terms.norm
        except MeasureError as error:
            self.failed[measure] = error
        self.values[measure] = np.ones(sums.shape[1])  # none that settings could ask for
        self.together[measure] = WholeRun(measure, (pooled_counts(sums[0], sums[1]),))


def standing_of(
    hits: JudgedRows, judging: Judging, queries: list[str], judged: Mask, answered: Mask, empty: Mask
) -> Standing:
    """Summarise each query for averaging: judged, answered, how much is relevant; parameters are as in `Standing`."""
    size = len(queries)
    hollow = np.zeros(size, dtype=bool)
    if judging.unjudged == "removed":
        left = hits.query[hits.is_judged & (hits.grade >= 0)]  # the query of each row that is left
        hollow = answered & (np.bincount(left, minlength=size) == 0)
    of_pool = hits.pool.relevant, hits.pool.negative, hits.pool.nonzero
    return Standing(queries, judged, answered, empty, *of_pool, hollow, hits.n_retrieved)


def _no_subtopics(quantity: Quantity) -> MeasureError:
    """Return the error of a measure of subtopics under settings that change the judgements."""
    text = f"{quantity} looks at subtopics, and the settings change what is judged without a word on subtopics"
    settings = "negative, judgements, pool, unretrieved, grades, highest and repeated judgements are such settings"
    return MeasureError("conflicting-options", text, remedy=settings)


def layout_of(quantity: Quantity, qrels: Qrels) -> Layout:
    """Return which rows a measure needs; signed gains need those of unjudged documents beside negative grades only."""
    positions = quantity.positions
    if positions == "all" and quantity.definition.positions == "judged" and not (qrels.grades < 0).any():
        return "all" if getattr(quantity, "uses_costs", False) else "judged"
    return positions
