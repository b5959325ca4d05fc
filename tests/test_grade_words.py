"""Words that stand for grades: from files and in Python, in every command that reads judgements."""

import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest

import rankworth as rw
from rankworth import cli

WORDS = {"E": 3, "S": 2, "C": 1, "I": 0}
ROWS = [("7", "B01", "E"), ("7", "B02", "S"), ("7", "B03", "C"), ("9", "B01", "I"), ("9", "B05", "E")]
NUMBERS = {"7": {"B01": 3.0, "B02": 2.0, "B03": 1.0}, "9": {"B01": 0.0, "B05": 3.0}}
RUN = {"7": {"B03": 3.0, "B01": 2.0, "B04": 1.0}, "9": {"B05": 2.0, "B01": 1.0}}
VALUE = rw.evaluate(NUMBERS, RUN, ["nDCG"])["nDCG"]
COLUMNS = ("query", "document", "grade")


def table(rows: list[tuple[str, ...]], separator: str) -> str:
    return "".join(separator.join(row) + "\n" for row in [COLUMNS, *rows])


SOURCES: dict[str, Callable[[], Any]] = {
    "a dict": lambda: {"7": {"B01": "E", "B02": "S", "B03": "C"}, "9": {"B01": "I", "B05": "E"}},
    "pairs": lambda: {"7": [("B01", "E"), ("B02", "S"), ("B03", "C")], "9": [("B01", "I"), ("B05", "E")]},
    "rows": lambda: ROWS,
    "records": lambda: [dict(zip(COLUMNS, row, strict=True)) for row in ROWS],
    "Polars": lambda: pl.DataFrame(ROWS, schema=COLUMNS, orient="row"),
    "pandas": lambda: pd.DataFrame(ROWS, columns=list(COLUMNS)),
    "a category": lambda: pd.DataFrame(ROWS, columns=list(COLUMNS)).astype({"grade": "category"}),
    "an enum": lambda: pl.DataFrame(ROWS, schema=COLUMNS, orient="row").cast({"grade": pl.Enum(list(WORDS))}),
}
FILES: dict[str, Callable[[Path], object]] = {
    "q.csv": lambda path: path.write_text(table(ROWS, ",")),
    "q.tsv": lambda path: path.write_text(table(ROWS, "\t").removeprefix("query\tdocument\tgrade\n")),
    "quoted.csv": lambda path: path.write_text(table([(a, b, f' "{c}"'.strip()) for a, b, c in ROWS], ",")),
    "q.qrels": lambda path: path.write_text("".join(f"{a} 0 {b} {c}\n" for a, b, c in ROWS)),
    "odd.qrels": lambda path: path.write_text("# judged\n" + "".join(f"{a}  0 {b}\t{c}\n" for a, b, c in ROWS)),
    "q.jsonl": lambda path: path.write_text(
        "".join(json.dumps(dict(zip(COLUMNS, row, strict=True))) + "\n" for row in ROWS)
    ),
    "q.json": lambda path: path.write_text(json.dumps(SOURCES["a dict"]())),
    "q.parquet": lambda path: SOURCES["Polars"]().write_parquet(path),
}


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.run").write_text(
        "".join(f"{query} Q0 {item} 1 {score} a\n" for query, items in RUN.items() for item, score in items.items())
    )
    Path("b.run").write_text("7 Q0 B01 1 1 b\n9 Q0 B01 1 1 b\n")


@pytest.mark.parametrize("name", SOURCES)
def test_words_of_programs_are_grades(name: str) -> None:
    source = SOURCES[name]()
    assert rw.evaluate(source, RUN, ["nDCG"], grades=WORDS)["nDCG"] == VALUE
    assert rw.Qrels(source, grades=WORDS).to_dict() == NUMBERS
    with pytest.raises(rw.InputError) as caught:
        rw.evaluate(source, RUN, ["nDCG"])
    assert caught.value.slug == "bad-grade"
    proposed = re.search(r"grades=(\{[^}]*\})", str(caught.value))
    assert proposed
    assert eval(proposed[1]) == WORDS  # noqa: S307 - what a user would paste
    assert rw.evaluate(source, RUN, ["nDCG"], grades=eval(proposed[1]))["nDCG"] == VALUE  # noqa: S307 - as above


