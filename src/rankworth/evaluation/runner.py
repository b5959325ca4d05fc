"""`evaluate`, `evaluate_runs`, `evaluate_profiles` and `score`: from judgements and runs to values."""

import math
import warnings
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, Unpack

from rankworth import names
from rankworth.errors import MeasureError, RankworthError, RankworthWarning, UsageError, are_warnings_shown, catalogue
from rankworth.evaluation.shares import plan_by_share, with_shares
from rankworth.groups import Groups, Slices
from rankworth.judging.judged_run import Row, ranking
from rankworth.measures import Fact, Measure, TextFact
from rankworth.model import Run
from rankworth.profiles import ALL, DEFAULT, PROFILES, Profile, ReadSettings, profile_of
from rankworth.results.values import RunValues, Values, details, values_of, with_notices
from rankworth.scoring import inputs
from rankworth.scoring.diagnostics import separate_runs
from rankworth.scoring.evaluator import Evaluation, evaluate_run
from rankworth.scoring.inputs import refuse_unused_ids
from rankworth.scoring.labelled import Labelled, refuse_row_weights, with_data_weights
from rankworth.scoring.plans import Plan
from rankworth.settings import DATA, with_quirks
from rankworth.settings_keywords import OptionKeywords
from rankworth.whatif.rankings import MeasureContext, contexts

if TYPE_CHECKING:
    from rankworth.io.source import Progress
    from rankworth.whatif.bounds import Varied


DEFAULT_MEASURES: Final = ("nDCG@10", "RR@10", "AP", "R@100", "Judged@10")
Measures = Iterable[str | Measure | Fact]
"""Names, measures and facts."""


