"""Plots of curves: a measure by its cutoff, precision by recall."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final

from rankworth.measures import Measure
from rankworth.plots import data
from rankworth.plots.canvas import Canvas, canvas
from rankworth.plots.places import few

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Series = Sequence[tuple[str, Sequence[float], Sequence[float]]]
_WIDE: Final = 12
"""from which ratio of the last cutoff to the first they are placed by ratio"""


def at_k(
    qrels: object,
    runs: object,
    measure: str | Measure,
    *,
    cutoffs: Iterable[int] | None = None,
    ax: "Axes | None" = None,
    **settings: Any,  # noqa: ANN401 - as for evaluate_runs
) -> "Axes":
    """A measure at several cutoffs, a curve for each run.

    Args:
        qrels: as for `rankworth.evaluate`.
        runs: runs by name, a list of paths or `Run`s, or one path or `Run`.
        measure: a name or a measure; a cutoff of its own is not looked at.
        cutoffs: the cutoffs, all measured in one go; where None the usual ones, and each curve ends where its run ends.
        ax: where to draw; a new figure where None.
        **settings: as for `rankworth.evaluate_runs`.

    Returns:
        The Axes. `rankworth.plots.data.at_k` gives the numbers.

    Raises:
        InputError, MeasureError: as `rankworth.evaluate_runs`.
        UsageError: as `rankworth.evaluate_runs`; `missing-library`.

    >>> ax = at_k({"q": {"a": 1, "b": 1}}, {"new": {"q": ["a", "c", "b"]}}, "P", cutoffs=[1, 2])
    >>> ax.lines[0].get_ydata().tolist()
    [1.0, 0.5]
    """
    frame = data.at_k(qrels, runs, measure, cutoffs=cutoffs, **settings)
    with canvas(ax, frame["run"].n_unique()) as sheet:
        depths = sorted(frame["cutoff"].unique())
        ratio = depths[-1] >= _WIDE * depths[0]
        if ratio:
            sheet.ax.set_xscale("log")
        shown = few(depths, ratio=ratio)
        sheet.ax.set_xticks(shown, list(map(str, shown)))
        sheet.ax.set_xticks([], minor=True)
        name = str(data.cut(measure, depths[0])).removesuffix(f"@{depths[0]}")
        sheet.names("cutoff k", f"{name}@k")
        draw(sheet, _series(frame, "cutoff", "value"))
        return sheet.ax


def precision_recall(
    qrels: object,
    runs: object,
    *,
    ax: "Axes | None" = None,
    **settings: Any,  # noqa: ANN401 - as for evaluate_runs
) -> "Axes":
    """Interpolated precision at the eleven standard points of recall, a curve for each run.

    The precision at a recall is the best one at any rank that reaches it (`IPrec`), so curves never rise.

    Args:
        qrels: as for `rankworth.evaluate`.
        runs: as for `at_k`.
        ax: where to draw; a new figure where None.
        **settings: as for `rankworth.evaluate_runs`.

    Returns:
        The Axes. `rankworth.plots.data.precision_recall` gives the numbers.

    Raises:
        InputError, MeasureError: as `rankworth.evaluate_runs`.
        UsageError: as `rankworth.evaluate_runs`; `missing-library`.

    >>> ax = precision_recall({"q": {"a": 1, "b": 1}}, {"new": {"q": ["a", "c", "b"]}})
    >>> ax.lines[0].get_ydata().round(4).tolist()
    [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.6667, 0.6667, 0.6667]
    """
    frame = data.precision_recall(qrels, runs, **settings)
    with canvas(ax, frame["run"].n_unique()) as sheet:
        sheet.names("recall", "interpolated precision")
        sheet.ax.set_xticks(data.RECALLS[::2])
        draw(sheet, _series(frame, "recall", "precision"))
        return sheet.ax


def draw(sheet: Canvas, series: Series) -> None:
    """Curves on a scale from 0 to 1, or as far as they go."""
    known = [value for _, _, up in series for value in up if value == value]  # noqa: PLR0124 - NaN test
    low, high = min([0.0, *known]), max([1.0, *known])
    edge = 0.03 * (high - low)
    sheet.ax.set_ylim(low - edge, high + edge)
    sheet.lines(series)


def _series(frame: Any, across: str, up: str) -> Series:  # noqa: ANN401 - a Polars frame
    parts = frame.partition_by("run", maintain_order=True, as_dict=True)
    return [(name, part[across].to_list(), part[up].to_list()) for (name,), part in parts.items()]
