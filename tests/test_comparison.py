"""Comparisons, held to laws, to SciPy, to the statistics called by hand, and to arithmetic that is written out."""

import csv
import io
import json
import math
import re
import shlex
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, get_args

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

import rankworth as rw
from generators import as_options
from rankworth import cli, stats
from rankworth.comparison import Comparison, Difference, gates
from rankworth.comparison.result import letters
from rankworth.errors import RankworthError, RankworthWarning
from rankworth.groups import Slices
from rankworth.results import file
from rankworth.results.values import PerQuery, details
from rankworth.tables.look import Look
from rankworth.tables.show import render, show

MEASURES: Final = ("nDCG@5", "RR", "AP")
Grades = dict[str, dict[str, int]]
Scores = dict[str, dict[str, float]]
CORRECTED: Final = ("low", "high", "level", "adjusted", "word", "comparisons", "needed")
UNCORRECTED: Final = tuple(name for name in Difference._fields if name not in CORRECTED)


def collection(queries: int = 24, systems: int = 3, seed: int = 0) -> tuple[Grades, dict[str, Scores]]:
    """Give judgements, and systems that are better the later they come."""
    rng = np.random.default_rng(seed)
    qrels = {f"q{number:03}": {f"d{one}": int(rng.integers(0, 4)) for one in range(8)} for number in range(queries)}
    runs = {
        f"s{place}": {
            query: {name: float(grade * (place + 1) / 2 + rng.normal() * 2) for name, grade in grades.items()}
            for query, grades in qrels.items()
        }
        for place in range(systems)
    }
    return qrels, runs


QRELS, RUNS = collection()
PAIR: Final = {name: RUNS[name] for name in ("s0", "s2")}


def compare(*arguments: Any, **settings: Any) -> Comparison:
    """Compare with few resamples, and with no warnings, which stand in the comparison."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RankworthWarning)
        return rw.compare(*arguments, **as_options({"resamples": 999} | settings))


def evaluated(qrels: Any, run: Any, *arguments: Any, **settings: Any) -> rw.Values:
    """Evaluate without warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RankworthWarning)
        return rw.evaluate(qrels, run, *arguments, **as_options(settings))


def numbers(one: Difference) -> tuple[Any, ...]:
    """What a difference says before anything is corrected, NaN as None."""
    cells = (getattr(one, name) for name in UNCORRECTED)
    return tuple(None if isinstance(cell, float) and math.isnan(cell) else cell for cell in cells)


def refused(slug: str, call: Callable[[], object], *words: str) -> None:
    """Expect an error, and words in it."""
    with pytest.raises(RankworthError) as error:
        call()
    assert error.value.slug == slug
    assert [word for word in words if word not in str(error.value)] == []


# Laws


@pytest.mark.parametrize("test", stats.TESTS)
def test_the_other_way_round_everything_has_the_other_sign(test: str) -> None:
    there = compare(QRELS, PAIR, MEASURES, test=test)
    back = compare(QRELS, PAIR, MEASURES, test=test, baseline="s2")
    words = {"better": "worse", "worse": "better"}
    for one, other in zip(there.differences, back.differences, strict=True):
        assert (one.difference, one.dz, one.hedges) == (-other.difference, -other.dz, -other.hedges)
        assert (one.wins, one.ties, one.losses) == (other.losses, other.ties, other.wins)
        assert (one.first_mean, one.second_mean) == (other.second_mean, other.first_mean)
        assert (one.low, one.high) == pytest.approx((-other.high, -other.low), abs=1e-9)
        assert (one.p, one.adjusted, one.win) == pytest.approx((other.p, other.adjusted, 1 - other.win))
        assert words.get(one.word, one.word) == other.word
    assert {one.word for one in there.differences} >= {"better"}


def test_the_order_of_queries_measures_and_systems_changes_nothing() -> None:
    whole = compare(QRELS, RUNS, MEASURES, baseline="s0")
    qrels = dict(reversed(QRELS.items()))
    runs = {name: dict(reversed(RUNS[name].items())) for name in ("s2", "s0", "s1")}
    shuffled = compare(qrels, runs, MEASURES[::-1], baseline="s0")
    for one in whole.differences:
        assert shuffled.of(one.measure, one.second) == one


def test_names_of_systems_change_nothing_else() -> None:
    named = {"z": RUNS["s0"], "A b|": RUNS["s1"]}
    one, other = compare(QRELS, named, ["AP"]), compare(QRELS, {name: RUNS[name] for name in ("s0", "s1")}, ["AP"])
    [first], [second] = one.differences, other.differences
    assert first == second._replace(first="z", second="A b|")


def test_a_system_and_itself_do_not_differ() -> None:
    for test in stats.TESTS:
        for one in compare(QRELS, {"a": RUNS["s0"], "b": RUNS["s0"]}, MEASURES, test=test, margin=0.01).differences:
            assert (one.difference, one.low, one.high, one.dz, one.win) == (0.0, 0.0, 0.0, 0.0, 0.5)
            assert (one.p, one.adjusted, one.ties, one.word) == (1.0, 1.0, len(QRELS), "equivalent")
    [one] = compare(QRELS, {"a": RUNS["s0"], "b": RUNS["s0"]}, ["AP"]).differences
    assert one.word == "equal"


def test_one_more_measure_changes_no_uncorrected_number() -> None:
    few, many = compare(QRELS, RUNS, ["AP"]), compare(QRELS, RUNS, MEASURES)
    assert [numbers(one) for one in few.differences] == [numbers(many.of("AP", one.second)) for one in few.differences]
    assert all(one.adjusted <= many.of("AP", one.second).adjusted for one in few.differences)


def test_all_pairs_hold_what_a_baseline_holds() -> None:
    every, based = compare(QRELS, RUNS, MEASURES, all_pairs=True), compare(QRELS, RUNS, MEASURES)
    assert len(every.differences) == 3 * len(MEASURES)
    for one in based.differences:
        assert numbers(every.of(one.measure, one.second, one.first)) == numbers(one)


def test_the_same_seed_gives_the_same_numbers() -> None:
    first, again, other = (compare(QRELS, PAIR, MEASURES, seed=seed) for seed in (3, 3, 4))
    assert first.differences == again.differences
    assert first.differences != other.differences
    assert "seed 3" in first.method().text
    assert "seed 3" in repr(first)


# Agreement


def test_means_are_those_of_an_evaluation_to_the_last_bit() -> None:
    told = compare(QRELS, RUNS, MEASURES)
    for name, run in RUNS.items():
        assert told.means[name] == evaluated(QRELS, run, MEASURES).mean()
    for one in told.differences:
        assert one.first_mean == told.means[one.first][one.measure]
        assert one.second_mean == told.means[one.second][one.measure]
        assert one.difference == pytest.approx(one.second_mean - one.first_mean, abs=1e-15)


def test_weighted_and_macro_means_and_their_signatures_are_those_of_an_evaluation() -> None:
    weights = {query: 1.0 + place % 5 for place, query in enumerate(QRELS)}
    groups = {query: "abc"[place % 7 % 3] for place, query in enumerate(QRELS)}
    for settings in ({"weights": weights}, {"macro": groups}, {"weights": weights, "macro": groups}):
        told = compare(QRELS, PAIR, MEASURES, by=groups, **settings)
        for name, run in PAIR.items():
            values = evaluated(QRELS, run, MEASURES, by=groups, **settings)
            assert told.means[name] == values.mean()
            assert told.signatures == values.signatures
            for group, part in values.slices.items():
                assert told.group_means["given"][name][group] == part.mean()
        for one in told.differences:
            assert one.difference == pytest.approx(one.second_mean - one.first_mean, abs=1e-14)
            assert one.first_mean == told.means[one.first][one.measure]
        assert "weigh" in told.method().text


