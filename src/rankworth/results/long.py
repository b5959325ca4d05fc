"""Means in long form, as data warehouses load them: a row for each run, group and measure."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from rankworth.profiles import Signature
from rankworth.results.tables import ALL, SEED
from rankworth.tables.columns import Column, Kind, Sheet
from rankworth.tables.data import spelled

if TYPE_CHECKING:
    from rankworth.results.values import Interval, RunValues, Values

_KINDS: Final[Mapping[str, Kind]] = {
    "run": "text",
    "group": "text",
    "measure": "text",
    "mean": "value",
    "low": "value",
    "high": "value",
    "level": "value",
    "queries": "count",
    "signature": "text",
}


class MeanRow(NamedTuple):
    """The mean of one measure.

    Attributes:
        run: the name of the run.
        group: the group of queries, `(all)` for all of them; empty where no groups are shown.
        measure: the name that the measure was asked for by.
        mean: NaN where it is undefined.
        low: lower end of the confidence interval; NaN where there is none.
        high: upper end.
        level: confidence level of the interval; None where there is none.
        queries: how many queries have a value.
        signature: how the values came about, in one line.

    """

    run: str
    group: str
    measure: str
    mean: float
    low: float
    high: float
    level: float | None
    queries: int
    signature: str


def mean_rows(table: "RunValues", level: float | None) -> Iterator[MeanRow]:
    """Yield the means of runs and of their groups, with intervals where there is a level."""
    for name, values in table.items():
        yield from rows({"name": name, **measured(values, level)}, [*values])


def measured(values: "Values", level: float | None) -> dict[str, Any]:
    """Return the means of a run and of its groups, with their signatures, as results files hold them.

    Args:
        values: the values of the run.
        level: confidence level of intervals; None for none.

    """
    of_run = {"signatures": dict(sorted(values.signatures.items())), **_means(values, values.per_query.kinds, level)}
    groups = {
        group: {"queries": part.counts.scored, "signature": part.signature, **_means(part, {}, level)}
        for group, part in values.slices.items()
    }
    return of_run | ({"groups": groups} if groups else {})


def _means(values: "Values", kinds: Mapping[str, Kind], level: float | None) -> dict[str, Any]:
    """Return means by measure, and their intervals where there is a level."""
    means = {"mean": {label: recorded(mean, kinds.get(label)) for label, mean in sorted(values.mean().items())}}
    return means if level is None else means | {"interval": recorded_intervals(values.interval(level=level, seed=SEED))}


def recorded_intervals(intervals: "Mapping[str, Interval]") -> dict[str, Any]:
    """Return intervals by measure as results files hold them."""
    return {
        label: {"low": recorded(low, None), "high": recorded(high, None), "level": level}
        for label, (low, high, level) in sorted(intervals.items())
    }


def recorded(value: float, kind: Kind | None) -> float | str | None:
    """Return a number as it stands in a file: counts as whole numbers, None for NaN, and `Infinity` as a text."""
    if math.isnan(value):
        return None
    return int(value) if kind == "count" and value.is_integer() else spelled(value)


def rows(run: Mapping[str, Any], measures: Sequence[str]) -> Iterator[MeanRow]:
    """Yield the rows of a run and of its groups, from its part of the record that results files hold.

    Args:
        run: `name`, `signatures`, `mean` and, where there are some, `interval` and `groups`.
        measures: the measures in the order wanted; a group may lack some.

    """
    groups: Mapping[str, Any] = run.get("groups", {})
    for group, part in ((ALL if groups else "", run), *groups.items()):
        for measure in measures if part is run else filter(part["mean"].__contains__, measures):
            line = Signature.parse(run["signatures"][measure])
            if part is not run:
                line = replace(line, queries=Signature.parse(part["signature"]).queries)
            interval = part.get("interval", {}).get(measure, {})
            low, high = (restored(interval.get(end)) for end in ("low", "high"))
            level = None if math.isnan(low) and math.isnan(high) else interval["level"]
            yield MeanRow(
                run["name"], group, measure, restored(part["mean"][measure]), low, high, level, line.size, str(line)
            )


def restored(cell: float | str | None) -> float:
    """Return the number that stands in a record: NaN for None, infinity for `Infinity`."""
    return math.nan if cell is None else float(cell)


def sheet(
    table: Iterable[MeanRow], notes: Sequence[str] = (), ahead: Mapping[str, Sequence[str]] | None = None
) -> Sheet:
    """Make a table in long form; there is a column of groups where some row is of a group.

    Args:
        table: the rows.
        notes: sentences that belong below the table.
        ahead: columns of text that stand first.

    """
    listed = list(table)
    columns = [Column(name, "text", values) for name, values in (ahead or {}).items()]
    for index, name in enumerate(MeanRow._fields):
        if name != "group" or any(row.group for row in listed):
            columns.append(Column(name, _KINDS[name], [row[index] for row in listed]))
    return Sheet(tuple(columns), tuple(notes), has_infinite=True)
