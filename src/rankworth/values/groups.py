"""The values of each group, and the intervals of means, whatever they are weighted by."""

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from rankworth import averaging, slices
from rankworth.statistics import bootstrap_interval
from rankworth.values.counts import Counts
from rankworth.values.queries import Floats

if TYPE_CHECKING:
    from rankworth.columns import Standing
    from rankworth.values.runs import Behind, Values


def behind(values: "Values") -> "Behind":
    """What stands behind the values of a run."""
    return values._behind  # noqa: SLF001 - the one door to it


def parts(values: "Values") -> "dict[str, Values]":
    """The values of each group that has a query, in the order of groups; none where no groups were asked for."""
    by, base, columns = values.by, behind(values).base, behind(values).columns
    if by is None or base is None:
        return {}
    standings = {id(one): one for one in (base[0], *(column.standing for column in columns))}
    found = {key: by.parts(one.queries) for key, one in standings.items()}
    names = set(values.per_query.groups)
    names |= {name for one in columns for name in by.labels(one.standing.of(one.rows.missing))}
    return {
        name: _part(values, name, {key: part.of(name) for key, part in found.items()}) for name in by.ordered(names)
    }


def _part(values: "Values", name: str, rows: dict[int, averaging.Mask]) -> "Values":
    """The values of one group.

    Args:
        values: those of all.
        name: of the group.
        rows: its queries, by the standing that they are in.

    """
    whole = behind(values)
    others = {query for one in whole.columns for query in one.rows.others}
    if others and values.by is not None:
        others = {query for query in others if values.by.labels([query]) == [name]}
    columns = (one.part(rows[id(one.standing)], others.intersection(one.rows.others)) for one in whole.columns)
    return replace(
        values,
        per_query=values.per_query.part(name),
        counts=Counts(0, 0, 0, 0, 0) if whole.base is None else _counts(values, *whole.base, rows[id(whole.base[0])]),
        notices=(),
        by=None,
        _behind=replace(whole, graded=0, columns=tuple(columns), base=None),
    )


def _counts(values: "Values", standing: "Standing", scored: averaging.Mask, part: averaging.Mask) -> Counts:
    return Counts.of(replace(standing, judged=standing.judged & part), scored & part, values.per_query.id_kinds)


def ends(values: "Values", level: float, seed: int) -> tuple[Floats, Floats]:
    """The ends of the intervals of all means; of each alone where not all have values for the same queries.

    Args:
        values: the values.
        level: the confidence level.
        seed: of the resampling.

    """
    ways = [measure.averaging for measure in values.measures]
    table = values.per_query.array
    odd = any(one.absent.size or one.divisor is not None or one.sliced for one in behind(values).columns)
    if values.per_query.there is None and not odd and not np.isnan(table).any():
        low, high = bootstrap_interval(averaging.additive(table, ways), level=level, seed=seed)
        return averaging.back(low, ways), averaging.back(high, ways)
    bounds = []
    for column in behind(values).columns:
        sample = column.sampled()
        one = averaging.additive(sample.values[:, None], [column.way])
        if sample.weights is not None or sample.groups is not None:
            found = slices.intervals(one, sample.weights, sample.groups, level=level, seed=seed)
        elif len(one) and not np.isnan(one).any():
            found = bootstrap_interval(one, level=level, seed=seed)
        else:
            found = (np.full(1, np.nan),) * 2
        bounds.append([float(averaging.back(end, [column.way])[0]) for end in found])
    low, high = np.array(bounds, dtype=np.float64).reshape(-1, 2).T
    return low, high
