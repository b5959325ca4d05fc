"""Statistics of differences: laws, brute force on few rows, and agreement with scipy."""

import json
import math
import re
import subprocess
import sys
from collections.abc import Callable
from itertools import combinations, permutations, product
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from rankworth import stats
from rankworth.comparison.differences import INTERVALS, PAIRWISE
from rankworth.stats import TESTS, samples, variance

Floats = stats.Floats
NAN = float("nan")
ANALYSES = json.loads((Path(__file__).parent / "data" / "analyses.json").read_text("utf-8"))
ALTERNATIVES = ("two-sided", "less", "greater")
WEIGHTED = [name for name, test in TESTS.items() if test.weighted]
DRAWS = 499


def ask(name: str, differences: Any, weights: Any = None, **settings: Any) -> stats.Tests:
    return TESTS[name](differences, weights, resamples=DRAWS, **settings)


def column(*numbers: float) -> Floats:
    return np.array(numbers, dtype=np.float64)[:, None]


twentieths = st.lists(st.integers(-20, 20), min_size=1, max_size=9).map(lambda whole: np.array(whole)[:, None] / 20)
"""One column of few numbers, many of them equal and some 0; exact tests count them out."""
anything = st.builds(
    lambda seed, rows, columns: np.random.default_rng(seed).normal(0.1, 1, (rows, columns)).round(2),
    st.integers(0, 10_000),
    st.integers(2, 40),
    st.integers(1, 4),
)
few_examples = settings(max_examples=40)


# --- laws of all tests ------------------------------------------------------------------------------------------------


def test_names_are_those_of_the_tables() -> None:
    assert {*get_args(stats.TestName)} == {*TESTS, *PAIRWISE}
    assert {*get_args(stats.CorrectionName)} == {*stats.CORRECTIONS}
    assert {*get_args(stats.IntervalName)} == {*INTERVALS}


@few_examples
@given(anything, st.sampled_from(list(TESTS)))
def test_the_other_way_round_a_test_says_the_same(differences: Floats, name: str) -> None:
    assert np.array_equal(ask(name, differences).p, ask(name, -differences).p)
    less, greater = (ask(name, sign * differences, alternative=way).p for sign, way in ((1, "less"), (-1, "greater")))
    assert np.array_equal(less, greater)


@few_examples
@given(anything, st.sampled_from(list(TESTS)), st.sampled_from(ALTERNATIVES), st.integers(-960, 1010))
def test_the_unit_of_differences_does_not_matter(differences: Floats, name: str, alternative: str, power: int) -> None:
    """Down to where means and their errors have all 53 bits: floats below 2^-1022 have fewer."""
    scaled = np.ldexp(np.rint(differences * 100), power)
    here = ask(name, np.rint(differences * 100), alternative=alternative)
    assert np.array_equal(here.p, ask(name, scaled, alternative=alternative).p)
    assert here.p == pytest.approx(ask(name, differences, alternative=alternative).p, rel=1e-9)


@few_examples
@given(anything, st.sampled_from(list(TESTS)))
def test_p_is_a_probability_and_one_side_is_half_the_story(differences: Floats, name: str) -> None:
    both, less, greater = (ask(name, differences, alternative=way).p for way in ALTERNATIVES)
    for p in (both, less, greater):
        assert ((p >= 0) & (p <= 1)).all()
    if name != "bootstrap":  # whose two sides need not be alike
        assert (np.minimum(less, greater) <= both + 0.1).all()
    assert (less + greater >= 1 - 1e-12).all()


@few_examples
@given(twentieths, st.randoms(use_true_random=False), st.sampled_from(["t", "wilcoxon", "sign", "randomization"]))
def test_the_order_of_rows_does_not_matter(differences: Floats, random: Any, name: str) -> None:
    order = list(range(len(differences)))
    random.shuffle(order)
    assert ask(name, differences).p == pytest.approx(ask(name, differences[order]).p, rel=1e-9, nan_ok=True)


@few_examples
@given(anything, st.sampled_from(list(TESTS)))
def test_a_column_does_not_know_its_neighbours(differences: Floats, name: str) -> None:
    together = ask(name, differences)
    for place in range(differences.shape[1]):
        alone = ask(name, differences[:, [place]])
        assert alone.p[0] == together.p[place]
        assert alone.statistic[0] == together.statistic[place]
        assert alone.counted[0] == together.counted[place]


@few_examples
@given(anything, st.sampled_from(WEIGHTED), st.floats(1e-3, 1e3))
def test_equal_weights_are_no_weights(differences: Floats, name: str, weight: float) -> None:
    weights = np.full(len(differences), weight)
    for found, expected in (
        (ask(name, differences, weights), ask(name, differences)),
        (stats.effects(differences, weights), stats.effects(differences)),
        *(
            (
                stats.intervals(differences, weights, method=method, resamples=DRAWS),
                stats.intervals(differences, method=method, resamples=DRAWS),
            )
            for method in ("bca", "percentile", "t")
        ),
    ):
        for field, there in vars(found).items():
            if isinstance(there, np.ndarray):
                assert np.array_equal(there, getattr(expected, field), equal_nan=True), field
    assert np.array_equal(stats.means(differences, weights), stats.means(differences))
    assert np.array_equal(stats.deviations(differences, weights), stats.deviations(differences))


@few_examples
@given(twentieths, st.data())
def test_a_weight_of_two_is_a_row_twice_for_the_mean(differences: Floats, data: st.DataObject) -> None:
    times = data.draw(st.lists(st.integers(0, 3), min_size=len(differences), max_size=len(differences)))
    weighted = stats.effects(differences, times)
    repeated = stats.effects(np.repeat(differences, times, axis=0))
    assert weighted.mean == pytest.approx(repeated.mean, abs=1e-12, nan_ok=True)
    assert weighted.win == pytest.approx(repeated.win, abs=1e-12, nan_ok=True)


