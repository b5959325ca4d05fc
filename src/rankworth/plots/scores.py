"""Charts of values: means as dots, bars and radars, values of queries as a histogram, systems by two measures."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, Literal

from rankworth.comparison import Comparison
from rankworth.correlation.orders import Correlated, SystemMeans
from rankworth.correlation.systems import SystemCorrelation
from rankworth.errors import UsageError, counted
from rankworth.measures import Fact, Measure
from rankworth.plots import data
from rankworth.plots.canvas import Canvas, canvas, ends, label, number, real, span
from rankworth.plots.data import Row
from rankworth.results.values import Values

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

Kind = Literal["dots", "bars", "radar"]


_FEWEST: Final = 2
"""how many lines of text a chart of rows is high at least"""
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
_ENDS: Final = ("value", "low", "high")
_SWAPS: Final = {"both": "swapped, significant both ways", "one": "swapped, one order significant"}


def scores(values: data.Scored, kind: Kind = "dots", *, interval: bool = True, ax: "Axes | None" = None) -> "Axes":
    """Draw what runs or scenarios are worth, all measures on one scale.

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
    frame = data.scores(values, interval=interval and kind != "radar").rename({"scenario": "run"}, strict=False)
    rows: list[Row] = frame.rows(named=True)
    if kind == "radar":
        return _radar(rows, ax)
    lines = _lines(rows)
    with canvas(ax, len(lines) + 1, least=_FEWEST, grid="x") as sheet:
        _draw(sheet, rows, lines, kind, ends(row.get(name) for row in rows for name in _ENDS))
        sheet.names(_over(values, certain=any(real(row.get("low")) for row in rows)))
        return sheet.ax


def differences(comparison: Comparison, *, ax: "Axes | None" = None) -> "Axes":
    """Draw by how much systems differ, with intervals: a forest plot, with a line at 0 and the margins shaded.

    Rows are grouped by measure, and those of a measure sorted by their difference, the greatest gain first. Intervals
    are those that decide; where there are margins, the one that decides on equivalence is drawn thick.

    Args:
        comparison: what `rankworth.compare` returns.
        ax: where to draw; a new figure where None.

    Returns:
        The Axes. `rankworth.plots.data.differences` gives the numbers.

    Raises:
        UsageError: `missing-library`.

    >>> import rankworth as rw
    >>> qrels = {"q1": {"a": 1}, "q2": {"a": 1}}
    >>> runs = {"old": {"q1": ["b", "a"], "q2": ["a"]}, "new": {"q1": ["a"], "q2": ["a"]}}
    >>> ax = differences(rw.compare(qrels, runs, ["RR"]))
    >>> ax.get_xlabel(), [text.get_text() for text in ax.get_yticklabels()]
    ('difference from old, with 95% intervals', ['RR'])
    """
    rows: list[Row] = data.differences(comparison).rows(named=True)
    if not comparison.baseline:
        rows = [{**row, "run": f"{row['run']} - {row['against']}"} for row in rows]
    rows = _by_effect(rows, comparison)
    margins = [sign * margin for margin in comparison.plan.margins.values() for sign in (-1, 1)]
    reach = [0.0, *margins, *(row[end] for row in rows for end in _ENDS if real(row[end]))]
    lines = _lines(rows)
    with canvas(ax, len(lines) + 1, least=_FEWEST, grid="x") as sheet:
        _draw(sheet, rows, lines, "dots", (min(reach), max(reach)))
        sheet.ax.axvline(0, color=sheet.palette.text, linewidth=1, zorder=1)
        for margin in {margin for margin in margins if margin > 0}:
            sheet.ax.axvspan(-margin, margin, color=sheet.palette.muted, alpha=0.15, linewidth=0, zorder=0)
        against = f"difference from {comparison.baseline}" if comparison.baseline else "difference"
        family = comparison.differences[0].comparisons
        corrected = f", corrected for {family:,} comparisons" if family > 1 else ""
        thick = f"; thick: {2 * comparison.plan.level - 1:.0%}" if margins else ""
        sheet.names(f"{against}, with {comparison.plan.level:.0%} intervals{corrected}{thick}")
        return sheet.ax


def _by_effect(rows: Sequence[Row], comparison: Comparison) -> list[Row]:
    """Sort the rows of each measure by their difference, the greatest gain first; those without one come last."""
    signs = {name: -1 if better == "lower" else 1 for name, better in comparison.scores.better.items()}
    measures = _distinct(rows, "measure")

    def key(row: Row) -> tuple[int, bool, float]:
        value = row["value"]
        return measures.index(row["measure"]), not real(value), -signs[row["measure"]] * value if real(value) else 0.0

    return sorted(rows, key=key)


