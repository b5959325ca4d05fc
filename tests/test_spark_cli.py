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
        assert means["mean"] == pytest.approx(expected.mean(), rel=1e-12, abs=0)
        assert means["counts"]["no_relevant"] == expected.counts.no_relevant


def test_values_are_written_as_a_whole(folder: Path) -> None:
    done = command(folder, "parts/part-*.parquet", "-q", "-o", "values.parquet", "-m", "RR", "--quiet")
    assert done.returncode == 0, done.stderr[-3000:]
    values = pl.read_parquet(folder / "values.parquet" / "*.parquet").sort("query")
    expected = rw.evaluate(str(EXAMPLES / "qrels.txt"), str(EXAMPLES / "new.run"), ["RR"]).per_query.to_frame()
    assert values["RR"].to_list() == expected["RR"].to_list()
    assert values["run"].unique().to_list() == ["parts"]


def test_tables_of_text_are_read_as_without_spark(folder: Path) -> None:
    run = rw.Run(str(EXAMPLES / "new.run")).to_frame()
    tables = folder / "tables"
    tables.mkdir()
    run.select("query", "document", "score").write_csv(tables / "semicolons.csv", separator=";")
    lines = [
        f'{score}, "{document}" ,{query}' for query, document, score in run.select("query", "document", "score").rows()
    ]
    (tables / "part-0.csv").write_text("\n".join(["score,document,query", *lines[:5]]) + "\n")
    run[5:].select("query", "document", "score").write_csv(tables / "part-1.csv")
    (tables / "odd.csv").write_text("query,document,score\nq1,d1,1_000\n")
    (tables / "late.csv").write_text("\n\nquery,document,score\nq1,d1,1\n")
    done = command(folder, "tables/semicolons.csv", "parts=tables/part-*.csv", "-m", "nDCG@10", "-f", "json")
    assert done.returncode == 0, done.stderr[-3000:]
    expected = rw.evaluate(str(EXAMPLES / "qrels.txt"), str(EXAMPLES / "new.run"), ["nDCG@10"]).mean()
    found = [means["mean"] for means in json.loads(done.stdout)["runs"].values()]
    assert found == [pytest.approx(expected, rel=1e-12, abs=0)] * 2
    odd = command(folder, "tables/odd.csv")
    assert (odd.returncode, "[bad-score]" in odd.stderr) == (2, True), odd.stderr[-2000:]
    late = command(folder, "tables/late.csv")
    assert (late.returncode, "[unknown-format]" in late.stderr) == (2, True), late.stderr[-2000:]


def test_columns_without_names_are_counted(folder: Path) -> None:
    run = rw.Run(str(EXAMPLES / "new.run")).to_frame().select("score", "query", "document")
    run.write_csv(folder / "headless.tsv", separator="\t", include_header=False)
    said = ["--columns", "score=1", "query=2", "document=3"]
    qrels = rw.Qrels(str(EXAMPLES / "qrels.txt")).to_frame().select("grade", "query", "document")
    qrels.write_csv(folder / "judged.tsv", separator="\t", include_header=False)
    line = [sys.executable, "-m", "rankworth", "evaluate", "judged.tsv", "headless.tsv", *said, "grade=1", "-m", "AP"]
    environment = os.environ | {"SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}
    told = [
        subprocess.run([*line, *more], cwd=folder, env=environment, capture_output=True, text=True, check=False).stdout
        for more in ([], ["--engine", "spark", "--master", "local[1]"])
    ]
    (head, row), (other_head, other_row) = (one.splitlines() for one in told)
    assert (head, row.split("\t")[0]) == (other_head, other_row.split("\t")[0])
    assert float(other_row.split("\t")[1]) == pytest.approx(float(row.split("\t")[1]), rel=1e-12, abs=0)


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
