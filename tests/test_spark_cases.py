"""Spark, case by case: what a frame of Spark says is what the same rows say here, values, counts and refusals."""

import math
import warnings
from typing import Any

import polars as pl
import pytest
from pyspark.sql import functions as sql

import rankworth as rw
from rankworth.errors import RankworthError
from rankworth.spark import evaluate

GRADED = "query string, document string, grade int"
SCORED = "query string, document string, score double"
RANKED = SCORED + ", rank double"
QRELS = [("q1", "a", 1), ("q1", "b", 0), ("q1", "c", 2), ("q2", "x", 1), ("q3", "z", 1)]
RUN = [("q1", "a", 1.0), ("q1", "b", 1.0), ("q1", "u", 0.5), ("q1", "c", 0.5), ("q2", "y", 1.0), ("q4", "u", 1.0)]
LISTS = "query string, documents array<string>, grades array<int>"
RECORDS = "query string, recommendations array<struct<id:string,score:double>>"
IDS = "query string, items array<string>"
WITH_RANKS = "query string, recommendations array<struct<id:string,score:double,rank:int>>"
JUDGED = [("q1", ["a", "b", "c"], [1, 0, 2]), ("q2", ["x"], [1]), ("q3", ["z"], [1])]
RECOMMENDED = [("q1", [("a", 1.0), ("b", 1.0), ("u", 0.5), ("c", 0.5)]), ("q2", [("y", 1.0)]), ("q4", [("u", 1.0)])]
PAIRS = {"q1": ["a"], "q2": ["y"]}
SUBTOPICS = "query string, documents array<struct<id:string,grade:int,subtopic:string>>"
OF_ONE = [("q1", [("a", 1, "1"), ("c", 1, "2")])]
ALPHA = {"measures": ["alpha_nDCG@10"]}
HOLES = {"measures": ["Hole@5"]}
MEASURES = ["nDCG@10", "NumRet"]

