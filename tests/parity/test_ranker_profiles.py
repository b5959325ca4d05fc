"""Values of random groups are those that LightGBM, XGBoost and CatBoost gave for them."""

import gzip
import json
import math
import os
import subprocess
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import pytest

import rankworth as rw
from live import environments, rankers

PROFILES: Final = {"lightgbm": "lightgbm-4", "xgboost": "xgboost-3", "catboost": "catboost-1.2"}
RECORDED: Final = json.loads(gzip.decompress((Path(__file__).parents[1] / "data" / "rankers.json.gz").read_bytes()))
UNWEIGHTED: Final = ("MAP", "RecallAt", "PrecisionAt", "QueryAUC")
"""measures of CatBoost that do not look at weights, as its profile says"""
POOLED: Final = {("lightgbm", "auc")}
"""measures that take the rows of all queries together"""
UNITS: Final = 10
"""of the last place: the tools multiply by one over a discount and over an ideal where the formula divides, and add in
another order; precision, recall, MAP and MRR have the same bits"""
EXACT: Final = ("map", "pre", "MAP", "MRR", "RecallAt", "PrecisionAt")
PRINTED: Final = {"xgboost": 1e-17}
"""the last decimal of those that print a value"""
THOROUGH: Final = "thorough" in os.environ.get("HYPOTHESIS_PROFILE", "")

Rows = dict[str, dict[str, float]]


def collection(groups: list[rankers.Group]) -> tuple[Rows, Rows]:
    """Judgements and a run: each row of a group is a document, and the groups are in the order of their queries."""
    qrels, run = (
        {
            f"q{query:06}": {f"d{row:02}": number for row, number in enumerate(group[key])}
            for query, group in enumerate(groups)
        }
        for key in ("labels", "scores")
    )
    return qrels, run


