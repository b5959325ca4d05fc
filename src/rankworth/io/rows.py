"""Rows with fields and lists by query, of JSON, Python and frames: which field holds what, and what all of them hold.

A row is one document, or a query with its documents: a list of ids, of pairs (document, number) or of records with
fields of their own, or a dict {document: number}. Numbers may stand in a list beside the documents. Lists without
numbers are in the order of the ranking, with the scores -1, -2, -3 ...; judgements without numbers have the grade 1.
"""

from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from itertools import accumulate, chain, zip_longest
from numbers import Number
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

import numpy as np

from rankworth.errors import InputError, counted, quoted
from rankworth.io import cells, grade_words, validate
from rankworth.io.cells import trimmed
from rankworth.io.columns import (
    LISTS,
    NONE,
    RECORD,
    Table,
    at,
    is_plural,
    leaves,
    likely_document,
    numbered,
    parts_of,
    unjudged,
)
from rankworth.io.grade_words import Words
from rankworth.io.layout import RUN, Layout
from rankworth.io.options import Lists, Orders
from rankworth.io.usual_names import SPELLINGS
from rankworth.io.validate import is_number, is_numeric

if TYPE_CHECKING:
    import polars as pl

Where = Callable[[int], str]
"""Where a row stands, as messages say it: `a.jsonl:3`."""
Columns = dict[str, Any]
"""`query`, `document`, and what else is known of each document"""

_NUMBERS: Final = ("score", "rank", "distance", "grade")
_IDS: Final = ("query", "subtopic", "document")
_USUAL: Final = frozenset({*RECORD, *chain(*SPELLINGS.values(), *LISTS.values())})
_PAIR: Final = 2


