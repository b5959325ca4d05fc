"""Coefficients of rank correlation: laws, examples, numbers that others have stored, and SciPy as it is installed."""

import json
import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, permutations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from golden.records import of_two_rankings
from rankworth.errors import InputError, UsageError
from rankworth.stats.rank_correlation import BLOCK, COEFFICIENTS, Coefficient, Orders, Pair

Scores = NDArray[np.float64]
CLOSE = 1e-13
NOTEBOOKS = json.loads((Path(__file__).parent / "data" / "notebook_cases.json").read_text("utf-8"))
EACH = pytest.mark.parametrize("coefficient", COEFFICIENTS.values(), ids=lambda one: one.name)
TESTED = pytest.mark.parametrize(
    "coefficient", [one for one in COEFFICIENTS.values() if one.test], ids=lambda one: one.name
)
TOP_OF_Y = {"weighted-tau", "tau-ap", "tau-ap-a", "tau-ap-b"}  # where the top of the second ranking weighs more


def value(name: str, x: ArrayLike, y: ArrayLike) -> float:
    return COEFFICIENTS[name].value(x, y)


def p_value(name: str, x: ArrayLike, y: ArrayLike) -> float:
    return COEFFICIENTS[name].p(x, y)


@st.composite
def pairs(draw: st.DrawFn, *, tied_x: bool = True, tied_y: bool = True, most: int = 90) -> tuple[Scores, Scores]:
    """Two vectors of scores for the same items; `most` is beyond what is compared each with each in one block."""
    n = draw(st.integers(2, most))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    kinds = draw(st.tuples(st.integers(1, n), st.integers(1, n)))
    sides = [
        random.integers(0, groups, n).astype(np.float64) if tied else random.permutation(n).astype(np.float64)
        for groups, tied in zip(kinds, (tied_x, tied_y), strict=True)
    ]
    return sides[0], sides[1]


def suited(coefficient: Coefficient, most: int = 90) -> st.SearchStrategy[tuple[Scores, Scores]]:
    """What a coefficient is defined for."""
    ties = coefficient.ties
    return pairs(tied_x=not ties.startswith("refused"), tied_y=ties != "refused", most=most)


def signs(x: ArrayLike, y: ArrayLike) -> Iterator[tuple[int, int]]:
    """How each pair of items stands in x and in y."""
    for one, other in combinations(zip(np.asarray(x).tolist(), np.asarray(y).tolist(), strict=True), 2):
        yield tuple((a > b) - (a < b) for a, b in zip(one, other, strict=True))  # type: ignore[misc]


def ap_of_order(x: ArrayLike, order: tuple[int, ...]) -> Fraction:
    """tau_AP of items in an order, as Yilmaz, Aslam and Robertson write it."""
    truth = np.asarray(x).tolist()
    shares = [
        Fraction(sum(truth[above] > truth[item] for above in order[:rank]), rank)
        for rank, item in enumerate(order)
        if rank
    ]
    return 2 * sum(shares, Fraction()) / len(shares) - 1


def ap_in_groups(x: ArrayLike, y: ArrayLike) -> Fraction:
    """One direction of tau_AP,b, as Urbano and Marrero write it: items above the group of ties of an item in y."""
    first, second = np.asarray(x).tolist(), np.asarray(y).tolist()
    shares = []
    for truth, score in zip(first, second, strict=True):
        over = [other for other, its in zip(first, second, strict=True) if its > score]
        if over:
            shares.append(Fraction(sum(other > truth for other in over), len(over)))
    return 2 * sum(shares, Fraction()) / len(shares) - 1


# Laws of all coefficients


@EACH
def test_no_value_leaves_the_bounds(coefficient: Coefficient) -> None:
    @given(suited(coefficient))
    def check(given_pair: tuple[Scores, Scores]) -> None:
        found = coefficient.value(*given_pair)
        assert math.isnan(found) or -1 <= found <= 1

    check()


