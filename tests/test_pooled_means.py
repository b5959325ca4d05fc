"""Pooled means: the sum of numerators over the sum of denominators, with the interval of a ratio estimator."""

import math
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import rankworth as rw

pytestmark = pytest.mark.filterwarnings("ignore::rankworth.RankworthWarning")

QRELS: Final = {"q1": {"a": 1}, "q2": {"a": 1, "b": 1, "c": 1, "d": 0}, "q3": {"e": 0}, "q4": {"f": 1, "g": 1}}
RUN: Final = {"q1": ["a", "x"], "q2": ["d", "a", "b"], "q3": ["e"]}
"""q4 has no results"""
POOLED: Final = {
    "micro(P@2)": (1 + 1 + 0 + 0) / (2 + 2 + 2 + 2),
    "micro(R@2)": (1 + 1 + 0 + 0) / (1 + 3 + 0 + 2),
    "micro(R(norm=min(k,R))@2)": (1 + 1 + 0 + 0) / (1 + 2 + 0 + 2),
    "micro(P)": (1 + 2 + 0 + 0) / (2 + 3 + 1 + 0),
    "micro(R)": (1 + 2 + 0 + 0) / (1 + 3 + 0 + 2),
    "micro(F)": 2 * (1 + 2) / ((2 + 1) + (3 + 3) + (1 + 0) + (0 + 2)),
    "micro(F(beta=2))": 5 * (1 + 2) / ((2 + 4 * 1) + (3 + 4 * 3) + (1 + 4 * 0) + (0 + 4 * 2)),
    "micro(Rprec)": (1 + 2 + 0 + 0) / (1 + 3 + 0 + 2),
    "micro(FallOut@1)": (0 + 1 + 1 + 0) / (1 + 1 + 1 + 0),
}
GRADES: Final = st.dictionaries(st.sampled_from("abcdef"), st.sampled_from([0, 1]), min_size=1)
COLLECTIONS: Final = st.dictionaries(st.sampled_from(["q1", "q2", "q3", "q4"]), GRADES, min_size=2)


@pytest.mark.parametrize(("measure", "right"), POOLED.items())
def test_numerators_and_denominators_are_added_up(measure: str, right: float) -> None:
    values = rw.evaluate(QRELS, RUN, [measure])
    assert values[measure] == pytest.approx(right, abs=1e-15)
    assert str(values.measures[0]) == measure


def test_a_pooled_mean_is_a_setting_too() -> None:
    assert rw.P(micro=True) @ 10 == rw.micro(rw.P @ 10) == rw.parse("P(micro=True)@10") == rw.parse("micro(P@10)")
    assert rw.micro(rw.P)(micro=False) == rw.P
    assert rw.parse("micro(GroupR@5)") == rw.parse("micro(StRecall@5)")


@given(COLLECTIONS, COLLECTIONS)
def test_it_is_the_mean_weighted_by_denominators(qrels: dict[str, Any], run: dict[str, Any]) -> None:
    assume(qrels.keys() & run.keys())
    measures = ["R@3", "micro(R@3)", "micro(P@3)", "P@3"]
    values = rw.evaluate(qrels, {query: list(documents) for query, documents in run.items()} | {"q9": ["a"]}, measures)
    relevant = {query: sum(grades.values()) for query, grades in qrels.items()}
    of_queries = values.per_query.to_dict()
    plain = {query: of_queries[query]["R@3"] for query in qrels}
    total = sum(relevant.values())
    weighted = sum(relevant[query] * plain[query] for query in qrels) / total if total else math.nan
    assert values["micro(R@3)"] == pytest.approx(weighted, nan_ok=True)
    assert values["micro(P@3)"] == pytest.approx(values["P@3"])


def test_it_is_what_scikit_learn_says_of_indicators() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    documents = sorted(
        {document for grades in (*QRELS.values(), *map(dict.fromkeys, RUN.values())) for document in grades}
    )
    truth = [[QRELS[query].get(document, 0) for document in documents] for query in QRELS]
    found = [[int(document in RUN.get(query, ())) for document in documents] for query in QRELS]
    values = rw.evaluate(QRELS, RUN, ["micro(P)", "micro(R)", "micro(F)"])
    scores = (metrics.precision_score, metrics.recall_score, metrics.f1_score)
    assert list(values.mean().values()) == pytest.approx(
        [score(truth, found, average="micro") for score in scores], abs=1e-15
    )


