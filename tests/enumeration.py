"""Bounds beside an enumeration: all orders of ties, and all grades of unjudged documents, of small random rankings."""

import warnings
from collections.abc import Iterator, Sequence
from itertools import permutations, product
from typing import Any

import numpy as np

import rankworth as rw
from generators import Grades, Scores
from rankworth.measures import Measure

SCALE = (0.0, 1.0, 2.0, 3.0)
_OTHERWISE = "a document that nobody judged counts otherwise than one of grade 0"


def rankings(by: str, number: int, seed: int, *, tied: bool) -> tuple[Grades, Scores]:
    """Small random rankings with ties or holes, or both, judged on the whole scale; some grades are negative."""
    draw = np.random.default_rng(seed)
    qrels: Grades = {"scale": {str(grade): grade for grade in SCALE}}
    run: Scores = {"scale": {"0.0": 1.0}}
    for query in map("{:05d}".format, range(number)):
        size = int(draw.integers(1, 7))
        odd = 2 if by == "ties" else int(draw.random() < 0.15)
        grades = [*SCALE, 0.0, 1.0, *[-1.0, 0.5][:odd]]
        judged = {f"d{place}": float(draw.choice(grades)) for place in range(size) if draw.random() < 0.6}
        missed = {f"m{place}": float(draw.choice(grades)) for place in range(int(draw.integers(0, 4)))}
        qrels[query] = judged | missed or {"m": 0.0}
        scores = draw.integers(0, 3, size).tolist() if tied else range(size, 0, -1)
        run[query] = {f"d{place}": float(score) for place, score in enumerate(scores)}
    return qrels, run


def every_order(qrels: dict[str, float], run: dict[str, float]) -> Iterator[tuple[dict[str, float], dict[str, float]]]:
    """The ranking with its ties in every order."""
    ties: dict[float, list[str]] = {}
    for document, score in sorted(run.items(), key=lambda item: -item[1]):
        ties.setdefault(score, []).append(document)
    for orders in product(*map(permutations, ties.values())):
        groups = zip(ties, orders, strict=True)
        yield qrels, {name: score - 0.001 * number for score, order in groups for number, name in enumerate(order)}


def every_grade(
    qrels: dict[str, float], run: dict[str, float], scale: Sequence[float] = SCALE
) -> Iterator[tuple[dict[str, float], dict[str, float]]]:
    """The ranking with every grade for each of its unjudged documents."""
    unjudged = [document for document in run if document not in qrels]
    for grades in product(scale, repeat=len(unjudged)):
        yield qrels | dict(zip(unjudged, grades, strict=True)), run


def faults(by: Any, measures: Sequence[Measure], number: int, seed: int, **settings: Any) -> tuple[list[str], int, int]:
    """What is wrong with bounds; how many were compared, and how many are not known."""
    qrels, run = rankings(by, number, seed, tied=by == "ties" or "ties" in settings)
    ways = every_order if by == "ties" else every_grade
    every = {f"{query} {place}": way for query in qrels for place, way in enumerate(ways(qrels[query], run[query]))}
    labels = list(map(str, measures))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        bounded = rw.evaluate(qrels, run, labels, bounds=by, **settings)
        sides = ({query: way[side] for query, way in every.items()} for side in (0, 1))
        values = rw.evaluate(*sides, labels, **settings).per_query
    bounds, now = bounded.bounds, bounded.per_query.to_dict()
    assert bounds is not None
    owner = np.array([query.partition(" ")[0] for query in values.ids])
    starts = np.flatnonzero(np.append(True, owner[1:] != owner[:-1]))
    ends = np.minimum.reduceat(values.array, starts), np.maximum.reduceat(values.array, starts)
    mean = np.add.reduceat(values.array, starts) / np.diff(starts, append=owner.size)[:, None]
    wrong, unknown = [], 0
    for column, label in enumerate(labels):
        known = bounds.per_query(label)
        if any(note.startswith(f"{label} has no bounds: {_OTHERWISE}") for note in bounds.notes):
            each = zip(owner[starts].tolist(), ends[0][:, column], ends[1][:, column], strict=True)
            if all(low - 1e-9 <= now[query][label] <= high + 1e-9 for query, low, high in each):
                wrong.append(f"{label} has no bounds, and they would hold all values")
            continue
        rows = zip(owner[starts].tolist(), ends[0][:, column], ends[1][:, column], mean[:, column], strict=True)
        for query, low, high, expected in rows:
            found = known[query]
            unknown += int(np.isnan(found.low))
            pairs = [(found.low, low), (found.high, high)] + ([(found.expected, expected)] if by == "ties" else [])
            if any(one != other and abs(one - other) > 1e-12 for one, other in pairs):  # equal where both are infinite
                wrong.append(f"{label} of {qrels[query]} {run[query]}: {found}, and not {low}, {expected}, {high}")
    return wrong, len(labels) * starts.size, unknown


def faults_of_differences(
    measures: Sequence[Measure], number: int, seed: int, **settings: Any
) -> tuple[list[str], int, int]:
    """What is wrong with bounds of mean differences over grades; how many were compared, and how many are not known."""
    qrels, first = rankings("unjudged", number, seed, tied=False)
    draw = np.random.default_rng(seed)
    second: Scores = {}
    for query, documents in first.items():
        pool = [*documents, "new"]
        size = int(draw.integers(1, len(pool) + 1))
        second[query] = {str(name): -float(rank) for rank, name in enumerate(draw.permutation(pool)[:size])}
    both = {query: first[query] | second[query] for query in qrels}
    every = {
        f"{query} {place}": (judged, query)
        for query in qrels
        for place, (judged, _) in enumerate(every_grade(qrels[query], both[query]))
    }
    labels = list(map(str, measures))
    filled = {name: judged for name, (judged, _) in every.items()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        told = rw.compare(qrels, {"a": first, "b": second}, labels, bounds="unjudged", resamples=10, **settings)
        sides = ({name: run[query] for name, (_, query) in every.items()} for run in (first, second))
        one, other = (rw.evaluate(filled, run, labels, **settings).per_query for run in sides)
    owner = np.array([query.partition(" ")[0] for query in one.ids])
    starts = np.flatnonzero(np.append(True, owner[1:] != owner[:-1]))
    values = other.array - one.array
    wrong, unknown, bounds = [], 0, told.bounds
    notes = {label: [note for note in told.notes if note.startswith(f"{label}: ")] for label in labels}
    for bound in bounds:
        if any(note.partition("has no bounds: ")[2].startswith(_OTHERWISE) for note in notes[bound.measure]):
            continue
        column = labels.index(bound.measure)
        ends = [cut.reduceat(values[:, column], starts).mean() for cut in (np.minimum, np.maximum)]
        holds = ends[0] > 1e-12 or ends[1] < -1e-12
        unknown += bound.holds is None
        if np.isnan(bound.low):
            if bound.holds is False and holds:
                wrong.append(f"{bound.measure}: {bound}, and not {ends}")
        elif max(abs(bound.low - ends[0]), abs(bound.high - ends[1])) > 1e-12:
            wrong.append(f"{bound.measure}: {bound}, and not {ends}")
    return wrong, len(bounds), unknown
