"""Where documents of a relation stand, asked of DuckDB: counted among rows or in lists; ids decide where scores tie."""

# ruff: noqa: S608 - all text is our own

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
import polars as pl

from rankworth.errors import InputError, quoted
from rankworth.judging.duckdb.scan import VIEW, Scan
from rankworth.judging.duckdb.sql import text
from rankworth.judging.judged_run import numbered
from rankworth.judging.ties import whole
from rankworth.model import Qrels
from rankworth.settings import Ordering

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
