"""What a comparison says."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import compress
from typing import Any, ClassVar, Literal, NamedTuple, overload

import numpy as np

from rankworth import stats
from rankworth.comparison import tables
from rankworth.comparison.board import Board
from rankworth.comparison.differences import Difference, Plan, Told
from rankworth.comparison.systems import Floats
from rankworth.comparison.tables import Method, method
from rankworth.errors import UsageError, counted, quoted
from rankworth.stats.samples import ROUNDING
from rankworth.tables.analysis import Analysis, record
from rankworth.tables.columns import Sheet, defined
from rankworth.tables.frames import FrameLibrary, to_library


class Wins(NamedTuple):
    """In how many queries one system is better than another."""

    wins: int
    ties: int
    losses: int


class QueryDifference(NamedTuple):
    """One query by one measure."""

    query: Any
    first: float
    second: float
    difference: float
    """the second less the first; 0 where rounding is all that tells them apart"""


class QueryDifferences(Sequence[QueryDifference]):
    """The queries of two systems by one measure, in the order of their ids; those without a value are left out."""

    def __init__(self, queries: Sequence[Any], first: Floats, second: Floats, sign: float) -> None:
        """Hold them; `sign` is -1 where lower values are better."""
        known = ~np.isnan(second - first)
        self._queries = list(compress(queries, known.tolist()))
        self._first, self._second = first[known], second[known]
        self._differences = stats.differences(self._first, self._second)
        near = ROUNDING * np.abs(self._differences).max(initial=0.0)
        self._gains = np.where(np.abs(self._differences) <= near, 0.0, sign * self._differences)

    @overload
    def __getitem__(self, place: int) -> QueryDifference: ...
    @overload
    def __getitem__(self, place: slice) -> list[QueryDifference]: ...
    def __getitem__(self, place: int | slice) -> QueryDifference | list[QueryDifference]:
        """One, or some, by number."""
        if isinstance(place, slice):
            return [self[number] for number in range(*place.indices(len(self)))]
        numbers = (self._first[place], self._second[place], self._differences[place])
        return QueryDifference(self._queries[place], *map(float, numbers))

    def __len__(self) -> int:
        """How many there are."""
        return len(self._queries)

    def worst(self, count: int = 10) -> list[QueryDifference]:
        """The queries that lose most, those that lose nothing left out."""
        return self._largest(-self._gains, count)

    def best(self, count: int = 10) -> list[QueryDifference]:
        """The queries that gain most, those that gain nothing left out."""
        return self._largest(self._gains, count)

    def to_frame(self, library: FrameLibrary = "polars") -> Any:  # noqa: ANN401 - the library's own frame
        """Columns `query, first, second, difference`.

        Raises:
            UsageError: `missing-library`, `unknown-setting`.

        """
        columns = (self._queries, self._first, self._second, self._differences)
        return to_library(dict(zip(QueryDifference._fields, columns, strict=True)), library)

    def __repr__(self) -> str:
        """Say what is in it."""
        return f"QueryDifferences({counted(len(self))})"

    def _largest(self, amounts: Floats, count: int) -> list[QueryDifference]:
        """Those of the largest amounts above 0; of equal ones in the order of their ids."""
        order = np.argsort(-amounts, kind="stable")[: max(0, count)]
        return [self[int(place)] for place in order if amounts[place] > 0]


@dataclass(frozen=True, repr=False)
class Comparison(Analysis[Literal["differences"]]):
    """Systems beside a baseline, or each beside each.

    Attributes:
        board: the values of all systems, query by query.
        differences: one for each pair of systems and measure, the second system less the first.
        plan: how differences were to be judged.
        told: how they were tested and bounded.
        baseline: the system with which the others are compared; empty where each is compared with each.
        notes: what must be said about the comparison.
        warnings: what deserves a second look, with its slug.
        slices: by column the differences of each group of queries.
        files: judgements (under no name) and runs by name as they were given, for the commands that show more.
        reading: words of such a command that say how these files are read.
        uneven: how many queries each system has values for, where these are not the same queries.

    """

    _SCHEMA: ClassVar[str] = "rankworth.comparison/1"
    _TABLES: ClassVar[tuple[str, ...]] = ("differences",)

    board: Board
    differences: tuple[Difference, ...]
    plan: Plan
    told: Told
    baseline: str = ""
    notes: tuple[str, ...] = ()
    warnings: tuple[tuple[str, str], ...] = ()
    slices: Mapping[str, tuple[Difference, ...]] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    reading: tuple[str, ...] = ()
    uneven: Mapping[str, int] = field(default_factory=dict)

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems."""
        return self.board.systems

    @property
    def measures(self) -> tuple[str, ...]:
        """What tables call the measures."""
        return self.board.measures

    @cached_property
    def tests(self) -> dict[str, dict[str, float]]:
        """`{measure: {system: p}}`, corrected, against the baseline; `{measure: {"a - b": p}}` of all pairs."""
        found: dict[str, dict[str, float]] = {name: {} for name in self.measures}
        for one in self.differences:
            found[one.measure][self._pair(one)] = one.adjusted
        return found

    def _pair(self, one: Difference) -> str:
        """What tables call the systems of a difference."""
        return one.second if self.baseline else f"{one.second} - {one.first}"

    def of(self, measure: str, system: str, other: str = "") -> Difference:
        """One difference.

        Args:
            measure: what tables call the measure.
            system: the system.
            other: the one that is taken from it; the baseline where not said.

        Raises:
            UsageError: `not-measured`.

        """
        other, measure = other or self.baseline, self.board.label(measure)
        for one in self.differences:
            if (one.measure, one.first, one.second) == (measure, other, system):
                return one
        compared = dict.fromkeys(f"{one.second} - {one.first}" for one in self.differences)
        raise UsageError(
            "not-measured",
            f"{system} - {other or '?'} by {measure} is not compared here",
            remedy=f"compared are {quoted(compared)} by {quoted(self.measures)}",
        )

    def wins(self, measure: str) -> dict[str, Wins]:
        """In how many queries each system is better than the baseline; of all pairs `{"a - b": wins}`.

        Raises:
            UsageError: `not-measured`.

        """
        measure = self.board.label(measure)
        return {
            self._pair(one): Wins(one.wins, one.ties, one.losses) for one in self.differences if one.measure == measure
        }

    def queries(self, measure: str, system: str = "", other: str = "") -> QueryDifferences:
        """The difference of each query.

        Args:
            measure: what tables call the measure.
            system: the system; the last one where not said.
            other: the one that is taken from it; the baseline, or the first one, where not said.

        Raises:
            UsageError: `not-measured`.

        """
        measure = self.board.label(measure)
        names = [other or self.baseline or self.systems[0], system or self.systems[-1]]
        if odd := [name for name in names if name not in self.systems]:
            raise UsageError("not-measured", f"there is no system {odd[0]!r}; there are {quoted(self.systems)}")
        place = self.measures.index(measure)
        first, second = (self.board.values[self.systems.index(name), place] for name in names)
        queries = self.board.ids.back("query", self.board.queries)
        return QueryDifferences(queries, first, second, float(self.board.signs[place]))

    @property
    def means(self) -> dict[str, dict[str, float]]:
        """`{system: {measure: mean}}`."""
        return self.board.system_means

    @property
    def group_means(self) -> dict[str, dict[str, dict[str, dict[str, float]]]]:
        """`{column: {system: {group: {measure: mean}}}}`."""
        found: dict[str, dict[str, dict[str, dict[str, float]]]] = {}
        for column, labels in self.board.groups.items():
            found[column] = {name: {} for name in self.systems}
            for group in self.board.order[column]:
                for name, row in self.board.at(np.array(labels, dtype=object) == group).system_means.items():
                    found[column][name][group] = row
        return found

    def queries_of(self, column: str, group: str) -> set[Any]:
        """The ids of the queries of a group.

        Args:
            column: the column that the differences are told by.
            group: one of its groups.

        Raises:
            UsageError: `not-measured`.

        """
        if column not in self.board.groups:
            have = f"there are {quoted(self.board.groups)}" if self.board.groups else "there are no groups"
            remedy = "compare by it: by='COLUMN' with table=, or by={query: group}"
            raise UsageError("not-measured", f"queries are not grouped by {column!r}; {have}", remedy=remedy)
        if group not in (known := self.board.order[column]):
            raise UsageError("not-measured", f"{column} has no group {group!r}; it has {quoted(known, 8)}")
        queries = self.board.ids.back("query", self.board.queries)
        labels = zip(queries, self.board.groups[column], strict=True)
        return {query for query, label in labels if label == group}

    def anova(self) -> dict[str, stats.Anova]:
        """`{measure: ...}`: a two-way analysis of variance of systems and queries, over queries that all have."""
        return {name: stats.anova(table) for name, table in self.board.complete.items()}

    def method(self) -> Method:
        """The sentence for the paper, and the BibTeX of what it cites."""
        return method(self)

    @property
    def signatures(self) -> dict[str, str]:
        """How the values of each measure came about."""
        return dict(self.board.signatures)

    @cached_property
    def options(self) -> dict[str, list[str]]:
        """`{measure: words}`: what `rankworth explain` is to be told to measure as here, where words can say it."""
        return dict(tables.options(self))

    def _columns(self, of: str) -> dict[str, list[Any]]:  # noqa: ARG002 - there is one table
        """One row for each difference, of all queries and of groups, with what a `Difference` has."""
        rows = [*self.differences, *(one for several in self.slices.values() for one in several)]
        columns = {name: defined([getattr(row, name) for row in rows]) for name in Difference._fields}
        by = ["" for _ in self.differences] + [name for name, several in self.slices.items() for _ in several]
        return {**columns, "by": by} if self.slices else columns

    def _record(self) -> dict[str, Any]:
        pairs = dict.fromkeys((one.first, one.second) for one in self.differences)
        return {
            "baseline": self.baseline,
            "systems": list(self.systems),
            "measures": list(self.measures),
            "signatures": self.signatures,
            "queries": len(self.board.queries),
            "uneven": dict(self.uneven),
            "test": self.plan.test,
            "correction": self.plan.correction,
            "level": self.plan.level,
            "interval": self.plan.method,
            "resamples": self.told.resamples,
            "seed": self.plan.seed,
            "margins": dict(self.plan.margins),
            "means": {
                name: dict(zip(row, defined(list(row.values())), strict=True)) for name, row in self.means.items()
            },
            "differences": [record(one) for one in self.differences],
            "slices": {name: [record(one) for one in several] for name, several in self.slices.items()},
            "worst": {
                f"{second} - {first}": {name: self._worst(name, second, first) for name in self.measures}
                for first, second in pairs
            },
        }

    def _worst(self, measure: str, system: str, other: str) -> list[dict[str, Any]]:
        """The queries that lose most, as JSON holds them."""
        return [row._asdict() | {"query": str(row.query)} for row in self.queries(measure, system, other).worst()]

    def to_dict(self) -> dict[str, Any]:
        """The comparison as JSON holds it (`docs/comparisons.md`): full precision, None where there is no number."""
        return super().to_dict() | {"method": self.method().text}

    def sheets(self) -> list[Sheet]:
        """Means, differences and how sure they are."""
        return list(tables.sheets(self))
