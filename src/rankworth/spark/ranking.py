"""Where the rows of a run stand, by windows of Spark that need one sort, or two where integers break ties."""

from typing import TYPE_CHECKING

from pyspark.sql import Window
from pyspark.sql import functions as sql

from rankworth.judging.settings import Ordering

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

_KEY = "rankworth_key"
_TEXT = "rankworth_text"


def ranked(rows: "DataFrame", ordering: Ordering) -> "DataFrame":
    """The same rows with `rank, first, last, rows, number`, as `rankworth.judging.relational.ranked` has them.

    Windows over one order share one sort, whatever their frames are, which the windows over groups of equal scores that
    other engines need would not.

    Args:
        rows: `query, document, score, known`, with `position` or `rank` where the ordering asks for them.
        ordering: what orders them.

    """
    query = Window.partitionBy("query")
    of_query = {"rows": sql.count(sql.lit(1)).over(query)}
    if ordering.order != "score":
        by = "rank" if ordering.order == "rank" else "position"
        numbered = rows.withColumn("number", sql.row_number().over(query.orderBy(by)))
        rank = sql.col("rank" if ordering.order == "rank" else "number")
        return numbered.withColumns({"rank": rank, "first": rank, "last": rank, **of_query})
    score = sql.col("score")
    if ordering.score_type == "float32":
        score = score.cast("float").cast("double")
    rows = rows.withColumn(_KEY, sql.lit(0.0) - score)
    by_score = query.orderBy(_KEY)
    upwards = by_score.rangeBetween(Window.unboundedPreceding, Window.currentRow)
    group = {"first": sql.rank().over(by_score), "last": sql.count(sql.lit(1)).over(upwards)}
    if ordering.ties in ("given", "given-reversed"):
        placed = _numbered(rows, sql.col("position")).withColumns({**group, **of_query})
    elif rows.schema["document"].dataType.simpleString() == "string":
        placed = _numbered(rows, sql.col("document")).withColumns({**group, **of_query})
    else:
        alike = by_score.rangeBetween(Window.currentRow, Window.currentRow)
        placed = rows.withColumns({**group, "held": sql.max("known").over(alike), **of_query})
        is_asked = (sql.col("last") > sql.col("first")) & sql.col("held")
        text = sql.when(is_asked, sql.col("document").cast("string"))
        placed = _numbered(placed.withColumn(_TEXT, text), sql.col(_TEXT))
    rank = sql.col("number")
    if ordering.ties in ("id-descending", "given-reversed"):
        rank = sql.col("first") + sql.col("last") - rank
    return placed.withColumn("rank", rank)


def _numbered(rows: "DataFrame", breaker: "Column") -> "DataFrame":
    """Rows with their number in the order of scores, equal ones in that of a column."""
    return rows.withColumn("number", sql.row_number().over(Window.partitionBy("query").orderBy(sql.col(_KEY), breaker)))
