"""Judged rankings of all queries, row after row, and their way into padded blocks."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from rankworth.judged import Judged

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_CELLS: Final = 1 << 17
COLUMNS: Final = (
    *("rank", "tie_first", "tie_last", "grade", "known", "judgement", "positive", "elsewhere"),
    *("document", "score"),
)
"""what `Hits` has for each row"""


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
        """`[..., S]`: the grades of some documents for each subtopic, minus infinity where there are none."""
        cells = np.flatnonzero(real)
        rows = documents.reshape(-1)[cells]
        lengths = self.offsets[rows + 1] - self.offsets[rows]
        places = expand(self.offsets[rows], lengths)
        grades = np.full((real.size, width), -np.inf)
        grades[np.repeat(cells, lengths), self.number[places]] = self.grade[places]
        return grades.reshape(*real.shape, width)


@dataclass(frozen=True)
class Hits:
    """What judging hands on: rows for retrieved documents, per query in rank order, and counts and pools per query.

    In the compact layout there is a row for each judged document that was retrieved. In the full layout there is one
    for every retrieved document; `known` tells which of them are judged.
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
    known: NDArray[np.bool_]
    """`[N]`: whether the document is judged"""
    n_retrieved: Integers
    """`[Q]`: how many documents the run has for the query"""
    pool_offsets: Integers
    """`[Q + 1]`: the judged documents of query `i` are `pool_offsets[i]` to `pool_offsets[i + 1]`"""
    pool: Floats
    """`[M]`: their grades, best first"""
    judgement: Integers | None = None
    """`[N]`: where the document stands among the judged ones, -1 where unjudged; None unless subtopics are needed"""
    subtopics: Subtopics | None = None
    """the grades by subtopic; None unless they are needed"""
    positive: NDArray[np.bool_] | None = None
    """`[N]`: whether the score of the document is above 0; None where nobody knows scores"""
    elsewhere: NDArray[np.bool_] | None = None
    """`[N]`: whether the document is judged for some query; None where nobody asks"""
    document: NDArray[np.object_] | None = None
    """`[N]`: the id of the document, of queries that are to be shown; None where there are none"""
    score: Floats | None = None
    """`[N]`: its score; None where an engine keeps it"""
    ties: Literal["broken", "expected", "last"] = "broken"
    """whether the ranks count, or those that a group of equal scores shares: on average, or the last of them"""

    def compact(self) -> "Hits":
        """The rows of judged documents only."""
        return self if self.known.all() else self._rows(self.known)

    def shortened(self, depth: int) -> "Hits":
        """The first documents of each query, as many as `depth`."""
        depth = min(depth, int(self.n_retrieved.max(initial=0)))
        cut = self._rows(self.rank <= depth)
        return replace(cut, tie_last=np.minimum(cut.tie_last, depth), n_retrieved=np.minimum(self.n_retrieved, depth))

    def ranked(self, rank: Integers) -> "Hits":
        """The same with other ranks: those of documents with equal scores, in another order.

        Args:
            rank: `[N]`, the rank of each row.

        """
        order = np.lexsort((rank, self.query))
        return replace(self._taken(order, self.offsets), rank=rank[order])

    def _rows(self, kept: NDArray[np.bool_]) -> "Hits":
        return self._taken(np.flatnonzero(kept), np.concatenate(([0], np.cumsum(kept)))[self.offsets])

    def _taken(self, rows: Integers, offsets: Integers) -> "Hits":
        """Some of the rows, or copies of them.

        Args:
            rows: `[N']`, which.
            offsets: `[Q + 1]`, where those of each query begin.

        """
        columns = {name: getattr(self, name) for name in COLUMNS}
        taken: dict[str, Any] = {name: None if one is None else one[rows] for name, one in columns.items()}
        return replace(self, offsets=offsets, **taken)

    @property
    def query(self) -> Integers:
        """`[N]`: the query of each row."""
        return np.repeat(np.arange(self.n_retrieved.size), np.diff(self.offsets))

    def forgetting(self, rows: Integers) -> "Hits":
        """The same where some documents, given by their rows, are not judged."""
        known, grade = self.known.copy(), self.grade.copy()
        known[rows], grade[rows] = False, 0.0
        judgement = None if self.judgement is None else self.judgement.copy()
        if judgement is not None:
            judgement[rows] = -1
        return replace(self, known=known, grade=grade, judgement=judgement)

    def pooling(self, query: Integers, grades: Floats) -> "Hits":
        """The same with other judged documents; what is known of subtopics is lost where they are others indeed.

        Args:
            query: `[M]`, their queries.
            grades: `[M]`.

        """
        order = np.lexsort((-grades, query))
        offsets = np.concatenate(([0], np.cumsum(np.bincount(query, minlength=self.n_retrieved.size))))
        pool = grades[order]
        alike = np.array_equal(offsets, self.pool_offsets) and np.array_equal(pool, self.pool)
        return replace(self, pool_offsets=offsets, pool=pool, subtopics=self.subtopics if alike else None)

    def with_pool(self, query: Integers, grades: Floats) -> "Hits":
        """The same with further judged documents, as for `pooling`."""
        owner = np.repeat(np.arange(self.n_retrieved.size), np.diff(self.pool_offsets))
        return self.pooling(np.append(owner, query), np.append(self.pool, grades))

    def with_copies(self, copies: Integers, grades: Floats, *, spread: bool = False) -> "Hits":
        """The same with further grades for some judged documents, each as if it were another document at its rank.

        Args:
            copies: `[C]`, which of the judged documents.
            grades: `[C]`.
            spread: whether each has a rank of its own, behind the first one.

        """
        judgement = np.full(self.rank.size, -1) if self.judgement is None else self.judgement
        order = np.argsort(copies, kind="stable")
        first, last = (np.searchsorted(copies[order], judgement, side) for side in ("left", "right"))
        times = np.where(judgement >= 0, last - first, 0)
        rows = np.repeat(np.arange(self.rank.size), times + 1)
        more = self._taken(rows, np.concatenate(([0], np.cumsum(times + 1)))[self.offsets])
        number = np.arange(rows.size) - np.repeat(np.cumsum(times + 1) - times - 1, times + 1)
        source = order[np.where(number > 0, first[rows] + number - 1, 0)]
        more = replace(more, grade=np.where(number > 0, grades[source], more.grade))
        if spread:
            before = np.concatenate(([0], np.cumsum(times)))[self.offsets[:-1]]
            shift = np.repeat(np.cumsum(times) - times, times + 1) - before[more.query] + number
            moved = {name: getattr(more, name) + shift for name in ("rank", "tie_first", "tie_last")}
            added = np.bincount(self.query, weights=times, minlength=self.n_retrieved.size).astype(np.int64)
            more = replace(more, **moved, n_retrieved=self.n_retrieved + added)
        owner = np.repeat(np.arange(self.n_retrieved.size), np.diff(self.pool_offsets))
        return more.pooling(np.append(owner, owner[copies]), np.append(self.pool, grades))

    def blocks(self, queries: Integers) -> Iterator[tuple[Integers, Judged]]:
        """Padded arrays of some of the queries, in blocks of similar width that stay in the processor's cache."""
        height = np.diff(self.offsets)[queries]
        pooled = np.diff(self.pool_offsets)[queries]
        width = np.maximum(height, pooled)
        if self.subtopics is not None:
            width = width * int(self.subtopics.counts.max(initial=1))
        if queries.size and queries.size * int(width.max()) > _CELLS:
            order = np.argsort(width, kind="stable")
            queries, width = queries[order], width[order]
        start = 0
        while start < queries.size:
            end = start + int(np.searchsorted(np.arange(1, queries.size - start + 1) * width[start:], _CELLS, "right"))
            end = max(end, start + 1)
            yield queries[start:end], self.block(queries[start:end])
            start = end

    def block(self, queries: Integers) -> Judged:
        """Padded arrays of these queries."""
        place, real = _padded(self.offsets, queries)
        pool_place, pool_known = _padded(self.pool_offsets, queries)
        known = real & self.known.take(place, mode="clip") if self.known.size else real
        aspects = pool_aspects = None
        if self.subtopics is not None and self.judgement is not None:
            width = int(self.subtopics.counts[queries].max(initial=1))
            documents = self.judgement.take(place, mode="clip") if self.judgement.size else place
            aspects = self.subtopics.of(documents, known, width)
            pooled = self.subtopics.by_id.take(pool_place, mode="clip")
            pool_aspects = self.subtopics.of(pooled, pool_known, width)
        elsewhere = None
        if self.elsewhere is not None:
            elsewhere = real & self.elsewhere.take(place, mode="clip") if self.elsewhere.size else real
        return Judged(
            rank=_gather(self.rank, place, real, 1.0),
            tie_first=_gather(self.tie_first, place, real, 1.0),
            tie_last=_gather(self.tie_last, place, real, 1.0),
            grade=_gather(self.grade, place, known, 0.0),
            known=known,
            retrieved=real,
            n_retrieved=self.n_retrieved[queries].astype(np.float64),
            pool=_gather(self.pool, pool_place, pool_known, 0.0),
            pool_known=pool_known,
            aspects=aspects,
            pool_aspects=pool_aspects,
            ties=self.ties,
            elsewhere=elsewhere,
            row=None if self.document is None else np.where(real, place, -1),
        )

    def of(self, queries: Integers) -> "Hits":
        """The rows and judgements of some of the queries."""
        lengths, pooled = (np.diff(offsets)[queries] for offsets in (self.offsets, self.pool_offsets))
        rows = expand(self.offsets[queries], lengths)
        some = self._taken(rows, np.concatenate(([0], np.cumsum(lengths))))
        judged = expand(self.pool_offsets[queries], pooled)
        subtopics = self.subtopics
        if subtopics is not None:
            subtopics = replace(subtopics, counts=subtopics.counts[queries], by_id=subtopics.by_id[judged])
        return replace(
            some,
            n_retrieved=self.n_retrieved[queries],
            pool_offsets=np.concatenate(([0], np.cumsum(pooled))),
            pool=self.pool[judged],
            subtopics=subtopics,
        )


def expand(starts: Integers, lengths: Integers) -> Integers:
    """All places of several ranges, one after the other.

    >>> expand(np.array([10, 20]), np.array([2, 3])).tolist()
    [10, 11, 20, 21, 22]
    """
    ends = np.cumsum(lengths)
    places: Integers = np.arange(ends[-1] if ends.size else 0) + np.repeat(starts - (ends - lengths), lengths)
    return places


def _padded(offsets: Integers, queries: Integers) -> tuple[Integers, NDArray[np.bool_]]:
    """For each query the places of its rows, side by side, and which of them are real."""
    starts = offsets[queries]
    lengths = offsets[queries + 1] - starts
    step = np.arange(int(lengths.max()) if lengths.size else 0)
    return starts[:, None] + step, step < lengths[:, None]


def _gather(flat: NDArray[Any], place: Integers, real: NDArray[np.bool_], padding: float) -> Floats:
    if not flat.size:
        return np.full(place.shape, padding)
    return np.where(real, flat.take(place, mode="clip"), padding)
