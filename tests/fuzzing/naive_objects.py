"""Naive and strict readers of JSON, by the module `json`."""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from fuzzing.material import Row
from fuzzing.naive import LISTS, MARK, NAMES, SUBTOPICS, Unclear, is_beside, roles

_VALUES: Final = {"score": ("score", "rank"), "grade": ("grade",)}
Object = dict[str, Any]


def loads(content: bytes) -> Any:
    """What a text says.

    Raises:
        Unclear: where it is no JSON, or an object has a key twice.

    """
    try:
        value = json.loads(content.removeprefix(MARK).decode(), object_pairs_hook=_once)
        json.dumps(value, ensure_ascii=False).encode()  # no half of a surrogate pair
    except (ValueError, RecursionError) as error:
        raise Unclear(f"no JSON: {error}") from None
    return value


def _once(pairs: list[tuple[str, Any]]) -> Object:
    if len(dict(pairs)) < len(pairs):
        raise Unclear("a key twice in an object")
    return dict(pairs)


def jsonl(content: bytes, value: str, columns: Mapping[str, str]) -> list[Row]:
    """An object in each line."""
    lines = [line for line in content.split(b"\n") if line.removeprefix(MARK).strip(b" \t\r\n\v\f")]
    return _objects([loads(line) for line in lines], value, columns)


def document(content: bytes, value: str, columns: Mapping[str, str]) -> list[Row]:
    """One document of any kind."""
    whole = loads(content)
    if isinstance(whole, list):
        return _objects(whole, value, columns)
    if not isinstance(whole, dict):
        raise Unclear("neither object nor list")
    inner = whole.get("rank_eval")
    bare = inner if isinstance(inner, dict) and len(whole) == 1 else whole
    requests: Any = bare.get("requests")
    details: Any = bare.get("details")
    if _are_objects(requests, list) and any({"ratings", "request", "template_id"} & one.keys() for one in requests):
        return _requests(bare, value, columns)
    if _are_objects(details, dict) and ({"metric_score", "failures"} & bare.keys() or _have_hits(details)):
        return _response(bare, value, columns)
    if "error" in bare and "status" in bare:
        raise Unclear("an error of the search engine")
    if not all(isinstance(one, dict | list) for one in whole.values()):
        return _objects([whole], value, columns)
    return _of_queries(whole, value, columns)


def _are_objects(held: Any, kind: type) -> bool:
    items = held.values() if isinstance(held, dict) else held
    return isinstance(held, kind) and all(isinstance(one, dict) for one in items)


def _have_hits(details: Object) -> bool:
    return any("hits" in one for one in details.values())


def _of_queries(whole: Object, value: str, columns: Mapping[str, str]) -> list[Row]:
    """A dict of dicts or of lists."""
    try:
        roles(list(whole), value, columns)
    except Unclear:
        pass
    else:
        raise Unclear("a table column by column")
    if len({type(one) for one in whole.values()}) != 1:
        raise Unclear("dicts and lists")
    rows: list[Row] = []
    if any(isinstance(one, list) for one in whole.values()):
        return _objects([{"query": query, "documents": one} for query, one in whole.items()], value, columns)
    for query, one in whole.items():
        if not one and value == "grade":
            raise Unclear("a query without judgements")
        rows += [(query, key, number, None) for key, number in _judged(one.items(), value)]
    return _complete(rows)


def _complete(rows: list[Row]) -> list[Row]:
    if not rows:
        raise Unclear("no rows")
    return rows


def _objects(objects: Sequence[Any], value: str, columns: Mapping[str, str]) -> list[Row]:
    rows: list[Row] = []
    ordered: set[str] = set()
    forms: set[str] = set()
    told: set[tuple[str, ...]] = set()
    if not all(isinstance(one, dict) for one in objects):
        raise Unclear("not an object")
    graded = value == "grade" and any("grade" in _keys(one, value, columns) for one in objects)
    valued = graded or _have_values(objects, value, columns)
    for one in objects:
        found = _keys(one, value, columns)
        told.add((found["query"], found["document"]) if value == "grade" else ())
        query = _id(one[found["query"]])
        documents = one[found["document"]]
        subtopic = _id(one[found["subtopic"]]) if "subtopic" in found else None
        form, more = _documents(one, found, documents, value, columns, valued=valued)
        if form.endswith("order") and more and value == "score":
            if query in ordered:
                raise Unclear("two lists of a query whose order counts")
            ordered.add(query)
        forms |= {form} if more else set()
        rows += [(query, document, number, subtopic) for document, number in more]
    if len(forms) > 1 or len(told) > 1:
        raise Unclear(f"objects of several kinds: {forms} {told}")
    return _complete(rows)


