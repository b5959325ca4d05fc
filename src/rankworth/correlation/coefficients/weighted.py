"""Kendall's tau where pairs weigh more the nearer their items stand to the top."""

import math

import numpy as np
from numpy.typing import ArrayLike

from rankworth.correlation.coefficients.pairs import balances
from rankworth.correlation.coefficients.scores import Groups, Ints, paired


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
    """The quotient above; a weight stands before all pairs of its item, so that their number is what it takes."""
    n = len(reference.of)
    if min(len(reference.size), len(other.size)) < 2:  # noqa: PLR2004 - one score makes no order
        return math.nan
    order = np.argsort(reference.of * n + other.of)[::-1]
    weights = 1 / np.arange(1, n + 1)
    numerator, *squares = (float(weights @ part[order]) for part in (agreement, n - reference.tied, n - other.tied))
    return max(-1.0, min(1.0, numerator / math.sqrt(math.prod(squares))))
