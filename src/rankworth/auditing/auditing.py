"""`audit`: which conventions reproduce a number, and why the numbers of two profiles differ."""

import math
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import chain, combinations
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, NamedTuple, Unpack, get_args

import numpy as np

from rankworth.auditing.departures import (
    CONFUSED,
    ORDERING,
    Change,
    Convention,
    Departure,
    differences,
    parameters_of,
    settings_of,
)
from rankworth.auditing.fusions import stated_fusion
from rankworth.auditing.number import begins_with, parted, rounds_to
from rankworth.errors import MeasureError, RankworthError, counted
from rankworth.evaluation.runner import planned
from rankworth.explanation import Explanation, explain_queries
from rankworth.measures import CATALOGUE, Measure
from rankworth.measures.parameters import plain
from rankworth.model import Run
from rankworth.profiles import DEFAULT, PROFILES, CallData, Profile, ReadSettings, ResolvedMeasure, profile_of
from rankworth.profiles.call_data import explained
from rankworth.scoring import inputs
from rankworth.scoring.columns import Column as Values
from rankworth.scoring.evaluator import Evaluation, evaluate_run
from rankworth.scoring.labelled import Labelled, pair, with_data_weights
from rankworth.scoring.plans import Plan
from rankworth.settings import QUIRKS, Averaging, DuplicateJudgements, as_typed
from rankworth.tables.analysis import Analysis
from rankworth.tables.columns import Column, Sheet, by_name

if TYPE_CHECKING:
    from rankworth.io.source import Progress

_LAST: Final = (("round_values", "round_means"), QUIRKS)
"""settings that come last in an answer: rounding gives any number of few digits, and quirks are those of few tools"""
_MOST: Final = 3
"""how many differences of two profiles are tried together before they are taken back one by one"""
_EVALUATE: Final = "rankworth evaluate QRELS RUN"
_EQUAL: Final = 1e-12
_DIGITS: Final = 4
"""decimals of a table"""
_KEPT: Final = 10
"""how many of the nearest conventions, and of the queries that move most, a result holds"""
_SHOWN: Final = 3
"""how many rows of each table fit on a screen with all that is said about them"""


Names = Mapping[Convention, tuple[str, ...]]
"""The known profiles that mean a convention."""


class Outcome(NamedTuple):
    """The number of a convention, and what tells the values of queries behind it from others."""

    mean: float
    digest: int

    @classmethod
    def of(cls, column: Values) -> "Outcome":
        """Keep the mean of a column, and a digest of its queries and their values, to 12 decimals."""
        values = np.round(column.visible[column.listed], 12) + 0.0
        return cls(column.mean, hash((values.tobytes(), np.flatnonzero(column.listed).tobytes())))


class Candidate(NamedTuple):
    """A convention that was tried: its departure from the explained convention, and its number.

    Attributes:
        changes: what is changed.
        base: known profiles, of which all mean the same here, if it departs from these.
        profiles: known profiles that mean this convention.
        convention: the measure and its settings.
        outcome: its number.

    """

    changes: tuple[Change, ...]
    base: tuple[str, ...]
    profiles: tuple[str, ...]
    convention: Convention
    outcome: Outcome

    def __str__(self) -> str:
        """Name the profile from which it departs, and the changes."""
        parts = [*(["the profile " + " or ".join(self.base)] if self.base else []), *map(str, self.changes)]
        return " and ".join(parts) or "nothing"


class Moved(NamedTuple):
    """A query with its values before and after the departure."""

    query: str
    before: float
    after: float


