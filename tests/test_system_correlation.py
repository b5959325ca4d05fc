"""Correlations of systems, held to laws, to brute force, to SciPy, to `compare`."""

import json
import math
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any, Final

import matplotlib as mpl
import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text
from scipy import stats

import rankworth as rw
from rankworth import plots
from rankworth.comparison import compare
from rankworth.correlation import (
    SystemCorrelation,
    agreement,
    correlate_judges,
    correlate_measures,
    discriminative_power,
)
from rankworth.correlation.methods import methods
from rankworth.correlation.orders import SystemMeans, bounds, correlated, sampled, swaps_of, warnings_of, with_means
from rankworth.errors import RankworthError, UsageError
from rankworth.stats.rank_correlation import COEFFICIENTS, Orders, Pair

MEASURES: Final = ("AP", "RR(rel=2)", "P@3")
ALL: Final = tuple(name for name in COEFFICIENTS if name not in ("tau-ap", "tau-ap-a"))
"""those that are defined with ties"""
Grades = dict[str, dict[str, int]]
Scores = dict[str, dict[str, float]]


def collection(queries: int = 24, systems: int = 6, seed: int = 1) -> tuple[Grades, dict[str, Scores]]:
    """Give judgements, and systems of which some find the best documents and others all that are relevant."""
    rng = np.random.default_rng(seed)
    qrels = {
        f"q{number:03}": {f"d{one:02}": int(rng.choice(3, p=[0.5, 0.3, 0.2])) for one in range(15)}
        for number in range(queries)
    }
    taste = rng.uniform(0, 4, (systems, 2))
    runs = {
        f"s{place}": {
            query: {
                name: float(best * (grade == 2) + some * (grade > 0) + 2 * rng.normal())
                for name, grade in grades.items()
            }
            for query, grades in qrels.items()
        }
        for place, (best, some) in enumerate(taste.tolist())
    }
    return qrels, runs


QRELS, RUNS = collection()


def slips(qrels: Grades, seed: int = 0) -> Grades:
    """Judgements of somebody who errs now and then."""
    rng = np.random.default_rng(seed)
    return {
        query: {name: int(rng.integers(0, 3)) if rng.random() < 0.3 else grade for name, grade in grades.items()}
        for query, grades in qrels.items()
    }


MODEL: Final = slips(QRELS)


def of_measures(**settings: Any) -> SystemCorrelation:
    """Correlate measures over the collection above, with few resamples."""
    defaults: dict[str, Any] = {"resamples": 199, "measures": MEASURES, "runs": RUNS, "qrels": QRELS}
    return correlate_measures(**(defaults | settings))


def view(means: Any, better: Any = "higher", values: Any = None, name: str = "m", weights: Any = None) -> SystemMeans:
    """A view of systems by their means."""
    table = np.asarray(means, dtype=np.float64)
    every = table[:, None] if values is None else np.asarray(values, dtype=np.float64)
    names = tuple(f"s{place}" for place in range(len(table)))
    return SystemMeans(name, "", names, every, table, weights, better, f"{name}|rankworth:0", {})


def refused(slug: str, call: Callable[[], object], *words: str) -> None:
    """Expect an error, and words in it."""
    with pytest.raises(RankworthError) as error:
        call()
    assert error.value.slug == slug
    assert [word for word in words if word not in str(error.value)] == []


def same(one: Any, other: Any) -> bool:
    """Whether two numbers are the same, bit for bit, or both undefined."""
    return bool(one == other or (math.isnan(one) and math.isnan(other)))


# Many samples at a time are what one sample is

tied = st.integers(2, 9).flatmap(
    lambda size: arrays.arrays(np.float64, st.tuples(st.just(2), st.integers(1, 5), st.just(size)), elements=st.integers(0, 5).map(lambda one: one / 7))  # noqa: E501
)  # fmt: skip
untied = st.tuples(st.integers(2, 12), st.integers(1, 5), st.integers(0, 2**32 - 1)).map(
    lambda asked: np.random.default_rng(asked[2]).permuted(
        np.tile(np.arange(float(asked[0])), (2, asked[1], 1)), axis=2
    )
)


@given(st.one_of(tied, untied))
def test_a_coefficient_of_many_samples_is_that_of_each(heights: Any) -> None:
    both = Pair(*(Orders.of(one, rounded=True) for one in heights))
    for name, one in COEFFICIENTS.items():
        found = one.of_samples(both)
        for place, value in enumerate(found.tolist()):
            try:
                expected = one.value(heights[0, place], heights[1, place])
            except UsageError:
                expected = math.nan
            assert same(value, expected), name


