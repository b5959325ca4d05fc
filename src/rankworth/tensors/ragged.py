"""Documents of many queries one after the other, with the number of the query of each: made a matrix with a mask."""

from typing import Any

from rankworth.errors import InputError
from rankworth.judged import Array, counting, namespace


def padded(indexes: Array, flat: dict[str, Array | None]) -> tuple[Array, dict[str, Array | None]]:
    """The queries in ascending order, and their documents side by side as they came, with a mask for those there are.

    Args:
        indexes: `[n]`, whole numbers, in any order.
        flat: arrays `[n]`, one number for each document, by name; `mask` among them.

    Returns:
        `[B]` and the same by name as `[B, N]`, where N is the number of documents of the longest query.

    Raises:
        InputError: `input-type`, where shapes do not fit.

    """
    shaped: dict[str, Any] = {"indexes": indexes} | {name: array for name, array in flat.items() if array is not None}
    for name, array in shaped.items():
        if not hasattr(array, "shape") or len(array.shape) != 1 or array.shape != indexes.shape:
            text = f"{name} is no flat array of one number for each of the indexes"
            raise InputError("input-type", text, remedy="indexes go with flat arrays; matrices need none")
    if namespace(indexes).__name__ != namespace(shaped["scores"]).__name__:
        raise InputError("input-type", "indexes and scores are arrays of two libraries")
    if indexes.device != shaped["scores"].device:
        text = f"indexes are on {indexes.device}, scores on {shaped['scores'].device}"
        raise InputError("input-type", text, remedy="bring all arrays to one device")
    xp = namespace(indexes)
    if not xp.isdtype(indexes.dtype, "integral"):
        raise InputError("input-type", f"indexes are {indexes.dtype}, not whole numbers")
    queries = xp.sort(xp.unique_values(indexes))
    order = xp.argsort(indexes, stable=True)
    ordered = xp.take(indexes, order)
    starts, ends = (xp.searchsorted(ordered, queries, side=side) for side in ("left", "right"))
    counts = ends - starts
    width = int(xp.max(counts)) if counts.shape[0] else 0
    step = counting(width, counts)
    there = step < counts[:, None]
    last = max(0, indexes.shape[0] - 1)
    places = xp.reshape(xp.clip(starts[:, None] + step, max=last), (-1,))

    def spread(array: Array) -> Array:
        if not width:
            return xp.reshape(array, (0, 0))
        return xp.reshape(xp.take(xp.take(array, order), places), tuple(there.shape))

    wide = {name: None if array is None else spread(array) for name, array in flat.items()}
    mask = wide.get("mask")
    return queries, wide | {"mask": there if mask is None else there & mask}
