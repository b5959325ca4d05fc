"""The systems of a comparison: runs are measured, stored values are checked, several runs of a system become one."""

import os
import shlex
import warnings
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any, Final, Literal, TypeGuard

import numpy as np
from numpy.typing import NDArray

from rankworth import evaluation
from rankworth.errors import KEEP, InputError, MeasureError, RankworthError, RankworthWarning, UsageError, quoted
from rankworth.evaluation.results_file import Result
from rankworth.evaluation.results_reading import is_results, read
from rankworth.evaluation.values import RunValues, Values, behind
from rankworth.io.validate import IdKinds, ids
from rankworth.judging import inputs
from rankworth.measures import Fact, Measure, TextFact
from rankworth.model import Digest, Qrels, Run, stem
from rankworth.names import several
from rankworth.profiles import DEFAULT as STANDARD
from rankworth.profiles import Signature, profile_of
from rankworth.tables.columns import Kind

Floats = NDArray[np.float64]
Better = Literal["higher", "lower"]
DEFAULT: Final = ("nDCG@10", "RR@10", "AP", "R@100")
"""the measures by default"""
UNJUDGED: Final = "Unjudged@10"
"""measured for a warning"""
_COVERAGE: Final = ("Judged", "Unjudged")
"""measures of the judgements, compared on request only"""
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

    """

    quantity: object
    signature: str
    values: Floats
    kind: Kind

    @property
    def measure(self) -> str:
        """The canonical name of the measure."""
        return Signature.parse(self.signature).measure

    @property
    def better(self) -> Better:
        """Which end of the scale is better."""
        return self.quantity.definition.better if isinstance(self.quantity, Measure) else "higher"

    @property
    def usual(self) -> bool:
        """Whether it is compared by default: it is not about the judgements."""
        return not (isinstance(self.quantity, Measure) and self.quantity.definition.name in _COVERAGE)


@dataclass(frozen=True)
class System:
    """The values of one system.

    Attributes:
        name: what tables call it.
        queries: the ids of its queries, in the order of their bytes.
        scores: by name of the measure.
        judged: the queries that have judgements; None if unknown.
        answered: those of them that have results; None if unknown.
        unanswered: how many have none, where a file counts them and does not name them.
        origin: the results file of the values; empty if they were measured now.
        joined: how several runs of the system became one, `folds` or `seeds`, and how many there were.
        notices: warnings of the evaluation, slug and text.
        kinds: whether ids of queries came as integers.

    """

    name: str
    queries: tuple[str, ...]
    scores: Mapping[str, Scores]
    judged: frozenset[str] | None = None
    answered: frozenset[str] | None = None
    unanswered: int | None = None
    origin: str = ""
    joined: tuple[str, int] | None = None
    notices: tuple[tuple[str, str], ...] = ()
    kinds: IdKinds = field(default_factory=IdKinds, compare=False, repr=False)

    @cached_property
    def rows(self) -> dict[str, int]:
        """The row of each query."""
        return {query: row for row, query in enumerate(self.queries)}

    def only(self, queries: Sequence[str]) -> "System":
        """The system with these queries, in their order; those that it does not have are without a value."""
        rows = np.array([self.rows.get(query, -1) for query in queries], dtype=np.int64)
        scores = {label: replace(one, values=np.append(one.values, np.nan)[rows]) for label, one in self.scores.items()}
        return replace(self, queries=tuple(queries), scores=scores)

    def under(self, names: Mapping[str, str]) -> "System":
        """The system with its measures under other names, which are given with their canonical names."""
        by_measure = {one.measure: one for one in reversed(list(self.scores.values()))}
        named = {label: by_measure[measure] for label, measure in names.items() if measure in by_measure}
        named |= {label: one for label, one in self.scores.items() if names.get(label) == one.measure}
        return replace(self, scores={name: one for name, one in self.scores.items() if name not in names} | named)


def paired(systems: Sequence[System]) -> list[str]:
    """The measures that all systems have and whose differences add up, in the order of the first system."""
    first, *others = systems
    names = [name for name, one in first.scores.items() if is_paired(one.quantity)]
    return [name for name in names if all(name in each.scores for each in others)]


def shared(systems: Sequence[System]) -> list[str]:
    """The measures that are compared by default: the usual ones that all systems have, in order."""
    if not systems:
        return []
    common = paired(systems)
    return [name for name in common if systems[0].scores[name].usual] or common


def kept_measures(results: Sequence[Result]) -> list[str]:
    """The measures of results files that are compared by default."""
    return shared([of_result(one.run, one) for one in results])


def of_values(name: str, values: Values) -> System:
    """A system from an evaluation."""
    per_query, columns = values.per_query, behind(values).columns
    scores, zeros = {}, {}
    for place, (label, quantity) in enumerate(zip(per_query.measures, values.measures, strict=True)):
        known = per_query.array[:, place]
        if per_query.there is not None:
            known = np.where(per_query.there[:, place], known, np.nan)
        if place < len(columns):
            column, is_mean = columns[place], columns[place].way == "mean"
            rows, standing = column.rows, column.standing
            zeros[label] = {*standing.of(rows.missing)}
            if rows.divided is not None and is_mean:
                zeros[label] |= {*standing.of(rows.divided), *rows.others}
            known = np.nan_to_num(known) if column.settings.nan == "zero" else known
            if column.settings.divisor == "run" and is_mean:
                known = np.where([query in zeros[label] for query in per_query.ids], known, np.nan)
        scores[label] = Scores(quantity, values.signatures[label], known, per_query.kinds[label])
    judged = None if values.judgements is None else frozenset(values.judgements.queries)
    answered = None if judged is None else judged.difference(values.counts.queries["unanswered_queries"])
    system = System(name, (*per_query.ids,), scores, judged, answered, notices=values.notices, kinds=per_query.id_kinds)
    return _with_zeros(system, zeros)


def of_result(name: str, result: Result) -> System:
    """A system from a results file."""
    scores, zeros, unanswered = {}, {}, result.named.get("unanswered_queries")
    judged = None if result.judgements is None else frozenset(result.judgements.queries)
    for column in result.columns:
        known = np.where(column.known, column.values, np.nan)
        settings = Signature.parse(column.signature).settings
        if settings.get("nan") == "zero":
            known = np.nan_to_num(known)
        if judged and (settings.get("missing") == "absent" or settings.get("divisor") == "judged"):
            zeros[column.label] = judged
        scores[column.label] = Scores(column.quantity, column.signature, known, column.kind)
    answered = None if judged is None or unanswered is None else judged.difference(unanswered)
    notices = (*result.notices, *([("older-results", result.doubt)] if result.doubt else []))
    count = result.counts.get("unanswered") if answered is None else None
    system = System(name, result.queries, scores, judged, answered, count, result.origin, notices=notices)
    return _with_zeros(system, zeros)


def _with_zeros(system: System, zeros: Mapping[str, Collection[str]]) -> System:
    """The system with 0 for queries, by measure, that have no value and count in the mean."""
    queries = tuple(sorted(set(system.queries).union(*zeros.values())))
    wider = system.only(queries)
    scores = {}
    for label, one in wider.scores.items():
        is_zero = np.array([query in zeros.get(label, ()) for query in queries], dtype=bool)
        scores[label] = replace(one, values=np.where(is_zero & np.isnan(one.values), 0.0, one.values))
    return replace(wider, scores=scores)


def is_paired(quantity: object) -> bool:
    """Whether a difference of means is the mean of differences: not of counts, texts and geometric means."""
    return not isinstance(quantity, Fact | TextFact) and getattr(quantity, "averaging", "mean") == "mean"


class SystemReader:
    """Measures runs, and reads and checks stored values, so that all systems have the same measures.

    Attributes:
        notes: which values come from other judgements.
        asked: what tables call the measures of the caller.

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
        self._qrels, self._accept_new_qrels = qrels, accept_new_qrels
        self._reading, self._options = inputs.InputOptions(options), options
        self._queries = options["queries"] = None if options.get("queries") is None else list(ids(options["queries"]))
        self._profile = options["profile"] = profile_of(options.get("profile", STANDARD))
        self._judgements: Qrels | Digest | None = None  # of stored values alone, those of the first
        self._measures = several(DEFAULT if measures is None else measures)
        asked = [] if measures is None else self._profile.ask(self._measures, rel=options.get("rel"))
        if unpaired := [one.label for one in asked if not is_paired(one.quantity)]:
            text = "counts, texts and geometric means have no differences of queries that add up to theirs"
            remedy = "compare the measure itself: AP instead of gmean(AP)"
            raise MeasureError("measure-syntax", f"{quoted(unpaired)}: {text}", remedy=remedy)
        self._names = {one.label: str(one.quantity) for one in asked}  # or those of the first stored values
        self.asked = list(self._names)

    def read(self, sources: Mapping[str, object] | Sequence[object]) -> list[System]:
        """The systems, in the order given.

        Args:
            sources: by name: a run, the path of a results file, `Values`, a `Result`; a list of these is several runs
                of one system. A list of them, or `RunValues`, if they have names themselves.

        Raises:
            InputError: `input-type`, `changed-judgements`, `bad-results`, and as `evaluate`.
            UsageError: `run-names`, `not-comparable`, `not-measured`, `conflicting-options`.
            MeasureError: as `evaluate`.

        """
        by_name = _named(sources)
        sides = {(name, number): side for name, parts in by_name.items() for number, side in enumerate(parts)}
        stored = {
            key: of_result(key[0], side) if isinstance(side, Result) else of_values(key[0], side)
            for key, side in sides.items()
            if isinstance(side, Result | Values)
        }
        if stored and not self.asked:
            self._take_over(list(stored.values()))
        systems = self._measured({key: side for key, side in sides.items() if key not in stored}, by_name)
        for key, system in stored.items():
            systems[key] = self._chosen(system)
            self._check(systems[key], sides[key].judgements)
        runs = {key: systems[key].under(self._names) for key in sides}
        return [joined([runs[name, number] for number in range(len(by_name[name]))], self.asked) for name in by_name]

    def _take_over(self, stored: Sequence[System]) -> None:
        """Measure runs by the measures that all stored values have, under the names of the first."""
        self._names = {name: one.measure for name, one in stored[0].scores.items()}
        found = []
        for name in shared([one.under(self._names) for one in stored]):
            spellings = (name, self._names[name])
            found += [one for one in spellings if self._measures_of(one) == [self._names[name]]][:1]
        self._measures = found or self._measures

    def _measures_of(self, name: str) -> list[str]:
        """The canonical names of what a name stands for; empty if it is not known here."""
        try:
            return [str(one.quantity) for one in self._profile.ask([name], rel=self._options.get("rel"))]
        except MeasureError:
            return []

    def _chosen(self, system: System) -> System:
        """Stored values of the queries of the caller.

        Raises:
            UsageError: `not-measured` without a measure of the caller.

        """
        if self.asked:
            _require(system, self._names.values(), {one.measure for one in system.scores.values()})
        if self._queries is None:
            return system
        wanted = set(self._queries)
        return replace(system.only([query for query in system.queries if query in wanted]), unanswered=None)

    def _measured(
        self, sides: Mapping[tuple[str, int], object], by_name: Mapping[str, Sequence[object]]
    ) -> dict[tuple[str, int], System]:
        """The systems that are measured now, by name and number of the run.

        Raises:
            UsageError: `conflicting-options` without judgements.
            InputError, MeasureError: as `evaluate`; `empty-input` for what has no row, whatever the profile.

        """
        sources: Sequence[object] = list(sides.values())
        if self._qrels is not None:
            [self._qrels], sources = self._reading.read([self._qrels], sources)
        runs: dict[str, Run] = {}
        for (name, number), side in zip(sides, sources, strict=True):
            label = name if len(by_name[name]) == 1 else f"{name} ({number + 1})"
            while label in runs:
                label += "'"
            runs[label] = inputs.run(side, label)
        if not runs:
            return {}
        if self._qrels is None:
            raise UsageError("conflicting-options", f"{quoted(runs)} are to be measured, and there are no judgements")
        further = [UNJUDGED] if UNJUDGED not in self.asked and self._measures_of(UNJUDGED) else []
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RankworthWarning)
            try:
                values = evaluation.evaluate_runs(self._qrels, runs, [*self._measures, *further], **self._options)
            except RankworthError:  # the measure of the warning may be what is refused
                if not further:
                    raise
                values = evaluation.evaluate_runs(self._qrels, runs, self._measures, **self._options)
        for name, one in values.items():
            if any(notice.slug == "empty-input" for notice in one.notices):
                what = f"run {name} has" if one.counts.judged else "the judgements have"
                remedy = "evaluate shows the values that the tool gives then"
                raise InputError("empty-input", f"{what} not one row: there is nothing to compare", remedy=remedy)
        self._judgements = next(iter(values.values())).judgements
        return {key: of_values(key[0], values[label]) for key, label in zip(sides, runs, strict=True)}

    def _check(self, system: System, stored: Qrels | Digest | None) -> None:
        """Refuse stored values from other judgements, unless that is accepted.

        Raises:
            InputError: `changed-judgements`.

        """
        if stored is None:
            return
        if self._judgements is None and self._qrels is None:
            self._judgements = stored
        elif self._judgements is None:
            policy: Any = self._options.get("duplicate_judgements") or self._profile.judging.duplicate_judgements
            self._judgements = Qrels(self._qrels, queries=self._queries, duplicate_judgements=policy)
        if stored is self._judgements:
            return
        before, today = (one.digest if isinstance(one, Qrels) else one for one in (stored, self._judgements))
        queries = set(system.queries) if self._qrels is not None else set(system.queries) & today.queries.keys()
        if not (changes := before.changes(today, queries)):
            return
        what = "the judgements are no longer those of the stored values"
        if self._qrels is None:
            what = "its values were measured by other judgements than those before"
        text = f"{system.origin or system.name}: {what}: {changes}"
        if not self._accept_new_qrels:
            raise InputError(
                "changed-judgements",
                text,
                remedy="measure the stored run again under the judgements of today, and keep that:\n"
                f"  {KEEP} {shlex.quote(system.origin) if system.origin else 'FILE'}\n"
                "or accept it: --accept-new-qrels (accept_new_qrels=True)",
            )
        self.notes.append(f"{text}; accepted, over common queries")


