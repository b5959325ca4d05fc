"""The values of systems, column by column: taken together, put into one order, held against each other."""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import product
from typing import Final

import numpy as np

from rankworth.arrays import Floats, Integers
from rankworth.comparison.sources import Role
from rankworth.errors import UsageError, quoted
from rankworth.groups import Groups, Weights
from rankworth.io.validate import IdKinds
from rankworth.measures import Fact, Measure, TextFact
from rankworth.measures.core import Better
from rankworth.profiles import Signature
from rankworth.scoring.columns import Column, averaged, folded
from rankworth.scoring.diagnostics import COVERAGE
from rankworth.tables.columns import Kind

WEIGHTING: Final = ("weights", "macro")
"""what says how much queries count, of which each column holds what it comes to"""
_MEANS: Final = (*WEIGHTING, "round_means", "no_queries", "logarithms")
"""what changes means and no value of a query"""


@dataclass(frozen=True)
class Scores:
    """One measure of one system.

    Attributes:
        quantity: the measure; None where it is not defined here, so that nobody knows which end of it is better.
        signature: how the values came about.
        column: the values, how much each counts, and how they become one.
        kind: what the values are.
        runs: the column of each run, where several runs of the same queries were averaged.

    """

    quantity: object
    signature: str
    column: Column
    kind: Kind
    runs: tuple[Column, ...] = ()

    @cached_property
    def values(self) -> Floats:
        """`[Q]`, the values that count; NaN of all other queries."""
        return self.column.counting_values

    @property
    def measure(self) -> str:
        """The canonical name of the measure."""
        return Signature.parse(self.signature).measure

    @property
    def weighting(self) -> dict[str, str]:
        """The labels of the weights and groups by which queries count, by `weights` and `macro`."""
        return {name: value for name, value in Signature.parse(self.signature).settings.items() if name in WEIGHTING}

    @property
    def better(self) -> Better:
        """Which end of the scale is better."""
        return self.quantity.definition.better if isinstance(self.quantity, Measure) else "higher"

    def at(self, queries: Sequence[str], rows: Integers) -> "Scores":
        """Put other queries into the places of these, as `Column.at` does."""
        runs = tuple(run.at(queries, rows) for run in self.runs)
        return replace(self, column=self.column.at(queries, rows), runs=runs)

    def weighted(self, weights: Weights | None, macro: Groups | None) -> "Scores":
        """Weight the queries, where no weights were regarded when they were measured.

        Raises:
            InputError: as `Column.weighted`.

        """
        weighting = {"weights": weights, "macro": macro}
        if self.weighting or not any(weighting.values()):
            return self
        line = Signature.parse(self.signature)
        settings = {**line.settings, **{name: data.label for name, data in weighting.items() if data is not None}}
        column = self.column.weighted(weights, macro)
        runs = tuple(run.weighted(weights, macro) for run in self.runs)
        return replace(self, signature=str(replace(line, settings=settings)), column=column, runs=runs)


