"""Charts of runs and a catalogue: accuracy against a measure of items, and how popular the items are that are shown."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from rankworth.errors import counted
from rankworth.measures import Fact, Measure
from rankworth.plots import data
from rankworth.plots.canvas import Canvas, canvas, label, real
from rankworth.plots.curves import draw
from rankworth.plots.data import Row
from rankworth.plots.palette import Style
from rankworth.results.values import Values

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_NAMED: Final = 16
"""up to how many runs all have their names at the side"""
_ROWS: Final = 18
"""how many lines of text a new figure is high at least"""
_EDGE: Final = 0.06
"""how much room there is around what is drawn, as a share of its extent"""
_AXES: Final = (("x", "x_low", "x_high"), ("y", "y_low", "y_high"))
_ENDS: Final = ("x_low", "y_low")
_LARGER: Final = 1.5
"""by how many points a mark is larger than one on a line"""
_SMALL: Final = 4.0
"""the size of the marks of runs without a name"""
_DASHES: Final = (0, (5.0, 2.0))
_ROOM: Final = 0.02
"""what is left free beside an axis of shares"""


def tradeoff(
    values: Values | Mapping[str, Values],
    x: str | Measure | Fact,
    y: str | Measure | Fact,
    *,
    level: float = 0.95,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw the means of runs by two measures, such as coverage and accuracy, with the Pareto set.

    Better is always further up and further to the right. The runs of the Pareto set, those to which no other run is
    preferable, as none is at least as good by both measures and better by one, are filled and joined by a line; all
    others are hollow. Up to 16 runs have their names at the side, and intervals; of more, those of the Pareto set have.

    Args:
        values: what `rankworth.evaluate_runs` returns, or `rankworth.evaluate`.
        x: the measure across, by any of its names: `Coverage@10`.
        y: the measure up: `nDCG@10`.
        level: of the confidence intervals, which are thin lines.
        ax: where to draw; a new figure where None.

    Returns:
        The Axes. `rankworth.plots.data.tradeoff` gives the numbers.

    Raises:
        InputError: `input-type`.
        UsageError: `not-measured`, `missing-library`, `unknown-setting`.

    >>> import rankworth
    >>> qrels, history = {"u1": {"a": 1}, "u2": {"a": 1}}, {"u3": ["a", "b"]}
    >>> runs = {"same": {"u1": ["a"], "u2": ["a"]}, "all": {"u1": ["a"], "u2": ["b"]}}
    >>> values = rankworth.evaluate_runs(qrels, runs, ["P@1", "Gini@1"], history=history)
    >>> ax = tradeoff(values, "Gini@1", "P@1")
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('mean Gini@1, lower is better', 'mean P@1')
    """
    rows: list[Row] = data.tradeoff(values, x, y, level=level).rows(named=True)
    runs = [values] if isinstance(values, Values) else list(values.values())
    drawn = [row for row in rows if real(row["x"]) and real(row["y"])]
    best = [row for row in rows if row["pareto"]]
    with canvas(ax, max(_ROWS, len(best) + 2)) as sheet:
        scored = {run.counts.scored for run in runs}
        over = f" over {counted(scored.pop())}" if len(scored) == 1 else ""
        intervals = f", with {level:.0%} intervals" if any(real(row[end]) for row in drawn for end in _ENDS) else ""
        joined = ["Filled and joined: no other run is as good by both and better by one"] if len(rows) > 1 else []
        sheet.title(f"{counted(len(rows), 'run', 'runs')}{over}{intervals}", *joined)
        axes = [_axis(runs, measure) for measure in (x, y)]
        sheet.names(*(name for name, _ in axes))
        if not drawn:
            sheet.note("no run has a mean by both")
            return sheet.ax
        limits: tuple[Any, Any] = (sheet.ax.set_xlim, sheet.ax.set_ylim)
        for set_limits, columns, (_, is_lower) in zip(limits, _AXES, axes, strict=True):
            low, high = _extent(drawn, columns)
            set_limits((high, low) if is_lower else (low, high))
        in_order = sorted(best, key=lambda row: (row["x"], row["y"]))
        line = {"color": sheet.palette.muted, "linewidth": 1.2, "zorder": 1, "label": "_"}
        sheet.ax.plot([row["x"] for row in in_order], [row["y"] for row in in_order], **line)  # type: ignore[arg-type]
        _points(sheet, rows)
        sheet.legend()
        return sheet.ax


