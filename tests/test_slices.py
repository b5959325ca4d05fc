"""Slices: groups, weights and macro means, held to sums that are written out and to evaluations of the same queries."""

import csv
import hashlib
import io
import json
import math
import re
import warnings
from collections.abc import Callable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import rankworth as rw
from generators import QUERIES, Grades, Scores, as_options, collections
from rankworth import cli, demonstration
from rankworth.errors import RankworthError
from rankworth.groups import NONE, Groups, Slices, Weights
from rankworth.io import query_texts
from rankworth.profiles import STANDARD, Signature, refuse_differences
from rankworth.scoring.intervals import bootstrap

MEASURES: Final = ("nDCG@3", "RR", "R", "gmean(AP)", "NumRel")
MEANS: Final = MEASURES[:-1]
QRELS: Final[Grades] = {"q1": {"a": 1, "b": 0}, "q2": {"a": 1, "b": 1}, "q3": {"a": 1}, "q4": {"a": 0}}
RUN: Final[Scores] = {"q1": {"b": 2.0, "a": 1.0}, "q2": {"a": 2.0}, "q4": {"a": 1.0}}
ROWS: Final[list[dict[str, Any]]] = [
    {"qid": "q1", "text": "red shoes", "language": "en", "traffic": 30, "year": 2019},
    {"qid": "q2", "text": "أحذية", "language": "ar", "traffic": 10, "year": 2024},
    {"qid": "q3", "text": "boots", "language": "en", "traffic": 50, "year": 2019},
    {"qid": "q4", "text": "قبعة", "language": "ar", "traffic": 10, "year": 2019},
]
few = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
weighing = st.fixed_dictionaries({query: st.integers(0, 5) for query in QUERIES})
grouping = st.fixed_dictionaries({query: st.sampled_from(("ar", "en", "العربية", "10")) for query in QUERIES})


