"""Columns: the value of each query by a measure, how much it counts, and how the sum is read.

A mean is a function from a column to a number: `link(sum(weight * value) / sum(weight))`, added from the first query to
the last. What comes later (tables, intervals, comparisons, results files, clusters) knows columns, and no setting.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import compress
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from rankworth import stats
from rankworth.arrays import Floats, Integers
from rankworth.errors import InputError, quoted
from rankworth.groups import Groups, Parts, Weights
from rankworth.scoring.whole_runs import WholeRun

Mask = NDArray[np.bool_]
Link = Literal["mean", "gmean", "sum", "median", "micro"] | WholeRun
"""How the values of all queries become one: mean, geometric mean, sum, median, or a measure of the whole run, which a
pooled mean (`micro`) is as soon as it is measured."""

_FLOOR: Final = 0.00001
"""what a value counts at least in a geometric mean, in which one 0 would make all the others void"""


@dataclass(frozen=True)
class Column:
    """The values of one measure: what a mean, an interval, a comparison or a file is made of.

    Attributes:
        queries: the Q queries that are judged, or that the run has.
        values: `[Q]`, NaN where a query has no value, or where that is undefined.
        weights: `[Q]`, how much a query counts in the mean, from 0; a NaN that counts makes the mean NaN.
        listed: `[Q]`, whether the query is shown with a value of its own.
        link: how the values become one.
        shown: `[Q]`, what is shown for the queries, where that is not the value.
        strata: `[Q]`, the number of the group of each query, where groups count alike.
        decimals: of the mean; all where None.
        halves: whether halves are rounded to the `even` digit or `up`.
        over_none: the mean over no query.
        logarithms: whether queries show what is added for a geometric mean.

    """

    queries: Sequence[str]
    values: Floats
    weights: Floats
    listed: Mask
    link: Link = "mean"
    shown: Floats | None = None
    strata: Integers | None = None
    decimals: int | None = None
    halves: Literal["even", "up"] = "even"
    over_none: float = math.nan
    logarithms: bool = False

    @property
    def visible(self) -> Floats:
        """`[Q]`: the values as queries show them."""
        return self.values if self.shown is None else self.shown

    @property
    def values_of_queries(self) -> Floats:
        """`[Q]`: the values that queries have by themselves; NaN of a measure of the whole run."""
        return np.full(self.values.size, math.nan) if isinstance(self.link, WholeRun) else self.values

    @property
    def counting_values(self) -> Floats:
        """`[Q]`: the values that count in the mean; NaN of all other queries."""
        return np.where(self.counted, self.values, math.nan)

    @property
    def unrounded(self) -> "Column":
        """The column with a mean of full precision, which is NaN over no query."""
        return replace(self, decimals=None, over_none=math.nan, logarithms=False)

    @property
    def group(self) -> Integers:
        """`[Q]`: the number of the group of each query, where groups count alike; 0 where there are none."""
        return np.zeros(self.values.size, dtype=np.int64) if self.strata is None else self.strata

    @property
    def counted(self) -> Mask:
        """`[Q]`: whether a query counts in the mean."""
        return self.weights > 0

    def names(self, rows: Mask) -> list[str]:
        """Return the ids of some queries, `[Q]`."""
        return list(compress(self.queries, rows.tolist()))

    def part(self, queries: Mask) -> "Column":
        """Return the values of some queries alone, `[Q]`."""
        part = replace(self, weights=np.where(queries, self.weights, 0.0), listed=self.listed & queries)
        return part.of_whole_run(self.link) if isinstance(self.link, WholeRun) else part

    @property
    def is_resampled(self) -> bool:
        """Whether the spread of the mean is that of samples of queries, and not of the jackknife."""
        return self.link != "median" and not isinstance(self.link, WholeRun)

    def own_interval(self, level: float) -> tuple[float, float] | None:
        """Return the ends of the interval of a median, or of a whole run; None where queries are resampled."""
        if self.link == "median":
            return stats.interval_of_median(self.values[self.counted], level=level)
        return self.link.interval(self.weights, self.mean, level) if isinstance(self.link, WholeRun) else None

    def of_whole_run(self, link: WholeRun) -> "Column":
        """Return the column of a measure of all counted queries together; no query has a value by itself."""
        column = replace(self, values=link.values(self.weights), link=link)
        return replace(column, shown=column.values_of_queries)

    def at(self, queries: Sequence[str], rows: Integers) -> "Column":
        """Put other queries into the places of these.

        Args:
            queries: the other ones.
            rows: `[N]`, where each of them stands here; -1 where it does not, so that it counts nothing.

        """
        absent = rows < 0
        column = replace(
            self,
            queries=queries,
            values=np.where(absent, math.nan, self.values[rows]),
            weights=np.where(absent, 0.0, self.weights[rows]),
            listed=self.listed[rows] & ~absent,
            shown=None if self.shown is None else np.where(absent, math.nan, self.shown[rows]),
            strata=None if self.strata is None else self.strata[rows],
        )
        return column.of_whole_run(self.link.take(rows)) if isinstance(self.link, WholeRun) else column

    def weighted(self, weights: Weights | None, macro: Groups | None) -> "Column":
        """Weight the queries that count, and let groups count alike.

        Raises:
            InputError: `missing-value`, where a query has no weight or group; `bad-weight`, where all weights are 0.

        """
        if weights is None and macro is None:
            return self
        counted = self.counted
        names, numbers, strata = self.names(counted), self.weights.copy(), None
        if macro is not None:
            strata = np.zeros(numbers.size, dtype=np.int64)
            strata[counted] = macro.numbers(names)
        if weights is not None:
            numbers[counted] *= weights.array(names)
            parts = Parts(["all"], np.zeros(len(names), dtype=np.int64)) if macro is None else macro.parts(names)
            for name in parts.names:
                if (part := parts.of(name)).any() and not numbers[counted][part].any():
                    of_group = f" of the group {quoted([name])}" if macro is not None else ""
                    text = f"all {np.count_nonzero(part):,} scored queries{of_group} have the weight 0"
                    remedy = "where no query counts there is no mean"
                    raise InputError("bad-weight", f"{weights.source}: {text}", remedy=remedy)
        return replace(self, weights=numbers, strata=strata)

    def with_values(self, values: Floats) -> "Column":
        """Return the column with other values, `[Q]`, of the queries that are listed; they count as those do."""
        changed = np.where(self.listed, values, self.values)
        shown = additive(changed, self.link) if self.logarithms else None
        return replace(self, values=changed, shown=shown)

    @cached_property
    def mean(self) -> float:
        """All values as one number: mean, geometric mean, median or sum."""
        rows = self.counted
        if self.link == "sum":
            return float(self.values[rows].sum())
        if not rows.any():
            return self.over_none
        if isinstance(self.link, WholeRun):
            return float(rounded(self.link.mean(self.values, self.weights), self.decimals, self.halves))
        if self.link == "median":
            return float(rounded(np.median(self.values[rows]), self.decimals, self.halves))
        strata = None if self.strata is None else self.strata[rows]
        number = stratified(additive(self.values[rows], self.link), self.weights[rows], strata)
        [number] = from_logarithms(np.array([number]), [self.link]).tolist()
        return float(rounded(number, self.decimals, self.halves))


def averaged(columns: Sequence[Column]) -> Column:
    """Average several runs of the same queries: values for each query, or the means of runs of a whole-run measure."""
    weights = np.where(np.all([column.counted for column in columns], axis=0), columns[0].weights, 0.0)
    column = replace(
        columns[0],
        values=np.mean([column.values for column in columns], axis=0),
        weights=weights,
        listed=np.all([column.listed for column in columns], axis=0),
        shown=None,
    )
    links = [column.link for column in columns if isinstance(column.link, WholeRun)]
    return column.of_whole_run(WholeRun.averaged(links)) if links else column


def folded(columns: Sequence[Column], owners: Integers) -> Column:
    """Join runs of which each answers other queries.

    Args:
        columns: of the same queries.
        owners: `[Q]`, the column that each query is taken from.

    Raises:
        UsageError: `not-comparable`, where a measure of the whole run cannot tell which items are the same.

    """

    def chosen(arrays: Sequence[NDArray[Any]]) -> NDArray[Any]:
        return np.array(arrays)[owners, np.arange(owners.size)]

    column = replace(
        columns[0],
        values=chosen([column.values for column in columns]),
        weights=chosen([column.weights for column in columns]),
        listed=chosen([column.listed for column in columns]),
        strata=None if columns[0].strata is None else chosen([column.group for column in columns]),
        shown=None,
    )
    links = [column.link for column in columns if isinstance(column.link, WholeRun)]
    return column.of_whole_run(WholeRun.folded(links, owners)) if links else column


def stratified(values: Floats, weights: Floats, strata: Integers | None = None) -> float:
    """Return the weighted mean of values, or the mean of the weighted means of strata.

    Args:
        values: `[N]`.
        weights: `[N]`, above 0.
        strata: `[N]`, the number of the stratum of each value.

    """
    if strata is None:
        return weighted(values, weights)
    parts = [strata == stratum for stratum in np.unique(strata)]  # a mask [N] for each stratum
    return weighted(np.array([weighted(values[part], weights[part]) for part in parts]), np.ones(len(parts)))


def weighted(values: Floats, weights: Floats) -> float:
    """Return the weighted mean; where all weights are equal, the plain one, added from the first value to the last.

    Args:
        values: `[N]`.
        weights: `[N]`, above 0.

    >>> weighted(np.array([0.5, 1.0]), np.array([3.0, 1.0]))
    0.625
    """
    if weights.min() == weights.max():
        return float(np.cumsum(values)[-1]) / weights.size
    weights = np.ldexp(weights, -np.frexp(weights.max())[1])  # so that no sum is beyond all numbers
    return math.fsum((weights * values).tolist()) / math.fsum(weights.tolist())


def summary(values: Floats, links: Sequence[Link]) -> Floats:
    """Return one number for each column of `[Q, M]`, added from the first query to the last, as trec_eval does.

    Geometric mean: the exponential of the mean of ln(max(value, 0.00001)).

    >>> summary(np.array([[0.5, 4.0, 1.0], [1.0, 1.0, 1.0]]), ["mean", "gmean", "sum"]).tolist()
    [0.75, 2.0, 2.0]
    """
    if not values.shape[0]:
        return np.array([0.0 if link == "sum" else math.nan for link in links])
    logarithms = np.array([additive(*column) for column in zip(values.T, links, strict=True)]).T  # [Q, M]
    medians = [link == "median" for link in links]
    means = from_logarithms(np.cumsum(logarithms, axis=0)[-1] / values.shape[0], links)  # [M]
    means = np.where(medians, np.median(values, axis=0), means) if any(medians) else means
    return np.where([link == "sum" for link in links], values.sum(axis=0), means)


def additive(values: Floats, link: Link) -> Floats:
    """Return the values as they are added: their logarithms for a geometric mean."""
    if link != "gmean":
        return values
    return np.array([math.log(max(value, _FLOOR)) for value in values.tolist()], dtype=np.float64)


def from_logarithms(means: Floats, links: Sequence[Link]) -> Floats:
    """Return means of `additive` values, or their bounds, on the scale of the values; a sum has none."""
    pairs = zip(means.tolist(), links, strict=True)
    return np.array(
        [math.nan if link == "sum" else math.exp(mean) if link == "gmean" else mean for mean, link in pairs]
    )


def rounded(numbers: Floats | float, decimals: int | None, halves: str) -> Floats:
    """Round numbers as `round` does (`even`), or halves `up`.

    >>> rounded([0.125, 0.375, 2.675], 2, "even").tolist()
    [0.12, 0.38, 2.67]
    """
    numbers = np.asarray(numbers, dtype=np.float64)
    if decimals is None:
        return numbers
    if halves == "up":
        scale = float(10**decimals)
        return np.asarray(np.floor(numbers * scale + 0.5) / scale)
    return np.array([round(number, decimals) for number in numbers.ravel().tolist()]).reshape(numbers.shape)


def side_by_side(
    columns: Sequence[Column], queries: Sequence[str], is_counted: Mask
) -> tuple[list[str], Floats, Mask | None]:
    """Put all columns into one table: a row for each query that has a value by some measure, in the order of their ids.

    Args:
        columns: the columns.
        queries: the queries that the profile itself knows.
        is_counted: those of them that count.

    Returns:
        The queries, the table, and where it has a value; None where it has one everywhere.

    """
    same = all(column.queries is queries or column.queries == queries for column in columns)
    if same and all(column.listed is is_counted or np.array_equal(column.listed, is_counted) for column in columns):
        names, has_value = list(compress(queries, is_counted.tolist())), None
        # [N, M]: a row for each query that counts
        table = np.array([column.visible[is_counted] for column in columns]).reshape(len(columns), len(names)).T
        if any(map(str.__gt__, names, names[1:])):
            order = sorted(range(len(names)), key=names.__getitem__)
            names, table = [names[row] for row in order], table[order]
    else:
        values = [
            dict(zip(column.names(column.listed), column.visible[column.listed].tolist(), strict=True))
            for column in columns
        ]
        names = sorted({query for by_query in values for query in by_query})
        has_value = np.array([[query in by_query for by_query in values] for query in names], dtype=bool)
        table = np.array([[by_query.get(query, np.nan) for by_query in values] for query in names], dtype=np.float64)
        # [N, M] each, also without a query or a column
        has_value, table = (array.reshape(len(names), len(values)) for array in (has_value, table))
    table = np.ascontiguousarray(table)
    table.setflags(write=False)
    return names, table, has_value
