"""The verdict of a comparison: its states, its sentences, and that nothing that is said contradicts anything else."""

import math
import re
from collections.abc import Mapping
from itertools import product
from typing import Any, Final

import numpy as np
import pytest
from scipy import stats

import rankworth as rw
from contradictions import all_of
from rankworth.comparison.verdict import TITLES, State

UP, DOWN, SAME = (["x", "a"], ["a", "x"]), (["a", "x"], ["x", "a"]), (["a"], ["a"])


def compared(ups: int, downs: int, sames: int, measure: str = "RR", **options: Any) -> rw.Comparison:
    """Two runs, of which the second is better, worse and equal on so many queries."""
    kinds = [UP] * ups + [DOWN] * downs + [SAME] * sames
    runs = {name: {f"q{row}": kind[side] for row, kind in enumerate(kinds)} for side, name in enumerate(("old", "new"))}
    return rw.compare({f"q{row}": {"a": 1} for row in range(len(kinds))}, runs, [measure], **options)


def ranked(ranks: Mapping[str, int]) -> dict[str, list[str]]:
    """A run in which the relevant document of each query has this rank."""
    return {query: [*(f"x{place}" for place in range(1, rank)), "a"] for query, rank in ranks.items()}


@pytest.mark.parametrize(
    ("counts", "options", "state", "sentence"),
    [
        ((20, 1, 0), {}, "better", "new ranks better than old"),
        ((1, 20, 0), {}, "worse", "new ranks worse than old"),
        ((20, 1, 0), {"measure": "FallOut@1"}, "better", "new ranks better than old"),
        ((6, 5, 0), {}, "unclear", "new may be better; 11 queries cannot tell"),
        ((5, 6, 0), {}, "unclear", "new may be worse; 11 queries cannot tell"),
        ((5, 5, 0), {}, "unclear", "10 queries cannot tell new from old"),
        ((1, 0, 0), {}, "too few", "1 query cannot tell new from old"),
        ((3, 0, 9), {}, "too few", "12 queries cannot tell new from old"),
        ((3, 0, 9), {"test": "t"}, "unclear", "new may be better; 12 queries cannot tell"),
        ((40, 0, 0), {"resamples": 9}, "too few", "9 resamples cannot tell new from old"),
        ((0, 0, 3), {}, "equal", "new ranks as well as old, on every query"),
        ((5, 5, 90), {"margin": 0.1}, "same", "new is as good as old, within 0.1"),
        ((90, 1, 9), {"margin": 0.6}, "same", "new is as good as old, within 0.6"),
    ],
)
def test_two_runs_have_a_state_and_a_sentence(
    counts: tuple[int, int, int], options: dict[str, Any], state: str, sentence: str
) -> None:
    result = compared(*counts, **options)
    assert (result.verdict.state, result.verdict.sentence) == (state, sentence)
    assert result.verdict.title == TITLES[result.verdict.state]
    assert result.verdict.sentences[0] == f"{sentence}."
    assert result.to_dict()["verdict"]["sentence"] == sentence
    assert all_of(result) == []


def test_the_line_has_the_counts_the_interval_and_the_number_of_queries_that_a_t_test_needs() -> None:
    result = compared(6, 4, 5)
    row = result.of("RR", "new")
    between = f"The difference by RR is most likely between {row.low:+.3f} and {row.high:+.3f}."
    start = f"Better on 6 of 15 queries, worse on 4, equal on 5. {between} A difference this small would need about "
    assert result.verdict.line.startswith(start)
    end = " queries with power 80%."
    assert result.verdict.line.endswith(end)
    needed = int(result.verdict.line.removeprefix(start).removesuffix(end))
    differences = [0.5] * 6 + [-0.5] * 4 + [0.0] * 5
    effect = stats.tmean(differences) / stats.tstd(differences)

    def power(queries: int) -> float:
        edge, shift = stats.t.ppf(0.975, queries - 1), effect * math.sqrt(queries)
        return float(stats.nct.sf(edge, queries - 1, shift) + stats.nct.cdf(-edge, queries - 1, shift))

    assert power(needed - 1) < 0.8 <= power(needed)


LIKELY: Final = "The difference by RR is most likely between"
ONLY: Final = "Only 3 of 12 queries differ, which cannot show a difference at 5 %"


