"""Sums without rounding: whole numbers of the finest unit that floats have, whatever the order of the additions.

A float is rounded to a grid of fixed unit by adding and subtracting a large number, both exact; sums of what is on the
grid are exact, and the rest, which is exact too, goes to the next finer grid, until nothing is left. Source: Demmel and
Nguyen (2015), Parallel reproducible summation, https://doi.org/10.1109/TC.2014.2345391; here no grid is left out, so
that the sums are exact and not only reproducible.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Places = NDArray[np.int64]
Wholes = NDArray[Any]
"""`[C, S]`, Python's whole numbers, which have no bounds"""

UNIT: Final = 1074
"""Sums of floats are multiples of `2^-UNIT`."""
FINE: Final = 2 * UNIT
"""Sums of products of two floats are multiples of `2^-FINE`."""
_STEP: Final = 32  # bits between one grid and the next; 2^20 numbers of so many bits have an exact sum
_ROWS: Final = 1 << 14  # at a time, so that they stay in the cache
_HUGE: Final = 900  # from this power of two on, what is added to round would be beyond all floats
_SPAN: Final = 256  # powers of two that products are sorted by where they are out of the ordinary
_ORDINARY: Final = 1e140  # products of numbers between one over this and this lose nothing
_SPLIT: Final = float((1 << 27) + 1)


def sums(values: Floats, starts: Places) -> Wholes:
    """Exact sums of segments of lines.

    Args:
        values: `[C, N]`, finite.
        starts: `[S]`, where each segment begins, ascending, the first at 0; not one is empty.

    Returns:
        `[C, S]`, in units of `2^-UNIT`.

    >>> rounded(sums(np.array([[1e100, 1.0, -1e100]]), np.array([0]))[0, 0], UNIT)
    1.0
    """
    total = _nothing(values, starts)
    for start in range(0, values.shape[1], _ROWS):
        part, segments, inside = _part(starts, start, min(start + _ROWS, values.shape[1]))
        total[:, segments] += _sums(values[:, part], inside)
    return total


def products(left: Floats, right: Floats, starts: Places) -> Wholes:
    """Exact sums of products, `[C, S]`, in units of `2^-FINE`; arguments as of `sums`.

    >>> tenth = np.array([[0.1]])
    >>> products(tenth, tenth, np.array([0]))[0, 0] == int(0.1 * 2**60) ** 2 << (FINE - 120)
    True
    """
    total = _nothing(left, starts)
    for start in range(0, left.shape[1], _ROWS):
        part, segments, inside = _part(starts, start, min(start + _ROWS, left.shape[1]))
        total[:, segments] += _products(left[:, part], right[:, part], inside)
    return total


def rounded(total: int, unit: int) -> float:
    """The float that is nearest to `total 2^-unit`; infinite where that is beyond all floats."""
    try:
        return total / (1 << unit)
    except OverflowError:
        return float("inf") if total > 0 else float("-inf")


def _nothing(values: Floats, starts: Places) -> Wholes:
    total = np.empty((len(values), len(starts)), dtype=object)
    total[:] = 0
    return total


def _part(starts: Places, begin: int, end: int) -> tuple[slice, slice, Places]:
    """Some rows: where they are, which segments they belong to, and where these begin among them."""
    first = int(np.searchsorted(starts, begin, side="right")) - 1
    last = int(np.searchsorted(starts, end, side="left"))
    return slice(begin, end), slice(first, last), np.maximum(starts[first:last] - begin, 0)


def _sums(values: Floats, starts: Places) -> Wholes:
    top = int(np.frexp(np.abs(values).max(initial=0.0))[1])
    if top > _HUGE:
        huge = np.abs(values) >= 2.0 ** (_HUGE - 1)
        above = _sums(np.where(huge, np.ldexp(values, -_HUGE // 2), 0.0), starts)
        return (above << _HUGE // 2) + _sums(np.where(huge, 0.0, values), starts)
    total = _nothing(values, starts)
    place = max(0, -((_STEP - 1 - UNIT - top) // _STEP)) * _STEP  # the unit of the grid, in units of 2^-UNIT
    rest = values
    while rest.any():
        shift = np.ldexp(1.5, place - UNIT + 52)
        near = (rest + shift) - shift
        rest = rest - near
        added = near.sum(axis=1, keepdims=True) if len(starts) == 1 else np.add.reduceat(near, starts, axis=1)
        total += np.ldexp(added, UNIT - place).astype(np.int64).astype(object) << place
        place -= _STEP
    return total


def _products(left: Floats, right: Floats, starts: Places) -> Wholes:
    sizes = [np.abs(one) for one in ((left,) if left is right else (left, right))]
    ordinary = all(one.max(initial=0.0) < _ORDINARY and not ((one < 1 / _ORDINARY) & (one > 0)).any() for one in sizes)
    if ordinary:
        high, low = _product(left, right)
        return (_sums(high, starts) + _sums(low, starts)) << (FINE - UNIT)
    (left, powers), (right, others) = np.frexp(left), np.frexp(right)
    high, low = _product(left, right)
    powers = powers.astype(np.int64) + others
    spans = powers // _SPAN
    total = _nothing(left, starts)
    for span in np.unique(spans).tolist():
        within = np.where(spans == span, powers - span * _SPAN, 0)
        added = sum(_sums(np.where(spans == span, np.ldexp(one, within), 0.0), starts) for one in (high, low))
        shift = span * _SPAN + FINE - UNIT
        total += added << shift if shift >= 0 else added >> -shift
    return total


def _product(left: Floats, right: Floats) -> tuple[Floats, Floats]:
    """A product and what its rounding left out (Dekker 1971, https://doi.org/10.1007/BF01397083)."""
    high = left * right
    (first, second), (third, fourth) = _halves(left), _halves(right)
    return high, second * fourth - (((high - first * third) - second * third) - first * fourth)


def product(left: Floats, right: Floats) -> tuple[Floats, Floats]:
    """Numbers whose sum is the product, but for what is finer than floats are."""
    (left, powers), (right, others) = np.frexp(left), np.frexp(right)
    high, low = _product(left, right)
    return np.ldexp(high, powers + others), np.ldexp(low, powers + others)


def _halves(values: Floats) -> tuple[Floats, Floats]:
    """Numbers as sums of two with half of the digits each."""
    large = _SPLIT * values
    high = large - (large - values)
    return high, values - high
