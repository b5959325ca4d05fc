"""Weights and groups of queries: a number, or the name of a group, for each query.

Both are data of a call; groups may also be shown, each with its own means.
"""

import hashlib
import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from numbers import Real
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self, TypeVar
from urllib.parse import quote

import numpy as np
from numpy.typing import NDArray

from rankworth.arrays import Floats, Integers
from rankworth.errors import InputError, UsageError, quoted

if TYPE_CHECKING:
    from rankworth.io.query_texts import QueryTable


Name = str | Sequence[str]
"""A column, or several that are crossed."""

NONE: Final = "(none)"
"""the group of queries of which nothing is known"""
GIVEN: Final = "given"
"""what values are called that come from no column"""
_CROSSED: Final = " / "
_SEPARATE: Final = ","
"""between columns that are shown each by itself"""
_ONLY: Final = "--only FILE (queries=[...]) names the queries to evaluate"
_LABEL: Final = re.compile(r"(?P<name>.+)-[0-9a-f]{8}", re.DOTALL)


@dataclass(frozen=True)
class _OfQueries:
    """Something for each query; equal where the label is the same.

    Attributes:
        label: the name and the first digits of a SHA-256 over queries and values.
        source: where the values come from, as messages call it.
        values: the values by query; None where the label says what they were, and nothing else is known.

    """

    label: str
    source: str = field(default="", compare=False, repr=False)
    values: Mapping[str, Any] | None = field(default=None, compare=False, repr=False)

    kind = "values"
    setting = ""

    def __str__(self) -> str:
        """Return the label."""
        return self.label

    @classmethod
    def bare(cls, label: str) -> Self:
        """Return an object with a label alone: it tells that there were such values, not what they are.

        Raises:
            UsageError: `unknown-setting`, where it is no label.

        """
        if not _LABEL.fullmatch(label):
            text = f"{cls.setting}={label!r}: a name and eight digits, as in traffic-1a2b3c4d"
            raise UsageError("unknown-setting", text)
        return cls(label)

    @property
    def name(self) -> str:
        """The name of the column."""
        return self.label.rpartition("-")[0]

    @property
    def called(self) -> str:
        """The name in a sentence."""
        return self.name if self.name != GIVEN else f"{GIVEN} {self.kind}"

    def label_for(self, queries: Sequence[str]) -> str:
        """Return the label that the values of some queries have."""
        values = self.values
        return self.label if values is None else _label(self.name, {query: values.get(query) for query in queries})

    def by_query(self) -> Mapping[str, Any]:
        """Return the values by query.

        Raises:
            UsageError: `unknown-setting`, where a label is all that is known.

        """
        if self.values is None:
            text = f"{self.setting}:{self.label} tells which {self.kind} there were, not what they are"
            raise UsageError("unknown-setting", text, remedy=f"give {self.setting}= again")
        return self.values

    def of_all(self, queries: Sequence[str], *, complete: bool = True) -> list[Any]:
        """Return the values of some queries, in their order.

        Args:
            queries: their ids.
            complete: whether these are all that are scored, so that an error can count those without a value.

        Raises:
            InputError: `missing-value`, where a query has none.
            UsageError: `unknown-setting`, where a label is all that is known.

        """
        values = self.by_query()
        if without := [query for query in queries if query not in values]:
            noun = self.kind.removesuffix("s")
            many = f"{len(without):,} of {len(queries):,} " if complete else ""
            text = f"{self.source}: {many}scored queries have no {noun}: {quoted(without)}"
            give = "give each of them one" + (", 0 where it is not to count" if self.setting == "weights" else "")
            remedy = f"queries that have one: {quoted(values) or 'none'}; {give}; or leave them out: {_ONLY}"
            raise InputError("missing-value", text, remedy=remedy)
        return [values[query] for query in queries]


@dataclass(frozen=True)
class Weights(_OfQueries):
    """How much each query counts."""

    kind = "weights"
    setting = "weights"

    @classmethod
    def of(cls, weight_of: object, name: str = GIVEN, source: str = "") -> "Weights":
        """Assign weights to queries.

        Args:
            weight_of: `{query: number}`; None is no weight.
            name: what they are called.
            source: where they come from.

        Raises:
            InputError: `bad-weight`, where a weight is no finite number from 0.
            UsageError: `unknown-setting`.

        >>> Weights.of({"q1": 3, "q2": 1}).array(["q2", "q1"]).tolist()
        [1.0, 3.0]
        """
        if isinstance(weight_of, Weights):
            return weight_of
        source = source or cls.setting
        rows = _rows(weight_of, cls.setting, "a number for each query: {query: number}")
        weights_given = {query: value for query, value in rows.items() if value is not None}
        wrong = [
            f"{value} for {quoted([query])}"
            for query, value in weights_given.items()
            if not isinstance(value, Real) or not math.isfinite(value) or value < 0
        ]
        if wrong:
            more = f" and {len(wrong) - 3:,} more" if len(wrong) > 3 else ""  # noqa: PLR2004 - as many as shown
            text = f"{source}: a weight is a finite number from 0, and there is {', '.join(wrong[:3])}{more}"
            raise InputError("bad-weight", text, remedy="0 is the weight of a query that does not count")
        weights = {query: float(value) for query, value in weights_given.items()}
        return cls(_label(_plain(name), weights), source, weights)

    def array(self, queries: Sequence[str]) -> Floats:
        """Return `[N]`, the weights of some queries.

        Raises:
            InputError: `missing-value`, where a query has none.
            UsageError: as `known`.

        """
        return np.array(self.of_all(queries), dtype=np.float64)


