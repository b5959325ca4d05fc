"""Correlations of systems as sheets: coefficients, swaps that matter, means under two judges."""

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from rankworth import statistics
from rankworth.comparison.differences import PAIRWISE
from rankworth.correlation.methods import Method
from rankworth.correlation.standings.rows import Correlated
from rankworth.errors import counted
from rankworth.profiles import in_one_line
from rankworth.render import p_value, signed
from rankworth.sheet import Column, Sheet

if TYPE_CHECKING:
    from rankworth.comparison import Comparison
    from rankworth.correlation.standings.result import SystemCorrelation
    from rankworth.correlation.standings.swaps import Swap

_SWAPS: Final = 15
"""how many swaps are shown"""


def sheets(told: "SystemCorrelation") -> Iterator[Sheet]:
    """What there is to see."""
    yield _coefficients(told)
    matter = [(one, swap) for one in told.rows for swap in one.swaps if swap.significant != "none"]
    if matter:
        matter.sort(key=lambda found: found[1].significant != "both")
        yield _swaps(told, matter)
    if told.judges:
        yield _means(told)
    if told.agreement is not None:
        yield from told.agreement.sheets()


def tested(told: "Comparison") -> str:
    """How differences of systems were tested."""
    plan, test = told.plan, told.told
    draws = f" ({test.resamples:,} resamples, seed {plan.seed})" if test.resamples else ""
    if plan.correction == "none":
        over = "p for all pairs of systems by one measure" if plan.test in PAIRWISE else "p not corrected"
    else:
        name = statistics.CORRECTIONS[plan.correction].name
        over = f"corrected by {name} over {len(told.differences):,} comparisons"
    return f"{test.title}{draws}, {over}"


def alpha(level: float) -> str:
    """Below what p values differences are told."""
    return f"p < {1 - level:.3g}"


def _coefficients(told: "SystemCorrelation") -> Sheet:
    """One row for each pair of measures, or for each measure of two judges."""
    rows = told.rows
    columns = _names(told, list(rows))
    tested_by = next((one for one in told.methods if _has_p(rows, one)), None)
    for method in told.methods:
        found = [row.coefficients[method.name] for row in rows]
        bounds = [(one.low, one.high) for one in found]
        columns.append(Column(method.label, "value", [one.value for one in found], bounds=bounds))
        if method is tested_by:
            columns.append(Column("p", "number", [p_value(one.p) for one in found]))
    columns += [
        Column("swapped", "count", [one.swapped for one in rows]),
        Column("significant", "count", [one.significant for one in rows]),
        Column("both ways", "count", [one.contradictions for one in rows]),
    ]
    pairs = len(told.systems) * (len(told.systems) - 1) // 2
    title = f"{len(told.systems):,} systems over {counted(len(told.queries))}"
    if told.judges:
        title = f"{told.judges[0]} (x) and {told.judges[1]} (y): {title}"
    chance = f"; p: that of {tested_by.label}, for systems in random order" if tested_by else ""
    drawn = f"percentile bootstrap over queries, {told.resamples:,} resamples, seed {told.seed}"
    swapped = f"swapped: of {pairs:,} pairs of systems, those in opposite orders{_tied(told)}"
    notes = (
        *told.notes,
        *_reference(told),
        f"{100 * told.level:g} % intervals ({drawn}), of these very systems{chance}",
        f"{swapped}; significant: {alpha(told.level)} by x or by y, both ways: by both",
        tested(told.comparisons[0]),
    )
    warnings = tuple(f"{text}   [{slug}]" for slug, text in told.warnings)
    methods = " ".join(one.label for one in told.methods)
    line = f"{methods}|{in_one_line(one.signature for one in told.views)}|seed:{told.seed}"
    return Sheet(tuple(columns), notes, line, warnings, title)


def _has_p(rows: Sequence[Correlated], method: Method) -> bool:
    """Whether a coefficient has p values."""
    return not all(math.isnan(row.coefficients[method.name].p) for row in rows)


