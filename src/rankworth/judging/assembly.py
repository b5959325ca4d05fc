"""What all forms of judging end with: rows sorted into `Hits`, and a look at the queries of both sides."""

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from rankworth.errors import InputError, quoted
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


def nothing_in_common(qrels: Qrels, queries: Sequence[str], run: str = "") -> InputError:
    """The error for a run of which no query is judged: both sides, and how they differ where that shows."""
    ours, theirs = qrels.queries, list(queries)
    return InputError(
        "no-common-queries",
        f"no query of {run or 'the run'} is judged: the judgements have {quoted(ours)}, the run has {quoted(theirs)}",
        remedy=_difference(ours, theirs) or "are these judgements and a run of the same collection?",
    )


_REWRITINGS: Final[Mapping[str, Callable[[str], str]]] = {
    "leading zeros": lambda text: text.lstrip("0") or "0",
    "upper and lower case": str.casefold,
    "blanks or invisible characters": lambda text: "".join(filter(str.isprintable, text)).replace(" ", ""),
    "the form of their letters": lambda text: unicodedata.normalize("NFKC", text),
    "a suffix": lambda text: re.sub(r"[._:-][^._:-]*$", "", text),
    "a prefix": lambda text: re.sub(r"^(.*[._:/#-]|[^\W\d]+)", "", text),
}
"""What may be rewritten so that ids of queries meet; a suffix or a prefix on one side only."""


def _difference(ours: Sequence[str], theirs: Sequence[str]) -> str:
    """Name the rewriting that makes most of the ids meet, if one does."""
    best, answer = 0, ""
    for what, rewrite in _REWRITINGS.items():
        judged = {rewrite(text): text for text in ours}
        exact = dict.fromkeys(ours) if what in ("a suffix", "a prefix") else judged
        pairs = {}
        for text in theirs:
            base = rewrite(text)
            if text and text in judged:
                pairs[judged[text]] = text
            elif base in exact:
                pairs[exact[base] or base] = text
        if len(pairs) > best:
            best = len(pairs)
            left, right = next(iter(pairs.items()))
            answer = (
                f"they differ in {what}: {left!r} in the judgements, {right!r} in the run; "
                f"made equal, {best:,} of {len(ours):,} judged queries would have results"
            )
    return answer
