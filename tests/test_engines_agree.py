"""One law over all engines: whatever holds the rows, and wherever they are judged, the values are the same bits."""

import math
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pytest

import rankworth as rw
from rankworth import tensors
from rankworth.spark import evaluate as on_spark

MEASURES = ["nDCG@10", "AP", "RR", "R@5", "P(rel=2)@5", "Bpref", "ERR@10", "RBP", "Judged@10", "NumRet", "NumRelRet"]
SCORES = (-1.5, -0.0, 0.0, 0.1, 0.1 + 2e-17, 0.1 + 1e-16, 0.5, 2.0)
Grades = dict[str, dict[str, float]]


class Collection:
    """Judgements and a run with ties, long and short rankings, queries on one side only, and unjudged documents."""

    def __init__(self, seed: int, *, whole: bool, tied: bool = True) -> None:
        """Draw it; ids are the digits of integers, of different lengths, or any text."""
        draw = np.random.default_rng(seed)
        names = [str(int(number)) for number in draw.choice(20_000, 400, replace=False)]
        if not whole:
            letters = ("d", "é", "DOC-", "z" * 300, "\U0001f600")
            names = [f"{letters[place % len(letters)]}{name}" for place, name in enumerate(names)]
        queries = [str(1_000 + place) if whole else f"q{place}" for place in range(60)]
        self.run: dict[str, dict[str, float]] = {}
        self.qrels: Grades = {}
        for place, query in enumerate(queries):
            size = 300 if place == 0 else int(draw.integers(1, 12))
            documents = draw.choice(names, size, replace=False).tolist()
            if place % 7 != 3:  # others are judged and have no results
                scores = draw.choice(SCORES, size) if tied else draw.permutation(size).astype(float)
                self.run[query] = dict(zip(documents, scores.tolist(), strict=True))
            if place % 5 != 4:  # others have results that nobody judged
                judged = [one for one in documents if draw.random() < 0.4]
                judged += draw.choice(names, 3, replace=False).tolist()
                grades = draw.choice((-1, 0, 0, 1, 2, 3), len(judged) + 1).tolist()
                self.qrels[query] = dict(zip([*judged, names[0]], map(float, grades), strict=True))

    def rows(self, which: str, *, whole: bool = False) -> pl.DataFrame:
        """The run or the judgements as a frame, shuffled."""
        value, source = ("score", self.run) if which == "run" else ("grade", self.qrels)
        rows = [(query, document, number) for query, some in source.items() for document, number in some.items()]
        frame = pl.DataFrame(rows, schema={"query": pl.String, "document": pl.String, value: pl.Float64}, orient="row")
        frame = frame.sample(fraction=1, shuffle=True, seed=1)
        return frame.with_columns(pl.col("query", "document").cast(pl.Int64)) if whole else frame

    def lists(self, which: str, *, whole: bool = False) -> pl.DataFrame:
        """The same with a row for each query: lists of records of the run, two lists of the judgements."""
        frame = self.rows(which, whole=whole)
        if which == "run":
            records = pl.struct(pl.col("document").alias("id"), "score").alias("recommendations")
            return frame.group_by("query", maintain_order=True).agg(records)
        return frame.group_by("query", maintain_order=True).agg(
            pl.col("document").alias("documents"), pl.col("grade").alias("grades")
        )


Values = dict[str, tuple[float | str | None, ...]]


def values_of(found: rw.Values) -> Values:
    """What is compared."""
    return {str(row[0]): tuple(map(comparable, row[1:])) for row in found.per_query.to_frame().rows()}


def comparable(value: float | None) -> float | str | None:
    """A number that equals itself, also where it is none."""
    return "NaN" if value is not None and math.isnan(value) else value


def collected(frame: Any) -> Values:
    """The same of a frame of Spark."""
    return {str(row[0]): tuple(map(comparable, tuple(row)[1:])) for row in frame.collect()}


