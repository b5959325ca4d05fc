"""Orders of the same systems as results: correlations, pairs that change places, discriminative power."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Final, Literal, NamedTuple, Self

import numpy as np

from rankworth import stats
from rankworth.comparison import Comparison
from rankworth.comparison.differences import PAIRWISE
from rankworth.correlation.judges import Agreement
from rankworth.correlation.methods import Method, method_rules
from rankworth.correlation.orders import Correlated, Estimate, Swap, SystemMeans, tested
from rankworth.errors import UsageError, counted, quoted
from rankworth.profiles import combined
from rankworth.tables.analysis import Analysis, record
from rankworth.tables.columns import Column, Sheet, by_name, defined
from rankworth.tables.look import p_value, signed

_SWAPS: Final = 15
"""how many swaps are shown"""
_COUNTS: Final = ("concordant", "swapped", "tied", "significant", "contradictions")


class MeasurePower(NamedTuple):
    """How often a measure tells two systems apart."""

    measure: str
    """what tables call it"""
    pairs: int
    """how many pairs of systems have a p value"""
    significant: int
    """how many of these are told apart"""
    share: float
    """the discriminative power; NaN without a pair"""
    needed: float
    """the lowest difference from which on all are significant; NaN where there is none"""
    p_values: tuple[float, ...]
    """of all pairs, lowest first: the curve of achieved significance levels"""


@dataclass(frozen=True, repr=False)
class DiscriminativePower(Analysis[Literal["measures", "curve"]]):
    """How often measures tell two systems apart.

    The tables of columns: `measures` has a row for each measure, `curve` one for each p value of each, lowest first.

    Attributes:
        measures: one entry for each.
        comparison: all pairs of systems, compared.

    """

    _SCHEMA: ClassVar = "rankworth.discriminative-power/1"
    _TABLES: ClassVar = ("measures", "curve")
    measures: tuple[MeasurePower, ...]
    comparison: Comparison

    @classmethod
    def of(cls, comparison: Comparison) -> Self:
        """Of a comparison of all pairs."""
        return cls(tuple(_power(comparison, name) for name in comparison.measures), comparison)

    def __getitem__(self, measure: str) -> MeasurePower:
        """What is said of a measure.

        Raises:
            UsageError: `not-measured`.

        """
        label = self.comparison.scores.label(measure)
        return next(one for one in self.measures if one.measure == label)

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems."""
        return self.comparison.systems

    @property
    def warnings(self) -> tuple[tuple[str, str], ...]:
        """What deserves a second look, with its slug."""
        return self.comparison.warnings

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences that explain the numbers."""
        return self.comparison.notes

    def _columns(self, of: str) -> dict[str, list[Any]]:
        if of == "measures":
            return by_name(MeasurePower._fields[:-1], (power[:-1] for power in self.measures))
        rows = [(power.measure, place, p) for power in self.measures for place, p in enumerate(power.p_values, 1)]
        return by_name(("measure", "place", "p"), rows)

    def _record(self) -> dict[str, Any]:
        comparison, plan = self.comparison, self.comparison.plan
        return {
            "systems": list(self.systems),
            "queries": len(comparison.scores.queries),
            "signatures": comparison.signatures,
            "test": plan.test,
            "correction": plan.correction,
            "level": plan.level,
            "resamples": comparison.procedure.resamples,
            "seed": plan.seed,
            "measures": [{**record(power), "p_values": list(power.p_values)} for power in self.measures],
        }

    def sheets(self) -> list[Sheet]:
        """One row for each measure."""
        table, comparison, plan = self.table(), self.comparison, self.comparison.plan
        notes = (*self.notes, f"significant: {_alpha(plan.level)}; {_tested(comparison)}", *table.notes)
        comment = f"discriminative power|{combined(comparison.signatures.values())}|seed:{plan.seed}"
        title = f"{len(self.systems):,} systems over {counted(len(comparison.scores.queries))}"
        return [replace(table, notes=notes, comment=comment, defects=self._defects, title=title)]

    def table(self) -> Sheet:
        """The numbers alone."""
        names, pairs, significant, share, needed_differences = self._columns("measures").values()
        columns = (
            Column("measure", "text", names),
            Column("pairs", "count", pairs),
            Column("significant", "count", significant),
            Column("share", "share", share, "highest", second=True),
            Column("difference needed", "value", needed_differences),
        )
        few = [one.measure for one in self.measures if one.significant and one.needed != one.needed]
        needed = "difference needed: the lowest one from which on all pairs of these systems are significant"
        notes = (needed, *([f"{quoted(few)}: the largest difference is not significant"] if few else []))
        return Sheet(columns, notes, title="discriminative power")


@dataclass(frozen=True, repr=False, eq=False)
class SystemCorrelation(Analysis[Literal["rows", "swaps", "means"]]):
    """How alike measures, or two judges, order the same systems.

    The tables of columns: `rows` has a row for each coefficient of each pair of measures (of each measure, for judges);
    `swaps` one for each pair of systems that change places; `means` one for each system by each measure (and judge).

    Attributes:
        rows: one for each pair of measures, or for each measure under two sets of judgements.
        orders: of the systems, by a measure, or by a measure under one set of judgements; with all means.
        methods: the coefficients.
        comparisons: each pair of systems tested: one comparison, or one for each judge.
        judges: the names of two sets of judgements; empty where measures are correlated.
        queries: the ids of the queries, over which all means are taken.
        level: of intervals and tests.
        resamples: how many samples of queries the intervals are from.
        seed: of these.
        agreement: how far two judges agree; None where that is not defined, and for measures.
        notes: what must be said about it.
        warnings: what deserves a second look, with its slug.

    """

    _SCHEMA: ClassVar = "rankworth.correlation/1"
    _TABLES: ClassVar = ("rows", "swaps", "means")
    rows: tuple[Correlated, ...]
    orders: tuple[SystemMeans, ...]
    methods: tuple[Method, ...]
    comparisons: tuple[Comparison, ...]
    judges: tuple[str, ...]
    queries: tuple[str, ...]
    level: float
    resamples: int
    seed: int
    agreement: Agreement | None = None
    notes: tuple[str, ...] = ()
    warnings: tuple[tuple[str, str], ...] = ()

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems."""
        return self.orders[0].systems

    @property
    def measures(self) -> tuple[str, ...]:
        """What tables call the measures."""
        return tuple(dict.fromkeys(one.measure for one in self.orders))

    @property
    def means(self) -> dict[str, dict[str, float]]:
        """`{order: {system: mean}}`; an order is a measure, or `measure (judge)`."""
        return {one.title: dict(zip(one.systems, one.means.tolist(), strict=True)) for one in self.orders}

    @cached_property
    def powers(self) -> tuple[DiscriminativePower, ...]:
        """How often measures tell two systems apart; nothing where there are two judges."""
        return () if self.judges else tuple(map(DiscriminativePower.of, self.comparisons))

    @property
    def swaps(self) -> tuple[Swap, ...]:
        """The pairs of systems that change places, of the only row.

        Raises:
            UsageError: `not-measured` where there are several rows.

        """
        return self.of().swaps

    def of(self, x: str = "", y: str = "") -> Correlated:
        """One row.

        Args:
            x: a measure: the only one that judges are looked at by, or the first one of two.
            y: the second one of two measures.

        Raises:
            UsageError: `not-measured`; also where nothing is said and there are several rows.

        """
        if not x and len(self.rows) == 1:
            return self.rows[0]
        label = self.comparisons[0].scores.label
        wanted = tuple(label(one) for one in (x, y) if one)
        for one in self.rows:
            if wanted == ((one.measure,) if self.judges else (one.x, one.y)):
                return one
        there = quoted([row.called for row in self.rows])
        text = f"there is no row of {' and '.join(wanted) or 'nothing'}; there are {there}"
        raise UsageError("not-measured", text)

    def orders_of(self, row: Correlated) -> tuple[SystemMeans, SystemMeans]:
        """The orders that a row is about, x and y."""
        x, y = ((row.measure, name) if self.judges else (name, "") for name in (row.x, row.y))
        found = {(one.measure, one.judge): one for one in self.orders}
        return found[x], found[y]

    def coefficients(self) -> dict[str, dict[str, Estimate]]:
        """`{row: {method: ...}}`; a row is a measure, or `x and y`."""
        return {one.called: dict(one.coefficients) for one in self.rows}

    @property
    def signatures(self) -> dict[str, str]:
        """How the values of each order came about."""
        return {one.title: one.signature for one in self.orders}

    def _columns(self, of: str) -> dict[str, list[Any]]:
        names: tuple[str, ...]
        rows: list[tuple[Any, ...]]
        if of == "means":
            names = ("system", "measure", "judge", "mean", "rank")
            rows = [
                (system, one.measure, one.judge, mean, rank)
                for one in self.orders
                for system, mean, rank in zip(one.systems, one.means.tolist(), one.ranks, strict=True)
            ]
        elif of == "rows":
            names = ("measure", "x", "y", "method", *Estimate._fields, "systems", *_COUNTS)
            rows = [
                (row.measure, row.x, row.y, name, *estimate, *self._counts(row).values())
                for row in self.rows
                for name, estimate in row.coefficients.items()
            ]
        else:
            names = ("measure", "x", "y", *Swap._fields)
            rows = [(row.measure, row.x, row.y, *swap) for row in self.rows for swap in row.swaps]
        columns = by_name(names, rows)
        if not self.judges:
            del columns["judge" if of == "means" else "measure"]
        return columns

    def _record(self) -> dict[str, Any]:
        plan = self.comparisons[0].plan
        return {
            "of": "judges" if self.judges else "measures",
            "judges": list(self.judges),
            "systems": list(self.systems),
            "measures": list(self.measures),
            "signatures": self.signatures,
            "queries": len(self.queries),
            "methods": [method.name for method in self.methods],
            "level": self.level,
            "resamples": self.resamples,
            "seed": self.seed,
            "test": plan.test,
            "correction": plan.correction,
            "means": {
                name: dict(zip(row, defined(list(row.values())), strict=True)) for name, row in self.means.items()
            },
            "rows": [
                {
                    **({"measure": row.measure} if self.judges else {}),
                    "x": row.x,
                    "y": row.y,
                    "coefficients": {name: record(estimate) for name, estimate in row.coefficients.items()},
                    **self._counts(row),
                    "swaps": [record(swap) for swap in row.swaps],
                }
                for row in self.rows
            ],
            "discriminative_power": [row for power in self.powers for row in power.to_dict()["measures"]],
            "agreement": None if self.agreement is None else self.agreement.to_dict(),
        }

    def _counts(self, row: Correlated) -> dict[str, int]:
        """The counts of a row."""
        return {"systems": len(self.systems), **{name: getattr(row, name) for name in _COUNTS}}

    def sheets(self) -> list[Sheet]:
        """Coefficients, the swaps that matter, how often measures tell systems apart; two judges: means, agreement."""
        swaps = [(row, swap) for row in self.rows for swap in row.swaps if swap.significant != "none"]
        return [
            self._coefficients_sheet(),
            *([self._swaps_sheet(swaps)] if swaps else []),
            *([self._means_sheet()] if self.judges else []),
            *(self.agreement.sheets() if self.agreement else []),
            *(power.table() for power in self.powers),
        ]

    def _coefficients_sheet(self) -> Sheet:
        """One row for each pair of measures, or for each measure of two judges."""
        rows = self.rows
        columns = self._name_columns(list(rows))
        tested_by = next(iter(tested(rows, self.methods)), None)
        for method in self.methods:
            found = [row.coefficients[method.name] for row in rows]
            bounds = [(one.low, one.high) for one in found]
            columns.append(Column(method.label, "value", [one.value for one in found], bounds=bounds))
            if method is tested_by:
                columns.append(Column("p", "number", [p_value(one.p) for one in found]))
        columns += [
            Column("swapped", "count", [one.swapped for one in rows]),
            Column("significant", "count", [one.significant for one in rows]),
            Column("both ways", "count", [one.contradictions for one in rows]),
        ]
        pairs = len(self.systems) * (len(self.systems) - 1) // 2
        title = f"{len(self.systems):,} systems over {counted(len(self.queries))}"
        if self.judges:
            title = f"{self.judges[0]} (x) and {self.judges[1]} (y): {title}"
        chance = f"; p: that of {tested_by.label}, for systems in random order" if tested_by else ""
        drawn = f"percentile bootstrap over queries, {self.resamples:,} resamples, seed {self.seed}"
        swapped = f"swapped: of {pairs:,} pairs of systems, those in opposite orders{self._tied()}"
        notes = (
            *self.notes,
            *method_rules(self.methods, self.judges[0] if self.judges else "x"),
            f"{100 * self.level:g} % intervals ({drawn}), of these very systems{chance}",
            f"{swapped}; significant: {_alpha(self.level)} by x or by y, both ways: by both",
            _tested(self.comparisons[0]),
        )
        methods = " ".join(one.label for one in self.methods)
        line = f"{methods}|{combined(one.signature for one in self.orders)}|seed:{self.seed}"
        return Sheet(tuple(columns), notes, line, self._defects, title)

    def _name_columns(self, rows: list[Correlated]) -> list[Column]:
        """The columns that say what a row is about."""
        if self.judges:
            return [Column("measure", "text", [one.measure for one in rows])]
        return [Column("x", "text", [one.x for one in rows]), Column("y", "text", [one.y for one in rows])]

    def _tied(self) -> str:
        """How many pairs are neither in the same nor in opposite orders."""
        tied = [one.tied for one in self.rows]
        if not any(tied):
            return ""
        return f" (tied {tied[0]:,})" if len(tied) == 1 else f" (tied {min(tied):,} to {max(tied):,})"

    def _swaps_sheet(self, significant: list[tuple[Correlated, Swap]]) -> Sheet:
        """The swaps of which one order at least is significant."""
        shown = sorted(significant, key=lambda each: each[1].significant != "both")[:_SWAPS]
        x, y = (self.rows[0].x, self.rows[0].y) if len({(one.x, one.y) for one in self.rows}) == 1 else ("x", "y")
        swaps = [swap for _, swap in shown]
        columns = [
            *(self._name_columns([one for one, _ in shown]) if len(self.rows) > 1 else ()),
            Column(f"better by {x}", "text", [swap.first for swap in swaps]),
            Column(f"better by {y}", "text", [swap.second for swap in swaps]),
            Column(x, "number", [signed(swap.x_difference) for swap in swaps]),
            Column(f"p {x}", "number", [p_value(swap.x_p) for swap in swaps]),
            Column(y, "number", [signed(swap.y_difference) for swap in swaps]),
            Column(f"p {y}", "number", [p_value(swap.y_p) for swap in swaps]),
            Column("significant", "text", [self._which(swap, x, y) for swap in swaps]),
        ]
        more = len(significant) - len(shown)
        rest = sum(one.swapped for one in self.rows) - len(significant)
        notes = [f"{x}, {y}: the mean of the second system less that of the first"]
        if more > 0:
            notes.append(f"{more:,} more swaps are significant: to_frame(of='swaps')")
        if rest:
            notes.append(f"{rest:,} other swap{'' if rest == 1 else 's'}: neither order is significant")
        return Sheet(
            tuple(columns), tuple(notes), title="pairs of systems that change places, where an order is significant"
        )

    def _which(self, swap: Swap, x: str, y: str) -> str:
        """By which order a swap is significant."""
        if swap.significant == "both":
            return "both ways"
        return f"by {x}" if swap.x_p < 1 - self.level else f"by {y}"

    def _means_sheet(self) -> Sheet:
        """Each system's mean under both judges, in the order of the first one."""
        half = len(self.orders) // 2
        first, second = self.judges
        pairs = zip(self.orders[:half], self.orders[half:], strict=True)
        rows = [(x, y, at) for x, y in pairs for at in x.order.order[0].tolist()]
        columns = (
            Column("measure", "text", [x.measure for x, _, _ in rows]),
            Column("system", "text", [x.systems[at] for x, _, at in rows]),
            Column(first, "value", [float(x.means[at]) for x, _, at in rows]),
            Column(second, "value", [float(y.means[at]) for _, y, at in rows]),
            Column("difference", "number", [signed(float(y.means[at] - x.means[at])) for x, y, at in rows]),
            Column(f"rank {first}", "count", [x.ranks[at] for x, _, at in rows]),
            Column(f"rank {second}", "count", [y.ranks[at] for _, y, at in rows]),
        )
        title = f"means by {self.measures[0]}" if half == 1 else "means"
        return Sheet(columns[half == 1 :], (f"difference: {second} - {first}",), title=title)


