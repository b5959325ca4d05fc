"""The command `correlate` as its users meet it: what it prints, writes and refuses, and its exit status."""

import csv
import io
import json
import re
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final
from xml.etree import ElementTree as ET

import pytest

import rankworth as rw
from helpers import Command, command_of, json_of, refused
from rankworth.correlation import METHODS, correlate, correlate_runs
from rankworth.tables.show import Form

FORMS: Final = Form.__args__  # type: ignore[attr-defined]
OLD: Final = {"q1": "abc", "q2": "abc", "q3": "bca", "q4": "dab"}
NEW: Final = {"q1": "acb", "q2": "cba", "q3": "bca", "q5": "ade"}
HUMAN: Final = {"q1": {"a": 2, "b": 1, "c": 0}, "q2": {"a": 1, "b": 0, "c": 0}, "q3": {"a": 0, "b": 0, "c": 1}}
MODEL: Final = {"q1": {"a": 2, "b": 0, "c": 1}, "q2": {"a": 0, "b": 0, "c": 2}, "q3": {"a": 0, "b": 1, "c": 1}}
GIVEN: Final = ("old.run", "new.run")
SYSTEMS: Final = ("one.run", "two.run", "three.run", "four.run")


def write_run(path: str, rankings: Mapping[str, Sequence[str]]) -> None:
    """Write a run with these documents, best first."""
    lines = [
        f"{query} Q0 {document} {rank} {100 - rank} x\n"
        for query, ranking in rankings.items()
        for rank, document in enumerate(ranking, 1)
    ]
    Path(path).write_text("".join(lines))


def write_qrels(path: str, grades: Mapping[str, Mapping[str, int]]) -> None:
    """Write judgements."""
    lines = [f"{query} 0 {one} {grade}\n" for query, judged in grades.items() for one, grade in judged.items()]
    Path(path).write_text("".join(lines))


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a folder with runs and judgements, and take nothing from the environment."""
    monkeypatch.chdir(tmp_path)
    for name in ("COLUMNS", "NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    write_run("old.run", OLD)
    write_run("new.run", NEW)
    for name, ranking in zip(SYSTEMS, ("abc", "bac", "cab", "xcb"), strict=True):
        write_run(name, {query: ranking if query != "q3" else ranking[::-1] for query in HUMAN})
    write_qrels("human.qrels", HUMAN)
    write_qrels("llm.qrels", MODEL)
    Path("queries.tsv").write_text("qid\ttext\tlanguage\nq1\t\tعربي\nq2\t\ten\nq3\t\ten\n", encoding="utf-8")


@pytest.fixture
def command(capsysbinary: pytest.CaptureFixture[bytes]) -> Command:
    """The command in this process: exit status, standard output, standard error."""
    return command_of(capsysbinary, "correlate")


@pytest.fixture
def told(command: Command) -> Callable[..., dict[str, Any]]:
    """The command's JSON."""
    return json_of(command)


# Rankings


def test_two_runs_are_compared_in_a_table(command: Command) -> None:
    status, out, err = command(*GIVEN, "-k", "2")
    assert (status, err) == (0, "")
    lines = [line.split() for line in out.splitlines()]
    assert lines[0][:4] == ["old", "and", "new:", "5"]
    assert lines[2] == ["method", "mean", "at", "least", "at", "most", "queries"]
    overlap = next(line for line in lines if line[:1] == ["overlap@2"])
    assert overlap == ["overlap@2", "0.4000", "n/a", "n/a", "5"]  # ab ac, ab cb, bc bc, and two of one run alone
    assert "new has no answer 1 times where the other run has one: an empty ranking" in out
    assert max(len(line) for line in out.splitlines() if "|rankworth:" not in line) <= 80


def test_help_has_three_examples_that_fit(command: Command) -> None:
    status, out, err = command("--help")
    examples = [*re.findall(r"(?m)^Example: .+", out), *out.partition("xamples:\n")[2].splitlines()]
    assert (status, err, len(examples)) == (0, "", 3)
    assert all("rankworth correlate " in line for line in examples)
    assert max(map(len, out.splitlines())) <= 80
    for name in METHODS:
        assert re.search(rf"\s{name}\s", out.partition("Methods:\n")[2]), name
    options = [line.split()[1] for line in out.splitlines() if line.startswith("│ --")]
    assert len(options) == len(set(options))  # --missing is one thing, not two


