"""Which queries have a value, what stands in for one that is missing or undefined, and their mean."""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import compress
from typing import Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankworth.arrays import Floats, Integers
from rankworth.errors import InputError, RefusedError, quoted
from rankworth.groups import Parts
from rankworth.names import Quantity
from rankworth.settings import Averaging

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
    means = mean(additive(values, ways))
    return np.array([_back(value, way, len(values)) for value, way in zip(means.tolist(), ways, strict=True)])


def additive(values: Floats, ways: Sequence[Way]) -> Floats:
    """The values, as logarithms in the columns of geometric means, so that a mean may be taken of all columns."""
    if "gmean" not in ways:
        return values
    columns = [
        [math.log(max(value, _FLOOR)) for value in column] if way == "gmean" else column
        for column, way in zip(values.T.tolist(), ways, strict=True)
    ]
    return np.array(columns, dtype=np.float64).reshape(values.T.shape).T


def back(means: Floats, ways: Sequence[Way]) -> Floats:
    """Means of `additive` values, or bounds of them, on the scale of the values; a sum has none."""
    return np.array(
        [math.nan if way == "sum" else _back(value, way, 1) for value, way in zip(means.tolist(), ways, strict=True)]
    )


def _back(value: float, way: Way, queries: int) -> float:
    if way == "gmean":
        return math.exp(value)
    return value * queries if way == "sum" else value


def mean(values: Floats) -> Floats:
    """`[M]`: the means of the columns of `[Q, M]`, added from the first query to the last, as trec_eval does.

    >>> mean(np.array([[0.5, 1.0], [1.0, 0.0]])).tolist()
    [0.75, 0.5]
    """
    if not values.shape[0]:
        return np.full(values.shape[1], np.nan)
    means: Floats = np.cumsum(values, axis=0)[-1] / values.shape[0]
    return means


class Sample(NamedTuple):
    """Values that stand for queries where these are sampled."""

    values: Floats
    """`[N]`"""
    weights: Floats | None = None
    """`[N]`, where queries do not count alike"""
    groups: Integers | None = None
    """`[N]`: the place of the group of each, where groups count alike"""


def sliced(values: Floats, counted: Sequence[str], over: Sequence[str], settings: Averaging, way: Way) -> float:
    """The weighted mean of some values, or the mean of those of the groups.

    Args:
        values: `[N]`.
        counted: the queries of the values.
        over: the queries that the mean is taken over; the same list where they are the same.
        settings: weights and groups.
        way: mean or geometric mean.

    """
    values = additive(values[:, None], [way])[:, 0]
    every = counted if over is counted else [*counted, *over]
    weights, (groups, places) = _weights(every, settings), _groups(every, settings)
    first, last = slice(len(counted)), slice(len(every) - len(over), None)
    means = []
    for place in range(len(groups)):
        own, of_all = places[first] == place, places[last] == place
        if of_all.any():
            means.append(weighted(values[own], weights[first][own], weights[last][of_all]))
    return float(back(mean(np.array(means, dtype=np.float64)[:, None]), [way])[0])


def sample(values: Floats, counted: Sequence[str], over: Sequence[str], settings: Averaging) -> Sample:
    """Values with their weights and groups, and with 0 for further queries that the mean is taken over."""
    there = set(counted)
    queries = [*counted, *(query for query in over if query not in there)]
    values = np.append(values, np.zeros(len(queries) - values.size))
    weights = _weights(queries, settings)
    inside = set(over)
    divided = np.array([query in inside for query in queries], dtype=bool)
    if not divided.all() and weights[divided].any():
        parts = weights / weights.max()
        values = values * (parts.sum() / parts[divided].sum())
    groups = None if settings.macro is None else settings.macro.parts(queries, strict=True).places
    one = groups is None or bool((groups == groups[:1]).all())
    alike = bool((weights > 0).all() and (weights == weights[:1]).all())
    return Sample(values, None if alike else weights, None if one else groups)


