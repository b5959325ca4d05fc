"""The command `compare` as its users meet it: what it prints, writes and refuses, and its exit status."""

import csv
import html
import io
import json
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, get_args
from xml.etree import ElementTree as ET

import pytest

import rankworth as rw
from helpers import Answer, Command, command_of, json_of, refused
from rankworth import cli
from rankworth.cli.compare import SUMMARY
from rankworth.report import make
from rankworth.tables.show import Form

OLD: Final = {"q1": 1, "q2": 1, "q3": 1, "q4": 1, "q5": 2, "q6": 2}
"""ranks of the one relevant document: RR is 1, 1, 1, 1, 1/2, 1/2, in the mean 5/6"""
NEW: Final = {"q1": 1, "q2": 1, "q3": 1, "q4": 2, "q5": 2, "q6": 4}
"""1, 1, 1, 1/2, 1/2, 1/4: in the mean 17/24, a drop of 1/8"""
PLUGIN: Final = '''
from rankworth import Terms, measure
from rankworth.measures.building_blocks import relevant

@measure("Found", range=(0, float("inf")))
def found(judged, *, rel: float = 1) -> Terms:
    """How many relevant documents were retrieved."""
    return Terms(gain=relevant(judged, rel))
'''
QUERIES: Final = "qid\ttext\tlanguage\ttraffic\n" + "".join(
    f"{query}\t\t{'عربي' if query > 'q4' else 'en'}\t{3 if query == 'q6' else 1}\n" for query in OLD
)
FORMS: Final = get_args(Form)
GIVEN: Final = ("qrels.txt", "old.run", "new.run", "-m", "RR")


def write_run(path: str, ranks: Mapping[str, int]) -> None:
    """Write a run in which the relevant document has these ranks."""
    lines = [
        f"{query} Q0 {'a' if place == rank else f'x{place}'} {place} {10 - place} x\n"
        for query, rank in ranks.items()
        for place in range(1, rank + 1)
    ]
    Path(path).write_text("".join(lines))


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a folder with judgements, two runs and a table of queries, and take nothing from the environment."""
    monkeypatch.chdir(tmp_path)
    for name in ("COLUMNS", "NO_COLOR", "FORCE_COLOR", SUMMARY):
        monkeypatch.delenv(name, raising=False)
    Path("qrels.txt").write_text("".join(f"{query} 0 a 1\n" for query in OLD))
    Path("queries.tsv").write_text(QUERIES, encoding="utf-8")
    write_run("old.run", OLD)
    write_run("new.run", NEW)


@pytest.fixture
def command(capsysbinary: pytest.CaptureFixture[bytes]) -> Command:
    """The command in this process: exit status, standard output, standard error."""
    return command_of(capsysbinary, "compare")


@pytest.fixture
def told(command: Command) -> Callable[..., dict[str, Any]]:
    """The command's JSON."""
    return json_of(command)


def keep(name: str, ranks: Mapping[str, int], *measures: str, **settings: Any) -> None:
    """Keep what a run is worth in a results file."""
    write_run(f"{Path(name).stem}.run", ranks)
    rw.evaluate("qrels.txt", f"{Path(name).stem}.run", measures or ["RR"], **settings).save(name)


def test_two_runs_are_compared_in_a_table(command: Command) -> None:
    status, out, err = command(*GIVEN)
    assert (status, err) == (0, "")
    lines = [line.split() for line in out.splitlines()]
    assert lines[0] == ["new", "-", "old,", "paired", "over", "6", "queries"]
    assert lines[1][:5] == ["Too", "few", "queries:", "6", "queries"]
    start = lines.index(["measure", "old", "new", "difference", "p", "d", "W/T/L", "verdict"])
    assert lines[start + 2][:4] == ["RR", "0.8333", "0.7083", "-0.1250"]
    assert lines[start + 2][-3:] == ["0/4/2", "too", "few"]
    assert "largest losses of new by RR: q4 -0.5000, q6 -0.2500\n" in out
    assert "  rankworth explain qrels.txt old.run new.run q4 -m RR\n" in out
    assert max(map(len, out.splitlines()[: start + 4])) <= 80


def test_help_has_four_examples_that_fit(command: Command) -> None:
    status, out, err = command("--help")
    examples = [out.splitlines()[1], *out.partition("xamples:\n")[2].splitlines()]
    assert (status, err, len(examples)) == (0, "", 4)
    assert all("rankworth compare " in line for line in examples)
    assert max(map(len, out.splitlines())) <= 80


def test_groups_are_told_of_kept_values_too(told: Callable[..., dict[str, Any]], command: Command) -> None:
    keep("kept.json", OLD)
    table = ("--queries", "queries.tsv", "--by", "language")
    given = ("qrels.txt", "kept.json", "new.run")
    assert told(*given, *table)["slices"]["language"][0]["queries"] == 4
    status, out, _ = command(*given, *table, "--max-drop", "language=عربي:RR=20%")
    assert (status, "drop 25.00 % > 20.00 %" in out) == (1, True)  # 1/8 of 1/2


def test_json_is_the_record_of_python(told: Callable[..., dict[str, Any]]) -> None:
    same = rw.compare("qrels.txt", ["old.run", "new.run"], ["RR", "AP"])
    assert told(*GIVEN, "AP") == json.loads(json.dumps(same.to_dict()))


@pytest.mark.parametrize("separator", ["tsv", "csv"])
def test_rows_for_programs_are_those_of_the_frame(command: Command, separator: str) -> None:
    _, out, err = command(*GIVEN, "AP", "-f", separator)
    rows = list(csv.DictReader(io.StringIO(out), delimiter="," if separator == "csv" else "\t"))
    frame = rw.compare("qrels.txt", ["old.run", "new.run"], ["RR", "AP"]).to_frame()
    assert list(rows[0]) == frame.columns
    assert [float(row["difference"]) for row in rows] == frame["difference"].to_list()
    assert "[few-queries]" in err
    _, out, err = command(*GIVEN, "AP", "-f", "jsonl", "--quiet")
    assert [json.loads(line) for line in out.splitlines()] == frame.to_dicts()
    assert err == ""


@pytest.mark.parametrize("gates", [(), ("--max-drop", "RR=0.2")], ids=["bare", "gated"])
@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_printed_and_written(command: Command, form: str, gates: tuple[str, ...]) -> None:
    given = (*GIVEN, *gates, "-f", form)
    status, out, _ = command(*given)
    assert (status, bool(out)) == (0, True)
    status, nothing, err = command(*given, "-o", "file.unknown")
    assert (status, nothing, err.splitlines()[0]) == (0, "", "wrote file.unknown")
    assert "RR  new  0.8333 -> 0.7083" in err if gates else err == "wrote file.unknown\n"
    written = Path("file.unknown").read_bytes().decode()
    assert written == out if form != "table" else written.split() == out.split()
    assert command(*given, "-o", "file.unknown", "--quiet") == (0, "", "")


