"""How differences are decided: p, the interval of what the test does not reject, and the word that follows from it."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any, Final, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankworth import stats
from rankworth.arrays import Floats
from rankworth.comparison.differences import (
    PAIRWISE,
    POWER,
    TEST_INTERVALS,
    Difference,
    Plan,
    Procedure,
)
from rankworth.comparison.score_table import ScoreTable
from rankworth.errors import UsageError
from rankworth.stats.inversion import Ends, around
from rankworth.stats.resampling import ENUMERABLE
from rankworth.stats.samples import ROUNDING

_TINY: Final = float(np.finfo(np.float64).tiny)
_LEAST: Final = float(np.finfo(np.float64).smallest_subnormal)
_MOST: Final = 64
"""queries with a difference that decide by any test of signs, unless more resamples are needed"""
Pairs = Sequence[tuple[int, int]]
"""the numbers of the systems of each pair"""


class _Part(NamedTuple):
    """Differences that are tested together."""

    table: ScoreTable
    compared: Pairs
    group: str


class _Tests(NamedTuple):
    """Tests of the differences of a part, `[pairs * measures]`."""

    p: Floats
    ends: Callable[[Floats], Ends]
    """from levels `[A, pairs * measures]` to the ends of the intervals that invert the tests"""
    procedure: Procedure


def differences(tables: Mapping[str, ScoreTable], compared: Pairs, plan: Plan) -> tuple[list[Difference], Procedure]:
    """Compute all differences of groups of queries, pair by pair and measure by measure, corrected together.

    The interval of a comparison with p and corrected p' inverts the test at the level `alpha p / p'`, so that it leaves
    0 out exactly where p' <= alpha. What systems are called follows from the intervals alone.

    Args:
        tables: the values by group; of all queries under an empty name.
        compared: the numbers of the systems of each pair.
        plan: how they are judged.

    Raises:
        UsageError: `conflicting-options`, if a test has no form with weights.

    """
    parts = [part for group, table in tables.items() for part in _parts(table, compared, group)]
    tests = [_tested(part, plan) for part in parts]
    p = np.concatenate([each.p for each in tests])
    adjusted = stats.adjusted(p, plan.correction)
    positive = np.fmax(p, _TINY)  # a p of 0 is corrected as one that is nearly 0
    levels = plan.alpha * positive / np.fmax(stats.adjusted(positive, plan.correction), positive)
    rows: list[Difference] = []
    for part, tested in zip(parts, tests, strict=True):
        columns = slice(len(rows), len(rows) + len(tested.p))
        rows += _rows(part, plan, tested, adjusted[columns], levels[columns])
    family = 1 if plan.correction == "none" else len(rows)
    for index, row in enumerate(rows):
        needed = _needed(row, index, p, plan) if row.word == "unclear" else math.nan
        if row.word == "unclear" and not row.interval(plan.level).is_finite:
            needed = np.fmax(needed, row.queries + 1)
        word = row.word if math.isnan(needed) else "too few"
        rows[index] = row._replace(comparisons=family, word=word, needed=needed)
    return rows, tests[0].procedure


def _parts(table: ScoreTable, compared: Pairs, group: str) -> Iterator[_Part]:
    """Yield sets of differences that share their weights; a missing value changes the weights of its group."""
    if table.strata is None or not np.isnan(table.values).any():
        yield _Part(table, compared, group)
        return
    for pair, measure in product(compared, table.measures):
        yield _Part(table.of_pair(measure, pair), [pair], group)


def _rows(part: _Part, plan: Plan, tests: _Tests, adjusted: Floats, levels: Floats) -> Iterator[Difference]:
    """Yield the differences of a part, with the words that their intervals give."""
    table, compared, group = part
    measures = [name for _ in compared for name in table.measures]
    pairs = [(table.systems[first], table.systems[other]) for first, other in compared for _ in table.measures]
    each, first_mean, second_mean, mean = _differences(table, compared)
    weights, signs = table.weights, np.tile(table.signs, len(compared))  # [Q], and [pairs * measures] as all below
    of_whole = np.tile(table.whole, len(compared))
    effects = stats.effects(each * signs, weights)
    size = effects.wins + effects.ties + effects.losses  # how many queries have a value by both systems
    rejected = np.stack([adjusted, tests.p / 2]) <= plan.alpha * (1 + ROUNDING)
    low, high = _agreeing(tests.ends(np.stack([levels, np.full(levels.shape, 2 * plan.alpha)])), mean, rejected)
    margins = np.array([plan.margins.get(name, np.nan) for name in measures])  # NaN where there is no margin
    equivalent = (low[1] > -margins) & (high[1] < margins)
    equal = (effects.ties == size) & (size > 0)
    above, below = (np.where(signs > 0, *ends) for ends in ((low[0] > 0, high[0] < 0), (high[0] < 0, low[0] > 0)))
    words = np.select([equivalent, equal, above, below], ["equivalent", "equal", "better", "worse"], "unclear")
    estimate = tests.procedure.interval
    undefined = np.full(mean.shape, np.nan)
    columns = (  # in the order of `Difference`, from `first_mean` to `word`, and from `margin` on
        *(
            first_mean,
            second_mean,
            mean,
            low[0],
            high[0],
            1 - levels,
            tests.p,
            adjusted,
            effects.dz,
            effects.hedges,
            np.where(of_whole, np.nan, effects.win),
        ),
        *(np.where(of_whole, 0, count) for count in (effects.wins, effects.ties, effects.losses)),  # no query wins
        *(size, _detectable(part, plan, each, size), words),
        *(margins, *(np.where(np.isnan(margins), np.nan, ends[1]) for ends in (low, high)), np.ones(mean.shape, int)),
        *((undefined, undefined) if estimate is None else (estimate.low, estimate.high)),
    )
    to_word = Difference._fields.index("group") - Difference._fields.index("first_mean")
    cells = zip(*(_cells(column) for column in columns), strict=True)
    for measure, pair, row in zip(measures, pairs, cells, strict=True):
        yield Difference._make((measure, *pair, *row[:to_word], group, *row[to_word:], math.nan))


def _differences(table: ScoreTable, compared: Pairs) -> tuple[Floats, Floats, Floats, Floats]:
    """Return the differences of queries, `[Q, pairs * measures]`, both means and the difference, `[pairs * measures]`.

    Of a measure of all queries together the differences are moved so that their mean is the difference of the measure.
    """
    named = [
        (measure, table.systems[first], table.systems[second])
        for first, second in compared
        for measure in table.measures
    ]
    sides = [table.sides(*names) for names in named]
    first, second = (np.array([pair[side].counting_values for pair in sides]).T for side in (0, 1))
    first_mean, second_mean = (np.array([pair[side].mean for pair in sides]) for side in (0, 1))
    each = stats.differences(first, second)
    mean = stats.means(each, table.weights)
    moved = np.where(np.tile(table.whole, len(compared)), second_mean - first_mean - mean, 0.0)
    return each + moved, first_mean, second_mean, mean + moved


def _cells(column: NDArray[Any]) -> list[Any]:
    """Return the cells of a column; NaN is one object, so that equal differences are equal."""
    return [math.nan if cell != cell else cell for cell in column.tolist()]  # noqa: PLR0124 - NaN test


def _agreeing(ends: Ends, mean: Floats, rejected: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """Return intervals around the mean that leave 0 out if and only if the test rejects a difference of 0.

    They do so but for rounding, for ends that are open, and for tests of signs or ranks, whose intervals are those of a
    median: these reach to the mean; where it lies beyond 0, the two disagree on the side, and nothing is decided.

    Args:
        ends: `[A, K]` each.
        mean: `[K]`.
        rejected: `[A, K]`.

    """
    with np.errstate(invalid="ignore"):
        side = np.where(ends.low > 0, 1.0, np.where(ends.high < 0, -1.0, np.sign(ends.low + ends.high)))
    decided = rejected & (side * mean > 0)
    low, high = np.minimum(ends.low, mean), np.maximum(ends.high, mean)
    low = np.where(decided, np.where(mean > 0, np.maximum(low, _LEAST), low), np.minimum(low, 0.0))
    return low, np.where(decided, np.where(mean < 0, np.minimum(high, -_LEAST), high), np.maximum(high, 0.0))


def _tested(part: _Part, plan: Plan) -> _Tests:
    """Test the differences of a part.

    Measures of all queries together are tested by t, as the jackknife knows their standard error and not the shape of
    their values. Where runs were repeated often enough, a test has to hold over runs, too.

    Raises:
        UsageError: `conflicting-options`, if a test has no form with weights.

    """
    table, compared, _ = part
    weights, method = table.weights, stats.TESTS.get(plan.test)
    each, _, _, mean = _differences(table, compared)
    drawing: dict[str, Any] = {"resamples": plan.resamples, "seed": plan.seed}
    if method is None:
        p, ends, procedure = _tested_together(table, compared, plan)
    else:
        try:
            test = method(each, weights, **drawing)
        except ValueError as error:
            raise UsageError("conflicting-options", f"test={plan.test}: {error}") from None
        p = test.p
        of_intervals = (method.estimates, method.inverted_in)
        procedure = Procedure(method.title, test.sentence, test.reference, test.resamples, *of_intervals)

        def ends(alpha: Floats) -> Ends:
            return method.intervals(each, weights, alpha=alpha, **drawing)

    of_whole = np.tile(table.whole & (method is not None), len(compared))  # [pairs * measures], as all below
    if plan.method != TEST_INTERVALS:
        procedure = replace(procedure, interval=_estimated(each, weights, of_whole, plan))
    p[of_whole] = stats.t_test(each[:, of_whole], weights).p
    over_runs = _OverRuns.of(table, compared, plan)
    size = np.count_nonzero(~np.isnan(each), axis=0)
    is_constant, least = stats.deviations(each, weights) == 0, least_p(size)
    p = np.fmax(np.fmax(p, over_runs.p), np.where(is_constant & (mean != 0), least, np.nan))
    has_no_spread = is_constant | (size == 1)

    def inverted(alpha: Floats) -> Ends:
        low, high = (np.array(side) for side in ends(alpha))
        student = stats.TESTS["t"].intervals(each[:, of_whole], weights, alpha=alpha[:, of_whole])
        low[:, of_whole], high[:, of_whole] = student
        low, high = _union(Ends(low, high), over_runs.ends(mean, alpha))
        half = np.where(least <= alpha * (1 + ROUNDING), 0.0, np.inf)  # without spread, the signs are all there is
        alone = around(mean, half)
        return Ends(np.where(has_no_spread, alone.low, low), np.where(has_no_spread, alone.high, high))

    return _Tests(p, inverted, procedure)


def _union(first: Ends, second: Ends) -> Ends:
    """Return the union of the differences that two tests do not reject; an undefined test rejects all."""
    return Ends(np.fmin(first.low, second.low), np.fmax(first.high, second.high))


def _tested_together(
    table: ScoreTable, compared: Pairs, plan: Plan
) -> tuple[Floats, Callable[[Floats], Ends], Procedure]:
    """Test all pairs of systems by one measure at once."""
    if table.weights is not None:
        text = f"test={plan.test} has no form with weights"
        raise UsageError("conflicting-options", text, remedy="test=randomization has")
    tables = np.array([stats.levelled(values) for values in table.values.transpose(1, 2, 0)])  # [M, Q, S]
    complete = [values[~np.isnan(values).any(axis=1)] for values in tables]
    means = np.array([stats.means(values) for values in complete])  # [M, S]
    mean = np.concatenate([means[:, second] - means[:, first] for first, second in compared])  # [pairs * measures]
    rows = [(measure, *pair) for pair in compared for measure in range(len(table.measures))]
    tests: list[stats.PairwiseTests] = []
    shuffled: stats.RandomizedTukey | None = None
    source: stats.PairwiseTests | stats.RandomizedTukey
    if plan.test == "tukey":
        tests = [stats.tukey_hsd(values) for values in complete]
        p, resamples, source = [test.p for test in tests], 0, tests[0]
    else:
        shuffled = stats.randomized_tukey(tables.transpose(1, 2, 0), resamples=plan.resamples, seed=plan.seed)
        p, resamples, source = list(shuffled.p), shuffled.resamples, shuffled

    def halves(alpha: float) -> Floats:  # [M]
        return shuffled.half(alpha) if shuffled else np.array([test.half(alpha) for test in tests])

    def ends(alpha: Floats) -> Ends:
        half = np.empty(alpha.shape)
        for level in np.unique(alpha):
            half = np.where(alpha == level, np.tile(halves(float(level)), len(compared)), half)
        return around(mean, half)

    procedure = Procedure(PAIRWISE[plan.test], source.sentence, source.reference, resamples)
    return np.array([p[measure][first, second] for measure, first, second in rows]), ends, procedure


class _OverRuns(NamedTuple):
    """Tests of differences over queries and runs, of systems that were repeated often enough; `[pairs * measures]`.

    A difference is rejected where t over queries and runs rejects it, and t over runs alone, which knows what identical
    systems do. All is NaN of other pairs.
    """

    p: Floats
    differences: Sequence[stats.RunDifference | None]

    @classmethod
    def of(cls, table: ScoreTable, compared: Pairs, plan: Plan) -> Self:
        """Compute the p of each pair and measure."""
        needed = stats.runs_to_decide(plan.level)
        rows = (
            table.run_difference(measure, table.systems[first], table.systems[second])
            for (first, second), measure in product(compared, table.measures)
        )
        known = [None if row is None or row.runs < needed else row for row in rows]
        p = [math.nan if row is None else float(np.fmax(row.p(), row.identical_p())) for row in known]
        return cls(np.array(p), known)

    def ends(self, mean: Floats, alpha: Floats) -> Ends:
        """Return the ends of the intervals at levels of the tests, `[A, pairs * measures]`."""
        half = np.full(alpha.shape, np.nan)
        for index, row in enumerate(self.differences):
            if row is not None:
                levels = (1 - alpha[:, index]).tolist()
                half[:, index] = [max(row.half(level), row.identical(level)) for level in levels]
        return around(mean, half)


def _detectable(part: _Part, plan: Plan, each: Floats, size: NDArray[np.intp]) -> Floats:
    """Return the minimum detectable differences, infinite where no two values differ by as much."""
    table, compared, _ = part
    deviations = stats.deviations(each, table.weights)
    # [U]: the distinct sizes, and which of these each is
    sizes, size_of = np.unique(size, return_inverse=True)  # on which alone the difference of deviation 1 depends
    of_size = stats.minimal_detectable(1.0, sizes, power=POWER, alpha=plan.alpha)[size_of]
    detectable = np.where(deviations > 0, deviations, np.nan) * of_size
    for index, row in enumerate(_OverRuns.of(table, compared, plan).differences):
        if row is not None:
            detectable[index] = row.detectable(POWER, plan.alpha)
    return np.where(detectable > np.tile(table.widest, len(compared)), np.inf, detectable)


def _estimated(each: Floats, weights: Floats | None, of_whole: NDArray[np.bool_], plan: Plan) -> stats.Intervals:
    """Return the intervals that were asked for beside those of the test."""
    interval = stats.intervals(each, weights, method=plan.method, level=plan.level, seed=plan.seed)
    if of_whole.any():  # of which the jackknife knows the standard error, and not the shape
        student = stats.intervals(each[:, of_whole], weights, method="t", level=plan.level)
        interval.low[of_whole], interval.high[of_whole] = student.low, student.high
    return interval


def _needed(row: Difference, index: int, p: Floats, plan: Plan) -> float:
    """Return from how many queries with a difference on the test could decide; NaN where there are as many.

    Args:
        row: the difference.
        index: its number among all that are corrected together.
        p: `[N]`, their p values.
        plan: how they are judged.

    """
    method = stats.TESTS.get(plan.test)
    is_constant = math.isinf(row.dz) or row.queries == 1
    has_counts = row.wins + row.ties + row.losses > 0  # as no measure of all queries together has
    size = row.wins + row.losses if has_counts and (is_constant or (method and method.counts_signs)) else row.queries

    def decides(size: int) -> bool:
        least = np.where(np.arange(len(p)) == index, _least(plan, size, is_constant=is_constant), p)
        return bool(stats.adjusted(least, plan.correction)[index] <= plan.alpha * (1 + ROUNDING))

    if math.isnan(row.p):
        return 2.0
    if _least(plan, size, is_constant=is_constant) * len(p) ** 2 <= plan.alpha or decides(size):
        return math.nan
    return next((float(number) for number in range(size + 1, _MOST) if decides(number)), math.inf)


def _least(plan: Plan, size: int, *, is_constant: bool) -> float:
    """Return the smallest p that so many differences can have, none of them 0 for tests of signs, or all equal."""
    method = stats.TESTS.get(plan.test)
    draws = plan.test == "randomized-tukey" or (method is not None and method.resamples > 0)
    is_counted_out = method is not None and method.counts_signs and size <= ENUMERABLE
    drawn = 1 / (plan.resamples + 1) if draws and not is_counted_out else 0.0
    signs = float(least_p(size)) if is_constant else 0.0
    return max(signs, drawn, method.smallest_p(size) if method is not None else 0.0)


def least_p(size: ArrayLike) -> Floats:
    """Return the smallest p of a test that knows signs only: the probability that all of them agree by chance."""
    return np.minimum(1.0, 2.0 ** (1.0 - np.asarray(size)))
