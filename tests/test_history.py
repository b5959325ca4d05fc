"""Results files of several days in one table: what it shows, where it warns, and what it refuses."""

import csv
import io
import json
from pathlib import Path
from typing import Any, Final

import polars as pl
import pytest

import rankworth as rw
from helpers import Command, command_of, raises, refused

pytestmark = pytest.mark.filterwarnings("ignore::rankworth.RankworthWarning")

QRELS: Final = {"q1": {"a": 1}, "q2": {"a": 1}, "q3": {"a": 1}}
DAYS: Final = {"monday": [1, 2, 4], "tuesday": [1, 1, 2]}
"""ranks of the one relevant document of each query"""
RR: Final = {"monday": (1 + 1 / 2 + 1 / 4) / 3, "tuesday": (1 + 1 + 1 / 2) / 3}
COLUMNS: Final = ["file", "run", "measure", "mean", "low", "high", "level", "queries", "signature"]


def run_of(ranks: list[int]) -> dict[str, list[str]]:
    """Return a run with the relevant document at these ranks."""
    return {f"q{number}": [*"xyz"[: rank - 1], "a"] for number, rank in enumerate(ranks, 1)}


def save_values(name: str, ranks: list[int], *measures: str, qrels: Any = QRELS, **settings: Any) -> rw.Values:
    """Keep the values of a run as a results file."""
    values = rw.evaluate_runs(qrels, {"system": run_of(ranks)}, measures or ("RR", "P@1"), **settings)
    values.save(name)
    return values["system"]


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]) -> Command:
    """Return the command, in a folder with the results of two days."""
    monkeypatch.chdir(tmp_path)
    save_values("monday.json", DAYS["monday"])
    save_values("tuesday.parquet", DAYS["tuesday"])
    return command_of(capsysbinary, "history")


def test_each_file_has_a_row_and_each_measure_a_column(command: Command) -> None:
    status, out, err = command("monday.json", "tuesday.parquet")
    assert (status, err) == (0, "")
    lines = [line.split() for line in out.splitlines()]
    assert lines[0] == ["file", "run", "RR", "P@1"]
    assert lines[2:4] == [
        ["monday", "system", f"{RR['monday']:.4f}", f"{1 / 3:.4f}"],
        ["tuesday", "system", f"{RR['tuesday']:.4f}", f"{2 / 3:.4f}"],
    ]
    assert "[" not in out  # nothing to warn of
    assert "RR P@1|profile:standard-1|queries:3-" in out


def test_the_rows_for_a_warehouse_name_the_file(command: Command) -> None:
    duckdb = pytest.importorskip("duckdb")
    how = ["-m", "mrr", "-o", "days.csv", "-o", "days.parquet", "-o", "days.jsonl"]
    assert command("2026-11-29=monday.json", "2026-11-30=tuesday.parquet", *how)[0] == 0
    live = rw.history({"2026-11-29": "monday.json", "2026-11-30": Path("tuesday.parquet")}, "mrr").to_frame()
    assert live.columns == COLUMNS
    assert live["mean"].to_list() == [*RR.values()]
    assert pl.read_parquet("days.parquet").equals(live)
    assert pl.read_csv("days.csv").equals(live)
    assert pl.read_ndjson("days.jsonl").equals(live)
    for name in ("days.csv", "days.parquet"):
        days = duckdb.sql(f"FROM '{name}'").filter("measure = 'mrr'").order("file DESC").project("mean").fetchall()
        assert days == [(RR["tuesday"],), (RR["monday"],)]
    out = command("2026-11-29=monday.json", "2026-11-30=tuesday.parquet", "-m", "mrr", "-f", "long")[1]
    assert out == Path("days.csv").read_text()


def test_intervals_are_those_of_the_evaluation(command: Command) -> None:
    values = rw.evaluate_runs(QRELS, {"system": run_of(DAYS["monday"])}, ["RR", "P@1"])["system"]
    frame = rw.history(["monday.json"], "RR").to_frame()
    assert frame.drop("file").equals(values.to_frame(long=True).filter(pl.col("measure") == "RR"))
    low, high, _ = values.interval(level=0.9)["RR"]
    row = rw.history("monday.json", "RR", level=0.9).to_frame().row(0, named=True)
    assert (row["low"], row["high"], row["level"]) == (low, high, 0.9)
    assert f"{low:.4f}…{high:.4f}" in command("monday.json", "--level", "0.9")[1]
    assert "…" not in command("monday.json")[1]


