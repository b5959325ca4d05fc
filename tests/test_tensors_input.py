"""What may be handed in, and what is refused by name."""

import subprocess
import sys
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import array_api_strict
import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from matrices import DENSE, REFUSED
from rankworth.errors import InputError, RankworthError
from rankworth.measures import CATALOGUE
from rankworth.tensors import Accumulator, ByMeasure, evaluate, prepared

ONE = np.ones((2, 3))
WRONG: dict[str, tuple[str, tuple[Any, ...], dict[str, Any]]] = {
    "lists": ("input-type", ([[1.0]], [[1]], ["RR"]), {}),
    "nothing": ("input-type", (None, ONE, ["RR"]), {}),
    "flat": ("input-type", (ONE[0], ONE[0], ["RR"]), {}),
    "shapes": ("input-type", (ONE, ONE[:, :2], ["RR"]), {}),
    "mask shape": ("input-type", (ONE, ONE, ["RR"]), {"mask": np.ones((2, 2), dtype=bool)}),
    "mask of numbers": ("input-type", (ONE, ONE, ["RR"]), {"mask": ONE}),
    "scores of flags": ("input-type", (ONE > 0, ONE, ["RR"]), {}),
    "complex": ("input-type", (ONE * 1j, ONE, ["RR"]), {}),
    "libraries": ("input-type", (ONE, torch.ones((2, 3)), ["RR"]), {}),
    "devices": ("input-type", (torch.ones((2, 3)), torch.ones((2, 3), device="meta"), ["RR"]), {}),
    "relevant shape": ("input-type", (ONE, ONE, ["RR"]), {"relevant": np.ones(3)}),
    "too few relevant": ("input-type", (ONE, ONE, ["RR"]), {"relevant": np.ones(2)}),
    "pool and relevant": ("conflicting-options", (ONE, ONE, ["RR"]), {"relevant": np.ones(2) * 3, "pool": ONE}),
    "nan": ("bad-score", (ONE * np.nan, ONE, ["RR@1"]), {}),
    "nan, all": ("bad-score", (ONE * np.nan, ONE, ["RR"]), {}),
    "nan in torch": ("bad-score", (torch.tensor([[1.0, float("nan")]]), torch.ones((1, 2)), ["RR@1"]), {}),
    "infinite grade": ("bad-grade", (ONE, ONE * np.inf, ["nDCG@1"]), {}),
    "worst grade": ("bad-grade", (ONE, -ONE * np.inf, ["nDCG@1"]), {}),
    "worst grade, checked": (
        "bad-grade",
        (array_api_strict.asarray(ONE), array_api_strict.asarray(-ONE * np.inf), ["RR"]),
        {"check": True},
    ),
    "nan, checked": (
        "bad-score",
        (array_api_strict.asarray(ONE * np.nan), array_api_strict.asarray(ONE), ["RR"]),
        {"check": True},
    ),
    "indexes": ("input-type", (ONE, ONE, ["RR"]), {"indexes": np.array([0, 1])}),
    "real indexes": ("input-type", (ONE[0], ONE[0], ["RR"]), {"indexes": ONE[0]}),
    "unknown": ("unknown-measure", (ONE, ONE, ["nDGC@10"]), {}),
    "none": ("no-measures", (ONE, ONE, []), {}),
    "text": ("measure-syntax", (ONE, ONE, ["relstring"]), {}),
    "ties": ("unknown-setting", (ONE, ONE, ["RR"]), {"ties": "last"}),
    "ties of a list": ("unknown-setting", (ONE, ONE, ["RR"]), {"ties": []}),
    "undefined": ("unknown-setting", (ONE, ONE, ["RR"]), {"undefined": "error"}),
    "undefined of a list": ("unknown-setting", (ONE, ONE, ["RR"]), {"undefined": [0]}),
    "undefined of an array": ("unknown-setting", (ONE, ONE, ["RR"]), {"undefined": ONE}),
    "rel of a list": ("bad-parameter", (ONE, ONE, ["RR"]), {"rel": [1]}),
    "rel of text": ("bad-parameter", (ONE, ONE, ["nDCG"]), {"rel": "1"}),
    "rel of nothing": ("bad-parameter", (ONE, ONE, ["nDCG"]), {"rel": np.nan}),
    "no measures at all": ("measure-syntax", (ONE, ONE, None), {}),
    "a number for measures": ("measure-syntax", (ONE, ONE, 3), {}),
    "lists of measures": ("measure-syntax", (ONE, ONE, [["RR"]]), {}),
    "not linear": ("bad-definition", (ONE, ONE, ["Bpref"]), {"ties": "expected"}),
    "grade": ("grade-above-maximum", (ONE, ONE * 5, ["ERR"]), {}),
}


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_what_a_matrix_cannot_have_is_refused(name: str) -> None:
    with pytest.raises(RankworthError) as caught:
        prepared([name])
    assert caught.value.slug == "bad-definition"
    assert name in str(caught.value)
    assert caught.value.remedy


