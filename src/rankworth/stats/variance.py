"""Several systems at a time: two-way analysis of variance, and Tukey's honestly significant differences.

Tukey's test holds the distance of two means against the range of all of them: the studentized range where residuals are
normal, or the range of means after values were shuffled within queries.
"""

from dataclasses import dataclass
from functools import cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rankworth.stats.inversion import most_extreme
from rankworth.stats.samples import ROUNDING, Floats, share, whole

_NODES: Final = 96
_FAR: Final = 9.0  # beyond, a normal density is below 1e-18
_RARE: Final = 1e-18
_AT_ONCE: Final = 64
_TWO_WAY: Final = "two-way analysis of variance without replication (systems and queries)"


def range_sf(q: Floats, k: int, df: float) -> Floats:
    """Return P(Q > q), of any shape.

    >>> range_sf(np.array([3.449]), 3, 38).round(3)  # a table of the 5% points has 3.449 for 3 means and 38
    array([0.05])
    """
    from scipy.special import gammainccinv, gammaincinv, gammaln, ndtr, ndtri  # noqa: PLC0415 - costs

    nodes, node_weights = _legendre()
    low, high = np.sqrt(2 / df * np.array([gammaincinv(df / 2, _RARE), gammainccinv(df / 2, _RARE)]))
    s = low + (high - low) * (nodes + 1) / 2  # [s]: estimates of the deviation, whose true value is 1
    log_density = (df / 2) * np.log(df / 2) + np.log(2) - gammaln(df / 2) + (df - 1) * np.log(s) - df * s**2 / 2
    # [s]: their density times the width that each stands for
    s_weights = np.exp(log_density) * node_weights * (high - low) / 2
    start = float(ndtri(_RARE ** (1 / k)))  # below, (Phi(z) - ...)^k is nothing
    z = start + (_FAR - start) * (nodes + 1) / 2  # [z]: values of the greatest of k normal numbers
    z_weights = k * np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi) * node_weights * (_FAR - start) / 2
    whole = ndtr(z)
    flat = np.ravel(q)
    result = np.empty(flat.shape)
    for first in range(0, flat.size, _AT_ONCE):
        widths = flat[first : first + _AT_ONCE, None] * s  # [b, s]
        # [b, s, z]: the chance that all k - 1 other numbers are within the width
        inside = (whole - ndtr(z - widths[..., None])) ** (k - 1)
        result[first : first + _AT_ONCE] = (1 - inside @ z_weights) @ s_weights
    return np.clip(result, 0.0, 1.0).reshape(np.shape(q))


def range_isf(share: float, k: int, df: float) -> float:
    """Find the q with P(Q > q) = share.

    >>> round(range_isf(0.05, 3, 38), 3)
    3.449
    """
    from scipy.optimize import brentq  # noqa: PLC0415 - costs more than most evaluations

    high = 1.0
    while range_sf(np.array([high]), k, df)[0] > share:
        high *= 2
    return float(brentq(lambda q: range_sf(np.array([q]), k, df)[0] - share, 0.0, high, xtol=1e-12, rtol=1e-12))


@cache
def _legendre() -> tuple[Floats, Floats]:
    """Return points between -1 and 1, and what they weigh, [s] each."""
    points, weights = np.polynomial.legendre.leggauss(_NODES)
    return points, weights


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
        """Return half the width of an interval of a column's mean: `t(level, df) sqrt(residual mean square / n)`."""
        from scipy.special import stdtrit  # noqa: PLC0415 - costs more than most evaluations

        times = stdtrit(self.residual.df, (1 + share("level", level)) / 2)
        return float(times * np.sqrt(self.residual.mean_square / (self.rows.df + 1)))


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
    error: float
    """the standard error of a mean, by the residuals"""
    df: float
    """its degrees of freedom"""
    sentence: str
    """how it was done, in words for a paper"""
    reference: str
    """a key of `BIBTEX`"""

    def half(self, alpha: float) -> float:
        """Return half the width of the intervals of all pairs at a level of the test, `q(1 - alpha) error`."""
        return range_isf(alpha, len(self.p), self.df) * self.error if self.error > 0 else self.error


