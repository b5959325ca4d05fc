"""What all forms of judging end with: rows sorted into `Hits`, and a look at the queries of both sides."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rankworth.errors import InputError, quoted
from rankworth.hits import Hits
from rankworth.model import Floats, Integers, Qrels

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
    """A judged run: its rows, and how many of its queries nobody judged."""

    hits: Hits
    ignored: int


def assemble(qrels: Qrels, found: Found, n_retrieved: Integers, ignored: int) -> Judgement:
    """Bring the rows of all queries in order.

    Args:
        qrels: the judgements.
        found: the rows.
        n_retrieved: `[Q]`, how many documents the run has for each judged query.
        ignored: how many queries of the run are not judged.

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
    return Judgement(hits, ignored)


def nothing_in_common(qrels: Qrels, queries: Sequence[str]) -> InputError:
    """The error for a run of which no query is judged: both sides, and how they differ where that shows."""
    ours, theirs = qrels.queries, list(queries)
    return InputError(
        "no-common-queries",
        f"no query of the run is judged: the judgements have {quoted(ours)}, the run has {quoted(theirs)}",
        remedy=_difference(ours, theirs),
    )


def _difference(ours: Sequence[str], theirs: Sequence[str]) -> str:
    """Name the rewriting that makes query ids meet, if a simple one does."""
    rewritings = (
        ("one side is padded with zeros", lambda text: text.lstrip("0") or text),
        ("they differ in upper and lower case", str.casefold),
        ("they differ in blanks around them", str.strip),
        ("one side has a suffix", lambda text: text.rpartition(".")[0] or text),
        ("one side has a prefix", lambda text: text.lstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-:#")),
    )
    for what, rewrite in rewritings:
        left = {rewrite(text): text for text in ours}
        for text in theirs:
            if rewrite(text) in left:
                return f"{what}: {left[rewrite(text)]!r} in the judgements, {text!r} in the run; make them equal"
    return "are these judgements and a run of the same collection?"
