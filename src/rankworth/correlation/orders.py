"""Two orders of the same systems: coefficients with intervals and p values, and the pairs that change places."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final, Literal, NamedTuple

import numpy as np

from rankworth.comparison import Comparison, ScoreTable
from rankworth.comparison.systems import Better
from rankworth.correlation.methods import Method
from rankworth.errors import UsageError
from rankworth.stats.rank_correlation import COEFFICIENTS, Orders, Pair
from rankworth.stats.resampling import over_samples
from rankworth.stats.samples import CELLS, Bools, Floats
from rankworth.tables.look import p_value

Significant = Literal["both", "one", "none"]
_WORDS: Final[tuple[Significant, ...]] = ("none", "one", "both")
_FEW_SYSTEMS: Final = 10
"""fewer systems than that show little"""


@dataclass(frozen=True, eq=False)
class SystemMeans:
    """The means of systems by a measure, which put them into an order.

    Attributes:
        measure: what tables call the measure.
        judge: whose judgements it is taken with, where there are two judges; empty otherwise.
        systems: the names.
        values: `[S, Q]`, NaN where there is none.
        means: `[S]`, as an evaluation has them.
        weights: `[Q]`, what each query counts; None where all count alike.
        better: which end of the scale is better.
        signature: how they came about.

    """

    measure: str
    judge: str
    systems: tuple[str, ...]
    values: Floats
    means: Floats
    weights: Floats | None
    better: Better
    signature: str

    @property
    def name(self) -> str:
        """What tells it from others: the judge where there are two, otherwise the measure."""
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

    def only(self, systems: Sequence[int]) -> "SystemMeans":
        """Only some of the systems, by number."""
        rows = np.array(systems, dtype=np.intp)
        names = tuple(self.systems[row] for row in systems)
        return replace(self, systems=names, values=self.values[rows], means=self.means[rows])


class Swap(NamedTuple):
    """Two systems of which one is better by x, and the other by y."""

    first: str
    """better by x"""
    second: str
    """better by y"""
    x_difference: float
    """the mean of the second by x, less that of the first"""
    y_difference: float
    """the mean of the second by y, less that of the first"""
    x_p: float
    """of the difference by x, corrected as `rankworth.compare` of all pairs corrects it"""
    y_p: float
    """of the difference by y"""
    significant: Significant
    """of which orders the p value is below 1 - level: `both`, which is a contradiction, `one` or `none`"""


class Estimate(NamedTuple):
    """A coefficient of correlation."""

    value: float
    low: float
    """the lower end of its interval; NaN where there is none"""
    high: float
    p: float
    """two-sided, over systems; NaN where the coefficient has none"""


@dataclass(frozen=True)
class Correlated:
    """Two orders of the same systems.

    Attributes:
        x: what the first order is by, the reference where a coefficient has one: a measure, or a judge.
        y: what the second order is by.
        measure: the measure that both judges are looked at by; empty where x and y are measures.
        coefficients: by name, in the order that was asked for.
        concordant: how many pairs of systems are in the same order.
        tied: how many have equal means by x or by y.
        swaps: the pairs in opposite orders, those first that deserve most attention.

    """

    x: str
    y: str
    measure: str
    coefficients: Mapping[str, Estimate]
    concordant: int
    tied: int
    swaps: tuple[Swap, ...]

    @property
    def value(self) -> float:
        """The value of the first coefficient."""
        return next(iter(self.coefficients.values())).value

    @property
    def swapped(self) -> int:
        """How many pairs of systems are in opposite orders."""
        return len(self.swaps)

    @property
    def significant(self) -> int:
        """How many of these are significant by one order at least."""
        return sum(one.significant != "none" for one in self.swaps)

    @property
    def contradictions(self) -> int:
        """How many of these are significant by both orders."""
        return sum(one.significant == "both" for one in self.swaps)

    @property
    def called(self) -> str:
        """What it is called among others."""
        return self.measure or f"{self.x} and {self.y}"


def means_of(scores: ScoreTable, judge: str = "") -> list[SystemMeans]:
    """The means of systems by each measure."""
    return [
        SystemMeans(
            name,
            judge,
            scores.systems,
            scores.values[:, place],
            scores.means[:, place],
            scores.weights,
            scores.better[name],
            scores.signatures[name],
        )
        for place, name in enumerate(scores.measures)
    ]


def with_means(orders: Sequence[SystemMeans]) -> tuple[list[SystemMeans], list[str]]:
    """The systems that have a mean by all measures, and what is said of the others."""
    void = np.array([~np.isfinite(one.means) for one in orders])
    notes = []
    for place in np.flatnonzero(void.any(axis=0)).tolist():
        titles = [one.title for one, unknown in zip(orders, void[:, place], strict=True) if unknown]
        notes.append(f"{orders[0].systems[place]} is left out: it has no mean by {', '.join(titles)}")
    kept = np.flatnonzero(~void.any(axis=0))
    return [one.only(kept.tolist()) for one in orders], notes


def correlated(
    orders: Sequence[SystemMeans],
    pairs: Sequence[tuple[int, int]],
    comparisons: Sequence[Comparison],
    coefficients: Sequence[Method],
    *,
    level: float,
    resamples: int,
    seed: int,
) -> tuple[list[Correlated], list[str]]:
    """A row for each pair of orders, and what must be said about them.

    Args:
        orders: of the same systems, from values for the same queries.
        pairs: which of them are correlated, by number.
        comparisons: of each order the comparison that it is from.
        coefficients: of correlation.
        level: of intervals and tests.
        resamples: how many samples of queries.
        seed: of these.

    Raises:
        UsageError: `tied-ranking`.

    """
    p = [_p_values(compared, one.measure) for compared, one in zip(comparisons, orders, strict=True)]
    values = [_values(orders[x], orders[y], coefficients) for x, y in pairs]
    enough = orders[0].values.shape[1] > 1 and len(orders[0].systems) > 1
    names = [one.name for one in coefficients]
    samples = sampled(orders, pairs, names, resamples=resamples, seed=seed) if enough else None
    rows, notes = [], []
    for place, (x, y) in enumerate(pairs):
        one, other, found = orders[x], orders[y], {}
        for number, method in enumerate(coefficients):
            value, chance = values[place][number]
            low = high = np.nan
            if samples is not None and not np.isnan(value):
                low, high = bounds(samples[place, number], level)
                if void := int(np.isnan(samples[place, number]).sum()):
                    what = "leaves no interval" if np.isnan(low) else "its interval leaves out"
                    text = f"not defined in {void:,} of {resamples:,} samples, which {what}"
                    notes.append(f"{method.label} of {_called(one, other)}: {text}")
            found[method.name] = Estimate(value, low, high, chance)
        if constant := [each.title for each in (one, other) if each.order.groups[0] < 2]:  # noqa: PLR2004 - one mean is no order
            text = f"all systems have the same mean by {' and by '.join(constant)}, which is no order"
            notes.append(f"{_called(one, other)}: {text}")
        measure = one.measure if one.judge else ""
        rows.append(Correlated(one.name, other.name, measure, found, *swaps_of(one, other, (p[x], p[y]), level)))
    return rows, list(dict.fromkeys(notes))


def _values(x: SystemMeans, y: SystemMeans, coefficients: Sequence[Method]) -> list[tuple[float, float]]:
    """Of each coefficient its value and p.

    Raises:
        UsageError: `tied-ranking`.

    """
    try:
        every = [COEFFICIENTS[one.name] for one in coefficients]
        return [(one.value(x.heights, y.heights), one.p(x.heights, y.heights)) for one in every]
    except UsageError as error:
        raise UsageError(error.slug, f"{_called(x, y)}: {error.problems[0]}", remedy=error.remedy) from None


def _called(x: SystemMeans, y: SystemMeans) -> str:
    return x.measure if x.judge else f"{x.name} and {y.name}"


def _p_values(compared: Comparison, measure: str) -> dict[tuple[str, str], float]:
    """The corrected p values of all pairs of systems by a measure, in either order of a pair."""
    rows = [one for one in compared.differences if one.measure == measure]
    return {pair: one.adjusted for one in rows for pair in ((one.first, one.second), (one.second, one.first))}


def swaps_of(
    x: SystemMeans, y: SystemMeans, p: Sequence[Mapping[tuple[str, str], float]], level: float
) -> tuple[int, int, tuple[Swap, ...]]:
    """How many pairs of systems are in the same order, how many are tied, and those in opposite orders.

    Args:
        x: one order.
        y: the other one, of the same systems.
        p: by names of two systems the p value of their difference by x, and by y.
        level: 1 - level is the chance of a difference called where there is none.

    """
    one, other = np.triu_indices(len(x.systems), 1)
    sides = [np.sign(each.order.higher[0][other] - each.order.higher[0][one]) for each in (x, y)]  # 1: one is better
    product = sides[0] * sides[1]
    swaps = []
    for place in np.flatnonzero(product < 0).tolist():
        pair = int(one[place]), int(other[place])
        first, second = pair if sides[0][place] > 0 else pair[::-1]
        names = x.systems[first], x.systems[second]
        x_p, y_p = (each.get(names, np.nan) for each in p)
        x_apart, y_apart = (float(each.means[second] - each.means[first]) for each in (x, y))
        word = _WORDS[(x_p < 1 - level) + (y_p < 1 - level)]
        swaps.append(Swap(*names, x_apart, y_apart, x_p, y_p, word))
    swaps.sort(key=lambda swap: (-_WORDS.index(swap.significant), _least(swap), -abs(swap.x_difference), swap[:2]))
    return int((product > 0).sum()), int((product == 0).sum()), tuple(swaps)


def _least(swap: Swap) -> float:
    """The p value that decides how much a swap matters: the higher one of two that count, else the lower one."""
    return max(swap.x_p, swap.y_p) if swap.significant == "both" else float(np.fmin(swap.x_p, swap.y_p))


def sampled(
    orders: Sequence[SystemMeans], pairs: Sequence[tuple[int, int]], names: Sequence[str], *, resamples: int, seed: int
) -> Floats:
    """[P, K, B]: K coefficients of each pair of orders in samples of the queries with replacement.

    All orders have the same samples, as their values come from the same queries. NaN where a coefficient is not
    defined.
    """
    sums = [_weighted(one) for one in orders]
    systems, queries = orders[0].values.shape
    step = max(1, CELLS // max(1, systems * len(orders)))

    def some(counts: Floats) -> Floats:
        """[P K, b], for how often each of b samples has each query."""
        heights = [_heights(counts, *each) for each in sums]
        void: list[Bools] = [np.asarray(np.isnan(one).any(axis=1)) for one in heights]
        known = [np.where(rows[:, None], 0.0, one) for one, rows in zip(heights, void, strict=True)]
        ranked = [Orders.of(one, rounded=True) for one in known]
        found = []
        for x, y in pairs:
            pair, undefined = Pair(ranked[x], ranked[y]), void[x] | void[y]
            found += [np.where(undefined, np.nan, COEFFICIENTS[name].of_samples(pair)) for name in names]
        return np.stack(found)

    def compute(counts: Floats) -> Floats:
        return np.concatenate([some(counts[first : first + step]) for first in range(0, len(counts), step)], axis=1)

    found = over_samples(compute, len(pairs) * len(names), queries, resamples, seed)
    return found.reshape(len(pairs), len(names), resamples)


def _weighted(one: SystemMeans) -> tuple[Floats, Floats | None]:
    """`[Q, S]`, weighted values, 0 where there is none, higher ones better; and their weights, None for all alike."""
    there = ~np.isnan(one.values)
    weights = np.ones(one.values.shape[1]) if one.weights is None else one.weights
    values = np.where(there, one.sign * one.values, 0.0) * weights
    return values.T, None if there.all() else (there * weights).T


def _heights(counts: Floats, values: Floats, weights: Floats | None) -> Floats:
    """[b, S]: the means in samples, or as many times these in all systems; NaN where there is none."""
    sums = counts @ values
    if weights is None:
        return np.asarray(sums)
    whole = counts @ weights
    return np.asarray(np.divide(sums, whole, out=np.full(sums.shape, np.nan), where=whole > 0))


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


def warnings_of(
    rows: Sequence[Correlated],
    systems: int,
    methods: Sequence[Method],
    comparisons: Sequence[Comparison],
    judges: Sequence[str],
) -> Iterator[tuple[str, str]]:
    """Slug and text of all that deserves a second look.

    Args:
        rows: what was found.
        systems: how many there are.
        methods: the coefficients.
        comparisons: what is said of the systems by themselves.
        judges: the names of the judges, one for each comparison; none for measures.

    """
    if systems < _FEW_SYSTEMS:
        yield "few-items", _few(rows, systems, methods)
    every = [dict.fromkeys(one.warnings) for one in comparisons]
    for place, found in enumerate(every):
        for slug, text in found:
            if all((slug, text) in other for other in every):
                if place == 0:
                    yield slug, text
            else:
                yield slug, f"{judges[place]}: {text}"


def _few(rows: Sequence[Correlated], systems: int, methods: Sequence[Method]) -> str:
    """The highest coefficient, and how little that is."""
    method = (tested(rows, methods) or methods)[0]
    known = [row for row in rows if not np.isnan(row.coefficients[method.name].value)]
    text = f"{systems} systems"
    if not known:
        return f"{text} are few, and show little"
    row = max(known, key=lambda one: abs(one.coefficients[method.name].value))
    found = row.coefficients[method.name]
    of_which = f" ({row.called})" if len(rows) > 1 else ""
    said = [f"p = {p_value(found.p)}"] if not np.isnan(found.p) else []
    said += [f"the interval {found.low:.4g}..{found.high:.4g}"] if not np.isnan(found.low) else []
    has = f" has {' and '.join(said)}" if said else ""
    even = "even " if len(rows) > 1 else ""
    return f"{text}: {even}{method.label} of {found.value:.4g}{of_which}{has}; so few systems show little"


def tested(rows: Sequence[Correlated], methods: Sequence[Method]) -> list[Method]:
    """The coefficients that have p values."""
    return [one for one in methods if not all(np.isnan(row.coefficients[one.name].p) for row in rows)]
