"""Numbers as words on a plot."""

import math
from typing import Final, TypeGuard

from rankworth.render.look import Look

_LEAST: Final = 0.00005
"""what four decimals round to something"""


def number(value: float | None) -> str:
    r"""A value; with a power of ten where four decimals would make it 0.

    >>> number(0.5), number(None), number(0.0), ascii(number(3e-7))
    ('0.5000', 'n/a', '0.0000', "'3.0e\\u22127'")
    """
    if real(value) and 0 < abs(value) < _LEAST:
        digits, _, power = f"{value:.1e}".partition("e")
        text = f"{digits}e{int(power)}"
    else:
        text = Look().number(value, "value")
    return text.replace("-", "\N{MINUS SIGN}")


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