@given(tied)
def test_counts_of_many_samples_are_those_of_each(heights: Any) -> None:
    both = Pair(*(Orders.of(one, rounded=True) for one in heights))
    for place in range(heights.shape[1]):
        alone = Pair.of(heights[0, place], heights[1, place])
        counts = both.concordant[place], both.discordant[place], both.x.tied_pairs[place], both.y.tied_pairs[place]
        expected = alone.concordant, alone.discordant, alone.x.tied_pairs, alone.y.tied_pairs
        assert counts == tuple(one[0] for one in expected)


def test_many_systems_are_counted_in_blocks_as_few_are() -> None:
    rng = np.random.default_rng(0)
    heights = rng.integers(0, 200, (2, 700, 150)).astype(float)  # more samples than a block holds
    both = Pair(*(Orders.of(one, rounded=True) for one in heights))
    found = COEFFICIENTS["tau-ap-b"].of_samples(both)
    for place in (0, 300, 699):
        assert found[place] == COEFFICIENTS["tau-ap-b"].value(heights[0, place], heights[1, place])


def test_what_rounding_tells_apart_is_tied() -> None:
    found = Orders.of(np.array([[0.1 + 0.2, 0.3, 0.7, 0.8 - 0.1], [1e-17, 0.0, 1.0, 2.0]]), rounded=True)
    assert found.higher.tolist() == [[2, 2, 0, 0], [2, 2, 1, 0]]
    assert view([0.1 + 0.2, 0.3, 0.7]).heights.tolist().count(0.1 + 0.2) == 2


# Intervals


@pytest.mark.parametrize("weights", [None, np.array([1.0, 2.0, 0.5, 1.0, 3.0])])
def test_intervals_are_those_of_samples_drawn_one_by_one(weights: Any) -> None:
    rng = np.random.default_rng(3)
    values = rng.integers(0, 5, (2, 4, 5)) / 4
    values[1, 2, 3] = np.nan  # a system without a value for a query
    weighing = np.ones(5) if weights is None else weights

    def means(table: Any, rows: Any) -> list[float]:
        there = [[place for place in rows if not math.isnan(line[place])] for line in table]
        return [
            math.fsum(line[own] * weighing[own]) / math.fsum(weighing[own]) if own else math.nan
            for line, own in zip(table, there, strict=True)
        ]

    first, second = (view(means(table, range(5)), values=table, weights=weights) for table in values)
    found = sampled([first, second], [(0, 1), (1, 0)], ALL, resamples=200, seed=5)
    drawn = np.random.default_rng(5).integers(0, 5, size=(200, 5))
    for place, rows in enumerate(drawn):
        x, y = (means(table, rows.tolist()) for table in values)
        for number, name in enumerate(ALL):
            if any(map(math.isnan, (*x, *y))):
                assert np.isnan(found[:, number, place]).all()
                continue
            tidy = view(x).heights, view(y).heights  # means that rounding alone tells apart are equal
            for pair, value in zip((tidy, tidy[::-1]), found[:, number, place], strict=True):
                expected = COEFFICIENTS[name].value(*pair)
                assert value == pytest.approx(expected, abs=1e-12, nan_ok=True), name


def test_an_interval_is_made_of_percentiles_and_leaves_out_what_is_not_defined() -> None:
    samples = np.arange(1000.0)
    assert bounds(samples, 0.9) == pytest.approx((0.05 * 999, 0.95 * 999))
    few, many = samples.copy(), samples.copy()
    few[:50], many[:51] = np.nan, np.nan
    assert bounds(few, 0.95) == pytest.approx(np.quantile(samples[50:], [0.025, 0.975]).tolist())
    assert np.isnan(bounds(many, 0.95)).all()


def test_the_level_widens_and_the_seed_decides() -> None:
    narrow, wide, again, other = (
        of_measures(level=level, seed=seed).of("AP", "RR(rel=2)").coefficients["tau-b"]
        for level, seed in ((0.5, 1), (0.99, 1), (0.99, 1), (0.99, 2))
    )
    assert wide.low <= narrow.low <= narrow.high <= wide.high
    assert wide.low < narrow.low
    assert wide == again
    assert (wide.value, wide.p) == (other.value, other.p)


def test_one_query_has_no_interval() -> None:
    one = of_measures(queries=["q001"], test="t").of("AP", "RR(rel=2)")
    assert all(math.isnan(found.low) and math.isnan(found.high) for found in one.coefficients.values())


# Laws of whole correlations


