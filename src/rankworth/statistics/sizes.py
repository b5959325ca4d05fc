"""How large differences are: on the scale of the measure, in standard deviations, and as a chance of winning."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rankworth.statistics.moments import moments
from rankworth.statistics.samples import ROUNDING, Columns, Floats, Ints


@dataclass(frozen=True, eq=False)
class Effects:
    """Sizes of effects, and what they are made of, [K] each."""

    mean: Floats
    """the mean difference"""
    dz: Floats
    """in standard deviations of the differences: Cohen's d_z"""
    hedges: Floats
    """the same without its bias"""
    win: Floats
    """the share of differences above 0, plus half the share of those that are 0"""
    wins: Ints
    """how many differences are above 0, whatever they weigh"""
    ties: Ints
    """how many are 0"""
    losses: Ints
    """how many are below 0"""


def effects(differences: ArrayLike, weights: ArrayLike | None = None) -> Effects:
    """How large the differences of columns are.

        mean    sum(w d) / sum(w)
        dz      mean / deviation
        hedges  dz J(df), J(m) = Gamma(m / 2) / (sqrt(m / 2) Gamma((m - 1) / 2))
        win     (sum of w where d > 0, plus half of that where d = 0) / sum(w)

    with `deviation` and `df` of `Moments`. Where all differences are equal but for rounding, dz is infinite, or 0 if
    they are 0. `dz` is NaN with fewer than two rows, `hedges` unless there are more than two; differences that rounding
    alone tells from 0 are 0.

    Args:
        differences: [N, K].
        weights: [N].

    Sources: Cohen (1988), Statistical power analysis, section 2.3.5; Hedges (1981), Distribution theory for Glass's
    estimator of effect size, https://doi.org/10.3102/10769986006002107

    >>> found = effects([[0.2], [0.1], [0.4], [-0.3], [0.0]])
    >>> found.mean.round(3), found.dz.round(3), found.hedges.round(3), found.win
    (array([0.08]), array([0.309]), array([0.247]), array([0.7]))
    """
    columns = Columns.of(differences, weights)
    found = moments(columns)
    with np.errstate(divide="ignore", invalid="ignore"):
        dz = np.where((found.deviation == 0) & (found.mean == 0), 0.0, found.mean / found.deviation)
    win = columns.empty()
    counts = np.zeros((3, columns.count), dtype=np.intp)
    for sample in columns.samples():
        near = ROUNDING * np.abs(sample.values).max(axis=1, keepdims=True)
        above, below = sample.values > near, sample.values < -near
        half = 0.5 + (above * 0.5 - below * 0.5)
        win[sample.places] = half.mean(axis=1) if sample.weights is None else (half * sample.shares).sum(axis=1)
        counts[:, sample.places] = above.sum(axis=1), (~above & ~below).sum(axis=1), below.sum(axis=1)
    return Effects(found.mean, dz, dz * _unbiased(found.df), win, *counts)


def _unbiased(df: Floats) -> Floats:
    """Hedges' J; NaN up to one degree of freedom, where dz has no mean."""
    from scipy.special import gammaln  # noqa: PLC0415 - costs more than most evaluations

    enough = np.where(df > 1, df, np.nan)
    return np.asarray(np.exp(gammaln(enough / 2) - gammaln((enough - 1) / 2)) / np.sqrt(enough / 2))
