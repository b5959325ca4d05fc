"""Turn the values of queries by a measure into a column: here the settings of averaging end."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import compress
from typing import Final

import numpy as np
from numpy.typing import NDArray

from rankworth.arrays import Floats
from rankworth.errors import RefusedError, quoted
from rankworth.names import Quantity
from rankworth.profiles import NO_DATA, CallData
from rankworth.scoring.columns import Column, Link, Mask, additive, rounded
from rankworth.settings import Averaging

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


def rows_of(standing: Standing, settings: Averaging) -> QueryMasks:
    """Find the queries with a value, and the queries counted by the divisor of the mean.

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
        standing: what is known of the queries.
        settings: what becomes of undefined values and of zeros, and the decimals.
        data: weights and groups.

    Raises:
        RefusedError: `undefined`, `no_queries`.
        InputError: `missing-value`, where a query has no weight or group; `bad-weight`, where all weights are 0.

    """
    link = quantity.averaging
    replaced, by_setting = _replaced(values, rows, standing, settings, quantity)
    replaced, listed = _defined(quantity, replaced, rows.listed, by_setting, standing, settings)
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
    over_none = 0.0 if settings.no_queries == "zero" else math.nan
    column = Column(
        standing.queries,
        counts,
        weights,
        listed,
        link,
        shown,
        None,
        settings.round_means,
        settings.halves,
        over_none,
        logarithms,
    )
    if link == "sum" or (data.weights, data.macro) == (None, None):
        return column
    column = column.weighted(data.weights, data.macro)
    if settings.no_relevant_counts == "unweighted":
        unweighted = rows.no_relevant & column.counted
        values = np.divide(counts, column.weights, out=counts.copy(), where=unweighted)
        column = replace(column, values=values, shown=visible)
    return column


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
    if rows.divided is not None and link == "mean" and weights.any():  # without a value there is no sum to divide
        unlisted = rows.divided & (weights == 0)
        beyond = listed & ~rows.divided & (weights > 0) & (counts != 0)
        weights[~rows.divided & ~beyond] = 0.0
    if unlisted.any():
        counts = np.where(unlisted, math.inf if link == "median" else 0.0, counts)
        weights[unlisted] = 1.0
    if beyond.any() and rows.divided is not None:  # they add to a sum that is divided by the others alone
        divisor = int(np.count_nonzero(rows.divided))
        counts = counts * (int(np.count_nonzero(weights)) / max(1, divisor))
    return counts, weights


def _replaced(
    values: Floats, rows: QueryMasks, standing: Standing, settings: Averaging, quantity: Quantity
) -> tuple[Floats, Mask]:
    """Give queries without results or relevant documents the values that settings have for them.

    Args:
        values: `[Q]`, NaN where undefined.
        rows: which queries count.
        standing: what is known of the queries.
        settings: the settings.
        quantity: the measure; to facts, which are counted and added, relevance does not matter.

    Returns:
        The values, and which of them are NaN because a setting says so, `[Q]` each.

    """
    is_sum, neither = quantity.averaging == "sum", rows.no_relevant
    if settings.neither != "keep":
        neither = neither & (~standing.answered | standing.hollow)  # [Q]: neither relevant documents nor results
    empty = rows.empty | standing.hollow if settings.empty == "nan" else rows.empty
    of_relevance = [] if is_sum else [(rows.no_relevant, settings.no_relevant), (neither, settings.neither)]
    for queries, number in of_relevance:
        if not isinstance(number, str):
            values = np.where(queries, number, values)
    if settings.no_relevant == "silence" and _rewards_silence(quantity):
        values = np.where(rows.no_relevant, ~standing.answered, values)
    if settings.all_negative == "previous" and not is_sum:
        values = _previous(values, rows.listed, standing)
    by_setting = np.zeros_like(rows.listed)
    # What is said of missing results comes first, so that a query without both is what it is for want of relevance.
    for queries, word in ((rows.unanswered, settings.missing), (empty, settings.empty), *of_relevance):
        if word == "nought":
            values = np.where(queries, 0.0, values)
        elif word == "nan":
            values, by_setting = np.where(queries, math.nan, values), by_setting | queries
    return values, by_setting


def _rewards_silence(quantity: Quantity) -> bool:
    """Return whether a measure is about relevance, and more of it is better, so that silence may be worth 1."""
    definition = quantity.definition
    about_judgements = "judged" in definition.unjudged
    return quantity.averaging != "sum" and definition.better == "higher" and not (definition.needs or about_judgements)


def _defined(
    quantity: Quantity, values: Floats, listed: Mask, by_setting: Mask, standing: Standing, settings: Averaging
) -> tuple[Floats, Mask]:
    """Settle values that are undefined, and those of queries without a hit.

    Args:
        quantity: the measure.
        values: `[Q]`.
        listed: `[Q]`, which queries have a value.
        by_setting: `[Q]`, which values are NaN because a setting says so.
        standing: what is known of the queries.
        settings: the settings.

    Returns:
        The values and which queries have one, `[Q]` each.

    Raises:
        RefusedError: `undefined`.

    """
    undefined = listed & np.isnan(values) & ~by_setting
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
