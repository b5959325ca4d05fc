"""Correlation of two vectors of scores for the same items: Kendall, Spearman, AP correlation, weighted tau, Pearson.

Kendall's tau a, b and c and gamma are made of exact counts of pairs, in O(n log n). In AP correlation the first vector
is the reference (the truth) and the second is judged by it; only the form b is symmetric.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from rankworth.correlation.pairs import Floats, Groups, Ints, Pairs, above, balances, paired
from rankworth.errors import UsageError

Ties = Literal["aware", "penalised", "ignored", "refused", "refused-in-reference"]
Method = Literal["t", "exact"]
"""of Spearman's p value"""
COUNTED: Final = 9
"""Up to so many items Spearman's p is counted out."""


@dataclass(frozen=True)
class Coefficient:
    """A coefficient of correlation and what is true of it."""

    name: str
    """its key in `COEFFICIENTS`"""
    title: str
    """what a table calls it"""
    function: Callable[[ArrayLike, ArrayLike], float]
    """of two vectors [n] of scores, where higher means earlier; the first is the reference where one is"""
    symmetric: bool
    """whether the two may change places"""
    ties: Ties
    """`aware`: identical rankings give 1 with ties as without; `penalised`: ties keep them below 1; `ignored`: tied
    pairs do not count; `refused`: not defined with ties; `refused-in-reference`: not defined with ties in the first"""
    source: str
    """the DOI of its definition"""
    p: Callable[[ArrayLike, ArrayLike], float] | None = None
    """the two-sided p value, where there is one in use"""
    lowest: float = -1.0
    """the least value it can have; the highest is 1"""


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
    return _exact_p(_ranks(first), _ranks(second))


def _ranks(groups: Groups) -> Floats:
    """[n], twice the distance of each mean rank from the middle: whole numbers, whose sums are exact."""
    return (2 * groups.higher + groups.tied - len(groups.of)).astype(np.float64)


def _exact_p(x: Floats, y: Floats) -> float:
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


def pearson(x: ArrayLike, y: ArrayLike) -> float:
    """Pearson's r: `sum((x - mean x) (y - mean y)) / sqrt(sum((x - mean x)^2) sum((y - mean y)^2))`.

    It looks at scores and not at ranks: only a change of unit and of origin leaves it as it is. Between -1 and 1. NaN
    with fewer than two items, where all scores are equal on one side, or with an infinity.

    Args:
        x: [n].
        y: [n].

    Raises:
        InputError: `bad-score`, where a score is not a number.

    Source: Pearson (1895), Note on regression and inheritance in the case of two parents,
    https://doi.org/10.1098/rspl.1895.0041

    >>> round(pearson([1, 2, 3, 4, 5], [2, 1, 2, 4, 5]), 12)  # 9 / sqrt(10 * 10.8)
    0.866025403784
    """
    first, second = paired(x, y)
    for scores in (first, second):
        if not np.isfinite(scores).all() or (scores == scores[:1]).all():
            return math.nan
    return aligned(_centred(first), _centred(second))


def pearson_p(x: ArrayLike, y: ArrayLike) -> float:
    """The two-sided p value of `pearson`, for scores from a normal distribution; NaN where r is.

    Args:
        x: [n].
        y: [n].

    Raises:
        InputError: `bad-score`, where a score is not a number.

    Source: Student (1908), Probable error of a correlation coefficient, https://doi.org/10.1093/biomet/6.2-3.302

    >>> round(pearson_p([1, 2, 3, 4, 5], [2, 1, 2, 4, 5]), 6)
    0.057669
    """
    return beyond(pearson(x, y), len(np.asarray(x)))


def aligned(x: Floats, y: Floats) -> float:
    """The cosine of two vectors; their components have a mean of 0."""
    cosine = float(x @ y) / math.sqrt(float(x @ x) * float(y @ y))
    return max(-1.0, min(1.0, cosine))


def beyond(r: float, n: int) -> float:
    """How probable an r at least as far from 0 is, of n independent pairs from normal distributions.

    `2 I((1 - |r|) / 2; n / 2 - 1, n / 2 - 1)`, with the regularised incomplete beta function; this is Student's t test
    of `t = r sqrt((n - 2) / (1 - r^2))` with n - 2 degrees of freedom. With two items it is 1, as r can only be -1 or
    1.
    """
    from scipy.special import betainc  # noqa: PLC0415 - costs more than most evaluations

    if math.isnan(r):
        return math.nan
    if n <= 2:  # noqa: PLR2004 - two points lie on a line
        return 1.0
    return min(1.0, 2 * float(betainc(n / 2 - 1, n / 2 - 1, (1 - abs(r)) / 2)))


