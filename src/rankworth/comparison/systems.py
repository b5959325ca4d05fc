"""The systems of a comparison: runs are measured, stored values are checked, several runs of a system become one."""

import math
import warnings
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import product
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from rankworth import evaluation
from rankworth.arrays import Floats, Integers
from rankworth.comparison.sources import named_runs, repeated_runs
from rankworth.errors import InputError, MeasureError, RankworthError, RankworthWarning, UsageError, quoted
from rankworth.evaluation import runner
from rankworth.io.validate import IdKinds, ids
from rankworth.measures import Fact, Measure, TextFact
from rankworth.measures.core import Better
from rankworth.model import Digest, Qrels, Run
from rankworth.names import several
from rankworth.profiles import DEFAULT as STANDARD
from rankworth.profiles import ResolvedMeasure, Signature, profile_of
from rankworth.results import loading
from rankworth.results.file import Result
from rankworth.results.values import Values, details
from rankworth.scoring import inputs
from rankworth.scoring.columns import Column
from rankworth.scoring.diagnostics import COVERAGE
from rankworth.tables.columns import Kind
from rankworth.whatif.bounds import Varied, of_runs
from rankworth.whatif.rankings import MeasureContext

DEFAULT: Final = ("nDCG@10", "RR@10", "AP", "R@100")
"""the measures by default"""
UNJUDGED: Final = "Unjudged@10"
"""measured for a warning"""
NOISE: Final = "--noise"
"""the name of the runs that only tell how identical runs vary"""
_MEANS: Final = ("weights", "macro", "round_means", "no_queries", "logarithms")
"""settings that change means and no value of a query"""


@dataclass(frozen=True)
class Scores:
    """One measure of one system.

    Attributes:
        quantity: the measure; None where it is not defined here, so that nobody knows which end of it is better.
        signature: how the values came about.
        values: `[Q]`, NaN where there is none.
        kind: what the values are.
        repetitions: `[R, Q]`, the values of each run where several runs of the same queries were averaged.

    """

    quantity: object
    signature: str
    values: Floats
    kind: Kind
    repetitions: Floats | None = None

    @property
    def measure(self) -> str:
        """The canonical name of the measure."""
        return Signature.parse(self.signature).measure

    @property
    def better(self) -> Better:
        """Which end of the scale is better."""
        return self.quantity.definition.better if isinstance(self.quantity, Measure) else "higher"

    def at(self, rows: NDArray[np.int64]) -> "Scores":
        """Return the values of some rows; row -1 is without a value."""
        wider = np.append(self.values, np.nan)[rows]
        if self.repetitions is None:
            return replace(self, values=wider)
        return replace(
            self, values=wider, repetitions=np.pad(self.repetitions, [(0, 0), (0, 1)], constant_values=np.nan)[:, rows]
        )


