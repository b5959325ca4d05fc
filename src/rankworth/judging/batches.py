"""A run in batches in which every query is whole, whatever the order of its rows."""

from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeVar

import numpy as np
import polars as pl

from rankworth.hits import Floats, Integers
from rankworth.model import run_starts, taken

T = TypeVar("T")

_ROWS: Final = 1 << 18


@dataclass(frozen=True)
class Batch:
    """Some queries of a run, one after the other."""

    queries: list[str]
    """`[S]`: ids of the queries"""
    starts: Integers
    """`[S]`: the first row of each"""
    documents: pl.Series
    """`[R]`: ids of the documents"""
    scores: Floats
    """`[R]`: their scores"""


def in_order(frames: Iterator[pl.DataFrame]) -> Generator[Batch, None, None]:
    """Cut frames where queries begin; the last query of a frame waits for the next one.

    A query may come back in a later batch, or within one, if its rows do not stand together.
    """
    held: pl.DataFrame | None = None
    for frame in _ahead(frames):
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
    """Bring the rows of each query together first; takes memory for all rows, but no more time than twice."""
    frame = pl.concat(list(_ahead(frames)))
    names = frame["query"].unique(maintain_order=True)
    number = frame["query"].cast(pl.Enum(names)).to_physical().alias("number")
    frame = frame.select("document", "score", number).sort("number")
    starts = run_starts(frame["number"])
    queries = names.to_list()
    bounds = np.append(starts, frame.height)
    cuts = np.unique(np.searchsorted(starts, np.arange(0, frame.height, _ROWS)).clip(max=starts.size - 1))
    for begin, end in zip(cuts.tolist(), [*cuts[1:].tolist(), starts.size], strict=True):
        part = frame[int(bounds[begin]) : int(bounds[end])]
        yield Batch(queries[begin:end], starts[begin:end] - starts[begin], part["document"], part["score"].to_numpy())


def _batch(frame: pl.DataFrame, starts: Integers) -> Batch:
    return Batch(taken(frame["query"], starts).to_list(), starts, frame["document"], frame["score"].to_numpy())


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
