"""Overlap of rankings: laws, all orders of ties counted out, and values that others have stored or published."""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from itertools import permutations, product
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from golden.records import of_two_rankings
from rankworth.correlation import matching
from rankworth.errors import InputError, UsageError
from rankworth.judging import polars
from rankworth.model import Run
from rankworth.stats.overlap import OVERLAPS, Bounded, average_overlap, jaccard, overlap, rba, rbo, weight_of_top
from rankworth.stats.pairing import Pairing, Ties, agreements

Groups = list[list[str]]
VARIANTS: tuple[Ties, ...] = ("w", "a", "b")
PARTS = ("value", "min", "max", "res")
NEAR = 1e-12

persistences = st.sampled_from([0.1, 0.5, 0.8, 0.9, 0.98, 0.999])


@st.composite
def groupings(draw: st.DrawFn, most: int = 12, ties: bool = True, least: int = 0) -> Groups:
    """Documents of a few, in groups."""
    documents = draw(st.lists(st.sampled_from("abcdefghijklmnop"), unique=True, min_size=least, max_size=most))
    groups: Groups = []
    for document in documents:
        if groups and ties and draw(st.booleans()):
            groups[-1].append(document)
        else:
            groups.append([document])
    return groups


pairs = st.tuples(groupings(), groupings())
even = st.integers(0, 10).flatmap(lambda size: st.tuples(*[groupings(most=size, least=size)] * 2))
untied = st.tuples(groupings(ties=False), groupings(ties=False))


def one(pair: tuple[Sequence[Any], Sequence[Any]]) -> Pairing:
    return Pairing.of_lists(*pair)


def part_of(found: Bounded, name: str) -> Any:
    return found.value if name == "ext" else getattr(found, name)


def swapped(pairing: Pairing) -> Pairing:
    return Pairing(pairing.queries, pairing.second, pairing.first)


def flat(groups: Groups) -> list[str]:
    return [document for group in groups for document in group]


def orders(groups: Groups) -> list[list[str]]:
    return [[d for group in chosen for d in group] for chosen in product(*map(permutations, groups))]


def numbers(pairing: Pairing, p: float = 0.9, k: int | None = None) -> dict[str, Any]:
    """All that the registry says of a pairing."""
    found: dict[str, Any] = {name: entry.values(pairing, p=p, k=k) for name, entry in OVERLAPS.items()}
    for ties in VARIANTS:
        bounds = rbo(pairing, p=p, ties=ties, k=k)
        found |= {f"{ties} {part}": getattr(bounds, part) for part in PARTS}
    aligned = rba(pairing, p=p, k=k)
    return found | {"rba max": aligned.max, "rba res": aligned.res}


def same(found: Mapping[str, Any], other: Mapping[str, Any], tolerance: float = 0.0) -> None:
    assert found.keys() == other.keys()
    for name in found:
        np.testing.assert_allclose(found[name], other[name], rtol=0, atol=tolerance, err_msg=name)


def webber(x: list[str], y: list[str], p: float) -> dict[str, float]:
    """Bounds by adding up agreements, and equation 32 of Webber et al., of lists without ties that are not empty."""
    short, long = sorted((x, y), key=len)
    s, length = len(short), len(long)
    common = [0] + [len(set(short[:d]) & set(long[:d])) for d in range(1, length + 1)]
    far = length + 2 + int(40 / -math.log(p))
    common += [common[-1]] * (far - length)
    weight = [(1 - p) * p ** (d - 1) for d in range(far + 1)]
    least = math.fsum(weight[d] * common[d] / d for d in range(1, far))
    possible = [min(d, common[d] + max(0, d - s) + max(0, d - length)) for d in range(far)]
    most = math.fsum(weight[d] * possible[d] / d for d in range(1, far)) + p ** (far - 1)
    head = math.fsum(weight[d] * common[d] / d for d in range(1, length + 1))
    growth = math.fsum(weight[d] * common[s] * (d - s) / (s * d) for d in range(s + 1, length + 1))
    ext = head + growth + ((common[length] - common[s]) / length + common[s] / s) * p**length
    return {"value": ext, "min": least, "max": most, "res": most - least}


