"""Agreement as sheets: figures with intervals, who grades higher, the confusion table, each grade, groups."""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from rankworth.agreements.told import Estimate, Figures
from rankworth.errors import counted
from rankworth.render import p_value, signed
from rankworth.sheet import Column, Kind, Sheet
from rankworth.version import __version__

if TYPE_CHECKING:
    from rankworth.agreements.result import Agreement

_TITLES: Final = {
    "equal": "equal grades",
    "kappa": "kappa",
    "linear": "kappa, linear weights",
    "quadratic": "kappa, quadratic weights",
    "alpha_nominal": "alpha, nominal",
    "alpha_ordinal": "alpha, ordinal",
    "alpha_interval": "alpha, interval",
}
_OF_GROUPS: Final = {"equal": "equal", "kappa": "kappa", "quadratic": "quadratic", "alpha_ordinal": "alpha"}
_GRADES: Final = 20
"""grades up to which there is a confusion table"""


def sheets(told: "Agreement") -> Iterator[Sheet]:
    """What there is to see."""
    warnings = tuple(f"{text}   [{slug}]" for slug, text in told.warnings)
    yield _figures(told, (*told.notes, *_counts(told), _method(told)), warnings)
    yield _bias(told)
    if len(told.grades) <= _GRADES:
        yield _table(told)
    yield _grades(told)
    if told.groups:
        yield _groups(told)


def _figures(told: "Agreement", notes: tuple[str, ...], warnings: tuple[str, ...]) -> Sheet:
    titles = dict(_TITLES)
    if told.rel is not None:
        titles |= {"relevant_equal": f"relevant (from {told.rel:g}): equal", "relevant_kappa": "relevant: kappa"}
    found = [getattr(told.overall, name) for name in titles]
    columns = (
        Column("agreement", "text", list(titles.values())),
        Column("value", "value", [one.value for one in found], bounds=_bounds(found)),
    )
    pairs = f"{told.overall.pairs:,} {'pair' if told.overall.pairs == 1 else 'pairs'}"
    queries = counted(told.overall.queries)
    comment = f"agreement|distance:{told.distance}|rankworth:{__version__}|seed:{told.seed}"
    return Sheet(columns, notes, comment, warnings, f"{told.names[0]} and {told.names[1]}: {pairs} of {queries}")


def _counts(told: "Agreement") -> Iterator[str]:
    """Who judged how much, where that is not the same."""
    judged, (first, second) = told.judged, told.names
    if judged.first_only or judged.second_only:
        alone = f"{first} alone {judged.first_only:,}, {second} alone {judged.second_only:,}"
        yield f"pairs judged: {first} {judged.first:,}, {second} {judged.second:,}; both {judged.both:,}, {alone}"
    if not judged.first_queries == judged.second_queries == judged.both_queries:
        each = f"{first} {judged.first_queries:,}, {second} {judged.second_queries:,}"
        yield f"queries judged: {each}; with pairs that both judged {judged.both_queries:,}"


def _method(told: "Agreement") -> str:
    how = f"BCa bootstrap over queries, {told.resamples:,} resamples, seed {told.seed}"
    return f"{100 * told.level:g} % intervals ({how})"


def _bias(told: "Agreement") -> Sheet:
    bias = told.bias
    columns = (
        Column("grades", "text", [f"{told.names[1]} - {told.names[0]}"]),
        Column("mean", "number", [signed(bias.mean)], bounds=_bounds([Estimate(bias.mean, bias.low, bias.high)])),
        Column("higher", "count", [bias.higher]),
        Column("equal", "count", [bias.equal]),
        Column("lower", "count", [bias.lower]),
        Column("p", "number", [p_value(bias.p)]),
        Column("verdict", "number", [bias.word]),
    )
    who = {
        "higher": f"{told.names[1]} grades higher than {told.names[0]}",
        "lower": f"{told.names[1]} grades lower than {told.names[0]}",
        "equal": "no grade differs",
        "unclear": "neither judge can be told to grade higher",
    }
    return Sheet(
        columns, (f"{who[bias.word]} (t test over queries, p < {1 - told.level:.2g})",), title="who grades higher"
    )


def _table(told: "Agreement") -> Sheet:
    texts = [f"{grade:g}" for grade in told.grades]
    columns = [Column(told.names[0], "text", [*texts, "all"])]
    sums = told.table.sum(axis=0).tolist()
    for place, text in enumerate(texts):
        columns.append(Column(text, "count", [*told.table[:, place].tolist(), sums[place]]))
    columns.append(Column("all", "count", [*told.table.sum(axis=1).tolist(), sum(sums)]))
    return Sheet(tuple(columns), title=f"grades of {told.names[0]} (rows) and {told.names[1]} (columns)")


def _grades(told: "Agreement") -> Sheet:
    rows = told.per_grade
    instead = ["" if math.isnan(one.instead) else f"{one.instead:g} ({100 * one.instead_share:.0f} %)" for one in rows]
    columns = (
        Column("grade", "text", [f"{one.grade:g}" for one in rows]),
        Column(told.names[0], "count", [one.first for one in rows]),
        Column(told.names[1], "count", [one.second for one in rows]),
        Column("both", "count", [one.both for one in rows]),
        Column("agreement", "share", [one.agreement for one in rows]),
        Column("kappa", "value", [one.kappa for one in rows]),
        Column("instead", "number", instead),
    )
    note = (
        f"agreement: 2 both / ({told.names[0]} + {told.names[1]}); kappa: the grade against all others; instead: what"
    )
    more = f"{told.names[1]} gives most often where {told.names[0]} alone gives the grade"
    return Sheet(columns, (f"{note} {more}",), title="grade by grade")


def _groups(told: "Agreement") -> Sheet:
    rows = list(told.groups.values())
    columns = [
        Column(told.by, "text", [one.group for one in rows]),
        Column("queries", "count", [one.queries for one in rows]),
        Column("pairs", "count", [one.pairs for one in rows]),
    ]
    for name, title in _OF_GROUPS.items():
        found: list[Estimate] = [getattr(one, name) for one in rows]
        kind: Kind = "share" if name == "equal" else "value"
        columns.append(Column(title, kind, [one.value for one in found], bounds=_bounds(found)))
    bias = [one.bias for one in rows]
    columns.append(Column("bias", "number", [signed(one.value) for one in bias], bounds=_bounds(bias)))
    note = f"quadratic: kappa with these weights; alpha: ordinal; bias: {told.names[1]} - {told.names[0]}"
    return Sheet(tuple(columns), (note,), title=f"by {told.by}")


def rows(every: list[Figures], names: tuple[str, ...]) -> Iterator[dict[str, float | str | int]]:
    """One row for each figure of each group, for programs."""
    for one in every:
        for name in names:
            found: Estimate = getattr(one, name)
            yield {
                "group": one.group,
                "figure": name,
                "value": found.value,
                "low": found.low,
                "high": found.high,
                "pairs": one.pairs,
                "queries": one.queries,
            }


def _bounds(found: list[Estimate]) -> list[tuple[float, float]]:
    """The intervals; nothing where no figure has one, as of a single query."""
    return [] if all(math.isnan(one.low) for one in found) else [(one.low, one.high) for one in found]
