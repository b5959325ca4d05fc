"""A judged run as the settings of a measure have it, with the values of all its queries."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from rankworth.arrays import Floats, Integers
from rankworth.errors import MeasureError
from rankworth.evaluation.aggregation import Rows, Standing, rows_of
from rankworth.judged import Judged
from rankworth.judging import JudgedRun
from rankworth.judging import subtopics as by_subtopic
from rankworth.judging.judged_run import JudgedRows
from rankworth.measures import TextFact
from rankworth.measures.core import Layout
from rankworth.model import Qrels
from rankworth.names import Quantity
from rankworth.settings import Averaging, Judging


@dataclass
class MeasuredRun:
    """A judged run under some settings, and the values of all queries by every measure with these settings."""

    hits: JudgedRows
    settled: JudgedRows
    """without queries that nobody judged"""
    queries: list[str]
    known: NDArray[np.bool_]
    """`[Q]`: whether a query is judged"""
    answered: NDArray[np.bool_]
    """`[Q]`: whether the run has documents for it"""
    empty: NDArray[np.bool_]
    """`[Q]`: whether the run has it with an empty list"""
    judging: Judging
    """the settings that change something of this run, the others at their default"""
    judgement: JudgedRun
    others: Collection[str] = ()
    """queries of the run that are not looked at"""
    values: dict[Quantity, Floats] = field(default_factory=dict)
    texts: dict[Quantity, list[str]] = field(default_factory=dict)
    failed: dict[Quantity, MeasureError] = field(default_factory=dict)
    """measures that do not suit the grades or the ties"""
    _rows: dict[Averaging, Rows] = field(default_factory=dict)

    @classmethod
    def judged(cls, hits: JudgedRows, queries: list[str], judging: Judging, judgement: JudgedRun) -> Self:
        """Rankings of queries that are all judged.

        Args:
            hits: the rankings, settled.
            queries: their ids.
            judging: as the attribute.
            judgement: the judged run that they come from.

        """
        known = np.ones(len(queries), dtype=bool)
        return cls(hits, hits, queries, known, hits.n_retrieved > 0, ~known, judging, judgement)

    @property
    def condensed(self) -> bool:
        """Whether unjudged documents are removed before ranks are counted."""
        return self.judging.unjudged == "removed"

    def values_of(self, quantity: Quantity) -> Floats:
        """The values of a measure.

        Raises:
            MeasureError: where it does not suit the grades or the ties.

        """
        if quantity in self.failed:
            raise self.failed[quantity]
        return self.values[quantity]

    @cached_property
    def standing(self) -> Standing:
        """What averaging needs to know of each query."""
        size, pool = len(self.queries), self.hits.pool
        owner = np.repeat(np.arange(size), np.diff(self.hits.pool_offsets))
        hollow = np.zeros(size, dtype=bool)
        if self.condensed:
            left = self.hits.query[self.hits.known & (self.hits.grade >= 0)]
            hollow = self.answered & (np.bincount(left, minlength=size) == 0)
        return Standing(
            queries=self.queries,
            judged=self.known,
            answered=self.answered,
            empty=self.empty,
            relevant=np.bincount(owner[pool > 0], minlength=size) > 0,
            negative=np.bincount(owner[pool >= 0], minlength=size) == 0,
            nonzero=np.bincount(owner, weights=pool, minlength=size) != 0,
            hollow=hollow,
            length=self.hits.n_retrieved,
            others=self.others,
        )

    def rows(self, settings: Averaging) -> Rows:
        """The queries that count under settings of averaging.

        Raises:
            RefusedError: as `rows_of`.

        """
        if settings not in self._rows:
            self._rows[settings] = rows_of(self.standing, settings)
        return self._rows[settings]

    def measure(self, quantities: Iterable[Quantity], qrels: Qrels) -> None:
        """Measure all queries; NaN where a value is undefined, an empty ranking where the run has no documents.

        Measures that need rows of judged documents only get no others, whatever is measured beside them.

        Args:
            quantities: the measures and facts.
            qrels: the judgements.

        """
        size = self.hits.n_retrieved.size
        by_layout: dict[Layout, list[Quantity]] = {"judged": [], "all": []}
        for one in quantities:
            if one.definition.subtopics and self.hits.subtopics is None and by_subtopic.of(qrels) is not None:
                self.failed[one] = _no_subtopics(one)
                continue
            by_layout[layout_of(one, qrels)].append(one)
            if isinstance(one, TextFact):
                self.texts[one] = [""] * size
            else:
                self.values[one] = np.zeros(size)
        for layout, some in by_layout.items():
            hits = self.hits.compact() if layout == "judged" else self.hits
            for places, block in hits.blocks(np.arange(size)) if some else ():
                ranking = block.condensed if self.condensed else block
                for one in some:
                    self._fill(one, places, ranking)

    def _fill(self, one: Quantity, places: Integers, ranking: Judged) -> None:
        """Keep the values of some queries by one measure."""
        if isinstance(one, TextFact):
            for place, text in zip(places.tolist(), one.values(ranking), strict=True):
                self.texts[one][place] = text
        elif one not in self.failed:
            try:
                self.values[one][places] = one.values(ranking)
            except MeasureError as error:
                self.failed[one] = error


def layout_of(quantity: Quantity, qrels: Qrels) -> Layout:
    """Which rows a measure needs; signed gains need those of unjudged documents beside negative grades only."""
    positions = quantity.positions
    if positions == "all" and quantity.definition.positions == "judged" and not (qrels.grades < 0).any():
        return "judged"
    return positions


def _no_subtopics(one: Quantity) -> MeasureError:
    """The error of a measure of subtopics where settings change what is judged."""
    text = f"{one} looks at subtopics, and the settings change what is judged without a word on subtopics"
    settings = "negative, judgements, pool, unretrieved, grades, highest and repeated judgements are such settings"
    return MeasureError("conflicting-options", text, remedy=settings)
