"""Correlation: how alike two rankings are, the orders of systems by two measures, and by two judges."""

from rankworth.correlation.judges import Agreement, agreement
from rankworth.correlation.methods import METHODS
from rankworth.correlation.power import DiscriminativePower, discriminative_power
from rankworth.correlation.rankings import DEFAULT, Correlation, Correlations, correlate, correlate_runs
from rankworth.correlation.systems import SystemCorrelation, correlate_judges, correlate_measures
from rankworth.stats.overlap import weight_of_top

__all__ = [
    "DEFAULT",
    "METHODS",
    "Agreement",
    "Correlation",
    "Correlations",
    "DiscriminativePower",
    "SystemCorrelation",
    "agreement",
    "correlate",
    "correlate_judges",
    "correlate_measures",
    "correlate_runs",
    "discriminative_power",
    "weight_of_top",
]
