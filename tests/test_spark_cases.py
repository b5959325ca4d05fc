"""Spark, case by case: what a frame of Spark says is what the same rows say here, values, counts and refusals."""

import json
import math
import re
import warnings
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from pyspark.sql import functions as sql

import rankworth as rw
from generators import as_options
from rankworth import cli
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
    "holes beside queries": (
        *(QRELS, GRADED, [("q1", "a", 1.0), ("q1", "x", 0.5), ("q1", "z", 0.4), ("q2", "a", 1.0)], SCORED),
        {**HOLES, "queries": ["q1", "q2"]},
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


FRAMES: dict[str, tuple[Any, pl.DataFrame]] = {}


def framed(spark: Any, rows: Rows, schema: str) -> tuple[Any, pl.DataFrame]:
    """A frame of Spark and the same of Polars, made once."""
    key = f"{schema}: {rows}"
    if key not in FRAMES:
        frame = spark.createDataFrame(rows, schema)
        FRAMES[key] = frame, pl.DataFrame(frame.toArrow())
    return FRAMES[key]


def both(spark: Any, case: Case) -> tuple[tuple[Any, Any], tuple[Any, Any], list[str], dict[str, Any]]:
    """Frames of Spark, the same of Polars, the measures and the settings."""
    qrels, judged, run, scored, settings = case
    frames, here = zip(framed(spark, qrels, judged), framed(spark, run, scored), strict=True)
    return frames, here, settings.get("measures", MEASURES), {k: v for k, v in settings.items() if k != "measures"}


def locally(qrels: Any, run: Any, measures: list[str], **settings: Any) -> rw.Values:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rw.RankworthWarning)
        return rw.evaluate(qrels, run, measures, **as_options(settings))


@pytest.mark.parametrize("case", ALIKE.values(), ids=ALIKE)
def test_spark_says_what_is_said_here(spark: Any, case: Case) -> None:
    frames, here, measures, settings = both(spark, case)
    expected = locally(*here, measures, **settings)
    values = evaluate(*frames, measures, **as_options(settings))
    assert values.columns == expected.per_query.to_frame().columns
    assert sorted(map(tuple, values.collect())) == sorted(expected.per_query.to_frame().rows())
    means = values.mean()
    assert means.mean() == pytest.approx(expected.mean(), rel=1e-15)
    assert means.counts.numbers == expected.counts.numbers


@pytest.mark.parametrize("case", REFUSED.values(), ids=REFUSED)
def test_spark_refuses_what_is_refused_here(spark: Any, case: Case) -> None:
    frames, here, measures, settings = both(spark, case)
    with pytest.raises(RankworthError) as expected:
        locally(*here, measures, **settings)
    with pytest.raises(RankworthError) as caught:
        evaluate(*frames, measures, **as_options(settings)).mean()
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
    found = evaluate(spark.createDataFrame(QRELS, GRADED), run, MEASURES, order="rank").mean()
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
            means = evaluate(qrels, run, ["nDCG@10", "Judged@5"], **as_options(settings)).mean()
        assert means.mean() == pytest.approx(expected.mean(), rel=1e-15)
        assert means.counts.numbers == expected.counts.numbers
        assert [notice for notice in expected.notices if notice.slug == "blank-grade"] == [*means.notices]
    with pytest.raises(rw.InputError, match=r"a judgement has no grade: that of document \w for query q"):
        evaluate(qrels, run, ["RR"], blank="error").mean()


COLUMNS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "for each side": (
        "topic string, doc string, label int",
        "term string, hit string, weight double",
        {
            "qrels_columns": {"query": "topic", "document": "doc", "grade": "label"},
            "run_columns": {"query": "term", "document": "hit", "score": "weight"},
        },
    ),
    "for both, each to those that have it": (
        "topic string, doc string, label int",
        "topic string, doc string, weight double",
        {"columns": {"query": "topic", "document": "doc", "grade": "label", "score": "weight"}},
    ),
    "one side over both": (
        "topic string, doc string, label int",
        "term string, doc string, weight double",
        {
            "columns": {"query": "topic", "document": "doc", "grade": "label", "score": "weight"},
            "run_columns": {"query": "term"},
        },
    ),
    "a distance": (GRADED, "query string, document string, dist double", {"run_columns": {"score": "-dist"}}),
    "a distance that is named": (GRADED, "query string, document string, distance double", {}),
    "a column literally so named": (
        *(GRADED, "query string, document string, dist double, `-dist` double"),
        {"columns": {"score": "-dist"}},
    ),
}


