"""Judging inside DuckDB: judged documents are joined and ranked there, and only they come out.

The judgements go in beforehand, with the number of each, and the ranks of hits are counted, or where there are many,
made by windows that sort three numbers for each row: documents that nobody judged have no names there. Ids are
compared, as text, in those groups of equal scores alone that hold a judged document.
"""

# ruff: noqa: S608 - all text is our own

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final

import numpy as np
import polars as pl

from rankworth.engines.related import Related
from rankworth.engines.scan import Scan, Stream
from rankworth.errors import InputError
from rankworth.io.duplicates import COUNTED
from rankworth.judging.assembly import Found, Judgement, Layout, assemble, nothing_left
from rankworth.judging.exclusion import SELF, Exclusion
from rankworth.judging.meeting import nothing_in_common
from rankworth.judging.settings import Ordering
from rankworth.judging.unordered import refuse_order
from rankworth.model import Qrels

_FLOAT32: Final = """coalesce(
    CAST(TRY_CAST({0} AS FLOAT) AS DOUBLE), CASE WHEN {0} > 0 THEN 'inf' ELSE '-inf' END::DOUBLE)"""
_PAIRS: Final = 8
"""how many hits a row may be compared with, on average, before all are sorted"""
_MARKS: Final = 1000
"""how many documents that are there twice are looked at, for a message"""
_ORDERS: Final = {
    "id-descending": "CAST(document AS VARCHAR) DESC",
    "id-ascending": "CAST(document AS VARCHAR)",
    "given": "position",
    "given-reversed": "position DESC",
}


def judge_all(
    asked: Sequence[tuple[Qrels, Ordering]], run: Related, layout: Layout = "compact", *, elsewhere: bool = False
) -> list[Judgement | InputError]:
    """Where the documents of a run stand, by several conventions.

    Args:
        asked: the judgements and the ordering of each convention.
        run: the run.
        layout: whether unjudged documents get rows, too; then all rows of judged queries come out.
        elsewhere: whether rows tell if a document is judged for some query; in the full layout only.

    Returns:
        One for each that is asked; what one convention refuses stands in its place.

    Raises:
        UsageError: `unknown-setting`, where an order of rows is asked for that nothing tells.

    """
    works: dict[tuple[int, Exclusion | None, str], _Work] = {}
    found: list[Judgement | InputError] = []
    for qrels, ordering in asked:
        if not run.scan.has_position and not (ordering.order == "rank" and run.has_ranks):
            refuse_order(ordering, without=("error", "best", *COUNTED), position=True)
        key = (id(qrels), ordering.exclude, ordering.duplicates)
        try:
            if key not in works:
                works[key] = _Work(qrels, run, ordering, layout, elsewhere=elsewhere)
            found.append(works[key].judgement(ordering))
        except InputError as error:
            found.append(error)
    return found


