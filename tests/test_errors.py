"""Errors and warnings: code and pages hold the same slugs, and a message has its shape."""

import ast
import math
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import rankworth
from helpers import raises
from rankworth import errors
from rankworth.errors import (
    InputError,
    MeasureError,
    RankworthError,
    RankworthWarning,
    RefusedError,
    UsageError,
    catalogue,
    quoted,
    shortened,
    slugs,
)

ROOT = Path(__file__).parent.parent
PAGES = ROOT / "docs" / "errors"
RAISERS = ("RankworthError", "InputError", "MeasureError", "UsageError", "RankworthWarning", "Notice", "Finding")
SLUG = re.compile(r"[a-z]+(?:-[a-z]+)+")


@cache
def modules() -> dict[Path, ast.Module]:
    """The source by path."""
    return {path: ast.parse(path.read_text()) for path in sorted((ROOT / "src" / "rankworth").rglob("*.py"))}


def literals() -> Iterator[tuple[str, str]]:
    """Every text in the source, with its place."""
    for path, tree in modules().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield f"{path.name}:{node.lineno}", node.value


def passed() -> Iterator[tuple[str, str]]:
    """Every slug that is written where an error, a warning or a notice is made, with its place."""
    for path, tree in modules().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in RAISERS and node.args:
                first = node.args[0]
                if isinstance(first, ast.Constant) and isinstance(first.value, str):
                    yield f"{path.name}:{node.lineno}", first.value


def documented() -> Iterator[tuple[str, str]]:
    """Every slug that a docstring names among what is raised, with its place."""
    for path, tree in modules().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
                for part in re.findall(r"(?s)Raises:\n(.*?)(?:\n\n|\Z)", ast.get_docstring(node) or ""):
                    for slug in re.findall(rf"`({SLUG.pattern})`", part):
                        yield f"{path.name}:{getattr(node, 'lineno', 1)}", slug


def test_every_slug_has_a_page_and_every_page_a_slug() -> None:
    assert {path.stem for path in PAGES.glob("*.md")} - {"README"} == set(slugs())


def test_every_slug_that_is_used_or_named_is_known() -> None:
    used, named = list(passed()), list(documented())
    assert len(used) > 50
    assert len(named) > 50
    assert [f"{place}: {slug}" for place, slug in used + named if slug not in slugs()] == []


def test_every_known_slug_is_used() -> None:
    assert set(slugs()) - {text for _, text in literals()} == set()


def test_slugs_are_short_words_with_hyphens() -> None:
    assert [slug for slug in slugs() if not SLUG.fullmatch(slug) or len(slug) > 24] == []


def test_the_index_lists_every_page_with_its_meaning() -> None:
    rows = re.findall(r"(?m)^\| \[([\w-]+)\]\(([\w-]+)\.md\) \| (.+) \|$", (PAGES / "README.md").read_text())
    assert [(name, meaning) for name, _, meaning in rows] == list(slugs().items())
    assert [page for _, page, _ in rows] == list(slugs())


@pytest.mark.parametrize("slug", slugs())
def test_a_page_has_an_example_with_its_message_causes_and_cures(slug: str) -> None:
    text = (PAGES / f"{slug}.md").read_text()
    assert text.startswith(f"# {slug}\n\n")
    blocks = re.findall(r"(?ms)^```(?:python|console)\n(.*?)^```$", text)
    assert re.search(rf"(?m)^(rankworth\.errors\.\w+|error|warning|note): .*(?s:.*?)\[{slug}\]$", "".join(blocks))
    assert "\n**Why it happens.** " in text
    assert "\n**What helps.** " in text
    assert 10 <= text.count("\n") <= 35
    for page in re.findall(r"\]\(([\w-]+\.md)\)", text):
        assert (PAGES / page).exists()


def severities_printed(text: str, slug: str) -> set[str]:
    """The severities with which the examples of a page show a slug; those of Python are told by the class."""
    blocks = "".join(re.findall(r"(?ms)^```(?:python|console)\n(.*?)^```$", text))
    messages = re.split(r"(?m)^(rankworth\.errors\.\w+|error|warning|note): ", blocks)[1:]
    shown = zip(messages[::2], messages[1::2], strict=True)
    names = {name.rpartition(".")[2] for name, message in shown if re.search(rf"(?m)\[{slug}\]$", message)}
    return {"warning" if name == "RankworthWarning" else "error" if name.endswith("Error") else name for name in names}