class Fields:
    """Which field of a row holds what; all rows have the fields that count, but for a grade or a subtopic.

    Args:
        table: what the user says of the fields, and what messages call them.
        header: the names of the fields, where rows do not have them.
        roles: the field of each column, where that is known.

    Attributes:
        table: the names of all fields, too, once there are rows.
        roles: the field of each column.

    """

    def __init__(self, table: Table, header: Sequence[str] = (), roles: Mapping[str, Any] = NONE) -> None:  # noqa: D107 - above
        self.table, self.roles = table, roles
        self._header = header
        self._other_fields: dict[Any, list[Any]] = {}

    @property
    def valued(self) -> str:
        """Which of score, rank, distance and grade there is; nothing where there is none."""
        return next((role for role in _NUMBERS if role in self.roles), "")

    def columns(self, rows: Sequence[Any], where: Where) -> Columns:
        """Return what the fields hold, by role: a list with an item for each row.

        Raises:
            InputError: `frame-columns`, `input-type`.

        """
        by_field = columns_of(rows, self._header)
        first = self._named(rows, by_field, names_of(rows[0]) if not self._header else tuple(by_field))
        _refuse_no_record(rows[0], first, where)
        roles = self._roles(first, where(0))
        if len(by_field) > len(first):
            row = next(row for row, each in enumerate(rows) if not {*names_of(each)} <= {*first})
            roles = self._roles(tuple(by_field), where(row))
        if all(item is None for item in by_field[roles["document"]]):
            paths = paths_of(rows[0])
            if inner := [path for path in paths if "." in path]:  # as documents of LangChain, whose ids are in metadata
                text = f"{where(0)}: {quoted([roles['document']])} is None; the {self.table.noun}s are"
                option = self.table.option({"document": likely_document(inner) or "NAME"})
                raise InputError("frame-columns", f"{text} {quoted(paths, 8)}", remedy=f"say which it is: {option}")
        if not self.table.within and (several := _split(by_field, roles, self.table.separator, where)):
            by_field |= several
        for role, name in roles.items():
            if is_plural(name, role) and not has_documents(by_field[name][0]):
                raise self.table.missing(role, why=f"{quoted([name])} holds no list; ")
        if self.roles and not roles.items() <= self.roles.items():
            text = f"{where(0)}: from here on the fields are {quoted(by_field, 8)}; before, those that count were"
            remedy = "give all rows the same fields, as far as these count"
            raise InputError("frame-columns", f"{text} {quoted(self.roles.values(), 8)}", remedy=remedy)
        self.roles = self.roles or roles
        self._other_fields = {name: column for name, column in by_field.items() if name not in roles.values()}
        return {role: by_field.get(name, [None] * len(rows)) for role, name in self.roles.items()}

    def _named(self, rows: Sequence[Any], by_field: dict[Any, list[Any]], first: tuple[Any, ...]) -> tuple[Any, ...]:
        """Add what the user names and no field is called: paths, several fields of a query, and those of ranks.

        Args:
            rows: the rows.
            by_field: the fields, to which columns are added and from which their parts are taken.
            first: the names of the fields of the first row.

        Returns:
            These names with those that were added.

        """
        named = self.table.named
        for path in named.values():
            is_path = "." in path or not isinstance(rows[0], tuple | list)
            if is_path and path not in by_field and any(at(row, path) is not None for row in rows):
                by_field[path] = [at(row, path) for row in rows]
                first = (*first, path)
        query = named.get("query", "")
        if parts := parts_of(query, by_field):
            first = (*(name for name in first if name not in parts), query)
            by_field[query] = _joined([by_field.pop(name) for name in parts])
        for pattern in [name for name in named.values() if name not in by_field]:
            if ranks := numbered(pattern, by_field, named.values()):
                first = (*(name for name in first if name not in ranks), pattern)
                by_field[pattern] = list(map(trimmed, zip(*(by_field.pop(name) for name in ranks), strict=True)))
        return first

    def refuse_doubt(self, where: Where, lists: Sequence[Any] | None = None) -> None:
        """Refuse rows without scores or grades where a field of an unknown name may hold them.

        Args:
            where: where each row stands.
            lists: the documents of each, where they are lists.

        Raises:
            InputError: `frame-columns`.

        """
        value, within = self.table.value, self.table.within
        if self.valued or self.table.columns.get(value) == "":
            return
        if value == "score" and self.table.first and lists is None and not within:  # rows of a file have no order
            raise self.table.missing(value)
        is_value = is_number if within else is_numeric
        for column in self._other_fields.values():
            for row, item in enumerate(column):
                if is_value(item) if lists is None else _is_beside(item, lists[row]):
                    raise replace(self.table, name=where(row)).missing(value, optional=True)

    def _roles(self, names: tuple[Any, ...], where: str) -> dict[str, Any]:
        """Choose the field of each column, from the fields that a row has."""
        self.table = table = replace(self.table, name=where, names=names)
        is_scored = "score" not in table.columns or len(names) == _PAIR  # without scores, a third field may be a rank
        is_plain = is_scored and not any(table.columns.values())
        if names and is_plain and all(type(name) is int for name in names):
            columns = ("query", "document", table.value)
            if not 1 < len(names) <= len(columns):
                counts = {"query": "1", "document": "2", table.value: "3"}
                text = f"{where} has {len(names)} fields; a row is ({', '.join(columns)})"
                remedy = f"for other rows say in which place is what, counted from 1, as in columns={counts}"
                raise InputError("input-type", text, remedy=remedy)
            roles = dict(zip(columns, names, strict=False))
            return {role: name for role, name in roles.items() if table.columns.get(role) != ""}
        query = table.column_of("query") if table.within else None
        return ({} if query is None else {"query": query}) | table.chosen()


def _split(
    by_field: Mapping[Any, list[Any]], roles: Mapping[str, Any], separator: str, where: Where
) -> dict[Any, list[Any]]:
    """Return the fields with lists in place of texts that hold several documents; none where there are no such."""
    several = cells.split({role: by_field[name] for role, name in roles.items()}, separator, where)
    return {} if several is None else {roles[role]: items for role, items in several.items()}


def _joined(columns: Sequence[Sequence[Any]]) -> list[str | None]:
    """Return ids out of several columns with blanks between them; None where one of them is missing."""
    rows = zip(*columns, strict=True)
    return [None if None in row else " ".join(map(str, row)) for row in rows]