@pytest.mark.parametrize("case", COLUMNS.values(), ids=COLUMNS)
def test_columns_are_named_as_here(spark: Any, case: tuple[str, str, dict[str, Any]]) -> None:
    judged, ranked, said = case
    rows = [row[:2] + (number, -number)[: ranked.count(",") - 1] for number, row in enumerate(RUN)]
    frames = spark.createDataFrame(QRELS, judged), spark.createDataFrame(rows, ranked.replace("double", "int"))
    here = pl.DataFrame(frames[0].toArrow()), pl.DataFrame(frames[1].toArrow())
    expected = locally(*here, ["nDCG@10", "RR"], **said)
    assert evaluate(*frames, ["nDCG@10", "RR"], **as_options(said)).mean().mean() == pytest.approx(expected.mean())
    others = {
        name: {**some, "grade" if "qrels" in name else "score": "nowhere"} for name, some in said.items() if some
    } or {"run_columns": {"score": "nowhere"}}
    for measured in (lambda: locally(*here, ["RR"], **others), lambda: evaluate(*frames, ["RR"], **others)):
        with pytest.raises(rw.InputError, match="nowhere") as caught:
            measured()
        assert caught.value.slug == "frame-columns"


def test_names_that_differ_in_case_only_are_one_column(spark: Any) -> None:
    frames = spark.createDataFrame(QRELS, GRADED), spark.createDataFrame(RUN, SCORED)
    text = "ndcg@10 and nDCG@10 differ in case only, and to Spark they are one column"
    with pytest.raises(rw.MeasureError, match=text) as caught:
        evaluate(*frames, ["ndcg@10", "P@5", "nDCG@10", "p@5"])
    assert (caught.value.slug, len(caught.value.problems)) == ("conflicting-options", 2)
    assert evaluate(*frames, ["nDCG@10", "nDCG@10"]).columns == ["query", "nDCG@10"]
    spark.conf.set("spark.sql.caseSensitive", "true")
    try:
        values = evaluate(*frames, ["ndcg@10", "nDCG@10"])
        assert values.columns == ["query", "ndcg@10", "nDCG@10"]
        assert values.where("`ndcg@10` = `nDCG@10`").select("`nDCG@10`").count() == 3
    finally:
        spark.conf.unset("spark.sql.caseSensitive")


@pytest.mark.parametrize(
    ("judged", "returned", "listed", "told"),
    [
        (
            "7",
            "007",
            False,
            "the judgements have 7, the run has 007   [no-common-queries]\n  they differ in leading zeros",
        ),
        ("Caf\u00e9", "Cafe\u0301", True, "they differ in Unicode form (NFC, NFD): 'Caf\\xe9' in the judgements"),
        ("q1", "z9", False, "the judgements have q1, the run has z9   [no-common-queries]\n  are these judgements and"),
    ],
)
def test_ids_of_both_sides_are_shown_where_none_meet(
    spark: Any, judged: str, returned: str, told: str, *, listed: bool
) -> None:
    qrels = spark.createDataFrame([(judged, "a", 1)], GRADED)
    run = (
        spark.createDataFrame([(returned, ["a"])], IDS)
        if listed
        else spark.createDataFrame([(returned, "a", 1.0)], SCORED)
    )
    with pytest.raises(rw.InputError) as caught:
        evaluate(qrels, run, ["RR"]).mean()
    assert told in str(caught.value)


@pytest.mark.parametrize("profile", ["rectools-0.19", "recommenders-1.2"])
@pytest.mark.parametrize("listed", [False, True])
def test_frames_without_a_row_give_what_dicts_without_a_query_give(spark: Any, profile: str, *, listed: bool) -> None:
    judged, no_judgement = (spark.createDataFrame(rows, GRADED) for rows in ([("u", "a", 1), ("v", "b", 2)], []))
    placed = SCORED + ", position int, rank int"
    ranked, no_run = (
        spark.createDataFrame([("u", ["a"])][:size], IDS)
        if listed
        else spark.createDataFrame([("u", "a", 0.5, 1, 1)][:size], placed)
        for size in (1, 0)
    )
    dicts = {"u": {"a": 1}, "v": {"b": 2}}
    for qrels, run, alike in (
        (judged, no_run, (dicts, {})),
        (no_judgement, ranked, ({}, {"u": {"a": 0.5}})),
        (no_judgement, no_run, ({}, {})),
    ):
        expected = locally(*alike, ["nDCG@3", "P@3"], profile=profile)
        values = evaluate(qrels, run, ["nDCG@3", "P@3"], profile=profile)
        with pytest.warns(rw.RankworthWarning, match="no rows"):
            means = values.mean()
        assert means.mean() == pytest.approx(expected.mean(), nan_ok=True)
        assert means.counts.numbers == expected.counts.numbers
        assert [*means.notices] == [*expected.notices]
        found = [tuple(math.nan if one is None else one for one in row) for row in values.collect()]
        assert str(sorted(found)) == str(sorted(expected.per_query.to_frame().rows()))
    for some in (["u"], ["v"]):
        with pytest.raises(rw.InputError, match=r"no-common-queries|empty-input"):
            evaluate(judged, no_run, ["P@3"], profile=profile, queries=some).mean()


