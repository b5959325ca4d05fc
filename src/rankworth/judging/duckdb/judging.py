"""Judging inside DuckDB: which rows of a relation count, and what comes out of it of those that are judged.

The judgements go in, with the number of each; judged documents are joined and their ranks are counted there, and only
they come out: documents that nobody judged have no names there. Ids are compared, as text, in those groups of equal
scores alone that hold a judged document.
"""

# ruff: noqa: S608 - all text is our own

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np
import polars as pl

from rankworth.errors import InputError, quoted
from rankworth.io.duplicates import COUNTED
from rankworth.judging.duckdb.relation import Related
from rankworth.judging.duckdb.scan import VIEW, Scan
from rankworth.judging.duckdb.sql import text
from rankworth.judging.exclusion import SELF, Exclusion
from rankworth.judging.judged_run import Columns, JudgedRun, columns_of, numbered
from rankworth.judging.order import Contradictions
from rankworth.judging.steps import Batch, Conventions, Include, judge_batches
from rankworth.judging.ties import whole
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


_FLOAT32: Final = """coalesce(
    CAST(TRY_CAST({0} AS FLOAT) AS DOUBLE), CASE WHEN {0} > 0 THEN 'inf' ELSE '-inf' END::DOUBLE)"""
_ONE_ZERO: Final = "(CASE WHEN {0} = 0 THEN 0.0 ELSE {0} END)"
_ORDERS: Final = {
    "id-descending": f"{text('document')} DESC",
    "id-ascending": f"{text('document')} ASC",
    "given": "position ASC",
    "given-reversed": "position DESC",
}
_FOUND: Final = ("place", "number", "positive", "first", "last", "rank")
_LISTED: Final = 4
"""how many times the memory of a number a judgement takes where lists are joined"""
_KNOWN: Final = "WHERE number IS NOT NULL"


