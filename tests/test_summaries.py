"""Summaries: merging changes nothing, sums are exact, and the Poisson bootstrap is one."""

import math
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import rankworth as rw
from rankworth import averaging, statistics
from rankworth.errors import InputError, UsageError
from rankworth.statistics.moments import moments
from rankworth.statistics.samples import Columns
from rankworth.summaries import Asked, Summary, bins, exact, ids, poisson

Floats = statistics.Floats
NAN, INF = math.nan, math.inf
DRAWS = 40

anything = st.floats(allow_nan=False, allow_infinity=False)
"""Floats of the whole range, those below the normal ones among them."""
ordinary = st.sampled_from([0.0, 1.0, 0.5, 1 / 3, 0.1, 0.7, -0.0, 1e-9])
odd = st.sampled_from([NAN, INF, -INF])
few = settings(max_examples=60)


def one(*values: float, unit: str = "m", **settings: Any) -> Summary:
    """The summary of one measure."""
    rows = np.array(values, dtype=np.float64)[:, None]
    return Summary.of(Asked((unit,), **settings), [f"q{place}" for place in range(len(values))], rows)


@st.composite
def collections(draw: st.DrawFn) -> tuple[Asked, list[str], dict[str, Any]]:
    """What is asked for, ids, and values with all that may stand beside them."""
    measures, rows = draw(st.integers(1, 3)), draw(st.integers(0, 12))
    weighted, grouped = draw(st.booleans()), draw(st.booleans())
    kind = st.tuples(st.sampled_from(["mean", "gmean", "sum"]), st.sampled_from([None, (0, 1), (0, 1e6), (-3, 5)]))
    ways, ranges = zip(*draw(st.lists(kind, min_size=measures, max_size=measures)), strict=True)
    asked = Asked(
        tuple("abc"[:measures]), ways, ranges, resamples=draw(st.sampled_from([0, 7])), seed=draw(st.integers(0, 3)),
        weighted=weighted, grouped=grouped,
    )  # fmt: skip
    wide = st.floats(-1e250, 1e250) if weighted else anything
    pool = draw(st.sampled_from([ordinary, ordinary | odd, wide, st.just(0.25)]))
    queries = draw(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=12), min_size=rows,
                            max_size=rows, unique=True))  # fmt: skip
    table = draw(st.lists(st.lists(pool, min_size=measures, max_size=measures), min_size=rows, max_size=rows))
    arrays: dict[str, Any] = {"values": np.array(table, dtype=np.float64).reshape(rows, measures)}
    for name in draw(st.sampled_from([(), ("there",), ("there", "divided"), ("divided",)])):
        cells = st.lists(st.booleans(), min_size=rows * measures, max_size=rows * measures)
        arrays[name] = np.array(draw(cells), dtype=bool).reshape(rows, measures)
    if weighted:
        weights = st.sampled_from([0.0, 1.0, 1.0, 0.3, 7.5, 1e-40, 1e30])
        arrays["weights"] = np.array(draw(st.lists(weights, min_size=rows, max_size=rows)), dtype=np.float64)
    if grouped:
        names = st.sampled_from(["head", "tail", "字", ""])
        arrays["groups"] = np.array(draw(st.lists(names, min_size=rows, max_size=rows)), dtype=np.str_)
    return asked, queries, arrays


def summary(asked: Asked, queries: Sequence[str], arrays: dict[str, Any], rows: Sequence[int]) -> Summary:
    """That of some rows."""
    places = np.array(rows, dtype=np.int64)
    part = {name: array[places] for name, array in arrays.items()}
    values = part.pop("values")
    if "groups" in part:
        part["groups"] = part["groups"].tolist()
    counts = {"judged": len(rows), "blocks": 1, "odd": places % 2, "hits": places}
    return Summary.of(asked, [queries[row] for row in rows], values, counts=counts, **part)


# --- laws of merging --------------------------------------------------------------------------------------------------


@settings(max_examples=300)
@given(collections(), st.data())
def test_however_queries_are_parted_and_merged_the_bytes_are_the_same(
    collection: tuple[Asked, list[str], dict[str, Any]], data: st.DataObject
) -> None:
    asked, queries, arrays = collection
    rows = data.draw(st.permutations(range(len(queries))))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(queries)), min_size=1, max_size=5)))
    parts = [rows[a:b] for a, b in zip([0, *cuts], [*cuts, len(queries)], strict=True)]
    whole = summary(asked, queries, arrays, range(len(queries)))
    blocks = [summary(asked, queries, arrays, part) for part in parts]
    while len(blocks) > 1:  # any tree
        first, second = data.draw(st.permutations(range(len(blocks))))[:2]
        merged = blocks[first].merge(blocks[second])
        blocks = [block for place, block in enumerate(blocks) if place not in (first, second)] + [merged]
    expected = whole.merge(Summary.of(asked, [], np.zeros((0, len(asked.labels))), counts={"blocks": len(parts) - 1}))
    assert blocks[0].to_bytes() == expected.to_bytes()
    assert str(blocks[0]) == str(expected)