@dataclass(frozen=True)
class System:
    """The values of one system.

    Attributes:
        name: what tables call it.
        queries: the ids of its queries, in the order of their bytes.
        scores: by name of the measure.
        judged: the queries that have judgements; None if unknown.
        answered: those of them that have results; None if unknown.
        origin: the results file of the values; empty if they were measured now.
        joined: how several runs of the system became one, `folds` or `seeds`, and how many there were.
        notices: warnings of the evaluation, slug and text.
        kinds: whether ids of queries came as integers.
        lengths: how many documents it has for each query that it answers; None if unknown.

    """

    name: str
    queries: tuple[str, ...]
    scores: Mapping[str, Scores]
    judged: frozenset[str] | None = None
    answered: frozenset[str] | None = None
    origin: str = ""
    joined: tuple[str, int] | None = None
    notices: tuple[tuple[str, str], ...] = ()
    kinds: IdKinds = field(default_factory=IdKinds, compare=False, repr=False)
    lengths: Integers | None = field(default=None, compare=False, repr=False)

    @cached_property
    def rows(self) -> dict[str, int]:
        """The row of each query."""
        return {query: row for row, query in enumerate(self.queries)}

    @property
    def first_relevant(self) -> list[int | None]:
        """The rank of the first relevant document of each query, from reciprocal ranks; None where it is unknown."""
        by_cutoff = {}
        for score in self.scores.values():
            if isinstance(score.quantity, Measure) and score.quantity.definition.name == "RR":
                by_cutoff[score.quantity.cutoff or math.inf] = score.values
        if not by_cutoff or (self.joined and self.joined[0] == "seeds"):  # a mean of ranks is none
            return [None] * len(self.queries)
        ranks = [1 / value if value > 0 else math.inf for value in by_cutoff[max(by_cutoff)].tolist()]
        return [round(rank) if rank < math.inf and math.isclose(rank, round(rank)) else None for rank in ranks]

    def only(self, queries: Sequence[str]) -> "System":
        """Return the system with these queries, in their order; those that it does not have are without a value."""
        # [Q]: -1 is the NaN that is appended
        rows = np.array([self.rows.get(query, -1) for query in queries], dtype=np.int64)
        wider = {label: score.at(rows) for label, score in self.scores.items()}
        return replace(self, queries=tuple(queries), scores=wider)

    def under(self, names: Mapping[str, str]) -> "System":
        """Rename measures to the given names, which come with their canonical names."""
        by_measure = {score.measure: score for score in reversed(list(self.scores.values()))}
        named = {label: by_measure[measure] for label, measure in names.items() if measure in by_measure}
        named |= {label: score for label, score in self.scores.items() if names.get(label) == score.measure}
        return replace(self, scores={name: score for name, score in self.scores.items() if name not in names} | named)

    def require(self, measures: Iterable[str], measured: Collection[str]) -> None:
        """Refuse measures that are not among those that are known of the system.

        Raises:
            UsageError: `not-measured`.

        """
        if absent := [name for name in measures if name not in measured]:
            text = f"{self.name} was not measured by {quoted(absent)}; there are {quoted(self.scores)}"
            raise UsageError("not-measured", text)


def is_paired(quantity: object) -> bool:
    """Return whether a difference of means is the mean of differences: not of counts, texts and geometric means."""
    return not isinstance(quantity, Fact | TextFact) and getattr(quantity, "averaging", "mean") == "mean"


def paired(systems: Sequence[System]) -> list[str]:
    """Return the measures that all systems have and whose differences add up, in the order of the first system."""
    names = [name for name, score in systems[0].scores.items() if is_paired(score.quantity)]
    return [name for name in names if all(name in system.scores for system in systems)]


def shared(systems: Sequence[System]) -> list[str]:
    """Return the measures compared by default: those that all systems have and that are not about judgements."""
    common = paired(systems) if systems else []
    return [name for name in common if getattr(systems[0].scores[name].quantity, "name", "") not in COVERAGE] or common


def kept_measures(results: Sequence[Result]) -> list[str]:
    """Return the measures of results files that are compared by default."""
    return shared([of_result(result.run, result) for result in results])


def renewed_measures(stored: Sequence[Result], measures: Mapping[str, str]) -> list[str]:
    """Return the measures of a results file, and those that are measured beside them.

    Args:
        stored: what the file holds.
        measures: what is measured: canonical names by name.

    """
    labels = {Signature.parse(column.signature).measure: column.label for each in stored for column in each.columns}
    return [*labels.values(), *(name for name, measure in measures.items() if measure not in labels)]


def of_values(name: str, values: Values, for_warnings: str = "") -> System:
    """Make a system of an evaluation, with the queries that a measure counts that was asked for."""
    columns = dict(zip(values.per_query.measures, details(values).columns, strict=True))
    queries, table = _side_by_side(columns, for_warnings)
    scores = {
        label: Scores(quantity, values.signatures[label], table[label], values.per_query.kinds[label])
        for label, quantity in zip(columns, values.measures, strict=True)
    }
    judged = None if values.judgements is None else frozenset(values.judgements.queries)
    answered = None if judged is None else judged.difference(values.counts.queries["unanswered_queries"])
    standing, _ = details(values).base
    lengths = standing.length[standing.judged & standing.answered]
    kinds, notices = values.per_query.id_kinds, values.notices
    return System(name, queries, scores, judged, answered, notices=notices, kinds=kinds, lengths=lengths)