Rows = list[tuple[Any, ...]]
Case = tuple[Rows, str, Rows, str, dict[str, Any]]
ALIKE: dict[str, Case] = {
    "exclude empties a list": (JUDGED, LISTS, RECOMMENDED, RECORDS, {"exclude": PAIRS}),
    "exclude of itself": (
        [("q1", ["a", "q1"], [1, 2])],
        LISTS,
        [("q1", [("q1", 2.0), ("a", 1.0)])],
        RECORDS,
        {"exclude": "self"},
    ),
    "exclude and unjudged queries": (
        *(JUDGED, LISTS, [*RECOMMENDED, ("q5", [("u", 1.0), ("v", 0.1)])], RECORDS),
        {"exclude": {"q4": ["u"], "q5": ["u"]}, "extra": "zero"},
    ),
    "empty lists": (JUDGED, LISTS, [RECOMMENDED[0], ("q2", []), ("q7", [])], RECORDS, {"missing": "absent"}),
    "empty lists of others": (JUDGED, LISTS, [RECOMMENDED[0], ("q2", []), ("q7", [])], RECORDS, {"extra": "zero"}),
    "holes of lists": (
        *(JUDGED, LISTS, [("q1", [("a", 1.0), ("x", 0.5), ("z", 0.4), ("u", 0.3)]), ("q2", [("a", 1.0)])], RECORDS),
        HOLES,
    ),
    "holes beside exclude": (
        *(QRELS, GRADED, [("q1", "a", 1.0), ("q1", "x", 0.5), ("q1", "z", 0.4), ("q2", "a", 1.0)], SCORED),
        {**HOLES, "exclude": {"q2": ["x"]}},
    ),
    "holes beside exclude from the run": (
        *(QRELS, GRADED, [("q1", "a", 1.0), ("q1", "x", 0.5), ("q1", "z", 0.4), ("q2", "a", 1.0)], SCORED),
        {**HOLES, "exclude": {"q2": ["x"]}, "exclude_from": "run"},
    ),
    "subtopics in records": (OF_ONE, SUBTOPICS, RUN, SCORED, ALPHA),
    "subtopics in records, lists": (OF_ONE, SUBTOPICS, RECOMMENDED, RECORDS, ALPHA),
    "a subtopic for each list": (
        *([("q1", ["a", "c"], "1"), ("q1", ["b"], "2")], "query string, documents array<string>, subtopic string"),
        *(RUN, SCORED, ALPHA),
    ),
    "subtopics in rows, lists": (
        *([("q1", "a", 1, "1"), ("q1", "c", 1, "2")], GRADED + ", subtopic string", RECOMMENDED, RECORDS),
        ALPHA,
    ),
    "ranks in records": (JUDGED, LISTS, [("q1", [("a", 1.0, 2), ("c", 3.0, 1)])], WITH_RANKS, {"order": "rank"}),
    "places in lists are ranks": (JUDGED, LISTS, [("q1", [("a", 1.0), ("c", 3.0)])], RECORDS, {"order": "rank"}),
    "ranks of lists without values": (JUDGED, LISTS, [("q1", ["c", "a"])], IDS, {"order": "rank"}),
    "ranks with gaps": (QRELS, GRADED, [("q1", "a", 1.0, 4.0), ("q1", "c", 2.0, 9.0)], RANKED, {"order": "rank"}),
    "ranks beside exclude": (
        *(QRELS, GRADED, [("q1", "u", 1.0, 1.0), ("q1", "c", 2.0, 2.0)], RANKED),
        {"order": "rank", "exclude": {"q1": ["u"]}},
    ),
    "lists as they are given": (JUDGED, LISTS, RECOMMENDED, RECORDS, {"order": "given"}),
    "several lists with scores": (
        JUDGED,
        LISTS,
        [("q1", [("a", 1.0)]), ("q1", [("c", 3.0)])],
        RECORDS,
        {"order": "score"},
    ),
    "sums have no weights": (QRELS, GRADED, RUN, SCORED, {"weights": {"q1": 0.0, "q2": 1.0, "q3": 1.0}}),
    "texts come last": (QRELS, GRADED, RUN, SCORED, {"measures": ["relstring", "RR"]}),
    "some queries": (QRELS, GRADED, RUN, SCORED, {"queries": ["q1", "q3"]}),
}
REFUSED: dict[str, Case] = {
    "no list": (JUDGED, LISTS, [*RECOMMENDED, ("q3", None)], RECORDS, {}),
    "no list beside exclude": (JUDGED, LISTS, [*RECOMMENDED, ("q3", None)], RECORDS, {"exclude": PAIRS}),
    "no list of judgements": ([*JUDGED[:2], ("q3", None, None)], LISTS, RUN, SCORED, {}),
    "empty list of judgements": ([*JUDGED[:2], ("q3", [], [])], LISTS, RUN, SCORED, {}),
    "unequal lists of judgements": ([("q1", ["a", "b"], [1])], LISTS, RUN, SCORED, {}),
    "unequal lists, both": ([("q1", ["a", "b"], [1])], LISTS, RECOMMENDED, RECORDS, {}),
    "a hole in a list": (JUDGED, LISTS, [("q1", [("a", 1.0), ("c", None)])], RECORDS, {}),
    "a hole in a list, exploded": (JUDGED, LISTS, [("q1", [("a", 1.0), ("c", None)])], RECORDS, {"exclude": PAIRS}),
    "twice in a list": (JUDGED, LISTS, [("q1", [("a", 1.0), ("a", 2.0)])], RECORDS, {}),
    "a list again": (JUDGED, LISTS, [("q1", ["a"]), ("q1", ["c"])], IDS, {}),
    "a list again, exploded": (JUDGED, LISTS, [("q1", ["a"]), ("q1", ["c"])], IDS, {"exclude": PAIRS}),
    "no rank": (QRELS, GRADED, [("q1", "a", 1.0, None), ("q1", "c", 2.0, 1.0)], RANKED, {"order": "rank"}),
    "rank is NaN": (QRELS, GRADED, [("q1", "a", 1.0, math.nan), ("q1", "c", 2.0, 1.0)], RANKED, {"order": "rank"}),
    "rank between": (QRELS, GRADED, [("q1", "a", 1.0, 1.5), ("q1", "c", 2.0, 1.0)], RANKED, {"order": "rank"}),
    "no weight": (QRELS, GRADED, RUN, SCORED, {"weights": {"q1": 2.0}}),
    "all weights are 0": (QRELS, GRADED, RUN, SCORED, {"weights": {"q1": 0.0, "q2": 0.0, "q3": 0.0}}),
    "all weights of a group are 0": (
        *(QRELS, GRADED, RUN, SCORED),
        {"weights": {"q1": 0.0, "q2": 1.0, "q3": 1.0}, "macro": {"q1": "a", "q2": "b", "q3": "b"}},
    ),
    "no group": (QRELS, GRADED, RUN, SCORED, {"macro": {"q1": "en"}}),
    "groups of others": (QRELS, GRADED, RUN, SCORED, {"by": {"other": "en"}}),
    "queries that nobody judged": (QRELS, GRADED, RUN, SCORED, {"queries": ["q1", "zzz"]}),
    "queries that nobody judged, lists": (JUDGED, LISTS, RECOMMENDED, RECORDS, {"queries": ["q1", "zzz"]}),
    "no queries": (QRELS, GRADED, RUN, SCORED, {"queries": []}),
    "exclude leaves no judgement": (QRELS[:2], GRADED, RUN[:2], SCORED, {"exclude": {"q1": ["a", "b"]}}),
    "exclude leaves no document": (QRELS[:3], GRADED, RUN[:1], SCORED, {"exclude": {"q1": ["a"]}}),
}


