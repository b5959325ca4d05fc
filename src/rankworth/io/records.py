"""Rows with fields, of JSON and of Python: which field holds what, and a frame of what they hold.

A row is one document, or a query with its documents: a list of ids, of pairs (document, number) or of records with
fields of their own, or a dict {document: number}. Numbers may stand in a list beside the documents. Lists without
numbers are in the order of the ranking, with the scores -1, -2, -3 ...; judgements without numbers have the grade 1.
"""

from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import accumulate, chain
from numbers import Number
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from rankworth.errors import InputError, counted, quoted
from rankworth.io import validate
from rankworth.io.columns import LISTS, RECORD, SPELLINGS, Table, is_plural, unjudged
from rankworth.io.lines import RUN, Layout
from rankworth.io.reading import Lists, Orders
from rankworth.io.validate import Show, is_number, is_numeric

if TYPE_CHECKING:
    import polars as pl

Where = Callable[[int], str]
"""Where a row stands, as messages say it: `a.jsonl:3`."""
Columns = dict[str, Any]
"""`query`, `document`, and what else is known of each document"""

_NUMBERS: Final = ("score", "rank", "distance", "grade")
_USUAL: Final = frozenset({*RECORD, *chain(*SPELLINGS.values(), *LISTS.values())})
_PLACES: Final = {
    (4, "grade"): {"query": "1", "document": "3", "grade": "4"},
    (6, "score"): {"query": "1", "document": "3", "score": "5"},
}
"""which fields of TREC's lines hold what, counted from 1"""
_PAIR: Final = 2
_TEXT: Final = "write the ids as text, as they stand in the other input (integers of more than 64 bits, too)"


class Field(NamedTuple):
    """How a field is taken from a row: by its key or place, or as an attribute."""

    key: Any
    is_attribute: bool = False

    def of(self, rows: Sequence[Any]) -> list[Any]:
        """What it holds, for each row."""
        return list(map(attrgetter(self.key) if self.is_attribute else itemgetter(self.key), rows))

    def peek(self, row: Any) -> Any:  # noqa: ANN401 - any object
        """What it holds in one row; None where there is no such field."""
        try:
            return self.of([row])[0]
        except (AttributeError, LookupError):
            return None


