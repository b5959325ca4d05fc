"""Fusion beside ranx: random runs with ties and gaps, every method and norm that needs no training.

At each commit what ranx gave is compared with; ranx itself, which compiles each method, with `scripts/test --thorough`.
"""

import gzip
import json
import math
import os
from pathlib import Path
from typing import Any, Final

import pytest

import rankworth as rw
from live.fusion_ranx import METHODS, NORMS, OF_RANKS, SEEDS, TURNING, collection, fused
from rankworth.errors import UsageError

pytestmark = pytest.mark.filterwarnings("ignore")
THOROUGH: Final = "thorough" in os.environ.get("HYPOTHESIS_PROFILE", "")
RENAMED: Final = {"weights": "run_weights"}
DATA: Final[Any] = json.loads(
    gzip.decompress((Path(__file__).parents[1] / "data" / "fusion_ranx.json.gz").read_bytes())
)
STORED: Final = {(case["method"], case["norm"], case["seed"]): case["fused"] for case in DATA["cases"]}


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("method", METHODS)
def test_values_are_those_of_ranx(method: str, norm: str | None) -> None:
    if method in OF_RANKS and norm in TURNING:
        with pytest.raises(UsageError, match=f"{method} of ranx has no norm"):
            rw.fuse({"a": {"q": {"x": 1.0}}}, method, like="ranx", norm=norm)
        return
    options = {RENAMED.get(name, name): value for name, value in METHODS[method].items()}
    for seed in range(SEEDS):
        first, second = DATA["runs"][seed]
        ours = rw.fuse({"a": first, "b": second}, method, like="ranx", norm=norm, **options).to_frame()
        values: dict[str, dict[str, float]] = {}
        for query, document, score in ours.iter_rows():
            values.setdefault(query, {})[document] = score
        expected = STORED[method, norm, seed]
        assert values.keys() == expected.keys()
        for query, documents in expected.items():
            numbers = {document: math.nan if value is None else value for document, value in documents.items()}
            assert values[query] == pytest.approx(numbers, abs=1e-9, rel=1e-9, nan_ok=True), (query, seed)


@pytest.mark.skipif(not THOROUGH, reason="ranx is called by scripts/test --thorough")
@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("method", METHODS)
def test_what_is_stored_is_what_ranx_gives(method: str, norm: str | None) -> None:
    for seed in range(SEEDS):
        assert DATA["runs"][seed] == collection(seed)
        if not (method in OF_RANKS and norm in TURNING):
            expected = fused(method, norm, collection(seed))
            for query, documents in STORED[method, norm, seed].items():
                assert expected[query] == pytest.approx(documents, abs=1e-12, rel=1e-12), (query, seed)