def _named(sources: Mapping[str, object] | Sequence[object]) -> dict[str, list[Any]]:
    """The runs of each system, results files read.

    Raises:
        InputError: `input-type`, `bad-results`.
        UsageError: `run-names`.

    """
    if isinstance(sources, Mapping) and not isinstance(sources, Values):
        named: dict[str, list[Any]] = {
            str(name): [*source] if _is_several(source) else [source] for name, source in sources.items()
        }
        for name, parts in named.items():
            opened = [_opened(part) for part in parts]
            for part, runs in zip(parts, opened, strict=True):
                if len(runs) > 1:
                    text = f"{part} holds {len(runs):,} runs, {quoted(runs)}, and {name} is one system"
                    remedy = "give the runs that are meant: rankworth.load(FILE)[RUN]"
                    raise UsageError("run-names", text, remedy=remedy)
            named[name] = [run for runs in opened for run in runs.values()]
        return named
    if isinstance(sources, str | os.PathLike | Values) or not isinstance(sources, Iterable):
        text = f"{type(sources).__name__} is no collection of systems"
        raise InputError("input-type", text, remedy="systems are a dict {name: run, ...} or a list of files")
    found: dict[str, list[Any]] = {}
    for source in sources:
        for name, run in _opened(source).items():
            if not name or name in found:
                what = f"two systems are called {name!r}" if name else "a run that is no file has no name"
                raise UsageError("run-names", what, remedy="name them: {name: run, ...}, on the command line NAME=FILE")
            found[name] = [run]
    return found