@pytest.mark.parametrize("case", WRONG)
def test_bad_input_is_named(case: str) -> None:
    slug, given_, rest = WRONG[case]
    with pytest.raises(RankworthError) as caught:
        evaluate(*given_, **rest)
    assert caught.value.slug == slug


STRANGE = {
    "ragged lists": ([[1.0, 2.0], [1.0]], "a list", "indexes"),
    "lists": (ONE.tolist(), "a list", "numpy.asarray"),
    "a frame of pandas": (pd.DataFrame(ONE), "a DataFrame", ".to_numpy()"),
    "a frame of Polars": (pl.DataFrame(ONE), "a DataFrame", ".to_numpy()"),
    "a series": (pd.Series([1.0, 2.0]), "a Series", ".to_numpy()"),
    "text": (ONE.astype(str), "<U32", "astype(float)"),
    "bytes": (ONE.astype("S3"), "S3", "astype(float)"),
    "objects": (ONE.astype(object), "object", "astype(float)"),
    "dates": (ONE.astype("datetime64[s]"), "datetime64", "astype(float)"),
    "spans of time": (ONE.astype("timedelta64[s]"), "timedelta64", "astype(float)"),
    "records": (np.zeros((2, 3), dtype=[("a", float)]), "not real numbers", "astype(float)"),
    "complex numbers": (ONE * 1j, "complex128", "astype(float)"),
    "a masked array": (np.ma.masked_array(ONE, mask=ONE > 0), "masked", "getmaskarray"),
    "a sparse tensor": (torch.ones((2, 3)).to_sparse(), "sparse", "to_dense()"),
    "a sparse matrix": (scipy.sparse.csr_array(ONE), "csr_array", "arrays of NumPy"),
}


@pytest.mark.parametrize("flat", [False, True])
@pytest.mark.parametrize("name", ["scores", "grades", "pool", "relevant"])
@pytest.mark.parametrize("case", STRANGE)
def test_what_is_no_array_of_numbers_is_named_with_what_helps(case: str, name: str, flat: bool) -> None:
    strange, says, helps = STRANGE[case]
    ones = torch.ones((2, 3)) if isinstance(strange, torch.Tensor) else ONE
    arrays = {"scores": ones, "grades": ones} | ({"indexes": ones[0] > 0} if flat else {}) | {name: strange}
    with pytest.raises(InputError) as caught:
        evaluate(measures=["RR"], **arrays)
    assert caught.value.slug == "input-type"
    assert name in caught.value.problems[0]
    assert says in caught.value.problems[0]
    assert helps in caught.value.remedy


