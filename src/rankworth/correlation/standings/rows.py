"""Two views correlated: coefficients with intervals and p values, and the pairs of systems that change places."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rankworth.comparison import Comparison
from rankworth.correlation.coefficients import COEFFICIENTS
from rankworth.correlation.methods import Method
from rankworth.correlation.standings.resampling import bounds, sampled
from rankworth.correlation.standings.swaps import Swap, orders, p_values
from rankworth.correlation.standings.views import View
from rankworth.errors import UsageError


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
    """What two views make of the same systems.

    Attributes:
        x: the first view, the reference where a coefficient has one: a measure, or a judge.
        y: the second view.
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
        """How many of these are significant by one view at least."""
        return sum(one.significant != "none" for one in self.swaps)

    @property
    def contradictions(self) -> int:
        """How many of these are significant by both views."""
        return sum(one.significant == "both" for one in self.swaps)

    @property
    def called(self) -> str:
        """What it is called among others."""
        return self.measure or f"{self.x} and {self.y}"


def correlated(
    views: Sequence[View],
    pairs: Sequence[tuple[int, int]],
    comparisons: Sequence[Comparison],
    methods: Sequence[Method],
    *,
    level: float,
    resamples: int,
    seed: int,
) -> tuple[list[Correlated], list[str]]:
    """A row for each pair of views, and what must be said about them.

    Args:
        views: of the same systems and queries.
        pairs: which of them are correlated, by number.
        comparisons: of each view the comparison that it is from.
        methods: the coefficients.
        level: of intervals and tests.
        resamples: how many samples of queries.
        seed: of these.

    Raises:
        UsageError: `tied-ranking`.

    """
    names = [one.name for one in methods]
    p = [p_values(told, view.measure) for view, told in zip(views, comparisons, strict=True)]
    values = [_values(views[x], views[y], names) for x, y in pairs]
    several = views[0].values.shape[1] > 1 and len(views[0].systems) > 1
    samples = sampled(views, pairs, names, resamples=resamples, seed=seed) if several else None
    rows, notes = [], []
    for place, (x, y) in enumerate(pairs):
        one, other = views[x], views[y]
        found = {}
        for number, method in enumerate(methods):
            value, chance = values[place][number]
            low = high = np.nan
            if samples is not None and not np.isnan(value):
                drawn = samples[place, number]
                low, high = bounds(drawn, level)
                if void := int(np.isnan(drawn).sum()):
                    text = f"{method.label} of {_called(one, other)}: not defined in {void:,} of {resamples:,} samples"
                    notes.append(f"{text}, which {'its interval leaves out' if low == low else 'leaves no interval'}")  # noqa: PLR0124 - NaN test
            found[method.name] = Estimate(value, low, high, chance)
        if constant := [view.title for view in (one, other) if view.levels.groups[0] < 2]:  # noqa: PLR2004 - one mean is no order
            text = f"{_called(one, other)}: all systems have the same mean by {' and by '.join(constant)}"
            notes.append(f"{text}, which is no order")
        told = orders(one, other, (p[x], p[y]), level)
        measure = one.measure if one.judge else ""
        rows.append(Correlated(one.name, other.name, measure, found, told.concordant, told.tied, told.swaps))
    return rows, list(dict.fromkeys(notes))


def _values(x: View, y: View, names: Sequence[str]) -> list[tuple[float, float]]:
    """Of each coefficient its value and p.

    Raises:
        UsageError: `tied-ranking`.

    """
    found = []
    for name in names:
        one = COEFFICIENTS[name]
        try:
            value = one.function(x.heights, y.heights)
        except UsageError as error:
            raise UsageError(error.slug, f"{_called(x, y)}: {error.problems[0]}", remedy=error.remedy) from None
        tested: Callable[..., float] | None = one.p
        found.append((value, np.nan if tested is None else tested(x.heights, y.heights)))
    return found


def _called(x: View, y: View) -> str:
    return x.measure if x.judge else f"{x.name} and {y.name}"
