"""Measures of items against recommenders' tools, as `tests/live/catalogue.py` recorded them."""

import json
import re
from pathlib import Path
from typing import Any, Final

import pytest

import rankworth as rw

pytestmark = pytest.mark.filterwarnings("ignore:.* of the run; the others count as")  # as in data of many tools

GOLDEN: Final = json.loads((Path(__file__).parents[1] / "golden" / "catalogue.json").read_text())
COUNTED: Final = {"extra": "zero", "missing": "skip", "duplicates": "all"}
"""what recommenders' tools do: users of the recommendations count, with test items or without"""
CATEGORY: Final = (
    "IntraListDiversity(k={k}, distance_calculator=PairwiseHammingDistanceCalculator(category)).calc(reco)"
)
MEASURES: Final[dict[str, dict[str, tuple[str, dict[str, Any]]]]] = {
    "rectools": {
        "MeanInvUserFreq(k={k}).calc(reco, prev_interactions)": ("SelfInformation@{k}", {}),
        CATEGORY: ("ILD(of=category, single=0)@{k}", {"undefined": "skip"}),
        "Serendipity(k={k}).calc(reco, interactions, prev_interactions, catalog=items)": ("Serendipity@{k}", {}),
        "AvgRecPopularity(k={k}, normalize=False).calc(reco, prev_interactions)": ("ARP@{k}", {}),
        "AvgRecPopularity(k={k}, normalize=True).calc(reco, prev_interactions)": ("ARP(scale=share)@{k}", {}),
        "CatalogCoverage(k={k}, normalize=True).calc(reco, catalog=items)": (
            "Coverage(of=items, beyond=counted)@{k}",
            {},
        ),
    },
    "replay": {
        "{polars}: Coverage({k})(recommendations, train)": ("Coverage(of=history)@{k}", {}),
        "{polars}: Novelty({k})(recommendations, train)": (
            "Unseen(no_items=1, no_history=undefined)@{k}",
            {"missing": "zero", "undefined": "skip"},
        ),
        "{polars}: Surprisal({k})(recommendations, train)": ("SelfInformation(scale=share, norm=k)@{k}", {}),
        "{polars}: Unexpectedness({k})(recommendations, base_recommendations=popular_run)": (
            "Unexpectedness(norm=k-common, no_expected=0)@{k}",
            {},
        ),
    },
    "recommenders": {
        "catalog_coverage(train_df, reco_df[:{k}])": ("Coverage(of=history, beyond=counted)@{k}", {}),
        "distributional_coverage(train_df, reco_df[:{k}])": (
            "Entropy(of=history, beyond=counted, scale=bits)@{k}",
            {},
        ),
        "novelty(train_df, reco_df[:{k}])": ("SelfInformation(of=interactions, cold=zero)@{k}", {}),
        "diversity(train_df, reco_df[:{k}])": ("ILD(of=history, unknown=1)@{k}", {"undefined": "skip"}),
        "diversity(train_df, reco_df[:{k}], item_feature_df, item_sim_measure='item_feature_vector')": (
            "ILD(of=vector, unknown=1)@{k}",
            {"undefined": "skip"},
        ),
        "serendipity(train_df, reco_df[:{k}], col_relevance='relevance')": (
            "Serendipity(by=history, no_history=undefined)@{k}",
            {"undefined": "skip"},
        ),
    },
    "lenskit": {
        "ListGini({k}, items=dataset of items)": ("Gini(of=items)@{k}", {}),
        "ListGini({k}, items=dataset of history)": ("Gini(of=history)@{k}", {}),
        "ExposureGini({k}, items=dataset of items)": ("Gini(of=items, attention=rbp)@{k}", {}),
        "ExposureGini({k}, items=dataset of history)": ("Gini(of=history, attention=rbp)@{k}", {}),
        "ExposureGini({k}, items=dataset of items, weight=LogRankWeight(offset=1))": (
            "Gini(of=items, attention=log)@{k}",
            {},
        ),
        "MeanPopRank(dataset of items, n={k}, count='users')": ("ARP(of=users, scale=quantile)@{k}", {}),
        "MeanPopRank(dataset of items, n={k}, count='interactions')": ("ARP(scale=quantile)@{k}", {}),
        "ILS(dataset of items, 'category', n={k})": (
            "ILD(of=category, single=0, unknown=removed)@{k}",
            {"undefined": "skip"},
        ),
        "ILS(dataset of items, 'sparse', n={k})": (
            "ILD(of=vector, single=0, unknown=removed)@{k}",
            {"undefined": "skip"},
        ),
    },
    "evidently": {
        "PopularityBias(k={k}).current_apr": ("ARP(of=users, cold=dropped)@{k}", {"undefined": "skip"}),
        "PopularityBias(k={k}, normalize_arp=True).current_apr": (
            "ARP(of=users, cold=dropped, scale=max)@{k}",
            {"undefined": "skip"},
        ),
        "PopularityBias(k={k}).current_coverage": ("Coverage(of=history)@{k}", {}),
        "PopularityBias(k={k}).current_gini": ("Gini(of=items, over=shown, norm=n-1)@{k}", {}),
        "NoveltyMetric(k={k}).current_value": ("SelfInformation(cold=dropped)@{k}", {"undefined": "skip"}),
        "DiversityMetric(k={k}, item_features=['v1', 'v2', 'v3']).current_value": (
            "ILD(of=vector, norm=n, single=0)@{k}",
            {"undefined": "skip"},
        ),
    },
}
"""by tool and call our measure, and the settings that differ from `COUNTED`"""
OVER_SLOTS: Final = ("novelty(train_df, reco_df[:{k}])",)
"""calls whose mean is over the items of all lists"""
EXCUSED: Final = {
    **{(tool, "twice"): ("",) for tool in ("lenskit", "lenskit-2025", "evidently", "recommenders")},
    ("replay", "twice"): ("Unexpectedness",),
    ("rectools", "unknown"): ("ILD",),
    ("lenskit-2025", "unknown"): ("Gini",),
    ("recommenders", "repeated"): ("ILD(of=history", "Serendipity"),
    ("recommenders", "seen"): ("",),
}
"""measures that a tool has otherwise: it counts an item that is twice in a list, or rows that repeat in a history, in
its own way, leaves out a list of which it knows one item alone, or refuses lists with items of the history"""
SIMILARITY: Final = ("ILS",)
"""calls that give 1 less the measure"""


