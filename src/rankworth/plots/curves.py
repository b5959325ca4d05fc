"""Charts of a measure by its cutoff, of precision by recall, and of what a change does to a value."""

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

from rankworth import explanation
from rankworth.errors import UsageError
from rankworth.explanation import Variation
from rankworth.measures import Measure
from rankworth.plots import data
from rankworth.plots.canvas import Canvas, canvas, ends, label, number, real, signed, span
from rankworth.plots.data import Row

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Series = Sequence[tuple[str, Sequence[float], Sequence[float]]]
Kind = Literal["lines", "bars"]
_BY_RATIO: Final = 12
"""from which ratio of the last cutoff to the first they are placed by ratio"""

_ACROSS: Final = {
    "position": "rank of the document",
    "grade": "grade of the document",
    "cutoff": "cutoff k",
    "share": "share of a gold span",
}
_STEP: Final = {"position": "rank", "grade": "grade", "cutoff": "k =", "share": "from"}
_GROUP: Final = 0.82
"""how wide a group of bars is, of the way to the next"""
_PALEST: Final = 0.2
"""how much colour the palest bar would have"""
_GRID: Final = dict.fromkeys(_ACROSS, "both") | {"swap": "y"}
_RANGES: Final = {
    "ties": "range of the value over all orders of tied documents; diamond: its mean",
    "unjudged": "range of the value over all grades of unjudged documents; stroke: one of them relevant",
}
_LABELLED: Final = 24
"""up to how many swaps each has its mark, also where it changes nothing"""
_TICKS: Final = 12
"""at most how many numbers stand below an axis"""
_WRITTEN: Final = 12
"""how many changes are written beside their mark; more would lie on each other"""


def at_k(
    qrels: object,
    runs: object,
    measure: str | Measure,
    *,
    cutoffs: Iterable[int] | None = None,
    ax: "Axes | None" = None,
    **settings: Any,  # noqa: ANN401 - as for evaluate_runs
) -> "Axes":
    """Draw a measure at several cutoffs, a curve for each run.

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
        ratio = depths[-1] >= _BY_RATIO * depths[0]
        if ratio:
            sheet.ax.set_xscale("log", subs=[])
            from matplotlib.ticker import LogLocator  # noqa: PLC0415 - optional library

            sheet.ax.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
            sheet.ax.xaxis.set_major_formatter("{x:g}")
        else:
            _number(sheet, depths)
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
    """Draw interpolated precision at the eleven standard points of recall, a curve for each run.

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
    """Draw curves on a scale from 0 to 1, or as far as they go."""
    sheet.ax.set_ylim(*ends((value for _, _, up in series for value in up), 0.03))
    sheet.lines(series)


def _series(frame: Any, across: str, up: str) -> Series:  # noqa: ANN401 - a Polars frame
    parts = frame.partition_by("run", maintain_order=True, as_dict=True)
    return [(name, part[across].to_list(), part[up].to_list()) for (name,), part in parts.items()]


def vary(
    variation: Variation | str | Measure | Iterable[str | Measure],
    *arguments: Any,  # noqa: ANN401 - as for rankworth.vary
    kind: Kind = "lines",
    ax: "Axes | None" = None,
    **settings: Any,  # noqa: ANN401 - as for rankworth.vary
) -> "Axes":
    """Draw what a change does to the value of a ranking.

    Positions, grades, cutoffs and shares become lines, one for each measure, or groups of bars; swaps a mark for
    each pair, above 0 where the swap would help; ties and unjudged documents the range of what the value could be.

    Args:
        variation: what `rankworth.vary` returns; or its measures.
        *arguments: what is varied, `by` of `rankworth.vary`, where measures are given.
        kind: of positions, grades, cutoffs and shares `lines`, or `bars`, a group for each measure, where lines cross.
        ax: where to draw; a new figure where None.
        **settings: as for `rankworth.vary`.

    Returns:
        The Axes. `rankworth.plots.data.vary` gives the numbers.

    Raises:
        InputError, MeasureError: as `rankworth.vary`.
        UsageError: as `rankworth.vary`; `missing-library`; `unknown-setting` for what is said beside a finished
            variation, and for bars of swaps and ranges, which have one form each.

    >>> ax = vary(["RR", "nDCG@5"], by="position")
    >>> ax.lines[0].get_label(), [round(float(value), 4) for value in ax.lines[0].get_ydata()]
    ('RR', [1.0, 0.5, 0.3333, 0.25, 0.2])
    """
    if isinstance(variation, Variation) and (arguments or settings):
        ignored = [*map(repr, arguments), *(f"{name}={value!r}" for name, value in settings.items())]
        text = f"{', '.join(ignored)}: plots.vary draws this variation as it is; rankworth.vary takes what changes it"
        raise UsageError("unknown-setting", text, remedy="leave it out, or give it to rankworth.vary")
    if isinstance(variation, Variation):
        shown = variation
    else:
        by = dict(zip(("by",), arguments, strict=len(arguments) > 1))
        shown = explanation.vary(measures=variation, **by, **settings)
    if kind not in get_args(Kind) or (kind == "bars" and shown.by not in _ACROSS):
        text = f"kind={kind!r}: positions, grades, cutoffs and shares are lines or bars, swaps are marks, ranges spans"
        raise UsageError("unknown-setting", text, remedy="leave kind out")
    rows = data.vary(shown).rows(named=True)
    least = 12 if shown.by in _GRID else 2
    with canvas(ax, len(shown.measures) + 1, least=least, grid=_GRID.get(shown.by, "x")) as sheet:
        sheet.title(shown.sentence)
        if not rows:
            sheet.note("nothing to vary")
        elif kind == "bars":
            _bars(sheet, shown, rows)
        elif shown.by in _ACROSS:
            _lines(sheet, shown, rows)
        elif shown.by == "swap":
            _swaps(sheet, shown.measures, rows)
        else:
            _ranges(sheet, shown, rows)
        return sheet.ax