def evaluate(
    qrels: object = None,
    run: object = None,
    measures: Measures = DEFAULT_MEASURES,
    *,
    labels: object = None,
    scores: object = None,
    orders: object = None,
    group: object = None,
    qid: object = None,
    padding: object = None,
    first_ranks: object = None,
    queries: Iterable[object] | None = None,
    rel: float | None = None,
    profile: str | Profile = DEFAULT,
    table: object = None,
    by: object = None,
    bounds: "Varied | None" = None,
    **settings: Unpack[ReadSettings],
) -> Values:
    """Evaluate a run against judgements: a value for each query and measure, and their means.

    Args:
        qrels: judgements: whatever `Qrels` reads, such as a path, a dict `{query: {document: grade}}`, a frame with
            columns `query, document, grade` or rows `(query, document, grade)`; or a `Qrels` made once for many runs.
            Beside rankings without queries, `[[document, ...], ...]`, a text for each is its one relevant document.
        run: whatever `Run` reads, such as a path (`-` is standard input), a dict `{query: {document: score}}` or
            `{query: [document, ...]}`, a frame with columns `query, document, score` or rows; or a `Run`.
        measures: names such as `"nDCG@10"`, measures such as `AP(rel=2) @ 100`, facts such as `"NumRel"`; a name of
            trec_eval may stand for several (`"official"`). Measure objects of ir_measures are taken, too.
        labels: instead of `qrels` and `run`: the grades of the items of each query, `[[1, 0, 2], [0, 1]]`, None for one
            that nobody judged; in rank order, unless `scores` or `orders` says another. Queries and items are named by
            their places. Or a frame or a dict of columns `query, grade, score`; a frame may stand in the place of
            `qrels`, too.
        scores: the scores of the same items, in the same shape.
        orders: instead of scores the places of the items, best first, counted from 0; what is left out was not
            retrieved.
        group: with labels of all queries in one flat array, as rankers take them: how many rows each query has, in
            their order. Labels may also be a Dataset of LightGBM, a DMatrix of XGBoost or a Pool of CatBoost, which
            know their groups; the weights of a Dataset and of a DMatrix weigh the means, as they do there.
        qid: instead of `group` the query of each row; the rows of a query stand together.
        padding: with labels the label that rows have that are no items, `-1`, or for each row whether it is none.
        first_ranks: instead of `qrels` and `run`: the rank of the first hit of each query, `{"q1": 3, "q2": None}`, or
            a table; `columns={"first-rank": "rank"}` names its column. NF, None, a blank, 0 and -1 are no hit. It gives
            RR, Success and MedianRank, at any cutoff, which are measured by default.
        queries: the queries to evaluate; all judged ones by default. Other queries do not exist, neither
            in the judgements nor in the run, whatever the profile.
        rel: the grade from which documents count as relevant, for measures that do not say their own (`-l` in
            trec_eval).
        profile: the conventions, by name (`rankworth.PROFILES`); `standard-1` is trec_eval 10 with `-c`. Names of
            measures may be those of its tool.
        table: the table of queries, whatever `rankworth.io.query_texts.queries` reads: a path, rows, a frame. `by`,
            `weights` and `macro` name columns of it.
        by: a column, or several that are crossed (a list), or each by itself (`"language,device"`); or
            `{query: group}`, or a series of pandas by query: `values.slices` has the values of each group.
        bounds: what `values.bounds` is to be taken over: `"ties"`, all orders of documents with equal scores, or
            `"unjudged"`, all grades that retrieved documents without a judgement could have.
        **settings: conventions that differ from the profile's, for all measures: `depth`, `unjudged`, `ties`, `missing`
            and so on, as `rankworth.settings.Judging` and `rankworth.settings.Averaging` explain them; where
            None, the profile's. `exclude` takes what `Exclusion.of` reads: `"self"` for documents whose id is that of
            the query; a path, with or without grades or scores, a dict `{query: [document, ...]}`, a frame with columns
            `query, document`, pairs of query and document, or a `Qrels` or `Run`, made once for many calls. `weights`
            is a column of numbers, or `{query: weight}`: means are weighted. `macro` takes what `by` takes: means are
            those of the means of its groups. `columns` says which column of judgements and runs holds what, where its
            name does not tell, `{"query": "term", "score": "-dist"}` (`-`: a distance, smaller is better); each name
            goes to those that have such a column. `qrels_columns` and `run_columns` are about one of the two alone.
            `blank` says what a judgement without a grade means: `"unjudged"` by default, `"zero"` or `"error"`.
            `grades` says which grades words mean, `{"E": 3, "S": 2, "C": 1, "I": 0}`, or is the setting of that name.
            `history` says which user had which item before (a path, `{user: [item, ...]}`, a frame, pairs, a sparse
            matrix), `items` what items are like (a path, a frame, `{item: {column: value}}`), `expected_run` what users
            expect to see (a run): measures of novelty, diversity, coverage and exposure need them.
            `quirks` are settings that one or two tools need: `{"fewest": 3}`.

    Returns:
        One value per query and measure, with means, counts and signature.

    Raises:
        InputError: where judgements or run cannot be trusted; see `docs/errors/`.
        MeasureError: where a measure is not known or misused, with all mistakes of the list.
        UsageError: where a setting has no such value.

    >>> values = evaluate({"q1": {"d1": 1, "d2": 0}}, {"q1": {"d1": 0.5, "d2": 0.9}}, ["RR", "nDCG@10"])
    >>> values["RR"], round(values["ndcg_cut_10"], 4)
    (0.5, 0.6309)
    >>> evaluate(labels=[[1, 0, 1]], scores=[[0.9, 0.2, 0.7]], measures=["P@2"])["P@2"]
    1.0
    >>> evaluate(labels=[1, 0, 0, 1, 0], scores=[0.9, 0.2, 0.7, 0.3, 0.1], group=[2, 3], measures=["RR"])["RR"]
    0.75
    """
    rows = Labelled(labels, scores, orders, group, qid, padding)
    settings = with_data_weights(labels, settings)
    if first_ranks is not None:
        from rankworth.scoring import first_ranks as ranks  # noqa: PLC0415 - rarely needed

        qrels, run = ranks.stand_ins(first_ranks, {"qrels": qrels, "run": run, **rows._asdict()}, settings)
        rows = Labelled()
        measures = ranks.MEASURES if measures is DEFAULT_MEASURES else measures
    reading = inputs.InputOptions(settings)
    plan = planned(profile, measures, rel, settings, table=table, by=by)
    reading.may_be_empty = plan.profile.may_be_empty
    qrels, run = reading.pair(qrels, run, rows)
    refuse_row_weights(run, settings.get("weights"))
    [qrels], [run] = reading.read([qrels], [run])
    [values] = _measured(qrels, queries, [inputs.run(run, may_be_empty=plan.profile.may_be_empty)], plan, bounds=bounds)
    warn([values])
    return values


