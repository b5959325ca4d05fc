"""Judging as a relation: a join with windows, in Narwhals expressions, on any engine that Narwhals reaches.

It ranks what the other forms only count, and needs neither order nor memory of its own: the form for engines that
cannot hand over the rows of one query.
"""

from typing import Any

import narwhals as nw
import numpy as np

from rankworth.errors import InputError
from rankworth.judging.assembly import Found, Judgement, Layout, assemble, nothing_in_common
from rankworth.model import Qrels


def judge(qrels: Qrels, judgements: Any, run: Any, layout: Layout = "compact") -> Judgement:  # noqa: ANN401
    """Where the documents of a run stand.

    Args:
        qrels: the judgements, for their order and pools.
        judgements: the same as a lazy frame of the engine: `query`, `document` as text, `grade`.
        run: a lazy frame of the same engine: `query`, `document` as text, `score` as float64.
        layout: whether unjudged documents get rows, too.

    Raises:
        InputError: `missing-value`, `bad-score`, `duplicate-document`, `no-common-queries`.

    """
    judged, rows = nw.from_native(judgements).lazy(), nw.from_native(run).lazy()
    _refuse(rows)
    counts = rows.group_by("query").agg(nw.len().alias("n_retrieved")).collect("polars").to_dict(as_series=False)
    place = {query: index for index, query in enumerate(qrels.queries)}
    n_retrieved = np.zeros(len(qrels), dtype=np.int64)
    for query, count in zip(counts["query"], counts["n_retrieved"], strict=True):
        if query in place:
            n_retrieved[place[query]] = count
    if not n_retrieved.any():
        raise nothing_in_common(qrels, sorted(counts["query"]))
    table = _stand(judged, rows, layout).collect("polars").to_dict(as_series=False)
    grade = np.array(table["grade"], dtype=np.float64)
    known = ~np.isnan(grade)
    found = Found(
        query=np.array([place[query] for query in table["query"]], dtype=np.int64),
        rank=np.array(table["rank"], dtype=np.int64),
        first=np.array(table["first"], dtype=np.int64),
        last=np.array(table["last"], dtype=np.int64),
        grade=np.where(known, grade, 0.0),
        known=known,
    )
    return assemble(qrels, found, n_retrieved, len(counts["query"]) - int(np.count_nonzero(n_retrieved)))


def _stand(judged: nw.LazyFrame[Any], rows: nw.LazyFrame[Any], layout: Layout) -> nw.LazyFrame[Any]:
    """Rank every document of the judged queries, then keep those that are asked for."""
    score = nw.col("score")
    ranked = rows.join(judged.select("query").unique(), on="query", how="semi").with_columns(
        nw.len().over("query").alias("n"),
        score.rank("min", descending=True).over("query").cast(nw.Int64).alias("first"),
        score.rank("max", descending=True).over("query").cast(nw.Int64).alias("last"),
        nw.col("document").cum_count().over("query", order_by=["score", "document"]).cast(nw.Int64).alias("from_below"),
    )
    ranked = ranked.with_columns((nw.col("n") - nw.col("from_below") + 1).alias("rank"))
    how = "inner" if layout == "compact" else "left"
    joined = ranked.join(judged.select("query", "document", "grade"), on=["query", "document"], how=how)  # type: ignore[arg-type]
    return joined.select("query", "rank", "first", "last", nw.col("grade").cast(nw.Float64))


def _refuse(rows: nw.LazyFrame[Any]) -> None:
    """Look for holes, NaN and duplicates in one pass each."""
    bad = rows.filter(
        nw.col("query").is_null() | nw.col("document").is_null() | nw.col("score").is_null() | nw.col("score").is_nan()
    )
    for query, document, score in bad.select("query", "document", "score").head(1).collect("polars").iter_rows():
        slug = "bad-score" if query is not None and document is not None and score is not None else "missing-value"
        raise InputError(slug, f"query {query}, document {document}: the score is {score}")
    pairs = rows.group_by("query", "document").agg(nw.len().alias("times")).filter(nw.col("times") > 1)
    twice = pairs.sort("query", "document").collect("polars").rows()
    if twice:
        texts = [f"query {query} ranks document {document} {times} times" for query, document, times in twice[:3]]
        raise InputError("duplicate-document", *texts, more=len(twice) - len(texts), remedy="keep one row for each")
