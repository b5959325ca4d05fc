"""Which column of a table holds what: by what the user says and by what the table looks like; nowhere else is it asked.

What a user names is used or refused. A name is that of a column, of several that tell a query together, a number, a
pattern for a column per rank, or a path into what cells hold; in lists of records and pairs, that of a field.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Final, Literal

from rankworth.errors import InputError, quoted
from rankworth.io import remedies
from rankworth.io.judges import ENDS, judges_of
from rankworth.io.key_paths import at
from rankworth.io.layout import SPAN, SpanWay
from rankworth.io.looks import Looks
from rankworth.io.options import IN_SOURCES
from rankworth.io.remedies import Request, missing, numbered
from rankworth.io.score_lines import ROWS
from rankworth.io.usual_names import (
    BEIR,
    LISTS,
    OF_FILE,
    RECORDS,
    SIDES,
    SPAN_PATHS,
    SPAN_TEXTS,
    SPELLINGS,
    is_index,
    is_plural,
    of_other_meaning,
)
from rankworth.item_options import SOUGHT

VALUES: Final = {"score": ("score", "rank", "distance"), "grade": ("grade",), "": ()}
"""what may tell a score or a grade; the first that is there does"""
SMALLER: Final = ("rank", "distance")
"""values of which the smaller one is better"""
EVERY: Final = "all"
"""the query of all rows, where these are of no query"""
_IDS: Final = ("query", "document")
_BEFORE_FURTHER: Final = 2
"""behind how many groups of usual names those stand that belong to one kind of table"""
_NO_COLUMNS: Final = ("root", "separator", ROWS)
"""what is said of a table and is no column"""
_OF_TABLES: Final = (*_NO_COLUMNS, "query", "documents")
"""what is said of a table, and never of the items in its lists"""
_OF_ITEMS: Final = ("score", "rank", "distance", "grade")
"""what may stand beside each document within a list"""
_SCORES: Final = {*SPELLINGS["score"], *SPELLINGS["rank"], *SPELLINGS["distance"]}


@dataclass(frozen=True)
class Location:
    """Where a role stands in a table.

    Attributes:
        called: what the user or the table calls it.
        columns: the columns that are read for it.
        way: what they are: a column; several whose cells are joined by blanks; one for each rank; one with a path;
            none, where an attribute of an object is none of its fields; that of the values, where documents have no
            ids and are called by their position; none, where the name of the file is the query, or all rows are of one
            query; those of several judges; or those of a source, a start and an end, of a text in place of the end, or
            of a text and maybe its source.
        path: where it stands within the cells of the column, or within the object; or the name of the file or of all
            rows.
        parts: of a span, where source, start and end stand, or its text.
        in_sources: whether spans are sought in sources.

    """

    called: Any
    columns: tuple[Any, ...]
    way: Literal[
        "column", "joined", "ranks", "path", "attribute", "position", "file", "judges", "span", "span-text", "text"
    ] = "column"
    path: str = ""
    parts: "tuple[Location, ...]" = ()
    in_sources: bool = False

    @property
    def is_span(self) -> bool:
        """Whether these are the columns of a span."""
        return bool(self.parts)

    @property
    def part_roles(self) -> Sequence[str]:
        """What the parts of a span are."""
        return ("source", "text")[-len(self.parts) :] if self.way == "text" else SPAN

    @property
    def _span_way(self) -> SpanWay:
        """What tells a span."""
        return self.way if self.way in ("span-text", "text") else "span"

    def span_ids(self, cells: Sequence[Sequence[Any]], where: Callable[[int], str]) -> list[str]:
        """Return the ids of spans.

        Args:
            cells: what stands at each of the parts, by row.
            where: where each row stands.

        Raises:
            InputError: `bad-span`, `missing-value`, `id-type`.

        """
        from rankworth.io import spans  # noqa: PLC0415 - rarely needed

        return spans.ids(cells, where, self._span_way, in_sources=self.in_sources)


@dataclass(frozen=True)
class Roles:
    """Where each role stands in a table.

    Attributes:
        locations: by `query`, `document`, and what else there is.

    """

    locations: Mapping[str, Location]

    @property
    def columns(self) -> list[Any]:
        """The columns that are read, each once."""
        return list(dict.fromkeys(column for place in self.locations.values() for column in place.columns))

    def with_spans(self, request: Request) -> "Roles":
        """Return the same, with spans for documents where the table has them.

        Args:
            request: the table.

        """
        span = None if "document" in request.said else span_location(request, None)
        return self if span is None else Roles({**self.locations, "document": span})

    @property
    def has_spans(self) -> bool:
        """Whether documents are spans of sources."""
        return "document" in self.locations and self.locations["document"].is_span

    @property
    def by_position(self) -> bool:
        """Whether documents have no ids, and are called by their position within the query."""
        return "document" in self.locations and self.locations["document"].way == "position"

    @property
    def value(self) -> str:
        """Which of score, rank, distance and grade there is; nothing where there is none."""
        return next((role for role in ("score", "rank", "distance", "grade") if role in self.locations), "")

    @property
    def names(self) -> dict[str, Any]:
        """The column of each role, for engines that take each role from one column.

        Raises:
            InputError: `frame-columns`, where a role takes several columns, or a part of one.

        """
        for role, place in self.locations.items():
            if place.way != "column":
                text = f"{quoted([place.called])} is no single column, and here the {role} is one"
                raise InputError("frame-columns", text, remedy="make one column of it where the table comes from")
        return {role: place.columns[0] for role, place in self.locations.items()}


def locate(looks: Looks, name: str, excluded: Collection[str] = ()) -> Location | None:
    """Return the location in a table of a name that the user gave; None if the table lacks it.

    Args:
        looks: what the table looks like.
        name: as the user says it.
        excluded: what else is named, which is no part of a pattern.

    """
    existing = {str(column): column for column in looks.names}
    if name in existing:
        return Location(existing[name], (existing[name],))
    if name.startswith(OF_FILE) or (name.endswith(ENDS) and judges_of(name) is not None):
        return _beside_columns(looks, name, excluded)
    parts = [locate(looks, part) for part in name.split(",")] if "," in name else [None]
    if all(part is not None and part.way == "column" for part in parts):
        return Location(name, tuple(column for part in parts if part is not None for column in part.columns), "joined")
    if ranks := numbered(name, looks.names, excluded):
        return Location(name, tuple(ranks), "ranks")
    if looks.is_counted and name.isdecimal() and 0 < int(name) <= len(looks.names):
        column = looks.names[int(name) - 1]
        return Location(column, (column,))
    return _path(looks, name, existing)


def _beside_columns(looks: Looks, name: str, excluded: Collection[str]) -> Location | None:
    """Return the part of a file's name, or the grades of several judges, for this role; None if neither is stated."""
    judges = judges_of(name)
    if judges is None:
        return Location(OF_FILE, (), "file", name.removeprefix(OF_FILE))
    named = [*judges.columns(looks.names, excluded), *([judges.by] if judges.by else [])]
    places = [locate(looks, each) for each in named]
    columns = tuple(place.columns[0] for place in places if place is not None and place.columns)
    return Location(name, columns, "judges", judges.way) if len(columns) == len(places) > 0 else None


