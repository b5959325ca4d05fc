"""What `correlate` and `correlate_runs` say of rankings: laws, brute force, refusals, stored numbers, sheets."""

import json
import math
import random
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from scipy import stats

from golden.records import of_two_rankings
from rankworth.correlation import DEFAULT, METHODS, Correlation, Correlations, correlate, correlate_runs
from rankworth.correlation.methods import Method, methods
from rankworth.errors import InputError, RankworthError, UsageError
from rankworth.model import Run
from rankworth.stats import intervals
from rankworth.stats.rank_correlation import COEFFICIENTS
from rankworth.tables.look import Look
from rankworth.tables.show import show

Scores = dict[str, float]
Scored = dict[str, Scores]
NEAR = 1e-12
NOTEBOOKS = json.loads((Path(__file__).parent / "data" / "notebook_cases.json").read_text("utf-8"))
OVERLAPPING = ["rbo", "rbo-w", "rbo-a", "rbo-b", "rba", "overlap", "average-overlap", "jaccard"]
TIED = ["tau-a", "tau-b", "tau-c", "gamma", "spearman", "weighted-tau", "weighted-tau-reference", "tau-ap-b"]
"""coefficients of ranks that are defined with ties everywhere"""
FREE = [*OVERLAPPING, *TIED]
"""what may be asked of any two rankings"""

kept = st.sampled_from(["common", "last"])
cutoffs = st.none() | st.integers(1, 8)


@st.composite
def scored(draw: st.DrawFn, *, least: int = 0, ties: bool = True) -> Scores:
    """Some documents of a few and their scores."""
    documents = draw(st.lists(st.sampled_from("abcdefghijkl"), unique=True, min_size=least))
    numbers = st.integers(-3, 3 if ties else 10**6)
    return dict(
        zip(
            documents,
            map(float, draw(st.lists(numbers, min_size=len(documents), max_size=len(documents), unique=not ties))),
            strict=True,
        )
    )


runs = st.dictionaries(st.sampled_from(["q1", "q2", "q3", "q4"]), scored(least=1), min_size=1)


def grouped(scores: Mapping[str, float]) -> list[list[str]]:
    """The same as a list of groups, best first."""
    return [[one for one in scores if scores[one] == score] for score in sorted(set(scores.values()), reverse=True)]


def numbers(told: Correlation) -> dict[str, Any]:
    """All numbers that there are."""
    found: dict[str, Any] = {name: getattr(told, name) for name in ("values", "least", "most", "p_values", "sizes")}
    return found | {"means": told.means, "low": told.low, "high": told.high, "tied": told.tied}


def same(one: Correlation, other: Correlation, within: float = 0) -> None:
    """Two results hold the same numbers; to the last bit where nothing else is said."""
    first, second = numbers(one), numbers(other)
    for name, cells in first.items():
        if within:
            assert cells == pytest.approx(second[name], abs=within, nan_ok=True), name
        else:
            assert_array_equal(cells, second[name], name)


def cut(scores: Mapping[str, float], k: int | None) -> Scores:
    """The first k, and what is tied with the last of them."""
    return {one: own for one, own in scores.items() if k is None or sum(x > own for x in scores.values()) < k}


def by_hand(name: str, x: Mapping[str, float], y: Mapping[str, float], missing: str) -> float:
    """A coefficient over what both have, or over everything, with what is absent behind all others."""
    items = sorted(x.keys() & y.keys() if missing == "common" else x.keys() | y.keys())
    sides = [[one.get(item, min(one.values(), default=0.0) - 1) for item in items] for one in (x, y)]
    return COEFFICIENTS[name].value(*sides)


def refused(call: Callable[[], object], slug: str) -> RankworthError:
    with pytest.raises((InputError, UsageError)) as caught:
        call()
    assert caught.value.slug == slug
    return caught.value


# Laws


@given(scored(), scored(), cutoffs, kept, st.integers(0, 9999))
def test_names_and_places_of_documents_change_nothing(
    x: Scores, y: Scores, k: int | None, missing: Any, seed: int
) -> None:
    chance = random.Random(seed)  # noqa: S311 - no secrets
    names = list("abcdefghijkl")
    called = dict(zip(names, chance.sample([*names, "ä", "long id", "10", "9"], len(names)), strict=True))
    again = [{called[one]: side[one] for one in chance.sample(sorted(side), len(side))} for side in (x, y)]
    told = correlate(x, y, FREE, k=k, missing=missing)
    same(told, correlate(*again, FREE, k=k, missing=missing), NEAR)
    if x and y:
        same(told, correlate({"q": again[0]}, {"q": again[1]}, FREE, k=k, missing=missing), NEAR)
    lists = [[chance.sample(group, len(group)) for group in grouped(side)] for side in again]
    same(told, correlate(*lists, FREE, k=k, missing=missing), NEAR)


@given(scored(), scored(), cutoffs, kept)
def test_rescaled_scores_change_nothing(x: Scores, y: Scores, k: int | None, missing: Any) -> None:
    told = correlate(x, y, FREE, k=k, missing=missing)
    for rescaled in (lambda score: 2.5 * score + 7, math.exp, lambda score: score**3):
        again = [{one: rescaled(score) for one, score in side.items()} for side in (x, y)]
        same(told, correlate(*again, FREE, k=k, missing=missing))


@given(scored(least=2, ties=False), st.sampled_from([0.2, 0.9, 0.999]))
def test_identical_rankings_give_one(x: Scores, p: float) -> None:
    told = correlate(x, dict(reversed(x.items())), METHODS, p=p)
    alignment = METHODS.index("rba")  # which gives nothing for what lies beyond the ends
    expected = np.ones(len(METHODS))
    expected[alignment] = 1 - p ** len(x)
    assert told.means == pytest.approx(expected, abs=NEAR)
    assert told.most == pytest.approx(np.where(np.isnan(told.most), np.nan, 1), abs=NEAR, nan_ok=True)


