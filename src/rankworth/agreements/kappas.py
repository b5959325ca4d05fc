"""Cohen's kappa, plain and weighted, and agreement grade by grade, of confusion tables `[..., C, C]`, on arrays alone.

A row of a table is a grade of the first judge, a column one of the second; `n_ij` counts pairs, `n` all of them.
Whole counts are added exactly up to 2^53.
"""

from collections.abc import Sequence
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Weighting = Literal["nominal", "linear", "quadratic"]
WEIGHTINGS: Final[tuple[Weighting, ...]] = ("nominal", "linear", "quadratic")


def weights(places: Sequence[float] | Floats, weighting: Weighting) -> Floats:
    """`[C, C]`: how much a disagreement counts.

    `w_ij` is 1 where i and j differ (nominal), `|x_i - x_j|` (linear), or `(x_i - x_j)^2` (quadratic).

    Args:
        places: `[C]`, where on a scale the grades stand: x.
        weighting: which of them.

    >>> weights([0, 1, 3], "quadratic").tolist()
    [[0.0, 1.0, 9.0], [1.0, 0.0, 4.0], [9.0, 4.0, 0.0]]
    """
    x = np.asarray(places, dtype=np.float64)
    apart = np.abs(x[:, None] - x)
    if weighting == "nominal":
        return (apart > 0).astype(np.float64)
    return apart if weighting == "linear" else apart**2


def equal(tables: Floats) -> Floats:
    """`[...]`: the share of pairs with equal grades, `sum(n_ii) / n`, from 0 to 1; NaN where there is no pair.

    >>> equal(np.array([[3.0, 1.0], [2.0, 4.0]])).tolist()
    0.7
    """
    return _ratio(np.trace(tables, axis1=-2, axis2=-1), tables.sum(axis=(-2, -1)))


def kappa(tables: Floats, weighing: Floats | None = None) -> Floats:
    """`[...]`: Cohen's kappa, the agreement beyond what the frequencies of grades give by chance.

        kappa = 1 - sum(w_ij n_ij) / sum(w_ij n_i. n_.j / n)

    where `n_i.` and `n_.j` are the sums of rows and columns. 1 where all grades are equal, 0 for as much as by chance,
    and below 0, down to -1, for less. NaN where nothing could disagree: both judges give one and the same grade only,
    or there is no pair.

    Args:
        tables: `[..., C, C]`.
        weighing: `[C, C]`, w, 0 on the diagonal, as of `weights`; 1 for all that differ where not said.

    Sources: Cohen (1960), A coefficient of agreement for nominal scales, https://doi.org/10.1177/001316446002000104;
    Cohen (1968), Weighted kappa, https://doi.org/10.1037/h0026256

    >>> kappa(np.array([[20.0, 5.0], [10.0, 15.0]])).round(12).tolist()  # 1 - 15 / (25 * 20 / 50 + 25 * 30 / 50)
    0.4
    """
    w = weights(range(tables.shape[-1]), "nominal") if weighing is None else weighing
    rows, columns = tables.sum(axis=-1), tables.sum(axis=-2)
    seen = (tables * w).sum(axis=(-2, -1)) * tables.sum(axis=(-2, -1))
    return 1 - _ratio(seen, ((rows @ w) * columns).sum(axis=-1))


def specific(tables: Floats) -> Floats:
    """`[..., C]`: the agreement on each grade, `2 n_ii / (n_i. + n_.i)`, from 0 to 1.

    It is the chance that one judge gives the grade where the other one does, whoever comes first, and the F1 of either
    by the other. NaN where nobody gives the grade.

    Source: Cicchetti and Feinstein (1990), High agreement but low kappa: II,
    https://doi.org/10.1016/0895-4356(90)90159-M

    >>> specific(np.array([[20.0, 5.0], [10.0, 15.0]])).round(4).tolist()  # 40 / (25 + 30), 30 / (25 + 20)
    [0.7273, 0.6667]
    """
    return _ratio(2 * np.diagonal(tables, axis1=-2, axis2=-1), tables.sum(axis=-1) + tables.sum(axis=-2))


def one_against_rest(tables: Floats) -> Floats:
    """`[..., C]`: Cohen's kappa of each grade against all others together, as `kappa` of a table of two rows.

    NaN where nobody gives the grade, or both give nothing else.

    Source: Fleiss, Levin and Paik (2003), Statistical methods for rates and proportions, section 18.1,
    https://doi.org/10.1002/0471445428

    >>> one_against_rest(np.array([[20.0, 5.0], [10.0, 15.0]])).round(12).tolist()
    [0.4, 0.4]
    """
    rows, columns = tables.sum(axis=-1), tables.sum(axis=-2)
    n = tables.sum(axis=(-2, -1))[..., None]
    differ = rows + columns - 2 * np.diagonal(tables, axis1=-2, axis2=-1)
    return 1 - _ratio(differ * n, rows * (n - columns) + columns * (n - rows))


def _ratio(over: Floats, under: Floats) -> Floats:
    """The quotient; NaN where it is divided by 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(under > 0, np.divide(over, under), np.nan))
