"""Measures of a whole run as columns: values of queries whose mean is the measure, and whose spread is its own."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from rankworth.arrays import Floats, Integers
from rankworth.catalogue import Catalogue
from rankworth.errors import UsageError
from rankworth.judging.judged_run import JudgedRows
from rankworth.measures import Measure
from rankworth.measures.core import no_ties
from rankworth.model import Qrels
from rankworth.profiles import CallData
from rankworth.recommended import Recommended, WholeValue
from rankworth.scoring.columns import Mask

ALONE: Final = "leave it out of -m, or ask for it in a command of its own"
"""what helps where a measure of all queries together is to be weighted"""


@dataclass(frozen=True, eq=False, repr=False)
class WholeRun:
    """A measure, and what the queries of a run are shown.

    Attributes:
        measure: the measure.
        shown: what all queries are shown.

    """

    measure: Measure
    shown: Recommended

    @classmethod
    def of(cls, measure: Measure, hits: JudgedRows, qrels: Qrels, *, condensed: bool) -> "WholeRun":
        """Collect what queries are shown within the cutoff of a measure.

        Args:
            measure: the measure.
            hits: the judged run, with the numbers of items.
            qrels: the judgements.
            condensed: whether unjudged documents are removed before ranks are counted.

        Raises:
            MeasureError: where tied documents have no ranks of their own.

        """
        if hits.ties != "broken":
            raise no_ties(measure.name, hits.ties)
        parts: list[tuple[Integers, Integers, Floats]] = []
        for places, block in hits.blocks():
            ranking = block.condensed if condensed or measure.judged_only else block
            ranking = ranking if measure.cutoff is None else ranking.cut(measure.cutoff)
            row, column = np.nonzero(ranking.retrieved)
            item = np.full(row.size, -1) if ranking.item is None else ranking.item[row, column]
            parts.append((places[row], item, ranking.rank[row, column]))
        user, item, rank = map(np.concatenate, zip(*parts, strict=True)) if parts else (np.zeros(0, int),) * 3
        size = hits.n_retrieved.size
        looks_at_grades = "rel" in measure.parameters
        query, judged = _judged(qrels, hits.catalogue) if looks_at_grades else (np.zeros(0, int), np.zeros(0, int))
        grades = qrels.grades if looks_at_grades else np.zeros(0)
        ranks = rank.astype(np.float64)
        return cls(measure, Recommended(user, item, ranks, size, hits.catalogue, query, judged, grades))

    def values(self, counted: Mask) -> tuple[float, Floats]:
        """Return the measure of the queries that count, `[Q]`, and the value of each query, `[Q]`; NaN of all others.

        Raises:
            MeasureError: where data are missing.

        """
        values = np.full(counted.size, math.nan)
        shown = self.shown.of(counted)
        if not shown.n_users:
            return math.nan, values
        result: WholeValue = self.measure.definition.function(shown, **dict(self.measure.settings))
        if shown.n_users == 1:
            values[counted] = result.value
            return result.value, values
        without = np.where(np.isnan(result.without), result.value, result.without)
        moved = (without.mean() - without) * (shown.n_users - 1) * result.spread
        values[counted] = result.value + moved
        return result.value, values


def refuse_weights(measure: Measure, data: CallData) -> None:
    """Refuse weights and groups that count alike.

    Raises:
        UsageError: `conflicting-options`.

    """
    if given := [name for name in ("weights", "macro") if getattr(data, name) is not None]:
        text = f"{measure} is measured on all queries together, which have no {' and '.join(given)} there"
        raise UsageError("conflicting-options", text, remedy=ALONE)


def _judged(qrels: Qrels, catalogue: Catalogue | None) -> tuple[Integers, Integers]:
    """Return `[M]` each, the query and the item of each judgement."""
    query = np.repeat(np.arange(len(qrels)), qrels.lengths)
    numbers = {} if catalogue is None else catalogue.numbers
    documents: Sequence[str] = [document for each in qrels.document_lists for document in each]
    return query, np.array([numbers.get(document, -1) for document in documents], dtype=np.int64)