@dataclass(frozen=True, repr=False)
class Audit(Analysis[Literal["departures", "queries"]]):
    """Which departures from conventions give a number.

    The tables of columns: `departures`, one row for each set, whose `answer` says whether it gives the number or is
    only nearest to it; and `queries`, those that move most.

    Attributes:
        measure: the measure as it was named.
        origin: the profile from which it departs.
        value: the number of that profile; NaN where it refuses.
        target: the number that is to be explained, as it was written, or the profile that gives it.
        exact: whether the departures give the number.
        candidates: the smallest departures that give it; or the nearest.
        tried: how many conventions were tried.
        command: the options of `rankworth evaluate` that give the number of the first of them; empty where none do.
        queries: the queries that move most under the first of them.
        explanations: the query that moves most, explained under both; nothing where that cannot be.
        departed: where a profile alone gives the number, what tells it from the origin for these queries.
        fusion: the fusion that the run names, in its tag or its metadata; empty where it names none.

    """

    _SCHEMA: ClassVar = "rankworth.audit/1"
    _TABLES: ClassVar = ("departures", "queries")
    _RECORD: ClassVar = ("measure", "origin", "value", "target", "exact", "tried", "command", "fusion")
    measure: str
    origin: str
    value: float
    target: str
    exact: bool
    candidates: tuple[Candidate, ...]
    tried: int
    command: str
    queries: tuple[Moved, ...]
    explanations: tuple[Explanation, ...]
    departed: tuple[Change, ...] = ()
    fusion: str = ""

    @property
    def cut_off(self) -> bool:
        """Whether the number is a beginning of the computed number, cut off and not rounded."""
        is_number = self.exact and self.target not in PROFILES and bool(self.candidates)
        return is_number and not rounds_to(self.candidates[0].outcome.mean, Decimal(self.target))

    def _shown(self, number: float) -> str:
        """Return a number with the decimals of the one that is explained, or six digits if these are more."""
        short = f"{number:.6g}"
        decimals = 0 if self.target in PROFILES else -int(Decimal(self.target).as_tuple().exponent)
        return f"{number:.{decimals}f}" if decimals > len(short.partition(".")[2]) and math.isfinite(number) else short

    @property
    def verdict(self) -> str:
        """The answer in one sentence."""
        if not self.candidates:
            return f"no convention that was tried gives {self.measure} a number"
        first = self.candidates[0]
        if not self.exact:
            nearest = self._shown(first.outcome.mean)
            return f"nothing gives {self.measure} = {self.target}; nearest is {nearest}, by {first}"
        number = self.target if self.target not in PROFILES else f"{first.outcome.mean:.6g}, as under {self.target}"
        if self.cut_off:
            number = f"{number}, cut off; rounded it is {self._shown(first.outcome.mean)}"
        subject = str(first) if first.changes or first.base else f"{self.origin} itself"
        gives = "give" if len(first.changes) + bool(first.base) > 1 else "gives"
        return f"{subject} {gives} {self.measure} = {number}"

    @property
    def notes(self) -> tuple[str, ...]:
        """The number of departure, other explanations, the meaning of each change, and how to repeat the number."""
        test = "Whether it did: rankworth audit RUN --parts RUN RUN."
        tried: tuple[str, ...] = ()
        if self.fusion:
            tried = (f"The run names the fusion that made it: {self.fusion}. {test}",)
        tried += () if self.exact else (f"{self.tried:,} conventions were tried.",)
        if not self.exact and self.value <= 1 < float(self.target):
            tried += (f"If {self.target} is a percentage, write {self.measure}={self.target}%.",)
        if not self.candidates:
            return tried
        first = self.candidates[0]
        before = f"Under {self.origin} {self.measure} is {self._shown(self.value)}."
        meaning = [f"{each}: {explained()[each.name]}" for each in first.changes if each.kind == "setting"]
        if self.departed:
            before += f" For these queries {first} is {' and '.join(map(str, self.departed))}."
        repeated = [f"To repeat it: {self.command}"] if self.command else []
        return (*tried, *([before] if first.changes or first.base else []), *self._equals(), *meaning, *repeated)

    def _equals(self) -> Iterator[str]:
        """Say how many other departures give the number, and whether values of queries tell them apart."""
        first, *other_candidates = self.candidates
        same_values = sum(each.outcome.digest == first.outcome.digest for each in other_candidates)
        for number, consequence in (
            (same_values, "too, and cannot be told apart: every query has the same value"),
            (len(other_candidates) - same_values, "too, by which queries have other values; more digits would tell"),
        ):
            if number and self.exact:
                yield f"{counted(number, 'other set gives', 'other sets give')} the number {consequence}."

    def _record(self) -> dict[str, Any]:
        """Return the attributes, the verdict and both tables."""
        tables = {name: self.flat(name).rows() for name in self._TABLES}  # type: ignore[arg-type]
        return {**super()._record(), "verdict": self.verdict, **tables}

    def _columns(self, of: str) -> dict[str, Any]:
        if of == "queries":
            return by_name(Moved._fields, self.queries)
        rows, answer = [], ("gives it, cut off" if self.cut_off else "gives it") if self.exact else "nearest"
        for each in self.candidates:
            profiles, quantity = " ".join(each.base or each.profiles), str(each.convention.quantity)
            rows.append((str(each), profiles, quantity, each.outcome.mean, answer))
        return by_name(("departure", "profiles", "measure", "value", "answer"), rows)

    def sheets(self) -> list[Sheet]:
        """Return the first departures and the queries that move most, one as a quotient under both conventions."""
        departures = self._columns("departures")
        decimals = 0 if self.target in PROFILES else -int(Decimal(self.target).as_tuple().exponent)
        values = [f"{value:.{decimals}f}" if decimals > _DIGITS else value for value in departures["value"]]
        table = Column("departure", "text", departures["departure"]), Column("value", "number", values)
        sheets = [Sheet(table, self.notes, title=self.verdict)]
        if self.queries:
            moved = self._columns("queries")
            columns = [Column(name, "text" if name == "query" else "value", moved[name]) for name in Moved._fields]
            notes = [each.sheets()[0].title for each in self.explanations]
            query, options = shlex.quote(self.queries[0].query), self.command.removeprefix(_EVALUATE)
            if self.explanations and options:
                notes.append(f"To see why: rankworth explain QRELS RUN {query}{options}")
            sheets.append(Sheet(tuple(columns), tuple(notes), title="Queries that move most"))
        return [sheet.beginning(_SHOWN) for sheet in sheets]


