"""Agreement of two judges: kappa, alpha and their bootstrap intervals, from confusion tables `[..., C, C]`.

A row of a table is a grade of the first judge, a column one of the second; `n_ij` counts pairs, `n` all of them.
Whole counts are added exactly up to 2^53.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Literal, Self

import numpy as np

from rankworth.arrays import Integers
from rankworth.stats.resampling import bca_quantiles, over_samples
from rankworth.stats.samples import ROUNDING, Bools, Floats

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Weighting = Literal["nominal", "linear", "quadratic"]
WEIGHTINGS: Final[tuple[Weighting, ...]] = ("nominal", "linear", "quadratic")
Level = Literal["nominal", "ordinal", "interval"]
LEVELS: Final[tuple[Level, ...]] = ("nominal", "ordinal", "interval")
Distance = Literal["steps", "grades"]
"""How far two grades are apart in a weighted kappa: how many steps among the grades that occur, or their difference."""
COEFFICIENTS: Final = (
    *("equal", "kappa", "linear", "quadratic"),
    *("alpha_nominal", "alpha_ordinal", "alpha_interval", "bias"),
)
RELEVANT: Final = ("relevant_equal", "relevant_kappa")
Compute = Callable[[Floats], Floats]
"""From tables `[b, C, C]` to numbers `[b, S]`."""

_CELLS: Final = 1 << 21
"""how many cells are held as whole tables at a time"""
_COUNTED: Final = 1 << 24
"""up to so many cells, empty ones included, are counted without sorting"""


def weights(places: Sequence[float] | Floats, weighting: Weighting) -> Floats:
    """Return `[C, C]`, how much each disagreement counts.

    `w_ij` is 1 where i and j differ (nominal), `|x_i - x_j|` (linear), or `(x_i - x_j)^2` (quadratic).

    Args:
        places: `[C]`, where on a scale the grades stand: x.
        weighting: which of them.

    >>> weights([0, 1, 3], "quadratic").tolist()
    [[0.0, 1.0, 9.0], [1.0, 0.0, 4.0], [9.0, 4.0, 0.0]]
    """
    x = np.asarray(places, dtype=np.float64)
    apart = np.abs(x[:, None] - x)  # [C, C]
    if weighting == "nominal":
        return (apart > 0).astype(np.float64)
    return apart if weighting == "linear" else apart**2


def equal(tables: Floats) -> Floats:
    """Return `[...]`, the share of pairs with equal grades, `sum(n_ii) / n`, from 0 to 1; NaN where there is no pair.

    >>> equal(np.array([[3.0, 1.0], [2.0, 4.0]])).tolist()
    0.7
    """
    return _ratio(np.trace(tables, axis1=-2, axis2=-1), tables.sum(axis=(-2, -1)))


def kappa(tables: Floats, weighing: Floats | None = None) -> Floats:
    """Return `[...]`, Cohen's kappa, the agreement beyond what the frequencies of grades give by chance.

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
    rows, columns = tables.sum(axis=-1), tables.sum(axis=-2)  # [..., C] each: n_i. and n_.j
    seen = (tables * w).sum(axis=(-2, -1)) * tables.sum(axis=(-2, -1))  # [...]: sum(w_ij n_ij) n
    return 1 - _ratio(seen, ((rows @ w) * columns).sum(axis=-1))


def specific(tables: Floats) -> Floats:
    """Return `[..., C]`, the agreement on each grade, `2 n_ii / (n_i. + n_.i)`, from 0 to 1.

    It is the chance that one judge gives the grade where the other one does, whoever comes first, and the F1 of either
    by the other. NaN where nobody gives the grade.

    Source: Cicchetti and Feinstein (1990), High agreement but low kappa: II,
    https://doi.org/10.1016/0895-4356(90)90159-M

    >>> specific(np.array([[20.0, 5.0], [10.0, 15.0]])).round(4).tolist()  # 40 / (25 + 30), 30 / (25 + 20)
    [0.7273, 0.6667]
    """
    return _ratio(2 * np.diagonal(tables, axis1=-2, axis2=-1), tables.sum(axis=-1) + tables.sum(axis=-2))


