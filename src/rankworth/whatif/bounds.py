"""How low and how high means and differences could be: over orders of ties, or grades of unjudged documents."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, get_args

import numpy as np

from rankworth import support
from rankworth.arrays import Floats
from rankworth.errors import UsageError
from rankworth.io.validate import IdKinds
from rankworth.judging.judged_run import JudgedRows
from rankworth.measures import Measure
from rankworth.model import Run
from rankworth.profiles import ResolvedMeasure
from rankworth.scoring.columns import Column, Mask
from rankworth.scoring.evaluator import Evaluation, evaluate_run
from rankworth.scoring.inputs import Judgements
from rankworth.scoring.plans import Plan
from rankworth.settings import UNBROKEN
from rankworth.stats.samples import check_word
from rankworth.whatif.rankings import MeasureContext, contexts
from rankworth.whatif.tie_orders import Bounds, expected, over_orders
from rankworth.whatif.unjudged_grades import grades_of, over_grades

if TYPE_CHECKING:
    from rankworth.io.source import Progress

Varied = Literal["ties", "unjudged"]
"""What bounds are taken over: orders of tied documents, or grades of unjudged ones."""
_ROUNDING: Final = 1e-9
"""by how much a value may be beyond its bounds"""
VARIED: Final[tuple[Varied, ...]] = get_args(Varied)


class Bound(NamedTuple):
    """The lowest, the highest and the expected value or mean; NaN for an unknown expectation."""

    low: float
    expected: float
    high: float


@dataclass(frozen=True, eq=False, repr=False)
class MeanBounds(Mapping[str, Bound]):
    """Bounds of the means, by the name of each measure.

    Attributes:
        by: what is varied.
        assumption: what is assumed of these, as a sentence.
        notes: which measures have no bounds, and why.
        columns: by measure the lowest, the expected and the highest values as they are averaged.
        kinds: whether ids of queries came as integers.

    """

    by: Varied
    assumption: str
    notes: tuple[str, ...]
    columns: Mapping[str, tuple[Column, Column, Column]]
    kinds: IdKinds

    def __getitem__(self, measure: str) -> Bound:
        """Return the bounds of the mean of a measure, by the name that it was asked for by."""
        return Bound(*(column.mean for column in self.columns[measure]))

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names of the measures."""
        return iter(self.columns)

    def __len__(self) -> int:
        """Count the measures."""
        return len(self.columns)

    def __repr__(self) -> str:
        """Show the bounds of each mean, and what is assumed."""
        parts = [f"{name} {bound.low:.4f}…{bound.high:.4f}" for name, bound in self.items()]
        return f"MeanBounds({', '.join(parts)}; {self.assumption})"

    def per_query(self, measure: str) -> dict[Any, Bound]:
        """Return the bounds of the value of each query, as queries show it."""
        columns = self.columns[measure]
        listed = columns[0].listed
        rows = zip(*(column.visible[listed].tolist() for column in columns), strict=True)
        ids = self.kinds.back("query", columns[0].names(listed))
        return {query: Bound(*row) for query, row in zip(ids, rows, strict=True)}

    def part(self, rows: Mapping[int, Mask]) -> "MeanBounds":
        """Keep the bounds of some queries alone: `[Q]` by the list of queries that they are in."""
        parts = {}
        for name, columns in self.columns.items():
            low, expected, high = (column.part(rows[id(column.queries)]) for column in columns)
            parts[name] = low, expected, high
        return replace(self, columns=parts)


def evaluation_for_bounds(
    judgements: Judgements, run: Run, plan: Plan, by: Varied, *, progress: "Progress | None" = None
) -> Evaluation:
    """Judge and measure a run, with rows for the documents that bounds look at.

    Args:
        judgements: those that count under some settings.
        run: the run.
        plan: the measures.
        by: what bounds are taken over.
        progress: called while a file is read.

    Raises:
        UsageError: `unknown-setting`.
        RankworthError: as `evaluate`.

    """
    check_word("bounds", by, VARIED)
    if run.is_of_first_ranks and by == "unjudged":
        text = "only the rank of the first hit of each query is known, and not which documents nobody judged"
        raise UsageError("unfollowed-setting", text, remedy="leave bounds out")
    needs_rows = by == "unjudged" and any(not _has_plain_ranks(measure) for measure in plan.measures)
    shown = _queries_with_ids(judgements, plan)
    return evaluate_run(judgements, run, [plan], shown=shown, progress=progress, full=needs_rows)


