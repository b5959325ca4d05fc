"""What a value could be: over the orders of documents with one score, over the grades of those that nobody judged."""

import math
from collections.abc import Iterator, Sequence
from itertools import groupby, product
from typing import Final

import numpy as np

from rankworth.alternatives import Alternative, Ranking
from rankworth.sensitivity.changes import reach, refuse_subtopics
from rankworth.sensitivity.result import Row
from rankworth.sensitivity.subjects import Subject

_MOST: Final = 10_000
"""how many rankings are all measured"""
_DOCUMENTS: Final = 1_000_000
"""how many documents they have together"""
_SAMPLE: Final = 1000
_SIZES: Final = 50
SEED: Final = 0


def by_ties(subject: Subject) -> list[Row]:
    """The lowest, the mean and the highest value over the orders of documents with one score."""
    ranking = subject.ranking
    groups = _groups(ranking)
    orders = math.prod(map(_count, groups))
    broken = subject.with_ties("id-descending")
    every = orders <= _limit(ranking)
    if every:
        arranged = [_arranged(ranking, groups, order) for order in product(*map(list, map(_orders, groups)))]
    else:
        arranged = _some(ranking)
    measured = broken.values(arranged)
    values, alike = _real(measured), _real(measured if every else measured[2:])
    mean = exact = _expected(subject)
    if exact is None and alike:
        mean = math.fsum(alike) / len(alike)
    if mean is not None and values and every:
        mean = min(max(mean, min(values)), max(values))  # not beyond them by rounding
    subject.notes.extend(_told(subject, groups, orders, exactly=exact is not None, every=every))
    if len(values) < len(measured):
        subject.notes.append(
            f"{subject.label}: {len(measured) - len(values):,} of {len(measured):,} orders have no value"
        )
    said = {
        "as it is": subject.now,
        "lowest": min(values, default=None),
        "mean": mean,
        "highest": max(values, default=None),
    }
    return [
        {"measure": subject.label, "ties": name, "value": value, "change": subject.change(value)}
        for name, value in said.items()
    ]


def _told(subject: Subject, groups: Sequence["Group"], orders: int, *, exactly: bool, every: bool) -> Iterator[str]:
    """How the range was found."""
    if not groups:
        yield f"{subject.label}: no two documents have the same score"
    elif every:
        yield f"{subject.label}: over all {orders:,} orders that differ" + (
            ", the mean by its formula" if exactly else ""
        )
    else:
        mean = "the mean by its formula" if exactly else f"the mean of {_SAMPLE:,} random orders (seed {SEED})"
        text = f"{subject.label}: too many orders for all of them: {mean}; lowest and highest among these orders"
        yield f"{text}, that with the best grades of each tie first, and that with the worst ones first"
        definition = subject.scene.measure.definition
        if definition.linear and definition.monotone:
            text = "lowest and highest are exact where better grades gain more and deeper ranks count less"
            yield f"{subject.label}: {text}"


Group = list[list[int]]
"""The rows of documents with one score, those together that no measure can tell apart."""


def _groups(ranking: Ranking) -> list[Group]:
    """The ties of the ranking, without those of documents that are all alike."""
    rows = ranking.rows
    found = []
    for _, some in groupby(range(ranking.retrieved), lambda row: int(rows.tie_first[row])):
        alike: dict[object, list[int]] = {}
        for row in some:
            alike.setdefault(_kind(ranking, row), []).append(row)
        if len(alike) > 1:
            found.append([*alike.values()])
    return found


def _kind(ranking: Ranking, row: int) -> object:
    """What measures may tell documents apart by."""
    rows = ranking.rows
    by_subtopic = row if rows.subtopics is not None and rows.known[row] else None
    elsewhere = None if rows.elsewhere is None else bool(rows.elsewhere[row])
    return ranking.grade(row), by_subtopic, elsewhere


def _count(group: Group) -> int:
    """In how many orders a tie may stand that differ."""
    return math.factorial(sum(map(len, group))) // math.prod(math.factorial(len(alike)) for alike in group)


def _orders(group: Group) -> Iterator[list[int]]:
    """These orders, documents that are alike in theirs."""
    if not any(group):
        yield []
    for place, alike in enumerate(group):
        if alike:
            rest = [*group[:place], alike[1:], *group[place + 1 :]]
            for order in _orders(rest):
                yield [alike[0], *order]


def _arranged(ranking: Ranking, groups: Sequence[Group], orders: Sequence[Sequence[int]]) -> Alternative:
    """The ranking with its ties in some order."""
    order = np.arange(ranking.retrieved)
    for group, chosen in zip(groups, orders, strict=True):
        order[sorted(row for alike in group for row in alike)] = chosen
    return Alternative(order, exchanged=True)


