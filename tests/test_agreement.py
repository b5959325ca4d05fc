"""Agreement of judges, held to laws, to scikit-learn and krippendorff, to stored judgements, and to arithmetic."""

import csv
import json
import math
import warnings
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any, Final

import krippendorff
import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from sklearn.metrics import cohen_kappa_score, confusion_matrix

import rankworth as rw
from rankworth import stats
from rankworth.correlation import Agreement, agreement
from rankworth.errors import InputError, UsageError
from rankworth.model import Qrels
from rankworth.stats.agreement import (
    COEFFICIENTS,
    LEVELS,
    WEIGHTINGS,
    ConfusionTables,
    Level,
    Scale,
    Weighting,
    alpha,
    cluster_intervals,
    equal,
    grade_kappas,
    kappa,
    specific,
    weights,
)

ROOT: Final = Path(__file__).parent.parent
HUMAN: Final = {"q1": {"a": 2, "b": 0, "c": 1}, "q2": {"a": 0, "b": 1, "d": 1}, "q3": {"x": 1}}
MODEL: Final = {"q1": {"a": 2, "b": 1, "c": 1}, "q2": {"a": 0, "b": 1, "c": 2}, "q4": {"x": 1}}

counts = arrays.arrays(
    np.float64,
    st.integers(2, 5).map(lambda size: (size, size)),
    elements=st.integers(0, 12).map(float),
)
grades = st.sampled_from([-1, 0, 0.5, 1, 2, 3, 7])
judgements = st.dictionaries(
    st.sampled_from(["q1", "q2", "q3", "q10", "ü"]),
    st.dictionaries(st.sampled_from([f"d{number}" for number in range(8)]), grades, min_size=1),
    min_size=1,
)


def two_judges(seed: int, queries: int = 30, documents: int = 12) -> tuple[dict[str, Any], dict[str, Any]]:
    """Judges whose grades are alike, and more alike in some queries than in others."""
    draw = np.random.default_rng(seed)
    first: dict[str, Any] = {}
    second: dict[str, Any] = {}
    for query in range(queries):
        ours = draw.choice(4, size=documents, p=[0.5, 0.25, 0.15, 0.1])
        slips = draw.random(documents) < draw.beta(1, 3)
        theirs = np.where(slips, draw.integers(0, 4, documents), ours)
        for name, found in ((first, ours), (second, theirs)):
            name[f"q{query:02}"] = {f"d{place}": int(grade) for place, grade in enumerate(found)}
    return first, second


def spread(table: np.ndarray) -> tuple[list[int], list[int]]:
    """The pairs that a table counts, one by one."""
    cells = [
        (row, column) for row, column in product(range(len(table)), repeat=2) for _ in range(int(table[row, column]))
    ]
    return [row for row, _ in cells], [column for _, column in cells]


def alike(one: float, other: float) -> bool:
    """Equal but for rounding, or both not defined."""
    return bool(np.isclose(one, other, rtol=1e-12, atol=1e-12, equal_nan=True))


# Laws of tables


@given(counts, st.sampled_from(WEIGHTINGS))
def test_who_is_first_does_not_matter_for_kappa_and_alpha(table: np.ndarray, weighting: Weighting) -> None:
    weighing = weights(range(len(table)), weighting)
    assert alike(kappa(table, weighing), kappa(table.T, weighing))
    for level in LEVELS:
        assert alike(alpha(table, level), alpha(table.T, level))
    assert np.array_equal(specific(table), specific(table.T), equal_nan=True)


@given(counts, st.randoms(use_true_random=False))
def test_names_of_grades_do_not_matter_where_they_are_names(table: np.ndarray, chance: Any) -> None:
    order = list(range(len(table)))
    chance.shuffle(order)
    renamed = table[np.ix_(order, order)]
    assert alike(kappa(table), kappa(renamed))
    assert alike(alpha(table, "nominal"), alpha(renamed, "nominal"))
    assert alike(equal(table), equal(renamed))
    assert np.array_equal(specific(table)[order], specific(renamed), equal_nan=True)
    assert np.allclose(grade_kappas(table)[order], grade_kappas(renamed), rtol=1e-12, equal_nan=True)


@given(counts)
def test_turning_the_scale_round_changes_nothing(table: np.ndarray) -> None:
    turned = table[::-1, ::-1]
    for weighting in WEIGHTINGS:
        weighing = weights(range(len(table)), weighting)
        assert alike(kappa(table, weighing), kappa(turned, weighing))
    for level in LEVELS:
        assert alike(alpha(table, level), alpha(turned, level))


@given(counts, st.floats(0.125, 8), st.floats(-8, 8))
def test_only_distances_matter(table: np.ndarray, unit: float, start: float) -> None:
    places = np.arange(len(table)) * unit + start
    assert np.isclose(alpha(table, "interval", places), alpha(table, "interval"), rtol=1e-9, atol=1e-9, equal_nan=True)
    for weighting in WEIGHTINGS:
        one, other = (kappa(table, weights(at, weighting)) for at in (places, range(len(table))))
        assert np.isclose(one, other, rtol=1e-9, atol=1e-9, equal_nan=True)


