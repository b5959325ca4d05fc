"""How many queries a difference needs: power of the paired t test, before or after it is made.

A mean difference `effect` whose single differences have the standard deviation `deviation` gives, with n queries, a t
that follows the noncentral t distribution with `n - 1` degrees of freedom and noncentrality
`effect sqrt(n) / deviation`. The power is the probability that the two-sided test at the level `alpha` sees it:

    power = P(|T| > t(1 - alpha / 2, n - 1))

Deviations come from earlier experiments, see `deviations`, or from a guess. All arguments may be arrays that broadcast;
NaN goes in and comes out.

Sources: Sakai (2016), Topic set size design, https://doi.org/10.1007/s10791-015-9273-z (which
approximates the number of queries; here it is the smallest with the power by the formula above); Cohen (1988),
Statistical power analysis.
"""

from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from rankworth.errors import UsageError
from rankworth.stats.samples import Floats, share

_HALVINGS: Final = 60
_FAR: Final = 1e7  # queries; beyond, t is normal to more digits than are asked for


def power(deviation: ArrayLike, effect: ArrayLike, n: ArrayLike, alpha: float = 0.05) -> Floats:
    """Return the probability that a paired t test of n queries sees a difference.

    It is 0 with fewer than two queries. Without a deviation, it is 1 for any effect but 0, and 0 for 0.

    Args:
        deviation: standard deviations of differences, 0 or more.
        effect: mean differences; the sign does not matter.
        n: numbers of queries.
        alpha: the level of significance, two-sided.

    >>> power(0.2, 0.1, [10, 34, 100]).round(4)
    array([0.2932, 0.8078, 0.9986])
    """
    share("alpha", alpha)
    deviation, effect, n = _numbers(deviation, effect, n)
    result = np.where((effect != 0) & (n >= 2), 1.0, 0.0)  # noqa: PLR2004 - one query has no spread
    # of the shape of the arguments, K of them true
    usual = (deviation > 0) & (n >= 2)  # noqa: PLR2004
    result[usual] = power_at(np.abs(effect[usual]) * np.sqrt(n[usual]) / deviation[usual], n[usual] - 1, alpha)
    return np.where(np.isnan(deviation + effect + n), np.nan, result)


def minimal_detectable(deviation: ArrayLike, n: ArrayLike, power: float = 0.8, alpha: float = 0.05) -> Floats:
    """Return the smallest mean difference that a paired t test of n queries sees with this power.

    It is infinite with fewer than two queries, and otherwise 0 without a deviation.

    Args:
        deviation: standard deviations of differences, 0 or more.
        n: numbers of queries.
        power: the probability of seeing it, above alpha.
        alpha: the level of significance, two-sided.

    >>> minimal_detectable(0.2, [10, 34, 100]).round(4)
    array([0.1992, 0.099 , 0.0566])
    """
    _above(power, alpha)
    deviation, n = _numbers(deviation, n)
    result = np.where(n >= 2, 0.0, np.inf)  # noqa: PLR2004 - one query has no spread
    usual = (deviation > 0) & (n >= 2)  # noqa: PLR2004
    result[usual] = noncentrality_for(n[usual] - 1, power, alpha) * deviation[usual] / np.sqrt(n[usual])
    return np.where(np.isnan(deviation + n), np.nan, result)


def queries_needed(deviation: ArrayLike, effect: ArrayLike, power: float = 0.8, alpha: float = 0.05) -> Floats:
    """Return the smallest number of queries with which a paired t test sees a mean difference with this power.

    It is a whole number from 2, infinite for an effect of 0; 2 without a deviation. Beyond ten million queries it is
    that of a normal distribution.

    Args:
        deviation: standard deviations of differences, 0 or more.
        effect: mean differences; the sign does not matter.
        power: the probability of seeing it, above alpha.
        alpha: the level of significance, two-sided.

    >>> queries_needed(1.0, [0.2, 0.5, 0.8])
    array([199.,  34.,  15.])
    """
    _above(power, alpha)
    deviation, effect = _numbers(deviation, effect)
    result = np.where(effect != 0, 2.0, np.inf)
    usual = (deviation > 0) & (effect != 0)
    result[usual] = _needed(np.abs(effect[usual]) / deviation[usual], power, alpha)
    return np.where(np.isnan(deviation + effect), np.nan, result)


def power_at(noncentrality: Floats, df: Floats, alpha: float) -> Floats:
    """Return P(|T| > t), [K] each."""
    from scipy import special, stats  # noqa: PLC0415 - costs more than most evaluations

    edge = special.stdtrit(df, 1 - alpha / 2)
    with np.errstate(all="ignore"):
        above = stats.nct.sf(edge, df, noncentrality)
        below = stats.nct.cdf(-edge, df, noncentrality)  # NaN where it is too small for it
    return np.asarray(above + np.nan_to_num(below, nan=0.0))


def noncentrality_for(df: Floats, power: float, alpha: float) -> Floats:
    """Find the noncentrality with which T is seen with this power, [K]: once for each number of queries."""
    distinct, index = np.unique(df, return_inverse=True)  # [D], and [K]: which of these
    return _noncentrality_of(tuple(distinct.tolist()), power, alpha)[index.reshape(df.shape)]


@lru_cache(maxsize=256)
def _noncentrality_of(df: tuple[float, ...], power: float, alpha: float) -> Floats:
    """Find the noncentrality for each of distinct degrees of freedom, [K]."""
    freedom = np.array(df)
    low, high = np.zeros(freedom.shape), np.ones(freedom.shape)  # [K] each: the noncentrality is between
    while (short := power_at(high, freedom, alpha) < power).any():
        high[short] *= 2
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        short = power_at(middle, freedom, alpha) < power
        low, high = np.where(short, middle, low), np.where(short, high, middle)
    return high


def _needed(effect: Floats, power: float, alpha: float) -> Floats:
    """Find how many queries an effect in standard deviations needs, [K]: from a normal distribution on, in steps."""
    from scipy.special import ndtri  # noqa: PLC0415 - costs more than most evaluations

    edge = ndtri(1 - alpha / 2)
    with np.errstate(over="ignore"):
        n = np.maximum(np.ceil(((edge + ndtri(power)) / effect) ** 2 + edge**2 / 2), 2.0)  # [K]
    near = np.flatnonzero(n < _FAR)  # [k]: the numbers that are too small or too large, step by step
    while (few := near[power_at(effect[near] * np.sqrt(n[near]), n[near] - 1, alpha) < power]).size:
        n[few] += 1
    while (near := near[n[near] > 2]).size:  # noqa: PLR2004 - one query has no spread
        near = near[power_at(effect[near] * np.sqrt(n[near] - 1), n[near] - 2, alpha) >= power]
        n[near] -= 1
    return n


def _numbers(*arguments: ArrayLike) -> list[Floats]:
    """Broadcast numbers to one shape; refuse negative ones among the first, which are deviations."""
    numbers = np.broadcast_arrays(*(np.asarray(argument, dtype=np.float64) for argument in arguments))
    if (numbers[0] < 0).any():
        raise UsageError("unknown-setting", f"deviation={numbers[0].min()}: a standard deviation is 0 or more")
    return list(numbers)


def _above(power: float, alpha: float) -> None:
    """Check a power and a level of significance."""
    if not share("alpha", alpha) < share("power", power):
        text = f"power={power} is not above alpha={alpha}: a test that sees nothing has that much"
        raise UsageError("unknown-setting", text)
