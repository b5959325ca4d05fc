"""Steps of judging as expressions of Narwhals, for engines that hand over no rows of one query: Spark.

They rank by windows what the other modules only count, and need neither order nor memory of their own; all are lazy.
"""

from typing import Any, Final

import narwhals as nw

from rankworth.io.duplicates import COUNTED
from rankworth.judging.exclusion import SELF
from rankworth.settings import Ordering

Relation = nw.LazyFrame[Any]
_KEY: Final = "rankworth_key"
"""what rows are ordered by: the best score is the lowest, and zero has no sign"""
_TEXT: Final = "rankworth_text"
"""and by which ids that are integers, where that matters"""


def without(rows: Relation, ordering: Ordering, excluded: Relation | None) -> Relation:
    """The rows of other documents than those that are excluded.

    Args:
        rows: `query, document` and more.
        ordering: what is excluded.
        excluded: the pairs, `query, document`; not needed where a document is its own query.

    """
    if ordering.exclude is None:
        return rows
    if ordering.exclude.label == SELF:
        return rows.filter(nw.col("document").cast(nw.String) != nw.col("query").cast(nw.String))
    if excluded is None:
        return rows
    return rows.join(excluded.select("query", "document"), on=["query", "document"], how="anti")


def settled(rows: Relation, ordering: Ordering) -> Relation:
    """One row for each document, where only one of them counts.

    Args:
        rows: `query, document, score`, and `position` where first and last are to be told apart.
        ordering: which row counts.

    """
    policy, names = ordering.duplicates, rows.collect_schema().names()
    if policy == "error" or policy in COUNTED:
        return rows
    if policy == "best" and not {"position", "rank"} & {*names}:
        return rows.group_by("query", "document").agg(nw.col("score").max())
    position = nw.col("position" if "position" in names else "rank")
    order = {"best": [0.0 - nw.col("score"), position], "first": [position], "last": [0 - position]}[policy]
    keys = {f"{_KEY}_{number}": one for number, one in enumerate(order)}
    number = nw.col("document").cum_count().over("query", "document", order_by=[*keys])
    return rows.with_columns(**keys).with_columns(number.alias(_KEY)).filter(nw.col(_KEY) == 1).select(*names)


def marked(rows: Relation, judged: Relation) -> Relation:
    """The same rows with `known`: whether the document is judged for the query.

    Args:
        rows: `query, document` and more.
        judged: `query, document`, each pair once.

    """
    pairs = judged.select("query", "document", known=nw.lit(value=True))
    joined = rows.join(pairs, on=["query", "document"], how="left")
    return joined.with_columns(~nw.col("known").is_null())


def ranked(rows: Relation, ordering: Ordering) -> Relation:
    """The same rows with where they stand.

    `rank` is that of the document, `first` and `last` are those of its group of equal scores, `rows` is how many the
    query has, and `number` counts them from 1. Ids are compared as text, and those that are integers are made text in
    groups of equal scores alone that hold a judged document; elsewhere the order within a group means nothing.

    Args:
        rows: `query, document, score, known`, with `position` or `rank` where the ordering asks for them.
        ordering: what orders them.

    """
    names = rows.collect_schema().names()
    rows = rows.with_columns(nw.len().over("query").cast(nw.Int64).alias("rows"))
    if ordering.order not in ("auto", "score"):  # these rows are a table
        by = "rank" if ordering.order == "rank" else "position"
        rows = rows.with_columns(_number(by).alias("number"))
        rank = nw.col("rank" if ordering.order == "rank" else "number")
        placed = rows.with_columns(rank=rank, first=rank, last=rank)
        return placed.select(*dict.fromkeys((*names, "rank", "first", "last", "rows", "number")))
    score = nw.col("score")
    if ordering.score_type == "float32":
        score = score.cast(nw.Float32).cast(nw.Float64)
    rows = rows.with_columns((0.0 - score).alias(_KEY))
    by = "position" if ordering.ties in ("given", "given-reversed") else "document"
    size = nw.len().over("query", _KEY).cast(nw.Int64)
    if by == "document" and rows.collect_schema()["document"].is_integer():
        held = (size > 1) & (nw.col("known").cast(nw.Int8).max().over("query", _KEY) == 1)
        rows = rows.with_columns(nw.when(held).then(nw.col("document").cast(nw.String)).alias(_TEXT))
        by = _TEXT
    rows = rows.with_columns(_number(_KEY, by).alias("number"))
    first = nw.col("number").min().over("query", _KEY).cast(nw.Int64)
    rows = rows.with_columns(first.alias("first"), size.alias("size"))
    last = nw.col("first") + nw.col("size") - 1
    rank = nw.col("number")
    if ordering.ties in ("id-descending", "given-reversed"):
        rank = nw.col("first") + last - rank
    return rows.with_columns(rank.alias("rank"), last.alias("last")).select(
        *dict.fromkeys((*names, "rank", "first", "last", "rows", "number"))
    )


def _number(*by: str) -> nw.Expr:
    """The number of each row in its query, from 1, in this order."""
    return nw.col("query").cum_count().over("query", order_by=[*by]).cast(nw.Int64)