def test_the_suffix_chooses_the_form(command: Command) -> None:
    suffixes = {
        "txt": "new - old",
        "tsv": "measure\tfirst",
        "csv": "measure,first",
        "json": "{",
        "jsonl": "{",
        "md": "**new - old",
        "tex": "% new - old",
        "html": "<!doctype html>",
    }
    files = [f"x.{suffix}" for suffix in suffixes]
    status, out, err = command(*GIVEN, *(part for one in files for part in ("-o", one)))
    assert (status, out) == (0, "")
    assert err.splitlines() == [f"wrote {file}" for file in files]
    for suffix, start in suffixes.items():
        assert Path(f"x.{suffix}").read_text("utf-8").startswith(start), suffix


def test_forms_for_papers_and_pages_hold_what_the_table_holds(command: Command) -> None:
    _, out, _ = command(*GIVEN, "-f", "latex")
    assert r"\toprule" in out
    assert "RR & 0.8333 & 0.7083 & -0.1250" in re.sub(r"\\textbf\{(.*?)\}", r"\1", out)
    _, out, _ = command(*GIVEN, "-f", "md")
    assert "\n| RR | 0.8333 | 0.7083 | -0.1250 (" in out.replace("*", "")
    _, out, _ = command(*GIVEN, "-f", "html", "--digits", "2")
    assert "<title>rankworth compare</title>" in out
    assert ">0.83<" in out


def test_many_systems_are_marked(command: Command) -> None:
    write_run("third.run", dict.fromkeys(OLD, 4))
    _, out, _ = command("qrels.txt", "old.run", "new.run", "third.run", "-m", "RR", "--test", "t", "--all-pairs")
    assert "superscripts: systems significantly outperformed (p holm < 0.05)" in " ".join(out.split())
    assert re.search(r"^a +old +0\.8333 c", out, re.MULTILINE)
    _, out, _ = command("qrels.txt", "third.run", "old.run", "-m", "RR", "--test", "t", "--baseline", "third")
    assert "better" in out


def test_the_baseline_is_the_first_or_the_one_that_is_named(told: Callable[..., dict[str, Any]]) -> None:
    assert told(*GIVEN)["baseline"] == "old"
    record = told(*GIVEN, "--baseline", "new")
    assert (record["baseline"], record["systems"]) == ("new", ["new", "old"])
    assert record["differences"][0]["difference"] == pytest.approx(1 / 8)


def test_options_of_judging_are_those_of_python(told: Callable[..., dict[str, Any]]) -> None:
    options = {
        "test": "bootstrap",
        "correction": "by",
        "level": 0.9,
        "interval": "percentile",
        "resamples": 500,
        "seed": 3,
    }
    words = [part for name, value in options.items() for part in (f"--{name}", str(value))]
    record = told(*GIVEN, *words, "--margin", "RR=0.9")
    assert {name: record[name] for name in options} == options
    assert record["margins"] == {"RR": 0.9}
    assert record["differences"][0]["word"] == "equivalent"
    same = rw.compare("qrels.txt", ["old.run", "new.run"], ["RR"], margin={"RR": 0.9}, **options)  # type: ignore[arg-type]
    assert record == json.loads(json.dumps(same.to_dict()))
    assert told(*GIVEN, "AP", "--margin", "0.1")["margins"] == {"RR": 0.1, "AP": 0.1}


@pytest.mark.parametrize("test", ["tukey", "randomized-tukey"])
def test_tests_of_all_systems_are_corrected_already(told: Callable[..., dict[str, Any]], test: str) -> None:
    write_run("third.run", dict.fromkeys(OLD, 4))
    record = told("qrels.txt", "old.run", "new.run", "third.run", "-m", "RR", "--test", test, "--all-pairs")
    assert (record["test"], record["correction"]) == (test, "none")
    assert [one["p"] for one in record["differences"]] == [one["adjusted"] for one in record["differences"]]


def test_too_few_queries_for_an_effect_are_said(command: Command) -> None:
    _, out, _ = command(*GIVEN, "--effect", "0.01")
    assert "6 queries are too few for a difference of 0.01" in " ".join(out.split())


def test_groups_weights_and_macro_means(told: Callable[..., dict[str, Any]], command: Command) -> None:
    table = ("--queries", "queries.tsv")
    record = told(*GIVEN, *table, "--by", "language")
    assert {one["group"]: one["difference"] for one in record["slices"]["language"]} == {"en": -1 / 8, "عربي": -1 / 8}
    [one] = told(*GIVEN, *table, "--weights", "traffic")["differences"]
    assert one["first_mean"] == pytest.approx((4 + 1 / 2 + 3 / 2) / 8)
    assert one["difference"] == pytest.approx((-1 / 2 - 3 / 4) / 8)
    [one] = told(*GIVEN, *table, "--macro", "language")["differences"]
    assert one["first_mean"] == pytest.approx((1 + 1 / 2) / 2)
    _, out, _ = command(*GIVEN, *table, "--by", "language")
    assert re.search(r"^عربي +RR +2 +-0\.1250", out, re.MULTILINE)
    Path("named.csv").write_text("nr;words;language\n".replace(";", ",") + "".join(f"{one},,x\n" for one in OLD))
    columns = ("--columns", "query=nr", "text=words")
    assert told(*GIVEN, "--queries", "named.csv", *columns, "--by", "language")["slices"]["language"][0]["queries"] == 6


def test_settings_and_profiles_are_those_of_evaluate(told: Callable[..., dict[str, Any]]) -> None:
    [one] = told(*GIVEN, "--depth", "1")["differences"]
    assert (one["first_mean"], one["second_mean"]) == (pytest.approx(4 / 6), pytest.approx(3 / 6))
    record = told("qrels.txt", "old.run", "new.run", "-m", "recip_rank", "--profile", "trec-eval-9")
    assert record["measures"] == ["recip_rank"]
    assert "profile:trec_eval-9" in record["signatures"]["recip_rank"]
    Path("ids.txt").write_text("q4\nq5\n")
    assert told(*GIVEN, "--only", "ids.txt")["differences"][0]["difference"] == -1 / 4
    Path("few.run").write_text("q1 Q0 a 1 1 x\n")
    settings = ("-m", "RR", "--answered-only")
    assert told("qrels.txt", "old.run", "few.run", *settings)["queries"] == 1


@pytest.fixture
def plugin() -> str:
    """Give a plugin."""
    Path("compared.py").write_text(PLUGIN)
    return "compared.py"


def test_a_plugin_defines_measures(told: Callable[..., dict[str, Any]], plugin: str) -> None:
    record = told("qrels.txt", "old.run", "new.run", "-m", "Found", "--plugin", plugin)
    assert record["measures"] == ["Found"]
    assert [one["first_mean"] for one in record["differences"]] == [1.0]


def test_a_run_comes_on_standard_input(told: Callable[..., dict[str, Any]], monkeypatch: pytest.MonkeyPatch) -> None:
    def stream(path: str) -> None:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(Path(path).read_bytes())))

    stream("new.run")
    record = told("qrels.txt", "old.run", "-", "-m", "RR")
    assert record["systems"] == ["old", "stdin"]
    stream("new.run")
    assert told("qrels.txt", "old.run", "new=-", "-m", "RR")["differences"] == told(*GIVEN)["differences"]


