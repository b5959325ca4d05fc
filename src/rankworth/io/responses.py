"""Responses of search engines as runs, by a table of field names: Elasticsearch, OpenSearch, Solr, Vespa, Qdrant.

A response holds the hits of one query, in an order that counts whatever their scores say. `ENGINES` says where the hits
stand and what they call document and score; `columns` says so of any other engine, with paths:
`{"documents": "data.Get.Article", "document": "_additional.id", "score": "-_additional.distance"}`.

The query of a response is the key under which it stands, what `columns["query"]` says (a path, or `@FILE` with the
queries of all responses in their order), a field of a usual name, or the name of the file.

Requests of `_rank_eval` of Elasticsearch and OpenSearch hold judgements, its responses the hits of many queries. It
measures the order of the hits, whatever their scores say, which are kept where each hit has one. Their ratings are
judgements, too, of what the search returned. Documents go by `_id`; where a file names several indices, by
`_index/_id`. `columns={"document": "_id"}` and `columns={"document": "_index/_id"}` say which.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final

from rankworth.errors import InputError, counted, quoted, shortened
from rankworth.io.facts import Lists
from rankworth.io.key_paths import at, fields_of, leaves, names_of, paths_of
from rankworth.io.kinds import is_scalar
from rankworth.io.layout import QRELS, RUN, Layout
from rankworth.io.looks import Looks
from rankworth.io.options import LISTED
from rankworth.io.query_lists import listed_queries
from rankworth.io.remedies import Request, is_negative, missing, option
from rankworth.io.resolve import locate, location_of
from rankworth.io.usual_names import LISTS, RECORD, SPELLINGS, USUAL, likely_document
from rankworth.io.validate import is_id, is_number, shown


@dataclass(frozen=True)
class Engine:
    """Where the responses of an engine hold what counts, as paths of keys with dots between them.

    Attributes:
        documents: the hits in the response.
        document: the document in a hit.
        score: its score; hits need not have one.
        sign: what a response without a hit has besides, where it has no empty list.

    """

    documents: str
    document: str
    score: str
    sign: str = ""


ENGINES: Final = (
    Engine("hits.hits", "_id", "_score"),  # Elasticsearch, OpenSearch
    Engine("response.docs", "id", "score"),  # Solr
    Engine("root.children", "id", "relevance", sign="root.fields.totalCount"),  # Vespa
    Engine("result.points", "id", "score"),  # Qdrant, /points/query
    Engine("result", "id", "score"),  # Qdrant, /points/search
    Engine("documents", "id", "score"),  # a component of Haystack; a row has its query besides
    Engine("*.documents", "id", "score"),  # a pipeline of Haystack, by component
    Engine("candidates", "docid", "score"),  # RankLLM, Nuggetizer and umbrela, with `query.qid` beside them
)
_RATED: Final = {RUN.value: "_score", QRELS.value: "rating"}
"""what _rank_eval calls the score of a hit and the grade of a document"""
_BATCHES: Final = ("responses", "result", "results")
"""keys of lists of responses: of _msearch, of Qdrant, of Typesense and Meilisearch"""
_FAILURES: Final = {"error": ("status", "responseHeader"), "root.errors": ("root",), "status.error": ("time",)}
"""paths of errors that stand in place of hits, and the keys beside which they mean that"""
_PARTIAL: Final = ("timed_out", "_shards.failed", "responseHeader.partialResults", "root.coverage.degraded.timeout")
"""paths of signs that hits are missing"""
_REASONS: Final = ("type", "reason", "summary", "msg", "message")
_SCORES: Final = ("score", "relevance", "similarity", "match", "distance", "rank")
"""parts of names under which engines have scores"""
_FIRST, _, *_FURTHER = USUAL["document"]
_USUAL: Final = ((*_FIRST, *RECORD, *chain(*_FURTHER)), SPELLINGS["score"])
"""usual names of documents and scores in hits; what is called a distance may be a similarity"""
_UNREAD: Final = ("frame-columns", "id-type", "input-type", "nested-runs", "bad-score", "bad-grade", "missing-value")
"""the errors of what is read as something else"""
_INDEXED: Final = "_index/_id"
"""a name of an index has no slash"""
_REQUEST: Final = frozenset({"request", "ratings", "template_id"})
"""keys of requests within one of _rank_eval, of which each has one"""
_GRADED: Final = "qrels_columns={'grade': 'PATH'}"
"""how a user names the grades of hits in Python"""
_AGAIN: Final = "fix the request and send it again; a query that failed would count as one without hits"


def by_query(value: Any, columns: Mapping[str, str], *, alone: bool = True) -> list[tuple[Any, Any]]:  # noqa: ANN401 - of JSON
    """Find the responses that a value holds: itself, those of a list or a batch, or those by query.

    Args:
        value: of JSON, or a Python dict or list.
        columns: where they hold what, as the user says.
        alone: whether something else than a key may name the query of a single response.

    Returns:
        The query of each, None where it stands under no key, and the response; nothing where these are none.

    """
    if _is_table(value, columns):
        return []
    if _is_response(value, columns) and (alone or not _is_response(next(iter(value.values())), columns)):
        return [(None, value)]
    batch = next((key for key in _BATCHES if isinstance(value, Mapping) and isinstance(value.get(key), list)), None)
    if isinstance(value, list):
        pairs = [(None, each) for each in value]
    elif batch is not None:
        pairs = [(None, each if _is_response(each, columns) else {batch: each}) for each in value[batch]]
    else:
        pairs = list(value.items()) if isinstance(value, Mapping) else []
    return pairs if pairs and _is_response(pairs[0][1], columns) else []


def _is_table(value: Any, columns: Mapping[str, str]) -> bool:  # noqa: ANN401 - of JSON
    """Return whether a value is a row, several, or columns: `documents` names a field that has its query beside it."""
    row = value[0] if isinstance(value, list) and value else value
    documents = columns.get("documents", "")
    if not isinstance(row, Mapping) or not isinstance(row.get(documents), list):
        return False
    query, called = columns.get("query", ""), {str(name).lower(): name for name in row}
    usual = next((called[name] for name in SPELLINGS["query"] if name in called), None)
    if query.startswith("@") or not (query or usual is not None):
        return False
    place = locate(Looks("", tuple(row)), query) if query else None
    names = place.columns if place is not None else () if query else (usual,)
    size = len(row[documents])
    of_columns = all(isinstance(row[name], list) and len(row[name]) == size for name in names)
    return bool(names) and (of_columns or all(is_scalar(row[name]) for name in names))


def names(value: Any, columns: Mapping[str, str]) -> list[str]:  # noqa: ANN401 - of JSON
    """List the paths of the first of some responses and of its first hit; nothing where there is none."""
    kept = ("documents", "query")  # of which the second tells responses from rows; a hit may lack the others
    columns = {role: path for role, path in columns.items() if role in kept}
    [(_, first), *_] = by_query(value, columns) or [(None, {})]
    engine = _engine_of(first, columns)
    hits = at(first, engine.documents) if engine else None
    return [*(paths_of(hits[0]) if hits and not is_scalar(hits[0]) else ()), *leaves(first if engine else {})]


def _is_response(value: object, columns: Mapping[str, str]) -> bool:
    return isinstance(value, Mapping) and (_engine_of(value, columns) is not None or bool(_failure(value)))


def _engine_of(response: Mapping[Any, Any], columns: Mapping[str, str]) -> Engine | None:
    """Return the locations of hits, ids and scores in a response, or None for other objects."""
    if documents := columns.get("documents"):
        hits = at(response, documents)
        names = names_of(hits[0]) if isinstance(hits, list) and hits else ()
        document, score = (next((name for name in spelled if name in names), "") for spelled in _USUAL)
        return Engine(documents, document, score) if isinstance(hits, list) else None
    for engine in ENGINES:
        is_row = engine.documents in LISTS["document"] and len(response) > 1
        hits = None if is_row else at(response, engine.documents)
        if hits is None and engine.sign and at(response, engine.sign) is not None:
            return engine
        document = columns.get("document", engine.document)
        if isinstance(hits, list) and (not hits or at(hits[0], document) is not None):
            return engine
    return None


def is_response(value: Any, columns: Mapping[str, str]) -> bool:  # noqa: ANN401 - of JSON
    """Return whether a value holds responses, or what goes to _rank_eval."""
    return is_rank_eval(value) or bool(by_query(value, columns))


def read(
    value: Any,  # noqa: ANN401 - of JSON
    layout: Layout,
    columns: Mapping[str, str],
    name: str,
    file: str = "",
) -> tuple[dict[Any, list[dict[str, Any]]], Lists] | None:
    """Read the hits or ratings of each query as records, and how they are ranked; None where these are no responses.

    A record has a `document`, and a `score`, `distance`, `rank` or `grade`; no score where some hit has none.

    Args:
        value: of JSON, or a Python dict or list.
        layout: `RUN` or `QRELS`; responses hold judgements where `columns` says where their hits or their grades
            stand, and those of _rank_eval.
        columns: where responses hold what, as the user says.
        name: what messages call the input.
        file: the name of the file, which is the query of a single response.

    Raises:
        InputError: `input-type`, `failed-queries`, `unknown-response`, `frame-columns`, `response-queries`,
            `duplicate-document`, `duplicate-judgement`.

    """
    engine = None
    if is_rank_eval(value):
        pairs = _rated(value, layout, name)
        several = len({hit.get("_index") for _, part in pairs for hit in part.get("hits", ())}) > 1
        columns = {"document": columns.get("document", _INDEXED if several else "_id")}
        engine = Engine("hits", "_id", _RATED[layout.value])
    elif not (pairs := by_query(value, columns, alone=bool(file) or "query" in columns)):
        return None
    elif layout is not RUN and {"documents", "grade"}.isdisjoint(columns):
        problem = f"{name}: this is a response of a search engine, which holds no judgements"
        remedy = f"{layout.exchanged}\nif each hit has its grade: --qrels-columns grade=PATH, in Python {_GRADED}"
        raise InputError("input-type", problem, remedy=remedy)
    wheres = [
        f"{name}: query {quoted([key])}" if key is not None else f"{name}: response {number}" if pairs[1:] else name
        for number, (key, _) in enumerate(pairs, 1)
    ]
    failures = [(where, _failure(response)) for where, (_, response) in zip(wheres, pairs, strict=True)]
    if problems := [f"{where}: the search failed: {failure}" for where, failure in failures if failure]:
        raise InputError("failed-queries", *problems[:3], more=len(problems[3:]), remedy=_AGAIN)
    hits: dict[Any, list[dict[str, Any]]] = {}
    queries = _queries_of(pairs, columns.get("query", ""), name, wheres, file)
    for query, (_, response) in zip(queries, pairs, strict=True):
        if query in hits:
            problem = f"{name}: query {quoted([query])} appears twice"
            raise InputError(layout.repeated, problem, remedy="keep one of them")
        hits[query] = _hits_of(response, engine, layout, columns, f"{name}: query {quoted([query])}")
    if layout is RUN and any(None in hit.values() for of_query in hits.values() for hit in of_query):
        hits = {query: [{"document": hit["document"]} for hit in of_query] for query, of_query in hits.items()}
    if (
        engine is not None and layout is not RUN and "details" in _bare(value)
    ):  # a response lists what nobody rated, too
        rated = {query: [hit for hit in of_query if hit["grade"] is not None] for query, of_query in hits.items()}
        hits = {query: of_query for query, of_query in rated.items() if of_query}
    [(key, response), *more] = pairs or [("", {})]
    is_named = key is not None or "query" in columns or not {*SPELLINGS["query"]}.isdisjoint(response)
    is_order = "documents" not in columns or {"score", "rank"}.isdisjoint(columns)
    return hits, Lists(columns.get("score", "score"), is_order=is_order, query="" if is_named or more else file)


def _queries_of(pairs: Sequence[tuple[Any, Any]], path: str, name: str, wheres: Sequence[str], file: str) -> list[Any]:
    """Name the query of each response: by a list in a file, by the key above it, or by what it says itself."""
    if not path.startswith("@"):
        alone = file if len(pairs) == 1 else ""
        return [
            key if key is not None else _query_of(response, path, where, alone)
            for where, (key, response) in zip(wheres, pairs, strict=True)
        ]
    return fitting(listed_queries(path[1:]), path[1:], len(pairs), name)


def _query_of(response: Mapping[Any, Any], path: str, where: str, file: str) -> Any:  # noqa: ANN401 - an id
    """Find the query that a response answers: by a path in it, a field of a usual name or the name of the file.

    Raises:
        InputError: `response-queries`.

    """
    called = {str(name).lower(): name for name in reversed(list(response))}
    usual = next((called[name] for name in SPELLINGS["query"] if name in called), None)
    query = at(response, path) if path else file if usual is None else response[usual]
    if isinstance(query, Mapping):  # with its text
        query = next((query[name] for name in SPELLINGS["query"] if name in query), None)
    if query in (None, "") or not is_scalar(query):
        problem = f"{where}: {f'there is no {path}' if path else 'nothing says which query it answers'}"
        remedy = f"{LISTED}; query=PATH says where it stands in a response, whose keys are {quoted(response, 8)}"
        raise InputError("response-queries", problem, remedy=remedy)
    return query


def _hits_of(
    response: Mapping[Any, Any], engine: Engine | None, layout: Layout, columns: Mapping[str, str], where: str
) -> list[dict[str, Any]]:
    """Return the hits of a response as records.

    Raises:
        InputError: `failed-queries`, `unknown-response`, `frame-columns`.

    """
    if sign := next((path for path in _PARTIAL if at(response, path)), None):
        problem = f"{where}: {sign} is {at(response, sign)}, so hits may be missing"
        raise InputError("failed-queries", problem, remedy="send the request again, with more time")
    if isinstance(searches := response.get("topks"), list) and len(searches) > 1:  # of Milvus
        problem = f"{where}: the hits of {len(searches)} searches stand in one list"
        raise InputError("response-queries", problem, remedy="search for one query at a time")
    is_search = engine is None
    engine = engine or _engine_of(response, columns)
    if engine is None:
        problem = f"{where}: this is no response as the others are; the keys are {quoted(leaves(response), 8)}"
        raise InputError("unknown-response", problem, remedy="give responses of one engine")
    items = at(response, engine.documents) or []
    if all(map(is_scalar, items)):
        return [{"document": item} for item in items]
    paths = {"document": columns.get("document", engine.document)}
    if layout is QRELS and is_search:
        paths |= _grade_of(items, columns, where)
        is_needed = False  # a hit may be unjudged
    else:
        role = "rank" if "rank" in columns else layout.value
        path = columns.get(role, engine.score)
        is_needed = role in columns and path != ""
        paths |= {"distance": path[1:]} if is_negative(path) else {role: path}
    hits = [{role: at(hit, path) if path else None for role, path in paths.items()} for hit in items]
    for item, hit in zip(items, hits, strict=True):
        if lacking := next((role for role in hit if hit[role] is None and (is_needed or role == "document")), None):
            problem = f"{where}: a hit has no {paths[lacking] or lacking}; it has {quoted(paths_of(item), 12)}"
            remedy = f"say where it stands: {option({lacking: 'PATH'}, Looks('', first=1))}"
            raise InputError("frame-columns", problem, remedy=remedy)
    return hits


def _grade_of(hits: Sequence[Any], columns: Mapping[str, str], where: str) -> dict[str, str]:
    """Return the location of the grades of hits, stated or usual; nothing if all hits are relevant.

    Raises:
        InputError: `frame-columns` where nothing tells, or no hit has what the user names.

    """
    looks = Looks(where, tuple(paths_of(hits[0])), first=1, noun="key", within=True)
    request = Request(QRELS.value, looks, columns)
    usual = None if "grade" in columns else location_of(request, "grade")
    path = columns["grade"] if "grade" in columns else None if usual is None else str(usual.called)
    if path is None or (path and all(at(hit, path) is None for hit in hits)):
        raise missing(request, "grade")
    return {"grade": path} if path else {}


def _failure(response: Mapping[Any, Any]) -> str:
    """Return an engine's message of a failed search, shortened; empty if the search succeeded."""
    for path, beside in _FAILURES.items():
        if (error := at(response, path)) and any(key in response for key in beside):
            return _reason(error)
    return ""


