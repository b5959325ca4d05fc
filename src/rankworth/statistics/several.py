"""Several systems at a time: two-way analysis of variance, and Tukey's honestly significant differences."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rankworth.statistics import ranges
from rankworth.statistics.samples import ROUNDING, Floats, share


class Source(NamedTuple):
    """A source of variation."""

    squares: float
    """the sum of squares"""
    df: int
    """degrees of freedom"""
    mean_square: float
    """squares / df"""
    f: float
    """mean_square / that of the residuals"""
    p: float
    """the probability of such an f where this source adds nothing"""


@dataclass(frozen=True)
class Anova:
    """A two-way analysis of variance without replication."""

    columns: Source
    """systems"""
    rows: Source
    """queries"""
    residual: Source
    """what is left; f and p are NaN"""
    sentence: str
    """how it was done, in words for a paper"""
    reference: str
    """a key of `BIBTEX`"""

    @property
    def f(self) -> float:
        """That of the columns."""
        return self.columns.f

    @property
    def p(self) -> float:
        """That of the columns."""
        return self.columns.p

    def margin(self, level: float = 0.95) -> float:
        """The half width of an interval of the mean of a column: `t(level, df) sqrt(residual mean square / n)`."""
        from scipy.special import stdtrit  # noqa: PLC0415 - costs more than most evaluations

        rows = self.rows.df + 1
        return float(
            stdtrit(self.residual.df, (1 + share("level", level)) / 2) * np.sqrt(self.residual.mean_square / rows)
        )


@dataclass(frozen=True, eq=False)
class PairwiseTests:
    """Each column held against each other one; line a, column b is about `mean of a - mean of b`."""

    difference: Floats
    """[S, S]"""
    p: Floats
    """[S, S], corrected for all pairs; NaN on the diagonal"""
    low: Floats
    """[S, S], of intervals that hold for all pairs at once"""
    high: Floats
    """[S, S]"""
    effect: Floats
    """[S, S], differences in standard deviations of the residuals"""
    level: float
    sentence: str
    """how it was done, in words for a paper"""
    reference: str
    """a key of `BIBTEX`"""


def anova(values: ArrayLike) -> Anova:
    """Two-way analysis of variance without replication: do systems differ, once queries are accounted for?

    With the grand mean `m`, the means `m_i` of n queries and `m_j` of s systems:

        systems    n sum((m_j - m)^2)                     s - 1 degrees of freedom
        queries    s sum((m_i - m)^2)                     n - 1
        residuals  sum((x_ij - m_i - m_j + m)^2)          (n - 1) (s - 1)

    and F is a mean square over that of the residuals. Where the residuals are 0 but for rounding, F is infinite and p
    is 0, or 0 and 1 if there is nothing between systems (queries) either. All is NaN with fewer than two systems or two
    queries, or with an infinity.

    Args:
        values: [N, S], one row per query, one column per system; a query that lacks a value is left out.

    Source: Sakai (2018), Laboratory experiments in information retrieval, section 2.3,
    https://doi.org/10.1007/978-981-13-1199-4

    >>> found = anova([[0.1, 0.3], [0.2, 0.3], [0.5, 0.8]])
    >>> round(found.f, 3), round(found.p, 4), found.residual.df
    (12.0, 0.0742, 2)
    """
    from scipy.special import fdtrc  # noqa: PLC0415 - costs more than most evaluations

    table, exponent = _whole(values)
    rows, columns = table.shape
    squares = [np.nan] * 3
    if min(rows, columns) >= 2:  # noqa: PLR2004 - one of a kind does not vary
        centre, across, along = table.mean(), table.mean(axis=0), table.mean(axis=1)
        residuals = table - along[:, None] - across + centre
        parts = [(across - centre, rows), (along - centre, columns), (residuals, 1)]
        squares = [_squares(part, float(np.abs(table).max())) * times for part, times in parts]
    df = [columns - 1, rows - 1, (rows - 1) * (columns - 1)]
    means = [one / many if many > 0 else np.nan for one, many in zip(squares, df, strict=True)]
    sources = []
    for place in range(3):
        f = p = np.nan
        if place < 2 and not np.isnan(means[2]):  # noqa: PLR2004 - of the residuals there is none
            f = means[place] / means[2] if means[2] else np.inf if means[place] else 0.0
            p = float(fdtrc(df[place], df[2], f)) if f < np.inf else 0.0
        with np.errstate(over="ignore"):
            restored = np.ldexp([squares[place], means[place]], 2 * exponent).tolist()
        sources.append(Source(restored[0], df[place], restored[1], float(f), p))
    return Anova(
        columns=sources[0],
        rows=sources[1],
        residual=sources[2],
        sentence="Systems were compared by two-way analysis of variance without replication (systems and queries).",
        reference="sakai2018",
    )


def tukey_hsd(values: ArrayLike, *, level: float = 0.95) -> PairwiseTests:
    """Tukey's honestly significant differences of all pairs of systems, on the residuals of a two-way `anova`.

    `p = P(Q > |m_a - m_b| / sqrt(V / n))`, where V is the mean square of the residuals and Q the studentized range of s
    means with `(n - 1) (s - 1)` degrees of freedom; intervals are `m_a - m_b -+ q(level) sqrt(V / n)`. With two systems
    this is the paired t test. Where the residuals are 0 but for rounding, p is 0 for means that differ and
    1 for others.

    NaN with fewer than two queries, or with an infinity.

    Args:
        values: [N, S], one row per query, one column per system; a query that lacks a value is left out.
        level: of all intervals at once.

    Source: Tukey (1949), Comparing individual means in the analysis of variance, https://doi.org/10.2307/3001913; Sakai
    (2018), Laboratory experiments in information retrieval, chapter 4, https://doi.org/10.1007/978-981-13-1199-4

    >>> found = tukey_hsd([[0.1, 0.3, 0.2], [0.2, 0.3, 0.4], [0.5, 0.8, 0.5], [0.1, 0.3, 0.2]])
    >>> found.p.round(3)
    array([[  nan, 0.031, 0.269],
           [0.031,   nan, 0.269],
           [0.269, 0.269,   nan]])
    """
    share("level", level)
    table, exponent = _whole(values)
    residual = anova(table).residual
    rows, columns = table.shape
    means = table.mean(axis=0) if rows else np.full(columns, np.nan)
    difference = means[:, None] - means
    p = np.full(difference.shape, np.nan)
    half = np.nan
    if not np.isnan(residual.mean_square):
        error = np.sqrt(residual.mean_square / rows)
        if error > 0:
            upper = np.triu_indices(columns, 1)
            p[upper] = ranges.beyond(np.abs(difference[upper]) / error, columns, residual.df)
            p.T[upper] = p[upper]
            half = ranges.point(1 - level, columns, residual.df) * error
        else:
            p, half = np.where(np.abs(difference) > ROUNDING * np.abs(table).max(), 0.0, 1.0), 0.0
            np.fill_diagonal(p, np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        effect = np.where(difference == 0, 0.0, difference / np.sqrt(residual.mean_square))
    low, high = difference - half, difference + half
    with np.errstate(over="ignore"):
        difference, low, high = (np.ldexp(one, exponent) for one in (difference, low, high))
    return PairwiseTests(
        difference=difference,
        p=p,
        low=low,
        high=high,
        effect=effect,
        level=level,
        sentence="All pairs of systems were compared with Tukey's HSD test on the residuals of a two-way analysis of "
        "variance without replication (systems and queries).",
        reference="tukey1949",
    )


def _whole(values: ArrayLike) -> tuple[Floats, int]:
    """The rows without NaN, of size 1 at most, and of which power of two they are multiples; NaN for an infinity."""
    table = np.asarray(values, dtype=np.float64)
    if table.ndim != 2:  # noqa: PLR2004 - queries and systems
        raise ValueError(f"values are a table [queries, systems], this has the shape {table.shape}")
    table = table[~np.isnan(table).any(axis=1)]
    if np.isinf(table).any():
        return np.full(table.shape, np.nan), 0
    exponent = int(np.frexp(np.abs(table).max(initial=0.0))[1])
    return np.ldexp(table, -exponent), exponent


def _squares(part: Floats, largest: float) -> float:
    """Their sum, 0 where it is due to rounding."""
    return 0.0 if (np.abs(part) <= ROUNDING * largest).all() else float((part**2).sum())
