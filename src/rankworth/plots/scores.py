"""Charts of values: means as dots, bars and radars, values of queries as a histogram, systems by two measures."""

import math
from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from rankworth.correlation.orders import Correlated, SystemMeans
from rankworth.correlation.systems_result import SystemCorrelation
from rankworth.errors import UsageError, counted
from rankworth.evaluation.values import Values
from rankworth.measures import Fact, Measure
from rankworth.plots import data
from rankworth.plots.canvas import Canvas, Style, canvas
from rankworth.plots.text import label, number, real, span

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

Kind = Literal["dots", "bars", "radar"]


class Mean(NamedTuple):
    """One value of what is shown."""

    name: str
    """of the run or the scenario"""
    measure: str
    value: float | None
    bounds: tuple[float, float] | None
    """of its confidence interval, where there is one"""


_SPOKES: Final = 3
"""how many a radar has at least"""
_LETTERS: Final = 100
"""how many there is room for below it"""
_MARK: Final = 9
"""how many letters a mark is wide"""
_FEW: Final = 50
_BINS: Final = (10, 20)
_NAMED: Final = 16
"""up to how many systems have their names beside them"""
_EDGE: Final = 0.06
"""how much room there is around the means, as a share of what they span"""
_SYSTEM_ROWS: Final = 18
_SWAPS: Final = {"both": "swapped, significant both ways", "one": "swapped, one order significant"}


def scores(values: data.Scored, kind: Kind = "dots", *, interval: bool = True, ax: "Axes | None" = None) -> "Axes":
    """What runs or scenarios are worth, all measures on one scale.

    A radar is there for those who are used to it, and not the default: the area that it shows depends on the order of
    its spokes, and it has no room for intervals, so that a difference that is none looks like one.

    Args:
        values: what `rankworth.evaluate`, `evaluate_runs` or `scenarios` returns.
        kind: dots, bars from 0, or a radar with a spoke for each measure, which needs three of them.
        interval: whether runs have 95% confidence intervals, over queries; a radar shows none.
        ax: where to draw; a new figure where None.

    Returns:
        The Axes. `rankworth.plots.data.scores` gives the numbers.

    Raises:
        InputError: `input-type`.
        UsageError: `missing-library`, `unknown-setting`.

    >>> ax = scores({"late": {"RR": 0.2, "P@5": 0.2}, "early": {"RR": 1.0, "P@5": 0.2}})
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['RR', 'late', 'early', 'P@5', 'late', 'early']
    """
    if kind not in ("dots", "bars", "radar"):
        raise UsageError("unknown-setting", f"kind={kind!r}: scores are shown as dots, bars or radar")
    means = _means(values, interval=interval and kind != "radar")
    names = list(dict.fromkeys(mean.name for mean in means))
    measures = list(dict.fromkeys(mean.measure for mean in means))
    if kind == "radar":
        return _radar(means, names, measures, ax)
    lines = _lines(means, names, measures)
    with canvas(ax, len(lines) + 2, grid="x") as sheet:
        _rows(sheet, lines, names, kind)
        sheet.names(_over(values, certain=any(mean.bounds for mean in means)))
        if means and 1 in (len(names), len(measures)):
            sheet.title(names[0] if len(names) == 1 else measures[0])
        return sheet.ax


def histogram(values: Values, measure: str | Measure | Fact, *, ax: "Axes | None" = None) -> "Axes":
    """How the values of single queries are spread, with their mean.

    Args:
        values: what `rankworth.evaluate` returns.
        measure: which of its measures.
        ax: where to draw; a new figure where None.

    Returns:
        The Axes. `rankworth.plots.data.histogram` gives the numbers.

    Raises:
        UsageError: `not-measured`, `missing-library`.

    >>> from rankworth import evaluate
    >>> ax = histogram(evaluate(labels=[[1, 0], [0, 1], [0, 1]], measures=["RR"]), "RR")
    >>> ax.get_title(loc="left")
    'RR of 3 queries'
    """
    found = [value for value in data.histogram(values, measure)["value"] if math.isfinite(value)]
    place = values._index(measure)  # noqa: SLF001 - a measure by any of its names
    way = values.measures[place].averaging
    middle = sum(found) / len(found) if way == "sum" and found else values[measure]
    name = values.per_query.measures[place]
    void = len(values.per_query) - len(found)
    with canvas(ax, grid="y") as sheet:
        sheet.title(f"{name} of {counted(len(found))}" + (f" ({void:,} more without a value)" if void else ""))
        sheet.names("value", "queries")
        if not found:
            sheet.note("no query has a value")
            return sheet.ax
        edges = _edges(found)
        low, high = edges[0], edges[-1]
        sheet.ax.hist(found, bins=edges, color=sheet.palette.more, rwidth=0.92, zorder=2)
        sheet.ax.locator_params(axis="y", integer=True)
        sheet.ax.set_xlim(low, high)
        if math.isfinite(middle):
            _mark(sheet, middle, "geometric mean" if way == "gmean" else "mean", low, high)
        return sheet.ax


