"""What every statistic is given: columns of numbers, which rows each of them has, and what the rows weigh.

Numbers are divided by a power of two per column, which is exact, so that none of their squares and sums leaves the
range of floats.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal, Self, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Ints = NDArray[np.intp]
Integers = NDArray[np.int32]
Alternative = Literal["two-sided", "less", "greater"]

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
        weighing = None if weights is None else _weights(weights, len(table))
        if weighing is not None:
            table[weighing == 0] = np.nan
            heavy = weighing[weighing > 0]
            weighing = None if not heavy.size or (heavy == heavy[0]).all() else weighing / heavy.max()
        table[:, np.isinf(table).any(axis=0)] = np.nan
        largest = np.fmax.reduce(np.abs(table), axis=0, initial=0.0)
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
        """Numbers [K] in the unit of the table; infinite where that leaves the range of floats."""
        with np.errstate(over="ignore"):
            return np.ldexp(numbers, self.exponents)

    def empty(self) -> Floats:
        """[K], NaN: what a statistic is where nothing defines it."""
        return np.full(self.count, np.nan)

    def summands(self) -> Floats:
        """[N, K], numbers times weights; 0 where a row has no number."""
        weighted = self.values if self.weights is None else self.values * self.weights[:, None]
        return np.nan_to_num(weighted, nan=0.0)

    def samples(self) -> Iterator[Sample]:
        """Columns that share their rows, together; columns without a number are left out."""
        there = self.there
        patterns, which = np.unique(np.packbits(there, axis=0), axis=1, return_inverse=True)
        for number in range(patterns.shape[1]):
            places = np.flatnonzero(which.ravel() == number)
            rows = np.flatnonzero(there[:, places[0]])
            if rows.size:
                weights = None if self.weights is None else self.weights[rows]
                if weights is not None and (weights == weights[0]).all():
                    weights = None
                yield Sample(places, np.ascontiguousarray(self.values[np.ix_(rows, places)].T), weights)


def differences(first: ArrayLike, second: ArrayLike) -> Floats:
    """The second numbers less the first; 0 where rounding may be all that tells them apart.

    Sums of the same parts in another order differ in their last bits. That is so up to 8 units in the last place of the
    larger number; tests, intervals, effects and counts of wins all start from here, and so agree on what a tie is.

    >>> differences([0.1 + 0.2, 0.5, 0.5], [0.3, 0.5 + 2**-49, 0.25]).tolist()
    [0.0, 1.7763568394002505e-15, -0.25]
    """
    one, other = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    with np.errstate(invalid="ignore"):
        found = other - one
        near = LAST_PLACES * np.spacing(np.maximum(np.abs(one), np.abs(other)))
    return np.where(np.abs(found) <= near, 0.0, found)


def levelled(values: Floats) -> Floats:
    """A table [N, S] in which numbers of a row that rounding may tell apart are equal to the smallest of them."""
    order = np.argsort(values, axis=1, kind="stable")
    ordered = np.take_along_axis(values, order, axis=1)
    apart = differences(ordered[:, :-1], ordered[:, 1:]) != 0
    places = np.where(np.insert(apart, 0, True, axis=1), np.arange(values.shape[1]), 0)
    result = np.empty_like(values)
    first = np.maximum.accumulate(places, axis=1)
    np.put_along_axis(result, order, np.take_along_axis(ordered, first, axis=1), axis=1)
    return result


def settled(values: Floats) -> Floats:
    """Numbers of one column, where those that rounding alone tells apart are made equal, in size and with 0.

    >>> settled(np.array([0.3 - 0.1, -0.2, 0.7 - 0.5, 1e-17])).tolist()
    [0.19999999999999996, -0.19999999999999996, 0.19999999999999996, 0.0]
    """
    sizes = np.abs(values)
    order = np.argsort(sizes, kind="stable")
    ordered = sizes[order]
    near = ordered[-1:] * ROUNDING
    steps = np.diff(ordered, prepend=0.0)
    first = np.maximum.accumulate(np.where(steps > near, np.arange(len(ordered)), -1))
    alike = np.where(first < 0, 0.0, ordered[first])
    result = np.empty_like(values)
    result[order] = alike
    return np.where(result == 0, 0.0, np.copysign(result, values))


def checked(alternative: Alternative) -> Alternative:
    """A word for what is held against equality."""
    if alternative not in get_args(Alternative):
        raise ValueError(f"alternative={alternative!r}: it is one of {', '.join(get_args(Alternative))}")
    return alternative


def share(name: str, value: float) -> float:
    """A number between 0 and 1, such as a confidence level."""
    if not 0 < value < 1:
        what = {"level": "a confidence level", "alpha": "a level of significance", "power": "a power"}[name]
        raise ValueError(f"{name}={value}: {what} lies between 0 and 1")
    return value


def drawn(resamples: int) -> int:
    """How many samples are to be drawn."""
    if resamples < 1:
        raise ValueError(f"resamples={resamples}: at least 1 has to be drawn")
    return resamples


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
