"""Fields of the rows that Python objects are: keys of a dict, attributes of an object, places of a tuple.

A namedtuple has names for its places. Without names, three places are the query, the document and the value, and two
are the query and the document.
"""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from itertools import chain
from numbers import Number
from operator import attrgetter, itemgetter
from typing import Any, Final, Literal, NamedTuple

import numpy as np

from rankworth.errors import InputError, quoted
from rankworth.io import validate
from rankworth.io.columns import LISTS, NONE, RECORD, SPELLINGS, VALUES, Table, is_plural
from rankworth.io.lines import QRELS, RUN, Layout
from rankworth.io.reading import Orders

By = Literal["key", "attribute", "place"]
_WHERE: Final = {
    (4, "grade"): {"query": "1", "document": "3", "grade": "4"},
    (6, "score"): {"query": "1", "document": "3", "score": "5"},
}
"""which fields of TREC's lines hold what, counted from 1"""
_USUAL: Final = frozenset({*RECORD, *chain(*SPELLINGS.values(), *LISTS.values())})


@dataclass(frozen=True)
class Request:
    """What is to be read.

    Attributes:
        value: `"score"` or `"grade"`.
        name: what messages call it.
        columns: which field or column holds what, where its name does not tell; a number counts places from 1.
        repeats: whether lists may have a document several times; they become a frame then, in which it stands as often.
        orders: gets to know whether a run came as lists.
        kinds: gets to know whether ids are integers.

    """

    value: str
    name: str
    columns: Mapping[str, str] = field(default_factory=lambda: NONE)
    repeats: bool = False
    orders: Orders = field(default_factory=Orders, compare=False, repr=False)
    kinds: validate.IdKinds = field(default_factory=validate.IdKinds, compare=False, repr=False)

    @property
    def layout(self) -> Layout:
        """What is known of runs, or of judgements."""
        return RUN if self.value == RUN.value else QRELS


class _Field(NamedTuple):
    """How a field is taken from a row."""

    by: By
    key: Any

    def of(self, rows: list[Any], *, lacking: bool = False) -> list[Any]:
        if lacking:
            return [row.get(self.key) if isinstance(row, Mapping) else getattr(row, self.key, None) for row in rows]
        return list(map(attrgetter(self.key) if self.by == "attribute" else itemgetter(self.key), rows))

    def peek(self, row: Any) -> Any:  # noqa: ANN401 - whatever stands there
        """The field of one row, None where it has none."""
        try:
            return self.of([row])[0]
        except (AttributeError, LookupError):
            return None