def _lines(sheet: Canvas, shown: Variation, rows: Sequence[Row]) -> None:
    """Draw a line for each measure, or for each document that stands beside; thin ones for the ranking as it is.

    Measures with the same values share a line, as of two lines on each other one would be seen.
    """
    series: dict[tuple[str, float | None], list[Row]] = {}
    for row in rows:
        series.setdefault((row["measure"], row.get("beside")), []).append(row)
    same_values: dict[tuple[Any, ...], list[str]] = {}
    for (measure, beside), line_rows in series.items():
        rounded = (round(row["value"], 12) if real(row["value"]) else None for row in line_rows)
        same_values.setdefault((beside, *rounded), []).append(measure)
    lines = []
    for line, ((beside, *_), measures) in enumerate(same_values.items()):
        line_rows = series[measures[0], beside]
        name = ", ".join(measures) + ("" if beside is None else f", beside grade {beside:g}")
        up = [math.nan if row["value"] is None else row["value"] for row in line_rows]
        lines.append((name, [row[shown.by] for row in line_rows], up))
        for value in (shown.baseline.get(measure) for measure in measures):
            if real(value):
                color = sheet.palette.style(line).color
                sheet.ax.axhline(value, color=color, linewidth=0.8, alpha=0.6, zorder=1, label="_")
    _number(sheet, sorted({row[shown.by] for row in rows}))
    thin = "; thin lines: the unchanged ranking" if any(map(real, shown.baseline.values())) else ""
    sheet.names(_ACROSS[shown.by] + thin, "value")
    draw(sheet, lines)


def _bars(sheet: Canvas, shown: Variation, rows: Sequence[Row]) -> None:
    """Draw a group of bars for each measure, and a line for the unchanged ranking."""
    steps = sorted({(row[shown.by], row.get("beside")) for row in rows}, key=lambda step: (step[0], step[1] or 0))
    value_of = {(row["measure"], row[shown.by], row.get("beside")): row["value"] for row in rows}
    wide = _GROUP / len(steps)
    from matplotlib.colors import to_rgb  # noqa: PLC0415 - optional library

    more, behind = to_rgb(sheet.palette.more), to_rgb(sheet.ax.get_facecolor())
    for index, step in enumerate(steps):
        share = _PALEST + (1 - _PALEST) * (index + 1) / len(steps)  # from pale to the full colour
        color = tuple(
            min(max(share * ink + (1 - share) * paper, 0.0), 1.0) for ink, paper in zip(more, behind, strict=True)
        )
        name = f"{_STEP[shown.by]} {step[0]:g}" + ("" if step[1] is None else f", beside grade {step[1]:g}")
        left = [measure + wide * (index - (len(steps) - 1) / 2) for measure in range(len(shown.measures))]
        up = [value_of.get((measure, *step)) or 0.0 for measure in shown.measures]
        sheet.ax.bar(left, up, width=0.92 * wide, color=color, label=name, zorder=2)
    for index, measure in enumerate(shown.measures):
        if real(value := shown.baseline.get(measure)):
            ends_of_group = [index - _GROUP / 2, index + _GROUP / 2]
            sheet.ax.plot(ends_of_group, [value] * 2, color=sheet.palette.less, linewidth=1.2, zorder=3, label="_")
    as_it_is = "; line: the unchanged ranking" if any(map(real, shown.baseline.values())) else ""
    sheet.names(f"{_ACROSS[shown.by]}, for each measure{as_it_is}", "value")
    sheet.ax.set_xticks(range(len(shown.measures)), list(map(label, shown.measures)))
    sheet.ax.set_ylim(*ends(value_of.values()))
    sheet.legend()


