"""What every statistic starts from: columns of numbers, the rows that each has, what rows weigh, and their moments.

Numbers are divided by a power of two per column, which is exact, so that none of their squares and sums leaves the
range of floats.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, Final, Literal, Self, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankworth.errors import UsageError

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Ints = NDArray[np.intp]
Integers = NDArray[np.int32]
Alternative = Literal["two-sided", "less", "greater"]

FEW_QUERIES: Final = 10
"""fewer are remarked upon beside intervals and tests"""
RESAMPLES: Final = 9_999
"""How many samples a bootstrap draws where not told."""
CELLS: Final = 1 << 21
"""How many numbers a block of samples holds; memory is bounded by it, and nothing else depends on it."""
ROUNDING: Final = 1e-12
"""Numbers that differ by less than this share of the largest that went into them are equal but for rounding."""

LAST_PLACES: Final = 8
"""Numbers that differ by at most so many units in the last place of the larger one are equal."""


@dataclass(frozen=True, eq=False)
class Sample:
    """Columns that have their numbers in the same rows."""

    places: Ints
    """[k], which columns of the table they are"""
    values: Floats
    """[k, n], their numbers, one line for each column, of size 1 at most"""
    weights: Floats | None
    """[n], what the rows weigh, 1 at most; None where all weigh the same"""

    @property
    def shares(self) -> Floats:
        """[n], the share of each row in the whole weight."""
        if self.weights is None:
            return np.full(self.values.shape[1], 1 / self.values.shape[1])
        return np.asarray(self.weights / self.weights.sum())

    @property
    def alone(self) -> bool:
        """Whether one row holds all the weight, so that nothing is known about the spread."""
        return self.values.shape[1] < 2 or bool((self.shares**2).sum() > 1 - ROUNDING)  # noqa: PLR2004


@dataclass(frozen=True, eq=False)
class Columns:
    """A table of numbers, as statistics look at it.

    A row has no number in a column where the table has NaN or the row weighs nothing. A column that holds an infinity
    has no number at all: nothing here is defined for it.
    """

    values: Floats
    """[N, K], of size 1 at most; NaN where a row has no number"""
    exponents: Integers
    """[K], of the powers of two that they were divided by"""
    weights: Floats | None
    """[N], 1 at most; None where all that are not 0 are equal"""

    @classmethod
    def of(cls, values: ArrayLike, weights: ArrayLike | None = None) -> Self:
        """Check a table and the weights of its rows.

        Args:
            values: [N, K].
            weights: [N], 0 or more each.

        """
        table = np.array(values, dtype=np.float64)
        if table.ndim != 2:  # noqa: PLR2004 - rows and columns
            raise ValueError(f"columns are a table [rows, columns], this has the shape {table.shape}")
        weighing = None if weights is None else _weights(weights, len(table))  # [N]
        if weighing is not None:
            table[weighing == 0] = np.nan
            heavy = weighing[weighing > 0]
            weighing = None if not heavy.size or (heavy == heavy[0]).all() else weighing / heavy.max()
        table[:, np.isinf(table).any(axis=0)] = np.nan
        largest = np.fmax.reduce(np.abs(table), axis=0, initial=0.0)  # [K]
        exponents = np.frexp(largest)[1]
        return cls(np.ldexp(table, -exponents), exponents, weighing)

    @property
    def count(self) -> int:
        """How many columns there are."""
        return int(self.values.shape[1])

    @property
    def there(self) -> Bools:
        """[N, K], where a row has a number."""
        return ~np.isnan(self.values)

    def restored(self, numbers: Floats) -> Floats:
        """Convert numbers [K] to the unit of the table; infinite beyond the range of floats."""
        with np.errstate(over="ignore"):
            return np.ldexp(numbers, self.exponents)

    def empty(self) -> Floats:
        """Return [K] NaN, the value of an undefined statistic."""
        return np.full(self.count, np.nan)

    def summands(self) -> Floats:
        """Return [N, K], numbers times weights; 0 where a row has no number."""
        weighted = self.values if self.weights is None else self.values * self.weights[:, None]
        return np.nan_to_num(weighted, nan=0.0)

    def samples(self) -> Iterator[Sample]:
        """Yield columns that share their rows, together; columns without a number are left out."""
        has_value = self.there
        # [N / 8, P]: the P sets of rows, as bits; which: the set of each of K columns
        patterns, which = np.unique(np.packbits(has_value, axis=0), axis=1, return_inverse=True)
        for number in range(patterns.shape[1]):
            places = np.flatnonzero(which.ravel() == number)  # [k]: the columns that have these rows
            rows = np.flatnonzero(has_value[:, places[0]])  # [n]: these rows
            if rows.size:
                weights = None if self.weights is None else self.weights[rows]
                if weights is not None and (weights == weights[0]).all():
                    weights = None
                yield Sample(places, np.ascontiguousarray(self.values[np.ix_(rows, places)].T), weights)


def differences(first: ArrayLike, second: ArrayLike) -> Floats:
    """Subtract the first numbers from the second; 0 if rounding alone may separate them.

    Sums of the same parts in another order differ in their last bits. That is so up to 8 units in the last place of the
    larger number; tests, intervals, effects and counts of wins all start from here, and so agree on what a tie is.

    >>> differences([0.1 + 0.2, 0.5, 0.5], [0.3, 0.5 + 2**-49, 0.25]).tolist()
    [0.0, 1.7763568394002505e-15, -0.25]
    """
    before, after = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    with np.errstate(invalid="ignore"):
        change = after - before
        near = LAST_PLACES * np.spacing(np.maximum(np.abs(before), np.abs(after)))
    return np.where(np.abs(change) <= near, 0.0, change)


def levelled(values: Floats) -> Floats:
    """Level a table [N, S]: numbers of a row that rounding may tell apart become the smallest of them."""
    order = np.argsort(values, axis=1, kind="stable")  # [N, S]
    ordered = np.take_along_axis(values, order, axis=1)
    apart = differences(ordered[:, :-1], ordered[:, 1:]) != 0  # [N, S - 1]: whether the next number is another
    # [N, S]: the index where a run of equal numbers begins, else 0
    places = np.where(np.insert(apart, 0, True, axis=1), np.arange(values.shape[1]), 0)
    result = np.empty_like(values)
    first = np.maximum.accumulate(places, axis=1)  # [N, S]: where the run of each begins
    np.put_along_axis(result, order, np.take_along_axis(ordered, first, axis=1), axis=1)
    return result


def settled(values: Floats) -> Floats:
    """Make numbers of one column equal, in size and with 0, where rounding alone tells them apart.

    >>> settled(np.array([0.3 - 0.1, -0.2, 0.7 - 0.5, 1e-17])).tolist()
    [0.19999999999999996, -0.19999999999999996, 0.19999999999999996, 0.0]
    """
    sizes = np.abs(values)
    order = np.argsort(sizes, kind="stable")
    ordered = sizes[order]
    near = ordered[-1:] * ROUNDING
    steps = np.diff(ordered, prepend=0.0)  # [n]: from each size to the next
    # [n]: where the run of each size begins, -1 in the run of 0
    first = np.maximum.accumulate(np.where(steps > near, np.arange(len(ordered)), -1))
    equalised = np.where(first < 0, 0.0, ordered[first])
    result = np.empty_like(values)
    result[order] = equalised
    return np.where(result == 0, 0.0, np.copysign(result, values))


def checked(alternative: Alternative) -> Alternative:
    """Check the alternative and return it, or raise a UsageError (`unknown-setting`)."""
    check_word("alternative", alternative, get_args(Alternative))
    return alternative


def share(name: str, value: Any) -> float:  # noqa: ANN401 - what users write
    """Check a number between 0 and 1, such as a confidence level, or raise a UsageError (`unknown-setting`)."""
    if not isinstance(value, Real) or not 0 < float(value) < 1:
        raise UsageError("unknown-setting", f"{name}={value!r}: it lies between 0 and 1")
    return float(value)


def whole(name: str, number: Any, least: int) -> int:  # noqa: ANN401 - what users write
    """Check a whole number, as of samples, or raise a UsageError (`unknown-setting`)."""
    if isinstance(number, bool) or not isinstance(number, Integral) or int(number) < least:
        raise UsageError("unknown-setting", f"{name}={number!r}: it is a whole number from {least}")
    return int(number)


def check_word(name: str, word: object, words: Iterable[str]) -> None:
    """Raise a UsageError (`unknown-setting`) for a word that a setting does not have."""
    if word not in (choices := tuple(words)):
        raise UsageError("unknown-setting", f"{name}={word!r}: it is one of {', '.join(choices)}")


def unweighted(name: str, weights: ArrayLike | None) -> None:
    """Refuse weights."""
    if weights is not None:
        raise ValueError(f"the {name} has no form with weights; t, randomization and bootstrap have one")


def _weights(weights: ArrayLike, rows: int) -> Floats:
    weighing = np.asarray(weights, dtype=np.float64)
    if weighing.shape != (rows,):
        raise ValueError(f"there are {rows} rows, and weights of the shape {weighing.shape}: each row has one weight")
    wrong = np.flatnonzero(~(np.isfinite(weighing) & (weighing >= 0)))
    if wrong.size:
        raise ValueError(f"weight {weighing[wrong[0]]} of row {wrong[0]}: a weight is a finite number from 0")
    return weighing


@dataclass(frozen=True, eq=False)
class Moments:
    """Means of columns and their errors, all [K].

    The mean is `sum(w d) / sum(w)`. Let `h = w / sum(w)` be the shares of the rows and `Q = sum(h^2)`. Then

        effective  1 / Q                                                       (n where all weigh the same; Kish)
        deviation  sqrt(sum(h (d - mean)^2) / (1 - Q))                         (sum((d - mean)^2) / (n - 1) inside)
        error      sqrt(sum(h^2 (d - mean)^2) / c),
                   c = sum(h^2 ((1 - h)^2 + Q - h^2)) / Q                      (deviation / sqrt(n); c is 1 - 1 / n)
        df         effective - 1                                               (n - 1)

    with what they come to where all rows weigh the same in brackets. The error is the linearised one of a ratio
    estimator: rows are drawn together with their weights. `c` is what the sum in it is too small by on average where
    the spread does not depend on the weights; it and the effective number of rows keep tests at their level where few
    rows hold most of the weight (simulated with log-normal weights and 10 to 100 rows, 95% intervals hold the mean in
    94.7% to 99%; with `n - 1` degrees of freedom and `n / (n - 1)` they come down to 69%).

    A column whose numbers are all equal but for rounding has deviation 0 and error 0; with fewer than two rows both
    are NaN, with none the mean is.

    Sources: Cochran (1977), Sampling techniques, chapter 6; Kish (1965), Survey sampling.
    """

    count: Floats
    effective: Floats
    mean: Floats
    deviation: Floats
    error: Floats

    @property
    def df(self) -> Floats:
        """Degrees of freedom."""
        return self.effective - 1

    def t(self, against: ArrayLike = 0.0) -> Floats:
        """Return how many errors the mean lies above a number; infinite without an error, 0 where both are the same."""
        against = np.asarray(against, dtype=np.float64)
        above = self.mean - against
        same = (self.error == 0) & (np.abs(above) <= ROUNDING * np.abs(against))
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(same, 0.0, above / self.error)

    def beyond(self, alternative: Alternative, against: ArrayLike = 0.0) -> Floats:
        """Return how probable a mean so far from a number is if that were the true one; 1 if it is, without error."""
        from scipy.special import stdtr  # noqa: PLC0415 - costs more than most evaluations

        t = self.t(against)
        if alternative == "two-sided":
            p = 2 * stdtr(self.df, -np.abs(t))
        else:
            p = stdtr(self.df, t if alternative == "less" else -t)
        return np.where((self.error == 0) & (t == 0), 1.0, p)


def moments(columns: Columns) -> Moments:
    """Compute means, errors and deviations of columns.

    >>> found = moments(Columns.of([[0.1], [0.2], [0.6]]))
    >>> found.mean.round(4), found.deviation.round(4), found.error.round(4), found.df
    (array([0.3]), array([0.2646]), array([0.1528]), array([2.]))
    """
    count, (effective, mean, deviation, error) = np.zeros(columns.count), (columns.empty() for _ in range(4))
    for sample in columns.samples():
        places = sample.places
        count[places] = sample.values.shape[1]
        effective[places], mean[places], deviation[places], error[places] = _moments(sample)
    return Moments(count, effective, *map(columns.restored, (mean, deviation, error)))


def constant(values: Floats) -> Bools:
    """Return [k], where all numbers of a line [k, n] are equal but for rounding."""
    return np.asarray(np.ptp(values, axis=1) <= ROUNDING * np.abs(values).max(axis=1))


def means(values: ArrayLike, weights: ArrayLike | None = None) -> Floats:
    """Compute the means of columns, `sum(w d) / sum(w)` over the rows that a column has.

    Args:
        values: [N, K].
        weights: [N].

    Returns:
        [K]; NaN without a row.

    >>> means([[0.1, 0.5], [0.2, float("nan")]], weights=[1, 3]).round(4)
    array([0.175, 0.5  ])
    """
    return moments(Columns.of(values, weights)).mean


def deviations(differences: ArrayLike, weights: ArrayLike | None = None) -> Floats:
    """Compute the standard deviations of differences, as planning wants them.

    Args:
        differences: [N, K].
        weights: [N]; the result is then `sqrt(n)` times the error of the weighted mean, so that queries to come are
            taken to weigh as differently as these.

    Returns:
        [K]; NaN with fewer than two rows.

    >>> deviations([[0.1], [0.2], [0.6]]).round(4)
    array([0.2646])
    """
    estimates = moments(Columns.of(differences, weights))
    return estimates.error * np.sqrt(estimates.count)


def _moments(sample: Sample) -> tuple[float, Floats, Floats, Floats]:
    """Return the effective number of rows, and [k] each: mean, standard deviation and standard error."""
    values, weights = sample.values, sample.weights
    rows = values.shape[1]
    if sample.alone:
        unknown = np.full(len(values), np.nan)
        return 1.0, (sample.shares * values).sum(axis=1), unknown, unknown
    if weights is None:
        mean = values.mean(axis=1)  # [k]
        variance = ((values - mean[:, None]) ** 2).sum(axis=1) / (rows - 1)  # [k]
        variance[constant(values)] = 0
        return rows, mean, np.sqrt(variance), np.sqrt(variance / rows)
    shares = sample.shares  # [n]: h
    together = (shares**2).sum()  # Q
    mean = (shares * values).sum(axis=1)  # [k]
    squares = (values - mean[:, None]) ** 2  # [k, n]
    squares[constant(values)] = 0
    short = (shares**2 * ((1 - shares) ** 2 + (together - shares**2))).sum() / together  # c
    variance = (shares * squares).sum(axis=1) / (1 - together)  # [k]
    return 1 / together, mean, np.sqrt(variance), np.sqrt((shares**2 * squares).sum(axis=1) / short)


@dataclass(frozen=True, eq=False)
class Effects:
    """Sizes of effects, and what they are made of, [K] each."""

    mean: Floats
    """the mean difference"""
    dz: Floats
    """in standard deviations of the differences: Cohen's d_z"""
    hedges: Floats
    """the same without its bias"""
    win: Floats
    """the share of differences above 0, plus half the share of those that are 0"""
    wins: Ints
    """how many differences are above 0, whatever they weigh"""
    ties: Ints
    """how many are 0"""
    losses: Ints
    """how many are below 0"""


