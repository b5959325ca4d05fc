"""Changes one by one: a document at every rank, a document of every grade, every pair of neighbours exchanged."""

from collections.abc import Iterable, Sequence

import numpy as np

from rankworth.alternatives import Alternative, Ranking
from rankworth.errors import UsageError
from rankworth.sensitivity.result import Row
from rankworth.sensitivity.subjects import Subject

_DEEPEST = 1000
"""the deepest rank at which anything changes unasked"""
_SCALE = 100
"""how many grades make a scale"""


def by_position(subject: Subject, document: str, deepest: int | None) -> list[Row]:
    """A document at every rank, while the others keep their order.

    Args:
        subject: the measure and the ranking.
        document: the document; one that was not retrieved comes in.
        deepest: the last rank.

    """
    ranking, row = subject.ranking, subject.row(document)
    until = reach(subject, ranking.retrieved + (row >= ranking.retrieved), deepest)
    ranks: list[int] = []
    moved: list[Alternative | None] = []
    for place in range(1, until + 1):
        one = ranking.moved(row, place)
        here = place == row + 1 <= ranking.retrieved
        if not here and subject.shared and _within(ranking, one, place):
            continue
        ranks.append(_rank(ranking, place))
        moved.append(None if here else one)
    if len(ranks) < until:
        ties = subject.scene.asked.judging.ties
        text = f"{subject.label}: without ranks between documents of one score, which share theirs (ties={ties})"
        subject.notes.append(text)
    values = subject.values(moved, [f"{document} at rank {rank}" for rank in ranks])
    return [
        {
            "measure": subject.label,
            "position": rank,
            "value": value,
            "change": subject.change(value),
            "document": document,
            "grade": ranking.grade(row),
        }
        for rank, value in zip(ranks, values, strict=True)
    ]


def by_grade(subject: Subject, document: str, scale: Sequence[float], beside: float | None = None) -> list[Row]:
    """Every grade for one document.

    Args:
        subject: the measure and the ranking.
        document: the document.
        scale: the grades.
        beside: what tells this ranking from another one.

    Raises:
        UsageError: `conflicting-options` for a measure that looks at grades by subtopic.

    """
    refuse_subtopics(subject)
    ranking, row = subject.ranking, subject.row(document)
    own = ranking.grade(row)
    other = [None if grade == own else ranking.regraded({row: grade}) for grade in scale]
    values = subject.values(other, [f"grade {grade:g}" for grade in scale])
    return [
        {
            "measure": subject.label,
            "grade": grade,
            "value": value,
            "change": subject.change(value),
            "document": document,
            "beside": beside,
        }
        for grade, value in zip(scale, values, strict=True)
    ]


def by_swap(subject: Subject, deepest: int | None) -> list[Row]:
    """Every pair of neighbours, each with the rank and the score of the other.

    Args:
        subject: the measure and the ranking.
        deepest: the last rank.

    """
    ranking = subject.ranking
    first = ranking.rows.tie_first
    pairs = range(reach(subject, ranking.retrieved, deepest) - 1)
    tied = [subject.shared and first[row] == first[row + 1] for row in pairs]
    swapped = [None if same else ranking.swapped(row) for row, same in zip(pairs, tied, strict=True)]
    names = [f"{_rank(ranking, row + 1)}-{_rank(ranking, row + 2)}" for row in pairs]
    values = subject.values(swapped, [f"the swap of ranks {name}" for name in names])
    if not pairs:
        subject.notes.append("there are no two neighbours")
    if any(tied):
        ties = subject.scene.asked.judging.ties
        subject.notes.append(f"{subject.label}: a swap of documents of one score changes nothing (ties={ties})")
    documents = ranking.documents
    return [
        {
            "measure": subject.label,
            "swap": name,
            "value": value,
            "change": subject.change(value),
            "rank": _rank(ranking, row + 1),
            "document": documents[row],
            "other": documents[row + 1],
        }
        for row, name, value in zip(pairs, names, values, strict=True)
    ]


def reach(subject: Subject, last: int, deepest: int | None) -> int:
    """The last rank at which anything changes; a note says so where nobody asked for less than all of them.

    Args:
        subject: the measure and the ranking.
        last: the last rank that there is.
        deepest: the last one that is asked for.

    """
    until = min(last, deepest or _DEEPEST)
    if until < last and deepest is None:
        subject.notes.append(f"{last:,} ranks, of which the first {until:,} are varied; n says how many")
    return until


def scale_of(subject: Subject) -> list[float]:
    """All grades that occur in the judgements, and 0; those of the query alone where there are too many."""
    every: Iterable[float] = np.unique(subject.scene.qrels.grades).tolist()
    scale = sorted({0.0, *every})
    if len(scale) > _SCALE:
        scale = sorted({0.0, *subject.ranking.rows.pool.tolist()})
    return scale


def refuse_subtopics(subject: Subject) -> None:
    """Refuse other grades for a measure that looks at grades by subtopic.

    Raises:
        UsageError: `conflicting-options`.

    """
    if subject.scene.measure.definition.subtopics and subject.ranking.rows.subtopics is not None:
        text = f"{subject.label} looks at the grades by subtopic, and another grade would not say for which of them"
        raise UsageError(
            "conflicting-options", text, remedy="by='position', 'swap' and 'cutoff' leave the grades alone"
        )


def _rank(ranking: Ranking, place: int) -> int:
    """The rank of a place; behind the last document comes the next one."""
    if place <= ranking.retrieved:
        return int(ranking.rows.rank[place - 1])
    return int(ranking.rows.rank[ranking.retrieved - 1]) + 1


def _within(ranking: Ranking, one: Alternative, place: int) -> bool:
    """Whether a document that moved to a place stands between others of one score."""
    if not 1 < place < len(one.order):
        return False
    above, below = one.order[place - 2], one.order[place]
    return bool(ranking.rows.tie_first[above] == ranking.rows.tie_first[below])