@pytest.mark.parametrize("name", FILES)
def test_words_of_files_are_grades_and_what_the_message_proposes_works(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    FILES[name](Path(name))
    assert rw.evaluate(name, RUN, ["nDCG"], grades=WORDS)["nDCG"] == VALUE
    arguments = ["evaluate", name, "a.run", "-m", "nDCG", "-f", "csv", "--digits", "15"]
    if name == "q.tsv":
        arguments += ["--qrels-format", "tsv", "--qrels-columns", "query=1", "document=2", "grade=3"]
    capsys.readouterr()
    assert cli.main(arguments) == 2
    proposed = re.search(r"(--grades .*)", capsys.readouterr().err)
    assert proposed
    assert proposed[1] == "--grades E=3 S=2 C=1 I=0"
    assert cli.main([*arguments, *shlex.split(proposed[1])]) == 0
    assert capsys.readouterr().out.splitlines()[1] == f"a,{VALUE}"


@pytest.mark.parametrize(
    "arguments",
    [
        ["compare", "q.csv", "a.run", "b.run", "-m", "nDCG"],
        ["check", "q.csv", "a.run"],
        ["explain", "q.csv", "a.run", "7"],
        ["audit", "q.csv", "a.run", f"nDCG={VALUE}"],
        ["report", "q.csv", "a.run", "b.run", "-o", "out.html"],
        ["judge-next", "q.csv", "a.run", "-m", "nDCG"],
        ["correlate", "q.csv", "a.run", "b.run", "--measures", "nDCG", "RR"],
        ["correlate", "--judges", "human=q.csv", "model=q.csv"],
        ["convert", "q.csv", "out.qrels"],
    ],
    ids=lambda words: " ".join(words[:3]),
)
def test_every_command_that_reads_judgements_takes_words(arguments: list[str]) -> None:
    FILES["q.csv"](Path("q.csv"))
    assert cli.main([*arguments, "--grades", "E=3", "S=2", "C=1", "I=0"]) == 0
    assert cli.main(arguments) == 2 or arguments[0] == "check"


def test_every_function_that_takes_judgements_takes_words() -> None:
    words, runs = SOURCES["a dict"](), {"a": RUN, "b": {"7": ["B01"], "9": ["B01"]}}
    assert rw.explain(words, RUN, "nDCG", query="7", grades=WORDS).value == pytest.approx(0.607, abs=1e-3)
    assert rw.explain_queries(words, RUN, ["nDCG"], worst=1, grades=WORDS)[0].query == "7"
    assert rw.compare(words, runs, ["nDCG"], grades=WORDS).means["a"]["nDCG"] == VALUE
    assert rw.evaluate_runs(words, runs, ["nDCG"], grades=WORDS)["a"]["nDCG"] == VALUE
    assert not rw.check(words, runs, ["nDCG"], grades=WORDS).errors
    assert rw.audit(words, RUN, f"nDCG={VALUE:.4f}", grades=WORDS).exact
    assert rw.agreement(words, NUMBERS, grades=WORDS).equal.value == 1
    assert rw.correlate_measures(words, runs, ["nDCG", "RR"], grades=WORDS)
    assert rw.judge_next(words, runs, "nDCG", grades=WORDS)
    varied = rw.vary(measures="nDCG", by="cutoff", qrels=words, run=RUN, query="7", grades=WORDS)
    assert varied.rows
    assert rw.evaluate(labels=[["E", None, "I"]], measures=["nDCG"], grades=WORDS)["nDCG"] == 1
    assert rw.explain(labels=["I", "E"], measure="RR", grades=WORDS).value == 0.5


def test_grades_and_verdicts_are_one_option() -> None:
    assert rw.agreement(["yes", "no"], ["yes", "yes"], grades={"yes": 1, "no": 0}).equal.value == 0.5
    assert rw.agreement(["yes", "no"], ["yes", "yes"], verdicts={"yes": 1, "no": 0}).equal.value == 0.5
    with pytest.raises(rw.UsageError, match="grades and verdicts are one option"):
        rw.agreement(["yes"], ["yes"], grades={"yes": 1}, verdicts={"yes": 1})


@pytest.mark.parametrize(
    ("grade", "number"), [("1", 1), (" 2.5 ", 2.5), ("true", 1), ("False", 0), (True, 1), (False, 0), ("-1e0", -1)]
)
def test_numbers_in_quotes_and_truth_values_are_grades(grade: Any, number: float) -> None:
    assert rw.Qrels({"q": {"a": grade, "b": 3}}).to_dict() == {"q": {"a": number, "b": 3}}
    assert rw.Qrels([("q", "a", grade), ("q", "b", "E")], grades=WORDS).to_dict() == {"q": {"a": number, "b": 3}}
    Path("q.csv").write_text(f"query,document,grade\nq,a,{grade}\nq,b,3\n")
    assert rw.Qrels("q.csv").to_dict() == {"q": {"a": number, "b": 3}}


def test_a_word_without_a_text_is_a_blank() -> None:
    with pytest.warns(rw.RankworthWarning, match="2 judgements have no grade"):
        rw.evaluate({"q": {"a": "E", "b": "", "c": None}}, {"q": ["a", "b"]}, ["RR"], grades=WORDS)


def test_what_a_word_means_is_a_number_and_each_word_has_one_meaning(capsys: pytest.CaptureFixture[str]) -> None:
    for wrong, said in (({"1": 2}, "no word"), ({"": 2}, "no word"), ({2: 1}, "no word"), ({"E": "x"}, "no finite")):
        with pytest.raises(rw.UsageError, match=said):
            rw.Qrels({"q": {"a": "E"}}, grades=wrong)  # type: ignore[arg-type]
    FILES["q.csv"](Path("q.csv"))
    for words in (["E=x"], ["E=3,S=2"], ["E=3", "E=2"], ["E=3", "S"], ["E=nan"]):
        assert cli.main(["evaluate", "q.csv", "a.run", "--grades", *words]) == 2
        assert "WORD=GRADE" in capsys.readouterr().err
    assert cli.main(["evaluate", "--grades", "E=3", "q.csv", "a.run"]) == 2


def test_words_are_for_judgements_that_are_still_to_be_read() -> None:
    read = rw.Qrels(SOURCES["a dict"](), grades=WORDS)
    assert rw.evaluate(read, RUN, ["nDCG"])["nDCG"] == VALUE
    with pytest.raises(rw.UsageError, match="read already"):
        rw.evaluate(read, RUN, ["nDCG"], grades=WORDS)
    with pytest.raises(rw.UsageError, match="no judgements are read"):
        rw.evaluate_exact({"q": [("a", 0.5)]}, {"a": {"q": [("a", 0.5)]}}, ["R@1"], grades=WORDS)


def test_words_that_are_no_scale_are_proposed_with_numbers_to_be_changed() -> None:
    with pytest.raises(rw.InputError, match=r"with numbers of your own: grades=\{'poor': 0, 'so-so': 1, 'fine': 2\}"):
        rw.Qrels({"q": {"a": "poor", "b": "so-so", "c": "fine"}})
    with pytest.raises(rw.InputError, match=r"word means: grades=\{'L2': 2, 'L0': 0\}"):
        rw.Qrels({"q": {"a": "L2", "b": "L0"}})
    with pytest.raises(rw.InputError, match=r"word means: grades=\{'E': 9, 'S': 2\}"):
        rw.Qrels({"q": {"a": "E", "b": "S"}}, grades={"E": 9})
    with pytest.raises(rw.InputError, match="20 different texts, which are no scale"):
        rw.Qrels({"q": {f"d{place}": f"text {place} {'x' * place}" for place in range(20)}})


def test_a_list_of_grades_may_still_begin_with_a_negative_one(capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["-1,2,0"], ["-1 2 0"], ["0", "2", "0"]):
        assert cli.main(["explain", "--grades", *words, "-m", "AP"]) == 0
        assert "AP = 0.5000" in capsys.readouterr().out


def test_three_columns_with_blanks_are_read_by_what_the_messages_propose(capsys: pytest.CaptureFixture[str]) -> None:
    Path("ntcir.rel").write_text("7 B01 L2\n7 B02 L0\n9 B05 L1\n")
    words = ["evaluate", "ntcir.rel", "a.run", "-m", "RR", "-f", "csv"]
    for proposed in (r"header: (--qrels-format .*)", r"each word means: (--grades .*)"):
        assert cli.main(words) == 2
        match = re.search(proposed, capsys.readouterr().err)
        assert match
        words += shlex.split(match[1])
    assert cli.main(words) == 0
    assert capsys.readouterr().out.splitlines()[1] == "a,0.75"