@few_examples
@given(anything, st.data(), st.sampled_from(list(TESTS)))
def test_a_row_without_a_number_or_without_weight_is_no_row(
    differences: Floats, data: st.DataObject, name: str
) -> None:
    differences = differences[:12]  # the flips of few rows are counted out
    kept = np.array(data.draw(st.lists(st.booleans(), min_size=len(differences), max_size=len(differences))))
    holed = np.where(kept[:, None], differences, NAN)
    expected = ask(name, differences[kept]) if kept.any() else None
    for found in [ask(name, holed), *([ask(name, differences, kept.astype(float))] if TESTS[name].weighted else [])]:
        if expected is None:
            assert np.isnan(found.p).all()
            continue
        assert np.array_equal(found.p, expected.p, equal_nan=True)
        assert found.statistic == pytest.approx(expected.statistic, rel=1e-12, nan_ok=True)


def test_columns_have_rows_of_their_own() -> None:
    table = np.random.default_rng(0).normal(size=(30, 6))
    table[3, 1] = table[5:20, 2] = table[:, 3] = table[1:, 4] = NAN
    for name in ("t", "wilcoxon", "sign", "bootstrap"):
        together = ask(name, table)
        for place in range(6):
            alone = ask(name, table[~np.isnan(table[:, place])][:, [place]])
            assert np.array_equal(together.p[[place]], alone.p, equal_nan=True)
    for method in ("bca", "percentile", "t"):
        found = stats.intervals(table, method=method, resamples=DRAWS)
        for place in range(6):
            alone = stats.intervals(table[~np.isnan(table[:, place])][:, [place]], method=method, resamples=DRAWS)
            assert np.array_equal(found.low[[place]], alone.low, equal_nan=True)
            assert np.array_equal(found.high[[place]], alone.high, equal_nan=True)


# --- what rounding must not do ----------------------------------------------------------------------------------------


@few_examples
@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), min_size=1, max_size=14))
def test_differences_that_rounding_tells_apart_are_equal(pairs: list[tuple[int, int]]) -> None:
    whole = np.array(pairs, dtype=np.float64)
    rounded = whole / 20  # 0.3 - 0.1 is not 0.2
    for name in ("wilcoxon", "sign", "randomization"):
        expected = ask(name, whole[:, :1] - whole[:, 1:])
        found = ask(name, rounded[:, :1] - rounded[:, 1:])
        assert found.p[0] == expected.p[0], name
    sizes = stats.effects(rounded[:, :1] - rounded[:, 1:])
    assert sizes.ties[0] == sum(a == b for a, b in pairs)
    assert (sizes.wins[0], sizes.losses[0]) == (sum(a > b for a, b in pairs), sum(a < b for a, b in pairs))


def test_random_flips_recognise_equal_sums_as_well() -> None:
    whole = np.random.default_rng(1).integers(-20, 21, size=(60, 50)).astype(np.float64)
    expected = stats.randomization(whole, resamples=5_000)
    assert not expected.exact
    for unit in (20, 3, 7e5):
        assert np.array_equal(stats.randomization(whole / unit, resamples=5_000).p, expected.p)


def test_results_do_not_depend_on_the_size_of_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    table = np.random.default_rng(1).normal(size=(50, 7))
    weights = np.random.default_rng(2).random(50)

    def everything() -> list[Floats]:
        return [
            stats.randomization(table, weights, resamples=700).p,
            stats.bootstrap_test(table, weights, resamples=700).p,
            stats.intervals(table, weights, resamples=700).low,
            stats.intervals(table, method="percentile", resamples=700).high,
            stats.randomized_tukey(table, resamples=700).p,
        ]

    whole = everything()
    for name in ("resampling._ROWS", "resampling.CELLS", "resampling._SUMS", "resampling._LINES", "variance._CELLS"):
        monkeypatch.setattr(f"rankworth.stats.{name}", 1_300)
    for here, there in zip(whole, everything(), strict=True):
        assert np.array_equal(here, there, equal_nan=True)


def test_equal_seeds_give_equal_results_and_others_do_not() -> None:
    table = np.random.default_rng(1).normal(0.1, 1, size=(40, 3))
    asks: list[Callable[[int], Floats]] = [
        lambda seed: stats.randomization(table, resamples=500, seed=seed).p,
        lambda seed: stats.bootstrap_test(table, resamples=500, seed=seed).p,
        lambda seed: stats.intervals(table, resamples=500, seed=seed).low,
        lambda seed: stats.randomized_tukey(table, resamples=500, seed=seed).p[0, 1:],
    ]
    for one in asks:
        assert np.array_equal(one(0), one(0))
        assert not np.array_equal(one(0), one(1))


# --- where there is next to nothing -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("differences", "expected"),
    [
        (np.empty((0, 1)), {"t": NAN, "wilcoxon": NAN, "sign": NAN, "randomization": NAN, "bootstrap": NAN}),
        (column(NAN, NAN), {"t": NAN, "wilcoxon": NAN, "sign": NAN, "randomization": NAN, "bootstrap": NAN}),
        (column(0.1, math.inf), {"t": NAN, "wilcoxon": NAN, "sign": NAN, "randomization": NAN, "bootstrap": NAN}),
        (column(-math.inf, 0.1, NAN), {"t": NAN, "wilcoxon": NAN, "sign": NAN, "randomization": NAN, "bootstrap": NAN}),
        (column(0.3), {"t": NAN, "wilcoxon": 1, "sign": 1, "randomization": 1, "bootstrap": NAN}),
        (column(0.0), {"t": NAN, "wilcoxon": 1, "sign": 1, "randomization": 1, "bootstrap": NAN}),
        (column(0.0, 0.0, 0.0), {"t": 1, "wilcoxon": 1, "sign": 1, "randomization": 1, "bootstrap": 1}),
        (
            column(0.1, 0.1, 0.1, 0.3 - 0.2),
            {"t": 0, "wilcoxon": 1 / 8, "sign": 1 / 8, "randomization": 1 / 8, "bootstrap": 1 / 500},
        ),
        (
            column(-0.1, -0.1),
            {"t": 0, "wilcoxon": 1 / 2, "sign": 1 / 2, "randomization": 1 / 2, "bootstrap": 1 / 500},
        ),
        (column(1e308, 1e308, 1e308), {"t": 0, "sign": 1 / 4, "randomization": 1 / 4, "bootstrap": 1 / 500}),
        (column(5e-324, 1e-323), {"sign": 1 / 2, "randomization": 1 / 2, "wilcoxon": 1 / 2}),
    ],
)
def test_what_tests_say_of_next_to_nothing(differences: Floats, expected: dict[str, float]) -> None:
    for name, p in expected.items():
        assert ask(name, differences).p[0] == pytest.approx(p, nan_ok=True, rel=1e-12), name


