"""Parts of one run that were read as several runs are told, with the pattern that reads them as one."""

from pathlib import Path

import pytest

import rankworth as rw
from rankworth.errors import InputError

QRELS = {"q1": {"a": 1}, "q2": {"b": 1}, "q3": {"c": 1}}
PARTS = {"part-0": {"q1": {"a": 2.0}}, "part-1": {"q2": {"x": 2.0, "b": 1.0}, "q3": {"c": 1.0}}}


@pytest.mark.filterwarnings("ignore::rankworth.errors.RankworthWarning")
def test_runs_without_a_common_query_are_told_once_and_the_pattern_reads_them_as_one(tmp_path: Path) -> None:
    for name, run in PARTS.items():
        lines = [f"{query} Q0 {each} 1 {score} t" for query, row in run.items() for each, score in row.items()]
        (tmp_path / f"{name}.run").write_text("\n".join(lines) + "\n")
    paths = [str(tmp_path / f"{name}.run") for name in PARTS]
    values = rw.evaluate_runs(QRELS, paths, ["RR"])
    told = {name: [notice.slug for notice in each.notices] for name, each in values.items()}
    assert told == {"part-0": ["separate-runs"], "part-1": []}
    [notice] = values["part-0"].notices
    pattern = str(tmp_path / "part-*.run")
    assert f"'{pattern}'" in notice.text
    assert {name: each["RR"] for name, each in values.items()} == {"part-0": 1 / 3, "part-1": (1 / 2 + 1) / 3}
    assert rw.evaluate(QRELS, pattern, ["RR"])["RR"] == (1 + 1 / 2 + 1) / 3
    assert f"'{pattern}'" in dict(rw.compare(QRELS, paths, ["RR"]).warnings)["separate-runs"]
    assert "separate-runs" in {finding.slug for finding in rw.check(QRELS, paths).findings}


@pytest.mark.filterwarnings("ignore::rankworth.errors.RankworthWarning")
def test_runs_with_a_common_query_are_not_told() -> None:
    values = rw.evaluate_runs(QRELS, {"one": PARTS["part-0"], "two": {"q1": {"z": 1.0}, "q2": {"b": 1.0}}}, ["RR"])
    assert "separate-runs" not in {notice.slug for each in values.values() for notice in each.notices}


def test_a_results_file_that_is_missing_is_refused_as_such(tmp_path: Path) -> None:
    with pytest.raises(InputError) as refused:
        rw.compare(None, [tmp_path / "a.json", tmp_path / "b.json"])
    assert refused.value.slug == "missing-file"
