"""Charts of explanations: what each rank adds, against the ideal ranking, or each document to a difference."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from rankworth.errors import UsageError
from rankworth.explanation import Difference, Explanation
from rankworth.plots import data
from rankworth.plots.canvas import ROUNDING, Canvas, canvas, label, library, real, signed, size
from rankworth.plots.data import Row
from rankworth.scoring.inputs import GRADES

if TYPE_CHECKING:
    from matplotlib.axes import Axes


_WIDE: Final = 0.8
_LABELLED: Final = 25
"""up to how many ranks each has its number, its document and its grade"""
_ID: Final = 26
_THIN: Final = 100
"""from how many ranks bars would be thinner than what can be seen"""
_MOST: Final = 40
"""how many charts a picture has room for: one of 65,536 dots can not be written"""


def contributions(explanation: Explanation | Difference, *, ax: "Axes | None" = None) -> "Axes":
    """Draw the contribution of each rank to a value, beside that of the ideal ranking if the measure has one.

    For the difference of two runs, draw what each document adds to it, those that add most first.

    Args:
        explanation: what `rankworth.explain` returns for one query and measure.
        ax: where to draw; a new figure where None.

    Returns:
        The Axes. `rankworth.plots.data.contributions` gives the numbers.

    Raises:
        UsageError: `missing-library`.

    >>> from rankworth import explain
    >>> ax = contributions(explain(grades=[2, 1, 0, 1, 2], measure="nDCG(gain=exp2)@3"))
    >>> ax.get_title(loc="left")
    'nDCG(gain=exp2)@3 = 3.6309 / 5.3928 = 0.6733'
    >>> [round(float(bar.get_height()), 4) for bar in ax.containers[0]]
    [3.0, 0.6309, 0.0]
    """
    if isinstance(explanation, Difference):
        return _difference(explanation, ax)
    rows = data.contributions(explanation).rows(named=True)
    steps, ideal = ([row for row in rows if row["ranking"] == of] for of in ("run", "ideal"))
    with canvas(ax, _rows(explanation), grid="y") as sheet:
        sheet.title(f"{explanation.measure} = {explanation.arithmetic}", _about(explanation.run, explanation.query))
        sheet.names("rank", "adds to the sum")
        if not rows:
            sheet.note("no document adds anything")
            return sheet.ax
        cutoff = explanation.context.measure.cutoff or 0
        last = max(row["rank"] for row in rows)
        last = max(last, cutoff) if cutoff <= _LABELLED else last
        _bars(sheet, steps, ideal)
        _ranks(sheet, steps, last)
        if 0 < cutoff <= last:
            sheet.ax.axvline(cutoff + 0.5, color=sheet.palette.less, linestyle=(0, (1, 1)), linewidth=1.5, label="_")
            along = {"xycoords": ("data", "axes fraction"), "rotation": 90, "ha": "left", "va": "center"}
            sheet.beside(f"cutoff {cutoff}", (cutoff + 0.5, 0.5), (2, 0), color=sheet.palette.muted, **along)
        return sheet.ax


def stacked(explanations: "Sequence[Explanation | Difference]") -> "Axes":
    """Draw the contributions of several explanations below each other, on a figure that pyplot does not know.

    Args:
        explanations: what `rankworth.explain_queries` returns.

    Returns:
        The uppermost Axes.

    Raises:
        UsageError: `conflicting-options` where there are none or too many; `missing-library`.

    >>> from rankworth import explain
    >>> ax = stacked([explain(grades=[2, 1, 0], measure=measure) for measure in ("nDCG@3", "RR")])
    >>> [one.get_title(loc="left") for one in ax.get_figure().axes]
    ['nDCG@3 = 2.6309 / 2.6309 = 1', 'RR = 1']
    """
    data.require(explanations, Sequence, "rankworth.explain_queries")
    library()
    from matplotlib.figure import Figure  # noqa: PLC0415 - optional library

    if not 0 < len(explanations) <= _MOST:
        text = f"a picture has room for 1 to {_MOST} explanations, there are {len(explanations)}"
        raise UsageError("conflicting-options", text, remedy="choose fewer queries or measures")
    sizes = [size(_rows(explanation)) for explanation in explanations]
    heights = [high for _, high in sizes]
    figure = Figure(figsize=(sizes[0][0], sum(heights)), layout="constrained")
    axes = figure.subplots(len(sizes), squeeze=False, height_ratios=heights)[:, 0].tolist()
    for explained, ax in zip(explanations, axes, strict=True):
        contributions(explained, ax=ax)
    return axes[0]  # type: ignore[no-any-return]


def _difference(explained: Difference, ax: "Axes | None") -> "Axes":
    """Draw a bar for each document that has a part in the difference."""
    rows = _parts(explained)
    shown = rows[:_LABELLED]
    with canvas(ax, _rows(explained), grid="x") as sheet:
        runs = f"{explained.second.run or 'second run'} \N{MINUS SIGN} {explained.first.run or 'first run'}"
        sheet.title(f"{explained.measure}: {signed(explained.difference)}", _about(runs, explained.query))
        more = len(rows) - len(shown)
        sheet.names("adds to the difference" + (f"; {more:,} more documents are not shown" if more else ""))
        if not shown:
            sheet.note("no document makes a difference")
            return sheet.ax
        sheet.rows([row["document"] for row in shown])
        sheet.ax.locator_params(axis="x", nbins=5)
        sheet.ax.axvline(0, color=sheet.palette.muted, linewidth=1, label="_")
        for index, row in enumerate(shown):
            color = sheet.palette.more if row["difference"] > 0 else sheet.palette.less
            sheet.ax.barh(index, row["difference"], height=0.66, color=color, zorder=2)
            sheet.aside(index, f"{signed(row['difference'])}   {_moved(row)}")
        return sheet.ax


def _rows(explanation: Explanation | Difference) -> int:
    """Count the lines of text that the plot of an explanation is high."""
    return min(len(_parts(explanation)), _LABELLED) + 2 if isinstance(explanation, Difference) else 12


def _parts(explained: Difference) -> list[Row]:
    """List what adds to a difference, without the rounding of its last bits."""
    return [row for row in data.contributions(explained).rows(named=True) if abs(row["difference"]) > ROUNDING]


def _moved(row: Row) -> str:
    """Return the old and the new rank of a document; empty for a rank without a document."""
    before, after = row["first_rank"], row["second_rank"]
    if before is None:
        return "" if after is None else f"new at rank {after}"
    if before == after:
        return f"rank {before}"
    return f"gone from rank {before}" if after is None else f"rank {before} \N{RIGHTWARDS ARROW} {after}"


def _about(run: str, query: object) -> str:
    """Say whose numbers these are; a list of grades has no names."""
    return ", ".join(filter(None, (run, "" if query == GRADES else f"query {query}")))


def _bars(sheet: Canvas, steps: Sequence[Any], ideal: Sequence[Any]) -> None:
    """Draw the run as bars and the ideal as dashed outlines; hatch the ranks that nobody judged."""
    ax, palette = sheet.ax, sheet.palette
    unjudged = _stretches(step["rank"] for step in steps if step["grade"] is None)
    for index, (first, last) in enumerate(unjudged):
        looks = {"facecolor": "none", "edgecolor": palette.muted, "alpha": 0.4, "hatch": "////", "linewidth": 0}
        mark = "_" if index else "not judged"
        ax.axvspan(first - _WIDE / 2, last + _WIDE / 2, zorder=1, label=mark, **looks)  # type: ignore[arg-type]
    ranks, adds = _by_rank(steps)
    thin = len(ranks) > _THIN
    ax.bar(ranks, adds, width=_WIDE, color=palette.more, linewidth=0.7 * thin, edgecolor=palette.more, zorder=2)
    ax.containers[-1].set_label("this ranking")
    if ideal:
        best = dict(zip(*_by_rank(ideal), strict=True))
        deepest = max(best)
        heights = [best.get(rank, 0.0) for rank in range(1, deepest + 1)]
        edges = [rank + 0.5 for rank in range(deepest + 1)]
        looks = {"color": palette.text, "linestyle": (0, (3, 2)), "linewidth": 1.3}
        ax.stairs(heights, edges, label="ideal ranking", zorder=3, **looks)  # type: ignore[arg-type]
    if ideal or unjudged:
        (sheet.legend_inside if sheet.is_narrow else sheet.legend)()


def _stretches(ranks: Iterable[int]) -> list[tuple[int, int]]:
    """Join ranks that follow each other to stretches, as their first and last.

    >>> _stretches([1, 2, 4, 4])
    [(1, 2), (4, 4)]
    """
    spans: list[tuple[int, int]] = []
    for rank in sorted(set(ranks)):
        follows = bool(spans) and spans[-1][1] == rank - 1
        spans.append((spans.pop()[0] if follows else rank, rank))
    return spans


def _by_rank(steps: Iterable[Any]) -> tuple[list[int], list[float]]:
    """Sum the contributions by rank; a measure may add something at a rank several times."""
    sums: defaultdict[int, float] = defaultdict(float)
    for step in steps:
        sums[step["rank"]] += step["contribution"] if real(step["contribution"]) else 0.0
    return list(sums), list(sums.values())


def _ranks(sheet: Canvas, steps: Sequence[Any], last: int) -> None:
    """Label ranks with their documents below, and write grades above the bars."""
    ax, palette = sheet.ax, sheet.palette
    ax.set_xlim(0.4, last + 0.5)
    ax.margins(y=0.12)
    if not any(step["contribution"] for step in steps) and ax.get_ylim()[0] < 0:
        ax.set_ylim(0, 1)  # where nothing is added, as much is below 0 as above
    if last > _LABELLED:
        return
    ax.set_xticks(range(1, last + 1), list(map(str, range(1, last + 1))))
    named = {step["rank"]: str(step["document"]) for step in steps if step["document"] is not None}
    documents = {rank: document for rank, document in named.items() if document != str(rank)}
    if documents:
        _documents(sheet, documents)
    heights = dict(zip(*_by_rank(steps), strict=True))
    for step in {step["rank"]: step for step in reversed(steps)}.values():
        grade = "?" if step["grade"] is None else f"{step['grade']:g}"
        box = {"boxstyle": "round,pad=0.2", "facecolor": ax.get_facecolor(), "edgecolor": palette.muted}
        sheet.beside(grade, (step["rank"], max(heights[step["rank"]], 0.0)), (0, 4), bbox=box, zorder=4)


def _documents(sheet: Canvas, documents: Mapping[int, str]) -> None:
    """Write ids below the ranks, askew, as ticks of their own: in one text, an id could change places with its rank."""
    axis = sheet.ax.xaxis
    axis.remove_overlapping_locs = False
    axis.set_ticks(list(documents), [label(document, _ID) for document in documents.values()], minor=True)
    looks = {"labelrotation": 35, "labelsize": "small", "labelcolor": sheet.palette.muted}
    sheet.ax.tick_params(axis="x", which="minor", length=0, pad=18, **looks)
    for tick in axis.get_ticklabels(minor=True):
        tick.set_horizontalalignment("right")
        tick.set_rotation_mode("anchor")
