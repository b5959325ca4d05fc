"""Judging inside DuckDB: which rows of a relation count, and what comes out of it of those that are judged.

The judgements go in, with the number of each; judged documents are joined and their ranks are counted there, and only
they come out: documents that nobody judged have no names there. Ids are compared, as text, in those groups of equal
scores alone that hold a judged document.
"""

# ruff: noqa: S608 - all text is our own

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import polars as pl

from rankworth.errors import InputError
from rankworth.io.duplicates import COUNTED
from rankworth.judging.duckdb.ranks import Places, as_held
from rankworth.judging.duckdb.relation import Related
from rankworth.judging.duckdb.scan import VIEW, Scan
from rankworth.judging.duckdb.sql import text
from rankworth.judging.exclusion import SELF, Exclusion
from rankworth.judging.judged_run import Columns, JudgedRun, columns_of
from rankworth.judging.order import Contradictions
from rankworth.judging.steps import Batch, Conventions, Include, judge_batches
from rankworth.model import Qrels
from rankworth.settings import Duplicates, Ordering


def judge_all(asked: Conventions, run: Related, include: Include) -> list[JudgedRun | InputError]:
    """Judge a relation by several conventions, against which `order.refuse` has nothing.

    Args:
        asked: the judgements and the ordering of each convention.
        run: the run.
        include: which rows and columns there are to be.

    """
    counts = run.counts.select("query", "rows")
    return judge_batches(asked, run, [lambda qrels: _batch(qrels, run, run.scan, counts)], include)


def _batch(qrels: Qrels, run: Related, scan: Scan, counts: pl.DataFrame) -> "_Relation":
    """The rows of a relation beside judgements."""
    queries, places = counts["query"].to_list(), {query: place for place, query in enumerate(qrels.queries)}
    place = [places.get(query, len(places) + number) for number, query in enumerate(queries)]
    return _Relation(
        qrels=qrels,
        queries=queries,
        place=np.array(place, dtype=np.int64),
        lengths=counts["rows"].to_numpy().astype(np.int64),
        run=run,
        scan=scan,
    )


@dataclass(frozen=True, kw_only=True)
class _Relation(Batch):
    """All queries of a relation, whose rows stay in the engine."""

    run: Related
    scan: Scan
    """the rows that count"""
    listed: bool = False
    """whether each query is one row, with lists in which no document is there twice"""

    @property
    def column(self) -> str:  # type: ignore[override]
        """What the column of queries is called."""
        return self.scan.called

    def without(self, exclude: Exclusion) -> "_Relation":
        """The rows of all other documents."""
        return self._left(_without(self.scan, exclude, pl.Series("query", self.queries, dtype=pl.String)))

    def once(self, policy: Duplicates) -> "_Relation":
        """The rows that count of documents that a query has twice.

        Raises:
            InputError: `duplicate-document`.

        """
        if policy == "error":
            self.run.refuse_duplicates(self.scan)
            return replace(self, listed=self.scan is self.run.scan and self.run.is_listed)
        return self if policy in COUNTED else self._left(_once(self.scan, policy))

    def _left(self, scan: Scan) -> "_Relation":
        """Other rows."""
        return _batch(self.qrels, self.run, scan, scan.ask(_COUNTS).sort("query"))

    def compare(self, contradictions: Contradictions) -> None:
        """Look for lists whose scores contradict their order.

        Raises:
            InputError: `ambiguous-order`, where a query has several lists.

        """
        scan, lists = self.scan, self.scan.lists
        if self.run.unplaced:
            remedy = 'put all documents of a query into one list, or let scores decide: order="score" (--order score)'
            raise InputError("ambiguous-order", f"{scan.name}: {self.run.unplaced}", remedy=remedy)
        if lists is None or not lists.scores:
            return
        judged = pl.DataFrame({"query": pl.Series(self.qrels.queries, dtype=pl.String)})
        queries = as_held(judged, "query", scan.query_type)
        some = f"FROM {VIEW} WHERE {scan.id} IN (SELECT query FROM queries)"
        odd = {way: f"list_sort({lists.scores}, '{way}', 'NULLS LAST') <> {lists.scores}" for way in ("ASC", "DESC")}
        counts = f"count(*), count(*) FILTER ({odd['DESC']}), count(*) FILTER ({odd['ASC']})"
        total, contradictions.rising, falling = scan.given(f"SELECT {counts} {some}", queries, only=True).row(0)
        contradictions.queries, contradictions.falls = total, falling > 0
        if contradictions.rising:
            columns = f"{text(scan.id)} AS query, {lists.documents} AS documents, {lists.scores} AS scores"
            first = f"SELECT {columns} {some} AND ({odd['DESC']}) ORDER BY 1 LIMIT 1"
            query, documents, scores = scan.given(first, queries, only=True).row(0)
            place = next(place for place in range(1, len(scores)) if scores[place] > scores[place - 1])
            before, after = str(documents[place - 1]), str(documents[place])
            contradictions.example = query, before, scores[place - 1], after, scores[place]

    def ranked(self, include: Include) -> Callable[[Ordering], Columns]:
        """A function that ranks the documents that get a row."""
        places, elsewhere, named = Places(self.qrels, self.scan, self.listed), include.elsewhere, bool(include.shown)
        shown = [place for place, query in enumerate(self.qrels.queries) if query in include.shown]

        def rank(ordering: Ordering) -> Columns:
            if include.full:
                return columns_of(places.whole(ordering, None, elsewhere=elsewhere, named=named))
            if not named:
                return columns_of(places.hits(ordering))
            rows = places.whole(ordering, shown, elsewhere=False, named=True)
            others = places.hits(ordering, shown).with_columns(document=pl.lit(""), given=pl.lit(0.0))
            return columns_of(pl.concat([rows.select(others.columns), others], how="vertical_relaxed"))

        return rank


_COUNTS: Final = f"SELECT {text('query')} AS query, count(*) AS rows FROM run GROUP BY query"


def _without(scan: Scan, exclude: Exclusion, queries: pl.Series) -> Scan:
    """The rows of other documents than those that are excluded."""
    if exclude.label == SELF:
        alike = "query = document"
        if scan.query_type != scan.document_type:
            alike = f"{text('query')} = {text('document')}"
        return replace(scan, rows=f"SELECT * FROM ({scan.rows}) WHERE NOT ({alike})")
    number, documents = exclude.of_queries(queries.to_list())
    texts = pl.DataFrame({"query": queries.gather(number.tolist()), "document": documents.alias("document")})
    pairs = as_held(as_held(texts, "query", scan.query_type), "document", scan.document_type)
    rows = f"SELECT * FROM ({scan.rows}) ANTI JOIN others USING (query, document)"
    return replace(scan, rows=rows, others=pairs)


def _once(scan: Scan, policy: str) -> Scan:
    """One row for each document."""
    if not scan.has_position and not scan.has_ranks:
        rows = f"SELECT query, document, max(score) AS score FROM ({scan.rows}) GROUP BY query, document"
        return replace(scan, rows=rows)
    order = {"best": "score DESC", "first": "position ASC", "last": "position DESC"}[policy]
    if policy == "best":
        order += ", position ASC" if scan.has_position else ", rank ASC"
    window = f"row_number() OVER (PARTITION BY query, document ORDER BY {order}) = 1"
    return replace(scan, rows=f"SELECT * FROM ({scan.rows}) QUALIFY {window}")