def _centred(scores: Floats) -> Floats:
    """Differences from the mean, divided by a power of two so that no square leaves the range of floats."""
    deviations = np.ldexp(scores, -np.frexp(np.abs(scores).max())[1])
    for _ in range(2):  # the mean itself is rounded
        deviations = deviations - deviations.mean()
    return np.asarray(deviations)


def weighted_tau(x: ArrayLike, y: ArrayLike) -> float:
    """Vigna's weighted tau, with hyperbolic weights that are added: the mean of weights by x and weights by y.

    This is what SciPy's `weightedtau` gives with its default `rank=True`: the mean of `weighted_tau_reference` with x
    as the reference and with y. Between -1 and 1. NaN with fewer than two items, or where all are tied on one side.

    Args:
        x: [n].
        y: [n].

    Raises:
        InputError: `bad-score`, where a score is not a number.

    Source: Vigna (2015), A weighted correlation index for rankings with ties, https://doi.org/10.1145/2736277.2741088

    >>> round(weighted_tau([12, 2, 1, 12, 2], [1, 4, 7, 1, 0]), 12)
    -0.566949681537
    """
    first, second = (Groups.by(scores) for scores in paired(x, y))
    agreement = balances(first, second)
    return (_weighted(first, second, agreement) + _weighted(second, first, agreement)) / 2


def weighted_tau_reference(x: ArrayLike, y: ArrayLike) -> float:
    """Vigna's weighted tau, with weights by the ranks in x, the reference.

    An item at rank r, counted from 0, weighs `1 / (r + 1)`, and a pair what its items weigh together:

        sum(w_ij sign(x_i - x_j) sign(y_i - y_j)) / sqrt(sum(w_ij [x_i != x_j]) sum(w_ij [y_i != y_j]))

    Items tied in x are ranked by y for their weights. Between -1 and 1. NaN with fewer than two items, or where all are
    tied on one side. SciPy calls this `weightedtau(rank=None)`.

    Args:
        x: [n], the reference.
        y: [n].

    Raises:
        InputError: `bad-score`, where a score is not a number.

    Source: Vigna (2015), A weighted correlation index for rankings with ties, https://doi.org/10.1145/2736277.2741088

    >>> round(weighted_tau_reference([12, 2, 1, 12, 2], [1, 4, 7, 1, 0]), 12)
    -0.415765230104
    """
    first, second = (Groups.by(scores) for scores in paired(x, y))
    return _weighted(first, second, balances(first, second))


def _weighted(reference: Groups, other: Groups, agreement: Ints) -> float:
    """The quotient; a weight stands before all pairs of its item, so that their number is what it takes."""
    n = len(reference.of)
    if min(len(reference.size), len(other.size)) < 2:  # noqa: PLR2004 - one score makes no order
        return math.nan
    order = np.argsort(reference.of * n + other.of)[::-1]
    weights = 1 / np.arange(1, n + 1)
    numerator, *squares = (float(weights @ part[order]) for part in (agreement, n - reference.tied, n - other.tied))
    return max(-1.0, min(1.0, numerator / math.sqrt(math.prod(squares))))


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


COEFFICIENTS: Final[Mapping[str, Coefficient]] = MappingProxyType(
    {
        one.name: one
        for one in (
            Coefficient("tau-a", "Kendall's tau a", tau_a, True, "penalised", "10.1093/biomet/30.1-2.81", kendall_p),
            Coefficient("tau-b", "Kendall's tau b", tau_b, True, "aware", "10.1093/biomet/33.3.239", kendall_p),
            Coefficient("tau-c", "Stuart's tau c", tau_c, True, "penalised", "10.2307/2333101", kendall_p),
            Coefficient(
                "gamma",
                "Goodman and Kruskal's gamma",
                gamma,
                True,
                "ignored",
                "10.1080/01621459.1954.10501231",
                kendall_p,
            ),
            Coefficient("spearman", "Spearman's rho", spearman, True, "aware", "10.2307/1412159", spearman_p),
            Coefficient("weighted-tau", "weighted tau", weighted_tau, True, "aware", "10.1145/2736277.2741088"),
            Coefficient(
                "weighted-tau-reference",
                "weighted tau by the reference",
                weighted_tau_reference,
                False,
                "aware",
                "10.1145/2736277.2741088",
            ),
            Coefficient("tau-ap", "tau AP", tau_ap, False, "refused", "10.1145/1390334.1390435"),
            Coefficient("tau-ap-a", "tau AP a", tau_ap_a, False, "refused-in-reference", "10.1145/3121050.3121106"),
            Coefficient("tau-ap-b", "tau AP b", tau_ap_b, True, "aware", "10.1145/3121050.3121106"),
            Coefficient("pearson", "Pearson's r", pearson, True, "aware", "10.1098/rspl.1895.0041", pearson_p),
        )
    }
)
"""All of them, by name."""
