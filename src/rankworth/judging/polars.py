"""Judging files and frames, batch by batch: judged documents are found by hashes, and only those are ranked.

Nothing is sorted, and no unjudged document is ranked. Most runs have the rows of each query together; where they do
not, all rows are brought together first.
"""

from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import compress, count
from typing import Final, TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rankworth.arrays import Floats, Integers, expand
from rankworth.catalogue import Catalogue
from rankworth.errors import InputError
from rankworth.io.duplicates import COUNTED, MANY, TOP, any_in, joined, refused
from rankworth.judging.exclusion import Exclusion
from rankworth.judging.ranking import Hits, Include, Rows, TieGroups
from rankworth.model import Qrels, Run
from rankworth.settings import Duplicates, Ties
from rankworth.tables.frames import run_starts, taken

T = TypeVar("T")
Keys = NDArray[np.uint64]
"""Hashes of query and document."""
Whole = tuple[pl.DataFrame, Integers, list[str]]
"""Rows of whole queries, where each begins, and the ids of the queries."""
Repeated = Callable[[pl.DataFrame], InputError] | None
"""Builds the error for rows that repeat documents; None where it is none."""
WholeInOrder = tuple[pl.DataFrame, Integers, list[str], Integers | None]
"""The same; the order in which the rows are to be taken comes last, None where they stand so."""
_SPREAD: Final = np.uint64(0x9E3779B97F4A7C15)
_BITS: Final = (16, 24)
_SHORT: Final = 10_000
"""rows up to which it takes longer to judge twice than to wait"""


class ScatteredError(Exception):
    """The rows of a query do not stand together."""