def audit(
    qrels: object = None,
    run: object = None,
    measure: str = "",
    *,
    labels: object = None,
    scores: object = None,
    orders: object = None,
    group: object = None,
    qid: object = None,
    padding: object = None,
    between: tuple[str, str] | None = None,
    queries: Iterable[object] | None = None,
    rel: float | None = None,
    profile: str | Profile = DEFAULT,
    progress: "Progress | None" = None,
    measuring: "Callable[[int, int], None] | None" = None,
    **settings: Unpack[ReadSettings],
) -> Audit:
    """Find which conventions give a number, or why two profiles give different ones.

    Args:
        qrels: as for `evaluate`.
        run: as for `evaluate`.
        measure: `NAME=NUMBER`, as in `"nDCG@10=0.4218"` or `"nDCG@10=42.18%"`; a name alone with `between`.
        labels: as for `evaluate`, instead of `qrels` and `run`.
        scores: as for `evaluate`.
        orders: as for `evaluate`.
        group: as for `evaluate`.
        qid: as for `evaluate`.
        padding: as for `evaluate`.
        between: two profiles, of which the second one's number is to be explained from the first one.
        queries: as for `evaluate`.
        rel: as for `evaluate`.
        profile: the conventions from which the number departs.
        progress: called while a file is read.
        measuring: called with the number of conventions that are measured, and of those that are known to be tried.
        **settings: as for `evaluate`.

    Returns:
        The smallest departures that give the number, rounded to its digits or cut off behind them; or the nearest ones
        where none does.

    Raises:
        InputError, MeasureError, UsageError: as `evaluate`; `measure-syntax` where there is no number to explain.

    >>> result = audit({"q1": {"a": 2, "b": 1}}, {"q1": {"b": 2.0, "a": 1.0}}, "nDCG@10=0.7967")
    >>> result.exact, str(result.candidates[0])
    (True, 'gain=exp2')
    >>> audit(labels=[[1, 2]], scores=[[2.0, 1.0]], measure="nDCG@10=0.7967").verdict
    'gain=exp2 gives nDCG@10 = 0.7967'
    """
    options: dict[str, Any] = {**with_data_weights(labels, settings)}
    reads = inputs.InputOptions(options)
    qrels, run = pair(qrels, run, Labelled(labels, scores, orders, group, qid, padding))
    [judged], [ranked] = reads.read([qrels], [run])
    label, target = parted(measure, needs_number=between is None)
    origin = profile_of(profile if between is None else between[0])
    start = _resolved(origin, label, rel, options)
    policies = [replace(start.judging, duplicate_judgements=policy) for policy in get_args(DuplicateJudgements)]
    judgements = inputs.Judgements(judged, queries, policies)
    source = inputs.run(ranked)
    auditor = _Auditor(judgements, source.held(progress), measuring)
    if between is None:
        names = _profiles(label, rel, options)
        exact, candidates = auditor.explain_number(start, names, Decimal(target))
    else:
        target = profile_of(between[1]).name
        end = _resolved(profile_of(target), label, rel, options)
        exact, candidates = auditor.explain_profile(start, end, target)
    command = _command(origin, label, rel, options, candidates[0]) if exact else ""
    departed: tuple[Change, ...] = ()
    if exact and candidates[0].base and not candidates[0].changes:
        with suppress(RankworthError):  # the origin refuses the input
            departed = auditor.explain_profile(start, candidates[0].convention, target)[1][0].changes
    moved, explanations = auditor.compare(start, candidates)
    outcome = auditor.outcomes[start]
    value = outcome.mean if isinstance(outcome, Outcome) else math.nan
    tried = len(auditor.outcomes)
    found = tuple(candidates)
    fusion = stated_fusion(source)
    return Audit(label, origin.name, value, target, exact, found, tried, command, moved, explanations, departed, fusion)


