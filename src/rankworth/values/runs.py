"""What runs are worth: means with counts and signature, as a sheet for people."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import compress
from typing import Any, Final, NamedTuple

import numpy as np

from rankworth import averaging, names, sheet
from rankworth.columns import Column
from rankworth.errors import RankworthError, UsageError, quoted
from rankworth.io.frames.columns import FrameLibrary, to_library
from rankworth.measures import Fact, Measure, TextFact
from rankworth.measures.facts import RUNID
from rankworth.profiles import Asked, Profile, signature
from rankworth.render.showing import Shown
from rankworth.statistics import RESAMPLES, bootstrap_interval
from rankworth.values.counts import Counts, in_words
from rankworth.values.queries import Floats, PerQuery, in_columns, whole_counts
from rankworth.version import __version__

SEED: Final = 0
DEFECT: Final = "known-defect"
"""the slug of what is wrong with a tool's number, which every output of the number says"""


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
class Values(Shown):
    """What a run is worth, by every measure asked for.

    Attributes:
        run: the name of the run.
        measures: the measures and counted facts, in the order asked for.
        per_query: a value for each query and measure.
        counts: how many queries stand behind the means.
        profile: the conventions that were followed.
        notices: what deserves a second look.
        asked: the measures and facts with the texts among them, in the order asked for.
        tag: what the run's file calls it, as trec_eval's `runid`; its name where there is no file.
        graded: judged documents with a grade above 0, over all judged queries.
        columns: each measure's values as they are averaged.
        plan: the measures as the profile has them.

    """

    run: str
    measures: tuple[Measure | Fact, ...]
    per_query: PerQuery
    counts: Counts
    profile: Profile
    notices: tuple[Notice, ...] = ()
    asked: tuple[Measure | Fact, ...] = ()
    tag: str = ""
    graded: int = 0
    columns: tuple[Column, ...] = ()
    plan: tuple[Asked, ...] = ()

    def __getitem__(self, measure: str | Measure | Fact) -> float:
        """The mean of a measure, by any of its names; of a fact the sum, of `gmean(...)` the geometric mean.

        Raises:
            UsageError: `not-measured`.

        """
        return float(self._means[self._place(measure)])

    def __contains__(self, measure: object) -> bool:
        """Whether the measure was asked for."""
        try:
            self._place(measure)  # type: ignore[arg-type]
        except RankworthError:
            return False
        return True

    def mean(self) -> dict[str, float]:
        """The mean of each measure by its canonical name, in the order asked for."""
        return dict(zip(self.per_query.measures, self._means.tolist(), strict=True))

    def interval(self, *, level: float = 0.95, seed: int = 0) -> dict[str, Interval]:
        """A confidence interval of each mean: bootstrap over queries, bias-corrected and accelerated; NaN for sums.

        Args:
            level: the confidence level.
            seed: of the resampling; recorded nowhere, so that values stay comparable.

        """
        table = self.per_query.array
        odd = any(one.absent.size or one.divisor is not None for one in self.columns)
        if self.per_query.there is None and not odd and not np.isnan(table).any():
            additive = averaging.additive(table, self._ways)
            ends = bootstrap_interval(additive, level=level, seed=seed)
            low, high = (averaging.back(end, self._ways) for end in ends)
        else:
            low, high = self._ends(level, seed)
        bounds = zip(self.per_query.measures, low.tolist(), high.tolist(), strict=True)
        return {name: Interval(lower, upper, level) for name, lower, upper in bounds}

    def _ends(self, level: float, seed: int) -> tuple[Floats, Floats]:
        """The ends of the intervals where measures have values for different queries."""
        ends = []
        for column in self.columns:
            values = averaging.additive(column.sampled()[:, None], [column.way])
            one = bootstrap_interval(values, level=level, seed=seed) if len(values) else [np.full(1, np.nan)] * 2
            ends.append([float(averaging.back(end, [column.way])[0]) for end in one])
        low, high = np.array(ends, dtype=np.float64).reshape(-1, 2).T
        return low, high

    @cached_property
    def signature(self) -> str:
        """One line that says under which settings the values came about; of the profile, not of single measures."""
        return str(signature(self.profile, self.per_query.queries, __version__))

    @cached_property
    def signatures(self) -> dict[str, str]:
        """One line for each measure: what it is, what differs from `standard-1`, and over which queries it goes."""
        queries = self.per_query.queries
        lines = {}
        for place, one in enumerate(self.plan):
            there = None if self.per_query.there is None else self.per_query.there[:, place].tolist()
            scored = queries if there is None else list(compress(queries, there))
            lines[one.label] = str(signature(self.profile, scored, __version__, asked=one))
        return lines

    def sheets(self) -> list[sheet.Sheet]:
        """The means, with what deserves a second look."""
        return RunValues({self.run: self}).sheets()

    def __repr__(self) -> str:
        """The means and the counts, as plain text."""
        width = max(map(len, self.per_query.measures), default=0)
        lines = [f"{name:<{width}}  {value:.4f}" for name, value in self.mean().items()]
        lines += [f"{notice.text}   [{notice.slug}]" for notice in self.notices]
        return "\n".join([*lines, f"{self.counts.scored:,} queries   {self.signature}"])

    @cached_property
    def _means(self) -> Floats:
        return np.array([column.mean() for column in self.columns])

    @property
    def _ways(self) -> list[averaging.Way]:
        return [measure.averaging for measure in self.measures]

    def _place(self, measure: str | Measure | Fact) -> int:
        if isinstance(measure, str) and measure in self.per_query.measures:
            return self.per_query.measures.index(measure)
        if not self.profile.rules:
            wanted = names.parse(measure) if isinstance(measure, str) else measure
            place = self.measures.index(wanted) if wanted in self.measures else None
        else:
            one, *others = self.profile.ask([measure])
            wanted = one.quantity
            alike = ((each.quantity, each.judging, each.averaging) for each in self.plan)
            found = (one.quantity, one.judging, one.averaging)
            place = next((place for place, each in enumerate(alike) if each == found and not others), None)
            if place is None and wanted in self.measures:
                place = self.measures.index(wanted)
        if place is None:
            have = " ".join(self.per_query.measures)
            if isinstance(wanted, TextFact) and wanted in self.asked:
                raise UsageError(
                    "not-measured", f"{wanted} is a text, not a number; per_query.texts has those of queries"
                )
            raise UsageError("not-measured", f"{wanted} was not measured; there are {have}")
        return place


