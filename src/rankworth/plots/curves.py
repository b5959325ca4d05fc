"""Charts of a measure by its cutoff, of precision by recall, and of what a change does to a value."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from rankworth import explanation
from rankworth.explanation import Variation
from rankworth.measures import Measure
from rankworth.plots import data
from rankworth.plots.canvas import Canvas, canvas
from rankworth.plots.text import label, number, real, signed, span

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Series = Sequence[tuple[str, Sequence[float], Sequence[float]]]
_BY_RATIO: Final = 12
"""from which ratio of the last cutoff to the first they are placed by ratio"""
Row = Mapping[str, Any]

_ACROSS: Final = {"position": "rank of the document", "grade": "grade of the document", "cutoff": "cutoff k"}
_GRID: Final = dict.fromkeys(_ACROSS, "both") | {"swap": "y"}
_RANGES: Final = {
    "ties": "over the orders of documents with one score; diamond: the mean",
    "unjudged": "over the grades of documents that nobody judged; strokes: one of them relevant",
}
_LABELLED: Final = 24
"""up to how many swaps each has its mark, also where it changes nothing"""
_TICKS: Final = 12
"""at most how many numbers stand below an axis"""
_SAID: Final = 12
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


def vary(
    variation: Variation | str | Measure | Iterable[str | Measure],
    *arguments: Any,  # noqa: ANN401 - as for rankworth.vary
    ax: "Axes | None" = None,
    **settings: Any,  # noqa: ANN401 - as for rankworth.vary
) -> "Axes":
    """What a change does to the value of a ranking.

    Positions, grades and cutoffs become lines, one for each measure; swaps of neighbours a mark for each pair, above 0
    where the swap would help; ties and unjudged documents the range of what the value could be.

    Args:
        variation: what `rankworth.vary` returns; or its first argument, with the others after it.
        *arguments: as for `rankworth.vary`.
        ax: where to draw; a new figure where None.
        **settings: as for `rankworth.vary`.

    Returns:
        The Axes. `rankworth.plots.data.vary` gives the numbers.

    Raises:
        InputError, MeasureError: as `rankworth.vary`.
        UsageError: as `rankworth.vary`; `missing-library`.

    >>> ax = vary(["RR", "nDCG@5"], by="position")
    >>> ax.lines[0].get_label(), [round(float(value), 4) for value in ax.lines[0].get_ydata()]
    ('RR', [1.0, 0.5, 0.3333, 0.25, 0.2])
    """
    shown = variation if isinstance(variation, Variation) else explanation.vary(variation, *arguments, **settings)
    rows = data.vary(shown).rows(named=True)
    with canvas(ax, len(shown.measures) + 2, grid=_GRID.get(shown.by, "x")) as sheet:
        sheet.title(shown.sentence)
        if not rows:
            sheet.note("nothing to vary")
        elif shown.by in _ACROSS:
            _lines(sheet, shown, rows)
        elif shown.by == "swap":
            _swaps(sheet, shown.measures, rows)
        else:
            _ranges(sheet, shown, rows)
        return sheet.ax


def _lines(sheet: Canvas, shown: Variation, rows: Sequence[Row]) -> None:
    """A line for each measure, or for each document that stands beside; thin ones for the ranking as it is.

    Measures with the same values share a line, as of two lines on each other one would be seen.
    """
    series: dict[tuple[str, float | None], list[Row]] = {}
    for row in rows:
        series.setdefault((row["measure"], row.get("beside")), []).append(row)
    places = sorted({row[shown.by] for row in rows})
    _number(sheet, places)
    lines: dict[tuple[Any, ...], list[str]] = {}
    for (measure, beside), own in series.items():
        alike = tuple(_rounded(row["value"]) for row in own)
        lines.setdefault((beside, alike), []).append(measure)
    drawn = {measure: place for place, together in enumerate(lines.values()) for measure in together}
    now = [(drawn[name], value) for name, value in shown.baseline.items() if real(value)]
    for place, value in now:
        sheet.ax.axhline(value, color=sheet.palette.style(place).color, linewidth=0.8, alpha=0.6, zorder=1, label="_")
    sheet.names(f"{_ACROSS[shown.by]}; thin lines: as it is" if now else _ACROSS[shown.by], "value")
    draw(
        sheet,
        [
            (
                ", ".join(together) if beside is None else f"{', '.join(together)}, beside grade {beside:g}",
                [row[shown.by] for row in series[together[0], beside]],
                [_or_nan(row["value"]) for row in series[together[0], beside]],
            )
            for (beside, _), together in lines.items()
        ],
    )


def _number(sheet: Canvas, places: Sequence[float]) -> None:
    """Number all places of the horizontal axis where there are few, and round ones where there are many."""
    if len(places) <= _LABELLED:
        sheet.ax.set_xticks(places, [f"{place:g}" for place in places])
    else:
        sheet.ax.locator_params(axis="x", integer=True)


def _swaps(sheet: Canvas, measures: Sequence[str], rows: Sequence[Row]) -> None:
    """A mark for each pair, above 0 where the swap helps; several measures stand beside each other."""
    ax, palette = sheet.ax, sheet.palette
    pairs = {row["rank"]: row["swap"] for row in rows}
    many = len(pairs) > _LABELLED
    what = f"change of {measures[0]}" if len(measures) == 1 else "change of the value"
    sheet.names("the upper of two ranks" if many else "ranks that change places", what)
    known = [row for row in rows if real(row["change"])]
    shown = [row for row in known if row["change"] or not many]
    if not shown:
        sheet.note("no swap changes the value" if known else "no swap has a value")
        return
    ax.axhline(0, color=palette.muted, linewidth=1, label="_")
    if not many:
        named = list(pairs)[:: math.ceil(len(pairs) / _TICKS)]
        ax.set_xticks(named, [pairs[rank] for rank in named])
    ax.set_xlim(min(pairs) - 0.6, max(pairs) + 0.6)
    ax.margins(y=0.15)
    apart = 0.7 / len(measures)
    for place, measure in enumerate(measures):
        style = palette.style(place)
        left = apart * (place - (len(measures) - 1) / 2)
        own = [(row["rank"] + left, row["change"]) for row in shown if row["measure"] == measure]
        if len(measures) > 1:
            _stems(sheet, own, style.color, style.marker, measure)
        else:
            _stems(sheet, [one for one in own if one[1] > 0], palette.more, "^", "better")
            _stems(sheet, [one for one in own if one[1] < 0], palette.less, "v", "worse")
            _stems(sheet, [one for one in own if one[1] == 0], palette.muted, "o", "no change")
        said = own if len(pairs) * len(measures) <= _SAID else _extremes(own) if len(measures) == 1 else []
        for across, change in said:
            _beside(sheet, across, change)
    sheet.legend(loc="upper left", bbox_to_anchor=(1, 1))


def _extremes(changes: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """The swap that gains most and the one that loses most."""
    return [pick(changes, key=lambda one: one[1]) for pick in (max, min)]


def _stems(sheet: Canvas, changes: Sequence[tuple[float, float]], color: str, marker: str, name: str) -> None:
    """Marks on stems that stand on 0."""
    if changes:
        across, up = zip(*changes, strict=True)
        sheet.ax.vlines(across, 0, up, colors=color, linewidth=2, label="_")
        sheet.marks(across, up, marker, color, label=label(name))


def _beside(sheet: Canvas, across: float, change: float) -> None:
    """A change in words, outside of its mark; nothing where there is none."""
    if change:
        offset, align = (6, "bottom") if change > 0 else (-6, "top")
        sheet.beside(signed(change), (across, change), (0, offset), va=align, fontsize="x-small")


def _ranges(sheet: Canvas, shown: Variation, rows: Sequence[Row]) -> None:
    """For each measure from the lowest to the highest value, with the mean, and a ring around the value as it is."""
    ax, palette = sheet.ax, sheet.palette
    ax.set_ylim(len(shown.measures) - 0.4, -0.6)
    ax.set_yticks(range(len(shown.measures)), list(map(label, shown.measures)))
    sheet.names(f"{_RANGES[shown.by]}; ringed: as it is")
    values = [row["value"] for row in rows if real(row["value"])]
    low, high = min([0.0, *values]), max([1.0, *values])
    ax.set_xlim(low - 0.02 * (high - low), high + 0.02 * (high - low))
    for place, measure in enumerate(shown.measures):
        own = [row for row in rows if row["measure"] == measure]
        found = {row[shown.by]: row["value"] for row in own if real(row["value"])}
        if not {"lowest", "highest"} <= set(found):
            sheet.aside(place, number(None))
            continue
        low, high = found["lowest"], found["highest"]
        ax.plot([low, high], [place, place], color=palette.more, linewidth=5, solid_capstyle="butt")
        sheet.marks([low, high], [place, place], "|", palette.more, markersize=12)
        alone = [row["value"] for row in own if row[shown.by] == "alone" and real(row["value"])]
        sheet.marks(alone, [place] * len(alone), "|", palette.text, markersize=12)
        said = span(low, high)
        if "mean" in found:
            sheet.marks([found["mean"]], [place], "D", palette.text, markersize=6)
            said += f", mean {number(found['mean'])}"
        if "as it is" in found:
            ring = {"markersize": 13, "markerfacecolor": "none", "clip_on": False, "label": "_", "zorder": 4}
            sheet.marks([found["as it is"]], [place], "o", palette.muted, **ring)
        sheet.aside(place, said)


def _rounded(value: float | None) -> float | None:
    """A value to 12 digits, by which lines that would lie on each other are known; None where there is none."""
    return round(value, 12) if value is not None and real(value) else None


def _or_nan(value: float | None) -> float:
    return float("nan") if value is None else value
