"""What goes to and comes from `_rank_eval` of Elasticsearch and OpenSearch: requests hold judgements, responses hits.

_rank_eval measures the order of the hits, whatever their scores say, which are kept where each hit has one. Their
ratings are judgements, too, of what the search returned.

Documents go by `_id`; where a file names several indices, by `_index/_id`. `columns={"document": "_id"}` and
`columns={"document": "_index/_id"}` say which.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import polars as pl

from rankworth.errors import InputError, quoted, shortened
from rankworth.io.columns import unjudged
from rankworth.io.json_text import shown
from rankworth.io.lines import QRELS, RUN, Layout
from rankworth.io.reading import Lists, Orders
from rankworth.io.records import Columns, Records, by_order

_INDEXED: Final = "_index/_id"
"""a name of an index has no slash"""
_WHOLE: Final = "save what goes to _rank_eval, and what comes from it, whole and unchanged"
_REQUEST: Final = frozenset({"request", "ratings", "template_id"})

Hits = dict[str, list[dict[str, Any]]]
"""for each query its hits or ratings, with `_id`, and `_index`, `_score` and `rating` where they are known"""


def is_known(document: Mapping[str, Any]) -> bool:
    """Whether this is a request, a response, or the error that came instead."""
    document = _bare(document)
    requests, details = document.get("requests"), document.get("details")
    if isinstance(requests, list) and all(isinstance(request, dict) for request in requests):
        return any(not _REQUEST.isdisjoint(request) for request in requests)
    if isinstance(details, dict) and all(isinstance(detail, dict) for detail in details.values()):
        signs = "metric_score" in document or "failures" in document
        return signs or any("hits" in detail for detail in details.values())
    return "error" in document and "status" in document


def frame(
    document: Mapping[str, Any], layout: Layout, columns: Mapping[str, str], orders: Orders, name: str
) -> pl.DataFrame:
    """The hits or the judgements.

    Args:
        document: for which `is_known` holds.
        layout: `RUN` or `QRELS`.
        columns: which key holds the document, as the user says.
        orders: how the documents of the run are ranked.
        name: what messages call it.

    Raises:
        InputError: `input-type`, `failed-queries`, `frame-columns`, `id-type`, `missing-value`, `bad-score`,
            `bad-grade`, `duplicate-judgement`, `empty-input`.

    """
    document = _bare(document)
    hits = _hits_of(document, layout, name)
    several = len({str(hit.get("_index")) for some in hits.values() for hit in some}) > 1
    if layout is QRELS and "details" in document:
        hits = {query: [hit for hit in some if hit["rating"] is not None] for query, some in hits.items()}
    if not any(hits.values()):
        raise InputError("empty-input", f"{name}: there are no {'hits' if layout is RUN else 'ratings'}")
    rows = [(query, item, hit) for query, some in hits.items() for item, hit in enumerate(some, 1)]

    def where(row: int) -> str:
        return f"{name}: query {quoted([rows[row][0]])}, item {rows[row][1]}"

    if layout is RUN:
        orders.meet(hits, lambda row: f"{name}: query {quoted([list(hits)[row]])}")
        orders.agree("order", name, Lists("_score", is_order=True))
    records = Records(layout, {}, orders, show=shown)
    found: Columns = {"query": [query for query, *_ in rows], "document": [hit["_id"] for *_, hit in rows]}
    key = "_score" if layout is RUN else "rating"
    found[layout.value] = [hit.get(key) for *_, hit in rows]
    if layout is RUN and None in found["score"]:
        found["score"] = [score for some in hits.values() for score in by_order(len(some), layout)]
    found = records.checked(found, where)
    if columns.get("document", _INDEXED if several else "_id") == _INDEXED:
        indices = records.checked({"_index": [hit.get("_index") for *_, hit in rows]}, where)["_index"]
        found["document"] = list(map("/".join, zip(indices, found["document"], strict=True)))
    return records.joined(found, where)


def _bare(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """Without the object around it that old versions and the manual have."""
    inner = document.get("rank_eval")
    return inner if isinstance(inner, dict) and len(document) == 1 else document


def _hits_of(document: Mapping[str, Any], layout: Layout, name: str) -> Hits:
    """The hits of a response, or the judgements of a request or a response."""
    if "error" in document:
        text = f"{name}: this is an error of the search engine: {_reason(document)}"
        raise InputError("failed-queries", text, remedy="mend the request and send it again")
    if "requests" in document:
        if layout is RUN:
            text = f"{name}: this is a request of _rank_eval, which holds judgements"
            raise InputError("input-type", text, remedy=f"{layout.exchanged}; the hits are in the response")
        return _rated(document["requests"], name)
    if failures := document.get("failures"):
        texts = [
            f"{name}: the search for query {quoted([query])} failed: {_reason(each)}"
            for query, each in dict(failures).items()
        ]
        remedy = "mend the request and send it again; a query that failed would count as one without hits"
        raise InputError("failed-queries", *texts[:3], more=len(texts[3:]), remedy=remedy)
    hits: Hits = {}
    for query, detail in document["details"].items():
        where = f"{name}: query {quoted([query])}"
        hits[query] = [
            _record(_needed(rated, "hit", at), "_id", at) | {"rating": rated.get("rating")}
            for rated, at in _records(_needed(detail, "hits", where), where)
        ]
    return hits


def _rated(requests: Sequence[Mapping[str, Any]], name: str) -> Hits:
    """The judgements of a request."""
    rated: Hits = {}
    for number, request in enumerate(requests, 1):
        where = f"{name}: request {number}"
        ratings, query = _needed(request, "ratings", where), _needed(request, "id", where)
        if type(query) not in (str, int):
            raise InputError("id-type", f"{where}: the id {shown(query)} is neither text nor an integer", remedy=_WHOLE)
        if str(query) in rated:
            text = f"{where}: query {quoted([query])} is there twice"
            raise InputError("duplicate-judgement", text, remedy="put all ratings of a query into one request")
        if not ratings:
            raise unjudged(name, str(query))
        records = _records(ratings, f"{name}: query {quoted([query])}")
        rated[str(query)] = [_record(_record(rating, "rating", at), "_id", at) for rating, at in records]
    return rated


def _records(items: object, where: str) -> list[tuple[Any, str]]:
    """The items of a list of objects, and where each stands."""
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise InputError("frame-columns", f"{where}: this is {shown(items)}, not a list of objects", remedy=_WHOLE)
    return [(item, f"{where}, item {number}") for number, item in enumerate(items, 1)]


def _record(record: Any, key: str, where: str) -> dict[str, Any]:  # noqa: ANN401 - whatever JSON holds
    """An object that has a key."""
    if not isinstance(record, dict) or key not in record:
        has = f"the keys are {quoted(record, 8)}" if isinstance(record, dict) else f"this is {shown(record)}"
        raise InputError("frame-columns", f"{where}: there is no {key}; {has}", remedy=_WHOLE)
    return record


def _needed(record: Any, key: str, where: str) -> Any:  # noqa: ANN401 - whatever JSON holds
    """What an object has under a key."""
    return _record(record, key, where)[key]


def _reason(failure: object) -> str:
    """What Elasticsearch says of an error, shortened."""
    error = failure.get("error", failure) if isinstance(failure, dict) else failure
    parts = [error.get(key) for key in ("type", "reason")] if isinstance(error, dict) else [error]
    return shortened(": ".join(str(part) for part in parts if part), 200) or shown(failure)
