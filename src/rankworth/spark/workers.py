"""Workers: rows of whole queries become values, a block of queries at a time, and these become columns."""

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

import numpy as np
import polars as pl
import pyarrow as pa

from rankworth.arrays import Floats
from rankworth.errors import InputError, RankworthError, quoted
from rankworth.groups import Groups, Weights
from rankworth.io import frames
from rankworth.io.facts import Observed
from rankworth.io.options import Blank, Blanks
from rankworth.judging.exclusion import SELF, Exclusion
from rankworth.model import Run
from rankworth.results.values import PerQuery, Values, details, values_of
from rankworth.scoring.columns import Column, additive
from rankworth.scoring.evaluator import evaluate_run
from rankworth.scoring.inputs import Judgements
from rankworth.scoring.plans import Plan
from rankworth.spark.sources import ELSEWHERE, PAIR, WANTED, SideNames

_NUMBERS: Final = (
    (re.compile(r" \(first in row [\d,]+\)|(?<=: )row [\d,]+: "), ""),
    (re.compile(r"\brow [\d,]*\d"), "a row"),
    (re.compile(r"in [\d,]+ quer(y|ies)( of [\d,]+)?(?= the scores)"), "in some queries"),
    (re.compile(r"[\d,]+ judgements? (has|have) no grade; the first is that"), "a judgement has no grade: that"),
)
"""numbers of rows and queries in messages, and what stands instead of those of a block"""
_BYTES: Final = 1 << 25
"""how large a block is, at the least; a larger one where a query is"""
STAND_IN: Final = "\ufffd rankworth \ufffd-0"
"""a query with a judged document, in blocks that have no other such; it is left out of all that is told"""
_DOCUMENT: Final = "\ufffd"
"""its document"""
_ABSENT: Final = ("no-common-queries", "empty-input")
"""errors of a run that are none of a block"""


class Block(NamedTuple):
    """What is known of some queries.

    Attributes:
        values: of their measures; None where no query is judged, and others do not count.
        ignored: how many queries nobody judged.
        blanks: how many judgements have no grade.

    """

    values: Values | None
    ignored: int
    blanks: int = 0


