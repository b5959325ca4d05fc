"""Rows and lists by query, as Python objects, brought to a frame or to dicts of dicts.

The items of a list are ids, pairs `(document, number)`, or records with a field for the document. Ids alone are ranked
as they stand, with the scores -1, -2, -3 ...; as judgements they have the grade 1.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from rankworth.errors import InputError, quoted
from rankworth.io import fields, validate
from rankworth.io.columns import SMALLER
from rankworth.io.fields import Reader, Request, is_several
from rankworth.io.lines import Layout
from rankworth.io.reading import Lists
from rankworth.tables.frames import of_texts

if TYPE_CHECKING:
    import polars as pl

BATCH: Final = 1 << 18
_Part = tuple[str, list[str], Sequence[Any]]
Scored = dict[str, Mapping[str, Any]]
"""`{query: {document: number}}`; the numbers are looked at when they are used."""
LABELS: Final = "labels stand beside scores or orders of the same items: labels=[[1, 0, 2]], scores=[[0.9, 0.2, 0.7]]"
GRADES: Final = range(5)
_PAIR: Final = 2


def lists_by_query(lists: Mapping[Any, Any], request: Request) -> "Scored | pl.DataFrame":
    """Lists by query as dicts by query; an empty list stays an empty dict.

    Args:
        lists: `{query: [...]}`; for judgements also sets.
        request: what is to be read.

    Raises:
        InputError: `input-type`, `id-type`, `missing-value`, `duplicate-document`, `duplicate-judgement`, and what
            `fields.Reader` finds in records.

    """
    value, name = request.value, request.name
    request.kinds.meet("query", lists)
    named = validate.keys(lists, duplicate=request.layout.repeated, name=name)
    held = {query: listed(items, value, f"{name}: query {query!r}") for query, items in named.items()}
    if not any(isinstance(items, AbstractSet) for items in named.values()):
        _refuse_labels(list(held.values()), value, name)
    scored: Scored = {}
    if (query := _single_pair(named)) is not None:
        document, number = named[query]
        text = f"query {query!r} holds {validate.shown((document, number))}, which may be two documents or one"
        remedy = f"give a list: [{document!r}, {number!r}] or [({document!r}, {number!r})]"
        raise InputError("input-type", f"{name}: {text} with its {value}", remedy=remedy)
    parts: list[_Part] = []
    pairs = again = False
    reader: Reader | None = None
    for query, items in held.items():
        where = f"{name}: query {query!r}"
        documents: list[str]
        values: Sequence[Any]
        kind = type(items[0]) if items else str
        if kind in (tuple, list):
            pairs = True
            documents, values = _of_pairs(items, value, where)
            request.kinds.meet("document", (item[0] for item in items))
        elif fields.is_scalar(items[0] if items else ""):
            documents, values = _of_ids(items, where), by_order(len(items), value)
            request.kinds.meet("document", items)
        else:
            reader = reader or Reader(items[0], request, query=query)
            documents, given = _of_records(reader, items, query, where, request.kinds)
            values = by_order(len(items), value) if given is None else given
        scored[query] = dict(zip(documents, values, strict=True))
        parts.append((query, documents, values))
        if len(scored[query]) < len(documents):
            again = True
            if not request.repeats:
                raise _twice(documents, request.layout, where)
    if not any(scored.values()):
        text = f"{name}: every list of documents is empty" if scored else f"{name}: there are no queries"
        raise InputError("empty-input", text, remedy="an iterator can be read once only; was one read before?")
    request.orders.agree("order", name, Lists("" if reader is None else reader.scores))
    if pairs and value == "score":
        validate.refuse_ranks((values for _, _, values in parts), name)
    return _of_parts(parts, request) if again else scored


def listed(items: Any, value: str, where: str) -> list[Any]:  # noqa: ANN401 - what a program has
    """What stands for one query, as a list.

    Raises:
        InputError: `input-type` where it is no list, or has no order that a ranking needs.

    """
    if type(items) is list:
        return items
    if isinstance(items, Mapping):
        raise InputError(
            "input-type",
            f"{where} holds a dict, and an earlier query a list",
            remedy=f"give all of them as {{document: {value}}}, or all as lists",
        )
    if isinstance(items, set | frozenset) and value == "score":
        remedy = "give a list, best document first, or {document: score}"
        raise InputError("input-type", f"{where} holds a set, which has no order", remedy=remedy)
    if fields.is_scalar(items) or not isinstance(items, Iterable):
        text = f"{where} holds {validate.shown(items)}, which is {type(items).__name__} and not a list"
        raise InputError("input-type", text, remedy=f"as in {{'q1': ['d1', 'd2']}} or {{'q1': {{'d1': {value}}}}}")
    if fields.is_more(items) or getattr(items, "ndim", 1) > 1:
        text = f"{where} holds a {type(items).__name__}, of which it is not clear what the documents are"
        raise InputError("input-type", text, remedy=f"give a list of ids or a dict {{document: {value}}}")
    return list(fields.plain(items))


def _of_ids(items: list[Any], where: str) -> list[str]:
    if not set(map(type, items)) <= {str, int} and not any(map(validate.is_id, items)):
        text = f"{where} holds {quoted(map(validate.shown, items))}, where ids are expected; ids are text or integers"
        raise InputError("id-type", text, remedy=LABELS)
    named = validate.texts(items, lambda place: f"{where}, item {place}: the document")
    if len({isinstance(item, str) for item in items}) > 1:
        text = f"{where} holds texts and integers: {', '.join(map(validate.shown, items[:3]))}"
        raise InputError("id-type", text, remedy="make all ids texts; a document with a number is a pair: ('d1', 0.5)")
    if items and not isinstance(items[0], str) and -1 in items:
        text = f"{where}, item {items.index(-1)} is -1, with which some libraries fill places where nothing was found"
        raise InputError("missing-value", text, remedy="leave such places out; if it is an id, make all ids texts")
    return named


def _of_pairs(items: list[Any], value: str, where: str) -> tuple[list[str], list[Any]]:
    for place, item in enumerate(items):
        if type(item) not in (tuple, list) or len(item) != _PAIR:
            text = f"{where}, item {place}: {validate.shown(item)} is not a pair (document, {value})"
            remedy = f"give ids alone, or pairs: [(document, {value}), ...]"
            if value == "score":
                remedy = "if these are several runs, rankworth.evaluate_runs takes {name: run, ...}\n" + remedy
            raise InputError("input-type", text, remedy=remedy)
    documents, values = zip(*items, strict=True)
    if not fields.is_scalar(documents[0]):
        text = f"{where}, item 0 is a pair of {type(documents[0]).__name__} and {validate.shown(values[0])}"
        remedy = "give the ids, as in [(document.id, score), ...]; a higher score is better, a higher distance is not"
        raise InputError("id-type", text, remedy=remedy)
    named = validate.texts(documents, lambda place: f"{where}, item {place}: the document")
    if value == "score" and all(score is None for score in values):
        return named, list(by_order(len(named), value))
    validate.numbers(values, value, lambda place: f"{where}, document {named[place]!r}: the {value}")
    return named, list(values)


def _of_records(
    reader: Reader, items: list[Any], query: str, where: str, kinds: validate.IdKinds
) -> tuple[list[str], Sequence[Any] | None]:
    """Ids and values; no values where the records have none, or a score that is None in each."""
    columns = reader.columns(items, query=query)
    documents = validate.texts(columns["document"], lambda place: f"{where}, item {place}: the document")
    kinds.meet("document", columns["document"])
    others = validate.texts(columns.get("query", []), lambda place: f"{where}, item {place}: the query")
    if set(others) - {query}:
        place = next(place for place, other in enumerate(others) if other != query)
        text = f"{where}, item {place} is one of query {quoted([others[place]])}"
        raise InputError("input-type", text, remedy="give rows of all queries in one list: [row, ...]")
    if len(set(columns.get("subtopic", []))) > 1:
        remedy = "give a row for each judgement, with query, subtopic, document and grade"
        raise InputError("input-type", f"{where} has judgements for several subtopics in one list", remedy=remedy)
    for what in SMALLER:
        if what in columns:
            found = validate.numbers(columns[what], what, lambda place, what=what: f"{where}, item {place}: the {what}")  # type: ignore[misc]
            return documents, found.tolist()
    values = columns.get(reader.value, ())
    return documents, None if reader.value == "score" and all(score is None for score in values) else values or None


def by_order(count: int, value: str, first: int = 0) -> Sequence[int]:
    """Scores by the order of documents, or grades of 1."""
    return range(-first - 1, -first - count - 1, -1) if value == "score" else [1] * count


def _twice(documents: list[str], layout: Layout, where: str) -> InputError:
    seen: dict[str, int] = {}
    again = next(place for place, document in enumerate(documents) if seen.setdefault(document, place) != place)
    first = seen[documents[again]]
    return InputError(
        layout.repeated,
        f"{where} {layout.verb} document {quoted([documents[again]])} again as item {again} (first as item {first})",
        remedy="keep one of them",
    )


def _of_parts(parts: list[_Part], request: Request) -> "pl.DataFrame":
    """All lists in one frame: `query, document` and the value."""
    if request.value == "grade" and not all(documents for _, documents, _ in parts):
        empty = next(query for query, documents, _ in parts if not documents)
        text = f"{request.name}: query {quoted([empty])} has no judgement, and others judge a document several times"
        raise InputError(request.layout.repeated, text, remedy="keep one judgement of each document")
    items: dict[str, list[Any]] = {
        "query": [query for query, documents, _ in parts for _ in documents],
        "document": [document for _, documents, _ in parts for document in documents],
        request.value: [number for _, _, numbers in parts for number in numbers],
    }
    return frame(items, request)


def _single_pair(named: Mapping[str, Any]) -> str | None:
    """A query with a tuple of an id and an integer, if all have such, which may be one pair each; None otherwise."""
    for items in named.values():
        if type(items) is not tuple or len(items) != _PAIR:
            return None
        if not validate.is_id(items[0]) or not validate.is_integer(type(items[1])):
            return None
    return next(iter(named), None)


def _refuse_labels(lists: list[list[Any]], value: str, name: str) -> None:
    """Refuse lists of integers that may as well be labels as ids of documents: some repeat, or all are small."""
    if not all(map(validate.is_integer, {kind for items in lists for kind in set(map(type, items))})):
        return
    seen = set().union(*lists)
    small = seen <= set(GRADES)
    repeated = any(len(set(items)) < len(items) for items in lists)
    if value == "score":
        doubtful = small and repeated
    else:
        doubtful = repeated or (small and 0 in seen and any(len(items) > 1 for items in lists))
    if doubtful:
        raise InputError(
            "input-type",
            f"{name}: the lists hold {', '.join(map(str, sorted(seen)[:4]))}{' ...' if len(seen) > 4 else ''}"  # noqa: PLR2004 - as shown
            f"{', some of them again and again' if repeated else ''}; these look like labels, and ids are expected",
            remedy=LABELS
            if value == "score"
            else f"{LABELS}\nif they are ids, give sets: {{'q1': {{0, 1}}}} or [{{0, 1}}, ...]",
        )


# Rows


def read(rows: Iterator[Any], request: Request, names: Sequence[str] = ()) -> "pl.DataFrame | Scored":
    """All rows in one frame, or in dicts by query where each row holds the documents of a query as a list.

    Args:
        rows: gone through once; counted from 0 in messages.
        request: what is to be read.
        names: the names of the fields, where the rows do not have them.

    Raises:
        InputError: `empty-input`, `frame-columns`, `input-type`, `id-type`, `missing-value`, `bad-score`, `bad-grade`.

    """
    import polars as pl  # noqa: PLC0415 - lists of ids need no dataframe library

    some = list(islice(rows, BATCH))
    if not some:
        raise InputError("empty-input", f"{request.name}: there is not one row")
    reader = Reader(some[0], request, names=names)
    whole_numbers = {*reader.fields} if reader.by_place else set()
    is_pair = reader.by_place and len(reader.fields) < 3  # noqa: PLR2004 - query and document
    parts: list[pl.DataFrame] = []
    first = 0
    while some:
        items = reader.columns(some, first)
        if not parts and is_several(items["document"][0]):
            return _of_lists(reader, [*some, *rows], request)
        whole_numbers &= {what for what in whole_numbers if set(map(type, items[what])) == {int}}
        if is_pair and any(isinstance(item, float) for item in items["document"]):
            raise _scored_documents(request)
        for what in ("query", "document"):
            request.kinds.meet(what, items[what])
        parts.append(frame(items, request, first))
        first += len(some)
        some = list(islice(rows, BATCH))
    whole = pl.concat(parts)
    if is_pair and "document" in whole_numbers and whole["query"].n_unique() == whole.height:
        raise _scored_documents(request)
    if "score" in whole_numbers:
        _refuse_like_ranks(whole, request.name)
    return whole


def frame(items: Mapping[str, Sequence[Any]], request: Request, first: int = 0) -> "pl.DataFrame":
    """Some rows as a frame.

    Args:
        items: what stands in each column: `query`, `document`, and what else is known.
        request: what is to be read.
        first: the number of the first of them.

    Raises:
        InputError: `id-type`, `missing-value`, `bad-score`, `bad-grade`.

    """
    import polars as pl  # noqa: PLC0415 - lists of ids need no dataframe library

    columns: dict[str, Any] = {}
    for what, column in items.items():

        def where(place: int, what: str = what) -> str:
            return f"{request.name}: row {place + first}: the {what}"

        if what in ("score", "rank", "distance", "grade"):
            columns[request.value] = validate.numbers(column, what, where)
        elif what == "subtopic" and None in column:
            named = (item if item is None else validate.text(item, where(place)) for place, item in enumerate(column))
            columns[what] = of_texts(what, list(named), request.name, first)
        else:
            columns[what] = of_texts(what, validate.texts(column, where), request.name, first)
    if request.value not in columns:
        columns[request.value] = by_order(len(items["query"]), request.value, first)
    return pl.DataFrame(columns, schema_overrides={request.value: pl.Float64})


def _of_lists(reader: Reader, rows: list[Any], request: Request) -> "pl.DataFrame | Scored":
    """Rows that hold the documents of a query as a list, with a list of values or without."""
    value, name = request.value, request.name
    columns = reader.columns(rows)
    queries = validate.texts(columns["query"], lambda place: f"{name}: row {place}: the query")
    if len(set(queries)) < len(queries):
        again = next(place for place, query in enumerate(queries) if query in queries[:place])
        text = f"{name}: row {again} lists documents of query {quoted([queries[again]])} again"
        raise InputError("input-type", text, remedy="put all documents of a query into one row")
    others = set(columns) - {"query", "document", value}
    if others:
        text = f"{name}: a row with a list of documents has one of {value}s, and no {quoted(others)}"
        raise InputError("input-type", text, remedy=f"leave {quoted(others)} out, or give a row for each document")
    lists = columns["document"]
    request.orders.agree("order", name, Lists(reader.scores))
    if value in columns:
        lists = [
            _pairs(*both, value, f"{name}: row {row}")
            for row, both in enumerate(zip(lists, columns[value], strict=True))
        ]
    return lists_by_query(dict(zip(columns["query"], lists, strict=True)), replace(request, columns=reader.unused))


def _pairs(documents: Any, values: Any, value: str, where: str) -> list[tuple[Any, Any]]:  # noqa: ANN401 - lists or not
    if not is_several(documents) or not is_several(values) or len(documents) != len(values):
        shown = f"{validate.shown(documents)} and {validate.shown(values)}"
        text = f"{where} holds, as documents and {value}s, {shown}"
        raise InputError("input-type", text, remedy=f"give two lists of the same length, a {value} for each document")
    return list(zip(documents, values, strict=True))


def _scored_documents(request: Request) -> InputError:
    """The error for pairs that may be documents with their values."""
    value = request.value
    text = f"{request.name}: the rows may be (query, document) as well as (document, {value})"
    remedy = f"give (query, document, {value}), or for one query {{'q1': [(document, {value}), ...]}}"
    return InputError("input-type", text, remedy=remedy)


def _refuse_like_ranks(frame: "pl.DataFrame", name: str) -> None:
    """Refuse scores without a name that count up in each query from 0 or 1, as ranks do."""
    import polars as pl  # noqa: PLC0415 - lists of ids need no dataframe library

    place = pl.int_range(pl.len()).over("query")
    ranks = [pl.col("score").eq(place + first).all().alias(str(first)) for first in (0, 1)]
    if frame["query"].n_unique() < frame.height and any(frame.select(ranks).row(0)):
        raise validate.like_ranks(name)
