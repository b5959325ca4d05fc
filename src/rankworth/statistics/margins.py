"""Is a difference small enough: equivalence within a margin, and not worse than by a margin."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rankworth.statistics.moments import moments
from rankworth.statistics.samples import Columns, Floats, share


class Noninferiority(NamedTuple):
    """Whether means lie above minus a margin."""

    p: Floats
    """[K]"""
    bound: Floats
    """[K], above which the mean lies at the level: above minus the margin exactly where p is below 1 - level"""


def equivalence(differences: ArrayLike, margin: ArrayLike, weights: ArrayLike | None = None) -> Floats:
    """Two one-sided t tests (TOST): is the mean difference both above `-margin` and below `margin`?

    `p = max(P(T > (mean + margin) / error), P(T < (mean - margin) / error))`, with `error` and the degrees of freedom
    of `Moments`. It is below 5% exactly where the 90% interval by `t` lies within the margin.

    Where all differences are equal but for rounding, p is 0 if they lie within the margin, else 1, on it too. NaN with
    fewer than two rows.

    Args:
        differences: [N, K].
        margin: 0 or more, in the units of the differences; one for all columns or [K].
        weights: [N].

    Returns:
        [K], p.

    Source: Schuirmann (1987), A comparison of the two one-sided tests procedure and the power approach,
    https://doi.org/10.1007/BF01068419

    >>> equivalence([[0.02], [0.01], [-0.01], [-0.02], [0.01]], 0.02).round(4)
    array([0.0352])
    """
    columns = Columns.of(differences, weights)
    found, margins = moments(columns), _margins(margin, columns.count)
    return np.maximum(found.beyond("greater", -margins), found.beyond("less", margins))


def noninferiority(
    differences: ArrayLike, margin: ArrayLike, weights: ArrayLike | None = None, level: float = 0.95
) -> Noninferiority:
    """A one-sided t test: is the mean difference above `-margin`?

    `p = P(T > (mean + margin) / error)`, with `error` and the degrees of freedom of `Moments`; the bound is
    `mean - t(level) error`. With a margin of 0, this tests for being better.

    Where all differences are equal but for rounding, p is 0 if they lie above `-margin`, else 1, on it too. NaN with
    fewer than two rows.

    Args:
        differences: [N, K], above 0 where the system is better than what it is held against.
        margin: 0 or more, in the units of the differences; one for all columns or [K].
        weights: [N].
        level: 1 less the level of significance.

    Source: Schuirmann (1987), A comparison of the two one-sided tests procedure and the power approach,
    https://doi.org/10.1007/BF01068419 (one of the two tests)

    >>> found = noninferiority([[0.02], [0.01], [-0.01], [-0.02], [0.01]], 0.02)
    >>> found.p.round(4), found.bound.round(4)
    (array([0.0201]), array([-0.0137]))
    """
    from scipy.special import stdtrit  # noqa: PLC0415 - costs more than most evaluations

    columns = Columns.of(differences, weights)
    found, margins = moments(columns), _margins(margin, columns.count)
    with np.errstate(over="ignore"):
        below = np.where(found.error == 0, 0.0, stdtrit(found.df, share("level", level)) * found.error)
        return Noninferiority(found.beyond("greater", -margins), found.mean - below)


def _margins(margin: ArrayLike, columns: int) -> Floats:
    margins = np.asarray(margin, dtype=np.float64)
    if (margins < 0).any():
        raise ValueError(f"margin={margins.min()}: a margin is 0 or more")
    return np.broadcast_to(margins, (columns,)).copy()
