"""Judgements: which document has which grade for which query; and enough of them to say later what has changed.

A `Digest` keeps of a judgement the first 24 bits of the SHA-256 of its document, under its grade: four characters in a
file.
"""

from base64 import b64encode
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from itertools import compress
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from rankworth.arrays import Floats, Integers, Pool, expand
from rankworth.errors import InputError, UsageError, counted, quoted
from rankworth.io import duplicates, validate
from rankworth.io.lines import QRELS
from rankworth.io.reading import Blank, Blanks, Described, Reading, files_of
from rankworth.io.validate import IdKinds, refuse_halves
from rankworth.settings import DuplicateJudgements
from rankworth.tables.frames import FrameLibrary, id_column, run_starts, taken, to_library

if TYPE_CHECKING:
    import polars as pl

    from rankworth.io.judgements import AllJudgements
    from rankworth.io.source import Source

_JUDGEMENTS: Final = "the judgements"
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
        """Whether anything changed."""
        return self.queries > 0

    def __str__(self) -> str:
        """A sentence.

        >>> str(Changes(2, 3, added=1, regraded=2))
        '3 judgements of 2 queries changed: 1 added, 2 regraded'
        >>> str(Changes(1, 1, exact=False))
        'at least 1 judgement of 1 query changed'
        """
        parts = ((self.added, "added"), (self.removed, "removed"), (self.regraded, "regraded"))
        sizes = ", ".join(f"{count:,} {what}" for count, what in parts if count)
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
        """From the hashes of the documents by grade, lowest first."""
        lines = "".join(f"{grade} {b64encode(hashes).decode()}\n" for grade, hashes in documents.items())
        return cls(sum(map(len, documents.values())) // WIDTH, sha256(lines.encode()).hexdigest()[:_SHORT], documents)


@dataclass(frozen=True)
class Digest:
    """What judgements were, whatever they were read from, and in whatever order.

    Attributes:
        queries: what the judgements of each query were, in the order of the ids.

    """

    queries: Mapping[str, QueryDigest]

    @classmethod
    def of(cls, qrels: "Qrels") -> "Digest":
        """What some judgements are; of documents that are judged for several subtopics, each judgement counts.

        Raises:
            InputError: `changed-file`, where subtopics are looked up in a file that is no longer the same.

        """
        return cls({query: _of_query(rows) for query, rows in _judgements(qrels)})

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
        """How the judgements of another time differ from these.

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
    """How one query differs."""
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
    """Each judgement: the hash of the document, and the grade."""
    for grade, hashes in documents.items():
        for place in range(0, len(hashes), WIDTH):
            yield hashes[place : place + WIDTH], grade


def _of_query(rows: Iterable[tuple[str, float]]) -> QueryDigest:
    """From texts, which name documents, and their grades."""
    by_grade: dict[float, list[bytes]] = {}
    for text, grade in rows:
        by_grade.setdefault(grade, []).append(sha256(text.encode("utf-8", "surrogatepass")).digest()[:WIDTH])
    return QueryDigest.of({_text(grade): b"".join(sorted(hashes)) for grade, hashes in sorted(by_grade.items())})


def _text(grade: float) -> str:
    """A grade as it is written: 1 and 1.0 are one grade, and so are 0 and -0."""
    return repr(grade + 0.0).removesuffix(".0")


def _judgements(qrels: "Qrels") -> Iterator[tuple[str, list[tuple[str, float]]]]:
    """The judgements of each query: documents, or documents and subtopics, with their grades."""
    if qrels.merged:
        yield from _by_subtopic(qrels)
        return
    ends = qrels.offsets.tolist()
    copies: dict[int, list[tuple[int, float]]] = {}
    owners = qrels.offsets.searchsorted(qrels.copies, side="right") - 1
    for owner, row, grade in zip(owners.tolist(), qrels.copies.tolist(), qrels.copied_grades.tolist(), strict=True):
        copies.setdefault(owner, []).append((row - ends[owner], grade))
    for place, query in enumerate(qrels.queries):
        documents = qrels.documents_of(place)
        rows = list(zip(documents, qrels.grades[ends[place] : ends[place + 1]].tolist(), strict=True))
        yield query, rows + [(documents[row], grade) for row, grade in copies.get(place, ())]


def _by_subtopic(qrels: "Qrels") -> Iterator[tuple[str, list[tuple[str, float]]]]:
    """The judgements of each query for each subtopic."""
    frame = qrels.by_subtopic()
    rows: dict[str, list[tuple[str, str, float]]] = {}
    if frame is not None:
        for query, subtopic, document, grade in frame.select("query", "subtopic", "document", "grade").iter_rows():
            rows.setdefault(query, []).append((subtopic, document, grade))
    for place, query in enumerate(qrels.queries):
        judged = frozenset(qrels.documents_of(place))
        yield query, [(f"{text}\t{subtopic}", grade) for subtopic, text, grade in rows.get(query, ()) if text in judged]


class Qrels:
    """Judgements: which document has which grade for which query; read and put in order once, for many runs.

    Args:
        source: a path (or `-`) in any format of `rankworth.io.reading` or a list of paths, a dict
            `{query: {document: grade}}`, or a frame with columns `query, document, grade`, and `subtopic` where a
            document is judged for several subtopics of a query (in a TREC file the second column); its grade is then
            the best of them.
        queries: the ids of the queries to keep, before anything is counted; all where not said.
        duplicate_judgements: what becomes of several grades of a document (for one subtopic) of a query: an `"error"`,
            the best counts (`"max"`), or the one that comes `"first"` or `"last"`, or `"all"`.
        format: of a file; detected from its content where not given.
        columns: which column holds what, `{"query": "term"}`, where the names of columns do not tell.
        split: which judgements of a BEIR folder; `test` where not said.
        blank: what a judgement without a grade means (an empty cell, null, None, NaN, a missing field): that nobody
            judged the document (`"unjudged"`), grade 0 (`"zero"`), or an `"error"`.

    Attributes:
        queries: ids of the judged queries, in the order of their UTF-8 bytes.
        only: the queries that were asked for; None where nobody named any. Runs are restricted to them, too.
        order: the same in the order in which they were given.
        offsets: `[Q + 1]`; the judgements of query `i` are rows `offsets[i]` to `offsets[i + 1]`.
        grades: `[N]` as given, float64.
        merged: whether some document is judged for several subtopics of a query.
        duplicate_judgements: how repeated judgements were settled.
        repeated: `[Q]`, how many judgements of each query do not count, as `duplicate_judgements` says.
        excluded: `[Q]`, how many `without` has left out.
        blanks: how many judgements had no grade.
        blank: what that meant, as the argument of that name says.
        copies: `[C]`, the rows of documents that are judged again, where all judgements count.
        copied_grades: `[C]`, the grades that they have then.
        kinds: whether ids came as integers, as `to_dict`, `to_frame` and what is evaluated give them back.

    Raises:
        InputError: where anything is wrong with the judgements; see `docs/errors/`.

    >>> qrels = Qrels({"q1": {"d1": 2, "d2": 0}, "q2": {"d1": 1}})
    >>> qrels.queries, qrels.grades.tolist()
    (['q1', 'q2'], [2.0, 0.0, 1.0])
    """

    queries: list[str]
    only: frozenset[str] | None
    order: list[str]
    offsets: Integers
    grades: Floats
    merged: bool
    duplicate_judgements: DuplicateJudgements
    repeated: Integers
    excluded: Integers
    copies: Integers
    copied_grades: Floats
    blanks: int
    blank: str
    kinds: IdKinds

    def __init__(
        self,
        source: object,
        *,
        queries: Iterable[object] | None = None,
        duplicate_judgements: DuplicateJudgements = "error",
        format: str = "",  # noqa: A002 - as everywhere
        columns: Mapping[str, str] | None = None,
        split: str = "",
        blank: Blank = "unjudged",
    ) -> None:
        """Read, check and sort."""
        duplicates.check("duplicate_judgements", duplicate_judgements, DuplicateJudgements)
        if isinstance(source, Described):
            columns, blank, split = source.columns, source.blank, source.split
            format, source = source.format, source.source  # noqa: A001 - the name of the parameter
        self.duplicate_judgements = duplicate_judgements
        self.merged = False
        self.kinds = IdKinds()
        wanted = None if queries is None else validate.ids(queries)
        self.only = None if wanted is None else frozenset(wanted)
        if self.only is not None and not self.only:
            raise InputError("empty-input", "the list of queries to keep is empty")
        self.copies, self.copied_grades = np.zeros(0, dtype=np.int64), np.zeros(0)
        self._documents: pl.Series | list[list[str]]
        self._given: AllJudgements | None = None
        if isinstance(source, Qrels):
            self._from_qrels(source)
        else:
            self._from_any(source, Reading(format, columns or {}, split, Blanks(blank, self.only)))
        if wanted is not None:
            self._keep(wanted)
        self.grades.setflags(write=False)

    def __len__(self) -> int:
        """The number of judged queries."""
        return len(self.queries)

    def __repr__(self) -> str:
        """Say how much is judged."""
        return f"Qrels({counted(len(self.queries))}, {counted(self.grades.size, 'judgement', 'judgements')})"

    def __eq__(self, other: object) -> bool:
        """Equal where the same documents have the same grades for the same queries, in whatever order."""
        return isinstance(other, Qrels) and self.with_text_ids() == other.with_text_ids()

    __hash__ = None  # type: ignore[assignment]

    @classmethod
    def rowless(cls) -> "Qrels":
        """Judgements without a row, for conventions by which these are none to refuse."""
        qrels = cls({"": {"": 0}})
        qrels._keep([])
        return qrels

    @cached_property
    def lengths(self) -> Integers:
        """`[Q]`: the number of judged documents."""
        return np.diff(self.offsets)

    @cached_property
    def pool(self) -> Pool:
        """The grades of each query, best first."""
        owner = np.repeat(np.arange(len(self.queries)), self.lengths)
        return Pool(self.offsets, self.grades[np.lexsort((-self.grades, owner))])

    @cached_property
    def digest(self) -> Digest:
        """What tells later whether these are still the judgements."""
        return Digest.of(self)

    @cached_property
    def document_lists(self) -> list[list[str]]:
        """The judged documents of each query, as texts, in the order of `grades`."""
        if isinstance(self._documents, list):
            return self._documents
        flat = self._documents.to_list()
        return [flat[start:end] for start, end in zip(self.offsets[:-1], self.offsets[1:], strict=True)]

    @cached_property
    def document_series(self) -> "pl.Series":
        """The judged documents of all queries in one column, in the order of `grades`."""
        if not isinstance(self._documents, list):
            return self._documents
        return id_column("document", [text for part in self._documents for text in part], _JUDGEMENTS)

    def documents_of(self, query: int) -> list[str]:
        """The judged documents of one query, which is given by its place."""
        if isinstance(self._documents, list):
            return self._documents[query]
        return self._documents[int(self.offsets[query]) : int(self.offsets[query + 1])].to_list()

    def by_subtopic(self) -> "pl.DataFrame | None":
        """Every judgement that counts, `query, subtopic, document, grade`; None where nothing tells subtopics."""
        return None if self._given is None else self._given.by_subtopic()

    def without(self, rows: NDArray[np.bool_]) -> "Qrels":
        """The judgements of these queries without some of the judgements.

        Args:
            rows: `[N]`, the judgements to leave out.

        """
        others, kept = Qrels(self), ~rows
        others._select(kept, np.arange(len(self.queries)))
        others.excluded = self.excluded + self.lengths - others.lengths
        return others

    def with_queries(self, queries: Iterable[str]) -> "Qrels":
        """These judgements with further queries, of which no document is judged.

        Args:
            queries: their ids; those that are there already do no harm.

        """
        lengths = dict(zip(self.queries, self.lengths.tolist(), strict=True))
        places = {query: place for place, query in enumerate(self.queries)}
        others = Qrels(self)
        others.queries = sorted({*self.queries, *queries})
        counts = [lengths.get(query, 0) for query in others.queries]
        others.offsets = np.concatenate(([0], np.cumsum(counts)))
        at = np.array([places.get(query, -1) for query in others.queries], dtype=np.int64)
        others.repeated = np.where(at >= 0, self.repeated[at], 0)
        others.excluded = np.where(at >= 0, self.excluded[at], 0)
        if isinstance(self._documents, list):
            others._documents = [self._documents[place] if place >= 0 else [] for place in at.tolist()]
        return others

    def to_dict(self) -> dict[Any, dict[Any, float]]:
        """`{query: {document: grade}}`, a copy; ids that came as integers are integers."""
        back = self.kinds.back
        rows = {
            query: dict(zip(back("document", [*row]), row.values(), strict=True))
            for query, row in self.with_text_ids().items()
        }
        return dict(zip(back("query", [*rows]), rows.values(), strict=True))

    def with_text_ids(self) -> dict[str, dict[str, float]]:
        """`{query: {document: grade}}` with all ids as text."""
        parts = zip(self.queries, self.document_lists, self.offsets[:-1], strict=True)
        return {query: dict(zip(docs, self.grades[start:].tolist(), strict=False)) for query, docs, start in parts}

    def to_frame(self, library: FrameLibrary = "polars") -> Any:  # noqa: ANN401 - the library's own frame
        """One row per judgement: `query, document, grade`; ids that came as integers are integers."""
        back = self.kinds.back
        queries = np.repeat(np.array(back("query", self.queries), dtype=object), self.lengths).tolist()
        documents = back("document", self.document_series.to_list())
        return to_library({"query": queries, "document": documents, "grade": self.grades}, library)

    def _from_any(self, source: object, reading: Reading) -> None:
        """Read what users have."""
        files = () if isinstance(source, Mapping) else files_of(source, QRELS, reading)
        rows: Any = None
        if not files:
            from rankworth.io.python import Reader  # noqa: PLC0415 - not needed for files

            rows = Reader(QRELS, _JUDGEMENTS, reading.columns, kinds=self.kinds).read(source)
        if isinstance(rows, Mapping):
            self._from_mapping(rows, reading.blanks)
        else:
            self._from_rows(files, rows, reading)
        self.blanks, self.blank = reading.blanks.count, reading.blanks.policy

    def _from_mapping(self, source: Mapping[Any, Any], blanks: Blanks) -> None:
        """Read a dict of dicts."""
        refuse_halves(source, _JUDGEMENTS)
        named = validate.dicts(source, "grade", _JUDGEMENTS)
        if self.only is not None and named.keys() >= self.only:
            named = {query: grades for query, grades in named.items() if query in self.only}
        self.order = list(named)
        self.queries = sorted(named)
        parts = [
            validate.keys(named[query], duplicate="duplicate-judgement", name=f"{_JUDGEMENTS}: query {query!r}")
            for query in self.queries
        ]
        self.repeated = self.excluded = np.zeros(len(parts), dtype=np.int64)
        self.offsets = np.zeros(len(parts) + 1, dtype=np.int64)
        np.cumsum(list(map(len, parts)), out=self.offsets[1:])
        self.grades = validate.values(parts, int(self.offsets[-1]), "grade", self.queries)
        self._documents = list(map(list, parts))
        if (blank := np.isnan(self.grades)).any():
            self._settle(blank, blanks)

    def _settle(self, blank: NDArray[np.bool_], blanks: Blanks) -> None:
        """Leave out judgements without a grade, or give them grade 0."""
        count, first = int(blank.sum()), int(blank.argmax())
        place = int(np.searchsorted(self.offsets, first, side="right")) - 1
        if blanks.policy == "error":
            document = self.documents_of(place)[first - int(self.offsets[place])]
            raise blanks.refused(count, _JUDGEMENTS, self.queries[place], document)
        blanks.count += count
        if blanks.policy == "zero":
            self.grades[blank] = 0.0
            return
        ends = np.concatenate(([0], np.cumsum(~blank)))[self.offsets]
        self._select(~blank, np.flatnonzero((np.diff(ends) > 0) | (np.diff(self.offsets) == 0)))
        blanks.check(_JUDGEMENTS, empty=not self.queries)

    def _from_qrels(self, source: "Qrels") -> None:
        """Take over what was read."""
        policies = {source.duplicate_judgements, self.duplicate_judgements} - {"error"}
        if len(policies) > 1:
            raise UsageError(
                "conflicting-options",
                f"duplicate_judgements={self.duplicate_judgements!r}: these judgements were read with "
                f"{source.duplicate_judgements!r}",
                remedy="say it once, where they are read",
            )
        parts = ("queries", "order", "offsets", "grades", "merged", "repeated", "excluded", "copies", "copied_grades")
        self.blanks, self.blank = source.blanks, source.blank
        for name in (*parts, "_documents", "_given", "kinds"):
            setattr(self, name, getattr(source, name))
        self.duplicate_judgements = next(iter(policies), "error")
        self.only = source.only if self.only is None else self.only

    def _from_rows(self, files: "Sequence[Source]", rows: Any, reading: Reading) -> None:  # noqa: ANN401 - a frame of Polars
        """Put the rows of files or of a frame in order."""
        from rankworth.io import judgements  # noqa: PLC0415 - not needed for dicts; imports a dataframe library

        read = judgements.read(files, rows, reading, self.duplicate_judgements, self.only)
        frame, self._given, self.merged, repeated, copies, self.order = read
        if copies is not None:
            self.copies = copies["row"].to_numpy().astype(np.int64)
            self.copied_grades = copies["grade"].to_numpy()
        starts = run_starts(frame["query"])
        self.queries = taken(frame["query"], starts).to_list()
        self.offsets = np.append(starts, frame.height).astype(np.int64)
        self.grades = frame["grade"].to_numpy()
        self._documents = frame["document"]
        self.repeated = np.array([repeated.get(query, 0) for query in self.queries], dtype=np.int64)
        self.excluded = np.zeros_like(self.repeated)

    def _keep(self, wanted: Sequence[str]) -> None:
        index = {query: place for place, query in enumerate(self.queries)}
        unjudged = [query for query in wanted if query not in index]
        if unjudged:
            raise InputError(
                "unjudged-queries",
                f"{len(unjudged):,} of the {counted(len(wanted))} asked for "
                f"{'is' if len(wanted) == 1 else 'are'} not judged: {quoted(unjudged)}",
                remedy=f"judged are {quoted(self.queries)}; leave out the queries without judgements",
            )
        places = np.array(sorted({index[query] for query in wanted}), dtype=np.int64)
        kept = np.zeros(self.grades.size, dtype=bool)
        kept[expand(self.offsets[places], self.lengths[places])] = True
        self._select(kept, places)

    def _select(self, kept: NDArray[np.bool_], places: Integers) -> None:
        """Keep some judgements.

        Args:
            kept: `[N]`, which judgements are kept; none of other queries.
            places: which queries are kept, by their places.

        """
        if isinstance(self._documents, list):
            flags = np.split(kept, self.offsets[1:-1])
            self._documents = [list(compress(self._documents[place], flags[place])) for place in places.tolist()]
        else:
            self._documents = taken(self._documents, np.flatnonzero(kept))
        ends = np.cumsum(kept)
        counts = np.diff(np.concatenate(([0], ends))[self.offsets])[places]
        self.offsets = np.concatenate(([0], np.cumsum(counts)))
        self.grades = self.grades[kept]
        self.grades.setflags(write=False)
        self.queries = [self.queries[place] for place in places.tolist()]
        names = {*self.queries}
        self.order = [query for query in self.order if query in names]
        self.repeated, self.excluded = self.repeated[places], self.excluded[places]
        there = kept[self.copies]
        self.copies, self.copied_grades = ends[self.copies[there]] - 1, self.copied_grades[there]
        for name in ("lengths", "pool", "document_lists", "document_series"):
            self.__dict__.pop(name, None)
