"""One run under several conventions: read and joined once, measured as the settings of each measure say."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from rankworth.errors import InputError, RankworthError, RefusedError, UsageError
from rankworth.evaluation import aggregation, diagnostics
from rankworth.evaluation.aggregation import Column, Mask
from rankworth.evaluation.measured_run import MeasuredRun, layout_of
from rankworth.evaluation.per_query import PerQuery
from rankworth.evaluation.summary import Counts
from rankworth.evaluation.values import Behind, Values
from rankworth.groups import Groups
from rankworth.judging import JudgedRun, grades, judge_all
from rankworth.judging.exclusion import Exclusion
from rankworth.judging.quirks import paired, separated, shortened
from rankworth.measures import TextFact
from rankworth.measures.facts import RUNID
from rankworth.model import Qrels, Run
from rankworth.names import kind_of
from rankworth.profiles import Profile, ResolvedMeasure
from rankworth.settings import Judging, Ordering

if TYPE_CHECKING:
    from rankworth.io.source import Progress


class QrelsOf(Protocol):
    """Gives the judgements that count under some settings: without those that are excluded, each once."""

    only: frozenset[str] | None
    """the queries to evaluate; None for all"""

    def __call__(self, judging: Judging, /) -> Qrels:
        """Judgements under some settings."""


@dataclass(frozen=True)
class Plan:
    """The measures of an evaluation under one profile."""

    profile: Profile
    asked: Sequence[ResolvedMeasure]
    by: Groups | None = None
    """groups that are shown"""

    @property
    def rowless(self) -> bool:
        """Whether judgements or a run without a row give numbers."""
        return self.profile.rowless

    @property
    def exclude(self) -> Exclusion | None:
        """The pairs that some measure does not count, or their label."""
        return next((one.judging.exclude for one in self.asked if one.judging.exclude is not None), None)


class Measured(NamedTuple):
    """The values of one plan."""

    measures: Sequence[ResolvedMeasure]
    """those that are numbers"""
    columns: Sequence[Column]
    per_query: PerQuery
    base: ResolvedMeasure
    """the measure that tells how many queries there are"""
    whole: MeasuredRun
    """the run under its settings"""
    kept: Mask
    """the queries that count for it"""
    counts: Counts


class Evaluator:
    """One run under the settings of all measures."""

    def __init__(self, qrels_of: QrelsOf, run: Run, plans: Sequence[Plan], shown: frozenset[str] = frozenset()) -> None:
        """Hold what is to be evaluated.

        Args:
            qrels_of: gives the judgements that count under some settings.
            run: the run.
            plans: the measures.
            shown: queries of which all documents get rows, with ids and scores.

        """
        self.qrels_of = qrels_of
        self.run = run
        self.asked = [one for plan in plans for one in plan.asked]
        self.rowless = all(plan.rowless and plan.exclude is None for plan in plans)
        self.shown = shown
        self.full = False
        """whether unjudged documents have rows, too"""
        # By the identity of a measure with its settings:
        self._whole: dict[int, Qrels] = {}
        """the judgements"""
        self._qrels: dict[int, Qrels] = {}
        """the judgements, with parts of queries as queries of their own where settings say so"""
        self._judged: dict[int, JudgedRun | RankworthError] = {}
        self._measured: dict[int, MeasuredRun | RankworthError] = {}

    def judge(self, progress: "Progress | None") -> None:
        """Judge the run by every ordering, and measure it.

        Raises:
            InputError: where the run cannot be read.

        """
        widened: dict[int, Qrels] = {}
        for one in self.asked:
            qrels = self.qrels_of(one.judging)
            if one.quantity.definition.elsewhere and one.averaging.extra != "ignore":
                if id(qrels) not in widened:
                    widened[id(qrels)] = qrels.with_queries(self.run.queries())
                qrels = widened[id(qrels)]
            self._whole[id(one)] = qrels
        self._qrels |= self._whole
        self.full = any(layout_of(one.quantity, self._qrels[id(one)]) == "all" for one in self.asked)
        if not any(map(len, self._qrels.values())):  # judgements without a row, which no run can meet
            self.run = Run.rowless(self.run.name)
        try:
            self._judge(self.asked, self.run, progress)
        except InputError as error:
            if error.slug != "empty-input" or not self.rowless or self.run.is_rowless:
                raise
            self.run = Run.rowless(self.run.name)
            self._judge(self.asked, self.run, progress)
        self._judge_shortened()
        self._judge_parts(progress)
        self._measure()

    def _judge(self, asked: Sequence[ResolvedMeasure], run: Run, progress: "Progress | None" = None) -> None:
        """Judge a run by the orderings of some measures."""
        pairs: dict[tuple[int, Ordering], tuple[Qrels, Ordering]] = {}
        for one in asked:
            qrels = self._qrels[id(one)]
            pairs[id(qrels), one.judging.ordering] = (qrels, one.judging.ordering)
        shown = self.shown and {
            query for qrels, _ in pairs.values() for query in qrels.queries if self._is_shown(query)
        }
        judged: Sequence[JudgedRun | InputError]
        try:
            judged = judge_all(
                list(pairs.values()),
                run,
                layout="full" if self.full else "compact",
                subtopics=any(one.quantity.definition.subtopics for one in self.asked),
                elsewhere=any(one.quantity.definition.elsewhere for one in self.asked),
                shown=shown,
                progress=progress,
            )
        except InputError as error:
            if not any(_repeats_beyond(one, error) for one in asked) or run.engine:
                raise
            judged = [error] * len(pairs)
        by_pair = dict(zip(pairs, judged, strict=True))
        self._judged |= {id(one): by_pair[id(self._qrels[id(one)]), one.judging.ordering] for one in asked}

    def _is_shown(self, query: str) -> bool:
        """Whether a query is to be shown, or is one of the blocks of such a query."""
        return query in self.shown or query.rpartition(" (")[0] in self.shown

    def _judge_shortened(self) -> None:
        """Judge what was refused for a repeated document once more, cut to its depth before documents are compared.

        Raises:
            InputError: `duplicate-document`, where all measures refuse the run.

        """
        refused = [one for one in self.asked if _repeats_beyond(one, self._judged[id(one)])]
        if self.run.engine or not refused:
            return
        first = next(error for error in self._judged.values() if isinstance(error, InputError))
        for some in _grouped(refused, lambda one: (id(self._qrels[id(one)]), one.judging.ordering, one.judging.depth)):
            judging = some[0].judging
            self._judge(some, shortened(self.run, judging.ordering, judging.depth or 0))
        if all(isinstance(judged, InputError) for judged in self._judged.values()):
            raise first

    def _judge_parts(self, progress: "Progress | None") -> None:
        """Judge once more where parts of a query stand apart and count as queries, and where ids are positions."""
        blocks = [one for one in self.asked if one.judging.blocks != "joined" and self._is_scattered(one)]
        for some in _grouped(blocks, lambda one: (id(self._whole[id(one)]), one.judging.blocks)):
            try:
                qrels, run = separated(self._whole[id(some[0])], self.run, some[0].judging)
            except UsageError as error:
                self._judged |= {id(one): error for one in some}
                continue
            self._qrels |= {id(one): qrels for one in some}
            self._judge(some, run, progress)
        positions = [one for one in self.asked if one.judging.pairing == "position"]
        for some in _grouped(positions, lambda one: id(self._whole[id(one)])):
            if (found := paired(self._whole[id(some[0])], self.run)) is not None:
                self._qrels |= {id(one): found[0] for one in some}
                self._judge(some, found[1], progress)

    def _is_scattered(self, one: ResolvedMeasure) -> bool:
        judged = self._judged[id(one)]
        return isinstance(judged, JudgedRun) and judged.scattered

    def _measure(self) -> None:
        """Measure the judged run, once for all measures with settings that come to the same here."""
        effective: dict[tuple[int, Judging], Judging] = {}
        alike: dict[tuple[int, Judging, str], list[ResolvedMeasure]] = {}
        for one in self.asked:
            judged, judging = self._judged[id(one)], one.judging
            if isinstance(judged, JudgedRun):
                key = (id(judged.hits), judging)
                if key not in effective:
                    effective[key] = grades.effective(judging, judged.hits)
                alike.setdefault((id(judged.hits), effective[key], one.averaging.extra), []).append(one)
            else:
                self._measured[id(one)] = judged
        for (_, judging, _), some in alike.items():
            measured: MeasuredRun | RankworthError
            try:
                measured = self._measured_run(some[0], judging)
                measured.measure(dict.fromkeys(one.quantity for one in some), self._qrels[id(some[0])])
            except RankworthError as error:
                measured = error
            self._measured |= {id(one): measured for one in some}

    def _measured_run(self, one: ResolvedMeasure, judging: Judging) -> MeasuredRun:
        """Apply the settings that concern grades, depth and queries.

        Args:
            one: a measure with these settings.
            judging: its settings that change something here.

        Raises:
            RankworthError: where the settings refuse the run.

        """
        qrels, judgement = self._qrels[id(one)], self._judgement(one)
        queries = list(qrels.queries)
        grades.refuse_ids(one.judging, (*queries, *judgement.unjudged))
        hits = settled = grades.settle(judgement.hits, judging, queries)
        known = np.ones(len(queries), dtype=bool)
        if qrels is self._whole[id(one)] and qrels is not (judged := self.qrels_of(one.judging)):
            known = _within(queries, judged.queries)
        if judging.judgements == "relevant" or judging.negative == "dropped":
            known = np.diff(grades.graded(judgement.hits, judging, queries).pool_offsets) > 0
        empty, answered = self.run.empty | judgement.emptied, judgement.hits.n_retrieved > 0
        others = dict.fromkeys(sorted(self.run.empty.difference(queries)), 0) | dict(judgement.unjudged)
        if one.averaging.extra != "ignore":
            hits = grades.with_unjudged(hits, others, full=self.full)
            queries += list(others)
            known = np.append(known, np.zeros(len(others), dtype=bool))
            answered = np.append(answered, np.array(list(others.values()), dtype=np.int64) > 0)
            others = {}
        return MeasuredRun(
            hits, settled, queries, known, answered, _within(queries, empty), judging, judgement, set(others)
        )

    def _judgement(self, one: ResolvedMeasure) -> JudgedRun:
        """The run as it is judged for a measure.

        Raises:
            InputError, UsageError: where it is refused.

        """
        judged = self._judged[id(one)]
        if isinstance(judged, RankworthError):
            raise judged
        return judged

    def qrels(self, one: ResolvedMeasure) -> Qrels:
        """The judgements of a measure, with a query for each part of a query that counts as one."""
        return self._qrels[id(one)]

    def measured_run(self, one: ResolvedMeasure) -> MeasuredRun:
        """The run as the settings of a measure have it, with the values of all measures that have it so.

        Raises:
            RankworthError: where the settings refuse the run.

        """
        measured = self._measured[id(one)]
        if isinstance(measured, RankworthError):
            raise measured
        return measured

    def columns_of(self, plan: Plan) -> Measured:
        """The values of one plan, measure by measure.

        Raises:
            RankworthError: where the profile refuses the run.

        """
        measures = [one for one in plan.asked if not isinstance(one.quantity, TextFact)]
        columns = [self._column(plan.profile, one) for one in measures]
        base = next((one for one in plan.asked if _is_plain(one, plan.profile)), plan.asked[0])
        qrels = self._qrels[id(base)]
        try:
            whole = self.measured_run(base)
            kept = whole.rows(base.averaging).there
        except RefusedError as error:
            raise plan.profile.refused(error) from None
        ids, table, there = aggregation.side_by_side(columns, whole.standing, kept)
        texts = {one.label: self._texts(one, ids) for one in plan.asked if isinstance(one.quantity, TextFact)}
        per_query = PerQuery(
            ids,
            [one.label for one in measures],
            table,
            {label: column for label, column in texts.items() if column is not None},
            there,
            [kind_of(one.quantity) for one in measures],
            () if plan.by is None else plan.by.shown(ids),
            qrels.kinds,
        )
        counts = Counts.of(
            whole.standing,
            kept,
            qrels.kinds,
            whole.judgement.unjudged,
            duplicates_removed=whole.judgement.repeated,
            duplicate_judgements_removed=int(qrels.repeated.sum()),
            excluded=whole.judgement.excluded,
            excluded_judgements=int(qrels.excluded.sum()),
        )
        return Measured(measures, columns, per_query, base, whole, kept, counts)

    def _column(self, profile: Profile, one: ResolvedMeasure) -> Column:
        """The values of a measure as they are averaged.

        Raises:
            RankworthError: where the profile refuses them.

        """
        try:
            run = self.measured_run(one)
            settings = one.averaging
            if settings.no_queries == "hits":
                hits, cutoff = run.hits, one.quantity.cutoff
                reached = hits.known if cutoff is None else hits.known & (hits.rank <= cutoff)
                settings = replace(settings, no_queries="nan" if reached.any() else "zero")
            rows, values = run.rows(one.averaging), run.values_of(one.quantity)
            column = aggregation.column_of(one.quantity, values, rows, run.standing, settings)
            column.refuse()
            column.mean()
        except RefusedError as error:
            raise profile.refused(error, one.label) from None
        return column

    def _texts(self, one: ResolvedMeasure, ids: Sequence[str]) -> list[str] | None:
        """The texts of some queries; None where there is one for the whole run."""
        if one.quantity == RUNID:
            return None
        run = self.measured_run(one)
        texts = dict(zip(run.queries, run.texts[one.quantity], strict=True))
        return [texts.get(query, "") for query in ids]

    def values_of(self, plan: Plan) -> Values:
        """The values of one plan, with counts, diagnostics and what is needed to make means and signatures.

        Raises:
            RankworthError: where the profile refuses the run.

        """
        measured = self.columns_of(plan)
        base, whole = measured.base, measured.whole
        return Values(
            self.run.name,
            tuple(one.quantity for one in measured.measures),
            measured.per_query,
            measured.counts,
            _as_followed(plan.profile, base, self.qrels_of(base.judging)),
            tuple(diagnostics.diagnose(self, plan, measured)),
            tuple(one.quantity for one in plan.asked),
            self.run.tag,
            plan.by,
            self.qrels_of(replace(base.judging, exclude=None)),
            Behind(
                tuple(measured.columns),
                tuple(replace(one, judging=one.judging.bare) for one in measured.measures),
                None if plan.by is None else (whole.standing, measured.kept),
                int(np.count_nonzero(whole.hits.pool > 0)),
                self.run.lists is not None,
            ),
        )


def _grouped(
    asked: Iterable[ResolvedMeasure], key: Callable[[ResolvedMeasure], Hashable]
) -> list[list[ResolvedMeasure]]:
    """Measures that share something, together."""
    groups: dict[Hashable, list[ResolvedMeasure]] = {}
    for one in asked:
        groups.setdefault(key(one), []).append(one)
    return list(groups.values())


def _within(queries: Sequence[str], some: Iterable[str]) -> Mask:
    """`[Q]`: which queries are among some others."""
    others = some if isinstance(some, frozenset) else set(some)
    if not others:
        return np.zeros(len(queries), dtype=bool)
    return np.array([query in others for query in queries], dtype=bool)


def _repeats_beyond(one: ResolvedMeasure, judged: JudgedRun | RankworthError) -> bool:
    """Whether a run was refused for a document that is there twice, maybe behind the depth of a measure."""
    judging = one.judging
    refused = isinstance(judged, InputError) and judged.slug == "duplicate-document"
    plain = (judging.blocks, judging.pairing, judging.exclude) == ("joined", "id", None)
    return refused and plain and judging.order in ("auto", "score") and judging.depth is not None


def _is_plain(one: ResolvedMeasure, profile: Profile) -> bool:
    """Whether a measure has no settings of its own."""
    return one.judging == profile.judging and one.averaging == profile.averaging


def _as_followed(profile: Profile, base: ResolvedMeasure, qrels: Qrels) -> Profile:
    """The settings as they were followed; what becomes of repeated judgements may have been settled with them."""
    policy, exclude = qrels.duplicate_judgements, profile.judging.exclude
    if policy not in ("error", base.judging.duplicate_judgements):
        profile = profile.derive(duplicate_judgements=policy)
    return profile if exclude is None else replace(profile, judging=profile.judging.bare)
