"""What measures can be told so that they follow other tools: ties, holes of other queries, readers, ideal rankings."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from cwl.ruler.measures import cwl_ap, cwl_bpm, cwl_dcg, cwl_insq, cwl_inst, cwl_nerr, cwl_precision, cwl_rbp, cwl_rr
from cwl.ruler.ranking import Ranking
from numpy.typing import NDArray
from sklearn import metrics

import rankworth as rw
from rankworth.errors import MeasureError
from rankworth.judged import Judged
from rankworth.judging.judged_run import ranking
from rankworth.measures import CATALOGUE, FACTS

Grades = Sequence[float | None]
CUTOFFS = (None, 1, 2, 3, 5, 8, 20)


def value(measure: str, judged: Judged) -> float:
    """The value of the one query."""
    return float(rw.parse(measure).values(judged)[0])


def tied(grades: Grades, sizes: Sequence[int], ties: str = "expected", missing: Grades = ()) -> Judged:
    """A ranking whose first documents share a score, so the next ones, and so on."""
    judged = ranking(grades, missing=missing)
    last = np.repeat(np.cumsum(sizes), sizes).astype(float)[None, :]
    first = last - np.repeat(sizes, sizes) + 1
    rank = last if ties == "last" else judged.rank
    return replace(judged, rank=rank, tie_first=first, tie_last=last, ties=ties)  # type: ignore[arg-type]


def orders(grades: Grades, sizes: Sequence[int]) -> Iterator[list[float]]:
    """Every way in which the relevant documents of each group of ties can stand; all are equally likely."""
    parts, start = [], 0
    for size in sizes:
        relevant = sum(grade == 1 for grade in grades[start : start + size])
        parts.append(
            [[float(place in places) for place in range(size)] for places in combinations(range(size), relevant)]
        )
        start += size
    for choice in product(*parts):
        yield [grade for part in choice for grade in part]


@pytest.mark.parametrize(
    ("grades", "sizes"),
    [
        ((0, 1, 0, 1, 1, 0, 0, 1, 0), (9,)),
        ((1, 1, 1), (3,)),
        ((0, 0, 0, 0, 1), (5,)),
        ((0, 0, 1, 0, 1, 1, 0, 1), (2, 4, 2)),
        ((0, 1, 0, 0, 0, 1, 1, 0), (1, 1, 6)),
        ((0, 0, 0), (2, 1)),
        ((0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 1, 0), (3, 7, 2)),
    ],
)
@pytest.mark.parametrize("name", ["AP", "AP(norm=min(k,R))", "AP(norm=k)", "RR", "Success"])
def test_the_expected_value_is_the_mean_over_all_orders(name: str, grades: Grades, sizes: Sequence[int]) -> None:
    for cutoff in CUTOFFS:
        measure = name if cutoff is None else f"{name}@{cutoff}"
        each = [value(measure, ranking(order, missing=[1, 0])) for order in orders(grades, sizes)]
        expected = math.fsum(each) / len(each)
        assert value(measure, tied(grades, sizes, missing=[1, 0])) == pytest.approx(expected, rel=1e-12), measure


def test_a_group_of_many_ties_has_its_expected_value_too() -> None:
    """One relevant document of 2,000 stands at each rank as likely as at any other."""
    judged = tied((1,) + (0,) * 1999, (2000,))
    harmonic = math.fsum(1 / rank for rank in range(1, 2001))
    assert value("RR", judged) == pytest.approx(harmonic / 2000, rel=1e-12)
    assert value("AP", judged) == pytest.approx(harmonic / 2000, rel=1e-12)
    assert value("Success@50", judged) == pytest.approx(50 / 2000, rel=1e-12)


def test_average_precision_over_found_documents_has_an_expected_value_without_a_cutoff_only() -> None:
    judged = tied((1, 0), (2,))
    assert value("AP(norm=found)", judged) == (1 + 1 / 2) / 2
    with pytest.raises(MeasureError, match=r"AP\(norm=found\) with a cutoff is not linear: it does not have an expect"):
        value("AP(norm=found)@1", judged)


def test_tied_documents_at_their_last_rank_are_those_of_scikit_learn() -> None:
    generator = np.random.default_rng(3)
    for _ in range(200):
        sizes = generator.integers(1, 5, generator.integers(1, 6)).tolist()
        grades = generator.integers(0, 2, sum(sizes)).tolist()
        if not any(grades):
            continue
        scores = -np.repeat(np.arange(len(sizes)), sizes).astype(float)
        judged = tied(grades, sizes, "last")
        expected = metrics.average_precision_score(grades, scores)
        assert value("AP", judged) == pytest.approx(expected, rel=1e-14)
        ranked = metrics.label_ranking_average_precision_score([grades], [scores]) if not all(grades) else expected
        assert value("AP", judged) == pytest.approx(ranked, rel=1e-14)


@pytest.mark.parametrize("seed", range(20))
def test_average_precision_score_of_several_queries_is_that_of_scikit_learn_or_none(seed: int) -> None:
    generator = np.random.default_rng(seed)
    labels, scores = generator.integers(0, 2, (5, 7)), generator.integers(0, 9, (5, 7)) / 10
    labels[:, 0] = labels[0] = 1
    name = "average_precision_score"

    def mean(labels: NDArray[Any], scores: NDArray[Any], measure: str) -> float:
        found = rw.evaluate(labels=labels, scores=scores, measures=[measure], profile="scikit-learn-1.9")
        return found[measure]

    for bare in (name, f"{name}(average=macro)"):
        with pytest.raises(
            MeasureError, match="the mean over columns and not over queries; there are 5 quer"
        ) as caught:
            mean(labels, scores, bare)
        assert caught.value.slug == "ambiguous-measure"
        assert f"{name}(average=samples)" in caught.value.remedy
        alone = mean(labels[:1], scores[:1], bare)
        assert alone == pytest.approx(metrics.average_precision_score(labels[0], scores[0]), rel=1e-14)
    assert mean(labels, scores, "AP") == mean(labels, scores, f"{name}(average=samples)")
    samples = mean(labels, scores, f"{name}(average=samples)")
    assert samples == pytest.approx(metrics.average_precision_score(labels, scores, average="samples"), rel=1e-14)
    turned = mean(labels.T, scores.T, f"{name}(average=samples)")
    assert turned == pytest.approx(metrics.average_precision_score(labels, scores), rel=1e-14)


def test_where_ties_are_last_a_group_counts_as_soon_as_it_is_complete() -> None:
    judged = tied((1, 0, 1, 0), (1, 2, 1), "last")
    assert value("AP", judged) == (1 / 1 + 2 / 3) / 2
    assert value("AP@2", judged) == (1 / 1) / 2
    assert value("AP(norm=found)@3", judged) == (1 / 1 + 2 / 3) / 2
    assert value("RR", tied((0, 1), (2,), "last")) == 1 / 2
    assert value("Success@1", tied((1, 0), (2,), "last")) == 0
    assert value("P@2", judged) == 1 / 2
    assert value("DCG", judged) == 1 + 1 / math.log2(4)
    assert value("AP(judged_only=True)", tied((None, 0, 1, 1), (2, 2), "last")) == (2 / 3 + 2 / 3) / 2


@pytest.mark.parametrize("ties", ["expected", "last"])
def test_measures_that_cannot_share_ranks_say_so_and_others_do_not(ties: str) -> None:
    judged = tied((1, 0), (2,), ties)
    for measure in CATALOGUE.values():
        if measure.definition.linear or measure.definition.tied:
            assert not math.isinf(value(str(measure), judged))
        else:
            with pytest.raises(MeasureError, match=rf"{measure.name} is not linear: .*\(ties={ties}\)"):
                measure.values(judged)


def test_what_is_judged_for_another_query_is_no_hole() -> None:
    judged = ranking([1, None, None, 0], missing=[1])
    elsewhere = np.array([[True, False, True, True]])
    assert value("Hole@3", judged) == 2 / 3
    assert value("Hole@3", replace(judged, elsewhere=elsewhere)) == 1 / 3
    assert value("Hole@2", replace(judged, elsewhere=elsewhere)) == 1 / 2
    assert value("Hole", replace(judged, elsewhere=elsewhere)) == 1 / 4
    assert value("Hole@10", replace(judged, elsewhere=elsewhere)) == 1 / 10
    assert value("Hole(judged_only=True)", replace(judged, elsewhere=elsewhere)) == 0
    assert value("Unjudged@3", replace(judged, elsewhere=elsewhere)) == 2 / 3
    assert [measure.name for measure in CATALOGUE.values() if measure.definition.elsewhere] == ["Hole"]


def test_a_row_that_is_no_document_is_no_judgement_elsewhere() -> None:
    judged = ranking([1, None, None])
    padded = replace(judged, retrieved=np.array([[True, True, False]]), n_retrieved=np.array([2.0]))
    assert value("Hole@3", replace(padded, elsewhere=np.array([[True, False, True]]))) == 1 / 3


def test_only_signed_gains_need_rows_for_documents_that_nobody_judged() -> None:
    every = [*CATALOGUE.values(), *FACTS.values()]
    assert [one.name for one in every if one.positions == "all"] == ["Hole"]
    for text in ("nDCG(gain=signed)", "nDCG(gain=signed-exp2, ideal=retrieved)@5"):
        assert rw.parse(text).positions == "all"
    for text in ("nDCG(gain=binary)", "DCG(gain=signed)", "nDCG(ideal=retrieved)", "nDCG(gain={0: -1})"):
        assert rw.parse(text).positions == "judged"


def test_a_parameter_counts_only_beside_the_one_that_it_belongs_to() -> None:
    assert "rel" not in rw.nDCG.parameters
    assert rw.nDCG(gain="binary").parameters["rel"] == 1
    assert rw.nDCG(gain="binary", rel=2) != rw.nDCG(gain="binary")
    assert rw.nDCG(rel=1) == rw.nDCG
    with pytest.raises(MeasureError, match=r"DCG\(rel=2\): rel means something beside gain=binary only"):
        rw.DCG(rel=2)
    with pytest.raises(MeasureError, match="bad-parameter"):
        rw.DCG(gain="binary", rel=2)(gain="exp2")


def test_undefined_is_another_thing_than_zero() -> None:
    def values(text: str, *rankings: Grades) -> list[float]:
        return [value(text, ranking(one)) for one in rankings]

    nan = pytest.approx(math.nan, nan_ok=True)
    assert values("F(no_relevant=undefined)@2", [0, None], [1, 0]) == [nan, 2 / 3]
    assert values("F@2", [0, None]) == [0]
    assert values("Bpref(no_nonrelevant=undefined)", [1, None], [1, 0], [0, 0]) == [nan, 1, nan]
    assert value("Bpref(no_nonrelevant=undefined)", ranking([None], missing=[1])) == 0
    assert value("Bpref", ranking([None], missing=[1])) == 0
    assert values("P(norm=min(k,n))@2", []) == [nan]
    assert values("FallOut@1", [1, 1], []) == [nan, nan]
    assert values("nDCG(ideal=returned)@3", []) == [nan]
    assert values("nDCG(ideal=full)@3", [], [0]) == [0, 0]
    assert values("CWL_AP", [0]) == [nan]


def test_as_many_perfect_documents_as_there_are_ranks_have_a_limit() -> None:
    with pytest.raises(MeasureError, match=r"2,000,000 ranks are too many to add up.*\[bad-cutoff\]"):
        rw.score([1], "nDCG(ideal=full)@2000000")


def test_signed_gains_are_those_of_scikit_learn() -> None:
    generator = np.random.default_rng(4)
    for _ in range(100):
        grades = generator.integers(-2, 4, generator.integers(2, 9)).astype(float).tolist()
        scores = [-np.arange(len(grades))]
        for k in (1, 3, None):
            at = "" if k is None else f"@{k}"
            expected = metrics.dcg_score([grades], scores, k=k)
            assert rw.score(grades, f"DCG(gain=signed){at}") == pytest.approx(expected, rel=1e-12, abs=1e-14)


READERS = {
    "CWL_P(max_grade=1{of})@7": cwl_precision.PrecisionCWLMetric(7),
    "CWL_RR(max_grade=1{of})": cwl_rr.RRCWLMetric(),
    "CWL_AP(max_grade=1{of})": cwl_ap.APCWLMetric(),
    "CWL_TrAP(max_grade=1{of})": cwl_ap.TrAPCWLMetric(),
    "RBP(p=0.995, max_grade=1, ranks=1000{of})": cwl_rbp.RBPCWLMetric(0.995),
    "SDCG(max_grade=1{of})@7": cwl_dcg.NDCGCWLMetric(7),
    "INST(T=2, max_grade=1{of})": cwl_inst.INSTCWLMetric(2.0),
    "INSQ(T=3, max_grade=1{of})": cwl_insq.INSQCWLMetric(3.0),
    "BPM(T=1.5, max_grade=1{of})@7": cwl_bpm.BPMCWLMetric(1.5, 7),
    "NERR8(max_grade=1{of})@7": cwl_nerr.NERReq8CWLMetric(7),
    "NERR9(max_grade=1{of})@7": cwl_nerr.NERReq9CWLMetric(7),
    "NERR10(p=0.998, max_grade=1{of})": cwl_nerr.NERReq10CWLMetric(0.998),
    "NERR11(T=2, max_grade=1{of})": cwl_nerr.NERReq11CWLMetric(2.0),
}


@pytest.mark.parametrize("text", READERS)
def test_readers_gain_what_cwl_eval_says_and_look_as_far(text: str) -> None:
    generator = np.random.default_rng(5)
    for _ in range(15):
        gains = generator.choice([0, 0, 0.25, 0.5, 1, np.nan], generator.integers(1, 12)).tolist()
        missing = generator.choice([0, 0.5, 1], 2).tolist()
        theirs = Ranking("q", np.array(gains), np.full(len(gains), np.nan))
        theirs.total_qrel_rels = float(sum(gain > 0 for gain in [*gains, *missing]))
        metric = READERS[text]
        metric.residuals = False  # its TrAP forgets to say so
        metric.measure(theirs)
        expected = (metric.expected_utility, metric.expected_total_utility, metric.expected_items)
        grades = [None if math.isnan(gain) else gain for gain in gains]
        for of, number in zip(("", ", of=total", ", of=depth"), expected, strict=True):
            assert rw.score(grades, text.format(of=of), missing=missing) == pytest.approx(number, rel=1e-11), of