class Reader:
    """Takes rows apart; as the first row is made, all others must be.

    Args:
        first: the first row.
        request: what is to be read.
        names: the names of the fields, where the rows do not have them.
        query: the query whose documents the rows are, where they need not name it.

    Attributes:
        by_place: whether their places alone tell what fields are.
        fields: how each column is taken.
        unused: which field of records that stand in lists holds what.
        scores: what the scores are called; empty where they have no name, or there are none.

    Raises:
        InputError: `frame-columns`, `input-type`, `id-type`.

    """

    def __init__(self, first: object, request: Request, *, names: Sequence[str] = (), query: str | None = None) -> None:  # noqa: D107 - above
        self.value = request.value
        self.name = request.name
        self._within = query is not None
        self._said = {what: said for what, said in request.columns.items() if what != "query" or not self._within}
        self._names = tuple(names)
        self._known = {_make(first)}
        self._others: dict[str, _Field] = {}
        self._lists = self._lacking = False
        self.unused: dict[str, str] = {}
        self.by_place = not (names or self._said or _named(first)[1])
        self.fields = self._layout(first, self._at(0, query))
        self.scores = str(self.fields["score"].key) if "score" in self.fields and _named(first)[1] else ""

    def columns(self, rows: list[Any], first: int = 0, query: str | None = None) -> dict[str, list[Any]]:
        """What stands in each column.

        Args:
            rows: some rows.
            first: the number of the first of them.
            query: as for the reader.

        Raises:
            InputError: `input-type`, `frame-columns`, `missing-value` for a row that is made otherwise than the first.

        """
        for make in _makes(rows) - self._known:
            place = next(place for place, row in enumerate(rows) if _make(row) == make)
            at = self._at(place + first, query)
            layout = self._layout(rows[place], at)
            if self.value == "grade" and _without_grade(layout) == _without_grade(self.fields):  # some have none
                self._lacking, self.fields = True, {**self.fields, **layout}
            elif layout != self.fields:
                text = f"{at} is {validate.shown(rows[place])}; it is made otherwise than the first row"
                raise InputError("input-type", text, remedy="give rows of one kind, with the same fields")
            self._known.add(make)
        try:
            found = {what: one.of(rows, lacking=what == "grade" and self._lacking) for what, one in self.fields.items()}
        except AttributeError as error:
            raise InputError("missing-value", f"{self.name}: some row lacks a field: {error}") from None
        for place, row in enumerate(rows if self._others else ()):
            self._refuse_doubt(row, self._at(place + first, query))
        return found

    def _at(self, place: int, query: str | None) -> str:
        return f"{self.name}: row {place}" if query is None else f"{self.name}: query {query!r}, item {place}"

    def _layout(self, row: object, at: str) -> dict[str, _Field]:
        """Which field holds what."""
        by, own = _named(row)
        names = self._names or own
        if not names and self._said and isinstance(row, tuple | list):
            names = tuple(str(place) for place in range(1, len(row) + 1))
        if not names:
            return self._of_places(row, at)
        fields = {name: _Field(by, place if by == "place" else name) for place, name in enumerate(names)}
        table = self._table(names, at)
        found = self._chosen(row, table)
        items = {what: fields[name].of([row])[0] for what, name in found.items()}
        self._lists = is_several(items["document"])
        self.unused = {what: said for what, said in self._said.items() if said not in names}
        inner: Any = items["document"] if self._lists else ()
        table.check_said(_named(inner[0])[1] if len(inner) else self.unused.values() if self._lists else ())
        for what, name in found.items():
            if is_plural(name, what) and not is_several(items[what]):
                raise table.missing((what,), f"{quoted([name])} holds no list; ")
        if not {*VALUES[self.value]} & set(found):
            self._others |= {name: one for name, one in fields.items() if name not in found.values()}
            self._refuse_doubt(row, at)
        return {what: fields[name] for what, name in found.items()}

    def _table(self, names: Sequence[Any], at: str) -> Table:
        return Table(self.value, at, self._said, tuple(names), noun="field", within=self._within)

    def _chosen(self, row: object, table: Table) -> dict[str, Any]:
        """The names of the fields that count."""
        query, document = table.one("query"), table.one("document")
        if document is not None and (query is not None or self._within):
            own = {} if query is None else {"query": query}
            return own | {"document": document} | table.told(document)
        if isinstance(row, Mapping) and row and all(map(validate.is_number, row.values())) and not self._within:
            remedy = "dicts of one query each may be numbered: dict(enumerate(dicts))"
            raise InputError("frame-columns", f"{table.name} has no query; {table.listed}", remedy=remedy)
        if _named(row)[0] == "attribute" and query is None and document is None:
            text = f"{table.name} is {validate.shown(row)}, which is {type(row).__name__}; it is no row"
            remedy = f"ids are text or integers; a row has the fields query, document and {self.value}"
            raise InputError("input-type", text, remedy=remedy)
        raise table.missing(("query",) if query is None and not self._within else ("document",))

    def _refuse_doubt(self, row: object, at: str) -> None:
        """Refuse a row without a value in which another field may hold it."""
        doubtful = [name for name, one in self._others.items() if self._may_be_value(one.peek(row))]
        if doubtful:
            raise self._table(self._names or _named(row)[1], at).doubt(doubtful)

    def _may_be_value(self, item: Any) -> bool:  # noqa: ANN401 - whatever stands in a field
        """Whether this may tell the value; in the rows of a run anything may, since their order may mean nothing."""
        if self._lists:
            return is_several(item) and len(item) > 0 and validate.is_number(item[0])
        if self._within:
            return validate.is_number(item)
        return item is not None and (self.value == "score" or validate.is_numeric(item))

    def _of_places(self, row: Any, at: str) -> dict[str, _Field]:  # noqa: ANN401 - a sequence
        if not isinstance(row, tuple | list):
            remedy = f"give (query, document, {self.value}), or a dict or an object with these fields"
            raise InputError("input-type", f"{at} is {validate.shown(row)}, which is no row", remedy=remedy)
        roles = ("query", "document", self.value)
        if not 1 < len(row) <= len(roles):
            said = _WHERE.get((len(row), self.value), {"query": "1", "document": "2", self.value: "3"})
            raise InputError(
                "input-type",
                f"{at} has {len(row)} fields: {validate.shown(row)}; a row is ({', '.join(roles)})",
                remedy=f"for other rows say in which place is what, counted from 1, as in columns={said}",
            )
        return {what: _Field("place", place) for place, what in enumerate(roles[: len(row)])}


