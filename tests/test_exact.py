"""Recall of approximate runs against exact ones: the formula of ann-benchmarks, ties, duplicates, what is refused."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankworth as rw

Run = dict[str, dict[str, float]]
EXACT: Run = {
    "q1": {"a": 0.9, "b": 0.8, "c": 0.7, "d": 0.7, "e": 0.5},
    "q2": {"a": 3.0, "b": 2.0, "c": 1.0, "d": 0.0, "e": -1.0},
}
distances = st.lists(st.sampled_from([0.0, 0.125, 0.25, 0.5, 0.5004, 0.5016, 1.0, 2.0]), min_size=12, max_size=12)


def recall(run: Any, *measures: str, exact: Any = EXACT, **options: Any) -> dict[str, dict[str, float]]:
    """The values of queries."""
    return rw.evaluate_exact(exact, {"ann": run}, measures, **options)["ann"].per_query.to_dict()


def of_ann_benchmarks(true: np.ndarray, returned: np.ndarray, count: int, epsilon: float = 1e-3) -> float:
    """`knn` of ann-benchmarks: distances of the nearest, ascending, and true distances of what was returned."""
    threshold = true[count - 1] + epsilon
    return float(np.sum(returned[:count] <= threshold) / count)


@settings(max_examples=60, deadline=None)
@given(distances, st.data())
def test_values_are_those_of_ann_benchmarks(corpus: list[float], data: st.DataObject) -> None:
    names = [f"d{number}" for number in range(len(corpus))]
    order = sorted(range(len(corpus)), key=corpus.__getitem__)
    depth = data.draw(st.integers(5, len(corpus)))
    exact = {"q": {names[place]: -corpus[place] for place in order[:depth]}}
    found = data.draw(st.lists(st.sampled_from(range(len(corpus))), unique=True, min_size=1))
    run = {"q": {names[place]: -corpus[place] for place in found}}
    true, returned = np.sort(corpus), np.sort([corpus[place] for place in found])
    values = recall(run, "R@1", "R@3", "R@5", exact=exact)["q"]
    assert values == {f"R@{count}": of_ann_benchmarks(true, returned, count) for count in (1, 3, 5)}


@pytest.mark.parametrize("measures", [("R@1",), ("R@5", "R@2"), ("Recall@3", "R@4", "R@1,2")])
def test_a_run_against_itself_is_complete(measures: tuple[str, ...]) -> None:
    values = recall(EXACT, *measures)
    assert {value for of_query in values.values() for value in of_query.values()} == {1.0}


CASES: dict[str, tuple[dict[str, float], dict[str, float]]] = {
    "the k nearest in another order": ({"c": 0.7, "a": 0.9, "b": 0.8}, {"R@1": 1, "R@3": 1}),
    "one that is tied with the k-th": ({"a": 0.9, "b": 0.8, "d": 0.7}, {"R@1": 1, "R@3": 1}),
    "both that are tied": ({"a": 0.9, "c": 0.7, "d": 0.7}, {"R@1": 1, "R@3": 2 / 3 + 1 / 3}),
    "one that is as near and not in the exact run": ({"a": 0.9, "z": 0.7, "b": 0.8}, {"R@1": 1, "R@3": 1}),
    "one within the tolerance": ({"a": 0.9, "z": 0.6995, "b": 0.8}, {"R@1": 1, "R@3": 1}),
    "one beyond the tolerance": ({"a": 0.9, "z": 0.698, "b": 0.8}, {"R@1": 1, "R@3": 2 / 3}),
    "too few": ({"b": 0.8}, {"R@1": 0, "R@3": 1 / 3}),
    "scores that were rounded": ({"a": 0.5, "b": 0.4, "c": 0.3}, {"R@1": 1, "R@3": 1}),
    "more than k": ({"a": 0.9, "b": 0.8, "c": 0.7, "d": 0.7, "e": 0.5}, {"R@1": 1, "R@3": 1}),
}


@pytest.mark.parametrize("case", CASES)
def test_a_document_counts_if_it_is_as_near_as_the_kth(case: str) -> None:
    run, expected = CASES[case]
    values = recall({"q1": run}, "R@1", "R@3", exact={"q1": EXACT["q1"]})["q1"]
    assert values == {label: pytest.approx(value, abs=1e-15) for label, value in expected.items()}


def test_the_tolerance_is_in_units_of_the_score() -> None:
    run = {"q1": {"a": 0.9, "z": 0.6, "b": 0.8}}
    exact = {"q1": EXACT["q1"]}
    values = [recall(run, "R@3", exact=exact, tolerance=tolerance)["q1"]["R@3"] for tolerance in (0, 0.05, 0.2)]
    assert values == [2 / 3, 2 / 3, 1.0]


def test_a_document_that_came_back_twice_counts_once() -> None:
    rows = [("q1", "a", 0.9), ("q1", "a", 0.9), ("q1", "b", 0.8)]
    assert recall(rows, "R@1", "R@2", "R@3", exact={"q1": EXACT["q1"]})["q1"] == {"R@1": 1.0, "R@2": 1.0, "R@3": 2 / 3}


def test_the_measures_asked_for_together_have_the_values_that_each_has_alone() -> None:
    run = {"q1": {"a": 0.9, "x": 0.85, "d": 0.7, "e": 0.5}, "q2": {"b": 2.0, "e": -1.0}}
    together = recall(run, "R@1", "R@2", "R@3", "R@5")
    for label in ("R@1", "R@2", "R@3", "R@5"):
        assert {query: {label: values[label]} for query, values in together.items()} == recall(run, label)


def test_a_query_without_an_answer_is_zero_and_the_signature_says_what_judged() -> None:
    with pytest.warns(rw.RankworthWarning, match="many-unanswered"):
        values = rw.evaluate_exact(EXACT, {"ann": {"q1": EXACT["q1"]}}, ["R@3"])["ann"]
    assert values.per_query.to_dict() == {"q1": {"R@3": 1.0}, "q2": {"R@3": 0.0}}
    assert values["R@3"] == 0.5
    assert values.measures == (rw.R @ 3,)
    assert values.signatures["R@3"].startswith("R@3|profile:standard-1|duplicates:best|")
    assert values.signatures["R@3"].endswith("|exact:0.001")


def test_two_runs_against_one_exact_run_can_be_compared() -> None:
    runs = {"hnsw": {query: dict(list(inner.items())[:2]) for query, inner in EXACT.items()}, "flat": EXACT}
    found = rw.evaluate_exact(EXACT, runs, ["R@3"])
    row = rw.compare(runs=found, resamples=100).to_frame().row(0, named=True)
    assert row["difference"] == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("exact", "run", "options", "slug", "problem"),
    [
        (EXACT, EXACT, {"measures": ["R@9"]}, "refused-input", "R@9: the exact run has 5 documents for query q1"),
        (
            EXACT,
            EXACT,
            {"measures": ["nDCG@3"]},
            "conflicting-options",
            "nDCG@3: against an exact run only R@k is defined",
        ),
        (EXACT, EXACT, {"measures": ["R"]}, "conflicting-options", "R: against an exact run only R@k is defined"),
        (EXACT, EXACT, {"measures": ["R(norm=min(k,R))@3"]}, "conflicting-options", "R(norm=min(k,R))@3: against"),
        (EXACT, EXACT, {"tolerance": -1}, "unknown-setting", "tolerance=-1 is not a number from 0"),
        (EXACT, EXACT, {"tolerance": float("nan")}, "unknown-setting", "tolerance=nan is not a number from 0"),
    ],
)
def test_what_tells_nothing_is_refused(exact: Any, run: Any, options: dict[str, Any], slug: str, problem: str) -> None:
    with pytest.raises(rw.RankworthError) as caught:
        rw.evaluate_exact(exact, {"ann": run}, **({"measures": ["R@3"]} | options))
    assert caught.value.slug == slug
    assert caught.value.problems[0].startswith(problem)


def test_files_are_read_as_runs_and_columns_may_be_distances(tmp_path: Path) -> None:
    lines = [f"{query},{name},{-score}\n" for query, inner in EXACT.items() for name, score in inner.items()]
    for name in ("exact.csv", "ann.csv"):
        (tmp_path / name).write_text("query,document,l2\n" + "".join(lines[: 10 if name == "exact.csv" else 7]))
    exact, ann = (str(tmp_path / name) for name in ("exact.csv", "ann.csv"))
    found = rw.evaluate_exact(exact, [ann], ["R@5"], columns={"score": "-l2"})["ann"]
    assert found.per_query.to_dict() == {"q1": {"R@5": 1.0}, "q2": {"R@5": 2 / 5}}


@pytest.mark.parametrize(
    ("exact", "run", "value"),
    [
        ([["a", "b", "c"]], [["a", "c", "x"]], 2 / 3),
        ([["a", "b", "c", "d"]], [["d", "b", "c"]], 2 / 3),
        ([["a", "b", "c"]], {"0": {"a": 0.9, "c": 0.8, "x": 0.95}}, 2 / 3),
        ({"0": {"a": 0.9, "b": 0.8, "c": 0.7, "d": 0.7}}, [["a", "d", "x"]], 2 / 3),  # tied with the third
        ({"0": {"a": 0.9, "b": 0.8, "c": 0.7, "d": 0.6995}}, [["a", "d", "x"]], 2 / 3),  # within the tolerance
        ([["a", "b", "c"]], [["c"]], 1 / 3),
    ],
)
def test_without_scores_ids_tell_and_it_is_said(exact: Any, run: Any, value: float) -> None:
    with pytest.warns(rw.RankworthWarning, match="no scores, so ids tell"):
        found = rw.evaluate_exact(exact, {"ann": run}, ["R@3"])["ann"]
    assert found["R@3"] == value
    assert "exact:ids" in found.signatures["R@3"]
    assert [notice.slug for notice in found.notices if notice.slug == "recall-by-ids"] == ["recall-by-ids"]


def test_with_scores_on_both_sides_nothing_is_said() -> None:
    found = rw.evaluate_exact(EXACT, {"ann": EXACT}, ["R@3"])["ann"]
    assert not found.notices
    assert "exact:0.001" in found.signatures["R@3"]