def test_the_order_and_the_names_of_systems_change_nothing() -> None:
    whole = of_measures(test="tukey", method=ALL)
    names = {name: f"{chr(0x0628 + place)} |{place}" for place, name in enumerate(RUNS)}
    renamed = of_measures(test="tukey", method=ALL, runs={names[name]: RUNS[name] for name in reversed(RUNS)})
    for one, other in zip(whole.rows, renamed.rows, strict=True):
        for name in ALL:
            assert one.coefficients[name] == pytest.approx(other.coefficients[name], abs=1e-12, nan_ok=True)
        assert (one.concordant, one.tied, one.significant, one.contradictions) == (
            other.concordant,
            other.tied,
            other.significant,
            other.contradictions,
        )
        for swap, again in zip(one.swaps, other.swaps, strict=True):
            assert (names[swap.first], names[swap.second]) == (again.first, again.second)
            assert swap[2:6] == pytest.approx(again[2:6], abs=1e-9)


def test_a_measure_and_its_double_agree() -> None:
    for row in (
        of_measures(measures=["AP", "AP@15"]).of("AP", "AP@15"),
        of_measures(measures=["nDCG", "nDCG@15"]).of(),
    ):
        assert {found.value for found in row.coefficients.values()} == {1.0}
        assert (row.swaps, row.tied, row.concordant) == ((), 0, 15)
        assert {(found.low, found.high) for found in row.coefficients.values()} == {(1.0, 1.0)}


def test_judges_of_one_mind_agree() -> None:
    told = correlate_judges(QRELS, QRELS, RUNS, MEASURES, resamples=99)
    assert [row.measure for row in told.rows] == list(MEASURES)
    for row in told.rows:
        assert {found.value for found in row.coefficients.values()} == {1.0}
        assert (row.x, row.y, row.swaps) == ("first", "second", ())
    assert told.agreement is not None
    assert told.agreement.kappa.value == 1.0


def test_measures_the_other_way_round_swap_the_same_systems() -> None:
    there, back = of_measures(test="tukey"), of_measures(test="tukey", measures=MEASURES[::-1])
    for x, y in combinations(MEASURES, 2):
        one, other = there.of(x, y), back.of(y, x)
        assert one.coefficients == other.coefficients  # all three are symmetric
        assert {(swap.first, swap.second) for swap in one.swaps} == {(swap.second, swap.first) for swap in other.swaps}


def test_lower_is_better_where_it_is() -> None:
    means = [0.4, 0.1, 0.3, 0.2]
    up, down = view(means, name="gain"), view([1 - one for one in means], "lower", name="loss")
    rows, _ = correlated([up, down], [(0, 1)], methods(ALL, 0.9, None), level=0.95, resamples=9, seed=0)
    assert {round(found.value, 12) for found in rows[0].coefficients.values()} == {1.0}
    assert rows[0].swaps == ()
    assert down.ranks == up.ranks == [1, 4, 2, 3]


def _compared(count: int) -> list[Any]:
    """Comparisons in which nothing is tested by these names."""
    return [compare(QRELS, RUNS, ["RR"], all_pairs=True, resamples=9)] * count


# Against others


@pytest.mark.parametrize("test", ["randomized-tukey", "t"])
def test_p_values_of_swaps_are_those_of_compare(test: str) -> None:
    told = of_measures(test=test, seed=4)
    expected = compare(QRELS, RUNS, MEASURES, all_pairs=True, test=test, resamples=199, seed=4)
    p = {(one.measure, *pair): one.adjusted for one in expected.differences for pair in ((one.first, one.second), (one.second, one.first))}  # noqa: E501  # fmt: skip
    assert sum(row.swapped for row in told.rows) > 5
    for row in told.rows:
        for swap in row.swaps:
            assert (swap.x_p, swap.y_p) == (p[row.x, swap.first, swap.second], p[row.y, swap.first, swap.second])
            assert ["none", "one", "both"].index(swap.significant) == (swap.x_p < 0.05) + (swap.y_p < 0.05)


def test_swaps_are_those_that_brute_force_finds() -> None:
    told = of_measures()
    for row in told.rows:
        x, y = told.means[row.x], told.means[row.y]
        swapped = {(a, b) for a in x for b in x if x[a] - x[b] > 1e-9 and y[b] - y[a] > 1e-9}
        assert {(swap.first, swap.second) for swap in row.swaps} == swapped
        tied = sum(abs(x[a] - x[b]) < 1e-9 or abs(y[a] - y[b]) < 1e-9 for a, b in combinations(x, 2))
        assert (row.tied, row.concordant) == (tied, 15 - tied - len(swapped))
        for swap in row.swaps:
            assert swap.x_difference == x[swap.second] - x[swap.first] < 0
            assert swap.y_difference == y[swap.second] - y[swap.first] > 0