def _number(sheet: Canvas, positions: Sequence[float]) -> None:
    """Label all positions of the horizontal axis if they are few, round numbers if they are many."""
    if len(positions) <= _LABELLED:
        sheet.ax.set_xticks(positions, [f"{x:g}" for x in positions])
    else:
        sheet.ax.locator_params(axis="x", integer=True)


def _swaps(sheet: Canvas, measures: Sequence[str], rows: Sequence[Row]) -> None:
    """Draw a mark for each pair, above 0 where the swap helps; several measures stand beside each other."""
    ax, palette = sheet.ax, sheet.palette
    pairs = {row["rank"]: row["swap"] for row in rows}
    many = len(pairs) > _LABELLED
    axis_label = f"change of {measures[0]}" if len(measures) == 1 else "change of the value"
    sheet.names("the upper of two ranks" if many else "ranks that change places", axis_label)
    defined_rows = [row for row in rows if real(row["change"])]
    shown = [row for row in defined_rows if row["change"] or not many]
    if not shown:
        sheet.note("no swap changes the value" if defined_rows else "no swap has a value")
        return
    ax.axhline(0, color=palette.muted, linewidth=1, label="_")
    if not many:
        ranks = list(pairs)[:: math.ceil(len(pairs) / _TICKS)]
        ax.set_xticks(ranks, [pairs[rank] for rank in ranks])
    ax.set_xlim(min(pairs) - 0.6, max(pairs) + 0.6)
    ax.margins(y=0.15)
    apart = 0.7 / len(measures)
    for series, measure in enumerate(measures):
        left = apart * (series - (len(measures) - 1) / 2)
        changes = [(row["rank"] + left, row["change"]) for row in shown if row["measure"] == measure]
        if len(measures) > 1:
            style = palette.style(series)
            _stems(sheet, changes, style.color, style.marker, measure)
        else:
            _stems(sheet, [pair for pair in changes if pair[1] > 0], palette.more, "^", "better")
            _stems(sheet, [pair for pair in changes if pair[1] < 0], palette.less, "v", "worse")
            _stems(sheet, [pair for pair in changes if pair[1] == 0], palette.muted, "o", "no change")
        if len(pairs) * len(measures) > _WRITTEN:  # the swap that gains most and the one that loses most
            changes = [pick(changes, key=lambda pair: pair[1]) for pick in (max, min)] if len(measures) == 1 else []
        for across, change in changes:
            if change:
                offset, align = (6, "bottom") if change > 0 else (-6, "top")
                sheet.beside(signed(change), (across, change), (0, offset), va=align, fontsize="x-small")
    sheet.legend()


def _stems(sheet: Canvas, changes: Sequence[tuple[float, float]], color: str, marker: str, name: str) -> None:
    """Draw marks on stems that stand on 0."""
    if changes:
        across, up = zip(*changes, strict=True)
        sheet.ax.vlines(across, 0, up, colors=color, linewidth=2, label="_")
        sheet.marks(across, up, marker, color, label=label(name))


def _ranges(sheet: Canvas, shown: Variation, rows: Sequence[Row]) -> None:
    """Draw each measure from the lowest to the highest value, with the mean, and a ring around the value as it is."""
    ax, palette = sheet.ax, sheet.palette
    sheet.rows(shown.measures)
    sheet.names(f"{_RANGES[shown.by]}; circle: the ranking as it stands")
    ax.set_xlim(*ends((row["value"] for row in rows), 0.02))
    for height, measure in enumerate(shown.measures):
        measure_rows = [row for row in rows if row["measure"] == measure and real(row["value"])]
        values = {row[shown.by]: row["value"] for row in measure_rows}
        if not {"lowest", "highest"} <= set(values):
            sheet.aside(height, number(None))
            continue
        bounds, across = [values["lowest"], values["highest"]], [height, height]
        ax.plot(bounds, across, color=palette.more, linewidth=5, solid_capstyle="butt")
        sheet.marks(bounds, across, "|", palette.more, markersize=12)
        alone = [row["value"] for row in measure_rows if row[shown.by] == "alone"]
        sheet.marks(alone, [height] * len(alone), "|", palette.text, markersize=12)
        text, more = span(*bounds), ""
        if "mean" in values:
            sheet.marks([values["mean"]], [height], "D", palette.text, markersize=6)
            more = f"mean {number(values['mean'])}"
        if "as it is" in values:
            ring = {"markersize": 13, "markerfacecolor": "none", "clip_on": False, "label": "_", "zorder": 4}
            sheet.marks([values["as it is"]], [height], "o", palette.muted, **ring)
        sheet.aside(height, text, more)
