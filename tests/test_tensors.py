"""Matrices are measured by the definitions of everything else: the same numbers, whatever the library."""

import itertools
from typing import Any

import array_api_strict
import numpy as np
import pytest
import torch
import torchmetrics.functional.retrieval as theirs
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.metrics import ndcg_score

from generators import variants
from matrices import DENSE, LIBRARIES, Collection, plain
from rankworth.measures import CATALOGUE, Measure
from rankworth.names import parse as names
from rankworth.tensors import evaluate, prepared

every_dense = pytest.mark.parametrize("measure", DENSE, ids=str)
few = settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def several(measure: Measure) -> list[Measure]:
    """A measure in all its variants, each once."""
    return list(dict.fromkeys(variants(measure)))


@every_dense
@few
@given(seed=st.integers(0, 10**9), pool=st.booleans())
def test_values_are_those_of_evaluate_bit_for_bit(measure: Measure, seed: int, pool: bool) -> None:
    batch = Collection(seed)
    every = several(measure)
    expected, judged = batch.expected(every, pool=pool)
    for place, variant in enumerate(every):
        found = batch.measured([variant], pool=pool)[judged, 0]
        assert found.tobytes() == expected[:, place].tobytes(), variant


def same(measure: Measure, of: Any, seed: int, *, pool: bool) -> None:
    """All variants, with all documents looked at, and only the first ones."""
    batch = Collection(seed)
    every = several(measure)
    short = [variant for variant in every if prepared([variant]).depths != (None,)]
    for some in filter(None, (every, short)):
        expected, found = (batch.measured(some, one, pool=pool) for one in (np.asarray, of))
        assert (np.abs(found - expected) <= 1e-12 * np.maximum(1, np.abs(expected))).all()


@every_dense
@few
@given(seed=st.integers(0, 10**9), pool=st.booleans())
def test_tensors_have_the_same_values(measure: Measure, seed: int, pool: bool) -> None:
    same(measure, LIBRARIES["torch"], seed, pool=pool)


@every_dense
@settings(max_examples=2, suppress_health_check=[HealthCheck.too_slow])
@given(seed=st.integers(0, 10**9), pool=st.booleans())
def test_the_standard_alone_gives_the_same_values(measure: Measure, seed: int, pool: bool) -> None:
    same(measure, LIBRARIES["strict"], seed, pool=pool)  # which takes half a second


@every_dense
@few
@given(seed=st.integers(0, 10**9), pool=st.booleans())
def test_the_first_documents_are_enough_where_they_are_said_to_be(measure: Measure, seed: int, pool: bool) -> None:
    batch = Collection(seed, wide=True)
    every = several(measure)
    beside = batch.measured([*every, CATALOGUE["CWL_AP"]], pool=pool)  # which looks at all documents
    for place, variant in enumerate(every):
        alone = batch.measured([variant], pool=pool)
        assert alone[:, 0].tobytes() == beside[:, place].tobytes(), variant


def test_most_cutoffs_need_the_first_documents_only() -> None:
    whole = {measure.name for measure in DENSE if not measure.definition.at and None in prepared([measure @ 5]).depths}
    assert whole == {"FallOut"}
    assert prepared(["nDCG@10", "RR@5", "Rprec@7"]).depths == (10, 5, 7)
    beyond = [
        "nDCG(ideal=retrieved)@10",
        "nDCG(gain={1: 3, 2: 1})@10",
        "nDCG(judged_only=True)@10",
        "nDCG(ideal=uncut)@10",
    ]
    assert prepared(beyond).depths == (None, None, None, None)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**9), rel=st.sampled_from([0.5, 1.0, 2.0]), deep=st.booleans())
def test_relevant_documents_without_a_column_count(seed: int, rel: float, deep: bool) -> None:
    batch = Collection(seed)
    draw = np.random.default_rng(seed)
    more = draw.integers(0, 4, batch.scores.shape[0])
    batch.more = np.where(np.arange(4) < more[:, None], rel, np.nan)
    texts = ["nDCG@3", "R@2", "AP@5", "Bpref@3", "Rprec@4", "nERR@2", "IPrec@0.5", "nDCG"][: None if deep else 6]
    measures = list(map(names, texts))
    asked = [measure(rel=rel) if "rel" in measure.parameters else measure for measure in measures]
    expected, judged = batch.expected(asked, pool=True)
    known = batch.mask & (batch.grades >= rel)
    for of in (np.asarray, torch.tensor):
        values = evaluate(
            of(batch.scores),
            of(batch.grades),
            texts,
            mask=of(batch.mask),
            relevant=of(known.sum(axis=1) + more),
            rel=rel,
        )
        found = np.stack([plain(array) for array in values.values()], axis=1)[judged]
        assert np.abs(found - expected).max(initial=0) <= (0 if of is np.asarray else 1e-12)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**9), of=st.sampled_from([np.asarray, torch.tensor, array_api_strict.asarray]))