@dataclass(frozen=True)
class _Work:
    """The conventions that leave out the same rows."""

    qrels: Qrels
    run: Related
    first: Ordering
    layout: Layout
    elsewhere: bool = False
    left_out: dict[str, Any] = field(default_factory=dict)
    untied: list[Judgement] = field(default_factory=list)
    """those without ties, which conventions share that differ in nothing but how ties are broken"""

    @cached_property
    def queries(self) -> pl.DataFrame:
        """The judged queries as the engine holds them: `query, place`."""
        texts = pl.DataFrame({"query": pl.Series(self.qrels.queries, dtype=pl.String)}).with_row_index("place")
        return _cast(texts.with_columns(pl.col("place").cast(pl.Int64)), "query", self.run.scan.query)

    @cached_property
    def judged(self) -> pl.DataFrame:
        """The judgements likewise: `place, document, number`."""
        qrels = self.qrels
        place = np.repeat(np.arange(len(qrels)), qrels.lengths)
        texts = pl.DataFrame({"place": place, "document": qrels.document_series, "number": np.arange(place.size)})
        return _cast(texts, "document", self.run.scan.document)

    @cached_property
    def rows(self) -> tuple[Scan, pl.DataFrame, Stream | None]:
        """The rows that count, how many each query has of them, and the pairs that are taken out."""
        scan, counts, ordering = self.run.scan, self.run.counts.select("query", "rows"), self.first
        self.left_out.update(excluded=0, repeated=0, emptied=())
        others = None
        if ordering.exclude is not None:
            scan, others = _without(scan, ordering.exclude, counts["query"])
            left = scan.ask(_COUNTS, others=others)
            emptied = counts.join(left, on="query", how="anti")["query"].to_list()
            self.left_out.update(excluded=self._of_judged(counts) - self._of_judged(left), emptied=emptied)
            counts = left
        if ordering.duplicates == "error":
            self._refuse_duplicates(scan, others)
        elif ordering.duplicates not in COUNTED:
            scan = _once(scan, ordering.duplicates)
            left = scan.ask(_COUNTS, others=others)
            self.left_out.update(repeated=self._of_judged(counts) - self._of_judged(left))
            counts = left
        return scan, counts, others

    def judgement(self, ordering: Ordering) -> Judgement:
        """The run as one convention judges it.

        Raises:
            InputError: `duplicate-document`, `no-common-queries`, `empty-input`, `bad-score`.

        """
        qrels, (_, counts, _) = self.qrels, self.rows
        places = pl.DataFrame({"query": pl.Series(qrels.queries, dtype=pl.String), "place": np.arange(len(qrels))})
        known = counts.join(places, on="query")
        if not known.height:
            if self.left_out["excluded"]:
                raise nothing_left(ordering.exclude, self.run.name)
            raise nothing_in_common(qrels, sorted(counts["query"].to_list()), self.run.name)
        n_retrieved = np.zeros(len(qrels), dtype=np.int64)
        n_retrieved[known["place"].to_numpy()] = known["rows"].to_numpy()
        others = counts.join(places, on="query", how="anti").sort("query")
        unjudged = dict(zip(others["query"].to_list(), others["rows"].to_list(), strict=True))
        rows = self._stood(ordering)
        found = Found(
            query=rows["place"].to_numpy(),
            rank=rows["rank"].to_numpy(),
            first=rows["first"].to_numpy(),
            last=rows["last"].to_numpy(),
            judgement=rows["number"].fill_null(-1).to_numpy(),
            positive=rows["positive"].to_numpy(),
            elsewhere=rows["elsewhere"].to_numpy() if "elsewhere" in rows.columns else None,
        )
        judgement = assemble(qrels, found, n_retrieved, unjudged, duplicates=ordering.duplicates, **self.left_out)
        if ordering.order != "score" or (rows["last"] > rows["first"]).any():
            return judgement
        for other in self.untied:
            if np.array_equal(other.hits.rank, judgement.hits.rank) and _alike(other, judgement):
                return other
        self.untied.append(judgement)
        return judgement

    def _of_judged(self, counts: pl.DataFrame) -> int:
        """How many rows of some counts belong to judged queries."""
        judged = pl.Series(self.qrels.queries, dtype=pl.String)
        return int(counts.filter(pl.col("query").is_in(judged.implode()))["rows"].sum())

    def _refuse_duplicates(self, scan: Scan, others: Stream | None) -> None:
        """Look for documents that a query ranks twice: by hashes, then by the ids of those that are alike.

        Where memory is short, the rows are looked at in several passes, each of which holds some of the queries.
        """
        passes = self.run.scan.passes(int(self.run.counts["rows"].sum()))
        hashed = "SELECT hash(query, document) AS mark FROM run"
        for number in range(passes):
            some = f"WHERE hash(query) % {passes} = {number}" if passes > 1 else ""
            again = f"{hashed} {some} GROUP BY mark HAVING count(*) > 1 LIMIT {_MARKS}"
            marks = scan.ask(again, others=others).to_series().to_list()
            if not marks:
                continue
            twice = scan.ask(
                f"""SELECT CAST(query AS VARCHAR) AS query, CAST(document AS VARCHAR) AS document, times FROM (
                SELECT query, document, count(*) AS times FROM run
                WHERE hash(query, document) IN ({", ".join(map(str, marks))})
                GROUP BY query, document HAVING times > 1) ORDER BY query, document""",
                others=others,
            )
            if twice.height:
                raise self.run.repeated(twice)

    def _stood(self, ordering: Ordering) -> pl.DataFrame:
        """`place, number, positive, first, last, rank` of every document that gets a row."""
        scan, _, others = self.rows
        tables = {"queries": Stream(self.queries), "judged": Stream(self.judged)}
        kept = "" if self.layout == "full" else "WHERE number IS NOT NULL"
        seen = ", elsewhere" if self.elsewhere and self.layout == "full" else ""
        base = f"base AS ({self._base(ordering, seen)})"
        plain = f"place, number, positive{seen}"
        if ordering.order != "score":
            order = "rank" if ordering.order == "rank" else "row_number() OVER (PARTITION BY place ORDER BY position)"
            every = f"SELECT {plain}, {order} AS rank FROM base"
            rows = scan.ask(f", {base} SELECT * FROM ({every}) {kept}", **tables, others=others)
            rank = _whole(rows["rank"]).alias("rank")
            return rows.with_columns(rank, rank.alias("first"), rank.alias("last"))
        few = None if self.layout == "full" else self._counted(ordering)
        if few is None:
            windows = "rank() OVER standing AS first, count(*) OVER standing AS last"
            standing = "standing AS (PARTITION BY place ORDER BY score DESC)"
            every = f"SELECT {plain}, score, {windows} FROM base WINDOW {standing}"
            few = scan.ask(f", {base} SELECT * FROM ({every}) {kept}", **tables, others=others)
        rows = few.with_columns(pl.col("first").alias("rank"))
        tied = rows.filter(pl.col("last") > pl.col("first"))
        if not tied.height:
            return rows
        return pl.concat([rows.filter(pl.col("last") == pl.col("first")), self._broken(ordering, tied, seen)])

    def _counted(self, ordering: Ordering) -> pl.DataFrame | None:
        """First and last ranks by looking at every row for every hit of its query; None where hits are too many.

        Nothing is sorted or kept but a counter for each hit: for few hits quicker than windows, and without memory.
        """
        scan, counts, others = self.rows
        query = f", base AS ({self._base(ordering, '')}) SELECT * FROM base WHERE number IS NOT NULL"
        rows = scan.ask(query, Stream(self.queries), Stream(self.judged), others=others)
        groups = rows.select("place", "score").unique().with_row_index("number")
        queries = self.queries.join(groups, on="place")
        texts = queries.select(pl.col("query").cast(pl.String)).join(counts, on="query")
        if int(texts["rows"].sum()) > _PAIRS * int(counts["rows"].sum()):
            return None
        score = _compared(ordering)
        stood = scan.ask(
            f"""SELECT queries.number, count(*) FILTER ({score} > queries.score) + 1 AS first,
            count(*) FILTER ({score} >= queries.score) AS last
            FROM run JOIN queries ON run.query = queries.query GROUP BY queries.number""",
            Stream(queries),
            others=others,
        )
        ranks = groups.join(stood, on="number").select("place", "score", "first", "last")
        return rows.join(ranks, on=["place", "score"]).select("place", "number", "positive", "score", "first", "last")

    def _broken(self, ordering: Ordering, tied: pl.DataFrame, seen: str) -> pl.DataFrame:
        """The same for documents in groups of equal scores, in the order of their ids or their positions."""
        scan, _, others = self.rows
        groups = tied.select("place", "score", "first", "last").unique(("place", "score"))
        queries = self.queries.join(groups, on="place")
        base = f"base AS ({self._base(ordering, seen, groups=True)})"
        rank = f'"first" - 1 + row_number() OVER (PARTITION BY place, score ORDER BY {_ORDERS[ordering.ties]})'
        every = f'SELECT place, number, positive{seen}, score, "first", "last", {rank} AS rank FROM base'
        kept = "" if self.layout == "full" else "WHERE number IS NOT NULL"
        rows = scan.ask(f", {base} SELECT * FROM ({every}) {kept}", Stream(queries), Stream(self.judged), others=others)
        return rows.select(tied.columns)

    def _base(self, ordering: Ordering, seen: str, *, groups: bool = False) -> str:
        """The query for the rows of judged queries, or of some groups of equal scores, with what is known of each."""
        score = _compared(ordering)
        parts = ["queries.place", "judged.number", "run.score > 0 AS positive", f"{score} AS score"]
        if seen:
            parts.append("run.document IN (SELECT document FROM judged) AS elsewhere")
        by_position = ordering.order == "given" or ordering.ties in ("given", "given-reversed")
        if ordering.order == "rank":
            parts.append("run.rank")
        elif by_position:
            parts.append("run.position")
        if groups:
            parts += ['queries."first"', 'queries."last"', *([] if by_position else ["run.document"])]
        alike = f" AND queries.score = {score}" if groups else ""
        return (
            f"SELECT {', '.join(parts)} FROM run JOIN queries ON run.query = queries.query{alike} "
            "LEFT JOIN judged ON judged.place = queries.place AND judged.document = run.document"
        )