@dataclass
class Records:
    """The rows of one input, as frames of `query`, `document`, perhaps `subtopic`, and `score` or `grade`.

    Attributes:
        layout: `RUN` or `QRELS`.
        columns: which field holds what, as the user says.
        orders: how the documents of the run are ranked.
        kinds: gets to know whether ids are integers.
        first: the number of the first row and the first item in messages: 0 in Python, 1 in files.
        header: the names of the fields, where rows do not have them.
        grades: the grades that words mean.

    """

    layout: Layout
    columns: Mapping[str, str]
    orders: Orders
    kinds: validate.IdKinds = field(default_factory=validate.IdKinds)
    first: int = 1
    header: Sequence[str] = ()
    grades: Words = field(default_factory=lambda: grade_words.NONE)

    def __post_init__(self) -> None:
        """Prepare the fields of rows, and of records in their lists."""
        noun = "key" if self.first else "field"
        table = Table(self.layout.value, "", self.columns, first=self.first, noun=noun)
        of_records = {role: name for role, name in self.columns.items() if role != "query"}
        self.fields = Fields(table, self.header)
        self._within = Fields(replace(table, columns=of_records, within=True))

    @property
    def document_field(self) -> str:
        """What the records in lists call their document, once there are rows."""
        return str(self._within.roles.get("document", ""))

    def frame(self, rows: Sequence[Any], where: Where) -> "pl.DataFrame":
        """Convert some rows to a frame with a row for each document.

        Args:
            rows: at least one.
            where: where each stands.

        Raises:
            InputError: `frame-columns`, `input-type`, `id-type`, `missing-value`, `bad-score`, `bad-grade`,
                `duplicate-document`, `rank-or-score`.

        """
        columns = self.fields.columns(rows, where)
        if has_documents(columns["document"][0]):
            return self.frame_of_lists(columns, where)
        self.fields.table.check_named()
        self.fields.refuse_doubt(where)
        if self.layout is RUN:
            self.orders.agree(self.fields.valued or "order", where(0))
        columns = self.checked(columns, where)
        if self.layout.value not in columns:
            ranked = self.layout is RUN
            columns[self.layout.value] = self.orders.ranked(columns["query"]) if ranked else [1] * len(rows)
        return self.joined(columns, where)

    def frame_of_lists(self, columns: Columns, where: Where) -> "pl.DataFrame":
        """Convert lists, of which each belongs to a query, to a frame of documents; judgements have at least one.

        Raises:
            InputError: as `spread`.

        """
        spread, counts, of_item = self.spread(columns, where)
        if self.layout is not RUN and 0 in counts:
            row = counts.index(0)
            raise unjudged(where(row), str(columns["query"][row]))
        return self.joined(spread, of_item)

    def spread(self, columns: Columns, where: Where) -> tuple[Columns, list[int], Where]:
        """Make a row for each document instead of one for each list.

        Args:
            columns: with the lists as `document`, and numbers beside them, if there are any.
            where: where each list stands.

        Returns:
            The columns, with ids as text and numbers as float64; how many documents each list has; where each stands.

        Raises:
            InputError: as `frame`.

        """
        lists = [listed(items, self.layout, where(row)) for row, items in enumerate(columns["document"])]
        counts = list(map(len, lists))
        ends = list(accumulate(counts))

        def of_item(item: int) -> str:
            row = bisect_right(ends, item)
            return f"{where(row)}, item {item - ends[row] + counts[row] + min(self.fields.table.first, 1)}"

        beside = next((role for role in _NUMBERS if role in columns), "")
        inner = self._inside(lists, where, of_item)
        way = next((role for role in _NUMBERS if role in inner), "")
        if beside and not way:
            way, inner[beside] = beside, self._beside(columns[beside], beside, counts, where)
        elif beside and any(map(is_several, columns[beside])):
            text = f"{where(0)}: {self.fields.roles.get(beside, beside)} stands beside documents that have numbers"
            raise InputError("frame-columns", text, remedy=f"write each {beside} beside its document only")
        elif not way:
            self.fields.refuse_doubt(where, lists)
            self._within.refuse_doubt(of_item)
        outer = self.checked({role: columns[role] for role in ("query", "subtopic") if role in columns}, where)
        if self.layout is RUN:
            is_dict = any(isinstance(items, dict) for items in lists)
            self._agree(way, counts, where, is_dict=is_dict)
            if not way or (self.orders.lists and self.orders.lists.is_order):
                nonempty = [row for row, count in enumerate(counts) if count]
                self.orders.meet((outer["query"][row] for row in nonempty), lambda row: where(nonempty[row]))
        if way in ("", "score"):
            scores = inner.get("score")
            inner[self.layout.value] = _ordered(scores, counts) if self.layout is RUN else [1] * sum(counts)
        repeated = {role: _repeated(items, counts) for role, items in outer.items()}
        checked = self.checked(inner, of_item)
        for item, query in enumerate(checked.get("query", ())):
            if query != repeated["query"][item]:
                text = f"{of_item(item)} is one of query {quoted([query])}"
                raise InputError("input-type", text, remedy="give rows of all queries in one list: [row, ...]")
        return repeated | checked, counts, of_item

    def checked(self, columns: Columns, where: Where) -> Columns:
        """Check columns: return ids as text and scores or grades as float64; a subtopic may be missing.

        Raises:
            InputError: `id-type`, `missing-value`, `bad-score`, `bad-grade`.

        """
        checked: Columns = {}
        for role, values in columns.items():

            def stands(row: int, role: str = role) -> str:
                return f"{where(row)}: the {role}"

            if role in _NUMBERS:
                checked[self.layout.value] = validate.numbers(values, role, stands, words=self.grades)
            elif role == "subtopic" and None in values:
                rows = enumerate(values)
                checked[role] = [item if item is None else validate.text(item, where(row)) for row, item in rows]
            else:
                remedy = validate.AS_TEXT if self.first else f"{validate.AS_TEXT}\n{validate.LABELS}"
                self.kinds.meet(role, values)
                checked[role] = validate.text_ids(values, stands, remedy=remedy)
        return checked

    def joined(self, columns: Columns, where: Where) -> "pl.DataFrame":
        """Join checked columns to a frame.

        Raises:
            InputError: `id-type` for half of a surrogate pair.

        """
        import polars as pl  # noqa: PLC0415 - lists of ids need no dataframe library

        ids = [validate.id_column(role, columns[role], where) for role in _IDS if role in columns]
        return pl.DataFrame([*ids, pl.Series(self.layout.value, columns[self.layout.value], dtype=pl.Float64)])

    def _agree(self, way: str, counts: list[int], where: Where, *, is_dict: bool) -> None:
        """Remember that rankings came as lists, and what ranks their documents."""
        roles = {**self.fields.roles, **self._within.roles}
        name = f"-{roles['distance']}" if "distance" in roles else str(roles.get("score", ""))
        lists = None if is_dict else Lists(name)
        if way or any(counts):
            self.orders.agree(way or "order", where(0), lists)
        else:  # lists without a document, which do not tell how documents are ranked
            self.orders.lists = self.orders.lists or lists

    def _inside(self, lists: Sequence[Any], where: Where, of_item: Where) -> Columns:
        """Return the documents of all lists, and the values beside each document within its list."""
        flat, value, inner = list(chain.from_iterable(lists)), self.layout.value, Columns()
        if any(type(items) is dict for items in lists):
            other_row = next((row for row, items in enumerate(lists) if type(items) is not dict and len(items)), None)
            if other_row is not None:
                text = f"{where(other_row)} holds {validate.shown(lists[other_row])}, and others hold dicts"
                raise InputError("input-type", text, remedy="give the documents of all queries in one form")
            inner = {"document": flat, value: list(chain.from_iterable(items.values() for items in lists if items))}
        elif flat and type(flat[0]) in (tuple, list):
            documents, numbers = self._pairs(flat, of_item)
            if not is_scalar(documents[0]):  # as LangChain pairs its documents with scores
                documents = self._within.columns(documents, of_item)["document"]
            inner = {"document": documents, value: numbers}
            if self.layout is RUN:
                validate.refuse_ranks(([number for _, number in items] for items in lists), where(0))
        elif not flat or is_scalar(flat[0]):
            inner = {"document": flat}
        else:
            inner = self._within.columns(flat, of_item)
        if self.fields.roles or self._within.roles:
            fields = self.fields if self.fields.roles else self._within
            fields.table.check_named(self._within.table.names)
        return inner

    def _pairs(self, pairs: list[Any], where: Where) -> tuple[list[Any], list[Any]]:
        """Split pairs into documents and their numbers."""
        malformed = (item for item, pair in enumerate(pairs) if type(pair) not in (tuple, list) or len(pair) != _PAIR)
        if (item := next(malformed, None)) is not None:
            text = f"{where(item)}: {validate.shown(pairs[item])} is not a pair (document, {self.layout.value})"
            remedy = f"give ids alone, or pairs: [(document, {self.layout.value}), ...]"
            if self.layout is RUN:
                remedy = f"if these are several runs, rankworth.evaluate_runs takes {{name: run, ...}}\n{remedy}"
            raise InputError("input-type", text, remedy=remedy)
        return [document for document, _ in pairs], [number for _, number in pairs]

    def _beside(self, numbers: Sequence[Any], role: str, counts: list[int], where: Where) -> list[Any]:
        """Return the numbers in lists beside those of the documents, or one grade for all documents of a list."""
        if self.layout is not RUN and not any(map(is_several, numbers)):
            return _repeated(numbers, counts)
        for row, (item, count) in enumerate(zip(numbers, counts, strict=True)):
            if item is None:
                remedy = f"give one {role} for each document"
                raise InputError("missing-value", f"{where(row)} has no {role}s", remedy=remedy)
            if not is_several(item) or len(item) != count:
                beside = f"{validate.shown(item)} beside a list of {counted(count, 'document', 'documents')}"
                text = f"{where(row)}: the {role}s are {beside}"
                raise InputError("frame-columns", text, remedy=f"give one {role} for each document")
        return [number for item in numbers for number in plain(item)]


