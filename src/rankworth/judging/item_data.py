"""Data about users and items that a call gives: a history, a table of items, and the run that users expect."""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence, Sized
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, ClassVar, Final, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from rankworth.arrays import Integers
from rankworth.catalogue import Catalogue, ExpectedLists, ItemColumn, Pairs
from rankworth.errors import InputError
from rankworth.hashes import digest_of_rows, hashed
from rankworth.io.id_rules import IdRule
from rankworth.io.usual_names import NONE
from rankworth.item_options import Source
from rankworth.judging.exclusion import as_pairs
from rankworth.judging.judged_run import JudgedRows
from rankworth.model import Run

_SEPARATOR: Final = "|"
"""what stands between the categories of an item in a cell of text"""


@dataclass(frozen=True, eq=False, repr=False)
class _CallData(ABC):
    """Data of a call; equal where the labels are.

    Attributes:
        said: the label, where it is known; computed of the rows otherwise, once it is asked for.
        rows: the data; None where only the label is known.
        whole: the data that have this label, where it was not computed yet.

    """

    said: str = ""
    rows: Any = None
    whole: Self | None = None

    @cached_property
    def label(self) -> str:
        """How much it is, and the first digits of a SHA-256 over it, as the signature says."""
        return self.said or (self._label_of_rows() if self.whole is None else self.whole.label)

    @abstractmethod
    def _label_of_rows(self) -> str:
        """Compute the label."""

    def __str__(self) -> str:
        """Return the label."""
        return self.label

    def __repr__(self) -> str:
        """Show the label."""
        return f"{type(self).__name__}(label={self.label!r})"

    def __eq__(self, other: object) -> bool:
        """Return whether the labels are equal."""
        return self is other or (
            isinstance(other, _CallData) and type(self) is type(other) and self.label == other.label
        )

    def __hash__(self) -> int:
        """Return a number that equal data share; there are few in a call."""
        return hash(type(self))

    @property
    def bare(self) -> Self:
        """A copy without the data, for signatures; its label is computed once it is asked for."""
        if self.rows is None:
            return self
        return type(self)(self.label) if "label" in vars(self) else type(self)(whole=self)

    def __reduce__(self) -> tuple[Any, ...]:
        """Return what is pickled: the label, and the data where they are here."""
        return type(self), (self.label, self.rows)


@dataclass(frozen=True, eq=False, repr=False)
class _UserItems(_CallData):
    """Pairs of a user and an item: a frame of `query, document, times`, where a pair may have several rows."""

    argument: ClassVar[str]
    """the argument that they are given as"""

    @cached_property
    def users(self) -> frozenset[str]:
        """The users who have a pair."""
        return frozenset() if self.rows is None else frozenset(self.users_by_number.ids.to_list())

    @classmethod
    def of(cls, source: object, columns: Mapping[str, str] = NONE, ids: IdRule | None = None) -> Self:
        """Read pairs.

        Args:
            source: a path, in any format of judgements or runs, with or without numbers, or with two words in each
                line; a dict `{user: [item, ...]}`; a frame with columns such as `user, item`; pairs; a sparse matrix.
            columns: which column holds the users (`query`) and the items (`document`), where names do not tell.
            ids: how items are renamed.

        Raises:
            InputError: where it cannot be read.

        """
        if isinstance(source, cls):
            return source
        import polars as pl  # noqa: PLC0415 - not needed for dicts

        from rankworth.io import excluded_pairs  # noqa: PLC0415 - rarely needed

        source = as_pairs(source)
        if isinstance(source, Mapping):  # a user may have no history
            source = {user: items for user, items in source.items() if not isinstance(items, Sized) or len(items)}
        rows = excluded_pairs.read(source, columns, cls.argument)
        if not isinstance(rows, pl.DataFrame):
            pairs = [(str(user), str(item)) for user, items in rows.items() for item in items]
            rows = pl.DataFrame(pairs, schema=["query", "document"], orient="row")
        counted = pl.col("times") if "times" in rows.columns else pl.lit(1, pl.Int64).alias("times")
        rows = rows.select(pl.col("query", "document").cast(pl.String), counted)
        rows = rows if ids is None else rows.with_columns(ids.renamed(rows["document"], f"the {cls.argument}"))
        return cls(rows=rows)

    def _label_of_rows(self) -> str:
        columns, times = [self.users_by_number, self.items_by_number], self.rows["times"].to_numpy()
        digest = digest_of_rows([column.hashes for column in columns], times.astype(np.uint64))
        return f"{int(times.sum())}-{digest}"

    @cached_property
    def users_by_number(self) -> "NumberedIds":
        """The users, and which of them each row is about."""
        return NumberedIds.of(self.rows["query"])

    @cached_property
    def items_by_number(self) -> "NumberedIds":
        """The items, and which of them each row is about."""
        return NumberedIds.of(self.rows["document"])


