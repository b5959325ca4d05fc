"""By a profile, matrices have the values that `rankworth.evaluate` gives by the same one."""

import warnings
from typing import Any

import numpy as np
import pytest
import torch
import torchmetrics.functional.retrieval as theirs

import rankworth as rw
from rankworth.errors import RankworthError
from rankworth.tensors import Accumulator, evaluate, prepared

DRAW = np.random.default_rng(7)
SCORES = DRAW.permuted(np.tile(np.arange(1, 13) / 7, (20, 1)), axis=1)
GRADES = DRAW.choice([0.0, 0.0, 1.0, 2.0], SCORES.shape)
GRADES[0] = 0.0
REFUSED = {"cwl_eval-1.0", "ir_measures-0.4-cwl_eval", "ranx-0.3-dict", "scikit-learn-1.9-all"}
REFUSED |= {"catboost-1.2", "catboost-1.2-exp", "nuggetizer"}
"""profiles with settings for all of their measures that a matrix cannot follow"""
EXAMPLES = {"{k}": "5", "{d}": "2", "{rel}": "1", "{p}": "0.8", "{max}": "2"}


def dicts() -> tuple[dict[str, dict[str, float]], dict[str, dict[str, float]]]:
    """Judgements and run, which some tools take as it stands."""
    qrels: dict[str, dict[str, float]] = {}
    run: dict[str, dict[str, float]] = {}
    for query, (scores, grades) in enumerate(zip(SCORES.tolist(), GRADES.tolist(), strict=True), start=100):
        documents = [f"d{column:03}" for column in range(len(scores))]
        qrels[str(query)] = dict(zip(documents, grades, strict=True))
        run[str(query)] = dict(sorted(zip(documents, scores, strict=True), key=lambda pair: -pair[1]))
    return qrels, run


def names(profile: str) -> list[str]:
    """The names of a tool's measures with numbers for blanks, those with other blanks left out."""
    filled = []
    for rule in (each for each in rw.PROFILES[profile].rules if not each.of_items):
        name = rule.name
        for blank, number in EXAMPLES.items():
            name = name.replace(blank, number)
        filled += [name] if "{" not in name else []
    return filled


@pytest.mark.parametrize("profile", [name for name in rw.PROFILES if names(name)])
def test_values_are_those_of_the_profile(profile: str) -> None:
    qrels, run = dicts()
    followed = 0
    for name in names(profile):
        [resolved] = rw.PROFILES[profile].ask([name])
        decimals = resolved.averaging.round_values
        try:
            settled = prepared([name], profile=profile)
        except RankworthError:
            continue
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", rw.RankworthWarning)
                expected = rw.evaluate(qrels, run, [name], profile=profile).per_query.to_dict()
        except RankworthError as refusal:
            with pytest.raises(RankworthError, match=refusal.slug):
                settled(SCORES, GRADES)
            continue
        [values] = settled(SCORES, GRADES).values()
        there = [int(query) - 100 for query in expected]
        numbers = [value for row in expected.values() for value in row.values()]
        tolerance = 1e-12 if decimals is None else 0.51 * 10.0**-decimals
        np.testing.assert_allclose(values[there], numbers, atol=tolerance, rtol=1e-12, err_msg=name)
        followed += 1
    assert bool(followed) == (profile not in REFUSED)


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("retrieval_average_precision(top_k=3)", lambda *pair: theirs.retrieval_average_precision(*pair, top_k=3)),
        ("retrieval_normalized_dcg(top_k=3)", lambda *pair: theirs.retrieval_normalized_dcg(*pair, top_k=3)),
        ("retrieval_precision(top_k=3)", lambda *pair: theirs.retrieval_precision(*pair, top_k=3)),
        ("retrieval_reciprocal_rank", theirs.retrieval_reciprocal_rank),
        ("retrieval_fall_out(top_k=3)", lambda *pair: theirs.retrieval_fall_out(*pair, top_k=3)),
    ],
)
def test_values_are_those_of_torchmetrics(name: str, function: Any) -> None:
    scores, grades = torch.tensor(SCORES - 1).float(), torch.tensor(GRADES > 0).long()
    values = evaluate(scores, grades, [name], profile="torchmetrics")[name]
    expected = [function(*pair) for pair in zip(scores, grades, strict=True)]
    assert values.tolist() == pytest.approx([float(value) for value in expected], abs=1e-6)


@pytest.mark.parametrize(
    ("settings", "grades", "measure", "value"),
    [
        ({"undefined": 1.0}, [0, 0, 0], "R", 1.0),
        ({"no_relevant": 0.5}, [0, 0, 0], "P@1", 0.5),
        ({"grades": "truncated"}, [0.9, 0, 1.9], "P@1", 0.0),
        ({"negative": "zero"}, [-1, 0, 1], "P(judged_only=True)@2", 0.0),
        ({"unjudged": "removed"}, [np.nan, np.nan, 1], "RR", 1.0),
        ({"quirks": {"pool": "retrieved"}}, [0, 1, 1], "R@2", 1 / 2),
    ],
)
def test_settings_that_a_profile_may_have(settings: Any, grades: list[float], measure: str, value: float) -> None:
    quirks = settings.pop("quirks", {})
    profile = rw.PROFILES["standard"].derive(**settings, **quirks)
    found = evaluate(np.array([[3.0, 2.0, 1.0]]), np.array([grades]), [measure], profile=profile, check=False)
    assert found[measure].tolist() == [value]


def test_measures_of_one_call_have_conventions_of_their_own() -> None:
    measures = ["retrieval_normalized_dcg", "retrieval_hit_rate(top_k=1)"]  # the first one shares the weights of ties
    tied = torch.ones((1, 2)), torch.tensor([[0, 1]])
    values = evaluate(*tied, measures, profile="torchmetrics", check=False)
    assert values[measures[0]].item() == pytest.approx((1 + 1 / np.log2(3)) / 2)
    assert values[measures[1]].item() == 0.0  # by column
    means = Accumulator(measures, profile="torchmetrics")
    means.update(*tied, check=False)
    assert means.compute() == values.mean()
    with pytest.raises(RankworthError, match="conflicting-options"):
        means.merge(Accumulator(measures, profile="torchmetrics", ties="order"))


def test_what_a_caller_says_is_stronger_than_the_profile() -> None:
    tied = torch.ones((1, 2)), torch.tensor([[0, 1]])
    name = "retrieval_normalized_dcg"
    assert evaluate(*tied, [name], profile="torchmetrics", ties="order")[name].item() == pytest.approx(1 / np.log2(3))


def test_unknown_profiles_are_refused() -> None:
    with pytest.raises(RankworthError, match="unknown-setting"):
        prepared(["RR"], profile="torchmetric-9")


def test_a_query_of_which_no_judgement_counts_is_left_out_and_short_rows_are_refused() -> None:
    labels, scores = np.array([[1.0], [0.0]]), np.array([[0.5], [0.5]])
    for profile in ("replay-0.22", "rectools-0.19", "recommenders-1.2"):
        run = {"0": {"d": 0.5}, "1": {"d": 0.5}}
        expected = rw.evaluate({"0": {"d": 1}, "1": {"d": 0}}, run, ["P@1"], profile=profile)["P@1"]
        assert evaluate(scores, labels, ["P@1"], profile=profile).mean()["P@1"] == expected == 1
    with pytest.raises(RankworthError, match="fewer than 2 documents"):
        evaluate(scores, labels, ["ndcg_score"], profile="scikit-learn-1.9")