@dataclass(frozen=True)
class Blocks:
    """Measures blocks of rows.

    Attributes:
        plan: what is asked for.
        qrels: how judgements stand in the rows.
        run: how the run does.
        blank: what a judgement without a grade means.
        elsewhere: whether rows tell which documents are judged for some query.
        ordered: whether the order decides in which documents of a query were given.

    """

    plan: Plan
    qrels: SideNames
    run: SideNames
    blank: Blank
    elsewhere: bool
    ordered: bool

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[Block]:
        """Yield what is known of the queries of a partition, block by block.

        Raises:
            RankworthError: as `rankworth.evaluate` does.

        """
        for rows in whole_queries(batches):
            try:
                yield self._block(rows)
            except RankworthError as error:
                raise self.plan.profile.reworded(_without_numbers(error)) from None

    def _block(self, rows: pl.DataFrame) -> Block:
        observed, run = Observed(), self._run(rows)
        judged = Blanks(self.blank).settle(self._judged(rows), self.qrels.name, observed)
        blanks = observed.facts.blanks
        _refuse_unjudged(rows, judged)
        if not judged.height and all(measure.averaging.extra == "ignore" for measure in self.plan.measures):
            return Block(None, 0 if run is None else len(run.queries()), blanks)
        plan = self._with_pairs(rows)
        elsewhere = rows.filter(kind=ELSEWHERE)["document"].unique().to_list() if self.elsewhere else []
        if judged.height and run is not None and not elsewhere:
            try:
                return self._measured(judged, run, plan, blanks)
            except InputError as error:
                if error.slug not in _ABSENT:
                    raise
        judged, run = _with_stand_in(judged, [_DOCUMENT, *elsewhere]), _answered(run)
        return self._measured(judged, run, plan, blanks)

    def _judged(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Return the judgements, maybe without a row."""
        judgement_rows = self.qrels.rows(rows)
        if not judgement_rows.height:
            return pl.DataFrame(schema={"query": pl.String, "document": pl.String, "grade": pl.Float64})
        return frames.read(judgement_rows, "grade", self.qrels.name, self.qrels.columns)

    def _run(self, rows: pl.DataFrame) -> Run | None:
        """Return the run; None where it has no document.

        Raises:
            InputError: `duplicate-document`, `missing-value`, `bad-score`.

        """
        run_rows = rows.filter(kind=self.run.value)
        if self.ordered and self.run.listed:
            _refuse_parted(run_rows, self.run)
        elif self.ordered:
            _refuse_placed(run_rows)
            run_rows = run_rows.sort("query", "position", maintain_order=True)
        try:
            return Run(self.run.rows(run_rows), columns=self.run.columns)
        except InputError as error:
            if error.slug != "empty-input":
                raise
            return None

    def _measured(self, judged: pl.DataFrame, run: Run, plan: Plan, blanks: int) -> Block:
        judgements = Judgements(judged, None, [measure.judging for measure in plan.measures], may_exclude_all=True)
        values = values_of(evaluate_run(judgements, run, [plan]), plan, with_notices=False)
        return Block(values, values.counts.ignored, blanks)

    def _with_pairs(self, rows: pl.DataFrame) -> Plan:
        """Return the plan with those pairs that are excluded in this block."""
        exclude = self.plan.exclude
        if exclude is None or exclude.label == SELF:
            return self.plan
        pairs = _with_text_ids(rows.filter(pl.col("query").is_not_null(), kind=PAIR).select("query", "document"))
        excluded = Exclusion(exclude.label, Exclusion.of(pairs).pairs) if pairs.height else None
        measures = [replace(measure, data=replace(measure.data, exclude=excluded)) for measure in self.plan.measures]
        return replace(self.plan, measures=measures)


def _with_stand_in(judged: pl.DataFrame, documents: list[str]) -> pl.DataFrame:
    """Add the judgements of the query that stands in."""
    more = pl.DataFrame({"document": documents}).select(
        pl.lit(STAND_IN).alias("query"), "document", pl.lit(1.0).alias("grade"), pl.lit("1").alias("subtopic")
    )
    return pl.concat([_with_text_ids(judged), more.select(judged.columns)])


def _answered(run: Run | None) -> Run:
    """Add a document for the query that stands in to a run."""
    row = pl.DataFrame({"query": [STAND_IN], "document": [_DOCUMENT], "score": [1.0], "rank": [1.0]})
    if run is None:
        return Run(row)
    ranked = run.by_rank() or run
    rows = pl.concat(list(ranked.batches(ranks=True)))
    return run.holding(pl.concat([rows, row.select(rows.columns)]))


def _refuse_unjudged(rows: pl.DataFrame, judged: pl.DataFrame) -> None:
    """Refuse queries that were asked for and have no judgements.

    Raises:
        InputError: `unjudged-queries`.

    """
    wanted = rows.filter(kind=WANTED)["query"].cast(pl.String)
    without = wanted.filter(~wanted.is_in(judged["query"].cast(pl.String).unique().implode()))
    if len(without):
        text = f"queries asked for are not judged: {quoted(sorted(without))}"
        raise InputError("unjudged-queries", text, remedy="leave out the queries without judgements")


def _refuse_parted(rows: pl.DataFrame, run: SideNames) -> None:
    """Refuse several lists of one query, whose order is not known.

    Raises:
        InputError: `duplicate-document`.

    """
    queries = rows.filter(pl.col(run.value + run.document).list.len() > 0)["query"]
    if queries.is_duplicated().any():
        repeated = sorted(queries.filter(queries.is_duplicated()).cast(pl.String).unique())
        text = f"the run: {quoted(repeated)}: a query has a list again, so its order is not known"
        remedy = "put all documents of a query into one list, or let scores decide"
        raise InputError("duplicate-document", text, remedy=remedy)


def _refuse_placed(rows: pl.DataFrame) -> None:
    """Refuse positions that several documents of a query have, or none.

    Raises:
        InputError: `missing-value`, `duplicate-document`.

    """
    lacking = rows.filter(pl.col("position").is_null() | pl.col("position").is_nan())
    if lacking.height:
        text = f"the run: query {quoted([str(lacking['query'][0])])}: a row has no position"
        raise InputError("missing-value", text, remedy="drop or fill such rows")
    repeated = rows.group_by("query", "position").len().filter(pl.col("len") > 1)
    if repeated.height:
        query, position, times = repeated.row(0)
        text = f"the run: query {quoted([str(query)])} has {times:,} documents at the position {position:g}"
        raise InputError("duplicate-document", text, remedy="number the rows of a query one by one")


def _without_numbers(error: RankworthError) -> RankworthError:
    """Remove numbers of rows and queries from an error: they count within one block."""
    if type(error) is not InputError:
        return error
    texts = list(error.problems)
    for number, text in _NUMBERS:
        texts = [number.sub(text, problem) for problem in texts]
    return InputError(error.slug, *texts, slugs=error.slugs, more=error.more, remedy=error.remedy)


def whole_queries(batches: Iterable[pa.RecordBatch]) -> Iterator[pl.DataFrame]:
    """Yield rows of whole queries, many of them at a time.

    Args:
        batches: rows, those of a query together.

    """
    parts: list[pl.DataFrame] = []
    size, enough = 0, _BYTES
    for batch in batches:
        if not batch.num_rows:
            continue
        parts.append(pl.DataFrame(pa.Table.from_batches([batch])))
        size += batch.nbytes
        if size < enough:
            continue
        rows = pl.concat(parts)
        begun = rows["query"].ne_missing(rows["query"][-1]).arg_true()
        if not len(begun):  # one query, which goes on
            parts, enough = [rows], 2 * size
            continue
        start = int(begun[-1]) + 1
        yield rows[:start]
        parts, size, enough = [rows[start:]], int(rows[start:].estimated_size()), _BYTES
    if parts:
        yield pl.concat(parts)


def _with_text_ids(rows: pl.DataFrame) -> pl.DataFrame:
    """Convert ids to text."""
    return rows.with_columns(pl.col("query", "document").cast(pl.String))


@dataclass(frozen=True)
class QueryRows:
    """Gives a row for each query.

    Attributes:
        blocks: what measures them.
        is_whole: whether ids of queries are integers.
        labels: the names of the measures, in their order.
        groups: that are shown.

    """

    blocks: Blocks
    is_whole: bool
    labels: Sequence[str]
    groups: Groups | None = None

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield the values of the queries of a partition."""
        for block in self.blocks(batches):
            if block.values is None:
                continue
            values = block.values.per_query
            is_asked = np.array([query != STAND_IN for query in values.ids], dtype=bool)
            if is_asked.any():
                yield from self._table(values, is_asked).to_batches()

    def _table(self, values: PerQuery, selected: "np.ndarray[tuple[int], np.dtype[np.bool_]]") -> pa.Table:
        queries = pl.Series("query", values.ids, dtype=pl.String).filter(pl.Series(selected))
        ids, kind = (queries.cast(pl.Int64), pa.int64()) if self.is_whole else (queries, pa.string())
        columns = {"query": ids.to_arrow().cast(kind)}
        if self.groups is not None:
            columns["group"] = pa.array(self.groups.labels(queries.to_list()), pa.string())
        is_listed = np.ones(values.array.shape, dtype=bool) if values.there is None else values.there
        for name in self.labels:
            if name in values.texts:
                columns[name] = pa.array(np.array(values.texts[name], dtype=object)[selected], pa.string())
            else:
                column_index = values.measures.index(name)
                columns[name] = pa.array(
                    values.array[selected, column_index], pa.float64(), mask=~is_listed[selected, column_index]
                )
        return pa.table(columns)


@dataclass(frozen=True)
class MeasureRows:
    """Gives a row for each query and measure, as `means.SCHEMA` tells, and counts of each block.

    Attributes:
        blocks: what measures them.
        weights: of queries.
        groups: that are shown, or that count alike.
        everyone: whether every query has to have a group.

    """

    blocks: Blocks
    weights: Weights | None
    groups: Groups | None
    everyone: bool = False

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield the rows of a partition."""
        for block in self.blocks(batches):
            counts = {"ignored": block.ignored, "blanks": block.blanks}
            if block.values is not None:
                counts |= _counts(block.values)
                yield from self._rows(details(block.values).columns)
            numbers = np.array([*counts.values()], dtype=np.float64)
            yield _batch([None] * len(counts), [*counts], numbers, np.ones(len(counts)))

    def _rows(self, columns: Sequence[Column]) -> Iterator[pa.RecordBatch]:
        """Return the rows of a block, measure by measure: one for each query that counts."""
        for measure_index, column in enumerate(columns):
            rows = column.counted
            if STAND_IN in column.queries:
                rows[column.queries.index(STAND_IN)] = False
            names = column.names(rows)
            for setting in (self.weights, self.groups if self.everyone else None):
                if setting is not None:
                    setting.of_all(names, complete=False)
            groups = [None] * len(names) if self.groups is None else self.groups.labels(names)
            weights = column.weights[rows]
            if self.weights is not None and column.link != "sum":
                weights = weights * _scaled(self.weights, names)
            yield _batch([measure_index] * len(names), groups, additive(column.values[rows], column.link), weights)


def _batch(
    measures: Sequence[int | None], groups: Sequence[str | None], values: Floats, weights: Floats
) -> pa.RecordBatch:
    """Return rows as `means.SCHEMA` tells.

    Args:
        measures: the place of each row's measure.
        groups: the groups, or names of counts.
        values: the values.
        weights: how much each counts.

    """
    arrays = [pa.array(measures, pa.int32()), pa.array(groups, pa.string()), pa.array(values), pa.array(weights)]
    return pa.RecordBatch.from_arrays(arrays, ["measure", "group", "value", "weight"])


def _counts(values: Values) -> dict[str, int]:
    """Count the contents of a block by name, without the query that stands in for judged ones."""
    counts = {name: count for name, count in values.counts.numbers.items() if count}
    standing, scored = details(values).base
    answered = standing.answered & standing.judged
    counts["answered"] = int(np.count_nonzero(answered))
    if STAND_IN in standing.queries:
        row = standing.queries.index(STAND_IN)
        for name, flags in (("judged", standing.judged), ("scored", scored), ("answered", answered)):
            counts[name] = counts.get(name, 0) - int(flags[row])
    return counts


def _scaled(weights: Weights, queries: Sequence[str]) -> Floats:
    """Return `[Q]`, the weights of some queries over a power of two, so that no sum overflows."""
    return np.ldexp(weights.array(queries), -math.frexp(max(weights.by_query().values(), default=0.0))[1])
