"""The way of a plot into a file."""

import warnings
from io import BytesIO
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from rankworth.errors import UsageError
from rankworth.io import results
from rankworth.plots.canvas import library, size
from rankworth.plots.steps import contributions, lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from rankworth.explanation import Difference, Explanation

METADATA: Final[dict[str, dict[str, Any]]] = {"png": {}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}
"""the formats, and what they would say of the hour and should not"""
_DOTS: Final = 200
_MOST: Final = 40
"""how many plots a picture has room for: one of 65,536 dots can not be written"""


def stacked(explanations: "Sequence[Explanation | Difference]") -> "Axes":
    """The contributions of several explanations below each other, on a figure that pyplot does not know.

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
    library()
    from matplotlib.figure import Figure  # noqa: PLC0415 - optional library

    if not 0 < len(explanations) <= _MOST:
        text = f"a picture has room for 1 to {_MOST} explanations, there are {len(explanations)}"
        raise UsageError("conflicting-options", text, remedy="choose fewer queries or measures")
    sizes = [size(lines(one)) for one in explanations]
    heights = [high for _, high in sizes]
    figure = Figure(figsize=(sizes[0][0], sum(heights)), layout="constrained")
    axes = figure.subplots(len(sizes), squeeze=False, height_ratios=heights)[:, 0].tolist()
    for one, ax in zip(explanations, axes, strict=True):
        contributions(one, ax=ax)
    return axes[0]  # type: ignore[no-any-return]


def save(ax: "Axes", path: str | PathLike[str]) -> None:
    """Write the figure of some Axes into a file, whole or not at all.

    Args:
        ax: any Axes of the figure.
        path: where to; the suffix says the format: `.png`, `.svg` or `.pdf`.

    Raises:
        UsageError: `unknown-format`, `unwritable-output`.

    >>> from rankworth import evaluate, plots
    >>> ax = plots.scores(evaluate(labels=[[1, 0], [0, 1]], measures=["RR"]), interval=False)
    >>> plots.save(ax, "values.bmp")
    Traceback (most recent call last):
        ...
    rankworth.errors.UsageError: values.bmp: pictures are written as png svg pdf   [unknown-format]
    """
    target = Path(path)
    form = target.suffix.lower().removeprefix(".")
    if form not in METADATA:
        raise UsageError("unknown-format", f"{path}: pictures are written as {' '.join(METADATA)}")
    if refused := results.refusal(target, ()):
        raise UsageError("unwritable-output", f"{path}: {refused}")
    results.write({target: rendered(ax, form)})


def rendered(ax: "Axes", form: str) -> bytes:
    """The figure of some Axes as the content of a file; equal figures become equal bytes.

    Args:
        ax: any Axes of the figure.
        form: png, svg or pdf.

    """
    figure = ax.get_figure(root=True)
    content = BytesIO()
    if figure is None:
        return b""
    before = [(one, one.get_position(original=True), one.get_position(), one.get_in_layout()) for one in figure.axes]
    with library().rc_context({"svg.hashsalt": "rankworth"}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")  # it was said when they were drawn
        figure.savefig(content, format=form, dpi=_DOTS, metadata=METADATA[form])
    for one, original, active, laid_out in before:  # or the next layout would begin where this one ended
        one.set_position(original, "original")
        one.set_position(active, "active")
        one.set_in_layout(laid_out)
    return content.getvalue()
