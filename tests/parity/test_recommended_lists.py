"""Values of random lists are those that LensKit, implicit and MTEB before 2.18.19 gave for them."""

import gzip
import json
import math
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import pytest

import rankworth as rw
from live import recommended_lists as live

RECORDED: Final = json.loads(
    gzip.decompress((Path(__file__).parents[1] / "data" / "recommended_lists.json.gz").read_bytes())
)
PROFILES: Final = {"lenskit": "lenskit-2025", "implicit": "implicit-0.7", "mteb": "mteb-2.18"}
UNITS: Final = {"lenskit": 3, "implicit": 2, "mteb": 0}
"""of the last place: LensKit multiplies by log(2) / log(rank), or by exp(log(p) * (rank - 1)), where the formula
divides, and adds up with NumPy, pandas its means; implicit adds up shares of the ideal for all users"""
EXACT: Final = ("RecipRank", "Precision", "Recall", "Hit", "AveragePrecision", "map", "precision")
"""measures whose values, if not their means, have the same bits"""
REPEATING: Final = "gain=rating"
"""what LensKit counts otherwise where a list has an item twice, as its profile says"""


def evaluated(collection: live.Collection, measures: Sequence[str], profile: str, **options: Any) -> rw.Values:
    """The values, whatever is warned of; the lists are those of a dict."""
    run = {user: [tuple(pair) for pair in pairs] for user, pairs in collection["lists"].items()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rw.RankworthWarning)
        return rw.evaluate(collection["grades"], run, measures, profile=profile, **options)


def apart(ours: float, theirs: float) -> float:
    """How many units in the last place lie between two numbers."""
    return 0.0 if ours == theirs else abs(ours - theirs) / math.ulp(max(abs(ours), abs(theirs)))


def refused(collection: live.Collection, measure: str, profile: str) -> str:
    """What is said where a measure is refused."""
    with pytest.raises(rw.RankworthError) as caught:
        evaluated(collection, [measure], profile)
    return str(caught.value)


@pytest.mark.parametrize("tool", PROFILES)
def test_values_and_means_are_those_of_the_tool(tool: str) -> None:
    compared, different, refusals = 0, set(), 0
    for collection, by_measure in zip(RECORDED["collections"], RECORDED["values"][tool], strict=True):
        left_out = [name for name in by_measure if REPEATING in name and "repeated" in collection["traits"]]
        left_out += [name for name in by_measure if name.startswith(("precision@", "Accuracy@"))]  # tested below
        stopped = {name: values[live.ERROR] for name, values in by_measure.items() if live.ERROR in values}
        for name, error in stopped.items():
            if name.startswith(("Accuracy", "R_cap")) or tool == "lenskit" or name == "mrr_at_10":
                said, kind = refused(collection, name, PROFILES[tool]), error.partition(":")[0]
                assert kind in said or {"unjudged", "nothing relevant"} <= {*collection["traits"]}  # one of two errors
                refusals += 1
        names = [name for name in by_measure if name not in left_out and name not in stopped]
        if not names:
            continue
        found = evaluated(collection, names, PROFILES[tool])
        per_query = found.per_query.to_dict()
        for name in names:
            for user, theirs in by_measure[name].items():
                ours = per_query[user][name] if user != live.MEAN else found[name]
                exact = name.startswith(EXACT) and user != live.MEAN
                assert apart(ours, theirs) <= (0 if exact else UNITS[tool]), (name, user, collection)
                different.add(ours)
                compared += 1
    assert compared > {"lenskit": 30_000, "implicit": 4_000, "mteb": 2_000}[tool]
    assert len(different) > {"lenskit": 2_000, "implicit": 300, "mteb": 150}[tool]
    assert refusals > {"lenskit": 100, "implicit": -1, "mteb": 50}[tool]


def test_precision_of_implicit_is_that_of_a_user_and_of_many_with_weights() -> None:
    compared = 0
    for collection, by_measure in zip(RECORDED["collections"], RECORDED["values"]["implicit"], strict=True):
        likes = live.relevant(collection)
        for cutoff in live.CUTOFFS:
            name = f"precision@{cutoff}"
            for user, theirs in by_measure[name].items():
                if collection["lists"].get(user):
                    assert evaluated(collection, [name], "implicit-0.7", queries=[user])[name] == theirs
                    compared += 1
            weights = {user: float(min(cutoff, len(liked))) for user, liked in likes.items()}
            if "repeated" in collection["traits"]:  # recall above 1, which is refused
                continue
            judged = {**collection, "grades": likes}
            found = evaluated(judged, [f"R(norm=min(k,R), rel=5e-324)@{cutoff}"], "standard-1", weights=weights)
            [mean] = found.mean().values()
            assert mean == pytest.approx(by_measure[name][live.MEAN], rel=1e-15)
            compared += 1
    assert compared > 1_000


def test_precision_of_implicit_over_several_users_is_refused() -> None:
    collection = next(each for each in RECORDED["collections"] if len(live.relevant(each)) > 1)
    assert "which is no mean over users" in refused(collection, "precision@3", "implicit-0.7")


def test_accuracy_of_mteb_lists_the_hits() -> None:
    hits = 0
    for collection, by_measure in zip(RECORDED["collections"], RECORDED["values"]["mteb"], strict=True):
        for name, values in by_measure.items():
            if not name.startswith("Accuracy") or live.ERROR in values:
                continue
            found = [each[name] for each in evaluated(collection, [name], "mteb-2.18").per_query.to_dict().values()]
            assert [value for value in found if value is not None] == list(values.values())
            hits += len(values)
    assert hits > 100


def test_equal_scores_in_mteb_stay_as_they_came_before_2_18_19_and_are_ordered_by_ids_since() -> None:
    run = {"q": {"a": 1.0, "b": 1.0}}
    for document, before, since in (("a", 1.0, 0.5), ("b", 0.5, 1.0)):
        qrels = {"q": {document: 1}}
        values = [rw.evaluate(qrels, run, ["mrr_at_10"], profile=name)["mrr_at_10"] for name in ("mteb-2.18", "mteb")]
        assert values == [before, since]
        assert rw.evaluate(qrels, run, ["map_at_10"], profile="mteb-2.18")["map_at_10"] == since


@pytest.mark.parametrize("tool", PROFILES)
def test_profiles_name_the_versions_that_were_run(tool: str) -> None:
    assert RECORDED["versions"][tool] == rw.PROFILES[PROFILES[tool]].version


def test_recorded_collections_are_those_that_are_drawn_and_have_every_trait() -> None:
    drawn = json.loads(json.dumps(live.collections()))
    assert drawn == RECORDED["collections"]
    for trait in live.TRAITS:
        assert sum(trait in collection["traits"] for collection in drawn) >= 10
    lists = [pairs for collection in drawn for pairs in collection["lists"].values()]
    assert sum(len({score for _, score in pairs}) < len(pairs) for pairs in lists) >= 100
