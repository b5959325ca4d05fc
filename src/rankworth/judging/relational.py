"""Judging as a relation: a join with windows, in Narwhals expressions, on any engine that Narwhals reaches.

It ranks what the other forms only count, and needs neither order nor memory of its own: the form for engines that
cannot hand over the rows of one query.
"""

from typing import Any

import narwhals as nw
import numpy as np
import polars as pl

from rankworth.errors import InputError
from rankworth.judging.assembly import Found, Judgement, Layout, assemble, nothing_left
from rankworth.judging.exclusion import SELF, Exclusion
from rankworth.judging.meeting import nothing_in_common
from rankworth.judging.settings import STANDARD, Judging
from rankworth.judging.unordered import refuse_order
from rankworth.model import Qrels


def judge(
    qrels: Qrels,
    judgements: Any,  # noqa: ANN401 - a frame of any engine
    run: Any,  # noqa: ANN401 - the same
    layout: Layout = "compact",
    settings: Judging = STANDARD,
    excluded: Any = None,  # noqa: ANN401 - the same
) -> Judgement:
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
    judged, rows = nw.from_native(judgements).lazy(), nw.from_native(run).lazy()
    _refuse(rows)
    queries = judged.select("query").unique()
    if settings.exclude is not None:
        judged = _without(judged, settings.exclude, excluded)
    rows, left_out = _settled(queries, rows, settings, excluded)
    counts = _polars(rows.group_by("query").agg(nw.len().alias("rows"))).sort("query")
    places = pl.DataFrame({"query": pl.Series(qrels.queries, dtype=pl.String), "place": np.arange(len(qrels))})
    known = counts.join(places, on="query")
    if not known.height:
        if left_out["excluded"]:
            raise nothing_left(settings.exclude)
        raise nothing_in_common(qrels, counts["query"].to_list())
    n_retrieved = np.zeros(len(qrels), dtype=np.int64)
    n_retrieved[known["place"].to_numpy()] = known["rows"].to_numpy()
    place = np.repeat(np.arange(len(qrels)), qrels.lengths)
    numbers = pl.DataFrame({"place": place, "document": qrels.document_series, "number": np.arange(place.size)})
    table = _polars(_stand(queries, judged, rows, layout, settings)).join(places, on="query")
    table = table.join(numbers, on=["place", "document"], how="left")
    is_known = table["grade"].is_not_null() & table["grade"].is_not_nan()
    found = Found(
        query=table["place"].to_numpy(),
        rank=table["rank"].to_numpy(),
        first=table["first"].to_numpy(),
        last=table["last"].to_numpy(),
        judgement=np.where(is_known.fill_null(value=False).to_numpy(), table["number"].fill_null(-1).to_numpy(), -1),
        positive=(table["score"] > 0).to_numpy(),
    )
    others = counts.join(places, on="query", how="anti")
    unjudged = dict(zip(others["query"].to_list(), others["rows"].to_list(), strict=True))
    return assemble(qrels, found, n_retrieved, unjudged, **left_out)


def _polars(frame: nw.LazyFrame[Any]) -> pl.DataFrame:
    """What an engine answers."""
    answer: pl.DataFrame = frame.collect("polars").to_native()
    return answer


def _settled(
    queries: nw.LazyFrame[Any],
    rows: nw.LazyFrame[Any],
    settings: Judging,
    excluded: Any,  # noqa: ANN401 - as above
) -> tuple[nw.LazyFrame[Any], dict[str, Any]]:
    """The rows that count, and how many of judged queries do not."""

    def size() -> int:
        found = rows.join(queries, on="query", how="semi").select(nw.len().alias("rows")).collect("polars")
        return int(found["rows"][0])

    left_out: dict[str, Any] = {"excluded": 0, "repeated": 0}
    if settings.exclude is not None:
        before = size()
        rows = _without(rows, settings.exclude, excluded)
        left_out["excluded"] = before - size()
    if settings.duplicates == "error":
        _refuse_duplicates(rows)
    else:
        before = size()
        rows = _once(rows)
        left_out["repeated"] = before - size()
    return rows, left_out


def _without(
    rows: nw.LazyFrame[Any],
    exclude: Exclusion,
    excluded: Any,  # noqa: ANN401 - as above
) -> nw.LazyFrame[Any]:
    """The rows of other documents."""
    if exclude.label == SELF:
        return rows.filter(nw.col("document") != nw.col("query"))
    return rows.join(nw.from_native(excluded).lazy(), on=["query", "document"], how="anti")


def _once(rows: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
    """One row for each document, with its best score."""
    return rows.group_by("query", "document").agg(nw.col("score").max())


def _stand(
    queries: nw.LazyFrame[Any],
    judged: nw.LazyFrame[Any],
    rows: nw.LazyFrame[Any],
    layout: Layout,
    settings: Judging,
) -> nw.LazyFrame[Any]:
    """Rank every document of the judged queries, then keep those that are asked for."""
    score = nw.col("score")
    if settings.score_type == "float32":
        rows = rows.with_columns(score.cast(nw.Float32).cast(nw.Float64))
    ranked = rows.join(queries, on="query", how="semi").with_columns(
        nw.len().over("query").alias("n"),
        score.rank("min", descending=True).over("query").cast(nw.Int64).alias("first"),
        score.rank("max", descending=True).over("query").cast(nw.Int64).alias("last"),
        nw.col("document").cum_count().over("query", order_by=["score", "document"]).cast(nw.Int64).alias("from_below"),
    )
    rank = nw.col("n") - nw.col("from_below") + 1
    if settings.ties == "id-ascending":
        rank = nw.col("first") + nw.col("last") - rank
    ranked = ranked.with_columns(rank.alias("rank"))
    how = "inner" if layout == "compact" else "left"
    joined = ranked.join(judged.select("query", "document", "grade"), on=["query", "document"], how=how)  # type: ignore[arg-type]
    return joined.select("query", "document", "score", "rank", "first", "last", nw.col("grade").cast(nw.Float64))


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
