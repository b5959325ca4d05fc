"""What the user models of C/W/L have in common: what readers gain, when they stop, and which number is reported."""

from collections.abc import Callable
from typing import Literal

from rankworth.errors import MeasureError
from rankworth.judged import Array, Judged
from rankworth.measures.building_blocks import (
    at_most,
    excess,
    gain_of,
    inside,
    per_query,
    position,
    reach,
    relevant,
    total,
)
from rankworth.measures.core import Terms
from rankworth.measures.sums import cut_at, never, sums

Reported = Literal["rate", "total", "depth"]
"""Of a reader: the gain per document, the gain of all documents that are looked at, or their number."""


def earned(judged: Judged, rel: float, max_grade: float | None, min_grade: float) -> Array:
    """`[Q, H]`: the gain of each document, of which the best is worth the span of the scale."""
    if max_grade is None:
        return relevant(judged, rel)
    at_most(judged, max_grade, f"max_grade={max_grade:g}", "set max_grade to the best grade of the scale")
    return excess(gain_of(judged, "linear"), min_grade)


def span(max_grade: float | None, min_grade: float) -> float:
    """What the best document is worth before gains are brought to the scale from 0 to 1."""
    if max_grade is None and min_grade == 0:
        return 1.0
    if max_grade is None or min_grade >= max_grade:
        raise MeasureError(
            "bad-parameter",
            f"min_grade={min_grade:g} has no max_grade above it",
            remedy="set max_grade to the best grade of the scale",
        )
    return max_grade - min_grade


def gains_down_to(
    judged: Judged, ranks: int, rel: float, max_grade: float | None, min_grade: float
) -> tuple[Judged, int, Array]:
    """The first ranks, the last of them, and `[Q, H]`, the gain of each document as a share of that of the best one."""
    judged, depth = cut_at(judged, ranks)
    return judged, depth, earned(judged, rel, max_grade, min_grade) / span(max_grade, min_grade)


def reported(of: Reported, judged: Judged, rate: Terms, *, at_first: float = 1.0, beyond: Array | float = 0.0) -> Terms:
    """What is reported of a reader.

    Args:
        of: what it is.
        judged: the ranking, as far as the reader may look.
        rate: the gain per document, in which norm is the sum of the weights of all ranks.
        at_first: the weight of rank 1, which every reader looks at.
        beyond: the weight of the rank after the last one, a number or `[Q]`: readers who would go on to it have not
            stopped, and what they gained does not count in the total.

    """
    if of == "rate":
        return rate
    if of == "depth":
        return Terms(gain=0 * rate.gain, rest=rate.norm / at_first)
    weight = rate.weight / rate.discount
    if not isinstance(beyond, float):
        beyond = per_query(beyond)
    elif not beyond:
        return Terms(gain=rate.gain, weight=weight / at_first)
    return Terms(gain=rate.gain, weight=excess(weight - beyond * inside(judged), 0) / at_first)


def stopping(
    judged: Judged,
    gain: Array,
    stop: Array,
    weight: Callable[[float], float],
    depth: int,
    *,
    of: Reported = "rate",
    goes_on: bool = False,
) -> Terms:
    """What is reported of a reader with C(i) = weight(i + 1) / weight(i) * (1 - stop(i)).

    The rate is the sum of V(i) gain(i) over the sum of V(i).

    Args:
        judged: the ranking, as far as the reader may look.
        gain: of each document.
        stop: the chance that the reader stops there.
        weight: of each rank.
        depth: the last rank that the reader may look at.
        of: what is reported.
        goes_on: whether the reader would look at the next rank, too, if there were one, so as not to have stopped.

    """
    reached, looked = reach(stop), sums(weight, depth)
    norm = total(stop * reached * position(judged, looked)) + never(stop) * looked(depth)
    rate = Terms(gain=gain, weight=reached * position(judged, weight), norm=norm)
    beyond = never(stop) * weight(depth + 1) if goes_on else 0.0
    return reported(of, judged, rate, at_first=weight(1), beyond=beyond)


def inverse_square(goal: float) -> Callable[[float], float]:
    """From a rank to how far a reader who hopes for a gain gets without one."""
    return lambda rank: 1 / (rank + 2 * goal - 1) ** 2
