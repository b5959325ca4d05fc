"""Files of pairs to exclude: which of their columns count, and what is said of runs that have none of the pairs."""

import warnings
from pathlib import Path

import pytest

import rankworth as rw
from helpers import Command, command_of


@pytest.fixture
def command(capsysbinary: pytest.CaptureFixture[bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """The command in this process and in a folder with targets and a run: status, standard output, standard error."""
    monkeypatch.chdir(tmp_path)
    Path("test.csv").write_text("user,item,next_item\nu1,a,b\nu2,c,d\n")
    Path("run.json").write_text('{"u1": ["x", "b"], "u2": ["y", "d"]}\n')

    return command_of(capsysbinary)


OF_TARGETS = ("--qrels-columns", "query=user", "document=next_item", "grade=")
SEEN = {
    "the same columns": ("user,item,next_item\nu1,x,b\nu2,y,z\n", ()),
    "usual names": ("user,item\nu1,x\nu2,y\n", ()),
    "names of its own": ("uid,sku\nu1,x\nu2,y\n", ("--columns", "query=uid", "document=sku")),
    "names that the judgements have, too": (
        "user,item,next_item\nu1,q,x\nu2,q,y\n",
        ("--columns", "query=user", "document=next_item"),
    ),
    "numbers of columns": ("u1\tx\t4\t881250949\nu2\ty\t5\t881250949\n", ("--columns", "query=1", "document=2")),
    "rows of JSON": ('{"user": "u1", "item": "x", "next_item": "b"}\n{"user": "u2", "item": "y"}\n', ()),
}


@pytest.mark.parametrize("name", SEEN)
def test_columns_of_judgements_do_not_reach_exclusions(name: str, command: Command) -> None:
    text, options = SEEN[name]
    Path("seen").write_text(text)
    words = ("evaluate", "test.csv", "run.json", "-m", "RR", "-f", "tsv", *OF_TARGETS, "--exclude", "seen", *options)
    status, out, said = command(*words)
    assert (status, out.split()[-1]) == (0, "1.0"), said
    assert "2 retrieved documents excluded" in said


def test_columns_in_the_project_do_not_reach_exclusions_either(command: Command) -> None:
    Path("pyproject.toml").write_text(
        '[tool.rankworth.qrels-columns]\nquery = "user"\ndocument = "next_item"\ngrade = ""\n'
    )
    Path("seen.csv").write_text("user,item,next_item\nu1,x,b\nu2,y,z\n")
    _, out, _ = command("evaluate", "test.csv", "run.json", "-m", "RR", "-f", "tsv", "--exclude", "seen.csv")
    assert out.split()[-1] == "1.0"


def test_columns_that_no_file_has_are_refused_beside_exclusions(command: Command) -> None:
    Path("seen.csv").write_text("user,item\nu1,x\n")
    words = ("evaluate", "test.csv", "run.json", "-m", "RR", *OF_TARGETS, "--exclude", "seen.csv")
    status, _, said = command(*words, "--columns", "subtopic=topic")
    assert (status, "--columns subtopic=topic: there is no such column" in said) == (2, True)


QRELS = {"u1": {"a": 1}, "u2": {"b": 1}}
FILTERED = {"u1": {"a": 1.0}, "u2": {"b": 1.0}}
RAW = {"u1": {"x": 2.0, "a": 1.0}, "u2": {"b": 1.0}}


@pytest.mark.parametrize(
    ("pairs", "slug"),
    [
        ([("u1", "x")], "already-excluded"),
        ([("user-1", "x")], "nothing-excluded"),
        ([("u1", f"x{place}") for place in range(19)], "already-excluded"),
        ([("u1", f"x{place}") for place in range(20)], "nothing-excluded"),
        ([("u1", f"x{place}") for place in range(19)] + [("u1", "b")], "already-excluded"),
        ([("u1", "a")], ""),
    ],
)
def test_a_run_without_any_of_the_pairs_is_named(pairs: list[tuple[str, str]], slug: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        values = rw.evaluate(QRELS, rw.Run(FILTERED, "filtered"), ["NumRet"], exclude=pairs)
    said = [notice for notice in values.notices if notice.slug.endswith("-excluded")]
    assert [notice.slug for notice in said] == ([slug] if slug else [])
    assert all(notice.text.startswith("filtered has none of the pairs of exclude:") for notice in said)


def test_a_comparison_says_it_of_the_run_of_which_it_is_true() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = rw.compare(QRELS, {"filtered": FILTERED, "raw": RAW}, ["RR"], exclude=[("u1", "x")])
    said = [(slug, text.split()[0]) for slug, text in result.warnings if slug.endswith("-excluded")]
    assert said == [("already-excluded", "filtered")]
