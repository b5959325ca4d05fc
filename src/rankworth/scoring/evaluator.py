"""One run under several conventions: judged once for each ordering, measured once for all settings alike."""

from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from rankworth.arrays import Floats
from rankworth.errors import InputError, MeasureError, RankworthError, UsageError
from rankworth.groups import Groups
from rankworth.judging import Include, JudgedRun, grades, judge_all
from rankworth.judging.exclusion import Exclusion
from rankworth.judging.judged_run import JudgedRows, subtopics_of
from rankworth.judging.overlap import alike_documents
from rankworth.judging.quirks import paired, separated, shortened
from rankworth.judging.ranking import Ordering
from rankworth.measures import TextFact
from rankworth.measures.core import Layout
from rankworth.model import Qrels, Run
from rankworth.names import Quantity, kind_of
from rankworth.profiles import NO_DATA, CallData, Profile, ResolvedMeasure
from rankworth.scoring import columns as scoring
from rankworth.scoring.columns import Column, Mask, Rows, Standing
from rankworth.scoring.diagnostics import TieEffect
from rankworth.scoring.inputs import Judgements
from rankworth.settings import STANDARD_JUDGING, Averaging, Judging
from rankworth.tables.columns import Kind

if TYPE_CHECKING:
    from rankworth.io.source import Progress

T = TypeVar("T")


@dataclass(frozen=True)
class Plan:
    """The measures of an evaluation under one profile."""

    profile: Profile
    asked: Sequence[ResolvedMeasure]
    by: Groups | None = None
    """groups that are shown"""

    @cached_property
    def exclude(self) -> Exclusion | None:
        """The pairs that some measure does not count, or their label."""
        return next((measure.data.exclude for measure in self.asked if measure.data.exclude is not None), None)

    @property
    def rowless(self) -> bool:
        """Whether judgements or a run without a row give numbers."""
        return self.profile.rowless and self.exclude is None

    @cached_property
    def numbers(self) -> list[ResolvedMeasure]:
        """The measures that are numbers."""
        return [measure for measure in self.asked if not isinstance(measure.quantity, TextFact)]

    @cached_property
    def kinds(self) -> dict[str, Kind]:
        """What the values of each measure are that is a number, by its label."""
        return {measure.label: kind_of(measure.quantity) for measure in self.numbers}

    @cached_property
    def base(self) -> ResolvedMeasure:
        """The measure that tells how many queries there are: one with the settings of the profile, or the first."""
        settings = (self.profile.judging, self.profile.averaging, self.profile.data)
        return next((one for one in self.asked if (one.judging, one.averaging, one.data) == settings), self.asked[0])

    @cached_property
    def alike(self) -> list[list[ResolvedMeasure]]:
        """The measures that need one judged run, together."""

        def needs(measure: ResolvedMeasure) -> Hashable:
            widens = measure.averaging.extra != "ignore" and measure.quantity.definition.elsewhere
            return measure.judging, measure.data.exclude, _has_unjudged(measure), widens

        return _grouped(self.asked, needs)