def test_swaps_come_in_the_order_of_what_they_mean() -> None:
    x, y = view([0.9, 0.7, 0.5, 0.3]), view([0.3, 0.5, 0.7, 0.9])
    names = list(combinations(x.systems, 2))
    p = [dict(zip(names, cells, strict=True)) for cells in ([0.01, 0.9, 0.2, 0.01, 0.5, 0.04], [0.03, 0.01, 0.9, 0.01, 0.6, 0.06])]  # noqa: E501  # fmt: skip
    _, _, swaps = swaps_of(replace(x, p=p[0]), replace(y, p=p[1]), 0.95)
    told = [(swap.first, swap.second, swap.significant) for swap in swaps]
    assert told == [
        ("s1", "s2", "both"),  # .01 and .01
        ("s0", "s1", "both"),  # .01 and .03
        ("s0", "s2", "one"),  # .01
        ("s2", "s3", "one"),  # .04, and .06 is not below .05
        ("s0", "s3", "none"),  # .2
        ("s1", "s3", "none"),
    ]


def test_coefficients_are_those_of_scipy() -> None:
    told = of_measures()
    for row in told.rows:
        x, y = ([round(mean, 12) for mean in told.means[name].values()] for name in (row.x, row.y))  # ties are tied
        tau, rho = stats.kendalltau(x, y), stats.spearmanr(x, y)
        assert row.coefficients["tau-b"][::3] == pytest.approx((tau.statistic, tau.pvalue), abs=1e-12)
        assert row.coefficients["spearman"][::3] == pytest.approx((rho.statistic, rho.pvalue), abs=1e-12)
        assert math.isnan(row.coefficients["tau-ap-b"].p)


def test_weights_count_in_means_and_in_samples() -> None:
    weights = {query: float(place % 3) for place, query in enumerate(QRELS)}
    told = of_measures(weights=weights, test="t")
    expected = compare(QRELS, RUNS, MEASURES, weights=weights, all_pairs=True, test="t", resamples=9)
    assert told.means["AP"] == {name: row["AP"] for name, row in expected.means.items()}
    heavy = [query for query, weight in weights.items() for _ in range(int(weight))]
    double = {f"{query} {place}": QRELS[query] for place, query in enumerate(heavy)}
    runs = {name: {f"{query} {place}": run[query] for place, query in enumerate(heavy)} for name, run in RUNS.items()}
    same_means = of_measures(qrels=double, runs=runs, test="t")
    for row, other in zip(told.rows, same_means.rows, strict=True):
        assert row.value == pytest.approx(other.value)
    refused("conflicting-options", lambda: of_measures(weights=weights), "randomized-tukey")


def test_stored_values_are_correlated_as_runs_are(tmp_path: Path) -> None:
    kept = {name: rw.evaluate(QRELS, run, MEASURES) for name, run in RUNS.items()}
    assert of_measures(runs=kept, qrels=None).rows == of_measures().rows
    refused("conflicting-options", lambda: correlate_judges(QRELS, MODEL, kept, ["RR"]), "give the runs themselves")
    rw.evaluate_runs(QRELS, RUNS, MEASURES).save(tmp_path / "kept.parquet")
    assert of_measures(runs=[tmp_path / "kept.parquet"], qrels=None).rows == of_measures().rows
    refused("conflicting-options", lambda: correlate_judges(QRELS, MODEL, [tmp_path / "kept.parquet"], ["RR"]))


def test_five_systems_show_little() -> None:
    first = view([0.61, 0.67, 0.72, 0.75, 0.81], name="nDCG@3")
    second = view([0.58, 0.42, 0.5, 0.63, 0.7], name="RAG")
    asked = methods(["tau-b", "spearman", "tau-ap"], 0.9, None)
    rows, notes = correlated([first, second], [(0, 1)], asked, level=0.95, resamples=9, seed=0)
    [row] = rows
    assert (row.concordant, row.swapped, row.tied, notes) == (8, 2, 0, [])
    tau, rho, tau_ap = (row.coefficients[name] for name in ("tau-b", "spearman", "tau-ap"))
    assert (tau.value, rho.value, tau_ap.value) == pytest.approx((6 / 10, 0.7, 17 / 24), abs=1e-15)
    assert tau.p == pytest.approx(28 / 120, abs=1e-12)
    [(slug, text)] = warnings_of(rows, 5, asked, [replace(_compared(1)[0], warnings=())], ())
    assert slug == "few-items"
    assert text == (
        "5 systems: even tau-b of 0.6 (nDCG@3 and RAG) has p = 0.233; so few systems show little: "
        "add systems, or report p"
    )


