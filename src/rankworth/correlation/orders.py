"""Two orders of the same systems: coefficients with intervals and p values, and the pairs that change places."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

import numpy as np

from rankworth import comparison
from rankworth.comparison import Comparison
from rankworth.comparison.comparing import FEW as SHUFFLES
from rankworth.comparison.differences import PAIRWISE
from rankworth.correlation.methods import Method
from rankworth.errors import UsageError, quoted
from rankworth.measures import Measure
from rankworth.measures.core import Better
from rankworth.profiles import Profile, ReadSettings
from rankworth.stats.rank_correlation import COEFFICIENTS, Orders, Pair
from rankworth.stats.resampling import over_samples
from rankworth.stats.samples import Floats
from rankworth.tables.look import p_value

if TYPE_CHECKING:
    from rankworth.io.source import Progress

TEST: Final = "randomized-tukey"
Significant = Literal["both", "one", "none"]
_WORDS: Final[tuple[Significant, ...]] = ("none", "one", "both")
_NOT_HERE: Final = ("all_pairs", "baseline", "by", "effect", "interval", "margin")
"""options of a comparison that have no meaning here"""
_FEW_SYSTEMS: Final = 10
"""fewer systems than that show little"""


class CompareOptions(ReadSettings, total=False):
    """What systems are measured and compared by, as for `rankworth.compare`."""

    correction: str | None
    table: object
    queries: Iterable[object] | None
    rel: float | None
    profile: str | Profile
    accept_new_qrels: bool
    progress: "Progress | None"


def compare_all(
    qrels: object,
    runs: Mapping[str, object] | Sequence[object],
    measures: Iterable[str | Measure] | None,
    *,
    test: str,
    resamples: int | None,
    **options: Any,  # noqa: ANN401 - of `compare`
) -> Comparison:
    """Compare all pairs of systems.

    Raises:
        InputError, MeasureError, UsageError: as `compare`; `unknown-setting`.

    """
    if unsupported := [name for name in options if name in _NOT_HERE]:
        raise UsageError("unknown-setting", f"{quoted(unsupported)}: no setting of a correlation of systems")
    if resamples is None and test in PAIRWISE:
        resamples = SHUFFLES
    options |= {"interval": "t", "test": test, "resamples": resamples}
    return comparison.compare(qrels, runs, measures, all_pairs=True, **options)


def plan_record(compared: Comparison) -> dict[str, Any]:
    """Return how systems were compared, for JSON."""
    plan = {name: getattr(compared.plan, name) for name in ("test", "correction", "level", "seed")}
    return {"queries": len(compared.scores.queries), **plan}


def significance_note(compared: Comparison) -> str:
    """Say how differences of systems were tested, and from which p value on they are significant."""
    return f"significant: p < {1 - compared.plan.level:.3g}; {compared.tested}"


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
        p: by the names of two systems the corrected p value of their difference.

    """

    measure: str
    judge: str
    systems: tuple[str, ...]
    values: Floats
    means: Floats
    weights: Floats | None
    better: Better
    signature: str
    p: Mapping[tuple[str, str], float]

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
        """1 if higher values are better, -1 if lower values are."""
        return 1.0 if self.better == "higher" else -1.0

    @cached_property
    def order(self) -> Orders:
        """The order of the systems by their means: one sample."""
        return Orders.of(self.sign * self.means[None], rounded=True)

    @cached_property
    def heights(self) -> Floats:
        """`[S]`: the means, higher ones better, those that rounding alone tells apart made equal."""
        return np.asarray(self.sign * self.means[self.order.order[0][self.order.higher[0]]])

    @property
    def ranks(self) -> list[int]:
        """`[S]`, from 1; systems of equal means share the first rank of theirs."""
        return [int(higher) + 1 for higher in self.order.higher[0]]

    def only(self, systems: list[int]) -> "SystemMeans":
        """Keep only the given systems, by number."""
        names = tuple(self.systems[row] for row in systems)
        return replace(self, systems=names, values=self.values[systems], means=self.means[systems])


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
        coefficients: by name, in the order of the methods.
        concordant: how many pairs of systems are in the same order.
        tied: how many have equal means by x or by y.
        swaps: the pairs in opposite orders, those first that deserve most attention.

    """

    x: str
    y: str
    measure: str
    coefficients: dict[str, Estimate]
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
        return sum(swap.significant != "none" for swap in self.swaps)

    @property
    def contradictions(self) -> int:
        """How many of these are significant by both orders."""
        return sum(swap.significant == "both" for swap in self.swaps)

    @property
    def called(self) -> str:
        """What it is called among others."""
        return self.measure or f"{self.x} and {self.y}"


def means_of(compared: Comparison, judge: str = "") -> list[SystemMeans]:
    """Take the means of systems by each measure out of a comparison of all pairs."""
    orders, scores = [], compared.scores
    for column, name in enumerate(scores.measures):
        numbers = scores.values[:, column], scores.means[:, column], scores.weights
        how = scores.better[name], scores.signatures[name]
        p = {(row.first, row.second): row.adjusted for row in compared.differences if row.measure == name}
        orders.append(SystemMeans(name, judge, scores.systems, *numbers, *how, p))
    return orders


def with_means(orders: Sequence[SystemMeans]) -> tuple[list[SystemMeans], list[str]]:
    """Keep the systems with a mean by all measures, and note the systems left out."""
    # [K, S] for K orders: whether a system has no mean
    undefined = np.array([~np.isfinite(order.means) for order in orders])
    notes = []
    for column in np.flatnonzero(undefined.any(axis=0)).tolist():
        titles = [order.title for order, unknown in zip(orders, undefined[:, column], strict=True) if unknown]
        notes.append(f"{orders[0].systems[column]} is left out: it has no mean by {', '.join(titles)}")
    complete = np.flatnonzero(~undefined.any(axis=0)).tolist()
    return [order.only(complete) for order in orders], notes


def correlated(
    orders: Sequence[SystemMeans],
    pairs: Sequence[tuple[int, int]],
    coefficients: Sequence[Method],
    *,
    level: float,
    resamples: int,
    seed: int,
) -> tuple[list[Correlated], list[str]]:
    """Correlate each pair of orders, and note what must be said about them.

    Args:
        orders: of the same systems, from values for the same queries.
        pairs: which of them are correlated, by number.
        coefficients: of correlation.
        level: of intervals and tests.
        resamples: how many samples of queries.
        seed: of these.

    Raises:
        UsageError: `tied-ranking`.

    """
    names, rows, notes = [method.name for method in coefficients], [], []
    samples: Floats = np.empty((len(pairs), len(names), 0))
    if min(orders[0].values.shape) > 1:  # systems, and queries
        samples = sampled(orders, pairs, names, resamples=resamples, seed=seed)
    for (x, y), draws in zip(pairs, samples, strict=True):
        first, second = orders[x], orders[y]
        measure = first.measure if first.judge else ""
        row = Correlated(first.name, second.name, measure, {}, *swaps_of(first, second, level))
        for method, sample in zip(coefficients, draws, strict=True):
            value, chance = _value(method, row, first, second)
            low, high = (np.nan, np.nan) if np.isnan(value) else bounds(sample, level)
            undefined = 0 if np.isnan(value) else int(np.isnan(sample).sum())
            row.coefficients[method.name] = Estimate(value, low, high, chance)
            if undefined:
                effect = "leaves no interval" if np.isnan(low) else "its interval leaves out"
                text = f"not defined in {undefined:,} of {resamples:,} samples, which {effect}"
                notes.append(f"{method.label} of {row.called}: {text}")
        if constant := [order.title for order in (first, second) if order.order.groups[0] < 2]:  # noqa: PLR2004 - one mean is no order
            text = f"all systems have the same mean by {' and by '.join(constant)}, which is no order"
            notes.append(f"{row.called}: {text}")
        rows.append(row)
    return rows, list(dict.fromkeys(notes))


def _value(method: Method, row: Correlated, x: SystemMeans, y: SystemMeans) -> tuple[float, float]:
    """Compute a coefficient and its p value.

    Raises:
        UsageError: `tied-ranking`.

    """
    coefficient = COEFFICIENTS[method.name]
    try:
        return coefficient.value(x.heights, y.heights), coefficient.p(x.heights, y.heights)
    except UsageError as error:
        raise UsageError(error.slug, f"{row.called}: {error.problems[0]}", remedy=error.remedy) from None


def swaps_of(x: SystemMeans, y: SystemMeans, level: float) -> tuple[int, int, tuple[Swap, ...]]:
    """Count the pairs of systems in the same order and the tied ones, and list those in opposite orders.

    Args:
        x: one order.
        y: the other one, of the same systems.
        level: 1 - level is the chance of a difference called where there is none.

    """
    left, right = np.triu_indices(len(x.systems), 1)  # [P] each: both systems of each pair
    higher = (each.order.higher[0] for each in (x, y))
    sides = [np.sign(above[right] - above[left]) for above in higher]  # 1: the left one is better
    product = sides[0] * sides[1]  # [P]: below 0 for opposite orders
    swaps = []
    for index in np.flatnonzero(product < 0).tolist():
        pair = int(left[index]), int(right[index])
        first, second = pair if sides[0][index] > 0 else pair[::-1]
        names = x.systems[first], x.systems[second]
        x_p, y_p = (each.p.get(names, each.p.get(names[::-1], np.nan)) for each in (x, y))
        x_apart, y_apart = (float(each.means[second] - each.means[first]) for each in (x, y))
        word = _WORDS[(x_p < 1 - level) + (y_p < 1 - level)]
        swaps.append(Swap(*names, x_apart, y_apart, x_p, y_p, word))
    swaps.sort(key=lambda swap: (-_WORDS.index(swap.significant), _least(swap), -abs(swap.x_difference), swap[:2]))
    return int((product > 0).sum()), int((product == 0).sum()), tuple(swaps)


def _least(swap: Swap) -> float:
    """Return the p value that decides how much a swap matters: the higher one of two that count, else the lower one."""
    return max(swap.x_p, swap.y_p) if swap.significant == "both" else float(np.fmin(swap.x_p, swap.y_p))


def sampled(
    orders: Sequence[SystemMeans], pairs: Sequence[tuple[int, int]], names: Sequence[str], *, resamples: int, seed: int
) -> Floats:
    """Compute [P, K, B]: K coefficients of each pair of orders in samples of the queries with replacement.

    All orders have the same samples, as their values come from the same queries. NaN where a coefficient is not
    defined.
    """
    sums = [_weighted(order) for order in orders]
    systems, queries = orders[0].values.shape

    def compute(counts: Floats) -> Floats:
        """Compute [P K, b], for how often each of b samples has each query."""
        heights = [_heights(counts, *each) for each in sums]  # [b, S] for each order
        ranked = [Orders.of(np.nan_to_num(means), rounded=True) for means in heights]
        rows = []
        for x, y in pairs:
            # undefined: [b]
            pair, undefined = Pair(ranked[x], ranked[y]), np.isnan(heights[x] + heights[y]).any(axis=1)
            rows += [np.where(undefined, np.nan, COEFFICIENTS[name].of_samples(pair)) for name in names]
        return np.stack(rows)

    size = len(pairs) * len(names)
    samples = over_samples(compute, size, queries, resamples, seed, width=systems * len(orders))
    return samples.reshape(len(pairs), len(names), resamples)


def _weighted(order: SystemMeans) -> tuple[Floats, Floats | None]:
    """Return `[Q, S]`, weighted values, 0 where there is none, higher ones better; and weights, None for equal ones."""
    has_value = ~np.isnan(order.values)
    weights = np.ones(order.values.shape[1]) if order.weights is None else order.weights
    values = np.where(has_value, order.sign * order.values, 0.0) * weights
    return values.T, None if has_value.all() else (has_value * weights).T


def _heights(counts: Floats, values: Floats, weights: Floats | None) -> Floats:
    """Compute [b, S]: the means in samples, or as many times these in all systems; NaN where there is none."""
    sums = counts @ values  # [b, S], from counts [b, Q]
    total = np.ones(sums.shape) if weights is None else counts @ weights
    return np.asarray(np.divide(sums, total, out=np.full(sums.shape, np.nan), where=total > 0))


def bounds(samples: Floats, level: float) -> tuple[float, float]:
    """Compute the percentile interval; NaN where more samples than 1 - level have no number.

    Args:
        samples: [B], NaN where a coefficient is not defined.
        level: the confidence level.

    Source: Efron and Tibshirani (1993), An introduction to the bootstrap, chapter 13,
    https://doi.org/10.1201/9780429246593

    >>> bounds(np.arange(101.0), 0.5)
    (25.0, 75.0)
    """
    defined = samples[~np.isnan(samples)]
    if not defined.size or samples.size - defined.size > (1 - level) * samples.size:
        return float("nan"), float("nan")
    low, high = np.quantile(defined, [(1 - level) / 2, (1 + level) / 2]).tolist()
    return low, high


def warnings_of(
    rows: Sequence[Correlated],
    systems: int,
    methods: Sequence[Method],
    comparisons: Sequence[Comparison],
    judges: Sequence[str],
) -> Iterator[tuple[str, str]]:
    """Yield slug and text of all that deserves a second look.

    Args:
        rows: the correlations.
        systems: how many there are.
        methods: the coefficients.
        comparisons: of the systems, whose warnings are taken over.
        judges: the names of the judges, one for each comparison; none for measures.

    """
    if systems < _FEW_SYSTEMS:
        yield "few-items", _few(rows, systems, methods)
    every = [list(dict.fromkeys(compared.warnings)) for compared in comparisons]
    shared = [warning for warning in every[0] if all(warning in other for other in every)]
    for judge, warnings in zip(judges or [""], every, strict=True):
        for slug, text in warnings:
            if (slug, text) not in shared:
                yield slug, f"{judge}: {text}"
            elif warnings is every[0]:
                yield slug, text


def _few(rows: Sequence[Correlated], systems: int, methods: Sequence[Method]) -> str:
    """Say how little the highest coefficient shows with so few items."""
    method = (with_p(rows, methods) or methods)[0]
    values = {row.called: row.coefficients[method.name] for row in rows}
    defined = {called: estimate for called, estimate in values.items() if not np.isnan(estimate.value)}
    if not defined:
        return f"{systems} systems are few, and show little"
    called, most = max(defined.items(), key=lambda item: abs(item[1].value))
    facts = {f"p = {p_value(most.p)}": most.p, f"the interval {most.low:.4g}..{most.high:.4g}": most.low}
    has = " and ".join(text for text, number in facts.items() if not np.isnan(number))
    text = f"even {method.label} of {most.value:.4g} ({called}){f' has {has}' if has else ''}"
    return f"{systems} systems: {text}; so few systems show little: add systems, or report p"


def with_p(rows: Sequence[Correlated], methods: Sequence[Method]) -> list[Method]:
    """Return the coefficients that have p values."""
    return [method for method in methods if not all(np.isnan(row.coefficients[method.name].p) for row in rows)]