def test_macro_means_are_those_of_the_groups_where_a_query_has_no_value() -> None:
    qrels = {"q1": {"a": 1}, "q2": {"a": 1}, "q3": {"b": 0}, "q4": {"a": 1}}
    old = {"q1": {"a": 1.0}, "q2": {"b": 2.0, "a": 1.0}, "q3": {"b": 1.0}, "q4": {"c": 1.0}}
    new = {"q1": {"a": 1.0}, "q2": {"a": 1.0}, "q3": {"b": 1.0}, "q4": {"c": 1.0, "a": 0.5}}
    groups = {"q1": "A", "q2": "B", "q3": "A", "q4": "B"}
    told = compare(qrels, {"old": old, "new": new}, ["AP"], undefined="nan", macro=groups, bounds="ties", test="t")
    [one], [bound] = told.differences, told.bounds
    assert (one.first_mean, one.second_mean, one.difference) == (0.625, 0.875, 0.25)  # A: 1; B: 1/4 and 3/4
    assert told.means == {"old": {"AP": 0.625}, "new": {"AP": 0.875}}
    assert (bound.low, bound.high) == (0.25, 0.25)
    alone = {query: grades for query, grades in qrels.items() if query != "q3"}
    assert one == compare(alone, {"old": old, "new": new}, ["AP"], macro=groups, test="t").differences[0]


def test_queries_that_are_left_out_are_not_compared_as_those_of_stored_values_are_not() -> None:
    qrels = {"q0": {"a": 1}, "q1": {"a": 1}, "q2": {"a": 0}, "q3": {"a": 1}}
    runs = {"old": {query: {"a": 1.0} for query in qrels}, "new": {query: {"b": 2.0, "a": 1.0} for query in qrels}}
    told = compare(qrels, runs, ["AP"], undefined="skip")
    values = {name: evaluated(qrels, run, ["AP"], undefined="skip") for name, run in runs.items()}
    stored = compare(None, values, ["AP"])
    assert told.to_dict()["queries"] == stored.to_dict()["queries"] == 3
    assert told.signatures == stored.signatures == values["old"].signatures
    assert repr(told.differences) == repr(stored.differences)
    asked = compare(qrels, runs, ["AP", "Unjudged@10"], undefined="skip")
    assert asked.to_dict()["queries"] == 4
    runs = {"old": {"q0": ["a"], "q1": ["a"]}, "new": {"q0": ["a"], "q1": ["b", "a"], "q3": ["a"]}}
    assert compare(qrels, runs, ["RprecMult@2"], profile="trectools").to_dict()["queries"] == 2


@pytest.mark.parametrize(
    "settings",
    [{"missing": "absent", "undefined": "nan"}, {"divisor": "run"}, {"profile": "trectools"}],
    ids=str,
)
def test_a_query_without_a_value_is_the_same_in_a_results_file(tmp_path: Path, settings: dict[str, Any]) -> None:
    qrels = {"q0": {"a": 1}, "q1": {"a": 1}, "q2": {"a": 0}, "q3": {"a": 1}}
    old = {"q0": ["a"], "q2": ["a"], "q3": ["a"]}
    new = {"q0": ["b", "a"], "q1": ["a"], "q2": ["a"], "q3": ["a"]}
    measures = ["AP", "RprecMult@2"]
    for name, run in (("old", old), ("new", new)):
        evaluated(qrels, run, measures, **settings).save(tmp_path / f"{name}.json")
    told = compare(qrels, {"old": old, "new": new}, measures, **settings)
    stored = compare(None, {name: tmp_path / f"{name}.json" for name in ("old", "new")})
    assert repr(stored.differences) == repr(told.differences)
    assert repr(stored.means) == repr(told.means)


@pytest.mark.parametrize("profile", ["trec_eval-9.0.8-c", "trectools-0.0.50", "ir_measures-0.4", "trec_eval-10.0-c"])
def test_means_are_those_of_an_evaluation_where_a_profile_counts_unanswered_queries(profile: str) -> None:
    runs = {name: {query: run[query] for query in list(run)[5:]} for name, run in PAIR.items()}
    told = compare(QRELS, runs, ["AP"], profile=profile)
    for name, run in runs.items():
        assert told.means[name]["AP"] == evaluated(QRELS, run, ["AP"], profile=profile)["AP"]


def test_a_run_that_answers_less_is_no_better_for_that() -> None:
    best = sorted(QRELS, key=lambda query: -evaluated(QRELS, RUNS["s0"], ["AP"]).per_query.to_dict()[query]["AP"])
    half = {query: RUNS["s0"][query] for query in best[:12]}
    for profile in ("standard-1", "trec_eval-9.0.8-c"):
        told = compare(QRELS, {"all": RUNS["s0"], "half": half}, ["AP"], profile=profile)
        assert told.differences[0].losses == sum(told.queries("AP").worst(99)[place].second == 0 for place in range(12))
        assert told.differences[0].word == "worse"
        assert told.uneven == {}
        assert "many-unanswered" in dict(told.warnings)


def test_tests_agree_with_scipy() -> None:
    first, second = (np.array(evaluated(QRELS, run, MEASURES).per_query.array) for run in PAIR.values())
    t, wilcoxon = (compare(QRELS, PAIR, MEASURES, test=test, correction="none") for test in ("t", "wilcoxon"))
    for place, name in enumerate(MEASURES):
        each = second[:, place] - first[:, place]
        assert t.of(name, "s2").p == pytest.approx(
            scipy.stats.ttest_rel(second[:, place], first[:, place]).pvalue, rel=1e-12
        )
        ranked = np.round(each[np.abs(each) > 1e-12], 12)  # SciPy takes what rounding tells apart for different
        if name != "RR":  # which has few differences, all of them tied
            assert wilcoxon.of(name, "s2").p == pytest.approx(scipy.stats.wilcoxon(ranked).pvalue, rel=1e-9)
        sign = scipy.stats.binomtest(int((each > 0).sum()), int((each != 0).sum())).pvalue
        assert compare(QRELS, PAIR, [name], test="sign").differences[0].p == pytest.approx(sign, rel=1e-12)


def test_few_queries_are_tested_exactly_as_scipy_does() -> None:
    qrels, runs = collection(queries=9, systems=2, seed=5)
    first, second = (np.array(evaluated(qrels, run, ["AP"]).per_query.array)[:, 0] for run in runs.values())
    exact = scipy.stats.permutation_test(
        (first, second), lambda one, other: np.mean(one - other), permutation_type="samples", n_resamples=np.inf
    )
    [one] = compare(qrels, runs, ["AP"]).differences
    assert one.p == pytest.approx(exact.pvalue, rel=1e-12)
    assert "few-queries" in dict(compare(qrels, runs, ["AP"]).warnings)


def test_numbers_are_those_of_the_statistics_called_directly() -> None:
    weights = {query: 1.0 + place % 3 for place, query in enumerate(QRELS)}
    told = compare(QRELS, PAIR, MEASURES, margin=0.1, interval="t", weights=weights, correction="bh")
    test = stats.TESTS["randomization"]
    first, second = (np.array(evaluated(QRELS, run, MEASURES).per_query.array) for run in PAIR.values())
    each, counting = second - first, np.array(list(weights.values()))
    p = stats.randomization(each, counting, resamples=999).p
    bounds = stats.intervals(each, counting, method="t")
    effects = stats.effects(each, counting)
    adjusted = stats.adjusted(p, "bh")
    least = stats.minimal_detectable(stats.deviations(each, counting), len(QRELS))
    inner = test.intervals(each, counting, alpha=0.1, resamples=999)
    ends = test.intervals(each, counting, alpha=0.05 * p / adjusted, resamples=999)
    for place, one in enumerate(told.differences):
        assert (one.p, one.adjusted) == (p[place], adjusted[place])
        assert (one.low, one.high) == (ends.low[0, place], ends.high[0, place])
        assert (one.equivalence_low, one.equivalence_high) == (inner.low[0, place], inner.high[0, place])
        assert (one.estimate_low, one.estimate_high) == (bounds.low[place], bounds.high[place])
        assert (one.dz, one.hedges, one.win) == (effects.dz[place], effects.hedges[place], effects.win[place])
        assert one.detectable == pytest.approx(least[place], rel=1e-12)
        assert (one.word == "equivalent") == (one.equivalence_low > -0.1 and one.equivalence_high < 0.1)