@few
@given(collections())
def test_merging_with_nothing_changes_nothing(collection: tuple[Asked, list[str], dict[str, Any]]) -> None:
    asked, queries, arrays = collection
    whole = summary(asked, queries, arrays, range(len(queries)))
    nothing = Summary.empty(asked)
    for merged in (whole.merge(nothing), nothing.merge(whole), Summary.merged([nothing, whole, nothing])):
        assert merged.to_bytes() == whole.to_bytes()


@few
@given(collections())
def test_what_goes_through_bytes_comes_back(collection: tuple[Asked, list[str], dict[str, Any]]) -> None:
    asked, queries, arrays = collection
    whole = summary(asked, queries, arrays, range(len(queries)))
    back = Summary.from_bytes(whole.to_bytes())
    assert back.asked == asked
    assert back.to_bytes() == whole.to_bytes()
    rows = range(len(queries))
    assert back.counts == {"judged": len(rows), "blocks": 1, "odd": sum(row % 2 for row in rows), "hits": sum(rows)}
    for name in ("means", "variances", "standard_errors", "intervals", "macro_means", "macro_intervals"):
        assert repr(getattr(back, name)()) == repr(getattr(whole, name)())
    assert back.merge(whole).to_bytes() == whole.merge(back).to_bytes()


@few
@given(collections())
def test_a_group_is_what_it_would_be_alone(collection: tuple[Asked, list[str], dict[str, Any]]) -> None:
    asked, queries, arrays = collection
    whole = summary(asked, queries, arrays, range(len(queries)))
    for name in whole.groups:
        rows = [row for row in range(len(queries)) if not asked.grouped or arrays["groups"][row] == name]
        alone, part = summary(asked, queries, arrays, rows), whole.of_group(name)
        shares = (0.0, 0.2, 0.5, 1.0)
        for method in ("values", "divisors", "undefined", "minima", "maxima", "means", "variances", "standard_errors"):
            assert repr(getattr(part, method)()) == repr(getattr(alone, method)())
        for label in asked.labels:
            assert repr(part.quantiles(label, shares)) == repr(alone.quantiles(label, shares))
    assert sum(whole.of_group(name).queries for name in whole.groups) == whole.queries == len(queries)


def test_summaries_asked_for_other_things_are_not_merged() -> None:
    base = Asked(("a",))
    for other in (Asked(("b",)), Asked(("a",), seed=1), Asked(("a",), ("sum",)), Asked(("a",), grouped=True)):
        with pytest.raises(UsageError, match="not asked for the same") as error:
            Summary.empty(base).merge(Summary.empty(other))
        assert error.value.slug == "not-comparable"


# --- exact numbers ----------------------------------------------------------------------------------------------------


def fsum(values: Sequence[float]) -> float:
    """The exact sum, rounded once, also where `math.fsum` gives up on the way."""
    total = sum(map(Fraction, values))
    try:
        return float(total)
    except OverflowError:
        return INF if total > 0 else -INF


@settings(max_examples=300)
@given(st.lists(anything | ordinary, min_size=1, max_size=30))
def test_a_sum_is_that_of_fsum_to_the_last_bit(values: list[float]) -> None:
    found = one(*values, ways=("sum",), resamples=0).means()["m"]
    assert found == fsum(values)
    try:
        assert found == math.fsum(values)
    except OverflowError:
        assert max(map(abs, values)) > 1e307


@few
@given(st.lists(st.tuples(anything | ordinary, anything | ordinary), min_size=1, max_size=20), st.data())
def test_sums_of_products_are_exact(pairs: list[tuple[float, float]], data: st.DataObject) -> None:
    left, right = (np.array([side], dtype=np.float64) for side in zip(*pairs, strict=True))
    starts = sorted({0, *data.draw(st.sets(st.integers(0, len(pairs) - 1)))})
    found = exact.products(left, right, np.array(starts))[0].tolist()
    parts = [pairs[a:b] for a, b in zip(starts, [*starts[1:], len(pairs)], strict=True)]
    expected = [sum(Fraction(one) * Fraction(two) for one, two in part) for part in parts]
    assert [Fraction(total, 1 << exact.FINE) for total in found] == expected
    sums = exact.sums(left, np.array(starts))[0].tolist()
    assert [Fraction(total, 1 << exact.UNIT) for total in sums] == [sum(Fraction(a) for a, _ in p) for p in parts]