def test_numbers_at_the_end_of_the_range_are_numbers_still() -> None:
    huge = column(1.7e308, -1.7e308, 1.6e308)
    assert stats.means(huge)[0] == pytest.approx(1.6e308 / 3)
    assert stats.t_test(huge).p[0] == pytest.approx(stats.t_test(huge / 1e300).p[0])
    assert stats.intervals(huge, method="t").low[0] == -math.inf
    assert stats.intervals(huge).low[0] == pytest.approx(-1.7e308)
    assert stats.noninferiority(huge, 1).bound[0] == -math.inf
    pairs = stats.tukey_hsd(np.random.default_rng(0).random((5, 3)) * 1e200)
    assert (pairs.p[np.triu_indices(3, 1)] > 0).all()


def test_one_side_of_differences_that_are_all_equal() -> None:
    equal = column(0.1, 0.1, 0.1)
    for name, p in {"t": 0, "wilcoxon": 1 / 8, "sign": 1 / 8, "randomization": 1 / 8, "bootstrap": 1 / 500}.items():
        assert ask(name, equal, alternative="greater").p[0] == pytest.approx(p)
        assert ask(name, equal, alternative="less").p[0] == 1
    assert stats.t_test(equal).statistic[0] == math.inf
    assert stats.t_test(-equal).statistic[0] == -math.inf
    assert stats.t_test(0 * equal).statistic[0] == 0


def test_no_columns_are_no_results() -> None:
    nothing = np.empty((5, 0))
    for name in TESTS:
        assert ask(name, nothing).p.shape == (0,)
    assert stats.intervals(nothing).low.shape == (0,)
    assert stats.effects(nothing).win.shape == (0,)
    assert stats.equivalence(nothing, 0.1).shape == (0,)


@pytest.mark.parametrize("method", ["bca", "percentile", "t"])
def test_intervals_of_next_to_nothing(method: Any) -> None:
    for none in (np.empty((0, 1)), column(0.3), column(NAN, 0.3), column(0.1, math.inf)):
        found = stats.intervals(none, method=method)
        assert math.isnan(found.low[0])
        assert math.isnan(found.high[0])
    same = stats.intervals(column(0.3, 0.3, 0.3), method=method)
    assert (same.low[0], same.high[0]) == pytest.approx((0.3, 0.3), rel=1e-15)
    heavy = stats.intervals(column(0.1, 0.5), [1e20, 1e-20], method=method)
    assert math.isnan(heavy.low[0])


@pytest.mark.parametrize("name", WEIGHTED)
def test_weights_that_are_next_to_nothing_beside_others_do_no_harm(name: str) -> None:
    differences = np.random.default_rng(0).normal(0.5, 1, size=(6, 2))
    weights = [1, 1, 1, 1e-17, 1e-17, 1e-300]
    assert ((ask(name, differences, weights).p > 0) & (ask(name, differences, weights).p <= 1)).all()
    for method in ("bca", "percentile", "t"):
        found = stats.intervals(differences, weights, method=method)
        assert (found.low < found.high).all()
        assert (found.high - found.low < 30).all()


def test_effects_of_next_to_nothing() -> None:
    found = stats.effects(np.array([[0.0, 0.1, NAN, 0.1], [0.0, 0.1, NAN, NAN]]))
    assert found.mean == pytest.approx([0, 0.1, NAN, 0.1], nan_ok=True)
    assert found.dz == pytest.approx([0, math.inf, NAN, NAN], nan_ok=True)
    assert found.win == pytest.approx([0.5, 1, NAN, 1], nan_ok=True)
    assert found.ties.tolist() == [2, 0, 0, 0]
    assert found.wins.tolist() == [0, 2, 0, 1]


