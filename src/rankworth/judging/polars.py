"""Judging files and frames, batch by batch: judged documents are found by hashes, and only those are ranked.

Nothing is sorted, and no unjudged document is ranked. Most runs have the rows of each query together; where they do
not, all rows are brought together first.
"""

from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import compress, count
from typing import Final, TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rankworth.arrays import Floats, Integers, expand
from rankworth.errors import InputError
from rankworth.io.duplicates import COUNTED
from rankworth.io.source import Progress
from rankworth.judging.exclusion import Exclusion
from rankworth.judging.judged_run import JudgedRun
from rankworth.judging.ranking import Conventions, Hits, Include, Rows, judge_batches
from rankworth.model import Qrels, Run
from rankworth.settings import Duplicates
from rankworth.tables.frames import run_starts, taken

T = TypeVar("T")
Keys = NDArray[np.uint64]
"""Hashes of query and document."""
Whole = tuple[pl.DataFrame, Integers, list[str]]
"""Rows of whole queries, where each begins, and the ids of the queries."""
_SPREAD: Final = np.uint64(0x9E3779B97F4A7C15)
_BITS: Final = (16, 24)
_SHORT: Final = 10_000
"""rows up to which it takes longer to judge twice than to wait"""


class ScatteredError(Exception):
    """The rows of a query do not stand together."""


def judge_all(
    conventions: Conventions,
    run: Run,
    include: Include,
    progress: Progress | None = None,
) -> list[JudgedRun | InputError]:
    """Judge a run by several conventions, as `judge_batches` does.

    Args:
        conventions: the judgements and the ordering of each.
        run: rows in any order; fastest where those of each query stand together.
        include: which rows and columns there are to be.
        progress: called while a file is read.

    """
    ranks = any(ordering.order == "rank" for _, ordering in conventions)

    def judged(together: Callable[[Iterable[pl.DataFrame]], Iterable[pl.DataFrame]]) -> list[JudgedRun | InputError]:
        ahead = _ahead(run.batches(progress, ranks=ranks), alone=not run.files)
        with closing(ahead) as rows, closing(whole_queries(together(rows))) as parts:
            made = (partial(_batch, *part, run, include) for part in parts)
            return judge_batches(conventions, run, made)

    with suppress(ScatteredError):  # which would hold the file open in the traceback of a further error
        return judged(iter)
    found = judged(run.together or together_in_memory)
    return [replace(judged, scattered=True) if isinstance(judged, JudgedRun) else judged for judged in found]


@dataclass(frozen=True, kw_only=True)
class _Rows(Rows):
    """Some whole queries."""

    frame: pl.DataFrame
    """`[R]`: `document, score`, and `rank` where it is there"""
    keys: Keys
    """`[R]`"""
    run: Run

    @property
    def scores(self) -> Floats:
        """`[R]`."""
        return self.frame["score"].to_numpy()

    @property
    def ranks(self) -> Floats:
        """`[R]`: the rank column; of a run that has no scores, the scores were made of it."""
        return self.frame["rank"].to_numpy() if "rank" in self.frame.columns else -self.scores

    def documents(self, rows: Integers) -> list[str]:
        """The ids of some rows."""
        return taken(self.frame["document"], rows).to_list()

    def without(self, exclude: Exclusion) -> "_Rows":
        """The rows of all other documents; those of equal keys are compared as text."""
        query, documents = exclude.of_queries(self.queries)
        wanted = _keys(documents, self.place[query], _index(self.qrels)[1])
        row, _ = _candidates(self.keys, np.sort(wanted))
        pairs = pl.DataFrame({"query": query, "document": documents})
        rows = pl.DataFrame({"query": self._segment(row), "document": taken(self.frame["document"], row), "row": row})
        return self._left(rows.join(pairs, on=["query", "document"], how="semi")["row"].to_numpy())

    def once(self, policy: Duplicates) -> "_Rows":
        """The rows that count of documents that a query has twice; those of equal keys are compared as text.

        Raises:
            InputError: `duplicate-document`.

        """
        if policy in COUNTED or not _repeated(self.keys):
            return self
        order = np.argsort(self.keys)
        same = self.keys[order[1:]] == self.keys[order[:-1]]
        row = np.sort(order[np.append(False, same) | np.append(same, False)])
        names = ["query", "document"]
        rows = pl.DataFrame(
            {"query": self._segment(row), "document": taken(self.frame["document"], row), "row": row}
        ).with_columns(pl.Series("score", self.scores[row]))
        if policy == "error":
            if rows.select(names).is_duplicated().any():
                raise self.run.duplicates()
            return self
        if policy == "best":
            rows = rows.sort("score", descending=True, maintain_order=True)
        kept = rows.unique(names, keep="last" if policy == "last" else "first")["row"].to_numpy()
        return self._left(np.setdiff1d(row, kept))

    def _left(self, out: Integers) -> "_Rows":
        """All rows but some."""
        if not out.size:
            return self
        kept = np.ones(self.keys.size, dtype=bool)
        kept[out] = False
        lengths = np.add.reduceat(kept, self.starts, dtype=np.int64)
        left = lengths > 0
        return replace(
            self,
            queries=list(compress(self.queries, left.tolist())),
            place=self.place[left],
            lengths=lengths[left],
            frame=self.frame.filter(pl.Series(kept)),
            keys=self.keys[kept],
        )

    def hits(self) -> Hits:
        """The judged documents; rows of equal keys are compared as text."""
        place = self.place[self.judged]
        judgements = expand(self.qrels.offsets[place], self.qrels.lengths[place])
        wanted = _index(self.qrels)[0][judgements]
        order = np.argsort(wanted)
        row, found = _candidates(self.keys, wanted[order])
        judgement = judgements[order[found]]
        same = (taken(self.frame["document"], row) == taken(self.qrels.document_series, judgement)).to_numpy()
        row = row[same]
        return Hits(self._segment(row), judgement[same], self.scores[row], lambda: row)

    def judgements(self, segments: Integers) -> Integers:
        """The judgement of every row of some queries, -1 where there is none."""
        hits, judgements = self.hits(), np.full(self.keys.size, -1)
        judgements[hits.row] = hits.judgement
        return judgements[expand(self.starts[segments], self.lengths[segments])]

    def judged_anywhere(self, rows: Integers) -> NDArray[np.bool_]:
        """Whether the documents of some rows are judged for any query."""
        judged = self.qrels.document_series.unique().implode()
        return taken(self.frame["document"], rows).is_in(judged).to_numpy()

    def by_id(self, rows: Integers, group: Integers, *, descending: bool) -> Integers:
        """The order of rows by group, id and row."""
        columns = {"group": group, "document": taken(self.frame["document"], rows), "row": rows}
        order = pl.arg_sort_by("group", "document", "row", descending=[False, descending, False])
        return pl.DataFrame(columns).select(order).to_series().to_numpy()

    def _segment(self, rows: Integers) -> Integers:
        """The numbers of the queries of some rows."""
        return np.searchsorted(self.starts, rows, side="right") - 1