@EACH
def test_identical_rankings_give_one_where_ties_permit(coefficient: Coefficient) -> None:
    @given(suited(coefficient))
    def check(given_pair: tuple[Scores, Scores]) -> None:
        x, _ = given_pair
        found = coefficient.value(x, x)
        tied = len(set(x.tolist())) < len(x)
        if len(set(x.tolist())) == 1:
            assert math.isnan(found) or (coefficient.name == "tau-a" and found == 0)
        elif coefficient.name == "tau-a":
            assert (found < 1) == tied
        elif coefficient.name == "tau-c":
            sizes = set(np.unique(x, return_counts=True)[1].tolist())
            assert (found < 1) == (len(sizes) > 1)  # groups of one size can agree wholly
        else:
            assert found == 1

    check()


@EACH
def test_reversed_rankings_give_the_lowest_value(coefficient: Coefficient) -> None:
    @given(pairs(tied_x=False, tied_y=False))
    def check(given_pair: tuple[Scores, Scores]) -> None:
        x, _ = given_pair
        assert coefficient.value(x, -x) == -1

    check()


@EACH
def test_the_two_rankings_change_places_where_declared(coefficient: Coefficient) -> None:
    differing = []

    @settings(derandomize=True)
    @given(pairs(tied_x=False, tied_y=False) if coefficient.ties.startswith("refused") else pairs())
    def check(given_pair: tuple[Scores, Scores]) -> None:
        x, y = given_pair
        there, back = coefficient.value(x, y), coefficient.value(y, x)
        if coefficient.symmetric:
            assert there == back or (math.isnan(there) and math.isnan(back))
        elif not math.isnan(there):
            differing.append(abs(there - back) > 1e-6)

    check()
    assert coefficient.symmetric or any(differing)


@EACH
def test_only_the_order_of_scores_counts_but_for_pearson(coefficient: Coefficient) -> None:
    @given(suited(coefficient), st.integers(0, 2**32 - 1))
    def check(given_pair: tuple[Scores, Scores], seed: int) -> None:
        random = np.random.default_rng(seed)
        if coefficient.name == "pearson":
            rescaled = [2.0 ** random.integers(-300, 300) * side for side in given_pair]
        else:
            steps = [np.cumsum(10.0 ** random.uniform(-3, 6, len(side))) - 1e5 for side in given_pair]
            rescaled = [
                heights[np.unique(side, return_inverse=True)[1]]
                for heights, side in zip(steps, given_pair, strict=True)
            ]
        assert np.array_equal(coefficient.value(*rescaled), coefficient.value(*given_pair), equal_nan=True)

    check()


@given(pairs(), st.floats(0.01, 100), st.floats(-10, 10))
def test_pearson_knows_neither_unit_nor_origin(given_pair: tuple[Scores, Scores], unit: float, origin: float) -> None:
    x, y = given_pair
    found = value("pearson", unit * x + origin, y)
    assert found == pytest.approx(value("pearson", x, y), abs=1e-9, nan_ok=True)


@EACH
def test_items_may_be_listed_in_any_order(coefficient: Coefficient) -> None:
    @given(suited(coefficient), st.integers(0, 2**32 - 1))
    def check(given_pair: tuple[Scores, Scores], seed: int) -> None:
        x, y = given_pair
        order = np.random.default_rng(seed).permutation(len(x))
        found, before = coefficient.value(x[order], y[order]), coefficient.value(x, y)
        if coefficient.name == "pearson":  # it alone adds numbers that are not whole in the order given
            assert found == pytest.approx(before, abs=CLOSE, nan_ok=True)
        else:
            assert np.array_equal(found, before, equal_nan=True)

    check()


@EACH
def test_without_ties_one_reversed_ranking_reverses_the_sign(coefficient: Coefficient) -> None:
    if coefficient.name in TOP_OF_Y:  # reversing puts the bottom there
        assert value(coefficient.name, [3, 2, 1], [3, 1, 2]) != -value(coefficient.name, [3, 2, 1], [1, 3, 2])
        return

    @given(pairs(tied_x=False, tied_y=False))
    def check(given_pair: tuple[Scores, Scores]) -> None:
        x, y = given_pair
        assert coefficient.value(x, -y) == pytest.approx(-coefficient.value(x, y), abs=CLOSE)

    check()


