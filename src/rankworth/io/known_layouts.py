"""Documents of JSON that tools write in layouts of their own, told by their keys: where judgements or a run stand."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from rankworth.errors import InputError, quoted
from rankworth.io.layout import QRELS, RUN, Layout

KEYS: Final = frozenset({"judgmentRatings", "questions", "mteb_model_meta", "topics", "query_groups"})
"""of which each such document has one"""
_META: Final = "mteb_model_meta"
_GAIN: Final = "gain"


class _Known(NamedTuple):
    """One layout.

    Attributes:
        called: what messages call it.
        is_such: whether a document is one.
        plain: makes a dict by query of it, or rows.
        layouts: what it holds.

    """

    called: str
    is_such: Callable[[Mapping[Any, Any]], bool]
    plain: Callable[[Mapping[Any, Any], str], Any]
    layouts: tuple[Layout, ...]


def plain(source: Mapping[Any, Any], layout: Layout, name: str) -> Any:  # noqa: ANN401 - a dict by query, or rows
    """Return what such a document holds as a dict by query or as rows; None for any other document.

    Args:
        source: the document.
        layout: `RUN` or `QRELS`.
        name: what messages call it.

    Raises:
        InputError: `input-type` where it holds something else; `frame-columns` where it holds several.

    """
    known = next((each for each in _EVERY if each.is_such(source)), None)
    if known is None:
        return None
    if layout not in known.layouts:
        text = f"{name}: these are {known.called}"
        raise InputError("input-type", text, remedy=layout.exchanged)
    return known.plain(source, name)


def is_known(source: Mapping[Any, Any]) -> bool:
    """Return whether a document has one of these layouts."""
    return not KEYS.isdisjoint(source) and any(each.is_such(source) for each in _EVERY)


def _first(source: Mapping[Any, Any], key: str) -> Mapping[Any, Any]:
    """Return the first object of a list under a key; an empty one where there is none."""
    items = source.get(key)
    first = items[0] if isinstance(items, list) and items else None
    return first if isinstance(first, Mapping) else {}


def _of_opensearch(source: Mapping[Any, Any], name: str) -> dict[Any, dict[Any, Any]]:  # noqa: ARG001 - as all others
    """Return the ratings of OpenSearch's Search Relevance Workbench by query."""
    return {
        each["query"]: {rated["docId"]: rated.get("rating") for rated in each["ratings"]}
        for each in source["judgmentRatings"]
    }


def _of_bioasq(source: Mapping[Any, Any], name: str) -> dict[Any, list[Any]]:  # noqa: ARG001 - as all others
    """Return the documents of BioASQ's questions, of which judgements and submissions have the same layout."""
    return {each["id"]: each["documents"] for each in source["questions"] if each.get("documents")}


def _of_mteb(source: Mapping[Any, Any], name: str) -> Any:  # noqa: ANN401 - scores by query
    """Return the predictions of MTEB, which stand by subset and split.

    Raises:
        InputError: `frame-columns` where there are several.

    """
    subsets = {key: each for key, each in source.items() if key != _META and isinstance(each, Mapping)}
    paths = {f"{subset}.{split}": scores for subset, splits in subsets.items() for split, scores in splits.items()}
    if len(paths) != 1:
        text = f"{name}: these are predictions of MTEB for {quoted(paths, 8) or 'nothing'}"
        first = next(iter(paths), "SUBSET.SPLIT")
        remedy = f"choose a subset and a split: --run-columns root={first}, in Python run_columns={{'root': {first!r}}}"
        raise InputError("frame-columns", text, remedy=remedy)
    return next(iter(paths.values()))


def _of_rre(source: Mapping[Any, Any], name: str) -> list[tuple[Any, Any, Any]]:  # noqa: ARG001 - as all others
    """Return the ratings of the Rated Ranking Evaluator: the text of each query of a group, a document and its gain."""
    placeholder = source.get("query_placeholder", "$query")
    return [
        (query, document, gain)
        for group in _groups(source)
        for query in _queries(group, placeholder)
        for document, gain in _gains(group["relevant_documents"])
    ]


def _groups(source: Mapping[Any, Any]) -> Iterator[Mapping[Any, Any]]:
    """Yield the groups of queries of all topics, and those that stand outside of topics."""
    for topic in source.get("topics") or ():
        yield from topic.get("query_groups") or ()
    yield from source.get("query_groups") or ()


def _queries(group: Mapping[Any, Any], placeholder: str) -> Iterator[Any]:
    for query in group.get("queries") or ():
        texts = query.get("placeholders", {}) if isinstance(query, Mapping) else {placeholder: query}
        yield texts.get(placeholder, next(iter(texts.values()), group.get("name")))
    if not group.get("queries"):
        yield group.get("name")


def _gains(documents: Mapping[Any, Any]) -> Iterator[tuple[Any, Any]]:
    """Yield documents with their gains, which are keys of lists of documents, or stand in an object for each."""
    for key, value in documents.items():
        if isinstance(value, list):
            yield from ((document, float(key)) for document in value)
        else:
            yield key, value.get(_GAIN) if isinstance(value, Mapping) else value


_EVERY: Final = (
    _Known(
        "judgements of OpenSearch",
        lambda source: "ratings" in _first(source, "judgmentRatings"),
        _of_opensearch,
        (QRELS,),
    ),
    _Known(
        "questions of BioASQ",
        lambda source: {"id", "documents"} <= _first(source, "questions").keys(),
        _of_bioasq,
        (QRELS, RUN),
    ),
    _Known("predictions of MTEB", lambda source: _META in source, _of_mteb, (RUN,)),
    _Known(
        "ratings of the Rated Ranking Evaluator",
        lambda source: "relevant_documents" in next(_groups(source), {}),
        _of_rre,
        (QRELS,),
    ),
)
