"""Exact intervals of a share, such as the share of queries with a leak, down to 0 and up to 1; and of a median."""

import math
from collections.abc import Sequence

import numpy as np

from rankworth.arrays import Floats
from rankworth.errors import UsageError
from rankworth.stats.samples import share


def clopper_pearson(count: int, number: int, *, level: float = 0.95) -> tuple[float, float]:
    """Return the exact interval of a share: the shares by which `count` of `number` is not too rare at either end.

    The lower end is the share p with P(at least count) = (1 - level) / 2, the upper one that with P(at most count) =
    (1 - level) / 2, of a binomial distribution of `number` draws: quantiles of the beta distribution. The lower end of
    none is 0, the upper end of all is 1. It holds the true share at least as often as it says. A bound at one end alone
    with 95 % is the end of `level=0.9`.

    Args:
        count: how many there are, from 0 to `number`.
        number: of how many, from 1.
        level: the confidence level, between 0 and 1.

    Raises:
        UsageError: `unknown-setting` for numbers that are none of these.

    Source: Clopper, Pearson (1934), The use of confidence or fiducial limits illustrated in the case of the binomial,
    https://doi.org/10.1093/biomet/26.4.404

    >>> low, high = clopper_pearson(0, 200)  # 1 - 0.025^(1/200)
    >>> low, round(high, 6)
    (0.0, 0.018275)
    """
    if not 0 <= count <= number or number < 1:
        text = f"{count!r} of {number!r} is no share: a count from 0 to a number from 1"
        raise UsageError("unknown-setting", text)
    low, high = exact_intervals([count], number, level=level)
    return float(low[0]), float(high[0])


def exact_intervals(counts: Sequence[int], number: int, *, level: float = 0.95) -> tuple[Floats, Floats]:
    """Return low and high, `[K]` each, of the exact intervals of several counts of one number, as `clopper_pearson`.

    Args:
        counts: `[K]`, each from 0 to `number`.
        number: of how many, from 1.
        level: the confidence level, between 0 and 1.

    Raises:
        UsageError: `unknown-setting` for another level.

    """
    from scipy.special import betaincinv  # noqa: PLC0415 - costs more than most evaluations

    tail = (1 - share("level", level)) / 2
    hits = np.asarray(counts, dtype=np.int64)
    low, high = np.zeros(hits.size), np.ones(hits.size)
    any_hit, any_miss = hits > 0, hits < number
    low[any_hit] = betaincinv(hits[any_hit], number - hits[any_hit] + 1, tail)
    high[any_miss] = betaincinv(hits[any_miss] + 1, number - hits[any_miss], 1 - tail)
    return low, high


def interval_of_median(values: Floats, *, level: float = 0.95) -> tuple[float, float]:
    """Return the exact interval of a median, between two of the values: whatever their distribution is.

    Of n sorted values, the ends are those in place d and n + 1 - d, where d is the largest with P(X < d) <=
    (1 - level) / 2, X binomial of n and 1/2. It holds the median at least as often as it says.

    Args:
        values: `[N]`, which may be infinite.
        level: the confidence level, between 0 and 1.

    Returns:
        Low and high; NaN where there are too few values for this level (five for 0.95), or one is NaN.

    Raises:
        UsageError: `unknown-setting` for another level.

    Source: Thompson (1936), On confidence ranges for the median and other expectation distributions for populations of
    unknown distribution form, https://doi.org/10.1214/aoms/1177732502

    >>> interval_of_median(np.arange(1.0, 10.0))  # P(X < 2) = (1 + 9) / 2^9 = 0.0195, P(X < 3) = 46 / 2^9
    (2.0, 8.0)
    """
    from scipy.special import bdtr  # noqa: PLC0415 - costs more than most evaluations

    number, tail = values.size, (1 - share("level", level)) / 2
    below = bdtr(np.arange(number // 2, dtype=np.float64), number, 0.5)  # P(X < d) of d = 1, 2, ... n / 2
    place = int(np.count_nonzero(below <= tail))
    if not place or np.isnan(values).any():
        return math.nan, math.nan
    ordered = np.sort(values)
    return float(ordered[place - 1]), float(ordered[number - place])


def described_share(count: int, number: int, level: float = 0.95) -> str:
    """Say how many of how many queries, and the exact interval.

    >>> described_share(0, 200)
    '0 of 200 queries, at most 1.8 % (exact 95 % interval)'
    """
    low, high = (f"{100 * end:.2g} %" for end in clopper_pearson(count, number, level=level))
    ends = f"at most {high}" if not count else f"at least {low}" if count == number else f"{low} to {high}"
    noun = "query" if number == 1 else "queries"
    return f"{count:,} of {number:,} {noun}, {ends} (exact {100 * level:g} % interval)"
