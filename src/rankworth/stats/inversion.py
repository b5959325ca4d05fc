"""Intervals that invert tests: the mean differences that a test does not reject.

A test of no difference becomes a test of a difference x where x is taken from all values. The interval at a level alpha
holds each x with a p above alpha, so that it leaves 0 out exactly where the test of no difference has p <= alpha. Its
ends are infinite where no difference, however large, would be rejected: there are too few rows or random samples.
"""

from collections.abc import Callable
from typing import Final, NamedTuple

import numpy as np

from rankworth.stats.resampling import ENUMERABLE, blocks, random_signs, signs_of_all, weighing
from rankworth.stats.samples import ROUNDING, Columns, Floats, Ints, Sample, moments, settled

_SUMS: Final = 1 << 21
"""sums of flips that are held at a time"""
_HALVINGS: Final = 60
"""after which an end that is searched for is known to 2^-60 of the range of values"""
_PAIRED: Final = 1_000
"""differences up to which the means of all pairs are sorted"""
RANKED: Final = 50
"""Up to so many differences other than 0, none of equal size, Wilcoxon's p is counted out."""


class Ends(NamedTuple):
    """The ends of intervals, for several levels and columns."""

    low: Floats
    """[A, K]; -inf where nothing is rejected, NaN where the test is not defined"""
    high: Floats


def _undefined(alpha: Floats) -> Ends:
    return Ends(np.full(alpha.shape, np.nan), np.full(alpha.shape, np.nan))


def around(mean: Floats, half: Floats) -> Ends:
    """Return intervals around means [K], from half their widths [A, K]."""
    with np.errstate(over="ignore"):
        return Ends(mean - half, mean + half)


def most_extreme(alpha: Floats, total: int) -> Ints:
    """Return how many of `total` equally likely outcomes have a share of alpha at most."""
    return np.asarray(np.floor(alpha * total * (1 + ROUNDING)), dtype=np.intp)


def by_t(columns: Columns, alpha: Floats) -> Ends:
    """Invert the t test: `mean -+ t(1 - alpha / 2, df) error`, as of `Moments`."""
    from scipy.special import stdtrit  # noqa: PLC0415 - costs more than most evaluations

    estimates = moments(columns)
    with np.errstate(over="ignore"):
        half = np.where(estimates.error == 0, 0.0, stdtrit(estimates.df, 1 - alpha / 2) * estimates.error)
    return around(estimates.mean, half)