# Judges


def test_each_judge_gives_the_means_of_an_evaluation() -> None:
    told = correlate_judges(QRELS, MODEL, RUNS, ("AP", "RR"), names=("human", "llm"), resamples=99)
    for judge, qrels in (("human", QRELS), ("llm", MODEL)):
        for system, run in RUNS.items():
            values = rw.evaluate(qrels, run, ["AP", "RR"])
            assert {name: told.means[f"{name} ({judge})"][system] for name in ("AP", "RR")} == values.mean()
    x, y = (list(told.means[f"AP ({judge})"].values()) for judge in ("human", "llm"))
    assert told.of("AP").value == COEFFICIENTS["tau-b"].value(x, y)
    expected = agreement(QRELS, MODEL, names=("human", "llm"), resamples=99)
    assert told.agreement is not None
    assert told.agreement.to_dict() == expected.to_dict()
    for place, qrels in enumerate((QRELS, MODEL)):
        alone = compare(qrels, RUNS, ["AP", "RR"], all_pairs=True, test="randomized-tukey", resamples=99, interval="t")
        assert list(map(repr, told.comparisons[place].differences)) == list(map(repr, alone.differences))


def test_queries_of_one_judge_are_left_out_and_told() -> None:
    part = {query: MODEL[query] for query in [*QRELS][3:]} | {"more": {"d1": 1}}
    told = correlate_judges(QRELS, part, RUNS, ["RR"], resamples=99)
    assert told.queries == tuple([*QRELS][3:])
    assert "over the 21 queries that both have judgements for; there are first 24, second 22" in told.notes
    whole = correlate_judges({query: QRELS[query] for query in told.queries}, part, RUNS, ["RR"], resamples=99)
    assert whole.rows == told.rows
    asked = correlate_judges(QRELS, part, RUNS, ["RR"], queries=["q000", "q010", "q011"], resamples=99)
    assert asked.queries == ("q010", "q011")
    assert "over the 2 queries that both have judgements for; there are first 24, second 22" in asked.notes


def test_a_profile_that_leaves_out_queries_leaves_them_out_for_both() -> None:
    nothing = {**MODEL, "q000": dict.fromkeys(MODEL["q000"], 0)}
    told = correlate_judges(QRELS, nothing, RUNS, ["AP"], resamples=99, no_relevant="skip")
    assert told.queries == tuple([*QRELS][1:])
    assert {one.values.shape for one in told.orders} == {(6, 23)}


def test_judges_of_other_documents_have_no_agreement() -> None:
    other = {query: {f"x{name}": grade for name, grade in grades.items()} for query, grades in MODEL.items()}
    runs = {
        name: {
            query: scores | {f"x{one}": -score for one, score in scores.items()} for query, scores in run.items()
        }
        for name, run in RUNS.items()
    }  # fmt: skip
    told = correlate_judges(QRELS, other, runs, ["AP"], resamples=99)
    assert told.agreement is None
    assert told.to_dict()["agreement"] is None
    assert any(note.startswith("agreement of the judges is not defined") for note in told.notes)
    assert told.of("AP").value < 0


def test_warnings_of_both_judges_are_told_once_and_those_of_one_with_the_name() -> None:
    part = {query: {name: grade for name, grade in grades.items() if name < "d07"} for query, grades in MODEL.items()}
    runs = {**RUNS, "deep": {query: {f"x{one}": 9.0 - one for one in range(9)} | scores for query, scores in RUNS["s0"].items()}}  # noqa: E501  # fmt: skip
    told = correlate_judges(QRELS, part, runs, ["AP"], names=("all", "part"), resamples=99)
    texts = [text for slug, text in told.warnings if slug == "one-sided-judgements"]
    assert len(texts) == 2
    assert {text.partition(":")[0] for text in texts} == {"all", "part"}
    assert [slug for slug, _ in told.warnings].count("few-items") == 1


# Discriminative power