def test_several_systems_at_once() -> None:
    tables = np.array([evaluated(QRELS, run, MEASURES).per_query.array for run in RUNS.values()])
    tukey = compare(QRELS, RUNS, MEASURES, all_pairs=True, test="tukey")
    randomized = compare(QRELS, RUNS, MEASURES, all_pairs=True, test="randomized-tukey")
    shuffled = stats.randomized_tukey(tables.transpose(1, 0, 2), resamples=999).p
    for place, name in enumerate(MEASURES):
        expected = stats.tukey_hsd(tables[:, :, place].T).p
        assert tukey.of(name, "s2", "s1").adjusted == expected[1, 2]
        assert randomized.of(name, "s2", "s1").p == shuffled[place, 1, 2]
        assert tukey.anova()[name].p == stats.anova(tables[:, :, place].T).p
    assert "Tukey" in repr(tukey)
    assert "p none" not in repr(tukey)
    assert re.search(r"\\cite\{tukey1949\}", tukey.method().text)


def test_a_tiny_example_by_hand() -> None:
    qrels = {f"q{place}": {"a": 1} for place in range(4)}
    old = {query: ["b", "a"] for query in qrels}  # RR 1/2 each
    new = {"q0": ["a"], "q1": ["a"], "q2": ["b", "a"], "q3": ["b", "c", "a"]}  # 1, 1, 1/2, 1/3
    told = compare(qrels, {"old": old, "new": new}, ["RR"], test="t", interval="t")
    [one] = told.differences
    differences = [1 / 2, 1 / 2, 0, 1 / 3 - 1 / 2]
    mean = sum(differences) / 4
    deviation = math.sqrt(sum((each - mean) ** 2 for each in differences) / 3)
    assert (one.first_mean, one.second_mean) == pytest.approx((1 / 2, 17 / 24))
    assert one.difference == pytest.approx(5 / 24)
    assert one.dz == pytest.approx(mean / deviation)
    assert (one.wins, one.ties, one.losses, one.queries, one.win) == (2, 1, 1, 4, (2 + 1 / 2) / 4)
    assert one.p == pytest.approx(2 * scipy.stats.t.sf(mean / deviation * 2, 3))
    assert one.high - one.low == pytest.approx(2 * scipy.stats.t.ppf(0.975, 3) * deviation / 2)
    assert [row.query for row in told.queries("RR").best()] == ["q0", "q1"]
    assert told.queries("RR").worst() == [("q3", 1 / 2, 1 / 3, 1 / 3 - 1 / 2)]
    assert told.wins("RR") == {"new": (2, 1, 1)}
    assert told.tests == {"RR": {"new": one.adjusted}}
    assert [row.query for row in told.queries("RR")] == sorted(qrels)
    assert told.queries("RR")[1:2] == [told.queries("RR")[1]] == [("q1", 1 / 2, 1.0, 1 / 2)]


# Measures of which lower is better


def test_where_lower_is_better_the_word_and_the_wins_say_so() -> None:
    measure = rw.parse("FallOut@3")
    told = compare(QRELS, PAIR, [measure], all_pairs=True)
    [one] = told.differences
    assert measure.definition.better == "lower"
    assert (one.difference < 0, one.word, one.dz > 0, one.wins > one.losses) == (True, "better", True, True)
    assert all(row.difference > 0 for row in told.queries(one.measure).worst())
    assert all(row.difference < 0 for row in told.queries(one.measure).best())
    means = told.sheets()[0].columns[1] if len(told.sheets()) > 1 else None
    assert means is None
    several = compare(QRELS, RUNS, [measure], all_pairs=True)
    column = several.sheets()[0].columns[-1]
    assert (column.best, "a" in column.marks[2]) == ("lowest", True)


def test_a_test_of_signs_and_a_mean_that_disagree_are_unclear() -> None:
    qrels = {f"q{place:02}": {"a": 1} for place in range(20)}
    old = {query: ["b", "c", "d", "e", "a"] for query in qrels}  # RR 1/5
    new = {query: ["b", "c", "d", "e", "f", "a"][5 * (query > "q16") :] for query in qrels}  # 1/6, and 1 three times
    [one] = compare(qrels, {"old": old, "new": new}, ["RR"], test="sign").differences
    assert (one.p < 0.05, one.difference > 0, one.losses, one.word) == (True, True, 17, "unclear")


# Values that are missing


def test_systems_that_answer_other_queries_are_uneven() -> None:
    short = {query: RUNS["s2"][query] for query in list(QRELS)[4:]}
    told = compare(QRELS, {"all": RUNS["s0"], "short": short}, ["AP"], missing="skip")
    assert told.uneven == {"all": 24, "short": 20}
    assert told.differences[0].queries == 20
    assert "24" in told.notes[0]
    assert compare(QRELS, {"all": RUNS["s0"], "short": short}, ["AP"]).uneven == {}
    first, second = (QRELS, RUNS["s0"]), ({"x": QRELS["q000"]}, {"x": RUNS["s0"]["q000"]})
    refused(
        "no-common-queries",
        lambda: compare(None, {"a": evaluated(*first, ["AP"]), "b": evaluated(*second, ["AP"])}),
    )


def test_settings_that_leave_no_query_are_refused() -> None:
    runs = {"one": {"q": {"a": 1.0}}, "two": {"q": {"b": 1.0}}}
    refused("no-common-queries", lambda: rw.compare({"q": {"a": 0}}, runs, ["RR"], no_relevant="skip"))


def test_values_that_are_undefined_are_left_out_by_pair_and_measure() -> None:
    qrels = QRELS | {"q000": {"d0": 0}, "q001": {"d0": 0}}
    told = compare(qrels, PAIR, ["R@5", "P@5"], undefined="nan")
    assert [(one.measure, one.queries) for one in told.differences] == [("R@5", 22), ("P@5", 24)]
    assert told.uneven == {}
    assert any(note.startswith("R@5: 22 of 24 queries") for note in told.notes)
    assert len(told.queries("R@5")) == 22
    rest = compare(qrels, PAIR, ["R@5"], queries=list(QRELS)[2:])
    assert told.of("R@5", "s2").difference == pytest.approx(rest.of("R@5", "s2").difference)
    void = compare({"q": {"a": 0}}, {"a": {"q": ["a"]}, "b": {"q": ["a"]}}, ["R"], undefined="nan")
    [one] = void.differences
    assert (one.queries, one.word, math.isnan(one.p), math.isnan(one.difference)) == (0, "too few", True, True)
    json.dumps(void.to_dict(), allow_nan=False)
    assert "n/a" in repr(void)


def test_values_for_other_queries_by_one_measure_are_uneven() -> None:
    runs = {"a": RUNS["s0"], "b": RUNS["s2"] | {"q003": {"nothing": 1.0}}}
    told = compare(QRELS, runs, ["AP", "RR"], no_hit="nan")
    assert told.uneven == {"a": 24, "b": 23}


# Several runs of one system


def test_folds_are_joined() -> None:
    odd, even = ({query: RUNS["s2"][query] for query in list(QRELS)[start::2]} for start in (0, 1))
    whole, parts = compare(QRELS, PAIR, MEASURES), compare(QRELS, {"s0": RUNS["s0"], "s2": [odd, even]}, MEASURES)
    assert parts.differences == whole.differences
    assert "s2: 2 folds joined, as their queries differ" in parts.notes
    assert "many-unanswered" not in dict(parts.warnings)
    values = [evaluated(QRELS, run, MEASURES) for run in (odd, even)]
    assert compare(QRELS, {"s0": RUNS["s0"], "s2": values}, MEASURES).differences == whole.differences