@dataclass
class MeasuredRun:
    """A judged run under some settings, and the values of all queries by every measure with these settings."""

    hits: JudgedRows
    settled: JudgedRows
    """without queries that nobody judged"""
    standing: Standing
    """what averaging needs to know of each query"""
    judging: Judging
    """the settings that change something of this run, the others at their default"""
    judgement: JudgedRun
    values: dict[Quantity, NDArray[Any]] = field(default_factory=dict)
    """`[Q]` each: numbers, or texts of facts that are texts"""
    failed: dict[Quantity, MeasureError] = field(default_factory=dict)
    """measures that do not suit the grades or the ties"""
    layouts: dict[Quantity, Layout] = field(default_factory=dict)
    """which rows each measure was measured with"""
    ties: list[TieEffect] = field(default_factory=list)
    """measures whose mean depends on the order of ties, once a diagnosis was made"""
    _rows: dict[Averaging, Rows] = field(default_factory=dict)

    @property
    def condensed(self) -> bool:
        """Whether unjudged documents are removed before ranks are counted."""
        return self.judging.unjudged == "removed"

    def rows(self, settings: Averaging) -> Rows:
        """Return the queries that count under settings of averaging.

        Raises:
            RefusedError: as `rows_of`.

        """
        if settings not in self._rows:
            self._rows[settings] = scoring.rows_of(self.standing, settings)
        return self._rows[settings]

    def column(
        self, quantity: Quantity, settings: Averaging, data: CallData = NO_DATA, values: Floats | None = None
    ) -> Column:
        """Return the values of a measure, and how much each query counts.

        Args:
            quantity: the measure.
            settings: of averaging.
            data: weights and groups.
            values: `[Q]`, in place of those that were measured.

        Raises:
            MeasureError: where it does not suit the grades or the ties.
            RefusedError: as `rows_of` and `column_of`.

        """
        if quantity in self.failed:
            raise self.failed[quantity]
        values = self.values[quantity] if values is None else values
        return scoring.column_of(quantity, values, self.rows(settings), self.standing, settings, data)

    def reranked(
        self, hits: JudgedRows, queries: list[str], judged: Mask, judging: Judging, empty: Mask | None = None
    ) -> "MeasuredRun":
        """Return a run of other rankings of some queries, not measured yet; the arguments are as in `Standing`."""
        empty = np.zeros_like(judged) if empty is None else empty
        standing = _standing(hits, judging, queries, judged, hits.n_retrieved > 0, empty)
        return MeasuredRun(hits, hits, standing, judging, replace(self.judgement, hits=hits))

    def measure(self, quantities: Iterable[Quantity], qrels: Qrels) -> None:
        """Measure all queries; NaN where a value is undefined, an empty ranking where the run has no documents.

        Measures that need rows of judged documents only get no others, whatever is measured beside them.

        Args:
            quantities: the measures and facts.
            qrels: the judgements.

        """
        size = self.hits.n_retrieved.size
        by_layout: dict[Layout, list[Quantity]] = {}
        for quantity in quantities:
            if quantity.definition.subtopics and self.hits.subtopics is None and subtopics_of(qrels) is not None:
                self.failed[quantity] = _no_subtopics(quantity)
                continue
            self.layouts[quantity] = layout_of(quantity, qrels)
            by_layout.setdefault(self.layouts[quantity], []).append(quantity)
            is_text = isinstance(quantity, TextFact)
            self.values[quantity] = np.full(size, "", dtype=object) if is_text else np.zeros(size)
        for layout, same_layout in by_layout.items():
            hits = self.hits.compact() if layout == "judged" else self.hits
            for places, block in hits.blocks():
                ranking = block.condensed if self.condensed else block
                for quantity in same_layout:
                    try:
                        self.values[quantity][places] = quantity.values(ranking)
                    except MeasureError as error:
                        self.failed.setdefault(quantity, error)


def _standing(
    hits: JudgedRows, judging: Judging, queries: list[str], judged: Mask, answered: Mask, empty: Mask
) -> Standing:
    """Summarise each query for averaging: judged, answered, how much is relevant; parameters are as in `Standing`."""
    size = len(queries)
    hollow = np.zeros(size, dtype=bool)
    if judging.unjudged == "removed":
        left = hits.query[hits.known & (hits.grade >= 0)]
        hollow = answered & (np.bincount(left, minlength=size) == 0)
    of_pool = hits.pool.relevant, hits.pool.negative, hits.pool.nonzero
    return Standing(queries, judged, answered, empty, *of_pool, hollow, hits.n_retrieved)


def _no_subtopics(quantity: Quantity) -> MeasureError:
    """Return the error of a measure of subtopics where settings change what is judged."""
    text = f"{quantity} looks at subtopics, and the settings change what is judged without a word on subtopics"
    settings = "negative, judgements, pool, unretrieved, grades, highest and repeated judgements are such settings"
    return MeasureError("conflicting-options", text, remedy=settings)


def layout_of(quantity: Quantity, qrels: Qrels) -> Layout:
    """Return which rows a measure needs; signed gains need those of unjudged documents beside negative grades only."""
    positions = quantity.positions
    if positions == "all" and quantity.definition.positions == "judged" and not (qrels.grades < 0).any():
        return "judged"
    return positions


