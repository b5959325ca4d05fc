"""One run under several conventions: judged once for each ordering, measured once for all settings alike."""

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankworth import support
from rankworth.catalogue import Catalogue, ExpectedLists
from rankworth.errors import InputError, MeasureError, RankworthError, UsageError, quoted
from rankworth.judging import Include, JudgedRun, grades, judge_all
from rankworth.judging.item_data import History, catalogue_of, expected_lists
from rankworth.judging.order import UNORDERED
from rankworth.judging.overlap import alike_documents, first_documents, id_field
from rankworth.judging.quirks import paired, separated, shortened
from rankworth.measures import Measure
from rankworth.model import Qrels, Run
from rankworth.model.costs import Costs
from rankworth.names import Quantity
from rankworth.profiles import NO_DATA, ResolvedMeasure
from rankworth.scoring.columns import Column, Mask
from rankworth.scoring.inputs import Judgements, refuse_unused_ids
from rankworth.scoring.joins import Join, joins_of
from rankworth.scoring.measured_run import MeasuredRun, layout_of, standing_of
from rankworth.scoring.plans import Plan, Requirements, grouped
from rankworth.settings import STANDARD_JUDGING, Judging

if TYPE_CHECKING:
    from rankworth.io.source import Progress


@dataclass(frozen=True, eq=False)
class Evaluation:
    """One run, judged and measured under the settings of all measures.

    Attributes:
        judgements: those that count under some settings.
        run: the run.
        measured: the measured run of each measure, by the identity of the measure, or the error that refuses it.
        joins: how much of the run the data about items have.

    """

    judgements: Judgements
    run: Run
    measured: Mapping[int, MeasuredRun | RankworthError]
    joins: tuple[Join, ...] = ()
    _columns: dict[int, Column] = field(default_factory=dict)
    _first_documents: dict[int, Mapping[str, Sequence[str]]] = field(default_factory=dict)
    _similar_documents: dict[int, str] = field(default_factory=dict)
    _id_fields: dict[int, str] = field(default_factory=dict)

    def measured_run(self, measure: ResolvedMeasure) -> MeasuredRun:
        """Return the run as the settings of a measure have it, with the values of all measures that have it so.

        Raises:
            RankworthError: where the settings refuse the run.

        """
        measured = self.measured[id(measure)]
        if isinstance(measured, RankworthError):
            raise measured
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
            reached = hits.is_judged if cutoff is None else hits.is_judged & (hits.rank <= cutoff)
            settings = replace(settings, no_queries="nan" if reached.any() else "zero")
        column = run.column(measure.quantity, settings, measure.data)
        measure.refuse_several(int(np.count_nonzero(column.counted)))
        return column

    def first_documents(self, qrels: Qrels) -> Mapping[str, Sequence[str]]:
        """Return some documents of the run by query; it is read again once for equal judgements."""
        if id(qrels) not in self._first_documents:
            self._first_documents[id(qrels)] = first_documents(qrels, self.run)
        return self._first_documents[id(qrels)]

    def known_documents(self, qrels: Qrels) -> Mapping[str, Sequence[str]] | None:
        """Return the same where it was read."""
        return self._first_documents.get(id(qrels))

    def id_field(self, qrels: Qrels) -> str:
        """Say which field of the run's objects holds judged ids; the run is looked at once."""
        if id(qrels) not in self._id_fields:
            self._id_fields[id(qrels)] = id_field(qrels, self.run, self.first_documents(qrels))
        return self._id_fields[id(qrels)]

    def alike_documents(self, qrels: Qrels) -> str:
        """Describe ids of documents that differ in their form; they are compared once for equal judgements."""
        if id(qrels) not in self._similar_documents:
            self._similar_documents[id(qrels)] = alike_documents(qrels, self.run.name, self.first_documents(qrels))
        return self._similar_documents[id(qrels)]

    def without_documents(self) -> "Evaluation":
        """Return the evaluation without the rows of the run."""
        return replace(self, run=self.run.without_documents())


class _Judged(NamedTuple):
    """A judged run, or the error that refuses it, and the judgements beside it."""

    qrels: Qrels
    run: JudgedRun | RankworthError


_Judge = Callable[[Mapping[Requirements, Qrels], Run], dict[Requirements, _Judged]]
"""judges a run once for each ordering"""