def test_stored_folds_are_joined(tmp_path: Path) -> None:
    odd, even = ({query: RUNS["s2"][query] for query in list(QRELS)[start::2]} for start in (0, 1))
    for way in ("zero", "skip"):
        files = []
        for place, run in enumerate((odd, even)):
            files.append(str(tmp_path / f"{way}{place}.json"))
            evaluated(QRELS, run, MEASURES, missing=way).save(files[-1])
        base, whole = (evaluated(QRELS, RUNS[name], MEASURES, missing=way) for name in ("s0", "s2"))
        parts = compare(None, {"s0": base, "s2": files}, MEASURES)
        assert parts.differences == compare(None, {"s0": base, "s2": whole}, MEASURES).differences


def test_seeds_are_averaged_for_each_query_first() -> None:
    told = compare(QRELS, {"s0": RUNS["s0"], "both": [RUNS["s1"], RUNS["s2"]]}, ["AP"])
    one, two = (evaluated(QRELS, RUNS[name], ["AP"]).per_query.array[:, 0] for name in ("s1", "s2"))
    assert [row.second for row in told.queries("AP")] == ((one + two) / 2).tolist()
    assert "both: 2 seeds averaged for each query first" in told.notes
    assert "2 seeds" in told.method().text


def test_runs_that_are_neither_folds_nor_seeds_are_refused() -> None:
    some = {query: RUNS["s1"][query] for query in list(QRELS)[:10]}
    more = {query: RUNS["s2"][query] for query in list(QRELS)[5:]}
    refused(
        "not-comparable",
        lambda: compare(QRELS, {"s0": RUNS["s0"], "x": [some, more]}, ["AP"], missing="skip"),
        "neither folds nor repetitions",
    )
    mixed = [evaluated(QRELS, RUNS["s1"], ["AP"]), evaluated(QRELS, RUNS["s2"], ["AP"], depth=3)]
    refused("not-comparable", lambda: compare(None, {"s0": mixed[0], "x": mixed}, ["AP"]), "depth")


# Results files


def stored(folder: Path, name: str, *arguments: Any, **settings: Any) -> str:
    """Evaluate, and keep the values in a file."""
    path = str(folder / name)
    evaluated(*arguments, **settings).save(path)
    return path


@pytest.mark.parametrize("suffix", ["json", "parquet"])
def test_results_files_and_runs_give_the_same_numbers(tmp_path: Path, suffix: str) -> None:
    files = {name: stored(tmp_path, f"{name}.{suffix}", QRELS, run, MEASURES) for name, run in PAIR.items()}
    runs = compare(QRELS, PAIR, MEASURES)
    values = {name: evaluated(QRELS, run, MEASURES) for name, run in PAIR.items()}
    for systems in (files, {"s0": files["s0"], "s2": PAIR["s2"]}, values, {"s0": values["s0"], "s2": files["s2"]}):
        told = compare(QRELS, systems)
        assert told.measures == MEASURES
        assert told.differences == runs.differences
        assert told.signatures == runs.signatures
    assert compare(None, files).differences == runs.differences
    results = {name: next(iter(rw.load(file).values())) for name, file in files.items()}
    assert compare(None, results, MEASURES).differences == runs.differences


def test_a_file_of_several_runs_gives_all_of_them(tmp_path: Path) -> None:
    path = str(tmp_path / "all.json")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RankworthWarning)
        values = rw.evaluate_runs(QRELS, RUNS, MEASURES)
    values.save(path)
    assert compare(None, [path]).differences == compare(QRELS, RUNS, MEASURES).differences
    assert compare(None, values, MEASURES).systems == ("s0", "s1", "s2")
    refused("run-names", lambda: compare(None, [path, path]), "s0")


def test_queries_are_chosen_of_stored_values_too(tmp_path: Path) -> None:
    chosen = list(QRELS)[::3]
    runs = compare(QRELS, PAIR, MEASURES, queries=chosen)
    files = {name: stored(tmp_path, f"{name}.json", QRELS, run, MEASURES) for name, run in PAIR.items()}
    for qrels in (QRELS, None):
        told = compare(qrels, files, MEASURES, queries=iter(chosen))
        assert told.differences == runs.differences
        assert told.signatures == runs.signatures
    refused("no-common-queries", lambda: compare(None, files, MEASURES, queries=["other"]))


def test_counts_and_what_no_other_has_are_left_out_where_nobody_asked(tmp_path: Path) -> None:
    first = stored(tmp_path, "a.json", QRELS, PAIR["s0"], ["NumRel", "gmean(AP)", "AP", "P@1"])
    second = stored(tmp_path, "b.json", QRELS, PAIR["s2"], ["NumRel", "gmean(AP)", "AP"])
    assert compare(None, {"a": first, "b": second}).measures == ("AP",)
    assert compare(QRELS, {"a": first, "b": PAIR["s2"]}).measures == ("AP", "P@1")
    refused("not-measured", lambda: compare(None, {"a": first, "b": second}, ["P@1"]), "b", "P@1")
    refused("measure-syntax", lambda: compare(None, {"a": first, "b": second}, ["NumRel"]), "add up")
    refused("measure-syntax", lambda: compare(None, {"a": first, "b": second}, ["gmean(AP)"]), "AP")
    only = stored(tmp_path, "c.json", QRELS, PAIR["s2"], ["RR"])
    refused("not-measured", lambda: compare(None, {"a": first, "c": only}), "no measure")


def test_measures_are_found_by_any_of_their_names(tmp_path: Path) -> None:
    profile = "trec_eval-10.0-c"
    files = {
        name: stored(tmp_path, f"{name}.json", QRELS, run, ["ndcg_cut_5", "map"], profile=profile)
        for name, run in PAIR.items()
    }
    assert compare(None, files).measures == ("ndcg_cut_5", "map")
    told = compare(None, files, ["nDCG@5", "AP"], margin={"map": 0.5})
    assert told.measures == ("nDCG@5", "AP")
    assert dict(told.plan.margins) == {"AP": 0.5}
    assert told.wins("ndcg_cut_5") == told.wins("nDCG@5")
    assert told.of("map", "s2") == told.of("AP", "s2")
    mixed = compare(QRELS, {"s0": files["s0"], "s2": PAIR["s2"]}, profile=profile)
    assert mixed.measures == ("ndcg_cut_5", "map")
    assert mixed.means == compare(None, files).means


def test_a_measure_that_is_not_known_here_is_compared_and_said(tmp_path: Path) -> None:
    paths = []
    for name, run in PAIR.items():
        path = Path(stored(tmp_path, f"{name}.json", QRELS, run, ["AP"]))
        told = json.loads(path.read_text().replace('"AP"', '"Mine"').replace("AP|profile", "Mine|profile"))
        path.write_text(json.dumps(told | {"digest": file.digest(told)}))
        paths.append(str(path))
    told = compare(None, dict(zip(PAIR, paths, strict=True)))
    assert told.measures == ("Mine",)
    assert any("Mine is no measure that is known here" in note for note in told.notes)


def test_other_profiles_are_refused_with_what_differs(tmp_path: Path) -> None:
    first = stored(tmp_path, "a.json", QRELS, PAIR["s0"], ["AP"])
    second = stored(tmp_path, "b.json", QRELS, PAIR["s2"], ["AP"], depth=3)
    refused("not-comparable", lambda: compare(None, {"a": first, "b": second}), "AP of a and b", "depth is", "3")
    other = stored(tmp_path, "c.json", QRELS, PAIR["s2"], ["AP"], ties="given")
    refused("not-comparable", lambda: compare(QRELS, {"a": other, "b": PAIR["s2"]}, ["AP"]), "ties is given")


def test_how_means_are_shown_does_not_matter(tmp_path: Path) -> None:
    first = stored(tmp_path, "a.json", QRELS, PAIR["s0"], ["AP"], round_means=2)
    told = compare(QRELS, {"s0": first, "s2": PAIR["s2"]}, ["AP"])
    assert told.differences == compare(QRELS, PAIR, ["AP"]).differences
    assert "round_means" not in told.signatures["AP"]


