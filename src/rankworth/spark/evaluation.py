"""Evaluation of frames of Spark: a lazy frame of values, and its means; nothing runs before somebody wants rows."""

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final, Unpack, cast

import polars as pl
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as sql

from rankworth import support
from rankworth.errors import InputError, MeasureError, RankworthWarning, UsageError
from rankworth.evaluation.runner import DEFAULT_MEASURES, Measures, planned
from rankworth.groups import SeparateGroups
from rankworth.io import grade_words, validate
from rankworth.io.facts import Lists
from rankworth.io.options import Blank
from rankworth.judging.exclusion import SELF, Exclusion
from rankworth.judging.order import refuse_unordered
from rankworth.judging.overlap import nothing_in_common
from rankworth.judging.ranking import Ordering
from rankworth.measures import TextFact
from rankworth.measures.facts import RUNID
from rankworth.profiles import DEFAULT, Profile, ReadSettings, ResolvedMeasure
from rankworth.scoring import inputs
from rankworth.scoring.plans import Plan
from rankworth.settings import Judging
from rankworth.spark.means import SCHEMA, Aggregates, Means
from rankworth.spark.sources import SparkSource, quoted, rows_together, source, translated
from rankworth.spark.workers import Blocks, MeasureRows, QueryRows

if TYPE_CHECKING:

    class PerQuery(DataFrame):
        """A frame of Spark that has `mean()`, too."""

        def mean(self) -> Means:
            """Average over all queries, as `Job.mean` does."""


_SOME: Final = 1000
"""how many queries of either side are looked at where none meet"""
_NAMES: Final = {"score": "the run", "grade": "the judgements"}
_PAIRS: Final = "the excluded pairs"


def evaluate(
    qrels: DataFrame,
    run: DataFrame,
    measures: Measures = DEFAULT_MEASURES,
    *,
    queries: Iterable[object] | DataFrame | None = None,
    rel: float | None = None,
    profile: str | Profile = DEFAULT,
    table: object = None,
    by: object = None,
    **settings: Unpack[ReadSettings],
) -> "PerQuery":
    """Evaluate a run against judgements, query by query, as a lazy frame of Spark.

    Args:
        qrels: judgements: a row for each, `query, document, grade` and maybe `subtopic`; or one for each query, with
            `array<id>` (all of grade 1), two arrays, or `array<struct<id, grade>>`.
        run: a row for each document, `query, document, score`, and maybe `rank` and `position`; or one for each query,
            with `array<id>`, best first, two arrays, or `array<struct<id, score>>`.
        measures: as for `rankworth.evaluate`.
        queries: the queries to evaluate: their ids, or a frame of which a column holds them; all judged ones where not
            said.
        rel: as for `rankworth.evaluate`.
        profile: as for `rankworth.evaluate`.
        table: as for `rankworth.evaluate`; it goes to every worker.
        by: as for `rankworth.evaluate`.
        **settings: as for `rankworth.evaluate`. Those that ask in which order rows came need a column `position`;
            `exclude` may be a frame, too.

    Returns:
        A frame of Spark: `query`, of the type that ids have in both frames, otherwise text; `group` where groups were
        asked for; a column for each measure, null where a query has no value by it. Its `mean()` gives the means.

    Raises:
        InputError: `frame-columns`, `id-type`, `bad-score`, `bad-grade`, as the schemas tell. What is wrong with rows
            is told when they are looked at.
        MeasureError: as `rankworth.evaluate`; `conflicting-options` for names that differ in case only, which are one
            column to Spark.
        UsageError: `unknown-setting`, `input-type`, `missing-library`.

    """
    frames: list[tuple[object, str]] = [(qrels, "grade"), (run, "score")]
    for frame, value in frames:
        if not isinstance(frame, DataFrame):
            text = f"{_NAMES[value]}: {type(frame).__name__} is no DataFrame of Spark"
            remedy = "spark.createDataFrame(...) or spark.read.parquet(...) makes one"
            raise UsageError("input-type", text, remedy=remedy)
    exclude: Any = settings.get("exclude")
    if isinstance(exclude, DataFrame):
        settings = {**settings, "exclude": Exclusion("pairs")}
    options = inputs.InputOptions(settings)
    if options.grades:
        text = f"grades={options.grades!r}: judgements on Spark have numbers for grades"
        remedy = f"rankworth convert QRELS numbers.parquet {grade_words.option((), options.grades).partition(',')[0]}"
        raise UsageError("unknown-setting", text, remedy=f"put numbers in place of words, as in {remedy}")
    if (rule := options.ids.runs or options.ids.qrels) is not None:
        text = f"{rule.typed}: documents are not renamed on Spark"
        remedy = "put the new ids into the frame: functions.substring_index('document', '#', 1)"
        raise UsageError("unfollowed-setting", text, remedy=remedy)
    plan = planned(profile, measures, rel, settings, table=table, by=by)
    pairs = source(exclude, "grade", _PAIRS).pairs() if isinstance(exclude, DataFrame) else _of_pairs(run, plan)
    resolved = [replace(measure, data=measure.data.bare) for measure in plan.measures]  # workers get pairs with rows
    plan = replace(plan, measures=resolved, profile=replace(plan.profile, data=plan.profile.data.bare))
    of_qrels, of_run = options.split([qrels], [run])
    judged = source(qrels, "grade", _NAMES["grade"], of_qrels)
    ranked = source(run, "score", _NAMES["score"], of_run)
    _refuse(plan, ranked)
    elsewhere = any(measure.quantity.definition.elsewhere for measure in plan.measures)
    ordered = any(_by_position(measure.judging, ranked) for measure in plan.measures)
    wanted = None if queries is None else _wanted(run, queries)
    anywhere = partial(_judged_somewhere, pairs, plan) if elsewhere else None
    together = rows_together(judged, ranked, pairs, wanted, anywhere)
    blank = options.blank or "unjudged"
    blocks = Blocks(_of_queries(plan), judged.side, ranked.side, blank, elsewhere, ordered)
    is_whole = together.schema["query"].dataType.simpleString() == "bigint"
    texts = [
        measure for measure in plan.measures if isinstance(measure.quantity, TextFact) and measure.quantity != RUNID
    ]
    shown = [measure for measure in plan.measures if not isinstance(measure.quantity, TextFact)] + texts
    names = [("query", "bigint" if is_whole else "string"), *([("group", "string")] if plan.by is not None else [])]
    names += [(measure.label, "string" if isinstance(measure.quantity, TextFact) else "double") for measure in shown]
    _refuse_alike(run, [name for name, _ in names])
    schema = ", ".join(f"{quoted(name)} {kind}" for name, kind in names)
    answer = together.mapInArrow(QueryRows(blocks, is_whole, [measure.label for measure in shown], plan.by), schema)
    vars(answer)["mean"] = Job(plan, blocks, together, judged, ranked, blank, restricted=queries is not None).mean
    return cast("PerQuery", answer)