def test_many_values_in_many_segments_have_exact_sums() -> None:
    generator = np.random.default_rng(5)
    values = generator.normal(size=(2, 40_000)) * 10.0 ** generator.integers(-20, 20, (2, 40_000))
    starts = np.array([0, 1, 5, 16_384, 16_385, 32_768, 39_999])
    found = exact.sums(values, starts)
    squares = exact.products(values, values, starts)
    for line in range(2):
        for place, (a, b) in enumerate(zip(starts, [*starts[1:], 40_000], strict=True)):
            part = values[line, a:b].tolist()
            assert exact.rounded(found[line, place], exact.UNIT) == math.fsum(part)
            assert Fraction(squares[line, place], 1 << exact.FINE) == sum(Fraction(value) ** 2 for value in part)


@settings(max_examples=150)
@given(st.lists(st.floats(-1e150, 1e150) | ordinary, min_size=2, max_size=20))
def test_variances_are_those_of_fractions_rounded_once(values: list[float]) -> None:
    found = one(*values, resamples=0)
    parts = list(map(Fraction, values))
    mean = sum(parts) / len(parts)
    variance = sum((part - mean) ** 2 for part in parts) / (len(parts) - 1)
    assert found.variances()["m"] == float(variance)
    assert found.means()["m"] == math.fsum(values) / len(values)
    error = math.sqrt(float(variance / len(parts)))
    assert found.standard_errors()["m"] == error


def test_nothing_cancels() -> None:
    values = [1e8 + step for step in (0.25, 0.5, 0.75)]
    assert one(*values).variances() == {"m": 0.0625}  # (1 + 0 + 1) / 16 / 2


@few
@given(st.lists(st.tuples(ordinary, st.sampled_from([0.0, 1.0, 0.3, 2.5, 1e-5])), min_size=2, max_size=20))
def test_weighted_means_and_errors_are_those_of_one_machine(rows: list[tuple[float, float]]) -> None:
    values, weights = np.array(rows).T
    asked = Asked(("m",), weighted=True, resamples=0)
    found = Summary.of(asked, range(len(rows)), values[:, None], weights=weights)
    if not (weights > 0).any():
        assert math.isnan(found.means()["m"])
        return
    local = averaging.weighted(values, weights, weights)
    alike = np.unique(weights[weights > 0]).size == 1
    assert found.means()["m"] == (pytest.approx(local, rel=1e-15) if alike else local)
    counted = [(Fraction(value), Fraction(weight)) for value, weight in rows if weight]
    total = sum(weight for _, weight in counted)
    shares = [(value, weight / total) for value, weight in counted]
    mean, together = sum(h * value for value, h in shares), sum(h**2 for _, h in shares)
    short = sum(h**2 * ((1 - h) ** 2 + together - h**2) for _, h in shares) / together
    if len(counted) < 2:
        assert math.isnan(found.variances()["m"])
        return
    spread = [sum(h**power * (value - mean) ** 2 for value, h in shares) for power in (1, 2)]
    assert found.variances()["m"] == pytest.approx(float(spread[0] / (1 - together)), rel=1e-14, abs=0)
    assert found.standard_errors()["m"] == pytest.approx(math.sqrt(spread[1] / short), rel=1e-14, abs=0)
    expected = moments(Columns.of(values[:, None], weights))
    if together < 0.9:  # where it is near 1, floats lose more
        assert found.variances()["m"] == pytest.approx(expected.deviation[0] ** 2, rel=1e-12, abs=1e-16)
        assert found.standard_errors()["m"] == pytest.approx(expected.error[0], rel=1e-12, abs=1e-15)


def test_values_that_are_no_numbers_go_through_to_the_mean() -> None:
    cases: list[tuple[list[float], float]] = [
        ([1.0, NAN], NAN),
        ([1.0, INF], INF),
        ([1.0, -INF], -INF),
        ([INF, -INF], NAN),
        ([1.0], 1.0),
        ([], NAN),
    ]
    for values, expected in cases:
        found = one(*values)
        assert found.means()["m"] == pytest.approx(expected, nan_ok=True)
        assert found.undefined()["m"] == sum(map(math.isnan, values))
        assert math.isnan(found.variances()["m"])
        assert all(map(math.isnan, found.intervals()["m"]))
    assert one(ways=("sum",)).means() == {"m": 0.0}
    assert math.isnan(one(1.0, NAN, ways=("sum",)).means()["m"])