@pytest.mark.parametrize("test", ["randomized-tukey", "t"])
def test_discriminative_power_is_the_share_of_pairs_below_alpha(test: str) -> None:
    told = discriminative_power(QRELS, RUNS, MEASURES, test=test, resamples=499, level=0.9)
    expected = compare(QRELS, RUNS, MEASURES, all_pairs=True, test=test, resamples=499, level=0.9)
    for one in told.measures:
        rows = [row for row in expected.differences if row.measure == one.measure]
        p = sorted(row.adjusted for row in rows)
        assert list(one.p_values) == p
        assert (one.pairs, one.significant) == (15, sum(cell < 1 - 0.9 for cell in p))
        assert one.share == one.significant / 15
        from_there = [row for row in rows if abs(row.difference) >= one.needed]
        assert from_there
        assert all(row.adjusted < 0.1 for row in from_there)
        assert all(
            any(abs(other.difference) >= abs(row.difference) and other.adjusted >= 0.1 for other in rows)
            for row in rows
            if abs(row.difference) < one.needed
        )
    assert told["AP"].share == told.to_frame().filter(measure="AP")["share"].item()
    assert told.to_frame(of="curve").height == 45
    json.dumps(told.to_dict(), allow_nan=False)
    assert "difference needed" in repr(told)
    assert len(told.flat("curve").columns[0].values) == 45


def test_nothing_is_told_apart_where_nothing_differs() -> None:
    told = discriminative_power(QRELS, {"a": RUNS["s0"], "b": RUNS["s0"], "c": RUNS["s0"]}, ["RR"], resamples=99)
    [one] = told.measures
    assert (one.share, one.p_values) == (0.0, (1.0, 1.0, 1.0))
    assert math.isnan(one.needed)
    assert told.to_dict()["measures"][0]["needed"] is None
    refused("unknown-setting", lambda: told.to_frame(of="rows"))  # type: ignore[arg-type]


# What is said


def test_few_systems_are_warned_of_and_ten_are_not() -> None:
    texts = dict(of_measures().warnings)
    assert "6 systems: even tau-b of" in texts["few-items"]
    assert "so few systems show little" in texts["few-items"]
    qrels, runs = collection(systems=10)
    assert "few-items" not in dict(of_measures(qrels=qrels, runs=runs).warnings)
    assert "few-queries" in dict(of_measures(queries=["q001", "q002"]).warnings)


def test_a_constant_measure_is_told_and_has_no_coefficient() -> None:
    told = of_measures(measures=["RR", "Success@15"])
    row = told.of()
    assert all(math.isnan(cell) for found in row.coefficients.values() for cell in found)
    assert "RR and Success@15: all systems have the same mean by Success@15, which is no order" in told.notes
    assert (row.concordant, row.swapped, row.tied) == (0, 0, 15)
    assert told.to_frame()["value"].is_nan().all()
    assert {cells["value"] for cells in told.to_dict()["rows"][0]["coefficients"].values()} == {None}
    assert "6 systems are few, and show little" in dict(told.warnings)["few-items"]


def test_a_system_without_a_mean_is_left_out_and_told() -> None:
    views = [view([0.1, math.nan, 0.3], name="AP"), view([0.2, 0.5, math.nan], name="RR")]
    found, told = with_means(views)
    assert [one.systems for one in found] == [("s0",), ("s0",)]
    assert told == ["s1 is left out: it has no mean by AP", "s2 is left out: it has no mean by RR"]
    [row], _ = correlated(found, [(0, 1)], methods(ALL, 0.9, None), level=0.95, resamples=9, seed=0)
    assert all(math.isnan(one.value) for one in row.coefficients.values())
    assert (row.concordant, row.swapped, row.tied) == (0, 0, 0)


def test_ties_that_a_coefficient_does_not_allow_are_refused_with_the_measures() -> None:
    runs = {**RUNS, "double": RUNS["s0"]}
    refused("tied-ranking", lambda: of_measures(runs=runs, method="tau-ap"), "AP and RR(rel=2)", "tau-ap-b")
    allowed = of_measures(runs=runs)
    assert all(row.tied and row.coefficients["tau-ap-b"].value < 1 for row in allowed.rows)


def test_samples_without_a_coefficient_are_told() -> None:
    qrels, runs = collection(seed=0)
    measures = ["AP", "RR(rel=2)"]
    told = of_measures(qrels=qrels, runs=runs, measures=measures, method=["tau-ap", "tau-b"], level=0.5)
    assert "tau-AP: x is the reference" in repr(told)
    [note] = [note for note in told.notes if note.startswith("tau-AP of AP and RR(rel=2): not defined in ")]
    assert note.endswith(" of 199 samples, which its interval leaves out")
    again = of_measures(qrels=qrels, runs=runs, measures=measures, method=["tau-ap"], level=0.999)
    assert math.isnan(again.of().coefficients["tau-ap"].low)
    assert "samples, which leaves no interval" in repr(again)


