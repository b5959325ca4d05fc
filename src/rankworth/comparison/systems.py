"""Read the systems of a comparison: runs are measured, and stored values are checked."""

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any, Final

import numpy as np

from rankworth import evaluation
from rankworth.arrays import Integers
from rankworth.comparison.scores import (
    WEIGHTING,
    Scores,
    SystemScores,
    is_paired,
    joined,
    shared,
)
from rankworth.comparison.sources import System
from rankworth.errors import InputError, MeasureError, RankworthWarning, UsageError, quoted
from rankworth.evaluation import runner
from rankworth.io.validate import ids
from rankworth.measures import Measure
from rankworth.model import Digest, Qrels, Run
from rankworth.names import several
from rankworth.profiles import DEFAULT as STANDARD
from rankworth.profiles import ResolvedMeasure, Signature, profile_of
from rankworth.results import loading
from rankworth.results.file import Result
from rankworth.results.values import Values, details
from rankworth.scoring import inputs
from rankworth.scoring.columns import Column
from rankworth.whatif.bounds import Varied, of_runs
from rankworth.whatif.rankings import MeasureContext

DEFAULT: Final = ("nDCG@10", "RR@10", "AP", "R@100")
"""the measures by default"""
OTHER_JUDGEMENTS: Final = "its values were measured by other judgements than those before"
"""what is said of results files whose judgements differ"""


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


def of_values(name: str, values: Values) -> SystemScores:
    """Make a system of an evaluation."""
    columns = dict(zip(values.per_query.measures, details(values).columns, strict=True))
    queries, table = _side_by_side(columns)
    scores = {
        label: Scores(quantity, values.signatures[label], table[label], values.per_query.kinds[label])
        for label, quantity in zip(columns, values.measures, strict=True)
    }
    judged = None if values.judgements is None else frozenset(values.judgements.queries)
    answered = None if judged is None else judged.difference(values.counts.queries["unanswered_queries"])
    return SystemScores(
        name,
        queries,
        scores,
        judged,
        answered,
        notices=values.notices,
        kinds=values.per_query.id_kinds,
        lengths=details(values).lengths,
        unjudged=details(values).diagnosis().unjudged,
        by_share=details(values).by_share,
    )


def of_result(name: str, result: Result) -> SystemScores:
    """Make a system of a results file."""
    queries, table = _side_by_side({column.label: column.counts for column in result.columns})
    scores = {
        column.label: Scores(column.quantity, column.signature, table[column.label], column.kind)
        for column in result.columns
    }
    judged = None if result.judgements is None else frozenset(result.judgements.queries)
    unanswered = result.named.get("unanswered_queries")
    answered = None if judged is None or unanswered is None else judged.difference(unanswered)
    by_length = np.array([*(result.lengths or {}).items()], dtype=np.int64).reshape(-1, 2)
    return SystemScores(
        name,
        queries,
        scores,
        judged,
        answered,
        result.origin,
        notices=result.notices,
        lengths=None if result.lengths is None else np.repeat(by_length[:, 0], by_length[:, 1]),
        unjudged=result.unjudged,
    )