def test_flat_arrays_with_indexes_are_matrices(seed: int, of: Any) -> None:
    batch = Collection(seed)
    draw = np.random.default_rng(seed)
    rows, columns = np.nonzero(batch.mask)
    shuffled = np.argsort(draw.permutation(batch.scores.shape[0])[rows] + 0.0, kind="stable")  # whole queries move
    rows, columns = rows[shuffled], columns[shuffled]
    flat = {"indexes": of(7 * rows - 3), "judged": of(~np.isnan(batch.grades[rows, columns]))}
    grades = np.nan_to_num(batch.grades[rows, columns])
    values = evaluate(of(batch.scores[rows, columns]), of(grades), ["nDCG@3", "AP", "R@2"], **flat)
    expected = batch.measured([names(text) for text in values], pool=False)
    assert np.asarray(values.indexes).tolist() == (7 * np.arange(batch.scores.shape[0]) - 3).tolist()
    assert np.abs(np.stack([plain(array) for array in values.values()], axis=1) - expected).max() <= 1e-15


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(seed=st.integers(0, 10**9), pool=st.booleans(), device=st.sampled_from(["numpy", *LIBRARIES]))
def test_expected_values_over_ties_are_those_of_evaluate(seed: int, pool: bool, device: str) -> None:
    batch = Collection(seed)
    measures = [measure for measure in DENSE if measure.definition.linear or measure.definition.tied]
    # AUC with a cutoff has no expected value
    measures += [measure @ 3 for measure in measures if not measure.definition.at and measure.name != "AUC"]
    expected, judged = batch.expected(measures, pool=pool, ties="expected")
    of = LIBRARIES.get(device, np.asarray)
    found = batch.measured(measures, of, pool=pool, ties="expected")[judged]
    assert np.abs(found - expected).max(initial=0) <= 1e-12


def test_expected_values_are_means_over_all_orders() -> None:
    scores, grades = np.array([[2.0, 1.0, 2.0, 1.0, 1.0]]), np.array([[0.0, 3.0, 1.0, 0.0, 2.0]])
    texts = ["nDCG@3", "P@2", "RR@4", "AP", "Success@3"]
    orders = [
        [*first, *second] for first in itertools.permutations([0, 2]) for second in itertools.permutations([1, 3, 4])
    ]
    each = [evaluate(np.arange(5.0, 0, -1)[None, :], grades[:, order], texts) for order in orders]
    values = evaluate(scores, grades, texts, ties="expected")
    for text in texts:
        assert values[text][0] == pytest.approx(np.mean([one[text][0] for one in each]), abs=1e-15)


def test_other_tools_agree_where_nothing_is_tied() -> None:
    draw = np.random.default_rng(5)
    scores, grades = draw.random((30, 25)), draw.integers(0, 4, (30, 25))
    ours = evaluate(
        scores, grades, ["nDCG@10", "AP", "AP(norm=found)@10", "RR", "P@5", "R@5", "Success@2", "Rprec", "FallOut@5"]
    )
    assert ours.mean()["nDCG@10"] == pytest.approx(ndcg_score(grades, scores, k=10), rel=1e-12)
    pairs = {
        "nDCG@10": (theirs.retrieval_normalized_dcg, {"top_k": 10}),
        "AP": (theirs.retrieval_average_precision, {}),
        "AP(norm=found)@10": (theirs.retrieval_average_precision, {"top_k": 10}),
        "RR": (theirs.retrieval_reciprocal_rank, {}),
        "P@5": (theirs.retrieval_precision, {"top_k": 5}),
        "R@5": (theirs.retrieval_recall, {"top_k": 5}),
        "Success@2": (theirs.retrieval_hit_rate, {"top_k": 2}),
        "Rprec": (theirs.retrieval_r_precision, {}),
        "FallOut@5": (theirs.retrieval_fall_out, {"top_k": 5}),
    }
    for text, (function, settings_of_it) in pairs.items():
        for query in range(30):
            target = torch.tensor(grades[query] if text.startswith("nDCG") else grades[query] > 0)
            value = float(function(torch.tensor(scores[query]), target, **settings_of_it))
            assert ours[text][query] == pytest.approx(value, rel=1e-6), text