def test_what_cannot_be_asked_is_refused() -> None:
    refused("conflicting-options", lambda: of_measures(measures=["AP"]), "AP only")
    refused("conflicting-options", lambda: of_measures(measures=["AP", "map"]), "AP only")
    refused("conflicting-options", lambda: of_measures(runs={"a": RUNS["s0"]}), "two systems")
    refused("unknown-setting", lambda: of_measures(method="rbo"), "rbo", "tau-ap-b")
    refused("unknown-setting", lambda: of_measures(method="tau-d"))
    refused("unknown-setting", lambda: of_measures(by="group"), "by")
    refused("unknown-setting", lambda: of_measures(baseline="s0"), "baseline")
    refused("unknown-setting", lambda: of_measures(level=1.5), "level")
    refused("unknown-setting", lambda: of_measures(test="median"), "test")
    refused("unknown-setting", lambda: of_measures().to_frame(of="cells"), "cells")  # type: ignore[arg-type]
    refused("not-measured", lambda: of_measures().of("AP"), "AP")
    refused("not-measured", lambda: of_measures().of())
    refused("not-measured", lambda: of_measures().of("RR(rel=2)", "AP"), "AP and RR(rel=2)")
    refused("no-common-queries", lambda: correlate_judges(QRELS, {"z": {"a": 1}}, RUNS), "first has q000")
    refused("run-names", lambda: correlate_judges(QRELS, MODEL, RUNS, names=("a", "a")))
    refused("run-names", lambda: correlate_judges(QRELS, MODEL, RUNS, names="ab"), "names")


def test_names_of_files_name_the_judges(tmp_path: Path) -> None:
    for name, qrels in (("human.qrels", QRELS), ("llm.txt", MODEL)):
        lines = [f"{query} 0 {document} {grade}\n" for query, grades in qrels.items() for document, grade in grades.items()]  # noqa: E501  # fmt: skip
        (tmp_path / name).write_text("".join(lines))
    told = correlate_judges(tmp_path / "human.qrels", str(tmp_path / "llm.txt"), RUNS, ["RR"], resamples=99)
    assert told.judges == ("human", "llm")
    assert told.rows == correlate_judges(QRELS, MODEL, RUNS, ["RR"], names=("human", "llm"), resamples=99).rows


# How it is shown


def test_all_forms_hold_the_same_numbers() -> None:
    told = of_measures(test="t", correction="none")
    rows, swaps, means = (told.to_frame(of=of) for of in ("rows", "swaps", "means"))
    assert rows.height == 3 * 3
    assert rows.columns[:7] == ["x", "y", "method", "value", "low", "high", "p"]
    assert swaps.height == sum(row.swapped for row in told.rows)
    assert means.height == 6 * 3
    for one in rows.iter_rows(named=True):
        row = told.of(one["x"], one["y"])
        assert one["value"] == row.coefficients[one["method"]].value
        counts = (row.concordant, row.swapped, row.tied, row.significant, row.contradictions)
        assert tuple(one[name] for name in rows.columns[8:]) == counts
    document = json.loads(json.dumps(told.to_dict(), allow_nan=False))
    assert document["schema"] == "rankworth.correlation/1"
    assert [len(one["swaps"]) for one in document["rows"]] == [row.swapped for row in told.rows]
    assert document["means"]["AP"] == told.means["AP"]
    assert {name for name, _, _ in told.flat().flat()} == set(rows.columns)
    best = means.filter((means["measure"] == "AP") & (means["rank"] == 1))
    assert best["mean"].to_list() == [max(told.means["AP"].values())]
    for text in (told.to_markdown(), told.to_latex(), told.to_html()):
        assert "tau-b" in text


def test_the_swaps_that_matter_stand_in_a_table_and_the_rest_is_counted() -> None:
    qrels, runs = collection(queries=60, systems=16, seed=1)
    told = of_measures(qrels=qrels, runs=runs, measures=["R@5", "AP(rel=2)"], test="tukey")
    row = told.of()
    assert row.significant > 15
    assert row.contradictions
    first, second, powers = told.sheets()
    assert len(second.columns[0].values) == 15
    assert powers.columns == told.powers[0].table().columns
    assert told.powers[0].measures == discriminative_power(qrels, runs, ["R@5", "AP(rel=2)"], test="tukey").measures
    kinds = list(second.columns[-1].values)
    assert kinds[: row.contradictions][:15] == ["both ways"] * min(row.contradictions, 15)
    assert f"{row.significant - 15:,} more swaps are significant: to_frame(of='swaps')" in second.notes
    others = row.swapped - row.significant
    assert any(note.startswith(f"{others:,} other swap") for note in second.notes)
    assert first.columns[-3].values == [row.swapped]
    few = of_measures(measures=["AP", "AP@15"])
    assert len(few.sheets()) == 2  # no swap matters


