"""Where the rows of a run stand, by windows of Spark over one order, and over groups of equal scores where asked.

Expressions are written as Spark's SQL, of which one call takes a whole list.
"""

from typing import TYPE_CHECKING, Final

from rankworth.judging.settings import Ordering

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_ALL: Final = "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING"
_UPWARDS: Final = "RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"
_SAME: Final = ("query", "document", "score", "known")


def ranked(rows: "DataFrame", ordering: Ordering, *, full: bool) -> "DataFrame":
    """Rows with `rank, first, last, rows`, as `rankworth.judging.relational.ranked` has them.

    All rows are sorted once, by query and score, and windows with frames by rows and by range tell the rest. Then rows
    go that nobody asks for, before ids are looked at, which only those do whose group of equal scores holds a judged
    document.

    Args:
        rows: `query, document, score, known`, with `position` or `rank` where the ordering asks for them.
        ordering: what orders them.
        full: whether unjudged documents are wanted, too; the first row of each query and odd ones always are.

    """
    wanted = "true" if full else f"{odd(ordering)} OR known OR number = 1"
    if ordering.order != "score":
        return _in_order(rows, "`rank`" if ordering.order == "rank" else "position").where(wanted)
    score = "CAST(CAST(score AS FLOAT) AS DOUBLE)" if ordering.score_type == "float32" else "score"
    breaker = "position" if ordering.ties in ("given", "given-reversed") else "document"
    upside = ordering.ties in ("id-ascending", "given")
    order = "PARTITION BY query ORDER BY key"
    placed = rows.selectExpr(*_SAME, f"{breaker} AS breaker", f"0.0D - {score} AS key").selectExpr(
        *(*_SAME, "breaker", f"row_number() OVER ({order}) AS number", f"rank() OVER ({order}) AS `first`"),
        *(f"count(1) OVER ({order} {frame}) AS `{name}`" for name, frame in (("last", _UPWARDS), ("rows", _ALL))),
    )
    known = "true" if full else "max(known) OVER (PARTITION BY query, `first`)"
    text = "CAST(breaker AS STRING)" if breaker == "document" else "breaker"
    tied = placed.where(f"{wanted} OR `last` > `first`").selectExpr(
        *_SAME,
        "number",
        "`first`",
        "`last`",
        "`rows`",
        f"CASE WHEN `last` > `first` AND {known} THEN {text} END AS breaker",
    )
    within = "row_number() OVER (PARTITION BY query, `first` ORDER BY breaker)"
    rank = f"`first` + {within} - 1" if upside else f"`last` - {within} + 1"
    return tied.selectExpr(*_SAME, "number", "`first`", "`last`", "`rows`", f"{rank} AS `rank`").where(wanted)


def _in_order(rows: "DataFrame", by: str) -> "DataFrame":
    """Rows ranked by a column; whether ranks are whole numbers is seen by workers."""
    order = f"PARTITION BY query ORDER BY {by}"
    told = [f"row_number() OVER ({order}) AS number", f"count(1) OVER ({order} {_ALL}) AS `rows`"]
    placed = rows.selectExpr(*_SAME, by, *told)
    rank = "number" if by == "position" else by
    ends = ("CAST(NULL AS BIGINT) AS `first`", "CAST(NULL AS BIGINT) AS `last`")
    return placed.selectExpr(*_SAME, "number", *ends, "`rows`", f"{rank} AS `rank`")


def by_position(ordering: Ordering) -> bool:
    """Whether the order decides in which documents of a query were given."""
    ties = ordering.order == "score" and ordering.ties in ("given", "given-reversed")
    return ordering.order == "given" or ties or ordering.duplicates in ("first", "last")


def odd(ordering: Ordering) -> str:
    """Whether a row lacks something, or its score is no number; or its rank, where that decides."""
    numbers = ["score", *(["`rank`"] if ordering.order == "rank" else [])]
    lacking = [f"{name} IS NULL" for name in ("query", "document", *numbers)]
    return " OR ".join([*lacking, *(f"isnan({number})" for number in numbers)])