@dataclass(frozen=True, eq=False, repr=False)
class History(_UserItems):
    """Which user had which item before."""

    argument = "history"

    @property
    def interactions(self) -> dict[str, int]:
        """How often users had each item."""
        totals: dict[str, int] = {}
        for item, times in () if self.rows is None else self.rows.select("document", "times").iter_rows():
            totals[item] = totals.get(item, 0) + times
        return totals


@dataclass(frozen=True, eq=False, repr=False)
class Forbidden(_UserItems):
    """Which document must not appear for which query; the values of a file of judgements mean nothing here."""

    argument = "forbidden"


@dataclass(frozen=True, eq=False, repr=False)
class Items(_CallData):
    """A table of items: `{item: {column: value}}`, and what it is called."""

    @classmethod
    def of(cls, source: object, columns: Mapping[str, str] = NONE, ids: IdRule | None = None) -> "Items":
        """Read a table of items.

        Args:
            source: a path, a frame, rows with names, or a dict `{item: {column: value}}`, with a column of items and
                others: categories, several with `|` between them or as a list, numbers in a list for a vector.
            columns: which column holds the items (`document`), where no name tells.
            ids: how items are renamed.

        Raises:
            InputError: where it cannot be read; `input-type` where an item appears twice and not alike.

        """
        if isinstance(source, cls):
            return source
        from rankworth.io import item_table  # noqa: PLC0415 - rarely needed

        rows, name = item_table.read(source, columns=columns, ids=ids)
        return cls(rows=(rows, name))

    def _label_of_rows(self) -> str:
        rows, _ = self.rows
        lines = ["\t".join((item, *(f"{key}={cells[key]}" for key in sorted(cells)))) for item, cells in rows.items()]
        return f"{len(rows)}-{digest_of_rows([hashed(lines)])}"


@dataclass(frozen=True, eq=False, repr=False)
class ExpectedRun(_CallData):
    """What users expect to see: the run of a simple recommender, ranked by the settings of the run that is measured.

    Its rows are a frame of `query, document, score`, and `rank` where there is one; of lists a dict.
    """

    @classmethod
    def of(cls, source: object, columns: Mapping[str, str] = NONE, ids: IdRule | None = None) -> "ExpectedRun":
        """Read a run.

        Args:
            source: whatever `rankworth.Run` reads.
            columns: which column holds what, where names do not tell.
            ids: how items are renamed.

        Raises:
            InputError: where it cannot be read.

        """
        if isinstance(source, cls):
            return source
        run = source if isinstance(source, Run) else Run(source, "expected_run", columns=dict(columns))
        run = run.with_ids(ids).held()
        rows = run.to_frame()
        if run.lists is not None:
            lists = rows.group_by("query", maintain_order=True).agg("document")
            rows = dict(lists.iter_rows())
        return cls(rows=rows)

    def _label_of_rows(self) -> str:
        ranked = ranked_rows(self.run)
        ids = [NumberedIds.of(ranked[name]).hashes for name in ("query", "document")]
        return f"{ranked.height}-{digest_of_rows([*ids, ranked['first'].to_numpy().astype(np.uint64)])}"

    @property
    def run(self) -> Run:
        """The run."""
        return Run(self.rows, "expected_run")