def evaluate_runs(
    qrels: object,
    runs: Mapping[str, object] | Sequence[object],
    measures: Measures = DEFAULT_MEASURES,
    *,
    queries: Iterable[object] | None = None,
    rel: float | None = None,
    profile: str | Profile = DEFAULT,
    table: object = None,
    by: object = None,
    bounds: "Varied | None" = None,
    progress: "Progress | None" = None,
    **settings: Unpack[ReadSettings],
) -> RunValues:
    """Evaluate several runs; the judgements are read once.

    Args:
        qrels: as for `evaluate`.
        runs: runs by name, or a list of paths or `Run`s, which are named by their file.
        measures: as for `evaluate`.
        queries: as for `evaluate`.
        rel: as for `evaluate`.
        profile: as for `evaluate`.
        table: as for `evaluate`.
        by: as for `evaluate`.
        bounds: as for `evaluate`.
        progress: called with a name, the bytes read and the size of the file, while a file is read.
        **settings: as for `evaluate`.

    Returns:
        `{name: Values}`, with `to_frame()`.

    Raises:
        InputError, MeasureError, UsageError: as `evaluate`; `run-names` where two runs have one name.

    """
    reading = inputs.InputOptions(settings)
    plan = planned(profile, measures, rel, settings, table=table, by=by)
    reading.may_be_empty = plan.profile.may_be_empty
    [qrels], runs = reading.read_runs([qrels], runs)
    named = inputs.runs(runs, may_be_empty=plan.profile.may_be_empty)
    values = _measured(qrels, queries, named.values(), plan, progress, bounds=bounds)
    warn(values)
    return RunValues(dict(zip(named, values, strict=True)))


