"""From the terms of a measure to the steps of one query: what every rank adds, and how the sum becomes the value.

The steps are read off the very terms that evaluation computes with. Nothing here knows a measure.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from rankworth.arrays import Integers
from rankworth.evaluation.counterfactuals import MeasureContext
from rankworth.judged import Judged
from rankworth.measures import Terms

Grade = float | tuple[float | None, ...] | None
"""What the assessors gave a document, or gave it for each subtopic; None where nobody judged."""


class Term(NamedTuple):
    """What one rank adds."""

    rank: int
    """from 1"""
    document: Any
    """its id; None where the term is that of no retrieved document, as in an ideal ranking"""
    grade: Grade
    """what the assessor gave; None where nobody judged the document"""
    gain: float
    """what the document is worth"""
    weight: float
    """how much its rank counts: the factor over the discount"""
    factor: float
    """what the gain is multiplied by"""
    discount: float | None
    """what it is divided by, where the formula divides"""
    contribution: float
    """what is added to the sum"""
    running: float
    """the sum so far, this rank included"""
    score: float | None = None
    """what the system gave the document"""
    first: int = 0
    """the first rank of the documents with the same score"""
    last: int = 0
    """the last of these ranks"""
    label: str = ""
    """what the term is called, where there is not one for each rank: `r=0.5`"""

    @property
    def tied(self) -> bool:
        """Whether other documents have the same score."""
        return self.last > self.first


@dataclass(frozen=True)
class Trace:
    """The steps from the ranks of one query to one number: `link((total + rest) / norm)`.

    Attributes:
        terms: what every rank adds, best rank first.
        ideal: the same of the ranking whose total the norm is; empty where the norm is something else.
        total: the sum of all contributions.
        rest: what documents without a row add.
        norm: what the sum is divided by.
        link: the number before and after the last step of the formula; None where that is a plain ratio.
        raw: the number that comes out, NaN where it is not defined.
        weighted: whether ranks have a weight of their own.

    """

    terms: tuple[Term, ...]
    ideal: tuple[Term, ...]
    total: float
    rest: float
    norm: float
    link: tuple[float, float] | None
    raw: float
    weighted: bool


def traces(scene: MeasureContext, queries: Sequence[str]) -> dict[str, Trace]:
    """The steps of some queries, many at a time.

    Args:
        scene: the measure, and the judged run in which these queries are shown.
        queries: which of its queries.

    """
    found: dict[str, Trace] = {}
    places = np.array([scene.places[query] for query in dict.fromkeys(queries)], dtype=np.int64)
    for some, block in scene.view.hits.blocks(places):
        ranking = block.condensed if scene.view.condensed else block
        for row, trace in enumerate(_traces(scene, ranking, some)):
            found[scene.view.queries[int(some[row])]] = trace
    return found


def _traces(scene: MeasureContext, block: Judged, places: Integers) -> Iterator[Trace]:
    """The steps of the queries of one block."""
    terms, ranking = scene.terms(block), scene.ranking(block)
    shown = ranking if terms.ranking is None else terms.ranking
    names = _Names(scene, places)
    steps = _Steps.of(terms)
    best = None if terms.ideal is None else (_Steps.of(terms.ideal.terms), terms.ideal.ranking)
    size = len(places)
    running = terms.running()
    total = running[:, -1] if running.shape[1] else np.zeros(size)
    rest, norm = (np.broadcast_to(np.asarray(one, dtype=np.float64), (size,)) for one in (terms.rest, terms.norm))
    before, after = terms._replace(link=None).value().tolist(), terms.value().tolist()
    for row in range(size):
        own = _own_ranks(terms, ranking, row, names) if terms.rank is not None else _rows(shown, row, names)
        yield Trace(
            terms=tuple(steps.term(row, column, document) for column, document in own if column < steps.width),
            ideal=() if best is None else tuple(_ideal(*best, row, names)),
            total=float(total[row]),
            rest=float(rest[row]),
            norm=float(norm[row]),
            link=None if terms.link is None else (before[row], after[row]),
            raw=after[row],
            weighted=not isinstance(terms.weight, float),
        )


@dataclass(frozen=True)
class _Steps:
    """The columns of terms as nested lists."""

    width: int
    gain: list[list[float]]
    weight: list[list[float]]
    factor: list[list[float]]
    discount: list[list[float]] | None
    contribution: list[list[float]]
    running: list[list[float]]

    @classmethod
    def of(cls, terms: Terms) -> "_Steps":
        gain = np.asarray(terms.gain, dtype=np.float64)
        weight, discount = (np.broadcast_to(np.asarray(one), gain.shape) for one in (terms.weight, terms.discount))
        divides = not isinstance(terms.discount, float)
        with np.errstate(divide="ignore"):
            counted = weight / discount if divides else weight
        return cls(
            gain.shape[1],
            gain.tolist(),
            counted.tolist(),
            weight.tolist(),
            discount.tolist() if divides else None,
            np.broadcast_to(terms.contributions(), gain.shape).tolist(),
            np.asarray(terms.running()).tolist(),
        )

    def term(self, row: int, column: int, document: "_Document") -> Term:
        """One of the terms."""
        return Term(
            document.rank,
            document.document,
            document.grade,
            self.gain[row][column],
            self.weight[row][column],
            self.factor[row][column],
            None if self.discount is None else self.discount[row][column],
            self.contribution[row][column],
            self.running[row][column],
            document.score,
            document.first,
            document.last,
            document.label,
        )


class _Document(NamedTuple):
    """What stands at a rank."""

    rank: int
    document: str | None
    grade: Grade
    score: float | None
    first: int
    last: int
    label: str = ""


class _Names:
    """Which documents the rows of a judged run are, and what they were given."""

    def __init__(self, scene: MeasureContext, places: Integers) -> None:
        hits = scene.view.hits
        self.document, self.score = hits.document, hits.score
        self.subtopics = None if hits.subtopics is None else hits.subtopics.counts[places].tolist()

    def of(self, ranking: Judged, row: int, column: int) -> tuple[str | None, float | None]:
        """The id and the score of the document of a row."""
        place = -1 if ranking.row is None else int(ranking.row[row, column])
        if place < 0 or self.document is None or self.score is None:
            return None, None
        score = float(self.score[place])
        return self.document[place] or None, None if math.isnan(score) else score

    def grade(self, ranking: Judged, row: int, column: int) -> Grade:
        """What the assessors gave the document of a row, or gave it for each subtopic of its query."""
        if not ranking.known[row, column]:
            return None
        if ranking.aspects is None or self.subtopics is None:
            return float(ranking.grade[row, column])
        grades = ranking.by_subtopic[row, column, : self.subtopics[row]].tolist()
        return tuple(grade if math.isfinite(grade) else None for grade in grades)


def _rows(ranking: Judged, row: int, names: _Names) -> Iterator[tuple[int, _Document]]:
    """Where the documents of a query stand among the terms, and what each is."""
    for column in np.flatnonzero(ranking.retrieved[row]).tolist():
        document, score = names.of(ranking, row, column)
        first, last = int(ranking.tie_first[row, column]), int(ranking.tie_last[row, column])
        rank = int(ranking.rank[row, column])
        yield column, _Document(rank, document, names.grade(ranking, row, column), score, first, last)


def _own_ranks(terms: Terms, ranking: Judged, row: int, names: _Names) -> Iterator[tuple[int, _Document]]:
    """The same of terms that are not one for each document: those that gain, with the document of their rank."""
    gains = np.asarray(terms.gain)[row]
    ranks = np.broadcast_to(np.asarray(terms.rank), terms.gain.shape)[row]
    by_rank = {document.rank: document for _, document in _rows(ranking, row, names)}
    for column in np.flatnonzero(gains).tolist():
        rank = int(ranks[column])
        document = by_rank.get(rank, _Document(rank, None, None, None, rank, rank))
        yield column, document._replace(label=terms.label[column] if terms.label else "")


def _ideal(steps: _Steps, ranking: Judged, row: int, names: _Names) -> Iterator[Term]:
    """The ranks of the ranking that the norm adds up."""
    for column in range(min(steps.width, ranking.rank.shape[1])):
        if ranking.retrieved[row, column]:
            rank = int(ranking.rank[row, column])
            yield steps.term(row, column, _Document(rank, None, names.grade(ranking, row, column), None, rank, rank))