def mean_bounds(evaluation: Evaluation, plan: Plan, by: Varied) -> MeanBounds:
    """Bound the mean of each measure, and the value of each query.

    Args:
        evaluation: a run, as `evaluation_for_bounds` measures it.
        plan: the measures.
        by: what bounds are taken over.

    Raises:
        UsageError: `unfollowed-setting` where settings leave no measure with bounds.

    """
    every = contexts(evaluation, plan)
    reasons = [no_bounds(context, by) for context in every]
    refuse_without_bounds([reason for context, reason in zip(every, reasons, strict=True) if _is_measure(context)])
    columns, notes = {}, []
    for context, why in zip(every, reasons, strict=True):
        column, label, reason = context.column, context.resolved.label, why
        # [Q] each: an end that is nowhere defined, and which queries have a value
        none, defined = np.full(column.values.size, np.nan), column.listed & ~np.isnan(column.visible)
        ends = none, none, none
        if _is_measure(context) and not reason:
            bounds = over_grades([context], column.values) if by == "unjudged" else over_orders(context)
            reason = not_held(context, column.queries, column.values, bounds, defined, by)
        if _is_measure(context) and not reason:
            mean = expected(context) if by == "ties" else none
            mean = none if np.isnan(mean).all() else mean
            ends = np.where(bounds.is_known, bounds.low, np.nan), mean, np.where(bounds.is_known, bounds.high, np.nan)
            if names := column.names(defined & np.isnan(ends[0])):
                reason = f"too many {_OF[by]} to measure all, as for {names[0]}"
        notes += [f"{label} has no bounds: {reason}"] if reason else []
        # An end that is not known makes the mean unknown, over no query, too.
        unknown = replace(column, values=none, shown=None, over_none=math.nan)
        lowest, middle, highest = (unknown if each is none else column.with_values(each) for each in ends)
        columns[label] = lowest, middle, highest
    sentence = assumption(evaluation.measured_run(plan.base).hits, by)
    return MeanBounds(by, sentence, tuple(notes), columns, evaluation.measured_run(plan.base).qrels.kinds)


_OF: Final = {"ties": "orders of ties", "unjudged": "ways to grade documents"}
_REPEATED: Final = ("all", "once", "joined")
"""what `duplicates` may be so that rows of one document stay apart"""


def _is_measure(context: MeasureContext) -> bool:
    return isinstance(context.resolved.quantity, Measure)


def _queries_with_ids(judgements: Judgements, plan: Plan) -> frozenset[str]:
    """Return the queries in which documents may repeat, a fact that only ids tell."""
    repeated = [measure for measure in plan.measures if measure.judging.duplicates in _REPEATED]
    return frozenset(query for each in repeated for query in judgements(each.judging, each.data.exclude).queries)


def assumption(hits: JudgedRows, by: Varied) -> str:
    """Say in a sentence what bounds assume."""
    if by == "ties":
        return "bounds over all orders of documents with equal scores"
    most = grades_of(hits)[-1]
    return f"bounds over grades of unjudged documents: only retrieved documents may be relevant, grades up to {most:g}"


def _has_plain_ranks(measure: ResolvedMeasure) -> bool:
    """Return whether unjudged documents have just the ranks that judged ones leave, and no scores are equal."""
    judging = measure.judging
    plain = judging.ties not in UNBROKEN and judging.order != "rank" and judging.blocks == "joined"
    once = judging.duplicates not in _REPEATED
    return plain and once and judging.duplicate_judgements != "spread" and judging.scored == "all"


_OF_QUERIES: Final = "and bounds are those of queries"


