"""Lists of the same queries, joined by document: which documents there are, and which row of which list is which."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count, pairwise
from typing import Any, Final, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rankworth.arrays import Floats, Integers, expand
from rankworth.judging.polars import has_repeated, pair_keys
from rankworth.tables.frames import taken

IdOrder = Literal["id-descending", "id-ascending"]
TieRule = Literal["id-descending", "id-ascending", "first-seen"]
"""what stands first among equal scores: by the UTF-8 bytes of ids, or what came first in the lists, the first list
before the second"""
_BALANCED: Final = 1.5
"""how much larger than its rows a padded matrix may be"""
_PAIR: Final = 2


@dataclass(frozen=True, eq=False)
class List:
    """The rows of one list for some queries; `R` rows, those of a query together, in the order of the queries.

    Attributes:
        lengths: `[Q]`, how many rows each query has.
        query: `[R]`, the number of the query of each row, ascending.
        candidate: `[R]`, the number of its document among the candidates.
        scores: `[R]`.
        ranks: `[R]`, the column of ranks; None where there is none.

    """

    lengths: Integers
    query: Integers
    candidate: Integers
    scores: Floats
    ranks: Floats | None = None

    def take(self, rows: Integers) -> "List":
        """Return some of the rows, in the given order, in which those of a query stay together."""
        query = self.query[rows]
        lengths = np.bincount(query, minlength=self.lengths.size)
        ranks = None if self.ranks is None else self.ranks[rows]
        return List(lengths, query, self.candidate[rows], self.scores[rows], ranks)

    @property
    def position(self) -> Integers:
        """`[R]`: the place of each row in its list, from 0."""
        return expand(np.zeros_like(self.lengths), self.lengths)


@dataclass(frozen=True, eq=False)
class Candidates:
    """The documents of some queries that any list has, each once; `C` of them.

    Those of a query stand together, in the order in which they are first seen: in the first list, then in the second.

    Attributes:
        queries: `[Q]`, the ids of the queries.
        query: `[C]`, the number of the query of each candidate, ascending.
        row: `[C]`, a row of `documents` with its id.
        documents: the ids of the rows of all lists, one list behind the other.

    """

    queries: Sequence[str]
    query: Integers
    row: Integers
    documents: pl.Series

    @property
    def sizes(self) -> Integers:
        """`[Q]`: how many candidates each query has."""
        return np.bincount(self.query, minlength=len(self.queries))

    def ids(self, candidates: Integers) -> pl.Series:
        """Return the document ids of some candidates."""
        return taken(self.documents, self.row[candidates])

    def within(self, candidates: Integers) -> Integers:
        """Return the place of each candidate among those of its query, from 0."""
        starts = np.cumsum(self.sizes) - self.sizes
        return candidates - starts[self.query[candidates]]


def joined(
    queries: Sequence[str], frames: Sequence[pl.DataFrame], lengths: Sequence[Integers]
) -> tuple[Candidates, list[List]]:
    """Join lists by document.

    Args:
        queries: `[Q]`, the ids of the queries.
        frames: of each list the rows `document, score`, and `rank` where there is one; those of a query together, in
            the order of the queries.
        lengths: of each list `[Q]`, how many rows each query has.

    """
    numbers = np.arange(len(queries))
    query = np.concatenate([np.repeat(numbers, each) for each in lengths])  # [N]: of all rows
    documents = pl.concat([frame["document"] for frame in frames], rechunk=True)
    first = _first_rows(documents, query)  # [N]: the first row with this query and this document
    is_first = first == np.arange(first.size)
    # A first row's number: those of the queries before, those of its query in the lists before, those before it in its
    # list.
    bounds = np.cumsum([0, *(frame.height for frame in frames)])
    counts = np.array(
        [
            np.bincount(query[start:end][is_first[start:end]], minlength=len(queries))
            for start, end in pairwise(bounds.tolist())
        ]
    )  # [L, Q]
    by_query = counts.T.ravel()
    begins = (np.cumsum(by_query) - by_query).reshape(len(queries), -1)  # [Q, L]
    number = np.empty_like(first)
    lists = []
    for index, (start, end) in enumerate(pairwise(bounds.tolist())):
        owner = query[start:end]
        passed = np.cumsum(counts[index]) - counts[index]  # [Q]
        before = np.cumsum(is_first[start:end]) - is_first[start:end] - passed[owner]
        number[start:end] = begins[owner, index] + before
    candidate = number[first]
    row = np.empty(int(by_query.sum()), dtype=np.int64)
    row[candidate[is_first]] = np.flatnonzero(is_first)
    for frame, each, (start, end) in zip(frames, lengths, pairwise(bounds.tolist()), strict=True):
        ranks = frame["rank"].to_numpy() if "rank" in frame.columns else None
        lists.append(List(each, query[start:end], candidate[start:end], frame["score"].to_numpy(), ranks))
    return Candidates(queries, query[row], row, documents), lists


def _first_rows(documents: pl.Series, query: Integers) -> Integers:
    """Return `[N]`, for each row the first row of its query and its document.

    Rows are told apart by some bits of a hash of their ids, beside which the number of the row stands, so that numbers
    are sorted alone; where two ids share these bits, by those of another hash.
    """
    size = query.size
    bits = np.uint64(max(1, size - 1).bit_length())
    for seed in count():
        packed = ((pair_keys(documents, query, seed) >> bits) << bits) | np.arange(size, dtype=np.uint64)
        packed.sort()
        row = (packed & np.uint64((1 << int(bits)) - 1)).astype(np.int64)
        key = packed >> bits
        same = key[1:] == key[:-1]  # [N - 1]: whether a row has the key of the row before
        after, before = row[1:][same], row[:-1][same]
        if (query[after] == query[before]).all() and (taken(documents, after) == taken(documents, before)).all():
            break
    begins = np.concatenate((np.ones(min(1, size), dtype=bool), ~same))
    first = np.empty(size, dtype=np.int64)
    first[row] = row[begins][np.cumsum(begins) - 1]
    return first


def in_order(
    query: Integers,
    scores: NDArray[np.floating[Any]],
    ties: Callable[[Integers, Integers], Integers],
    close: float = 0.0,
) -> Integers:
    """Return the order of rows by query, then by descending score.

    Args:
        query: `[N]`, the number of the query of each row, ascending.
        scores: `[N]`.
        ties: brings rows of equal scores in order: it takes rows and the group of each, ascending, and returns the
            rows, those of a group together.
        close: scores that differ by less are equal, too.

    """
    return untied(_descending(query, scores), query, scores, ties, close)


def untied(
    order: Integers,
    query: Integers,
    scores: NDArray[np.floating[Any]],
    ties: Callable[[Integers, Integers], Integers],
    close: float = 0.0,
) -> Integers:
    """Break the ties of rows that are in the order of their scores.

    Args:
        order: `[N]`, the order of the rows, in which equal scores stand in any order.
        query: `[N]`, the number of the query of each row.
        scores: `[N]`.
        ties: as for `in_order`.
        close: scores that differ by less are equal, too.

    """
    ordered, owner = scores[order], query[order]
    equal = ordered[1:] == ordered[:-1]
    if close:
        equal |= ordered[:-1] - ordered[1:] < close
    tied = equal & (owner[1:] == owner[:-1])  # [N - 1]: whether a row ties with the row before
    if not tied.any():
        return order
    is_tied = np.concatenate(([False], tied)) | np.concatenate((tied, [False]))
    group = np.cumsum(~np.concatenate(([False], tied)))[is_tied]
    order = order.copy()
    order[is_tied] = ties(order[is_tied], group)
    return order


def _descending(query: Integers, scores: NDArray[np.floating[Any]]) -> Integers:
    """Return the order of rows by query, then by descending score, equal scores in any order.

    Queries of about as many rows are sorted side by side in a matrix, which takes a fifth of the time.
    """
    size = query.size
    lengths = np.bincount(query) if size else query
    if not size or lengths.max() * lengths.size > _BALANCED * size or not np.isfinite(scores).all():
        return np.lexsort((-scores, query))
    place = expand(np.zeros_like(lengths), lengths)
    matrix = np.full((lengths.size, int(lengths.max())), np.inf, dtype=scores.dtype)
    matrix[query, place] = -scores
    by_row = np.argsort(matrix, axis=1)  # [Q, M]: of each query, the places in order; those behind its end come last
    starts = np.cumsum(lengths) - lengths
    order: Integers = by_row[query, place] + starts[query]
    return order


def by_id(ids: Callable[[Integers], pl.Series], rule: IdOrder) -> Callable[[Integers, Integers], Integers]:
    """Return a function for `in_order` that brings tied rows in the order of their ids, compared as UTF-8 bytes.

    Args:
        ids: gives the ids of some rows.
        rule: which of two ids comes first.

    """
    descending = rule == "id-descending"

    def sorted_by_id(rows: Integers, group: Integers) -> Integers:
        columns = pl.DataFrame({"group": group, "id": ids(rows), "row": rows})
        order = pl.arg_sort_by("group", "id", "row", descending=[False, descending, False])
        ordered: Integers = rows[columns.select(order).to_series().to_numpy()]
        return ordered

    def broken(rows: Integers, group: Integers) -> Integers:
        starts = np.flatnonzero(np.diff(group, prepend=-1))
        sizes = np.diff(starts, append=rows.size)
        first = starts[sizes == _PAIR]
        rows = rows.copy()
        left, right = rows[first], rows[first + 1]
        before, after = ids(left), ids(right)  # most ties are pairs, which need no sorting
        swap = ((before < after) if descending else (before > after)).to_numpy()
        rows[first], rows[first + 1] = np.where(swap, right, left), np.where(swap, left, right)
        longer = np.repeat(sizes != _PAIR, sizes)
        if longer.any():
            rows[longer] = sorted_by_id(rows[longer], group[longer])
        return rows

    return broken


def by_row(rows: Integers, group: Integers) -> Integers:
    """Bring tied rows in the order in which they stand."""
    return rows[np.lexsort((rows, group))]


def without_repetitions(rows: List, *, last: bool) -> List:
    """Keep a document that a query has twice once: at the place of its first row, with its first or last score.

    Args:
        rows: the rows.
        last: whether the last of its scores counts.

    """
    if not has_repeated(rows.candidate.astype(np.uint64)):
        return rows
    _, first = np.unique(rows.candidate, return_index=True)
    first.sort()
    kept = rows.take(first)
    if not last:
        return kept
    scores = np.empty(int(rows.candidate.max()) + 1)
    scores[rows.candidate] = rows.scores  # of equal places, NumPy keeps the last
    return List(kept.lengths, kept.query, kept.candidate, scores[kept.candidate], kept.ranks)
