"""What a batch is worth: an array of values for each measure, and how they become one number."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np

from rankworth import names
from rankworth.errors import MeasureError, NotMeasuredError, RankworthError
from rankworth.evaluation import aggregation
from rankworth.judged import Array, constant, namespace, widest
from rankworth.measures import Averaging, Fact, Measure

Undefined = float | Literal["skip"]
"""What a value without a divisor becomes: a number, NaN among them; or it is left out of the mean, and NaN itself."""

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

    def __contains__(self, measure: object) -> bool:
        """Whether the measure is there."""
        return self.get(measure) is not None  # type: ignore[arg-type]

    def get(self, measure: str | Measure | Fact, default: Any = None) -> Any:  # noqa: ANN401 - whatever it is
        """The array of a measure; something else where it is not there."""
        try:
            return self[measure]
        except RankworthError:
            return default

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
        means = {name: _one(array, way, skips=self.skips) for (name, array), way in pairs}
        return ByMeasure(means, self.canonical)


def additive(values: Array, way: Averaging) -> Array:
    """What a mean may be taken of: the same values in the widest type, or their logarithms."""
    xp = namespace(values)
    values = xp.astype(values, widest(values))
    return xp.log(xp.maximum(values, constant(_FLOOR, values))) if way == "gmean" else values


def back(total: Array, number: Array | int, way: Averaging) -> Array:
    """One number out of the sum of `additive` values and how many they are."""
    xp = namespace(total)
    if way == "sum":
        return total
    if isinstance(number, int):
        mean = total / number if number else total + math.nan
    else:
        mean = xp.where(number > 0, total / xp.maximum(number, constant(1, number)), constant(math.nan, total))
    return xp.exp(mean) if way == "gmean" else mean


def _one(values: Array, way: Averaging, *, skips: bool) -> Any:  # noqa: ANN401 - an array without axes
    xp = namespace(values)
    if isinstance(values, np.ndarray):
        kept = values[~np.isnan(values)] if skips else values
        if way == "sum":
            return np.float64(np.cumsum(kept)[-1] if kept.size else 0.0)
        return np.float64(aggregation.summary(kept[:, None], [way])[0])
    terms = additive(values, way)
    if not skips:
        return back(xp.sum(terms), values.shape[0], way)
    void = xp.isnan(terms)
    counted = xp.sum(xp.astype(~void, terms.dtype))
    return back(xp.sum(xp.where(void, xp.zeros_like(terms), terms)), counted, way)
