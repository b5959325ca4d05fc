"""What a value could be: over the orders of tied documents, and over the grades of unjudged documents."""

import math
from collections.abc import Iterator, Sequence
from itertools import groupby, product
from typing import Final

import numpy as np

from rankworth.evaluation.counterfactuals import Counterfactual, Ranking
from rankworth.explanation.variation import RankedQuery, Row

_MAX_RANKINGS: Final = 10_000
"""up to how many rankings all are measured"""
_MAX_DOCUMENTS: Final = 1_000_000
"""how many documents these have together at most"""
_SAMPLE: Final = 1000
"""how many random orders are measured where there are too many"""
_SIZES: Final = 50
"""how many numbers of relevant documents are tried where there are too many ways"""
SEED: Final = 0

TieGroup = list[list[int]]
"""The rows of documents with equal scores, those together that no measure can tell apart."""


def by_ties(query: RankedQuery) -> list[Row]:
    """The lowest, the mean and the highest value over the orders of tied documents."""
    ranking = query.ranking
    groups = _tie_groups(ranking)
    orders = math.prod(map(_count, groups))
    all_orders = orders <= _limit(ranking)
    if all_orders:
        arranged = [_arranged(ranking, groups, order) for order in product(*map(list, map(_orders, groups)))]
    else:
        arranged = _sampled(ranking)
    measured = query.with_ties("id-descending").values(arranged)
    values, random = _defined(measured), _defined(measured if all_orders else measured[2:])
    mean = expected = _expected(query)
    if expected is None and random:
        mean = math.fsum(random) / len(random)
    if mean is not None and values and all_orders:
        mean = min(max(mean, min(values)), max(values))  # not beyond them by rounding
    query.notes.extend(_exactness(query, groups, orders, by_formula=expected is not None, all_orders=all_orders))
    if len(values) < len(measured):
        undefined = len(measured) - len(values)
        query.notes.append(f"{query.label}: {undefined:,} of {len(measured):,} orders have no value")
    levels = {"as it is": query.value, "lowest": min(values, default=None), "mean": mean}
    levels["highest"] = max(values, default=None)
    return [query.change("ties", name, value) for name, value in levels.items()]


def _exactness(
    query: RankedQuery, groups: Sequence[TieGroup], orders: int, *, by_formula: bool, all_orders: bool
) -> Iterator[str]:
    """Notes on how exact the range and the mean are."""
    mean = "the mean by its formula" if by_formula else f"the mean of {_SAMPLE:,} random orders (seed {SEED})"
    if not groups:
        yield f"{query.label}: no two documents have the same score"
    elif all_orders:
        yield f"{query.label}: over all {orders:,} orders that differ{f', {mean}' if by_formula else ''}"
    else:
        text = f"{query.label}: too many orders for all of them: {mean}; lowest and highest among these orders"
        yield f"{text}, that with the best grades of each tie first, and that with the worst ones first"
        definition = query.context.measure.definition
        if definition.linear and definition.monotone:
            text = "lowest and highest are exact where better grades gain more and deeper ranks count less"
            yield f"{query.label}: {text}"


def _tie_groups(ranking: Ranking) -> list[TieGroup]:
    """The ties of the ranking, without those of documents that no measure can tell apart."""
    rows = ranking.rows
    groups = []
    for _, tied in groupby(range(ranking.retrieved), lambda row: int(rows.tie_first[row])):
        alike: dict[object, list[int]] = {}
        for row in tied:
            by_subtopic = row if rows.subtopics is not None and rows.known[row] else None
            elsewhere = None if rows.elsewhere is None else bool(rows.elsewhere[row])
            alike.setdefault((ranking.grade(row), by_subtopic, elsewhere), []).append(row)
        if len(alike) > 1:
            groups.append([*alike.values()])
    return groups


def _count(group: TieGroup) -> int:
    """In how many orders that differ a tie may stand."""
    return math.factorial(sum(map(len, group))) // math.prod(math.factorial(len(alike)) for alike in group)


def _orders(group: TieGroup) -> Iterator[list[int]]:
    """The orders of a tie that differ."""
    if not any(group):
        yield []
    for number, alike in enumerate(group):
        if alike:
            for order in _orders([*group[:number], alike[1:], *group[number + 1 :]]):
                yield [alike[0], *order]


def _arranged(ranking: Ranking, groups: Sequence[TieGroup], orders: Sequence[Sequence[int]]) -> Counterfactual:
    """The ranking with its ties in some order."""
    order = np.arange(ranking.retrieved)
    for group, chosen in zip(groups, orders, strict=True):
        order[sorted(row for alike in group for row in alike)] = chosen
    return Counterfactual(order, exchanged=True)


