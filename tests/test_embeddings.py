"""Embeddings are worth what `rankworth.evaluate` says of all similarities, in whatever blocks they are compared."""

from typing import Any

import array_api_strict
import numpy as np
import pytest
import pytrec_eval
import torch

import rankworth as rw
from matrices import DEVICE
from rankworth.embeddings import retrieve
from rankworth.errors import RankworthError

MEASURES = ["nDCG@3", "RR@2", "R@4", "Judged@3", "P(judged_only=True)@2"]
LIBRARIES = {
    "numpy": np.asarray,
    "torch": lambda array: torch.tensor(array.copy(), device=DEVICE),
    "strict": lambda array: array_api_strict.asarray(array.copy(), device=array_api_strict.Device("device1")),
}
SIMILARITIES = {
    "cosine": lambda queries, corpus: (queries / length(queries)) @ (corpus / length(corpus)).T,
    "dot": lambda queries, corpus: queries @ corpus.T,
    "euclidean": lambda queries, corpus: -np.sqrt(((queries[:, None] - corpus[None]) ** 2).sum(axis=2)),
}


def length(vectors: Any) -> Any:
    return np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)


def drawn(seed: int) -> tuple[Any, Any, dict[str, dict[str, int]], list[str]]:
    """Queries and documents with many equal similarities, judgements, and ids in no order."""
    draw = np.random.default_rng(seed)
    queries, corpus = (draw.integers(-2, 3, (size, 2)).astype(float) for size in (4, int(draw.integers(1, 30))))
    ids = [f"d{number}" for number in draw.permutation(len(corpus))]
    qrels = {f"q{query}": {str(one): int(draw.integers(0, 3)) for one in draw.choice(ids, 3)} for query in range(4)}
    return queries, corpus, qrels, ids


TIES = ["id-descending", "id-ascending", "given", "given-reversed"]


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("seed", range(4))
def test_values_are_those_of_all_similarities(library: str, ties: Any, seed: int) -> None:
    of, (queries, corpus, qrels, ids) = LIBRARIES[library], drawn(seed)
    names = [f"q{query}" for query in range(4)]
    rows = SIMILARITIES["dot"](queries, corpus).tolist()
    run = {name: dict(zip(ids, row, strict=True)) for name, row in zip(names, rows, strict=True)}
    expected = rw.evaluate(qrels, run, MEASURES, ties=ties).per_query.to_dict()
    for block in (1, 3, 7, 40):
        found = rw.evaluate_embeddings(
            of(queries),
            of(corpus),
            qrels,
            MEASURES,
            query_ids=names,
            corpus_ids=ids,
            similarity="dot",
            block=block,
            ties=ties,
        )
        assert found.per_query.to_dict() == expected


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("similarity", SIMILARITIES)
def test_scores_are_those_of_the_formula(library: str, similarity: Any) -> None:
    of, (queries, corpus, _, ids) = LIBRARIES[library], drawn(5)
    scores = SIMILARITIES[similarity](queries, corpus)
    run = retrieve(of(queries), of(corpus), depth=100, corpus_ids=ids, similarity=similarity, block=4)
    rows = list(run.to_frame().iter_rows())
    assert len(rows) == scores.size
    for query, document, score in rows:
        assert score == pytest.approx(scores[int(query), ids.index(document)], abs=1e-7)


def test_values_are_those_of_mteb() -> None:
    draw = np.random.default_rng(1)
    queries, corpus = draw.standard_normal((5, 8)).astype("f4"), draw.standard_normal((50, 8)).astype("f4")
    qrels = {str(query): {str(number): int(number % 3) for number in draw.integers(0, 50, 9)} for query in range(5)}
    scores = SIMILARITIES["cosine"](queries, corpus)
    run = {str(query): {str(number): float(one) for number, one in enumerate(row)} for query, row in enumerate(scores)}
    theirs = pytrec_eval.RelevanceEvaluator(qrels, {"ndcg_cut.10", "recall.10"}).evaluate(run)
    found = rw.evaluate_embeddings(queries, corpus, qrels, ["ndcg_at_10", "recall_at_10"], profile="mteb")
    for name, one in {"ndcg_at_10": "ndcg_cut_10", "recall_at_10": "recall_10"}.items():
        assert found[name] == round(sum(values[one] for values in theirs.values()) / 5, 5)