@EACH
def test_inputs_stay_as_they_were(coefficient: Coefficient) -> None:
    x, y = np.array([0.3, 0.1, 0.2]), np.array([3.0, 2.0, 1.0])
    for scores in (x, y):
        scores.setflags(write=False)
    assert type(coefficient.value(x, y)) is float
    assert coefficient.value(x, y) == coefficient.value([0.3, 0.1, 0.2], [3, 2, 1])


@EACH
def test_fewer_than_two_items_are_undefined(coefficient: Coefficient) -> None:
    for few in ([], [0.5]):
        assert math.isnan(coefficient.value(few, few))
        if coefficient.test:
            assert math.isnan(coefficient.p(few, few))


@EACH
def test_a_side_that_is_tied_as_a_whole(coefficient: Coefficient) -> None:
    flat, steep = [2.0, 2.0, 2.0], [1.0, 2.0, 3.0]
    defined = {"tau-a": 0, "tau-ap-a": 0}  # 0 of 3 pairs; the mean over all orders
    if coefficient.ties == "refused":
        with pytest.raises(UsageError):
            coefficient.value(steep, flat)
        return
    found = coefficient.value(steep, flat)
    assert found == defined[coefficient.name] if coefficient.name in defined else math.isnan(found)
    if coefficient.test:
        assert math.isnan(coefficient.p(steep, flat))
        assert math.isnan(coefficient.p(flat, steep))


@EACH
def test_a_score_that_is_not_a_number_is_refused(coefficient: Coefficient) -> None:
    for function in (coefficient.value, coefficient.p):
        with pytest.raises(InputError, match=r"the score y\[1\] is not a number") as caught:
            function([1, 2, 3], [1, math.nan, 3])
        assert caught.value.slug == "bad-score"


@EACH
def test_vectors_of_different_shape_are_refused(coefficient: Coefficient) -> None:
    for x, y in (([1, 2], [1, 2, 3]), ([[1, 2]], [[1, 2]])):
        with pytest.raises(ValueError, match="two vectors of one length"):
            coefficient.value(x, y)


@EACH
def test_infinities_are_the_ends_of_an_order(coefficient: Coefficient) -> None:
    ends, inner = [math.inf, 1.0, -math.inf, 0.5], [3.0, 4.0, 1.0, 2.0]
    found = coefficient.value(ends, inner)
    if coefficient.name == "pearson":
        assert math.isnan(found)
    else:
        assert found == coefficient.value([9.0, 1.0, -9.0, 0.5], inner)


@TESTED
def test_p_values_are_those_of_either_direction(coefficient: Coefficient) -> None:
    p = coefficient.p

    @settings(max_examples=30)
    @given(pairs(most=40))
    def check(given_pair: tuple[Scores, Scores]) -> None:
        x, y = given_pair
        found = p(x, y)
        assert math.isnan(found) or 0 <= found <= 1
        assert p(y, x) == pytest.approx(found, abs=CLOSE, nan_ok=True)

    check()


# Agreement with brute force


@given(pairs(most=2 * BLOCK + 9))
def test_counts_are_those_of_all_pairs(given_pair: tuple[Scores, Scores]) -> None:
    x, y = given_pair
    found, seen = Pair.of(x, y), list(signs(x, y))
    assert found.all == len(seen)
    assert found.concordant[0] == sum(a * b > 0 for a, b in seen)
    assert found.discordant[0] == sum(a * b < 0 for a, b in seen)
    assert found.x.tied_pairs[0] == sum(a == 0 for a, _ in seen)
    assert found.y.tied_pairs[0] == sum(b == 0 for _, b in seen)
    assert found.tied_both[0] == sum(a == b == 0 for a, b in seen)


