"""Spark: frames in, a lazy frame and merged means out, and what is wrong with frames told as everywhere."""

import math
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pyspark.sql import DataFrame
from pyspark.sql import functions as sql
from scipy import stats

import rankworth as rw
from generators import as_options
from rankworth.errors import RankworthError
from rankworth.judging.exclusion import Exclusion
from rankworth.scoring import columns
from rankworth.spark import Means, evaluate
from rankworth.spark.sources import raised
from rankworth.stats import intervals
from rankworth.stats.samples import Columns, moments

QRELS = {"q1": {"a": 1, "b": 0, "c": 2}, "q2": {"x": 1}, "q3": {"z": 1}}
RUN = {"q1": {"a": 1.0, "b": 1.0, "u": 0.5, "c": 0.5}, "q2": {"y": 1.0}, "q4": {"u": 1.0}}
MEASURES = ["nDCG@10", "AP", "RR"]


def frame(spark: Any, source: dict[str, dict[str, Any]], kind: str = "double") -> Any:
    """Dicts as a frame."""
    rows = [(query, document, number) for query, some in source.items() for document, number in some.items()]
    return spark.createDataFrame(
        rows, f"query string, document string, {'grade int' if kind == 'int' else 'score double'}"
    )


@pytest.fixture(scope="module")
def qrels(spark: Any) -> Any:
    return frame(spark, QRELS, "int")


@pytest.fixture(scope="module")
def run(spark: Any) -> Any:
    return frame(spark, RUN)


def quietly(*arguments: Any, **settings: Any) -> rw.Values:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rw.RankworthWarning)
        return rw.evaluate(*arguments, **as_options(settings))


def test_values_are_a_lazy_frame(spark: Any, qrels: Any, run: Any) -> None:
    values = evaluate(qrels, run, MEASURES)
    assert isinstance(values, DataFrame)
    assert values.columns == ["query", *MEASURES]
    assert [kind for _, kind in values.dtypes] == ["string", "double", "double", "double"]
    best = values.where(sql.col("`nDCG@10`") > 0).select("query").collect()
    assert [row.query for row in best] == ["q1"]
    joined = values.join(spark.createDataFrame([("q1", "en")], "query string, language string"), "query")
    assert joined.count() == 1


def test_means_are_merged_and_equal_those_of_evaluate(qrels: Any, run: Any) -> None:
    means = evaluate(qrels, run, MEASURES).mean()
    values = quietly(QRELS, RUN, MEASURES)
    assert isinstance(means, Means)
    assert means.mean() == pytest.approx(values.mean(), rel=1e-15)
    assert means["nDCG@10"] == means.mean()["nDCG@10"]
    assert means.counts.numbers == values.counts.numbers
    low, high, level = means.intervals(0.9)["AP"]
    assert (level, low < means["AP"] < high) == (0.9, True)
    assert means.to_frame()["measure"].to_list() == MEASURES
    assert means.to_dict()["counts"]["ignored"] == 1
    assert "3 of 3 judged queries scored" in str(means)
    with pytest.raises(rw.UsageError, match="not-measured"):
        means["P@7"]