@given(counts)
def test_figures_stay_within_their_bounds(table: np.ndarray) -> None:
    found = [kappa(table, weights(range(len(table)), weighting)) for weighting in WEIGHTINGS]
    found += [alpha(table, level) for level in LEVELS]
    for one in found:
        assert np.isnan(one) or -1 - 1e-12 <= one <= 1


@given(counts)
def test_identical_grades_are_one_exactly_and_one_grade_alone_is_nothing(table: np.ndarray) -> None:
    same = np.diag(np.diagonal(table))
    expected = 1.0 if (np.diagonal(table) > 0).sum() > 1 else math.nan
    found = [kappa(same, weights(range(len(table)), weighting)) for weighting in WEIGHTINGS]
    found += [alpha(same, level) for level in LEVELS]
    assert np.array_equal(found, [expected] * len(found), equal_nan=True)
    assert np.array_equal(equal(same), 1.0 if table.trace() else math.nan, equal_nan=True)


@given(counts, st.integers(0, 4))
def test_grades_that_nobody_gives_do_not_matter_but_for_steps(table: np.ndarray, place: int) -> None:
    place = min(place, len(table))
    wider = np.insert(np.insert(table, place, 0, axis=0), place, 0, axis=1)
    assert alike(kappa(wider), kappa(table))
    assert alike(alpha(wider, "nominal"), alpha(table, "nominal"))
    assert alike(alpha(wider, "ordinal"), alpha(table, "ordinal"))


@given(counts, st.sampled_from(WEIGHTINGS))
def test_independent_judges_agree_by_chance_alone(table: np.ndarray, weighting: Weighting) -> None:
    independent = np.outer(table.sum(axis=1), table.sum(axis=0))
    found = kappa(independent, weights(range(len(table)), weighting))
    assert np.isnan(found) or abs(found) < 1e-12


@given(counts)
def test_two_grades_are_one_question(table: np.ndarray) -> None:
    two = table[:2, :2]
    linear, quadratic = (kappa(two, weights(range(2), weighting)) for weighting in ("linear", "quadratic"))
    assert np.array_equal([linear, quadratic], [kappa(two)] * 2, equal_nan=True)
    assert np.allclose([alpha(two, level) for level in LEVELS], alpha(two, "nominal"), rtol=1e-12, equal_nan=True)
    assert np.allclose(grade_kappas(two), kappa(two), rtol=1e-12, atol=1e-12, equal_nan=True)


@given(counts)
def test_kappa_of_a_grade_is_that_of_the_table_with_all_others_together(table: np.ndarray) -> None:
    for place, found in enumerate(grade_kappas(table)):
        this = np.arange(len(table)) == place
        pair = np.array([[table[np.ix_(row, column)].sum() for column in (this, ~this)] for row in (this, ~this)])
        assert alike(found, kappa(pair))


@given(st.lists(counts, min_size=1, max_size=4))
def test_tables_together_are_tables_alone(tables: list[np.ndarray]) -> None:
    size = max(map(len, tables))
    stack = np.zeros((len(tables), size, size))
    for place, table in enumerate(tables):
        stack[place, : len(table), : len(table)] = table
    scale = Scale(np.arange(size, dtype=float), rel=1)
    together = scale.coefficients(stack)
    for place in range(len(tables)):
        assert np.allclose(scale.coefficients(stack[place : place + 1])[0], together[place], rtol=1e-13, equal_nan=True)


# Parity


@given(counts, st.sampled_from([None, "linear", "quadratic"]))
def test_kappa_is_that_of_scikit_learn(table: np.ndarray, weighting: Any) -> None:
    first, second = spread(table)
    found = kappa(table, weights(range(len(table)), weighting or "nominal"))
    if np.isnan(found):
        assert len({*first, *second}) < 2
        return
    expected = cohen_kappa_score(first, second, labels=range(len(table)), weights=weighting)
    assert np.isclose(found, expected, rtol=1e-12, atol=1e-12)


@given(counts, st.sampled_from(LEVELS), st.sampled_from([[0, 1, 2, 3, 4], [-2, 0.5, 1, 3, 10]]))
def test_alpha_is_that_of_krippendorff(table: np.ndarray, level: Level, places: list[float]) -> None:
    first, second = spread(table)
    found = alpha(table, level, places[: len(table)])
    if np.isnan(found):
        assert len({*first, *second}) < 2
        return
    values = [[places[place] for place in one] for one in (first, second)]
    expected = krippendorff.alpha(reliability_data=values, level_of_measurement=level)
    assert np.isclose(found, expected, rtol=1e-12, atol=1e-12)