@pytest.mark.parametrize("n", [1, 2, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK, 5 * BLOCK + 3, 1000])
@pytest.mark.parametrize("groups", [1, 3, 100, None])
def test_counts_per_item_are_those_of_a_table(n: int, groups: int | None) -> None:
    random = np.random.default_rng(n)
    x, y = (random.permutation(n) if groups is None else random.integers(0, groups, n) for _ in range(2))
    pair = Pair.of(x, y)
    samples = Pair(*(Orders.of(np.stack([side, -side]).astype(np.float64)) for side in (x, y)))
    table = np.sign(x[:, None] - x) * np.sign(y[:, None] - y)
    assert pair.above[0].tolist() == ((x[:, None] < x) & (y[:, None] < y)).sum(axis=1).tolist()
    assert pair.balances[0].tolist() == table.sum(axis=1).tolist()
    assert samples.above[0].tolist() == pair.above[0].tolist()
    assert samples.balances.tolist() == 2 * [pair.balances[0].tolist()]


@given(pairs(most=30))
def test_kendalls_and_goodmans_formulas(given_pair: tuple[Scores, Scores]) -> None:
    x, y = given_pair
    seen = list(signs(x, y))
    balance = sum(a * b for a, b in seen)
    untied_x, untied_y = (sum(pair[side] != 0 for pair in seen) for side in (0, 1))
    counted = sum(a * b != 0 for a, b in seen)
    m, n = min(len(set(x.tolist())), len(set(y.tolist()))), len(x)
    assert value("tau-a", x, y) == balance / len(seen)
    if counted:
        assert value("gamma", x, y) == balance / counted
    if m > 1:
        assert value("tau-b", x, y) == pytest.approx(balance / math.sqrt(untied_x) / math.sqrt(untied_y), abs=CLOSE)
        assert value("tau-c", x, y) == float(Fraction(2 * m * balance, n**2 * (m - 1)))


@given(pairs(tied_x=False, tied_y=False, most=30))
def test_without_ties_kendalls_taus_and_gamma_are_one_number(given_pair: tuple[Scores, Scores]) -> None:
    assert (
        value("tau-a", *given_pair)
        == value("tau-b", *given_pair)
        == value("tau-c", *given_pair)
        == value("gamma", *given_pair)
    )


@given(pairs(tied_x=False, tied_y=False, most=30))
def test_the_shortcut_of_spearman_without_ties(given_pair: tuple[Scores, Scores]) -> None:
    x, y = given_pair
    n = len(x)
    shortcut = 1 - Fraction(6 * int(((x - y) ** 2).sum()), n * (n * n - 1))
    assert value("spearman", x, y) == pytest.approx(float(shortcut), abs=CLOSE)


@given(pairs(tied_x=False, tied_y=False, most=30))
def test_tau_ap_is_its_formula_and_each_form_is_it_without_ties(given_pair: tuple[Scores, Scores]) -> None:
    x, y = given_pair
    there, back = (
        ap_of_order(truth, tuple(np.argsort(-judged).tolist())) for truth, judged in (given_pair, given_pair[::-1])
    )
    assert value("tau-ap", x, y) == pytest.approx(float(there), abs=CLOSE)
    assert value("tau-ap", x, y) == value("tau-ap-a", x, y)
    assert value("tau-ap-b", x, y) == pytest.approx(float(there + back) / 2, abs=CLOSE)


@settings(max_examples=60)
@given(pairs(tied_x=False, most=7))
def test_tau_ap_a_is_the_mean_over_all_orders_of_tied_items(given_pair: tuple[Scores, Scores]) -> None:
    x, y = given_pair
    groups = [np.flatnonzero(y == score).tolist() for score in sorted(set(y.tolist()), reverse=True)]
    orders = [sum(parts, ()) for parts in product(*(permutations(group) for group in groups))]
    mean = sum((ap_of_order(x, order) for order in orders), Fraction()) / len(orders)
    assert value("tau-ap-a", x, y) == pytest.approx(float(mean), abs=CLOSE)


