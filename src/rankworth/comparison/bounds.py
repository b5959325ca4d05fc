"""Whether the sign of a mean difference holds whatever the order of ties, or the grades of unjudged documents, are."""

import math
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np

from rankworth.comparison.differences import Difference
from rankworth.comparison.score_table import ScoreTable
from rankworth.comparison.systems import SystemReader
from rankworth.stats.samples import ROUNDING
from rankworth.whatif.bounds import Varied, assumption, no_bounds, refuse_without_bounds, vary
from rankworth.whatif.rankings import MeasureContext

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
    """Bound mean differences, and say in sentences what the bounds show.

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
    reasons = [next(filter(None, (no_bounds(side, by) for side in sides)), "") for sides in pairs]
    refuse_without_bounds(reasons)
    mean_bounds = [
        _of_mean(scores, row, sides, by) if not reason else _MeanBound(_unknown(row), reason)
        for row, sides, reason in zip(rows, pairs, reasons, strict=True)
    ]
    return tuple(bound for bound, _ in mean_bounds), (
        assumption(pairs[0][0].run.hits, by),
        *_sentences(rows, mean_bounds, by),
    )


class _MeanBound(NamedTuple):
    """Bounds of a difference, and why there are none."""

    bound: DifferenceBound
    reason: str = ""


def _unknown(row: Difference, *, holds: bool | None = None) -> DifferenceBound:
    return DifferenceBound(row.measure, row.first, row.second, math.nan, math.nan, holds)


def _of_mean(scores: ScoreTable, row: Difference, sides: Sequence[MeasureContext], by: Varied) -> _MeanBound:
    """Bound a mean difference; `sides` is the measure of both systems."""
    first, second = scores.pair(row.measure, row.first, row.second)
    has_value = ~np.isnan(first + second)  # [Q]
    compared = scores.at(has_value)
    # [q] each: the queries with a value by both
    values, (low, high, is_known, _), reason = vary(sides, compared.queries, by)
    if not reason and not np.allclose(values, (second - first)[has_value], rtol=0, atol=ROUNDING):
        reason = "queries count that have no value of their own"
    if reason:
        return _MeanBound(_unknown(row), reason)
    weights = compared.weights
    ends = [float(np.average(end, weights=weights)) if end.size else math.nan for end in (low, high)]
    signs = np.sign(np.where(np.abs(ends) <= ROUNDING, 0.0, ends))
    holds = bool(signs[0] == signs[1])
    if is_known.all():
        return _MeanBound(DifferenceBound(row.measure, row.first, row.second, ends[0], ends[1], holds))
    turns = not holds and not any(map(math.isnan, ends))  # these differences are attained
    return _MeanBound(_unknown(row, holds=False if turns else None))


def _sentences(rows: Sequence[Difference], mean_bounds: Sequence[_MeanBound], by: Varied) -> Iterator[str]:
    """Yield sentences on the verdicts that hold, that could turn, and that are open."""
    many = len({(row.first, row.second) for row in rows}) > 1
    for row, (bound, reason) in zip(rows, mean_bounds, strict=True):
        name = f"{row.second} and {row.first} by {row.measure}" if many else row.measure
        between = "" if math.isnan(bound.low) else f" ({bound.low:+.4f} to {bound.high:+.4f})"
        if reason:
            yield f"{name}: the difference has no bounds: {reason}"
        elif bound.holds:
            yield f"{name}: the sign of the difference holds {_WHATEVER[by]}{between}"
        elif bound.holds is None:
            yield f"{name}: whether the sign of the difference holds {_WHATEVER[by]} is not known"
        else:
            yield f"{name}: the sign of the difference could turn{between}"
