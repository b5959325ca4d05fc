"""Random runs with ties and gaps, and what ranx makes of them; `PYTHON tests/live/fusion_ranx.py FILE` stores it.

Every method and norm of ranx that needs no training. ranx compiles a method for a minute or so, so that what it gave is
compared with at each commit, and ranx itself in the thorough run.
"""

import gzip
import json
import math
import sys
from importlib import import_module, metadata
from pathlib import Path
from typing import Any, Final

import numpy as np

METHODS: Final[dict[str, dict[str, Any]]] = {
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
NORMS: Final = ("min-max", "min-max-inverted", "max", "sum", "zmuv", "rank", "borda", None)
SEEDS: Final = 3
OF_RANKS: Final = ("rrf", "isr", "log_isr", "logn_isr", "rbc", "bordafuse", "w_bordafuse")
TURNING: Final = ("min-max-inverted", "borda")
"""norms that methods of ranks are not given here: they turn the order round, or are made of it"""


def collection(seed: int) -> list[dict[str, dict[str, float]]]:
    """Two runs of five queries that share some of their documents; scores have two decimals, so that some are equal."""
    random = np.random.default_rng(seed)
    runs: list[dict[str, dict[str, float]]] = [{}, {}]
    for query in range(5):
        for run in runs:
            chosen = random.choice(20, random.integers(2, 9), replace=False)
            run[f"q{query}"] = {f"d{each}": round(float(random.gamma(2.0)) + 0.01, 2) for each in chosen}
    return runs


def fused(method: str, norm: str | None, runs: list[dict[str, dict[str, float]]]) -> dict[str, dict[str, float | None]]:
    """What ranx gives, None for what is no number."""
    ranx = import_module("ranx")
    given = ranx.fuse([ranx.Run(run) for run in runs], norm=norm, method=method, params=METHODS[method] or None)
    return {
        query: {document: None if math.isnan(value) else value for document, value in documents.items()}
        for query, documents in given.to_dict().items()
    }


def main() -> None:
    """Store what ranx gives for all collections."""
    runs = [collection(seed) for seed in range(SEEDS)]
    cases = [
        {"method": method, "norm": norm, "seed": seed, "fused": fused(method, norm, each)}
        for method in METHODS
        for norm in NORMS
        if not (method in OF_RANKS and norm in TURNING)
        for seed, each in enumerate(runs)
    ]
    text = json.dumps({"version": metadata.version("ranx"), "runs": runs, "cases": cases})
    Path(sys.argv[1]).write_bytes(gzip.compress(text.encode(), mtime=0))


if __name__ == "__main__":
    main()
