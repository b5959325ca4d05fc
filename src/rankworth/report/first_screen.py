"""The first screen of a report, as HTML and SVG that need no script: verdict, measures, losses and gains, groups."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any, Final

from rankworth.tables.look import Look, visible
from rankworth.tables.wording import figure

WORDS: Final[Mapping[str, str]] = {
    "better": "▲ better",
    "worse": "▼ worse",
    "equal": "= equal",
    "equivalent": "= same",
    "unclear": "unclear",
    "too few": "too few queries",
}
"""what the page calls the words of differences"""
_LISTED: Final = 5
"""how many losses and gains are listed"""
_ROOM: Final = 1.05
"""how much wider an axis is than what it shows"""
_LETTERS: Final = 120
"""how many letters of a text are shown"""
_FAVOURED: Final = 0.05
"""by how much shares of unjudged documents differ at least that are said to favour a run"""
_TURNING: Final = re.compile("[\u2028-\u202e]")
_MINUS: Final = re.compile(r"(?<![\w.-])-(?=<?\d)")
Record = Mapping[str, Any]


def escaped(sentence: str) -> str:
    """Escape a sentence; marks of direction are spelled out, but for those that isolate a name."""
    return escape(_TURNING.sub(lambda mark: visible(mark[0]), _MINUS.sub("\N{MINUS SIGN}", sentence)))


def verdict(record: Record) -> str:
    """Write the state, the sentence, the line and what unjudged documents favour."""
    conclusion, unjudged = record["conclusion"], unjudged_favour(record)
    line = " ".join(filter(None, [conclusion["line"], unjudged]))
    return (
        f'<p class="state {conclusion["state"].replace(" ", "-")}">{conclusion["title"]}</p>'
        f'<h1>{escaped(conclusion["sentence"])}</h1><p class="line">{escaped(line)}</p>'
    )


def measures(record: Record) -> str:
    """Write the leaderboard of three runs or more, and a card for each measure."""
    if not record["comparison"]:
        return _list("measures", (_card_of_run(record, measure) for measure in record["measures"]))
    board = _leaderboard(record) if len(record["runs"]) > 2 else ""  # noqa: PLR2004 - two runs stand in each card
    return f'{board}<div id="choice"></div><div id="pair">{cards(record)[_key(*record["pair"])]}</div>'


def cards(record: Record) -> dict[str, str]:
    """Return the cards of each pair of runs whose differences are known, in both orders."""
    pairs: dict[tuple[str, str], dict[str, Any]] = {}
    for row in record["pairs"]:
        pairs.setdefault((row["first"], row["second"]), {})[row["measure"]] = row
        pairs.setdefault((row["second"], row["first"]), {})[row["measure"]] = reversed_row(row)
    return {_key(*pair): _cards_of_pair(record, rows) for pair, rows in pairs.items()}


def _key(first: str, second: str) -> str:
    return f"{first}\n{second}"


_OPPOSITE: Final = {"better": "worse", "worse": "better"}


def reversed_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a difference of JSON the other way round."""

    def minus(name: str) -> float | None:
        return None if row[name] is None else 0.0 - row[name]

    return {
        **row,
        "first": row["second"],
        "second": row["first"],
        "first_mean": row["second_mean"],
        "second_mean": row["first_mean"],
        "difference": minus("difference"),
        "word": _OPPOSITE.get(row["word"], row["word"]),
        **{f"{kind}low": minus(f"{kind}high") for kind in ("", "equivalence_", "estimate_")},
        **{f"{kind}high": minus(f"{kind}low") for kind in ("", "equivalence_", "estimate_")},
    }


def _cards_of_pair(record: Record, rows: Mapping[str, Mapping[str, Any]]) -> str:
    """Write a card for each measure; measures between 0 and 1 share an axis."""
    rows_of_measures = [rows[measure] for measure in record["measures"] if measure in rows]
    common = max((_reach(row) for row in rows_of_measures if _reach(row) <= 1), default=1.0)
    many = len(record["runs"]) > 2  # noqa: PLR2004 - two runs are named in the headline
    heading = (
        f"<h2>{_name(rows_of_measures[0]['second'])} beside {_name(rows_of_measures[0]['first'])}</h2>" if many else ""
    )
    items = (_card(record, row, common if _reach(row) <= 1 else _reach(row)) for row in rows_of_measures)
    return (
        f'{heading}{_list("measures", items)}<p class="small caption">{escaped(_caption(record, rows_of_measures))}</p>'
    )


