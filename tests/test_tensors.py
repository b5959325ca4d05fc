"""Matrices are measured by the definitions of everything else: the same numbers, whatever the library."""

import itertools
import warnings
from pathlib import Path
from typing import Any
from unittest import mock

import array_api_strict
import numpy as np
import pytest
import torch
import torchmetrics.functional.retrieval as theirs
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.metrics import ndcg_score
from torch.utils._python_dispatch import TorchDispatchMode

import rankworth as rw
from generators import GRADES, variants
from rankworth.errors import RankworthError
from rankworth.measures import CATALOGUE, FACTS, Measure, TextFact
from rankworth.names import parse as names
from rankworth.tensors import Accumulator, batches, evaluate, prepared, tops

REFUSED = {
    measure.name for measure in CATALOGUE.values() if measure.definition.subtopics or measure.definition.elsewhere
}
DENSE = [measure for measure in CATALOGUE.values() if measure.name not in REFUSED]
every_dense = pytest.mark.parametrize("measure", DENSE, ids=str)
few = settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
SCORES = (-2.5, -0.0, 0.0, 0.1, 0.1 + 2e-17, 0.1 + 1e-16, 3.0)
LIBRARIES = {
    "torch": lambda array: torch.tensor(array.copy()),
    "strict": lambda array: array_api_strict.asarray(array.copy(), device=array_api_strict.Device("device1")),
}
"""libraries besides NumPy; the last one stands for accelerators: nothing is mixed with another device"""


class Collection:
    """A batch as matrices, and the same as dicts whose ids fall from column to column."""

    def __init__(self, seed: int, *, ties: bool = True, wide: bool = False) -> None:
        """Draw it."""
        draw = np.random.default_rng(seed)
        queries, documents = int(draw.integers(1, 6)), int(draw.integers(1, 30 if wide else 12))
        size = (queries, documents)
        self.scores = (
            draw.choice(SCORES, size)
            if ties
            else draw.permuted(np.tile(np.arange(documents) / 7, (queries, 1)), axis=1)
        )
        self.grades = np.where(draw.random(size) < 0.3, np.nan, draw.choice(GRADES, size))
        self.mask = draw.random(size) < draw.choice([0.5, 0.9, 1.0])
        self.mask[np.arange(queries), draw.integers(0, documents, queries)] = True
        self.more = draw.choice([np.nan, *GRADES], (queries, int(draw.integers(0, 5))))

    def pool(self) -> Any:
        """All grades, those of documents without a column too."""
        return np.concatenate([np.where(self.mask, self.grades, np.nan), self.more], axis=1)[:, ::-1]

    def dicts(self, *, pool: bool) -> tuple[dict[str, dict[str, float]], dict[str, dict[str, float]], list[int]]:
        """Judgements, run, and the queries that are judged at all."""
        names = [f"d{self.scores.shape[1] - column:03}" for column in range(self.scores.shape[1])]
        qrels, run, judged = {}, {}, []
        for query in range(self.scores.shape[0]):
            real = self.mask[query]
            found = {
                name: float(grade)
                for name, grade, there in zip(names, self.grades[query], real, strict=True)
                if there and np.isfinite(grade)
            }
            if pool:
                found |= {
                    f"x{place}": float(grade) for place, grade in enumerate(self.more[query]) if np.isfinite(grade)
                }
            run[f"q{query:03}"] = {
                name: float(score) for name, score, there in zip(names, self.scores[query], real, strict=True) if there
            }
            if found:
                qrels[f"q{query:03}"] = found
                judged.append(query)
        return qrels, run, judged

    def expected(self, measures: list[Measure], *, pool: bool, **rest: Any) -> tuple[Any, list[int]]:
        """What `rankworth.evaluate` says, and of which queries."""
        qrels, run, judged = self.dicts(pool=pool)
        if not qrels:
            return np.zeros((0, len(measures))), []
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", rw.RankworthWarning)
            return rw.evaluate(qrels, run, measures, **rest).per_query.array, judged

    def measured(self, measures: list[Measure], of: Any = np.asarray, *, pool: bool, **rest: Any) -> Any:
        """What `rankworth.tensors` says, as NumPy."""
        more = {"pool": of(self.pool())} if pool else {}
        values = evaluate(of(self.scores), of(self.grades), measures, mask=of(self.mask), **more, **rest)
        return np.stack([plain(values[str(measure)]) for measure in measures], axis=1)