def test_runs_are_named_and_named_alike_they_are_seeds_or_folds(
    command: Command, told: Callable[..., dict[str, Any]]
) -> None:
    write_run("again.run", OLD)
    record = told("qrels.txt", "main=old.run", "mean=new.run", "mean=again.run", "-m", "RR")
    assert record["systems"] == ["main", "mean"]
    assert record["differences"][0]["difference"] == pytest.approx(-1 / 16)
    assert any("2 seeds" in note for note in record["notes"])
    write_run("fold1.run", {query: NEW[query] for query in ("q1", "q2", "q3")})
    write_run("fold2.run", {query: NEW[query] for query in ("q4", "q5", "q6")})
    folds = ("qrels.txt", "old.run", "new=fold1.run", "new=fold2.run", "-m", "RR")
    assert told(*folds)["differences"][0]["difference"] == pytest.approx(-1 / 8)
    _, out, _ = command(*folds)
    assert "new: 2 folds joined" in out
    assert "rankworth explain" not in out  # of which of the files?


def test_commands_that_explain_read_and_measure_alike(command: Command) -> None:
    options = ("--qrels-format", "trec", "--run-format", "trec", "--depth", "3")
    _, out, _ = command(*GIVEN, *options, "--max-drop", "RR=0.01")
    words = "rankworth explain qrels.txt old.run new.run q4 -m RR --qrels-format trec --run-format trec --depth 3"
    assert out.count(f"  {words}\n") == 2  # below the table and below the gate
    assert cli.main(words.split()[1:]) == 0


def test_seeds_that_leave_queries_unanswered_are_told(command: Command) -> None:
    write_run("again.run", {query: OLD[query] for query in ("q1", "q2", "q3", "q4", "q6")})
    _, out, err = command("qrels.txt", "main=old.run", "mean=new.run", "mean=again.run", "-m", "RR")
    assert "2 seeds" in out
    text = "no results: mean for 1 query; by default they count as empty rankings, and --answered-only"
    assert f"{text} leaves them out" in " ".join(f"{out} {err}".split())


def test_a_name_is_for_one_run_of_a_results_file(command: Command) -> None:
    rw.evaluate_runs("qrels.txt", {"a": "old.run", "b": "new.run"}, ["RR"]).save("both.json")
    err = refused(command, "qrels.txt", "main=both.json", "new.run", "-m", "RR")
    assert "both.json holds 2 runs, a b, and main is one name   [run-names]" in err
    with pytest.raises(rw.UsageError, match="holds 2 runs, a b, and main is one system"):
        rw.compare("qrels.txt", {"main": "both.json", "new": "new.run"}, ["RR"])


def test_runs_that_are_called_alike_by_chance_are_no_seeds(command: Command) -> None:
    Path("main").mkdir()
    write_run("main/new.run", OLD)
    err = refused(command, "qrels.txt", "main/new.run", "new.run", "-m", "RR")
    assert "2 runs are called new: main/new.run new.run   [run-names]" in err
    assert "NAME=FILE" in err
    Path("two words").mkdir()
    paths = [f"{folder}/s (s).run" for folder in ("main", "two words")]
    for path in paths:
        write_run(path, OLD)
    err = refused(command, "qrels.txt", *paths, "-m", "RR")
    assert "as in 'main=main/s (s).run' 'two words=two words/s (s).run'" in " ".join(err.split())
    err = refused(command, "qrels.txt", "new.run", "new.run", "-m", "RR")
    assert "as in new=new.run new=new.run" in " ".join(err.split())


def test_results_files_and_runs_in_any_mix(told: Callable[..., dict[str, Any]]) -> None:
    keep("kept.json", OLD)
    keep("kept2.parquet", NEW)
    expected = told(*GIVEN)["differences"]

    def but_names(record: dict[str, Any]) -> list[dict[str, Any]]:
        return [one | {"first": "old", "second": "new"} for one in record["differences"]]

    for systems in (
        ("qrels.txt", "kept.json", "new.run"),
        ("qrels.txt", "old.run", "kept2.parquet"),
        ("qrels.txt", "kept.json", "kept2.parquet"),
        ("kept.json", "kept2.parquet"),
        ("old=kept.json", "new=kept2.parquet"),
    ):
        assert but_names(told(*systems)) == expected, systems
    rw.evaluate_runs("qrels.txt", ["old.run", "new.run"], ["RR"]).save("both.json")
    assert told("both.json")["differences"] == expected
    assert told("both.json", "--baseline", "new")["baseline"] == "new"


def test_some_of_the_queries_are_those_of_kept_values_too(told: Callable[..., dict[str, Any]]) -> None:
    keep("old.json", OLD, "RR")
    Path("some.txt").write_text("q4\nq6\n")
    for base in ("old.run", "old.json"):
        found = told("qrels.txt", base, "new.run", "-m", "RR", "--only", "some.txt")
        assert found["queries"] == 2
        assert found["means"] == {"old": {"RR": (1 + 1 / 2) / 2}, "new": {"RR": (1 / 2 + 1 / 4) / 2}}, base


def test_a_kept_run_and_its_successor_may_have_one_name(told: Callable[..., dict[str, Any]]) -> None:
    keep("new.json", OLD)
    write_run("new.run", NEW)
    record = told("qrels.txt", "new.json", "new.run")
    assert record["systems"] == ["new (new)", "new"]
    assert record["differences"][0]["difference"] == pytest.approx(-1 / 8)


def test_measures_are_those_of_the_results_files_unless_others_are_asked_for(
    told: Callable[..., dict[str, Any]], command: Command
) -> None:
    keep("kept.json", OLD, "P@5", "RR", "Judged@10", "num_rel", "gmean(AP)")
    assert told("qrels.txt", "kept.json", "new.run")["measures"] == ["P@5", "RR"]
    assert told("qrels.txt", "kept.json", "new.run", "-m", "RR")["measures"] == ["RR"]
    err = refused(command, "qrels.txt", "kept.json", "new.run", "-m", "AP")
    assert "kept was not measured by AP; there are P@5 RR" in err
    assert "[not-measured]" in err
    Path("pyproject.toml").write_text('[tool.rankworth]\nmeasures = ["AP"]\n')
    assert told("qrels.txt", "kept.json", "new.run")["measures"] == ["P@5", "RR"]
    assert told("qrels.txt", "old.run", "new.run")["measures"] == ["AP"]


def test_a_gate_decides_the_exit_status(command: Command) -> None:
    status, out, err = command(*GIVEN, "--max-drop", "RR=0.1")
    assert (status, err) == (1, "")
    assert "\nthe gate fails\nFAIL  RR  new  0.8333 -> 0.7083  drop 0.1250 > 0.1000\n" in out
    assert out.endswith("  rankworth explain qrels.txt old.run new.run q4 -m RR\n")
    status, out, err = command(*GIVEN, "--max-drop", "RR=0.2")
    assert (status, err) == (0, "")
    assert out.endswith("\nthe gate holds\nok  RR  new  0.8333 -> 0.7083  drop 0.1250 <= 0.2000\n")