# laws


@given(pairs, persistences, st.one_of(st.none(), st.integers(1, 14)))
def test_symmetric(pair: tuple[Groups, Groups], p: float, k: int | None) -> None:
    same(numbers(one(pair), p, k), numbers(swapped(one(pair)), p, k), 4e-16)
    for ties in VARIANTS:
        found, other = (rbo(side, p=p, ties=ties, k=k) for side in (one(pair), swapped(one(pair))))
        assert all(np.array_equal(getattr(found, part), getattr(other, part), equal_nan=True) for part in PARTS)


@given(pairs, st.permutations("abcdefghijklmnop"), st.one_of(st.none(), st.integers(1, 14)))
def test_names_and_the_order_within_groups_do_not_matter(
    pair: tuple[Groups, Groups], names: list[str], k: int | None
) -> None:
    new = dict(zip("abcdefghijklmnop", names, strict=True))
    renamed = tuple([sorted(new[d] for d in group) for group in groups] for groups in pair)
    same(numbers(one(pair), k=k), numbers(one((renamed[0], renamed[1])), k=k), 4e-16)


@given(
    st.tuples(*(st.dictionaries(st.sampled_from("abcdefgh"), st.integers(-5, 5), min_size=1) for _ in range(2))),
    st.sampled_from([np.exp, np.tanh, lambda score: 3 * score**3 - 1]),
)
def test_rising_functions_of_scores_change_nothing(
    scores: tuple[dict[str, int], dict[str, int]], rising: Callable[[float], float]
) -> None:
    def paired(change: Callable[[float], float]) -> Pairing:
        return of_runs(*(Run({"q": {d: float(change(s)) for d, s in side.items()}}) for side in scores))

    same(numbers(paired(float)), numbers(paired(rising)))


@given(groupings(least=1), persistences)
def test_equal_rankings_agree_fully(groups: Groups, p: float) -> None:
    pairing = one((groups, groups))
    for name in ("rbo", "rbo-w", "rbo-b", "jaccard"):
        assert OVERLAPS[name].values(pairing, p=p) == pytest.approx([1], abs=NEAR), name
    assert overlap(pairing) == [1]
    broken = one((flat(groups), flat(groups)))
    assert rbo(broken, p=p, ties="a").value == pytest.approx([1], abs=NEAR)
    assert average_overlap(broken) == [1]
    for pair in (pairing, broken):
        aligned = rba(pair, p=p)
        assert aligned.max == pytest.approx([1], abs=NEAR)
        assert aligned.min == pytest.approx([1 - p ** len(flat(groups))], abs=NEAR)


@given(pairs, persistences, st.one_of(st.none(), st.integers(1, 14)))
def test_bounds_hold(pair: tuple[Groups, Groups], p: float, k: int | None) -> None:
    pairing = one(pair)
    for name, entry in OVERLAPS.items():
        value = entry.values(pairing, p=p, k=k)
        undefined = not flat(pair[0]) and not flat(pair[1]) and name != "rba"
        assert np.isnan(value[0]) if undefined else 0 <= value[0] <= 1 + NEAR, name
    for ties in VARIANTS:
        found = rbo(pairing, p=p, ties=ties, k=k)
        assert 0 <= found.min <= found.max <= 1
        assert found.res == found.max - found.min
        assert np.isnan(found.value) or found.min <= found.value <= found.max
    a, b = (rbo(pairing, p=p, ties=ties, k=k) for ties in ("a", "b"))
    assert all(getattr(a, part) <= getattr(b, part) + NEAR for part in ("min", "max"))


@given(even, persistences, groupings(ties=False, most=4))
def test_what_comes_later_stays_within_the_bounds(pair: tuple[Groups, Groups], p: float, later: Groups) -> None:
    tails = [[d.upper() for d in flat(later)], [d.upper() for d in reversed(flat(later))]]
    for ties in VARIANTS:
        before = rbo(one(pair), p=p, ties=ties)
        after = rbo(one(([*pair[0], *tails[0]], [*pair[1], *tails[1]])), p=p, ties=ties)
        assert before.min <= after.min + NEAR
        assert after.max <= before.max + NEAR


