"""Workers: rows of whole queries become values, a block of queries at a time, and these become columns."""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np
import polars as pl
import pyarrow as pa

from rankworth.arrays import Floats
from rankworth.errors import InputError, RankworthError, quoted
from rankworth.evaluation.aggregation import Column, Mask, additive
from rankworth.evaluation.evaluator import Evaluator, Measured, Plan
from rankworth.evaluation.values import PerQuery
from rankworth.groups import Groups, Weights
from rankworth.io import duplicates
from rankworth.io.reading import Lists
from rankworth.judging.exclusion import SELF, Exclusion
from rankworth.judging.inputs import Judgements
from rankworth.judging.ranked import Ranked, Ranking
from rankworth.judging.ties import whole
from rankworth.model import Qrels, Run
from rankworth.settings import Judging, Ordering
from rankworth.spark.ranking import ASKED, BLANK, GIVEN, JUDGED, LISTED, MET, PARTED, PLACED, RISING, by_position

_SHOWN: Final = 3
_FIRST: Final = re.compile(r" \(first in row [\d,]+\)")
_MANY: Final = re.compile(r"in [\d,]+ quer(y|ies)( of [\d,]+)?(?= the scores)")
_ROW: Final = re.compile(r"\brow [\d,]*\d")


def _refuse(parts: Mapping[int, pl.DataFrame], judged: pl.DataFrame | None) -> None:
    """Refuse a block for rows that would not be there if all were well.

    Args:
        parts: the rows of a block by kind.
        judged: the judgements among them.

    Raises:
        InputError: `unjudged-queries`, `duplicate-document`, `missing-value`.

    """
    if (asked := parts.get(ASKED)) is not None:
        without = asked if judged is None else asked.join(judged, "query", how="anti")
        if without.height:
            text = f"queries asked for are not judged: {quoted(sorted(without['query'].cast(pl.String)))}"
            raise InputError("unjudged-queries", text, remedy="leave out the queries without judgements")
    if (parted := parts.get(PARTED)) is not None:
        raise _parted(_ids(parted)["query"])
    rising = parts.get(RISING)
    if rising is not None and judged is not None:
        rising = rising.join(judged.select(pl.col("query").unique()), "query", how="semi")
        if rising.height:
            raise _rising(sorted(rising["query"].cast(pl.String)))
    if (placed := parts.get(PLACED)) is not None:
        raise _placed(_ids(placed))


def _without_numbers(error: RankworthError) -> RankworthError:
    """The same error without the numbers of rows and queries, which are those of a block and tell nobody anything."""
    if type(error) is not InputError:
        return error
    texts = [_MANY.sub("in some queries", _ROW.sub("a row", _FIRST.sub("", text))) for text in error.problems]
    return InputError(error.slug, *texts, slugs=error.slugs, more=error.more, remedy=error.remedy)


def _refuse_parted(lists: pl.DataFrame) -> None:
    """Refuse several lists of one query, whose order is not known.

    Raises:
        InputError: `duplicate-document`.

    """
    some = lists.filter(pl.col("document").list.len() > 0)
    several = some.filter(pl.col("query").is_duplicated())
    if several.height:
        raise _parted(_ids(several)["query"])


def _refuse_odd(rows: pl.DataFrame) -> None:
    """Refuse documents that lack something, and scores that are no numbers.

    Raises:
        InputError: `missing-value`, `bad-score`.

    """
    lacking = pl.any_horizontal(pl.col("query", "document", "value").is_null())
    odd = rows.filter(lacking | pl.col("value").is_nan())
    if not odd.height:
        return
    holes = odd.select(lacking).to_series().any()
    texts = [
        f"the run: a row lacks something: query {query!r}, document {document!r}, score {score!r}"
        for query, document, score in _ids(odd).head(_SHOWN).select("query", "document", "value").iter_rows()
    ]
    raise InputError("missing-value" if holes else "bad-score", *texts, more=odd.height - len(texts))


def _refuse_twice(rows: pl.DataFrame) -> None:
    """Refuse documents that a query ranks several times.

    Raises:
        InputError: `duplicate-document`.

    """
    twice = _ids(rows.filter(pl.col("times") > 1)).select("query", "document", "times").unique(maintain_order=True)
    if twice.height:
        raise duplicates.counted("the run", twice)


