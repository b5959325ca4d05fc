"""Where the rows of a run stand, by windows of Spark over one order, and over groups of equal scores where asked."""

from typing import TYPE_CHECKING

from pyspark.sql import Window
from pyspark.sql import functions as sql

from rankworth.judging.settings import Ordering

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, WindowSpec

_KEY = "rankworth_key"
_BREAKER = "rankworth_breaker"


def ranked(rows: "DataFrame", ordering: Ordering, *, full: bool) -> "DataFrame":
    """Rows with `rank, first, last, rows, number`, as `rankworth.judging.relational.ranked` has them.

    All rows are sorted once, by query and score, and windows with frames by rows and by range tell the rest. Then rows
    go that nobody asks for, before ids are looked at, which only those do whose group of equal scores holds a judged
    document.

    Args:
        rows: `query, document, score, known`, with `position` or `rank` where the ordering asks for them.
        ordering: what orders them.
        full: whether unjudged documents are wanted, too; the first row of each query and odd ones always are.

    """
    query = Window.partitionBy("query")
    if ordering.order != "score":
        order = query.orderBy("rank" if ordering.order == "rank" else "position")
        placed = rows.withColumns({"number": sql.row_number().over(order), "rows": _count().over(_all(order))})
        rank = sql.col("rank" if ordering.order == "rank" else "number")
        nothing = sql.lit(None)  # whether ranks are whole numbers is seen by workers
        return placed.withColumns({"rank": rank, "first": nothing, "last": nothing}).where(_wanted(ordering, full=full))
    score = sql.col("score")
    if ordering.score_type == "float32":
        score = score.cast("float").cast("double")
    order = query.orderBy(_KEY)
    upwards = order.rangeBetween(Window.unboundedPreceding, Window.currentRow)
    placed = rows.withColumn(_KEY, sql.lit(0.0) - score).withColumns(
        {
            "number": sql.row_number().over(order),
            "first": sql.rank().over(order),
            "last": _count().over(upwards),
            "rows": _count().over(_all(order)),
        }
    )
    is_tied = sql.col("last") > sql.col("first")
    placed = placed.where(_wanted(ordering, full=full) | is_tied)
    group = Window.partitionBy("query", "first")
    by_position = ordering.ties in ("given", "given-reversed")
    breaker = sql.col("position") if by_position else sql.col("document").cast("string")
    asked = is_tied if full else is_tied & sql.max("known").over(group)
    placed = placed.withColumn(_BREAKER, sql.when(asked, breaker))
    within = sql.row_number().over(group.orderBy(_BREAKER))
    upside = ordering.ties in ("id-ascending", "given")
    rank = sql.col("first") + within - 1 if upside else sql.col("last") - within + 1
    return placed.withColumn("rank", rank).where(_wanted(ordering, full=full))


def by_position(ordering: Ordering) -> bool:
    """Whether the order decides in which documents of a query were given."""
    ties = ordering.order == "score" and ordering.ties in ("given", "given-reversed")
    return ordering.order == "given" or ties or ordering.duplicates in ("first", "last")


def odd(ordering: Ordering) -> "Column":
    """Whether a row lacks something, or its score is no number; or its rank, where that decides."""
    numbers = [sql.col("score"), *([sql.col("rank")] if ordering.order == "rank" else [])]
    lacking = sql.col("document").isNull() | sql.col("query").isNull()
    for number in numbers:
        lacking = lacking | number.isNull() | sql.isnan(number)
    return lacking


def _wanted(ordering: Ordering, *, full: bool) -> "Column":
    """Whether a row is asked for."""
    return sql.expr("true") if full else odd(ordering) | sql.col("known") | (sql.col("number") == 1)


def _count() -> "Column":
    return sql.count(sql.lit(1))


def _all(order: "WindowSpec") -> "WindowSpec":
    """All rows of a query, in an order that other windows have, too."""
    return order.rowsBetween(Window.unboundedPreceding, Window.unboundedFollowing)
