"""Average precision correlation: tau where differences at the top of a ranking weigh more, without ties and with.

The first argument is the reference (the truth), the second is what is judged, and they are not interchangeable but in
the form b.
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from rankworth.correlation.coefficients.pairs import above
from rankworth.correlation.coefficients.scores import Floats, Groups, Ints, paired
from rankworth.errors import UsageError


def tau_ap(x: ArrayLike, y: ArrayLike) -> float:
    """The AP correlation of a ranking y with the reference x, both without ties.

    `2 / (n - 1) sum(C(i) / (i - 1)) - 1`, over the ranks i = 2..n of **y**, where C(i) is how many of the i - 1 items
    above rank i in y also stand above its item in x. Between -1 and 1. NaN with fewer than two items.

    Args:
        x: [n], the reference.
        y: [n], what is judged.

    Raises:
        InputError: `bad-score`, where a score is not a number.
        UsageError: `tied-ranking`, where x or y has a tie, for which this form is not defined.

    Source: Yilmaz, Aslam and Robertson (2008), A new rank correlation coefficient for information retrieval,
    https://doi.org/10.1145/1390334.1390435

    >>> tau_ap([5, 4, 3, 2, 1], [5, 4, 3, 1, 2])  # 2 / 4 * (1 / 1 + 2 / 2 + 3 / 3 + 3 / 4) - 1
    0.875
    >>> tau_ap([5, 4, 3, 2, 1], [4, 5, 3, 2, 1])  # 2 / 4 * (0 / 1 + 2 / 2 + 3 / 3 + 4 / 4) - 1
    0.5
    """
    first, second = (Groups.by(scores) for scores in paired(x, y))
    for name, groups in (("reference x", first), ("judged ranking y", second)):
        if groups.any_tied:
            raise UsageError(
                "tied-ranking",
                f"tau-ap is defined without ties, and the {name} gives {_most(groups)} items the same score",
                remedy="tau-ap-a allows ties in the judged ranking, tau-ap-b in both",
            )
    return _over_ranks(first, second)


def tau_ap_a(x: ArrayLike, y: ArrayLike) -> float:
    """The AP correlation of a ranking y, which may have ties, with a true order x, which has none: accuracy.

    It is the mean of `tau_ap(x, y)` over all orders of the items tied in y, in closed form. A group of t items from
    rank p on, whose items have A pairs with items above the group that x orders alike, adds at each of its ranks i > 1

        (A / t + (i - p) / 2) / (i - 1)

    in the place of `C(i) / (i - 1)`: of the items tied with it, half are expected to be above it rightly. Between -1
    and 1; 0 where all of y is tied; NaN with fewer than two items.

    Args:
        x: [n], the reference.
        y: [n], what is judged.

    Raises:
        InputError: `bad-score`, where a score is not a number.
        UsageError: `tied-ranking`, where the reference x has a tie: a true order has none.

    Source: Urbano and Marrero (2017), The treatment of ties in AP correlation,
    https://doi.org/10.1145/3121050.3121106

    >>> tau_ap_a([3, 2, 1], [2, 2, 1])  # (tau_ap(x, [3, 2, 1]) + tau_ap(x, [2, 3, 1])) / 2 = (1 + 0) / 2
    0.5
    """
    first, second = (Groups.by(scores) for scores in paired(x, y))
    if first.any_tied:
        raise UsageError(
            "tied-ranking",
            f"tau-ap-a takes x for a true order, and it gives {_most(first)} items the same score",
            remedy="tau-ap-b allows ties in both rankings",
        )
    return _over_ranks(first, second)


def tau_ap_b(x: ArrayLike, y: ArrayLike) -> float:
    """The AP correlation of two rankings that may both have ties, neither of them the truth: agreement.

    The mean of two directions. For each, with the ranking that is looked at from the top:

        2 / m sum(C(i) / (p(i) - 1)) - 1

    over the m items below its first group of ties, where p(i) is the first rank of the group of item i, and C(i) how
    many of the p(i) - 1 items above that group also stand above the item in the other ranking, without a tie. Between
    -1 and 1, and 1 for identical rankings, tied or not. Without ties it is the mean of `tau_ap(x, y)` and
    `tau_ap(y, x)`. NaN with fewer than two items, or where all are tied on one side.

    Args:
        x: [n].
        y: [n].

    Raises:
        InputError: `bad-score`, where a score is not a number.

    Source: Urbano and Marrero (2017), The treatment of ties in AP correlation,
    https://doi.org/10.1145/3121050.3121106

    >>> tau_ap_b([3, 2, 2], [3, 2, 1])  # one direction: 2 / 2 (1 / 1 + 1 / 1) - 1, the other: 2 / 2 (1 / 1 + 1 / 2) - 1
    0.75
    """
    first, second = (Groups.by(scores) for scores in paired(x, y))
    if min(len(first.size), len(second.size)) < 2:  # noqa: PLR2004 - one score makes no order
        return math.nan
    better = above(first, second)
    return (_over_groups(first, better) + _over_groups(second, better)) / 2


def _over_ranks(reference: Groups, judged: Groups) -> float:
    """Precision at each rank of the judged ranking, expected over the orders of its ties, from -1 to 1 in the mean."""
    n = len(judged.of)
    if n < 2:  # noqa: PLR2004 - one item makes no pair
        return math.nan
    size = judged.size[::-1]
    first = np.cumsum(size) - size
    correct = np.repeat(_per_group(judged, above(reference, judged)) / size, size)
    rank = np.arange(n)  # from 0, so that it is the number of items above
    right = correct + (rank - np.repeat(first, size)) / 2
    return _scaled(right[1:] / rank[1:], n - 1)


def _over_groups(ranking: Groups, better: Ints) -> float:
    """The same with the items above a group of ties in the place of the items above a rank."""
    size = ranking.size[::-1]
    first = np.cumsum(size) - size
    return _scaled(_per_group(ranking, better)[1:] / first[1:], len(ranking.of) - int(size[0]))


def _per_group(ranking: Groups, counts: Ints) -> Floats:
    """[g], sums of counts of items per group, the best group first."""
    return np.bincount(ranking.of, weights=counts)[::-1].astype(np.float64)


def _scaled(shares: Floats, count: int) -> float:
    """A sum of `count` shares of 0 to 1, made a mean and stretched to -1 to 1; exact, in whatever order."""
    return 2 * math.fsum(shares.tolist()) / count - 1


def _most(groups: Groups) -> int:
    return int(groups.size.max())
