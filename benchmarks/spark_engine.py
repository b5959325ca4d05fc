"""Runs in Parquet on Spark: values of all queries and their means beside Spark's own window and join, in one session.

    python benchmarks/spark_engine.py [ROWS ...] [--rounds N] [--memory 6g] [--partitions 16]

A query has 100 documents, of which ten are judged, five of them retrieved; ids are integers. `rows` has one row for
each document, `lists` one for each query, as `recommendForAllUsers` returns them. Spark's own is `row_number` over
(query by score desc, document desc), an inner join with the judgements, and a sink that takes everything; of lists, the
same after `explode`. Everything is warmed up by one round that does not count; the sides take turns. From 5e7 rows on
there is one round, and nothing before it: give 1e6 first. Files are written by another process, so that the memory
that is told at the end is that of the driver's Python.
"""

# ruff: noqa: ANN401 - frames and sessions of Spark

import argparse
import multiprocessing
import os
import resource
import statistics
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from pyspark.sql import SparkSession, Window
from pyspark.sql import functions as sql

from rankworth.spark import evaluate

warnings.simplefilter("ignore")
MEASURES = ["nDCG@10", "AP", "R@100"]
DOCUMENTS, JUDGED, PART, LARGE = 100, 10, 10_000_000, 5e7


def write(folder: Path, rows: int) -> None:
    """A run and judgements, in parts that fit into memory."""
    prime, draw = 1_000_003, np.random.default_rng(0)
    for number, start in enumerate(range(0, rows, PART)):
        queries = np.arange(start // DOCUMENTS, min(rows, start + PART) // DOCUMENTS)
        first, step = draw.integers(0, prime, queries.size), draw.integers(1, prime, queries.size)
        query, place = np.repeat(queries, DOCUMENTS), np.tile(np.arange(DOCUMENTS), queries.size)
        document = (np.repeat(first, DOCUMENTS) + np.repeat(step, DOCUMENTS) * place) % prime
        run = pl.DataFrame({"query": query, "document": document, "score": draw.random(query.size)})
        records = pl.struct(pl.col("document").alias("id"), "score").alias("recommendations")
        (folder / "lists").mkdir(exist_ok=True)
        run.group_by("query").agg(records.sort_by("score", descending=True)).write_parquet(
            folder / "lists" / f"{number}.parquet"
        )
        (folder / "run").mkdir(exist_ok=True)
        run.sample(fraction=1, shuffle=True, seed=0).write_parquet(folder / "run" / f"{number}.parquet")
        query, place = np.repeat(queries, JUDGED), np.tile(np.arange(JUDGED), queries.size)
        document = (np.repeat(first, JUDGED) + np.repeat(step, JUDGED) * place * 2 * DOCUMENTS // JUDGED) % prime
        judged = pl.DataFrame({"query": query, "document": document, "grade": draw.integers(0, 4, query.size)})
        (folder / "qrels").mkdir(exist_ok=True)
        judged.unique(["query", "document"]).write_parquet(folder / "qrels" / f"{number}.parquet")


def session(memory: str, partitions: int) -> Any:
    """Spark on two cores."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    settings = {
        "spark.driver.memory": memory,
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": str(partitions),
        "spark.log.level": "OFF",
    }
    builder = SparkSession.builder.master("local[2]")
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def sides(spark: Any, folder: Path) -> dict[str, Callable[[], object]]:
    """What is timed."""
    run, lists, qrels = (spark.read.parquet(str(folder / name)) for name in ("run", "lists", "qrels"))

    def own(frame: Any) -> Any:
        order = Window.partitionBy("query").orderBy(sql.desc("score"), sql.desc("document"))
        return frame.withColumn("rank", sql.row_number().over(order)).join(qrels, ["query", "document"])

    def sink(frame: Any) -> None:
        frame.write.format("noop").mode("overwrite").save()

    exploded = lists.select("query", sql.explode("recommendations").alias("row")).select(
        "query", sql.col("row.id").alias("document"), "row.score"
    )
    return {
        "rows: Spark's own": lambda: sink(own(run)),
        "rows: values": lambda: sink(evaluate(qrels, run, MEASURES)),
        "rows: means": lambda: evaluate(qrels, run, MEASURES).mean(),
        "rows: unchecked": lambda: sink(evaluate(qrels, run, MEASURES, duplicates="all")),
        "lists: Spark's own": lambda: sink(own(exploded)),
        "lists: values": lambda: sink(evaluate(qrels, lists, MEASURES)),
        "lists: means": lambda: evaluate(qrels, lists, MEASURES).mean(),
    }


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", nargs="*", type=float, default=[1e6])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--memory", default="6g")
    parser.add_argument("--partitions", type=int, default=16)
    parser.add_argument("--only", nargs="*", default=[])
    given = parser.parse_args()
    spark = session(given.memory, given.partitions)
    print("| rows | what | seconds, median | ratio to Spark's own, median of rounds | load |")
    print("|--:|---|--:|--:|--:|")
    for rows in map(int, given.rows):
        with tempfile.TemporaryDirectory() as name:
            writer = multiprocessing.get_context("spawn").Process(target=write, args=(Path(name), rows))
            writer.start()
            writer.join()
            found = {
                what: call
                for what, call in sides(spark, Path(name)).items()
                if not given.only or what in given.only or what.split(":")[0] in given.only
            }
            times: dict[str, list[float]] = {what: [] for what in found}
            warm_up = 0 if rows >= LARGE else 1
            for _ in range(1 if rows >= LARGE else given.rounds + warm_up):
                for what, call in found.items():
                    begun = time.perf_counter()
                    call()
                    times[what].append(time.perf_counter() - begun)
            for what, all_seconds in times.items():
                seconds, own = all_seconds[warm_up:], times[f"{what.split(':')[0]}: Spark's own"][warm_up:]
                ratio = statistics.median(one / other for one, other in zip(seconds, own, strict=True))
                load = os.getloadavg()[0]
                print(
                    f"| {rows:.0e} | {what} | {statistics.median(seconds):.1f} | {ratio:.2f} | {load:.1f} |", flush=True
                )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"\nmost memory of the Python driver: {peak:.0f} MB")


if __name__ == "__main__":
    main()
