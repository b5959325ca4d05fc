"""The values of several systems side by side: a column for each system and measure, of the queries that all have."""

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import compress
from typing import Any, Final

import numpy as np

from rankworth import names, stats
from rankworth.arrays import Floats, Integers
from rankworth.comparison.scores import Scores, SystemScores, require_same_settings, values_signature
from rankworth.errors import InputError, MeasureError, UsageError, counted, quoted
from rankworth.groups import Groups, Slices, Weights
from rankworth.io.validate import IdKinds
from rankworth.measures.core import TOGETHER, Better
from rankworth.profiles import STANDARD, Signature, signature
from rankworth.results.long import MeanRow, recorded, recorded_intervals, rows
from rankworth.results.tables import SEED, best_end
from rankworth.results.values import Interval
from rankworth.scoring.columns import Column, Mask
from rankworth.scoring.intervals import intervals
from rankworth.scoring.whole_runs import WholeRun, refuse_weights
from rankworth.tables.columns import Best, Kind

_NO_SCORES: Final[Mapping[str, Scores]] = {}


@dataclass(frozen=True, repr=False)
class ScoreTable:
    """The values of all systems over the queries that they share.

    Attributes:
        systems: their names, the baseline first if there is one.
        queries: the ids, in the order of their bytes.
        measures: what tables call the measures.
        scores: by system and measure the column of these queries.
        signatures: how the values of each measure came about.
        slices: what each query counts, and which groups count alike, by their labels; and the groups that are shown.
        groups: by column and group, in order, the queries of the group: `[Q]`.
        first_relevant: `[S][Q]`, ranks of the first relevant document, None where they are not known.
        ids: whether ids of queries came as integers.
        noise: by measure the runs of one unchanged system that only tell how identical runs vary; empty without them.

    """

    systems: tuple[str, ...]
    queries: tuple[str, ...]
    measures: tuple[str, ...]
    scores: Mapping[str, Mapping[str, Scores]]
    signatures: Mapping[str, str]
    slices: Slices = field(default_factory=Slices)
    groups: Mapping[str, Mapping[str, Mask]] = field(default_factory=dict)
    first_relevant: Sequence[Sequence[int | None]] = ()
    ids: IdKinds = field(default_factory=IdKinds, compare=False, repr=False)
    noise: Mapping[str, Scores] = field(default_factory=lambda: _NO_SCORES)

    def __repr__(self) -> str:
        """Say whose values there are, of how many queries."""
        return f"ScoreTable({quoted(self.systems)}; {quoted(self.measures)}; {counted(len(self.queries))})"

    @property
    def kinds(self) -> dict[str, Kind]:
        """What the values of each measure are."""
        return {name: self.scores[self.systems[0]][name].kind for name in self.measures}

    @cached_property
    def better(self) -> dict[str, Better]:
        """Which end of each measure's scale is better."""
        return {name: self.scores[self.systems[0]][name].better for name in self.measures}

    @property
    def signs(self) -> Floats:
        """`[M]`: 1 where higher is better, -1 where lower is."""
        return np.array([1.0 if self.better[name] == "higher" else -1.0 for name in self.measures])

    @cached_property
    def canonical(self) -> dict[str, str]:
        """The canonical name of each measure."""
        return {name: Signature.parse(self.signatures[name]).measure for name in self.measures}

    @cached_property
    def values(self) -> Floats:
        """`[S, M, Q]`, the values that count, or NaN."""
        rows = [[self.scores[system][name].values for name in self.measures] for system in self.systems]
        return np.array(rows).reshape(len(self.systems), len(self.measures), len(self.queries))

    @cached_property
    def whole(self) -> Mask:
        """`[M]`: whether a measure is one of all queries together."""
        return np.array([isinstance(self._column(name).link, WholeRun) for name in self.measures], dtype=bool)

    @property
    def jackknifed(self) -> list[str]:
        """The measures whose standard errors are those of the jackknife."""
        return list(compress(self.measures, self.whole.tolist()))

    def require_queries(self, measure: str, why: str, remedy: str) -> None:
        """Refuse a measure of all queries together, by any of its names, for what is about single ones.

        Args:
            measure: the measure; one that is not compared is not refused here.
            why: what is about queries, as the end of a sentence.
            remedy: what helps.

        Raises:
            UsageError: `conflicting-options`.

        """
        column = names.column_of(measure, self.measures, list(self.canonical.values()))
        if column is not None and self.whole[column]:
            raise UsageError("conflicting-options", f"{measure} {TOGETHER}, and {why}", remedy=remedy)

    @cached_property
    def values_of_queries(self) -> Floats:
        """`[S, M, Q]`, the value of each query by itself, or NaN."""
        rows = [np.where(column.counted, column.values_of_queries, np.nan) for column in self._columns()]
        return np.array(rows).reshape(self.values.shape)

    def intervals(self, level: float, seed: int) -> Floats:
        """Return `[2, S, M]`, the ends of the intervals of all means, as an evaluation of these queries has them."""
        return np.array(intervals([*self._columns()], level, seed)).reshape(2, *self.means.shape)

    def mean_rows(self, level: float) -> Iterator[MeanRow]:
        """Yield the means of systems in long form, with intervals, and those of groups of queries that are shown."""
        parts = self.parts()
        groups = {
            name if len(parts) == 1 else f"{column}: {name}": part
            for column, of_column in parts.items()
            for name, part in of_column.items()
        }
        of_groups = {name: _recorded_means(part, level) for name, part in groups.items()}
        for system, means in _recorded_means(self, level).items():
            run = {"name": system, "signatures": self.signatures, **means}
            run["groups"] = {name: of_group[system] for name, of_group in of_groups.items()}
            yield from rows(run, self.measures)

    def _column(self, measure: str, system: str = "") -> Column:
        """Return the column of a system, of the first where none is named."""
        return self.scores[system or self.systems[0]][measure].column

    @property
    def widest(self) -> Floats:
        """`[M]`: by how much two values differ at most; infinite of a measure that is not known here."""
        return np.array([widest(measure) for measure in self.canonical.values()])

    @cached_property
    def strata(self) -> Integers | None:
        """`[Q]`, the number of the group of each query if groups have equal weight, else None."""
        if all(column.strata is None for column in self._columns()):
            return None
        strata: Integers = np.max([np.where(column.counted, column.group, 0) for column in self._columns()], axis=0)
        return strata

    @cached_property
    def weights(self) -> Floats | None:
        """`[Q]`, what each query counts: its weight, in a mean of group means over the weight of its group.

        None where all queries count alike.
        """
        counting: Floats = np.max([column.weights for column in self._columns()], axis=0)
        if self.strata is not None:
            total = np.bincount(self.strata, counting)[self.strata]  # [Q]: the weight of its group
            return np.divide(counting, total, out=np.zeros_like(counting), where=total > 0)
        return None if np.isin(counting, (0.0, 1.0)).all() else counting

    def _columns(self) -> Iterator[Column]:
        for system in self.systems:
            for name in self.measures:
                yield self._column(name, system)

    @cached_property
    def means(self) -> Floats:
        """`[S, M]`: the means of systems, as an evaluation has them, over the queries that have a value."""
        means = [column.part(~np.isnan(column.values)).mean for column in self._columns()]
        return np.array(means).reshape(len(self.systems), len(self.measures))

    @property
    def complete(self) -> dict[str, Floats]:
        """`{measure: [Q, S]}`: the values of the queries that all systems have a value for, rounding levelled."""
        tables = zip(self.measures, self.values.transpose(1, 2, 0), strict=True)  # [Q, S] for each measure
        return {name: stats.levelled(table[~np.isnan(table).any(axis=1)]) for name, table in tables}

    @property
    def system_means(self) -> dict[str, dict[str, float]]:
        """`{system: {measure: mean}}`."""
        rows = zip(self.systems, self.means.tolist(), strict=True)
        return {name: dict(zip(self.measures, row, strict=True)) for name, row in rows}

    def label(self, measure: str) -> str:
        """Return what tables call a measure, by any of its names.

        Raises:
            UsageError: `not-measured`.

        """
        with suppress(MeasureError):
            if (column := names.column_of(measure, self.measures, list(self.canonical.values()))) is not None:
                return self.measures[column]
        raise UsageError("not-measured", f"{measure} was not compared; there are {quoted(self.measures)}")

    def pair(self, measure: str, *systems: str) -> tuple[Floats, Floats]:
        """Return `[Q]` each, the values that queries have by themselves of two systems by a measure."""
        columns = [self._column(measure, system) for system in systems]
        first, second = (np.where(column.counted, column.values_of_queries, np.nan) for column in columns)
        return first, second

    def sides(self, measure: str, *systems: str) -> tuple[Column, Column]:
        """Return the columns of two systems, of the queries that both have a value for."""
        columns = [self._column(measure, system) for system in systems]
        both = np.logical_and(*(column.counted & ~np.isnan(column.values) for column in columns))  # [Q]
        first, second = (column if np.array_equal(column.counted, both) else column.part(both) for column in columns)
        return first, second

    def best(self, measure: str) -> Best:
        """Return which end of a column of means is the best one, if one is."""
        return best_end(self.scores[self.systems[0]][measure].quantity)

    def at(self, kept: Mask) -> "ScoreTable":
        """Keep only the values of the given queries."""
        queries, rows = tuple(compress(self.queries, kept.tolist())), np.flatnonzero(kept)
        scores = {
            system: {name: by_measure[name].at(queries, rows) for name in self.measures}
            for system, by_measure in self.scores.items()
        }
        noise = {name: self.noise[name].at(queries, rows) for name in self.measures if self.noise}
        return replace(self, queries=queries, scores=scores, noise=noise, groups={})

    def of_measures(self, columns: Mask) -> "ScoreTable":
        """Keep only the measures where `columns`, `[M]`, is true."""
        return replace(self, measures=tuple(compress(self.measures, columns.tolist())))

    def runs_of(self, system: str) -> int:
        """Return how many runs a system has."""
        return len(self.scores[system][self.measures[0]].runs) or 1

    @property
    def repeated(self) -> dict[str, Mapping[str, Scores]]:
        """The values of systems that have several runs, by name."""
        return {system: scores for system, scores in self.scores.items() if scores[self.measures[0]].runs}

    def run_difference(self, measure: str, *systems: str) -> stats.RunDifference | None:
        """Return the difference of two systems over queries and runs; None where nothing tells how runs vary."""
        if not (self.repeated or self.noise):
            return None
        first, second = (_values_of_runs(self.scores[name][measure]) for name in systems)
        further = [_values_of_runs(scores[measure]) for name, scores in self.repeated.items() if name not in systems]
        further += [_values_of_runs(self.noise[measure])] if self.noise else []
        before, after = (column.mean for column in self.sides(measure, *systems))
        return replace(stats.run_difference(first, second, self.weights, further), mean=after - before)

    def of_pair(self, measure: str, pair: tuple[int, int]) -> "ScoreTable":
        """Keep one measure over the queries that two systems, by their numbers, both have a value for."""
        first, _ = self.sides(measure, *(self.systems[number] for number in pair))
        return replace(self, measures=(measure,)).at(first.counted)

    def parts(self) -> dict[str, dict[str, "ScoreTable"]]:
        """Return the values of the queries of each group, by column and group, of measures of single queries."""
        single = self
        if self.whole.any():
            single = self.of_measures(~self.whole)
        if not single.measures:
            return {}
        return {
            column: {name: single.at(rows) for name, rows in groups.items()} for column, groups in self.groups.items()
        }