class Parts(NamedTuple):
    """Queries in groups."""

    names: list[str]
    """the groups that have a query, in their order"""
    places: Integers
    """`[N]`: the place of each query's group among them"""

    def of(self, name: str) -> NDArray[np.bool_]:
        """Return `[N]`, which queries belong to a group."""
        index = self.names.index(name) if name in self.names else -1
        return np.asarray(self.places == index)


@dataclass(frozen=True)
class Groups(_OfQueries):
    """Which group each query belongs to.

    Attributes:
        order: all groups: those of an ordered categorical in its order, numbers by size, names in the order of their
            UTF-8 bytes, what is not known last.

    """

    order: tuple[str, ...] = field(default=(), compare=False, repr=False)

    kind = "groups"
    setting = "macro"

    @classmethod
    def of(
        cls, groups: object, name: str = GIVEN, source: str = "", orders: Sequence[Sequence[object]] = ()
    ) -> "Groups":
        """Assign queries to groups.

        Args:
            groups: `{query: group}`, a group being a text or a number, or a tuple of several where columns are crossed;
                None, NaN and the empty text are no group.
            name: what they are called.
            source: where they come from.
            orders: of each column that is crossed all values in their order; empty where numbers and names tell it.

        Raises:
            UsageError: `unknown-setting`.

        >>> groups = Groups.of({"q1": "en", "q2": "ar", "q3": None})
        >>> groups.labels(["q1", "q2", "q3"]), groups.parts(["q1", "q2", "q3"]).names
        (['en', 'ar', '(none)'], ['ar', 'en', '(none)'])
        """
        if isinstance(groups, Groups):
            return groups
        rows = _rows(groups, cls.setting, "a group for each query: {query: group}")
        if name == GIVEN and isinstance(called := getattr(groups, "name", None), str):  # a series of pandas
            name = called or GIVEN
        kind: Any = getattr(groups, "dtype", None)  # of a series of pandas
        orders = orders or ([list(kind.categories)] if getattr(kind, "ordered", False) else [])
        cells = {query: _cell(value) for query, value in rows.items()}
        labels = {
            cell: _CROSSED.join(NONE if part is None else str(part) for part in cell)
            for cell in _ordered(dict.fromkeys(cells.values()), orders)
            if any(part is not None for part in cell)
        }
        named = {query: labels[cell] for query, cell in cells.items() if cell in labels}
        return cls(_label(_plain(name), named), source or cls.setting, named, tuple(dict.fromkeys(labels.values())))

    def labels(self, queries: Iterable[str]) -> list[str]:
        """Return the group of each of some queries; `(none)` where there is none."""
        groups = self.by_query()
        return [groups.get(query, NONE) for query in queries]

    def shown(self, queries: Sequence[str]) -> list[str]:
        """Return the group of each of some queries; refuse queries of which not one has a group.

        Raises:
            InputError: `missing-value`.
            UsageError: as `known`.

        """
        if self.by_query().keys().isdisjoint(queries):
            self.of_all(queries)
        return self.labels(queries)

    def ordered(self, names: Collection[str]) -> list[str]:
        """Sort some groups into their order."""
        return [name for name in dict.fromkeys((*self.order, NONE)) if name in names]

    def names(self, queries: Sequence[str]) -> set[str]:
        """Return the groups that have at least one of some queries."""
        return set(self.labels(queries))

    def numbers(self, queries: Sequence[str]) -> Integers:
        """Return `[N]`, the place of the group of each of some queries among all groups.

        Raises:
            InputError: `missing-value`, where a query has none.
            UsageError: as `known`.

        """
        number_of = {name: number for number, name in enumerate((*self.order, NONE))}
        return np.array([number_of[label] for label in self.of_all(queries)], dtype=np.int64)

    def by_column(self, queries: Sequence[str]) -> dict[str, Parts]:
        """Return the groups of some queries, by column."""
        return {self.name: self.parts(queries)}

    def column_of(self, name: str) -> tuple[str, str]:
        """Return the column of a group, and the group."""
        return self.name, name

    def parts(self, queries: Sequence[str], *, strict: bool = False) -> Parts:
        """Divide some queries into their groups.

        Args:
            queries: the queries.
            strict: whether a query without a group is refused; otherwise it belongs to `(none)`.

        Raises:
            InputError: `missing-value`, where a query has none and that is refused.
            UsageError: as `known`.

        """
        labels = self.of_all(queries) if strict else self.labels(queries)
        names = self.ordered(set(labels))
        numbers = {name: number for number, name in enumerate(names)}
        return Parts(names, np.array([numbers[label] for label in labels], dtype=np.int64))