def values(qrels: object, run: object, measures: Any = MEASURES, **said: Any) -> rw.Values:
    """What comes out, whatever is warned of."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rw.RankworthWarning)
        return rw.evaluate(qrels, run, measures, **as_options(said))


def anything(qrels: object, run: object, **said: Any) -> rw.Values | RankworthError:
    """What comes out, or the error."""
    try:
        return values(qrels, run, **said)
    except RankworthError as error:
        return error


def same(one: rw.Values, other: rw.Values, *, with_intervals: bool = True) -> bool:
    """The same values and means, bit for bit, and the same intervals but for the order of their sums."""
    assert one.per_query.queries == other.per_query.queries
    assert np.array_equal(one.per_query.array, other.per_query.array, equal_nan=True)
    assert np.array_equal(list(one.mean().values()), list(other.mean().values()), equal_nan=True)
    if with_intervals:
        bounds = [np.array(list(each.interval().values())) for each in (one, other)]
        assert np.allclose(*bounds, rtol=1e-12, atol=1e-15, equal_nan=True)
    return True


def digest(*lines: str) -> str:
    """The digits of a label."""
    return hashlib.sha256("".join(f"{line}\n" for line in lines).encode()).hexdigest()[:8]


def parts_of(collection: Mapping[str, Any], groups: Mapping[str, str], name: str) -> dict[str, Any]:
    """What belongs to a group."""
    return {query: part for query, part in collection.items() if groups[query] == name}


# Laws


@few
@given(collection=collections(), weight=st.sampled_from((1, 0.1, 3, 1e-300, 7e307)))
def test_weights_that_are_all_alike_change_nothing(collection: tuple[Grades, Scores], weight: float) -> None:
    for said in ({}, {"missing": "skip"}, {"missing": "absent"}, {"divisor": "judged"}, {"undefined": "nan"}):
        plain = values(*collection, **said)
        assert same(values(*collection, weights=dict.fromkeys(QUERIES, weight), **said), plain)


@few
@given(collection=collections(), weights=weighing)
def test_whole_weights_are_queries_that_are_asked_as_often(
    collection: tuple[Grades, Scores], weights: dict[str, int]
) -> None:
    qrels, run = collection
    assume(any(weights[query] for query in qrels) and any(weights[query] for query in qrels if query in run))
    found = values(qrels, run, MEANS, weights=weights)
    again = {f"{query} {copy}": query for query in QUERIES for copy in range(weights[query])}
    copies = [{name: each[query] for name, query in again.items() if query in each} for each in (qrels, run)]
    repeated = values(*copies, MEANS)
    for place, measure in enumerate(MEANS):
        assert found[measure] == pytest.approx(repeated[measure], rel=1e-13, abs=0)
        column = repeated.per_query.array[:, place]
        if not measure.startswith("gmean"):
            assert found[measure] == pytest.approx(math.fsum(column) / len(column), rel=1e-15, abs=0)


@few
@given(collection=collections(), weights=weighing)
def test_a_weighted_mean_is_that_of_exact_fractions(collection: tuple[Grades, Scores], weights: dict[str, int]) -> None:
    found = anything(*collection, weights=weights)
    assume(isinstance(found, rw.Values))
    rows = dict(zip(found.per_query.queries, found.per_query.array[:, 1].tolist(), strict=True))
    total = sum(Fraction(weights[query]) * Fraction(value) for query, value in rows.items())
    assert found["RR"] == pytest.approx(float(total / sum(weights[query] for query in rows)), rel=1e-15, abs=0)


@few
@given(collection=collections(), weights=weighing, power=st.integers(-60, 60))
def test_the_unit_of_weights_does_not_matter(
    collection: tuple[Grades, Scores], weights: dict[str, int], power: int
) -> None:
    found = anything(*collection, weights=weights)
    assume(isinstance(found, rw.Values))
    scaled = {query: weight * 2.0**power for query, weight in weights.items()}
    assert same(values(*collection, weights=scaled), found)


@few
@given(collection=collections())
def test_a_macro_mean_of_one_group_is_the_mean(collection: tuple[Grades, Scores]) -> None:
    for said in ({}, {"missing": "skip"}, {"missing": "absent"}, {"divisor": "judged"}, {"undefined": "skip"}):
        plain = values(*collection, **said)
        assert same(values(*collection, macro=dict.fromkeys(QUERIES, "all"), **said), plain)


@few
@given(collection=collections(), groups=grouping)
def test_a_macro_mean_is_the_mean_of_the_means_of_its_groups(
    collection: tuple[Grades, Scores], groups: dict[str, str]
) -> None:
    found = values(*collection, macro=groups, by=groups)
    for measure in ("nDCG@3", "RR", "R"):
        means = [part[measure] for part in found.slices.values()]
        assert found[measure] == pytest.approx(math.fsum(means) / len(means), rel=1e-15, abs=0)
    logarithms = [math.log(part["gmean(AP)"]) for part in found.slices.values()]
    assert found["gmean(AP)"] == pytest.approx(math.exp(math.fsum(logarithms) / len(logarithms)), rel=1e-12)


@few
@given(
    collection=collections(),
    groups=grouping,
    said=st.fixed_dictionaries(
        {},
        optional={
            "missing": st.sampled_from(("zero", "nought", "nan", "skip", "absent")),
            "extra": st.sampled_from(("ignore", "zero")),
            "undefined": st.sampled_from((0.0, 1.0, "nan", "skip")),
            "nan": st.sampled_from(("propagate", "zero", "skip")),
            "divisor": st.sampled_from(("rows", "judged", "run")),
            "no_hit": st.sampled_from(("keep", "nan", "skip")),
            "no_relevant": st.sampled_from(("keep", "skip", 0.5)),
            "weights": weighing,
            "macro": grouping,
        },
    ),
)
def test_the_values_of_a_group_are_those_of_an_evaluation_of_its_queries_alone(
    collection: tuple[Grades, Scores], groups: dict[str, str], said: dict[str, Any]
) -> None:
    found = anything(*collection, by=groups, **said)
    assume(isinstance(found, rw.Values))
    assert same(found, values(*collection, **said), with_intervals=False)
    refused = set()
    for name, part in found.slices.items():
        alone = anything(*(parts_of(each, groups, name) for each in collection), **said)
        if isinstance(alone, RankworthError):
            refused.add(alone.slug)
        else:
            assert same(part, alone)
            assert (part.signature, part.signatures) == (alone.signature, alone.signatures)
            assert part.counts[:4] == alone.counts[:4]
    assert refused <= {"no-common-queries", "bad-weight", "empty-input"}


@few
@given(collection=collections(), groups=grouping)
def test_the_means_of_groups_add_up_to_that_of_all(collection: tuple[Grades, Scores], groups: dict[str, str]) -> None:
    for said in ({}, {"missing": "skip"}):
        found = values(*collection, by=groups, **said)
        assert sum(part.counts.scored for part in found.slices.values()) == found.counts.scored
        for measure in ("nDCG@3", "RR", "R"):
            total = math.fsum(part.counts.scored * part[measure] for part in found.slices.values())
            assert found[measure] == pytest.approx(total / found.counts.scored, rel=1e-14, abs=0)
        assert sum(part["NumRel"] for part in found.slices.values()) == found["NumRel"]


@few
@given(collection=collections(), rows=st.permutations(QUERIES), weights=weighing, groups=grouping)
def test_the_order_of_the_table_does_not_matter(
    collection: tuple[Grades, Scores], rows: list[str], weights: dict[str, int], groups: dict[str, str]
) -> None:
    found = []
    for order in (QUERIES, rows):
        table = {query: {"text": query, "traffic": weights[query], "language": groups[query]} for query in order}
        found.append(anything(*collection, table=table, by="language", weights="traffic", macro="language"))
    assume(isinstance(found[0], rw.Values))
    assert same(*found)
    assert found[0].signatures == found[1].signatures
    assert list(found[0].slices) == list(found[1].slices)


# Groups


def test_groups_have_their_means_counts_and_query_sets() -> None:
    found = values(QRELS, RUN, ["RR", "NumRel"], table=ROWS, by="language")
    assert found.mean() == values(QRELS, RUN, ["RR", "NumRel"]).mean()
    assert found.signature == values(QRELS, RUN, ["RR", "NumRel"]).signature
    assert {name: part.mean() for name, part in found.slices.items()} == {
        "ar": {"RR": (1 + 0) / 2, "NumRel": 2 + 0},
        "en": {"RR": (1 / 2 + 0) / 2, "NumRel": 1 + 1},
    }
    english = found.slices["en"]
    assert english.per_query.queries == ["q1", "q3"]
    assert (english.counts.judged, english.counts.scored, english.counts.unanswered) == (2, 2, 1)
    assert (
        Signature.parse(english.signature).queries
        == f"2-{hashlib.sha256(b'q1' + chr(10).encode() + b'q3').hexdigest()[:8]}"
    )
    assert english.slices == {}
    assert values(QRELS, RUN).slices == {}


@pytest.mark.parametrize(
    ("given", "order"),
    [
        ({"q1": "en", "q2": "ar", "q3": "العربية", "q4": "EN"}, ["EN", "ar", "en", "العربية"]),
        ({"q1": 10, "q2": 9, "q3": 2.5, "q4": -1}, ["-1", "2.5", "9", "10"]),
        ({"q1": "10", "q2": "9", "q3": "9"}, ["10", "9", NONE]),
        ({"q1": True, "q2": None, "q3": math.nan, "q4": ""}, ["True", NONE]),
        (
            {"q1": ("b", 10), "q2": ("b", 9), "q3": ("a", None), "q4": (None, None)},
            ["a / (none)", "b / 9", "b / 10", NONE],
        ),
    ],
)
def test_groups_stand_in_the_order_of_their_names_and_what_is_not_known_last(
    given: dict[str, Any], order: list[str]
) -> None:
    found = values(QRELS, RUN, "RR", by=given)
    assert list(found.slices) == order
    assert sorted(query for part in found.slices.values() for query in part.per_query.queries) == sorted(QRELS)


def test_several_columns_are_crossed() -> None:
    found = values(QRELS, RUN, "RR", table=ROWS, by=["language", "year"])
    assert {name: part.per_query.queries for name, part in found.slices.items()} == {
        "ar / 2019": ["q4"],
        "ar / 2024": ["q2"],
        "en / 2019": ["q1", "q3"],
    }
    macro = values(QRELS, RUN, "RR", table=ROWS, macro=["language", "year"])
    assert macro["RR"] == (0 + 1 + (1 / 2 + 0) / 2) / 3
    assert "|macro:language / year-" in macro.signature


def test_a_group_of_absent_queries_counts_as_its_queries_do() -> None:
    by = {"q1": "a", "q2": "a", "q3": "b", "q4": "a"}
    assert list(values(QRELS, RUN, "RR", by=by, missing="skip").slices) == ["a"]
    found = values(QRELS, RUN, "RR", by=by, missing="absent")
    assert {name: (part["RR"], part.counts.scored) for name, part in found.slices.items()} == {
        "a": ((1 / 2 + 1 + 0) / 3, 3),
        "b": (0, 0),
    }


def test_a_group_without_weight_has_no_mean() -> None:
    weights = {"q1": 0, "q2": 1, "q3": 0, "q4": 2}
    found = values(QRELS, RUN, ["RR", "NumRel"], table=ROWS, by="language", weights=weights)
    assert found["RR"] == (1 + 2 * 0) / (1 + 2) == found.slices["ar"]["RR"]
    assert math.isnan(found.slices["en"]["RR"])
    assert math.isnan(found.slices["en"].interval()["RR"].low)
    assert found.slices["en"]["NumRel"] == 1 + 1


@pytest.mark.parametrize(("setting", "mean"), [("error", math.nan), ("nan", math.nan), ("zero", 0.0)])
def test_a_group_of_which_no_value_is_left_is_no_error(setting: Any, mean: float) -> None:
    by = {"q1": "a", "q2": "a", "q3": "a", "q4": "b"}
    found = values(QRELS, RUN, ["R", "RR"], by=by, undefined="skip", no_queries=setting)
    assert found.slices["b"]["R"] == pytest.approx(mean, nan_ok=True)
    assert found.slices["b"]["RR"] == 0.0


def test_frames_have_a_row_for_each_group_and_the_group_of_each_query() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rw.RankworthWarning)
        table = rw.evaluate_runs(QRELS, {"one": RUN, "two": RUN}, ["RR"], table=ROWS, by="language")
    assert table.to_frame().rows() == [
        (run, *row)
        for run in ("one", "two")
        for row in (("(all)", 4, (1 / 2 + 1 + 0 + 0) / 4), ("ar", 2, (1 + 0) / 2), ("en", 2, (1 / 2 + 0) / 2))
    ]
    assert table.to_frame().columns == ["run", "group", "queries", "RR"]
    assert table["one"].per_query.to_frame().rows() == [
        ("q1", "en", 1 / 2),
        ("q2", "ar", 1.0),
        ("q3", "en", 0.0),
        ("q4", "ar", 0.0),
    ]
    assert values(QRELS, RUN, "RR").per_query.to_frame().columns == ["query", "RR"]


# Weights


@pytest.mark.parametrize(
    "table",
    [
        ROWS,
        pl.DataFrame(ROWS),
        {row["qid"]: {"text": row["text"], "traffic": row["traffic"]} for row in ROWS},
        query_texts.queries(ROWS),
    ],
    ids=["rows", "frame", "dict", "table"],
)
def test_tables_come_through_every_door(table: object) -> None:
    weighted = (30 * (1 / 2) + 10 * 1 + 50 * 0 + 10 * 0) / (30 + 10 + 50 + 10)
    assert values(QRELS, RUN, "RR", table=table, weights="traffic")["RR"] == weighted
    assert values(QRELS, RUN, "RR", weights={row["qid"]: row["traffic"] for row in ROWS})["RR"] == weighted


def test_tables_come_from_files(tmp_path: Path) -> None:
    path = tmp_path / "queries.tsv"
    lines = ["qid\ttext\tlanguage\ttraffic", *(f"{row['qid']}\t{row['text']}\ten\t{row['traffic']}" for row in ROWS)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    found = values(QRELS, RUN, "RR", table=path, weights="traffic", by="language")
    assert found["RR"] == (30 * (1 / 2) + 10 * 1) / 100
    assert list(found.slices) == ["en"]


def test_a_query_of_weight_0_does_not_count_whatever_its_value_is() -> None:
    weights = {"q1": 1, "q2": 1, "q3": 1, "q4": 0}
    found = values(QRELS, RUN, "R", weights=weights, undefined="nan")
    assert found["R"] == (1 + 1 / 2 + 0) / 3
    assert math.isnan(found.per_query.to_dict()["q4"]["R"])
    assert not math.isnan(found.interval()["R"].low)
    assert math.isnan(values(QRELS, RUN, "R", weights=weights | {"q4": 1e-9}, undefined="nan")["R"])


def test_weights_beyond_all_sums_have_means() -> None:
    large = {"q1": 1.7e308, "q2": 1.7e308, "q3": 0.85e308, "q4": 0}
    assert values(QRELS, RUN, "RR", weights=large)["RR"] == pytest.approx((1 / 2 + 1) / 2.5, rel=1e-15)
    small = {"q1": 5e-324, "q2": 1e-323, "q3": 0, "q4": 0}
    assert values(QRELS, RUN, "RR", weights=small)["RR"] == pytest.approx((1 / 2 + 2 * 1) / 3, rel=1e-15)


def test_weights_and_groups_hold_for_every_profile() -> None:
    said: dict[str, Any] = {"missing": "zero", "no_queries": "nan", "weights": {"q1": 3, "q2": 1, "q3": 0, "q4": 0}}
    found = rw.evaluate_profiles(
        QRELS, RUN, ["RR"], profiles=["standard-1", "ranx-0.3"], by={"q1": "a", "q2": "b"}, **as_options(said)
    )
    for one in found.values():
        assert isinstance(one, rw.Values)
        assert one["RR"] == (3 / 2 + 1) / 4
        assert list(one.slices) == ["a", "b", NONE]


def test_the_sentence_says_what_means_are_weighted_by() -> None:
    found = values(QRELS, RUN, ["RR", "NumRel"], table=ROWS, weights="traffic", macro="language", by="year")
    [sheet] = (
        rw.evaluate_runs(
            *(QRELS, {"one": RUN}, ["RR", "NumRel"]), table=ROWS, weights="traffic", macro="language", by="year"
        ).sheets()
        if found
        else []
    )
    assert sheet.notes[0].endswith("; means weighted by traffic; macro means by language")
    assert "groups: year" in sheet.notes
    assert "NumRel: a sum, without weights and groups" in sheet.notes


# Intervals


def test_intervals_of_weighted_means_are_as_wide_as_their_error() -> None:
    """Its first approximation is the root of sum(w^2 (v - mean)^2) over sum(w)."""
    generator = np.random.default_rng(7)
    column, weights = generator.random(400), generator.integers(1, 30, 400).astype(float)
    low, high = bootstrap(column, weights, np.zeros(400))
    mean = (weights * column).sum() / weights.sum()
    error = math.sqrt((weights**2 * (column - mean) ** 2).sum()) / weights.sum()
    assert low < mean < high
    assert high - low == pytest.approx(2 * 1.959964 * error, rel=0.04)


def test_intervals_of_macro_means_are_as_wide_as_their_error() -> None:
    """Groups are drawn from one by one: the variances of their means add up, over the square of their number."""
    generator = np.random.default_rng(7)
    groups = np.repeat([0, 1, 2], [300, 80, 40])
    column = generator.random(420) * (1 + groups)
    low, high = bootstrap(column, np.ones(420), groups)
    parts = [column[groups == group] for group in range(3)]
    error = math.sqrt(sum(part.var() / len(part) for part in parts)) / 3
    assert low < np.mean([part.mean() for part in parts]) < high
    assert high - low == pytest.approx(2 * 1.959964 * error, rel=0.04)


@pytest.mark.parametrize("grouped", [False, True])
def test_intervals_cover_the_mean_as_often_as_they_say(*, grouped: bool) -> None:
    generator = np.random.default_rng(11)
    groups = np.repeat([0, 1], [20, 40])
    weights = np.tile([1.0, 2.0, 4.0], 20)
    covered = 0
    for seed in range(300):
        column = generator.beta(2, 2, 60) + groups
        low, high = bootstrap(column, weights, groups * grouped, level=0.9, resamples=499, seed=seed)
        truth = (0.5 + 1.5) / 2 if grouped else 0.5 + (weights * groups).sum() / weights.sum()
        covered += bool(low <= truth <= high)
    assert 0.85 <= covered / 300 <= (0.95 if grouped else 1.0)  # groups that are not drawn alone spread more


def test_intervals_are_those_of_the_means() -> None:
    qrels: Grades = {f"q{number:02}": {"a": 1, "b": number % 2} for number in range(30)}
    run: Scores = {query: {"a": 1.0, "b": float(number % 3), "c": 1.5} for number, query in enumerate(qrels)}
    said: dict[str, Any] = {
        "weights": {query: 1 + number % 7 for number, query in enumerate(qrels)},
        "macro": {query: "ab"[number % 5 > 2] for number, query in enumerate(qrels)},
    }
    for some in ({"weights": said["weights"]}, {"macro": said["macro"]}, said):
        found = values(qrels, run, ["AP", "nDCG", "gmean(RR)", "NumRel"], **some)
        bounds = found.interval(level=0.9)
        for measure in ("AP", "nDCG", "gmean(RR)"):
            assert bounds[measure].low < found[measure] < bounds[measure].high
            alone = values(qrels, run, [measure], **some).interval(level=0.9)
            assert alone[measure] == bounds[measure]
        assert math.isnan(bounds["NumRel"].low)
        assert found.interval(level=0.9)["AP"] == bounds["AP"]
        assert found.interval(level=0.9, seed=1)["AP"] != bounds["AP"]


def test_a_group_with_one_query_tells_nothing_of_its_spread() -> None:
    column, alone = np.array([0.1, 0.5, 0.9]), np.zeros(3)
    assert np.isnan(bootstrap(column, np.ones(3), np.array([0, 0, 1]))).all()
    assert np.isnan(bootstrap(column, np.array([1.0, 0.0, 0.0]), alone)).all()
    assert np.isnan(bootstrap(np.array([math.nan, 0.5, 0.9]), np.array([1.0, 2.0, 3.0]), alone)).all()
    assert bootstrap(np.array([0.5, 0.5, 1.0, 1.0]), np.ones(4), np.array([0, 0, 1, 1])) == (0.75, 0.75)


# Signatures


def test_signatures_tell_the_column_and_what_stood_there_for_the_queries_that_count() -> None:
    found = values(QRELS, RUN, ["RR", "R"], table=ROWS, weights="traffic", macro="language", undefined="skip")
    told = Signature.parse(found.signature)
    assert told.settings["weights"] == f"traffic-{digest('q1	30.0', 'q2	10.0', 'q3	50.0', 'q4	10.0')}"
    assert told.settings["macro"] == f"language-{digest('q1	en', 'q2	ar', 'q3	en', 'q4	ar')}"
    recall = Signature.parse(found.signatures["R"])
    assert recall.settings["weights"] == f"traffic-{digest('q1	30.0', 'q2	10.0', 'q3	50.0')}"
    for line in (found.signature, *found.signatures.values()):
        assert str(Signature.parse(line)) == line
        assert str(Signature.parse(line).profile().data.weights) == Signature.parse(line).settings["weights"]


def test_other_weights_make_another_number_and_those_of_other_queries_do_not() -> None:
    weights = {row["qid"]: row["traffic"] for row in ROWS}
    one = values(QRELS, RUN, "RR", weights=weights)
    refuse_differences(one.signature, values(QRELS, RUN, "RR", weights=weights | {"q5": 7}).signature)
    other = values(QRELS, RUN, "RR", weights=weights | {"q1": 31})
    with pytest.raises(rw.UsageError, match=r"weights is given-\w{8} and given-\w{8} ") as caught:
        refuse_differences(one.signature, other.signature)
    assert caught.value.slug == "not-comparable"
    with pytest.raises(rw.UsageError, match=r"weights is given-\w{8} and None"):
        refuse_differences(one.signature, values(QRELS, RUN, "RR").signature)
    macro = values(QRELS, RUN, "RR", macro=dict.fromkeys(QRELS, "a"))
    with pytest.raises(rw.UsageError, match=r"macro is None and given-\w{8}"):
        refuse_differences(values(QRELS, RUN, "RR").signature, macro.signature)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("a|b", "a%7Cb"),
        ("100 %", "100 %25"),
        ("two words", "two words"),
        ("لغة", "لغة"),
        ("a-b-12345678", "a-b-12345678"),
        ("line\nend", "line%0Aend"),
        ("\u202e", "%E2%80%AE"),
        (" x ", " x "),
    ],
)
def test_signatures_hold_columns_of_every_name(name: str, told: str) -> None:
    table = [row | {name: row["traffic"]} for row in ROWS]
    found = values(QRELS, RUN, "RR", table=table, weights=name, macro=name, by=name)
    read = Signature.parse(found.signature)
    assert str(read) == found.signature
    assert [read.settings[one].rpartition("-")[0] for one in ("weights", "macro")] == [told, told]
    assert read.profile().data.weights == Weights.of({row["qid"]: row["traffic"] for row in ROWS}, name)
    assert found.by is not None
    assert found.by.name == told


def test_a_signature_tells_that_there_were_weights_and_not_what_they_were() -> None:
    told = Signature.parse(values(QRELS, RUN, "RR", weights=dict.fromkeys(QRELS, 2)).signature)
    with pytest.raises(rw.UsageError, match="tells which weights there were, not what they are") as caught:
        values(QRELS, RUN, "RR", profile=told.profile())
    assert caught.value.slug == "unknown-setting"
    for line in ("weights:traffic", "macro:-12345678", "weights:traffic-123"):
        with pytest.raises(rw.UsageError) as caught:
            Signature.parse(f"profile:standard-1|{line}|queries:1-c75de8c1|rankworth:0.1.0")
        assert caught.value.slug == "bad-signature"


def test_a_profile_may_have_weights_of_its_own() -> None:
    mine = STANDARD.derive(weights={"q1": 3, "q2": 1, "q3": 0, "q4": 0})
    assert values(QRELS, RUN, "RR", profile=mine)["RR"] == (3 / 2 + 1) / 4
    assert hash(mine.data) == hash(STANDARD.derive(weights={"q4": 0, "q2": 1, "q1": 3.0, "q3": 0}).data)


# What is refused


def bad(said: dict[str, Any]) -> RankworthError:
    """The error."""
    with pytest.raises(RankworthError) as caught:
        values(QRELS, RUN, "RR", **said)
    return caught.value


@pytest.mark.parametrize(
    ("said", "slug", "text"),
    [
        ({"table": ROWS, "by": "langauge"}, "frame-columns", "there is no column langauge; the columns are language"),
        ({"table": ROWS, "weights": "trafic"}, "frame-columns", "was traffic meant?"),
        (
            {"table": ROWS, "weights": "language"},
            "bad-weight",
            "a finite number from 0, and there is en for q1, ar for",
        ),
        ({"weights": {"q1": -1, "q2": 2}}, "bad-weight", "a weight is a finite number from 0, and there is -1 for q1"),
        ({"weights": {"q1": math.inf}}, "bad-weight", "there is inf for q1"),
        ({"weights": {"q1": math.nan}}, "bad-weight", "there is nan for q1"),
        ({"weights": {"q1": "3"}}, "bad-weight", "there is 3 for q1"),
        ({"weights": dict.fromkeys(QRELS, 0)}, "bad-weight", "weights: all 4 scored queries have the weight 0"),
        (
            {"table": ROWS, "macro": "language", "weights": {"q1": 0, "q2": 1, "q3": 0, "q4": 1}},
            *("bad-weight", "all 2 scored queries of the group en have the weight 0"),
        ),
        ({"weights": {"q1": 1, "q2": None}}, "missing-value", "3 of 4 scored queries have no weight: q2 q3 q4"),
        ({"table": ROWS[:2], "macro": "language"}, "missing-value", "2 of 4 scored queries have no group: q3 q4"),
        (
            {"table": ROWS[:2], "macro": "language"},
            "missing-value",
            "leave them out: queries=[...]",
        ),
        ({"by": {"q5": "a"}}, "missing-value", "4 of 4 scored queries have no group: q1 q2 q3 ..."),
        ({"weights": {"Q1": 3, "Q2": 1}}, "missing-value", "queries that have one: Q1 Q2; give each of them one"),
        ({"table": ROWS}, "conflicting-options", "no column of it is asked for"),
        ({"weights": "traffic"}, "unknown-setting", "names a column, and there is no table of queries to find it in"),
        ({"by": ["language"]}, "unknown-setting", "by='language' names a column"),
        ({"weights": 3}, "unknown-setting", "weights=3: weights is a number for each query: {query: number}"),
        ({"macro": 3}, "unknown-setting", "macro=3: macro is a group for each query: {query: group}"),
        ({"table": [*ROWS, ROWS[0] | {"traffic": 7}], "weights": "traffic"}, "input-type", "query q1 is there again"),
        ({"table": "nowhere.tsv", "by": "language"}, "missing-file", "nowhere.tsv"),
    ],
)
def test_what_makes_no_groups_and_no_weights_is_refused(said: dict[str, Any], slug: str, text: str) -> None:
    error = bad(said)
    assert error.slug == slug
    assert text in str(error)


def test_queries_that_do_not_count_need_no_weight() -> None:
    assert values(QRELS, RUN, "RR", missing="skip", weights={"q1": 1, "q2": 1, "q4": 2})["RR"] == (1 / 2 + 1) / 4
    assert values(QRELS, RUN, "NumRel", weights={"q1": 1})["NumRel"] == 1 + 2 + 1
    assert bad({"missing": "absent", "weights": {"q1": 1, "q2": 1, "q4": 2}}).slug == "missing-value"


def test_slices_can_be_used_alone() -> None:
    slices = Slices.of(ROWS, by="language", weights="traffic", macro=["language", "year"])
    assert slices.by is not None
    assert slices.weights is not None
    assert slices.macro is not None
    assert slices.weights.array(["q3", "q1"]).tolist() == [50.0, 30.0]
    names, places = slices.by.parts(["q3", "q9", "q2"])
    assert (names, places.tolist()) == (["ar", "en", NONE], [1, 2, 0])
    assert slices.macro.name == "language / year"
    assert Slices.of() == Slices()
    assert Slices.of(by=[]) == Slices()
    with pytest.raises(rw.InputError, match="1 of 2 scored queries have no group: q9"):
        slices.macro.parts(["q1", "q9"], strict=True)


def test_groups_and_weights_are_equal_where_their_label_is() -> None:
    assert Weights.of({"q1": 1, "q2": 2}) == Weights.of({"q2": 2.0, "q1": 1.0, "q3": None})
    assert Weights.of({"q1": 1}) != Weights.of({"q1": 2})
    assert Weights.of({"q1": 1}) != Weights.of({"q1": 1}, "traffic")
    assert Groups.of({"q1": 1}) == Groups.bare(Groups.of({"q1": 1}).label)


# On the command line


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the collection that comes with rankworth."""
    monkeypatch.chdir(tmp_path)
    demonstration.write(tmp_path)
    lines = (tmp_path / "queries.tsv").read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in lines]
    arabic = {"language": "لغة", "ar": "العربية", "en": "الإنجليزية"}
    told = [
        [*row[:1], row[3], arabic[row[1]], str(number % 9 if number else "traffic")] for number, row in enumerate(rows)
    ]
    (tmp_path / "told.tsv").write_text("".join("\t".join(row) + "\n" for row in told), encoding="utf-8")
    return tmp_path


Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def command(folder: Path, capsys: pytest.CaptureFixture[str]) -> Command:
    """The command, with what it gives and says."""
    assert folder.is_dir()

    def run(*arguments: str) -> tuple[int, str, str]:
        status = cli.main(["evaluate", "qrels.txt", "bm25.run", "dense.run", "-m", "AP", "NumRel", *arguments])
        return status, *capsys.readouterr()

    return run


