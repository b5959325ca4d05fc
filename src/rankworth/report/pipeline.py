"""The section of a report on a pipeline: the stage to work on, ceilings, steps, losses and the flow of documents.

HTML and SVG that need no script; it is made of what `trace` returns.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from itertools import pairwise
from typing import Any, Final

from rankworth.pipelines.tracing import STATES, band_starts
from rankworth.report.first_screen import WORDS, escaped
from rankworth.tables.look import Look, visible
from rankworth.tables.wording import figure

Record = Mapping[str, Any]

_KINDS: Final = dict(zip(STATES, ("first", "below", "absent"), strict=True))
"""classes of the states of documents"""
_LISTED: Final = 3
"""how many queries are listed of each loss; the others are folded"""
_BAR: Final = 0.3
"""the width of the bar of a stage, where stages are 1 apart"""
_HEIGHT: Final = 100


def section(record: Record) -> str:
    """Write the section; empty where no pipeline was traced.

    Args:
        record: what the report says; `pipeline` is the record of `Trace`, with the rows of `plots.data.flow`.

    """
    traced = record["pipeline"]
    if traced is None:
        return ""
    parts = [
        f"<h2>{escaped(_sentence(traced))}</h2>",
        _stages(traced),
        _losses(traced),
        _flow(traced),
        _queries(record, traced),
        _groups(traced),
        f"<details><summary>Ceilings by depth</summary>{_depths(traced)}</details>",
        *(f'<p class="note">{escaped(each["text"])}</p>' for each in traced["warnings"]),
        *(f'<p class="small caption">{escaped(note)}</p>' for note in traced["notes"]),
    ]
    return "".join(parts)


def verdict(record: Record) -> str:
    """Write the stage to work on, for the first screen; empty where no pipeline was traced."""
    traced = record["pipeline"]
    return "" if traced is None else f'<p class="line">{escaped(_sentence(traced))}.</p>'


def _sentence(traced: Record) -> str:
    return f"Pipeline: {visible(traced['verdict'])}"


def _name(name: str) -> str:
    return f"<bdi>{escape(visible(name))}</bdi>"


def _mean(value: float | None) -> str:
    return escaped(Look(3).number(value, "share"))


def _table(kind: str, heads: Iterable[str], rows: Iterable[Sequence[str]]) -> str:
    """Write a table whose first cells are the names of rows."""
    header = "".join(f'<th scope="col">{head}</th>' for head in heads)
    body = "".join(
        f'<tr><th scope="row">{first}</th>{"".join(f"<td>{cell}</td>" for cell in cells)}</tr>'
        for first, *cells in rows
    )
    return f'<table class="{kind}"><thead><tr>{header}</tr></thead><tbody>{body}</tbody></table>'


def _stages(traced: Record) -> str:
    """Write what each stage could reach and realises, drawn and in figures, and the step from the stage before."""
    heads = ("stage", "candidates", "", "ceiling", "realised", "of it", "step, 95 %")
    steps = ["", *(_step(before, after) for before, after in pairwise(traced["stages"]))]
    rows = [
        (
            _name(stage["stage"]),
            f"{stage['documents']:,.1f}",
            _reach(stage, traced["best"]),
            _mean(stage["ceiling"]),
            f'<b class="number">{_mean(stage["realised"])}</b>',
            "n/a" if stage["share"] is None else f"{100 * stage['share']:.0f} %",
            step,
        )
        for stage, step in zip(traced["stages"], steps, strict=True)
    ]
    caption = (
        f"Means of {visible(traced['measure'])}; all judged documents in their best order have {traced['best']:.3f}. "
        "Filled: realised; line: ceiling."
    )
    return f'<div class="scroll">{_table("stages", heads, rows)}</div><p class="small caption">{escaped(caption)}</p>'


def _step(before: Record, after: Record) -> str:
    """Write the difference to the stage before with its interval and its word, and which runs it is between."""
    size = "n/a" if after["difference"] is None else figure(after["difference"])
    has_ends = after["low"] is not None and after["high"] is not None
    ends = f"{figure(after['low'])} to {figure(after['high'])}" if has_ends else "no interval"
    word = WORDS.get(after["word"], after["word"])
    return (
        f'<span class="{after["word"].replace(" ", "-")}">{escaped(size)} {escape(word)}</span>'
        f'<span class="small step">{escaped(ends)}<br>{_name(before["run"])} → {_name(after["run"])}</span>'
    )


def _reach(stage: Record, best: float) -> str:
    """Draw the realised value of a stage and its ceiling, as parts of the value of all judged documents."""
    full = best or 1.0
    realised, ceiling = (f"{100 * stage[name] / full:.2f}%" for name in ("realised", "ceiling"))
    return (
        '<svg class="track" width="100%" height="12" aria-hidden="true"><rect class="ground" width="100%" height="12"/>'
        f'<rect class="possible" width="{ceiling}" height="12"/><rect class="filled" width="{realised}" height="12"/>'
        f'<line class="limit" x1="{ceiling}" x2="{ceiling}" y1="0" y2="12"/></svg>'
    )


def _losses(traced: Record) -> str:
    """Write the sources of the difference between possible and realised values, the largest loss in bold."""
    largest = max(traced["losses"], key=lambda loss: loss["loss"])
    rows = [
        (
            _name(loss["stage"]),
            loss["kind"],
            f"<b>{_mean(loss['loss'])}</b>" if loss is largest and loss["loss"] > 0 else _mean(loss["loss"]),
            f"{loss['documents']:,}",
        )
        for loss in traced["losses"]
    ]
    heads = ("stage", "lost", "loss", "relevant documents")
    table = f'<div class="scroll">{_table("losses kinds", heads, rows)}</div>'
    return f"<h3>Where {_name(traced['measure'])} is lost</h3>{table}"


def _flow(traced: Record) -> str:
    """Draw how many relevant documents of each stage stand on the first ranks, below or nowhere, and what they become.

    The figures stand under the bars, as text.
    """
    names = [stage["stage"] for stage in traced["stages"]]
    rows = traced["flow"]
    counts = {
        name: {row["state"]: row["documents"] for row in rows if row["stage"] == name and not row["next_stage"]}
        for name in names
    }
    total = sum(counts[names[0]].values())
    if not total:
        return ""
    moves = [[row for row in rows if row["stage"] == name and row["next_stage"]] for name in names]
    marks = "".join(
        [
            *(_bands(index, move, total) for index, move in enumerate(moves)),
            *(_bar(index, counts[name], total) for index, name in enumerate(names)),
        ]
    )
    cutoff = traced["cutoff"]
    labels = {STATES[0]: f"on the first {cutoff}", STATES[1]: "below", STATES[2]: "absent"}
    cells = "".join(
        f"<li><b>{_name(name)}</b>"
        + "".join(
            f'<span class="small {_KINDS[state]}">{counts[name].get(state, 0):,} {labels[state]}</span>'
            for state in STATES
        )
        + "</li>"
        for name in names
    )
    sentence = "; ".join(
        f"{visible(name)}: {', '.join(f'{counts[name].get(state, 0):,} {labels[state]}' for state in STATES)}"
        for name in names
    )
    return (
        f"<h3>What becomes of {total:,} relevant document{'' if total == 1 else 's'}</h3>"
        f'<div class="flow"><svg viewBox="0 0 {len(names)} {_HEIGHT}" preserveAspectRatio="none" width="100%" '
        f'height="160" role="img" aria-label="{escape(sentence)}">{marks}</svg><ol>{cells}</ol></div>'
    )


def _bar(index: int, counts: Mapping[str, int], total: int) -> str:
    """Draw the bar of a stage: its documents by state, those on the first ranks on top."""
    top, marks = 0.0, ""
    for state in STATES:
        height = _HEIGHT * counts.get(state, 0) / total
        left = f"{index + 0.5 - _BAR / 2:.3f}"
        marks += f'<rect class="{_KINDS[state]}" x="{left}" y="{top:.3f}" width="{_BAR}" height="{height:.3f}"/>'
        top += height
    return marks


def _bands(index: int, rows: Sequence[Record], total: int) -> str:
    """Draw what documents of a stage become at the next one: bands between two bars, the colour that of the latter."""
    starts = band_starts(rows)
    start, end = index + 0.5 + _BAR / 2, index + 1.5 - _BAR / 2
    middle = (start + end) / 2
    marks = ""
    for row in rows:
        height = _HEIGHT * row["documents"] / total
        left, right = (_HEIGHT * before / total for before in starts[row["state"], row["next_state"]])
        path = (
            f"M{start:.3f} {left:.3f}C{middle:.3f} {left:.3f} {middle:.3f} {right:.3f} {end:.3f} {right:.3f}"
            f"V{right + height:.3f}C{middle:.3f} {right + height:.3f} {middle:.3f} {left + height:.3f} "
            f"{start:.3f} {left + height:.3f}Z"
        )
        marks += f'<path class="{_KINDS[row["next_state"]]}" d="{path}"/>'
    return marks


def _queries(record: Record, traced: Record) -> str:
    """Write the queries with the largest losses at each stage, with links to rankings on the page."""
    parts = []
    on_page = set(record["queries"])
    for loss in traced["losses"]:
        key = loss["stage"], loss["kind"]
        rows = [row for row in traced["queries"] if (row["stage"], row["kind"]) == key]
        if not rows:
            continue
        items = [f"<li>{_query(row, is_known=str(row['query']) in on_page)}</li>" for row in rows]
        shown = f'<ol class="extremes">{"".join(items[:_LISTED])}</ol>'
        if rest := items[_LISTED:]:
            shown += f'<details><summary>{len(rest)} more</summary><ol class="extremes">{"".join(rest)}</ol></details>'
        parts.append(f"<div><h3>{_name(loss['stage'])}: {loss['kind']}</h3>{shown}</div>")
    return f'<div class="worst">{"".join(parts)}</div>' if parts else ""


def _query(row: Record, *, is_known: bool) -> str:
    query = str(row["query"])
    text = f'<span class="clip" dir="{"auto" if row["text"] else "ltr"}">{escape(visible(row["text"] or query))}</span>'
    size = f'<span class="small">{escaped(figure(-row["loss"]))}</span>'
    link = f' data-query="{escape(query)}"' if is_known else ""
    return f"<a{link}>{text}{size}</a>"


def _groups(traced: Record) -> str:
    """Write what each group of queries loses, a row a group; nothing without groups."""
    if not traced["groups"]:
        return ""
    kinds = [(loss["stage"], loss["kind"]) for loss in traced["losses"]]
    losses: dict[str, dict[tuple[str, str], Any]] = {}
    for row in traced["groups"]:
        losses.setdefault(row["group"], {})[row["stage"], row["kind"]] = row
    heads = ("group", "queries", *(f"{_name(stage)}: {kind}" for stage, kind in kinds))
    rows = [
        (_name(group), f"{next(iter(of.values()))['queries']:,}", *(_mean(of[kind]["loss"]) for kind in kinds))
        for group, of in losses.items()
    ]
    return f'<h3>Losses by group</h3><div class="scroll">{_table("losses", heads, rows)}</div>'


def _depths(traced: Record) -> str:
    """Write the ceiling of the first documents of each run of a stage."""
    depths = list(dict.fromkeys(row["depth"] for row in traced["depths"]))
    table = _table("losses", ("stage", *(f"{depth:,}" for depth in depths)), _by_depth(traced, depths))
    return f'<div class="scroll">{table}</div>'


def _by_depth(traced: Record, depths: Sequence[int]) -> Iterator[Sequence[str]]:
    for stage in traced["stages"]:
        ceilings = {row["depth"]: row["ceiling"] for row in traced["depths"] if row["stage"] == stage["stage"]}
        yield (_name(stage["stage"]), *(_mean(ceilings[depth]) for depth in depths))
