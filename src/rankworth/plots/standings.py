"""Plots of systems that two measures, or two judges, put into an order: a scatter of their means."""

from typing import TYPE_CHECKING, Any, Final

from rankworth.correlation.standings import Correlated, SystemCorrelation, View
from rankworth.errors import counted
from rankworth.plots.canvas import Canvas, canvas
from rankworth.plots.words import number

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

_NAMED: Final = 16
"""up to how many systems have their names beside them"""
_EDGE: Final = 0.06
"""how much room there is around the means, as a share of what they span"""
_ROWS: Final = 18
_SWAPS: Final = {"both": "swapped, significant both ways", "one": "swapped, one order significant"}


def standings(
    told: SystemCorrelation, pair: str | tuple[str, str] | None = None, *, ax: "Axes | None" = None
) -> "Axes":
    """The means of systems by one measure and by another, or under two judges.

    Better is always further up and further to the right. Systems that change places are connected where either order
    is significant; up to 16 systems have their names at the side. Two judges have a thin line where their means are
    equal.

    Args:
        told: what `rankworth.correlation.standings.correlate_measures` or `correlate_judges` returns.
        pair: which row: two measures, or the measure that both judges are looked at by; needless for a single row.
        ax: where to draw; a new figure where None.

    Returns:
        The Axes. `told.to_frame(of="means")` gives the numbers.

    Raises:
        UsageError: `not-measured`, `missing-library`.

    >>> from rankworth.correlation.standings import correlate_measures
    >>> qrels = {"q1": {"a": 1, "b": 1}, "q2": {"a": 1}}
    >>> runs = {"old": {"q1": ["x", "a", "b"], "q2": ["a"]}, "new": {"q1": ["a"], "q2": ["x", "a"]}}
    >>> ax = standings(correlate_measures(qrels, runs, ["RR", "R@10"], method="tau-b"))
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('mean RR', 'mean R@10')
    """
    row = told.of(*((pair,) if isinstance(pair, str) else pair or ()))
    views = told.views_of(row)
    with canvas(ax, _ROWS) as sheet:
        size = f"{len(told.systems):,} systems over {counted(len(told.queries))}"
        sheet.title(f"{_what(told, row)}{size}", _found(told, row))
        sheet.names(*(f"mean {one.title}" for one in views))
        if not told.systems:
            sheet.note("no system has a mean by both")
            return sheet.ax
        _limits(sheet, views, same=bool(told.judges))
        _swapped(sheet, row, views)
        means = zip(*(one.means.tolist() for one in views), strict=True)
        if len(told.systems) <= _NAMED:
            sheet.lines([(name, [x], [y]) for name, (x, y) in zip(told.systems, means, strict=True)], faint=True)
        else:
            across, up = zip(*means, strict=True)
            sheet.ax.plot(
                across, up, color=sheet.palette.more, marker="o", markersize=5, alpha=0.7, linestyle="none", zorder=3
            )
        return sheet.ax


def _what(told: SystemCorrelation, row: Correlated) -> str:
    """The measure, where the axes are judges."""
    return f"{row.measure}: " if told.judges else ""


def _found(told: SystemCorrelation, row: Correlated) -> str:
    """The coefficients in words."""
    return ", ".join(f"{one.label} {number(row.coefficients[one.name].value)}" for one in told.methods)


def _limits(sheet: Canvas, views: tuple[View, View], *, same: bool) -> None:
    """From where to where the axes go: better ends right and above; one scale for two judges, with a line of equals."""
    ends = [(float(one.means.min()), float(one.means.max())) for one in views]
    if same:
        ends = [(min(low for low, _ in ends), max(high for _, high in ends))] * 2
    limits = []
    for (low, high), one in zip(ends, views, strict=True):
        edge = _EDGE * (high - low) or _EDGE
        limits.append((low - edge, high + edge) if one.better == "higher" else (high + edge, low - edge))
    sheet.ax.set_xlim(*limits[0])
    sheet.ax.set_ylim(*limits[1])
    if same:
        at = (ends[0][0], ends[0][0])
        sheet.ax.axline(at, slope=1, color=sheet.palette.muted, linewidth=0.8, label="_", zorder=1)


def _swapped(sheet: Canvas, row: Correlated, views: tuple[View, View]) -> None:
    """Lines between systems that change places, where an order is significant."""
    at = {name: place for place, name in enumerate(views[0].systems)}
    styles: dict[str, tuple[str, Any]] = {"both": (sheet.palette.less, "-"), "one": (sheet.palette.muted, (0, (4, 2)))}
    handles: dict[str, Line2D] = {}
    for swap in row.swaps:
        if swap.significant == "none":
            continue
        color, dashes = styles[swap.significant]
        places = [at[swap.first], at[swap.second]]
        across, up = (one.means[places] for one in views)
        [line] = sheet.ax.plot(across, up, color=color, linestyle=dashes, linewidth=1.2, zorder=2)
        line.set_label(_SWAPS[swap.significant] if swap.significant not in handles else "_")
        handles.setdefault(swap.significant, line)
    if handles:
        sheet.legend(handles=list(handles.values()), loc="upper left", bbox_to_anchor=(0, -0.14), ncols=2)
