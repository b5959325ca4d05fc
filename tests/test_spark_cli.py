"""Spark on the command line: the same files, the same numbers, and nothing half written."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import rankworth as rw
from rankworth import cli

EXAMPLES = Path(__file__).parents[1] / "docs" / "example"
Command = Callable[..., tuple[int, str, str]]


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


@pytest.fixture
def evaluate(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """`rankworth evaluate` in this process: its status, and what it prints."""

    def run(*arguments: str, qrels: str = str(EXAMPLES / "qrels.txt"), engine: str = "spark") -> tuple[int, str, str]:
        monkeypatch.chdir(folder)
        more = ("--engine", engine) if engine else ()
        return cli.main(["evaluate", qrels, *arguments, *more]), *capsys.readouterr()

    return run


def test_a_process_of_its_own_starts_spark(folder: Path) -> None:
    environment = os.environ | {"SPARK_LOCAL_IP": "127.0.0.1", "COLUMNS": "80", "PYSPARK_PYTHON": sys.executable}
    line = [sys.executable, "-m", "rankworth", "evaluate", str(EXAMPLES / "qrels.txt"), "parts", "-m", "RR"]
    line += ["-f", "json", "--engine", "spark", "--master", "local[1]", "--memory-limit", "600MB"]
    done = subprocess.run(line, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    expected = rw.evaluate(str(EXAMPLES / "qrels.txt"), str(EXAMPLES / "new.run"), ["RR"])
    assert json.loads(done.stdout)["runs"]["parts"]["mean"] == pytest.approx(expected.mean(), rel=1e-12, abs=0)


@pytest.mark.usefixtures("spark")
def test_means_of_files_are_those_without_spark(evaluate: Command) -> None:
    runs = ["parts", str(EXAMPLES / "new.run"), "csv=run.csv"]
    status, out, errors = evaluate(*runs, "-m", "nDCG@10", "NumRet", "-f", "json", "--quiet")
    assert status == 0, errors
    found = json.loads(out)["runs"]
    expected = rw.evaluate(str(EXAMPLES / "qrels.txt"), str(EXAMPLES / "new.run"), ["nDCG@10", "NumRet"])
    assert list(found) == ["parts", "new", "csv"]
    for means in found.values():
        assert means["mean"] == pytest.approx(expected.mean(), rel=1e-12, abs=0)
        assert means["counts"]["no_relevant"] == expected.counts.no_relevant


@pytest.mark.usefixtures("spark")
def test_values_are_written_as_a_whole(folder: Path, evaluate: Command) -> None:
    status, _, errors = evaluate("parts/part-*.parquet", "-q", "-o", "values.parquet", "-m", "RR", "--quiet")
    assert status == 0, errors
    values = pl.read_parquet(folder / "values.parquet" / "*.parquet").sort("query")
    expected = rw.evaluate(str(EXAMPLES / "qrels.txt"), str(EXAMPLES / "new.run"), ["RR"]).per_query.to_frame()
    assert values["RR"].to_list() == expected["RR"].to_list()
    assert values["run"].unique().to_list() == ["parts"]


@pytest.mark.usefixtures("spark")
def test_tables_of_text_are_read_as_without_spark(folder: Path, evaluate: Command) -> None:
    run = rw.Run(str(EXAMPLES / "new.run")).to_frame().select("query", "document", "score")
    tables = folder / "tables"
    tables.mkdir()
    run.write_csv(tables / "semicolons.csv", separator=";")
    lines = [f'{score}, "{document}" ,{query}' for query, document, score in run.rows()]
    (tables / "part-0.csv").write_text("\n".join(["score,document,query", *lines[:5]]) + "\n")
    run[5:].write_csv(tables / "part-1.csv")
    (tables / "odd.csv").write_text("query,document,score\nq1,d1,1_000\n")
    (tables / "late.csv").write_text("\n\nquery,document,score\nq1,d1,1\n")
    status, out, errors = evaluate(
        "tables/semicolons.csv", "parts=tables/part-*.csv", "-m", "nDCG@10", "-f", "json", "--quiet"
    )
    assert status == 0, errors
    expected = rw.evaluate(str(EXAMPLES / "qrels.txt"), str(EXAMPLES / "new.run"), ["nDCG@10"]).mean()
    found = [means["mean"] for means in json.loads(out)["runs"].values()]
    assert found == [pytest.approx(expected, rel=1e-12, abs=0)] * 2
    for table, slug in (("odd", "bad-score"), ("late", "unknown-format")):
        status, _, errors = evaluate(f"tables/{table}.csv")
        assert (status, f"[{slug}]" in errors) == (2, True), errors


@pytest.mark.usefixtures("spark")
def test_columns_without_names_are_counted(folder: Path, evaluate: Command) -> None:
    run = rw.Run(str(EXAMPLES / "new.run")).to_frame().select("score", "query", "document")
    run.write_csv(folder / "headless.tsv", separator="\t", include_header=False)
    qrels = rw.Qrels(str(EXAMPLES / "qrels.txt")).to_frame().select("grade", "query", "document")
    qrels.write_csv(folder / "judged.tsv", separator="\t", include_header=False)
    columns = ["--columns", "score=1", "query=2", "document=3", "grade=1"]
    (head, row), (other_head, other_row) = (
        evaluate("headless.tsv", *columns, "-m", "AP", qrels="judged.tsv", engine=engine)[1].splitlines()
        for engine in ("", "spark")
    )
    assert (head, row.split("\t")[0]) == (other_head, other_row.split("\t")[0])
    assert float(other_row.split("\t")[1]) == pytest.approx(float(row.split("\t")[1]), rel=1e-12, abs=0)


@pytest.mark.usefixtures("spark")
def test_what_fails_leaves_nothing(folder: Path, evaluate: Command) -> None:
    status, _, errors = evaluate("odd.parquet", "-q", "-o", "odd-values.parquet", "--memory-limit", "600MB")
    assert status == 2
    assert "[bad-score]" in errors
    assert "Traceback" not in errors
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
def test_what_spark_cannot_do_is_said_before_it_starts(
    arguments: list[str], slug: str, evaluate: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[Any] = []
    monkeypatch.setattr("rankworth.cli.spark._session", lambda *options: started.append(options))
    status, _, errors = evaluate(*arguments)
    assert (status, f"[{slug}]" in errors, started) == (2, True, []), errors


def test_spark_alone_has_a_master(evaluate: Command) -> None:
    status, _, errors = evaluate("run.csv", "--master", "local", engine="")
    assert (status, "[conflicting-options]" in errors) == (2, True)
