"""Which fusion made a run of others: audit_fusion, and audit with --parts."""

import json
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import rankworth as rw
from helpers import Command, command_of

pytestmark = pytest.mark.filterwarnings("ignore:the lists have different", "ignore:.* rows do not stand in the order")


def collection(queries: int = 3) -> dict[str, dict[str, dict[str, float]]]:
    """Two runs of other depths that share about half of their documents, with some equal scores."""
    random = np.random.default_rng(5)
    runs: dict[str, dict[str, dict[str, float]]] = {"bm25": {}, "dense": {}}
    for number in range(queries):
        names = [f"d{each:02}" for each in random.permutation(30)]
        runs["bm25"][f"q{number}"] = {name: round(9 - place / 3) + 1.0 for place, name in enumerate(names[:15])}
        shuffled = random.permutation(names[8:20]).tolist()
        runs["dense"][f"q{number}"] = {name: 0.9 - place * place / 200 for place, name in enumerate(shuffled)}
    return runs


RUNS = collection()
MADE: list[tuple[str, dict[str, Any], str]] = [
    ("rrf", {}, "rrf(k=60)"),
    ("rrf(k=20,run_weights=0.3/0.7)", {}, "rrf(k=20,run_weights=0.3/0.7)"),
    ("rrf(ties=id-ascending)", {}, "rrf(k=60,ties=id-ascending)"),
    ("rrf(candidates=intersection)", {}, "rrf(k=60)"),
    ("rrf(depth=10)", {}, "rrf(k=60,depth=10)"),
    ("qdrant", {"run_weights": [3, 7]}, "rrf(k=1,weight_form=divides,"),
    ("sum(norm=z,deviation=sample,run_weights=1/2)", {}, "sum(norm=z,deviation=sample,run_weights=1/2)"),
    ("dbsf(run_weights=0.25/0.75)", {}, "sum(norm=dbsf,run_weights=0.25/0.75)"),
    ("haystack", {}, "haystack:reciprocal"),
]


@pytest.mark.parametrize(("method", "options", "expected"), MADE, ids=[made[0] for made in MADE])
def test_the_fusion_that_made_a_run_is_named(method: str, options: dict[str, Any], expected: str) -> None:
    """Of the scores alone: the run does not say how it was made, and the scores of every second case are rounded."""
    frame = rw.fuse(RUNS, method, **options).to_frame()
    decimals = 5 if len(method) % 2 else None
    rows = frame if decimals is None else frame.with_columns(pl.col("score").round(decimals))
    result = rw.audit_fusion(rw.Run(rows, "made"), RUNS)
    named = [each.fusion for each in result.candidates]
    if "intersection" in method:  # some documents are missing that the sum would put above others
        assert result.kind == "scores"
        assert any("intersection" in each for each in named)
        return
    assert (result.kind, result.stated) == ("scores", ""), result.verdict
    assert any(each.startswith(expected) for each in named), named
    repeated = rw.fuse(RUNS, result.candidates[0].fusion).to_frame()
    both = frame.join(repeated, on=["query", "document"], suffix="_again")
    assert both.height == frame.height
    tolerance = 1e-6 if decimals is None else 0.6 * 10.0**-decimals
    assert (both["score"] - both["score_again"]).abs().max() <= tolerance  # type: ignore[operator]


def test_equal_scores_tell_the_rule_of_ties_and_tools_are_named() -> None:
    result = rw.audit_fusion(rw.Run(rw.fuse(RUNS, "qdrant").to_frame(), "made"), RUNS)
    assert [each.fusion for each in result.candidates][:1] == [
        "rrf(k=1,ties=first-seen)"
    ] or result.ties == "first-seen"
    assert "qdrant:rrf(k=2)" in [each.fusion for each in result.candidates]
    note = result.notes[-1]
    assert note.startswith("to repeat it: rankworth fuse RUN... --method ")


def test_a_run_that_says_how_it_was_made_is_taken_at_its_word_or_not() -> None:
    fused = rw.fuse(RUNS, "rrf(k=20)")
    right = rw.audit_fusion(fused, RUNS)
    assert (right.stated, right.kind, right.verdict) == (
        *("rrf(k=20)", "scores"),
        "rrf(k=20) makes fused of bm25 and dense",
    )
    assert right.notes[0] == "fused names rrf(k=20), which is so"
    turned = {
        "bm25": RUNS["dense"],
        "dense": {query: dict(list(run.items())[:5]) for query, run in RUNS["bm25"].items()},
    }
    wrong = rw.audit_fusion(fused, turned)
    assert wrong.kind == "nearest"
    assert wrong.notes[0] == "fused names rrf(k=20), which these runs do not give"
    assert wrong.verdict.startswith("no fusion that was tried makes fused of bm25 and dense; nearest is ")


def test_other_scores_in_the_same_order_are_told_apart() -> None:
    frame = rw.fuse(RUNS, "sum(norm=z)").to_frame().with_columns(pl.col("score").exp())
    result = rw.audit_fusion(rw.Run(frame, "made"), RUNS)
    assert (result.kind, result.candidates[0].order) == ("order", 1.0)
    assert (
        result.verdict
        == f"{result.candidates[0].fusion} gives the order of made of bm25 and dense, which has other scores"
    )


