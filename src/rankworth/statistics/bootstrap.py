"""The bootstrap: what means could have been, had other queries of the same kind been asked."""

import numpy as np
from numpy.typing import ArrayLike

from rankworth.statistics.draws import blocks, on_grid, over_samples, weighing
from rankworth.statistics.moments import moments
from rankworth.statistics.outcomes import SIDES, Tests
from rankworth.statistics.samples import (
    RESAMPLES,
    ROUNDING,
    Alternative,
    Columns,
    Floats,
    Sample,
    checked,
    drawn,
)


def bootstrap_test(
    differences: ArrayLike,
    weights: ArrayLike | None = None,
    *,
    alternative: Alternative = "two-sided",
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Tests:
    """The studentized bootstrap test of the mean difference.

    The differences are shifted so that their mean is 0, and rows are drawn from them with replacement, together with
    their weights; `p = (b + 1) / (B + 1)`, where b samples have a mean at least as many of their own errors away from
    0 as the one seen. The statistic is t, as of `t_test`.

    Where all differences are equal but for rounding, p is as small as it gets, or 1 if they are 0. NaN with fewer than
    two rows.

    Args:
        differences: [N, K].
        weights: [N].
        alternative: that the mean is not 0, or is `less` or `greater` than 0.
        resamples: how many samples are drawn.
        seed: of the generator.

    Sources: Efron and Tibshirani (1993), An introduction to the bootstrap, chapter 16; for measures of retrieval: Sakai
    (2006), https://doi.org/10.1145/1148170.1148261

    >>> found = bootstrap_test([[0.2], [0.1], [0.4], [-0.3], [0.0], [0.3], [0.2]])
    >>> found.p.round(2)
    array([0.21])
    """
    checked(alternative)
    drawn(resamples)
    columns = Columns.of(differences, weights)
    found = moments(columns)
    p = columns.empty()
    for sample in columns.samples():
        for lines in blocks(len(sample.places), resamples):
            part = Sample(sample.places[lines], sample.values[lines], sample.weights)
            p[part.places] = (_as_far(part, alternative, resamples, seed) + 1) / (resamples + 1)
    same = found.error == 0
    least = found.mean if alternative == "greater" else -found.mean if alternative == "less" else np.abs(found.mean)
    p = np.where(same, np.where(least > 0, 1 / (resamples + 1), 1.0), np.where(np.isnan(found.error), np.nan, p))
    weighted = "" if weights is None else " and their weights"
    return Tests(
        name="bootstrap",
        statistic=found.t(),
        p=p,
        counted=np.zeros(len(p), dtype=np.bool_),
        alternative=alternative,
        resamples=resamples,
        seed=seed,
        sentence=f"Mean differences were tested with a {SIDES[alternative]} studentized paired bootstrap test over "
        f"{resamples:,} samples of queries{weighted} (seed {seed}), p = (b + 1) / (B + 1).",
        reference="efron1993",
    )


def _as_far(sample: Sample, alternative: Alternative, resamples: int, seed: int) -> Floats:
    """[k], how many samples are at least as many errors away from 0 as the rows themselves.

    With `z = d - mean`, a sample has the mean `m = sum(w z) / sum(w)` and the variance `sum(w^2 (z - m)^2) / sum(w)^2`;
    constant factors of the variance are the same for the rows and cancel.
    """
    lines, rows = sample.values.shape
    weights = np.ones(rows) if sample.weights is None else sample.weights
    mean = (sample.values * weights).sum(axis=1) / weights.sum()
    shifted = (sample.values - mean[:, None]) / 2  # of size 1 at most
    deviation = np.sqrt((weights**2 * shifted**2).sum(axis=1)) / weights.sum()
    sums = on_grid(np.stack([weights * shifted, weights**2 * shifted, weights**2 * shifted**2]))
    whole = np.stack([weighing(weights), on_grid(weights**2)])

    def compute(counts: Floats) -> Floats:
        weight, squared = whole @ counts.T
        first, second, third = (each @ counts.T for each in sums)
        means = first / weight
        variances = np.maximum(third - 2 * means * second + means**2 * squared, 0.0) / weight**2
        seen, far = (mean[:, None] / 2, means) if alternative != "less" else (-mean[:, None] / 2, -means)
        if alternative == "two-sided":
            seen, far = np.abs(seen), np.abs(far)
        needed = seen * np.sqrt(variances)
        return np.asarray(far * deviation[:, None] >= needed - ROUNDING * np.abs(needed), dtype=np.float64)

    return np.asarray(over_samples(compute, lines, rows, resamples, seed).sum(axis=1))
