"""Profiles: files that are found by name, rules that read a tool's names, and one evaluation under many of them.

What single profiles give is compared with their tools in `test_golden`, `test_live` and `test_source_profiles`.
"""

import ast
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tomllib
import warnings
from collections.abc import Collection
from dataclasses import fields, replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Final, get_type_hints

import duckdb
import ir_measures
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import rankworth as rw
from generators import CHOICES, Grades, Scores, as_options, collections
from helpers import quietly
from rankworth import names
from rankworth.cli import main, options
from rankworth.errors import MeasureError, RankworthError, RefusedError, UsageError
from rankworth.model import Run
from rankworth.profiles import PROFILES, STANDARD, CallData, Profile, ResolvedMeasure, Rule
from rankworth.reference import in_terminal
from rankworth.reference import profiles as reference
from rankworth.results import file as results_file
from rankworth.results.tables import means as sheet_of_means
from rankworth.results.tables import per_query
from rankworth.results.values import RunValues
from rankworth.settings import DATA as OF_CALLS
from rankworth.settings import OPTIONS, QUIRKS, SETTINGS, VALUES, Averaging, Judging, with_quirks
from rankworth.settings_keywords import OptionKeywords
from rankworth.tables.look import Look
from rankworth.tables.show import render

SOURCE: Final = Path(rw.__file__).parent
DATA: Final = SOURCE / "profiles" / "data"
NAMES: Final = sorted(path.stem for path in DATA.iterdir())
KEYS: Final = {
    *("name", "tool", "version", "basis", "extends", "sentence", "sources", "judging", "averaging", "why", "refuses"),
    *(
        "measures",
        "rel",
        "unspecified",
        "complete",
        "lacks",
        "usual_options",
        "unmeasured",
        "cures",
        "differs",
        "may_be_empty",
    ),
}
"""what a file may say"""
JUDGING: Final = {one.name for one in fields(Judging)}
AVERAGING: Final = {one.name for one in fields(Averaging)}
IN_FILES: Final = JUDGING | {"exclude"}
"""what the table of judging may say in a file"""
NUMERIC: Final = re.compile(r"(.+)-(\d+(?:\.\d+)*)")
ENGINE: Final = duckdb.connect()
some = settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def values(qrels: object, run: object, measures: Any, profile: Any, **said: Any) -> rw.Values:
    """What comes out, whatever is warned of."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rw.RankworthWarning)
        return rw.evaluate(qrels, run, measures, profile=profile, **as_options(said))


def anything(qrels: object, run: object, measures: Any, profile: Any, **said: Any) -> rw.Values | RankworthError:
    """What comes out, or the error."""
    try:
        return values(qrels, run, measures, profile, **said)
    except RankworthError as error:
        return error


@cache
def file(name: str) -> dict[str, Any]:
    """What stands in the file of a profile."""
    return tomllib.loads((DATA / f"{name}.toml").read_text(encoding="utf-8"))


def typed(rule: Rule, k: int = 7, number: str = "0.5") -> str:
    """A name of the tool with numbers in it."""
    name = rule.name.replace("{gains}", "1=2,2=3.5")
    return re.sub(r"\{(\w+)\}", lambda blank: str(k) if blank[1] in ("k", "d") else number, name)


def means(asked: ResolvedMeasure) -> tuple[Any, ...]:
    """All that makes the number."""
    return asked.quantity, asked.judging, asked.averaging, asked.data


# Files


def test_there_are_profiles() -> None:
    assert list(PROFILES) == ["standard-1", *NAMES]
    assert len(PROFILES) == len(NAMES) + 1 >= 40


@pytest.mark.parametrize("name", NAMES)
def test_a_file_says_what_a_profile_says_and_no_more(name: str) -> None:
    read, profile = file(name), PROFILES[name]
    assert set(read) <= KEYS
    assert {"name", "tool", "version", "basis", "sentence"} <= set(read)
    assert profile.name == read["name"] == name
    assert profile.basis in ("run", "source")
    assert (profile.tool, profile.version, profile.sentence) == (read["tool"], read["version"], read["sentence"])
    assert profile.sources
    for other in (read.get("extends"), read.get("complete")):
        assert not other or other in NAMES
    assert set(read.get("judging", {})) <= IN_FILES
    assert set(read.get("averaging", {})) <= AVERAGING


@pytest.mark.parametrize("name", NAMES)
def test_what_a_file_sets_is_what_the_profile_has(name: str) -> None:
    chain = [file(name)]
    while chain[-1].get("extends"):
        chain.append(file(chain[-1]["extends"]))
    for room, having, standard in (
        ("judging", PROFILES[name].judging, Judging()),
        ("averaging", PROFILES[name].averaging, Averaging()),
    ):
        told: dict[str, Any] = {}
        for read in reversed(chain):
            told |= read.get(room, {})
        for setting in fields(having):
            value = getattr(having, setting.name)
            wanted = told.get(setting.name, getattr(standard, setting.name))
            assert value == wanted or (isinstance(wanted, float) and math.isnan(wanted) and value == "nan"), setting
        if room == "judging":
            assert str(PROFILES[name].data.exclude).lower() == told.get("exclude", "none")


def test_names_are_versioned() -> None:
    unversioned = [name for name in NAMES if not re.search(r"-\d+(\.\d+)*(-|$)", name)]
    assert unversioned == [
        "chroma-chunking",
        "legalbench-rag",
        "longmemeval",
        "ms_marco",
        "mslr",
        "nuggetizer",
        "spark-mllib",
    ]  # their files tell dates or commits
    assert re.search(r"\d{4}-\d\d-\d\d", PROFILES["ms_marco"].version)
    for name in NAMES:
        version = re.search(r"-(\d+(\.\d+)*)", name)
        if version is not None and name != "rbp_eval-1.0":  # 0.2 in its files, 1.0 in its paper
            assert PROFILES[name].version.startswith(version[1]), name


@pytest.mark.parametrize("name", ["standard-1", *NAMES])
def test_a_profile_is_found_in_any_case(name: str) -> None:
    for spelled in (name, name.upper(), name.title(), name.swapcase()):
        assert PROFILES[spelled] is PROFILES[name]
        assert spelled in PROFILES


def test_a_name_without_its_version_is_the_newest() -> None:
    versions: dict[str, list[tuple[tuple[int, ...], str]]] = {}
    for name in PROFILES:
        match = NUMERIC.fullmatch(name)
        if match is not None:
            versions.setdefault(match[1], []).append((tuple(map(int, match[2].split("."))), name))
    assert len(versions["trec_eval"]) == len(versions["sentence-transformers"]) == 2
    assert PROFILES["trec_eval"].name == "trec_eval-10.0"
    for base, found in versions.items():
        assert PROFILES[base].name == PROFILES[base.upper()].name == max(found)[1], base


@pytest.mark.parametrize("name", ["", "-", "trec", "trec_eval-", "trec_eval-1", "ranx-3", "beir-identical", "ranx 0.3"])
def test_what_is_no_name_is_not_found(name: str) -> None:
    assert name not in PROFILES
    with pytest.raises(RankworthError) as caught:
        rw.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, profile=name)
    assert caught.value.slug == "unknown-setting"


def test_profiles_are_read_when_they_are_asked_for() -> None:
    code = "from rankworth import PROFILES as p; print(sorted(p._read)); p['ranx']; print(sorted(p._read))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "['standard-1']\n['ranx-0.3', 'standard-1']\n"


def test_files_of_profiles_are_installed() -> None:
    assert {place.name for place in (files("rankworth.profiles") / "data").iterdir()} == {
        f"{name}.toml" for name in NAMES
    }


# Rules


@pytest.mark.parametrize("name", NAMES)
def test_every_rule_reads_its_name_and_means_measures_that_there_are(name: str) -> None:
    profile = PROFILES[name]
    for rule in profile.rules:
        text = typed(rule)
        meant = rule.reads(text, exactly=True)
        assert meant, text
        assert names.parse_all(meant), text
        assert not re.search(r"[{}]", " ".join(meant).replace("gain={", "")), text
        assert set(rule.judging) <= JUDGING
        assert set(rule.averaging) <= AVERAGING
        assert profile.ask([text]), text


@pytest.mark.parametrize("name", NAMES)
def test_no_rule_of_a_file_hides_another(name: str) -> None:
    own = PROFILES[name].rules[: len(file(name).get("measures", ()))]
    for place, rule in enumerate(own):
        first = next(other for other in own if other.reads(typed(rule), exactly=True) is not None)
        same_meaning = replace(first, name=rule.name) == rule
        assert same_meaning, f"{typed(rule)} is read by {own.index(first)}, {first.name}, not by {place}"


@pytest.mark.parametrize("name", NAMES)
def test_a_name_of_the_tool_labels_its_column(name: str) -> None:
    profile = PROFILES[name]
    for rule in profile.rules:
        asked = profile.ask([typed(rule)])
        if len(asked) == 1:
            assert asked[0].label == typed(rule)
        else:
            assert [one.label for one in asked] == [str(one.quantity) for one in asked]


@pytest.mark.parametrize("name", NAMES)
def test_case_does_not_matter_where_no_other_name_is_meant(name: str) -> None:
    profile = PROFILES[name]
    every = [typed(rule) for rule in profile.rules]
    for text in every:
        for other in (text.lower(), text.upper(), text.swapcase()):
            alike = [one for one in every if one.casefold() == text.casefold()]
            if other in alike or alike[0] != text:
                continue
            assert list(map(means, profile.ask([other]))) == list(map(means, profile.ask([text]))), other


QRELS: Final[Grades] = {
    "q1": {"d1": 1, "d2": 0, "d3": 2, "d4": 1, "d5": 0},
    "q2": {"d1": 0, "d2": 1, "d4": 2, "d6": 1},
}
RUN: Final[Scores] = {
    "q1": {"d2": 5.0, "d1": 4.0, "d5": 3.0, "d4": 2.0, "d7": 1.0},
    "q2": {"d4": 5.0, "d9": 4.0, "d2": 3.0, "d1": 2.0, "d8": 1.0},
}
"""one document of each query is not found: R = 3, one of them missing"""
BINARY: Final[Grades] = {query: {one: min(grade, 1) for one, grade in part.items()} for query, part in QRELS.items()}


def numbered(by_query: dict[str, Any]) -> dict[str, Any]:
    """The same with the numbers of the queries as ids, which every tool takes."""
    return {query.removeprefix("q"): documents for query, documents in by_query.items()}


@pytest.mark.parametrize(
    ("profile", "spellings", "expected"),
    [
        # binary gains; q1: 1/log2(3) + 1/log2(5) of 1 + 1/log2(3) + 1/2
        (
            "sentence-transformers-6",
            ("map@2", "cosine_map@2", "cosine-MAP@2", "MAP@2", "AP@2", "AP(norm=min(k,R))@2"),
            ((1 / 2) / 2 + 1 / 2) / 2,
        ),
        ("sentence-transformers-6", ("AP(norm=R)@2",), ((1 / 2) / 3 + 1 / 3) / 2),
        ("trec_eval-10.0", ("map", "MAP", "AP", "AP(norm=R)"), ((1 / 2 + 2 / 4) / 3 + (1 + 2 / 3) / 3) / 2),
        ("ranx-0.3", ("mrr", "MRR", "RR"), (1 / 2 + 1) / 2),
        ("ranx-0.3", ("precision@2", "Precision@2", "P@2"), (1 / 2 + 1 / 2) / 2),
        ("trec_eval-10.0", ("rbp", "RBP", "RBP(p=0.9)"), (0.1 * (0.9 + 0.9**3) + 0.1 * (1 + 0.9**2)) / 2),
        ("trec_eval-10.0", ("RBP(p=0.8)",), (0.2 * (0.8 + 0.8**3) + 0.2 * (1 + 0.8**2)) / 2),
        ("rbp_eval-1.0", ("RBP(p=0.8)",), (0.2 * (0.8 + 0.8**3) + 0.2 * (1 + 0.8**2)) / 2),
        ("rectools-0.19", ("MAP@2", "map@2", "AP@2"), ((1 / 2) / 3 + 1 / 3) / 2),
    ],
)
def test_a_measure_is_the_tools_by_any_of_its_names(profile: str, spellings: Any, expected: float) -> None:
    for text in spellings:
        assert values(QRELS, RUN, text, profile)[text] == pytest.approx(expected, abs=1e-12), text
    together = values(QRELS, RUN, spellings, profile)
    assert [together[text] for text in spellings] == [pytest.approx(expected, abs=1e-12)] * len(spellings)


@pytest.mark.parametrize("name", NAMES)
def test_our_name_for_a_measure_takes_over_what_the_plainest_name_of_the_tool_has(name: str) -> None:
    """Neither numbers that stand for blanks, nor another average, nor what was typed, are overruled."""
    profile = PROFILES[name]
    for text in ("RR", "AP", "AP@10", "nDCG@10", "P@10", "R@10", "ERR", "RBP"):
        if any(rule.reads(text, exactly=False) is not None for rule in profile.rules):
            continue
        quantity = names.parse(text)
        try:
            [asked] = profile.ask([text])
        except MeasureError:
            continue
        assert asked.quantity.name == quantity.name
        assert asked.quantity.averaging == quantity.averaging
        assert getattr(asked.quantity, "cutoff", None) == getattr(quantity, "cutoff", None)
        if asked.rule is None:
            [bare] = names.parse_all([text], rel=profile.rel)
            assert means(asked) == (bare, profile.judging, profile.averaging, profile.data)
        else:
            assert set(re.findall(r"\{(\w+)\}", asked.rule.means)) <= {"k"}
    for text in ("AP(norm=R)@10", "RBP(p=0.8)", "RBP(p=0.95)", "RR(rel=1)", "P(rel=3)@10", "nDCG(gain=exp2)@10"):
        if any(rule.reads(text, exactly=False) is not None for rule in profile.rules):
            continue
        try:
            [asked] = profile.ask([text])
        except MeasureError:
            continue
        for parameter, value in re.findall(r"(\w+)=([\w.]+)", text):
            assert str(asked.quantity.parameters[parameter]) in (value, f"{value}.0"), (text, asked.quantity)


def test_a_grade_of_the_user_wins_over_that_of_the_profile() -> None:
    name = next(name for name in NAMES if PROFILES[name].rel is not None)
    profile = PROFILES[name]
    [own], [users], [typed_in] = (
        profile.ask([text], rel=rel) for text, rel in (("P@3", None), ("P@3", 2.0), ("P(rel=3)@3", 2.0))
    )
    assert own.quantity.parameters["rel"] == profile.rel
    assert users.quantity.parameters["rel"] == 2
    assert typed_in.quantity.parameters["rel"] == 3


@pytest.mark.parametrize("name", [name for name in NAMES if PROFILES[name].lacks])
def test_names_that_a_tool_does_not_have_are_unknown_to_it(name: str) -> None:
    for text in PROFILES[name].lacks:
        with pytest.raises(MeasureError, match="has no") as caught:
            PROFILES[name].ask([text, "map"])
        assert caught.value.slug == "unknown-measure"


@pytest.mark.parametrize("name", [name for name in NAMES if PROFILES[name].unmeasured])
def test_names_of_a_tool_that_are_not_computed_are_refused_with_the_reason(name: str) -> None:
    profile = PROFILES[name]
    for why, labels in profile.unmeasured.items():
        for label in labels:
            with pytest.raises(MeasureError) as caught:
                profile.ask([label.replace("{k}", "10").swapcase()])
            assert caught.value.slug == "unknown-measure"
            assert f"of {profile.tool} is not computed here, as {why}" in str(caught.value)
        assert f"{', '.join(labels)}: not computed here, as {why}." in reference.profile_page(profile)


def test_every_mistake_in_a_list_is_named() -> None:
    with pytest.raises(MeasureError) as caught:
        PROFILES["ranx-0.3"].ask(["mrr", "nonsense", "P@0", "ndcg@10"])
    assert caught.value.slugs == ("unknown-measure", "bad-cutoff")


def test_measures_that_are_asked_for_twice_stand_once_and_two_with_one_label_are_told_apart() -> None:
    profile = replace(STANDARD, rules=(Rule("m", "RR AP"), Rule("n", "RR", {"ties": "given"})))
    assert [one.label for one in profile.ask(["m", "m", "n"])] == ["RR", "AP", "n"]
    twice = profile.ask(["m", "RR"])  # by no name and by the only name of one measure
    assert [(one.label, one.judging.ties) for one in twice] == [
        ("RR", "id-descending"),
        ("AP", "id-descending"),
        ("RR (2)", "given"),
    ]
    with pytest.raises(MeasureError):
        profile.ask([])


# Reasons and refusals


def refusing(having: dict[str, Any]) -> set[str]:
    """The settings that refuse something, of those that do not refuse by the standard."""
    words = {name for name, value in having.items() if isinstance(value, str) and value.startswith("error")}
    words -= {"duplicates", "duplicate_judgements", "above"}
    words |= {"grades"} if having.get("grades") == "whole" else set()
    if having.get("highest") is not None and having.get("above", "error") == "error":
        words.add("highest")
    return words | ({"fewest"} if having.get("fewest") else set())


@pytest.mark.parametrize("name", NAMES)
def test_every_setting_that_a_profile_changes_has_a_reason(name: str) -> None:
    profile = PROFILES[name]
    for room, having, standard in (
        ("judging", profile.judging, STANDARD.judging),
        ("averaging", profile.averaging, STANDARD.averaging),
    ):
        for setting in fields(having):
            if getattr(having, setting.name) != getattr(standard, setting.name):
                why = profile.why.get(f"{room}.{setting.name}", "")
                assert re.search(r"[.)]$", why), f"{room}.{setting.name}"
    if profile.data != STANDARD.data:
        assert re.search(r"[.)]$", profile.why["judging.exclude"])
    rooms = {f"judging.{one}" for one in IN_FILES} | {f"averaging.{one}" for one in AVERAGING}
    assert [one for one in profile.why if one not in rooms and not one.startswith("measures.")] == []


@pytest.mark.parametrize("name", NAMES)
def test_everything_that_is_refused_is_refused_in_the_terms_of_the_tool(name: str) -> None:
    profile = PROFILES[name]
    asked = [one for rule in profile.rules for one in profile.ask([typed(rule)])]
    having = [vars(profile.judging), vars(profile.averaging)]
    having += [vars(part) for one in asked for part in (one.judging, one.averaging)]
    refused = set().union(*map(refusing, having))
    assert refused - set(profile.refuses) == set()
    assert all(profile.refuses.values())


def test_repeated_rows_are_refused_in_the_terms_of_the_tool() -> None:
    name = next(name for name in NAMES if "duplicates" in PROFILES[name].refuses)
    twice = pl.DataFrame({"query": ["q1", "q1"], "document": ["d1", "d1"], "score": [1.0, 2.0]})
    for profile, says in ((name, PROFILES[name].refuses["duplicates"]), (STANDARD, "")):
        error = anything(QRELS, twice, "AP", profile)
        assert isinstance(error, RankworthError)
        assert error.slug == "duplicate-document"
        assert error.problems[0].startswith(says)
    by_user = anything(QRELS, twice, "AP", name, duplicates="error")
    assert isinstance(by_user, RankworthError)
    assert PROFILES[name].refuses["duplicates"] not in str(by_user)


# Notes


def noted(profile: Profile) -> dict[str, str]:
    """The names of a tool whose numbers are wrong, and what is wrong with them."""
    rules = {typed(rule): rule for rule in reversed(profile.rules) if rule.defect}
    return {text: rule.defect for text, rule in rules.items() if profile.ask([text])[0].rule == rule}


WITH_NOTES: Final = [name for name in NAMES if any(rule.defect for rule in PROFILES[name].rules)]


def test_some_profiles_know_of_defects() -> None:
    assert len(WITH_NOTES) >= 5


@pytest.mark.parametrize("name", WITH_NOTES)
def test_a_number_that_is_wrong_is_said_to_be_wrong_by_every_output(name: str) -> None:
    notes = noted(PROFILES[name])
    assert notes
    relaxed = dict.fromkeys(("missing", "extra"), "skip") | {"extra": "ignore", "undefined": "nan", "fewest": 0}
    found = values(BINARY, RUN, list(notes), name, **relaxed)
    expected = {f"{text}: {note}" for text, note in notes.items()}
    told = [notice.text for notice in found.notices if notice.slug == "known-defect"]
    assert {text for text in told if text.startswith(tuple(f"{one}: " for one in notes))} >= {
        one for one in expected if one.partition(": ")[0] in found.per_query.measures
    }
    assert len(told) >= len(notes)
    for text in told:
        assert f"{text}   [known-defect]" in repr(found)
    table = RunValues({"run": found})
    [run] = json.loads(json.dumps(results_file.record(table, with_queries=True)))["runs"]
    assert [one["text"] for one in run["warnings"] if one["slug"] == "known-defect"] == told
    marked = [f"{text}   [known-defect]" for text in told]
    for sheet in (sheet_of_means(table), per_query(table)):
        assert list(sheet.defects) == list(dict.fromkeys(marked))
        for form in ("table", "md", "latex", "jsonl"):
            written = render(sheet, form, Look()).replace("&#8203;", "")  # which keeps Markdown from calling people
            shown = " ".join(re.sub(r"[\\%]", "", written).split())  # type: ignore[arg-type]
            for text in marked:
                assert " ".join(re.sub(r"[\\%]", "", text).split()) in shown.replace('"', "'") or form == "jsonl"
            assert "[known-defect]" in shown


def test_a_number_that_is_wrong_is_warned_of() -> None:
    name = WITH_NOTES[0]
    text, note = next(iter(noted(PROFILES[name]).items()))
    with pytest.warns(rw.RankworthWarning, match="known-defect") as caught:
        rw.evaluate(QRELS, RUN, [text], profile=name)
    assert note in "".join(str(one.message) for one in caught)


def test_the_command_line_says_on_standard_error_that_a_number_is_wrong(tmp_path: Path) -> None:
    name = WITH_NOTES[0]
    text, note = next(iter(noted(PROFILES[name]).items()))
    qrels, run = tmp_path / "qrels.json", tmp_path / "some.json"
    qrels.write_text(json.dumps(QRELS))
    run.write_text(json.dumps(RUN))
    for forms in (["-f", "csv"], ["-f", "tsv"], ["-f", "json"], ["-o", str(tmp_path / "values.csv")]):
        command = [sys.executable, "-m", "rankworth", "evaluate", qrels, run, "-m", text, "--profile", name, *forms]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        assert " ".join(note.split()) in " ".join(done.stderr.split())
        assert "[known-defect]" in done.stderr


UNTIED: Final[Scores] = {query: {one: 9.0 - rank for rank, one in enumerate(part)} for query, part in BINARY.items()}
TIED: Final[Scores] = UNTIED | {"q1": UNTIED["q1"] | {"d1": 8.0}}


@pytest.mark.parametrize("name", [name for name in NAMES if any(rule.unspecified for rule in PROFILES[name].rules)])
def test_an_order_that_a_tool_leaves_open_is_said_where_there_are_ties(name: str) -> None:
    profile = PROFILES[name]
    asked = {typed(rule): profile.ask([typed(rule)]) for rule in profile.rules if rule.unspecified}
    open_ones = {text: one[0].rule for text, one in asked.items() if len(one) == 1 and one[0].rule is not None}
    for text, rule in list(open_ones.items())[:5]:
        relaxed: dict[str, Any] = {"missing": "skip", "extra": "ignore", "undefined": "nan", "fewest": 0}
        tied, untied = (values(BINARY, run, [text], name, **relaxed).notices for run in (TIED, UNTIED))
        said = [notice.text for notice in tied if notice.slug == "unspecified-order"]
        assert said == ([f"{text}: {rule.unspecified}"] if rule.unspecified else [])
        assert "unspecified-order" not in [notice.slug for notice in untied]


# No name of a profile outside the room


def constants(tree: ast.AST) -> list[str]:
    """The texts of a module that are no docstrings."""
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    every = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    return [str(node.value) for node in every if id(node) not in docstrings]


INTERFACES = {
    "compat/ir_measures_provider.py": "ir_measures-0.4",
    "compat/pytrec_eval.py": "pytrec_eval-terrier-0.5",
    "sentence_transformers.py": "sentence-transformers-6",
}
"""interfaces of tools, with the profile that each of them has"""
LOADED = {("accumulation.py", "torchmetrics")}
"""libraries that code looks for among those that are loaded"""


def test_no_profile_is_named_in_code() -> None:
    named = re.compile("|".join(rf"(?<![\w-]){re.escape(name)}(?![\w-])" for name in NAMES), re.IGNORECASE)
    found = []
    for path in SOURCE.rglob("*.py"):
        for text in constants(ast.parse(path.read_text(encoding="utf-8"))):
            is_example = text.startswith("Examples:\n  rankworth ")
            is_interface = INTERFACES.get(path.relative_to(SOURCE).as_posix()) == text
            if named.search(text) and not is_example and not is_interface:
                found.append(f"{path.relative_to(SOURCE)}: {text[:60]!r}")
    assert found == []


def test_tools_are_named_in_code_where_their_spellings_are_alone() -> None:
    tools = {part.casefold() for name in NAMES for part in (PROFILES[name].tool, name.rpartition("-")[0])}
    found = {
        (path.name, text)
        for path in SOURCE.rglob("*.py")
        for text in constants(ast.parse(path.read_text(encoding="utf-8")))
        if text.casefold() in tools - {"", "mlflow", "seed", "spark"}  # modules
    }
    assert found >= LOADED
    fusions = {path.name for path in (SOURCE / "fusion").glob("[a-z]*.py")}  # which say how each tool fuses
    called = {"ir_measures_provider.py", "rankers.py"} | fusions  # by these tools
    found = {(name, text) for name, text in found - LOADED if name not in called}
    assert {name for name, _ in found} == {"names.py", "__init__.py", "profiles.py", "spellings.py"}
    assert {text for _, text in found} == {"ir_measures", "ranx", "trec_eval"}


def test_profiles_are_data_alone() -> None:
    assert {path.suffix for path in DATA.iterdir()} == {".toml"}
    elsewhere = {path for path in SOURCE.rglob("*.toml") if path.parent != DATA}
    assert elsewhere == {
        DATA.parent / "aliases.toml",
        DATA.parent / "spellings.toml",
        SOURCE / "explorer" / "examples.toml",
        SOURCE / "errors.toml",
    }  # other names of tools, measures


# Profiles that are derived


@pytest.mark.parametrize("name", ["standard-1", *NAMES])
def test_a_derived_profile_changes_all_rules_and_says_so(name: str) -> None:
    profile = PROFILES[name]
    said: dict[str, Any] = {"ties": "id-ascending", "depth": 3, "missing": "skip", "undefined": "nan", "round_means": 2}
    derived = profile.derive(**said)
    assert profile.derived == ()
    assert derived.derived == tuple(said)
    assert (derived.name, derived.why, derived.refuses) == (profile.name, profile.why, profile.refuses)
    texts = [typed(rule) for rule in profile.rules if not rule.of_items] or ["RR", "nDCG@10"]
    for before, after in zip(profile.ask(texts), derived.ask(texts), strict=True):
        assert after.quantity == before.quantity
        assert after.judging == replace(before.judging, ties="id-ascending", depth=3)
        assert after.averaging == replace(before.averaging, missing="skip", undefined="nan", round_means=2)
    found = values(numbered(BINARY), numbered(RUN), texts[:1], derived)
    line = rw.Signature.parse(found.signature)
    assert line.recorded["profile"] == name
    assert line.recorded.get("derived", "") == ("" if name == "standard-1" else ",".join(said))
    for one in (line, *map(rw.Signature.parse, found.signatures.values())):
        assert (one.settings["ties"], one.settings["depth"], one.settings["missing"]) == ("id-ascending", "3", "skip")


def test_deriving_again_adds_and_nothing_is_nothing() -> None:
    profile = PROFILES["ranx-0.3"]
    assert profile.derive() is profile
    assert profile.derive(missing=None) is profile
    twice = profile.derive(missing="skip").derive(extra="ignore", missing="zero")
    assert twice.derived == ("missing", "extra")
    assert (twice.averaging.missing, twice.averaging.extra) == ("zero", "ignore")
    with pytest.raises(RankworthError, match="there is no argument or setting 'tise'") as caught:
        profile.derive(tise="given")
    assert caught.value.slug == "unknown-setting"


def test_settings_of_a_call_are_a_derived_profile() -> None:
    for name in ("standard-1", *NAMES):
        said: dict[str, Any] = {"missing": "zero", "extra": "ignore", "undefined": 0.0, "empty": "zero"}
        one = anything(QRELS, RUN, ["P@3", "nDCG@3"], name, **said)
        other = anything(QRELS, RUN, ["P@3", "nDCG@3"], PROFILES[name].derive(**said))
        assert same(one, other), name


# One evaluation under many profiles


def same(one: rw.Values | RankworthError, other: rw.Values | RankworthError) -> bool:
    """Bit for bit the same, or the same error."""
    assert type(one) is type(other), (one, other)
    if isinstance(one, RankworthError):
        return str(one) == str(other)
    assert isinstance(other, rw.Values)
    assert one.per_query.queries == other.per_query.queries
    assert one.per_query.measures == other.per_query.measures
    assert np.array_equal(one.per_query.array, other.per_query.array, equal_nan=True)
    assert one.per_query.to_dict().keys() == other.per_query.to_dict().keys()
    assert np.array_equal(list(one.mean().values()), list(other.mean().values()), equal_nan=True)
    assert (one.counts, one.signature, one.signatures) == (other.counts, other.signature, other.signatures)
    assert one.notices == other.notices
    return True


MEASURES: Final = ("nDCG@3", "AP", "RR", "P@2", "R@3", "Success@1")


@some
@given(collection=collections(), as_frame=st.booleans())
def test_many_profiles_at_once_give_what_each_gives_alone(collection: tuple[Grades, Scores], *, as_frame: bool) -> None:
    qrels, run = collection
    source = Run(run).to_frame() if as_frame else run
    together = rw.evaluate_profiles(qrels, source, MEASURES)
    assert list(together) == list(PROFILES)
    for name, found in together.items():
        assert same(found, anything(qrels, source, MEASURES, name)), name


def test_rows_that_stand_apart_and_twice_are_measured_alike_in_company(tmp_path: Path) -> None:
    lines = ["q1 d2 2 3.0", "q2 d4 1 2.0", "q1 d1 1 3.0", "q1 d2 3 1.0", "x d1 1 1.0", "q2 d2 2 2.0", "q1 d9 4 -1.0"]
    path = tmp_path / "some.run"
    rows = [line.split() for line in lines]
    path.write_text("".join(f"{query} Q0 {one} {rank} {score} tag\n" for query, one, rank, score in rows))
    judged = pl.DataFrame(
        [("q1", "d1", 1.0), ("q1", "d2", -1.0), ("q1", "d1", 2.0), ("q2", "d2", 1.5), ("q3", "d1", 1.0)],
        schema=["query", "document", "grade"],
        orient="row",
    )
    together = rw.evaluate_profiles(judged, path, MEASURES)
    assert sum(isinstance(found, rw.Values) for found in together.values()) >= 5
    assert sum(isinstance(found, RankworthError) for found in together.values()) >= 5
    for name, found in together.items():
        assert same(found, anything(judged, path, MEASURES, name)), name


def test_a_profile_that_refuses_is_an_error_among_values() -> None:
    missing = {"q1": RUN["q1"]}
    found = rw.evaluate_profiles(QRELS, missing, ["mrr"], profiles=["ranx-0.3", "standard-1"])
    error = found["ranx-0.3"]
    assert isinstance(error, RefusedError)
    assert error.says == f"mrr: {PROFILES['ranx-0.3'].refuses['missing']}"
    assert isinstance(found["standard-1"], rw.Values)
    [alone] = rw.evaluate_profiles(QRELS, missing, ["mrr"], profiles=["ranx-0.3"]).values()
    assert str(alone) == str(error)


def test_a_profile_that_lacks_a_measure_is_an_error_among_values() -> None:
    name = next(name for name in NAMES if PROFILES[name].lacks)
    text = PROFILES[name].lacks[0]
    found = rw.evaluate_profiles(QRELS, RUN, [text], profiles=["standard-1", name])
    assert isinstance(found["standard-1"], rw.Values)
    assert isinstance(found[name], MeasureError)


def test_settings_of_the_call_are_for_all_profiles() -> None:
    run = numbered({"q1": RUN["q1"]})
    found = rw.evaluate_profiles(numbered(BINARY), run, ["RR"], missing="zero", extra="ignore", quirks={"fewest": 0})
    for name, one in found.items():
        assert isinstance(one, rw.Values), name
        assert "missing" not in rw.Signature.parse(one.signature).settings, name  # as by the standard


def test_only_some_queries_are_for_all_profiles() -> None:
    found = rw.evaluate_profiles(QRELS, {"q1": RUN["q1"]}, ["RR"], queries=["q1"], profiles=["ranx-0.3", "beir-2.2"])
    assert [one["RR"] for one in found.values() if isinstance(one, rw.Values)] == [1 / 2, 1 / 2]


# Queries that are asked for

_IDS: Final = ("q1", "q2", "q10", "x")
_DOCUMENTS: Final = ("d1", "d2", "d3", "d4")
_JUDGED: Final = st.lists(
    st.tuples(st.sampled_from(_IDS), st.sampled_from(_DOCUMENTS), st.sampled_from((0, 1, 2, -1, 0.5))), min_size=1
)
_RANKED: Final = st.lists(
    st.tuples(st.sampled_from(_IDS), st.sampled_from(_DOCUMENTS), st.sampled_from((2.0, 1.0, 0.0, -1.0))), min_size=1
)


def judgements_of(rows: list[tuple[str, str, float]]) -> pl.DataFrame:
    """Judgements in their order."""
    return pl.DataFrame(rows, schema={"query": pl.String, "document": pl.String, "grade": pl.Float64}, orient="row")


def run_of(rows: list[tuple[str, str, float]], engine: str, asked: Collection[str] = _IDS) -> object:
    """Rows of a run in their order, of some queries."""
    names = {"query": pl.String, "document": pl.String, "score": pl.Float64}
    frame = pl.DataFrame(rows, schema=names, orient="row").with_row_index("position", 1)
    frame = frame.filter(pl.col("query").is_in(list(asked)))
    if engine == "duckdb":
        return ENGINE.from_arrow(frame.to_arrow())
    if engine == "dict":
        found: dict[str, dict[str, float]] = {}
        for query, document, score in rows:
            if query in asked:
                found.setdefault(query, {})[document] = score
        return found
    return frame.drop("position")


@pytest.mark.parametrize("name", PROFILES)
@some
@given(judged=_JUDGED, ranked=_RANKED, data=st.data(), engine=st.sampled_from(("frame", "dict", "duckdb")))
def test_what_is_not_asked_for_does_not_exist(
    name: str, judged: list[Any], ranked: list[Any], data: st.DataObject, engine: str
) -> None:
    asked = data.draw(st.sets(st.sampled_from(sorted({query for query, *_ in judged})), min_size=1))
    assume(asked & {query for query, *_ in ranked})
    alone = anything(
        judgements_of([row for row in judged if row[0] in asked]), run_of(ranked, engine, asked), MEASURES, name
    )
    among = anything(judgements_of(judged), run_of(ranked, engine), MEASURES, name, queries=asked)
    assert same(among, alone)


@pytest.mark.parametrize("suffix", ["run", "json", "jsonl", "csv", "parquet"])
def test_rows_of_files_that_are_not_asked_for_do_not_exist(suffix: str, tmp_path: Path) -> None:
    rows = [("q1", "d2", 3.0), ("q2", "d4", 2.0), ("x", "d1", 3.0), ("x", "d1", 2.0), ("q1", "d1", 1.0)]
    rows = rows if suffix != "json" else [*rows[:3], rows[4]]
    path, frame = tmp_path / f"some.{suffix}", run_of(rows, "frame")
    assert isinstance(frame, pl.DataFrame)
    if suffix == "run":
        path.write_text("".join(f"{query} Q0 {document} 1 {score} tag\n" for query, document, score in rows))
    elif suffix == "json":
        path.write_text(json.dumps(run_of(rows, "dict")))
    else:
        {"jsonl": frame.write_ndjson, "csv": frame.write_csv, "parquet": frame.write_parquet}[suffix](path)
    judged = {"q1": {"d1": 1, "d2": 0}, "q2": {"d4": 1}, "q3": {"d1": 1}}
    only = {"q1": judged["q1"]}
    for name in ("standard", "scikit-learn", "trec_eval-10.0", "ranx", "elinor", "torchmetrics"):
        alone = values(only, {"q1": {"d2": 3.0, "d1": 1.0}}, MEASURES, name)
        among = values(judged, path, MEASURES, name, queries=["q1"])
        assert among.mean() == alone.mean(), name
        assert among.counts == alone.counts, name


@pytest.mark.parametrize("engine", ["frame", "dict", "duckdb"])
def test_queries_with_numbers_for_ids_are_found_by_number_and_by_text(engine: str) -> None:
    judged: Any = {1: {10: 1, 11: 0}, 2: {10: 1}}
    rows = [(1, 11, 2.0), (1, 10, 1.0), (2, 10, 1.0), (3, 10, 1.0)]
    frame = pl.DataFrame(rows, schema=["query", "document", "score"], orient="row")
    run: Any = {1: {11: 2.0, 10: 1.0}, 2: {10: 1.0}, 3: {10: 1.0}}
    run = {"dict": run, "frame": frame, "duckdb": ENGINE.from_arrow(frame.to_arrow())}[engine]
    for asked in ([1], ["1"]):
        found = values(judged, run, ["RR"], "standard", queries=asked, extra="zero")
        assert (found["RR"], found.counts.scored, found.counts.ignored) == (1 / 2, 1, 0)


def test_judgements_that_were_read_for_some_queries_restrict_runs_too() -> None:
    judged = rw.Qrels(QRELS, queries=["q1"])
    found = values(judged, RUN, ["RR"], "scikit-learn")
    assert found.per_query.queries == ["q1"]
    assert rw.evaluate_runs(judged, {"a": RUN, "b": RUN}, ["RR"], profile="opensearch")["b"].counts.scored == 1


def test_a_run_without_any_of_the_queries_is_refused() -> None:
    for run in ({"q2": {"d1": 1.0}}, run_of([("q2", "d1", 1.0)], "frame"), run_of([("q2", "d1", 1.0)], "duckdb")):
        with pytest.raises(rw.InputError, match="has none of the queries asked for: q1") as told:
            rw.evaluate(QRELS, run, ["RR"], queries=["q1"])
        assert told.value.slug == "no-common-queries"


def test_what_refuses_other_queries_does_not_hinder_an_explanation() -> None:
    missing = {"q1": RUN["q1"]}
    with pytest.raises(RefusedError):
        rw.evaluate(QRELS, missing, ["RR"], profile="trec_eval-10.0")
    [told] = rw.explain_queries(QRELS, missing, ["RR"], queries=["q1"], profile="trec_eval-10.0")
    assert told.value == values(QRELS, missing, ["RR"], "trec_eval-10.0", queries=["q1"])["RR"]
    assert rw.vary(measures="RR", by="swap", qrels=QRELS, run=missing, query="q1", profile="trec_eval-10.0").rows


def test_comparisons_are_of_the_queries_that_are_asked_for() -> None:
    judged = {"q1": {"d": 1, "e": 0}, "q2": {"d": 1, "e": 0}, "q3": {"d": 1}}
    good, bad = ({query: {"d": score, "e": 0.5} for query in ("q1", "q2", "other")} for score in (1.0, 0.1))
    told = rw.compare(judged, {"good": good, "bad": bad}, measures=["RR"], profile="scikit-learn", queries=["q1", "q2"])
    assert told.means == {"good": {"RR": 1.0}, "bad": {"RR": 0.5}}


# Numbers of tools on hard inputs


HARD: Final[dict[str, tuple[str, Grades, Scores, dict[str, Any], dict[str, float]]]] = {
    "trec_eval -J where nothing is left": (
        "trec_eval-10.0",
        {"q": {"a": 1}},
        {"q": {"x": 1.0}},
        {"unjudged": "removed"},
        {"iprec_at_recall_0.00": math.nan, "iprec_at_recall_0.40": math.nan, "11pt_avg": math.nan}
        | {"iprec_at_recall_0.50": 0.0, "map": 0.0},
    ),
    "trec_eval -c -J of a query that the run lacks": (
        "trec_eval-10.0-c",
        {"q": {"a": 1}, "missing": {"a": 1, "b": 1}},
        {"q": {"a": 1.0}},
        {"unjudged": "removed"},
        {"iprec_at_recall_0.00": math.nan, "iprec_at_recall_0.50": 0.5, "11pt_avg": math.nan, "map": 0.5},
    ),
    "trec_eval -c without -J of the same": (
        "trec_eval-10.0-c",
        {"q": {"a": 1}, "missing": {"a": 1, "b": 1}},
        {"q": {"a": 1.0}},
        {},
        {"iprec_at_recall_0.00": 0.5, "iprec_at_recall_0.50": 0.5, "11pt_avg": 0.5},
    ),
    "9.0.8 -J needs a document from recall 0.1 on": (
        "trec_eval-9.0.8",
        {"q": {"a": 1}},
        {"q": {"x": 1.0}},
        {"unjudged": "removed"},
        {"iprec_at_recall_0.00": math.nan, "iprec_at_recall_0.10": 0.0, "11pt_avg": math.nan},
    ),
    "nothing relevant and something retrieved": (
        "trec_eval-10.0",
        {"q": {"a": 0}},
        {"q": {"a": 1.0}},
        {"unjudged": "removed"},
        {"iprec_at_recall_0.00": 0.0, "11pt_avg": 0.0},
    ),
    "recommenders where all grades are 0": (
        "recommenders-1.2-all",
        {"q": {"a": 0, "b": 0}},
        {"q": {"a": 1.0}},
        {},
        {"ndcg_at_k[raw,log2](k=3)": math.nan, "ndcg_at_k[exp,log2](k=3)": math.nan, "map_at_k(k=3)": 1 / 2},
    ),
    "recommenders where nobody has a hit": (
        "recommenders-1.2-all",
        {"q": {"a": 0}},
        {"q": {"x": 1.0}},
        {},
        {"ndcg_at_k[raw,log2](k=3)": 0.0, "r_precision_at_k(k=3)": 0.0, "map_at_k(k=3)": 0.0},
    ),
    "recommenders with a hit below the first R": (
        "recommenders-1.2",
        {"q": {"a": 1}},
        {"q": {"x": 1.0, "a": 0.5}},
        {},
        {"r_precision_at_k(k=3)": math.nan, "r_precision_at_k(k=1)": 0.0},
    ),
}
"""what tools give, by profile, judgements, run and settings"""


@pytest.mark.parametrize("what", HARD)
def test_numbers_on_hard_inputs_are_those_of_the_tool(what: str) -> None:
    profile, judged, run, said, expected = HARD[what]
    assert values(judged, run, list(expected), profile, **said).mean() == pytest.approx(expected, nan_ok=True)


NO_ROWS: Final[dict[str, tuple[object, object]]] = {
    "dict": ({}, {}),
    "dict of nothing": ({"u": {}}, {"u": {}}),
    "list": ([], []),
    "pandas": (
        pd.DataFrame({"query": [], "document": [], "grade": []}),
        pd.DataFrame({"query": [], "document": [], "score": []}),
    ),
    "file": ("empty.qrels", "empty.run"),
}


@pytest.mark.parametrize("form", NO_ROWS)
@pytest.mark.parametrize("name", ["rectools-0.19", "recommenders-1.2", "recommenders-1.2-all"])
def test_inputs_without_a_row_give_what_tools_of_recommendation_give(
    form: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    qrels, run = {"u": {"a": 1}, "v": {"b": 2}}, {"u": {"a": 0.5}, "w": {"c": 0.25}}
    for there in ("empty.qrels", "empty.run"):
        Path(there).write_text("")
    no_qrels, no_run = NO_ROWS[form]
    measures = ["nDCG@3", "P@3", "AP@3", "Rprec@3" if name != "rectools-0.19" else "RR@3"]
    nothing = pytest.approx(math.nan if name == "rectools-0.19" else 0.0, nan_ok=True)
    with pytest.warns(rw.RankworthWarning, match="no rows"):
        assert set(rw.evaluate(qrels, no_run, measures, profile=name).mean().values()) == {0.0}
    for any_run in (run, no_run):
        with pytest.warns(rw.RankworthWarning, match="the judgements have no rows"):
            values = rw.evaluate(no_qrels, any_run, measures, profile=name)
        assert list(values.mean().values()) == [nothing] * 4
        assert values.per_query.to_dict() == {}
    with pytest.raises(rw.InputError, match="empty-input"):
        rw.evaluate(qrels, no_run, measures, profile="trec_eval-10.0")
    with pytest.raises(rw.InputError, match="empty-input"):
        rw.evaluate(no_qrels, run, measures)


NO_ROWS_IN_DUCKDB = {
    "rows": "select '' as query, '' as document, 1.0 as score, 1 as position, 1 as rank limit 0",
    "lists": "select '' as query, ['d'] as documents limit 0",
    "empty lists": "select 'u' as query, []::varchar[] as documents",
}


@pytest.mark.parametrize("name", ["rectools-0.19", "recommenders-1.2", "recommenders-1.2-all"])
@pytest.mark.parametrize("form", NO_ROWS_IN_DUCKDB)
def test_relations_without_a_row_give_what_dicts_without_a_query_give(form: str, name: str) -> None:
    engine = duckdb.connect()
    no_run = engine.sql(NO_ROWS_IN_DUCKDB[form])
    some = engine.sql("select 'u' as query, 'a' as document, 0.5 as score, 1 as position, 1 as rank")
    judged = {"u": {"a": 1}, "v": {"b": 2}}
    no_judgement = engine.sql("select '' as query, '' as document, 1 as grade limit 0")
    for qrels, run, alike in (
        (judged, no_run, (judged, {})),
        (
            engine.sql("select unnest(['u', 'v']) as query, unnest(['a', 'b']) as document, 1 as grade"),
            no_run,
            (judged, {}),
        ),
        (no_judgement, some, ({}, {"u": {"a": 0.5}})),
        (no_judgement, no_run, ({}, {})),
    ):
        with pytest.warns(rw.RankworthWarning, match="no rows"):
            values = rw.evaluate(qrels, run, ["nDCG@3", "P@3"], profile=name)
        with pytest.warns(rw.RankworthWarning, match="no rows"):
            expected = rw.evaluate(*alike, ["nDCG@3", "P@3"], profile=name)
        assert values.mean() == pytest.approx(expected.mean(), nan_ok=True)
        assert values.counts == expected.counts
        assert values.notices == expected.notices
        with pytest.raises(rw.InputError, match="empty-input"):
            rw.evaluate(qrels, run, ["nDCG@3"])
        with pytest.raises(rw.InputError, match="empty-input"):
            rw.compare(qrels, {"x": run, "y": {"u": {"a": 1.0}}}, ["P@3"], profile=name)


@pytest.mark.parametrize("name", ["rectools-0.19", "recommenders-1.2", "recommenders-1.2-all"])
def test_a_comparison_needs_rows_on_both_sides(name: str) -> None:
    for qrels, empty, what in (
        ({}, {"u": {"a": 1.0}}, "the judgements have no rows"),
        ({"u": {"a": 1}}, {}, "run x: the dict has no queries"),
    ):
        with pytest.raises(rw.InputError, match=what) as told:
            rw.compare(qrels, {"x": empty, "y": {"u": {"a": 1.0}}}, ["P@3"], profile=name)
        assert told.value.slug == "empty-input"
    with pytest.raises(rw.InputError, match="none of the queries asked for"):
        rw.evaluate({"u": {"a": 1}}, {"w": {"a": 1.0}}, ["P@3"], queries=["u"], profile=name)


def test_depth_cuts_before_documents_that_are_there_twice_are_looked_for() -> None:
    rows = [("q1", "a", 5.0), ("q1", "b", 4.0), ("q1", "c", 3.0), ("q2", "d", 1.0), ("q1", "a", 1.0)]
    run = pl.DataFrame(rows, schema=["query", "document", "score"], orient="row")
    judged = {"q1": {"a": 1, "c": 1}, "q2": {"d": 1}}
    for name in ("trec_eval-9.0.8", "trec_eval-10.0", "standard"):
        cut = values(judged, run, ["AP", "NumRet"], name, depth=3)
        assert cut.mean() == pytest.approx({"AP": ((1 / 1 + 2 / 3) / 2 + 1) / 2, "NumRet": 4}), name
        for depth in (4, None):
            with pytest.raises(rw.InputError) as told:
                values(judged, run, ["AP"], name, depth=depth)
            assert told.value.slug == "duplicate-document", name
    together = rw.evaluate_profiles(judged, run, ["AP"], profiles=["trec_eval-9.0.8", "ranx"], depth=3)
    assert all(isinstance(one, rw.Values) for one in together.values())


def test_gains_that_trec_eval_does_not_sort_are_named_a_defect() -> None:
    run = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}
    for profile in ("trec_eval-10.0", "trec_eval-9.0.8-c", "pytrec_eval-terrier"):
        found = values({"q": {"a": 3, "b": 2, "c": 1}}, run, ["ndcg.1=0.5,2=0.9,3=0.95", "ndcg"], profile)
        [notice] = [one for one in found.notices if one.slug == "known-defect"]
        assert "less than 1 apart" in notice.text


@pytest.mark.parametrize(
    ("qrels", "scores", "told"),
    [
        ({"b": 1, "a": 1}, {"a": 1.0, "b": 1.0}, True),
        ({"b": 1, "a": 1, "c": 2}, {"c": 3.0, "b": 2.0, "a": 1.0}, False),
        ({"b": 2, "a": 1}, {"a": 1.0, "b": 1.0}, False),
        ({"b": 1, "a": 0}, {"a": 1.0, "b": 1.0}, False),
        ({"b": 1, "a": 1}, {"a": -1.0, "x": 2.0}, True),
        ({"b": 3, "a": 3, "c": 1}, {"c": 4.0, "b": 2.0, "a": 2.0}, True),
    ],
)
def test_compat_of_ir_measures_is_named_a_defect_where_scores_do_not_order_a_grade(
    qrels: dict[str, int], scores: dict[str, float], *, told: bool
) -> None:
    tool = ir_measures.iter_calc([ir_measures.Compat(p=0.8)], {"q": qrels}, {"q": scores})
    [theirs] = [metric.value for metric in tool]
    found = values({"q": qrels}, {"q": scores}, ["Compat(p=0.8)", "RR@3"], "ir_measures")
    notices = [one.text for one in found.notices if one.slug == "known-defect"]
    assert [text.partition(": ")[0] for text in notices] == ["Compat(p=0.8)"] * told
    assert told or found["Compat(p=0.8)"] == pytest.approx(theirs, rel=1e-12)
    for ours in (pd.DataFrame([("q", *one) for one in scores.items()], columns=["query", "document", "score"]),):
        assert [one.slug for one in values({"q": qrels}, ours, ["Compat"], "ir_measures").notices].count(
            "known-defect"
        ) == told


def test_profiles_side_by_side_keep_every_warning(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "q.txt").write_text("q1 0 a 1\nq1 0 b 0\n")
    (tmp_path / "r.run").write_text("q1 Q0 a 1 1.0 t\nq1 Q0 b 2 1.0 t\n")
    files = [str(tmp_path / "q.txt"), str(tmp_path / "r.run"), "-m", "RR"]
    for form in ("table", "json", "csv", "md"):
        assert main(["evaluate", *files, "--profile", "standard", "ranx-0.3", "-f", form]) == 0
        told = " ".join(capfd.readouterr().err.split())
        assert "warning: ranx-0.3: RR: Beyond 15 documents ranx sorts" in told
        assert "[unspecified-order]" in told
        main(["evaluate", *files, "--profile", "standard", "ranx-0.3", "-f", form, "--quiet"])
        assert "warning" not in capfd.readouterr().err


def test_every_page_says_where_the_number_of_the_tool_cannot_be_promised() -> None:
    for name, profile in PROFILES.items():
        page = " ".join(in_terminal(reference.profile_page(name), 100).split())
        assert ("Where its number cannot be promised" in page) == bool(profile.tool), name
        assert all(" ".join(text.split()) in page for text in profile.differs), name


# The command line says every setting


def test_every_setting_is_an_option_or_a_quirk() -> None:
    assert {*OPTIONS, *QUIRKS} == JUDGING | AVERAGING
    assert not {*OPTIONS} & {*QUIRKS}
    assert set(get_type_hints(OptionKeywords)) == {*OPTIONS, *OF_CALLS, "quirks"}
    assert set(get_type_hints(options.Conventions)) == {*OPTIONS} - {"grades"}  # which is how files are read
    assert len(OPTIONS) == 15
    assert tuple(one.name for one in fields(CallData)) == OF_CALLS
    assert not {*OF_CALLS} & {*SETTINGS}


def test_the_help_of_every_option_names_its_words() -> None:
    for name in OPTIONS:
        line = SETTINGS[name].metadata["help"]
        assert line.endswith(".")
        for word in CHOICES.get(name, ()):
            assert word in line, f"{name}: {word}"


@pytest.mark.parametrize("name", sorted(JUDGING | AVERAGING))
def test_every_word_of_a_setting_is_taken(name: str) -> None:
    taken = VALUES[name]
    numbers = {int: ("3",), float: ("0.5",), bool: ("True", "False"), None: ()}
    for word in (*taken.words, *numbers[taken.number]):
        if name in QUIRKS:
            said = with_quirks(options.Options(options.Measured(quirks=[f"{name}={word}"])).settings())
        else:
            said = options.Options(conventions={name: word}).settings()
        assert {setting: str(value) for setting, value in said.items()} == {name: word}
        settings = getattr(STANDARD.derive(**said), "averaging" if name in AVERAGING else "judging")
        assert getattr(settings, name) == said[name]
        assert SETTINGS[name].default == getattr(type(settings)(), name)


@pytest.mark.parametrize("name", sorted(JUDGING | AVERAGING))
def test_no_setting_takes_what_is_no_value(name: str) -> None:
    for wrong in ("nonsense", -1.5, math.inf, object(), [1]):
        if VALUES[name].take(wrong):
            assert VALUES[name].number is float
            assert wrong == -1.5
            continue
        with pytest.raises(UsageError) as caught:
            STANDARD.derive(**{name: wrong})
        assert caught.value.slug == "unknown-setting"
        assert f"{name} is " in str(caught.value)


@pytest.mark.parametrize(
    ("given", "message", "cure"),
    [
        (
            {"blocks": "separate"},
            "blocks='separate': blocks is no option: it exists only to reproduce",
            "quirks={'blocks': 'separate'}",
        ),
        ({"quirks": {"depth": 5}}, "depth=5: depth is an option", "in place of quirks={'depth': 5}: depth=5"),
        (
            {"quirks": {"block": 1}},
            "there is no quirk 'block'; there are exclude_from",
            "did you mean blocks?",
        ),
        ({"quirks": "fewest=3"}, "quirks='fewest=3' is no dict", 'quirks={"fewest": 3}'),
        ({"quirks": {"fewest": "x"}}, "fewest='x'", ""),
    ],
)
def test_options_are_no_quirks_and_quirks_no_options(given: dict[str, Any], message: str, cure: str) -> None:
    with pytest.raises(UsageError) as caught:
        rw.evaluate(QRELS, RUN, ["RR"], **given)
    assert caught.value.slug == "unknown-setting"
    assert message in str(caught.value)
    assert cure in str(caught.value)


def test_quirks_are_set_on_the_command_line(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "q.txt").write_text("q1 0 a 1\nq1 0 b 0\nq2 0 a 1\n")
    (tmp_path / "r.run").write_text("q1 Q0 a 1 1.0 t\nq2 Q0 b 1 1.0 t\nq2 Q0 a 2 0.5 t\n")
    line = ["evaluate", str(tmp_path / "q.txt"), str(tmp_path / "r.run"), "-m", "RR", "-f", "json"]
    assert main([*line, "--set", "round_means=1", "--set", "no-hit=skip"]) == 0
    [told] = json.loads(capfd.readouterr().out)["runs"]
    assert told["mean"] == {"RR": 0.8}  # (1 + 1/2) / 2 = 0.75, and halves go to the even digit
    assert "|no_hit:skip|round_means:1|" in told["signatures"]["RR"]
    assert rw.Signature.parse(told["signatures"]["RR"]).options() == ["--set", "no_hit=skip", "--set", "round_means=1"]
    assert main([*line, "--set", "fewest=2"]) == 2
    assert "--set fewest=0 changes that" in capfd.readouterr().err
    for wrong in ("fewest", "depth=5", "block=1"):
        assert main([*line, "--set", wrong]) == 2
        assert "[unknown-setting]" in capfd.readouterr().err
    assert main([*line, "--round-means", "1"]) == 2
    assert "here: --set round_means=VALUE" in capfd.readouterr().err


def test_keywords_are_written_from_the_settings() -> None:
    script = Path(__file__).parent.parent / "scripts" / "settings-keywords"
    done = subprocess.run([sys.executable, str(script), "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_setting_is_added_in_one_place(tmp_path: Path) -> None:
    """The field is enough for options, keywords, signatures and the pages; what acts on it is the second place."""
    root = Path(__file__).parent.parent
    shutil.copytree(root / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(root / "scripts", tmp_path / "scripts", ignore=shutil.ignore_patterns("__pycache__"))
    settings = tmp_path / "src" / "rankworth" / "settings.py"
    field = '    patience: Literal["low", "high"] = option("low", "Patience of users: low high.")\n'
    text = settings.read_text().replace(
        "        no_queries: the mean", "        patience: of users.\n        no_queries: the mean"
    )
    place = "    no_queries: Literal["
    assert place in text
    settings.write_text(text.replace(place, f"{field}{place}"))
    code = """
import sys
from rankworth import Signature, cli
from rankworth.profiles import STANDARD, signature
from rankworth.reference.profiles import explained
profile = STANDARD.derive(patience="high")
line = str(signature(profile, ["q"], "1"))
assert Signature.parse(line).profile().averaging == profile.averaging, line
assert Signature.parse(line).options() == ["--patience", "high"]
assert explained()["patience"] == "of users."
sys.exit(cli.main(["evaluate", "--help-conventions"]))
"""
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "src")}
    subprocess.run([sys.executable, tmp_path / "scripts" / "settings-keywords"], check=True)
    assert "    patience: " in settings.with_name("settings_keywords.py").read_text()
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "Patience of users: low high." in done.stdout


@pytest.mark.parametrize("ties", ["best", "worst"])
def test_documents_that_were_not_retrieved_are_in_the_order_of_ties_by_grade(ties: str) -> None:
    qrels, run = {"q": {"a": 1, "b": 0}}, {"q": {"x": 1.0}}
    profile = PROFILES["standard-1"].derive(ties=ties, unretrieved="last")
    values = quietly(rw.evaluate, qrels, run, ["MeanRank"], profile=profile)
    assert values["MeanRank"] == {"best": 2, "worst": 3}[ties]
