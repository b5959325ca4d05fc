"""Fusion as tools do it equals what they gave: every stored result."""

import gzip
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

import rankworth as rw
from rankworth.errors import InputError, RankworthError, UsageError
from rankworth.fusion import TOOLS, FusedRun
from rankworth.fusion.tools import like

pytestmark = pytest.mark.filterwarnings("ignore:the lists have different", "ignore:.* rows do not stand in the order")

DATA: Any = json.loads(gzip.decompress((Path(__file__).parent / "data" / "fusion.json.gz").read_bytes()))
NAMES = {"AutoRAG": "autorag"}
RENAMED = {
    "rank_constant": "k",
    "weights": "run_weights",
    "theoretical_minimum": "minimum",
    "normalizer": "norm",
    "p": "phi",
}
RECORDED = ("order", "missing", "first", "second", "pandas")
"""what cases say beside parameters"""
SINGLE = ("lancedb", "elasticsearch", "opensearch", "milvus", "weaviate", "chroma", "vespa", "qdrant-server")
"""tools of single precision, and servers"""


def options_of(case: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of a case as `fuse` takes them."""
    options = {RENAMED.get(name, name): value for name, value in case["params"].items() if name not in RECORDED}
    if "weight_of_first" in options:
        options["run_weights"] = [first := options.pop("weight_of_first"), 1 - first]
    return options


def fused(cases: Sequence[Mapping[str, Any]]) -> FusedRun:
    """The fused run of cases that differ in their input alone, each of which is a query."""
    lists = {case["input"]: DATA["inputs"][case["input"]]["lists"] for case in cases}
    size = len(next(iter(lists.values())))
    runs = {
        f"list {number}": {name: [tuple(pair) for pair in each[number]] for name, each in lists.items()}
        for number in range(size)
    }
    case = cases[0]
    return rw.fuse(runs, case["method"], like=NAMES.get(case["tool"], case["tool"]), **options_of(case))


def rankings_of(run: FusedRun) -> dict[str, list[tuple[str, float]]]:
    rankings: dict[str, list[tuple[str, float]]] = {}
    frame = run.to_frame()
    for query, document, score in zip(*(frame[name].to_list() for name in frame.columns), strict=True):
        rankings.setdefault(query, []).append((document, score))
    return rankings


CASES = DATA["cases"]


def is_kept_twice(case: Mapping[str, Any]) -> bool:
    """Whether the tool returns a document twice, which no run can hold."""
    documents = [document for document, _ in case.get("result", ())]
    return len(documents) > len(set(documents))


BY_METHOD: dict[tuple[str, str], dict[tuple[str, int], list[Mapping[str, Any]]]] = {}
REFUSED = []
for _case in CASES:
    if "error" in _case or is_kept_twice(_case):
        REFUSED.append(_case)
        continue
    _alike = json.dumps(_case["params"]), len(DATA["inputs"][_case["input"]]["lists"])
    BY_METHOD.setdefault((_case["tool"], _case["method"]), {}).setdefault(_alike, []).append(_case)


@pytest.mark.parametrize("tool_and_method", BY_METHOD, ids=" ".join)
def test_every_stored_result_is_given(tool_and_method: tuple[str, str]) -> None:
    is_single = tool_and_method[0] in SINGLE
    sign = -1 if tool_and_method[0] == "chroma" else 1  # where the least of negative scores comes first
    for cases in BY_METHOD[tool_and_method].values():
        run = fused(cases)
        rankings = rankings_of(run)
        for case in cases:
            where = case["input"], case["params"]
            rows = rankings.get(case["input"], [])
            expected = {document: sign * score for document, score in case["result"]}
            given = dict(rows)
            tolerance = 1e-6 if is_single else 1e-9
            assert given == pytest.approx(expected, abs=tolerance, rel=0), where
            order = [document for document, _ in case["result"]]
            if [document for document, _ in rows] != order:
                assert any(notice.slug == "unspecified-order" for notice in run.notices), where
                assert [score for _, score in rows] == pytest.approx([given[each] for each in order], abs=1e-15), where


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: f"{case['tool']} {case['method']}")
def test_what_a_tool_refuses_is_refused(case: Mapping[str, Any]) -> None:
    with pytest.raises(RankworthError):
        fused([case])


def test_one_stored_result_is_refused_since_it_holds_a_document_twice() -> None:
    assert [case["tool"] for case in REFUSED if "error" not in case] == ["pyterrier-alpha"]


@pytest.mark.parametrize("name", TOOLS)
def test_every_tool_fuses_by_default_and_is_written_so_that_it_is_read_again(name: str) -> None:
    runs = {"a": {"q": [("x", 3.0), ("y", 2.0)]}, "b": {"q": [("y", 0.5), ("x", 0.1)]}}
    run = rw.fuse(runs, like=name)
    assert run.signature.startswith(f"{name}:")
    assert rankings_of(rw.fuse(runs, run.signature)) == rankings_of(run)


ONE = {"a": {"q": {"x": 2.0, "y": 1.0}}, "b": {"q": {"y": 1.0, "z": 0.5}}}


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"like": "qdrat"}, "did you mean qdrant"),
        ({"like": "qdrant", "method": "rff"}, "qdrant has no method 'rff'; it has rrf dbsf blo"),
        ({"like": "qdrant", "method": "dbsf", "run_weights": [1, 2]}, "dbsf of qdrant has no weights"),
        ({"like": "qdrant", "norm": "z"}, "takes no norm"),
        ({"like": "qdrant", "gamma": 2}, "rrf of qdrant has no gamma; it has k"),
        ({"like": "ranx", "method": "gmnz"}, "gmnz of ranx has no default of gamma"),
        ({"like": "ranx", "method": "sum", "norm": "zscore"}, "no norm 'zscore'; it has min-max none"),
        ({"like": "milvus", "method": "weighted"}, "no default of similarities run_weights"),
        (
            {"like": "milvus", "method": "weighted", "metrics": ["IP"], "run_weights": [0.5, 0.5]},
            "normalises by what the scores of each run are",
        ),
        ({"like": "paper", "method": "dbsf"}, "the paper has one method"),
        ({"like": "opensearch", "run_weights": [0.5, 0.6]}, "do not add up to 1"),
        ({"like": "opensearch", "run_weights": [1.5, -0.5]}, "no finite number from 0"),
        ({"like": "opensearch", "method": "l2+arithmetic_mean", "norm": "min_max"}, "is named with the norm l2"),
    ],
)
def test_what_a_tool_does_not_take_is_refused(arguments: Mapping[str, Any], text: str) -> None:
    with pytest.raises((UsageError, InputError), match=text.replace("+", r"\+")):
        rw.fuse(ONE, **arguments)


def test_tools_of_two_runs_refuse_three() -> None:
    three = {**ONE, "c": ONE["a"]}
    for name, method in (("txtai", "convex"), ("lancedb", "rrf"), ("autorag", "hybrid_cc"), ("trectools", "comb-sum")):
        with pytest.raises(UsageError, match=r"takes 2 runs"):
            rw.fuse(three, method, like=name)


def test_ranx_refuses_runs_of_other_queries_as_it_does() -> None:
    runs = {"a": {"q": {"x": 1.0}}, "b": {"q": {"x": 1.0}, "r": {"x": 1.0}}}
    with pytest.raises(InputError, match="a lacks 1 query that another run has, and ranx refuses such runs"):
        rw.fuse(runs, like="ranx")


def test_a_tool_without_the_tie_rule_of_a_run_says_so() -> None:
    tied = {"a": {"q": ["x", "y"]}, "b": {"q": ["y", "x"]}}
    notices = rw.fuse(tied, like="qdrant-server").notices
    assert [notice.slug for notice in notices] == ["unspecified-order"]
    assert not rw.fuse(tied, like="qdrant").notices  # what is first seen comes first
    assert rw.fuse(tied, like="qdrant").to_frame()["document"].to_list() == ["x", "y"]


def test_the_remedy_of_a_tool_that_needs_a_parameter_works() -> None:
    assert rw.fuse(ONE, "gmnz", like="ranx", gamma=1.5).signature == "ranx:gmnz(norm=min-max,gamma=1.5)"


def test_definitions_of_tools_know_their_weights() -> None:
    assert like("haystack", run_weights=(1, 3)).weights(2) == (0.25, 0.75)
    assert like("langchain").weights(2) == (0.5, 0.5)
    assert like("llama_index", run_weights=(1, 3)).weights(2) == (1.0, 1.0)
