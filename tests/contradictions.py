"""What a comparison says in words, figures and tables, read back and held against itself."""

import json
import math
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

import rankworth as rw
from rankworth.comparison import Difference
from rankworth.comparison.verdict import pairs

_NUMBER: Final = r"[+\u2212-]?<?\d+(?:\.\d+)?(?:e[+-]\d+)?"
BETWEEN: Final = re.compile(rf"between ({_NUMBER}) and ({_NUMBER})")
AHEAD: Final = re.compile(rf"is ({_NUMBER}) ahead of (\S+), the next(?: \(({_NUMBER}) to ({_NUMBER})\))?")
_ROW: Final = re.compile(r"(better|worse|unclear|equal|equivalent|too few)$")
_BOUNDS: Final = re.compile(r"^\s+(-?<?[\d.∞]+)…(-?<?[\d.∞]+)\s*$")
_ALIKE: Final = re.compile(r"\b(level|same|equal|as good|as well)\b")


def number(text: str) -> float:
    """Read a figure; one that is too small to be shown has its sign and hardly any size."""
    plain = text.replace("\u2212", "-")
    if "∞" in plain:
        return -math.inf if plain.startswith("-") else math.inf
    return math.copysign(1e-12, -1 if plain.startswith("-") else 1) if "<" in plain else float(plain)


def of_word(word: str, low: float, high: float, sign: float, margin: float = math.nan) -> str:
    """Say in which way a word and an interval contradict each other; nothing if they do not."""
    is_open = math.isnan(low) or math.isinf(low)
    low, high = (low, high) if sign > 0 else (-high, -low)
    within = not math.isnan(margin) and -margin <= low and high <= margin
    holds = {
        "better": low > 0,
        "worse": high < 0,
        "equivalent": within,
        "same": within,
        "equal": is_open or low <= 0 <= high,
    }.get(word, is_open or (low <= 0 <= high and not within))
    return "" if holds else f"{word} beside {low} to {high}, margin {margin}"


def of_comparison(compared: rw.Comparison) -> Iterator[str]:
    """Yield the contradictions of a comparison: of its rows, its JSON, its text and its verdict."""
    signs = {measure: 1.0 if end == "higher" else -1.0 for measure, end in compared.scores.better.items()}
    for row in (*compared.differences, *(row for rows in compared.slices.values() for row in rows)):
        yield from _of_row(row, compared, signs[row.measure])
    yield from _of_record(compared, signs)
    yield from _of_text(compared, repr(compared), signs)
    yield from of_verdict(compared)
    said = f"{compared.verdict.title}: {compared.verdict.sentence}."
    for text in (repr(compared), compared.to_markdown(), compared.to_html(), compared.to_latex()):
        if _plain(said) not in _plain(text):
            yield f"{said!r} is not in {text[:200]!r}"


def _of_row(row: Difference, compared: rw.Comparison, sign: float) -> Iterator[str]:
    """Hold the word of a difference against its intervals and its p."""
    alpha = compared.plan.alpha + 1e-12
    yield of_word(row.word, *row.interval(compared.plan.level)[:2], sign, row.margin)
    if row.word in ("better", "worse", "unclear", "too few"):
        yield of_word(row.word, row.low, row.high, sign)
    if row.word in ("better", "worse") and not row.adjusted <= alpha:
        yield f"{row.word} with a corrected p of {row.adjusted}"
    is_of_ranks = compared.plan.test in ("sign", "wilcoxon")  # whose signs may lean to the other side than the mean
    if row.word in ("unclear", "too few") and row.adjusted <= alpha and not is_of_ranks:
        yield f"{row.word} with a corrected p of {row.adjusted}"
    if not math.isnan(row.low) and not row.low <= row.difference <= row.high:
        yield f"{row.difference} outside {row.low} to {row.high}"
    if row.word == "too few" and math.isfinite(row.needed) and not row.needed > row.wins + row.losses:
        yield f"{row.needed} queries could decide, and {row.wins + row.losses} differ"