def refuse_without_bounds(reasons: Sequence[str]) -> None:
    """Refuse bounds where every measure has a reason why there are none.

    Raises:
        UsageError: `unfollowed-setting`.

    """
    if reasons and all(reasons):
        is_of_settings = not all(reason.endswith(_OF_QUERIES) for reason in reasons)
        remedy = "evaluate without bounds, or take bounds under --profile standard (profile='standard')"
        remedy = remedy if is_of_settings else "evaluate without bounds, or take those of a measure of queries, as P@10"
        raise UsageError("unfollowed-setting", *dict.fromkeys(reasons), remedy=remedy)


def no_bounds(context: MeasureContext, by: Varied) -> str:
    """Say why the settings of a measure leave it without bounds; empty where they do not, and of counts."""
    if not _is_measure(context):
        return ""
    if np.isnan(context.column.values_of_queries).all() and not math.isnan(context.column.mean):
        return f"{context.measure} has no value of a query, {_OF_QUERIES}"
    if context.measure.uses_costs:
        return f"{context.measure} looks at costs, and which documents fit into a budget is not varied"
    return next(_reasons_of_orders(context) if by == "ties" else _reasons_of_grades(context), "")


def _reasons_of_orders(context: MeasureContext) -> Iterator[str]:
    """Say why settings leave no bounds over orders of ties."""
    averaging, judging, hits = context.resolved.averaging, context.run.judging, context.run.judgement.hits
    if judging.unretrieved == "last":
        yield "unretrieved='last': the order of documents that were not retrieved is not varied"
    if not hits.tied:
        return
    if averaging.no_hit == "skip" or (averaging.no_hit == "nan" and averaging.nan != "zero"):
        yield support.reason("bounds over ties", "no_hit", averaging.no_hit)
    if judging.pool == "retrieved" and judging.depth is not None:
        yield f"pool='retrieved': which documents are in it at depth={judging.depth} depends on the order of ties"
    if judging.depth is not None and (context.run.condensed or context.measure.judged_only):
        yield f"depth={judging.depth}: which judged documents are left in it depends on the order of ties, which varies"
    if context.resolved.judging.duplicates == "once" and _has_repeated(hits):
        yield "duplicates='once': which row of a document counts depends on the order of ties, which varies"
    if averaging.all_negative == "previous" and context.run.standing.negative.any():
        yield "all_negative='previous': some queries have the value of the query before, which varies"


def _reasons_of_grades(context: MeasureContext) -> Iterator[str]:
    """Say why settings leave no bounds over grades of unjudged documents."""
    averaging, judging = context.resolved.averaging, context.run.judging
    duplicates = context.resolved.judging.duplicates
    positive = context.run.hits.positive
    if context.resolved.judging.scored == "positive" and positive is not None and not positive.all():
        yield support.reason("bounds over grades", "scored", "positive")
    if duplicates in _REPEATED and _has_repeated(context.run.judgement.hits):
        yield f"duplicates={duplicates!r}: rows of one document have one grade, which bounds do not take into account"
    if context.measure.definition.subtopics and context.run.hits.subtopics is not None:
        yield f"{context.measure.name} looks at subtopics, and an unjudged document would have a grade for each"
    for name, value in support.unfollowed("bounds over grades", judging, averaging).items():
        if name != "scored":
            yield support.reason("bounds over grades", name, value)


def _has_repeated(hits: JudgedRows) -> bool:
    """Return whether a query ranks a document twice."""
    if hits.document is None:
        return False
    pairs = list(zip(hits.query.tolist(), hits.document.tolist(), strict=True))
    return len({*pairs}) < len(pairs)