class SeparateParts(NamedTuple):
    """Queries in the groups of several columns: a query belongs to a group of each."""

    names: list[str]
    """the groups that have a query, column by column, in their order"""
    rows: Mapping[str, NDArray[np.bool_]]
    """by group `[N]`: which queries belong to it"""

    def of(self, name: str) -> NDArray[np.bool_]:
        """Return `[N]`, which queries belong to a group."""
        return self.rows[name] if name in self.rows else np.zeros_like(next(iter(self.rows.values())))


@dataclass(frozen=True)
class SeparateGroups(Groups):
    """The groups of several columns, each shown by itself; a group is called `COLUMN: GROUP`.

    Attributes:
        columns: the groups of each column.

    """

    columns: tuple[Groups, ...] = field(default=(), compare=False, repr=False)

    @classmethod
    def join(cls, columns: Sequence[Groups]) -> "SeparateGroups":
        """Join the groups of several columns, each of which is shown by itself."""
        queries = dict.fromkeys(query for column in columns for query in column.by_query())
        labels = zip(*(column.labels(queries) for column in columns), strict=True)
        values = dict(zip(queries, map(_SEPARATE.join, labels), strict=True))
        name = _SEPARATE.join(column.name for column in columns)
        order = [f"{column.name}: {group}" for column in columns for group in (*column.order, NONE)]
        return cls(_label(name, values), columns[0].source, values, tuple(order), tuple(columns))

    def by_column(self, queries: Sequence[str]) -> dict[str, Parts]:
        """Return the groups of some queries, by column."""
        return {column.name: column.parts(queries) for column in self.columns}

    def names(self, queries: Sequence[str]) -> set[str]:
        """Return the groups that have at least one of some queries."""
        return {f"{column.name}: {group}" for column in self.columns for group in column.labels(queries)}

    def parts(self, queries: Sequence[str], *, strict: bool = False) -> SeparateParts:  # type: ignore[override] # noqa: ARG002 - none is strict
        """Divide some queries into the groups of each column."""
        rows = {
            f"{column}: {group}": parts.of(group)
            for column, parts in self.by_column(queries).items()
            for group in parts.names
        }
        return SeparateParts([*rows], rows)

    def column_of(self, name: str) -> tuple[str, str]:
        """Split the name of a group into its column and the group."""
        column, _, group = name.partition(": ")
        return column, group


ROW_WEIGHTS: Final = (
    "a measure has a value for each query, so rows have no weights; "
    "rankers give a query the mean of those of its rows: weights={query: mean}, where group= calls queries 0, 1, 2 ..."
)
"""what helps where weights are those of rows"""


def _rows(mapping: object, setting: str, wanted: str) -> dict[str, Any]:
    """Return the entries of a dict, queries as text.

    Raises:
        UsageError: `unknown-setting`.

    """
    if hasattr(mapping, "index") and hasattr(mapping, "to_dict"):  # a series of pandas, whose index holds the queries
        mapping = mapping.to_dict()
    if not isinstance(mapping, Mapping):
        remedy = ROW_WEIGHTS if setting == "weights" else ""
        raise UsageError("unknown-setting", f"{setting}={str(mapping)[:80]}: {setting} is {wanted}", remedy=remedy)
    return {str(query): value for query, value in mapping.items()}


def _cell(value: Any) -> tuple[Any, ...]:  # noqa: ANN401 - text or number, or a tuple of these
    """Return a group as a tuple of its crossed columns, or None."""
    parts = value if isinstance(value, tuple) else (value,)
    return tuple(None if part is None or part == "" or part != part else part for part in parts)  # noqa: PLR0124 - NaN


