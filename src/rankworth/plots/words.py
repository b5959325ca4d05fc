"""Numbers as words on a plot."""

import math
from typing import Final, TypeGuard

from rankworth.render.look import Look

_LEAST: Final = 0.00005
"""what four decimals round to something"""


def number(value: float | None) -> str:
    """A value.

    >>> number(0.5), number(None)
    ('0.5000', 'n/a')
    """
    return Look().number(value, "value").replace("-", "\N{MINUS SIGN}")


def signed(change: float | None) -> str:
    r"""A difference, always with its sign.

    >>> signed(0.0412), ascii(signed(-0.25)), signed(0.0), signed(0.00001)
    ('+0.0412', "'\\u22120.2500'", '0.0000', '+<0.0001')
    """
    if not real(change) or not change:
        return number(change)
    sign = "+" if change > 0 else "\N{MINUS SIGN}"
    return f"{sign}{abs(change):.4f}" if abs(change) >= _LEAST else f"{sign}<0.0001"


def span(low: float, high: float) -> str:
    """From one value to another."""
    return f"{number(low)}\N{HORIZONTAL ELLIPSIS}{number(high)}"


def real(value: float | None) -> TypeGuard[float]:
    """Whether there is a finite number."""
    return value is not None and math.isfinite(value)
