"""The values of several systems side by side, and their differences: what they are, how sure, what to call them."""

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import compress, product
from typing import Any, Final, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankworth import names, stats
from rankworth.arrays import Floats
from rankworth.comparison.systems import System, require_same_settings, values_signature
from rankworth.errors import InputError, MeasureError, UsageError, counted, quoted
from rankworth.groups import Slices
from rankworth.io.validate import IdKinds
from rankworth.measures.core import Better
from rankworth.profiles import STANDARD, Signature, signature
from rankworth.scoring.columns import Mask, stratified, weigh
from rankworth.scoring.whole_runs import refuse_weights
from rankworth.stats.samples import check_sampling, check_word
from rankworth.tables.columns import Best, Kind


@dataclass(frozen=True, repr=False)
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
        slices: what each query counts, and which groups count alike.
        groups: by column and group, in order, the queries of the group: `[Q]`.
        first_relevant: `[S][Q]`, ranks of the first relevant document, None where they are not known.
        ids: whether ids of queries came as integers.
        repetitions: `[R, M, Q]`, the values of each run of a system that has several, by system; under `NOISE` those
            of further runs of one unchanged system.

    """

    systems: tuple[str, ...]
    queries: tuple[str, ...]
    measures: tuple[str, ...]
    values: Floats
    kinds: Mapping[str, Kind]
    better: Mapping[str, Better]
    signatures: Mapping[str, str]
    slices: Slices = field(default_factory=Slices)
    groups: Mapping[str, Mapping[str, Mask]] = field(default_factory=dict)
    first_relevant: Sequence[Sequence[int | None]] = ()
    ids: IdKinds = field(default_factory=IdKinds, compare=False, repr=False)
    repetitions: Mapping[str, Floats] = field(default_factory=dict)

    def __repr__(self) -> str:
        """Say whose values there are, of how many queries."""
        return f"ScoreTable({quoted(self.systems)}; {quoted(self.measures)}; {counted(len(self.queries))})"

    @property
    def signs(self) -> Floats:
        """`[M]`: 1 where higher is better, -1 where lower is."""
        return np.array([1.0 if self.better[name] == "higher" else -1.0 for name in self.measures])

    @cached_property
    def canonical(self) -> dict[str, str]:
        """The canonical name of each measure."""
        return {name: Signature.parse(self.signatures[name]).measure for name in self.measures}

    @cached_property
    def whole(self) -> Mask:
        """`[M]`: whether a measure is one of all queries together; not of a plugin that is not loaded."""
        is_whole = np.zeros(len(self.measures), dtype=bool)
        for column, measure in enumerate(self.canonical.values()):
            with suppress(MeasureError):
                is_whole[column] = names.parse(measure).definition.of_run
        return is_whole

    def is_whole(self, measure: str) -> bool:
        """Return whether a measure, by the name that tables have, is one of all queries together."""
        return bool(self.whole[self.measures.index(measure)])

    @property
    def widest(self) -> Floats:
        """`[M]`: by how much two values differ at most; infinite of a measure that is not known here."""
        return np.array([widest(measure) for measure in self.canonical.values()])

    @cached_property
    def weights(self) -> Floats | None:
        """`[Q]`, what each query counts: its weight, in a mean of group means over the weight of its group."""
        weights, macro = self.slices.weights, self.slices.macro
        counting = None if weights is None else weights.array(self.queries)
        if macro is None:
            return counting
        counting = np.ones(len(self.queries)) if counting is None else counting
        places = macro.parts(self.queries, strict=True).places  # [Q]: the group of each query
        total = np.bincount(places, counting)[places]  # [Q]: the weight of its group
        return np.divide(counting, total, out=np.zeros_like(counting), where=total > 0)

    @cached_property
    def means(self) -> Floats:
        """`[S, M]`: the means of systems, as an evaluation has them, over the queries that have a value."""
        if self.weights is not None:
            return np.array([[self._mean(values) for values in measures] for measures in self.values])
        is_known = ~np.isnan(self.values)  # [S, M, Q]
        counts = is_known.sum(axis=2)  # [S, M]
        sums = np.cumsum(np.where(is_known, self.values, 0.0), axis=2)[:, :, -1] if self.queries else counts
        return np.asarray(np.divide(sums, counts, out=np.full(counts.shape, np.nan), where=counts > 0))

    def _mean(self, values: Floats) -> float:
        is_known = ~np.isnan(values)  # [Q]
        queries = list(compress(self.queries, is_known.tolist()))
        weights, strata = weigh(queries, np.ones(len(queries)), self.slices.weights, self.slices.macro)
        counted = weights > 0
        return stratified(values[is_known][counted], weights[counted], None if strata is None else strata[counted])

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
        """Return `[Q]` each, the values of two systems by a measure."""
        column = self.measures.index(measure)
        first, second = (self.values[self.systems.index(name), column] for name in systems)
        return first, second

    def best(self, measure: str) -> Best:
        """Return which end of a column of means is the better one."""
        return "highest" if self.better[measure] == "higher" else "lowest"

    def at(self, rows: Mask) -> "ScoreTable":
        """Keep only the values of the given queries."""
        queries = tuple(compress(self.queries, rows.tolist()))
        repetitions = {name: runs[:, :, rows] for name, runs in self.repetitions.items()}
        return replace(self, queries=queries, values=self.values[:, :, rows], groups={}, repetitions=repetitions)

    def of_measures(self, columns: Mask) -> "ScoreTable":
        """Keep only the measures where `columns`, `[M]`, is true."""
        measures = tuple(compress(self.measures, columns.tolist()))
        repetitions = {name: runs[:, columns] for name, runs in self.repetitions.items()}
        return replace(self, measures=measures, values=self.values[:, columns], repetitions=repetitions)

    def runs_of(self, system: str) -> int:
        """Return how many runs a system has."""
        return len(self.repetitions.get(system, " "))

    def run_difference(self, measure: str, *systems: str) -> stats.RunDifference | None:
        """Return the difference of two systems over queries and runs; None where nothing tells how runs vary."""
        if not self.repetitions:
            return None
        column = self.measures.index(measure)
        rows = [self.values[[self.systems.index(name)]] for name in systems]  # [1, M, Q] each
        first, second = (self.repetitions.get(name, row)[:, column] for name, row in zip(systems, rows, strict=True))
        further = [runs[:, column] for name, runs in self.repetitions.items() if name not in systems]
        return stats.run_difference(first, second, self.weights, further)

    def of_pair(self, measure: str, pair: tuple[int, int]) -> "ScoreTable":
        """Keep one measure over the queries that two systems, by their numbers, both have a value for."""
        column = self.measures.index(measure)
        first, second = self.values[list(pair), column]
        single = self.of_measures(np.arange(len(self.measures)) == column)
        return single.at(~np.isnan(first) & ~np.isnan(second))

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
    systems: Sequence[System], measures: Sequence[str], slices: Slices, noise: System | None = None
) -> ScoreTable:
    """Collect the values of systems over the queries that all have.

    Args:
        systems: the baseline first, if there is one.
        measures: what tables call the measures.
        slices: groups and weights of the queries.
        noise: further runs of one unchanged system.

    Raises:
        UsageError: `not-comparable`, which names what differs; `not-measured`.
        InputError: `no-common-queries`, `missing-value`, `bad-weight`; `changed-queries` where `noise` lacks queries.

    """
    repeated = [*systems, *([] if noise is None else [noise])]
    require_same_settings(repeated, measures)
    queries = [query for query in systems[0].queries if all(query in system.rows for system in systems)]
    if not queries:
        raise InputError("no-common-queries", f"{quoted([each.name for each in systems])} share no query with a value")
    if noise is not None and (absent := [query for query in queries if query not in noise.rows]):
        text = f"the runs of --noise (noise=) lack {counted(len(absent))} that the systems have: {quoted(absent)}"
        raise InputError("changed-queries", text, remedy="run the unchanged system for the queries that are compared")
    common = [system.only(queries) for system in systems]
    aligned = [system.scores for system in common]
    shares = {group.setting: group.label_for(queries) for group in (slices.weights, slices.macro) if group is not None}
    if shares:
        weigh(queries, np.ones(len(queries)), slices.weights, slices.macro, refuse=True)
    groups = {}
    if slices.by is not None:
        slices.by.shown(queries)  # refuses groups of other queries
        for column, parts in slices.by.by_column(queries).items():
            groups[column] = {name: parts.of(name) for name in parts.names}
    digest, lines = signature(STANDARD, queries, "").queries, {}
    for name in measures:
        line = values_signature(aligned[0][name].signature)
        lines[name] = str(replace(line, queries=digest, settings={**line.settings, **shares}))
    table = ScoreTable(
        systems=tuple(system.name for system in systems),
        queries=tuple(queries),
        measures=tuple(measures),
        values=np.array([[scores[name].values for name in measures] for scores in aligned]),
        kinds={name: aligned[0][name].kind for name in measures},
        better={name: aligned[0][name].better for name in measures},
        signatures=lines,
        slices=slices,
        groups=groups,
        first_relevant=[system.first_relevant for system in common],
        ids=next((system.kinds for system in systems if system.kinds.integers("query")), IdKinds()),
        repetitions=_repetitions([system.only(queries) for system in repeated], measures),
    )
    refuse_weights(quoted(compress(measures, table.whole.tolist())), shares)
    return table


def _repetitions(systems: Sequence[System], measures: Sequence[str]) -> dict[str, Floats]:
    """Return `[R, M, Q]`, the values of each run of systems that have several."""
    runs = {system.name: [system.scores[name].repetitions for name in measures] for system in systems}
    tables = {name: [table for table in each if table is not None] for name, each in runs.items()}
    return {name: np.stack(each, axis=1) for name, each in tables.items() if each}


Word = Literal["better", "worse", "unclear", "equal", "equivalent"]
LEVEL: Final = 0.95
INTERVALS: Final[Mapping[str, str]] = {"bca": "BCa bootstrap", "percentile": "percentile bootstrap", "t": "t"}
"""kinds of intervals, and what tables call them"""
PAIRWISE: Final[Mapping[str, str]] = {"tukey": "Tukey's HSD test", "randomized-tukey": "randomized Tukey HSD test"}
"""tests of all systems at once, whose p values hold for all pairs of systems by one measure, and their titles"""
POWER: Final = 0.8
"""the power of the minimum detectable difference"""
_DETECTABLE: Final = f"minimum detectable difference (paired t-test, power {100 * POWER:.0f} %)"


class Difference(NamedTuple):
    """The difference of two systems by one measure, the second less the first."""

    measure: str
    first: str
    second: str
    first_mean: float
    second_mean: float
    difference: float
    low: float
    high: float
    p: float
    """of the test, before it is corrected"""
    adjusted: float
    """p, corrected for all comparisons that are shown together"""
    dz: float
    """Cohen's d of paired differences: their mean over their standard deviation"""
    hedges: float
    """d with Hedges' correction for few queries"""
    win: float
    """the share of queries in which the second is better, ties half"""
    wins: int
    ties: int
    losses: int
    queries: int
    """how many have a value by both"""
    detectable: float
    """the minimum detectable difference: what a paired t test of so many queries finds with a power of 0.8; infinite
    where that is more than any two values of the measure differ by"""
    word: Word
    group: str = ""
    """the group of queries; empty for all of them"""


