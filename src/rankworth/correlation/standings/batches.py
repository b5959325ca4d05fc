"""Coefficients of correlation over many samples at a time: the very numbers of `coefficients`, one for each sample."""

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

import numpy as np

from rankworth.correlation.coefficients import COEFFICIENTS
from rankworth.correlation.standings.levels import Both, Integers, Levels
from rankworth.statistics.samples import Floats


def over_samples(name: str, both: Both, heights: tuple[Floats, Floats]) -> Floats:
    """[B]: a coefficient in each sample, NaN where it is not defined, also for ties that it does not allow.

    Args:
        name: as in `COEFFICIENTS`.
        both: the orders.
        heights: [B, S] each, what they are made of.

    """
    if name in _AT_ONCE:
        with np.errstate(divide="ignore", invalid="ignore"):
            return _AT_ONCE[name](both)
    function = COEFFICIENTS[name].function
    ranked = name != "pearson"
    x, y = (-both.x.higher, -both.y.higher) if ranked else heights
    return np.array([function(*pair) for pair in zip(x, y, strict=True)], dtype=np.float64)


def _tau_a(both: Both) -> Floats:
    return np.asarray(both.balance / np.float64(both.all))


def _tau_b(both: Both) -> Floats:
    product = (both.all - both.x.tied_pairs) * (both.all - both.y.tied_pairs)
    return np.asarray(both.balance / np.sqrt(product))


def _tau_c(both: Both) -> Floats:
    fewest = np.minimum(both.x.groups, both.y.groups)
    return np.asarray(2 * fewest * both.balance / (len(both.x) ** 2 * (fewest - 1)))


def _gamma(both: Both) -> Floats:
    return np.asarray(both.balance / (both.concordant + both.discordant))


def _spearman(both: Both) -> Floats:
    x, y = ((2 * one.higher + one.tied - len(one)).astype(np.float64) for one in (both.x, both.y))
    cosine = (x * y).sum(axis=1) / np.sqrt((x * x).sum(axis=1) * (y * y).sum(axis=1))
    return np.asarray(np.clip(cosine, -1.0, 1.0))


def _tau_ap(both: Both) -> Floats:
    return np.where(both.y.tied_pairs == 0, _tau_ap_a(both), np.nan)


def _tau_ap_a(both: Both) -> Floats:
    """`coefficients.average_precision._over_ranks`: precision at each rank of y, expected over the orders of ties."""
    y, place = both.y, np.arange(len(both.y))
    size = y.end - y.begin + 1
    right = _per_group(y, both.above) / size + (place - y.begin) / 2
    values = _scaled(right[:, 1:] / place[1:], np.full(len(right), len(y) - 1))
    return np.where(both.x.tied_pairs == 0, values, np.nan)


def _tau_ap_b(both: Both) -> Floats:
    """The mean of two directions, each with the systems above a group of ties in the place of those above a rank."""
    sides = []
    for one in (both.x, both.y):
        lower = (one.end == np.arange(len(one))) & (one.begin > 0)  # the last place of a group stands for it
        shares = np.divide(_per_group(one, both.above), one.begin, out=np.zeros(lower.shape), where=lower)
        sides.append(_scaled(shares, len(one) - one.end[:, 0] - 1))
    return np.where(np.minimum(both.x.groups, both.y.groups) > 1, (sides[0] + sides[1]) / 2, np.nan)


def _per_group(ranking: Levels, counts: Integers) -> Floats:
    """[B, S], place by place: the sum of counts over the group of ties that is there."""
    sums = np.zeros((counts.shape[0], counts.shape[1] + 1))
    np.cumsum(np.take_along_axis(counts, ranking.order, axis=1), axis=1, out=sums[:, 1:])
    upper, lower = (np.take_along_axis(sums, places, axis=1) for places in (ranking.end + 1, ranking.begin))
    return np.asarray(upper - lower)


def _scaled(shares: Floats, counts: Integers) -> Floats:
    """Sums of `counts` shares of 0 to 1 each, made means and stretched to -1 to 1."""
    sums = np.array([math.fsum(row) for row in shares.tolist()])
    return np.asarray(2 * sums / counts - 1)


_AT_ONCE: Final[Mapping[str, Callable[[Both], Floats]]] = MappingProxyType(
    {
        "tau-a": _tau_a,
        "tau-b": _tau_b,
        "tau-c": _tau_c,
        "gamma": _gamma,
        "spearman": _spearman,
        "tau-ap": _tau_ap,
        "tau-ap-a": _tau_ap_a,
        "tau-ap-b": _tau_ap_b,
    }
)
"""those that are computed for all samples at once; the others go sample by sample"""
