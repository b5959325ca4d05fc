"""The building blocks of which measures are defined: the only module of definitions that touches arrays.

Each takes and gives arrays `[Q, H]` (a number for each row) or `[Q]` (one for each query) of any library that follows
the array API standard. Rows that are unjudged, beyond the cutoff or padding have gain 0 in all of them.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Literal

from rankworth.errors import MeasureError
from rankworth.judged import Array, Judged, added_up, constant, counting, indexing, namespace, widest

Gain = Literal["linear", "exp2"] | Mapping[float, float]
"""How a grade becomes a gain: itself, 2^grade - 1, or by a table."""
AnyGain = Literal["linear", "exp2", "binary", "signed", "signed-exp2"] | Mapping[float, float]
"""How a grade becomes a gain: also 1 from a grade on, or linear and exp2 of negative grades, too."""
SIGNED: Final = ("signed", "signed-exp2")
"""Gains below 0, which stand behind those of unjudged documents in an ideal ranking."""
Discount = Literal["rank+1", "rank", "1/rank", "none"]
"""What a gain is divided by: the logarithm of the rank plus one, that of the rank but at least 1, the rank, or 1."""
_EXPONENT = 1000.0
"""of 2, beyond which gains are no numbers any more"""


def relevant(judged: Judged, rel: float) -> Array:
    """`[Q, H]`: 1 for documents of grade `rel` or better."""
    return _float(judged, judged.is_judged & (judged.grade >= rel))


def nonrelevant(judged: Judged, rel: float) -> Array:
    """`[Q, H]`: 1 for judged documents of a grade from 0 to below `rel`; a negative grade is neither."""
    return _float(judged, judged.is_judged & (judged.grade >= 0) & (judged.grade < rel))


def assessed(judged: Judged) -> Array:
    """`[Q, H]`: 1 for documents with any grade."""
    return _float(judged, judged.is_judged)


def anywhere(judged: Judged) -> Array:
    """`[Q, H]`: 1 for documents with a grade for this query or, where somebody asked, for another one."""
    is_judged = (
        judged.is_judged if judged.elsewhere is None else judged.is_judged | (judged.retrieved & judged.elsewhere)
    )
    return _float(judged, is_judged)


def pooled(judged: Judged) -> Array:
    """`[Q, H]`: 1 for documents that were chosen to be judged and never were, which negative grades say."""
    return _float(judged, judged.is_judged & (judged.grade < 0))


def gain_of(
    judged: Judged,
    gain: AnyGain | tuple[tuple[float, float], ...],
    *,
    rel: float = 1,
    floor: float | None = None,
) -> Array:
    """`[Q, H]`: the gain of each document; 0 for grades of 0 or below unless a table or a signed gain says otherwise.

    In a table, grades that are not listed keep their linear gain. Grades below the floor gain nothing. Only the binary
    gain looks at `rel`.

    Raises:
        MeasureError: `grade-above-maximum`, where 2^grade overflows.

    """
    xp = judged.xp
    positive = xp.maximum(judged.grade, xp.zeros_like(judged.grade))
    if gain == "linear":
        gains = positive  # [Q, H]
    elif gain == "signed":
        gains = judged.grade
    elif gain == "binary":
        gains = relevant(judged, rel)
    elif isinstance(gain, str):
        at_most(judged, _EXPONENT, "2^grade is a number up to 1000 only", "are these grades, or ids or counts?")
        gains = 2.0 ** (positive if gain == "exp2" else judged.grade) - 1
    else:
        gains = positive
        for grade, worth_of_it in dict(gain).items():
            gains = xp.where(judged.grade == grade, constant(worth_of_it, gains), gains)
    # [Q, H]: whether the document can have a gain
    counts = judged.is_judged if floor is None else judged.is_judged & (judged.grade >= floor)
    return xp.where(counts, gains, xp.zeros_like(gains))


def positive(gain: Array) -> Array:
    """1 where a gain is above 0, else 0."""
    return namespace(gain).astype(gain > 0, gain.dtype)


def steps(gain: Array) -> Array:
    """`[Q, H]`: 1 at the last row of each gain above 0, for gains that never rise."""
    if not gain.shape[1]:
        return gain
    xp = namespace(gain)
    lower = xp.concat([gain[:, 1:], xp.zeros_like(gain[:, :1])], axis=1)  # [Q, H]: the next gain, 0 behind the last
    return xp.astype((gain > 0) & (gain > lower), gain.dtype)


def excess(gain: Array, floor: float) -> Array:
    """What a gain is more than a floor, place by place; 0 where it is less."""
    xp = namespace(gain)
    return xp.maximum(gain - floor, xp.zeros_like(gain))


def cumulative(gain: Array) -> Array:
    """`[Q, H]`: the running total of a gain, this row included."""
    return added_up(gain) if gain.shape[1] else gain


def total(gain: Array) -> Array:
    """`[Q]`: the sum of a gain, added from the first row to the last."""
    if gain.shape[1]:
        return cumulative(gain)[:, -1]
    return namespace(gain).sum(gain, axis=1)


def first(gain: Array) -> Array:
    """`[Q, H]`: 1 at the first row with a gain of 1, 0 elsewhere; for gains of 0 and 1."""
    xp = namespace(gain)
    return gain * xp.astype(cumulative(gain) == 1, gain.dtype)


def at(running: Array, rank: Array) -> Array:
    """`[Q, T]`: the running total of another ranking down to some ranks; its last one where it is shorter."""
    xp = namespace(running)
    if not running.shape[1]:
        return xp.zeros_like(rank)
    index = xp.astype(rank, indexing(rank))
    index = xp.minimum(index, constant(running.shape[1], index)) - 1  # [Q, T]: columns, from 0
    return xp.take_along_axis(running, index, axis=1)


def down_to(judged: Judged, running: Array, rank: Array) -> Array:
    """`[Q, T]`: the running total of a ranking at ranks that need not be those of its rows; 0 before the first row."""
    xp = judged.xp
    queries, height = judged.rank.shape
    if not height or not rank.shape[1]:
        return xp.zeros_like(rank)
    kind = indexing(rank)  # single precision would not tell the rows of thousands of queries apart
    ranks, wanted = (xp.astype(array, kind) for array in (judged.rank, rank))  # [Q, H] and [Q, T]
    beyond = 1 + xp.maximum(xp.max(ranks), xp.max(wanted))
    offset = xp.reshape(counting(queries, wanted), (-1, 1)) * (beyond + 1)  # [Q, 1]: sets the ranks of queries apart
    rows = xp.reshape(xp.where(judged.retrieved, ranks, beyond) + offset, (-1,))  # [Q * H]: ascending
    position = xp.reshape(wanted + offset, (-1,))  # [Q * T]
    # [Q, T]: how many rows of all queries come before, or are at the rank
    before = xp.reshape(xp.searchsorted(rows, position, side="right"), rank.shape)
    # [Q, T]: how many of these are of the query itself
    count = before - xp.reshape(counting(queries, before), (-1, 1)) * height
    totals = xp.take_along_axis(running, xp.maximum(count, constant(1, count)) - 1, axis=1)
    return xp.where(count > 0, totals, xp.zeros_like(totals))


def peak(judged: Judged, found: Array, least_found: Array) -> tuple[Array, Array]:
    """`[Q, 1]` each: how many were found, and at which rank, where their share is greatest.

    Args:
        judged: the ranking.
        found: `[Q, H]`, how many were found down to each row.
        least_found: `[Q]`, how many must have been found; where they never are, 0 stands at rank 1.

    """
    xp = judged.xp
    none = xp.zeros_like(least_found)[:, None]
    if not found.shape[1]:
        return none, none + 1
    counts = judged.is_judged & (found >= least_found[:, None])  # [Q, H]: which rows may be the peak
    shares = xp.where(counts, found / judged.rank, xp.zeros_like(found))
    index = xp.argmax(shares, axis=1, keepdims=True)  # [Q, 1]: the column of the greatest share
    exists = xp.take_along_axis(shares, index, axis=1) > 0
    best_count, rank = (xp.take_along_axis(array, index, axis=1) for array in (found, judged.rank))
    return xp.where(exists, best_count, none), xp.where(exists, rank, none + 1)


def beside(columns: Sequence[Array]) -> Array:
    """`[Q, T]`: arrays side by side."""
    return namespace(columns[0]).concat(list(columns), axis=1)


def whole(number: Array) -> Array:
    """Round down to whole numbers."""
    return namespace(number).floor(number)


def round_up_tenth(number: Array) -> Array:
    """The next whole number, of a number that is not negative, if it is at most 0.9 away; else the one below."""
    return namespace(number).floor(number + 0.9)


def round_half_up(number: Array) -> Array:
    """The nearest whole number, halves upwards, of a number that is not negative."""
    xp = namespace(number)
    below = xp.floor(number)
    return below + xp.astype(number - below >= 0.5, number.dtype)


def portion(share_of_it: float, number: Array, rounding: Callable[[Array], Array]) -> Array:
    """A share of each number, made a whole number as finely as the device can: single precision steps over edges."""
    xp = namespace(number)
    return xp.astype(rounding(share_of_it * xp.astype(number, widest(number))), number.dtype)


def ln(judged: Judged, number: Array) -> Array:
    """The natural logarithm of each number, as the standard library computes it, unless nobody may ask."""
    return _each(number, math.log) if judged.asks else judged.xp.log(number)


def log2(judged: Judged, number: Array, gain: Array) -> Array:
    """The logarithm of each number to base 2, as the standard library computes it; 1 where there is no gain."""
    xp = judged.xp
    number = xp.where(gain != 0, number, constant(2.0, number))
    return _each(number, math.log2) if judged.asks else xp.log2(number)


def reach(stop: Array) -> Array:
    """`[Q, H]`: the chance that a reader gets to a row who stops at each row with chance `stop`."""
    if not stop.shape[1]:
        return stop
    xp = namespace(stop)
    onward = xp.cumulative_prod(1 - stop, axis=1)  # [Q, H]: the chance to go on behind each row
    return xp.concat([xp.ones_like(onward[:, :1]), onward[:, :-1]], axis=1)


def position(judged: Judged, weight: Callable[[float], float]) -> Array:
    """`[Q, H]`: a weight that depends on the rank alone; averaged over the tie group where ties are expected.

    Args:
        judged: the ranking.
        weight: from a rank, counted from 1, to its weight.

    """
    if not judged.rank.shape[1] or not judged.rank.shape[0]:
        return judged.rank
    if judged.ties != "expected":
        return _at(judged, judged.rank, weight)
    xp = judged.xp
    last = judged.tie_last
    if judged.cutoff is not None:
        cutoff = constant(judged.cutoff, last)
        last = xp.minimum(last, cutoff[:, None] if cutoff.ndim else cutoff)
    beyond = xp.maximum(last, judged.tie_first - 1)  # as far as the group goes within the cutoff
    deepest = xp.max(last) if judged.asks else last.shape[1]  # of all queries
    weights, width = [weight(rank) for rank in _ranks(deepest)], last.shape[1]
    if judged.asks and judged.even:  # no group that begins behind the deepest rank has a weight
        width = int(xp.max(xp.count_nonzero(judged.tie_first <= deepest, axis=1)))
    # [Q, width]: the weights of all ranks of the group within the cutoff
    summed = _sums(xp, weights, judged.tie_first[:, :width] - 1, beyond[:, :width])
    means = summed / (judged.tie_last - judged.tie_first + 1)[:, :width]
    return xp.concat([means, xp.zeros_like(judged.rank[:, width:])], axis=1) if width < last.shape[1] else means


def inside(judged: Judged) -> Array | float:
    """`[Q, H]`: 1 down to the cutoff, the weight of measures that count; under expected ties the share of the group.

    Gains are 0 beyond the cutoff anyway, so that it is just the number 1 where nothing is expected.
    """
    return 1.0 if judged.ties != "expected" else position(judged, lambda _: 1.0)


def discount(judged: Judged, divisor: Callable[[float], float]) -> Array:
    """`[Q, H]`: what a gain is divided by at its rank; under expected ties the mean of the quotients comes out."""
    if judged.ties != "expected":
        return position(judged, divisor)
    xp = judged.xp
    mean = position(judged, lambda rank: 1 / divisor(rank))
    return xp.where(mean > 0, 1 / xp.where(mean > 0, mean, xp.ones_like(mean)), constant(math.inf, mean))


def log_discount(judged: Judged, form: Discount, base: float) -> Array:
    """`[Q, H]`: the logarithm of rank + 1; or that of the rank, and 1 where it is less than 1; or the rank; or 1."""
    return discount(judged, log_divisor(form, base))


def log_divisor(form: Discount, base: float) -> Callable[[float], float]:
    """From a rank to what a gain there is divided by."""
    if base == 2:
        logarithm: Callable[[float], float] = math.log2
    else:
        natural = math.log(base)
        logarithm = lambda number: math.log(number) / natural  # noqa: E731 - one of two functions
    if form == "none":
        return lambda _: 1.0
    if form == "1/rank":
        return lambda rank: rank
    if form == "rank+1":
        return lambda rank: logarithm(rank + 1)
    return lambda rank: max(1.0, logarithm(rank))


def least(one: Array | float, other: Array | float) -> Array:
    """The smaller of two, place by place."""
    array: Array = one if hasattr(one, "shape") else other
    xp = namespace(array)
    return xp.minimum(constant(one, array), constant(other, array))


def share(part: Array, whole: Array, *, otherwise: float = 0.0) -> Array:
    """Part over whole, place by place, and `otherwise` where the whole is 0."""
    xp = namespace(part)
    is_zero = whole == 0
    return xp.where(is_zero, constant(otherwise, part), part / xp.where(is_zero, xp.ones_like(whole), whole))


def per_query(value: Array) -> Array:
    """`[Q, 1]`: one number per query, as a factor for every row."""
    return value[:, None]


def at_most(judged: Judged, limit: float, what: str, remedy: str) -> None:
    """Refuse grades above the measure's limit; `what` names the source of the limit.

    Raises:
        MeasureError: `grade-above-maximum`.

    """
    if not judged.asks:
        return
    highest = float(judged.xp.max(judged.pool)) if judged.pool.shape[0] and judged.pool.shape[1] else 0.0
    if highest > limit:
        raise MeasureError(
            "grade-above-maximum",
            f"a document is graded {highest:g}, but {what}",
            remedy=remedy,
        )


def _at(judged: Judged, rank: Array, function: Callable[[float], float]) -> Array:
    """`[Q, H]`: the function of each rank, up to the cutoff.

    The standard library computes it, one rank at a time: array libraries differ in the last bit of their logarithms.
    """
    xp = judged.xp
    if judged.even:
        return xp.broadcast_to(constant([*map(function, _ranks(rank.shape[1]))], rank), rank.shape)
    deepest = xp.max(rank) if judged.cutoff is None else xp.max(xp.asarray(judged.cutoff))
    if int(deepest) <= math.prod(rank.shape):
        table = constant([1.0, *map(function, _ranks(deepest))], rank)  # [deepest + 1]: by rank; that of 0 is not used
        return _take(xp, table, rank)
    ranks = xp.unique_values(rank)  # [U]: the distinct ranks
    table = constant([function(float(ranks[index])) for index in range(ranks.shape[0])], rank)
    return _take(xp, table, xp.searchsorted(ranks, rank))


def _each(number: Array, function: Callable[[float], float]) -> Array:
    """A function of the standard library for every number."""
    xp = namespace(number)
    if not math.prod(number.shape):
        return number
    values, places = xp.unique_inverse(number)  # [U]: the distinct numbers; and which it is, of the shape of `number`
    table = constant([function(float(values[index])) for index in range(values.shape[0])], number)
    return xp.reshape(xp.take(table, xp.reshape(places, (-1,))), number.shape)


def _ranks(deepest: Array) -> range:
    return range(1, int(deepest) + 1)


def _sums(xp: Any, weights: list[float], first: Array, end: Array) -> Array:  # noqa: ANN401 - an array namespace
    """`[Q, H]`: the sums of weights from a place to before another, counted from 0.

    They are put together of blocks of 1, 2, 4, ... weights, so that none depends on how deep the other ties are, and
    small weights are not lost beside large ones.
    """
    total = xp.zeros_like(first)
    while weights:
        table = constant(weights, first)  # [U]: the weights of blocks, of twice as many ranks in each round
        # [Q, H]: 1 where the block at the start has no partner within
        at_start = xp.astype((first < end) & (first % 2 == 1), first.dtype)
        total = total + at_start * _take(xp, table, first)
        first = first + at_start
        # [Q, H]: 1 where the block at the end has no partner within
        at_end = xp.astype((first < end) & (end % 2 == 1), first.dtype)
        end = end - at_end
        total = total + at_end * _take(xp, table, end)
        first, end = xp.floor(first / 2), xp.floor(end / 2)
        padded = [*weights, 0.0]
        weights = (
            [left + right for left, right in zip(padded[::2], padded[1::2], strict=False)] if len(weights) > 1 else []
        )
    return total


def _take(xp: Any, table: Array, index: Array) -> Array:  # noqa: ANN401 - an array namespace
    """Look up, with places beyond the table at its end."""
    flat = xp.astype(xp.reshape(index, (-1,)), indexing(index))  # [n], for n cells of any shape
    return xp.reshape(xp.take(table, xp.minimum(flat, constant(table.shape[0] - 1, flat))), index.shape)


def _float(judged: Judged, mask: Array) -> Array:
    return judged.xp.astype(mask, judged.rank.dtype)