def _limit(ranking: Ranking) -> int:
    """How many rankings of so many documents are not too many."""
    return min(_MOST, _DOCUMENTS // max(1, ranking.retrieved))


def _some(ranking: Ranking) -> list[Alternative]:
    """The orders with the best and with the worst grades first, and random ones."""
    rows, here = ranking.rows, slice(ranking.retrieved)
    first = rows.tie_first[here]
    tie = np.cumsum(np.append(False, first[1:] != first[:-1]))
    grades = np.where(rows.known[here], rows.grade[here], 0.0)
    random = np.random.default_rng(SEED)
    keys = (-grades, grades, *(random.random(tie.size) for _ in range(_SAMPLE)))
    return [Alternative(np.lexsort((key, tie)), exchanged=True) for key in keys]


def _expected(subject: Subject) -> float | None:
    """The mean over all orders by the formula of the measure; None where it has none, or settings come after it."""
    definition, averaging = subject.scene.measure.definition, subject.scene.asked.averaging
    judging = subject.scene.asked.judging
    able = definition.linear or definition.tied
    bent = averaging.round_values is not None or averaging.no_hit != "keep" or averaging.logarithms
    if not able or bent or judging.depth is not None or judging.unretrieved == "last":
        return None
    return subject.with_ties("expected").scene.value_of(subject.ranking, subject.ranking.as_it_is)


def by_unjudged(subject: Subject, grade: float | None, deepest: int | None) -> list[Row]:
    """What the value would be if documents that nobody judged were relevant.

    Args:
        subject: the measure and the ranking.
        grade: the grade that they would have; the best one of the judgements where not said.
        deepest: the last rank that is looked at.

    Raises:
        UsageError: `conflicting-options` for a measure that looks at grades by subtopic.

    """
    refuse_subtopics(subject)
    ranking = subject.ranking
    ranks = ranking.rows.rank[: ranking.retrieved]
    until = reach(subject, int(ranks.max(initial=0)), deepest)
    open_rows = [row for row in range(ranking.retrieved) if not ranking.rows.known[row] and ranks[row] <= until]
    if grade is None:
        best = float(subject.scene.qrels.grades.max(initial=0.0))
        grade = best if best > 0 else 1.0
    whole = 2 ** len(open_rows) <= _limit(ranking)
    tried = _all_of(open_rows) if whole else _in_rank_order(open_rows)
    graded = [_graded(ranking, open_rows, relevant, grade) for relevant in tried]
    alone: list[Alternative | None] = [ranking.regraded({row: grade}) for row in open_rows]
    found = subject.values([*graded, *alone], [f"the grade {grade:g}"] * (len(graded) + len(alone)))
    values = found[: len(graded)]
    real = _real(values)
    said = {
        "as it is": subject.now,
        "none relevant": values[0],
        "all relevant": values[-1],
        "lowest": min(real, default=None),
        "highest": max(real, default=None),
    }
    documents = ranking.documents
    rows: list[Row] = [
        {"measure": subject.label, "unjudged": name, "value": value, "change": subject.change(value)}
        for name, value in said.items()
    ]
    rows += [
        {
            "measure": subject.label,
            "unjudged": "alone",
            "value": value,
            "change": subject.change(value),
            "document": documents[row],
            "rank": int(ranks[row]),
        }
        for row, value in zip(open_rows, found[len(graded) :], strict=True)
    ]
    subject.notes.append(_bracket(subject, len(open_rows), grade, len(tried), whole=whole))
    if len(real) < len(values):
        subject.notes.append(f"{subject.label}: {len(values) - len(real):,} of {len(values):,} ways have no value")
    return rows


def _bracket(subject: Subject, count: int, grade: float, tried: int, *, whole: bool) -> str:
    """How lowest and highest were found."""
    if not count:
        return f"{subject.label}: all documents are judged"
    documents = "one document" if count == 1 else f"{count:,} documents"
    text = f"{subject.label}: lowest and highest over {'all ' if whole else ''}{tried:,} ways to give {documents}"
    text += f" grade 0 or {grade:g}"
    return text if whole else f"{text}, the first ones of them or the last ones relevant; other ways may lie outside"


def _real(values: Sequence[float | None]) -> list[float]:
    """Those that are numbers."""
    return [value for value in values if value is not None and not math.isnan(value)]


def _all_of(rows: Sequence[int]) -> list[frozenset[int]]:
    """All choices among some rows, none of them first and all of them last."""
    return [
        frozenset(row for row, there in zip(rows, chosen, strict=True) if there)
        for chosen in product((False, True), repeat=len(rows))
    ]


def _in_rank_order(rows: Sequence[int]) -> list[frozenset[int]]:
    """The first ones and the last ones, of several numbers; none of them first and all of them last."""
    sizes = np.unique(np.linspace(1, len(rows) - 1, _SIZES).astype(int)).tolist()
    parts = [part for size in sizes for part in (rows[:size], rows[-size:])]
    return [frozenset(), *map(frozenset, parts), frozenset(rows)]


def _graded(ranking: Ranking, rows: Sequence[int], relevant: frozenset[int], grade: float) -> Alternative | None:
    """The ranking with grades for the documents that nobody judged; None where there are none."""
    return ranking.regraded({row: grade if row in relevant else 0.0 for row in rows}) if rows else None
