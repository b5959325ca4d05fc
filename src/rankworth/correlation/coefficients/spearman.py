"""Spearman's rho: Pearson's r of ranks."""

import math
from typing import Final, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from rankworth.correlation.coefficients.pearson import aligned, beyond
from rankworth.correlation.coefficients.scores import Floats, Groups, paired

COUNTED: Final = 9
"""Up to so many items p is counted out."""
Method = Literal["t", "exact"]


def spearman(x: ArrayLike, y: ArrayLike) -> float:
    """Spearman's rho: Pearson's r of the ranks, where tied items share the mean of theirs.

    The shortcut `1 - 6 sum(d^2) / (n (n^2 - 1))` is the same number only without ties, and is not used. Between -1 and
    1. NaN with fewer than two items, or where all are tied on one side.

    Args:
        x: [n].
        y: [n].

    Raises:
        InputError: `bad-score`, where a score is not a number.

    Source: Spearman (1904), The proof and measurement of association between two things,
    https://doi.org/10.2307/1412159

    >>> round(spearman([1, 2, 3, 4, 5], [2, 1, 2, 4, 5]), 12)  # 8 / sqrt(10 * 9.5)
    0.820782681668
    """
    first, second = (Groups.by(scores) for scores in paired(x, y))
    if min(len(first.size), len(second.size)) < 2:  # noqa: PLR2004 - one score makes no order
        return math.nan
    return aligned(_ranks(first), _ranks(second))


def spearman_p(x: ArrayLike, y: ArrayLike, *, method: Method = "t") -> float:
    """The two-sided p value of `spearman`; NaN where rho is.

    It is that of Student's t with n - 2 degrees of freedom, as SciPy has it, which is too low for few items. Up to 9
    items it can be counted out: the share of all n! orders, ties kept, whose rho is at least as far from 0.

    Args:
        x: [n].
        y: [n].
        method: `t`, or `exact` for up to 9 items.

    Raises:
        InputError: `bad-score`, where a score is not a number.

    Source: Kendall, Kendall and Babington Smith (1939), The distribution of Spearman's coefficient of rank correlation
    in a universe in which all rankings occur an equal number of times, https://doi.org/10.1093/biomet/30.3-4.251

    >>> round(spearman_p([1, 2, 3, 4, 5], [2, 1, 2, 4, 5]), 6)
    0.088587
    >>> round(spearman_p([1, 2, 3, 4, 5], [2, 1, 2, 4, 5], method="exact"), 6), round(16 / 120, 6)
    (0.133333, 0.133333)
    """
    if method not in get_args(Method):
        raise ValueError(f"method={method!r}: it is one of {', '.join(get_args(Method))}")
    rho = spearman(x, y)
    first, second = (Groups.by(scores) for scores in paired(x, y))
    n = len(first.of)
    if method == "exact" and n > COUNTED:
        raise ValueError(f"method='exact' counts out up to {COUNTED} items, these are {n}")
    if math.isnan(rho) or method == "t":
        return beyond(rho, n)
    return _counted(_ranks(first), _ranks(second))


def _ranks(groups: Groups) -> Floats:
    """[n], twice the distance of each mean rank from the middle: whole numbers, whose sums are exact."""
    return (2 * groups.higher + groups.tied - len(groups.of)).astype(np.float64)


def _counted(x: Floats, y: Floats) -> float:
    """The share of orders of y whose products with x add up to a sum at least as far from 0.

    Sums are counted per set of items of x that have got their partners, one further item of y at a time.
    """
    n = len(x)
    reach = int(np.abs(x).sum() * np.abs(y).max())
    ways = np.zeros((1 << n, 2 * reach + 1), dtype=np.int64)
    ways[0, reach] = 1
    sets = np.arange(1 << n)
    sizes = np.array([int(one).bit_count() for one in sets])
    for partners, rank in enumerate(y):
        for item in range(n):
            without = sets[(sizes == partners) & (sets >> item & 1 == 0)]
            ways[without | 1 << item] += np.roll(ways[without], int(x[item] * rank), axis=1)
    far = np.abs(np.arange(-reach, reach + 1)) >= abs(x @ y)
    return int(ways[-1, far].sum()) / math.factorial(n)
