"""What workers get: the judgements and the documents that count, ranked, those of a query together; nothing is run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import narwhals as nw
from pyspark.sql import functions as sql

from rankworth.io.duplicates import COUNTED
from rankworth.io.reading import Blank, Lists
from rankworth.judging import relational
from rankworth.judging.listed import settled
from rankworth.judging.settings import Ordering
from rankworth.spark.failures import failure
from rankworth.spark.kinds import ASKED, BLANK, GIVEN, JUDGED, LISTED, MET, PARTED, PLACED, RISING
from rankworth.spark.meeting import met
from rankworth.spark.ranking import by_position, odd, ranked
from rankworth.spark.tables import Source

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

_COLUMNS: Final = {
    "document": "",
    "value": "double",
    "times": "bigint",
    "known": "boolean",
    "rank": "double",
    "first": "bigint",
    "last": "bigint",
    "rows": "bigint",
    "elsewhere": "boolean",
    "judged": "bigint",
    "grade": "double",
    "subtopic": "string",
    "out": "boolean",
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
    blanks: "DataFrame | None" = None
    """`query, rows`: how many judgements have no grade; None where these are refused"""
    blank: Blank = "unjudged"
    """what a judgement without a grade means"""

    @classmethod
    def of(
        cls,
        qrels: Source,
        run: Source,
        excluded: Source | None = None,
        asked: "DataFrame | None" = None,
        *,
        blank: Blank = "unjudged",
    ) -> "Sides":
        """Bring ids to common types: integers where both have integers, otherwise text.

        Args:
            qrels: judgements.
            run: a run.
            excluded: pairs that do not count.
            asked: `query`, those that are to be evaluated.
            blank: what a judgement without a grade means.

        """
        query = "bigint" if qrels.query.is_integer() and run.query.is_integer() else "string"
        document = "bigint" if qrels.document.is_integer() and run.document.is_integer() else "string"
        pairs, judged, ranked = None, qrels.cast(query, document), run.cast(query, document)
        if excluded is not None:
            found = excluded.exploded().frame
            pairs = found.select(
                _there("query", excluded.name, _as(query, "query")).alias("query"),
                _there("document", excluded.name, _as(document, "document")).alias("document"),
            )
        if asked is not None:
            asked = asked.select(_known(_as(query, "query")).alias("query")).distinct()
            judged, ranked = (
                replace(one, frame=one.frame.join(asked, "query", "left_semi")) for one in (judged, ranked)
            )
        blanks = None if blank == "error" else judged.blanks()
        return cls(judged.graded(blank), ranked, pairs, asked, blanks, blank)


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
    def exploded(self) -> bool:
        """Whether lists have to become rows."""
        return self.elsewhere or any(one.exclude is not None or one.order == "rank" for one in self.orderings)


def rows(sides: Sides, wanted: Wanted) -> "DataFrame":
    """Tagged rows for workers, those of a query together.

    Args:
        sides: judgements and run.
        wanted: what they are to tell.

    """
    if sides.run.listed and not wanted.exploded:
        parts = [_listed(sides.qrels, JUDGED), _listed(sides.run, LISTED)]
        if sides.asked is not None:
            parts.append(_lists(sides.asked, ASKED, {}))
        if sides.blanks is not None:
            parts.append(_lists(sides.blanks, BLANK, {"value": "array(`rows`)"}))
        return _together(parts)
    parts = [] if sides.asked is None else [_tagged(sides.asked, ASKED, {})]
    if sides.blanks is not None:
        parts.append(_tagged(sides.blanks, BLANK, {"rows": "rows"}))
    orderings = [settled(one, Lists() if sides.run.listed else None) for one in wanted.orderings]
    if sides.run.listed and ("score" not in sides.run.names or any(map(by_position, orderings))):
        parts.append(_several(sides.run.frame.where(sql.size("document") > 0), PARTED))
    if sides.run.listed and "score" in sides.run.names and any(one.order == "auto" for one in wanted.orderings):
        rises = "exists(sequence(1, size(score) - 1), place -> score[place] > score[place - 1])"
        parts.append(_tagged(sides.run.frame.where(f"size(score) > 1 AND {rises}"), RISING, {}))
    in_rows = replace(sides, qrels=sides.qrels.exploded(), run=sides.run.exploded())
    for number, ordering in enumerate(orderings):
        parts += _ranked(in_rows, ordering, number, wanted)
    return _together(parts, parted=not wanted.elsewhere)


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
    """What is judged; `out` where it is excluded."""
    if excluded is None:
        return qrels.frame
    pairs = excluded.select("query", "document").distinct().selectExpr("query", "document", "true AS out")
    return qrels.frame.join(pairs, ["query", "document"], "left")


def _ranked(sides: Sides, ordering: Ordering, number: int, wanted: Wanted) -> "list[DataFrame]":
    """Documents of a run in one ordering and judgements, and how many there were where some are left out."""
    if ordering.order == "rank" and "rank" not in sides.run.names:  # scores make the ranks
        ordering = ordering._replace(order="score", ties="given")
    given = nw.from_native(sides.run.frame).lazy()
    excluded = None if sides.excluded is None else nw.from_native(sides.excluded).lazy()
    left = relational.without(given, ordering, excluded)
    needed = {"rank": ordering.order == "rank", "position": by_position(ordering)}
    once: DataFrame = nw.to_native(relational.settled(left, ordering))
    once = once.drop(*(name for name, is_needed in needed.items() if not is_needed))
    folded = not wanted.repeated and ordering.duplicates not in COUNTED
    placed = ranked(met(once, _judgements(sides.qrels, sides.excluded), folded=folded), ordering, full=wanted.full)
    told = {name: name for name in _COLUMNS if name in placed.columns} | {"value": "score"}
    if wanted.elsewhere and wanted.full:
        pairs = nw.from_native(sides.qrels.frame).lazy()
        judged: DataFrame = nw.to_native(relational.without(pairs, ordering, excluded) if wanted.of_both else pairs)
        anywhere = judged.select("document").distinct().selectExpr("document", "true AS elsewhere")
        placed = placed.join(anywhere, "document", "left")
        told["elsewhere"] = "coalesce(elsewhere, false)"
    parts = [_tagged(placed, MET, told, number)]
    if by_position(ordering):
        parts.append(_several(nw.to_native(left), PLACED, "position"))
    if ordering.exclude is not None or ordering.duplicates not in ("error", *COUNTED):
        lacking: DataFrame = nw.to_native(given).where(odd(ordering))
        told = {"document": "document", "value": "score", "times": "(1)"}
        told |= {"rank": "rank"} if "rank" in lacking.columns else {}
        parts.append(_tagged(lacking, MET, told, number))
        parts += [_counted(part, number, which) for which, part in (("first", given), ("last", left))]
    return parts


def _several(rows: "DataFrame", kind: int, what: str = "") -> "DataFrame":
    """Lists that a query has, or documents at one position, where there are several."""
    times = rows.groupBy("query", *filter(None, [what])).agg(sql.expr("count(1) AS `rows`"))
    if not what:
        return _tagged(times.where("`rows` > 1"), kind, {"rows": "rows"})
    several = times.where(f"`rows` > 1 OR {what} IS NULL OR isnan({what})")
    return _tagged(several, kind, {"rows": "rows", "value": what})


def _counted(part: Any, number: int, which: str) -> "DataFrame":  # noqa: ANN401 - a relation
    """How many rows each query has."""
    counts = nw.to_native(part).groupBy("query").agg(sql.expr("count(1) AS `rows`"))
    return _tagged(counts, GIVEN, {which: "rows"}, number)


def _listed(source: Source, kind: int) -> "DataFrame":
    """Rows with lists, as they are; rows of one document each become such."""
    frame = source.frame
    inner = [name for name in ("document", source.value, "subtopic") if name in source.names]
    if not source.listed:
        gathered = sql.collect_list(sql.struct(*inner))
        grouped = frame.groupBy("query").agg(gathered.alias("rows"))
        frame = grouped.select("query", *(sql.col("rows").getField(name).alias(name) for name in inner))
    return _lists(frame, kind, {"value" if name == source.value else name: name for name in inner})


def _lists(frame: "DataFrame", kind: int, columns: Mapping[str, str]) -> "DataFrame":
    """Rows with lists, those that are not said null."""
    kinds = {"document": "", "value": "array<double>", "subtopic": "array<string>"}
    lists = [_cast(columns.get(name), cast, name) for name, cast in kinds.items()]
    return frame.selectExpr("query", f"{kind}Y AS kind", *lists)


def _tagged(frame: "DataFrame", kind: int, columns: Mapping[str, str], ordering: int = 0) -> "DataFrame":
    """Rows with all columns, those that are not said null."""
    tags = (f"{kind}Y AS kind", f"{ordering}Y AS ordering")
    return frame.selectExpr("query", *tags, *(_cast(columns.get(name), cast, name) for name, cast in _COLUMNS.items()))


def _cast(told: str | None, kind: str, name: str) -> str:
    """A column, or what an expression that is no mere name tells, under one of our names; null without either."""
    column = "NULL" if told is None else f"`{told}`" if told.isidentifier() else told
    return f"CAST({column} AS {kind}) AS `{name}`" if kind else f"{column} AS `{name}`"


def _together(parts: "Sequence[DataFrame]", *, parted: bool = False) -> "DataFrame":
    """All rows, those of a query together.

    They are parted by a hash of their queries, which no other part of the plan is: where all parts are parted by query
    already, Spark leaves a repartition by query out, and adaptive execution may part them otherwise after all.

    Args:
        parts: some rows each.
        parted: whether each part ends with windows over queries, so that a single one stays as it is.

    """
    first, *others = parts
    for other in others:
        first = first.unionAll(other)
    if others or not parted:
        first = first.repartition(sql.xxhash64("query"))
    return first.sortWithinPartitions("query")
