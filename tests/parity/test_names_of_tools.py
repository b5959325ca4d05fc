"""Every public name of an installed tool's module of measures stands in its profile, or is no measure."""

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from live import environments
from rankworth.profiles import PROFILES
from rankworth.spellings import folded

THOROUGH: Final = "thorough" in os.environ.get("HYPOTHESIS_PROFILE", "")
SCRIPT: Final = Path(__file__).parents[1] / "live" / "run_names.py"


class Names(NamedTuple):
    """Where a tool's names are, and which of them are no measures."""

    environment: str
    profile: str
    no_measures: str


MODULES: Final = {
    "rectools.metrics": Names("recommending", "rectools-0.19", r".*Calculator|.*[dD]ebias.*|calc_metrics"),
    "replay.metrics": Names(
        "recommending",
        "replay-0.22",
        r"descriptors|CalculationDescriptor|ConfidenceInterval|Mean|Median|PerUser|Metric|base_metric"
        r"|offline_?metrics|experiment",
    ),
    "recommenders.evaluation.python_evaluation": Names(
        "recommending",
        "recommenders-1.2",
        r"np|pd|wraps|metrics|DEFAULT_.*|has_.*|lru_.*|.*Error|merge_.*|get_top_k_items|.*_score|mean_.*_error|log_loss",
    ),
    "implicit.evaluation": Names(
        "recommending", "implicit-0.7", r"np|c.._matrix|tqdm|check_.*|.*_split|ranking_metrics_at_k"
    ),
    "ranx.metrics": Names(
        environments.OWN, "ranx-0.3", r"get_hit_lists|average_precision|rank_biased_precision|reciprocal_rank"
    ),
    "torchmetrics.retrieval": Names(environments.OWN, "torchmetrics-1.9", ""),
    "torchmetrics.functional.retrieval": Names(environments.OWN, "torchmetrics-1.9", ""),
    "sklearn.metrics": Names(
        environments.OWN,
        "scikit-learn-1.9",
        r".*Display|DistanceMetric|check_.*|cluster|get_.*|make_scorer|.*distances.*|pairwise_.*|metric_at_.*",
    ),
    "catboost.metrics": Names("rankers", "catboost-1.2", ""),
}
"""ranx evaluates by names of its own, such as map for average_precision, which the profile has"""


@pytest.mark.skipif(not THOROUGH, reason="tools are compared with by scripts/test --thorough")
@pytest.mark.parametrize("module", MODULES)
def test_every_name_of_the_tool_stands_in_its_profile(module: str) -> None:
    names = MODULES[module]
    assert not (reason := environments.missing(names.environment)), reason
    done = subprocess.run(
        [environments.python_of(names.environment), "-W", "ignore", SCRIPT],
        input=json.dumps([module]),
        capture_output=True,
        text=True,
        check=True,
    )
    public = json.loads(done.stdout.splitlines()[-1])[module]
    stated = set(map(folded, PROFILES[names.profile].tool_names))
    measures = [name for name in public if not re.fullmatch(names.no_measures, name, re.IGNORECASE)]
    assert len(measures) >= 4
    assert [name for name in measures if folded(name) not in stated] == []
