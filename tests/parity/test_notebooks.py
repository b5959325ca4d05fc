"""Every value of the four notebooks that the project grew from comes out of named parameters, ranking by ranking."""

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

import rankworth as rw
from judge import judge

# Five documents are few; what rankworth has to say about that is tested elsewhere.
pytestmark = pytest.mark.filterwarnings("ignore::rankworth.errors.RankworthWarning")

CASES: Final = json.loads((Path(__file__).parents[1] / "data" / "notebook_cases.json").read_text())

LEFT_OUT: Final = {
    "Spearman rho (Pearson of the average ranks)",
    "1 - 6 sum d^2 / (n (n^2 - 1))",
    "p value of Spearman rho",
}
"""Rank correlation is not here yet."""

MEASURES: Final = {
    r"DCG@3 \(exponential gain\)": "DCG(gain=exp2)@3",
    r"IDCG@3 \(exponential gain, ideal = the listed grades sorted\)": "DCG(gain=exp2)@3",
    r"nDCG@(\d)( \(exponential gain.*)?": r"nDCG(gain=exp2, ideal=retrieved)@\1",
    r"nDCG@k of the list as given": "nDCG(gain=exp2, ideal=retrieved)",
    r"nDCG@(\d+), binary, ideal = all relevant": r"nDCG@\1",
    r"RR|MRR": "RR",
    r"RR \(relevant from grade 2\)": "RR(rel=2)",
    r"MRR@(\d+)": r"RR@\1",
    r"AP@k|MAP": "AP",
    r"AP@3 \((divided by all relevant|relevant from grade 1)\)": "AP@3",
    r"MAP@(\d+) divided by the relevant documents found": r"AP(norm=found)@\1",
    r"precision@(\d+)": r"P@\1",
    r"recall@(\d+) with min\(k, relevant\) as denominator": r"R(norm=min(k,R))@\1",
}
"""What the notebooks say, as regular expressions, and how rankworth is asked for it."""

COVERED: Final = 54
ONE_ULP: Final = 2.0**-52
"""All are equal to the last bit but one list, where the notebook cancels the gain: 3 / log2(3) / 3 is rounded twice."""

Judgements = dict[str, dict[str, float]]
Scores = dict[str, dict[str, float]]


def test_all_cases_but_rank_correlation_are_covered() -> None:
    assert {case["measure"] for case in CASES} - LEFT_OUT == {case["measure"] for case in covered()}
    assert len(CASES) - len(LEFT_OUT) == len(covered()) == COVERED


@pytest.mark.parametrize("number", range(COVERED))
def test_value_equals_the_notebook(number: int) -> None:
    case = covered()[number]
    if case["measure"] == "contributions by rank":
        assert contributions(case["inputs"]["grades_in_rank_order"], rw.DCG(gain="exp2") @ 3) == case["value"]
        return
    name = next(re.sub(f"^(?:{said})$", asked, case["measure"]) for said, asked in MEASURES.items() if says(said, case))
    measure = rw.parse(name)
    inputs = case["inputs"]
    if inputs.get("relevant from grade", 1) != 1:
        measure = measure(rel=inputs["relevant from grade"])
    if isinstance(inputs.get("k"), list):
        assert [value_of(*queries_of(inputs), measure @ k) for k in inputs["k"]] == case["value"]
    elif isinstance(case["value"], list):
        ((_, ranks),) = inputs.items()
        lists = [[2.0 if place == rank else 0.0 for place in range(1, 6)] for rank in ranks]
        values = [value_of(*as_queries([grades]), measure) for grades in lists]
        assert values == (pytest.approx(case["value"], rel=ONE_ULP, abs=0) if measure.name == "nDCG" else case["value"])
    else:
        if case["measure"].startswith("IDCG"):
            inputs = {"grades_in_rank_order": sorted(inputs["grades_in_rank_order"], reverse=True)}
        assert value_of(*queries_of(inputs), measure) == case["value"]


def covered() -> list[dict[str, Any]]:
    """The cases that are no rank correlation."""
    return [case for case in CASES if case["measure"] not in LEFT_OUT]


def says(said: str, case: dict[str, Any]) -> bool:
    return re.fullmatch(said, case["measure"]) is not None


def value_of(qrels: Judgements, run: Scores, measure: rw.Measure) -> float:
    """The mean over the queries, which `evaluate` and `score` agree on to the last bit."""
    values = rw.evaluate(qrels, run, [measure])
    for query, row in values.per_query.to_dict().items():
        order = sorted(run[query], key=lambda document: (run[query][document], document), reverse=True)
        missing = [grade for document, grade in qrels[query].items() if document not in run[query]]
        assert row[str(measure)] == rw.score(map(qrels[query].get, order), measure, missing=missing)
    return values[measure]


def contributions(grades: list[float], measure: rw.Measure) -> list[float]:
    """What each rank up to the cutoff adds."""
    qrels, run = as_queries([grades])
    terms = measure.terms(judge(rw.Qrels(qrels), rw.Run(run)).hits.block(np.array([0])))
    return (terms.gain / terms.discount)[0].tolist()


def queries_of(inputs: dict[str, Any]) -> tuple[Judgements, Scores]:  # noqa: PLR0911 - one for each way
    """Judgements and run of a case, which the notebooks write in eight ways."""
    match inputs:
        case {"grades_in_rank_order": grades}:
            return as_queries([grades])
        case {"relevant_in_rank_order": lists}:
            return as_queries(lists)
        case {"grades": grades, "order": order}:
            return as_queries([grades], [[-order.index(place) for place in range(len(grades))]])
        case {"grades": dict(grades), "ranking": ranking}:
            return {"q": grades}, {"q": ranked(ranking)}
        case {"grades": list(grades), "scores": scores}:
            return as_queries([grades], [scores])
        case {"relevant": [[0 | 1, *_], *_] as lists, "scores": scores}:
            return as_queries(lists, scores)
        case {"relevant": list(relevant), "rankings": rankings}:
            qrels = {str(query): dict.fromkeys(map(str, documents), 1.0) for query, documents in enumerate(relevant)}
            return qrels, {str(query): ranked(map(str, ranking)) for query, ranking in enumerate(rankings)}
        case {"relevant": dict(relevant), "run": run}:
            qrels = {query: dict.fromkeys(documents, 1.0) for query, documents in relevant.items()}
            return qrels, {query: ranked(ranking) for query, ranking in run.items()}
        case _:
            pytest.fail(f"inputs of a new kind: {sorted(inputs)}")


def as_queries(lists: list[list[float]], scores: list[list[float]] | None = None) -> tuple[Judgements, Scores]:
    """Grades and scores by position; ids grow with it, so that of two equal scores the later position comes first.

    That is how the notebooks break ties: they reverse an ascending sort. Without scores, the position is the rank.
    """
    ids = [[f"d{place}" for place in range(len(grades))] for grades in lists]
    given = scores or [[-place for place in range(len(grades))] for grades in lists]
    qrels = {str(query): dict(zip(ids[query], grades, strict=True)) for query, grades in enumerate(lists)}
    return qrels, {str(query): dict(zip(ids[query], one, strict=True)) for query, one in enumerate(given)}


def ranked(documents: Iterable[str]) -> dict[str, float]:
    return {document: -rank for rank, document in enumerate(documents)}
