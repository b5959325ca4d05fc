"""How low and how high means and differences could be: over orders of ties, or grades of unjudged documents."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, get_args

import numpy as np

from rankworth.errors import UsageError
from rankworth.evaluation.aggregation import Column, Mask
from rankworth.evaluation.counterfactuals import MeasureContext, contexts
from rankworth.evaluation.evaluator import Evaluator, Plan
from rankworth.evaluation.tie_bounds import Bounds, expected, over_orders
from rankworth.evaluation.unjudged_bounds import grades_of, over_grades
from rankworth.evaluation.values import Values, details
from rankworth.io.validate import IdKinds
from rankworth.judging.inputs import Judgements
from rankworth.judging.judged_run import JudgedRows
from rankworth.measures import Measure
from rankworth.model import Run
from rankworth.profiles import ResolvedMeasure
from rankworth.stats.samples import check_word

if TYPE_CHECKING:
    from rankworth.io.source import Progress

Varied = Literal["ties", "unjudged"]
"""What bounds are taken over: orders of tied documents, or grades of unjudged ones."""
VARIED: Final[tuple[Varied, ...]] = get_args(Varied)


class Bound(NamedTuple):
    """How low and how high a value or mean could be, and its expectation; NaN where that is not known."""

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
        """The bounds of the mean of a measure, by the name that it was asked for by."""
        return Bound(*(column.mean for column in self.columns[measure]))

    def __iter__(self) -> Iterator[str]:
        """The names of the measures."""
        return iter(self.columns)

    def __len__(self) -> int:
        """How many measures there are."""
        return len(self.columns)

    def __repr__(self) -> str:
        """The bounds of each mean, and what is assumed."""
        parts = [f"{name} {bound.low:.4f}…{bound.high:.4f}" for name, bound in self.items()]
        return f"MeanBounds({', '.join(parts)}; {self.assumption})"

    def per_query(self, measure: str) -> dict[Any, Bound]:
        """The bounds of the value of each query."""
        columns = self.columns[measure]
        there = columns[0].there
        rows = zip(*(column.values[there].tolist() for column in columns), strict=True)
        ids = self.kinds.back("query", columns[0].standing.of(there))
        return {query: Bound(*row) for query, row in zip(ids, rows, strict=True)}

    def part(self, rows: Mapping[int, Mask]) -> "MeanBounds":
        """The bounds of some queries alone: `[Q]` by the standing that they are in."""
        parts = {}
        for name, columns in self.columns.items():
            low, expected, high = (column.part(rows[id(column.standing)]) for column in columns)
            parts[name] = low, expected, high
        return replace(self, columns=parts)


def bounded(judgements: Judgements, run: Run, plan: Plan, by: Varied, *, progress: "Progress | None" = None) -> Values:
    """The values of a run, with their bounds.

    Args:
        judgements: those that count under some settings.
        run: the run.
        plan: the measures.
        by: what bounds are taken over.
        progress: called while a file is read.

    Raises:
        UsageError: `unknown-setting`; `conflicting-options` where the settings leave queries out by their grades.
        RankworthError: as `evaluate`.

    """
    check_word("bounds", by, VARIED)
    needs_rows = by == "unjudged" and any(not _has_plain_ranks(measure) for measure in plan.asked)
    evaluator = Evaluator(judgements, run, [plan], progress=progress, full=needs_rows)
    values = evaluator.values(plan)
    columns, notes = {}, []
    for context in contexts(evaluator, plan, details(values).columns):
        column, label = context.column, context.asked.label
        none, defined = np.full(column.values.size, np.nan), column.there & ~np.isnan(column.values)
        ends = none, none, none
        if isinstance(context.asked.quantity, Measure):
            _refuse_settings(context, by)
            low, high, is_known = vary([context], by)
            mean = expected(context) if by == "ties" else none
            mean = none if np.isnan(mean).all() else mean
            ends = np.where(is_known, low, np.nan), mean, np.where(is_known, high, np.nan)
            if names := column.standing.of(defined & np.isnan(ends[0])):
                notes.append(f"{label} has no bounds: too many {_OF[by]} to measure all, as for {names[0]}")
        settings = replace(column.settings, nan="propagate")  # an end that is not known makes the mean unknown
        unknown = [each is none or np.isnan(each[defined]).any() for each in ends]
        lowest, middle, highest = (
            replace(column, values=each, settings=settings if is_unknown else column.settings)
            for each, is_unknown in zip(ends, unknown, strict=True)
        )
        columns[label] = lowest, middle, highest
    sentence = assumption(evaluator.measured_run(plan.base).hits, by)
    return replace(values, bounds=MeanBounds(by, sentence, tuple(notes), columns, values.per_query.id_kinds))


_OF: Final = {"ties": "orders of ties", "unjudged": "ways to grade documents"}


def assumption(hits: JudgedRows, by: Varied) -> str:
    """What bounds assume, as a sentence."""
    if by == "ties":
        return "bounds over all orders of documents with equal scores"
    most = grades_of(hits)[-1]
    return f"bounds over grades of unjudged documents: only retrieved documents may be relevant, grades up to {most:g}"


def _has_plain_ranks(measure: ResolvedMeasure) -> bool:
    """Whether the ranks of unjudged documents are those that judged ones leave, and no scores are equal."""
    judging = measure.judging
    plain = judging.ties not in ("expected", "last") and judging.order != "rank" and judging.blocks == "joined"
    once = judging.duplicates in ("error", "best", "first", "last")
    return plain and once and judging.duplicate_judgements != "spread" and judging.scored == "all"


def _refuse_settings(context: MeasureContext, by: Varied) -> None:
    """Refuse settings by which what is varied decides whether a query counts, or scores whether a document does.

    Raises:
        UsageError: `conflicting-options`.

    """
    averaging, judging, positive = context.asked.averaging, context.run.judging, context.run.hits.positive
    remedy = "take bounds under another profile, or set it to its default"
    if by == "ties":
        if averaging.no_hit != "keep" and averaging.nan != "zero" and context.run.judgement.hits.tied:
            text = f"no_hit={averaging.no_hit!r}: whether a query counts depends on the order of ties, which varies"
            raise UsageError("conflicting-options", text, remedy=remedy)
        return
    if context.asked.judging.scored == "positive" and positive is not None and not positive.all():
        text = "scored='positive': some scores are 0 or below, and documents with such scores never count as relevant, "
        raise UsageError("conflicting-options", f"{text}which bounds do not take into account", remedy=remedy)
    usual = {"no_relevant": "keep", "neither": "keep", "all_negative": "keep", "no_hit": "keep"}
    odd = [name for name, value in usual.items() if getattr(averaging, name) != value]
    odd += ["undefined"] if isinstance(averaging.undefined, str) else []
    usual = {"judgements": "all", "pool": "judged", "unretrieved": "absent"}
    odd += [name for name, value in usual.items() if getattr(judging, name) != value]
    if odd:
        value = getattr(averaging if hasattr(averaging, odd[0]) else judging, odd[0])
        text = f"{odd[0]}={value!r}: whether a query counts depends on its grades, and bounds vary these"
        raise UsageError("conflicting-options", text, remedy=remedy)


def of_runs(judgements: Judgements, runs: Mapping[str, Run], plan: Plan, by: Varied) -> dict[str, list[MeasureContext]]:
    """What is needed to bound each measure of each run; documents are known by their ids.

    Raises:
        UsageError: as `bounded`.
        RankworthError: as `evaluate`.

    """
    check_word("bounds", by, VARIED)
    every = frozenset(query for measure in plan.asked for query in judgements(measure.judging).queries)
    is_shown, sides = by == "unjudged", {}
    for name, run in runs.items():
        evaluator = Evaluator(judgements, run, [plan], shown=every if is_shown else frozenset(), full=is_shown)
        sides[name] = contexts(evaluator, plan, details(evaluator.values(plan, with_notices=False)).columns)
        for context in sides[name]:
            _refuse_settings(context, by)
    return sides


def vary(sides: Sequence[MeasureContext], by: Varied) -> Bounds:
    """Bounds of the values of a run, or of the differences of two, the second one less the first.

    Orders of ties of one run have nothing to do with those of the other; an unjudged document has one grade in both.
    """
    first, *others = (side.column.values for side in sides)
    size = len(sides[0].qrels.queries) if others else first.size
    values = others[0][:size] - first[:size] if others else first
    if by == "unjudged":
        return over_grades(sides, values)
    one, *another = map(over_orders, sides)
    if not another:
        return one
    low, high = another[0].low[:size] - one.high[:size], another[0].high[:size] - one.low[:size]
    return Bounds(low, high, ~np.isnan(low) | np.isnan(values))
