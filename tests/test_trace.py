"""Traces of pipelines: ceilings by brute force, losses that add up, and the sentence that names a stage."""

import itertools
import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankworth as rw
from rankworth.cli import main
from rankworth.errors import MeasureError, RankworthError, UsageError

Ranking = Sequence[str]
QRELS = {"q1": {"a": 2, "b": 1, "c": 1, "z": 0}, "q2": {"m": 1, "n": 1}}
BM25 = {"q1": ["x", "a", "y", "b"], "q2": ["m", "o"]}
DENSE = {"q1": ["c", "x", "a"], "q2": ["p"]}
FUSED = {"q1": ["x", "c", "a", "y", "b"], "q2": ["m", "p", "o"]}
RERANKED = {"q1": ["a", "x", "c"], "q2": ["o", "m"]}
STAGES = {"retrieval": {"bm25": BM25, "dense": DENSE}, "fused": FUSED, "reranked": RERANKED}


def pipelines(seed: int, size: int) -> tuple[dict[str, dict[str, int]], list[dict[str, list[str]]]]:
    """Judgements and the runs of four stages, the first of which has two runs: each query is a pipeline."""
    random = np.random.default_rng(seed)
    qrels: dict[str, dict[str, int]] = {}
    runs: list[dict[str, list[str]]] = [{} for _ in range(5)]
    for number in range(size):
        query = f"q{number}"
        judged = random.permutation(list("abcdefg"))[: random.integers(1, 6)]
        qrels[query] = {document: int(random.integers(0, 3)) for document in judged}
        first, second = (random.permutation(list("abcdefgh"))[: random.integers(1, 4)].tolist() for _ in range(2))
        candidates = list(dict.fromkeys([*first, *second]))
        stages = [first, second]
        for _ in range(3):
            kept = random.permutation(candidates)[: random.integers(1, len(candidates) + 1)].tolist()
            stages.append(kept)
            candidates = kept
        for run, ranking in zip(runs, stages, strict=True):
            run[query] = ranking
    return qrels, runs


def best_by_brute_force(
    qrels: Mapping[str, Mapping[str, int]], candidates: Mapping[str, Sequence[str]], measure: str
) -> dict[str, float]:
    """The best value of any order of the candidates of each query, all orders evaluated."""
    judged, run = {}, {}
    for query, documents in candidates.items():
        for number, order in enumerate(itertools.permutations(documents)):
            judged[f"{query} {number}"], run[f"{query} {number}"] = dict(qrels[query]), list(order)
    values = rw.evaluate(judged, run, [measure]).per_query.to_dict()
    best: dict[str, float] = {}
    for name, row in values.items():
        query = name.split()[0]
        best[query] = max(best.get(query, -math.inf), row[measure])
    return best


@pytest.mark.parametrize("measure", ["nDCG@3", "AP", "RR@2", "R@2", "P(rel=2)@2", "RBP(p=0.5)"])
def test_ceilings_are_the_best_of_all_orders(measure: str) -> None:
    qrels, runs = pipelines(1, 40)
    traced = rw.trace(
        qrels,
        [
            [rw.Run(runs[0], "a"), rw.Run(runs[1], "b")],
            *(rw.Run(run, f"s{number}") for number, run in enumerate(runs[2:])),
        ],
        measure,
    )
    unions = [
        {query: list(dict.fromkeys([*runs[0][query], *runs[1][query]])) for query in qrels},
        *runs[2:],
    ]
    for stage, candidates in zip(traced.stages, unions, strict=True):
        best = best_by_brute_force(qrels, candidates, measure)
        assert stage.ceiling == pytest.approx(sum(best.values()) / len(qrels))
    for row in traced.depths:
        if row.stage == "a + b" and row.depth == 10:
            assert row.ceiling == traced.stages[0].ceiling


