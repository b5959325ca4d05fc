"""What all forms of judging end with: rows sorted into `Hits`."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rankworth.errors import InputError
from rankworth.hits import Floats, Hits, Integers
from rankworth.model import Qrels

Layout = Literal["compact", "full"]


@dataclass(frozen=True)
class Found:
    """Retrieved documents in any order, one row each."""

    query: Integers
    """`[N]`: the place of the query in the judgements"""
    rank: Integers
    """`[N]`: from 1, ties broken"""
    first: Integers
    """`[N]`: the first rank of the tie group"""
    last: Integers
    """`[N]`: the last rank of it"""
    grade: Floats
    """`[N]`: 0 where unjudged"""
    known: NDArray[np.bool_]
    """`[N]`: whether the document is judged"""


@dataclass(frozen=True)
class Judgement:
    """A judged run: its rows, how many of its queries nobody judged, and what was left out of it."""

    hits: Hits
    ignored: int
    repeated: int = 0
    """documents of judged queries that did not count since another row of theirs does"""
    excluded: int = 0
    """rows of judged queries that `Judging.exclude` took out"""


def assemble(
    qrels: Qrels, found: Found, n_retrieved: Integers, ignored: int, *, repeated: int = 0, excluded: int = 0
) -> Judgement:
    """Bring the rows of all queries in order.

    Args:
        qrels: the judgements.
        found: the rows.
        n_retrieved: `[Q]`, how many documents the run has for each judged query.
        ignored: how many queries of the run are not judged.
        repeated: how many documents did not count since another row of theirs does.
        excluded: how many rows were taken out.

    """
    deepest = int(found.rank.max(initial=0))
    order = np.argsort(found.query * (deepest + 1) + found.rank)  # every key occurs once
    counts = np.bincount(found.query, minlength=len(qrels))
    hits = Hits(
        offsets=np.concatenate(([0], np.cumsum(counts))),
        rank=found.rank[order],
        tie_first=found.first[order],
        tie_last=found.last[order],
        grade=found.grade[order],
        known=found.known[order],
        n_retrieved=n_retrieved,
        pool_offsets=qrels.offsets,
        pool=qrels.pool,
    )
    return Judgement(hits, ignored, repeated, excluded)


def nothing_left(exclude: object, run: str = "") -> InputError:
    """The error for a run of which nothing is left for any judged query."""
    return InputError(
        "empty-input",
        f"exclude:{exclude} leaves no document of {run or 'the run'} for any judged query",
        remedy="are these the pairs that were meant? They are taken out of the run and the judgements",
    )
