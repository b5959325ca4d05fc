"""Judging plain dicts: judged documents are looked up; nothing is joined, and only tied documents are sorted."""

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, count, islice, pairwise, repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankworth.arrays import Floats, Integers, expand
from rankworth.errors import InputError, quoted
from rankworth.io import validate
from rankworth.judging.exclusion import Exclusion
from rankworth.judging.ranking import Hits, Include, Rows, TieGroups
from rankworth.model import Qrels
from rankworth.settings import Duplicates, Ties

Documents = Mapping[Any, Any]
"""Scores by document id, which are texts or integers."""


def batch(qrels: Qrels, queries: Mapping[str, Documents], name: str, include: Include) -> "_Dicts":
    """Split the queries of a run into judged ones, with their documents as rows, and the others.

    Args:
        qrels: the judgements.
        queries: the documents of the run by query.
        name: what the run is called.
        include: which rows and columns there are to be.

    """
    places = [query_index for query_index, query in enumerate(qrels.queries) if query in queries]
    judged = [qrels.queries[query_index] for query_index in places]
    lists = [queries[query] for query in judged]
    unjudged_queries = queries.keys() - set(judged) if len(queries) > len(judged) else ()
    return _Dicts(
        qrels=qrels,
        include=include,
        queries=judged,
        query_index=np.array(places, dtype=np.int64),
        lengths=_lengths(lists),
        lists=lists,
        unjudged_lists={query: queries[query] for query in queries if query in unjudged_queries}
        if unjudged_queries
        else {},
        name=f"run {name}" if name else "",
    )


