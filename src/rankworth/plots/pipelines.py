"""Charts of pipelines: how relevant documents go from stage to stage."""

from typing import TYPE_CHECKING, Final

import numpy as np

from rankworth.errors import counted
from rankworth.pipelines import Trace
from rankworth.pipelines.tracing import STATES
from rankworth.plots import data
from rankworth.plots.canvas import Canvas, canvas, label
from rankworth.plots.data import Row

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_WIDE: Final = 0.12
"""half the width of the bar of a stage, where stages are 1 apart"""
_STEPS: Final = 30
"""how many points a band has"""
_LIGHT: Final = 0.35
_ROWS: Final = 14
"""how many lines of text a new figure is high at least"""


def flow(trace: Trace, *, ax: "Axes | None" = None) -> "Axes":
    """Draw how relevant documents go through a pipeline: onto the first ranks, below them, or out of it.

    Each stage is a bar of all relevant documents; bands show which become which at the next stage.

    Args:
        trace: what `rankworth.trace` returns.
        ax: where to draw; a new figure where None.

    Returns:
        The Axes. `rankworth.plots.data.flow` gives the numbers.

    Raises:
        UsageError: `missing-library`.

    >>> from rankworth import trace
    >>> ax = flow(trace({"q": {"a": 1, "b": 1}}, {"first": {"q": ["x", "a"]}, "last": {"q": ["a"]}}, "RR@1"))
    >>> [text.get_text() for text in ax.get_xticklabels()]
    ['first', 'last']
    """
    rows: list[Row] = data.flow(trace).rows(named=True)
    names = [stage.stage for stage in trace.stages]
    with canvas(ax, _ROWS, grid="y") as sheet:
        sheet.title(f"{counted(len(trace.documents), 'relevant document', 'relevant documents')}: {trace.verdict}")
        sheet.names("", "relevant documents")
        if not trace.documents:
            sheet.note("no document is relevant")
            return sheet.ax
        colors = dict(zip(STATES, (sheet.palette.more, sheet.palette.less, sheet.palette.muted), strict=True))
        for index, name in enumerate(names):
            _bar(sheet, index, [row for row in rows if row["stage"] == name and not row["next_stage"]], colors)
        for index, name in enumerate(names[:-1]):
            _bands(sheet, index, [row for row in rows if row["stage"] == name and row["next_stage"]], colors)
        sheet.ax.set_xticks(range(len(names)), [label(name) for name in names])
        sheet.legend(loc="upper center", bbox_to_anchor=(0.5, -0.08), ncols=len(STATES))
        return sheet.ax


def _bar(sheet: Canvas, index: int, rows: list[Row], colors: dict[str, str]) -> None:
    """Draw the bar of one stage."""
    bottom = 0
    for row in rows:
        name = row["state"] if index == 0 else f"_{row['state']}"
        sheet.ax.bar(index, row["documents"], 2 * _WIDE, bottom=bottom, color=colors[row["state"]], label=name)
        bottom += row["documents"]


def _bands(sheet: Canvas, index: int, rows: list[Row], colors: dict[str, str]) -> None:
    """Draw the bands between two bars: those of a state stand in the order of the next one, on both sides."""
    across = np.linspace(0, 1, _STEPS)
    bend = across**2 * (3 - 2 * across)
    order = {state: number for number, state in enumerate(STATES)}
    leaving = sorted(rows, key=lambda row: (order[row["state"]], order[row["next_state"]]))
    arriving = sorted(rows, key=lambda row: (order[row["next_state"]], order[row["state"]]))
    left, right = _starts(leaving), _starts(arriving)
    for row in rows:
        key = row["state"], row["next_state"]
        low = left[key] + (right[key] - left[key]) * bend
        place = index + _WIDE + across * (1 - 2 * _WIDE)
        color = colors[row["next_state"]]
        sheet.ax.fill_between(place, low, low + row["documents"], color=color, alpha=_LIGHT, linewidth=0, label="_")


def _starts(rows: list[Row]) -> dict[tuple[str, str], int]:
    """Return where each band begins."""
    starts, total = {}, 0
    for row in rows:
        starts[row["state"], row["next_state"]] = total
        total += row["documents"]
    return starts
