"""Whether gates hold, for a comparison or for the means of one evaluation."""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from rankworth.errors import KEEP, InputError, UsageError, quoted
from rankworth.gates.rules import Gate, When

if TYPE_CHECKING:
    from rankworth.comparison import Comparison, Difference

_SLACK: Final = 1e-12
"""by how much a drop may exceed its limit through rounding"""
_WORST: Final = 3
"""how many of the queries that lose most are told"""
_DIGITS: Final = 4
_MOST: Final = 12
"""decimals of numbers, and how many there are at most"""


@dataclass(frozen=True)
class Verdict:
    """Whether a gate holds for a system.

    Attributes:
        gate: what was asked for.
        system: the system.
        passed: whether it holds.
        before: the mean of the baseline; None for a floor.
        now: the mean of the system.
        reason: why it passes or fails: `drop 0.0141 > 0.0100`.
        group: the group of queries; empty for all of them.
        interval: of the difference; None where there is none.
        level: of the interval.
        worst: the queries that lose most, with their differences.

    """

    gate: Gate
    system: str
    passed: bool
    before: float | None
    now: float
    reason: str
    group: str = ""
    interval: tuple[float, float] | None = None
    level: float = 0.95
    worst: tuple[tuple[str, float], ...] = ()

    @property
    def values(self) -> str:
        """The means: `0.4147 -> 0.4044`, `0.4044`."""
        return " -> ".join(_shown(value) for value in (self.before, self.now) if value is not None)


def against(
    told: "Comparison", gates: Sequence[Gate], when: When = "mean", systems: Collection[str] | None = None
) -> list[Verdict]:
    """Gates of a comparison with a baseline.

    Args:
        told: the comparison.
        gates: what is asked for.
        when: whether the drop of the `mean` counts, only if it is also `significant`, or that of `any` query.
        systems: which of them are judged; all but the baseline where not said.

    Raises:
        UsageError: `not-measured` for a measure or a column that was not compared; `conflicting-options`.
        InputError: `changed-queries` where systems have values for other queries than the baseline.

    """
    if not gates:
        return []
    if not told.baseline and any(gate.kind != "fail-under" for gate in gates):
        raise UsageError("conflicting-options", "gates on drops take a baseline, and all pairs are compared")
    judged = [name for name in told.systems if name != told.baseline and (systems is None or name in systems)]
    measures = told.board.canonical
    gates = [_known(gate, measures) for gate in gates]
    _refuse_other_queries(told)
    means = {name: told.means[name] for name in judged}
    groups = {column: {name: parts[name] for name in judged} for column, parts in told.group_means.items()}
    found: list[Verdict] = []
    for gate in gates:
        if gate.kind == "fail-under":
            found += floors([gate], means, groups, measures)
        else:
            found += [_judged(told, gate, one, when) for one in _rows(told, gate) if one.second in judged]
    return found


def _known(gate: Gate, measures: Mapping[str, str]) -> Gate:
    """The gate with the name that its measure was measured under.

    Raises:
        UsageError: `not-measured`.

    """
    label = gate.among(measures)
    if not label:
        text = f"{gate}: {gate.measure} is not there; there are {quoted(measures)}"
        raise UsageError("not-measured", text, remedy=f"-m {gate.measure} measures it")
    return replace(gate, measure=label)


def _refuse_other_queries(told: "Comparison") -> None:
    """A system that has values for other queries than the baseline must neither pass nor fail for that.

    Raises:
        InputError: `changed-queries`.

    """
    if told.uneven:
        counts = ", ".join(f"{name} {count:,}" for name, count in told.uneven.items())
        raise InputError(
            "changed-queries",
            f"the systems have values for different queries: {counts}; a gate over what is left would say little",
            remedy="measure the same queries; those without results count as empty rankings (missing=zero)\n"
            f"or, where queries were judged since, keep the baseline again:\n  {KEEP} FILE\n"
            "or leave these queries out: --accept-new-qrels (accept_new_qrels=True)",
        )


