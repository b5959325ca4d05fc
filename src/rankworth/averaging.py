"""Over which queries a mean is taken, and what stands in for a value that is missing or undefined."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from rankworth.errors import UsageError

Missing = Literal["zero", "skip"]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Averaging:
    """How values of queries become one number.

    Attributes:
        missing: a judged query for which the run has nothing counts as an empty ranking, which is worth 0 (`zero`, as
            `-c` in trec_eval), or is left out of the mean (`skip`).
        undefined: what a value without a divisor becomes, such as the recall of a query without relevant documents.

    """

    missing: Missing = "zero"
    undefined: float = 0.0

    def __post_init__(self) -> None:
        """Refuse what is no setting."""
        if self.missing not in get_args(Missing):
            choices = " or ".join(map(repr, get_args(Missing)))
            raise UsageError("unknown-setting", f"missing={self.missing!r}: what a missing query becomes is {choices}")


STANDARD: Final = Averaging()

Way = Literal["mean", "gmean", "sum"]
"""How the values of all queries become one: mean, geometric mean, or sum."""

_FLOOR: Final = 0.00001
"""what a value counts at least in a geometric mean, in which one 0 would make all the others void"""


def summary(values: Floats, ways: Sequence[Way]) -> Floats:
    """`[M]`: one number for each column of `[Q, M]`, added from the first query to the last, as trec_eval does.

    Geometric mean: the exponential of the mean of ln(max(value, 0.00001)).

    >>> summary(np.array([[0.5, 4.0, 1.0], [1.0, 1.0, 1.0]]), ["mean", "gmean", "sum"]).tolist()
    [0.75, 2.0, 2.0]
    """
    means = mean(additive(values, ways))
    return np.array([_back(value, way, len(values)) for value, way in zip(means.tolist(), ways, strict=True)])


def additive(values: Floats, ways: Sequence[Way]) -> Floats:
    """The same values, as logarithms in the columns of geometric means: what a mean may be taken of."""
    if "gmean" not in ways:
        return values
    columns = [
        [math.log(max(value, _FLOOR)) for value in column] if way == "gmean" else column
        for column, way in zip(values.T.tolist(), ways, strict=True)
    ]
    return np.array(columns, dtype=np.float64).reshape(values.T.shape).T


def back(means: Floats, ways: Sequence[Way]) -> Floats:
    """Means of `additive` values, or bounds of them, on the scale of the values; a sum has none."""
    return np.array(
        [math.nan if way == "sum" else _back(value, way, 1) for value, way in zip(means.tolist(), ways, strict=True)]
    )


def _back(value: float, way: Way, queries: int) -> float:
    if way == "gmean":
        return math.exp(value)
    return value * queries if way == "sum" else value


def mean(values: Floats) -> Floats:
    """`[M]`: the means of the columns of `[Q, M]`, added from the first query to the last, as trec_eval does.

    >>> mean(np.array([[0.5, 1.0], [1.0, 0.0]])).tolist()
    [0.75, 0.5]
    """
    if not values.shape[0]:
        return np.full(values.shape[1], np.nan)
    means: Floats = np.cumsum(values, axis=0)[-1] / values.shape[0]
    return means