@settings(deadline=None, max_examples=40)
@given(judgements, judgements)
def test_what_is_told_is_that_of_the_common_pairs(first: dict[str, Any], second: dict[str, Any]) -> None:
    pairs = [(q, d) for q in sorted(first, key=str.encode) for d in first[q] if d in second.get(q, {})]
    if not pairs:
        return
    found = agreement(first, second, resamples=20)
    ours, theirs = ([float(one[q][d]) for q, d in pairs] for one in (first, second))
    labels = sorted({*ours, *theirs})
    assert found.grades == tuple(labels)
    assert found.pairs == len(pairs)
    assert found.judged.first_only == sum(map(len, first.values())) - len(pairs)
    assert found.judged.second_only == sum(map(len, second.values())) - len(pairs)
    places = [[labels.index(grade) for grade in one] for one in (ours, theirs)]
    assert found.equal.value == np.mean(np.equal(ours, theirs))
    assert alike(found.bias.mean, math.fsum(np.subtract(theirs, ours)) / len(pairs))
    assert [one.query for one in found.queries] == list(dict.fromkeys(query for query, _ in pairs))
    for name, weighting in (("kappa", None), ("linear", "linear"), ("quadratic", "quadratic")):
        if len(labels) > 1:
            expected = cohen_kappa_score(*places, labels=range(len(labels)), weights=weighting)
            assert alike(getattr(found, name).value, expected)
            assert np.array_equal(found.table, confusion_matrix(*places, labels=range(len(labels))))
        else:
            assert found.table.tolist() == [[len(pairs)]]
            assert math.isnan(getattr(found, name).value)
    for query in found.queries:
        rows = [place for place, (name, _) in enumerate(pairs) if name == query.query]
        assert query.pairs == len(rows)
        assert query.equal == np.mean([ours[row] == theirs[row] for row in rows])
        assert alike(query.bias, float(np.mean([theirs[row] - ours[row] for row in rows])))


@settings(deadline=None, max_examples=25)
@given(judgements, st.randoms(use_true_random=False))
def test_the_order_of_judgements_and_the_names_of_documents_do_not_matter(first: dict[str, Any], chance: Any) -> None:
    second = {query: {document: chance.choice([0, 1, 2]) for document in judged} for query, judged in first.items()}
    rows = [(query, document, grade) for query, judged in second.items() for document, grade in judged.items()]
    chance.shuffle(rows)
    frame = pl.DataFrame(rows, schema=["query", "document", "grade"], orient="row")
    one, other = agreement(first, second, resamples=20), agreement(first, frame, resamples=20)
    assert one.to_dict() == other.to_dict()
    names = {document: f"x{number}" for number, document in enumerate(sorted({d for _, d, _ in rows}, reverse=True))}
    renamed = [{q: {names[d]: g for d, g in judged.items()} for q, judged in each.items()} for each in (first, second)]
    assert agreement(*renamed, resamples=20).to_dict() == one.to_dict()


@settings(deadline=None, max_examples=25)
@given(judgements, judgements)
def test_the_other_way_round_only_the_bias_turns(first: dict[str, Any], second: dict[str, Any]) -> None:
    if not any(document in second.get(query, {}) for query, judged in first.items() for document in judged):
        return
    one, other = (agreement(*pair, rel=1, resamples=50) for pair in ((first, second), (second, first)))
    assert np.array_equal(one.table, other.table.T)
    assert alike(one.bias.mean, -other.bias.mean)
    assert (one.bias.higher, one.bias.lower, one.bias.equal) == (other.bias.lower, other.bias.higher, other.bias.equal)
    assert alike(one.bias.p, other.bias.p)
    for name in one.figures:
        if name != "bias":
            assert alike(getattr(one, name).value, getattr(other, name).value)


# Arithmetic


def test_a_table_of_three_grades_by_hand() -> None:
    table = np.array([[10.0, 2.0, 0.0], [3.0, 5.0, 1.0], [0.0, 1.0, 3.0]])
    rows, columns, n = [12, 9, 4], [13, 8, 4], 25
    chance = sum(row * column for row, column in zip(rows, columns, strict=True))
    assert alike(kappa(table), float(1 - Fraction(2 + 3 + 1 + 1, 1) / (n - Fraction(chance, n))))
    apart = Fraction(12 * 8 + 9 * 13 + 9 * 4 + 4 * 8 + 2 * (12 * 4 + 4 * 13), n)
    assert alike(kappa(table, weights(range(3), "linear")), float(1 - 7 / apart))
    squared = Fraction(12 * 8 + 9 * 13 + 9 * 4 + 4 * 8 + 4 * (12 * 4 + 4 * 13), n)
    assert alike(kappa(table, weights(range(3), "quadratic")), float(1 - 7 / squared))
    given_of = [25, 17, 8]
    pairs = 2 * (25 * 17 + 25 * 8 + 17 * 8)
    assert alike(alpha(table, "nominal"), 1 - 49 * 14 / pairs)
    assert alike(alpha(table, "interval"), 1 - 49 * 14 / (pairs + 2 * 3 * 25 * 8))
    low, high = (25 + 17) / 2, (17 + 8) / 2  # between the first two grades, and between the last two
    seen = 2 * (5 * low**2 + 2 * high**2)
    chance_of = 2 * (25 * 17 * low**2 + 17 * 8 * high**2 + 25 * 8 * (low + high) ** 2)
    assert sum(given_of) == 50
    assert alike(alpha(table, "ordinal"), 1 - 49 * seen / chance_of)
    assert np.allclose(specific(table), [20 / 25, 10 / 17, 6 / 8], rtol=1e-15)


