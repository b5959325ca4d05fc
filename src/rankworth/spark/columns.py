"""Frames of Spark as runs and judgements: which of their columns hold what, told from the schema alone."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import polars as pl
from pyspark.sql import functions as sql
from pyspark.sql import types

from rankworth.errors import InputError
from rankworth.io import frames
from rankworth.io.columns import NONE, SMALLER, VALUES, Table
from rankworth.io.frames import is_list
from rankworth.spark.errors import failure

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
            of lists all but `query` hold lists, and a run need not have scores.
        value: `"score"` or `"grade"`.
        name: what messages call it.
        query: what ids of queries are: text or integers.
        document: likewise of documents.
        listed: whether rows hold lists.

    """

    frame: "DataFrame"
    value: str
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
        kinds = {"query": query, "document": f"array<{document}>" if self.listed else document}
        columns = [
            sql.col(name).cast(kinds[name]).alias(name) if name in kinds else name for name in self.frame.columns
        ]
        return replace(self, frame=self.frame.select(*columns))

    def graded(self, blank: str) -> "Source":
        """The same without judgements that have no grade, or with grade 0 for them; as it is, where that is an error.

        Args:
            blank: what such judgements mean: `unjudged`, `zero` or `error`.

        """
        grade = sql.col("grade")
        if blank == "zero":
            return replace(self, frame=self.frame.withColumn("grade", self._each(_or_zero)))
        if blank == "error":
            called = sql.coalesce(sql.col("query").cast("string"), sql.lit("null"))
            text = sql.concat(sql.lit(f"{self.name}: a judgement has no grade: query "), called)
            remedy = "fill them in, or say what they mean: --blank unjudged or zero, in Python blank='unjudged'"
            wrong = failure("missing-value", text, remedy)
            return replace(
                self,
                frame=self.frame.withColumn(
                    "grade", self._each(lambda one: sql.when(_blank(one), wrong).otherwise(one))
                ),
            )
        if not self.listed:
            return replace(self, frame=self.frame.where(~_blank(grade)))
        inner = [name for name in self.frame.columns if name != "query"]
        kept = sql.filter(sql.arrays_zip(*inner), lambda row: ~_blank(row.getField("grade")))
        rows = self.frame.select("query", kept.alias("rows")).where("size(`rows`) > 0")
        return replace(self, frame=rows.select("query", *(sql.col(f"rows.{name}").alias(name) for name in inner)))

    def blanks(self) -> "DataFrame":
        """`query, rows`: how many judgements have no grade, where there are some."""
        grade = sql.col("grade")
        count = sql.size(sql.filter(grade, _blank)) if self.listed else sql.when(_blank(grade), 1).otherwise(0)
        found = self.frame.select("query", count.cast("bigint").alias("rows")).where("`rows` > 0")
        return found.groupBy("query").agg(sql.sum("rows").alias("rows"))

    def _each(self, change: "Callable[[Column], Column]") -> "Column":
        """Grades, each changed."""
        return sql.transform(sql.col("grade"), change) if self.listed else change(sql.col("grade"))

    def exploded(self) -> "Source":
        """The same with a row for each document, and its `position` and `rank` in a run; none for empty lists."""
        if not self.listed:
            return self
        inner = [name for name in self.frame.columns if name != "query"]
        rows = self.frame.select("query", sql.posexplode(sql.arrays_zip(*inner)).alias("place", "row"))
        fields = {name: sql.col(f"row.{name}") for name in inner}
        if self.value == "score":
            fields["position"] = place = (sql.col("place") + 1).cast("double")
            fields = {"rank": place, "score": -place} | fields
        columns = [column.alias(name) for name, column in fields.items()]
        return replace(self, frame=rows.select("query", *columns), listed=False)


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
    taken = {what: quoted(column) for what, column in found.items()}
    position = next((one for one in schema if one.lower() == _POSITION and one not in found.values()), None)
    others = replace(table, names=tuple(name for name in table.names if name != position))
    if value == "score" and (rank := found.get("rank") or others.one("rank")) is not None:
        taken["rank"] = quoted(rank)
    if value == "score" and position is not None:
        taken[_POSITION] = quoted(position)
    brought = [sql.col(taken[what]).alias(what) for what in ("query", "document")]
    kinds = {quoted(column): kind for column, kind in schema.items()}
    values = [what for what in ("score", "rank", "distance", "position", "grade") if what in taken]
    numbers = {what: _number(sql.col(taken[what]), kinds[taken[what]]) for what in values}
    if value == "score" and "score" not in numbers:
        numbers["score"] = 0.0 - numbers.pop("distance") if "distance" in numbers else -numbers["rank"]
    elif value == "grade" and "grade" not in numbers:
        numbers["grade"] = sql.lit(1.0)
    brought += [number.alias(what) for what, number in numbers.items()]
    if "subtopic" in taken:
        brought.append(sql.col(taken["subtopic"]).cast("string").alias("subtopic"))
    return Source(frame.select(*brought), value, name, schema[found["query"]], schema[found["document"]])


