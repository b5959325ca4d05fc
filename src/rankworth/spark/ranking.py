"""Ranks of documents, by windows of Spark: rows for workers, those of a query together; nothing is run.

Run and judgements are sent by query, once, and stay there. Windows rank the documents; then those go that no measure
looks at. Expressions are written as Spark's SQL, of which one call takes a whole list.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import narwhals as nw
from pyspark.sql import functions as sql

from rankworth.io.duplicates import COUNTED
from rankworth.io.reading import Blank, Lists
from rankworth.judging import relational
from rankworth.settings import Ordering
from rankworth.spark.columns import Source
from rankworth.spark.errors import failure

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

MET: Final = 0
"""a document of the run, a judgement, or both in one"""
JUDGED: Final = 1
"""a query with a list of judgements"""
LISTED: Final = 2
"""a query with a list of documents"""
GIVEN: Final = 3
"""how many documents a query had before some were left out"""
ASKED: Final = 4
"""a query that is to be evaluated"""
PLACED: Final = 5
"""a position that several documents of a query have, which is an error where positions decide"""
RISING: Final = 7
"""a query with a list whose scores contradict its order"""
BLANK: Final = 8
"""how many judgements of a query have no grade"""
PARTED: Final = 6
"""a query with several lists, which is one where their order decides"""
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
_LISTS: Final = {"document": "", "value": "array<double>", "subtopic": "array<string>"}
_OF_RUN: Final = {"score": "DOUBLE", "rank": "DOUBLE", "position": "DOUBLE"}
_OF_QRELS: Final = {"grade": "DOUBLE", "out": "BOOLEAN", "subtopic": "STRING"}
_ALL: Final = "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING"
_UPWARDS: Final = "RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"
_THERE: Final = "count(CASE WHEN times > 0 THEN 1 END)"


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

    orderings: tuple[Ordering, ...]
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
            parts.append(_tagged(sides.asked, ASKED, {}, kinds=_LISTS))
        if sides.blanks is not None:
            parts.append(_tagged(sides.blanks, BLANK, {"value": "array(`rows`)"}, kinds=_LISTS))
        return _together(parts)
    parts = [] if sides.asked is None else [_tagged(sides.asked, ASKED, {})]
    if sides.blanks is not None:
        parts.append(_tagged(sides.blanks, BLANK, {"rows": "rows"}))
    orderings = [one.settled(Lists() if sides.run.listed else None) for one in wanted.orderings]
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
    qrels = sides.qrels.frame
    if sides.excluded is not None:
        out = sides.excluded.select("query", "document").distinct().withColumn("out", sql.lit(True))
        qrels = qrels.join(out, ["query", "document"], "left")
    placed = _placed(_met(once, qrels, folded=folded), ordering, full=wanted.full)
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
        lacking: DataFrame = nw.to_native(given).where(_odd(ordering))
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
    return _tagged(frame, kind, {"value" if name == source.value else name: name for name in inner}, kinds=_LISTS)


def _tagged(
    frame: "DataFrame", kind: int, columns: Mapping[str, str], ordering: int = 0, kinds: Mapping[str, str] = _COLUMNS
) -> "DataFrame":
    """Rows with all columns, those that are not said null."""
    tags = (f"{kind}Y AS kind", f"{ordering}Y AS ordering")
    return frame.selectExpr("query", *tags, *(_cast(columns.get(name), cast, name) for name, cast in kinds.items()))


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


def _met(run: "DataFrame", qrels: "DataFrame", *, folded: bool) -> "DataFrame":
    """Documents of the run and judgements by query, with what both sides tell and null for what they do not.

    Besides there are `known`, whether the document is judged for the query; `times`, how many rows the run has of it,
    0 where a row is of judgements alone; and `judged`, of how many judgements the row is.

    Args:
        run: `query, document, score`, maybe `rank` and `position`.
        qrels: `query, document, grade`, maybe `out` and `subtopic`.
        folded: whether all rows of a document become one; otherwise each stays, those of the run and of judgements.

    """
    names = [name for name in (*_OF_RUN, *_OF_QRELS) if name in {*run.columns, *qrels.columns}]
    both = _side(run, names, of_run=1).unionAll(_side(qrels, names, of_run=0)).repartition("query")
    if folded:
        told = [f"max(`{name}`) AS `{name}`" for name in names]
        told += ["sum(of_run) AS times", "sum(1L - of_run) AS judged"]
        return both.groupBy("query", "document").agg(*map(sql.expr, told)).selectExpr("*", "judged > 0 AS known")
    pair = "OVER (PARTITION BY query, document)"
    columns = ["query", "document", *(f"`{name}`" for name in names), "1L - of_run AS judged"]
    return both.selectExpr(*columns, f"of_run * sum(of_run) {pair} AS times", f"min(of_run) {pair} = 0 AS known")


def _side(frame: "DataFrame", names: list[str], *, of_run: int) -> "DataFrame":
    """The rows of one side, with all columns."""
    there = {*frame.columns}
    kinds: Mapping[str, str] = {**_OF_RUN, **_OF_QRELS}
    told = [f"CAST({f'`{name}`' if name in there else 'NULL'} AS {kinds[name]}) AS `{name}`" for name in names]
    return frame.selectExpr("query", "document", *told, f"{of_run}L AS of_run")


def _placed(rows: "DataFrame", ordering: Ordering, *, full: bool) -> "DataFrame":
    """Rows with `rank, first, last, rows`: of the document, of its group of equal scores, and of its query.

    All rows are sorted once, by query and score, and windows with frames by rows and by range tell the rest. Then rows
    go that nobody asks for, before ids are looked at, which only those do whose group of equal scores holds a judged
    document. What is judged alone comes last in each query, and its ranks mean nothing.

    Args:
        rows: as `_met` gives them.
        ordering: what orders them.
        full: whether unjudged documents are wanted, too; the first row of each query and odd ones always are.

    """
    same = [f"`{name}`" for name in rows.columns if name not in ("rank", "position")]
    odd_or_first = f"{_odd(ordering)} OR known OR number = 1 OR times > 1"
    wanted = "true" if full else f"judged > 0 OR (times > 0 AND ({odd_or_first}))"
    if ordering.order != "score":
        return _in_order(rows, same, "`rank`" if ordering.order == "rank" else "position").where(wanted)
    score = "CAST(CAST(score AS FLOAT) AS DOUBLE)" if ordering.score_type == "float32" else "score"
    breaker = "position" if ordering.ties in ("given", "given-reversed") else "document"
    upside = ordering.ties in ("id-ascending", "given")
    key = f"CASE WHEN times > 0 THEN 0.0D - {score} END AS key"
    order = "PARTITION BY query ORDER BY key NULLS LAST"
    placed = rows.selectExpr(*same, f"{breaker} AS breaker", key).selectExpr(
        *(*same, "breaker", f"row_number() OVER ({order}) AS number", f"rank() OVER ({order}) AS `first`"),
        f"count(1) OVER ({order} {_UPWARDS}) AS `last`",
        f"{_THERE} OVER ({order} {_ALL}) AS `rows`",
    )
    tied = "times > 0 AND `last` > `first`"
    asked = tied if full else f"{tied} AND max(known) OVER (PARTITION BY query, `first`)"
    text = "CAST(breaker AS STRING)" if breaker == "document" else "breaker"
    grouped = placed.where(f"{wanted} OR ({tied})").selectExpr(
        *same, "number", "`first`", "`last`", "`rows`", f"CASE WHEN {asked} THEN {text} END AS breaker"
    )
    within = "row_number() OVER (PARTITION BY query, `first` ORDER BY breaker)"
    rank = f"`first` + {within} - 1" if upside else f"`last` - {within} + 1"
    return grouped.selectExpr(*same, "number", "`first`", "`last`", "`rows`", f"{rank} AS `rank`").where(wanted)


def _in_order(rows: "DataFrame", same: list[str], by: str) -> "DataFrame":
    """Rows ranked by a column; whether ranks are whole numbers is seen by workers."""
    order = f"PARTITION BY query ORDER BY {by} NULLS LAST"
    told = [f"row_number() OVER ({order}) AS number", f"{_THERE} OVER ({order} {_ALL}) AS `rows`"]
    placed = rows.selectExpr(*same, f"{by} AS `rank`", *told)
    rank = "number" if by == "position" else "`rank`"
    ends = ("CAST(NULL AS BIGINT) AS `first`", "CAST(NULL AS BIGINT) AS `last`")
    return placed.selectExpr(*same, "number", *ends, "`rows`", f"{rank} AS `rank`")


def by_position(ordering: Ordering) -> bool:
    """Whether the order decides in which documents of a query were given."""
    ties = ordering.order == "score" and ordering.ties in ("given", "given-reversed")
    return ordering.order == "given" or ties or ordering.duplicates in ("first", "last")


def _odd(ordering: Ordering) -> str:
    """Whether a row lacks something, or its score is no number; or its rank, where that decides."""
    numbers = ["score", *(["`rank`"] if ordering.order == "rank" else [])]
    lacking = [f"{name} IS NULL" for name in ("query", "document", *numbers)]
    return " OR ".join([*lacking, *(f"isnan({number})" for number in numbers)])
