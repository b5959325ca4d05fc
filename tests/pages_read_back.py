"""What the first screen of a report says in words, figures and drawings, read back and held against itself and JSON."""

import math
import re
from collections.abc import Iterator, Mapping
from html import unescape
from typing import Any, Final

from contradictions import BETWEEN, number, of_word
from rankworth.report import Report

WORDS: Final = {
    "better": "▲ better",
    "worse": "▼ worse",
    "equal": "= equal",
    "equivalent": "= same",
    "unclear": "unclear",
    "too few": "too few queries",
}
MARKS: Final = {"better": "▲", "worse": "▼", "equivalent": "="}
ROUNDED: Final = 0.0005 + 1e-12
"""by how much a figure of three digits may differ from its number"""
ENDS: Final = re.compile(r"(?:90 %: )?(\S+) to (\S+)$")
Row = Mapping[str, Any]


def text_of(html: str) -> str:
    """The text of a part of the page, with plain signs."""
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", html)).replace("\u2212", "-").split())


def part(html: str, name: str) -> str:
    """A section of the page, as it is written without a script."""
    return html.partition(f'<section id="{name}"')[2].partition("</section>")[0]


def items(html: str, kind: str) -> list[str]:
    """The items of the lists of a kind."""
    lists = re.findall(rf'<ul class="{kind}">(.*?)</ul>', html)
    return [item for listed in lists for item in re.findall(r"<li>(.*?)</li>", listed)]


def lines(html: str, kind: str) -> list[tuple[float, float]]:
    """The ends of the lines of a class, in parts of the width."""
    found = re.findall(rf'<line class="{kind}" x1="([-\d.]+)%" x2="([-\d.]+)%"', html)
    return [(float(start), float(end)) for start, end in found]


def key(row: Row) -> tuple[str, str, str]:
    """What a difference is of."""
    return row["measure"], row["first"], row["second"]


def both_ways(row: Row) -> Iterator[Row]:
    """A difference of JSON, and the same one of the first run less the second."""
    yield row
    opposite = {"better": "worse", "worse": "better"}.get(row["word"], row["word"])
    turned = {**row, "first": row["second"], "second": row["first"], "word": opposite}
    pairs = [("difference", "difference"), ("low", "high"), ("equivalence_low", "equivalence_high")]
    for name, other in (*pairs, *(pair[::-1] for pair in pairs)):
        turned[name] = None if row[other] is None else 0.0 - row[other]
    yield turned


def of_drawing(html: str, row: Row) -> Iterator[str]:
    """Yield how a drawn interval and a word contradict each other: 0 is in the middle, better to the right."""
    word, deciding = row["word"], lines(html, "interval thin") or lines(html, "interval")
    if word in MARKS and not deciding:
        yield f"{word} without a line"
    for start, end in deciding:
        holds = {
            "better": start >= 50,
            "worse": end <= 50,
            "unclear": start <= 50 <= end,
            "too few": start <= 50 <= end,
        }
        if start > end or not holds.get(word, True):
            yield f"{word} is drawn from {start} to {end}"
    if word == "equivalent":
        [margin] = re.findall(r'<rect class="margin" x="([-\d.]+)%" width="([-\d.]+)%"', html)
        low, width = map(float, margin)
        [(start, end)] = lines(html, "interval")
        if not low - 0.01 <= start <= end <= low + width + 0.01:
            yield f"same is drawn from {start} to {end}, beyond {low} to {low + width}"


def of_figures(html: str, row: Row, ends: str, record: Mapping[str, Any]) -> Iterator[str]:
    """Yield how the size, the ends, the word and the drawing of a difference contradict each other or JSON."""
    if f">{WORDS[row['word']]}</span>" not in html:
        yield f"{text_of(html)} for {row['word']}"
    size = text_of(re.findall(r'<(?:p class="size"|b)>([^<]*)</', html)[0])
    if (size == "n/a") != (row["difference"] is None):
        yield f"{size} for {row['difference']}"
    if size != "n/a" and abs(number(size) - row["difference"]) > ROUNDED:
        yield f"{size} for {row['difference']}"
    if found := ENDS.match(ends):
        low, high = number(found[1]), number(found[2])
        sign = -1.0 if record["better"][row["measure"]] == "lower" else 1.0
        yield of_word(row["word"], low, high, sign, math.nan if row["margin"] is None else row["margin"])
        kind = "equivalence_" if row["word"] == "equivalent" else ""
        for shown, end in ((low, row[f"{kind}low"]), (high, row[f"{kind}high"])):
            if abs(shown - end) > ROUNDED:
                yield f"{shown} on the page, {end} in JSON"
    elif ends != "no interval" or row["word"] in MARKS:
        yield f"{row['word']} beside {ends!r}"
    yield from of_drawing(html, row)