@given(pairs(most=30))
def test_tau_ap_b_is_its_formula(given_pair: tuple[Scores, Scores]) -> None:
    x, y = given_pair
    assume(min(len(set(x.tolist())), len(set(y.tolist()))) > 1)
    assert value("tau-ap-b", x, y) == pytest.approx(float(ap_in_groups(x, y) + ap_in_groups(y, x)) / 2, abs=CLOSE)


@given(pairs(most=30))
def test_weighted_tau_is_its_formula(given_pair: tuple[Scores, Scores]) -> None:
    x, y = given_pair
    assume(min(len(set(x.tolist())), len(set(y.tolist()))) > 1)
    ranked = sorted(zip(x.tolist(), y.tolist(), strict=True), reverse=True)
    heavy = [1 / (i + 1) + 1 / (j + 1) for i, j in combinations(range(len(x)), 2)]
    seen = list(signs(*zip(*ranked, strict=True)))
    product_of = [sum(w * a * b for w, (a, b) in zip(heavy, seen, strict=True))]
    product_of += [sum(w for w, pair in zip(heavy, seen, strict=True) if pair[side]) for side in (0, 1)]
    expected = product_of[0] / math.sqrt(product_of[1] * product_of[2])
    assert value("weighted-tau-reference", x, y) == pytest.approx(expected, abs=CLOSE)
    mean = (value("weighted-tau-reference", x, y) + value("weighted-tau-reference", y, x)) / 2
    assert value("weighted-tau", x, y) == mean


def test_spearman_p_of_a_perfect_order_is_nothing() -> None:
    up = np.arange(10.0)
    assert p_value("spearman", up, up) == 0  # t is infinite
    assert p_value("spearman", up[:-1], up[:-1]) == 0


def test_large_rankings_do_not_overflow() -> None:
    n = 100_000
    up = np.arange(n, dtype=np.float64)
    assert Pair.of(up, up[::-1]).discordant[0] == n * (n - 1) // 2
    for coefficient in COEFFICIENTS.values():
        assert coefficient.value(up, up) == 1
        assert coefficient.value(up, up[::-1]) == -1


# Refusals


def test_tau_ap_refuses_ties_and_says_where_and_what_else_there_is() -> None:
    for x, y, where in (
        ([1, 2, 2], [1, 2, 3], "reference x, which gives 2"),
        ([1, 2, 3], [2, 2, 2], "y, which gives 3"),
    ):
        with pytest.raises(UsageError, match=where) as caught:
            value("tau-ap", x, y)
        assert caught.value.slug == "tied-ranking"
        assert "tau-ap-a" in caught.value.remedy
        assert "tau-ap-b" in caught.value.remedy


def test_tau_ap_a_refuses_ties_in_the_reference_alone() -> None:
    with pytest.raises(UsageError, match="without ties in the reference x") as caught:
        value("tau-ap-a", [1, 2, 2], [1, 2, 3])
    assert caught.value.slug == "tied-ranking"
    assert "tau-ap-b" in caught.value.remedy
    # y from the top: item 3, then 1 and 2 tied: at rank 2 right by 1, at rank 3 by 1 + 1/2 of 2
    assert value("tau-ap-a", [1, 2, 3], [1, 1, 2]) == 2 / 2 * (1 / 1 + 1.5 / 2) - 1


# Examples


def test_which_ranking_is_the_reference_matters() -> None:
    truth, judged = [5, 4, 3, 2, 1], [3, 1, 2, 5, 4]
    # judged from the top: items 4 5 1 3 2, of which 5 has 4 above it rightly, 3 has 1, and 2 has 1
    there = 2 / 4 * (1 / 1 + 0 / 2 + 1 / 3 + 1 / 4) - 1
    # the truth from the top, held against the other: items 1 2 3 4 5, of which 2 has 1, 3 has 1, and 5 has 4
    back = 2 / 4 * (1 / 1 + 1 / 2 + 0 / 3 + 1 / 4) - 1
    assert value("tau-ap", truth, judged) == pytest.approx(there, abs=CLOSE)
    assert value("tau-ap", judged, truth) == pytest.approx(back, abs=CLOSE)
    assert value("tau-ap-b", truth, judged) == pytest.approx((there + back) / 2, abs=CLOSE)


