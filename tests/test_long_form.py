"""Means in long form, as a warehouse loads them: what each form holds, and what others read in it."""

import csv
import io
import json
import math
from pathlib import Path
from typing import Any, Final

import polars as pl
import pytest

import rankworth as rw
from helpers import Command, command_of, refused
from rankworth.results.file import record as record_of

pytestmark = pytest.mark.filterwarnings("ignore::rankworth.RankworthWarning")

QRELS: Final = "q1 0 a 1\nq2 0 a 1\nq3 0 a 1\nq4 0 a 1\n"
RANKS: Final = {"old": [1, 2, 4, 4], "new": [1, 1, 2, 5]}
"""ranks of the one relevant document of each query"""
RR: Final = {"old": (1 + 1 / 2 + 1 / 4 + 1 / 4) / 4, "new": (1 + 1 + 1 / 2 + 1 / 5) / 4}
COLUMNS: Final = ["run", "measure", "mean", "low", "high", "level", "queries", "signature"]
QUERIES: Final = "qid\tlanguage\nq1\tar\nq2\tar\nq3\ten\nq4\ten\n"


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]) -> Command:
    """Return the command, in a folder with judgements, two runs and a table of queries."""
    monkeypatch.chdir(tmp_path)
    Path("qrels.txt").write_text(QRELS)
    Path("queries.tsv").write_text(QUERIES)
    for name, ranks in RANKS.items():
        lists = [["x"] * (rank - 1) + ["a"] for rank in ranks]
        rows = [
            f"q{number} Q0 {document if document == 'a' else f'x{rank}'} {rank} {-rank} {name}\n"
            for number, documents in enumerate(lists, 1)
            for rank, document in enumerate(documents, 1)
        ]
        Path(f"{name}.run").write_text("".join(rows))
    return command_of(capsysbinary)


def rows_of(text: str) -> list[dict[str, str]]:
    """Return the rows of a text in CSV."""
    return list(csv.DictReader(io.StringIO(text)))


@pytest.mark.parametrize("name", ["evaluate", "compare"])
def test_each_mean_has_a_row(command: Command, name: str) -> None:
    status, out, _ = command(name, "qrels.txt", "old.run", "new.run", "-m", "RR", "P@1", "-f", "long")
    rows = rows_of(out)
    assert status == 0
    assert list(rows[0]) == COLUMNS
    found = [(row["run"], row["measure"], float(row["mean"]), row["level"], row["queries"]) for row in rows]
    assert found == [
        ("old", "RR", RR["old"], "0.95", "4"),
        ("old", "P@1", 1 / 4, "0.95", "4"),
        ("new", "RR", RR["new"], "0.95", "4"),
        ("new", "P@1", 2 / 4, "0.95", "4"),
    ]
    values = rw.evaluate("qrels.txt", "new.run", ["RR", "P@1"])
    low, high, _ = values.interval()["RR"]
    assert (float(rows[2]["low"]), float(rows[2]["high"])) == (low, high)
    assert rows[2]["signature"] == values.signatures["RR"]


def test_the_level_of_the_intervals_is_that_which_is_asked_for(command: Command) -> None:
    for name in ("evaluate", "compare"):
        out = command(name, "qrels.txt", "old.run", "new.run", "-m", "RR", "-f", "long", "--level", "0.8")[1]
        low, high, _ = rw.evaluate("qrels.txt", "new.run", ["RR"]).interval(level=0.8)["RR"]
        assert [(float(row["low"]), float(row["high"]), row["level"]) for row in rows_of(out)[1:]] == [
            (low, high, "0.8")
        ]


@pytest.mark.parametrize("name", ["evaluate", "compare"])
def test_groups_have_rows_behind_those_of_all_queries(command: Command, name: str) -> None:
    how = ["-m", "RR", "--by", "language", "--queries", "queries.tsv"]
    rows = rows_of(command(name, "qrels.txt", "old.run", "new.run", *how, "-f", "long")[1])
    assert [(row["run"], row["group"], float(row["mean"]), row["queries"]) for row in rows[:3]] == [
        ("old", "(all)", RR["old"], "4"),
        ("old", "ar", (1 + 1 / 2) / 2, "2"),
        ("old", "en", (1 / 4 + 1 / 4) / 2, "2"),
    ]
    assert rows[1]["signature"].split("|")[2].startswith("queries:2-")
    assert list(rows[0]) == ["run", "group", *COLUMNS[1:]]


def test_the_suffix_says_how_rows_are_written(command: Command) -> None:
    names = ["x.csv", "x.tsv", "x.jsonl", "x.parquet"]
    how = [word for name in names for word in ("-o", name)]
    assert command("evaluate", "qrels.txt", "old.run", "new.run", "-m", "RR", "AP", "-f", "long", *how)[0] == 0
    tables = [
        pl.read_csv("x.csv"),
        pl.read_csv("x.tsv", separator="\t"),
        pl.read_ndjson("x.jsonl"),
        pl.read_parquet("x.parquet"),
    ]
    live = rw.evaluate_runs("qrels.txt", ["old.run", "new.run"], ["RR", "AP"]).to_frame(long=True)
    assert live.columns == COLUMNS
    assert all(table.equals(live) for table in tables)