@pytest.mark.parametrize("kind", [torch.uint16, torch.uint32, torch.uint64, torch.float8_e4m3fn, torch.float8_e5m2])
def test_types_that_tensors_hold_and_cannot_sort_are_taken(kind: Any) -> None:
    scores, grades = torch.tensor([[3.0, 1.0, 2.0], [1.0, 2.0, 0.0]]), torch.tensor([[0.0, 2.0, 1.0], [1.0, 0.0, 3.0]])
    short, texts = (scores.to(kind), grades.to(kind)), ["nDCG@2", "AP"]
    for rest in ({}, {"mask": scores > 0}, {"pool": grades.to(kind)}, {"relevant": torch.tensor([3.0, 2.0]).to(kind)}):
        expected = evaluate(scores.double(), grades, texts, **rest)
        for found in (evaluate(*short, texts, **rest), evaluate(scores.double(), short[1], texts, **rest)):
            for text in texts:
                assert found[text].tolist() == pytest.approx(expected[text].tolist(), rel=1e-6)
    flat = {"indexes": torch.tensor([0, 0, 0, 1, 1, 1])}
    found = evaluate(*(array.reshape(-1) for array in short), texts, **flat)
    expected = evaluate(*short, texts)
    assert all(torch.equal(found[text], expected[text]) for text in texts)


def test_indexes_are_whole_numbers_that_can_be_sorted() -> None:
    ones = torch.ones(3)
    flat = evaluate(ones, ones, "RR", indexes=torch.tensor([9, 9, 4]).to(torch.uint16))
    assert flat.indexes.tolist() == [4, 9]
    with pytest.raises(InputError, match=r"torch\.uint64.*\n.*long\(\)"):
        evaluate(ones, ones, "RR", indexes=torch.tensor([9, 9, 4]).to(torch.uint64))


@settings(max_examples=200, deadline=None)
@given(data=st.data(), of=st.sampled_from([np.asarray, torch.tensor]), text=st.sampled_from(["RR@1", "nDCG@2", "AP"]))
def test_no_infinite_grade_passes_where_it_may_be_asked(data: st.DataObject, of: Any, text: str) -> None:
    grades = np.array(data.draw(st.lists(st.sampled_from([0.0, 1.0, np.nan, 1e300, -1e300]), min_size=6, max_size=6)))
    place, mask = data.draw(st.integers(0, 5)), np.ones((2, 3), dtype=bool)
    scores = of(np.arange(6.0).reshape(2, 3))
    assert np.isfinite(evaluate(scores, of(grades.reshape(2, 3)), "RR@1")["RR@1"].tolist()).all()
    grades[place], mask.flat[place] = data.draw(st.sampled_from([np.inf, -np.inf])), False
    grades = of(grades.reshape(2, 3))
    for given_ in (grades, of(np.zeros((2, 3)))):
        with pytest.raises(RankworthError) as caught:
            evaluate(scores, given_, text, **({} if given_ is grades else {"pool": grades}))
        assert caught.value.slug == "bad-grade"
    evaluate(scores, grades, text, mask=of(mask))  # without a document there is no grade
    evaluate(scores, grades, text, check=False)


@pytest.mark.parametrize("of", [np.asarray, torch.tensor, array_api_strict.asarray])
@pytest.mark.parametrize("text", ["nDCG@2", "R@2", "AP"])
@pytest.mark.parametrize("wrong", [3.5, np.nan, np.inf, -np.inf, -1.0, 2.0])
def test_relevant_counts_documents(of: Any, text: str, wrong: float) -> None:
    batch = of(ONE), of(ONE)
    whole, real = (evaluate(*batch, text, relevant=of(np.array([4, 3], dtype=kind))) for kind in (np.int64, np.float64))
    assert [float(one) for one in whole[text]] == [float(one) for one in real[text]]
    with pytest.raises(InputError) as caught:
        evaluate(*batch, text, relevant=of(np.array([3.0, wrong])), check=True)
    assert caught.value.slug == "input-type"
    assert "relevant" in caught.value.problems[0]
    assert caught.value.remedy


@pytest.mark.parametrize("of", [np.asarray, torch.tensor])
@pytest.mark.parametrize("many", [1e9, 1e12, 1e300, np.inf, np.nan])
@pytest.mark.parametrize("check", [True, False])
def test_memory_does_not_follow_whatever_relevant_says(of: Any, many: float, check: bool) -> None:
    batch, relevant = (of(ONE), of(ONE)), of(np.full(2, many))
    for text in ("AP", "nDCG", "nDCG@999999999"):
        with pytest.raises(InputError, match=r"^relevant .*\[input-type\]\n  ."):
            evaluate(*batch, text, relevant=relevant, check=check)
    if np.isfinite(many):
        values = evaluate(*batch, ["R@2", "nDCG@2", "Success@5"], relevant=relevant)
        assert [float(array[0]) for array in values.values()] == [2 / many, 1.0, 1.0]


