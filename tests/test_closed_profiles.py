"""Profiles are closed: every name of a tool is the tool's measure, or refused; never our measure of that name."""

import re
import shlex
from dataclasses import replace
from itertools import chain, product
from pathlib import Path
from typing import Final

import pytest

import rankworth as rw
from helpers import quietly
from rankworth import names
from rankworth.cli import main
from rankworth.errors import MeasureError
from rankworth.measures import registered
from rankworth.profiles import PROFILES, Profile, ResolvedMeasure, Rule
from rankworth.profiles.rules import base
from rankworth.settings import Averaging, Judging
from rankworth.spellings import TOOLS, TREC_EVAL, folded, undefined_here

OF_TOOLS: Final = [name for name, profile in PROFILES.items() if profile.tool_names]
CASES: Final = (str, str.lower, str.upper, lambda name: name.replace("_", ""), lambda name: name.replace("-", "_"))
ENDS: Final = ("", "@10", "_10", "(k=10)", "(rel=2)@10", ":top=5")
"""how users write a name, and what they write behind it"""
NUMBERS: Final = {"k": "10", "d": "10", "gains": "1=1"}
QRELS: Final = {"q1": {"a": 1, "b": 0}, "q2": {"c": 1}}
RUN: Final = {"q1": {"b": 2.0, "a": 1.0}, "q2": {"c": 1.0}}


def measures_of(rule: Rule) -> set[str]:
    """Name the measures that a rule stands for, without their settings."""
    text = re.sub(r"\{(\w+)\}", lambda blank: NUMBERS.get(blank[1], "0.5"), rule.name)
    return {quantity.name for quantity in names.parse_all(rule.reads(text, exactly=True) or ())}


def computed_by_name(profile: Profile) -> dict[str, set[str]]:
    """Map the folded names that a profile has rules for to the measures that these are."""
    computed: dict[str, set[str]] = {}
    for rule in profile.rules:
        computed.setdefault(folded(base(rule.name)), set()).update(measures_of(rule))
    return computed


@pytest.mark.parametrize("name", OF_TOOLS)
def test_a_name_of_the_tool_is_its_measure_or_refused(name: str) -> None:
    profile, refusals = PROFILES[name], []
    computed = computed_by_name(profile)
    for tool_name, spell, end in product(sorted(profile.tool_names), CASES, ENDS):
        try:
            resolved = profile.ask([spell(tool_name) + end])
        except MeasureError as error:
            refusals.append(str(error))
            continue
        assert {each.quantity.name for each in resolved} <= computed.get(folded(tool_name), set()), spell(tool_name)
    assert all(profile.tool in refusal for refusal in refusals)
    assert len(refusals) >= len(profile.unmeasured)


@pytest.mark.parametrize("name", list(PROFILES))
def test_a_measure_of_the_catalogue_has_the_settings_of_the_table_or_is_refused(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    profile, remedies = PROFILES[name], set()
    known = {*map(folded, profile.tool_names), *map(folded, profile.lacks)}
    for measure, end in product(registered(), ("", "@10")):
        if not is_measure(measure + end):  # facts have no cutoff
            continue
        try:
            resolved = profile.ask([measure + end])
        except MeasureError as error:
            remedies |= {error.remedy}
            refused = folded(measure)
        else:
            refused = ""
            for each in resolved:
                assert written(each.judging, each.averaging) == settings_of(profile, each, measure + end), measure
        assert refused in {"", *known}, measure
    for line in {line for remedy in remedies for line in remedy.splitlines()}:
        follow(line, profile)
    page = capsys.readouterr().out
    assert not remedies or all(label.split("(")[0] in page for label in chain(*profile.unmeasured.values()))


def is_measure(text: str) -> bool:
    """Whether a text names a measure here."""
    try:
        names.parse(text)
    except MeasureError:
        return False
    return True


def settings_of(profile: Profile, resolved: ResolvedMeasure, text: str) -> str:
    """Put together the settings that the table of a profile states for a measure."""
    if (rule := resolved.rule) is None:
        return written(profile.judging, profile.averaging)
    assert rule in profile.rules
    judging = replace(profile.judging, **rule.judging_of(text))
    removed = rule.removed if judging.unjudged == "removed" else {}
    return written(judging, replace(profile.averaging, **rule.averaging | removed))


def written(judging: Judging, averaging: Averaging) -> str:
    """Write settings as a text, as NaN is not equal to itself."""
    return repr((judging, averaging))


def follow(remedy: str, profile: Profile) -> None:
    """Do what a line of a remedy says: list the names of the tool, or take a measure without the profile."""
    measure = re.fullmatch(r"what rankworth calls so is another measure: (.+) without the profile", remedy)
    if measure is not None:
        if not needs_items(measure[1]):
            assert measure[1] in quietly(rw.evaluate, QRELS, RUN, [measure[1]]).mean()
        return
    command = re.fullmatch(rf"what {re.escape(profile.tool)} calls its measures: rankworth (.+)", remedy)
    assert command is not None, remedy
    assert main(shlex.split(command[1])) == 0


def needs_items(measure: str) -> bool:
    """Whether a measure needs data about items, which a call has to give."""
    return bool(names.parse(measure).definition.needs)


def test_names_that_only_tools_have_have_no_definition_here() -> None:
    here = {folded(each.name) for each in registered().values()} | {folded(name) for name in TREC_EVAL}
    here |= {folded(name) for spellings in TOOLS.values() for name in spellings}
    refused = 0
    for name, (tool, why) in undefined_here().items():
        if name in here:
            continue
        try:
            names.parse(name)
        except MeasureError as error:
            refused += f"of {tool} has no definition here: {why}" in str(error)
    assert refused > 100
    for text, sentence in (
        ("PartialAUC@10", "PartialAUC of RecTools has no definition here"),
        ("PAP", "PAP of RecTools has no definition here"),
        ("MCC", "MCC of RecTools has no definition here"),
        ("AverageGain", "AverageGain of CatBoost has no definition here"),
    ):
        with pytest.raises(MeasureError, match=sentence):
            names.parse(text)


def test_a_name_that_the_tool_writes_otherwise_is_refused_with_what_it_has() -> None:
    with pytest.raises(MeasureError, match="PFound@10 is no name of CatBoost, which has PFound"):
        PROFILES["catboost-1.2"].ask(["PFound@10"])
    [resolved] = PROFILES["catboost-1.2"].ask(["PFound"])
    assert resolved.rule is not None


def test_a_measure_that_a_profile_does_not_have_is_a_row_of_all_profiles(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "qrels.txt").write_text("q 0 a 1\n")
    (tmp_path / "new.run").write_text("q Q0 a 1 2.0 r\n")
    files = [str(tmp_path / name) for name in ("qrels.txt", "new.run")]
    assert main(["evaluate", *files, "-m", "nDCG@10", "--profile", "all", "-f", "csv", "--quiet"]) == 0
    value_of = dict(line.split(",") for line in capsys.readouterr().out.splitlines())
    assert (value_of["trec_eval-10.0"], value_of["autorag-research-0.1"]) == ("1.0", "")
