"""What is known of items beside judgements: who had which item before, what items are like, what users expect.

Shapes: `I` items, `P` pairs of a user and an item.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import repeat
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from rankworth.arrays import Floats, Integers, expand
from rankworth.errors import MeasureError, quoted
from rankworth.item_options import SOUGHT, Distance, Source

if TYPE_CHECKING:
    from scipy import sparse

_MOST: Final = 1 << 27
"""how many pairs of items that one user had are multiplied at most to keep all cosines"""
_ROWS: Final = 1 << 16
"""how many items are compared with histories at a time"""
HISTORY: Final = "history"
"""what stands for the users of items in place of a column"""
_DISTANCES: Final[Mapping[str, tuple[Distance, ...]]] = {
    "vector": ("cosine", "euclidean"),
    "set": ("jaccard",),
    "category": ("hamming",),
}
"""the distances of each kind of column, the usual one first"""
_GIVEN: Final[Mapping[str, str]] = {
    "history": "--history FILE (history=: a path, a frame, {user: [item, ...]})",
    "items": "--items FILE (items=: a path, a frame, {item: {column: value}})",
    "expected_run": "--expected-run FILE (expected_run=: the run of a simple recommender)",
    "forbidden": "--forbidden FILE (forbidden=: a path, a frame, {query: [document, ...]})",
    "spans": "judgements with columns source, start and end, in Python {query: [(source, start, end), ...]}\n"
    f"or texts, and the sources in which they stand: {SOUGHT}",
}


@dataclass(frozen=True, eq=False, repr=False)
class ItemColumn:
    """A column of the table of items.

    Attributes:
        kind: whether each item has a `category`, a `set` of these, or a `vector`.
        names: the categories, in the order of their UTF-8 bytes; empty of vectors.
        values: of categories `[I]`, the number of each, -1 where there is none; of vectors `[I, D]`, NaN where there is
            none; of sets a sparse matrix `[I, C]` of 0 and 1.
        vector: of sets that are lists of whole numbers, all of one length, the same cells as vectors.
        repeats: whether such a list has a number twice, as no set of categories has.

    """

    kind: Literal["category", "set", "vector"]
    names: tuple[str, ...]
    values: Any
    vector: "ItemColumn | None" = None
    repeats: bool = False

    @property
    def distances(self) -> tuple[Distance, ...]:
        """The distances that fit the column, the usual one first."""
        return (*_DISTANCES[self.kind], *(() if self.vector is None else self.vector.distances))

    @cached_property
    def tells_items_apart(self) -> bool:
        """Whether no two items have the same category, as in a column of titles."""
        numbers = self.values[self.known] if self.kind == "category" else []
        return len(numbers) > 1 and len(numbers) == len(self.names)

    @cached_property
    def known(self) -> NDArray[np.bool_]:
        """`[I]`: whether the item has a value."""
        if self.kind == "category":
            return np.asarray(self.values >= 0)
        if self.kind == "vector":
            return np.asarray(~np.isnan(self.values).any(axis=1))
        return np.asarray(np.diff(self.values.indptr) > 0)

    @cached_property
    def shares(self) -> Floats:
        """`[I, G]`: how much of an item belongs to each group: a set belongs to its categories in equal parts."""
        if self.kind == "category":
            shares = np.zeros((self.values.size, len(self.names)))
            shares[np.flatnonzero(self.known), self.values[self.known]] = 1.0
            return shares
        counts = np.maximum(np.diff(self.values.indptr), 1)  # [I]
        return np.asarray(self.values.todense() / counts[:, None])


Fits = Callable[[ItemColumn], bool]
"""Tells whether a measure can use a column."""


@dataclass(frozen=True, eq=False, repr=False)
class Pairs:
    """Pairs of users and items, each once.

    Attributes:
        keys: `[P]`, ascending: the number of the user times the number of items, plus that of the item.

    """

    keys: Integers

    def find(self, keys: Integers) -> tuple[Integers, NDArray[np.bool_]]:
        """Return where keys of any shape stand, and whether they are there."""
        if not self.keys.size:
            return np.zeros_like(keys), np.zeros(keys.shape, dtype=bool)
        index = np.minimum(np.searchsorted(self.keys, keys), self.keys.size - 1)
        return index, self.keys[index] == keys


@dataclass(frozen=True, eq=False, repr=False)
class ExpectedLists(Pairs):
    """The lists of the expected run.

    Attributes:
        first: `[P]`, the first rank at which the item may stand in the list of the user.
        last: `[P]`, the last one; that of the first where ties are broken.

    """

    first: Integers
    last: Integers

    def within(self, keys: Integers, cutoff: Floats) -> Floats:
        """Return how much of each pair is among the first items of its list: a part where a tie reaches beyond them.

        Args:
            keys: of the pairs, in any shape.
            cutoff: how many items are the first ones, of a shape that fits.

        """
        index, is_there = self.find(keys)
        if not self.keys.size:
            return np.zeros(keys.shape)
        first, last = self.first[index], self.last[index]
        return np.where(is_there, np.clip((cutoff - first + 1) / (last - first + 1), 0.0, 1.0), 0.0)


@dataclass(frozen=True, eq=False, repr=False)
class Catalogue:
    """Items and users by number, and their data; a negative number stands for a missing item or user.

    Attributes:
        items: `[I]`, the ids, in the order of their UTF-8 bytes.
        users: the number of each user.
        sources: what was given.
        in_history: `[I]`, whether somebody had the item.
        in_table: `[I]`, whether the table of items has it.
        in_expected: `[I]`, whether the expected run has it.
        has_expected: `[U]`, whether the expected run has a list for the user.
        n_users: how many users have a history.
        item_users: `[I]`, how many users had the item.
        interactions: `[I]`, how often users had it.
        seen: which user had which item.
        forbidden: which item must not be shown to which user.
        columns: those of the table of items, by name.
        called: what messages call the table of items.
        expected: the lists of the expected run, as settings rank them; None where no measure needs them.

    """

    items: Sequence[str]
    users: Mapping[str, int]
    sources: frozenset[Source]
    in_history: NDArray[np.bool_]
    in_table: NDArray[np.bool_]
    in_expected: NDArray[np.bool_]
    has_expected: NDArray[np.bool_]
    n_users: int
    item_users: Integers
    interactions: Integers
    seen: Pairs
    forbidden: Pairs
    columns: Mapping[str, ItemColumn]
    called: str = "the table of items"
    expected: ExpectedLists | None = None

    @cached_property
    def enumeration(self) -> Any:  # noqa: ANN401 - a type of Polars
        """The items as a type of categories, made once for all parts of a run."""
        import polars as pl  # noqa: PLC0415 - not needed for dicts

        return pl.Enum(self.items)

    @cached_property
    def numbers(self) -> Mapping[str, int]:
        """The number of each item."""
        return {item: number for number, item in enumerate(self.items)}

    def users_of(self, queries: Iterable[str]) -> Integers:
        """Return the number of the user of each query, or -1."""
        number_of, none = self.users.get, repeat(-1)
        return np.fromiter(map(number_of, queries, none), np.int64)

    def keys(self, user: Integers, item: Integers) -> Integers:
        """Return a number for each pair of a user and an item; -1 where one of them is not known."""
        return np.where((user < 0) | (item < 0), -1, user * len(self.items) + item)

    @cached_property
    def matrix(self) -> "sparse.csr_array":
        """`[I, U]`: whether the user had the item, rows of length 1 or empty."""
        from scipy import sparse  # noqa: PLC0415 - rarely needed

        user, item = np.divmod(self.seen.keys, max(1, len(self.items)))  # [P] each
        lengths = np.sqrt(np.maximum(self.item_users, 1))  # [I]
        size = (len(self.items), max(1, len(self.users)))
        return sparse.csr_array((1 / lengths[item], (item, user)), shape=size)

    @cached_property
    def cosines(self) -> "sparse.csr_array | None":
        """`[I, I]`: the cosines of items by their users; None where there are too many to be kept."""
        if int((self.lengths**2).sum()) > _MOST:
            return None
        products: sparse.csr_array = self.matrix @ self.matrix.T
        products.sort_indices()
        return products

    @cached_property
    def popularity_rank(self) -> Floats:
        """`[I]`: the place of the item by the number of its interactions, from 1; equal ones share it."""
        rank = np.unique(-self.interactions, return_inverse=True)[1].reshape(-1)
        return np.asarray(rank + 1, dtype=np.float64)

    def quantiles(self, counts: Integers) -> Floats:
        """Return the mean place of each item by a count, from the least popular, over the number of items; 0 of others.

        Args:
            counts: `[I]`.

        """
        ascending = np.sort(counts[counts > 0])
        first, last = (np.searchsorted(ascending, counts, side) for side in ("left", "right"))
        return np.where(counts > 0, (first + 1 + last) / 2 / max(1, ascending.size), 0.0)

    @cached_property
    def lengths(self) -> Integers:
        """How many different items each user had."""
        return np.bincount(self.seen.keys // max(1, len(self.items)), minlength=max(1, len(self.users)))

    def column(self, name: str, measure: str, parameter: str, fits: Fits = lambda _: True) -> tuple[str, ItemColumn]:
        """Return the named column of the table of items and its name; without a name, the only one that fits.

        Args:
            name: of the column; may be empty.
            measure: what messages call the measure.
            parameter: which of its parameters names the column.
            fits: tells whether the measure can use a column; all of them where not said.

        Raises:
            MeasureError: `missing-input`, where there is no table; `bad-parameter`, where it has no such column.

        """
        require(self, "items", measure)
        if not name:
            fitting = [each for each, column in self.columns.items() if fits(column)]
            shared = [each for each in fitting if not self.columns[each].tells_items_apart] or fitting
            name = shared[0] if len(shared) == 1 else name
        if name not in self.columns:
            has = f"{self.called}: the columns are {quoted(self.columns, 8)}" if self.columns else "it has ids only"
            text = f"{measure}: {parameter}={name}: {has}" if name else f"{measure}: which column of items? {has}"
            example = next(iter(self.columns), "COLUMN")
            raise MeasureError("bad-parameter", text, remedy=f"write {measure}({parameter}={example})")
        return name, self.columns[name]

    def distances(self, item: Integers, column: str, distance: Distance, measure: str) -> Floats:
        """Return `[Q, H, H]`, how far items of a list are apart; NaN where one of them is not known.

        Args:
            item: `[Q, H]`.
            column: of the table of items; `history` for the cosine of their users.
            distance: how far two items are apart.
            measure: what messages call the measure.

        Raises:
            MeasureError: `missing-input`, `bad-parameter`.

        """
        index = np.maximum(item, 0)
        if column == HISTORY:
            require(self, "history", measure)
            apart = 1 - (self._similar(self.matrix, index) if self.cosines is None else self._looked_up(index))
            known = (item >= 0) & self.in_history[index]
        else:
            name, values = self.column(column, measure, "of", lambda each: not distance or distance in each.distances)
            if values.repeats and not distance:
                ways = " or ".join(f"distance={each}" for each in values.distances)
                text = f"{measure}: {name} holds lists of whole numbers, and some have a number twice: "
                raise MeasureError("bad-parameter", f"{text}are they categories, or vectors?", remedy=f"write {ways}")
            chosen = distance or values.distances[0]
            if chosen not in values.distances:
                text = f"{measure}(distance={chosen}): {name} holds a {values.kind} of each item"
                raise MeasureError("bad-parameter", text, remedy=f"write distance={values.distances[0]}")
            if values.vector is not None and chosen in values.vector.distances:
                values = values.vector
            apart = self._apart(values, index, chosen)
            known = (item >= 0) & values.known[index]
        apart[~(known[:, :, None] & known[:, None, :])] = np.nan
        return apart

    def _apart(self, column: ItemColumn, item: Integers, distance: Distance) -> Floats:
        """Return `[Q, H, H]`, the distances by a column."""
        if distance == "hamming":
            codes = column.values[item]  # [Q, H]
            return np.asarray(codes[:, :, None] != codes[:, None, :], dtype=np.float64)
        if distance == "jaccard":
            common = self._similar(column.values, item)  # [Q, H, H]
            sizes = np.diff(column.values.indptr)[item]  # [Q, H]
            joined = sizes[:, :, None] + sizes[:, None, :] - common
            return np.asarray(1 - common / np.maximum(joined, 1))
        vectors = column.values[item]  # [Q, H, D]
        if distance == "euclidean":
            return np.asarray(np.sqrt(((vectors[:, :, None] - vectors[:, None]) ** 2).sum(axis=3)))
        length = np.linalg.norm(vectors, axis=2, keepdims=True)
        vectors = vectors / np.where(length == 0, 1.0, length)
        return np.asarray(1 - vectors @ np.swapaxes(vectors, 1, 2))

    def _looked_up(self, item: Integers) -> Floats:
        """Return `[Q, H, H]`, the cosines of the items of lists."""
        queries, height = item.shape
        left, right = np.repeat(item, height, axis=1), np.tile(item, (1, height))  # [Q, H * H] each
        return np.asarray(self.cosines[left.ravel(), right.ravel()]).reshape(queries, height, height)  # type: ignore[index]

    def like_history(self, user: Integers, item: Integers) -> Floats:
        """Return `[N]`, the mean cosine of each item with the items of the user's history; 0 without a history.

        Args:
            user: `[N]`, negative where the user is not known.
            item: `[N]`, negative where the item is not known.

        """
        similar = np.zeros(item.size)
        size = len(self.items)
        ends = np.concatenate(([0], np.cumsum(self.lengths)))  # [U + 1]
        for start in range(0, item.size, _ROWS):
            rows = start + np.flatnonzero((user[start : start + _ROWS] >= 0) & (item[start : start + _ROWS] >= 0))
            lengths = self.lengths[user[rows]]
            had = self.seen.keys[expand(ends[user[rows]], lengths)] % max(1, size)  # the items of each user, in a line
            items = np.repeat(item[rows], lengths)
            if self.cosines is None:
                cosines = np.asarray(self.matrix[items].multiply(self.matrix[had]).sum(axis=1)).ravel()
            else:
                cosines = np.asarray(self.cosines[items, had]).ravel()
            added = np.bincount(np.repeat(np.arange(rows.size), lengths), weights=cosines, minlength=rows.size)
            similar[rows] = added / np.maximum(lengths, 1)
        return similar

    @staticmethod
    def _similar(matrix: Any, item: Integers) -> Floats:  # noqa: ANN401 - a sparse matrix
        """Return `[Q, H, H]`, the products of the rows of a sparse matrix."""
        queries, height = item.shape
        products = np.zeros((queries, height, height))
        upper, lower = np.triu_indices(height)  # [T] each
        if matrix.shape[0] and upper.size:
            left, right = (item[:, column].ravel() for column in (upper, lower))
            product = np.asarray(matrix[left].multiply(matrix[right]).sum(axis=1)).reshape(queries, -1)
            products[:, upper, lower] = products[:, lower, upper] = product
        return products


def require(catalogue: Catalogue | None, source: Source, measure: str) -> Catalogue:
    """Return the catalogue, once it is known to hold what a measure needs.

    Raises:
        MeasureError: `missing-input`.

    """
    if catalogue is None or source not in catalogue.sources:
        raise missing(source, measure)
    return catalogue


def missing(source: Source, measure: str) -> MeasureError:
    """Build the error of a measure that lacks data."""
    return MeasureError("missing-input", f"{measure} needs {source}", remedy=f"give {_GIVEN[source]}")