PROFILES: Final[dict[str, tuple[str, str, dict[str, str]]]] = {
    "rectools": (
        "rectools-0.19",
        "category",
        {
            "MeanInvUserFreq(k={k}).calc(reco, prev_interactions)": "MeanInvUserFreq(k={k})",
            CATEGORY: "IntraListDiversity(k={k})",
            "Serendipity(k={k}).calc(reco, interactions, prev_interactions, catalog=items)": "Serendipity(k={k})",
            "AvgRecPopularity(k={k}, normalize=False).calc(reco, prev_interactions)": "AvgRecPopularity(k={k})",
            "AvgRecPopularity(k={k}, normalize=True).calc(reco, prev_interactions)": (
                "AvgRecPopularity(k={k}, normalize=True)"
            ),
            "CatalogCoverage(k={k}, normalize=True).calc(reco, catalog=items)": (
                "CatalogCoverage(k={k}, normalize=True)"
            ),
        },
    ),
    "replay": (
        "replay-0.22",
        "category",
        {
            "{polars}: Coverage({k})(recommendations, train)": "Coverage@{k}",
            "{polars}: Novelty({k})(recommendations, train)": "Novelty@{k}",
            "{polars}: Surprisal({k})(recommendations, train)": "Surprisal@{k}",
            "{polars}: Unexpectedness({k})(recommendations, base_recommendations=popular_run)": "Unexpectedness@{k}",
        },
    ),
    "recommenders": (
        "recommenders-1.2",
        "category",
        {
            "catalog_coverage(train_df, reco_df[:{k}])": "catalog_coverage@{k}",
            "distributional_coverage(train_df, reco_df[:{k}])": "distributional_coverage@{k}",
            "diversity(train_df, reco_df[:{k}])": "diversity@{k}",
            "serendipity(train_df, reco_df[:{k}], col_relevance='relevance')": "serendipity@{k}",
        },
    ),
    "lenskit-2025": (
        "lenskit-2025",
        "category",
        {
            "ListGini({k}, items=25)": "ListGini(n={k})",
            "MeanPopRank(dataset of items, n={k}, count='users')": "MeanPopRank(n={k})",
        },
    ),
}
"""by tool the profile, the only column of items, and the names that the profile has for calls"""