def both(spark: Any, case: Case) -> tuple[tuple[Any, Any], tuple[Any, Any], list[str], dict[str, Any]]:
    """Frames of Spark, the same of Polars, the measures and the settings."""
    qrels, judged, run, scored, settings = case
    frames = spark.createDataFrame(qrels, judged), spark.createDataFrame(run, scored)
    here = pl.DataFrame(frames[0].toArrow()), pl.DataFrame(frames[1].toArrow())
    return frames, here, settings.get("measures", MEASURES), {k: v for k, v in settings.items() if k != "measures"}


def locally(qrels: Any, run: Any, measures: list[str], **settings: Any) -> rw.Values:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rw.RankworthWarning)
        return rw.evaluate(qrels, run, measures, **settings)


@pytest.mark.parametrize("case", ALIKE.values(), ids=ALIKE)
def test_spark_says_what_is_said_here(spark: Any, case: Case) -> None:
    frames, here, measures, settings = both(spark, case)
    expected = locally(*here, measures, **settings)
    values = evaluate(*frames, measures, **settings)
    assert values.columns == expected.per_query.to_frame().columns
    assert sorted(map(tuple, values.collect())) == sorted(expected.per_query.to_frame().rows())
    means = values.mean(resamples=0)
    assert means.mean() == pytest.approx(expected.mean(), rel=1e-15)
    assert means.counts.numbers == expected.counts.numbers


@pytest.mark.parametrize("case", REFUSED.values(), ids=REFUSED)
def test_spark_refuses_what_is_refused_here(spark: Any, case: Case) -> None:
    frames, here, measures, settings = both(spark, case)
    with pytest.raises(RankworthError) as expected:
        locally(*here, measures, **settings)
    with pytest.raises(RankworthError) as caught:
        evaluate(*frames, measures, **settings).mean(resamples=0)
    assert caught.value.slug == expected.value.slug
    assert not any("row 0" in text for text in caught.value.problems)


def test_one_value_for_a_list_of_documents_ranks_nothing(spark: Any) -> None:
    run = spark.createDataFrame([("q1", ["a"], 1.0)], "query string, items array<string>, score double")
    with pytest.raises(rw.InputError, match="one score for each list"):
        evaluate(spark.createDataFrame(QRELS, GRADED), run, MEASURES)


def test_order_is_refused_where_nothing_tells_it(spark: Any) -> None:
    qrels = spark.createDataFrame(QRELS, GRADED)
    with pytest.raises(rw.UsageError, match="duplicate_judgements"):
        evaluate(qrels, spark.createDataFrame(RUN, SCORED), MEASURES, duplicate_judgements="first")
    again = spark.createDataFrame([("q1", [("a", 1.0)]), ("q1", [("c", 3.0)])], RECORDS)
    with pytest.raises(rw.InputError, match="a query has a list again"):
        evaluate(qrels, again, MEASURES, order="given").mean()
    rows = [("q1", "a", 1.0, 1), ("q1", "c", 2.0, 1)]
    with pytest.raises(rw.InputError, match="2 documents at the position 1"):
        evaluate(qrels, spark.createDataFrame(rows, SCORED + ", position int"), MEASURES, order="given").mean()
    rows = [("q1", "a", 1.0, None), ("q1", "c", 2.0, 1)]
    with pytest.raises(rw.InputError, match="a row has no position"):
        evaluate(qrels, spark.createDataFrame(rows, SCORED + ", position int"), MEASURES, ties="given").mean()


def test_scores_make_ranks_where_there_are_none(spark: Any) -> None:
    rows = [("q1", "a", 1.0, 1), ("q1", "c", 1.0, 2), ("q1", "b", 2.0, 3)]
    run = spark.createDataFrame(rows, SCORED + ", position int")
    found = evaluate(spark.createDataFrame(QRELS, GRADED), run, MEASURES, order="rank").mean(resamples=0)
    here = [row[:3] for row in rows]
    expected = locally(pl.DataFrame(QRELS, ("query", "document", "grade"), orient="row"), here, MEASURES, order="rank")
    assert found.mean() == pytest.approx(expected.mean(), rel=1e-15)