def _without_grade(fields: Mapping[str, _Field]) -> dict[str, _Field]:
    return {what: one for what, one in fields.items() if what != "grade" and one.by != "place"}


def names_of(row: object) -> tuple[Any, ...]:
    """The names of the fields of a row; their places, from 1, where it has none."""
    names = _named(row)[1]
    return names or (tuple(str(place) for place in range(1, len(row) + 1)) if isinstance(row, tuple | list) else ())


def is_several(item: object) -> bool:
    """Whether a field holds a list."""
    return isinstance(item, list | tuple) or getattr(item, "ndim", 0) > 0


def _named(row: Any) -> tuple[By, tuple[Any, ...]]:  # noqa: ANN401 - any object
    """How a row gives its fields, and their names, if they have some."""
    if isinstance(row, Mapping):
        return "key", tuple(row)
    of_type = getattr(getattr(row, "dtype", None), "names", None)
    of_spark = getattr(row, "__fields__", None) if isinstance(row, tuple) else None  # elsewhere that is deprecated
    for names in (getattr(row, "_fields", None), of_spark, of_type):
        if isinstance(names, tuple | list):
            return "place", tuple(names)
    if isinstance(row, tuple | list):
        return "place", ()
    if callable(getattr(row, "keys", None)) and hasattr(row, "__getitem__"):
        return "key", tuple(row.keys())
    held = [name for name in getattr(row, "__dict__", ()) if not name.startswith("_")]
    more = _USUAL if held else {name for name in dir(row) if not name.startswith("_")}  # properties and slots
    others = sorted(more.intersection(dir(row)).difference(held))
    return "attribute", (*held, *(name for name in others if not callable(getattr(row, name, None))))


def _make(row: object) -> tuple[Any, ...]:
    """What rows have in common that are made alike."""
    if isinstance(row, tuple | list):
        return type(row), len(row), getattr(row, "__fields__", None) and tuple(row.__fields__)  # type: ignore[union-attr]
    if isinstance(row, Mapping):
        return type(row), tuple(row), None
    return type(row), tuple(getattr(row, "__dict__", ())), None


def _makes(rows: list[Any]) -> set[tuple[Any, ...]]:
    """What makes there are among several rows, faster for the usual kinds."""
    kinds = set(map(type, rows))
    if kinds in ({tuple}, {list}):
        return {(*kinds, length, None) for length in set(map(len, rows))}
    if kinds == {dict}:
        return {(dict, keys, None) for keys in set(map(tuple, rows))}
    if len(kinds) == 1 and hasattr(rows[0], "__dict__") and not isinstance(rows[0], tuple | list | Mapping):
        return {(*kinds, names, None) for names in set(map(tuple, map(vars, rows)))}
    return set(map(_make, rows))


# What kind of thing an object is, of Python or any library: an item, a list of items, or more than that

_WAYS: Final = ("tolist", "to_list", "to_pylist")
"""how arrays, tensors and columns of all libraries become lists"""


def is_scalar(item: object) -> bool:
    """Whether this is a text, a number or nothing at all, of any library."""
    if isinstance(item, np.void):
        return item.dtype.names is None
    return item is None or isinstance(item, str | bytes | Number) or getattr(item, "ndim", None) == 0


def is_list(item: object) -> bool:
    """Whether this is what belongs to one query, and no row."""
    if isinstance(item, tuple | Mapping) or is_more(item):
        return False
    if isinstance(item, list | AbstractSet | range | deque | Iterator):
        return True
    return is_array(item) and not getattr(getattr(item, "dtype", None), "names", None)


def is_table(item: object) -> bool:
    """Whether this is a frame or a data set of any library; a lazy one is not asked what it holds."""
    return any(hasattr(type(item), sign) for sign in ("columns", "column_names"))


def is_more(item: object) -> bool:
    """Whether this can be gone through, but holds more than items: a table, what has keys, an open file."""
    return is_table(item) or any(hasattr(item, sign) for sign in ("keys", "readline"))


def is_array(item: object) -> bool:
    """Whether this is an array, a tensor or a column of any library."""
    return any(hasattr(item, way) for way in _WAYS)


def plain(items: Any) -> Any:  # noqa: ANN401 - what a program has
    """Arrays, tensors and columns of all libraries as lists; anything else as it is."""
    way = next((way for way in _WAYS if hasattr(items, way)), None)
    return items if way is None else getattr(items, way)()