def test_ties_in_one_ranking() -> None:
    x, y = [1, 2, 3, 4, 5], [2, 1, 2, 4, 5]  # 8 pairs agree, 1 does not, 1 is tied; ranks of y: 2.5 1 2.5 4 5
    expected = {
        "tau-a": (8 - 1) / 10,
        "tau-b": (8 - 1) / math.sqrt(10 * 9),
        "tau-c": 2 * 4 * (8 - 1) / (5**2 * 3),
        "gamma": (8 - 1) / (8 + 1),
        "spearman": (1 + 2 + 0 + 1 + 4) / math.sqrt(10 * 9.5),
        "pearson": (1.6 + 1.8 + 0 + 1.2 + 4.4) / math.sqrt(10 * 10.8),
        # items 5 4, then 1 and 3 in either order, then 2: (1 + (2 + 0) / 2 + (2 + 0 + 1) / 3) and so on, over ranks
        "tau-ap-a": (Fraction(1) + Fraction(4, 2) / 2 + (Fraction(4, 2) + Fraction(1, 2)) / 3 + Fraction(3, 4)) / 2 - 1,
    }
    for name, number in expected.items():
        assert value(name, x, y) == pytest.approx(float(number), abs=CLOSE), name


IRCOR: list[tuple[str, list[float], list[float], float]] = [
    ("tau-a", [6, 20, 27, 37, 57, 63, 66, 90, 91, 94], [37, 6, 20, 27, 57, 66, 63, 91, 90, 94], 0.7777778),
    ("tau-ap", [6, 20, 27, 37, 57, 63, 66, 90, 91, 94], [37, 6, 20, 27, 57, 66, 63, 91, 90, 94], 0.7491182),
    ("tau-a", [6, 20, 27, 37, 57, 63, 66, 90, 91, 94], [2, 0, 1, 1, 3, 3, 3, 5, 4, 5], 0.7111111),
    ("tau-ap-a", [6, 20, 27, 37, 57, 63, 66, 90, 91, 94], [2, 0, 1, 1, 3, 3, 3, 5, 4, 5], 0.6074515),
    ("tau-b", [0, 1, 1, 2, 3, 3, 3, 4, 5, 5], [2, 0, 1, 1, 3, 3, 3, 5, 4, 5], 0.75),
    ("tau-ap-b", [0, 1, 1, 2, 3, 3, 3, 4, 5, 5], [2, 0, 1, 1, 3, 3, 3, 5, 4, 5], 0.6269841),
    ("tau-ap", [67, 45, 29, 12, 57, 24, 94, 75, 8, 54], [48, 68, 32, 9, 6, 61, 87, 22, 44, 84], 0.3928571),
    ("tau-ap-a", [67, 45, 29, 12, 57, 24, 94, 75, 8, 54], [5, 7, 3, 1, 1, 6, 9, 2, 4, 8], 0.3990300),
    ("tau-ap-b", [67, 45, 29, 12, 57, 24, 94, 75, 8, 54], [5, 7, 3, 1, 1, 6, 9, 2, 4, 8], 0.3317019),
]
"""What the R package of Urbano and Marrero prints in its own examples, to 7 digits; scores times 100, or in fifths or
tenths where they are rounded."""


@pytest.mark.parametrize(("name", "x", "y", "printed"), IRCOR)
def test_the_examples_of_ircor(name: str, x: list[float], y: list[float], printed: float) -> None:
    assert value(name, x, y) == pytest.approx(printed, abs=5.1e-8)


# Numbers that others have stored

