"""A comparison as tables and as a paper says it: means with marks, differences, groups, sentences and BibTeX."""

import math
import re
import shlex
from collections.abc import Iterator, Sequence
from string import ascii_lowercase
from typing import TYPE_CHECKING, Final, NamedTuple

from rankworth import stats
from rankworth.comparison.differences import INTERVALS, PAIRWISE, POWER, Difference
from rankworth.errors import counted
from rankworth.profiles import Signature, in_one_line
from rankworth.tables.columns import Best, Column, Sheet
from rankworth.tables.look import p_value, signed

if TYPE_CHECKING:
    from rankworth.comparison.result import Comparison

DAGGER: Final = "†"
_PAIRS: Final = 15
"""pairs up to which all of them have rows of their own"""
_LOSING: Final = 3
"""how many of the queries that lose most are named"""
EQUIVALENCE: Final = "schuirmann1987"
EFFECTS: Final = "hedges1981"


def sheets(told: "Comparison") -> Iterator[Sheet]:
    """What there is to see."""
    defects = tuple(f"{text}   [{slug}]" for slug, text in told.warnings)
    comment = f"{in_one_line(told.signatures.values())}|seed:{told.plan.seed}"
    pairs = len({(one.first, one.second) for one in told.differences})
    shown = bool(told.baseline) or pairs <= _PAIRS
    rows = told.differences if shown else ()
    several = len(told.systems) > 2 or not rows  # noqa: PLR2004 - two stand in one row of differences
    many = () if shown else (f"the differences of all {pairs:,} pairs are in -f csv, jsonl and json (to_frame())",)
    notes = (*told.notes, *_losing(told), *many, in_short(told))
    if several:
        yield _means(told, *(((), "", ()) if rows else (notes, comment, defects)))
    if rows:
        yield _differences(told, rows, notes, comment, defects)
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
    several = f"{len(told.systems)} systems " if len(told.systems) > 2 else ""  # noqa: PLR2004 - as above
    title = f"{several}over {counted(len(board.queries))}"
    return Sheet(tuple(columns), (f"{sign} ({threshold(told)})", *notes), comment, tuple(defects), title)


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
            Column(
                "system" if told.baseline else "systems",
                "text",
                [one.second if told.baseline else f"{one.second} - {one.first}" for one in rows],
            ),
            Column("measure", "text", [one.measure for one in rows]),
        ]
    return Sheet((*columns, *_judged(told, rows)), tuple(notes), comment, tuple(defects), title)


def _judged(told: "Comparison", rows: Sequence[Difference]) -> list[Column]:
    """Difference, p, effect, wins and the word."""
    bounds = [(one.low, one.high) for one in rows]
    columns: dict[str, Sequence[str]] = {
        p_title(told): [p_value(one.adjusted) for one in rows],
        "d": ["n/a" if math.isnan(one.hedges) else f"{one.hedges + 0.0:.2f}" for one in rows],
        "W/T/L": [f"{one.wins}/{one.ties}/{one.losses}" for one in rows],
        "verdict": [one.word for one in rows],
    }
    return [
        Column("difference", "number", [signed(one.difference) for one in rows], bounds=bounds),
        *(Column(name, "number", cells) for name, cells in columns.items()),
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


class Method(NamedTuple):
    """How a comparison was made, for a paper."""

    text: str
    """sentences, with the keys of the entries as LaTeX cites them"""
    bibtex: str
    """the entries"""


def method(told: "Comparison") -> Method:
    """The sentences and entries of a comparison."""
    plan, correction = told.plan, stats.CORRECTIONS[told.plan.correction]
    compared = f"{len(told.systems)} systems were compared" + (f" with {told.baseline}" if told.baseline else "")
    test, interval, count = told.told, told.told.interval, len(told.differences)
    parts = [
        (f"{compared} by {', '.join(told.measures)} over the same {counted(len(told.board.queries))}.", ""),
        *((sentence, "") for sentence in _weighed(told)),
        (test.sentence, test.reference),
        (f"{'Such tests were made' if count > 1 else 'Such a test was made'} for {_comparisons(count)}.", ""),
        (correction.sentence[:1].upper() + correction.sentence[1:], correction.reference),
        (interval.sentence, interval.reference),
        ("Effect sizes are mean differences in standard deviations of the differences, without bias.", EFFECTS),
    ]
    if plan.margins:
        margins = ", ".join(f"{margin:g} ({name})" for name, margin in plan.margins.items())
        sentence = f"Differences within {margins} were called equivalent by two one-sided t tests, not corrected."
        parts.append((sentence, EQUIVALENCE))
    parts += [(f"{note[:1].upper()}{note[1:]}.", "") for note in told.notes]
    parts.append((f"Values are by rankworth with the signatures {'; '.join(told.signatures.values())}.", ""))
    keys = dict.fromkeys(key for _, key in parts if key)
    cited = [(re.sub(r"([%&#_])", r"\\\1", sentence), f"~\\cite{{{key}}}" if key else "") for sentence, key in parts]
    return Method(
        " ".join(f"{sentence}{citation}" for sentence, citation in cited if sentence),
        "\n".join(stats.BIBTEX[key] for key in keys),
    )


def _weighed(told: "Comparison") -> Iterator[str]:
    """What queries count, where they do not count alike."""
    weights, macro = told.board.settings.weights, told.board.settings.macro
    if weights is not None:
        yield f"Means are weighted by {weights.called}."
    if macro is not None:
        yield f"Means are those of the means of groups by {macro.called}; each query weighs its share of its group."


def _comparisons(count: int) -> str:
    return f"{count:,} comparison{'' if count == 1 else 's'}"


def in_short(told: "Comparison") -> str:
    """How it was done, in one line below a table."""
    plan = told.plan
    draws = f" ({told.told.resamples:,} resamples, seed {plan.seed})" if told.told.resamples else ""
    known = [one.detectable for one in told.differences if abs(one.detectable) < float("inf")]
    found = f"; a t test finds differences from {max(known):.4f} on in {100 * POWER:.0f} of 100 cases" if known else ""
    intervals = f"{100 * plan.level:g} % intervals ({INTERVALS[plan.method]})"
    return f"{told.told.title}{draws}; {_corrected(told)}; {intervals}{found}"


def threshold(told: "Comparison") -> str:
    """Below what p values differences are told: `p holm < 0.05`."""
    return f"{p_title(told)} < {1 - told.plan.level:g}"


def p_title(told: "Comparison") -> str:
    """What a column of p values is called."""
    return "p" if told.plan.correction == "none" else f"p {told.plan.correction}"


def _corrected(told: "Comparison") -> str:
    """For what p values hold."""
    over = f"over {_comparisons(len(told.differences))}"
    pairwise = "p for all pairs of systems by one measure" if told.plan.test in PAIRWISE else ""
    if told.plan.correction == "none":
        return pairwise or f"p not corrected, {over}"
    return f"{pairwise or 'p'}, corrected by {stats.CORRECTIONS[told.plan.correction].name} {over}"
