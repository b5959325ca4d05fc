"""Charts of the queries of a comparison: their differences in order, their values by two systems, a heat map of all."""

from typing import TYPE_CHECKING, Any, Final

from rankworth.comparison import Comparison
from rankworth.errors import counted
from rankworth.plots import data
from rankworth.plots.canvas import ROUNDING, Canvas, canvas, ends, label
from rankworth.plots.data import Row

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_FEW: Final = 24
"""up to how many queries have their ids below them"""
_SQUARE: Final = 18
"""how many lines of text a chart with a diagonal is high"""
_EDGE: Final = 0.03


def query_differences(
    comparison: Comparison, measure: str, system: str = "", other: str = "", *, ax: "Axes | None" = None
) -> "Axes":
    """Draw the difference of each query between two systems as a bar, the greatest gain first.

    Args:
        comparison: what `rankworth.compare` returns.
        measure: by which of its measures.
        system: the system; the last one where not said.
        other: the one that is taken from it; the baseline, or the first one, where not said.
        ax: where to draw; a new figure where None.

    Returns:
        The Axes. `rankworth.plots.data.query_differences` gives the numbers.

    Raises:
        UsageError: `not-measured`, `missing-library`.

    >>> import rankworth as rw
    >>> qrels = {"q1": {"a": 1}, "q2": {"a": 1}, "q3": {"a": 1}}
    >>> old, new = {"q1": ["b", "a"], "q2": ["a"], "q3": ["a"]}, {"q1": ["a"], "q2": ["a"], "q3": ["b", "c", "a"]}
    >>> ax = query_differences(rw.compare(qrels, {"old": old, "new": new}, ["RR"]), "RR")
    >>> [round(float(bar.get_height()), 4) for bar in ax.patches], ax.get_title(loc="left")
    ([0.5, 0.0, -0.6667], 'RR of 3 queries: new better on 1, old on 1')
    """
    rows = data.query_differences(comparison, measure, system, other).rows(named=True)
    with canvas(ax, grid="y") as sheet:
        first, second = _title(sheet, comparison, measure, (system, other), rows)
        horizontal = "query" if len(rows) <= _FEW else "queries"
        sheet.names(f"{horizontal}, the greatest gain first", f"{second} \N{MINUS SIGN} {first}")
        if not rows:
            return sheet.ax
        colors = [_color(sheet, row["gain"]) for row in rows]
        sheet.ax.bar(range(len(rows)), [row["difference"] for row in rows], width=0.85, color=colors, zorder=2)
        sheet.ax.axhline(0, color=sheet.palette.muted, linewidth=1, zorder=3, label="_")
        sheet.ax.set_xlim(-0.6, len(rows) - 0.4)
        _ids(sheet, rows)
        return sheet.ax


def query_scatter(
    comparison: Comparison, measure: str, system: str = "", other: str = "", *, ax: "Axes | None" = None
) -> "Axes":
    """Draw each query by its values in two systems; on the diagonal both have the same value.

    Args:
        comparison: what `rankworth.compare` returns.
        measure: by which of its measures.
        system: the system, upwards; the last one where not said.
        other: the one that it is compared with, to the right; the baseline, or the first one, where not said.
        ax: where to draw; a new figure where None.

    Returns:
        The Axes. `rankworth.plots.data.query_scatter` gives the numbers.

    Raises:
        UsageError: `not-measured`, `missing-library`.

    >>> import rankworth as rw
    >>> qrels = {"q1": {"a": 1}, "q2": {"a": 1}}
    >>> old, new = {"q1": ["b", "a"], "q2": ["a"]}, {"q1": ["a"], "q2": ["a"]}
    >>> ax = query_scatter(rw.compare(qrels, {"old": old, "new": new}, ["RR"]), "RR")
    >>> ax.get_xlabel(), ax.get_ylabel(), [text.get_text() for text in ax.get_legend().get_texts()]
    ('RR of old', 'RR of new', ['new better: 1', 'equal: 1'])
    """
    rows = data.query_scatter(comparison, measure, system, other).rows(named=True)
    with canvas(ax, _SQUARE) as sheet:
        first, second = _title(sheet, comparison, measure, (system, other), rows)
        name = comparison.scores.label(measure)
        sheet.names(f"{name} of {first}", f"{name} of {second}")
        if not rows:
            return sheet.ax
        limits = ends((row[value] for row in rows for value in ("first", "second")), _EDGE)
        sheet.ax.set(xlim=limits, ylim=limits, aspect="equal")
        sheet.ax.axline((0, 0), slope=1, color=sheet.palette.muted, linewidth=0.8, label="_", zorder=1)
        for sign, marker, text in ((1, "^", f"{second} better"), (-1, "v", f"{first} better"), (0, "o", "equal")):
            part = [row for row in rows if _sign(row["gain"]) == sign]
            if part:
                across, up = ([row[value] for row in part] for value in ("first", "second"))
                shown = {"label": label(f"{text}: {len(part):,}"), "alpha": 0.75, "markersize": 6, "zorder": 3}
                sheet.marks(across, up, marker, _color(sheet, sign), **shown)
        sheet.legend()
        return sheet.ax


