"""Measures over subtopics have the values that TREC's ndeval gives, as pyndeval 0.0.8 holds it, query by query."""

import math
from collections.abc import Iterable, Iterator
from itertools import product
from pathlib import Path
from typing import Any, Final, NamedTuple

import ir_measures
import numpy as np
import polars as pl
import pyndeval
import pytest

import rankworth as rw

# Some queries have one subtopic only or nothing relevant; what rankworth has to say about that is tested elsewhere.
pytestmark = pytest.mark.filterwarnings("ignore::rankworth.errors.RankworthWarning")

Judgements = list[tuple[str, str, str, int]]
Scores = dict[str, dict[str, float]]

CUTOFFS: Final = (1, 2, 3, 5, 10, 20)
WITH_CUTOFF: Final = {
    "ERR_IA": "ERR-IA",
    "nERR_IA": "nERR-IA",
    "alpha_DCG": "alpha-DCG",
    "alpha_nDCG": "alpha-nDCG",
    "P_IA": "P-IA",
    "StRecall": "strec",
}
WITHOUT: Final = {"NRBP": "NRBP", "nNRBP": "nNRBP", "AP_IA": "MAP-IA"}
ALPHA: Final = ("ERR_IA", "nERR_IA", "alpha_DCG", "alpha_nDCG", "NRBP", "nNRBP")
NOT_DIVIDED: Final = ("ERR_IA@1", "alpha_DCG@1")
"""ndeval divides by the best that there can be from the second rank on; its tables begin at rank 5."""
EXACT: Final = ("P_IA", "StRecall")
"""quotients of counts; the others sum what ndeval sums in another order, or divide where it multiplies"""
TOLERANCE: Final = 4e-15


class Collection(NamedTuple):
    """Judgements by subtopic, and a run over them."""

    qrels: Judgements
    run: Scores


def collection(seed: int) -> Collection:
    """Judgements that know subtopics 1 to 12, some of them empty, and a run with ties, holes and short lists."""
    generator = np.random.default_rng(seed)
    qrels: Judgements = []
    run: Scores = {}
    documents = [f"d{number}" for number in range(60)]
    for query in map(str, range(1, 13)):
        subtopics = generator.permutation(12)[: int(generator.integers(1, 9))] + 1
        share = generator.uniform(0.02, 0.5)
        for document in generator.permutation(documents)[: int(generator.integers(5, 50))].tolist():
            for subtopic in subtopics.tolist():
                if generator.random() < 0.8:
                    grade = (
                        int(generator.integers(1, 4)) if generator.random() < share else int(generator.integers(-2, 1))
                    )
                    qrels.append((query, str(subtopic), document, grade))
        ranked = generator.permutation(documents)[: int(generator.integers(1, 61))].tolist()
        run[query] = {document: float(generator.integers(0, 30)) for document in ranked}
    # the order in which pyndeval meets subtopics is the order in which it adds them
    return Collection(sorted(qrels, key=lambda row: (len(row[1]), row[1])), run)


def places(run: Scores) -> Iterator[tuple[str, str, float]]:
    """The run with scores that hold no ties: by score, then by id, both descending, as trec_eval sorts."""
    for query, scores in run.items():
        ranked = sorted(scores, key=lambda document: (scores[document], document), reverse=True)
        yield from ((query, document, -float(place)) for place, document in enumerate(ranked))


def theirs(one: Collection, names: Iterable[str], **settings: Any) -> dict[str, dict[str, float]]:
    """Values by query and measure, as pyndeval calls it."""
    evaluator = pyndeval.RelevanceEvaluator(one.qrels, list(names), **settings)
    return evaluator.evaluate(list(places(one.run)))


def frame(qrels: Judgements) -> pl.DataFrame:
    """The judgements as rows."""
    return pl.DataFrame(qrels, schema=["query", "subtopic", "document", "grade"], orient="row")