@pytest.mark.parametrize(
    ("counts", "line"),
    [
        # of 1,024 flips, 62 leave a group of losses alone, more than 5 %; its mean is -0.5
        ((5, 5, 0), f"Better on 5 of 10 queries, worse on 5. {LIKELY} -0.500 and +0.500."),
        ((0, 0, 3), "Equal on all of 3 queries."),
        ((1, 0, 0), "Better on 1 of 1 query, worse on 0. 1 query cannot show a difference at 5 %; 6 could."),
        ((3, 0, 9), f"Better on 3 of 12 queries, worse on 0, equal on 9. {ONLY}; 6 that differ could."),
    ],
)
def test_where_no_number_of_queries_would_do_there_is_none(counts: tuple[int, int, int], line: str) -> None:
    assert compared(*counts).verdict.line == line


@pytest.mark.parametrize(
    ("queries", "measures", "correction", "least"),
    [
        (5, 1, "holm", 6),  # 2 / 2^5 = 0.0625 > 0.05 >= 2 / 2^6
        (6, 2, "holm", 7),  # 2 * 2 / 2^6 = 0.0625 > 0.05 >= 2 * 2 / 2^7
        (6, 4, "holm", 8),  # 4 * 2 / 2^7 = 0.0625 > 0.05 >= 4 * 2 / 2^8
        (6, 4, "bonferroni", 8),
    ],
)
def test_what_could_decide_regards_the_correction(queries: int, measures: int, correction: str, least: int) -> None:
    qrels = {f"q{number}": {"a": 1} for number in range(queries)}
    old, new = ranked(dict.fromkeys(qrels, 2)), ranked(dict.fromkeys(qrels, 1))
    new[f"q{queries - 1}"] = ["x1", "x2", "a"]
    names = ["RR", "nDCG@10", "AP", "RR@10"][:measures]
    result = rw.compare(qrels, {"old": old, "new": new}, names, correction=correction)
    assert {row.word for row in result.differences} == {"too few"}
    assert {row.needed for row in result.differences} == {least}
    family = f" with {measures} comparisons" if measures > 1 else ""
    assert f"{queries} queries cannot show a difference at 5 %{family}; {least} could." in result.verdict.line
    more = {f"q{number}": {"a": 1} for number in range(least)}
    result = rw.compare(more, {"old": ranked(dict.fromkeys(more, 2)), "new": ranked(dict.fromkeys(more, 1))}, names)
    assert {row.word for row in result.differences} == {"better"}


QUERIES = [f"q{number}" for number in range(40)]
RUNS = {
    "base": {query: ["x", "y", "z", "a"] for query in QUERIES},
    "good": {query: ["a"] if number % 2 else ["x", "a"] for number, query in enumerate(QUERIES)},
    "best": {query: ["a"] if number % 2 or number == 8 else ["x", "a"] for number, query in enumerate(QUERIES)},
    "fine": {query: ["a"] if number % 2 and number < 37 else ["x", "a"] for number, query in enumerate(QUERIES)},
}
NEXT: Final = "By RR, best is 0.013 ahead of good, the next (0 to"
"""up to 0.5 / 15 = 0.033, as 14 or fewer of 39 other queries go with that query in 5.4 % of flips, 13 or fewer in
2.7 %; the 90 % interval up to 0.5 / 17 = 0.029, as 15 or fewer do in 9.98 %"""
OF_1: Final = "Only 1 of 40 queries differs, which cannot show a difference at 5 % with 3 comparisons"


@pytest.mark.parametrize(
    ("names", "options", "state", "sentence", "line"),
    [
        (
            ("base", "good", "best"),
            {},
            "no leader",
            "best and good lead; 40 queries do not separate them",
            f"Both rank better than base. {NEXT} +0.033). {OF_1}; 6 that differ could.",
        ),
        (
            ("good", "base", "empty"),
            {},
            "leader",
            "good leads: better than the other 2",
            "By RR, good is 0.500 ahead of base, the next (+0.4",
        ),
        (
            ("base", "good", "best"),
            {"weights": dict.fromkeys(QUERIES, 2)},
            "no leader",
            "best and good lead; 40 queries do not separate them",
            f"Both rank better than base. {NEXT} +0.033).",
        ),
        (
            ("base", "good", "best"),
            {"margin": 0.1},
            "no leader",
            "best leads; good is as good, within 0.1",
            f"Both rank better than base. {NEXT} +0.029).",
        ),
        (
            ("good", "best", "fine"),
            {"all_pairs": True},
            "too few",
            "40 queries cannot tell the 3 runs apart",
            f"{NEXT} +0.033). {OF_1}; 7 that differ could.",
        ),
    ],
)
def test_of_several_runs_the_leader_is_named_and_who_is_not_separated_from_it(
    names: tuple[str, ...], options: dict[str, Any], state: str, sentence: str, line: str
) -> None:
    runs = {name: RUNS.get(name, {query: ["x"] for query in QUERIES}) for name in names}
    result = rw.compare({query: {"a": 1} for query in QUERIES}, runs, ["RR"], **options)
    assert (result.verdict.state, result.verdict.sentence) == (state, sentence)
    assert result.verdict.line.startswith(line)
    assert all_of(result) == []