def test_what_is_missing_for_other_libraries_is_named() -> None:
    code = "import sys; sys.modules['array_api_compat'] = None; import torch; from rankworth.tensors import evaluate; "
    run = [sys.executable, "-c", f"{code}evaluate(torch.ones((1, 1)), torch.ones((1, 1)), 'RR')"]
    told = subprocess.run(run, capture_output=True, text=True, check=False).stderr
    assert "[missing-library]\n  pip install array-api-compat" in told


def test_subclasses_of_numpy_are_arrays(tmp_path: Path) -> None:
    scores = np.memmap(tmp_path / "scores", dtype=float, mode="w+", shape=(2, 3))
    scores[:] = [[3, 1, 2], [1, 2, 3]]
    for array in (scores, scores.view(np.matrix)):
        values = evaluate(array, np.array([[0, 0, 1], [0, 0, 1]]), ["RR", "nDCG@1"])
        assert values["RR"].tolist() == [1 / 2, 1.0]
        assert type(values["RR"]) is np.ndarray


def results() -> list[ByMeasure]:
    """What there is of two measures: values, means of a batch, means of several."""
    means = Accumulator(["MRR", "ndcg_cut_5"])
    values = means.update(ONE, ONE)
    return [values, values.mean(), means.compute()]


@pytest.mark.parametrize("found", results(), ids=["values", "means", "accumulated"])
def test_results_are_mappings_whatever_a_measure_is_called(found: ByMeasure) -> None:
    assert isinstance(found, Mapping)
    assert [*found] == [*found.keys()] == [*dict(found)] == ["MRR", "ndcg_cut_5"]
    assert len(found) == len(found.values()) == 2
    for name in ("RR", "mrr", "recip_rank", CATALOGUE["RR"]):
        assert name in found
        assert found[name] is found.get(name) is found.arrays["MRR"]
    assert found["nDCG@5"] is found[CATALOGUE["nDCG"] @ 5] is found["ndcg@5"]


@pytest.mark.parametrize("found", results(), ids=["values", "means", "accumulated"])
def test_what_is_not_there_has_a_name(found: ByMeasure) -> None:
    absent: list[tuple[Any, str]] = [
        ("AP", "not-measured"),
        (CATALOGUE["AP"], "not-measured"),
        ("nDCG@10", "not-measured"),
        ("nonsense", "not-measured"),
        (3, "not-measured"),
        (None, "not-measured"),
    ]
    for name, slug in absent:
        assert name not in found
        assert found.get(name) is None
        assert found.get(name, 0.25) == 0.25
        with pytest.raises(RankworthError) as caught:
            found[name]
        assert caught.value.slug == slug


def test_what_was_asked_before_lets_nothing_pass() -> None:
    good: list[dict[str, Any]] = [{"undefined": 0.0}, {"undefined": 1}, {"rel": 1}]
    bad: list[dict[str, Any]] = [{"undefined": False}, {"undefined": True}, {"rel": True}]
    for first, then in zip(good, bad, strict=True):
        evaluate(ONE, ONE, ["RR"], **first)
        with pytest.raises(RankworthError):
            evaluate(ONE, ONE, ["RR"], **then)


def test_numbers_of_numpy_are_numbers() -> None:
    values = evaluate(ONE, 0 * ONE, ["R"], undefined=np.float32(0.5), rel=np.float32(1))
    assert values["R(rel=1)"].tolist() == [0.5, 0.5]


def test_asking_again_settles_nothing_anew() -> None:
    assert prepared(["MRR", "nDCG@5"]) is prepared(iter(("MRR", "nDCG@5")), undefined=0)


