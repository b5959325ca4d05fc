"""Correlations of rankings as sheets."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from rankworth.correlation import warned
from rankworth.errors import counted
from rankworth.render import p_value
from rankworth.sheet import Column, Sheet
from rankworth.version import __version__

if TYPE_CHECKING:
    from rankworth.correlation.result import Correlation

_LOWEST: Final = 3
"""how many of the queries are named whose rankings are least alike"""


def of_one(told: "Correlation") -> Sheet:
    """Two rankings: a row for each method."""
    columns = [Column("method", "text", list(told.labels))]
    several = len(told.queries) > 1
    bounds = list(zip(told.low.tolist(), told.high.tolist(), strict=True)) if several else ()
    columns.append(Column("mean" if several else "value", "value", told.means.tolist(), bounds=bounds))
    ends = ((name, side) for name, side in (("min", told.least), ("max", told.most)) if not np.isnan(side).all())
    columns += [Column(name, "value", _means(side)) for name, side in ends]
    if not np.isnan(told.p_values).all() and not several:
        columns.append(Column("p", "number", [p_value(p) for p in told.p_values[0].tolist()]))
    if several:
        columns.append(Column("queries", "count", (~np.isnan(told.values)).sum(axis=0).tolist()))
    return Sheet(
        tuple(columns),
        (*told.notes, *_lowest(told), *_beyond(told), *_sure(told)),
        comment(told),
        tuple(f"{text}   [{slug}]" for slug, text in told.warnings),
        f"{told.names[0]} and {told.names[1]}: {_sizes(told)}",
    )


def of_several(told: Sequence["Correlation"]) -> Sheet:
    """Several runs: a row for every two of them."""
    first = told[0]
    columns = [Column(name, "text", [one.names[place] for one in told]) for place, name in enumerate(("run", "and"))]
    for place, label in enumerate(first.labels):
        bounds = [(float(one.low[place]), float(one.high[place])) for one in told]
        columns.append(Column(label, "value", [float(one.means[place]) for one in told], bounds=bounds))
    counts = [len(one.queries) for one in told]
    if min(counts) < max(counts):
        columns.append(Column("queries", "count", counts))
    tied = "equal scores" if any(one.tied for one in told) else ""
    notes = [*warned.rules(first.methods, "the first of two runs", tied), *_left_out(told), *_sure(first)]
    empty = sum(any(size == 0 for size in row[:2]) for one in told for row in one.sizes.tolist())
    if empty:
        notes.insert(
            0, f"{counted(empty, 'time', 'times')} a run does not answer a query of the other one: an empty ranking"
        )
    over = "" if min(counts) < max(counts) else f", over {counted(counts[0])}"
    title = f"{len({name for one in told for name in one.names})} runs, each with each{over}"
    return Sheet(tuple(columns), tuple(notes), comment(first), title=title)


def comment(told: "Correlation") -> str:
    """How the numbers came about, in one line."""
    missing = f"|missing:{told.missing}" if any(one.correlates for one in told.methods) else ""
    seed = f"|seed:{told.seed}" if len(told.queries) > 1 else ""
    return f"{' '.join(told.labels)}{missing}|rankworth:{__version__}{seed}"


def _sizes(told: "Correlation") -> str:
    """How many documents there are."""
    first, second, common = told.sizes.sum(axis=0).tolist()
    if len(told.queries) == 1:
        return f"{first:,} and {counted(second, 'item', 'items')}, {common:,} common"
    each = [f"{total / len(told.queries):,.1f}" for total in (first, second, common)]
    return f"{counted(len(told.queries))}, on average {each[0]} and {each[1]} documents, {each[2]} common"


def _lowest(told: "Correlation") -> list[str]:
    """The queries whose rankings are least alike."""
    every = told.lowest(len(told.queries))
    rows = [row for row in every if row.first and row.second]  # that nothing is not like something needs no saying
    if len(rows) <= _LOWEST or rows[0].value == rows[-1].value:
        return []
    least = ", ".join(f"{row.query} {row.value:.4f}" for row in rows[:_LOWEST])
    return [f"least alike by {told.labels[0]}: {least}"]


def _left_out(told: Sequence["Correlation"]) -> list[str]:
    """What is not in the numbers of several runs: documents of one of two alone, and queries without a value."""
    labels = [one.label for one in told[0].methods if one.correlates]
    differing = labels and any((one.sizes != one.sizes[:, :1]).any() for one in told)
    how = "are left out" if told[0].missing == "common" else "stand behind all others, tied"
    notes = [f"{', '.join(labels)}: documents of one run alone {how}"] if differing else []
    void: dict[int, list[str]] = {}
    for place, label in enumerate(told[0].labels):
        void.setdefault(sum(int(np.isnan(one.values[:, place]).sum()) for one in told), []).append(label)
    times = sum(len(one.queries) for one in told)
    more = [
        f"{', '.join(void[count])}: undefined {counted(count, 'time', 'times')} of {times:,}" for count in void if count
    ]
    return [*notes, *(f"{text}, which the means leave out" for text in more)]


def _beyond(told: "Correlation") -> list[str]:
    if np.isnan(told.least).all():
        return []
    return ["min, max: what documents beyond the ends of the rankings could make of it"]


def _sure(told: "Correlation") -> list[str]:
    if len(told.queries) == 1:
        return []
    return [f"{100 * told.level:g} % intervals of the means (BCa bootstrap over queries, seed {told.seed})"]


def _means(side: np.ndarray[tuple[int, int], np.dtype[np.float64]]) -> list[float]:
    known = ~np.isnan(side)
    counts = known.sum(axis=0)
    return [float(np.nanmean(side[:, place])) if counts[place] else float("nan") for place in range(side.shape[1])]
