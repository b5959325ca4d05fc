"""Shares and means of pairs grouped by query, and a share corrected for the errors of a judge.

Their intervals hold what they say where none, or all, have it, too.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rankworth.stats.samples import share


class ClusteredShare(NamedTuple):
    """A share of pairs that stand together by query, or a mean difference of such pairs."""

    value: float
    low: float
    high: float
    number: int
    """how many pairs there are"""
    effective: float
    """how many independent ones would tell as much"""


def _beta_quantiles(count: float, number: float, level: float) -> tuple[float, float]:
    """Return the ends of the exact interval of a share, whose numbers need not be whole."""
    from scipy.special import betaincinv  # noqa: PLC0415 - costs more than most evaluations

    tail = (1 - level) / 2
    low = float(betaincinv(count, number - count + 1, tail)) if count > 0 else 0.0
    high = float(betaincinv(count + 1, number - count, 1 - tail)) if count < number else 1.0
    return low, high


def clustered_share(counts: ArrayLike, sizes: ArrayLike, *, level: float = 0.95) -> ClusteredShare:
    """Return the share of pairs with a property, with an interval clustered by query.

    The share is p = sum(x) / sum(n), with the variance of a ratio, `v = Q / (Q - 1) sum((x - p n)^2) / sum(n)^2`. So
    many independent pairs would tell as much: `p (1 - p) / v (t(N - 1) / t(Q - 1))^2`, with t the quantiles of
    Student's distribution, at least Q and at most N (Q where p is 0 or 1, which has no spread). The interval is the
    exact one of so many pairs.

    Args:
        counts: `[Q]`, x: how many pairs of each query have it.
        sizes: `[Q]`, n: how many pairs each query has; queries without a pair are left out.
        level: the confidence level, between 0 and 1.

    Source: Korn, Graubard (1998), Confidence intervals for proportions with small expected number of positive counts
    estimated from survey data, Survey Methodology 24

    >>> found = clustered_share([1, 0, 1, 1], [1, 1, 1, 1])  # each pair a query of its own
    >>> found.value, round(found.low, 4), round(found.high, 4), found.effective
    (0.75, 0.1941, 0.9937, 4.0)
    """
    level = share("level", level)
    x, n = (np.asarray(array, dtype=np.float64) for array in (counts, sizes))  # [Q] each
    x, n = x[n > 0], n[n > 0]
    queries, number = x.size, float(n.sum())
    if not queries:
        return ClusteredShare(math.nan, math.nan, math.nan, 0, 0.0)
    value = float(x.sum()) / number
    effective = float(queries)
    spread = float(((x - value * n) ** 2).sum()) / number**2
    if queries > 1 and spread > 0 and 0 < value < 1:
        variance = queries / (queries - 1) * spread
        ratio = _student(number - 1, level) / _student(queries - 1, level)
        effective = min(max(value * (1 - value) / variance * ratio**2, float(queries)), number)
    low, high = _beta_quantiles(value * effective, effective, level)
    return ClusteredShare(value, low, high, int(number), effective)


def clustered_mean(sums: ArrayLike, sizes: ArrayLike, *, level: float = 0.95) -> tuple[float, float, float, float]:
    """Return the mean over pairs that stand together by query, the ends of its interval, and p of no difference.

    The mean is m = sum(d) / sum(n), its error the root of `Q / (Q - 1) sum((d - m n)^2) / sum(n)^2`, its distribution
    Student's with Q - 1 degrees of freedom. Where nothing differs, the interval is 0 to 0 and p is 1; one query has no
    interval.

    Args:
        sums: `[Q]`, d: the sum of the numbers of each query.
        sizes: `[Q]`, n: how many pairs each query has; queries without a pair are left out.
        level: the confidence level, between 0 and 1.

    Source: Cochran (1977), Sampling Techniques, section 9A.2

    >>> [round(number, 4) for number in clustered_mean([1, 0, 1, 0], [2, 2, 2, 2])]
    [0.25, -0.2093, 0.7093, 0.1817]
    """
    from scipy.special import stdtr  # noqa: PLC0415 - costs more than most evaluations

    level = share("level", level)
    d, n = (np.asarray(array, dtype=np.float64) for array in (sums, sizes))  # [Q] each
    d, n = d[n > 0], n[n > 0]
    if not d.size:
        return math.nan, math.nan, math.nan, math.nan
    mean = float(d.sum() / n.sum())
    if not d.any():
        return 0.0, 0.0, 0.0, 1.0
    if d.size == 1:
        return mean, math.nan, math.nan, math.nan
    error = math.sqrt(d.size / (d.size - 1) * float(((d - mean * n) ** 2).sum())) / float(n.sum())
    half = _student(d.size - 1, level) * error
    p = 2 * float(stdtr(d.size - 1, -abs(mean) / error)) if error else float(mean == 0)
    return mean, mean - half, mean + half, p


def _student(freedom: float, level: float) -> float:
    """Return the quantile of Student's distribution that the middle `level` of it lies below."""
    from scipy.special import stdtrit  # noqa: PLC0415 - costs more than most evaluations

    return float(stdtrit(freedom, (1 + level) / 2))


