"""What all users of a run are shown, and the value of a measure of a whole run, with what each user adds to it.

Shapes: `N` rows of users and items, `U` users, `M` judgements.
"""

from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankworth.arrays import Floats, Integers
from rankworth.catalogue import Catalogue

Attention = Literal["log", "dcg", "rbp", "even"]
"""How much attention a rank gets: 1/log2(rank + 1), 1/log2(rank) but at most 1, p^(rank - 1), or 1."""


class WholeValue(NamedTuple):
    """The value of a measure of a whole run."""

    value: float
    without: Floats
    """`[U]`: the value without each user"""
    spread: float = 1.0
    """the standard error over that of the jackknife, where the jackknife is known to be too wide"""


@dataclass(frozen=True, eq=False, repr=False)
class Recommended:
    """The items that users are shown, within the cutoff, and those that are judged.

    Attributes:
        user: `[N]`, the place of the user among those that count.
        item: `[N]`, the number in the catalogue, -1 where it is not there.
        rank: `[N]`, from 1.
        n_users: U.
        catalogue: what is known of items.
        judged_user: `[M]`, the user of each judgement.
        judged_item: `[M]`, its item.
        grade: `[M]`.

    """

    user: Integers
    item: Integers
    rank: Floats
    n_users: int
    catalogue: Catalogue | None
    judged_user: Integers
    judged_item: Integers
    grade: Floats

    def of(self, users: NDArray[np.bool_]) -> "Recommended":
        """Return what some users are shown, `[U]`, numbered anew."""
        if users.all():
            return self
        number = np.cumsum(users) - 1  # [U]
        rows, judged = users[self.user], users[self.judged_user]
        return replace(
            self,
            user=number[self.user[rows]],
            item=self.item[rows],
            rank=self.rank[rows],
            n_users=int(users.sum()),
            judged_user=number[self.judged_user[judged]],
            judged_item=self.judged_item[judged],
            grade=self.grade[judged],
        )

    def known(self) -> "Recommended":
        """Return the rows of items that the catalogue knows."""
        rows = self.item >= 0
        return self if rows.all() else replace(self, user=self.user[rows], item=self.item[rows], rank=self.rank[rows])


def attention_of(rank: Any, attention: Attention, p: float) -> Floats:  # noqa: ANN401 - an array
    """Return how much attention ranks get, in any shape."""
    rank = np.asarray(rank, dtype=np.float64)
    if attention == "even":
        return np.ones_like(rank)
    if attention == "rbp":
        return np.asarray(p ** (rank - 1))
    return np.asarray(1 / np.log2(rank + 1 if attention == "log" else np.maximum(rank, 2)))
