"""Plots: Axes in, Axes out, with matplotlib 3.11 or later (`pip install matplotlib`).

Each plot has its numbers under the same name in `rankworth.plots.data`. No plot opens a window, and none changes how
others look: settings of matplotlib are left as they are. Labels of all scripts are taken as they are.
"""

from typing import Any
from warnings import warn

from rankworth.plots import data
from rankworth.plots.canvas import rendered, save
from rankworth.plots.contributions import contributions, stacked
from rankworth.plots.curves import at_k, precision_recall, vary
from rankworth.plots.scores import differences, histogram, scores, systems

__all__ = [
    "at_k",
    "contributions",
    "data",
    "differences",
    "histogram",
    "precision_recall",
    "rendered",
    "save",
    "scores",
    "stacked",
    "systems",
    "vary",
]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - a function
    """The old name of `systems`."""
    if name == "standings":
        warn("rankworth.plots.standings is now rankworth.plots.systems", DeprecationWarning, stacklevel=2)
        return systems
    message = f"module 'rankworth.plots' has no attribute {name!r}"
    raise AttributeError(message)
