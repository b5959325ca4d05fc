"""Rankings that might have been: the documents of one query in other orders or with other grades, as judging hands on.

An alternative goes the same road as the ranking itself: what settings say of depth, grades and ties comes after.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankworth.hits import COLUMNS, Floats, Hits, Integers


@dataclass(frozen=True)
class Alternative:
    """One ranking of the documents.

    Attributes:
        order: the rows of the retrieved documents, best first; rows that are not in it were not retrieved.
        alone: rows that share their score with no other document any more.
        grades: other grades of some rows, None for one that nobody judged.
        exchanged: whether ranks keep their scores, and so their ties, and documents take those of their new rank.

    """

    order: Integers
    alone: frozenset[int] = frozenset()
    grades: Mapping[int, float | None] = field(default_factory=dict)
    exchanged: bool = False


@dataclass(frozen=True)
class Ranking:
    """The documents of one query: those that were retrieved in rank order, then the judged ones that were not.

    Attributes:
        rows: a row for each; the judged documents are their pool.
        retrieved: how many of them were retrieved.
        place: which of the queries of the judged run it is.

    """

    rows: Hits
    retrieved: int
    place: int = 0

    @classmethod
    def of(cls, hits: Hits, documents: Sequence[str], grades: Floats, first: int) -> "Ranking":
        """A ranking with the judged documents that are missing from it.

        Args:
            hits: one query, with rows for all documents, as judging hands it on.
            documents: the ids of its judged documents.
            grades: their grades.
            first: which of all judgements the first of these is.

        """
        there = set() if hits.judgement is None else set(hits.judgement.tolist())
        absent = np.array([place for place in range(len(documents)) if first + place not in there], dtype=np.int64)
        beyond = int(hits.n_retrieved[0]) + 1 + np.arange(absent.size)
        true = np.ones(absent.size, dtype=bool)
        columns: dict[str, Any] = {
            **dict.fromkeys(("rank", "tie_first", "tie_last"), beyond),
            "grade": grades[absent],
            "known": true,
            "judgement": first + absent,
            "positive": true,
            "elsewhere": true,
            "document": np.array([documents[place] for place in absent.tolist()], dtype=object),
            "score": np.full(absent.size, np.nan),
        }
        more: dict[str, Any] = {
            name: None if getattr(hits, name) is None else np.append(getattr(hits, name), columns[name])
            for name in COLUMNS
        }
        retrieved = hits.rank.size
        return cls(replace(hits, offsets=np.array([0, retrieved + absent.size]), **more), retrieved)

    @property
    def documents(self) -> list[str]:
        """The ids of all rows."""
        return [] if self.rows.document is None else self.rows.document.tolist()

    @property
    def as_it_is(self) -> Alternative:
        """The ranking itself."""
        return Alternative(np.arange(self.retrieved))

    @property
    def _judgements(self) -> int:
        """The number of no judgement, from which on there is none."""
        return 0 if self.rows.judgement is None else 1 + int(self.rows.judgement.max(initial=0))

    def grade(self, row: int) -> float | None:
        """The grade of a document; None where nobody judged it."""
        return float(self.rows.grade[row]) if self.rows.known[row] else None

    def moved(self, row: int, place: int) -> Alternative:
        """The ranking with one document at another place, counted from 1; the others keep their order."""
        others = np.delete(np.arange(self.retrieved), row) if row < self.retrieved else np.arange(self.retrieved)
        return Alternative(np.insert(others, place - 1, row), frozenset([row]))

    def swapped(self, row: int) -> Alternative:
        """The ranking with a document and the next one in each other's place, with each other's score."""
        order = np.arange(self.retrieved)
        order[[row, row + 1]] = row + 1, row
        return Alternative(order, exchanged=True)

    def regraded(self, grades: Mapping[int, float | None]) -> Alternative:
        """The ranking with other grades."""
        return Alternative(np.arange(self.retrieved), grades=grades)

    def within_ties(self, place: int) -> bool:
        """Whether a document that came to this place would stand between documents of one score."""
        first = self.rows.tie_first[: self.retrieved]
        return 1 < place <= self.retrieved and first[place - 1] == first[place - 2]

    def hits(self, alternatives: Sequence[Alternative]) -> Hits:
        """Alternatives as judged rankings, one query each."""
        sizes = np.array([len(one.order) for one in alternatives], dtype=np.int64)
        rows = np.concatenate([one.order for one in alternatives] or [np.arange(0)])
        columns: dict[str, Any] = {
            name: None if getattr(self.rows, name) is None else getattr(self.rows, name)[rows] for name in COLUMNS
        }
        parts = [self._ranks(one) for one in alternatives]
        for place, name in enumerate(("rank", "tie_first", "tie_last")):
            columns[name] = np.concatenate([part[place] for part in parts] or [rows])
        if (positive := self.rows.positive) is not None:
            columns["positive"] = np.concatenate([_positive(positive, one) for one in alternatives] or [rows > 0])
        starts = np.cumsum(sizes) - sizes
        pools = []
        for one, start in zip(alternatives, starts.tolist(), strict=True):
            pools.append(self._pool(one.grades))
            for row, grade in one.grades.items():
                places = start + np.flatnonzero(one.order == row)
                columns["known"][places] = grade is not None
                columns["grade"][places] = 0.0 if grade is None else grade
                if columns["elsewhere"] is not None and grade is not None:
                    columns["elsewhere"][places] = True
                if columns["judgement"] is not None and not self.rows.known[row]:  # a judgement of its own
                    columns["judgement"][places] = -1 if grade is None else self._judgements + row
        subtopics = self.rows.subtopics
        if any(one.grades for one in alternatives):
            subtopics = None  # they have the grades as they were; who looks at subtopics does not ask for others
        if subtopics is not None:
            counts, by_id = np.repeat(subtopics.counts, sizes.size), np.tile(subtopics.by_id, sizes.size)
            subtopics = replace(subtopics, counts=counts, by_id=by_id)
        if subtopics is None and columns["judgement"] is not None:  # no judgement is that of two queries
            number = np.repeat(np.arange(sizes.size), sizes) * (self._judgements + self.rows.known.size)
            columns["judgement"] = np.where(columns["judgement"] < 0, -1, columns["judgement"] + number)
        return replace(
            self.rows,
            offsets=np.append(starts, rows.size),
            n_retrieved=sizes + (self.rows.n_retrieved[0] - self.retrieved),
            pool_offsets=np.concatenate(([0], np.cumsum([pool.size for pool in pools]))).astype(np.int64),
            pool=np.concatenate(pools or [self.rows.pool]),
            subtopics=subtopics,
            **columns,
        )

    def _ranks(self, one: Alternative) -> tuple[Integers, Integers, Integers]:
        """Rank, and first and last rank of its group, of each document in a new order."""
        there = self.rows.rank[: self.retrieved]
        size = len(one.order)
        rank = there[:size]
        if size > self.retrieved:
            last = int(there[-1]) if self.retrieved else 0
            rank = np.append(there, last + 1 + np.arange(size - self.retrieved))
        tied = self.rows.tie_last > self.rows.tie_first
        if not tied.any():
            return rank, rank, rank
        if one.exchanged:
            return rank, self.rows.tie_first[:size], self.rows.tie_last[:size]
        apart = np.isin(one.order, list(one.alone)) | ~tied[one.order]
        group = np.where(apart, -1 - np.arange(size), self.rows.tie_first[one.order])
        starts = np.flatnonzero(np.append(True, group[1:] != group[:-1])[:size])
        lengths = np.diff(starts, append=size)
        return rank, np.repeat(rank[starts], lengths), np.repeat(rank[starts + lengths - 1], lengths)

    def _pool(self, grades: Mapping[int, float | None]) -> Floats:
        """The grades of the judged documents, best first."""
        pool = self.rows.pool
        if not grades:
            return pool
        kept = pool.tolist()
        for row, grade in grades.items():
            if self.rows.known[row]:
                kept.remove(float(self.rows.grade[row]))
            if grade is not None:
                kept.append(float(grade))
        return np.array(sorted(kept, reverse=True), dtype=np.float64)


def _positive(positive: NDArray[np.bool_], one: Alternative) -> NDArray[np.bool_]:
    """Whether the score of each document in a new order is above 0.

    A score of its own lies between those of the others; between one above 0 and one that is not, it keeps its sign.

    Args:
        positive: the same of each row.
        one: the new order.

    """
    if one.exchanged:
        return positive[: len(one.order)]
    signs = positive[one.order]
    others = ~np.isin(one.order, list(one.alone))
    for place in np.flatnonzero(~others).tolist():
        if (signs & others)[place:].any():
            signs[place] = True
        elif (~signs & others)[:place].any():
            signs[place] = False
    return signs


def places(ranking: Ranking, deepest: int, most: int = 100) -> list[int]:
    """Places to which a document may come, from 1 on, not between documents of one score.

    Args:
        ranking: the ranking.
        deepest: the last place.
        most: beyond which only places beside judged documents are looked at: between them nothing changes but the rank.

    """
    every = range(1, deepest + 1)
    if deepest > most:
        known = np.flatnonzero(ranking.rows.known[: ranking.retrieved]) + 1
        beside = {*range(1, most + 1), *known.tolist(), *(known + 1).tolist(), deepest}
        return [place for place in sorted(beside) if place <= deepest and not ranking.within_ties(place)]
    return [place for place in every if not ranking.within_ties(place)]
