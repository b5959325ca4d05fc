"""Columns: the value of each query by a measure, how much it counts, and how the sum is read; settings end here.

A mean is a function from a column to a number: `link(sum(weight * value) / sum(weight))`, added from the first query to
the last. What comes later (tables, intervals, comparisons, results files, clusters) knows columns, and no setting.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import compress
from typing import TYPE_CHECKING, Final, Literal

import numpy as np
from numpy.typing import NDArray

from rankworth.arrays import Floats, Integers
from rankworth.errors import InputError, RefusedError, quoted
from rankworth.groups import Groups, Parts, Weights
from rankworth.names import Quantity
from rankworth.profiles import NO_DATA, CallData
from rankworth.settings import Averaging

if TYPE_CHECKING:
    from rankworth.scoring.whole_runs import WholeRun

Mask = NDArray[np.bool_]
Link = Literal["mean", "gmean", "sum"]
"""How the values of all queries become one: mean, geometric mean, or sum."""

_FLOOR: Final = 0.00001
"""what a value counts at least in a geometric mean, in which one 0 would make all the others void"""
_REFUSED: Final = {
    "missing": "judged queries that the run does not have",
    "extra": "queries of the run that nobody judged",
    "empty": "queries with an empty list of documents",
    "no_relevant": "queries without a relevant document",
}
FATES: Final = {
    "zero": "counted as empty rankings",
    "nought": "counted as 0",
    "absent": "counted as 0 in the means",
    "nan": "without a number",
    "skip": "left out",
    "error": "left out",
}
"""what becomes of a judged query without results, by the setting `missing`"""


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
        """Return the ids of some queries."""
        return list(compress(self.queries, rows.tolist()))


@dataclass(frozen=True)
class QueryMasks:
    """`[Q]`: which queries count, and which are without results or relevant documents."""

    listed: Mask
    """they have a value"""
    absent: Mask
    """they have none and count in the mean, since the run does not have them"""
    unanswered: Mask
    """judged queries that the run does not have, whatever becomes of them"""
    empty: Mask
    """judged queries that the run has with an empty list, where that is not the same as not having them"""
    no_relevant: Mask
    """queries that count and have no relevant document"""
    divided: Mask | None = None
    """the only queries that a mean is divided by; None where these are the ones with a value"""


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
        whole: what queries are shown, of a measure of all queries together.
        exact: that measure, which the mean of the values is but for rounding.

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
    whole: "WholeRun | None" = None
    exact: float | None = None

    @property
    def visible(self) -> Floats:
        """`[Q]`: the values as queries show them."""
        return self.values if self.shown is None else self.shown

    @property
    def counted(self) -> Mask:
        """`[Q]`: whether a query counts in the mean."""
        return self.weights > 0

    def names(self, rows: Mask) -> list[str]:
        """Return the ids of some queries, `[Q]`."""
        return list(compress(self.queries, rows.tolist()))

    def part(self, queries: Mask) -> "Column":
        """Return the values of some queries alone, `[Q]`."""
        weights = np.where(queries, self.weights, 0.0)
        part = replace(self, weights=weights, listed=self.listed & queries)
        return part if self.whole is None else part.of_whole(self.whole)

    def of_whole(self, whole: "WholeRun") -> "Column":
        """Return the column of a measure of all queries together that count here."""
        exact, values = whole.values(self.counted)
        return replace(self, values=values, shown=None, whole=whole, exact=exact)

    def with_values(self, values: Floats) -> "Column":
        """Return the column with other values, `[Q]`, of the queries that are listed; they count as those do."""
        changed = np.where(self.listed, values, self.values)
        shown = additive(changed, self.link) if self.logarithms else None
        return replace(self, values=changed, shown=shown)

    @cached_property
    def mean(self) -> float:
        """All values as one number: mean, geometric mean or sum."""
        rows = self.counted
        if self.link == "sum":
            return float(self.values[rows].sum())
        if not rows.any():
            return self.over_none
        if self.exact is not None:
            return float(rounded(self.exact, self.decimals, self.halves))
        strata = None if self.strata is None else self.strata[rows]
        number = stratified(additive(self.values[rows], self.link), self.weights[rows], strata)
        [number] = from_logarithms(np.array([number]), [self.link]).tolist()
        return float(rounded(number, self.decimals, self.halves))


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
    means = from_logarithms(np.cumsum(logarithms, axis=0)[-1] / values.shape[0], links)  # [M]
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


def rows_of(standing: Standing, settings: Averaging) -> QueryMasks:
    """Tell which queries have a value, and which a mean is divided by.

    Raises:
        RefusedError: `missing`, `extra`, `empty`, `no_relevant`, `fewest`.

    """
    judged, answered = standing.judged, standing.answered  # [Q] each, as all masks below
    none = np.zeros_like(judged)
    empty = none if settings.empty == "missing" else standing.empty & ~answered & judged
    unanswered = judged & ~answered & ~empty
    extra = ~judged & (answered | standing.empty)
    counted = judged | (settings.extra == "zero")
    no_relevant = counted & ~(standing.nonzero if settings.relevant_by == "sum" else standing.relevant)
    for name, queries in (("missing", unanswered), ("extra", extra), ("empty", empty), ("no_relevant", no_relevant)):
        if getattr(settings, name) == "error" and queries.any():
            raise RefusedError(name, f"{_REFUSED[name]}: {quoted(standing.of(queries))}")
    if settings.fewest and (short := answered & counted & (standing.length < settings.fewest)).any():
        text = f"queries with fewer than {settings.fewest} documents: {quoted(standing.of(short))}"
        raise RefusedError("fewest", text)
    listed = judged & answered
    if settings.missing in ("zero", "nought", "nan"):
        listed = listed | unanswered
    if settings.empty in ("zero", "nan"):
        listed = listed | empty
    if settings.extra == "zero":
        listed = listed | extra
    absent = unanswered if settings.missing == "absent" else none
    if settings.no_relevant == "skip":
        listed, absent = listed & ~no_relevant, absent & ~no_relevant
    divided = {"rows": None, "judged": judged, "run": answered | standing.empty}[settings.divisor]
    return QueryMasks(listed, absent, unanswered, empty, no_relevant, divided)


def column_of(
    quantity: Quantity,
    values: Floats,
    rows: QueryMasks,
    standing: Standing,
    settings: Averaging,
    data: CallData = NO_DATA,
) -> Column:
    """Turn the values of one measure into a column: here the settings of averaging end.

    Args:
        quantity: the measure.
        values: `[Q]`, NaN where undefined.
        rows: which queries count.
        standing: what is rows of the queries.
        settings: what becomes of undefined values and of zeros, and the decimals.
        data: weights and groups.

    Raises:
        RefusedError: `undefined`, `no_queries`.
        InputError: `missing-value`, where a query has no weight or group; `bad-weight`, where all weights are 0.

    """
    link = quantity.averaging
    replaced, meant = _replaced(values, rows, standing, settings, is_sum=link == "sum")
    replaced, listed = _defined(quantity, replaced, rows.listed, meant, standing, settings)
    if settings.round_values is not None:
        replaced = rounded(replaced, settings.round_values, settings.halves)
    visible = np.where(listed, replaced, math.nan)
    counts, weights = _counts(visible, listed, rows, settings, link)
    if link == "sum":
        counts = np.where((weights > 0) & ~listed, values, counts)
    elif settings.no_queries == "error" and not weights.any():
        raise RefusedError("no_queries", "no query is left to take a mean over")
    shown = None if counts is visible else visible
    logarithms = settings.logarithms and link == "gmean"
    if logarithms:
        shown = additive(visible, link)
    strata = None
    if link != "sum" and (data.weights, data.macro) != (None, None):
        counted = weights > 0
        names = standing.of(counted)
        weights[counted], groups = weigh(names, weights[counted], data.weights, data.macro, refuse=True)
        if groups is not None:
            strata = np.zeros(weights.size, dtype=np.int64)
            strata[counted] = groups
        if settings.no_relevant_counts == "unweighted":
            unweighted = rows.no_relevant & (weights > 0)
            counts, shown = np.divide(counts, weights, out=counts.copy(), where=unweighted), visible
    over_none = 0.0 if settings.no_queries == "zero" else math.nan
    decimals, halves = settings.round_means, settings.halves
    return Column(
        standing.queries, counts, weights, listed, link, shown, strata, decimals, halves, over_none, logarithms
    )


def _counts(visible: Floats, listed: Mask, rows: QueryMasks, settings: Averaging, link: Link) -> tuple[Floats, Floats]:
    """Tell the values that count in a mean, and how often each does, `[Q]` each.

    Args:
        visible: `[Q]`, the values, NaN where there is none or none that is defined.
        listed: `[Q]`, which queries have a value.
        rows: which queries count, with a value or without.
        settings: what becomes of values that are NaN.
        link: how values become one.

    """
    counts, weights = visible, listed.astype(np.float64)
    undefined = listed & np.isnan(visible)
    if settings.nan == "zero" and undefined.any():
        counts = np.where(undefined, 0.0, counts)
    elif settings.nan == "skip":
        weights[undefined] = 0.0
    # [Q] each: queries that count without a value, and those with a value outside of the divisor
    unlisted, beyond = rows.absent & ~listed, np.zeros_like(listed)
    if rows.divided is not None and link == "mean":
        unlisted = rows.divided & (weights == 0)
        beyond = listed & ~rows.divided & (weights > 0) & (counts != 0)
        weights[~rows.divided & ~beyond] = 0.0
    if unlisted.any():
        counts = np.where(unlisted, 0.0, counts)
        weights[unlisted] = 1.0
    if beyond.any() and rows.divided is not None:  # they add to a sum that is divided by the others alone
        divisor = int(np.count_nonzero(rows.divided))
        counts = counts * (int(np.count_nonzero(weights)) / max(1, divisor))
    return counts, weights


def _replaced(
    values: Floats, rows: QueryMasks, standing: Standing, settings: Averaging, *, is_sum: bool
) -> tuple[Floats, Mask]:
    """Give queries without results or relevant documents the values that settings have for them.

    Args:
        values: `[Q]`, NaN where undefined.
        rows: which queries count.
        standing: what is rows of the queries.
        settings: the settings.
        is_sum: whether values are counted and added, so that relevance does not matter.

    Returns:
        The values, and which of them are NaN because a setting says so, `[Q]` each.

    """
    neither = rows.no_relevant
    if settings.neither != "keep":
        neither = neither & (~standing.answered | standing.hollow)  # [Q]: neither relevant documents nor results
    empty = rows.empty | standing.hollow if settings.empty == "nan" else rows.empty
    of_relevance = [] if is_sum else [(rows.no_relevant, settings.no_relevant), (neither, settings.neither)]
    for queries, number in of_relevance:
        if not isinstance(number, str):
            values = np.where(queries, number, values)
    if settings.all_negative == "previous" and not is_sum:
        values = _previous(values, rows.listed, standing)
    meant = np.zeros_like(rows.listed)
    # What is said of missing results comes first, so that a query without both is what it is for want of relevance.
    for queries, word in ((rows.unanswered, settings.missing), (empty, settings.empty), *of_relevance):
        if word == "nought":
            values = np.where(queries, 0.0, values)
        elif word == "nan":
            values, meant = np.where(queries, math.nan, values), meant | queries
    return values, meant


def _defined(
    quantity: Quantity, values: Floats, listed: Mask, meant: Mask, standing: Standing, settings: Averaging
) -> tuple[Floats, Mask]:
    """Settle values that are undefined, and those of queries without a hit.

    Args:
        quantity: the measure.
        values: `[Q]`.
        listed: `[Q]`, which queries have a value.
        meant: `[Q]`, which values are NaN because a setting says so.
        standing: what is rows of the queries.
        settings: the settings.

    Returns:
        The values and which queries have one, `[Q]` each.

    Raises:
        RefusedError: `undefined`.

    """
    undefined = listed & np.isnan(values) & ~meant
    if undefined.any():
        if settings.undefined == "error":
            raise RefusedError("undefined", f"queries for which it is not defined: {quoted(standing.of(undefined))}")
        if settings.undefined == "skip":
            listed = listed & ~undefined
        elif settings.undefined != "nan":
            values = np.where(undefined, float(settings.undefined), values)
    if settings.no_hit != "keep" and quantity.averaging != "sum":
        lenient = quantity.parameters.get("rel", 1) <= 0  # every judged document is relevant
        without = listed & (standing.judged if lenient else standing.relevant) & (values == 0)
        if settings.no_hit == "skip":
            listed = listed & ~without
        values = np.where(without, math.nan, values)
    return values, listed


def _previous(values: Floats, listed: Mask, standing: Standing) -> Floats:
    """Replace values, `[Q]`, of queries with negative grades only by that of the query before."""
    shown = values.tolist()
    for row in np.flatnonzero(standing.judged & standing.negative).tolist():
        before = np.flatnonzero(listed[:row])
        shown[row] = shown[before[-1]] if before.size else 0.0
    return np.array(shown)


def weigh(
    queries: Sequence[str], counts: Floats, weights: Weights | None, macro: Groups | None, *, refuse: bool = False
) -> tuple[Floats, Integers | None]:
    """Tell how much each query counts in a mean, and the groups that count alike.

    Args:
        queries: the N queries that count.
        counts: `[N]`, how much each counts without weights.
        weights: of queries.
        macro: the groups.
        refuse: whether weights that are all 0 are refused.

    Returns:
        The weights, `[N]`, and the number of the group of each query, `[N]`; None where there are no groups.

    Raises:
        InputError: `missing-value`, where a query has no weight or group; `bad-weight`, where all weights are 0.

    """
    groups = Parts(["all"], np.zeros(len(queries), dtype=np.int64))
    if macro is not None:
        groups = macro.parts(queries, strict=True)
    if weights is not None:
        counts = counts * weights.array(queries)
        for name in groups.names if refuse else ():
            if (part := groups.of(name)).any() and not counts[part].any():
                of_group = f" of the group {quoted([name])}" if macro is not None else ""
                text = f"all {np.count_nonzero(part):,} scored queries{of_group} have the weight 0"
                raise InputError(
                    "bad-weight", f"{weights.source}: {text}", remedy="where no query counts there is no mean"
                )
    return counts, None if macro is None else groups.places


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