def _is_beside(item: Any, items: Any) -> bool:  # noqa: ANN401 - of a program
    """Return whether a field may hold the numbers of the documents in a list."""
    return is_several(item) and len(item) == len(items) > 0 and is_number(item[0])


def _repeated(items: Sequence[Any], counts: list[int]) -> list[Any]:
    """Repeat each item as often as its list has documents."""
    return [item for item, count in zip(items, counts, strict=True) for _ in range(count)]


def _ordered(scores: Sequence[Any] | None, counts: list[int]) -> list[Any]:
    """Return the scores; where a list has none but None, as hits that are sorted by a field, its order instead."""
    if scores is not None and None not in scores:
        return list(scores)
    ordered: list[Any] = []
    for count in counts:
        part = [] if scores is None else scores[len(ordered) : len(ordered) + count]
        ordered += part if any(score is not None for score in part) else range(-1, -count - 1, -1)
    return ordered


# Rows as columns


def columns_of(rows: Sequence[Any], header: Sequence[str] = ()) -> dict[Any, list[Any]]:
    """Return the fields of rows by name, or by position from 1 where rows have no names; None where a row lacks one.

    Args:
        rows: dicts, tuples, or objects with attributes.
        header: the names of the fields, where rows do not have them.

    """
    kinds = set(map(type, rows))
    if header or kinds <= {tuple, list}:
        columns = list(map(list, zip_longest(*rows)))
        return dict(zip(header or range(1, len(columns) + 1), columns, strict=False))
    more: dict[type, list[str]] = {}
    dicts = rows if kinds == {dict} else [fields_of(row, more) for row in rows]
    return {name: [row.get(name) for row in dicts] for name in dict.fromkeys(chain.from_iterable(dicts))}


