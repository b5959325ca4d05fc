"""Gates: whether a run passes limits on means, intervals or single queries, and the messages about that.

A gate is typed as `nDCG@10=0.01`, `R@100=2%`, `language:nDCG@10=0.02` or `language=ar:AP=0.3`.
"""

import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Literal, get_args
from xml.etree import ElementTree as ET  # only written, never read

from rankworth import names
from rankworth.comparison.score_table import value_range
from rankworth.errors import KEEP, InputError, MeasureError, UsageError, counted, quoted
from rankworth.tables import analysis
from rankworth.tables.columns import Column, Sheet, by_name
from rankworth.tables.data import annotation
from rankworth.tables.look import visible
from rankworth.tables.text import cell_width

if TYPE_CHECKING:
    from rankworth.comparison.differences import Difference
    from rankworth.comparison.identical_runs import GateNoise
    from rankworth.comparison.result import Comparison


Kind = Literal["max-drop", "noninferior", "fail-under", "no-leak"]
When = Literal["mean", "significant", "any"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)[:-1]
"""the gates on values"""
STALE: Final = "stale-baseline"
"""the slug of the note that a baseline has fallen behind"""
Means = tuple[str, str, str, Mapping[str, float]]
"""a system, a column and a group of queries, both empty for all queries, and the mean of each measure"""
_LIMITS: Final[Mapping[Kind, tuple[str, str]]] = {
    "max-drop": ("a number from 0 on, or a share of the baseline's mean", "nDCG@10=0.01 R@100=2%"),
    "noninferior": ("a number from 0 on", "nDCG@10=0.01"),
    "fail-under": ("a finite number", "nDCG@10=0.45"),
}
"""what limits are, with an example"""
_GATE: Final = re.compile(
    r"(?:\s*(?P<column>[^\s=][^=]*?)\s*(?:=\s*(?P<group>\S.*?)\s*)?:)?"  # to the last colon outside parentheses
    r"\s*(?P<measure>(?=\S)(?:[^():]|\((?:[^()]|\([^()]*\))*\))+?)\s*"
    r"=(?P<limit>[^=%]*)(?P<percent>%?)\s*",
    re.DOTALL,
)
_SLACK: Final = 1e-12
"""by how much a drop may exceed its limit through rounding"""
_WORST: Final = 3
"""how many of the queries that lose most are named"""
_DIGITS: Final = 4
_MOST: Final = 12
"""decimals of numbers, and how many there are at most"""


