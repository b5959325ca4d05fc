"""Who stands above whom in both of two vectors of scores: groups of ties, and exact counts of pairs in O(n log n)."""

from dataclasses import dataclass
from typing import Final, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankworth.errors import InputError

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
BLOCK: Final = 64
"""So many items are compared each with each; a power of two whose counts fit into 8 bits."""
_EARLIER: Final = np.triu(np.ones((BLOCK, BLOCK), dtype=np.bool_), 1)


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


@dataclass(frozen=True)
class Pairs:
    """What the pairs of n items are, in two rankings."""

    n: int
    """items"""
    concordant: int
    """pairs that both rankings put in the same order"""
    tied_x: int
    """pairs that share a score in x"""
    tied_y: int
    """pairs that share a score in y"""
    tied_both: int
    """pairs that share a score in x and in y"""
    fewest_groups: int
    """how many different scores x has or y has, whichever is less"""

    @classmethod
    def of(cls, x: ArrayLike, y: ArrayLike) -> Self:
        """Count.

        Args:
            x: [n].
            y: [n].

        Raises:
            InputError: `bad-score`, where a score is not a number.

        >>> found = Pairs.of([3, 2, 1, 1], [3, 1, 2, 2])
        >>> found.all, found.concordant, found.discordant, found.tied_both
        (6, 3, 2, 1)
        """
        first, second = (Groups.by(scores) for scores in paired(x, y))
        n = len(first.of)
        return cls(
            n=n,
            concordant=int(above(first, second).sum()),
            tied_x=first.tied_pairs,
            tied_y=second.tied_pairs,
            tied_both=Groups.by(first.of * n + second.of).tied_pairs,
            fewest_groups=min(len(first.size), len(second.size)),
        )

    @property
    def all(self) -> int:
        """All pairs."""
        return self.n * (self.n - 1) // 2

    @property
    def discordant(self) -> int:
        """Pairs that the rankings put in opposite orders."""
        return self.all - self.tied_x - self.tied_y + self.tied_both - self.concordant

    @property
    def balance(self) -> int:
        """Concordant minus discordant pairs."""
        return self.concordant - self.discordant


def above(x: Groups, y: Groups) -> Ints:
    """[n], how many items stand above each in x and in y; who is tied with it in either does not.

    Items are gone through in the order of x. Among those gone through, the ones with a higher place in y are counted
    bit by bit of the places: where two places differ first in a bit, the one that has it is higher. Within blocks of
    places that only the last bits tell apart, each is compared with each.

    Args:
        x: [n] items.
        y: the same items.

    >>> above(Groups.by(np.array([3.0, 2.0, 1.0])), Groups.by(np.array([2.0, 3.0, 1.0]))).tolist()
    [0, 0, 2]
    """
    n = len(x.of)
    if not n:
        return np.zeros(0, dtype=np.intp)
    order = np.argsort(y.of - x.of * n)  # the best of x first; among its ties the worst of y, which is above none
    padded = -(-n // BLOCK) * BLOCK
    index = np.arange(padded)
    place = index.copy()
    place[np.argsort(y.of[order], kind="stable")] = index[:n]  # ties in y: who comes later is no lower
    found = np.zeros(padded, dtype=np.intp)
    here, bit = place, 1 << (padded - 1).bit_length() - 1
    while bit >= BLOCK:
        upper = (here & bit) != 0
        higher = np.cumsum(upper) - upper
        start = here & (-2 * bit)  # places that share the bits before this one stand together from here on
        higher -= higher[start]
        found[here] += higher * ~upper
        parted = np.empty_like(here)
        parted[np.where(upper, start + bit + higher, index - higher)] = here
        here, bit = parted, bit >> 1
    blocks = (here % BLOCK).astype(np.int8).reshape(-1, BLOCK)
    within = blocks[:, :, None] > blocks[:, None, :]
    within &= _EARLIER
    found[here] += within.view(np.int8).sum(axis=1, dtype=np.int8).ravel()
    result = np.empty(n, dtype=np.intp)
    result[order] = found[place[:n]]
    return result


def balances(x: Groups, y: Groups) -> Ints:
    """[n], for each item how many others stand to it as in the other ranking, minus how many the other way round.

    Args:
        x: [n] items.
        y: the same items.

    >>> balances(Groups.by(np.array([3.0, 2.0, 1.0])), Groups.by(np.array([2.0, 3.0, 1.0]))).tolist()
    [0, 0, 2]
    """
    n = len(x.of)
    by_x, by_y = Groups.by(x.of * n + y.of), Groups.by(y.of * n + x.of)
    untied = n - x.tied - y.tied + by_x.tied
    discordant = 2 * (x.higher + y.higher - above(x, y)) - by_x.higher - by_y.higher
    return untied - 2 * discordant