def _by_position(judging: Judging, run: SparkSource) -> bool:
    """Return whether the order in which documents of a query were given decides."""
    ordering = Ordering.of(judging).settled(Lists() if run.side.listed else None)
    if ordering.order == "rank" and not (run.side.listed or run.has_ranks):  # scores make the ranks
        return True
    ties = ordering.order == "score" and ordering.ties in ("given", "given-reversed")
    return ordering.order == "given" or ties or ordering.duplicates in ("first", "last")


def _judged_somewhere(pairs: DataFrame | None, plan: Plan, judged: SparkSource) -> DataFrame:
    """Return `document`, text: the documents that are judged for some query."""
    of_both = all(measure.judging.exclude_from == "both" for measure in plan.measures)
    pairs_left = judged.pairs().withColumn("query", sql.col("query").cast("string"))
    if of_both and pairs is not None:
        pairs_left = pairs_left.join(pairs, ["query", "document"], "left_anti")
    elif of_both and plan.exclude is not None:
        pairs_left = pairs_left.where("query <> document")
    return pairs_left.select("document").distinct()


def _of_queries(plan: Plan) -> Plan:
    """Return the plan of workers, without settings about all queries together, which are applied last."""

    def without(part: Profile | ResolvedMeasure) -> dict[str, Any]:
        averaging = replace(part.averaging, no_queries="nan", round_means=None)
        return {"averaging": averaging, "data": replace(part.data, weights=None, macro=None)}

    measures = [replace(measure, **without(measure)) for measure in plan.measures]
    profile = replace(plan.profile, **without(plan.profile))  # by which scored queries are counted
    return replace(plan, measures=measures, by=None, profile=profile)


def _refuse(plan: Plan, run: SparkSource) -> None:
    """Refuse settings for which something is missing.

    Raises:
        UsageError: `unfollowed-setting`.
        MeasureError: `conflicting-options`.

    """
    if isinstance(plan.by, SeparateGroups):
        text = f"by={plan.by.name!r}: Spark shows the groups of one column, or of several that are crossed"
        raise UsageError("unknown-setting", text, remedy="evaluate by each column in a call of its own")
    for measure in plan.measures:
        if measure.quantity.averaging in ("median", "micro"):
            text = f"{measure.label} is a median or a pooled mean over queries, and Spark adds up means of values"
            raise MeasureError("bad-definition", text, remedy="leave it out, or evaluate without Spark")
        by_rank = measure.judging.order == "rank" and run.has_ranks
        refuse_unordered(measure.judging, ranked=run.side.listed or by_rank or "position" in run.frame.columns)
        but = ("no_relevant_counts",) if measure.data.weights is None else ()  # it means nothing without weights
        support.refuse(
            "frames of Spark", measure.judging, measure.averaging, measure.data, label=measure.label, but=but
        )
    groups = {measure.data.macro for measure in plan.measures} - {None}
    if plan.by is not None and groups:
        text = "by and macro are two ways to have groups, and Spark takes one"
        raise MeasureError("conflicting-options", text, remedy="leave one of them out")