def not_held(
    context: MeasureContext, queries: Sequence[str], values: Floats, bounds: Bounds, defined: Mask, by: Varied
) -> str:
    """Say why bounds do not hold the values that they are of, or nothing if they do.

    Args:
        context: the measure.
        queries: the ids of the queries.
        values: `[Q]`, of a run, or differences of two.
        bounds: theirs.
        defined: `[Q]`, which queries count.
        by: what bounds are taken over.

    """
    if bounds.reason:
        return bounds.reason
    is_held = (bounds.low - _ROUNDING <= values) & (values <= bounds.high + _ROUNDING)  # [Q]
    outside = np.flatnonzero(defined & bounds.is_known & ~is_held)
    if not outside.size:
        return ""
    first = outside[0]
    value, low, high = (f"{each[first]:.4f}" for each in (values, bounds.low, bounds.high))
    if by == "ties":
        how = f"ties={context.resolved.judging.ties!r} ranks documents as no order of them does"
        return f"{how}: {queries[first]} is {value}, and {low} to {high} over all orders"
    how = "a document that nobody judged counts otherwise than one of grade 0"
    return f"{how}: {queries[first]} is {value} as it is judged, and {low} to {high} once all of its documents are"


def of_runs(judgements: Judgements, runs: Mapping[str, Run], plan: Plan, by: Varied) -> dict[str, list[MeasureContext]]:
    """Collect what is needed to bound each measure of each run; documents are known by their ids.

    Raises:
        UsageError: `unknown-setting`.
        RankworthError: as `evaluate`.

    """
    check_word("bounds", by, VARIED)
    every = frozenset(query for each in plan.measures for query in judgements(each.judging, each.data.exclude).queries)
    is_shown, sides = by == "unjudged", {}
    shown = every if is_shown else _queries_with_ids(judgements, plan)
    for name, run in runs.items():
        evaluation = evaluate_run(judgements, run, [plan], shown=shown, full=is_shown)
        sides[name] = contexts(evaluation, plan)
    return sides


class Varying(NamedTuple):
    """`[Q]`: the values of a run, or the differences of two, with their bounds; and why these do not hold them."""

    values: Floats
    bounds: Bounds
    reason: str = ""


def vary(sides: Sequence[MeasureContext], queries: Sequence[str], by: Varied) -> Varying:
    """Bound the values of a run, or the differences of two, the second one less the first.

    Orders of ties of one run have nothing to do with those of the other; an unjudged document has one grade in both.

    Args:
        sides: the measure of one run or of two.
        queries: the queries, of both runs.
        by: what bounds are taken over.

    """
    if reason := _apart(sides, queries, by):
        none = np.full(len(queries), np.nan)
        return Varying(none, Bounds(none, none, np.zeros(len(queries), dtype=bool)), reason)
    # [Q] for each run: where its column has these queries
    rows = [np.array([side.positions[query] for query in queries], dtype=np.int64) for side in sides]
    first, *further = (side.column.values[indices] for side, indices in zip(sides, rows, strict=True))
    values = further[0] - first if further else first
    if by == "unjudged":
        size = len(sides[0].qrels.queries) if further else None
        # the values of all queries, in two runs of all judged queries
        each = [side.column.values[:size] for side in sides]
        bounds = over_grades(sides, each[1] - each[0] if further else each[0]).of(rows[0])
    else:
        ends = [over_orders(side).of(indices) for side, indices in zip(sides, rows, strict=True)]
        bounds = _difference(ends[0], ends[1]) if further else ends[0]
    reason = not_held(sides[0], queries, values, bounds, ~np.isnan(values), by)
    return Varying(values, bounds, reason)


def _apart(sides: Sequence[MeasureContext], queries: Sequence[str], by: Varied) -> str:
    """Say why queries of two runs cannot be looked at together; empty where they can."""
    absent = [query for query in queries for side in sides if query not in side.positions]
    if absent:
        return f"{absent[0]} counts without a value of its own"
    judged = sides[0].qrels.queries
    if by == "ties" or len(sides) == 1:
        return ""
    if any(list(side.qrels.queries) != list(judged) for side in sides):
        return "parts of queries count as queries, and are others in each run"
    unjudged = set(queries).difference(judged)
    return f"nobody judged {min(unjudged)}, whose documents are others in each run" if unjudged else ""


def _difference(first: Bounds, second: Bounds) -> Bounds:
    """Bound the values of a second run less those of a first one, whose orders have nothing to do with it."""
    low, high, is_known = second.low - first.high, second.high - first.low, first.is_known & second.is_known
    return Bounds(low, high, is_known, first.reason or second.reason)
