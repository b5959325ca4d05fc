"""The interface of pytrec_eval gives its results, bit for bit, to those who call it and to packages that do."""

import importlib.util
import math
import sys
from collections.abc import Iterator, Mapping
from types import ModuleType
from typing import Any, Final

import ir_measures
import numpy as np
import pytest
import pytrec_eval as original
from hypothesis import assume, given
from hypothesis import strategies as st

from generators import Grades, Scores, batches
from live.environments import folder_of
from rankworth.compat import pytrec_eval

# runid is memory that was never set
NUMBERS: Final = sorted(original.supported_measures - {"runid"})
WITH_VALUES: Final = ["ndcg_cut_3", "P.1,7", "map_cut.2", "iprec_at_recall_0.25,0.125", "set_F_0.5", "utility.4,3,2,1"]


def whole(qrels: Grades) -> dict[str, dict[str, int]]:
    """Grades that pytrec_eval takes; it reads memory that was never set where all of a query are negative."""
    grades = {query: {document: int(grade) for document, grade in of.items()} for query, of in qrels.items()}
    assume(all(max(of.values(), default=0) >= 0 for of in grades.values()))
    return grades


def exact(results: Mapping[str, Mapping[str, float]]) -> list[tuple[str, list[tuple[str, str]]]]:
    """Results with all digits, in the order of the queries."""
    return [(query, sorted((name, repr(value)) for name, value in of.items())) for query, of in results.items()]


@given(
    batches(),
    st.lists(st.sampled_from([*NUMBERS, *WITH_VALUES]), max_size=6),
    st.integers(1, 2),
    st.booleans(),
)
def test_results_are_those_of_pytrec_eval(
    collection: tuple[Grades, Scores], measures: list[str], level: int, judged_only: bool
) -> None:
    """Also for queries on one side only."""
    qrels, run = whole(collection[0]), collection[1]
    theirs = original.RelevanceEvaluator(qrels, measures, level, judged_only).evaluate(run)
    ours = pytrec_eval.RelevanceEvaluator(qrels, measures, level, judged_only).evaluate(run)
    assert exact(ours) == exact(theirs)


def test_values_of_a_ranking_without_documents() -> None:
    """Zeros but for these; pytrec_eval reads memory beyond such a ranking, and may end with a segmentation fault."""
    results = pytrec_eval.RelevanceEvaluator({"q": {"a": 1, "b": 2, "c": 0}}, NUMBERS).evaluate({"q": {}})
    floor, unknown = repr(math.log(0.00001)), "nan"
    other = {name: repr(value) for name, value in results["q"].items() if value != 0}
    assert other == {
        "num_q": "1.0",
        "num_rel": "2.0",
        "gm_map": floor,
        "gm_bpref": floor,
        "iprec_at_recall_0.00": unknown,
        "11pt_avg": unknown,
    }


@pytest.mark.parametrize(
    "measures",
    [
        ["map", "runid"],
        ["official"],
        ["set"],
        ["all_trec"],
        ["ndcg", "runid", "P.10,5"],
        ["recall.5", "relstring", "P"],
    ],
    ids=" ".join,
)
def test_names_stand_in_the_order_of_pytrec_eval(measures: list[str]) -> None:
    qrels, run = {"q1": {"a": 1, "b": 0}, "q2": {"c": 1}}, {"q1": {"a": 1.0, "b": 2.0}, "q2": {"c": 1.0}}
    theirs = original.RelevanceEvaluator(qrels, set(measures)).evaluate(run)
    ours = pytrec_eval.RelevanceEvaluator(qrels, set(measures)).evaluate(run)
    assert {query: list(row) for query, row in ours.items()} == {query: list(row) for query, row in theirs.items()}
    assert all(value == theirs["q1"][name] for name, value in ours["q1"].items() if name != "runid")


def test_names_are_those_of_pytrec_eval() -> None:
    """But for nicknames of measures that it does not have itself, and two that it does not have in all_trec."""
    assert pytrec_eval.supported_measures == original.supported_measures
    for name, measures in pytrec_eval.supported_nicknames.items():
        assert measures == original.supported_nicknames[name]


def drawn_lines(*, ties: bool) -> tuple[list[str], list[str]]:
    """Lines of judgements and of a run: 40 queries with up to 120 documents of 150, of which up to 40 are judged."""
    random = np.random.default_rng(49)
    judgements, ranking = [], []
    for query in range(40):
        documents = [f"d{number}" for number in random.permutation(150)]
        retrieved, judged = (
            documents[: random.integers(1, 121)],
            random.permutation(documents)[: random.integers(1, 41)],
        )
        grades = [2, *random.integers(-1, 4, len(judged) - 1)]
        scores = random.integers(0, 9, len(retrieved)) / 4 if ties else random.normal(9, 3, len(retrieved))
        judgements += [f"{query} 0 {document} {grade}" for document, grade in zip(judged, grades, strict=True)]
        ranking += [f"{query} Q0 {document} 1 {score} x" for document, score in zip(retrieved, scores, strict=True)]
    return judgements, ranking


@pytest.mark.parametrize("ties", [False, True])
def test_lines_give_what_pytrec_eval_gives(ties: bool) -> None:
    """Parsed by either, with means over all queries."""
    judgements, ranking = drawn_lines(ties=ties)
    qrels, run = pytrec_eval.parse_qrel(judgements), pytrec_eval.parse_run(ranking)
    assert (qrels, run) == (original.parse_qrel(judgements), original.parse_run(ranking))
    theirs = original.RelevanceEvaluator(qrels, NUMBERS).evaluate(run)
    ours = pytrec_eval.RelevanceEvaluator(qrels, NUMBERS).evaluate(run)
    assert exact(ours) == exact(theirs)
    for name in next(iter(ours.values())):
        values = [of[name] for of in ours.values()]
        mean = pytrec_eval.compute_aggregated_measure(name, values)
        assert repr(mean) == repr(original.compute_aggregated_measure(name, values))


