"""What goes to and comes from `_rank_eval` of Elasticsearch and OpenSearch: requests hold judgements, responses hits.

_rank_eval measures the order of the hits, whatever their scores say, which are kept where each hit has one. Their
ratings are judgements, too, of what was found.

Documents go by `_id`; where a file names several indices, by `_index/_id`. `columns={"document": "_id"}` and
`columns={"document": "_index/_id"}` say which.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

import polars as pl
from numpy import float64
from numpy.typing import NDArray

from rankworth.errors import InputError, quoted, shortened
from rankworth.io.columns import unjudged
from rankworth.io.json_rows import Spread, ids, numbers, shown
from rankworth.io.lines import QRELS, RUN, Layout
from rankworth.io.reading import Lists

if TYPE_CHECKING:
    from rankworth.io.reading import Reading

_PLAIN: Final = "_id"
_SCORE: Final = "_score"
_INDEXED: Final = "_index/_id"
"""a name of an index has no slash"""

_WHOLE: Final = "save what goes to _rank_eval, and what comes from it, whole and unchanged"
_REQUEST: Final = frozenset({"request", "ratings", "template_id"})

Records = dict[str, list[dict[str, Any]]]
"""for each query records with `_id`, and `_index`, `_score` and `rating` where they are known"""


def is_known(document: Mapping[str, Any]) -> bool:
    """Whether this is a request, a response, or the error that came instead."""
    document = _bare(document)
    requests, details = document.get("requests"), document.get("details")
    if isinstance(requests, list) and all(isinstance(request, dict) for request in requests):
        return any(not _REQUEST.isdisjoint(request) for request in requests)
    if isinstance(details, dict) and all(isinstance(detail, dict) for detail in details.values()):
        return (
            "metric_score" in document or "failures" in document or any("hits" in detail for detail in details.values())
        )
    return "error" in document and "status" in document


def batches(document: Mapping[str, Any], layout: Layout, reading: "Reading", name: str) -> Iterator[pl.DataFrame]:
    """The hits or the judgements.

    Args:
        document: for which `is_known` holds.
        layout: `RUN` or `QRELS`.
        reading: what the user says of the file.
        name: what messages call it.

    Raises:
        InputError: `input-type`, `failed-queries`, `frame-columns`, `id-type`, `missing-value`, `bad-score`,
            `bad-grade`, `duplicate-judgement`, `empty-input`.

    """
    document = _bare(document)
    if "error" in document:
        text = f"{name}: this is an error of the search engine: {_reason(document)}"
        raise InputError("failed-queries", text, remedy="mend the request and send it again")
    if "requests" in document:
        if layout is RUN:
            remedy = f"{layout.exchanged}; the hits are in the response"
            raise InputError(
                "input-type", f"{name}: this is a request of _rank_eval, which holds judgements", remedy=remedy
            )
        lists = _ratings(document["requests"], name)
    else:
        _check_failures(document.get("failures"), name)
        lists = _hits(document["details"], name)
    several = len({str(record["_index"]) for record in chain.from_iterable(lists.values())}) > 1
    if layout is QRELS and "details" in document:
        lists = {query: [hit for hit in hits if hit["rating"] is not None] for query, hits in lists.items()}
    if not any(lists.values()):
        raise InputError("empty-input", f"{name}: there are no {'hits' if layout is RUN else 'ratings'}")
    queries, counts = list(lists), list(map(len, lists.values()))
    spread = Spread(counts, lambda row: f"{name}: query {quoted([queries[row]])}")
    if layout is RUN:
        reading.orders.meet(queries, spread.owner)
        reading.orders.agree("order", name, Lists(_SCORE, is_order=True))
    records = list(chain.from_iterable(lists.values()))
    values = _scores(records, spread) if layout is RUN else numbers(_all(records, "rating"), "grade", spread.place)
    columns = [
        spread.over(pl.Series("query", queries, dtype=pl.String)),
        _documents(records, spread, reading.columns.get("document", _INDEXED if several else _PLAIN)),
        pl.Series(layout.value, values),
    ]
    yield pl.DataFrame(columns)


def _bare(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """Without the object around it that old versions and the manual have."""
    inner = document.get("rank_eval")
    return inner if isinstance(inner, dict) and len(document) == 1 else document


def _ratings(requests: Sequence[Mapping[str, Any]], name: str) -> Records:
    lists: Records = {}
    for number, request in enumerate(requests, 1):
        where = f"{name}: request {number}"
        ratings = _held(request, "ratings", where)
        query = ids([_held(request, "id", where)], "id", lambda _, where=where: where)[0]  # type: ignore[misc]
        if query in lists:
            remedy = "put all ratings of a query into one request"
            raise InputError("duplicate-judgement", f"{where}: query {quoted([query])} is there twice", remedy=remedy)
        where = f"{name}: query {quoted([query])}"
        if not ratings:
            raise unjudged(name, query)
        lists[query] = [
            {what: _held(rating, what, f"{where}, item {place}") for what in ("_id", "rating")}
            | {"_index": rating.get("_index")}
            for place, rating in enumerate(_records(ratings, where), 1)
        ]
    return lists


def _hits(details: Mapping[str, Any], name: str) -> Records:
    lists: Records = {}
    for query, detail in details.items():
        where = f"{name}: query {quoted([query])}"
        lists[query] = records = []
        for place, rated in enumerate(_records(_held(detail, "hits", where), where), 1):
            [hit] = _records([_held(rated, "hit", f"{where}, item {place}")], where)
            records.append(
                {
                    "_id": _held(hit, "_id", f"{where}, item {place}"),
                    "_index": hit.get("_index"),
                    _SCORE: hit.get(_SCORE),
                    "rating": rated.get("rating"),
                }
            )
    return lists


def _records(items: object, where: str) -> list[dict[str, Any]]:
    """A list of objects."""
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        text = f"{where}: this is {shown(items)}, not a list of objects"
        raise InputError("frame-columns", text, remedy=_WHOLE)
    return items


def _held(record: Mapping[str, Any], key: str, where: str) -> Any:  # noqa: ANN401 - whatever JSON holds
    if key not in record:
        text = f"{where}: there is no {key}; the keys are {quoted(record, 8)}"
        raise InputError("frame-columns", text, remedy=_WHOLE)
    return record[key]


def _all(records: Sequence[Mapping[str, Any]], key: str) -> list[Any]:
    return [record[key] for record in records]


def _scores(records: Sequence[Mapping[str, Any]], spread: Spread) -> NDArray[float64]:
    """The scores of the hits, where all have one; otherwise their order."""
    items = _all(records, _SCORE)
    return spread.by_order() if None in items else numbers(items, "score", spread.place)


def _documents(records: Sequence[Mapping[str, Any]], spread: Spread, form: str) -> pl.Series:
    """Ids, with the name of the index or without."""
    documents = ids(_all(records, "_id"), "document", spread.place)
    if form != _INDEXED:
        return documents
    return (ids(_all(records, "_index"), "_index", spread.place) + "/" + documents).alias("document")


def _check_failures(failures: object, name: str) -> None:
    """A response without the hits of some queries is none."""
    if isinstance(failures, dict) and failures:
        texts = [
            f"{name}: the search for query {quoted([query])} failed: {_reason(each)}"
            for query, each in failures.items()
        ]
        remedy = "mend the request and send it again; a query that failed would count as one without hits"
        raise InputError("failed-queries", *texts[:3], more=len(texts[3:]), remedy=remedy)


def _reason(failure: object) -> str:
    """What Elasticsearch says of an error, shortened."""
    error = failure.get("error", failure) if isinstance(failure, dict) else failure
    said = [error.get(key) for key in ("type", "reason")] if isinstance(error, dict) else [error]
    return shortened(": ".join(str(text) for text in said if text), 200) or shown(failure)
