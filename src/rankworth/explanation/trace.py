"""From the terms of a measure to the steps of one query: what every rank adds, and how the sum becomes the value.

The steps are read off the very terms that evaluation computes with. Nothing here knows a measure.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from rankworth.arrays import Integers
from rankworth.evaluation.counterfactuals import MeasureContext
from rankworth.judged import Judged
from rankworth.judging.judged_run import JudgedRows
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


def traces(context: MeasureContext, queries: Sequence[str]) -> dict[str, Trace]:
    """The steps of some queries, many at a time.

    Args:
        context: the measure, and the judged run in which these queries are shown.
        queries: which of its queries.

    """
    found: dict[str, Trace] = {}
    places = np.array([context.places[query] for query in dict.fromkeys(queries)], dtype=np.int64)
    for some, block in context.view.hits.blocks(places):
        ranking = block.condensed if context.view.condensed else block
        names = (context.view.queries[place] for place in some.tolist())
        found |= dict(zip(names, _traces(context, ranking, some), strict=True))
    return found


def _traces(context: MeasureContext, block: Judged, places: Integers) -> Iterator[Trace]:
    """The steps of the queries of one block."""
    terms, ranking = context.terms(block), context.ranking(block)
    hits = context.view.hits
    documents = _Documents(hits, None if hits.subtopics is None else hits.subtopics.counts[places].tolist())
    numbers = _Numbers.of(terms)
    running, size = terms.running(), len(places)
    total = running[:, -1] if running.shape[1] else np.zeros(size)
    rest, norm = (np.broadcast_to(np.asarray(one, dtype=np.float64), (size,)) for one in (terms.rest, terms.norm))
    before, after = terms._replace(link=None).value().tolist(), terms.value().tolist()
    ideal = None if terms.ideal is None else (_Numbers.of(terms.ideal.terms), terms.ideal.ranking)
    for row in range(size):
        own = documents.of_terms(terms, ranking, row)
        if terms.rank is None:
            own = documents.of(ranking if terms.ranking is None else terms.ranking, row)
        yield Trace(
            terms=_terms(numbers, row, own),
            ideal=() if ideal is None else _terms(ideal[0], row, documents.of(ideal[1], row, ideal=True)),
            total=float(total[row]),
            rest=float(rest[row]),
            norm=float(norm[row]),
            link=None if terms.link is None else (before[row], after[row]),
            raw=after[row],
            weighted=not isinstance(terms.weight, float),
        )


@dataclass(frozen=True)
class _Numbers:
    """The columns of terms in the order of `Term`, from `gain` to `running`."""

    width: int
    columns: tuple[list[list[float]] | None, ...]
    """`[Q, H]` each; None for discounts if the formula does not divide"""

    @classmethod
    def of(cls, terms: Terms) -> "_Numbers":
        gain = np.asarray(terms.gain, dtype=np.float64)
        factor, discount = (np.broadcast_to(np.asarray(one), gain.shape) for one in (terms.weight, terms.discount))
        divides = not isinstance(terms.discount, float)
        with np.errstate(divide="ignore"):
            weight = factor / discount if divides else factor
        adds = np.broadcast_to(terms.contributions(), gain.shape)
        columns = (gain, weight, factor, discount if divides else None, adds, np.asarray(terms.running()))
        return cls(gain.shape[1], tuple(None if one is None else one.tolist() for one in columns))


class _Document(NamedTuple):
    """What stands at a rank."""

    rank: int
    document: str | None
    grade: Grade
    score: float | None
    first: int
    last: int
    label: str = ""


def _terms(numbers: _Numbers, row: int, documents: Iterable[tuple[int, _Document]]) -> tuple[Term, ...]:
    """The terms of some documents, which are given with their columns."""
    terms = []
    for column, document in documents:
        if column < numbers.width:
            cells: list[Any] = [None if one is None else one[row][column] for one in numbers.columns]
            fields: tuple[Any, ...] = (*document[:3], *cells, *document[3:])
            terms.append(Term(*fields))
    return tuple(terms)


@dataclass(frozen=True)
class _Documents:
    """The documents behind the rows of rankings.

    Attributes:
        hits: the judged run.
        subtopics: how many each query of the block has; None if grades are not by subtopic.

    """

    hits: JudgedRows
    subtopics: Sequence[int] | None

    def of(self, ranking: Judged, row: int, *, ideal: bool = False) -> Iterator[tuple[int, _Document]]:
        """The documents of a query with their columns; of an ideal ranking without ids, which any may have."""
        ids, scores = self.hits.document, self.hits.score
        for column in np.flatnonzero(ranking.retrieved[row]).tolist():
            rank, document, score = int(ranking.rank[row, column]), None, math.nan
            ties = (rank, rank) if ideal else (int(ranking.tie_first[row, column]), int(ranking.tie_last[row, column]))
            place = -1 if ideal or ranking.row is None else int(ranking.row[row, column])
            if place >= 0 and ids is not None and scores is not None:
                document, score = ids[place] or None, float(scores[place])
            grade, known = self._grade(ranking, row, column), not math.isnan(score)
            yield column, _Document(rank, document, grade, score if known else None, *ties)

    def _grade(self, ranking: Judged, row: int, column: int) -> Grade:
        """What the assessors gave a document, or gave it for each subtopic of its query."""
        if not ranking.known[row, column]:
            return None
        if ranking.aspects is None or self.subtopics is None:
            return float(ranking.grade[row, column])
        grades = ranking.by_subtopic[row, column, : self.subtopics[row]].tolist()
        return tuple(grade if math.isfinite(grade) else None for grade in grades)

    def of_terms(self, terms: Terms, ranking: Judged, row: int) -> Iterator[tuple[int, _Document]]:
        """The documents at the ranks of terms that gain, where there is not one term for each document."""
        ranks = np.broadcast_to(np.asarray(terms.rank), terms.gain.shape)[row]
        by_rank = {document.rank: document for _, document in self.of(ranking, row)}
        for column in np.flatnonzero(np.asarray(terms.gain)[row]).tolist():
            rank = int(ranks[column])
            document = by_rank.get(rank, _Document(rank, None, None, None, rank, rank))
            yield column, document._replace(label=terms.label[column] if terms.label else "")
