"""`check`: judgements and runs are read once, measured once, and looked at for what is wrong or risky."""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import compress
from numbers import Real
from typing import TYPE_CHECKING, Any, Final, Literal, Unpack

import numpy as np

from rankworth.checking import reading, rules
from rankworth.checking.findings import Check, CheckedInput, Finding, ordered
from rankworth.checking.rules import SMALLER, CheckedRun
from rankworth.errors import InputError, UsageError, counted, quoted
from rankworth.evaluation import DEFAULT_MEASURES, evaluate_profiles
from rankworth.evaluation.runner import Measures, planned
from rankworth.io.id_arrays import is_sparse
from rankworth.judging.spans import texts_of_spans
from rankworth.model import Qrels, Run
from rankworth.profiles import DEFAULT, Profile, ReadSettings
from rankworth.results.values import values_of
from rankworth.scoring import inputs
from rankworth.scoring.diagnostics import MANY, TOP
from rankworth.scoring.evaluator import evaluate_run
from rankworth.scoring.plans import Plan
from rankworth.whatif.bounds import MeanBounds, evaluation_for_bounds, mean_bounds

if TYPE_CHECKING:
    from rankworth.io.source import Progress

_UNSEEN: Final = f"Unseen@{TOP}"
"""what tells how much of the first ranks users had before"""
_MUCH: Final = 1.5
"""how many times a mean has to be that by scores, so that scores may be the wrong way round"""


def check(
    qrels: object,
    runs: object = (),
    measures: Measures = DEFAULT_MEASURES,
    *,
    docs: object = None,
    queries: Iterable[object] | None = None,
    rel: float | None = None,
    profile: str | Profile = DEFAULT,
    profiles: str | Profile | Iterable[str | Profile] = (),
    bounds: Literal["unjudged"] | None = None,
    progress: "Progress | None" = None,
    **settings: Unpack[ReadSettings],
) -> Check:
    """Say what is wrong or risky in judgements and runs.

    Lines of text that cannot be read are named and left out, and the others are measured, so that one error hides no
    other. A file of another format ends at its first problem.

    Args:
        qrels: as for `evaluate`.
        runs: runs by name, a list of paths or `Run`s, or one run alone; none for judgements alone.
        measures: as for `evaluate`; the first one with a mean is the one that findings speak of.
        docs: the documents, whatever `rankworth.io.query_texts.documents` reads, to find judged ones that are missing.
        queries: as for `evaluate`.
        rel: as for `evaluate`.
        profile: the conventions by which runs are measured.
        profiles: conventions whose values are shown beside each other; `"all"` for all there are.
        bounds: `"unjudged"` for how low and how high the first mean could be, whatever unjudged documents are worth,
            which takes longer than all else.
        progress: called while a file is read.
        **settings: as for `evaluate`.

    Returns:
        Findings: errors, which make a number wrong; warnings, which are likely to mislead; and notes.

    Raises:
        InputError: where a file cannot be opened; what else is wrong with it is a finding.
        MeasureError, UsageError: as `evaluate`.

    >>> result = check({"q1": {"a": 1, "b": 0.5}}, {"old": {"q1": {"b": 2.0, "c": 1.0}}}, ["RR"])
    >>> [(finding.severity, finding.slug) for finding in result.findings]
    [('warning', 'fractional-grades'), ('note', 'unjudged-documents'), ('note', 'unretrieved-documents')]
    """
    labels = (measures,) if isinstance(measures, str) else tuple(measures)
    options: dict[str, Any] = {**settings}
    reads = inputs.InputOptions(options)
    checker = _Checker(labels, {"rel": rel, "profile": profile, "settings": options}, queries, progress)
    named = _named(runs)
    [source], sources = reads.read([qrels], [run for _, run in named])
    judgements, file = checker.judgements(source)
    checked = [checker.run(judgements, run, name) for (name, _), run in zip(named, sources, strict=True)]
    measured = [each for each in checked if each is not None]
    names = [each.name for each in measured]
    if len(names) > len({*names}):
        text = f"two of the runs have one name: {quoted(names)}"
        raise UsageError("run-names", text, remedy="name them: {name: run, ...}, on the command line NAME=FILE")
    if judgements is None:
        return Check(ordered(checker.findings), (), checker.names)
    findings = [*checker.findings, *rules.of_judgements(judgements, measured, file)]
    for each in measured:
        findings += rules.of_run(each, judgements)
        findings += rules.of_unjudged(each, checker.bounded(each, judgements) if bounds else None)
        findings += checker.own_documents(each, judgements)
        findings += checker.rising_scores(each, judgements)
        findings += checker.seen_items(each, judgements)
    findings += rules.of_runs(measured, judgements)
    findings += [] if docs is None else rules.of_corpus(judgements, docs, file)
    findings += rules.of_texts(judgements, texts_of_spans(judgements), file)
    tables = {
        each.name: evaluate_profiles(
            judgements, each.run, labels, profiles=profiles, queries=queries, rel=rel, progress=progress, **options
        )
        for each in (measured if profiles else ())
    }
    whole = CheckedInput("judgements", file, len(judgements), int(judgements.grades.size), {})
    return Check(ordered(findings), (whole, *(each.source for each in measured)), checker.names, tables)