def evaluated(
    qrels: Rows, run: Rows, measure: str, profile: str, weights: Mapping[str, float] | None = None
) -> rw.Values:
    """The values, whatever is warned of."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rw.RankworthWarning)
        return rw.evaluate(qrels, run, [measure], profile=profile, weights=weights)


def apart(ours: float, theirs: float, tool: str, size: float = 0.0) -> float:
    """How many units in the last place, of the numbers or of `size`, lie between two, beyond what is printed."""
    distance = abs(ours - theirs)
    return 0.0 if distance <= PRINTED.get(tool, 0.0) else distance / math.ulp(max(abs(ours), abs(theirs), size))


def size_of_terms(grades: dict[str, float], scores: dict[str, float]) -> float:
    """The sum of the terms of PFound without their signs: with labels above 1, which are no chances, they cancel."""
    size, reach = 0.0, 1.0
    for document in sorted(scores, key=lambda document: (-scores[document], grades[document])):
        size += abs(grades[document]) * reach
        reach *= abs(1 - grades[document]) * 0.85
    return size


def check(recorded: Mapping[str, Any], tool: str, kind: str, measure: str) -> int:
    """Compare the values of all groups, their mean and their weighted mean; return how many numbers there were."""
    groups, told, profile = recorded["groups"][kind], recorded["tools"][tool][kind][measure], PROFILES[tool]
    qrels, run = collection(groups)
    allowed = 0 if measure.startswith(EXACT) else UNITS
    if (tool, measure) in POOLED:
        for query, theirs in zip(qrels, told["values"], strict=True):
            ours = evaluated({query: qrels[query]}, {query: run[query]}, measure, profile)[measure]
            assert apart(ours, theirs, tool) <= allowed, qrels[query]
        return len(qrels)
    found = evaluated(qrels, run, measure, profile)
    per_query = found.per_query.to_dict()
    for query, theirs in zip(qrels, told["values"], strict=True):
        size = size_of_terms(qrels[query], run[query]) if measure.startswith("PFound") else 0.0
        assert apart(per_query[query][measure], theirs, tool, size) <= allowed, (qrels[query], run[query])
    assert found[measure] == pytest.approx(told["mean"], rel=1e-14)
    each = rankers.row_weights(kind, [len(group["labels"]) for group in groups])
    weights = (
        None if measure.startswith(UNWEIGHTED) else {query: part[0] for query, part in zip(qrels, each, strict=True)}
    )
    assert evaluated(qrels, run, measure, profile, weights)[measure] == pytest.approx(told["weighted"], rel=1e-14)
    return len(qrels) + 2


@pytest.mark.parametrize(
    ("tool", "kind", "measure"),
    [
        (tool, kind, name)
        for tool, by_kind in rankers.MEASURES.items()
        for kind, names in by_kind.items()
        for name in names
    ],
)
def test_values_are_those_of_the_tool(tool: str, kind: str, measure: str) -> None:
    assert check(RECORDED, tool, kind, measure) >= rankers.GROUPS


@pytest.mark.parametrize("tool", PROFILES)
def test_profiles_name_the_versions_that_were_run(tool: str) -> None:
    assert RECORDED["tools"][tool]["version"] == rw.PROFILES[PROFILES[tool]].version


def test_recorded_groups_are_those_that_are_drawn() -> None:
    for kind in rankers.KINDS:
        drawn = rankers.groups(kind)
        assert drawn == RECORDED["groups"][kind]
        sizes = {len(group["labels"]) for group in drawn}
        assert {1, max(rankers.WIDTHS)} <= sizes
        assert sum(max(group["labels"]) <= 0 for group in drawn) >= 10
        assert sum(len(set(group["scores"])) < len(group["scores"]) for group in drawn) >= 10
    assert any(max(group["labels"]) > 20 for group in RECORDED["groups"]["whole"])


def test_other_groups_are_those_of_the_tools_that_are_run_now() -> None:
    """With `scripts/test --thorough` only, as the tools take a while to install."""
    if not THOROUGH:
        return
    if reason := environments.missing("rankers"):
        pytest.fail(f"the tools cannot be run: {reason}", pytrace=False)
    script = Path(rankers.__file__)
    command = [environments.python_of("rankers"), script, "30", "7"]
    done = subprocess.run(command, capture_output=True, check=True)
    told = json.loads(done.stdout)
    compared = sum(check(told, *names) for names in _every(told))
    assert compared > 2000


def _every(told: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    return [
        (tool, kind, name) for tool in told["tools"] for kind in rankers.KINDS for name in told["tools"][tool][kind]
    ]


# What the threads are about: each in a few rows, worked by hand


@pytest.mark.parametrize(
    ("profile", "measure", "expected"),
    [
        ("lightgbm-4", "ndcg@10", (1.0, 0.6309297535714575)),
        ("xgboost-3", "ndcg@10", (1.0, 0.6309297535714575)),
        ("catboost-1.2", "NDCG:top=10", (0.6309297535714575, 0.6309297535714575)),
        ("scikit-learn-1.9", "ndcg_score(k=10)", (0.8154648767857288, 0.8154648767857288)),
    ],
)
def test_equal_scores_stand_as_the_tool_has_them(profile: str, measure: str, expected: tuple[float, float]) -> None:
    """ML.NET 6157 and LightGBM 3363: a constant model, and the order of rows."""
    for labels, value in zip(([1, 0], [0, 1]), expected, strict=True):
        qrels, run = collection([{"labels": labels, "scores": [0.5, 0.5]}])
        assert evaluated(qrels, run, measure, profile)[measure] == pytest.approx(value, rel=1e-15)


@pytest.mark.parametrize(
    ("profile", "measure", "value"),
    [
        *(("lightgbm-4", "ndcg@1", 1.0), ("xgboost-3", "ndcg@1", 1.0), ("xgboost-3", "ndcg@1-", 0.5)),
        *(("xgboost-3-minus", "ndcg@1", 0.5), ("catboost-1.2", "NDCG:top=1", 1.0), ("catboost-1.2", "MAP", 0.5)),
        *(("catboost-1.2", "RecallAt:top=1", 1.0), ("lightgbm-4", "map@1", 1.0), ("standard-1", "nDCG@1", 0.5)),
    ],
)
def test_a_query_without_a_relevant_row_counts_as_the_tool_has_it(profile: str, measure: str, value: float) -> None:
    qrels, run = collection([{"labels": [1, 0], "scores": [2, 1]}, {"labels": [0, 0], "scores": [2, 1]}])
    assert evaluated(qrels, run, measure, profile)[measure] == value


def test_an_ideal_ranking_that_adds_up_to_0_is_reached() -> None:
    qrels, run = collection([{"labels": [1, 0, -2], "scores": [2, 2, 2]}])  # 1 + 0 - 2 / log2(4)
    assert evaluated(qrels, run, "NDCG:top=5", "catboost-1.2")["NDCG:top=5"] == 1.0


@pytest.mark.parametrize(("profile", "name"), [("lightgbm-4", "ndcg@2"), ("xgboost-3", "ndcg@2")])
def test_a_query_without_a_relevant_row_forgets_its_weight(profile: str, name: str) -> None:
    qrels, run = collection(
        [
            {"labels": labels, "scores": scores}
            for labels, scores in (([1, 0], [1, 2]), ([0, 0], [3, 3]), ([0, 1], [1, 2]))
        ]
    )
    weights = dict(zip(qrels, (2.0, 10.0, 2.0), strict=True))
    found = evaluated(qrels, run, name, profile, weights)
    assert found[name] == pytest.approx((2 / math.log2(3) + 1 + 2) / 14, rel=1e-15)
    assert found.per_query.to_dict()["q000001"][name] == 1.0
    right = evaluated(
        qrels, run, "nDCG(gain=exp2)@2", rw.PROFILES[profile].derive(no_relevant_counts="weighted"), weights
    )
    assert right["nDCG(gain=exp2)@2"] == pytest.approx((2 / math.log2(3) + 10 + 2) / 14, rel=1e-15)


def test_a_name_of_xgboost_without_a_cutoff_is_cut_at_32() -> None:
    labels = [0.0] * 40 + [1.0]
    qrels, run = collection([{"labels": labels, "scores": [-float(row) for row in range(41)]}])
    values = {name: evaluated(qrels, run, name, "xgboost-3")[name] for name in ("ndcg", "map", "ndcg@50")}
    assert values["ndcg"] == values["map"] == 0.0 < values["ndcg@50"]


@pytest.mark.parametrize(
    ("profile", "measure", "labels", "said"),
    [
        ("lightgbm-4", "ndcg@3", [1.5, 0], "label should be int type"),
        ("lightgbm-4", "ndcg@3", [-1, 1], "non-negative"),
        ("lightgbm-4", "ndcg@3", [31, 0], "label mappings"),
        ("xgboost-3", "ndcg@3", [1.5, 0], "label_is_integer"),
        ("xgboost-3", "ndcg@3", [32, 0], "at most 31"),
        ("xgboost-3", "map@3", [2, 0], "0 or 1 for map"),
        ("catboost-1.2", "QueryAUC", [2, 0], "segment [0, 1]"),
    ],
)
def test_labels_that_the_tool_refuses_are_refused_in_its_words(
    profile: str, measure: str, labels: list[float], said: str
) -> None:
    with pytest.raises(rw.RankworthError) as caught:
        evaluated(*collection([{"labels": labels, "scores": [2, 1]}]), measure, profile)
    assert said in str(caught.value)
    assert caught.value.slug == "refused-input"


def test_auc_of_lightgbm_is_refused_for_several_queries() -> None:
    qrels, run = collection([{"labels": [1, 0], "scores": [2, 1]}] * 2)
    with pytest.raises(rw.MeasureError, match="takes the rows of all queries as one list"):
        evaluated(qrels, run, "auc", "lightgbm-4")