def _of_record(compared: rw.Comparison, signs: dict[str, float]) -> Iterator[str]:
    """Hold the words of the JSON record against its intervals."""
    record = json.loads(json.dumps(compared.to_dict(), allow_nan=False))
    for row in record["differences"]:
        ends = [math.nan if row[name] is None else row[name] for name in ("low", "high")]
        margin = math.nan if row["margin"] is None else row["margin"]
        if row["word"] == "equivalent":
            ends = [row["equivalence_low"], row["equivalence_high"]]
        yield of_word(row["word"], ends[0], ends[1], signs[row["measure"]], margin)
    if record["verdict"]["state"] != compared.verdict.state:
        yield "JSON and Python have other states"


def _plain(text: str) -> str:
    return re.sub(r"\W+", " ", re.sub(r"<[^>]*>|\\\w+\{\}", " ", text))


def _of_text(compared: rw.Comparison, text: str, signs: dict[str, float]) -> Iterator[str]:
    """Read the words and the bounds below them out of the tables of differences."""
    lines = text.splitlines()
    margins = compared.plan.margins
    for line, below in pairwise(lines):
        word, bounds = _ROW.search(line), _BOUNDS.match(below)
        measure = next((name for name in compared.measures if name in line.split()), "")
        if word and measure and bounds:
            yield of_word(word[1], number(bounds[1]), number(bounds[2]), signs[measure], margins.get(measure, math.nan))


def of_verdict(compared: rw.Comparison) -> Iterator[str]:
    """Yield the contradictions of the verdict with itself and with the differences."""
    conclusion, lead = compared.verdict, compared.measures[0]
    sign = 1.0 if compared.scores.better[lead] == "higher" else -1.0
    text = " ".join(conclusion.sentences)
    if conclusion.state not in ("same", "equal") and _ALIKE.search(conclusion.sentence):
        best, *others = conclusion.leaders or [""]
        alike = {row.first for row in _from(compared, best) if row.word in ("equivalent", "equal")}
        if not alike & {*others}:
            yield f"{conclusion.state}: {conclusion.sentence}"
    if "level with" in text:
        yield text
    if "would need" in text and conclusion.state not in ("unclear", "no leader"):
        yield f"{conclusion.state}: {text}"
    if found := BETWEEN.search(conclusion.line):
        ends = number(found[1]), number(found[2])
        word = {"noise": "unclear"}.get(conclusion.state, conclusion.state)
        yield of_word(word, *ends, sign, compared.plan.margins.get(lead, math.nan))
    if conclusion.leaders:
        yield from _of_leaders(compared, text)
    elif conclusion.state in ("better", "worse", "unclear", "same") and not found:
        yield f"no interval in {conclusion.line!r}"


def _from(compared: rw.Comparison, best: str) -> list[Difference]:
    """Return how much better the best system is than each of the others, by the first measure."""
    every = [row for each in pairs(compared) for row in (each, each.reversed())]
    return [row for row in every if row.second == best]


def _of_leaders(compared: rw.Comparison, text: str) -> Iterator[str]:
    """Hold the leaders against the interval to the next one, and against each difference that is shown."""
    conclusion, lead = compared.verdict, compared.measures[0]
    best, *unseparated = conclusion.leaders
    for row in compared.differences:
        if row.measure == lead and best in (row.first, row.second):
            word = row.word if row.second == best else row.reversed().word
            other = row.first if row.second == best else row.second
            if (word == "better") == (other in unseparated):
                yield f"{best} is {word} beside {other}, and leaders are {conclusion.leaders}"
    if found := AHEAD.search(text):
        following = found[2]
        if found[3]:
            low, high = number(found[3]), number(found[4])
            margin = compared.plan.margins.get(lead, math.nan)
            decided = not low <= 0 <= high
            within = not math.isnan(margin) and -margin <= low and high <= margin
            if decided == (following in unseparated) and not within:
                yield f"{text}: {conclusion.leaders}"
    if (conclusion.state == "leader") == bool(unseparated):
        yield f"{conclusion.state}: {conclusion.leaders}"


def all_of(compared: rw.Comparison) -> list[str]:
    """Return the contradictions."""
    return [text for text in of_comparison(compared) if text]