@given(scored(least=2))
def test_identical_rankings_give_one_with_ties_where_the_method_knows_them(x: Scores) -> None:
    assume(len(set(x.values())) > 1)
    aware = ["rbo", "rbo-w", "rbo-b", "overlap", "jaccard", "tau-b", "gamma", "spearman", "weighted-tau", "tau-ap-b"]
    told = correlate(x, x, [*aware, "pearson"])
    assert told.means == pytest.approx(np.ones(len(aware) + 1), abs=NEAR)


@given(scored(), scored(), cutoffs, kept)
def test_symmetric_methods_do_not_care_which_ranking_is_first(
    x: Scores, y: Scores, k: int | None, missing: Any
) -> None:
    both = [one for one in FREE if methods(one, 0.9, None)[0].symmetric]
    assert {*METHODS} - {*both} == {"weighted-tau-reference", "tau-ap", "tau-ap-a", "pearson"}
    one, other = (correlate(*pair, both, k=k, missing=missing) for pair in ((x, y), (y, x)))
    assert one.values == pytest.approx(other.values, abs=NEAR, nan_ok=True)
    assert_array_equal(one.sizes[:, [1, 0, 2]], other.sizes)


@given(runs, runs, cutoffs, kept)
def test_each_query_of_two_runs_is_a_pair_of_rankings(
    first: Scored, second: Scored, k: int | None, missing: Any
) -> None:
    told = correlate(first, second, FREE, k=k, missing=missing)
    assert told.queries == tuple({**first, **second})
    for row, query in enumerate(told.queries):
        x, y = first.get(query, {}), second.get(query, {})
        for alone in (
            correlate(grouped(x), grouped(y), FREE, k=k, missing=missing),
            correlate(
                {one: x[one] for group in grouped(x) for one in group},
                {one: y[one] for group in grouped(y) for one in group},
                FREE,
                k=k,
                missing=missing,
            ),
        ):
            assert_array_equal(told.sizes[row], alone.sizes[0])
            for name in ("values", "least", "most"):
                assert getattr(told, name)[row] == pytest.approx(getattr(alone, name)[0], abs=1e-14, nan_ok=True), name


def test_each_query_of_untied_runs_is_a_pair_of_rankings_to_the_last_bit() -> None:
    chance = np.random.default_rng(3)
    ranked = [{f"q{q}": [str(one) for one in chance.permutation(60)[:40]] for q in range(30)} for _ in range(2)]
    told = correlate(*ranked, FREE, missing="last", k=20)
    for row, query in enumerate(told.queries):
        alone = correlate(ranked[0][query], ranked[1][query], FREE, missing="last", k=20)
        for name in ("values", "least", "most", "sizes"):
            assert_array_equal(getattr(told, name)[row], getattr(alone, name)[0])


@given(runs, runs)
def test_two_of_several_runs_are_two_runs(first: Scored, second: Scored) -> None:
    (told,) = correlate_runs({"a": first, "b": second}, FREE, missing="common", k=5, p=0.8, seed=4).values()
    alone = correlate(first, second, FREE, missing="common", k=5, p=0.8, seed=4, names=("a", "b"))
    same(told, alone)
    assert (told.names, told.notes, told.to_dict()) == (alone.names, alone.notes, alone.to_dict())


@given(runs, runs)
def test_means_are_over_the_queries_that_have_a_value(first: Scored, second: Scored) -> None:
    told = correlate(first, second, FREE, missing="common", level=0.8, seed=7)
    for place, column in enumerate(told.values.T.tolist()):
        there = [value for value in column if not math.isnan(value)]
        expected = math.fsum(there) / len(there) if there else math.nan
        assert told.means[place] == pytest.approx(expected, abs=NEAR, nan_ok=True)
    if len(told.queries) > 1:
        bounds = intervals(told.values, level=0.8, seed=7)
        assert_array_equal(told.low, bounds.low)
        assert_array_equal(told.high, bounds.high)
        assert told.interval()[told.labels[0]] == (told.low[0], told.high[0])
    else:
        assert np.isnan([told.low, told.high]).all()


@given(scored(), scored(), cutoffs, kept)
def test_coefficients_of_different_documents_are_those_of_dicts(
    x: Scores, y: Scores, k: int | None, missing: Any
) -> None:
    """`last`: what Fagin, Kumar and Sivakumar (2003) make of a list: what is not in it is tied behind it."""
    told = correlate(x, y, TIED, missing=missing, k=k)
    expected = [by_hand(name, cut(x, k), cut(y, k), missing) for name in TIED]
    assert told.values[0] == pytest.approx(expected, abs=NEAR, nan_ok=True)


@given(scored(ties=False), scored(ties=False), cutoffs)
def test_coefficients_that_refuse_ties_are_those_of_dicts_too(x: Scores, y: Scores, k: int | None) -> None:
    told = correlate(x, y, ["tau-ap", "tau-ap-a"], missing="common", k=k)
    expected = [by_hand(name, cut(x, k), cut(y, k), "common") for name in ("tau-ap", "tau-ap-a")]
    assert told.values[0] == pytest.approx(expected, abs=NEAR, nan_ok=True)


@given(scored(least=2), st.data())
def test_pearson_is_about_scores(x: Scores, data: st.DataObject) -> None:
    y = {one: data.draw(st.integers(-9, 9)) for one in data.draw(st.permutations(sorted(x)))}
    expected = COEFFICIENTS["pearson"].value([x[one] for one in x], [y[one] for one in x])
    assert correlate(x, y, "pearson").value == pytest.approx(expected, abs=NEAR, nan_ok=True)
    more = correlate({**x, "only x": 5}, {"only y": 3, **y}, "pearson", missing="common")
    assert more.value == pytest.approx(expected, abs=NEAR, nan_ok=True)


# P values