def _reason(error: Any) -> str:  # noqa: ANN401 - of JSON
    """Summarise an error of an engine in a line."""
    error = error[0] if isinstance(error, list) and error else error
    error = error.get("error", error) if isinstance(error, Mapping) else error
    parts = [error.get(key) for key in _REASONS] if isinstance(error, Mapping) else [error]
    return shortened(": ".join(str(part) for part in parts if part), 200) or shown(error)


def unknown(value: object, name: str, columns: Mapping[str, str], error: InputError, *, first: int = 1) -> InputError:
    """Build the error for a response of an unknown engine, with the paths to read it by.

    Args:
        value: what could not be read.
        name: what messages call it.
        columns: where it holds what, as the user says.
        error: why it could not be read, which is returned where this is no response: no object with a list of objects.
        first: 0 in Python, where a response alone would have no query, and 1 in files.

    """
    if error.slug not in _UNREAD or not isinstance(value, Mapping) or is_response(value, columns):
        return error
    if "nuggets" in value:
        problem = f"{name}: these are nuggets of answers, which do not tell which documents are relevant"
        remedy = "give each document a grade, or one for each nugget, which is a subtopic: query nugget document 1"
        return InputError("unknown-response", problem, remedy=remedy)
    path, hit = _first_hit(value)
    first_value: Any = next(iter(value.values()), None)
    inner = _first_hit(first_value)[0] if len(value) > 1 or not first else ""
    is_batch = path in _BATCHES and _first_hit(hit)[0] != ""
    is_by_query = inner != "" and all(isinstance(at(each, inner), list) for each in value.values())
    is_lists = not is_batch and "." not in path and all(isinstance(each, list) for each in value.values())
    response = hit if is_batch else first_value if is_by_query else value
    path, hit = _first_hit(response)
    keys = [str(key).lower() for key in value]
    is_row = any(key in SPELLINGS["query"] for key in keys) and any(key in LISTS["document"] for key in keys)
    is_rows = any(path.rpartition(".")[2].lower() in SPELLINGS["query"] for path in leaves(hit))
    if not hit or is_lists or is_row or is_rows or any(key in (*_FIRST, "schema") for key in keys):
        return error
    said, columns = columns, {"documents": path, "document": likely_document(leaves(hit)) or "PATH"}
    if inner := likely_document([each for each in leaves(hit, in_lists=True) if each not in leaves(hit)]):
        columns = {"document": f"{path}.{inner}"} if columns["document"] == "PATH" else columns
    elif score := _likely_score(at(response, path)):
        columns["score"] = score
    if query := _likely_query(leaves(response)):
        columns = {"query": query, **columns}
    if columns.items() <= said.items():
        return error
    paths = quoted(leaves(response), 8)
    problem = f"{name}: this is no response of an engine that is known; the first keys are {paths}"
    remedy = f"say where its hits are: {option(columns, Looks('', first=first))}"
    return InputError("unknown-response", problem, remedy=remedy)