def _documents(
    one: Object, found: Mapping[str, str], documents: Any, value: str, columns: Mapping[str, str], *, valued: bool
) -> tuple[str, list[tuple[str, float]]]:
    """What kind of object it is, and its documents; without those of a blank grade, where others are `valued`."""
    kind = next((kind for kind in _VALUES[value] if kind in found), "")
    number = one[found[kind]] if kind else None
    if isinstance(documents, dict):
        if kind:
            raise Unclear("numbers within and beside")
        _check_listed(documents, value)
        return "dict", _judged(documents.items(), value)
    if not isinstance(documents, list):
        if not kind and not (valued and value == "grade"):
            _refuse_numbers(one, found, value)
            return f"row {kind}", [(_id(documents), 1.0)]
        return f"row {kind or 'grade'}", _judged([(_id(documents), number)], kind or "grade")
    _check_listed(documents, value)
    if documents and all(isinstance(each, dict) for each in documents):
        return _records(documents, one, found, kind, value, columns, valued=valued)
    if kind:
        return _beside(documents, number, kind)
    _refuse_numbers(one, found, value, length=len(documents))
    return "ids in order", [(_id(each), 1.0 if value == "grade" else -float(p)) for p, each in enumerate(documents, 1)]


def _beside(documents: Sequence[Any], number: Any, kind: str) -> tuple[str, list[tuple[str, float]]]:
    """A list of numbers beside that of the documents, or one grade for all of them."""
    if not isinstance(number, list):
        if kind != "grade":
            raise Unclear("one number for a list")
        return "ids and a grade", _judged([(_id(each), number) for each in documents], kind)
    if len(number) != len(documents):
        raise Unclear("lists of different lengths")
    return f"ids {kind}", _judged([(_id(each), item) for each, item in zip(documents, number, strict=True)], kind)


def _judged(pairs: Iterable[tuple[str, Any]], kind: str) -> list[tuple[str, float]]:
    """Documents with their numbers, without those whose grade is blank: nobody judged them."""
    return [(document, _number(item, kind)) for document, item in pairs if kind != "grade" or not _is_blank(item)]


def _is_blank(item: Any) -> bool:
    return item is None or (isinstance(item, float) and math.isnan(item))


def _have_values(objects: Sequence[Object], value: str, columns: Mapping[str, str]) -> bool:
    """Whether a record in a list of documents has a score or a grade."""
    held = [item for one in objects for item in one.values() if isinstance(item, list)]
    records = [record for items in held for record in items if isinstance(record, dict)]
    return any(key.lower() in NAMES[value] or key == columns.get(value) for record in records for key in record)


def _check_listed(documents: Any, value: str) -> None:
    if not documents and value == "grade":
        raise Unclear("a query without judgements")


def _records(
    documents: Sequence[Object],
    one: Object,
    found: Mapping[str, str],
    kind: str,
    value: str,
    columns: Mapping[str, str],
    *,
    valued: bool,
) -> tuple[str, list[tuple[str, float]]]:
    if kind:
        raise Unclear("numbers beside records")
    pairs = []
    keys = set()
    for place, record in enumerate(documents, 1):
        inner = _keys(record, value, columns, within=True)
        told = next((role for role in _VALUES[value] if role in inner), "grade" if valued and value == "grade" else "")
        keys.add((inner["document"], told if told == "grade" else inner.get(told, "")))
        if "subtopic" in inner:
            raise Unclear("subtopics within records")
        if not told and not valued:
            _refuse_numbers(record, inner, value)
        document = _id(record[inner["document"]])
        if told:
            pairs += _judged([(document, record.get(inner.get(told, "")))], told)
        else:
            pairs.append((document, 1.0 if value == "grade" else -float(place)))
    if len(keys) > 1:
        raise Unclear("records with different keys")
    ordered = all(not told for _, told in keys)
    if ordered:
        _refuse_numbers(one, found, value, length=len(documents))
    return "records in order" if ordered else "records", pairs


def _keys(one: Object, value: str, columns: Mapping[str, str], *, within: bool = False) -> dict[str, str]:
    """The keys of what counts."""
    found: dict[str, str] = {}
    taken = set(columns.values())
    wanted = ("document", *_VALUES[value]) if within else ("query", "document", *_VALUES[value])
    for role in wanted:
        if role == "rank" and "score" in found:
            continue
        keys = [key for key in one if columns.get(role) == key]
        keys = keys or [key for key in one if key.lower() in NAMES[role] and key not in taken]
        keys = keys or [key for key in one if key.lower() in LISTS.get(role, ()) and key not in taken]
        if not keys and role == "document" and within:
            keys = [key for key in one if key.lower() in ("id", "_id")]
        if len(keys) > 1:
            keys = [key for key in keys if not is_beside(key, keys)] or keys
        if len(keys) > 1:
            raise Unclear(f"several keys for the {role}")
        if keys:
            found[role] = keys[0]
    if "document" not in found or ("query" not in found and not within):
        raise Unclear("no query or no document")
    if value == "grade":
        subtopics = [key for name in SUBTOPICS for key in one if key.lower() == name]
        found |= {"subtopic": subtopics[0]} if subtopics else {}
        scores = [key for key in one if key.lower() in NAMES["score"]]
        if "grade" not in found and found["document"].lower() == "corpus-id" and len(scores) == 1:
            found["grade"] = scores[0]
    return found