@pytest.mark.parametrize("of", [np.asarray, torch.tensor, array_api_strict.asarray])
def test_nothing_is_something(of: Any) -> None:
    texts = [str(measure) for measure in DENSE] + ["nDCG@10", "P@3"]
    none = evaluate(of(np.ones((0, 4))), of(np.ones((0, 4))), texts)
    assert {array.shape for array in none.values()} == {(0,)}
    assert np.isnan(float(none.mean()["nDCG@10"]))
    narrow = evaluate(of(np.ones((2, 0))), of(np.ones((2, 0))), texts)
    assert {array.shape for array in narrow.values()} == {(2,)}
    masked = evaluate(of(ONE), of(ONE), texts, mask=of(ONE < 0))
    assert [float(masked[text][1]) for text in ("nDCG@10", "P@3", "AP")] == [0.0, 0.0, 0.0]
    few_documents = evaluate(of(ONE), of(ONE), ["P@10", "nDCG@10"])
    assert [float(array[0]) for array in few_documents.values()] == [0.3, 1.0]
    flat = evaluate(of(ONE[0][:0]), of(ONE[0][:0]), ["RR"], indexes=of(np.zeros(0, dtype=np.int64)))
    assert flat["RR"].shape == (0,)


def test_whole_numbers_and_flags_are_taken_as_they_are() -> None:
    scores, grades = np.array([[2**60, 2**59, 3]]), np.array([[False, True, True]])
    for of in (np.asarray, torch.tensor):
        values = evaluate(of(scores), of(grades), ["RR", "R@2"])
        assert [float(array[0]) for array in values.values()] == [1 / 2, 1 / 2]
        assert "float64" in str(values["RR"].dtype)


def test_inputs_stay_as_they_are_and_want_no_gradient() -> None:
    scores = torch.rand((4, 6), requires_grad=True)
    grades = torch.ones((4, 6))
    before = scores.detach().clone()
    values = evaluate(scores, grades, ["nDCG@3"], mask=before > 0.2)
    assert not values["nDCG@3"].requires_grad
    assert torch.equal(scores, before)
    assert torch.equal(grades, torch.ones((4, 6)))


@settings(max_examples=200)
@given(seed=st.integers(0, 10**9), number=st.integers(1, 6), of=st.sampled_from([np.asarray, torch.tensor]))
def test_no_nan_among_scores_passes_where_it_may_be_asked(seed: int, number: int, of: Any) -> None:
    draw = np.random.default_rng(seed)
    scores = draw.choice([np.inf, 1.0, 1.0, 0.0, -np.inf], (3, 5))
    scores[1, draw.integers(0, 5)] = np.nan
    with pytest.raises(RankworthError) as caught:
        evaluate(of(scores), of(np.ones((3, 5))), [f"RR@{number}"])
    assert caught.value.slug == "bad-score"
    there = ~np.isnan(scores)
    assert evaluate(of(scores), of(np.ones((3, 5))), ["RR@1"], mask=of(there))["RR@1"].tolist() == [1.0, 1.0, 1.0]


@pytest.mark.parametrize("of", [np.asarray, torch.tensor, array_api_strict.asarray])
def test_infinite_scores_are_the_first_and_the_last(of: Any) -> None:
    scores, grades = of(np.array([[np.inf, 1.0, -np.inf, 2.0]])), of(np.array([[0.0, 1.0, 1.0, 0.0]]))
    values = evaluate(scores, grades, ["AP", "RR@3"])
    assert [float(array[0]) for array in values.values()] == pytest.approx([(1 / 3 + 2 / 4) / 2, 1 / 3], abs=1e-15)
    masked = evaluate(scores, grades, ["AP"], mask=of(np.array([[True, True, True, False]])))
    assert float(masked["AP"][0]) == pytest.approx((1 / 2 + 2 / 3) / 2, abs=1e-15)