def quietly(function: Callable[..., rw.Values], *arguments: Any, **settings: Any) -> rw.Values:
    """What an evaluation gives, whatever it warns of."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rw.RankworthWarning)
        return function(*arguments, **settings)


def through_every_door(
    collection: Collection, spark: Any, folder: Path, measures: list[str], *, whole: bool, **settings: Any
) -> Iterator[tuple[str, Values]]:
    """The values that each engine gives."""
    qrels, run = (collection.rows(which, whole=whole) for which in ("qrels", "run"))
    yield "frames", values_of(quietly(rw.evaluate, qrels, run, measures, **settings))
    qrels.write_parquet(folder / "qrels.parquet")
    run.write_parquet(folder / "run.parquet")
    run.write_csv(folder / "run.csv")
    files = [str(folder / name) for name in ("qrels.parquet", "run.parquet", "run.csv")]
    yield "parquet", values_of(quietly(rw.evaluate, files[0], files[1], measures, **settings))
    yield "csv", values_of(quietly(rw.evaluate, files[0], files[2], measures, **settings))
    engine = duckdb.connect()
    relations = [engine.read_parquet(file) for file in files[:2]]
    yield "duckdb", values_of(quietly(rw.evaluate, *relations, measures, **settings))
    lists = {which: collection.lists(which, whole=whole) for which in ("qrels", "run")}
    for which, frame in lists.items():
        frame.write_parquet(folder / f"{which}_lists.parquet")
    listed = {which: str(folder / f"{which}_lists.parquet") for which in lists}
    relations = [engine.read_parquet(file) for file in listed.values()]
    yield "duckdb, lists", values_of(quietly(rw.evaluate, *relations, measures, **settings))
    frames = [spark.read.parquet(file) for file in files[:2]]
    yield "spark", collected(on_spark(*frames, measures, **settings))
    rows_of_lists = {which: spark.read.parquet(file) for which, file in listed.items()}
    yield "spark, lists", collected(on_spark(rows_of_lists["qrels"], rows_of_lists["run"], measures, **settings))
    yield "spark, lists of the run", collected(on_spark(frames[0], rows_of_lists["run"], measures, **settings))
    yield "spark, lists of judgements", collected(on_spark(rows_of_lists["qrels"], frames[1], measures, **settings))


@pytest.mark.parametrize(
    ("seed", "whole", "settings"),
    [
        (1, False, {}),
        (2, True, {}),
        (3, False, {"ties": "expected"}),
        (4, True, {"ties": "id-ascending", "score_type": "float32", "missing": "skip"}),
        (5, False, {"depth": 5, "unjudged": "removed", "missing": "nan"}),
        (6, True, {"exclude": "self", "undefined": "nan", "extra": "zero"}),
        (7, False, {"profile": "trec_eval-9.0"}),
    ],
)
def test_all_engines_give_the_same_values(
    spark: Any, tmp_path: Path, seed: int, whole: bool, settings: dict[str, Any]
) -> None:
    collection = Collection(seed, whole=whole)
    settings = {"order": "score", **settings}  # lists, too, whose order is another one
    measures = MEASURES[:4] if "profile" in settings or settings.get("ties") == "expected" else MEASURES
    measures = ["ndcg_cut_10", "map", "recall_5", "num_ret"] if "profile" in settings else measures
    if settings.get("ties") == "expected":
        measures = ["nDCG@10", "P@5", "R@5", "AP"]
    expected = values_of(quietly(rw.evaluate, collection.qrels, collection.run, measures, **settings))
    assert len(expected) > 30
    for name, found in through_every_door(collection, spark, tmp_path, measures, whole=whole, **settings):
        assert found.keys() == expected.keys(), name
        assert found == expected, name


def test_matrices_give_the_same_values() -> None:
    collection = Collection(8, whole=False)
    measures = ["nDCG@10", "AP", "RR", "R@5", "ERR@10"]
    queries = sorted({*collection.run} & {*collection.qrels})
    documents = sorted(
        {one for query in queries for one in (*collection.run[query], *collection.qrels[query])}, reverse=True
    )
    shape = (len(queries), len(documents))
    scores, grades, mask = np.zeros(shape), np.full(shape, np.nan), np.zeros(shape, dtype=bool)
    judged = np.full(shape, np.nan)
    for row, query in enumerate(queries):
        for column, document in enumerate(documents):
            if document in collection.run[query]:
                scores[row, column], mask[row, column] = collection.run[query][document], True
                grades[row, column] = collection.qrels[query].get(document, np.nan)
            judged[row, column] = collection.qrels[query].get(document, np.nan)
    found = tensors.evaluate(scores, grades, measures, mask=mask, pool=judged)
    expected = quietly(rw.evaluate, collection.qrels, collection.run, measures, queries=queries, undefined="nan")
    for name in measures:
        assert np.asarray(found[name]).tobytes() == expected.per_query.to_frame()[name].to_numpy().tobytes(), name
