"""Where words stand so that they do not lie on each other."""

import math
from collections.abc import Sequence


def few(places: Sequence[int], most: int = 12, *, ratio: bool = False) -> list[int]:
    """The first place, the last one and round ones between them, so many that their numbers do not lie on each other.

    Args:
        places: whole numbers, ascending.
        most: about how many there is room for.
        ratio: whether they are placed by ratio.

    >>> few(range(1, 101)), few([1, 10, 100, 900, 1000], ratio=True)
    ([1, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100], [1, 10, 100, 1000])
    """
    at = {place: math.log(place) if ratio else float(place) for place in places}
    gap = (at[places[-1]] - at[places[0]]) / most
    ends = (places[0], places[-1])
    kept: list[int] = []
    for place in sorted(
        places, key=lambda one: (one not in ends, *(one % unit != 0 for unit in (1000, 500, 100, 50, 10, 5, 2)), one)
    ):
        if all(abs(at[place] - at[other]) >= gap for other in kept):
            kept.append(place)
    return sorted(kept)


def spread(wanted: Sequence[float], gap: float) -> list[float]:
    """Places as near as can be to the wanted ones, at least a gap apart, between 0 and 1 where there is room.

    >>> [round(place, 2) for place in spread([0.5, 0.5, 0.1], 0.1)]
    [0.45, 0.55, 0.1]
    """
    count = len(wanted)
    gap = min(gap, 1 / max(count - 1, 1))
    order = sorted(range(count), key=lambda one: (wanted[one], one))
    blocks: list[tuple[float, int]] = []  # the middle of a group of neighbours, and how many they are
    for one in order:
        middle, size = wanted[one], 1
        while blocks and middle - blocks[-1][0] < gap * (size + blocks[-1][1]) / 2:
            before, others = blocks.pop()
            middle, size = (before * others + middle * size) / (others + size), others + size
            middle = min(max(middle, gap * (size - 1) / 2), 1 - gap * (size - 1) / 2)
        blocks.append((middle, size))
    places = [middle + gap * (place - (size - 1) / 2) for middle, size in blocks for place in range(size)]
    return [place for _, place in sorted(zip(order, places, strict=True))]
