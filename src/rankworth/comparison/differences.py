"""Differences of systems: what they are, how sure they are, and what to call them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankworth import stats
from rankworth.comparison.board import Board
from rankworth.comparison.systems import Floats
from rankworth.errors import UsageError
from rankworth.io.validate import is_number

Word = Literal["better", "worse", "unclear", "equal", "equivalent"]
LEVEL: Final = 0.95
INTERVALS: Final[Mapping[str, str]] = {"bca": "BCa bootstrap", "percentile": "percentile bootstrap", "t": "t"}
"""how intervals are made, and what tables call it"""
PAIRWISE: Final = ("tukey", "randomized-tukey")
"""tests of all systems at once, whose p values hold for all pairs of one measure"""
POWER: Final = 0.8
"""the power for which the smallest difference that would be found is told"""


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
    """corrected for all comparisons that are shown together"""
    dz: float
    """Cohen's d of paired differences: their mean over their standard deviation"""
    hedges: float
    """the same, corrected for few queries"""
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
        test: the test, a word of `stats.TESTS` or of `PAIRWISE`.
        correction: for several comparisons, a word of `stats.CORRECTIONS`.
        level: of the intervals; 1 - level is the chance of a difference called where there is none.
        method: of the intervals.
        resamples: how many random sign flips and samples there are.
        seed: of the random numbers.
        margins: by measure the difference that does not matter, where somebody said it.

    """

    test: str
    correction: str
    level: float
    method: str
    resamples: int
    seed: int
    margins: Mapping[str, float]

    def __post_init__(self) -> None:
        """Refuse what is no plan.

        Raises:
            UsageError: `unknown-setting`.

        """
        for name, word, words in (
            ("test", self.test, (*stats.TESTS, *PAIRWISE)),
            ("correction", self.correction, stats.CORRECTIONS),
        ):
            if word not in words:
                known = " or ".join(map(repr, words))
                raise UsageError("unknown-setting", f"{name}={word!r}: {name} is {known}")
        if not is_number(self.level) or not 0 < self.level < 1:
            raise UsageError("unknown-setting", f"level={self.level}: a level lies between 0 and 1")
        if self.method not in INTERVALS:
            known = " or ".join(map(repr, INTERVALS))
            raise UsageError("unknown-setting", f"interval={self.method!r}: intervals are made by {known}")
        for name, number, least in (("resamples", self.resamples, 1), ("seed", self.seed, 0)):
            if isinstance(number, bool) or not is_number(number) or number != int(number) or number < least:
                raise UsageError("unknown-setting", f"{name}={number}: {name} is a whole number from {least}")
        for name, margin in self.margins.items():
            if not 0 < margin < float("inf"):
                raise UsageError("unknown-setting", f"margin of {name}: {margin} is no number above 0")


def pairs(systems: Sequence[str], *, all_pairs: bool) -> list[tuple[int, int]]:
    """Which systems are compared: each with the first one, or each with each."""
    if all_pairs:
        return list(combinations(range(len(systems)), 2))
    return [(0, place) for place in range(1, len(systems))]


@dataclass(frozen=True)
class Told:
    """How the differences over all queries were tested and bounded."""

    title: str
    sentence: str
    reference: str
    """a key of `stats.BIBTEX`"""
    resamples: int
    """how many samples were drawn; 0 where none are"""
    interval: stats.Intervals


def _tested(
    board: Board, compared: Sequence[tuple[int, int]], plan: Plan, each: Floats
) -> tuple[Floats, Floats | None, Told]:
    """The p values of all differences, pair by pair and measure by measure, and how they came about.

    Beside them stands which side the test speaks for, by its sign, where that is not the sign of the mean.

    Raises:
        UsageError: `conflicting-options`, where a test has no form with weights.

    """
    interval = stats.intervals(each, board.weights, method=plan.method, level=plan.level, seed=plan.seed)  # type: ignore[arg-type]
    if plan.test not in PAIRWISE:
        try:
            test = stats.TESTS[plan.test](each, board.weights, resamples=plan.resamples, seed=plan.seed)
        except ValueError as error:
            raise UsageError("conflicting-options", f"test={plan.test}: {error}") from None
        title = stats.TESTS[plan.test].title
        side = None
        if plan.test in ("sign", "wilcoxon"):
            upper, lower = (stats.TESTS[plan.test](each, alternative=way).p for way in ("greater", "less"))
            side = lower - upper
        return test.p, side, Told(title, test.sentence, test.reference, test.resamples, interval)
    if board.weights is not None:
        text = f"test={plan.test} has no form with weights"
        raise UsageError("conflicting-options", text, remedy="test=randomization has")
    tables = np.array([stats.levelled(table) for table in board.values.transpose(1, 2, 0)])  # [M, Q, S]
    if plan.test == "tukey":
        found = [stats.tukey_hsd(table[~np.isnan(table).any(axis=1)]) for table in tables]
        p = np.array([one.p for one in found])
        told = Told("Tukey's HSD test", found[0].sentence, found[0].reference, 0, interval)
    else:
        several = stats.randomized_tukey(tables.transpose(1, 2, 0), resamples=plan.resamples, seed=plan.seed)
        p = several.p
        told = Told("randomized Tukey HSD test", several.sentence, several.reference, several.resamples, interval)
    return np.array([p[place, one, other] for one, other in compared for place in range(len(p))]), None, told


def differences(board: Board, compared: Sequence[tuple[int, int]], plan: Plan) -> tuple[list[Difference], Told]:
    """All differences over all queries, corrected together, pair by pair and measure by measure."""
    rows, told = _raw(board, compared, plan)
    return _corrected(rows, plan), told


def of_groups(board: Board, column: str, compared: Sequence[tuple[int, int]], plan: Plan) -> list[Difference]:
    """All differences of each group of queries, in their order; corrected over the groups, too."""
    labels = np.array(board.groups[column], dtype=object)
    found = [row for name in board.order[column] for row in _raw(board.at(labels == name), compared, plan, name)[0]]
    return _corrected(found, plan)


def _corrected(rows: Sequence[Difference], plan: Plan) -> list[Difference]:
    """Differences with their corrected p values and their words."""
    adjusted = stats.adjusted([one.p for one in rows], plan.correction).tolist()
    return [one._replace(adjusted=p, word=_word(one, p, plan)) for one, p in zip(rows, adjusted, strict=True)]


def _raw(
    board: Board, compared: Sequence[tuple[int, int]], plan: Plan, group: str = ""
) -> tuple[list[Difference], Told]:
    """Differences with p values that are not yet corrected, and the words that they would have at p = 0."""
    first, second = (np.array([pair[side] for pair in compared], dtype=np.int64) for side in (0, 1))
    measures = [name for _ in compared for name in board.measures]
    names = [(board.systems[one], board.systems[other]) for one, other in compared for _ in board.measures]
    sides = [board.values[side].reshape(len(measures), -1).T for side in (first, second)]  # [Q, pairs * measures]
    each = stats.differences(*sides)
    weights = board.weights
    p, side, told = _tested(board, compared, plan, each)
    upwards = np.tile(board.signs, len(compared))
    found = stats.effects(each * upwards, weights)
    alpha = 1 - plan.level
    size = found.wins + found.ties + found.losses
    deviations = stats.deviations(each, weights)
    same, least = (deviations == 0) & (found.ties < size), least_p(size)
    p = np.where(same, np.fmax(p, least), p)  # without spread, how many signs agree is all that there is to go by
    margins = np.array([plan.margins.get(name, np.nan) for name in measures])
    alike = (stats.equivalence(each, margins, weights) < alpha) & ~(same & (least >= alpha))
    speaks = found.mean if side is None else np.where(side * upwards * found.mean > 0, found.mean, 0.0)
    equal = (found.ties == size) & (size > 0)
    columns = (  # in the order of `Difference`, from `first_mean` to `word`
        _means(board, first, sides[0], each),
        _means(board, second, sides[1], each),
        stats.means(each, weights),
        told.interval.low,
        told.interval.high,
        p,
        np.full(p.shape, np.nan),
        found.dz,
        found.hedges,
        found.win,
        found.wins,
        found.ties,
        found.losses,
        size,
        _detectable(np.where(deviations > 0, deviations, np.nan), size, alpha),
        np.select([alike, equal, speaks > 0, speaks < 0], ["equivalent", "equal", "better", "worse"], "unclear"),
    )
    cells = zip(*(column.tolist() for column in columns), strict=True)
    named = ((measure, *pair, *row, group) for measure, pair, row in zip(measures, names, cells, strict=True))
    rows = [Difference(*fields) for fields in named]
    return rows, told


def least_p(size: ArrayLike) -> Floats:
    """The smallest p of a test that knows signs only: the probability that all of them agree by chance."""
    return np.minimum(1.0, 2.0 ** (1.0 - np.asarray(size)))


def _means(board: Board, systems: NDArray[np.int64], values: Floats, each: Floats) -> Floats:
    """The means of systems pair by pair and measure by measure, over the queries of which there is a difference."""
    if np.isnan(board.values).any():
        return stats.means(np.where(np.isnan(each), np.nan, values), board.weights)
    return board.means[systems].ravel()


def _detectable(deviations: Floats, sizes: NDArray[np.signedinteger], alpha: float) -> Floats:
    """The least differences that would be found: those of deviation 1, which depend on the sizes alone, times them."""
    known, places = np.unique(sizes, return_inverse=True)
    return np.asarray(deviations * stats.minimal_detectable(1.0, known, power=POWER, alpha=alpha)[places])


def _word(one: Difference, p: float, plan: Plan) -> Word:
    """What to call a difference; what is equal stays so, and what is equivalent, since a margin says what matters."""
    return one.word if one.word in ("equal", "equivalent") or p < 1 - plan.level else "unclear"