def test_vectors_may_come_by_id_and_in_any_precision() -> None:
    vectors = {"a": [1.0, 0.0], "b": [0.0, 1.0], "c": [0.6, 0.8]}
    expected = {"a": 1.0, "b": 1.0}
    for of in (np.float16, np.float32, np.float64, np.int8, np.int64, torch.half, torch.bfloat16, torch.int8):
        make = torch.tensor if isinstance(of, torch.dtype) else np.array
        corpus = {name: make(vector, dtype=of) for name, vector in vectors.items()}
        values = rw.evaluate_embeddings(corpus, corpus, {"a": {"a": 1}, "b": {"b": 1}}, ["RR@1"], similarity="dot")
        assert {name: row["RR@1"] for name, row in values.per_query.to_dict().items()} == expected
    assert rw.evaluate_embeddings(vectors, vectors, {"c": {"c": 1}}, ["RR@1"])["RR@1"] == 1.0


def test_a_query_that_is_a_document_is_left_out() -> None:
    vectors = np.array([[1.0, 0.0], [0.9, 0.1], [0.0, 1.0]])
    values = rw.evaluate_embeddings(vectors, vectors, {"0": {"1": 1}}, ["Success@1"], exclude="self")
    assert values["Success@1"] == 1.0


def test_as_many_documents_are_retrieved_as_the_measures_look_at() -> None:
    vectors = np.arange(1.0, 1201).reshape(-1, 1)
    for measure, last, value in (
        ("P@7", 1199, 1 / 7),
        ("RR", 200, 1 / 1000),
        ("RR", 199, 0.0),
        ("RR@1100", 199, 1 / 1001),
    ):
        qrels = {"0": {"1199": 0, str(last): 1}}
        assert rw.evaluate_embeddings(vectors[:1], vectors, qrels, [measure], similarity="dot")[measure] == value
    values = rw.evaluate_embeddings(
        vectors[:1], vectors, {"0": {"1190": 1, "1199": 0}}, ["RR@5"], depth=9, similarity="dot"
    )
    assert values["RR@5"] == 0.0
    assert "depth:9" in str(values.signature)
    frame = retrieve(vectors[:1], vectors, depth=2, similarity="dot").to_frame()
    assert frame["document"].to_list() == ["1199", "1198"]


ONES = np.ones((2, 3))
BAD: dict[str, tuple[str, str, dict[str, Any]]] = {
    "another width": ("input-type", "dimensions", {"corpus": np.ones((2, 4))}),
    "a single vector": ("input-type", "shape", {"queries": np.ones(3)}),
    "no vector": ("input-type", "shape", {"corpus": np.ones((0, 3))}),
    "an empty dict": ("input-type", "no vector", {"corpus": {}}),
    "a list": ("input-type", "not an array", {"corpus": [[1.0, 2.0, 3.0]]}),
    "another library": ("input-type", "array_api_compat.torch", {"corpus": torch.ones((2, 3))}),
    "texts": ("input-type", "not real numbers", {"corpus": np.array([["a", "b", "c"]])}),
    "too few ids": ("input-type", "1 ids for 2 vectors", {"corpus_ids": ["a"]}),
    "an id twice": ("input-type", "'a' twice", {"query_ids": ["a", "a"]}),
    "ids twice": ("input-type", "beside a dict", {"corpus": {"a": [1.0, 1.0, 1.0]}, "corpus_ids": ["a"]}),
    "a text for ids": ("input-type", "not a list", {"corpus_ids": "ab"}),
    "NaN": ("bad-score", "'1'", {"corpus": np.array([[1.0, 1.0, 1.0], [1.0, np.nan, 1.0]])}),
    "NaN of a function": ("bad-score", "a similarity is NaN", {"similarity": lambda *_: np.full((2, 2), np.nan)}),
    "another similarity": ("unknown-setting", "cosine, dot", {"similarity": "manhattan"}),
    "a block of nothing": ("unknown-setting", "from 1 on", {"block": 0}),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_refused(case: str) -> None:
    slug, text, changed = BAD[case]
    arguments = {"queries": ONES, "corpus": ONES, **changed}
    with pytest.raises(RankworthError, match=text) as caught:
        rw.evaluate_embeddings(qrels={"0": {"1": 1}}, measures=["RR@10"], **arguments)
    assert caught.value.slug == slug


@pytest.mark.parametrize("similarity", ["cosine", "dot", "euclidean"])
def test_queries_and_documents_may_differ_in_precision(similarity: Any) -> None:
    queries, corpus = torch.eye(2, dtype=torch.float64), torch.tensor([[0.0, 1.0], [1.0, 0.0]])
    for one, other in ((queries, corpus), (queries.float(), corpus.double())):
        found = rw.evaluate_embeddings(one, other, {"0": {"1": 1}, "1": {"0": 1}}, ["RR@1"], similarity=similarity)
        assert found["RR@1"] == 1.0