def test_numbers_and_texts_of_numpy_and_whole_floats() -> None:
    """Which pytrec_eval refuses in part; (2 / log2(3)) / 2 is the second rank for the only relevant document."""
    qrels = {np.str_("q1"): {np.str_("d1"): np.int64(2), "d2": 0.0}}
    run = {np.str_("q1"): {np.str_("d1"): np.float32(1), "d2": np.float64(2)}}
    results = pytrec_eval.RelevanceEvaluator(qrels, ["ndcg"]).evaluate(run)  # type: ignore[arg-type]
    assert results == {"q1": {"ndcg": 1 / np.log2(3)}}


def test_ids_that_are_integers() -> None:
    assert pytrec_eval.RelevanceEvaluator({1: {2: 1}}, ["map"]).evaluate({1: {3: 2.0, 2: 1.0}}) == {1: {"map": 1 / 2}}  # type: ignore[dict-item]


@pytest.mark.parametrize("level", [True, np.int64(1)])
def test_a_level_is_any_kind_of_whole_number(level: int) -> None:
    arguments: Any = ({"q": {"d": 1}}, ["map"], level)
    for module in (pytrec_eval, original):
        assert module.RelevanceEvaluator(*arguments).evaluate({"q": {"d": 1.0}}) == {"q": {"map": 1.0}}


@pytest.mark.parametrize("level", [0, -1, 1.5, "1"])
def test_a_level_is_a_whole_number_above_0(level: Any) -> None:
    with pytest.raises(TypeError):
        pytrec_eval.RelevanceEvaluator({"q": {"d": 1}}, ["map"], relevance_level=level)


@pytest.mark.parametrize(
    ("qrels", "measure", "message"),
    [
        ({"q": {"d": 1}}, "nDGC", "unsupported measure nDGC"),
        ({"q": {"d": 1}}, "map_5", "unsupported measure map_5"),
        ({"q": {"d": 1}}, "ndcg_cut_0", "a cutoff is a whole number from 1"),
        ({"q": {"d": 1}}, "ndcg_cut_1.5", "a cutoff is a whole number from 1"),
        ({"q": {"d": 0.5}}, "map", "Expected relevance to be integer"),
    ],
)
def test_what_is_refused(qrels: dict[str, Any], measure: str, message: str) -> None:
    """Each as a ValueError, which pytrec_eval raises for measures."""
    with pytest.raises(ValueError, match=message):
        pytrec_eval.RelevanceEvaluator(qrels, [measure]).evaluate({"q": {"d": 1.0}})


@pytest.mark.parametrize("parse", [pytrec_eval.parse_run, pytrec_eval.parse_qrel])
def test_a_document_that_is_there_twice_is_an_assertion_error(parse: Any) -> None:
    """As in pytrec_eval."""
    line = "q Q0 d 1 1 tag" if parse is pytrec_eval.parse_run else "q 0 d 1"
    with pytest.raises(AssertionError, match="d appears twice for query q"):
        parse([line, line])


@given(batches())
def test_ir_measures_computes_with_it_what_it_computes_with_pytrec_eval(collection: tuple[Grades, Scores]) -> None:
    """By its own provider, with the module replaced."""
    qrels, run = whole(collection[0]), collection[1]
    names = (
        "AP AP@3 nDCG nDCG@3 P@2 R@2 RR Rprec Bpref SetP SetR SetAP Success@1 IPrec@0.5 NumRet P(judged_only=True)@2"
    )
    measures = [ir_measures.parse_measure(name) for name in names.split()]
    metrics = []
    for module in (original, pytrec_eval):
        provider = ir_measures.providers.PytrecEvalProvider()
        assert provider.is_available()
        provider.pytrec_eval = module
        metrics.append(
            [(of.query_id, str(of.measure), repr(of.value)) for of in provider.iter_calc(measures, qrels, run)]
        )
    assert sorted(metrics[0]) == sorted(metrics[1])


@pytest.fixture
def beir(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Any]]:
    """BEIR's own evaluation twice, with pytrec_eval and with ours, without what else its package imports."""
    [folder] = folder_of("recommending").glob("lib/python*/site-packages/beir/retrieval")
    evaluations = []
    for number, module in enumerate((original, pytrec_eval)):
        package = f"beir_{number}"
        for name in (package, f"{package}.search", f"{package}.search.base"):
            parent = ModuleType(name)
            parent.__dict__.update(__path__=[str(folder)] if name == package else [], BaseSearch=object)
            monkeypatch.setitem(sys.modules, name, parent)
        monkeypatch.setitem(sys.modules, "pytrec_eval", module)
        spec = importlib.util.spec_from_file_location(f"{package}.evaluation", folder / "evaluation.py")
        assert spec is not None
        assert spec.loader is not None
        evaluation = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(evaluation)
        assert evaluation.pytrec_eval is module
        evaluations.append(evaluation.EvaluateRetrieval)
    yield evaluations
    for name in [name for name in sys.modules if name.startswith(("beir_0", "beir_1"))]:
        sys.modules.pop(name)


@pytest.mark.parametrize("ties", [False, True])
def test_beir_computes_with_it_what_it_computes_with_pytrec_eval(beir: list[Any], ties: bool) -> None:
    """Its means over the queries, rounded to five decimals."""
    judgements, ranking = drawn_lines(ties=ties)
    qrels, run = original.parse_qrel(judgements), original.parse_run(ranking)
    theirs, ours = (evaluation.evaluate(qrels, run, [1, 3, 10, 100]) for evaluation in beir)
    assert ours == theirs