def _is_several(source: object) -> TypeGuard[Sequence[object]]:
    """Whether a list is one of runs, not of rows; a dict in it is a run unless it is a row."""
    return (
        isinstance(source, list | tuple)
        and bool(source)
        and all(
            isinstance(run, str | os.PathLike | Values | Result | Run | RunValues)
            or (isinstance(run, Mapping) and all(isinstance(part, Mapping | list | tuple) for part in run.values()))
            for run in source
        )
    )


def _opened(source: object) -> dict[str, Any]:
    """A run by its name, or each run of a results file."""
    if isinstance(source, str | os.PathLike):
        return dict(read(source)) if is_results(source) else {stem(source): source}
    if isinstance(source, Values | Result):
        return {source.run: source}
    return {source.name if isinstance(source, Run) else "": source}


def joined(runs: Sequence[System], measures: Sequence[str]) -> System:
    """Several runs of one system as one: folds are joined, seeds are averaged for each query.

    Args:
        runs: the runs.
        measures: the measures of the caller; if there are none, all that the runs share.

    Raises:
        UsageError: `not-comparable` if their queries are neither the same nor altogether different, or if they were
            not measured alike.

    """
    first, *others = runs
    if not others:
        return first
    labels = [label for label in measures or first.scores if all(label in one.scores for one in runs)]
    require_same_settings(runs, [label for label in labels if is_paired(first.scores[label].quantity)])
    answered = [
        frozenset(one.queries).intersection(one.queries if one.answered is None else one.answered) for one in runs
    ]
    every = frozenset().union(*answered)
    is_folds = sum(map(len, answered)) == len(every) > max(map(len, answered))
    if is_folds:  # each query has the value of the run that answers it; other queries have the value of no results
        queries = tuple(sorted(set().union(*(one.queries for one in runs))))
        owners = {query: number for number, one in reversed([*enumerate(runs)]) for query in one.queries}
        owners |= {query: number for number, own in enumerate(answered) for query in own}
        rows = np.array([owners[query] for query in queries])
        runs = [one.only(queries) for one in runs]
    elif any(one.queries != first.queries for one in others):
        counts = " and ".join(f"{len(one.queries):,}" for one in runs)
        text = f"{first.name}: its runs share some queries, not all ({counts}): they are neither folds nor repetitions"
        remedy = "give runs for the same queries, or for altogether different ones"
        raise UsageError("not-comparable", text, remedy=remedy)
    scores = {}
    for label in labels:
        table = np.array([one.scores[label].values for one in runs], dtype=float)
        values = table[rows, np.arange(rows.size)] if is_folds else np.mean(table, axis=0)
        scores[label] = replace(first.scores[label], values=values)
    judged = [one.judged for one in runs if one.judged is not None]
    return replace(
        first,
        queries=runs[0].queries,
        scores=scores,
        judged=frozenset().union(*judged) if len(judged) == len(runs) else None,
        answered=every if is_folds else min(answered, key=len),
        joined=("folds" if is_folds else "seeds", len(runs)),
        notices=tuple(dict.fromkeys(notice for one in runs for notice in one.notices)),
    )