SCIPY = {
    "spearmanr": "spearman",
    "kendalltau(b)": "tau-b",
    "kendalltau(c)": "tau-c",
    "weightedtau": "weighted-tau",
    "weightedtau(rank=None)": "weighted-tau-reference",
    "pearsonr": "pearson",
}
NOT_OFFERED = {"weightedtau(rank=False)", "somersd"}
TORCHMETRICS = {
    "spearman_corrcoef": "spearman",
    "kendall_rank_corrcoef(variant=a)": "tau-a",
    "kendall_rank_corrcoef(variant=b)": "tau-b",
    "kendall_rank_corrcoef(variant=c)": "tau-c",
}
TRECTOOLS = {
    "get_correlation(kendall)": "tau-b",
    "get_correlation(spearman)": "spearman",
    "get_correlation(spearmanr)": "spearman",
    "get_correlation(pearson)": "pearson",
    "get_correlation(tauap)": "tau-ap",
    "get_correlation(tauap) swapped arguments": "tau-ap",
}


def records(tool: str) -> list[dict[str, Any]]:
    """What a tool gave for two vectors of scores."""
    return [entry for entry in of_two_rankings() if entry["case"].startswith("RC") and entry["tool"] == tool]


def test_the_golden_numbers_of_scipy() -> None:
    stored = records("scipy")
    assert {one["metric"] for one in stored} == set(SCIPY) | NOT_OFFERED
    checked = [one for one in stored if one["metric"] in SCIPY]
    assert len(checked) == 6 * 6
    for one in checked:
        found = value(SCIPY[one["metric"]], one["x"], one["y"])
        assert found == pytest.approx(float(one["value"]), abs=1e-15 * 4, nan_ok=True), one


def test_the_golden_numbers_of_torchmetrics() -> None:
    """In 32 bits; its tau a is gamma (quirk B61), and its Spearman adds 1e-6 to the denominator (quirk B62)."""
    stored = records("torchmetrics")
    assert len(stored) == 6 * 4
    differing = []
    for one in stored:
        name, given = TORCHMETRICS[one["metric"]], (one["x"], one["y"])
        right, theirs = value(name, *given), float(one["value"])
        if right != pytest.approx(theirs, abs=5e-6, nan_ok=True):
            differing.append((one["case"], name))
        if name == "tau-a":
            assert value("gamma", *given) == pytest.approx(theirs, abs=1e-7, nan_ok=True)
    assert differing == [
        ("RC2_ties_in_y", "tau-a"),
        ("RC3_ties_in_both", "tau-a"),
        ("RC4_constant", "spearman"),  # 0, where there is nothing to correlate
        ("RC4_constant", "tau-a"),  # NaN, as of gamma, where 0 of 3 pairs agree or disagree
    ]


def test_the_golden_numbers_of_trectools() -> None:
    """It breaks ties by name before it correlates, so that all its numbers are of permutations (quirk B75)."""
    stored = records("trectools")
    assert {one["metric"] for one in stored} == set(TRECTOOLS)
    differing = set()
    for one in stored:
        name, given = TRECTOOLS[one["metric"]], (one["x"], one["y"])
        permuted = [-stats.rankdata([-score for score in side], method="ordinal") for side in given]
        theirs = float(one["value"])
        assert value(name, *permuted) == pytest.approx(theirs, abs=1e-15 * 4), one
        if name == "tau-ap":
            continue
        if value(name, *given) != pytest.approx(theirs, abs=1e-9):
            differing.add((one["case"], name))
    tied = product(("RC2_ties_in_y", "RC3_ties_in_both"), ("tau-b", "spearman", "pearson"))
    assert differing == {*tied, ("RC1_no_ties", "pearson")}  # the latter: of ranks, and not of scores


def test_the_first_argument_of_trectools_is_the_reference_too() -> None:
    """.7083 one way and .75 the other (quirk B76); the mean over both orders of the tied items is neither."""
    stored = {one["metric"]: one for one in records("trectools") if one["case"] == "RC2_ties_in_y"}
    there = stored["get_correlation(tauap)"]
    for last, expected in ((1.9, there["value"]), (2.1, 0.875)):  # the third item below the first, or above
        x, y = there["x"], [2, 1, last, 4, 5]
        assert value("tau-ap", x, y) == pytest.approx(expected, abs=CLOSE)
    assert value("tau-ap", [2, 1, 1.9, 4, 5], there["x"]) == pytest.approx(0.75, abs=CLOSE)
    assert value("tau-ap-a", there["x"], there["y"]) == pytest.approx((there["value"] + 0.875) / 2, abs=CLOSE)