def _refuse_numbers(one: Object, found: Mapping[str, str], value: str, *, length: int | None = None) -> None:
    """Without values, no other key may hold numbers, nor be called as if it did; and a row of a run needs some."""
    if value == "score" and length is None and "query" in found:
        raise Unclear("neither score nor rank")
    for key, item in one.items():
        if key in found.values():
            continue
        if key.lower() in NAMES["score"] | NAMES["rank"] or _is_numeric(item, length):
            raise Unclear(f"{key!r} may hold the values")


def _is_numeric(item: Any, length: int | None) -> bool:
    if length is not None:
        return isinstance(item, list) and len(item) == length and bool(item) and all(_is_numeric(i, None) for i in item)
    if isinstance(item, str):
        try:
            float(item)
        except ValueError:
            return False
        return True
    return isinstance(item, int | float)


def _id(item: Any) -> str:
    if isinstance(item, bool) or not isinstance(item, str | int):
        raise Unclear("an id that is neither text nor integer")
    return item if isinstance(item, str) else str(item)


def _number(item: Any, kind: str) -> float:
    if not isinstance(item, int | float):
        raise Unclear("not a number")
    try:
        number = float(item)
    except OverflowError:
        raise Unclear("a huge integer") from None
    if math.isnan(number) or (math.isinf(number) and kind != "score"):
        raise Unclear("no finite number")
    return -number if kind == "rank" else number


# _rank_eval


def _requests(bare: Object, value: str, columns: Mapping[str, str]) -> list[Row]:
    if value == "score":
        raise Unclear("a request is no run")
    found: list[tuple[str, str | None, str, Any]] = []
    seen = set()
    for request in bare["requests"]:
        query = _id(request.get("id"))
        ratings = request.get("ratings")
        if query in seen or not isinstance(ratings, list) or not ratings:
            raise Unclear("a request twice, or without ratings")
        seen.add(query)
        for rating in ratings:
            if not isinstance(rating, dict):
                raise Unclear("a rating that is no object")
            found.append((query, rating.get("_index"), _id(rating.get("_id")), rating.get("rating")))
    rated = [(*each[:3], _number(each[3], "grade")) for each in found if each[3] is not None]
    return _named(rated, columns, {str(index) for _, index, *_ in found})


def _response(bare: Object, value: str, columns: Mapping[str, str]) -> list[Row]:
    if "error" in bare or (isinstance(bare.get("failures"), dict) and bare["failures"]):
        raise Unclear("some searches failed")
    found: list[tuple[str, str | None, str, Any]] = []
    for query, detail in bare["details"].items():
        hits = detail.get("hits")
        if not isinstance(hits, list):
            raise Unclear("no list of hits")
        for rated in hits:
            hit = rated.get("hit") if isinstance(rated, dict) else None
            if not isinstance(hit, dict):
                raise Unclear("a hit that is no object")
            _id(hit.get("_id"))
            found.append(
                (query, hit.get("_index"), hit["_id"], hit.get("_score") if value == "score" else rated.get("rating"))
            )
    indices = {str(index) for _, index, *_ in found}
    if value == "grade":
        rated = [(*hit[:2], _id(hit[2]), _number(hit[3], "grade")) for hit in found if hit[3] is not None]
        return _named(rated, columns, indices)
    ranked: list[tuple[str, str | None, str, float]] = []
    by_order = any(hit[3] is None for hit in found)
    scores = [0.0 if by_order else _number(hit[3], "score") for hit in found]
    places: dict[str, int] = {}
    for hit, score in zip(found, scores, strict=True):
        places[hit[0]] = places.get(hit[0], 0) + 1
        ranked.append((*hit[:2], _id(hit[2]), -float(places[hit[0]]) if by_order else score))
    return _named(ranked, columns, indices)


def _named(
    found: Sequence[tuple[str, str | None, str, float]], columns: Mapping[str, str], indices: set[str]
) -> list[Row]:
    """Documents go by their ids; where a file names several indices, by both."""
    said = columns.get("document")
    if said == "_id" or (said != "_index/_id" and len(indices) == 1):
        return _complete([(query, document, number, None) for query, _, document, number in found])
    return _complete([(query, f"{_id(index)}/{document}", number, None) for query, index, document, number in found])
