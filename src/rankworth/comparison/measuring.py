"""The systems of a comparison: runs are measured, stored values are read and checked, several runs become one."""

import os
import shlex
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, TypeGuard

from rankworth import evaluation
from rankworth.comparison.systems import Scores, System, is_paired, joined, of_result, of_values, shared
from rankworth.errors import KEEP, InputError, MeasureError, RankworthError, RankworthWarning, UsageError, quoted
from rankworth.evaluation.results_file import Result
from rankworth.evaluation.results_reading import is_results, read
from rankworth.evaluation.values import RunValues, Values
from rankworth.io.validate import ids
from rankworth.judging import inputs
from rankworth.measures import Measure
from rankworth.model import Digest, Qrels, Run, stem
from rankworth.profiles import DEFAULT as STANDARD
from rankworth.profiles import Asked, Profile, profile_of

if TYPE_CHECKING:
    from rankworth.io.source import Progress

DEFAULT: Final = ("nDCG@10", "RR@10", "AP", "R@100")
"""what is compared where nobody says it"""
UNJUDGED: Final = "Unjudged@10"
"""measured for a warning, whether it was asked for or not"""


class Measuring:
    """How runs are measured, and the judgements that all must share."""

    def __init__(
        self,
        qrels: object = None,
        measures: Iterable[str | Measure] | None = None,
        *,
        queries: Iterable[object] | None = None,
        rel: float | None = None,
        profile: str | Profile = STANDARD,
        settings: Mapping[str, Any] | None = None,
        accept_new_qrels: bool = False,
        progress: "Progress | None" = None,
    ) -> None:
        """Hold what was asked for.

        Raises:
            MeasureError: as `evaluate`; `measure-syntax` for what is counted, and for geometric means.
            UsageError: `unknown-setting`.

        """
        self.said = inputs.Said(settings := dict(settings or {}))
        self.qrels = qrels
        self.queries = None if queries is None else list(ids(queries))
        self.judgements: Qrels | Digest | None = None
        """the judgements, once they are read; of stored values alone, those of the first"""
        self.profile = profile_of(profile)
        self.rel = rel
        self.settings = settings
        self.accept_new_qrels = accept_new_qrels
        self.progress = progress
        self.changed: list[str] = []
        """what is said of values that other judgements stand behind"""
        self.asked: list[Asked] = []
        """the measures, if somebody named them"""
        self._stored: dict[str, str] = {}
        """the measures of the first stored values by name, if nobody named measures"""
        if measures is not None:
            is_one = isinstance(measures, str | Measure) or not isinstance(measures, Iterable)
            named = [measures] if is_one else list(measures)
            self.asked = self.profile.ask(named, rel=rel)
            self._named: Sequence[Any] = named
            if unpaired := [one.label for one in self.asked if not is_paired(one.quantity)]:
                raise MeasureError(
                    "measure-syntax",
                    f"{quoted(unpaired)}: counts, texts and geometric means have no differences of queries that add up "
                    "to theirs",
                    remedy="compare the measure itself: AP instead of gmean(AP)",
                )
        else:
            self._named = DEFAULT

    def take_over(self, systems: Sequence[System]) -> list[System]:
        """Measure what stored values have, unless measures were named; gives these values under one name a measure."""
        if self.asked or not systems:
            return list(systems)
        self._stored = {name: one.measure for name, one in systems[0].scores.items()}
        alike = [self.renamed(one) for one in systems]
        known = [self._taken_over(name, alike[0].scores[name].measure) for name in shared(alike)]
        self._named = list(filter(None, known)) or self._named
        return alike

    def renamed(self, system: System) -> System:
        """A system whose measures have the names of the first stored one, which may have been asked for by others."""
        labels = {measure: label for label, measure in reversed(self._stored.items())}
        scores: dict[str, Scores] = {}
        for label, one in system.scores.items():
            is_own = self._stored.get(label) == one.measure
            scores.setdefault(label if is_own else labels.get(one.measure, label), one)
        return replace(system, scores=scores)

    def found(self, system: System) -> System:
        """Stored values under the names of measures that were asked for, of the queries that were asked for.

        Raises:
            UsageError: `not-measured`.

        """
        names = {one.label: str(one.quantity) for one in self.asked}
        measures = {one.measure: one for one in reversed(list(system.scores.values()))}
        if absent := [measure for measure in names.values() if measure not in measures]:
            text = f"{system.name} was not measured by {quoted(absent)}; there are {quoted(system.scores)}"
            raise UsageError("not-measured", text)
        own = {label: one for label, one in system.scores.items() if names.get(label) == one.measure}
        alike = {label: measures[measure] for label, measure in names.items()}
        others = {label: one for label, one in system.scores.items() if label not in names}
        scores = others | alike | own
        system = replace(system, scores=scores)
        if self.queries is None:
            return system
        wanted = set(self.queries)
        return system.only([query for query in system.queries if query in wanted])

    def check(self, name: str, stored: Qrels | Digest | None, queries: Sequence[str], origin: str = "") -> None:
        """Refuse stored values that other judgements stand behind, unless that is accepted.

        Args:
            name: what to call them.
            stored: the judgements behind them, if these are known.
            queries: the queries to look at.
            origin: the results file that they come from, if they come from one.

        Raises:
            InputError: `changed-judgements`.

        """
        if stored is None:
            return
        name, path = origin or name, shlex.quote(origin) if origin else "FILE"
        looked_at: set[str] = set(queries)
        if self.judgements is None and self.qrels is None:
            self.judgements = stored
        elif self.judgements is None:
            policy: Any = self.settings.get("duplicate_judgements") or self.profile.judging.duplicate_judgements
            self.judgements = Qrels(self.qrels, queries=self.queries, duplicate_judgements=policy)
        if stored is self.judgements:
            return
        before, today = (one.digest if isinstance(one, Qrels) else one for one in (stored, self.judgements))
        if self.qrels is None:
            looked_at &= today.queries.keys()
        changes = before.changes(today, looked_at)
        if not changes:
            return
        text = f"{name}: the judgements are no longer those of the stored values: {changes}"
        if self.qrels is None:
            text = f"{name}: its values were measured by other judgements than those before: {changes}"
        if not self.accept_new_qrels:
            raise InputError(
                "changed-judgements",
                text,
                remedy="measure the stored run again under the judgements of today, and keep that:\n"
                f"  {KEEP} {path}\nor accept it: --accept-new-qrels (accept_new_qrels=True)",
            )
        self.changed.append(f"{text}; accepted, over common queries")

    def measure(self, runs: Mapping[str, Run]) -> RunValues:
        """The values of some runs.

        Raises:
            UsageError: `conflicting-options` where there are no judgements.
            InputError, MeasureError: as `evaluate`; `empty-input` for what has no row, whatever the profile.

        """
        if self.qrels is None:
            names = quoted(runs)
            raise UsageError("conflicting-options", f"{names} are to be measured, and there are no judgements")
        wanted = {one.label for one in self.asked}
        beside = [UNJUDGED] if UNJUDGED not in wanted and self._measures_of(UNJUDGED) else []
        try:
            found = self._evaluated(runs, [*self._named, *beside])
        except RankworthError:
            if not beside:
                raise
            found = self._evaluated(runs, self._named)  # nobody asked for the others, and they change no value
        for name, one in found.items():
            if any(notice.slug == "empty-input" for notice in one.notices):
                what = f"run {name} has" if one.counts.judged else "the judgements have"
                remedy = "evaluate shows the values that the tool gives then"
                raise InputError("empty-input", f"{what} not one row: there is nothing to compare", remedy=remedy)
        self.judgements = next(iter(found.values())).judgements
        return found

    def _evaluated(self, runs: Mapping[str, Run], measures: Sequence[Any]) -> RunValues:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RankworthWarning)
            return evaluation.evaluate_runs(
                self.qrels,
                runs,
                measures,
                queries=self.queries,
                rel=self.rel,
                profile=self.profile,
                progress=self.progress,
                **self.settings,
            )

    def _measures_of(self, name: str) -> list[str]:
        """What a name stands for; nothing where it is not known here."""
        try:
            return [str(one.quantity) for one in self.profile.ask([name], rel=self.rel)]
        except MeasureError:
            return []

    def _taken_over(self, name: str, measure: str) -> str:
        """The name by which a stored measure is measured now; empty where there is none."""
        return next((one for one in (name, measure) if self._measures_of(one) == [measure]), "")


