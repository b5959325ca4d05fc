"""Gates: whether a change may ship, by what it does to means, intervals or single queries, and what to say about it.

A gate is typed as `nDCG@10=0.01`, `R@100=2%`, `language:nDCG@10=0.02` or `language=ar:AP=0.3`.
"""

import math
import re
import shlex
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, get_args
from xml.etree import ElementTree as ET  # only written, never read

from rankworth import names
from rankworth.errors import KEEP, InputError, MeasureError, UsageError, quoted
from rankworth.profiles import Signature
from rankworth.tables.columns import Column, Sheet, defined
from rankworth.tables.look import visible
from rankworth.tables.text import cell_width

if TYPE_CHECKING:
    from rankworth.comparison.differences import Difference
    from rankworth.comparison.result import Comparison
    from rankworth.evaluation.results_file import Result


Kind = Literal["max-drop", "noninferior", "fail-under"]
When = Literal["mean", "significant", "any"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
WHEN: Final[tuple[When, ...]] = get_args(When)
Means = tuple[str, str, str, Mapping[str, float]]
"""a system, a column and a group of queries, both empty for all queries, and the mean of each measure"""
_LIMITS: Final[Mapping[Kind, tuple[str, str]]] = {
    "max-drop": ("a number from 0 on, or a share of the baseline's mean", "nDCG@10=0.01, R@100=2%"),
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
            mean has to be as large (`fail-under`).
        measure: in any of its spellings.
        limit: the drop, the margin or the floor.
        percent: whether a drop is a share of the baseline's mean.
        column: the column of the queries by whose groups it is asked, each for itself; empty for all queries.
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
        """Read one.

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
        match, limit = _GATE.fullmatch(text), math.nan
        with suppress(ValueError):
            limit = float(match["limit"] if match else "")
        is_share = match is not None and bool(match["percent"])
        fits = limit >= 0 if kind != "fail-under" else True
        if match is None or not math.isfinite(limit) or not fits or (is_share and kind != "max-drop"):
            expected, example = _LIMITS[kind]
            fact = f"{where or f'--{kind}'} {text}: a gate is MEASURE=LIMIT, and here the limit is {expected}"
            raise UsageError("bad-gate", fact, remedy=f"as in {example}")
        limit = limit / 100 if is_share else limit
        return cls(kind, match["measure"], limit, is_share, match["column"] or "", match["group"] or "")

    def __str__(self) -> str:
        """As it is typed."""
        ahead = f"{self.column}{f'={self.group}' if self.group else ''}:" if self.column else ""
        limit = f"{100 * self.limit:.12g}%" if self.percent else f"{self.limit:.12g}"
        return f"{ahead}{self.measure}={limit}"

    def among(self, measures: Mapping[str, str]) -> str:
        """The name under which its measure was measured, by any of its names; empty where it was not.

        Args:
            measures: the canonical names of the measures by the names that they were asked for by.

        >>> Gate("max-drop", "ndcg_cut_10", 0.01).among({"MAP": "AP", "NDCG@10": "nDCG@10"})
        'NDCG@10'
        """
        with suppress(MeasureError):
            place = names.column_of(self.measure, list(measures), list(measures.values()))
            return "" if place is None else list(measures)[place]
        return ""


def read(kind: Kind, given: Iterable[str] | Mapping[str, Any], where: str = "") -> list[Gate]:
    """Several gates of one kind, as they are typed or as `pyproject.toml` has them.

    Args:
        kind: of all of them.
        given: texts, or `{"nDCG@10": 0.01, "R@100": "2%"}`.
        where: where they stand; the option where not said.

    Raises:
        UsageError: `bad-gate`.

    """
    if isinstance(given, Mapping):
        given = [f"{name}={limit}" for name, limit in given.items()]
    return [Gate.of(kind, text, where) for text in given]


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
    comparison: "Comparison", gates: Sequence[Gate], when: When = "mean", systems: Collection[str] | None = None
) -> list[Verdict]:
    """Verdicts on a comparison with a baseline.

    Args:
        comparison: the values of the systems and their differences.
        gates: the conditions.
        when: whether the drop of the `mean` counts, only if it is also `significant`, or that of `any` query.
        systems: which of them are judged; all but the baseline where not said.

    Raises:
        UsageError: `not-measured` for a measure or a column that was not compared; `conflicting-options`.
        InputError: `changed-queries` where systems have values for other queries than the baseline.

    """
    if not gates:
        return []
    baseline, canonical = comparison.baseline, comparison.scores.canonical
    if not baseline and any(gate.kind != "fail-under" for gate in gates):
        raise UsageError("conflicting-options", "gates on drops take a baseline, and all pairs are compared")
    if comparison.uneven:  # then a system must neither pass nor fail for the queries that it has
        counts = ", ".join(f"{name} {count:,}" for name, count in comparison.uneven.items())
        raise InputError(
            "changed-queries",
            f"the systems have values for different queries: {counts}; a gate over what is left would say little",
            remedy="measure the same queries; those without results count as empty rankings (missing=zero)\n"
            f"or, where queries were judged since, keep the baseline again:\n  {KEEP} FILE\n"
            "or leave these queries out: --accept-new-qrels (accept_new_qrels=True)",
        )
    judged = [name for name in comparison.systems if name != baseline and (systems is None or name in systems)]
    rows: list[Means] = [(name, "", "", comparison.means[name]) for name in judged]
    for column, by_system in comparison.group_means.items():
        rows += [(name, column, group, means) for name in judged for group, means in by_system[name].items()]
    verdicts: list[Verdict] = []
    for gate in gates:
        if gate.kind == "fail-under":
            verdicts += floors([gate], rows, canonical)
            continue
        differences = comparison.slices.get(gate.column, ()) if gate.column else comparison.differences
        measured = _measured(gate, canonical, [(gate.column, row.group) for row in differences])
        verdicts += [
            _check(comparison, measured, row, when)
            for row in differences
            if row.measure == measured.measure and gate.group in ("", row.group) and row.second in judged
        ]
    return verdicts


def floors(gates: Sequence[Gate], rows: Sequence[Means], measures: Mapping[str, str]) -> list[Verdict]:
    """Verdicts on means alone.

    Args:
        gates: the conditions.
        rows: the means of each system, and of each group of its queries.
        measures: the canonical names of the measures, by their names there.

    Raises:
        UsageError: `not-measured`.

    """
    verdicts = []
    for gate in (_measured(gate, measures, [(column, group) for _, column, group, _ in rows]) for gate in gates):
        for system, column, group, means in rows:
            if column == gate.column and gate.group in ("", group):
                value = means[gate.measure]
                passed = value >= gate.limit - _SLACK
                number, limit = _apart(value, gate.limit)
                reason = "there is no value" if math.isnan(value) else f"{number} {'>=' if passed else '<'} {limit}"
                verdicts.append(Verdict(gate, system, passed, None, value, reason, group))
    return verdicts


def _measured(gate: Gate, measures: Mapping[str, str], groups: Collection[tuple[str, str]]) -> Gate:
    """The gate with the name that its measure was measured under.

    Args:
        gate: the gate.
        measures: the canonical names of the measures, by their names.
        groups: columns of queries with their groups.

    Raises:
        UsageError: `not-measured` for a measure, a column or a group that is not there.

    """
    label = gate.among(measures)
    if not label:
        text = f"{gate}: {gate.measure} is not there; there are {quoted(measures)}"
        raise UsageError("not-measured", text, remedy=f"-m {gate.measure} measures it")
    known = dict.fromkeys(group for column, group in groups if column == gate.column)
    if gate.column and not known:
        text = f"{gate}: nothing is told by {gate.column}"
        raise UsageError("not-measured", text, remedy=f"--queries FILE --by {gate.column}")
    if gate.group and gate.group not in known:
        raise UsageError("not-measured", f"{gate}: {gate.column} has no {gate.group}; it has {quoted(known)}")
    return replace(gate, measure=label)


def _check(comparison: "Comparison", gate: Gate, row: "Difference", when: When) -> Verdict:
    """One gate for one difference; drops are above 0, whichever end of the scale is better."""
    sign = 1.0 if comparison.scores.better[gate.measure] == "higher" else -1.0
    word = "drop" if sign > 0 else "rise"
    bounds = None if math.isnan(row.low) else (row.low, row.high)
    least, most = sorted((-sign * row.low, -sign * row.high)) if bounds else (math.nan, math.nan)
    level = f"{100 * comparison.plan.level:g} % interval"
    inside = comparison.queries_of(gate.column, row.group) if gate.column else None
    queries = comparison.queries(gate.measure, row.second, row.first)
    worst = [each for each in queries.worst(len(queries)) if inside is None or each.query in inside]
    losing = [(str(each.query), each.difference) for each in worst]
    if gate.kind == "noninferior":
        passed, (drop, limit) = most <= gate.limit + _SLACK, _apart(max(0.0, most), gate.limit)
        reason = f"{word} of up to {drop} {'<=' if passed else '>'} {limit} ({level})"
        reason = reason if bounds else "there is no interval, so nothing is excluded"
    elif math.isnan(row.difference):
        passed, reason = False, "there is no value to compare"
    elif when == "any":
        passed, reason = _no_query_drops(gate, abs(row.first_mean), losing, word)
    else:
        passed, reason = _mean_drops(gate, abs(row.first_mean), -sign * row.difference, word)
        if when == "significant" and not passed:
            passed = least <= 0
            tail = f"{'but' if passed else 'and'} the {level} {'includes' if passed else 'excludes'} 0"
            reason = f"{reason}, {tail if bounds else 'and there is no interval to tell whether that is chance'}"
    means, named = (row.first_mean, row.second_mean), tuple(losing[:_WORST])
    return Verdict(gate, row.second, passed, *means, reason, row.group, bounds, comparison.plan.level, named)


def _no_query_drops(gate: Gate, base: float, losing: Sequence[tuple[str, float]], word: str) -> tuple[bool, str]:
    """Whether no query drops by more than the limit, and why."""
    limit = gate.limit * base if gate.percent else gate.limit
    over = [f"{query} {difference:+.4f}" for query, difference in losing if abs(difference) > limit + _SLACK]
    most = f"{_shown(limit)}{f' ({100 * gate.limit:.12g} %)' if gate.percent else ''}"
    if not over:
        return True, f"no query {word}s by more than {most}"
    queries = f"{len(over):,} queries {word}" if len(over) > 1 else f"1 query {word}s"
    return False, f"{queries} by more than {most}: {', '.join([*over[:_WORST], *['...'] * bool(over[_WORST:])])}"


def _mean_drops(gate: Gate, base: float, drop: float, word: str) -> tuple[bool, str]:
    """Whether the mean drops by no more than the limit, and why: `drop 0.0141 > 0.0100`, `gains 0.1555`."""
    limit = gate.limit * base if gate.percent else gate.limit
    passed = drop <= limit + _SLACK
    if passed and abs(drop) < _SLACK:
        return True, "no change"
    scale, digits, unit = (100 / base, 2, " %") if gate.percent and base > 0 else (1.0, _DIGITS, "")
    if drop < 0:
        return passed, f"{'gains' if word == 'drop' else 'falls by'} {_shown(-scale * drop, digits)}{unit}"
    number, most = _apart(scale * drop, scale * limit, digits)
    return passed, f"{word} {number}{unit} {'<=' if passed else '>'} {most}{unit}"


def _shown(value: float, digits: int = _DIGITS) -> str:
    """A number with four decimals, and more where it would be 0 otherwise."""
    if math.isnan(value):
        return "n/a"
    text = f"{value:z.{digits}f}"
    return text if float(text) or not value else f"{value:.1e}"


def _apart(one: float, limit: float, digits: int = _DIGITS) -> tuple[str, str]:
    """A number and its limit with as many decimals as tell them apart, and a limit from 0, but for rounding."""
    texts = f"{one:z.{digits}f}", f"{limit:z.{digits}f}"
    alike = texts[0] == texts[1] and abs(one - limit) > _SLACK
    if digits < _MOST and (alike or (limit and not float(texts[1]))):
        return _apart(one, limit, digits + 1)
    return texts


def lines(verdicts: Sequence[Verdict]) -> list[str]:
    """One line for each: whether it holds, for what, and why; in columns."""
    table = [[_word(one), _measured_group(one), one.system, one.values, one.reason] for one in verdicts]
    rows = [[visible(cell) for cell in row] for row in table]
    widths = [max(map(cell_width, column)) for column in zip(*rows, strict=True)]
    padded = (
        [cell + " " * (width - cell_width(cell)) for cell, width in zip(row, widths, strict=True)] for row in rows
    )
    return ["  ".join(row).rstrip() for row in padded]


def headline(verdicts: Sequence[Verdict]) -> str:
    """How many gates hold or fail."""
    failed, count = sum(not one.passed for one in verdicts), len(verdicts)
    if count == 1:
        return "the gate fails" if failed else "the gate holds"
    return f"{failed} of {count} gates {'fails' if failed == 1 else 'fail'}" if failed else f"all {count} gates hold"


def sheet(verdicts: Sequence[Verdict], notes: Sequence[str] = ()) -> Sheet:
    """A row for each.

    Args:
        verdicts: what was found.
        notes: what stands below.

    """
    names = ("", "gate", "system", "values", "because")
    rows = [(_word(one), _title(one), one.system, one.values, one.reason) for one in verdicts]
    columns = (Column(name, "text", [row[place] for row in rows]) for place, name in enumerate(names))
    return Sheet(tuple(columns), tuple(notes), title=headline(verdicts))


def annotations(verdicts: Sequence[Verdict]) -> str:
    """Commands that GitHub turns into annotations of a run: errors for what fails, notices for what holds."""
    return "".join(
        annotation(
            "notice" if one.passed else "error",
            f"{one.gate.kind} {_measured_group(one)} of {one.system}",
            f"{_word(one)}: {_because(one)}",
        )
        for one in verdicts
    )


def annotation(kind: str, title: str, message: str) -> str:
    r"""One such command.

    >>> annotation("error", "R@100: 2 %", "one\ntwo")
    '::error title=R@100%3A 2 %25::one%0Atwo\n'
    """
    return f"::{kind} title={_escaped(title).replace(':', '%3A').replace(',', '%2C')}::{_escaped(message)}\n"


def junit(verdicts: Sequence[Verdict], name: str = "rankworth") -> bytes:
    """A test suite in the form of JUnit, a case for each gate."""
    failed = sum(not one.passed for one in verdicts)
    counts = {"tests": str(len(verdicts)), "failures": str(failed), "errors": "0"}
    suites = ET.Element("testsuites", counts)
    suite = ET.SubElement(suites, "testsuite", {"name": name, **counts})
    for one in verdicts:
        about = {"classname": f"{name}.{visible(one.system)}", "name": visible(_title(one))}
        case = ET.SubElement(suite, "testcase", about)
        if not one.passed:
            failure = ET.SubElement(case, "failure", {"message": visible(one.reason)})
            failure.text = "\n".join(map(visible, _because(one).split("\n")))
    ET.indent(suites)
    text: bytes = ET.tostring(suites, encoding="utf-8", xml_declaration=True)
    return text + b"\n"


def record(verdict: Verdict) -> dict[str, Any]:
    """A verdict as JSON holds it."""
    gate, bounds = verdict.gate, verdict.interval
    before, now = defined([verdict.before, verdict.now])
    return {
        "gate": gate.kind,
        **{name: getattr(gate, name) for name in ("measure", "limit", "percent", "column")},
        "group": verdict.group,
        "system": verdict.system,
        "passed": verdict.passed,
        "before": before,
        "now": now,
        "reason": verdict.reason,
        "interval": None if bounds is None else {"low": bounds[0], "high": bounds[1], "level": verdict.level},
        "worst": [{"query": query, "difference": difference} for query, difference in verdict.worst],
    }


def _word(verdict: Verdict) -> str:
    return "ok" if verdict.passed else "FAIL"


def _because(verdict: Verdict) -> str:
    """The values and the reason, or the reason alone where it begins with the value; queries that lose most."""
    reason = verdict.reason if verdict.reason.startswith(verdict.values) else f"{verdict.values}, {verdict.reason}"
    return f"{reason}\nlargest losses: {_worst(verdict)}" if verdict.worst and not verdict.passed else reason


def _worst(verdict: Verdict) -> str:
    return ", ".join(f"{query} {difference:+.4f}" for query, difference in verdict.worst)


def _measured_group(verdict: Verdict) -> str:
    """The measure, and the group of queries."""
    gate = verdict.gate
    return f"{gate.column}={verdict.group}:{gate.measure}" if gate.column else gate.measure


def _title(verdict: Verdict) -> str:
    """What was asked for, of which group."""
    gate = verdict.gate
    group = f" ({verdict.group})" if gate.column and not gate.group else ""
    return f"{gate.kind} {gate}{group}"


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def advice(
    verdicts: Sequence[Verdict],
    files: Mapping[str, str],
    measures: Sequence[str],
    baseline: str = "",
    kept: str = "",
    options: Mapping[str, Sequence[str]] | None = None,
    keep: Sequence[str] = (),
) -> list[str]:
    """Commands that show what is lost, and the one that keeps the new values where the loss is meant.

    Args:
        verdicts: what was found.
        files: judgements (under no name) and runs by name, as they can be given to other commands.
        measures: all that are compared.
        baseline: the name of the baseline.
        kept: the results file that the baseline comes from, if it comes from one.
        options: options of `explain`, by measure; it is not recommended for other measures.
        keep: options of `evaluate`.

    """
    failed = [one for one in verdicts if not one.passed]
    first = {one.system: one for one in reversed(failed)}
    systems = list(dict.fromkeys(one.system for one in failed))
    lines = []
    for verdict in map(first.__getitem__, systems):
        measure, worst = verdict.gate.measure, verdict.worst
        how = [] if options is None else options.get(measure)
        if worst:
            lines.append(visible(f"largest losses of {verdict.system} by {measure}: {_worst(verdict)}"))
        if how is not None and {"", verdict.system} <= files.keys():
            before = [files[baseline]] if worst and baseline in files else []
            query = [worst[0][0]] if worst else [] if "--only" in how else ["--worst", "3"]
            words = (files[""], *before, files[verdict.system], *query, "-m", measure, *how)
            lines.append(f"  {_command('explain', *words)}")
    if kept and any(one.before is not None for one in failed):
        run = files.get(systems[0], "RUN") if len(systems) == 1 else "RUN"
        command = _command("evaluate", files.get("", "QRELS"), run, "-m", *measures, "-q", "-o", kept, *keep)
        lines += ["if the loss is meant, keep the new values as the baseline:", f"  {command}"]
    return lines


def refuse_older(
    kept: "Iterable[Result]", qrels: str = "", runs: Sequence[str] = (), reading: Sequence[str] = ()
) -> None:
    """Refuse results files without a digest, of which nobody can tell whether they were edited.

    Args:
        kept: the results that gates are to look at.
        qrels: the judgements, as they can be given to other commands.
        runs: the files of runs that are known.
        reading: options that say how these files are read.

    Raises:
        InputError: `older-results`, with the command that writes each of them again.

    """
    facts, remedies = [], []
    for path, several in groupby((result for result in kept if result.doubt), lambda result: result.origin):
        results = [*several]
        facts.append(f"{results[0].doubt}: a gate cannot rely on it")
        remedies.append(f"measure {' and '.join(one.run for one in results)} again, as the baseline is to be:")
        remedies.append(f"  {renewal(path, results, qrels, runs, reading)}")
    if facts:
        raise InputError("older-results", *facts, remedy="\n".join(remedies))


def renewal(path: str, results: "Sequence[Result]", qrels: str, runs: Sequence[str], reading: Sequence[str]) -> str:
    """The command that measures the runs of a results file again and keeps that.

    Args:
        path: the results file.
        results: what it holds.
        qrels: the judgements, as they can be given to other commands.
        runs: the files of runs that are known.
        reading: options that say how these files are read.

    """
    measures = [*(column.label for column in results[0].columns), *results[0].texts.keys() - {"group"}]
    line = Signature.parse(results[0].signature)
    settings = {name: text for name, text in line.settings.items() if name not in ("exclude", "weights", "macro")}
    sources = [_run_file(one.run, runs) for one in results]
    words = [*reading, *(replace(line, settings=settings).options() or ()), "-q", "-o", path]
    return _command("evaluate", qrels or "QRELS", *sources, "-m", *measures, *words)


def _run_file(name: str, runs: Sequence[str]) -> str:
    """The file of a run of this name: one that is known, or one beside it."""
    for path in map(Path, runs):
        if (own := path.with_name(f"{name}{''.join(path.suffixes)}")).is_file():
            return str(own)
    return f"{name}=RUN"


def _command(*words: str) -> str:
    return visible(f"rankworth {' '.join(map(shlex.quote, words))}")