def _resolved(profile: Profile, label: str, rel: float | None, options: dict[str, Any]) -> Convention:
    """Resolve a measure as a profile means it.

    Raises:
        MeasureError: where it is none, or several.

    """
    first, *further = planned(profile, [label], rel, options).measures  # type: ignore[arg-type]
    if further:
        raise MeasureError("measure-syntax", f"{label!r} stands for several measures; name one of them")
    return Convention(first.quantity, first.judging, first.averaging, first.data)


def _profiles(label: str, rel: float | None, options: dict[str, Any]) -> dict[Convention, tuple[str, ...]]:
    """Return the meanings of a name in all profiles; profiles with equal meanings are grouped."""
    names: dict[Convention, tuple[str, ...]] = {}
    for name in PROFILES:
        with suppress(RankworthError):
            convention = _resolved(PROFILES[name], label, rel, options)
            names[convention] = (*names.get(convention, ()), name)
    return names


def _command(origin: Profile, label: str, rel: float | None, options: Mapping[str, Any], candidate: Candidate) -> str:
    """Write the command that measures a candidate; empty if no options express its settings."""
    profile = PROFILES[candidate.base[0]] if candidate.base else origin
    quirks = dict(options.get("quirks") or {})
    settings = {name: value for name, value in options.items() if name != "quirks"}
    for change in candidate.changes:
        if change.kind == "setting":
            (quirks if change.name in QUIRKS else settings)[change.name] = getattr(change.value, "label", change.value)
    quantity = candidate.convention.quantity
    for measure in dict.fromkeys((label, str(quantity), _spelled(quantity))):
        with suppress(RankworthError):
            if _resolved(profile, measure, rel, {**settings, "quirks": quirks}) == candidate.convention:
                words = ["-m", measure, *([] if profile == PROFILES[DEFAULT] else ["--profile", profile.name])]
                words += [] if rel is None else ["--rel", f"{rel:g}"]
                typed = (as_typed(name, plain(value)) for name, value in {**settings, **quirks}.items())
                return f"{_EVALUATE} {shlex.join([*words, *chain(*typed)])}"
    return ""