@dataclass(frozen=True)
class Places:
    """The judgements as the engine holds them, and what it is asked of the rows that count.

    Attributes:
        qrels: the judgements.
        scan: the rows that count.
        listed: whether each query is one row, with lists in which no document is there twice.

    """

    qrels: Qrels
    scan: Scan
    listed: bool

    @cached_property
    def queries(self) -> pl.DataFrame:
        """The judged queries: `query, place`."""
        texts = pl.DataFrame({"query": pl.Series(self.qrels.queries, dtype=pl.String)}).with_row_index("place")
        return as_held(texts.with_columns(pl.col("place").cast(pl.Int64)), "query", self.scan.query_type)

    @cached_property
    def judged(self) -> pl.DataFrame:
        """The judgements likewise: `place, document, number`."""
        return as_held(numbered(self.qrels), "document", self.scan.document_type)

    def hits(self, ordering: Ordering, without: Collection[int] = ()) -> pl.DataFrame:
        """Judged documents: `place, number, positive, first, last, rank`.

        Args:
            ordering: what orders documents.
            without: places of queries that do not matter here.

        """
        queries = self.queries.filter(~pl.col("place").is_in(pl.Series(without, dtype=pl.Int64).implode()))
        if ordering.order != "score" and not self.listed:
            return self._by_order(ordering, queries, _KNOWN, "")
        find = self._in_lists if self.listed else self._counted
        rows = pl.concat([find(ordering, *part) for part in self._parts(queries)])
        if ordering.order != "score":
            return rows.select(_FOUND)
        return self._broken(ordering, rows.with_columns(pl.col("first").alias("rank")), _KNOWN, "").select(_FOUND)

    def whole(self, ordering: Ordering, some: Collection[int] | None, *, elsewhere: bool, named: bool) -> pl.DataFrame:
        """All documents, likewise.

        Args:
            ordering: what orders documents.
            some: places of queries; all judged ones where None.
            elsewhere: whether to tell which documents are judged for some query.
            named: whether ids and scores are wanted, too: `document, given`.

        """
        queries = self.queries
        if some is not None:
            queries = queries.filter(pl.col("place").is_in(pl.Series(some, dtype=pl.Int64).implode()))
        more = (", elsewhere" if elsewhere else "") + (", document, given" if named else "")
        if ordering.order != "score":
            return self._by_order(ordering, queries, "", more)
        windows = "rank() OVER standing AS first, count(*) OVER standing AS last"
        standing = "standing AS (PARTITION BY place ORDER BY score DESC)"
        every = f"SELECT place, number, positive{more}, score, {windows} FROM base WINDOW {standing}"
        base = f", base AS ({self._base(ordering, more)})"
        rows = self.scan.ask(f"{base} {every}", queries, self.judged, only=True)
        return self._broken(ordering, rows.with_columns(pl.col("first").alias("rank")), "", more)

    def _by_order(self, ordering: Ordering, queries: pl.DataFrame, kept: str, more: str) -> pl.DataFrame:
        """Documents that stand as they were given, or by the column of ranks."""
        order = "rank" if ordering.order == "rank" else "row_number() OVER (PARTITION BY place ORDER BY position ASC)"
        placed = ", position" if ordering.order == "rank" and self.scan.has_position else ""
        every = f"SELECT place, number, positive{more}, {order} AS rank{placed} FROM base"
        text = f", base AS ({self._base(ordering, more)}) SELECT * FROM ({every}) {kept}"
        rows = self.scan.ask(text, queries, self.judged, only=True)
        return self._alone(rows)

    def _parts(self, queries: pl.DataFrame) -> Iterator[tuple[pl.DataFrame, pl.DataFrame]]:
        """Some of the queries at a time, with their judgements: as many as memory holds; lists take more of it."""
        most = self.scan.at_once // (_LISTED if self.listed else 1)
        part = np.maximum(np.cumsum(self.qrels.lengths) - 1, 0) // most
        for number in range(int(part[-1]) + 1):
            first, last = np.searchsorted(part, [number, number + 1]).tolist()
            is_in = pl.col("place").is_between(first, last - 1)
            yield queries.filter(is_in), self.judged.filter(is_in)

    def _counted(self, ordering: Ordering, queries: pl.DataFrame, judged: pl.DataFrame) -> pl.DataFrame:
        """First and last ranks of judged documents: each row is sought among the scores of those of its query.

        Nothing is sorted or kept but two counters for each of these scores, however many rows there are.
        """
        score = _compared(ordering, "run.score")
        hits = self.scan.ask(
            f"""SELECT queries.place, judged.number, run.score > 0 AS positive, {score} AS score
            FROM run JOIN queries ON run.query = queries.query
            JOIN judged ON judged.place = queries.place AND judged.document = run.document""",
            queries,
            judged,
            only=True,
        )
        groups = hits.select("place", "score").unique().sort("place", "score", descending=[False, True])
        groups = groups.with_columns(pl.int_range(pl.len()).alias("group"))
        sought = (
            groups.group_by("place", maintain_order=True)
            .agg(
                pl.col("score").alias("scores"),
                pl.col("group").first().alias("start"),
                pl.col("score").last().alias("least"),
            )
            .join(queries, on="place")
        )
        longest = int(sought["scores"].list.len().max() or 0)  # type: ignore[arg-type]
        raw = score if ordering.score_type == "float32" else "run.score"  # zeros are alike here, whatever their signs
        base = f"SELECT {raw} AS score, scores, start, 0 AS above FROM run JOIN queries ON run.query = queries.query"
        base = f"{base} WHERE {raw} >= queries.least"
        step = 1 << max(longest.bit_length() - 1, 0)
        while step:
            more = f"CASE WHEN scores[above + {step}] > score THEN {step} ELSE 0 END"
            base = f"SELECT score, scores, start, above + {more} AS above FROM ({base})"
            step //= 2
        found = self.scan.ask(
            f"""SELECT key, count(*) AS rows FROM (
                SELECT 2 * (start + above) + CAST(scores[above + 1] = score AS BIGINT) AS key FROM ({base})
            ) GROUP BY key""",
            sought,
            only=True,
        )
        counts = np.zeros(2 * groups.height, dtype=np.int64)
        counts[found["key"].to_numpy()] = found["rows"].to_numpy()
        between, alike = np.cumsum(counts[0::2]), counts[1::2]
        up_to = between + np.cumsum(alike)
        start = groups.select(pl.col("group").first().over("place")).to_series().to_numpy()
        last = up_to - np.append(0, up_to)[start]
        groups = groups.with_columns(pl.Series("first", last - alike + 1), pl.Series("last", last))
        return hits.join(groups.drop("group"), on=["place", "score"])

    def _in_lists(self, ordering: Ordering, queries: pl.DataFrame, judged: pl.DataFrame) -> pl.DataFrame:
        """The same where each query is one row of lists: it is joined as it is, and only hits are made rows of."""
        rows = self.scan.given(self.in_lists(ordering), _asked_of_lists(queries, judged), only=True)
        if ordering.order == "score":
            return rows.with_columns(pl.col("first", "last").cast(pl.Int64))
        return self._alone(rows)

    def _alone(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Rows whose ranks are told; documents that share one stand by their positions.

        Raises:
            InputError: `bad-score`.

        """
        rank = pl.Series("rank", whole(rows["rank"].cast(pl.Float64).to_numpy()))
        rows = rows.with_columns(rank, rank.alias("first"), rank.alias("last"))
        shared = rows.filter(pl.struct({"place", "rank", "position"} & {*rows.columns}).is_duplicated())
        if shared.height:
            query = quoted([self.qrels.queries[shared["place"][0]]])
            text = f"{self.scan.name}: query {query} has the rank {shared['rank'][0]} again, and rows have no order"
            remedy = "mend the rank column, give rows a column position, or let scores decide: order='score'"
            raise InputError("bad-score", text, remedy=remedy)
        return rows.sort("position").drop("position") if "position" in rows.columns else rows

    def in_lists(self, ordering: Ordering) -> str:
        """What is asked of lists."""
        lists = self.scan.lists
        assert lists is not None  # noqa: S101 - for type checkers
        scores = f", {lists.scores} AS given" if lists.scores else ""
        scores += f", {lists.ranks} AS ranks" if lists.ranks else ""
        held = f"SELECT {self.scan.id} AS query, {lists.documents} AS documents{scores} FROM {VIEW}"
        joined = f"({held}) AS held JOIN queries ON held.query = queries.query"
        at = "[list_position(documents, one) FOR one IN wanted]"
        if not lists.scores:
            rows = f"SELECT place, unnest(numbers) AS number, unnest({at}) AS rank FROM {joined}"
            rest = ", -CAST(rank AS DOUBLE) AS score, rank AS first, rank AS last, false AS positive"
            return f"SELECT *{rest} FROM ({rows}) WHERE rank > 0"
        if ordering.order != "score":
            by_place = ordering.order == "given" or not lists.ranks
            ranks = "spots" if by_place else "[ranks[one] FOR one IN spots]"
            more = ", given" if by_place else ", given, ranks"
            found = f"SELECT place, numbers, {at} AS spots{more} FROM {joined}"
            scored = "[given[one] > 0 FOR one IN spots]"
            rows = f"unnest(numbers) AS number, unnest({scored}) AS positive, unnest({ranks}) AS rank"
            rows += ", unnest(spots) AS spot"
            return f"SELECT * RENAME (spot AS position) FROM (SELECT place, {rows} FROM ({found})) WHERE spot > 0"
        score = _compared(ordering, "one")
        found = f"SELECT place, numbers, {at} AS spots, given, [{score} FOR one IN given] AS scores FROM {joined}"
        falling = "list_sort(scores, 'DESC', 'NULLS LAST')"  # whatever order the connection prefers
        sorted_ = f"SELECT *, [scores[one] FOR one IN spots] AS own, {falling} AS falling FROM ({found})"
        first = "[list_position(falling, one) FOR one IN own]"
        last = "[len(falling) + 1 - list_position(rising, one) FOR one IN own]"
        turned = f"SELECT *, list_reverse(falling) AS rising FROM ({sorted_})"
        rows = (
            "unnest(numbers) AS number, unnest([given[one] > 0 FOR one IN spots]) AS positive, unnest(own) AS score, "
            f"unnest({first}) AS first, unnest({last}) AS last, unnest(spots) AS spot"
        )
        return f"SELECT * EXCLUDE (spot) FROM (SELECT place, {rows} FROM ({turned})) WHERE spot > 0"

    def _broken(self, ordering: Ordering, rows: pl.DataFrame, kept: str, more: str) -> pl.DataFrame:
        """The same with the ranks of documents in groups of equal scores, by their ids or their positions."""
        tied = rows.filter(pl.col("last") > pl.col("first"))
        if not tied.height:
            return rows
        groups = tied.select("place", "score", "first", "last").unique(("place", "score"))
        queries = self.queries.join(groups, on="place")
        base = f"base AS ({self._base(ordering, more, groups=True)})"
        rank = f'"first" - 1 + row_number() OVER (PARTITION BY place, score ORDER BY {_ORDERS[ordering.ties]})'
        every = f'SELECT place, number, positive{more}, score, "first", "last", {rank} AS rank FROM base'
        found = self.scan.ask(f", {base} SELECT * FROM ({every}) {kept}", queries, self.judged, only=True)
        return pl.concat([rows.filter(pl.col("last") == pl.col("first")), found.select(rows.columns)])

    def _base(self, ordering: Ordering, more: str, *, groups: bool = False) -> str:
        """The query for the rows of judged queries, or of some groups of equal scores, with what is known of each."""
        score = _compared(ordering, "run.score")
        parts = ["queries.place", "judged.number", "run.score > 0 AS positive", f"{score} AS score"]
        if "elsewhere" in more:
            parts.append("run.document IN (SELECT document FROM judged) AS elsewhere")
        by_position = ordering.order == "given" or ordering.ties in ("given", "given-reversed")
        if ordering.order == "rank":
            parts.append("run.rank")
        if by_position or (ordering.order == "rank" and self.scan.has_position):
            parts.append("run.position")
        if groups:
            parts += ['queries."first"', 'queries."last"']
        if "document" in more or (groups and not by_position):
            parts.append(f"{text('run.document')} AS document" if "document" in more else "run.document")
        if "given" in more:
            parts.append("run.score AS given")
        alike = f" AND queries.score = {score}" if groups else ""
        return (
            f"SELECT {', '.join(parts)} FROM run JOIN queries ON run.query = queries.query{alike} "
            "LEFT JOIN judged ON judged.place = queries.place AND judged.document = run.document"
        )


def _asked_of_lists(queries: pl.DataFrame, judged: pl.DataFrame) -> pl.DataFrame:
    """The judged documents of each query in one row: `query, place, wanted, numbers`."""
    columns = pl.col("document").alias("wanted"), pl.col("number").alias("numbers")
    return judged.group_by("place", maintain_order=True).agg(*columns).join(queries, on="place")


def _compared(ordering: Ordering, score: str) -> str:
    """Scores as they are compared, with one zero, whatever its sign."""
    return _ONE_ZERO.format(_FLOAT32.format(score) if ordering.score_type == "float32" else score)


def as_held(frame: pl.DataFrame, name: str, dtype: pl.DataType) -> pl.DataFrame:
    """Ids as the engine holds them; those that no integer is written like cannot be there."""
    if dtype == pl.String:
        return frame
    cast = pl.col(name).cast(dtype, strict=False)
    return frame.filter(cast.cast(pl.String) == pl.col(name)).with_columns(cast)