def test_json_is_the_record_of_python(told: Callable[..., dict[str, Any]]) -> None:
    asked = ("-k", "3", "-p", "0.8", "--method", "rbo", "tau-b", "--missing", "last", "--level", "0.9", "--seed", "5")
    same = correlate_runs(GIVEN, ["rbo", "tau-b"], k=3, p=0.8, missing="last", level=0.9, seed=5)
    assert told(*GIVEN, *asked) == json.loads(json.dumps(same.to_dict()))
    assert told(*GIVEN, *asked, "-q") == told(*GIVEN, *asked)


@pytest.mark.parametrize("separator", ["tsv", "csv"])
def test_rows_for_programs_are_those_of_the_frame(command: Command, separator: str) -> None:
    for more in ((), ("-q",)):
        _, out, err = command(*GIVEN, "one.run", "-f", separator, *more)
        assert err == ""
        rows = list(csv.DictReader(io.StringIO(out), delimiter="," if separator == "csv" else "\t"))
        frame = correlate_runs([*GIVEN, "one.run"]).to_frame(per_query=bool(more))
        assert list(rows[0]) == frame.columns
        column = "RBO(p=0.9)" if more else "value"
        assert [float(row[column]) for row in rows] == frame[column].to_list()
        _, out, _ = command(*GIVEN, "one.run", "-f", "jsonl", *more)
        assert [json.loads(line) for line in out.splitlines()] == frame.to_dicts()


def test_what_deserves_a_second_look_is_told_on_standard_error(command: Command) -> None:
    write_run("x.run", {"q": "abc"})
    write_run("y.run", {"q": "acb"})
    given = ("x.run", "y.run", "--method", "tau-b", "-f", "tsv")
    status, out, err = command(*given)
    assert (status, len(out.splitlines())) == (0, 2)
    assert err.startswith("warning: 3 items are few: tau-b of 0.3333 has p = 1.000; report p beside it   [few-items]")
    assert command(*given, "--quiet")[2] == ""
    _, out, err = command(*given[:-2])
    assert ("[few-items]" in out, err) == (True, "")


@pytest.mark.parametrize("more", [(), ("-q",), ("one.run",)], ids=["means", "queries", "several"])
@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_printed_and_written(command: Command, form: str, more: tuple[str, ...]) -> None:
    given = (*GIVEN, *more, "-f", form)
    status, out, _ = command(*given)
    assert (status, bool(out)) == (0, True)
    assert command(*given, "-o", "file.unknown") == (0, "", "wrote file.unknown\n")
    written = Path("file.unknown").read_bytes().decode()
    assert written == out if form != "table" else written.split() == out.split()
    assert command(*given, "-o", "file.unknown", "--quiet") == (0, "", "")


def test_the_suffix_chooses_the_form(command: Command) -> None:
    suffixes = {
        "txt": "old and new",
        "tsv": "first\tsecond",
        "csv": "first,second",
        "json": "{",
        "jsonl": "{",
        "md": "**old and new",
        "tex": "% old and new",
        "html": "<!doctype html>",
    }
    files = [f"x.{suffix}" for suffix in suffixes]
    status, out, err = command(*GIVEN, *(part for one in files for part in ("-o", one)))
    assert (status, out) == (0, "")
    assert err.splitlines() == [f"wrote {file}" for file in files]
    for suffix, start in suffixes.items():
        assert Path(f"x.{suffix}").read_text("utf-8").startswith(start), suffix


def test_files_are_written_whole_or_not_at_all(command: Command) -> None:
    assert "[unknown-format]" in refused(command, *GIVEN, "-o", "x.foo")
    assert "[unknown-format]" in refused(command, *GIVEN, "-o", "x.md", "-o", "nosuffix")
    assert "not written as parquet   [unknown-format]" in refused(command, *GIVEN, "-o", "x.md", "-o", "x.parquet")
    assert "[unknown-format]" in refused(command, *GIVEN, "-o", "x.json.gz")
    assert "[unwritable-output]" in refused(command, *GIVEN, "-o", "x.md", "-o", "nowhere/x.md")
    assert "[unwritable-output]" in refused(command, *GIVEN, "-o", "new.run", "-f", "tsv")
    assert "[not-conjoint]" in refused(command, *GIVEN, "--method", "tau-b", "-o", "x.md")