@given(untied, persistences)
def test_without_ties_the_variants_are_one_and_add_up(pair: tuple[Groups, Groups], p: float) -> None:
    x, y = map(flat, pair)
    assume(x and y)
    expected = webber(x, y, p)
    for ties in VARIANTS:
        found = rbo(one((x, y)), p=p, ties=ties)
        for part, value in expected.items():
            assert part_of(found, part) == pytest.approx([value], abs=NEAR), (ties, part)


@settings(max_examples=60)
@given(st.tuples(groupings(most=5), groupings(most=5)), persistences, st.integers(1, 7))
def test_a_is_the_mean_over_all_orders(pair: tuple[Groups, Groups], p: float, k: int) -> None:
    broken = list(product(*map(orders, pair)))
    names = [str(place) for place in range(len(broken))]
    every = Pairing.of_rankings(*({n: b[side] for n, b in zip(names, broken, strict=True)} for side in (0, 1)))
    tied = one(pair)
    for found, mean in (
        (agreements(tied, k, "a")[0], agreements(every, k, "a").mean(axis=0)),
        (overlap(tied, k=k), overlap(every, k=k).mean()),
        (average_overlap(tied, k=k), average_overlap(every, k=k).mean()),
        (average_overlap(tied), average_overlap(every).mean()),
    ):
        np.testing.assert_allclose(found, mean, rtol=0, atol=NEAR)
    assume(all(map(flat, pair)))
    found, all_found = rbo(tied, p=p, ties="a"), rbo(every, p=p)
    assert found.min == pytest.approx([all_found.min.mean()], abs=NEAR)
    short, long = sorted(pair, key=lambda groups: len(flat(groups)))
    ends = np.cumsum([len(group) for group in long])
    if all(len(group) == 1 for group, end in zip(long, ends, strict=True) if end > len(flat(short))):
        for part in ("value", "max"):  # where ties go on beyond the shorter one, the paper has another rule
            assert part_of(found, part) == pytest.approx([getattr(all_found, part).mean()], abs=NEAR), part


@settings(max_examples=40)
@given(st.tuples(groupings(most=4, ties=False), groupings(most=4, ties=False)), persistences)
def test_no_order_of_what_is_missing_aligns_better(pair: tuple[Groups, Groups], p: float) -> None:
    x, y = map(flat, pair)
    best = 0.0
    for more_x in permutations(set(y) - set(x)):
        for more_y in permutations(set(x) - set(y)):
            best = max(best, float(rba(one(([*x, *more_x], [*y, *more_y])), p=p).min[0]))
    count = len({*x, *y})
    assert rba(one((x, y)), p=p).max == pytest.approx([best + p**count], abs=NEAR)


@given(st.lists(pairs, max_size=6), st.one_of(st.none(), st.integers(1, 8)))
def test_many_queries_are_as_one_at_a_time(some: list[tuple[Groups, Groups]], k: int | None) -> None:
    names = [f"q{place}" for place in range(len(some))]
    many = Pairing.of_rankings(*({n: pair[side] for n, pair in zip(names, some, strict=True)} for side in (0, 1)))
    together = numbers(many, k=k)
    for place, pair in enumerate(some):
        alone = numbers(one(pair), k=k)
        for name, values in together.items():
            assert np.array_equal(values[[place]], alone[name], equal_nan=True), name
    for ties in VARIANTS:
        assert np.array_equal(
            agreements(many, 5, ties),
            np.array([agreements(one(pair), 5, ties)[0] for pair in some]).reshape(-1, 5),
            equal_nan=True,
        )


def test_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    pairing = drawn(queries=30, documents=40, ties=True)
    whole = numbers(pairing) | {ties: agreements(pairing, 9, ties) for ties in VARIANTS}
    monkeypatch.setattr("rankworth.stats.pairing.ROWS", 100)
    same(whole, numbers(pairing) | {ties: agreements(pairing, 9, ties) for ties in VARIANTS})
    monkeypatch.setattr("rankworth.stats.pairing.ROWS", 1)
    same({"b": whole["b"]}, {"b": agreements(pairing, 9, "b")})