# --- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda d: stats.t_test(d[:, 0]), r"a table \[rows, columns\], this has the shape \(3,\)"),
        (lambda d: stats.t_test(d, [1, 2]), "3 rows, and weights of the shape"),
        (lambda d: stats.t_test(d, [1, 2, -1]), "weight -1.0 of row 2: a weight is a finite number from 0"),
        (lambda d: stats.t_test(d, [1, NAN, 1]), "weight nan of row 1"),
        (lambda d: stats.t_test(d, [1, math.inf, 1]), "weight inf of row 1"),
        (lambda d: stats.wilcoxon(d, [1, 1, 1]), "the Wilcoxon test has no form with weights; t, randomization"),
        (lambda d: stats.sign_test(d, [1, 1, 1]), "the sign test has no form with weights"),
        (lambda d: stats.t_test(d, alternative="more"), "it is one of two-sided, less, greater"),
        (lambda d: stats.wilcoxon(d, alternative="more"), "it is one of two-sided, less, greater"),
        (lambda d: stats.randomization(d, resamples=0), "resamples=0: it is a whole number from 1"),
        (lambda d: stats.bootstrap_test(d, resamples=0), "resamples=0: it is a whole number from 1"),
        (lambda d: stats.randomized_tukey(d, resamples=0), "resamples=0: it is a whole number from 1"),
        (lambda d: stats.intervals(d, method="normal"), "it is one of bca, percentile, t"),
        (lambda d: stats.intervals(d, level=95), "level=.*: it lies between 0 and 1"),
        (lambda d: stats.tukey_hsd(d, level=1), "level=.*: it lies between 0 and 1"),
        (lambda d: stats.anova(d[0]), r"a table \[queries, systems\]"),
        (lambda d: stats.randomized_tukey(d[0]), r"\[queries, systems\] or \[queries, systems, measures\]"),
        (lambda d: stats.equivalence(d, -0.1), "a margin is 0 or more"),
        (lambda d: stats.adjusted(d[0], "sidak"), "one of none, bonferroni, holm, bh, by"),
        (lambda d: stats.adjusted(d[0] + 2), "a p value lies between 0 and 1"),
        (lambda _: stats.power(-1, 1, 10), "a standard deviation is 0 or more"),
        (lambda _: stats.power(1, 1, 10, alpha=5), "alpha=5: it lies between 0 and 1"),
        (lambda _: stats.queries_needed(1, 1, power=80), "power=80: it lies between 0 and 1"),
        (lambda _: stats.queries_needed(1, 1, power=0.01), "is not above alpha"),
    ],
)
def test_what_cannot_be_is_refused_in_words(call: Callable[[Floats], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call(np.array([[0.1, 0.2], [0.3, -0.1], [0.2, 0.2]]))


# --- brute force ------------------------------------------------------------------------------------------------------


@few_examples
@given(twentieths.filter(lambda one: len(one) < 8), st.sampled_from(ALTERNATIVES))
def test_randomization_counts_every_flip(differences: Floats, alternative: str) -> None:
    whole = np.rint(differences[:, 0] * 20).astype(int).tolist()
    found = stats.randomization(differences, alternative=alternative)
    seen = sum(whole)
    sums = [sum(a * b for a, b in zip(whole, signs, strict=True)) for signs in product((1, -1), repeat=len(whole))]
    far = {"two-sided": lambda one: abs(one) >= abs(seen), "less": lambda one: one <= seen}.get(
        alternative, lambda one: one >= seen
    )
    assert found.exact
    assert (found.resamples, found.seed) == (0, None)
    assert found.p[0] == sum(map(far, sums)) / len(sums)


@few_examples
@given(twentieths.filter(lambda one: len(one) < 8), st.data())
def test_randomization_of_weighted_sums_counts_every_flip(differences: Floats, data: st.DataObject) -> None:
    weights = data.draw(st.lists(st.integers(1, 5), min_size=len(differences), max_size=len(differences)))
    whole = [round(20 * one) * weight for one, weight in zip(differences[:, 0], weights, strict=True)]
    sums = [sum(a * b for a, b in zip(whole, signs, strict=True)) for signs in product((1, -1), repeat=len(whole))]
    found = stats.randomization(differences, np.array(weights) / 10)
    assert found.p[0] == sum(abs(one) >= abs(sum(whole)) for one in sums) / len(sums)


def test_random_flips_agree_with_all_of_them_within_their_error() -> None:
    differences = np.random.default_rng(4).normal(0.3, 1, size=(18, 30))
    found = stats.randomization(differences, resamples=20_000)
    assert not found.counted.any()
    exact = []
    for each in differences.T:
        sums = np.zeros(1)
        for one in each:
            sums = np.concatenate([sums + one, sums - one])
        exact.append((np.abs(sums) >= abs(each.sum()) - 1e-9).mean())
    error = np.sqrt(np.array(exact) * (1 - np.array(exact)) / 20_000)
    assert (np.abs(found.p - exact) < 4 * error + 1e-4).all()


def test_random_flips_never_give_zero() -> None:
    found = stats.randomization(np.full((40, 1), 1.0) + np.arange(40)[:, None], resamples=999)
    assert found.p[0] == 1 / 1000
    assert stats.randomization(np.arange(40.0)[:, None] - 19.5, resamples=999).p[0] == 1


def test_zeros_do_not_keep_flips_from_being_counted() -> None:
    few = np.random.default_rng(0).normal(0.4, 1, size=(9, 1))
    many = np.concatenate([few, np.zeros((200, 1))])
    found = stats.randomization(np.hstack([many, np.random.default_rng(1).normal(size=(209, 1))]), resamples=99)
    assert found.counted.tolist() == [True, False]
    assert not found.exact
    assert found.p[0] == stats.randomization(few).p[0]
    assert "or all flips of signs where 16 differences or fewer are not 0" in found.sentence


@few_examples
@given(twentieths, st.sampled_from(ALTERNATIVES))
def test_wilcoxon_counts_every_sign_of_shared_ranks(differences: Floats, alternative: str) -> None:
    whole = [one for one in np.rint(differences[:, 0] * 20).astype(int).tolist() if one]
    found = stats.wilcoxon(differences, alternative=alternative)
    sizes = sorted(map(abs, whole))
    ranks = [2 * sizes.index(abs(one)) + sizes.count(abs(one)) + 1 for one in whole]  # twice the middle rank
    seen = sum(rank if one > 0 else -rank for rank, one in zip(ranks, whole, strict=True))
    sums = [sum(a * b for a, b in zip(ranks, signs, strict=True)) for signs in product((1, -1), repeat=len(whole))]
    far = {"two-sided": lambda one: abs(one) >= abs(seen), "less": lambda one: one <= seen}.get(
        alternative, lambda one: one >= seen
    )
    assert found.exact
    assert found.p[0] == pytest.approx(sum(map(far, sums)) / len(sums), rel=1e-12)


def test_randomized_tukey_agrees_with_all_shuffles_within_its_error() -> None:
    values = np.random.default_rng(5).integers(0, 11, size=(4, 3)) / 10 + np.array([0, 0.2, 0.5])
    found = stats.randomized_tukey(values, resamples=50_000)
    spans = []
    for shuffles in product(permutations(range(3)), repeat=4):
        means = np.array([values[row, order] for row, order in enumerate(map(list, shuffles))]).mean(axis=0)
        spans.append(np.ptp(means))
    means = values.mean(axis=0)
    for a, b in ((0, 1), (0, 2), (1, 2)):
        exact = (np.array(spans) >= abs(means[a] - means[b]) - 1e-9).mean()
        assert found.p[a, b] == found.p[b, a]
        assert found.p[a, b] == pytest.approx(exact, abs=4 * math.sqrt(exact * (1 - exact) / 50_000) + 1e-4)
    assert np.isnan(np.diag(found.p)).all()


RANKED = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, -0.9, -5.0])[:, None]
"""differences that the mean has below 0, and most of whose signs and ranks are above"""