@dataclass(frozen=True, kw_only=True)
class _Rows(Rows):
    """Some whole queries."""

    frame: pl.DataFrame
    """`[R]`: `document, score`, and `rank` where it is there"""
    order: Integers | None
    """`[R]`: where each row stands in the frame; None where the frame has them in their order"""
    keys: Keys
    """`[R]`"""
    run: Run

    @cached_property
    def scores(self) -> Floats:
        """`[R]`."""
        return self._numbers("score")

    @property
    def ranks(self) -> Floats:
        """`[R]`: the rank column; of a run that has no scores, the scores were made of it."""
        return self._numbers("rank") if "rank" in self.frame.columns else -self.scores

    def _numbers(self, name: str) -> Floats:
        column: Floats = self.frame[name].to_numpy()
        return column if self.order is None else column[self.order]

    def _ids(self, rows: Integers) -> pl.Series:
        """Return the ids at the given rows; those of all others are never brought in order."""
        return taken(self.frame["document"], rows if self.order is None else self.order[rows])

    def documents(self, rows: Integers) -> list[str]:
        """Return the ids at the given rows."""
        return self._ids(rows).to_list()

    def without(self, exclude: Exclusion) -> "_Rows":
        """Return the rows of the documents that are not excluded; rows of equal keys are compared as text."""
        query, documents = exclude.of_queries(self.queries)
        # [E]: the key of each excluded pair
        wanted = pair_keys(documents, self.query_index[query], _index(self.qrels)[1])
        row, _ = _candidates(self.keys, np.sort(wanted))  # [C]: the rows that have such a key
        pairs = pl.DataFrame({"query": query, "document": documents})
        rows = pl.DataFrame({"query": self._segment(row), "document": self._ids(row), "row": row})
        return self._left(rows.join(pairs, on=["query", "document"], how="semi")["row"].to_numpy())

    def once(self, policy: Duplicates) -> "_Rows":
        """Keep the rows that count of documents repeated in a query; rows of equal keys are compared as text.

        Raises:
            InputError: `duplicate-document`.

        """
        if policy in COUNTED or not has_repeated(self.keys):
            return self
        order = np.argsort(self.keys)
        # [R - 1]: whether the next row in that order has the same key
        same = self.keys[order[1:]] == self.keys[order[:-1]]
        # [C]: the rows whose key another row has, too
        row = np.sort(order[np.append(False, same) | np.append(same, False)])
        names = ["query", "document"]
        rows = pl.DataFrame({"query": self._segment(row), "document": self._ids(row), "row": row}).with_columns(
            pl.Series("score", self.scores[row])
        )
        if policy == "error":
            if rows.select(names).is_duplicated().any():
                raise self.run.duplicates()
            return self
        if policy == "best":
            rows = rows.sort("score", descending=True, maintain_order=True)
        kept = rows.unique(names, keep="last" if policy == "last" else "first", maintain_order=True)
        chosen = kept["row"].to_numpy()
        if policy not in TOP:
            return self._left(np.setdiff1d(row, chosen))
        total = kept.select(names).join(joined(rows, names, "score", policy), on=names, maintain_order="left")["score"]
        scores = self.frame["score"].to_numpy().copy()
        scores[chosen if self.order is None else self.order[chosen]] = total.to_numpy()
        scored = replace(self, frame=self.frame.with_columns(score=scores))
        return scored._left(np.setdiff1d(row, chosen))  # noqa: SLF001 - of the same class

    def _left(self, out: Integers) -> "_Rows":
        """Remove rows."""
        if not out.size:
            return self
        is_kept = np.ones(self.keys.size, dtype=bool)
        is_kept[out] = False
        lengths = np.add.reduceat(is_kept, self.starts, dtype=np.int64)  # [S]: how many rows of each query are left
        left = lengths > 0
        return replace(
            self,
            queries=list(compress(self.queries, left.tolist())),
            query_index=self.query_index[left],
            lengths=lengths[left],
            frame=self.frame.filter(pl.Series(is_kept)) if self.order is None else self.frame,
            order=None if self.order is None else self.order[is_kept],
            keys=self.keys[is_kept],
        )

    def hits(self) -> Hits:
        """Find the judged documents; rows of equal keys are compared as text."""
        query_indices = self.query_index[self.judged]  # [J]: the judged queries
        # [W]: all judgements of these queries
        judgements = expand(self.qrels.offsets[query_indices], self.qrels.lengths[query_indices])
        wanted = _index(self.qrels)[0][judgements]  # [W]: their keys
        order = np.argsort(wanted)
        # [C] each: a row with a wanted key, and which key it is in their order
        row, wanted_places = _candidates(self.keys, wanted[order])
        judgement = judgements[order[wanted_places]]  # [C]: the judgement of that key
        # [C]: whether the ids are equal, too
        same = (self._ids(row) == taken(self.qrels.document_series, judgement)).to_numpy()
        row = row[same]  # [N]
        return Hits(self._segment(row), judgement[same], self.scores[row], lambda: row)

    def judgements(self, segments: Integers) -> Integers:
        """Return the judgement of every row of the given queries, -1 where there is none."""
        hits, judgements = self.hits(), np.full(self.keys.size, -1)  # [R]: of all rows
        judgements[hits.row] = hits.judgement
        return judgements[expand(self.starts[segments], self.lengths[segments])]

    def items(self, rows: Integers, catalogue: Catalogue) -> Integers:
        """Return the number of the document at each row in the catalogue, a negative one where it has none."""
        ids = self._ids(rows)
        numbers = ids.cast(catalogue.enumeration, strict=False).to_physical().cast(pl.Int64)
        if numbers.null_count():
            hashed = (ids.hash().to_numpy() >> np.uint64(2)).astype(np.int64)
            return np.where(numbers.is_null().to_numpy(), -2 - hashed, numbers.fill_null(0).to_numpy())
        return numbers.to_numpy()

    def judged_anywhere(self, rows: Integers) -> NDArray[np.bool_]:
        """Return whether the document of each row is judged for any query."""
        judged = self.qrels.document_series.unique().implode()
        return self._ids(rows).is_in(judged).to_numpy()

    def before_in_group(self, hits: Hits, groups: TieGroups, ties: Ties) -> Integers:
        """Return `[T]`, how many rows of its group come before each tied document; rows of one id keep their order."""
        rows, sizes = groups.rows, groups.sizes
        before = expand(np.zeros_like(sizes), sizes)  # [K]: the position of each row in its group, from 0
        if ties == "given-reversed":
            before = np.repeat(sizes, sizes) - 1 - before
        elif ties != "given":
            group = np.repeat(np.arange(sizes.size), sizes)  # [K]: the group of each row
            columns = {"group": group, "document": self._ids(rows), "row": rows}
            order = pl.arg_sort_by("group", "document", "row", descending=[False, ties == "id-descending", False])
            by_id = np.empty_like(before)  # [K]: the position of each row in its group by id
            by_id[pl.DataFrame(columns).select(order).to_series().to_numpy()] = before
            before = by_id
        by_row = np.argsort(rows)  # [K]: from the lowest row to the highest
        return before[by_row[np.searchsorted(rows, hits.row[groups.hits], sorter=by_row)]]

    def _segment(self, rows: Integers) -> Integers:
        """Return `[N]`, the number of each row's query."""
        return np.searchsorted(self.starts, rows, side="right") - 1


