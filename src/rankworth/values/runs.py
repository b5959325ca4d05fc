"""What runs are worth: means with counts and signature, as a sheet for people."""

import operator
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import compress
from typing import TYPE_CHECKING, Any, Final, NamedTuple, SupportsIndex

import numpy as np

from rankworth import averaging, names
from rankworth.columns import Column, Standing
from rankworth.errors import MeasureError, NotMeasuredError, UsageError, in_python, quoted
from rankworth.io.frames.columns import FrameLibrary, to_library
from rankworth.io.scalars import is_number
from rankworth.measures import Fact, Measure, TextFact
from rankworth.measures.facts import RUNID
from rankworth.model import Digest, Qrels
from rankworth.profiles import Asked, Profile, signature
from rankworth.slices import NONE, Groups
from rankworth.statistics import RESAMPLES
from rankworth.tables import columns as tables
from rankworth.tables.look import Look
from rankworth.tables.notebook import Shown
from rankworth.tables.show import show
from rankworth.values import groups, kept, logged
from rankworth.values.counts import Counts, in_words
from rankworth.values.queries import Floats, PerQuery, in_columns, whole_counts
from rankworth.version import __version__

if TYPE_CHECKING:
    from rankworth.results import Result

SEED: Final = 0
DEFECT: Final = "known-defect"
"""the slug of what is wrong with a tool's number, which every output of the number says"""
ALL: Final = "(all)"
"""what stands in place of a group beside the values of all queries"""


class Interval(NamedTuple):
    """A confidence interval of a mean."""

    low: float
    high: float
    level: float


class Notice(NamedTuple):
    """Something that deserves a second look; the same slug and text as the warning."""

    slug: str
    text: str


@dataclass(frozen=True, eq=False)
class Behind:
    """What stands behind the values of a run: `behind(values)`.

    Attributes:
        columns: each measure's values as they are averaged.
        plan: the measures as the profile has them.
        base: what is known of each query by the profile itself, and which of them count.
        graded: judged documents with a grade above 0, over all judged queries.
        lists: whether the run came as lists, each the ranking of its query.

    """

    columns: tuple[Column, ...] = ()
    plan: tuple[Asked, ...] = ()
    base: tuple[Standing, averaging.Mask] | None = None
    graded: int = 0
    lists: bool = False


