"""ir_measures gives the same values with rankworth as its first provider, and those of other tools where it is told."""

import logging
import math
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

import ir_measures
import pandas as pd
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from ir_measures.util import QrelsConverter, RunConverter

import rankworth as rw
from generators import Grades, Scores, batches
from rankworth.compat import ir_measures as compat

Measure = ir_measures.Measure
Values = dict[tuple[str, str], float]

PYTREC_EVAL: Final = (
    *("P@1", "P(rel=2)@5", "P(judged_only=True)@3", "RR", "RR(rel=2)", "RR(judged_only=True)", "Rprec", "Rprec(rel=2)"),
    *("AP", "AP@2", "AP(rel=2)", "AP(judged_only=True)@5", "nDCG", "nDCG@2", "nDCG(judged_only=True)@5"),
    *("nDCG(gains={1:5})", "nDCG(gains={0:1,3:0})@3", "nDCG(gains={2:7},judged_only=True)", "R@2", "R(rel=2)@5"),
    *("Bpref", "Bpref(rel=2)", "NumRet", "NumRet(rel=1)", "NumRet(rel=2)", "NumQ", "NumRel", "SetAP", "SetAP(rel=2)"),
    *(
        "SetF",
        "SetF(rel=2)",
        "SetF(beta=2.0)",
        "SetF(rel=2,beta=0.5)",
        "SetF(beta=2.0,judged_only=True)",
        "SetF(rel=2,judged_only=True)",
        "SetP",
        "SetP(relative=True)",
        "SetP(rel=2)",
    ),
    *("SetR", "SetR(rel=2)", "Success@1", "Success(rel=2)@5", "IPrec@0.1", "IPrec(rel=2)@0.5", "infAP", "infAP(rel=2)"),
)
PYTHON: Final = ("RR@1", "RR@5", "RR(rel=2)@5", "Judged", "Judged@2")
CWL: Final = (
    *("RBP(rel=1)", "RBP(rel=2,p=0.5)", "INST(max_rel=4)", "INSQ(max_rel=4)", "INST(T=2.0,max_rel=4)"),
    *("SDCG(max_rel=4)@3", "NERR8(max_rel=4)@3", "NERR9(max_rel=4)@3", "NERR10(max_rel=4)", "NERR10(p=0.5,max_rel=4)"),
    *("NERR11(max_rel=4)", "NERR11(T=2.0,max_rel=4)", "BPM(max_rel=4)@3", "BPM(min_rel=1,max_rel=5)@2"),
)
GDEVAL: Final = ("ERR@1", "ERR@5", "nDCG(dcg='exp-log2')@1", "nDCG(dcg='exp-log2')@5")
SUBTOPICS: Final = (
    *("ERR_IA@5", "nERR_IA(rel=2)@2", "alpha_DCG@5", "alpha_nDCG(alpha=0.25)@2", "NRBP", "nNRBP(alpha=0.25,beta=0.75)"),
    *("AP_IA", "P_IA@2", "StRecall@5"),
)
OTHER: Final = ("Compat", "Compat(p=0.5,normalize=False)", "Accuracy", "Accuracy(rel=2)@5")
LEFT: Final = (
    ir_measures.nDCG(dcg="exp-log2"),
    ir_measures.nDCG(gains={2: -1}),
    ir_measures.nDCG(gains={-1: 2}, judged_only=True),
)
"""measures of which ir_measures has values that the profile does not know"""


@pytest.fixture(autouse=True)
def apart() -> Iterator[None]:
    """Leave ir_measures as it was, and its remarks on grades out."""
    providers, logger = list(ir_measures.DefaultPipeline.providers), logging.getLogger("ir_measures.cwl_eval")
    level = logger.level
    logger.setLevel(logging.ERROR)
    yield
    logger.setLevel(level)
    assert ir_measures.DefaultPipeline.providers == providers


@contextmanager
def installed(profile: str | None = None) -> Iterator[Any]:
    """Give the provider while it is the first."""
    try:
        yield compat.install(profile)
    finally:
        compat.uninstall()


def parsed(*names: str) -> list[Measure]:
    """Measures of ir_measures by their names."""
    return [ir_measures.parse_measure(name) for name in names]