def test_what_is_excluded_leaves_the_types_of_ids(spark: Any) -> None:
    qrels = spark.createDataFrame([(1, 10, 1), (2, 5, 1)], "user bigint, item bigint, rating int")
    run = spark.createDataFrame([(1, 10, 2.0), (1, 7, 1.0), (2, 5, 1.0)], "user int, item bigint, prediction double")
    texts = spark.createDataFrame([("1", "10"), ("2", "05"), ("x", "y")], "query string, document string")
    for exclude in ({"1": ["10"], "2": ["05"], "x": ["y"]}, texts):
        values = evaluate(qrels, run, ["RR", "NumRet"], exclude=exclude)
        assert values.dtypes[0] == ("query", "bigint")
        assert sorted(map(tuple, values.collect())) == [(1, 0.0, 1.0), (2, 1.0, 1.0)]
    lacking = texts.withColumn("document", sql.lit(None).cast("string"))
    with pytest.raises(rw.InputError, match="the excluded pairs: a row has no document"):
        evaluate(qrels, run, ["RR"], exclude=lacking).mean()


def test_queries_may_be_asked_for_by_a_frame(spark: Any) -> None:
    qrels = spark.createDataFrame([(1, 10, 1), (2, 5, 1)], "user bigint, item bigint, rating int")
    run = spark.createDataFrame([(1, 10, 2.0), (2, 5, 1.0)], "user int, item bigint, prediction double")
    some = spark.createDataFrame([("2",)], "id string")
    assert [tuple(row) for row in evaluate(qrels, run, ["RR"], queries=some).collect()] == [(2, 1.0)]
    with pytest.raises(rw.InputError, match="a query asked for is not judged: x"):
        evaluate(qrels, run, ["RR"], queries=["2", "x"]).mean()


def test_rows_of_a_query_stay_together_whatever_spark_knows_of_their_partitions(spark: Any) -> None:
    qrels = spark.createDataFrame(QRELS, GRADED).repartition("query")
    run = spark.createDataFrame(RUN, SCORED).repartition("query")
    expected = locally(pl.DataFrame(QRELS, ("query", "document", "grade"), orient="row"), RUN, MEASURES)
    values = evaluate(qrels, run, MEASURES, queries=["q1", "q2", "q3"])
    assert sorted(map(tuple, values.collect())) == sorted(expected.per_query.to_frame().rows())


def test_means_answer_to_every_name_of_a_measure(spark: Any) -> None:
    means = evaluate(spark.createDataFrame(QRELS, GRADED), spark.createDataFrame(RUN, SCORED), MEASURES).mean()
    assert means["ndcg_cut_10"] == means["nDCG@10"] == means[rw.nDCG @ 10]


BLANKS = [("q1", "a", 1), ("q1", "b", None), ("q1", "c", 2), ("q2", "x", 1), ("q3", "z", None)]


@pytest.mark.parametrize("listed", [False, True])
def test_judgements_without_a_grade_mean_what_they_mean_here(spark: Any, *, listed: bool) -> None:
    run = spark.createDataFrame(RUN, SCORED)
    rows = [("q1", ["a", "b", "c"], [1, None, 2]), ("q2", ["x"], [1]), ("q3", ["z"], [None])]
    if listed:
        run = spark.createDataFrame(RECOMMENDED, RECORDS)
    qrels = spark.createDataFrame(rows, LISTS) if listed else spark.createDataFrame(BLANKS, GRADED)
    here = pl.DataFrame(qrels.toArrow()), pl.DataFrame(run.toArrow())
    for settings, count in (({"blank": "unjudged"}, 2), ({"blank": "zero"}, 2), ({"queries": ["q1", "q2"]}, 1)):
        expected = locally(*here, ["nDCG@10", "Judged@5"], **settings)
        with pytest.warns(rw.RankworthWarning, match=f"{count} judgements? ha(s|ve) no grade"):
            means = evaluate(qrels, run, ["nDCG@10", "Judged@5"], **settings).mean(resamples=0)
        assert means.mean() == pytest.approx(expected.mean(), rel=1e-15)
        assert means.counts.numbers == expected.counts.numbers
        assert [notice for notice in expected.notices if notice.slug == "blank-grade"] == [*means.notices]
    with pytest.raises(rw.InputError, match="a judgement has no grade: query q"):
        evaluate(qrels, run, ["RR"], blank="error").mean(resamples=0)