def _has_unjudged(measure: ResolvedMeasure) -> bool:
    """Return whether unjudged queries of the run count."""
    return measure.averaging.extra != "ignore" or measure.averaging.divisor == "run"


@dataclass(eq=False)
class _Case:
    """Measures that need one judged run: their judgements, the judged run and the measured run, or its error."""

    measures: Sequence[ResolvedMeasure]
    whole: Qrels
    """the judgements"""
    qrels: Qrels
    """the judgements, with parts of queries as queries of their own where settings say so"""
    judged: JudgedRun | RankworthError | None = None
    run: MeasuredRun | RankworthError | None = None

    def __post_init__(self) -> None:
        self.judging, self.has_unjudged = self.measures[0].judging, _has_unjudged(self.measures[0])
        self.exclude = self.measures[0].data.exclude
        self.ordering = Ordering.of(self.judging, self.exclude)

    def repeats_beyond(self, judged: object) -> bool:
        """Return whether a run is refused for a document that appears twice, maybe behind the depth of the measures."""
        judging = self.judging
        refused = isinstance(judged, InputError) and judged.slug == "duplicate-document"
        plain = (judging.blocks, judging.pairing, self.exclude) == ("joined", "id", None)
        return refused and plain and judging.order in ("auto", "score") and judging.depth is not None


