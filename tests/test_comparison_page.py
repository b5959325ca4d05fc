"""The pages about comparisons and gates name every key, column and option, and none that is not there."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, get_args

import pytest
from cyclopts import App

import rankworth as rw
from rankworth import stats
from rankworth.cli import compare as comparing
from rankworth.comparison import Comparison, Difference, gates
from rankworth.comparison.differences import INTERVALS, PAIRWISE, Word

DOCS: Final = Path(__file__).parents[1] / "docs"
COMPARISONS: Final = (DOCS / "comparisons.md").read_text("utf-8")
GATES: Final = (DOCS / "gates.md").read_text("utf-8")
QRELS: Final = {f"q{place}": {"a": 1} for place in range(5)}
OLD: Final = {query: ["b", "a"] for query in QRELS}
NEW: Final = OLD | {"q1": ["a", "b"], "q2": ["c", "b", "a"], "q3": ["a"]}
LANGUAGES: Final = {query: "ar" if query < "q2" else "en" for query in QRELS}


@pytest.fixture(scope="module")
def told() -> Comparison:
    """A comparison that has something under every key."""
    return rw.compare(QRELS, {"old": OLD, "new": NEW}, ["RR"], by=LANGUAGES, margin=0.5)


def in_code(text: str) -> set[str]:
    """All that stands between single backticks."""
    return set(re.findall(r"`([^`\n]+)`", text))


def section(page: str, heading: str) -> str:
    """What stands below a heading, up to the next one."""
    return re.split(r"(?m)^#+ ", page.partition(f" {heading}\n")[2])[0]


def rows(text: str) -> Iterator[str]:
    """What the first cells of tables have between backticks."""
    for cell in re.findall(r"(?m)^\| (`[^|]+`[^|]*) \|", text):
        yield from in_code(cell)


def test_the_page_has_every_key_of_a_comparison_and_no_other(told: Comparison) -> None:
    [one] = told.differences
    found = told.to_dict()
    assert found["differences"]
    assert found["slices"]
    assert found["worst"]["new - old"]["RR"]
    assert found["warnings"]
    keys = [*found, *one._fields]
    of_runs = ["runs", "first_runs", "second_runs", "identical", "by_query", "by_run", "by_both", "runs_verdict"]
    assert sorted(rows(section(COMPARISONS, "JSON"))) == sorted([*keys, "gates", "by", *of_runs])


def test_the_page_says_what_is_inside_of_keys(told: Comparison) -> None:
    found = told.to_dict()
    text = section(COMPARISONS, "JSON")
    for inner in (found["worst"]["new - old"]["RR"][0], found["warnings"][0]):
        assert set(inner) <= in_code(text)


def test_columns_of_csv_are_those_of_the_page(told: Comparison) -> None:
    assert set(told.columns()) <= set(rows(section(COMPARISONS, "JSON")))
    assert list(told.columns()) == [*Difference._fields, "by"]


def test_the_page_about_gates_has_every_key_of_a_verdict(told: Comparison) -> None:
    [verdict] = gates.against(told, gates.read("max-drop", ["RR=0.01"]))
    keys = gates.record(verdict)
    text = section(GATES, "JSON")
    assert sorted(set(rows(text)) - {"gates", "noise"}) == sorted(keys)
    assert {"low", "high", "level", "query", "difference"} <= in_code(text)


@pytest.mark.parametrize("word", [*stats.TESTS, *PAIRWISE, *stats.CORRECTIONS, *INTERVALS, *get_args(Word)])
def test_every_word_is_explained(word: str) -> None:
    if word == "none":  # no correction explains itself
        return
    assert word in in_code(COMPARISONS)


def test_every_option_about_differences_and_gates_is_on_a_page() -> None:
    arguments = App(default_command=comparing.compare).assemble_argument_collection()
    groups = ("What is compared", "Intervals and tests", "Gates")
    names = [one.names[0] for one in arguments if one.parameter.group and one.parameter.group[0].name in groups]
    assert len(names) > 15
    shown = COMPARISONS + GATES
    assert [name for name in names if f"{name}`" not in shown and f"{name} " not in shown] == []


def test_every_kind_of_gate_and_every_when_is_on_the_page() -> None:
    for kind in gates.KINDS:
        assert f"--{kind} " in GATES
    for when in get_args(gates.When):
        assert f'"{when}"' in GATES


def options(page: str) -> set[str]:
    """The options of `compare` that a page names."""
    lines: list[Any] = re.findall(r"rankworth compare [^\n]*", page)
    return {name for line in lines for name in re.findall(r"--[a-z-]+", line)}


def test_commands_on_the_pages_have_options_that_there_are() -> None:
    arguments = App(default_command=comparing.compare).assemble_argument_collection()
    known = {name for one in arguments for name in one.names}
    assert len(options(COMPARISONS + GATES)) > 4
    assert options(COMPARISONS + GATES) - known == set()