def _refuse_ranks(rows: pl.DataFrame) -> None:
    """Refuse ranks that are none.

    Raises:
        InputError: `missing-value`, `bad-score`.

    """
    bad = _ids(rows.filter(pl.col("rank").is_null()))
    for query, document in bad.select("query", "document").iter_rows():
        text = f"the run: a row has no rank: query {quoted([query])}, document {quoted([document])}"
        raise InputError("missing-value", text, remedy="drop or fill such rows")
    whole(rows["rank"].to_numpy())


def _ids(rows: pl.DataFrame) -> pl.DataFrame:
    """Rows in the order of their ids, which are text."""
    ids = pl.col("query", "document") if rows["document"].dtype != pl.List else pl.col("query")
    return rows.with_columns(ids.cast(pl.String)).sort("query", "document")


def _parted(queries: pl.Series) -> InputError:
    """The error for queries with several lists."""
    text = f"the run: {quoted(dict.fromkeys(queries))}: a query has a list again, so its order is not known"
    return InputError(
        "duplicate-document", text, remedy="put all documents of a query into one list, or let scores decide"
    )


def _rising(queries: list[str]) -> InputError:
    """The error for lists whose scores contradict their order."""
    text = f"the run: the scores contradict the order of the list of {quoted(queries)}"
    remedy = 'order="given" takes lists as they stand, order="score" sorts them by score'
    return InputError("ambiguous-order", text, remedy=remedy)


def _placed(rows: pl.DataFrame) -> InputError:
    """The error for positions that several documents have, or none."""
    query, position, times = next(rows.select("query", "value", "rows").iter_rows())
    if position is None or position != position:  # noqa: PLR0124 - NaN is not equal to itself
        text = f"the run: query {quoted([query])}: a row has no position"
        return InputError("missing-value", text, remedy="drop or fill such rows")
    text = f"the run: query {quoted([query])} has {times:,} documents at the position {position:g}"
    return InputError("duplicate-document", text, remedy="number the rows of a query one by one")


_BYTES: Final = 1 << 25
"""how large a block is, at the least; a larger one where a query is"""
STAND_IN: Final = "\ufffd rankworth \ufffd-0"
"""a judged query beside queries that nobody judged, where these have values; it is not theirs"""
_NO_ROWS: Final = pl.DataFrame(
    schema={
        **dict.fromkeys(("query", "document"), pl.String()),
        **dict.fromkeys(("rank", "first", "last"), pl.Int64()),
        "positive": pl.Boolean(),
    }
)


@dataclass(frozen=True)
class Block:
    """What is known of some queries.

    Attributes:
        measured: their values; None where no query is judged, and others do not count.
        ignored: how many queries nobody judged.

    """

    measured: Measured | None
    ignored: int
    blanks: int = 0
    """how many judgements have no grade"""