@dataclass(frozen=True, eq=False, repr=False)
class Values(Shown, kept.Kept, Mapping[str, float]):
    """What a run is worth, by every measure asked for.

    A mapping from the names that the measures were asked for by to the means; other names of theirs, and the measures
    themselves, find them, too. Evaluations that say the same of the same judgements are equal.

    >>> import rankworth
    >>> values = rankworth.evaluate({"q1": {"a": 1}}, {"q1": {"b": 2.0, "a": 1.0}}, ["MRR", "P@1"])
    >>> dict(values), values["RR"], "AP" in values, values.get("AP")
    ({'MRR': 0.5, 'P@1': 0.0}, 0.5, False, None)

    Attributes:
        run: the name of the run.
        measures: the measures and counted facts, in the order asked for.
        per_query: a value for each query and measure.
        counts: how many queries stand behind the means.
        profile: the conventions that were followed.
        notices: what deserves a second look.
        asked: the measures and facts with the texts among them, in the order asked for.
        tag: what the run's file calls it, as trec_eval's `runid`; its name where there is no file.
        by: the groups that are shown, where some were asked for.
        judgements: the judgements; what tells whether they are the same, once the values came from another process.

    """

    run: str
    measures: tuple[Measure | Fact, ...]
    per_query: PerQuery
    counts: Counts
    profile: Profile
    notices: tuple[Notice, ...] = ()
    asked: tuple[Measure | Fact, ...] = ()
    tag: str = ""
    by: Groups | None = None
    judgements: Qrels | Digest | None = None
    _behind: Behind = Behind()

    def __getstate__(self) -> dict[str, Any]:
        """What travels between processes: no judgements, but what tells whether they are the same."""
        given = self.judgements
        return self.__dict__ | {"judgements": given.digest if isinstance(given, Qrels) else given}

    def __getitem__(self, measure: str | Measure | Fact) -> float:
        """The mean of a measure, by any of its names; of a fact the sum, of `gmean(...)` the geometric mean.

        Raises:
            NotMeasuredError: `not-measured`; a `KeyError`, too.

        """
        return float(self._means[self._place(measure)])

    def __contains__(self, measure: object) -> bool:
        """Whether the measure was asked for."""
        try:
            self._place(measure)  # type: ignore[arg-type]
        except NotMeasuredError:
            return False
        return True

    def __iter__(self) -> Iterator[str]:
        """The names that the measures were asked for by, in the order asked for."""
        return iter(self.per_query.measures)

    def __len__(self) -> int:
        """How many measures there are."""
        return len(self.per_query.measures)

    def __eq__(self, other: object) -> bool:
        """Whether two evaluations say the same: values, means, counts, settings and notices, by the same judgements."""
        if not isinstance(other, Values):
            return NotImplemented
        if self is other:
            return True
        said = [
            (
                one.run,
                one.counts.numbers,
                one.counts.queries,
                one.notices,
                one.signature,
                tuple(one.signatures.items()),
                one.tag,
            )
            for one in (self, other)
        ]
        return (
            said[0] == said[1]
            and self.per_query == other.per_query
            and np.array_equal(self._means, other._means, equal_nan=True)
            and _digest(self) == _digest(other)
        )

    __hash__ = None  # type: ignore[assignment]

    def to_frame(self, library: FrameLibrary = "polars") -> Any:  # noqa: ANN401 - the library's own frame
        """One row: `run` and the mean of each measure; a row for each group, too, where groups are shown.

        Raises:
            UsageError: `missing-library`, `unknown-setting`.

        """
        return RunValues({self.run: self}).to_frame(library)

    def mean(self) -> dict[str, float]:
        """The mean of each measure by the name that it was asked for by, in the order asked for."""
        return dict(zip(self.per_query.measures, self._means.tolist(), strict=True))

    def log_dict(self, prefix: str = "") -> dict[str, float]:
        """The means under names that every logger of experiments takes, and the number of queries behind them.

        `nDCG@10` is `nDCG_at_10`, `P(rel=2)@5` is `P_rel_2_at_5`; means that are not defined are left out.

        Args:
            prefix: what all names begin with, such as `eval/`.

        """
        return logged.log_dict(self.mean(), self.counts.scored, prefix)

    def interval(self, *, level: float = 0.95, seed: int = 0) -> dict[str, Interval]:
        """A confidence interval of each mean: bootstrap over queries, bias-corrected and accelerated; NaN for sums.

        Queries are drawn with their weights, and within the groups of a macro mean; NaN where such a group has fewer
        than two.

        Args:
            level: the confidence level.
            seed: of the resampling; recorded nowhere, so that values stay comparable.

        Raises:
            UsageError: `unknown-setting`.

        """
        if not is_number(level) or not 0 < level < 1:
            raise UsageError("unknown-setting", f"level={level!r}: a level lies between 0 and 1")
        if not isinstance(seed, SupportsIndex) or operator.index(seed) < 0:
            raise UsageError("unknown-setting", f"seed={seed!r}: seed is a whole number from 0")
        known = self._intervals.setdefault((level, seed), {})
        if not known:
            ends = groups.ends(self, level, seed)
            bounds = zip(self.per_query.measures, *(end.tolist() for end in ends), strict=True)
            known |= {name: Interval(lower, upper, level) for name, lower, upper in bounds}
        return dict(known)

    @property
    def method(self) -> str:
        """How intervals come about, in words."""
        within = "" if self.profile.averaging.macro is None else " within groups"
        return f"BCa bootstrap over queries{within}"

    @cached_property
    def signature(self) -> str:
        """One line that says under which settings the values came about; of the profile, not of single measures."""
        return str(signature(self.profile, self.per_query.ids, __version__, lists=self._behind.lists))

    @cached_property
    def signatures(self) -> dict[str, str]:
        """One line for each measure: what it is, what differs from `standard-1`, and over which queries it goes."""
        queries = self.per_query.ids
        lines = {}
        for place, one in enumerate(self._behind.plan):
            there = None if self.per_query.there is None else self.per_query.there[:, place].tolist()
            scored = queries if there is None else list(compress(queries, there))
            lines[one.label] = str(signature(self.profile, scored, __version__, asked=one, lists=self._behind.lists))
        return lines

    @cached_property
    def slices(self) -> dict[str, "Values"]:
        """The values of each group by its name, in the order of names; empty where no groups were asked for.

        They are those of an evaluation of its queries alone: means, intervals, counts and signature.
        """
        return groups.parts(self)

    def kept(self, *, digest: bool = True) -> "list[Result]":  # noqa: D102 - as `Kept` says
        return [kept.of_run(self, digest=digest)]

    def sheets(self) -> list[tables.Sheet]:
        """The means, with what deserves a second look."""
        return RunValues({self.run: self}).sheets()

    def __repr__(self) -> str:
        """The means, with counts, groups and warnings, as plain text."""
        if self.by is not None:
            return repr(RunValues({self.run: self}))
        [whole] = self.sheets()
        width = max(map(len, self.per_query.measures), default=0)
        lines = [f"{name:<{width}}  {value:.4f}" for name, value in self.mean().items()]
        return "\n".join([*lines, "", *whole.defects, *whole.notes, whole.comment])

    @cached_property
    def _intervals(self) -> dict[tuple[float, int], dict[str, Interval]]:
        """What was asked for before."""
        return {}

    @cached_property
    def _means(self) -> Floats:
        return np.array([column.mean() for column in self._behind.columns])

    def _place(self, measure: str | Measure | Fact) -> int:
        labels = self.per_query.measures
        try:
            return self._found(measure, labels)
        except MeasureError as error:
            raise NotMeasuredError.of(measure, labels, error) from None

    def _found(self, measure: str | Measure | Fact, labels: Sequence[str]) -> int:
        """Where a measure stands.

        Raises:
            MeasureError: where it is none.
            NotMeasuredError: `not-measured`.

        """
        if self.profile.rules and measure not in labels:
            one, *others = self.profile.ask([measure])
            alike = ((each.quantity, each.judging, each.averaging) for each in self._behind.plan)
            found = (one.quantity, one.judging, one.averaging)
            place = next((place for place, each in enumerate(alike) if each == found and not others), None)
            if place is not None:
                return place
            measure = one.quantity
        place = names.place(measure, labels, list(map(str, self.measures)))
        if place is None:
            if any(str(one) == str(measure) for one in self.asked if isinstance(one, TextFact)):
                raise NotMeasuredError(
                    "not-measured", f"{measure} is a text, not a number; per_query.texts has those of queries"
                )
            raise NotMeasuredError.of(measure, labels)
        return place