def _edges(found: Sequence[float]) -> list[float]:
    """From where to where each bar goes: whole numbers, which may be counts, stand in the middle of theirs.

    >>> _edges([2.0, 4.0]), len(_edges([0.25, 0.5]))
    ([-0.5, 0.5, 1.5, 2.5, 3.5, 4.5], 11)
    """
    low, high = min(0.0, *found), max(1.0, *found)
    most = _BINS[len(found) >= _FEW]
    if high > 1 and all(value.is_integer() for value in found):
        step = math.ceil((high - low + 1) / _BINS[True])
        bars = math.ceil((high - low + 1) / step)
        return [low - 0.5 + step * place for place in range(bars + 1)]
    return [low + (high - low) * place / most for place in range(most + 1)]


def _mark(sheet: Canvas, value: float, said: str, low: float, high: float) -> None:
    """A mean as a line across, named above the bars on the side that has more room."""
    looks = {"color": sheet.palette.less, "linestyle": (0, (5, 2)), "linewidth": 1.8}
    sheet.ax.axvline(value, label=said, zorder=3, clip_on=False, **looks)  # type: ignore[arg-type]
    sheet.ax.margins(y=0.18)
    side, align = (6, "left") if value < (low + high) / 2 else (-6, "right")
    above = ("data", "axes fraction")
    sheet.beside(f"{said} {number(value)}", (value, 1.0), (side, -4), xycoords=above, ha=align, va="top")


def _means(values: data.Scored, *, interval: bool) -> list[Mean]:
    found = []
    for row in data.scores(values, interval=interval).rows(named=True):
        low, high = row.get("low"), row.get("high")
        bounds = (low, high) if real(low) and real(high) else None
        found.append(Mean(row.get("run", row.get("scenario")), row["measure"], row["value"], bounds))
    return found


def _lines(means: Sequence[Mean], names: Sequence[str], measures: Sequence[str]) -> list[tuple[str, Mean | None]]:
    """From above: what is said at the side, and the value; a heading, where there are several runs and measures."""
    if len(names) <= 1:
        return [(mean.measure, mean) for mean in means]
    if len(measures) == 1:
        return [(mean.name, mean) for mean in means]
    lines: list[tuple[str, Mean | None]] = []
    for measure in measures:
        lines.append((measure, None))
        lines += [(mean.name, mean) for mean in means if mean.measure == measure]
    return lines


def _rows(sheet: Canvas, lines: Sequence[tuple[str, Mean | None]], names: Sequence[str], kind: Kind) -> None:
    """A row for each value: its name to the left, its number to the right."""
    ax = sheet.ax
    known = [value for _, mean in lines if mean for value in (mean.value, *(mean.bounds or ())) if real(value)]
    low, high = min([0.0, *known]), max([1.0, *known])
    edge = 0.02 * (high - low)
    ax.set_xlim(low - edge if kind == "dots" or low < 0 else low, high + edge)
    ax.set_ylim(max(len(lines), 1) - 0.4, -0.6)
    ax.set_yticks(range(len(lines)), [label(said) for said, _ in lines])
    values: dict[str, list[float]] = defaultdict(list)
    for _, mean in lines:
        if mean and real(mean.value):
            values[mean.measure].append(mean.value)
    counted = {measure for measure, own in values.items() if max(own) > 1 and all(map(float.is_integer, own))}
    for place, (tick, (_, mean)) in enumerate(zip(ax.get_yticklabels(), lines, strict=True)):
        tick.set_fontweight("normal" if mean else "bold")
        if mean:
            _row(sheet, place, mean, sheet.palette.style(names.index(mean.name)), kind)
            said = f"{mean.value:,.0f}" if mean.measure in counted and real(mean.value) else number(mean.value)
            sheet.aside(place, said + (f"   {span(*mean.bounds)}" if mean.bounds else ""))
    if not lines:
        sheet.note("no values")