def test_means_and_intervals_do_not_depend_on_partitions(spark: Any) -> None:
    draw = np.random.default_rng(5)
    run = {f"q{i}": {f"d{j}": float(draw.random()) for j in range(5)} for i in range(200)}
    qrels = {f"q{i}": {f"d{int(draw.integers(5))}": 1} for i in range(200)}
    values = quietly(qrels, run, MEASURES)
    for partitions in ("1", "7"):
        spark.conf.set("spark.sql.shuffle.partitions", partitions)
        spark.conf.set("spark.sql.adaptive.coalescePartitions.enabled", "false")
        try:
            means = evaluate(frame(spark, qrels, "int"), frame(spark, run), MEASURES).mean()
        finally:
            spark.conf.set("spark.sql.shuffle.partitions", "2")
            spark.conf.unset("spark.sql.adaptive.coalescePartitions.enabled")
        assert means.mean() == pytest.approx(values.mean(), rel=1e-12)
        expected = intervals(values.per_query.array, method="t", level=0.9)
        found = np.array([(low, high) for low, high, _ in means.intervals(0.9).values()]).T
        np.testing.assert_allclose(found, [expected.low, expected.high], rtol=1e-12)


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"missing": "absent"},
        {"missing": "nan"},
        {"divisor": "run"},
        {"divisor": "judged", "missing": "skip"},
        {"divisor": "judged", "missing": "skip", "extra": "zero"},
        {"divisor": "run", "queries": [f"q{i}" for i in range(9)], "extra": "zero"},
        {"weights": {f"q{i}": (i % 5) * 0.7 + (i % 3) for i in range(40)}},
        {"weights": {f"q{i}": 1e200 * 1.5**i for i in range(40)}, "missing": "skip"},
        {"weights": {f"q{i}": 1.0 + i % 4 for i in range(50)}, "missing": "skip", "divisor": "judged"},
        {"weights": {f"q{i}": 1.0 + i % 4 for i in range(50)}, "missing": "skip", "divisor": "run", "extra": "zero"},
        {"weights": {f"q{i}": 1.0 + i % 4 for i in range(50)}, "macro": {f"q{i}": "abc"[i % 3] for i in range(50)}},
        {"macro": {f"q{i}": "abc"[i % 3] for i in range(50)}, "missing": "absent"},
    ],
    ids=lambda settings: ", ".join(settings) or "plain",
)
def test_aggregates_are_the_means_and_intervals_of_values(spark: Any, settings: dict[str, Any]) -> None:
    draw = np.random.default_rng(7)
    run = {f"q{i}": {f"d{j}": float(draw.random()) for j in range(6)} for i in range(30)}
    run |= {f"q{i}": {"d0": 1.0} for i in range(40, 45)}
    qrels = {f"q{i}": {f"d{int(draw.integers(6))}": 1, "d0": 2} for i in range(40)}
    measures = ["nDCG@10", "gmean(AP)", "P@3", "NumRet"]
    means = evaluate(frame(spark, qrels, "int"), frame(spark, run), measures, **as_options(settings)).mean()
    values = quietly(qrels, run, measures, **settings)
    assert means.mean() == pytest.approx(values.mean(), rel=1e-12, abs=0, nan_ok=True)
    assert means.counts.numbers == values.counts.numbers
    weights, groups = settings.get("weights"), settings.get("macro")
    for column, label in zip(values._details.columns, measures, strict=True):
        low, high, _ = means.intervals(0.9)[label]
        counted = column.counted
        heavy, places = column.weights[counted], None if column.strata is None else column.strata[counted]
        rows = columns.additive(column.values[counted], column.link)[:, None]
        if column.link == "sum" or np.isnan(rows).any():
            assert np.isnan([low, high]).all()
            continue
        if groups is None:
            found = intervals(rows, None if weights is None else heavy, method="t", level=0.9)
            ends = [float(columns.from_logarithms(end, [column.link])[0]) for end in (found.low, found.high)]
        else:
            some = [moments(Columns.of(rows[places == place], heavy[places == place])) for place in range(3)]
            squares = np.array([float(one.error[0]) ** 2 for one in some])
            freedom = squares.sum() ** 2 / (squares**2 / [float(one.df[0]) for one in some]).sum()
            half = stats.t.ppf(0.95, freedom) * math.sqrt(squares.sum()) / 3
            center = sum(float(one.mean[0]) for one in some) / 3
            ends = [
                float(columns.from_logarithms(np.array([end]), [column.link])[0])
                for end in (center - half, center + half)
            ]
        assert [low, high] == pytest.approx(ends, rel=1e-12, abs=0)


@pytest.mark.parametrize(
    "settings",
    [
        {"missing": "skip"},
        {"missing": "absent"},
        {"missing": "nan", "nan": "skip"},
        {"divisor": "run"},
        {"divisor": "judged", "missing": "skip"},
        {"round_values": 1, "round_means": 2},
        {"weights": {"q1": 3.0, "q2": 1.0, "q3": 0.5}},
        {"macro": {"q1": "a", "q2": "b", "q3": "b"}},
        {"queries": ["q1", "q2"]},
        {"queries": ["q1"], "extra": "zero", "divisor": "run"},
        {"exclude": {"q1": ["a"], "q2": ["y"]}},
        {"extra": "zero"},
        {"unretrieved": "last", "ties": "expected"},
    ],
    ids=str,
)
def test_means_follow_the_settings(qrels: Any, run: Any, settings: dict[str, Any]) -> None:
    measures = ["nDCG@10", "P@5", "NumRet"]
    if "unretrieved" in settings:
        measures = ["nDCG@10", "P@5"]
    means, values = (
        evaluate(qrels, run, measures, **as_options(settings)).mean(),
        quietly(QRELS, RUN, measures, **settings),
    )
    assert means.mean() == pytest.approx(values.mean(), rel=1e-15, nan_ok=True)
    assert means.counts.numbers == values.counts.numbers