def test_ways_of_averaging() -> None:
    values = [[0.5, 0.5, 0.5], [0.0, 0.0, 0.0]]
    asked = Asked(("mean", "gmean", "sum"), ("mean", "gmean", "sum"), ((0, 1),) * 3)
    found = Summary.of(asked, ["q1", "q2"], values)
    assert found.means() == {"mean": 0.25, "gmean": math.exp((math.log(0.5) + math.log(1e-5)) / 2), "sum": 0.5}
    assert found.minima() == {"mean": 0.0, "gmean": 0.0, "sum": 0.0}
    assert found.variances()["gmean"] == pytest.approx(math.log(0.5 / 1e-5) ** 2 / 2, rel=1e-15)
    low, high = found.intervals()["gmean"]
    assert low == pytest.approx(1e-5, rel=1e-7)
    assert high == pytest.approx(0.5, rel=1e-7)
    assert all(map(math.isnan, found.intervals()["sum"]))
    assert math.isnan(found.standard_errors()["sum"])


def test_a_mean_may_be_taken_over_queries_without_a_value() -> None:
    asked = Asked(("m",), ranges=((0, 1),))
    there = [[True], [True], [False], [False]]
    divided = [[True], [True], [True], [False]]
    values = [[0.5], [1.0], [NAN], [NAN]]
    found = Summary.of(asked, list("abcd"), values, there=there, divided=divided)
    assert found.means() == {"m": (0.5 + 1.0) / 3}
    assert (found.values(), found.divisors(), found.queries) == ({"m": 2}, {"m": 3}, 4)
    padded = Summary.of(asked, list("abc"), [[0.5], [1.0], [0.0]])
    assert found.variances() == padded.variances()
    assert found.standard_errors() == padded.standard_errors()
    assert found.intervals() == padded.intervals()
    geometric = Summary.of(Asked(("m",), ("gmean",)), list("abcd"), values, there=there, divided=divided)
    assert geometric.divisors() == {"m": 2}
    assert geometric.means()["m"] == pytest.approx(math.sqrt(0.5), rel=1e-15)
    skipped = Summary.of(asked, list("abcd"), values, there=there)
    assert skipped.means() == {"m": 0.75}
    assert skipped.intervals() == Summary.of(asked, list("ab"), [[0.5], [1.0]]).intervals()


def test_queries_without_weight_do_not_count() -> None:
    asked = Asked(("m",), weighted=True)
    found = Summary.of(asked, list("abc"), [[0.5], [1.0], [NAN]], weights=[3, 1, 0])
    assert found.means() == {"m": (3 * 0.5 + 1 * 1.0) / 4}
    assert (found.values(), found.undefined(), found.queries) == ({"m": 2}, {"m": 0}, 3)


def test_groups_count_alike_in_a_macro_mean() -> None:
    asked = Asked(("m", "n"), ("mean", "sum"), grouped=True)
    table = [[0.5, 1.0], [0.0, 4.0], [1.0, 2.0]]
    found = Summary.of(
        asked, list("abc"), table, groups=["x", "y", "x"], counts={"judged": 3, "answered": [True, True, False]}
    )
    assert found.groups == ("x", "y")
    assert found.macro_means() == {"m": (0.75 + 0.0) / 2, "n": 7.0}
    assert found.means() == {"m": 0.5, "n": 7.0}
    assert found.of_group("x").means() == {"m": 0.75, "n": 3.0}
    assert all(map(math.isnan, found.macro_intervals()["m"]))  # y has one query
    assert found.counts == {"judged": 3, "answered": 2}
    assert found.of_group("x").counts == {"answered": 1}


# --- quantiles --------------------------------------------------------------------------------------------------------


@few
@given(st.lists(st.floats(0, 1), min_size=1, max_size=40), st.floats(0, 1))
def test_quantiles_of_a_known_range_are_within_a_bin(values: list[float], share: float) -> None:
    found = one(*values, ranges=((0, 1),), resamples=0).quantiles("m", [share])[0]
    expected = sorted(values)[max(1, math.ceil(share * len(values))) - 1]
    assert found == pytest.approx(expected, abs=0.5 / bins.DIVISIONS + 1e-15)


@few
@given(st.lists(anything | ordinary, min_size=1, max_size=40), st.floats(0, 1))
def test_quantiles_without_a_range_are_within_a_share_of_the_value(values: list[float], share: float) -> None:
    found = one(*values, resamples=0).quantiles("m", [share])[0]
    expected = sorted(values)[max(1, math.ceil(share * len(values))) - 1]
    assert found == pytest.approx(expected, rel=2.0 ** -(bins.DIGITS + 1), abs=2.0**-1028)


