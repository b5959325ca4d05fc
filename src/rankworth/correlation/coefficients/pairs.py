"""Who stands above whom in both of two rankings: counts of pairs, exact, in O(n log n)."""

from dataclasses import dataclass
from typing import Final, Self

import numpy as np
from numpy.typing import ArrayLike

from rankworth.correlation.coefficients.scores import Groups, Ints, paired

BLOCK: Final = 64
"""So many items are compared each with each; a power of two whose counts fit into 8 bits."""
_EARLIER: Final = np.triu(np.ones((BLOCK, BLOCK), dtype=np.bool_), 1)


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