@pytest.mark.parametrize("measure", ["nDCG@3", "AP", "R@2"])
def test_losses_add_up_and_are_never_negative_where_stages_only_order_and_cut(measure: str) -> None:
    qrels, runs = pipelines(2, 600)
    stages = [[rw.Run(runs[0], "a"), rw.Run(runs[1], "b")], *(rw.Run(run, f"s{n}") for n, run in enumerate(runs[2:]))]
    traced = rw.trace(qrels, stages, measure)
    assert sum(loss.loss for loss in traced.losses) == pytest.approx(traced.best - traced.stages[-1].realised)
    assert all(loss.loss >= 0 for loss in traced.losses)
    assert not traced.warnings
    for stage, run in zip(traced.stages[1:], runs[2:], strict=True):
        assert stage.realised == rw.evaluate(qrels, run, [measure])[measure]
        assert stage.realised <= stage.ceiling + 1e-12
    outcomes = [each.outcome for each in traced.documents]
    assert len(outcomes) == sum(grade > 0 for ranking in qrels.values() for grade in ranking.values())
    for index in range(3):
        assert sum(row.documents for row in traced.flow if row.stage == traced.stages[index].stage) == len(outcomes)


def test_every_relevant_document_is_followed() -> None:
    traced = rw.trace(QRELS, STAGES, "nDCG@2")
    followed = {(each.query, each.document): (each.ranks, each.outcome) for each in traced.documents}
    assert followed == {
        ("q1", "a"): ((2, 3, 1), "on the first ranks"),
        ("q1", "b"): ((4, 5, None), "dropped by reranked"),
        ("q1", "c"): ((1, 2, 3), "sank below 2 in reranked"),
        ("q2", "m"): ((1, 1, 2), "on the first ranks"),
        ("q2", "n"): ((None, None, None), "never retrieved"),
    }
    assert [(loss.stage, loss.kind, loss.documents) for loss in traced.losses] == [
        ("bm25 + dense", "not retrieved", 1),
        ("fused", "dropped", 0),
        ("reranked", "dropped", 1),
        ("reranked", "order", 1),
    ]


def test_a_document_that_never_stood_high_is_told_so() -> None:
    traced = rw.trace({"q": {"a": 1}}, {"one": {"q": ["x", "y", "a"]}}, "RR@2")
    assert traced.documents[0].outcome == "never on the first 2 ranks"


@pytest.mark.parametrize(
    ("stages", "measure", "sentence"),
    [
        (
            {"dense": {"q": ["x", "a"]}, "reranked": {"q": ["x", "a"]}},
            "RR",
            (
                "the candidates of reranked hold 1.00, and reranked realises 0.50 of it: "
                "work on its order, not on retrieval"
            ),
        ),
        (
            {"dense": {"q": ["x", "y"]}, "reranked": {"q": ["y", "x"]}},
            "RR",
            "the candidates of dense hold 0.00 of 1.00: work on retrieval, not on order",
        ),
        (
            {"dense": {"q": ["x", "a"]}, "cut": {"q": ["x"]}, "reranked": {"q": ["x"]}},
            "RR",
            "the candidates of dense hold 1.00, and cut keeps 0.00: work on what cut drops, let it keep more documents",
        ),
        (
            {"dense": {"q": ["a"]}},
            "RR",
            "dense realises all of 1.00 that the judged documents allow: nothing is lost",
        ),
    ],
)
def test_the_first_sentence_names_the_stage_to_work_on(stages: Any, measure: str, sentence: str) -> None:
    traced = rw.trace({"q": {"a": 1}}, stages, measure)
    assert traced.verdict == sentence
    assert repr(traced).startswith(" ".join(sentence.split()[:5]))
    assert traced.to_dict()["verdict"] == sentence


def test_steps_have_the_intervals_of_a_comparison() -> None:
    qrels, runs = pipelines(3, 40)
    first, second = rw.Run(runs[2], "first"), rw.Run(runs[3], "second")
    traced = rw.trace(qrels, [first, second], "AP", resamples=2000)
    [compared] = rw.compare(qrels, {"first": first, "second": second}, ["AP"], resamples=2000).differences
    step = traced.stages[1]
    assert (step.difference, step.low, step.high, step.word) == (
        compared.difference,
        compared.low,
        compared.high,
        compared.word,
    )


def test_groups_and_texts_stand_beside_the_losses() -> None:
    table = [{"qid": "q1", "text": "red shoes", "language": "en"}, {"qid": "q2", "text": "حذاء", "language": "ar"}]
    traced = rw.trace(QRELS, STAGES, "R@3", table=table, by="language")
    assert {(row.group, row.kind): row.loss for row in traced.groups if row.stage == "bm25 + dense"} == {
        ("en", "not retrieved"): 0.0,
        ("ar", "not retrieved"): 0.5,
    }
    assert [(row.query, row.text) for row in traced.queries if row.kind == "not retrieved"] == [("q2", "حذاء")]


