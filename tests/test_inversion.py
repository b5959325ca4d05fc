"""Intervals that invert tests hold the differences that the tests do not reject, and no other."""

from typing import Any, Final

import numpy as np
import pytest

from rankworth import stats
from rankworth.stats import inversion
from rankworth.stats.samples import Columns

TESTS: Final = tuple(stats.TESTS)
WEIGHTED: Final = tuple(name for name, method in stats.TESTS.items() if method.weighted)
Floats = stats.Floats


def made_up(kind: str, generator: np.random.Generator) -> Floats:
    """Differences of three columns: continuous, on a grid with ties, mostly 0, or equal where they are not 0."""
    shape = (int(generator.integers(1, 40)), 3)
    normal = generator.normal(generator.choice([0.0, 0.4]), 1, shape)
    if kind == "continuous":
        return normal
    if kind == "tied":
        return np.asarray(generator.integers(-3, 4, shape) * 0.2)
    if kind == "sparse":
        return np.where(generator.random(shape) < 0.3, normal, 0.0)
    return np.where(generator.random(shape) < 0.2, 0.2, 0.0)


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("kind", ["continuous", "tied", "sparse", "equal"])
def test_an_interval_leaves_0_out_where_the_test_rejects_0_and_only_there(test: str, kind: str) -> None:
    generator, method, rejected = np.random.default_rng(5), stats.TESTS[test], 0
    for trial in range(40):
        differences = made_up(kind, generator)
        if trial % 3 == 0:
            differences[generator.random(differences.shape) < 0.1] = np.nan
        weights = generator.random(len(differences)) if method.weighted and trial % 2 else None
        alpha = generator.choice([0.0125, 0.05, 0.1, 0.3], 3)
        p = method(differences, weights, resamples=499).p
        [low], [high] = method.intervals(differences, weights, alpha=alpha, resamples=499)
        assert np.array_equal(np.isnan(p), np.isnan(low))
        with np.errstate(invalid="ignore"):
            outside = (low > 0) | (high < 0)
            edge = (low == 0) | (high == 0)  # where a test of ranks rejects 0, and no number beside it
        assert np.array_equal(outside | (edge & (p <= alpha)), p <= alpha), (trial, p, alpha, low, high)
        rejected += int(np.count_nonzero(p <= alpha))
    assert rejected or kind == "equal"


@pytest.mark.parametrize(
    ("test", "rows", "weighted"),
    [
        *(
            (test, rows, weighted)
            for test in ("t", "randomization", "bootstrap")
            for rows in (7, 20)
            for weighted in (0, 1)
        ),
        *((test, rows, 0) for test in ("wilcoxon", "sign") for rows in (7, 20)),
    ],
)
def test_an_interval_holds_what_the_test_does_not_reject(test: str, rows: int, weighted: int) -> None:
    generator, method = np.random.default_rng(rows), stats.TESTS[test]
    for _ in range(5):
        differences = generator.normal(0.3, 1, (rows, 1))
        weights = generator.random(rows) + 0.1 if weighted else None
        alpha = float(generator.choice([0.05, 0.2]))
        [[low]], [[high]] = method.intervals(differences, weights, alpha=alpha, resamples=299)
        for x in np.linspace(-2.5, 2.5, 41):
            p = method(differences - x, weights, resamples=299).p[0]
            assert (low <= x <= high) == (p > alpha), (x, p, alpha, low, high)


def test_a_test_without_a_closed_form_has_the_interval_that_is_searched_for() -> None:
    differences = np.random.default_rng(2).normal(0.2, 1, (25, 4))
    weights = np.random.default_rng(3).random(25)
    alpha = np.array([[0.05, 0.01, 0.3, 0.05], [0.1, 0.02, 0.6, 0.1]])
    plain = stats.TESTS["t"]
    searched = stats.Method(plain.test, "t, searched for")
    for ends, expected in zip(
        searched.intervals(differences, weights, alpha=alpha),
        plain.intervals(differences, weights, alpha=alpha),
        strict=True,
    ):
        assert ends == pytest.approx(expected, rel=1e-9)
    never = stats.Method(lambda values, *_, **__: stats.TESTS["sign"](values), "sign, searched for")
    low, high = never.intervals(np.ones((3, 1)), alpha=0.05)
    assert (low[0, 0], high[0, 0]) == (-np.inf, np.inf)