def _limit(ranking: Ranking) -> int:
    """Up to how many rankings of these documents all are measured."""
    return min(_MAX_RANKINGS, _MAX_DOCUMENTS // max(1, ranking.retrieved))


def _sampled(ranking: Ranking) -> list[Counterfactual]:
    """The order with the best grades first, that with the worst ones first, and random ones."""
    rows, retrieved = ranking.rows, slice(ranking.retrieved)
    first = rows.tie_first[retrieved]
    tie = np.cumsum(np.append(False, first[1:] != first[:-1]))
    grades = np.where(rows.known[retrieved], rows.grade[retrieved], 0.0)
    random = np.random.default_rng(SEED)
    keys = (-grades, grades, *(random.random(tie.size) for _ in range(_SAMPLE)))
    return [Counterfactual(np.lexsort((key, tie)), exchanged=True) for key in keys]


def _expected(query: RankedQuery) -> float | None:
    """The mean over all orders by the formula of the measure; None where it has none, or settings come after it."""
    definition, averaging = query.context.measure.definition, query.context.asked.averaging
    judging = query.context.asked.judging
    changed_after = averaging.round_values is not None or averaging.no_hit != "keep" or averaging.logarithms
    if not (definition.linear or definition.tied) or changed_after:
        return None
    if judging.depth is not None or judging.unretrieved == "last":
        return None
    return query.with_ties("expected").context.value_of(query.ranking, query.ranking.as_it_is)


def by_unjudged(query: RankedQuery, grade: float | None, n: int | None) -> list[Row]:
    """What the value would be if unjudged documents were relevant.

    Args:
        query: the measure and the ranking.
        grade: the grade that they would have; the best one of the judgements where not said.
        n: the last rank that is looked at.

    Raises:
        UsageError: `conflicting-options` for a measure that looks at grades by subtopic.

    """
    query.refuse_subtopics()
    ranking = query.ranking
    ranks = ranking.rows.rank[: ranking.retrieved]
    until = query.last_rank(int(ranks.max(initial=0)), n)
    unjudged = [row for row in range(ranking.retrieved) if not ranking.rows.known[row] and ranks[row] <= until]
    if grade is None:
        best = float(query.context.qrels.grades.max(initial=0.0))
        grade = best if best > 0 else 1.0
    all_ways = 2 ** len(unjudged) <= _limit(ranking)
    ways = _subsets(unjudged) if all_ways else _ends(unjudged)
    graded: list[Counterfactual | None] = [
        ranking.regraded({row: grade if row in relevant else 0.0 for row in unjudged}) if unjudged else None
        for relevant in ways
    ]
    alone = [ranking.regraded({row: grade}) for row in unjudged]
    measured = query.values([*graded, *alone], [f"the grade {grade:g}"] * (len(graded) + len(alone)))
    values = measured[: len(ways)]
    defined = _defined(values)
    levels = {"as it is": query.value, "none relevant": values[0], "all relevant": values[-1]}
    levels |= {"lowest": min(defined, default=None), "highest": max(defined, default=None)}
    rows = [query.change("unjudged", name, value) for name, value in levels.items()]
    rows += [
        query.change("unjudged", "alone", value, document=ranking.documents[row], rank=int(ranks[row]))
        for row, value in zip(unjudged, measured[len(ways) :], strict=True)
    ]
    if unjudged:
        documents = "one document" if len(unjudged) == 1 else f"{len(unjudged):,} documents"
        note = f"lowest and highest over {'all ' if all_ways else ''}{len(ways):,} ways to give {documents}"
        beyond = "" if all_ways else ", the first ones of them or the last ones relevant; other ways may lie outside"
        query.notes.append(f"{query.label}: {note} grade 0 or {grade:g}{beyond}")
    else:
        query.notes.append(f"{query.label}: all documents are judged")
    if len(defined) < len(values):
        query.notes.append(f"{query.label}: {len(values) - len(defined):,} of {len(values):,} ways have no value")
    return rows


def _defined(values: Sequence[float | None]) -> list[float]:
    """Values that are numbers."""
    return [value for value in values if value is not None and not math.isnan(value)]


def _subsets(rows: Sequence[int]) -> list[frozenset[int]]:
    """All choices among some rows, none of them first and all of them last."""
    return [
        frozenset(row for row, is_in in zip(rows, chosen, strict=True) if is_in)
        for chosen in product((False, True), repeat=len(rows))
    ]


def _ends(rows: Sequence[int]) -> list[frozenset[int]]:
    """The first rows and the last ones, of several numbers; none of them first and all of them last."""
    sizes = np.unique(np.linspace(1, len(rows) - 1, _SIZES).astype(int)).tolist()
    parts = [part for size in sizes for part in (rows[:size], rows[-size:])]
    return [frozenset(), *map(frozenset, parts), frozenset(rows)]