def test_unequal_weights_are_refused_and_equal_ones_travel_with_values(tmp_path: Path) -> None:
    weights = dict.fromkeys(list(QRELS)[:3], 2.0) | dict.fromkeys(list(QRELS)[3:], 1.0)
    groups = {query: "ab"[number % 2] for number, query in enumerate(QRELS)}
    first = stored(tmp_path, "a.json", QRELS, PAIR["s0"], ["AP"], weights=weights, macro=groups)
    systems = {"s0": first, "s2": PAIR["s2"]}
    refused("not-comparable", lambda: compare(QRELS, systems, ["AP"]), "weights is given-", "macro is given-", "none")
    for edited in ({"weights": weights | {"q000": 3.0}, "macro": groups}, {"weights": weights}):
        refused("not-comparable", lambda edited=edited: compare(QRELS, systems, ["AP"], **edited), "given-")
    live = compare(QRELS, PAIR, ["AP"], weights=weights, macro=groups)
    assert live.means["s0"]["AP"] == evaluated(QRELS, PAIR["s0"], ["AP"], weights=weights, macro=groups)["AP"]
    further = {"zzz": 7.0}  # of no query that is compared
    renamed = {query: f"{group}!" for query, group in groups.items()}
    for equal in ({"weights": weights, "macro": groups}, {"weights": weights | further, "macro": renamed}):
        assert compare(QRELS, systems, ["AP"], **equal).differences == live.differences
    unweighted = stored(tmp_path, "b.json", QRELS, PAIR["s0"], ["AP"])
    told = compare(QRELS, systems | {"s0": unweighted}, ["AP"], weights=weights, macro=groups)
    assert told.differences == live.differences
    assert told.signatures == live.signatures


def test_changed_judgements_are_refused_unless_accepted(tmp_path: Path) -> None:
    first = stored(tmp_path, "a.json", QRELS, PAIR["s0"], ["AP"])
    values = evaluated(QRELS, PAIR["s0"], ["AP"])
    qrels = QRELS | {"q000": QRELS["q000"] | {"new": 1}, "zzz": {"d0": 1}}
    for source in (first, values):
        systems = {"s0": source, "s2": PAIR["s2"]}
        refused("changed-judgements", lambda systems=systems: compare(qrels, systems, ["AP"]), "1 quer")
        told = compare(qrels, systems, ["AP"], accept_new_qrels=True)
        assert len(told.scores.queries) == 24
        assert any("accepted, over common queries" in note for note in told.notes)
        assert told.uneven == {}  # what is judged since then is nobody's fault
        short = PAIR["s2"] | {"q005": {}}
        del short["q005"]
        told = compare(qrels, systems | {"s2": short}, ["AP"], accept_new_qrels=True, missing="zero")
        assert told.uneven == {}
    second = stored(tmp_path, "b.json", qrels, PAIR["s2"], ["AP"])
    refused("changed-judgements", lambda: compare(None, {"a": first, "b": second}), "other judgements")
    assert compare(None, {"a": first, "b": second}, accept_new_qrels=True).differences[0].queries == 24


# Refusals


@pytest.mark.parametrize(
    ("slug", "runs", "settings"),
    [
        ("conflicting-options", {"a": RUNS["s0"]}, {}),
        ("conflicting-options", {}, {}),
        ("conflicting-options", PAIR, {"all_pairs": True, "baseline": "s0"}),
        ("conflicting-options", PAIR, {"test": "wilcoxon", "weights": dict.fromkeys(QRELS, 2.0)}),
        ("conflicting-options", PAIR, {"test": "tukey", "weights": dict.fromkeys(QRELS, 2.0)}),
        ("not-measured", PAIR, {"baseline": "s1"}),
        ("not-measured", PAIR, {"margin": {"P@1": 0.1}}),
        ("unknown-setting", PAIR, {"test": "anova"}),
        ("unknown-setting", PAIR, {"correction": "fdr"}),
        ("unknown-setting", PAIR, {"interval": "normal"}),
        ("unknown-setting", PAIR, {"level": 1.0}),
        ("unknown-setting", PAIR, {"margin": 0}),
        ("unknown-setting", PAIR, {"margin": math.nan}),
        ("unknown-setting", PAIR, {"effect": -1}),
        ("unknown-setting", PAIR, {"resamples": 0}),
        ("unknown-setting", PAIR, {"seed": -1}),
        ("unknown-measure", PAIR, {"measures": ["nDGC"]}),
        ("measure-syntax", PAIR, {"measures": ["gmean(AP)"]}),
        ("measure-syntax", PAIR, {"measures": ["official"], "profile": "trec_eval-10.0-c"}),
        ("input-type", "a.run", {}),
        ("input-type", 3, {}),
        ("run-names", [RUNS["s0"], RUNS["s1"]], {}),
        ("missing-value", PAIR, {"weights": {"q000": 1.0}}),
        ("bad-weight", PAIR, {"weights": dict.fromkeys(QRELS, 0.0)}),
        ("bad-weight", PAIR, {"weights": dict.fromkeys(QRELS, -1.0)}),
        ("missing-value", PAIR, {"macro": {"q000": "a"}}),
        ("missing-value", PAIR, {"by": {"other": "a"}}),
        ("unknown-setting", PAIR, {"by": "language"}),
        ("missing-file", {"a": "absent.run", "b": RUNS["s0"]}, {}),
    ],
)
def test_what_cannot_be_compared_is_refused(slug: str, runs: Any, settings: Mapping[str, Any]) -> None:
    refused(slug, lambda: compare(QRELS, runs, **({"measures": ["AP"]} | settings)))


def test_what_is_not_there_is_refused_with_what_is() -> None:
    told = compare(QRELS, RUNS, ["AP"])
    refused("not-measured", lambda: told.wins("P@1"), "AP")
    refused("not-measured", lambda: told.queries("AP", "x"), "s1")
    refused("not-measured", lambda: told.of("AP", "s2", "s1"), "s2 - s0")
    refused("conflicting-options", lambda: compare(None, PAIR, ["AP"]), "there are no judgements")


# What is said


def test_warnings_of_a_comparison() -> None:
    qrels = {f"q{place:02}": {"a": 1, "b": 0} for place in range(12)}
    judged = {query: {"a": 2.0, "b": 1.0} for query in qrels}
    others = {query: {"a": 2.0, "x": 1.0, "y": 0.5} for query in qrels}
    tied = {query: {"a": 1.0, "b": 1.0} for query in qrels}
    short = {query: judged[query] for query in list(qrels)[1:]}
    told = {
        name: dict(compare(qrels, {"judged": judged, name: run}, ["RR", "P@5"], **settings).warnings)
        for name, run, settings in (
            ("judged2", judged, {}),
            ("others", others, {}),
            ("tied", tied, {}),
            ("short", short, {"effect": 0.01}),
        )
    }
    assert told["judged2"] == {}
    assert "the comparison favours judged" in told["others"]["one-sided-judgements"]
    assert told["tied"]["many-ties"] == (
        "tied has tied judged documents in 12 of 12 queries, so values depend on the tie-breaking rule: "
        "RR is 0.5000 with ties=id-descending and 1.0000 with ties=id-ascending"
    )
    many = dict(compare(qrels, {"judged": judged} | {f"tied{place}": tied for place in range(10)}, ["RR"]).warnings)
    assert many["many-ties"] == "the tie-breaking rule decides on values of tied8, tied9, too"
    assert "no results: short for 1 query" in told["short"]["many-unanswered"]
    assert "too few for a difference of 0.01" in told["short"]["few-queries"]
    assert "effect" not in told["others"]
    harsh = compare(qrels, {"a": judged, "b": tied}, ["P(rel=5)@1"])
    assert "nothing-relevant" in dict(harsh.warnings)


def test_one_query_is_little_and_said_as_one() -> None:
    for test in get_args(stats.TestName):
        told = compare({"q": {"a": 1}}, {"x": {"q": ["b", "a"]}, "y": {"q": ["a"]}}, ["RR"], test=test)
        assert told.differences[0].word == "too few"
        assert "over 1 query" in repr(told)
        assert dict(told.warnings)["few-queries"].startswith("1 query is few")
        json.dumps(told.to_dict(), allow_nan=False)


