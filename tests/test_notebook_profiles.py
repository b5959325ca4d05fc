"""The four notebooks as their authors meant them: the values of their examples, and the defects that stay theirs."""

import json
import warnings
from pathlib import Path
from typing import Any, Final

import pytest

import rankworth as rw

CASES: Final = json.loads((Path(__file__).parent / "data" / "notebook_cases.json").read_text(encoding="utf-8"))
SCENARIOS: Final = {
    "RR (relevant from grade 2)": "MRR",
    "AP@3 (relevant from grade 1)": "mAP@3",
    "nDCG@3 (exponential gain)": "nDCG@3",
}
TUTORIAL: Final = {
    "recall@{} with min(k, relevant) as denominator": "recall@{}",
    "MRR@{}": "MRR@{}",
    "precision@{}": "precision@{}",
    "MAP@{} divided by the relevant documents found": "AP(norm=found)@{}",
    "nDCG@{}, binary, ideal = all relevant": "nDCG@{}",
}


def evaluated(profile: str, measure: str, **inputs: Any) -> float:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rw.RankworthWarning)
        return rw.evaluate(measures=[measure], profile=profile, **inputs)[measure]


def tutorial() -> list[tuple[str, dict[str, Any], float]]:
    """The measure, the input and the value of each example of notebook 002."""
    of = [case for case in CASES if case["seed"] == "002"]
    return [
        (measure.format(cutoff), case["inputs"], case["value"])
        for template, measure in TUTORIAL.items()
        for cutoff in (1, 5, 10)
        for case in of
        if case["measure"] == template.format(cutoff)
    ]


@pytest.mark.parametrize(
    "case",
    [case for case in CASES if case["seed"] == "000" and case["measure"] in SCENARIOS],
    ids=lambda case: f"{case['case']}, {case['measure']}",
)
def test_the_scenarios_of_the_first_notebook_are_sorted_by_their_scores(case: dict[str, Any]) -> None:
    inputs = case["inputs"]
    value = evaluated("notebook-000", SCENARIOS[case["measure"]], labels=inputs["grades"], scores=inputs["scores"])
    assert value == pytest.approx(case["value"], rel=1e-15)


def test_the_first_notebook_takes_very_relevant_documents_for_mrr_and_relevant_ones_for_map() -> None:
    inputs = {"labels": [0, 1, 2], "scores": [0.9, 0.8, 0.7]}
    assert evaluated("notebook-000", "MRR", **inputs) == 1 / 3
    assert evaluated("notebook-000", "MRR(min_relevance=1)", **inputs) == 1 / 2
    assert evaluated("notebook-000", "mAP", **inputs) == (1 / 2 + 2 / 3) / 2


def test_the_second_notebook_computes_its_examples() -> None:
    run, qrels = {"q1": ["d1", "d2", "d3"], "q2": ["d2", "d3", "d1"]}, {"q1": {"d3"}, "q2": {"d2"}}
    assert evaluated("notebook-001", "MRR", qrels=qrels, run=run) == 0.6666666666666666
    run, qrels = {"q": ["d1", "d2", "d3", "d4", "d5"]}, {"q": {"d1": 3, "d2": 2, "d3": 3, "d4": 0, "d5": 1}}
    assert evaluated("notebook-001", "NDCG@5", qrels=qrels, run=run) == 0.9574784666412695


def test_the_second_notebook_finds_a_repeated_document_once() -> None:
    rows = [("q", "a", 3.0), ("q", "a", 2.0), ("q", "b", 1.0)]
    assert evaluated("notebook-001", "AP", qrels={"q": ["a", "b"]}, run=rows) == (1 + 2 / 3) / 2
    assert evaluated("notebook-001", "precision", qrels={"q": ["a"]}, run=rows) == 1 / 2


def test_the_second_notebook_leaves_ranks_1_and_2_of_its_other_formula_undiscounted() -> None:
    grades, run = {"q": {"a": 3, "b": 2, "c": 1}}, {"q": ["a", "b", "c"]}
    assert evaluated("notebook-001", "dcg_at_k@3", qrels=grades, run=run) == 3 + 2 + 1 / 1.5849625007211563


@pytest.mark.parametrize(("measure", "inputs", "value"), tutorial())
def test_the_third_notebook_computes_its_examples(measure: str, inputs: dict[str, Any], value: float) -> None:
    found = evaluated("notebook-002", measure, qrels=inputs["relevant"], run=inputs["rankings"])
    assert found == pytest.approx(value, rel=1e-15)


def test_the_third_notebook_has_fifteen_examples() -> None:
    assert len(tutorial()) == 15


@pytest.mark.parametrize(("cutoff", "printed"), [(1, "0.178"), (5, "0.703"), (10, "0.758")])
def test_the_third_notebook_divides_by_all_relevant_documents_as_its_formula_says(cutoff: int, printed: str) -> None:
    inputs = tutorial()[0][1]
    found = evaluated("notebook-002", f"MAP@{cutoff}", qrels=inputs["relevant"], run=inputs["rankings"])
    assert f"{found:.3f}" == printed


def test_the_fourth_notebook_computes_its_examples() -> None:
    lists = [[0, 0, 1, 0, 0], [1, 0, 0, 0, 0], [0, 0, 0, 0, 0], [0, 1, 0, 0, 0]]
    assert evaluated("notebook-003", "MRR", labels=lists) == 0.4583333333333333
    grades = [2, 2, 3, 0, 1, 2]
    assert evaluated("notebook-003", "NDCG@5", labels=grades) == pytest.approx(0.7272929761069984, rel=1e-15)
    ordered = evaluated("notebook-003", "NDCG@5", labels=[3, 2, 3, 0, 1, 2], orders=[0, 2, 1, 5, 3, 4])
    assert ordered == pytest.approx(0.973494864667227, rel=1e-15)


def test_the_fourth_notebook_turns_ties_around() -> None:
    labels = [[1, 0, 1, 1, 0], [0, 1, 1, 0, 0]]
    scores = [[0.9, 0.2, 0.7, 0.8, 0.1], [0.1, 0.8, 0.9, 0.3, 0.8]]
    turned = evaluated("notebook-003", "MAP", labels=labels, scores=scores)
    assert turned == (1 + (1 + 2 / 3) / 2) / 2


@pytest.mark.parametrize(("grades", "value"), [([0, 3, 1], 1 / 2), ([2, 0, 0], 1.0), ([0, 0], 0.0)])
def test_the_fourth_notebook_finds_items_of_any_grade(grades: list[int], value: float) -> None:
    assert evaluated("notebook-003", "MRR", labels=grades) == value


def test_the_fourth_notebook_has_a_number_where_nothing_is_relevant_and_none_above_1() -> None:
    assert evaluated("notebook-003", "MAP", labels=[0, 0], scores=[0.2, 0.1]) == 0.0
    assert evaluated("notebook-003", "MAP", labels=[3, 2], scores=[0.2, 0.1]) == 1.0