def of_result(name: str, result: Result) -> System:
    """Make a system of a results file."""
    queries, table = _side_by_side({column.label: column.counts for column in result.columns})
    scores = {
        column.label: Scores(column.quantity, column.signature, table[column.label], column.kind)
        for column in result.columns
    }
    judged = None if result.judgements is None else frozenset(result.judgements.queries)
    unanswered = result.named.get("unanswered_queries")
    answered = None if judged is None or unanswered is None else judged.difference(unanswered)
    return System(name, queries, scores, judged, answered, result.origin, notices=result.notices)


def _side_by_side(columns: Mapping[str, Column], for_warnings: str = "") -> tuple[tuple[str, ...], dict[str, Floats]]:
    """Put columns over the queries that one of them counts or lists, in the order of their ids.

    Args:
        columns: by label.
        for_warnings: the label of a column that is put beside the others, and whose queries are not looked for.

    Returns:
        The queries, and by label the values, `[Q]`, NaN where a query does not count.

    """
    requested = [column for label, column in columns.items() if label != for_warnings] or [*columns.values()]
    names = {name for column in requested for name in column.names(column.counted | column.listed)}
    queries, table = tuple(sorted(names)), {}
    for label, column in columns.items():
        row_of = {query: row for row, query in enumerate(column.queries)}
        # [Q]: -1 is the NaN that is appended
        rows = np.array([row_of.get(query, -1) for query in queries], dtype=np.int64)
        table[label] = np.append(np.where(column.counted, column.values, np.nan), np.nan)[rows]
    return queries, table