def test_letters_go_on_after_z() -> None:
    names = letters(26 + 26 * 26 + 1)
    assert names[:2] + names[25:29] + names[-2:] == ["a", "b", "z", "aa", "ab", "ac", "zz", "aaa"]
    assert len(set(names)) == len(names)


def test_many_systems_have_letters_and_no_rows_of_pairs() -> None:
    qrels, runs = collection(queries=10, systems=28)
    told = compare(qrels, runs, ["AP"], all_pairs=True, by=dict.fromkeys(qrels, "x"), correction="none")
    [sheet] = told.sheets()
    assert sheet.columns[0].values[-1] == "ab"
    last = set(sheet.columns[-1].marks[-1].split())
    assert last == {
        letters(28)[told.systems.index(one.first)]
        for one in told.differences
        if one.second == "s27" and one.word == "better"
    }
    assert any("378 pairs" in note for note in sheet.notes)
    assert any("randomization" in note for note in sheet.notes)
    assert sheet.comment
    assert len(told.flat().rows()) == 2 * 378
    few = compare(qrels, dict(list(runs.items())[:3]), ["AP"], all_pairs=True)
    assert [len(sheet.columns[0].values) for sheet in few.sheets()] == [3, 3]


def test_daggers_and_bold_and_underlined() -> None:
    told = compare(QRELS, RUNS, ["AP"], baseline="s0")
    assert list(told.sheets()[0].columns[1].marks) == [
        {"better": "†", "worse": "‡"}.get(told.of("AP", name).word, "") if name != "s0" else "" for name in told.systems
    ]
    text = told.to_latex()
    best, second = (f"{value:.4f}" for value in sorted((one["AP"] for one in told.means.values()), reverse=True)[:2])
    assert rf"\textbf{{{best}}}\textsuperscript{{\textdagger{{}}}}" in text
    assert rf"\underline{{{second}}}" in text
    assert r"\toprule" in text
    assert "† better, ‡ worse than s0 (p holm < 0.05)" in repr(told)


def test_a_table_in_latex_has_its_legend_marks_of_worse_systems_caption_and_label() -> None:
    told = compare(QRELS, RUNS, ["AP"], baseline="s2")
    text = told.to_latex(caption="50 % & more", label="tab:systems")
    worse = sum(one.word == "worse" for one in told.differences)
    assert text.count(r"\textsuperscript{\textdaggerdbl{}}") == worse > 0
    assert r"\multicolumn{2}{l}{\footnotesize \textdagger{} better, \textdaggerdbl{} worse than s2" in text
    first, second = text.split(r"\end{table}")[:2]
    assert r"\caption{50 \% \& more}" in first
    assert r"\label{tab:systems}" in first
    assert r"\caption{differences to s2}" in second
    assert r"\label{tab:systems-2}" in second
    assert r"\begin{table}" not in compare(QRELS, RUNS, ["AP"]).to_latex()


def test_it_is_said_for_how_many_comparisons_intervals_are_corrected() -> None:
    several, two = compare(QRELS, RUNS, ["AP"]), compare(QRELS, dict([*RUNS.items()][:2]), ["AP"])
    inverted = "95 % intervals: what the test does not reject"
    assert f"{inverted}, corrected for 2 comparisons;" in repr(several).replace("\n", " ")
    assert f"{inverted};" in repr(two).replace("\n", " ")


@pytest.mark.parametrize("kind", ["bca", "percentile", "t"])
def test_other_intervals_stand_beside_that_of_the_test_and_do_not_decide(kind: str) -> None:
    usual, told = compare(QRELS, RUNS, ["AP"]), compare(QRELS, RUNS, ["AP"], interval=kind)
    without = [one._replace(estimate_low=math.nan, estimate_high=math.nan) for one in told.differences]
    assert without == list(usual.differences)
    assert all(one.estimate_low < one.difference < one.estimate_high for one in told.differences)
    title = {"bca": "BCa bootstrap", "percentile": "percentile bootstrap", "t": "t"}[kind]
    assert f"{title} (estimate)" in [column.name for column in told.sheets()[-1].columns]
    assert f"{title} (estimate)" not in repr(usual)


def test_queries_that_gain_and_lose_most_are_named_with_their_texts() -> None:
    table = [{"query": query, "text": f"text of {query}"} for query in QRELS]
    told = compare(QRELS, RUNS, ["AP"], baseline="s2", table=table)
    text = repr(told).replace("\n", " ")
    for word, rows in (("losses", told.queries("AP", "s0").worst(3)), ("gains", told.queries("AP", "s0").best(3))):
        for row in rows:
            assert f"{row.query} {row.difference:+.4f} (text of {row.query})" in text, word


def test_all_forms_hold_the_same_numbers() -> None:
    told = compare(QRELS, RUNS, MEASURES, by=dict.fromkeys(QRELS, "x") | {"q000": "y", "q001": "y"})
    rows = told.flat().rows()
    assert len(rows) == len(told.differences) * 3
    assert list(rows[0]) == [*Difference._fields, "by"]
    frame = told.to_frame()
    assert frame.columns == list(rows[0])
    assert frame["difference"].to_list() == [row["difference"] for row in rows]
    assert told.to_frame("pandas")["wins"].tolist() == [row["wins"] for row in rows]
    table = list(csv.DictReader(io.StringIO(render(told.flat(), "csv", Look()))))
    assert [float(row["difference"]) for row in table] == [row["difference"] for row in rows]
    assert [row["wins"] for row in table] == [str(row["wins"]) for row in rows]
    for form in ("table", "md", "latex", "html"):
        shown = show(told.sheets(), form, Look())
        assert all(f"{abs(one.difference):.4f}" in shown for one in told.differences)
        assert told.signatures["AP"].partition("|")[2].partition("|rank")[0] in shown.replace("\\", "")
    assert told._repr_html_().count("<table") == len(told.sheets()) == 4  # a table of groups for each pair
    queries = told.queries("AP", "s2").to_frame()
    assert queries.columns == ["query", "first", "second", "difference"]
    assert len(queries) == 24


def test_json_holds_all_in_full_precision() -> None:
    told = compare(QRELS, RUNS, MEASURES, margin=0.05, by=dict.fromkeys(QRELS, "x"))
    kept = json.loads(json.dumps(told.to_dict(), allow_nan=False))
    assert kept["schema"] == "rankworth.comparison/1"
    assert kept["means"] == told.means
    cells = [[None if cell != cell else cell for cell in one] for one in told.differences]  # noqa: PLR0124 - NaN test
    assert [[*row.values()] for row in kept["differences"]] == cells
    assert kept["worst"]["s1 - s0"]["AP"] == [row._asdict() for row in told.queries("AP", "s1").worst()]
    assert kept["margins"] == dict.fromkeys(MEASURES, 0.05)
    assert list(kept["slices"]) == ["given"]
    assert {"baseline", "systems", "measures", "signatures", "queries", "uneven", "test", "correction", "level"} < {
        *kept
    }
    assert {"interval", "resamples", "seed", "notes", "warnings", "method"} < {*kept}
    constant = {"a": {"q": ["b", "a"], "r": ["b", "a"]}, "b": {"q": ["a"], "r": ["a"]}}
    same = compare({"q": {"a": 1}, "r": {"a": 1}}, constant, ["RR"])
    assert same.differences[0].dz == math.inf
    assert json.loads(json.dumps(same.to_dict(), allow_nan=False))["differences"][0]["dz"] is None
    assert compare(QRELS, PAIR, ["AP"], test="t", interval="t").to_dict()["resamples"] == 0