BY: Final = ("--queries", "told.tsv", "--by", "لغة")


def test_the_table_has_a_row_for_each_group(command: Command) -> None:
    status, out, _ = command(*BY, "-f", "table")
    assert status == 0
    assert max(map(len, out.splitlines())) <= 80
    rows = [line.split() for line in out.splitlines()[2:8]]
    assert [row[:3] for row in rows] == [
        [run, *group]
        for run in ("bm25", "dense")
        for group in (["(all)", "108"], ["الإنجليزية", "74"], ["العربية", "34"])
    ]
    assert "groups: لغة" in out
    assert "\x1b[1m" not in out


@pytest.mark.parametrize("form", ["csv", "tsv", "jsonl", "parquet", "json", "md", "latex", "html"])
def test_every_form_has_the_groups(command: Command, folder: Path, form: str) -> None:
    suffix = {"latex": "tex"}.get(form, form)
    assert command(*BY, "--weights", "traffic", "-o", f"out.{suffix}")[0] == 0
    means = values(
        folder / "qrels.txt", folder / "dense.run", "AP", table=folder / "told.tsv", by="لغة", weights="traffic"
    )
    path = folder / f"out.{suffix}"
    text = "" if form == "parquet" else path.read_text(encoding="utf-8")
    if form == "json":
        groups = json.loads(text)["runs"][1]["groups"]
        assert json.loads(text)["by"] == "لغة"
        assert {name: group["mean"]["AP"] for name, group in groups.items()} == {
            name: part["AP"] for name, part in means.slices.items()
        }
        assert groups["العربية"]["queries"] == 34
        assert groups["العربية"]["signature"] == means.slices["العربية"].signature
        return
    expected = [means["AP"], *(part["AP"] for part in means.slices.values())]
    if form == "parquet":
        rows = pl.read_parquet(path).to_dicts()
    elif form == "jsonl":
        rows = [json.loads(line) for line in text.splitlines()]
    elif form in ("csv", "tsv"):
        rows = list(csv.DictReader(io.StringIO(text), delimiter="\t" if form == "tsv" else ","))
    else:
        assert all(f"{mean:.4f}" in text for mean in expected)
        assert text.count("العربية") == 2
        assert "traffic" in text
        return
    assert [float(row["AP"]) for row in rows[3:]] == expected
    assert [row["group"] for row in rows] == ["(all)", *means.slices] * 2
    assert [int(row["queries"]) for row in rows] == [108, 74, 34] * 2