def test_the_example_of_cohen_1960() -> None:
    shares = np.array([[88.0, 14.0, 18.0], [10.0, 40.0, 10.0], [2.0, 6.0, 12.0]])
    assert alike(kappa(shares), (140 / 200 - 0.41) / (1 - 0.41))


def test_two_judges_by_hand() -> None:
    found = agreement(HUMAN, MODEL, names=("human", "model"), rel=1)
    assert found.judged == (7, 7, 5, 2, 2, 3, 3, 2)
    assert found.table.tolist() == [[1, 1, 0], [0, 2, 0], [0, 0, 1]]
    assert found.equal.value == 4 / 5
    assert alike(found.kappa.value, 1 - 1 * 5 / (25 - (2 * 1 + 2 * 3 + 1 * 1)))
    assert alike(found.linear.value, 1 - 1 * 5 / (2 * 3 + 2 * 2 * 1 + 2 * 1 + 2 * 1 + 1 * 3 + 1 * 2 * 1))
    assert found.bias == (1 / 5, *found.bias[1:3], 1, 4, 0, found.bias.p, "unclear")
    assert found.relevant_equal is not None
    assert found.relevant_kappa is not None
    assert found.relevant_equal.value == 4 / 5
    assert alike(found.relevant_kappa.value, 1 - 1 * 5 / (2 * 4 + 3 * 1))
    none, one, two = found.per_grade
    assert none[:6] == (0, 2, 1, 1, 1 / 2, 1)
    assert (none.agreement, none.instead, none.instead_share) == (2 / 3, 1, 1 / 2)
    assert (one.agreement, one.first_same, one.second_same) == (2 * 2 / (2 + 3), 1, 2 / 3)
    assert math.isnan(one.instead)
    assert (two.agreement, two.kappa) == (1, 1)
    assert found.queries[0] == ("q1", 3, 2 / 3, *found.queries[0][3:6], 1 / 3)
    assert alike(found.queries[0].kappa, 1 - 1 * 3 / (9 - (1 * 0 + 1 * 2 + 1 * 1)))
    assert found.queries.of("q2")[:3] == ("q2", 2, 1.0)
    assert [one.query for one in found.queries.worst(1)] == ["q1"]


def test_steps_and_grades_are_two_distances() -> None:
    first = {"q": {"a": 0, "b": 1, "c": 10, "d": 0}}
    second = {"q": {"a": 0, "b": 10, "c": 10, "d": 1}}
    steps, differences = (agreement(first, second, distance=how, resamples=9) for how in ("steps", "grades"))
    rows, columns = [2, 1, 1], [1, 1, 2]
    for found, places in ((steps, [0, 1, 2]), (differences, [0, 1, 10])):
        seen = (places[2] - places[1]) + (places[1] - places[0])
        chance = sum(rows[i] * columns[j] * abs(places[i] - places[j]) for i in range(3) for j in range(3)) / 4
        assert alike(found.linear.value, 1 - seen / chance)
    assert steps.alpha_interval.value == differences.alpha_interval.value
    assert any("steps between them" in note for note in steps.notes)
    assert not any("steps between them" in note for note in differences.notes)


def test_one_grade_alone_is_not_defined_and_said() -> None:
    found = agreement({"q1": {"a": 1}, "q2": {"b": 1}}, {"q1": {"a": 1}, "q2": {"b": 1}}, rel=1)
    assert found.equal == (1, 1, 1)
    assert all(map(math.isnan, [*found.kappa, *found.quadratic, *found.alpha_ordinal]))
    assert (found.bias.mean, found.bias.word) == (0, "equal")
    assert any("nothing could disagree" in note for note in found.notes)
    assert any("no kappa of relevant" in note for note in found.notes)
    assert found.to_dict()["figures"]["kappa"] == {"value": None, "low": None, "high": None}


def test_fractional_negative_and_huge_grades_are_grades() -> None:
    first = {"q1": {"a": -2, "b": 0.25}, "q2": {"a": 1e300, "b": -2}}
    second = {"q1": {"a": -2, "b": 1e300}, "q2": {"a": 1e300, "b": 0.25}}
    found = agreement(first, second, distance="grades")
    assert found.grades == (-2, 0.25, 1e300)
    assert alike(found.quadratic.value, 1 - 1 * 4 / (3 * 2 + 1 * 2))
    assert alike(found.bias.mean / 1e300, 1 / 4)


# Stored judgements


def test_the_second_pass_over_the_collection_that_comes_along() -> None:
    def read(name: str, column: str) -> dict[str, dict[str, int]]:
        found: dict[str, dict[str, int]] = {}
        with (ROOT / "collection" / name).open(encoding="utf-8") as lines:
            for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE):
                found.setdefault(row["query"], {})[row["document"]] = int(row[column])
        return found

    first, second = read("judgements.tsv", "first"), read("second.tsv", "grade")
    found = agreement(first, second, names=("first pass", "second pass"))
    assert found.pairs == 318  # docs/collection.md
    assert round(100 * found.equal.value, 1) == 92.1
    assert round(found.linear.value, 2) == 0.93
    assert found.judged.second_only == 0
    above = found.table.sum() - found.table[0, 0]
    assert (above, round(100 * (found.table.trace() - found.table[0, 0]) / above, 1)) == (162, 84.6)
    ours, theirs = zip(
        *((first[q][d], grade) for q, judged in second.items() for d, grade in judged.items()), strict=True
    )
    assert alike(found.linear.value, cohen_kappa_score(ours, theirs, weights="linear"))
    assert alike(found.quadratic.value, cohen_kappa_score(ours, theirs, weights="quadratic"))
    for level in LEVELS:
        expected = krippendorff.alpha(reliability_data=[ours, theirs], level_of_measurement=level)
        assert alike(getattr(found, f"alpha_{level}").value, expected)
    assert found.linear.low < found.linear.value < found.linear.high < 1