def test_groups_have_means_of_their_own(qrels: Any, run: Any) -> None:
    by = {"q1": "en", "q2": "ar", "q3": "ar"}
    values = evaluate(qrels, run, MEASURES, by=by)
    assert values.columns == ["query", "group", *MEASURES]
    means, expected = values.mean(), quietly(QRELS, RUN, MEASURES, by=by)
    assert set(means.groups) == {"ar", "en"}
    for name in means.groups:
        assert means.of_group(name) == pytest.approx(expected.slices[name].mean(), rel=1e-15)
    assert means.to_frame()["group"].to_list()[:3] == ["(all)"] * 3


def test_integers_stay_integers(spark: Any) -> None:
    qrels = spark.createDataFrame([(1, 10, 1), (1, 9, 0), (2, 5, 1)], "user int, item bigint, rating int")
    run = spark.createDataFrame([(1, 9, 2.0), (1, 10, 2.0), (2, 5, 1.0)], "user bigint, item int, prediction float")
    values = evaluate(qrels, run, ["RR"])
    assert values.dtypes == [("query", "bigint"), ("RR", "double")]
    assert sorted(map(tuple, values.collect())) == [(1, 0.5), (2, 1.0)]  # as text, 9 comes before 10
    text = evaluate(qrels.withColumn("item", sql.col("item").cast("string")), run, ["RR"])
    assert sorted(map(tuple, text.collect())) == [(1, 0.5), (2, 1.0)]


def test_recommendations_are_taken_as_they_come(spark: Any) -> None:
    kind = "array<struct<item: int, rating: float>>"
    run = spark.createDataFrame(
        [(1, [(7, 0.9), (8, 0.5)]), (2, [(7, 0.1)]), (3, [])], f"user int, recommendations {kind}"
    )
    qrels = spark.createDataFrame([(1, [8, 3]), (2, [7]), (4, [1])], "user int, items array<int>")
    values = evaluate(qrels, run, ["RR", "R@2"])
    assert sorted(map(tuple, values.collect())) == [(1, 0.5, 0.5), (2, 1.0, 1.0), (4, 0.0, 0.0)]
    assert "Generate explode" not in values._jdf.queryExecution().toString()
    ranking = spark.createDataFrame([(1, [9, 8]), (2, [7])], "user int, items array<int>")
    assert sorted(map(tuple, evaluate(qrels, ranking, ["RR"]).collect())) == [(1, 0.5), (2, 1.0), (4, 0.0)]


def test_positions_decide_where_asked(spark: Any, qrels: Any) -> None:
    rows = [("q1", "b", 1.0, 1), ("q1", "a", 1.0, 2), ("q1", "c", 9.0, 3), ("q1", "b", 0.0, 4)]
    run = spark.createDataFrame(rows, "query string, document string, score double, position int")
    local = [(query, document, score) for query, document, score, _ in rows]
    for settings in (
        {"duplicates": "first", "ties": "given"},
        {"duplicates": "last", "order": "given"},
        {"duplicates": "all", "ties": "given-reversed"},
        {"duplicates": "best"},
        {"duplicates": "joined", "ties": "given"},
    ):
        means, values = (
            evaluate(qrels, run, ["nDCG@10", "AP"], **as_options(settings)).mean(),
            quietly(QRELS, local, ["nDCG@10", "AP"], **settings),
        )
        assert means.mean() == pytest.approx(values.mean(), rel=1e-15), settings
        assert means.counts.numbers == values.counts.numbers, settings


def test_judgements_need_not_fit_into_memory(spark: Any, qrels: Any, run: Any) -> None:
    spark.conf.set("spark.sql.autoBroadcastJoinThreshold", "-1")
    try:
        means = evaluate(qrels, run, MEASURES, exclude={"q1": ["b"]}).mean()
    finally:
        spark.conf.unset("spark.sql.autoBroadcastJoinThreshold")
    assert means.mean() == pytest.approx(quietly(QRELS, RUN, MEASURES, exclude={"q1": ["b"]}).mean(), rel=1e-15)


def test_columns_are_said_where_names_do_not_tell(qrels: Any, run: Any) -> None:
    said = {"document": "sku", "score": "points", "grade": "stars"}
    values = evaluate(
        qrels.withColumnRenamed("grade", "stars"),
        run.withColumnsRenamed({"document": "sku", "score": "points"}),
        ["RR"],
        columns=said,
    )
    assert dict(map(tuple, values.collect())) == {"q1": 0.5, "q2": 0.0, "q3": 0.0}
    with pytest.raises(rw.InputError, match="frame-columns"):
        evaluate(qrels, run, ["RR"], columns={"score": "nowhere"})
    texts = evaluate(qrels, run, ["relstring"])
    assert texts.columns == ["query", "relstring"]
    with pytest.raises(rw.MeasureError, match="no-measures"):
        texts.mean()