@dataclass(frozen=True, kw_only=True)
class _Dicts(Rows):
    """The judged queries of a run."""

    lists: list[Documents]
    """`[S]`: the documents of each"""
    unjudged_lists: Mapping[str, Documents]
    """unjudged queries"""
    name: str
    """what messages call the run"""

    @property
    def unjudged(self) -> dict[str, int]:
        """The number of documents of each unjudged query."""
        return {query: len(documents) for query, documents in self.unjudged_lists.items()}

    @property
    def scores(self) -> Floats:
        """`[R]`."""
        return self._read[0]

    @property
    def ranks(self) -> Floats:
        """`[R]`: dicts have no rank column but their scores."""
        return -self.scores

    @cached_property
    def _wanted(self) -> list[list[str]]:
        """The judged documents of each query."""
        return [self.qrels.document_lists[query_index] for query_index in self.query_index.tolist()]

    @cached_property
    def _read(self) -> tuple[Floats, Floats]:
        """All scores, `[R]`, and those of the W judged documents of the queries, `[W]`, NaN where not retrieved."""
        numbers_found: list[Any] = []
        wanted, absent = self._wanted, repeat(math.nan)
        scores = validate.values(
            self.lists,
            int(self.lengths.sum()),
            "score",
            self.queries,
            name=self.name,
            beside=lambda number: numbers_found.extend(map(self.lists[number].get, wanted[number], absent)),
        )
        return scores, validate.as_float64(numbers_found)

    def documents(self, rows: Integers) -> list[str]:
        """Return the ids at the given rows; read each dict only as far as the last row that is asked for."""
        segment = self._segment(rows)
        offset = rows - self.starts[segment]  # [N]: the position in the dict of the query
        sizes = np.zeros_like(self.lengths)  # [S]: how many ids of each dict are read
        np.maximum.at(sizes, segment, offset + 1)
        ids: list[str] = []
        for number in np.flatnonzero(sizes).tolist():
            ids += islice(self.lists[number], int(sizes[number]))
        begin = np.cumsum(sizes) - sizes  # [S]: where these begin in the list
        return list(map(ids.__getitem__, (begin[segment] + offset).tolist()))

    def _segment(self, rows: Integers) -> Integers:
        """Return `[N]`, the number of each row's query."""
        return np.searchsorted(self.starts, rows, side="right") - 1

    def without(self, exclude: Exclusion) -> "_Dicts":
        """Return the rows of the documents that are not excluded."""
        lists = list(map(_without, self.lists, map(exclude.documents_of, self.queries)))
        unjudged = {
            query: _without(documents, exclude.documents_of(query)) for query, documents in self.unjudged_lists.items()
        }
        has_rows = np.array(list(map(bool, lists)), dtype=bool)  # [S]: whether the query has a document left
        lists = list(filter(None, lists))
        return replace(
            self,
            queries=[query for query, has_row in zip(self.queries, has_rows.tolist(), strict=True) if has_row],
            query_index=self.query_index[has_rows],
            lengths=_lengths(lists),
            lists=lists,
            unjudged_lists={query: documents for query, documents in unjudged.items() if documents},
        )

    def once(self, _: Duplicates) -> "_Dicts":
        """Return the documents with ids as text; refuse an integer and a text that are the same id."""
        if all(map(_is_text, self.lists)):
            return self
        where = f"{self.name}: query" if self.name else "query"
        lists = [
            each if _is_text(each) else validate.keys(each, duplicate="duplicate-document", name=f"{where} {query!r}")
            for query, each in zip(self.queries, self.lists, strict=True)
        ]
        return replace(self, lists=lists, lengths=_lengths(lists))

    def hits(self) -> Hits:
        """Look up the judged documents among the rows."""
        counts = self.qrels.lengths[self.query_index]  # [S]: how many judged documents each query has
        score = self._read[1]  # [W]: of each judged document
        hits = np.flatnonzero(~np.isnan(score))  # [N]: the judged documents that were retrieved
        segment = np.repeat(np.arange(counts.size), counts)[hits]
        return Hits(
            segment, expand(self.qrels.offsets[self.query_index], counts)[hits], score[hits], self._rows_of_judged
        )

    def _rows_of_judged(self) -> Integers:
        """Return `[N]`, the rows of the judged documents."""
        rows: list[int] = []
        for documents, start, wanted in zip(self.lists, self.starts.tolist(), self._wanted, strict=True):
            row = dict(zip(documents, count(start)))
            rows += [row[document] for document in wanted if document in row]
        return np.array(rows, dtype=np.int64)

    def judgements(self, segments: Integers) -> Integers:
        """Return the judgement of every row of the given queries, -1 where there is none."""
        of_rows: list[int] = []
        bases = self.qrels.offsets[self.query_index].tolist()
        for number in segments.tolist():
            judgement = dict(zip(self._wanted[number], count(bases[number])))
            of_rows += [judgement.get(document, -1) for document in self.lists[number]]
        return np.array(of_rows, dtype=np.int64)

    def judged_anywhere(self, rows: Integers) -> NDArray[np.bool_]:
        """Return whether the document of each row is judged for any query."""
        judged = frozenset(chain.from_iterable(self.qrels.document_lists))
        return np.array([document in judged for document in self.documents(rows)], dtype=bool)

    def before_in_group(self, hits: Hits, groups: TieGroups, ties: Ties) -> Integers:
        """Return `[T]`, how many rows of its group come before each tied document; code points sort as UTF-8 bytes do.

        Raises:
            InputError: `id-type`.

        """
        ids, is_given = self.documents(groups.rows), ties in ("given", "given-reversed")
        if not is_given and not set(map(type, ids)) <= {str}:
            text = f"{quoted(map(repr, ids))} are ids of one query, texts and others"
            raise InputError("id-type", text, remedy="make all of them texts")
        starts = np.cumsum(groups.sizes) - groups.sizes  # [G]: where each group begins among the K ids
        if not is_given:
            ends = pairwise([*starts.tolist(), len(ids)])
            ids = list(chain.from_iterable(sorted(ids[start:end]) for start, end in ends))
        owner = self._segment(groups.rows[starts])  # of each group; the groups of a query stand together
        first = np.flatnonzero(np.diff(owner, prepend=-1))  # the first group of each query that has groups
        spans = pairwise([*starts[first].tolist(), len(ids)])
        positions = [dict(zip(ids[start:end], range(start, end), strict=True)) for start, end in spans]
        # [T]: which of these queries the document is of
        number = np.searchsorted(owner[first], hits.segment[groups.hits]).tolist()
        tied = zip(number, self._documents_of(hits, groups.hits), strict=True)
        # [T]: its position among the K ids, less that of its group
        before = (
            np.array([positions[query][document] for query, document in tied], dtype=np.int64) - starts[groups.group]
        )
        if ties in ("id-descending", "given-reversed"):
            before = groups.sizes[groups.group] - 1 - before
        return before

    def _documents_of(self, hits: Hits, numbers: Integers) -> list[str]:
        """Look up the ids of hits: in the judgements, or in the rows, which are known where there are unjudged hits."""
        judgement, segment = hits.judgement[numbers], hits.segment[numbers]
        if (judgement < 0).any():
            return self.documents(hits.row[numbers])
        # [T]: the number among the judged documents of the query
        within = judgement - self.qrels.offsets[self.query_index[segment]]
        pairs = zip(segment.tolist(), within.tolist(), strict=True)
        return [self._wanted[number][index] for number, index in pairs]


def _lengths(lists: list[Documents]) -> Integers:
    return np.fromiter(map(len, lists), np.int64, len(lists))


def _without(documents: Documents, excluded: Collection[str]) -> Documents:
    """Return the documents that are not excluded; the dict itself if none is."""
    if not _is_text(documents):
        excluded = frozenset(excluded)
        return {document: score for document, score in documents.items() if validate.text(document) not in excluded}
    if not any(document in documents for document in excluded):
        return documents
    remaining = dict(documents)
    for document in excluded:
        remaining.pop(document, None)
    return remaining


def _is_text(documents: Documents) -> bool:
    """Return whether the first and the last id of a dict are texts, or all ids of another mapping.

    Looking at all ids would take as long as all the rest; ids of one dict are of one kind.
    """
    if isinstance(documents, dict):
        return not documents or type(next(iter(documents))) is type(next(reversed(documents))) is str
    return all(isinstance(document, str) for document in documents)