@pytest.mark.parametrize("name", TESTS)
def test_a_test_says_what_it_is_about(name: str) -> None:
    """Ranks and signs stay as they are where differences are cubed; the mean does not."""
    cubed = np.sign(RANKED) * np.abs(RANKED) ** 3
    assert np.array_equal(ask(name, RANKED).p, ask(name, cubed).p) == (TESTS[name].about == "ranks")


@pytest.mark.parametrize("name", TESTS)
def test_p_of_a_test_that_counts_signs_is_at_least_that_of_all_signs_alike(name: str) -> None:
    alike = np.linspace(0.2, 0.201, 6)[:, None]
    p, least = ask(name, alike).p[0], 2 * 0.5**6
    assert p == pytest.approx(least, rel=1e-12) if TESTS[name].counts_signs else p < least / 2


# --- scipy ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("rows", [2, 3, 14, 45, 200])
def test_tests_agree_with_scipy(alternative: Any, rows: int) -> None:
    differences = np.random.default_rng(rows).normal(0.1, 1, size=(rows, 5))
    t = scipy.stats.ttest_1samp(differences, 0, alternative=alternative)
    found = stats.t_test(differences, alternative=alternative)
    assert found.statistic == pytest.approx(t.statistic, rel=1e-12)
    assert found.p == pytest.approx(t.pvalue, rel=1e-12)
    ranked = stats.wilcoxon(differences, alternative=alternative)
    expected = scipy.stats.wilcoxon(differences, alternative=alternative)
    assert ranked.statistic == pytest.approx(expected.statistic, rel=1e-12)
    assert ranked.p == pytest.approx(expected.pvalue, rel=1e-12)
    assert ranked.exact == (rows <= 50)
    signs = stats.sign_test(differences, alternative=alternative)
    for place in range(5):
        positive = int((differences[:, place] > 0).sum())
        assert signs.statistic[place] == positive
        expected_p = scipy.stats.binomtest(positive, rows, alternative=alternative).pvalue
        assert signs.p[place] == pytest.approx(expected_p, rel=1e-12)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_counted_flips_agree_with_scipy(alternative: Any) -> None:
    differences = np.random.default_rng(6).normal(0.2, 1, size=(10, 3))
    expected = scipy.stats.permutation_test(
        (differences,), lambda x, axis: x.mean(axis=axis), permutation_type="samples", alternative=alternative
    )
    assert stats.randomization(differences, alternative=alternative).p == pytest.approx(expected.pvalue, rel=1e-12)


@pytest.mark.parametrize("rows", [2, 20, 60])
@pytest.mark.parametrize("method", ["BCa", "percentile"])
def test_intervals_are_those_of_scipy_for_the_same_samples(rows: int, method: Any) -> None:
    values = np.random.default_rng(rows).beta(0.5, 1.5, size=(rows, 3))
    found = stats.intervals(values, method=method.lower(), resamples=999, seed=7, level=0.9)
    for place in range(3):
        expected = scipy.stats.bootstrap(
            (values[:, place],),
            np.mean,
            method=method,
            n_resamples=999,
            confidence_level=0.9,
            rng=np.random.default_rng(7),
        ).confidence_interval
        assert found.low[place] == pytest.approx(expected.low, rel=1e-11)
        assert found.high[place] == pytest.approx(expected.high, rel=1e-11)


def test_weighted_intervals_are_those_of_scipy_for_the_same_samples() -> None:
    generator = np.random.default_rng(8)
    values, weights = generator.beta(0.5, 1.5, size=40), generator.integers(1, 9, size=40) / 4
    found = stats.intervals(values[:, None], weights, resamples=999, seed=3)

    def weighted(x: Floats, w: Floats, axis: int = -1) -> Floats:
        return (x * w).sum(axis=axis) / w.sum(axis=axis)

    expected = scipy.stats.bootstrap(
        (values, weights),
        weighted,
        paired=True,
        vectorized=True,
        n_resamples=999,
        rng=np.random.default_rng(3),
    ).confidence_interval
    assert found.low[0] == pytest.approx(expected.low, rel=1e-11)
    assert found.high[0] == pytest.approx(expected.high, rel=1e-11)


def test_t_intervals_are_those_of_scipy() -> None:
    values = np.random.default_rng(1).random((30, 4))
    found = stats.intervals(values, method="t", level=0.99)
    expected = scipy.stats.ttest_1samp(values, 0).confidence_interval(0.99)
    assert found.low == pytest.approx(expected.low, rel=1e-12)
    assert found.high == pytest.approx(expected.high, rel=1e-12)


@pytest.mark.parametrize(("means", "df"), [(2, 1), (2, 19), (3, 2), (3, 38), (8, 700), (20, 4256), (60, 5841)])
def test_the_studentized_range_is_that_of_scipy(means: int, df: int) -> None:
    q = np.array([0, 0.01, 0.5, 1, 2, 3, 4, 5, 7, 20])
    assert variance.range_sf(q, means, df) == pytest.approx(scipy.stats.studentized_range.sf(q, means, df), abs=1e-9)
    assert variance.range_isf(0.05, means, df) == pytest.approx(
        scipy.stats.studentized_range.ppf(0.95, means, df), rel=1e-7
    )


@few_examples
@given(st.lists(st.floats(0, 1), min_size=1, max_size=12), st.randoms(use_true_random=False))
def test_corrections_keep_the_order_and_agree_with_scipy(p: list[float], random: Any) -> None:
    for method in stats.CORRECTIONS:
        found = stats.adjusted(p, method)
        assert ((found >= np.array(p) * (1 - 1e-12)) & (found <= 1)).all()
        order = np.argsort(p, kind="stable")
        assert (np.diff(found[order]) >= 0).all()
        places = list(range(len(p)))
        random.shuffle(places)
        assert stats.adjusted(np.array(p)[places], method) == pytest.approx(found[places], rel=1e-12)
    for method in ("bh", "by"):
        expected = scipy.stats.false_discovery_control(p, method=method)
        assert stats.adjusted(p, method) == pytest.approx(expected, rel=1e-12, abs=1e-300)


