"""Expectations over the orders of tied documents, for measures that are not linear.

Every order of a tie group is as likely as any other. Then the documents of the group are drawn one after the other
without being put back, and what a rank is worth follows from how many of them are relevant.
After McSherry, Najork (2008), https://doi.org/10.1007/978-3-540-78646-7_38
"""

from collections.abc import Callable

from rankworth.judged import Array, Judged
from rankworth.measures.building_blocks import cumulative, down_to, first, inside, per_query, position, share, total


def precision_at(judged: Judged, is_relevant: Array) -> Array:
    """`[Q, H]`: the number of relevant documents down to the rank of each row, over that rank.

    Where ties are expected, it is the mean over the orders of the row's tie group, cut at the cutoff.

    Args:
        judged: the ranking.
        is_relevant: 1 for relevant documents.

    """
    if judged.ties == "broken":
        return cumulative(is_relevant) / judged.rank
    running = cumulative(is_relevant)
    if judged.ties == "last":
        return down_to(judged, running, judged.rank) / judged.rank
    above = down_to(judged, running, judged.tie_first - 1)
    others = down_to(judged, running, judged.tie_last) - above - 1
    rate = share(others, judged.tie_last - judged.tie_first)
    # Beside a relevant document at rank i, (i - first) of the others stand above it, each relevant at this rate.
    inverse = position(judged, lambda rank: 1 / rank)
    return (above + 1 - judged.tie_first * rate) * inverse + rate * inside(judged)


def at_first_relevant(judged: Judged, is_relevant: Array, weight: Callable[[Array], Array]) -> Array:
    """`[Q]`: a weight of the rank of the first relevant document, expected over the orders of ties; 0 where none is.

    Args:
        judged: the ranking.
        is_relevant: 1 for relevant documents.
        weight: of ranks, `[Q]`.

    """
    begin, size, relevant = _first_group(judged, is_relevant)
    xp = judged.xp
    bound = judged.depth + 0 * begin
    chance = share(relevant, size)  # that it is the first, the second, ... of its group
    value = 0 * begin
    for place in range(_most(xp, size - relevant) + 1):
        rank = begin + place
        value = value + xp.where(rank <= bound, chance * weight(xp.where(rank > 0, rank, xp.ones_like(rank))), 0 * rank)
        left = size - place - 1
        chance = chance * share(xp.maximum(left - relevant + 1, 0 * left), xp.maximum(left, 0 * left))
    return value


def chance_of_any(judged: Judged, is_relevant: Array) -> Array:
    """`[Q]`: the chance that a relevant document stands within the cutoff, over the orders of ties.

    Args:
        judged: the ranking.
        is_relevant: 1 for relevant documents.

    """
    begin, size, relevant = _first_group(judged, is_relevant)
    xp = judged.xp
    inside_it = xp.minimum(judged.depth - begin + 1, size)  # places of the group within the cutoff
    missed = xp.ones_like(begin)
    for place in range(_most(xp, relevant)):
        drawn = share(xp.maximum(size - inside_it - place, 0 * size), xp.maximum(size - place, 0 * size))
        missed = xp.where(relevant > place, missed * drawn, missed)
    return xp.where(relevant > 0, 1 - missed, 0 * missed)


def _first_group(judged: Judged, is_relevant: Array) -> tuple[Array, Array, Array]:
    """`[Q]` each: the first rank, the size, and the relevant documents of the first tie group that has some."""
    is_first = first(is_relevant)
    begin, end = total(is_first * judged.tie_first), total(is_first * judged.tie_last)
    there = total(is_first)
    return begin, end - begin + there, total(is_first * down_to(judged, cumulative(is_relevant), judged.tie_last))


def _most(xp: object, number: Array) -> int:
    return int(xp.max(number)) if number.shape[0] else 0  # type: ignore[attr-defined]


def on_first(is_relevant: Array, value: Array) -> Array:
    """`[Q, H]`: a value of each query at its first relevant document, 0 elsewhere."""
    return first(is_relevant) * per_query(value)
