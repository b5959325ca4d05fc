"""Intervals of figures of agreement, by the bootstrap over queries: pairs of one query are drawn together."""

import numpy as np

from rankworth.agreements.tables import Compute, Floats, Tables
from rankworth.statistics.accelerated import corrected
from rankworth.statistics.draws import over_samples
from rankworth.statistics.samples import ROUNDING


def intervals(tables: Tables, compute: Compute, *, level: float, resamples: int, seed: int) -> tuple[Floats, Floats]:
    """`[S]` lower and `[S]` upper bounds: bias-corrected and accelerated, from samples of queries with replacement.

    Samples in which a figure is not defined are left out. NaN with fewer than two queries, where the figure is not
    defined, and where more samples than 1 - level have to be left out; the figure itself where all samples give it.

    Args:
        tables: those of all queries.
        compute: the figures.
        level: the confidence level.
        resamples: how many samples are drawn.
        seed: of the generator.

    Source: Efron (1987), Better bootstrap confidence intervals, https://doi.org/10.1080/01621459.1987.10478410; of
    clusters that are drawn whole: Davison and Hinkley (1997), Bootstrap methods and their application, section 3.8,
    https://doi.org/10.1017/CBO9780511802843

    """
    seen = compute(tables.total()[None])[0]
    low, high = np.full(seen.shape, np.nan), np.full(seen.shape, np.nan)
    if tables.queries < 2:  # noqa: PLR2004 - one query tells nothing of the spread
        return low, high
    samples = over_samples(
        lambda times: tables.of_samples(compute, times).T, len(seen), tables.queries, resamples, seed
    )
    left = tables.without_each(compute)
    for place in np.flatnonzero(~np.isnan(seen)):
        there = samples[place][~np.isnan(samples[place])]
        if resamples - there.size > (1 - level) * resamples:
            continue
        low[place], high[place] = _bounds(float(seen[place]), there, left[:, place], level)
    return low, high


def _bounds(seen: float, samples: Floats, left: Floats, level: float) -> tuple[float, float]:
    """The interval of one figure.

    Args:
        seen: the figure.
        samples: `[b]`, that of samples.
        left: `[Q]`, that without each query.
        level: the confidence level.

    """
    near = ROUNDING * max(abs(seen), float(np.abs(samples).max()))
    equal = np.abs(samples - seen) <= near
    if equal.all():
        return seen, seen
    below = ((samples < seen) & ~equal).mean() + equal.mean() / 2
    shares = corrected(np.array([below]), np.array([_acceleration(left)]), len(samples), level)
    ends = [float(np.quantile(samples, share[0])) for share in shares]
    return ends[0], ends[1]


def _acceleration(left: Floats) -> float:
    """A sixth of the skewness of what each query does to a figure.

    Args:
        left: `[Q]`, the figure without each query; where it is not defined then, the query is passed over.

    """
    known = left[~np.isnan(left)]
    apart = known.mean() - known if known.size else np.zeros(1)
    largest = float(np.abs(apart).max())
    if not largest:
        return 0.0
    apart = apart / largest  # no square leaves the range of floats
    return float((apart**3).sum() / (6 * (apart**2).sum() ** 1.5))
