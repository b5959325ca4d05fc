"""Means of batches are those of all queries, in whatever pieces, order, threads and processes they come."""

import copy
import json
import math
import pickle
import warnings
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import rankworth as rw
from matrices import LIBRARIES, Collection
from rankworth.errors import RankworthError, UsageError
from rankworth.measures import FACTS, TextFact
from rankworth.tensors import Accumulator, evaluate
from rankworth.tensors.accumulation import Sums

ONE = np.ones((2, 3))


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


def test_accumulators_take_what_is_alike() -> None:
    means = Accumulator(["RR"])
    means.update(ONE, ONE)
    for wrong in (Accumulator(["AP"]), Accumulator(["RR"], ties="expected")):
        with pytest.raises(RankworthError, match="conflicting-options"):
            means.merge(wrong)
    with pytest.raises(RankworthError, match="input-type"):
        means.update(torch.ones((2, 3)), torch.ones((2, 3)))


def test_thousands_of_updates_lose_nothing_in_any_order() -> None:
    values = np.random.default_rng(3).random(20_000) * 10.0 ** np.arange(10).repeat(2000)
    exact = float(sum(map(Fraction, values.tolist())) / values.size)
    orders = np.stack([values, values[::-1], np.random.default_rng(4).permutation(values)])
    nothing, one = np.zeros(3), np.ones(3, dtype=np.int64)
    sums = Sums(nothing, nothing, 0 * one)
    for column in orders.T:
        sums = sums.plus(Sums(column, nothing, one))
    assert np.abs(np.array(sums.means(["mean"] * 3)) - exact).max() <= math.ulp(exact)
    assert np.abs(np.add.accumulate(orders, axis=1)[:, -1] / values.size - exact).max() > 4 * math.ulp(exact)


@settings(max_examples=60)
@given(st.data())
def test_merging_in_any_tree_gives_one_mean(data: st.DataObject) -> None:
    draw = np.random.default_rng(data.draw(st.integers(0, 10**9)))
    parts = [Accumulator(["utility", "DCG"]) for _ in range(7)]
    for one in parts:
        size = (int(draw.integers(1, 5)), 6)
        one.update(draw.random(size), draw.choice([0.0, 1e-9, 3.0, 1e9], size))
    whole = copy.deepcopy(parts[0])
    for one in parts[1:]:
        whole.merge(one)
    while len(parts) > 1:
        place = data.draw(st.integers(0, len(parts) - 2))
        parts[place].merge(parts.pop(place + 1))
    for ours, theirs in zip(parts[0].compute().values(), whole.compute().values(), strict=True):
        assert float(ours) == pytest.approx(float(theirs), rel=1e-15)


@pytest.mark.parametrize("of", [np.asarray, *LIBRARIES.values()])
def test_a_checkpoint_goes_on(of: Any) -> None:
    draw = np.random.default_rng(1)
    scores, grades = draw.random((6, 5)), draw.integers(0, 3, (6, 5)).astype(float)
    whole, part = (Accumulator(["nDCG@3", "NumRel"], undefined="skip") for _ in range(2))
    for start in (0, 2, 4):
        whole.update(of(scores[start : start + 2]), of(grades[start : start + 2]))
    part.update(of(scores[:2]), of(grades[:2]))
    kept = json.loads(json.dumps(part.state_dict()))
    later = Accumulator(["nDCG@3", "NumRel"], undefined="skip")
    later.update(ONE, ONE)
    later.load_state_dict(kept)
    assert [float(one) for one in later.compute().values()] == [float(one) for one in part.compute().values()]
    later.update(of(scores[2:4]), of(grades[2:4]))
    other = pickle.loads(pickle.dumps(Accumulator(["nDCG@3", "NumRel"], undefined="skip")))
    other.load_state_dict(kept | {name: [] for name in ("total", "lost", "number")})
    other.update(of(scores[4:]), of(grades[4:]))
    later.merge(other)
    for ours, theirs in zip(later.compute().values(), whole.compute().values(), strict=True):
        assert type(ours) is type(theirs)
        assert float(ours) == float(theirs)