def detectable_text(rows: Sequence[Difference]) -> str:
    """Say the largest minimum detectable difference of some comparisons; nothing where none is known."""
    defined = [row for row in rows if not math.isnan(row.detectable)]
    if not defined:
        return ""
    largest = max(defined, key=lambda row: (row.detectable, row.measure))
    if largest.detectable < math.inf:
        return f"{_DETECTABLE} of {largest.measure}: {largest.detectable:.4f}"
    measures = quoted(dict.fromkeys(row.measure for row in defined if math.isinf(row.detectable)))
    return f"{_DETECTABLE}: none: with {counted(largest.queries)} no difference of {measures} can be detected"


@dataclass(frozen=True)
class Plan:
    """How differences are judged.

    Attributes:
        test: a key of `stats.TESTS`, or one of `PAIRWISE`.
        correction: for several comparisons, a key of `stats.CORRECTIONS`.
        level: of the intervals; 1 - level is the chance of a difference called where there is none.
        method: of the intervals, a key of `INTERVALS`.
        resamples: how many random sign flips and samples there are.
        seed: of the random numbers.
        margins: by measure the difference that does not matter.

    """

    test: str
    correction: str
    level: float
    method: str
    resamples: int
    seed: int
    margins: Mapping[str, float]

    def __post_init__(self) -> None:
        """Refuse unknown words and numbers out of range.

        Raises:
            UsageError: `unknown-setting`.

        """
        check_word("test", self.test, (*stats.TESTS, *PAIRWISE))
        check_word("correction", self.correction, stats.CORRECTIONS)
        check_word("interval", self.method, INTERVALS)
        check_sampling(self.level, self.seed, self.resamples)