def whole(qrels: Grades) -> dict[str, dict[str, int]]:
    """Grades that pytrec_eval takes; it reads memory that was never set where all of a query are negative."""
    grades = {query: {document: int(grade) for document, grade in of.items()} for query, of in qrels.items()}
    assume(all(max(of.values(), default=0) >= 0 for of in grades.values()))
    return grades


def per_query(metrics: Any) -> Values:
    """Values by query and measure, each of which is there once."""
    rows = [((metric.query_id, str(metric.measure)), float(metric.value)) for metric in metrics]
    assert len(dict(rows)) == len(rows)
    return dict(rows)


def close(found: Mapping[Any, float], wanted: Mapping[Any, float], *, rel: float = 0) -> None:
    """Compare values with all digits, or but for the last ones."""
    assert found.keys() == wanted.keys()
    for key, value in wanted.items():
        same = (
            repr(float(found[key])) == repr(float(value)) if rel == 0 else math.isclose(found[key], value, rel_tol=rel)
        )
        assert same or math.isclose(found[key], value, rel_tol=rel, abs_tol=rel) or math.isnan(found[key] + value), key


def compare(names: tuple[str, ...], qrels: Any, run: Any, *, rel: float = 0) -> None:
    """Every measure by itself, and all of them in one call of rankworth."""
    measures = parsed(*names)
    alone = [ir_measures.calc([measure], qrels, run) for measure in measures]
    values = {key: value for result in alone for key, value in per_query(result.per_query).items()}
    means = {measure: value for result in alone for measure, value in result.aggregated.items()}
    with installed() as provider:
        assert all(map(provider.supports, measures))
        result = ir_measures.calc(measures, qrels, run)
        close(per_query(result.per_query), values, rel=rel)
        close(result.aggregated, means, rel=rel or 1e-15)
        assert per_query(ir_measures.iter_calc(measures, qrels, run)) == pytest.approx(
            per_query(result.per_query), rel=0, abs=0, nan_ok=True
        )
        close(ir_measures.calc_aggregate(measures, qrels, run), result.aggregated)


@given(batches(), st.lists(st.sampled_from(PYTREC_EVAL), min_size=1, max_size=8, unique=True))
@settings(max_examples=60)
def test_values_of_pytrec_eval_are_the_same_with_all_digits(
    collection: tuple[Grades, Scores], names: list[str]
) -> None:
    """Also with ties, and for queries on one side only."""
    compare(tuple(names), whole(collection[0]), collection[1])


@given(batches())
@settings(max_examples=30)
def test_values_of_the_script_of_ms_marco_and_of_judged_are_the_same(collection: tuple[Grades, Scores]) -> None:
    compare(PYTHON, whole(collection[0]), collection[1])


@given(batches())
@settings(max_examples=15)
def test_values_of_c_w_l_are_the_same_but_for_the_last_digits(collection: tuple[Grades, Scores]) -> None:
    compare(CWL, whole(collection[0]), collection[1], rel=1e-12)


@given(batches(ties=False))
@settings(max_examples=8)
def test_values_of_gdeval_are_the_same(collection: tuple[Grades, Scores]) -> None:
    """Its queries are numbers."""
    numbers = {query: str(number) for number, query in enumerate({**collection[0], **collection[1]}, 1)}
    qrels, run = whole(collection[0]), collection[1]
    compare(
        GDEVAL,
        {
            numbers[query]: {f"d{place}": grade for place, grade in enumerate(of.values())}
            for query, of in qrels.items()
        },
        {numbers[query]: {f"d{place}": score for place, score in enumerate(of.values())} for query, of in run.items()},
    )


@given(batches(ties=False))
@settings(max_examples=30)
def test_values_of_compat_and_accuracy_are_the_same(collection: tuple[Grades, Scores]) -> None:
    """Scores are above 0 and differ, where Compat is defined; a list of relevant documents alone has no Accuracy."""
    qrels = whole(collection[0])
    run = {query: {document: score + 100 for document, score in of.items()} for query, of in collection[1].items()}
    for query, documents in run.items():
        assume(any(qrels.get(query, {}).get(document, 0) < 1 for document in list(documents)[:5]))
    compare(OTHER[:2], qrels, run, rel=1e-12)
    for name in OTHER[2:]:
        compare((name,), qrels, run, rel=1e-12)


