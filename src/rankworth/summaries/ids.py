"""Ids of queries as 64-bit numbers, equal on all machines, and the random words that these number a stream of."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from rankworth.errors import InputError

Words = NDArray[np.uint64]

_STRIDE: Final = 0x9E3779B97F4A7C15
_FIRST: Final = np.uint64(0xBF58476D1CE4E5B9)
_SECOND: Final = np.uint64(0x94D049BB133111EB)
_BYTES: Final = 8


def texts(ids: Any) -> list[str]:  # noqa: ANN401 - a list, an array, or a column of a frame
    """Ids as a list of text; whole numbers as their digits.

    Raises:
        InputError: `id-type`.

    """
    items = listed(ids)
    kinds = set(map(type, items))
    if kinds <= {str}:
        return items
    if kinds <= {int, str}:
        return list(map(str, items))
    if bool in kinds or not all(issubclass(kind, int | str | np.integer) for kind in kinds):
        odd = next(item for item in items if isinstance(item, bool) or not isinstance(item, int | str | np.integer))
        raise InputError("id-type", f"ids of queries: {odd!r} is neither text nor an integer")
    return list(map(str, items))


def listed(items: Any) -> list[Any]:  # noqa: ANN401 - a list, an array, or a column of a frame
    """A list of whatever is a column."""
    for name in ("tolist", "to_list", "to_pylist"):
        if hasattr(items, name):
            return list(getattr(items, name)())
    return items if isinstance(items, list) else list(items)


def hashes(ids: Sequence[str], seed: int) -> Words:
    """A 64-bit number for each id and a seed, `[Q]`.

    The bytes of the id in UTF-8 go eight at a time through the mixing of splitmix64, a one-to-one function that starts
    with the seed and the length; so ids of the same length up to eight bytes never share a number.

    Raises:
        InputError: `id-type` for half of a character.

    >>> hashes(["q1", "q2"], 0).tolist() == [hashes([query], 0)[0] for query in ("q1", "q2")]
    True
    """
    try:
        encoded = [query.encode() for query in ids]
    except UnicodeEncodeError as error:
        text = f"ids of queries: {error.object!r} is no valid text: half of a character stands in it"
        raise InputError("id-type", text, remedy="read the ids as UTF-8 where they come from") from None
    lengths = np.fromiter(map(len, encoded), dtype=np.int64, count=len(encoded))
    data = np.frombuffer(b"".join(encoded) + bytes(_BYTES), dtype=np.uint8)
    begins = np.concatenate(([0], np.cumsum(lengths)[:-1])) if encoded else lengths
    state = np.full(len(encoded), seed, dtype=np.uint64)
    state = mixed(state * np.uint64(_STRIDE) + lengths.astype(np.uint64))
    rows, done = np.arange(len(encoded)), 0
    while True:
        rows = rows[lengths[rows] > done]
        if not rows.size:
            return state
        places = (begins[rows] + done)[:, None] + np.arange(_BYTES)
        left = (lengths[rows] - done)[:, None] > np.arange(_BYTES)
        word = np.where(left, data[np.minimum(places, data.size - 1)], 0).astype(np.uint8).view("<u8")[:, 0]
        state[rows] = mixed(state[rows] ^ word.astype(np.uint64))
        done += _BYTES


def mixed(words: Words) -> Words:
    """The finaliser of splitmix64, in place.

    Sources: Vigna (2015), https://prng.di.unimi.it/splitmix64.c; after Steele, Lea and Flood (2014), Fast splittable
    pseudorandom number generators, https://doi.org/10.1145/2660193.2660195
    """
    spare = np.right_shift(words, np.uint64(30))
    np.bitwise_xor(words, spare, out=words)
    np.multiply(words, _FIRST, out=words)
    np.right_shift(words, np.uint64(27), out=spare)
    np.bitwise_xor(words, spare, out=words)
    np.multiply(words, _SECOND, out=words)
    np.right_shift(words, np.uint64(31), out=spare)
    return np.bitwise_xor(words, spare, out=words)


def streams(states: Words, count: int) -> Words:
    """`[Q, count]`: the first words of the stream of each state, those of splitmix64."""
    steps = np.arange(1, count + 1, dtype=np.uint64) * np.uint64(_STRIDE)
    return mixed(states[:, None] + steps)
