"""Fusion beside ranx, which is called: random runs with ties and gaps, every method and norm that needs no training."""

from typing import Any

import numpy as np
import pytest
import ranx

import rankworth as rw
from rankworth.errors import UsageError

pytestmark = pytest.mark.filterwarnings("ignore")
METHODS: dict[str, dict[str, Any]] = {
    **{name: {} for name in ("sum", "max", "min", "med", "anz", "mnz", "isr", "log_isr", "bordafuse")},
    "rrf": {"k": 60},
    "gmnz": {"gamma": 0.5},
    "logn_isr": {"sigma": 0.01},
    "rbc": {"phi": 0.8},
    "wsum": {"weights": (0.3, 0.7)},
    "mixed": {"weights": (0.3, 0.7)},
    "wmnz": {"weights": (0.3, 0.7)},
    "w_bordafuse": {"weights": (0.3, 0.7)},
}
NORMS = ("min-max", "min-max-inverted", "max", "sum", "zmuv", "rank", "borda", None)
OF_RANKS = ("rrf", "isr", "log_isr", "logn_isr", "rbc", "bordafuse", "w_bordafuse")
TURNING = ("min-max-inverted", "borda")
"""norms that methods of ranks are not given here: they turn the order round, or are made of it"""
RENAMED = {"weights": "run_weights"}


def collection(seed: int) -> list[dict[str, dict[str, float]]]:
    """Two runs of five queries that share some of their documents; scores have two decimals, so that some are equal."""
    random = np.random.default_rng(seed)
    runs: list[dict[str, dict[str, float]]] = [{}, {}]
    for query in range(5):
        for run in runs:
            chosen = random.choice(20, random.integers(2, 9), replace=False)
            run[f"q{query}"] = {f"d{each}": round(float(random.gamma(2.0)) + 0.01, 2) for each in chosen}
    return runs


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("method", METHODS)
def test_values_are_those_of_ranx(method: str, norm: str | None) -> None:
    params = METHODS[method]
    if method in OF_RANKS and norm in TURNING:
        with pytest.raises(UsageError, match=f"{method} of ranx has no norm"):
            rw.fuse({"a": {"q": {"x": 1.0}}}, method, like="ranx", norm=norm)
        return
    for seed in range(3):
        runs = collection(seed)
        theirs = ranx.fuse([ranx.Run(run) for run in runs], norm=norm, method=method, params=params or None)
        options = {RENAMED.get(name, name): value for name, value in params.items()}
        ours = rw.fuse({"a": runs[0], "b": runs[1]}, method, like="ranx", norm=norm, **options).to_frame()
        values: dict[str, dict[str, float]] = {}
        for query, document, score in ours.iter_rows():
            values.setdefault(query, {})[document] = score
        for query, expected in theirs.to_dict().items():
            assert values[query] == pytest.approx(expected, abs=1e-9, rel=1e-9, nan_ok=True), (query, seed)