def _path(looks: Looks, name: str, existing: Mapping[str, Any]) -> Location | None:
    """Return where a path leads: into the cells of a column, or to an attribute of objects that is no field."""
    steps = name.split(".")
    for length in range(len(steps) - 1, 0, -1):
        column, path = existing.get(".".join(steps[:length])), ".".join(steps[length:])
        if column is not None and _leads_to(looks, column, path):
            return Location(name, (column,), "path", path)
    if any(at(each, name) is not None for each in looks.objects):
        return Location(name, (), "attribute", name)
    return None


def _named_locations(request: Request) -> dict[str, Location | None]:
    """Return the locations of the user's names in a table, by role; None for a name inside lists or absent.

    Where documents stand in lists of records or pairs, numbers are sought in these first, and ids where `documents`
    names the lists.
    """
    looks, named = request.looks, request.named
    texts = [name for name in named.values() if name]
    of_items = (*SPAN, "text", *_OF_ITEMS) if "documents" not in named else ("document", *SPAN, *_OF_ITEMS)
    lists = named.get("documents") or named.get("document", "")
    column = locate(looks, lists, texts) if lists else None
    items = [each for name, each in looks.inside.items() if column is None or name in column.columns]
    places: dict[str, Location | None] = {}
    for role, name in named.items():
        is_inside = role in of_items and any(locate(each, name) is not None for each in items)
        places[role] = None if is_inside or not name or role in _NO_COLUMNS else locate(looks, name, texts)
    return places


