"""Measures of a whole run as columns: a mean that is computed of what all users together are shown."""

import math
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from rankworth import stats
from rankworth.arrays import Floats, Integers
from rankworth.catalogue import Catalogue
from rankworth.errors import MeasureError, UsageError
from rankworth.judging.judged_run import JudgedRows
from rankworth.measures import Measure
from rankworth.measures.core import TOGETHER, no_ties
from rankworth.model import Qrels
from rankworth.names import Quantity
from rankworth.recommended import Recommended, RunCounts, UnseenItems, WholeValue

_FEW: Final = 4
"""how many items that nobody is shown may all be so by chance, whatever their estimated variance is"""
_RISK: Final = 0.5
"""how many items have to be at risk for that: where all others are shown often, these are never shown"""
_ALONE: Final = "leave it out of -m, or ask for it in a command of its own"


@dataclass(frozen=True, eq=False, repr=False)
class WholeRun:
    """How the values of a measure of a whole run become one: it is computed of the users that count.

    Attributes:
        measure: the measure.
        runs: what users add to it; of several runs of one system, whose values are averaged, that of each.

    """

    measure: Measure
    runs: tuple[RunCounts, ...]
    _computed: dict[bytes, tuple[float, Floats, UnseenItems | None]] = field(default_factory=dict)

    def mean(self, values: Floats, weights: Floats) -> float:
        """Return the measure of the users with a weight above 0; NaN if the value of any is.

        Args:
            values: `[U]`.
            weights: `[U]`.

        """
        counted = weights > 0
        return math.nan if np.isnan(values[counted]).any() else self._value(counted)[0]

    def values(self, weights: Floats) -> Floats:
        """Return what the jackknife makes of each user, `[U]`: their spread says how sure the mean is.

        These are value + (U - 1) (mean of the values without a user - value without this user), NaN of users that do
        not count; their mean is the measure but for rounding.

        Args:
            weights: `[U]`.

        """
        return self._value(weights > 0)[1]

    def interval(self, weights: Floats, number: float, level: float) -> tuple[float, float]:
        """Return the ends of the interval of the measure, within its range; NaN of fewer than two users.

        The values of users are those of the jackknife, of which the standard error counts, and not the shape: the
        interval is that of t, or where shown items are counted, one that knows how few of them may be missed.

        Args:
            weights: `[U]`.
            number: the measure, as it is shown.
            level: the confidence level.

        """
        values, unseen = self.values(weights)[weights > 0], self.unseen(weights)
        if values.size < 2:  # noqa: PLR2004 - one value has no spread
            return math.nan, math.nan
        ends = stats.intervals(values[:, None], method="t", level=level)
        below = above = float(ends.high[0] - ends.low[0]) / 2
        if unseen is not None:
            below, above = _missed(unseen, below / unseen.unit, level)
        low, high = np.clip((number - below, number + above), *self.measure.range)
        return float(low), float(high)

    def unseen(self, weights: Floats) -> UnseenItems | None:
        """Return the counts of unseen items; None for means and for measures that do not count items.

        Args:
            weights: `[U]`.

        """
        return self._value(weights > 0)[2]

    @classmethod
    def averaged(cls, links: Sequence["WholeRun"]) -> "WholeRun":
        """Average the measure over several runs."""
        return cls(links[0].measure, tuple(counts for link in links for counts in link.runs))

    @classmethod
    def folded(cls, links: Sequence["WholeRun"], owners: Integers) -> "WholeRun":
        """Measure runs as one of which each answers other users.

        Args:
            links: of one run each, whose users are the same.
            owners: `[U]`, the run that each user is taken from.

        Raises:
            UsageError: `not-comparable`, where items are not in the catalogue, so that none tells which are the same.

        """
        folds = [counts for link in links for counts in link.runs]
        chosen = [owners[counts.user] == number for number, counts in enumerate(folds)]
        user, column, amount = (
            np.concatenate([getattr(counts, name)[rows] for counts, rows in zip(folds, chosen, strict=True)])
            for name in ("user", "column", "amount")
        )
        measure, size = links[0].measure, folds[0].n_columns
        if {counts.n_columns for counts in folds} != {size} or (column >= size).any():
            text = f"{measure} counts items that are not in the catalogue, which the folds of a run do not share"
            raise UsageError("not-comparable", text, remedy="put the folds into one run, or count the catalogue alone")
        order = np.argsort(user, kind="stable")
        return cls(measure, (RunCounts(user[order], column[order], amount[order], owners.size, size),))

    def take(self, users: Integers) -> "WholeRun":
        """Put users into another order by their places, `[V]`; -1 is a user who adds nothing."""
        return WholeRun(self.measure, tuple(counts.take(users) for counts in self.runs))

    def _value(self, counted: NDArray[np.bool_]) -> tuple[float, Floats, UnseenItems | None]:
        """Compute the measure of the users that count, `[U]`, their values, `[U]`, and unseen items; once."""
        key = counted.tobytes()
        if key not in self._computed:
            of_runs = [self._value_of(counts, counted) for counts in self.runs]
            mean = math.fsum(value for value, *_ in of_runs) / len(of_runs)
            unseen = of_runs[0][2] if len(of_runs) == 1 else None
            self._computed[key] = mean, np.mean([values for _, values, _ in of_runs], axis=0), unseen
        return self._computed[key]

    def _value_of(self, counts: RunCounts, counted: NDArray[np.bool_]) -> tuple[float, Floats, UnseenItems | None]:
        """Compute the measure of one run."""
        values = np.full(counted.size, math.nan)
        part = counts.of(counted)
        if not part.n_users:
            return math.nan, values, None
        settings = dict(self.measure.settings)
        is_pooled = self.measure.averaging == "micro"
        result = _pooled(part) if is_pooled else self.measure.definition.function(part, **settings)
        values[counted] = result.value
        if part.n_users > 1:
            without = np.where(np.isnan(result.without), result.value, result.without)
            values[counted] += (without.mean() - without) * (part.n_users - 1) * result.spread
        return result.value, values, result.unseen