@pytest.mark.parametrize("kind", [torch.float16, torch.bfloat16])
def test_half_precision_scores_have_values_of_single_precision(kind: Any) -> None:
    scores, grades = torch.tensor([[0.1, 0.5, 0.3]]).to(kind), torch.tensor([[1.0, float("nan"), 0.0]]).to(kind)
    for rest in ({}, {"mask": torch.ones((1, 3), dtype=torch.bool)}):
        values = evaluate(scores, grades, ["AP", "nDCG@3", "Judged@2"], **rest)
        assert {array.dtype for array in values.values()} == {torch.float32}
        assert [float(array[0]) for array in values.values()] == pytest.approx([1 / 3, 1 / 2, 1 / 2], rel=1e-6)


def test_strides_do_not_matter() -> None:
    draw = np.random.default_rng(0)
    scores, grades = draw.random((40, 30)), draw.integers(0, 3, (40, 30))
    for of in (np.asarray, torch.tensor):
        plain, turned = (
            evaluate(one, other, ["AP", "nDCG@5"])
            for one, other in (
                (of(np.ascontiguousarray(scores.T[::3])), of(np.ascontiguousarray(grades.T[::3]))),
                (of(scores).T[::3], of(grades).T[::3]),
            )
        )
        assert all((plain[name] == turned[name]).all() for name in plain)


def test_measures_are_names_or_objects_and_one_needs_no_list() -> None:
    for measures in ("nDCG@10", CATALOGUE["nDCG"] @ 10, ["nDCG@10"], (CATALOGUE["nDCG"] @ 10,)):
        assert list(evaluate(ONE, ONE, measures)) == ["nDCG@10"]


def test_no_array_library_but_numpy_is_loaded_before_it_is_needed() -> None:
    code = "import sys, rankworth.tensors; print({'torch', 'jax', 'cupy', 'pandas', 'scipy'} & {*sys.modules})"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "set()\n"


def _noted(call: Any) -> list[str]:
    """The warnings of a call made three times at one line, as Python shows them to users."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.resetwarnings()
        for _ in range(3):
            call()
    return [f"{one.filename}: {one.message}" for one in caught]


TOP = np.array([[0.9, 0.5, 0.1], [0.8, 0.4, 0.4]])
GRADES = np.array([[1, 0, 1], [0, 1, 0]])


@pytest.mark.parametrize("asarray", [np.asarray, torch.asarray])
@pytest.mark.parametrize(
    ("measures", "names"),
    [
        (["R@2"], "R@2 knows"),
        (["RR", "AP", "P@2", "nDCG@10"], "AP, nDCG@10 know"),
        (["nDCG@1"], "nDCG@1 knows"),
        (["AP(rel=3)"], "AP(rel=3) knows"),
        (["RR", "P@2", "Success@1"], None),
    ],
)
def test_columns_of_a_top_k_are_told_of_once(asarray: Any, measures: list[str], names: str | None) -> None:
    scores, grades = asarray(TOP), asarray(GRADES)
    means = Accumulator(measures)
    flat = {"indexes": asarray(np.repeat([4, 7], 3))}
    for call in (
        lambda: evaluate(scores, grades, measures),
        lambda: means.update(scores, grades),
        lambda: evaluate(scores.reshape(-1), grades.reshape(-1), measures, **flat),
    ):
        noted = _noted(call)
        assert len(noted) == (names is not None)
        assert all(f"given: {names} only" in one and "[columns-only]" in one for one in noted)
        assert all(one.startswith(__file__) for one in noted)


@pytest.mark.parametrize(
    ("scores", "rest"),
    [
        (TOP, {"relevant": np.array([4, 2])}),
        (TOP, {"pool": GRADES}),
        (TOP[::-1, ::-1], {}),
        (TOP[:, [1, 0, 2]], {}),
        (np.vstack([TOP[0], TOP[1, ::-1]]), {}),
        (TOP * 0, {}),
        (array_api_strict.asarray(TOP), {}),
    ],
)
def test_matrices_that_are_no_top_k_are_not_told_of(scores: Any, rest: dict[str, Any]) -> None:
    grades = GRADES if isinstance(scores, np.ndarray) else array_api_strict.asarray(GRADES)
    assert _noted(lambda: evaluate(scores, grades, ["R@2"], **rest)) == []