def test_judges_have_a_table_of_means_in_the_order_of_the_first() -> None:
    told = correlate_judges(QRELS, MODEL, RUNS, ["AP", "RR"], names=("human", "llm"), resamples=99)
    sheet = told.sheets()[-1 - len(told.agreement.sheets() if told.agreement else [])]
    columns = {column.name: list(column.values) for column in sheet.columns}
    assert [*columns] == ["measure", "system", "human", "llm", "difference", "rank human", "rank llm"]
    assert columns["human"][:6] == sorted(told.means["AP (human)"].values(), reverse=True)
    assert columns["llm"][:6] == [told.means["AP (llm)"][name] for name in columns["system"][:6]]
    assert columns["rank llm"][0] == 1 + sum(mean > columns["llm"][0] for mean in columns["llm"][:6])
    assert told.to_frame(of="means").columns == ["system", "measure", "judge", "mean", "rank"]
    assert told.to_frame(of="swaps").columns[:3] == ["measure", "x", "y"]
    one = correlate_judges(QRELS, MODEL, RUNS, ["AP"], names=("human", "llm"), resamples=99)
    assert one.sheets()[1].columns[0].name == "system"
    assert "human (x) and llm (y)" in repr(one)


# The plot


def words(ax: Axes) -> list[str]:
    """All that is written."""
    return [text.get_text() for text in ax.findobj(Text) if isinstance(text, Text) and text.get_text()]


def test_the_scatter_has_all_systems_and_connects_those_that_swap() -> None:
    told = of_measures(test="t", correction="none", measures=["R@5", "AP(rel=2)"], runs={f"بحث {name}": run for name, run in RUNS.items()})  # noqa: E501  # fmt: skip
    row = told.of()
    assert row.contradictions
    with mpl.rc_context():
        mpl.use("agg")
        ax = Figure(figsize=(7, 5), layout="constrained").subplots()
        assert plots.systems(told, ax=ax) is ax
        drawn = {str(line.get_label()): np.column_stack(line.get_data()).tolist() for line in ax.lines}
        for name in told.systems:
            assert drawn[name] == [[told.means["R@5"][name], told.means["AP(rel=2)"][name]]]
        joined = [line for line in ax.lines if np.size(line.get_xdata()) == 2 and line.get_linestyle() in ("-", "--")]
        assert len(joined) == row.significant
        assert "swapped, significant both ways" in words(ax)
        assert ax.get_xlabel() == "mean R@5"
        assert "6 systems over 24 queries" in ax.get_title(loc="left")
        figure = ax.get_figure(root=True)
        assert figure is not None
        figure.canvas.draw()
        many = {f"{name} {copy}": run for name, run in RUNS.items() for copy in "abc"}
        crowd = plots.systems(of_measures(runs=many, measures=["RR(rel=2)", "P@3"]))
        assert np.size(crowd.lines[-1].get_xdata()) == 18
        judged = correlate_judges(QRELS, MODEL, RUNS, ["AP", "RR"], names=("human", "llm"), resamples=99)
        both = plots.systems(judged, "RR")
        assert (both.get_xlabel(), both.get_ylabel()) == ("mean RR (human)", "mean RR (llm)")
        assert both.get_xlim() == both.get_ylim()
        refused("not-measured", lambda: plots.systems(judged))
        three = plots.systems(of_measures(), ("AP", "P@3"))
        assert three.get_ylabel() == "mean P@3"
        plt.close("all")


def test_what_is_better_stands_up_and_right() -> None:
    told = of_measures(measures=["RR(rel=2)", "P@3"])
    upside = replace(told, orders=(told.orders[0], replace(told.orders[1], better="lower")))
    with mpl.rc_context():
        mpl.use("agg")
        low, high = plots.systems(upside).get_ylim()
        assert low > high
        plt.close("all")


def test_groups_of_queries_are_those_of_the_agreement() -> None:
    table = {"qid": [*QRELS], "half": ["a" if place % 2 else "b" for place in range(len(QRELS))]}
    told = correlate_judges(QRELS, MODEL, RUNS, ["RR"], table=pl.DataFrame(table), by="half", resamples=99)
    assert told.agreement is not None
    assert [*told.agreement.groups] == ["a", "b"]
    assert told.rows == correlate_judges(QRELS, MODEL, RUNS, ["RR"], resamples=99).rows
    assert told.sheets()[-1].title == "by half"