FILES = {
    "judged.csv": "topic;doc;label\nq1;a;1\nq1;b;0\nq2;x;2\n",
    "judged.json": '{"q1": {"a": 1, "b": null, "c": 0}, "q2": {"x": null}, "q3": {"y": 1}}',
    "judged.jsonl": '{"query": "q1", "document": "a", "grade": 1}\n{"query": "q1", "document": "b"}\n'
    '{"query": "q2", "document": "x", "grade": null}\n',
    "blank.tsv": "query\tdocument\tgrade\nq1\ta\t1\nq1\tb\t\nq2\tx\t  \n",
    "subtopics.jsonl": "".join(
        f'{{"query": "q1", "document": "{document}", "grade": 1, "subtopic": "{subtopic}"}}\n'
        for document, subtopic in (("a", 1), ("a", 2), ("b", 2))
    ),
    "run.csv": "query,document,score\nq1,b,3\nq1,a,2\nq2,x,1\n",
    "far.tsv": "term\thit\tdist\nq1\ta\t3\nq1\tb\t0.5\nq2\tx\t1\n",
    "lines.qrels": "# judged in May\nq1 0 a 1\n\tq1\t0 b 0\t\nq2 0 x 2\n",
    "lines.run": "q1 Q0 b 1 3 t\nq1\tQ0\ta\t2\t2\tmy own run\n\nq2 Q0 x 1 1 t\n",
    "high.csv": "query,document,grade\nq1,a,1\nq1,b,high\n",
    "nan.csv": "query,document,grade\nq1,a,1\nq1,b,NaN\n",
    "high.qrels": "q1 0 a 1\nq1 0 b high\n",
    "short.qrels": "q1 0 a 1\nq1 0 b\n",
    "short.run": "q1 Q0 a 1 1 t\nq1 Q0 b\n",
    "long.run": "q1 Q0 a b 1 1 t\n",
    "odd.run": "q1 Q0 a 1 1 t\nq1 Q0 b 2 high t\n",
}
JUDGED_BY = ("--qrels-columns", "query=topic", "document=doc", "grade=label")
FAR = ("--run-columns", "query=term", "document=hit", "score=-dist")
LINES: dict[str, tuple[str, ...]] = {
    "columns of the judgements": ("judged.csv", "run.csv", *JUDGED_BY),
    "columns of the run, a distance": ("lines.qrels", "far.tsv", *FAR),
    "columns of each": ("judged.csv", "far.tsv", *JUDGED_BY, *FAR),
    "columns of both": ("judged.csv", "far.tsv", "--columns", *JUDGED_BY[2:], "score=-dist", *JUDGED_BY[:2], *FAR[:3]),
    "lines with comments and tabs": ("lines.qrels", "lines.run"),
    "subtopics": ("subtopics.jsonl", "run.csv", "-m", "alpha_nDCG@5"),
    **{
        f"{name}, {blank}": (name, "run.csv", "--blank", blank)
        for name in ("judged.json", "judged.jsonl", "blank.tsv")
        for blank in ("unjudged", "zero", "error")
    },
    **{name: (name, "run.csv") for name in ("high.csv", "nan.csv", "high.qrels", "short.qrels")},
    **{name: ("lines.qrels", name) for name in ("short.run", "long.run", "odd.run")},
    "no such column": ("judged.csv", "run.csv", "--qrels-columns", "query=nowhere"),
}


@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize("arguments", LINES.values(), ids=LINES)
def test_the_command_line_reads_files_as_without_spark(
    arguments: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, content in FILES.items():
        Path(name).write_text(content)
    measures = () if "-m" in arguments else ("-m", "nDCG@10", "Judged@5", "NumRet")
    told = []
    for more in ((), ("--engine", "spark")):
        status = cli.main(["evaluate", *arguments, *measures, "-f", "json", *more])
        out, errors = capsys.readouterr()
        runs = json.loads(out)["runs"] if out else [{}]
        [record] = runs.values() if isinstance(runs, dict) else runs
        blank = [one["text"] for one in record.get("warnings", []) if one["slug"] == "blank-grade"]
        slugs = re.findall(r"\[[a-z-]+\]$", errors.partition("\n")[0]) if status else []
        told.append((status, record.get("mean"), blank, slugs))
    assert told[0] == told[1]
    assert told[0][0] == 0 or told[0][3]
    assert "--blank" not in arguments or told[0][2] or told[0][0] == 2