def _recorded_means(table: ScoreTable, level: float) -> dict[str, dict[str, Any]]:
    """Return the means of each system with their intervals, as results files hold them."""
    line, means = str(signature(STANDARD, table.queries, "")), {}
    numbers = zip(table.systems, table.means.tolist(), *table.intervals(level, SEED).tolist(), strict=True)
    for system, of_system, low, high in numbers:
        ends = (Interval(*pair, level) for pair in zip(low, high, strict=True))
        means[system] = {
            "signature": line,
            "mean": {name: recorded(mean, None) for name, mean in zip(table.measures, of_system, strict=True)},
            "interval": recorded_intervals(dict(zip(table.measures, ends, strict=True))),
        }
    return means


def _values_of_runs(scores: Scores) -> Floats:
    """Return `[R, Q]`, the values of each run of a system; NaN where one of them has none."""
    return np.array([run.counting_values for run in scores.runs or (scores.column,)])


def widest(measure: str) -> float:
    """Return by how much two values of a measure, by its canonical name, differ at most.

    >>> widest("AP"), widest("DCG@10")
    (1.0, inf)
    """
    low, high = value_range(measure)
    return high - low


def value_range(measure: str) -> tuple[float, float]:
    """Return the lowest and the highest value of a measure, by its canonical name.

    >>> value_range("AP"), value_range("DCG@10")
    ((0.0, 1.0), (0.0, inf))
    """
    try:
        low, high = names.parse(measure).range
    except MeasureError:  # of a plugin that is not loaded
        return -math.inf, math.inf
    return float(low), float(high)