def test_of_many_runs_that_lead_the_first_are_named() -> None:
    runs = {f"run{number}": {**RUNS["good"], f"q{2 * number}": ["a"]} for number in range(5)} | {"base": RUNS["base"]}
    result = rw.compare({query: {"a": 1} for query in QUERIES}, runs, ["RR"])
    assert result.verdict.sentence == "run0, run1, run2 and 2 more lead; 40 queries do not separate them"
    assert all_of(result) == []


def test_a_group_with_the_other_sign_is_named() -> None:
    language = {query: "ar" if number < 10 else "en" for number, query in enumerate(QUERIES)}
    old = ranked(dict.fromkeys(QUERIES, 2))
    new = ranked({query: 3 if number < 10 else 1 for number, query in enumerate(QUERIES)})
    result = rw.compare({query: {"a": 1} for query in QUERIES}, {"old": old, "new": new}, ["RR"], by=language)
    assert result.verdict.state == "better"
    assert result.verdict.line.endswith("By given it is the other way round in ar (-0.167, worse).")


def test_a_group_that_leans_the_other_way_is_named_with_what_was_decided() -> None:
    language = {query: "ar" if number < 2 else "en" for number, query in enumerate(QUERIES)}
    old = ranked(dict.fromkeys(QUERIES, 2))
    new = ranked({query: 3 if number < 2 else 1 for number, query in enumerate(QUERIES)})
    qrels = {query: {"a": 1} for query in QUERIES}
    result = rw.compare(qrels, {"old": old, "new": new}, ["RR"], by=language)
    assert result.verdict.line.endswith("By given the sign turns in ar (-0.167, too few queries).")
    several = {"new": new, "old": old, "last": ranked(dict.fromkeys(QUERIES, 9))}  # the baseline is the best
    result = rw.compare(qrels, several, ["RR"], by=language)
    said = "Of old beside new, by given the sign turns in ar (+0.167, too few queries)."
    assert result.verdict.line.endswith(said)
    result = rw.compare(qrels, several, ["RR"], by=language, all_pairs=True)
    assert result.verdict.line.endswith("Of new beside old, by given the sign turns in ar (-0.167, too few queries).")


TESTS: Final = ("randomization", "t", "wilcoxon", "sign", "bootstrap", "tukey", "randomized-tukey")
SIZES: Final = (1, 2, 5, 6, 8, 12, 40)
SHIFTS: Final = (0.0, 0.15, -0.15, 0.5, -0.9)
MARGINS: Final = (None, 0.02, 0.3)
FAMILIES: Final = (("RR",), ("FallOut@1", "RR", "AP"), ("nDCG@10", "P@1", "RR@10", "AP"))


def collection(size: int, shift: float, systems: int, seed: int) -> tuple[Any, dict[str, Any]]:
    """Queries with one relevant document each, and systems that find it the earlier the later they come."""
    generator = np.random.default_rng(seed)
    queries = [f"q{number}" for number in range(size)]
    runs = {}
    base = generator.integers(1, 5, size)
    for system in range(systems):
        moved = generator.random(size) < abs(shift) * system / max(1, systems - 1)
        noise = np.where(generator.random(size) < 0.3, generator.integers(-1, 2, size), 0)
        ranks = np.maximum(1, base - np.where(moved, np.sign(shift), 0) + (noise if system else 0))
        runs[f"s{system}"] = ranked(dict(zip(queries, ranks.astype(int).tolist(), strict=True)))
    return {query: {"a": 1} for query in queries}, runs