def evaluate_profiles(
    qrels: object,
    run: object,
    measures: Measures = DEFAULT_MEASURES,
    *,
    profiles: str | Profile | Iterable[str | Profile] | None = None,
    queries: Iterable[object] | None = None,
    rel: float | None = None,
    table: object = None,
    by: object = None,
    progress: "Progress | None" = None,
    **settings: Unpack[ReadSettings],
) -> dict[str, Values | RankworthError]:
    """Evaluate a run by the conventions of several tools; judgements and run are read and joined once.

    Args:
        qrels: as for `evaluate`.
        run: as for `evaluate`.
        measures: as for `evaluate`; a name means what each tool means by it.
        profiles: the conventions; all there are by default. A profile is there once, under its name and what was
            derived from it.
        queries: as for `evaluate`.
        rel: as for `evaluate`.
        table: as for `evaluate`.
        by: as for `evaluate`.
        progress: as for `evaluate_runs`.
        **settings: as for `evaluate`, for all of them.

    Returns:
        By the name of each profile its values, or the error with which it refuses. Nothing is warned of.

    Raises:
        InputError, MeasureError, UsageError: as `evaluate`, where it is so by all conventions.

    >>> tied = {"q1": {"a": 1.0, "b": 1.0}}
    >>> values = evaluate_profiles({"q1": {"a": 1, "b": 0}}, tied, ["RR"], profiles=["trec_eval-10.0", "elinor-0.4"])
    >>> {name: value["RR"] for name, value in values.items()}
    {'trec_eval-10.0': 0.5, 'elinor-0.4': 1.0}
    """
    reading = inputs.InputOptions(settings)
    groups, plain = _grouped(table, by, settings)
    named = [profiles] if isinstance(profiles, str | Profile) or not isinstance(profiles, Iterable | None) else profiles
    plans: dict[str, Plan | RankworthError] = {}
    for profile in map(profile_of, PROFILES if named is None or named == [ALL] else named):
        name = "+".join((profile.name, *profile.derived))
        name = name if name not in plans else f"{name} ({sum(earlier.startswith(name) for earlier in plans) + 1})"
        try:
            plans[name] = planned(profile, measures, rel, plain, by=groups)
        except MeasureError as error:
            plans[name] = error
    sound = {name: plan for name, plan in plans.items() if isinstance(plan, Plan)}
    if not sound:
        errors = [error for error in plans.values() if isinstance(error, RankworthError)]
        raise errors[0] if errors else UsageError("unknown-setting", "profiles=[]: there is no profile to evaluate by")
    reading.may_be_empty = all(plan.profile.may_be_empty for plan in sound.values())
    [qrels], [run] = reading.read([qrels], [run])
    judgements = _judgements(qrels, queries, sound.values())
    results = measure(
        judgements, inputs.run(run, may_be_empty=reading.may_be_empty), list(sound.values()), progress=progress
    )
    values = dict(zip(sound, results, strict=True))
    return {name: plan if isinstance(plan, RankworthError) else values[name] for name, plan in plans.items()}


def score(grades: Iterable[Row], measure: str | Measure | Fact, *, missing: Iterable[Row] = ()) -> float:
    """Score one ranking, given as grades in rank order.

    Args:
        grades: one for each retrieved document, best rank first; None for a document that nobody judged. A list of
            grades is one for each subtopic.
        measure: a name, a measure or a fact that is a number.
        missing: grades of judged documents that are not in the ranking.

    Returns:
        The value; 0 where it is undefined.

    Raises:
        InputError: `bad-grade`.
        MeasureError: as `evaluate`.

    >>> score([2, 1, 0, 1, 2], "nDCG@3")  # (2 + 1/log2(3)) / (2 + 2/log2(3) + 1/log2(4))
    0.6993694869720469
    >>> score([0, 1, None, 1], "AP", missing=[2])  # (1/2 + 2/4) / 3
    0.3333333333333333
    """
    inputs.refuse_no_lists(grades=grades, missing=missing)
    quantity, *further = names.parse_all([measure])
    if further:
        raise MeasureError("measure-syntax", f"{measure!r} stands for {1 + len(further)} measures; name one of them")
    if isinstance(quantity, TextFact):
        raise MeasureError("measure-syntax", f"{quantity} is a text, not a number; evaluate gives it for each query")
    value = float(quantity.values(ranking(grades, missing=missing, layout=quantity.positions))[0])
    return 0.0 if math.isnan(value) else value


def planned(
    profile: str | Profile,
    measures: Measures,
    rel: float | None,
    settings: OptionKeywords,
    *,
    table: object = None,
    by: object = None,
) -> Plan:
    """Plan what is asked for under one profile.

    Args:
        profile: as for `evaluate`.
        measures: as for `evaluate`.
        rel: as for `evaluate`.
        settings: as for `evaluate`.
        table: as for `evaluate`.
        by: as for `evaluate`.

    Raises:
        MeasureError, UsageError, InputError: as `evaluate`.

    """
    groups, settings = _grouped(table, by, settings)
    chosen = {name: value for name, value in settings.items() if value is not None}
    options = with_quirks(chosen) if chosen else {}
    labels = (measures,) if isinstance(measures, str) or not isinstance(measures, Iterable) else tuple(measures)
    kinds = tuple(map(type, (rel, *options.values())))  # 1 and True are equal
    key = (profile, labels, rel, tuple(options.items()), kinds, names.registered_ids())
    if groups is None and not options.keys() & {*DATA}:  # files of which may change
        with suppress(TypeError):  # what cannot be hashed
            return _plan(*key)
    return replace(_plan.__wrapped__(*key), by=groups)


