"""A relation as `query, document, score`: which of its columns hold what, and the query that brings them there."""

# ruff: noqa: S608 - names of columns are quoted

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import polars as pl

from rankworth.errors import InputError, quoted, shortened
from rankworth.io.frames.lists import is_list
from rankworth.io.frames.roles import NONE, VALUES, Table, is_plural

VIEW: Final = "rankworth_run"
"""what queries call the relation"""
_POSITION: Final = "position"
_UNITS: Final[Mapping[str, int]] = {
    unit: 1024**power for power, unit in enumerate(("bytes", "KiB", "MiB", "GiB", "TiB"))
}
_BYTES: Final = 16
"""what a row takes in a set of hashes, at the least"""
_SIZE: Final = re.compile(r"\[\d+\]$")


class Stream:
    """A frame that engines read through Arrow's stream alone, with no other library in between."""

    def __init__(self, frame: pl.DataFrame) -> None:
        """Hold the frame."""
        self.frame = frame

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Hand out its columns."""
        return self.frame.__arrow_c_stream__(requested_schema)


@dataclass(frozen=True)
class Scan:
    """A relation, and how its rows become those of a run.

    Attributes:
        relation: the relation, of DuckDB.
        name: what messages call it.
        rows: the query that gives `query, document, score`, and `position` and `rank` where they are there; integers
            stay integers, other ids are text.
        query: what ids of queries are: text or integers.
        document: likewise of documents.
        has_position: whether something tells in which order rows came.
        has_ranks: whether there is a column of ranks.
        lists: conditions on rows that hold lists, by what is wrong where one holds; empty where rows are documents.
        is_ranking: whether the places in lists are all that orders documents.

    """

    relation: Any
    name: str
    rows: str
    query: pl.DataType
    document: pl.DataType
    has_position: bool = False
    has_ranks: bool = False
    lists: Mapping[str, str] = field(default_factory=lambda: NONE)
    is_ranking: bool = False

    def ask(
        self,
        query: str,
        queries: Stream | None = None,  # noqa: ARG002 - these three are tables that the query may name
        judged: Stream | None = None,  # noqa: ARG002
        others: Stream | None = None,  # noqa: ARG002
    ) -> pl.DataFrame:
        """What the engine answers to a query over `run` and, where they are given, `queries`, `judged`, `others`.

        Raises:
            InputError: `unreadable-file`, where it fails.

        """
        try:
            return pl.DataFrame(self.relation.query(VIEW, f"WITH run AS ({self.rows}) {query}"))
        except Exception as error:
            raise self._given_up(error) from error

    def passes(self, rows: int) -> int:
        """In how many passes a set of so many rows is looked through, so that memory holds what one pass needs."""
        limit = str(self.ask_as_given("SELECT current_setting('memory_limit')").item())
        size, unit = limit.split()
        room = float(size) * _UNITS[unit]
        return max(1, math.ceil(rows * _BYTES / room))

    def ask_as_given(self, query: str) -> pl.DataFrame:
        """What the engine answers to a query over the relation as it is.

        Raises:
            InputError: `unreadable-file`, where it fails.

        """
        try:
            return pl.DataFrame(self.relation.query(VIEW, query))
        except Exception as error:
            raise self._given_up(error) from error

    def _given_up(self, error: Exception) -> InputError:
        """The error for a query that fails: files are damaged, memory or disk are full."""
        text = f"{self.name}: DuckDB gives up: {shortened(' '.join(str(error).split()), 300)}"
        return InputError("unreadable-file", text, remedy="more memory or room to spill to may help")


def scan(relation: Any, name: str, columns: Mapping[str, str] = NONE, *, texts: bool = False) -> Scan:  # noqa: ANN401 - of DuckDB
    """Find the columns of a relation; no row is read.

    Args:
        relation: rows of one document each, or of one query each with lists.
        name: what messages call it.
        columns: which column holds what, where its name does not tell.
        texts: whether numbers come as text, as in CSV.

    Raises:
        InputError: `frame-columns`, `id-type`, `bad-score`.

    """
    schema = pl.DataFrame(relation.limit(0)).schema
    kinds = dict(zip(relation.columns, map(str, relation.types), strict=True))
    table = Table("score", name, columns, tuple(schema))
    found = table.chosen()
    table.check_said()
    if is_list(schema[found["document"]]):
        return _of_lists(relation, table, schema, kinds)
    for what, column in found.items():
        if is_plural(column, what):
            raise table.missing((what,), f"{quoted([column])} holds no lists; ")
    told = next((what for what in VALUES["score"] if what in found), "")
    if not told:
        raise table.missing(VALUES["score"])
    ids = {what: _checked_id(table, what, schema[found[what]], _name(found[what])) for what in ("query", "document")}
    score = _number(table, told, schema[found[told]], _name(found[told]), texts=texts)
    rank = found.get("rank") or table.one("rank")
    parts = [f"{ids[what]} AS {what}" for what in ids] + [f"{_ranked(told, score)} AS score"]
    if rank is not None:
        parts.append(f"{_number(table, 'rank', schema[rank], _name(rank), texts=texts)} AS rank")
    position = next((one for one in schema if one.lower() == _POSITION and one not in found.values()), None)
    if position is not None:
        parts.append(f"{_number(table, _POSITION, schema[position], _name(position), texts=texts)} AS position")
    query, document = (_kind(schema[found[what]]) for what in ("query", "document"))
    rows = f"SELECT {', '.join(parts)} FROM {VIEW}"
    return Scan(relation, name, rows, query, document, position is not None, rank is not None)


def _of_lists(relation: Any, table: Table, schema: Mapping[str, Any], kinds: Mapping[str, str]) -> Scan:  # noqa: ANN401 - of DuckDB
    """A relation in which each row has a list of documents, maybe beside lists of scores, or of records of both."""
    found = table.chosen()
    documents: Any = schema[found["document"]].inner
    told = next((what for what in VALUES["score"] if what in found), "")
    if told and not is_list(schema[found[told]]):
        text = f"{table.name}: there are lists of documents, and one {told} for each list"
        raise InputError("frame-columns", text, remedy=f"give a list of {told}s beside each list of documents")
    listed = {what: _list(_name(found[what]), kinds[found[what]]) for what in ("document", *filter(None, [told]))}
    query = _checked_id(table, "query", schema[found["query"]], _name(found["query"]))
    document, score = "document", "score"
    if isinstance(documents, pl.Struct):
        fields: dict[str, Any] = {one.name: one.dtype for one in documents.fields}
        records = table.records(fields)
        inner = records.needed("document")
        document, documents = f"document.{_name(inner)}", fields[inner]
        within = next((what for what in VALUES["score"] if what in records.told()), "")
        if within:
            told = within
            column = records.told()[within]
            score = _number(records, within, fields[column], f"document.{_name(column)}")
    if told and score == "score":
        scores: Any = schema[found[told]].inner
        score = _number(table, told, scores, "score")
    lists = {"missing-value": " OR ".join(f"{_name(found[what])} IS NULL" for what in ("query", *listed))}
    if len(listed) > 1:
        lists["frame-columns"] = f"len({listed['document']}) <> len({listed[told]})"
    parts = [f"unnest({column}) AS {'document' if what == 'document' else 'score'}" for what, column in listed.items()]
    parts.append(f"unnest(range(1, len({listed['document']}) + 1)) AS position")
    spread = f"SELECT {query} AS query, {', '.join(parts)} FROM {VIEW}"
    shown = _checked_id(table, "document", documents, document)
    score = _ranked(told, score) if told else "-CAST(position AS DOUBLE)"
    ranks = f", -({score}) AS rank" if told in ("rank", "") else ""
    rows = f"SELECT query, {shown} AS document, {score} AS score, position{ranks} FROM ({spread})"
    kind = _kind(schema[found["query"]])
    return Scan(relation, table.name, rows, kind, _kind(documents), True, bool(ranks), lists, not told)


def _name(column: str) -> str:
    """A name as queries hold it."""
    return '"' + column.replace('"', '""') + '"'


def _list(column: str, kind: str) -> str:
    """A column of lists; those of one length, which DuckDB has as a type of its own, become plain ones."""
    return f"CAST({column} AS {_SIZE.sub('[]', kind)})" if _SIZE.search(kind) else column


def _kind(dtype: pl.DataType) -> pl.DataType:
    return dtype if dtype.is_integer() else pl.String()


def _checked_id(table: Table, what: str, dtype: pl.DataType, column: str) -> str:
    """A column of ids: integers, or text."""
    if dtype.is_integer():
        return column
    if isinstance(dtype, pl.String | pl.Categorical | pl.Enum):
        return f"CAST({column} AS VARCHAR)"
    remedy = "convert the column to text, as the ids stand in the other input"
    text = f"{table.name}: the {what} {table.noun} holds {dtype}; ids are text or integers"
    raise InputError("id-type", text, remedy=remedy)


def _number(table: Table, what: str, dtype: pl.DataType, column: str, *, texts: bool = False) -> str:
    """A column of numbers as float64; decimal numbers by way of their digits, so that each is rounded once."""
    if texts and isinstance(dtype, pl.String):
        return f"CASE WHEN {column} IS NOT NULL THEN coalesce(TRY_CAST(trim({column}) AS DOUBLE), 'nan'::DOUBLE) END"
    if isinstance(dtype, pl.Decimal):
        return f"CAST(CAST({column} AS VARCHAR) AS DOUBLE)"
    if dtype.is_numeric() or isinstance(dtype, pl.Boolean):
        return f"CAST({column} AS DOUBLE)"
    text = f"{table.name}: the {what} {table.noun} holds {dtype}, not numbers"
    raise InputError("bad-score", text, remedy="convert the column to numbers: CAST(score AS DOUBLE)")


def _ranked(told: str, number: str) -> str:
    return f"-({number})" if told == "rank" else number
