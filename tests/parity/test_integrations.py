"""The programs of the pages about other libraries run with these, and PyTerrier's experiments with our provider.

With `scripts/test --thorough` only, as the libraries are 2 GB; tests/test_integrations.py runs the same programs with
stand-ins at each commit.
"""

import json
import math
import os
import subprocess
from pathlib import Path
from typing import Any, Final

import pytest

from live import environments
from live.integrations import SECTIONS, check

THOROUGH: Final = "thorough" in os.environ.get("HYPOTHESIS_PROFILE", "")
TESTS: Final = Path(environments.__file__).parents[1]
ENVIRONMENT: Final = "integrations"


def test_programs_give_the_numbers_that_were_worked_out_with_the_libraries() -> None:
    """What stands in for a library has its parameters, and profile `mlflow-3.17` has MLflow's own numbers."""
    if not THOROUGH:
        return
    numbers = _printed("live.run_integrations")
    for name in SECTIONS:
        check(name, numbers[name])
    assert numbers["departures"] == []
    assert {*numbers["beside mlflow"]} == {"precision_at_3", "recall_at_3", "ndcg_at_3"}
    assert max(numbers["beside mlflow"].values()) < 1e-6  # MLflow's nDCG is of single precision


def test_experiments_of_pyterrier_have_the_same_tables_with_our_provider() -> None:
    """Means, queries, tests against a baseline and their correction; other tools' conventions where they are wanted."""
    if not THOROUGH:
        return
    found = _printed("live.run_pyterrier")
    assert max(found["differences"].values()) < 1e-12, found["differences"]
    assert found["rows"] == {"means": 3, "perquery": 3 * 80 * 7, "baseline": 3, "correction": 3, "round": 3}
    assert {"nDCG@10", "RR@10", "AP", "RBP(rel=1)", "Judged@10"} <= {*found["asked"]}
    assert 0 < found["ranx"] < math.inf
    assert not found["java"]


def _printed(module: str) -> dict[str, Any]:
    """What a module prints in the environment of the libraries."""
    if reason := environments.missing(ENVIRONMENT):
        pytest.fail(f"the libraries cannot be run: {reason}", pytrace=False)
    line = [environments.python_of(ENVIRONMENT), "-m", module]
    done = subprocess.run(line, env=os.environ | {"PYTHONPATH": str(TESTS)}, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()[-3000:]
    printed: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return printed
