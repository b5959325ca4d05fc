"""Orders of systems in many samples of queries at a time, and coefficients of correlation between them.

The coefficients are bit for bit those of `coefficients`, one for each sample.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from rankworth.comparison.systems import Better
from rankworth.correlation.coefficients import COEFFICIENTS
from rankworth.stats.resampling import over_samples
from rankworth.stats.samples import CELLS, ROUNDING, Floats
from rankworth.tables.columns import Kind

Integers = NDArray[np.integer[Any]]
_CACHED: Final = 1 << 16
"""how many places are compared at a time: they stay in the cache"""
_SHORT: Final = 1 << 15
"""systems up to which 16 bits hold a rank"""


@dataclass(frozen=True, eq=False)
class Levels:
    """The orders of S systems in B samples, best first; numbers that rounding alone tells apart are tied.

    >>> found = Levels.of(np.array([[0.3, 0.1 + 0.2, 0.5]]))
    >>> found.order[0, 0], found.higher, found.tied, found.groups
    (np.int64(2), array([[1, 1, 0]]), array([[2, 2, 1]]), array([2]))
    """

    order: Integers
    """[B, S]: systems, best first"""
    begin: Integers
    """[B, S], place by place in that order: where the group of ties begins that is there"""
    end: Integers
    """[B, S], likewise: its last place"""

    @classmethod
    def of(cls, heights: Floats) -> Self:
        """Sort.

        Args:
            heights: [B, S], higher is better.

        """
        order = np.argsort(-heights, axis=1, kind="stable")
        sorted_ = np.take_along_axis(heights, order, axis=1)
        near = ROUNDING * np.abs(heights).max(axis=1, keepdims=True, initial=0.0)
        fresh = np.ones(heights.shape, dtype=np.bool_)
        fresh[:, 1:] = sorted_[:, :-1] - sorted_[:, 1:] > near
        place = np.broadcast_to(np.arange(heights.shape[1]), heights.shape)
        begin = np.maximum.accumulate(np.where(fresh, place, 0), axis=1)
        last = np.ones(heights.shape, dtype=np.bool_)
        last[:, :-1] = fresh[:, 1:]
        end = np.where(last, place, heights.shape[1])
        return cls(order, begin, np.minimum.accumulate(end[:, ::-1], axis=1)[:, ::-1])

    def __len__(self) -> int:
        """How many systems there are."""
        return int(self.order.shape[1])

    @cached_property
    def higher(self) -> Integers:
        """[B, S], system by system: how many stand above it."""
        return self._by_system(self.begin)

    @cached_property
    def tied(self) -> Integers:
        """[B, S], system by system: how many share its place, itself included."""
        return self._by_system(self.end - self.begin + 1)

    @cached_property
    def groups(self) -> Integers:
        """[B]: how many different places there are."""
        return np.asarray((self.begin == np.arange(len(self))).sum(axis=1))

    @cached_property
    def tied_pairs(self) -> Integers:
        """[B]: how many pairs of systems are tied."""
        return np.asarray((self.end - self.begin).sum(axis=1) // 2)

    def _by_system(self, places: Integers) -> Integers:
        found = np.empty_like(places)
        np.put_along_axis(found, self.order, places, axis=1)
        return found


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
    def levels(self) -> Levels:
        """The order of the systems by their means: one sample."""
        return Levels.of(self.sign * self.means[None])

    @cached_property
    def heights(self) -> Floats:
        """`[S]`: the means, higher ones better, those that rounding alone tells apart made equal."""
        best = self.levels.order[0][self.levels.higher[0]]
        return np.asarray(self.sign * self.means[best])

    @property
    def ranks(self) -> list[int]:
        """`[S]`, from 1; systems of equal means share the first rank of theirs."""
        return [int(higher) + 1 for higher in self.levels.higher[0]]

    def only(self, systems: Sequence[int]) -> "View":
        """The same with some of the systems, by number."""
        rows = np.array(systems, dtype=np.intp)
        names = tuple(self.systems[row] for row in systems)
        return replace(self, systems=names, values=self.values[rows], means=self.means[rows])


@dataclass(frozen=True, eq=False)
class Both:
    """Two orders of the same systems, sample by sample; the counts of `coefficients.pairs.Pairs` for all of them."""

    x: Levels
    y: Levels

    @property
    def all(self) -> int:
        """All pairs of systems."""
        return len(self.x) * (len(self.x) - 1) // 2

    @cached_property
    def above(self) -> Integers:
        """[B, S]: how many systems stand above each in both orders."""
        size = len(self.x)
        kind = np.int16 if size < _SHORT else np.int32
        x, y = (np.ascontiguousarray(one.higher.T.astype(kind)) for one in (self.x, self.y))
        found = np.zeros(x.shape, dtype=kind)
        step = max(64, _CACHED // max(size, 1))
        for start in range(0, x.shape[1], step):
            part = slice(start, start + step)
            first, second, counts = x[:, part].copy(), y[:, part].copy(), np.zeros_like(found[:, part])
            for row in range(size):
                both = first[row] < first
                both &= second[row] < second
                counts += both.view(np.int8)
            found[:, part] = counts
        return found.T.astype(np.intp)

    @cached_property
    def concordant(self) -> Integers:
        """[B]: pairs in the same order."""
        return np.asarray(self.above.sum(axis=1))

    @cached_property
    def discordant(self) -> Integers:
        """[B]: pairs in opposite orders."""
        return self.all - self.x.tied_pairs - self.y.tied_pairs + self._tied_both - self.concordant

    @property
    def balance(self) -> Integers:
        """[B]: concordant minus discordant pairs."""
        return np.asarray(self.concordant - self.discordant)

    @cached_property
    def _tied_both(self) -> Integers:
        """[B]: pairs that are tied in both."""
        if not self.x.tied_pairs.any() or not self.y.tied_pairs.any():
            return np.zeros(len(self.x.order), dtype=np.intp)
        keys = np.sort(self.x.higher * len(self.x) + self.y.higher, axis=1)
        place = np.arange(len(self.x))
        fresh = np.ones(keys.shape, dtype=np.bool_)
        fresh[:, 1:] = keys[:, 1:] != keys[:, :-1]
        return np.asarray((place - np.maximum.accumulate(np.where(fresh, place, 0), axis=1)).sum(axis=1))


def coefficient(name: str, both: Both, heights: tuple[Floats, Floats]) -> Floats:
    """[B]: a coefficient in each sample, NaN where it is not defined, also for ties that it does not allow.

    Args:
        name: as in `COEFFICIENTS`.
        both: the orders.
        heights: [B, S] each, what they are made of.

    """
    if name in _AT_ONCE:
        with np.errstate(divide="ignore", invalid="ignore"):
            return _AT_ONCE[name](both)
    function = COEFFICIENTS[name].function
    ranked = name != "pearson"
    x, y = (-both.x.higher, -both.y.higher) if ranked else heights
    return np.array([function(*pair) for pair in zip(x, y, strict=True)], dtype=np.float64)


def _tau_a(both: Both) -> Floats:
    return np.asarray(both.balance / np.float64(both.all))


def _tau_b(both: Both) -> Floats:
    product = (both.all - both.x.tied_pairs) * (both.all - both.y.tied_pairs)
    return np.asarray(both.balance / np.sqrt(product))


def _tau_c(both: Both) -> Floats:
    fewest = np.minimum(both.x.groups, both.y.groups)
    return np.asarray(2 * fewest * both.balance / (len(both.x) ** 2 * (fewest - 1)))


def _gamma(both: Both) -> Floats:
    return np.asarray(both.balance / (both.concordant + both.discordant))


def _spearman(both: Both) -> Floats:
    x, y = ((2 * one.higher + one.tied - len(one)).astype(np.float64) for one in (both.x, both.y))
    cosine = (x * y).sum(axis=1) / np.sqrt((x * x).sum(axis=1) * (y * y).sum(axis=1))
    return np.asarray(np.clip(cosine, -1.0, 1.0))


def _tau_ap(both: Both) -> Floats:
    return np.where(both.y.tied_pairs == 0, _tau_ap_a(both), np.nan)


def _tau_ap_a(both: Both) -> Floats:
    """Precision at each rank of y, expected over the orders of ties."""
    y, place = both.y, np.arange(len(both.y))
    size = y.end - y.begin + 1
    right = _per_group(y, both.above) / size + (place - y.begin) / 2
    values = _scaled(right[:, 1:] / place[1:], np.full(len(right), len(y) - 1))
    return np.where(both.x.tied_pairs == 0, values, np.nan)


def _tau_ap_b(both: Both) -> Floats:
    """The mean of two directions, each with the systems above a group of ties in the place of those above a rank."""
    sides = []
    for one in (both.x, both.y):
        lower = (one.end == np.arange(len(one))) & (one.begin > 0)  # the last place of a group stands for it
        shares = np.divide(_per_group(one, both.above), one.begin, out=np.zeros(lower.shape), where=lower)
        sides.append(_scaled(shares, len(one) - one.end[:, 0] - 1))
    return np.where(np.minimum(both.x.groups, both.y.groups) > 1, (sides[0] + sides[1]) / 2, np.nan)


def _per_group(ranking: Levels, counts: Integers) -> Floats:
    """[B, S], place by place: the sum of counts over the group of ties that is there."""
    sums = np.zeros((counts.shape[0], counts.shape[1] + 1))
    np.cumsum(np.take_along_axis(counts, ranking.order, axis=1), axis=1, out=sums[:, 1:])
    upper, lower = (np.take_along_axis(sums, places, axis=1) for places in (ranking.end + 1, ranking.begin))
    return np.asarray(upper - lower)


def _scaled(shares: Floats, counts: Integers) -> Floats:
    """Sums of `counts` shares of 0 to 1 each, made means and stretched to -1 to 1."""
    sums = np.array([math.fsum(row) for row in shares.tolist()])
    return np.asarray(2 * sums / counts - 1)


_AT_ONCE: Final[Mapping[str, Callable[[Both], Floats]]] = MappingProxyType(
    {
        "tau-a": _tau_a,
        "tau-b": _tau_b,
        "tau-c": _tau_c,
        "gamma": _gamma,
        "spearman": _spearman,
        "tau-ap": _tau_ap,
        "tau-ap-a": _tau_ap_a,
        "tau-ap-b": _tau_ap_b,
    }
)
"""those that are computed for all samples at once; the others go sample by sample"""


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
        levels = [Levels.of(one) for one in heights]
        found = np.empty((len(pairs) * len(methods), len(counts)))
        for place, (x, y) in enumerate(pairs):
            both = Both(levels[x], levels[y])
            for number, name in enumerate(methods):
                values = coefficient(name, both, (heights[x], heights[y]))
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