@pytest.mark.parametrize("slug", slugs())
def test_a_page_says_the_severity_that_the_program_prints(slug: str) -> None:
    """Evaluations print warnings; in `check` the catalogue decides, which may be another severity."""
    text = (PAGES / f"{slug}.md").read_text()
    prose = re.sub(r"(?ms)^```.*?^```$", "", text)
    said, opening = (
        re.findall(r"(?<!with )\ban? (error|warning|note|remark|notice)\b", part, re.IGNORECASE)
        for part in (prose, prose.split("\n\n")[1])
    )
    printed = severities_printed(text, slug) | {catalogue()[slug][0]}
    assert printed <= {*said, "error"}
    assert {"remark", "notice"}.isdisjoint(said)
    assert not opening or opening[0] in printed


def test_the_tree_of_errors_is_the_one_that_is_drawn() -> None:
    drawn = re.findall(r"(?m)^(?:[│ ] +)?(?:[├└]── )?(Rankworth\w+|\w+Error)\b(?: \((\w+)\))?", errors.__doc__ or "")
    assert drawn == [
        ("RankworthError", "ValueError"),
        ("InputError", ""),
        ("RefusedError", ""),
        ("MeasureError", ""),
        ("UsageError", ""),
        ("NotMeasuredError", "KeyError"),
        ("RankworthWarning", "UserWarning"),
    ]
    assert RankworthError.__bases__ == (ValueError,)
    assert {kind.__bases__ for kind in (InputError, MeasureError, UsageError)} == {(RankworthError,)}
    assert RefusedError.__bases__ == (InputError,)
    assert errors.NotMeasuredError.__bases__ == (UsageError, KeyError)
    assert RankworthWarning.__bases__ == (UserWarning,)
    made = {name for name, item in vars(errors).items() if isinstance(item, type) and issubclass(item, Exception)}
    assert made == {name for name, _ in drawn}


def test_a_message_holds_its_problems_slugs_rest_and_remedies() -> None:
    error = InputError(
        "bad-score",
        "a.run:1: one",
        "a.run:2: two",
        slugs=["bad-score", "run-columns"],
        more=12345,
        remedy="do this\nor that",
    )
    assert str(error) == (
        "a.run:1: one   [bad-score]\na.run:2: two   [run-columns]\n... and 12,345 more\n  do this\n  or that"
    )
    assert (error.slug, error.slugs, error.more) == ("bad-score", ("bad-score", "run-columns"), 12345)
    assert error.problems == ("a.run:1: one", "a.run:2: two")
    assert str(UsageError("run-names", "one")) == "one   [run-names]"
    assert str(RankworthWarning("shallow-run", "10 deep")) == "10 deep   [shallow-run]"


def test_no_message_goes_without_a_known_slug() -> None:
    for make in (lambda: InputError("nonsense", "text"), lambda: RankworthWarning("nonsense", "text")):
        with pytest.raises(KeyError, match="nonsense"):
            make()
    with pytest.raises(KeyError, match="nonsense"):
        InputError("bad-score", "text", slugs=["nonsense"])
    with pytest.raises(ValueError, match="argument 2 is longer"):
        InputError("bad-score", "text", slugs=["bad-score", "bad-score"])


def test_quoted_items_do_not_mislead() -> None:
    assert quoted(["q1", 2, "q3"]) == "q1 2 q3"
    assert quoted(["q1", "q2", "q3", "q4"]) == "q1 q2 q3 ..."
    assert quoted(["a b", "", " c", "d\t", "\ufeffe", "é字"], 6) == r"'a b' '' ' c' 'd\t' '\ufeffe' é字"
    assert quoted([]) == ""
    assert quoted(iter(range(10**9)), 2) == "0 1 ..."
    assert len(quoted(["x" * 1000])) == 100
    assert shortened("x" * 100) == "x" * 100
    assert shortened("x" * 101) == "x" * 97 + "..."


rw: Any = rankworth  # what is handed in here has no type that fits
_QRELS = {"1": {"a": 2, "b": 1}, "2": {"a": 1}}
_RUN = {"1": {"a": 0.1, "b": 0.9}, "2": {"a": 1.0}}


def _compared(**options: Any) -> Any:
    return rw.compare(_QRELS, {"old": _RUN, "new": _RUN}, **{"measures": ["RR"], **options})


def _frame_of_halves() -> object:
    qrels = {"q\ud800": {"a": 1, "b": 0}}
    return rw.evaluate(qrels, qrels, ["RR"]).per_query.to_frame()