def test_means_alone_are_shown_with_the_intervals_that_they_hold(command: Command) -> None:
    Path("qrels.txt").write_text("q1 0 a 1\nq2 0 a 1\n")
    Path("system.run").write_text("q1 Q0 a 1 1 x\nq2 Q0 b 1 1 x\n")
    evaluate = ["evaluate", "qrels.txt", "system.run", "-m", "RR", "--quiet"]
    for name, words in (("alone.json", []), ("ends.parquet", ["--interval", "--level", "0.8"])):
        assert rw.cli.main([*evaluate, *words, "-o", name]) == 0
    live = rw.evaluate("qrels.txt", "system.run", ["RR"])
    low, high, _ = live.interval(level=0.8)["RR"]
    history = rw.history(["alone.json", "ends.parquet"], level=None)
    assert history.to_frame().select("mean", "low", "high", "level").rows() == [
        (1 / 2, None, None, None),
        (1 / 2, low, high, 0.8),
    ]
    assert history.judgements == {"alone": None, "ends": None}
    status, out, _ = command("alone.json", "ends.parquet", "monday.json", "--interval")
    assert status == 0
    assert "alone ends: means alone" in out
    assert "2 files of means alone: no 95 % intervals" in " ".join(out.split())


def test_a_measure_that_a_file_lacks_is_an_empty_cell(command: Command) -> None:
    save_values("wednesday.json", [1, 1, 1], "MRR", "R@1")
    _, out, _ = command("monday.json", "wednesday.json")
    lines = [line.split() for line in out.splitlines()]
    assert lines[0] == ["file", "run", "RR", "P@1", "R@1"]
    assert lines[3] == ["wednesday", "system", "1.0000", "1.0000"]
    assert "monday has no R@1" in out
    assert "wednesday has no P@1" in out
    assert len(rw.history(["monday.json", "wednesday.json"]).to_frame()) == 2 + 2
    html = command("monday.json", "wednesday.json", "-f", "html")[1]
    assert "n/a" not in html + out


def test_values_that_were_not_measured_alike_are_told(command: Command) -> None:
    save_values("skip.json", [1, 1, 1], "RR", missing="skip", queries=["q1", "q2"])
    status, out, _ = command("monday.json", "skip.json", "-m", "RR")
    text = " ".join(out.split())
    assert status == 0
    assert "RR of monday and skip: missing is zero and skip [not-comparable]" in text
    assert "RR of monday and skip: the query sets differ: 3 and 2 queries [not-comparable]" in text
    assert "profile:" not in out  # the signature of neither stands below values of both
    history = rw.history(["monday.json", "skip.json"], ["RR"])
    assert {slug for slug, _ in history.warnings} == {"not-comparable"}
    assert history.to_frame()["signature"].n_unique() == 2
    _, out, err = command("monday.json", "skip.json", "-m", "RR", "-f", "csv")
    assert err.count("[not-comparable]") == 2
    assert "warning" not in out
    assert command("monday.json", "skip.json", "-m", "RR", "-f", "csv", "--quiet")[2] == ""


def test_one_name_of_two_measures_is_two_columns(command: Command) -> None:
    save_values("raised.json", [1, 1, 1], "RR", "P@1", rel=2, qrels={query: {"a": 2} for query in QRELS})
    history = rw.history(["monday.json", "raised.json"])
    assert history.measures == ("RR", "P@1", "RR(rel=2)", "P(rel=2)@1")
    assert command("monday.json", "raised.json", "-m", "RR(rel=2)")[1].splitlines()[0].split() == [
        "file",
        "run",
        "RR(rel=2)",
    ]


def test_judgements_that_changed_are_told(command: Command) -> None:
    save_values("later.json", [1, 1, 1], qrels=QRELS | {"q3": {"a": 2, "b": 1}})
    save_values("same.json", [1, 1, 1], qrels=QRELS | {"q3": {"a": 2, "b": 1}})
    history = rw.history(["monday.json", "tuesday.parquet", "later.json", "same.json"])
    changes = "2 judgements of 1 query changed: 1 added, 1 regraded"
    text = f"later: its values were measured by other judgements than those before: {changes}"
    assert history.warnings == (("changed-judgements", text),)
    assert "[changed-judgements]" in command("monday.json", "later.json")[1]


