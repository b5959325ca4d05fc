"""Judged documents that do not count, below the cutoff or not retrieved, and what each would add at its best place."""

import math
from collections.abc import Collection
from typing import NamedTuple

from rankworth.alternatives import Alternative, Ranking, places
from rankworth.errors import RankworthError
from rankworth.scenes import Scene


class Missing(NamedTuple):
    """A document that is relevant to somebody and does not count."""

    document: str
    grade: float
    rank: int | None
    """where it stands, below what counts; None where it was not retrieved"""
    place: int | None
    """the deepest of the ranks at which it would add most; None where it adds nothing anywhere"""
    value: float | None
    """the value of the ranking with the document at this rank"""
    change: float | None
    """how much more that is"""

    def sentence(self, measure: str) -> str:
        """What would be, in words."""
        where = "was not retrieved" if self.rank is None else f"is at rank {self.rank}, where it does not count"
        if self.place is None or self.value is None:
            return f"{self.document} (grade {self.grade:g}) {where}; it would add nothing"
        gain = f"{measure} would be {self.value:.4f} ({self.change:+.4f})"
        return f"{self.document} (grade {self.grade:g}) {where}; at rank {self.place} {gain}"


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
    best = _Best(scene, ranking)
    found = []
    for row in rows:
        place, value, change = best.of(row)
        rank = int(ranking.rows.rank[row]) if row < ranking.retrieved else None
        found.append(Missing(documents[row], float(ranking.rows.grade[row]), rank, place, value, change))
    return sorted(found, key=lambda one: (-(one.change or 0.0), -one.grade, one.rank or 10**9, one.document))


class _Best:
    """The best places of documents; those of one grade that are alike in all else share theirs."""

    def __init__(self, scene: Scene, ranking: Ranking) -> None:
        self.scene = scene
        self.ranking = ranking
        self.now = scene.value_of(ranking, ranking.as_it_is)
        cutoff = scene.measure.cutoff
        condensed = scene.view.condensed or scene.measure.judged_only
        depth = scene.judging.depth
        bounds = [ranking.retrieved + 1, *([cutoff] if cutoff and not condensed else []), *([depth] if depth else [])]
        self.deepest = min(bounds)
        self.places = places(ranking, self.deepest)
        self.known: dict[object, tuple[int | None, float | None, float | None]] = {}

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
        moved: list[Alternative] = [self.ranking.moved(row, place) for place in allowed]
        try:
            values = self.scene.values(self.ranking, moved)
        except RankworthError:
            return None, None, None
        pairs = zip(values, allowed, strict=True)
        real = [(value, place) for value, place in pairs if value is not None and not math.isnan(value)]
        if not real or self.now is None:
            return None, None, None
        value, place = max(real)
        change = value - self.now
        return (place, value, change) if change > 0 else (None, None, None)