def _list(kind: str, items: Iterator[str]) -> str:
    return f'<ul class="{kind}">{"".join(items)}</ul>'


def _name(name: str) -> str:
    return f"<bdi>{escape(visible(name))}</bdi>"


def _numbers(row: Mapping[str, Any]) -> list[float]:
    names = ("difference", "low", "high", "margin")
    return [abs(row[name]) for name in names if row[name] is not None]


def _reach(row: Mapping[str, Any]) -> float:
    """Return how far from 0 a card has to reach."""
    return max([*_numbers(row), 1e-6])


def _caption(record: Record, rows: Sequence[Mapping[str, Any]]) -> str:
    """Say what the lines are."""
    comparison = record["comparison"]
    level, family = comparison["level"], max(row["comparisons"] for row in rows)
    corrected = f", corrected for {family:,} comparisons" if family > 1 else ""
    parts = [f"Lines: {100 * level:g} % intervals{corrected}"]
    if comparison["margins"]:
        parts.append(f"thick: {100 * (2 * level - 1):g} %, which decides whether runs are the same within the margin")
    if comparison["interval"] != "test":
        parts.append(f"grey: {comparison['interval']} intervals, estimates that do not decide")
    return f"{'; '.join(parts)}."


def _card(record: Record, row: Mapping[str, Any], reach: float) -> str:
    """Write a difference: its size, both means, the interval on an axis with better to the right, and in figures."""
    measure, word = row["measure"], row["word"]
    is_lower = record["better"][measure] == "lower"
    margin = f" · margin ±{row['margin']:g}" if row["margin"] is not None else ""
    size, ends = _size(row), _ends(row, record["comparison"]["level"])
    drawing = _axis(row, reach, -1.0 if is_lower else 1.0, f"{measure}: {size}, {WORDS[word]}", has_zero=True)
    return (
        f'<li>{_top(record, measure, WORDS[word], word)}<p class="size">{size}</p>'
        f'<p class="small below">{_mean(row["first_mean"])} → {_mean(row["second_mean"])}{escape(margin)}</p>{drawing}'
        f'<p class="small ends"><span>{ends}</span><span class="toward">{_toward(is_lower=is_lower)}</span></p></li>'
    )


def _size(row: Mapping[str, Any]) -> str:
    return "n/a" if row["difference"] is None else escaped(figure(row["difference"]))


def _ends(row: Mapping[str, Any], level: float) -> str:
    """Write the deciding interval; rounding moves no end to or across 0 or the margin."""
    kind = "equivalence_" if row["word"] == "equivalent" else ""
    limits = (0.0, -(row["margin"] or 0.0), row["margin"] or 0.0)
    if row[f"{kind}low"] is None:
        return "no interval"
    ends = " to ".join(escaped(figure(row[f"{kind}{end}"], limits)) for end in ("low", "high"))
    return f"{100 * (2 * level - 1):g} %: {ends}" if kind else ends


def _top(record: Record, measure: str, words: str, kind: str) -> str:
    """Write the name of a measure, with its definition behind it, and what is said of it."""
    name, about = f"<bdi>{escape(visible(measure))}</bdi>", record["about"].get(measure)
    if about:
        name = f"<details><summary>{name}</summary>{escape(about)}</details>"
    said = f'<span class="{kind.replace(" ", "-")}">{words}</span>' if words else ""
    return f'<div class="top"><b>{name}</b>{said}</div>'


def _mean(value: float | None) -> str:
    return escaped(Look(3).number(value, "share"))