def test_files_may_stand_anywhere(command: Command) -> None:
    expected = command(*GIVEN, "--method", "rbo", "jaccard", "-k", "3")
    assert expected[0] == 0
    for arguments in (
        ("--method", "rbo", "jaccard", *GIVEN, "-k", "3"),
        ("-k", "3", "--method", "rbo", "jaccard", *GIVEN),
        ("old.run", "--method", "rbo", "jaccard", "new.run", "-k", "3"),
        ("--method", "rbo", "--method", "jaccard", "-k", "3", *GIVEN),
        ("--method", "RBO", "jaccard", "-k=3", "--", *GIVEN),
    ):
        assert command(*arguments) == expected, arguments


def test_runs_are_named_and_read_from_standard_input(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    assert command("base=old.run", "next=new.run")[1].startswith("base and next: ")
    assert command("base=old.run", "next=old.run")[1].count("1.0000…1.0000") == 3
    given = Path("old.run").read_bytes()
    for name, arguments in (
        ("stdin", ("-", "new.run")),
        ("x", ("x=-", "new.run")),
        ("stdin", ("--method", "rbo", "-", "new.run")),
    ):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given)))
        status, out, err = command(*arguments)
        assert (status, err) == (0, "")
        assert out.startswith(f"{name} and new: ")


def test_only_some_queries_are_looked_at(told: Callable[..., dict[str, Any]], command: Command) -> None:
    Path("ids.txt").write_text("q3\nq1\n")
    (pair,) = told(*GIVEN, "--only", "ids.txt")["pairs"]
    assert list(pair["per_query"]) == ["q3", "q1"]
    Path("ids.txt").write_text("q3\nq9\n")
    assert "q9: neither old nor new has such a query   [unknown-query]" in refused(command, *GIVEN, "--only", "ids.txt")
    assert "[missing-file]" in refused(command, *GIVEN, "--only", "nowhere.txt")


def test_digits_and_queries_are_shown(command: Command) -> None:
    _, out, _ = command(*GIVEN, "--digits", "2", "-q", "--method", "jaccard")
    assert out.splitlines()[0].split() == ["first", "second", "query", "n_first", "n_second", "n_common", "Jaccard"]
    assert out.splitlines()[2].split() == ["old", "new", "q1", "3", "3", "3", "1.00"]


def test_columns_and_formats_of_runs_are_told(command: Command) -> None:
    for name, rankings in (("old", OLD), ("new", NEW)):
        rows = [f"{q},{one},{9 - rank}" for q, ranking in rankings.items() for rank, one in enumerate(ranking)]
        Path(f"{name}.csv").write_text("term,sku,points\n" + "\n".join(rows) + "\n")
    columns = ("--columns", "query=term", "document=sku", "score=points")
    assert command("old.csv", "new.csv", *columns) == command(*GIVEN)
    assert "[unknown-setting]" in refused(command, *GIVEN, "--columns", "score")