def test_runs_and_groups_of_a_file_have_rows(command: Command) -> None:
    by = {"q1": "ar", "q2": "ar", "q3": "en"}
    runs = {name: run_of(ranks) for name, ranks in DAYS.items()}
    rw.evaluate_runs(QRELS, runs, ["RR"], by=by).save("both.json")
    frame = rw.history(["both.json"]).to_frame()
    assert frame.select("run", "group", "mean").rows()[:3] == [
        ("monday", "(all)", RR["monday"]),
        ("monday", "ar", (1 + 1 / 2) / 2),
        ("monday", "en", 1 / 4),
    ]
    assert frame["queries"].to_list() == [3, 2, 1] * 2
    assert "(all)" in command("both.json")[1]


def test_json_holds_rows_digests_and_warnings(command: Command) -> None:
    _, out, _ = command("monday.json", "tuesday.parquet", "-f", "json")
    record = json.loads(out)
    assert record["schema"] == "rankworth.history/1"
    assert record["measures"] == ["RR", "P@1"]
    assert [row["mean"] for row in record["means"]] == [RR["monday"], 1 / 3, RR["tuesday"], 2 / 3]
    assert record["judgements"]["monday"] == rw.load("monday.json")["system"].judgements.sha256


def test_an_infinite_mean_stays_infinite(command: Command) -> None:
    rw.evaluate(first_ranks={"q1": 3, "q2": None, "q3": None}, measures=["MedianRank"]).save("ranks.json")
    assert rw.history("ranks.json").to_frame()["mean"].to_list() == [float("inf")]
    assert json.loads(command("ranks.json", "-f", "json")[1])["means"][0]["mean"] == "Infinity"
    [row] = csv.DictReader(io.StringIO(command("ranks.json", "-f", "csv")[1]))
    assert row["mean"] == "inf"


def test_bad_input_is_refused_with_what_helps(command: Command) -> None:
    Path("system.run").write_text("q1 Q0 a 1 1 x\n")
    Path("run.json").write_text('{"q1": {"a": 1.0}}')
    text = Path("monday.json").read_text()
    Path("cut.json").write_text(text[:400])
    Path("edited.json").write_text(text.replace('"P@1": 1.0', '"P@1": 0.0', 1))
    Path("old.json").write_text(text.replace("results/4", "results/3"))
    Path("new.json").write_text(text.replace("results/4", "results/9"))
    for folder in ("a", "b"):
        Path(folder).mkdir()
        Path(folder, "results.json").write_text(text)
    for words, message in (
        ([], "there is no results file   [conflicting-options]"),
        (["system.run"], "system.run: this is no JSON, and no results of rankworth   [bad-results]"),
        (["run.json"], "run.json: this is JSON, and no results of rankworth   [bad-results]"),
        (["cut.json"], "[bad-json]"),
        (["edited.json"], "it was edited, merged or damaged   [bad-results]"),
        (["old.json"], "rankworth evaluate QRELS system=RUN -m RR P@1 -q -o old.json"),
        (["new.json"], "[newer-results]"),
        (["nowhere.json", "none.json"], "none.json: there is no such file   [missing-file]"),
        (["monday.json", "monday.json"], "monday.json is given more than once"),
        (["a/results.json", "b/results.json"], "name them: a=a/results.json b=b/results.json"),
        (["x=monday.json", "x=tuesday.parquet"], "name them: monday=monday.json tuesday=tuesday.parquet"),
        (["monday.json", "-m", "P@5"], "rankworth evaluate QRELS RUN -m P@5 -q -o FILE.json"),
        (["monday.json", "-m", "RRR"], "did you mean RR?"),
        (["monday.json", "-o", "monday.json"], "[unwritable-output]"),
        (["monday.json", "-f", "long", "-o", "x.md"], "means in long form are not written as md"),
    ):
        assert message in refused(command, *words)
    raises(lambda: rw.history([]), "conflicting-options", "history(")
    raises(lambda: rw.history([QRELS]), "input-type", "dict is no path of a results file")  # type: ignore[list-item]
    raises(lambda: rw.history("monday.json", level=2), "unknown-setting", "level")


def test_what_a_refusal_proposes_works(command: Command) -> None:
    for folder in ("a", "b"):
        Path(folder).mkdir()
        Path(folder, "results.json").write_text(Path("monday.json").read_text())
    error = refused(command, "a/results.json", "b/results.json")
    words = error.partition("name them: ")[2].split()
    assert command(*words)[0] == 0