def refuse(counted: Sequence[str], over: Sequence[str], settings: Averaging) -> None:
    """Refuse weights and groups that make no mean.

    Args:
        counted: the queries that have a value.
        over: the queries that the mean is taken over.
        settings: weights and groups.

    Raises:
        InputError: `missing-value`, where a query has no weight or group; `bad-weight`, where all weights are 0.

    """
    weights, (groups, places) = _weights(over, settings), _groups(over, settings)
    if over is not counted:
        _weights(counted, settings)
        _groups(counted, settings)
    for place, name in enumerate(groups if settings.weights is not None else ()):
        if len(over) and not weights[places == place].any():
            of_group = f" of the group {quoted([name])}" if settings.macro is not None else ""
            text = f"all {np.count_nonzero(places == place):,} scored queries{of_group} have the weight 0"
            source = settings.weights.source if settings.weights is not None else ""
            raise InputError("bad-weight", f"{source}: {text}", remedy="where no query counts there is no mean")


def _weights(queries: Sequence[str], settings: Averaging) -> Floats:
    return np.ones(len(queries)) if settings.weights is None else settings.weights.array(queries)


def _groups(queries: Sequence[str], settings: Averaging) -> Parts:
    """The groups of queries that count alike; one group of all where there are none."""
    if settings.macro is None:
        return Parts(["all"], np.zeros(len(queries), dtype=np.int64))
    return settings.macro.parts(queries, strict=True)


def weighted(values: Floats, weights: Floats, over: Floats) -> float:
    """The sum of weight times value over the sum of other weights; where all are alike, the plain mean, bit for bit.

    A value of weight 0 does not count, not even where it is NaN.

    Args:
        values: `[N]`.
        weights: `[N]`, from 0.
        over: the weights of all queries that the sum is divided by.

    >>> weighted(np.array([0.5, 1.0]), np.array([3.0, 1.0]), np.array([3.0, 1.0]))
    0.625
    """
    values, weights, over = values[weights > 0], weights[weights > 0], over[over > 0]
    if not over.size:
        return math.nan
    every = np.append(weights, over)
    if every.min() == every.max():
        return float(np.cumsum(values)[-1]) / over.size if values.size else 0.0
    _, exponents = np.frexp(every.max())
    weights, over = np.ldexp(weights, -exponents), np.ldexp(over, -exponents)  # so that no sum is beyond all numbers
    return math.fsum((weights * values).tolist()) / math.fsum(over.tolist())


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
    others: Collection[str] = ()
    """further queries that the run has, that nobody judged and that are not looked at"""

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
    """the sum is divided by their number, and by that of the others; None for the number of values"""
    others: Collection[str] = ()
    """further queries that the sum is divided by"""

    @property
    def divisor(self) -> int | None:
        """What a sum is divided by; None for the number of values."""
        return None if self.divided is None else int(np.count_nonzero(self.divided)) + len(self.others)

    def within(self, part: Mask, others: Collection[str]) -> "Rows":
        """The rows of some of the queries."""
        divided = None if self.divided is None else self.divided & part
        return replace(self, there=self.there & part, missing=self.missing & part, divided=divided, others=others)


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
    others = standing.others if settings.divisor == "run" else ()
    return Rows(there, missing, unanswered, empty, no_relevant, divided, others)


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
    def divisor(self) -> int | None:
        """What the sum is divided by; None for the number of values."""
        return self.rows.divisor

    @property
    def sliced(self) -> bool:
        """Whether weights or groups have a say in the mean."""
        return self.way != "sum" and (self.settings.weights is not None or self.settings.macro is not None)

    def shown(self) -> Floats:
        """`[Q]`: the values as queries show them."""
        if self.way == "gmean" and self.settings.logarithms:
            return additive(self.values[:, None], [self.way])[:, 0]
        return self.values

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
        if self.way != "mean" or self.rows.divided is None:
            return self.counted
        return [*self.standing.of(self.rows.divided), *sorted(self.rows.others)]

    def part(self, queries: Mask, others: Collection[str]) -> "Column":
        """The values of some queries alone; where none of them is left to average, that is no error.

        Args:
            queries: `[Q]`, which ones.
            others: those of the others that are divided by.

        """
        settings = self.settings
        if settings.no_queries == "error":
            settings = replace(settings, no_queries="nan")
        rows, absent = self.rows.within(queries, others), self.absent[queries[self.rows.missing]]
        return replace(self, there=self.there & queries, rows=rows, absent=absent, settings=settings)

    def sampled(self) -> Sample:
        """The values that stand for the queries where these are sampled: with 0 for those that a divisor counts."""
        values = self.averaged()
        if self.sliced:
            return sample(values, self.counted, self.over, self.settings)
        more = 0 if self.divisor is None else self.divisor - values.size
        padded = np.append(values, np.zeros(more)) if more >= 0 else values * (values.size / max(1, self.divisor or 0))
        return Sample(padded)

    def refuse(self) -> None:
        """Refuse weights and groups that make no mean.

        Raises:
            InputError: `missing-value`, where a query has no weight or group; `bad-weight`, where all weights are 0.

        """
        if self.sliced:
            refuse(self.counted, self.over, self.settings)

    def mean(self) -> float:
        """All values as one number: mean, geometric mean or sum.

        Raises:
            RefusedError: `no_queries`.

        """
        return self._mean

    @cached_property
    def _mean(self) -> float:
        settings, values = self.settings, self.averaged()
        if self.way == "sum":
            return float(summary(values[:, None], [self.way])[0]) if values.size else 0.0
        if not values.size:
            if settings.no_queries == "error":
                raise RefusedError("no_queries", "not one query is left to take a mean over")
            return 0.0 if settings.no_queries == "zero" else math.nan
        if self.sliced:
            number = sliced(values, self.counted, self.over, settings, self.way)
        elif self.way == "mean" and self.divisor is not None:
            number = float(np.cumsum(values)[-1]) / self.divisor if self.divisor else math.nan
        else:
            number = float(summary(values[:, None], [self.way])[0])
        return rounded(number, settings.round_means, settings)


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
    values, meant = _with_fates(values, rows, standing, settings, is_sum=is_sum)
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
        values = np.array([rounded(value, settings.round_values, settings) for value in values.tolist()])
    return Column(np.where(there, values, math.nan), there, absent, rows, standing, quantity.averaging, settings)


