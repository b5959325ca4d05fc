"""Refuse values that lie beyond the range of their measure, such as a recall of 2."""

import math
from collections.abc import Iterable
from typing import Final

import numpy as np

from rankworth.errors import MeasureError
from rankworth.profiles import Profile, ResolvedMeasure
from rankworth.scoring.columns import Column
from rankworth.settings import as_typed

_ONCE: Final = {"duplicates": "first", "duplicate_judgements": "max"}
"""settings by which a document may count more than once, so that values leave the range of their measure, and the value
of each by which it counts once"""
_NUMBERS: Final = ("no_relevant", "neither", "undefined")
"""settings that may be the value of a query"""
_ROUNDING: Final = 1e-9
"""by how much a sum may exceed the range of its measure"""


def refuse_beyond_range(columns: Iterable[tuple[ResolvedMeasure, Column]], profile: Profile) -> None:
    """Refuse values that are none of their measure, unless the tool of the profile gives them.

    Args:
        columns: each measure with its values.
        profile: the conventions.

    Raises:
        MeasureError: `beyond-range`.

    """
    if profile.tool and not any(name in profile.derived for name in (*_ONCE, *_NUMBERS)):
        return
    for measure, column in columns:
        values, (low, high) = column.values_of_queries, measure.quantity.range
        is_outside = (values < low - _ROUNDING) | (values > high + _ROUNDING)
        if measure.quantity.averaging != "median":  # of ranks, of which a query without a hit has none
            is_outside |= np.isinf(values)
        if not (outside := column.listed & is_outside).any():
            continue
        value, query = float(values[outside][0]), column.names(outside)[0]
        fact = f"{measure.label} of {query} is {value:.4g}, and {measure.quantity.name} is {_between(low, high)}"
        raise MeasureError("beyond-range", fact, remedy=_back_within(measure, value))


def _back_within(measure: ResolvedMeasure, value: float) -> str:
    """Say how to treat a value beyond the range of its measure."""
    name, settings = measure.quantity.name, vars(measure.judging) | vars(measure.averaging)
    for setting in _NUMBERS:
        if settings[setting] == value:
            return f"{setting}={value:g} is no value of {name}: choose another number"
    for setting, instead in _ONCE.items():
        if settings[setting] not in ("error", instead):
            typed = f"{' '.join(as_typed(setting, instead))} ({setting}={instead!r})"
            return f"{setting}={settings[setting]!r} counts a document more than once; to count it once: {typed}"
    if measure.judging.ties == "last":
        return f"ties='last' counts other documents as often as a rank is shared; choose other ties, or not {name}"
    return f"choose other parameters for these grades; a measure of your own says what {name} may be: range=(LOW, HIGH)"


def _between(low: float, high: float) -> str:
    """Write a range in words."""
    if low == -math.inf:
        return "a finite number" if high == math.inf else f"{high:.4g} or less"
    return f"{low:g} or more" if high == math.inf else f"between {low:g} and {high:.4g}"