@dataclass(frozen=True)
class Procedure:
    """How the differences over all queries were tested and bounded.

    Attributes:
        title: what tables call the test.
        sentence: about the test, for a paper.
        reference: a key of `stats.BIBTEX`.
        resamples: how many samples the test drew; 0 if none.
        interval: the intervals.

    """

    title: str
    sentence: str
    reference: str
    resamples: int
    interval: stats.Intervals


def differences(
    tables: Mapping[str, ScoreTable], compared: Sequence[tuple[int, int]], plan: Plan
) -> tuple[list[Difference], Procedure]:
    """Compute all differences of groups of queries, pair by pair and measure by measure, corrected together.

    `better` and `worse` become `unclear` unless the corrected p values are small.

    Args:
        tables: the values by group; of all queries under an empty name.
        compared: the numbers of the systems of each pair.
        plan: how they are judged.

    Raises:
        UsageError: `conflicting-options`, if a test has no form with weights.

    """
    parts = [_uncorrected(table, compared, plan, group) for group, table in tables.items()]
    rows = [row for part, _ in parts for row in part]
    if any(table.slices.macro is not None and np.isnan(table.values).any() for table in tables.values()):
        rows = [  # what a query weighs within its group depends on how many of that have a value
            _uncorrected(table.of_pair(measure, pair), [pair], plan, group)[0][0]
            for group, table in tables.items()
            for pair in compared
            for measure in table.measures
        ]
    adjusted = stats.adjusted([row.p for row in rows], plan.correction).tolist()
    corrected = []
    for row, p in zip(rows, adjusted, strict=True):
        is_clear = p < 1 - plan.level or row.word in ("equal", "equivalent")
        corrected.append(row._replace(adjusted=p, word=row.word if is_clear else "unclear"))
    return corrected, parts[0][1]


