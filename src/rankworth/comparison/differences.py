"""The differences of systems: what they are, how sure, and what to call them."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from rankworth import stats
from rankworth.errors import counted, quoted
from rankworth.stats.samples import check_sampling, check_word

Word = Literal["better", "worse", "unclear", "equal", "equivalent", "too few"]
LEVEL: Final = 0.95
TEST_INTERVALS: Final = "test"
"""the intervals of the differences that the test does not reject"""
INTERVALS: Final[Mapping[str, str]] = {
    TEST_INTERVALS: "test",
    "bca": "BCa bootstrap",
    "percentile": "percentile bootstrap",
    "t": "t",
}
"""kinds of intervals, and what tables call them; all but those of the test decide nothing"""
PAIRWISE: Final[Mapping[str, str]] = {"tukey": "Tukey's HSD test", "randomized-tukey": "randomized Tukey HSD test"}
"""tests of all systems at once, whose p values hold for all pairs of systems by one measure, and their titles"""
POWER: Final = 0.8
"""the power of the minimum detectable difference"""
_DETECTABLE: Final = f"minimum detectable difference (paired t-test, power {100 * POWER:.0f} %)"


_OPPOSITE: Final[Mapping[Word, Word]] = {"better": "worse", "worse": "better"}


class Interval(NamedTuple):
    """The interval that decides the verdict on a difference."""

    low: float
    """infinite where no difference, however large, would be rejected"""
    high: float
    level: float
    """as it is called: that of the plan, or twice as far from 1 where a margin decides"""

    @property
    def is_finite(self) -> bool:
        """Whether it says anything."""
        return math.isfinite(self.low) and math.isfinite(self.high)


class Difference(NamedTuple):
    """The difference of two systems by one measure, the second less the first."""

    measure: str
    first: str
    second: str
    first_mean: float
    second_mean: float
    difference: float
    low: float
    """the ends of the interval of the differences that the test does not reject, corrected as p is: it leaves 0 out
    exactly where the systems differ; infinite where nothing could be rejected"""
    high: float
    level: float
    """of this interval: 1 - alpha p / adjusted"""
    p: float
    """of the test, before it is corrected"""
    adjusted: float
    """p, corrected for all comparisons that are shown together"""
    dz: float
    """Cohen's d of paired differences: their mean over their standard deviation"""
    hedges: float
    """d with Hedges' correction for few queries"""
    win: float
    """the share of queries in which the second is better, ties half; NaN where no query has a value by itself"""
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
    margin: float = math.nan
    """the difference that does not matter; NaN where there is none"""
    equivalence_low: float = math.nan
    """the ends of the interval that decides whether the difference is within the margin, not corrected: the systems are
    equivalent where it lies within; NaN without a margin"""
    equivalence_high: float = math.nan
    comparisons: int = 1
    """for how many comparisons p and the interval are corrected"""
    estimate_low: float = math.nan
    """the ends of an interval that was asked for beside that of the test, and does not decide"""
    estimate_high: float = math.nan
    needed: float = math.nan
    """where there are too few queries, the number of queries with a difference from which on the test could reject;
    infinite where more resamples are needed; NaN elsewhere"""

    def interval(self, level: float) -> Interval:
        """Return the interval that decides the word, with its name at this level of the plan.

        Where systems are equivalent, this is the interval that lies within the margin.
        """
        if self.word == "equivalent":
            return Interval(self.equivalence_low, self.equivalence_high, 2 * level - 1)
        return Interval(self.low, self.high, level)

    def reversed(self) -> "Difference":
        """Return the difference of the same systems the other way round."""
        return self._replace(
            first=self.second,
            second=self.first,
            first_mean=self.second_mean,
            second_mean=self.first_mean,
            difference=0.0 - self.difference,
            dz=0.0 - self.dz,
            hedges=0.0 - self.hedges,
            win=1 - self.win,
            wins=self.losses,
            losses=self.wins,
            word=_OPPOSITE.get(self.word, self.word),
            low=0.0 - self.high,
            high=0.0 - self.low,
            equivalence_low=0.0 - self.equivalence_high,
            equivalence_high=0.0 - self.equivalence_low,
            estimate_low=0.0 - self.estimate_high,
            estimate_high=0.0 - self.estimate_low,
        )


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
        method: of further intervals, which do not decide, a key of `INTERVALS`; `test` for none.
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

    @property
    def alpha(self) -> float:
        """The chance of a difference called where there is none."""
        return 1 - self.level


@dataclass(frozen=True)
class Procedure:
    """How the differences over all queries were tested and bounded.

    Attributes:
        title: what tables call the test.
        sentence: about the test, for a paper.
        reference: a key of `stats.BIBTEX`.
        resamples: how many samples the test drew; 0 if none.
        estimates: what the test is about where that is not the mean; empty if it is.
        inverted_in: a key of `stats.BIBTEX`: where its intervals come from, if not from where the test does.
        interval: the further intervals that were asked for; None if there are none.

    """

    title: str
    sentence: str
    reference: str
    resamples: int
    estimates: str = ""
    inverted_in: str = ""
    interval: stats.Intervals | None = None
