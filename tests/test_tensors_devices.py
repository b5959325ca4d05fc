"""Accelerators are not waited for, get as many kernels for many queries as for few, and keep the digits they can."""

from collections.abc import Iterator
from typing import Any
from unittest import mock

import array_api_strict
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.utils._python_dispatch import TorchDispatchMode

from generators import variants
from matrices import DENSE, DEVICE, Collection, plain
from rankworth.judged import Judged
from rankworth.measures import Measure
from rankworth.measures.building_blocks import down_to
from rankworth.tensors import evaluate, inputs, prepared, ranking

every_dense = pytest.mark.parametrize("measure", DENSE, ids=str)


class Watch(TorchDispatchMode):
    """What is dispatched, and what of it asks a tensor for its contents."""

    def __init__(self) -> None:
        """Nothing was seen yet."""
        super().__init__()
        self.names: list[str] = []

    def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.names.append(function.overloadpacket.__name__)
        return function(*args, **(kwargs or {}))

    @property
    def asked(self) -> set[str]:
        """What would have to wait for an accelerator."""
        return set(self.names) & {"_local_scalar_dense", "nonzero", "_unique2", "unique_dim", "equal", "is_nonzero"}


@pytest.fixture
def far() -> Iterator[None]:
    """Tensors of the main memory are taken for those of an accelerator."""
    with mock.patch.object(inputs, "near", return_value=False), mock.patch.object(ranking, "near", return_value=False):
        yield


WAITS = {"Compat"}


@every_dense
@pytest.mark.usefixtures("far")
def test_nobody_waits_for_a_device(measure: Measure) -> None:
    batch = next(one for one in (Collection(seed, wide=True) for seed in range(99)) if one.scores.shape[1] > 9)
    scores, grades, mask = (torch.tensor(array, device=DEVICE) for array in (batch.scores, batch.grades, batch.mask))
    relevant = torch.full((scores.shape[0],), 40, device=DEVICE)
    waits = set()
    every = list(dict.fromkeys(variants(measure)))
    expected = batch.measured(every, pool=False)
    for place, variant in enumerate(every):
        measured = prepared([variant])
        with Watch() as watch:
            values = measured(scores, grades, mask=mask)[str(variant)]
            if measured.depths[0] in (1, 2, 5):
                measured(scores, grades, mask=mask, relevant=relevant)
        waits |= watch.asked
        assert np.allclose(plain(values), expected[:, place], rtol=1e-12, atol=1e-12), variant
    assert bool(waits) == (measure.name in WAITS)


@pytest.mark.usefixtures("far")
@pytest.mark.parametrize("ties", ["order", "expected"])
def test_as_many_kernels_for_many_queries_as_for_few(ties: Any) -> None:
    counts: dict[str, list[list[str]]] = {}
    texts = ["nDCG@10", "P@5", "R@100", "AP"] if ties == "order" else ["nDCG@10", "P@5", "AP"]
    for queries in (8, 8192 if ties == "order" else 512):
        draw = np.random.default_rng(queries)
        scores, grades = (
            torch.tensor(draw.integers(0, 9, (queries, 120)).astype(np.float32), device=DEVICE) for _ in range(2)
        )
        for text in texts:
            measured = prepared([text], ties=ties)
            measured(scores[:1], grades[:1])
            with Watch() as watch:
                measured(scores, grades)
            counts.setdefault(text, []).append(watch.names)
    for text in texts:
        assert counts[text][0] == counts[text][1], text
    assert ties == "expected" or len(counts["nDCG@10"][0]) < 100  # views among them


@pytest.mark.usefixtures("far")
def test_to_check_is_to_wait() -> None:
    scores = torch.rand((3, 9), device=DEVICE)
    for check, asked in ((True, True), (False, False), (None, False)):
        with Watch() as watch:
            evaluate(scores, scores, ["nDCG@3"], relevant=torch.full((3,), 9.5, device=DEVICE), check=False)
            evaluate(scores, scores, ["nDCG@3"], relevant=torch.full((3,), 9.0, device=DEVICE), check=check)
        assert bool(watch.asked) == asked


@pytest.mark.usefixtures("far")
def test_what_asks_the_device_is_told_beforehand() -> None:
    scores, relevant = torch.rand((3, 9), device=DEVICE), torch.full((3,), 20, device=DEVICE)
    cases: list[tuple[list[str], dict[str, Any], bool]] = [
        (["nDCG@5", "P@5", "AP"], {"ties": "expected"}, False),
        (["RR"], {"ties": "expected"}, True),
        (["Success@5"], {"ties": "expected"}, True),
        (["nDCG@9", "R@5"], {"relevant": relevant}, False),
        (["nDCG@10"], {"relevant": relevant}, True),
        (["AP"], {"relevant": relevant}, True),
        (["Compat"], {}, True),
    ]
    for texts, rest, asks in cases:
        with Watch() as watch:
            evaluate(scores, torch.ones_like(scores), texts, **rest)
        assert bool(watch.asked) == asks, texts