def grade_kappas(tables: Floats) -> Floats:
    """Return `[..., C]`, Cohen's kappa of each grade against all others together, as `kappa` of a table of two rows.

    NaN where nobody gives the grade, or both give nothing else.

    Source: Fleiss, Levin and Paik (2003), Statistical methods for rates and proportions, section 18.1,
    https://doi.org/10.1002/0471445428

    >>> grade_kappas(np.array([[20.0, 5.0], [10.0, 15.0]])).round(12).tolist()
    [0.4, 0.4]
    """
    rows, columns = tables.sum(axis=-1), tables.sum(axis=-2)
    n = tables.sum(axis=(-2, -1))[..., None]  # [..., 1]
    # [..., C]: pairs with the grade by a single judge
    differ = rows + columns - 2 * np.diagonal(tables, axis1=-2, axis2=-1)
    return 1 - _ratio(differ * n, rows * (n - columns) + columns * (n - rows))


def alpha(tables: Floats, level: Level, places: Sequence[float] | Floats = ()) -> Floats:
    """Return `[...]`, Krippendorff's alpha, the agreement beyond what one common distribution gives by chance.

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
    both = tables + np.swapaxes(tables, -2, -1)  # [..., C, C]: o_ij
    marginal = both.sum(axis=-1)  # [..., C]: o_i
    n = marginal.sum(axis=-1)  # [...]
    if level == "ordinal":
        middle = np.cumsum(marginal, axis=-1) - marginal / 2  # [..., C]: r_i
        apart = (middle[..., :, None] - middle[..., None, :]) ** 2  # [..., C, C]: d_ij
        expected = (marginal * (apart @ marginal[..., None])[..., 0]).sum(axis=-1)
    else:
        scale = places if len(places) else range(tables.shape[-1])
        apart = weights(scale, "nominal" if level == "nominal" else "quadratic")  # [C, C]: d_ij
        expected = ((marginal @ apart) * marginal).sum(axis=-1)
    seen = (n - 1) * (both * apart).sum(axis=(-2, -1))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(expected > 0, 1 - seen / expected, np.nan))


@dataclass(frozen=True, eq=False)
class Scale:
    """The grades of two judges, and what computes all coefficients of agreement.

    Attributes:
        grades: `[C]`, all that occur, ascending.
        distance: how far two grades are apart in a weighted kappa.
        rel: the grade from which a document counts as relevant; None leaves the agreement on relevance out.

    """

    grades: Floats
    distance: Distance = "steps"
    rel: float | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the coefficients, in the order of `coefficients`."""
        return COEFFICIENTS if self.rel is None else (*COEFFICIENTS, *RELEVANT)

    @property
    def even(self) -> bool:
        """Whether all grades are equally far from the next, so that both distances give the same kappa."""
        steps = np.diff(self.grades)
        return bool(np.allclose(steps, steps[:1], rtol=1e-9, atol=0))

    def coefficients(self, tables: Floats) -> Floats:
        """Return `[b, S]`, all coefficients of tables `[b, C, C]`."""
        exponent = int(np.frexp(np.abs(self.grades).max(initial=0.0))[1])
        grades = np.ldexp(self.grades, -exponent)  # so that no square leaves the range of floats
        scale = np.arange(len(grades), dtype=np.float64) if self.distance == "steps" else grades
        result = [equal(tables), *(kappa(tables, weights(scale, weighting)) for weighting in WEIGHTINGS)]
        result += [alpha(tables, level, grades) for level in LEVELS]
        # [b]: the mean of the second judge's grade less the first judge's
        bias = _ratio((tables * (grades - grades[:, None])).sum(axis=(-2, -1)), tables.sum(axis=(-2, -1)))
        result.append(np.ldexp(bias, exponent))
        if self.rel is not None:
            relevant = self.relevant(tables)
            result += [equal(relevant), kappa(relevant)]
        return np.stack(result, axis=-1)

    def relevant(self, tables: Floats) -> Floats:
        """Return `[..., 2, 2]`, the tables of not relevant and relevant."""
        first = int(np.searchsorted(self.grades, np.inf if self.rel is None else self.rel))
        parts = (slice(None, first), slice(first, None))
        # [...] for each of 2 x 2 cells
        cells = [[tables[..., row, column].sum(axis=(-2, -1)) for column in parts] for row in parts]
        return np.stack([np.stack(row, axis=-1) for row in cells], axis=-2)


