"""Documents of many queries one after the other, with the number of the query of each: made matrices with masks.

One matrix would be as wide as the longest query. Queries of about the same length share one instead, so that all of
them together have at most some two cells for each document; how many there are grows with the logarithm of the longest.
"""

from collections.abc import Iterator
from typing import Any, Final

from rankworth.errors import InputError, counted
from rankworth.judged import Array, counting, namespace
from rankworth.tensors.inputs import to_list

_SPARE: Final = 1 << 18
"""cells of padding that cost less than a further matrix"""
Piece = tuple[int, int, int]
"""the first query of a matrix and the first one behind it, in the order of their lengths, and how wide it is"""


class Ragged:
    """Queries in ascending order of their indexes, and matrices of some of them at a time."""

    def __init__(self, indexes: Array, flat: dict[str, Array | None], each: dict[str, Array | None]) -> None:
        """Find the queries, and ask how many are how long.

        Args:
            indexes: `[n]`, whole numbers, in any order.
            flat: arrays `[n]`, one number for each document, by name; `mask` among them.
            each: arrays of one row for each query, by name.

        Raises:
            InputError: `input-type`, where shapes do not fit.

        """
        _check_shapes(indexes, flat, each)
        xp = namespace(indexes)
        order = xp.argsort(indexes, stable=True)
        ordered = xp.take(indexes, order, axis=0)
        self._flat = {name: None if one is None else xp.take(one, order, axis=0) for name, one in flat.items()}
        self.queries = xp.sort(xp.unique_values(indexes))
        for name, array in each.items():
            if array is not None and array.shape[0] != self.queries.shape[0]:
                text = f"{name} has {array.shape[0]:,} rows; indexes are of {counted(self.queries.shape[0])}"
                raise InputError("input-type", text)
        self._each = each
        self._starts, ends = (xp.searchsorted(ordered, self.queries, side=side) for side in ("left", "right"))
        self._lengths = ends - self._starts
        self._by_length = xp.argsort(self._lengths, stable=True)
        self._pieces = _pieces(xp.take(self._lengths, self._by_length, axis=0), indexes.shape[0])

    def matrices(self) -> Iterator[dict[str, Any]]:
        """`[b, N]` of each flat array and `[b]` or `[b, P]` of each other one, by name; a mask is always there."""
        for begin, end, width in self._pieces:
            yield self._matrix(self._by_length[begin:end], width)

    def together(self, parts: list[list[Array]]) -> list[Array]:
        """`[B]` of each measure, out of those of each matrix."""
        xp = namespace(self.queries)
        places = xp.argsort(self._by_length, stable=True)
        return [xp.take(xp.concat(columns, axis=0), places, axis=0) for columns in zip(*parts, strict=True)]

    def _matrix(self, rows: Array, width: int) -> dict[str, Any]:
        xp = namespace(rows)
        starts, lengths = (xp.take(one, rows, axis=0) for one in (self._starts, self._lengths))
        step = counting(width, lengths)
        there = step < lengths[:, None]
        last = starts + lengths - 1
        places = xp.reshape(xp.minimum(starts[:, None] + step, last[:, None]), (-1,))

        def spread(array: Array | None) -> Array | None:
            if array is None or not width:
                return None if array is None else xp.reshape(array, (0, 0))
            return xp.reshape(xp.take(array, places, axis=0), tuple(there.shape))

        wide = {name: spread(array) for name, array in self._flat.items()}
        mask = wide["mask"]
        each = {name: None if array is None else xp.take(array, rows, axis=0) for name, array in self._each.items()}
        return wide | each | {"mask": there if mask is None else there & mask}


def _pieces(lengths: Array, documents: int) -> list[Piece]:
    """Which queries share a matrix.

    Args:
        lengths: `[B]`, ascending.
        documents: how many there are in all.

    """
    if not documents:
        return [(0, 0, 0)]
    xp = namespace(lengths)
    steps = counting(documents.bit_length() + 1, lengths)
    ends = xp.searchsorted(lengths, xp.bitwise_left_shift(xp.ones_like(steps), steps), side="right")
    longest = xp.take(lengths, xp.maximum(ends, xp.ones_like(ends)) - 1, axis=0)
    pieces: list[Piece] = []
    counts = to_list(xp.stack([ends, longest]))
    for begin, end, width in reversed([*zip([0, *counts[0]], *counts, strict=False)]):
        if pieces and (end - begin) * (pieces[-1][2] - width) <= _SPARE:
            pieces[-1] = (begin, *pieces[-1][1:])
        elif end > begin:
            pieces.append((begin, end, width))
    return pieces[::-1]


def _check_shapes(indexes: Array, flat: dict[str, Array | None], each: dict[str, Array | None]) -> None:
    """Refuse shapes that do not fit together (`input-type`)."""
    for name, array in (flat | {"indexes": indexes}).items():
        if array is not None and (len(array.shape) != 1 or array.shape != indexes.shape):
            text = f"{name} is no flat array of one number for each of the indexes"
            raise InputError("input-type", text, remedy="indexes go with flat arrays; matrices need none")
    for name, array in each.items():
        if array is not None and not array.shape:
            raise InputError("input-type", f"{name} is no array of one row for each query")