@dataclass(frozen=True)
class Blocks:
    """Measures blocks of rows.

    Attributes:
        plan: what is asked for.
        orderings: as the rows number them.
        full: whether unjudged documents are among the rows.
        scored: whether lists of the run have scores; their order decides otherwise.

    """

    plan: Plan
    orderings: tuple[Ordering, ...]
    full: bool
    scored: bool = True

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[Block]:
        """What is known of the queries of a partition.

        Raises:
            RankworthError: as `rankworth.evaluate` does.

        """
        for rows in whole_queries(batches):
            try:
                yield replace(self._block(rows), blanks=_blanks(rows))
            except RankworthError as error:
                raise self.plan.profile.reworded(_without_numbers(error)) from None

    def _block(self, rows: pl.DataFrame) -> Block:
        parts = {int(kind[0]): part for kind, part in rows.partition_by("kind", as_dict=True).items()}
        run: Run
        if LISTED in parts or isinstance(rows["document"].dtype, pl.List):
            judged, listed = parts.get(JUDGED), parts.get(LISTED, rows.clear())
            _refuse(parts, judged)
            run, lengths = self._listed(listed), _lengths(listed)
        else:
            met = parts.get(MET, rows.clear())
            judged = _judged(met)
            _refuse(parts, judged)
            run, lengths = self._ranked(met.filter(pl.col("times") > 0), parts.get(GIVEN)), {}
        if judged is None:
            if all(one.averaging.extra == "ignore" for one in self.plan.asked):
                return Block(None, len(run.queries()) if isinstance(run, Ranked) else len(lengths))
            ranked = run if isinstance(run, Ranked) else self._unjudged(lengths)
            stand_in = pl.DataFrame({"query": [STAND_IN], "document": [""], "grade": [1.0]})
            return self._measured(stand_in, _answered(ranked), self.plan, None)
        plan, exclude = self._with_pairs(judged)
        judgements = _judgements(judged)
        try:
            return self._measured(judgements, run, plan, exclude)
        except InputError as error:
            if isinstance(run, Ranked) or error.slug not in ("no-common-queries", "empty-input"):
                raise
        return self._measured(judgements, self._unjudged(lengths), plan, exclude)

    def _measured(self, judgements: pl.DataFrame, run: Run, plan: Plan, exclude: Exclusion | None) -> Block:
        qrels_of = _Kept(Judgements(judgements, None, [one.judging for one in plan.asked]), exclude)
        work = Evaluator(qrels_of, run, [plan])
        work.judge(None)
        measured = work.columns_of(plan)
        return Block(measured, measured.counts.ignored)

    def _with_pairs(self, judged: pl.DataFrame) -> tuple[Plan, Exclusion | None]:
        """The plan with those judged pairs that are excluded here."""
        exclude = self.plan.exclude
        if exclude is None or exclude.label == SELF:
            return self.plan, exclude
        pairs = judged.filter("out")
        known = None
        if pairs.height:
            known = Exclusion(exclude.label, Exclusion.of(_texts(pairs.select("query", "document"))).pairs)
        asked = [replace(one, judging=replace(one.judging, exclude=known)) for one in self.plan.asked]
        return replace(self.plan, asked=asked), known

    def _listed(self, rows: pl.DataFrame) -> Run:
        """A run of lists; one without any document has no queries.

        Raises:
            InputError: `duplicate-document`.

        """
        if any(by_position(one.settled(Lists())) for one in self.orderings):
            _refuse_parted(rows)
        if not rows["document"].list.len().sum():
            return self._unjudged({})
        table = rows.select("query", pl.col("document").alias("documents"), pl.col("value").alias("scores"))
        run = Run(table if self.scored else table.drop("scores"))
        run.orders.lists = Lists()  # the names of columns are ours
        return run

    def _unjudged(self, lengths: Mapping[str, int]) -> Ranked:
        """A run of which no document is looked at."""
        nothing = Ranking(_NO_ROWS, lengths)
        return Ranked(None, rankings={one._replace(exclude=None): nothing for one in self.orderings})

    def _ranked(self, rows: pl.DataFrame, given: pl.DataFrame | None) -> Ranked:
        """The run in each ordering.

        Raises:
            InputError: `missing-value`, `bad-score`, `duplicate-document`.

        """
        _refuse_odd(rows)
        found: dict[Ordering, Ranking] = {}
        for number, ordering in enumerate(self.orderings):
            some = _texts(rows.filter(pl.col("ordering") == number))
            queries = some.unique("query")
            if ordering.duplicates == "error":
                _refuse_twice(some)
            if ordering.order == "rank":
                _refuse_ranks(some)
            kept = some if self.full else some.filter(pl.col("known"))
            seen = ["elsewhere"] if kept["elsewhere"].null_count() < kept.height else []
            rank = pl.col("rank").cast(pl.Int64)
            ends = [pl.coalesce(pl.col(name), rank).alias(name) for name in ("first", "last")]
            table = kept.select("query", "document", rank, *ends, (pl.col("value") > 0).alias("positive"), *seen)
            lengths = dict(zip(queries["query"].to_list(), queries["rows"].to_list(), strict=True))
            found[ordering._replace(exclude=None)] = Ranking(table, lengths, _before(given, number))
        return Ranked(None, rankings=found)


@dataclass
class _Kept:
    """The judgements that count under some settings, also where none is left."""

    read: Judgements
    exclude: Exclusion | None
    kept: dict[int, Qrels] = field(default_factory=dict)
    only: frozenset[str] | None = None

    def __call__(self, judging: Judging) -> Qrels:
        qrels = self.read(replace(judging, exclude=None))
        if judging.exclude is None or self.exclude is None or judging.exclude_from != "both":
            return qrels
        if id(qrels) not in self.kept:
            marks = self.exclude.marks(qrels)
            self.kept[id(qrels)] = qrels.without(marks) if marks.any() else qrels
        return self.kept[id(qrels)]