class Evaluator:
    """One run, judged and measured under the settings of all measures."""

    def __init__(
        self,
        judgements: Judgements,
        run: Run,
        plans: Sequence[Plan],
        *,
        shown: frozenset[str] = frozenset(),
        full: bool = False,
        progress: "Progress | None" = None,
    ) -> None:
        """Judge the run by every ordering, and measure it.

        Args:
            judgements: those that count under some settings.
            run: the run.
            plans: the measures.
            shown: queries of which all documents get rows, with ids and scores.
            full: whether unjudged documents get rows, whatever is measured, as they are to get grades.
            progress: called while a file is read.

        Raises:
            InputError: where the run cannot be read.

        """
        if run.orders.set_of:
            from rankworth.scoring.sets import refuse_orders  # noqa: PLC0415 - rarely needed

            refuse_orders(run, [measure for plan in plans for measure in plan.asked])
        self.judgements, self.shown, self._open_grades = judgements, shown, full
        self.run = run if judgements.only is None else run.only(judgements.only)
        self._refused: dict[int, RankworthError] = {}
        self._widened: dict[int, Qrels] = {}
        self._alike: dict[int, str] = {}
        self._columns: dict[int, Column] = {}
        cases: list[_Case] = []
        for plan in plans:
            try:
                cases += [self._case(measures) for measures in plan.alike]
            except RankworthError as error:
                self._refused |= {id(measure): error for measure in plan.asked}
        self._cases = {id(measure): case for case in cases for measure in case.measures}
        quantities = [(measure.quantity, case.qrels) for case in cases for measure in case.measures]
        self.full = full or any(layout_of(quantity, qrels) == "all" for quantity, qrels in quantities)
        """whether unjudged documents have rows, too"""
        self._subtopics = any(quantity.definition.subtopics for quantity, _ in quantities)
        self._elsewhere = any(quantity.definition.elsewhere for quantity, _ in quantities)
        if not cases:
            return
        if not any(len(case.qrels) for case in cases):  # judgements without a row, which no run can meet
            self.run = Run.rowless(self.run.name)
        try:
            self._judge(cases, self.run, progress)
        except InputError as error:
            may_be_rowless = all(plan.rowless for plan in plans if id(plan.base) not in self._refused)
            if error.slug != "empty-input" or self.run.is_rowless or not may_be_rowless:
                raise
            self.run = Run.rowless(self.run.name)
            self._judge(cases, self.run, progress)
        self._judge_shortened(cases)
        self._judge_parts(cases, progress)
        self._measure(cases)

    def alike_documents(self, qrels: Qrels) -> str:
        """Describe ids of documents that differ in their form; the run is read again once for all plans."""
        if id(qrels) not in self._alike:
            self._alike[id(qrels)] = alike_documents(qrels, self.run)
        return self._alike[id(qrels)]

    def _case(self, measures: Sequence[ResolvedMeasure]) -> _Case:
        """Group measures that need one judged run with their judgements.

        Raises:
            RankworthError: where judgements are refused, or settings that an engine cannot follow.

        """
        judging, averaging = measures[0].judging, measures[0].averaging
        qrels = self.judgements(judging, measures[0].data.exclude)
        if self.run.engine:
            self.run.refuse(judging)  # type: ignore[attr-defined]
        if measures[0].quantity.definition.elsewhere and averaging.extra != "ignore":
            if id(qrels) not in self._widened:
                self._widened[id(qrels)] = qrels.with_queries(self.run.queries())
            qrels = self._widened[id(qrels)]
        return _Case(measures, qrels, qrels)

    def _judge(self, cases: Sequence[_Case], run: Run, progress: "Progress | None" = None) -> None:
        """Judge a run by the orderings of some measures."""
        pairs: dict[tuple[int, Ordering], tuple[Qrels, Ordering]] = {}
        for case in cases:
            pairs[id(case.qrels), case.ordering] = (case.qrels, case.ordering)
        shown = self.shown and {  # with the parts of a query
            query
            for qrels, _ in pairs.values()
            for query in qrels.queries
            if query in self.shown or query.rpartition(" (")[0] in self.shown
        }
        judged: Sequence[JudgedRun | InputError]
        try:
            include = Include(self.full, self._elsewhere, shown, self._subtopics)
            judged = judge_all(list(pairs.values()), run, include, progress)
        except InputError as error:
            if not any(case.repeats_beyond(error) for case in cases):
                raise
            judged = [error] * len(pairs)
        by_pair = dict(zip(pairs, judged, strict=True))
        for case in cases:
            case.judged = by_pair[id(case.qrels), case.ordering]

    def _judge_shortened(self, cases: Sequence[_Case]) -> None:
        """Judge what was refused for a repeated document once more, cut to its depth before documents are compared.

        Raises:
            InputError: `duplicate-document`, where all measures refuse the run.

        """
        refused = [case for case in cases if case.repeats_beyond(case.judged)]
        if not refused:
            return
        first = next(case.judged for case in cases if isinstance(case.judged, InputError))
        for some in _grouped(refused, lambda case: (id(case.qrels), case.ordering, case.judging.depth)):
            self._judge(some, shortened(self.run, some[0].ordering, some[0].judging.depth or 0))
        if all(isinstance(case.judged, InputError) for case in cases):
            raise first

    def _judge_parts(self, cases: Sequence[_Case], progress: "Progress | None") -> None:
        """Judge once more where parts of a query stand apart and count as queries, and where ids are positions."""
        blocks = [
            case
            for case in cases
            if case.judging.blocks != "joined" and isinstance(case.judged, JudgedRun) and case.judged.scattered
        ]
        positions = [case for case in cases if case.judging.pairing == "position"]
        for some in _grouped(blocks, lambda case: (id(case.whole), case.judging.blocks)):
            try:
                self._judge_as(some, separated(some[0].whole, self.run, some[0].judging, some[0].exclude), progress)
            except UsageError as error:
                for case in some:
                    case.judged = error
        for some in _grouped(positions, lambda case: id(case.whole)):
            if (pair := paired(some[0].whole, self.run)) is not None:
                self._judge_as(some, pair, progress)

    def _judge_as(self, cases: Sequence[_Case], pair: tuple[Qrels, Run], progress: "Progress | None") -> None:
        """Judge another run by other judgements in place of those of some measures."""
        for case in cases:
            case.qrels = pair[0]
        self._judge(cases, pair[1], progress)

    def _measure(self, cases: Sequence[_Case]) -> None:
        """Measure each judged run once for all measures whose settings have the same effect on it."""
        alike: dict[tuple[int, Judging, bool], tuple[JudgedRun, list[_Case]]] = {}
        for case in cases:
            if isinstance(judged := case.judged, JudgedRun):
                is_standard = case.judging == STANDARD_JUDGING
                judging = case.judging
                if not is_standard:
                    judging = grades.effective(judging, judged.hits, open_grades=self._open_grades)
                key = id(judged.hits), judging, case.has_unjudged
                alike.setdefault(key, (judged, []))[1].append(case)
            else:
                case.run = judged
        for (_, judging, _), (judged, some) in alike.items():
            measured: MeasuredRun | RankworthError
            try:
                measured = self._measured_run(some[0], judged, judging)
                measured.measure(dict.fromkeys(one.quantity for case in some for one in case.measures), some[0].qrels)
            except RankworthError as error:
                measured = error
            for case in some:
                case.run = measured

    def _measured_run(self, case: _Case, judgement: JudgedRun, judging: Judging) -> MeasuredRun:
        """Apply the settings that concern grades, depth and queries.

        Args:
            case: measures with these settings.
            judgement: the run as it is judged for them.
            judging: their settings that change something here.

        Raises:
            RankworthError: where the settings refuse the run.

        """
        qrels, queries = case.qrels, list(case.qrels.queries)
        hits = judgement.hits
        if case.judging != STANDARD_JUDGING:
            grades.refuse_ids(case.judging, queries, judgement.unjudged)
            hits = grades.settle(hits, judging, queries)
        settled = hits
        judged = np.ones(len(queries), dtype=bool)
        if self._widened and qrels is case.whole:
            judgements = self.judgements(case.judging, case.exclude)
            judged = judged if qrels is judgements else _within(queries, judgements.queries)
        if judging.judgements == "relevant" or judging.negative == "dropped":
            judged = grades.graded(judgement.hits, judging, queries).pool.lengths > 0
        empty, answered = self.run.empty | judgement.emptied, judgement.hits.n_retrieved > 0
        unjudged = dict.fromkeys(sorted(self.run.empty.difference(queries)), 0) | dict(judgement.unjudged)
        if case.has_unjudged:
            hits = grades.with_unjudged(hits, unjudged, full=self.full)
            queries += list(unjudged)
            judged = np.append(judged, np.zeros(len(unjudged), dtype=bool))
            answered = np.append(answered, np.array(list(unjudged.values()), dtype=np.int64) > 0)
        standing = _standing(hits, judging, queries, judged, answered, _within(queries, empty))
        return MeasuredRun(hits, settled, standing, judging, judgement)

    def qrels(self, measure: ResolvedMeasure) -> Qrels:
        """Return the judgements of a measure, with a query for each part of a query that counts as one."""
        return self._cases[id(measure)].qrels

    def measured_run(self, measure: ResolvedMeasure) -> MeasuredRun:
        """Return the run as the settings of a measure have it, with the values of all measures that have it so.

        Raises:
            RankworthError: where the settings refuse the run.

        """
        if id(measure) in self._refused:
            raise self._refused[id(measure)]
        measured = self._cases[id(measure)].run
        if not isinstance(measured, MeasuredRun):
            raise measured or TypeError("the run is not judged yet")
        return measured

    def column(self, measure: ResolvedMeasure) -> Column:
        """Return the values of a measure, and how much each counts; computed once.

        Raises:
            RankworthError: where the settings refuse them.

        """
        if id(measure) not in self._columns:
            self._columns[id(measure)] = self._new_column(measure)
        return self._columns[id(measure)]

    def _new_column(self, measure: ResolvedMeasure) -> Column:
        """Compute the values of a measure, and how much each counts.

        Raises:
            RankworthError: where the settings refuse them.

        """
        run, settings = self.measured_run(measure), measure.averaging
        if settings.no_queries == "hits":
            hits, cutoff = run.hits, measure.quantity.cutoff
            reached = hits.known if cutoff is None else hits.known & (hits.rank <= cutoff)
            settings = replace(settings, no_queries="nan" if reached.any() else "zero")
        column = run.column(measure.quantity, settings, measure.data)
        measure.refuse_several(int(np.count_nonzero(column.counted)))
        return column


def _grouped(items: Iterable[T], key: Callable[[T], Hashable]) -> list[list[T]]:
    """Group items by key, keeping their order."""
    groups: dict[Hashable, list[T]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return list(groups.values())


def _within(queries: Sequence[str], some: Collection[str]) -> Mask:
    """Return `[Q]`, which queries are among some others."""
    return np.array([query in some for query in queries], dtype=bool)
