"""What columns of tables of queries and of documents are called, in files and in data sets."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Final

from rankworth.io.columns import QUERY_TEXTS, Groups


@dataclass(frozen=True)
class Kind:
    """Tables of queries or of documents.

    Attributes:
        what: `query` or `document`, which is also what the column of ids is called in options.
        usual: how columns of ids, of texts, and of titles that belong to the texts, are called.
        unnamed_columns: what the columns of files without a header are, by how many there are.
        file: what the file is called in a folder of BEIR's.
        method: what data sets of ir_datasets call their rows.
        called: what messages call a table that has no name.

    """

    what: str
    usual: Mapping[str, Groups]
    unnamed_columns: Mapping[int, tuple[str, ...]]
    file: str
    method: str
    called: str

    @cached_property
    def ids(self) -> frozenset[str]:
        """The usual names of columns of ids."""
        return frozenset(chain(*self.usual[self.what]))

    @cached_property
    def names(self) -> frozenset[str]:
        """The usual names of all columns."""
        return frozenset(name for groups in self.usual.values() for name in chain(*groups))


_IDS: Final = ("id", "_id", "id_")
QUERIES: Final = Kind(
    what="query",
    usual={
        "query": (
            (
                *("query_id", "query-id", "queryid", "q_id", "qid", "query_number"),
                *("topic_id", "topic-id", "topicid", "topic_number"),
            ),
            (*_IDS, "number", "num"),
            *(("topic",), ("query",), ("user_id", "userid", "user"), QUERY_TEXTS),
        ),
        "text": (
            *(("text", "querytext", *QUERY_TEXTS), ("query",), ("question",), ("title",), ("topic",)),
            ("contents", "content", "body", "utterance", "description"),
        ),
    },
    unnamed_columns={2: ("query", "text")},
    file="queries.jsonl",
    method="queries_iter",
    called="the queries",
)
DOCUMENTS: Final = Kind(
    what="document",
    usual={
        "document": (
            ("docno",),
            (
                *("doc_id", "doc-id", "doc id", "docid", "document_id", "corpus-id", "corpus_id", "item_id", "itemid"),
                *("pid", "passage_id", "passage-id"),
            ),
            *(_IDS, ("document",), ("item",)),
        ),
        "text": (
            ("text", "document_text", "doc_text", "passage_text"),
            ("contents", "content", "body", "passage", "segment"),
            *(("document",), ("item",), ("abstract",)),
        ),
        "title": (("title",), ("headline",)),
    },
    unnamed_columns={2: ("document", "text"), 4: ("document", "url", "title", "text")},
    file="corpus.jsonl",
    method="docs_iter",
    called="the documents",
)