def of_page(report: Report) -> Iterator[str]:
    """Yield the contradictions of the parts of a page with each other and with JSON."""
    html, record = report.html, report.record
    conclusion, verdict = record["conclusion"], part(report.html, "verdict")
    state, heading, line = (text_of(found) for found in re.findall(r"<(?:p|h1)[^>]*>(.*?)</(?:p|h1)>", verdict))
    if (state, heading) != (conclusion["title"], conclusion["sentence"]) or not line.startswith(conclusion["line"]):
        yield f"{state}: {heading}. {line}"
    rows = {key(way): way for row in record["pairs"] for way in both_ways(row)}
    yield from (f"{rows[key(row)]} and {row}" for row in record["comparison"]["differences"] if rows[key(row)] != row)
    cards = items(part(html, "measures"), "measures")
    for card, measure in zip(cards, record["measures"], strict=True):
        ends = text_of(re.findall(r'class="small ends"><span>(.*?)</span>', card)[0])
        yield from of_figures(card, rows[measure, *record["pair"]], ends, record)
    if (
        len(record["runs"]) == 2
        and (found := BETWEEN.search(line))
        and f"{found[1]} to {found[2]}" not in text_of(cards[0])
    ):
        yield f"{found[0]}, and {text_of(cards[0])}"
    if len(record["runs"]) > 2:
        yield from _of_leaderboard(part(html, "measures"), record)
    yield from _of_groups(part(html, "groups"), line, record)


def _of_leaderboard(html: str, record: Mapping[str, Any]) -> Iterator[str]:
    """Hold the leaderboard against the verdict and the differences to the baseline."""
    lead, leaders = record["measures"][0], [*record["conclusion"]["leaders"]]
    against = {row["second"]: row["word"] for row in record["comparison"]["differences"] if row["measure"] == lead}
    sign = -1.0 if record["better"][lead] == "lower" else 1.0
    found = re.findall(r'<tr( class="leading")?><th scope="row">(.*?)</th>(.*?)</tr>', html)
    names = [text_of(re.findall(r"<bdi>(.*?)</bdi>", heading)[0]) for _, heading, _ in found]
    shaded = [name for name, (is_leading, *_) in zip(names, found, strict=True) if is_leading]
    if sorted(names) != sorted(record["runs"]) or shaded != leaders:
        yield f"{names}: {shaded} for {leaders}"
    for name, (*_, cells) in zip(names, found, strict=True):
        mark = "".join(re.findall(r"[▲▼=](?=</span>)", cells))
        if record["comparison"]["baseline"] not in ("", name) and mark != MARKS.get(against[name], ""):
            yield f"{name} has the mark {mark!r} for {against[name]}"
    means = [sign * mean for name in names if (mean := record["means"][name][lead]) is not None]
    if means != sorted(means, reverse=True):
        yield f"{names} have the means {means}"


def _of_groups(html: str, line: str, record: Mapping[str, Any]) -> Iterator[str]:
    """Hold the groups against JSON, and look for those that turn the sign in the verdict."""
    slices = record["comparison"]["slices"]
    pair = (record["measures"][0], *record["group_pair"])
    wanted = [way for rows in slices.values() for row in rows for way in both_ways(row) if key(way) == pair]
    [of_all] = [way["difference"] for row in record["pairs"] for way in both_ways(row) if key(way) == pair]
    for item, row in zip(items(html, "groups"), wanted, strict=True):
        ends = text_of(re.findall(r'<span class="small wide">(.*?)</span>', item)[0])
        yield from of_figures(item, row, ends, record)
        turns = None not in (of_all, row["difference"]) and of_all * row["difference"] < 0
        if turns and f"{row['group']} (" not in line:
            yield f"{row['group']} turns the sign, and the verdict is {line}"


def all_of_page(report: Report) -> list[str]:
    """Return the contradictions."""
    return [text for text in of_page(report) if text]
