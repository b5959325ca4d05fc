"""A relation of DuckDB as a run: the queries that bring its rows there, and what they answer, as columns."""

# ruff: noqa: S608 - all text is our own

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final, NoReturn

import polars as pl

from rankworth.errors import InputError, shortened

GIVEN: Final = "rankworth_given"
"""what queries call the relation"""
VIEW: Final = "rankworth_run"
"""what they call those of its rows that are asked for"""
_UNITS: Final[Mapping[str, int]] = {
    unit: 1024**power for power, unit in enumerate(("bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"))
}
_SHARE: Final = 32
"""which part of the memory limit a set of numbers may take"""
_LEAST: Final = 1 << 22
_ALONE: Final = 2
"""the first version that reads streams by itself, and asks relations without a view of theirs"""


class Stream:
    """A frame, or a relation, that is read through Arrow's stream alone.

    DuckDB takes a frame so without PyArrow. Polars takes a relation so without remembering its class: DuckDB 2.0 tells
    on standard error, when Python ends, of classes that somebody still knows then.
    """

    def __init__(self, source: Any) -> None:  # noqa: ANN401 - of Polars, or of DuckDB
        """Hold what is to be read."""
        self.source = source

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Hand out its columns."""
        return self.source.__arrow_c_stream__(requested_schema)


def _is_old() -> bool:
    return int(import_module("duckdb").__version__.partition(".")[0]) < _ALONE


def _handed(frame: pl.DataFrame | None) -> Any:  # noqa: ANN401 - of Polars or of Arrow
    """A frame as DuckDB takes it: up to 1.5 it asks PyArrow, if that is there, which filters no text of this kind."""
    if frame is None:
        return None
    if _is_old() and find_spec("pyarrow") is not None:
        return frame.to_arrow(compat_level=pl.CompatLevel.oldest())
    return Stream(frame)


@dataclass(frozen=True)
class Lists:
    """How rows that hold lists tell what stands in them.

    Attributes:
        documents: the list of the ids, integers or text.
        scores: the list of the scores; empty where the places in lists are all that orders documents.
        bad: conditions on rows, by what is wrong where one holds.
        nulls: how many ids and how many scores a row lacks.
        odd: how many of its scores are NaN.

    """

    documents: str
    scores: str
    bad: Mapping[str, str]
    nulls: tuple[str, str]
    odd: str


@dataclass(frozen=True)
class Scan:
    """A relation, and how its rows become those of a run.

    Attributes:
        relation: the relation, of DuckDB.
        name: what messages call it.
        id: the query of a row.
        rows: the query that gives `query, document, score`, and `position` and `rank` where they are there; integers
            stay integers, other ids are text.
        query: what ids of queries are: text or integers.
        document: likewise of documents.
        has_position: whether something tells in which order rows came.
        has_ranks: whether there is a column of ranks.
        lists: how rows hold lists; None where rows are documents.
        others: a table that `rows` names, of pairs that are left out.
        names: a table that `rows` names, of queries that are called otherwise.

    """

    relation: Any
    name: str
    id: str
    rows: str
    query: pl.DataType
    document: pl.DataType
    has_position: bool = False
    has_ranks: bool = False
    lists: Lists | None = None
    others: pl.DataFrame | None = None
    names: pl.DataFrame | None = None

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
            InputError: `unreadable-file`, where it fails.

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
            InputError: `unreadable-file`, where it fails.

        """
        try:
            return pl.DataFrame(Stream(self._relation(query, queries, judged, only=only)))
        except Exception as error:  # noqa: BLE001 - of DuckDB's many
            give_up(self.name, error)
        finally:
            self._clean_up()

    def plan(self, query: str, queries: pl.DataFrame | None = None, judged: pl.DataFrame | None = None) -> str:
        """How the engine goes about a query over the rows as they are."""
        told: str = self._relation(query, queries, judged, only=True).explain()
        self._clean_up()
        return told

    @cached_property
    def at_once(self) -> int:
        """How many numbers are held in memory at once."""
        limit = str(self.given("SELECT current_setting('memory_limit')").item()).removeprefix("SELECT ")
        size, unit = limit.split()
        return max(_LEAST, int(float(size) * _UNITS[unit]) // _SHARE)

    def passes(self, rows: int) -> int:
        """In how many passes so many rows are looked through, so that memory holds what one pass needs."""
        return max(1, math.ceil(rows / self.at_once))

    def _relation(self, query: str, queries: pl.DataFrame | None, judged: pl.DataFrame | None, *, only: bool) -> Any:  # noqa: ANN401 - of DuckDB
        """What is asked; DuckDB finds the tables among the variables of this function, unless it has such tables."""
        rankworth_queries, rankworth_judged = _handed(queries), _handed(judged)
        rankworth_others, rankworth_names = _handed(self.others), _handed(self.names)
        given = {"queries": rankworth_queries, "judged": rankworth_judged}
        given |= {"others": rankworth_others, "names": rankworth_names}
        tables = [f"{name} AS (SELECT * FROM rankworth_{name})" for name, one in given.items() if one is not None]
        some = f" WHERE {self.id} IN (SELECT query FROM queries)" if only and self.names is None else ""
        rows = f"{VIEW} AS NOT MATERIALIZED (SELECT * FROM {GIVEN}{some})"
        comma = "" if query.startswith("SELECT") else ","
        return self.relation.query(GIVEN, f"WITH {', '.join((*tables, rows))}{comma} {query}")

    def _clean_up(self) -> None:
        """Take away the view that DuckDB leaves behind, up to 1.5, where a relation has been asked."""
        if _is_old():
            self.relation.query(GIVEN, f"DROP VIEW IF EXISTS {GIVEN}")


def give_up(name: str, error: Exception) -> NoReturn:
    """Say that a query has failed: files are damaged, memory or disk are full, or somebody wants it to end.

    Raises:
        InputError: `unreadable-file`.
        KeyboardInterrupt: where it was interrupted.

    """
    told = " ".join(str(error).split())
    if "interrupt" in told.lower():
        raise KeyboardInterrupt from error
    told = told.partition(" Possible solutions:")[0]
    remedy = "is the file whole? does it change while it is read?"
    if "memory" in told.lower():
        remedy = "give it more memory, fewer threads or a disk to spill to: memory_limit, threads, temp_directory"
    text = f"{name}: DuckDB gives up: {shortened(told, 300)}"
    raise InputError("unreadable-file", text, remedy=remedy) from error