# pairing


def drawn(queries: int, documents: int, *, ties: bool, seed: int = 0) -> Pairing:
    return of_frames(*(frame(queries, documents, ties, seed, side) for side in (0, 1)))


def of_frames(first: pl.DataFrame, second: pl.DataFrame, queries: Sequence[str] | None = None) -> Pairing:
    return matching.of_rows(matching.RankedRows.of_run(Run(first)), matching.RankedRows.of_run(Run(second)), queries)


def of_runs(first: Run, second: Run) -> Pairing:
    return matching.of_rows(matching.RankedRows.of_run(first), matching.RankedRows.of_run(second))


def frame(queries: int, documents: int, ties: bool, seed: int, side: int) -> pl.DataFrame:
    generator = np.random.default_rng([seed, side])
    rows = []
    for query in range(queries):
        count = generator.integers(1, documents + 1)
        scores = generator.integers(0, 20, count) if ties else generator.random(count)
        ids = generator.choice(2 * documents, count, replace=False)
        rows.extend((f"q{query}", f"d{i}", float(s)) for i, s in zip(ids, scores, strict=True))
    return pl.DataFrame(rows, schema=["query", "document", "score"], orient="row")


def lists(rows: pl.DataFrame) -> dict[str, list[list[str]]]:
    found: dict[str, list[list[str]]] = {}
    for (query,), some in rows.group_by("query", maintain_order=True):
        groups: dict[float, list[str]] = {}
        for document, score in sorted(zip(some["document"], some["score"], strict=True), key=lambda row: -row[1]):
            groups.setdefault(score, []).append(document)
        found[str(query)] = list(groups.values())
    return found


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("order", ["drawn", "sorted", "scattered"])
def test_frames_are_paired_as_lists_are(ties: bool, order: str) -> None:
    frames = [frame(12, 150 if ties else 30, ties, 3, side) for side in (0, 1)]
    frames[1] = frames[1].filter(pl.col("query") != "q3")
    frames[0] = frames[0].filter(pl.col("query") != "q0")
    if order == "sorted":
        frames = [one_frame.sort("query", "score", descending=[False, True]) for one_frame in frames]
    if order == "scattered":
        frames = [one_frame.sample(fraction=1, shuffle=True, seed=1) for one_frame in frames]
    queries = [f"q{place}" for place in (5, 3, 0, 1, 99, 2, 4)]
    for asked in (None, queries):
        found = of_frames(frames[0], frames[1], asked)
        expected = Pairing.of_rankings(lists(frames[0]), lists(frames[1]), asked)
        assert found.queries == expected.queries
        same(numbers(found), numbers(expected), 4e-16)
        for side, other in ((found.first, expected.first), (found.second, expected.second)):
            assert np.array_equal(side.starts, other.starts)
            assert np.array_equal(side.top, other.top)
            assert np.array_equal(side.bottom, other.bottom)
        there = found.first.match >= 0
        assert np.array_equal(found.second.match[found.first.match[there]], np.flatnonzero(there))
        assert (found.second.match >= 0).sum() == there.sum()


def test_runs_keep_queries_without_documents() -> None:
    pairing = of_runs(Run({"q1": {"a": 1.0}, "q2": {}}), Run({"q3": {"b": 1.0}, "q1": {"a": 0.5}}))
    assert pairing.queries == ("q1", "q2", "q3")
    np.testing.assert_array_equal(rbo(pairing).value, [1, np.nan, 0])
    np.testing.assert_array_equal(rbo(swapped(pairing)).value, [1, np.nan, 0])