def test_each_query_has_its_group(command: Command) -> None:
    status, out, _ = command(*BY, "-q", "-f", "csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert status == 0
    assert {row["group"] for row in rows if row["query"].startswith("ar")} == {"العربية"}
    assert len(rows) == 2 * 108


def test_intervals_are_those_of_groups(command: Command, folder: Path) -> None:
    status, out, _ = command(*BY, "--interval", "--level", "0.9", "-f", "csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    measures = ["AP", "NumRel"]
    found = values(folder / "qrels.txt", folder / "dense.run", measures, table=folder / "told.tsv", by="لغة")
    part = found.slices["العربية"]
    assert status == 0
    assert float(rows[5]["AP.low"]) == part.interval(level=0.9)["AP"].low
    told = json.loads(command(*BY, "--interval", "--level", "0.9", "--macro", "لغة", "-f", "json")[1])
    assert told["interval"]["method"] == "BCa bootstrap over queries within groups"
    low = told["runs"][1]["groups"]["العربية"]["interval"]["AP"]["low"]
    assert low == pytest.approx(part.interval(level=0.9)["AP"].low, rel=1e-12)


def test_columns_of_the_table_may_have_other_names(command: Command, folder: Path) -> None:
    text = (folder / "told.tsv").read_text(encoding="utf-8").replace("query\ttext", "nr\twords", 1)
    (folder / "odd.tsv").write_text(text, encoding="utf-8")
    status, out, _ = command("--queries", "odd.tsv", "--columns", "query=nr", "text=words", "--by", "لغة", "-f", "csv")
    assert status == 0
    assert out == command(*BY, "-f", "csv")[1]


@pytest.mark.parametrize(
    ("arguments", "slug", "text"),
    [
        (("--by", "language"), "unknown-setting", "there is no table of queries to find it in"),
        (("--queries", "told.tsv"), "conflicting-options", "a table of queries is given, and no column of it"),
        ((*BY, "-f", "trec"), "conflicting-options", "trec_eval prints no groups"),
        ((*BY, "--profile", "standard", "ranx"), "conflicting-options", "are shown side by side, without --by"),
        (("--queries", "told.tsv", "--weights", "trafic"), "frame-columns", "was traffic meant?"),
        (("--queries", "nowhere.tsv", "--weights", "traffic"), "missing-file", "nowhere.tsv"),
        ((*BY, "-o", "told.tsv"), "unwritable-output", "this file is read, so it is not written"),
    ],
)
def test_what_the_command_refuses(command: Command, arguments: tuple[str, ...], slug: str, text: str) -> None:
    status, out, err = command(*arguments)
    assert (status, out) == (2, "")
    assert re.search(rf"\[{slug}\]", err)
    assert text in err


@pytest.mark.usefixtures("folder")
def test_standard_input_is_read_once(capsys: pytest.CaptureFixture[str]) -> None:
    status = cli.main(["evaluate", "qrels.txt", "-", "--queries=-", "--by", "لغة"])
    err = capsys.readouterr().err
    assert status == 2
    assert "[one-stdin]" in err


@pytest.mark.filterwarnings("ignore::rankworth.RankworthWarning")
@pytest.mark.parametrize(
    ("said", "part", "text"),
    [
        ({"weights": {"q1": 0, "q2": 0, "q4": 1}}, ["q1", "q2"], "all 2 compared queries have the weight 0"),
        (
            {"weights": {"q1": 1, "q2": 0, "q4": 1}, "macro": {"q1": "a", "q2": "b", "q4": "b"}},
            *(["q1", "q2"], "all 1 compared queries of a group have the weight 0"),
        ),
    ],
    ids=["no query", "no query of a group"],
)
def test_no_part_of_stored_values_is_compared_in_which_no_query_counts(
    said: dict[str, Any], part: list[str], text: str, tmp_path: Path
) -> None:
    measured = values(QRELS, RUN, ["RR"], missing="skip", **said)
    measured.save(tmp_path / "values.json")
    [loaded] = rw.load(tmp_path / "values.json").values()
    for stored in (measured, loaded):
        with pytest.raises(rw.InputError, match=text):
            rw.compare(None, {"old": stored, "new": stored}, ["RR"], queries=part)
        [whole] = rw.compare(None, {"old": stored, "new": stored}, ["RR"]).differences
        assert whole.first_mean == measured["RR"]