def _rows(told: "Comparison", gate: Gate) -> "Sequence[Difference]":
    """The differences that a gate is about.

    Raises:
        UsageError: `not-measured`.

    """
    rows = told.slices.get(gate.column, ()) if gate.column else told.differences
    _refuse_group(gate, {gate.column: [one.group for one in rows]} if gate.column and rows else {})
    return [one for one in rows if one.measure == gate.measure and gate.group in ("", one.group)]


def _refuse_group(gate: Gate, groups: Mapping[str, Collection[str]]) -> None:
    """Find a column or a group that is not there.

    Raises:
        UsageError: `not-measured`.

    """
    if not gate.column:
        return
    if gate.column not in groups:
        text = f"{gate}: nothing is told by {gate.column}"
        raise UsageError("not-measured", text, remedy=f"--queries FILE --by {gate.column}")
    if gate.group and gate.group not in groups[gate.column]:
        there = quoted(dict.fromkeys(groups[gate.column]))
        raise UsageError("not-measured", f"{gate}: {gate.column} has no {gate.group}; it has {there}")


def _judged(told: "Comparison", gate: Gate, one: "Difference", when: When) -> Verdict:
    """One gate for one difference."""
    sign = 1.0 if told.board.better[gate.measure] == "higher" else -1.0
    inside = told.queries_of(gate.column, one.group) if gate.column else None
    rows = told.queries(gate.measure, one.second, one.first)
    losing = [row for row in rows.worst(len(rows)) if inside is None or row.query in inside]
    low, high = sorted((sign * one.low, sign * one.high)) if not math.isnan(one.low) else (math.nan, math.nan)
    found = _Found(
        drop=-sign * one.difference,
        word="drop" if sign > 0 else "rise",
        base=abs(one.first_mean),
        low=low,
        high=high,
        level=f"{100 * told.plan.level:g} %",
        losing=[(str(row.query), row.difference) for row in losing],
    )
    passed, reason = found.noninferior(gate) if gate.kind == "noninferior" else found.dropped(gate, when)
    return Verdict(
        gate,
        one.second,
        passed,
        one.first_mean,
        one.second_mean,
        reason,
        one.group,
        None if math.isnan(one.low) else (one.low, one.high),
        told.plan.level,
        tuple(found.losing[:_WORST]),
    )


