"""What a document is worth in one list, by its score or by its rank: pure functions of lists of one length.

Shapes: `S` lists of `n` documents each, in the order in which they are ranked; a list is a row.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.floating[Any]]
Deviation = Literal["population", "sample"]
Equal = float | Literal["raw", "positive"]
"""the value of all documents of a list in which no score is above another: a number, the score as it is, or 1 where it
is positive and 0 otherwise"""


@dataclass(frozen=True, eq=False)
class Lists:
    """Lists of one length, of one system.

    Attributes:
        scores: `[S, n]`.
        ranks: `[S, n]`, from 1.
        candidates: `[S]`, how many documents all lists of the query have together.
        alone: `[S]`, whether no other list has documents for the query.
        number: which of the systems it is, from 0.
        systems: how many systems there are.
        weight: the weight of this one.

    """

    scores: Array
    ranks: Array
    candidates: Array
    alone: NDArray[np.bool_]
    number: int = 0
    systems: int = 1
    weight: float = 1.0

    @property
    def low(self) -> Array:
        """`[S, 1]`: the least score of each list."""
        least: Array = self.scores.min(axis=1, keepdims=True)
        return least

    @property
    def high(self) -> Array:
        """`[S, 1]`: the greatest score of each list."""
        greatest: Array = self.scores.max(axis=1, keepdims=True)
        return greatest

    @property
    def are_equal(self) -> NDArray[np.bool_]:
        """`[S, 1]`: whether all scores of a list are equal, by its range: a deviation of 0 may be lost in rounding."""
        return np.asarray(self.low == self.high)

    @property
    def mean(self) -> Array:
        """`[S, 1]`: the mean score of each list."""
        mean: Array = self.scores.mean(axis=1, keepdims=True)
        return mean

    def deviation(self, of: Deviation) -> Array:
        """Return `[S, 1]`, the standard deviation of each list: by `n` of a population, by `n - 1` of a sample."""
        freedom = 1 if of == "sample" and self.scores.shape[1] > 1 else 0
        deviation: Array = self.scores.std(axis=1, keepdims=True, ddof=freedom)
        return deviation


def divided(values: Array, divisor: Array) -> Array:
    """Return quotients; 0 where the divisor is 0."""
    return np.divide(values, divisor, out=np.zeros_like(values), where=divisor != 0)


def raw(lists: Lists, _: Deviation) -> Array:
    """Return the scores as they are."""
    return lists.scores


def min_max(lists: Lists, _: Deviation) -> Array:
    """Return `(s - min) / (max - min)`."""
    return divided(lists.scores - lists.low, lists.high - lists.low)


def min_max_inverted(lists: Lists, _: Deviation) -> Array:
    """Return `(max - s) / (max - min)`, for distances."""
    return divided(lists.high - lists.scores, lists.high - lists.low)


def of_maximum(lists: Lists, _: Deviation) -> Array:
    """Return `s / max`."""
    return divided(lists.scores, lists.high)


def of_sum(lists: Lists, _: Deviation) -> Array:
    """Return `(s - min) / sum(s - min)`."""
    above = lists.scores - lists.low
    return divided(above, above.sum(axis=1, keepdims=True))


def z(lists: Lists, deviation: Deviation) -> Array:
    """Return `(s - mean) / deviation`."""
    return divided(lists.scores - lists.mean, lists.deviation(deviation))


def three_sigma(lists: Lists, deviation: Deviation) -> Array:
    """Return `(s - mean + 3 deviation) / (6 deviation)`, the norm of distribution-based score fusion (DBSF)."""
    sigma = lists.deviation(deviation)
    return divided(lists.scores - lists.mean + 3 * sigma, 6 * sigma)


def l2(lists: Lists, _: Deviation) -> Array:
    """Return `s / sqrt(sum(s^2))`."""
    return divided(lists.scores, np.sqrt((lists.scores * lists.scores).sum(axis=1, keepdims=True)))


def by_rank(lists: Lists, _: Deviation) -> Array:
    """Return `1 - (rank - 1) / n`."""
    return np.asarray(1 - (lists.ranks - 1) / lists.scores.shape[1])


def arctan(lists: Lists, _: Deviation) -> Array:
    """Return one half plus the arc tangent of the score over pi."""
    return np.asarray(0.5 + np.arctan(lists.scores) / np.pi)


@dataclass(frozen=True)
class Norm:
    """How scores of one list become comparable with those of another.

    Attributes:
        values: of lists of one length; what it gives for lists without a range does not count where `equal` is said.
        formula: for help and documentation.
        equal: the value of all documents of a list of equal scores; None where the formula has one.
        deviates: whether it takes a deviation.
        needs_positive: whether the greatest score of a list has to be above 0, as it turns the order round otherwise.

    """

    values: Callable[[Lists, Deviation], Array]
    formula: str
    equal: Equal | None = None
    deviates: bool = False
    needs_positive: bool = False


NORMS: Final[Mapping[str, Norm]] = {
    "none": Norm(raw, "s"),
    "min-max": Norm(min_max, "(s - min) / (max - min)", 1.0),
    "min-max-inverted": Norm(min_max_inverted, "(max - s) / (max - min)", 1.0),
    "max": Norm(of_maximum, "s / max", needs_positive=True),
    "sum": Norm(of_sum, "(s - min) / sum(s - min)", 0.0),
    "z": Norm(z, "(s - mean) / deviation", 0.0, deviates=True),
    "dbsf": Norm(three_sigma, "(s - mean + 3 deviation) / (6 deviation)", 0.5, deviates=True),
    "l2": Norm(l2, "s / sqrt(sum of s^2)"),
    "rank": Norm(by_rank, "1 - (rank - 1) / n"),
    "arctan": Norm(arctan, "1/2 + arctan(s) / pi"),
}
"""The norms by name."""


def with_equal(values: Array, lists: Lists, equal: Equal | None) -> Array:
    """Give the documents of lists of equal scores a value of their own.

    Args:
        values: `[S, n]`, by a norm.
        lists: the lists.
        equal: that value; None where the formula of the norm has one.

    """
    if equal is None or not (are_equal := lists.are_equal).any():
        return values
    if equal == "raw":
        value = lists.scores
    elif equal == "positive":
        value = (lists.scores > 0).astype(values.dtype)
    else:
        value = np.full_like(values, float(equal))
    return np.where(are_equal, value, values)
