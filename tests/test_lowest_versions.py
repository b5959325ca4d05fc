"""Rankworth with the lowest versions of what it needs, beside RePlay and RecTools, which bar newer ones."""

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Final

import pytest
from packaging.requirements import Requirement

from live.environments import missing, python_of

ROOT: Final = Path(__file__).resolve().parents[1]
ENVIRONMENT: Final = "recommending"
CHOSEN: Final = (
    "tests/parity/test_trec_eval.py",
    "tests/test_inputs_agree.py::test_every_way_to_hand_data_in_gives_the_values_of_the_dicts",
    "tests/test_parquet_arrow.py::test_a_name_is_only_a_name",
    "tests/test_comparison.py::test_numbers_are_those_of_the_statistics_called_directly",
    "tests/test_correlation.py::test_each_query_of_untied_runs_is_a_pair_of_rankings_to_the_last_bit",
    "tests/test_csv.py",
    "tests/test_demonstration.py::test_the_commands_work_as_printed",
    "tests/test_demonstration.py::test_the_values_are_pytrec_eval_s",
    "tests/test_measures.py",
    "tests/test_plots.py::test_dots_carry_means_and_intervals",
    "tests/test_duckdb.py::test_settings_hold_where_a_position_tells_the_order",
    "tests/test_report.py::test_the_demonstration_has_a_report",
)
"""quick tests that reach every dependency: files of all formats, frames, measures, statistics, tables, pages, charts"""
TOGETHER: Final = """
import json, sys, warnings
from importlib import metadata
import numpy as np, pandas as pd, polars as pl
import rankworth as rw, rankworth.tensors
import rectools.metrics, replay.metrics

warnings.simplefilter("ignore")
grades, scores = {"u1": {"b": 1, "d": 1}, "u2": {"c": 1}}, {"u1": {"a": 3, "b": 2, "c": 1}, "u2": {"c": 2, "a": 1}}
rows = [(user, item, score) for user, items in scores.items() for item, score in items.items()]
liked = [(user, item) for user, items in grades.items() for item in items]
run = pd.DataFrame(rows, columns=["query_id", "item_id", "rating"])
truth = pd.DataFrame(liked, columns=["query_id", "item_id"])
users = {"query_id": "user_id"}
ranked = run.rename(columns=users).assign(rank=run.groupby("query_id")["rating"].rank(ascending=False).astype(int))
[of_replay] = replay.metrics.NDCG(3)(run, truth).values()
of_rectools = rectools.metrics.NDCG(k=3).calc(ranked, truth.rename(columns=users))
qrels = pl.DataFrame(liked, schema=["query", "document"], orient="row").with_columns(grade=1)
matrices = np.array([[3.0, 2.0, 1.0, 0.0], [1.0, 0.5, 2.0, 0.2]]), np.array([[0, 1, 0, 1], [0, 0, 1, 0]])
profiles = "replay-0.22", "rectools-0.19"
print(json.dumps({
    "versions": {each.metadata["Name"].lower(): each.version for each in metadata.distributions()},
    "ours": [rw.evaluate(grades, scores, "nDCG@3", profile=name)["nDCG@3"] for name in profiles],
    "theirs": [float(of_replay), float(of_rectools)],
    "dicts": rw.evaluate(grades, scores, "AP")["AP"],
    "frames": rw.evaluate(qrels, run.rename(columns={"rating": "score"}), "AP")["AP"],
    "matrices": float(rankworth.tensors.evaluate(*matrices, ["RR"]).mean()["RR"]),
}))
"""


def in_environment(*arguments: str, seconds: int = 600) -> subprocess.CompletedProcess[str]:
    """Run the environment's Python, which knows nothing of the tests that run it."""
    if reason := missing(ENVIRONMENT):
        pytest.fail(reason)
    variables = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    return subprocess.run(
        [python_of(ENVIRONMENT), *arguments],
        cwd=ROOT,
        env=variables,
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )


def test_it_stands_beside_the_tools_whose_numbers_it_reproduces() -> None:
    done = in_environment("-c", TOGETHER)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    for requirement in map(Requirement, (*project["dependencies"], *extras["duckdb"], *extras["plot"])):
        if requirement.marker is None or requirement.marker.evaluate():
            lowest, found = next(iter(requirement.specifier)).version, answer["versions"][requirement.name]
            if requirement.name != "numpy" or sys.version_info < (3, 13):  # for which there is no NumPy 1
                assert f"{found}.".startswith(f"{lowest}."), (requirement, found)
    assert {"rectools", "replay-rec"} <= answer["versions"].keys()
    assert answer["ours"] == pytest.approx(answer["theirs"], rel=1e-12)
    assert answer["dicts"] == answer["frames"] == (1 / 2 / 2 + 1) / 2
    assert answer["matrices"] == (1 / 2 + 1) / 2


def test_quick_tests_pass_with_the_lowest_versions() -> None:
    done = in_environment("-m", "pytest", "-q", "-p", "no:cacheprovider", "--tb=short", *CHOSEN)
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]