def test_a_missing_p_value_is_not_counted() -> None:
    p = np.array([[0.01, NAN], [0.04, 0.03]])
    assert stats.adjusted(p, "bonferroni") == pytest.approx(np.array([[0.03, NAN], [0.12, 0.09]]), nan_ok=True)
    assert stats.adjusted(p, "holm") == pytest.approx(np.array([[0.03, NAN], [0.06, 0.06]]), nan_ok=True)
    assert stats.adjusted(p, "none") == pytest.approx(p, nan_ok=True)
    assert stats.adjusted([], "by").shape == (0,)


# --- intervals and effects --------------------------------------------------------------------------------------------


@few_examples
@given(anything, st.sampled_from(["bca", "percentile", "t"]), st.integers(-8, 8))
def test_intervals_hold_the_mean_and_move_with_it(values: Floats, method: Any, constant: int) -> None:
    values = np.rint(values * 64) / 64  # so that a constant is added exactly
    found = stats.intervals(values, method=method, resamples=999)
    mean = stats.means(values)
    if method == "t" or len(values) >= 10:
        assert ((found.low <= mean + 1e-12) & (mean - 1e-12 <= found.high)).all()
    moved = stats.intervals(values + constant, method=method, resamples=999)
    assert moved.low == pytest.approx(found.low + constant, abs=1e-11)
    assert moved.high == pytest.approx(found.high + constant, abs=1e-11)
    mirrored = stats.intervals(-values, method=method, resamples=999)
    assert mirrored.low == pytest.approx(-found.high, abs=1e-11)


def test_a_higher_level_has_a_wider_interval() -> None:
    values = np.random.default_rng(3).random((40, 1))
    weights = np.random.default_rng(4).random(40)
    for method in ("bca", "percentile", "t"):
        for weighing in (None, weights):
            found = [stats.intervals(values, weighing, method=method, level=level) for level in (0.5, 0.9, 0.99)]
            low, high = ([one.low[0] for one in found], [one.high[0] for one in found])
            assert low == sorted(low, reverse=True)
            assert high == sorted(high)


def test_one_sample_is_enough_for_an_interval() -> None:
    found = stats.intervals(column(0.1, 0.4, 0.2), resamples=1)
    assert found.low[0] == found.high[0]


@pytest.mark.parametrize("weights", [[1, 2, 3, 4], [5, 1, 1, 0.5]])
def test_weighted_moments_by_hand(weights: list[float]) -> None:
    numbers = [0.2, -0.1, 0.4, 0.3]
    shares = [weight / sum(weights) for weight in weights]
    mean = sum(h * d for h, d in zip(shares, numbers, strict=True))
    together = sum(h * h for h in shares)
    squares = [(d - mean) ** 2 for d in numbers]
    variance = sum(h * one for h, one in zip(shares, squares, strict=True)) / (1 - together)
    short = sum(h * h * ((1 - h) ** 2 + together - h * h) for h in shares) / together
    error = math.sqrt(sum(h * h * one for h, one in zip(shares, squares, strict=True)) / short)
    df = 1 / together - 1
    found = stats.effects(column(*numbers), weights)
    assert found.mean[0] == pytest.approx(mean, rel=1e-12)
    assert found.dz[0] == pytest.approx(mean / math.sqrt(variance), rel=1e-12)
    assert found.win[0] == pytest.approx(1 - shares[1], rel=1e-12)
    test = stats.t_test(column(*numbers), weights)
    assert test.statistic[0] == pytest.approx(mean / error, rel=1e-12)
    assert test.p[0] == pytest.approx(2 * scipy.stats.t.sf(mean / error, df), rel=1e-12)
    interval = stats.intervals(column(*numbers), weights, method="t")
    assert interval.high[0] == pytest.approx(mean + scipy.stats.t.ppf(0.975, df) * error, rel=1e-12)
    assert stats.deviations(column(*numbers), weights)[0] == pytest.approx(2 * error, rel=1e-12)


def test_hedges_correction_is_what_its_approximation_says() -> None:
    for rows in (3, 10, 50, 1000):
        found = stats.effects(np.random.default_rng(rows).normal(1, 1, size=(rows, 1)))
        assert found.hedges[0] / found.dz[0] == pytest.approx(1 - 3 / (4 * (rows - 1) - 1), abs=0.01)
    two = stats.effects(column(0.1, 0.3))
    assert math.isnan(two.hedges[0])
    # J(2) = Gamma(1) / Gamma(1 / 2)
    three = stats.effects(column(0.1, 0.2, 0.6))
    assert three.hedges[0] == pytest.approx(three.dz[0] / math.sqrt(math.pi), rel=1e-12)


# --- several systems --------------------------------------------------------------------------------------------------


def test_with_two_systems_anova_and_tukey_are_the_t_test() -> None:
    values = np.random.default_rng(1).random((25, 2))
    test = stats.t_test(values[:, :1] - values[:, 1:])
    variance = stats.anova(values)
    assert variance.f == pytest.approx(test.statistic[0] ** 2, rel=1e-10)
    assert variance.p == pytest.approx(test.p[0], rel=1e-10)
    pairs = stats.tukey_hsd(values)
    interval = stats.intervals(values[:, :1] - values[:, 1:], method="t")
    assert pairs.p[0, 1] == pytest.approx(test.p[0], rel=1e-8)
    assert pairs.low[0, 1] == pytest.approx(interval.low[0], rel=1e-8)
    assert pairs.high[0, 1] == pytest.approx(interval.high[0], rel=1e-8)


def test_with_two_systems_randomized_tukey_is_the_randomization_test() -> None:
    values = np.random.default_rng(2).random((14, 2))
    exact = stats.randomization(values[:, :1] - values[:, 1:]).p[0]
    assert stats.randomized_tukey(values, resamples=50_000).p[0, 1] == pytest.approx(exact, abs=0.01)