def names_of(row: object) -> tuple[Any, ...]:
    """Return the names of the fields of a row; their positions, from 1, where it has none."""
    return tuple(columns_of([row]))


def paths_of(row: object) -> list[str]:
    """List the paths of what a row holds; an inner object is listed by the paths of its own values."""
    return leaves(fields_of(row, {}))


def fields_of(row: Any, more: dict[type, list[str]]) -> Mapping[Any, Any]:  # noqa: ANN401 - any object
    """Return the fields of a row by name: of a dict, a tuple with names or without, or the attributes of an object.

    Args:
        row: the row.
        more: properties and slots of objects by their type, which are looked up once; of properties only those that are
            called as columns usually are, so that nothing else of an object is tried.

    """
    if isinstance(row, dict):
        return row
    if callable(getattr(row, "keys", None)) and hasattr(row, "__getitem__"):
        return {name: row[name] for name in row.keys()}  # noqa: SIM118 - not all that have keys go through them
    of_type = getattr(getattr(row, "dtype", None), "names", None)
    of_spark = getattr(row, "__fields__", None) if isinstance(row, tuple) else None  # elsewhere that is deprecated
    for names in (getattr(row, "_fields", None), of_spark, of_type):
        if isinstance(names, tuple | list):
            return dict(zip(names, row, strict=True))
    if isinstance(row, tuple | list):
        return dict(enumerate(row, 1))
    if isinstance(row, type):
        return {}
    attributes = {name: item for name, item in getattr(row, "__dict__", {}).items() if not name.startswith("_")}
    if type(row) not in more:
        slots = chain.from_iterable(_slots(kind) for kind in type(row).__mro__)
        names = _USUAL.intersection(dir(type(row))) | {name for name in slots if not name.startswith("_")}
        more[type(row)] = [name for name in sorted(names) if not callable(getattr(row, name, None))]
    return attributes | {name: getattr(row, name, None) for name in more[type(row)] if name not in attributes}


