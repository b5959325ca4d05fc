"""Frames of Spark as runs and judgements: which of their columns hold what, told from the schema alone."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import polars as pl
from pyspark.sql import functions as sql
from pyspark.sql import types

from rankworth.errors import InputError
from rankworth.io.frames import tabular
from rankworth.io.frames.lists import is_list
from rankworth.io.frames.roles import NONE, VALUES, Table

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

_KINDS: Final[Mapping[str, pl.DataType]] = {
    "tinyint": pl.Int8(),
    "smallint": pl.Int16(),
    "int": pl.Int32(),
    "bigint": pl.Int64(),
    "float": pl.Float32(),
    "double": pl.Float64(),
    "boolean": pl.Boolean(),
    "string": pl.String(),
    "binary": pl.Binary(),
    "date": pl.Date(),
    "timestamp": pl.Datetime(),
    "timestamp_ntz": pl.Datetime(),
}
_POSITION: Final = "position"


@dataclass(frozen=True)
class Source:
    """A frame under our names.

    Attributes:
        frame: `query, document` and `score` or `grade`; where they are there `rank`, `position`, `subtopic`. In a frame
            of lists `document` holds the ids of a query, and the value their values, or nothing.
        name: what messages call it.
        query: what ids of queries are: text or integers.
        document: likewise of documents.
        listed: whether rows hold lists.

    """

    frame: "DataFrame"
    name: str
    query: pl.DataType
    document: pl.DataType
    listed: bool = False

    @property
    def names(self) -> frozenset[str]:
        """The columns that are there."""
        return frozenset(self.frame.columns)

    def cast(self, query: str, document: str) -> "Source":
        """The same with ids of some types, as Spark calls them."""
        inner = f"array<{document}>" if self.listed else document
        kinds = {"query": query, "document": inner}
        columns = [
            sql.col(name).cast(kinds[name]).alias(name) if name in kinds else name for name in self.frame.columns
        ]
        return replace(self, frame=self.frame.select(*columns))

    def exploded(self) -> "Source":
        """The same with a row for each document."""
        if not self.listed:
            return self
        value = next((name for name in ("score", "grade") if name in self.names), "")
        columns = ["document", *([value] if value else [])]
        rows = self.frame.select("query", sql.explode_outer(sql.arrays_zip(*columns)).alias("row"))
        return replace(self, frame=rows.select("query", *(f"row.{name}" for name in columns)), listed=False)


def source(frame: "DataFrame", value: str, name: str, columns: Mapping[str, str] = NONE) -> Source:
    """Find the columns of a frame; no row is read.

    Args:
        frame: rows of one document each, or of one query each with lists of ids or of records.
        value: `"score"` or `"grade"`.
        name: what messages call it.
        columns: which column holds what, where its name does not tell.

    Raises:
        InputError: `frame-columns`, `id-type`, `bad-score`, `bad-grade`.

    """
    schema = {field.name: _kind(field.dataType) for field in frame.schema.fields}
    table = Table(value, name, columns, tuple(schema))
    _check(schema, table)
    found = table.chosen()
    if is_list(schema[found["document"]]):
        return _of_lists(frame, table, schema, found)
    taken = {what: _quoted(column) for what, column in found.items()}
    position = next((one for one in schema if one.lower() == _POSITION and one not in found.values()), None)
    others = replace(table, names=tuple(name for name in table.names if name != position))
    if value == "score" and (rank := found.get("rank") or others.one("rank")) is not None:
        taken["rank"] = _quoted(rank)
    if value == "score" and position is not None:
        taken[_POSITION] = _quoted(position)
    brought = [sql.col(taken[what]).alias(what) for what in ("query", "document")]
    kinds = {_quoted(column): kind for column, kind in schema.items()}
    values = [what for what in ("score", "rank", "position", "grade") if what in taken]
    numbers = {what: _number(sql.col(taken[what]), kinds[taken[what]]) for what in values}
    if value == "score" and "score" not in numbers:
        numbers["score"] = -numbers["rank"]
    elif value == "grade" and "grade" not in numbers:
        numbers["grade"] = sql.lit(1.0)
    brought += [number.alias(what) for what, number in numbers.items()]
    if "subtopic" in taken:
        brought.append(sql.col(taken["subtopic"]).cast("string").alias("subtopic"))
    return Source(frame.select(*brought), name, schema[found["query"]], schema[found["document"]])


def _of_lists(frame: "DataFrame", table: Table, schema: Mapping[str, pl.DataType], found: Mapping[str, str]) -> Source:
    """A frame in which each row has a list of documents, maybe beside lists of values, or of records of both."""
    lists = sql.col(_quoted(found["document"]))
    inner: Any = schema[found["document"]].inner  # type: ignore[attr-defined]
    told = next((what for what in (*VALUES["score"], "grade") if what in found), "")
    values = sql.col(_quoted(found[told])) if told else None
    held: Any = schema[found[told]] if told else None
    kind: Any = held.inner if told and is_list(held) else held
    if values is not None and not is_list(held):
        single = values
        values = sql.transform(lists, lambda _: single)
    documents = lists
    if isinstance(inner, pl.Struct):
        fields = {one.name: one.dtype for one in inner.fields}
        records = table.records(fields)
        documents, inner = lists.getField(records.needed("document")), fields[records.needed("document")]
        within = next((what for what in (*VALUES["score"], "grade") if what in records.told()), "")
        if within:
            told, values = within, lists.getField(records.told()[within])
            kind = fields[records.told()[within]]
    brought = [sql.col(_quoted(found["query"])).alias("query"), documents.alias("document")]
    if values is not None:
        numbers = sql.transform(values, lambda one: _number(one, kind) * (-1.0 if told == "rank" else 1.0))
        brought.append(numbers.alias(table.value))
    elif table.value == "grade":
        brought.append(sql.transform(documents, lambda _: sql.lit(1.0)).alias("grade"))
    return Source(frame.select(*brought), table.name, schema[found["query"]], inner, listed=True)


def _check(schema: Mapping[str, pl.DataType], table: Table) -> None:
    """Refuse what a frame of these columns would be refused for here, which takes none of its rows."""
    for what, column in table.chosen().items():
        kind: Any = schema[column]
        inner = kind.inner if is_list(kind) else kind
        held: dict[str, Any] = {one.name: one.dtype for one in inner.fields} if isinstance(inner, pl.Struct) else {}
        records = table.records(held) if held else None
        if what in ("query", "document"):
            _check_id(what, held[records.needed("document")] if records else inner, table)
        elif what != "subtopic":
            _check_number(what, inner, table)
        for value, field in (records.told() if records else {}).items():
            if value in (*VALUES["score"], "grade"):
                _check_number(value, held[field], table)
    tabular.settle(pl.DataFrame(schema=dict(schema)), table.value, table.name, table.columns, first=0)


def _check_id(what: str, kind: pl.DataType, table: Table) -> None:
    """Refuse what are no ids.

    Raises:
        InputError: `id-type`.

    """
    if not (kind.is_integer() or isinstance(kind, pl.String)):
        text = f"{table.name}: the {what} {table.noun} holds {kind}; ids are text or integers"
        raise InputError("id-type", text, remedy="convert the column to text, as the ids stand in the other input")


def _check_number(what: str, kind: pl.DataType, table: Table) -> None:
    """Refuse what are no numbers.

    Raises:
        InputError: `bad-score`, `bad-grade`.

    """
    if not (kind.is_numeric() or isinstance(kind, pl.Boolean)):
        slug = "bad-grade" if table.value == "grade" else "bad-score"
        text = f"{table.name}: the {what} {table.noun} holds {kind}, not numbers"
        raise InputError(slug, text, remedy=f'convert the column to numbers: col("{what}").cast("double")')


def _kind(kind: types.DataType) -> pl.DataType:
    """What a column of Spark would be here."""
    if isinstance(kind, types.ArrayType):
        return pl.List(_kind(kind.elementType))
    if isinstance(kind, types.StructType):
        return pl.Struct([pl.Field(field.name, _kind(field.dataType)) for field in kind.fields])
    if isinstance(kind, types.DecimalType):
        return pl.Decimal(kind.precision, kind.scale)
    if isinstance(kind, types.CharType | types.VarcharType):
        return pl.String()
    return _KINDS.get(kind.simpleString(), pl.Binary())


def _number(column: "Column", kind: Any) -> "Column":  # noqa: ANN401 - of Polars
    """Numbers as float64; decimal ones by way of their digits, so that each is rounded once."""
    return (column.cast("string") if isinstance(kind, pl.Decimal) else column).cast("double")


def _quoted(column: str) -> str:
    """A name as expressions hold it."""
    return "`" + column.replace("`", "``") + "`"
