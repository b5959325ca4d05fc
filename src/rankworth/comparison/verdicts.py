"""What to say about gates: lines, a table, annotations of GitHub, JUnit, JSON, and the commands that help."""

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET  # only written, never read

from rankworth.comparison.gates import Verdict
from rankworth.errors import InputError
from rankworth.profiles import Signature
from rankworth.tables.columns import Column, Sheet, defined
from rankworth.tables.look import visible
from rankworth.tables.text import cell_width

if TYPE_CHECKING:
    from rankworth.evaluation.results_file import Result

_NO_CHARACTERS = {0xFFFE: "\\ufffe", 0xFFFF: "\\uffff"}
"""what `visible` leaves, and XML cannot hold"""


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
        about = {"classname": f"{name}.{_clean(one.system)}", "name": _clean(_title(one))}
        case = ET.SubElement(suite, "testcase", about)
        if not one.passed:
            failure = ET.SubElement(case, "failure", {"message": _clean(one.reason)})
            failure.text = "\n".join(map(_clean, _because(one).split("\n")))
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


def _clean(text: str) -> str:
    """Text without what XML cannot hold."""
    return visible(text).translate(_NO_CHARACTERS)


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
        if worst:
            lines.append(visible(f"largest losses of {verdict.system} by {measure}: {_worst(verdict)}"))
        if {"", verdict.system} <= files.keys() and (options is None or measure in options):
            how = (options or {}).get(measure, ())
            before = [files[baseline]] if worst and baseline in files else []
            query = [worst[0][0]] if worst else [] if "--only" in how else ["--worst", "3"]
            lines.append(
                f"  {_command('explain', files[''], *before, files[verdict.system], *query, '-m', measure, *how)}"
            )
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
    files: dict[str, list[Result]] = {}
    for result in kept:
        if result.doubt:
            files.setdefault(result.origin, []).append(result)
    remedies = []
    for path, several in files.items():
        remedies.append(
            f"measure {' and '.join(one.run for one in several)} again, as the baseline is to be, and keep that:"
        )
        remedies += [f"  {line}" for line in renewal(path, several, qrels, runs, reading)]
    if files:
        facts = [f"{several[0].doubt}: a gate cannot rely on it" for several in files.values()]
        raise InputError("older-results", *facts, remedy="\n".join(remedies))


def renewal(
    path: str, results: "Sequence[Result]", qrels: str, runs: Sequence[str], reading: Sequence[str]
) -> Iterator[str]:
    """The command that measures the runs of a results file again and keeps that, and what words cannot say.

    Args:
        path: the results file.
        results: what it holds.
        qrels: the judgements, as they can be given to other commands.
        runs: the files of runs that are known.
        reading: options that say how these files are read.

    """
    sources = [_run_file(one.run, runs) for one in results]
    measures = [column.label for column in results[0].columns] + [*({*results[0].texts} - {"group"})]
    line = Signature.parse(results[0].signature)
    of_files = [name for name in ("exclude", "weights", "macro") if name in line.settings]
    settings = {name: text for name, text in line.settings.items() if name not in of_files}
    words = [*reading, *(replace(line, settings=settings).words() or ())]
    yield _command("evaluate", qrels or "QRELS", *sources, "-m", *measures, *words, "-q", "-o", path)
    if unsaid := [f"--{name}" for name in of_files if f"--{name}" not in reading]:
        yield f"with {' and '.join(unsaid)} as it had"


def _run_file(name: str, runs: Sequence[str]) -> str:
    """The file of a run of this name: one that is known, or one beside it."""
    for path in map(Path, runs):
        if (own := path.with_name(f"{name}{''.join(path.suffixes)}")).is_file():
            return str(own)
    return f"{name}=RUN"


def _command(*words: str) -> str:
    return visible(f"rankworth {' '.join(map(shlex.quote, words))}")