def effects(differences: ArrayLike, weights: ArrayLike | None = None) -> Effects:
    """Compute how large the differences of columns are.

        mean    sum(w d) / sum(w)
        dz      mean / deviation
        hedges  dz J(df), J(m) = Gamma(m / 2) / (sqrt(m / 2) Gamma((m - 1) / 2))
        win     (sum of w where d > 0, plus half of that where d = 0) / sum(w)

    with `deviation` and `df` of `Moments`. Where all differences are equal but for rounding, dz is infinite, or 0 if
    they are 0. `dz` is NaN with fewer than two rows, `hedges` unless there are more than two; differences that rounding
    alone tells from 0 are 0.

    Args:
        differences: [N, K].
        weights: [N].

    Sources: Cohen (1988), Statistical power analysis, section 2.3.5; Hedges (1981), Distribution theory for Glass's
    estimator of effect size, https://doi.org/10.3102/10769986006002107

    >>> found = effects([[0.2], [0.1], [0.4], [-0.3], [0.0]])
    >>> found.mean.round(3), found.dz.round(3), found.hedges.round(3), found.win
    (array([0.08]), array([0.309]), array([0.247]), array([0.7]))
    """
    columns = Columns.of(differences, weights)
    sample_moments = moments(columns)
    with np.errstate(divide="ignore", invalid="ignore"):
        dz = np.where(
            (sample_moments.deviation == 0) & (sample_moments.mean == 0),
            0.0,
            sample_moments.mean / sample_moments.deviation,
        )
    win = columns.empty()
    counts = np.zeros((3, columns.count), dtype=np.intp)  # [3, K]: wins, ties, losses
    for sample in columns.samples():
        near = ROUNDING * np.abs(sample.values).max(axis=1, keepdims=True)  # [k, 1]
        above, below = sample.values > near, sample.values < -near  # [k, n] each
        half = 0.5 + (above * 0.5 - below * 0.5)  # [k, n]: 1 for a win, 0.5 for a tie, 0 for a loss
        win[sample.places] = half.mean(axis=1) if sample.weights is None else (half * sample.shares).sum(axis=1)
        counts[:, sample.places] = above.sum(axis=1), (~above & ~below).sum(axis=1), below.sum(axis=1)
    return Effects(sample_moments.mean, dz, dz * _unbiased(sample_moments.df), win, *counts)


def _unbiased(df: Floats) -> Floats:
    """Return Hedges' J, [K]; NaN up to one degree of freedom, where dz has no mean."""
    from scipy.special import gammaln  # noqa: PLC0415 - costs more than most evaluations

    enough = np.where(df > 1, df, np.nan)
    return np.asarray(np.exp(gammaln(enough / 2) - gammaln((enough - 1) / 2)) / np.sqrt(enough / 2))


def check_sampling(level: object, seed: object, resamples: object = 1) -> None:
    """Raise a UsageError (`unknown-setting`) for a level, a seed or a number of samples that cannot be."""
    share("level", level)
    whole("resamples", resamples, 1)
    whole("seed", seed, 0)