@lru_cache(maxsize=128)
def _plan(
    profile: str | Profile,
    labels: tuple[object, ...],
    rel: float | None,
    options: tuple[tuple[str, Any], ...],
    kinds: tuple[type, ...],  # noqa: ARG001 - tells calls apart
    catalogue: tuple[int, ...],  # noqa: ARG001 - tells calls apart
) -> Plan:
    """Make a plan, which is kept as long as no measure is defined."""
    chosen = profile_of(profile)
    chosen = chosen.derive(**dict(options)) if options else chosen
    return Plan(chosen, chosen.ask(labels, rel=rel))


def _grouped(table: object, by: object, settings: OptionKeywords) -> tuple[Groups | None, OptionKeywords]:
    """Return the groups that are shown, and the settings with weights and groups in place of columns.

    Raises:
        InputError, UsageError: as `Slices.of`.

    """
    weights, macro = settings.get("weights"), settings.get("macro")
    if table is by is weights is macro is None:
        return None, settings
    slices = Slices.of(table, by=by, weights=weights, macro=macro)
    return slices.by, {**settings, "weights": slices.weights, "macro": slices.macro}


def _measured(
    qrels: object,
    queries: Iterable[object] | None,
    runs: Iterable[Run],
    plan: Plan,
    progress: "Progress | None" = None,
    *,
    bounds: "Varied | None" = None,
) -> list[Values]:
    """Return the values of runs under one profile.

    Raises:
        InputError, MeasureError, UsageError: as `evaluate`.

    """
    try:
        judgements = _judgements(qrels, queries, [plan])
        values, runs_read, paths = [], [], {}
        for run in runs:
            if len(run.files) == 1:
                paths[run.name] = run.files[0].pattern or run.files[0].path
            evaluation, of_run = _of_run(judgements, run, plan, bounds, progress)
            values.append(of_run)
            if evaluation.run.ids is not None:
                runs_read.append(evaluation.run.without_documents())
        if runs_read:
            refuse_unused_ids(runs_read, judgements)
    except RankworthError as error:
        raise plan.profile.reworded(error) from None
    return _with_separate_runs(values, paths) if len(values) > 1 else values


def _with_separate_runs(table: list[Values], paths: Mapping[str, str]) -> list[Values]:
    """Say at the first run that no two of them answer the same query, instead of how many queries each leaves out."""
    standings = {values.run: details(values).base[0] for values in table}
    answered = {name: {*rows.of(rows.judged & rows.answered)} for name, rows in standings.items()}
    if len(answered) < len(table) or not (parts := [*separate_runs(answered, paths)]):
        return table
    kept = [[notice for notice in values.notices if notice.slug != "many-unanswered"] for values in table]
    kept[0] += parts
    return [with_notices(values, notices) for values, notices in zip(table, kept, strict=True)]


def _of_run(
    judgements: inputs.Judgements, run: Run, plan: Plan, by: "Varied | None", progress: "Progress | None"
) -> tuple[Evaluation, Values]:
    """Evaluate a run, with bounds of its values over the choice of `by`.

    Raises:
        InputError, MeasureError, UsageError: as `evaluate`.

    """
    if by is None:
        by_share = plan_by_share(plan) if judgements.spans else None
        if by_share is None or not by_share.measures:
            evaluation = evaluate_run(judgements, run, [plan], progress=progress)
            return evaluation, values_of(evaluation, plan)
        evaluation = evaluate_run(judgements, run, [plan, by_share], progress=progress)
        return evaluation, with_shares(values_of(evaluation, plan), evaluation, plan, by_share)
    from rankworth.whatif.bounds import evaluation_for_bounds, mean_bounds  # noqa: PLC0415 - rarely needed

    evaluation = evaluation_for_bounds(judgements, run, plan, by, progress=progress)
    return evaluation, replace(values_of(evaluation, plan), bounds=mean_bounds(evaluation, plan, by))


