"""Comparisons as sheets: means with marks, differences, groups, and the queries that lose most."""

import math
import shlex
from collections.abc import Iterator, Sequence
from string import ascii_lowercase
from typing import TYPE_CHECKING, Final

import numpy as np

from rankworth.comparison.differences import Difference
from rankworth.comparison.method import in_short, p_title, threshold
from rankworth.errors import counted
from rankworth.profiles import Signature, in_one_line
from rankworth.render import p_value, signed
from rankworth.sheet import Best, Column, Sheet

if TYPE_CHECKING:
    from rankworth.comparison.result import Comparison

DAGGER: Final = "†"
_PAIRS: Final = 15
"""pairs up to which all of them have rows of their own"""
_LOSING: Final = 3
"""how many of the queries that lose most are named"""


def sheets(told: "Comparison") -> Iterator[Sheet]:
    """What there is to see."""
    signed = tuple(f"{text}   [{slug}]" for slug, text in told.warnings)
    pairs = len({(one.first, one.second) for one in told.differences})
    shown = bool(told.baseline) or pairs <= _PAIRS
    rows = told.differences if shown else ()
    several = len(told.systems) > 2 or not rows  # noqa: PLR2004 - two stand in one row of differences
    many = () if shown else (f"the differences of all {pairs:,} pairs are in -f csv, jsonl and json (to_frame())",)
    notes = (*told.notes, *_losing(told), *many, in_short(told))
    if several:
        yield _means(told, () if rows else notes, "" if rows else _comment(told), () if rows else signed)
    if rows:
        yield _differences(told, rows, notes, _comment(told), signed)
    for column, differences in told.slices.items() if shown else ():
        yield from _groups(told, column, differences)


def letters(count: int) -> list[str]:
    """Names for systems: a, b, ..., z, aa, ab and so on.

    >>> letters(28)[-3:]
    ['z', 'aa', 'ab']
    """
    names: list[str] = [*ascii_lowercase]
    while len(names) < count:
        names += [f"{one}{letter}" for one in names[-(26 ** len(names[-1])) :] for letter in ascii_lowercase]
    return names[:count]


def _means(told: "Comparison", notes: Sequence[str], comment: str, defects: Sequence[str]) -> Sheet:
    """One row for each system, with marks for what is better than others."""
    names = letters(len(told.systems))
    board = told.board
    columns = [Column("system", "text", list(told.systems))]
    if not told.baseline:
        columns.insert(0, Column("", "text", names))
    for place, measure in enumerate(told.measures):
        means = board.means[:, place].tolist()
        marks = ["" for _ in told.systems]
        for one in (one for one in told.differences if one.measure == measure):
            if one.word in ("better", "worse"):
                better, worse = (one.second, one.first) if one.word == "better" else (one.first, one.second)
                row, mark = told.systems.index(better), names[told.systems.index(worse)]
                if told.baseline:
                    marks[row] += DAGGER * (worse == told.baseline)
                else:
                    marks[row] += f" {mark}" if marks[row] and len(names[-1]) > 1 else mark
        best: Best = "highest" if board.better[measure] == "higher" else "lowest"
        columns.append(Column(measure, board.kinds[measure], means, best, marks=marks, second=True))
    sign = f"{DAGGER} better than {told.baseline}" if told.baseline else "letters: the systems than which one is better"
    return Sheet(tuple(columns), (f"{sign} ({threshold(told)})", *notes), comment, tuple(defects), title=_title(told))


def _title(told: "Comparison") -> str:
    queries = counted(len(told.board.queries))
    return f"{len(told.systems)} systems over {queries}" if len(told.systems) > 2 else f"over {queries}"  # noqa: PLR2004 - as above


