"""The values of several systems, query by query, side by side over the queries that all share."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from rankworth import averaging, names, stats
from rankworth.averaging import Averaging
from rankworth.comparison.systems import Better, Floats, System, refuse_differences, values_signature
from rankworth.errors import InputError, MeasureError, UsageError, counted, quoted
from rankworth.evaluation import aggregation
from rankworth.io.validate import IdKinds
from rankworth.profiles import STANDARD, Signature, signature
from rankworth.tables.columns import Kind


@dataclass(frozen=True)
class Board:
    """The values of all systems over the queries that they share.

    Attributes:
        systems: their names, the baseline first where there is one.
        queries: the ids, in the order of their bytes.
        measures: what tables call the measures.
        values: `[S, M, Q]`, NaN where there is none.
        kinds: what the values of each measure are.
        better: which end of each measure's scale is better.
        signatures: how the values of each measure came about.
        notes: what must be said about how it was put together.
        uneven: how many queries each system has values for, where these are not the same queries.
        joined: the systems that are several runs.
        settings: what each query counts, and which groups count alike.
        groups: the group of each query, by the name of the column; empty where there are none.
        order: the groups of each column in their order.
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
    settings: Averaging = averaging.STANDARD
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    order: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
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
            there = ~np.isnan(self.values)
            counts = there.sum(axis=2)
            sums = np.cumsum(np.where(there, self.values, 0.0), axis=2)[:, :, -1] if self.queries else counts
            return np.asarray(np.divide(sums, counts, out=np.full(counts.shape, np.nan), where=counts > 0))
        return np.array([[self._mean(values) for values in columns] for columns in self.values])

    def _mean(self, values: Floats) -> float:
        """The weighted mean of the values that are there."""
        there = ~np.isnan(values)
        queries = list(compress(self.queries, there.tolist()))
        return aggregation.sliced(values[there], queries, queries, self.settings, "mean")

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

    def signed(self, told: Mapping[str, str]) -> "Board":
        """A board with settings of averaging in its signatures."""
        if not told:
            return self
        lines = {name: Signature.parse(line) for name, line in self.signatures.items()}
        changed = {name: str(replace(one, settings={**one.settings, **told})) for name, one in lines.items()}
        return replace(self, signatures=changed)

    def at(self, rows: NDArray[np.bool_]) -> "Board":
        """A board of some of the queries."""
        groups = {name: tuple(compress(labels, rows.tolist())) for name, labels in self.groups.items()}
        queries = tuple(compress(self.queries, rows.tolist()))
        return replace(self, queries=queries, values=self.values[:, :, rows], groups=groups)


def board(systems: Sequence[System], measures: Sequence[str], *, accepted: bool = False) -> Board:
    """Systems side by side.

    Args:
        systems: the baseline first, if there is one.
        measures: what tables call the measures.
        accepted: whether queries may have been judged at one time and not at another, which makes nothing uneven.

    Raises:
        UsageError: `not-comparable`, which names what differs; `not-measured`.
        InputError: `no-common-queries`.

    """
    refuse_differences(systems, measures)
    sets = [set(system.queries) for system in systems]
    common = [query for query in systems[0].queries if all(query in some for some in sets)]
    if not common:
        raise InputError("no-common-queries", f"{quoted([system.name for system in systems])} share no query")
    notes = []
    if any(len(one) != len(common) for one in sets):
        counts = ", ".join(f"{system.name} {len(one):,}" for system, one in zip(systems, sets, strict=True))
        notes.append(f"compared over the {counted(len(common))} that all have; there are {counts}")
    for system in systems:
        if system.joined:
            what, count = system.joined
            how = "joined, as their queries differ" if what == "folds" else "averaged for each query first"
            notes.append(f"{system.name}: {count} {what} {how}")
    notes += [
        f"{name} is no measure that is known here: higher values are taken for better ones"
        for name in measures
        if not all(system.scores[name].known for system in systems)
    ]
    aligned = [system.only(common) for system in systems]
    first = aligned[0].scores
    return Board(
        systems=tuple(system.name for system in systems),
        queries=tuple(common),
        measures=tuple(measures),
        values=np.array([[system.scores[name].values for name in measures] for system in aligned]),
        kinds={name: first[name].kind for name in measures},
        better={name: first[name].better for name in measures},
        signatures={name: _over(first[name].signature, common) for name in measures},
        notes=tuple(notes),
        uneven=_uneven(systems, measures, accepted=accepted),
        joined=frozenset(system.name for system in systems if system.joined),
        ids=next((system.kinds for system in systems if system.kinds.integers("query")), IdKinds()),
    )


def _uneven(systems: Sequence[System], measures: Sequence[str], *, accepted: bool) -> dict[str, int]:
    """How many queries each system has values for; nothing where all have them for the same queries."""
    looked_at = set().union(*(system.queries for system in systems))
    if accepted:
        looked_at.intersection_update(*(system.judged or system.queries for system in systems))
    counts, patterns = {}, set()
    for system in systems:
        known = [~np.isnan(system.scores[name].values) for name in measures]
        rows = [query in looked_at for query in system.queries]
        patterns.add(tuple(tuple(compress(compress(system.queries, rows), one[rows].tolist())) for one in known))
        counts[system.name] = int(np.count_nonzero(np.logical_and.reduce(known)[rows]))
    return counts if len(patterns) > 1 else {}


def _over(line: str, queries: Sequence[str]) -> str:
    """A signature over these queries, of plain means."""
    return str(replace(values_signature(line), queries=signature(STANDARD, queries, "").queries))