@pytest.mark.parametrize("n", [5, 12, 60])
@pytest.mark.parametrize("ties", [False, True])
def test_p_values_are_those_of_scipy(n: int, ties: bool) -> None:
    chance = np.random.default_rng(n)
    x, y = (chance.integers(0, n // 2, n) if ties else chance.permutation(n) for _ in range(2))
    scipy = {
        "tau-b": stats.kendalltau(x, y),
        "tau-c": stats.kendalltau(x, y, variant="c"),
        "spearman": stats.spearmanr(x, y),
        "pearson": stats.pearsonr(x, y),
    }
    told = correlate(x, y, scipy)
    for place, expected in enumerate(scipy.values()):
        assert told.values[0, place] == pytest.approx(expected.statistic, abs=NEAR)
        assert told.p_values[0, place] == pytest.approx(expected.pvalue, rel=1e-9)
        assert correlate(x.astype(float), y, [*scipy][place]).p == told.p_values[0, place]


def test_only_coefficients_of_two_rankings_have_p_values() -> None:
    assert np.isnan(correlate([*"abc"], [*"cba"], [*OVERLAPPING, "tau-ap", "weighted-tau"]).p_values).all()
    two = {"q1": [1, 2, 3], "q2": [2, 1]}
    told = correlate(two, two, "tau-b")
    assert math.isnan(told.p)
    assert np.isnan(told.p_values).all()


# Examples


def test_documents_tied_with_the_last_one_are_kept() -> None:
    x, y = {"a": 3, "b": 2, "c": 2, "d": 1}, {"b": 9, "a": 8, "c": 7, "d": 6}
    told = correlate(x, y, ["jaccard", "overlap"], k=2)
    assert told.sizes.tolist() == [[3, 2, 2]]
    assert told.mean() == {"Jaccard@2": 2 / 3, "overlap@2": (1 + 1 / 2) / 2}
    assert correlate(x, y, "tau-b", k=3).value == by_hand("tau-b", cut(x, 3), cut(y, 3), "common")


def test_groups_of_ties_are_lists_tuples_or_sets() -> None:
    expected = correlate({"a": 2, "b": 1, "c": 1}, {"c": 2, "a": 1, "b": 0}, FREE)
    for group in (["b", "c"], ("b", "c"), {"b", "c"}, frozenset("bc")):
        same(correlate(["a", group], ["c", "a", "b"], FREE), expected)
        same(correlate(("a", group), ("c", "a", "b"), FREE), expected)


def test_integers_and_texts_as_ids_are_one() -> None:
    expected = correlate(["3", "1", "2"], ["1", "2", "3"], FREE)
    for x, y in (([3, 1, 2], ["1", "2", "3"]), (np.array([3, 1, 2]).tolist(), [np.int64(1), "2", 3])):
        same(correlate(x, y, FREE), expected)
    same(correlate({3: 9, 1: 8, "2": 7}, {"1": 3, 2: 2, "3": 1}, FREE), expected)
    same(correlate(np.array(["3", "1", "2"]), np.array(["1", "2", "3"], dtype=object), FREE), expected)
    run = correlate({1: [3, 1, 2]}, {"1": ["1", "2", "3"]}, FREE, queries=[1])
    assert run.queries == (1,)
    same(run, expected)


def test_lists_of_numbers_are_scores_for_coefficients_and_ids_for_overlaps() -> None:
    chance = np.random.default_rng(20)
    scipy: dict[str, Callable[..., Any]] = {
        "tau-b": stats.kendalltau,
        "tau-c": lambda x, y: stats.kendalltau(x, y, variant="c"),
        "spearman": stats.spearmanr,
        "pearson": stats.pearsonr,
        "weighted-tau": stats.weightedtau,
    }
    for n in (2, 5, 40):
        x, y = chance.integers(0, n, n).tolist(), chance.choice([0.5, -1.0, 3.25, 7.0], n).tolist()
        x, y = [*x, n, 0], (*y, 8.0, -2)
        for one, function in scipy.items():
            expected = function(x, y).statistic
            assert correlate(x, y, one).value == pytest.approx(expected, abs=NEAR)
            assert correlate(x, np.array(y), one).value == pytest.approx(expected, abs=NEAR)
        for one in set(FREE) - {*OVERLAPPING}:
            same(correlate(x, y, one), correlate(np.array(x), np.array(y), one))
    assert round(correlate([1, 2, 3, 4, 5], [2, 1, 2, 4, 5], "spearman").value, 4) == 0.8208
    assert correlate([4, 2, 1, 3], [3, 1, 4, 2], "tau-b").value == 0.0
    for one in OVERLAPPING:
        same(correlate([4, 2, 1, 3], [3, 1, 4, 7], one), correlate([*"4213"], [*"3147"], one))


def test_lists_of_a_run_are_rankings_without_ties() -> None:
    tied, other = {"q": [("b", 1.0), ("a", 1.0), ("c", 0.5)]}, {"q": ["a", "b", "c"]}
    assert correlate(tied, other, "tau-b").value == correlate({"q": ["b", "a", "c"]}, other, "tau-b").value == 1 / 3
    with pytest.raises(InputError, match="the scores contradict the order of the list: query q has b") as caught:
        correlate({"q": [("b", 1.0), ("a", 2.0)]}, other, "tau-b")
    assert caught.value.slug == "ambiguous-order"
    assert (
        caught.value.remedy
        == "if a smaller score is better: negate them\nsort the lists by their scores, or leave the scores out"
    )


def test_items_of_arrays_are_told_apart_by_place() -> None:
    x, y = np.array([0.5, 0.4, 0.1]), np.array([7, 9, 1])
    same(correlate(x, y, METHODS), correlate(dict(enumerate(x.tolist())), dict(enumerate(y.tolist())), METHODS))
    assert correlate(x, y, "tau-b").value == (2 - 1) / 3
    assert correlate(x.astype(np.float32), y.astype(np.uint8), "tau-b").value == 1 / 3


def test_runs_are_read_as_everywhere(tmp_path: Path) -> None:
    path = tmp_path / "new.run"
    path.write_text("q1 Q0 a 1 2.0 x\nq1 Q0 b 2 1.0 x\nq2 Q0 a 1 1.0 x\n")
    frame = pl.DataFrame({"query": ["q1", "q1", "q2"], "document": ["a", "b", "a"], "score": [2.0, 1.0, 1.0]})
    other = {"q2": ["a"], "q1": ["b", "a"]}
    told = [correlate(one, other, FREE) for one in (path, str(path), frame, Run(frame), frame.to_pandas())]
    assert [one.names for one in told] == [("new", "y"), ("new", "y"), *[("x", "y")] * 3]
    for one in told[1:]:
        same(told[0], one)
    assert correlate(path, path, names=("one", "other")).names == ("one", "other")
    assert correlate(path, path).names == ("x", "y")


def test_queries_are_chosen_and_put_in_order() -> None:
    x, y = {"q1": ["a"], "q2": ["a", "b"], "q3": ["c"]}, {"q1": ["b"], "q2": ["a", "b"], "q4": ["c"]}
    told = correlate(x, y, "overlap", queries=["q4", "q2", "q4"])
    assert told.queries == ("q4", "q2")
    assert told.values[:, 0].tolist() == [0, 1]
    for pair in correlate_runs({"x": x, "y": y, "z": x}, "overlap", queries=iter(["q2", "q3"])).values():
        assert pair.queries == ("q2", "q3")


def test_a_query_of_one_run_alone_is_an_empty_ranking_there() -> None:
    told = correlate(
        {"q1": ["a"], "q2": ["a"]}, {"q1": ["a"], "q3": ["b"], "q4": ["b"]}, [*OVERLAPPING, "tau-b"], missing="common"
    )
    assert told.queries == ("q1", "q2", "q3", "q4")
    assert told.sizes.tolist() == [[1, 1, 1], [1, 0, 0], [0, 1, 0], [0, 1, 0]]
    assert (told.values[1:, :-1] == 0).all()
    assert np.isnan(told.values[:, -1]).all()
    assert told.mean()["Jaccard"] == 1 / 4
    notes = "\n".join(told.notes)
    assert "y has no answer 1 times where the other run has one: an empty ranking" in notes
    assert "x has no answer 2 times where" in notes
    assert "tau-b: undefined in 4 of 4, which the mean leaves out" in notes


def test_two_empty_rankings_are_not_alike_nor_different() -> None:
    asked = [one for one in METHODS if one != "rba"]
    for x, y in (([], []), ({}, {}), (np.array([]), np.array([]))):
        told = correlate(x, y, asked if isinstance(x, dict) or hasattr(x, "dtype") else asked[:-1])
        assert np.isnan(told.means).all()
        assert (told.least[0, 0], told.most[0, 0]) == pytest.approx((0, 1), abs=NEAR)
        assert told.sizes.tolist() == [[0, 0, 0]]
    for x, y in (([], ["a"]), ({"a": 1}, []), ([], {"a": 1})):
        assert (correlate(x, y, OVERLAPPING).means == 0).all()
        refused(lambda x=x, y=y: correlate(x, y, "tau-b"), "not-conjoint")  # type: ignore[misc]
        assert math.isnan(correlate(x, y, "tau-b", missing="common").value)
        assert math.isnan(correlate(x, y, "tau-b", missing="last").value)


def test_methods_have_other_names_and_come_once() -> None:
    told = correlate([*"abc"], [*"acb"], ["kendall", "TAU_B", "rho", "AO", "ao", "tau"])
    assert told.labels == ("tau-b", "spearman", "AO")
    assert [Method(name, 0.9, 10).label for name in ("rbo-a", "rba", "jaccard", "tau-ap")] == [
        "RBO-a(p=0.9)@10",
        "RBA(p=0.9)@10",
        "Jaccard@10",
        "tau-AP@10",
    ]
    assert all(Method(name, 0.9, None).ties for name in METHODS)


def test_the_reference_is_told() -> None:
    told = correlate({"a": 3, "b": 2, "c": 1}, {"a": 2, "b": 3, "c": 1}, ["tau-ap", "tau-b"], names=("human", "model"))
    assert "tau-AP: human is the reference" in told.notes
    assert told.values[0, 0] == 2 / 2 * (0 / 1 + 2 / 2) - 1
    several = correlate_runs({"one": {"q": [1, 2]}, "two": {"q": [2, 1]}, "three": {"q": [2, 1]}}, "tau-ap")
    assert "tau-AP: the first of two runs is the reference" in repr(several)


# Refusals

TIES = {"a": 2.0, "b": 2.0, "c": 1.0}
TWO = {"q1": ["a"], "q2": ["a", "b"]}
REFUSED: list[tuple[Callable[[], object], str, str]] = [
    (lambda: correlate({"q": {"a": 1}}, ["a"]), "input-type", "give two runs, or two rankings"),
    (lambda: correlate(["a"], TWO, names=("list", "dict")), "input-type", "list is one ranking and dict is a run"),
    (lambda: correlate({"a": math.nan}, {"a": 1}), "bad-score", "leave it out"),
    (lambda: correlate(np.array([math.nan]), np.array([1.0])), "bad-score", "'0'"),
    (lambda: correlate({"a": 10**400}, {"a": 1}), "bad-score", "beyond"),
    (lambda: correlate(["a", "b", "a"], ["a"]), "duplicate-document", "one place in a ranking"),
    (lambda: correlate(["a", ["b", "a"]], ["a"]), "duplicate-document", "the document a twice"),
    (lambda: correlate([1, "1"], ["a"]), "duplicate-document", "the document 1 twice"),
    (lambda: correlate({1: 0.5, "1": 0.4}, {"a": 1}), "duplicate-document", "the document 1 twice"),
    (lambda: correlate({"q": ["a", "a"]}, {"q": ["a"]}), "duplicate-document", "q"),
    (lambda: correlate([1.5, 2.0], [1.5, 2.0]), "input-type", "an array of scores, or {id: score}"),
    (lambda: correlate([1, 2], [2, 1], ["tau-b", "rbo"]), "input-type", "scores for tau-b and ids for RBO(p=0.9)"),
    (lambda: correlate([1, 2, 2], [2, 1, math.nan], "spearman"), "bad-score", "the score of '2' is not a number"),
    (lambda: correlate([1, 2, 3], [2, 1], "spearman"), "not-conjoint", "hold 3 and 2, 2 of them common"),
    (lambda: correlate({1.5: 1}, {1.5: 1}), "id-type", "text"),
    (lambda: correlate(["a", 1.5], ["a"]), "input-type", "one ranking is a list of ids"),
    (lambda: correlate([True], ["a"]), "input-type", "one ranking is a list of ids"),
    (lambda: correlate({"a", "b"}, ["a"]), "input-type", "best first"),
    (lambda: correlate({"a": "2"}, {"a": 1}), "input-type", "{id: score}"),
    (lambda: correlate(None, ["a"]), "input-type", "one ranking is"),
    (lambda: correlate("nowhere.run", TWO), "missing-file", "no such file"),
    (lambda: correlate(Run({}), Run({})), "empty-input", ""),
    (lambda: correlate(["a"], ["a"], "kendal"), "unknown-setting", "did you mean kendall?"),
    (lambda: correlate(["a"], ["a"], "tau-z"), "unknown-setting", "did you mean tau"),
    (lambda: correlate(["a"], ["a"], "zzz"), "unknown-setting", "methods are rbo rbo-w"),
    (lambda: correlate(["a"], ["a"], []), "unknown-setting", "methods are rbo"),
    (lambda: correlate(["a"], ["a"], None), "unknown-setting", "methods are rbo"),  # type: ignore[arg-type]
    (lambda: correlate(["a"], ["a"], k=0), "bad-cutoff", "from 1"),
    (lambda: correlate(["a"], ["a"], k=2.0), "bad-cutoff", "k=2.0"),  # type: ignore[arg-type]
    (lambda: correlate(["a"], ["a"], k=True), "bad-cutoff", "k=True"),
    (lambda: correlate(["a"], ["a"], missing="commmon"), "unknown-setting", "refuse, common, last"),  # type: ignore[arg-type]
    (lambda: correlate(["a"], ["a"], queries=["q"]), "conflicting-options", "queries are those of runs"),
    (lambda: correlate(TWO, TWO, queries=["q1", "q3"]), "unknown-query", "q3: neither x nor y has such a query"),
    (lambda: correlate(TWO, TWO, queries="q1"), "input-type", 'queries=["q1", "q2"]'),
    (lambda: correlate(TWO, TWO, queries=[]), "empty-input", "neither"),
    (lambda: correlate(["a"], ["b"], "tau-b"), "not-conjoint", "hold 1 and 1, 0 of them common"),
    (lambda: correlate(TWO, {"q1": ["b"], "q2": ["c"]}, "rho"), "not-conjoint", "of q1 hold 1 and 1, 0 of them"),
    (lambda: correlate(TWO, {"q1": ["b"], "q2": ["c"]}, "rho"), "not-conjoint", "(and 1 query more)"),
    (lambda: correlate(["a"], ["b"], "tau-b"), "not-conjoint", 'missing="common"'),
    (lambda: correlate({"a": 1}, {"b": 1}, "pearson"), "not-conjoint", 'missing="common"'),
    (lambda: correlate(TIES, TIES, "tau-ap"), "tied-ranking", "tau-ap-b"),
    (lambda: correlate(TIES, {"a": 1, "b": 2, "c": 3}, "tau-ap-a"), "tied-ranking", "tau-ap-b"),
    (lambda: correlate(["a"], ["a"], "pearson"), "input-type", "spearman is about ranks"),
    (lambda: correlate(TWO, TWO, "pearson"), "input-type", "spearman is about ranks"),
    (lambda: correlate(TIES, TIES, "pearson", k=2), "conflicting-options", "pearson is about all scores"),
    (lambda: correlate(TIES, TIES, "pearson", missing="last"), "conflicting-options", "missing='last'"),
    (lambda: correlate(TWO, TWO, level=1), "unknown-setting", "level=1"),
    (lambda: correlate(["a"], ["a"], level="x"), "unknown-setting", "level='x'"),  # type: ignore[arg-type]
    (lambda: correlate(TWO, TWO, seed=-1), "unknown-setting", "seed=-1"),
    (lambda: correlate(["a"], ["a"], seed=0.5), "unknown-setting", "seed=0.5"),  # type: ignore[arg-type]
    (lambda: correlate_runs({}), "conflicting-options", "there is none"),
    (lambda: correlate_runs({"bm25": TWO}), "conflicting-options", "there is bm25 only"),
    (lambda: correlate_runs([Run(TWO, "a"), Run(TWO, "a")]), "run-names", "'a'"),
    (lambda: correlate_runs({"a": TWO, "b": {"q1": {"a": math.nan}}}), "bad-score", "b"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "slug", "text"), REFUSED)
def test_what_cannot_be_said_is_refused(call: Callable[[], object], slug: str, text: str) -> None:
    assert text in str(refused(call, slug))


@pytest.mark.parametrize("p", [0, 1, -0.1, 1.5, math.nan, math.inf, "0.9", None, True])
def test_persistence_lies_between_0_and_1(p: Any) -> None:
    for method in ("rbo", "rba", "tau-b"):
        assert f"p={p!r}" in str(refused(lambda method=method: correlate(["a"], ["a"], method, p=p), "bad-parameter"))  # type: ignore[misc]


@pytest.mark.parametrize("names", [(), ("a",), ("a", "a"), "ab", ("a", "b", "c"), ("a", ""), ("a", 3)])
def test_two_names_are_needed(names: Any) -> None:
    for x in (["a"], TWO):
        assert "names=['human', 'model']" in str(refused(lambda x=x: correlate(x, x, names=names), "run-names"))  # type: ignore[misc]


# Numbers that others have stored


def records(tool: str) -> list[dict[str, Any]]:
    """What a tool gave for two vectors of scores."""
    return [entry for entry in of_two_rankings() if entry["case"].startswith("RC") and entry["tool"] == tool]


def test_the_golden_numbers_of_scipy() -> None:
    names = {
        "spearmanr": "spearman",
        "kendalltau(b)": "tau-b",
        "kendalltau(c)": "tau-c",
        "weightedtau": "weighted-tau",
        "weightedtau(rank=None)": "weighted-tau-reference",
        "pearsonr": "pearson",
    }
    checked = [one for one in records("scipy") if one["metric"] in names]
    assert len(checked) == 6 * 6
    for one in checked:
        x, y = np.array(one["x"]), np.array(one["y"])
        told = correlate(x, y, names[one["metric"]])
        assert told.value == pytest.approx(float(one["value"]), abs=4e-15, nan_ok=True), one


def test_renamed_documents_correlate_as_before() -> None:
    """Quirk B77: repro_eval correlates alphabetical positions and gives .8 for one and 0 for the other."""
    stored = of_two_rankings()
    renamed = [one for one in stored if one["case"] == "RL7_rename" and one["metric"].startswith("K")]
    (right,) = (one for one in stored if one["metric"] == "kendalltau of rank positions")
    assert [one["value"] for one in renamed] == [0.8, 0.0]
    found = [correlate(one["x"], one["y"], [*FREE, "tau-ap"]) for one in (*renamed, right)]
    for one in found:
        assert one.mean()["tau-b"] == pytest.approx(right["value"], abs=NEAR)
        same(one, found[0])


def test_the_notebook_case_of_rank_correlation() -> None:
    cases = {one["measure"]: one for one in NOTEBOOKS if one["case"] == "rank correlation with ties"}
    rho, p = cases["Spearman rho (Pearson of the average ranks)"], cases["p value of Spearman rho"]
    x, y = (np.array(side) for side in rho["inputs"].values())
    told = correlate(x, y, "spearman")
    assert told.value == pytest.approx(rho["value"], abs=NEAR)
    assert told.p == pytest.approx(p["value"], abs=NEAR)
    assert told.tied == 1


def test_five_items_show_little() -> None:
    """Whether nDCG@3 of five encoders tells how good answers are; two of ten pairs are swapped."""
    measured = {"e1": 0.61, "e2": 0.67, "e3": 0.72, "e4": 0.75, "e5": 0.81}
    answers = {"e1": 0.58, "e2": 0.42, "e3": 0.5, "e4": 0.63, "e5": 0.7}
    told = correlate(measured, answers, ["tau-b", "spearman", "tau-ap"], names=("nDCG@3", "RAG accuracy"))
    assert (told.mean()["tau-b"], told.mean()["spearman"], round(told.mean()["tau-AP"], 3)) == (0.6, 0.7, 0.708)
    ((slug, text),) = told.warnings
    assert slug == "few-items"
    assert text == (
        "5 items are few: tau-b of 0.6 has p = 0.233, spearman of 0.7 has p = 0.188, tau-AP of 0.7083; "
        "report p beside it"
    )
    assert "tau-AP: nDCG@3 is the reference" in told.notes
    assert "nDCG@3 and RAG accuracy: 5 and 5 items, 5 common" in repr(told)
    assert f"{text} [few-items]" in " ".join(repr(told).split())
    for alone in ("tau-ap", "tau-ap-b", "weighted-tau"):
        assert correlate(measured, answers, alone).warnings[0][0] == "few-items"


def test_many_items_need_no_warning() -> None:
    ten = {str(one): one for one in range(10)}
    assert correlate(ten, ten, "tau-b").warnings == ()
    nine = {str(one): one for one in range(9)}
    ((_, text),) = correlate(nine, nine, "tau-b").warnings
    assert text == "9 items are few: tau-b of 1 has p < 0.001; report p beside it"
    assert correlate(nine, nine, DEFAULT).warnings == ()  # overlaps do not test anything
    assert correlate([], [], "tau-b").warnings == ()
    assert correlate(nine, {"0": 1, "x": 2}, "tau-b", missing="last").warnings == ()  # 10 of both together


# Results


def test_one_method_is_a_number() -> None:
    told = correlate(["a", "b", "c"], ["a", "c", "d"], p=0.9)
    assert float(told) == told.value == told.means[0] == told.mean()["RBO(p=0.9)"]
    assert (told.min, told.max) == (told.least[0, 0], told.most[0, 0])
    assert told.min < told.value < told.max
    assert told.residual == told.max - told.min
    assert math.isnan(told.p)
    plain = correlate([1, 2], [1, 2], "tau-b")
    assert (plain.p, plain.value) == (1, 1)
    assert all(math.isnan(one) for one in (plain.min, plain.max, plain.residual))
    two = {"q1": ["a", "b"], "q2": ["a"]}, {"q1": ["b", "a"], "q2": ["a"]}
    over = correlate(*two)
    assert over.min == pytest.approx(float(over.least.mean()), abs=NEAR)
    assert over.value == pytest.approx((over.of("q1")["RBO(p=0.9)"] + over.of("q2")["RBO(p=0.9)"]) / 2, abs=NEAR)


def test_several_methods_are_no_number() -> None:
    told = correlate(TWO, TWO, ["rbo", "overlap"])
    for ask in (lambda: float(told), lambda: told.value, lambda: told.min, lambda: told.max, lambda: told.residual):
        assert "mean()" in str(refused(ask, "not-measured"))
    assert "mean()" in str(refused(lambda: correlate([1], [1], ["rbo", "overlap"]).p, "not-measured"))
    refused(lambda: told.of("q9"), "not-measured")
    assert "there is no method jaccard" in str(refused(lambda: told.lowest(3, "jaccard"), "not-measured"))


def test_the_least_alike_come_first() -> None:
    x = {"q1": ["a", "b"], "q2": ["a"], "q3": ["a", "b"], "q4": ["c"]}
    y = {"q1": ["a", "b"], "q2": ["b"], "q3": ["a", "c"], "q4": ["c"], "q5": ["d"]}
    told = correlate(x, y, ["overlap", "jaccard"])
    assert [(one.query, one.value) for one in told.lowest(3)] == [("q2", 0), ("q5", 0), ("q3", 0.5)]
    assert told.lowest(3)[2][2:] == (2, 2, 1)
    assert told.lowest(9, "Jaccard") == told.lowest(9, "jaccard")
    assert told.lowest(9, "jaccard")[2].value == 1 / 3
    assert told.lowest(0) == told.lowest(-1) == []
    assert "least alike by overlap: q2 0.0000, q3 0.5000, q1 1.0000\n" in repr(told)
    assert "least alike" not in repr(correlate(x, x))


@pytest.fixture(scope="module")
def found() -> Correlation:
    x = {f"q{q}": [f"d{(one * q) % 11}" for one in range(1, 9)] for q in range(1, 7)}
    y = {f"q{q}": {f"d{(one * q) % 7}": one // 2 for one in range(1, 7)} for q in range(1, 8)}
    return correlate(x, y, ["rbo", "jaccard", "tau-b"], missing="common", k=5, names=("one & all", "<other>"))


def test_frames_hold_each_query(found: Correlation) -> None:
    frame = found.to_frame()
    assert frame.columns == [
        "query",
        "n_first",
        "n_second",
        "n_common",
        "RBO(p=0.9)@5",
        "RBO(p=0.9)@5 min",
        "RBO(p=0.9)@5 max",
        "Jaccard@5",
        "tau-b@5",
    ]
    assert frame["query"].to_list() == list(found.queries)
    assert frame["RBO(p=0.9)@5"].to_list() == found.values[:, 0].tolist()
    assert frame["tau-b@5"].fill_null(math.nan).to_list() == pytest.approx(found.values[:, 2].tolist(), nan_ok=True)
    assert frame["n_common"].to_list() == found.sizes[:, 2].tolist()
    pandas = found.to_frame("pandas")
    assert list(pandas.columns) == frame.columns
    assert pandas["Jaccard@5"].tolist() == frame["Jaccard@5"].to_list()
    refused(lambda: found.to_frame("numpy"), "unknown-setting")  # type: ignore[arg-type]
    assert "tau-b p" in correlate([1, 2], [2, 1], "tau-b").to_frame().columns


def test_json_holds_everything(found: Correlation) -> None:
    told = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert (told["schema"], told["names"], told["methods"]) == (
        "rankworth.rankings/1",
        list(found.names),
        list(found.labels),
    )
    assert [one["value"] for one in told["means"]] == found.means.tolist()
    assert [one["queries"] for one in told["means"]] == (~np.isnan(found.values)).sum(axis=0).tolist()
    assert [(one["low"], one["high"]) for one in told["means"]] == list(found.interval().values())
    assert {query: one["Jaccard@5"] for query, one in told["per_query"].items()} == {
        query: found.of(query)["Jaccard@5"] for query in found.queries
    }
    few = correlate([1, 2, 3], [1, 3, 2], "tau-b").to_dict()
    assert few["warnings"][0]["slug"] == "few-items"
    assert few["means"][0]["p"] == 1
    json.dumps(correlate([], [], ["rbo", "tau-b"]).to_dict(), allow_nan=False)


def test_papers_and_pages_hold_the_numbers(found: Correlation) -> None:
    mean, low, high = (f"{one[0]:.4f}" for one in (found.means, found.low, found.high))
    markdown, latex, page = found.to_markdown(), found.to_latex(), found.to_html(page=True)
    assert f"| RBO(p=0.9)@&#8203;5 | {mean} ({low}…{high}) |" in markdown  # nobody called 5 is called
    assert rf"RBO(p=0.9)@5 & {mean} {{\scriptsize [{low}, {high}]}} &" in latex
    assert mean in page
    assert "one &amp; all" in page
    assert "&lt;other&gt;" in page
    assert found._repr_html_() in found.to_html()
    assert f"{found.means[0]:.2f}" in found.to_markdown(digits=2)


@pytest.fixture(scope="module")
def several() -> Correlations:
    chance = np.random.default_rng(5)
    runs = {
        f"system-{name}": {f"q{q}": [str(one) for one in chance.permutation(30)[:12]] for q in range(8)}
        for name in "abcdef"
    }
    runs["system-c"].pop("q3")
    return correlate_runs(runs, missing="common", method=(*DEFAULT, "tau-b"), k=10)


def test_several_runs_are_a_mapping(several: Correlations) -> None:
    assert len(several) == len(list(several)) == 6 * 5 // 2
    assert next(iter(several)) == ("system-a", "system-b")
    assert several["system-c", "system-f"].names == ("system-c", "system-f")
    with pytest.raises(KeyError):
        several["system-f", "system-c"]


def test_several_runs_are_one_frame(several: Correlations) -> None:
    frame = several.to_frame()
    assert frame.height == 15 * 4
    assert frame["value"].to_list() == [value for one in several.values() for value in one.means.tolist()]
    each = several.to_frame(per_query=True)
    assert each.height == sum(len(one.queries) for one in several.values())
    assert each.columns[:3] == ["first", "second", "query"]
    part = each.filter((pl.col("first") == "system-b") & (pl.col("second") == "system-e"))
    assert part.drop("first", "second").equals(several["system-b", "system-e"].to_frame())
    assert list(several.to_frame("pandas", per_query=True).columns) == each.columns
    told = json.loads(json.dumps(several.to_dict(), allow_nan=False))
    assert [one["names"] for one in told["pairs"]] == [list(pair) for pair in several]
    assert len(several.flat().columns[0].values) == 60
    assert len(several.flat("queries").columns[0].values) == each.height


def test_one_pair_of_runs_looks_like_two_runs() -> None:
    told = correlate_runs({"a": TWO, "b": TWO})
    assert repr(told) == repr(told["a", "b"])
    assert told.to_markdown() == told["a", "b"].to_markdown()


def test_sheets_of_several_runs_tell_what_is_left_out(several: Correlations) -> None:
    text = " ".join(repr(several).split())
    assert text.startswith("6 runs, each with each, over 8 queries")
    assert "times where the other run has one: an empty ranking" in text
    assert " of one alone are left out" in text
    undefined = sum(int(np.isnan(one.values[:, 3]).sum()) for one in several.values())
    assert f"tau-b@10: undefined in {undefined} of 120, which the mean leaves out" in text
    assert "which the means leave out" not in repr(correlate_runs({"a": TWO, "b": TWO, "c": TWO}))
    assert "| system-a | system-b |" in several.to_markdown()
    assert "system-a & system-b &" in several.to_latex()


def test_tables_fit_80_columns(found: Correlation, several: Correlations) -> None:
    tied = {"q1": {"a": 1, "b": 1}, "q2": {"a": 1, "b": 0}}
    for told in (
        found,
        several,
        correlate(tied, tied, FREE),
        correlate(TIES, TIES, FREE),
        correlate_runs([Run(tied, one) for one in "abc"], FREE),
    ):
        text = show(told.sheets(), "table", Look(width=80))
        assert max(len(line) for line in text.splitlines() if "|rankworth:" not in line) <= 80, text
        assert "nan" not in text.lower().replace("n/a", "")


def test_what_ties_mean_is_told_where_there_are_any() -> None:
    tied = {"q1": {"a": 1, "b": 1}, "q2": {"a": 1, "b": 0}}
    told = correlate(tied, {"q1": ["a", "b"], "q2": ["a", "b"]}, ["rbo", "tau-b"])
    assert told.tied == 1
    assert (
        "ties in 1 of 2 queries: RBO(p=0.9): tied documents have the same rank; tau-b: ties are taken into account"
        in told.notes
    )
    assert not any("equal scores" in note for note in correlate(TWO, TWO).notes)
    below = correlate({"a": 2, "b": 1, "c": 1}, ["a", "b", "c"], k=1)  # ties behind the cutoff do not matter
    assert below.tied == 0


def test_each_run_is_read_once_however_many_there_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = [tmp_path / f"{name}.run" for name in "abcd"]
    for place, path in enumerate(paths):
        path.write_text(f"q1 Q0 d{place} 1 2 x\nq1 Q0 d 2 1 x\n")
    read: list[str] = []
    batches = Run.batches

    def counted(run: Run, *given: Any, **said: Any) -> Any:
        read.append(run.name)
        return batches(run, *given, **said)

    monkeypatch.setattr(Run, "batches", counted)
    assert len(correlate_runs(paths, "overlap", k=2, queries=["q1"])) == 6
    assert sorted(read) == ["a", "b", "c", "d"]


def steps(found: Correlation) -> list[str]:
    """The sentences below the table in which numbers are computed."""
    return [note for note in found.sheets()[0].notes if re.search(r"= -?\d\.\d{4}", note)]


@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=9)
    | st.permutations(range(7)).map(lambda order: list(enumerate(order)))
)
def test_the_steps_that_are_printed_give_the_coefficients(scores: list[tuple[int, int]]) -> None:
    x, y = (list(side) for side in zip(*scores, strict=True))
    found = correlate(x, y, ["tau-a", "tau-b", "tau-c", "gamma", "spearman"])
    computed = {}
    for sentence in steps(found):
        *_, expression, value = re.split("= |: |textbooks, ", sentence.partition(", holds")[0])
        number = eval(expression.replace("^", "**"), {"sqrt": math.sqrt})  # noqa: S307 - made here
        assert number == pytest.approx(float(value), abs=5.1e-5)
        computed[sentence.split()[0]] = number
    shortcut = computed.pop("the", None)
    is_tied = len({*x}) < len(x) or len({*y}) < len(y)
    ranks = zip(stats.rankdata(x), stats.rankdata(y), strict=True)
    expected = 1 - 6 * sum((one - other) ** 2 for one, other in ranks) / (len(x) ** 3 - len(x))
    assert shortcut is None or shortcut == pytest.approx(expected, abs=NEAR)
    known = {name: value for name, value in found.mean().items() if not math.isnan(value)}
    assert computed == {name: pytest.approx(value, abs=NEAR) for name, value in known.items()}
    assert (shortcut is not None) == (is_tied and "spearman" in known)


def test_the_ranks_are_listed_in_the_order_of_the_scores_and_d_is_squared() -> None:
    found = correlate([1, 2, 3, 4, 5], [2, 1, 2, 4, 5], "spearman", names=("mine", "yours"))
    [_, ranks] = found.sheets()
    assert [column.name for column in ranks.columns] == ["item", "rank in mine", "rank in yours", "d", "d^2"]
    assert list(zip(*(column.values for column in ranks.columns), strict=True)) == [
        ("0", "5", "3.5", "1.5", "2.25"),
        ("1", "4", "5", "-1", "1"),
        ("2", "3", "3.5", "-0.5", "0.25"),
        ("3", "2", "2", "0", "0"),
        ("4", "1", "1", "0", "0"),
    ]
    assert ranks.notes == ("d^2 adds up to 3.5",)
    assert steps(found)[1].startswith("the formula of textbooks, 1 - 6 * 3.5 / (5 * (5^2 - 1)) = 0.8250, holds without")
    assert "d^2" not in repr(correlate([1, 2, 3, 4, 5], [2, 1, 2, 4, 5], "kendall"))
    assert len(correlate(list(range(21)), list(range(21)), "spearman").sheets()) == 1


@pytest.mark.parametrize(
    ("missing", "items", "pairs"),
    [("last", ["a", "b", "c", "d"], "4 concordant"), ("common", ["a", "b"], "0 concordant")],
)
def test_the_steps_are_those_of_the_items_that_count(missing: Any, items: list[str], pairs: str) -> None:
    found = correlate(["a", "b", "c"], ["b", "a", "d"], ["tau-b", "spearman"], missing=missing)
    assert list(found.sheets()[1].columns[0].values) == items
    assert found.sheets()[0].notes[0].startswith(f"pairs of items: {pairs}")


def test_overlaps_and_runs_have_no_steps() -> None:
    assert correlate(["a", "b"], ["b", "a"], "rbo").steps is None
    runs = {"q": {"a": 2.0, "b": 1.0}}, {"q": {"a": 1.0, "b": 2.0}}
    assert correlate(*runs, "spearman").steps is None