REFUSED: Final = [
    ((), "conflicting-options", "there is none"),
    (("old.run",), "conflicting-options", "there is old only"),
    (("--method", "rbo", "old.run"), "conflicting-options", "rankworth correlate RUN RUN"),
    (("--method", "rbo", "odl.run", "new.run"), "unknown-setting", "'odl.run': there is no such method"),
    (("old.run", "old.run"), "run-names", "NAME=FILE"),
    (("a=old.run", "a=new.run"), "run-names", "NAME=FILE"),
    (("old.run", "nowhere.run"), "missing-file", "nowhere.run"),
    (("old.run", "."), "is-directory", "a file is needed"),
    (("old.run", "empty.run"), "empty-input", "empty.run"),
    (("old.run", "broken.run"), "run-columns", "broken.run:1"),
    (("old.run", "human.qrels"), "run-columns", "human.qrels: these are qrels lines"),
    (("-", "-"), "one-stdin", "once only"),
    ((*GIVEN, "--method", "kendal"), "unknown-setting", "did you mean kendall?"),
    ((*GIVEN, "--method", "tau-b"), "not-conjoint", "--missing common"),
    ((*GIVEN, "--method", "tau-b", "pearson", "--missing", "common"), "input-type", "spearman is about ranks"),
    ((*GIVEN, "-k", "0"), "bad-cutoff", "from 1"),
    ((*GIVEN, "-p", "0"), "bad-parameter", "p=0.0"),
    ((*GIVEN, "-p", "1"), "bad-parameter", "p=1.0"),
    ((*GIVEN, "-p", "nan"), "bad-parameter", "p=nan"),
    ((*GIVEN, "--test", "t"), "conflicting-options", "--test is about systems"),
    ((*GIVEN, "--by", "language"), "conflicting-options", "--by"),
    ((*GIVEN, "--queries", "queries.tsv"), "conflicting-options", "--queries is about systems"),
    ((*GIVEN, "--resamples", "9"), "conflicting-options", "--resamples is about systems"),
    ((*GIVEN, "--profile", "trec_eval"), "conflicting-options", "--profile is about systems"),
    ((*GIVEN, "--rel", "0"), "conflicting-options", "--rel is about systems"),
    ((*GIVEN, "--complete"), "conflicting-options", "--complete is about systems"),
    ((*GIVEN, "--answered-only"), "conflicting-options", "--answered-only is about systems"),
    ((*GIVEN, "--ties", "given"), "conflicting-options", "--ties is about systems"),
    ((*GIVEN, "--grades", "whole"), "conflicting-options", "--grades is about judgements"),
    ((*GIVEN, "-o", "x.svg"), "unknown-format", "x.svg: cannot write .svg"),
    ((*GIVEN, "-o", "x.md", "-o", "x.PNG"), "unknown-format", "x.PNG: cannot write .png"),
    (("--measures", "AP", "RR", "human.qrels", *SYSTEMS, "-k", "3"), "conflicting-options", "--k is about rankings"),
    (("--measures", "AP", "RR", "human.qrels", *SYSTEMS, "-p", "0.9"), "conflicting-options", "--p is about rankings"),
    (("--measures", "AP", "RR", "human.qrels", *SYSTEMS, "-q"), "conflicting-options", "--per-query is about rankings"),
    (("--judges", "human.qrels", "llm.qrels", "--missing", "last"), "conflicting-options", "--missing is about rank"),
    (("--measures", "AP", "RR", "human.qrels", "one.run"), "conflicting-options", "at least two runs are needed"),
    (("--measures", "AP", "human.qrels", *SYSTEMS), "conflicting-options", "name two or more"),
    (("--measures", "AP", "R", "human.qrels", *SYSTEMS, "--by", "language"), "conflicting-options", "--by"),
    (("-m", "AP", "R", "human.qrels", *SYSTEMS, "--queries", "queries.tsv"), "conflicting-options", "--queries"),
    (("--measures", "AP", "RRR", "human.qrels", *SYSTEMS), "unknown-measure", "RRR"),
    (("--measures", "AP", "RR", "human.qrels", *SYSTEMS, "--method", "rbo"), "unknown-setting", "is about documents"),
    (("--measures", "AP", "RR", "human.qrels", *SYSTEMS, "--answered-only", "-c"), "conflicting-options", "contradict"),
    (("--judges", "human.qrels", "human.qrels"), "run-names", "NAME=FILE"),
    (("--judges", "human.qrels", "nowhere.qrels"), "missing-file", "nowhere.qrels"),
    (("--judges", "human.qrels", "."), "is-directory", ""),
    (("--judges", "human.qrels", "old.run"), "qrels-columns", "old.run: these are run lines"),
    (("--judges", "human.qrels", "llm.qrels", "one.run"), "conflicting-options", "there is only one"),
    (("--judges", "human.qrels", "llm.qrels", "-m", "AP"), "conflicting-options", "there are judges and no runs"),
    (("--judges", "human.qrels", "llm.qrels", "--method", "rho"), "conflicting-options", "--method"),
    (("--judges", "human.qrels", "llm.qrels", "--test", "t"), "conflicting-options", "--test"),
    (("--judges", "human.qrels", "llm.qrels", "-o", "x.svg"), "unknown-format", "x.svg"),
    (("--judges", "human.qrels", "llm.qrels", "--by", "language"), "unknown-setting", "--queries FILE"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "slug", "text"), REFUSED, ids=lambda one: " ".join(one) if isinstance(one, tuple) else None
)
def test_what_cannot_be_said_is_refused(
    command: Command, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], slug: str, text: str
) -> None:
    Path("empty.run").write_text("")
    Path("broken.run").write_text("this is no run\n")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
    err = refused(command, *arguments)
    assert f"[{slug}]" in err
    assert text in err


