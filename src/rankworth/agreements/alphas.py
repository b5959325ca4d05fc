"""Krippendorff's alpha of two judges, of confusion tables `[..., C, C]`, on arrays alone."""

from collections.abc import Sequence
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Level = Literal["nominal", "ordinal", "interval"]
LEVELS: Final[tuple[Level, ...]] = ("nominal", "ordinal", "interval")


def alpha(tables: Floats, level: Level, places: Sequence[float] | Floats = ()) -> Floats:
    """`[...]`: Krippendorff's alpha, the agreement beyond what one common distribution of grades gives by chance.

    Of the coincidences `o_ij = n_ij + n_ji`, their sums `o_i` and the number of grades given, `n = 2 pairs`:

        alpha = 1 - (n - 1) sum(o_ij d_ij) / sum(o_i o_j d_ij)

    where `d_ij` is 1 where i and j differ (nominal), `(x_i - x_j)^2` (interval), or `(r_i - r_j)^2` (ordinal) with the
    middle of each grade among all that are given, `r_i = o_1 + ... + o_{i-1} + o_i / 2`, so that two grades are as far
    apart as grades are given between them, half of both ends included. 1 where all grades are equal, 0 for as much as
    by chance, below 0, but above -1, for less. NaN where only one grade is given, or there is no pair.

    Args:
        tables: `[..., C, C]`, grades in their order.
        level: of measurement.
        places: `[C]`, where on a scale the grades stand, for the level `interval`: x; 0, 1, 2 and so on where not said.

    Source: Hayes and Krippendorff (2007), Answering the call for a standard reliability measure for coding data,
    https://doi.org/10.1080/19312450709336664; Krippendorff (2011), Computing Krippendorff's alpha-reliability,
    https://repository.upenn.edu/asc_papers/43

    >>> table = np.array([[2.0, 1.0], [0.0, 3.0]])  # 1 - 11 * 2 / (2 * 5 * 7)
    >>> alpha(table, "nominal").round(6).tolist(), alpha(table, "ordinal").round(6).tolist()
    (0.685714, 0.685714)
    """
    both = tables + np.swapaxes(tables, -2, -1)
    given = both.sum(axis=-1)
    n = given.sum(axis=-1)
    size = tables.shape[-1]
    if level == "ordinal":
        place = np.cumsum(given, axis=-1) - given / 2
    else:
        place = np.asarray(places if len(places) else range(size), dtype=np.float64)
    apart = place[..., :, None] - place[..., None, :]
    apart = (apart != 0).astype(np.float64) if level == "nominal" else apart**2
    if level == "nominal" or level == "interval":  # noqa: PLR1714 - one table of distances for all
        expected = ((given @ apart) * given).sum(axis=-1)
    else:
        expected = (given * (apart @ given[..., None])[..., 0]).sum(axis=-1)
    seen = (n - 1) * (both * apart).sum(axis=(-2, -1))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(expected > 0, 1 - seen / expected, np.nan))