class RunValues(Shown, kept.Kept, Mapping[str, Values]):
    """The values of several runs by name, in the order they were given."""

    def __init__(self, values: Mapping[str, Values]) -> None:
        """Hold the values."""
        self._values = dict(values)

    def __getitem__(self, run: str) -> Values:
        """The values of one run.

        Raises:
            NotMeasuredError: `not-measured`; a `KeyError`, too.

        """
        if run not in self._values:
            raise NotMeasuredError("not-measured", f"there is no run {run!r}; there are {quoted(self._values, 8)}")
        return self._values[run]

    def __iter__(self) -> Iterator[str]:
        """The names of the runs."""
        return iter(self._values)

    def __len__(self) -> int:
        """The number of runs."""
        return len(self._values)

    @property
    def signature(self) -> str:
        """The signature, if all runs have one; they differ where `missing="skip"` leaves different queries."""
        signatures = {values.signature for values in self.values()}
        return " ; ".join(sorted(signatures))

    def to_frame(self, library: FrameLibrary = "polars") -> Any:  # noqa: ANN401 - the library's own frame
        """One row per run: `run` and the mean of each measure; a row for each group, too, where groups are shown."""
        rows = _rows(self)
        means = [values.mean() for _, _, values in rows]
        columns: dict[str, Any] = {"run": [run for run, _, _ in rows]}
        if any(values.by is not None for values in self.values()):
            columns["group"] = [group for _, group, _ in rows]
            columns["queries"] = [values.counts.scored for _, _, values in rows]
        columns |= {name: [mean[name] for mean in means] for name in (means[0] if means else {})}
        return to_library(columns, library)

    def kept(self, *, digest: bool = True) -> "list[Result]":  # noqa: D102 - as `Kept` says
        return kept.of_runs(self, digest=digest)

    def per_query_columns(self) -> dict[str, Any]:
        """One row per run and query: `run`, `query` and one column per measure."""
        parts = [
            {"run": [name] * len(values.per_query)} | values.per_query.columns() | {"query": values.per_query.queries}
            for name, values in self.items()
        ]
        joined: dict[str, Any] = {}
        for name in parts[0]:
            columns = [part[name] for part in parts]
            text = isinstance(columns[0], list)
            joined[name] = [item for column in columns for item in column] if text else np.concatenate(columns)
        return joined

    def sheets(self) -> list[tables.Sheet]:
        """One row per run with the means, and what deserves a second look."""
        if not self:
            return []
        whole = means(self, texts_by="per_query")
        return [replace(whole, notes=(*whole.notes, *map(in_python, warnings(self))))]

    def __repr__(self) -> str:
        """The means of all runs, with counts, groups and warnings, as plain text."""
        return show(self.sheets(), "table", Look()).rstrip("\n") if self else ""


