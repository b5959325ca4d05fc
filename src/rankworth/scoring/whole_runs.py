"""Measures of a whole run as columns: values of queries whose mean is the measure, and whose spread is its own."""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from rankworth.arrays import Floats, Integers
from rankworth.catalogue import Catalogue
from rankworth.errors import UsageError
from rankworth.judging.judged_run import JudgedRows
from rankworth.measures import Measure
from rankworth.measures.core import TOGETHER
from rankworth.model import Qrels
from rankworth.recommended import Recommended, WholeValue
from rankworth.scoring.columns import Mask

_ALONE: Final = "leave it out of -m, or ask for it in a command of its own"


@dataclass(frozen=True, eq=False, repr=False)
class WholeRun:
    """A measure, and what the queries of a run are shown.

    Attributes:
        measure: the measure.
        shown: what all queries are shown.

    """

    measure: Measure
    shown: Recommended

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


def recommended(hits: JudgedRows, qrels: Qrels, cutoff: int | None, condensed: bool, graded: bool) -> Recommended:
    """Collect what queries are shown.

    Args:
        hits: the judged run, with the numbers of items, in which no ties are left.
        qrels: the judgements.
        cutoff: ranks down to it count; all where None.
        condensed: whether unjudged documents are removed before ranks are counted.
        graded: whether judgements are collected, too.

    """
    parts: list[tuple[Integers, Integers, Floats]] = []
    for queries, block in hits.blocks():
        ranking = block.condensed if condensed else block
        ranking = ranking if cutoff is None else ranking.cut(cutoff)
        row, column = np.nonzero(ranking.retrieved)
        item = np.full(row.size, -1) if ranking.item is None else ranking.item[row, column]
        parts.append((queries[row], item, ranking.rank[row, column]))
    user, item, rank = map(np.concatenate, zip(*parts, strict=True)) if parts else (np.zeros(0, int),) * 3
    query, judged = _judged(qrels, hits.catalogue) if graded else (np.zeros(0, int), np.zeros(0, int))
    grades = qrels.grades if graded else np.zeros(0)
    size = hits.n_retrieved.size
    return Recommended(user, item, rank.astype(np.float64), size, hits.catalogue, query, judged, grades)


def refuse_weights(measures: str, arguments: Collection[str]) -> None:
    """Refuse weights, and groups that count alike, for measures of whole runs.

    Args:
        measures: measures of whole runs, as messages name them; empty where there are none.
        arguments: those of `weights` and `macro` that a call has.

    Raises:
        UsageError: `conflicting-options`, where there are both.

    """
    if measures and arguments:
        text = f"{measures} {TOGETHER}, which have no {' and '.join(arguments)} there"
        raise UsageError("conflicting-options", text, remedy=_ALONE)


def _judged(qrels: Qrels, catalogue: Catalogue | None) -> tuple[Integers, Integers]:
    """Return `[M]` each, the query and the item of each judgement."""
    query = np.repeat(np.arange(len(qrels)), qrels.lengths)
    numbers = {} if catalogue is None else catalogue.numbers
    documents: Sequence[str] = [document for each in qrels.document_lists for document in each]
    return query, np.array([numbers.get(document, -1) for document in documents], dtype=np.int64)
