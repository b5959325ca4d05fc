"""What goes to and comes from `_rank_eval` of Elasticsearch and OpenSearch: requests hold judgements, responses hits.

_rank_eval measures the order of the hits, whatever their scores say, which are kept where each hit has one. Their
ratings are judgements, too, of what the search returned.

Documents go by `_id`; where a file names several indices, by `_index/_id`. `columns={"document": "_id"}` and
`columns={"document": "_index/_id"}` say which.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from rankworth.errors import InputError, quoted, shortened
from rankworth.io.lines import RUN, Layout
from rankworth.io.validate import shown, text

_INDEXED: Final = "_index/_id"
"""a name of an index has no slash"""
_WHOLE: Final = "save what goes to _rank_eval, and what comes from it, whole and unchanged"
_REQUEST: Final = frozenset({"request", "ratings", "template_id"})

Hits = dict[str, list[dict[str, Any]]]
"""for each query its hits, with `_id`, and `_index`, `_score` and `rating` where they are known"""


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


def lists(document: Mapping[str, Any], layout: Layout, columns: Mapping[str, str], name: str) -> Hits:
    """The hits of each query, or the judgements, as records with `document` and `score` or `grade`.

    Args:
        document: for which `is_known` holds.
        layout: `RUN` or `QRELS`.
        columns: which key holds the document, as the user says.
        name: what messages call it.

    Raises:
        InputError: `input-type`, `failed-queries`, `frame-columns`, `id-type`, `duplicate-judgement`, `empty-input`.

    """
    document = _bare(document)
    if "error" in document:
        problem = f"{name}: this is an error of the search engine: {_reason(document)}"
        raise InputError("failed-queries", problem, remedy="fix the request and send it again")
    if "requests" in document and layout is RUN:
        problem = f"{name}: this is a request of _rank_eval, which holds judgements"
        raise InputError("input-type", problem, remedy=f"{layout.exchanged}; the hits are in the response")
    hits = _rated(document, name) if "requests" in document else _hits_of(document, name)
    has_indices = len({str(hit.get("_index")) for of_query in hits.values() for hit in of_query}) > 1
    if layout is not RUN and "requests" not in document:
        rated = {query: [hit for hit in of_query if hit["rating"] is not None] for query, of_query in hits.items()}
        hits = {query: of_query for query, of_query in rated.items() if of_query}
    if not any(hits.values()):
        raise InputError("empty-input", f"{name}: there are no {'hits' if layout is RUN else 'ratings'}")
    key = "_score" if layout is RUN else "rating"
    scored = layout is not RUN or all(hit.get(key) is not None for of_query in hits.values() for hit in of_query)
    indexed = columns.get("document", _INDEXED if has_indices else "_id") == _INDEXED

    def record(hit: dict[str, Any], where: str) -> dict[str, Any]:
        known = _needed(hit, "_id", where)
        if indexed:
            known = f"{text(_needed(hit, '_index', where), where)}/{text(known, where)}"
        return {"document": known, **({layout.value: _needed(hit, key, where)} if scored else {})}

    return {
        query: [record(hit, at) for at, hit in _items(of_query, f"{name}: query {quoted([query])}")]
        for query, of_query in hits.items()
    }


def _bare(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """Without the object around it that old versions and the manual have."""
    inner = document.get("rank_eval")
    return inner if isinstance(inner, dict) and len(document) == 1 else document


def _hits_of(response: Mapping[str, Any], name: str) -> Hits:
    """The hits of a response, with their ratings."""
    if failures := response.get("failures"):
        problems = [
            f"{name}: the search for query {quoted([query])} failed: {_reason(each)}"
            for query, each in dict(failures).items()
        ]
        remedy = "fix the request and send it again; a query that failed would count as one without hits"
        raise InputError("failed-queries", *problems[:3], more=len(problems[3:]), remedy=remedy)
    hits: Hits = {}
    for query, detail in response["details"].items():
        where = f"{name}: query {quoted([query])}"
        items = _items(_needed(detail, "hits", where), where)
        hits[query] = [{**_needed(rated, "hit", at), "rating": rated.get("rating")} for at, rated in items]
    return hits


def _rated(request: Mapping[str, Any], name: str) -> Hits:
    """The judgements of a request."""
    rated: Hits = {}
    for where, each in _items(request["requests"], f"{name}: requests"):
        query = text(_needed(each, "id", where), where)
        if query in rated:
            problem = f"{where}: query {quoted([query])} appears twice"
            raise InputError("duplicate-judgement", problem, remedy="put all ratings of a query into one request")
        rated[query] = [hit for _, hit in _items(_needed(each, "ratings", where), f"{name}: query {quoted([query])}")]
    return rated


def _items(items: object, where: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The items of a list of objects, and where each stands."""
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise InputError("frame-columns", f"{where}: this is {shown(items)}, not a list of objects", remedy=_WHOLE)
    return ((f"{where}, item {number}", item) for number, item in enumerate(items, 1))


def _needed(record: Mapping[str, Any], key: str, where: str) -> Any:  # noqa: ANN401 - whatever JSON holds
    """What an object has under a key."""
    if key not in record:
        problem = f"{where}: there is no {key}; the keys are {quoted(record, 8)}"
        raise InputError("frame-columns", problem, remedy=_WHOLE)
    return record[key]


def _reason(failure: object) -> str:
    """What Elasticsearch says of an error, shortened."""
    error = failure.get("error", failure) if isinstance(failure, dict) else failure
    parts = [error.get(key) for key in ("type", "reason")] if isinstance(error, dict) else [error]
    return shortened(": ".join(str(part) for part in parts if part), 200) or shown(failure)
