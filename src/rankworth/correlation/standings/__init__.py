"""How alike two orders of the same systems are: by two measures, or by one measure under two sets of judgements."""

from rankworth.correlation.standings.asking import correlate_measures
from rankworth.correlation.standings.judges import correlate_judges
from rankworth.correlation.standings.power import discriminative_power
from rankworth.correlation.standings.powers import DiscriminativePower, MeasurePower
from rankworth.correlation.standings.result import SystemCorrelation
from rankworth.correlation.standings.rows import Correlated, Estimate
from rankworth.correlation.standings.swaps import Swap
from rankworth.correlation.standings.views import View

__all__ = [
    "Correlated",
    "DiscriminativePower",
    "Estimate",
    "MeasurePower",
    "Swap",
    "SystemCorrelation",
    "View",
    "correlate_judges",
    "correlate_measures",
    "discriminative_power",
]
