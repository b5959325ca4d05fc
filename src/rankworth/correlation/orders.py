"""Orders of systems in many samples of queries at a time, and coefficients of correlation between them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from rankworth.comparison.systems import Better
from rankworth.stats.rank_correlation import COEFFICIENTS, Orders, Pair
from rankworth.stats.resampling import over_samples
from rankworth.stats.samples import CELLS, Floats
from rankworth.tables.columns import Kind


@dataclass(frozen=True, eq=False)
class View:
    """What puts systems into an order.

    Attributes:
        measure: what tables call the measure.
        judge: whose judgements it is taken with, where there are two judges; empty otherwise.
        systems: the names.
        values: `[S, Q]`, NaN where there is none.
        means: `[S]`, as an evaluation has them.
        weights: `[Q]`, what each query counts; None where all count alike.
        better: which end of the scale is better.
        kind: what the values are.
        signature: how they came about.

    """

    measure: str
    judge: str
    systems: tuple[str, ...]
    values: Floats
    means: Floats
    weights: Floats | None
    better: Better
    kind: Kind
    signature: str

    @property
    def name(self) -> str:
        """What it is called among views of its kind: the judge where there are two, otherwise the measure."""
        return self.judge or self.measure

    @property
    def title(self) -> str:
        """What it is called alone."""
        return f"{self.measure} ({self.judge})" if self.judge else self.measure

    @property
    def sign(self) -> float:
        """1 where higher is better, -1 where lower is."""
        return 1.0 if self.better == "higher" else -1.0

    @cached_property
    def order(self) -> Orders:
        """The order of the systems by their means: one sample."""
        return Orders.of(self.sign * self.means[None], rounded=True)

    @cached_property
    def heights(self) -> Floats:
        """`[S]`: the means, higher ones better, those that rounding alone tells apart made equal."""
        best = self.order.order[0][self.order.higher[0]]
        return np.asarray(self.sign * self.means[best])

    @property
    def ranks(self) -> list[int]:
        """`[S]`, from 1; systems of equal means share the first rank of theirs."""
        return [int(higher) + 1 for higher in self.order.higher[0]]

    def only(self, systems: Sequence[int]) -> "View":
        """The same with some of the systems, by number."""
        rows = np.array(systems, dtype=np.intp)
        names = tuple(self.systems[row] for row in systems)
        return replace(self, systems=names, values=self.values[rows], means=self.means[rows])


@dataclass(frozen=True, eq=False)
class _Sums:
    """What sums over samples of queries are made of."""

    values: Floats
    """[Q, S], times the weights of queries, 0 where there is none; higher is better"""
    weights: Floats | None
    """[Q, S], the weights of the values that are there; None where all are there and a sum will do"""

    @classmethod
    def of(cls, view: View) -> "_Sums":
        there = ~np.isnan(view.values)
        weighing = np.ones(view.values.shape[1]) if view.weights is None else view.weights
        values = np.where(there, view.sign * view.values, 0.0) * weighing
        return cls(values.T, None if there.all() else (there * weighing).T)

    def heights(self, counts: Floats) -> Floats:
        """[b, S]: the means in samples, or as many times these in all systems; NaN where there is none."""
        sums = counts @ self.values
        if self.weights is None:
            return np.asarray(sums)
        whole = counts @ self.weights
        return np.asarray(np.divide(sums, whole, out=np.full(sums.shape, np.nan), where=whole > 0))


def sampled(
    views: Sequence[View], pairs: Sequence[tuple[int, int]], methods: Sequence[str], *, resamples: int, seed: int
) -> Floats:
    """[P, K, B]: the coefficients of each pair of views in samples of the queries with replacement.

    All views have the same samples, as their values come from the same queries. NaN where a coefficient is not defined.

    Args:
        views: of the same systems and queries.
        pairs: which of them are correlated, by number.
        methods: K names of coefficients.
        resamples: B.
        seed: of the generator.

    """
    sums = [_Sums.of(one) for one in views]
    systems, queries = views[0].values.shape
    step = max(1, CELLS // max(1, systems * len(views)))

    def some(counts: Floats) -> Floats:
        heights = [one.heights(counts) for one in sums]
        void = [np.isnan(one).any(axis=1) for one in heights]
        for one, rows in zip(heights, void, strict=True):
            one[rows] = 0.0
        orders = [Orders.of(one, rounded=True) for one in heights]
        found = np.empty((len(pairs) * len(methods), len(counts)))
        for place, (x, y) in enumerate(pairs):
            pair = Pair(orders[x], orders[y])
            for number, name in enumerate(methods):
                values = COEFFICIENTS[name].of_samples(pair)
                found[place * len(methods) + number] = np.where(void[x] | void[y], np.nan, values)
        return found

    def compute(counts: Floats) -> Floats:
        return np.concatenate([some(counts[first : first + step]) for first in range(0, len(counts), step)], axis=1)

    found = over_samples(compute, len(pairs) * len(methods), queries, resamples, seed)
    return found.reshape(len(pairs), len(methods), resamples)


def bounds(samples: Floats, level: float) -> tuple[float, float]:
    """The percentile interval; NaN where more samples than 1 - level have no number.

    Args:
        samples: [B], NaN where a coefficient is not defined.
        level: the confidence level.

    Source: Efron and Tibshirani (1993), An introduction to the bootstrap, chapter 13,
    https://doi.org/10.1201/9780429246593

    >>> bounds(np.arange(101.0), 0.5)
    (25.0, 75.0)
    """
    there = samples[~np.isnan(samples)]
    if not there.size or samples.size - there.size > (1 - level) * samples.size:
        return float("nan"), float("nan")
    low, high = np.quantile(there, [(1 - level) / 2, (1 + level) / 2]).tolist()
    return low, high
