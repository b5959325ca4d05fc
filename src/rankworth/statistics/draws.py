"""Samples of rows with replacement, and sums over them as products of matrices.

The sums are exact: numbers are first rounded to a grid so coarse (2^-53 times the number of rows, of the largest) that
no sum of them is rounded. So they do not depend on the order in which a library adds, nor on how many columns there
are, and equal samples have equal sums.
"""

from collections.abc import Callable, Iterator
from typing import Final

import numpy as np

from rankworth.statistics.samples import CELLS, Floats

_SUMS: Final = 1 << 23  # held at a time
_LINES: Final = 256  # the same


def on_grid(values: Floats) -> Floats:
    """Numbers [k, n] of size 1 at most, rounded so that sums over samples of n of them are exact."""
    finest = _finest(values.shape[-1])
    return np.ldexp(np.rint(np.ldexp(values, finest)), -finest)


def weighing(weights: Floats) -> Floats:
    """Weights [n], rounded to the grid, none of them to 0."""
    return np.maximum(on_grid(weights), np.ldexp(1.0, -_finest(len(weights))))


def blocks(lines: int, resamples: int) -> Iterator[slice]:
    """Lines of a table, so many at a time that `resamples` sums for each of them can be held."""
    step = max(1, min(_LINES, _SUMS // resamples))
    for start in range(0, lines, step):
        yield slice(start, min(start + step, lines))


def over_samples(compute: Callable[[Floats], Floats], lines: int, rows: int, resamples: int, seed: int) -> Floats:
    """[k, B]: what a function makes of samples, some of them at a time.

    All lines have the same samples. They depend neither on the number of lines nor on the size of blocks.

    Args:
        compute: from how often each sample has each row, [b, n], to k numbers for each sample, [k, b].
        lines: k.
        rows: n.
        resamples: B.
        seed: of the generator.

    """
    generator = np.random.default_rng(seed)
    result = np.empty((lines, resamples))
    step = max(1, CELLS // rows)
    for start in range(0, resamples, step):
        end = min(start + step, resamples)
        drawn = generator.integers(0, rows, size=(end - start, rows))
        drawn += np.arange(end - start)[:, None] * rows
        counts = np.bincount(drawn.ravel(), minlength=(end - start) * rows).astype(np.float64)
        result[:, start:end] = compute(counts.reshape(end - start, rows))
    return result


def _finest(rows: int) -> int:
    """Minus the power of two that is the grid for so many rows."""
    return 53 - int(np.ceil(np.log2(rows)))
