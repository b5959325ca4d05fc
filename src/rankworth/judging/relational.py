"""Judging as a relation: a join with windows, in Narwhals expressions, on any engine that Narwhals reaches.

It ranks what the other forms only count, and needs neither order nor memory of its own: the form for engines that
cannot hand over the rows of one query. `settled`, `marked` and `ranked` are lazy and are put together by whoever has an
engine; `judge` does so and brings the answer here.
"""

from typing import Any, Final

import narwhals as nw
import numpy as np
import polars as pl

from rankworth.errors import InputError
from rankworth.io.duplicates import COUNTED
from rankworth.judging.exclusion import SELF
from rankworth.judging.judged_run import Found, JudgedRun, Layout, assemble, nothing_left, numbered
from rankworth.judging.order import refuse_order
from rankworth.judging.overlap import nothing_in_common
from rankworth.model import Qrels
from rankworth.settings import STANDARD_JUDGING, Judging, Ordering

Relation = nw.LazyFrame[Any]
_KEY: Final = "rankworth_key"
"""what rows are ordered by: the best score is the lowest, and zero has no sign"""
_TEXT: Final = "rankworth_text"
"""and by which ids that are integers, where that matters"""


def judge(
    qrels: Qrels,
    judgements: Any,  # noqa: ANN401 - a frame of any engine
    run: Any,  # noqa: ANN401 - the same
    layout: Layout = "compact",
    settings: Judging = STANDARD_JUDGING,
    excluded: Any = None,  # noqa: ANN401 - the same
) -> JudgedRun:
    """Where the documents of a run stand.

    Args:
        qrels: the judgements that count, for their order and pools.
        judgements: all judgements as a lazy frame of the engine: `query`, `document` as text, `grade`.
        run: a lazy frame of the same engine: `query`, `document` as text, `score` as float64.
        layout: whether unjudged documents get rows, too.
        settings: what becomes of repeated and excluded documents.
        excluded: the pairs that the settings exclude as a lazy frame of the engine: `query`, `document` as text; not
            needed for `self`.

    Raises:
        InputError: `missing-value`, `bad-score`, `duplicate-document`, `no-common-queries`.
        UsageError: `unknown-setting`, where the order in which rows came would matter.

    """
    refuse_order(settings, without=("error", "best"))
    ordering = settings.ordering
    judged, rows = nw.from_native(judgements).lazy(), nw.from_native(run).lazy()
    _refuse(rows)
    queries = judged.select("query").unique()
    rows = rows.select("query", "document", "score")
    pairs = None if excluded is None else nw.from_native(excluded).lazy()
    kept = without(rows, ordering, pairs)
    if ordering.duplicates == "error":
        _refuse_duplicates(kept)
    once = settled(kept, ordering)
    places = pl.DataFrame({"query": pl.Series(qrels.queries, dtype=pl.String), "place": np.arange(len(qrels))})
    given, left, counts = (_counts(some) for some in (rows, kept, once))
    known, others = counts.join(places, on="query"), counts.join(places, on="query", how="anti")
    sizes = [int(one.join(places, on="query")["rows"].sum()) for one in (given, left, counts)]
    left_out: dict[str, Any] = {"excluded": sizes[0] - sizes[1], "repeated": sizes[1] - sizes[2]}
    if not known.height:
        if left_out["excluded"]:
            raise nothing_left(settings.exclude)
        raise nothing_in_common(qrels.queries, others["query"].to_list())
    n_retrieved = np.zeros(len(qrels), dtype=np.int64)
    n_retrieved[known["place"].to_numpy()] = known["rows"].to_numpy()
    some = without(judged, ordering, pairs).filter(~nw.col("grade").is_null() & ~nw.col("grade").is_nan())
    relation = ranked(marked(once.join(queries, on="query", how="semi"), some), ordering)
    if layout == "compact":
        relation = relation.filter(nw.col("known"))
    table = _polars(relation).join(places, on="query")
    table = table.drop("number").join(numbered(qrels), on=["place", "document"], how="left")
    table = table.with_columns(pl.when("known").then("number").alias("number"), positive=pl.col("score") > 0)
    unjudged = dict(zip(others["query"].to_list(), others["rows"].to_list(), strict=True))
    return assemble(qrels, Found.of(table), n_retrieved, unjudged, **left_out)


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


def _counts(rows: Relation) -> pl.DataFrame:
    """How many rows each query has."""
    return _polars(rows.group_by("query").agg(nw.len().alias("rows"))).sort("query")


def _polars(frame: nw.LazyFrame[Any]) -> pl.DataFrame:
    """What an engine answers."""
    answer: pl.DataFrame = frame.collect("polars").to_native()
    return answer


def _refuse(rows: nw.LazyFrame[Any]) -> None:
    """Look for holes and NaN."""
    bad = rows.filter(
        nw.col("query").is_null() | nw.col("document").is_null() | nw.col("score").is_null() | nw.col("score").is_nan()
    )
    for query, document, score in bad.select("query", "document", "score").head(1).collect("polars").iter_rows():
        slug = "bad-score" if query is not None and document is not None and score is not None else "missing-value"
        raise InputError(slug, f"query {query}, document {document}: the score is {score}")


def _refuse_duplicates(rows: nw.LazyFrame[Any]) -> None:
    pairs = rows.group_by("query", "document").agg(nw.len().alias("times")).filter(nw.col("times") > 1)
    twice = pairs.sort("query", "document").collect("polars").rows()
    if twice:
        texts = [f"query {query} ranks document {document} {times} times" for query, document, times in twice[:3]]
        raise InputError("duplicate-document", *texts, more=len(twice) - len(texts), remedy="keep one row for each")
