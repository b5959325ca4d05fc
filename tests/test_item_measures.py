"""Measures of items and of whole runs: laws over random catalogues, arithmetic, refusals, and the ways data come in."""

import itertools
import math
import pickle
import random
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse
import scipy.stats
from hypothesis import example, given, settings
from hypothesis import strategies as st

import rankworth as rw
from rankworth.measures import ITEM_MEASURES
from rankworth.recommended import Recommended, RunCounts, WholeValue
from rankworth.settings import VALUES

ITEMS: Final = tuple("abcdefgh")
USERS: Final = ("u1", "u2", "u3", "u4")
VARIANTS: Final = (
    *("SelfInformation@2", "SelfInformation(of=interactions, cold=zero, norm=k)@3", "SelfInformation(cold=dropped)"),
    *("SelfInformation(scale=share)@3", "ARP@2", "ARP(of=users, scale=max, cold=dropped)@3", "ARP(scale=quantile)"),
    *(
        "ARP(scale=share, norm=k)@2",
        "Unseen@2",
        "Unseen(no_items=1, no_history=undefined)@3",
        "Unseen(users=history)@3",
        "ILD(of=group)@3",
    ),
    *("ILD(of=genres, single=1)@2", "ILD(of=vector, unknown=0)", "ILD(of=vector, distance=euclidean, norm=n)@3"),
    *("ILD(of=history, unknown=1, single=0)@3", "Unexpectedness@2", "Unexpectedness(norm=k-common, no_expected=0)@3"),
    *("Serendipity@3", "Serendipity(by=history, rel=2)@2", "AWRF(group=group)@3"),
    *("AWRF(group=genres, target=even, attention=rbp, p=0.5)", "AWRF(group=group, attention=dcg, base=e)@2"),
)
"""measures of each user, with all their parameters"""
WHOLE: Final = (
    *("Coverage@2", "Coverage(of=history, beyond=counted)@3", "Gini@2", "Gini(of=history, norm=n-1)", "Entropy@2"),
    *("Gini(attention=log)@3", "Gini(attention=rbp, over=shown)@3", "Gini(attention=dcg, norm=n-1)@3"),
    *("Gini(over=shown, norm=n-1)@3", "Entropy(of=history, beyond=counted, scale=bits)@3", "Entropy(scale=nats/shown)"),
    *("EEL(group=group)@2", "EEL(group=genres, target=relevant)@3", "EED(group=group, attention=rbp)@3"),
    *("EER(group=group, target='x:1 y:3')@2",),
)
"""measures of all users together"""
EVERY: Final = (*VARIANTS, *WHOLE)
TIES: Final = VALUES["ties"].words
quiet = pytest.mark.filterwarnings("ignore")