@dataclass(frozen=True)
class Gate:
    """One condition.

    Attributes:
        kind: the mean may not drop by more (`max-drop`), the interval has to exclude a worse drop (`noninferior`), the
            mean has to be as large (`fail-under`), nothing forbidden may be returned (`no-leak`).
        measure: in any of its spellings; of `no-leak` the file.
        limit: the drop, the margin or the floor.
        percent: whether a drop is a share of the baseline's mean.
        column: the column of the queries each of whose groups has to hold it; empty for all queries.
        group: one group of them; empty for every one.

    """

    kind: Kind
    measure: str
    limit: float
    percent: bool = False
    column: str = ""
    group: str = ""

    @classmethod
    def of(cls, kind: Kind, text: str, where: str = "") -> "Gate":
        """Read a gate.

        Args:
            kind: what it is.
            text: `MEASURE=LIMIT`, behind `COLUMN:` or `COLUMN=GROUP:` where it is about groups of queries.
            where: where it stands; the option where not said.

        Raises:
            UsageError: `bad-gate`.

        >>> Gate.of("max-drop", "R@100=2%")
        Gate(kind='max-drop', measure='R@100', limit=0.02, percent=True, column='', group='')
        >>> Gate.of("fail-under", "language=ar:P(rel=2)@5=0.3").measure
        'P(rel=2)@5'
        """
        if match := _GATE.fullmatch(text):
            with suppress(ValueError):
                limit, is_share = float(match["limit"]), bool(match["percent"])
                limit = limit / 100 if is_share else limit
                is_allowed = kind == "max-drop" if is_share else True
                if is_allowed and math.isfinite(limit) and (limit >= 0 or kind == "fail-under"):
                    return cls(kind, match["measure"], limit, is_share, match["column"] or "", match["group"] or "")
        expected, example = _LIMITS[kind]
        fact = f"{where or f'--{kind}'} {text}: a gate is MEASURE=LIMIT, and here the limit is {expected}"
        raise UsageError("bad-gate", fact, remedy=f"as in --{kind} {example}")

    def __str__(self) -> str:
        """Format the gate as it is typed."""
        if self.kind == "no-leak":
            return self.measure
        ahead = f"{self.column}{f'={self.group}' if self.group else ''}:" if self.column else ""
        limit = f"{100 * self.limit:.12g}%" if self.percent else f"{self.limit:.12g}"
        return f"{ahead}{self.measure}={limit}"

    def among(self, measures: Mapping[str, str]) -> str:
        """Return the measured name of its measure, found by any of its names, or an empty text.

        Args:
            measures: the canonical names of the measures by the names that results have for them.

        >>> Gate("max-drop", "ndcg_cut_10", 0.01).among({"MAP": "AP", "NDCG@10": "nDCG@10"})
        'NDCG@10'
        """
        with suppress(MeasureError):
            column = names.column_of(self.measure, list(measures), list(measures.values()))
            return "" if column is None else list(measures)[column]
        return ""

    def resolved(self, measures: Mapping[str, str], groups: Collection[tuple[str, str]]) -> "Gate":
        """Return the gate with the name that its measure was measured under.

        Args:
            measures: the canonical names of the measures, by their names.
            groups: columns of queries with their groups.

        Raises:
            UsageError: `not-measured` for a measure, a column or a group that is not there.

        """
        label, group_names = (
            self.among(measures),
            dict.fromkeys(group for column, group in groups if column == self.column),
        )
        present = quoted(measures)
        text, remedy = f"{self.column} has no {self.group}; it has {quoted(group_names)}", ""
        if not label:
            text, remedy = f"{self.measure} is not there; there are {present}", f"-m {self.measure} measures it"
        elif self.column and not group_names:
            text, remedy = f"nothing is told by {self.column}", f"--queries FILE --by {self.column}"
        elif self.group in ("", *group_names):
            return replace(self, measure=label)
        raise UsageError("not-measured", f"{self}: {text}", remedy=remedy)


def read(kind: Kind, limits: Iterable[str] | Mapping[str, Any], where: str = "") -> list[Gate]:
    """Read several gates of one kind, as they are typed or as `pyproject.toml` has them.

    Args:
        kind: of all of them.
        limits: texts, or `{"nDCG@10": 0.01, "R@100": "2%"}`.
        where: where they stand; the option where not said.

    Raises:
        UsageError: `bad-gate`.

    """
    texts = [f"{name}={limit}" for name, limit in limits.items()] if isinstance(limits, Mapping) else limits
    return [Gate.of(kind, text, where) for text in texts]


