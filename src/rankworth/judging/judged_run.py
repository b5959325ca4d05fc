"""A judged run: rows in rank order, counts and subtopics per query, how it is put together, and its padded blocks."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from rankworth.arrays import Floats, Integers, Pool, expand, padded
from rankworth.catalogue import Catalogue
from rankworth.errors import InputError
from rankworth.judged import Judged
from rankworth.model import Qrels
from rankworth.settings import Duplicates

if TYPE_CHECKING:
    from rankworth.judging.spans import PieceSpans

_CELLS: Final = 1 << 17
"""how many cells a block has at most, so that it stays in the processor's cache"""
_REMEMBERED: Final = 1 << 17
"""how many cells a pool has at most of which is kept what was computed"""
Row = float | Sequence[float | None] | None
"""What one document of a ranking has: a grade, grades for each subtopic, or nothing."""
_RANKS: Final = ("rank", "tie_first", "tie_last")
COLUMNS: Final = (
    *_RANKS,
    "grade",
    "is_judged",
    "judgement",
    "positive",
    "elsewhere",
    "document",
    "score",
    "item",
    "cost",
)
"""columns of `JudgedRows`"""


@dataclass(frozen=True)
class Subtopics:
    """Grades by subtopic; `M` judged documents of all queries, in the order of `Qrels.grades`."""

    counts: Integers
    """`[Q]`: how many subtopics each query has"""
    offsets: Integers
    """`[M + 1]`: what was said of document `i` are the rows `offsets[i]` to `offsets[i + 1]`"""
    number: Integers
    """`[K]`: the number of the subtopic within its query, from 0"""
    grade: Floats
    """`[K]`: the grade of the document for it"""
    by_id: Integers
    """`[M]`: the documents, those of each query by descending id"""

    def of(self, documents: Integers, real: NDArray[np.bool_], width: int) -> Floats:
        """Return `[..., S]`, the grades of the documents for each subtopic, minus infinity where there are none."""
        cells = np.flatnonzero(real)  # [C]: the cells with a document
        rows = documents.reshape(-1)[cells]  # [C]: its number among the judged documents
        lengths = self.offsets[rows + 1] - self.offsets[rows]  # [C]: how many grades it has
        places = expand(self.offsets[rows], lengths)  # [L]: the rows of all these grades
        grades = np.full((real.size, width), -np.inf)  # [real.size, S]: a line for each cell
        grades[np.repeat(cells, lengths), self.number[places]] = self.grade[places]
        return grades.reshape(*real.shape, width)


def subtopics_of(qrels: Qrels) -> Subtopics | None:
    """Return the grades by subtopic, computed once for each `Qrels`; None where the judgements have no subtopics.

    Raises:
        InputError: `missing-value`, `id-type`, where the column of subtopics cannot be read.

    """
    if "_subtopics" not in qrels.__dict__:
        qrels.__dict__["_subtopics"] = _numbered(qrels)
    subtopics: Subtopics | None = qrels.__dict__["_subtopics"]
    return subtopics


def subtopics_of_rows(ranked: Iterable[Row], missing: Iterable[Row]) -> tuple[list[Row], list[Row], Subtopics | None]:
    """Find the best grade of each document of one ranking, and the grades by subtopic where some document has several.

    Args:
        ranked: what each retrieved document has; None for one that nobody judged.
        missing: what each judged document has that was not retrieved.

    Raises:
        ValueError: where some documents have grades for subtopics and others have not, or not as many.

    """
    ranked, missing = list(ranked), list(missing)
    rows: list[Any] = [row for row in (*ranked, *missing) if row is not None]
    if not any(isinstance(row, Sequence | np.ndarray) and not isinstance(row, str | bytes) for row in rows):
        return ranked, missing, None
    table = np.array([[-np.inf if grade is None else grade for grade in row] for row in rows], dtype=np.float64)
    best = iter(table.max(axis=1).tolist())
    subtopics = Subtopics(
        counts=np.array([table.shape[1]]),
        offsets=np.arange(len(rows) + 1) * table.shape[1],
        number=np.tile(np.arange(table.shape[1]), len(rows)),
        grade=table.reshape(-1),
        by_id=np.arange(len(rows)),
    )
    graded: list[Row] = [None if row is None else next(best) for row in (*ranked, *missing)]
    return graded[: len(ranked)], graded[len(ranked) :], subtopics


