"""Rankings and judgements as lists, `{query: [document, ...]}`, brought to dicts of dicts.

The items of a list are ids, pairs `(document, number)`, or records with a field for the document. Ids alone are ranked
as they stand, with the scores -1, -2, -3 ...; as judgements they have the grade 1.
"""

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Any, Final

from rankworth.errors import InputError, quoted
from rankworth.io import validate
from rankworth.io.columns import SMALLER
from rankworth.io.lines import Layout
from rankworth.io.programs import native
from rankworth.io.programs.fields import Asked, Reader
from rankworth.io.reading import Lists

if TYPE_CHECKING:
    import polars as pl

_Part = tuple[str, list[str], Sequence[Any]]
Scored = dict[str, Mapping[str, Any]]
"""`{query: {document: number}}`; the numbers are looked at when they are used."""
LABELS: Final = "labels stand beside scores or orders of the same items: labels=[[1, 0, 2]], scores=[[0.9, 0.2, 0.7]]"
GRADES: Final = range(5)
_PAIR: Final = 2


def read(lists: Mapping[Any, Any], asked: Asked) -> "Scored | pl.DataFrame":
    """Lists by query as dicts by query; an empty list stays an empty dict.

    Args:
        lists: `{query: [...]}`; for judgements also sets.
        asked: what is to be read.

    Raises:
        InputError: `input-type`, `id-type`, `missing-value`, `duplicate-document`, `duplicate-judgement`, and what
            `fields.Reader` finds in records.

    """
    value, name = asked.value, asked.name
    asked.kinds.meet("query", lists)
    named = validate.keys(lists, duplicate=asked.layout.repeated, name=name)
    held = {query: listed(items, value, f"{name}: query {query!r}") for query, items in named.items()}
    if all(
        type(items) is tuple and len(items) == _PAIR and all(map(validate.is_id, items)) for items in named.values()
    ):
        _refuse_single_pairs(held, value, name)
    if not any(isinstance(items, AbstractSet) for items in named.values()):
        _refuse_labels(list(held.values()), value, name)
    scored: Scored = {}
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
            asked.kinds.meet("document", (item[0] for item in items))
        elif native.is_scalar(items[0] if items else ""):
            documents, values = _of_ids(items, where), by_order(len(items), value)
            asked.kinds.meet("document", items)
        else:
            reader = reader or Reader(items[0], asked, query=query)
            documents, given = _of_records(reader, items, query, where, asked.kinds)
            values = by_order(len(items), value) if given is None else given
        scored[query] = dict(zip(documents, values, strict=True))
        parts.append((query, documents, values))
        if len(scored[query]) < len(documents):
            again = True
            if not asked.repeats:
                raise _twice(documents, asked.layout, where)
    if not any(scored.values()):
        text = f"{name}: every list of documents is empty" if scored else f"{name}: there are no queries"
        raise InputError("empty-input", text, remedy="an iterator can be read once only; was one read before?")
    asked.orders.agree("order", name, Lists("" if reader is None else reader.scores))
    if pairs and value == "score":
        validate.refuse_ranks((values for _, _, values in parts), name)
    return _frame(parts, asked) if again else scored


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
    if native.is_scalar(items) or not isinstance(items, Iterable):
        text = f"{where} holds {validate.shown(items)}, which is {type(items).__name__} and not a list"
        raise InputError("input-type", text, remedy=f"as in {{'q1': ['d1', 'd2']}} or {{'q1': {{'d1': {value}}}}}")
    if native.is_more(items) or getattr(items, "ndim", 1) > 1:
        text = f"{where} holds a {type(items).__name__}, of which it is not clear what the documents are"
        raise InputError("input-type", text, remedy=f"give a list of ids or a dict {{document: {value}}}")
    return list(native.plain(items))


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
    if not native.is_scalar(documents[0]):
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


def _frame(parts: list[_Part], asked: Asked) -> "pl.DataFrame":
    """All lists in one frame: `query, document` and the value."""
    from rankworth.io.programs import rows  # noqa: PLC0415 - for lists that have a document several times only

    if asked.value == "grade" and not all(documents for _, documents, _ in parts):
        empty = next(query for query, documents, _ in parts if not documents)
        text = f"{asked.name}: query {quoted([empty])} has no judgement, and others judge a document several times"
        raise InputError(asked.layout.repeated, text, remedy="keep one judgement of each document")
    items: dict[str, list[Any]] = {
        "query": [query for query, documents, _ in parts for _ in documents],
        "document": [document for _, documents, _ in parts for document in documents],
        asked.value: [number for _, _, numbers in parts for number in numbers],
    }
    return rows.frame(items, asked)


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


def _refuse_single_pairs(held: Mapping[str, list[Any]], value: str, name: str) -> None:
    """Refuse tuples of two, the second an integer, that may be one pair for each query."""
    if held and all(validate.is_integer(type(items[1])) for items in held.values()):
        query, (document, number) = next(iter(held.items()))
        raise InputError(
            "input-type",
            f"{name}: query {query!r} holds {validate.shown((document, number))}, which may be two documents or one "
            f"with its {value}",
            remedy=f"give a list: [{document!r}, {number!r}] or [({document!r}, {number!r})]",
        )