class SystemReader:
    """Measures runs, and reads and checks stored values, so that all systems have the same measures.

    Attributes:
        labels: what tables call the measures of the caller.
        notes: which values come from other judgements.

    """

    def __init__(
        self,
        qrels: object = None,
        measures: Iterable[str | Measure] | None = None,
        *,
        accept_new_qrels: bool = False,
        **options: Any,  # noqa: ANN401 - `queries`, `rel`, `profile`, `progress` and the settings, as for `evaluate_runs`
    ) -> None:
        """Read the arguments of `compare`.

        Raises:
            MeasureError: as `evaluate`; `measure-syntax` for counts and geometric means.
            UsageError: `unknown-setting`.

        """
        self.notes: list[str] = []
        self._runs: dict[str, Run] = {}  # those that are measured now
        self._qrels, self._accept_new_qrels = qrels, accept_new_qrels
        self._reading, self._options = inputs.InputOptions(options), options
        self._queries = options["queries"] = None if options.get("queries") is None else list(ids(options["queries"]))
        self._profile = options["profile"] = profile_of(options.get("profile", STANDARD))
        self._judgements: Qrels | Digest | None = None  # of stored values alone, those of the first
        self._measures = several(DEFAULT if measures is None else measures)
        resolved = [] if measures is None else self._resolved(self._measures)
        if unpaired := [measure.label for measure in resolved if not is_paired(measure.quantity)]:
            text = "counts, texts and geometric means have no differences of queries that add up to theirs"
            remedy = "compare the measure itself: AP instead of gmean(AP)"
            raise MeasureError("measure-syntax", f"{quoted(unpaired)}: {text}", remedy=remedy)
        self._names = {measure.label: str(measure.quantity) for measure in resolved}  # or those of stored values
        self.labels = list(self._names)

    def _resolved(self, measures: Sequence[object]) -> list[ResolvedMeasure]:
        return self._profile.ask(measures, rel=self._options.get("rel"))

    def _means(self, name: str, measure: str) -> bool:
        """Return whether a name stands for a measure, and for it alone."""
        try:
            return [str(measure.quantity) for measure in self._resolved([name])] == [measure]
        except MeasureError:
            return False

    @property
    def _measure_for_warnings(self) -> str:
        """The measure that warnings need, where nobody asked for it."""
        return "" if UNJUDGED in (*self.labels, *self._measures) else UNJUDGED

    def read(
        self, sources: Mapping[str, object] | Sequence[object], noise: Sequence[object] | None = None
    ) -> list[System]:
        """Read the systems, in the order given.

        Args:
            sources: by name: a run, the path of a results file, `Values`, a `Result`; a list of these is several runs
                of one system. A list of them, or `RunValues`, if they have names themselves.
            noise: further runs of one unchanged system; they become the last system, called `NOISE`.

        Raises:
            InputError: `input-type`, `changed-judgements`, `bad-results`, and as `evaluate`.
            UsageError: `run-names`, `not-comparable`, `not-measured`, `conflicting-options`.
            MeasureError: as `evaluate`.

        """
        by_name = named_runs(sources)
        if noise is not None:
            by_name[NOISE] = repeated_runs(noise)
        sides = {(name, number): side for name, parts in by_name.items() for number, side in enumerate(parts)}
        stored = {
            key: of_result(key[0], side) if isinstance(side, Result) else of_values(key[0], side)
            for key, side in sides.items()
            if isinstance(side, Result | Values)
        }
        if stored and not self.labels:
            self._take_over(list(stored.values()))
        runs = {key: side for key, side in sides.items() if key not in stored}
        labels = [name if len(by_name[name]) == 1 else f"{name} ({number + 1})" for name, number in runs]
        measured = zip(runs, self._measured(labels, list(runs.values())), strict=True)
        systems = {key: of_values(key[0], values, self._measure_for_warnings) for key, values in measured}
        for key, system in stored.items():
            queries = None if self._queries is None else sorted({*system.queries} & {*self._queries})
            systems[key] = system if queries is None else system.only(queries)
            self._check(systems[key], sides[key])
        named = {key: systems[key].under(self._names) for key in sides}
        systems_read = [
            joined([named[name, number] for number in range(len(parts))], self.labels)
            for name, parts in by_name.items()
        ]
        if noise is not None and systems_read[-1].joined != ("seeds", len(by_name[NOISE])):
            text = "the runs of --noise (noise=) answer different queries, as folds do, and so repeat nothing"
            raise UsageError("not-comparable", text, remedy="give runs of one unchanged system for the same queries")
        return systems_read

    def contexts(
        self, measures: Sequence[str], systems: Sequence[str], by: Varied
    ) -> dict[str, dict[str, MeasureContext]]:
        """Return what is needed to bound the given measures, by system and measure.

        Raises:
            UsageError: `conflicting-options` for systems that are no single runs.

        """
        if stored := [name for name in systems if name not in self._runs]:
            text = f"{stored[0]} has no bounds: it is not one run, whose documents could be looked at"
            remedy = "give each system as one run, and not as a results file"
            raise UsageError("conflicting-options", text, remedy=remedy)
        not_settings = ("queries", "rel", "profile", "progress")
        settings: Any = {name: value for name, value in self._options.items() if name not in not_settings}
        plan = runner.planned(self._profile, measures, self._options.get("rel"), settings)
        judgements = inputs.Judgements(self._qrels, self._queries, [measure.judging for measure in plan.measures])
        sides = of_runs(judgements, self._runs, plan, by)
        return {name: {side.resolved.label: side for side in of_run} for name, of_run in sides.items()}

    def _take_over(self, stored: Sequence[System]) -> None:
        """Measure runs by the measures that all stored values have, under the names of the first."""
        self._names = {label: score.measure for label, score in stored[0].scores.items()}
        taken = []
        for label in shared([system.under(self._names) for system in stored]):
            measure = self._names[label]
            taken += [name for name in (label, measure) if self._means(name, measure)][:1]
        self._measures = taken or self._measures

    def _measured(self, labels: Sequence[str], runs: list[object]) -> list[Values]:
        """Measure the runs that have no stored values.

        Raises:
            UsageError: `conflicting-options` without judgements.
            InputError, MeasureError: as `evaluate`; `empty-input` for what has no row, whatever the profile.

        """
        if self._qrels is not None:
            [self._qrels], runs = self._reading.read([self._qrels], runs)
        named = [inputs.run(run, label) for run, label in zip(runs, labels, strict=True)]
        self._runs = dict(zip(labels, named, strict=True))
        if not named:
            return []
        if self._qrels is None:
            raise UsageError("conflicting-options", f"{quoted(labels)} are to be measured, and there are no judgements")
        further = [self._measure_for_warnings] if self._measure_for_warnings and self._means(UNJUDGED, UNJUDGED) else []
        with warnings.catch_warnings(action="ignore", category=RankworthWarning):
            try:
                values = evaluation.evaluate_runs(self._qrels, named, [*self._measures, *further], **self._options)
            except RankworthError:  # the measure of the warning may be what is refused
                if not further:
                    raise
                values = evaluation.evaluate_runs(self._qrels, named, self._measures, **self._options)
        for name, measured in values.items():
            if any(notice.slug == "empty-input" for notice in measured.notices):
                subject = f"run {name} has" if measured.counts.judged else "the judgements have"
                remedy = "evaluate shows the values that the tool gives then"
                raise InputError("empty-input", f"{subject} no rows: there is nothing to compare", remedy=remedy)
        self._judgements = next(iter(values.values())).judgements
        return list(values.values())

    def _check(self, system: System, source: Values | Result) -> None:
        """Refuse stored values that lack a measure, or come from other judgements, unless that is accepted.

        Raises:
            UsageError: `not-measured`.
            InputError: `changed-judgements`.

        """
        if self.labels:
            system.require(self._names.values(), {score.measure for score in system.scores.values()})
        stored = source.judgements
        if stored is None:
            return
        if self._judgements is None:
            policy: Any = self._options.get("duplicate_judgements") or self._profile.judging.duplicate_judgements
            qrels, queries = self._qrels, self._queries
            self._judgements = stored if qrels is None else Qrels(qrels, queries=queries, duplicate_judgements=policy)
        if stored is self._judgements:
            return
        before, today = (qrels.digest if isinstance(qrels, Qrels) else qrels for qrels in (stored, self._judgements))
        looked_at = {*system.queries} if self._qrels is not None else {*system.queries} & today.queries.keys()
        if not (changes := before.changes(today, looked_at)):
            return
        fact = "the judgements are no longer those of the stored values"
        if self._qrels is None:
            fact = "its values were measured by other judgements than those before"
        text = f"{system.origin or system.name}: {fact}: {changes}"
        if not self._accept_new_qrels:
            again = f":\n  {renewal([source])}" if isinstance(source, Result) else ""
            remedy = f"measure the stored run again under the judgements of today, and keep that{again}\n"
            remedy = f"{remedy}or accept it: --accept-new-qrels (accept_new_qrels=True)"
            raise InputError("changed-judgements", text, remedy=remedy)
        self.notes.append(f"{text}; accepted, over common queries")