def test_all_gates_are_told_each_on_a_line(command: Command) -> None:
    gates = (
        "--max-drop",
        "RR=0.2",
        "RR=1%",
        "--max-drop",
        "P@1=0",
        "--noninferior",
        "RR=0.9",
        "--fail-under",
        "RR=0.7",
    )
    status, out, _ = command(*GIVEN, *gates)
    assert status == 1
    lines = out[out.index("3 of 5 gates fail") :].splitlines()[1:6]  # no interval of so few queries excludes a drop
    assert [*lines[:3], lines[4]] == [
        "ok    RR   new  0.8333 -> 0.7083  drop 0.1250 <= 0.2000",
        "FAIL  RR   new  0.8333 -> 0.7083  drop 15.00 % > 1.00 %",
        "FAIL  P@1  new  0.6667 -> 0.5000  drop 0.1667 > 0.0000",  # which is measured for its gate
        "ok    RR   new  0.7083            0.7083 >= 0.7000",
    ]
    excluded = r"FAIL  RR   new  0\.8333 -> 0\.7083  the queries are too few to exclude any drop"
    assert re.fullmatch(excluded, lines[3])


def test_a_drop_may_be_that_of_any_query_or_a_significant_one(command: Command) -> None:
    assert command(*GIVEN, "--max-drop", "RR=0.2", "--when", "any")[0] == 1
    assert command(*GIVEN, "--max-drop", "RR=0.5", "--when", "any")[0] == 0
    assert command(*GIVEN, "--max-drop", "RR=0.1", "--when", "significant")[0] == 0
    err = refused(command, *GIVEN, "--when", "any")
    assert "there is no --max-drop   [conflicting-options]" in err


def test_groups_have_gates(command: Command) -> None:
    table = ("--queries", "queries.tsv", "--by", "language")
    status, out, _ = command(*GIVEN, *table, "--fail-under", "language=عربي:RR=0.5", "language:RR=0.3")
    assert status == 1
    assert out[out.index("1 of 3 gates fails") :].splitlines()[1:4] == [
        "FAIL  language=عربي:RR  new  0.3750  0.3750 < 0.5000",
        "ok    language=en:RR    new  0.8750  0.8750 >= 0.3000",
        "ok    language=عربي:RR  new  0.3750  0.3750 >= 0.3000",
    ]
    err = refused(command, *GIVEN, "--max-drop", "language:RR=0.1")
    assert "nothing is told by language   [not-measured]\n  --queries FILE --by language" in err


def test_verdicts_stand_on_standard_error_beside_forms_without_room(command: Command) -> None:
    line = "FAIL  RR  new  0.8333 -> 0.7083  drop 0.1250 > 0.1000\n"
    for form in ("csv", "tsv", "jsonl", "latex", "json"):
        status, out, err = command(*GIVEN, "--max-drop", "RR=0.1", "-f", form)
        assert (status, line in err, "FAIL" in out) == (1, True, False), form
        assert "  rankworth explain qrels.txt old.run new.run q4 -m RR\n" in err
    for form in ("md", "html"):
        status, out, err = command(*GIVEN, "--max-drop", "RR=0.1", "-f", form)
        assert (status, "FAIL" in out, err) == (1, True, ""), form
    status, out, err = command(*GIVEN, "--max-drop", "RR=0.1", "RR=0.2", "-f", "csv", "--quiet")
    assert (status, err) == (1, line)
    record = json.loads(command(*GIVEN, "--max-drop", "RR=0.1", "-f", "json")[1])
    assert [(one["gate"], one["passed"], one["limit"]) for one in record["gates"]] == [("max-drop", False, 0.1)]