# Samples


def tables_of(first: dict[str, Any], second: dict[str, Any]) -> tuple[ConfusionTables, list[np.ndarray]]:
    """Tables of queries, and the same one by one."""
    pairs = [[(grade, second[query][d]) for d, grade in judged.items()] for query, judged in first.items()]
    each = [
        np.array([[cells[row, column] for column in range(4)] for row in range(4)], dtype=float)
        for cells in map(Counter, pairs)
    ]
    owner, ours, theirs = np.array([(number, *pair) for number, query in enumerate(pairs) for pair in query]).T
    return ConfusionTables.of(owner, ours, theirs, len(pairs), 4), each


def test_tables_of_samples_are_sums_of_those_of_their_queries() -> None:
    tables, each = tables_of(*two_judges(1))
    times = np.random.default_rng(0).integers(0, 3, size=(7, len(each))).astype(float)

    def flat(found: np.ndarray) -> np.ndarray:
        return found.reshape(len(found), -1)

    expected = [sum(count * table for count, table in zip(row, each, strict=True)) for row in times]
    assert np.array_equal(tables.of_samples(flat, times), flat(np.array(expected)))
    assert np.array_equal(tables.total(), sum(each))
    assert np.array_equal(tables.of_each(flat), flat(np.array(each)))
    assert np.array_equal(tables.without_each(flat), flat(sum(each) - np.array(each)))
    kept = np.arange(len(each)) % 3 == 0
    assert np.array_equal(tables.only(kept).of_each(flat), flat(np.array(each)[kept]))
    assert np.array_equal(tables.pairs, [table.sum() for table in each])


def test_tables_are_the_same_in_blocks_and_sorted(monkeypatch: pytest.MonkeyPatch) -> None:
    scale = Scale(np.arange(4.0))
    tables, _ = tables_of(*two_judges(2))
    expected = cluster_intervals(tables, scale.coefficients, level=0.9, resamples=50, seed=3)
    monkeypatch.setattr("rankworth.stats.agreement._CELLS", 5 * 16)
    monkeypatch.setattr("rankworth.stats.agreement._COUNTED", 0)
    again, _ = tables_of(*two_judges(2))
    assert np.array_equal(again.cell, tables.cell)
    assert np.array_equal(again.owner, tables.owner)
    assert np.allclose(
        cluster_intervals(again, scale.coefficients, level=0.9, resamples=50, seed=3), expected, rtol=1e-13
    )


def test_intervals_of_a_mean_are_those_of_means() -> None:
    tables, each = tables_of(*two_judges(3, documents=8))  # whose shares are exact
    low, high = cluster_intervals(tables, lambda some: equal(some)[:, None], level=0.9, resamples=999, seed=5)
    shares = np.array([[table.trace() / table.sum()] for table in each])
    expected = stats.intervals(shares, level=0.9, resamples=999, seed=5)
    assert np.allclose([low, high], [expected.low, expected.high], rtol=1e-9)


def test_intervals_hold_the_figure_narrow_with_level_and_repeat() -> None:
    first, second = two_judges(4)
    wide, again, narrow, other = (
        agreement(first, second, resamples=499, **asked)
        for asked in ({"level": 0.99}, {"level": 0.99}, {"level": 0.8}, {"level": 0.99, "seed": 1})
    )
    assert wide.to_dict() == again.to_dict()
    for name in COEFFICIENTS:
        outer, inner = getattr(wide.overall, name), getattr(narrow.overall, name)
        assert outer.low < inner.low < inner.value == outer.value < inner.high < outer.high
    assert wide.kappa != other.kappa
    assert agreement(first, second).resamples == 9_999


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    scale = Scale(np.arange(4.0))
    truth = scale.coefficients(tables_of(*two_judges(0, queries=4_000))[0].total()[None])[0]
    held = np.zeros(len(COEFFICIENTS))
    for seed in range(1, 151):
        tables, _ = tables_of(*two_judges(seed, queries=40))
        low, high = cluster_intervals(tables, scale.coefficients, level=0.9, resamples=299, seed=0)
        held += (low <= truth) & (truth <= high)
    assert (held / 150 > 0.83).all()
    assert (held / 150 < 0.97).all()