def test_ranks_decide_where_asked(spark: Any, qrels: Any) -> None:
    rows = [("q1", "a", 1.0, 2, 1), ("q1", "c", 2.0, 1, 2), ("q2", "x", 1.0, 1, 3)]
    run = spark.createDataFrame(rows, "query string, document string, score double, rank int, position int")
    found = evaluate(qrels, run, ["nDCG@10", "RR"], order="rank").mean()
    local = run.toArrow()
    assert found.mean() == pytest.approx(quietly(QRELS, local, ["nDCG@10", "RR"], order="rank").mean(), rel=1e-15)


def test_what_is_excluded_may_come_as_an_object_or_a_frame(spark: Any, qrels: Any, run: Any) -> None:
    pairs = {"q1": ["a"], "q2": ["y"]}
    expected = quietly(QRELS, RUN, ["nDCG@10", "NumRet"], exclude=pairs)
    frame_of = spark.createDataFrame([("q1", "a"), ("q2", "y")], "query string, document string")
    for exclude in (Exclusion.of(pairs), frame_of):
        means = evaluate(qrels, run, ["nDCG@10", "NumRet"], exclude=exclude).mean()
        assert means.mean() == pytest.approx(expected.mean(), rel=1e-15)
        assert means.counts.numbers == expected.counts.numbers


def test_groups_need_not_have_every_query(qrels: Any, run: Any) -> None:
    rows = evaluate(qrels, run, ["RR"], by={"q1": "en"}).select("query", "group").collect()
    assert {row.group for row in rows if row.query != "q1"} == {"(none)"}
    with pytest.raises(rw.InputError, match="input-type"):
        evaluate(qrels, run, ["RR"], queries="q1")


def test_one_query_may_have_a_million_documents(spark: Any) -> None:
    run = spark.range(1_000_000).select(
        sql.lit("q").alias("query"),
        sql.col("id").alias("document"),
        (sql.col("id") % 1000).cast("double").alias("score"),
    )
    run = run.unionAll(spark.createDataFrame([("p", 1, 1.0)], run.schema))
    qrels = spark.createDataFrame(
        [("q", 999, 1), ("q", 500_999, 1), ("p", 1, 1)], "query string, document bigint, grade int"
    )
    found = dict(map(tuple, evaluate(qrels, run, ["RR@2000"]).collect()))
    texts = sorted((str(number) for number in range(999, 1_000_000, 1000)), reverse=True)
    assert found == {"q": 1 / (1 + min(texts.index("999"), texts.index("500999"))), "p": 1.0}


def test_empty_partitions_do_no_harm(qrels: Any, run: Any) -> None:
    means = evaluate(qrels.repartition(20), run.repartition(30, "query"), MEASURES).mean()
    assert means.mean() == pytest.approx(quietly(QRELS, RUN, MEASURES).mean(), rel=1e-15)


def with_nulls(run: Any) -> Any:
    """Rows without a score."""
    return run.withColumn("score", sql.lit(None).cast("double"))