def test_github_gets_annotations_a_summary_and_files(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    gated = (*GIVEN, "--max-drop", "RR=0.1", "RR=0.2", "-f", "github")
    status, out, err = command(*gated)
    assert (status, err) == (1, "")
    assert [line.partition(" ")[0] for line in out.splitlines()] == ["::error", "::notice"]
    Path("summary.md").write_text("before\n")
    monkeypatch.setenv(SUMMARY, "summary.md")
    status, same, err = command(*gated, "-o", "gate.md", "-o", "gate.xml")
    assert (status, same, err) == (1, out, "wrote gate.md\nwrote gate.xml\n")
    comment = Path("gate.md").read_text("utf-8")
    assert "\n\n**1 of 2 gates fails**\n\n|  | gate | system | values | because |\n" in comment
    assert "**new - old, paired over 6 queries**" in comment
    assert Path("summary.md").read_text("utf-8") == f"before\n{comment}"
    suites = ET.parse("gate.xml").getroot()  # noqa: S314 - our own
    assert suites.attrib == {"tests": "2", "failures": "1", "errors": "0"}


@pytest.mark.parametrize("systems", [("old.run", "new.run"), ("old.run", "new.run", "third.run")])
def test_a_comment_begins_with_the_verdict_of_the_report(systems: tuple[str, ...], command: Command) -> None:
    write_run("third.run", dict.fromkeys(OLD, 3))
    Path("queries.tsv").write_text("qid\ttext\nq4\t[a] *b* متى\n", encoding="utf-8")
    runs = {Path(path).stem: path for path in systems}
    told = make("qrels.txt", runs, ["RR", "AP"], profiles=False, queries="queries.tsv")
    words = ("qrels.txt", *systems, "-m", "RR", "AP", "--queries", "queries.tsv", "--max-drop", "RR=0.2")
    command(*words, "-o", "gate.md", "-o", "gate.html")
    comment = re.sub(r"\\([^\w\s])", r"\1", Path("gate.md").read_text("utf-8"))
    sentences = told.record["verdict"]
    assert comment.startswith(f"**{told.record['conclusion']['title']}**\n\n{sentences[0]}\n\n")
    parts = [*sentences[:2], "**the gate holds**" if len(systems) == 2 else "**1 of 2 gates fails**", *sentences[2:]]
    offsets = [comment.index(f"\n\n{part}\n\n") for part in parts]
    assert offsets == sorted(offsets)
    assert offsets[-1] < comment.index("| RR ")
    assert any("متى" in sentence for sentence in sentences) == (len(systems) == 2)
    page = Path("gate.html").read_text("utf-8")
    assert page.index(html.escape(sentences[0])) < page.index("<table")


def test_a_stored_baseline_that_has_fallen_behind_is_renewed_by_the_command_that_is_told(command: Command) -> None:
    keep("the baseline.json", NEW, "AP", "MRR", "nDCG@10")
    given = ("qrels.txt", "the baseline.json", "old.run", "-m", "RR", "--max-drop", "RR=0.1")
    fact = "the baseline is 0.1250 below old by RR: renew it, or a loss of 0.2250 can pass   [stale-baseline]"
    renewal = "rankworth evaluate qrels.txt old.run -m AP MRR nDCG@10 -q -o 'the baseline.json'"
    status, out, err = command(*given)
    assert (status, err) == (0, "")
    assert out.endswith(f"ok  RR  old  0.7083 -> 0.8333  gains 0.1250\n{fact}\n  {renewal}\n")
    assert command(*given, "--quiet", "-f", "csv")[2] == ""
    assert command(*given, "-f", "csv")[2].endswith(f"\n{fact}\n  {renewal}\n")
    command(*given, *(["-o", "gate.md", "-o", "gate.xml", "-o", "gate.json", "-o", "gate.html"]))
    assert fact.replace("[", "\\[").replace("]", "\\]") in Path("gate.md").read_text("utf-8")
    assert html.escape(renewal) in Path("gate.html").read_text("utf-8")
    [case] = ET.parse("gate.xml").getroot().iter("testcase")  # noqa: S314 - our own
    [gate] = json.loads(Path("gate.json").read_text("utf-8"))["gates"]
    assert (case.findtext("system-out"), gate["note"]) == (f"{fact}\n  {renewal}",) * 2
    assert (gate["headroom"], gate["renewal"]) == (pytest.approx(0.225), renewal)
    assert (
        f"::warning title=max-drop RR of old::ok: 0.7083 -> 0.8333, gains 0.1250%0A{fact}%0A  {renewal}\n"
        in (command(*given, "-f", "github")[1])
    )
    assert cli.main(shlex.split(renewal)[1:]) == 0
    [values] = rw.load("the baseline.json").values()
    assert {"AP", "MRR", "nDCG@10"} == {*values.per_query.measures}
    assert "stale-baseline" not in command(*given)[1]


def test_a_results_file_is_renewed_by_another_one(command: Command) -> None:
    keep("baseline.json", NEW)
    keep("today.json", OLD)
    _, out, _ = command("baseline.json", "today.json", "--max-drop", "RR=0.1")
    assert out.endswith("[stale-baseline]\n  cp today.json baseline.json\n")
    assert "stale-baseline" not in command("qrels.txt", "new.run", "old.run", "--max-drop", "RR=0.1")[1]


def test_github_gets_errors_as_annotations_too(command: Command) -> None:
    status, out, err = command("qrels.txt", "kept.json", "new.run", "--max-drop", "RR=0.1", "-f", "github")
    assert status == 2
    assert out.startswith("::error title=rankworth missing-file::kept.json: there is no such file")
    assert out.count("\n") == 1
    assert err.startswith("error: kept.json: there is no such file   [missing-file]\n")


def test_outputs_are_written_whole_or_not_at_all(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    gated = (*GIVEN, "--max-drop", "RR=0.1")
    assert "no folder gone" in refused(command, *gated, "-o", "gate.md", "-o", "gone/gate.xml")
    assert "no folder gone" in refused(command, *gated, "-o", "gate.xml", "-o", "gone/gate.md")
    assert "this file is read" in refused(command, *gated, "-o", "old.run", "-f", "md")
    assert "gate.xml holds verdicts of gates, and there is no gate" in refused(command, *GIVEN, "-o", "gate.xml")
    assert "not written as parquet" in refused(command, *gated, "-o", "x.parquet")
    assert "[unknown-format]" in refused(command, *gated, "-o", "x.unknown")
    Path("gate.md").mkdir()
    assert "this is a directory" in refused(command, *gated, "-o", "gate.xml", "-o", "gate.md")
    monkeypatch.setenv(SUMMARY, "gone/summary.md")
    status, out, err = command(*gated, "-f", "github", "-o", "gate.xml")
    assert (status, "no folder gone" in err, Path("gate.xml").exists()) == (2, True, False)
    assert out.startswith("::error title=rankworth unwritable-output::")


def test_gates_of_the_project_hold_where_none_are_typed(command: Command) -> None:
    Path("pyproject.toml").write_text(
        "[tool.rankworth.gates]\nwhen = 'any'\n"
        "[tool.rankworth.gates.max-drop]\n'RR' = 0.3\n'P@1' = '100%'\n"
        "[tool.rankworth.gates.fail-under]\n'RR' = 0.7\n"
    )
    status, out, _ = command(*GIVEN)
    assert status == 1
    assert out[out.index("2 of 3 gates fail") :].splitlines()[1:4] == [
        "FAIL  RR   new  0.8333 -> 0.7083  1 query drops by more than 0.3000: q4 -0.5000",
        "FAIL  P@1  new  0.6667 -> 0.5000  1 query drops by more than 0.6667 (100 %): q4 -1.0000",
        "ok    RR   new  0.7083            0.7083 >= 0.7000",
    ]
    status, out, _ = command(*GIVEN, "--max-drop", "RR=0.2", "--when", "mean")
    assert (status, "all 2 gates hold" in out) == (0, True)
    status, out, _ = command(*GIVEN, "--no-gates")
    assert (status, "gate" in out) == (0, False)
    status, out, _ = command(*GIVEN, "--all-pairs")
    assert (status, "gate" in out) == (0, False)


@pytest.mark.parametrize(
    ("text", "slug", "told_there"),
    [
        ("gates = 3", "bad-config", "[tool.rankworth] gates is a table"),
        ("gates.drop = {'RR' = 1}", "bad-config", "has no 'drop'; it has max-drop, noninferior, fail-under and when"),
        ("gates.max-drop = ['RR=1']", "bad-config", "max-drop is a table of limits by measure"),
        ("gates.max-drop = {'RR' = true}", "bad-config", "max-drop is a table of limits by measure"),
        ("gates.when = 'ever'", "bad-config", "when is mean, significant or any, not 'ever'"),
        (
            "gates.max-drop = {'RR' = 'much'}",
            "bad-gate",
            "[tool.rankworth.gates.max-drop] RR=much: a gate is MEASURE=LIMIT",
        ),
        ("gates.noninferior = {'RR' = '2%'}", "bad-gate", "the limit is a number from 0 on"),
    ],
)
def test_gates_of_the_project_that_are_none_are_refused(
    command: Command, text: str, slug: str, told_there: str
) -> None:
    Path("pyproject.toml").write_text(f"[tool.rankworth]\n{text}\n")
    err = refused(command, *GIVEN)
    assert told_there in err
    assert f"[{slug}]" in err
    assert "pyproject.toml" in err


def test_gates_look_at_new_runs_not_at_those_beside_the_baseline(command: Command) -> None:
    write_run("third.run", dict.fromkeys(OLD, 4))
    rw.evaluate_runs("qrels.txt", ["old.run", "third.run"], ["RR"]).save("both.json")
    status, out, _ = command("qrels.txt", "both.json", "new.run", "--max-drop", "RR=0.2")
    assert status == 0
    assert out.splitlines()[-1] == "ok  RR  new  0.8333 -> 0.7083  drop 0.1250 <= 0.2000"
    assert command("both.json", "--max-drop", "RR=0.2")[0] == 1


def test_a_run_that_answers_fewer_queries_never_passes_for_that_reason(command: Command) -> None:
    keep("kept.json", OLD)
    write_run("new.run", dict.fromkeys(["q1", "q2", "q3", "q4"], 1))
    gated = ("new.run", "--max-drop", "RR=0.1")
    status, out, _ = command("qrels.txt", "kept.json", *gated)
    assert (status, "drop 0.1667 > 0.1000" in out) == (1, True)  # 5/6 - 4/6
    err = refused(command, "qrels.txt", "kept.json", *gated, "--answered-only")
    assert "[not-comparable]" in err
    err = refused(command, "qrels.txt", "old.run", *gated, "--answered-only")
    assert "different queries: old 6, new 4" in err
    assert "[changed-queries]" in err
    keep("kept.json", OLD, missing="skip")
    write_run("new.run", dict.fromkeys(["q1", "q2", "q3", "q4"], 1))
    for more in ((), ("--accept-new-qrels",)):
        err = refused(command, "qrels.txt", "kept.json", *gated, "--answered-only", *more)
        assert "[changed-queries]" in err


def test_changed_judgements_are_counted_and_both_remedies_told(command: Command) -> None:
    keep("kept.json", OLD)
    Path("qrels.txt").write_text("".join(f"{query} 0 {'ax'[query == 'q6']} 1\n" for query in OLD) + "q1 0 b 0\n")
    gated = ("qrels.txt", "kept.json", "new.run", "--max-drop", "RR=0.3")
    err = refused(command, *gated)
    assert "3 judgements of 2 queries changed: 2 added, 1 removed   [changed-judgements]" in err
    assert "    rankworth evaluate qrels.txt kept.run -m RR -q -o kept.json\n" in err
    assert "--accept-new-qrels" in err
    status, out, _ = command(*gated, "--accept-new-qrels")
    assert (status, "3 judgements of 2 queries changed" in " ".join(out.split())) == (0, True)
    keep("kept2.json", OLD)
    assert "[changed-judgements]" in refused(command, "kept.json", "kept2.json", "--max-drop", "RR=0.3")
    assert cli.main(["evaluate", "qrels.txt", "kept.run", "-m", "RR", "-q", "-o", "kept.json"]) == 0
    assert command(*gated)[0] == 0


def test_values_that_were_not_made_alike_are_refused(command: Command) -> None:
    keep("kept.json", OLD, depth=1)
    err = refused(command, "qrels.txt", "kept.json", "new.run")
    assert "depth" in err
    assert "[not-comparable]" in err


@pytest.mark.parametrize(
    ("arguments", "slug"),
    [
        ((), "conflicting-options"),
        (("qrels.txt",), "conflicting-options"),
        (("qrels.txt", "old.run"), "conflicting-options"),
        (("-m", "RR", "qrels.txt", "old.run", "new.run"), "conflicting-options"),
        (("--max-drop", "RR=0.1", "qrels.txt", "old.run", "new.run"), "conflicting-options"),
        (("qrels.txt", "old.run", "gone.run"), "missing-file"),
        (("gone.txt", "old.run", "new.run"), "missing-file"),
        (("qrels.txt", "gone.json", "new.run"), "missing-file"),
        (("qrels.txt", "-", "-"), "one-stdin"),
        (("qrels.txt", "a=old.run", "=new.run"), "run-names"),
        ((*GIVEN, "nothing@10"), "unknown-measure"),
        ((*GIVEN, "num_rel"), "measure-syntax"),
        ((*GIVEN, "--max-drop", "RR"), "bad-gate"),
        ((*GIVEN, "--noninferior", "RR=2%"), "bad-gate"),
        ((*GIVEN, "--fail-under", "nothing@10=0.1"), "unknown-measure"),
        ((*GIVEN, "--max-drop", "RR=0.1", "--all-pairs"), "conflicting-options"),
        ((*GIVEN, "--all-pairs", "--baseline", "old"), "conflicting-options"),
        ((*GIVEN, "--baseline", "none"), "not-measured"),
        ((*GIVEN, "--complete", "--answered-only"), "conflicting-options"),
        ((*GIVEN, "--by", "language"), "unknown-setting"),
        ((*GIVEN, "--caption", "Results"), "conflicting-options"),
        ((*GIVEN, "--label", "tab:results", "-f", "md"), "conflicting-options"),
        ((*GIVEN, "--queries", "queries.tsv", "--by", "country"), "frame-columns"),
        ((*GIVEN, "--queries", "queries.tsv", "--weights", "language"), "bad-weight"),
        ((*GIVEN, "--margin", "much"), "unknown-setting"),
        ((*GIVEN, "--margin", "0.1", "RR=0.2"), "conflicting-options"),
        ((*GIVEN, "--margin", "AP=0.2"), "not-measured"),
        ((*GIVEN, "--margin", "-1"), "unknown-setting"),
        ((*GIVEN, "--plugin", "gone.py"), "bad-plugin"),
        ((*GIVEN, "--profile", "gone"), "unknown-setting"),
        ((*GIVEN, "-f", "github"), "conflicting-options"),
    ],
)
def test_what_cannot_be_is_refused_with_its_slug(command: Command, arguments: tuple[str, ...], slug: str) -> None:
    status, _, err = command(*arguments)
    assert (status, f"[{slug}]" in err) == (2, True), err


@pytest.mark.parametrize(
    "arguments", [("--test", "z"), ("--correction", "x"), ("--level", "1"), ("--when", "x"), ("-f", "trec"), ("--zzz",)]
)
def test_mistyped_options_are_refused_before_anything_is_read(command: Command, arguments: tuple[str, ...]) -> None:
    status, out, err = command("gone.txt", "gone.run", "gone2.run", *arguments)
    assert (status, out) == (2, "")
    assert err.startswith("error: ")
    assert "missing-file" not in err


@pytest.fixture
def evaluated(capsysbinary: pytest.CaptureFixture[bytes]) -> Command:
    """The command `evaluate` in this process."""

    def run(*arguments: str) -> Answer:
        capsysbinary.readouterr()
        status = cli.main(("evaluate", "qrels.txt", *arguments))
        out, err = capsysbinary.readouterr()
        return status, out.decode(), err.decode()

    return run


def test_an_evaluation_has_floors(evaluated: Command) -> None:
    runs = ("old.run", "new.run", "-m", "RR", "-f", "table")
    status, out, err = evaluated(*runs, "--fail-under", "RR=0.8", "P@1=0.5")
    assert status == 1
    assert "P@1" in out  # which is measured for its floor
    assert err.splitlines() == [
        "ok    RR   old  0.8333  0.8333 >= 0.8000",
        "FAIL  RR   new  0.7083  0.7083 < 0.8000",
        "ok    P@1  old  0.6667  0.6667 >= 0.5000",
        "ok    P@1  new  0.5000  0.5000 >= 0.5000",
        "  rankworth explain qrels.txt new.run --worst 3 -m RR",
    ]
    status, _, err = evaluated(*runs, "--fail-under", "RR=0.8", "--quiet")
    assert (status, err) == (1, "FAIL  RR  new  0.7083  0.7083 < 0.8000\n")
    assert evaluated(*runs, "--fail-under", "recip_rank=0.7")[0] == 0
    status, out, _ = evaluated(*runs[:-1], "json", "--fail-under", "RR=0.8")
    assert (status, list(json.loads(out)["runs"][0]["mean"])) == (1, ["RR"])


def test_an_evaluation_has_floors_of_groups(evaluated: Command) -> None:
    table = ("old.run", "-m", "RR", "--queries", "queries.tsv", "--by", "language")
    status, _, err = evaluated(*table, "--fail-under", "language:RR=0.6", "language=عربي:RR=0.5")
    assert status == 1
    assert [line for line in err.splitlines() if line.startswith(("ok", "FAIL"))] == [
        "ok    language=en:RR    old  1.0000  1.0000 >= 0.6000",
        "FAIL  language=عربي:RR  old  0.5000  0.5000 < 0.6000",
        "ok    language=عربي:RR  old  0.5000  0.5000 >= 0.5000",
    ]


@pytest.mark.parametrize(
    ("arguments", "slug"),
    [
        (("--fail-under", "RR"), "bad-gate"),
        (("--fail-under", "RR=2%"), "bad-gate"),
        (("--fail-under", "nothing=1"), "unknown-measure"),
        (("--fail-under", "RR=1", "--profile", "standard", "trec_eval"), "conflicting-options"),
        (("--fail-under", "language:RR=1"), "not-measured"),
    ],
)
def test_a_floor_of_an_evaluation_that_cannot_be_is_refused(
    evaluated: Command, arguments: tuple[str, ...], slug: str
) -> None:
    status, out, err = evaluated("old.run", *arguments)
    assert (status, out, f"[{slug}]" in err) == (2, "", True), err


def test_what_goes_wrong_in_rankworth_itself_does_not_look_like_a_gate_that_fails() -> None:
    code = "import sys; from rankworth import __main__, cli; cli.main = lambda: 1 / 0; sys.exit(__main__.main())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("Traceback ")
    assert done.stderr.endswith("ZeroDivisionError: division by zero\n")


BEFORE = {f"q{number}": {"good": 3.0, "bad": 1.0, "seen": 2.0} for number in range(12)}
AFTER = {query: {"bad": 3.0, "good": 1.0, "seen": 9.0} for query in BEFORE}
PASTED = {
    "columns": ["--columns", "query=search term", "document=sku", "grade=stars", "--run-columns", "score=-l2"],
    "profile": ["--profile", "ranx-0.3", "--qrels-columns", "query=search term", "document=sku", "grade=stars",
                "--run-columns", "query=search term", "document=sku", "score=-l2"],
    "settings": ["--columns", "query=search term", "document=sku", "grade=stars", "score=-l2", "-J",
                 "--ties", "id-ascending", "--depth", "5", "--exclude", "seen items.csv", "--missing", "skip"],
    "only": ["--columns", "query=search term", "document=sku", "grade=stars", "score=-l2", "--only", "some.txt",
             "--run-format", "csv", "--qrels-format", "csv", "--plugin", "mine.py"],
    "queries": ["--columns", "query=search term", "document=sku", "grade=stars", "score=-l2",
                "--queries", "my topics.csv", "--by", "language"],
}  # fmt: skip


def write_tables() -> None:
    """Judgements and runs in tables that need options, with names that need quotes."""

    def table(path: str, value: str, dicts: dict[str, dict[str, float]], sign: int) -> None:
        rows = [
            f"{query},{document},{sign * number}"
            for query, inner in dicts.items()
            for document, number in inner.items()
        ]
        Path(path).write_text("\n".join([f"search term,sku,{value}", *rows, ""]))

    table("my qrels.csv", "stars", {query: {"good": 2, "bad": 0, "seen": 0} for query in BEFORE}, 1)
    table("old run.csv", "l2", BEFORE, -1)
    table("new.csv", "l2", AFTER, -1)
    Path("seen items.csv").write_text("".join(f"{query},seen\n" for query in BEFORE))
    Path("some.txt").write_text("q1\nq2\n")
    Path("my topics.csv").write_text("".join(["query,language\n", *(f"{query},ar\n" for query in BEFORE)]))
    Path("mine.py").write_text("")


@pytest.mark.parametrize("name", PASTED)
def test_commands_that_are_recommended_work_when_they_are_pasted(
    capsysbinary: pytest.CaptureFixture[bytes], name: str
) -> None:
    def command(*words: str) -> Answer:
        status = cli.main(words)
        out, err = capsysbinary.readouterr()
        return status, out.decode(), err.decode()

    write_tables()
    measure, value = ("RR(rel=2)", "0.5") if name == "settings" else ("RR", "0.3333")
    said, limit = ["-m", measure, *PASTED[name]], f"{measure}=0.1"
    files = ("my qrels.csv", "old run.csv", "new.csv")
    keeps = command("compare", "my qrels.csv", "baseline.json", "old run.csv", *said, "--max-drop", limit)
    assert keeps[0] == 2
    outputs = [keeps[2], "".join(command("compare", *files, *said, "--max-drop", limit)[1:])]
    for text in outputs:
        pasted = [shlex.split(line) for line in text.splitlines() if line.startswith("  ") and "rankworth e" in line]
        assert pasted, text
        for words in pasted:
            status, out, err = command(*words[1:])
            assert status == 0, err
            assert words[1] == "evaluate" or value in out  # what explain promises: the value of the new run
    status, out, _ = command("compare", "my qrels.csv", "baseline.json", "new.csv", *said, "--max-drop", limit)
    assert status == 1
    lines = [line.strip() for line in out.splitlines() if line.startswith("  rankworth ")]
    assert [line.split()[1] for line in lines] in (["explain", "explain", "evaluate"], ["explain", "evaluate"])
    for line in lines:
        assert command(*shlex.split(line)[1:])[0] == 0
    assert command("compare", "my qrels.csv", "baseline.json", "new.csv", *said, "--max-drop", limit)[0] == 0
    status, _, err = command("evaluate", "my qrels.csv", "new.csv", *said, "--fail-under", f"{measure}=0.9")
    assert status == 1
    [line] = [line.strip() for line in err.splitlines() if line.startswith("  rankworth ")]
    status, out, err = command(*shlex.split(line)[1:])
    assert status == 0, err
    assert value in out


def test_every_query_is_shown_with_both_values(command: Command) -> None:
    status, out, _ = command(*GIVEN, "AP", "--per-query", "-f", "csv")
    assert status == 0
    rows = list(csv.DictReader(io.StringIO(out)))
    assert {tuple(row.values())[2:4] for row in rows} == {("old", "new")}
    found = {row["query"]: tuple(map(float, list(row.values())[4:])) for row in rows if row["measure"] == "RR"}
    ranks = {query: (OLD[query], NEW[query]) for query in OLD}
    assert found == {query: (1 / old, 1 / new, 1 / new - 1 / old, old, new) for query, (old, new) in ranks.items()}
    status, out, _ = command(*GIVEN[:3], "-m", "AP", "-q", "-f", "csv")
    assert {tuple(row.values())[-2:] for row in csv.DictReader(io.StringIO(out))} == {("", "")}  # no reciprocal rank
    status, out, _ = command(*GIVEN, "-q", "-f", "json")
    record = json.loads(out)
    assert [list(row.values())[4:] for row in record["per_query"]] == [list(found[query]) for query in OLD]
    assert record["queries"] == len(OLD)
    status, _, said = command(*GIVEN, "-q", "--max-drop", "RR=0.01")
    assert status == 2
    assert "[conflicting-options]" in said


# Runs of different depth


def ranked(*sizes: int) -> dict[str, list[str]]:
    """A run that has so many documents for each query."""
    return {f"q{number}": [f"d{place}" for place in range(size)] for number, size in enumerate(sizes)}


JUDGED = {f"q{number}": {"d0": 1, "d4": 1, "d40": 1, "d90": 1} for number in range(10)}


@pytest.mark.parametrize(
    ("runs", "measures", "looks_deeper", "depth"),
    [
        pytest.param([ranked(*[100] * 10), ranked(*[10] * 10)], ["AP", "nDCG@10"], "AP looks", 10, id="cut at 10"),
        pytest.param(
            [ranked(*[10] * 10), ranked(*[100] * 10)], ["R@50", "RR"], "R@50 RR look", 10, id="baseline is cut"
        ),
        pytest.param([ranked(*[100] * 10), ranked(*[50] * 9, 3)], ["R@100", "R@50"], "R@100 looks", 50, id="few hits"),
        pytest.param([ranked(*[100] * 6, *[4] * 4), ranked(*[10] * 10)], ["AP"], "AP looks", 10, id="for most queries"),
        pytest.param(
            [ranked(*[100] * 10), ranked(*[50] * 10), ranked(*[10] * 10)],
            ["AP"],
            "AP looks",
            10,
            id="the shortest of three",
        ),
        pytest.param([ranked(*[100] * 10), ranked(*[10] * 10)], ["nDCG@10", "P@5"], "", 0, id="within both"),
        pytest.param([ranked(*[100] * 10), ranked(*[10] * 10)], ["Judged", "RR@3"], "", 0, id="of the judgements"),
        pytest.param([ranked(*[100] * 10), ranked(100, *[10] * 9)], ["AP"], "", 0, id="one query is as deep"),
        pytest.param([ranked(*[100] * 4, *[10] * 6), ranked(*[10] * 10)], ["AP"], "", 0, id="deeper for few queries"),
        pytest.param([ranked(*[100] * 10), ranked(*[99] * 10)], ["AP"], "", 0, id="a document less"),
        pytest.param([ranked(*[100] * 10), ranked(*[100] * 5)], ["AP"], "", 0, id="fewer queries"),
    ],
)
def test_runs_of_different_depth_are_named_with_what_cuts_them_alike(
    runs: list[dict[str, list[str]]], measures: list[str], looks_deeper: str, depth: int
) -> None:
    named = dict(zip(("first", "second", "third"), runs, strict=False))

    def uneven(**settings: Any) -> list[str]:
        told = [
            text for slug, text in rw.compare(JUDGED, named, measures, **settings).warnings if slug == "uneven-depth"
        ]
        findings = rw.check(JUDGED, named, measures, **settings).findings
        assert [each.text for each in findings if each.slug == "uneven-depth"] == told
        return told

    told = uneven()
    assert len(told) == bool(depth)
    for text in told:
        assert f"returns at most {depth} documents for a query" in text
        assert f": {looks_deeper} beyond rank {depth}, where" in text
        assert f"--depth {depth} (depth={depth})" in text
        assert uneven(depth=depth) == []


def test_the_same_ranking_cut_is_equal_at_the_depth_that_is_proposed() -> None:
    runs = {"whole": ranked(*[100] * 10), "cut": ranked(*[10] * 10)}
    [difference] = rw.compare(JUDGED, runs, ["AP"]).differences
    assert difference.difference < 0
    [difference] = rw.compare(JUDGED, runs, ["AP"], depth=10).differences
    assert difference.word == "equal"


def test_several_runs_of_a_system_are_as_deep_as_all_of_them() -> None:
    seeds = [ranked(*[10] * 10), ranked(*[10] * 10)]
    told = rw.compare(JUDGED, {"whole": ranked(*[100] * 10), "seeds": seeds}, ["AP"])
    assert "uneven-depth" in dict(told.warnings)


def test_results_files_in_a_list_are_called_by_their_runs_or_by_their_files(command: Command) -> None:
    qrels, rows = {query: {"a": 1} for query in OLD}, {"a": {query: ["a"] for query in OLD}}
    rows["b"] = {query: ["x", "a"] for query in OLD}
    for name, run in rows.items():
        rw.evaluate(qrels, run, ["RR"]).save(f"{name}.json")  # of a run without a name
    for systems in (["a.json", "b.json"], ["a.json", *rw.load("b.json").values()]):
        assert rw.compare(None, systems).means == {"a": {"RR": 1.0}, "b": {"RR": 0.5}}
    status, out, _ = command("a.json", "b.json", "-f", "csv")
    assert (status, out.splitlines()[1].split(",")[1:3]) == (0, ["a", "b"])
    rw.evaluate_runs("qrels.txt", {"x": "old.run"}, ["RR"]).save("c.json")
    Path("d.json").write_bytes(Path("c.json").read_bytes())
    assert rw.compare(None, ["c.json", "d.json"]).systems == ("x (c)", "x (d)")
    with pytest.raises(rw.UsageError, match="a run that is not a file needs a name"):
        rw.compare(qrels, [*rows.values()], ["RR"])


def test_tables_of_queries_have_whole_ranks_and_no_columns_without_a_value(command: Command, tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("q1 0 a 1\nq2 0 b 1\n")
    (tmp_path / "a.run").write_text("q1 Q0 a 1 2 x\nq2 Q0 c 1 2 x\n")
    (tmp_path / "b.run").write_text("q1 Q0 c 1 2 x\nq1 Q0 a 2 1 x\nq2 Q0 c 1 2 x\n")
    files = [str(tmp_path / name) for name in ("qrels", "a.run", "b.run")]
    _, out, _ = command(*files, "-m", "nDCG@5", "-q")
    assert out.startswith("query  measure")
    assert "first_relevant_at" not in out
    assert "n/a" not in out
    _, out, _ = command(*files, "-m", "RR", "-q", "-f", "md")
    rows = [line.split(" | ")[-2:] for line in out.splitlines() if line.startswith("| q")][1:]
    assert rows == [["1", "2 |"], ["n/a", "n/a |"]]
    _, out, _ = command(*files, "-m", "nDCG@5", "-q", "-f", "csv")
    assert out.splitlines()[0].endswith("difference,first_relevant_at,second_relevant_at")


@pytest.mark.parametrize(("pairs", "mark"), [([], ""), (["--all-pairs"], "b & new & ")])
def test_a_compact_table_has_the_means_and_nothing_else(pairs: list[str], mark: str, command: Command) -> None:
    status, out, _ = command(*GIVEN, *pairs, "--compact", "-f", "latex")
    comparison = rw.compare("qrels.txt", ["old.run", "new.run"], ["RR"], all_pairs=bool(pairs))
    assert status == 0
    table, _, _ = comparison.compact().to_latex().partition(r"\end{tabular}")
    assert out.startswith(table)
    assert out.count(r"\begin{tabular}") == 1
    assert (mark or "new & ") in out
    assert "verdict" not in out


@pytest.mark.parametrize("options", [["-f", "csv"], ["--per-query"], ["--max-drop", "RR=0.5"]])
def test_a_compact_table_holds_no_rows_and_no_gates(options: list[str], command: Command) -> None:
    status, _, err = command(*GIVEN, "--compact", *options)
    assert status == 2
    assert "--compact is the table of means" in err