def plain(array: Any) -> Any:
    """An array of any library as NumPy has it."""
    if isinstance(array, np.ndarray):
        return array
    if isinstance(array, torch.Tensor):
        return array.numpy()
    return np.array([float(array[place]) for place in range(array.shape[0])])


@every_dense
@few
@given(seed=st.integers(0, 10**9), pool=st.booleans())
def test_values_are_those_of_evaluate_bit_for_bit(measure: Measure, seed: int, pool: bool) -> None:
    batch = Collection(seed)
    for variant in variants(measure):
        expected, judged = batch.expected([variant], pool=pool)
        found = batch.measured([variant], pool=pool)[judged]
        assert found.tobytes() == expected.tobytes(), variant


@every_dense
@few
@given(seed=st.integers(0, 10**9), pool=st.booleans(), device=st.sampled_from([*LIBRARIES]))
def test_every_library_has_the_same_values(measure: Measure, seed: int, pool: bool, device: str) -> None:
    batch = Collection(seed)
    of = LIBRARIES[device]
    for variant in variants(measure):
        expected, found = (batch.measured([variant], one, pool=pool) for one in (np.asarray, of))
        assert np.abs(found - expected).max() <= 1e-12 * np.maximum(1, np.abs(expected)).max(), variant


@pytest.mark.parametrize("seed", range(5))
def test_single_precision_is_good_for_six_digits(seed: int) -> None:
    batch = Collection(seed, ties=False, wide=True)
    batch.scores = batch.scores.astype(np.float32).astype(np.float64)
    measures = [names(text) for text in ("nDCG@10", "AP", "RR", "R@5", "P@5", "ERR@10", "Bpref", "RBP")]
    expected = batch.measured(measures, pool=False)

    def single(array: Any) -> Any:
        return torch.tensor(np.ascontiguousarray(array, dtype=np.float32 if array.dtype == np.float64 else array.dtype))

    values = evaluate(single(batch.scores), single(batch.grades), measures, mask=single(batch.mask))
    assert {array.dtype for array in values.values()} == {torch.float32}
    found = batch.measured(measures, single, pool=False)
    assert np.abs(found - expected).max() <= 1e-6


@every_dense
@few
@given(seed=st.integers(0, 10**9), pool=st.booleans())
def test_the_first_documents_are_enough_where_they_are_said_to_be(measure: Measure, seed: int, pool: bool) -> None:
    batch = Collection(seed, wide=True)
    for variant in variants(measure):
        alone = batch.measured([variant], pool=pool)
        beside = batch.measured([variant, CATALOGUE["AP"]], pool=pool)[:, :1]  # which looks at all documents
        assert alone.tobytes() == beside.tobytes(), variant


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


class Watch(TorchDispatchMode):
    """What asks a tensor for its contents."""

    def __init__(self) -> None:
        """Nothing was seen yet."""
        super().__init__()
        self.seen: list[str] = []

    def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = function.overloadpacket.__name__
        if name in ("_local_scalar_dense", "nonzero", "_unique2", "unique_dim", "equal", "is_nonzero"):
            self.seen.append(name)
        return function(*args, **(kwargs or {}))


WAITS = {"Compat"}


