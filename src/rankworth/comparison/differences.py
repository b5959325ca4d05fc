"""Differences of systems: what they are, how sure they are, and what to call them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankworth import stats
from rankworth.comparison.score_table import ScoreTable
from rankworth.comparison.systems import Floats
from rankworth.errors import UsageError
from rankworth.io.validate import is_number

Word = Literal["better", "worse", "unclear", "equal", "equivalent"]
LEVEL: Final = 0.95
INTERVALS: Final[Mapping[str, str]] = {"bca": "BCa bootstrap", "percentile": "percentile bootstrap", "t": "t"}
"""kinds of intervals, and what tables call them"""
PAIRWISE: Final = ("tukey", "randomized-tukey")
"""tests of all systems at once, whose p values hold for all pairs of systems by one measure"""
POWER: Final = 0.8
"""the power of the minimum detectable difference"""


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
    """the difference that a t test of so many queries finds in 80 of 100 cases"""
    word: Word
    group: str = ""
    """the group of queries; empty for all of them"""


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
        words = {
            "test": (*stats.TESTS, *PAIRWISE),
            "correction": tuple(stats.CORRECTIONS),
            "interval": tuple(INTERVALS),
        }
        for (name, known), word in zip(words.items(), (self.test, self.correction, self.method), strict=True):
            if word not in known:
                raise UsageError("unknown-setting", f"{name}={word!r}: {name} is {' or '.join(map(repr, known))}")
        if not is_number(self.level) or not 0 < self.level < 1:
            raise UsageError("unknown-setting", f"level={self.level}: a level lies between 0 and 1")
        for name, number, least in (("resamples", self.resamples, 1), ("seed", self.seed, 0)):
            if isinstance(number, bool) or not is_number(number) or number != int(number) or number < least:
                raise UsageError("unknown-setting", f"{name}={number}: {name} is a whole number from {least}")
        for name, margin in self.margins.items():
            if not 0 < margin < float("inf"):
                raise UsageError("unknown-setting", f"margin of {name}: {margin} is no number above 0")


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
    """All differences of some groups of queries, pair by pair and measure by measure, corrected together.

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
    adjusted = stats.adjusted([one.p for one in rows], plan.correction).tolist()
    corrected = [one._replace(adjusted=p) for one, p in zip(rows, adjusted, strict=True)]
    clear = [one.adjusted < 1 - plan.level or one.word in ("equal", "equivalent") for one in corrected]
    words = [one if is_clear else one._replace(word="unclear") for one, is_clear in zip(corrected, clear, strict=True)]
    return words, parts[0][1]


def _uncorrected(
    table: ScoreTable, compared: Sequence[tuple[int, int]], plan: Plan, group: str = ""
) -> tuple[list[Difference], Procedure]:
    """Differences with uncorrected p values, and the words that they have if these are small."""
    first, second = (np.array([pair[side] for pair in compared], dtype=np.int64) for side in (0, 1))
    measures = [name for _ in compared for name in table.measures]
    names = [(table.systems[one], table.systems[other]) for one, other in compared for _ in table.measures]
    sides = [table.values[side].reshape(len(measures), -1).T for side in (first, second)]  # [Q, pairs * measures]
    each, weights = stats.differences(*sides), table.weights
    p, leaning, procedure = _tested(table, compared, plan, each)
    signs = np.tile(table.signs, len(compared))
    found = stats.effects(each * signs, weights)
    alpha = 1 - plan.level
    size = found.wins + found.ties + found.losses
    deviations = stats.deviations(each, weights)
    same, least = (deviations == 0) & (found.ties < size), least_p(size)
    p = np.where(same, np.fmax(p, least), p)  # without spread, how many signs agree is all that there is to go by
    margins = np.array([plan.margins.get(name, np.nan) for name in measures])
    alike = (stats.equivalence(each, margins, weights) < alpha) & ~(same & (least >= alpha))
    better = found.mean if leaning is None else np.where(leaning * signs * found.mean > 0, found.mean, 0.0)
    equal = (found.ties == size) & (size > 0)
    columns = (  # in the order of `Difference`, from `first_mean` to `word`
        _means(table, first, sides[0], each),
        _means(table, second, sides[1], each),
        stats.means(each, weights),
        procedure.interval.low,
        procedure.interval.high,
        p,
        np.full(p.shape, np.nan),
        found.dz,
        found.hedges,
        found.win,
        found.wins,
        found.ties,
        found.losses,
        size,
        np.where(deviations > 0, deviations, np.nan) * _detectable(size, alpha),
        np.select([alike, equal, better > 0, better < 0], ["equivalent", "equal", "better", "worse"], "unclear"),
    )
    cells = zip(*(column.tolist() for column in columns), strict=True)
    named = ((measure, *pair, *row, group) for measure, pair, row in zip(measures, names, cells, strict=True))
    return [Difference(*fields) for fields in named], procedure


