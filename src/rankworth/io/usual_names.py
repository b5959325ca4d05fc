"""What columns are usually called, and whether the cells of a line are such names."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain
from types import MappingProxyType
from typing import Any, Final

QUERY_TEXTS: Final = ("query text", "query_text", "user_input")
"""what the text of a query is called, which is its id where there is no other"""
Groups = Sequence[Sequence[str]]
"""Names of columns: those of the first group that is there count, and there only one of them may be."""
_NAMES: Final[Mapping[str, Groups]] = {
    "query": (
        (
            *("query", "query_id", "qid", "query-id", "q_id", "queryid", "topic", "topic_id", "user_id", "userid"),
            *("user", *QUERY_TEXTS),
        ),
        ("question_id", "questionid", "search_id", "session_id", "sessionid", "customer_id", "customerid"),
        ("question", "search_term", "search_query", "search_phrase"),
    ),
    "document": (
        (
            *("document", "doc_id", "docno", "docid", "corpus-id", "corpus_id", "pid", "item_id", "itemid", "item"),
            *("document_id", "documentid", "doc id"),
        ),
        (
            *("product_id", "productid", "passage_id", "passage-id", "chunk_id", "article_id", "articleid", "movie_id"),
            *("movieid", "track_id", "news_id", "asin"),
        ),
        ("doc",),
    ),
    "grade": (("grade", "relevance", "label", "rel", "rating", "judgment", "judgement"),),
    "score": (("score", "prediction", "_score"),),
    "rank": (("rank", "position", "doc position"),),
    "distance": (("distance", "_distance", "dist"),),
    "subtopic": (("subtopic", "subtopic_id", "iteration"), ("group", "group_id", "nugget", "nugget_id")),
    "source": (("source",), ("source_id",), ("ref_doc_id",), ("file_path",), ("file_name",)),
    "start": (("start",), ("start_char_idx",), ("start_index",), ("start_char",)),
    "end": (("end",), ("end_char_idx",), ("end_index",), ("end_char",)),
}
"""what people call columns; a name of a later group means something else where one of an earlier group is there"""
SPELLINGS: Final = {role: tuple(chain(*groups)) for role, groups in _NAMES.items()}
NONE: Final[Mapping[str, str]] = MappingProxyType({})
SPAN_PATHS: Final[Mapping[str, Sequence[str]]] = {
    "source": ("metadata.source", "metadata.file_path", "meta.source_id", "node.ref_doc_id"),
    "start": ("metadata.start_index", "meta.split_idx_start", "node.start_char_idx"),
    "end": ("metadata.end_index", "node.end_char_idx"),
}
"""where LangChain, Haystack and LlamaIndex keep what tells the span of a piece"""
SPAN_TEXTS: Final = ("text", "page_content", "content", "node.text")
"""what the text of a piece is called, whose length tells the end where nothing else does"""
LISTS: Final = {
    "document": (
        *("documents", "docs", "doc_ids", "docids", "document_ids", "results", "hits", "ranking"),
        *("items", "item_ids", "recommendations", "ctxs", "ids", "groups", "gold_groups"),
    ),
    "score": ("scores", "predictions"),
    "rank": ("ranks",),
    "distance": ("distances",),
    "grade": ("grades", "labels", "relevances", "ratings"),
}
"""what columns of lists are called besides"""
SIDES: Final = {("score", "document"): ("retrieved_context_ids",), ("grade", "document"): ("reference_context_ids",)}
"""what ragas calls the lists of a run and of judgements, which stand in one table"""
USUAL: Final[Mapping[str, Groups]] = {
    role: (groups[0], LISTS.get(role, ()), *groups[1:]) for role, groups in _NAMES.items()
}
OF_FILE: Final = "{file}"
"""how a user says that the name of each file, without folder and suffix, is the query of its rows"""
PASSAGE: Final = "passage"
"""what umbrela calls the text of a document, which is its id where there is no other"""
RECORD: Final = ("id", "_id", "id_")
"""what a record in the list of a query may call its document besides"""
RECORDS: Final = {("score", "document"): RECORD, ("grade", "document"): RECORD, ("score", "score"): ("rating",)}
"""the same for judgements and for runs, of which those of ALS call scores ratings"""
BEIR: Final = ("corpus-id", "corpus_id")
"""how BEIR calls documents; it calls grades scores"""
KNOWN: Final = frozenset(chain(*SPELLINGS.values(), *LISTS.values()))
"""every usual name"""
_WITHIN: Final = ("source", "file_path", "file_name", "url", "uri", "link")
"""what tells documents in metadata where there is no id"""
_TYPED: Final = re.compile(r"(.+):(?:token|float)(?:_seq)?")
_TEXTS: Final = {"query", *QUERY_TEXTS}


def is_header(cells: Sequence[str], columns: Mapping[str, str] = NONE) -> bool:
    """Return whether these are the names of columns, one of them that of the queries or the documents."""
    ids = {*SPELLINGS["query"], *SPELLINGS["document"]}
    named = {column.removeprefix("-") for column in columns.values()} | {*columns.values()}
    named.update(columns.get("query", "").split(","))
    return not ids.isdisjoint(cell.lower() for cell in cells) or any(
        cell in named for cell in cells if cell and not cell.isdecimal()
    )


def bare_names(cells: Sequence[str]) -> list[str]:
    """Return the names of columns without the types that RecBole puts behind all of them.

    >>> bare_names(["user_id:token", "rating:float"])
    ['user_id', 'rating']
    """
    typed = [_TYPED.fullmatch(cell) for cell in cells]
    return [match[1] for match in typed if match] if all(typed) else list(cells)


def is_index(name: object) -> bool:
    """Return whether pandas calls an index so that has no name."""
    return re.fullmatch(r"__index_level_\d+__", str(name)) is not None


def is_plural(column: object, role: str) -> bool:
    """Return whether a column is called so only where it holds lists."""
    return str(column).lower() in (*LISTS.get(role, ()), *chain(*SIDES.values()))


def of_other_meaning(names: Iterable[Any]) -> set[str]:
    """Return the names that mean something else beside these: the text of a query, PyTerrier's row numbers."""
    return {*_TEXTS, "docid"} if "docno" in {str(name).lower() for name in names} else _TEXTS


def likely_document(paths: Sequence[str]) -> str:
    """Guess the path of the id of a document by its last name; empty if none is likely.

    >>> likely_document(["title", "metadata.source"])
    'metadata.source'
    """
    names = {path.rpartition(".")[2].lower(): path for path in reversed(paths)}
    first, _, ids, *further = USUAL["document"]
    usual = (names[name] for name in chain(first, ids, RECORD, *further) if name in names)
    called = (path for path in names.values() if path.endswith(("_id", "-id", "Id", "ID", "uuid", "key", "sku")))
    return next(chain(usual, called, (names[name] for name in _WITHIN if name in names)), "")


def nearest(names: str | Sequence[str], columns: Iterable[Any]) -> str:
    """Find the column with the name most like one of several names; empty if none is close.

    Args:
        names: a name that the user gave, or usual names, beside which other usual names are not meant.
        columns: the names of the columns that there are.

    """
    from difflib import get_close_matches  # noqa: PLC0415 - for messages only

    usual, sought = (False, [names.lower()]) if isinstance(names, str) else (True, names)
    meant: Collection[str] = {*KNOWN, *RECORD} if usual else set()
    existing = {str(name).lower(): str(name) for name in columns if str(name).lower() not in meant}
    for name in sought:
        if near := get_close_matches(name, existing, 1, 0.8 if usual else 0.6):
            return existing[near[0]]
    return ""
