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
        ideal: the terms of the ranking whose total the norm is; empty where the norm is something else.
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
    rows = np.array([context.places[query] for query in dict.fromkeys(queries)], dtype=np.int64)
    for some, block in context.view.hits.blocks(rows):
        ranking = block.condensed if context.view.condensed else block
        names = (context.view.queries[row] for row in some.tolist())
        found |= dict(zip(names, _traces(context, ranking, some), strict=True))
    return found


def _traces(context: MeasureContext, block: Judged, queries: Integers) -> Iterator[Trace]:
    """The steps of the queries of one block."""
    terms, cut, hits = context.terms(block), context.ranking(block), context.view.hits
    size, own = len(queries), cut if terms.ranking is None or terms.rank is not None else terms.ranking
    subtopics = None if hits.subtopics is None else hits.subtopics.counts[queries].tolist()
    numbers, running = _numbers(terms), terms.running()
    ideal = [] if terms.ideal is None else _numbers(terms.ideal.terms)
    total = running[:, -1] if running.shape[1] else np.zeros(size)
    rest, norm = (np.broadcast_to(np.asarray(part, dtype=np.float64), (size,)) for part in (terms.rest, terms.norm))
    before, after = terms._replace(link=None).value().tolist(), terms.value().tolist()
    for row in range(size):
        count = subtopics[row] if subtopics else None
        documents = _documents(hits, own, row, count)
        if terms.rank is not None:
            documents = _documents_of_terms(terms, row, documents)
        best = () if terms.ideal is None else _documents(hits, terms.ideal.ranking, row, count, is_ideal=True)
        yield Trace(
            terms=_terms(numbers, row, documents),
            ideal=_terms(ideal, row, best),
            total=float(total[row]),
            rest=float(rest[row]),
            norm=float(norm[row]),
            link=None if terms.link is None else (before[row], after[row]),
            raw=after[row],
            weighted=not isinstance(terms.weight, float),
        )


def _numbers(terms: Terms) -> list[list[list[float]] | None]:
    """The columns of a `Term` from `gain` to `running`, `[Q, H]` each; no discounts if the formula does not divide."""
    gain = np.asarray(terms.gain, dtype=np.float64)
    factor, discount = (np.broadcast_to(np.asarray(part), gain.shape) for part in (terms.weight, terms.discount))
    divides = not isinstance(terms.discount, float)
    with np.errstate(divide="ignore"):
        weight = factor / discount if divides else factor
    adds = np.broadcast_to(terms.contributions(), gain.shape)
    columns = (gain, weight, factor, discount if divides else None, adds, np.asarray(terms.running()))
    return [None if column is None else column.tolist() for column in columns]


class _Document(NamedTuple):
    """What stands at a rank: the fields of a `Term` before its numbers, and those behind them."""

    column: int
    head: tuple[int, Any, Grade]
    tail: tuple[Any, ...]


def _terms(numbers: Sequence[list[list[float]] | None], row: int, documents: Iterable[_Document]) -> tuple[Term, ...]:
    """The terms of some documents, of those that have numbers."""
    columns = [None if column is None else column[row] for column in numbers]
    width = len(columns[0] or ()) if columns else 0
    terms = []
    for column, head, tail in documents:
        if column < width:
            cells: list[Any] = [None if cells is None else cells[column] for cells in columns]
            terms.append(Term(*head, *cells, *tail))
    return tuple(terms)


def _documents(
    hits: JudgedRows, ranking: Judged, row: int, subtopics: int | None, *, is_ideal: bool = False
) -> Iterator[_Document]:
    """The documents of a query with their columns; those of an ideal ranking have no ids, as any with the grade do."""
    for column in np.flatnonzero(ranking.retrieved[row]).tolist():
        rank, document, score = int(ranking.rank[row, column]), None, None
        first, last = rank, rank
        if not is_ideal:
            first, last = int(ranking.tie_first[row, column]), int(ranking.tie_last[row, column])
            hit = -1 if ranking.row is None else int(ranking.row[row, column])
            if hit >= 0 and hits.document is not None and hits.score is not None:
                document, score = hits.document[hit] or None, float(hits.score[hit])
        grade: Grade = float(ranking.grade[row, column]) if ranking.known[row, column] else None
        if grade is not None and ranking.aspects is not None and subtopics is not None:
            grades = ranking.by_subtopic[row, column, :subtopics].tolist()
            grade = tuple(each if math.isfinite(each) else None for each in grades)
        score = None if score is None or math.isnan(score) else score
        yield _Document(column, (rank, document, grade), (score, first, last))


def _documents_of_terms(terms: Terms, row: int, documents: Iterable[_Document]) -> Iterator[_Document]:
    """The documents at the ranks of terms that gain, where there is not one term for each document."""
    ranks = np.broadcast_to(np.asarray(terms.rank), terms.gain.shape)[row]
    by_rank = {document.head[0]: document for document in documents}
    for column in np.flatnonzero(np.asarray(terms.gain)[row]).tolist():
        rank = int(ranks[column])
        document = by_rank.get(rank, _Document(column, (rank, None, None), (None, rank, rank)))
        label = terms.label[column] if terms.label else ""
        yield _Document(column, document.head, (*document.tail, label))