@pytest.mark.parametrize("side", [0, 1])
def test_documents_that_stand_twice_are_refused(side: int) -> None:
    good = pl.DataFrame({"query": ["q1", "q1", "q2"], "document": ["a", "b", "a"], "score": [2.0, 1.0, 3.0]})
    bad = pl.DataFrame({"query": ["q1", "q2", "q2"], "document": ["a", "c", "c"], "score": [2.0, 1.0, 3.0]})
    frames = (bad, good) if side == 0 else (good, bad)
    with pytest.raises(InputError, match="query q2 has the document c twice") as refused:
        of_frames(*frames)
    assert refused.value.slug == "duplicate-document"
    with pytest.raises(InputError, match="a ranking has the document a twice"):
        Pairing.of_lists(*(["a", ["b", "a"]], ["a"]) if side == 0 else (["a"], ["a", ["b", "a"]]))


@pytest.mark.parametrize("is_same", [False, True])
def test_documents_of_one_key_are_told_apart_by_their_text(monkeypatch: pytest.MonkeyPatch, *, is_same: bool) -> None:
    """At first documents with one first letter have one key, within a ranking or in two."""
    first = pl.DataFrame({"query": ["q", "q"], "document": ["a1", "a2" if is_same else "b1"], "score": [2.0, 1.0]})
    second = pl.DataFrame({"query": ["q", "q"], "document": ["b2", "a1"], "score": [2.0, 1.0]})
    expected = of_frames(first, second)
    keys_of = polars.pair_keys

    def keys(documents: pl.Series, query: np.ndarray, seed: int) -> Any:
        return documents.str.slice(0, 1).hash(0).to_numpy() if seed < 2 else keys_of(documents, query, seed)

    monkeypatch.setattr(polars, "pair_keys", keys)
    found = of_frames(first, second)
    assert found.first.match.tolist() == expected.first.match.tolist() == [1, -1]
    assert found.second.match.tolist() == expected.second.match.tolist() == [-1, 0]


@given(pairs, st.integers(1, 14))
def test_a_cut_keeps_groups_whole(pair: tuple[Groups, Groups], k: int) -> None:
    cut = one(pair).cut(k)
    expected = []
    for groups in pair:
        begins = np.cumsum([0, *map(len, groups)])[: len(groups)]
        expected.append([group for group, begin in zip(groups, begins, strict=True) if begin < k])
    other = one((expected[0], expected[1]))
    for found, wanted in ((cut.first, other.first), (cut.second, other.second)):
        for name in ("starts", "top", "bottom", "match"):
            assert np.array_equal(getattr(found, name), getattr(wanted, name)), name


# examples


def test_agreement_at_each_depth() -> None:
    pair = one((["a", ["b", "c"]], [["c", "a"], "d", "e"]))
    # w: 1 and 2 documents at depth 1, 3 and 2 at depth 2, 3 and 3, then 3 and 4
    assert agreements(pair, 5, "w")[0].tolist() == pytest.approx([2 * 1 / 3, 2 * 2 / 5, 2 * 2 / 6, 4 / 7, 4 / 7])
    # a: 1 * 1/2, then a whole and half of c, then both whole
    assert agreements(pair, 5, "a")[0].tolist() == pytest.approx([0.5, 1.5 / 2, 2 / 3, 4 / 7, 4 / 7])
    squares = [(1, 0.5), (1.5, 2), (3, 3), (3, 4), (3, 4)]
    above = [0.5, 1.5, 2, 2, 2]
    expected = [x / math.sqrt(m * n) for x, (m, n) in zip(above, squares, strict=True)]
    assert agreements(pair, 5, "b")[0].tolist() == pytest.approx(expected, abs=NEAR)


def test_sets_of_the_first_documents() -> None:
    pair = one((["a", ["b", "c"], "d"], ["c", "a", "e"]))
    assert overlap(pair, k=2) == [(1 + 0.5) / 2]  # of b and c, one of two orders has c above the cut
    assert overlap(pair, k=9) == overlap(pair) == [2 * 2 / (4 + 3)]
    assert average_overlap(pair, k=2) == [(0 / 1 + 1.5 / 2) / 2]
    assert average_overlap(pair) == pytest.approx([(0 + 1.5 / 2 + 2 / 3) / 3])
    assert average_overlap(pair, k=9) == pytest.approx([(0 + 1.5 / 2 + 2 / 3 + 4 / 7) / 4])
    assert jaccard(pair, k=2) == [2 / 3]  # a, b, c and c, a
    assert jaccard(pair) == [2 / 5]