def _uncorrected(
    table: ScoreTable, compared: Sequence[tuple[int, int]], plan: Plan, group: str
) -> tuple[list[Difference], Procedure]:
    """Compute differences with uncorrected p values, and the words that they have if these are small."""
    # [pairs] each: both systems of each pair
    first, second = (np.array([pair[side] for pair in compared], dtype=np.int64) for side in (0, 1))
    measures = [name for _ in compared for name in table.measures]
    pairs = [(table.systems[first], table.systems[other]) for first, other in compared for _ in table.measures]
    sides = [table.values[side].reshape(len(measures), -1).T for side in (first, second)]  # [Q, pairs * measures]
    each, weights = stats.differences(*sides), table.weights  # [Q, pairs * measures] and [Q]
    p, leaning, procedure = _tested(table, compared, plan, each)
    over_runs = _Runs.of(table, compared, plan)
    p, interval = np.fmax(p, over_runs.p), procedure.interval
    signs = np.tile(table.signs, len(compared))  # [pairs * measures], as all arrays below
    effects = stats.effects(each * signs, weights)
    alpha = 1 - plan.level
    size = effects.wins + effects.ties + effects.losses  # how many queries have a value by both systems
    deviations = stats.deviations(each, weights)
    same, least = (deviations == 0) & (effects.ties < size), least_p(size)
    p = np.where(same, np.fmax(p, least), p)  # without spread, how many signs agree is all that there is to go by
    margins = np.array([plan.margins.get(name, np.nan) for name in measures])  # NaN where there is no margin
    p_equivalent = np.fmax(stats.equivalence(each, margins, weights), over_runs.p_equivalent)
    equivalent = (p_equivalent < alpha) & ~(same & (least >= alpha))
    better = effects.mean if leaning is None else np.where(leaning * signs * effects.mean > 0, effects.mean, 0.0)
    equal = (effects.ties == size) & (size > 0)
    # [U]: the distinct sizes, and which of these each is
    sizes, places = np.unique(size, return_inverse=True)  # on which alone the difference of deviation 1 depends
    least_found = stats.minimal_detectable(1.0, sizes, power=POWER, alpha=alpha)[places]
    detectable = np.where(deviations > 0, deviations, np.nan) * least_found
    detectable = np.where(np.isnan(over_runs.detectable), detectable, over_runs.detectable)
    detectable = np.where(detectable > np.tile(table.widest, len(compared)), np.inf, detectable)
    mean, half = stats.means(each, weights), over_runs.half
    for ends, sign in ((interval.low, -1), (interval.high, 1)):
        ends[:] = np.where(np.isnan(half), ends, mean + sign * half)
    columns = (  # in the order of `Difference`, from `first_mean` to `word`
        *(_means(table, *side, each) for side in ((first, sides[0]), (second, sides[1]))),
        *(mean, interval.low, interval.high),
        *(p, np.full(p.shape, np.nan), effects.dz, effects.hedges, effects.win),
        *(effects.wins, effects.ties, effects.losses, size, detectable),
        np.select([equivalent, equal, better > 0, better < 0], ["equivalent", "equal", "better", "worse"], "unclear"),
    )
    cells = zip(*(column.tolist() for column in columns), strict=True)
    named = ((measure, *pair, *row, group) for measure, pair, row in zip(measures, pairs, cells, strict=True))
    return [Difference(*fields) for fields in named], procedure


