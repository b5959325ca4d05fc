"""Digests of rows, in whichever order they stand: texts are hashed by column, many at once.

Shapes: `N` texts or rows.
"""

import hashlib
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

_STEP: Final = np.uint64(0x9E3779B97F4A7C15)
_MIXES: Final = ((30, np.uint64(0xBF58476D1CE4E5B9)), (27, np.uint64(0x94D049BB133111EB)))


def hashed(texts: Sequence[str]) -> NDArray[np.uint64]:
    """Return `[N]`, a number for each text, the same on every machine: a polynomial in its bytes, mixed."""
    encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
    lengths = np.fromiter(map(len, encoded), np.int64, len(encoded))
    values = np.frombuffer(b"".join(encoded), np.uint8).astype(np.uint64) + np.uint64(1)
    starts = np.cumsum(lengths) - lengths
    within = np.arange(values.size) - np.repeat(starts, lengths)
    powers = np.multiply.accumulate(np.full(int(lengths.max(initial=0)) + 1, _STEP, dtype=np.uint64))
    sums = np.zeros(lengths.size, dtype=np.uint64)
    has_bytes = lengths > 0
    if values.size:
        sums[has_bytes] = np.add.reduceat(values * powers[within], starts[has_bytes])
    return mixed(sums + lengths.astype(np.uint64))


def mixed(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Spread numbers over all of 64 bits, as the generator SplitMix64 does."""
    numbers = numbers + _STEP
    for shift, factor in _MIXES:
        numbers = (numbers ^ (numbers >> np.uint64(shift))) * factor
    return numbers ^ (numbers >> np.uint64(31))


def digest_of_rows(columns: Sequence[NDArray[np.uint64]], times: NDArray[np.uint64] | None = None) -> str:
    """Return eight digits that tell rows from others, in whichever order they stand.

    Args:
        columns: `[N]` each, a number for what stands in a row.
        times: `[N]`, how often each row is there; once where None.

    >>> columns = [hashed(["u1", "u1", "u2"]), hashed(["a", "a", "b"])]
    >>> again = [hashed(["u2", "u1"]), hashed(["b", "a"])]
    >>> digest_of_rows(columns) == digest_of_rows(again, np.array([1, 2], dtype=np.uint64))
    True
    """
    rows = np.zeros_like(columns[0])
    for column in columns:
        rows = mixed(rows + column)
    counts = np.ones(rows.size, dtype=np.uint64) if times is None else times
    total = [int((counts * numbers).sum(dtype=np.uint64)) for numbers in (rows, mixed(rows), np.ones_like(rows))]
    return hashlib.sha256(repr(total).encode()).hexdigest()[:8]