def _side_by_side(columns: Mapping[str, Column]) -> tuple[tuple[str, ...], dict[str, Column]]:
    """Put columns over the queries that one of them counts or lists, in the order of their ids.

    Args:
        columns: by label.

    Returns:
        The queries, and by label the column, whose mean is not rounded.

    """
    names = {name for column in columns.values() for name in column.names(column.counted | column.listed)}
    queries, table = tuple(sorted(names)), {}
    rows: dict[int, Integers] = {}  # by list of queries, where each of these queries stands in it
    for label, column in columns.items():
        if id(column.queries) not in rows:
            row_of = {query: row for row, query in enumerate(column.queries)}
            rows[id(column.queries)] = np.array([row_of.get(query, -1) for query in queries], dtype=np.int64)
        table[label] = column.unrounded.at(queries, rows[id(column.queries)])
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
        self._runs: dict[str, Run] = {}  # of systems that are one run each, measured now
        self._qrels, self._accept_new_qrels = qrels, accept_new_qrels
        self._reading, self._options = inputs.InputOptions(options), options
        self._queries = options["queries"] = None if options.get("queries") is None else list(ids(options["queries"]))
        self._profile = options["profile"] = profile_of(options.get("profile", STANDARD))
        self._judgements: Qrels | Digest | None = None  # of stored values alone, those of the first
        self._measures = several(DEFAULT if measures is None else measures)
        resolved = [] if measures is None else self._resolved(self._measures)
        if unpaired := [measure.label for measure in resolved if not is_paired(measure.quantity)]:
            text = "counts, texts, medians and geometric means have no differences of queries that add up to theirs"
            remedy = "compare the measure itself: AP instead of gmean(AP), RR instead of MedianRank"
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

    def read(self, systems: Sequence[System]) -> list[SystemScores]:
        """Measure the runs of systems, and check stored values, in the order given.

        Raises:
            InputError: `changed-judgements`, and as `evaluate`.
            UsageError: `not-comparable`, `not-measured`, `conflicting-options`.
            MeasureError: as `evaluate`.

        """
        stored = {
            id(run): of_result(system.name, run) if isinstance(run, Result) else of_values(system.name, run)
            for system in systems
            for run in system.runs
            if isinstance(run, Result | Values)
        }
        if stored and not self.labels:
            self._take_over(list(stored.values()))
        measured = self._measured(systems)
        weights, macro = (self._options.get(name) for name in WEIGHTING)
        scores = []
        for system in systems:
            of_runs = []
            for run in system.runs:
                if id(run) in measured:
                    of_run = of_values(system.name, measured[id(run)])
                else:
                    of_run = replace(stored[id(run)], name=system.name)
                    queries = None if self._queries is None else sorted({*of_run.queries} & {*self._queries})
                    of_run = (of_run if queries is None else of_run.only(queries)).weighted(weights, macro)
                    self._check(of_run, run)
                of_runs.append(of_run.under(self._names))
            scores.append(replace(joined(of_runs, self.labels), role=system.role))
            if system.role == "noise" and scores[-1].joined != ("seeds", len(system.runs)):
                text = "the runs of --noise (noise=) answer different queries, as folds do, and so repeat nothing"
                remedy = "give runs of one unchanged system for the same queries"
                raise UsageError("not-comparable", text, remedy=remedy)
        return scores

    @property
    def paths(self) -> dict[str, str]:
        """By system the file of its only run, where it comes from one."""
        return {name: run.files[0].path for name, run in self._runs.items() if len(run.files) == 1}

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

    def _take_over(self, stored: Sequence[SystemScores]) -> None:
        """Measure runs by the measures that all stored values have, under the names of the first."""
        self._names = {label: score.measure for label, score in stored[0].scores.items()}
        taken = []
        for label in shared([system.under(self._names) for system in stored]):
            measure = self._names[label]
            taken += [name for name in (label, measure) if self._means(name, measure)][:1]
        self._measures = taken or self._measures

    def _measured(self, systems: Sequence[System]) -> dict[int, Values]:
        """Measure the runs that have no stored values, by their identity.

        Raises:
            UsageError: `conflicting-options` without judgements.
            InputError, MeasureError: as `evaluate`; `empty-input` for what has no row, whatever the profile.

        """
        labels: dict[int, str] = {}  # of each run, by its identity
        runs = {id(run): run for system in systems for run in system.runs if not isinstance(run, Result | Values)}
        for system in systems:
            for number, run in enumerate(system.runs, 1):
                label = system.name if len(system.runs) == 1 else f"{system.name} ({number})"
                while label in labels.values() and id(run) not in labels:  # a system may be called as the run of one
                    label = f"{label}*"
                labels.setdefault(id(run), label)
        read = list(runs.values())
        if self._qrels is not None:
            [self._qrels], read = self._reading.read([self._qrels], read)
        named = [inputs.run(run, labels[key]) for key, run in zip(runs, read, strict=True)]
        by_identity = dict(zip(runs, named, strict=True))
        self._runs = {
            system.name: by_identity[id(system.runs[0])]
            for system in systems
            if len(system.runs) == 1 and id(system.runs[0]) in by_identity
        }
        if not named:
            return {}
        if self._qrels is None:
            _require_files(named)
            text = f"{quoted(run.name for run in named)} are to be measured, and there are no judgements"
            raise UsageError("conflicting-options", text)
        with warnings.catch_warnings(action="ignore", category=RankworthWarning):
            values = evaluation.evaluate_runs(self._qrels, named, self._measures, **self._options)
        for name, measured in values.items():
            if any(notice.slug == "empty-input" for notice in measured.notices):
                subject = f"run {name} has" if measured.counts.judged else "the judgements have"
                remedy = "evaluate shows the values that the tool gives then"
                raise InputError("empty-input", f"{subject} no rows: there is nothing to compare", remedy=remedy)
        self._judgements = next(iter(values.values())).judgements
        return dict(zip(runs, values.values(), strict=True))

    def _check(self, system: SystemScores, source: Values | Result) -> None:
        """Refuse stored values without a measure, or from other judgements unless they are accepted.

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
        fact = OTHER_JUDGEMENTS if self._qrels is None else "the judgements are no longer those of the stored values"
        text = f"{system.origin or system.name}: {fact}: {changes}"
        if not self._accept_new_qrels:
            again = f":\n  {renewal([source])}" if isinstance(source, Result) else ""
            remedy = f"measure the stored run again under the judgements of today, and keep that{again}\n"
            remedy = f"{remedy}or accept it: --accept-new-qrels (accept_new_qrels=True)"
            raise InputError("changed-judgements", text, remedy=remedy)
        self.notes.append(f"{text}; accepted, over common queries")


def _require_files(runs: Sequence[Run]) -> None:
    """Refuse files that are not there, as a results file of a mistyped name is.

    Raises:
        InputError: `missing-file` and its like.

    """
    for source in chain.from_iterable(run.files for run in runs):
        source.head(1)


def renewal(
    results: Sequence[Result], qrels: str = "", known_runs: Sequence[str] = (), reading: Sequence[str] = ()
) -> str:
    """Return the command that measures the runs of a results file again and keeps the new file.

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
