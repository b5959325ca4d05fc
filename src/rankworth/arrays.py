"""Types of flat arrays, and the positions of several ranges."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def expand(starts: Integers, lengths: Integers) -> Integers:
    """All places of several ranges, one after the other.

    >>> expand(np.array([10, 20]), np.array([2, 3])).tolist()
    [10, 11, 20, 21, 22]
    """
    ends = np.cumsum(lengths)
    places: Integers = np.arange(ends[-1] if ends.size else 0) + np.repeat(starts - (ends - lengths), lengths)
    return places