Wrong = tuple[str, Callable[[Any], Any], Callable[[Any], Any], dict[str, Any], str]
EARLY: list[Wrong] = [
    ("no-score", lambda q: q, lambda r: r.drop("score"), {}, "frame-columns"),
    ("text-score", lambda q: q, lambda r: r.withColumn("score", sql.lit("x")), {}, "bad-score"),
    ("float-ids", lambda q: q, lambda r: r.withColumn("document", sql.lit(1.5)), {}, "id-type"),
    ("text-grade", lambda q: q.withColumn("grade", sql.lit("x")), lambda r: r, {}, "bad-grade"),
    ("no-frame", lambda q: q, lambda _: [1], {}, "input-type"),
    ("order", lambda q: q, lambda r: r, {"ties": "given"}, "unfollowed-setting"),
    ("blocks", lambda q: q, lambda r: r, {"blocks": "separate"}, "unfollowed-setting"),
    ("previous", lambda q: q, lambda r: r, {"all_negative": "previous"}, "unfollowed-setting"),
    ("measure", lambda q: q, lambda r: r, {"measures": ["nope"]}, "unknown-measure"),
]
LATE: list[Wrong] = [
    (
        "null-document",
        lambda q: q,
        lambda r: r.withColumn("document", sql.lit(None).cast("string")),
        {},
        "missing-value",
    ),
    ("null-query", lambda q: q, lambda r: r.withColumn("query", sql.lit(None).cast("string")), {}, "missing-value"),
    ("nan", lambda q: q, lambda r: r.withColumn("score", sql.lit(math.nan)), {}, "bad-score"),
    ("null-score", lambda q: q, lambda r: r.withColumn("score", sql.lit(None).cast("double")), {}, "missing-value"),
    ("twice", lambda q: q, lambda r: r.unionAll(r), {}, "duplicate-document"),
    ("judged-twice", lambda q: q.unionAll(q), lambda r: r, {}, "duplicate-judgement"),
    ("null-grade", lambda q: q.withColumn("grade", sql.lit(None).cast("int")), lambda r: r, {}, "missing-value"),
    (
        "nothing-common",
        lambda q: q,
        lambda r: r.withColumn("query", sql.lit("other")).limit(1),
        {},
        "no-common-queries",
    ),
    ("no-judgement", lambda q: q.limit(0), lambda r: r, {}, "empty-input"),
    ("no-run", lambda q: q, lambda r: r.limit(0), {}, "empty-input"),
    ("null-and-best", lambda q: q, lambda r: r.unionAll(with_nulls(r)), {"duplicates": "best"}, "missing-value"),
    ("null-and-excluded", lambda q: q, with_nulls, {"exclude": "self"}, "missing-value"),
    ("refused", lambda q: q, lambda r: r, {"missing": "error"}, "refused-input"),
]


@pytest.mark.parametrize("wrong", EARLY, ids=lambda wrong: wrong[0])
def test_what_schemas_tell_is_refused_before_anything_runs(qrels: Any, run: Any, wrong: Wrong) -> None:
    _, of_qrels, of_run, settings, slug = wrong
    with pytest.raises(RankworthError) as caught:
        evaluate(of_qrels(qrels), of_run(run), **as_options({"measures": MEASURES, **settings}))
    assert caught.value.slug == slug


@pytest.mark.parametrize("wrong", LATE, ids=lambda wrong: wrong[0])
def test_what_rows_tell_is_refused_as_everywhere(qrels: Any, run: Any, wrong: Wrong) -> None:
    _, of_qrels, of_run, settings, slug = wrong
    values = evaluate(of_qrels(qrels), of_run(run), MEASURES, **as_options(settings))
    with pytest.raises(RankworthError) as caught:
        values.mean()
    assert caught.value.slug == slug
    assert caught.value.problems[0]


def test_errors_of_workers_come_whole() -> None:
    error = rw.InputError("bad-score", "one", "two", more=1_200, remedy="fix it\nor not")
    text = f"Traceback\n  File x\nrankworth.errors.InputError: {error}\n\n\tat org.apache"
    told = raised(text)
    assert (type(told), str(told)) == (rw.InputError, str(error))
    assert raised("Traceback: java.lang.OutOfMemoryError") is None


def test_connect_gives_the_same(spark: Any, tmp_path: Path) -> None:
    code = """
import sys, warnings
warnings.simplefilter("ignore")
from pyspark.sql import SparkSession
from rankworth.spark import evaluate
spark = SparkSession.builder.remote(f"sc://127.0.0.1:{sys.argv[1]}").getOrCreate()
names = "query string, document string"
qrels = spark.createDataFrame([("q1", "a", 1), ("q1", "b", 0), ("q2", "x", 1)], names + ", grade int")
run = spark.createDataFrame([("q1", "a", 1.0), ("q1", "b", 1.0), ("q2", "x", 2.0)], names + ", score double")
values = evaluate(qrels, run, ["RR"])
from rankworth.errors import InputError
try:
    evaluate(qrels, run.unionAll(run), ["RR"]).mean()
except InputError as error:
    print(error.slug, error.problems[0])
print(type(values).__module__, sorted(map(tuple, values.collect())), values.mean().mean())
"""
    (tmp_path / "connected.py").write_text(code)
    port = spark.conf.get("spark.connect.grpc.binding.port")
    line = [sys.executable, str(tmp_path / "connected.py"), port]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    *_, refused, last, _ = done.stdout.split("\n")
    assert refused == "duplicate-document the run: query q1 ranks document a again"
    assert last == "pyspark.sql.connect.dataframe [('q1', 0.5), ('q2', 1.0)] {'RR': 0.75}"