@given(batches(), st.lists(st.sampled_from("0123"), min_size=8, max_size=8))
@settings(max_examples=15)
def test_values_by_subtopics_are_the_same(collection: tuple[Grades, Scores], subtopics: list[str]) -> None:
    """Where nothing is relevant pyndeval has NaN for some of them, and rankworth 0."""
    qrels = [
        ir_measures.Qrel(query, document, max(grade, 0), subtopics[place])
        for query, of in whole(collection[0]).items()
        for place, (document, grade) in enumerate(of.items())
    ]
    run = collection[1]
    for measure in parsed(*SUBTOPICS):
        theirs = per_query(ir_measures.iter_calc([measure], qrels, run))
        with installed():
            ours = per_query(ir_measures.iter_calc([measure], qrels, run))
            frame = pd.DataFrame(qrels)
            assert per_query(ir_measures.iter_calc([measure], frame, run)) == ours
        close(ours, {key: 0.0 if math.isnan(value) else value for key, value in theirs.items()}, rel=1e-12)


def test_a_document_of_several_subtopics_has_its_last_grade_for_other_measures() -> None:
    qrels = [ir_measures.Qrel("q", "d", grade, subtopic) for grade, subtopic in ((2, "1"), (1, "2"))]
    compare(("P(rel=2)@1", "AP", "RR(rel=2)@1"), qrels, {"q": {"d": 1.0}})
    measures = parsed("AP", "StRecall@1", "RR@1")
    theirs = ir_measures.calc_aggregate(measures, qrels, {"q": {"d": 1.0}})
    with installed():
        assert ir_measures.calc_aggregate(measures, iter(qrels), {"q": {"d": 1.0}}) == theirs


WAYS: Final[dict[str, Callable[[Any, Any], tuple[Any, Any]]]] = {
    "frames": lambda qrels, run: (QrelsConverter(qrels).as_pd_dataframe(), RunConverter(run).as_pd_dataframe()),
    "frames of other columns, too": lambda qrels, run: (
        QrelsConverter(qrels).as_pd_dataframe().assign(query="text")[["relevance", "query", "doc_id", "query_id"]],
        RunConverter(run).as_pd_dataframe().assign(rank=1, qid="x", docno="y", text="z").set_index("text"),
    ),
    "iterators": lambda qrels, run: (
        QrelsConverter(qrels).as_namedtuple_iter(),
        RunConverter(run).as_namedtuple_iter(),
    ),
    "lists": lambda qrels, run: (
        list(QrelsConverter(qrels).as_namedtuple_iter()),
        list(RunConverter(run).as_namedtuple_iter()),
    ),
}


@given(batches())
@settings(max_examples=10)
def test_frames_named_tuples_and_dicts_agree(collection: tuple[Grades, Scores]) -> None:
    qrels, run = whole(collection[0]), collection[1]
    measures = parsed(*PYTREC_EVAL, *PYTHON)
    provider = compat.Provider()
    wanted = provider.calc(measures, qrels, run)
    for way, converted in WAYS.items():
        with installed():
            found = ir_measures.calc(measures, *converted(qrels, run))
        assert per_query(found.per_query) == pytest.approx(per_query(wanted.per_query), rel=0, abs=0, nan_ok=True), way
        assert found.aggregated == pytest.approx(wanted.aggregated, rel=0, abs=0, nan_ok=True), way
    rows = [pl.DataFrame(frame) for frame in WAYS["frames"](qrels, run)]
    assert provider.calc_aggregate(measures, *rows) == pytest.approx(wanted.aggregated, rel=0, abs=0, nan_ok=True)