def _points(sheet: Canvas, rows: Sequence[Row]) -> None:
    """Draw a point for each run, the Pareto set above the rest; of many runs only that has names and intervals."""
    unnamed = [row for row in rows if not row["pareto"]] if len(rows) > _NAMED else []
    for number, row in enumerate(unnamed):
        name = "_" if number else f"{len(unnamed):,} more"
        _mark(sheet, row, Style(sheet.palette.muted, "o", "-", _SMALL), name)
    for number, row in enumerate(row for row in rows if row["pareto"] or not unnamed):
        is_known = real(row["x"]) and real(row["y"])
        style = sheet.palette.style(number)
        _intervals(sheet, row, style.color)
        _mark(sheet, row, style, label(row["run"] if is_known else f"{row['run']} (n/a)"))


def _intervals(sheet: Canvas, row: Row, color: str) -> None:
    """Draw the intervals of a run as thin lines."""
    thin = {"color": color, "linewidth": 0.9, "alpha": 0.75, "label": "_", "zorder": 2}
    for axis, low, high in _AXES:
        if real(row[low]) and real(row[high]):
            ends = {"x": [row["x"]] * 2, "y": [row["y"]] * 2} | {axis: [row[low], row[high]]}
            sheet.ax.plot(ends["x"], ends["y"], **thin)  # type: ignore[arg-type]


def _mark(sheet: Canvas, row: Row, style: Style, name: str) -> None:
    """Draw the point of a run: filled if it is in the Pareto set."""
    looks = {"markersize": style.size + _LARGER, "zorder": 4 if row["pareto"] else 3}
    face = style.color if row["pareto"] else sheet.ax.get_facecolor()
    sheet.marks([row["x"]], [row["y"]], style.marker, style.color, label=name, markerfacecolor=face, **looks)


def _extent(rows: Sequence[Row], columns: Sequence[str]) -> tuple[float, float]:
    """Return the ends of an axis, with room around what is drawn."""
    values = [row[name] for row in rows for name in columns if real(row[name])]
    low, high = min(values), max(values)
    edge = _EDGE * (high - low) or _EDGE
    return low - edge, high + edge


def _axis(runs: Sequence[Values], measure: str | Measure | Fact) -> tuple[str, bool]:
    """Return what an axis is called, and whether lower values are better."""
    if not runs:
        return f"mean {measure}", False
    column = runs[0]._index(measure)  # noqa: SLF001 - a measure by any of its names
    is_lower = runs[0].measures[column].definition.better == "lower"
    name = f"mean {runs[0].per_query.measures[column]}"
    return f"{name}, lower is better" if is_lower else name, is_lower


def long_tail(runs: object, history: object, *, k: int = 10, ax: "Axes | None" = None) -> "Axes":
    """Draw the share of the most popular items in all items shown, a curve for each run, dashed for the history.

    A curve that goes up at once shows few items, which were popular before; the diagonal shows each item as often as
    any other. Items that are equally popular are taken together, as a straight line. Items that are shown, and are in
    no history, come last, behind a dotted line.

    Args:
        runs: runs by name, a list of paths or `Run`s, or one path or `Run`. All their users count, whether anything is
            judged for them or not.
        history: who had which item before, as for `rankworth.evaluate`: a path, a frame, `{user: [item, ...]}`.
        k: how many items of each list count; those with equal scores stand in the order of the run.
        ax: where to draw; a new figure where None.

    Returns:
        The Axes. `rankworth.plots.data.long_tail` gives the numbers.

    Raises:
        InputError: where runs or the history cannot be read.
        MeasureError: `bad-cutoff`.
        UsageError: `run-names`, `missing-library`.

    >>> history = {"u1": ["a", "b"], "u2": ["a"]}
    >>> ax = long_tail({"new": {"u1": ["a", "c"], "u2": ["b", "a"]}}, history, k=2)
    >>> [line.get_label() for line in ax.lines if line.get_label() != "_"]
    ['the history', 'new']
    >>> ax.lines[-1].get_ydata().tolist()
    [0.0, 0.5, 0.75, 1.0]
    """
    frame = data.long_tail(runs, history, k=k)
    parts = frame.partition_by("run", maintain_order=True)
    series = [(part["run"][0], part["items"].to_list(), part["shown"].to_list()) for part in parts]
    (_, across, up), *curves = series
    in_history = frame.filter(frame["popularity"] > 0)["items"].max() or 0.0
    with canvas(ax, len(series)) as sheet:
        behind = "; right of the dotted line: in no history" if in_history < 1 else ""
        sheet.names(
            f"share of items, the most popular first{behind}", f"share of all that is shown within the first {k}"
        )
        color = sheet.palette.muted
        if in_history < 1:
            sheet.ax.axvline(in_history, color=color, linewidth=1, linestyle=":", zorder=1, label="_")
        dashes = {"linestyle": _DASHES, "linewidth": 1.5, "zorder": 2}
        sheet.ax.plot(across, up, color=color, label="the history", **dashes)  # type: ignore[arg-type]
        sheet.ax.set_xlim(-_ROOM, 1 + _ROOM)
        draw(sheet, curves)
        return sheet.ax