def _judgements(qrels: object, queries: Iterable[object] | None, plans: Collection[Plan]) -> inputs.Judgements:
    """Read the judgements that count under each of the plans."""
    may_be_empty = all(plan.profile.may_be_empty for plan in plans)
    return inputs.Judgements(
        qrels, queries, [each.judging for plan in plans for each in plan.measures], may_be_empty=may_be_empty
    )


def warn(table: Iterable[Values]) -> None:
    """Show warnings at the line that called the public function, if warnings are shown."""
    for values in table if are_warnings_shown() else ():
        for notice in values.notices:
            if catalogue()[notice.slug][0] != "note":
                warnings.warn(RankworthWarning(notice.slug, notice.text), stacklevel=3)


def measure(
    judgements: inputs.Judgements, run: Run, plans: Sequence[Plan], *, progress: "Progress | None" = None
) -> list[Values | RankworthError]:
    """Evaluate a run under several conventions; it is read and joined once.

    A value is bit for bit what it would be if nothing else were evaluated beside it.

    Args:
        judgements: those that count under some settings.
        run: the run.
        plans: the measures under each of the conventions.
        progress: called while a file is read.

    Returns:
        For each plan the values, or the error with which it refuses.

    Raises:
        RankworthError: where judgements or run cannot be read at all.

    """
    evaluation = evaluate_run(judgements, run, plans, progress=progress)
    results: list[Values | RankworthError] = []
    for plan in plans:
        try:
            results.append(values_of(evaluation, plan))
        except RankworthError as error:
            results.append(plan.profile.reworded(error))
    return results


def inspect(
    judgements: inputs.Judgements, run: Run, plan: Plan, shown: Iterable[str], *, progress: "Progress | None" = None
) -> tuple[Values, list[MeasureContext]]:
    """Evaluate a run under one convention, with what is needed to explain the values of each measure.

    Args:
        judgements: those that count under some settings.
        run: the run.
        plan: the measures.
        shown: queries that are to be shown, with all their documents.
        progress: called while a file is read.

    Raises:
        RankworthError: where judgements or run cannot be read, or are refused.

    """
    try:
        evaluation = evaluate_run(judgements, run, [plan], shown=frozenset(shown), progress=progress)
        values = values_of(evaluation, plan)
    except RankworthError as error:
        raise plan.profile.reworded(error) from None
    if counted := [measure.label for measure in plan.numbers if not isinstance(measure.quantity, Measure)]:
        text = f"{counted[0]} is counted, and no rank contributes to it"
        raise MeasureError("measure-syntax", text, remedy="rankworth evaluate -q shows the count of each query")
    return values, contexts(evaluation, plan)


def inspect_runs(
    qrels: object, runs: Sequence[Run], plan: Plan, shown: Iterable[str], *, progress: "Progress | None" = None
) -> list[tuple[Values, list[MeasureContext]]]:
    """Inspect several runs; a run that is refused with all queries is inspected with the shown ones alone.

    Args:
        qrels: judgements, as for `rankworth.evaluate`.
        runs: the runs.
        plan: the measures.
        shown: queries that are to be shown, with all their documents.
        progress: called while a file is read.

    Raises:
        RankworthError: as `inspect`, where the queries that are shown are refused, too.

    """
    shown, settings = list(shown), [measure.judging for measure in plan.measures]

    def inspected(queries: list[str] | None) -> list[tuple[Values, list[MeasureContext]]]:
        judgements = inputs.Judgements(qrels, queries, settings)
        return [inspect(judgements, run, plan, shown, progress=progress) for run in runs]

    try:
        return inspected(None)
    except RankworthError as refusal:
        try:
            return inspected(shown)
        except RankworthError:
            raise refusal from None