def histogram(values: Values, measure: str | Measure | Fact, *, ax: "Axes | None" = None) -> "Axes":
    """Draw how the values of single queries are spread, with their mean.

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
    finite = [value for value in data.histogram(values, measure)["value"] if math.isfinite(value)]
    column = values._index(measure)  # noqa: SLF001 - a measure by any of its names
    way = values.measures[column].averaging
    middle = sum(finite) / len(finite) if way == "sum" and finite else values[measure]
    missing = len(values.per_query) - len(finite)
    with canvas(ax, grid="y") as sheet:
        more = f" ({missing:,} more without a value)" if missing else ""
        sheet.title(f"{values.per_query.measures[column]} of {counted(len(finite))}{more}")
        sheet.names("value", "queries")
        if not finite:
            sheet.note("no query has a value")
            return sheet.ax
        edges = _edges(finite)
        sheet.ax.hist(finite, bins=edges, color=sheet.palette.more, rwidth=0.92, zorder=2)
        sheet.ax.locator_params(axis="y", integer=True)
        sheet.ax.set_xlim(edges[0], edges[-1])
        if math.isfinite(middle):
            name = {"gmean": "geometric mean", "median": "median"}.get(way, "mean")
            looks = {"color": sheet.palette.less, "linestyle": (0, (5, 2)), "linewidth": 1.8}
            sheet.ax.axvline(middle, label=name, zorder=3, clip_on=False, **looks)  # type: ignore[arg-type]
            sheet.ax.margins(y=0.18)
            has_room_right = middle < (edges[0] + edges[-1]) / 2
            side, align = (6, "left") if has_room_right else (-6, "right")
            above = ("data", "axes fraction")
            sheet.beside(f"{name} {number(middle)}", (middle, 1.0), (side, -4), xycoords=above, ha=align, va="top")
        return sheet.ax


def _edges(values: Sequence[float]) -> list[float]:
    """Return the edges of bars: whole numbers, which may be counts, stand in the middle of theirs.

    >>> _edges([2.0, 4.0]), len(_edges([0.25, 0.5]))
    ([-0.5, 0.5, 1.5, 2.5, 3.5, 4.5], 11)
    """
    low, high = ends(values)
    bars = _BINS[len(values) >= _FEW]
    if high > 1 and all(value.is_integer() for value in values):
        step = math.ceil((high - low + 1) / _BINS[True])
        return [low - 0.5 + step * bar for bar in range(math.ceil((high - low + 1) / step) + 1)]
    return [low + (high - low) * bar / bars for bar in range(bars + 1)]


def _lines(rows: Sequence[Row]) -> list[tuple[str, Row | None]]:
    """List the labels at the side with their rows; with several runs and several measures, measures are headings."""
    names, measures = _distinct(rows, "run"), _distinct(rows, "measure")
    if len(names) > 1 < len(measures):
        lines: list[tuple[str, Row | None]] = []
        for measure in measures:
            lines += [(measure, None), *((row["run"], row) for row in rows if row["measure"] == measure)]
        return lines
    return [(row["measure" if len(names) == 1 else "run"], row) for row in rows]


def _draw(
    sheet: Canvas, rows: Sequence[Row], lines: Sequence[tuple[str, Row | None]], kind: Kind, reach: tuple[float, float]
) -> None:
    """Draw a line for each value: name to the left, number to the right; a single run or measure is in the title."""
    names, measures = _distinct(rows, "run"), _distinct(rows, "measure")
    whole = set()
    for measure in measures:
        values = [row["value"] for row in rows if row["measure"] == measure and real(row["value"])]
        if max(values, default=0.0) > 1 and all(map(float.is_integer, values)):
            whole.add(measure)
    low, high = reach
    edge = 0.02 * (high - low)
    sheet.ax.set_xlim(low - edge if kind == "dots" or low < 0 else low, high + edge)
    sheet.rows([text for text, _ in lines])
    for height, (tick, (_, row)) in enumerate(zip(sheet.ax.get_yticklabels(), lines, strict=True)):
        if row is None:
            tick.set_fontweight("bold")
            continue
        value = row["value"]
        text = f"{value:,.0f}" if row["measure"] in whole and real(value) else number(value)
        ends = ("equivalence_low", "equivalence_high") if row.get("verdict") == "equivalent" else ("low", "high")
        decisive = _bounds(row, *ends)
        sheet.aside(height, text, span(decisive[0], decisive[-1]) if decisive else "")
        if real(value):
            _row(sheet, height, row, names.index(row["run"]), kind)
    if not rows:
        sheet.note("no values")
    elif 1 in (len(names), len(measures)):
        sheet.title(names[0] if len(names) == 1 else measures[0])


def _distinct(rows: Sequence[Row], name: str) -> list[str]:
    """List the values of a column, each once."""
    return list(dict.fromkeys(row[name] for row in rows))


def _row(sheet: Canvas, height: int, row: Row, run: int, kind: Kind) -> None:
    """Draw a dot with its intervals behind, the one that decides on equivalence thick; or a bar with one before."""
    style, value = sheet.palette.style(run), row["value"]
    bounds, inner = _bounds(row, "low", "high"), _bounds(row, "equivalence_low", "equivalence_high")
    if kind == "bars":
        sheet.ax.barh(height, value, height=0.66, color=style.color, zorder=2)
        sheet.ax.plot(bounds, [height] * len(bounds), color=sheet.palette.text, linewidth=1.2, marker="|", zorder=3)
        return
    line = {"color": style.color, "solid_capstyle": "butt", "zorder": 2}
    sheet.ax.plot(bounds, [height] * len(bounds), linewidth=1 if inner else 2, **line)  # type: ignore[arg-type]
    if inner:
        sheet.ax.plot(inner, [height] * len(inner), linewidth=4, **line)  # type: ignore[arg-type]
    sheet.marks([value], [height], style.marker, style.color, markersize=7, zorder=3)


def _bounds(row: Row, *names: str) -> list[float]:
    """Return the ends of an interval that has finite ones."""
    return [row[name] for name in names if real(row.get(name))]


def _radar(rows: Sequence[Row], ax: "Axes | None") -> "Axes":
    """Draw a spoke for each measure, a closed line for each run."""
    names, measures = _distinct(rows, "run"), _distinct(rows, "measure")
    if len(measures) < _SPOKES:
        text = f"a radar needs {_SPOKES} measures to have an area, there are {len(measures)}"
        raise UsageError("unknown-setting", text, remedy="take kind='dots' or kind='bars'")
    around = [2 * math.pi * spoke / len(measures) for spoke in range(len(measures))]
    value_of = {(row["run"], row["measure"]): row["value"] for row in rows}
    across = min(max(_LETTERS // (max(len(label(name)) for name in names) + _MARK), 1), len(names), 3)
    with canvas(ax, 20 + len(names) / across, polar=True) as sheet:
        for run, name in enumerate(names):
            values = [value_of.get((name, measure)) for measure in (*measures, measures[0])]
            up = [math.nan if value is None else value for value in values]
            sheet.line(run, name, [*around, around[0]], up, clip_on=False)
        sheet.ax.set_ylim(*ends(value_of.values()))
        sheet.ax.set(theta_zero_location="N", theta_direction="clockwise")
        _spokes(sheet, around, measures)
        sheet.legend(loc="upper center", bbox_to_anchor=(0.5, -0.08), ncols=across)
        return sheet.ax


def _spokes(sheet: Canvas, around: Sequence[float], measures: Sequence[str]) -> None:
    """Write measures outside the circle, numbers above the lines, on a spot of their own."""
    ax: Any = sheet.ax  # round ones
    ax.set_xticks(around, list(map(label, measures)))
    ax.tick_params(axis="x", pad=2)
    for tick, angle in zip(ax.get_xticklabels(), around, strict=True):
        aside, above = round(math.sin(angle), 3), round(math.cos(angle), 3)
        tick.set_horizontalalignment("center" if not aside else "left" if aside > 0 else "right")
        tick.set_verticalalignment("bottom" if above > 0 else "top" if above < 0 else "center")
    ax.set_rlabel_position(math.degrees(around[1]) / 2)
    for tick in ax.get_yticklabels():
        tick.set(zorder=4, color=sheet.palette.muted, ha="center", va="center")
        spot = {"boxstyle": "round,pad=0.15", "facecolor": ax.get_facecolor(), "edgecolor": "none", "alpha": 0.8}
        tick.set_bbox(spot)


def _over(values: data.Scored, *, certain: bool) -> str:
    """Say the number of queries of the means; nothing if runs differ in it."""
    runs = [values] if isinstance(values, Values) else [each for each in values.values() if isinstance(each, Values)]
    scored = {run.counts.scored for run in runs}
    if len(scored) != 1:
        return ""
    [count] = scored
    return f"mean over {counted(count)}" + (", with its 95% interval" if certain else "")


def systems(
    result: SystemCorrelation, pair: str | tuple[str, str] | None = None, *, ax: "Axes | None" = None
) -> "Axes":
    """Draw the means of systems by one measure and by another, or under two judges.

    Better is always further up and further to the right. Systems that change places are connected where either order
    is significant; up to 16 systems have their names at the side. Two judges have a thin line where their means are
    equal.

    Args:
        result: what `correlate_measures` or `correlate_judges` returns.
        pair: which row: two measures, or the measure that both judges are looked at by; needless for a single row.
        ax: where to draw; a new figure where None.

    Returns:
        The Axes. `result.to_frame(of="means")` gives the numbers.

    Raises:
        UsageError: `not-measured`, `missing-library`.

    >>> from rankworth import correlate_measures
    >>> qrels = {"q1": {"a": 1, "b": 1}, "q2": {"a": 1}}
    >>> runs = {"old": {"q1": ["x", "a", "b"], "q2": ["a"]}, "new": {"q1": ["a"], "q2": ["x", "a"]}}
    >>> ax = systems(correlate_measures(qrels, runs, ["RR", "R@10"], method="tau-b"))
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('mean RR', 'mean R@10')
    """
    data.require(result, SystemCorrelation, "rankworth.correlate_measures")
    row = result.of(*((pair,) if isinstance(pair, str) else pair or ()))
    orders = result.orders_of(row)
    with canvas(ax, _SYSTEM_ROWS) as sheet:
        size = f"{len(result.systems):,} systems over {counted(len(result.queries))}"
        values = ", ".join(f"{each.label} {number(row.coefficients[each.name].value)}" for each in result.methods)
        sheet.title(f"{row.measure}: {size}" if result.judges else size, values)
        sheet.names(*(f"mean {order.title}" for order in orders))
        if not result.systems:
            sheet.note("no system has a mean by both")
            return sheet.ax
        _limits(sheet, orders, same=bool(result.judges))
        _swapped(sheet, row, orders)
        means = zip(*(order.means.tolist() for order in orders), strict=True)
        if len(result.systems) <= _NAMED:
            sheet.lines([(name, [x], [y]) for name, (x, y) in zip(result.systems, means, strict=True)])
        else:
            across, up = zip(*means, strict=True)
            sheet.marks(across, up, "o", sheet.palette.more, markersize=5, alpha=0.7, zorder=3)
        return sheet.ax


def _limits(sheet: Canvas, orders: tuple[SystemMeans, SystemMeans], *, same: bool) -> None:
    """Set the limits of the axes: better ends right and above; one scale for two judges, with a line of equals."""
    ends = [(float(order.means.min()), float(order.means.max())) for order in orders]
    if same:
        ends = [(min(low for low, _ in ends), max(high for _, high in ends))] * 2
    limits = []
    for (low, high), means in zip(ends, orders, strict=True):
        edge = _EDGE * (high - low) or _EDGE
        limits.append((low - edge, high + edge) if means.better == "higher" else (high + edge, low - edge))
    sheet.ax.set_xlim(*limits[0])
    sheet.ax.set_ylim(*limits[1])
    if same:
        at = (ends[0][0], ends[0][0])
        sheet.ax.axline(at, slope=1, color=sheet.palette.muted, linewidth=0.8, label="_", zorder=1)


def _swapped(sheet: Canvas, row: Correlated, orders: tuple[SystemMeans, SystemMeans]) -> None:
    """Draw lines between systems in exchanged order, if an order is significant."""
    at = {name: index for index, name in enumerate(orders[0].systems)}
    styles: dict[str, tuple[str, Any]] = {"both": (sheet.palette.less, "-"), "one": (sheet.palette.muted, (0, (4, 2)))}
    handles: dict[str, Line2D] = {}
    for swap in row.swaps:
        if swap.significant == "none":
            continue
        color, dashes = styles[swap.significant]
        places = [at[swap.first], at[swap.second]]
        across, up = (order.means[places] for order in orders)
        [line] = sheet.ax.plot(across, up, color=color, linestyle=dashes, linewidth=1.2, zorder=2)
        line.set_label(_SWAPS[swap.significant] if swap.significant not in handles else "_")
        handles.setdefault(swap.significant, line)
    if handles:
        sheet.legend(handles=list(handles.values()), loc="upper left", bbox_to_anchor=(0, -0.14), ncols=2)
