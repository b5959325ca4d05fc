"""Judging inside DuckDB: the rows of a relation that count, and the ranks of those that are judged.

The judgements go in, with the number of each; judged documents are joined and their ranks are counted there, and only
they come out: documents that nobody judged have no names there. Ids are compared, as text, in those groups of equal
scores alone that hold a judged document.
"""

# ruff: noqa: S608 - all text is our own

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np
import polars as pl

from rankworth.errors import InputError, quoted
from rankworth.io.duplicates import COUNTED
from rankworth.judging.duckdb.relation import Related
from rankworth.judging.duckdb.scan import Scan, text
from rankworth.judging.exclusion import SELF, Exclusion
from rankworth.judging.judged_run import Columns, JudgedRun, columns_of, numbered
from rankworth.judging.order import Contradictions
from rankworth.judging.steps import Batch, Conventions, Include, judge_batches
from rankworth.judging.ties import whole
from rankworth.model import Qrels
from rankworth.settings import Duplicates, Ordering

_FLOAT32: Final = """coalesce(
    CAST(TRY_CAST({0} AS FLOAT) AS DOUBLE), CASE WHEN {0} > 0 THEN 'inf' ELSE '-inf' END::DOUBLE)"""
_ORDERS: Final = {
    "id-descending": f"{text('document')} DESC",
    "id-ascending": f"{text('document')} ASC",
    "given": "position ASC",
    "given-reversed": "position DESC",
}


def judge_all(asked: Conventions, run: Related, include: Include) -> list[JudgedRun | InputError]:
    """Judge a relation by several conventions, which `order.refuse` accepts.

    Args:
        asked: the judgements and the ordering of each convention.
        run: the run.
        include: which rows and columns there are to be.

    """
    counts = run.counts.select("query", "rows")
    return judge_batches(asked, run, [lambda qrels: _batch(qrels, run, run.scan, counts)], include)


def _batch(qrels: Qrels, run: Related, scan: Scan, counts: pl.DataFrame) -> "_RelationBatch":
    """The rows of a relation beside judgements."""
    queries, places = counts["query"].to_list(), {query: place for place, query in enumerate(qrels.queries)}
    place = [places.get(query, len(places) + number) for number, query in enumerate(queries)]
    lengths = counts["rows"].to_numpy().astype(np.int64)
    return _RelationBatch(
        qrels=qrels, queries=queries, place=np.array(place, dtype=np.int64), lengths=lengths, run=run, scan=scan
    )


