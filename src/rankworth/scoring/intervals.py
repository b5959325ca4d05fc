"""Confidence intervals of means, by the bootstrap over queries."""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from rankworth import stats
from rankworth.arrays import Floats, Integers
from rankworth.scoring.columns import Column, Mask, additive, from_logarithms
from rankworth.stats.resampling import bca_quantiles, over_samples


def intervals(columns: Sequence[Column], level: float, seed: int) -> tuple[Floats, Floats]:
    """Return the ends of confidence intervals of all means, by the bootstrap over queries.

    Args:
        columns: the columns; those that count each query alike share the samples.
        level: the confidence level.
        seed: of the resampling.

    """
    links = [column.link for column in columns]
    low, high = np.full((2, len(columns)), np.nan)  # [M] each
    plain = [
        index
        for index, column in enumerate(columns)
        if column.link in ("mean", "gmean") and column.strata is None and np.isin(column.weights, (0.0, 1.0)).all()
    ]
    for index, column in enumerate(columns):
        rows = column.counted
        if column.link in ("mean", "gmean") and index not in plain:
            values = additive(column.values[rows], column.link)  # [N]: of the queries that count
            low[index], high[index] = bootstrap(
                values, column.weights[rows], column.group[rows], level=level, seed=seed
            )
    by_rows: dict[bytes, list[int]] = {}
    for index in plain:
        by_rows.setdefault(columns[index].counted.tobytes(), []).append(index)
    for indices in by_rows.values():
        rows = columns[indices[0]].counted
        # [N, m]: the values of the m columns in which these N queries count
        table = np.array([additive(columns[index].values[rows], columns[index].link) for index in indices]).T
        is_defined = ~np.isnan(table).any(axis=0)  # [m]
        if is_defined.any():
            ends = stats.intervals(table[:, is_defined], level=level, seed=seed)
            defined = np.array(indices)[is_defined]
            low[defined], high[defined] = ends.low, ends.high
    low, high = from_logarithms(low, links), from_logarithms(high, links)
    for index, column in enumerate(columns):
        if (ends_of_column := column.own_interval(level)) is not None:
            low[index], high[index] = ends_of_column
    return low, high


def intervals_in_words(columns: Mapping[str, Column], within: str) -> str:
    """Say how intervals come about.

    Args:
        columns: by measure.
        within: where queries are drawn, as the end of a sentence.

    """
    medians = [name for name, column in columns.items() if column.link == "median"]
    jackknifed = [name for name, column in columns.items() if not column.is_resampled and name not in medians]
    if len(jackknifed) == len(columns):
        return "jackknife over queries"
    if len(medians) == len(columns):
        return "order statistics of queries"
    parts = [f"BCa bootstrap over queries{within}"] if len(jackknifed) + len(medians) < len(columns) else []
    parts += [f"jackknife of {' '.join(jackknifed)}"] if jackknifed else []
    return ", ".join([*parts, f"order statistics of {' '.join(medians)}"] if medians else parts)


def bootstrap(
    values: Floats,
    weights: Floats,
    groups: Integers,
    *,
    level: float = 0.95,
    resamples: int = stats.RESAMPLES,
    seed: int = 0,
) -> tuple[float, float]:
    """Return the bias-corrected and accelerated bootstrap interval of a weighted mean, or of the mean of group means.

    A query is drawn with its weight; with groups, as many queries are drawn from each as it has. Queries of weight 0
    are left out. Memory is bounded whatever the number of queries.

    Args:
        values: `[N]`.
        weights: `[N]`, from 0.
        groups: `[N]`, the number of the group of each query.
        level: the confidence level.
        resamples: how many samples are drawn.
        seed: of the generator.

    Returns:
        Lower and upper bound. NaN where a group has fewer than two queries, which tell nothing of its spread, and where
        a value is NaN; the mean itself where all values of each group are equal.

    >>> low, high = bootstrap(np.array([0.1, 0.4, 0.9, 0.2]), np.ones(4), np.array([0, 0, 1, 1]))
    >>> low < (0.25 + 0.55) / 2 < high
    True
    """
    if np.isnan(values[weights > 0]).any():
        return math.nan, math.nan
    if len(np.unique(groups)) < 2:  # noqa: PLR2004 - a mean of several
        ends = stats.intervals(values[:, None], weights, level=level, resamples=resamples, seed=seed)
        return float(ends.low[0]), float(ends.high[0])
    counts = weights > 0
    values, groups, weights = values[counts], groups[counts], weights[counts] / weights.max(initial=0.0)
    return _of_groups(values, weights, [groups == group for group in np.unique(groups)], level, resamples, seed)


def _of_groups(
    values: Floats, weights: Floats, groups: Sequence[Mask], level: float, resamples: int, seed: int
) -> tuple[float, float]:
    """Return the interval of the mean of group means; the acceleration is that of the values' shares in it.

    Values and weights are `[N]`, as is the mask of each group.
    """
    if min(map(np.count_nonzero, groups), default=0) < 2:  # noqa: PLR2004 - one value has no spread
        return math.nan, math.nan
    generator = np.random.default_rng(seed)
    means, mean, shares = np.zeros(resamples), 0.0, []  # means: [B], the mean of group means of each sample
    for group in groups:
        # [n] each: the values of a group, and how much each counts in the mean
        group_values, weighing = values[group], weights[group] / weights[group].sum() / len(groups)
        within = (group_values * weighing).sum()
        means += _resampled(group_values, weights[group], resamples, generator) / len(groups)
        mean += within
        shares.append((group_values - within * len(groups)) * weighing)  # [n]: how far each value moves the mean
    if all(np.ptp(values[group]) == 0 for group in groups):
        return float(mean), float(mean)
    equal = np.isclose(means, mean, rtol=1e-12, atol=0)  # but for the order of the additions
    # [1], as is the acceleration
    below = np.array([(((means < mean) & ~equal).sum() + equal.sum() / 2) / resamples])
    added = np.concatenate(shares)  # [N]
    acceleration = np.array([(added**3).sum() / (6 * (added**2).sum() ** 1.5)])
    low, high = (float(np.quantile(means, end[0])) for end in bca_quantiles(below, acceleration, resamples, level))
    return low, high


def _resampled(values: Floats, weights: Floats, resamples: int, generator: np.random.Generator) -> Floats:
    """Return `[B]`, weighted means of samples with replacement."""
    products = (values * weights)[None]  # [1, N]

    def compute(counts: Floats) -> Floats:
        return np.asarray((products @ counts.T) / (counts @ weights))  # [1, b], from counts [b, N]

    return over_samples(compute, 1, len(values), resamples, generator).ravel()
