"""Writes JSON: lines, dicts, lists of objects, requests and responses of _rank_eval."""

import json as library
import math
from collections.abc import Callable, Sequence
from random import Random
from typing import Any, Final

from fuzzing.material import Dicts, Row, Written, collection, rows_of
from fuzzing.texts import HEADERS, shuffled

_LISTS: Final = {
    "document": ("documents", "docs", "doc_ids", "results", "hits", "items", "ranking"),
    "score": ("scores", "predictions", "score"),
    "grade": ("grades", "labels", "relevances", "grade"),
}
Object = dict[str, Any]


def jsonl(random: Random, value: str) -> Written:
    """An object in each line: a row, or a query with documents."""
    rows, objects = _objects(random, collection(random, "jsonl", value), value)
    dump = _dumping(random, lines=True)
    end = random.choice(("\n", "\n", "\r\n"))
    lines = [dump(each) for each in objects]
    if random.random() < 0.1:
        lines.insert(random.randrange(len(lines) + 1), "")
    text = end.join(lines) + random.choice((end, ""))
    content = text.encode("utf-8-sig" if random.random() < 0.1 else "utf-8")
    sniffed = not lines[0] or len(objects) > 1 or not any(isinstance(item, list | dict) for item in objects[0].values())
    return Written(content, rows, "jsonl", value, sniffed=sniffed)


def json(random: Random, value: str) -> Written:
    """One document."""
    dicts = collection(random, "json", value)
    kind = random.random()
    document: Any
    if kind < 0.5:
        rows = rows_of(dicts)
        document = {
            query: {key: _number(random, number) for key, number in inner.items()} for query, inner in dicts.items()
        }
        if value == "score" and random.random() < 0.1:
            document["nothing found"] = {}
    elif kind < 0.65 and value == "score":
        rows = [(query, one, -float(place), None) for query in dicts for place, one in enumerate(dicts[query], 1)]
        document = {query: list(inner) for query, inner in dicts.items()}
    elif kind < 0.75:
        rows = rows_of(dicts)
        name = random.choice(("document", "doc_id", "id", "_id"))
        document = {
            query: [{name: one, value: _number(random, number)} for one, number in inner.items()]
            for query, inner in dicts.items()
        }
    else:
        rows, document = _objects(random, dicts, value)
    text = _dumping(random)(document)
    return Written(text.encode("utf-8-sig" if random.random() < 0.1 else "utf-8"), rows, "json", value)


def rank_eval(random: Random, value: str) -> Written:
    """A request, or a response."""
    dicts = collection(random, "rank_eval", value)
    several = random.random() < 0.4
    index = {one: f"index-{number % 2 if several else 0}" for number, one in enumerate(_documents(dicts))}
    named = len(set(index.values())) > 1 or (random.random() < 0.1)
    columns = {"document": "_index/_id"} if named and len(set(index.values())) == 1 else {}
    if value == "score":
        rows, document = _response(random, dicts, index)
    elif random.random() < 0.3:
        dicts, document = _rated(random, dicts, index)
        rows = rows_of(dicts)
    else:
        rows = rows_of(dicts)
        document = {"requests": [_request(random, query, inner, index) for query, inner in dicts.items()]}
        document |= {"metric": {"precision": {"k": 10}}} if random.random() < 0.5 else {}
    if named:
        rows = [(query, f"{index[one]}/{one}", number, None) for query, one, number, _ in rows]
    if "details" in document and random.random() < 0.2:
        document = {"rank_eval": document}
    text = _dumping(random)(document)
    return Written(text.encode(), rows, "json", value, columns)


def _documents(dicts: Dicts) -> list[str]:
    return list(dict.fromkeys(document for inner in dicts.values() for document in inner))


def _request(random: Random, query: str, inner: dict[str, float], index: dict[str, str]) -> Object:
    ratings = [{"_index": index[one], "_id": one, "rating": _number(random, grade)} for one, grade in inner.items()]
    return {"id": query, "request": {"query": {"match": {"text": query}}}, "ratings": ratings}


def _hit(one: str, index: dict[str, str], score: Any, rating: Any) -> Object:
    return {"hit": {"_index": index[one], "_id": one, "_score": score}, "rating": rating}


