"""Words about ranks that have no row of their own: sums over all of them, in closed form or by table.

Between two judged documents nothing changes but the rank. What a reader does there has a sum that depends on its ends
alone, so that rows for judged documents are enough, however long the ranking is.
"""

import math
from collections.abc import Callable
from functools import lru_cache
from itertools import accumulate
from typing import Final

from rankworth.errors import MeasureError
from rankworth.judged import Array, Judged, constant, counting, indexing, namespace
from rankworth.measures.building_blocks import cumulative, reach

_SMALLEST: Final = math.log(5e-324)
"""of all numbers; what is less is 0"""
_DEEPEST: Final = 1 << 20
_SHIFT: Final = 10
_BERNOULLI: Final = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510)
"""B_2, B_4, ... B_16"""


def before(gain: Array) -> Array:
    """`[Q, H]`: the running total of a gain, this row left out."""
    if not gain.shape[1]:
        return gain
    xp = namespace(gain)
    return xp.concat([xp.zeros_like(gain[:, :1]), cumulative(gain)[:, :-1]], axis=1)


def enough(gain: Array, target: float) -> Array:
    """`[Q, H]`: 1 where the running total of a gain, this row included, has come to a target."""
    return namespace(gain).astype(cumulative(gain) >= target, gain.dtype)


def never(stop: Array) -> Array:
    """`[Q]`: the chance that a reader stops at no row at all who stops at each with chance `stop`."""
    if not stop.shape[1]:
        return 1 + namespace(stop).sum(stop, axis=1)
    return reach(stop)[:, -1] * (1 - stop[:, -1])


def sums(weight: Callable[[float], float], depth: int) -> Callable[[float], float]:
    """From a rank to the sum of a weight over the ranks from 1 to it; all of them are added beyond the depth."""
    running = list(accumulate(map(weight, range(1, depth + 1))))
    return lambda rank: running[min(int(rank), depth) - 1]


def at_every_rank(judged: Judged, divisor: Callable[[float], float]) -> Array:
    """`[Q]`: what documents of gain 1 are worth at all ranks down to the cutoff, or as many as were retrieved.

    Args:
        judged: the rankings.
        divisor: from a rank, counted from 1, to what the gain is divided by.

    Raises:
        MeasureError: `bad-cutoff`.

    """
    xp = judged.xp
    depth = xp.astype(judged.n_retrieved * 0 + judged.depth, indexing(judged.rank))  # [Q]: the last rank
    if isinstance(judged.cutoff, int):
        deepest = judged.cutoff
    elif judged.asks:
        deepest = int(xp.max(depth)) if depth.shape[0] else 0
    else:
        deepest = judged.rank.shape[1]
    if deepest > _DEEPEST:
        message = f"{deepest:,} ranks are too many to add up; a cutoff goes to {_DEEPEST:,} here"
        raise MeasureError("bad-cutoff", message)
    # [deepest + 1]: by rank, from 0
    running = accumulate((1 / divisor(rank) for rank in range(1, deepest + 1)), initial=0.0)
    return xp.take(constant(list(running), judged.rank), depth)


def geometric_tail(p: float) -> Callable[[float], float]:
    """From a rank r to the sum of p^(i - 1) / i over the ranks i from r on, the small ones added first.

    It ends where p^i is 0, or for a p above 0.9993 after a million ranks.
    """
    tails = _tails(p)
    return lambda rank: tails[int(rank) - 1] if rank <= len(tails) else 0.0


@lru_cache(maxsize=16)
def _tails(p: float) -> list[float]:
    deepest = max(1, min(_DEEPEST, int(_SMALLEST / math.log(p)) + 1))
    return list(accumulate(p ** (rank - 1) / rank for rank in range(deepest, 0, -1)))[::-1]


def by_rank(rank: Array, function: Callable[[float], float]) -> Array:
    """The function of each rank, of rows or not, place by place."""
    if not math.prod(rank.shape):
        return rank
    xp = namespace(rank)
    ranks, places = xp.unique_inverse(rank)  # [U]: the distinct ranks; and which it is, of the shape of `rank`
    table = constant([function(float(ranks[index])) for index in range(ranks.shape[0])], rank)
    return xp.reshape(xp.take(table, xp.reshape(places, (-1,))), rank.shape)


def inverse_squares(start: Array) -> Array:
    """The sum of 1 / x^2 over x = start, start + 1, start + 2, ... without end, for starts of 1 or more.

    It is the trigamma function: the first terms one by one, and the others by the formula of Euler and Maclaurin.
    """
    x = start + _SHIFT
    inverse = 1 / x
    square = inverse * inverse
    series = 0 * x
    for number in reversed(_BERNOULLI):
        series = (series + number) * square
    total = inverse * (1 + inverse / 2 + series)
    for step in reversed(range(_SHIFT)):
        total = total + 1 / ((start + step) * (start + step))
    return total


def ideal_rank(gain: Array, best: Array) -> Array:
    """`[Q, H]`: the rank of each document in the ideal ranking in which documents of one gain keep their order.

    Documents that were not retrieved come after the retrieved ones of their gain.

    Args:
        gain: of each row, none below 0.
        best: `[Q, P]`: the gains of the ideal ranking.

    """
    if not math.prod(gain.shape):
        return gain
    xp = namespace(gain)
    # [L]: all gains, ascending
    levels = xp.unique_values(xp.concat([xp.reshape(gain, (-1,)), xp.reshape(best, (-1,))]))
    queries = xp.reshape(counting(gain.shape[0], gain, indexing(gain)), (-1, 1))  # [Q, 1]: the number of each query
    # [Q, H] and [Q, P]: keys, lower for greater gains, and greater for each further query
    rows, ideal = ((queries + 1) * levels.shape[0] - xp.searchsorted(levels, each) for each in (gain, best))
    # [Q, H]: the position of each row by gain, from 0
    position = xp.argsort(xp.argsort(rows, axis=1, stable=True), axis=1, stable=True)
    # [Q, H]: how many documents of the ideal ranking have a greater gain
    better = _smaller(ideal, rows) - queries * best.shape[1]
    # [Q, H]: how many rows have a greater gain
    better_rows = _smaller(xp.sort(rows, axis=1), rows) - queries * gain.shape[1]
    return xp.astype(1 + position + better - better_rows, gain.dtype)


def _smaller(keys: Array, sought: Array) -> Array:
    """`[Q, T]`: how many of all keys, which grow from the first row to the last, are smaller."""
    xp = namespace(keys)
    return xp.reshape(xp.searchsorted(xp.reshape(keys, (-1,)), xp.reshape(sought, (-1,))), sought.shape)


def cut_at(judged: Judged, ranks: int) -> tuple[Judged, int]:
    """The ranking cut at its reader's latest end, and that rank: the cutoff, or `ranks` if that is less."""
    depth = ranks if judged.cutoff is None else min(ranks, int(judged.cutoff))
    return judged.cut(depth), depth