def batch(whole: WholeInOrder, run: Run, include: Include, qrels: Qrels) -> _Rows:
    """Join rows to judgements."""
    frame, starts, queries, order = whole
    _, seed, judged = _index(qrels)
    query_index = len(qrels) + np.arange(len(queries))  # [S]
    if len(judged):
        named = pl.Series(queries, dtype=pl.String)
        places = np.minimum(judged.search_sorted(named).to_numpy(), len(judged) - 1)
        query_index = np.where((taken(judged, places) == named).to_numpy(), places, query_index)
    lengths = np.diff(starts, append=frame.height)
    return _Rows(
        qrels=qrels,
        include=include,
        queries=queries,
        query_index=query_index,
        lengths=lengths,
        frame=frame,
        order=order,
        keys=pair_keys(frame["document"], np.repeat(query_index, lengths), seed, order),
        run=run,
    )


def _index(qrels: Qrels) -> tuple[Keys, int, pl.Series]:
    """Return different keys for all judgements, their seed, and the sorted queries; once for a `Qrels`."""
    if "_index" not in qrels.__dict__:
        query_index = np.repeat(np.arange(len(qrels)), qrels.lengths)  # [M]: the query of each judgement
        seed, keys = next(
            (seed, keys)
            for seed in count()
            if not has_repeated(keys := pair_keys(qrels.document_series, query_index, seed))
        )
        qrels.__dict__["_index"] = keys, seed, pl.Series(qrels.queries, dtype=pl.String)
    index: tuple[Keys, int, pl.Series] = qrels.__dict__["_index"]
    return index


def pair_keys(documents: pl.Series, query_index: Integers, seed: int, order: Integers | None = None) -> Keys:
    """Return a key for each pair of a query and a document; of two documents of equal keys, the texts have to differ.

    Args:
        documents: the ids.
        query_index: the number of the query of each, in their order.
        seed: gives other keys.
        order: the order of the documents; as they stand where None.

    """
    hashed: Keys = documents.hash(seed).to_numpy()
    return (hashed if order is None else hashed[order]) + query_index.astype(np.uint64) * _SPREAD


def has_repeated(keys: Keys) -> bool:
    """Return whether a key appears twice."""
    ordered = np.sort(keys)
    return bool((ordered[1:] == ordered[:-1]).any())


def _candidates(keys: Keys, wanted: Keys) -> tuple[Integers, Integers]:
    """Find the rows that have one of the wanted keys, and the places of these among them.

    A table of the first bits of all wanted keys lets nearly all other rows go; what is left is searched.

    Args:
        keys: `[R]`, the key of each row.
        wanted: `[W]`, in ascending order.

    """
    bits = min(max(int(wanted.size).bit_length() + 3, _BITS[0]), _BITS[1])
    shift = np.uint64(64 - bits)
    table = np.zeros(1 << bits, dtype=bool)  # [2^bits]: whether a wanted key begins with these bits
    table[wanted >> shift] = True
    row = np.flatnonzero(table[keys >> shift])  # [C]: the rows that are searched
    order = np.argsort(keys[row])  # in ascending order they are searched several times as fast
    wanted_index = np.empty(row.size, dtype=np.int64)  # [C]: where the key of each would stand among the wanted keys
    wanted_index[order] = np.searchsorted(wanted, keys[row[order]])
    # [C]: whether it is the key that stands there
    equal = wanted.take(wanted_index, mode="clip") == keys[row] if wanted.size else np.zeros(row.size, dtype=bool)
    return row[equal], wanted_index[equal]