def _refuse_alike(frame: DataFrame, names: Sequence[str]) -> None:
    """Refuse columns with names that differ in case only, if Spark treats them as equal.

    Raises:
        MeasureError: `conflicting-options`.

    """
    if frame.sparkSession.conf.get("spark.sql.caseSensitive") == "true":
        return
    groups = [[*group] for _, group in groupby(sorted(names, key=str.casefold), str.casefold)]
    clashes = [" and ".join(group) for group in groups if len(group) > 1]
    if clashes:
        texts = [f"{names} differ in case only, and to Spark they are one column" for names in clashes]
        remedy = 'ask for one of them, or spark.conf.set("spark.sql.caseSensitive", "true")'
        raise MeasureError("conflicting-options", *texts, remedy=remedy)


def _wanted(frame: DataFrame, queries: Iterable[object] | DataFrame) -> DataFrame:
    """Return a frame of the queries that are to be evaluated.

    Raises:
        InputError: `input-type`, `empty-input`.

    """
    if isinstance(queries, DataFrame):
        name = "query" if "query" in queries.columns else queries.columns[0]
        return queries.select(sql.col(quoted(name)).cast("string").alias("query"))
    texts = validate.ids(queries)
    if not texts:
        raise InputError("empty-input", "the list of queries to keep is empty")
    return frame.sparkSession.createDataFrame(pa.table({"query": pa.array(texts, pa.string())}))


def _of_pairs(frame: DataFrame, plan: Plan) -> DataFrame | None:
    """Return the excluded pairs, which are in this process, as a frame of Spark; None for `self` and for no pairs.

    Raises:
        UsageError: `unknown-setting`.

    """
    exclude = plan.exclude
    if exclude is None or exclude.label == SELF:
        return None
    pairs = exclude.required_pairs.to_frame().select(pl.col("query", "document").cast(pl.String))
    return frame.sparkSession.createDataFrame(pairs.to_arrow(compat_level=pl.CompatLevel.oldest()))


@dataclass(frozen=True)
class Job:
    """What stands behind the values, and has not run.

    Attributes:
        plan: what is asked for.
        blocks: what measures rows.
        rows: the rows.
        qrels: the judgements.
        run: the run.
        blank: what a judgement without a grade means.
        restricted: whether queries were asked for.

    """

    plan: Plan
    blocks: Blocks
    rows: DataFrame
    qrels: SparkSource
    run: SparkSource
    blank: Blank
    restricted: bool

    def mean(self) -> Means:
        """Average over all queries in Spark; a row for each measure and group comes to the driver.

        Raises:
            InputError: `no-common-queries`, `empty-input`, and whatever is wrong with rows.
            MeasureError: `no-measures`.
            RefusedError: where a setting refuses.

        """
        numbers = [measure for measure in self.plan.measures if not isinstance(measure.quantity, TextFact)]
        if not numbers:
            raise MeasureError("no-measures", "texts have no mean", remedy="ask for a measure beside them: nDCG@10")
        weights, macro = numbers[0].data.weights, numbers[0].data.macro
        groups = self.plan.by if self.plan.by is not None else macro
        rows = self.rows.mapInArrow(MeasureRows(self.blocks, weights, groups, everyone=macro is not None), SCHEMA)
        with translated():
            sums = Aggregates.of(rows, len(numbers), grouped=groups is not None)
        try:
            means = Means.of(sums, self.plan, lists=self.run.side.listed, blank=self.blank, restricted=self.restricted)
        except InputError as error:
            if error.slug != "no-common-queries":
                raise
            judged, ranked = (_queries(side.frame) for side in (self.qrels, self.run))
            raise nothing_in_common(judged, ranked) from None
        for notice in means.notices:
            warnings.warn(RankworthWarning(notice.slug, notice.text), stacklevel=2)
        return means


def _queries(frame: DataFrame) -> list[str]:
    """Return a few ids of queries in a frame, for a message."""
    with translated():
        return sorted(row[0] for row in frame.selectExpr("string(query)").distinct().limit(_SOME).collect() if row[0])