def ranked_rows(run: Run) -> Any:  # noqa: ANN401 - a Polars frame
    """Return `query, document, first, rank`: the first rank of a group of equal scores, and that by descending id."""
    import polars as pl  # noqa: PLC0415 - not needed for dicts

    frame = pl.concat([part.select("query", "document", "score") for part in run.batches()])
    frame = frame.with_columns(pl.col("query", "document").cast(pl.String))
    frame = frame.sort("query", "score", "document", descending=[False, True, True])
    first = pl.col("score").rank("min", descending=True).over("query").cast(pl.Int64).alias("first")
    return frame.select("query", "document", first, pl.col("score").cum_count().over("query").alias("rank"))


class NumberedIds(NamedTuple):
    """A column of ids: the different ones, a Polars series, and the number of that of each row, `[P]`."""

    ids: Any
    number: Integers

    @classmethod
    def of(cls, column: Any) -> "NumberedIds":  # noqa: ANN401 - a Polars series
        """Number the ids of a column."""
        ids = column.unique()
        return cls(ids, _numbers(column, ids))

    @property
    def hashes(self) -> NDArray[np.uint64]:
        """`[P]`: a hash of each, computed once for equal ids."""
        return hashed(self.ids.to_list())[self.number]


def _numbers(column: Any, ids: Any) -> Integers:  # noqa: ANN401 - Polars series
    """Return the place of each text among different ones that hold it."""
    import polars as pl  # noqa: PLC0415 - not needed for dicts

    return np.asarray(column.cast(pl.Enum(ids)).to_physical().to_numpy(), dtype=np.int64)


def expected_lists(expected: JudgedRows) -> ExpectedLists:
    """Return the lists of an expected run that was judged with a catalogue, as settings rank them."""
    if expected.catalogue is None or expected.user is None or expected.item is None:
        return ExpectedLists(*[np.zeros(0, dtype=np.int64)] * 3)
    keys = expected.catalogue.keys(expected.user[expected.query], expected.item)  # [P]
    order = np.argsort(keys)
    spans = (expected.tie_first, expected.tie_last) if expected.ties == "expected" else (expected.rank,) * 2
    return ExpectedLists(keys[order], *(ranks[order] for ranks in spans))


def catalogue_of(
    history: History | None,
    items: Items | None,
    expected_run: ExpectedRun | None,
    forbidden: Forbidden | None = None,
) -> Catalogue | None:
    """Number items and users, and count as measures need; None without a catalogue."""
    sources = history, items, expected_run, forbidden
    readable = tuple(data for data in sources if data is not None and data.rows is not None)
    return _made(tuple(map(id, readable)), *sources) if readable else None


@lru_cache(maxsize=4)
def _made(
    _: tuple[int, ...],
    history: History | None,
    items: Items | None,
    expected_run: ExpectedRun | None,
    forbidden: Forbidden | None,
) -> Catalogue:
    """Make a catalogue, which is kept for the runs of a call."""
    import polars as pl  # noqa: PLC0415 - not needed for dicts

    none = NumberedIds.of(pl.Series([], dtype=pl.String))
    had = (none, none) if history is None else (history.users_by_number, history.items_by_number)
    never = (none, none) if forbidden is None else (forbidden.users_by_number, forbidden.items_by_number)
    expected = (none, none)
    if expected_run is not None:
        ranked = ranked_rows(expected_run.run)
        expected = (NumberedIds.of(ranked["query"]), NumberedIds.of(ranked["document"]))
    rows, name = ({}, "the table of items") if items is None else items.rows
    of_table = pl.Series(list(rows), dtype=pl.String)
    users_in_order, items_in_order = (
        pl.concat([column.ids.alias("") for column in columns]).unique().sort()
        for columns in (
            (had[0], expected[0], never[0]),
            (had[1], expected[1], never[1], none._replace(ids=of_table)),
        )
    )
    in_order, size = items_in_order.to_list(), len(items_in_order)
    users = {user: number for number, user in enumerate(users_in_order.to_list())}
    # [P] each: the numbers of user and item in each row of the history, of the expected run, and of what is forbidden
    (user, item), (of_users, of_items), (never_user, never_item) = (
        (_numbers(of[0].ids, users_in_order)[of[0].number], _numbers(of[1].ids, items_in_order)[of[1].number])
        for of in (had, expected, never)
    )
    seen = np.unique(user * size + item)
    times = np.ones(item.size) if history is None else history.rows["times"].to_numpy()
    interactions = np.bincount(item, times, minlength=size).astype(np.int64)
    sources: list[tuple[Source, Any]] = [("history", history), ("items", items), ("expected_run", expected_run)]
    sources.append(("forbidden", forbidden))
    return Catalogue(
        items=in_order,
        users=users,
        sources=frozenset(source for source, data in sources if data is not None),
        in_history=interactions > 0,
        in_table=np.bincount(_numbers(of_table, items_in_order), minlength=size) > 0,
        in_expected=np.bincount(of_items, minlength=size) > 0,
        has_expected=np.bincount(of_users, minlength=max(1, len(users))) > 0,
        n_users=len(had[0].ids),
        item_users=np.bincount(seen % max(1, size), minlength=size),
        interactions=interactions,
        seen=Pairs(seen),
        forbidden=Pairs(np.unique(never_user * size + never_item)),
        columns=_columns(rows, in_order, name),
        called=name,
    )