def inputs_of(data: dict[str, Any], columns: tuple[str, ...] = ("category", "vector")) -> tuple[Any, dict[str, Any]]:
    """Judgements of a data set, and the data about items."""
    qrels: dict[str, dict[str, float]] = {}
    for user, item, grade in data["test"]:
        qrels.setdefault(user, {})[item] = grade
    items = {item: {"category": category, "vector": vector} for item, category, vector in data["items"]}
    return qrels, {
        "history": [(user, item) for user, item, _ in data["history"]],
        "items": {item: {name: cells[name] for name in columns} for item, cells in items.items()},
        "expected_run": data["popular_run"],
    }


@pytest.mark.filterwarnings("ignore:.*all-relevant")
@pytest.mark.parametrize("name", GOLDEN["sets"])
@pytest.mark.parametrize("tool", MEASURES)
def test_values_are_those_of_tools(tool: str, name: str) -> None:
    data = GOLDEN["sets"][name]
    qrels, item_data = inputs_of(data)
    compared = 0
    for entry in GOLDEN["tools"][tool]["values"]:
        k, call = entry["k"], re.sub(r"^(pandas|polars):", "{polars}:", entry["measure"])
        key = next((each for each in MEASURES[tool] if each.replace("{k}", str(k)) == call), None)
        if key is None or entry["set"] != name or entry["value"] is None:
            continue
        text, settings = MEASURES[tool][key]
        if text.startswith(EXCUSED.get((tool, name), ())):
            continue
        text = text.replace("{k}", str(k))
        if key in OVER_SLOTS:
            users = [user for user, *_ in data["run"]]
            settings = {**settings, "weights": {user: min(k, users.count(user)) for user in users}}
        value = rw.evaluate(qrels, data["run"], [text], **{**COUNTED, **settings}, **item_data)[text]
        assert abs((1 - value if call.startswith(SIMILARITY) else value) - entry["value"]) < 1e-12, (text, entry)
        compared += 1
    assert bool(compared) == ("" not in EXCUSED.get((tool, name), ()))


@pytest.mark.filterwarnings("ignore:.*(all-relevant|known-defect)")
@pytest.mark.parametrize("name", GOLDEN["sets"])
@pytest.mark.parametrize("tool", PROFILES)
def test_profiles_give_the_values_of_tools(tool: str, name: str) -> None:
    profile, column, names = PROFILES[tool]
    data = GOLDEN["sets"][name]
    qrels, item_data = inputs_of(data, (column,))
    compared = 0
    for entry in GOLDEN["tools"][tool]["values"]:
        k, call = entry["k"], re.sub(r"^(pandas|polars):", "{polars}:", entry["measure"])
        key = next((each for each in names if each.replace("{k}", str(k)) == call), None)
        if key is None or entry["set"] != name or entry["value"] is None:
            continue
        text = names[key].replace("{k}", str(k))
        ours = str(rw.PROFILES[profile].ask([text])[0].quantity)
        if ours.startswith(EXCUSED.get((tool, name), ())):
            continue
        value = rw.evaluate(qrels, data["run"], [text], profile=profile, duplicates="all", **item_data)[text]
        assert abs(value - entry["value"]) < 1e-12, (text, entry)
        compared += 1
    assert bool(compared) == ("" not in EXCUSED.get((tool, name), ()))