ODD: dict[str, tuple[Callable[[], object], str, str]] = {
    "scenarios: a dict": (lambda: rw.scenarios({"Mine": [2, 1, 0]}), "input-type", "labels="),
    "scenarios: lists": (lambda: rw.scenarios([[2, 1, 0]]), "input-type", "scenarios are a list of Scenario"),
    "score: a text": (lambda: rw.score("210", "RR"), "bad-grade", "grades='210' is str"),
    "score: a number": (lambda: rw.score(3, "RR"), "bad-grade", "grades=3 is int"),
    "score: missing": (lambda: rw.score([1], "RR", missing=3), "bad-grade", "missing=3 is int"),
    "no such groups": (lambda: _compared().queries_of("new", "x"), "not-measured", "not grouped by 'new'"),
    "no such group": (
        lambda: _compared(by={"1": "en", "2": "ar"}).queries_of("given", "x"),
        "not-measured",
        "no group 'x'",
    ),
    "half a character": (_frame_of_halves, "id-type", "half of a surrogate pair"),
    "a level": (lambda: _compared(level="x"), "unknown-setting", "level='x'"),
    "a seed": (lambda: _compared(seed="x"), "unknown-setting", "seed='x'"),
    "a margin": (lambda: _compared(margin="x"), "unknown-setting", "margin='x'"),
    "an effect": (lambda: _compared(effect="x"), "unknown-setting", "effect='x'"),
    "measures: a number": (lambda: _compared(measures=3), "measure-syntax", "3 is int"),
    "measures: a list in a list": (
        lambda: _compared(measures=[[rw.nDCG @ 5], rw.RR]),
        "measure-syntax",
        "a list among them has a star: [*rw.nDCG @ [5, 10], rw.MRR]",
    ),
    "verdicts: none": (lambda: rw.agreement(["yes"], ["no"]), "bad-grade", "means: grades={'yes': 1}"),
    "profiles: a number": (lambda: rw.evaluate_profiles(_QRELS, _RUN, profiles=3), "unknown-setting", "3"),
    "systems: a number": (lambda: rw.correlate_judges(_QRELS, _QRELS, 5), "input-type", "int is no collection"),
    "systems: a text": (lambda: rw.correlate_judges(_QRELS, _QRELS, "a.run"), "input-type", "str is no collection"),
    "judges: measures": (
        lambda: rw.correlate_judges(_QRELS, _QRELS, {"old": _RUN, "new": _RUN}, 5),
        "measure-syntax",
        "5 is int",
    ),
    "a depth": (lambda: rw.PROFILES["standard"].derive(depth="x"), "unknown-setting", "depth='x'"),
    "an endless depth": (lambda: rw.PROFILES["standard"].derive(depth=math.inf), "unknown-setting", "depth=inf"),
    "a best grade": (lambda: rw.PROFILES["standard"].derive(highest=[]), "unknown-setting", "highest=[]"),
    "what is asked": (lambda: rw.PROFILES["standard"].ask(3), "measure-syntax", "3 is int"),
    "what a tool is asked": (lambda: rw.PROFILES["ranx"].ask(3), "measure-syntax", "3 is int"),
    "a path": (lambda: rw.evaluate(_QRELS, _RUN).save(3), "input-type", "int is no path"),
    "digits": (lambda: rw.evaluate(_QRELS, _RUN).to_html(digits="x"), "unknown-setting", "digits='x'"),
    "digits below 0": (lambda: _compared().to_latex(digits=-1), "unknown-setting", "digits=-1"),
    "no function": (lambda: rw.measure("x")(3), "bad-definition", "measure('x') decorates 3: a measure is a function"),
    "no profile": (lambda: rw.PROFILES["trec-evil"], "unknown-setting", "there is no profile 'trec-evil'"),
    "a profile: a number": (lambda: rw.PROFILES[3], "unknown-setting", "there is no profile 3"),
    "a table of what is none": (lambda: rw.table(3), "input-type", "comparisons by name"),
    "load: a number": (lambda: rw.load(3), "input-type", "3 is no path"),
    "parse: a number": (lambda: rw.parse(3), "measure-syntax", "3 is int"),
    "a level of intervals": (lambda: rw.evaluate(_QRELS, _RUN, ["RR"]).interval(level=3), "unknown-setting", "level=3"),
    "two rankings": (
        lambda: rw.explain(labels=[[1, 0], [0, 1]], scores=[[1, 2], [1, 2]]),
        "conflicting-options",
        "2 rank",
    ),
    "labels and a query": (lambda: rw.explain(labels=[1, 0], query="1"), "conflicting-options", "each name a ranking"),
}


@pytest.mark.filterwarnings("ignore::rankworth.errors.RankworthWarning")
@pytest.mark.parametrize("odd", ODD)
def test_odd_input_is_refused_in_the_library_s_own_words(odd: str) -> None:
    call, slug, text = ODD[odd]
    raises(call, slug, text)


def test_a_profile_that_is_missing_is_a_missing_key_with_a_suggestion() -> None:
    with pytest.raises(KeyError) as caught:
        rw.PROFILES["ranks-0.3"]
    assert "was ranx-0.3" in str(caught.value)
    assert rw.PROFILES.get("nope") is None