def _names(told: "SystemCorrelation", rows: list[Correlated]) -> list[Column]:
    """The columns that say what a row is about."""
    if told.judges:
        return [Column("measure", "text", [one.measure for one in rows])]
    return [Column("x", "text", [one.x for one in rows]), Column("y", "text", [one.y for one in rows])]


def _reference(told: "SystemCorrelation") -> Iterator[str]:
    one_sided = [one.label for one in told.methods if not one.symmetric]
    if one_sided:
        yield f"{', '.join(one_sided)}: {told.judges[0] if told.judges else 'x'} is the reference"


def _tied(told: "SystemCorrelation") -> str:
    """How many pairs are neither in the same nor in opposite orders."""
    tied = [one.tied for one in told.rows]
    if not any(tied):
        return ""
    return f" (tied {tied[0]:,})" if len(tied) == 1 else f" (tied {min(tied):,} to {max(tied):,})"


def _swaps(told: "SystemCorrelation", matter: "list[tuple[Correlated, Swap]]") -> Sheet:
    """The swaps of which one order at least is significant."""
    shown = matter[:_SWAPS]
    x, y = (told.rows[0].x, told.rows[0].y) if len({(one.x, one.y) for one in told.rows}) == 1 else ("x", "y")
    swaps = [swap for _, swap in shown]
    columns = [
        *(_names(told, [one for one, _ in shown]) if len(told.rows) > 1 else ()),
        Column(f"better by {x}", "text", [swap.first for swap in swaps]),
        Column(f"better by {y}", "text", [swap.second for swap in swaps]),
        Column(x, "number", [signed(swap.x_difference) for swap in swaps]),
        Column(f"p {x}", "number", [p_value(swap.x_p) for swap in swaps]),
        Column(y, "number", [signed(swap.y_difference) for swap in swaps]),
        Column(f"p {y}", "number", [p_value(swap.y_p) for swap in swaps]),
        Column("significant", "text", [_which(told, swap, x, y) for swap in swaps]),
    ]
    more = len(matter) - len(shown)
    rest = sum(one.swapped for one in told.rows) - len(matter)
    notes = [f"{x}, {y}: the mean of the second system less that of the first"]
    if more > 0:
        notes.append(f"{more:,} more swaps are significant: to_frame(of='swaps')")
    if rest:
        notes.append(f"{rest:,} other swap{'' if rest == 1 else 's'}: neither order is significant")
    return Sheet(
        tuple(columns), tuple(notes), title="pairs of systems that change places, where an order is significant"
    )


def _which(told: "SystemCorrelation", swap: "Swap", x: str, y: str) -> str:
    """By which view a swap is significant."""
    if swap.significant == "both":
        return "both ways"
    return f"by {x}" if swap.x_p < 1 - told.level else f"by {y}"


def _means(told: "SystemCorrelation") -> Sheet:
    """Each system's mean under both judges, in the order of the first one."""
    half = len(told.views) // 2
    first, second = told.judges
    rows = []
    for x, y in zip(told.views[:half], told.views[half:], strict=True):
        for place in x.levels.order[0].tolist():
            means = float(x.means[place]), float(y.means[place])
            rows.append((x.measure, x.systems[place], *means, x.ranks[place], y.ranks[place]))
    cells = [list(column) for column in zip(*rows, strict=True)] or [[] for _ in range(6)]
    apart = [y - x for x, y in zip(cells[2], cells[3], strict=True)]
    columns = [
        Column("measure", "text", cells[0]),
        Column("system", "text", cells[1]),
        Column(first, "value", cells[2]),
        Column(second, "value", cells[3]),
        Column("difference", "number", [signed(one) for one in apart]),
        Column(f"rank {first}", "count", cells[4]),
        Column(f"rank {second}", "count", cells[5]),
    ]
    title = f"means by {told.measures[0]}" if half == 1 else "means"
    return Sheet(tuple(columns[half == 1 :]), (f"difference: {second} - {first}",), title=title)
