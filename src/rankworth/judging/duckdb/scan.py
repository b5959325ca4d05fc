"""A relation of DuckDB as a run: the queries that bring its rows there."""

# ruff: noqa: S608 - all text is our own

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import polars as pl

from rankworth.errors import InputError
from rankworth.judging.duckdb import sql

VIEW: Final = "rankworth_run"
"""what queries call those rows of the relation that are asked for"""
QUERY: Final = f"{sql.text('query')} AS query"
TEXTS: Final = f"{QUERY}, {sql.text('document')} AS document"
"""ids of rows as text"""
_UNITS: Final[Mapping[str, int]] = {
    unit: 1024**power for power, unit in enumerate(("bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"))
}
_SHARE: Final = 32
"""which part of the memory limit a set of numbers may take"""
_LEAST: Final = 1 << 22


@dataclass(frozen=True)
class Lists:
    """How rows that hold lists tell what stands in them.

    Attributes:
        documents: the list of the ids, integers or text.
        scores: the list of the scores; empty where the places in lists are all that orders documents.
        holes: conditions on rows, by what is missing where one holds.
        unequal: the condition on rows whose lists do not belong together; empty where there is but one.
        nulls: how many ids and how many scores a row lacks.
        odd: how many of its scores are NaN.
        ranks: the list of the ranks; empty where the places in lists are the ranks.
        field: what the scores are called; empty where there are none.

    """

    documents: str
    scores: str
    holes: Mapping[str, str]
    unequal: str
    nulls: tuple[str, str]
    odd: str
    ranks: str = ""
    field: str = ""


@dataclass(frozen=True)
class Scan:
    """A relation, and how its rows become those of a run.

    Attributes:
        relation: the relation, of DuckDB.
        name: what messages call it.
        id: the query of a row.
        score: its score; empty where rows hold lists.
        rows: the query that gives `query, document, score`, and `position` and `rank` where they are there; integers
            stay integers, other ids are text.
        query_type: what ids of queries are: text or integers.
        document_type: likewise of documents.
        has_position: whether something tells in which order rows came.
        no_position: why it cannot, where a column of that name holds no numbers.
        has_ranks: whether there is a column of ranks.
        lists: how rows hold lists; None where rows are documents.
        others: a table that `rows` names, of pairs that are left out.
        names: a table that `rows` names, of queries that are called otherwise.
        called: the column of queries, as its owner calls it.

    """

    relation: Any
    name: str
    id: str
    score: str
    rows: str
    query_type: pl.DataType
    document_type: pl.DataType
    has_position: bool = False
    no_position: InputError | None = None
    has_ranks: bool = False
    lists: Lists | None = None
    others: pl.DataFrame | None = None
    names: pl.DataFrame | None = None
    called: str = "query"

    def ask(
        self, query: str, queries: pl.DataFrame | None = None, judged: pl.DataFrame | None = None, *, only: bool = False
    ) -> pl.DataFrame:
        """What the engine answers to a query over `run` and, where they are given, `queries` and `judged`.

        Args:
            query: continues a list of common table expressions, or ends it.
            queries: a table with a column `query`.
            judged: another table.
            only: whether rows of other queries than those of `queries` do not matter, so that they need not be looked
                into.

        Raises:
            InputError: `unreadable-file`, `input-type`, where it fails.

        """
        return self.given(f"run AS NOT MATERIALIZED ({self.rows}) {query}", queries, judged, only=only)

    def given(
        self, query: str, queries: pl.DataFrame | None = None, judged: pl.DataFrame | None = None, *, only: bool = False
    ) -> pl.DataFrame:
        """The same over the rows as they are, which are called `rankworth_run`.

        Args:
            query: likewise.
            queries: likewise.
            judged: likewise.
            only: likewise.

        Raises:
            InputError: `unreadable-file`, `input-type`, where it fails.

        """
        return sql.answer(self.relation, self.name, self._over(query, only=only), self._frames(queries, judged))

    @cached_property
    def at_once(self) -> int:
        """How many numbers are held in memory at once."""
        size, unit = str(self.given("SELECT current_setting('memory_limit')").item()).split()
        return max(_LEAST, int(float(size) * _UNITS[unit]) // _SHARE)

    def passes(self, rows: int) -> int:
        """In how many passes so many rows are looked through, so that memory holds what one pass needs."""
        return max(1, math.ceil(rows / self.at_once))

    def _over(self, query: str, *, only: bool) -> str:
        """A query over the rows as they are."""
        some = f" WHERE {self.id} IN (SELECT query FROM queries)" if only and self.names is None else ""
        rows = f"{VIEW} AS NOT MATERIALIZED (SELECT * FROM {sql.GIVEN}{some})"
        return f"{rows}{'' if query.startswith('SELECT') else ','} {query}"

    def _frames(self, queries: pl.DataFrame | None, judged: pl.DataFrame | None) -> dict[str, pl.DataFrame | None]:
        return {"queries": queries, "judged": judged, "others": self.others, "names": self.names}