def test_recall_of_kinds_of_events() -> None:
    """OTTO: hits of all sessions over the sum of min(20, relevant), for each kind."""
    wanted = {"s1 clicks": range(25), "s1 orders": [100], "s2 clicks": [7], "s2 orders": [8, 9]}
    qrels = {query: {str(item): 1 for item in items} for query, items in wanted.items()}
    shown = {query: [str(item) for item in range(20)] for query in qrels}
    kinds = {query: query.split()[1] for query in qrels}
    values = rw.evaluate(qrels, shown, ["micro(R(norm=min(k,R))@20)"], by=kinds)
    of_kinds = {kind: part.mean()["micro(R(norm=min(k,R))@20)"] for kind, part in values.slices.items()}
    assert of_kinds == {"clicks": (20 + 1) / (20 + 1), "orders": (0 + 2) / (1 + 2)}


def test_the_interval_is_that_of_the_jackknife() -> None:
    hits, sizes = [1, 2, 0, 0], [1, 3, 0, 2]
    pooled = sum(hits) / sum(sizes)
    without = [(sum(hits) - hit) / (sum(sizes) - size) for hit, size in zip(hits, sizes, strict=True)]
    pseudo = [pooled + 3 * (sum(without) / 4 - each) for each in without]
    error = math.sqrt(sum((each - sum(pseudo) / 4) ** 2 for each in pseudo) / 3 / 4)
    half = 3.182446305284263 * error  # t of 3 degrees of freedom
    interval = rw.evaluate(QRELS, RUN, ["micro(R)"]).interval()["micro(R)"]
    assert (interval.low, interval.high) == pytest.approx((max(0, pooled - half), min(1, pooled + half)))


def test_pooled_means_are_compared_and_stored(tmp_path: Path) -> None:
    queries = [f"q{number}" for number in range(20)]
    qrels = {query: {f"d{place}": 1 for place in range(1 + number % 5)} for number, query in enumerate(queries)}
    old = {query: ["d0"] for query in queries}
    new = {query: [f"d{place}" for place in range(4)] for query in queries}
    sides = {"old": rw.evaluate(qrels, old, ["micro(R)"]), "new": rw.evaluate(qrels, new, ["micro(R)"])}
    told = rw.compare(runs=sides)
    relevant = sum(1 + number % 5 for number in range(20))
    found = sum(min(4, 1 + number % 5) for number in range(20))
    assert told.differences[0].difference == pytest.approx((found - 20) / relevant)
    assert told.differences[0].word == "better"
    sides["new"].save(tmp_path / "new.json")
    [stored] = rw.load(tmp_path / "new.json").values()
    assert stored.mean() == sides["new"].mean()
    again = rw.compare(runs={"old": sides["old"], "new": stored})
    assert again.differences[0].difference == told.differences[0].difference


@pytest.mark.parametrize(
    ("measure", "why"),
    [
        ("micro(AP)", "has no numerator and denominator"),
        ("micro(RR)", "has no numerator and denominator"),
        ("micro(nDCG@10)", "has no numerator and denominator"),
        ("micro(MedianRank)", "has another mean already"),
        ("micro(gmean(P))", "and not a geometric mean"),
        ("gmean(micro(P))", "and not a pooled mean"),
        ("micro(micro(P))", "and not a pooled mean again"),
        ("micro(NumRel)", "is counted"),
        ("P(micro=2)", "micro is True or False"),
    ],
)
def test_measures_without_a_pooled_mean_are_refused(measure: str, why: str) -> None:
    with pytest.raises(rw.MeasureError, match=why):
        rw.parse(measure)


@pytest.mark.parametrize(
    "further", [{"weights": dict.fromkeys(QRELS, 1)}, {"macro": dict.fromkeys(QRELS, "a")}, {"bounds": "ties"}]
)
def test_what_says_how_queries_count_is_refused(further: Any) -> None:
    with pytest.raises(
        rw.UsageError, match=r"micro\(R\) (is measured on all queries together|has no value of a query)"
    ):
        rw.evaluate(QRELS, RUN, ["micro(R)"], **further)


@pytest.mark.parametrize("by", ["ties", "unjudged"])
def test_bounds_of_a_pooled_mean_are_refused_with_a_remedy_that_is_true(by: str) -> None:
    with pytest.raises(rw.UsageError) as caught:
        rw.evaluate(QRELS, RUN, ["micro(R)"], bounds=by)
    assert str(caught.value).splitlines()[0].startswith("micro(R) has no value of a query")
    assert caught.value.remedy == "evaluate without bounds, or take those of a measure of queries, as P@10"
    rw.evaluate(QRELS, RUN, ["P@10", "micro(R)"], bounds=by)
