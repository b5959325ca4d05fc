"""Plots: Axes in, Axes out, with matplotlib 3.11 or later (`pip install matplotlib`).

Each plot has its numbers under the same name in `rankworth.plots.data`. No plot opens a window, and none changes how
others look: settings of matplotlib are left as they are. Labels of all scripts are taken as they are.
"""

from rankworth.plots import data as data
from rankworth.plots.canvas import rendered as rendered
from rankworth.plots.canvas import save as save
from rankworth.plots.catalogue import long_tail as long_tail
from rankworth.plots.catalogue import tradeoff as tradeoff
from rankworth.plots.contributions import contributions as contributions
from rankworth.plots.contributions import stacked as stacked
from rankworth.plots.curves import at_k as at_k
from rankworth.plots.curves import precision_recall as precision_recall
from rankworth.plots.curves import vary as vary
from rankworth.plots.pipelines import flow as flow
from rankworth.plots.pipelines import silence as silence
from rankworth.plots.queries import heat_map as heat_map
from rankworth.plots.queries import query_differences as query_differences
from rankworth.plots.queries import query_scatter as query_scatter
from rankworth.plots.scores import differences as differences
from rankworth.plots.scores import histogram as histogram
from rankworth.plots.scores import scores as scores
from rankworth.plots.scores import systems as systems