def by_flips(columns: Columns, alpha: Floats, resamples: int, seed: int) -> Ends:
    """Invert the randomization test, with the flips that its p is made of.

    A flip splits the rows into those whose sign changes and those whose sign stays. With x taken from all values, its
    sum of `w (d - x)` lies as far from 0 as that of the rows themselves exactly where x lies between the weighted means
    of the two groups; for each x where one group is empty. So with T flips, the rows as they are among them, and
    `k = floor(alpha T) + 1`, the interval runs from the k-th smallest of the lower means to the k-th largest of the
    higher ones.

    Where at most 16 rows have a number, all flips are looked at. Where at most 16 numbers are not 0, all flips of these
    are, with random flips of the rest. Otherwise flips are random, and the rows as they are count as one more.

    Source: Hartigan (1969), Using subsample values as typical values, https://doi.org/10.1080/01621459.1969.10501057
    """
    ends = _undefined(alpha)
    has_value = columns.there  # [N, K]
    weights = np.ones(len(has_value)) if columns.weights is None else weighing(columns.weights)  # [N]
    values = np.nan_to_num(columns.values, nan=0.0)
    is_drawn = np.count_nonzero(columns.summands(), axis=0) > ENUMERABLE  # [K]
    for column in np.flatnonzero(has_value.any(axis=0) & ~is_drawn):
        rows = has_value[:, column]
        split = _counted_out(values[rows, column], weights[rows], resamples, seed)
        _fill(ends, alpha, np.array([column]), split, more=0)
    drawn, step = np.flatnonzero(is_drawn), max(1, _SUMS // resamples)
    for block in (drawn[start : start + step] for start in range(0, len(drawn), step)):
        mass = weights[:, None] * has_value[:, block]  # [N, k]
        mass_of_rows = mass[:, :1] if has_value[:, block].all() else mass  # one column where all have the same rows
        signed = [
            (signs @ (values[:, block] * mass), signs @ mass_of_rows)
            for signs in random_signs(len(values), resamples, seed, len(block))
        ]
        sums, masses = (np.concatenate(parts) for parts in zip(*signed, strict=True))  # [B, k], [B, k] or [B, 1]
        _fill(ends, alpha, block, _split(sums, masses, values[:, block], mass), more=1)
    return Ends(*map(columns.restored, ends))


def _counted_out(values: Floats, weights: Floats, resamples: int, seed: int) -> tuple[Floats, Floats]:
    """Split rows [n] by all flips of them, or of those that are not 0: the lower and the higher means, [T, 1] each."""
    is_free = (values == 0) & (len(values) > ENUMERABLE)  # [n]: rows whose flips do not change the sum, and are random
    signs = signs_of_all(int(np.count_nonzero(~is_free)))
    sums, masses = signs @ (values * weights)[~is_free], signs @ weights[~is_free]  # [T] each
    if is_free.any():
        times = -(-resamples // len(signs))
        sums, masses = np.repeat(sums, times), np.repeat(masses, times)
        drawn = random_signs(int(np.count_nonzero(is_free)), len(masses), seed)
        free = np.concatenate([signs @ weights[is_free] for signs in drawn])  # [T]
        free[0] = weights[is_free].sum()  # of the rows as they are
        masses += free
    return _split(sums[:, None], masses[:, None], values[:, None], weights[:, None])


def _split(sums: Floats, masses: Floats, values: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Return the lower and the higher mean of the two groups that flips make, [T, k] each; infinite of an empty group.

    Args:
        sums: [T, k], of flipped `w d`.
        masses: [T, k] or [T, 1], of flipped `w`.
        values: [N, k], d.
        weights: [N, k], w.

    """
    weighted = values * weights
    seen, mass = weighted.sum(axis=0), weights.sum(axis=0)  # [k] each
    holds_zero = np.abs(sums) >= np.abs(seen) - ROUNDING * np.abs(weighted).sum(axis=0)  # as p counts it
    with np.errstate(divide="ignore", invalid="ignore"):
        kept, flipped = (seen + sums) / (mass + masses), (seen - sums) / (mass - masses)
    is_undivided = (mass + masses == 0) | (mass - masses == 0)
    low, high = np.minimum(kept, flipped), np.maximum(kept, flipped)
    low = np.where(is_undivided, -np.inf, np.where(holds_zero, np.minimum(low, 0.0), low))
    return low, np.where(is_undivided, np.inf, np.where(holds_zero, np.maximum(high, 0.0), high))


def _fill(ends: Ends, alpha: Floats, columns: Ints, split: tuple[Floats, Floats], more: int) -> None:
    """Write the ends of columns [k] from the means of their groups, [T, k] each; `more` flips split no rows."""
    low, high = split
    orders = most_extreme(alpha[:, columns], len(low) + more) - more  # [A, k]: how many lie beyond an end
    for index, column in enumerate(columns):
        within = np.unique(orders[orders[:, index] >= 0, index])
        lower = np.partition(low[:, index], within)
        higher = np.partition(-high[:, index], within)
        for row, order in enumerate(orders[:, index].tolist()):
            ends.low[row, column] = lower[order] if order >= 0 else -np.inf
            ends.high[row, column] = -higher[order] if order >= 0 else np.inf


def by_bootstrap(columns: Columns, alpha: Floats, reaches: Callable[[Sample], Floats], resamples: int) -> Ends:
    """Invert the studentized bootstrap test: `mean -+ r`, with the k-th largest r of samples, k = floor(alpha (B + 1)).

    Args:
        columns: of differences.
        alpha: [A, K].
        reaches: how far from its mean each sample reaches, [k, B]; NaN where it reaches any distance.
        resamples: B.

    """
    estimates, half = moments(columns), np.full(alpha.shape, np.nan)
    half[:, estimates.error == 0] = 0.0
    orders = most_extreme(alpha, resamples + 1)  # [A, K]
    for sample in columns.samples():
        varying = np.flatnonzero(estimates.error[sample.places] > 0)
        for lines in blocks(len(varying), resamples):
            part = Sample(sample.places[varying[lines]], sample.values[varying[lines]], sample.weights)
            reach = np.nan_to_num(reaches(part), nan=np.inf, posinf=np.inf) / (1 - ROUNDING)  # [k, B]
            largest = -np.sort(-reach, axis=1)
            for column, sizes in zip(part.places, largest, strict=True):
                half[:, column] = sizes[np.maximum(orders[:, column] - 1, 0)]
    half[:, estimates.error > 0] = columns.restored(half)[:, estimates.error > 0]
    return around(estimates.mean, np.where((orders == 0) & ~np.isnan(estimates.error), np.inf, half))


def by_signs(columns: Columns, alpha: Floats) -> Ends:
    """Invert the sign test: order statistics of the differences that are not 0, by the binomial distribution."""
    return _by_order(columns, alpha, len, _smallest, _sign_distance)


def by_ranks(columns: Columns, alpha: Floats) -> Ends:
    """Invert Wilcoxon's test: order statistics of the means of pairs of differences that are not 0 (Hodges-Lehmann).

    The statistic of the test is the number of such means above 0, ties half, pairs of a difference with itself among
    them. It is held against the distribution that its p comes from.

    Source: Hodges and Lehmann (1963), Estimates of location based on rank tests,
    https://doi.org/10.1214/aoms/1177704172
    """
    return _by_order(
        columns, alpha, lambda values: len(values) * (len(values) + 1) // 2, _smallest_mean, _rank_distance
    )


def _by_order(
    columns: Columns,
    alpha: Floats,
    count: Callable[[Floats], int],
    smallest: Callable[[Floats, int], float],
    distance: Callable[[Floats, float], float],
) -> Ends:
    """Return order statistics of points, whose number above x is the statistic of a test of x.

    Args:
        columns: of differences.
        alpha: [A, K].
        count: the number of points of ascending differences that are not 0.
        smallest: the point that has so many below it.
        distance: how far from half the number of points the statistic is rejected at a level.

    """
    ends = _undefined(alpha)
    for column in np.flatnonzero(columns.there.any(axis=0)):
        values = np.sort(settled(columns.values[columns.there[:, column], column]))
        values = values[values != 0]
        for row, share in enumerate(alpha[:, column].tolist()):
            beyond = count(values) / 2 - distance(values, share) if values.size else -np.inf
            if beyond < 0:
                ends.low[row, column], ends.high[row, column] = -np.inf, np.inf
            elif beyond >= 0:
                order = int(beyond + ROUNDING)
                ends.low[row, column], ends.high[row, column] = smallest(values, order), -smallest(-values[::-1], order)
    return Ends(*map(columns.restored, ends))


def _smallest(values: Floats, order: int) -> float:
    return float(values[order])


def _smallest_mean(values: Floats, order: int) -> float:
    """Return the mean of a pair of ascending values that has so many such means below it."""
    if len(values) <= _PAIRED:
        first, second = np.triu_indices(len(values))
        return float(np.partition((values[first] + values[second]) / 2, order)[order])
    low, high = float(values[0]), float(values[-1])
    rows = np.arange(len(values))
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        last = np.searchsorted(values, 2 * middle - values, side="right")  # [n]: up to where the mean is no larger
        is_short = int(np.maximum(last - rows, 0).sum()) <= order
        low, high = (middle, high) if is_short else (low, middle)
    return high


def _sign_distance(values: Floats, alpha: float) -> float:
    """Return how far from n / 2 the number of positive differences is rejected; NaN for a level that is NaN."""
    from scipy.special import bdtr  # noqa: PLC0415 - costs more than most evaluations

    size = len(values)
    p = np.minimum(2 * bdtr(np.arange(size // 2 + 1), size, 0.5), 1.0)  # of the smaller number of both signs
    rejected = np.flatnonzero(p <= alpha * (1 + ROUNDING))
    return size / 2 - float(rejected[-1]) if rejected.size else np.inf + alpha


def _rank_distance(values: Floats, alpha: float) -> float:
    """Return how far from n (n + 1) / 4 the sum of positive ranks is rejected; NaN for a level that is NaN."""
    from scipy.special import ndtri  # noqa: PLC0415 - costs more than most evaluations
    from scipy.stats import rankdata  # noqa: PLC0415 - as above

    ranks = rankdata(np.abs(values))  # [n]
    if not is_counted_out(values):
        return float(-ndtri(alpha / 2) * np.sqrt((ranks**2).sum()) / 2)
    ways = np.ones(1)  # of giving signs, by twice the sum of positive ranks: shared ranks are halves
    for rank in np.rint(2 * ranks).astype(np.intp):
        more = np.zeros(len(ways) + rank)
        more[: len(ways)] += ways
        more[rank:] += ways
        ways = more
    sums = np.flatnonzero(ways[: (len(ways) + 1) // 2])  # up to the middle
    p = np.minimum(2 * np.cumsum(ways)[sums] / 2.0 ** len(values), 1.0)
    rejected = sums[p <= alpha * (1 + ROUNDING)]
    return float(ranks.sum() - rejected[-1]) / 2 if rejected.size else np.inf + alpha


def is_counted_out(values: Floats) -> bool:
    """Return whether Wilcoxon's p is counted out for settled differences, none of which is 0."""
    has_ties = np.unique(np.abs(values)).size < values.size
    return values.size <= (ENUMERABLE if has_ties else RANKED)


def by_search(p_of: Callable[[Floats], Floats], values: Floats, middle: Floats, alpha: Floats) -> Ends:
    """Invert any test: halve the distance between a difference that it does not reject and one that it rejects.

    Args:
        p_of: from a number that is taken from each column, [K], to p, [K].
        values: [N, K].
        middle: [K], which is not rejected.
        alpha: [A, K].

    """
    span = np.fmax.reduce(np.abs(values), axis=0, initial=0.0)  # [K]
    ends = _undefined(alpha)
    for edges, side in zip(ends, (-1.0, 1.0), strict=True):
        for row, level in enumerate(alpha):
            inside, outside = middle, side * (4 * span + 1)
            never = p_of(outside) > level
            for _ in range(_HALVINGS):
                between = (inside + outside) / 2
                kept = p_of(between) > level
                inside, outside = np.where(kept, between, inside), np.where(kept, outside, between)
            edges[row] = np.where(np.isnan(middle), np.nan, np.where(never, side * np.inf, inside))
    return ends
