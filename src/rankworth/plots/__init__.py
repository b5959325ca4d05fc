"""Plots: Axes in, Axes out, with matplotlib 3.11 or later (`pip install matplotlib`).

Each plot has its numbers under the same name in `rankworth.plots.data`. No plot opens a window, and none changes how
others look: settings of matplotlib are left as they are. Labels of all scripts are taken as they are.
"""

from rankworth.plots import data
from rankworth.plots.canvas import rendered, save
from rankworth.plots.contributions import contributions, stacked
from rankworth.plots.curves import at_k, precision_recall, vary
from rankworth.plots.scores import histogram, scores, standings

__all__ = [
    "at_k",
    "contributions",
    "data",
    "histogram",
    "precision_recall",
    "rendered",
    "save",
    "scores",
    "stacked",
    "standings",
    "vary",
]
