"""Accumulators behave as metrics of torchmetrics do."""

import copy
import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
import torch
from torchmetrics import Metric, MetricCollection
from torchmetrics.retrieval import RetrievalNormalizedDCG

from rankworth.tensors import Accumulator, evaluate

SCORES = torch.tensor([[0.9, 0.5, 0.7], [0.1, 0.3, 0.2]], dtype=torch.float64)
GRADES = torch.tensor([[0, 1, 0], [0, 0, 1]])
ALONE = """
import sys
import numpy as np
from rankworth.tensors import Accumulator
means = Accumulator(["RR"])
print(means(np.array([[0.9, 0.5]]), np.array([[0, 1]]))["RR"], means.to("cpu").compute()["RR"])
print("torch" in sys.modules, "torchmetrics" in sys.modules)
"""


def test_a_call_adds_a_batch_and_returns_its_means() -> None:
    means = Accumulator(["RR", "nDCG@2"])
    for rows in (slice(0, 1), slice(1, 2)):
        batch = SCORES[rows], GRADES[rows]
        assert means(*batch) == evaluate(*batch, ["RR", "nDCG@2"]).mean()
    assert means.compute() == evaluate(SCORES, GRADES, ["RR", "nDCG@2"]).mean()
    assert means.forward(SCORES, GRADES)["RR"] == means.compute()["RR"] == (1 / 3 + 1 / 2) / 2


def test_without_torchmetrics_nothing_of_it_is_imported() -> None:
    result = subprocess.run([sys.executable, "-c", ALONE], capture_output=True, text=True, check=True)
    assert result.stdout == "0.5 0.5\nFalse False\n"


def test_a_collection_has_the_means_of_all_its_metrics() -> None:
    ours = Accumulator(["RR", "nDCG@2"])
    collection = MetricCollection({"ours": ours, "theirs": RetrievalNormalizedDCG(top_k=2)}, prefix="val/")
    flat = SCORES.flatten(), GRADES.flatten()
    indexes = torch.arange(2).repeat_interleave(3)
    means = evaluate(SCORES, GRADES, ["RR", "nDCG@2"]).mean()
    expected = {"val/RR": means["RR"], "val/nDCG@2": means["nDCG@2"], "val/theirs": pytest.approx(means["nDCG@2"])}
    assert collection(*flat, indexes=indexes) == expected
    collection.update(*flat, indexes=indexes)
    for kept in (collection, copy.deepcopy(collection), pickle.loads(pickle.dumps(collection)), collection.clone()):
        assert {name: kept.compute()[name] for name in ("val/RR", "val/nDCG@2")} == dict(list(expected.items())[:2])
    collection.reset()
    assert all(torch.isnan(number) for number in ours.compute().values())
    assert ours.compute()["RR"].dtype == torch.float64


def test_a_module_takes_an_accumulator_along() -> None:
    class Model(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.ndcg = Accumulator("nDCG@2")

    model = Model()
    model.ndcg(SCORES, GRADES)
    kept = model.ndcg.state_dict()
    model.half().to("cpu").train()
    model.load_state_dict(model.state_dict())
    assert model.state_dict() == {}
    assert model.ndcg.state_dict() == kept
    assert model.to("meta").ndcg.compute().device.type == "meta"


def test_a_single_measure_is_one_number_as_lightning_logs_it() -> None:
    means = Accumulator("RR")
    assert isinstance(means, Metric)
    assert means(SCORES, GRADES).item() == means.compute().item() == (1 / 3 + 1 / 2) / 2
    assert means._forward_cache.item() == means.compute().item()
    assert list(Accumulator(["RR"]).compute()) == ["RR"]
    assert list(Accumulator("R@1,2").compute()) == ["R@1", "R@2"]
    means.reset()
    assert isinstance(means.compute(), torch.Tensor)
    assert means._forward_cache is None
    assert means.update_count == 0


@pytest.mark.parametrize("of", [np.asarray, torch.tensor])
def test_accumulators_move_to_a_device(of: Any) -> None:
    means = Accumulator(["RR"])
    assert means.to("cpu") is means
    means.update(of([[0.9, 0.5]]), of([[0, 1]]))
    assert means.to("cpu").compute()["RR"] == 0.5
    for places in ((torch.float16,), ("cpu", torch.float16), (SCORES,)):  # as all modules of PyTorch take them
        assert means.to(*places) is means
    assert torch.nn.ModuleList([means]).half()[0].compute()["RR"] == 0.5