def pooled_counts(numerators: Floats, denominators: Floats) -> RunCounts:
    """Return what queries add to a pooled mean: to column 0 their numerator, to column 1 their denominator.

    Args:
        numerators: `[Q]`; they do not matter where the denominator is 0.
        denominators: `[Q]`.

    """
    amounts = np.stack([np.where(denominators == 0, 0.0, numerators), denominators], axis=1)  # [Q, 2]
    user, column = np.nonzero(amounts)
    return RunCounts(user, column, amounts[user, column], len(amounts), 2)


def _pooled(counts: RunCounts) -> WholeValue:
    """Return the pooled mean of queries, and that without each of them; NaN if all denominators are 0."""
    of_queries = counts.table  # [Q, 2]
    numerator, denominator = (math.fsum(column) for column in of_queries.T.tolist())
    rest = denominator - of_queries[:, 1]
    without = np.divide(numerator - of_queries[:, 0], rest, out=np.full(len(of_queries), math.nan), where=rest != 0)
    return WholeValue(numerator / denominator if denominator else math.nan, without)


def _missed(unseen: UnseenItems, half: float, level: float) -> tuple[float, float]:
    """Return by how much coverage may be lower and higher: the number of items that nobody is shown is as of Poisson's.

    Where it is small, its distribution is skew, and its variance cannot be estimated: 0 items that are shown once leave
    no variance, and yet some that are shown twice could be missed. The ends are those of Garwood (1936) for the mean of
    a number with this variance; the lower end adds no more items than could be missed, as Good and Turing count them.

    Args:
        unseen: the items.
        half: half of the t interval, in items.
        level: the confidence level.

    """
    from scipy import special  # noqa: PLC0415 - rarely needed

    tail = (1 - level) / 2
    deviation = float(special.ndtri(1 - tail))
    variance = (half / deviation) ** 2
    more = float(special.gammaincinv(variance + 1, 1 - tail)) - variance
    more = min(more, half + unseen.at_risk)
    least = max(variance, min(unseen.number, _FEW)) if unseen.at_risk > _RISK else variance
    fewer = least - float(special.gammaincinv(least, tail)) if least > 0 else 0.0
    return more * unseen.unit, fewer * unseen.unit


def links_of(
    quantities: Iterable[Quantity], hits: JudgedRows, qrels: Qrels, *, condensed: bool
) -> dict[Quantity, WholeRun | MeasureError]:
    """Return the inputs of measures of a whole run, or the error that refuses a measure.

    Args:
        quantities: the measures.
        hits: the judged run.
        qrels: the judgements.
        condensed: whether unjudged documents are removed before ranks are counted.

    """
    shown_within = cache(partial(recommended, hits, qrels))  # once for measures of one cutoff
    links: dict[Quantity, WholeRun | MeasureError] = {}
    for quantity in quantities:
        if isinstance(quantity, Measure):
            try:
                if hits.ties != "broken":
                    raise no_ties(quantity.name, hits.ties)
                shown = shown_within(quantity.cutoff, condensed or quantity.judged_only, "rel" in quantity.parameters)
                links[quantity] = WholeRun(quantity, (counts_of(quantity, shown),))
            except MeasureError as error:
                links[quantity] = error
    return links


def counts_of(measure: Measure, shown: Recommended) -> RunCounts:
    """Count what users add to a measure.

    Raises:
        MeasureError: where data are missing.

    """
    definition = measure.definition
    arguments = {name: parameter.default for name, parameter in definition.parameters.items()}
    count: Callable[..., RunCounts] = definition.counts  # type: ignore[assignment] # there is one
    return count(shown, name=measure.name, **arguments | dict(measure.settings))


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
