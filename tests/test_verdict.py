"""The verdict of a comparison: its state, the sentence to repeat, and how many queries it would take."""

import math
from typing import Any

import pytest
from scipy import stats

import rankworth as rw
from rankworth.comparison.verdict import TITLES, verdict

UP, DOWN, SAME = (["x", "a"], ["a", "x"]), (["a", "x"], ["x", "a"]), (["a"], ["a"])


def compared(ups: int, downs: int, sames: int, measure: str = "RR", **options: Any) -> rw.Comparison:
    """Two runs, of which the second is better, worse and equal on so many queries."""
    kinds = [UP] * ups + [DOWN] * downs + [SAME] * sames
    runs = {name: {f"q{row}": kind[side] for row, kind in enumerate(kinds)} for side, name in enumerate(("old", "new"))}
    return rw.compare({f"q{row}": {"a": 1} for row in range(len(kinds))}, runs, [measure], **options)


@pytest.mark.parametrize(
    ("counts", "options", "state", "sentence"),
    [
        ((20, 1, 0), {}, "better", "new ranks better than old"),
        ((1, 20, 0), {}, "worse", "new ranks worse than old"),
        ((20, 1, 0), {"measure": "FallOut@1"}, "better", "new ranks better than old"),
        ((6, 5, 0), {}, "unclear", "new may be better than old, but 11 queries do not show it"),
        ((5, 6, 0), {}, "unclear", "new may be worse than old, but 11 queries do not show it"),
        ((5, 5, 0), {}, "unclear", "10 queries do not tell new from old"),
        ((1, 0, 0), {}, "unclear", "new may be better than old, but 1 query does not show it"),
        ((0, 0, 3), {}, "equal", "new ranks as well as old, on every query"),
        ((5, 5, 90), {"margin": 0.1}, "equivalent", "new is as good as old: the difference is within the margin"),
    ],
)
def test_two_runs_have_a_state_and_a_sentence(
    counts: tuple[int, int, int], options: dict[str, Any], state: str, sentence: str
) -> None:
    conclusion = verdict(compared(*counts, **options), {})
    assert (conclusion.state, conclusion.sentence) == (state, sentence)
    assert conclusion.title == TITLES[conclusion.state]
    assert conclusion.sentences[0] == f"{sentence}."


def test_the_line_has_the_counts_and_the_number_of_queries_that_a_t_test_needs() -> None:
    conclusion = verdict(compared(6, 4, 5), {})
    start, end = (
        "Better on 6 of 15 queries, worse on 4, equal on 5. To show a gain of 0.0667 by RR takes about ",
        " queries",
    )
    assert conclusion.line.startswith(start)
    needed = int(conclusion.line.removeprefix(start).partition(end)[0])
    differences = [0.5] * 6 + [-0.5] * 4 + [0.0] * 5
    effect = stats.tmean(differences) / stats.tstd(differences)

    def power(queries: int) -> float:
        edge, shift = stats.t.ppf(0.975, queries - 1), effect * math.sqrt(queries)
        return float(stats.nct.sf(edge, queries - 1, shift) + stats.nct.cdf(-edge, queries - 1, shift))

    assert power(needed - 1) < 0.8 <= power(needed)


@pytest.mark.parametrize(
    ("counts", "line"),
    [
        ((5, 5, 0), "Better on 5 of 10 queries, worse on 5."),
        ((0, 0, 3), "Equal on all of 3 queries."),
        ((1, 0, 0), "Better on 1 of 1 query, worse on 0."),
    ],
)
def test_where_no_number_of_queries_would_do_there_is_none(counts: tuple[int, int, int], line: str) -> None:
    assert verdict(compared(*counts), {}).line == line


QUERIES = [f"q{number}" for number in range(40)]
RUNS = {
    "base": {query: ["x", "y", "z", "a"] for query in QUERIES},
    "good": {query: ["a"] if number % 2 else ["x", "a"] for number, query in enumerate(QUERIES)},
    "same": {query: ["a"] if number % 2 or number == 8 else ["x", "a"] for number, query in enumerate(QUERIES)},
}


@pytest.mark.parametrize(
    ("names", "options", "state", "sentence", "line"),
    [
        (
            ("base", "good", "same"),
            {},
            "level",
            "same leads, but good is level with it",
            "Better than base on 40 of 40 queries, worse on 0. To tell it from good, 0.0125 apart, takes about ",
        ),
        (
            ("good", "base", "empty"),
            {},
            "leader",
            "good leads: it ranks better than the 2 other runs",
            "Better than base on 40 of 40 queries, worse on 0.",
        ),
        (
            ("base", "good", "same"),
            {"weights": dict.fromkeys(QUERIES, 2)},
            "ahead",
            "same has the best mean of 3 runs",
            "Better than base on 40 of 40 queries, worse on 0.",
        ),
    ],
)
def test_of_several_runs_the_leader_is_named_and_who_is_level_with_it(
    names: tuple[str, ...], options: dict[str, Any], state: str, sentence: str, line: str
) -> None:
    runs = {name: RUNS.get(name, {query: ["x"] for query in QUERIES}) for name in names}
    conclusion = verdict(rw.compare({query: {"a": 1} for query in QUERIES}, runs, ["RR"], **options), {})
    assert (conclusion.state, conclusion.sentence) == (state, sentence)
    assert conclusion.line.startswith(line)


def test_of_many_runs_that_are_level_the_first_are_named() -> None:
    runs = {f"run{number}": RUNS["good"] for number in range(6)}
    conclusion = verdict(rw.compare({query: {"a": 1} for query in QUERIES}, runs, ["RR"]), {})
    assert conclusion.sentence == "run0 leads, but run1, run2, run3 and 2 more are level with it"