def _numbered(qrels: Qrels) -> Subtopics | None:
    rows = qrels.by_subtopic()
    if rows is None:
        return None
    import polars as pl  # noqa: PLC0415 - dicts have no subtopics

    size, queries = qrels.grades.size, len(qrels)
    owner = np.repeat(np.arange(queries), qrels.lengths)  # [M]: the query of each judged document
    judged = pl.DataFrame(
        {"owner": owner, "row": np.arange(size), "query": pl.Series(qrels.queries).gather(owner.tolist())}
    ).with_columns(qrels.document_series.alias("document"))
    named = rows.select(pl.col("subtopic").unique()).sort(pl.col("subtopic").str.len_bytes(), "subtopic")
    joined = rows.join(judged, on=["query", "document"]).join(named.with_row_index("subtopic_index"), on="subtopic")
    # [K] each: a judged document, a subtopic, and its grade for it
    row, subtopic, grade = (joined[name].to_numpy() for name in ("row", "subtopic_index", "grade"))
    number, counts = _numbers(owner[row], subtopic.astype(np.int64), len(named), queries)  # [K] and [Q]
    order = np.lexsort((number, row))  # [K]: by document, then by subtopic
    by_id = judged.sort("owner", "document", descending=[False, True])["row"].to_numpy()
    offsets = np.concatenate(([0], np.cumsum(np.bincount(row, minlength=size))))
    return Subtopics(counts, offsets, number[order], grade[order], by_id)