def _axis(row: Mapping[str, Any], reach: float, sign: float, sentence: str, *, has_zero: bool) -> str:
    """Draw the interval in parts of the width: 0 in the middle, the margin shaded, better to the right."""

    def x(value: float) -> str:
        return f"{50 + 50 * sign * value / (reach * _ROOM):.3f}%"

    def line(kind: str, low: str, high: str, y: int = 14) -> str:
        if row[low] is None or row[high] is None:
            return ""
        ends = [x(row[end]) for end in ((low, high) if sign > 0 else (high, low))]
        return f'<line class="{kind}" x1="{ends[0]}" x2="{ends[1]}" y1="{y}" y2="{y}"/>'

    marks = ""
    if row["margin"] is not None:
        width = f"{100 * row['margin'] / (reach * _ROOM):.3f}%"
        marks += f'<rect class="margin" x="{x(-sign * row["margin"])}" width="{width}" y="3" height="22"/>'
    marks += '<line class="axis" x1="50%" x2="50%" y1="0" y2="28"/>'
    has_inner = row["equivalence_low"] is not None
    marks += line("interval thin" if has_inner else "interval", "low", "high")
    if row["low"] is not None or row["word"] == "equivalent":  # never without the interval that decides
        marks += line("interval", "equivalence_low", "equivalence_high")
        marks += line("estimate", "estimate_low", "estimate_high", 22)
    if row["difference"] is not None:
        marks += f'<circle class="dot" cx="{x(row["difference"])}" cy="14" r="6"/>'
    marks += '<text class="tick" x="50%" y="40" text-anchor="middle">0</text>' if has_zero else ""
    return _drawing(marks, 44 if has_zero else 28, sentence)


def _drawing(marks: str, height: int, sentence: str) -> str:
    label = escape(visible(sentence))
    return f'<svg class="spread" width="100%" height="{height}" role="img" aria-label="{label}">{marks}</svg>'


def _card_of_run(record: Record, measure: str) -> str:
    """Write the mean of a single run, with its interval from 0 to 1 or to its end, and in figures."""
    [run] = record["runs"]
    mean, (low, high) = record["means"][run][measure], record["intervals"][run][measure]
    is_lower = record["better"][measure] == "lower"
    most = max([1.0, *(end for end in (mean, high) if end is not None)])
    axis = (most, 0.0) if is_lower else (0.0, most)
    drawing = _bar_of_mean(mean, (low, high), axis, f"{measure}: {_mean(mean)}")
    ends = "no interval" if low is None else f"95 %: {_mean(low)} to {_mean(high)}"
    return (
        f'<li>{_top(record, measure, "", "")}<p class="size">{_mean(mean)}</p>{drawing}'
        f'<p class="small ends"><span>{ends}</span><span class="toward">{_toward(is_lower=is_lower)}</span></p></li>'
    )


def _toward(*, is_lower: bool) -> str:
    return f"{'lower is better, ' if is_lower else ''}better →"


def _bar_of_mean(
    mean: float | None, ends: tuple[float | None, float | None], axis: tuple[float, float], sentence: str
) -> str:
    """Draw a mean with its interval, from one end of an axis to the other."""
    low, high = ends if axis[0] < axis[1] else ends[::-1]

    def x(value: float) -> str:
        return f"{100 * (value - axis[0]) / ((axis[1] - axis[0]) or 1.0):.3f}%"

    marks = '<line class="grid" x1="0" x2="100%" y1="14" y2="14"/>'
    if low is not None and high is not None:
        marks += f'<line class="interval" x1="{x(low)}" x2="{x(high)}" y1="14" y2="14"/>'
    if mean is not None:
        marks += f'<circle class="dot" cx="{x(mean)}" cy="14" r="5"/>'
    return _drawing(marks, 28, sentence)


def ranked(record: Record) -> list[str]:
    """Return the runs by their means of the first measure, the best one first."""
    lead = record["measures"][0]
    sign = -1.0 if record["better"][lead] == "lower" else 1.0
    means = {run: record["means"][run][lead] for run in record["runs"]}
    return sorted(means, key=lambda run: -math.inf if means[run] is None else sign * means[run], reverse=True)


