"""What an evaluation gives: a value for each query and measure, with the means, the counts and the signature.

One type, whether one measure was asked for or forty.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import compress
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankworth import averaging, names
from rankworth.columns import Column
from rankworth.errors import RankworthError, UsageError
from rankworth.io.frames.columns import FrameLibrary, to_library
from rankworth.measures import Fact, Measure, TextFact
from rankworth.profiles import Asked, Profile, signature
from rankworth.statistics import bootstrap_interval
from rankworth.version import __version__

Floats = NDArray[np.float64]


class Counts(NamedTuple):
    """How many queries stand behind a mean, and how many do not."""

    judged: int
    """queries with judgements, after `queries=` has named the set"""
    scored: int
    """queries that the mean is taken over"""
    unanswered: int
    """judged queries for which the run has no document"""
    no_relevant: int
    """judged queries without a single grade above 0"""
    ignored: int
    """queries of the run that nobody judged"""
    duplicates_removed: int = 0
    """documents of the run, ranked again by a judged query, that `duplicates=` left out"""
    duplicate_judgements_removed: int = 0
    """judgements that `duplicate_judgements=` left out"""
    excluded: int = 0
    """documents of the run, ranked by a judged query, that `exclude=` took out"""
    excluded_judgements: int = 0
    """judgements that `exclude=` took out"""

    def __repr__(self) -> str:
        """The counts by name; of what was left out only where there is something."""
        always = len(self._fields) - len(self._field_defaults)
        said = [(name, count) for place, (name, count) in enumerate(self._asdict().items()) if count or place < always]
        return f"Counts({', '.join(f'{name}={count}' for name, count in said)})"


class Interval(NamedTuple):
    """A confidence interval of a mean."""

    low: float
    high: float
    level: float


class Notice(NamedTuple):
    """Something that deserves a second look; the same slug and text as the warning."""

    slug: str
    text: str


class PerQuery:
    """One row per query, one column per measure.

    Attributes:
        queries: ids of the queries that were scored, in the order of their UTF-8 bytes.
        measures: canonical names.
        array: `[Q, M]`, read-only.
        texts: facts that are texts, such as `relstring`: one for each query, by name.
        there: `[Q, M]`, where there is a value; None where every query has one by every measure.

    """

    def __init__(
        self,
        queries: list[str],
        measures: list[str],
        array: Floats,
        texts: Mapping[str, list[str]] | None = None,
        there: NDArray[np.bool_] | None = None,
    ) -> None:
        """Hold what was measured."""
        self.queries = queries
        self.measures = measures
        self.array = array
        self.texts = dict(texts or {})
        self.there = there

    def __len__(self) -> int:
        """The number of queries."""
        return len(self.queries)

    def to_dict(self) -> dict[str, dict[str, float]]:
        """`{query: {measure: value}}`, without the values that are not there."""
        rows = {
            query: dict(zip(self.measures, row, strict=True))
            for query, row in zip(self.queries, self.array.tolist(), strict=True)
        }
        if self.there is None:
            return rows
        return {
            query: {name: value for (name, value), known in zip(row.items(), there, strict=True) if known}
            for (query, row), there in zip(rows.items(), self.there.tolist(), strict=True)
        }

    def to_frame(self, library: FrameLibrary = "polars") -> Any:  # noqa: ANN401 - the library's own frame
        """Columns `query`, one for each measure and one for each text.

        Raises:
            UsageError: `missing-library`, `unknown-setting`.

        """
        return to_library(self.columns(), library)

    def columns(self) -> dict[str, Any]:
        """The columns by name."""
        return (
            {"query": self.queries}
            | {name: np.ascontiguousarray(self.array[:, place]) for place, name in enumerate(self.measures)}
            | self.texts
        )

    def __repr__(self) -> str:
        """Say what is in it; `to_frame` shows it."""
        return f"PerQuery({len(self.queries):,} queries, {', '.join([*self.measures, *self.texts])})"


@dataclass(frozen=True, eq=False)
class Values:
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


class RunValues(Mapping[str, Values]):
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

    def __repr__(self) -> str:
        """The means of all runs, as plain text."""
        return "\n\n".join(f"{name}\n{values!r}" for name, values in self.items())
