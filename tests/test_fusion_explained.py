"""How the score of a fused document came about: explain with fuse, in Python and as a command."""

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankworth as rw
from helpers import Command, command_of
from rankworth.errors import InputError, UsageError
from rankworth.fusion import METHODS, TOOLS

RUNS = {"bm25": {"q": {"a": 9.0, "b": 7.0, "c": 1.0}}, "dense": {"q": {"b": 0.8, "d": 0.6}}}
QRELS = {"q": {"a": 1, "d": 2, "z": 1}}
pytestmark = pytest.mark.filterwarnings("ignore:the lists have different")


@pytest.fixture
def command(capsysbinary: pytest.CaptureFixture[bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """The command in this process, in a folder with judgements and two runs."""
    monkeypatch.chdir(tmp_path)
    for name, run in RUNS.items():
        rows = sorted(run["q"].items(), key=lambda pair: -pair[1])
        lines = [f"q Q0 {document} {rank} {score} x\n" for rank, (document, score) in enumerate(rows, 1)]
        Path(f"{name}.run").write_text("".join(lines), encoding="utf-8")
    Path("qrels.txt").write_text("q 0 a 1\nq 0 d 2\nq 0 z 1\n", encoding="utf-8")
    return command_of(capsysbinary, "explain")


def explained(fuse: str, runs: Mapping[str, Any] = RUNS, measure: str = "nDCG@2") -> Any:
    return rw.explain(QRELS, runs, measure, query="q", fuse=fuse)


def test_parts_and_ranks_say_how_a_score_came_about() -> None:
    scores = explained("rrf(k=60,run_weights=1/2)").fused
    assert (scores.signature, scores.runs, scores.weights, scores.adds) == (
        *("rrf(k=60,run_weights=1/2)", ("bm25", "dense")),
        *((1.0, 2.0), True),
    )
    assert [tuple(each) for each in scores.documents] == [
        ("b", None, 1, pytest.approx(1 / 62 + 2 / 61, abs=1e-16), (2, 1), (1 / 62, 2 / 61)),
        ("d", 2.0, 2, 2 / 62, (None, 2), (None, 2 / 62)),
        ("a", 1.0, 3, 1 / 61, (1, None), (1 / 61, None)),
    ]  # c is neither relevant nor on the first two ranks
    assert scores.sentence == "of the first 2 documents 1 were brought by both, 0 by bm25 alone, 1 by dense alone"


@pytest.mark.parametrize(
    "method", [*METHODS, *TOOLS, "paper", "haystack:merge", "opensearch:arithmetic_mean(norm=z_score)"]
)
def test_every_fusion_is_explained_as_it_fuses(method: str) -> None:
    """Ranks and scores are those of the fused run, ranks in runs are places; parts that add up are said to."""
    random = np.random.default_rng(len(method))
    documents = [f"d{number}" for number in range(12)]
    runs = {
        name: {"q": [(documents[each], 9.0 - place / 3) for place, each in enumerate(random.permutation(12)[:7])]}
        for name in ("first", "second")
    }
    qrels = {"q": dict.fromkeys(documents, 1)}
    result = rw.explain(qrels, runs, "nDCG@5", query="q", fuse=method)
    fused = rw.fuse(runs, method)
    frame = fused.to_frame()
    rows = {document: (rank, score) for rank, (document, score) in enumerate(frame.drop("query").iter_rows(), 1)}
    given = {each.document: (each.rank, each.score) for each in result.fused.documents if each.rank is not None}
    assert given == rows
    assert result.value == rw.evaluate(qrels, fused, ["nDCG@5"])["nDCG@5"]
    places = [{document: place for place, (document, _) in enumerate(run["q"], 1)} for run in runs.values()]
    for each in result.fused.documents:
        if "vespa" not in method:  # where all candidates have a rank in every list
            assert each.ranks == tuple(place.get(each.document) for place in places), each
        if result.fused.adds and each.score is not None:
            total = math.fsum(part for part in each.parts if part is not None)
            assert each.score == pytest.approx(total, rel=1e-6), each
    assert result.fused.adds or method not in ("rrf", "sum", "dbsf", "borda", "rbc", "paper", "qdrant")


def test_several_queries_and_measures_have_it_once_per_query() -> None:
    runs = {"a": {"q": {"x": 2.0}, "p": {"x": 1.0, "y": 0.5}}, "b": {"q": {"y": 1.0}, "p": {"y": 3.0}}}
    qrels = {"q": {"x": 1}, "p": {"y": 1}}
    result = rw.explain_queries(qrels, runs, ["RR", "P@1"], fuse="rrf")
    assert [(each.query, each.measure, each.fused is None) for each in result] == [
        *(("p", "RR", False), ("p", "P@1", True)),
        *(("q", "RR", False), ("q", "P@1", True)),
    ]
    [worst, _] = rw.explain_queries(qrels, runs, ["RR", "P@1"], fuse="rrf", worst=1)
    assert (worst.query, worst.value) == ("q", 0.5)  # y ties with x, and stands first by descending id
    assert "how fused scores came about" in repr(worst)


@pytest.mark.parametrize(
    ("options", "slug"),
    [
        ({"against": RUNS["bm25"], "fuse": "rrf"}, "conflicting-options"),
        ({"fuse": "rrff"}, "unknown-setting"),
        ({"fuse": "rrf(run_weights=1/1/1)"}, "bad-weight"),
        ({"fuse": ""}, None),
    ],
)
def test_what_cannot_be_fused_is_refused(options: dict[str, Any], slug: str | None) -> None:
    if slug is None:
        assert rw.explain(QRELS, RUNS, query="q", **options).fused.signature == "rrf(k=60)"
        return
    with pytest.raises((UsageError, InputError)) as caught:
        rw.explain(QRELS, RUNS, query="q", **options)
    assert caught.value.slug == slug


def test_the_command_explains_a_fused_run(command: Command) -> None:
    status, out, err = command("qrels.txt", "bm25.run", "dense.run", "q", "--fuse", "rrf", "-m", "nDCG@2")
    assert (status, err) == (0, "")
    assert "q   how fused scores came about" in out
    [line] = [each for each in out.splitlines() if each.split()[:2] == ["1", "b"] and ":" in each]
    assert line.split() == ["1", "b", "2:", "0.0161", "1:", "0.0164", "?", "0.0325"]
    status, out, err = command("qrels.txt", "bm25.run", "dense.run", "q", "--fuse", "qdrant", "-f", "json")
    record = json.loads(out)["fused"]
    assert (status, record["signature"]) == (0, "qdrant:rrf(k=2)")
    assert record["documents"][0]["parts"] == [1 / 3, 1 / 2]
    for arguments in (["qrels.txt", "--fuse", "rrf"], ["--grades", "1,0", "--fuse", "rrf"]):
        assert command(*arguments)[0] == 2