def whole_queries(frames: Iterable[pl.DataFrame], repeated: Repeated = None) -> Generator[Whole]:
    """Cut frames where queries begin; the last query of a frame, and all of a short frame, wait for the next one.

    Args:
        frames: rows in the order in which they come.
        repeated: builds the error for a document that a query repeats while its rows wait; None where that is none.

    Raises:
        ScatteredError: where a query comes back.
        InputError: `duplicate-document`.

    """
    waiting, starts = pl.DataFrame(), np.zeros(0, dtype=np.int64)
    seen: set[str] = set()
    for part in filter(len, frames):
        begun = run_starts(part["query"])  # [S]: the first row of each query in this frame
        if waiting.height:
            goes_on = part["query"][0] == waiting["query"][-1]
            # [S]: the first row of each query in all that waits
            begun = np.concatenate((starts, begun[1 if goes_on else 0 :] + waiting.height))
        waiting, starts = waiting.vstack(part) if waiting.height else part, begun
        if (last := int(starts[-1])) > _SHORT:
            yield _once(waiting[:last], starts[:-1], seen)
            waiting, starts = waiting[last:], np.zeros(1, dtype=np.int64)
        if repeated is not None and waiting.height > MANY and any_in(part):
            raise repeated(part)
    if waiting.height:
        yield _once(waiting, starts, seen)


def _once(frame: pl.DataFrame, starts: Integers, seen: set[str]) -> Whole:
    """Refuse rows of queries that were seen before."""
    queries, before = taken(frame["query"], starts).to_list(), len(seen)
    seen.update(queries)
    if len(seen) < before + len(queries):
        raise ScatteredError
    return frame, starts, queries


def as_they_come(frames: Iterable[pl.DataFrame], repeated: Repeated = None) -> Generator[WholeInOrder]:
    """Yield whole queries of frames in which the rows of each query stand together.

    Args:
        frames: rows in the order in which they come.
        repeated: as for `whole_queries`.

    Raises:
        ScatteredError: where they do not.
        InputError: as `whole_queries`.

    """
    for whole in whole_queries(frames, repeated):
        yield (*whole, None)


def in_memory(frames: Iterable[pl.DataFrame], repeated: Repeated = None) -> Generator[WholeInOrder]:
    """Read all queries at once; they come in the order of their first rows, and the rows of each keep theirs.

    Only numbers are brought in order: texts of all rows would take longer than all the rest.

    Args:
        frames: rows in any order.
        repeated: builds the error for a document that a query repeats in one of them; None where that is none.

    Raises:
        InputError: `duplicate-document`.

    """
    frame = pl.concat(list(refused(frames, repeated)))
    order, starts, queries = _by_query(frame["query"])
    yield frame, starts, queries, order


def together_in_memory(frames: Iterable[pl.DataFrame]) -> Iterator[pl.DataFrame]:
    """Yield all rows in one frame, those of each query together, in the order in which queries and rows came."""
    frame = pl.concat(list(frames))
    yield frame[_by_query(frame["query"])[0]]


def _by_query(column: pl.Series) -> tuple[Integers, Integers, list[str]]:
    """Return `[R]`, the order that groups rows by query, `[S]`, the start of each query, and the queries."""
    queries = column.unique(maintain_order=True)
    number = column.cast(pl.Enum(queries)).to_physical().to_numpy()  # [R]: the query of each row
    counts = np.bincount(number, minlength=queries.len())  # [S]: how many rows each query has
    return np.argsort(number, kind="stable"), np.cumsum(counts) - counts, queries.to_list()


def ahead(items: Iterator[T], *, alone: bool) -> Generator[T]:
    """Make each item in another thread while the one before is used.

    Args:
        items: the items.
        alone: whether all is done in this thread, as of rows that need not be read, or of an engine that has its own.

    """
    if alone:
        yield from items
        return
    pool, waiting = ThreadPoolExecutor(1), True
    step = partial(next, items, None)
    try:
        coming = pool.submit(step)
        while (item := coming.result()) is not None:
            coming = pool.submit(step)
            yield item
    except KeyboardInterrupt:
        waiting = False  # the thread may sit in a read that nothing ends
        raise
    finally:
        pool.shutdown(wait=waiting, cancel_futures=True)