def of_items(request: Request) -> dict[str, str]:
    """Return what the user says of the items in lists: what no column of the table around them has."""
    places = _named_locations(request)
    outside = {role for role, place in places.items() if place is not None}
    outside |= {"score"} if "distance" in outside else set()
    return {role: name for role, name in request.said.items() if role not in (*outside, *_OF_TABLES)}


def knows(looks: Looks, name: str) -> bool:
    """Return whether a stated name exists in a table, or in lists within it; `-name` stands for `name`."""
    texts = (name, name.removeprefix("-"))
    return any(locate(each, text) is not None for each in (looks, *looks.inside.values()) for text in texts)


def _leads_to(looks: Looks, column: object, path: str) -> bool:
    """Return whether a path leads to something in some of the first cells of a column."""
    cells = looks.columns[column].cells if column in looks.columns else ()
    return any(at(cell, path, in_lists=True) is not None for cell in cells if not isinstance(cell, str))


def resolve(looks: Looks, said: Mapping[str, str], value: str) -> Roles:
    """Return where each role of judgements or a run stands in a table.

    Args:
        looks: what the table looks like.
        said: which column holds what, as the user says.
        value: `"score"` or `"grade"`.

    Raises:
        InputError: `frame-columns`.

    """
    request = Request(value, looks, said)
    if not looks.in_order and (request.separator or any("*" in str(name) for name in said.values())):
        remedy = "make a column of lists where the table comes from, or give a file or a frame of Polars or pandas"
        raise InputError("frame-columns", f"{looks.called}: cells of this table are not taken apart", remedy=remedy)
    ids = {role: location_of(request, role) for role in _IDS[looks.within :]}
    document = ids["document"]
    ids["document"] = span_location(request, document) or document
    if said.get("source") == "" and ids["document"] is document and (looks.within or not _may_hold_lists(request)):
        ids["document"] = None  # as spans are wanted, and not ids
    _refuse_unused_text(request, ids["document"])
    if said.get("query") == "":
        ids["query"] = Location("", (), "file", EVERY)
    values = value_locations(request, ids["document"])
    if said.get("document") == "" and not looks.within and (cells := [*values.values()]):
        ids["document"] = Location("", cells[0].columns, "position", cells[0].path)
    if any(place is not None and place.way == "file" and not place.path for place in ids.values()):
        text = f"{looks.called}: query={OF_FILE} is the name of a file, and this is none"
        raise InputError("frame-columns", text, remedy="name the column of the queries")
    if lacking := [role for role, place in ids.items() if place is None]:
        untold = set(VALUES[value]).isdisjoint(values) and not _is_plural(ids["document"])
        if "document" in lacking and said.get("source") == "":
            lacking = [*lacking[:-1], *(role for role in SPAN if _part_of_span(request, role) is None)]
        of_items = lacking == ["document"] and all(location_of(request, role) for role in ("query", "grade", "score"))
        raise missing(request, *lacking, *([value] if untold and not looks.within else []), of_items=of_items)
    roles = {role: place for role, place in (ids | values).items() if place is not None}
    doubled = [role for role, place in roles.items() if [*roles.values()].count(place) > 1]
    if doubled:
        text = (
            f"{looks.called}: {' and '.join(doubled)} are both said to be the {looks.noun} {roles[doubled[0]].called}"
        )
        remedy = f"give each a {looks.noun} of its own; {remedies.listed(looks)}"
        raise InputError("frame-columns", text, remedy=remedy)
    return Roles(roles)


