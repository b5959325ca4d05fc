"""Real trainings with measures of `rankworth.rankers`: values are those of `evaluate`, and training stops by them.

With `scripts/test --thorough` only, as the tools take a while to install; tests/test_rankers.py calls the measures as
these tools do.
"""

import json
import os
import subprocess
from pathlib import Path
from typing import Any, Final

import pytest

from live import environments

THOROUGH: Final = "thorough" in os.environ.get("HYPOTHESIS_PROFILE", "")
SCRIPT: Final = Path(environments.__file__).with_name("run_trainings.py")
PATIENCE: Final = 5
"""rounds without a better value after which trainings stop"""
PRINTED: Final = 1e-6
"""XGBoost keeps six decimals of a custom metric"""
STOPPED: Final = {
    "lgbm_ranker": 1e-12,
    "lightgbm_train": 1e-12,
    "xgboost_train": PRINTED,
    "xgboost_maximize": PRINTED,
    "catboost_numbers": 1e-12,
    "catboost_categories": 1e-12,
}
"""trainings that stop early, and how far values may be from those of `evaluate`"""


def test_trainings_are_measured_and_stopped_by_measures() -> None:
    """The best iteration is the first with the highest value, and a few more follow."""
    if not THOROUGH:
        return
    trainings = _trainings()
    for name, tolerance in STOPPED.items():
        told = trainings[name]
        history, best = told["history"], told["best"]
        assert history.index(max(history)) == best, name
        assert len(history) == best + 1 + PATIENCE, name
        assert history[best] == pytest.approx(told["evaluated"], abs=tolerance), name
        if told["library"]:
            assert history == pytest.approx(told["library"], abs=tolerance), name
    plain, shuffled = trainings["catboost_numbers"], trainings["catboost_categories"]
    assert plain["learn"] == pytest.approx(plain["value"], abs=1e-12)
    assert (shuffled["learn"], shuffled["slugs"]) == (0, ["shuffled-rows", "unlike-library"])
    assert "custom_metric=rankworth.rankers.xgboost(measure)" in trainings["xgb_ranker"]["error"]
    assert "none of the pools that were given has their labels" in trainings["catboost_without_the_test"]["error"]
    folds = trainings["cross_validation"]
    assert folds["scores"] == pytest.approx(folds["by_hand"], abs=1e-12)
    assert len(folds["parallel"]) == 3


def _trainings() -> dict[str, Any]:
    if reason := environments.missing("rankers"):
        pytest.fail(f"the tools cannot be run: {reason}", pytrace=False)
    done = subprocess.run([environments.python_of("rankers"), SCRIPT], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()[-3000:]
    trainings: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return trainings
