"""What is counted, not measured; geometric means; how much of a run is looked at, and which of its documents."""

import math
import pickle
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import array_api_strict
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import rankworth as rw
from generators import Grades, Scores, collections, hits_of
from rankworth.errors import MeasureError
from rankworth.judged import Judged
from rankworth.measures import FACTS, TextFact
from rankworth.measures.facts import fact
from rankworth.scoring import columns

pytestmark = pytest.mark.filterwarnings("ignore::rankworth.errors.RankworthWarning")

QRELS: Mapping[str, Mapping[str, float]] = {
    "q1": {"a": 2, "b": 0, "c": -1, "d": 12, "x": 1},
    "q2": {"a": 1},
    "q3": {"a": 1, "b": 2},
}
RUN: Mapping[str, Mapping[str, float]] = {"q1": {"a": 5, "n": 4, "b": 3, "c": 2, "d": 1}, "q2": {"n": 2, "a": 1}}


def test_facts_are_counted_for_each_query_and_summed() -> None:
    names = ["NumQ", "NumRet", "NumRel", "NumRelRet", "NumNonRelRet", "NumRel(rel=2)"]
    values = rw.evaluate(QRELS, RUN, names)
    assert values.per_query.to_dict() == {
        "q1": dict(zip(names, (1, 5, 3, 2, 1, 2), strict=True)),
        "q2": dict(zip(names, (1, 2, 1, 1, 0, 0), strict=True)),
        "q3": dict(zip(names, (1, 0, 2, 0, 0, 1), strict=True)),
    }
    assert values.mean() == dict(zip(names, (3, 7, 6, 3, 1, 3), strict=True))
    answered = rw.evaluate(QRELS, RUN, names, missing="skip")
    assert answered.mean() == dict(zip(names, (2, 7, 4, 3, 1, 2), strict=True))
    assert answered["num_q"] == 2


def test_grades_can_be_shown_as_text() -> None:
    values = rw.evaluate(QRELS, RUN, ["relstring", "relstring(length=3)", "AP"])
    assert values.per_query.texts == {
        "relstring": ["2-0.>", "-1", ""],
        "relstring(length=3)": ["2-0", "-1", ""],
    }
    assert values.per_query.measures == ["AP"]
    frame = values.per_query.to_frame()
    assert frame["relstring"].to_list() == ["2-0.>", "-1", ""]
    assert frame.columns == ["query", "AP", "relstring", "relstring(length=3)"]


def test_a_run_without_any_number_asked_for_is_shown_all_the_same() -> None:
    values = rw.evaluate(QRELS, RUN, ["relstring"])
    assert values.mean() == {}
    assert "relstring" in repr(values.per_query)
    assert repr(values).startswith("\n3 of 3 judged queries")


def test_facts_are_equal_by_meaning_and_travel() -> None:
    assert rw.NumRel(rel=1) == rw.NumRel != rw.NumRel(rel=2)
    for one in (rw.NumRel(rel=2), FACTS["relstring"](length=3)):
        assert pickle.loads(pickle.dumps(one)) == one
        assert rw.parse(str(one)) == one
    with pytest.raises(MeasureError, match="NumRet has no parameter 'rel'"):
        rw.NumRet(rel=2)


def test_a_fact_of_ones_own_is_counted_like_ours() -> None:
    @fact("NumJudged")
    def judged_documents(judged: Judged) -> object:
        """How many documents are judged."""
        return judged.n_judged()

    try:
        assert rw.evaluate(QRELS, RUN, ["NumJudged"])["numjudged"] == 8
    finally:
        del FACTS["NumJudged"]


@given(collection=collections())
def test_facts_speak_the_array_api_standard_in_both_layouts(collection: tuple[Grades, Scores]) -> None:
    blocks = [
        hits.block(np.arange(hits.n_retrieved.size))
        for hits in (hits_of(*collection), hits_of(*collection, layout="full"))
    ]
    arrays = {name: value for name, value in blocks[0].__dict__.items() if isinstance(value, np.ndarray)}
    strict = Judged(**{name: array_api_strict.asarray(value) for name, value in arrays.items()})
    for one in FACTS.values():
        results = [one.values(block) for block in (*blocks, strict)]
        plain = [result if isinstance(one, TextFact) else [float(value) for value in result] for result in results]
        assert plain[0] == plain[1] == plain[2], one


@given(collection=collections())
def test_counts_agree_with_each_other(collection: tuple[Grades, Scores]) -> None:
    values = rw.evaluate(
        *collection, ["NumRet", "NumRel", "NumRelRet", "NumNonRelRet", "HitCount", "P", "R", "relstring"]
    )
    for (query, row), text in zip(values.per_query.to_dict().items(), values.per_query.texts["relstring"], strict=True):
        assert row["HitCount"] == row["NumRelRet"] <= min(row["NumRet"], row["NumRel"])
        assert row["NumRelRet"] + row["NumNonRelRet"] <= row["NumRet"]
        assert len(text) == min(10, row["NumRet"]) == min(10, len(collection[1].get(query, {})))
        assert row["P"] == (row["NumRelRet"] / row["NumRet"] if row["NumRet"] else 0)


def test_a_geometric_mean_is_an_averaging() -> None:
    values = rw.evaluate(QRELS, RUN, ["gmean(AP)", "AP", rw.gmean(rw.RR)])
    ap = [row["AP"] for row in values.per_query.to_dict().values()]
    assert [row["gmean(AP)"] for row in values.per_query.to_dict().values()] == ap
    assert values["gm_map"] == math.exp(sum(math.log(max(value, 0.00001)) for value in ap) / 3)
    assert values["gmean(RR)"] == pytest.approx((1 * 0.5 * 0.00001) ** (1 / 3), rel=1e-14)
    assert values["gmean(AP)"] < values["AP"]
    assert pickle.loads(pickle.dumps(rw.gmean(rw.AP @ 5))) == rw.gmean(rw.AP @ 5) != rw.AP @ 5