def test_documents_that_the_stages_before_lack_are_told() -> None:
    traced = rw.trace({"q": {"a": 1}}, {"first": {"q": ["x"]}, "second": {"q": ["x", "a"]}}, "RR")
    assert traced.warnings == (("new-documents", "second has 1 document that first lacks: a of query q"),)


@pytest.mark.parametrize(
    ("arguments", "kind", "text"),
    [
        ({"measure": "Coverage@10"}, MeasureError, "Coverage"),
        ({"measure": "NumRel"}, MeasureError, "NumRel is counted"),
        ({"measure": "official"}, MeasureError, "stands for"),
        ({"ties": "id-ascending"}, UsageError, "changes ranks"),
        ({"weights": {"q1": 2, "q2": 1}}, UsageError, "counts alike"),
        ({"stages": []}, UsageError, "there is no stage"),
        ({"stages": [{"a": BM25}, []]}, UsageError, "stage 2 of 2 has no run"),
        ({"stages": "bm25.run"}, RankworthError, "is no list of stages"),
        ({"stages": [rw.Run(BM25, "a"), rw.Run(DENSE, "a")]}, UsageError, "two runs of the pipeline are called a"),
        ({"stages": {"a": {"q1": [("a", 1.0), ("a", 0.5)]}}}, RankworthError, "duplicate-document"),
    ],
)
def test_what_cannot_be_traced_is_refused(arguments: Mapping[str, Any], kind: type[Exception], text: str) -> None:
    with pytest.raises(kind, match=text):
        rw.trace(
            QRELS,
            arguments.get("stages", STAGES),
            arguments.get("measure", "AP"),
            **{name: value for name, value in arguments.items() if name not in ("stages", "measure")},
        )


def test_a_command_takes_stages_from_left_to_right(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, run in (("bm25", BM25), ("dense", DENSE), ("fused", FUSED), ("reranked", RERANKED)):
        rows = [
            f"{query} Q0 {each} {rank} {9 - rank} {name}\n"
            for query, docs in run.items()
            for rank, each in enumerate(docs, 1)
        ]
        Path(f"{name}.run").write_text("".join(rows))
    Path("qrels.txt").write_text("".join(f"{q} 0 {d} {g}\n" for q, grades in QRELS.items() for d, g in grades.items()))
    command = ["trace", "qrels.txt", "bm25.run,dense.run", "fused.run", "reranked.run", "-m", "nDCG@2"]
    assert main([*command, "-f", "json"]) == 0
    told = json.loads(capsys.readouterr().out)
    expected = rw.trace(QRELS, STAGES, "nDCG@2")
    assert told["verdict"] == expected.verdict
    assert [stage["ceiling"] for stage in told["stages"]] == [stage.ceiling for stage in expected.stages]
    assert [each["outcome"] for each in told["documents"]] == [each.outcome for each in expected.documents]
    assert main(command) == 0
    assert capsys.readouterr().out.startswith(expected.verdict[:20])
    assert main(["trace", "qrels.txt", "words=bm25.run,vectors=dense.run", "fused.run", "-f", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["stages"][0]["stage"] == "words + vectors"
    assert main([*command, "-o", "flow.svg", "--quiet"]) == 0
    assert "<svg" in Path("flow.svg").read_text()
    assert main(["trace", "qrels.txt"]) == 2
    for stage in (",", "bm25.run,", ",bm25.run", "bm25.run,,dense.run"):
        assert main(["trace", "qrels.txt", stage, "reranked.run"]) == 2
        assert "without a blank: bm25.run,dense.run" in capsys.readouterr().err
    assert main([*command, "AP"]) == 2
    assert "names several" in capsys.readouterr().err


def test_the_numbers_of_the_chart_are_those_of_the_trace() -> None:
    frame = rw.plots.data.flow(rw.trace(QRELS, STAGES, "nDCG@2"))
    bars = frame.filter(frame["next_stage"] == "").group_by("stage", maintain_order=True).agg(total="documents").rows()
    assert {stage: sum(counts) for stage, counts in bars} == {"bm25 + dense": 5, "fused": 5, "reranked": 5}
