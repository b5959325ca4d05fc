"""Tests of paired differences: t, Wilcoxon, sign, randomization and bootstrap; equivalence and noninferiority."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, ClassVar, Final, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rankworth.stats.inversion import Ends, by_bootstrap, by_flips, by_ranks, by_search, by_signs, by_t, is_counted_out
from rankworth.stats.resampling import (
    ENUMERABLE,
    blocks,
    flipped_sums,
    flips_as_extreme,
    on_grid,
    over_samples,
    weighing,
)
from rankworth.stats.samples import (
    RESAMPLES,
    ROUNDING,
    Alternative,
    Bools,
    Columns,
    Floats,
    Sample,
    checked,
    moments,
    settled,
    share,
    unweighted,
    whole,
)

_ENTRIES: Final = files("rankworth.stats").joinpath("references.bib").read_text(encoding="utf-8").split("\n@")
BIBTEX: Final[Mapping[str, str]] = {
    entry[entry.index("{") + 1 : entry.index(",")]: f"@{entry.strip().lstrip('@')}" for entry in _ENTRIES
}
"""Where the statistics come from: entries by the keys that results name, and those of effects and of planning."""


@dataclass(frozen=True, eq=False)
class Tests:
    """The results of one test on each column of differences."""

    __test__: ClassVar[bool] = False  # pytest takes classes of this name for tests of its own
    name: str
    """its word, as in `TESTS`"""
    statistic: Floats
    """[K]"""
    p: Floats
    """[K]; NaN where the test is not defined, such as for a column without a number"""
    counted: Bools
    """[K], where p was counted out over everything that could have been, so that neither chance nor an approximation
    is in it"""
    alternative: Alternative
    resamples: int
    """how many samples were drawn for columns that were not counted out; 0 for a test that draws none"""
    seed: int | None
    """of the drawing; None for a test that draws nothing"""
    sentence: str
    """how it was done, in words for a paper"""
    reference: str
    """a key of `BIBTEX`"""

    @property
    def exact(self) -> bool:
        """Whether p was counted out for all columns."""
        return bool(self.counted.all())


def _tests(
    name: str, statistic: Floats, p: Floats, alternative: Alternative, sentence: str, reference: str, **drawn: object
) -> Tests:
    """Build results; nothing is counted out or drawn by default. The alternative replaces `{side}` in `sentence`."""
    sentence = sentence.replace("{side}", alternative if alternative == "two-sided" else f"one-sided ({alternative})")
    how: dict[str, Any] = {"counted": np.zeros(len(p), dtype=np.bool_), "resamples": 0, "seed": None, **drawn}
    return Tests(name, statistic, p, alternative=alternative, sentence=sentence, reference=reference, **how)


def t_test(
    differences: ArrayLike, weights: ArrayLike | None = None, *, alternative: Alternative = "two-sided"
) -> Tests:
    """Perform Student's paired t test of the mean difference.

    `t = mean / error`, with `error` and the degrees of freedom of `Moments`; without weights the error is
    `deviation / sqrt(n)` and there are `n - 1` of them.

    Where all differences are equal but for rounding, t is infinite and p is 0, or 1 on the other side; where all are 0,
    t is 0 and p is 1. NaN with fewer than two rows.

    Args:
        differences: [N, K].
        weights: [N].
        alternative: that the mean is not 0, or is `less` or `greater` than 0.

    Source: Student (1908), The probable error of a mean, https://doi.org/10.1093/biomet/6.1.1; for measures of
    retrieval: Urbano, Lima and Hanjalic (2019), https://doi.org/10.1145/3331184.3331259

    >>> found = t_test([[0.2], [0.2], [0.2], [0.4], [0.0]])
    >>> found.statistic.round(4), found.p.round(4)
    (array([3.1623]), array([0.0341]))
    """
    sample_moments = moments(Columns.of(differences, weights))
    weighted = "" if weights is None else ", weighted, with the linearised error of a ratio"
    sentence = f"Mean differences were tested with a {{side}} paired t test{weighted}."
    return _tests(
        "t", sample_moments.t(), sample_moments.beyond(checked(alternative)), alternative, sentence, "student1908"
    )


def wilcoxon(
    differences: ArrayLike,
    weights: None = None,
    *,
    alternative: Alternative = "two-sided",
    method: Literal["auto", "normal"] = "auto",
    correction: bool = False,
) -> Tests:
    """Perform Wilcoxon's test of signed ranks.

    Differences of 0 are left out, the others ranked by their size. The statistic is the sum of the ranks of the
    positive ones; two-sided, the smaller one of this sum and that of the negative ones. Sizes that rounding alone tells
    apart share a rank, and differences that rounding alone tells from 0 are 0.

    The p is counted out where at most 50 differences are left and no two have the same size, or where at most 16 are
    left; otherwise it is that of a normal distribution, corrected for equal sizes. It is 1 where nothing is left.

    Args:
        differences: [N, K].
        weights: there is no form with weights.
        alternative: that the median is not 0, or is `less` or `greater` than 0.
        method: `normal` never counts out.
        correction: for continuity, of the normal distribution.

    Source: Wilcoxon (1945), Individual comparisons by ranking methods, https://doi.org/10.2307/3001968

    >>> found = wilcoxon([[0.2], [0.1], [0.4], [-0.3], [0.0]])
    >>> found.statistic, found.p, found.exact
    (array([3.]), array([0.625]), True)
    """
    from scipy.stats import wilcoxon as scipy_wilcoxon  # noqa: PLC0415 - costs more than most evaluations

    unweighted("Wilcoxon test", weights)
    checked(alternative)
    columns = Columns.of(differences)
    statistic, p = columns.empty(), columns.empty()  # [K] each
    counted = np.zeros(columns.count, dtype=np.bool_)
    for sample in columns.samples():
        for column, line in zip(sample.places, sample.values, strict=True):
            values = settled(line)  # [n]: the differences of a column
            values = values[values != 0]
            has_ties = np.unique(np.abs(values)).size < values.size
            counted[column] = method == "auto" and is_counted_out(values)
            if not values.size:
                statistic[column], p[column] = 0, 1
            elif counted[column] and has_ties:
                statistic[column], p[column] = _ranked(values, alternative)
            else:
                how: Literal["exact", "approx"] = "exact" if counted[column] else "approx"
                looked_up = scipy_wilcoxon(values, alternative=alternative, method=how, correction=correction)
                statistic[column], p[column] = looked_up.statistic, looked_up.pvalue
    sentence = "Differences were tested with a {side} Wilcoxon signed-rank test; differences of 0 were left out."
    return _tests("wilcoxon", statistic, p, alternative, sentence, "wilcoxon1945", counted=counted)


def sign_test(differences: ArrayLike, weights: None = None, *, alternative: Alternative = "two-sided") -> Tests:
    """Perform the sign test: how many differences are positive, of those that are not 0.

    The statistic is that number. Under equality it is binomial with probability 1/2, and p is counted out; it is 1
    where all differences are 0. Differences that rounding alone tells from 0 are 0.

    Args:
        differences: [N, K].
        weights: there is no form with weights.
        alternative: that the median is not 0, or is `less` or `greater` than 0.

    Source: Dixon and Mood (1946), The statistical sign test, https://doi.org/10.1080/01621459.1946.10501898

    >>> found = sign_test([[0.2], [0.1], [0.4], [-0.3], [0.0]])
    >>> found.statistic, found.p  # 2 * (1 + 4) / 2**4
    (array([3.]), array([0.625]))
    """
    from scipy.special import bdtr  # noqa: PLC0415 - costs more than most evaluations

    unweighted("sign test", weights)
    columns = Columns.of(differences)
    statistic, p = columns.empty(), columns.empty()
    for sample in columns.samples():
        near = ROUNDING * np.abs(sample.values).max(axis=1, keepdims=True)  # [k, 1]
        positive, negative = (sample.values > near).sum(axis=1), (sample.values < -near).sum(axis=1)  # [k] each
        few = {"two-sided": np.minimum(positive, negative), "less": positive, "greater": negative}
        tail = bdtr(few[checked(alternative)], positive + negative, 0.5)
        statistic[sample.places] = positive
        p[sample.places] = np.minimum(2 * tail, 1.0) if alternative == "two-sided" else tail
    sentence = "Differences were tested with a {side} sign test; differences of 0 were left out."
    counted = np.ones(columns.count, dtype=np.bool_)
    return _tests("sign", statistic, p, alternative, sentence, "dixon1946", counted=counted)


def _ranked(values: Floats, alternative: Alternative) -> tuple[float, float]:
    """Return statistic and p over all ways to give signs to ranks, some of which are shared."""
    from scipy.stats import rankdata  # noqa: PLC0415 - costs more than most evaluations

    signed = np.sign(values) * rankdata(np.abs(values))  # [n]: ranks by size, with signs
    positive = float(signed[signed > 0].sum())
    sums = flipped_sums(signed)  # [2^n]
    if alternative == "two-sided":
        return min(positive, positive - float(signed.sum())), float((np.abs(sums) >= abs(signed.sum())).mean())
    return positive, float((sums >= signed.sum() if alternative == "greater" else sums <= signed.sum()).mean())


FLIPS: Final = 100_000


def randomization(
    differences: ArrayLike,
    weights: ArrayLike | None = None,
    *,
    alternative: Alternative = "two-sided",
    resamples: int = FLIPS,
    seed: int = 0,
) -> Tests:
    """Perform Fisher's randomization test of the mean difference: without a difference, each sign could be the other.

    The statistic is the mean, or the weighted mean. A flip of signs changes the signs of some differences, each with
    probability 1/2; it counts where the sum of `w d` comes out at least as far from 0 as the one seen. Sums that
    rounding alone tells apart (by 1e-12 of the sum of `|w d|`) are equal.

    Where at most 16 differences are not 0, all flips are looked at and `p = b / 2^n`: exact. Otherwise
    `p = (b + 1) / (B + 1)` of `B` random flips, which is never 0 and keeps the test at its level; its standard error is
    `sqrt(p (1 - p) / B)`. All columns share the flips of rows.

    p is 1 where all differences are 0, and NaN for a column without a number.

    Args:
        differences: [N, K].
        weights: [N].
        alternative: that the mean is not 0, or is `less` or `greater` than 0.
        resamples: how many flips are drawn.
        seed: of the generator.

    Sources: Smucker, Allan and Carterette (2007), https://doi.org/10.1145/1321440.1321528; Phipson and Smyth (2010),
    Permutation p-values should never be zero, https://doi.org/10.2202/1544-6115.1585

    >>> found = randomization([[0.2], [0.1], [0.4], [-0.3], [0.0]])
    >>> found.statistic.round(2), found.p, found.exact  # 10 of 16 flips
    (array([0.08]), array([0.625]), True)
    """
    checked(alternative)
    whole("resamples", resamples, 1)
    columns = Columns.of(differences, weights)
    summands = columns.summands() * (-1 if alternative == "less" else 1)  # [N, K]
    both = alternative == "two-sided"
    seen = summands.sum(axis=0)  # [K]
    bars = (np.abs(seen) if both else seen) - ROUNDING * np.abs(summands).sum(axis=0)  # [K]: from where on a sum counts
    has_values = columns.there.any(axis=0)
    counted = (np.count_nonzero(summands, axis=0) <= ENUMERABLE) & has_values
    p = columns.empty()
    for column in np.flatnonzero(counted):
        sums = flipped_sums(summands[summands[:, column] != 0, column])  # [2^n]: without differences of 0
        p[column] = ((np.abs(sums) if both else sums) >= bars[column]).mean()
    many = np.flatnonzero(has_values & ~counted)  # [k]: the columns with random flips
    if many.size:
        hits = flips_as_extreme(np.ascontiguousarray(summands[:, many]), bars[many], resamples, seed, both=both)  # [k]
        p[many] = (hits + 1) / (resamples + 1)
    random = f"{resamples:,} random flips of signs (seed {seed}), p = (b + 1) / (B + 1)"
    how = "all flips of signs"
    if many.size:
        how = f"{random}, or {how} where 16 differences or fewer are not 0" if counted.any() else random
    sentence = f"Mean differences were tested with a {{side}} paired randomization test over {how}."
    drawn = {"counted": counted} | ({"resamples": resamples, "seed": seed} if many.size else {})
    return _tests("randomization", moments(columns).mean, p, alternative, sentence, "smucker2007", **drawn)


def bootstrap_test(
    differences: ArrayLike,
    weights: ArrayLike | None = None,
    *,
    alternative: Alternative = "two-sided",
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Tests:
    """Perform the studentized bootstrap test of the mean difference.

    The differences are shifted so that their mean is 0, and rows are drawn from them with replacement, together with
    their weights; `p = (b + 1) / (B + 1)`, where b samples have a mean at least as many of their own errors away from
    0 as the one seen. The statistic is t, as of `t_test`.

    Where all differences are equal but for rounding, p is as small as it gets, or 1 if they are 0. NaN with fewer than
    two rows.

    Args:
        differences: [N, K].
        weights: [N].
        alternative: that the mean is not 0, or is `less` or `greater` than 0.
        resamples: how many samples are drawn.
        seed: of the generator.

    Sources: Efron and Tibshirani (1993), An introduction to the bootstrap, chapter 16; for measures of retrieval: Sakai
    (2006), https://doi.org/10.1145/1148170.1148261

    >>> found = bootstrap_test([[0.2], [0.1], [0.4], [-0.3], [0.0], [0.3], [0.2]])
    >>> found.p.round(2)
    array([0.21])
    """
    checked(alternative)
    whole("resamples", resamples, 1)
    columns = Columns.of(differences, weights)
    sample_moments = moments(columns)
    p = columns.empty()
    for sample in columns.samples():
        for lines in blocks(len(sample.places), resamples):
            part = Sample(sample.places[lines], sample.values[lines], sample.weights)
            p[part.places] = (_as_far(part, alternative, resamples, seed) + 1) / (resamples + 1)
    same = sample_moments.error == 0
    least = _SIDES[alternative](sample_moments.mean)  # [K]: the mean, positive where it agrees with the alternative
    p = np.where(
        same, np.where(least > 0, 1 / (resamples + 1), 1.0), np.where(np.isnan(sample_moments.error), np.nan, p)
    )
    weighted = "" if weights is None else " and their weights"
    drawn_from = f"{resamples:,} samples of queries{weighted} (seed {seed}), p = (b + 1) / (B + 1)"
    sentence = f"Mean differences were tested with a {{side}} studentized paired bootstrap test over {drawn_from}."
    drawn = {"resamples": resamples, "seed": seed}
    return _tests("bootstrap", sample_moments.t(), p, alternative, sentence, "efron1993", **drawn)


_SIDES: Final[Mapping[Alternative, Callable[[Floats], Floats]]] = {
    "two-sided": np.abs,
    "greater": np.positive,
    "less": np.negative,
}


def _as_far(sample: Sample, alternative: Alternative, resamples: int, seed: int) -> Floats:
    """Return [k], how many samples are at least as many errors away from 0 as the rows themselves."""
    seen = _SIDES[alternative]((sample.values * sample.shares).sum(axis=1))  # [k]
    reaches = np.nan_to_num(_SIDES[alternative](_reaches(sample, resamples, seed)), nan=np.inf, posinf=np.inf)
    return np.asarray((reaches >= (seen - ROUNDING * np.abs(seen))[:, None]).sum(axis=1))


def _reaches(sample: Sample, resamples: int, seed: int) -> Floats:
    """Return [k, B], how far from its mean each sample reaches: `m error / error of the sample`; NaN for 0 / 0.

    With `z = d - mean`, a sample has the mean `m = sum(w z) / sum(w)` and the variance `sum(w^2 (z - m)^2) / sum(w)^2`;
    constant factors of the variance are the same for the rows and cancel.
    """
    lines, rows = sample.values.shape
    weights = np.ones(rows) if sample.weights is None else sample.weights
    mean = (sample.values * weights).sum(axis=1) / weights.sum()  # [k]
    # [k, n]: z / 2
    shifted = (sample.values - mean[:, None]) / 2  # of size 1 at most
    deviation = np.sqrt((weights**2 * shifted**2).sum(axis=1)) / weights.sum()  # [k]: the error of the rows themselves
    # [3, k, n]: w z, w^2 z and w^2 z^2
    sums = on_grid(np.stack([weights * shifted, weights**2 * shifted, weights**2 * shifted**2]))
    whole = np.stack([weighing(weights), on_grid(weights**2)])  # [2, n]: w and w^2

    def compute(counts: Floats) -> Floats:
        weight, squared = whole @ counts.T  # [b] each, from counts [b, n]
        first, second, third = (each @ counts.T for each in sums)  # [k, b] each
        means = first / weight
        variances = np.maximum(third - 2 * means * second + means**2 * squared, 0.0) / weight**2
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(2 * means * deviation[:, None] / np.sqrt(variances))

    return over_samples(compute, lines, rows, resamples, seed)


class Noninferiority(NamedTuple):
    """Whether means lie above minus a margin."""

    p: Floats
    """[K]"""
    bound: Floats
    """[K], above which the mean lies at the level: above minus the margin exactly where p is below 1 - level"""


def equivalence(differences: ArrayLike, margin: ArrayLike, weights: ArrayLike | None = None) -> Floats:
    """Perform two one-sided t tests (TOST): is the mean difference both above `-margin` and below `margin`?

    `p = max(P(T > (mean + margin) / error), P(T < (mean - margin) / error))`, with `error` and the degrees of freedom
    of `Moments`. It is below 5% exactly where the 90% interval by `t` lies within the margin.

    Where all differences are equal but for rounding, p is 0 if they lie within the margin, else 1, on it too. NaN with
    fewer than two rows.

    Args:
        differences: [N, K].
        margin: 0 or more, in the units of the differences; one for all columns or [K].
        weights: [N].

    Returns:
        [K], p.

    Source: Schuirmann (1987), A comparison of the two one-sided tests procedure and the power approach,
    https://doi.org/10.1007/BF01068419

    >>> equivalence([[0.02], [0.01], [-0.01], [-0.02], [0.01]], 0.02).round(4)
    array([0.0352])
    """
    columns = Columns.of(differences, weights)
    sample_moments, margins = moments(columns), _margins(margin, columns.count)
    return np.maximum(sample_moments.beyond("greater", -margins), sample_moments.beyond("less", margins))


def noninferiority(
    differences: ArrayLike, margin: ArrayLike, weights: ArrayLike | None = None, level: float = 0.95
) -> Noninferiority:
    """Perform a one-sided t test: is the mean difference above `-margin`?

    `p = P(T > (mean + margin) / error)`, with `error` and the degrees of freedom of `Moments`; the bound is
    `mean - t(level) error`. With a margin of 0, this tests for being better.

    Where all differences are equal but for rounding, p is 0 if they lie above `-margin`, else 1, on it too. NaN with
    fewer than two rows.

    Args:
        differences: [N, K], above 0 where the system is better than what it is held against.
        margin: 0 or more, in the units of the differences; one for all columns or [K].
        weights: [N].
        level: 1 less the level of significance.

    Source: Schuirmann (1987), A comparison of the two one-sided tests procedure and the power approach,
    https://doi.org/10.1007/BF01068419 (one of the two tests)

    >>> found = noninferiority([[0.02], [0.01], [-0.01], [-0.02], [0.01]], 0.02)
    >>> found.p.round(4), found.bound.round(4)
    (array([0.0201]), array([-0.0137]))
    """
    from scipy.special import stdtrit  # noqa: PLC0415 - costs more than most evaluations

    columns = Columns.of(differences, weights)
    estimates, margins = moments(columns), _margins(margin, columns.count)
    with np.errstate(over="ignore"):
        below = np.where(estimates.error == 0, 0.0, stdtrit(estimates.df, share("level", level)) * estimates.error)
        return Noninferiority(estimates.beyond("greater", -margins), estimates.mean - below)


def _margins(margin: ArrayLike, columns: int) -> Floats:
    margins = np.asarray(margin, dtype=np.float64)
    if (margins < 0).any():
        raise ValueError(f"margin={margins.min()}: a margin is 0 or more")
    return np.broadcast_to(margins, (columns,)).copy()


Inversion = Callable[[Columns, Floats, int, int], Ends]
"""from columns, levels [A, K], the number of samples and a seed to the ends of intervals that invert a test"""


@dataclass(frozen=True)
class Method:
    """A test and what it takes."""

    test: Callable[..., Tests]
    title: str
    """what a table calls it"""
    resamples: int = 0
    """how many samples it draws where not told; 0 for one that draws none"""
    weighted: bool = True
    """whether it has a form with weights"""
    about: Literal["mean", "ranks"] = "mean"
    """what its p is about: the mean difference, or ranks and signs of differences, which may lean the other way"""
    counts_signs: bool = False
    """whether p comes from the signs that differences may have, and so is at least 2^(1 - n)"""
    inversion: Inversion | None = None
    """its intervals in closed form; they are searched for where there is none"""
    estimates: str = ""
    """what its intervals are of, where that is not the mean"""
    inverted_in: str = ""
    """a key of `BIBTEX`: where its intervals come from, if not from where the test does"""
    least: Callable[[int], float] = lambda _: 0.0
    """the smallest p that so many differences can have, where that is not that of signs"""

    def __call__(
        self,
        differences: ArrayLike,
        weights: ArrayLike | None = None,
        *,
        alternative: Alternative = "two-sided",
        resamples: int | None = None,
        seed: int = 0,
    ) -> Tests:
        """Test differences [N, K]; a test that draws nothing has no use for the number of samples and the seed."""
        drawing: dict[str, Any] = {"resamples": resamples or self.resamples, "seed": seed} if self.resamples else {}
        return self.test(differences, weights, alternative=alternative, **drawing)

    def smallest_p(self, size: int) -> float:
        """Return the smallest p of so many differences, none of them 0 if signs are counted."""
        return min(1.0, 2.0 ** (1 - size)) if self.counts_signs else self.least(size)

    def intervals(
        self,
        differences: ArrayLike,
        weights: ArrayLike | None = None,
        *,
        alpha: ArrayLike = 0.05,
        resamples: int | None = None,
        seed: int = 0,
    ) -> Ends:
        """Return the mean differences that the two-sided test does not reject.

        Args:
            differences: [N, K].
            weights: [N].
            alpha: the level of the test: one, [K] or [A, K].
            resamples: as for the test.
            seed: as for the test.

        Returns:
            [A, K] each; the first axis has length 1 unless alpha has two.

        """
        columns = Columns.of(differences, weights)
        levels = np.array(np.broadcast_to(np.atleast_2d(alpha), (len(np.atleast_2d(alpha)), columns.count)))
        if self.inversion is not None:
            return self.inversion(columns, levels, resamples or self.resamples, seed)
        values = columns.restored(columns.values)
        middle = np.nanmedian(values, axis=0) if self.about == "ranks" else moments(columns).mean

        def p_of(taken: Floats) -> Floats:
            return self(values - taken, weights, resamples=resamples, seed=seed).p

        return by_search(p_of, values, middle, levels)


def least_of_samples(size: int) -> float:
    """Return `n / n^n`, the share of samples of n rows that repeat a single row and have no spread."""
    return min(1.0, float(size) ** (1 - size)) if size else 1.0


def _invert_bootstrap(columns: Columns, alpha: Floats, resamples: int, seed: int) -> Ends:
    return by_bootstrap(columns, alpha, lambda sample: np.abs(_reaches(sample, resamples, seed)), resamples)


TESTS: Final[Mapping[str, Method]] = {
    "t": Method(t_test, "paired t test", inversion=lambda columns, alpha, *_: by_t(columns, alpha)),
    "wilcoxon": Method(
        wilcoxon,
        "Wilcoxon signed-rank test",
        weighted=False,
        about="ranks",
        inversion=lambda columns, alpha, *_: by_ranks(columns, alpha),
        estimates="the median of the means of pairs of differences",
        inverted_in="hodges1963",
        counts_signs=True,
    ),
    "sign": Method(
        sign_test,
        "sign test",
        weighted=False,
        about="ranks",
        inversion=lambda columns, alpha, *_: by_signs(columns, alpha),
        estimates="the median difference",
        counts_signs=True,
    ),
    "randomization": Method(
        randomization,
        "randomization test",
        FLIPS,
        inversion=by_flips,
        inverted_in="hartigan1969",
        counts_signs=True,
    ),
    "bootstrap": Method(
        bootstrap_test, "bootstrap test", RESAMPLES, inversion=_invert_bootstrap, least=least_of_samples
    ),
}
"""Tests of paired differences, by word."""
