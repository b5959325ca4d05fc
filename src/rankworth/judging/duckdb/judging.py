"""Judging inside DuckDB: which rows of a relation count, and what comes out of it of those that are judged.

The judgements go in, with the number of each; judged documents are joined and their ranks are counted there, and only
they come out: documents that nobody judged have no names there. Ids are compared, as text, in those groups of equal
scores alone that hold a judged document.
"""

# ruff: noqa: S608 - all text is our own

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final

import numpy as np
import polars as pl

from rankworth.errors import InputError
from rankworth.io.duplicates import COUNTED
from rankworth.io.reading import Lists
from rankworth.judging.duckdb.ranks import Places, as_held
from rankworth.judging.duckdb.relation import Related
from rankworth.judging.duckdb.scan import VIEW, Scan
from rankworth.judging.duckdb.sql import text
from rankworth.judging.exclusion import SELF, Exclusion
from rankworth.judging.judged_run import Found, JudgedRun, Layout, assemble, nothing_left
from rankworth.judging.order import Contradictions, settled
from rankworth.judging.overlap import nothing_in_common
from rankworth.model import Qrels
from rankworth.settings import Ordering


def judge_all(
    asked: Sequence[tuple[Qrels, Ordering]],
    run: Related,
    layout: Layout = "compact",
    *,
    elsewhere: bool = False,
    shown: Collection[str] = (),
) -> list[JudgedRun | InputError]:
    """Where the documents of a run stand, by several conventions.

    Args:
        asked: the judgements and the ordering of each convention; `order.refuse` has nothing against them.
        run: the run.
        layout: whether unjudged documents get rows, too; then all rows of judged queries come out.
        elsewhere: whether rows tell if a document is judged for some query; in the full layout only.
        shown: queries of which all documents get rows, with ids and scores.

    Returns:
        One for each that is asked; what one convention refuses stands in its place.

    Raises:
        InputError: where the run cannot be trusted by any.

    """
    run.counts  # noqa: B018 - looks at all rows
    works: dict[tuple[int, Exclusion | None, str], _Work] = {}
    found: list[JudgedRun | InputError] = []
    contrary: dict[int, InputError | None] = {}
    for qrels, one in asked:
        ordering = settled(one, run.lists)
        key = (id(qrels), ordering.exclude, ordering.duplicates)
        try:
            if one.order == "auto" and run.lists is not None:
                if id(qrels) not in contrary:
                    contrary[id(qrels)] = _contrary(qrels, run, run.lists)
                if (error := contrary[id(qrels)]) is not None:
                    raise error
            if key not in works:
                works[key] = _Work(qrels, run, ordering, layout, elsewhere, shown)
            found.append(works[key].judgement(ordering))
        except InputError as error:
            found.append(error)
    return found


def _contrary(qrels: Qrels, run: Related, come: Lists) -> InputError | None:
    """The error where a query has several lists, or their scores contradict their order."""
    lists = run.scan.lists
    if run.unplaced:
        remedy = 'put all documents of a query into one list, or let scores decide: order="score" (--order score)'
        return InputError("ambiguous-order", f"{run.scan.name}: {run.unplaced}", remedy=remedy)
    if lists is None or not lists.scores:
        return None
    queries = as_held(pl.DataFrame({"query": pl.Series(qrels.queries, dtype=pl.String)}), "query", run.scan.query_type)
    some = f"FROM {VIEW} WHERE {run.scan.id} IN (SELECT query FROM queries)"
    sorted_ = {way: f"list_sort({lists.scores}, '{way}', 'NULLS LAST') <> {lists.scores}" for way in ("ASC", "DESC")}
    counts = f"count(*), count(*) FILTER ({sorted_['DESC']}), count(*) FILTER ({sorted_['ASC']})"
    total, rising, falling = run.scan.given(f"SELECT {counts} {some}", queries, only=True).row(0)
    found = Contradictions(total, rising, falling > 0)
    if rising:
        columns = f"{text(run.scan.id)} AS query, {lists.documents} AS documents, {lists.scores} AS scores"
        first = f"SELECT {columns} {some} AND ({sorted_['DESC']}) ORDER BY 1 LIMIT 1"
        query, documents, scores = run.scan.given(first, queries, only=True).row(0)
        place = next(place for place in range(1, len(scores)) if scores[place] > scores[place - 1])
        before, after = str(documents[place - 1]), str(documents[place])
        found.example = query, before, scores[place - 1], after, scores[place]
    return found.error(run.name, come)