def _leaderboard(record: Record) -> str:
    """Write the runs by their means: interval, difference to the baseline, other measures, unjudged share."""
    lead, *further = record["measures"]
    baseline, leaders = record["comparison"]["baseline"], record["conclusion"]["leaders"]
    of_baseline = {row["second"]: row for row in record["comparison"]["differences"] if row["measure"] == lead}
    shares = unjudged_shares(record)
    ends = [end for run in record["runs"] for end in (*record["intervals"][run][lead], record["means"][run][lead])]
    ends = [end for end in ends if end is not None] or [0.0, 1.0]
    edge = 0.05 * (max(ends) - min(ends))
    axis = min(ends) - edge, max(ends) + edge
    is_lower = record["better"][lead] == "lower"
    axis = axis[::-1] if is_lower else axis
    heads = [
        "run",
        _name(lead),
        f'<span class="toward">{_toward(is_lower=is_lower)}</span>95 % interval',
        *([f"against {_name(baseline)}"] if baseline else []),
        *map(_name, further),
    ]
    heads += ["unjudged"] if shares else []
    rows = []
    for run in ranked(record):
        mean, ends = record["means"][run][lead], record["intervals"][run][lead]
        cells = [f'<b class="number">{_mean(mean)}</b>', _bar_of_mean(mean, tuple(ends), axis, f"{run}: {_mean(mean)}")]
        if baseline:
            cells.append("" if run == baseline else _against(of_baseline[run]))
        cells += [_mean(record["means"][run][measure]) for measure in further]
        cells += [f"{100 * shares[run]:.0f} %" if run in shares else ""] if shares else []
        marked = ' class="leading"' if run in leaders else ""
        said = ' <span class="small">baseline</span>' if run == baseline else ""
        columns = "".join(f"<td>{cell}</td>" for cell in cells)
        rows.append(f'<tr{marked}><th scope="row">{_name(run)}{said}</th>{columns}</tr>')
    header = "".join(f'<th scope="col">{head}</th>' for head in heads)
    table = f'<table class="leaders"><thead><tr>{header}</tr></thead><tbody>{"".join(rows)}</tbody></table>'
    return f'<div class="scroll">{table}</div><p class="small caption">{escaped(_legend(record, of_baseline))}</p>'


def _against(row: Mapping[str, Any]) -> str:
    """Write a difference to the baseline, with a mark where it was decided."""
    mark = {"better": " ▲", "worse": " ▼", "equivalent": " ="}.get(row["word"], "")
    size = "n/a" if row["difference"] is None else escaped(figure(row["difference"]))
    return f'<span class="{row["word"].replace(" ", "-")}">{size}{mark}</span>'


def _legend(record: Record, of_baseline: Mapping[str, Mapping[str, Any]]) -> str:
    """Say what shades and marks of the leaderboard mean."""
    comparison = record["comparison"]
    alpha = f"{100 * (1 - comparison['level']):.3g} %"
    parts = [f"Shaded: not separated from the first ({alpha}, corrected over all pairs of runs)"]
    if comparison["baseline"]:
        family = max(row["comparisons"] for row in of_baseline.values())
        corrected = f", corrected for {family:,} comparisons" if family > 1 else ""
        parts.append(f"▲ better, ▼ worse than the baseline ({alpha}{corrected})")
    return f"{'. '.join(parts)}. Lines: bootstrap intervals of the means, which do not decide."


def unjudged_shares(record: Record) -> dict[str, float]:
    """Return the mean share of unjudged documents in the first ten, by run, if it is known."""
    shares = {}
    for run, judged in record["judged"].items():
        if unjudged := [1 - value for value in judged if value is not None]:
            shares[run] = sum(unjudged) / len(unjudged)
    return shares


def unjudged_favour(record: Record) -> str:
    """Name the runs with fewer unjudged documents, which count as not relevant; empty if the shares are alike."""
    shares = unjudged_shares(record)
    if len(shares) < 2 or max(shares.values()) - min(shares.values()) < _FAVOURED:  # noqa: PLR2004 - one is not favoured
        return ""
    least, most = (pick(shares, key=shares.__getitem__) for pick in (min, max))
    favoured = [run for run in ranked(record) if run in shares and shares[run] < min(shares.values()) + _FAVOURED / 2]
    named = " and ".join(filter(None, [", ".join(favoured[:-1]), favoured[-1]]))
    return (
        f"Unjudged in the first 10: {100 * shares[most]:.0f} % of {visible(most)}, {100 * shares[least]:.0f} % of"
        f" {visible(least)}; they count as not relevant, which favours {visible(named)}."
    )


def extremes(record: Record) -> str:
    """Write the queries that lose and gain most, or those with the lowest and the highest values of a single run."""
    lead, runs = record["measures"][0], record["pair"]
    if lead in record["whole"]:
        return f'<p class="small">By {_name(lead)} no query has a value of its own.</p>'
    second = record["values"][runs[-1]][lead]
    first = record["values"][runs[0]][lead] if len(runs) > 1 else [0.0] * len(second)
    sign = -1.0 if record["better"][lead] == "lower" else 1.0
    rows = [
        (sign * (after - before), before, after, number)
        for number, (before, after) in enumerate(zip(first, second, strict=True))
        if before is not None and after is not None
    ]
    rows.sort(key=lambda row: row[0])
    largest = max((abs(row[0]) for row in rows), default=0.0) or 1.0
    is_pair = len(runs) > 1
    ends = (
        [[row for row in rows if row[0] < 0], [row for row in rows[::-1] if row[0] > 0]]
        if is_pair
        else [rows, rows[::-1]]
    )
    ordered = ("lowest", "highest") if sign > 0 else ("highest", "lowest")
    words = ("loses most", "gains most") if is_pair else tuple(f"has its {end} values" for end in ordered)
    parts = []
    for side, (ranked, word) in enumerate(zip(ends, words, strict=True)):
        items = "".join(f"<li>{_extreme(record, row, largest, is_pair=is_pair)}</li>" for row in ranked[:_LISTED])
        none = f'<p class="small">{"No query gains." if side else "No query loses."}</p>'
        body = f'<ol class="extremes">{items}</ol>' if items else none
        parts.append(f"<div><h2>Where {_name(runs[-1])} {word}</h2>{body}</div>")
    return "".join(parts)