@pytest.mark.parametrize(
    "arguments",
    [
        (*GIVEN, "-k", "x"),
        (*GIVEN, "--missing", "zero"),
        (*GIVEN, "--level", "2"),
        (*GIVEN, "--seed", "-1"),
        (*GIVEN, "-f", "parquet"),
        (*GIVEN, "--method"),
        (*GIVEN, "--nosuch"),
        ("--judges", "human.qrels"),
    ],
    ids=" ".join,
)
def test_mistyped_options_are_refused(command: Command, arguments: tuple[str, ...]) -> None:
    said = refused(command, *arguments)
    assert "rankworth correlate --help says more" in said or re.search(r"\n  --?[a-z]+: [A-Z].*\.$", said.rstrip())


# Systems


def test_measures_are_held_against_each_other(command: Command, told: Callable[..., dict[str, Any]]) -> None:
    expected = command("--measures", "nDCG@10", "AP", "RR", "human.qrels", *SYSTEMS)
    assert (expected[0], expected[2]) == (0, "")
    assert expected[1].startswith("4 systems over 3 queries\n")
    assert "[few-items]" in expected[1]
    assert max(len(line) for line in expected[1].splitlines() if "|rankworth:" not in line) <= 80
    for arguments in (
        ("human.qrels", *SYSTEMS, "--measures", "nDCG@10", "AP", "RR"),
        ("human.qrels", *SYSTEMS, "-m", "nDCG@10", "-m", "AP", "RR"),
        ("human.qrels", "--measures", "nDCG@10", "AP", "RR", *SYSTEMS),
    ):
        assert command(*arguments) == expected, arguments
    same = rw.correlate_measures(
        "human.qrels", SYSTEMS, ["AP", "RR"], method="spearman", test="t", resamples=50, seed=3
    )
    asked = ("-m", "AP", "RR", "human.qrels", *SYSTEMS, "--method", "rho", "--test", "t", "--resamples", "50")
    assert told(*asked, "--seed", "3") == json.loads(json.dumps(same.to_dict()))


def test_stored_values_stand_for_runs(command: Command) -> None:
    rw.evaluate_runs("human.qrels", SYSTEMS, ["AP", "RR"]).save("kept.json")
    status, out, _ = command("--measures", "AP", "RR", "kept.json")
    assert status == 0
    _, measured, _ = command("--measures", "AP", "RR", "human.qrels", *SYSTEMS)
    assert out.splitlines()[:6] == measured.splitlines()[:6]
    status, mixed, _ = command("--measures", "AP", "RR", "human.qrels", "kept.json", "extra=old.run")
    assert (status, mixed.splitlines()[0]) == (0, "5 systems over 3 queries")


def test_judges_are_held_against_each_other(command: Command, told: Callable[..., dict[str, Any]]) -> None:
    status, out, err = command("--judges", "human.qrels", "llm.qrels", *SYSTEMS)
    assert (status, err) == (0, "")
    assert out.startswith("human (x) and llm (y): 4 systems over 3 queries\n")
    for part in ("means by nDCG@10", "kappa, quadratic weights", "who grades higher", "grade by grade", "[few-items]"):
        assert part in out, part
    assert command(*SYSTEMS, "--judges", "human.qrels", "llm.qrels") == (0, out, "")
    assert "people (x) and model (y): " in command("--judges", "people=human.qrels", "model=llm.qrels", *SYSTEMS)[1]
    record = told("--judges", "human.qrels", "llm.qrels", *SYSTEMS, "-m", "AP", "--resamples", "40")
    runs = {Path(path).stem: path for path in SYSTEMS}
    same = rw.correlate_judges("human.qrels", "llm.qrels", runs, ["AP"], resamples=40)
    assert record == json.loads(json.dumps(same.to_dict()))


