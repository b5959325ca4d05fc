"""Values of batches: an array for each measure, their means, and sums that lose no digits."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, Self

import numpy as np

from rankworth import names
from rankworth.errors import InputError, MeasureError, NotMeasuredError
from rankworth.evaluation import aggregation
from rankworth.judged import Array, constant, device_of, indexing, namespace, widest
from rankworth.measures import Averaging, Fact, Measure
from rankworth.tensors.inputs import to_list, torch_of

Undefined = float | Literal["skip"]
"""What a value without a divisor becomes: a number, NaN among them; or it is left out of the mean, and NaN itself."""

SUMS: Final = ("total", "lost", "number")
"""names of the lists in a state"""
_FLOOR: Final = 0.00001


@dataclass(frozen=True, eq=False)
class ByMeasure(Mapping[str, Array]):
    """Arrays by measure.

    A mapping from the names that were asked for; measures and other names of theirs find the same arrays.

    >>> import numpy as np
    >>> from rankworth.tensors import evaluate
    >>> means = evaluate(np.array([[0.9, 0.5]]), np.array([[0, 1]]), ["MRR"]).mean()
    >>> list(means), means["mrr"].item(), "RR" in means, "AP" in means, means.get("AP")
    (['MRR'], 0.5, True, False, None)
    """

    arrays: Mapping[str, Array]
    """by the name that was asked for"""
    canonical: tuple[str, ...]
    """the canonical names of the measures"""

    def __getitem__(self, measure: str | Measure | Fact) -> Array:
        """The array of a measure, in any spelling of its name.

        Raises:
            NotMeasuredError: `not-measured`; a `KeyError`, too.

        """
        labels = list(self.arrays)
        try:
            place = names.place(measure, labels, self.canonical)
        except MeasureError as error:
            raise NotMeasuredError.of(measure, labels, error) from None
        if place is None:
            raise NotMeasuredError.of(measure, labels)
        return self.arrays[labels[place]]

    def __iter__(self) -> Iterator[str]:
        """The names that the measures were asked for by."""
        return iter(self.arrays)

    def __len__(self) -> int:
        """How many measures there are."""
        return len(self.arrays)


@dataclass(frozen=True, eq=False)
class BatchValues(ByMeasure):
    """The values of each query of a batch, by measure: arrays `[B]`, of the library and on the device of the scores.

    >>> import numpy as np
    >>> from rankworth.tensors import evaluate
    >>> values = evaluate(np.array([[0.9, 0.5]]), np.array([[0, 1]]), ["RR", "P@1"])
    >>> list(values), values["MRR"].tolist(), values.mean()["RR"].item()
    (['RR', 'P@1'], [0.5], 0.5)
    """

    ways: tuple[Averaging, ...]
    """how the values of each measure become one"""
    skips: bool = False
    """whether means leave out values that are NaN"""
    indexes: Array | None = None
    """`[B]`: the index of each query, ascending, where documents came with indexes"""

    def mean(self) -> ByMeasure:
        """Arrays without axes, one for each measure: the mean, the geometric mean of `gmean(...)`, the sum of counts.

        They are added in double precision where the device has it; NaN where there is no query.
        """
        pairs = zip(self.arrays.items(), self.ways, strict=True)
        means = {name: _mean(array, way, skips=self.skips) for (name, array), way in pairs}
        return ByMeasure(means, self.canonical)


@dataclass(frozen=True, eq=False)
class Sums:
    """Sums of values, each with what its additions have lost, and of how many values."""

    total: Array
    """`[M]`"""
    lost: Array
    """`[M]`: what rounding took from the totals"""
    number: Array
    """`[M]`, whole numbers"""
    restored: bool = False
    """whether they come from a state, so that they go to whatever device the next ones are on"""

    @classmethod
    def of(cls, values: BatchValues) -> Self:
        """The sums of a batch."""
        columns = [_additive(array, way) for array, way in zip(values.arrays.values(), values.ways, strict=True)]
        xp = namespace(columns[0])
        table = xp.stack(columns)
        void = xp.isnan(table) if values.skips else xp.zeros_like(table, dtype=xp.bool)
        total = xp.sum(xp.where(void, xp.zeros_like(table), table), axis=1)
        return cls(total, xp.zeros_like(total), xp.sum(xp.astype(~void, indexing(total)), axis=1))

    @classmethod
    def of_lists(cls, lists: Mapping[str, Sequence[float]], like: Array, *, restored: bool = False) -> Self:
        """The sums that `lists` gives, where an array is."""
        double, device = widest(like), device_of(like)
        total, lost, number = (
            namespace(like).asarray(list(lists[name]), dtype=dtype, device=device)
            for name, dtype in zip(SUMS, (double, double, indexing(like)), strict=True)
        )
        return cls(total, lost, number, restored)

    def lists(self) -> dict[str, list[Any]]:
        """The sums as lists of numbers; waits for the device."""
        return {name: to_list(getattr(self, name)) for name in SUMS}

    def plus(self, other: "Sums") -> "Sums":
        """Both together, where `other` is; the addition says what it loses (Knuth's two-sum).

        Raises:
            InputError: `input-type`, where `other` is of another library or device.

        """
        if self.restored != other.restored:
            self, other = (  # noqa: PLW0642 - moved
                Sums.of_lists(sums.lists(), like.total) if sums.restored else sums
                for sums, like in ((self, other), (other, self))
            )
        ours, theirs = self.total, other.total
        if torch_of(ours) is not None and torch_of(theirs) is not None:
            ours, lost, number = (array.to(theirs.device) for array in (ours, self.lost, self.number))
        else:
            _check_alike(theirs, ours)
            lost, number = self.lost, self.number
        xp = namespace(ours)
        total = ours + theirs
        part = total - ours
        error = (ours - (total - part)) + (theirs - part)
        error = xp.where(xp.isfinite(error), error, xp.zeros_like(error))
        return Sums(total, lost + other.lost + error, number + other.number, self.restored and other.restored)

    def means(self, ways: Sequence[Averaging]) -> list[Array]:
        """One number for each measure."""
        total = self.total + self.lost
        number = namespace(total).astype(self.number, total.dtype)
        return [_back(total[place], number[place], way) for place, way in enumerate(ways)]


def _check_alike(array: Array, before: Array) -> None:
    """Refuse an array of another library or device (`input-type`)."""
    libraries = [namespace(one).__name__ for one in (array, before)]
    if libraries[0] != libraries[1] or device_of(array) != device_of(before):
        text = f"a batch is of {libraries[0]}, those before of {libraries[1]}"
        raise InputError("input-type", text, remedy="an accumulator takes arrays of one library and device")


def _additive(values: Array, way: Averaging) -> Array:
    """Values in the widest type, or their logarithms: what a mean may be taken of."""
    xp = namespace(values)
    values = xp.astype(values, widest(values))
    return xp.log(xp.maximum(values, constant(_FLOOR, values))) if way == "gmean" else values


def _back(total: Array, number: Array, way: Averaging) -> Array:
    """One number out of the sum of `_additive` values and how many they are."""
    if way == "sum":
        return total
    xp = namespace(total)
    mean = xp.where(number > 0, total / xp.maximum(number, constant(1, number)), constant(math.nan, total))
    return xp.exp(mean) if way == "gmean" else mean


def _mean(values: Array, way: Averaging, *, skips: bool) -> Any:  # noqa: ANN401 - an array without axes
    xp = namespace(values)
    if isinstance(values, np.ndarray):
        kept = values[~np.isnan(values)] if skips else values
        if way == "sum":
            return np.float64(np.cumsum(kept)[-1] if kept.size else 0.0)
        return np.float64(aggregation.summary(kept[:, None], [way])[0])
    terms = _additive(values, way)
    counts = ~xp.isnan(terms) if skips else xp.ones_like(terms, dtype=xp.bool)
    total = xp.sum(xp.where(counts, terms, xp.zeros_like(terms)))
    return _back(total, xp.sum(xp.astype(counts, terms.dtype)), way)