def _ordered(cells: Iterable[tuple[Any, ...]], orders: Sequence[Sequence[object]] = ()) -> list[tuple[Any, ...]]:
    """Sort crossed groups by their first part, then by the next; numbers by size where all are numbers.

    Args:
        cells: the groups.
        orders: of each part all values in their order; empty where they have none.

    """
    cells = list(cells)
    ranks = [{value: position for position, value in enumerate(order)} for order in orders]
    columns = [
        [rank_of.get(part, part) for part in column] if rank_of else column
        for column, rank_of in zip_longest(zip(*cells, strict=True), ranks if cells else [])
    ]
    numeric = [all(part is None or isinstance(part, Real) for part in column) for column in columns]

    def key(row: tuple[tuple[Any, ...], Any]) -> list[tuple[bool, Any]]:
        pairs = zip(row[1], numeric, strict=True)
        return [(part is None, part if is_number or part is None else str(part)) for part, is_number in pairs]

    return [cell for cell, _ in sorted(zip(cells, zip(*columns, strict=True), strict=True), key=key)]


def _plain(name: str) -> str:
    """Escape a name as a signature can hold it: without what ends a part of it, or a line."""
    unfit = (char for char in name if char in "%|" or not char.isprintable())
    return name.translate({ord(char): quote(char, safe="", errors="surrogatepass") for char in unfit})


def _label(name: str, values: Mapping[str, Any]) -> str:
    """Append to a name a digest of the lines `query TAB value` in the order of their bytes."""
    lines = "".join(f"{query}\t{values[query]}\n" for query in sorted(values))
    return f"{name}-{hashlib.sha256(lines.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"


@dataclass(frozen=True)
class Slices:
    """How queries are grouped and weighted.

    Attributes:
        by: groups that are shown, each with its own means; they change no overall number.
        weights: how much each query counts.
        macro: groups of which each counts as much as any other: the mean is that of their means.

    """

    by: Groups | None = None
    weights: Weights | None = None
    macro: Groups | None = None

    @classmethod
    def of(cls, table: object = None, *, by: object = None, weights: object = None, macro: object = None) -> "Slices":
        """Choose the groups and weights of queries.

        Args:
            table: the table of queries, whatever `rankworth.io.query_texts.queries` reads: a path, rows, a frame.
            by: the name of a column, or several that are crossed, or several with commas between them, each of which
                is shown by itself; `{query: group}` needs no table, nor does a series of pandas whose index holds the
                queries.
            weights: the name of a column, or `{query: weight}`.
            macro: as `by`.

        Raises:
            InputError: where the table cannot be read; `frame-columns` where it has no such column; `bad-weight`.
            UsageError: `conflicting-options`, where there is a table and no column is asked for; `unknown-setting`.

        >>> rows = [{"qid": "q1", "text": "", "language": "ar", "traffic": 9}]
        >>> slices = Slices.of(rows, by="language", weights="traffic")
        >>> slices.by.labels(["q1"]), slices.weights.array(["q1"]).tolist()
        (['ar'], [9.0])
        """
        read: QueryTable | None = None
        if table is not None:
            if not any(_names(value) for value in (by, weights, macro)):
                text = "a table of queries is given, and no column of it is asked for"
                raise UsageError("conflicting-options", text, remedy="by=, weights= or macro= name a column")
            from rankworth.io.query_texts import queries  # noqa: PLC0415 - rarely needed

            read = queries(table)
        return cls(
            _chosen(Groups, by, "by", read),
            _chosen(Weights, weights, "weights", read),
            _chosen(Groups, macro, "macro", read),
        )


def _names(value: object) -> list[str] | None:
    """Return the names of columns; None for anything else."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, Sequence) and all(isinstance(name, str) for name in value):
        return list(dict.fromkeys(value))
    return None


Kind = TypeVar("Kind", Weights, Groups)


def _chosen(kind: type[Kind], value: object, setting: str, table: "QueryTable | None") -> Kind | None:
    """Choose weights or groups: of the columns of a table, or as they are given; None where nothing is asked for.

    Raises:
        InputError: `frame-columns`, `bad-weight`.
        UsageError: `unknown-setting`, where there is no table.

    """
    names = _names(value)
    if names is None and value is not None:
        return kind.of(value)
    if not names:
        return None
    if table is None:
        text = f"{setting}={names[0]!r} names a column, and there is no table of queries to find it in"
        remedy = f"name the table: --queries FILE (table=FILE, or {setting}={{query: ...}} without a table)"
        raise UsageError("unknown-setting", text, remedy=remedy)
    if setting == "by" and len(names) == 1 and names[0] not in table.columns and _SEPARATE in names[0]:
        parts = [_chosen(kind, part.strip(), setting, table) for part in names[0].split(_SEPARATE)]
        return SeparateGroups.join(parts)  # type: ignore[arg-type, return-value] # of groups alone
    columns = [table.column(name) for name in names]
    source = f"{table.name}, {'column' if len(names) == 1 else 'columns'} {quoted(names, 8)}"
    if kind is Groups:
        values = dict(zip(table, zip(*(column.values() for column in columns), strict=True), strict=True))
        return kind.of(values, _CROSSED.join(names), source, [table.orders.get(name, ()) for name in names])
    return kind.of(columns[0], _CROSSED.join(names), source)
