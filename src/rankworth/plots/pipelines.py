"""Charts of pipelines: how relevant documents go from stage to stage, and from which score on to answer."""

import math
from typing import TYPE_CHECKING, Final

import numpy as np

from rankworth.errors import counted
from rankworth.pipelines import Silence, Trace
from rankworth.pipelines.tracing import STATES, band_starts
from rankworth.plots import data
from rankworth.plots.canvas import Canvas, canvas, ends, label
from rankworth.plots.data import Row

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_WIDE: Final = 0.12
"""half the width of the bar of a stage, where stages are 1 apart"""
_STEPS: Final = 30
"""how many points a band has"""
_LIGHT: Final = 0.35
_BAND: Final = 0.15
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


def silence(result: Silence, *, ax: "Axes | None" = None) -> "Axes":
    """Draw refusal against quality: both error rates and the quality of answers by the share of queries refused.

    Each point is a threshold of the top score. Bands are the exact intervals of the error rates, each about its own
    threshold; the vertical line is the chosen threshold.

    Args:
        result: what `rankworth.silence` returns.
        ax: where to draw; a new figure where None.

    Returns:
        The Axes. `rankworth.plots.data.silence` gives the numbers.

    Raises:
        UsageError: `missing-library`.

    >>> import rankworth as rw
    >>> qrels = {"q1": {"a": 1}, "q2": {}}
    >>> ax = silence(rw.silence(qrels, {"q1": {"a": 0.9}, "q2": {"c": 0.4}}, "RR"))
    >>> [line.get_label() for line in ax.lines]
    ['wrong answers', 'wrong silences', 'RR of answers']
    """
    rows: list[Row] = data.silence(result).rows(named=True)
    refused = [row["refused"] for row in rows]
    with canvas(ax, _ROWS) as sheet:
        sheet.title(result.verdict)
        sheet.names("share of queries that are not answered", "share of queries, mean of answers")
        sheet.ax.set_ylim(*ends((row["quality"] for row in rows), 0.03))
        series = []
        for number, kind in enumerate(("answer", "silence")):
            rate, low, high = ([row[f"wrong_{kind}_{part}"] for row in rows] for part in ("rate", "low", "high"))
            color = sheet.palette.style(number).color
            sheet.ax.fill_between(refused, low, high, color=color, alpha=_BAND, linewidth=0, label="_")
            series.append((f"wrong {kind}s", refused, rate))
        quality = [math.nan if row["quality"] is None else row["quality"] for row in rows]
        sheet.lines([*series, (f"{label(result.measure)} of answers", refused, quality)])
        chosen = [
            row["refused"] for row in rows if result.threshold is not None and row["threshold"] >= result.threshold
        ]
        if chosen:
            sheet.ax.axvline(chosen[0], color=sheet.palette.muted, linewidth=1, linestyle="dotted", label="_")
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
    starts = band_starts(rows)
    for row in rows:
        left, right = starts[row["state"], row["next_state"]]
        low = left + (right - left) * bend
        x = index + _WIDE + across * (1 - 2 * _WIDE)
        color = colors[row["next_state"]]
        sheet.ax.fill_between(x, low, low + row["documents"], color=color, alpha=_LIGHT, linewidth=0, label="_")
