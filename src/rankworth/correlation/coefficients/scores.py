"""What every coefficient is given: two vectors of scores for the same items, and which items share a score."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankworth.errors import InputError

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Groups:
    """Items that share a score, as groups from the lowest score to the highest."""

    of: Ints
    """[n], the group of each item, from 0"""
    size: Ints
    """[g], how many items a group has"""

    @classmethod
    def by(cls, keys: Floats | Ints) -> Self:
        """Group items by what compares as equal.

        Args:
            keys: [n].

        >>> Groups.by(np.array([0.5, 0.1, 0.5])).of.tolist()
        [1, 0, 1]
        """
        order = np.argsort(keys)
        ordered = keys[order]
        steps = np.zeros(len(keys), dtype=np.intp)
        np.cumsum(ordered[1:] != ordered[:-1], out=steps[1:])
        of = np.empty_like(steps)
        of[order] = steps
        return cls(of, np.bincount(of))

    @property
    def tied(self) -> Ints:
        """[n], how many items share the score of each, itself included."""
        return self.size[self.of]

    @property
    def higher(self) -> Ints:
        """[n], how many items have a higher score."""
        return (len(self.of) - np.cumsum(self.size))[self.of]

    @property
    def any_tied(self) -> bool:
        """Whether two items share a score."""
        return len(self.size) < len(self.of)

    @property
    def tied_pairs(self) -> int:
        """How many pairs of items share a score."""
        return int((self.size * (self.size - 1) // 2).sum())


def paired(x: ArrayLike, y: ArrayLike) -> tuple[Floats, Floats]:
    """Check two vectors of scores; infinities are scores, as they have a place in an order.

    Args:
        x: [n].
        y: [n].

    Raises:
        InputError: `bad-score`, where a score is not a number.

    """
    first, second = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if first.ndim != 1 or first.shape != second.shape:
        raise ValueError(
            f"scores are two vectors of one length, these have the shapes {first.shape} and {second.shape}"
        )
    for name, scores in (("x", first), ("y", second)):
        wrong = np.isnan(scores)
        if wrong.any():
            raise InputError(
                "bad-score",
                f"the score {name}[{int(wrong.argmax())}] is not a number, so that its item has no rank",
                remedy="leave the item out on both sides, or give it a score",
            )
    return first, second