def _tested(
    table: ScoreTable, compared: Sequence[tuple[int, int]], plan: Plan, each: Floats
) -> tuple[Floats, Floats | None, Procedure]:
    """The p values of all differences, pair by pair and measure by measure, and how they came about.

    Between them stands which side a test of signs leans to, which need not be that of the mean; None for other tests.

    Raises:
        UsageError: `conflicting-options`, if a test has no form with weights.

    """
    weights = table.weights
    interval = stats.intervals(each, weights, method=plan.method, level=plan.level, seed=plan.seed)  # type: ignore[arg-type]
    if plan.test not in PAIRWISE:
        method, leaning = stats.TESTS[plan.test], None
        try:
            test = method(each, weights, resamples=plan.resamples, seed=plan.seed)
        except ValueError as error:
            raise UsageError("conflicting-options", f"test={plan.test}: {error}") from None
        if plan.test in ("sign", "wilcoxon"):
            upper, lower = (method(each, alternative=side).p for side in ("greater", "less"))
            leaning = lower - upper
        return test.p, leaning, Procedure(method.title, test.sentence, test.reference, test.resamples, interval)
    if weights is not None:
        text = f"test={plan.test} has no form with weights"
        raise UsageError("conflicting-options", text, remedy="test=randomization has")
    tables = np.array([stats.levelled(values) for values in table.values.transpose(1, 2, 0)])  # [M, Q, S]
    if plan.test == "tukey":
        found = [stats.tukey_hsd(values[~np.isnan(values).any(axis=1)]) for values in tables]
        p, (title, source, resamples) = np.array([one.p for one in found]), ("Tukey's HSD test", found[0], 0)
    else:
        shuffled = stats.randomized_tukey(tables.transpose(1, 2, 0), resamples=plan.resamples, seed=plan.seed)
        p, (title, source, resamples) = shuffled.p, ("randomized Tukey HSD test", shuffled, shuffled.resamples)  # type: ignore[assignment]
    by_pair = np.array([p[measure, one, other] for one, other in compared for measure in range(len(p))])
    return by_pair, None, Procedure(title, source.sentence, source.reference, resamples, interval)


def least_p(size: ArrayLike) -> Floats:
    """The smallest p of a test that knows signs only: the probability that all of them agree by chance."""
    return np.minimum(1.0, 2.0 ** (1.0 - np.asarray(size)))


def _means(table: ScoreTable, systems: NDArray[np.int64], values: Floats, each: Floats) -> Floats:
    """The means of systems pair by pair and measure by measure, over the queries that have a difference."""
    if np.isnan(table.values).any():
        return stats.means(np.where(np.isnan(each), np.nan, values), table.weights)
    return table.means[systems].ravel()


def _detectable(sizes: NDArray[np.signedinteger], alpha: float) -> Floats:
    """The minimum detectable differences of deviation 1, which depend on the sizes alone."""
    known, places = np.unique(sizes, return_inverse=True)
    return np.asarray(stats.minimal_detectable(1.0, known, power=POWER, alpha=alpha)[places])
