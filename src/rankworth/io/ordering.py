"""Rows in the order of queries and ranks: those of a query together, best first."""

from collections.abc import Iterator
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rankworth.tables.frames import run_starts, taken

PART: Final = 1 << 18


class ScatteredError(Exception):
    """The rows of some query do not stand together."""


def together(frames: Iterator[pl.DataFrame]) -> Iterator[pl.DataFrame]:
    """Cut frames where queries begin, so that every query is whole in one of them.

    Raises:
        ScatteredError: where a query comes back; that may turn out with the last row.

    """
    held: pl.DataFrame | None = None
    seen: list[pl.Series] = []
    for frame in frames:
        joined = frame if held is None else pl.concat([held, frame], rechunk=True)
        starts = run_starts(joined["query"])
        last = int(starts[-1])
        if last:
            seen.append(_distinct(taken(joined["query"], starts[:-1]).hash()))
            yield joined[:last]
        held = joined[last:]
    if held is not None:
        seen.append(held["query"][:1].hash())
        _distinct(pl.concat(seen))
        yield held


def gathered(frames: Iterator[pl.DataFrame]) -> Iterator[pl.DataFrame]:
    """The same for rows in any order, queries as they come first; holds all rows at once."""
    frame = pl.concat(list(frames), rechunk=True)
    names = frame["query"].unique(maintain_order=True)
    owner = frame["query"].cast(pl.Enum(names)).to_physical()
    return together(frame[np.argsort(owner.to_numpy(), kind="stable")].iter_slices(PART))


def ranked(frame: pl.DataFrame) -> pl.DataFrame:
    """A run in the order of its ranks, with a column `rank`: descending score, ties by descending id in UTF-8.

    Args:
        frame: `query, document, score`, the rows of each query together.

    """
    starts = run_starts(frame["query"])
    lengths = np.diff(starts, append=frame.height)
    if not _is_ranked(frame, starts):
        owner = pl.Series("owner", np.repeat(np.arange(starts.size), lengths))
        keys = (owner, pl.col("score") + 0.0, pl.col("document"))  # -0.0 + 0.0 is 0.0
        frame = frame.sort(*keys, descending=[False, True, True])
    rank = np.arange(1, frame.height + 1) - np.repeat(starts, lengths)
    return frame.with_columns(pl.Series("rank", rank, dtype=pl.Int64))


def _is_ranked(frame: pl.DataFrame, starts: NDArray[np.int64]) -> bool:
    score, document = frame["score"].to_numpy(), frame["document"]
    falls = score[:-1] > score[1:]
    falls[starts[1:] - 1] = True
    if falls.all():
        return True
    tied = score[:-1] == score[1:]
    return bool((falls | tied).all() and (falls | (document[:-1] > document[1:]).to_numpy()).all())


def _distinct(keys: pl.Series) -> pl.Series:
    """The same, unless one of them is there twice."""
    if keys.n_unique() < len(keys):
        raise ScatteredError
    return keys