def test_the_method_cites_what_it_used_and_nothing_else() -> None:
    for settings in (
        {},
        {"test": "t", "correction": "none", "interval": "t"},
        {"test": "wilcoxon", "correction": "bh", "interval": "percentile"},
        {"test": "sign", "correction": "by", "margin": 0.1},
        {"test": "bootstrap", "correction": "bonferroni"},
        {"test": "tukey"},
        {"test": "randomized-tukey"},
    ):
        method = compare(QRELS, PAIR, ["AP"], **settings).method()
        cited = re.findall(r"\\cite\{(\w+)\}", method.text)
        assert cited
        assert sorted(set(cited)) == sorted(re.findall(r"^@\w+\{(\w+),", method.bibtex, re.MULTILINE))
        assert ("schuirmann1987" in cited) == ("margin" in settings)
        assert "  " not in method.text
        assert not re.search(r"(?<!\\)[%&#_]", method.text)
        assert "24 queries" in method.text


def test_p_values_are_called_corrected_where_there_are_several() -> None:
    for measures, title, said in ((["AP"], "p", False), (MEASURES, "p holm", True)):
        comparison = compare(QRELS, PAIR, measures)
        [sheet] = comparison.sheets()
        assert [column.name for column in sheet.columns if column.name.startswith("p")] == [title]
        assert ["Holm" in text for text in (sheet.notes[-1], comparison.method().text)] == [said] * 2
        assert sheet.legend == ("d: difference in standard deviations; W/T/L: queries better, equal, worse",)


def test_groups_have_differences_of_their_own_corrected_together() -> None:
    groups = {query: "ab"[place % 3 == 0] for place, query in enumerate(QRELS)}
    told = compare(QRELS, RUNS, MEASURES, by=groups)
    rows = told.slices["given"]
    assert [one.group for one in rows[:: len(MEASURES) * 2]] == ["a", "b"]
    for group in "ab":
        chosen = [query for query, label in groups.items() if label == group]
        assert told.queries_of("given", group) == set(chosen)
        alone = compare(QRELS, RUNS, MEASURES, queries=chosen)
        some = [one for one in rows if one.group == group]
        assert [numbers(one._replace(group="")) for one in some] == [numbers(one) for one in alone.differences]
    assert [one.adjusted for one in rows] == stats.adjusted([one.p for one in rows], "holm").tolist()
    assert "corrected over all 12 comparisons" in repr(told)


def test_the_losses_name_a_command_that_works(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    qrels, paths = tmp_path / "my qrels.txt", {name: tmp_path / f"{name}.run" for name in PAIR}
    qrels.write_text("".join(f"{q} 0 {d} {g}\n" for q, row in QRELS.items() for d, g in row.items()))
    for name, run in PAIR.items():
        lines = (f"{q} Q0 {d} 0 {score} x\n" for q, row in run.items() for d, score in row.items())
        paths[name].write_text("".join(lines))
    files = {"": str(qrels)} | {name: str(path) for name, path in paths.items()}
    for settings, expected in (
        ({}, []),
        ({"depth": 4, "ties": "given", "missing": "skip"}, ["--depth", "4"]),
        ({"profile": "trec_eval-10.0-c", "measures": ["ndcg_cut_5"]}, ["--profile", "trec_eval-10.0-c"]),
        ({"profile": "ranx-0.3-comparable", "depth": 5}, ["--profile", "ranx-0.3-comparable", "--depth", "5"]),
    ):
        told = compare(
            str(qrels), {name: str(path) for name, path in paths.items()}, **({"measures": ["nDCG@5"]} | settings)
        )
        [command] = [note for note in replace(told, files=files).sheets()[0].notes if "rankworth explain" in note]
        words = shlex.split(command)
        assert words[:5] == ["rankworth", "explain", *files.values()]
        assert [word for word in expected if word not in words] == []
        cli.main(words[1:])
        shown = capsys.readouterr().out
        lost = told.queries(told.measures[0]).worst(1)[0]
        assert f"{lost.first:.4f}" in shown
        assert f"{lost.second:.4f}" in shown
        only = replace(told, files={name: path for name, path in files.items() if name != "s0"})
        [command] = [note for note in only.sheets()[0].notes if "rankworth explain" in note]
        assert str(paths["s0"]) not in command
    assert not [note for note in replace(told, files={}).sheets()[0].notes if "explain" in note]


# Tables of collections, and plans


def test_a_table_of_collections_has_a_macro_mean() -> None:
    told = {name: compare(*collection(seed=seed), ["AP", "RR"]) for name, seed in (("A", 0), ("B", 1))}
    table = rw.table(told)
    expected = (told["A"].means["s1"]["AP"] + told["B"].means["s1"]["AP"]) / 2
    assert table.mean("s1", "AP") == pytest.approx(expected, rel=1e-15)
    frame = table.to_frame()
    assert len(frame) == 3 * 2 * 3
    [sheet] = table.sheets()
    assert [column.name for column in sheet.columns][:4] == ["system", "A AP", "B AP", "mean AP"]
    assert rw.table(told, ["AP"]).measures == ("AP",)
    assert "in the mean each collection counts alike" in repr(table)
    assert r"\underline" in table.to_latex()


@pytest.mark.parametrize(
    ("slug", "settings"),
    [
        ("not-comparable", {"baseline": "s1"}),
        ("not-comparable", {"all_pairs": True}),
        ("not-comparable", {"test": "t"}),
        ("not-comparable", {"level": 0.9}),
        ("not-comparable", {"depth": 3}),
    ],
)
def test_collections_that_were_not_compared_alike_are_refused(slug: str, settings: Mapping[str, Any]) -> None:
    one = compare(QRELS, RUNS, ["AP"])
    refused(slug, lambda: rw.table({"A": one, "B": compare(QRELS, RUNS, ["AP"], **settings)}))


def test_tables_that_make_no_sense_are_refused() -> None:
    one = compare(QRELS, PAIR, ["AP"])
    refused("conflicting-options", lambda: rw.table({}))
    refused("not-measured", lambda: rw.table({"A": one}, ["RR"]), "RR")
    refused("not-comparable", lambda: rw.table({"A": one, "B": compare(QRELS, PAIR, ["RR"])}), "measures")


def test_plans_are_those_of_the_statistics() -> None:
    told = compare(QRELS, RUNS, ["AP", "RR"])
    table = np.array([evaluated(QRELS, run, ["AP"]).per_query.array[:, 0] for run in RUNS.values()]).T
    deviation = math.sqrt(2 * stats.anova(table).residual.mean_square)
    assert rw.power(told, 0.05)["AP"] == stats.power(deviation, 0.05, 24)
    assert rw.power(told, 0.05, n=0)["AP"] == 0.0
    assert rw.minimal_detectable(told, power=0.9, alpha=0.01)["AP"] == stats.minimal_detectable(
        deviation, 24, power=0.9, alpha=0.01
    )
    assert rw.queries_needed(told, 0.05)["RR"] == rw.queries_needed(compare(QRELS, RUNS, ["RR"]), 0.05)["RR"]
    pair = compare(QRELS, PAIR, ["AP"])
    assert rw.minimal_detectable(pair)["AP"] == pytest.approx(pair.differences[0].detectable)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RankworthWarning)
        values = rw.evaluate_runs(QRELS, RUNS, ["AP", "NumRel"])
    assert rw.power(values, 0.05) == {"AP": rw.power(told, 0.05)["AP"]}
    refused("unknown-setting", lambda: rw.power(told, 0.05, alpha=2.0), "alpha")
    refused("empty-input", lambda: rw.power({"s0": values["s0"]}, 0.05))
    refused("empty-input", lambda: rw.power(values["s0"], 0.05))


def test_the_weights_of_a_board_are_shares_of_groups() -> None:
    groups = {query: "ab"[place < 6] for place, query in enumerate(QRELS)}
    board = compare(QRELS, PAIR, ["AP"], macro=groups).scores
    assert board.weights is not None
    assert board.weights.tolist() == [1 / 6] * 6 + [1 / 18] * 18
    assert compare(QRELS, PAIR, ["AP"]).scores.slices == Slices()


# Differences that are rounding, and differences without spread