@dataclass(frozen=True, kw_only=True)
class _RelationBatch(Batch):
    """All queries of a relation, whose rows stay in the engine."""

    run: Related
    scan: Scan
    """the rows that count"""

    @property
    def column(self) -> str:  # type: ignore[override]
        """What the column of queries is called."""
        return self.scan.called

    def without(self, exclude: Exclusion) -> "_RelationBatch":
        """The rows of all other documents."""
        scan = self.scan
        if exclude.label == SELF:
            alike = "query = document"
            if scan.query_type != scan.document_type:
                alike = f"{text('query')} = {text('document')}"
            return self._left(replace(scan, rows=f"SELECT * FROM ({scan.rows}) WHERE NOT ({alike})"))
        number, documents = exclude.of_queries(self.queries)
        queries = pl.Series("query", self.queries, dtype=pl.String).gather(number.tolist())
        pairs = _as_held(pl.DataFrame({"query": queries, "document": documents}), "query", scan.query_type)
        rows = f"SELECT * FROM ({scan.rows}) ANTI JOIN others USING (query, document)"
        return self._left(replace(scan, rows=rows, others=_as_held(pairs, "document", scan.document_type)))

    def once(self, policy: Duplicates) -> "_RelationBatch":
        """The rows that count of documents that a query has twice.

        Raises:
            InputError: `duplicate-document`.

        """
        scan = self.scan
        if policy == "error":
            self.run.refuse_duplicates(scan)
        if policy == "error" or policy in COUNTED:
            return self
        if not scan.has_position and not scan.has_ranks:
            rows = f"SELECT query, document, max(score) AS score FROM ({scan.rows}) GROUP BY query, document"
            return self._left(replace(scan, rows=rows))
        earlier = "position ASC" if scan.has_position else "rank ASC"
        order = {"best": f"score DESC, {earlier}", "first": "position ASC", "last": "position DESC"}[policy]
        window = f"row_number() OVER (PARTITION BY query, document ORDER BY {order}) = 1"
        return self._left(replace(scan, rows=f"SELECT * FROM ({scan.rows}) QUALIFY {window}"))

    def _left(self, scan: Scan) -> "_RelationBatch":
        """The rows that are left."""
        counts = scan.ask(f" SELECT {text('query')} AS query, count(*) AS rows FROM run GROUP BY query")
        return _batch(self.qrels, self.run, scan, counts.sort("query"))

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
        some = f"FROM source WHERE {scan.id} IN (SELECT query FROM queries)"
        rising, falling = (
            f"list_sort({lists.scores}, '{way}', 'NULLS LAST') <> {lists.scores}" for way in ("DESC", "ASC")
        )
        counts = f" SELECT count(*), count(*) FILTER ({rising}), count(*) FILTER ({falling}) {some}"
        total, contradictions.rising, falls = scan.ask(counts, self._queries, only=True).row(0)
        contradictions.queries, contradictions.falls = total, falls > 0
        if contradictions.rising:
            columns = f"{text(scan.id)} AS query, {lists.documents} AS documents, {lists.scores} AS scores"
            first = f" SELECT {columns} {some} AND ({rising}) ORDER BY 1 LIMIT 1"
            query, documents, scores = scan.ask(first, self._queries, only=True).row(0)
            after = next(place for place in range(1, len(scores)) if scores[place] > scores[place - 1])
            before = after - 1
            contradictions.example = query, str(documents[before]), scores[before], str(documents[after]), scores[after]

    def ranked(self, include: Include) -> Callable[[Ordering], Columns]:
        """A function that ranks the documents that get a row."""
        shown = [place for place, query in enumerate(self.qrels.queries) if query in include.shown]
        is_shown = pl.col("place").is_in(pl.Series(shown, dtype=pl.Int64).implode())
        more = ["elsewhere"] if include.elsewhere and include.full else []
        more += ["document", "given"] if include.shown else []

        def rank(ordering: Ordering) -> Columns:
            if include.full:
                return columns_of(self._whole(ordering, self._queries, more))
            if not include.shown:
                return columns_of(self._hits(ordering, self._queries))
            rows = self._whole(ordering, self._queries.filter(is_shown), more)
            others = self._hits(ordering, self._queries.filter(~is_shown))
            others = others.with_columns(document=pl.lit(""), given=pl.lit(0.0))
            return columns_of(pl.concat([rows.select(others.columns), others], how="vertical_relaxed"))

        return rank

    @cached_property
    def _queries(self) -> pl.DataFrame:
        """The judged queries: `query, place`."""
        ids = pl.Series("query", self.qrels.queries, dtype=pl.String)
        return _as_held(pl.DataFrame({"query": ids, "place": np.arange(len(ids))}), "query", self.scan.query_type)

    @cached_property
    def _judged(self) -> pl.DataFrame:
        """The judgements: `place, document, number`."""
        return _as_held(numbered(self.qrels), "document", self.scan.document_type)

    def _whole(self, ordering: Ordering, queries: pl.DataFrame, more: Collection[str]) -> pl.DataFrame:
        """All documents: `place, number, positive, first, last, rank`.

        Args:
            ordering: what orders documents.
            queries: those whose documents are wanted.
            more: further columns: `elsewhere`, whether a document is judged for some query, `document`, `given`.

        """
        if ordering.order != "score":
            return self._by_order(ordering, queries, more)
        windows = "rank() OVER same AS first, count(*) OVER same AS last"
        same = "same AS (PARTITION BY place ORDER BY score DESC)"
        columns = ", ".join(("place, number, positive, score", *more))
        query = f", base AS ({self._base(ordering, more)}) SELECT {columns}, {windows} FROM base WINDOW {same}"
        rows = self.scan.ask(query, queries, self._judged, only=True)
        return self._broken(ordering, rows.with_columns(rank=pl.col("first")), more)

    def _hits(self, ordering: Ordering, queries: pl.DataFrame) -> pl.DataFrame:
        """Judged documents, as `_whole` gives all.

        Each row is sought among the scores of those of its query: nothing is sorted or kept but two counters for each
        of these scores, however many rows there are.
        """
        if ordering.order != "score":
            return self._by_order(ordering, queries, (), only_judged=True)
        judged = self._judged
        score = _compared(ordering, "run.score")
        hits = self.scan.ask(
            f""" SELECT queries.place, judged.number, run.score > 0 AS positive, {score} AS score
            FROM run JOIN queries ON run.query = queries.query
            JOIN judged ON judged.place = queries.place AND judged.document = run.document""",
            queries,
            judged,
            only=True,
        )
        groups = hits.select("place", "score").unique().sort("place", "score", descending=[False, True])
        groups = groups.with_row_index("group").with_columns(pl.col("group").cast(pl.Int64))
        scores, start = pl.col("score").alias("scores"), pl.col("group").first().alias("start")
        least = pl.col("score").last().alias("least")
        sought = groups.group_by("place", maintain_order=True).agg(scores, start, least).join(queries, on="place")
        raw = score if ordering.score_type == "float32" else "run.score"  # zeros are alike here, whatever their signs
        base = f"SELECT {raw} AS score, scores, start, 0 AS above FROM run JOIN queries ON run.query = queries.query"
        base = f"{base} WHERE {raw} >= queries.least"
        longest = int(sought["scores"].list.len().max() or 0)  # type: ignore[arg-type]
        for power in reversed(range(longest.bit_length())):
            more = f"CASE WHEN scores[above + {1 << power}] > score THEN {1 << power} ELSE 0 END"
            base = f"SELECT score, scores, start, above + {more} AS above FROM ({base})"
        key = "2 * (start + above) + CAST(scores[above + 1] = score AS BIGINT) AS key"
        query = f" SELECT key, count(*) AS rows FROM (SELECT {key} FROM ({base})) GROUP BY key"
        counted = self.scan.ask(query, sought, only=True)
        counts = np.zeros(2 * groups.height, dtype=np.int64)
        counts[counted["key"].to_numpy()] = counted["rows"].to_numpy()
        between, alike = np.cumsum(counts[0::2]), counts[1::2]
        up_to = between + np.cumsum(alike)
        last = up_to - np.append(0, up_to)[groups.select(start.over("place")).to_series().to_numpy()]
        groups = groups.with_columns(pl.Series("first", last - alike + 1), pl.Series("last", last))
        rows = hits.join(groups.drop("group"), on=["place", "score"]).with_columns(rank=pl.col("first"))
        return self._broken(ordering, rows, (), only_judged=True)

    def _by_order(
        self, ordering: Ordering, queries: pl.DataFrame, more: Collection[str], *, only_judged: bool = False
    ) -> pl.DataFrame:
        """Documents in the order of the rows, or by the column of ranks, where positions order those that share one.

        Raises:
            InputError: `bad-score`.

        """
        by_rank = ordering.order == "rank"
        rank = "rank" if by_rank else "row_number() OVER (PARTITION BY place ORDER BY position ASC) AS rank"
        if not by_rank and self.scan.lists is not None and self.scan is self.run.scan:
            rank = "position AS rank"  # of whole lists, of which each query has one
        columns = [
            "place, number, positive",
            *more,
            rank,
            *(["position"] if by_rank and self.scan.has_position else []),
        ]
        query = f", base AS ({self._base(ordering, more)}) SELECT * FROM (SELECT {', '.join(columns)} FROM base)"
        known = " WHERE number IS NOT NULL" if only_judged else ""
        rows = self.scan.ask(query + known, queries, self._judged, only=True)
        ranks = pl.Series("rank", whole(rows["rank"].cast(pl.Float64).to_numpy()))
        rows = rows.with_columns(ranks, ranks.alias("first"), ranks.alias("last"))
        shared = rows.filter(pl.struct({"place", "rank", "position"} & {*rows.columns}).is_duplicated())
        if shared.height:
            name = quoted([self.qrels.queries[shared["place"][0]]])
            message = f"{self.scan.name}: query {name} has the rank {shared['rank'][0]} again, and rows have no order"
            remedy = "mend the rank column, give rows a column position, or let scores decide: order='score'"
            raise InputError("bad-score", message, remedy=remedy)
        return rows.sort("position").drop("position") if "position" in rows.columns else rows

    def _broken(
        self, ordering: Ordering, rows: pl.DataFrame, more: Collection[str], *, only_judged: bool = False
    ) -> pl.DataFrame:
        """Ranks by ids or positions within groups of equal scores."""
        tied = rows.filter(pl.col("last") > pl.col("first"))
        if not tied.height:
            return rows.drop("score")
        queries = self._queries.join(
            tied.select("place", "score", "first", "last").unique(("place", "score")), on="place"
        )
        base = f"base AS ({self._base(ordering, more, groups=True)})"
        rank = f'"first" - 1 + row_number() OVER (PARTITION BY place, score ORDER BY {_ORDERS[ordering.ties]}) AS rank'
        columns = ", ".join(("place, number, positive", *more, '"first", "last"', rank))
        known = " WHERE number IS NOT NULL" if only_judged else ""
        query = f", {base} SELECT * FROM (SELECT {columns} FROM base){known}"
        ranked = self.scan.ask(query, queries, self._judged, only=True)
        alone = rows.filter(pl.col("last") == pl.col("first")).drop("score")
        return pl.concat([alone, ranked.select(alone.columns)])

    def _base(self, ordering: Ordering, more: Collection[str], *, groups: bool = False) -> str:
        """The query for the rows of judged queries, or of some groups of equal scores, with what is known of each."""
        score = _compared(ordering, "run.score")
        by_position = ordering.order == "given" or ordering.ties in ("given", "given-reversed")
        parts = {
            "place": "queries.place",
            "number": "judged.number",
            "positive": "run.score > 0",
            "score": score,
            "elsewhere": "run.document IN (SELECT document FROM judged)" if "elsewhere" in more else "",
            "rank": "run.rank" if ordering.order == "rank" else "",
            "position": "run.position" if by_position or (ordering.order == "rank" and self.scan.has_position) else "",
            "first": "queries.first" if groups else "",
            "last": "queries.last" if groups else "",
            "document": "",
            "given": "run.score" if "given" in more else "",
        }
        if "document" in more or (groups and not by_position):
            parts["document"] = text("run.document") if "document" in more else "run.document"
        alike = f" AND queries.score = {score}" if groups else ""
        return (
            f"SELECT {', '.join(f'{column} AS {name}' for name, column in parts.items() if column)} "
            f"FROM run JOIN queries ON run.query = queries.query{alike} "
            "LEFT JOIN judged ON judged.place = queries.place AND judged.document = run.document"
        )


def _compared(ordering: Ordering, score: str) -> str:
    """Scores as they are compared, with one zero, whatever its sign."""
    number = _FLOAT32.format(score) if ordering.score_type == "float32" else score
    return f"(CASE WHEN {number} = 0 THEN 0.0 ELSE {number} END)"


def _as_held(frame: pl.DataFrame, name: str, dtype: pl.DataType) -> pl.DataFrame:
    """Ids as the engine holds them; those that no integer is written like cannot be there."""
    if dtype == pl.String:
        return frame
    cast = pl.col(name).cast(dtype, strict=False)
    return frame.filter(cast.cast(pl.String) == pl.col(name)).with_columns(cast)
