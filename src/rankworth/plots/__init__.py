"""Plots: Axes in, Axes out, with matplotlib 3.11 or later (`pip install matplotlib`).

Each plot has its numbers under the same name in `rankworth.plots.data`. No plot opens a window, and none changes how
others look: settings of matplotlib are left as they are. Labels of all scripts are taken as they are.
"""

from rankworth.plots import data
from rankworth.plots.changes import vary
from rankworth.plots.curves import at_k, precision_recall
from rankworth.plots.pictures import rendered, save, stacked
from rankworth.plots.scoring import histogram, scores
from rankworth.plots.standings import standings
from rankworth.plots.steps import contributions

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