def systems(sources: Mapping[str, object] | Sequence[object], how: Measuring) -> list[System]:
    """The systems of a comparison, in the order given.

    Args:
        sources: by name: a run, the path of a results file, `Values`, a `Result`; a list of these is several runs of
            one system. A list of them, or `RunValues`, where they have names themselves.
        how: how runs are measured.

    Raises:
        InputError: `input-type`, `changed-judgements`, `bad-results`, and as `evaluate`.
        UsageError: `run-names`, `not-comparable`, `conflicting-options`.
        MeasureError: as `evaluate`.

    """
    named = _named(sources)
    sides = {(name, place): side for name, parts in named.items() for place, side in enumerate(parts)}
    stored = {
        key: of_result(key[0], side) if isinstance(side, Result) else of_values(key[0], side)
        for key, side in sides.items()
        if isinstance(side, Result | Values)
    }
    stored = dict(zip(stored, how.take_over(list(stored.values())), strict=True))
    given = {key: side for key, side in sides.items() if key not in stored}
    if how.qrels is not None:
        [how.qrels], read = how.said.read([how.qrels], list(given.values()))
        given = dict(zip(given, read, strict=True))
    runs: dict[tuple[str, int], Run] = {}
    called: set[str] = set()
    for (name, place), side in given.items():
        label = name if len(named[name]) == 1 else f"{name} ({place + 1})"
        while label in called:
            label += "'"
        called.add(label)
        runs[name, place] = inputs.run(side, label)
    measured = how.measure({run.name: run for run in runs.values()}) if runs else {}
    found = []
    for name, parts in named.items():
        several = []
        for key in ((name, place) for place in range(len(parts))):
            if key in runs:
                several.append(how.renamed(of_values(name, measured[runs[key].name])))
            else:
                several.append(how.found(stored[key]))
                how.check(name, sides[key].judgements, several[-1].queries, several[-1].origin)
        found.append(joined(several, [one.label for one in how.asked]))
    return found


