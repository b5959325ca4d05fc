"""Confidence intervals of means, weighted or of groups, by the bootstrap over queries."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rankworth import stats
from rankworth.evaluation import aggregation
from rankworth.evaluation.aggregation import Column
from rankworth.evaluation.per_query import PerQuery
from rankworth.groups import Floats, Integers
from rankworth.measures import Fact, Measure
from rankworth.stats.resampling import corrected, over_samples


class Interval(NamedTuple):
    """A confidence interval of a mean."""

    low: float
    high: float
    level: float


def ends(
    measures: Sequence[Measure | Fact], per_query: PerQuery, columns: Sequence[Column], level: float, seed: int
) -> tuple[Floats, Floats]:
    """The ends of the intervals of all means; of each alone where not all have values for the same queries.

    Args:
        measures: what the means are of.
        per_query: the values.
        columns: each measure's values as they are averaged.
        level: the confidence level.
        seed: of the resampling.

    """
    ways = [measure.averaging for measure in measures]
    table = per_query.array
    odd = any(one.absent.size or one.divisor is not None or one.sliced for one in columns)
    if per_query.there is None and not odd and not np.isnan(table).any():
        found = stats.intervals(aggregation.additive(table, ways), level=level, seed=seed)
        return aggregation.back(found.low, ways), aggregation.back(found.high, ways)
    bounds = []
    for column in columns:
        sample = column.sampled()
        one = aggregation.additive(sample.values[:, None], [column.way])
        both = bootstrap(one, sample.weights, sample.groups, level=level, seed=seed)
        bounds.append([float(aggregation.back(end, [column.way])[0]) for end in both])
    low, high = np.array(bounds, dtype=np.float64).reshape(-1, 2).T
    return low, high


def bootstrap(
    values: Floats,
    weights: Floats | None = None,
    groups: Integers | None = None,
    *,
    level: float = 0.95,
    resamples: int = stats.RESAMPLES,
    seed: int = 0,
) -> tuple[Floats, Floats]:
    """Bias-corrected and accelerated bootstrap intervals of the weighted means of columns, or of their group means.

    A query is drawn with its weight; with groups, as many queries are drawn from each as it has. All columns are
    resampled by the same draws. Queries of weight 0 are left out. Memory is bounded whatever the number of queries.

    Args:
        values: `[N, K]`.
        weights: `[N]`, from 0; equal by default.
        groups: `[N]`, the number of the group of each query; one group by default.
        level: the confidence level.
        resamples: how many samples are drawn.
        seed: of the generator.

    Returns:
        `[K]` lower and `[K]` upper bounds. NaN where a group has fewer than two queries, which tell nothing of its
        spread, and where a value is NaN; the mean itself where all values of each group are equal.

    >>> low, high = bootstrap(np.array([[0.1], [0.4], [0.9], [0.2]]), groups=np.array([0, 0, 1, 1]))
    >>> bool(low[0] < (0.25 + 0.55) / 2 < high[0])
    True
    """
    counted = np.ones(len(values), dtype=bool) if weights is None else weights > 0
    values = values[counted]
    weights = None if weights is None else weights[counted] / weights.max(initial=0.0)
    void = np.isnan(values).any(axis=0)
    values = np.where(void, 0.0, values)
    if groups is None:
        found = stats.intervals(values, weights, level=level, resamples=resamples, seed=seed)
        low, high = found.low, found.high
    else:
        even = np.ones(len(values)) if weights is None else weights
        low, high = _of_groups(values, even, groups[counted], level, resamples, seed)
    return np.where(void, np.nan, low), np.where(void, np.nan, high)


def _of_groups(
    values: Floats, weights: Floats, groups: Integers, level: float, resamples: int, seed: int
) -> tuple[Floats, Floats]:
    """Intervals of the means of group means; the acceleration is that of the values' shares in it."""
    strata = [np.flatnonzero(groups == group) for group in np.unique(groups)]
    if not strata or min(map(len, strata)) < 2:  # noqa: PLR2004 - one value has no spread
        return np.full(values.shape[1], np.nan), np.full(values.shape[1], np.nan)
    generator = np.random.default_rng(seed)
    means, mean = np.zeros((resamples, values.shape[1])), np.zeros(values.shape[1])
    shares = []
    for rows in strata:
        weighing = weights[rows] / weights[rows].sum() / len(strata)
        within = (values[rows] * weighing[:, None]).sum(axis=0)
        means += _resampled(values[rows], weights[rows], resamples, generator) / len(strata)
        mean += within
        shares.append((values[rows] - within * len(strata)) * weighing[:, None])
    added = np.concatenate(shares)
    constant = np.all([values[rows].max(axis=0) == values[rows].min(axis=0) for rows in strata], axis=0)
    equal = np.isclose(means, mean, rtol=1e-12, atol=0)  # but for the order of the additions
    below = (((means < mean) & ~equal).sum(axis=0) + equal.sum(axis=0) / 2) / resamples
    squares = np.where(constant, 1.0, (added**2).sum(axis=0))
    acceleration = (added**3).sum(axis=0) / (6 * squares**1.5)
    bounds = []
    for share in corrected(below, acceleration, resamples, level):
        bound = np.array([np.quantile(means[:, column], share[column]) for column in range(values.shape[1])])
        bounds.append(np.where(constant, mean, bound))
    return bounds[0], bounds[1]


def _resampled(values: Floats, weights: Floats, resamples: int, generator: np.random.Generator) -> Floats:
    """`[B, K]`: weighted means of samples with replacement."""
    products = (values * weights[:, None]).T

    def compute(counts: Floats) -> Floats:
        return np.asarray((products @ counts.T) / (counts @ weights))

    return over_samples(compute, len(products), len(values), resamples, generator).T