def _power(comparison: Comparison, measure: str) -> MeasurePower:
    """The power of one measure."""
    alpha = 1 - comparison.plan.level
    rows = [one for one in comparison.differences if one.measure == measure]
    p = np.array([one.adjusted for one in rows])
    apart = np.abs([one.difference for one in rows])
    known, significant = ~np.isnan(p), p < alpha
    unclear = float(apart[known & ~significant].max(initial=0.0))
    needed = apart[significant & (apart > unclear)].min(initial=np.inf)
    pairs, count = int(known.sum()), int(significant.sum())
    return MeasurePower(
        measure,
        pairs,
        count,
        share=count / pairs if pairs else float("nan"),
        needed=float(needed) if needed < np.inf else float("nan"),
        p_values=tuple(np.sort(p[known]).tolist()),
    )


def _tested(comparison: Comparison) -> str:
    """How differences of systems were tested."""
    plan, test = comparison.plan, comparison.procedure
    draws = f" ({test.resamples:,} resamples, seed {plan.seed})" if test.resamples else ""
    if plan.correction == "none":
        over = "p for all pairs of systems by one measure" if plan.test in PAIRWISE else "p not corrected"
    else:
        name = stats.CORRECTIONS[plan.correction].name
        over = f"corrected by {name} over {len(comparison.differences):,} comparisons"
    return f"{test.title}{draws}, {over}"


def _alpha(level: float) -> str:
    """Below what p values differences are significant."""
    return f"p < {1 - level:.3g}"
