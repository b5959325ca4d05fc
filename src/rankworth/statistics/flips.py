"""The randomization test: how often a difference as large as the one seen comes about when signs are left to chance."""

from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from rankworth.statistics.moments import moments
from rankworth.statistics.outcomes import SIDES, Tests
from rankworth.statistics.samples import ROUNDING, Alternative, Columns, checked, drawn
from rankworth.statistics.signs import ENUMERABLE, outcomes, reached

FLIPS: Final = 100_000


def randomization(
    differences: ArrayLike,
    weights: ArrayLike | None = None,
    *,
    alternative: Alternative = "two-sided",
    resamples: int = FLIPS,
    seed: int = 0,
) -> Tests:
    """Fisher's randomization test of the mean difference: if nothing is different, each sign could be the other one.

    The statistic is the mean, or the weighted mean. A flip of signs changes the signs of some differences, each with
    probability 1/2; it counts where the sum of `w d` comes out at least as far from 0 as the one seen. Sums that
    rounding alone tells apart (by 1e-12 of the sum of `|w d|`) are equal.

    Where at most 16 differences are not 0, all flips are looked at and `p = b / 2^n`: exact. Otherwise
    `p = (b + 1) / (B + 1)` of `B` random flips, which is never 0 and keeps the test at its level; its standard error is
    `sqrt(p (1 - p) / B)`. All columns share the flips of rows.

    p is 1 where all differences are 0, and NaN for a column without a number.

    Args:
        differences: [N, K].
        weights: [N].
        alternative: that the mean is not 0, or is `less` or `greater` than 0.
        resamples: how many flips are drawn.
        seed: of the generator.

    Sources: Smucker, Allan and Carterette (2007), https://doi.org/10.1145/1321440.1321528; Phipson and Smyth (2010),
    Permutation p-values should never be zero, https://doi.org/10.2202/1544-6115.1585

    >>> found = randomization([[0.2], [0.1], [0.4], [-0.3], [0.0]])
    >>> found.statistic.round(2), found.p, found.exact  # 10 of 16 flips
    (array([0.08]), array([0.625]), True)
    """
    checked(alternative)
    drawn(resamples)
    columns = Columns.of(differences, weights)
    summands = columns.summands() * (-1 if alternative == "less" else 1)
    both = alternative == "two-sided"
    seen = summands.sum(axis=0)
    bars = (np.abs(seen) if both else seen) - ROUNDING * np.abs(summands).sum(axis=0)
    there = columns.there.any(axis=0)
    counted = (np.count_nonzero(summands, axis=0) <= ENUMERABLE) & there
    p = columns.empty()
    for place in np.flatnonzero(counted):
        sums = outcomes(summands[summands[:, place] != 0, place])
        p[place] = ((np.abs(sums) if both else sums) >= bars[place]).mean()
    many = np.flatnonzero(there & ~counted)
    if many.size:
        hits = reached(np.ascontiguousarray(summands[:, many]), bars[many], resamples, seed, both=both)
        p[many] = (hits + 1) / (resamples + 1)
    return Tests(
        name="randomization",
        statistic=moments(columns).mean,
        p=p,
        counted=counted,
        alternative=alternative,
        resamples=resamples if many.size else 0,
        seed=seed if many.size else None,
        sentence=_sentence(alternative, resamples, seed, few=bool(counted.any()), many=bool(many.size)),
        reference="smucker2007",
    )


def _sentence(alternative: Alternative, resamples: int, seed: int, *, few: bool, many: bool) -> str:
    random = f"{resamples:,} random flips of signs (seed {seed}), p = (b + 1) / (B + 1)"
    every = "all flips of signs"
    how = f"{random}, or {every} where 16 differences or fewer are not 0" if many and few else random if many else every
    return f"Mean differences were tested with a {SIDES[alternative]} paired randomization test over {how}."