def test_alignment_shares_the_weight_of_tied_ranks() -> None:
    found = rba(one((["a", ["b", "c"]], ["c", "d"])), p=0.5)
    shared = (0.25 + 0.125) / 2
    assert found.min == pytest.approx([math.sqrt(shared * 0.5)], abs=NEAR)
    # a, (b, c), d and c, d, a, b: all four
    more = math.sqrt(0.5 * 0.125) + math.sqrt(shared * 0.0625) + math.sqrt(0.0625 * 0.25)
    assert found.max == pytest.approx([math.sqrt(shared * 0.5) + more + 0.5**4], abs=NEAR)


def test_empty_rankings() -> None:
    pairing = Pairing.of_rankings({"one": ["a"], "none": []}, {"one": [], "none": []})
    for ties in VARIANTS:
        found = rbo(pairing, ties=ties)
        np.testing.assert_array_equal(found.value, [0, np.nan])
        np.testing.assert_array_equal(found.min, [0, 0])
        np.testing.assert_allclose(found.max, [1, 1], rtol=0, atol=NEAR)
        np.testing.assert_array_equal(agreements(pairing, 2, ties), [[0, 0], [np.nan, np.nan]])
    for function in (overlap, average_overlap, jaccard):
        np.testing.assert_array_equal(function(pairing), [0, np.nan])
        np.testing.assert_array_equal(function(pairing, k=3), [0, np.nan])
    np.testing.assert_array_equal(rba(pairing).min, [0, 0])
    np.testing.assert_allclose(rba(pairing).max, [1, 1], rtol=0, atol=NEAR)


@pytest.mark.parametrize("p", [0.5, 0.9, 0.99, 0.999, 0.99999])
@pytest.mark.parametrize("common", [True, False])
def test_deep_rankings_keep_their_digits(p: float, common: bool) -> None:
    x = [str(place) for place in range(3000)]
    y = x[::-1] if common else [f"other {name}" for name in x]
    found = rbo(one((x, y)), p=p)
    shared = [max(0, 2 * d - 3000) if common else 0 for d in range(1, 3001)]
    head = math.fsum(count / d * p**d for d, count in enumerate(shared, 1))
    rest = math.fsum(p**i / i for i in range(3001, 3001 + min(3_000_000, int(750 / -math.log(p)))))
    assert found.min == pytest.approx([(1 - p) / p * (head + shared[-1] * rest)], abs=1e-13)
    assert found.min <= found.value <= found.max
    assert found.value == pytest.approx([(1 - p) / p * head + shared[-1] / 3000 * p**3000], abs=1e-13)


@pytest.mark.parametrize("p", [0, 1, -0.1, 1.5, math.nan])
def test_p_lies_between_0_and_1(p: float) -> None:
    for refused in (lambda: rbo(one(("a", "a")), p=p), lambda: rba(one(("a", "a")), p=p), lambda: weight_of_top(3, p)):
        with pytest.raises(UsageError, match="p lies between 0 and 1") as error:
            refused()
        assert error.value.slug == "bad-parameter"


@pytest.mark.parametrize("k", [0, -1, 1.5, True])
def test_cutoffs_are_whole_numbers(k: Any) -> None:
    for entry in OVERLAPS.values():
        with pytest.raises(UsageError, match="a whole number from 1") as error:
            entry.values(one(("abc", "abc")), k=k)
        assert error.value.slug == "bad-cutoff"
    for refused in (lambda: agreements(one(("a", "a")), k), lambda: weight_of_top(k, 0.9)):
        with pytest.raises(UsageError, match="a whole number from 1"):
            refused()


