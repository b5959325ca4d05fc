"""Pearson's r of the scores themselves, and the p value of an r."""

import math

import numpy as np
from numpy.typing import ArrayLike

from rankworth.correlation.coefficients.scores import Floats, paired


def pearson(x: ArrayLike, y: ArrayLike) -> float:
    """Pearson's r: `sum((x - mean x) (y - mean y)) / sqrt(sum((x - mean x)^2) sum((y - mean y)^2))`.

    It looks at scores and not at ranks: only a change of unit and of origin leaves it as it is. Between -1 and 1. NaN
    with fewer than two items, where all scores are equal on one side, or with an infinity.

    Args:
        x: [n].
        y: [n].

    Raises:
        InputError: `bad-score`, where a score is not a number.

    Source: Pearson (1895), Note on regression and inheritance in the case of two parents,
    https://doi.org/10.1098/rspl.1895.0041

    >>> round(pearson([1, 2, 3, 4, 5], [2, 1, 2, 4, 5]), 12)  # 9 / sqrt(10 * 10.8)
    0.866025403784
    """
    first, second = paired(x, y)
    for scores in (first, second):
        if not np.isfinite(scores).all() or (scores == scores[:1]).all():
            return math.nan
    return aligned(_centred(first), _centred(second))


def pearson_p(x: ArrayLike, y: ArrayLike) -> float:
    """The two-sided p value of `pearson`, for scores from a normal distribution; NaN where r is.

    Args:
        x: [n].
        y: [n].

    Raises:
        InputError: `bad-score`, where a score is not a number.

    Source: Student (1908), Probable error of a correlation coefficient, https://doi.org/10.1093/biomet/6.2-3.302

    >>> round(pearson_p([1, 2, 3, 4, 5], [2, 1, 2, 4, 5]), 6)
    0.057669
    """
    return beyond(pearson(x, y), len(np.asarray(x)))


def aligned(x: Floats, y: Floats) -> float:
    """The cosine of two vectors; their components have a mean of 0."""
    cosine = float(x @ y) / math.sqrt(float(x @ x) * float(y @ y))
    return max(-1.0, min(1.0, cosine))


def beyond(r: float, n: int) -> float:
    """How probable an r at least as far from 0 is, of n independent pairs from normal distributions.

    `2 I((1 - |r|) / 2; n / 2 - 1, n / 2 - 1)`, with the regularised incomplete beta function; this is Student's t test
    of `t = r sqrt((n - 2) / (1 - r^2))` with n - 2 degrees of freedom. With two items it is 1, as r can only be -1 or
    1.
    """
    from scipy.special import betainc  # noqa: PLC0415 - costs more than most evaluations

    if math.isnan(r):
        return math.nan
    if n <= 2:  # noqa: PLR2004 - two points lie on a line
        return 1.0
    return min(1.0, 2 * float(betainc(n / 2 - 1, n / 2 - 1, (1 - abs(r)) / 2)))


def _centred(scores: Floats) -> Floats:
    """Differences from the mean, divided by a power of two so that no square leaves the range of floats."""
    deviations = np.ldexp(scores, -np.frexp(np.abs(scores).max())[1])
    for _ in range(2):  # the mean itself is rounded
        deviations = deviations - deviations.mean()
    return np.asarray(deviations)