@dataclass(frozen=True)
class SystemScores:
    """The values of one system.

    Attributes:
        name: what tables call it.
        queries: the ids of its queries, in the order of their bytes.
        scores: by name of the measure.
        judged: the queries that have judgements; None if unknown.
        answered: those of them that have results; None if unknown.
        origin: the results file of the values; empty if they were measured now.
        role: what its runs are for.
        joined: how several runs of the system became one, `folds` or `seeds`, and how many there were.
        notices: warnings of the evaluation, slug and text.
        kinds: whether ids of queries came as integers.
        lengths: how many documents it has for each query that it answers; None if unknown.
        unjudged: the share of the first ten ranks that holds unjudged documents; NaN if unknown.
        by_share: the mean of each measure with several shares of a gold span that make a piece relevant, if known.

    """

    name: str
    queries: tuple[str, ...]
    scores: Mapping[str, Scores]
    judged: frozenset[str] | None = None
    answered: frozenset[str] | None = None
    origin: str = ""
    role: Role = "compared"
    joined: tuple[str, int] | None = None
    notices: tuple[tuple[str, str], ...] = ()
    kinds: IdKinds = field(default_factory=IdKinds, compare=False, repr=False)
    lengths: Integers | None = field(default=None, compare=False, repr=False)
    unjudged: float = field(default=math.nan, compare=False, repr=False)
    by_share: Mapping[str, tuple[float, ...]] = field(default_factory=dict, compare=False, repr=False)

    @cached_property
    def rows(self) -> dict[str, int]:
        """The row of each query."""
        return {query: row for row, query in enumerate(self.queries)}

    @property
    def first_relevant(self) -> list[int | None]:
        """The rank of the first relevant document of each query, from reciprocal ranks; None where it is unknown."""
        by_cutoff = {}
        for score in self.scores.values():
            if isinstance(score.quantity, Measure) and score.quantity.definition.name == "RR":
                by_cutoff[score.quantity.cutoff or math.inf] = score.values
        if not by_cutoff or (self.joined and self.joined[0] == "seeds"):  # a mean of ranks is none
            return [None] * len(self.queries)
        ranks = [1 / value if value > 0 else math.inf for value in by_cutoff[max(by_cutoff)].tolist()]
        return [round(rank) if rank < math.inf and math.isclose(rank, round(rank)) else None for rank in ranks]

    def only(self, queries: Sequence[str]) -> "SystemScores":
        """Return the system with these queries, in their order; those that it does not have count nothing."""
        if tuple(queries) == self.queries:
            return self
        rows = np.array([self.rows.get(query, -1) for query in queries], dtype=np.int64)  # [Q]
        scores = {label: score.at(queries, rows) for label, score in self.scores.items()}
        return replace(self, queries=tuple(queries), scores=scores)

    def weighted(self, weights: Weights | None, macro: Groups | None) -> "SystemScores":
        """Weight the queries, as `Scores.weighted` does."""
        return replace(self, scores={label: score.weighted(weights, macro) for label, score in self.scores.items()})

    def under(self, names: Mapping[str, str]) -> "SystemScores":
        """Rename measures to the given names, which come with their canonical names."""
        by_measure = {score.measure: score for score in reversed(list(self.scores.values()))}
        named = {label: by_measure[measure] for label, measure in names.items() if measure in by_measure}
        named |= {label: score for label, score in self.scores.items() if names.get(label) == score.measure}
        return replace(self, scores={name: score for name, score in self.scores.items() if name not in names} | named)

    def require(self, measures: Iterable[str], measured: Collection[str]) -> None:
        """Refuse measures that the system does not have.

        Raises:
            UsageError: `not-measured`.

        """
        if absent := [name for name in measures if name not in measured]:
            text = f"{self.name} was not measured by {quoted(absent)}; there are {quoted(self.scores)}"
            raise UsageError("not-measured", text)


def is_paired(quantity: object) -> bool:
    """Return whether a difference of means is a mean of differences: not of counts, texts, medians, geometric means."""
    return not isinstance(quantity, Fact | TextFact) and getattr(quantity, "averaging", "mean") in ("mean", "micro")


def paired(systems: Sequence[SystemScores]) -> list[str]:
    """Return the measures of all systems with differences that add up, in the order of the first system."""
    names = [name for name, score in systems[0].scores.items() if is_paired(score.quantity)]
    return [name for name in names if all(name in system.scores for system in systems)]


def shared(systems: Sequence[SystemScores]) -> list[str]:
    """Return the measures compared by default: those that all systems have and that are not about judgements."""
    common = paired(systems) if systems else []
    return [name for name in common if getattr(systems[0].scores[name].quantity, "name", "") not in COVERAGE] or common