def test_treatments_of_ties_have_names() -> None:
    unknown: Any = "c"
    for refused in (lambda: rbo(one(("a", "a")), ties=unknown), lambda: agreements(one(("a", "a")), 1, unknown)):
        with pytest.raises(UsageError, match="one of w, a, b") as error:
            refused()
        assert error.value.slug == "unknown-setting"


def test_the_registry_says_what_functions_do() -> None:
    pairing = drawn(queries=9, documents=12, ties=True)
    for name, entry in OVERLAPS.items():
        assert entry.name == name
        found = entry.function(pairing)
        assert np.array_equal(entry.values(pairing), found if isinstance(found, np.ndarray) else found.value)
        for parameter, value in (("p", 0.3), ("k", 2)):
            changed = not np.array_equal(entry.values(pairing, **{parameter: value}), entry.values(pairing))
            assert changed == (parameter in entry.takes), (name, parameter)
    assert np.array_equal(OVERLAPS["rbo"].values(pairing), rbo(pairing, ties="w").value)


# what others have stored or published


def test_each_depth_shares_its_weight_among_the_ranks_down_to_it() -> None:
    for d, p in ((1, 0.9), (10, 0.9), (50, 0.98), (300, 0.99)):
        weights = [(1 - p) * p ** (depth - 1) * min(d, depth) / depth for depth in range(1, 8000)]
        assert weight_of_top(d, p) == pytest.approx(math.fsum(weights), abs=NEAR)


def test_figure_5_of_webber_moffat_and_zobel() -> None:
    """Two rankings that agree in two of their first three documents, and in none below."""
    agreed = [0, 0, 2 / 3, 2 / 4, 2 / 5, 2 / 6, 2 / 7]
    found = [average_overlap(one(("abcdefg", "zcavwxy")), k=k)[0] for k in range(1, 8)]
    assert found == pytest.approx([math.fsum(agreed[:k]) / k for k in range(1, 8)], abs=NEAR)


# Of the test cases that Corsi and Urbano publish with their code: two rankings, p, and ext, min, max of w, a, b.
PUBLISHED = """
(i5 i9 i13 i15 i16 i19 i20) (i3 i8),i6 (i4 i18) i2 i7 i8 i17 i14 (i11 i12) i1,0.958074765324023,\
0.0816485573277354,0.0370062754797617,0.59493569657566,0.0808189832771587,0.0354671825076603,0.593396603603558,\
0.0813693619867344,0.0356267307324464,0.593556151828344
i13 (i1 i4 i5 i6),i3 i14 i11 (i10 i15) i12 (i6 i9) i4 i2,0.92238320668128,\
0.117578490431637,0.0763135264223449,0.53999366118093,0.114619469221414,0.0733545052121218,0.537945108035391,\
0.11474835409049,0.0734833900811979,0.538589532380772
(i4 i7 i15) (i2 i11) i8 i18,i4 i8 i17 i11 (i2 i3 i5 i7 i9 i13 i14),0.955836875418683,\
0.601671359995661,0.310498723372055,0.820912519608734,0.584235464666522,0.295503371358027,0.805839323150565,\
0.632087129618464,0.322093781902212,0.833840285843908
(i3 i5 i6 i8 i9),(i1 i6) (i8 i10) i11 i2 (i3 i4),0.946588158477176,\
0.481477824833812,0.23269613702392,0.802226864320287,0.456505385192971,0.207870074991659,0.77813269033093,\
0.482684075039396,0.233899573241503,0.804576609682389
(i4 i14) i10 i9 i16 i1 (i11 i21) i7,(i4 i7 i9 i10 i14 i16) i21 (i1 i11) (i3 i6 i17 i18),0.980350757903177,\
0.95731778452095,0.350742506261885,0.95731778452095,0.939619367902257,0.336112285552834,0.939619367902257,\
0.96333114711547,0.35963910728389,0.96333114711547
(i1 i3 i6 i11 i15) i17 (i5 i8),(i1 i2 i3 i4 i5 i6 i7 i8 i9 i10 i11 i12),0.966485585840186,\
0.647993254615828,0.307897712904381,0.853885398258049,0.56593642947334,0.250532359019861,0.795583602856033,\
0.658581961799868,0.315458973083789,0.861496368240528
"""


