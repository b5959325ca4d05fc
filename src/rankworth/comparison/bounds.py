"""Whether the sign of a mean difference holds whatever the order of ties, or the grades of unjudged documents, are."""

import math
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np

from rankworth.comparison.differences import Difference, ScoreTable
from rankworth.comparison.systems import SystemReader
from rankworth.evaluation.bounds import Varied, assumption, vary
from rankworth.evaluation.counterfactuals import MeasureContext
from rankworth.stats.samples import ROUNDING

_WHATEVER: Final = {"ties": "whatever the order of ties is", "unjudged": "whatever the unjudged documents are"}


class DifferenceBound(NamedTuple):
    """How low and how high a mean difference could be, the second system less the first."""

    measure: str
    first: str
    second: str
    low: float
    """NaN where it is not known, and infinite nowhere"""
    high: float
    holds: bool | None
    """whether all differences have one sign, or are 0; None where nobody knows"""


def bounds_of(
    reader: SystemReader, scores: ScoreTable, rows: Sequence[Difference], by: Varied
) -> tuple[tuple[DifferenceBound, ...], tuple[str, ...]]:
    """The bounds of mean differences, and sentences on them.

    Args:
        reader: has measured the systems.
        scores: their values.
        rows: the differences.
        by: what bounds are taken over.

    Raises:
        UsageError: `conflicting-options` for systems that are no single runs.

    """
    contexts = reader.contexts(scores.measures, scores.systems, by)
    pairs = [[contexts[name][row.measure] for name in (row.first, row.second)] for row in rows]
    bounds = tuple(_of_mean(scores, row, sides, by) for row, sides in zip(rows, pairs, strict=True))
    return bounds, (assumption(pairs[0][0].run.hits, by), *_sentences(rows, bounds, by))


def _of_mean(scores: ScoreTable, row: Difference, sides: Sequence[MeasureContext], by: Varied) -> DifferenceBound:
    """The bounds of a mean difference; `sides` is the measure of both systems."""
    places = {query: place for place, query in enumerate(sides[0].qrels.queries)}
    order = np.array([places[query] for query in scores.queries], dtype=np.int64)
    low, high, is_known = (column[order] for column in vary(sides, by))
    first, second = scores.pair(row.measure, row.first, row.second)
    there = ~np.isnan(first + second)
    weights = scores.at(there).weights
    ends = [float(np.average(end[there], weights=weights)) if there.any() else math.nan for end in (low, high)]
    signs = np.sign(np.where(np.abs(ends) <= ROUNDING, 0.0, ends))
    holds = bool(signs[0] == signs[1])
    if is_known[there].all():
        return DifferenceBound(row.measure, row.first, row.second, ends[0], ends[1], holds)
    turns = not holds and not any(map(math.isnan, ends))  # these differences are attained
    return DifferenceBound(row.measure, row.first, row.second, math.nan, math.nan, False if turns else None)


def _sentences(rows: Sequence[Difference], bounds: Sequence[DifferenceBound], by: Varied) -> Iterator[str]:
    """What holds, what could turn, and what is not known."""
    many = len({(row.first, row.second) for row in rows}) > 1
    for row, bound in zip(rows, bounds, strict=True):
        name = f"{row.second} and {row.first} by {row.measure}" if many else row.measure
        between = "" if math.isnan(bound.low) else f" ({bound.low:+.4f} to {bound.high:+.4f})"
        if bound.holds:
            yield f"{name}: the sign of the difference holds {_WHATEVER[by]}{between}"
        elif bound.holds is None:
            yield f"{name}: whether the sign of the difference holds {_WHATEVER[by]} is not known"
        else:
            yield f"{name}: the sign of the difference could turn{between}"
