"""Digests of judgements: enough of them to say later what has changed.

A `Digest` keeps of a judgement the first 24 bits of the SHA-256 of its document, under its grade: four characters in a
file.
"""

from base64 import b64encode
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from rankworth.errors import counted

if TYPE_CHECKING:
    from rankworth.model.qrels import Qrels

WIDTH: Final = 3
"""bytes of the hash of a document"""
_SHORT: Final = 16
"""digits of the digest of a query"""


@dataclass(frozen=True)
class Changes:
    """How two sets of judgements differ.

    Attributes:
        queries: how many queries have other judgements.
        pairs: how many pairs of a query and a document are judged otherwise; at least so many, unless `exact`.
        added: pairs that are judged in the second set only.
        removed: pairs that are judged in the first set only.
        regraded: pairs with another grade.
        exact: whether the documents were known on both sides, and not only how many there are.

    """

    queries: int = 0
    pairs: int = 0
    added: int = 0
    removed: int = 0
    regraded: int = 0
    exact: bool = True

    def __bool__(self) -> bool:
        """Return whether anything changed."""
        return self.queries > 0

    def __str__(self) -> str:
        """Describe the changes in a sentence.

        >>> str(Changes(2, 3, added=1, regraded=2))
        '3 judgements of 2 queries changed: 1 added, 2 regraded'
        >>> str(Changes(1, 1, exact=False))
        'at least 1 judgement of 1 query changed'
        """
        parts = ((self.added, "added"), (self.removed, "removed"), (self.regraded, "regraded"))
        sizes = ", ".join(f"{count:,} {verb}" for count, verb in parts if count)
        judgements = f"{self.pairs:,} judgement{'' if self.pairs == 1 else 's'}"
        queries = counted(self.queries)
        ahead = "" if self.exact else "at least "
        return f"{ahead}{judgements} of {queries} changed{f': {ahead}{sizes}' if sizes else ''}"