def test_one_query_and_perfect_agreement() -> None:
    first, _ = two_judges(1)
    alone = {"q00": first["q00"]}
    assert math.isnan(agreement(alone, alone).kappa.low)
    assert "few-queries" in dict(agreement(alone, alone).warnings)
    same = agreement(first, first)
    for name in COEFFICIENTS[:-1]:
        assert getattr(same.overall, name) == (1, 1, 1)
    assert same.bias == (0, 0, 0, 0, same.pairs, 0, 1, "equal")


def test_an_interval_is_not_had_from_the_few_samples_where_it_is_defined() -> None:
    first = {f"q{number}": {"a": 0} for number in range(5)} | {"q9": {"a": 1}}
    second = {f"q{number}": {"a": 0} for number in range(6)} | {"q9": {"a": 1}}
    found = agreement(first, second, resamples=200)  # (5/6)**6 of the samples do without q9
    assert found.kappa.value == 1
    assert math.isnan(found.kappa.low)
    assert found.equal == (1, 1, 1)


# Bias


def test_who_grades_higher_is_tested_over_queries() -> None:
    first, second = two_judges(5)
    higher = {
        q: {d: grade + (place % 2) for place, (d, grade) in enumerate(judged.items())} for q, judged in second.items()
    }
    found = agreement(first, higher)
    assert found.bias.word == "higher"
    assert agreement(higher, first).bias.word == "lower"
    means, sizes = [one.bias for one in found.queries], [one.pairs for one in found.queries]
    assert found.bias.p == stats.t_test(np.array(means)[:, None], np.array(sizes, dtype=float)).p[0]
    assert alike(found.bias.mean, float(np.average(means, weights=sizes)))
    assert agreement(first, higher, level=1 - found.bias.p / 2).bias.word == "unclear"
    differences = [higher[q][d] - grade for q, judged in first.items() for d, grade in judged.items()]
    assert found.bias.higher == sum(one > 0 for one in differences)
    assert found.bias.lower == sum(one < 0 for one in differences)
    assert found.bias.higher + found.bias.lower + found.bias.equal == found.pairs


# Groups and queries


def test_a_group_is_the_agreement_of_its_queries_alone_but_for_its_name() -> None:
    first, second = two_judges(6)
    table = [{"qid": query, "language": "ar" if number % 3 else "en"} for number, query in enumerate(first)]
    found = agreement(first, second, table=table, by="language", rel=2)
    assert list(found.groups) == ["ar", "en"]
    assert found.by == "language"
    for name, part in found.groups.items():
        queries = [row["qid"] for row in table if row["language"] == name]
        alone = agreement(first, second, queries=queries, rel=2)
        assert part._replace(group="") == alone.overall
    assert sum(part.pairs for part in found.groups.values()) == found.pairs
    direct = agreement(first, second, by={row["qid"]: row["language"] for row in table}, rel=2)
    assert direct.groups == found.groups
    with pytest.raises(InputError, match=r"missing-value"):
        agreement(first, second, by={"other": "en"})


def test_queries_that_one_judge_alone_has_are_counted() -> None:
    found = agreement(HUMAN, MODEL, queries=["q1", "q3"])
    assert found.judged == (4, 3, 3, 1, 0, 2, 1, 1)
    with pytest.raises(InputError, match=r"judged by neither of the two: q7   \[unjudged-queries\]"):
        agreement(HUMAN, MODEL, queries=["q1", "q7"])
    with pytest.raises(InputError, match=r"have 0 queries in common, .*   \[no-common-pairs\]"):
        agreement(HUMAN, MODEL, queries=["q3"])
    with pytest.raises(InputError, match=r"empty-input"):
        agreement(HUMAN, MODEL, queries=[])


# Inputs


def test_files_frames_and_judgements_that_were_read_are_alike(tmp_path: Path) -> None:
    human, model = tmp_path / "human.qrels", tmp_path / "model.json"
    human.write_text("".join(f"{q} 0 {d} {grade}\n" for q, judged in HUMAN.items() for d, grade in judged.items()))
    model.write_text(json.dumps(MODEL))
    found = agreement(human, str(model))
    assert found.names == ("human", "model")
    other = agreement(Qrels(HUMAN), Qrels(MODEL).to_frame("pandas"), names=("human", "model"))
    assert other.to_dict() == found.to_dict()
    assert agreement(human, MODEL).names == ("human", "second")
    assert agreement(human, human).names == ("first", "second")


def test_several_grades_of_a_document_are_settled_or_refused() -> None:
    frame = pl.DataFrame({"query": ["q", "q", "q"], "document": ["a", "a", "b"], "grade": [1, 2, 0]})
    other = {"q": {"a": 2, "b": 0}}
    with pytest.raises(InputError, match=r"duplicate-judgement"):
        agreement(frame, other)
    assert agreement(frame, other, duplicate_judgements="max").equal.value == 1
    assert agreement(frame, other, duplicate_judgements="first").equal.value == 1 / 2
    with pytest.raises(UsageError, match=r"unknown-setting"):
        agreement(frame, other, duplicate_judgements="all")  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"first: documents are judged for several subtopics .* several times"):
        agreement(Qrels(frame, duplicate_judgements="all"), other)


