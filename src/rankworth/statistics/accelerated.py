"""Bias-corrected and accelerated bootstrap intervals: which means of samples they end at, and the means of values."""

import numpy as np

from rankworth.statistics.samples import CELLS, RESAMPLES, Floats, share


def bootstrap_interval(
    values: Floats, *, level: float = 0.95, resamples: int = RESAMPLES, seed: int = 0
) -> tuple[Floats, Floats]:
    """BCa intervals of the means of columns, as those of values have been from the first version on, to the last bit.

    They are those of `intervals` for a table without NaN, from the same draws, but for rounding: here, means are summed
    up row by row, which takes longer where there are many columns, and does not see that two samples of the same values
    have the same mean where it adds them in another order.

    Args:
        values: `[Q, M]`, one row per query, one column per measure.
        level: the confidence level, between 0 and 1.
        resamples: how many samples are drawn.
        seed: of the generator; equal seeds give equal intervals.

    Returns:
        `[M]` lower and `[M]` upper bounds. NaN with fewer than two rows; the mean itself where all values of a column
        are equal.

    >>> low, high = bootstrap_interval(np.array([[0.1], [0.4], [0.4], [0.9], [0.2]]))
    >>> bool(low[0] < 0.4 < high[0])
    True
    """
    share("level", level)
    rows, columns = values.shape
    if rows < 2:  # noqa: PLR2004 - one value has no spread
        return np.full(columns, np.nan), np.full(columns, np.nan)
    means = _gathered(values, resamples, np.random.default_rng(seed))
    mean = values.mean(axis=0)
    below = ((means < mean).sum(axis=0) + (means == mean).sum(axis=0) / 2) / resamples
    deviation = mean - values
    squares = (deviation**2).sum(axis=0)
    same = values.max(axis=0) == values.min(axis=0)
    acceleration = -(deviation**3).sum(axis=0) / (6 * np.where(same, 1.0, squares) ** 1.5)
    bounds = []
    for shares in corrected(below, acceleration, resamples, level):
        bound = np.array([np.quantile(means[:, column], shares[column]) for column in range(columns)])
        bounds.append(np.where(same, values[0], bound))
    return bounds[0], bounds[1]


def _gathered(values: Floats, resamples: int, generator: "np.random.Generator") -> Floats:
    """`[B, M]`: means of samples with replacement, some of them at a time."""
    rows, columns = values.shape
    means = np.empty((resamples, columns))
    step = max(1, CELLS // rows)
    for start in range(0, resamples, step):
        end = min(start + step, resamples)
        places = generator.integers(0, rows, size=(end - start, rows))
        for column in range(columns):
            means[start:end, column] = values[:, column].take(places).mean(axis=1)
    return means


def corrected(below: Floats, acceleration: Floats, resamples: int, level: float) -> tuple[Floats, Floats]:
    """The shares of means of samples that BCa intervals end at, [k] each.

    Args:
        below: [k], the share of these means that lies below the mean of the rows.
        acceleration: [k].
        resamples: how many samples there are.
        level: the confidence level.

    """
    from scipy.special import ndtr, ndtri  # noqa: PLC0415 - costs more than most evaluations

    bias = ndtri(below.clip(0.5 / resamples, 1 - 0.5 / resamples))
    ends = []
    for tail in ((1 - level) / 2, (1 + level) / 2):
        shifted = bias + ndtri(tail)
        ends.append(np.asarray(ndtr(bias + shifted / (1 - acceleration * shifted))))
    return ends[0], ends[1]