def _differences(
    told: "Comparison", rows: Sequence[Difference], notes: Sequence[str], comment: str, defects: Sequence[str]
) -> Sheet:
    """One row for each pair and measure."""
    pairs = list(dict.fromkeys((one.first, one.second) for one in rows))
    if len(pairs) == 1:
        [(first, second)] = pairs
        title = f"{second} - {first}, paired over {counted(len(told.board.queries))}"
        columns = [Column("measure", "text", [one.measure for one in rows])]
        columns += [Column(first, "value", [one.first_mean for one in rows])]
        columns += [Column(second, "value", [one.second_mean for one in rows])]
    else:
        title = f"differences to {told.baseline}" if told.baseline else "differences"
        columns = [
            Column("system" if told.baseline else "systems", "text", [_pair(told, one) for one in rows]),
            Column("measure", "text", [one.measure for one in rows]),
        ]
    return Sheet((*columns, *_judged(told, rows)), tuple(notes), comment, tuple(defects), title)


def _judged(told: "Comparison", rows: Sequence[Difference]) -> list[Column]:
    """Difference, p, effect, wins and the word."""
    return [
        Column(
            "difference",
            "number",
            [signed(one.difference) for one in rows],
            bounds=[(one.low, one.high) for one in rows],
        ),
        Column(
            p_title(told),
            "number",
            [p_value(one.adjusted) for one in rows],
        ),
        Column("d", "number", [_short(one.hedges) for one in rows]),
        Column("W/T/L", "number", [f"{one.wins}/{one.ties}/{one.losses}" for one in rows]),
        Column("verdict", "number", [one.word for one in rows]),
    ]


def _groups(told: "Comparison", column: str, rows: Sequence[Difference]) -> Iterator[Sheet]:
    """The differences of each group of queries, a table for each pair of systems."""
    pairs = list(dict.fromkeys((one.first, one.second) for one in rows))
    note = f"p values are corrected over all {len(rows):,} comparisons by {column}"
    for first, second in pairs:
        some = [one for one in rows if (one.first, one.second) == (first, second)]
        columns = (
            Column(column, "text", [one.group for one in some]),
            Column("measure", "text", [one.measure for one in some]),
            Column("queries", "count", [one.queries for one in some]),
            *_judged(told, some),
        )
        title = f"by {column}" if len(pairs) == 1 else f"{second} - {first}, by {column}"
        yield Sheet(columns, (note,) if (first, second) == pairs[-1] else (), title=title)


def _losing(told: "Comparison") -> Iterator[str]:
    """The queries that lose most by the first measure, with the command that shows why."""
    measure = told.measures[0]
    for second in told.systems[1:] if told.baseline else ():
        worst = told.queries(measure, second).worst(_LOSING)
        if not worst:
            continue
        named = ", ".join(f"{row.query} {signed(row.difference)}" for row in worst)
        yield f"largest losses of {second} by {measure}: {named}"
        if words := _command(told, second, measure, str(worst[0].query)):
            yield f"  {' '.join(map(shlex.quote, words))}"


def options(told: "Comparison") -> Iterator[tuple[str, list[str]]]:
    """Each measure with the words by which `rankworth explain` measures it as here; without those that files lack."""
    for measure, line in told.signatures.items():
        words = Signature.parse(line).words(excluded="--exclude" in told.reading)
        if words is not None:
            yield measure, [*told.reading, *words]


def _command(told: "Comparison", system: str, measure: str, query: str) -> list[str]:
    """The words of the command that shows how a difference comes about; none where files cannot say it.

    Values of the baseline that were stored have no run to look at; the other one is shown alone.
    """
    if not {"", system} <= told.files.keys() or system in told.board.joined or measure not in told.options:
        return []
    base = [told.files[told.baseline]] if {told.baseline} <= told.files.keys() - told.board.joined else []
    files = [told.files[""], *base, told.files[system]]
    return ["rankworth", "explain", *files, query, "-m", measure, *told.options[measure]]


def _comment(told: "Comparison") -> str:
    """The signatures in one line."""
    return f"{in_one_line(told.signatures.values())}|seed:{told.plan.seed}"


def _pair(told: "Comparison", one: Difference) -> str:
    return one.second if told.baseline else f"{one.second} - {one.first}"


def _short(value: float) -> str:
    return "n/a" if math.isnan(value) else f"{value + 0.0:.2f}" if np.isfinite(value) else f"{value}"