def _digest(values: Values) -> Digest | None:
    """What tells the judgements of some values from others."""
    given = values.judgements
    return given.digest if isinstance(given, Qrels) else given


Intervals = Mapping[str, Mapping[str, Interval]]
"""`{run: {measure: Interval}}`."""


def intervals(table: RunValues, level: float) -> Intervals:
    """Confidence intervals of all means; nothing where texts were asked for alone."""
    if not next(iter(table.values())).measures:
        return {}
    return {name: values.interval(level=level, seed=SEED) for name, values in table.items()}


def means(table: RunValues, bounds: Intervals | None = None, *, texts_by: str = "--per-query") -> tables.Sheet:
    """One row per run, one column per measure, with intervals where there are any.

    Args:
        table: the values of the runs.
        bounds: intervals of the means, if they are wanted.
        texts_by: what a reader asks for to see texts, which have no mean.

    """
    first = next(iter(table.values()))
    rows = _rows(table)
    averages = [values.mean() for _, _, values in rows]
    columns = [tables.Column("run", "text", [run for run, _, _ in rows])]
    if first.by is not None:
        columns.append(tables.Column("group", "text", [group for _, group, _ in rows]))
    if RUNID in first.asked:
        columns.append(tables.Column(RUNID.name, "text", [values.tag for _, _, values in rows]))
    if first.by is not None:
        columns.append(tables.Column("queries", "count", [values.counts.scored for _, _, values in rows]))
    within = [values.interval(level=_level(bounds), seed=SEED) for _, _, values in rows] if bounds else []
    for (name, kind), quantity in zip(first.per_query.kinds.items(), first.measures, strict=True):
        ends = [(one[name].low, one[name].high) for one in within]
        best: tables.Best = "lowest" if _less_is_better(quantity) else "highest"
        best = "" if kind == "count" or first.by is not None else best
        columns.append(tables.Column(name, kind, whole_counts([mean[name] for mean in averages], kind), best, ends))
    notes = [*_counts(table), *_relevance(first), *_grouped(rows), *_sums(first)]
    notes += [_method(bounds, first)] if bounds else []
    if first.per_query.texts:
        notes.append(f"{quoted(first.per_query.texts)}: a text for each query, which {texts_by} shows")
    comment = f"{table.signature}|seed:{SEED}" if bounds else table.signature
    return tables.Sheet(tuple(columns), tuple(notes), comment, tuple(_defects(table)))


