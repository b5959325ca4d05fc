"""Prediction-powered means: many values by a model's judgements, corrected by some values by people's judgements."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rankworth.stats.samples import Floats, share


@dataclass(frozen=True, eq=False)
class PredictionPowered:
    """Means of columns, each from its own rows."""

    mean: Floats
    """[K]"""
    low: Floats
    """[K], the lower ends of their intervals"""
    high: Floats
    """[K]"""
    p: Floats
    """[K], two-sided, of the hypothesis that the mean is 0"""
    weight: Floats
    """[K], how much the model's values count: from 0, people's alone, to 1"""
    effective: Floats
    """[K], how many rows with values by people would give an error as small; NaN where neither has an error"""
    measured: Floats
    """[K], how many rows have a value by people"""
    predicted: Floats
    """[K], how many rows have a value by the model alone"""


def prediction_powered(
    people: ArrayLike, model: ArrayLike, others: ArrayLike, *, level: float = 0.95
) -> PredictionPowered:
    """Estimate means from people's grades and a model's: unbiased as people's alone, more precise if the model agrees.

    With f the values of n queries by people's judgements, g the values of the same queries and h those of N others by
    a model's,

    `mean = mean(f) + w (mean(h) - mean(g))`, `w = cov(f, g) / ((1 + n / N) var(g and h))`, cut to [0, 1], and

    `error^2 = var(f - w g) / n + w^2 var(h) / N`; the interval is `mean -+ t(level, n - 1) error`.

    The covariance is divided by n, variances by one less than there are numbers. The effective number of queries is
    `var(f) / error^2`. With N = 0, w is 0. The n queries have to be a random sample of all: where people judged those
    that seemed interesting, the mean is biased.

    Args:
        people: `[n, K]`, f; a NaN here or in `model` leaves the row out of the column.
        model: `[n, K]`, g.
        others: `[N, K]`, h; a NaN leaves the row out.
        level: the confidence level, between 0 and 1.

    Raises:
        UsageError: `unknown-setting` for a level that is none.

    Sources: Angelopoulos, Bates, Fannjiang, Jordan and Zrnic (2023), Prediction-powered inference,
    https://doi.org/10.1126/science.adi6000; Angelopoulos, Duchi and Zrnic (2023), PPI++,
    https://doi.org/10.48550/arXiv.2311.01453

    >>> found = prediction_powered([[0.2], [0.6], [0.4]], [[0.4], [0.8], [0.6]], [[0.5], [0.9], [0.7], [0.7]])
    >>> found.weight.round(4), found.mean.round(4)  # cov 0.08 / 3, var 0.0295, 0.4 + w (0.7 - 0.6)
    (array([0.5161]), array([0.4516]))
    """
    share("level", level)
    f, g, h = (np.asarray(table, dtype=np.float64).T for table in (people, model, others))  # [K, n], [K, n] and [K, N]
    rows = [_of_column(*column, level=level) for column in zip(f, g, h, strict=True)]
    return PredictionPowered(*np.array(rows, dtype=np.float64).reshape(len(rows), 8).T)


def _of_column(f: Floats, g: Floats, h: Floats, *, level: float) -> tuple[float, ...]:
    """Compute the numbers of one column, f and g `[n]`, h `[N]`, in the order of the fields of `PredictionPowered`."""
    from scipy.special import stdtr, stdtrit  # noqa: PLC0415 - costs more than most evaluations

    both = ~(np.isnan(f) | np.isnan(g))  # [n]
    f, g, h = f[both], g[both], h[~np.isnan(h)]
    n, n_others = f.size, h.size
    if n < 2:  # noqa: PLR2004 - no spread
        return (*[float("nan")] * 6, n, n_others)
    weight, shift, variance = 0.0, 0.0, 0.0
    spread = np.var(np.concatenate([g, h]), ddof=1)
    if n_others > 1 and spread > 0:
        covariance = np.mean((f - f.mean()) * (g - g.mean()))
        weight = float(np.clip(covariance / ((1 + n / n_others) * spread), 0, 1))
        shift = weight * float(h.mean() - g.mean())
        variance = weight**2 * float(np.var(h, ddof=1)) / n_others
    mean = float(f.mean()) + shift
    error = math.sqrt(float(np.var(f - weight * g, ddof=1)) / n + variance)
    half = float(stdtrit(n - 1, (1 + level) / 2)) * error
    p = 2 * float(stdtr(n - 1, -abs(mean) / error)) if error else float(mean == 0)
    effective = float(np.var(f, ddof=1)) / error**2 if error else float("nan")
    return mean, mean - half, mean + half, p, weight, effective, n, n_others