def names_of(**settings: float) -> dict[str, str]:
    """Measures with settings, and what pyndeval calls them without."""
    names = {}
    for name, other in (WITH_CUTOFF | WITHOUT).items():
        taken = {key: value for key, value in settings.items() if key in rw.CATALOGUE[name].definition.parameters}
        measure = rw.CATALOGUE[name](**taken)
        cuts = [(measure @ k, f"{other}@{k}") for k in CUTOFFS] if name in WITH_CUTOFF else [(measure, other)]
        names |= {str(cut): spelling for cut, spelling in cuts}
    return names


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize(
    ("alpha", "beta", "rel"), [(0.5, 0.5, 1), (0.3, 0.8, 2), (0.0, 0.1, 0), (1.0, 0.9, 3), (0.9, 0.5, 1)]
)
def test_values_are_those_of_ndeval(seed: int, alpha: float, beta: float, rel: int) -> None:
    one = collection(seed)
    names = names_of(alpha=alpha, beta=beta, rel=rel)
    expected = theirs(one, names.values(), alpha=alpha, beta=beta, relevance_level=rel)
    values = rw.evaluate(frame(one.qrels), one.run, list(names)).per_query.to_dict()
    assert set(values) == set(expected)
    compared = 0
    for query, (name, other) in product(values, names.items()):
        ours, wanted = values[query][name], expected[query][other]
        measure = rw.parse(name)
        if f"{measure.name}@{measure.cutoff}" in NOT_DIVIDED:
            wanted /= max(1, relevant_subtopics(one.qrels, query, rel))
        if math.isnan(wanted):
            wanted = 0.0  # ndeval divides 0 by 0 where nothing is relevant; here that is undefined, and counts 0
        if measure.name in EXACT:
            assert ours == wanted, (query, name)
        else:
            assert ours == pytest.approx(wanted, rel=TOLERANCE, abs=0), (query, name)
        compared += 1
    assert compared == 12 * (6 * len(CUTOFFS) + 3)


@pytest.mark.parametrize("seed", range(4))
def test_judged_only_is_ndeval_on_a_run_without_unjudged_documents(seed: int) -> None:
    one = collection(seed)
    judged = {(query, document) for query, _, document, grade in one.qrels if grade >= 0}
    run = {
        query: {document: score for document, score in scores.items() if (query, document) in judged}
        for query, scores in one.run.items()
    }
    names = ("ERR-IA@5", "nERR-IA@5", "alpha-DCG@5", "alpha-nDCG@5", "P-IA@5", "strec@5", "NRBP", "nNRBP", "MAP-IA")
    expected = theirs(Collection(one.qrels, run), names)
    asked = ["ERR_IA@5", "nERR_IA@5", "alpha_DCG@5", "alpha_nDCG@5", "P_IA@5", "StRecall@5", "NRBP", "nNRBP", "AP_IA"]
    measures = [rw.parse(name)(judged_only=True) for name in asked]
    values = rw.evaluate(frame(one.qrels), one.run, measures).per_query.to_dict()
    assert len(expected) > 8
    for query, wanted in expected.items():
        numbers = [0.0 if math.isnan(value) else value for value in wanted.values()]
        assert list(values[query].values()) == pytest.approx(numbers, rel=TOLERANCE, abs=0), query


def relevant_subtopics(qrels: Judgements, query: str, rel: float) -> int:
    """How many subtopics of a query have a relevant document."""
    return len({subtopic for one, subtopic, _, grade in qrels if one == query and grade >= rel})