def evaluate_run(
    judgements: Judgements,
    run: Run,
    plans: Sequence[Plan],
    *,
    shown: frozenset[str] = frozenset(),
    full: bool = False,
    progress: "Progress | None" = None,
) -> Evaluation:
    """Judge a run once for each ordering, and measure it once for all settings that have the same effect on it.

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
    if run.facts.set_of or run.is_of_first_ranks:
        _refuse_measures(run, [measure for plan in plans for measure in plan.measures])
    run = run if judgements.only is None else run.only(judgements.only)
    if judgements.spans:
        from rankworth.judging.spans import run_of_spans  # noqa: PLC0415 - rarely needed

        run = run_of_spans(run, progress)
    measures, qrels, errors = _required(plans, judgements, run)
    if not measures:
        return Evaluation(judgements, run, errors)
    quantities = [(measure.quantity, qrels[required]) for required, group in measures.items() for measure in group]
    include = Include(
        full=full or any(layout_of(quantity, of) != "judged" for quantity, of in quantities),
        elsewhere=any(quantity.definition.elsewhere for quantity, _ in quantities),
        shown=shown,
        subtopics=any(quantity.definition.subtopics for quantity, _ in quantities),
        spans=any("spans" in quantity.definition.needs for quantity, _ in quantities),
        catalogue=_catalogue(measures, run),
        costs=_costs(quantities, run) if run.cost_columns or run.own_costs is not None else None,
    )
    judge = partial(_judged, include=include, progress=progress)
    if not any(map(len, qrels.values())):  # judgements without a row, which no run can meet
        run = Run.without_rows(run.name)
    try:
        judged = judge(qrels, run)
    except InputError as error:
        may_be_empty = all(plan.may_be_empty for plan in plans if id(plan.base) not in errors)
        if error.slug != "empty-input" or run.has_no_rows or not may_be_empty:
            raise
        run = Run.without_rows(run.name)
        judged = judge(qrels, run)
    judged |= _judged_to_depth(judged, run, judge)
    judged |= _judged_in_parts(judged, run, judge)
    judged |= _judged_by_position(qrels, run, judge)
    judged |= _judged_with_expected(judged, measures, judge)
    joins = _joins(judged, measures, run, is_part=judgements.only is not None)
    by_measure: dict[int, MeasuredRun | RankworthError] = {**errors}
    for equal, judging in _with_equal_effect(judged, open_grades=full):
        measured: MeasuredRun | RankworthError
        try:
            whole = judgements(equal[0].judging, equal[0].exclude)
            measured = _measured_run(equal[0], judged[equal[0]], judging, whole, run, full=include.full)
            measured.measure(dict.fromkeys(measure.quantity for required in equal for measure in measures[required]))
        except RankworthError as error:
            measured = error
        by_measure |= {id(measure): measured for required in equal for measure in measures[required]}
    if run.ids is not None and not run.ids.is_shared:
        refuse_unused_ids([run], judgements)
    return Evaluation(judgements, run, by_measure, joins)


def _refuse_measures(run: Run, measures: Sequence[ResolvedMeasure]) -> None:
    """Refuse measures that need more than a run has: an order, which sets have not, or more than a first rank.

    Raises:
        InputError: `input-type`.

    """
    if run.facts.set_of:
        from rankworth.scoring.sets import refuse_orders  # noqa: PLC0415 - rarely needed

        refuse_orders(run, measures)
    if run.is_of_first_ranks:
        from rankworth.scoring.first_ranks import refuse_others  # noqa: PLC0415 - rarely needed

        refuse_others(measures)


def _joins(
    judged: Mapping[Requirements, _Judged],
    measures: Mapping[Requirements, Sequence[ResolvedMeasure]],
    run: Run,
    *,
    is_part: bool,
) -> tuple[Join, ...]:
    """Look how much of the run the data about items have.

    Args:
        judged: the judged run for each of the requirements.
        measures: the measures that require each.
        run: the run.
        is_part: whether only some of its queries were asked for.

    Raises:
        InputError: `no-match`, where they have nothing of it.

    """
    joins: dict[str, Join] = {}
    for required, outcome in judged.items():
        if isinstance(outcome.run, JudgedRun):
            of_measures = joins_of(measures[required], outcome.run.hits, outcome.qrels, run)
            joins = {join.source: join for join in of_measures} | joins
    for join in joins.values():
        join.refuse(is_part=is_part)
    return tuple(joins.values())


def _catalogue(measures: Mapping[Requirements, Sequence[ResolvedMeasure]], run: Run) -> Catalogue | None:
    """Return the data of items that measures need, or None if no measure needs any or none are given.

    Raises:
        UsageError: `unfollowed-setting`, where an engine has the rows of the run.

    """
    needy = [each for group in measures.values() for each in group if each.quantity.definition.needs]
    data = next((each.data for each in needy), NO_DATA)
    if run.engine:
        support.refuse(UNORDERED, data)
    return catalogue_of(data.history, data.items, data.expected_run, data.forbidden)


def _costs(quantities: Sequence[tuple[Quantity, Qrels]], run: Run) -> Costs | None:
    """Return the costs of a run's documents; None if no measure needs them or none are known.

    Raises:
        InputError: `bad-cost`.
        MeasureError: `bad-cutoff`, where a measure counts something else.
        UsageError: `unfollowed-setting`, where an engine has the rows; `conflicting-options` where none looks at them.

    """
    measured = [quantity for quantity, _ in quantities if isinstance(quantity, Measure) and quantity.uses_costs]
    if not measured:
        if run.cost_columns:
            text = f"{quoted(run.cost_columns)} of {run.name or 'the run'} is a cost, and no measure looks at costs"
            raise UsageError("conflicting-options", text, remedy="as in -m R@2000tok, nDCG@500B, CostToFirst")
        return None
    if run.engine:
        raise UsageError("unfollowed-setting", f"{measured[0]}: costs are added up in memory, not by an engine")
    costs = run.costs({quantity.unit for quantity in measured} - {""})
    if costs is not None and costs.unit:
        other = [quantity for quantity in measured if quantity.unit not in ("", costs.unit)]
        if other:
            text = f"{other[0]} counts {other[0].unit}, and costs are {costs.unit} here"
            raise MeasureError("bad-cutoff", text, remedy=f"a call has one kind of cost: --cost {other[0].unit}")
    return costs


def _required(
    plans: Sequence[Plan], judgements: Judgements, run: Run
) -> tuple[dict[Requirements, list[ResolvedMeasure]], dict[Requirements, Qrels], dict[int, RankworthError]]:
    """Group the measures of all plans by their requirements, with the judgements that count.

    Returns:
        The measures and the judgements for each of the requirements, and the error of each measure of plans that
        refuse the judgements, by the identity of the measure.

    """
    measures: dict[Requirements, list[ResolvedMeasure]] = {}
    qrels: dict[Requirements, Qrels] = {}
    widened: dict[Hashable, Qrels] = {}
    errors: dict[int, RankworthError] = {}
    for plan in plans:
        try:
            by_requirements = plan.by_requirements if run.has_named_documents else plan.without_ids()
            of_plan = {
                required: qrels[required] if required in qrels else _qrels_for(required, judgements, run, widened)
                for required in by_requirements
            }
        except RankworthError as error:
            errors |= {id(measure): error for measure in plan.measures}
            continue
        qrels |= of_plan
        for required, group in by_requirements.items():
            measures.setdefault(required, []).extend(group)
    return measures, {required: qrels[required] for required in measures}, errors


def _qrels_for(required: Requirements, judgements: Judgements, run: Run, widened: dict[Hashable, Qrels]) -> Qrels:
    """Return the judgements that count.

    Args:
        required: the settings.
        judgements: those that count under some settings.
        run: the run, whose queries count where measures look at what is judged elsewhere.
        widened: judgements with these queries, by the identity of those without and the history; filled here.

    Raises:
        RankworthError: where judgements are refused, or settings that an engine cannot follow.

    """
    qrels = judgements(required.judging, required.exclude)
    if qrels.facts.spans:
        qrels = judgements.of_pieces(qrels, run, required.judging.span_share)
    if run.engine:
        run.refuse(required.judging)  # type: ignore[attr-defined]
    if not required.looks_elsewhere and required.history is None:
        return qrels
    key = id(qrels), required.looks_elsewhere, required.history
    if key not in widened:
        of_run = run.queries() if required.looks_elsewhere else ()
        of_history = () if required.history is None else _users_of(required.history, judgements)
        widened[key] = qrels.with_queries(dict.fromkeys((*of_run, *sorted(of_history))))
    return widened[key]


def _users_of(history: History, judgements: Judgements) -> frozenset[str]:
    """Return the users of a history, of those queries that were asked for."""
    return history.users if judgements.only is None else history.users & judgements.only


def _judged(
    qrels: Mapping[Requirements, Qrels], run: Run, include: Include, progress: "Progress | None" = None
) -> dict[Requirements, _Judged]:
    """Judge a run once for each ordering and the judgements beside it.

    Args:
        qrels: the judgements for each requirement.
        run: the run.
        include: which rows and columns there are to be.
        progress: called while a file is read.

    Raises:
        InputError: where the run cannot be read.

    """
    pairs = {(id(of), required.ordering): (of, required.ordering) for required, of in qrels.items()}
    if include.shown:  # with the parts of a query
        queries = {query for of, _ in pairs.values() for query in of.queries}
        whole = include.shown
        shown = {query for query in queries if query in whole or query.rpartition(" (")[0] in whole}
        include = replace(include, shown=shown)
    judged: Sequence[JudgedRun | InputError]
    try:
        judged = judge_all(list(pairs.values()), run, include, progress)
    except InputError as error:
        if not any(_is_repeated_beyond(required, error) for required in qrels):
            raise
        judged = [error] * len(pairs)
    by_pair = dict(zip(pairs, judged, strict=True))
    return {required: _Judged(of, by_pair[id(of), required.ordering]) for required, of in qrels.items()}


def _is_repeated_beyond(required: Requirements, judged: object) -> bool:
    """Return whether a run is refused for a document that appears twice, maybe behind the depth of the measures."""
    is_repeated = isinstance(judged, InputError) and judged.slug == "duplicate-document"
    return is_repeated and required.cuts_before_comparing


def _judged_to_depth(judged: Mapping[Requirements, _Judged], run: Run, judge: _Judge) -> dict[Requirements, _Judged]:
    """Judge what was refused for a repeated document once more, cut to its depth before documents are compared.

    Raises:
        InputError: `duplicate-document`, where all measures refuse the run.

    """
    refused = {
        required: outcome.qrels for required, outcome in judged.items() if _is_repeated_beyond(required, outcome.run)
    }
    if not refused:
        return {}
    again: dict[Requirements, _Judged] = {}
    for group in grouped(refused, lambda required: (required.ordering, required.judging.depth)).values():
        cut = shortened(run, group[0].ordering, group[0].judging.depth or 0)
        again |= judge({required: refused[required] for required in group}, cut)
    errors = [outcome.run for outcome in (*judged.values(), *again.values()) if isinstance(outcome.run, InputError)]
    if all(isinstance(outcome.run, InputError) for outcome in {**judged, **again}.values()):
        raise errors[0]
    return again


def _judged_in_parts(judged: Mapping[Requirements, _Judged], run: Run, judge: _Judge) -> dict[Requirements, _Judged]:
    """Judge once more where parts of a query stand apart in the run and count as queries."""
    scattered = [
        required
        for required, outcome in judged.items()
        if required.judging.blocks != "joined" and isinstance(outcome.run, JudgedRun) and outcome.run.scattered
    ]
    again: dict[Requirements, _Judged] = {}
    for group in grouped(scattered, lambda required: (id(judged[required].qrels), required.judging.blocks)).values():
        qrels = judged[group[0]].qrels
        try:
            of_parts, parts = separated(qrels, run, group[0].judging, group[0].exclude)
        except UsageError as error:
            again |= dict.fromkeys(group, _Judged(qrels, error))
        else:
            again |= judge(dict.fromkeys(group, of_parts), parts)
    return again


def _judged_by_position(qrels: Mapping[Requirements, Qrels], run: Run, judge: _Judge) -> dict[Requirements, _Judged]:
    """Judge once more where queries of judgements and run are paired by their position."""
    by_position = [required for required in qrels if required.judging.pairing == "position"]
    again: dict[Requirements, _Judged] = {}
    for group in grouped(by_position, lambda required: id(qrels[required])).values():
        if (pair := paired(qrels[group[0]], run)) is not None:
            again |= judge(dict.fromkeys(group, pair[0]), pair[1])
    return again


def _judged_with_expected(
    judged: Mapping[Requirements, _Judged], measures: Mapping[Requirements, Sequence[ResolvedMeasure]], judge: _Judge
) -> dict[Requirements, _Judged]:
    """Put the lists of the expected run beside the judged run: they are ranked by the settings of the run itself."""
    needy = {
        required: (outcome, outcome.run)
        for required, outcome in judged.items()
        if any("expected_run" in measure.quantity.definition.needs for measure in measures[required])
        and isinstance(outcome.run, JudgedRun)
    }
    data = [measure.data.expected_run for required in needy for measure in measures[required]]
    if not data or data[0] is None or data[0].rows is None:
        return {}
    expected = judge({required: outcome.qrels for required, (outcome, _) in needy.items()}, data[0].run)
    beside: dict[Hashable, JudgedRun] = {}
    for required, (_outcome, run) in needy.items():
        key = id(run), required.judging
        if key not in beside:
            lists = _expected_lists(required.judging, expected[required])
            catalogue = None if run.hits.catalogue is None else replace(run.hits.catalogue, expected=lists)
            beside[key] = replace(run, hits=replace(run.hits, catalogue=catalogue))
    return {
        required: outcome._replace(run=beside[id(run), required.judging]) for required, (outcome, run) in needy.items()
    }


def _expected_lists(judging: Judging, expected: _Judged) -> ExpectedLists | None:
    """Return the lists of the expected run; None where it has none of the queries.

    Raises:
        RankworthError: where the settings refuse it.

    """
    if isinstance(expected.run, JudgedRun):
        return expected_lists(grades.settle(expected.run.hits, judging, list(expected.qrels.queries)))
    if expected.run.slug == "no-common-queries":
        return None
    raise expected.run


def _with_equal_effect(
    judged: Mapping[Requirements, _Judged], *, open_grades: bool
) -> list[tuple[list[Requirements], Judging]]:
    """Group requirements by the effect of their settings on a judged run; refused ones stand alone.

    Args:
        judged: the judged run for each requirement.
        open_grades: whether unjudged documents are to get grades.

    Returns:
        Each group, with the settings that change something, the others at their default.

    """
    groups: dict[Hashable, tuple[list[Requirements], Judging]] = {}
    for required, (_, run) in judged.items():
        judging, key = required.judging, id(run)
        if isinstance(run, JudgedRun):
            key = id(run.hits)
            if judging != STANDARD_JUDGING:
                judging = grades.effective(judging, run.hits, open_grades=open_grades)
        same = key, judging, required.has_unjudged, required.history
        groups.setdefault(same, ([], judging))[0].append(required)
    return list(groups.values())


def _measured_run(
    required: Requirements, judged: _Judged, judging: Judging, whole: Qrels, run: Run, *, full: bool
) -> MeasuredRun:
    """Apply the settings that concern grades, depth and queries.

    Args:
        required: the settings.
        judged: the run as it is judged for them.
        judging: the settings that change something here, the others at their default.
        whole: the judgements, without queries that only the run has and without parts of queries.
        run: the run.
        full: whether unjudged documents have rows, too.

    Raises:
        RankworthError: where the settings refuse the run.

    """
    qrels, judgement = judged
    if not isinstance(judgement, JudgedRun):
        raise judgement
    queries, hits = list(qrels.queries), judgement.hits
    if required.judging != STANDARD_JUDGING:
        grades.refuse_ids(required.judging, queries, judgement.unjudged)
        hits = grades.settle(hits, judging, queries)
    settled = hits
    is_judged = np.ones(len(queries), dtype=bool)
    if required.looks_elsewhere and qrels is not whole:
        is_judged = _within(queries, whole.queries)
    if judging.judgements == "relevant" or judging.negative == "dropped":
        is_judged = grades.graded(judgement.hits, judging, queries).pool.lengths > 0
    if required.history is not None:
        is_judged = _within(queries, required.history.users)
    empty, answered = run.empty | judgement.emptied, judgement.hits.n_retrieved > 0
    unjudged = dict.fromkeys(sorted(run.empty.difference(queries)), 0) | dict(judgement.unjudged)
    if required.has_unjudged:
        hits = grades.with_unjudged(hits, unjudged, full=full)
        queries += list(unjudged)
        is_judged = np.append(is_judged, np.zeros(len(unjudged), dtype=bool))
        answered = np.append(answered, np.array(list(unjudged.values()), dtype=np.int64) > 0)
    standing = standing_of(hits, judging, queries, is_judged, answered, _within(queries, empty))
    return MeasuredRun(hits, settled, standing, judging, judgement, qrels)


def _within(queries: Sequence[str], wanted: Collection[str]) -> Mask:
    """Return `[Q]`, which queries are among those wanted."""
    members = frozenset(wanted)
    return np.array([query in members for query in queries], dtype=bool)
