"""Names of runs and queries in sentences, in whatever direction they are written, and differences as figures."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

from rankworth.tables.look import UNDEFINED, visible

_DIGITS: Final = 3
_MOST_DIGITS: Final = 6


def figure(value: float, limits: Sequence[float] = (0.0,)) -> str:
    """Format a difference in a sentence: three decimals, or more where rounding would move it to or across a limit.

    >>> figure(0.33912), figure(-0.0002), figure(0.0), figure(0.02004, (0.0, 0.02)), figure(1e-9)
    ('+0.339', '-0.0002', '0', '+0.02004', '+<0.000001')
    """
    if math.isnan(value):
        return UNDEFINED
    for digits in range(_DIGITS, _MOST_DIGITS + 1):
        shown = float(f"{value:.{digits}f}")
        if all((shown > limit, shown < limit) == (value > limit, value < limit) for limit in limits):
            return f"{value:+.{digits}f}" if value else "0"
    small = 10.0**-_MOST_DIGITS
    return f"{'-' if value < 0 else '+'}<{small:.{_MOST_DIGITS}f}" if abs(value) < small else f"{value:+.9g}"


def named(queries: Sequence[Any], texts: Mapping[str, str]) -> str:
    """Name the first of several queries, by their texts if these are known."""
    named = [
        f"{isolated(texts[query])} ({named_alone(query)})" if texts.get(query) else named_alone(query)
        for query in map(str, queries[:3])
    ]
    return f", such as {', '.join(named)}" if len(queries) > len(named) else f": {', '.join(named)}" if named else ""


def isolated(text: str) -> str:
    """Return a text that keeps its direction within a sentence, and turns nothing around it."""
    return f"\N{FIRST STRONG ISOLATE}{visible(text)}\N{POP DIRECTIONAL ISOLATE}"


def named_alone(name: str) -> str:
    """Return an id or the name of a run, isolated unless it is plain ASCII, which keeps its direction by itself."""
    return visible(name) if name.isascii() else isolated(name)