def test_few_differences_among_many_queries_are_counted_out_and_have_an_interval() -> None:
    differences = np.zeros((100, 1))
    differences[:7] = 0.2
    method = stats.TESTS["randomization"]
    assert method(differences).p[0] == 2 / 2**7
    [[low]], [[high]] = method.intervals(differences, alpha=0.05)
    assert 0 < low < 0.014 < high < 0.05
    [[low]], [[high]] = method.intervals(differences, alpha=2 / 2**7 - 1e-6)
    assert low <= 0 < high


@pytest.mark.parametrize("order", [0, 1, 1_000, 400_000, 720_599])
def test_means_of_pairs_of_many_differences_are_counted(order: int) -> None:
    values = np.sort(np.random.default_rng(1).normal(size=1_200))
    first, second = np.triu_indices(len(values))
    expected = np.sort((values[first] + values[second]) / 2)[order]
    assert inversion._smallest_mean(values, order) == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_several_levels_are_nested() -> None:
    differences = np.random.default_rng(8).normal(0.1, 1, (30, 3))
    alpha = np.repeat([[0.01], [0.05], [0.1]], 3, axis=1)
    for method in stats.TESTS.values():
        low, high = method.intervals(differences, alpha=alpha, resamples=999)
        assert (np.diff(low, axis=0) >= 0).all()
        assert (np.diff(high, axis=0) <= 0).all()


@pytest.mark.parametrize("test", TESTS)
def test_intervals_have_the_unit_of_the_differences(test: str) -> None:
    differences = np.random.default_rng(9).normal(0.1, 1, (14, 2))
    ends = stats.TESTS[test].intervals(differences, resamples=199)
    scaled = stats.TESTS[test].intervals(-1024 * differences, resamples=199)
    assert np.array_equal(scaled.low, -1024 * ends.high)
    assert np.array_equal(scaled.high, -1024 * ends.low)


def test_intervals_of_all_pairs_leave_0_out_where_tukeys_tests_reject() -> None:
    values = np.random.default_rng(4).normal([0, 0.3, 0.6, 1.0], 1, (30, 4))
    tests: list[Any] = [stats.tukey_hsd(values), stats.randomized_tukey(values, resamples=999)]
    means = values.mean(axis=0)
    apart = np.abs(means[:, None] - means)
    for test in tests:
        for alpha in (0.01, 0.05, 0.2, 0.7):
            off = ~np.eye(4, dtype=bool)
            assert np.array_equal((apart > test.half(alpha))[off], (test.p <= alpha)[off])
    assert tests[0].half(0.05) == pytest.approx(float(tests[0].high[0, 1] - tests[0].difference[0, 1]), rel=1e-9)
    assert tests[1].half(1e-4) == np.inf
    several = stats.randomized_tukey(np.stack([values, 2 * values], axis=2), resamples=99)
    assert several.half(0.05)[1] == pytest.approx(2 * several.half(0.05)[0])


def test_nothing_is_written_to() -> None:
    differences, weights = np.random.default_rng(0).random((20, 3)), np.arange(20.0)
    before = differences.copy(), weights.copy()
    for method in stats.TESTS.values():
        method.intervals(differences, weights if method.weighted else None, resamples=99)
    assert np.array_equal(differences, before[0])
    assert np.array_equal(weights, before[1])
    assert Columns.of(np.empty((0, 0))).count == stats.TESTS["t"].intervals(np.empty((0, 0))).low.shape[1] == 0
