"""Statistics keep what they promise: on data made up at fixed seeds, p values are uniform, intervals cover."""

from typing import Any

import numpy as np
import pytest
import scipy.stats

from rankworth import stats

Floats = stats.Floats
COLUMNS = 2_000


def null(seed: int, rows: int, columns: int = COLUMNS) -> Floats:
    """Differences of two systems that are alike, one experiment per column."""
    generator = np.random.default_rng(seed)
    first, second = generator.beta(0.8, 1.2, size=(2, rows, columns))
    return first - second


def weights_of(rows: int) -> Floats:
    return np.exp(np.random.default_rng(rows).normal(size=rows))


@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
@pytest.mark.parametrize(
    ("name", "rows"), [("t", 30), ("wilcoxon", 60), ("randomization", 30), ("randomization", 16), ("bootstrap", 60)]
)
def test_p_values_are_uniform_where_nothing_is_different(name: str, rows: int, alternative: Any) -> None:
    p = stats.TESTS[name](null(1, rows), resamples=999, alternative=alternative).p
    counts = np.histogram(p - 1e-9, bins=20, range=(0, 1))[0]
    assert scipy.stats.chisquare(counts).pvalue > 0.001
    assert scipy.stats.kstest(p, "uniform").pvalue > 0.001


@pytest.mark.parametrize("name", ["t", "randomization", "bootstrap"])
def test_weighted_tests_keep_their_level(name: str) -> None:
    p = stats.TESTS[name](null(2, 40), weights_of(40), resamples=999).p
    for level in (0.01, 0.05, 0.2):
        error = 4 * (level * (1 - level) / COLUMNS) ** 0.5
        assert (p <= level).mean() < level + error
        if name == "randomization":
            assert (p <= level).mean() > level - error


def test_the_sign_test_keeps_its_level_with_ties() -> None:
    p = stats.sign_test(null(3, 40).round(1)).p
    for level in (0.01, 0.05, 0.2):
        assert 0 < (p <= level).mean() < level + 4 * (level * (1 - level) / COLUMNS) ** 0.5


@pytest.mark.parametrize(("method", "rows", "lowest"), [("t", 30, 0.935), ("percentile", 60, 0.925), ("bca", 60, 0.93)])
@pytest.mark.parametrize("weighted", [False, True])
def test_intervals_cover_at_their_level(method: Any, rows: int, lowest: float, weighted: bool) -> None:
    values = np.random.default_rng(4).beta(0.8, 1.2, size=(rows, COLUMNS))
    weights = weights_of(rows) if weighted else None
    found = stats.intervals(values, weights, method=method, resamples=999)
    covered = ((found.low <= 0.4) & (found.high >= 0.4)).mean()  # 0.8 / (0.8 + 1.2)
    assert lowest - 0.03 * weighted < covered < 0.97


@pytest.mark.parametrize(("test", "rows"), [("t", 12), ("randomization", 12), ("randomization", 30), ("bootstrap", 30)])
def test_intervals_that_invert_a_test_cover_at_its_level(test: str, rows: int) -> None:
    differences = null(7, rows, 1_000)
    low, high = stats.TESTS[test].intervals(differences, resamples=999)
    covered = ((low <= 0) & (high >= 0)).mean()
    assert covered == pytest.approx(0.95, abs=4 * (0.05 * 0.95 / 1_000) ** 0.5)


def test_equivalence_keeps_its_level_on_the_border() -> None:
    differences = np.random.default_rng(5).normal(0.05, 0.1, size=(30, 4_000))
    assert (stats.equivalence(differences, 0.05) < 0.05).mean() == pytest.approx(0.05, abs=0.014)
    assert (stats.noninferiority(-differences, 0.05).p < 0.05).mean() == pytest.approx(0.05, abs=0.014)


@pytest.mark.parametrize(("n", "effect"), [(10, 0.5), (30, 0.4), (100, 0.3)])
def test_power_is_how_often_a_difference_is_seen(n: int, effect: float) -> None:
    differences = np.random.default_rng(n).normal(effect, 1, size=(n, 20_000))
    seen = (stats.t_test(differences).p < 0.05).mean()
    power = float(stats.power(1.0, effect, n))
    assert seen == pytest.approx(power, abs=4 * (power * (1 - power) / 20_000) ** 0.5)


def test_a_table_of_pairs_seldom_has_one_false_difference() -> None:
    generator = np.random.default_rng(6)
    upper = np.triu_indices(5, 1)
    experiments = 400
    false = np.zeros(2)
    for _ in range(experiments):
        values = generator.normal(size=(12, 5)) + generator.normal(0, 3, size=(12, 1))
        found = [stats.tukey_hsd(values).p, stats.randomized_tukey(values, resamples=199).p]
        false += [(p[upper] <= 0.05).any() for p in found]
    assert false / experiments == pytest.approx([0.05, 0.05], abs=4 * (0.05 * 0.95 / experiments) ** 0.5)


def test_effects_are_not_biased() -> None:
    found = stats.effects(np.random.default_rng(7).normal(0.5, 1, size=(6, 20_000)))
    assert found.hedges.mean() == pytest.approx(0.5, abs=0.02)
    assert found.dz.mean() > 0.57  # 0.5 / J(5)
    assert found.win.mean() == pytest.approx(scipy.stats.norm.cdf(0.5), abs=0.01)
