"""Verdicts for people and for machines: a line each, annotations of GitHub, a sheet, JUnit, JSON."""

from collections.abc import Sequence
from typing import Any
from xml.etree import ElementTree as ET  # only written, never read

from rankworth.gates.checks import Verdict
from rankworth.render.look import visible
from rankworth.sheet import Column, Sheet

_NO_CHARACTERS = {0xFFFE: "\\ufffe", 0xFFFF: "\\uffff"}
"""what `visible` leaves, and XML cannot hold"""


def lines(verdicts: Sequence[Verdict]) -> list[str]:
    """One line for each: whether it holds, for what, and why; in columns."""
    rows = [
        [visible(cell) for cell in ("ok" if one.passed else "FAIL", _place(one), one.system, one.values, one.reason)]
        for one in verdicts
    ]
    widths = [max(map(_cells, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(_padded(*cell) for cell in zip(row, widths, strict=True)).rstrip() for row in rows]


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
    columns = {
        "": ["ok" if one.passed else "FAIL" for one in verdicts],
        "gate": [_title(one) for one in verdicts],
        "system": [one.system for one in verdicts],
        "values": [one.values for one in verdicts],
        "because": [one.reason for one in verdicts],
    }
    return Sheet(
        tuple(Column(name, "text", cells) for name, cells in columns.items()), tuple(notes), title=headline(verdicts)
    )


def annotations(verdicts: Sequence[Verdict]) -> str:
    """Commands that GitHub turns into annotations of a run: errors for what fails, notices for what holds."""
    return "".join(
        annotation(
            "notice" if one.passed else "error",
            f"{one.gate.kind} {_place(one)} of {one.system}",
            "\n".join([f"{'ok' if one.passed else 'FAIL'}: {_because(one)}", *_losses(one)]),
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
            failure.text = "\n".join(map(_clean, [_because(one), *_losses(one)]))
    ET.indent(suites)
    text: bytes = ET.tostring(suites, encoding="utf-8", xml_declaration=True)
    return text + b"\n"


def record(verdict: Verdict) -> dict[str, Any]:
    """A verdict as JSON holds it."""
    low, high = verdict.interval or (None, None)
    return {
        "gate": verdict.gate.kind,
        "measure": verdict.gate.measure,
        "limit": verdict.gate.limit,
        "percent": verdict.gate.percent,
        "column": verdict.gate.column,
        "group": verdict.group,
        "system": verdict.system,
        "passed": verdict.passed,
        "before": _number(verdict.before),
        "now": _number(verdict.now),
        "reason": verdict.reason,
        "interval": None if low is None else {"low": low, "high": high, "level": verdict.level},
        "worst": [{"query": query, "difference": difference} for query, difference in verdict.worst],
    }


def _because(verdict: Verdict) -> str:
    """The values and the reason; the reason alone where it begins with the value."""
    return verdict.reason if verdict.reason.startswith(verdict.values) else f"{verdict.values}, {verdict.reason}"


def _losses(verdict: Verdict) -> list[str]:
    """A line about the queries that lose most, where a gate fails."""
    told = ", ".join(f"{query} {difference:+.4f}" for query, difference in verdict.worst)
    return [f"largest losses: {told}"] if told and not verdict.passed else []


def _place(verdict: Verdict) -> str:
    """The measure, and the group of queries."""
    gate = verdict.gate
    return f"{gate.column}={verdict.group}:{gate.measure}" if gate.column else gate.measure


def _title(verdict: Verdict) -> str:
    """What was asked for, of which group."""
    gate = verdict.gate
    group = f" ({verdict.group})" if gate.column and not gate.group else ""
    return f"{gate.kind} {gate}{group}"


def _padded(text: str, width: int) -> str:
    return text + " " * (width - _cells(text))


def _cells(text: str) -> int:
    """How many cells a text takes in a terminal."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len  # noqa: PLC0415 - most gates do without

    return cell_len(text)


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _clean(text: str) -> str:
    """Text without what XML cannot hold."""
    return visible(text).translate(_NO_CHARACTERS)


def _number(value: float | None) -> float | None:
    return None if value is None or value != value else value  # noqa: PLR0124 - NaN test
