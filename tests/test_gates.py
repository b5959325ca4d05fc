"""Gates: how they are read, when they hold, and what they say."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree as ET

import pytest

import rankworth as rw
from rankworth.comparison import Comparison
from rankworth.comparison.gates import (
    Gate,
    Verdict,
    advice,
    against,
    annotations,
    floors,
    headline,
    junit,
    lines,
    read,
    record,
    renewing,
    sheet,
)
from rankworth.errors import InputError, UsageError
from rankworth.tables.look import Look
from rankworth.tables.show import render

OLD = {"q1": 1, "q2": 1, "q3": 1, "q4": 1, "q5": 2, "q6": 2}
"""ranks of the one relevant document: RR is 1, 1, 1, 1, 1/2, 1/2, in the mean 5/6"""
NEW = {"q1": 1, "q2": 1, "q3": 1, "q4": 2, "q5": 2, "q6": 4}
"""1, 1, 1, 1/2, 1/2, 1/4: in the mean 17/24, a drop of 1/8"""
QRELS = {query: {"a": 1} for query in OLD}
LANGUAGE = {"q1": "en", "q2": "en", "q3": "en", "q4": "en", "q5": "ar", "q6": "ar"}


def run_of(ranks: Mapping[str, int]) -> dict[str, dict[str, float]]:
    """A run in which the relevant document has these ranks."""
    return {
        query: {**{f"x{place}": 9.0 - place for place in range(1, rank)}, "a": 9.0 - rank}
        for query, rank in ranks.items()
    }


def compared(new: Mapping[str, int] = NEW, old: Mapping[str, int] = OLD, **settings: Any) -> Comparison:
    """Two runs by their ranks, by RR."""
    qrels = {query: {"a": 1} for query in old}
    return rw.compare(qrels, {"old": run_of(old), "new": run_of(new)}, ["RR"], **settings)


def verdict_of(told: Comparison, kind: Any, text: str, when: Any = "mean") -> Verdict:
    """The verdict of the only gate."""
    [verdict] = against(told, read(kind, [text]), when)
    return verdict


@pytest.mark.parametrize(
    ("text", "gate"),
    [
        ("nDCG@10=0.01", Gate("max-drop", "nDCG@10", 0.01)),
        (" nDCG@10 = 1e-3 ", Gate("max-drop", "nDCG@10", 0.001)),
        ("R@100=2%", Gate("max-drop", "R@100", 0.02, percent=True)),
        ("P(rel=2)@5=0", Gate("max-drop", "P(rel=2)@5", 0.0)),
        ("nDCG(gain={1: 1, 2: 3})@5=.5", Gate("max-drop", "nDCG(gain={1: 1, 2: 3})@5", 0.5)),
        ("language:AP=0.02", Gate("max-drop", "AP", 0.02, column="language")),
        ("language=ar:P(rel=2)@5=1%", Gate("max-drop", "P(rel=2)@5", 0.01, True, "language", "ar")),
        ("language=(none):AP=0.1", Gate("max-drop", "AP", 0.1, column="language", group="(none)")),
        ("topic=c:sharp:AP=0.1", Gate("max-drop", "AP", 0.1, column="topic", group="c:sharp")),
        ("اللغة=عربي:AP=0.1", Gate("max-drop", "AP", 0.1, column="اللغة", group="عربي")),
        ("language / kind=ar / one:AP=0.1", Gate("max-drop", "AP", 0.1, column="language / kind", group="ar / one")),
    ],
)
def test_a_gate_is_read_as_it_is_typed(text: str, gate: Gate) -> None:
    assert Gate.of("max-drop", text) == gate
    assert Gate.of("max-drop", str(gate)) == gate


@pytest.mark.parametrize(
    "text",
    [
        "nDCG@10",
        "=0.1",
        " =0.1",
        "0.01",
        "nDCG@10=",
        "nDCG@10=a",
        "nDCG@10=0.1%%",
        "nDCG@10=-0.1",
        "nDCG@10=nan",
        "nDCG@10=inf%",
        ":nDCG@10=0.1",
        " :nDCG@10=0.1",
        "language=:nDCG@10=0.1",
        "language= :nDCG@10=0.1",
    ],
)
def test_what_is_no_gate_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(UsageError, match="a gate is MEASURE=LIMIT, and here the limit is a number from 0 on") as caught:
        Gate.of("max-drop", text)
    assert caught.value.slug == "bad-gate"
    assert str(caught.value).startswith(f"--max-drop {text}: ")
    assert caught.value.remedy == "as in --max-drop nDCG@10=0.01 R@100=2%"


def test_only_a_drop_is_a_share_and_only_a_floor_is_below_0() -> None:
    for kind, limit in (("noninferior", "a number from 0 on"), ("fail-under", "a finite number")):
        with pytest.raises(UsageError, match=f"the limit is {limit} "):
            Gate.of(kind, "AP=2%")  # type: ignore[arg-type]
    assert Gate.of("fail-under", "U=-1").limit == -1


def test_limits_of_a_table_are_read_like_those_of_an_option() -> None:
    assert read("max-drop", {"nDCG@10": 0.01, "R@100": "2%", "language:AP": 1}) == read(
        "max-drop", ["nDCG@10=0.01", "R@100=2%", "language:AP=1"]
    )
    with pytest.raises(UsageError, match="here AP=much"):
        read("max-drop", {"AP": "much"}, "here")


def test_a_drop_is_held_against_its_limit() -> None:
    told = compared()
    found = verdict_of(told, "max-drop", "RR=0.1")
    assert (found.passed, found.values, found.reason) == (False, "0.8333 -> 0.7083", "drop 0.1250 > 0.1000")
    assert (found.before, found.now) == (pytest.approx(5 / 6), pytest.approx(17 / 24))
    assert found.worst == (("q4", -0.5), ("q6", -0.25))
    assert found.interval == (told.differences[0].low, told.differences[0].high)
    found = verdict_of(told, "max-drop", "RR=0.125")
    assert (found.passed, found.reason) == (True, "drop 0.1250 <= 0.1250")


def test_a_share_is_one_of_the_mean_of_the_baseline() -> None:
    found = verdict_of(compared(), "max-drop", "RR=14%")  # (1/8) / (5/6) = 15 %
    assert (found.passed, found.reason) == (False, "drop 15.00 % > 14.00 %")
    found = verdict_of(compared(), "max-drop", "RR=15%")
    assert (found.passed, found.reason) == (True, "drop 15.00 % <= 15.00 %")


def test_a_gain_is_told_as_one() -> None:
    told = compared(OLD, NEW)
    assert verdict_of(told, "max-drop", "RR=0").reason == "gains 0.1250"
    assert verdict_of(told, "max-drop", "RR=1%").reason == "gains 17.65 %"  # (1/8) / (17/24) = 3/17
    found = verdict_of(compared(OLD), "max-drop", "RR=0")
    assert (found.passed, found.reason) == (True, "no change")


def test_rounding_fails_no_gate() -> None:
    one, fifth = dict.fromkeys("abcdefghijkl", 1), dict.fromkeys("abcdefghijkl", 5)
    told = compared(fifth, one)
    assert -told.differences[0].difference > 0.8  # 0.8000000000000002: twelve times 1 - 1/5, in the mean
    assert verdict_of(told, "max-drop", "RR=0.8").passed
    assert verdict_of(told, "max-drop", "RR=80%").passed
    assert verdict_of(told, "max-drop", "RR=0.8", "any").passed
    assert verdict_of(told, "noninferior", "RR=0.8").passed


def test_numbers_that_look_alike_get_the_decimals_that_tell_them_apart() -> None:
    assert verdict_of(compared(), "max-drop", "RR=0.12499").reason == "drop 0.12500 > 0.12499"
    assert verdict_of(compared(), "max-drop", "RR=0.00001").reason == "drop 0.12500 > 0.00001"
    assert verdict_of(compared(), "max-drop", "RR=14.999%").reason == "drop 15.000 % > 14.999 %"


def test_a_rise_of_what_should_not_be_is_a_loss() -> None:
    old, new = run_of(OLD), run_of(NEW)
    told = rw.compare(QRELS, {"old": old, "new": new}, ["Unjudged@4"])
    assert told.scores.better["Unjudged@4"] == "lower"
    found = verdict_of(told, "max-drop", "Unjudged@4=0.01")
    assert found.now > (found.before or 0)
    assert (found.passed, found.reason[:5]) == (False, "rise ")
    found = verdict_of(rw.compare(QRELS, {"old": new, "new": old}, ["Unjudged@4"]), "max-drop", "Unjudged@4=0.01")
    assert (found.passed, found.reason[:9]) == (True, "falls by ")


def test_a_drop_may_have_to_be_significant() -> None:
    told = compared()
    assert told.differences[0].high == 0  # four of six queries do not change
    found = verdict_of(told, "max-drop", "RR=0.1", "significant")
    assert (found.passed, found.reason) == (True, "drop 0.1250 > 0.1000, but the 95 % interval includes 0")
    found = verdict_of(compared(dict.fromkeys(OLD, 4), OLD | {"q1": 2}), "max-drop", "RR=0.1", "significant")
    assert (found.passed, found.reason.endswith(", and the 95 % interval excludes 0")) == (False, True)


def test_any_query_may_count() -> None:
    told = compared()
    found = verdict_of(told, "max-drop", "RR=0.1", "any")
    assert (found.passed, found.reason) == (False, "2 queries drop by more than 0.1000: q4 -0.5000, q6 -0.2500")
    found = verdict_of(told, "max-drop", "RR=0.25", "any")
    assert (found.passed, found.reason) == (False, "1 query drops by more than 0.2500: q4 -0.5000")
    found = verdict_of(told, "max-drop", "RR=60%", "any")  # of 5/6
    assert (found.passed, found.reason) == (True, "no query drops by more than 0.5000 (60 %)")


def test_noninferiority_is_what_the_interval_excludes() -> None:
    told = compared()
    low = told.differences[0].low
    assert low < -0.2
    found = verdict_of(told, "noninferior", "RR=0.2")
    assert (found.passed, found.reason) == (False, f"drop of up to {-low:.4f} > 0.2000 (95 % interval)")
    assert verdict_of(told, "noninferior", "RR=0.5").passed
    assert verdict_of(compared(OLD), "noninferior", "RR=0").passed


def test_one_query_leaves_nothing_to_be_sure_of() -> None:
    told = compared({"q1": 2}, {"q1": 1})
    assert verdict_of(told, "noninferior", "RR=1").reason == "the queries are too few to exclude any drop"
    assert not verdict_of(told, "noninferior", "RR=1").passed
    found = verdict_of(told, "max-drop", "RR=0.1", "significant")
    assert (found.passed, found.reason) == (True, "drop 0.5000 > 0.1000, but the 95 % interval includes 0")


def test_a_measure_is_found_by_any_of_its_names() -> None:
    told = rw.compare(QRELS, {"old": run_of(OLD), "new": run_of(NEW)}, ["nDCG@10", "RR"])
    assert verdict_of(told, "max-drop", "ndcg_cut_10=1").gate.measure == "nDCG@10"
    with pytest.raises(UsageError, match=r"AP is not there; there are nDCG@10 RR") as caught:
        verdict_of(told, "max-drop", "AP=1")
    assert (caught.value.slug, caught.value.remedy) == ("not-measured", "-m AP measures it")


def test_groups_have_gates_of_their_own() -> None:
    told = compared(by=LANGUAGE)
    [column] = told.slices
    found = against(told, [Gate("max-drop", "RR", 0.1, column=column), Gate("fail-under", "RR", 0.5, column=column)])
    assert [(one.group, one.passed, one.reason) for one in found] == [
        ("ar", False, "drop 0.1250 > 0.1000"),
        ("en", False, "drop 0.1250 > 0.1000"),
        ("ar", False, "0.3750 < 0.5000"),
        ("en", True, "0.8750 >= 0.5000"),
    ]
    assert [one.worst for one in found[:2]] == [(("q6", -0.25),), (("q4", -0.5),)]
    [found_in_one] = against(told, [Gate("max-drop", "RR", 0.3, column=column, group="ar")], "any")
    assert (found_in_one.passed, found_in_one.group) == (True, "ar")
    with pytest.raises(UsageError, match="has no fr; it has ar en"):
        against(told, [Gate("max-drop", "RR", 0.1, column=column, group="fr")])
    for kind in ("max-drop", "fail-under"):
        with pytest.raises(UsageError, match="nothing is told by country") as caught:
            against(told, read(kind, ["country:RR=0.1"]))  # type: ignore[arg-type]
        assert caught.value.remedy == "--queries FILE --by country"


def test_floors_are_not_for_the_baseline() -> None:
    told = rw.compare(QRELS, {"old": run_of(NEW), "new": run_of(OLD), "same": run_of(NEW)}, ["RR"])
    found = against(told, read("fail-under", ["RR=0.8"]))
    assert [(one.system, one.passed, one.values, one.reason) for one in found] == [
        ("new", True, "0.8333", "0.8333 >= 0.8000"),
        ("same", False, "0.7083", "0.7083 < 0.8000"),
    ]
    assert [one.system for one in against(told, read("fail-under", ["RR=0.8"]), systems=["new"])] == ["new"]
    every = rw.compare(QRELS, {"old": run_of(NEW), "new": run_of(OLD)}, ["RR"], all_pairs=True)
    assert [one.system for one in against(every, read("fail-under", ["RR=0.8"]))] == ["old", "new"]


def test_a_floor_that_has_no_value_fails() -> None:
    [found] = floors(read("fail-under", ["RR=-1"]), [("new", "", "", {"RR": float("nan")})], {"RR": "RR"})
    assert (found.passed, found.values, found.reason) == (False, "n/a", "there is no value")
    assert record(found)["now"] is None


def test_drops_take_a_baseline() -> None:
    with pytest.raises(UsageError, match="take a baseline") as caught:
        verdict_of(compared(all_pairs=True), "max-drop", "RR=1")
    assert caught.value.slug == "conflicting-options"


@pytest.mark.parametrize("missing", ["skip", "nan"])
@pytest.mark.parametrize("kind", ["max-drop", "noninferior", "fail-under"])
def test_a_run_that_answers_fewer_queries_never_passes_for_that_reason(missing: str, kind: Any) -> None:
    few = dict.fromkeys(list(OLD)[:3], 1)
    told = compared(few, OLD, missing=missing)
    with pytest.raises(InputError, match="different queries: old 6, new 3") as caught:
        verdict_of(told, kind, "RR=0.5")
    assert caught.value.slug == "changed-queries"
    assert verdict_of(compared(few, OLD), "max-drop", "RR=0.3").reason == "drop 0.3333 > 0.3000"  # 5/6 - 1/2


def test_lines_stand_in_columns_whatever_the_letters() -> None:
    rows = [{"qid": query, "text": "", "language": {"ar": "عربي"}.get(one, one)} for query, one in LANGUAGE.items()]
    told = compared(table=rows, by="language")
    found = against(told, [Gate("max-drop", "RR", 0.2), Gate("fail-under", "RR", 0.5, column="language")])
    assert lines(found) == [
        "ok    RR                new  0.8333 -> 0.7083  drop 0.1250 <= 0.2000",
        "ok    language=en:RR    new  0.8750            0.8750 >= 0.5000",
        "FAIL  language=عربي:RR  new  0.3750            0.3750 < 0.5000",
    ]
    assert headline(found) == "1 of 3 gates fails"
    assert headline(found[:2]) == "all 2 gates hold"
    assert headline(found[2:]) == "the gate fails"


def test_annotations_are_errors_and_notices_on_lines_of_their_own() -> None:
    told = rw.compare(QRELS, {"old": run_of(OLD), "a: 5 %, b\n": run_of(NEW)}, ["RR"])
    found = against(told, read("max-drop", ["RR=10%", "RR=0.2"]))
    losses = "%0Alargest losses: q4 -0.5000, q6 -0.2500"
    assert annotations(found).splitlines() == [
        f"::error title=max-drop RR of a%3A 5 %25%2C b%0A::FAIL: 0.8333 -> 0.7083, drop 15.00 %25 > 10.00 %25{losses}",
        "::notice title=max-drop RR of a%3A 5 %25%2C b%0A::ok: 0.8333 -> 0.7083, drop 0.1250 <= 0.2000",
    ]


def test_junit_has_a_case_for_each_gate() -> None:
    name = 'new <&"\x1b\ufffe>'
    told = rw.compare(QRELS, {"old": run_of(OLD), name: run_of(NEW)}, ["RR"])
    suites = ET.fromstring(junit(against(told, read("max-drop", ["RR=0.1", "RR=0.2"]))))  # noqa: S314 - our own
    assert suites.attrib == {"tests": "2", "failures": "1", "errors": "0"}
    first, second = suites.iter("testcase")
    assert first.attrib == {"classname": 'rankworth.new <&"\\x1b\\ufffe>', "name": "max-drop RR=0.1"}
    failure = first.find("failure")
    assert failure is not None
    assert failure.attrib["message"] == "drop 0.1250 > 0.1000"
    assert failure.text == "0.8333 -> 0.7083, drop 0.1250 > 0.1000\nlargest losses: q4 -0.5000, q6 -0.2500"
    assert list(second) == []


def test_verdicts_are_a_sheet_and_a_record() -> None:
    found = against(compared(), read("max-drop", ["RR=0.1"]))
    shown = render(sheet(found, ["what next"]), "md", Look())
    assert shown.startswith("**the gate fails**\n")
    assert "| FAIL | max-drop RR=0.1 | new | 0.8333 -\\> 0.7083 | drop 0.1250 \\> 0.1000 |\n\nwhat next\n" in shown
    told = json.loads(json.dumps(record(found[0]), allow_nan=False))
    assert {name: told[name] for name in ("gate", "measure", "limit", "system", "passed")} == {
        "gate": "max-drop",
        "measure": "RR",
        "limit": 0.1,
        "system": "new",
        "passed": False,
    }
    assert told["worst"] == [{"query": "q4", "difference": -0.5}, {"query": "q6", "difference": -0.25}]


def test_advice_says_where_to_look() -> None:
    found = against(compared(), read("max-drop", ["RR=0.1"]))
    files, options = {"": "my qrels.txt", "old": "old.run", "new": "new.run"}, {"RR": ["--depth", "5"]}
    losses = "largest losses of new by RR: q4 -0.5000, q6 -0.2500"
    assert advice(found, files, options, "old") == [
        losses,
        "  rankworth explain 'my qrels.txt' old.run new.run q4 -m RR --depth 5",
    ]
    assert advice(found, {"": "q", "new": "new.run"}, options, "old")[1:] == [
        "  rankworth explain q new.run q4 -m RR --depth 5"
    ]
    assert advice(found, {}, options, "old") == advice(found, files, {}, "old") == [losses]
    floor = against(compared(), read("fail-under", ["RR=0.9"]))
    assert advice(floor, files, options, "old") == [
        "  rankworth explain 'my qrels.txt' new.run --worst 3 -m RR --depth 5"
    ]
    assert advice(against(compared(), read("max-drop", ["RR=0.5"])), files, options, "old") == []


@pytest.mark.parametrize(
    ("kind", "text", "when", "headroom"),
    [
        ("max-drop", "RR=0.1", "mean", 0.225),  # the gain, 1/8, and the limit
        ("max-drop", "RR=0", "mean", 0.125),
        ("max-drop", "RR=0.124", "significant", 0.249),
        ("max-drop", "RR=10%", "mean", 0.125 + 0.1 * 17 / 24),
        ("max-drop", "RR=0.125", "mean", None),  # the gain is no more than the limit
        ("max-drop", "RR=18%", "mean", None),
        ("max-drop", "RR=0.1", "any", 0.125),  # as good as the baseline, no query drops
        ("noninferior", "RR=0.1", "mean", 0.125),
        ("max-drop", "given=en:RR=0.1", "mean", 0.225),
        ("fail-under", "RR=0.1", "mean", None),
    ],
)
def test_a_stored_baseline_that_has_fallen_behind_is_told(
    kind: Any, text: str, when: Any, headroom: float | None
) -> None:
    told = compared(OLD, NEW, by=LANGUAGE)
    [verdict] = against(told, read(kind, [text]), when, is_stored=True)
    assert (verdict.passed, verdict.headroom) == (True, None if headroom is None else pytest.approx(headroom))
    if headroom is not None:
        fact = f"the baseline is 0.1250 below new by {verdict.subject}: renew it, or a loss of {headroom:.4f} can pass"
        assert verdict.behind == fact
    else:
        assert (verdict.behind, verdict.note) == ("", "")
    [unstored] = against(told, read(kind, [text]), when)
    assert (unstored.headroom, unstored.note) == (None, "")


def test_the_loss_that_is_told_passes_and_a_greater_one_does_not() -> None:
    gate = read("max-drop", [f"RR={1 / 24!r}"])
    [verdict] = against(compared(OLD, NEW), gate, is_stored=True)
    assert verdict.headroom == pytest.approx(1 / 6)
    lost = OLD | {"q4": 2, "q5": 4, "q6": 4}  # 5/6 - 1/6
    assert compared(lost, OLD).differences[0].difference == pytest.approx(-1 / 6)
    assert verdict_of(compared(lost, NEW), "max-drop", f"RR={1 / 24!r}").passed
    assert not verdict_of(compared(lost | {"q6": 5}, NEW), "max-drop", f"RR={1 / 24!r}").passed


def test_no_loss_is_told_that_no_run_can_have() -> None:
    [verdict] = against(compared(OLD, dict.fromkeys(OLD, 8)), read("max-drop", ["RR=0.6"]), is_stored=True)
    assert verdict.headroom == pytest.approx(5 / 6)  # 17/24 and 0.6 are more than that


def test_a_rise_of_what_should_not_be_can_pass_too() -> None:
    runs = {"old": run_of(NEW), "new": run_of(OLD)}
    told = rw.compare({query: {"a": 1, "x1": 0, "x2": 0, "x3": 0} for query in OLD}, runs, ["FallOut@3"])
    [verdict] = against(told, read("max-drop", ["FallOut@3=0.01"]), is_stored=True)
    gain = told.means["old"]["FallOut@3"] - told.means["new"]["FallOut@3"]
    assert gain > 0
    assert verdict.behind == (
        f"the baseline is {gain:.4f} above new by FallOut@3: renew it, or a rise of {gain + 0.01:.4f} can pass"
    )


def test_a_run_that_fails_is_not_proposed_as_the_baseline_for_what_it_gains() -> None:
    told = compared(OLD, NEW, by=LANGUAGE)
    gates = [*read("max-drop", ["RR=0.1"]), *read("fail-under", ["given=ar:RR=0.9"])]
    verdicts = against(told, gates, is_stored=True)
    assert [(verdict.passed, verdict.note) for verdict in verdicts] == [(True, ""), (False, "")]


def test_notes_stand_in_every_form_with_the_command_that_renews() -> None:
    verdicts = against(compared(OLD, NEW), read("max-drop", ["RR=0.1", "RR=0.2"]), is_stored=True)
    stale, _ = verdicts = [replace(verdict, renewal="rankworth evaluate q 'a b.run'") for verdict in verdicts]
    fact = "the baseline is 0.1250 below new by RR: renew it, or a loss of 0.2250 can pass"
    command = "  rankworth evaluate q 'a b.run'"
    assert stale.note == f"{fact}   [stale-baseline]\n{command}"
    assert renewing(verdicts) == [f"{fact}   [stale-baseline]", command]
    text = f"ok: 0.7083 -> 0.8333, gains 0.1250%0A{fact}   [stale-baseline]%0A{command}"
    assert annotations(verdicts).splitlines() == [
        f"::warning title=max-drop RR of new::{text}",
        "::notice title=max-drop RR of new::ok: 0.7083 -> 0.8333, gains 0.1250",
    ]
    assert [
        (case.findtext("system-out"), case.find("failure"))
        for case in ET.fromstring(junit(verdicts)).iter("testcase")  # noqa: S314 - our own
    ] == [(stale.note, None), (None, None)]
    told = json.loads(json.dumps(record(stale), allow_nan=False))
    assert (told["headroom"], told["note"]) == (pytest.approx(0.225), stale.note)
    assert told["renewal"] == "rankworth evaluate q 'a b.run'"


def test_commands_of_several_systems_stand_below_what_they_are_for() -> None:
    runs = {
        "old": run_of(NEW),
        "one": run_of(OLD),
        "two": run_of(dict.fromkeys(OLD, 1)),
        "bad": run_of(dict.fromkeys(OLD, 9)),
    }
    told = rw.compare(QRELS, runs, ["RR"])
    verdicts = against(told, read("max-drop", ["RR=0.1", "RR=0.05"]), is_stored=True)
    lines = renewing([replace(verdict, renewal=f"keep {verdict.system}") for verdict in verdicts])
    assert [line.partition(" by ")[0] for line in lines] == [
        "if the loss is meant, keep the new values as the baseline:",
        "  keep bad",
        *["the baseline is 0.1250 below one"] * 2,
        "  keep one",
        *["the baseline is 0.2917 below two"] * 2,
        "  keep two",
    ]
