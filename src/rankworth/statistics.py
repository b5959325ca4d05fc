"""Statistics on plain arrays: no query ids, no names of measures, results as plain numbers.

`scipy` is imported when a statistic is asked for.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

RESAMPLES: Final = 9_999
_CELLS: Final = 1 << 21


def bootstrap_interval(
    values: Floats, *, level: float = 0.95, resamples: int = RESAMPLES, seed: int = 0
) -> tuple[Floats, Floats]:
    """Bias-corrected and accelerated bootstrap intervals of the means of columns.

    All columns are resampled by the same draws of rows. Memory is bounded whatever the number of rows.

    Args:
        values: `[Q, M]`, one row per query, one column per measure.
        level: the confidence level, between 0 and 1.
        resamples: how many samples are drawn.
        seed: of the generator; equal seeds give equal intervals.

    Returns:
        `[M]` lower and `[M]` upper bounds. NaN with fewer than two rows; the mean itself where all values of a column
        are equal.

    Source: Efron (1987), Better bootstrap confidence intervals, https://doi.org/10.1080/01621459.1987.10478410

    >>> low, high = bootstrap_interval(np.array([[0.1], [0.4], [0.4], [0.9], [0.2]]))
    >>> bool(low[0] < 0.4 < high[0])
    True
    """
    if not 0 < level < 1:
        message = f"level={level}: a confidence level lies between 0 and 1"
        raise ValueError(message)
    rows, columns = values.shape
    if rows < 2:  # noqa: PLR2004 - one value has no spread
        return np.full(columns, np.nan), np.full(columns, np.nan)
    from scipy.special import ndtr, ndtri  # noqa: PLC0415 - costs more than most evaluations

    means = _resampled_means(values, resamples, np.random.default_rng(seed))
    mean = values.mean(axis=0)
    below = ((means < mean).sum(axis=0) + (means == mean).sum(axis=0) / 2) / resamples
    bias = ndtri(below.clip(0.5 / resamples, 1 - 0.5 / resamples))
    deviation = mean - values
    squares = (deviation**2).sum(axis=0)
    constant = values.max(axis=0) == values.min(axis=0)
    acceleration = -(deviation**3).sum(axis=0) / (6 * np.where(constant, 1.0, squares) ** 1.5)
    bounds = []
    for tail in ((1 - level) / 2, (1 + level) / 2):
        shifted = bias + ndtri(tail)
        share = ndtr(bias + shifted / (1 - acceleration * shifted))
        bound = np.array([np.quantile(means[:, column], share[column]) for column in range(columns)])
        bounds.append(np.where(constant, values[0], bound))
    return bounds[0], bounds[1]


def _resampled_means(values: Floats, resamples: int, generator: "np.random.Generator") -> Floats:
    """`[B, M]`: means of samples with replacement, some of them at a time."""
    rows, columns = values.shape
    means = np.empty((resamples, columns))
    step = max(1, _CELLS // (rows * columns))
    for start in range(0, resamples, step):
        end = min(start + step, resamples)
        drawn = generator.integers(0, rows, size=(end - start, rows))
        for column in range(columns):
            means[start:end, column] = values[:, column].take(drawn).mean(axis=1)
    return means