def side_by_side(
    systems: Sequence[SystemScores],
    measures: Sequence[str],
    by: Groups | None = None,
    noise: SystemScores | None = None,
) -> ScoreTable:
    """Collect the values of systems over the queries that all have.

    Args:
        systems: the baseline first, if there is one.
        measures: what tables call the measures.
        by: groups of the queries that are shown.
        noise: further runs of one unchanged system.

    Raises:
        UsageError: `not-comparable`, which names what differs; `not-measured`.
        InputError: `no-common-queries`, `missing-value`; `changed-queries` where `noise` lacks queries; `bad-weight`
            where no query counts, or none of a group.

    """
    require_same_settings([*systems, *([] if noise is None else [noise])], measures)
    queries = [query for query in systems[0].queries if all(query in system.rows for system in systems)]
    if not queries:
        raise InputError("no-common-queries", f"{quoted([each.name for each in systems])} share no query with a value")
    if noise is not None and (absent := [query for query in queries if query not in noise.rows]):
        text = f"the runs of --noise (noise=) lack {counted(len(absent))} that the systems have: {quoted(absent)}"
        raise InputError("changed-queries", text, remedy="run the unchanged system for the queries that are compared")
    common = [system.only(queries) for system in systems]
    groups = {}
    if by is not None:
        by.shown(queries)  # refuses groups of other queries
        for column, parts in by.by_column(queries).items():
            groups[column] = {name: parts.of(name) for name in parts.names}
    digest, lines, weighting = signature(STANDARD, queries, "").queries, {}, common[0].scores[measures[0]].weighting
    for name in measures:
        line = values_signature(common[0].scores[name].signature)
        lines[name] = str(replace(line, queries=digest, settings={**line.settings, **weighting}))
    weights = Weights.bare(weighting["weights"]) if "weights" in weighting else None
    macro = Groups.bare(weighting["macro"]) if "macro" in weighting else None
    table = ScoreTable(
        systems=tuple(system.name for system in systems),
        queries=tuple(queries),
        measures=tuple(measures),
        scores={system.name: {name: system.scores[name] for name in measures} for system in common},
        signatures=lines,
        slices=Slices(by, weights, macro),
        groups=groups,
        first_relevant=[system.first_relevant for system in common],
        ids=next((system.kinds for system in systems if system.kinds.integers("query")), IdKinds()),
        noise=_NO_SCORES if noise is None else {name: noise.only(queries).scores[name] for name in measures},
    )
    refuse_weights(quoted(compress(measures, table.whole.tolist())), weighting)
    if weights is not None:
        _require_weight(table, weights)
    return table


def _require_weight(table: ScoreTable, weights: Weights) -> None:
    """Refuse weights of queries, or of groups, that are all 0.

    Raises:
        InputError: `bad-weight`.

    """
    for name in table.measures:
        columns = [scores[name].column for scores in table.scores.values()]
        counted = np.any([column.counted for column in columns], axis=0)  # [Q], as below
        listed = np.any([column.listed & ~np.isnan(column.visible) for column in columns], axis=0)
        group = columns[0].group
        without = listed & ~np.isin(group, group[counted])
        if without.any():
            which = "queries of a group" if table.slices.macro is not None else "queries"
            text = f"weights {weights.label}: all {np.count_nonzero(without):,} compared {which} have the weight 0"
            raise InputError("bad-weight", text, remedy="where no query counts there is no mean")