def test_fractions_and_small_whole_numbers_are_exact_quantiles() -> None:
    fractions = [whole / part for part in (1, 2, 3, 4, 5, 6, 7, 8, 10, 20) for whole in range(part + 1)]
    for value in fractions:
        assert one(0.0, value, 1.0, ranges=((0, 1),), resamples=0).quantiles("m", [0.5]) == [
            pytest.approx(value, abs=1e-16)
        ]
    for value in range(-128, 129):
        assert one(-1000.0, value, 1000.0, resamples=0).quantiles("m", [0.5]) == [value]


def test_quantiles_of_infinite_values() -> None:
    found = one(-INF, 1.0, INF, resamples=0)
    assert found.quantiles("m", [0, 0.5, 1]) == [-INF, 1.0, INF]
    assert math.isnan(one(NAN, 1.0, resamples=0).quantiles("m", [0.5])[0])
    assert math.isnan(one(resamples=0).quantiles("m", [0.5])[0])


# --- the bootstrap ----------------------------------------------------------------------------------------------------


def times(queries: Sequence[str], resamples: int, seed: int = 0) -> Floats:
    """How often each sample has each query."""
    return poisson.drawn(ids.hashes(queries, seed), resamples).astype(np.float64)


NAMES = [f"q{number}" for number in range(1_000)]


def test_the_table_of_draws_has_mean_and_variance_one() -> None:
    many = np.arange(len(poisson.TIMES))
    assert sum(poisson.TIMES) == (many * poisson.TIMES).sum() == 1 << 16
    assert (many**2 * poisson.TIMES).sum() == 2 << 16
    assert np.abs(np.array(poisson.TIMES) / (1 << 16) - stats.poisson.pmf(many, 1)).sum() / 2 < 1e-4


@pytest.mark.parametrize("seed", [0, 1, 2**64 - 1])
def test_draws_have_the_distribution_of_poisson(seed: int) -> None:
    drawn = times(NAMES, 1_000, seed).ravel().astype(np.int64)
    seen = np.bincount(np.minimum(drawn, 7), minlength=8)
    expected = np.append(stats.poisson.pmf(np.arange(7), 1), stats.poisson.sf(6, 1)) * drawn.size
    assert stats.chisquare(seen, expected).pvalue > 1e-5
    exact_table = np.array([*poisson.TIMES[:7], sum(poisson.TIMES[7:])]) / (1 << 16) * drawn.size
    assert stats.chisquare(seen, exact_table).pvalue > 1e-5


def test_draws_are_independent_of_one_another() -> None:
    drawn = times(NAMES, 1_000) - 1
    for table in (drawn, drawn.T, np.concatenate([drawn[:500], times(NAMES[:500], 1_000, seed=1) - 1])):
        products = table @ table.T / table.shape[1]  # of mean 0 and variance 1 each
        beside = products[~np.eye(len(products), dtype=bool)] * math.sqrt(table.shape[1])
        assert np.abs(beside).max() < 7
        assert np.abs(beside).mean() == pytest.approx(math.sqrt(2 / math.pi), abs=0.01)
    for lag in (1, 2, 3, 4, 8):
        assert abs((drawn[:, lag:] * drawn[:, :-lag]).mean()) < 6 / math.sqrt(drawn.size)


def test_draws_depend_on_id_seed_and_sample_alone() -> None:
    queries = ["q1", "q10", "1", "é", "字" * 9, "", "a", "a\0", "abcdefgh", "abcdefgh\0", "abcdefghi"]
    whole = times(queries, 9)
    for place, query in enumerate(queries):
        assert np.array_equal(times([query], 9)[0], whole[place])
        assert np.array_equal(times([query], 5)[0], whole[place, :5])
    assert len(set(ids.hashes(queries, 0).tolist())) == len(queries)
    assert not set(ids.hashes(queries, 0).tolist()) & set(ids.hashes(queries, 1).tolist())


def test_streams_are_those_of_splitmix64() -> None:
    # https://rosettacode.org/wiki/Pseudo-random_numbers/Splitmix64
    first = [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821]
    assert ids.streams(np.array([1234567], dtype=np.uint64), 5).tolist() == [first]


def reference(query: str, seed: int) -> int:
    """The same hash, one whole number at a time."""

    def mixed(word: int) -> int:
        word = ((word ^ (word >> 30)) * 0xBF58476D1CE4E5B9) % 2**64
        word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) % 2**64
        return word ^ (word >> 31)

    data = query.encode()
    state = mixed((seed * 0x9E3779B97F4A7C15 + len(data)) % 2**64)
    for start in range(0, len(data), 8):
        state = mixed(state ^ int.from_bytes(data[start : start + 8], "little"))
    return state


@few
@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=40), max_size=5), st.integers(0, 2**64 - 1))
def test_hashes_are_those_of_their_definition(queries: list[str], seed: int) -> None:
    assert ids.hashes(queries, seed).tolist() == [reference(query, seed) for query in queries]


