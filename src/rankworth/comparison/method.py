"""How differences were judged, as a paper says it: sentences, and the BibTeX of what they cite."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

from rankworth import statistics
from rankworth.comparison.differences import INTERVALS, PAIRWISE, POWER
from rankworth.errors import counted

if TYPE_CHECKING:
    from rankworth.comparison.result import Comparison

EQUIVALENCE: Final = "schuirmann1987"
EFFECTS: Final = "hedges1981"


class Method(NamedTuple):
    """How a comparison was made, for a paper."""

    text: str
    """sentences, with the keys of the entries as LaTeX cites them"""
    bibtex: str
    """the entries"""


def method(told: "Comparison") -> Method:
    """The sentences and entries of a comparison."""
    plan, correction = told.plan, statistics.CORRECTIONS[told.plan.correction]
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
    text = " ".join(f"{_latex(sentence)}{_cite(key)}" for sentence, key in parts if sentence)
    return Method(text, "\n".join(statistics.BIBTEX[key] for key in keys))


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
    return f"{pairwise or 'p'}, corrected by {statistics.CORRECTIONS[told.plan.correction].name} {over}"


def _latex(text: str) -> str:
    """A sentence as LaTeX has it."""
    return re.sub(r"([%&#_])", r"\\\1", text)


def _cite(key: str) -> str:
    """The citation of an entry; nothing where there is none."""
    return f"~\\cite{{{key}}}" if key else ""