def of_values(first: Sequence[float], second: Sequence[float]) -> dict[str, rw.Values]:
    """Two systems with these values of AP."""
    queries = [f"q{place:03}" for place in range(len(first))]
    one = evaluated({query: {"a": 1} for query in queries}, {query: ["a"] for query in queries}, ["AP"])
    [column] = details(one).columns
    return {
        name: replace(
            one,
            run=name,
            per_query=PerQuery(queries, ["AP"], np.array(values)[:, None]),
            _details=replace(details(one), columns=(replace(column, values=np.array(values)),)),
        )
        for name, values in (("old", first), ("new", second))
    }


def steps(number: float, count: int) -> float:
    """A number so many units in the last place away."""
    for _ in range(abs(count)):
        number = math.nextafter(number, math.copysign(math.inf, count))
    return number


@pytest.mark.parametrize("test", get_args(stats.TestName))
@pytest.mark.parametrize("queries", [1, 2, 5, 40])
@pytest.mark.parametrize("way", ["up", "both", "one", "sums"])
def test_what_differs_by_rounding_is_equal(test: str, queries: int, way: str) -> None:
    old = [0.1 + 0.8 * place / queries for place in range(queries)]
    new = {
        "up": [steps(value, 8 if value < 0.5 else 4) for value in old],
        "both": [steps(value, (-1) ** place * 3) for place, value in enumerate(old)],
        "one": [steps(old[0], 1), *old[1:]],
        "sums": [value + 0.1 + 0.2 - 0.30000000000000004 for value in old],
    }[way]
    told = compare(runs=of_values(old, new), test=test)
    [one] = told.differences
    assert (one.word, one.difference, one.wins, one.ties, one.losses) == ("equal", 0, 0, queries, 0)
    assert one.p == 1 or (queries == 1 and math.isnan(one.p))
    assert math.isnan(one.dz) if queries == 1 else one.dz == 0
    if queries == 40:
        assert one.low == one.high == 0
    else:  # nothing could be rejected
        assert not math.isfinite(one.low)
        assert not math.isfinite(one.high)
    assert [row.difference for row in told.queries("AP")] == [0.0] * queries
    assert not told.queries("AP").worst()
    assert not told.queries("AP").best()
    assert told.to_dict()["differences"][0]["word"] == "equal"
    assert " equal" in repr(told)
    noted = [note for note in told.notes if "by rounding, and count as equal" in note]
    assert len(noted) == (old != new)
    for when in get_args(gates.When):
        assert gates.against(told, [gates.Gate.of("max-drop", "AP=0", "")], when)[0].passed


def test_nine_units_in_the_last_place_are_a_difference() -> None:
    old = [0.25] * 20
    told = compare(runs=of_values(old, [steps(0.25, 9)] * 20))
    assert (told.differences[0].word, told.differences[0].wins) == ("better", 20)
    assert compare(runs=of_values(old, [steps(0.25, 8)] * 20)).differences[0].word == "equal"
    assert stats.differences([0.0, 1.0, math.nan, -1.0], [5e-324, math.inf, 1.0, 1.0]).tolist()[:2] == [
        0,
        math.inf,
    ]


@given(
    values=st.lists(st.floats(0, 1), min_size=1, max_size=8),
    order=st.randoms(use_true_random=False),
    parts=st.integers(1, 6),
)
def test_the_order_of_a_sum_makes_no_difference(values: list[float], order: Any, parts: int) -> None:
    """Up to nine parts: each addition is off by half a unit of the sum at most."""
    shuffled = values.copy()
    order.shuffle(shuffled)
    sums = [[sum(each) / parts] for each in (values, shuffled)]
    assert stats.differences(*sums).tolist() == [0.0]
    table = np.array([[*sums[0], *sums[1], 7.0]])
    assert stats.levelled(table)[0, 0] == stats.levelled(table)[0, 1]


@pytest.mark.parametrize("test", get_args(stats.TestName))
@pytest.mark.parametrize(
    ("queries", "word"), [(1, "too few"), (2, "too few"), (5, "too few"), (6, "better"), (30, "better")]
)
def test_equal_differences_are_as_sure_as_their_signs(test: str, queries: int, word: str) -> None:
    old = [0.1 + 0.5 * place / queries for place in range(queries)]
    told = compare(runs=of_values(old, [value + 0.1 for value in old]), test=test)
    [one] = told.differences
    assert one.word == word
    if queries == 1 and test in ("t", "bootstrap", "tukey"):
        assert math.isnan(one.p)
        assert ("few-queries", "1 query is few: a test has little power") in told.warnings
        return
    assert one.p >= 2.0 ** (1 - queries)
    assert one.p <= max(2.0 ** (1 - queries), 1 / 1000) * 1.2
    if queries == 1:
        return
    [note] = told.notes
    assert note.startswith(f"new and old by AP: all {queries} queries differ by the same +0.1000; without spread d is")
    assert note.endswith(f"p is at least that of {queries} equal signs, {2.0 ** (1 - queries):.2g}")
    assert (one.low, one.high) == (pytest.approx((0.1, 0.1)) if word == "better" else (-math.inf, math.inf))
    assert math.isnan(one.detectable)


@pytest.mark.parametrize("test", stats.TESTS)
def test_a_mean_that_falls_where_most_queries_rise_is_no_gain(test: str) -> None:
    """29 queries rise by up to 0.02, and one falls by 0.9: p of ranks is small, and the mean is below 0."""
    old = [0.95, *(0.01 * query for query in range(29))]
    new = [0.05, *(value + 0.01 + 0.0003 * query for query, value in enumerate(old[1:]))]
    [row] = compare(runs=of_values(old, new), test=test).differences
    assert row.difference < 0
    assert (row.p < 0.05) == (stats.TESTS[test].about == "ranks")
    assert row.word == "unclear"


@pytest.mark.parametrize(("queries", "least"), [(1, "1"), (2, "0.5"), (3, "0.25"), (5, "0.0625")])
def test_so_few_queries_that_no_p_is_small_are_said(queries: int, least: str) -> None:
    old = [0.1 * place for place in range(queries)]
    for test in (name for name, method in stats.TESTS.items() if method.counts_signs):
        told = compare(runs=of_values(old, [value + 0.1 * place + 0.1 for place, value in enumerate(old)]), test=test)
        assert told.differences[0].p == float(least)
        [text] = [text for slug, text in told.warnings if slug == "few-queries"]
        assert text.endswith(f"few: p cannot be below {least}, however they differ")


def test_a_margin_calls_two_equal_differences_nothing() -> None:
    old = [0.1, 0.2]
    near = of_values(old, [value + 0.001 for value in old])
    assert compare(runs=near, margin=0.01).differences[0].word == "too few"
    assert compare(runs=of_values(old, old), margin=0.01).differences[0].word == "equal"
    old = [0.01 * place for place in range(20)]
    assert (
        compare(runs=of_values(old, [value + 0.001 for value in old]), margin=0.01).differences[0].word == "equivalent"
    )


def test_no_difference_can_be_detected_that_no_two_values_have() -> None:
    qrels = {"q1": {"a": 1}, "q2": {"b": 1}}
    runs = {"small": {"q1": ["a"], "q2": ["x"]}, "big": {"q1": ["x", "a"], "q2": ["b"]}}
    told = compare(qrels, runs, ["Success@1"], effect=0.1)
    assert "none: with 2 queries no difference of Success@1 can be detected" in " ".join(repr(told).split())
    assert told.differences[0].detectable == math.inf
    assert told.to_dict()["differences"][0]["detectable"] is None
    few = [text for slug, text in told.warnings if slug == "few-queries"]
    assert few[-1].startswith("2 queries are too few for a difference of 0.1; minimum detectable difference")
    assert few[-1].endswith("none: with 2 queries no difference of Success@1 can be detected")
    assert rw.minimal_detectable(told)["Success@1"] == math.inf
    unbounded = compare(qrels, runs, ["DCG@1", "Success@1"])
    assert unbounded.of("DCG@1", "big").detectable == pytest.approx(16.334, abs=1e-3)
    assert "of Success@1 can be detected" in " ".join(repr(unbounded).split())