class Catalogue:
    """Judgements, a run and data about items, drawn at random; an item is in no table, some users in no history."""

    def __init__(self, seed: int, *, ties: bool = False) -> None:
        """Draw it."""
        draw = np.random.default_rng(seed)
        self.history = {
            user: [str(item) for item in draw.choice(ITEMS[:6], int(draw.integers(1, 5)))]
            for user in (*USERS[:3], "u9", "u8")
        }
        self.items = {
            item: {
                "group": str(draw.choice(["x", "y"])),
                "genres": [str(genre) for genre in draw.choice(["p", "q", "r"], 2)],
                "vector": draw.normal(size=3).tolist(),
            }
            for item in ITEMS[:7]
        }
        self.items |= {"a": self.items["a"] | {"group": "x"}, "b": self.items["b"] | {"group": "y"}}
        scores = (
            (lambda size: draw.integers(0, 3, size).astype(float)) if ties else (lambda size: -np.arange(1.0 * size))
        )
        self.run: dict[str, dict[str, float]] = {}
        for user in USERS:
            shown = [str(item) for item in draw.permutation(ITEMS)[: int(draw.integers(1, 6))]]
            self.run[user] = dict(zip(shown, scores(len(shown)).tolist(), strict=True))
        self.qrels = {
            user: {str(item): int(draw.integers(0, 3)) for item in draw.choice(ITEMS, 3, replace=False)}
            for user in USERS
        }
        self.expected = {user: [str(item) for item in draw.permutation(ITEMS)[:3]] for user in USERS[1:]}

    @property
    def data(self) -> dict[str, Any]:
        """The keywords of a call."""
        return {"history": self.history, "items": self.items, "expected_run": self.expected}

    def evaluate(self, measures: Any = EVERY, **rest: Any) -> rw.Values:
        """Evaluate the run."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", rw.RankworthWarning)
            return rw.evaluate(self.qrels, self.run, measures, **{**self.data, **rest})


def test_every_measure_is_tried() -> None:
    spans = {"SpanR", "SpanP", "SpanIoU", "SpanLength", "SpanPieces"}  # test_span_measures.py tries them
    leaks = {"Leak", "LeakRank", "CostToFirst", "CostToAll"}  # test_leaks.py and test_cost.py try them
    assert {rw.parse(text).name for text in EVERY} == set(ITEM_MEASURES) - leaks - spans
    assert {name for name, measure in ITEM_MEASURES.items() if measure.definition.of_run} == {
        rw.parse(text).name for text in WHOLE
    }


@settings(max_examples=20)
@given(seed=st.integers(0, 10**6), ties=st.booleans())
def test_values_are_the_same_from_dicts_frames_files_and_rows(seed: int, ties: bool, tmp_path_factory: Any) -> None:
    drawn = Catalogue(seed, ties=ties)
    expected = drawn.evaluate()
    rows = [(user, item, score) for user, scores in drawn.run.items() for item, score in scores.items()]
    history = [(user, item) for user, items in drawn.history.items() for item in items]
    frames = {
        "history": pl.DataFrame(history, schema=["user", "item"], orient="row"),
        "items": pl.DataFrame([{"item_id": item, **cells} for item, cells in drawn.items.items()]),
        "expected_run": pd.DataFrame(
            [(user, item, -rank) for user, items in drawn.expected.items() for rank, item in enumerate(items)],
            columns=["user", "item", "score"],
        ),
    }
    folder: Path = tmp_path_factory.mktemp("items")
    frames["history"].write_csv(folder / "train.csv")
    frames["items"].write_parquet(folder / "items.parquet")
    frames["expected_run"].to_csv(folder / "popular.csv", index=False)
    paths = {"history": folder / "train.csv", "items": folder / "items.parquet", "expected_run": folder / "popular.csv"}
    run = pl.DataFrame(rows, schema=["query", "document", "score"], orient="row")
    for data in (frames, paths):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", rw.RankworthWarning)
            found = rw.evaluate(drawn.qrels, run, EVERY, **data)
        assert found.per_query == replace(expected.per_query, id_kinds=found.per_query.id_kinds)
        assert found.mean() == expected.mean()
        assert {part for part in str(found.signature).split("|") if "history" in part} == {
            part for part in str(expected.signature).split("|") if "history" in part
        }


@settings(max_examples=25)
@given(seed=st.integers(0, 10**6))
def test_means_are_within_the_range_and_those_of_queries(seed: int) -> None:
    drawn = Catalogue(seed)
    values = drawn.evaluate()
    for text, mean in values.mean().items():
        low, high = rw.parse(text).range
        assert np.isnan(mean) or low - 1e-12 <= mean <= high + 1e-12, text
        column = np.array([row[text] for row in values.per_query.to_dict().values() if text in row])
        if text in WHOLE:
            assert np.isnan(column).all(), text
        else:
            assert np.isclose(np.mean(column), mean, rtol=1e-12, atol=1e-12, equal_nan=True), text
    assert pickle.loads(pickle.dumps(values)) == values


@settings(max_examples=25)
@given(seed=st.integers(0, 10**6))
def test_the_jackknife_leaves_each_user_out(seed: int) -> None:
    drawn, level, size = Catalogue(seed), 0.05, len(USERS)
    values = drawn.evaluate(WHOLE)
    for text, end in values.interval(level=level).items():
        without = np.array(
            [drawn.evaluate([text], queries=[user for user in USERS if user != left])[text] for left in USERS]
        )
        if not np.isnan([values[text], *without]).any():
            error = np.sqrt((size - 1) / size * ((without - without.mean()) ** 2).sum())
            widest = scipy.stats.t.ppf((1 + level) / 2, size - 1) * error
            half = max(values[text] - end.low, end.high - values[text])  # one end may be that of the range
            if text.startswith("Coverage"):  # whose interval knows how few items may be missed
                assert end.low <= values[text] <= end.high
                continue
            assert (widest > 1e-12) * 1e-15 <= half <= widest * (1 + 1e-9) + 1e-12, text


@settings(max_examples=15)
@given(seed=st.integers(0, 10**6))
def test_groups_are_evaluated_alone(seed: int) -> None:
    drawn = Catalogue(seed)
    groups = dict(zip(USERS, ("m", "f", "m", "f"), strict=True))
    values = drawn.evaluate(by=groups)
    for group in ("m", "f"):
        alone = drawn.evaluate(queries=[user for user in USERS if groups[user] == group])
        assert np.allclose(
            list(values.slices[group].mean().values()), list(alone.mean().values()), rtol=1e-12, equal_nan=True
        )


@settings(max_examples=10)
@given(seed=st.integers(0, 10**6))
@example(seed=185_232)  # of which an expected item is beyond the cutoff of its list
def test_bounds_hold_every_order_of_ties(seed: int) -> None:
    drawn = Catalogue(seed, ties=True)
    measures = [text for text in VARIANTS if "Serendipity" not in text]
    bounds = drawn.evaluate(measures, bounds="ties").bounds
    assert bounds is not None
    for user in USERS[:2]:
        by_score: dict[float, list[str]] = {}
        for item, score in sorted(drawn.run[user].items(), key=lambda pair: -pair[1]):
            by_score.setdefault(score, []).append(item)
        values: dict[str, list[float]] = {text: [] for text in measures}
        for orders in itertools.product(*(itertools.permutations(items) for items in by_score.values())):
            run = {**drawn.run, user: [item for items in orders for item in items]}
            lists = {name: list(items) if name != user else items for name, items in run.items()}
            alone = Catalogue(seed, ties=True)
            alone.run = lists  # type: ignore[assignment]
            row = alone.evaluate(measures, queries=[user]).per_query.to_dict()[user]
            for text in measures:
                values[text].append(row[text])
        for text in measures:
            ends = bounds.per_query(text)[user]
            if np.isnan(values[text]).any() or np.isnan([ends.low, ends.high]).any():
                continue
            assert np.allclose([min(values[text]), max(values[text])], [ends.low, ends.high], atol=1e-12), text


@settings(max_examples=10)
@given(seed=st.integers(0, 10**6))
def test_contributions_add_up_to_the_value(seed: int) -> None:
    drawn = Catalogue(seed)
    values = drawn.evaluate(VARIANTS).per_query.to_dict()
    for text in VARIANTS:
        explanation = rw.explain(drawn.qrels, drawn.run, query="u1", measure=text, **drawn.data)
        assert explanation.value == pytest.approx(values["u1"][text], nan_ok=True), text


@quiet
def test_comparison_gates_and_results_files_have_them(tmp_path: Path) -> None:
    drawn, other = Catalogue(1), Catalogue(2)
    runs = {"old": drawn.run, "new": other.run}
    compared = rw.compare(drawn.qrels, runs, EVERY, **drawn.data)
    for row in compared.differences:
        means = [rw.evaluate(drawn.qrels, run, [row.measure], **drawn.data)[row.measure] for run in runs.values()]
        assert row.difference == pytest.approx(means[1] - means[0], abs=1e-12, nan_ok=True), row.measure
    table = rw.evaluate_runs(drawn.qrels, runs, EVERY, **drawn.data)
    table.save(tmp_path / "values.json")
    again = rw.compare(runs=[tmp_path / "values.json"])
    assert [row.difference for row in again.differences] == pytest.approx(
        [row.difference for row in compared.differences], abs=1e-12, nan_ok=True
    )
    grouped = rw.compare(drawn.qrels, runs, ["ARP@2", "Coverage@2"], by=dict.fromkeys(USERS, "all"), **drawn.data)
    assert {row.measure for rows in grouped.slices.values() for row in rows} == {"ARP@2"}


COUNTS: Final = {"u1": ["a", "b"], "u2": ["a", "c"], "u3": ["a", "d"]}
TABLE: Final = {item: {"kind": kind} for item, kind in zip("abcde", "xyxyy", strict=True)}
ARITHMETIC: Final = (
    # a is shown 3 times, b, c, d once, e never
    ("Coverage@2", 4 / 5),
    ("Gini@2", (-4 * 0 - 2 * 1 + 0 * 1 + 2 * 1 + 4 * 3) / (5 * 6)),
    ("Entropy(scale=bits)@2", 0.5 * np.log2(2) + 3 / 6 * np.log2(6)),
    ("EED(attention=even)@2", (4 / 3) ** 2 + (2 / 3) ** 2),  # x: 3 times a and once c
    ("EEL(attention=even, target=even)@2", (4 / 3 - 1) ** 2 + (2 / 3 - 1) ** 2),
    ("EER(attention=even, target=even)@2", 4 / 3 + 2 / 3),
    ("EEL(attention=even, target=items)@2", (4 / 3 - 2 * 2 / 5) ** 2 + (2 / 3 - 2 * 3 / 5) ** 2),
    # u1 and u3 are shown x and y, u2 only x, whose divergence from one half each is that of the docstring
    (
        "AWRF(attention=even, target=even)@2",
        (1 + 1 + (1 - (0.5 * np.log2(4 / 3) + 0.5 * (0.5 * np.log2(2 / 3) + 0.5)) - 0.0)) / 3,
    ),
    ("ILD@2", (1 + 0 + 1) / 3),
)


@quiet
@pytest.mark.parametrize(("text", "expected"), ARITHMETIC)
def test_values_are_the_arithmetic(text: str, expected: float) -> None:
    qrels = {user: {items[0]: 1} for user, items in COUNTS.items()}
    assert rw.evaluate(qrels, COUNTS, [text], items=TABLE)[text] == pytest.approx(expected, abs=1e-12)


REFUSALS: Final[dict[str, tuple[list[str], dict[str, Any], str]]] = {
    "no history": (["ARP@2"], {"items": TABLE}, "missing-input"),
    "no table": (["ILD@2"], {"history": COUNTS}, "missing-input"),
    "no expected run": (["Unexpectedness@2"], {"history": COUNTS}, "missing-input"),
    "no catalogue": (["Coverage@2"], {}, "missing-input"),
    "no such column": (["ILD(of=colour)@2"], {"items": TABLE}, "bad-parameter"),
    "no such group": (["AWRF(target='z:1')@2"], {"items": TABLE}, "bad-parameter"),
    "a distance that does not fit": (["ILD(distance=cosine)@2"], {"items": TABLE}, "bad-parameter"),
    "a parameter without meaning": (["Gini(p=0.5)@2"], {"items": TABLE}, "bad-parameter"),
    "weights": (["Coverage@2"], {"items": TABLE, "weights": dict.fromkeys(COUNTS, 2)}, "conflicting-options"),
    "expected ties": (["Coverage@2"], {"items": TABLE, "ties": "expected"}, "bad-definition"),
    "bounds": (["Coverage@2"], {"items": TABLE, "bounds": "ties"}, "unfollowed-setting"),
    "vectors of several lengths": (["ILD@2"], {"items": {"a": {"v": [1.0]}, "b": {"v": [1.0, 2.0]}}}, "input-type"),
    "an item twice": (["Coverage@2"], {"items": [{"item": "a", "k": "x"}, {"item": "a", "k": "y"}]}, "input-type"),
    "a geometric mean": (["gmean(Coverage@2)"], {"items": TABLE}, "measure-syntax"),
    "no pair": (["ARP@2"], {"history": []}, "empty-input"),
}


@quiet
@pytest.mark.parametrize("case", REFUSALS)
def test_what_is_missing_or_does_not_fit_is_refused(case: str) -> None:
    measures, given_data, slug = REFUSALS[case]
    qrels = {user: {items[0]: 1} for user, items in COUNTS.items()}
    run = {user: dict.fromkeys(items, 1.0) for user, items in COUNTS.items()}
    with pytest.raises(rw.RankworthError) as caught:
        rw.evaluate(qrels, run, measures, **given_data)
    assert slug in caught.value.slugs


@quiet
def test_queries_and_groups_by_measures_of_whole_runs_are_refused_or_left_out() -> None:
    from rankworth.comparison import gates  # noqa: PLC0415 - for one test

    drawn, other = Catalogue(1), Catalogue(2)
    runs, groups = {"old": drawn.run, "new": other.run}, dict.fromkeys(USERS, "all")
    compared = rw.compare(drawn.qrels, runs, ["Coverage@2", "ARP@2"], by=groups, **drawn.data)
    assert "by Coverage" not in str(compared).partition("largest")[2]
    assert compared.wins("Coverage@2") == {"new": (0, 0, 0)}
    assert math.isnan(next(row.win for row in compared.differences if row.measure == "Coverage@2"))
    for gate, when in (("given:Coverage@2=0.1", "mean"), ("Coverage@2=0.1", "any")):
        with pytest.raises(rw.UsageError, match="measured on all queries together"):
            gates.against(compared, [gates.Gate.of("max-drop", gate)], when)
    [verdict] = gates.against(compared, [gates.Gate.of("max-drop", "Coverage@2=0.001")])
    assert verdict.worst == ()


@quiet
@settings(max_examples=15)
@given(seed=st.integers(0, 10**6), name=st.sampled_from(("no_hit", "all_negative", "nan", "undefined", "round_values")))
def test_settings_of_values_do_not_change_measures_of_whole_runs(seed: int, name: str) -> None:
    drawn = Catalogue(seed)
    value = {"no_hit": "skip", "all_negative": "previous", "nan": "zero", "undefined": 1.0, "round_values": 1}[name]
    key = {"quirks": {name: value}} if name in ("no_hit", "all_negative", "nan") else {name: value}
    plain, changed = (drawn.evaluate(WHOLE, **rest).mean() for rest in ({}, key))
    assert np.array_equal(list(plain.values()), list(changed.values()), equal_nan=True)


@quiet
def test_a_user_may_have_no_history() -> None:
    values = rw.evaluate({"u1": {"a": 1}}, {"u1": ["a"]}, ["Unseen@1", "ARP@1"], history={"u1": [], "u2": ["a"]})
    assert values.mean() == {"Unseen@1": 1.0, "ARP@1": 1.0}


HAD: Final = {"u1": ["a", "b"], "u2": ["a"], "u3": ["c"]}
NUMBERS: Final[dict[str, tuple[dict[str, Any], list[str], float]]] = {
    # u1 and u3 have one new item of two; u2, who has a history and no list, counts 1
    "a user without a list": (
        {"run": {"u1": ["a", "c"], "u3": ["c", "d"]}, "history": HAD},
        ["Unseen(no_items=1, no_history=undefined)@2", "Unseen(no_items=1)@2"],
        (0.5 + 1 + 0.5) / 3,
    ),
    # the history of u9, who is not judged, has no list either
    "users of the history": (
        {"run": {"u1": ["a", "c"], "u3": ["c", "d"]}, "history": HAD | {"u9": ["d"]}},
        ["Unseen(users=history, no_items=1)@2"],
        (0.5 + 1 + 0.5 + 1) / 4,
    ),
    "a history of one user": (
        {"run": {"u1": ["a", "x"]}, "history": {"u1": ["a"]}},
        ["SelfInformation"],
        -math.log2(1 / 1),
    ),
    "genres by number": (
        {"run": {"u1": ["a", "b"]}, "items": {"a": {"g": [1, 2]}, "b": {"g": [2, 1]}}},
        ["ILD", "ILD(distance=jaccard)"],
        1 - 2 / 2,
    ),
    "genres by number, of several lengths": (
        {"run": {"u1": ["a", "b"]}, "items": {"a": {"g": [1, 2, 3]}, "b": {"g": [2]}}},
        ["ILD"],
        1 - 1 / 3,
    ),
    "whole numbers as vectors": (
        {"run": {"u1": ["a", "b"]}, "items": {"a": {"g": [1, 2]}, "b": {"g": [2, 1]}}},
        ["ILD(distance=cosine)"],
        1 - (1 * 2 + 2 * 1) / (1 + 4),
    ),
    "titles beside genres": (
        {
            "run": {"u1": ["a", "b", "c"]},
            "items": {i: {"title": i, "genre": g, "v": [0.5, 1.0]} for i, g in zip("abc", "xyy", strict=True)},
        },
        ["ILD(distance=hamming)", "ILD(of=genre)"],
        2 / 3,
    ),
    "groups beside vectors": (
        {"run": {"u1": ["a", "b"]}, "items": {"a": {"g": "x", "v": [0.5]}, "b": {"g": "x", "v": [1.5]}}},
        ["EED(attention=even)@2"],
        2**2,
    ),
    "a single item without a value": (
        {"run": {"u1": ["x"]}, "items": {"a": {"g": "x"}}},
        ["ILD(single=0)", "ILD(single=0)@1"],
        0.0,
    ),
}


@quiet
@pytest.mark.parametrize("case", NUMBERS)
def test_users_lists_and_columns_count_as_the_page_of_the_measure_says(case: str) -> None:
    data, measures, expected = NUMBERS[case]
    qrels = {user: {"a": 1} for user in (HAD if len(data["run"]) > 1 else data["run"])}
    values = rw.evaluate(qrels, measures=measures, **data)
    assert values.mean() == pytest.approx(dict.fromkeys(measures, expected), abs=1e-12)


@quiet
@pytest.mark.parametrize(
    ("profile", "measure", "data"),
    [
        ("recommenders-1.2", "diversity@1", {"history": {"v": ["a"], "w": ["b"]}}),
        ("recommenders-1.2", "serendipity@1", {"history": {"v": ["a"], "w": ["b"]}}),
        ("rectools-0.19", "IntraListDiversity@2", {"run": {"u": ["a", "x"]}, "items": {"a": {"g": "x"}}}),
        ("replay-0.22", "Surprisal@1", {"history": {"v": ["a"]}}),
        ("trectools-0.0.50", "RBP(0.80)@1000", {"run": {"u": ["x"]}, "qrels": {"u": {"a": 0}}}),
    ],
)
def test_a_mean_over_nobody_is_no_number_where_the_tool_gives_none(profile: str, measure: str, data: Any) -> None:
    whole = {"qrels": {"u": {"a": 1}}, "run": {"u": {"a": 1.0}}} | data
    assert math.isnan(rw.evaluate(measures=[measure], profile=profile, **whole)[measure])


def test_lists_of_whole_numbers_that_repeat_ask_which_they_are() -> None:
    items = {"a": {"v": [0, 1, 1]}, "b": {"v": [1, 0, 1]}}
    with pytest.raises(rw.MeasureError, match="categories, or vectors") as caught:
        rw.evaluate({"u1": {"a": 1}}, {"u1": ["a", "b"]}, ["ILD"], items=items)
    ways = caught.value.remedy.removeprefix("write ").split(" or ")
    found = [rw.evaluate({"u1": {"a": 1}}, {"u1": ["a", "b"]}, [f"ILD({way})"], items=items).mean() for way in ways]
    assert [round(next(iter(mean.values())), 12) for mean in found] == [0.0, 0.5, round(math.sqrt(2), 12)]


def _expected_share(scores: dict[str, float], item: str, k: int, ties: str, grades: dict[str, int]) -> float:
    """How much of an item is among the first k of a list, by its definition."""
    if item not in scores:
        return 0.0
    places = list(scores)
    keys = {
        "id-descending": lambda each: -ITEMS.index(each),
        "id-ascending": ITEMS.index,
        "given": places.index,
        "given-reversed": lambda each: -places.index(each),
        "best": lambda each: (-grades.get(each, 0), each not in grades),
        "worst": lambda each: (grades.get(each, 0), each not in grades),
    }
    tied = [each for each, score in scores.items() if score == scores[item]]
    above = sum(score > scores[item] for score in scores.values())
    if ties == "last":
        return float(above + len(tied) <= k)
    if ties == "expected":
        return min(max((k - above) / len(tied), 0.0), 1.0)
    return float(above + sorted(tied, key=keys[ties]).index(item) + 1 <= k)


@quiet
@settings(max_examples=40)
@given(seed=st.integers(0, 10**6), ties=st.sampled_from(TIES), k=st.integers(1, 3))
def test_the_expected_run_is_ranked_by_the_settings_of_the_run(seed: int, ties: Any, k: int) -> None:
    drawn, draw = Catalogue(seed), np.random.default_rng(seed)
    expected = {
        user: {item: float(draw.integers(0, 2)) for item in draw.permutation(ITEMS)[:4].tolist()} for user in USERS[1:]
    }
    grades = {user: {item: 1 + place for place, item in enumerate(items)} for user, items in drawn.expected.items()}
    grades |= {"u1": {"a": 1}}
    run = {user: dict.fromkeys(items, 1.0) for user, items in drawn.run.items()}
    run = {user: {item: -float(rank) for rank, item in enumerate(items)} for user, items in run.items()}
    text = f"Unexpectedness@{k}"
    values = rw.evaluate(grades, run, [text], ties=ties, expected_run=expected).per_query.to_dict()
    for user, scores in run.items():
        shown = list(scores)[:k]
        common = sum(_expected_share(expected.get(user, {}), item, k, ties, grades[user]) for item in shown)
        if ties in ("best", "worst"):  # of unjudged items nothing says which comes first
            judged = {item: score for item, score in expected.get(user, {}).items() if item in grades[user]}
            if judged != expected.get(user, {}):
                continue
        assert values[user][text] == pytest.approx(1 - common / len(shown)), (user, ties)


def test_explanations_of_whole_runs_are_refused() -> None:
    with pytest.raises(rw.MeasureError, match="measured on all queries together"):
        rw.explain({"u1": {"a": 1}}, {"u1": ["a"]}, query="u1", measure="Coverage@2", items=TABLE)


@quiet
@pytest.mark.parametrize(
    "history",
    [
        {0: [0], 1: [0, 1]},
        [(0, 0), (1, 0), (1, 1)],
        pd.DataFrame({"user": [0, 1, 1], "item": [0, 0, 1]}),
        pl.DataFrame({"user_id": ["0", "1", "1"], "item_id": ["0", "0", "1"], "weight": [1.0, 2.0, 3.0]}),
        scipy.sparse.csr_matrix(np.array([[1, 0, 0], [1, 1, 0]])),
        rw.Qrels({"0": {"0": 1}, "1": {"0": 2, "1": 3}}),
        rw.Run({"0": ["0"], "1": ["0", "1"]}),
    ],
    ids=["dict", "pairs", "pandas", "polars", "sparse", "qrels", "run"],
)
def test_histories_of_all_kinds_are_one(history: Any) -> None:
    qrels, run = {"0": {"1": 1}, "1": {"2": 1}}, {"0": ["1", "2"], "1": ["2", "0"]}
    values = rw.evaluate(qrels, run, ["Unseen@2", "ARP@2"], history=history)
    assert values.mean() == {"Unseen@2": 0.75, "ARP@2": (0.5 + 1.0) / 2}


def test_intervals_of_whole_runs_are_as_wide_as_values_vary() -> None:
    draw, measures = np.random.default_rng(0), ["Coverage@4", "Gini@4", "Entropy@4", "EED(group=g)@4"]
    weights, size, users = 1 / np.arange(1, 121) ** 0.8, 120, 100
    items = {f"i{item}": {"g": "xyz"[item % 3]} for item in range(size)}
    means, errors, covered = [], [], []
    for _ in range(60):
        keys = np.log(weights) + draw.gumbel(size=(users, size))
        shown = np.argsort(-keys, axis=1)[:, :4]
        run = {f"u{user}": [f"i{item}" for item in row] for user, row in enumerate(shown.tolist())}
        values = rw.evaluate({user: {shown[0]: 1} for user, shown in run.items()}, run, measures, items=items)
        means.append(list(values.mean().values()))
        both = values.interval().values()
        errors.append([(each.high - each.low) / 2 / scipy.stats.t.ppf(0.975, users - 1) for each in both])
        covered.append([(each.low, each.high) for each in both])
    ratio = np.mean(errors, axis=0) / np.std(means, axis=0, ddof=1)
    assert ((ratio > 0.8) & (ratio < 1.3)).all(), ratio
    expected, ends = np.mean(means, axis=0), np.array(covered)
    shares = ((ends[..., 0] <= expected) & (expected <= ends[..., 1])).mean(axis=0)
    assert (shares >= 0.88).all(), shares  # of 60


@quiet
@pytest.mark.parametrize(("users", "size"), [(200, 100), (150, 100), (60, 40)])
def test_intervals_of_coverage_hold_its_mean_near_its_end(users: int, size: int) -> None:
    draw, items, found = np.random.default_rng(1), {f"i{item}": {} for item in range(size)}, []
    for _ in range(30):
        keys = draw.random((users, size))
        shown = np.argsort(keys, axis=1)[:, :5].tolist()
        run = {f"u{user}": [f"i{item}" for item in row] for user, row in enumerate(shown)}
        values = rw.evaluate({"u0": {run["u0"][0]: 1}}, run, ["Coverage@5"], items=items, extra="zero")
        [end] = values.interval().values()
        found.append((values["Coverage@5"], end.low, end.high))
    expected = 1 - (1 - 5 / size) ** users  # an item is missed by all users, whose lists are drawn at random
    held = [low <= expected <= high for _, low, high in found]
    assert sum(held) >= 27, (expected, found)  # 95 % of 30 are 28.5
    assert all(low <= mean <= high for mean, low, high in found)


@quiet
def test_items_that_are_never_shown_leave_no_doubt() -> None:
    items = {f"i{item}": {} for item in range(20)}
    run = {f"u{user}": [f"i{(user + place) % 16}" for place in range(4)] for user in range(400)}
    values = rw.evaluate({"u0": {"i0": 1}}, run, ["Coverage@4"], items=items, extra="zero")
    [end] = values.interval().values()
    assert (values["Coverage@4"], end.high) == (0.8, 0.8)  # each of the others is shown to 100 users
    assert end.low == pytest.approx(0.8, abs=1e-12)


def test_check_names_users_who_are_shown_their_history() -> None:
    qrels, run = {"u1": {"c": 1}, "u2": {"b": 1}}, {"u1": {"a": 2, "c": 1}, "u2": {"b": 1}}
    [finding] = [
        each
        for each in rw.check(qrels, {"new": run}, ["RR"], history={"u1": ["a"]}).findings
        if each.slug == "seen-items"
    ]
    assert finding.queries == ("u1",)
    assert "25.0 % of the first 10 ranks" in finding.text


@quiet
def test_the_interval_of_weighted_rows_is_that_of_the_jackknife() -> None:
    draw, items, users = random.Random(5), [f"i{number}" for number in range(40)], 40  # noqa: S311 - no secret
    run = {f"u{j}": draw.sample(items if draw.random() < 0.5 else items[:6], 3) for j in range(users)}

    def gini(lists: list[list[str]]) -> float:
        counts = dict.fromkeys(items, 0.0)
        for listed in lists:
            for rank, item in enumerate(listed, 1):
                counts[item] += 1 / math.log2(rank + 1)
        ascending = sorted(counts.values())
        moments = sum((2 * j + 1 - len(ascending)) * x for j, x in enumerate(ascending))
        return moments / (len(ascending) * sum(ascending))

    without = [gini([listed for other, listed in run.items() if other != user]) for user in run]
    error = math.sqrt((users - 1) / users * sum((each - sum(without) / users) ** 2 for each in without))
    values = rw.evaluate(
        {user: {listed[0]: 1} for user, listed in run.items()},
        run,
        ["Gini(attention=log)@3"],
        items={item: {} for item in items},
    )
    [ends] = values.interval().values()
    quantile = 2.0226909200367604  # of t with 39 degrees of freedom, at 0.975: scipy.stats.t.ppf
    assert (ends.high - ends.low) / 2 == pytest.approx(quantile * error, rel=1e-9)


def test_a_measure_of_whole_runs_can_be_defined_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    def rows_shown(shown: Recommended, **_: object) -> RunCounts:
        return RunCounts(shown.user, np.zeros_like(shown.user), np.ones(shown.user.size), shown.n_users, 1)

    def defined(number: float) -> None:
        @rw.measure("Rows", counts=rows_shown, positions="all", range=(0, np.inf))
        def rows(counts: RunCounts) -> WholeValue:
            """A number for each row.

            Rows = number * rows
            """
            return WholeValue(number * float(counts.totals.sum()), np.full(counts.n_users, number))

    for number in (1.0, 2.0):
        defined(number)
        monkeypatch.setitem(ITEM_MEASURES, "Rows", ITEM_MEASURES.pop("Rows"))  # leaves with the test
        assert rw.evaluate({"u1": {"a": 1}}, {"u1": ["a", "b"]}, ["Rows@2"])["Rows@2"] == 2 * number


def test_items_that_all_have_several_categories_are_sets() -> None:
    items = {"a": {"genre": "x|y"}, "b": {"genre": "y|z"}}  # 1 category in common, of 3
    assert rw.evaluate({"u": {"a": 1}}, {"u": ["a", "b"]}, ["ILD@2"], items=items)["ILD@2"] == 1 - 1 / 3
    lists = {item: {"genre": cell["genre"].split("|")} for item, cell in items.items()}
    assert rw.evaluate({"u": {"a": 1}}, {"u": ["a", "b"]}, ["ILD@2"], items=lists)["ILD@2"] == 1 - 1 / 3
