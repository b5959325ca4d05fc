"""What identical runs do: how runs of one system vary, differences within that, and gates that fail by chance."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from rankworth import stats
from rankworth.comparison.sources import NOISE, Role
from rankworth.errors import counted, quoted
from rankworth.stats.samples import ROUNDING
from rankworth.tables.columns import Column, Sheet
from rankworth.tables.look import signed

if TYPE_CHECKING:
    from rankworth.comparison.differences import Difference, Plan
    from rankworth.comparison.gates import Gate
    from rankworth.comparison.score_table import ScoreTable
    from rankworth.comparison.scores import Scores

WITHIN: Final = "within what identical runs do"
BEYOND: Final = "more than identical runs do"
_SOURCES: Final = ("query", "run", "both")
_DIGITS: Final = 4
_OF_SYSTEMS: Final = "query, run, both: shares of the variance of a single value"
_OF_DIFFERENCES: Final = (
    "±: what as many runs of identical systems differ by at most, in {:g} of 100 cases; query/run/both: shares of the"
    " variance of the difference"
)


class RepeatedSystem(NamedTuple):
    """How the means of the runs of one system vary by one measure."""

    system: str
    measure: str
    runs: int
    mean: float
    lowest: float
    """the lowest mean of a run"""
    highest: float
    deviation: float
    """the standard deviation of the means of runs"""
    query: float
    """the variance of single values that comes from queries; 0 where the estimate is below 0"""
    run: float
    both: float
    """the variance that neither explains: how much a run changes a query beyond what it changes all"""
    negative: tuple[str, ...]
    """the sources whose estimate is below 0"""
    role: Role = "compared"
    """`noise` of runs of one unchanged system that are not compared"""


class RepeatedDifference(NamedTuple):
    """A difference of means beside that of identical runs."""

    measure: str
    first: str
    second: str
    first_runs: int
    second_runs: int
    difference: float
    low: float
    """the ends of an interval over queries and runs"""
    high: float
    df: float
    """its degrees of freedom"""
    identical: float
    """what as many runs of identical systems differ by at most, at the level of the intervals"""
    query: float
    """the share of the variance of the difference that comes from queries; 0 where the estimate is below 0"""
    run: float
    both: float
    negative: tuple[str, ...]
    """the sources whose estimate is below 0"""
    needed: int
    """how many runs of a system are needed to decide"""
    is_enough: bool
    """whether there are as many"""
    verdict: str
    """whether it is within what identical runs do, or how many runs are needed"""

    @property
    def is_within(self) -> bool:
        """Whether there are enough runs, and it is within what identical ones do."""
        return self.verdict == WITHIN

    @classmethod
    def of(cls, table: "ScoreTable", row: "Difference", plan: "Plan") -> "RepeatedDifference | None":
        """Hold a difference against identical runs; None where nothing tells how runs vary."""
        over_runs = table.run_difference(row.measure, row.first, row.second)
        if over_runs is None:
            return None
        half, needed = over_runs.half(plan.level), stats.runs_to_decide(plan.level)
        identical, is_enough = over_runs.identical(plan.level), over_runs.runs >= needed
        verdict = WITHIN if abs(row.difference) <= identical + ROUNDING else BEYOND
        total = over_runs.error**2 or math.nan
        return cls(
            measure=row.measure,
            first=row.first,
            second=row.second,
            first_runs=table.runs_of(row.first),
            second_runs=table.runs_of(row.second),
            difference=row.difference,
            low=row.difference - half,
            high=row.difference + half,
            df=over_runs.df,
            identical=identical,
            query=over_runs.query / total,
            run=over_runs.run / total,
            both=over_runs.both / total,
            negative=over_runs.negative,
            needed=needed,
            is_enough=is_enough,
            verdict=verdict if is_enough else f"need at least {needed} runs",
        )


class GateNoise(NamedTuple):
    """A gate beside what identical runs do."""

    identical: float
    """what as many runs of identical systems differ by at most"""
    chance: float
    """how often the gate fails for an unchanged system; NaN where that is not known"""
    needed: int
    """how many runs are needed to tell, where there are fewer; else 0"""
    within: bool | None
    """whether a drop is within what identical runs do; None where there is none, or too few runs"""

    def __str__(self) -> str:
        """Say it in words."""
        parts = [f"need at least {self.needed} runs to tell from chance" if self.needed else ""]
        if self.within is not None:
            parts.append(f"{WITHIN if self.within else BEYOND} (±{self.identical:.{_DIGITS}f})")
        if not self.needed and not math.isnan(self.chance):
            parts.append(f"an unchanged system fails in {_percent(self.chance)} % of cases")
        return "; ".join(filter(None, parts))


def repeated_systems(table: "ScoreTable") -> list[RepeatedSystem]:
    """Return how the runs of each system vary, by system and measure."""
    rows = []
    for system, role, by_measure in _repeated(table):
        for measure in table.measures:
            columns = by_measure[measure].runs
            of_system = stats.repeated_runs([run.counting_values for run in columns], table.weights)
            complete = np.all([run.counted & ~np.isnan(run.values) for run in columns], axis=0)  # [Q]
            means = [run.part(complete).mean for run in columns]
            query, run, both, negative = of_system.components
            ends, deviation = (min(means), max(means)), math.sqrt(of_system.by_run)
            numbers = (len(means), math.fsum(means) / len(means), *ends, deviation, query, run, both)
            rows.append(RepeatedSystem(system, measure, *numbers, negative, role))
    return rows


def _repeated(table: "ScoreTable") -> Iterator[tuple[str, Role, Mapping[str, "Scores"]]]:
    """Yield what is called a system, with its role and its scores, of systems and noise of several runs each."""
    for system, scores in table.repeated.items():
        yield system, "compared", scores
    if table.noise:
        yield NOISE, "noise", table.noise


def gate_noise(table: "ScoreTable", row: "Difference", gate: "Gate", when: str, plan: "Plan") -> GateNoise | None:
    """Hold a gate against identical runs; None where nothing tells how runs vary.

    Args:
        table: the values of the queries that the gate is about.
        row: the difference of the systems.
        gate: the condition.
        when: what a drop is, as for `gates.against`.
        plan: whose level holds.

    """
    over_runs = table.run_difference(row.measure, row.first, row.second)
    if over_runs is None:
        return None
    sign = 1.0 if table.better[row.measure] == "higher" else -1.0
    drop, needed = -sign * row.difference, stats.runs_to_decide(plan.level)
    identical = over_runs.identical(plan.level)
    if over_runs.runs < needed:
        return GateNoise(identical, math.nan, needed, None)
    room = gate.limit * abs(row.first_mean) if gate.percent else gate.limit
    if gate.kind == "fail-under":
        room = row.first_mean - gate.limit
    elif gate.kind == "noninferior":
        room = gate.limit - (max(-sign * row.low, -sign * row.high) - drop)
    elif when == "significant":
        room = max(room, drop - min(-sign * row.low, -sign * row.high))
    chance = over_runs.exceeds(room)
    if gate.kind == "max-drop" and when == "any":
        chance = _any_query_drops(table, row, room, sign)
    is_drop = drop > 0 and gate.kind != "fail-under"
    return GateNoise(identical, chance, 0, drop <= identical if is_drop else None)


def _any_query_drops(table: "ScoreTable", row: "Difference", limit: float, sign: float) -> float:
    """Return in how many ordered pairs of identical runs a query drops by more; NaN where systems have several runs."""
    if {row.first, row.second} & table.repeated.keys():
        return math.nan
    drops = []
    for _, _, by_measure in _repeated(table):
        values = sign * np.array([run.counting_values for run in by_measure[row.measure].runs])  # [R, Q]
        fall = np.nanmax(values[:, None] - values, axis=2)  # [R, R]: the largest drop from a run to another
        drops += fall[~np.eye(len(fall), dtype=bool)].tolist()
    return float(np.mean(np.array(drops) > limit))


def sheets(systems: Sequence[RepeatedSystem], rows: Sequence[RepeatedDifference], level: float) -> Iterator[Sheet]:
    """Yield a table of the runs of each system, and a table of the differences."""
    columns = (
        Column("system", "text", [row.system for row in systems]),
        Column("measure", "text", [row.measure for row in systems]),
        Column("runs", "count", [row.runs for row in systems]),
        *(Column(name, "value", [getattr(row, name) for row in systems]) for name in ("mean", "lowest", "highest")),
        Column("deviation", "number", [f"{row.deviation:.{_DIGITS}f}" for row in systems]),
        *(
            Column(name, "number", [f"{cell} %" for cell in cells])
            for name, cells in zip(_SOURCES, _shares(systems), strict=True)
        ),
    )
    notes = _below_zero([(f"{row.system} by {row.measure}", row.negative) for row in systems])
    yield Sheet(columns, tuple(notes), title="runs of one system", legend=(_OF_SYSTEMS,))
    pairs = {(row.first, row.second) for row in rows}
    names = [f"{row.second} - {row.first}" for row in rows]
    columns = (
        *([Column("systems", "text", names)] if len(pairs) > 1 else []),
        Column("measure", "text", [row.measure for row in rows]),
        Column("runs", "number", [f"{row.first_runs}/{row.second_runs}" for row in rows]),
        Column("difference", "number", [signed(row.difference) for row in rows]),
        Column("±", "number", [f"{row.identical:.{_DIGITS}f}" for row in rows]),
        Column("query/run/both", "number", ["/".join(cells) + " %" for cells in zip(*_shares(rows), strict=True)]),
        Column("verdict", "number", [row.verdict for row in rows]),
    )
    labels = (f"{name} by {row.measure}" for name, row in zip(names, rows, strict=True))
    notes = _below_zero([(label, row.negative) for label, row in zip(labels, rows, strict=True)])
    legend = (_OF_DIFFERENCES.format(100 * level),)
    yield Sheet(columns, tuple(notes), title="differences beside those of identical runs", legend=legend)


def _shares(rows: Sequence[RepeatedSystem] | Sequence[RepeatedDifference]) -> list[list[str]]:
    """Return the share of each source in the variance of each row, in percent, by source."""
    parts = np.array([(row.query, row.run, row.both) for row in rows])  # [N, 3]
    totals = parts.sum(axis=1, keepdims=True)
    shares = np.divide(parts, totals, out=np.full(parts.shape, np.nan), where=totals > 0)
    return [[*map(_percent, column)] for column in shares.T.tolist()]


def _below_zero(sources: Sequence[tuple[str, Sequence[str]]]) -> Iterator[str]:
    """Say which estimates were below 0."""
    for name in ("query", "run"):
        if where := [label for label, negative in sources if name in negative]:
            yield f"{name} counts as 0 where its estimate is below 0: {quoted(where)}"


def effect_needs(table: "ScoreTable", rows: Sequence["Difference"], effect: float, level: float) -> Iterator[str]:
    """Say how many runs or queries a difference needs, by measure, where runs are known to vary."""
    for row in rows:
        over_runs = table.run_difference(row.measure, row.first, row.second)
        if over_runs is None:
            continue
        size, alpha = row.queries, 1 - level
        runs_now = min(table.runs_of(name) for name in (row.first, row.second))
        runs = over_runs.design.runs_needed(effect, size, alpha=alpha)
        queries = over_runs.design.queries_needed(effect, runs_now, alpha=alpha)
        each, all_queries = counted(runs_now, "run", "runs"), counted(size)
        with_runs = f"{runs:,.0f} runs of each system with {all_queries}"
        with_queries = f"{queries:,.0f} queries with {each} of each"
        possible = [text for text, number in ((with_runs, runs), (with_queries, queries)) if number < math.inf]
        needs = " or ".join(possible) or "more of both: more queries or more runs alone will not do"
        yield f"{row.second} - {row.first} by {row.measure}: a difference of {effect:g} needs {needs}"


def _percent(share: float) -> str:
    """Format a share in percent: `14`, `0.3`, `<0.1`, `n/a`."""
    percent = 100 * share
    if math.isnan(share):
        return "n/a"
    if 0 < percent < 0.1:  # noqa: PLR2004 - less needs no digits
        return "<0.1"
    return f"{percent:.1f}" if 0 < percent < 10 else f"{percent:.0f}"  # noqa: PLR2004 - two digits say enough