def corrected_share(
    positive: tuple[float, float],
    sensitivity: tuple[float, float],
    specificity: tuple[float, float],
    *,
    level: float = 0.95,
) -> tuple[float, float, float]:
    """Return the true share behind a judge's, and the ends of its interval, from how the judge errs.

    Of what is relevant the judge finds the sensitivity, of what is not the specificity. Of the share q that the judge
    calls relevant, `(q + specificity - 1) / (sensitivity + specificity - 1)` are (Rogan, Gladen). The interval knows
    that all three are estimates (Lang, Reiczigel); all are cut to 0 to 1. NaN where sensitivity and specificity add up
    to 1 or less: such a judge tells nothing.

    Args:
        positive: the share q, and of how many pairs it is.
        sensitivity: and of how many relevant pairs.
        specificity: and of how many pairs that are not relevant.
        level: the confidence level, between 0 and 1.

    Sources: Rogan, Gladen (1978), Estimating prevalence from the results of a screening test,
    https://doi.org/10.1093/oxfordjournals.aje.a112510; Lang, Reiczigel (2014), Confidence limits for prevalence of
    disease adjusted for estimated sensitivity and specificity, https://doi.org/10.1016/j.prevetmed.2013.09.015

    >>> found = corrected_share((0.4, 1000), (0.9, 100), (0.8, 100))  # (0.4 + 0.8 - 1) / (0.9 + 0.8 - 1)
    >>> [round(number, 4) for number in found]
    [0.2857, 0.1803, 0.373]
    """
    from scipy.special import ndtri  # noqa: PLC0415 - costs more than most evaluations

    level = share("level", level)
    (q, of_q), (detected, of_found), (kept, of_kept) = positive, sensitivity, specificity
    if not detected + kept > 1:
        return math.nan, math.nan, math.nan
    value = (q + kept - 1) / (detected + kept - 1)
    z = float(ndtri((1 + level) / 2))
    q, of_q = (of_q * q + z * z / 2) / (of_q + z * z), of_q + z * z
    detected, of_found = (of_found * detected + 1) / (of_found + 2), of_found + 2
    kept, of_kept = (of_kept * kept + 1) / (of_kept + 2), of_kept + 2
    slope = detected + kept - 1
    if slope <= 0:
        return min(max(value, 0.0), 1.0), 0.0, 1.0
    middle = (q + kept - 1) / slope
    of_sensitivity, of_specificity = detected * (1 - detected) / of_found, kept * (1 - kept) / of_kept
    shift = 2 * z * z * (middle * of_sensitivity - (1 - middle) * of_specificity)
    variance = q * (1 - q) / of_q + middle**2 * of_sensitivity + (1 - middle) ** 2 * of_specificity
    half = z * math.sqrt(variance) / slope
    ends = (value, middle + shift - half, middle + shift + half)
    value, low, high = (min(max(end, 0.0), 1.0) for end in ends)
    return value, low, high
