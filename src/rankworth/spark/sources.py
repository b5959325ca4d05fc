"""Frames of Spark as judgements and runs: which columns hold what, rows of both together, and errors of rows."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import polars as pl
from pyspark.sql import functions as sql
from pyspark.sql import types

from rankworth import errors
from rankworth.errors import RankworthError
from rankworth.io import frames
from rankworth.io.frames import is_list
from rankworth.io.remedies import Request
from rankworth.io.resolve import VALUES, location_of, needed, resolve, value_locations
from rankworth.io.usual_names import NONE

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
_VALUES: Final = (*VALUES["score"], "grade")
WANTED: Final = "wanted"
"""a query that is to be evaluated"""
PAIR: Final = "pair"
"""a query and a `document` that does not count for it"""
ELSEWHERE: Final = "elsewhere"
"""a query and a `document` of the run that is judged for some query"""
_RAISED: Final = re.compile(r"rankworth\.errors\.(?P<kind>\w+Error): ")
_PROBLEM: Final = re.compile(r"(?P<text>.*)   \[(?P<slug>[a-z-]+)\]")
_MORE: Final = re.compile(r"\.\.\. and (?P<more>[\d,]+) more")


@dataclass(frozen=True)
class SideNames:
    """How judgements or a run stand in rows of both.

    Attributes:
        value: `"score"` or `"grade"`; names of columns begin with it.
        name: what messages call it.
        columns: which column holds what, where its name does not tell.
        query: what the column of queries is called.
        document: what the column of documents is called.
        listed: whether rows hold lists.

    """

    value: str
    name: str
    columns: Mapping[str, str]
    query: str
    document: str
    listed: bool

    def rows(self, block: pl.DataFrame) -> pl.DataFrame:
        """Select the rows of a block of this side, under the stated names.

        Args:
            block: rows of both sides.

        """
        names = [name for name in block.columns if name.startswith(self.value)]
        side_columns = {name.removeprefix(self.value): pl.col(name) for name in names}
        return block.filter(kind=self.value).select(pl.col("query").alias(self.query), **side_columns)


@dataclass(frozen=True)
class SparkSource:
    """A frame of judgements or of a run, with the columns that count.

    Attributes:
        frame: `query` and the columns that count, whose names begin with the value; `position` where it is there.
        side: what the columns are called.
        record: the field with the ids where documents are records.
        query: what ids of queries are: text or integers.
        has_ranks: whether there is a column of ranks.

    """

    frame: "DataFrame"
    side: SideNames
    record: str
    query: pl.DataType
    has_ranks: bool

    def pairs(self) -> "DataFrame":
        """Return `query, document`: a row for each document, ids of documents as text."""
        documents = sql.col(quoted(self.side.value + self.side.document))
        documents = documents.getField(self.record) if self.record else documents
        documents = sql.explode(documents) if self.side.listed else documents
        rows = self.frame.select("query", documents.alias("document"))
        return rows.withColumn("document", sql.col("document").cast("string"))


def source(frame: "DataFrame", value: str, name: str, columns: Mapping[str, str] = NONE) -> SparkSource:
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
    request = Request(value, frames.looks_of(schema, name, in_order=False), columns)
    _check(schema, request)
    roles = resolve(request.looks, columns, value).names
    kind: Any = schema[roles["document"]]
    listed, record = is_list(kind), ""
    if listed and isinstance(kind.inner, pl.Struct):
        record = needed(_of_records(request, kind.inner.fields), "document").columns[0]
    columns_read, position, rank = {*roles.values(), *columns.values()} & {*schema}, None, None
    if value == "score":
        if not listed:
            position = next((name for name in schema if name.lower() == _POSITION and name not in roles.values()), None)
        further = tuple(name for name in schema if name != position)
        place = location_of(replace(request, looks=replace(request.looks, names=further)), "rank")
        rank = roles.get("rank") or (None if place is None else place.columns[0])
        columns_read |= {rank} - {None}
    taken = [sql.col(quoted(roles["query"])).alias("query")]
    taken += [
        sql.col(quoted(name)).alias(value + name)
        for name in schema
        if name in columns_read - {roles["query"], position}
    ]
    if position is not None:
        taken.append(sql.col(quoted(position)).cast("double").alias(_POSITION))
    side = SideNames(value, name, dict(columns), roles["query"], roles["document"], listed)
    return SparkSource(frame.select(*taken), side, record, schema[roles["query"]], rank is not None)


def _of_records(request: Request, fields: Iterable[Any]) -> Request:
    """Return a request for the records in lists."""
    return replace(request, looks=request.looks.records(field.name for field in fields))


def _check(schema: Mapping[str, pl.DataType], request: Request) -> None:
    """Refuse a frame of columns that would be refused here, without taking any of its rows.

    Of lists, the ids and numbers in them are looked at as columns.
    """
    flat: dict[str, Any] = {}
    value, looks = request.value, request.looks
    for role, column in resolve(looks, request.said, value).names.items():
        kind: Any = schema[column]
        flat[role] = kind.inner if is_list(kind) else kind
        if isinstance(flat[role], pl.Struct):
            fields = {each.name: each.dtype for each in flat[role].fields}
            records = _of_records(request, flat[role].fields)
            places = {name: place.columns[0] for name, place in value_locations(records).items()}
            flat |= {name: fields[field] for name, field in places.items() if name in _VALUES}
            flat["document"] = fields[needed(records, "document").columns[0]]
    flat |= {} if flat.keys() & {*_VALUES} else {value: pl.Float64()}  # the order of lists
    frames.TableReader(Request(value, frames.looks_of(flat, looks.called)), flat).settle(pl.DataFrame(schema=flat))
    frames.TableReader(request, schema).settle(pl.DataFrame(schema=dict(schema)))


def _kind(kind: types.DataType) -> pl.DataType:
    """Return the type that a column of Spark has in Polars."""
    if isinstance(kind, types.ArrayType):
        return pl.List(_kind(kind.elementType))
    if isinstance(kind, types.StructType):
        return pl.Struct([pl.Field(field.name, _kind(field.dataType)) for field in kind.fields])
    if isinstance(kind, types.DecimalType):
        return pl.Decimal(kind.precision, kind.scale)
    if isinstance(kind, types.CharType | types.VarcharType):
        return pl.String()
    return _KINDS.get(kind.simpleString(), pl.Binary())


def quoted(column: str) -> str:
    """Quote a name as expressions and schemas hold it.

    Args:
        column: the name.

    """
    return "`" + column.replace("`", "``") + "`"


def rows_together(
    qrels: SparkSource,
    run: SparkSource,
    pairs: "DataFrame | None" = None,
    wanted: "DataFrame | None" = None,
    judged: "Callable[[SparkSource], DataFrame] | None" = None,
) -> "DataFrame":
    """Join rows of all kinds, which the column `kind` names; null stands in the columns of other kinds.

    They are parted by a hash of their queries, which no other part of the plan is: adaptive execution may part rows
    otherwise that are parted by query already.

    Args:
        qrels: judgements.
        run: a run.
        pairs: `query, document`, text: what does not count.
        wanted: `query`, text: the queries that are to be evaluated; all where None.
        judged: gives the documents, `document` as text, that are judged for some query, where somebody asks.

    """
    kind = "bigint" if all(side.query.is_integer() for side in (qrels, run)) else "string"
    sides = [replace(side, frame=side.frame.withColumn("query", sql.col("query").cast(kind))) for side in (qrels, run)]
    more_rows = []
    if wanted is not None:
        wanted = wanted.select(_known(_as(kind, "query")).alias("query")).distinct()
        sides = [replace(side, frame=side.frame.join(wanted, "query", "left_semi")) for side in sides]
        more_rows.append(wanted.withColumn("kind", sql.lit(WANTED)))
    if pairs is not None:
        pair_ids = _there("query", _as(kind, "query")).alias("query"), _there("document", sql.col("document"))
        more_rows.append(pairs.select(pair_ids[0], pair_ids[1].alias("document"), sql.lit(PAIR).alias("kind")))
    if judged is not None:
        met = sides[1].pairs().join(judged(sides[0]), "document", "left_semi")
        more_rows.append(met.withColumn("kind", sql.lit(ELSEWHERE)))
    rows, ranked = (side.frame.withColumn("kind", sql.lit(side.side.value)) for side in sides)
    for other in (ranked, *more_rows):
        rows = rows.unionByName(other, allowMissingColumns=True)
    return rows.repartition(sql.xxhash64("query")).sortWithinPartitions("query")


def _as(kind: str, column: str) -> "Column":
    """Convert ids to another type; null for a text that is not how a number is written."""
    text = sql.col(column).cast("string")
    number = text.try_cast("bigint")
    return text if kind == "string" else sql.when(number.cast("string") == text, number)


def _there(column: str, ids: "Column") -> "Column":
    """Return the ids; Spark fails where one is missing."""
    wrong = failure("missing-value", sql.lit(f"the excluded pairs: a row has no {column}"), "drop or fill such rows")
    return sql.when(sql.col(column).isNull(), wrong).otherwise(ids)


def _known(ids: "Column") -> "Column":
    """Return the ids of queries; Spark fails on what is no id of any."""
    text = sql.concat(sql.lit("a query asked for is not judged: "), sql.coalesce(sql.col("query"), sql.lit("null")))
    unknown = failure("unjudged-queries", text, "leave out the queries without judgements")
    return sql.when(ids.isNull(), unknown).otherwise(ids)


@contextmanager
def translated() -> Iterator[None]:
    """Raise an error of a worker as the worker raised it.

    Raises:
        RankworthError: as the worker.

    """
    try:
        yield
    except RankworthError:
        raise
    except Exception as error:
        worker_error = raised(str(error))
        if worker_error is None:
            raise
        raise worker_error from None


def raised(text: str) -> RankworthError | None:
    """Rebuild the error that a worker's traceback ends with, if it is one of ours; else return None.

    Args:
        text: what Spark says of a job that failed.

    """
    match = _RAISED.search(text)
    if match is None:
        return None
    problems, slugs, remedy, more = [], [], [], 0
    for line in text[match.end() :].splitlines():
        if (problem := _PROBLEM.fullmatch(line)) is not None and problem["slug"] in errors.slugs():
            problems.append(problem["text"])
            slugs.append(problem["slug"])
        elif (rest := _MORE.fullmatch(line)) is not None:
            more = int(rest["more"].replace(",", ""))
        elif line.startswith("  ") and problems:
            remedy.append(line.strip())
        else:
            break
    if not problems:
        return None
    kind = {"MeasureError": errors.MeasureError, "UsageError": errors.UsageError}.get(match["kind"], errors.InputError)
    return kind(slugs[0], *problems, slugs=slugs, more=more, remedy="\n".join(remedy))


def failure(slug: str, text: "Column", remedy: str) -> "Column":
    """Return a column that Spark fails on, with the text of an error, when it computes such a row.

    Args:
        slug: of the error.
        text: what is wrong with the row.
        remedy: what helps.

    """
    ended = sql.lit(f"   [{slug}]\n  {remedy}\n")
    return sql.raise_error(sql.concat(sql.lit("rankworth.errors.InputError: "), text, ended))