def whole_queries(batches: Iterable[pa.RecordBatch]) -> Iterator[pl.DataFrame]:
    """Rows of whole queries, many of them at a time.

    Args:
        batches: rows, those of a query together.

    """
    held: list[pl.DataFrame] = []
    size, enough = 0, _BYTES
    for batch in batches:
        if not batch.num_rows:
            continue
        held.append(pl.DataFrame(pa.Table.from_batches([batch])))
        size += batch.nbytes
        if size < enough:
            continue
        rows = pl.concat(held)
        begun = rows["query"].ne_missing(rows["query"][-1]).arg_true()
        if not len(begun):  # one query, which goes on
            held, enough = [rows], 2 * size
            continue
        start = int(begun[-1]) + 1
        yield rows[:start]
        held, size, enough = [rows[start:]], int(rows[start:].estimated_size()), _BYTES
    if held:
        yield pl.concat(held)


def _texts(rows: pl.DataFrame) -> pl.DataFrame:
    """Ids as text."""
    return rows.with_columns(pl.col("query", "document").cast(pl.String))


def _judged(rows: pl.DataFrame) -> pl.DataFrame | None:
    """Judgements, one row for each, as the first ordering has them; None where there are none."""
    some = rows.filter((pl.col("judged") > 0) & (pl.col("ordering") == 0))
    again = some.filter(pl.col("judged") > 1)  # which is an error of its own
    found = pl.concat([some, again]).drop("value").rename({"grade": "value"})
    return found if found.height else None


def _judgements(rows: pl.DataFrame) -> pl.DataFrame:
    """Judgements as they were given."""
    subtopics = [] if rows["subtopic"].null_count() == rows.height else ["subtopic"]
    if not isinstance(rows["document"].dtype, pl.List):
        return rows.select("query", "document", pl.col("value").alias("grade"), *subtopics)
    if not subtopics:
        return rows.select("query", pl.col("document").alias("documents"), pl.col("value").alias("grades"))
    flat = rows.explode("document", "value", "subtopic")
    return flat.select("query", "document", pl.col("value").alias("grade"), "subtopic")


def _lengths(rows: pl.DataFrame) -> dict[str, int]:
    """How many documents each query has, of those that have some."""
    counts = rows.select(pl.col("query").cast(pl.String), pl.col("document").list.len().alias("rows"))
    sums = counts.group_by("query").agg(pl.col("rows").sum()).filter(pl.col("rows") > 0)
    return dict(zip(sums["query"].to_list(), sums["rows"].to_list(), strict=True))


def _answered(run: Ranked) -> Ranked:
    """The same with one document for the query that stands in."""
    row = pl.DataFrame(
        {"query": [STAND_IN], "document": [""], "rank": [1], "first": [1], "last": [1], "positive": [True]}
    )
    rankings = {
        one: replace(
            ranking, rows=pl.concat([ranking.rows, row], how="diagonal"), lengths={**ranking.lengths, STAND_IN: 1}
        )
        for one, ranking in run.rankings.items()
    }
    return Ranked(None, rankings=rankings)


def _blanks(rows: pl.DataFrame) -> int:
    """How many judgements have no grade."""
    some = rows.filter(pl.col("kind") == BLANK)
    counts = some["value"].explode() if isinstance(some["value"].dtype, pl.List) else some["rows"]
    return int(counts.sum())