class Fields:
    """Which field of a row holds what. What the first row tells holds for all; others may lack the grade.

    Args:
        layout: `RUN` or `QRELS`.
        columns: which field holds what, as the user says; a number counts places from 1.
        first: the number of the first row in messages: 0 in Python, 1 in files.
        names: of the fields, where the rows do not have them.
        within: whether the rows are records in the list of a query, which need not name it.

    Attributes:
        roles: how each column is taken.
        names: what the fields are called that hold something; empty where their places tell.
        settled: whether rows without a grade were given one.

    """

    def __init__(  # noqa: D107 - above
        self, layout: Layout, columns: Mapping[str, str], first: int, names: Sequence[str] = (), *, within: bool = False
    ) -> None:
        self.layout, self.first, self.within = layout, first, within
        self.roles: dict[str, Field] = {}
        self.names: dict[str, Any] = {}
        self._said, self._header = columns, names
        self._others: dict[Any, Field] = {}
        self._makes: set[tuple[Any, ...]] = set()
        self.settled = False
        self._lacking = False

    @property
    def valued(self) -> str:
        """Which of score, rank, distance and grade there is; nothing where there is none."""
        return next((what for what in _NUMBERS if what in self.roles), "")

    def columns(self, rows: Sequence[Any], where: Where) -> Columns:
        """What the fields hold, for each row.

        Raises:
            InputError: `frame-columns`, `input-type`, `missing-value` for a row that is made otherwise than the first.

        """
        for make in _makes(rows):
            if make not in self._makes:
                row = next(row for row, each in enumerate(rows) if _make(each) == make)
                self._learn(rows[row], where(row))
                self._makes.add(make)
        try:
            return {
                what: list(map(field.peek, rows)) if what == "grade" and self._lacking else field.of(rows)
                for what, field in self.roles.items()
            }
        except AttributeError as error:
            raise InputError("missing-value", f"{where(0)}, or one that follows, lacks a field: {error}") from None

    def table(self, row: object, where: str) -> Table:
        """The fields of a row, as messages and the choice of columns take them."""
        noun = "key" if self.first else "field"
        return Table(self.layout.value, where, self._said, tuple(self._of(row)), self.first, noun, self.within)

    def refuse_doubt(self, rows: Sequence[Any], where: Where, lists: Sequence[Any] | None = None) -> None:
        """Refuse rows without scores or grades where a field of an unknown name may hold them.

        Args:
            rows: all rows.
            where: where each stands.
            lists: the documents of each, where they are lists.

        Raises:
            InputError: `frame-columns`.

        """
        value, flat = self.layout.value, lists is None and not self.within
        if self.valued or self._said.get(value) == "":
            return
        if flat and self.first and self.layout is RUN:  # rows of a file have no order
            raise self.table(rows[0], where(0)).missing(value)
        for field in self._others.values():
            held = list(map(field.peek, rows))
            if lists is not None:
                both = zip(held, lists, strict=True)
                doubt = [is_several(item) and len(item) == len(each) > 0 and is_number(item[0]) for item, each in both]
            else:
                known = is_number if self.within else is_numeric
                doubt = [item is not None and ((flat and value == "score") or known(item)) for item in held]
            if any(doubt):
                raise self.table(rows[doubt.index(True)], where(doubt.index(True))).missing(value, optional=True)

    def _learn(self, row: Any, where: str) -> None:  # noqa: ANN401 - any object
        """Look at the first row of its make."""
        roles, names = self._roles(row, where)
        if not self._makes:
            self.roles, self.names = roles, names
            return
        differ = [what for what in SPELLINGS if roles.get(what) != self.roles.get(what)]
        late = self.settled and "grade" not in self.roles  # rows before it have the grade 1
        if differ == ["grade"] and names and not isinstance(row, tuple | list) and not late:
            self._lacking = True
            self.roles |= roles
            self.names |= names
        elif differ:
            text = f"{where}: the fields are not those of the first row ({quoted(differ)}): {validate.shown(row)}"
            raise InputError("frame-columns", text, remedy="give all rows the same fields, as far as these count")

    def _of(self, row: object) -> dict[Any, Field]:
        """The fields of a row by name."""
        if self._header:
            return {name: Field(place) for place, name in enumerate(self._header)}
        fields = fields_of(row)
        if not fields and self._said and isinstance(row, tuple | list):
            return {str(place + 1): Field(place) for place in range(len(row))}
        return fields

    def _roles(self, row: Any, where: str) -> tuple[dict[str, Field], dict[str, Any]]:  # noqa: ANN401 - any object
        """How the columns are taken from a row, and what their fields are called."""
        fields, value = self._of(row), self.layout.value
        if not fields and isinstance(row, tuple | list):
            roles = ("query", "document", value)
            if not 1 < len(row) <= len(roles):
                said = _PLACES.get((len(row), value), {"query": "1", "document": "2", value: "3"})
                text = f"{where} has {len(row)} fields: {validate.shown(row)}; a row is ({', '.join(roles)})"
                remedy = f"for other rows say in which place is what, counted from 1, as in columns={said}"
                raise InputError("input-type", text, remedy=remedy)
            return {what: Field(place) for place, what in enumerate(roles[: len(row)])}, {}
        table = self.table(row, where)
        of_object = not fields or any(field.is_attribute for field in fields.values())
        if of_object and all(table.column_of(what) is None for what in ("query", "document")):
            text = f"{where} is {validate.shown(row)}, which is {type(row).__name__} and no row"
            remedy = f"ids are text or integers; a row has the fields query, document and {value}"
            raise InputError("input-type", text, remedy=remedy)
        names = table.chosen()
        if self.within and (query := table.column_of("query")) is not None:
            names = {"query": query} | names
        for what, name in names.items():
            if is_plural(name, what) and not has_documents(fields[name].peek(row)):
                raise table.missing(what, why=f"{quoted([name])} holds no list; ")
        self._others |= {name: field for name, field in fields.items() if name not in names.values()}
        return {what: fields[name] for what, name in names.items()}, names