def _columns(rows: Mapping[str, Mapping[str, Any]], items: Sequence[str], name: str) -> dict[str, ItemColumn]:
    """Read the columns of a table: vectors, sets of categories, or categories; lists of whole numbers are sets.

    Raises:
        InputError: `input-type`, where vectors differ in their length, or hold what is no number.

    """
    names = dict.fromkeys(column for cells in rows.values() for column in cells)
    return {
        column: _column([rows.get(item, {}).get(column) for item in items], f"{name}: column {column}")
        for column in names
    }


def _column(cells: list[Any], called: str) -> ItemColumn:
    """Read a column.

    Args:
        cells: `[I]`, None where there is nothing.
        called: what messages call it.

    Raises:
        InputError: `input-type`.

    """
    cells = [cell.tolist() if isinstance(cell, np.ndarray) else cell for cell in cells]
    lists = [cell for cell in cells if isinstance(cell, list | tuple | set | frozenset)]
    kinds = {type(part) for cell in lists for part in cell}
    are_whole = all(issubclass(kind, int | np.integer) for kind in kinds)
    is_even = len({len(cell) for cell in lists}) == 1 and len(lists) == sum(cell is not None for cell in cells)
    vector, repeats = None, False
    if kinds and all(issubclass(kind, int | float | np.number) for kind in kinds):
        if is_even:
            empty = [math.nan] * len(lists[0])
            vector = ItemColumn(
                "vector", (), np.array([empty if cell is None else [*cell] for cell in cells], np.float64)
            )
        if not are_whole:
            if vector is None:
                widths = ", ".join(map(str, sorted({len(cell) for cell in lists})))
                text = f"{called}: vectors have {widths} numbers"
                raise InputError("input-type", text, remedy="give every item a vector of the same length, or nothing")
            return vector
        repeats = any(len({*cell}) < len(cell) for cell in lists)
    joined = any(isinstance(cell, str) and _SEPARATOR in cell for cell in cells)
    if lists or joined:
        from scipy import sparse  # noqa: PLC0415 - rarely needed

        sets = [_parts(cell) for cell in cells]
        names = tuple(sorted({part for parts in sets for part in parts}))
        numbers = {part: number for number, part in enumerate(names)}
        entries = [(row, numbers[part]) for row, parts in enumerate(sets) for part in parts]
        pairs = np.array(entries, dtype=np.int64).reshape(-1, 2)
        size = (len(cells), len(names))
        matrix: Any = sparse.csr_array((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=size)
        return ItemColumn("set", names, matrix, vector, repeats)
    texts = [None if cell is None or cell == "" else str(cell) for cell in cells]
    names = tuple(sorted({text for text in texts if text is not None}))
    numbers = {text: number for number, text in enumerate(names)}
    return ItemColumn("category", names, np.array([-1 if text is None else numbers[text] for text in texts]))


def _parts(cell: object) -> list[str]:
    """Return the categories of a cell, each once."""
    if cell is None or cell == "":
        return []
    parts = cell.split(_SEPARATOR) if isinstance(cell, str) else cell if isinstance(cell, Iterable) else [cell]
    return list(dict.fromkeys(str(part).strip() for part in parts if part is not None and str(part).strip()))
