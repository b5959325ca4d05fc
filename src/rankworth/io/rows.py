"""Rows with fields and lists by query, of JSON, Python and frames: which field holds what, and what all of them hold.

A row is one document, or a query with its documents: a list of ids, of pairs (document, number) or of records with
fields of their own, or a dict {document: number}. Numbers may stand in a list beside the documents. Lists without
numbers are in the order of the ranking, with the scores -1, -2, -3 ...; judgements without numbers have the grade 1.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, chain
from typing import TYPE_CHECKING, Any, Final

from rankworth.errors import InputError, counted, quoted
from rankworth.io import cells, gold_groups, grade_words, spans, validate
from rankworth.io.cells import trimmed
from rankworth.io.facts import Lists, Observed
from rankworth.io.grade_words import Words
from rankworth.io.key_paths import at, columns_of, fields_of, names_of, paths_of
from rankworth.io.kinds import has_documents, is_array, is_more, is_scalar, is_several, plain
from rankworth.io.layout import RUN, Layout
from rankworth.io.looks import Column, Looks
from rankworth.io.options import IN_SOURCES
from rankworth.io.remedies import Request, if_without_documents, missing, of_pairs, option, unjudged
from rankworth.io.resolve import Location, Roles, check_named, knows, location_of, of_items, resolve
from rankworth.io.usual_names import is_plural, likely_document
from rankworth.io.validate import is_number, is_numeric

if TYPE_CHECKING:
    import polars as pl

Where = Callable[[int], str]
"""Where a row stands, as messages say it: `a.jsonl:3`."""
Columns = dict[str, Any]
"""`query`, `document`, and what else is known of each document"""

_NUMBERS: Final = ("score", "rank", "distance", "grade")
_IDS: Final = ("query", "subtopic", "document")
_PAIR: Final = 2
_LOOKED_AT: Final = 100
"""how many rows are looked at"""


class Fields:
    """The fields of roles in a row; only a grade or a subtopic may be missing.

    Args:
        looks: what messages call the rows.
        said: which field holds what, as the user says.
        value: `score` or `grade`.
        header: the names of the fields, where rows do not have them.

    Attributes:
        looks: the names of all fields and the first rows, too, once there are rows.
        roles: where each role stands, once there are rows.

    """

    def __init__(self, looks: Looks, said: Mapping[str, str], value: str, header: Sequence[str] = ()) -> None:  # noqa: D107 - above
        self.looks, self.said, self.value = looks, said, value
        self.roles = Roles({})
        self._header = header
        self._other_fields: dict[Any, list[Any]] = {}

    @property
    def request(self) -> Request:
        """The rows, and what the user says of them."""
        return Request(self.value, self.looks, self.said)

    @property
    def valued(self) -> str:
        """Which of score, rank, distance and grade there is; nothing where there is none."""
        return self.roles.value

    def columns(self, rows: Sequence[Any], where: Where) -> Columns:
        """Return what the fields hold, by role: a list with an item for each row.

        Raises:
            InputError: `frame-columns`, `input-type`.

        """
        by_field = columns_of(rows, self._header)
        first = names_of(rows[0]) if not self._header else tuple(by_field)
        samples = {name: Column(0, items[:_LOOKED_AT]) for name, items in by_field.items()}
        objects = [row for row in rows[:1] if not isinstance(row, Mapping | tuple | list)]
        roles = self._roles(first, samples, objects, where(0))
        if len(by_field) > len(first):
            row = next(row for row, each in enumerate(rows) if not {*names_of(each)} <= {*first})
            roles = self._roles(tuple(by_field), samples, objects, where(row))
        columns = {role: _cells_at(place, by_field, rows, where) for role, place in roles.locations.items()}
        if all(item is None for item in columns["document"]) and not roles.by_position:  # as LangChain's ids
            roles = roles.with_spans(self.request)
            columns["document"] = _cells_at(roles.locations["document"], by_field, rows, where)
        if any(item is None for item in columns["document"]) and not roles.by_position:
            self._refuse_no_documents(rows, columns["document"], roles.locations["document"].called, where)
        if not self.looks.within and (several := cells.split(columns, self.request.separator, where)):
            columns |= several
        for role, place in roles.locations.items():
            if role not in self.said and is_plural(place.called, role) and not has_documents(columns[role][0]):
                raise missing(self.request, role, why=f"{quoted([place.called])} holds no list; ")
        if self.roles.locations and not roles.locations.items() <= self.roles.locations.items():
            text = f"{where(0)}: from here on the fields are {quoted(by_field, 8)}; before, those that count were"
            before = [place.called for place in self.roles.locations.values()]
            remedy = "give all rows the same fields, as far as these count"
            raise InputError("frame-columns", f"{text} {quoted(before, 8)}", remedy=remedy)
        self.roles = self.roles if self.roles.locations else roles
        read = {*roles.columns}
        self._other_fields = {name: column for name, column in by_field.items() if name not in read}
        return {role: columns.get(role, [None] * len(rows)) for role in self.roles.locations}

    def _refuse_no_documents(self, rows: Sequence[Any], documents: Sequence[Any], called: object, where: Where) -> None:
        """Refuse rows with None as documents, as many of LangChain have, with ids in metadata."""
        row = documents.index(None)
        likely = likely_document(inner := [path for path in paths_of(rows[row]) if "." in path])
        if likely or (inner and documents.count(None) == len(documents)):
            said = option({"document": likely or "NAME"}, self.looks)
            text = f"{where(row)}: {quoted([called])} is None; the {self.looks.noun}s are"
            text += f" {quoted(paths_of(rows[row]), 8)}"
            remedy = f"say which it is: {said}{if_without_documents(self.request)}"
            raise InputError("frame-columns", text, remedy=remedy)

    def refuse_doubt(self, where: Where, lists: Sequence[Any] | None = None) -> None:
        """Refuse rows without scores or grades where a field of an unknown name may hold them.

        Args:
            where: where each row stands.
            lists: the documents of each, where they are lists.

        Raises:
            InputError: `frame-columns`.

        """
        value, within = self.value, self.looks.within
        if self.valued or self.said.get(value) == "":
            return
        if value == "score" and self.looks.first and lists is None and not within:  # rows of a file have no order
            raise missing(self.request, value)
        if (row := self._doubtful_row(lists)) is not None:
            raise missing(replace(self.request, looks=replace(self.looks, called=where(row))), value, optional=True)

    def _doubtful_row(self, lists: Sequence[Any] | None) -> int | None:
        """Return the first row with a field of an unknown name that may hold scores or grades, or None.

        Args:
            lists: the documents of each row, where they are lists.

        """
        is_value = is_number if self.looks.within or lists is not None else is_numeric
        for name, column in self._other_fields.items():
            cells = column if lists is None else [_first_beside(*pair) for pair in zip(column, lists, strict=True)]
            is_worded = self.value == "grade" and Column(0, cells[:_LOOKED_AT]).may_hold_grades(name)
            for row, item in enumerate(cells):
                if is_value(item) or (is_worded and item is not None):
                    return row
        return None

    def _roles(
        self, names: tuple[Any, ...], samples: Mapping[Any, Column], objects: Sequence[Any], where: str
    ) -> Roles:
        """Choose the field of each role, from the fields that a row has."""
        looks = replace(self.looks, called=where, names=names, columns=samples, objects=objects)
        looks = replace(looks, is_counted=bool(self._header) or all(type(name) is int for name in names))
        self.looks, said = looks, self.said
        if not any(knows(looks, name) for name in said.values() if name):
            _refuse_no_record(objects, names, where)
        is_unnamed = bool(names) and all(type(name) is int for name in names)
        is_scored = "score" not in said or len(names) == _PAIR  # without scores, a third field may be a rank
        if is_unnamed and is_scored and not any(said.values()):
            columns = ("query", "document", self.value)
            if not 1 < len(names) <= len(columns):
                counts = {"query": "1", "document": "2", self.value: "3"}
                text = f"{where} has {len(names)} fields; a row is ({', '.join(columns)})"
                remedy = f"for other rows say in which place is what, counted from 1, as in columns={counts}"
                raise InputError("input-type", text, remedy=remedy)
            chosen = dict(zip(columns, names, strict=False))
            return Roles({role: Location(name, (name,)) for role, name in chosen.items() if said.get(role) != ""})
        roles = resolve(looks, said, self.value)
        query = location_of(self.request, "query") if looks.within else None
        return roles if query is None else Roles({"query": query, **roles.locations})


def _cells_at(place: Location, by_field: Mapping[Any, list[Any]], rows: Sequence[Any], where: Where) -> list[Any]:
    """Return what stands at a place in each row; of spans their ids."""
    if place.is_span:
        parts = [_cells_at(part, by_field, rows, where) for part in place.parts]
        return place.span_ids(parts, where)
    if place.way == "file":
        return [place.path] * len(rows)
    if place.way == "attribute":
        return [at(row, place.path) for row in rows]
    columns = [by_field[name] for name in place.columns]
    if place.way == "joined":
        return [None if None in row else " ".join(map(str, row)) for row in zip(*columns, strict=True)]
    if place.way == "ranks":
        return list(map(trimmed, zip(*columns, strict=True)))
    return [at(item, place.path, in_lists=True) for item in columns[0]] if place.way == "path" else columns[0]


@dataclass
class Records:
    """The rows of one input, as frames of `query`, `document`, perhaps `subtopic`, and `score` or `grade`.

    Attributes:
        layout: `RUN` or `QRELS`.
        columns: which field holds what, as the user says.
        observed: gets to know the facts.
        first: the number of the first row and the first item in messages: 0 in Python, 1 in files.
        header: the names of the fields, where rows do not have them.
        grades: the grades that words mean.

    """

    layout: Layout
    columns: Mapping[str, str]
    observed: Observed
    first: int = 1
    header: Sequence[str] = ()
    grades: Words = field(default_factory=lambda: grade_words.NONE)

    def __post_init__(self) -> None:
        """Prepare the fields of rows, and of records in their lists."""
        looks = Looks("", first=self.first, noun="key" if self.first else "field", is_ranking=not self.first)
        self.fields = Fields(looks, self.columns, self.layout.value, self.header)
        self._within = self._fields_within(looks)
        self._has_numbers_in_lists = True if self.layout is RUN else None
        """whether numbers beside lists are lists, which the first rows of judgements tell for all"""

    def _fields_within(self, looks: Looks) -> Fields:
        """Return the fields of records; stated names may belong to records though the rows lack them."""
        said = of_items(Request(self.layout.value, self.fields.looks, self.columns))
        within = replace(looks, within=True, noun="key" if self.first else "field", names=(), columns={}, objects=())
        return Fields(within, said, self.layout.value)

    @property
    def _is_order(self) -> bool:
        """Whether the order of lists alone ranks: the user names the lists of a run, and neither score nor rank."""
        return self.layout is RUN and "documents" in self.columns and {"score", "rank"}.isdisjoint(self.columns)

    def use(self, looks: Looks, roles: Roles) -> None:
        """Take the columns of a table, in which lists of records may stand, as the fields of rows."""
        self.fields.looks, self.fields.roles = looks, roles
        self._within = self._fields_within(looks)

    @property
    def document_field(self) -> str:
        """What the records in lists call their document, once there are rows."""
        place = self._within.roles.locations.get("document")
        return "" if place is None else str(place.called)

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
        if self.fields.roles.has_spans:
            self.observed.note(spans=True)
        if self.fields.roles.by_position:
            return self._by_position(columns, where)
        if has_documents(columns["document"][0]):
            if not self._within.roles.locations:
                self._within = self._fields_within(self.fields.looks)
            return self.frame_of_lists(columns, where)
        check_named(self.fields.request)
        self.fields.refuse_doubt(where)
        if self.layout is RUN:
            self.observed.agree(self.fields.valued or "order", where(0))
        columns = self.checked(columns, where)
        if self.layout.value not in columns:
            ranked = self.layout is RUN
            columns[self.layout.value] = self.observed.ranked(columns["query"]) if ranked else [1] * len(rows)
        return self.joined(columns, where)

    def _by_position(self, columns: Columns, where: Where) -> "pl.DataFrame":
        """Call items without ids by their position within the query; of values in lists, make a row for each."""
        check_named(self.fields.request)
        value = self.fields.valued
        if self.layout is RUN:
            self.observed.agree(value, where(0))
        of_item = where
        if any(map(is_several, columns[value])):
            lists = [[] if cell is None else list(plain(cell)) for cell in columns[value]]
            ends = list(accumulate(map(len, lists)))

            def of_item(item: int) -> str:
                row = bisect_right(ends, item)
                return f"{where(row)}, item {item - ends[row] + len(lists[row])}"

            queries = [query for query, items in zip(columns["query"], lists, strict=True) for _ in items]
            columns = {"query": queries, value: list(chain(*lists))}
        columns = self.checked({role: columns[role] for role in ("query", value)}, of_item)
        columns["document"] = self.observed.positions(map(str, columns["query"]))
        return self.joined(columns, of_item)

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
        lists, groups = self._ungrouped(lists, where)
        counts = list(map(len, lists))
        ends = list(accumulate(counts))

        def of_item(item: int) -> str:
            row = bisect_right(ends, item)
            return f"{where(row)}, item {item - ends[row] + counts[row] + min(self.fields.looks.first, 1)}"

        beside = next((role for role in _NUMBERS if role in columns), "")
        inner = self._inside(lists, where, of_item)
        way = next((role for role in _NUMBERS if role in inner), "")
        if beside and not way:
            way, inner[beside] = beside, self._beside(columns[beside], beside, counts, where)
        elif beside and any(map(is_several, columns[beside])):
            place = self.fields.roles.locations.get(beside)
            text = f"{where(0)}: {place.called if place else beside} stands beside documents that have numbers"
            raise InputError("frame-columns", text, remedy=f"write each {beside} beside its document only")
        elif not way:
            self._refuse_doubt(lists, where, of_item)
        outer = self.checked({role: columns[role] for role in ("query", "subtopic") if role in columns}, where)
        if self.layout is RUN:
            self._agree(way, counts, where, is_dict=any(isinstance(items, dict) for items in lists))
            if not way or ((known := self.observed.facts.lists) and known.is_order):
                rows = [row for row, count in enumerate(counts) if count]
                self.observed.refuse_repeated([outer["query"][row] for row in rows], lambda row: where(rows[row]))
        if way in ("", "score"):
            scores = inner.get("score")
            inner[self.layout.value] = _ordered(scores, counts) if self.layout is RUN else [1] * sum(counts)
        repeated = {role: cells.repeated(items, counts) for role, items in outer.items()}
        checked = self.checked(inner, of_item)
        for item, query in enumerate(checked.get("query", ())):
            if query != repeated["query"][item]:
                text = f"{of_item(item)} is one of query {quoted([query])}"
                raise InputError("input-type", text, remedy="give rows of all queries in one list: [row, ...]")
        return repeated | checked | groups, counts, of_item

    def _ungrouped(self, lists: list[Any], where: Where) -> tuple[list[Any], Columns]:
        """Return lists of documents, and the group of each document where judgements came as lists of groups."""
        place = self.fields.roles.locations.get("document")
        if self.layout is RUN or not gold_groups.are_groups(lists, "" if place is None else place.called):
            return lists, {}
        documents, numbers = gold_groups.ungrouped(lists, where, min(self.fields.looks.first, 1))
        return list(documents), {"subtopic": list(chain.from_iterable(numbers))}

    def _refuse_doubt(self, lists: Sequence[Any], where: Where, of_item: Where) -> None:
        """Refuse lists without numbers where something beside the documents, or around the lists, may be numbers."""
        self.fields.refuse_doubt(where, lists)
        if self.layout is not RUN and self.columns.get("grade") != "":
            validate.refuse_labels(lists, where)
        if not self._is_order:
            self._within.refuse_doubt(of_item)

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
                self.observed.note_ids(role, values)
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
        """Remember that rankings came as lists, and the rule that ranks their documents."""
        roles = {**self.fields.roles.locations, **self._within.roles.locations}
        called = next((roles[role].called for role in ("distance", "score") if role in roles), "")
        name = f"-{called}" if "distance" in roles else str(called)
        lists = None if is_dict else Lists(name, is_order=self._is_order)
        if way or any(counts):
            self.observed.agree(way or "order", where(0), lists)
        else:  # lists without a document, which do not tell how documents are ranked
            self.observed.note(lists=self.observed.facts.lists or lists)

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
            inner = self._of_pairs(flat, of_item)
            if self.layout is RUN and value in inner and not self._within.roles.locations:
                validate.refuse_ranks(([number for _, number in items] for items in lists), where(0))
        elif not flat or is_scalar(flat[0]):
            inner = {"document": spans.of_texts(flat, of_item) if IN_SOURCES in self.columns else flat}
            if flat and not self.fields.roles.locations:
                check_named(replace(self._within.request, looks=replace(self._within.looks, called=of_item(0))))
        else:
            inner = self._within.columns(flat, of_item)
            self.observed.note(spans=self.observed.facts.spans or self._within.roles.has_spans)
        if self.fields.roles.locations or self._within.roles.locations:
            fields = self.fields if self.fields.roles.locations else self._within
            check_named(fields.request, [self._within.looks])
        return inner

    def _of_pairs(self, pairs: list[Any], where: Where) -> Columns:
        """Return the documents and numbers of pairs in lists, by the positions that the user names or as they stand.

        A tuple is a row, and so is a list of a text and a score. Lists of judgements may be anything, as title and
        sentence are, or two ids; so may lists of two whole numbers.

        Raises:
            InputError: `input-type`.

        """
        value, said = self.layout.value, self._within.said
        ids = None if any(said.values()) else spans.of_items(pairs, where, in_sources=IN_SOURCES in self.columns)
        if ids is not None:
            self.observed.note(spans=True)
            return {"document": ids}
        named = [name for name in said.values() if name]
        is_of_ids = type(pairs[0]) in (tuple, list) and bool(pairs[0]) and is_scalar(pairs[0][0])
        if any(map(str.isdecimal, named)) or (named and is_of_ids) or said.get(value) == "":
            width = max(map(len, pairs)) if all(type(pair) in (tuple, list) for pair in pairs) else 0
            names = tuple(map(str, range(width)))
            samples = {name: Column(0, [at(pair, name) for pair in pairs[:_LOOKED_AT]]) for name in names}
            looks = replace(self._within.looks, called=where(0), names=names, noun="position", columns=samples)
            self._within.looks = looks
            if said.get(value) == "" and "document" not in said:
                return {"document": [at(pair, "0") for pair in pairs]}
            self._within.roles = resolve(looks, {"document": "0", **said}, value)
            by_position = {name: [at(pair, name) for pair in pairs] for name in names}
            places = self._within.roles.locations
            return {role: _cells_at(place, by_position, pairs, where) for role, place in places.items()}
        documents, numbers = self._split_pairs(pairs, where)
        is_doubtful = type(pairs[0]) is list and is_scalar(documents[0])
        if is_doubtful and self.layout is RUN:
            are_texts = any(isinstance(document, str) for document in documents)
            are_whole = all(map(validate.is_integer, map(type, numbers)))
            is_doubtful = not is_numeric(numbers[0]) if are_texts else are_whole
        if is_doubtful:
            remedy = of_pairs(value, self.columns.get("document", ""), self._within.looks)
            if self.layout is not RUN:
                remedy = f"{remedy}\n{gold_groups.REMEDY}"
            text = f"{where(0)}: nothing tells what the lists of two are, such as {validate.shown(pairs[0])}"
            raise InputError("input-type", text, remedy=remedy)
        if not is_scalar(documents[0]):  # as LangChain pairs its documents with scores
            columns = self._within.columns(documents, where)
            return {"document": columns["document"], value: columns[value] if said.get(value) else numbers}
        return {"document": documents, value: numbers}

    def _split_pairs(self, pairs: list[Any], where: Where) -> tuple[list[Any], list[Any]]:
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
        if self._has_numbers_in_lists is None and any(item is not None for item in numbers):
            self._has_numbers_in_lists = any(map(is_several, numbers))
        if not self._has_numbers_in_lists and not any(map(is_several, numbers)):
            return cells.repeated(numbers, counts)
        for row, (item, count) in enumerate(zip(numbers, counts, strict=True)):
            if item is None:
                remedy = f"give one {role} for each document"
                raise InputError("missing-value", f"{where(row)} has no {role}s", remedy=remedy)
            if not is_several(item) or len(item) != count:
                beside = f"{validate.shown(item)} beside a list of {counted(count, 'document', 'documents')}"
                text = f"{where(row)}: the {role}s are {beside}"
                raise InputError("frame-columns", text, remedy=f"give one {role} for each document")
        return [number for item in numbers for number in plain(item)]


def _first_beside(item: Any, items: Any) -> Any:  # noqa: ANN401 - of a program
    """Return the first item of a list beside the list of documents; None if it cannot belong to them."""
    return item[0] if is_several(item) and len(item) == len(items) > 0 else None


def _ordered(scores: Sequence[Any] | None, counts: list[int]) -> list[Any]:
    """Return the scores, or the order of a list without any score, as of hits sorted by a field."""
    if scores is not None and None not in scores:
        return list(scores)
    ordered: list[Any] = []
    for count in counts:
        part = [] if scores is None else scores[len(ordered) : len(ordered) + count]
        ordered += part if any(score is not None for score in part) else range(-1, -count - 1, -1)
    return ordered


def _refuse_no_record(objects: Sequence[object], names: Sequence[Any], where: str) -> None:
    """Refuse an object without fields, and an array or a matrix that is no series with names.

    Args:
        objects: the first row, where it is an object.
        names: of its fields.
        where: where it stands.

    Raises:
        InputError: `input-type`.

    """
    for row in objects:
        is_array_of_items = getattr(row, "ndim", 0) > 0 and not hasattr(row, "keys")
        if not names or is_array_of_items:
            problem = f"{where} is {validate.shown(row)}, of type {validate.kind(row)}, and no document"
            raise InputError("input-type", problem, remedy=validate.ROW)


def points_of(item: object) -> list[Any] | None:
    """Return the hits of a response of the client of Qdrant, an object with a list `points`; None of anything else."""
    points = None if is_scalar(item) or isinstance(item, Mapping | Sequence) else getattr(item, "points", None)
    return points if isinstance(points, list) else None


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
    if (points := points_of(items)) is not None:
        return points
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
