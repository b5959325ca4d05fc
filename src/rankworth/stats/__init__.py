"""Statistics of differences, agreement and rankings: arrays in, frozen results out; no query ids, no names of measures.

Tables are `[N, K]`: a row for each of N queries, a column for each of K columns, such as one system
under one measure. A NaN says that this query has no value there; a column is treated over its own rows. Rows may have
weights; the mean is then `sum(w d) / sum(w)`.

Each name is loaded on first use, and `scipy` when something is computed with it.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from rankworth.stats.clusters import ClusteredShare as ClusteredShare
    from rankworth.stats.clusters import clustered_mean as clustered_mean
    from rankworth.stats.clusters import clustered_share as clustered_share
    from rankworth.stats.clusters import corrected_share as corrected_share
    from rankworth.stats.corrections import CORRECTIONS as CORRECTIONS
    from rankworth.stats.corrections import Correction as Correction
    from rankworth.stats.corrections import adjusted as adjusted
    from rankworth.stats.paired import BIBTEX as BIBTEX
    from rankworth.stats.paired import FLIPS as FLIPS
    from rankworth.stats.paired import TESTS as TESTS
    from rankworth.stats.paired import Method as Method
    from rankworth.stats.paired import Noninferiority as Noninferiority
    from rankworth.stats.paired import Tests as Tests
    from rankworth.stats.paired import bootstrap_test as bootstrap_test
    from rankworth.stats.paired import equivalence as equivalence
    from rankworth.stats.paired import noninferiority as noninferiority
    from rankworth.stats.paired import randomization as randomization
    from rankworth.stats.paired import sign_test as sign_test
    from rankworth.stats.paired import t_test as t_test
    from rankworth.stats.paired import wilcoxon as wilcoxon
    from rankworth.stats.planning import minimal_detectable as minimal_detectable
    from rankworth.stats.planning import power as power
    from rankworth.stats.planning import queries_needed as queries_needed
    from rankworth.stats.predictions import PredictionPowered as PredictionPowered
    from rankworth.stats.predictions import prediction_powered as prediction_powered
    from rankworth.stats.proportions import clopper_pearson as clopper_pearson
    from rankworth.stats.proportions import interval_of_median as interval_of_median
    from rankworth.stats.repetitions import Components as Components
    from rankworth.stats.repetitions import Design as Design
    from rankworth.stats.repetitions import Repetitions as Repetitions
    from rankworth.stats.repetitions import RunDifference as RunDifference
    from rankworth.stats.repetitions import repeated_runs as repeated_runs
    from rankworth.stats.repetitions import run_difference as run_difference
    from rankworth.stats.repetitions import runs_to_decide as runs_to_decide
    from rankworth.stats.resampling import Intervals as Intervals
    from rankworth.stats.resampling import intervals as intervals
    from rankworth.stats.samples import RESAMPLES as RESAMPLES
    from rankworth.stats.samples import Alternative as Alternative
    from rankworth.stats.samples import Effects as Effects
    from rankworth.stats.samples import Floats as Floats
    from rankworth.stats.samples import deviations as deviations
    from rankworth.stats.samples import differences as differences
    from rankworth.stats.samples import effects as effects
    from rankworth.stats.samples import levelled as levelled
    from rankworth.stats.samples import means as means
    from rankworth.stats.variance import SHUFFLES as SHUFFLES
    from rankworth.stats.variance import Anova as Anova
    from rankworth.stats.variance import PairwiseTests as PairwiseTests
    from rankworth.stats.variance import RandomizedTukey as RandomizedTukey
    from rankworth.stats.variance import Source as Source
    from rankworth.stats.variance import anova as anova
    from rankworth.stats.variance import randomized_tukey as randomized_tukey
    from rankworth.stats.variance import tukey_hsd as tukey_hsd

TestName = Literal["randomization", "t", "wilcoxon", "sign", "bootstrap", "tukey", "randomized-tukey"]
"""Tests of differences: the keys of `TESTS`, and those of all systems at once."""
CorrectionName = Literal["holm", "bonferroni", "bh", "by", "none"]
"""The keys of `CORRECTIONS`."""
IntervalName = Literal["test", "bca", "percentile", "t"]
"""Intervals of differences: those of the test alone, or further ones, as `intervals` makes them."""

_HOMES = {
    "clusters": "ClusteredShare clustered_mean clustered_share corrected_share",
    "corrections": "CORRECTIONS Correction adjusted",
    "paired": "BIBTEX FLIPS TESTS Method Noninferiority Tests bootstrap_test equivalence noninferiority randomization "
    "sign_test t_test wilcoxon",
    "planning": "minimal_detectable power queries_needed",
    "predictions": "PredictionPowered prediction_powered",
    "proportions": "clopper_pearson interval_of_median",
    "repetitions": "Components Design Repetitions RunDifference repeated_runs run_difference runs_to_decide",
    "resampling": "Intervals intervals",
    "samples": "RESAMPLES Alternative Effects Floats deviations differences effects levelled means",
    "variance": "SHUFFLES Anova PairwiseTests RandomizedTukey Source anova randomized_tukey tukey_hsd",
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names.split()}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - functions, classes and tables
    """Load a name on first use."""
    if name in _HOME_OF:
        return getattr(import_module(f"rankworth.stats.{_HOME_OF[name]}"), name)
    message = f"module 'rankworth.stats' has no attribute {name!r}"
    raise AttributeError(message)


def __dir__() -> list[str]:
    """List the names above."""
    return sorted(_HOME_OF)