def _likely_query(paths: Sequence[str]) -> str:
    """Return the path of an id within the object of the query, or an empty text."""
    parted = [(path, path.lower().split(".")) for path in paths]
    queries = SPELLINGS["query"]
    return next((path for path, (*above, last) in parted if last in RECORD and above and above[-1] in queries), "")


def _likely_score(hits: Sequence[Any]) -> str:
    """Find the first number of all hits that is named like a score, and return its path; inner objects go last.

    It has the sign by which the hits are in order; nothing is returned where they are in none.
    """
    for path in sorted(paths_of(hits[0]), key=lambda path: path.count(".")):
        name = path.rpartition(".")[2].lower()
        scores = [at(hit, path) for hit in hits]
        if any(part in name for part in _SCORES) and all(map(is_number, scores)):
            signs = ("-", "") if "dist" in name else ("", "-")
            return next((f"{sign}{path}" for sign in signs if scores == sorted(scores, reverse=not sign)), "")
    return ""


def _first_hit(value: object) -> tuple[str, Mapping[Any, Any]]:
    """Find the first list of objects in an object; return its path and first item, nothing where there is none."""
    named = {key: inner for key, inner in value.items() if isinstance(key, str)} if isinstance(value, Mapping) else {}
    for key, inner in named.items():
        if isinstance(inner, list) and inner and not (is_scalar(inner[0]) or isinstance(inner[0], list | tuple)):
            return key, fields_of(inner[0], {})
        path, hit = _first_hit(inner)
        if path:
            return f"{key}.{path}", hit
    return "", {}


