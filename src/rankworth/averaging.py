"""Over which queries a mean is taken, and what stands in for a value that is missing or undefined."""

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
        missing: a judged query for which the run has nothing counts 0 (`zero`, as `-c` in trec_eval), or is left out of
            the mean (`skip`).
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


def mean(values: Floats) -> Floats:
    """`[M]`: the means of the columns of `[Q, M]`, added from the first query to the last, as trec_eval does.

    >>> mean(np.array([[0.5, 1.0], [1.0, 0.0]])).tolist()
    [0.75, 0.5]
    """
    if not values.shape[0]:
        return np.full(values.shape[1], np.nan)
    means: Floats = np.cumsum(values, axis=0)[-1] / values.shape[0]
    return means