def _of_lists(frame: "DataFrame", table: Table, schema: Mapping[str, pl.DataType], found: Mapping[str, str]) -> Source:
    """A frame in which each row has a list of documents, maybe beside lists of values, or of records of both."""
    lists = sql.col(quoted(found["document"]))
    kind: Any = schema[found["document"]].inner  # type: ignore[attr-defined]
    told = _told(table, found)
    columns = {what: sql.col(quoted(column)) for what, column in told.items()}
    kinds: dict[str, Any] = {what: schema[column] for what, column in told.items()}
    beside = {what: columns[what] for what, held in kinds.items() if is_list(held)}
    for what, held in kinds.items():
        if what in beside:
            kinds[what] = held.inner
        else:
            columns[what] = _for_each(lists, columns[what])
    documents = lists
    if isinstance(kind, pl.Struct):
        fields = {one.name: one.dtype for one in kind.fields}
        records = table.records(fields)
        documents, kind = lists.getField(records.needed("document")), fields[records.needed("document")]
        within = _told(records, records.told())
        if {*within} & {*VALUES["score"], "grade"}:
            columns = {what: one for what, one in columns.items() if what not in (*VALUES["score"], "grade")}
        columns |= {what: lists.getField(field) for what, field in within.items()}
        kinds |= {what: fields[field] for what, field in within.items()}
    values = {what: _values(what, column, kinds[what]) for what, column in columns.items()}
    told_by = next((what for what in SMALLER if what in values), "")
    if table.value == "score" and told_by and "score" not in values:
        values["score"] = sql.transform(values[told_by], lambda one: 0.0 - one)
        values.pop("distance", None)
    if table.value == "score" and "score" in values:  # hits that are sorted by a field have none but null
        none = sql.forall(values["score"], lambda one: one.isNull())
        places = sql.transform(values["score"], lambda _, place: (-place - 1).cast("double"))
        values["score"] = sql.when(none, places).otherwise(values["score"])
    elif table.value == "grade" and "grade" not in values:
        values["grade"] = _for_each(documents, sql.lit(1.0))
    query = sql.col(quoted(found["query"]))
    brought = [query.alias("query"), _checked(documents, query, lists, beside, table).alias("document")]
    brought += [column.alias(what) for what, column in values.items()]
    return Source(frame.select(*brought), table.value, table.name, schema[found["query"]], kind, listed=True)


def _checked(
    documents: "Column", query: "Column", lists: "Column", beside: "Mapping[str, Column]", table: Table
) -> "Column":
    """Lists of documents, and errors where one is missing, or where lists beside it are of other lengths."""
    called = sql.coalesce(query.cast("string"), sql.lit("null"))
    start = sql.concat(sql.lit(f"{table.name}: query "), called)
    remedy = "drop or fill such rows"
    wrong = sql.when(query.isNull(), failure("missing-value", sql.concat(start, sql.lit(" is none")), remedy))
    for what, one in {"document": lists, **beside}.items():
        text = sql.concat(start, sql.lit(f" has no {what}"))
        wrong = wrong.when(one.isNull(), failure("missing-value", text, remedy))
    if table.value == "grade":
        text, remedy = sql.concat(start, sql.lit(" has no judgements")), "leave it out, or judge a document of it"
        wrong = wrong.when(sql.size(lists) == 0, failure("missing-value", text, remedy))
    for what, one in beside.items():
        parts = [start, sql.lit(" has lists of "), sql.size(lists), sql.lit(" documents and "), sql.size(one)]
        text = sql.concat(*parts, sql.lit(f" {what}s"))
        other = failure("frame-columns", text, "give as many of one as of the other")
        wrong = wrong.when(sql.size(lists) != sql.size(one), other)
    return wrong.otherwise(documents)


def _told(table: Table, found: Mapping[str, str]) -> dict[str, str]:
    """The columns, or fields, that tell values; ranks beside scores, too."""
    told = {what: column for what, column in found.items() if what not in ("query", "document")}
    rank = table.one("rank") if table.value == "score" else None
    return told if rank is None else {**told, "rank": rank}


def _for_each(lists: "Column", single: "Column") -> "Column":
    """Lists of one value as often as there are documents."""
    return sql.transform(lists, lambda _: single)


def _values(what: str, lists: "Column", kind: Any) -> "Column":  # noqa: ANN401 - of Polars
    """Lists of numbers, or of subtopics."""
    return lists.cast("array<string>") if what == "subtopic" else sql.transform(lists, lambda one: _number(one, kind))


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
    frames.settle(pl.DataFrame(schema=dict(schema)), table.value, table.name, table.columns, first=0)


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


def _blank(grade: "Column") -> "Column":
    """Whether a grade is none."""
    return grade.isNull() | sql.isnan(grade)


def _or_zero(grade: "Column") -> "Column":
    """A grade, 0 where there is none."""
    return sql.when(_blank(grade), 0.0).otherwise(grade)


def quoted(column: str) -> str:
    """A name as expressions and schemas hold it.

    Args:
        column: the name.

    """
    return "`" + column.replace("`", "``") + "`"