def location_of(request: Request, role: str, excluded: Collection[Any] = ()) -> Location | None:
    """Find a column by its stated name, or by one of its usual names, or return None.

    An empty name says that there is none.

    Args:
        request: the table.
        role: `query`, `document`, and so on.
        excluded: columns that hold something else.

    Raises:
        InputError: `frame-columns` where several columns could be meant.

    """
    looks, named = request.looks, request.named
    key = "documents" if role == "document" and not looks.within and "documents" in named else role
    places = _named_locations(request)
    if named.get(key) == "" or (key in named and key in _OF_ITEMS and places[key] is None):
        return None
    if (place := places.get(key)) is not None:
        return place
    if named.get(key) and (key != "document" or looks.within):
        return None
    parts = {part for place in places.values() if place is not None for part in place.columns}
    free = [column for column in looks.names if not (column in parts or column in excluded or is_index(column))]
    usual = [*request.spellings[role]]
    usual[_BEFORE_FURTHER:_BEFORE_FURTHER] = [
        SIDES.get((request.value, role), ()),
        RECORDS.get((request.value, role), ()) if looks.within else (),
    ]
    if key in named:  # a field of records in lists, which have a usual name
        usual = [LISTS["document"], SIDES.get((request.value, role), ())]
    matches: list[Any] = []
    for names in usual:
        matches = matches or [column for column in free if str(column).lower() in names]
    if len(matches) > 1:
        meanings = of_other_meaning(matches)
        matches = [column for column in matches if str(column).lower() not in meanings] or matches
    if role == "subtopic":
        matches.sort(key=lambda column: str(column).lower() in SPELLINGS[role][1:])
    elif len(matches) > 1:
        raise remedies.several(request, matches, role)
    return Location(matches[0], (matches[0],)) if matches else None


def span_location(request: Request, document: Location | None) -> Location | None:
    """Find the columns of spans: where the user names one of them, or no column tells documents; None elsewhere.

    Args:
        request: the table.
        document: the column of the documents.

    Raises:
        InputError: `frame-columns` where the user names some of them, and the others are not there.

    """
    places, in_sources = _named_locations(request), IN_SOURCES in request.said
    is_named = any(places.get(role) is not None for role in SPAN)
    text = places.get("text") or (None if request.said.get("text") else _first_of(request.looks, SPAN_TEXTS))
    if document is not None and not (is_named or in_sources) and request.said.get("source") != "":
        return None
    parts = [_part_of_span(request, role) for role in SPAN]
    way: SpanWay = "span"
    if parts[-1] is None and all(parts[:-1]):
        way, parts[-1] = "span-text", text
    elif in_sources and text is not None and not all(parts):
        way, parts = "text", [part for part in (parts[0], text) if part is not None]
    found = [part for part in parts if part is not None]
    if len(found) < len(parts):
        if is_named:
            raise missing(request, *(role for role, part in zip(SPAN, parts, strict=True) if part is None))
        return None
    columns = tuple(dict.fromkeys(column for part in found for column in part.columns))
    return Location(
        ", ".join(str(part.called) for part in found), columns, way, parts=tuple(found), in_sources=in_sources
    )


def _refuse_unused_text(request: Request, document: Location | None) -> None:
    """Refuse a stated column of texts if the table has no spans.

    Raises:
        InputError: `frame-columns`.

    """
    text = _named_locations(request).get("text")
    if text is None or (document is not None and document.is_span and text in document.parts):
        return
    fact = f"{request.looks.called}: text={text.called} is named, and nothing is told by texts"
    remedy = "leave it out where other columns tell documents or spans\n"
    remedy += f"texts are sought in sources: {SOUGHT}"
    raise InputError("frame-columns", fact, remedy=remedy)


def _may_hold_lists(request: Request) -> bool:
    """Return whether documents may stand in lists, in which spans are."""
    return "documents" in request.named or _is_plural(location_of(request, "document"))


def _part_of_span(request: Request, role: str) -> Location | None:
    """Return the location of the source, the start or the end of spans, or None."""
    if request.named.get(role):
        return location_of(request, role)
    unnamed = replace(request, said={other: name for other, name in request.said.items() if other != role})
    return location_of(unnamed, role) or _first_of(request.looks, SPAN_PATHS[role])


def _first_of(looks: Looks, names: Iterable[str]) -> Location | None:
    """Return the location of the first existing name."""
    places = (locate(looks, name) for name in names)
    return next((place for place in places if place is not None), None)