def test_subtopics_are_refused() -> None:
    frame = pl.DataFrame({"query": ["q", "q"], "subtopic": ["1", "2"], "document": ["a", "a"], "grade": [1, 0]})
    with pytest.raises(InputError, match=r"model: documents are judged for several subtopics of a query"):
        agreement({"q": {"a": 1}}, frame, names=("human", "model"))


@pytest.mark.parametrize(
    ("second", "told"),
    [
        (
            {"q1.1": {"a": 1}},
            r"have 0 queries in common, .*   \[no-common-pairs\]\n  first judged 'q1 a' .*, second 'q1.1 a'",
        ),
        (
            {"q1": {"z": 1}},
            r"have 1 query in common, and no document .*\n  first judged 'q1 a' 'q1 b' .*, second 'q1 z'",
        ),
    ],
)
def test_judges_that_do_not_meet_are_told_apart(second: dict[str, Any], told: str) -> None:
    with pytest.raises(InputError, match=told):
        agreement(HUMAN, second)


def test_scores_are_no_grades() -> None:
    scores = {"q": {f"d{number}": number / 7 for number in range(200)}}
    few = {"q": {f"d{number}": number % 100 for number in range(200)}}
    with pytest.raises(InputError, match=r"many-grades"):
        agreement(few, scores)
    assert len(agreement(few, few, resamples=9).grades) == 100


@pytest.mark.parametrize(
    "asked",
    [
        {"level": 1},
        {"level": 0},
        {"resamples": 0},
        {"resamples": 1.5},
        {"resamples": True},
        {"seed": -1},
        {"seed": math.nan},
        {"distance": "values"},
        {"rel": math.nan},
        {"rel": True},
        {"rel": "1"},
    ],
)
def test_what_is_no_setting_is_refused(asked: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=r"unknown-setting"):
        agreement(HUMAN, MODEL, **asked)


@pytest.mark.parametrize("names", [["one"], "ab", ["a", ""], ["a", "a"]])
def test_two_judges_have_two_names(names: Any) -> None:
    with pytest.raises(UsageError, match=r"run-names"):
        agreement(HUMAN, MODEL, names=names)


# Warnings


def flagged(found: Agreement) -> set[str]:
    """The slugs of what deserves a second look."""
    return {slug for slug, _ in found.warnings}


def test_a_grade_that_outweighs_all_others_is_told() -> None:
    first = {f"q{query}": {f"d{number}": int(number == 0) for number in range(20)} for query in range(20)}
    second = {f"q{query}": {f"d{number}": int(number == query % 2) for number in range(20)} for query in range(20)}
    found = agreement(first, second)
    assert found.equal.value == 0.95
    assert alike(found.kappa.value, 1 - 20 * 400 / (2 * 20 * 380))
    assert flagged(found) == {"dominant-grade"}
    assert "95.0 % of the grades are equal, and kappa is 0.47" in found.warnings[0][1]
    assert flagged(agreement(first, first)) == set()


def test_pairs_that_one_judge_alone_has_are_told() -> None:
    first, second = two_judges(7)
    fewer = {query: dict(list(judged.items())[:9]) for query, judged in second.items()}
    assert flagged(agreement(first, second)) == set()
    found = agreement(first, fewer)
    assert found.warnings == (
        ("judged-by-one", "judged by one alone: first 25.0 % of 360 pairs, and agreement leaves them out"),
    )


def test_few_queries_are_told() -> None:
    assert "few-queries" in flagged(agreement(HUMAN, MODEL))


# What is shown


def test_sheets_say_it_all() -> None:
    found = agreement(HUMAN, MODEL, names=("human", "model"), by={"q1": "x|y", "q2": None}, rel=1)
    titles = [sheet.title for sheet in found.sheets()]
    assert titles == [
        "human and model: 5 pairs of 2 queries",
        "who grades higher",
        "grades of human (rows) and model (columns)",
        "grade by grade",
        "by given",
    ]
    text = repr(found)
    assert "judged: human 7 pairs of 3 queries, model 7 of 3; both 5 of 2" in text
    table = found.sheets()[2]
    assert [column.name for column in table.columns] == ["human", "0", "1", "2", "all"]
    assert [list(column.values) for column in table.columns][1:] == [
        [1, 0, 0, 1],
        [1, 2, 0, 3],
        [0, 0, 1, 1],
        [2, 2, 1, 5],
    ]
    for shown in (found.to_latex(), found.to_markdown(), found.to_html(), found._repr_html_()):
        assert "0.6875" in shown


def test_many_grades_have_no_table_to_look_at_but_columns() -> None:
    grades = {"q": {f"d{number}": number for number in range(21)}}
    found = agreement(grades, grades, resamples=9)
    assert not any(sheet.title.startswith("grades of") for sheet in found.sheets())
    assert len(found.to_frame(of="table")) == 21**2


@pytest.mark.parametrize("of", ["figures", "grades", "table", "queries"])
def test_rows_are_the_same_in_every_form(of: Any) -> None:
    found = agreement(HUMAN, MODEL, rel=1, by={"q1": "a", "q2": "b"})
    rows = found.rows(of)
    frame = found.to_frame(of=of)
    assert frame.fill_nan(None).to_dicts() == rows
    assert found.to_frame("pandas", of=of).columns.tolist() == list(rows[0])
    assert found.to_frame("pyarrow", of=of).num_rows == len(rows)
    assert {len(column.values) for column in found.flat(of).columns} == {len(rows)}
    json.dumps(rows, allow_nan=False)