@dataclass(frozen=True)
class _Work:
    """The conventions that leave out the same rows."""

    qrels: Qrels
    run: Related
    first: Ordering
    layout: Layout
    elsewhere: bool
    shown: Collection[str]
    left_out: dict[str, Any] = field(default_factory=dict)
    untied: list[JudgedRun] = field(default_factory=list)
    """those without ties, which conventions share that differ in nothing but how ties are broken"""

    @cached_property
    def rows(self) -> tuple[Places, pl.DataFrame]:
        """The rows that count, and how many each query has of them.

        Raises:
            InputError: `duplicate-document`.

        """
        scan, counts, ordering = self.run.scan, self.run.counts.select("query", "rows"), self.first
        self.left_out.update(excluded=0, repeated=0, emptied=())
        if ordering.exclude is not None:
            scan = _without(scan, ordering.exclude, counts["query"])
            left = scan.ask(_COUNTS).sort("query")
            emptied = counts.join(left, on="query", how="anti")["query"].to_list()
            self.left_out.update(excluded=self._of_judged(counts) - self._of_judged(left), emptied=emptied)
            counts = left
        if ordering.duplicates == "error":
            self.run.refuse_duplicates(scan)
        elif ordering.duplicates not in COUNTED:
            scan = _once(scan, ordering.duplicates)
            left = scan.ask(_COUNTS).sort("query")
            self.left_out.update(repeated=self._of_judged(counts) - self._of_judged(left))
            counts = left
        listed = scan is self.run.scan and ordering.duplicates == "error" and self.run.is_listed
        return Places(self.qrels, scan, listed), counts

    def judgement(self, ordering: Ordering) -> JudgedRun:
        """The run as one convention judges it.

        Raises:
            InputError: `duplicate-document`, `no-common-queries`, `empty-input`, `bad-score`.

        """
        qrels, (_, counts) = self.qrels, self.rows
        places = pl.DataFrame({"query": pl.Series(qrels.queries, dtype=pl.String), "place": np.arange(len(qrels))})
        known = counts.join(places, on="query")
        if not known.height:
            if self.left_out["excluded"]:
                raise nothing_left(ordering.exclude, self.run.name)
            raise nothing_in_common(
                qrels.queries, sorted(counts["query"].to_list()), self.run.name, self.run.scan.called
            )
        n_retrieved = np.zeros(len(qrels), dtype=np.int64)
        n_retrieved[known["place"].to_numpy()] = known["rows"].to_numpy()
        others = counts.join(places, on="query", how="anti").sort("query")
        unjudged = dict(zip(others["query"].to_list(), others["rows"].to_list(), strict=True))
        rows = self._stood(ordering)
        found = Found.of(rows)
        judgement = assemble(qrels, found, n_retrieved, unjudged, duplicates=ordering.duplicates, **self.left_out)
        if self.shown or ordering.order != "score" or (rows["last"] > rows["first"]).any():
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

    def _stood(self, ordering: Ordering) -> pl.DataFrame:
        """`place, number, positive, first, last, rank` of every document that gets a row, and what else is wanted."""
        (places, _), full = self.rows, self.layout == "full"
        elsewhere, named = self.elsewhere and full, bool(self.shown)
        if full:
            return places.whole(ordering, None, elsewhere=elsewhere, named=named)
        if not named:
            return places.hits(ordering)
        shown = [place for place, query in enumerate(self.qrels.queries) if query in self.shown]
        rows = places.whole(ordering, shown, elsewhere=False, named=True)
        others = places.hits(ordering, shown).with_columns(document=pl.lit(""), given=pl.lit(0.0))
        columns = list(others.columns)
        return pl.concat([rows.select(columns), others], how="vertical_relaxed")


_COUNTS: Final = f"SELECT {text('query')} AS query, count(*) AS rows FROM run GROUP BY query"


def _alike(one: JudgedRun, other: JudgedRun) -> bool:
    """Whether two judged runs have the same documents in their rows."""
    return one.hits.judgement is not None and np.array_equal(one.hits.judgement, np.asarray(other.hits.judgement))


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