def _rarity(candidate: Candidate) -> list[bool]:
    """Return what candidates are sorted by.

    Those that round, those with a setting of few tools, and profiles that were not compared with their tool come last.
    """
    is_by_source = any(PROFILES[name].basis == "source" for name in candidate.base[:1])
    return [*(any(change.name in last for change in candidate.changes) for last in _LAST), is_by_source]


def _spelled(quantity: Any) -> str:  # noqa: ANN401 - a measure or a fact
    """Write a measure with all its parameters, also those at their default, which a profile may read otherwise."""
    parameters = {name: parameter.default for name, parameter in quantity.definition.parameters.items()}
    chosen = {name: value for name, value in {**parameters, **dict(quantity.settings)}.items() if value is not None}
    bare, at, cutoff = str(replace(quantity, settings=())).partition("@")
    return f"{bare}({', '.join(f'{name}={plain(value)}' for name, value in chosen.items())}){at}{cutoff}"


@dataclass
class _Auditor:
    """Measures conventions of one run, each once."""

    judgements: inputs.Judgements
    run: Run
    measuring: "Callable[[int, int], None] | None"

    def __post_init__(self) -> None:
        self.outcomes: dict[Convention, Outcome | RankworthError] = {}

    def measure(self, conventions: Iterable[Convention]) -> None:
        """Measure conventions not measured before, or keep the error of a convention that refuses the input."""
        wanted = [each for each in dict.fromkeys(conventions) if each not in self.outcomes]
        compact = [each for each in wanted if each.quantity.positions != "all"]
        for group in (compact, [each for each in wanted if each.quantity.positions == "all"]):
            if group:
                self._measure(group)

    def _measure(self, conventions: Sequence[Convention]) -> None:
        try:
            evaluation, measures = self._evaluated(conventions)
        except RankworthError as error:
            self.outcomes |= dict.fromkeys(conventions, error)
            return
        done, total = len(self.outcomes), len(self.outcomes) + len(conventions)
        outcomes: dict[tuple[int, Any, Averaging, CallData], Outcome] = {}
        for number, (each, measure) in enumerate(zip(conventions, measures, strict=True), done):
            if self.measuring is not None:
                self.measuring(number, total)
            try:
                key = id(evaluation.measured_run(measure)), each.quantity, each.averaging, each.data
                if key not in outcomes:
                    outcomes[key] = Outcome.of(evaluation.column(measure))
                self.outcomes[each] = outcomes[key]
            except RankworthError as error:
                self.outcomes[each] = error

    def _evaluated(self, conventions: Sequence[Convention]) -> tuple[Evaluation, list[ResolvedMeasure]]:
        """Judge the run under each convention, once for all that share an ordering.

        Raises:
            RankworthError: where the run cannot be read.

        """
        measures = [ResolvedMeasure("value", *each) for each in conventions]
        plans = [Plan(each.profile, [measure]) for each, measure in zip(conventions, measures, strict=True)]
        return evaluate_run(self.judgements, self.run, plans), measures

    def candidates(self, departures: Iterable[Departure], names: Names = MappingProxyType({})) -> list[Candidate]:
        """Return departures that can be made and measured, with their numbers; of equal conventions the first."""
        possible: dict[Convention, Departure] = {}
        for departure in departures:
            if departure.convention is not None:
                possible.setdefault(departure.convention, departure)
        self.measure(possible)
        return [
            Candidate(departure.changes, departure.base, names.get(each, ()), each, outcome)
            for each, departure in possible.items()
            if isinstance(outcome := self.outcomes[each], Outcome)
        ]

    def explain_number(self, start: Convention, names: Names, target: Decimal) -> tuple[bool, list[Candidate]]:
        """Find the smallest departures that give a number at its digits, rounded or cut off, or the nearest ones."""
        tried: list[Candidate] = []

        def distance(candidate: Candidate) -> float:
            return float(np.nan_to_num(abs(candidate.outcome.mean - float(target)), nan=math.inf))

        for candidates in self._departures(start, names):
            tried += candidates
            for gives in (rounds_to, begins_with):
                if hits := [each for each in candidates if gives(each.outcome.mean, target)]:
                    return True, sorted(hits, key=_rarity)
        return False, sorted(tried, key=distance)[:_KEPT]

    def _departures(self, start: Convention, names: Names) -> Iterator[list[Candidate]]:
        """Yield candidates by size: no change; one change or a known profile; two changes, or profile and change."""
        self.measure([start, *names])
        outcomes = {each: outcome for each in (start, *names) if isinstance(outcome := self.outcomes[each], Outcome)}
        yield [Candidate((), (), names.get(start, ()), start, outcomes[start])] if start in outcomes else []
        changed = {change: start.changed((change,)) for change in self.changes(start, names)}
        departures = (Departure((change,), each) for change, each in changed.items() if each != start)
        single = self.candidates(departures, names)
        simple = {start, *(each.convention for each in single)}
        unlike = [(each, outcome) for each, outcome in outcomes.items() if each not in simple]
        profiles = [Candidate((), names[each], (), each, outcome) for each, outcome in unlike]
        yield [*single, *profiles]
        useful = self._useful(start, changed)
        pairs = (
            Departure((change, other), convention.changed((other,)))
            for (change, convention, first), (other, _, second) in combinations(useful, 2)
            if change.name != other.name and not (first and second)
        )
        distinct = {each.outcome: each for each in reversed(profiles)}.values()
        extended = (
            Departure((change,), each.convention.changed((change,)), each.base)
            for each in distinct
            for change, _, is_inert in useful
            if not is_inert and change.kind != "measure"
        )
        yield self.candidates(chain(pairs, extended), names)

    def changes(self, start: Convention, names: Iterable[Convention]) -> list[Change]:
        """List all single departures: settings, parameters, cutoffs, and other measures."""
        judged = self.judgements(start.judging, start.data.exclude)
        grades = sorted({grade for grade in judged.grades.tolist() if grade > 0})
        every = [*settings_of(start, grades), *parameters_of(start.quantity, grades)]
        quantities = dict.fromkeys(each.quantity for each in names)
        if isinstance(start.quantity, Measure):
            cutoff = start.quantity.cutoff
            quantities |= dict.fromkeys(replace(CATALOGUE[name], cutoff=cutoff) for name in CONFUSED)
        return [
            *every,
            *(Change("measure", "measure", each) for each in quantities if each.name != start.quantity.name),
        ]

    def _useful(
        self, start: Convention, changed: Mapping[Change, Convention | None]
    ) -> list[tuple[Change, Convention, bool]]:
        """Return single changes worth combining, with the convention after each, and whether it moves nothing alone.

        Of values of a setting that come to the same, one stands for all, but for decimals; a different order of
        documents is tried only where it moves something alone.
        """
        before, seen = self.outcomes[start], set()
        useful = []
        for change, convention in changed.items():
            outcome = None if convention is None else self.outcomes.get(convention)
            if convention is None or not isinstance(outcome, Outcome):
                continue
            key = (change.name, outcome)
            is_cut = change.name == "depth" and change.value == getattr(start.quantity, "cutoff", None)
            is_inert = outcome == before and not is_cut  # a run cut at k moves a value beside the ideal of what is left
            is_repeated = key in seen and change.name not in _LAST[0]
            if is_repeated or (is_inert and change.name in ORDERING):
                continue
            if not is_inert:
                seen.add(key)
            useful.append((change, convention, is_inert))
        return useful

    def explain_profile(self, start: Convention, end: Convention, name: str) -> tuple[bool, list[Candidate]]:
        """Find the smallest set of differences of two conventions that gives every query its value under `end`.

        Raises:
            RankworthError: where one of them refuses the input.

        """
        self.measure([start, end])
        before, aim = self._outcome(start), self._outcome(end)

        def same(outcome: Outcome) -> bool:
            is_mean = np.isclose(outcome.mean, aim.mean, rtol=_EQUAL, atol=_EQUAL, equal_nan=True)
            return bool(is_mean) and outcome.digest == aim.digest

        if same(before):
            return True, [Candidate((), (), (), start, before)]
        different = differences(start, end)
        parameters = [each for each in self.changes(start, ()) if each.kind == "parameter" and each not in different]
        for size in range(1, min(_MOST, len(different)) + 1):
            changes = [*different, *parameters] if size < _MOST else different
            sets = self.candidates(Departure(each, start.changed(each)) for each in combinations(changes, size))
            if answer := [each for each in sets if same(each.outcome)]:
                return True, sorted(answer, key=_rarity)
        needed = tuple(different)
        for change in different:
            fewer = tuple(each for each in needed if each != change)
            if any(same(each.outcome) for each in self.candidates([Departure(fewer, start.changed(fewer))])):
                needed = fewer
        answer = [each for each in self.candidates([Departure(needed, start.changed(needed))]) if same(each.outcome)]
        return True, answer or [Candidate((), (name,), (), end, aim)]

    def _outcome(self, convention: Convention) -> Outcome:
        """Return the outcome of a convention that was measured.

        Raises:
            RankworthError: where it refuses the input.

        """
        outcome = self.outcomes[convention]
        if isinstance(outcome, RankworthError):
            raise outcome
        return outcome

    def compare(
        self, start: Convention, candidates: Sequence[Candidate]
    ) -> tuple[tuple[Moved, ...], tuple[Explanation, ...]]:
        """Find the queries that move most under the first candidate, and explain the first of these under both.

        There is no explanation where a query alone has another value, as where queries are paired by position.
        """
        if not candidates or not isinstance(self.outcomes[start], Outcome):
            return (), ()
        both = start, candidates[0].convention
        moved = self._moved(*both)
        explanations: list[Explanation] = []
        with suppress(RankworthError):
            for each in both if moved else ():
                query, qrels = moved[0].query, self.judgements(each.judging, each.data.exclude)
                alone = self.run.only([query])
                explained = explain_queries(qrels, alone, [each.quantity], queries=[query], profile=each.profile)
                explanations += [step for step in explained if isinstance(step, Explanation)]
        values = np.array([each.value for each in explanations], dtype=np.float64)
        if moved and not np.array_equal(values, moved[0][1:], equal_nan=True):
            return tuple(moved), ()
        return tuple(moved), tuple(explanations)

    def _moved(self, start: Convention, end: Convention) -> list[Moved]:
        """Return the queries whose values differ, largest difference first; NaN for a query without a value."""
        evaluation, measures = self._evaluated([start, end])
        columns = [evaluation.column(each) for each in measures]
        old, new = (
            dict(zip(each.names(each.listed), each.values[each.listed].tolist(), strict=True)) for each in columns
        )
        rows = [Moved(query, old.get(query, math.nan), new.get(query, math.nan)) for query in {**old, **new}]
        different = [row for row in rows if not np.array_equal([row.before], [row.after], equal_nan=True)]
        return sorted(different, key=lambda row: -np.nan_to_num(abs(row.after - row.before), nan=np.inf))[:_KEPT]