def test_more_queries_than_are_tried_are_judged_by_all() -> None:
    runs = collection(42)
    frame = rw.fuse(runs, "rrf").to_frame()
    assert rw.audit_fusion(rw.Run(frame, "made"), runs).verdict == "rrf(k=60) makes made of bm25 and dense"
    changed = frame.with_columns(score=pl.when(pl.col("query") == "q41").then(pl.col("score") * 2).otherwise("score"))
    assert rw.audit_fusion(rw.Run(changed, "made"), runs).kind != "scores"


@pytest.fixture
def command(capsysbinary: pytest.CaptureFixture[bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """The command in this process, in a folder with two runs."""
    monkeypatch.chdir(tmp_path)
    for name, run in RUNS.items():
        lines = [
            f"{query} Q0 {document} {rank} {score!r} {name}\n"
            for query, documents in run.items()
            for rank, (document, score) in enumerate(documents.items(), 1)
        ]
        Path(f"{name}.run").write_text("".join(lines), encoding="utf-8")
    return command_of(capsysbinary, "audit")


@pytest.mark.parametrize("suffix", ["parquet", "run"])
def test_the_command_names_the_fusion_and_what_repeats_it(command: Command, suffix: str) -> None:
    from rankworth.cli import main  # noqa: PLC0415 - the other command

    assert main(["fuse", "bm25.run", "dense.run", "--like", "qdrant", "-o", f"made.{suffix}", "--quiet"]) in (0, None)
    status, out, err = command(f"made.{suffix}", "--parts", "bm25.run", "dense.run")
    assert (status, err) == (0, "")
    assert out.splitlines()[0] == "qdrant:rrf(k=2) makes made of bm25 and dense"
    assert "made names qdrant:rrf(k=2), which is so" in out
    _, _, options = out.partition("to repeat it: rankworth fuse RUN... ")
    assert main(["fuse", "bm25.run", "dense.run", *shlex.split(options), "-o", "again.run", "--quiet"]) in (0, None)
    again, made = (rw.Run(name).to_frame()["query", "document", "score"] for name in ("again.run", f"made.{suffix}"))
    assert again.equals(made)
    status, out, _ = command(f"made.{suffix}", "--parts", "bm25.run", "dense.run", "-f", "json")
    record = json.loads(out)
    assert (record["schema"], record["kind"]) == ("rankworth.fusion-audit/1", "scores")


@pytest.mark.parametrize("suffix", ["parquet", "run"])
def test_an_audit_of_a_measure_names_the_fusion_that_the_run_names(command: Command, suffix: str) -> None:
    from rankworth.cli import main  # noqa: PLC0415 - the other command

    Path("qrels").write_text("".join(f"{query} 0 d07 1\n" for query in RUNS["bm25"]), encoding="utf-8")
    assert main(["fuse", "bm25.run", "dense.run", "-o", f"made.{suffix}", "--quiet"]) in (0, None)
    status, out, _ = command("qrels", f"made.{suffix}", "RR=0.9", "--quiet")
    said = "The run names the fusion that made it: rrf(k=60). Whether it did: rankworth audit RUN --parts RUN RUN."
    assert (status, said in " ".join(out.split())) == (0, True), out
    _, out, _ = command("qrels", f"made.{suffix}", "RR=0.9", "-f", "json", "--quiet")
    assert json.loads(out)["fusion"] == "rrf(k=60)"
    _, out, _ = command("qrels", "bm25.run", "RR=0.9", "-f", "json", "--quiet")
    assert json.loads(out)["fusion"] == ""
    fused = rw.fuse(RUNS, "sum(norm=z)")
    assert rw.audit({"q0": {"d07": 1}}, fused, "RR=0.9").fusion == "sum(norm=z)"


def test_a_run_that_shares_nothing_with_its_parts_is_told() -> None:
    with pytest.raises(rw.InputError, match="fused shares no query with bm25 dense"):
        rw.audit_fusion({"other": {"d01": 1.0}}, RUNS)
    strange = rw.audit_fusion({"q0": {"other": 1.0}}, RUNS)
    assert (strange.kind, strange.candidates[0].documents) == ("nearest", 0)


def test_a_tag_that_may_mean_anything_names_no_fusion(tmp_path: Path) -> None:
    for tag, fusion in (("rrf", ""), ("sum", ""), ("bm25", ""), ("rrf(k=20)", "rrf(k=20)"), ("rrf(k=20", "")):
        path = tmp_path / "tagged.run"
        path.write_text(f"q Q0 a 1 2.0 {tag}\nq Q0 b 2 1.0 {tag}\n", encoding="utf-8")
        assert rw.audit({"q": {"a": 1}}, path, "RR=1.0").fusion == fusion


def test_what_is_no_audit_of_a_fusion_is_refused(command: Command) -> None:
    for arguments, text in (
        (["qrels", "bm25.run", "--parts", "dense.run"], "--parts is about one run"),
        (["bm25.run", "--parts", "dense.run", "-m", "AP"], "--measure is about what is measured"),
        (["bm25.run", "--parts", "dense.run", "--between", "ranx", "standard"], "--between is about"),
        (["bm25.run"], "audit needs judgements, a run and the value to explain; there is bm25.run"),
    ):
        status, _, err = command(*arguments)
        assert status == 2, arguments
        assert text in err