def _response(random: Random, dicts: Dicts, index: dict[str, str]) -> tuple[list[Row], Object]:
    """Scores that fall, where there are any and none are equal; otherwise the order counts."""
    scored = random.random() < 0.7 and all(len(set(inner.values())) == len(inner) for inner in dicts.values())
    if scored:
        dicts = {query: dict(sorted(inner.items(), key=lambda item: -item[1])) for query, inner in dicts.items()}
        rows = rows_of(dicts)
    else:
        rows = [(query, one, -float(place), None) for query in dicts for place, one in enumerate(dicts[query], 1)]
    details = {
        query: {
            "metric_score": 0.5,
            "unrated_docs": [],
            "hits": [_hit(one, index, score if scored else None, None) for one, score in inner.items()],
        }
        for query, inner in dicts.items()
    }
    return rows, {"metric_score": 0.25, "details": details, "failures": {}}


def _rated(random: Random, dicts: Dicts, index: dict[str, str]) -> tuple[Dicts, Object]:
    """Judgements of what was found; some hits have none."""
    details: Object = {}
    told: Dicts = {}
    for query, inner in dicts.items():
        kept = {one: grade for one, grade in inner.items() if random.random() < 0.6 or not told}
        hits = [_hit(one, index, 1.0, _number(random, inner[one]) if one in kept else None) for one in inner]
        details[query] = {"metric_score": 0.5, "hits": hits}
        if kept:
            told[query] = kept
    return told, {"metric_score": 0.25, "details": details, "failures": {}}


def _objects(random: Random, dicts: Dicts, value: str) -> tuple[list[Row], list[Object]]:
    """Objects of one kind, and the rows that they say."""
    kind = random.choice(("row", "row", "ids", "records", "beside", "dict"))
    query_name = random.choice(HEADERS["query"])
    document_name = random.choice(HEADERS["document"] if kind == "row" else _LISTS["document"])
    if kind == "row":
        return _of_rows(random, shuffled(random, dicts), query_name, document_name, value)
    objects: list[Object] = []
    rows = rows_of(dicts)
    if kind == "ids":
        rows = [
            (query, one, -float(place) if value == "score" else 1.0, None)
            for query in dicts
            for place, one in enumerate(dicts[query], 1)
        ]
    inner_name = random.choice((*HEADERS["document"], "id", "_id"))
    value_name = random.choice(HEADERS[value])
    values_name = random.choice(_LISTS[value])
    for query, inner in dicts.items():
        numbers = [_number(random, number) for number in inner.values()]
        objects.append({query_name: query, document_name: list(inner)})
        if kind == "records":
            objects[-1][document_name] = [
                {inner_name: one, value_name: number} for one, number in zip(inner, numbers, strict=True)
            ]
        elif kind == "dict":
            objects[-1][document_name] = dict(zip(inner, numbers, strict=True))
        elif kind == "beside":
            objects[-1][values_name] = numbers
        if random.random() < 0.1:
            objects[-1]["text"] = "what it says"
    return rows, objects


def _of_rows(
    random: Random, rows: Sequence[Row], query_name: str, document_name: str, value: str
) -> tuple[list[Row], list[Object]]:
    kind = value
    if value == "score" and random.random() < 0.2:
        kind, rows = "rank", [(*row[:2], -float(place), None) for place, row in enumerate(rows, 1)]
    elif value == "grade" and random.random() < 0.2:
        rows = [(*row[:3], random.choice("ab1")) for row in rows]
    name, extra = random.choice(HEADERS[kind]), random.random() < 0.2
    objects = []
    for query, document, number, subtopic in rows:
        told = round(-number) if kind == "rank" else _number(random, number)
        items: list[tuple[str, Any]] = [
            (query_name, _id(random, query)),
            (document_name, _id(random, document)),
            (name, told),
        ]
        items += [("subtopic", subtopic)] if subtopic is not None else []
        items += [("title", 'a "title": {"score": 1}')] if extra else []
        if extra:
            random.shuffle(items)
        objects.append(dict(items))
    return list(rows), objects


def _id(random: Random, text: str) -> Any:
    """An id, which may be an integer where it reads like one."""
    if text.isascii() and text.isdecimal() and str(int(text)) == text and len(text) < 19 and random.random() < 0.5:
        return int(text)
    return text


def _number(random: Random, number: float) -> float | int:
    """A float, or the integer that is the same."""
    if number.is_integer() and abs(number) < 2**53 and random.random() < 0.6 and math.copysign(1, number) > 0:
        return int(number)
    return number


def _dumping(random: Random, *, lines: bool = False) -> Callable[[Any], str]:
    options: dict[str, Any] = {"ensure_ascii": random.random() < 0.3}
    if not lines and random.random() < 0.4:
        options["indent"] = random.choice((0, 1, 2, "\t"))
    elif random.random() < 0.5:
        options["separators"] = (",", ":")
    return lambda item: library.dumps(item, **options)
