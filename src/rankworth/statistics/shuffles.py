"""The randomized test of Tukey's honestly significant differences: all pairs of systems, without normality."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from rankworth.statistics.samples import ROUNDING, Floats, drawn

SHUFFLES: Final = 100_000
_CELLS: Final = 1 << 21  # keys of a block of shuffles
_SHORT: Final = 64  # systems, up to which keys of 32 bits have 26 random ones or more


@dataclass(frozen=True, eq=False)
class RandomizedTukey:
    """p values of all pairs of systems."""

    p: Floats
    """[S, S], or [M, S, S] for several measures; corrected for all pairs, NaN on the diagonal"""
    resamples: int
    seed: int
    sentence: str
    """how it was done, in words for a paper"""
    reference: str
    """a key of `BIBTEX`"""


def randomized_tukey(values: ArrayLike, *, resamples: int = SHUFFLES, seed: int = 0) -> RandomizedTukey:
    """Randomized Tukey HSD: if no system differs from another, each query could have given its values in any order.

    A shuffle orders the values of each query at random among the systems. Its statistic is the range of the means, the
    largest minus the smallest; `p = (b + 1) / (B + 1)`, where b shuffles have a range no smaller than `|m_a - m_b|`. As
    the range of all systems is held against every pair, p is corrected for their number. Ranges that rounding alone
    tells apart (by 1e-12 of the mean distance of values from the means of their queries, times s) are equal.

    All measures share the shuffles. A query that lacks a value is left out of this measure; NaN with an infinity or
    without a query.

    Args:
        values: [N, S], one row per query, one column per system; or [N, S, M] for M measures.
        resamples: how many shuffles are drawn.
        seed: of the generator.

    Source: Carterette (2012), Multiple testing in statistical analysis of systems-based information retrieval
    experiments, https://doi.org/10.1145/2094072.2094076

    >>> found = randomized_tukey([[0.1, 0.3, 0.2], [0.2, 0.3, 0.4], [0.5, 0.8, 0.5], [0.1, 0.3, 0.2]])
    >>> found.p.round(2)
    array([[ nan, 0.07, 0.63],
           [0.07,  nan, 0.63],
           [0.63, 0.63,  nan]])
    """
    table = np.asarray(values, dtype=np.float64)
    if table.ndim not in {2, 3}:
        raise ValueError(f"values are [queries, systems] or [queries, systems, measures], this is {table.shape}")
    single = table.ndim == 2  # noqa: PLR2004 - one measure
    table = table[:, :, None] if single else table
    exponents = np.frexp(np.fmax.reduce(np.abs(np.where(np.isinf(table), 0.0, table)), axis=(0, 1), initial=0.0))[1]
    table = np.ldexp(table, -exponents)
    there = ~np.isnan(table).any(axis=1, keepdims=True)
    counts = there.sum(axis=(0, 1))
    with np.errstate(invalid="ignore"):
        centred = np.where(there, table - table.mean(axis=1, keepdims=True), 0.0)
    defined = np.flatnonzero((counts > 0) & ~np.isnan(centred).any(axis=(0, 1)))
    p = np.full((table.shape[2], table.shape[1], table.shape[1]), np.nan)
    if defined.size:
        centred = np.ascontiguousarray(centred[:, :, defined])
        sums = centred.sum(axis=0)
        apart = np.abs(sums[:, None] - sums) - ROUNDING * np.abs(centred).sum(axis=(0, 1))
        spans = np.sort(_spans(centred, drawn(resamples), seed), axis=0)
        for place, measure in enumerate(defined):
            p[measure] = resamples - np.searchsorted(spans[:, place], apart[:, :, place])
        p = (p + 1) / (resamples + 1)
        p[:, range(table.shape[1]), range(table.shape[1])] = np.nan
    return RandomizedTukey(
        p=p[0] if single else p,
        resamples=resamples,
        seed=seed,
        sentence=f"All pairs of systems were compared with a randomized Tukey HSD test over {resamples:,} shuffles of "
        f"the values of each query (seed {seed}), p = (b + 1) / (B + 1).",
        reference="carterette2012",
    )


def _spans(values: Floats, resamples: int, seed: int) -> Floats:
    """[B, M], ranges of sums over queries of shuffled values [N, S, M].

    A shuffle of a query's systems is the order of random keys whose last bits say which system each belongs to.
    """
    rows, systems, measures = values.shape
    kind = np.uint32 if systems <= _SHORT else np.uint64
    last = kind((1 << (systems - 1).bit_length()) - 1)
    generator = np.random.default_rng(seed)
    spans = np.empty((resamples, measures))
    step = max(1, _CELLS // max(1, rows * systems))
    for start in range(0, resamples, step):
        end = min(start + step, resamples)
        keys = generator.integers(0, np.iinfo(kind).max, size=(end - start, rows, systems), dtype=kind, endpoint=True)
        keys &= ~last
        keys |= np.arange(systems).astype(kind)
        keys.sort(axis=-1)
        keys &= last
        sums = np.zeros((end - start, systems, measures))
        for row in range(rows):
            sums += values[row].take(keys[:, row].astype(np.intp), axis=0)
        spans[start:end] = sums.max(axis=1) - sums.min(axis=1)
    return spans