@dataclass(frozen=True)
class _Found:
    """What gates ask of a difference; `low` and `high` bound it with better above 0, whatever the measure."""

    drop: float
    word: str
    base: float
    low: float
    high: float
    level: str
    losing: Sequence[tuple[str, float]]
    """the queries that lose something, with their differences, worst first"""

    def dropped(self, gate: Gate, when: When) -> tuple[bool, str]:
        """Whether it drops by no more than the limit, and why."""
        limit = gate.limit * self.base if gate.percent else gate.limit
        if math.isnan(self.drop):
            return False, "there is no value to compare"
        if when == "any":
            return self._single(gate, limit)
        share = 1.0 / self.base if gate.percent and self.base else 1.0
        far = self.drop > limit + _SLACK
        reason = self._told(self.drop * share, limit * share, percent=gate.percent and self.base > 0, over=far)
        if when == "mean" or not far:
            return not far, reason
        if math.isnan(self.high):
            return False, f"{reason}, and there is no interval to tell whether that is chance"
        sure = self.high < 0
        return not sure, f"{reason}, {'and' if sure else 'but'} the {self.level} interval " + (
            "excludes 0" if sure else "includes 0"
        )

    def _single(self, gate: Gate, limit: float) -> tuple[bool, str]:
        """The same for single queries."""
        over = [(query, difference) for query, difference in self.losing if abs(difference) > limit + _SLACK]
        most = f"{_shown(limit)}{f' ({100 * gate.limit:.12g} %)' if gate.percent else ''}"
        if not over:
            return True, f"no query {self.word}s by more than {most}"
        queries = f"{len(over):,} queries {self.word}" if len(over) > 1 else f"1 query {self.word}s"
        named = ", ".join(f"{query} {difference:+.4f}" for query, difference in over[:_WORST])
        return False, f"{queries} by more than {most}: {named}{', ...' if over[_WORST:] else ''}"

    def noninferior(self, gate: Gate) -> tuple[bool, str]:
        """Whether the interval excludes a worse drop, and why."""
        if math.isnan(self.low):
            return False, "there is no interval, so nothing is excluded"
        within = -self.low <= gate.limit + _SLACK
        one, other = _apart(max(0.0, -self.low), gate.limit)
        return within, f"{self.word} of up to {one} {'<=' if within else '>'} {other} ({self.level} interval)"

    def _told(self, drop: float, limit: float, *, percent: bool, over: bool) -> str:
        """`drop 0.0141 > 0.0100`, `gains 0.1555`."""
        if not over and abs(drop) < _SLACK:
            return "no change"
        if drop < 0:
            better = "gains" if self.word == "drop" else "falls by"
            return f"{better} {_percent(-drop) if percent else _shown(-drop)}"
        if percent:
            one, other = _apart(100 * drop, 100 * limit, digits=2)
            return f"{self.word} {one} % {'>' if over else '<='} {other} %"
        one, other = _apart(drop, limit)
        return f"{self.word} {one} {'>' if over else '<='} {other}"


def floors(
    gates: Sequence[Gate],
    means: Mapping[str, Mapping[str, float]],
    groups: Mapping[str, Mapping[str, Mapping[str, Mapping[str, float]]]],
    measures: Mapping[str, str],
) -> list[Verdict]:
    """Floors of an evaluation.

    Args:
        gates: what is asked for.
        means: `{run: {measure: mean}}`.
        groups: `{column: {run: {group: {measure: mean}}}}`.
        measures: the canonical names of the measures, by their names there.

    Raises:
        UsageError: `not-measured`.

    """
    return [verdict for gate in gates for verdict in _floors(_known(gate, measures), means, groups)]


def _floors(
    gate: Gate,
    means: Mapping[str, Mapping[str, float]],
    groups: Mapping[str, Mapping[str, Mapping[str, Mapping[str, float]]]],
) -> Iterator[Verdict]:
    for run, mean in means.items():
        _refuse_group(gate, {column: list(parts[run]) for column, parts in groups.items()})
        parts = groups[gate.column][run] if gate.column else {"": mean}
        for group, values in parts.items():
            if gate.group in ("", group):
                yield _floor(gate, run, group, values[gate.measure])


def _floor(gate: Gate, run: str, group: str, value: float) -> Verdict:
    passed = value >= gate.limit - _SLACK
    one, other = _apart(value, gate.limit)
    reason = f"{one} {'>=' if passed else '<'} {other}" if not math.isnan(value) else "there is no value"
    return Verdict(gate, run, passed, None, value, reason, group)


def _shown(value: float) -> str:
    """A number with four decimals, and more where it would be 0 otherwise."""
    if math.isnan(value):
        return "n/a"
    text = f"{value:z.{_DIGITS}f}"
    return text if float(text) or not value else f"{value:.1e}"


def _percent(share: float) -> str:
    return f"{100 * share:.2f} %"


def _apart(one: float, limit: float, digits: int = _DIGITS) -> tuple[str, str]:
    """A number and its limit with as many decimals as tell them apart, and a limit from 0, but for rounding."""
    texts = f"{one:z.{digits}f}", f"{limit:z.{digits}f}"
    alike = texts[0] == texts[1] and abs(one - limit) > _SLACK
    if digits < _MOST and (alike or (limit and not float(texts[1]))):
        return _apart(one, limit, digits + 1)
    return texts
