"""Whether the parts of results contradict each other: values, the range of their measure, means and signatures."""

import math
from collections.abc import Mapping
from typing import Final

import numpy as np

from rankworth import names
from rankworth.averaging import Averaging, Way, additive, back
from rankworth.columns import rounded
from rankworth.errors import MeasureError
from rankworth.profiles import PROFILES, Signature
from rankworth.results.result import Column, Floats, Mask, Result

_SLACK: Final = 1e-9
"""by what share of the largest value a number may be off through rounding"""
_ONCE: Final = frozenset({"error", "best", "first", "last", "max"})
"""settings of duplicates that leave one of them; by others documents count twice, and so may those of one rank"""

_APART: Final = ("duplicate_judgements", "weights", "macro")
"""settings that the signature of a run tells otherwise than those of its measures"""
_GAINS: Final = ("linear", "exp2", "binary")
"""gains with which measures keep to their range; others may be negative or exceed 1"""


def refuse_contradictions(result: Result) -> None:
    """Refuse values outside the range of their measure, means that are not those of the values, and other signatures.

    Raises:
        ValueError: which tells the first of them.

    """
    parts = {}
    if "group" in result.texts:
        groups = np.array(result.texts["group"], dtype=object)
        parts = {name: np.asarray(groups == name, dtype=bool) for name in result.groups}
    for column in result.columns:
        _refuse_values(column)
        _refuse_mean(column, column.mean, result.counts)
        for name, part in parts.items():
            mean = result.groups[name]["mean"][column.label]
            _refuse_mean(column, math.nan if mean is None else float(mean), result.counts, part)
    line = Signature.parse(result.signature)
    if line.recorded["profile"] != result.profile:
        told = f"{result.profile}, and the values of {result.run} are signed for {line.recorded['profile']}"
        raise ValueError(f"the profile is {told}")
    ruled = line.recorded["profile"] not in PROFILES or PROFILES[line.recorded["profile"]].rules
    for column in result.columns:
        own = Signature.parse(column.signature)
        if own.recorded != line.recorded or (not ruled and _of_values(own) != _of_values(line)):
            raise ValueError(f"the signature of {column.label} contradicts that of {result.run}")


def _of_values(signature: Signature) -> dict[str, str]:
    """The settings that all measures share, but for those that queries have a say in."""
    return {name: told for name, told in signature.settings.items() if name not in _APART}


def _refuse_values(column: Column) -> None:
    """Refuse values outside the range of their measure.

    Raises:
        ValueError: which tells one of them.

    """
    profile, quantity = Signature.parse(column.signature).profile(), _quantity(column.measure)
    settings, judging = profile.averaging, profile.judging
    once = {judging.duplicates, judging.duplicate_judgements} <= _ONCE and judging.order != "rank"
    low, high = -math.inf, math.inf
    if quantity is not None and quantity.parameters.get("gain", "linear") in _GAINS:
        low, high = quantity.definition.range if once and not settings.logarithms else (low, high)
    given = [one for one in (settings.undefined, settings.no_relevant, settings.neither) if isinstance(one, float)]
    low, high = min(low, 0.0, *given), max(high, 0.0, *given)
    values = column.values[~np.isnan(column.values)]
    if (odd := values[(values < low - _SLACK) | (values > high + _SLACK)]).size:
        raise ValueError(f"{column.label} has the value {odd[0]:g}, and lies between {low:g} and {high:g}")


def _refuse_mean(column: Column, mean: float, counts: Mapping[str, int], part: Mask | None = None) -> None:
    """Refuse a mean that is not that of the values.

    A file does not tell the weights of queries, and not how many queries without a row count: within what these may
    be, any mean will do.

    Args:
        column: the values.
        mean: what is said of their mean.
        counts: how many queries there are.
        part: `[Q]`, the queries that the mean is about; all where not said.

    Raises:
        ValueError: which tells the mean.

    """
    there = np.ones(column.values.size, dtype=bool) if column.there is None else column.there
    values = column.values[there if part is None else there & part]
    void = np.isnan(values)
    settings = Signature.parse(column.signature).profile().averaging
    if math.isnan(mean) and (void.any() or not values.size or settings.weights is not None):
        return  # infinite values are not told from undefined ones, and all weights of a group may be 0
    if settings.nan != "propagate":
        values = values[~void] if settings.nan == "skip" else np.where(void, 0.0, values)
    with np.errstate(over="ignore", invalid="ignore"):
        low, high = _bounds(values, _way(column), settings, counts, whole=part is None)
    slack = _SLACK * max(1.0, float(np.abs(values[~np.isnan(values)]).max(initial=0.0)))
    if not (math.isnan(mean) and not math.isfinite(low)) and not low - slack <= mean <= high + slack:
        which = f"{low:.12g}" if low == high else f"between {low:.12g} and {high:.12g}"
        raise ValueError(f"the mean of {column.label} is {mean:.12g}, and that of its values is {which}")


def _bounds(
    values: Floats, way: Way, settings: Averaging, counts: Mapping[str, int], *, whole: bool
) -> tuple[float, float]:
    """The smallest and the largest mean that the values may have."""
    absent = counts["unanswered"] if settings.missing == "absent" else 0
    if way == "sum":
        total = float(np.cumsum(values)[-1]) if values.size else 0.0
        return total, math.inf if absent else total
    if not values.size and not absent:
        return 0.0, 0.0
    zero = np.zeros(1)
    if way == "gmean":
        values, zero = (values if settings.logarithms else _logarithms(values)), _logarithms(zero)
    total = float(np.append(0.0, values).cumsum()[-1])
    judged = counts["judged"]
    if settings.weights is not None or settings.macro is not None:
        known = [*values[~np.isnan(values)].tolist(), *(zero.tolist() if absent else [])]
        ends = [min(known, default=-math.inf), max(known, default=math.inf)]
        if settings.divisor != "rows":
            return -math.inf, math.inf
    elif way == "mean" and settings.divisor == "run":
        ends = [0.0, total]
    elif way == "mean" and settings.divisor == "judged":
        ends = [total / max(1, size) for size in (judged if whole else 1, judged)]
    else:
        fewest = 0 if values.size else absent
        ends = [(total + more * zero[0]) / (values.size + more) for more in (fewest, absent)]
    ends = [rounded(float(one), settings.round_means, settings) for one in back(np.array(ends), [way] * len(ends))]
    return min(ends), max(ends)


def _logarithms(values: Floats) -> Floats:
    return additive(values[:, None], ["gmean"])[:, 0]


def _way(column: Column) -> Way:
    """How the values become one; of a measure that is not known here, by its name and kind."""
    if column.kind == "count":
        return "sum"
    return "gmean" if column.measure.startswith("gmean(") else "mean"


def _quantity(measure: str) -> names.Quantity | None:
    """The measure; None where it was defined by a plugin that is not loaded."""
    try:
        return names.parse(measure)
    except MeasureError:
        return None