def test_rows_of_a_query_that_stand_apart_are_several_rankings_to_c_w_l() -> None:
    qrels = {"q": {"a": 1, "b": 0}, "r": {"a": 1}}
    rows = [("q", "b", 2.0), ("r", "a", 1.0), ("q", "a", 3.0)]
    run = pd.DataFrame(rows, columns=["query_id", "doc_id", "score"])
    measures = parsed("RBP(rel=1)", "AP")
    theirs = ir_measures.calc(measures, qrels, run)
    with installed():
        ours = ir_measures.calc(measures, qrels, run)
    assert sorted((row.query_id, str(row.measure), row.value) for row in ours.per_query) == [
        (query, measure, pytest.approx(value, rel=1e-12))
        for query, measure, value in sorted((row.query_id, str(row.measure), row.value) for row in theirs.per_query)
    ]
    assert ours.aggregated == pytest.approx(theirs.aggregated, rel=1e-12)


NOTHING: Final = pd.DataFrame([], columns=["query_id", "doc_id", "score"])
HALF: Final = {"q": {"a": 1}, "r": {"a": 0}, "s": {}}


@pytest.mark.parametrize(
    ("qrels", "run"),
    [({}, {"q": {"a": 1.0}}), (HALF, {}), (HALF, {"q": {}}), (HALF, NOTHING), (HALF, []), ([], []), (HALF, HALF)],
)
def test_collections_without_rows_are_no_error(qrels: Any, run: Any) -> None:
    """A query without results counts 0, also one of which no document is judged; of no query the mean is NaN."""
    measures = parsed("AP", "NumRet", "RR@5", "RBP(rel=1)")
    theirs = ir_measures.calc(measures, qrels, run)
    with installed():
        ours = ir_measures.calc(measures, qrels, run)
        close(ir_measures.calc_aggregate(measures, qrels, run), theirs.aggregated, rel=1e-12)
    close(per_query(ours.per_query), per_query(theirs.per_query), rel=1e-12)
    close(ours.aggregated, theirs.aggregated, rel=1e-12)


def test_an_evaluator_takes_many_runs() -> None:
    with installed():
        evaluator = ir_measures.evaluator(
            parsed("RR", "P@1"), pd.DataFrame(QRELS, columns=["query_id", "doc_id", "relevance"])
        )
        first, second = (evaluator.calc_aggregate({"q": {"a": score, "b": 1.0}}) for score in (2.0, 0.0))
    assert {str(measure): (first[measure], second[measure]) for measure in first} == {
        "RR": (1.0, 0.5),
        "P@1": (1.0, 0.0),
    }


QRELS: Final = [("q", "a", 1), ("q", "b", 0)]
TIED: Final = {"q": {"a": 1.0, "b": 1.0}}


def test_a_profile_changes_values() -> None:
    """Ties stand by descending ids in trec_eval, and as they come in ranx."""
    qrels = {"q": {"a": 1, "b": 0}}
    values = {}
    for profile in ("trec_eval-10.0", "ranx"):
        with installed(profile):
            values[profile] = ir_measures.calc_aggregate(parsed("RR", "AP"), qrels, TIED)
            assert values[profile] == {
                measure: rw.evaluate(qrels, TIED, [measure], profile=profile)[str(measure)]
                for measure in parsed("RR", "AP")
            }
    assert values["trec_eval-10.0"] != values["ranx"]


@given(
    batches(),
    st.sampled_from(
        ["standard-1", "trec_eval-9.0.8", "trec_eval-10.0-c", "ranx-0.3-comparable", "pytrec_eval-terrier-0.5"]
    ),
)
@settings(max_examples=30)
def test_means_and_values_are_those_of_the_profile(collection: tuple[Grades, Scores], profile: str) -> None:
    """Queries that it leaves out are left out."""
    qrels, run = whole(collection[0]), collection[1]
    measures = parsed("nDCG@5", "AP", "P@2")
    with warnings.catch_warnings(action="ignore"):
        wanted = rw.evaluate(qrels, run, [*map(str, measures)], profile=profile)
    with installed(profile):
        found = ir_measures.calc(measures, qrels, run)
    assert {str(measure): mean for measure, mean in found.aggregated.items()} == pytest.approx(
        wanted.mean(), nan_ok=True
    )
    rows = per_query(found.per_query)
    for query, row in wanted.per_query.to_dict().items():
        assert {name: rows[query, name] for name in row} == row