def test_intervals_of_geometric_means_lie_around_them_and_sums_have_none() -> None:
    values = rw.evaluate(QRELS, RUN, ["gmean(AP)", "AP", "NumRel"])
    intervals = values.interval()
    low, high, _ = intervals["gmean(AP)"]
    assert 0.00001 * (1 - 1e-14) <= low < values["gmean(AP)"] < high <= 1
    assert math.isnan(intervals["NumRel"].low)


@given(values=st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_a_geometric_mean_is_at_most_the_mean(values: list[float]) -> None:
    table = np.array([values, values]).T
    geometric, arithmetic = columns.summary(table, ["gmean", "mean"])
    assert geometric <= max(arithmetic, 0.00001) * (1 + 1e-14) + 0.00001


@given(collection=collections(), depth=st.sampled_from((1, 2, 3, 5)))
def test_depth_is_a_shorter_run(collection: tuple[Grades, Scores], depth: int) -> None:
    qrels, run = collection
    by_score = {query: sorted(sorted(part, reverse=True), key=lambda one: -part[one]) for query, part in run.items()}
    shorter = {query: {one: run[query][one] for one in by_score[query][:depth]} for query in run}
    measures = ["all_trec", "Compat", "Judged@10", "INST"]
    cut, short = rw.evaluate(qrels, run, measures, depth=depth), rw.evaluate(qrels, shorter, measures)
    assert cut.per_query.array.tobytes() == short.per_query.array.tobytes()
    assert cut.per_query.texts == short.per_query.texts
    assert f"|depth:{depth}|" in cut.signature


@given(collection=collections())
def test_removing_unjudged_documents_is_a_shorter_run(collection: tuple[Grades, Scores]) -> None:
    qrels, run = collection
    judged = {
        query: {one: score for one, score in part.items() if qrels.get(query, {}).get(one, -1) >= 0}
        for query, part in run.items()
    }
    assume(any(judged.values()))
    measures = ["all_trec", "Compat", "Judged@10", "INST"]
    removed = rw.evaluate(qrels, run, measures, unjudged="removed")
    shorter = rw.evaluate(qrels, judged, measures)
    assert removed.per_query.array.tobytes() == shorter.per_query.array.tobytes()
    assert removed.per_query.texts == shorter.per_query.texts
    assert "|unjudged:removed|" in removed.signature
    alone = rw.evaluate(qrels, run, ["AP(judged_only=True)", "P(judged_only=True)@2"]).per_query.array
    assert alone.tobytes() == rw.evaluate(qrels, judged, ["AP", "P@2"]).per_query.array.tobytes()


def test_tie_groups_of_a_condensed_ranking_are_those_of_its_documents() -> None:
    qrels = {"q": {"a": 1, "b": 0, "c": 2, "d": 1}}
    run = {"q": {"x": 9, "a": 5, "y": 5, "b": 5, "z": 3, "c": 2, "d": 2}}
    block = hits_of(qrels, run).block(np.array([0])).condensed
    assert block.rank.tolist() == [[1, 2, 3, 4]]
    assert block.tie_first.tolist() == [[1, 1, 3, 3]]
    assert block.tie_last.tolist() == [[2, 2, 4, 4]]
    assert block.n_retrieved.tolist() == [4]
    expected = (rw.P @ 1).values(replace(block, ties="expected"))
    assert expected.tolist() == [0.5]


def test_an_unanswered_query_is_an_empty_ranking() -> None:
    qrels = {"q1": {"a": 1}, "q2": {"a": 1, "b": 1}}
    values = rw.evaluate(qrels, {"q1": {"a": 1}}, ["AP", "yaap", "utility(miss=-1)", "RBP_residual"])
    assert values.per_query.to_dict()["q2"] == {
        "AP": 0.0,
        "yaap": math.log(1 / 3),
        "utility(miss=-1)": -2.0,
        "RBP_residual": 1.0,
    }


@pytest.mark.parametrize("setting", [{"depth": 0}, {"depth": 2.5}, {"depth": True}, {"unjudged": "dropped"}])
def test_a_setting_that_is_none_is_refused(setting: dict[str, object]) -> None:
    with pytest.raises(rw.UsageError, match="unknown-setting"):
        rw.evaluate(QRELS, RUN, ["AP"], **setting)  # type: ignore[arg-type]


def test_a_level_of_relevance_for_all_measures() -> None:
    values = rw.evaluate(QRELS, RUN, ["AP", "RR(rel=1)", "nDCG"], rel=2)
    assert list(values.mean()) == ["AP", "RR(rel=1)", "nDCG"]
    assert [line.partition("|")[0] for line in values.signatures.values()] == ["AP(rel=2)", "RR", "nDCG"]
    table = rw.evaluate_runs(QRELS, {"one": RUN}, ["AP"], rel=2, depth=1, unjudged="removed")
    assert table["one"].per_query.to_dict()["q1"] == {"AP": 1 / 2}
    assert "|depth:1|unjudged:removed|" in table.signature


def test_the_tag_of_a_run_is_that_of_its_last_line(tmp_path: Path) -> None:
    run = tmp_path / "bm25.run"
    run.write_text("q1 Q0 a 1 2.0 one\nq1 Q0 b 2 1.0 two\n\n")
    assert rw.evaluate(QRELS, run, ["AP"]).tag == "two"
    assert rw.evaluate(QRELS, rw.Run(RUN, "mine"), ["AP"]).tag == "mine"