def test_the_shortcut_of_a_notebook_is_right_without_ties_only() -> None:
    """Quirk B100: 1 - 6 sum(d^2) / (n (n^2 - 1)) of average ranks."""
    stored = records("seed-003")
    wrong = {"RC2_ties_in_y", "RC3_ties_in_both", "RC4_constant"}
    assert {one["case"] for one in stored} > wrong
    for one in stored:
        alike = value("spearman", one["x"], one["y"]) == pytest.approx(one["value"], abs=CLOSE)
        assert alike == (one["case"] not in wrong)


def test_renamed_documents_correlate_as_before() -> None:
    """Quirk B77: repro_eval correlates alphabetical positions and gives .8 for one and 0 for the other."""
    stored = of_two_rankings()
    renamed = [one for one in stored if one["case"] == "RL7_rename" and one["metric"].startswith("K")]
    (right,) = (one for one in stored if one["metric"] == "kendalltau of rank positions")
    assert [one["value"] for one in renamed] == [0.8, 0.0]
    for one in (*renamed, right):
        positions = [[-side.index(document) for document in one["x"]] for side in (one["x"], one["y"])]
        assert value("tau-b", *positions) == pytest.approx(right["value"], abs=CLOSE)


def test_the_notebook_case_of_rank_correlation() -> None:
    cases = {one["measure"]: one for one in NOTEBOOKS if one["case"] == "rank correlation with ties"}
    rho, p = cases["Spearman rho (Pearson of the average ranks)"], cases["p value of Spearman rho"]
    assert value("spearman", **rho["inputs"]) == pytest.approx(rho["value"], abs=CLOSE)
    assert p_value("spearman", **p["inputs"]) == pytest.approx(p["value"], abs=CLOSE)
    assert value("spearman", **rho["inputs"]) != pytest.approx(
        cases["1 - 6 sum d^2 / (n (n^2 - 1))"]["value"], abs=1e-3
    )


# SciPy as it is installed


@given(pairs(most=120))
def test_coefficients_are_those_of_scipy(given_pair: tuple[Scores, Scores]) -> None:
    x, y = given_pair
    assume(min(len(set(x.tolist())), len(set(y.tolist()))) > 1)
    theirs = {
        "tau-b": stats.kendalltau(x, y),
        "tau-c": stats.kendalltau(x, y, variant="c"),
        "spearman": stats.spearmanr(x, y),
        "pearson": stats.pearsonr(x, y),
        "weighted-tau": stats.weightedtau(x, y),
        "weighted-tau-reference": stats.weightedtau(x, y, rank=None),
    }
    for name, found in theirs.items():
        assert value(name, x, y) == pytest.approx(found.statistic, abs=CLOSE), name
    assert p_value("tau-b", x, y) == theirs["tau-b"].pvalue
    if abs(theirs["pearson"].statistic) < 1 - 1e-9:  # nearer to 1 the last bit of r moves p
        assert p_value("pearson", x, y) == pytest.approx(theirs["pearson"].pvalue, rel=1e-7, abs=CLOSE)
    if abs(theirs["spearman"].statistic) < 1 - 1e-9:
        assert p_value("spearman", x, y) == pytest.approx(theirs["spearman"].pvalue, rel=1e-7, abs=CLOSE)


def test_pearson_of_scores_that_hardly_differ_is_that_of_their_differences() -> None:
    steps = np.array([3.0, 1.0, 2.0, 5.0, 4.0])
    other = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
    exact = value("pearson", steps, other)
    for near in (2.0**40 + steps, 2.0**-1060 * steps, 2.0**1020 * steps):
        assert value("pearson", near, other) == pytest.approx(exact, abs=CLOSE)
