"""What workers get: the judgements and the documents that count, ranked, those of a query together; nothing is run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

import narwhals as nw
from pyspark.sql import functions as sql

from rankworth.io.duplicates import COUNTED
from rankworth.judging import relational
from rankworth.judging.settings import Ordering
from rankworth.spark.failures import failure
from rankworth.spark.kinds import ASKED, GIVEN, JUDGED, LISTED, PARTED, PLACED, RANKED, TWICE
from rankworth.spark.ranking import by_position, odd, ranked
from rankworth.spark.tables import Source

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

_COLUMNS: Final = {
    "query": "",
    "kind": "tinyint",
    "ordering": "tinyint",
    "document": "",
    "value": "double",
    "subtopic": "string",
    "known": "boolean",
    "rank": "double",
    "first": "bigint",
    "last": "bigint",
    "rows": "bigint",
    "elsewhere": "boolean",
}


@dataclass(frozen=True)
class Sides:
    """Judgements and run, with ids of the same types."""

    qrels: Source
    run: Source
    excluded: "DataFrame | None" = None
    """`query, document`, of the same types"""
    asked: "DataFrame | None" = None
    """`query`, of the same type: those that are to be evaluated; all where None"""

    @classmethod
    def of(
        cls, qrels: Source, run: Source, excluded: Source | None = None, asked: "DataFrame | None" = None
    ) -> "Sides":
        """Bring ids to common types: integers where both have integers, otherwise text.

        Args:
            qrels: judgements.
            run: a run.
            excluded: pairs that do not count.
            asked: `query`, those that are to be evaluated.

        """
        query = "bigint" if qrels.query.is_integer() and run.query.is_integer() else "string"
        document = "bigint" if qrels.document.is_integer() and run.document.is_integer() else "string"
        pairs, judged = None, qrels.cast(query, document)
        if excluded is not None:
            found = excluded.exploded().frame
            pairs = found.select(
                _there("query", excluded.name, _as(query, "query")).alias("query"),
                _there("document", excluded.name, _as(document, "document")).alias("document"),
            )
        if asked is not None:
            asked = asked.select(_known(_as(query, "query")).alias("query")).distinct()
            judged = replace(judged, frame=judged.frame.join(asked, "query", "left_semi"))
        return cls(judged, run.cast(query, document), pairs, asked)


@dataclass(frozen=True)
class Wanted:
    """What rows are to tell.

    Attributes:
        orderings: the orderings that are asked for.
        full: whether unjudged documents are wanted, too.
        elsewhere: whether rows tell if a document is judged for some query.
        of_both: whether what is excluded is not judged, either.
        repeated: whether a document may be judged twice for a query.

    """

    orderings: Sequence[Ordering]
    full: bool = False
    elsewhere: bool = False
    of_both: bool = True
    repeated: bool = False

    @property
    def rows(self) -> bool:
        """Whether lists cannot stay as they are."""
        return self.elsewhere or any(one.exclude is not None or one.order == "rank" for one in self.orderings)


def rows(sides: Sides, wanted: Wanted) -> "DataFrame":
    """Tagged rows for workers, those of a query together.

    Args:
        sides: judgements and run.
        wanted: what they are to tell.

    """
    if sides.run.listed and not wanted.rows:
        parts = [_listed(sides.qrels, JUDGED), _listed(sides.run, LISTED)]
        if sides.asked is not None:
            parts.append(_lists(sides.asked, ASKED, {}))
        return _together(parts)
    qrels = sides.qrels.exploded()
    parts = [_judgements(qrels, sides.excluded)]
    if sides.asked is not None:
        parts.append(_tagged(sides.asked, ASKED))
    if sides.run.listed and ("score" not in sides.run.names or any(map(by_position, wanted.orderings))):
        parts.append(_several(sides.run.frame.where(sql.size("document") > 0), PARTED))
    exploded = replace(sides, qrels=qrels, run=sides.run.exploded())
    for number, ordering in enumerate(wanted.orderings):
        parts += _ranked(exploded, ordering, number, wanted)
    return _together(parts)


def _as(kind: str, column: str) -> "Column":
    """Ids of another type; null for a text that is not how a number is written."""
    text = sql.col(column).cast("string")
    number = text.try_cast("bigint")
    return text if kind == "string" else sql.when(number.cast("string") == text, number)


def _there(column: str, name: str, ids: "Column") -> "Column":
    """Ids, and an error where one is missing."""
    text = sql.lit(f"{name}: a row has no {column}")
    return sql.when(sql.col(column).isNull(), failure("missing-value", text, "drop or fill such rows")).otherwise(ids)


def _known(ids: "Column") -> "Column":
    """Ids of queries, and an error for what is no id of any."""
    text = sql.concat(sql.lit("a query asked for is not judged: "), sql.coalesce(sql.col("query"), sql.lit("null")))
    unknown = failure("unjudged-queries", text, "leave out the queries without judgements")
    return sql.when(ids.isNull(), unknown).otherwise(ids)


def _judgements(qrels: Source, excluded: "DataFrame | None") -> "DataFrame":
    """What is judged; `known` where it is not excluded."""
    frame, known = qrels.frame, sql.expr("true")
    if excluded is not None:
        pairs = excluded.select("query", "document").distinct().withColumn("out", sql.expr("true"))
        frame, known = frame.join(pairs, ["query", "document"], "left"), sql.col("out").isNull()
    told = {"document": sql.col("document"), "value": sql.col("grade"), "known": known}
    if "subtopic" in qrels.names:
        told["subtopic"] = sql.col("subtopic")
    return _tagged(frame, JUDGED, 0, told)


def _ranked(sides: Sides, ordering: Ordering, number: int, wanted: Wanted) -> "list[DataFrame]":
    """The documents of a run in one ordering, and how many there were where some are left out."""
    if ordering.order == "rank" and "rank" not in sides.run.names:  # scores make the ranks
        ordering = ordering._replace(order="score", ties="given")
    given = nw.from_native(sides.run.frame).lazy()
    excluded = None if sides.excluded is None else nw.from_native(sides.excluded).lazy()
    left = relational.without(given, ordering, excluded)
    once = relational.settled(left, ordering)
    shared: DataFrame = nw.to_native(once).repartition("query")
    pairs = sides.qrels.frame.select("query", "document")
    judged = nw.from_native(pairs.distinct() if wanted.repeated else pairs).lazy()
    marked: DataFrame = nw.to_native(relational.marked(nw.from_native(shared).lazy(), judged))
    placed = ranked(marked, ordering, full=wanted.full)
    more: dict[str, Column] = {}
    if wanted.elsewhere and wanted.full:
        counted: DataFrame = nw.to_native(relational.without(judged, ordering, excluded)) if wanted.of_both else pairs
        anywhere = counted.select("document").distinct().withColumn("elsewhere", sql.expr("true"))
        placed = placed.join(anywhere, "document", "left")
        more["elsewhere"] = sql.coalesce("elsewhere", sql.expr("false"))
    same = {name: sql.col(name) for name in ("document", "known", "rank", "first", "last", "rows")}
    parts = [_tagged(placed, RANKED, number, {"value": sql.col("score"), **same, **more})]
    if ordering.duplicates == "error":
        parts.append(_several(shared.dropna(subset=["query", "document"]), TWICE, "document"))
    if by_position(ordering):
        parts.append(_several(nw.to_native(left), PLACED, "position"))
    leaves_out = ordering.exclude is not None or ordering.duplicates not in ("error", *COUNTED)
    if leaves_out:
        lacking: DataFrame = nw.to_native(given).where(odd(ordering))
        told = {"document": sql.col("document"), "value": sql.col("score")}
        if "rank" in lacking.columns:
            told["rank"] = sql.col("rank")
        parts.append(_tagged(lacking, RANKED, number, told))
        parts += [_counted(part, number, which) for which, part in (("first", given), ("last", left))]
    return parts


def _several(rows: "DataFrame", kind: int, what: str = "") -> "DataFrame":
    """What a query has several times; rows that stand by queries already are not sent about again."""
    times = rows.groupBy("query", *filter(None, [what])).agg(sql.count(sql.lit(1)).alias("rows"))
    told, several = {"rows": sql.col("rows")}, sql.col("rows") > 1
    if what == "document":
        told[what] = sql.col(what)
    if what == "position":
        told["value"] = sql.col(what)
        several = several | sql.col(what).isNull() | sql.isnan(what)
    return _tagged(times.where(several), kind, 0, told)


def _counted(part: Any, number: int, which: str) -> "DataFrame":  # noqa: ANN401 - a relation
    """How many rows each query has."""
    counts = nw.to_native(part).groupBy("query").agg(sql.count(sql.lit(1)).alias("rows"))
    return _tagged(counts, GIVEN, number, {which: sql.col("rows")})


def _listed(source: Source, kind: int) -> "DataFrame":
    """Rows with lists, as they are; rows of one document each become such."""
    frame = source.frame
    inner = [name for name in ("document", source.value, "subtopic") if name in source.names]
    if not source.listed:
        gathered = sql.collect_list(sql.struct(*inner))
        grouped = frame.groupBy("query").agg(gathered.alias("rows"))
        frame = grouped.select("query", *(sql.col("rows").getField(name).alias(name) for name in inner))
    return _lists(frame, kind, {"value" if name == source.value else name: sql.col(name) for name in inner})


def _lists(frame: "DataFrame", kind: int, columns: "Mapping[str, Column]") -> "DataFrame":
    """Rows with lists, those that are not said null."""
    kinds = {"document": "", "value": "array<double>", "subtopic": "array<string>"}
    nothing = sql.lit(None)
    lists = [columns.get(name, nothing.cast(cast) if cast else nothing).alias(name) for name, cast in kinds.items()]
    return frame.select("query", sql.lit(kind).cast("tinyint").alias("kind"), *lists)


def _tagged(
    frame: "DataFrame", kind: int, ordering: int = 0, columns: "Mapping[str, Column]" = MappingProxyType({})
) -> "DataFrame":
    """Rows with all columns, those that are not said empty."""
    nothing = sql.lit(None)
    told = {"query": sql.col("query"), "kind": sql.lit(kind), "ordering": sql.lit(ordering), **columns}
    parts = [(told.get(name, nothing), name, cast) for name, cast in _COLUMNS.items()]
    return frame.select(*((part.cast(cast) if cast else part).alias(name) for part, name, cast in parts))


def _together(parts: "Sequence[DataFrame]") -> "DataFrame":
    """All rows, those of a query together.

    They are parted by a hash of their queries, which no other part of the plan is: where all parts are parted by query
    already, Spark leaves a repartition by query out, and adaptive execution may part them otherwise after all.
    """
    first, *others = parts
    for other in others:
        first = first.unionAll(other)
    return first.repartition(sql.xxhash64("query")).sortWithinPartitions("query")