def heat_map(comparison: Comparison, measure: str, *, ax: "Axes | None" = None) -> "Axes":
    """Draw the value of each query by each system as a cell, the more colour the higher.

    Queries stand in the order of their mean over the systems, the highest first; a cell without a value is empty.

    Args:
        comparison: what `rankworth.compare` returns.
        measure: by which of its measures.
        ax: where to draw; a new figure where None.

    Returns:
        The Axes. `rankworth.plots.data.heat_map` gives the numbers.

    Raises:
        UsageError: `not-measured`, `missing-library`.

    >>> import rankworth as rw
    >>> qrels = {"q1": {"a": 1}, "q2": {"a": 1}}
    >>> old, new = {"q1": ["b", "a"], "q2": ["a"]}, {"q1": ["a"], "q2": ["a"]}
    >>> ax = heat_map(rw.compare(qrels, {"old": old, "new": new}, ["RR"]), "RR")
    >>> ax.images[0].get_array().tolist()
    [[1.0, 0.5], [1.0, 1.0]]
    """
    frame = data.heat_map(comparison, measure)
    systems = list(comparison.systems)
    queries = frame["query"].unique(maintain_order=True).to_list()
    cells = frame["value"].fill_null(float("nan")).to_numpy().reshape(len(queries), len(systems)).T  # [S, Q]
    with canvas(ax, len(systems) + 1, least=2, grid="x") as sheet:
        sheet.title(f"{comparison.scores.label(measure)} of {counted(len(queries))}")
        sheet.names("queries, the highest mean first")
        sheet.rows(systems)
        if not queries:
            sheet.note("no query has a value")
            return sheet.ax
        from matplotlib.colors import LinearSegmentedColormap  # noqa: PLC0415 - optional library

        colors = LinearSegmentedColormap.from_list("rankworth", [sheet.ax.get_facecolor(), sheet.palette.more])
        low, high = ends(frame["value"].to_list())
        sheet.ax.grid(visible=False)
        image = sheet.ax.imshow(cells, cmap=colors, vmin=low, vmax=high, aspect="auto", interpolation="nearest")
        _ids(sheet, [{"query": query} for query in queries])
        figure = sheet.ax.get_figure(root=True)
        if figure is not None:
            bar = figure.colorbar(image, ax=sheet.ax, pad=0.02)
            bar.outline.set_visible(False)
            bar.ax.tick_params(length=0, labelsize="small", labelcolor=sheet.palette.text)
        return sheet.ax


def _title(
    sheet: Canvas, comparison: Comparison, measure: str, systems: tuple[str, str], rows: list[Row]
) -> tuple[str, str]:
    """Say on how many queries each of two systems is better, and return their names, that of the baseline first."""
    second = systems[0] or comparison.systems[-1]
    first = systems[1] or comparison.baseline or comparison.systems[0]
    gains, losses = (sum(_sign(row["gain"]) == sign for row in rows) for sign in (1, -1))
    of = f"{comparison.scores.label(measure)} of {counted(len(rows))}"
    sheet.title(f"{of}: {second} better on {gains:,}, {first} on {losses:,}")
    if not rows:
        sheet.note("no query has a value by both")
    return first, second


def _sign(gain: float) -> int:
    """Return 1 for a gain, -1 for a loss, 0 for neither."""
    return (gain > ROUNDING) - (gain < -ROUNDING)


def _color(sheet: Canvas, gain: float) -> str:
    """Return the colour of a gain, of a loss, or of neither."""
    return {1: sheet.palette.more, -1: sheet.palette.less, 0: sheet.palette.muted}[_sign(gain)]


def _ids(sheet: Canvas, rows: list[Any]) -> None:
    """Write the ids of queries below them where there is room for each."""
    if len(rows) <= _FEW:
        sheet.ax.set_xticks(range(len(rows)), [label(str(row["query"]), 18) for row in rows], rotation=35, ha="right")
    else:
        sheet.ax.set_xticks([])