def _row(sheet: Canvas, place: int, mean: Mean, style: Style, kind: Kind) -> None:
    ax, across = sheet.ax, (place, place)
    if real(mean.value) and kind == "bars":
        ax.barh(place, mean.value, height=0.66, color=style.color, zorder=2)
        if mean.bounds:
            ax.plot(mean.bounds, across, color=sheet.palette.text, linewidth=1.2, marker="|", zorder=3)
    elif real(mean.value):
        if mean.bounds:
            ax.plot(mean.bounds, across, color=style.color, linewidth=2, solid_capstyle="butt", zorder=2)
        sheet.marks([mean.value], [place], style.marker, style.color, markersize=7, zorder=3)


def _radar(means: Sequence[Mean], names: Sequence[str], measures: Sequence[str], ax: "Axes | None") -> "Axes":
    """A spoke for each measure, a closed line for each run."""
    if len(measures) < _SPOKES:
        text = f"a radar needs {_SPOKES} measures to have an area, there are {len(measures)}"
        raise UsageError("unknown-setting", text, remedy="take kind='dots' or kind='bars'")
    around = [2 * math.pi * place / len(measures) for place in range(len(measures))]
    value_of = {(mean.name, mean.measure): mean.value for mean in means}
    across = min(max(_LETTERS // (max(len(label(name)) for name in names) + _MARK), 1), len(names), 3)
    with canvas(ax, 20 + len(names) / across, polar=True) as sheet:
        for place, name in enumerate(names):
            found = [value_of.get((name, measure)) for measure in measures]
            values = [math.nan if value is None else value for value in found]
            sheet.line(place, name, [*around, around[0]], [*values, values[0]], clip_on=False)
        known = [mean.value for mean in means if real(mean.value)]
        sheet.ax.set_ylim(min([0.0, *known]), max([1.0, *known]))
        sheet.ax.set(theta_zero_location="N", theta_direction="clockwise")
        _spokes(sheet, around, measures)
        sheet.legend(loc="upper center", bbox_to_anchor=(0.5, -0.08), ncols=across)
        return sheet.ax


def _spokes(sheet: Canvas, around: Sequence[float], measures: Sequence[str]) -> None:
    """Measures outside the circle, numbers above the lines, on a spot of their own."""
    ax = sheet.ax
    ax.set_xticks(around, list(map(label, measures)))
    ax.tick_params(axis="x", pad=2)
    for tick, angle in zip(ax.get_xticklabels(), around, strict=True):
        aside, above = round(math.sin(angle), 3), round(math.cos(angle), 3)
        tick.set_horizontalalignment("center" if not aside else "left" if aside > 0 else "right")
        tick.set_verticalalignment("bottom" if above > 0 else "top" if above < 0 else "center")
    low, high = ax.get_ylim()
    marks = [mark for mark in ax.get_yticks() if low < mark <= high]
    numbers = ax.yaxis.get_major_formatter().format_ticks(marks)
    ax.set_yticks(marks, [""] * len(marks))
    spot = {"boxstyle": "round,pad=0.15", "facecolor": ax.get_facecolor(), "edgecolor": "none", "alpha": 0.8}
    looks = {"ha": "center", "va": "center", "fontsize": "small", "color": sheet.palette.muted}
    for mark, said in zip(marks, numbers, strict=True):
        ax.text(around[1] / 2, mark, said, bbox=spot, zorder=4, **looks)  # type: ignore[arg-type]


def _over(values: data.Scored, *, certain: bool) -> str:
    """What means are taken over, where all are taken over as many queries."""
    runs = [values] if isinstance(values, Values) else [one for one in values.values() if isinstance(one, Values)]
    scored = {one.counts.scored for one in runs}
    if len(scored) != 1:
        return ""
    [count] = scored
    return f"mean over {counted(count)}" + (", with its 95% interval" if certain else "")


def standings(
    told: SystemCorrelation, pair: str | tuple[str, str] | None = None, *, ax: "Axes | None" = None
) -> "Axes":
    """The means of systems by one measure and by another, or under two judges.

    Better is always further up and further to the right. Systems that change places are connected where either order
    is significant; up to 16 systems have their names at the side. Two judges have a thin line where their means are
    equal.

    Args:
        told: what `correlate_measures` or `correlate_judges` returns.
        pair: which row: two measures, or the measure that both judges are looked at by; needless for a single row.
        ax: where to draw; a new figure where None.

    Returns:
        The Axes. `told.to_frame(of="means")` gives the numbers.

    Raises:
        UsageError: `not-measured`, `missing-library`.

    >>> from rankworth import correlate_measures
    >>> qrels = {"q1": {"a": 1, "b": 1}, "q2": {"a": 1}}
    >>> runs = {"old": {"q1": ["x", "a", "b"], "q2": ["a"]}, "new": {"q1": ["a"], "q2": ["x", "a"]}}
    >>> ax = standings(correlate_measures(qrels, runs, ["RR", "R@10"], method="tau-b"))
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('mean RR', 'mean R@10')
    """
    row = told.of(*((pair,) if isinstance(pair, str) else pair or ()))
    orders = told.orders_of(row)
    with canvas(ax, _SYSTEM_ROWS) as sheet:
        size = f"{len(told.systems):,} systems over {counted(len(told.queries))}"
        sheet.title(f"{row.measure}: {size}" if told.judges else size, _coefficients(told, row))
        sheet.names(*(f"mean {one.title}" for one in orders))
        if not told.systems:
            sheet.note("no system has a mean by both")
            return sheet.ax
        _limits(sheet, orders, same=bool(told.judges))
        _swapped(sheet, row, orders)
        means = zip(*(one.means.tolist() for one in orders), strict=True)
        if len(told.systems) <= _NAMED:
            sheet.lines([(name, [x], [y]) for name, (x, y) in zip(told.systems, means, strict=True)])
        else:
            across, up = zip(*means, strict=True)
            sheet.marks(across, up, "o", sheet.palette.more, markersize=5, alpha=0.7, zorder=3)
        return sheet.ax


def _coefficients(told: SystemCorrelation, row: Correlated) -> str:
    """The coefficients in words."""
    return ", ".join(f"{one.label} {number(row.coefficients[one.name].value)}" for one in told.methods)


def _limits(sheet: Canvas, orders: tuple[SystemMeans, SystemMeans], *, same: bool) -> None:
    """From where to where the axes go: better ends right and above; one scale for two judges, with a line of equals."""
    ends = [(float(one.means.min()), float(one.means.max())) for one in orders]
    if same:
        ends = [(min(low for low, _ in ends), max(high for _, high in ends))] * 2
    limits = []
    for (low, high), one in zip(ends, orders, strict=True):
        edge = _EDGE * (high - low) or _EDGE
        limits.append((low - edge, high + edge) if one.better == "higher" else (high + edge, low - edge))
    sheet.ax.set_xlim(*limits[0])
    sheet.ax.set_ylim(*limits[1])
    if same:
        at = (ends[0][0], ends[0][0])
        sheet.ax.axline(at, slope=1, color=sheet.palette.muted, linewidth=0.8, label="_", zorder=1)


def _swapped(sheet: Canvas, row: Correlated, orders: tuple[SystemMeans, SystemMeans]) -> None:
    """Lines between systems that change places, where an order is significant."""
    at = {name: place for place, name in enumerate(orders[0].systems)}
    styles: dict[str, tuple[str, Any]] = {"both": (sheet.palette.less, "-"), "one": (sheet.palette.muted, (0, (4, 2)))}
    handles: dict[str, Line2D] = {}
    for swap in row.swaps:
        if swap.significant == "none":
            continue
        color, dashes = styles[swap.significant]
        places = [at[swap.first], at[swap.second]]
        across, up = (one.means[places] for one in orders)
        [line] = sheet.ax.plot(across, up, color=color, linestyle=dashes, linewidth=1.2, zorder=2)
        line.set_label(_SWAPS[swap.significant] if swap.significant not in handles else "_")
        handles.setdefault(swap.significant, line)
    if handles:
        sheet.legend(handles=list(handles.values()), loc="upper left", bbox_to_anchor=(0, -0.14), ncols=2)