def joined(runs: Sequence[SystemScores], measures: Sequence[str]) -> SystemScores:
    """Join several runs of one system: folds are put together, seeds are averaged for each query.

    Args:
        runs: the runs.
        measures: the measures of the caller; if there are none, all that the runs share.

    Raises:
        UsageError: `not-comparable` if their queries are neither the same nor altogether different, or if they were
            not measured alike.

    """
    first, *other_runs = runs
    if not other_runs:
        return first
    labels = [label for label in measures or first.scores if all(label in run.scores for run in runs)]
    require_same_settings(runs, [label for label in labels if is_paired(first.scores[label].quantity)])
    answered = [
        frozenset(run.queries) & (frozenset(run.queries) if run.answered is None else run.answered) for run in runs
    ]
    every = frozenset().union(*answered)
    unjudged = math.fsum(run.unjudged * len(run.queries) for run in runs)  # summed over queries
    owners = None
    if sum(map(len, answered)) == len(every) > max(map(len, answered)):
        # each query has the value of the run that answers it; other queries have the value of no results
        queries = sorted({*first.queries}.union(*(run.queries for run in other_runs)))
        pairs = zip(runs, answered, strict=True)
        # [Q]: which run each query has its value from
        owners = np.argmax(
            [
                [(query in run.rows) + (query in answered_queries) for query in queries]
                for run, answered_queries in pairs
            ],
            axis=0,
        )
        runs = [run.only(queries) for run in runs]
    elif any(run.queries != first.queries for run in other_runs):
        counts = " and ".join(f"{len(run.queries):,}" for run in runs)
        text = f"{first.name}: its runs share some queries, not all ({counts}): they are neither folds nor repetitions"
        remedy = "give runs for the same queries, or for altogether different ones"
        raise UsageError("not-comparable", text, remedy=remedy)
    scores = {}
    for label in labels:
        columns = tuple(run.scores[label].column for run in runs)
        if owners is None:
            scores[label] = replace(first.scores[label], column=averaged(columns), runs=columns)
        else:
            scores[label] = replace(first.scores[label], column=folded(columns, owners))
    judged = [run.judged for run in runs if run.judged is not None]
    lengths = [run.lengths for run in runs if run.lengths is not None]
    return replace(
        first,
        queries=runs[0].queries,
        scores=scores,
        judged=frozenset().union(*judged) if len(judged) == len(runs) else None,
        answered=min(answered, key=len) if owners is None else every,
        joined=("seeds" if owners is None else "folds", len(runs)),
        lengths=np.concatenate(lengths) if len(lengths) == len(runs) else None,
        unjudged=unjudged / max(1, len(runs[0].queries) * (len(runs) if owners is None else 1)),
        notices=tuple(dict.fromkeys(notice for run in runs for notice in run.notices)),
    )


def require_same_settings(systems: Sequence[SystemScores], measures: Sequence[str]) -> None:
    """Refuse values with different settings, apart from their queries, or different weights of queries.

    Raises:
        UsageError: `not-comparable`, `not-measured`.

    """
    base, *other_systems = systems
    for system in systems:
        system.require(measures, system.scores)
    problems, unequal = [], []
    for system, name in product(other_systems, measures):
        first, second = base.scores[name], system.scores[name]
        named = f"{name} of {base.name} and {system.name}"
        problems += [f"{named}: {difference}" for difference in not_alike(first.signature, second.signature)]
        if first.weighting != second.weighting and not _count_alike(base, system, name):
            words = (
                f"{setting} is {first.weighting.get(setting, 'none')} and {second.weighting.get(setting, 'none')}"
                for setting in WEIGHTING
                if first.weighting.get(setting) != second.weighting.get(setting)
            )
            unequal.append(f"{named}: {', '.join(words)}, so that their queries do not count alike")
    remedy = "measure all of them with one profile and the same settings"
    if unequal and not problems:
        remedy = (
            "give all of them the weights and groups with which the stored ones were measured, or measure these again"
        )
    if problems or unequal:
        raise UsageError("not-comparable", *dict.fromkeys([*problems, *unequal]), remedy=remedy)


def _count_alike(first: SystemScores, second: SystemScores, measure: str) -> bool:
    """Return whether the queries that both systems have a value for by a measure have the same weights and groups."""
    queries = [query for query in first.queries if query in second.rows]
    first_column, second_column = (system.only(queries).scores[measure].column for system in (first, second))
    both = first_column.listed & second_column.listed & ~np.isnan(first_column.values + second_column.values)  # [Q]
    groups = {*zip(first_column.group[both].tolist(), second_column.group[both].tolist(), strict=True)}
    has_equal_groups = len(groups) == len({group for group, _ in groups}) == len({group for _, group in groups})
    return has_equal_groups and np.array_equal(first_column.weights[both], second_column.weights[both])


def not_alike(first: str, other: str) -> list[str]:
    """List what differs in how two values of one query came about, by their signatures."""
    return values_signature(first).differences(values_signature(other))


@lru_cache
def values_signature(line: str) -> Signature:
    """Return a signature of the values of single queries: without the queries, and without settings of means."""
    parsed = Signature.parse(line)
    settings = {name: value for name, value in parsed.settings.items() if name not in _MEANS}
    return replace(parsed, settings=settings, queries="0-")