def _named(sources: Mapping[str, object] | Sequence[object]) -> dict[str, list[Any]]:
    """What each system has, results files read.

    Raises:
        InputError: `input-type`, `bad-results`.
        UsageError: `run-names`.

    """
    found: dict[str, list[Any]] = {}
    if isinstance(sources, Mapping) and not isinstance(sources, Values):
        for name, source in sources.items():
            parts = source if _is_several(source) else [source]
            found[str(name)] = [_only(part, str(name)) for part in parts]
        return found
    if isinstance(sources, str | os.PathLike | Values) or not isinstance(sources, Iterable):
        text = f"{type(sources).__name__} is no collection of systems"
        raise InputError("input-type", text, remedy="systems are a dict {name: run, ...} or a list of files")
    for source in sources:
        for name, one in _opened(source).items():
            if not name or name in found:
                what = f"two systems are called {name!r}" if name else "a run that is no file has no name"
                raise UsageError("run-names", what, remedy="name them: {name: run, ...}, on the command line NAME=FILE")
            found[name] = [one]
    return found


def _only(source: object, name: str) -> Any:  # noqa: ANN401 - a run in any form
    """One run of a system.

    Raises:
        UsageError: `run-names` where a results file holds several.

    """
    found = _opened(source)
    if len(found) > 1:
        text = f"{source} holds {len(found):,} runs, {quoted(found)}, and {name} is one system"
        raise UsageError("run-names", text, remedy="give the runs that are meant: rankworth.load(FILE)[RUN]")
    return next(iter(found.values()))


def _is_several(source: object) -> TypeGuard[Sequence[object]]:
    """Whether a list is one of runs, not of rows."""
    return isinstance(source, list | tuple) and bool(source) and all(map(_is_run, source))


def _is_run(source: object) -> bool:
    """Whether something in a list is a run: a dict is, unless it is a row."""
    if isinstance(source, Mapping) and not isinstance(source, RunValues | Values):
        return all(isinstance(one, Mapping | list | tuple) for one in source.values())
    return isinstance(source, str | os.PathLike | Values | Result | Run)


def _opened(source: object) -> dict[str, Any]:
    """Runs as they are; of a results file each run that it holds, by name."""
    if isinstance(source, str | os.PathLike) and is_results(source):
        return dict(read(source))
    if isinstance(source, Values | Result):
        return {source.run: source}
    if isinstance(source, str | os.PathLike):
        return {stem(source): source}
    return {source.name if isinstance(source, Run) else "": source}
