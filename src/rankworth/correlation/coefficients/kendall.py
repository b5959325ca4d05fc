"""Kendall's tau a, b and c and Goodman and Kruskal's gamma: pairs in the same order minus pairs in opposite orders.

All are made of exact counts, and a division or two. The same test belongs to all four, as they are zero together.
"""

import math

from numpy.typing import ArrayLike

from rankworth.correlation.coefficients.pairs import Pairs
from rankworth.correlation.coefficients.scores import paired


def tau_a(x: ArrayLike, y: ArrayLike) -> float:
    """Kendall's tau a: `(C - D) / (n (n - 1) / 2)`, of all pairs, tied ones included.

    A pair that is tied on one side or on both counts neither as concordant (C) nor as discordant (D), so that rankings
    with ties stay below 1 even where they are identical. Between -1 and 1; NaN with fewer than two items; 0 where all
    are tied.

    Args:
        x: [n].
        y: [n].

    Raises:
        InputError: `bad-score`, where a score is not a number.

    Source: Kendall (1938), A new measure of rank correlation, https://doi.org/10.1093/biomet/30.1-2.81

    >>> tau_a([1, 2, 3, 4, 5], [2, 1, 2, 4, 5])  # (8 - 1) / 10
    0.7
    """
    pairs = Pairs.of(x, y)
    return pairs.balance / pairs.all if pairs.all else math.nan


def tau_b(x: ArrayLike, y: ArrayLike) -> float:
    """Kendall's tau b: `(C - D) / sqrt((pairs not tied in x) (pairs not tied in y))`.

    Between -1 and 1, and 1 for identical rankings, tied or not. NaN with fewer than two items, or where all are tied
    on one side.

    Args:
        x: [n].
        y: [n].

    Raises:
        InputError: `bad-score`, where a score is not a number.

    Source: Kendall (1945), The treatment of ties in ranking problems, https://doi.org/10.1093/biomet/33.3.239

    >>> tau_b([1, 2, 3, 4, 5], [2, 1, 2, 4, 5])  # (8 - 1) / sqrt(10 * 9)
    0.7378647873726218
    """
    pairs = Pairs.of(x, y)
    product = (pairs.all - pairs.tied_x) * (pairs.all - pairs.tied_y)
    return pairs.balance / math.sqrt(product) if product else math.nan


def tau_c(x: ArrayLike, y: ArrayLike) -> float:
    """Stuart's tau c: `2 m (C - D) / (n^2 (m - 1))`, where m is the lower number of different scores.

    It is meant for few different scores that differ in number between x and y. Between -1 and 1, and 1 only where m
    divides n and the items are spread over m groups of one size. NaN with fewer than two items, or where all are tied
    on one side.

    Args:
        x: [n].
        y: [n].

    Raises:
        InputError: `bad-score`, where a score is not a number.

    Source: Stuart (1953), The estimation and comparison of strengths of association in contingency tables,
    https://doi.org/10.2307/2333101

    >>> tau_c([1, 2, 3, 4, 5], [2, 1, 2, 4, 5])  # 2 * 4 * (8 - 1) / (25 * 3)
    0.7466666666666667
    """
    pairs = Pairs.of(x, y)
    m = pairs.fewest_groups
    return 2 * m * pairs.balance / (pairs.n**2 * (m - 1)) if m > 1 else math.nan


def gamma(x: ArrayLike, y: ArrayLike) -> float:
    """Goodman and Kruskal's gamma: `(C - D) / (C + D)`; a pair tied on either side does not count.

    Between -1 and 1. NaN where every pair is tied on one side at least, so with fewer than two items.

    Args:
        x: [n].
        y: [n].

    Raises:
        InputError: `bad-score`, where a score is not a number.

    Source: Goodman and Kruskal (1954), Measures of association for cross classifications,
    https://doi.org/10.1080/01621459.1954.10501231

    >>> gamma([1, 2, 3, 4, 5], [2, 1, 2, 4, 5])  # (8 - 1) / (8 + 1)
    0.7777777777777778
    """
    pairs = Pairs.of(x, y)
    counted = pairs.concordant + pairs.discordant
    return pairs.balance / counted if counted else math.nan


def kendall_p(x: ArrayLike, y: ArrayLike) -> float:
    """The two-sided p value of `C - D`, and so of tau a, b, c and gamma.

    Counted out over all orders where nothing is tied and there are at most 33 items (or at most one pair is out of
    order); otherwise that of a normal distribution, its variance corrected for ties. NaN with fewer than two items, or
    where all are tied on one side.

    Args:
        x: [n].
        y: [n].

    Raises:
        InputError: `bad-score`, where a score is not a number.

    Source: Kendall (1970), Rank correlation methods, as SciPy has it, https://doi.org/10.1038/s41592-019-0686-2

    >>> round(kendall_p([1, 2, 3, 4, 5], [2, 1, 3, 5, 4]), 4)  # 28 of 120 orders are as far from 0 as .6
    0.2333
    """
    from scipy.stats import kendalltau  # noqa: PLC0415 - costs more than most evaluations

    first, second = paired(x, y)
    if len(first) < 2:  # noqa: PLR2004 - one item makes no pair
        return math.nan
    return float(kendalltau(first, second).pvalue)