class Records:
    """The rows of one input, as frames of `query`, `document`, perhaps `subtopic`, and `score` or `grade`.

    Args:
        layout: `RUN` or `QRELS`.
        columns: which field holds what, as the user says.
        orders: how the documents of the run are ranked.
        kinds: gets to know whether ids are integers.
        first: the number of the first row and the first item in messages: 0 in Python, 1 in files.
        show: how messages show an item.
        names: of the fields, where the rows do not have them.
        remedy: what helps where an id is something else.

    Attributes:
        listed: whether rows hold lists of documents; None until there is one.

    """

    def __init__(  # noqa: D107 - above
        self,
        layout: Layout,
        columns: Mapping[str, str],
        orders: Orders,
        kinds: validate.IdKinds | None = None,
        *,
        first: int = 1,
        show: Show = validate.shown,
        names: Sequence[str] = (),
        remedy: str = _TEXT,
    ) -> None:
        self.layout = layout
        self.fields = Fields(layout, columns, first, names)
        self.listed: bool | None = None
        of_records = {what: name for what, name in columns.items() if what != "query"}
        self._within = Fields(layout, of_records, first, within=True)
        self._orders, self._kinds = orders, kinds or validate.IdKinds()
        self._show, self._remedy = show, remedy
        self._form = ""
        self._count = 0

    def roles(self, row: Any, where: Where) -> dict[str, Any]:  # noqa: ANN401 - any object
        """Which field of a row holds what, by name; nothing where it holds a list.

        Raises:
            InputError: as `frame`.

        """
        self._read([row], where)
        return {} if self.listed else self.fields.names

    def frame(self, rows: Sequence[Any], where: Where) -> "pl.DataFrame":
        """The documents of some rows.

        Args:
            rows: at least one.
            where: where each stands.

        Raises:
            InputError: `frame-columns`, `input-type`, `id-type`, `missing-value`, `bad-score`, `bad-grade`,
                `duplicate-document`, `rank-or-score`.

        """
        columns = self._read(rows, where)
        self.fields.settled = True
        if self.listed:
            if self.layout is not RUN and not all(map(len, columns["document"])):
                row = next(row for row, items in enumerate(columns["document"]) if not len(items))
                raise unjudged(where(row), str(columns["query"][row]))
            columns, _, where = self.spread(columns, where, rows)
        else:
            columns = self.checked(columns, where)
            if self.layout.value not in columns:
                columns[self.layout.value] = by_order(len(rows), self.layout, self._count)
        self._count += len(rows)
        return self.joined(columns, where)

    def spread(self, columns: Columns, where: Where, rows: Sequence[Any] = ()) -> tuple[Columns, list[int], Where]:
        """A row for each document instead of one for each list.

        Args:
            columns: with the lists as `document`, and numbers beside them, if there are any.
            where: where each list stands.
            rows: what the columns come from; nothing where lists stand by query.

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
            return f"{where(row)}, item {item - ends[row] + counts[row] + self.fields.first}"

        beside, value = self.fields.valued, self.layout.value
        inner = self._inner(lists, where, of_item, alone=not rows)
        way = next((what for what in _NUMBERS if what in inner), "")
        if beside and not way:
            way, inner[beside] = beside, self._beside(columns[beside], beside, counts, where)
        elif beside and any(map(is_several, columns[beside])):
            text = f"{where(0)}: {self.fields.names.get(beside, beside)} stands beside documents that have numbers"
            raise InputError("frame-columns", text, remedy=f"write each {beside} beside its document only")
        if not way and rows:
            self.fields.refuse_doubt(rows, where, lists)
        outer = self.checked({what: columns[what] for what in ("query", "subtopic") if what in columns}, where)
        if self.layout is RUN:
            name = {**self.fields.names, **self._within.names}.get("score", "")
            self._orders.agree(way or "order", where(0), None if self._form == "dict" else Lists(str(name)))
            if not way:
                there = [row for row, count in enumerate(counts) if count]
                self._orders.meet((outer["query"][row] for row in there), lambda row: where(there[row]))
        if way in ("", "score"):
            inner[value] = _ordered(inner.get(value), counts) if self.layout is RUN else [1] * sum(counts)
        repeated = {what: _repeated(items, counts) for what, items in outer.items()}
        found = self.checked(inner, of_item)
        for item, query in enumerate(found.get("query", ())):
            if query != repeated["query"][item]:
                text = f"{of_item(item)} is one of query {quoted([query])}"
                raise InputError("input-type", text, remedy="give rows of all queries in one list: [row, ...]")
        return repeated | found, counts, of_item

    def checked(self, columns: Columns, where: Where) -> Columns:
        """Columns with ids as text and scores or grades as float64; a subtopic may be missing.

        Raises:
            InputError: `id-type`, `missing-value`, `bad-score`, `bad-grade`.

        """
        found: Columns = {}
        for what, held in columns.items():

            def stands(row: int, what: str = what) -> str:
                return f"{where(row)}: the {what}"

            if what in _NUMBERS:
                found[self.layout.value] = validate.numbers(held, what, stands, show=self._show)
            elif what == "subtopic" and None in held:
                rows = enumerate(held)
                found[what] = [item if item is None else validate.text(item, where(row)) for row, item in rows]
            else:
                self._kinds.meet(what, held)
                found[what] = validate.text_ids(held, stands, show=self._show, remedy=self._remedy)
        return found

    def joined(self, columns: Columns, where: Where) -> "pl.DataFrame":
        """Checked columns as a frame.

        Raises:
            InputError: `id-type` for half of a character.

        """
        import polars as pl  # noqa: PLC0415 - lists of ids need no dataframe library

        try:
            texts = [
                pl.Series(what, columns[what], dtype=pl.String)
                for what in ("query", "subtopic", "document")
                if what in columns
            ]
        except UnicodeEncodeError:
            for what in ("query", "subtopic", "document"):
                for row, item in enumerate(columns.get(what, ())):
                    validate.refuse_halves([item], where(row), what)
            raise
        return pl.DataFrame([*texts, pl.Series(self.layout.value, columns[self.layout.value], dtype=pl.Float64)])

    def _read(self, rows: Sequence[Any], where: Where) -> Columns:
        """What the fields of some rows hold; whether that are lists."""
        columns = self.fields.columns(rows, where)
        if self.listed is None:
            documents = columns["document"]
            self.listed = has_documents(documents[0])
            lists = filter(is_several, documents if self.listed else ())
            inner = next(chain.from_iterable(lists), None)
            self.fields.table(rows[0], where(0)).check_named(() if is_scalar(inner) else fields_of(inner))
        if not self.listed:
            self.fields.refuse_doubt(rows, where)
            if self.layout is RUN:
                self._orders.agree(self.fields.valued or "order", where(0))
        return columns

    def _inner(self, lists: Sequence[Any], where: Where, of_item: Where, *, alone: bool) -> Columns:
        """The documents of all lists, and what stands beside each within its list."""
        form, flat, value = self._form_of(lists, where), list(chain.from_iterable(lists)), self.layout.value
        if form == "dict":
            return {"document": flat, value: list(chain.from_iterable(items.values() for items in lists if items))}
        if form == "pairs":
            documents, numbers = self._pairs(flat, of_item)
            if self.layout is RUN:
                validate.refuse_ranks(([number for _, number in items] for items in lists), where(0))
            return {"document": documents, value: numbers}
        if form != "records":
            return {"document": flat}
        if alone:
            self._within.table(flat[0], of_item(0)).check_named()
        inner = self._within.columns(flat, of_item)
        if not self.fields.valued:
            self._within.refuse_doubt(flat, of_item)
        return inner

    def _form_of(self, lists: Sequence[Any], where: Where) -> str:
        """What all lists hold: ids, pairs, records, or a dict of numbers; nothing where all are empty."""
        for row, items in enumerate(lists):
            if len(items):
                first = None if isinstance(items, dict) else items[0]
                form = "pairs" if type(first) in (tuple, list) else "ids" if is_scalar(first) else "records"
                form = "dict" if isinstance(items, dict) else form
                if form != (self._form or form):
                    text = f"{where(row)} holds {validate.shown(items)}, unlike the lists before, which hold"
                    remedy = "give the documents of all queries in one form"
                    raise InputError("input-type", f"{text} {self._form}", remedy=remedy)
                self._form = form
        return self._form

    def _pairs(self, pairs: list[Any], where: Where) -> tuple[list[Any], list[Any]]:
        """The documents of pairs and their numbers."""
        if not set(map(type, pairs)) <= {tuple, list} or set(map(len, pairs)) != {_PAIR}:
            sound = (type(pair) in (tuple, list) and len(pair) == _PAIR for pair in pairs)
            item = next(item for item, is_sound in enumerate(sound) if not is_sound)
            text = f"{where(item)}: {validate.shown(pairs[item])} is not a pair (document, {self.layout.value})"
            remedy = f"give ids alone, or pairs: [(document, {self.layout.value}), ...]"
            if self.layout is RUN:
                remedy = f"if these are several runs, rankworth.evaluate_runs takes {{name: run, ...}}\n{remedy}"
            raise InputError("input-type", text, remedy=remedy)
        return [document for document, _ in pairs], [number for _, number in pairs]

    def _beside(self, held: Sequence[Any], what: str, counts: list[int], where: Where) -> list[Any]:
        """The numbers in lists beside those of the documents, or one grade for all documents of a list."""
        if self.layout is not RUN and not any(map(is_several, held)):
            return _repeated(held, counts)
        for row, (item, count) in enumerate(zip(held, counts, strict=True)):
            if not is_several(item) or len(item) != count:
                beside = f"{self._show(item)} beside a list of {counted(count, 'document', 'documents')}"
                text = f"{where(row)}: the {what}s are {beside}"
                raise InputError("input-type", text, remedy=f"give one {what} for each document")
        return [number for item in held for number in plain(item)]


def _repeated(items: Sequence[Any], counts: list[int]) -> list[Any]:
    """Each item as often as its list has documents."""
    return [item for item, count in zip(items, counts, strict=True) for _ in range(count)]


def by_order(count: int, layout: Layout, first: int = 0) -> Sequence[int]:
    """Scores by the order of documents, or grades of 1."""
    return range(-first - 1, -first - count - 1, -1) if layout is RUN else [1] * count


def _ordered(scores: Sequence[Any] | None, counts: list[int]) -> list[Any]:
    """The scores; where a list has none but None, as hits that are sorted by a field, its order instead."""
    if scores is not None and None not in scores:
        return list(scores)
    found: list[Any] = []
    for count in counts:
        held = [] if scores is None else scores[len(found) : len(found) + count]
        found += held if any(score is not None for score in held) else by_order(count, RUN)
    return found


# Kinds of rows


def fields_of(row: Any) -> dict[Any, Field]:  # noqa: ANN401 - any object
    """The fields of a row by name; nothing where it is a tuple or list without names."""
    if isinstance(row, Mapping) or (callable(getattr(row, "keys", None)) and hasattr(row, "__getitem__")):
        return {name: Field(name) for name in row.keys()}  # noqa: SIM118 - not all that have keys go through them
    of_type = getattr(getattr(row, "dtype", None), "names", None)
    of_spark = getattr(row, "__fields__", None) if isinstance(row, tuple) else None  # elsewhere that is deprecated
    for names in (getattr(row, "_fields", None), of_spark, of_type):
        if isinstance(names, tuple | list):
            return {name: Field(place) for place, name in enumerate(names)}
    if isinstance(row, tuple | list):
        return {}
    held = [name for name in getattr(row, "__dict__", ()) if not name.startswith("_")]
    more = _USUAL if held else {name for name in dir(row) if not name.startswith("_")}  # properties and slots
    others = sorted(more.intersection(dir(row)).difference(held))
    names = [*held, *(name for name in others if not callable(getattr(row, name, None)))]
    return {name: Field(name, is_attribute=True) for name in names}


def names_of(row: object) -> tuple[Any, ...]:
    """The names of the fields of a row; their places, from 1, where it has none."""
    names = tuple(fields_of(row))
    return names or (tuple(str(place) for place in range(1, len(row) + 1)) if isinstance(row, tuple | list) else ())


def _make(row: object) -> tuple[Any, ...]:
    """What rows have in common whose fields are the same."""
    if isinstance(row, tuple | list):
        return type(row), len(row), *getattr(row, "__fields__", ())
    return type(row), *(row if isinstance(row, Mapping) else getattr(row, "__dict__", ()))


def _makes(rows: Sequence[Any]) -> dict[tuple[Any, ...], None]:
    """What makes there are, in order; faster for dicts, tuples and objects."""
    kinds = set(map(type, rows))
    if kinds == {dict}:
        return {(dict, *names): None for names in dict.fromkeys(map(tuple, rows))}
    if kinds in ({tuple}, {list}):
        return {(*kinds, length): None for length in dict.fromkeys(map(len, rows))}
    if len(kinds) == 1 and hasattr(rows[0], "__dict__") and not isinstance(rows[0], tuple | list | Mapping):
        return {(*kinds, *names): None for names in dict.fromkeys(map(tuple, map(vars, rows)))}
    return dict.fromkeys(map(_make, rows))


# Kinds of things, of Python or any library: an item, a list of items, or more than that

_WAYS: Final = ("tolist", "to_list", "to_pylist")
"""how arrays, tensors and columns of all libraries become lists"""


def is_scalar(item: object) -> bool:
    """Whether this is a text, a number or nothing at all, of any library."""
    if isinstance(item, np.void):
        return item.dtype.names is None
    return item is None or isinstance(item, str | bytes | Number) or getattr(item, "ndim", None) == 0


def is_several(item: object) -> bool:
    """Whether a field holds a list."""
    return isinstance(item, list | tuple) or getattr(item, "ndim", 0) > 0


def has_documents(item: object) -> bool:
    """Whether a field holds the documents of a query: a list or a dict."""
    return is_several(item) or isinstance(item, Mapping)


def is_list(item: object) -> bool:
    """Whether this is what belongs to one query, and no row."""
    if isinstance(item, tuple | Mapping) or is_more(item):
        return False
    if isinstance(item, list | AbstractSet | range | deque | Iterator):
        return True
    return is_array(item) and not getattr(getattr(item, "dtype", None), "names", None)


def is_table(item: object) -> bool:
    """Whether this is a frame or a data set of any library; a lazy one does not compute what it holds."""
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


def listed(items: Any, layout: Layout, where: str) -> Any:  # noqa: ANN401 - what a program has
    """The documents of one query as a list, or as a dict.

    Raises:
        InputError: `input-type` where it is neither, or has no order that a ranking needs.

    """
    if type(items) in (list, dict):
        return items
    if isinstance(items, Mapping):
        return dict(items)
    example = f"as in {{'q1': ['d1', 'd2']}} or {{'q1': {{'d1': {layout.value}}}}}"
    if isinstance(items, set | frozenset) and layout is RUN:
        text, example = (
            f"{where} holds a set, which has no order",
            "give a list, best document first, or {document: score}",
        )
    elif is_scalar(items) or not isinstance(items, Iterable):
        text = f"{where} holds {validate.shown(items)}, which is {type(items).__name__} and not a list"
    elif is_more(items) or getattr(items, "ndim", 1) > 1:
        text = f"{where} holds a {type(items).__name__}, of which it is not clear what the documents are"
    else:
        return list(plain(items))
    raise InputError("input-type", text, remedy=example)