def _refuse_no_record(row: object, names: Sequence[Any], where: Where) -> None:
    """Refuse an object without fields, and an array or a matrix that is no series with names.

    Raises:
        InputError: `input-type`.

    """
    is_array_of_items = getattr(row, "ndim", 0) > 0 and not hasattr(row, "keys")
    if not isinstance(row, Mapping | tuple | list) and (not names or is_array_of_items):
        problem = f"{where(0)} is {validate.shown(row)}, of type {validate.kind(row)}, and no document"
        raise InputError("input-type", problem, remedy=validate.ROW)


def _slots(kind: type) -> tuple[str, ...]:
    """Return the slots that a class of Python declares."""
    slots = vars(kind).get("__slots__", ())
    return (slots,) if isinstance(slots, str) else tuple(slots)


# Kinds of things, of Python or any library: an item, a list of items, or more than that

_WAYS: Final = ("tolist", "to_list", "to_pylist")
"""how arrays, tensors and columns of all libraries become lists"""


def is_scalar(item: object) -> bool:
    """Return whether this is a text, a number or nothing at all, of any library."""
    if isinstance(item, np.void):
        return item.dtype.names is None
    return item is None or isinstance(item, str | bytes | Number | UUID | PurePath) or getattr(item, "ndim", None) == 0


def is_several(item: object) -> bool:
    """Return whether a field holds a list."""
    return isinstance(item, list | tuple) or getattr(item, "ndim", 0) > 0


def has_documents(item: object) -> bool:
    """Return whether a field holds the documents of a query: a list or a dict."""
    return is_several(item) or isinstance(item, Mapping)


def is_list(item: object) -> bool:
    """Return whether this is what belongs to one query, and no row."""
    if isinstance(item, tuple | Mapping) or is_more(item):
        return False
    if isinstance(item, list | AbstractSet | range | deque | Iterator):
        return True
    return is_array(item) and not getattr(getattr(item, "dtype", None), "names", None)


def is_table(item: object) -> bool:
    """Return whether this is a frame or a data set of any library; a lazy one does not compute what it holds."""
    return any(hasattr(type(item), sign) for sign in ("columns", "column_names"))


def is_more(item: object) -> bool:
    """Return whether this can be gone through, but holds more than items: a table, what has keys, an open file."""
    return is_table(item) or any(hasattr(item, sign) for sign in ("keys", "readline"))


def is_array(item: object) -> bool:
    """Return whether this is an array, a tensor or a column of any library."""
    return any(hasattr(item, way) for way in _WAYS)


def plain(items: Any) -> Any:  # noqa: ANN401 - what a program has
    """Convert arrays, tensors and columns of all libraries to lists; return anything else as it is."""
    way = next((way for way in _WAYS if hasattr(items, way)), None)
    return items if way is None else getattr(items, way)()


def listed(items: Any, layout: Layout, where: str) -> Any:  # noqa: ANN401 - what a program has
    """Return the documents of one query as a list, or as a dict.

    Raises:
        InputError: `input-type` where it is neither, or has no order that a ranking needs.

    """
    if type(items) in (list, dict):
        return items
    if isinstance(items, Mapping):
        return dict(items)
    if callable(to_arrow := getattr(type(items), "to_arrow", None)) and not is_array(items):  # an ItemList of LensKit
        return to_arrow(items).to_pylist()
    if items is None:
        raise InputError("missing-value", f"{where} has no documents", remedy="leave it out, or give it a list")
    if isinstance(items, set | frozenset) and layout is RUN:
        remedy = "give a list, best document first, or {document: score}"
        raise InputError("input-type", f"{where} holds a set, which has no order", remedy=remedy)
    if is_scalar(items) or not isinstance(items, Iterable) or is_more(items) or getattr(items, "ndim", 1) > 1:
        thing = validate.shown(items) if is_scalar(items) else f"a {type(items).__name__}"
        text = f"{where} holds {thing}, and not a list of documents"
        lists = () if is_scalar(items) or is_more(items) else fields_of(items, {}).items()
        inner = next((name for name, item in lists if isinstance(item, list)), "")
        remedy = f"as in {{'q1': ['d1', 'd2']}} or {{'q1': {{'d1': {layout.value}}}}}"
        remedy = f"give one of its fields: {{'q1': response.{inner}}}" if inner else remedy
        if getattr(items, "shape", ())[1:] == (_PAIR,):
            remedy = "columns of ids and of numbers are two arrays: (array[:, 0].astype(int), array[:, 1])"
        raise InputError("input-type", text, remedy=remedy)
    return list(plain(items))
