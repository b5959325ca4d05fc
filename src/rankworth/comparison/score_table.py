"""The values of several systems side by side, query by query, over the queries that all have."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from rankworth import names, stats
from rankworth.comparison.systems import Better, Floats, System, require_same_settings, values_signature
from rankworth.errors import InputError, MeasureError, UsageError, counted, quoted
from rankworth.evaluation import aggregation
from rankworth.groups import Slices
from rankworth.io.validate import IdKinds
from rankworth.profiles import STANDARD, Signature, signature
from rankworth.settings import STANDARD_AVERAGING, Averaging
from rankworth.tables.columns import Best, Kind

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class ScoreTable:
    """The values of all systems over the queries that they share.

    Attributes:
        systems: their names, the baseline first if there is one.
        queries: the ids, in the order of their bytes.
        measures: what tables call the measures.
        values: `[S, M, Q]`, NaN where there is none.
        kinds: what the values of each measure are.
        better: which end of each measure's scale is better.
        signatures: how the values of each measure came about.
        notes: what happened to queries and runs on the way.
        uneven: how many queries each system has values for, if these are not the same queries.
        joined: the systems that are several runs.
        settings: what each query counts, and which groups count alike.
        groups: by column and group, in order, the queries of the group: `[Q]`.
        ids: whether ids of queries came as integers.

    """

    systems: tuple[str, ...]
    queries: tuple[str, ...]
    measures: tuple[str, ...]
    values: Floats
    kinds: Mapping[str, Kind]
    better: Mapping[str, Better]
    signatures: Mapping[str, str]
    notes: tuple[str, ...] = ()
    uneven: Mapping[str, int] = field(default_factory=dict)
    joined: frozenset[str] = frozenset()
    settings: Averaging = STANDARD_AVERAGING
    groups: Mapping[str, Mapping[str, Mask]] = field(default_factory=dict)
    ids: IdKinds = field(default_factory=IdKinds, compare=False, repr=False)

    @property
    def signs(self) -> Floats:
        """`[M]`: 1 where higher is better, -1 where lower is."""
        return np.array([1.0 if self.better[name] == "higher" else -1.0 for name in self.measures])

    @cached_property
    def canonical(self) -> dict[str, str]:
        """The canonical name of each measure."""
        return {name: Signature.parse(self.signatures[name]).measure for name in self.measures}

    @cached_property
    def weights(self) -> Floats | None:
        """`[Q]`, what each query counts: its weight, in a mean of group means over the weight of its group."""
        weights, macro = self.settings.weights, self.settings.macro
        counting = None if weights is None else weights.array(self.queries)
        if macro is None:
            return counting
        counting = np.ones(len(self.queries)) if counting is None else counting
        places = macro.parts(self.queries, strict=True).places
        total = np.bincount(places, counting)[places]
        return np.divide(counting, total, out=np.zeros_like(counting), where=total > 0)

    @cached_property
    def means(self) -> Floats:
        """`[S, M]`: the means of systems, as an evaluation has them, over the queries that have a value."""
        if self.settings.weights is None and self.settings.macro is None:
            is_known = ~np.isnan(self.values)
            counts = is_known.sum(axis=2)
            sums = np.cumsum(np.where(is_known, self.values, 0.0), axis=2)[:, :, -1] if self.queries else counts
            return np.asarray(np.divide(sums, counts, out=np.full(counts.shape, np.nan), where=counts > 0))
        return np.array([[self._mean(values) for values in measures] for measures in self.values])

    def _mean(self, values: Floats) -> float:
        is_known = ~np.isnan(values)
        queries = list(compress(self.queries, is_known.tolist()))
        return aggregation.sliced(values[is_known], queries, queries, self.settings, "mean")

    @property
    def complete(self) -> dict[str, Floats]:
        """`{measure: [Q, S]}`: the values of the queries that all systems have a value for, rounding levelled."""
        tables = zip(self.measures, self.values.transpose(1, 2, 0), strict=True)
        return {name: stats.levelled(table[~np.isnan(table).any(axis=1)]) for name, table in tables}

    @property
    def system_means(self) -> dict[str, dict[str, float]]:
        """`{system: {measure: mean}}`."""
        rows = zip(self.systems, self.means.tolist(), strict=True)
        return {name: dict(zip(self.measures, row, strict=True)) for name, row in rows}

    def label(self, measure: str) -> str:
        """What tables call a measure, by any of its names.

        Raises:
            UsageError: `not-measured`.

        """
        try:
            place = names.place(measure, self.measures, list(self.canonical.values()))
        except MeasureError:
            place = None
        if place is None:
            raise UsageError("not-measured", f"{measure} was not compared; there are {quoted(self.measures)}")
        return self.measures[place]

    def best(self, measure: str) -> Best:
        """Which end of a column of means is the better one."""
        return "highest" if self.better[measure] == "higher" else "lowest"

    def at(self, rows: Mask) -> "ScoreTable":
        """The values of some of the queries."""
        return replace(
            self, queries=tuple(compress(self.queries, rows.tolist())), values=self.values[:, :, rows], groups={}
        )

    def sliced(self, slices: Slices) -> "ScoreTable":
        """The values with groups and weights of the queries.

        Raises:
            InputError: `missing-value`, `bad-weight`.

        """
        queries, settings = self.queries, Averaging(weights=slices.weights, macro=slices.macro)
        in_signature = {
            one.setting: one.label_for(queries) for one in (slices.weights, slices.macro) if one is not None
        }
        signatures = dict(self.signatures)
        if in_signature:
            aggregation.refuse(queries, queries, settings)
            for name, line in signatures.items():
                parsed = Signature.parse(line)
                signatures[name] = str(replace(parsed, settings={**parsed.settings, **in_signature}))
        groups = {}
        if slices.by is not None:
            slices.by.shown(queries)  # refuses groups of other queries
            parts = slices.by.parts(queries)
            groups = {slices.by.name: {name: parts.of(name) for name in parts.names}}
        return replace(self, settings=settings, signatures=signatures, groups=groups)


def side_by_side(systems: Sequence[System], measures: Sequence[str], *, accepted: bool = False) -> ScoreTable:
    """The values of systems over the queries that all have.

    Args:
        systems: the baseline first, if there is one.
        measures: what tables call the measures.
        accepted: whether judgements may have changed, so that queries that only some systems have judgements for are
            no fault of a system.

    Raises:
        UsageError: `not-comparable`, which names what differs; `not-measured`.
        InputError: `no-common-queries`.

    """
    require_same_settings(systems, measures)
    common = [query for query in systems[0].queries if all(query in one.rows for one in systems)]
    if not common:
        raise InputError("no-common-queries", f"{quoted([system.name for system in systems])} share no query")
    notes = []
    if any(len(system.queries) != len(common) for system in systems):
        counts = ", ".join(f"{system.name} {len(system.queries):,}" for system in systems)
        notes.append(f"compared over the {counted(len(common))} that all have; there are {counts}")
    how = {"folds": "joined, as their queries differ", "seeds": "averaged for each query first"}
    notes += [f"{one.name}: {one.joined[1]} {one.joined[0]} {how[one.joined[0]]}" for one in systems if one.joined]
    notes += [
        f"{name} is no measure that is known here: higher values are taken for better ones"
        for name in measures
        if any(system.scores[name].quantity is None for system in systems)
    ]
    aligned = [system.only(common) for system in systems]
    first, digest = aligned[0].scores, signature(STANDARD, common, "").queries
    return ScoreTable(
        systems=tuple(system.name for system in systems),
        queries=tuple(common),
        measures=tuple(measures),
        values=np.array([[system.scores[name].values for name in measures] for system in aligned]),
        kinds={name: first[name].kind for name in measures},
        better={name: first[name].better for name in measures},
        signatures={name: str(replace(values_signature(first[name].signature), queries=digest)) for name in measures},
        notes=tuple(notes),
        uneven=_uneven(systems, measures, accepted=accepted),
        joined=frozenset(system.name for system in systems if system.joined),
        ids=next((system.kinds for system in systems if system.kinds.integers("query")), IdKinds()),
    )


def _uneven(systems: Sequence[System], measures: Sequence[str], *, accepted: bool) -> dict[str, int]:
    """How many queries each system has values for; empty if all have them for the same queries."""
    queries = set().union(*(system.queries for system in systems))
    if accepted:
        queries.intersection_update(*(system.judged or system.queries for system in systems))
    order = sorted(queries)
    known = [~np.isnan([one.only(order).scores[name].values for name in measures]) for one in systems]
    if all((rows == known[0]).all() for rows in known):
        return {}
    return {one.name: int(np.count_nonzero(rows.all(axis=0))) for one, rows in zip(systems, known, strict=True)}