@dataclass(frozen=True)
class Verdict:
    """Whether a gate holds for a system.

    Attributes:
        gate: the condition.
        system: the system.
        passed: whether it holds.
        before: the mean of the baseline; None for a floor.
        now: the mean of the system.
        reason: why it passes or fails: `drop 0.0141 > 0.0100`.
        group: the group of queries; empty for all of them.
        interval: of the difference; None where there is none.
        level: of the interval.
        worst: the queries that lose most, with their differences.
        headroom: the loss that can pass because a stored baseline is worse by more than the limit; None elsewhere.
        renewal: the command that keeps the values of the system as the baseline; empty where that is not stored.
        noise: the gate beside what identical runs do; None where no runs were repeated.

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
    headroom: float | None = None
    renewal: str = ""
    noise: "GateNoise | None" = None

    @property
    def word(self) -> str:
        """What reports say first."""
        return "ok" if self.passed else "FAIL"

    @property
    def values(self) -> str:
        """The means: `0.4147 -> 0.4044`, `0.4044`; of leaks none."""
        if self.gate.kind == "no-leak":
            return ""
        return " -> ".join(_shown(value) for value in (self.before, self.now) if value is not None)

    @property
    def subject(self) -> str:
        """The measure, and the group of queries."""
        if self.gate.kind == "no-leak":
            return f"no-leak {self.gate.measure}"
        return f"{self.gate.column}={self.group}:{self.gate.measure}" if self.gate.column else self.gate.measure

    @property
    def title(self) -> str:
        """The gate as it is typed, and the group of queries where it is about all groups."""
        group = f" ({self.group})" if self.gate.column and not self.gate.group else ""
        return f"{self.gate.kind} {self.gate}{group}"

    @property
    def losses(self) -> str:
        """The queries that lose most: `q4 -0.5000, q6 -0.2500`."""
        return ", ".join(f"{query} {difference:+.4f}" for query, difference in self.worst)

    @property
    def because(self) -> str:
        """The values and the reason, or a reason that begins with the value, and the largest losses."""
        reason = self.reason if self.reason.startswith(self.values) else f"{self.values}, {self.reason}"
        return f"{reason}\nlargest losses: {self.losses}" if self.worst and not self.passed else reason

    @property
    def behind(self) -> str:
        """That the baseline is so much worse that a loss can pass; empty elsewhere."""
        if self.headroom is None or self.before is None:
            return ""
        side, loss = ("below", "loss") if self.now > self.before else ("above", "rise")
        fact = f"the baseline is {_shown(abs(self.now - self.before))} {side} {self.system} by {self.subject}"
        return f"{fact}: renew it, or a {loss} of {_shown(self.headroom)} can pass"

    @property
    def note(self) -> str:
        """That a loss can pass, with the slug of the note and the command that renews the baseline; empty elsewhere."""
        return self.behind and f"{self.behind}   [{STALE}]\n  {self.renewal}"


def against(
    comparison: "Comparison",
    gates: Sequence[Gate],
    when: When = "mean",
    systems: Collection[str] | None = None,
    *,
    is_stored: bool = False,
) -> list[Verdict]:
    """Decide gates by a comparison with a baseline.

    Args:
        comparison: the values of the systems and their differences.
        gates: the conditions.
        when: whether the drop of the `mean` counts, only if it is also `significant`, or that of `any` query.
        systems: which of them are judged; all but the baseline where not said.
        is_stored: whether the values of the baseline were stored, and may have fallen behind.

    Raises:
        UsageError: `not-measured` for a measure or a column that was not compared; `conflicting-options`.
        InputError: `changed-queries` where systems have values for other queries than the baseline.

    """
    baseline, canonical = comparison.baseline, comparison.scores.canonical
    if not baseline and any(gate.kind != "fail-under" for gate in gates):
        raise UsageError("conflicting-options", "gates on drops take a baseline, and all pairs are compared")
    if gates and comparison.uneven:  # then a system must neither pass nor fail for the queries that it has
        counts = ", ".join(f"{name} {count:,}" for name, count in comparison.uneven.items())
        raise InputError(
            "changed-queries",
            f"the systems have values for different queries: {counts}; a gate over what is left would say little",
            remedy="measure the same queries; those without results count as empty rankings (missing=zero)\n"
            f"or, where queries were judged since, keep the baseline again:\n  {KEEP} FILE\n"
            "or leave these queries out: --accept-new-qrels (accept_new_qrels=True)",
        )
    judged = [name for name in comparison.systems if name != baseline and (systems is None or name in systems)]
    means: list[Means] = [(name, "", "", comparison.means[name]) for name in judged]
    for column, by_system in comparison.group_means.items():
        means += [(name, column, group, row) for name in judged for group, row in by_system[name].items()]
    verdicts: list[Verdict] = []
    for gate in gates:
        _refuse_whole(comparison, gate, when)
        if gate.kind == "fail-under":
            verdicts += floors([gate], means, canonical)
            continue
        rows = comparison.slices.get(gate.column, ()) if gate.column else comparison.differences
        resolved = gate.resolved(canonical, [(gate.column, row.group) for row in rows])
        differences = [row for row in rows if row.measure == resolved.measure and gate.group in ("", row.group)]
        verdicts += [_verdict(comparison, resolved, row, when) for row in differences if row.second in judged]
    failing = {verdict.system for verdict in verdicts if not verdict.passed}  # whose values are no baseline
    verdicts = [
        replace(verdict, headroom=_headroom(comparison, verdict, when))
        if is_stored and verdict.system not in failing
        else verdict
        for verdict in verdicts
    ]
    is_known = baseline and comparison.repeated
    return [_beside_noise(comparison, verdict, when) for verdict in verdicts] if is_known else verdicts


def _headroom(comparison: "Comparison", verdict: Verdict, when: When) -> float | None:
    """Return the loss that can pass because the baseline is worse by more than the limit; None if it is not.

    A run as good as the baseline passes each gate on drops; one that is worse by the limit passes where means decide.
    """
    gate, measures = verdict.gate, comparison.scores
    if verdict.before is None:
        return None
    is_higher_better = measures.better[gate.measure] == "higher"
    gain = verdict.now - verdict.before if is_higher_better else verdict.before - verdict.now
    limit = gate.limit * abs(verdict.before) if gate.percent else gate.limit
    if not gain > limit + _SLACK:
        return None
    if gate.kind != "max-drop" or when == "any":
        return gain
    low, high = value_range(measures.canonical[gate.measure])
    return min(gain + limit, verdict.now - low if is_higher_better else high - verdict.now)


def _beside_noise(comparison: "Comparison", verdict: Verdict, when: When) -> Verdict:
    """Hold a verdict against what identical runs do, and say so in its reason."""
    from rankworth.comparison.identical_runs import gate_noise  # noqa: PLC0415 - SciPy, and only for repeated runs

    gate, column = verdict.gate, verdict.gate.column
    rows = comparison.slices[column] if column else comparison.differences
    names = (gate.measure, comparison.baseline, verdict.system, verdict.group)
    row = next(row for row in rows if (row.measure, row.first, row.second, row.group) == names)
    table = comparison.scores.parts()[column][verdict.group] if column else comparison.scores
    noise = gate_noise(table, row, gate, when, comparison.plan)
    return replace(verdict, noise=noise, reason="; ".join(filter(None, (verdict.reason, str(noise or "")))))


def _refuse_whole(comparison: "Comparison", gate: Gate, when: When) -> None:
    """Refuse gates on queries or groups by a measure of all queries together.

    Raises:
        UsageError: `conflicting-options`.

    """
    if gate.column:
        comparison.scores.require_queries(gate.measure, f"{gate} is about groups", "write it without group")
    if when == "any" and gate.kind == "max-drop":
        comparison.scores.require_queries(gate.measure, "no query drops", "decide by the mean instead")


def floors(gates: Sequence[Gate], rows: Sequence[Means], measures: Mapping[str, str]) -> list[Verdict]:
    """Decide gates by means alone.

    Args:
        gates: the conditions.
        rows: the means of each system, and of each group of its queries.
        measures: the canonical names of the measures, by their names there.

    Raises:
        UsageError: `not-measured`.

    """
    verdicts = []
    for gate in (gate.resolved(measures, [(column, group) for _, column, group, _ in rows]) for gate in gates):
        for system, column, group, means in rows:
            if column == gate.column and gate.group in ("", group):
                value = means[gate.measure]
                passed = value >= gate.limit - _SLACK
                reason = (
                    "there is no value" if math.isnan(value) else _against(value, ">=" if passed else "<", gate.limit)
                )
                verdicts.append(Verdict(gate, system, passed, None, value, reason, group))
    return verdicts


def _verdict(comparison: "Comparison", gate: Gate, row: "Difference", when: When) -> Verdict:
    """Decide one gate for one difference; drops are above 0, whichever end of the scale is better."""
    sign = 1.0 if comparison.scores.better[gate.measure] == "higher" else -1.0
    word, level = "drop" if sign > 0 else "rise", f"{100 * comparison.plan.level:g} % interval"
    bounds = (row.low, row.high) if math.isfinite(row.low) else None
    least, most = sorted((-sign * row.low, -sign * row.high))  # infinite ends include 0, and exclude no drop
    inside = comparison.queries_of(gate.column, row.group) if gate.column else None
    queries = comparison.queries(gate.measure, row.second, row.first)
    worst = [each for each in queries.worst(len(queries)) if inside is None or each.query in inside]
    losing = [(str(each.query), each.difference) for each in worst]
    base = abs(row.first_mean)
    if gate.kind == "noninferior":
        passed, reason = most <= gate.limit + _SLACK, "there is no interval, so nothing is excluded"
        if math.isinf(most):
            reason = f"the queries are too few to exclude any {word}"
        elif bounds:
            reason = f"{word} of up to {_against(max(0.0, most), '<=' if passed else '>', gate.limit)} ({level})"
    elif math.isnan(row.difference):
        passed, reason = False, "there is no value to compare"
    elif when == "any":
        passed, reason = _no_query_drops(gate, base, losing, word)
    else:
        passed, reason = _mean_drops(gate, base, -sign * row.difference, word)
        if when == "significant" and not passed:
            passed = least <= 0
            tail = f"{'but' if passed else 'and'} the {level} {'includes' if passed else 'excludes'} 0"
            is_undefined = math.isnan(row.low)
            reason = f"{reason}, {'and there is no interval to tell whether that is chance' if is_undefined else tail}"
    means, named = (row.first_mean, row.second_mean), tuple(losing[:_WORST])
    return Verdict(gate, row.second, passed, *means, reason, row.group, bounds, comparison.plan.level, named)


def _no_query_drops(gate: Gate, base: float, losing: Sequence[tuple[str, float]], word: str) -> tuple[bool, str]:
    """Return whether no query drops by more than the limit, and why."""
    limit = gate.limit * base if gate.percent else gate.limit
    over = [f"{query} {difference:+.4f}" for query, difference in losing if abs(difference) > limit + _SLACK]
    most = f"{_shown(limit)}{f' ({100 * gate.limit:.12g} %)' if gate.percent else ''}"
    if not over:
        return True, f"no query {word}s by more than {most}"
    verb = f"{word}s" if len(over) == 1 else word
    named = [*over[:_WORST], *["..."] * (len(over) > _WORST)]
    return False, f"{counted(len(over))} {verb} by more than {most}: {', '.join(named)}"


def _mean_drops(gate: Gate, base: float, drop: float, word: str) -> tuple[bool, str]:
    """Return whether the mean drops by no more than the limit, and why: `drop 0.0141 > 0.0100`, `gains 0.1555`."""
    limit = gate.limit * base if gate.percent else gate.limit
    passed = drop <= limit + _SLACK
    if passed and abs(drop) < _SLACK:
        return True, "no change"
    scale, digits, unit = (100 / base, 2, " %") if gate.percent and base > 0 else (1.0, _DIGITS, "")
    if drop < 0:
        return passed, f"{'gains' if word == 'drop' else 'falls by'} {_shown(-scale * drop, digits)}{unit}"
    return passed, f"{word} {_against(scale * drop, '<=' if passed else '>', scale * limit, digits, unit)}"


def _shown(value: float, digits: int = _DIGITS) -> str:
    """Format a number with four decimals, and with more where it would be 0 otherwise."""
    if math.isnan(value):
        return "n/a"
    text = f"{value:z.{digits}f}"
    return text if float(text) or not value else f"{value:.1e}"


def _against(value: float, relation: str, limit: float, digits: int = _DIGITS, unit: str = "") -> str:
    """Format a number and its limit with as many decimals as tell them apart, and a limit from 0, but for rounding."""
    texts = f"{value:z.{digits}f}", f"{limit:z.{digits}f}"
    look_equal = texts[0] == texts[1] and abs(value - limit) > _SLACK
    if digits < _MOST and (look_equal or (limit and not float(texts[1]))):
        return _against(value, relation, limit, digits + 1, unit)
    return f"{texts[0]}{unit} {relation} {texts[1]}{unit}"


def lines(verdicts: Sequence[Verdict]) -> list[str]:
    """Write a line for each verdict: whether it holds, for what, and why; in columns."""
    rows = [[*map(visible, (line.word, line.subject, line.system, line.values, line.reason))] for line in verdicts]
    widths = [max(map(cell_width, column)) for column in zip(*rows, strict=True)]
    padded = (
        [cell + " " * (width - cell_width(cell)) for cell, width in zip(row, widths, strict=True)] for row in rows
    )
    return ["  ".join(cells).rstrip() for cells in padded]


def headline(verdicts: Sequence[Verdict]) -> str:
    """Say how many gates hold or fail."""
    failed, count = sum(not verdict.passed for verdict in verdicts), len(verdicts)
    if count == 1:
        return "the gate fails" if failed else "the gate holds"
    return f"{failed} of {count} gates {'fails' if failed == 1 else 'fail'}" if failed else f"all {count} gates hold"


def sheet(verdicts: Sequence[Verdict], notes: Sequence[str] = ()) -> Sheet:
    """Make a table with a row for each verdict, and the notes below."""
    rows = [(verdict.word, verdict.title, verdict.system, verdict.values, verdict.reason) for verdict in verdicts]
    columns = by_name(("", "gate", "system", "values", "because"), rows)
    texts = tuple(Column(name, "text", cells) for name, cells in columns.items())
    return Sheet(texts, tuple(notes), title=headline(verdicts))


def annotations(verdicts: Sequence[Verdict]) -> str:
    """Write commands that GitHub turns into annotations of a run.

    They are errors for what fails, warnings for what holds by a baseline that has fallen behind, and else notices.
    """
    texts = []
    for verdict in verdicts:
        title = f"{verdict.gate.kind} {verdict.subject.removeprefix('no-leak ')} of {verdict.system}"
        text = "\n".join(filter(None, (f"{verdict.word}: {verdict.because}", verdict.note)))
        kind = "warning" if verdict.note else "notice" if verdict.passed else "error"
        texts.append(annotation(kind, text, title=title))
    return "".join(texts)


def junit(verdicts: Sequence[Verdict], name: str = "rankworth") -> bytes:
    """Write a test suite in the form of JUnit, a case for each gate."""
    failures = sum(not verdict.passed for verdict in verdicts)
    counts = {"tests": str(len(verdicts)), "failures": str(failures), "errors": "0"}
    suites = ET.Element("testsuites", counts)
    suite = ET.SubElement(suites, "testsuite", {"name": name, **counts})
    for verdict in verdicts:
        about = {"classname": f"{name}.{visible(verdict.system)}", "name": visible(verdict.title)}
        case = ET.SubElement(suite, "testcase", about)
        if not verdict.passed:
            failure = ET.SubElement(case, "failure", {"message": visible(verdict.reason)})
            failure.text = "\n".join(map(visible, verdict.because.split("\n")))
        if verdict.note:
            ET.SubElement(case, "system-out").text = "\n".join(map(visible, verdict.note.split("\n")))
    ET.indent(suites)
    text: bytes = ET.tostring(suites, encoding="utf-8", xml_declaration=True)
    return text + b"\n"


def record(verdict: Verdict) -> dict[str, Any]:
    """Return a verdict as JSON holds it."""
    gate, bounds = verdict.gate, verdict.interval
    fields: dict[str, Any] = {name: getattr(gate, name) for name in ("measure", "limit", "percent", "column")}
    fields |= {name: getattr(verdict, name) for name in ("group", "system", "passed", "before", "now", "reason")}
    fields |= {} if verdict.noise is None else {"noise": verdict.noise}
    interval = None if bounds is None else {"low": bounds[0], "high": bounds[1], "level": verdict.level}
    worst = [{"query": query, "difference": difference} for query, difference in verdict.worst]
    fields |= {"interval": interval, "worst": worst}
    fields |= {name: getattr(verdict, name) for name in ("headroom", "note", "renewal")}
    plain: dict[str, Any] = analysis.record({"gate": gate.kind, **fields})
    return plain


def advice(
    verdicts: Sequence[Verdict], files: Mapping[str, str], options: Mapping[str, Sequence[str]], baseline: str = ""
) -> list[str]:
    """For the first gate that each system fails, list the losses and the commands to see them.

    Args:
        verdicts: what was decided.
        files: judgements (under no name) and runs by name, as they can be given to other commands.
        options: options of `explain`, by measure.
        baseline: the name of the baseline.

    """
    from rankworth.comparison.result import explaining  # noqa: PLC0415 - SciPy, and not before it is needed

    first: dict[str, Verdict] = {}
    for verdict in verdicts:
        if not verdict.passed and verdict.gate.kind != "no-leak":
            first.setdefault(verdict.system, verdict)
    texts = []
    for system, verdict in first.items():
        measure, runs, words = verdict.gate.measure, [system], ["--worst", "3"]
        if verdict.worst:
            texts.append(visible(f"largest losses of {system} by {measure}: {verdict.losses}"))
            runs, words = [baseline, system], [verdict.worst[0][0]]
        elif "--only" in options.get(measure, ()):
            words = []
        texts += explaining(files, runs, words, measure, options)
    return texts


def renewing(verdicts: Sequence[Verdict]) -> list[str]:
    """List the commands that renew a stored baseline: if a loss is meant, and where it has fallen behind."""
    lost = [verdict.renewal for verdict in verdicts if not verdict.passed and verdict.before is not None]
    texts = [f"  {command}" for command in filter(None, lost)]
    if texts:
        texts.insert(0, "if the loss is meant, keep the new values as the baseline:")
    for system in dict.fromkeys(verdict.system for verdict in verdicts):
        notes = [verdict.note.split("\n") for verdict in verdicts if verdict.system == system and verdict.note]
        texts += [*(sentence for sentence, *_ in notes), *(line for _, *lines in notes for line in lines)]
    return [visible(text) for text in dict.fromkeys(texts)]