@every_dense
def test_nobody_waits_for_a_device(measure: Measure) -> None:
    batch = next(one for one in (Collection(seed, wide=True) for seed in range(99)) if one.scores.shape[1] > 9)
    scores, grades, mask = (torch.tensor(array) for array in (batch.scores, batch.grades, batch.mask))
    relevant = torch.full((scores.shape[0],), 40)
    waits = set()
    with mock.patch.object(batches, "near", return_value=False), mock.patch.object(tops, "near", return_value=False):
        for variant in variants(measure):
            measured = prepared([variant])
            more = {"relevant": relevant} if measured.depths[0] in (1, 2, 5) else {}
            with Watch() as watch:
                values = measured(scores, grades, mask=mask, **more)
            waits |= set(watch.seen)
            expected = measured(scores, grades, mask=mask, **more)
            if not more:
                expected = torch.tensor(batch.measured([variant], pool=False)[:, 0])
                assert torch.allclose(values[str(variant)], expected, rtol=1e-12, atol=1e-12), variant
    assert bool(waits) == (measure.name in WAITS)


def test_a_compiler_follows_the_whole_way() -> None:
    measured = prepared(["nDCG@10", "RR@10"])

    def loss(scores: Any, grades: Any) -> Any:
        values = measured(scores, grades)
        return values["nDCG@10"], values["RR@10"]

    torch.manual_seed(0)
    scores, grades = torch.randint(0, 9, (64, 50)).double(), torch.randint(0, 4, (64, 50)).double()
    grades[grades == 3] = float("nan")
    compiled = torch.compile(loss, fullgraph=True, backend="eager")(scores, grades)
    for one, other in zip(compiled, loss(scores, grades), strict=True):
        assert torch.allclose(one, other, rtol=1e-12, atol=0)


@settings(max_examples=200, deadline=None)
@given(seed=st.integers(0, 10**9), number=st.integers(1, 12), asked=st.booleans())
def test_ties_stand_in_the_order_of_columns(seed: int, number: int, asked: bool) -> None:
    draw = np.random.default_rng(seed)
    scores = draw.choice(
        [-np.inf, -1.0, -0.0, 0.0, 1.0, 2.0, np.inf], (int(draw.integers(1, 9)), int(draw.integers(1, 20)))
    )
    expected = np.argsort(-scores, axis=1, kind="stable")[:, :number]
    with mock.patch.object(tops, "near", return_value=asked):
        for array in (scores, torch.tensor(scores), torch.tensor(scores).half(), array_api_strict.asarray(scores)):
            places, best = tops.first(array, number)
            assert [[int(one) for one in row] for row in np.asarray(places)] == expected.tolist()
            assert np.array_equal(np.asarray(best, dtype=np.float64), np.take_along_axis(scores, expected, axis=1))


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
    measures += [measure @ 3 for measure in measures if not measure.definition.at]
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


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**9))
def test_means_are_those_of_evaluate(seed: int) -> None:
    batch = Collection(seed)
    qrels, run, judged = batch.dicts(pool=False)
    texts = ["nDCG@5", "gmean(AP)", "RR", *(fact for fact in FACTS if not isinstance(FACTS[fact], TextFact))]
    if not judged:
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rw.RankworthWarning)
        expected = rw.evaluate(qrels, run, texts)
    rest = {"mask": batch.mask[judged]}
    means = evaluate(batch.scores[judged], batch.grades[judged], texts, **rest).mean()
    assert [float(mean) for mean in means.values()] == [expected[text] for text in texts]
    tensors = evaluate(
        *map(torch.tensor, (batch.scores[judged], batch.grades[judged])), texts, mask=torch.tensor(rest["mask"])
    )
    for text, mean in tensors.mean().items():
        assert float(mean) == pytest.approx(expected[text], abs=1e-12)


