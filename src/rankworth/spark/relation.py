"""What workers get: the judgements and the documents that count, ranked, those of a query together; nothing is run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import narwhals as nw
import polars as pl
from pyspark.sql import functions as sql

from rankworth.io.duplicates import COUNTED
from rankworth.judging import relational
from rankworth.judging.settings import Ordering
from rankworth.spark.kinds import EXCLUDED, GIVEN, JUDGED, LISTED, RANKED, TWICE
from rankworth.spark.ranking import odd, ranked
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

    @classmethod
    def of(cls, qrels: Source, run: Source, excluded: Source | None = None) -> "Sides":
        """Bring ids to common types: integers where all are integers, otherwise text."""
        some = [one for one in (qrels, run, excluded) if one is not None]
        query = "bigint" if all(one.query.is_integer() for one in some) else "string"
        document = "bigint" if all(one.document.is_integer() for one in some) else "string"
        pairs = None if excluded is None else excluded.cast(query, document).exploded().frame
        return cls(qrels.cast(query, document), run.cast(query, document), pairs)


@dataclass(frozen=True)
class Wanted:
    """What rows are to tell.

    Attributes:
        orderings: the orderings that are asked for.
        full: whether unjudged documents are wanted, too.
        elsewhere: whether rows tell if a document is judged for some query.
        repeated: whether a document may be judged twice for a query.

    """

    orderings: Sequence[Ordering]
    full: bool = False
    elsewhere: bool = False
    repeated: bool = False


def rows(sides: Sides, wanted: Wanted) -> "DataFrame":
    """Tagged rows for workers, those of a query together.

    Args:
        sides: judgements and run.
        wanted: what they are to tell.

    """
    if sides.run.listed:
        parts = [_listed(sides.qrels, "grade", JUDGED), _listed(sides.run, "score", LISTED)]
        if sides.excluded is not None:
            parts.append(_listed(Source(sides.excluded, "", pl.String(), pl.String()), "", EXCLUDED))
        return _together(parts)
    qrels = sides.qrels.exploded()
    parts = [_judgements(qrels, sides.excluded)]
    for number, ordering in enumerate(wanted.orderings):
        parts += _ranked(sides, qrels, ordering, number, wanted)
    return _together(parts)


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


def _ranked(sides: Sides, qrels: Source, ordering: Ordering, number: int, wanted: Wanted) -> "list[DataFrame]":
    """The documents of a run in one ordering, and how many there were where some are left out."""
    given = nw.from_native(sides.run.frame).lazy()
    excluded = None if sides.excluded is None else nw.from_native(sides.excluded).lazy()
    left = relational.without(given, ordering, excluded)
    once = relational.settled(left, ordering)
    shared: DataFrame = nw.to_native(once).repartition("query")
    pairs = qrels.frame.select("query", "document")
    judged = nw.from_native(pairs.distinct() if wanted.repeated else pairs).lazy()
    marked: DataFrame = nw.to_native(relational.marked(nw.from_native(shared).lazy(), judged))
    placed = ranked(marked, ordering, full=wanted.full)
    more: dict[str, Column] = {}
    if wanted.elsewhere and wanted.full:
        anywhere = qrels.frame.select("document").distinct().withColumn("elsewhere", sql.expr("true"))
        placed = placed.join(anywhere, "document", "left")
        more["elsewhere"] = sql.coalesce("elsewhere", sql.expr("false"))
    same = {name: sql.col(name) for name in ("document", "known", "rank", "first", "last", "rows")}
    parts = [_tagged(placed, RANKED, number, {"value": sql.col("score"), **same, **more})]
    if ordering.duplicates == "error":
        parts.append(_twice(shared, number))
    if ordering.exclude is not None or ordering.duplicates not in ("error", *COUNTED):
        lacking = nw.to_native(given).where(odd())
        parts.append(_tagged(lacking, RANKED, number, {"document": sql.col("document"), "value": sql.col("score")}))
        parts += [_counted(part, number, which) for which, part in (("first", given), ("last", left))]
    return parts


def _twice(rows: "DataFrame", number: int) -> "DataFrame":
    """Documents that a query has several times; rows that stand by queries already are not sent about again."""
    pairs = rows.dropna(subset=["query", "document"]).groupBy("query", "document")
    times = pairs.agg(sql.count(sql.lit(1)).alias("rows")).where(sql.col("rows") > 1)
    return _tagged(times, TWICE, number, {"document": sql.col("document"), "rows": sql.col("rows")})


def _counted(part: Any, number: int, which: str) -> "DataFrame":  # noqa: ANN401 - a relation
    """How many rows each query has."""
    counts = nw.to_native(part).groupBy("query").agg(sql.count(sql.lit(1)).alias("rows"))
    return _tagged(counts, GIVEN, number, {which: sql.col("rows")})


def _listed(source: Source, value: str, kind: int) -> "DataFrame":
    """Rows with lists, as they are; rows of one document each become such."""
    frame, names = source.frame, source.names
    if not source.listed:
        inner = [name for name in ("document", value, "subtopic") if name in names]
        gathered = sql.collect_list(sql.struct(*inner))
        grouped = frame.groupBy("query").agg(gathered.alias("rows"))
        frame = grouped.select("query", *(sql.col("rows").getField(name).alias(name) for name in inner))
    values = sql.col(value) if value in names else sql.lit(None).cast("array<double>")
    subtopics = sql.col("subtopic") if "subtopic" in names else sql.lit(None).cast("array<string>")
    return frame.select(
        "query",
        sql.lit(kind).cast("tinyint").alias("kind"),
        "document",
        values.alias("value"),
        subtopics.alias("subtopic"),
    )


def _tagged(frame: "DataFrame", kind: int, ordering: int, columns: "Mapping[str, Column]") -> "DataFrame":
    """Rows with all columns, those that are not said empty."""
    nothing = sql.lit(None)
    told = {"query": sql.col("query"), "kind": sql.lit(kind), "ordering": sql.lit(ordering), **columns}
    parts = [(told.get(name, nothing), name, cast) for name, cast in _COLUMNS.items()]
    return frame.select(*((part.cast(cast) if cast else part).alias(name) for part, name, cast in parts))


def _together(parts: "Sequence[DataFrame]") -> "DataFrame":
    """All rows, those of a query together."""
    first, *others = parts
    for other in others:
        first = first.unionAll(other)
    return first.repartition("query").sortWithinPartitions("query")
