"""The means that were merged on a cluster, with their intervals, counts and conventions."""

import math
from dataclasses import dataclass, replace
from typing import Any

from rankworth import names
from rankworth.columns import rounded
from rankworth.errors import InputError, RefusedError, UsageError, counted, quoted
from rankworth.io.frames.columns import FrameLibrary, to_library
from rankworth.io.reading import Blank, Blanks
from rankworth.judging.assembly import nothing_left
from rankworth.measures import TextFact
from rankworth.measuring import Plan
from rankworth.names import Quantity, kind_of
from rankworth.notices import notice_of_no_rows, notices_of_blanks
from rankworth.profiles import Asked, signature
from rankworth.render.showing import Shown
from rankworth.sheet import Column, Sheet
from rankworth.slices.columns import NONE
from rankworth.summaries import Summary
from rankworth.values import Counts, Interval, Notice
from rankworth.values.counts import in_words
from rankworth.values.runs import ALL
from rankworth.version import __version__


@dataclass(frozen=True, eq=False, repr=False)
class Means(Shown):
    """What a run is worth, without the values of its queries.

    Attributes:
        summary: what was merged: exact sums, spreads, histograms and bootstrap samples.
        plan: what was asked for.
        counts: how many queries stand behind the means.
        lists: whether the run came as lists, each the ranking of its query.
        notices: what deserves a second look.

    """

    summary: Summary
    plan: Plan
    counts: Counts
    lists: bool = False
    notices: tuple[Notice, ...] = ()

    @classmethod
    def of(
        cls, summary: Summary, plan: Plan, *, lists: bool = False, blank: Blank = "unjudged", restricted: bool = False
    ) -> "Means":
        """Look at what was merged.

        Args:
            summary: what was merged.
            plan: what was asked for.
            lists: whether the run came as lists.
            blank: what a judgement without a grade means.
            restricted: whether queries were asked for, so that others do not exist.

        Raises:
            InputError: `empty-input`, `no-common-queries`.
            RefusedError: where a setting refuses a mean over not one query.

        """
        found = summary.counts
        answered, blanks = found.pop("answered", 0), Blanks(blank)
        blanks.count = found.pop("blanks", 0)
        numbers: dict[str, Any] = {name: found.get(name, 0) for name in Counts._fields if not name.endswith("_queries")}
        counts = Counts(**numbers)
        blanks.check("the judgements", empty=not counts.judged)
        if (
            plan.rowless
            and plan.exclude is None
            and not restricted
            and not (counts.judged and (answered or counts.ignored))
        ):
            notices = (notice_of_no_rows("the run" if counts.judged else "", plan.profile.tool),)
            plan = replace(plan, asked=[_without_hits(one) for one in plan.asked])
            if counts.judged:
                return cls(summary, plan, counts, lists, notices)
            nothing: dict[str, Any] = dict.fromkeys(numbers, 0)
            return cls(Summary.empty(summary.asked), plan, Counts(**nothing), lists, notices)
        if not counts.judged:
            raise InputError("empty-input", "the judgements: the frame has no rows")
        if not answered:
            if counts.excluded:
                raise nothing_left(plan.exclude)
            if not counts.ignored:
                raise InputError("empty-input", "the run: no document of any query is left")
            text = f"no query of the run is judged: {counted(counts.judged)} have judgements, and {counts.ignored:,} "
            remedy = "are these judgements and a run of the same collection?"
            raise InputError("no-common-queries", f"{text}others have results", remedy=remedy)
        means = cls(summary, plan, counts, lists, tuple(notices_of_blanks(blanks.count, blank)))
        means._refuse_weights()
        means._refuse_groups()
        for one in means.asked:
            if one.averaging.no_queries == "error" and not summary.divisors()[one.label]:
                refusal = RefusedError("no_queries", "not one query is left to take a mean over")
                raise plan.profile.refused(refusal, one.label)
        return means

    def _refuse_weights(self) -> None:
        """Refuse weights of which all are 0.

        Raises:
            InputError: `bad-weight`.

        """
        weights, macro = self.asked[0].averaging.weights, self.asked[0].averaging.macro
        if weights is None:
            return
        parts = {"": self.summary}
        if macro is not None:
            parts = {f" of the group {quoted([name])}": self.summary.of_group(name) for name in self.summary.groups}
        counted = [one.label for one in self.asked if one.quantity.averaging != "sum"]
        for name, part in parts.items():
            divisors = part.divisors()
            if counted and part.queries and not any(divisors[label] for label in counted):
                text = f"{weights.source}: all {part.queries:,} scored queries{name} have the weight 0"
                raise InputError("bad-weight", text, remedy="where no query counts there is no mean")

    def _refuse_groups(self) -> None:
        """Refuse groups of which not one query has any.

        Raises:
            InputError: `missing-value`.

        """
        by = self.plan.by
        if by is not None and self.summary.queries and set(self.summary.groups) == {NONE}:
            text = f"{by.source}: not one of the {self.summary.queries:,} scored queries has a group"
            remedy = f"queries that have one: {quoted(by.known()) or 'none'}; are these the ids of the judgements?"
            raise InputError("missing-value", text, remedy=remedy)

    @property
    def asked(self) -> list[Asked]:
        """The measures that are numbers, as the profile has them."""
        return [one for one in self.plan.asked if not isinstance(one.quantity, TextFact)]

    @property
    def groups(self) -> tuple[str, ...]:
        """The groups that are shown."""
        return self.summary.groups if self.plan.by is not None else ()

    @property
    def signature(self) -> str:
        """How the numbers came about; the queries are told by their number alone."""
        line = str(signature(self.plan.profile, [], __version__, lists=self.lists, seed=self.summary.asked.seed))
        return "|".join(
            f"queries:{self.counts.scored}" if part.startswith("queries:") else part for part in line.split("|")
        )

    def __getitem__(self, measure: str | Quantity) -> float:
        """The mean of a measure, by any of its names.

        Raises:
            UsageError: `not-measured`.

        """
        means, profile = self.mean(), self.plan.profile
        wanted = profile.ask([measure])[0].quantity if profile.rules and measure not in means else measure
        place = names.place(wanted, list(means), [str(one.quantity) for one in self.asked])
        if place is None:
            text = f"{measure} was not measured; there are {' '.join(means)}"
            raise UsageError("not-measured", text, remedy="ask for it when you evaluate")
        return means[self.asked[place].label]

    def mean(self) -> dict[str, float]:
        """The mean of each measure; of a fact the sum, of `gmean(...)` the geometric mean."""
        return self._means(self.summary)

    def intervals(self, level: float = 0.95) -> dict[str, Interval]:
        """Confidence intervals of the means: percentiles over Poisson bootstrap samples of queries.

        Raises:
            UsageError: `unknown-setting`.

        """
        return self._intervals(self.summary, level)

    def of_group(self, name: str) -> dict[str, float]:
        """The means of one group.

        Raises:
            UsageError: `unknown-setting`.

        """
        return self._means(self.summary.of_group(name))

    def to_frame(self, library: FrameLibrary = "polars", *, level: float = 0.95) -> Any:  # noqa: ANN401 - the library's own frame
        """One row for each measure: `measure, queries, mean, low, high`, and `group` where there are groups.

        Raises:
            UsageError: `missing-library`, `unknown-setting`.

        """
        rows: dict[str, list[Any]] = {}
        for name, part in self._parts():
            means, intervals, divisors = self._means(part), self._intervals(part, level), part.divisors()
            for label, mean in means.items():
                low, high, _ = intervals[label]
                row: dict[str, Any] = {"group": name} if self.groups else {}
                row |= {"measure": label, "queries": divisors[label], "mean": mean, "low": low, "high": high}
                for column, item in row.items():
                    rows.setdefault(column, []).append(item)
        return to_library(rows, library)

    def to_dict(self, level: float | None = None) -> dict[str, Any]:
        """Means, counts and signature, as JSON holds them; with a level intervals, too."""
        said: dict[str, Any] = {"signature": self.signature, "counts": self.counts.numbers, "mean": self.mean()}
        if self.groups:
            said["groups"] = {name: self.of_group(name) for name in self.groups}
        said["warnings"] = [notice._asdict() for notice in self.notices]
        if level is not None:
            said["intervals"] = {label: interval._asdict() for label, interval in self.intervals(level).items()}
        return said

    def sheets(self) -> list[Sheet]:
        """One row for all queries, and one for each group, with intervals where samples were taken."""
        return [self.sheet(0.95 if self.summary.asked.resamples else None)]

    def sheet(self, level: float | None, name: str = "") -> Sheet:
        """The same as one table.

        Args:
            level: of intervals; none where None.
            name: what the run is called.

        """
        parts = self._parts()
        columns = [Column("run", "text", [name] * len(parts))] if name else []
        if self.groups:
            columns.append(Column("group", "text", [group for group, _ in parts]))
            columns.append(Column("queries", "count", [part.queries for _, part in parts]))
        means = [self._means(part) for _, part in parts]
        within = [] if level is None else [self._intervals(part, level) for _, part in parts]
        for one in self.asked:
            kind = kind_of(one.quantity)
            numbers = [row[one.label] for row in means]
            ends = [(row[one.label].low, row[one.label].high) for row in within]
            is_sum = one.quantity.averaging == "sum"
            shown = [int(number) for number in numbers] if kind == "count" else numbers
            columns.append(Column(one.label, kind, shown, bounds=() if is_sum else ends))
        notes = [in_words(self.counts, self.plan.profile)]
        if level is not None:
            notes.append(self.summary.sentence(level))
        return Sheet(tuple(columns), tuple(notes), self.signature)

    def __str__(self) -> str:
        """The table."""
        from rankworth.render import Look, show  # noqa: PLC0415 - as in other results

        return show(self.sheets(), "table", Look())

    def __repr__(self) -> str:
        """Say how much there is."""
        return f"Means({', '.join(f'{label}={mean:.4f}' for label, mean in self.mean().items())}, {self.counts!r})"

    def _parts(self) -> list[tuple[str, Summary]]:
        return [(ALL, self.summary), *((name, self.summary.of_group(name)) for name in self.groups)]

    def _means(self, summary: Summary) -> dict[str, float]:
        is_macro = self.asked[0].averaging.macro is not None
        means, divisors = summary.macro_means() if is_macro else summary.means(), summary.divisors()
        found = {}
        for one in self.asked:
            mean, settings = means[one.label], one.averaging
            if not divisors[one.label] and one.quantity.averaging != "sum":
                mean = 0.0 if settings.no_queries == "zero" else math.nan
            is_rounded = one.quantity.averaging != "sum"
            found[one.label] = rounded(mean, settings.round_means, settings) if is_rounded else mean
        return found

    def _intervals(self, summary: Summary, level: float) -> dict[str, Interval]:
        is_macro = self.asked[0].averaging.macro is not None
        ends = summary.macro_intervals(level) if is_macro else summary.intervals(level)
        return {label: Interval(low, high, level) for label, (low, high) in ends.items()}


def _without_hits(asked: Asked) -> Asked:
    """The same where it is known that no judged document was retrieved."""
    averaging = asked.averaging
    return replace(asked, averaging=replace(averaging, no_queries="zero")) if averaging.no_queries == "hits" else asked