def anova(values: ArrayLike) -> Anova:
    """Analyse variance two-way, without replication: do systems differ, once queries are accounted for?

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
        centre, across, along = table.mean(), table.mean(axis=0), table.mean(axis=1)  # m, [S] m_j and [N] m_i
        residuals = table - along[:, None] - across + centre  # [N, S]
        parts = [(across - centre, rows), (along - centre, columns), (residuals, 1)]
        squares = [_squares(part, float(np.abs(table).max())) * times for part, times in parts]
    df = [columns - 1, rows - 1, (rows - 1) * (columns - 1)]
    means = [square / freedom if freedom > 0 else np.nan for square, freedom in zip(squares, df, strict=True)]
    sources = []
    for index in range(3):
        f = p = np.nan
        if index < 2 and not np.isnan(means[2]):  # noqa: PLR2004 - of the residuals there is none
            f = means[index] / means[2] if means[2] else np.inf if means[index] else 0.0
            p = float(fdtrc(df[index], df[2], f)) if f < np.inf else 0.0
        with np.errstate(over="ignore"):
            restored = np.ldexp([squares[index], means[index]], 2 * exponent).tolist()
        sources.append(Source(restored[0], df[index], restored[1], float(f), p))
    of_columns, of_rows, residual = sources
    return Anova(of_columns, of_rows, residual, f"Systems were compared by {_TWO_WAY}.", "sakai2018")


def tukey_hsd(values: ArrayLike, *, level: float = 0.95) -> PairwiseTests:
    """Test all pairs of systems by Tukey's honestly significant differences, on the residuals of a two-way `anova`.

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
    means = table.mean(axis=0) if rows else np.full(columns, np.nan)  # [S]
    difference = means[:, None] - means  # [S, S]
    p = np.full(difference.shape, np.nan)
    half = error = np.nan
    if not np.isnan(residual.mean_square):
        error = np.sqrt(residual.mean_square / rows)
        if error > 0:
            upper = np.triu_indices(columns, 1)
            p[upper] = range_sf(np.abs(difference[upper]) / error, columns, residual.df)
            p.T[upper] = p[upper]
            half = range_isf(1 - level, columns, residual.df) * error
        else:
            p, half = np.where(np.abs(difference) > ROUNDING * np.abs(table).max(), 0.0, 1.0), 0.0
            np.fill_diagonal(p, np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        effect = np.where(difference == 0, 0.0, difference / np.sqrt(residual.mean_square))
    low, high = difference - half, difference + half
    with np.errstate(over="ignore"):
        difference, low, high, error = (np.ldexp(array, exponent) for array in (difference, low, high, error))
    sentence = f"All pairs of systems were compared with Tukey's HSD test on the residuals of a {_TWO_WAY}."
    df = float(residual.df)
    return PairwiseTests(difference, p, low, high, effect, level, float(error), df, sentence, "tukey1949")


def _whole(values: ArrayLike) -> tuple[Floats, int]:
    """Scale the rows without NaN by a power of two to 1 at most; return them and its exponent; NaN for an infinity."""
    table = np.asarray(values, dtype=np.float64)
    if table.ndim != 2:  # noqa: PLR2004 - queries and systems
        raise ValueError(f"values are a table [queries, systems], this has the shape {table.shape}")
    table = table[~np.isnan(table).any(axis=1)]  # [n, S]: the queries with all values
    if np.isinf(table).any():
        return np.full(table.shape, np.nan), 0
    exponent = int(np.frexp(np.abs(table).max(initial=0.0))[1])
    return np.ldexp(table, -exponent), exponent


def _squares(part: Floats, largest: float) -> float:
    """Sum the squares; 0 where the sum is due to rounding."""
    return 0.0 if (np.abs(part) <= ROUNDING * largest).all() else float((part**2).sum())


SHUFFLES: Final = 100_000
_CELLS: Final = 1 << 21  # keys of a block of shuffles
_SHORT: Final = 64  # systems, up to which keys of 32 bits have 26 random ones or more


@dataclass(frozen=True, eq=False)
class RandomizedTukey:
    """p values of all pairs of systems."""

    p: Floats
    """[S, S], or [M, S, S] for several measures; corrected for all pairs, NaN on the diagonal"""
    _spans: Floats
    """[B], or [M, B]: the ranges of means of the shuffles, ascending; NaN where the test is not defined"""
    resamples: int
    seed: int
    sentence: str
    """how it was done, in words for a paper"""
    reference: str
    """a key of `BIBTEX`"""

    def half(self, alpha: float) -> Floats:
        """Return half the width of the intervals of all pairs at a level of the test, a number or [M].

        It is the k-th largest range, k = floor(alpha (B + 1)); infinite for k = 0.
        """
        order = int(most_extreme(np.array(alpha), self.resamples + 1))
        return self._spans[..., self.resamples - order] if order else np.full(self._spans.shape[:-1], np.inf)


def randomized_tukey(values: ArrayLike, *, resamples: int = SHUFFLES, seed: int = 0) -> RandomizedTukey:
    """Perform the randomized Tukey HSD: if systems do not differ, a query could give its values in any order.

    A shuffle orders the values of each query at random among the systems. Its statistic is the range of the means, the
    largest minus the smallest; `p = (b + 1) / (B + 1)`, where b shuffles have a range no smaller than `|m_a - m_b|`. As
    the range of all systems is held against every pair, p is corrected for their number. Ranges that rounding alone
    tells apart (by 1e-12 of the mean distance of values from the means of their queries, times s) are equal.

    All measures share the shuffles. A query that lacks a value is left out of this measure; NaN with an infinity or
    without a query.

    Args:
        values: [N, S], one row per query, one column per system; or [N, S, M] for M measures.
        resamples: how many shuffles are drawn.
        seed: of the generator.

    Source: Carterette (2012), Multiple testing in statistical analysis of systems-based information retrieval
    experiments, https://doi.org/10.1145/2094072.2094076

    >>> found = randomized_tukey([[0.1, 0.3, 0.2], [0.2, 0.3, 0.4], [0.5, 0.8, 0.5], [0.1, 0.3, 0.2]])
    >>> found.p.round(2)
    array([[ nan, 0.07, 0.63],
           [0.07,  nan, 0.63],
           [0.63, 0.63,  nan]])
    """
    table = np.asarray(values, dtype=np.float64)
    if table.ndim not in {2, 3}:
        raise ValueError(f"values are [queries, systems] or [queries, systems, measures], this is {table.shape}")
    single = table.ndim == 2  # noqa: PLR2004 - one measure
    table = table[:, :, None] if single else table
    # [M]
    exponents = np.frexp(np.fmax.reduce(np.abs(np.where(np.isinf(table), 0.0, table)), axis=(0, 1), initial=0.0))[1]
    table = np.ldexp(table, -exponents)
    is_complete = ~np.isnan(table).any(axis=1, keepdims=True)  # [N, 1, M]: which queries have all values
    counts = is_complete.sum(axis=(0, 1))  # [M]
    with np.errstate(invalid="ignore"):
        centred = np.where(is_complete, table - table.mean(axis=1, keepdims=True), 0.0)  # [N, S, M]
    defined = np.flatnonzero((counts > 0) & ~np.isnan(centred).any(axis=(0, 1)))  # [m]: the measures that have p values
    p = np.full((table.shape[2], table.shape[1], table.shape[1]), np.nan)
    ranges = np.full((table.shape[2], whole("resamples", resamples, 1)), np.nan)  # [M, B]
    if defined.size:
        centred = np.ascontiguousarray(centred[:, :, defined])
        sums = centred.sum(axis=0)  # [S, m]
        apart = np.abs(sums[:, None] - sums) - ROUNDING * np.abs(centred).sum(axis=(0, 1))  # [S, S, m]
        spans = np.sort(_spans(centred, resamples, seed), axis=0)  # [B, m]: ascending
        ranges[defined] = (spans / counts[defined]).T
        for column, measure in enumerate(defined):
            p[measure] = resamples - np.searchsorted(spans[:, column], apart[:, :, column])
        p = (p + 1) / (resamples + 1)
        p[:, range(table.shape[1]), range(table.shape[1])] = np.nan
    drawn = f"over {resamples:,} shuffles of the values of each query (seed {seed}), p = (b + 1) / (B + 1)"
    sentence = f"All pairs of systems were compared with a randomized Tukey HSD test {drawn}."
    ranges = np.ldexp(ranges, exponents[:, None])
    p, ranges = (p[0], ranges[0]) if single else (p, ranges)
    return RandomizedTukey(p, ranges, resamples, seed, sentence, "carterette2012")


def _spans(values: Floats, resamples: int, seed: int) -> Floats:
    """Return [B, M], ranges of sums over queries of shuffled values [N, S, M].

    A shuffle of a query's systems is the order of random keys whose last bits say which system each belongs to.
    """
    rows, systems, measures = values.shape
    kind = np.uint32 if systems <= _SHORT else np.uint64
    last = kind((1 << (systems - 1).bit_length()) - 1)
    generator = np.random.default_rng(seed)
    spans = np.empty((resamples, measures))
    step = max(1, _CELLS // max(1, rows * systems))
    for start in range(0, resamples, step):
        end = min(start + step, resamples)
        # [b, N, S]
        keys = generator.integers(0, np.iinfo(kind).max, size=(end - start, rows, systems), dtype=kind, endpoint=True)
        keys &= ~last
        keys |= np.arange(systems).astype(kind)
        keys.sort(axis=-1)
        keys &= last
        sums = np.zeros((end - start, systems, measures))  # [b, S, M]
        for row in range(rows):
            sums += values[row].take(keys[:, row].astype(np.intp), axis=0)
        spans[start:end] = sums.max(axis=1) - sums.min(axis=1)
    return spans