@pytest.mark.parametrize("name", ["evaluate", "compare"])
def test_a_warehouse_loads_the_rows(command: Command, name: str) -> None:
    duckdb = pytest.importorskip("duckdb")
    files = ["rows.csv", "rows.parquet", "rows.jsonl"]
    how = [word for file in files for word in ("-o", file)]
    assert command(name, "qrels.txt", "old.run", "new.run", "-m", "RR", "-f", "long", *how)[0] == 0
    for file in files:
        types = [row[1] for row in duckdb.sql(f"DESCRIBE FROM '{file}'").fetchall()]
        assert types == ["VARCHAR", "VARCHAR", "DOUBLE", "DOUBLE", "DOUBLE", "DOUBLE", "BIGINT", "VARCHAR"]
        best = duckdb.sql(f"FROM '{file}'").filter("measure = 'RR'").order("mean DESC").project("run, mean")
        assert best.limit(1).fetchall() == [("new", RR["new"])]


def test_undefined_is_nothing_and_infinite_is_infinite(command: Command) -> None:
    duckdb = pytest.importorskip("duckdb")
    Path("none.run").write_text("q1 Q0 x 1 1 none\n")
    files = ["x.csv", "x.jsonl", "x.parquet"]
    how = [word for file in files for word in ("-o", file)]
    measures, settings = ["MedianRank", "R(rel=9)@3", "NumRel"], ["--undefined", "nan"]
    assert command("evaluate", "qrels.txt", "none.run", "-m", *measures, *settings, "-f", "long", *how)[0] == 0
    means = [math.inf, None, 4.0]
    for file in ("x.csv", "x.parquet"):
        duckdb.sql(
            "CREATE OR REPLACE TABLE loaded (run TEXT, measure TEXT, mean DOUBLE, low DOUBLE, high DOUBLE, "
            "level DOUBLE, queries BIGINT, signature TEXT)"
        )
        duckdb.sql(f"COPY loaded FROM '{file}'")
        assert [row[0] for row in duckdb.sql("SELECT mean FROM loaded").fetchall()] == means
    assert pl.read_csv("x.csv")["mean"].to_list() == means
    parquet = pl.read_parquet("x.parquet")
    assert parquet["mean"].to_list() == means
    assert parquet["level"].to_list()[2] is None
    rows = [json.loads(line) for line in Path("x.jsonl").read_text().splitlines()]
    assert [row["mean"] for row in rows] == ["Infinity", None, 4.0]
    live = rw.evaluate("qrels.txt", "none.run", measures, undefined="nan")
    assert live.to_frame(long=True).equals(parquet)


def test_frames_of_other_libraries_have_the_same_rows(command: Command) -> None:
    command("evaluate", "qrels.txt", "new.run", "-m", "RR", "NumRel", "-q", "-o", "new.json")
    [kept] = rw.load("new.json").values()
    live = rw.evaluate("qrels.txt", "new.run", ["RR", "NumRel"])
    frame = live.to_frame(long=True)
    assert frame["mean"].to_list() == [RR["new"], 4.0]
    assert frame.schema["low"] == pl.Float64
    assert kept.to_frame(long=True).equals(frame)
    assert live.to_frame("pyarrow", long=True).to_pylist() == frame.to_dicts()
    of_pandas: Any = live.to_frame("pandas", long=True)
    assert of_pandas["queries"].tolist() == [4, 4]
    assert of_pandas["low"].isna().tolist() == [False, True]
    for values in (live, kept):
        bare = values.to_frame(long=True, level=None)
        assert bare["mean"].to_list() == frame["mean"].to_list()
        assert bare["low"].null_count() == bare["level"].null_count() == 2


def test_the_ends_of_intervals_may_be_infinite(tmp_path: Path) -> None:
    values = rw.evaluate(first_ranks={f"q{number}": None for number in range(8)}, measures=["MedianRank"])
    row = values.to_frame(long=True).row(0, named=True)
    assert (row["mean"], row["low"], row["high"]) == (math.inf, math.inf, math.inf)
    record = record_of(rw.RunValues({"run": values}), 0.95)
    assert record["runs"][0]["interval"]["MedianRank"] == {"low": "Infinity", "high": "Infinity", "level": 0.95}
    values.save(tmp_path / "values.json")
    assert rw.load(tmp_path / "values.json")[""].to_frame(long=True).row(0, named=True) == row


def test_a_comparison_has_the_means_of_the_common_queries(command: Command) -> None:
    del command  # its files are needed
    old = rw.evaluate("qrels.txt", "old.run", ["RR"])
    part = rw.evaluate("qrels.txt", "new.run", ["RR"], queries=["q1", "q2", "q3"])
    frame = rw.compare(runs={"old": old, "new": part}).to_frame(long=True)
    assert frame["mean"].to_list() == [(1 + 1 / 2 + 1 / 4) / 3, (1 + 1 + 1 / 2) / 3]
    assert frame["queries"].to_list() == [3, 3]
    assert frame.drop("run").row(1) == part.to_frame(long=True).drop("run").row(0)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-o", "x.json"], "x.json: means in long form are not written as json"),
        (["-o", "x.md"], "use one of .tsv .jsonl .csv .parquet"),
        (["-o", "x.svg"], "x.svg: means in long form are not written as .svg"),
        (["-q"], "-f long has a row for each mean, and --per-query shows values of queries"),
        (["--bounds", "ties"], "low and high of -f long are the ends of intervals"),
    ],
)
def test_what_has_no_place_in_the_long_form_is_refused(command: Command, words: list[str], message: str) -> None:
    for name in ("evaluate", "compare"):
        assert message in refused(command, name, "qrels.txt", "old.run", "new.run", "-f", "long", *words)


def test_other_results_have_no_long_form(command: Command) -> None:
    for words in (["--profile", "all"], ["--corrected-by", "qrels.txt"], ["--engine", "spark"]):
        assert "-f long" in refused(command, "evaluate", "qrels.txt", "old.run", "-f", "long", *words)
    assert "-f long: it is one of" in refused(command, "check", "qrels.txt", "-f", "long")