def test_whole_numbers_are_ids_as_their_digits_are() -> None:
    asked = Asked(("m",), resamples=DRAWS)
    rows = [[0.5], [1.0]]
    digits = Summary.of(asked, ["7", "-12"], rows).to_bytes()
    for queries in ([7, -12], np.array([7, -12]), np.array(["7", "-12"]), (7, "-12"), [np.int64(7), -12]):
        assert Summary.of(asked, queries, rows).to_bytes() == digits


@few
@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=30), st.sampled_from([None, (0.0, 1e6)]))
def test_sums_of_whole_numbers_over_samples_are_exact(values: list[int], span: tuple[float, float] | None) -> None:
    found = one(*map(float, values), ranges=(span,), resamples=DRAWS)
    drawn = times([f"q{place}" for place in range(len(values))], DRAWS)
    expected = [sum(int(often) * value for often, value in zip(column, values, strict=True)) for column in drawn.T]
    above, below = found.cells.tracks
    assert [Fraction(total) * Fraction(2) ** max(above.power, -60) for total in above.scaled()[0].tolist()] == expected
    assert below.scaled()[0].tolist() == drawn.sum(axis=0).tolist()


@few
@given(
    st.lists(st.floats(0, 1) | anything | st.floats(0, 1e-300), min_size=1, max_size=30),
    st.booleans(),
)
def test_means_of_samples_are_as_near_as_is_said(values: list[float], known: bool) -> None:
    largest = max(map(abs, values))
    span = (0.0, 1.0) if known and largest <= 1 and min(values) >= 0 else None
    found = one(*values, ranges=(span,), resamples=DRAWS)
    above, below = found.cells.tracks
    unit = Fraction(2) ** above.power if largest else Fraction(0)
    drawn = times([f"q{place}" for place in range(len(values))], DRAWS)
    assert below.scaled()[0].tolist() == drawn.sum(axis=0).tolist()
    for number, total in enumerate(above.scaled()[0].tolist()):
        pairs = zip(drawn[:, number].tolist(), values, strict=True)
        expected = sum(Fraction(often) * Fraction(value) for often, value in pairs)
        bound = Fraction(1.0 if span else largest) * Fraction(2.0**-30) * Fraction(drawn[:, number].sum())
        assert abs(Fraction(total) * unit - expected) <= bound


def test_intervals_agree_with_those_of_one_machine() -> None:
    generator = np.random.default_rng(3)
    values = np.stack([generator.beta(2, 3, 1_000), generator.integers(0, 1_000, 1_000)], axis=1)
    weights = generator.gamma(2, size=1_000)
    spans = ((0.0, 1.0), None)
    for given_weights in (None, weights):
        asked = Asked(("a", "b"), ranges=spans, resamples=4_000, weighted=given_weights is not None)
        found = Summary.of(asked, NAMES, values, weights=given_weights)
        errors = list(found.standard_errors().values())
        ends = np.array(list(found.intervals().values()))
        for method in ("percentile", "bca"):
            local = statistics.intervals(values, given_weights, method=method)
            # quantiles of 4,000 and of 9,999 means are off by 0.042 and 0.027 errors; 5 times as much is allowed
            assert (np.abs(ends - np.stack([local.low, local.high], axis=1)) < 0.25 * np.array(errors)[:, None]).all()


def test_macro_intervals_agree_with_those_of_one_machine() -> None:
    generator = np.random.default_rng(4)
    places = (np.arange(1_000) % 5 == 0).astype(np.int64)
    values = generator.beta(2, 3, (1_000, 1)) / (1 + places[:, None])
    asked = Asked(("a",), ranges=((0.0, 1.0),), resamples=4_000, grouped=True)
    found = Summary.of(asked, NAMES, values, groups=["xy"[place] for place in places])
    low, high = rw.slices.intervals(values, groups=places)
    means = [values[places == place].mean() for place in (0, 1)]
    assert found.macro_means()["a"] == pytest.approx(sum(means) / 2, rel=1e-14)
    error = float(high[0] - low[0]) / 4
    assert found.macro_intervals()["a"] == pytest.approx((low[0], high[0]), abs=0.25 * error)


def test_intervals_hold_the_mean_as_often_as_they_say() -> None:
    generator = np.random.default_rng(11)
    asked = Asked(tuple(f"m{place}" for place in range(500)), ranges=((0.0, 1.0),) * 500, resamples=500)
    values = generator.beta(1, 3, (80, 500))
    found = Summary.of(asked, NAMES[:80], values).intervals(0.9)
    # one set of samples for all; the means themselves are independent: 450 of 500 with a deviation of 6.7
    held = sum(low <= 1 / 4 <= high for low, high in found.values())
    assert 450 - 40 < held < 450 + 27


