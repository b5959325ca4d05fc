"""Building blocks about subtopics: what a document covers, how new that is, and what the best that can be covered is.

A document covers a subtopic if its grade for it is `rel` or better. Sums over subtopics run from the first to the last,
like those over ranks, so that a query has the same value alone and beside queries with more subtopics.
"""

import math
from collections.abc import Callable
from itertools import accumulate, repeat
from operator import mul
from typing import Any, Final

from rankworth.errors import MeasureError
from rankworth.judged import Array, Judged, constant, namespace

_DEEPEST: Final = 1_000_000


def covered(judged: Judged, rel: float) -> Array:
    """`[Q, H]`: how many subtopics a document covers."""
    return _total(_covers(judged, judged.by_subtopic, rel))


def novelty(judged: Judged, rel: float, alpha: float) -> Array:
    """`[Q, H]`: how many subtopics a document covers, each worth `1 - alpha` times as much as when it was last covered.

    Args:
        judged: the ranking.
        rel: the grade from which a document covers a subtopic.
        alpha: how little a subtopic is worth that was covered before; 1, nothing; 0, as much as at first.

    """
    covers = _covers(judged, judged.by_subtopic, rel)
    if not covers.shape[0] or not covers.shape[1]:
        return judged.grade
    xp = judged.xp
    before = xp.astype(xp.cumulative_sum(covers, axis=1) - covers, xp.int64)
    worth = constant(_fading(alpha, covers.shape[1]), covers)
    return _total(covers * xp.reshape(xp.take(worth, xp.reshape(before, (-1,))), covers.shape))


def shares_of_subtopics(judged: Judged, rel: float) -> Array:
    """`[Q, H]`: at each document, the share of the relevant documents that was found, over the subtopics it covers."""
    covers = _covers(judged, judged.by_subtopic, rel)
    if not covers.shape[0] or not covers.shape[1]:
        return judged.grade
    xp = judged.xp
    relevant = xp.sum(_covers(judged, judged.pool_by_subtopic, rel), axis=1)
    relevant = xp.where(relevant > 0, relevant, xp.ones_like(relevant))
    return _total(covers * xp.cumulative_sum(covers, axis=1) / relevant[:, None, :])


def subtopics(judged: Judged, rel: float) -> Array:
    """`[Q]`: how many subtopics some judged document covers, retrieved or not; others do not count."""
    xp = judged.xp
    there = xp.any(_covers(judged, judged.pool_by_subtopic, rel) > 0, axis=1)
    return xp.sum(xp.astype(there, judged.rank.dtype), axis=1)


def best_of_all(judged: Judged, rel: float, alpha: float, divisor: Callable[[float], float]) -> Array:
    """`[Q]`: the discounted novelty of a ranking in which every document covers every subtopic, down to the cutoff.

    Args:
        judged: the rankings.
        rel: the grade from which a document covers a subtopic.
        alpha: as for novelty.
        divisor: from a rank, counted from 1, to what novelty is divided by.

    Raises:
        MeasureError: `bad-cutoff`.

    """
    xp = judged.xp
    number = xp.astype(subtopics(judged, rel), xp.int64)
    depth = xp.astype(judged.n_retrieved * 0 + judged.depth, xp.int64)
    if not depth.shape[0] or not int(xp.max(depth)):
        return judged.n_retrieved * 0
    deepest, most = int(xp.max(depth)), max(1, int(xp.max(number)))
    if deepest > _DEEPEST:
        message = f"{deepest:,} ranks with all subtopics are too many to add up; a cutoff goes to {_DEEPEST:,} here"
        raise MeasureError("bad-cutoff", message)
    worth = constant(_fading(alpha, deepest), judged.rank)
    discount = constant([divisor(rank) for rank in range(1, deepest + 1)], worth)
    gains = xp.cumulative_sum(worth[None, :] * xp.ones((most, 1), dtype=worth.dtype), axis=0)
    totals = xp.reshape(xp.cumulative_sum(gains / discount[None, :], axis=1), (-1,))
    void = (number == 0) | (depth == 0)
    place = xp.where(void, xp.zeros_like(number), (number - 1) * deepest + depth - 1)
    return xp.where(void, xp.zeros_like(judged.n_retrieved), xp.take(totals, place))


def greedy(judged: Judged, rel: float, alpha: float) -> Judged:
    """All judged documents, the one next that is newest after those before, under the same cutoff.

    Of documents that are equally new, that with the greatest id comes first. Those that cover nothing are left out.
    """

    def choose(whole: Judged) -> Array:
        xp = whole.xp
        covers = _covers(whole, whole.by_subtopic, rel)
        queries, height, _ = covers.shape
        if not queries or not height:
            return xp.zeros((queries, 0), dtype=xp.int64)
        useful = xp.any(covers > 0, axis=2)
        size = int(xp.max(xp.sum(xp.astype(useful, xp.int64), axis=1)))
        kept = xp.argsort(xp.astype(~useful, xp.int64), axis=1, stable=True)[:, :size]
        covers = xp.take_along_axis(covers, kept[:, :, None], axis=1)
        steps = size if judged.cutoff is None else min(size, int(xp.max(xp.asarray(judged.cutoff))))
        chosen = _greedily(xp, covers, alpha, steps)
        return xp.take_along_axis(kept, chosen, axis=1)

    return judged.ideal_by(choose)


def _greedily(xp: Any, covers: Array, alpha: float, steps: int) -> Array:  # noqa: ANN401 - an array namespace
    """`[Q, T]`: the places of the documents that are taken one after the other; the first of those that are equal.

    Where a query has fewer documents that cover anything, others follow, each once.
    """
    queries, size, number = covers.shape
    worth = xp.ones((queries, number), dtype=covers.dtype)
    places = xp.arange(size, dtype=xp.int64)[None, :]
    left = xp.ones((queries, size), dtype=xp.bool)
    columns = [covers[:, :, subtopic] * 1.0 for subtopic in range(number)]  # side by side in memory
    chosen = []
    for _ in range(steps):
        new = columns[0] * worth[:, :1]
        for subtopic in range(1, number):
            new = new + columns[subtopic] * worth[:, subtopic : subtopic + 1]
        new = xp.where(left, new, constant(-1.0, covers))
        place = xp.argmax(new, axis=1, keepdims=True)
        chosen.append(place)
        left = left & (places != place)
        taken = xp.take_along_axis(covers, place[:, :, None], axis=1)[:, 0, :]
        worth = xp.where(taken > 0, worth * (1 - alpha), worth)
    return xp.concat(chosen, axis=1) if chosen else xp.zeros((queries, 0), dtype=xp.int64)


def _covers(judged: Judged, grades: Array, rel: float) -> Array:
    """`[Q, H, S]`: 1 where a document covers a subtopic."""
    return judged.xp.astype(grades >= rel, judged.rank.dtype)


def _fading(alpha: float, length: int) -> list[float]:
    """What the first, the second, ... document of a subtopic is worth."""
    return list(accumulate(repeat(1 - alpha, length - 1), mul, initial=1.0))


def _total(values: Array) -> Array:
    """`[Q, H]`: the sum over subtopics, added from the first to the last."""
    xp = namespace(values)
    if not math.prod(values.shape):
        return xp.zeros(values.shape[:2], dtype=values.dtype)
    return xp.cumulative_sum(values, axis=2)[:, :, -1]
