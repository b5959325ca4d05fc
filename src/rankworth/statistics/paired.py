"""Tests of paired differences by formula: Student's t, Wilcoxon's signed ranks, and signs."""

from typing import Final, Literal

import numpy as np
from numpy.typing import ArrayLike

from rankworth.statistics.moments import moments
from rankworth.statistics.outcomes import SIDES, Tests
from rankworth.statistics.samples import ROUNDING, Alternative, Columns, Floats, checked, settled, unweighted
from rankworth.statistics.signs import ENUMERABLE, outcomes

RANKED: Final = 50
"""Up to so many differences other than 0, none of equal size, Wilcoxon's p is counted out."""
Method = Literal["auto", "normal"]


def t_test(
    differences: ArrayLike, weights: ArrayLike | None = None, *, alternative: Alternative = "two-sided"
) -> Tests:
    """Student's paired t test of the mean difference.

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
    found = moments(Columns.of(differences, weights))
    weighted = "" if weights is None else ", weighted, with the linearised error of a ratio"
    return Tests(
        name="t",
        statistic=found.t(),
        p=found.beyond(checked(alternative)),
        counted=np.zeros(len(found.mean), dtype=np.bool_),
        alternative=alternative,
        resamples=0,
        seed=None,
        sentence=f"Mean differences were tested with a {SIDES[alternative]} paired t test{weighted}.",
        reference="student1908",
    )


def wilcoxon(
    differences: ArrayLike,
    weights: None = None,
    *,
    alternative: Alternative = "two-sided",
    method: Method = "auto",
    correction: bool = False,
) -> Tests:
    """Wilcoxon's test of signed ranks.

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
    unweighted("Wilcoxon test", weights)
    columns = Columns.of(differences)
    statistic, p = columns.empty(), columns.empty()
    counted = np.zeros(columns.count, dtype=np.bool_)
    for sample in columns.samples():
        for place, line in zip(sample.places, sample.values, strict=True):
            values = settled(line)
            values = values[values != 0]
            sizes = np.unique(np.abs(values)).size
            alike = sizes < values.size
            counted[place] = method == "auto" and values.size <= (ENUMERABLE if alike else RANKED)
            if not values.size:
                statistic[place], p[place] = 0, 1
            elif counted[place] and alike:
                statistic[place], p[place] = _ranked(values, checked(alternative))
            else:
                how: Literal["exact", "approx"] = "exact" if counted[place] else "approx"
                statistic[place], p[place] = _looked_up(values, checked(alternative), how, correction)
    return Tests(
        name="wilcoxon",
        statistic=statistic,
        p=p,
        counted=counted,
        alternative=alternative,
        resamples=0,
        seed=None,
        sentence=f"Differences were tested with a {SIDES[alternative]} Wilcoxon signed-rank test; differences of 0 "
        "were left out.",
        reference="wilcoxon1945",
    )


def sign_test(differences: ArrayLike, weights: None = None, *, alternative: Alternative = "two-sided") -> Tests:
    """The sign test: how many differences are positive, of those that are not 0.

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
        near = ROUNDING * np.abs(sample.values).max(axis=1, keepdims=True)
        positive, negative = (sample.values > near).sum(axis=1), (sample.values < -near).sum(axis=1)
        few = {"two-sided": np.minimum(positive, negative), "less": positive, "greater": negative}
        tail = bdtr(few[checked(alternative)], positive + negative, 0.5)
        statistic[sample.places] = positive
        p[sample.places] = np.minimum(2 * tail, 1.0) if alternative == "two-sided" else tail
    return Tests(
        name="sign",
        statistic=statistic,
        p=p,
        counted=np.ones(columns.count, dtype=np.bool_),
        alternative=alternative,
        resamples=0,
        seed=None,
        sentence=f"Differences were tested with a {SIDES[alternative]} sign test; differences of 0 were left out.",
        reference="dixon1946",
    )


def _looked_up(
    values: Floats, alternative: Alternative, method: Literal["exact", "approx"], correction: bool
) -> tuple[float, float]:
    from scipy import stats  # noqa: PLC0415 - costs more than most evaluations

    found = stats.wilcoxon(values, alternative=alternative, method=method, correction=correction)
    return float(found.statistic), float(found.pvalue)


def _ranked(values: Floats, alternative: Alternative) -> tuple[float, float]:
    """The same over all ways to give signs to ranks, some of them shared."""
    from scipy.stats import rankdata  # noqa: PLC0415 - costs more than most evaluations

    signed = np.sign(values) * rankdata(np.abs(values))
    positive = float(signed[signed > 0].sum())
    sums = outcomes(signed)
    if alternative == "two-sided":
        return min(positive, positive - float(signed.sum())), float((np.abs(sums) >= abs(signed.sum())).mean())
    return positive, float((sums >= signed.sum() if alternative == "greater" else sums <= signed.sum()).mean())
