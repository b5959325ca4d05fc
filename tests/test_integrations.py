"""The programs of the pages about other libraries run, with stand-ins that have the parameters of these libraries.

`stand_ins.READ_FROM` says which versions; tests/parity/test_integrations.py runs the programs with the libraries.
"""

import builtins
import math
import shutil
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest

import rankworth as rw
from helpers import raises
from live.integrations import EXPECTED, HOWTO, SECTIONS, check
from stand_ins import READ_FROM, STAND_INS, models_evaluate, stand_ins

EXAMPLES = Path(__file__).parent.parent / "docs" / "example"


@pytest.fixture(autouse=True)
def examples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a folder with the example files."""
    shutil.copytree(EXAMPLES, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def mlflow() -> Iterator[None]:
    """Let MLflow be imported."""
    with stand_ins("mlflow"):
        yield


@pytest.mark.filterwarnings("ignore::rankworth.errors.RankworthWarning")
@pytest.mark.parametrize("name", SECTIONS)
def test_a_program_gives_the_numbers_that_were_worked_out(name: str) -> None:
    with stand_ins(name.partition(".")[0]):
        check(name, SECTIONS[name].run())


def test_pages_name_the_versions_that_were_read() -> None:
    text = "".join((HOWTO / f"{section.page}.md").read_text("utf-8") for section in SECTIONS.values())
    for library, version in READ_FROM.items():
        assert version.rpartition(".")[0] in text, library
    assert (
        {name.partition(".")[0] for name in STAND_INS} == {*READ_FROM} == {name.partition(".")[0] for name in EXPECTED}
    )


def table(*rows: tuple[Any, Any]) -> pd.DataFrame:
    """Rows of a prediction and a target."""
    return pd.DataFrame({"retrieved": [row[0] for row in rows], "relevant": [row[1] for row in rows]})


def metrics(frame: pd.DataFrame, *made: Any) -> dict[str, float]:
    """What MLflow logs of a table."""
    result = models_evaluate(data=frame, predictions="retrieved", targets="relevant", extra_metrics=made)
    logged: dict[str, float] = result.metrics
    return logged


def logged(frame: pd.DataFrame, measure: str, **settings: Any) -> dict[str, float]:
    """What MLflow logs of a measure."""
    return metrics(frame, rw.mlflow.metric(measure, **settings))


@pytest.mark.usefixtures("mlflow")
def test_mlflow_logs_what_evaluate_gives() -> None:
    """Mean, interval and number of queries, with ids in lists, arrays and dicts, under any settings."""
    frame = table((["a", "b"], ["b"]), (["c"], ["c", "d"]), (["e", "f"], ["g"]))
    judged, ranked = (dict(enumerate(frame[name])) for name in ("relevant", "retrieved"))
    for measure, settings in (
        ("nDCG@10", {}),
        ("RR", {}),
        ("R@1", {"rel": 1}),
        ("ndcg_cut_3", {"profile": "trec_eval-9.0.8"}),
        ("mrr", {"profile": "ranx-0.3"}),
        ("AP", {"depth": 1}),
    ):
        values = rw.evaluate(judged, ranked, [measure], **settings)
        interval = values.interval()[measure]
        [label] = {name.rpartition("/")[0] for name in logged(frame, measure, **settings)}
        assert logged(frame, measure, **settings) == {
            f"{label}/mean": values[measure],
            f"{label}/low": interval.low,
            f"{label}/high": interval.high,
            f"{label}/queries": 3,
        }
    expected = logged(frame, "nDCG@10")
    assert logged(frame.map(np.array), "nDCG@10") == expected
    graded = frame.assign(relevant=[dict.fromkeys(ids, 1) for ids in frame["relevant"]])
    scored = graded.assign(retrieved=[{d: 1 / rank for rank, d in enumerate(ids, 1)} for ids in frame["retrieved"]])
    assert logged(scored, "nDCG@10") == expected
    graded["relevant"][0]["b"] = 0
    assert logged(graded, "nDCG@10")["nDCG_at_10/mean"] < expected["nDCG_at_10/mean"]
    narrow, wide = (logged(frame, "RR", level=level) for level in (0.5, 0.99))
    assert narrow["RR/high"] - narrow["RR/low"] < wide["RR/high"] - wide["RR/low"]


@pytest.mark.usefixtures("mlflow")
@pytest.mark.filterwarnings("ignore:.*many-unanswered", "ignore:.*known-defect")
def test_rows_without_ids_count_as_the_profile_says() -> None:
    """Also where the first row has none, which MLflow tries alone."""
    frame = table(([], ["a"]), (["b"], ["b"]), (["c"], []), ([], []))
    assert logged(frame, "RR")["RR/mean"] == 1 / 4
    left_out = logged(frame, "RR", missing="skip")
    assert (left_out["RR/mean"], left_out["RR/queries"]) == (1 / 2, 2)
    assert logged(frame, "recall_at_3", profile="mlflow-3.17")["recall_at_3/mlflow-3.17/mean"] == 2 / 4
    assert logged(table((["a"], ["a"])), "RR") == {"RR/mean": 1, "RR/queries": 1}
    result = models_evaluate(
        data=frame,
        predictions="retrieved",
        targets="relevant",
        extra_metrics=[rw.mlflow.metric("RR", missing="skip", name="other")],
    )
    assert result.tables["eval_results_table"]["other/score"].fillna(-1).tolist() == [-1, 1, 0, -1]


@pytest.mark.usefixtures("mlflow")
def test_only_the_evaluation_of_all_rows_warns() -> None:
    """MLflow tries the first row before, of which nothing is said."""
    frame = table((["a"], ["b"]), (["b"], ["b"]), ([], ["b"]))
    with warnings.catch_warnings(record=True, action="always") as caught:
        logged(frame, "RR")
    assert ["1 of 3 judged queries" in str(warning.message) for warning in caught] == [True]


@pytest.mark.usefixtures("mlflow")
def test_mlflow_is_told_which_way_is_better_and_how_a_measure_is_called() -> None:
    assert rw.mlflow.metric("nDCG@10").greater_is_better
    assert not rw.mlflow.metric("MeanRank").greater_is_better
    made = rw.mlflow.metric("P(rel=2)@5")
    assert (made.name, made.long_name, made.version) == ("P_rel_2_at_5", "P(rel=2)@5", None)
    assert rw.mlflow.metric("mrr", profile="ranx-0.3").version == "ranx-0.3"


@pytest.mark.usefixtures("mlflow")
def test_what_is_no_measure_is_refused_before_mlflow_evaluates() -> None:
    raises(lambda: rw.mlflow.metric("official"), "ambiguous-measure", "and MLflow has one number by each name")
    raises(lambda: rw.mlflow.metric("nDGC@10"), "unknown-measure", "nDGC")
    raises(lambda: rw.mlflow.metric("AP", ties="none"), "unknown-setting", "ties")
    raises(lambda: rw.mlflow.metric("AP", level=95), "unknown-setting", "level")
    twice = table((["a", "a"], ["a"]))
    raises(lambda: logged(twice, "AP"), "duplicate-document", "query 0 ranks document a again")
    assert logged(twice, "AP", duplicates="once")["AP/mean"] == 1


def test_without_mlflow_the_error_says_how_to_install_it() -> None:
    real = builtins.__import__

    def absent(name: str, *rest: Any) -> Any:
        if name.partition(".")[0] == "mlflow":
            raise ImportError(name)
        return real(name, *rest)

    with patch("builtins.__import__", absent):
        raises(lambda: rw.mlflow.metric("AP"), "missing-library", "mlflow is not installed")
    assert math.isfinite(rw.score([1], "AP"))
