"""Which rows of a batch do not count: excluded documents, and all but one of those that a query ranks twice."""

from collections.abc import Callable
from itertools import count
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rankworth.arrays import Floats, Integers
from rankworth.judging.batches import Batch
from rankworth.settings import Duplicates
from rankworth.tables.frames import taken

Keys = NDArray[np.uint64]
Rows = NDArray[np.bool_]

_BITS: Final = (16, 24)


def candidates(keys: Keys, wanted: Keys) -> tuple[Integers, Integers]:
    """The rows that have one of the wanted keys, and the places of these among them.

    A table of the first bits of all wanted keys lets nearly all other rows go; what is left is searched.

    Args:
        keys: `[R]`, the key of each row.
        wanted: in ascending order.

    """
    least, most = _BITS
    bits = min(max(int(wanted.size).bit_length() + 3, least), most)
    shift = np.uint64(64 - bits)
    table = np.zeros(1 << bits, dtype=bool)
    table[wanted >> shift] = True
    row = np.flatnonzero(table[keys >> shift])
    found = np.searchsorted(wanted, keys[row])
    equal = wanted.take(found, mode="clip") == keys[row] if wanted.size else np.zeros(row.size, dtype=bool)
    return row[equal], found[equal]


def repeated(keys: Keys) -> bool:
    """Whether a key is there twice."""
    ordered = np.sort(keys)
    return bool((ordered[1:] == ordered[:-1]).any())


def excluded(batch: Batch, keys: Keys, wanted: Keys, query: Integers, documents: pl.Series) -> Rows:
    """`[R]`: the rows of excluded documents; equal keys are candidates, which are compared as text.

    Args:
        batch: the rows.
        keys: `[R]`, their keys.
        wanted: `[E]`, the keys of the excluded documents.
        query: `[E]`, the places of their queries in the batch.
        documents: `[E]`, their ids.

    """
    out = np.zeros(keys.size, dtype=bool)
    row, _ = candidates(keys, np.sort(wanted))
    if row.size:
        pairs = pl.DataFrame({"query": query, "document": documents})
        rows = {"query": batch.query_of(row), "document": taken(batch.documents, row), "row": row}
        out[pl.DataFrame(rows).join(pairs, on=["query", "document"], how="semi")["row"].to_numpy()] = True
    return out


def superfluous(batch: Batch, keys_of: Callable[[int], Keys], policy: Duplicates) -> Rows:
    """`[R]`: the rows of documents of which another row counts.

    Args:
        batch: the rows.
        keys_of: gives `[R]` keys of query and document, other ones for each number.
        policy: which row counts: `best`, `first` or `last`.

    """
    for number in count():
        keys = keys_of(number)
        order = np.argsort(keys)
        same = keys[order[1:]] == keys[order[:-1]]
        follows = np.append(False, same)
        several = follows | np.append(same, False)
        rows, follows = order[several], follows[several]
        documents = taken(batch.documents, rows)
        if (documents[1:] == documents[:-1]).to_numpy()[follows[1:]].all():
            break
    starts = np.flatnonzero(~follows)
    out = np.zeros(keys.size, dtype=bool)
    out[rows] = True
    if rows.size:
        out[_counting(rows, starts, batch.scores[rows], policy)] = False
    return out


def _counting(rows: Integers, starts: Integers, scores: Floats, policy: Duplicates) -> Integers:
    """The row of each document that counts.

    Args:
        rows: `[N]`, those of one document together.
        starts: `[D]`, where the rows of each document begin.
        scores: `[N]`.
        policy: which row counts.

    """
    if policy == "last":
        return np.maximum.reduceat(rows, starts)
    if policy == "best":
        best = np.repeat(np.maximum.reduceat(scores, starts), np.diff(starts, append=rows.size))
        rows = np.where(scores == best, rows, np.iinfo(np.int64).max)
    return np.minimum.reduceat(rows, starts)