@dataclass(frozen=True)
class _Runs:
    """What runs that were repeated often enough say of differences, all `[pairs * measures]`; NaN of the others."""

    p: Floats
    p_equivalent: Floats
    half: Floats
    """half the width of the interval over queries and runs"""
    detectable: Floats

    @classmethod
    def of(cls, table: ScoreTable, compared: Sequence[tuple[int, int]], plan: Plan) -> Self:
        """Compute it of each pair and measure."""
        needed, numbers = stats.runs_to_decide(plan.level), []
        for (first, second), measure in product(compared, table.measures):
            row = table.run_difference(measure, table.systems[first], table.systems[second])
            if row is None or row.runs < needed:
                numbers.append((math.nan,) * 4)
                continue
            margin = plan.margins.get(measure)
            p_equivalent = math.nan if margin is None else row.p(margin)
            detectable = row.detectable(POWER, 1 - plan.level)
            numbers.append((row.p(), p_equivalent, row.half(plan.level), detectable))
        return cls(*np.array(numbers).T)


def _tested(
    table: ScoreTable, compared: Sequence[tuple[int, int]], plan: Plan, each: Floats
) -> tuple[Floats, Floats | None, Procedure]:
    """Test differences, `[Q, pairs * measures]`: return the p values, `[pairs * measures]`, and how they came about.

    Between them stands which side a test of signs leans to, which need not be that of the mean; None for other tests.

    Raises:
        UsageError: `conflicting-options`, if a test has no form with weights.

    """
    weights, leaning = table.weights, None
    interval = stats.intervals(each, weights, method=plan.method, level=plan.level, seed=plan.seed)
    if table.whole.any():  # of which the jackknife knows the standard error, and not the shape
        of_whole = np.tile(table.whole, len(compared))  # [pairs * measures]
        student = stats.intervals(each[:, of_whole], weights, method="t", level=plan.level)
        interval.low[of_whole], interval.high[of_whole] = student.low, student.high
    if plan.test in PAIRWISE:
        if weights is not None:
            text = f"test={plan.test} has no form with weights"
            raise UsageError("conflicting-options", text, remedy="test=randomization has")
        by_measure, source, resamples = _tested_together(table, plan)
        # [pairs * measures]
        p = np.array([by_measure[measure][pair] for pair in compared for measure in range(len(by_measure))])
        return p, None, Procedure(PAIRWISE[plan.test], source.sentence, source.reference, resamples, interval)
    method = stats.TESTS[plan.test]
    try:
        test = method(each, weights, resamples=plan.resamples, seed=plan.seed)
    except ValueError as error:
        raise UsageError("conflicting-options", f"test={plan.test}: {error}") from None
    if plan.test in ("sign", "wilcoxon"):
        upper, lower = (method(each, alternative=side).p for side in ("greater", "less"))
        leaning = lower - upper  # [pairs * measures]: above 0 where the second system leans to more
    return test.p, leaning, Procedure(method.title, test.sentence, test.reference, test.resamples, interval)


def _tested_together(table: ScoreTable, plan: Plan) -> tuple[Sequence[Floats], Any, int]:
    """Return the p values of all pairs of systems, `[S, S]` by measure; a result of the test; how often it draws."""
    tables = np.array([stats.levelled(values) for values in table.values.transpose(1, 2, 0)])  # [M, Q, S]
    if plan.test == "tukey":
        tests = [stats.tukey_hsd(values[~np.isnan(values).any(axis=1)]) for values in tables]
        return [row.p for row in tests], tests[0], 0
    shuffled = stats.randomized_tukey(tables.transpose(1, 2, 0), resamples=plan.resamples, seed=plan.seed)
    return list(shuffled.p), shuffled, shuffled.resamples


def least_p(size: ArrayLike) -> Floats:
    """Return the smallest p of a test that knows signs only: the probability that all of them agree by chance."""
    return np.minimum(1.0, 2.0 ** (1.0 - np.asarray(size)))


def _means(table: ScoreTable, systems: NDArray[np.int64], values: Floats, each: Floats) -> Floats:
    """Return `[pairs * measures]`, the means of systems over the queries that have a difference."""
    if np.isnan(table.values).any():
        return stats.means(np.where(np.isnan(each), np.nan, values), table.weights)
    return table.means[systems].ravel()