@dataclass(frozen=True)
class QueryDigest:
    """What the judgements of one query were.

    Attributes:
        pairs: how many there are.
        digest: of all of them, 64 bits in hexadecimal digits.
        documents: by grade the hashes of the documents, `WIDTH` bytes each, in order; None where they were not kept.

    """

    pairs: int
    digest: str
    documents: Mapping[str, bytes] | None = None

    @classmethod
    def of(cls, documents: Mapping[str, bytes]) -> "QueryDigest":
        """Make a digest from the hashes of the documents by grade, lowest first."""
        lines = "".join(f"{grade} {b64encode(hashes).decode()}\n" for grade, hashes in documents.items())
        return cls(sum(map(len, documents.values())) // WIDTH, sha256(lines.encode()).hexdigest()[:_SHORT], documents)


@dataclass(frozen=True, repr=False)
class Digest:
    """What judgements were, whatever they were read from, and in whatever order.

    Attributes:
        queries: what the judgements of each query were, in the order of the ids.

    """

    queries: Mapping[str, QueryDigest]

    @classmethod
    def of(cls, qrels: "Qrels") -> "Digest":
        """Digest some judgements; of documents that are judged for several subtopics, each judgement counts.

        Raises:
            InputError: `changed-file`, where subtopics are looked up in a file that is no longer the same.

        """
        return cls({query: _of_query(rows) for query, rows in _judgements(qrels)})

    def __repr__(self) -> str:
        """Show the number of queries, and the digest of all."""
        return f"Digest({counted(len(self.queries))}, {self.sha256})"

    @cached_property
    def sha256(self) -> str:
        """One digest of all: over the lines `query TAB digest of the query`."""
        lines = "".join(f"{query}\t{digest.digest}\n" for query, digest in self.queries.items())
        return sha256(lines.encode("utf-8", "surrogatepass")).hexdigest()

    @property
    def pairs(self) -> int:
        """How many judgements there are."""
        return sum(digest.pairs for digest in self.queries.values())

    def changes(self, other: "Digest", queries: Collection[str] | None = None) -> Changes:
        """Count how the judgements of another time differ from these.

        Args:
            other: the later ones.
            queries: the queries to look at; all that either has, where not said.

        """
        looked_at = {*self.queries, *other.queries} if queries is None else set(queries)
        changes = [_changes(self.queries.get(query, _NONE), other.queries.get(query, _NONE)) for query in looked_at]
        return Changes(
            queries=sum(change.queries for change in changes),
            pairs=sum(change.pairs for change in changes),
            added=sum(change.added for change in changes),
            removed=sum(change.removed for change in changes),
            regraded=sum(change.regraded for change in changes),
            exact=all(change.exact for change in changes),
        )


_NONE: Final = QueryDigest.of({})


def _changes(digest: QueryDigest, other: QueryDigest) -> Changes:
    """Count the changes of one query."""
    if digest.digest == other.digest:
        return Changes()
    if digest.documents is None or other.documents is None:
        more = other.pairs - digest.pairs
        exact = not (digest.pairs and other.pairs)
        return Changes(1, max(1, abs(more)), max(0, more), max(0, -more), 0, exact=exact)
    before, after = (Counter(_split(each)) for each in (digest.documents, other.documents))
    gone, new = (Counter(document for document, _ in pairs.elements()) for pairs in (before - after, after - before))
    regraded, removed, added = (documents.total() for documents in (gone & new, gone - new, new - gone))
    return Changes(1, regraded + removed + added, added, removed, regraded)


def _split(documents: Mapping[str, bytes]) -> Iterator[tuple[bytes, str]]:
    """Yield each judgement: the hash of the document, and the grade."""
    for grade, hashes in documents.items():
        for start in range(0, len(hashes), WIDTH):
            yield hashes[start : start + WIDTH], grade


def _of_query(rows: Iterable[tuple[str, float]]) -> QueryDigest:
    """Digest the judgements of one query: texts, which name documents, and their grades."""
    by_grade: dict[float, list[bytes]] = {}
    for text, grade in rows:
        by_grade.setdefault(grade, []).append(sha256(text.encode("utf-8", "surrogatepass")).digest()[:WIDTH])
    return QueryDigest.of({_text(grade): b"".join(sorted(hashes)) for grade, hashes in sorted(by_grade.items())})


def _text(grade: float) -> str:
    """Write a grade as text: 1 and 1.0 are one grade, and so are 0 and -0."""
    return repr(grade + 0.0).removesuffix(".0")


def _judgements(qrels: "Qrels") -> Iterator[tuple[str, list[tuple[str, float]]]]:
    """Yield the judgements of each query: documents, or documents and subtopics, with their grades."""
    if qrels.merged:
        yield from _by_subtopic(qrels)
        return
    ends = qrels.offsets.tolist()
    copies: dict[int, list[tuple[int, float]]] = {}
    owners = qrels.offsets.searchsorted(qrels.copies, side="right") - 1
    for owner, row, grade in zip(owners.tolist(), qrels.copies.tolist(), qrels.copied_grades.tolist(), strict=True):
        copies.setdefault(owner, []).append((row - ends[owner], grade))
    for index, query in enumerate(qrels.queries):
        documents = qrels.documents_of(index)
        rows = list(zip(documents, qrels.grades[ends[index] : ends[index + 1]].tolist(), strict=True))
        yield query, rows + [(documents[row], grade) for row, grade in copies.get(index, ())]


def _by_subtopic(qrels: "Qrels") -> Iterator[tuple[str, list[tuple[str, float]]]]:
    """Yield the judgements of each query for each subtopic."""
    frame = qrels.by_subtopic()
    rows: dict[str, list[tuple[str, str, float]]] = {}
    if frame is not None:
        for query, subtopic, document, grade in frame.select("query", "subtopic", "document", "grade").iter_rows():
            rows.setdefault(query, []).append((subtopic, document, grade))
    for index, query in enumerate(qrels.queries):
        judged = frozenset(qrels.documents_of(index))
        yield query, [(f"{text}\t{subtopic}", grade) for subtopic, text, grade in rows.get(query, ()) if text in judged]
