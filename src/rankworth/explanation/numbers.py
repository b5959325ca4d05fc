"""Numbers as people read them, and as JSON and frames hold them."""

import math
from typing import Any

from rankworth.explanation.trace import Grade

_LARGE = 1e9
"""from which a number is written with its power of ten, as in sheets"""
_DECIMALS = 4


def number(value: float, decimals: int = _DECIMALS) -> str:
    """A number for people: four decimals, none where it is whole.

    >>> number(3.63092975), number(3.0), number(float("nan")), number(1e-9)
    ('3.6309', '3', 'n/a', '1.0e-09')
    """
    if not math.isfinite(value):
        return "n/a" if math.isnan(value) else f"{value}"
    if value.is_integer() and abs(value) < _LARGE:
        return f"{value + 0.0:.0f}"
    text = f"{value:z.{decimals}f}"
    return text if float(text) and abs(value) < _LARGE else f"{value:.1e}"


def apart(one: float, other: float) -> tuple[str, str]:
    """Two numbers with as many decimals as it takes to tell them apart.

    >>> apart(0.59283, 0.592834519), apart(0.0, 0.5)
    (('0.592830', '0.592835'), ('0', '0.5000'))
    """
    for decimals in range(_DECIMALS, 17):
        texts = number(one, decimals), number(other, decimals)
        if texts[0] != texts[1] and (decimals == _DECIMALS or len({*map(len, texts)}) == 1):
            return texts
    return repr(one), repr(other)


def same(one: float, other: float) -> bool:
    """Whether two numbers are equal, NaN being equal to itself."""
    return one == other or (math.isnan(one) and math.isnan(other))


def finite(value: Any) -> Any:  # noqa: ANN401 - whatever a term holds
    """A number as JSON holds it."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def cell(value: Grade | str) -> Any:  # noqa: ANN401 - as a frame holds it
    """A grade as a frame holds it: several as one text."""
    return " ".join("?" if one is None else f"{one:g}" for one in value) if isinstance(value, tuple) else value
