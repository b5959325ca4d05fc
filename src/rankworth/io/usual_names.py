"""What columns are usually called."""

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Final

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
    "subtopic": (("subtopic", "subtopic_id", "iteration"),),
}
"""what people call columns; a name of a later group means something else where one of an earlier group is there"""
SPELLINGS: Final = {role: tuple(chain(*groups)) for role, groups in _NAMES.items()}
