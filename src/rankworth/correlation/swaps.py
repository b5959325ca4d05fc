"""Two orders of the same systems: coefficients with intervals and p values, and the pairs that change places."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from rankworth.comparison import Comparison, ScoreTable
from rankworth.correlation.methods import Method
from rankworth.correlation.orders import View, bounds, sampled
from rankworth.correlation.systems_result import Correlated, Estimate, Significant, Swap
from rankworth.errors import UsageError
from rankworth.stats.rank_correlation import COEFFICIENTS
from rankworth.tables.look import p_value

_ORDER: Final[Mapping[Significant, int]] = {"both": 0, "one": 1, "none": 2}
_FEW_SYSTEMS: Final = 10
"""fewer systems than that show little"""


def views(board: ScoreTable, judge: str = "") -> list[View]:
    """A view for each measure of a board."""
    return [
        View(
            measure=name,
            judge=judge,
            systems=board.systems,
            values=board.values[:, place],
            means=board.means[:, place],
            weights=board.weights,
            better=board.better[name],
            kind=board.kinds[name],
            signature=board.signatures[name],
        )
        for place, name in enumerate(board.measures)
    ]


def with_means(found: Sequence[View]) -> tuple[list[View], list[str]]:
    """The views with the systems that all of them have a mean of, and what is said of the others."""
    known = [np.isfinite(one.means) for one in found]
    kept = np.flatnonzero(np.logical_and.reduce(known)).tolist()
    return [one.only(kept) for one in found], list(_missing(found))


def _missing(found: Sequence[View]) -> Iterator[str]:
    for place, system in enumerate(found[0].systems):
        void = [one.title for one in found if not np.isfinite(one.means[place])]
        if void:
            yield f"{system} is left out: it has no mean by {', '.join(void)}"


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
        if constant := [view.title for view in (one, other) if view.order.groups[0] < 2]:  # noqa: PLR2004 - one mean is no order
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
            value = one.value(x.heights, y.heights)
        except UsageError as error:
            raise UsageError(error.slug, f"{_called(x, y)}: {error.problems[0]}", remedy=error.remedy) from None
        found.append((value, one.p(x.heights, y.heights)))
    return found


def _called(x: View, y: View) -> str:
    return x.measure if x.judge else f"{x.name} and {y.name}"


@dataclass(frozen=True)
class Orders:
    """What the pairs of systems are in two views.

    Attributes:
        concordant: pairs in the same order.
        tied: pairs of equal means by one view or by both.
        swaps: pairs in opposite orders, those first that deserve most attention.

    """

    concordant: int
    tied: int
    swaps: tuple[Swap, ...]


def p_values(comparison: Comparison, measure: str) -> dict[tuple[str, str], float]:
    """The corrected p values of all pairs of systems by a measure, in either order of a pair."""
    found = {}
    for one in comparison.differences:
        if one.measure == measure:
            found[one.first, one.second] = found[one.second, one.first] = one.adjusted
    return found


def orders(
    x: View, y: View, p: tuple[Mapping[tuple[str, str], float], Mapping[tuple[str, str], float]], level: float
) -> Orders:
    """Compare the orders of two views, pair by pair.

    Args:
        x: one view.
        y: the other one, of the same systems.
        p: by names of two systems the p value of their difference by x, and by y.
        level: 1 - level is the chance of a difference called where there is none.

    """
    one, other = np.triu_indices(len(x.systems), 1)
    above = [view.order.higher[0] for view in (x, y)]
    sides = [np.sign(higher[other] - higher[one]) for higher in above]  # above 0 where the one is better
    product = sides[0] * sides[1]
    swaps = []
    for place in np.flatnonzero(product < 0).tolist():
        a, b = int(one[place]), int(other[place])
        first, second = (a, b) if sides[0][place] > 0 else (b, a)
        names = x.systems[first], x.systems[second]
        x_p, y_p = p[0].get(names, np.nan), p[1].get(names, np.nan)
        count = (x_p < 1 - level) + (y_p < 1 - level)
        words: tuple[Significant, ...] = ("none", "one", "both")
        x_apart, y_apart = (float(view.means[second] - view.means[first]) for view in (x, y))
        swaps.append(Swap(*names, x_apart, y_apart, x_p, y_p, words[count]))
    swaps.sort(key=lambda swap: (_ORDER[swap.significant], _least(swap), -abs(swap.x_difference), swap[:2]))
    return Orders(int((product > 0).sum()), int((product == 0).sum()), tuple(swaps))


def _least(swap: Swap) -> float:
    """The p value that decides how much a swap matters: the higher one of two that count, else the lower one."""
    return max(swap.x_p, swap.y_p) if swap.significant == "both" else float(np.fmin(swap.x_p, swap.y_p))


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
    every = [dict.fromkeys(told.warnings) for told in comparisons]
    for place, found in enumerate(every):
        for slug, text in found:
            if all((slug, text) in other for other in every):
                if place == 0:
                    yield slug, text
            else:
                yield slug, f"{judges[place]}: {text}"


def _few(rows: Sequence[Correlated], systems: int, methods: Sequence[Method]) -> str:
    """The highest coefficient, and how little that is."""
    tested = [one for one in methods if not all(np.isnan(row.coefficients[one.name].p) for row in rows)]
    method = (tested or methods)[0]
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
