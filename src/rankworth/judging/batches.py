"""A run in batches in which every query is whole, whatever the order of its rows."""

from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import compress
from typing import Any, TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rankworth.arrays import Floats, Integers
from rankworth.tables.frames import run_starts, taken

T = TypeVar("T")
Number = TypeVar("Number", bound=np.generic)


@dataclass(frozen=True)
class Batch:
    """Some queries of a run: rows as they came, and which of them belong to which query."""

    queries: list[str]
    """`[S]`: ids of the queries"""
    starts: Integers
    """`[S]`: where each query begins once the rows of every query stand together"""
    documents: pl.Series
    """`[R]`: ids of the documents, row by row"""
    scores: Floats
    """`[R]`: their scores"""
    together: Integers | None = None
    """`[R]`: rows, those of every query together; None where they stand so"""
    segment: NDArray[np.integer[Any]] | None = None
    """`[R]`: the number of each row's query; None where `starts` tells"""
    ranks: Floats | None = None
    """`[R]`: the rank column; None where nobody asks, or where the scores are made of it"""

    @property
    def lengths(self) -> Integers:
        """`[S]`: how many rows each query has."""
        return np.diff(self.starts, append=self.scores.size)

    @property
    def scores_together(self) -> Floats:
        """`[R]`: the scores, those of every query together."""
        return self.scores if self.together is None else self.scores[self.together]

    def spread(self, of_query: NDArray[Number]) -> NDArray[Number]:
        """`[R]`: something that each query has, for each of its rows."""
        return np.repeat(of_query, self.lengths) if self.segment is None else of_query[self.segment]

    def query_of(self, rows: Integers) -> Integers:
        """The numbers of the queries of some rows."""
        if self.segment is None:
            return np.searchsorted(self.starts, rows, side="right") - 1
        return self.segment[rows].astype(np.int64)

    def row_at(self, places: Integers) -> Integers:
        """The rows at some places, counted where the rows of every query stand together."""
        return places if self.together is None else self.together[places]

    def place_of(self, rows: Integers) -> Integers:
        """The places of some rows, counted where the rows of every query stand together."""
        if self.together is None:
            return rows
        place = np.empty_like(self.together)
        place[self.together] = np.arange(self.together.size)
        return place[rows]

    def without(self, rows: NDArray[np.bool_]) -> "tuple[Batch, NDArray[np.bool_]]":
        """The other rows, and which of the queries still have some.

        Args:
            rows: `[R]`, the rows to leave out.

        """
        kept = ~rows
        lengths = np.add.reduceat(kept if self.together is None else kept[self.together], self.starts, dtype=np.int64)
        left = lengths > 0
        together = segment = None
        if self.together is not None and self.segment is not None:
            together = (np.cumsum(kept) - 1)[self.together[kept[self.together]]]
            segment = (np.cumsum(left) - 1)[self.segment[kept]]
        some = Batch(
            list(compress(self.queries, left)),
            (np.cumsum(lengths) - lengths)[left],
            self.documents.filter(pl.Series(kept)),
            self.scores[kept],
            together,
            segment,
            None if self.ranks is None else self.ranks[kept],
        )
        return some, left


def in_order(frames: Iterator[pl.DataFrame]) -> Generator[Batch, None, None]:
    """Cut frames where queries begin; the last query of a frame waits for the next one.

    A query may come back in a later batch, or within one, if its rows do not stand together.
    """
    held: pl.DataFrame | None = None
    for frame in _ahead(frames):
        if not frame.height:
            continue
        starts = run_starts(frame["query"])
        if held is not None:
            goes_on = frame["query"][0] == held["query"][0]
            starts = np.concatenate(([0], starts[1 if goes_on else 0 :] + held.height))
            frame = held.vstack(frame)  # noqa: PLW2901 - the frame, as it should have come
        last = int(starts[-1])
        if last:
            yield _batch(frame[:last], starts[:-1])
        held = frame[last:]
    if held is not None:
        yield _batch(held, np.zeros(1, dtype=np.int64))


def gathered(frames: Iterator[pl.DataFrame]) -> Generator[Batch, None, None]:
    """All rows in one batch, wherever those of a query stand; takes memory for all, but no more time than twice."""
    frame = pl.concat(list(_ahead(frames)))
    names = frame["query"].unique(maintain_order=True)
    segment = frame["query"].cast(pl.Enum(names)).to_physical().to_numpy()
    documents, scores, ranks = frame["document"], frame["score"].to_numpy(), _ranks(frame)
    del frame
    together = np.argsort(segment, kind="stable")
    starts = np.searchsorted(segment[together], np.arange(len(names)))
    yield Batch(names.to_list(), starts, documents, scores, together, segment, ranks)


def _batch(frame: pl.DataFrame, starts: Integers) -> Batch:
    queries, scores = taken(frame["query"], starts).to_list(), frame["score"].to_numpy()
    return Batch(queries, starts, frame["document"], scores, ranks=_ranks(frame))


def _ranks(frame: pl.DataFrame) -> Floats | None:
    return frame["rank"].to_numpy() if "rank" in frame.columns else None


def _ahead(items: Iterator[T]) -> Iterator[T]:
    """The same items, each made in another thread while the one before is worked on."""
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