def test_ends_are_those_of_the_definition() -> None:
    values = np.array([0.25, 0.5, 1.0, 0.125, 0.75])
    found = one(*values, ranges=((0.0, 1.0),), resamples=1_000).intervals(0.8)["m"]
    drawn = times([f"q{place}" for place in range(5)], 1_000)
    drawn = drawn[:, drawn.sum(axis=0) > 0]
    means = values @ drawn / drawn.sum(axis=0)  # exact sums: all are multiples of 1/8
    assert found == tuple(np.quantile(means, [(1 - 0.8) / 2, (1 + 0.8) / 2]))


def test_where_nothing_is_known_there_is_no_interval() -> None:
    assert one(0.1, 0.1, 0.1, ranges=((0.0, 1.0),)).intervals()["m"] == (0.1, 0.1)
    unknown = [one(0.1), one(0.1, 0.2, resamples=0), one(0.1, 9.0, ranges=((0.0, 1.0),)), one(0.1, INF)]
    assert all(math.isnan(end) for summary in unknown for end in summary.intervals()["m"])
    alone = Summary.of(Asked(("m",), weighted=True), list("ab"), [[0.1], [0.9]], weights=[1, 1e-30])
    assert all(map(math.isnan, alone.intervals()["m"]))
    beyond = one(0.1, 7.5, ranges=((0.0, 1.0),))  # not in its range, but not far from it
    assert beyond.intervals()["m"].high == 7.5


# --- calls ------------------------------------------------------------------------------------------------------------


def refused(slug: str, error: type[Exception], **changed: Any) -> None:
    """Refuse a call that differs from a good one."""
    asked = changed.pop("asked", {})
    arguments: dict[str, Any] = {"queries": ["a", "b"], "values": [[0.1], [0.2]]} | changed
    with pytest.raises(error) as found:
        Summary.of(Asked(**{"labels": ("m",)} | asked), **arguments)
    assert getattr(found.value, "slug", "") == slug


def test_wrong_calls_are_refused() -> None:
    for setting in (
        {"ways": ("median",)},
        {"ways": ("mean", "sum")},
        {"ranges": ((1, 0),)},
        {"ranges": ((0, NAN),)},
        {"resamples": -1},
        {"resamples": 1.5},
        {"seed": True},
        {"seed": 2**64},
        {"weighted": 1},
        {"labels": ("a", "a")},
    ):
        refused("unknown-setting", UsageError, asked=setting)
    refused("no-measures", UsageError, asked={"labels": ()})
    refused("input-type", UsageError, values=[[0.1]])
    refused("input-type", UsageError, values=[0.1, 0.2])
    refused("input-type", UsageError, values=[["a"], ["b"]])
    refused("input-type", UsageError, values=[[0.1], [0.2, 0.3]])
    refused("input-type", UsageError, weights=["a", "b"], asked={"weighted": True})
    refused("input-type", UsageError, counts={"judged": 0.5})
    refused("input-type", UsageError, counts={"judged": [0.5, 1.5]})
    refused("input-type", UsageError, counts={"judged": [1, 2, 3]})
    refused("input-type", UsageError, there=[[0.5], [0.5]])
    refused("input-type", UsageError, divided=[[True], [True], [False]])
    refused("input-type", UsageError, weights=[1], asked={"weighted": True})
    refused("input-type", UsageError, groups=["x"], asked={"grouped": True})
    refused("conflicting-options", UsageError, weights=[1, 2])
    refused("conflicting-options", UsageError, asked={"weighted": True})
    refused("conflicting-options", UsageError, groups=["x", "y"])
    refused("conflicting-options", UsageError, asked={"grouped": True})
    refused("missing-value", InputError, groups=["x", None], asked={"grouped": True})
    for weight in (-1.0, NAN, INF, 1e200, 1e-200):
        refused("bad-weight", InputError, weights=[1, weight], asked={"weighted": True})
    refused("bad-weight", InputError, values=[[0], [1e300]], weights=[1, 1e100], asked={"weighted": True})
    for query in (None, True, 1.5, b"a", "\ud800"):
        refused("id-type", InputError, queries=["a", query])


def test_wrong_questions_are_refused() -> None:
    found = one(0.1, 0.2)
    questions: list[tuple[str, Any]] = [
        ("not-measured", lambda: found.quantiles("n", [0.5])),
        ("unknown-setting", lambda: found.quantiles("m", [1.5])),
        ("unknown-setting", lambda: found.intervals(1.0)),
        ("unknown-setting", lambda: found.macro_intervals(0.0)),
        ("unknown-setting", lambda: found.of_group("x")),
        ("unknown-setting", lambda: found.to_frame("excel")),  # type: ignore[arg-type]
        ("input-type", lambda: Summary.merged([])),
    ]
    for slug, question in questions:
        with pytest.raises(UsageError) as error:
            question()
        assert error.value.slug == slug