def _require(system: System, measures: Iterable[str], known: Collection[str]) -> None:
    """Refuse a system that was not measured by some measures.

    Raises:
        UsageError: `not-measured`.

    """
    if absent := [name for name in measures if name not in known]:
        text = f"{system.name} was not measured by {quoted(absent)}; there are {quoted(system.scores)}"
        raise UsageError("not-measured", text)


def require_same_settings(systems: Sequence[System], measures: Sequence[str]) -> None:
    """Refuse values that were not made alike, but for their queries.

    Raises:
        UsageError: `not-comparable`, `not-measured`.

    """
    for system in systems:
        _require(system, measures, system.scores)
    base, *others = systems
    problems = [
        f"{name} of {base.name} and {system.name}: {difference}"
        for system in others
        for name in measures
        for difference in not_alike(base.scores[name].signature, system.scores[name].signature)
    ]
    if problems:
        remedy = "measure all of them with one profile and the same settings"
        raise UsageError("not-comparable", *dict.fromkeys(problems), remedy=remedy)


def not_alike(one: str, other: str) -> list[str]:
    """What differs in how two values of one query came about, by their signatures."""
    return values_signature(one).differences(values_signature(other))


@lru_cache
def values_signature(line: str) -> Signature:
    """A signature of the values of single queries: without the queries, and without settings of means."""
    parsed = Signature.parse(line)
    settings = {name: value for name, value in parsed.settings.items() if name not in _MEANS}
    return replace(parsed, settings=settings, queries="0-")
