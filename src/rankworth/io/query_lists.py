"""The queries of responses, as a file lists them."""

from typing import Any, Final

import orjson

from rankworth.errors import InputError
from rankworth.io.options import LISTED

_BODY: Final = frozenset({"query", "knn", "retriever", "rank"})
"""keys of the body of a request, one of which says what is searched"""


def listed_queries(path: str) -> list[str]:
    """List the queries of a request of _msearch, of a table, or of a file with one in each line, in their order.

    A request of _msearch names a query by `_name`, as named queries have it, otherwise by its text.

    Raises:
        InputError: `response-queries`, and as reading the file.

    """
    from rankworth.io import ids, query_texts  # noqa: PLC0415 - which needs the readers of all formats
    from rankworth.io.source import Source  # noqa: PLC0415 - as above

    lines = Source(path).whole().rstrip().split(b"\n")
    if lines[0].strip()[:1] not in (b"{", b"[", b"<", b"") and b"\t" not in lines[0] and b"," not in lines[0]:
        return ids.read_ids(path)
    bodies = [_object(line) for line in lines[1::2]]
    if not bodies or any(_BODY.isdisjoint(body) for body in bodies) or "query" in _object(lines[0]):
        return list(query_texts.queries(path).ids)
    queries = []
    for number, body in enumerate(bodies):
        names = _strings(body, "_name") or _strings(body, "query") or _strings(body, "match")
        if len(names) != 1:
            problem = f"{path}:{2 * number + 2}: nothing says which query this is, or more than one thing does"
            remedy = f'name it, as in {{"match": {{"title": {{"query": "...", "_name": "q1"}}}}}}; or {LISTED}'
            raise InputError("response-queries", problem, remedy=remedy)
        queries += names
    return queries


def _object(line: bytes) -> dict[str, Any]:
    """Parse a line of JSON lines; an empty object where it is none."""
    try:
        value = orjson.loads(line)
    except orjson.JSONDecodeError:
        return {}
    return value if isinstance(value, dict) else {}


def _strings(value: object, wanted: str, key: str = "", above: str = "") -> list[str]:
    """List the different texts under a key or, as `match` has them, under a field below it, at any depth."""
    if isinstance(value, str):
        return [value] if key == wanted or above == wanted == "match" else []
    if isinstance(value, list):
        return list(dict.fromkeys(text for each in value for text in _strings(each, wanted, key, above)))
    inner = value.items() if isinstance(value, dict) else ()
    return list(dict.fromkeys(text for name, each in inner for text in _strings(each, wanted, name, key)))
