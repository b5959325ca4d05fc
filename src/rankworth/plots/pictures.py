"""The way of a plot into a file."""

import warnings
from io import BytesIO
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from rankworth.errors import UsageError
from rankworth.io import results
from rankworth.plots.canvas import library

if TYPE_CHECKING:
    from matplotlib.axes import Axes

METADATA: Final[dict[str, dict[str, Any]]] = {"png": {}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}
"""the formats, and what they would say of the hour and should not"""
_DOTS: Final = 200


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
    with library().rc_context({"svg.hashsalt": "rankworth"}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")  # it was said when they were drawn
        if figure is not None:
            figure.savefig(content, format=form, dpi=_DOTS, metadata=METADATA[form])
    return content.getvalue()
