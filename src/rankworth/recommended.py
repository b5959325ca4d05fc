"""The items shown to all users of a run, the addition of each user to a measure of the whole run, and its value.

NumPy is imported inside, as lists of measures need no arrays. Shapes: `N` rows, `U` users, `C` columns, `M` judgements.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from rankworth.judged import Array

if TYPE_CHECKING:
    from rankworth.catalogue import Catalogue


@dataclass(frozen=True, eq=False, repr=False)
class Recommended:
    """The items shown to users within the cutoff, and the judged items; arrays of NumPy.

    Attributes:
        user: `[N]`, the place of the user among those of the run.
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

    def known(self) -> "Recommended":
        """Return the rows of items that the catalogue knows."""
        rows = self.item >= 0
        return self if rows.all() else replace(self, user=self.user[rows], item=self.item[rows], rank=self.rank[rows])


class UnseenItems(NamedTuple):
    """Estimates of the items shown to nobody from the number of shown items."""

    number: int
    """how many items of the catalogue nobody is shown"""
    at_risk: float
    """how many of the others would not be shown to another sample of users, at most"""
    unit: float
    """by how much the value is higher for each item that is shown"""


class WholeValue(NamedTuple):
    """The value of a measure of a whole run."""

    value: float
    without: Array
    """`[U]`: the value without each user"""
    spread: float = 1.0
    """the standard error over that of the jackknife, where the jackknife is known to be too wide"""
    unseen: UnseenItems | None = None
    """of a measure that counts the items that are shown"""


@dataclass(frozen=True, eq=False, repr=False)
class RunCounts:
    """Amounts by user and column, which are summed over users: a part of the users is measured as all of them are.

    Attributes:
        user: `[N]`, the place of the user among those of the run, ascending.
        column: `[N]`, what the amount counts for: an item of the catalogue, or a group of items.
        amount: `[N]`, such as how often the user is shown the item, or how much attention the group gets.
        n_users: U.
        n_columns: C; columns from C on are items that are shown and are not in the catalogue.

    """

    user: Array
    column: Array
    amount: Array
    n_users: int
    n_columns: int

    @cached_property
    def totals(self) -> Array:
        """`[C]`, or more: the sum of each column; the same to the last bit in whichever order users stand."""
        import numpy as np  # noqa: PLC0415 - as everywhere here

        order = slice(None) if (self.amount == 1).all() else np.lexsort((self.amount, self.column))
        return np.bincount(self.column[order], self.amount[order], minlength=self.n_columns)

    @cached_property
    def table(self) -> Array:
        """`[U, C]`: what each user adds to each column, where there are few columns."""
        import numpy as np  # noqa: PLC0415 - as everywhere here

        cells = np.bincount(self.user * self.n_columns + self.column, self.amount, self.n_users * self.n_columns)
        return cells.reshape(self.n_users, self.n_columns)

    def of(self, users: Array) -> "RunCounts":
        """Return what some users add, by whether they count, `[U]`."""
        return self if users.all() else self.take(users.nonzero()[0])

    def take(self, users: Array) -> "RunCounts":
        """Return the additions of users by their positions in another order, `[V]`; -1 is a user who adds nothing."""
        import numpy as np  # noqa: PLC0415 - as everywhere here

        from rankworth.arrays import expand  # noqa: PLC0415 - as above

        starts = np.searchsorted(self.user, np.arange(self.n_users + 1))  # [U + 1]: the rows of each user
        lengths = np.append(np.diff(starts), 0)[users]  # [V]
        rows = expand(starts[users], lengths)
        user = np.repeat(np.arange(users.size), lengths)
        return RunCounts(user, self.column[rows], self.amount[rows], users.size, self.n_columns)