def test_figures_have_a_row_for_each_group() -> None:
    found = agreement(HUMAN, MODEL, by={"q1": "a", "q2": "b"})
    rows = found.rows()
    assert [(row["group"], row["figure"]) for row in rows] == [
        (group, name) for group in ("", "a", "b") for name in COEFFICIENTS
    ]
    assert rows[0] == {
        "group": "",
        "figure": "equal",
        "value": 4 / 5,
        "low": found.equal.low,
        "high": found.equal.high,
        "pairs": 5,
        "queries": 2,
    }
    with pytest.raises(UsageError, match=r"unknown-setting"):
        found.columns("rows")  # type: ignore[arg-type]


def test_the_record_is_json_and_inputs_stay_as_they_are() -> None:
    before = json.dumps([HUMAN, MODEL])
    found = agreement(HUMAN, MODEL, rel=5)
    record = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert record["schema"] == "rankworth.agreement/1"
    assert record["table"] == [[1, 1, 0], [0, 2, 0], [0, 0, 1]]
    assert record["figures"]["relevant_kappa"]["value"] is None
    assert json.dumps([HUMAN, MODEL]) == before
    assert not found.table.flags.writeable


def test_measures_on_tables_take_tables_of_any_shape() -> None:
    stack = np.arange(2 * 3 * 4 * 4, dtype=float).reshape(2, 3, 4, 4)
    shapes: dict[Callable[[np.ndarray], np.ndarray], tuple[int, ...]] = {
        kappa: (2, 3),
        equal: (2, 3),
        specific: (2, 3, 4),
        grade_kappas: (2, 3, 4),
        lambda some: alpha(some, "ordinal"): (2, 3),
    }
    for compute, shape in shapes.items():
        found = compute(stack)
        assert found.shape == shape
        assert alike(float(found[1, 2].flat[0]), float(np.asarray(compute(stack[1, 2])).flat[0]))


def test_a_single_query_has_no_intervals_to_show() -> None:
    found = agreement({"q": {"a": 1, "b": 0}}, {"q": {"a": 1, "b": 1}})
    assert all(not column.bounds for sheet in found.sheets() for column in sheet.columns)
    assert "n/a…" not in repr(found)


VERDICTS = {"irrelevant": 0, "related": 1, "relevant": 2}


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(list(VERDICTS)), st.sampled_from(list(VERDICTS))), min_size=2, max_size=30))
def test_lists_of_grades_and_of_verdicts_give_the_kappa_of_scikit_learn(pairs: list[tuple[str, str]]) -> None:
    words = [list(side) for side in zip(*pairs, strict=True)]
    grades = [[VERDICTS[word] for word in side] for side in words]
    if len({*grades[0], *grades[1]}) == 1:
        return  # nothing could disagree
    for sources, options in ((words, {"verdicts": VERDICTS}), (grades, {}), (list(map(np.array, grades)), {})):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", rw.RankworthWarning)
            found = rw.agreement(*sources, resamples=10, **options)
        assert (found.pairs, len(found.queries)) == (len(pairs), len(pairs))
        for figure, weighting in (("kappa", None), ("linear", "linear"), ("quadratic", "quadratic")):
            expected = cohen_kappa_score(*grades, weights=weighting)
            assert getattr(found, figure).value == pytest.approx(expected, abs=1e-12, nan_ok=True)


def test_items_without_a_grade_are_left_out_and_dicts_hold_verdicts_too() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rw.RankworthWarning)
        found = rw.agreement([True, None, False, True], [True, True, False, False], resamples=10)
        assert (found.pairs, found.equal.value, found.judged.second_only) == (3, 2 / 3, 1)
        words = {"q1": {"a": "relevant", "b": "irrelevant"}}, {"q1": {"a": "relevant", "b": "related"}}
        assert rw.agreement(*words, verdicts=VERDICTS, resamples=10).table.tolist() == [[0, 1, 0], [0, 0, 0], [0, 0, 1]]


@pytest.mark.parametrize(
    ("sources", "verdicts", "slug", "problem"),
    [
        ((["yes"], ["no"]), None, "bad-grade", "the judgements: query '0', document 'item': the grade is 'yes'"),
        ((["yes"], ["no"]), {"yes": 1}, "bad-grade", "the judgements: query '0', document 'item': the grade is 'no'"),
        (([1, 0], [1]), None, "input-type", "there are 2 of first and 1 of second"),
        (({"q": {"a": 1}}, [("q", "a", "no")]), {"yes": 1}, "bad-grade", "the judgements: row 0: the grade is 'no'"),
    ],
)
def test_lists_that_say_nothing_are_refused(sources: Any, verdicts: Any, slug: str, problem: str) -> None:
    with pytest.raises(rw.InputError) as caught:
        rw.agreement(*sources, verdicts=verdicts)
    assert caught.value.slug == slug
    assert caught.value.problems[0].startswith(problem)
