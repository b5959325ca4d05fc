"""Means of a cluster: aggregates that Spark takes of values, and the means, intervals and counts that follow."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, Final, Self

import numpy as np
from pyspark.sql import functions as sql

from rankworth import names
from rankworth.errors import InputError, RefusedError, UsageError, quoted
from rankworth.groups import NONE
from rankworth.io.options import Blank, refuse_blanks_alone
from rankworth.judging.exclusion import nothing_left
from rankworth.measures import TextFact
from rankworth.names import Quantity, kind_of
from rankworth.profiles import ResolvedMeasure, signature
from rankworth.results.tables import ALL, counts_note
from rankworth.results.values import Interval
from rankworth.scoring import diagnostics
from rankworth.scoring.columns import Link, from_logarithms, rounded
from rankworth.scoring.counts import Counts, Notice
from rankworth.scoring.plans import Plan
from rankworth.stats.samples import ROUNDING
from rankworth.tables.columns import Column, Sheet
from rankworth.tables.frames import FrameLibrary, to_library
from rankworth.tables.show import Shown
from rankworth.version import __version__

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

SCHEMA: Final = "measure int, `group` string, value double, weight double"
"""A row for each query that counts in the mean of a measure. Counts have no measure, and their name for a group."""


def _aggregate(expression: str) -> Any:  # noqa: ANN401 - the default of a field
    """Make a field that Spark computes by an expression over rows as `SCHEMA` tells."""
    return field(default=0, metadata={"expression": expression})


@dataclass(frozen=True)
class Cell:
    """Aggregates of the values of one measure in one group; values of a geometric mean are logarithms."""

    queries: int = _aggregate("count(1)")
    values: int = _aggregate("count_if(weight > 0)")
    total: float = _aggregate("sum(CASE WHEN weight > 0 THEN weight * value END)")
    weight: float = _aggregate("sum(weight)")
    squares: float = _aggregate("sum(weight * weight)")
    cubes: float = _aggregate("sum(weight * weight * weight)")
    variance: float = _aggregate("var_pop(CASE WHEN weight > 0 THEN weight * value END)")
    covariance: float = _aggregate("covar_pop(CASE WHEN weight > 0 THEN weight * value END, weight)")
    spread: float = _aggregate("var_pop(CASE WHEN weight > 0 THEN weight END)")
    lowest: float = _aggregate("min(CASE WHEN weight > 0 THEN value END)")
    highest: float = _aggregate("max(CASE WHEN weight > 0 THEN value END)")

    @classmethod
    def of(cls, row: Any) -> Self:  # noqa: ANN401 - a row of Spark
        """Take the aggregates of a row; null is what an aggregate over nothing gives."""
        return cls(**{each.name: row[each.name] or 0 for each in fields(cls)})

    @property
    def mean(self) -> float:
        """The mean; NaN over no query."""
        return self.total / self.weight if self.values else math.nan

    @property
    def error(self) -> tuple[float, float]:
        """The standard error of the mean and its degrees of freedom, as `rankworth.stats` defines both.

        NaN with fewer than two values, and where one is NaN or infinite.
        """
        weight = self.weight
        if not (self.values and math.isfinite(self.total)):
            return math.nan, math.nan
        together = self.squares / weight**2
        if not 0 < together <= 1 - ROUNDING:
            return math.nan, math.nan
        if self.highest - self.lowest <= ROUNDING * max(abs(self.lowest), abs(self.highest)):
            return 0.0, 1 / together - 1
        apart = self.variance - 2 * self.mean * self.covariance + self.mean**2 * self.spread
        squares = max(self.values * apart, 0.0)
        short = 1 - 2 * self.cubes / weight**3 / together + together
        return math.sqrt(squares / short) / weight, 1 / together - 1


@dataclass(frozen=True)
class Aggregates:
    """What Spark aggregated.

    Attributes:
        counts: of queries, documents and judgements, by name.
        whole: a cell for each measure.
        groups: cells by group, where there are groups.

    """

    counts: dict[str, int]
    whole: list[Cell]
    groups: dict[str, list[Cell]]

    @classmethod
    def of(cls, rows: "DataFrame", measures: int, *, grouped: bool) -> Self:
        """Aggregate values on the cluster.

        Args:
            rows: as `SCHEMA` tells.
            measures: how many there are.
            grouped: whether queries have groups.

        """
        columns = [sql.expr(each.metadata["expression"]).alias(each.name) for each in fields(Cell)]
        by = rows.rollup("measure", "group") if grouped else rows.groupBy("measure", "group")
        aggregated = by.agg(*columns).collect()
        counts = {row["group"]: int(row["total"]) for row in aggregated if row["measure"] is None and row["group"]}
        cells = {"": [Cell()] * measures}  # no group is called by the empty text
        for row in aggregated:
            if row["measure"] is not None:
                cells.setdefault(row["group"] or "", [Cell()] * measures)[row["measure"]] = Cell.of(row)
        whole = cells.pop("")
        return cls(counts, whole, dict(sorted(cells.items())))


def _mean(whole: Cell, parts: Sequence[Cell], link: Link) -> float:
    """Return the mean of a measure, or the mean of the means of groups; the sum of a summed measure.

    Args:
        whole: of all queries.
        parts: of the groups, where these count alike.
        link: how the values become one.

    """
    if link == "sum":
        return whole.total
    means = [part.mean for part in parts if part.values] or [whole.mean]
    return _shown(sum(means) / len(means), link)


def _interval(whole: Cell, parts: Sequence[Cell], link: Link, level: float) -> tuple[float, float]:
    """Return the t interval of `_mean`; NaN of a sum.

    For groups that count alike, the squared error is the sum of those of the groups over the square of their number,
    and degrees of freedom are those of Welch and Satterthwaite.

    Args:
        whole: of all queries.
        parts: of the groups, where these count alike.
        link: how the values become one.
        level: the confidence level.

    """
    from scipy.special import stdtrit  # noqa: PLC0415 - costs more than most evaluations

    if link == "sum":
        return math.nan, math.nan
    cells = [part for part in parts if part.values] or [whole]
    center = sum(cell.mean for cell in cells) / len(cells)
    errors, freedom = np.array([cell.error for cell in cells]).T
    error = float(np.sqrt((errors**2).sum()))
    half = 0.0
    if error:
        half = float(stdtrit(error**4 / (errors**4 / freedom).sum(), (1 + level) / 2)) * error / len(cells)
    return _shown(center - half, link), _shown(center + half, link)


def _shown(number: float, link: Link) -> float:
    """Return a mean of values, or of logarithms, on the scale of the values."""
    try:
        return float(from_logarithms(np.array([number]), [link])[0])
    except OverflowError:
        return math.inf


@dataclass(frozen=True, eq=False, repr=False)
class Means(Shown):
    """What a run is worth, without the values of its queries.

    Attributes:
        aggregates: the aggregates of each measure and group.
        plan: what was asked for.
        counts: how many queries stand behind the means.
        lists: whether the run came as lists, each the ranking of its query.
        notices: what deserves a second look.

    """

    aggregates: Aggregates
    plan: Plan
    counts: Counts
    lists: bool = False
    notices: tuple[Notice, ...] = ()

    @classmethod
    def of(
        cls,
        aggregates: Aggregates,
        plan: Plan,
        *,
        lists: bool = False,
        blank: Blank = "unjudged",
        restricted: bool = False,
    ) -> "Means":
        """Look at what was aggregated.

        Args:
            aggregates: what was aggregated.
            plan: what was asked for.
            lists: whether the run came as lists.
            blank: what a judgement without a grade means.
            restricted: whether queries were asked for, so that others do not exist.

        Raises:
            InputError: `empty-input`, `no-common-queries`.
            RefusedError: where a setting refuses a mean over no queries.

        """
        answered, blanks = aggregates.counts.get("answered", 0), aggregates.counts.get("blanks", 0)
        fields = [name for name in Counts._fields if not name.endswith("_queries")]
        counts = Counts(**{name: aggregates.counts.get(name, 0) for name in fields})  # type: ignore[arg-type]
        refuse_blanks_alone("the judgements", blanks, empty=not counts.judged)
        if plan.may_be_empty and not restricted and not (counts.judged and (answered or counts.ignored)):
            notices = (diagnostics.no_rows("the run" if counts.judged else "", plan.profile.tool),)
            plan = replace(plan, measures=[_without_hits(measure) for measure in plan.measures])
            if counts.judged:
                return cls(aggregates, plan, counts, lists, notices)
            none = Counts(**dict.fromkeys(fields, 0))  # type: ignore[arg-type]
            return cls(Aggregates({}, [Cell() for _ in aggregates.whole], {}), plan, none, lists, notices)
        if not counts.judged:
            raise InputError("empty-input", "the judgements: the frame has no rows")
        if not answered:
            if counts.excluded:
                raise nothing_left(plan.exclude, "document of the run for any judged query")
            if not counts.ignored:
                raise InputError("empty-input", "the run: no document of any query is left")
            raise InputError("no-common-queries", "no query of the run is judged")  # which they are, `Job` knows
        means = cls(aggregates, plan, counts, lists, tuple(diagnostics.blanks(blanks, blank)))
        means._refuse_weights()
        means._refuse_groups()
        for measure, cell in zip(means.resolved, aggregates.whole, strict=True):
            measure.refuse_several(cell.values)
            if measure.averaging.no_queries == "error" and not cell.values:
                refusal = RefusedError("no_queries", "no query is left to take a mean over")
                raise plan.profile.refused(refusal, measure.label)
        return means

    def _refuse_weights(self) -> None:
        """Refuse weights of which all are 0.

        Raises:
            InputError: `bad-weight`.

        """
        weights, macro = self.resolved[0].data.weights, self.resolved[0].data.macro
        if weights is None:
            return
        parts = {"": self.aggregates.whole}
        if macro is not None:
            parts = {f" of the group {quoted([name])}": part for name, part in self.aggregates.groups.items()}
        for name, part in parts.items():
            queries = _queries_of(part)
            means = [cell for each, cell in zip(self.resolved, part, strict=True) if each.quantity.averaging != "sum"]
            if means and queries and not any(cell.values for cell in means):
                text = f"{weights.source}: all {queries:,} scored queries{name} have the weight 0"
                raise InputError("bad-weight", text, remedy="where no query counts there is no mean")

    def _refuse_groups(self) -> None:
        """Refuse groups of which not one query has any.

        Raises:
            InputError: `missing-value`.

        """
        by, queries = self.plan.by, _queries_of(self.aggregates.whole)
        if by is not None and queries and set(self.aggregates.groups) == {NONE}:
            text = f"{by.source}: none of the {queries:,} scored queries has a group"
            remedy = f"queries that have one: {quoted(by.by_query()) or 'none'}; are these the ids of the judgements?"
            raise InputError("missing-value", text, remedy=remedy)

    @property
    def resolved(self) -> list[ResolvedMeasure]:
        """The measures that are numbers, as the profile has them."""
        return [measure for measure in self.plan.measures if not isinstance(measure.quantity, TextFact)]

    @property
    def groups(self) -> tuple[str, ...]:
        """The groups that are shown."""
        return tuple(self.aggregates.groups) if self.plan.by is not None else ()

    @property
    def signature(self) -> str:
        """How the numbers came about; the queries are told by their number alone."""
        line = str(signature(self.plan.profile, [], __version__, lists=self.lists))
        return re.sub(r"(?<=\|queries:)[^|]*", str(self.counts.scored), line)

    def __getitem__(self, measure: str | Quantity) -> float:
        """Return the mean of a measure, by any of its names.

        Raises:
            UsageError: `not-measured`.

        """
        means, profile = self.mean(), self.plan.profile
        wanted = profile.ask([measure])[0].quantity if profile.rules and measure not in means else measure
        index = names.column_of(wanted, list(means), [str(measure.quantity) for measure in self.resolved])
        if index is None:
            text = f"{measure} was not measured; there are {' '.join(means)}"
            raise UsageError("not-measured", text, remedy="ask for it when you evaluate")
        return means[self.resolved[index].label]

    def mean(self) -> dict[str, float]:
        """Return the mean of each measure; of a fact the sum, of `gmean(...)` the geometric mean."""
        return self._means(self.aggregates.whole)

    def intervals(self, level: float = 0.95) -> dict[str, Interval]:
        """Return confidence intervals of the means: Student's t; NaN with fewer than two queries, and of sums.

        `mean -+ t(df) error`, with the errors and degrees of freedom of weighted and other means as
        `rankworth.stats.intervals(method="t")` has them. For groups that count alike, the squared error is the sum
        of those of the G groups over G^2, and `df` is `sum(error^2)^2 / sum(error^4 / df)` over the groups. Intervals
        of geometric means are those of the mean logarithms.

        Args:
            level: the confidence level.

        Raises:
            UsageError: `unknown-setting`.

        Sources: Student (1908), The probable error of a mean, https://doi.org/10.1093/biomet/6.1.1; Satterthwaite
        (1946), An approximate distribution of estimates of variance components, https://doi.org/10.2307/3002019

        """
        return self._intervals(self.aggregates.whole, level)

    def of_group(self, name: str) -> dict[str, float]:
        """Return the means of one group.

        Raises:
            UsageError: `unknown-setting`.

        """
        if name not in self.aggregates.groups:
            text = f"there is no group {quoted([name])}: the groups are {quoted(self.aggregates.groups)}"
            raise UsageError("unknown-setting", text)
        return self._means(self.aggregates.groups[name])

    def to_frame(self, library: FrameLibrary = "polars", *, level: float = 0.95) -> Any:  # noqa: ANN401 - the library's own frame
        """Return a row for each measure: `measure, queries, mean, low, high`, and `group` where there are groups.

        Raises:
            UsageError: `missing-library`, `unknown-setting`.

        """
        rows = []
        for name, part in self._parts():
            means, intervals = self._means(part), self._intervals(part, level)
            for (label, mean), cell in zip(means.items(), part, strict=True):
                low, high, _ = intervals[label]
                group = {"group": name} if self.groups else {}
                rows.append(group | {"measure": label, "queries": cell.values, "mean": mean, "low": low, "high": high})
        return to_library({column: [row[column] for row in rows] for column in rows[0]}, library)

    def to_dict(self, level: float | None = None) -> dict[str, Any]:
        """Return means, counts and signature, as JSON holds them; with a level intervals, too."""
        record: dict[str, Any] = {"signature": self.signature, "counts": self.counts.numbers, "mean": self.mean()}
        if self.groups:
            record["groups"] = {name: self.of_group(name) for name in self.groups}
        record["warnings"] = [notice._asdict() for notice in self.notices]
        if level is not None:
            record["intervals"] = {label: interval._asdict() for label, interval in self.intervals(level).items()}
        return record

    def sheets(self) -> list[Sheet]:
        """Return a table with a row for all queries, and one for each group, with intervals."""
        return [self.sheet(0.95)]

    def sheet(self, level: float | None, name: str = "") -> Sheet:
        """Return all as one table.

        Args:
            level: of intervals; none where None.
            name: what the run is called.

        """
        parts = self._parts()
        columns = [Column("run", "text", [name] * len(parts))] if name else []
        if self.groups:
            columns.append(Column("group", "text", [group for group, _ in parts]))
            columns.append(Column("queries", "count", [_queries_of(part) for _, part in parts]))
        means = [self._means(part) for _, part in parts]
        within = [] if level is None else [self._intervals(part, level) for _, part in parts]
        for measure in self.resolved:
            kind = kind_of(measure.quantity)
            numbers = [row[measure.label] for row in means]
            ends = [(row[measure.label].low, row[measure.label].high) for row in within]
            is_sum = measure.quantity.averaging == "sum"
            shown = [int(number) for number in numbers] if kind == "count" else numbers
            columns.append(Column(measure.label, kind, shown, bounds=() if is_sum else ends))
        notes = [counts_note(self.counts, self.plan.profile)]
        if level is not None:
            notes.append(f"Intervals are {100 * level:.4g}% Student t intervals.")
        return Sheet(tuple(columns), tuple(notes), self.signature)

    def _parts(self) -> list[tuple[str, Sequence[Cell]]]:
        return [(ALL, self.aggregates.whole), *((name, self.aggregates.groups[name]) for name in self.groups)]

    def _groups(self, cells: Sequence[Cell]) -> list[list[Cell]]:
        """Return the cells of groups for each measure; empty unless the mean over all queries is that of groups."""
        is_whole = self.plan.by is None and cells is self.aggregates.whole
        return [[part[index] for part in self.aggregates.groups.values() if is_whole] for index in range(len(cells))]

    def _means(self, cells: Sequence[Cell]) -> dict[str, float]:
        totals = {}
        for measure, cell, parts in zip(self.resolved, cells, self._groups(cells), strict=True):
            link, settings = measure.quantity.averaging, measure.averaging
            mean = _mean(cell, parts, link)
            if link != "sum":
                if not cell.values and settings.no_queries == "zero":
                    mean = 0.0
                mean = float(rounded(mean, settings.round_means, settings.halves))
            totals[measure.label] = mean
        return totals

    def _intervals(self, cells: Sequence[Cell], level: float) -> dict[str, Interval]:
        if not 0 < level < 1:
            raise UsageError("unknown-setting", f"level={level}: a confidence level lies between 0 and 1")
        intervals = {}
        for measure, cell, parts in zip(self.resolved, cells, self._groups(cells), strict=True):
            intervals[measure.label] = Interval(*_interval(cell, parts, measure.quantity.averaging, level), level)
        return intervals


def _queries_of(cells: Sequence[Cell]) -> int:
    """Return how many queries there are that some measure counts."""
    return max(cell.queries for cell in cells)


def _without_hits(measure: ResolvedMeasure) -> ResolvedMeasure:
    """Treat `no_queries="hits"` of a measure as 0, as where no judged document was retrieved."""
    rule = measure.averaging.no_queries
    return replace(measure, averaging=replace(measure.averaging, no_queries="zero" if rule == "hits" else rule))