def _less_is_better(quantity: Measure | Fact) -> bool:
    return isinstance(quantity, Measure) and quantity.definition.better == "lower"


def per_query(table: RunValues) -> tables.Sheet:
    """One row per run and query, one column per measure."""
    ids = [query for values in table.values() for query in values.per_query.ids]
    columns = in_columns(table.per_query_columns() | {"query": ids}, next(iter(table.values())).per_query.kinds)
    return tables.Sheet(columns, tuple(_counts(table)), table.signature, tuple(_defects(table)))


def warnings(table: RunValues) -> list[str]:
    """What deserves a second look, with its slug, once where it holds for several runs; defects stand in sheets."""
    runs: dict[tuple[str, str], list[str]] = {}
    for name, values in table.items():
        for notice in (notice for notice in values.notices if notice.slug != DEFECT):
            runs.setdefault((notice.slug, notice.text.removeprefix(name)), []).append(name)
    texts = []
    for (slug, text), (first, *others) in runs.items():
        about_run = text.startswith(" ")
        same = f" (the same for {', '.join(others)})" if about_run and others else ""
        texts.append(f"{first if about_run else ''}{text}{same}   [{slug}]")
    return texts


def _defects(table: RunValues) -> list[str]:
    """What is wrong with the numbers, once for all runs."""
    told = (notice for values in table.values() for notice in values.notices if notice.slug == DEFECT)
    return list(dict.fromkeys(f"{notice.text}   [{notice.slug}]" for notice in told))


def _counts(table: RunValues) -> list[str]:
    """A sentence for all runs, or one for each group of runs with the same counts."""
    groups: dict[str, list[str]] = {}
    for name, values in table.items():
        groups.setdefault(in_words(values.counts, values.profile), []).append(name)
    if len(groups) == 1:
        return list(groups)
    return [f"{', '.join(names)}: {sentence}" for sentence, names in groups.items()]


def _relevance(values: Values) -> list[str]:
    """From which grade on documents are relevant, where the names of measures do not say it."""
    raised: dict[float, list[str]] = {}
    for label, measure in zip(values.per_query.measures, map(str, values.measures), strict=True):
        rel = names.raised(label, measure)
        if rel is not None and rel != values.profile.rel:
            raised.setdefault(rel, []).append(label)
    return [f"{quoted(labels)}: documents of grade {rel:g} or higher are relevant" for rel, labels in raised.items()]


def _rows(table: RunValues) -> list[tuple[str, str, Values]]:
    """Each run and each of its groups, with the values."""
    rows = []
    for run, values in table.items():
        rows += [(run, ALL, values), *((run, group, part) for group, part in values.slices.items())]
    return rows


def _grouped(rows: Sequence[tuple[str, str, Values]]) -> list[str]:
    """What groups are shown."""
    names = [values.by.name for _, _, values in rows if values.by is not None]
    none = any(group == NONE for _, group, _ in rows)
    return [f"groups: {names[0]}" + (f"; {NONE}: queries without one" if none else "")] if names else []


def _sums(values: Values) -> list[str]:
    """What weights and groups do not change."""
    settings = values.profile.averaging
    pairs = zip(values.per_query.measures, values.measures, strict=True)
    sums = [name for name, one in pairs if one.averaging == "sum"]
    if not sums or (settings.weights is None and settings.macro is None):
        return []
    return [f"{quoted(sums, 8)}: {'a sum' if len(sums) == 1 else 'sums'}, without weights and groups"]


def _level(bounds: Intervals) -> float:
    return next(iter(next(iter(bounds.values())).values())).level


def _method(bounds: Intervals, values: Values) -> str:
    return f"{100 * _level(bounds):g} % intervals of the means: {values.method}, {RESAMPLES:,} resamples, seed {SEED}"
