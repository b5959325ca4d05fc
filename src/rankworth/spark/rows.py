"""Rows for workers: judgements, run and what is said of both in one frame, those of a query together."""

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from pyspark.sql import functions as sql

from rankworth.spark.columns import Source
from rankworth.spark.errors import failure

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

WANTED: Final = "wanted"
"""a query that is to be evaluated"""
PAIR: Final = "pair"
"""a query and a `document` that does not count for it"""
ELSEWHERE: Final = "elsewhere"
"""a query and a `document` of the run that is judged for some query"""


def together(
    qrels: Source,
    run: Source,
    pairs: "DataFrame | None" = None,
    wanted: "DataFrame | None" = None,
    judged: "Callable[[Source], DataFrame] | None" = None,
) -> "DataFrame":
    """Rows of all kinds, which the column `kind` names; null stands in the columns of other kinds.

    They are parted by a hash of their queries, which no other part of the plan is: adaptive execution may part rows
    otherwise that are parted by query already.

    Args:
        qrels: judgements.
        run: a run.
        pairs: `query, document`, text: what does not count.
        wanted: `query`, text: the queries that are to be evaluated; all where None.
        judged: gives the documents, `document` as text, that are judged for some query, where somebody asks.

    """
    kind = "bigint" if all(side.query.is_integer() for side in (qrels, run)) else "string"
    sides = [replace(side, frame=side.frame.withColumn("query", sql.col("query").cast(kind))) for side in (qrels, run)]
    others = []
    if wanted is not None:
        wanted = wanted.select(_known(_as(kind, "query")).alias("query")).distinct()
        sides = [replace(side, frame=side.frame.join(wanted, "query", "left_semi")) for side in sides]
        others.append(wanted.withColumn("kind", sql.lit(WANTED)))
    if pairs is not None:
        there = _there("query", _as(kind, "query")).alias("query"), _there("document", sql.col("document"))
        others.append(pairs.select(there[0], there[1].alias("document"), sql.lit(PAIR).alias("kind")))
    if judged is not None:
        met = sides[1].pairs().join(judged(sides[0]), "document", "left_semi")
        others.append(met.withColumn("kind", sql.lit(ELSEWHERE)))
    rows, ranked = (side.frame.withColumn("kind", sql.lit(side.side.value)) for side in sides)
    for other in (ranked, *others):
        rows = rows.unionByName(other, allowMissingColumns=True)
    return rows.repartition(sql.xxhash64("query")).sortWithinPartitions("query")


def _as(kind: str, column: str) -> "Column":
    """Ids of another type; null for a text that is not how a number is written."""
    text = sql.col(column).cast("string")
    number = text.try_cast("bigint")
    return text if kind == "string" else sql.when(number.cast("string") == text, number)


def _there(column: str, ids: "Column") -> "Column":
    """Ids, and an error where one is missing."""
    wrong = failure("missing-value", sql.lit(f"the excluded pairs: a row has no {column}"), "drop or fill such rows")
    return sql.when(sql.col(column).isNull(), wrong).otherwise(ids)


def _known(ids: "Column") -> "Column":
    """Ids of queries, and an error for what is no id of any."""
    text = sql.concat(sql.lit("a query asked for is not judged: "), sql.coalesce(sql.col("query"), sql.lit("null")))
    unknown = failure("unjudged-queries", text, "leave out the queries without judgements")
    return sql.when(ids.isNull(), unknown).otherwise(ids)
