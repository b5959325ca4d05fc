"""Correlation: how alike two rankings are, the orders of systems by two measures, and by two judges."""

from rankworth.correlation.calibration import Calibration as Calibration
from rankworth.correlation.calibration import calibrate as calibrate
from rankworth.correlation.judges import Agreement as Agreement
from rankworth.correlation.judges import agreement as agreement
from rankworth.correlation.methods import METHODS as METHODS
from rankworth.correlation.power import DiscriminativePower as DiscriminativePower
from rankworth.correlation.power import discriminative_power as discriminative_power
from rankworth.correlation.rankings import DEFAULT as DEFAULT
from rankworth.correlation.rankings import Correlation as Correlation
from rankworth.correlation.rankings import Correlations as Correlations
from rankworth.correlation.rankings import correlate as correlate
from rankworth.correlation.rankings import correlate_runs as correlate_runs
from rankworth.correlation.systems import SystemCorrelation as SystemCorrelation
from rankworth.correlation.systems import correlate_judges as correlate_judges
from rankworth.correlation.systems import correlate_measures as correlate_measures
from rankworth.stats.overlap import weight_of_top as weight_of_top