def test_judges_alone_are_compared(
    command: Command, told: Callable[..., dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    status, out, err = command("--judges", "human.qrels", "llm.qrels")
    assert (status, err) == (0, "")
    assert out.startswith("human and llm: 9 pairs of 3 queries\n")
    same = rw.agreement("human.qrels", "llm.qrels", resamples=40, seed=2)
    record = told("--judges", "human.qrels", "llm.qrels", "--resamples", "40", "--seed", "2")
    assert record == json.loads(json.dumps(same.to_dict()))
    status, out, _ = command("--judges", "human.qrels", "llm.qrels", "--by", "language", "--queries", "queries.tsv")
    assert (status, "عربي" in out) == (0, True)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(Path("llm.qrels").read_bytes())))
    assert command("--judges", "human.qrels", "-")[1].startswith("human and stdin: 9 pairs")


@pytest.mark.parametrize("arguments", [("-m", "AP", "RR", "human.qrels"), ("--judges", "human.qrels", "llm.qrels")])
def test_pictures_of_systems_are_written(command: Command, arguments: tuple[str, ...]) -> None:
    files = ["x.svg", "x.png", "x.pdf", "x.json", "x.md"]
    written = [part for file in files for part in ("-o", file)]
    status, out, err = command(*arguments, *SYSTEMS, *written)
    assert (status, out, sorted(err.splitlines())) == (0, "", sorted(f"wrote {file}" for file in files))
    drawn = ET.fromstring(Path("x.svg").read_text("utf-8"))  # noqa: S314 - our own
    assert drawn.tag.endswith("svg")
    assert len(list(drawn.iter())) > len(SYSTEMS)
    assert Path("x.png").read_bytes().startswith(b"\x89PNG")
    assert Path("x.pdf").read_bytes().startswith(b"%PDF")


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "arguments",
    [
        ("-m", "AP", "RR", "human.qrels", *SYSTEMS),
        ("--judges", "human.qrels", "llm.qrels", *SYSTEMS),
        ("--judges", "human.qrels", "llm.qrels"),
    ],
    ids=["measures", "judges", "agreement"],
)
def test_every_form_of_systems_is_printed_and_written(command: Command, form: str, arguments: tuple[str, ...]) -> None:
    given = (*arguments, "--resamples", "50", "-f", form)
    status, out, _ = command(*given)
    assert (status, bool(out)) == (0, True)
    assert command(*given, "-o", "file.unknown") == (0, "", "wrote file.unknown\n")
    written = Path("file.unknown").read_bytes().decode()
    assert written == out if form != "table" else written.split() == out.split()


def test_the_command_runs_as_a_process() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "rankworth", "correlate", *GIVEN, "-k", "2", "-f", "json"],
        capture_output=True,
        text=True,
        check=True,
    )
    told = json.loads(done.stdout)["pairs"][0]
    assert told["means"][1]["value"] == correlate("old.run", "new.run", "overlap", k=2).value == 2 / 5
    failed = subprocess.run(
        [sys.executable, "-m", "rankworth", "correlate", "old.run", "nowhere.run"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (failed.returncode, failed.stdout) == (2, "")
    assert "[missing-file]" in failed.stderr


def test_options_on_what_is_measured_are_not_ignored_beside_results_files(command: Command) -> None:
    for name in ("old", "new"):
        rw.evaluate("human.qrels", f"{name}.run", ["AP", "RR"]).save(f"{name}.json")
    kept = ("old.json", "new.json", "-m", "AP", "RR", "--resamples", "50")
    assert command(*kept)[0] == 0
    assert "was not measured by AP(rel=2)" in refused(command, *kept, "-l", "2")


def test_a_picture_is_of_the_first_row_where_there_are_several(command: Command) -> None:
    for arguments in (
        ("-m", "AP", "RR", "P@1", "human.qrels"),
        ("-m", "AP", "RR", "--judges", "human.qrels", "llm.qrels"),
    ):
        status, _, err = command(*arguments, *SYSTEMS, "--resamples", "50", "-o", "systems.svg")
        assert (status, err) == (0, "wrote systems.svg\n")
        assert "mean AP" in Path("systems.svg").read_text()