def _before(given: pl.DataFrame | None, number: int) -> dict[str, tuple[int, int]]:
    """How many rows each query had before some were left out."""
    if given is None:
        return {}
    some = given.filter(pl.col("ordering") == number).group_by(pl.col("query").cast(pl.String))
    counts = some.agg(pl.col("first", "last").sum())
    return {query: (first, last) for query, first, last in counts.select("query", "first", "last").iter_rows()}


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
        """The values of the queries of a partition."""
        for block in self.blocks(batches):
            if block.measured is None:
                continue
            values = block.measured.per_query
            own = np.array([query != STAND_IN for query in values.ids], dtype=bool)
            if own.any():
                yield from self._table(values, own).to_batches()

    def _table(self, values: PerQuery, own: "np.ndarray[tuple[int], np.dtype[np.bool_]]") -> pa.Table:
        queries = pl.Series("query", values.ids, dtype=pl.String).filter(pl.Series(own))
        columns = {"query": (queries.cast(pl.Int64) if self.is_whole else queries).to_arrow().cast(self._id)}
        if self.groups is not None:
            columns["group"] = pa.array(self.groups.labels(queries.to_list()), pa.string())
        there = np.ones(values.array.shape, dtype=bool) if values.there is None else values.there
        for name in self.labels:
            if name in values.texts:
                columns[name] = pa.array(np.array(values.texts[name], dtype=object)[own], pa.string())
            else:
                place = values.measures.index(name)
                columns[name] = pa.array(values.array[own, place], pa.float64(), mask=~there[own, place])
        return pa.table(columns)

    @property
    def _id(self) -> pa.DataType:
        return pa.int64() if self.is_whole else pa.string()


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
        """The rows of a partition."""
        for block in self.blocks(batches):
            counts = {"ignored": block.ignored, "blanks": block.blanks}
            if block.measured is not None:
                counts |= _counts(block.measured)
                yield from self._rows(block.measured.columns)
            yield _batch([None] * len(counts), [*counts], [*counts.values()], [1.0] * len(counts), None)

    def _rows(self, columns: Sequence[Column]) -> Iterator[pa.RecordBatch]:
        """The rows of a block, measure by measure."""
        names, table, there, divides = _side_by_side(columns)
        for given in (self.weights, self.groups if self.everyone else None):
            if given is not None:
                given.refuse_without(names)
        groups = [None] * len(names) if self.groups is None else self.groups.labels(names)
        weights = np.ones(len(names)) if self.weights is None else _scaled(self.weights, names)
        for place, column in enumerate(columns):
            own = np.ones(len(names)) if column.way == "sum" else weights
            over = np.where(divides[:, place] if column.way == "mean" else there[:, place], own, 0.0)
            has = (there[:, place] & (own > 0)) if self.weights is None else (own > 0) & (there[:, place] | (over > 0))
            values = additive(table[:, [place]], [column.way])[:, 0]
            yield _batch([place] * len(names), groups, np.where(has, values, 0.0), own, over, ~has)


def _batch(
    measures: Sequence[int | None],
    groups: Sequence[str | None],
    values: Any,  # noqa: ANN401 - numbers
    weights: Any,  # noqa: ANN401 - numbers
    over: Floats | None,
    void: Mask | None = None,
) -> pa.RecordBatch:
    """Rows as `means.SCHEMA` tells.

    Args:
        measures: the place of each row's measure.
        groups: the groups, or names of counts.
        values: the numbers.
        weights: what they weigh.
        over: what means are divided by; nothing where None.
        void: which rows have neither value nor weight.

    """
    return pa.RecordBatch.from_pydict(
        {
            "measure": pa.array(measures, pa.int32()),
            "group": pa.array(groups, pa.string()),
            "value": pa.array(np.asarray(values, dtype=np.float64), mask=void),
            "weight": pa.array(np.asarray(weights, dtype=np.float64), mask=void),
            "divisor": pa.array(np.zeros(len(groups)) if over is None else over),
        }
    )


def _counts(measured: Measured) -> dict[str, int]:
    """What is counted in a block; the query that stands in for judged ones is not."""
    counts = {name: count for name, count in measured.counts.numbers.items() if count}
    standing = measured.whole.standing
    counts["answered"] = int(np.count_nonzero(standing.answered & standing.judged))
    if STAND_IN in measured.whole.queries:
        counts |= {"judged": 0, "scored": counts.get("scored", 1) - 1, "answered": 0}
    return counts


def _scaled(weights: Weights, queries: Sequence[str]) -> Floats:
    """The weights of some queries, divided by a power of two, so that no sum is beyond all numbers."""
    return np.ldexp(weights.array(queries), -math.frexp(max(weights.known().values(), default=0.0))[1])


def _side_by_side(columns: Sequence[Column]) -> tuple[list[str], Floats, Mask, Mask]:
    """The values that are averaged, `[Q, M]`, where there is one, and over which queries the means are taken."""
    counted, over = [column.counted for column in columns], [column.over for column in columns]
    first = counted[0]
    if all(names == first for names in (*counted, *over)) and STAND_IN not in first:
        table = np.stack([column.averaged() for column in columns], axis=1)
        everywhere = np.ones(table.shape, dtype=bool)
        return first, table, everywhere, everywhere
    parts = [
        dict(zip(names, column.averaged().tolist(), strict=True))
        for names, column in zip(counted, columns, strict=True)
    ]
    within = [set(names) for names in over]
    names = sorted({name for some in (*parts, *within) for name in some} - {STAND_IN})
    shape = (len(names), len(parts))
    table = np.array([[part.get(name, 0.0) for part in parts] for name in names], dtype=np.float64).reshape(shape)
    there = np.array([[name in part for part in parts] for name in names], dtype=bool).reshape(shape)
    divided = np.array([[name in some for some in within] for name in names], dtype=bool).reshape(shape)
    return names, table, there, divided