def value_locations(request: Request, document: Location | None = None) -> dict[str, Location]:
    """Choose the column of the scores or grades, and that of the subtopics, as far as they exist.

    Args:
        request: the table.
        document: the column of the documents; BEIR, which has a name of its own for it, calls grades scores.

    Raises:
        InputError: `frame-columns`.

    """
    named = [role for role in VALUES[request.value] if request.named.get(role)]
    usual = [role for role in VALUES[request.value] if role != "distance" or "score" not in request.said]
    places = ((role, location_of(request, role)) for role in named or usual)
    chosen = dict(islice(((role, place) for role, place in places if place is not None), 1))
    if request.value != "grade":
        return chosen
    called = "" if document is None else str(document.called).lower()
    if not chosen and called in BEIR and (score := location_of(request, "score")) is not None:
        chosen = {"grade": score}
    subtopic = location_of(request, "subtopic")
    return chosen if subtopic is None else chosen | {"subtopic": subtopic}


def needed(request: Request, role: str) -> Location:
    """Return the column that holds this; refuse a table without one.

    Raises:
        InputError: `frame-columns`.

    """
    place = location_of(request, role)
    if place is None:
        raise missing(request, role)
    return place


def _is_plural(place: Location | None) -> bool:
    return place is not None and is_plural(place.called, "document")


def check_named(request: Request, inside: Sequence[Looks] = ()) -> None:
    """Refuse a stated name that is neither a column nor a field in lists of a column.

    Args:
        request: the table.
        inside: what else records in its lists look like.

    Raises:
        InputError: `frame-columns`.

    """
    value = request.value
    if path := request.named.get(ROWS):
        text = f"{request.looks.called}: rows={path} says whose rows have these scores, and these rows have ids"
        raise InputError("frame-columns", text, remedy="leave rows out; it belongs to a file of scores alone")
    roles = (*_IDS, "documents", *SPAN, "text", *VALUES[value], *(["subtopic"] if value == "grade" else []))
    named = request.named
    lacking = [
        role
        for role in roles
        if (name := named.get(role))
        and all(locate(looks, name) is None for looks in (request.looks, *request.looks.inside.values(), *inside))
    ]
    if lacking:
        raise missing(request, *("document" if role == "documents" else role for role in lacking))


def check_values(request: Request, roles: Roles, *, is_listed: bool = False) -> None:
    """Refuse a table without a column of scores or grades, or with several columns that may hold them.

    Args:
        request: the table.
        roles: which column holds what.
        is_listed: whether documents stand in lists.

    Raises:
        InputError: `frame-columns`.

    """
    looks, value = request.looks, request.value
    untold = set(VALUES[value]).isdisjoint(roles.locations)
    document = roles.locations.get("document")
    cell = None if document is None else looks.cell(document.called)
    plural = next((role for role, place in roles.locations.items() if is_plural(place.called, role)), "")
    if plural and not is_listed and plural not in request.said:
        why = remedies.separated(cell, looks) or f"{quoted([roles.locations[plural].called])} holds no lists; "
        raise missing(request, plural, why=why)
    is_unsaid = untold and request.said.get(value) != ""
    if untold and not is_listed and not request.separator and document is not None and document.way == "column":
        query = looks.columns.get(next(iter(roles.locations["query"].columns), None))
        is_unique = query is not None and query.distinct == len(query.texts) > 1
        if is_unique and (sign := remedies.of_several_ids(looks.columns[document.called])):
            raise remedies.doubtful_cells(request, document.called, sign)
    may_be_order = is_listed or looks.is_ranking or (looks.in_order and request.said.get("score") == "")
    if value == "score" and untold and not may_be_order:
        raise missing(request, "score", why=remedies.separated(cell, looks))
    doubtful = {*looks.numeric, *(name for name in looks.names if str(name).lower() in _SCORES)}
    if value == "grade" and not is_listed:
        doubtful |= {name for name, column in looks.columns.items() if column.may_hold_grades(name)}
    if is_unsaid and not doubtful <= {*roles.columns}:
        raise missing(request, value, optional=True)


def unread(looks: Looks, roles: Roles) -> dict[str, list[str]]:
    """Return the columns with names that are not read, and their first cells; ranks are left out, as scores tell them.

    Args:
        looks: what the table looks like.
        roles: where each role stands in it.

    """
    read = {*map(str, roles.columns)}
    return {
        name: looks.columns[key].texts if key in looks.columns else []
        for key, name in zip(looks.names, map(str, looks.names), strict=True)
        if name not in read and not name.isdecimal() and not is_index(name) and name.lower() not in SPELLINGS["rank"]
    }
