"""One run under several conventions: read and joined once, measured as the settings of each measure say."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from rankworth import averaging
from rankworth.averaging import Averaging
from rankworth.errors import InputError, MeasureError, RankworthError, RefusedError, UsageError
from rankworth.evaluation import aggregation
from rankworth.evaluation.aggregation import Column, Mask
from rankworth.evaluation.counterfactuals import MeasureContext
from rankworth.evaluation.diagnostics import (
    notice_of_no_rows,
    notices_of,
    notices_of_blanks,
    notices_of_cutoffs,
    notices_of_exclusion,
    notices_of_ids,
    notices_of_rules,
    notices_of_subtopics,
    notices_of_ties,
)
from rankworth.evaluation.judged_view import View, layout_of
from rankworth.evaluation.per_query import PerQuery
from rankworth.evaluation.summary import Counts
from rankworth.evaluation.values import Behind, Notice, Values
from rankworth.groups import Groups
from rankworth.judging import JudgedRun, grades, judge_all
from rankworth.judging.exclusion import Exclusion
from rankworth.judging.quirks import paired, separated, shortened
from rankworth.judging.settings import Judging, Ordering
from rankworth.measures import Measure, TextFact
from rankworth.measures.facts import RUNID
from rankworth.model import Qrels, Run
from rankworth.names import Quantity, kind_of
from rankworth.profiles import Asked, Profile

if TYPE_CHECKING:
    from rankworth.io.source import Progress


class QrelsOf(Protocol):
    """Gives the judgements that count under some settings: without those that are excluded, each once."""

    only: frozenset[str] | None
    """the queries that were asked for; None where nobody named any"""

    def __call__(self, judging: Judging, /) -> Qrels:
        """Judgements under some settings."""


@dataclass(frozen=True)
class Plan:
    """What is asked for under one profile."""

    profile: Profile
    asked: Sequence[Asked]
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

    measures: Sequence[Asked]
    """those that are numbers"""
    columns: Sequence[Column]
    per_query: PerQuery
    base: Asked
    """the measure that tells how many queries there are"""
    whole: View
    """the run as it sees it"""
    kept: Mask
    """the queries that count for it"""
    counts: Counts


_Key = tuple[int, Judging, str]
"""Which judged run, which settings, and what becomes of queries that nobody judged."""


class Evaluator:
    """One run under all that is asked of it."""

    def __init__(self, qrels_of: QrelsOf, run: Run, plans: Sequence[Plan], shown: frozenset[str] = frozenset()) -> None:
        """Hold what is asked for.

        Args:
            qrels_of: gives the judgements that count under some settings.
            run: the run.
            plans: what is asked for.
            shown: queries of which all documents get rows, with ids and scores.

        """
        self.qrels_of = qrels_of
        self.shown = shown
        self.run = run
        self.asked = [one for plan in plans for one in plan.asked]
        self.rowless = all(plan.rowless and plan.exclude is None for plan in plans)
        self.judgements: dict[tuple[int, Ordering], JudgedRun | InputError] = {}
        self.separated: dict[tuple[int, str], Qrels] = {}
        self.inseparable: dict[tuple[int, str], UsageError] = {}
        self.effective: dict[tuple[int, Judging], Judging] = {}
        self.widened: dict[int, Qrels] = {}
        self.views: dict[_Key, View | RankworthError] = {}
        self.wanted: dict[_Key, dict[Quantity, None]] = {}
        self.keys: dict[int, _Key] = {}

    def judge(self, progress: "Progress | None") -> None:
        """Judge the run by every ordering there is; once more where queries stand apart and that is to matter."""
        if not any(len(self._qrels(one)) for one in self.asked):  # judgements without a row, which no run can meet
            self.run = Run.rowless(self.run.name)
        try:
            self._judge(self.asked, self.run, progress)
        except InputError as error:
            if error.slug != "empty-input" or not self.rowless or self.run.is_rowless:
                raise
            self.run = Run.rowless(self.run.name)
            self._judge(self.asked, self.run, progress)
        self._judge_shortened()
        apart = [one for one in self.asked if one.judging.blocks != "joined" and self._is_scattered(one)]
        for first in {(id(self._base_qrels(one)), one.judging.blocks): one for one in apart}.values():
            qrels, blocks = self._base_qrels(first), first.judging.blocks
            try:
                self.separated[id(qrels), blocks], run = separated(qrels, self.run, first.judging)
            except UsageError as error:
                self.inseparable[id(qrels), blocks] = error
                continue
            alike = (one for one in apart if self._base_qrels(one) is qrels and one.judging.blocks == blocks)
            self._judge(list(alike), run, progress)
        by_place = [one for one in self.asked if one.judging.pairing == "position"]
        for qrels in {id(self._base_qrels(one)): self._base_qrels(one) for one in by_place}.values():
            if (found := paired(qrels, self.run)) is not None:
                self.separated[id(qrels), "position"] = found[0]
                self._judge([one for one in by_place if self._base_qrels(one) is qrels], found[1], progress)
        for one in self.asked:
            self.wanted.setdefault(self._key(one), {})[one.quantity] = None

    def _judge(self, asked: Sequence[Asked], run: Run, progress: "Progress | None") -> None:
        """Judge a run by the orderings of some measures."""
        pairs: dict[tuple[int, Ordering], tuple[Qrels, Ordering]] = {}
        for one in asked:
            qrels = self._qrels(one)
            pairs[id(qrels), one.judging.ordering] = (qrels, one.judging.ordering)
        self.full = any(layout_of(one.quantity, self._qrels(one)) == "all" for one in self.asked)
        found: Sequence[JudgedRun | InputError]
        try:
            found = judge_all(
                list(pairs.values()),
                run,
                layout="full" if self.full else "compact",
                subtopics=any(one.quantity.definition.subtopics for one in self.asked),
                elsewhere=any(one.quantity.definition.elsewhere for one in self.asked),
                shown=self.shown
                and {query for qrels, _ in pairs.values() for query in qrels.queries if self._is_shown(query)},
                progress=progress,
            )
        except InputError as error:
            if not any(_repeats_beyond(one, error) for one in asked) or run.engine:
                raise
            found = [error] * len(pairs)
        self.judgements |= zip(pairs, found, strict=True)

    def _judge_shortened(self) -> None:
        """Judge once more what was refused for a document that a query has twice: `depth` cuts before they are sought.

        Raises:
            InputError: `duplicate-document`, where it is there twice within the depth.

        """
        cut: dict[tuple[int, Ordering, int], list[Asked]] = {}
        for one in () if self.run.engine else self.asked:
            judgement = self.judgements[id(self._qrels(one)), one.judging.ordering]
            if one.judging.depth is not None and _repeats_beyond(one, judgement):
                cut.setdefault((id(self._qrels(one)), one.judging.ordering, one.judging.depth), []).append(one)
        for (_, ordering, depth), some in cut.items():
            qrels, run = self._base_qrels(some[0]), shortened(self.run, ordering, depth)
            self.separated[id(qrels), f"{depth} of {ordering}"] = Qrels(qrels)
            self._judge(some, run, None)
        if cut and all(isinstance(one, InputError) for one in self.judgements.values()):
            raise next(one for one in self.judgements.values() if isinstance(one, InputError))

    def _is_shown(self, query: str) -> bool:
        """Whether a query is to be shown, or is one of the blocks of such a query."""
        return query in self.shown or query.rpartition(" (")[0] in self.shown

    def scene(self, plan: Plan, one: Asked, column: Column) -> MeasureContext:
        """What stands behind the values of a measure."""
        measure = one.quantity
        if not isinstance(measure, Measure):
            message = f"{one.label} is counted, and no rank contributes to it"
            raise MeasureError("measure-syntax", message, remedy="rankworth evaluate -q shows the count of each query")
        whole = next(each for each in plan.asked if replace(each, judging=each.judging.bare) == one)
        judging = self.effective.get((id(self._judgement(whole).hits), whole.judging), whole.judging)
        return MeasureContext(one, plan.profile, measure, self.view(whole), judging, self._qrels(whole), column)

    def _judgement(self, one: Asked) -> JudgedRun:
        """The run as it is judged for a measure.

        Raises:
            InputError: where it is refused.
            UsageError: `conflicting-options`.

        """
        judgement = self.judgements[id(self._qrels(one)), one.judging.ordering]
        if (error := self.inseparable.get((id(self._base_qrels(one)), one.judging.blocks))) is not None:
            raise error
        if isinstance(judgement, InputError):
            raise judgement
        return judgement

    def _is_scattered(self, one: Asked) -> bool:
        judgement = self.judgements[id(self._qrels(one)), one.judging.ordering]
        return isinstance(judgement, JudgedRun) and judgement.scattered

    def _base_qrels(self, one: Asked) -> Qrels:
        """The judgements that count for a measure; with all queries of the run, where it asks for those."""
        qrels = self.qrels_of(one.judging)
        if not one.quantity.definition.elsewhere or one.averaging.extra == "ignore":
            return qrels
        if id(qrels) not in self.widened:
            self.widened[id(qrels)] = qrels.with_queries(self.run.queries())
        return self.widened[id(qrels)]

    def _qrels(self, one: Asked) -> Qrels:
        """The same, with each block of a query that stands apart, if that is to matter."""
        qrels = self._base_qrels(one)
        by_place = self.separated.get((id(qrels), "position")) if one.judging.pairing == "position" else None
        by_place = by_place or self.separated.get((id(qrels), f"{one.judging.depth} of {one.judging.ordering}"))
        return by_place or self.separated.get((id(qrels), one.judging.blocks), qrels)

    def view(self, one: Asked) -> View:
        """The judged run as a measure sees it, with the values of all measures that see it so.

        Raises:
            RankworthError: where the settings refuse the run.

        """
        key = self._key(one)
        if key not in self.views:
            try:
                self.views[key] = self._made(one, key)
            except RankworthError as error:
                self.views[key] = error
        view = self.views[key]
        if isinstance(view, RankworthError):
            raise view
        return view

    def columns_of(self, plan: Plan) -> "Measured":
        """The values of one plan, measure by measure.

        Raises:
            RankworthError: where it refuses.

        """
        found: list[Column] = []
        queries: list[list[str]] = []
        measures = [one for one in plan.asked if not isinstance(one.quantity, TextFact)]
        for one in measures:
            try:
                view = self.view(one)
                rows = aggregation.rows_of(view.standing, one.averaging)
                values, way = view.values_of(one.quantity), one.quantity.averaging
                averaging_of = _settled(one, view)
                lenient = one.quantity.parameters.get("rel", 1) <= 0
                column = aggregation.column(values, rows, view.standing, averaging_of, way, lenient=lenient)
                column.refuse()
                column.mean()
            except RefusedError as error:
                raise plan.profile.refused(error, one.label) from None
            found.append(column)
            queries.append(view.queries)
        base = _base(plan)
        try:
            whole = self.view(base)
            kept = aggregation.rows_of(whole.standing, base.averaging).there
        except RefusedError as error:
            raise plan.profile.refused(error) from None
        names, table, there = aggregation.side_by_side(found, queries, whole.standing, kept)
        texts = [one for one in plan.asked if isinstance(one.quantity, TextFact)]
        told = {one.label: _in_rows(names, self.view(one), one.quantity) for one in texts if one.quantity != RUNID}
        labels, kinds = [one.label for one in measures], [kind_of(one.quantity) for one in measures]
        groups = () if plan.by is None else plan.by.shown(names)
        per_query = PerQuery(names, labels, table, told, there, kinds, groups, self._qrels(base).kinds)
        return Measured(measures, found, per_query, base, whole, kept, _counts(self._qrels(base), whole, kept))

    def values_of(self, plan: Plan) -> Values:
        """The values of one plan, with all that stands beside them.

        Raises:
            RankworthError: where it refuses.

        """
        measures, found, per_query, base, whole, kept, counts = self.columns_of(plan)
        return Values(
            self.run.name,
            tuple(one.quantity for one in measures),
            per_query,
            counts,
            _told(plan.profile, base, self.qrels_of(base.judging)),
            tuple(self._notices(plan, base, whole, counts, measures, found)),
            tuple(one.quantity for one in plan.asked),
            self.run.tag,
            plan.by,
            self.qrels_of(replace(base.judging, exclude=None)),
            Behind(
                tuple(found),
                tuple(replace(one, judging=one.judging.bare) for one in measures),
                None if plan.by is None else (whole.standing, kept),
                int(np.count_nonzero(whole.hits.pool > 0)),
                self.run.lists is not None,
            ),
        )

    def _notices(
        self,
        plan: Plan,
        base: Asked,
        whole: View,
        counts: Counts,
        measures: Sequence[Asked],
        found: Sequence[Column],
    ) -> list[Notice]:
        qrels, name = self._qrels(base), self.run.name or "the run"
        if self.run.is_rowless:
            return [notice_of_no_rows(name if len(qrels) else "", plan.profile.tool)]
        hits = whole.judgement.hits
        settled = whole.settled
        alike = [one for one in measures if self._key(one) == self._key(base)]
        size = len(qrels)
        table = np.stack([whole.values[one.quantity][:size] for one in alike] or [np.zeros(size)], axis=1)
        if isinstance(base.averaging.undefined, float | int):
            table = np.where(np.isnan(table), base.averaging.undefined, table)
        by_key: dict[_Key, list[tuple[Asked, Column]]] = {}
        for one, column in zip(measures, found, strict=True):
            by_key.setdefault(self._key(one), []).append((one, column))
        ties = (
            notice
            for key, some in by_key.items()
            for notice in notices_of_ties(name, some, self.view(some[0][0]), key[1], self._qrels(some[0][0]))
        )
        seen = [(one, self.view(one).settled) for one in measures]
        return [
            *notices_of_rules(measures, hits),
            *ties,
            *notices_of_ids(qrels, self.run, hits, counts),
            *notices_of_exclusion(base.judging.exclude, counts),
            *notices_of(
                name,
                alike,
                settled,
                counts,
                table,
                plain=replace(base.averaging, missing="zero") == averaging.STANDARD
                and base.averaging.missing in ("zero", "skip"),
            ),
            *notices_of_cutoffs(name, seen, int(settled.n_retrieved.max()), base.judging.depth),
            *notices_of_subtopics(qrels, plan.asked, hits),
            *notices_of_blanks(qrels.blanks, qrels.blank),
        ]

    def _key(self, one: Asked) -> _Key:
        """What makes two measures see the same: settings that change nothing here do not matter."""
        if id(one) not in self.keys:
            self.keys[id(one)] = self._key_of(one)
        return self.keys[id(one)]

    def _key_of(self, one: Asked) -> _Key:
        judgement = self.judgements[id(self._qrels(one)), one.judging.ordering]
        if isinstance(judgement, InputError):
            return id(judgement), one.judging, one.averaging.extra
        key = (id(judgement.hits), one.judging)
        if key not in self.effective:
            self.effective[key] = grades.effective(one.judging, judgement.hits)
        return id(judgement.hits), self.effective[key], one.averaging.extra

    def _made(self, one: Asked, key: _Key) -> View:
        qrels, judgement = self._qrels(one), self._judgement(one)
        queries = list(qrels.queries)
        grades.refuse_ids(one.judging, (*queries, *judgement.unjudged))
        hits = settled = grades.settle(judgement.hits, key[1], queries)
        known = np.ones(len(queries), dtype=bool)
        if qrels is self.widened.get(id(self.qrels_of(one.judging))):
            judged = set(self.qrels_of(one.judging).queries)
            known = np.array([query in judged for query in queries], dtype=bool)
        if key[1].judgements == "relevant" or key[1].negative == "dropped":
            known = np.diff(grades.graded(judgement.hits, key[1], queries).pool_offsets) > 0
        others: dict[str, int] = {}
        if one.averaging.extra != "ignore":
            others = dict.fromkeys(sorted(self.run.empty - set(queries)), 0) | dict(judgement.unjudged)
            hits = grades.with_unjudged(hits, others, full=self.full)
            queries += list(others)
        more = len(queries) - known.size
        counts = list(others.values()) if more else []
        answered = np.append(judgement.hits.n_retrieved > 0, np.array(counts, dtype=np.int64) > 0)
        empty = self.run.empty | judgement.emptied
        view = View(
            hits,
            settled,
            queries,
            np.append(known, np.zeros(more, dtype=bool)),
            answered,
            np.array([query in empty for query in queries], dtype=bool)
            if empty
            else np.zeros(len(queries), dtype=bool),
            key[1].unjudged == "removed",
            judgement,
            () if others else {*judgement.unjudged, *(self.run.empty - set(queries))},
        )
        view.measure(list(self.wanted[key]), qrels)
        return view


def _settled(one: Asked, view: View) -> Averaging:
    """How values are averaged, once it is known whether any judged document was retrieved within the cutoff."""
    if one.averaging.no_queries != "hits":
        return one.averaging
    hits, cutoff = view.hits, one.quantity.cutoff
    found = hits.known if cutoff is None else hits.known & (hits.rank <= cutoff)
    return replace(one.averaging, no_queries="nan" if found.any() else "zero")


def _repeats_beyond(one: Asked, judgement: JudgedRun | InputError) -> bool:
    """Whether a run was refused for a document that is there twice, maybe behind the depth of a measure."""
    judging = one.judging
    plain = (judging.blocks, judging.pairing, judging.exclude) == ("joined", "id", None)
    plain = plain and judging.order in ("auto", "score")
    refused = isinstance(judgement, InputError) and judgement.slug == "duplicate-document"
    return refused and plain and judging.depth is not None


def _base(plan: Plan) -> Asked:
    """The measure that tells how many queries there are: one without settings of its own, if possible."""
    for one in plan.asked:
        if one.judging == plan.profile.judging and one.averaging == plan.profile.averaging:
            return one
    return plan.asked[0]


def _in_rows(names: Sequence[str], view: View, fact: Quantity) -> list[str]:
    """The texts of some queries."""
    texts = dict(zip(view.queries, view.texts[fact], strict=True))
    return [texts.get(name, "") for name in names]


def _counts(qrels: Qrels, view: View, kept: NDArray[np.bool_]) -> Counts:
    return Counts.of(
        view.standing,
        kept,
        qrels.kinds,
        view.judgement.unjudged,
        duplicates_removed=view.judgement.repeated,
        duplicate_judgements_removed=int(qrels.repeated.sum()),
        excluded=view.judgement.excluded,
        excluded_judgements=int(qrels.excluded.sum()),
    )


def _told(profile: Profile, base: Asked, qrels: Qrels) -> Profile:
    """The settings as they were followed: what became of repeated judgements may have been said with them."""
    policy, exclude = qrels.duplicate_judgements, profile.judging.exclude
    if policy not in ("error", base.judging.duplicate_judgements):
        profile = profile.derive(duplicate_judgements=policy)
    return profile if exclude is None else replace(profile, judging=profile.judging.bare)