def _extreme(record: Record, row: tuple[float, float, float, int], largest: float, *, is_pair: bool) -> str:
    """Write a query with its values and a bar, all of it a link to its rankings."""
    gain, before, after, number = row
    query = record["queries"][number]
    shown = record["texts"][number] or query
    shown = shown if len(shown) <= _LETTERS else f"{shown[:_LETTERS]} …"
    shown_values = [Look(2).number(value, "share") for value in (before, after)]
    if shown_values[0] == shown_values[1]:
        shown_values = [Look(4).number(value, "share") for value in (before, after)]
    means = " → ".join(shown_values) if is_pair else _mean(after)
    direction = "auto" if record["texts"][number] else "ltr"
    return (
        f'<a data-query="{escape(query)}"><span class="clip" dir="{direction}">{escape(visible(shown))}</span>'
        f'<span class="small">{escaped(means)}</span>{_bar(gain, largest, is_pair=is_pair)}</a>'
    )


def _bar(gain: float, largest: float, *, is_pair: bool) -> str:
    """Draw a bar: from the middle to the side of its sign, or from the left."""
    size = max(abs(gain) / largest * (50 if is_pair else 100), 0.8)
    start = (50 if gain > 0 else 50 - size) if is_pair else 0
    kind = "amount" if not is_pair else "up" if gain > 0 else "down"
    filled = f'<rect class="filled {kind}" x="{start:.2f}%" width="{size:.2f}%" height="6" rx="3"/>' if gain else ""
    ground = '<rect class="ground" width="100%" height="6" rx="3"/>'
    return f'<svg class="track" width="120" height="6" aria-hidden="true">{ground}{filled}</svg>'


def groups(record: Record) -> str:
    """Write the differences of each group of queries by the first measure; nothing without groups."""
    if not record["comparison"]:
        return ""
    pair, lead = record["group_pair"], record["measures"][0]
    parts = []
    for column, every in record["comparison"]["slices"].items():
        ways = (way for row in every if row["measure"] == lead for way in (row, reversed_row(row)))
        rows = [row for row in ways if [row["first"], row["second"]] == pair]
        if not rows:
            continue
        beside = f": {_name(pair[1])} beside {_name(pair[0])}" if len(record["runs"]) > 2 else ""  # noqa: PLR2004 - of two
        reach = max(map(_reach, rows))
        caption = f'<p class="small caption">{escaped(_caption(record, rows))} To the right is better.</p>'
        parts.append(f"<h2>By {_name(column)}{beside}</h2>")
        parts.append(_list("groups", (_group(record, row, reach) for row in rows)) + caption)
    return "".join(parts)


def _group(record: Record, row: Mapping[str, Any], reach: float) -> str:
    """Write the difference of a group of queries: its size, both means, how many queries, and the interval."""
    size, word, kind = _size(row), WORDS[row["word"]], row["word"].replace(" ", "-")
    sign = -1.0 if record["better"][row["measure"]] == "lower" else 1.0
    drawing = _axis(row, reach, sign, f"{row['group']}: {size}, {word}", has_zero=False)
    means = f"{_mean(row['first_mean'])} → {_mean(row['second_mean'])}"
    return (
        f'<li><span class="clip">{_name(row["group"])}</span><b>{size}</b>'
        f'<span class="small">{means} · {row["queries"]:,}<span class="wide"> queries</span></span>'
        f'<span class="small wide">{_ends(row, record["comparison"]["level"])}</span>'
        f'<span class="wide drawn">{drawing}</span><span class="small {kind}">{word}</span></li>'
    )
