"""Correlation of two orders of the same items: Kendall, Spearman, AP correlation, weighted tau, Pearson.

Each coefficient is one function of `Pair`: B samples of two vectors of scores for n items, higher ones first, of which
it gives B values; a single pair of vectors is one sample. Kendall's tau a, b and c and gamma are made of exact counts
of pairs, C of which both vectors put in the same order and D in opposite orders. In AP correlation and in
`weighted-tau-reference` the first vector is the reference (the truth) and the second is judged by it.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankworth.errors import InputError, UsageError
from rankworth.stats.samples import ROUNDING, Floats

Integers = NDArray[np.integer[Any]]
Ties = Literal["aware", "penalised", "ignored", "refused", "refused-in-reference"]
BLOCK: Final = 64
"""So many items are compared each with each; a power of two whose counts fit into 8 bits."""
_EARLIER: Final = np.triu(np.ones((BLOCK, BLOCK), dtype=np.bool_), 1)
_CACHED: Final = 1 << 16
"""how many places of samples are compared at a time: they stay in the cache"""
_SHORT: Final = 1 << 15
"""items up to which 16 bits hold a rank"""


@dataclass(frozen=True, eq=False)
class Orders:
    """The orders of n items in B samples, best first, with groups of ties.

    >>> found = Orders.of(np.array([[0.3, 0.1 + 0.2, 0.5]]), rounded=True)
    >>> found.order[0, 0], found.higher, found.tied, found.groups
    (np.int64(2), array([[1, 1, 0]]), array([[2, 2, 1]]), array([2]))
    """

    scores: Floats
    """[B, n], higher is better"""
    order: Integers
    """[B, n]: items, best first"""
    begin: Integers
    """[B, n], place by place in that order: where the group of ties begins that is there"""
    end: Integers
    """[B, n], place by place: the last place of that group"""

    @classmethod
    def of(cls, scores: Floats, *, rounded: bool = False) -> Self:
        """Sort scores [B, n]; `rounded` takes scores that rounding alone tells apart for tied."""
        order = np.argsort(-scores, axis=1, kind="stable")
        ranked = np.take_along_axis(scores, order, axis=1)  # [B, n]: the scores, best first
        near = ROUNDING * np.abs(scores).max(axis=1, keepdims=True, initial=0.0) if rounded else 0.0  # [B, 1] or 0
        # [B, n + 1]: whether a group begins here; the last column ends the last group
        fresh = np.ones((len(scores), scores.shape[1] + 1), dtype=np.bool_)
        with np.errstate(invalid="ignore", over="ignore"):  # infinities are tied with each other
            fresh[:, 1:-1] = ranked[:, :-1] - ranked[:, 1:] > near
        index = np.arange(scores.shape[1])
        begin = np.maximum.accumulate(np.where(fresh[:, :-1], index, 0), axis=1)  # [B, n]
        end = np.where(fresh[:, 1:], index, scores.shape[1])  # [B, n]: the index where a group ends, else n
        return cls(scores, order, begin, np.minimum.accumulate(end[:, ::-1], axis=1)[:, ::-1])

    @property
    def items(self) -> int:
        """How many items there are, n."""
        return int(self.order.shape[1])

    @cached_property
    def higher(self) -> Integers:
        """[B, n], item by item: how many stand above it."""
        return self._by_item(self.begin)

    @cached_property
    def tied(self) -> Integers:
        """[B, n], item by item: how many share its place, itself included."""
        return self._by_item(self.end - self.begin + 1)

    @cached_property
    def groups(self) -> Integers:
        """[B]: how many different places there are."""
        return np.asarray((self.begin == np.arange(self.items)).sum(axis=1))

    @cached_property
    def tied_pairs(self) -> Integers:
        """[B]: how many pairs of items are tied."""
        return np.asarray((self.end - self.begin).sum(axis=1) // 2)

    def _by_item(self, places: Integers) -> Integers:
        scattered = np.empty_like(places)
        np.put_along_axis(scattered, self.order, places, axis=1)
        return scattered


@dataclass(frozen=True, eq=False)
class Pair:
    """Two orders of the same items in B samples, and what pairs of items are in them.

    >>> found = Pair.of([3, 2, 1, 1], [3, 1, 2, 2])
    >>> found.all, found.concordant, found.discordant, found.tied_both
    (6, array([3]), array([2]), array([1]))
    """

    x: Orders
    y: Orders

    @classmethod
    def of(cls, x: ArrayLike, y: ArrayLike) -> Self:
        """Pair two vectors [n] of scores, as one sample; infinities are scores, as they have a place in an order.

        Raises:
            InputError: `bad-score`, where a score is not a number.

        """
        first, second = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
        if first.ndim != 1 or first.shape != second.shape:
            shapes = f"{first.shape} and {second.shape}"
            raise ValueError(f"scores are two vectors of one length, these have the shapes {shapes}")
        for name, scores in (("x", first), ("y", second)):
            wrong = np.isnan(scores)
            if wrong.any():
                text = f"the score {name}[{int(wrong.argmax())}] is not a number, so that its item has no rank"
                raise InputError("bad-score", text, remedy="leave the item out on both sides, or give it a score")
        return cls(Orders.of(first[None]), Orders.of(second[None]))

    @property
    def items(self) -> int:
        """How many items there are, n."""
        return self.x.items

    @property
    def all(self) -> int:
        """All pairs of items."""
        return self.items * (self.items - 1) // 2

    @cached_property
    def above(self) -> Integers:
        """[B, n]: how many items stand above each in both orders."""
        if len(self.x.order) == 1:
            return _above(self.x.higher[0], self.y.higher[0])[None]
        kind = np.int16 if self.items < _SHORT else np.int32
        x, y = (np.ascontiguousarray(order.higher.T.astype(kind)) for order in (self.x, self.y))  # [n, B] each
        result = np.zeros(x.shape, dtype=kind)
        step = max(64, _CACHED // max(self.items, 1))
        for start in range(0, x.shape[1], step):
            part = slice(start, start + step)
            first, second, counts = x[:, part].copy(), y[:, part].copy(), np.zeros_like(result[:, part])  # [n, b] each
            for item in range(self.items):
                both = first[item] < first  # [n, b]: whether the item stands above each by x, and then by y, too
                both &= second[item] < second
                counts += both.view(np.int8)
            result[:, part] = counts
        return result.T.astype(np.intp)

    @cached_property
    def by_x(self) -> Orders:
        """The order by x, in which y breaks the ties."""
        return self._broken(self.x, self.y)

    @cached_property
    def by_y(self) -> Orders:
        """The order by y, in which x breaks the ties."""
        return self._broken(self.y, self.x)

    def _broken(self, order: Orders, other: Orders) -> Orders:
        """Break the ties of one order by the other one."""
        tied = order.tied_pairs.any()
        return Orders.of(-(order.higher * self.items + other.higher).astype(np.float64)) if tied else order

    @cached_property
    def tied_both(self) -> Integers:
        """[B]: pairs that are tied in both."""
        has_ties = self.x.tied_pairs.any() and self.y.tied_pairs.any()
        return self.by_x.tied_pairs if has_ties else np.zeros(len(self.x.order), dtype=np.intp)

    @cached_property
    def concordant(self) -> Integers:
        """[B]: pairs in the same order, C."""
        return np.asarray(self.above.sum(axis=1))

    @cached_property
    def discordant(self) -> Integers:
        """[B]: pairs in opposite orders, D."""
        return self.all - self.x.tied_pairs - self.y.tied_pairs + self.tied_both - self.concordant

    @property
    def balance(self) -> Floats:
        """[B]: C - D, as floats, so that no product leaves the range of integers."""
        return np.asarray(self.concordant - self.discordant, dtype=np.float64)

    @cached_property
    def balances(self) -> Integers:
        """[B, n], for each item how many others stand to it as in the other order, minus how many the other way round.

        >>> Pair.of([3, 2, 1], [2, 3, 1]).balances.tolist()
        [[0, 0, 2]]
        """
        # [B, n]: how many are tied with it on neither side
        untied = self.items - self.x.tied - self.y.tied + self.by_x.tied
        # [B, n]: how many stand to it in opposite orders
        discordant = 2 * (self.x.higher + self.y.higher - self.above) - self.by_x.higher - self.by_y.higher
        return np.asarray(untied - 2 * discordant)

    @property
    def fewest_groups(self) -> Integers:
        """[B]: how many different scores x has or y has, whichever is less."""
        return np.minimum(self.x.groups, self.y.groups)


def _above(x: Integers, y: Integers) -> Integers:
    """Count, [n], the items above each in x and in y, from how many stand above it in each, in O(n log n).

    Items are gone through in the order of x. Among those gone through, the ones with a higher place in y are counted
    bit by bit of the places: where two places differ first in a bit, the one that has it is higher. Within blocks of
    places that only the last bits tell apart, each is compared with each.
    """
    n = len(x)
    order = np.argsort(x * n - y)  # the best of x first; among its ties the worst of y, which is above none
    padded = -(-n // BLOCK) * BLOCK
    index = np.arange(padded)
    position = index.copy()  # [padded]: of each item in the order of x, its position from the lowest in y up
    position[np.argsort(-y[order], kind="stable")] = index[:n]  # ties in y: who comes later is no lower
    count = np.zeros(padded, dtype=np.intp)  # [padded]: by position, how many before it in the order of x are higher
    here, bit = position, 1 << (padded - 1).bit_length() - 1
    while bit >= BLOCK:
        upper = (here & bit) != 0  # [padded]: which positions have the bit
        higher = np.cumsum(upper) - upper  # [padded]: how many that have it come before
        start = here & (-2 * bit)  # places that share the bits before this one stand together from here on
        higher -= higher[start]
        count[here] += higher * ~upper
        parted = np.empty_like(here)  # [padded]: in each stretch those without the bit first, in their order
        parted[np.where(upper, start + bit + higher, index - higher)] = here
        here, bit = parted, bit >> 1
    blocks = (here % BLOCK).astype(np.int8).reshape(-1, BLOCK)  # [padded / BLOCK, BLOCK]
    # [padded / BLOCK, BLOCK, BLOCK]: whether the first is higher than the second
    within = blocks[:, :, None] > blocks[:, None, :]
    within &= _EARLIER
    count[here] += within.view(np.int8).sum(axis=1, dtype=np.int8).ravel()
    result = np.empty(n, dtype=np.intp)
    result[order] = count[position[:n]]
    return result


def tau_a(pair: Pair) -> Floats:
    """Compute Kendall's tau a: `(C - D) / (n (n - 1) / 2)`, of all pairs, tied ones included.

    A pair that is tied on one side or on both counts neither as concordant nor as discordant, so that orders with ties
    stay below 1 even where they are identical. Between -1 and 1; 0 where all are tied.

    Source: Kendall (1938), A new measure of rank correlation, https://doi.org/10.1093/biomet/30.1-2.81

    >>> tau_a(Pair.of([1, 2, 3, 4, 5], [2, 1, 2, 4, 5]))  # (8 - 1) / 10
    array([0.7])
    """
    return np.asarray(pair.balance / pair.all)


def tau_b(pair: Pair) -> Floats:
    """Compute Kendall's tau b: `(C - D) / sqrt((pairs not tied in x) (pairs not tied in y))`.

    Between -1 and 1, and 1 for identical orders, tied or not. NaN where all are tied on one side.

    Source: Kendall (1945), The treatment of ties in ranking problems, https://doi.org/10.1093/biomet/33.3.239

    >>> tau_b(Pair.of([1, 2, 3, 4, 5], [2, 1, 2, 4, 5])).round(12).tolist()  # (8 - 1) / sqrt(10 * 9)
    [0.737864787373]
    """
    untied_x, untied_y = (np.asarray(pair.all - order.tied_pairs, dtype=np.float64) for order in (pair.x, pair.y))
    return np.asarray(pair.balance / np.sqrt(untied_x * untied_y))


def tau_c(pair: Pair) -> Floats:
    """Compute Stuart's tau c: `2 m (C - D) / (n^2 (m - 1))`, where m is the lower number of different scores.

    It is meant for few different scores that differ in number between x and y. Between -1 and 1, and 1 only where m
    divides n and the items are spread over m groups of one size. NaN where all are tied on one side.

    Source: Stuart (1953), The estimation and comparison of strengths of association in contingency tables,
    https://doi.org/10.2307/2333101

    >>> tau_c(Pair.of([1, 2, 3, 4, 5], [2, 1, 2, 4, 5])).round(12).tolist()  # 2 * 4 * (8 - 1) / (25 * 3)
    [0.746666666667]
    """
    m = pair.fewest_groups
    return np.asarray(2 * m * pair.balance / (float(pair.items**2) * (m - 1)))


def gamma(pair: Pair) -> Floats:
    """Compute Goodman and Kruskal's gamma: `(C - D) / (C + D)`; a pair tied on either side does not count.

    Between -1 and 1. NaN where every pair is tied on one side at least.

    Source: Goodman and Kruskal (1954), Measures of association for cross classifications,
    https://doi.org/10.1080/01621459.1954.10501231

    >>> gamma(Pair.of([1, 2, 3, 4, 5], [2, 1, 2, 4, 5])).round(12).tolist()  # (8 - 1) / (8 + 1)
    [0.777777777778]
    """
    return np.asarray(pair.balance / (pair.concordant + pair.discordant))


def spearman(pair: Pair) -> Floats:
    """Compute Spearman's rho: Pearson's r of the ranks, where tied items share the mean of theirs.

    The shortcut `1 - 6 sum(d^2) / (n (n^2 - 1))` is the same number only without ties, and is not used. Between -1 and
    1. NaN where all are tied on one side.

    Source: Spearman (1904), The proof and measurement of association between two things,
    https://doi.org/10.2307/1412159

    >>> spearman(Pair.of([1, 2, 3, 4, 5], [2, 1, 2, 4, 5])).round(12).tolist()  # 8 / sqrt(10 * 9.5)
    [0.820782681668]
    """
    # twice the distance of each mean rank from the middle: whole numbers, whose sums are exact
    return _cosine(*((pair.items - 2 * order.higher - order.tied).astype(np.float64) for order in (pair.x, pair.y)))


def pearson(pair: Pair) -> Floats:
    """Compute Pearson's r: `sum((x - mean x) (y - mean y)) / sqrt(sum((x - mean x)^2) sum((y - mean y)^2))`.

    It looks at scores and not at ranks: only a change of unit and of origin leaves it as it is. Between -1 and 1. NaN
    where all scores are equal on one side, or with an infinity.

    Source: Pearson (1895), Note on regression and inheritance in the case of two parents,
    https://doi.org/10.1098/rspl.1895.0041

    >>> pearson(Pair.of([1, 2, 3, 4, 5], [2, 1, 2, 4, 5])).round(12).tolist()  # 9 / sqrt(10 * 10.8)
    [0.866025403784]
    """
    return _cosine(*(_centred(order.scores) for order in (pair.x, pair.y)))


def _centred(scores: Floats) -> Floats:
    """Subtract the mean, [B, n], and divide by a power of two so that no square leaves the range of floats."""
    largest = np.abs(scores).max(axis=1, keepdims=True)  # [B, 1]
    is_undefined = ~np.isfinite(largest) | (scores == scores[:, :1]).all(axis=1, keepdims=True)
    deviations = np.where(is_undefined, np.nan, np.ldexp(scores, -np.frexp(largest)[1]))
    for _ in range(2):  # the mean itself is rounded
        deviations = deviations - deviations.mean(axis=1, keepdims=True)
    return np.asarray(deviations)


def _cosine(x: Floats, y: Floats) -> Floats:
    """Compute the cosine, [B], of vectors [B, n] whose components have a mean of 0."""
    cosine = (x * y).sum(axis=1) / np.sqrt((x * x).sum(axis=1) * (y * y).sum(axis=1))
    return np.asarray(np.clip(cosine, -1.0, 1.0))


def weighted_tau(pair: Pair) -> Floats:
    """Compute Vigna's weighted tau, with hyperbolic weights that are added: the mean of weights by x and by y.

    This is what SciPy's `weightedtau` gives with its default `rank=True`: the mean of `weighted_tau_reference` with x
    as the reference and with y. Between -1 and 1. NaN where all are tied on one side.

    Source: Vigna (2015), A weighted correlation index for rankings with ties, https://doi.org/10.1145/2736277.2741088

    >>> weighted_tau(Pair.of([12, 2, 1, 12, 2], [1, 4, 7, 1, 0])).round(12).tolist()
    [-0.566949681537]
    """
    return (_weighted(pair, pair.by_x) + _weighted(pair, pair.by_y)) / 2


def weighted_tau_reference(pair: Pair) -> Floats:
    """Compute Vigna's weighted tau, with weights by the ranks in x, the reference.

    An item at rank r, counted from 0, weighs `1 / (r + 1)`, and a pair what its items weigh together:

        sum(w_ij sign(x_i - x_j) sign(y_i - y_j)) / sqrt(sum(w_ij [x_i != x_j]) sum(w_ij [y_i != y_j]))

    Items tied in x are ranked by y for their weights. Between -1 and 1. NaN where all are tied on one side. SciPy calls
    this `weightedtau(rank=None)`.

    Source: Vigna (2015), A weighted correlation index for rankings with ties, https://doi.org/10.1145/2736277.2741088

    >>> weighted_tau_reference(Pair.of([12, 2, 1, 12, 2], [1, 4, 7, 1, 0])).round(12).tolist()
    [-0.415765230104]
    """
    return _weighted(pair, pair.by_x)


def _weighted(pair: Pair, ranking: Orders) -> Floats:
    """Divide weighted sums, [B]; a weight stands before all pairs of its item, so that it multiplies their count."""
    weights = 1 / np.arange(1, pair.items + 1)  # [n]: by rank
    parts = (pair.balances, pair.items - pair.x.tied, pair.items - pair.y.tied)  # [B, n] each, item by item
    # [B] each
    numerator, *squares = ((np.take_along_axis(part, ranking.order, 1) * weights).sum(axis=1) for part in parts)
    return np.asarray(np.clip(numerator / np.sqrt(math.prod(squares)), -1.0, 1.0))


def tau_ap_a(pair: Pair) -> Floats:
    """Compute the AP correlation of an order y, with ties or without, with a true order x without ties: accuracy.

    Without ties (`tau-ap`) it is `2 / (n - 1) sum(C(i) / (i - 1)) - 1`, over the ranks i = 2..n of **y**, where C(i) is
    how many of the i - 1 items above rank i in y also stand above its item in x. With ties it is the mean over all
    orders of the items tied in y, in closed form: a group of t items from rank p on, whose items have A pairs with
    items above the group that x orders alike, adds at each of its ranks i > 1

        (A / t + (i - p) / 2) / (i - 1)

    in the place of `C(i) / (i - 1)`: of the items tied with it, half are expected to be above it rightly. Between -1
    and 1; 0 where all of y is tied; NaN where x has a tie.

    Sources: Yilmaz, Aslam and Robertson (2008), A new rank correlation coefficient for information retrieval,
    https://doi.org/10.1145/1390334.1390435; Urbano and Marrero (2017), The treatment of ties in AP correlation,
    https://doi.org/10.1145/3121050.3121106

    >>> tau_ap_a(Pair.of([5, 4, 3, 2, 1], [5, 4, 3, 1, 2]))  # 2 / 4 * (1 / 1 + 2 / 2 + 3 / 3 + 3 / 4) - 1
    array([0.875])
    >>> tau_ap_a(Pair.of([3, 2, 1], [2, 2, 1]))  # the mean of [3, 2, 1] and [2, 3, 1]: (1 + 0) / 2
    array([0.5])
    """
    y, index = pair.y, np.arange(pair.items)
    # [B, n], rank by rank: the numerators of the docstring
    right = _per_group(y, pair.above) / (y.end - y.begin + 1) + (index - y.begin) / 2
    values = _scaled(right[:, 1:] / index[1:], np.asarray(pair.items - 1))
    return np.where(pair.x.tied_pairs == 0, values, np.nan)


def tau_ap(pair: Pair) -> Floats:
    """Compute the AP correlation of two orders without ties, as `tau_ap_a` does; NaN where x or y has a tie."""
    return np.where(pair.y.tied_pairs == 0, tau_ap_a(pair), np.nan)


def tau_ap_b(pair: Pair) -> Floats:
    """Compute the AP correlation of two orders that may both have ties, neither of them the truth: agreement.

    The mean of two directions. For each, with the order that is looked at from the top:

        2 / m sum(C(i) / (p(i) - 1)) - 1

    over the m items below its first group of ties, where p(i) is the first rank of the group of item i, and C(i) how
    many of the p(i) - 1 items above that group also stand above the item in the other order, without a tie. Between
    -1 and 1, and 1 for identical orders, tied or not. Without ties it is the mean of `tau_ap` of (x, y) and of (y, x).
    NaN where all are tied on one side.

    Source: Urbano and Marrero (2017), The treatment of ties in AP correlation,
    https://doi.org/10.1145/3121050.3121106

    >>> tau_ap_b(Pair.of([3, 2, 2], [3, 2, 1]))  # of 2 / 2 (1 / 1 + 1 / 1) - 1 and 2 / 2 (1 / 1 + 1 / 2) - 1
    array([0.75])
    """
    sides = []
    for order in (pair.x, pair.y):
        lower = (order.end == np.arange(pair.items)) & (order.begin > 0)  # the last place of a group stands for it
        # [B, n], rank by rank: 0 but at the last of each group
        shares = np.divide(_per_group(order, pair.above), order.begin, out=np.zeros(lower.shape), where=lower)
        sides.append(_scaled(shares, pair.items - order.end[:, 0] - 1))
    return np.where(pair.fewest_groups > 1, (sides[0] + sides[1]) / 2, np.nan)


def _per_group(ranking: Orders, counts: Integers) -> Floats:
    """Return [B, n], place by place, the sum of counts over the group of ties that is there."""
    sums = np.zeros((counts.shape[0], counts.shape[1] + 1))  # [B, n + 1]: running totals, rank by rank
    np.cumsum(np.take_along_axis(counts, ranking.order, axis=1), axis=1, out=sums[:, 1:])
    upper, lower = (np.take_along_axis(sums, places, axis=1) for places in (ranking.end + 1, ranking.begin))
    return np.asarray(upper - lower)


def _scaled(shares: Floats, counts: Integers) -> Floats:
    """Average `counts` shares, [B, n], of 0 to 1, and stretch the means, [B], to -1 to 1; exact, in whatever order."""
    sums = np.array([math.fsum(row) for row in shares.tolist()])  # [B]
    return np.asarray(2 * sums / counts - 1)


@dataclass(frozen=True)
class Coefficient:
    """A coefficient of correlation and what is true of it."""

    name: str
    """its key in `COEFFICIENTS`"""
    formula: Callable[[Pair], Floats]
    ties: Ties
    """`aware`: identical orders give 1 with ties as without; `penalised`: ties keep them below 1; `ignored`: tied
    pairs do not count; `refused`: not defined with ties; `refused-in-reference`: not defined with ties in the first"""
    test: Literal["", "kendall", "t"] = ""
    """of its two-sided p value, where there is one in use"""
    symmetric: bool = True
    """whether the two orders may change places"""

    def of_samples(self, pair: Pair) -> Floats:
        """Return [B], NaN where it is not defined: with fewer than two items, and for ties that it does not allow."""
        if pair.items < 2:  # noqa: PLR2004 - one item makes no pair
            return np.full(len(pair.x.order), np.nan)
        with np.errstate(divide="ignore", invalid="ignore"):
            return self.formula(pair)

    def value(self, x: ArrayLike, y: ArrayLike) -> float:
        """Correlate two vectors [n] of scores, higher first; the first is the reference if the method has one.

        Raises:
            InputError: `bad-score`, where a score is not a number.
            UsageError: `tied-ranking`, for ties that it does not allow.

        """
        pair = Pair.of(x, y)
        self._refuse_ties(pair)
        return float(self.of_samples(pair)[0])

    def p(self, x: ArrayLike, y: ArrayLike) -> float:
        """Return its two-sided p value; NaN where it has none, or the coefficient is not defined.

        `kendall` is of `C - D`: counted out over all orders where nothing is tied and there are at most 33 items (or at
        most one pair is out of order); otherwise that of a normal distribution, its variance corrected for ties. `t` is
        Student's t test of r with n - 2 degrees of freedom, too low for few items.

        Raises:
            InputError: `bad-score`, where a score is not a number.

        Sources: Kendall (1970), Rank correlation methods, as SciPy has it, https://doi.org/10.1038/s41592-019-0686-2;
        Student (1908), Probable error of a correlation coefficient, https://doi.org/10.1093/biomet/6.2-3.302

        >>> round(COEFFICIENTS["tau-b"].p([1, 2, 3, 4, 5], [2, 1, 3, 5, 4]), 4)  # 28 of 120 orders are as far from 0
        0.2333
        >>> round(COEFFICIENTS["spearman"].p([1, 2, 3, 4, 5], [2, 1, 2, 4, 5]), 6)
        0.088587
        """
        value = self.value(x, y)
        if not self.test or math.isnan(value):
            return math.nan
        if self.test == "t":
            return pearson_p(value, np.size(x))
        from scipy.stats import kendalltau  # noqa: PLC0415 - costs more than most evaluations

        return float(kendalltau(np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)).pvalue)

    def _refuse_ties(self, pair: Pair) -> None:
        sides = {"refused": ("reference x", "judged ranking y"), "refused-in-reference": ("reference x",)}
        for side, orders in zip(sides.get(self.ties, ()), (pair.x, pair.y), strict=False):
            if orders.tied_pairs[0]:
                most = int((orders.end - orders.begin).max()) + 1
                text = f"{self.name} is defined without ties in the {side}, which gives {most} items the same score"
                remedy = "tau-ap-a allows ties in the judged ranking, tau-ap-b in both"
                raise UsageError("tied-ranking", text, remedy=remedy)


def pearson_p(r: float, n: int) -> float:
    """Return how probable an r at least as far from 0 is, of n independent pairs from normal distributions.

    `2 I((1 - |r|) / 2; n / 2 - 1, n / 2 - 1)`, with the regularised incomplete beta function; this is Student's t test
    of `t = r sqrt((n - 2) / (1 - r^2))` with n - 2 degrees of freedom. With two items it is 1, as r can only be -1 or
    1.
    """
    from scipy.special import betainc  # noqa: PLC0415 - costs more than most evaluations

    if n <= 2:  # noqa: PLR2004 - two points lie on a line
        return 1.0
    return min(1.0, 2 * float(betainc(n / 2 - 1, n / 2 - 1, (1 - abs(r)) / 2)))


COEFFICIENTS: Final[Mapping[str, Coefficient]] = {
    one.name: one
    for one in (
        Coefficient("tau-a", tau_a, "penalised", "kendall"),
        Coefficient("tau-b", tau_b, "aware", "kendall"),
        Coefficient("tau-c", tau_c, "penalised", "kendall"),
        Coefficient("gamma", gamma, "ignored", "kendall"),
        Coefficient("spearman", spearman, "aware", "t"),
        Coefficient("weighted-tau", weighted_tau, "aware"),
        Coefficient("weighted-tau-reference", weighted_tau_reference, "aware", "", False),
        Coefficient("tau-ap", tau_ap, "refused", "", False),
        Coefficient("tau-ap-a", tau_ap_a, "refused-in-reference", "", False),
        Coefficient("tau-ap-b", tau_ap_b, "aware"),
        Coefficient("pearson", pearson, "aware", "t"),
    )
}
"""All of them, by name."""
