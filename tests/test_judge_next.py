"""Which documents to judge next: their effects by arithmetic, the sheet, which is read back, and what is refused."""

from pathlib import Path

import pytest

import rankworth as rw
from rankworth.cli import main
from rankworth.errors import UsageError

QRELS = {"q1": {"a": 1}, "q2": {"a": 1, "x": 2}}
RUNS = {"one": {"q1": ["a", "b", "c"], "q2": ["a"]}, "two": {"q1": ["c", "a", "b"], "q2": ["a"]}}


def test_effects_are_changes_of_the_difference() -> None:
    found = rw.judge_next(QRELS, RUNS, "P@2")
    assert [(one.query, one.document, one.ranks) for one in found.documents] == [
        ("q1", "c", (3, 1)),
        ("q1", "b", (2, 3)),
    ]
    assert [one.effect for one in found.documents] == [1 / 2, -1 / 2]
    assert [one.mean_effect for one in found.documents] == [1 / 4, -1 / 4]
    assert found.notes[0] == (
        "the difference by P@2 is +0.0000; grades of unjudged documents could make it -0.2500 to +0.2500"
    )


def test_a_document_that_cannot_change_anything_is_not_listed() -> None:
    found = rw.judge_next(QRELS, {"one": RUNS["one"]}, "RR", n=1)
    assert found.documents == ()
    found = rw.judge_next(QRELS, {"one": {"q1": ["b", "c", "a"]}}, "RR", n=1)
    assert [(one.document, one.effect, found.left) for one in found.documents] == [("b", 1 - 1 / 3, 1)]


@pytest.mark.parametrize(
    ("runs", "options", "text"),
    [
        ({"a": {}, "b": {}, "c": {}}, {}, "there are 3 runs"),
        (RUNS, {"n": 0}, "n=0: how many is a whole number from 1"),
        (RUNS, {"no_relevant": "skip"}, "no_relevant='skip': whether a query counts"),
    ],
)
def test_what_is_refused(runs: dict[str, dict[str, list[str]]], options: dict[str, object], text: str) -> None:
    named = {name: run or {"q1": ["a"]} for name, run in runs.items()}
    with pytest.raises(UsageError, match=text):
        rw.judge_next(QRELS, named, "P@2", **options)  # type: ignore[arg-type]


def test_the_sheet_is_read_back_as_judgements(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = {
        name: str(tmp_path / name) for name in ("qrels", "one.run", "two.run", "queries.tsv", "docs.tsv", "sheet.csv")
    }
    (tmp_path / "qrels").write_text("q1 0 a 1\n")
    (tmp_path / "one.run").write_text("q1 Q0 a 1 3 r\nq1 Q0 b 2 2 r\nq1 Q0 c 3 1 r\n")
    (tmp_path / "two.run").write_text("q1 Q0 c 1 3 r\nq1 Q0 a 2 2 r\nq1 Q0 b 3 1 r\n")
    (tmp_path / "queries.tsv").write_text("q1\tred shoes\n")
    (tmp_path / "docs.tsv").write_text("b\tboots\nc\tshoes, red\n")
    texts = ["--queries", files["queries.tsv"], "--docs", files["docs.tsv"]]
    command = ["judge-next", *list(files.values())[:3], "-m", "P@2", *texts, "-o", files["sheet.csv"]]
    assert main(command) == 0
    sheet = tmp_path / "sheet.csv"
    assert sheet.read_text().splitlines() == [
        "query,document,grade,rank one,rank two,effect,mean effect,text of query,text of document",
        'q1,c,,3,1,0.5,0.5,red shoes,"shoes, red"',
        "q1,b,,2,3,-0.5,-0.5,red shoes,boots",
    ]
    sheet.write_text(sheet.read_text().replace("q1,c,,", "q1,c,2,"))
    capsys.readouterr()
    assert main(["evaluate", files["sheet.csv"], files["two.run"], "-m", "RR", "NumRel", "-f", "csv"]) == 0
    assert capsys.readouterr().out == "run,RR,NumRel\ntwo,1.0,1\n"
    assert main(["judge-next", *list(files.values())[:2], "-m", "P@2", "RR"]) == 2
    assert "documents are chosen by one measure" in capsys.readouterr().err


@pytest.mark.parametrize(("grade", "first"), [(1, "for"), (0, "against")])
def test_a_document_for_the_sign_comes_first_where_it_is_likely_to_be_relevant(grade: int, first: str) -> None:
    judged = {f"j{place}": grade for place in range(8)}
    qrels = {"q": judged | {"x": 1}, "p": {"a": 0, "b": 1}}
    top = [*judged]
    runs = {
        "one": {"q": [*top, "against", "y", "for"], "p": ["a"]},
        "two": {"q": [*top, "for", "y", "against"], "p": ["b", "a"]},
    }
    found = rw.judge_next(qrels, runs, "P@9").documents
    assert (found[0].document, found[0].effect) == (first, pytest.approx(1 / 9 if first == "for" else -1 / 9))
