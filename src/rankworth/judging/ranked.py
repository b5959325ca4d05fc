"""Judging for rows that an engine has ranked already: blocks of whole queries, of which judged documents are left."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
import polars as pl

from rankworth.errors import InputError
from rankworth.io.reading import Lists
from rankworth.judging.judged_run import JudgedRun, assemble, columns_of, numbered
from rankworth.model import Qrels, Run
from rankworth.settings import Ordering


@dataclass(frozen=True)
class Ranking:
    """Some queries of a run, in one ordering.

    Attributes:
        rows: one row for each document that counts: `query, document` as text, `rank, first, last, positive`, and
            `elsewhere` where somebody asks.
        lengths: how many rows each query has.
        before: how many it had before any was excluded, and before documents were counted once.

    """

    rows: pl.DataFrame
    lengths: Mapping[str, int]
    before: Mapping[str, tuple[int, int]] = field(default_factory=dict)


@dataclass(frozen=True, eq=False, repr=False)
class Ranked(Run):
    """Some queries of a run, ranked elsewhere in every ordering that is asked for."""

    engine: ClassVar[str] = "blocks"
    rankings: Mapping[Ordering, Ranking] = field(default_factory=dict)
    """by ordering, whatever it excludes"""

    def __post_init__(self) -> None:
        """Nothing is left to be found out."""

    @property
    def lists(self) -> Lists | None:
        """Nothing, as rows were ranked elsewhere."""
        return None

    @property
    def has_ranks(self) -> bool:
        """Whether ranks were looked at where they were asked for."""
        return True

    def queries(self) -> list[str]:
        """The ids of all queries, in the order of their bytes."""
        return sorted({query for ranking in self.rankings.values() for query in ranking.lengths})


def judge_all(asked: Sequence[tuple[Qrels, Ordering]], run: Ranked) -> list[JudgedRun | InputError]:
    """Where the documents of a run stand, by several conventions; that no query is judged is no error of a block.

    Args:
        asked: the judgements and the ordering of each convention.
        run: the run.

    """
    return [_judged(qrels, run.rankings[ordering._replace(exclude=None)], ordering) for qrels, ordering in asked]


def _judged(qrels: Qrels, ranking: Ranking, ordering: Ordering) -> JudgedRun:
    """The run as one convention judges it."""
    places = {query: place for place, query in enumerate(qrels.queries)}
    queries = pl.DataFrame({"query": pl.Series(qrels.queries, dtype=pl.String), "place": np.arange(len(qrels))})
    found = ranking.rows.join(queries, on="query").join(numbered(qrels), on=["place", "document"], how="left")
    n_retrieved = np.zeros(len(qrels), dtype=np.int64)
    for query, length in ranking.lengths.items():
        if query in places:
            n_retrieved[places[query]] = length
    judged = [(*ranking.before[query], query) for query in places if query in ranking.before]
    return assemble(
        qrels,
        columns_of(found),
        n_retrieved,
        {query: length for query, length in ranking.lengths.items() if query not in places},
        duplicates=ordering.duplicates,
        excluded=sum(given - left for given, left, _ in judged),
        repeated=sum(left - ranking.lengths.get(query, 0) for _, left, query in judged),
        emptied=[query for query, (_, left) in ranking.before.items() if not left],
    )