def _named(runs: object) -> list[tuple[str, object]]:
    """Return runs with the names that they are given, or one without a name; of those in files the file is the name."""
    if is_sparse(runs):
        return [("", runs)]
    first = next(iter(runs.values()), None) if isinstance(runs, Mapping) else None
    has_scores = isinstance(first, Mapping) and isinstance(next(iter(first.values()), None), Real)
    if isinstance(runs, Mapping) and not has_scores:
        return list(runs.items())
    if has_scores or not isinstance(runs, list | tuple | Iterator):
        return [("", runs)]
    return [("", run) for run in runs]


@dataclass
class _Checker:
    """Reads and measures the input, and keeps its defects.

    Attributes:
        measures: what is measured.
        conventions: by which conventions, as `planned` takes them.
        queries: the queries to look at; all where None.
        progress: called while a file is read.
        findings: what is wrong with lines, and why a run cannot be measured.

    """

    measures: Sequence[Any]
    conventions: Mapping[str, Any]
    queries: Iterable[object] | None
    progress: "Progress | None"
    findings: list[Finding] = field(default_factory=list)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the measures, as they were asked for."""
        return tuple(map(str, self.measures))

    def plan(self, **settings: Any) -> Plan:  # noqa: ANN401 - settings
        """Return the measures, under further settings."""
        conventions = dict(self.conventions)
        return planned(measures=self.measures, **(conventions | {"settings": conventions["settings"] | settings}))

    def judgements(self, source: object) -> tuple[Qrels | None, str]:
        """Read the judgements, None where not one can be read, and the path of their file."""
        policy = self.plan().base.judging.duplicate_judgements
        qrels, files, findings = reading.judgements(source, policy, self.queries)
        self.findings += findings
        return qrels, reading.path_of(files)

    def run(self, qrels: Qrels | None, source: object, name: str) -> CheckedRun | None:
        """Measure a run, or return None if it cannot be measured."""
        try:
            run = reading.tolerant(inputs.run(source, name))
        except InputError as error:
            self.findings += reading.of_error(error, (), name)
            return None

        def attempt(settings: Mapping[str, str]) -> CheckedRun | None:
            watched = reading.watched(run)
            if qrels is not None:
                return self._measured(qrels, watched, self.plan(**settings))
            deque(watched.batches(self.progress), maxlen=0)  # for what is wrong with its lines
            return None

        attempts = (partial(attempt, settings) for settings in ({}, {"duplicates": "best"}))
        checked, findings = reading.first_possible(attempts, "duplicate-document", run.files, run.name)
        self.findings += [*findings, *reading.of_lines(run.files, run.name)]
        return checked

    def _measured(self, qrels: Qrels, run: Run, plan: Plan) -> CheckedRun:
        """Measure a run under one plan."""
        settings = [measure.judging for measure in plan.measures]
        evaluation = evaluate_run(inputs.Judgements(qrels, self.queries, settings), run, [plan], progress=self.progress)
        values = values_of(evaluation, plan)
        rows = run.rows if isinstance(run, reading.WatchedRun) else reading.RowFacts()
        return CheckedRun(run.name or "the run", run, rows, evaluation.measured_run(plan.base), values)

    def bounded(self, checked: CheckedRun, qrels: Qrels) -> MeanBounds | None:
        """Bound the first mean over all grades of unjudged documents; None where no mean is measured."""
        if checked.lead is None:
            return None
        plan = planned(measures=[checked.lead], **self.conventions)
        settings = [measure.judging for measure in plan.measures]
        judgements = inputs.Judgements(qrels, self.queries, settings)
        evaluation = evaluation_for_bounds(judgements, checked.run, plan, "unjudged", progress=self.progress)
        return mean_bounds(evaluation, plan, "unjudged")

    def own_documents(self, checked: CheckedRun, qrels: Qrels) -> Iterator[Finding]:
        """Find queries that retrieve the document with their own id, and the mean without these documents."""
        queries = [query for query in dict.fromkeys(checked.rows.self_queries) if query in {*qrels.queries}]
        if not queries or self.plan().exclude is not None or checked.lead is None:
            return
        text = f"{checked.name} retrieves the document that has the id of the query, for {counted(len(queries))}: "
        text += f"{quoted(queries)}; some tools remove such documents"
        first = checked.rows.first  # where users and items are both numbered from 1, they meet at any rank
        near = sum(query in documents for query, documents in first.items())
        if len(queries) < MANY * np.count_nonzero(checked.answered) or near < MANY * len(first):
            yield checked.finding("self-matches", text, "note", queries)
            return
        without = self._measured(qrels, checked.run, self.plan(exclude="self")).values
        label = str(checked.lead)
        text += f": {label} is {checked.values[label]:.4f} with and {without[label]:.4f} without them"
        remedy = "if they are the queries themselves: --exclude self, in Python exclude='self'"
        yield checked.finding("self-matches", text, queries=queries)._replace(remedy=remedy)

    def seen_items(self, checked: CheckedRun, qrels: Qrels) -> Iterator[Finding]:
        """Find users who are shown items of their history again."""
        if self.plan().base.data.history is None:
            return
        measured = self._measured(qrels, checked.run, planned(measures=[_UNSEEN], **self.conventions)).values
        new = measured.per_query.array[:, 0]
        queries = list(compress(measured.per_query.ids, (new < 1).tolist()))
        if not queries:
            return
        share = 100 * (1 - float(np.nanmean(new)))
        text = f"{checked.name} shows items of the history again, for {counted(len(queries))}: {quoted(queries)}; "
        text += f"they are {share:.1f} % of the first {TOP} ranks, and test data rarely have them"
        remedy = "where they are not meant to be shown, --exclude FILE takes them out (exclude=)"
        yield checked.finding("seen-items", text, queries=queries)._replace(remedy=remedy)

    def rising_scores(self, checked: CheckedRun, qrels: Qrels) -> Iterator[Finding]:
        """Report scores that rise from line to line, as ranks and distances do, if the order of lines is worth more."""
        rising, lead = checked.rows.rising, str(checked.lead)
        if checked.lead is None or checked.rows.contradicting or sum(rising) <= (1 - MANY) * len(rising):
            return
        in_lines = self._measured(qrels, checked.run, self.plan(order="given")).values[lead]
        if in_lines > _MUCH * checked.values[lead]:
            text = f"{checked.name} has scores that rise from line to line, as ranks and distances do, and the highest "
            text += (
                f"counts as the best: {lead} is {checked.values[lead]:.4f}, and {in_lines:.4f} in the order of lines"
            )
            remedy = f'if a smaller score is better: {SMALLER}; or if lines are in order: --order given (order="given")'
            yield checked.finding("contradicting-ranks", text)._replace(remedy=remedy)
