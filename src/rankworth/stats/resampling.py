"""Random samples of rows and random signs, and bootstrap intervals of means.

Sums over samples are products of matrices, and exact: numbers are first rounded to a grid so coarse (2^-53 times the
number of rows, of the largest) that no sum of them is rounded. So they do not depend on the order in which a library
adds, nor on how many columns there are, and equal samples have equal sums.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from rankworth.stats.samples import (
    CELLS,
    RESAMPLES,
    Columns,
    Floats,
    Ints,
    Sample,
    check_word,
    constant,
    moments,
    share,
    whole,
)

_SUMS: Final = 1 << 23  # held at a time
_LINES: Final = 256  # the same


def on_grid(values: Floats) -> Floats:
    """Round numbers [k, n] of size 1 at most so that sums over samples of n of them are exact."""
    finest = _finest(values.shape[-1])
    return np.ldexp(np.rint(np.ldexp(values, finest)), -finest)


def weighing(weights: Floats) -> Floats:
    """Round weights [n] to the grid, none of them to 0."""
    return np.maximum(on_grid(weights), np.ldexp(1.0, -_finest(len(weights))))


def blocks(lines: int, resamples: int) -> Iterator[slice]:
    """Yield lines of a table, so many at a time that `resamples` sums for each of them can be held."""
    step = max(1, min(_LINES, _SUMS // resamples))
    for start in range(0, lines, step):
        yield slice(start, min(start + step, lines))


def over_samples(
    compute: Callable[[Floats], Floats], lines: int, rows: int, resamples: int, seed: int | Generator, width: int = 1
) -> Floats:
    """Return [k, B], what a function makes of samples, some of them at a time.

    All lines have the same samples. They depend neither on the number of lines nor on the size of blocks.

    Args:
        compute: from how often each sample has each row, [b, n], to k numbers for each sample, [k, b].
        lines: k.
        rows: n.
        resamples: B.
        seed: of the generator, or one that goes on.
        width: how many numbers the function holds for each sample, if more than rows.

    """
    generator = np.random.default_rng(seed)
    result = np.empty((lines, resamples))
    step = max(1, CELLS // max(rows, width))
    for start in range(0, resamples, step):
        end = min(start + step, resamples)
        drawn = generator.integers(0, rows, size=(end - start, rows))  # [b, n]: the rows of each sample
        drawn += np.arange(end - start)[:, None] * rows  # [b, n]: sample and row as a number
        counts = np.bincount(drawn.ravel(), minlength=(end - start) * rows).astype(np.float64)  # [b * n]
        result[:, start:end] = compute(counts.reshape(end - start, rows))
    return result


def _finest(rows: int) -> int:
    """Return minus the power of two that is the grid for so many rows."""
    return 53 - int(np.ceil(np.log2(rows)))


ENUMERABLE: Final = 16
"""Up to so many numbers other than 0, all 65,536 ways to give them signs are looked at."""
_ROWS: Final = 512  # flips at a time: the product stays in the cache
_CELLS: Final = 1 << 22  # of one matrix


def flipped_sums(values: Floats) -> Floats:
    """Return [2^n], the sums of numbers [n] under all ways to give them signs.

    >>> flipped_sums(np.array([1.0, 3.0])).tolist()
    [4.0, 2.0, -2.0, -4.0]
    """
    sums = np.zeros(1)
    for value in values:
        sums = np.concatenate([sums + value, sums - value])
    return sums


def signs_of_all(rows: int) -> Floats:
    """Return [2^n, n], all ways to give signs to n rows; the first changes none.

    >>> signs_of_all(2).tolist()
    [[1.0, 1.0], [-1.0, 1.0], [1.0, -1.0], [-1.0, -1.0]]
    """
    return np.asarray(1.0 - 2.0 * (np.arange(1 << rows)[:, None] >> np.arange(rows) & 1))


def random_signs(rows: int, resamples: int, seed: int, columns: int = 1) -> Iterator[Floats]:
    """Yield [b, N], random signs for rows, some flips at a time.

    Those of a row are bits of the generator's numbers, taken in order, so that they depend neither on the number of
    columns nor on the size of blocks.

    Args:
        rows: N.
        resamples: how many flips are drawn.
        seed: of the generator.
        columns: to how many columns of sums a block is multiplied, which bounds its size.

    """
    generator = np.random.default_rng(seed)
    step = max(1, min(_ROWS, _CELLS // max(rows, columns, 1)))
    for start in range(0, resamples, step):
        shape = (min(step, resamples - start), -(-rows // 64))
        # [b, N / 64 rounded up]
        words = generator.integers(0, 1 << 64, size=shape, dtype=np.uint64).astype("<u8", copy=False)
        bits = np.unpackbits(words.view(np.uint8), axis=1, count=rows)  # [b, N]: whether the sign of the row changes
        yield 1 - 2 * bits.astype(np.float64)


def flips_as_extreme(summands: Floats, bars: Floats, resamples: int, seed: int, *, both: bool) -> Ints:
    """Count, [K], the random flips of rows that reach a bar, or also minus the bar for two sides.

    All columns share the flips.

    Args:
        summands: [N, K].
        bars: [K].
        resamples: how many flips are drawn.
        seed: of the generator.
        both: sums count by their size.

    """
    counts = np.zeros(summands.shape[1], dtype=np.intp)
    for signs in random_signs(len(summands), resamples, seed, summands.shape[1]):
        sums = signs @ summands  # [b, K]
        if both:
            np.abs(sums, out=sums)
        counts += np.count_nonzero(sums >= bars, axis=0)
    return counts


def bca_quantiles(below: Floats, acceleration: Floats, resamples: int, level: float) -> tuple[Floats, Floats]:
    """Return the shares of means of samples that BCa intervals end at, [k] each.

    Args:
        below: [k], the share of these means that lies below the mean of the rows.
        acceleration: [k].
        resamples: how many samples there are.
        level: the confidence level.

    """
    from scipy.special import ndtr, ndtri  # noqa: PLC0415 - costs more than most evaluations

    bias = ndtri(below.clip(0.5 / resamples, 1 - 0.5 / resamples))
    ends = []
    for tail in ((1 - level) / 2, (1 + level) / 2):
        shifted = bias + ndtri(tail)
        ends.append(np.asarray(ndtr(bias + shifted / (1 - acceleration * shifted))))
    return ends[0], ends[1]


BOOTSTRAPS: Final = {
    "bca": ("bias-corrected and accelerated bootstrap", "efron1987"),
    "percentile": ("percentile bootstrap", "efron1993"),
}
"""What papers call intervals from samples, and a key of `BIBTEX`."""


@dataclass(frozen=True, eq=False)
class Intervals:
    """Intervals of means."""

    low: Floats
    """[K]; NaN with fewer than two rows"""
    high: Floats
    """[K]"""
    level: float
    method: str
    resamples: int
    """how many samples were drawn; 0 where none are"""
    seed: int | None
    """of the drawing"""
    sentence: str
    """how it was done, in words for a paper"""
    reference: str
    """a key of `BIBTEX`"""


def intervals(
    values: ArrayLike,
    weights: ArrayLike | None = None,
    *,
    method: str = "bca",
    level: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Intervals:
    """Compute confidence intervals of the means, or the weighted means, of columns.

    `bca` and `percentile` draw rows with replacement, together with their weights; all columns with the same rows share
    the draws. `percentile` takes the quantiles of the means of the samples; `bca` shifts these by how far the means lie
    to one side (the bias) and by how much their spread changes with the mean (the acceleration, by leaving out one row
    at a time). `t` is `mean -+ t(level, df) error`, as of `Moments`.

    Where all numbers of a column are equal but for rounding, low and high are that number. NaN with fewer than two
    rows.

    Args:
        values: [N, K], one row per query; NaN where a query has no value in a column.
        weights: [N].
        method: `bca`, `percentile` or `t`.
        level: the confidence level, between 0 and 1.
        resamples: how many samples are drawn.
        seed: of the generator; equal seeds give equal intervals.

    Sources: Efron (1987), Better bootstrap confidence intervals, https://doi.org/10.1080/01621459.1987.10478410; Efron
    and Tibshirani (1993), An introduction to the bootstrap, chapter 13; Student (1908), The probable error of a mean,
    https://doi.org/10.1093/biomet/6.1.1

    >>> found = intervals([[0.1], [0.4], [0.4], [0.9], [0.2]], method="t")
    >>> found.low.round(4), found.high.round(4)
    (array([0.0173]), array([0.7827]))
    """
    check_word("method", method, (*BOOTSTRAPS, "t"))
    share("level", level)
    columns = Columns.of(values, weights)
    weighted = "" if weights is None else " and their weights"
    if method == "t":
        low, high = t_intervals(columns, level)
        weighted = "" if weights is None else " with the linearised error of a weighted mean"
        words = f"Intervals are {100 * level:.4g}% Student t intervals{weighted}."
        return Intervals(low, high, level, method, 0, None, words, "student1908")
    low, high = _bootstrapped(columns, method, level, whole("resamples", resamples, 1), seed)
    name, reference = BOOTSTRAPS[method]
    words = f"{name} intervals over {resamples:,} samples of queries{weighted} (seed {seed})"
    return Intervals(low, high, level, method, resamples, seed, f"Intervals are {100 * level:.4g}% {words}.", reference)


def t_intervals(columns: Columns, level: float) -> tuple[Floats, Floats]:
    """Compute the ends of t intervals, [K] each."""
    from scipy.special import stdtrit  # noqa: PLC0415 - costs more than most evaluations

    estimates = moments(columns)
    with np.errstate(over="ignore"):
        half = np.where(estimates.error == 0, 0.0, stdtrit(estimates.df, (1 + level) / 2) * estimates.error)
        return estimates.mean - half, estimates.mean + half


def _bootstrapped(columns: Columns, method: str, level: float, resamples: int, seed: int) -> tuple[Floats, Floats]:
    """Compute the ends of bootstrap intervals, [K] each."""
    low, high = columns.empty(), columns.empty()
    for sample in columns.samples():
        if sample.alone:
            continue
        same = constant(sample.values)  # [k]
        low[sample.places[same]] = high[sample.places[same]] = sample.values[same, 0]
        varying = Sample(sample.places[~same], sample.values[~same], sample.weights)
        for lines in blocks(len(varying.places), resamples):
            part = Sample(varying.places[lines], varying.values[lines], varying.weights)
            mean, means = _means(part, resamples, seed)  # [k] and [k, B]
            means.sort(axis=1)
            shares = [np.full(len(mean), (1 + side * level) / 2) for side in (-1, 1)]  # [k] each: lower and upper share
            lower, upper = shares if method == "percentile" else _accelerated(part, mean, means, level)
            low[part.places], high[part.places] = _quantiles(means, lower), _quantiles(means, upper)
    return columns.restored(low), columns.restored(high)


def _means(sample: Sample, resamples: int, seed: int) -> tuple[Floats, Floats]:
    """Return [k] and [k, B], means of the rows and of samples from them."""
    rows = sample.values.shape[1]
    weights = np.ones(rows) if sample.weights is None else weighing(sample.weights)
    weighted = on_grid(sample.values * weights)  # [k, n]

    def compute(counts: Floats) -> Floats:
        return np.asarray((weighted @ counts.T) / (counts @ weights))  # [k, b], from counts [b, n]

    mean = weighted.sum(axis=1) / weights.sum()
    return mean, over_samples(compute, len(weighted), rows, resamples, seed)


def _accelerated(sample: Sample, mean: Floats, means: Floats, level: float) -> tuple[Floats, Floats]:
    # [k]: the share of sample means below the mean, half of those equal to it
    below = ((means < mean[:, None]).sum(axis=1) + (means == mean[:, None]).sum(axis=1) / 2) / means.shape[1]
    shares = sample.shares
    influence = (sample.values - mean[:, None]) * (shares / (1 - shares))  # [k, n]
    influence -= influence.mean(axis=1, keepdims=True)
    acceleration = (influence**3).sum(axis=1) / (6 * (influence**2).sum(axis=1) ** 1.5)  # [k]
    return bca_quantiles(below, acceleration, means.shape[1], level)


def _quantiles(means: Floats, shares: Floats) -> Floats:
    """Return quantiles [k] of sorted lines [k, B], with straight lines between neighbours."""
    position = shares * (means.shape[1] - 1)  # [k]: where in its line each quantile is
    first = position.astype(np.intp)
    lines = np.arange(len(means))
    lower, upper = means[lines, first], means[lines, np.minimum(first + 1, means.shape[1] - 1)]
    return np.asarray(lower + (upper - lower) * (position - first))
