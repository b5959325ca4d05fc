"""A judged run as some settings see it, with the values of all its queries by every measure that sees it so."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rankworth.arrays import Floats, Integers
from rankworth.errors import MeasureError
from rankworth.evaluation.aggregation import Standing
from rankworth.judged import Judged
from rankworth.judging import JudgedRun
from rankworth.judging import subtopics as by_subtopic
from rankworth.judging.judged_run import JudgedRows
from rankworth.measures import TextFact
from rankworth.model import Qrels
from rankworth.names import Quantity


@dataclass
class View:
    """A judged run as some settings have it, and the values of all queries that are asked of it."""

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
    condensed: bool
    """whether documents that nobody judged are removed before ranks are counted"""
    judgement: JudgedRun
    others: Collection[str]
    """queries of the run that are not looked at"""
    values: dict[Quantity, Floats] = field(default_factory=dict)
    texts: dict[Quantity, list[str]] = field(default_factory=dict)
    failed: dict[Quantity, MeasureError] = field(default_factory=dict)
    """measures that do not suit the grades or the ties"""

    @classmethod
    def judged(cls, hits: JudgedRows, queries: list[str], judgement: JudgedRun, *, condensed: bool) -> "View":
        """Some rankings of queries that are all judged.

        Args:
            hits: the rankings, settled.
            queries: their names.
            judgement: the judged run that they come from.
            condensed: as the attribute.

        """
        known = np.ones(len(queries), dtype=bool)
        return cls(hits, hits, queries, known, hits.n_retrieved > 0, ~known, condensed, judgement, ())

    def values_of(self, one: Quantity) -> Floats:
        """The values of a measure.

        Raises:
            MeasureError: where it does not suit the grades or the ties.

        """
        if one in self.failed:
            raise self.failed[one]
        return self.values[one]

    @cached_property
    def standing(self) -> Standing:
        """What averaging wants to know."""
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

    def measure(self, quantities: Sequence[Quantity], qrels: Qrels) -> None:
        """The values of all queries, NaN where undefined; a query without results is an empty ranking.

        Measures that need judged documents only see no others, whatever stands beside them.

        Args:
            quantities: the measures and facts.
            qrels: the judgements.

        """
        queries = np.arange(self.hits.n_retrieved.size)
        for layout in ("judged", "all"):
            some = [one for one in quantities if layout_of(one, qrels) == layout]
            if not some:
                continue
            if self.hits.subtopics is None and any(one.definition.subtopics for one in some):
                some = self._without_subtopics(some, qrels)
            hits = self.hits.compact() if layout == "judged" else self.hits
            for one in some:
                if isinstance(one, TextFact):
                    self.texts[one] = [""] * queries.size
                else:
                    self.values[one] = np.zeros(queries.size)
            for places, block in hits.blocks(queries):
                for one in some:
                    self._fill(one, places, block.condensed if self.condensed else block)

    def _without_subtopics(self, quantities: Sequence[Quantity], qrels: Qrels) -> list[Quantity]:
        """Those of some measures that need no subtopics, where there are some and the settings do not tell them."""
        if by_subtopic.of(qrels) is None:
            return list(quantities)
        for one in quantities:
            if one.definition.subtopics:
                text = f"{one} looks at subtopics, and the settings change what is judged without a word on subtopics"
                said = (
                    "negative, judgements, pool, unretrieved, grades, highest and repeated judgements are such settings"
                )
                self.failed[one] = MeasureError("conflicting-options", text, remedy=said)
        return [one for one in quantities if not one.definition.subtopics]

    def _fill(self, one: Quantity, places: Integers, ranking: Judged) -> None:
        """The values of some queries by one measure."""
        if isinstance(one, TextFact):
            for place, text in zip(places.tolist(), one.values(ranking), strict=True):
                self.texts[one][place] = text
        elif one not in self.failed:
            try:
                self.values[one][places] = one.values(ranking)
            except MeasureError as error:
                self.failed[one] = error


def layout_of(quantity: Quantity, qrels: Qrels) -> str:
    """Which rows a measure needs; signed gains need those of unjudged documents beside negative grades only."""
    if quantity.definition.positions == "judged" and quantity.positions == "all" and not (qrels.grades < 0).any():
        return "judged"
    return quantity.positions
