"""Sums under random flips of signs: all of them where they are few, as products of matrices where they are many."""

from typing import Final

import numpy as np

from rankworth.statistics.samples import Floats, Ints

ENUMERABLE: Final = 16
"""Up to so many numbers other than 0, all 65,536 ways to give them signs are looked at."""
_ROWS: Final = 512  # flips at a time: the product stays in the cache
_CELLS: Final = 1 << 22  # of one matrix


def outcomes(values: Floats) -> Floats:
    """[2^n], the sums of numbers [n] under all ways to give them signs.

    >>> outcomes(np.array([1.0, 3.0])).tolist()
    [4.0, 2.0, -2.0, -4.0]
    """
    sums = np.zeros(1)
    for value in values:
        sums = np.concatenate([sums + value, sums - value])
    return sums


def reached(summands: Floats, bars: Floats, resamples: int, seed: int, *, both: bool) -> Ints:
    """[K], how many of the random flips of rows reach a bar, or minus the bar where both sides are asked for.

    All columns share the flips; those of a row are bits of the generator's numbers, taken in order, so that they
    depend neither on the number of columns nor on the size of blocks.

    Args:
        summands: [N, K].
        bars: [K].
        resamples: how many flips are drawn.
        seed: of the generator.
        both: sums count by their size.

    """
    rows, columns = summands.shape
    generator = np.random.default_rng(seed)
    counts = np.zeros(columns, dtype=np.intp)
    step = max(1, min(_ROWS, _CELLS // max(rows, columns, 1)))
    for start in range(0, resamples, step):
        shape = (min(step, resamples - start), -(-rows // 64))
        words = generator.integers(0, 1 << 64, size=shape, dtype=np.uint64).astype("<u8", copy=False)
        bits = np.unpackbits(words.view(np.uint8), axis=1, count=rows)
        sums = (1 - 2 * bits.astype(np.float64)) @ summands
        if both:
            np.abs(sums, out=sums)
        counts += np.count_nonzero(sums >= bars, axis=0)
    return counts