def test_damaged_bytes_are_refused() -> None:
    data = Summary.of(Asked(("m",), resamples=3), ["a", "b"], [[0.1], [0.2]]).to_bytes()
    for length in range(len(data)):
        with pytest.raises(InputError) as error:
            Summary.from_bytes(data[:length])
        assert error.value.slug in ("truncated-file", "bad-results")
    for slug, wrong in {
        "bad-results": b"no summary" + data,
        "newer-results": data.replace(b"summary\n\x01", b"summary\n\x02"),
    }.items():
        with pytest.raises(InputError) as error:
            Summary.from_bytes(wrong)
        assert error.value.slug == slug
    for old, new in ((b'"asked"', b'"basked'), (b'"labels":["m"]', b'"labels":["m","m"]'), (b"[[", b"]]")):
        with pytest.raises(InputError) as error:
            Summary.from_bytes(data.replace(old, new))
        assert error.value.slug in ("bad-results", "truncated-file")
    for place in range(len(data)):
        flipped = data[:place] + bytes([data[place] ^ 4]) + data[place + 1 :]
        try:
            assert Summary.from_bytes(flipped).queries is not None
        except InputError as error:
            assert error.slug in ("bad-results", "newer-results", "truncated-file")  # noqa: PT017 - or none
    with pytest.raises(InputError, match="behind the summary"):
        Summary.from_bytes(data + b"\0")


# --- what is shown ----------------------------------------------------------------------------------------------------


def test_a_summary_shows_itself() -> None:
    asked = Asked(("RR", "num_ret"), ("mean", "sum"), ((0, 1), None), grouped=True)
    found = Summary.of(
        asked, list("abc"), [[0.5, 3], [1.0, 5], [0.25, 2]], groups=["x", "x", "y"], counts={"judged": 4}
    )
    assert repr(found) == "Summary(3 queries, 2 groups, RR, num_ret)"
    lines = str(found).splitlines()
    assert lines[0].split() == ["group", "queries", "RR", "num_ret"]
    assert [line.split()[:3] for line in lines if line.startswith(("x ", "y ", "all "))] == [
        ["x", "2", "0.7500"],
        ["y", "1", "0.2500"],
        ["all", "3", "0.5833"],
    ]
    assert [line.split()[-1] for line in lines if line.startswith(("x ", "y ", "all "))] == ["8", "2", "10"]
    assert "judged: 4" in lines
    assert "1,000 Poisson bootstrap samples" in str(found).replace("\n", " ")
    assert "<table" in found.to_html()


def test_a_frame_has_a_row_for_each_group_and_measure() -> None:
    asked = Asked(("RR", "n"), ("mean", "sum"), grouped=True, resamples=DRAWS)
    found = Summary.of(asked, list("abc"), [[0.5, 3], [1.0, 5], [0.25, 2]], groups=["x", "x", "y"])
    frame = found.to_frame()
    assert frame.columns == [
        "group", "measure", "queries", "mean", "low", "high", "deviation", "error", "minimum", "maximum",
    ]  # fmt: skip
    assert frame["group"].to_list() == ["x", "x", "y", "y"]
    assert frame["measure"].to_list() == ["RR", "n"] * 2
    assert frame["mean"].to_list() == [0.75, 8.0, 0.25, 2.0]
    assert frame["deviation"][0] == math.sqrt(0.125)
    assert frame["error"][0] == math.sqrt(0.0625)
    assert found.to_frame("pandas")["maximum"].tolist() == [1.0, 5.0, 0.25, 2.0]
    assert "group" not in one(0.5).to_frame("pyarrow").column_names


# --- beside an evaluation ---------------------------------------------------------------------------------------------


def test_blocks_of_an_evaluation_have_its_means(shared: Path) -> None:
    folder = shared / "trec_eval_tests"
    values = rw.evaluate(folder / "qrels.test", folder / "results.test", ["nDCG@10", "AP", "P@5", "num_ret", "gm_map"])
    labels = tuple(values.per_query.measures)
    table = values.per_query.array
    asked = Asked(labels, tuple(measure.averaging for measure in values.measures), resamples=DRAWS)
    names = values.per_query.queries
    blocks = [Summary.of(asked, [name], table[place : place + 1]) for place, name in enumerate(names)]
    found = Summary.merged(blocks)
    assert list(found.means().values()) == pytest.approx(list(values.mean().values()), rel=1e-14)
    assert found.to_bytes() == Summary.of(asked, names, table).to_bytes()
