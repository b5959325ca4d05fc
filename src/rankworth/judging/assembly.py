"""What all forms of judging end with: rows sorted into `Hits`."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Self

import numpy as np
from numpy.typing import NDArray

from rankworth.errors import InputError
from rankworth.hits import Floats, Hits, Integers
from rankworth.io.duplicates import Duplicates
from rankworth.model import Qrels

if TYPE_CHECKING:
    import polars as pl

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
    judgement: Integers
    """`[N]`: where the document stands among the judged ones, -1 where unjudged"""
    positive: NDArray[np.bool_]
    """`[N]`: whether its score is above 0"""
    elsewhere: NDArray[np.bool_] | None = None
    """`[N]`: whether the document is judged for some query; None where nobody asks"""
    document: NDArray[np.object_] | None = None
    """`[N]`: its id, of queries that are to be shown; None where there are none"""
    score: Floats | None = None
    """`[N]`: its score; None where an engine keeps it"""

    @classmethod
    def of(cls, rows: "pl.DataFrame") -> Self:
        """Documents out of a table.

        Args:
            rows: `place, rank, first, last, number, positive`, `elsewhere` where somebody asks, `document` and `given`,
                its score, where they are to be shown; `number` is null where a document is not judged.

        """
        is_shown = "given" in rows.columns
        return cls(
            query=rows["place"].to_numpy(),
            rank=rows["rank"].to_numpy(),
            first=rows["first"].to_numpy(),
            last=rows["last"].to_numpy(),
            judgement=rows["number"].fill_null(-1).to_numpy(),
            positive=rows["positive"].to_numpy(),
            elsewhere=rows["elsewhere"].to_numpy() if "elsewhere" in rows.columns else None,
            document=np.array(rows["document"].to_list(), dtype=object) if is_shown else None,
            score=rows["given"].to_numpy() if is_shown else None,
        )


@dataclass(frozen=True)
class Judgement:
    """A judged run: its rows, which of its queries nobody judged, and what was left out of it."""

    hits: Hits
    unjudged: Mapping[str, int]
    """the queries that nobody judged, with how many documents each has"""
    repeated: int = 0
    """documents of judged queries that did not count since another row of theirs does"""
    excluded: int = 0
    """rows of judged queries that `Judging.exclude` took out"""
    emptied: frozenset[str] = frozenset()
    """queries of which it took out every row"""
    scattered: bool = False
    """whether rows of one query stand apart"""
    lists: bool = False
    """whether the run came as lists, each the ranking of its query"""

    @property
    def ignored(self) -> int:
        """How many queries nobody judged."""
        return len(self.unjudged)


def assemble(
    qrels: Qrels,
    found: Found,
    n_retrieved: Integers,
    unjudged: Mapping[str, int],
    *,
    duplicates: Duplicates = "error",
    repeated: int = 0,
    excluded: int = 0,
    emptied: Iterable[str] = (),
) -> Judgement:
    """Bring the rows of all queries in order.

    Args:
        qrels: the judgements.
        found: the rows.
        n_retrieved: `[Q]`, how many documents the run has for each judged query.
        unjudged: how many documents it has for each other query.
        duplicates: what becomes of a document that a query ranks twice.
        repeated: how many documents did not count since another row of theirs does.
        excluded: how many rows were taken out.
        emptied: the queries of which all rows were.

    """
    deepest = int(found.rank.max(initial=0))
    order = np.argsort(found.query * (deepest + 1) + found.rank, kind="stable")
    counts = np.bincount(found.query, minlength=len(qrels))
    judgement = found.judgement[order]
    known = judgement >= 0
    hits = Hits(
        offsets=np.concatenate(([0], np.cumsum(counts))),
        rank=found.rank[order],
        tie_first=found.first[order],
        tie_last=found.last[order],
        grade=np.where(known, qrels.grades[judgement], 0.0),
        known=known,
        n_retrieved=n_retrieved,
        pool_offsets=qrels.offsets,
        pool=qrels.pool,
        judgement=judgement,
        positive=found.positive[order],
        elsewhere=None if found.elsewhere is None else found.elsewhere[order],
        document=None if found.document is None else found.document[order],
        score=None if found.score is None else found.score[order],
    )
    if duplicates == "once":
        hits = hits.forgetting(_beyond(judgement, np.ones(qrels.grades.size, dtype=np.int64)))
    if qrels.copies.size and qrels.duplicate_judgements == "wanted":
        owner = np.repeat(np.arange(len(qrels)), qrels.lengths)
        hits = hits.with_pool(owner[qrels.copies], qrels.copied_grades)
    elif qrels.copies.size:
        spread = qrels.duplicate_judgements == "spread"
        hits = hits.with_copies(qrels.copies, qrels.copied_grades, spread=spread)
    if duplicates == "joined" and hits.judgement is not None:
        copies = _beyond(hits.judgement, 1 + np.bincount(qrels.copies, minlength=qrels.grades.size))
        hits = hits.with_pool(hits.query[copies], hits.grade[copies])
    return Judgement(hits, unjudged, repeated, excluded, frozenset(emptied))


def numbered(qrels: Qrels) -> "pl.DataFrame":
    """The judgements as a table: `place` of the query, `document`, and `number` of the judgement."""
    import polars as pl  # noqa: PLC0415 - not needed for dicts

    place = np.repeat(np.arange(len(qrels)), qrels.lengths)
    return pl.DataFrame({"place": place, "document": qrels.document_series, "number": np.arange(place.size)})


def _beyond(judgement: Integers, times: Integers) -> Integers:
    """The rows at which a judgement stands more often than it may.

    Args:
        judgement: `[N]`, the judgement of each row, -1 where there is none.
        times: `[M]`, how often each judgement may stand.

    """
    rows = np.flatnonzero(judgement >= 0)
    order = rows[np.argsort(judgement[rows], kind="stable")]
    ordered = judgement[order]
    number = np.arange(order.size) - np.searchsorted(ordered, ordered)
    return order[number >= times[ordered]]


def nothing_left(exclude: object, run: str = "") -> InputError:
    """The error for a run of which nothing is left for any judged query."""
    return InputError(
        "empty-input",
        f"exclude:{exclude} leaves no document of {run or 'the run'} for any judged query",
        remedy="are these the pairs that were meant? They are taken out of the run and the judgements",
    )
