"""Judged documents that do not count, below the cutoff or not retrieved, and what each would add at its best place."""

import math
from collections.abc import Collection, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from rankworth.alternatives import Ranking, places
from rankworth.errors import RankworthError, shortened
from rankworth.explanation.numbers import number
from rankworth.render import signed
from rankworth.scenes import Scene

_ROWS: Final = 1_000_000
"""how many documents are measured at most, in all the rankings that are tried"""
_FEWEST: Final = 10
"""how many places of a document are tried at least"""
_LENGTH: Final = 100
"""letters of an id in a sentence"""


class Missing(NamedTuple):
    """A document that is relevant to somebody and does not count."""

    document: Any
    grade: float
    rank: int | None
    """where it stands, below what counts; None where it was not retrieved"""
    place: int | None
    """the deepest of the ranks at which the value would be best; None where it is nowhere better than it is"""
    value: float | None
    """the value of the ranking with the document at this rank"""
    change: float | None
    """how much more that is; None where the ranking as it is has no value"""

    def sentence(self, measure: str) -> str:
        """What would be, in words."""
        where = "was not retrieved" if self.rank is None else f"is at rank {self.rank}, where it does not count"
        text = f"{shortened(str(self.document), _LENGTH)} (grade {self.grade:g}) {where}"
        if self.place is None or self.value is None:
            return f"{text}; it would not raise {measure}"
        change = "" if self.change is None else f" ({signed(self.change)})"
        return f"{text}; at rank {self.place} {measure} would be {number(self.value)}{change}"


def missing(scene: Scene, query: str, counted: Collection[str | None]) -> list[Missing]:
    """The documents with a grade above 0 that do not count, those that would add most first.

    Args:
        scene: the measure, and the judged run.
        query: one of its queries.
        counted: the documents that count.

    """
    ranking = scene.alternatives(query)
    documents = ranking.documents
    rows = [row for row, document in enumerate(documents) if (ranking.grade(row) or 0) > 0 and document not in counted]
    if not rows:
        return []
    best = _Best(scene, ranking, rows)
    found = [Missing(documents[row], float(ranking.rows.grade[row]), best.rank(row), *best.of(row)) for row in rows]
    return sorted(found, key=_least)


def _least(one: Missing) -> tuple[bool, float, float, int, str]:
    """What comes first: what adds most, then the better grade, the higher rank."""
    gain = one.value or 0.0 if one.change is None else one.change
    return (one.place is None, -gain, -one.grade, one.rank or 10**9, one.document)


class _Best:
    """The best places of documents; those of one grade that are alike in all else share theirs."""

    def __init__(self, scene: Scene, ranking: Ranking, rows: Sequence[int]) -> None:
        self.scene = scene
        self.ranking = ranking
        self.now = scene.value_of(ranking, ranking.as_it_is)
        self.condensed = scene.view.condensed or scene.measure.judged_only
        cutoff = None if self.condensed else scene.measure.cutoff
        depth = scene.judging.depth
        self.deepest = min(bound for bound in (ranking.retrieved + 1, cutoff, depth) if bound)
        self.known: dict[object, tuple[int | None, float | None, float | None]] = {}
        tried = len({self._alike(row) for row in rows}) * (ranking.retrieved + 1)
        self.places = places(ranking, self.deepest)[: max(_FEWEST, _ROWS // tried)]
        kept = ranking.rows.known & (ranking.rows.grade >= 0) if self.condensed else np.ones(len(ranking.rows.known))
        self.above = np.append(0, np.cumsum(kept[: ranking.retrieved])).astype(np.int64)

    def rank(self, row: int) -> int | None:
        """Where a document stands, among the documents that have a rank."""
        if row >= self.ranking.retrieved:
            return None
        return int(self.above[row]) + 1 if self.condensed else int(self.ranking.rows.rank[row])

    def of(self, row: int) -> tuple[int | None, float | None, float | None]:
        """Place, value and change."""
        key = self._alike(row)
        if key not in self.known:
            self.known[key] = self._found(row)
        return self.known[key]

    def _alike(self, row: int) -> object:
        """What makes two documents move the value alike."""
        if self.ranking.rows.subtopics is not None:
            return row
        below = row < self.ranking.retrieved
        return (self.ranking.grade(row), row if below and self.ranking.retrieved <= self.deepest + 1 else below)

    def _found(self, row: int) -> tuple[int | None, float | None, float | None]:
        end = self.ranking.retrieved + (row >= self.ranking.retrieved)
        allowed = [place for place in self.places if place <= end]
        values = self.scene.each(self.ranking, [self.ranking.moved(row, place) for place in allowed])
        pairs = zip(values, allowed, strict=True)
        real = [
            (value, place)
            for value, place in pairs
            if value is not None and not isinstance(value, RankworthError) and not math.isnan(value)
        ]
        if not real:
            return None, None, None
        value, place = max(real)
        if self.now is None or math.isnan(self.now):
            return self._counted(row, place), value, None
        return (self._counted(row, place), value, value - self.now) if value > self.now else (None, None, None)

    def _counted(self, row: int, place: int) -> int:
        """The rank of a document that comes to a place, among the documents that have a rank."""
        if not self.condensed:
            return place
        before = place - 1 + (row < place - 1)  # its own old place is no place any more
        return int(self.above[before]) - int(row < before) + 1
