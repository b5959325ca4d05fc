"""Spark on the command line: the same files, the same numbers, and nothing half written."""

import json
import os
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

import rankworth as rw

EXAMPLES = Path(__file__).parents[1] / "docs" / "example"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example's run in several formats, in parts, and wrong ones."""
    where = tmp_path_factory.mktemp("files")
    run = rw.Run(str(EXAMPLES / "new.run")).to_frame()
    (where / "parts").mkdir()
    run[:7].write_parquet(where / "parts" / "part-0.parquet")
    run[7:].write_parquet(where / "parts" / "part-1.parquet")
    run.write_csv(where / "run.csv")
    run.with_columns(score=pl.lit(float("nan"))).write_parquet(where / "odd.parquet")
    run.write_json(where / "run.json")
    return where


def command(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """What a command prints, on one small Spark."""
    environment = os.environ | {"SPARK_LOCAL_IP": "127.0.0.1", "COLUMNS": "80", "PYSPARK_PYTHON": sys.executable}
    line = [sys.executable, "-m", "rankworth", "evaluate", str(EXAMPLES / "qrels.txt"), *arguments, "--engine", "spark"]
    options = ["--master", "local[1]"]
    return subprocess.run([*line, *options], cwd=folder, env=environment, capture_output=True, text=True, check=False)


def test_means_of_files_are_those_without_spark(folder: Path) -> None:
    runs = ["parts", str(EXAMPLES / "new.run"), "csv=run.csv"]
    done = command(folder, *runs, "-m", "nDCG@10", "NumRet", "-f", "json")
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads(done.stdout)["runs"]
    expected = rw.evaluate(str(EXAMPLES / "qrels.txt"), str(EXAMPLES / "new.run"), ["nDCG@10", "NumRet"])
    assert list(found) == ["parts", "new", "csv"]
    for means in found.values():
        assert means["mean"] == expected.mean()
        assert means["counts"]["no_relevant"] == expected.counts.no_relevant


def test_values_are_written_as_a_whole(folder: Path) -> None:
    done = command(folder, "parts/part-*.parquet", "-q", "-o", "values.parquet", "-m", "RR", "--quiet")
    assert done.returncode == 0, done.stderr[-3000:]
    values = pl.read_parquet(folder / "values.parquet" / "*.parquet").sort("query")
    expected = rw.evaluate(str(EXAMPLES / "qrels.txt"), str(EXAMPLES / "new.run"), ["RR"]).per_query.to_frame()
    assert values["RR"].to_list() == expected["RR"].to_list()
    assert values["run"].unique().to_list() == ["parts"]


def test_what_fails_leaves_nothing(folder: Path) -> None:
    done = command(folder, "odd.parquet", "-q", "-o", "odd-values.parquet", "--memory-limit", "600MB")
    assert done.returncode == 2
    assert "[bad-score]" in done.stderr
    assert "Traceback" not in done.stderr
    assert not [name for name in os.listdir(folder) if "odd-values" in name]  # noqa: PTH208 - hidden ones, too


@pytest.mark.parametrize(
    ("arguments", "slug"),
    [
        (["run.csv", "--fail-under", "RR=0.1"], "conflicting-options"),
        (["run.csv", "--profile", "standard", "trec_eval-9.0"], "conflicting-options"),
        (["-"], "conflicting-options"),
        (["run.csv", "-f", "trec"], "unknown-format"),
        (["run.csv", "-o", "means.parquet"], "unknown-format"),
        (["run.csv", "--memory-limit", "much"], "unknown-setting"),
        (["run.json"], "unknown-format"),
        (["missing.csv"], "missing-file"),
    ],
    ids=str,
)
def test_what_spark_cannot_do_is_said_before_it_starts(folder: Path, arguments: list[str], slug: str) -> None:
    done = command(folder, *arguments)
    assert (done.returncode, f"[{slug}]" in done.stderr) == (2, True), done.stderr[-2000:]


def test_spark_alone_has_a_master(folder: Path) -> None:
    line = [sys.executable, "-m", "rankworth", "evaluate", str(EXAMPLES / "qrels.txt"), "run.csv", "--master", "local"]
    done = subprocess.run(line, cwd=folder, capture_output=True, text=True, check=False)
    assert (done.returncode, "[conflicting-options]" in done.stderr) == (2, True)
