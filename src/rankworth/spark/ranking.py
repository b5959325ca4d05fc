"""Where the rows of a run stand, by windows of Spark over one order, and over groups of equal scores where asked.

Expressions are written as Spark's SQL, of which one call takes a whole list.
"""

from typing import TYPE_CHECKING, Final

from rankworth.judging.settings import Ordering

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_ALL: Final = "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING"
_UPWARDS: Final = "RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"
_THERE: Final = "count(CASE WHEN times > 0 THEN 1 END)"


def ranked(rows: "DataFrame", ordering: Ordering, *, full: bool) -> "DataFrame":
    """Rows with `rank, first, last, rows`, as `rankworth.judging.relational.ranked` has them.

    All rows are sorted once, by query and score, and windows with frames by rows and by range tell the rest. Then rows
    go that nobody asks for, before ids are looked at, which only those do whose group of equal scores holds a judged
    document. What is judged alone comes last in each query, and its ranks mean nothing.

    Args:
        rows: as `rankworth.spark.meeting.met` gives them.
        ordering: what orders them.
        full: whether unjudged documents are wanted, too; the first row of each query and odd ones always are.

    """
    same = [f"`{name}`" for name in rows.columns if name not in ("rank", "position")]
    odd_or_first = f"{odd(ordering)} OR known OR number = 1 OR times > 1"
    wanted = "true" if full else f"judged > 0 OR (times > 0 AND ({odd_or_first}))"
    if ordering.order != "score":
        return _in_order(rows, same, "`rank`" if ordering.order == "rank" else "position").where(wanted)
    score = "CAST(CAST(score AS FLOAT) AS DOUBLE)" if ordering.score_type == "float32" else "score"
    breaker = "position" if ordering.ties in ("given", "given-reversed") else "document"
    upside = ordering.ties in ("id-ascending", "given")
    key = f"CASE WHEN times > 0 THEN 0.0D - {score} END AS key"
    order = "PARTITION BY query ORDER BY key NULLS LAST"
    placed = rows.selectExpr(*same, f"{breaker} AS breaker", key).selectExpr(
        *(*same, "breaker", f"row_number() OVER ({order}) AS number", f"rank() OVER ({order}) AS `first`"),
        f"count(1) OVER ({order} {_UPWARDS}) AS `last`",
        f"{_THERE} OVER ({order} {_ALL}) AS `rows`",
    )
    tied = "times > 0 AND `last` > `first`"
    asked = tied if full else f"{tied} AND max(known) OVER (PARTITION BY query, `first`)"
    text = "CAST(breaker AS STRING)" if breaker == "document" else "breaker"
    grouped = placed.where(f"{wanted} OR ({tied})").selectExpr(
        *same, "number", "`first`", "`last`", "`rows`", f"CASE WHEN {asked} THEN {text} END AS breaker"
    )
    within = "row_number() OVER (PARTITION BY query, `first` ORDER BY breaker)"
    rank = f"`first` + {within} - 1" if upside else f"`last` - {within} + 1"
    return grouped.selectExpr(*same, "number", "`first`", "`last`", "`rows`", f"{rank} AS `rank`").where(wanted)


def _in_order(rows: "DataFrame", same: list[str], by: str) -> "DataFrame":
    """Rows ranked by a column; whether ranks are whole numbers is seen by workers."""
    order = f"PARTITION BY query ORDER BY {by} NULLS LAST"
    told = [f"row_number() OVER ({order}) AS number", f"{_THERE} OVER ({order} {_ALL}) AS `rows`"]
    placed = rows.selectExpr(*same, f"{by} AS `rank`", *told)
    rank = "number" if by == "position" else "`rank`"
    ends = ("CAST(NULL AS BIGINT) AS `first`", "CAST(NULL AS BIGINT) AS `last`")
    return placed.selectExpr(*same, "number", *ends, "`rows`", f"{rank} AS `rank`")


def by_position(ordering: Ordering) -> bool:
    """Whether the order decides in which documents of a query were given."""
    ties = ordering.order == "score" and ordering.ties in ("given", "given-reversed")
    return ordering.order == "given" or ties or ordering.duplicates in ("first", "last")


def odd(ordering: Ordering) -> str:
    """Whether a row lacks something, or its score is no number; or its rank, where that decides."""
    numbers = ["score", *(["`rank`"] if ordering.order == "rank" else [])]
    lacking = [f"{name} IS NULL" for name in ("query", "document", *numbers)]
    return " OR ".join([*lacking, *(f"isnan({number})" for number in numbers)])