@pytest.mark.parametrize("line", PUBLISHED.strip().splitlines())
def test_cases_that_corsi_and_urbano_publish(line: str) -> None:
    first, second, p, *expected = line.split(",")
    groups = [[group.strip("()").split() for group in re.findall(r"\([^)]+\)|\S+", text)] for text in (first, second)]
    found: list[float] = []
    for ties in VARIANTS:
        bounds = rbo(one((groups[0], groups[1])), p=float(p), ties=ties)
        found += [*bounds.value, *bounds.min, *bounds.max]
    assert found == pytest.approx(list(map(float, expected)), abs=1e-14)


def truncated(pairing: Pairing, p: float, depth: int, *, padded: bool = False) -> float:
    """The sum down to some depth; with overlaps divided by depths even where a ranking has ended, where `padded`."""
    d = np.arange(1, depth + 1)
    agreed = agreements(pairing, depth)[0]
    if padded:
        sizes = np.minimum(d, pairing.first.lengths) + np.minimum(d, pairing.second.lengths)
        agreed = agreed * sizes / (2 * d)
    return float((agreed * p ** (d - 1)).sum() * (1 - p))


def test_golden_values_of_other_tools() -> None:
    records = [entry for entry in of_two_rankings() if entry["tool"] in ("rbo", "repro_eval")]
    explained = 0
    for record in records:
        if record["metric"].startswith("KTU"):
            continue  # correlates positions in the alphabet: B77
        pairing = one((record["x"], record["y"]))
        short = max(1, int(pairing.short[0]))
        p = float(re.findall(r"p=([\d.]+)", record["metric"])[0])
        match record["metric"].split("(")[0], record["tool"]:
            case "rbo_ext", "rbo":
                found = float(rbo(pairing, p=p).value[0])
            case "rbo", "rbo" if "ext=True" in record["metric"]:
                found = float(rbo(pairing, p=p, k=short).value[0])  # both cut to the shorter one: Eq. 23
            case "rbo", "rbo" if "average overlap" in record["metric"]:
                found = float(average_overlap(pairing)[0])
            case "rbo", "rbo":
                found = truncated(pairing, p, short)
            case "RBO", "repro_eval":  # B78: divided by the weight of all depths, and lists seem to go on
                depth = int(re.findall(r"depth=(\d+)", record["metric"])[0])
                found = truncated(pairing, p, depth, padded=True) / (1 - p**depth)
            case other:
                pytest.fail(f"a new kind of record: {other}")
        assert found == pytest.approx(record["value"], abs=NEAR), record
        explained += 1
    assert explained == 96


def test_published_values_of_rank_biased_alignment() -> None:
    # rbstar's own tests quote the table of the paper: ten documents against themselves, next ones swapped, and reversed
    ten = [str(place) for place in range(1, 11)]
    swapped = [ten[place ^ 1] for place in range(10)]
    for p, expected in ((0.6, 0.99), (0.7, 0.97), (0.8, 0.89)):
        assert rba(one((ten, ten)), p=p).min == pytest.approx([expected], abs=0.005)
    assert rba(one((ten, swapped)), p=0.8).min == pytest.approx([0.887], abs=0.0005)
    # each of five pairs adds sqrt(w w') twice; ten documents at mean rank 5.5 in reverse
    pairs_of = math.fsum(2 * 0.2 * 0.8 ** (2 * place + 0.5) for place in range(5))
    assert rba(one((ten, swapped)), p=0.8).min == pytest.approx([pairs_of], abs=NEAR)
    assert rba(one((ten, ten[::-1])), p=0.8).min == pytest.approx([10 * 0.2 * 0.8**4.5], abs=NEAR)


def test_one_result_holds_all_four_numbers() -> None:
    found = rbo(drawn(queries=4, documents=10, ties=True))
    assert isinstance(found, Bounded)
    assert np.array_equal(found.res, found.max - found.min)
    with pytest.raises(AttributeError, match="cannot assign"):
        found.value = found.min  # type: ignore[misc]