def _with_fates(
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


def rounded(number: float, decimals: int | None, settings: Averaging) -> float:
    """A number as the settings round it."""
    if decimals is None or not math.isfinite(number):
        return number
    if settings.halves == "up":
        scale = float(10**decimals)
        return math.floor(number * scale + 0.5) / scale
    return round(number, decimals)


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
    if all(_has_rows(one, standing, kept) for one in columns):
        queries, there = standing.of(kept), None
        table = np.array([one.shown()[kept] for one in columns]).reshape(len(columns), len(queries)).T
        if not standing.judged.all():
            order = sorted(range(len(queries)), key=queries.__getitem__)
            queries, table = [queries[place] for place in order], table[order]
    else:
        rows = [dict(zip(one.standing.of(one.there), one.shown()[one.there].tolist(), strict=True)) for one in columns]
        queries = sorted({query for row in rows for query in row})
        there = np.array([[query in row for row in rows] for query in queries], dtype=bool)
        table = np.array([[row.get(query, np.nan) for row in rows] for query in queries], dtype=np.float64)
        there, table = (one.reshape(len(queries), len(rows)) for one in (there, table))
    table = np.ascontiguousarray(table)
    table.setflags(write=False)
    return queries, table, there


def _has_rows(column: Column, standing: Standing, kept: Mask) -> bool:
    """Whether a measure has values for these queries and no others."""
    same = column.standing is standing or column.standing.queries == standing.queries
    return same and (column.there is kept or np.array_equal(column.there, kept))