def test_it_is_installed_once_and_uninstalled() -> None:
    pipeline = ir_measures.DefaultPipeline
    before = list(pipeline.providers)
    first = compat.install()
    second = compat.install(profile="ranx")
    assert pipeline.providers == [second, *before]
    assert isinstance(second, ir_measures.Provider)
    assert (first.profile.name, second.profile.name) == ("ir_measures-0.4", "ranx-0.3")
    compat.uninstall()
    compat.uninstall()
    assert pipeline.providers == before


def test_a_profile_that_there_is_not_leaves_all_as_it_was() -> None:
    with pytest.raises(rw.UsageError, match="unknown-setting"):
        compat.install(profile="no such tool")


def test_other_measures_fall_through() -> None:
    qrels, run = {"q": {"a": 1, "b": 2}}, {"q": {"a": 2.0, "b": 1.0}}

    def first(_: pd.DataFrame, ranking: pd.DataFrame) -> float:
        return float(ranking["score"].max())

    own = ir_measures.define_byquery(first, name="AP")
    measures = [own, ir_measures.RR, *LEFT[1:]]
    theirs = {str(measure): ir_measures.calc_aggregate([measure], qrels, run)[measure] for measure in measures}
    with installed() as provider:
        assert not any(provider.supports(measure) for measure in [own, *LEFT])
        assert ir_measures.DefaultPipeline.supports(own)
        assert {
            str(measure): value for measure, value in ir_measures.calc_aggregate(measures, qrels, run).items()
        } == theirs
        with pytest.raises(ValueError, match="unsupported measures"):
            provider.calc([own], qrels, run)
        with pytest.raises(AssertionError, match="invalid param"):
            provider.supports(ir_measures.P)


def test_every_measure_of_ir_measures_has_a_value() -> None:
    """Those that the other laws compare are all there are."""
    named = {measure.NAME for measure in parsed(*PYTREC_EVAL, *PYTHON, *CWL, *GDEVAL, *SUBTOPICS, *OTHER)}
    assert named == {measure.NAME for measure in ir_measures.measures.registry.values()}


def test_measures_that_ir_measures_has_no_provider_for_are_answered() -> None:
    measures = parsed("NumRel(rel=2)", "RBP", "RBP(rel=1)@2", "ERR", "RR(judged_only=True)@5")
    assert not any(map(ir_measures.DefaultPipeline.supports, measures))
    with installed():
        values = ir_measures.calc_aggregate(measures, {"1": {"a": 1, "b": 2}}, {"1": {"a": 2.0, "b": 1.0}})
    assert len(values) == len(measures)


@pytest.mark.parametrize(
    ("qrels", "run", "says"),
    [
        (pd.DataFrame({"query_id": ["q"]}), {}, "unknown qrels format"),
        ({"q": {"a": 1}}, pd.DataFrame({"query_id": ["q"]}), "unknown run format"),
        ([("q", "a", 1)], {}, "unknown qrels format"),
        ({"q": {"a": 1}}, 5, "unknown run format"),
        ({"q": {"a": 1}}, {"q": {"a": math.nan}}, "bad-score"),
        ({"q": {"a": 0.5}}, {"q": {"a": 1.0}}, "Expected relevance to be integer"),
    ],
)
def test_what_cannot_be_read_is_a_value_error(qrels: Any, run: Any, says: str) -> None:
    with installed(), pytest.raises(ValueError, match=says):
        ir_measures.calc_aggregate(parsed("AP"), qrels, run)


def told(code: str) -> str:
    """What a fresh process prints or raises."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def test_nothing_heavy_is_imported_before_it_is_used() -> None:
    heavy = "{'ir_measures', 'numpy', 'pandas', 'polars', 'pytrec_eval'}"
    assert told(f"import sys, rankworth.compat.ir_measures; print({heavy} & set(sys.modules))") == "set()\n"


@pytest.mark.parametrize("use", ["compat.install()", "compat.uninstall()", "compat.Provider()"])
def test_a_missing_library_is_told(use: str) -> None:
    code = f"import sys; sys.modules['ir_measures'] = None; from rankworth.compat import ir_measures as compat; {use}"
    assert "ir_measures is not installed   [missing-library]\n  pip install 'ir_measures>=0.4.3'" in told(code)


def test_no_other_name_is_there() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Providers'"):
        compat.Providers  # noqa: B018 - the look-up is what is tested