def _numbers(owner: Integers, subtopic: Integers, width: int, queries: int) -> tuple[Integers, Integers]:
    """Return `[K]`, the number of each row's subtopic within its query, and `[Q]`, how many subtopics each query has.

    >>> _numbers(np.array([0, 0, 1, 1]), np.array([2, 5, 5, 5]), 9, 2)
    (array([0, 1, 0, 0]), array([2, 1]))
    """
    # [U]: the distinct pairs of query and subtopic; [K]: the pair of each row
    each, which = np.unique(owner * width + subtopic, return_inverse=True)
    counts = np.bincount(each // width, minlength=queries)  # [Q]
    return which - (np.cumsum(counts) - counts)[owner], counts


@dataclass(frozen=True)
class JudgedRows:
    """What judging hands on: rows for retrieved documents, per query in rank order, and counts and pools per query.

    In the compact layout there is a row for each judged document that was retrieved. In the full layout there is one
    for every retrieved document; `is_judged` tells which of them are judged.
    """

    offsets: Integers
    """`[Q + 1]`: the rows of query `i` are `offsets[i]` to `offsets[i + 1]`"""
    rank: Integers
    """`[N]`: from 1, ties broken"""
    tie_first: Integers
    """`[N]`: the first rank of the group of documents with the same score"""
    tie_last: Integers
    """`[N]`: the last rank of that group"""
    grade: Floats
    """`[N]`: what the assessor gave; 0 where nobody judged"""
    is_judged: NDArray[np.bool_]
    """`[N]`: whether the document is judged"""
    n_retrieved: Integers
    """`[Q]`: how many documents the run has for the query"""
    pool: Pool
    """the grades of the judged documents of each query, retrieved or not"""
    judgement: Integers | None = None
    """`[N]`: the position of the document among the judged ones, -1 where unjudged; None unless subtopics are needed"""
    subtopics: Subtopics | None = None
    """the grades by subtopic; None unless they are needed"""
    spans: "PieceSpans | None" = None
    """the spans of pieces and gold; None unless they are needed"""
    positive: NDArray[np.bool_] | None = None
    """`[N]`: whether the score of the document is above 0; None where nobody knows scores"""
    elsewhere: NDArray[np.bool_] | None = None
    """`[N]`: whether the document is judged for some query; None where nobody asks"""
    document: NDArray[np.object_] | None = None
    """`[N]`: the id of the document, of queries that are to be shown; None where there are none"""
    score: Floats | None = None
    """`[N]`: its score; None where an engine keeps it"""
    item: Integers | None = None
    """`[N]`: the number of the document in the catalogue, negative where it has none; None without catalogue"""
    cost: Floats | None = None
    """`[N]`: what it costs to look at the document; None where nothing says so"""
    user: Integers | None = None
    """`[Q]`: the number of the query among the users of the catalogue, -1 where it is not there"""
    catalogue: Catalogue | None = None
    """what is known of items and users; None where nothing was given"""
    ties: Literal["broken", "expected", "last"] = "broken"
    """whether the ranks count, or those that a group of equal scores shares: on average, or the last of them"""

    @property
    def tied_rows(self) -> NDArray[np.bool_]:
        """`[N]`: documents that share their score with another one: judged ones, or all where items are known."""
        if self.item is not None:
            return self.tie_last > self.tie_first
        judged = self.is_judged if self.elsewhere is None else self.is_judged | self.elsewhere
        return (self.tie_last > self.tie_first) & judged

    @cached_property
    def tied(self) -> bool:
        """Whether some document that counts shares its score with another document."""
        return self.tie_last is not self.tie_first and bool(self.tied_rows.any())

    def ranks_as(self, other: "JudgedRows") -> bool:
        """Return whether other rows of the same documents, without ties, have the ranks of these."""
        columns = ((getattr(self, name), getattr(other, name)) for name in COLUMNS)
        return all(mine is theirs or np.array_equal(mine, theirs) for mine, theirs in columns)

    def equal(self, other: "JudgedRows") -> bool:
        """Return whether other rows are the same, of the same judgements."""
        same = (self.offsets, other.offsets), (self.n_retrieved, other.n_retrieved)
        is_known = self.catalogue is other.catalogue and self.pool == other.pool
        return is_known and all(np.array_equal(mine, theirs) for mine, theirs in same) and self.ranks_as(other)

    def compact(self) -> "JudgedRows":
        """Keep only the rows of judged documents."""
        return self if self.is_judged.all() else self._rows(self.is_judged)

    def shortened(self, depth: int) -> "JudgedRows":
        """Keep the documents down to rank `depth` of each query."""
        depth = min(depth, int(self.n_retrieved.max(initial=0)))
        cut = self._rows(self.rank <= depth)
        return replace(cut, tie_last=np.minimum(cut.tie_last, depth), n_retrieved=np.minimum(self.n_retrieved, depth))

    def ranked(self, rank: Integers) -> "JudgedRows":
        """Rank documents with equal scores in another order.

        Args:
            rank: `[N]`, the rank of each row.

        """
        # [N]: by query, then by the new rank
        order = np.argsort(self.query * (int(rank.max(initial=0)) + 1) + rank, kind="stable")
        return replace(self._taken(order, self.offsets), rank=rank[order])

    def within_ties(self, key: NDArray[Any], front: NDArray[np.bool_]) -> Integers:
        """Return `[N]`, ranks with tied documents by a key, some at the front of their tie and the others at its end.

        Between them there is room for documents without rows, which nobody judged.

        Args:
            key: `[N]`, the lowest first.
            front: `[N]`, which stand at the front.

        """
        tied = np.flatnonzero(self.tie_last > self.tie_first)  # [T]: the rows that share their score
        # [T]: tie after tie, the lowest key first
        order = tied[np.lexsort((key[tied], self.tie_first[tied], self.query[tied]))]
        first, last, query = self.tie_first[order], self.tie_last[order], self.query[order]
        # [G]: where each tie begins in that order
        starts = np.flatnonzero(np.append(True, (np.diff(first) != 0) | (np.diff(query) != 0))[: order.size])
        sizes = np.diff(starts, append=order.size)  # [G]: how many rows each tie has
        before = np.arange(order.size) - np.repeat(starts, sizes)  # [T]: how many rows of its tie come before each
        rank = self.tie_first.copy()
        rank[order] = np.where(front[order], first + before, last - (np.repeat(sizes, sizes) - 1 - before))
        return rank

    def _rows(self, is_kept: NDArray[np.bool_]) -> "JudgedRows":
        return self._taken(np.flatnonzero(is_kept), np.concatenate(([0], np.cumsum(is_kept)))[self.offsets])

    def _taken(self, rows: Integers, offsets: Integers) -> "JudgedRows":
        """Select rows; a row may be selected several times.

        Args:
            rows: `[N']`, which.
            offsets: `[Q + 1]`, where those of each query begin.

        """
        columns = {name: getattr(self, name) for name in COLUMNS}
        distinct = {id(column): column[rows] for column in columns.values() if column is not None}  # ranks are one
        taken: dict[str, Any] = {name: distinct.get(id(column)) for name, column in columns.items()}
        return replace(self, offsets=offsets, **taken)

    @property
    def query(self) -> Integers:
        """`[N]`: the query of each row."""
        return np.repeat(np.arange(self.n_retrieved.size), np.diff(self.offsets))

    def without(self, removed: NDArray[np.bool_]) -> "JudgedRows":
        """Remove rows and count the ranks of the others anew."""
        stride, remaining = int(self.n_retrieved.max(initial=0)) + 1, self._rows(~removed)
        # [X], ascending: query and rank of each removed row as a number
        ranks_removed = (self.query * stride + self.rank)[removed]

        def anew(rank: Integers) -> Integers:
            # [N'] each: how many rows are removed before the query, and down to the rank
            start, end = (
                np.searchsorted(ranks_removed, remaining.query * stride + each, "right") for each in (0, rank)
            )
            return rank - (end - start)

        return replace(
            remaining,
            rank=anew(remaining.rank),
            tie_first=anew(remaining.tie_first - 1) + 1,
            tie_last=anew(remaining.tie_last),
            n_retrieved=self.n_retrieved - np.bincount(self.query[removed], minlength=self.n_retrieved.size),
        )

    def forgetting(self, rows: Integers) -> "JudgedRows":
        """Return these rows with the documents at the given rows as unjudged ones."""
        is_judged, grade = self.is_judged.copy(), self.grade.copy()
        is_judged[rows], grade[rows] = False, 0.0
        judgement = None if self.judgement is None else self.judgement.copy()
        if judgement is not None:
            judgement[rows] = -1
        return replace(self, is_judged=is_judged, grade=grade, judgement=judgement)

    def pooling(self, query: Integers, grades: Floats) -> "JudgedRows":
        """Replace the judged documents of all queries; drop subtopics if these differ.

        Args:
            query: `[M]`, their queries.
            grades: `[M]`.

        """
        pool = Pool.of(query, grades, self.n_retrieved.size)
        return replace(self, pool=pool, subtopics=self.subtopics if pool == self.pool else None)

    def with_pool(self, query: Integers, grades: Floats) -> "JudgedRows":
        """Add judged documents; arguments are those of `pooling`."""
        return self.pooling(np.append(self.pool.query, query), np.append(self.pool.grades, grades))

    def with_copies(self, copies: Integers, grades: Floats, *, spread: bool = False) -> "JudgedRows":
        """Add grades for judged documents, each as if it were another document at the same rank.

        Args:
            copies: `[C]`, which of the judged documents.
            grades: `[C]`.
            spread: whether each has a rank of its own, behind the first one.

        """
        judgement = np.full(self.rank.size, -1) if self.judgement is None else self.judgement
        order = np.argsort(copies, kind="stable")  # [C]: the copies by judged document
        # [N] each: where the copies of each row's document begin and end in that order
        first, last = (np.searchsorted(copies[order], judgement, side) for side in ("left", "right"))
        times = np.where(judgement >= 0, last - first, 0)  # [N]: how many copies each row has
        # [N']: each row, and after it as often again as it has copies
        rows = np.repeat(np.arange(self.rank.size), times + 1)
        more = self._taken(rows, np.concatenate(([0], np.cumsum(times + 1)))[self.offsets])
        # [N']: 0 for the row itself, 1 for its first copy, and so on
        number = np.arange(rows.size) - np.repeat(np.cumsum(times + 1) - times - 1, times + 1)
        # [N']: which copy it is; any where number is 0
        source = order[np.where(number > 0, first[rows] + number - 1, 0)]
        more = replace(more, grade=np.where(number > 0, grades[source], more.grade))
        if spread:
            before = np.concatenate(([0], np.cumsum(times)))[self.offsets[:-1]]  # [Q]: the copies in all queries before
            # [N']: how far each stands below the old rank of its row
            shift = np.repeat(np.cumsum(times) - times, times + 1) - before[more.query] + number
            moved = {name: getattr(more, name) + shift for name in _RANKS}
            # [Q]: how many copies each query has
            added = np.bincount(self.query, weights=times, minlength=self.n_retrieved.size).astype(np.int64)
            more = replace(more, **moved, n_retrieved=self.n_retrieved + added)
        more_query = self.pool.query[copies]
        return more.pooling(np.append(self.pool.query, more_query), np.append(self.pool.grades, grades))

    def blocks(self, queries: Integers | None = None) -> Iterator[tuple[Integers, Judged]]:
        """Yield padded arrays of these or all queries, in blocks of similar width that fit the processor's cache."""
        numbers = np.arange(self.n_retrieved.size) if queries is None else queries
        width = np.maximum(np.diff(self.offsets), self.pool.lengths)[numbers]  # [Q']: how many cells each query needs
        if self.subtopics is not None:
            width = width * int(self.subtopics.counts.max(initial=1))
        if numbers.size * int(width.max(initial=0)) <= _CELLS:
            if numbers.size:
                yield numbers, self.block(queries)
            return
        order = np.argsort(width, kind="stable")  # [Q']: from the narrowest query to the widest
        queries, width, start = numbers[order], width[order], 0
        while start < queries.size:
            # as many queries as have at most `_CELLS` cells where all are as wide as the last
            end = start + int(np.searchsorted(np.arange(1, queries.size - start + 1) * width[start:], _CELLS, "right"))
            end = max(end, start + 1)
            yield queries[start:end], self.block(queries[start:end])
            start = end

    def block(self, queries: Integers | None = None) -> Judged:
        """Pad the arrays of the given queries, or of all queries."""
        is_kept = queries is None and self.subtopics is None and self.pool.grades.size <= _REMEMBERED
        queries = np.arange(self.n_retrieved.size) if queries is None else queries
        rows, real = padded(self.offsets, queries)  # [Q, H] each: the row of each cell, and whether there is a row
        # [Q, P] each: grades of judged documents, and which cells have a document
        pool, in_pool = self.pool.padded if is_kept else self.pool.block(queries)
        is_judged = real & self.is_judged.take(rows, mode="clip")
        ranks = {name: getattr(self, name) for name in _RANKS}
        distinct = {id(array): array for array in ranks.values()}  # without ties one array
        # [Q, H] each, 1 where there is no row
        wide = {key: np.where(real, array.take(rows, mode="clip"), 1.0) for key, array in distinct.items()}
        columns: dict[str, Any] = {name: wide[id(array)] for name, array in ranks.items()}
        if self.subtopics is not None and self.judgement is not None:
            width = int(self.subtopics.counts[queries].max(initial=1))
            # [Q, H, S]
            columns["aspects"] = self.subtopics.of(self.judgement.take(rows, mode="clip"), is_judged, width)
            # [Q, P]: the judged documents of each query by descending id
            by_id = self.subtopics.by_id.take(padded(self.pool.offsets, queries)[0], mode="clip")
            columns["pool_aspects"] = self.subtopics.of(by_id, in_pool, width)  # [Q, P, S]
        if self.spans is not None and self.judgement is not None:
            numbers = self.judgement.take(rows, mode="clip")
            columns["characters"], columns["gold_characters"] = self.spans.characters(queries, numbers, real)
        if self.elsewhere is not None:
            columns["elsewhere"] = real & self.elsewhere.take(rows, mode="clip")
        if self.item is not None:
            columns["item"] = np.where(real, self.item.take(rows, mode="clip"), -1)
        if self.cost is not None:
            columns["cost"] = np.where(real, self.cost.take(rows, mode="clip"), 0.0)
        return Judged(
            **columns,
            grade=np.where(is_judged, self.grade.take(rows, mode="clip"), 0.0),
            is_judged=is_judged,
            retrieved=real,
            n_retrieved=self.n_retrieved[queries].astype(np.float64),
            pool=pool,
            in_pool=in_pool,
            ties=self.ties,
            remembered=self.pool.remembered if is_kept else None,
            row=None if self.document is None else np.where(real, rows, -1),
            user=None if self.user is None else self.user[queries],
            catalogue=self.catalogue,
        )

    def with_rows(
        self, query: Integers, rank: Integers, spans: tuple[Integers, Integers], grade: Floats | None = None
    ) -> "JudgedRows":
        """Add documents to the rankings.

        Args:
            query: `[N]`, the query of each.
            rank: `[N]`.
            spans: `[N]` and `[N]`, the first and the last rank of the group of each.
            grade: `[N]`; None where they are unjudged.

        """
        columns: dict[str, Any] = {"rank": rank, "tie_first": spans[0], "tie_last": spans[1]}
        columns |= dict.fromkeys(("is_judged", "positive", "elsewhere"), grade is not None)
        columns |= {"grade": 0.0 if grade is None else grade, "judgement": -1, "document": "", "score": np.nan}
        columns |= {"item": -1, "cost": np.nan}
        ranks = np.append(self.rank, rank)  # the rows that are here, and behind them those that are added
        # query and rank of each as a number
        position = np.append(self.query, query) * (ranks.max(initial=0) + 1) + ranks
        order = np.argsort(position, kind="stable")  # which merges what is in order
        taken: dict[str, Any] = {}
        for name in COLUMNS:
            column = getattr(self, name)
            taken[name] = (
                None if column is None else np.append(column, np.full(query.size, columns[name], column.dtype))[order]
            )
        # [Q]: how many rows are added up to the end of each query
        added = np.cumsum(np.bincount(query, minlength=self.n_retrieved.size))
        return replace(self, offsets=self.offsets + np.append(0, added), **taken)

    def of(self, queries: Integers) -> "JudgedRows":
        """Select queries, with their rows and judgements."""
        if np.array_equal(queries, np.arange(self.n_retrieved.size)):
            return self
        # [Q'] each: how many rows and judged documents each query has
        lengths, pooled = np.diff(self.offsets)[queries], self.pool.lengths[queries]
        rows = expand(self.offsets[queries], lengths)  # [N']: the rows of these queries
        selected = self._taken(rows, np.concatenate(([0], np.cumsum(lengths))))
        judged = expand(self.pool.offsets[queries], pooled)  # [M']: their judged documents
        subtopics = self.subtopics
        if subtopics is not None:
            subtopics = replace(subtopics, counts=subtopics.counts[queries], by_id=subtopics.by_id[judged])
        return replace(
            selected,
            n_retrieved=self.n_retrieved[queries],
            user=None if self.user is None else self.user[queries],
            pool=Pool(np.concatenate(([0], np.cumsum(pooled))), self.pool.grades[judged]),
            subtopics=subtopics,
            spans=None if self.spans is None else self.spans.of_queries(queries),
        )


Columns = dict[str, NDArray[Any]]
"""Retrieved documents in any order, `[N]` each: `query`, its place in the judgements, and those of `COLUMNS` that are
known but `grade` and `is_judged`."""


@dataclass(frozen=True)
class JudgedRun:
    """A judged run: its rows, which of its queries nobody judged, and what was left out of it."""

    hits: JudgedRows
    unjudged: Mapping[str, int]
    """the queries that nobody judged, with how many documents each has"""
    repeated: int = 0
    """documents of judged queries that did not count since another row of theirs does"""
    excluded: int = 0
    """rows of judged queries that `exclude` took out"""
    emptied: frozenset[str] = frozenset()
    """queries of which it took out every row"""
    scattered: bool = False
    """whether rows of one query stand apart"""
    lists: bool = False
    """whether the run came as lists, each the ranking of its query"""


def assemble(qrels: Qrels, columns: Columns, n_retrieved: Integers, duplicates: Duplicates) -> JudgedRows:
    """Bring the rows of all queries in order.

    Args:
        qrels: the judgements.
        columns: the rows.
        n_retrieved: `[Q]`, how many documents the run has for each judged query.
        duplicates: what becomes of a document that a query ranks twice.

    """
    query, rank = columns["query"], columns["rank"]
    order = np.argsort(query * (int(rank.max(initial=0)) + 1) + rank, kind="stable")  # [N]: by query, then by rank
    distinct = {id(column): column for column in columns.values()}  # all ranks are one array where there are no ties
    ordered = {key: column[order] for key, column in distinct.items()}
    rows: dict[str, Any] = {name: ordered[id(column)] for name, column in columns.items() if name != "query"}
    is_judged = rows["judgement"] >= 0
    hits = JudgedRows(
        offsets=np.concatenate(([0], np.cumsum(np.bincount(query, minlength=len(qrels))))),
        grade=np.where(is_judged, qrels.grades[rows["judgement"]], 0.0),
        is_judged=is_judged,
        n_retrieved=n_retrieved,
        pool=qrels.pool,
        **rows,
    )
    if duplicates == "once":
        hits = hits.forgetting(_beyond(rows["judgement"], np.ones(qrels.grades.size, dtype=np.int64)))
    if qrels.copies.size and qrels.duplicate_judgements == "wanted":
        hits = hits.with_pool(qrels.pool.query[qrels.copies], qrels.copied_grades)
    elif qrels.copies.size:
        spread = qrels.duplicate_judgements == "spread"
        hits = hits.with_copies(qrels.copies, qrels.copied_grades, spread=spread)
    if duplicates == "joined" and hits.judgement is not None:
        copies = _beyond(hits.judgement, 1 + np.bincount(qrels.copies, minlength=qrels.grades.size))
        hits = hits.with_pool(hits.query[copies], hits.grade[copies])
    return hits


def _beyond(judgement: Integers, times: Integers) -> Integers:
    """Return the rows at which a judgement appears more often than it may.

    Args:
        judgement: `[N]`, the judgement of each row, -1 where there is none.
        times: `[M]`, how often each judgement may stand.

    """
    rows = np.flatnonzero(judgement >= 0)  # [J]: the judged rows
    order = rows[np.argsort(judgement[rows], kind="stable")]  # [J]: those of each judgement together
    ordered = judgement[order]
    number = np.arange(order.size) - np.searchsorted(ordered, ordered)  # [J]: how many of its judgement come before
    return order[number >= times[ordered]]


def ranking(
    grades: Iterable[Row], *, missing: Iterable[Row] = (), layout: Literal["judged", "all", "together"] = "all"
) -> Judged:
    """Make one ranking out of grades, as measures see it.

    Args:
        grades: one for each retrieved document, best rank first; None for one that nobody judged.
        missing: grades of judged documents that were not retrieved.
        layout: whether unjudged documents have rows, too.

    Raises:
        InputError: `bad-grade`.

    """
    try:
        ranked, absent, subtopics = subtopics_of_rows(grades, missing)
        is_judged = np.array([label is not None for label in ranked], dtype=bool)
        grade = np.array([0.0 if label is None else label for label in ranked], dtype=np.float64)
        beyond = np.array(absent, dtype=np.float64)
        sound = grade.ndim == beyond.ndim == 1 and bool(np.isfinite([*grade, *beyond]).all())
    except (TypeError, ValueError):
        sound = False
    if not sound:
        text = "grades are finite numbers, or None for a document that nobody judged"
        raise InputError(
            "bad-grade", text, remedy="for subtopics each judged document has a list of as many: [[1, 0], [0, 1]]"
        )
    pool = np.concatenate((grade[is_judged], beyond))  # [P]: the grades of all judged documents
    rank = np.arange(1, grade.size + 1)
    rows = is_judged if layout == "judged" else slice(None)
    row_ranks = rank[rows]
    # [H]: the number among the judged documents, -1 for unjudged
    judgement = np.where(is_judged, np.cumsum(is_judged) - 1, -1)
    hits = JudgedRows(
        *(
            np.array([0, row_ranks.size]),
            row_ranks,
            row_ranks,
            row_ranks,
            grade[rows],
            is_judged[rows],
            np.array([grade.size]),
        ),
        Pool(np.array([0, pool.size]), np.sort(pool)[::-1]),
        judgement=None if subtopics is None else judgement[rows],
        subtopics=subtopics,
    )
    return hits.block(np.array([0]))