def test_indexes_are_asked_as_often_for_many_queries_as_for_few() -> None:
    asked = []
    for queries in (8, 2048):
        indexes = torch.arange(queries, device=DEVICE).repeat_interleave(5)
        with (
            mock.patch.object(inputs, "near", return_value=False),
            mock.patch.object(ranking, "near", return_value=False),
            Watch() as watch,
        ):
            evaluate(indexes / 7, torch.ones_like(indexes), ["RR@3"], indexes=indexes)
        asked.append(len(watch.names))
    assert asked[0] == asked[1]


def test_a_compiler_follows_the_whole_way() -> None:
    texts = ["nDCG@10", "RR@10", "P@10", "R@100", "AP"]
    measured = prepared(texts)

    def values(scores: Any, grades: Any, mask: Any) -> Any:
        return dict(measured(scores, grades, mask=mask))

    draw = np.random.default_rng(0)
    compiled = torch.compile(values, fullgraph=True, backend="aot_eager")
    for _ in range(2):
        scores, grades = draw.integers(0, 9, (64, 150)).astype(np.float64), draw.choice([np.nan, 0, 1, 2], (64, 150))
        arrays = [torch.tensor(array, device=DEVICE) for array in (scores, grades, draw.random((64, 150)) < 0.7)]
        found, expected = compiled(*arrays), values(*arrays)
        assert list(found) == texts
        for text in texts:
            assert torch.allclose(found[text], expected[text], rtol=1e-12, atol=0), text


@settings(max_examples=200, deadline=None)
@given(seed=st.integers(0, 10**9), number=st.integers(1, 12), asked=st.booleans())
def test_ties_stand_in_the_order_of_columns(seed: int, number: int, asked: bool) -> None:
    draw = np.random.default_rng(seed)
    scores = draw.choice(
        [-np.inf, -1.0, -0.0, 0.0, 1.0, 2.0, np.inf], (int(draw.integers(1, 9)), int(draw.integers(1, 20)))
    )
    expected = np.argsort(-scores, axis=1, kind="stable")[:, :number]
    with mock.patch.object(ranking, "near", return_value=asked):
        tensor = torch.tensor(scores, device=DEVICE)
        for array in (scores, tensor, tensor.half(), array_api_strict.asarray(scores)):
            places, best = ranking.first(array, number)
            assert [[int(one) for one in row] for row in _numbers(places)] == expected.tolist()
            assert np.array_equal(_numbers(best), np.take_along_axis(scores, expected, axis=1))


def _numbers(array: Any) -> Any:
    """A matrix of any library and device as NumPy has it."""
    return np.asarray(array.cpu() if isinstance(array, torch.Tensor) else array, dtype=np.float64)


def single(array: Any) -> Any:
    """A tensor of single precision, unless it is of true and false."""
    kind = np.float32 if array.dtype == np.float64 else array.dtype
    return torch.tensor(np.ascontiguousarray(array, dtype=kind), device=DEVICE)


@every_dense
@pytest.mark.parametrize("seed", [1, 4])
def test_single_precision_is_good_for_six_digits(measure: Measure, seed: int) -> None:
    batch = Collection(seed, wide=True)
    batch.scores = batch.scores.astype(np.float32).astype(np.float64)
    every = list(dict.fromkeys(variants(measure)))
    values = evaluate(single(batch.scores), single(batch.grades), every, mask=single(batch.mask))
    assert {array.dtype for array in values.values()} == {torch.float32}
    expected, found = (batch.measured(every, of, pool=True) for of in (np.asarray, single))
    assert (np.abs(found - expected) <= 1e-6 * np.maximum(1, np.abs(expected))).all()


def test_single_precision_tells_the_rows_of_a_large_batch_apart() -> None:
    rank = torch.tensor([[1.0, 2.0, 4e6]]).repeat(9, 1)  # single precision has no odd numbers beyond 2^24
    flags, counts = torch.ones_like(rank, dtype=torch.bool), torch.full((9,), 4e6)
    judged = Judged(rank, rank, rank, rank, flags, flags, counts, rank, flags)
    running = torch.tensor([[1.0, 2.0, 3.0]]).repeat(9, 1)
    assert torch.equal(down_to(judged, running, rank), running)


@pytest.mark.parametrize("of", [np.asarray, lambda array: torch.tensor(array, device=DEVICE)])
def test_one_long_query_does_not_widen_the_others(of: Any) -> None:
    draw = np.random.default_rng(2)
    lengths = np.full(100_000, 3)
    lengths[[70, 50_000]] = 300_000, 40
    indexes = np.repeat(np.arange(lengths.size), lengths)  # as a matrix of 100,000 x 300,000 they would be 240 GB
    scores, grades = draw.random(indexes.size), draw.integers(0, 2, indexes.size)
    order = draw.permutation(indexes.size)
    flat = [of(array[order]) for array in (scores, grades)]
    relevant = np.bincount(indexes, weights=grades).astype(np.int64) + np.arange(lengths.size) % 2
    values = evaluate(*flat, ["nDCG@5", "R@2"], indexes=of(indexes[order]), relevant=of(relevant))
    for query in (0, 1, 70, 71, 50_000, 99_999):
        one = [array[None, indexes[order] == query] for array in flat]
        alone = evaluate(*one, ["nDCG@5", "R@2"], relevant=of(relevant[[query]]))
        assert [float(array[query]) for array in values.values()] == [float(array[0]) for array in alone.values()]