_COUNTS: Final = "SELECT CAST(query AS VARCHAR) AS query, count(*) AS rows FROM run GROUP BY query ORDER BY query"


def _alike(one: Judgement, other: Judgement) -> bool:
    """Whether two judged runs have the same documents in their rows."""
    return one.hits.judgement is not None and np.array_equal(one.hits.judgement, np.asarray(other.hits.judgement))


def _compared(ordering: Ordering) -> str:
    """Scores as they are compared, with one zero, whatever its sign."""
    score = _FLOAT32.format("run.score") if ordering.score_type == "float32" else "run.score"
    return f"(CASE WHEN {score} = 0 THEN 0.0 ELSE {score} END)"


def _cast(frame: pl.DataFrame, name: str, dtype: pl.DataType) -> pl.DataFrame:
    """Ids as the engine holds them; those that no integer is written like cannot be there."""
    if dtype == pl.String:
        return frame
    cast = pl.col(name).cast(dtype, strict=False)
    return frame.filter(cast.cast(pl.String) == pl.col(name)).with_columns(cast)


def _without(scan: Scan, exclude: Exclusion, queries: pl.Series) -> tuple[Scan, Stream | None]:
    """The rows of other documents than those that are excluded, and the table of these."""
    if exclude.label == SELF:
        alike = "query = document"
        if scan.query != scan.document:
            alike = "CAST(query AS VARCHAR) = CAST(document AS VARCHAR)"
        return replace(scan, rows=f"SELECT * FROM ({scan.rows}) WHERE NOT ({alike})"), None
    number, documents = exclude.of_queries(queries.to_list())
    texts = pl.DataFrame({"query": queries.gather(number.tolist()), "document": documents.alias("document")})
    pairs = _cast(_cast(texts, "query", scan.query), "document", scan.document)
    return replace(scan, rows=f"SELECT * FROM ({scan.rows}) ANTI JOIN others USING (query, document)"), Stream(pairs)


def _once(scan: Scan, policy: str) -> Scan:
    """One row for each document."""
    if not scan.has_position and not scan.has_ranks:
        rows = f"SELECT query, document, max(score) AS score FROM ({scan.rows}) GROUP BY query, document"
        return replace(scan, rows=rows)
    order = {"best": "score DESC", "first": "position", "last": "position DESC"}[policy]
    if policy == "best" and scan.has_position:
        order += ", position"
    window = f"row_number() OVER (PARTITION BY query, document ORDER BY {order}) = 1"
    return replace(scan, rows=f"SELECT * FROM ({scan.rows}) QUALIFY {window}")


def _whole(ranks: pl.Series) -> pl.Series:
    """Ranks of a rank column.

    Raises:
        InputError: `bad-score`.

    """
    bad = ranks.filter((ranks < 1) | (ranks.cast(pl.Float64) != ranks.cast(pl.Float64).floor()))
    if bad.len():
        text = f"a document has the rank {bad[0]:g}; ranks are whole numbers from 1"
        raise InputError("bad-score", text, remedy="mend the rank column, or let scores decide: order='score'")
    return ranks.cast(pl.Int64)
