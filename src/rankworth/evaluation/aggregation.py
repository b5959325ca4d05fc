"""Which queries have a value, what stands in for one that is missing or undefined, their mean and its interval."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import compress
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from rankworth import stats
from rankworth.arrays import Floats, Integers
from rankworth.errors import InputError, RefusedError, quoted
from rankworth.groups import Parts
from rankworth.names import Quantity
from rankworth.settings import Averaging
from rankworth.stats.resampling import bca_quantiles, over_samples

Mask = NDArray[np.bool_]
Way = Literal["mean", "gmean", "sum"]
"""How the values of all queries become one: mean, geometric mean, or sum."""

_FLOOR: Final = 0.00001
"""what a value counts at least in a geometric mean, in which one 0 would make all the others void"""
_WHAT: Final = {
    "missing": "judged queries that the run does not have",
    "extra": "queries of the run that nobody judged",
    "empty": "queries with an empty list of documents",
    "no_relevant": "queries without a relevant document",
}


def summary(values: Floats, ways: Sequence[Way]) -> Floats:
    """`[M]`: one number for each column of `[Q, M]`, added from the first query to the last, as trec_eval does.

    Geometric mean: the exponential of the mean of ln(max(value, 0.00001)).

    >>> summary(np.array([[0.5, 4.0, 1.0], [1.0, 1.0, 1.0]]), ["mean", "gmean", "sum"]).tolist()
    [0.75, 2.0, 2.0]
    """
    means = from_logarithms(mean(to_logarithms(values, ways)), ways)
    return np.where([way == "sum" for way in ways], values.sum(axis=0), means)


def to_logarithms(values: Floats, ways: Sequence[Way]) -> Floats:
    """`[Q, M]`: the values, as logarithms in the columns of geometric means, so that each column may be averaged."""
    if "gmean" not in ways:
        return values
    return np.array([additive(*column) for column in zip(values.T, ways, strict=True)]).T


def additive(values: Floats, way: Way) -> Floats:
    """The values of one measure as they are added: their logarithms for a geometric mean."""
    if way != "gmean":
        return values
    return np.array([math.log(max(value, _FLOOR)) for value in values.tolist()], dtype=np.float64)


def from_logarithms(means: Floats, ways: Sequence[Way]) -> Floats:
    """Means of `additive` values, or bounds of them, on the scale of the values; a sum has none."""
    pairs = zip(means.tolist(), ways, strict=True)
    return np.array([math.nan if way == "sum" else math.exp(mean) if way == "gmean" else mean for mean, way in pairs])


def mean(values: Floats) -> Floats:
    """`[M]`: the means of the columns of `[Q, M]`, added from the first query to the last, as trec_eval does.

    >>> mean(np.array([[0.5, 1.0], [1.0, 0.0]])).tolist()
    [0.75, 0.5]
    """
    if not values.shape[0]:
        return np.full(values.shape[1], np.nan)
    means: Floats = np.cumsum(values, axis=0)[-1] / values.shape[0]
    return means


def sliced(values: Floats, queries: Sequence[str], settings: Averaging, divided: Mask | None = None) -> float:
    """The weighted mean of some values, or the mean of those of the groups.

    Args:
        values: `[N]`; 0 of queries that the mean is divided by and that have none.
        queries: the N queries.
        settings: weights and groups.
        divided: `[N]`, the queries by whose weight a sum is divided; all by default.

    """
    weights, groups = _weighing(queries, settings)
    divided = np.ones(len(queries), dtype=bool) if divided is None else divided
    parts = [part for part in map(groups.of, groups.names) if divided[part].any()]
    means = [weighted(values[part], weights[part], divided[part]) for part in parts]
    return float(mean(np.array(means, dtype=np.float64)[:, None])[0])


def refuse(queries: Sequence[str], settings: Averaging, divided: Mask | None = None) -> None:
    """Refuse weights and groups that make no mean.

    Args:
        queries: the queries that have a value, or that the mean is divided by.
        settings: weights and groups.
        divided: `[N]`, those that it is divided by; all by default.

    Raises:
        InputError: `missing-value`, where a query has no weight or group; `bad-weight`, where all weights are 0.

    """
    weights, groups = _weighing(queries, settings)
    if settings.weights is None:
        return
    for name in groups.names:
        part = groups.of(name) if divided is None else groups.of(name) & divided
        if part.any() and not weights[part].any():
            of_group = f" of the group {quoted([name])}" if settings.macro is not None else ""
            text = f"all {np.count_nonzero(part):,} scored queries{of_group} have the weight 0"
            remedy = "where no query counts there is no mean"
            raise InputError("bad-weight", f"{settings.weights.source}: {text}", remedy=remedy)


def _weighing(queries: Sequence[str], settings: Averaging) -> tuple[Floats, Parts]:
    """The weights of queries, and the groups that count alike; one group of all where there are none."""
    weights = np.ones(len(queries)) if settings.weights is None else settings.weights.array(queries)
    if settings.macro is None:
        return weights, Parts(["all"], np.zeros(len(queries), dtype=np.int64))
    return weights, settings.macro.parts(queries, strict=True)


def weighted(values: Floats, weights: Floats, divided: Mask) -> float:
    """The sum of weight times value over a sum of weights; where all are alike, the plain mean, bit for bit.

    A value of weight 0 does not count, not even where it is NaN.

    Args:
        values: `[N]`.
        weights: `[N]`, from 0.
        divided: `[N]`, those by whose weights the sum is divided.

    >>> weighted(np.array([0.5, 1.0]), np.array([3.0, 1.0]), np.array([True, True]))
    0.625
    """
    counts = weights > 0
    values, weights, divided = values[counts], weights[counts], divided[counts]
    if not divided.any():
        return math.nan
    if weights.min() == weights.max():
        return float(np.cumsum(values)[-1]) / int(np.count_nonzero(divided))
    weights = np.ldexp(weights, -np.frexp(weights.max())[1])  # so that no sum is beyond all numbers
    return math.fsum((weights * values).tolist()) / math.fsum(weights[divided].tolist())


@dataclass(frozen=True)
class Standing:
    """What is known of each query before anything is measured: `[Q]` each."""

    queries: Sequence[str]
    judged: Mask
    """whether it has judgements"""
    answered: Mask
    """whether the run has documents for it"""
    empty: Mask
    """whether the run has it with an empty list"""
    relevant: Mask
    """whether it has a grade above 0"""
    negative: Mask
    """whether its grades are all negative"""
    nonzero: Mask
    """whether its grades do not add up to 0"""
    hollow: Mask
    """whether nothing is left of its list once documents that nobody judged are removed"""
    length: NDArray[np.int64]
    """how long its list is"""

    def of(self, rows: Mask) -> list[str]:
        """The ids of some queries."""
        return list(compress(self.queries, rows.tolist()))


@dataclass(frozen=True)
class Rows:
    """`[Q]`: which queries count, and which are without results or relevant documents."""

    there: Mask
    """they have a value"""
    missing: Mask
    """they have none, since the run does not have them"""
    unanswered: Mask
    """judged queries that the run does not have, whatever becomes of them"""
    empty: Mask
    """judged queries that the run has with an empty list, where that is not the same as not having them"""
    no_relevant: Mask
    """queries that count and have no relevant document"""
    divided: Mask | None = None
    """the sum is divided by their number; None for the number of values"""


FATES: Final = {
    "zero": "counted as empty rankings",
    "nought": "counted as 0",
    "absent": "counted as 0 in the means",
    "nan": "without a number",
    "skip": "left out",
    "error": "left out",
}
"""what becomes of a judged query without results, by the setting `missing`"""


def rows_of(standing: Standing, settings: Averaging) -> Rows:
    """The queries that have a value, and what the sum is divided by.

    Raises:
        RefusedError: `missing`, `extra`, `empty`, `no_relevant`, `fewest`.

    """
    judged, answered = standing.judged, standing.answered
    none = np.zeros_like(judged)
    empty = none if settings.empty == "missing" else standing.empty & ~answered & judged
    unanswered = judged & ~answered & ~empty
    extra = ~judged & (answered | standing.empty)
    counted = judged | (settings.extra == "zero")
    no_relevant = counted & ~(standing.nonzero if settings.relevant_by == "sum" else standing.relevant)
    for name, some in (("missing", unanswered), ("extra", extra), ("empty", empty), ("no_relevant", no_relevant)):
        if getattr(settings, name) == "error" and some.any():
            raise RefusedError(name, f"{_WHAT[name]}: {quoted(standing.of(some))}")
    if settings.fewest and (short := answered & counted & (standing.length < settings.fewest)).any():
        text = f"queries with fewer than {settings.fewest} documents: {quoted(standing.of(short))}"
        raise RefusedError("fewest", text)
    there = judged & answered
    if settings.missing in ("zero", "nought", "nan"):
        there = there | unanswered
    if settings.empty in ("zero", "nan"):
        there = there | empty
    if settings.extra == "zero":
        there = there | extra
    missing = unanswered if settings.missing == "absent" else none
    if settings.no_relevant == "skip":
        there, missing = there & ~no_relevant, missing & ~no_relevant
    divided = {"rows": None, "judged": judged, "run": answered | standing.empty}[settings.divisor]
    return Rows(there, missing, unanswered, empty, no_relevant, divided)


@dataclass(frozen=True)
class Column:
    """The values of one measure."""

    values: Floats
    """`[Q]`"""
    there: Mask
    """`[Q]`: which queries have one"""
    absent: Floats
    """what queries count without having a value"""
    rows: Rows
    standing: Standing
    way: Way
    settings: Averaging

    @property
    def sliced(self) -> bool:
        """Whether weights or groups have a say in the mean."""
        return self.way != "sum" and (self.settings.weights is not None or self.settings.macro is not None)

    @property
    def divided(self) -> Mask | None:
        """`[Q]`: the queries that the sum is divided by; None for those of the values that are averaged."""
        return self.rows.divided if self.way == "mean" else None

    def shown(self) -> Floats:
        """`[Q]`: the values as queries show them."""
        return additive(self.values, self.way) if self.shows_logarithms else self.values

    @property
    def shows_logarithms(self) -> bool:
        """Whether queries show what is added for a geometric mean."""
        return self.settings.logarithms and self.way == "gmean"

    def averaged(self) -> Floats:
        """The values that are averaged."""
        values = self.values[self.there]
        if self.settings.nan != "propagate":
            void = np.isnan(values)
            values = values[~void] if self.settings.nan == "skip" else np.where(void, 0.0, values)
        return np.append(values, self.absent) if self.absent.size else values

    @cached_property
    def counted(self) -> list[str]:
        """The queries of the values that are averaged, in their order."""
        there = self.there if self.settings.nan != "skip" else self.there & ~np.isnan(self.values)
        return [*self.standing.of(there), *self.standing.of(self.rows.missing)]

    @cached_property
    def over(self) -> list[str]:
        """The queries that the mean is taken over."""
        return self.counted if self.divided is None else self.standing.of(self.divided)

    @cached_property
    def sample(self) -> tuple[Floats, list[str], Mask]:
        """The values that are averaged, and 0 for each further query that the sum is divided by.

        Beside the values, `[N]`, the queries, and by which of them the sum is divided, `[N]`.
        """
        over, queries = {*self.over}, list(dict.fromkeys([*self.counted, *self.over]))
        values = np.append(self.averaged(), np.zeros(len(queries) - len(self.counted)))
        return values, queries, np.array([query in over for query in queries], dtype=bool)

    def part(self, queries: Mask) -> "Column":
        """The values of some queries alone, `[Q]`; where none of them is left to average, that is no error."""
        settings = self.settings
        if settings.no_queries == "error":
            settings = replace(settings, no_queries="nan")
        rows, divided = self.rows, self.rows.divided
        divided = None if divided is None else divided & queries
        rows = replace(rows, there=rows.there & queries, missing=rows.missing & queries, divided=divided)
        absent = self.absent[queries[self.rows.missing]]
        return replace(self, there=self.there & queries, rows=rows, absent=absent, settings=settings)

    def sampled(self) -> tuple[Floats, Floats, Integers]:
        """The values of queries where these are sampled, their weights and the numbers of their groups.

        Where the mean is divided by fewer queries than have a value, values are multiplied, so that theirs is the same.
        """
        values, queries, divided = self.sample
        weights, groups = _weighing(queries, self.settings)
        if not divided.all() and weights[divided].any():
            shares = weights / weights.max()
            values = values * (shares.sum() / shares[divided].sum())
        return values, weights, groups.places

    @cached_property
    def mean(self) -> float:
        """All values as one number: mean, geometric mean or sum.

        Raises:
            RefusedError: `no_queries`.

        """
        settings, values = self.settings, self.averaged()
        if not values.size and self.way != "sum":
            if settings.no_queries == "error":
                raise RefusedError("no_queries", "no query is left to take a mean over")
            return 0.0 if settings.no_queries == "zero" else math.nan
        if self.way == "sum":
            return float(values.sum())
        if self.sliced:
            values, queries, divided = self.sample
            number = sliced(additive(values, self.way), queries, settings, divided)
        else:
            size = values.size if self.divided is None else int(np.count_nonzero(self.divided))
            number = float(np.cumsum(additive(values, self.way))[-1]) / size if size else math.nan
        [number] = from_logarithms(np.array([number]), [self.way]).tolist()
        return float(rounded(number, settings.round_means, settings))


def column_of(quantity: Quantity, values: Floats, rows: Rows, standing: Standing, settings: Averaging) -> Column:
    """The values of one measure as the settings have them.

    Args:
        quantity: the measure.
        values: `[Q]`, NaN where undefined.
        rows: the queries that count.
        standing: what is known of the queries.
        settings: what becomes of undefined values and of zeros, and the decimals.

    Raises:
        RefusedError: `undefined`.

    """
    is_sum, there = quantity.averaging == "sum", rows.there
    absent = values[rows.missing] if is_sum else np.zeros(int(np.count_nonzero(rows.missing)))
    values, meant = _with_policies(values, rows, standing, settings, is_sum=is_sum)
    void = there & np.isnan(values) & ~meant
    if void.any():
        if settings.undefined == "error":
            raise RefusedError("undefined", f"queries for which it is not defined: {quoted(standing.of(void))}")
        if settings.undefined == "skip":
            there = there & ~void
        elif settings.undefined != "nan":
            values = np.where(void, float(settings.undefined), values)
    if settings.no_hit != "keep" and not is_sum:
        lenient = quantity.parameters.get("rel", 1) <= 0  # every judged document is relevant
        without = there & (standing.judged if lenient else standing.relevant) & (values == 0)
        if settings.no_hit == "skip":
            there = there & ~without
        values = np.where(without, math.nan, values)
    if settings.round_values is not None:
        values = rounded(values, settings.round_values, settings)
    return Column(np.where(there, values, math.nan), there, absent, rows, standing, quantity.averaging, settings)


def _with_policies(
    values: Floats, rows: Rows, standing: Standing, settings: Averaging, *, is_sum: bool
) -> tuple[Floats, Mask]:
    """The values that settings give to queries without results or relevant documents, and which are to be NaN.

    Args:
        values: `[Q]`, NaN where undefined.
        rows: the queries that count.
        standing: what is known of the queries.
        settings: the settings.
        is_sum: whether values are counted and added, so that relevance does not matter.

    """
    neither = rows.no_relevant
    if settings.neither != "keep":
        neither = neither & (~standing.answered | standing.hollow)
    unknown = rows.empty | standing.hollow if settings.empty == "nan" else rows.empty
    fates: list[tuple[Mask, object]] = [(rows.unanswered, settings.missing), (unknown, settings.empty)]
    if not is_sum:
        for queries, number in ((rows.no_relevant, settings.no_relevant), (neither, settings.neither)):
            if not isinstance(number, str):
                values = np.where(queries, number, values)
        if settings.all_negative == "previous":
            values = _previous(values, rows.there, standing)
        fates += [(rows.no_relevant, settings.no_relevant), (neither, settings.neither)]
    meant = np.zeros_like(rows.there)
    for queries, fate in fates:
        if fate == "nought":
            values = np.where(queries, 0.0, values)
        elif fate == "nan":
            values, meant = np.where(queries, math.nan, values), meant | queries
    return values, meant


def _previous(values: Floats, there: Mask, standing: Standing) -> Floats:
    """The values, with that of the query before in place of those of queries with negative grades only."""
    shown = values.tolist()
    for place in np.flatnonzero(standing.judged & standing.negative).tolist():
        before = np.flatnonzero(there[:place])
        shown[place] = shown[before[-1]] if before.size else 0.0
    return np.array(shown)


def rounded(numbers: Floats | float, decimals: int | None, settings: Averaging) -> Floats:
    """Numbers as the settings round them: as `round` does, or halves up.

    >>> rounded([0.125, 0.375, 2.675], 2, Averaging()).tolist()
    [0.12, 0.38, 2.67]
    """
    numbers = np.asarray(numbers, dtype=np.float64)
    if decimals is None:
        return numbers
    if settings.halves == "up":
        scale = float(10**decimals)
        return np.asarray(np.floor(numbers * scale + 0.5) / scale)
    return np.array([round(number, decimals) for number in numbers.ravel().tolist()]).reshape(numbers.shape)


def side_by_side(columns: Sequence[Column], standing: Standing, kept: Mask) -> tuple[list[str], Floats, Mask | None]:
    """All columns in one table: a row for each query that has a value by some measure, in the order of their ids.

    Args:
        columns: the columns.
        standing: what is known of the queries by the profile itself.
        kept: those of them that count.

    Returns:
        The queries, the table, and where there is a value; None where there is one everywhere.

    """
    there: Mask | None
    if all(_has_rows(column, standing, kept) for column in columns):
        queries, there = standing.of(kept), None
        table = np.array([column.shown()[kept] for column in columns]).reshape(len(columns), len(queries)).T
        if not standing.judged.all():
            order = sorted(range(len(queries)), key=queries.__getitem__)
            queries, table = [queries[place] for place in order], table[order]
    else:
        rows = [dict(zip(one.standing.of(one.there), one.shown()[one.there].tolist(), strict=True)) for one in columns]
        queries = sorted({query for row in rows for query in row})
        there = np.array([[query in row for row in rows] for query in queries], dtype=bool)
        table = np.array([[row.get(query, np.nan) for row in rows] for query in queries], dtype=np.float64)
        there, table = (array.reshape(len(queries), len(rows)) for array in (there, table))
    table = np.ascontiguousarray(table)
    table.setflags(write=False)
    return queries, table, there


def _has_rows(column: Column, standing: Standing, kept: Mask) -> bool:
    """Whether a measure has values for these queries and no others."""
    same = column.standing is standing or column.standing.queries == standing.queries
    return same and (column.there is kept or np.array_equal(column.there, kept))


def intervals(columns: Sequence[Column], table: Floats | None, level: float, seed: int) -> tuple[Floats, Floats]:
    """The ends of confidence intervals of all means, by the bootstrap over queries.

    Args:
        columns: each measure's values as they are averaged.
        table: `[Q, M]`, what queries show, where all measures have a value for the same queries; None otherwise.
        level: the confidence level.
        seed: of the resampling.

    """
    ways = [column.way for column in columns]
    odd = any(column.absent.size or column.divided is not None or column.sliced for column in columns)
    if table is not None and not odd and not np.isnan(table).any():
        shown: list[Way] = ["mean" if column.shows_logarithms else column.way for column in columns]
        together = stats.intervals(to_logarithms(table, shown), level=level, seed=seed)
        return from_logarithms(together.low, ways), from_logarithms(together.high, ways)
    sampled = [(column.way, *column.sampled()) for column in columns]
    ends = [
        interval(additive(values, way), weights, groups, way, level, seed) for way, values, weights, groups in sampled
    ]
    low, high = np.array(ends).reshape(-1, 2).T
    return low, high


def interval(
    added: Floats, weights: Floats, groups: Integers, way: Way, level: float, seed: int
) -> tuple[float, float]:
    """The ends of the confidence interval of the mean of some values; NaN of a sum.

    Args:
        added: `[N]`, the values as they are added, see `additive`.
        weights: `[N]`, from 0.
        groups: `[N]`, the number of the group of each query.
        way: how the values become one.
        level: the confidence level.
        seed: of the resampling.

    """
    if way == "sum":
        return math.nan, math.nan
    ends = bootstrap(added, weights, groups, level=level, seed=seed)
    low, high = from_logarithms(np.array(ends), [way] * 2).tolist()
    return low, high


def bootstrap(
    values: Floats,
    weights: Floats,
    groups: Integers,
    *,
    level: float = 0.95,
    resamples: int = stats.RESAMPLES,
    seed: int = 0,
) -> tuple[float, float]:
    """The bias-corrected and accelerated bootstrap interval of a weighted mean, or of the mean of group means.

    A query is drawn with its weight; with groups, as many queries are drawn from each as it has. Queries of weight 0
    are left out. Memory is bounded whatever the number of queries.

    Args:
        values: `[N]`.
        weights: `[N]`, from 0.
        groups: `[N]`, the number of the group of each query.
        level: the confidence level.
        resamples: how many samples are drawn.
        seed: of the generator.

    Returns:
        Lower and upper bound. NaN where a group has fewer than two queries, which tell nothing of its spread, and where
        a value is NaN; the mean itself where all values of each group are equal.

    >>> low, high = bootstrap(np.array([0.1, 0.4, 0.9, 0.2]), np.ones(4), np.array([0, 0, 1, 1]))
    >>> low < (0.25 + 0.55) / 2 < high
    True
    """
    if np.isnan(values[weights > 0]).any():
        return math.nan, math.nan
    if len(np.unique(groups)) < 2:  # noqa: PLR2004 - a mean of several
        ends = stats.intervals(values[:, None], weights, level=level, resamples=resamples, seed=seed)
        return float(ends.low[0]), float(ends.high[0])
    counts = weights > 0
    values, groups, weights = values[counts], groups[counts], weights[counts] / weights.max(initial=0.0)
    return _of_groups(values, weights, [groups == group for group in np.unique(groups)], level, resamples, seed)


def _of_groups(
    values: Floats, weights: Floats, groups: Sequence[Mask], level: float, resamples: int, seed: int
) -> tuple[float, float]:
    """The interval of the mean of group means; the acceleration is that of the values' shares in it."""
    if min(map(np.count_nonzero, groups), default=0) < 2:  # noqa: PLR2004 - one value has no spread
        return math.nan, math.nan
    generator = np.random.default_rng(seed)
    means, mean, shares = np.zeros(resamples), 0.0, []
    for group in groups:
        own, weighing = values[group], weights[group] / weights[group].sum() / len(groups)
        within = (own * weighing).sum()
        means += _resampled(own, weights[group], resamples, generator) / len(groups)
        mean += within
        shares.append((own - within * len(groups)) * weighing)
    if all(np.ptp(values[group]) == 0 for group in groups):
        return float(mean), float(mean)
    equal = np.isclose(means, mean, rtol=1e-12, atol=0)  # but for the order of the additions
    below = np.array([(((means < mean) & ~equal).sum() + equal.sum() / 2) / resamples])
    added = np.concatenate(shares)
    acceleration = np.array([(added**3).sum() / (6 * (added**2).sum() ** 1.5)])
    low, high = (float(np.quantile(means, end[0])) for end in bca_quantiles(below, acceleration, resamples, level))
    return low, high


def _resampled(values: Floats, weights: Floats, resamples: int, generator: np.random.Generator) -> Floats:
    """`[B]`: weighted means of samples with replacement."""
    products = (values * weights)[None]

    def compute(counts: Floats) -> Floats:
        return np.asarray((products @ counts.T) / (counts @ weights))

    return over_samples(compute, 1, len(values), resamples, generator).ravel()