def renewal(
    results: Sequence[Result], qrels: str = "", known_runs: Sequence[str] = (), reading: Sequence[str] = ()
) -> str:
    """Return the command that measures the runs of a results file again and keeps that.

    Args:
        results: what the file holds.
        qrels: the judgements; `QRELS` stands for them where they are not known.
        known_runs: files of runs; where that of the results is neither among them nor beside one, `RUN` stands for it.
        reading: options that say how these files are read.

    """
    first = results[0]
    measures = [*(column.label for column in first.columns), *first.texts.keys() - {"group"}]
    runs = [_run_file(result.run, known_runs) for result in results]
    line = Signature.parse(first.signature)
    return loading.renewal(qrels or "QRELS", runs, measures, line, first.origin or "FILE", reading)


def _run_file(name: str, known_runs: Sequence[str]) -> str:
    """Return the file of a run of this name: one that is known, or one beside it."""
    for path in map(Path, known_runs):
        if (beside := path.with_name(f"{name}{''.join(path.suffixes)}")).is_file():
            return str(beside)
    return f"{name}=RUN"


def joined(runs: Sequence[System], measures: Sequence[str]) -> System:
    """Join several runs of one system: folds are put together, seeds are averaged for each query.

    Args:
        runs: the runs.
        measures: the measures of the caller; if there are none, all that the runs share.

    Raises:
        UsageError: `not-comparable` if their queries are neither the same nor altogether different, or if they were
            not measured alike.

    """
    first, *other_runs = runs
    if not other_runs:
        return first
    labels = [label for label in measures or first.scores if all(label in run.scores for run in runs)]
    require_same_settings(runs, [label for label in labels if is_paired(first.scores[label].quantity)])
    answered = [
        frozenset(run.queries) & (frozenset(run.queries) if run.answered is None else run.answered) for run in runs
    ]
    every = frozenset().union(*answered)
    owners = None
    if sum(map(len, answered)) == len(every) > max(map(len, answered)):
        # each query has the value of the run that answers it; other queries have the value of no results
        queries = sorted({*first.queries}.union(*(run.queries for run in other_runs)))
        pairs = zip(runs, answered, strict=True)
        # [Q]: which run each query has its value from
        owners = np.argmax(
            [
                [(query in run.rows) + (query in answered_queries) for query in queries]
                for run, answered_queries in pairs
            ],
            axis=0,
        )
        runs = [run.only(queries) for run in runs]
    elif any(run.queries != first.queries for run in other_runs):
        counts = " and ".join(f"{len(run.queries):,}" for run in runs)
        text = f"{first.name}: its runs share some queries, not all ({counts}): they are neither folds nor repetitions"
        remedy = "give runs for the same queries, or for altogether different ones"
        raise UsageError("not-comparable", text, remedy=remedy)
    scores = {}
    for label in labels:
        table = np.array([run.scores[label].values for run in runs], dtype=float)  # [R, Q]
        if owners is None:
            scores[label] = replace(first.scores[label], values=table.mean(axis=0), repetitions=table)
        else:
            scores[label] = replace(first.scores[label], values=table[owners, np.arange(owners.size)])
    judged = [run.judged for run in runs if run.judged is not None]
    lengths = [run.lengths for run in runs if run.lengths is not None]
    return replace(
        first,
        queries=runs[0].queries,
        scores=scores,
        judged=frozenset().union(*judged) if len(judged) == len(runs) else None,
        answered=min(answered, key=len) if owners is None else every,
        joined=("seeds" if owners is None else "folds", len(runs)),
        lengths=np.concatenate(lengths) if len(lengths) == len(runs) else None,
        notices=tuple(dict.fromkeys(notice for run in runs for notice in run.notices)),
    )


def require_same_settings(systems: Sequence[System], measures: Sequence[str]) -> None:
    """Refuse values that were not made alike, but for their queries.

    Raises:
        UsageError: `not-comparable`, `not-measured`.

    """
    base, *other_systems = systems
    for system in systems:
        system.require(measures, system.scores)
    problems = []
    for system, name in product(other_systems, measures):
        differences = not_alike(base.scores[name].signature, system.scores[name].signature)
        problems += [f"{name} of {base.name} and {system.name}: {difference}" for difference in differences]
    if problems:
        remedy = "measure all of them with one profile and the same settings"
        raise UsageError("not-comparable", *dict.fromkeys(problems), remedy=remedy)


def not_alike(first: str, other: str) -> list[str]:
    """List what differs in how two values of one query came about, by their signatures."""
    return values_signature(first).differences(values_signature(other))


@lru_cache
def values_signature(line: str) -> Signature:
    """Return a signature of the values of single queries: without the queries, and without settings of means."""
    parsed = Signature.parse(line)
    settings = {name: value for name, value in parsed.settings.items() if name not in _MEANS}
    return replace(parsed, settings=settings, queries="0-")