@dataclass(frozen=True, eq=False)
class ConfusionTables:
    """The confusion tables `[Q, C, C]` of many queries, without their empty cells.

    Attributes:
        owner: `[K]`, the query of each cell, ascending.
        cell: `[K]`, its index in the table, row by row.
        count: `[K]`, how many pairs it has.
        queries: Q.
        size: C.

    """

    owner: Integers
    cell: Integers
    count: Floats
    queries: int
    size: int

    @classmethod
    def of(cls, owner: Integers, first: Integers, second: Integers, queries: int, size: int) -> Self:
        """Count pairs.

        Args:
            owner: `[N]`, the query of each pair.
            first: `[N]`, the index of the first judge's grade.
            second: `[N]`, the index of the second judge's grade.
            queries: how many there are.
            size: how many grades there are.

        >>> ConfusionTables.of(np.array([0, 0, 1]), np.array([0, 0, 1]), np.array([1, 1, 0]), 2, 2).total().tolist()
        [[0.0, 2.0], [1.0, 0.0]]
        """
        key = (owner * size + first) * size + second  # [N]: query and cell as a number
        if queries * size**2 <= max(_COUNTED, len(key)):
            counts = np.bincount(key, minlength=1)
            cells = np.flatnonzero(counts)  # [K]: the cells with pairs
            counts = counts[cells]
        else:
            cells, counts = np.unique(key, return_counts=True)
        return cls(cells // size**2, cells % size**2, counts.astype(np.float64), queries, size)

    @cached_property
    def pairs(self) -> Floats:
        """`[Q]`: how many pairs each query has."""
        return np.bincount(self.owner, weights=self.count, minlength=self.queries).astype(np.float64)

    def total(self) -> Floats:
        """Return `[C, C]`, the table of all queries together."""
        cells = np.bincount(self.cell, weights=self.count, minlength=self.size**2).astype(np.float64)
        return cells.reshape(self.size, self.size)

    def only(self, is_kept: Bools) -> "ConfusionTables":
        """Keep the tables of some queries; `is_kept` is `[Q]`."""
        rows = is_kept[self.owner]  # [K]: which cells are of these queries
        owner = (np.cumsum(is_kept) - 1)[self.owner[rows]]  # [K']: their queries, counted anew
        return ConfusionTables(owner, self.cell[rows], self.count[rows], int(is_kept.sum()), self.size)

    def of_each(self, compute: Compute) -> Floats:
        """Return `[Q, S]`, what a function makes of the table of each query."""
        return np.concatenate([compute(block) for block in self._blocks()])

    def without_each(self, compute: Compute) -> Floats:
        """Return `[Q, S]`, what a function makes of the table of all other queries."""
        total = self.total()
        return np.concatenate([compute(total - block) for block in self._blocks()])

    def of_samples(self, compute: Compute, times: Floats) -> Floats:
        """Return `[b, S]`, what a function makes of samples; `times` `[b, Q]` says how often each has each query."""
        parts = []
        for start in range(0, len(times), self._step):
            tables = np.ascontiguousarray((self._matrix @ times[start : start + self._step].T).T)  # [b, C * C]
            parts.append(compute(tables.reshape(-1, self.size, self.size)))
        return np.concatenate(parts)

    @property
    def _step(self) -> int:
        return max(1, _CELLS // self.size**2)

    @cached_property
    def _matrix(self) -> "csr_array[Any, tuple[int, int]]":
        """`[C * C, Q]`."""
        from scipy.sparse import csr_array  # noqa: PLC0415 - costs more than small inputs

        return csr_array((self.count, (self.cell, self.owner)), shape=(self.size**2, self.queries))

    def _blocks(self) -> Iterator[Floats]:
        """Yield the tables of some queries at a time, `[b, C, C]`."""
        for start in range(0, self.queries, self._step):
            end = min(start + self._step, self.queries)
            low, high = np.searchsorted(self.owner, (start, end))
            block = np.zeros((end - start) * self.size**2)  # [b * C * C]
            block[(self.owner[low:high] - start) * self.size**2 + self.cell[low:high]] = self.count[low:high]
            yield block.reshape(end - start, self.size, self.size)


def cluster_intervals(
    tables: ConfusionTables, compute: Compute, *, level: float, resamples: int, seed: int
) -> tuple[Floats, Floats]:
    """`[S]` lower and `[S]` upper bounds: bias-corrected and accelerated, from samples of queries with replacement.

    Samples in which a coefficient is undefined are left out. NaN with fewer than two queries, where the coefficient is
    undefined, and where more than 1 - level of the samples have to be left out; the coefficient itself where all
    samples give it.

    Args:
        tables: of all queries.
        compute: the coefficients.
        level: the confidence level.
        resamples: how many samples are drawn.
        seed: of the generator.

    Source: Efron (1987), Better bootstrap confidence intervals, https://doi.org/10.1080/01621459.1987.10478410; of
    clusters that are drawn whole: Davison and Hinkley (1997), Bootstrap methods and their application, section 3.8,
    https://doi.org/10.1017/CBO9780511802843

    """
    values = compute(tables.total()[None])[0]  # [S]
    low, high = np.full(values.shape, np.nan), np.full(values.shape, np.nan)
    if tables.queries < 2:  # noqa: PLR2004 - one query has no spread
        return low, high
    # [S, B]
    samples = over_samples(
        lambda times: tables.of_samples(compute, times).T, len(values), tables.queries, resamples, seed
    )
    left_out = tables.without_each(compute)  # [Q, S]
    for index in np.flatnonzero(~np.isnan(values)):
        defined = samples[index][~np.isnan(samples[index])]  # [b]: the samples that have a value
        if resamples - defined.size <= (1 - level) * resamples:
            low[index], high[index] = _bounds(float(values[index]), defined, left_out[:, index], level)
    return low, high


def _bounds(value: float, samples: Floats, left_out: Floats, level: float) -> tuple[float, float]:
    """Return the interval of one coefficient from `[b]` samples and, `[Q]`, its value without each query."""
    equal_to = np.abs(samples - value) <= ROUNDING * max(abs(value), float(np.abs(samples).max()))
    if equal_to.all():
        return value, value
    below = ((samples < value) & ~equal_to).mean() + equal_to.mean() / 2
    shares = bca_quantiles(np.array([below]), np.array([_acceleration(left_out)]), len(samples), level)
    low, high = (float(np.quantile(samples, share[0])) for share in shares)
    return low, high


def _acceleration(left_out: Floats) -> float:
    """Compute a sixth of the skewness of queries' influences, skipping queries without which the value is undefined."""
    defined = left_out[~np.isnan(left_out)]  # [q], of [Q] values
    influence = defined.mean() - defined if defined.size else np.zeros(1)
    largest = float(np.abs(influence).max())
    if not largest:
        return 0.0
    influence = influence / largest  # no square leaves the range of floats
    return float((influence**3).sum() / (6 * (influence**2).sum() ** 1.5))


def _ratio(over: Floats, under: Floats) -> Floats:
    """Divide elementwise; NaN where the divisor is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(under > 0, np.divide(over, under), np.nan))