# _rank_eval


def is_rank_eval(value: object) -> bool:
    """Return whether this is a request of _rank_eval or a response."""
    if not isinstance(value, Mapping):
        return False
    document = _bare(value)
    requests, details = document.get("requests"), document.get("details")
    if isinstance(requests, list) and all(isinstance(request, dict) for request in requests):
        return any(not _REQUEST.isdisjoint(request) for request in requests)
    if isinstance(details, dict) and all(isinstance(detail, dict) for detail in details.values()):
        signs = "metric_score" in document or "failures" in document
        return signs or any("hits" in detail for detail in details.values())
    return False


def _rated(value: Mapping[str, Any], layout: Layout, name: str) -> list[tuple[Any, dict[str, Any]]]:
    """Return the query of each request or detail, and its hits or ratings as a response; failed searches go first.

    Raises:
        InputError: `input-type`, `frame-columns`.

    """
    document = _bare(value)
    is_request = "requests" in document
    if is_request and layout is RUN:
        problem = f"{name}: this is a request of _rank_eval, which holds judgements"
        raise InputError("input-type", problem, remedy=f"{layout.exchanged}; the hits are in the response")
    parts = [(each.get("id"), each.get("ratings")) for each in document.get("requests", ())]
    parts += [(query, detail.get("hits")) for query, detail in document.get("details", {}).items()]
    remedy = "save what goes to _rank_eval, and what comes from it, whole and unchanged"
    failures = document.get("failures") or {}
    if not isinstance(failures, dict):
        raise InputError("frame-columns", f"{name}: failures is {shown(failures)}, not an object", remedy=remedy)
    pairs: list[tuple[Any, dict[str, Any]]]
    pairs = [(query, {"error": error, "status": ""}) for query, error in failures.items()]
    for query, items in parts:
        if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
            problem = f"{name}: query {quoted([query])}: this is {shown(items)}, not a list of objects"
            raise InputError("frame-columns", problem, remedy=remedy)
        hits = [{**_hit_of(item), "rating": item.get("rating")} for item in items]
        for hit in hits:
            index, document_id = hit.get("_index"), hit.get("_id")
            if index is not None and not is_id(index):
                problem = f"{name}: query {quoted([query])}: _index is {shown(index)}, which is no name"
                raise InputError("id-type", problem, remedy=remedy)
            if index is not None and is_id(document_id):
                hit[_INDEXED] = f"{index}/{document_id}"
        pairs.append((query, {"hits": hits}))
    return pairs


def _hit_of(item: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the hit of an entry of a response, or the entry of a request itself."""
    hit = item.get("hit")
    return hit if isinstance(hit, Mapping) and hit else item


def _bare(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """Remove the object that old versions and the manual put around a document."""
    inner = document.get("rank_eval")
    return inner if isinstance(inner, dict) and len(document) == 1 else document


# The queries of responses


def fitting(queries: list[str], called: str, count: int, name: str) -> list[str]:
    """Check that there is a query for each response, and return the queries in their order.

    Args:
        queries: of each.
        called: what messages call what names them.
        count: how many responses there are.
        name: what messages call the responses.

    Raises:
        InputError: `response-queries`.

    """
    if len(queries) != count:
        counts = f"{counted(count, 'response', 'responses')}, {called} has {counted(len(queries))}"
        remedy = "name the query of each response, in their order; a search that failed has a response, too"
        raise InputError("response-queries", f"{name} has {counts}", remedy=remedy)
    return queries