class RunValues(Shown, Mapping[str, Values]):
    """The values of several runs by name, in the order they were given."""

    def __init__(self, values: Mapping[str, Values]) -> None:
        """Hold the values."""
        self._values = dict(values)

    def __getitem__(self, run: str) -> Values:
        """The values of one run."""
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
        """One row per run: `run` and the mean of each measure."""
        means = [values.mean() for values in self.values()]
        columns: dict[str, Any] = {"run": list(self)}
        columns |= {name: [mean[name] for mean in means] for name in (means[0] if means else {})}
        return to_library(columns, library)

    def per_query_columns(self) -> dict[str, Any]:
        """One row per run and query: `run`, `query` and one column per measure."""
        parts = [{"run": [name] * len(values.per_query)} | values.per_query.columns() for name, values in self.items()]
        joined: dict[str, Any] = {}
        for name in parts[0]:
            columns = [part[name] for part in parts]
            text = isinstance(columns[0], list)
            joined[name] = [item for column in columns for item in column] if text else np.concatenate(columns)
        return joined

    def sheets(self) -> list[sheet.Sheet]:
        """One row per run with the means, and what deserves a second look."""
        if not self:
            return []
        whole = means(self, texts_by="per_query")
        return [replace(whole, notes=(*whole.notes, *warnings(self)))]

    def __repr__(self) -> str:
        """The means of all runs, as plain text."""
        return "\n\n".join(f"{name}\n{values!r}" for name, values in self.items())


Intervals = Mapping[str, Mapping[str, Interval]]
"""`{run: {measure: Interval}}`."""


def intervals(table: RunValues, level: float) -> Intervals:
    """Confidence intervals of all means; nothing where texts were asked for alone."""
    if not next(iter(table.values())).measures:
        return {}
    return {name: values.interval(level=level, seed=SEED) for name, values in table.items()}


def means(table: RunValues, bounds: Intervals | None = None, *, texts_by: str = "--per-query") -> sheet.Sheet:
    """One row per run, one column per measure, with intervals where there are any.

    Args:
        table: the values of the runs.
        bounds: intervals of the means, if they are wanted.
        texts_by: what a reader asks for to see texts, which have no mean.

    """
    first = next(iter(table.values()))
    averages = [values.mean() for values in table.values()]
    columns = [sheet.Column("run", "text", list(table))]
    if RUNID in first.asked:
        columns.append(sheet.Column(RUNID.name, "text", [values.tag for values in table.values()]))
    for name, kind in first.per_query.kinds.items():
        ends = [(bounds[run][name].low, bounds[run][name].high) for run in table] if bounds else []
        best: sheet.Best = "" if kind == "count" else "highest"
        columns.append(sheet.Column(name, kind, whole_counts([mean[name] for mean in averages], kind), best, ends))
    notes = [*_counts(table), *([_method(bounds)] if bounds else [])]
    if first.per_query.texts:
        notes.append(f"{quoted(first.per_query.texts)}: a text for each query, which {texts_by} shows")
    comment = f"{table.signature}|seed:{SEED}" if bounds else table.signature
    return sheet.Sheet(tuple(columns), tuple(notes), comment, tuple(_defects(table)))


def per_query(table: RunValues) -> sheet.Sheet:
    """One row per run and query, one column per measure."""
    columns = in_columns(table.per_query_columns(), next(iter(table.values())).per_query.kinds)
    return sheet.Sheet(columns, tuple(_counts(table)), table.signature, tuple(_defects(table)))


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


def _method(bounds: Intervals) -> str:
    level = next(iter(next(iter(bounds.values())).values())).level
    return f"{100 * level:g} % intervals of the means: BCa bootstrap over queries, {RESAMPLES:,} resamples, seed {SEED}"