def test_a_checkpoint_of_something_else_is_refused() -> None:
    kept = Accumulator(["RR"], undefined=math.nan).state_dict()
    Accumulator(["RR"], undefined=math.nan).load_state_dict(kept)
    for other in (
        Accumulator(["AP", "RR"], undefined=math.nan),
        Accumulator(["RR"]),
        Accumulator("RR", ties="expected"),
    ):
        with pytest.raises(RankworthError, match="conflicting-options"):
            other.load_state_dict(kept)


STATE = Accumulator(["RR", "AP"])
STATE.update(ONE, ONE)
WHOLE = STATE.state_dict()
DAMAGED: dict[str, Any] = {
    "nothing": None,
    "a path": "means.json",
    "a list": [],
    "an empty dict": {},
    **{f"without {name}": {key: value for key, value in WHOLE.items() if key != name} for name in WHOLE},
    "one number too few": WHOLE | {"total": [1.0]},
    "no totals": WHOLE | {"total": []},
    "too many": WHOLE | {"lost": [0.0, 0.0, 0.0]},
    "no lists": WHOLE | {"total": None},
    "a text": WHOLE | {"lost": "00"},
    "texts": WHOLE | {"total": ["1", "2"]},
    "half a query": WHOLE | {"number": [1, 1.5]},
    "fewer than no queries": WHOLE | {"number": [1, -1]},
}


@pytest.mark.parametrize("case", DAMAGED)
def test_a_damaged_checkpoint_is_refused_and_nothing_lost(case: str) -> None:
    means = copy.deepcopy(STATE)
    with pytest.raises(UsageError) as caught:
        means.load_state_dict(DAMAGED[case])
    assert caught.value.slug == "input-type"
    assert caught.value.remedy
    assert means.state_dict() == WHOLE


def test_only_accumulators_are_merged() -> None:
    other: Any
    for other in ("x", None, WHOLE, evaluate(ONE, ONE, ["RR", "AP"])):
        with pytest.raises(UsageError, match="input-type"):
            copy.deepcopy(STATE).merge(other)


def test_an_accumulator_merged_into_itself_counts_twice() -> None:
    means = copy.deepcopy(STATE)
    means.merge(means)
    assert means.state_dict()["number"] == [4, 4]


def test_merging_a_checkpoint_brings_it_to_the_device() -> None:
    ours, theirs = (Accumulator(["RR"]) for _ in range(2))
    ours.update(torch.tensor([[0.9, 0.5]]), torch.tensor([[0, 1]]))
    theirs.load_state_dict(ours.state_dict())
    ours.merge(theirs)
    assert ours.compute()["RR"].item() == 0.5
    third = Accumulator(["RR"])
    third.merge(theirs)
    third.merge(theirs)
    third.merge(ours)
    assert third.compute()["RR"].item() == 0.5
    theirs.merge(ours)
    assert isinstance(theirs.compute()["RR"], torch.Tensor)


def test_threads_may_update_one() -> None:
    means = Accumulator(["NumRel"])
    with ThreadPoolExecutor(8) as pool:
        for _ in pool.map(lambda _: means.update(ONE, ONE), range(400)):
            pass
    assert means.compute()["NumRel"] == 400 * ONE.size


def test_single_precision_counts_queries_beyond_its_digits() -> None:
    sums = Sums(torch.tensor([float(1 << 24)]), torch.zeros(1), torch.tensor([1 << 24]))
    for _ in range(3):
        sums = sums.plus(Sums(torch.ones(1), torch.zeros(1), torch.tensor([1])))
    assert sums.number.tolist() == [(1 << 24) + 3]
    assert float(sums.means(["mean"])[0]) == 1.0
