"""Runs read side by side: some whole queries of all runs at a time, in whatever order runs have their queries."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np
import polars as pl

from rankworth.arrays import Integers, expand
from rankworth.judging.polars import Whole, ahead, together_in_memory, whole_queries
from rankworth.model import Run

if TYPE_CHECKING:
    from rankworth.io.source import Progress

_ROWS: Final = 1 << 17
"""how many rows of a run are fused at a time, at least, while there are more"""


@dataclass(frozen=True, eq=False)
class Block:
    """Some whole queries of all runs.

    Attributes:
        queries: `[Q]`, their ids.
        frames: of each run its rows `document, score`, and `rank` where it is wanted and there is one; those of a query
            together, in the order of the queries.
        lengths: of each run `[Q]`, how many rows each query has.

    """

    queries: Sequence[str]
    frames: Sequence[pl.DataFrame]
    lengths: Sequence[Integers]


@dataclass(eq=False)
class _Reader:
    """Reads one run, and keeps the rows of queries until all other runs have read theirs."""

    rows: Iterator[Whole]
    frames: list[pl.DataFrame] = field(default_factory=list)
    """of which some rows are kept"""
    places: dict[str, tuple[int, int, int]] = field(default_factory=dict)
    """of each query that is kept: the frame, its first row, how many there are"""
    read: int = 0
    ended: bool = False

    def step(self) -> list[str]:
        """Read some queries, and return their ids."""
        if (whole := next(self.rows, None)) is None:
            self.ended = True
            return []
        frame, starts, queries = whole
        self.read += frame.height
        lengths = np.diff(starts, append=frame.height).tolist()
        number = len(self.frames)
        self.frames.append(pl.DataFrame([column for column in frame.get_columns() if column.name != "query"]))
        self.places |= {
            query: (number, start, length)
            for query, start, length in zip(queries, starts.tolist(), lengths, strict=True)
        }
        return queries

    def take(self, queries: Iterable[str]) -> tuple[pl.DataFrame, Integers]:
        """Return the rows of some queries in their order, and how many each has; they are kept no longer."""
        none = (-1, 0, 0)
        places = np.array([self.places.pop(query, none) for query in queries], dtype=np.int64).reshape(-1, 3)
        heights = np.array([frame.height for frame in self.frames], dtype=np.int64)
        offsets = np.cumsum(heights) - heights
        starts = (
            np.where(places[:, 0] >= 0, places[:, 1] + offsets.take(places[:, 0], mode="clip"), 0)
            if heights.size
            else places[:, 1]
        )
        lengths = places[:, 2]
        frame = pl.concat(self.frames, rechunk=False) if self.frames else _NOTHING
        rows = expand(starts, lengths)
        if rows.size and rows[-1] - rows[0] == rows.size - 1 and (np.diff(rows) == 1).all():
            frame = frame.slice(int(rows[0]), rows.size)
        else:
            frame = frame[rows]
        if not self.places:
            self.frames.clear()
        return frame, lengths


_NOTHING: Final = pl.DataFrame(schema={"document": pl.String, "score": pl.Float64})


def blocks(
    runs: Sequence[Run], *, ranks: bool = False, scattered: bool = False, progress: "Progress | None" = None
) -> Iterator[Block]:
    """Yield the queries of several runs, each in one block.

    A query is yielded as soon as all runs have it; one that some run lacks waits for the end of that run. Where runs
    have their queries in about the same order, few rows are held at a time.

    Args:
        runs: the runs.
        ranks: whether a column of ranks is wanted beside the scores.
        scattered: whether rows of a query may stand apart, for which all rows are held.
        progress: told how far a file is read.

    Raises:
        ScatteredError: where they do, and may not.

    """
    with ExitStack() as stack:
        readers = []
        for run in runs:
            batches = run.batches(progress, ranks=ranks) if not run.has_no_rows else iter(())
            rows = stack.enter_context(closing(ahead(batches, alone=not run.files)))
            if scattered:
                rows = together_in_memory(rows)  # type: ignore[assignment]
            readers.append(_Reader(whole_queries(rows)))
        waiting: dict[str, int] = {}
        ready: list[str] = []
        rows_ready = 0
        while (
            reader := min((each for each in readers if not each.ended), key=lambda each: each.read, default=None)
        ) is not None:
            for query in reader.step():
                waiting[query] = waiting.get(query, 0) + 1
                if waiting[query] == len(readers):
                    ready.append(query)
                    rows_ready += reader.places[query][2]
            if reader.ended:
                reading = [each for each in readers if not each.ended]
                is_ready = set(ready)
                ready += [
                    query
                    for query in waiting
                    if query not in is_ready and all(query in each.places for each in reading)
                ]
            if ready and (rows_ready >= _ROWS or reader.ended):
                yield _block(ready, readers)
                for query in ready:
                    del waiting[query]
                ready, rows_ready = [], 0


def _block(queries: Sequence[str], readers: Sequence[_Reader]) -> Block:
    parts = [reader.take(queries) for reader in readers]
    return Block(queries, [frame for frame, _ in parts], [lengths for _, lengths in parts])