CASES: Final = [
    (test, size, shift, margin, systems, FAMILIES[number % 3], number)
    for number, (size, shift, margin, systems, test) in enumerate(product(SIZES, SHIFTS, MARGINS, (2, 3, 5), TESTS))
    if number % 8 == 0
]


@pytest.mark.parametrize("test", TESTS)
def test_nothing_that_a_comparison_says_contradicts_anything_else(test: str) -> None:
    """Differences x p x margin x queries x systems x measures x corrections x weights x groups."""
    states: dict[str, int] = {}
    for _, size, shift, margin, systems, measures, number in (case for case in CASES if case[0] == test):
        qrels, runs = collection(size, shift, systems, number)
        options: dict[str, Any] = {"test": test, "resamples": 300, "seed": number}
        if margin is not None:
            options["margin"] = margin
        if number % 2 and "tukey" not in test:
            options["correction"] = ("holm", "bonferroni", "bh", "by", "none")[number // 2 % 5]
        if number % 4 == 0 and test in ("randomization", "t", "bootstrap"):
            options["weights"] = {query: 1.0 + place % 3 for place, query in enumerate(qrels)}
        if number % 5 == 0:
            options["by"] = {query: "ab"[place % 2] for place, query in enumerate(qrels)}
        if number % 7 == 0:
            options["all_pairs"] = True
        result = rw.compare(qrels, runs, measures, **options)
        assert all_of(result) == [], (number, options)
        states[result.verdict.state] = states.get(result.verdict.state, 0) + 1
    assert len(states) >= 4, states


@pytest.mark.parametrize("shift", [0, 1, 3])
def test_repeated_runs_contradict_nothing_either(shift: int) -> None:
    states: set[State] = set()
    for seed, (runs_of_each, size, margin) in enumerate(product((2, 4, 5), (6, 20, 60), (None, 0.05))):
        generator = np.random.default_rng(seed)
        queries = [f"q{number}" for number in range(size)]
        base = generator.integers(1 + shift, 6 + shift, size)
        systems = {
            name: [
                ranked(dict(zip(queries, np.maximum(1, base - less + moved).tolist(), strict=True)))
                for moved in generator.integers(-1, 2, (runs_of_each, size))
            ]
            for name, less in (("old", 0), ("new", shift))
        }
        options = {} if margin is None else {"margin": margin}
        result = rw.compare({query: {"a": 1} for query in queries}, systems, ["RR", "AP"], resamples=300, **options)
        assert all_of(result) == [], (seed, shift)
        states.add(result.verdict.state)
    assert states & ({"noise"} if shift == 0 else {"better"})


def test_noise_is_said_with_what_identical_runs_do() -> None:
    generator = np.random.default_rng(3)
    size = 30
    queries = [f"q{number}" for number in range(size)]
    base = generator.integers(2, 6, size)

    def run() -> dict[str, list[str]]:
        return ranked(dict(zip(queries, (base + generator.integers(-1, 2, size)).tolist(), strict=True)))

    systems = {"old": [run() for _ in range(5)], "new": [run() for _ in range(5)]}
    result = rw.compare({query: {"a": 1} for query in queries}, systems, ["RR"], resamples=300)
    assert (result.verdict.state, result.verdict.title) == ("noise", "Within noise")
    assert result.verdict.sentence == "new and old differ by no more than identical runs do"
    [row] = result.repeated
    assert f"Identical runs differ by up to {row.identical:.3f}." in result.verdict.line
    assert re.search(r"most likely between \S+ and \S+\.", result.verdict.line)


def test_losses_of_the_first_of_several_are_to_the_next_as_on_the_first_screen() -> None:
    qrels = {f"q{number}": {"a": 1} for number in range(12)}
    first = {query: ["a"] if query != "q3" else ["b", "a"] for query in qrels}
    following = {query: ["b", "a"] if query != "q3" else ["a"] for query in qrels}
    last = {query: ["b", "c", "a"] if query not in ("q5", "q3") else ["b", "a"] for query in qrels}
    compared = rw.compare(qrels, {"last": last, "following": following, "first": first}, ["RR"])
    verdict = compared.verdict
    assert verdict.pair is not None
    assert (verdict.pair.second, verdict.pair.first) == ("first", "following")
    assert verdict.details[-1] == "first loses most to following on q3."