def test_pyndeval_breaks_ties_by_ascending_id_and_the_greedy_ideal_by_descending_id() -> None:
    tied = [("q", "d1", 1.0), ("q", "d2", 1.0)]
    assert pyndeval.ndeval([("q", "1", "d1", 1)], tied, ["MAP-IA"])["q"]["MAP-IA"] == 1
    assert rw.evaluate(frame([("q", "1", "d1", 1)]), {"q": {"d1": 1.0, "d2": 1.0}}, ["AP_IA"])["AP_IA"] == 1 / 2
    # After a, which covers 1 and 2, b and c are worth as much; what is left for the third rank is not.
    names = ["alpha-nDCG@3"]
    for first, second in (("b", "c"), ("c", "b")):
        qrels = [
            ("q", "1", "a", 1),
            ("q", "2", "a", 1),
            ("q", "3", "d", 1),
            ("q", "3", first, 1),
            ("q", "4", second, 1),
        ]
        run = {"q": {"a": 3.0, first: 2.0, second: 1.0}}
        (ours,) = rw.evaluate(frame(qrels), run, ["alpha_nDCG@3"]).mean().values()
        assert ours == pytest.approx(pyndeval.ndeval(qrels, list(places(run)), names)["q"][names[0]], rel=TOLERANCE)


def test_a_pair_judged_twice_is_an_error_here_and_counts_twice_there() -> None:
    qrels = [("q", "1", "d", 1), ("q", "1", "d", 1)]
    assert pyndeval.ndeval(qrels, [("q", "d", 1.0)], ["MAP-IA"])["q"]["MAP-IA"] == 1 / 2
    with pytest.raises(rw.InputError, match="duplicate-judgement"):
        rw.evaluate(frame(qrels), {"q": {"d": 1.0}}, ["AP_IA"])


@pytest.mark.parametrize("seed", range(3))
def test_values_are_those_of_ir_measures_with_its_names(seed: int) -> None:
    one = collection(seed)
    qrels = [(query, subtopic, document, max(grade, 0)) for query, subtopic, document, grade in one.qrels]
    names = ["alpha_nDCG@10", "α_DCG(alpha=0.25)@5", "ERR_IA@20", "nERR_IA(rel=2)@10", "NRBP(alpha=0.2,beta=0.9)"]
    names += ["nNRBP", "MAP_IA(rel=2)", "P_IA@10", "StRecall@5"]
    asked = {name: ir_measures.parse_measure(name) for name in names}
    judged = [ir_measures.Qrel(query, document, grade, subtopic) for query, subtopic, document, grade in qrels]
    run = [ir_measures.ScoredDoc(*row) for row in places(one.run)]
    # One by one: of measures with different settings, all but the first see an iterator at its end and come out as 0.
    found = [value for measure in asked.values() for value in ir_measures.pyndeval.iter_calc([measure], judged, run)]
    values = rw.evaluate(frame(qrels).rename({"subtopic": "iteration"}), one.run, names).per_query.to_dict()
    ours = {(query, asked[name]): values[query][name] for query in values for name in names}
    assert len(found) == 12 * len(names)
    for metric in found:
        wanted = 0.0 if math.isnan(metric.value) else metric.value
        assert ours[metric.query_id, metric.measure] == pytest.approx(wanted, rel=TOLERANCE, abs=0), metric


EXPECTED: Final = {"0": 0.4659, "1": 0.1803, "all": 0.3231}
"""ERR_IA@20 in the tests of ir_measures 0.4.3, test_pyndeval.py"""


def test_values_are_those_in_the_tests_of_ir_measures(tmp_path: Path) -> None:
    qrels = tmp_path / "qrels"
    qrels.write_text("0 0 D0 0\n0 0 D1 1\n0 0 D2 1\n0 1 D2 1\n0 1 D3 2\n0 0 D4 0\n1 0 D0 1\n1 0 D3 2\n1 1 D5 2\n")
    run = {
        "0": {"D0": 0.8, "D2": 0.7, "D1": 0.3, "D3": 0.4, "D4": 0.1},
        "1": {"D1": 0.8, "D3": 0.7, "D4": 0.3, "D2": 0.4},
    }
    values = rw.evaluate(qrels, run, ["ERR_IA@20"])
    found = {query: row["ERR_IA@20"] for query, row in values.per_query.to_dict().items()} | {
        "all": values["ERR_IA@20"]
    }
    assert found == pytest.approx(EXPECTED, abs=5e-5)