@settings(max_examples=30, deadline=None)
@given(
    seed=st.integers(0, 10**9),
    undefined=st.sampled_from([0.0, 1.0, "skip"]),
    of=st.sampled_from([np.asarray, torch.tensor]),
)
def test_accumulators_do_not_care_how_batches_come(seed: int, undefined: Any, of: Any) -> None:
    draw = np.random.default_rng(seed)
    scores, grades = (
        draw.random((40, 9)),
        draw.choice([0.0, 0.0, 0.0, 1.0, 3.0], (40, 9)) * (draw.random((40, 1)) < 0.8),
    )
    texts = ["nDCG@5", "AP", "gmean(R@3)", "NumRel"]
    whole = evaluate(of(scores), of(grades), texts, undefined=undefined).mean()
    order, parts = draw.permutation(40), []
    for piece in np.array_split(order, np.sort(draw.integers(0, 40, 4))):
        parts.append(Accumulator(texts, undefined=undefined))
        parts[-1].update(of(scores[piece]), of(grades[piece]))
    merged = Accumulator(texts, undefined=undefined)
    for place in draw.permutation(len(parts)):
        merged.merge(parts[place])
    for text, mean in merged.compute().items():
        assert float(mean) == pytest.approx(float(whole[text]), rel=1e-14)
    merged.reset()
    assert np.isnan([float(mean) for mean in merged.compute().values()]).tolist() == [True, True, True, False]


def process(rank: int, folder: str) -> None:
    """One of three processes, the last of which has no batch."""
    torch.distributed.init_process_group("gloo", init_method=f"file://{folder}/meet", rank=rank, world_size=3)
    means = Accumulator(["RR", "NumRel"])
    if rank < 2:
        grades = torch.tensor([[0.0, 1.0], [1.0, 1.0]][rank:])
        means.update(torch.tensor([[0.9, 0.1]] * (2 - rank)), grades)
    found = [mean.item() for mean in means.compute().values()]
    (Path(folder) / f"{rank}").write_text(repr(found))
    torch.distributed.destroy_process_group()


def test_processes_gather(tmp_path: Path) -> None:
    torch.multiprocessing.start_processes(process, (str(tmp_path),), nprocs=3, start_method="fork")
    assert {(tmp_path / f"{rank}").read_text() for rank in range(3)} == {repr([(0.5 + 1 + 1) / 3, 5.0])}


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


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_what_a_matrix_cannot_have_is_refused(name: str) -> None:
    with pytest.raises(RankworthError) as caught:
        prepared([name])
    assert caught.value.slug == "bad-definition"
    assert name in str(caught.value)
    assert caught.value.remedy


ONE = np.ones((2, 3))
WRONG: dict[str, tuple[str, tuple[Any, ...], dict[str, Any]]] = {
    "lists": ("input-type", ([[1.0]], [[1]], ["RR"]), {}),
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
    "worst grade": ("bad-grade", (ONE, -ONE * np.inf, ["nDCG@1"]), {"check": True}),
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
    "undefined": ("unknown-setting", (ONE, ONE, ["RR"]), {"undefined": "error"}),
    "not linear": ("bad-definition", (ONE, ONE, ["Bpref"]), {"ties": "expected"}),
    "grade": ("grade-above-maximum", (ONE, ONE * 5, ["ERR"]), {}),
}


@pytest.mark.parametrize("case", WRONG)
def test_bad_input_is_named(case: str) -> None:
    slug, given_, rest = WRONG[case]
    with pytest.raises(RankworthError) as caught:
        evaluate(*given_, **rest)
    assert caught.value.slug == slug


def test_what_is_not_there_has_a_name() -> None:
    values = evaluate(ONE, ONE, ["RR"])
    assert values["mrr"] is values["RR"]
    with pytest.raises(RankworthError) as caught:
        values["AP"]
    assert caught.value.slug == "not-measured"


def test_accumulators_take_what_is_alike() -> None:
    means = Accumulator(["RR"])
    means.update(ONE, ONE)
    for wrong in (Accumulator(["AP"]), Accumulator(["RR"], ties="expected")):
        with pytest.raises(RankworthError, match="conflicting-options"):
            means.merge(wrong)
    with pytest.raises(RankworthError, match="input-type"):
        means.update(torch.ones((2, 3)), torch.ones((2, 3)))


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
