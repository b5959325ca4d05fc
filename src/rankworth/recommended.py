"""What all users of a run are shown, and the value of a measure of a whole run, with what each user adds to it.

Shapes: `N` rows of users and items, `U` users, `M` judgements.
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from rankworth.judged import Array

if TYPE_CHECKING:
    from rankworth.catalogue import Catalogue


class WholeValue(NamedTuple):
    """The value of a measure of a whole run."""

    value: float
    without: Array
    """`[U]`: the value without each user"""
    spread: float = 1.0
    """the standard error over that of the jackknife, where the jackknife is known to be too wide"""


@dataclass(frozen=True, eq=False, repr=False)
class Recommended:
    """The items that users are shown, within the cutoff, and those that are judged; arrays of NumPy.

    Attributes:
        user: `[N]`, the place of the user among those that count.
        item: `[N]`, the number in the catalogue, negative where it has none.
        rank: `[N]`, from 1.
        n_users: U.
        catalogue: what is known of items.
        judged_user: `[M]`, the user of each judgement.
        judged_item: `[M]`, its item.
        grade: `[M]`.

    """

    user: Array
    item: Array
    rank: Array
    n_users: int
    catalogue: "Catalogue | None"
    judged_user: Array
    judged_item: Array
    grade: Array

    def of(self, users: Array) -> "Recommended":
        """Return what some users are shown, `[U]`, numbered anew."""
        if users.all():
            return self
        number = users.cumsum() - 1  # [U]
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