def _batch(
    frame: pl.DataFrame, starts: Integers, queries: list[str], run: Run, include: Include, qrels: Qrels
) -> _Rows:
    """Rows beside judgements."""
    _, seed, places = _index(qrels)
    place = np.array([places.get(query, len(qrels) + number) for number, query in enumerate(queries)], dtype=np.int64)
    lengths = np.diff(starts, append=frame.height)
    keys = _keys(frame["document"], np.repeat(place, lengths), seed)
    return _Rows(
        qrels=qrels, include=include, queries=queries, place=place, lengths=lengths, frame=frame, keys=keys, run=run
    )


def _index(qrels: Qrels) -> tuple[Keys, int, dict[str, int]]:
    """Keys that differ for all judgements, their seed, and the places of the queries; found once for each `Qrels`."""
    if "_index" not in qrels.__dict__:
        place = np.repeat(np.arange(len(qrels)), qrels.lengths)
        seed, keys = next(
            (seed, keys) for seed in count() if not _repeated(keys := _keys(qrels.document_series, place, seed))
        )
        qrels.__dict__["_index"] = keys, seed, {query: number for number, query in enumerate(qrels.queries)}
    index: tuple[Keys, int, dict[str, int]] = qrels.__dict__["_index"]
    return index


def _keys(documents: pl.Series, place: Integers, seed: int) -> Keys:
    hashed: Keys = documents.hash(seed).to_numpy()
    return hashed + place.astype(np.uint64) * _SPREAD


def _repeated(keys: Keys) -> bool:
    """Whether a key appears twice."""
    ordered = np.sort(keys)
    return bool((ordered[1:] == ordered[:-1]).any())


def _candidates(keys: Keys, wanted: Keys) -> tuple[Integers, Integers]:
    """The rows that have one of the wanted keys, and the places of these among them.

    A table of the first bits of all wanted keys lets nearly all other rows go; what is left is searched.

    Args:
        keys: `[R]`, the key of each row.
        wanted: in ascending order.

    """
    bits = min(max(int(wanted.size).bit_length() + 3, _BITS[0]), _BITS[1])
    shift = np.uint64(64 - bits)
    table = np.zeros(1 << bits, dtype=bool)
    table[wanted >> shift] = True
    row = np.flatnonzero(table[keys >> shift])
    found = np.searchsorted(wanted, keys[row])
    equal = wanted.take(found, mode="clip") == keys[row] if wanted.size else np.zeros(row.size, dtype=bool)
    return row[equal], found[equal]


def whole_queries(frames: Iterable[pl.DataFrame]) -> Generator[Whole]:
    """Cut frames where queries begin; the last query of a frame, and all of a short frame, wait for the next one.

    Raises:
        ScatteredError: where a query comes back.

    """
    held, starts = pl.DataFrame(), np.zeros(0, dtype=np.int64)
    seen: set[str] = set()
    for part in filter(len, frames):
        begun = run_starts(part["query"])
        if held.height:
            goes_on = part["query"][0] == held["query"][-1]
            begun = np.concatenate((starts, begun[1 if goes_on else 0 :] + held.height))
        held, starts = held.vstack(part) if held.height else part, begun
        if (last := int(starts[-1])) > _SHORT:
            yield _once(held[:last], starts[:-1], seen)
            held, starts = held[last:], np.zeros(1, dtype=np.int64)
    if held.height:
        yield _once(held, starts, seen)


def _once(frame: pl.DataFrame, starts: Integers, seen: set[str]) -> Whole:
    """Rows of queries that were not seen before."""
    queries, before = taken(frame["query"], starts).to_list(), len(seen)
    seen.update(queries)
    if len(seen) < before + len(queries):
        raise ScatteredError
    return frame, starts, queries


def together_in_memory(frames: Iterable[pl.DataFrame]) -> Iterator[pl.DataFrame]:
    """All rows in one frame, those of each query together, in the order in which queries and rows came."""
    frame = pl.concat(list(frames))
    number = frame["query"].cast(pl.Enum(frame["query"].unique(maintain_order=True))).to_physical()
    yield frame[np.argsort(number.to_numpy(), kind="stable")]


def _ahead(items: Iterator[T], *, alone: bool) -> Generator[T]:
    """Each item is made in another thread while the one before is used.

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