@pytest.mark.parametrize("case", ANALYSES["variance"])
def test_analyses_of_variance_are_those_of_statsmodels(case: Any) -> None:
    values = np.array(case["values"])
    analysis, residual = stats.anova(values), case["found"]["residual"]["squares"]
    for name, theirs in case["found"].items():
        effect = getattr(analysis, name)
        for key in theirs:
            assert getattr(effect, key) == pytest.approx(theirs[key], rel=1e-9), (name, key)
    n, systems = values.shape
    freedom, means = (n - 1) * (systems - 1), values.mean(axis=0)
    q = np.abs(means[:, None] - means) / math.sqrt(residual / freedom / n)
    for a, b in combinations(range(systems), 2):
        expected = scipy.stats.studentized_range.sf(q[a, b], systems, freedom)
        assert stats.tukey_hsd(values).p[a, b] == pytest.approx(expected, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("case", ANALYSES["corrections"])
def test_corrections_are_those_of_statsmodels(case: Any) -> None:
    for method, expected in case["found"].items():
        assert stats.adjusted(case["p"], method) == pytest.approx(expected, rel=1e-12)


def test_what_queries_have_in_common_is_no_difference_of_systems() -> None:
    values = np.random.default_rng(3).integers(0, 64, size=(12, 4)) / 64
    harder = values + np.arange(12)[:, None]
    assert stats.anova(harder).f == pytest.approx(stats.anova(values).f, rel=1e-10)
    assert stats.tukey_hsd(harder).p == pytest.approx(stats.tukey_hsd(values).p, rel=1e-8, nan_ok=True)
    shuffled = [stats.randomized_tukey(one, resamples=2_000).p for one in (harder, values)]
    assert np.array_equal(*shuffled, equal_nan=True)


def test_pairs_are_symmetrical_and_systems_have_no_order() -> None:
    values = np.random.default_rng(4).random((15, 5))
    found = stats.tukey_hsd(values)
    assert np.array_equal(found.p, found.p.T, equal_nan=True)
    assert found.difference == pytest.approx(-found.difference.T)
    assert found.low == pytest.approx(-found.high.T)
    order = [3, 0, 4, 1, 2]
    assert stats.tukey_hsd(values[:, order]).p == pytest.approx(found.p[np.ix_(order, order)], nan_ok=True)


def test_an_interval_leaves_out_nothing_exactly_where_p_is_small() -> None:
    values = np.random.default_rng(5).normal(size=(20, 8)) + np.linspace(0, 2, 8)
    found = stats.tukey_hsd(values, level=0.95)
    upper = np.triu_indices(8, 1)
    away = (found.low[upper] > 0) | (found.high[upper] < 0)
    assert np.array_equal(away, found.p[upper] < 0.05)
    assert 0 < away.sum() < away.size


def test_measures_share_their_shuffles() -> None:
    values = np.random.default_rng(6).random((10, 4, 3))
    values[2, 1, 1] = NAN
    values[:, 2, 2] = math.inf
    found = stats.randomized_tukey(values, resamples=999).p
    assert np.array_equal(found[0], stats.randomized_tukey(values[:, :, 0], resamples=999).p, equal_nan=True)
    rest = np.delete(values[:, :, 1], 2, axis=0)
    upper = np.triu_indices(4, 1)
    assert found[1][upper] == pytest.approx(stats.randomized_tukey(rest, resamples=999).p[upper], abs=0.08)
    assert np.isnan(found[2]).all()


def test_more_than_64_systems_are_shuffled_as_well() -> None:
    values = np.random.default_rng(7).normal(size=(6, 70))
    values[:, 0] += 9
    found = stats.randomized_tukey(values, resamples=199)
    assert (found.p[0, 1:] == 1 / 200).all()
    assert np.median(found.p[1:][~np.isnan(found.p[1:])]) > 0.5


def test_a_query_that_lacks_a_value_is_left_out() -> None:
    values = np.random.default_rng(8).random((12, 3))
    holed = np.vstack([values, [0.1, NAN, 0.3]])
    assert stats.anova(holed) == stats.anova(values)
    assert np.array_equal(stats.tukey_hsd(holed).p, stats.tukey_hsd(values).p, equal_nan=True)


@pytest.mark.parametrize("values", [np.empty((0, 3)), np.ones((1, 3)), np.ones((4, 1)), [[1, math.inf], [1, 2]]])
def test_next_to_nothing_has_no_variance(values: Any) -> None:
    found = stats.anova(values)
    assert math.isnan(found.p)
    assert math.isnan(found.residual.mean_square)
    assert np.isnan(stats.tukey_hsd(values).p).all()


def test_systems_that_differ_by_a_constant_leave_no_residual() -> None:
    values = np.array([0.1, 0.5, 0.7])[:, None] + np.array([0.0, 0.2, 0.0])
    found = stats.anova(values)
    assert (found.f, found.p, found.residual.squares) == (math.inf, 0, 0)
    pairs = stats.tukey_hsd(values)
    assert pairs.p[0, 1] == 0
    assert pairs.p[0, 2] == 1
    assert pairs.low[0, 1] == pairs.high[0, 1] == pytest.approx(-0.2)
    same = stats.anova(np.full((4, 3), 0.3))
    assert (same.f, same.p) == (0, 1)
    assert stats.randomized_tukey(np.full((4, 3), 0.3), resamples=9).p[0, 1] == 1


# --- margins ----------------------------------------------------------------------------------------------------------


@few_examples
@given(anything.filter(lambda one: len(one) > 4), st.floats(0.01, 2))
def test_equivalence_is_two_tests_of_scipy(differences: Floats, margin: float) -> None:
    above = scipy.stats.ttest_1samp(differences, -margin, alternative="greater").pvalue
    below = scipy.stats.ttest_1samp(differences, margin, alternative="less").pvalue
    assert stats.equivalence(differences, margin) == pytest.approx(np.maximum(above, below), rel=1e-10)
    worse = stats.noninferiority(differences, margin)
    assert worse.p == pytest.approx(above, rel=1e-10)
    interval = stats.intervals(differences, method="t", level=0.9)
    assert worse.bound == pytest.approx(interval.low, rel=1e-10)
    sure = np.abs(worse.p - 0.05) > 1e-9
    assert np.array_equal((worse.p < 0.05)[sure], (worse.bound > -margin)[sure])
    inside = (interval.low > -margin) & (interval.high < margin)
    near = np.abs(stats.equivalence(differences, margin) - 0.05) < 1e-9
    assert np.array_equal((stats.equivalence(differences, margin) < 0.05)[~near], inside[~near])


def test_margins_where_there_is_no_spread() -> None:
    same = np.tile([0.0, 0.01, -0.01, -0.02], (5, 1))
    assert stats.equivalence(same, 0.01).tolist() == [0, 1, 1, 1]
    assert stats.equivalence(same, [0.0, 0.02, 0.02, 0.01]).tolist() == [1, 0, 0, 1]
    worse = stats.noninferiority(same, 0.01)
    assert worse.p.tolist() == [0, 0, 1, 1]
    assert worse.bound == pytest.approx([0, 0.01, -0.01, -0.02])
    assert stats.noninferiority(column(0.3), 0.1).p == pytest.approx([NAN], nan_ok=True)


# --- planning ---------------------------------------------------------------------------------------------------------


def test_the_numbers_of_queries_that_tables_have() -> None:
    # two-sided, alpha 5%: for 80% power, G*Power has 199, 34 and 15 pairs for d_z of 0.2, 0.5 and 0.8; for 95%, 54
    assert stats.queries_needed(1.0, [0.2, -0.5, 0.8]).tolist() == [199, 34, 15]
    assert stats.queries_needed(2.0, 1.0, power=0.95) == 54


@few_examples
@given(st.floats(0.02, 3), st.floats(0.05, 0.95), st.sampled_from([0.001, 0.01, 0.05]))
def test_the_number_of_queries_is_the_smallest_that_does(effect: float, power: float, alpha: float) -> None:
    power = max(power, 2 * alpha)
    n = stats.queries_needed(1.0, effect, power, alpha)
    assert stats.power(1.0, effect, n, alpha) >= power
    assert n == 2 or stats.power(1.0, effect, n - 1, alpha) < power
    detectable = stats.minimal_detectable(1.0, n, power, alpha)
    assert detectable <= effect * (1 + 1e-9)
    assert stats.power(1.0, detectable, n, alpha) == pytest.approx(power, abs=1e-9)


def test_power_is_that_of_the_noncentral_t() -> None:
    for n, effect in ((5, 0.3), (30, 0.5), (200, 0.1)):
        edge = scipy.stats.t.ppf(0.975, n - 1)
        t = scipy.stats.nct(n - 1, effect * math.sqrt(n))
        assert stats.power(1.0, effect, n) == pytest.approx(t.sf(edge) + t.cdf(-edge), rel=1e-12)


def test_power_at_the_edges() -> None:
    assert stats.power([1, 0, 0, 1, 1, NAN, 1], [0, 0, 1, 1, 100, 1, 1], [9, 9, 9, 1, 100, 9, NAN]) == pytest.approx(
        [0.05, 0, 1, 0, 1, NAN, NAN], nan_ok=True
    )
    assert stats.minimal_detectable([1, 0, 0, NAN], [1, 1, 2, 5]).tolist()[:3] == [math.inf, math.inf, 0]
    assert math.isnan(stats.minimal_detectable(NAN, 5))
    assert stats.queries_needed([1, 0, 0], [0, 0, 1]).tolist() == [math.inf, math.inf, 2]
    # (1.95996 + 0.84162)^2 / effect^2
    assert stats.queries_needed(1.0, 1e-6) == pytest.approx(7.8489e12, rel=1e-4)
    assert stats.queries_needed(1.0, 1e-300) == math.inf


# --- the room ---------------------------------------------------------------------------------------------------------


def test_importing_statistics_imports_no_scipy() -> None:
    code = "import sys, rankworth.stats as s; [getattr(s, n) for n in dir(s)]; print('scipy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_the_front_door_of_statistics_is_typed() -> None:
    text = Path(str(stats.__file__)).read_text()
    typed = re.findall(r"from rankworth.stats.(\w+) import (\w+) as \2\b", text)
    assert sorted(name for _, name in typed) == dir(stats)
    assert {name: home for home, name in typed} == stats._HOME_OF
    with pytest.raises(AttributeError, match="no attribute 'mean'"):
        _ = stats.mean


def test_every_result_names_its_source() -> None:
    table = np.random.default_rng(0).random((20, 3))
    results = [ask(name, table) for name in TESTS]
    results += [stats.intervals(table, method=method) for method in ("bca", "percentile", "t")]
    results += [stats.anova(table), stats.tukey_hsd(table), stats.randomized_tukey(table, resamples=9)]
    results += [one for one in stats.CORRECTIONS.values() if one.reference]
    for one in results:
        assert one.sentence.endswith(".")
        assert stats.BIBTEX[one.reference].startswith("@")
    named = {one.reference for one in results} | {"bodoff2007", "hedges1981", "sakai2016", "schuirmann1987"}
    named |= {method.inverted_in for method in stats.TESTS.values()} - {""}
    assert named == set(stats.BIBTEX)
    for key, entry in stats.BIBTEX.items():
        assert key in entry.splitlines()[0]
        assert entry.count("{") == entry.count("}")


def test_what_is_given_is_not_written_to() -> None:
    table, weights = np.random.default_rng(0).random((20, 3)), np.arange(20.0)
    table[3, 1] = NAN
    before = table.copy(), weights.copy()
    for name in TESTS:
        ask(name, table, weights if TESTS[name].weighted else None)
    stats.intervals(table, weights)
    stats.tukey_hsd(table)
    stats.randomized_tukey(table, resamples=9)
    assert np.array_equal(before[0], table, equal_nan=True)
    assert np.array_equal(before[1], weights)


def test_sizes_that_rounding_tells_apart_are_settled() -> None:
    found = samples.settled(np.array([0.3 - 0.1, -0.2, 1.0, 1e-17, -0.0, 1 - 1e-9]))
    assert found.tolist() == [0.3 - 0.1, -(0.3 - 0.1), 1.0, 0.0, 0.0, 1 - 1e-9]
