"""The evaluator gives what the one of sentence-transformers gave, and intervals, queries and other searches besides."""

import csv
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import rankworth as rw
from rankworth.errors import RankworthError
from rankworth.sentence_transformers import Evaluator

GOLDEN: dict[str, Any] = json.loads((Path(__file__).parent / "data" / "sentence_transformers.json").read_text("utf-8"))
CASES = [(int(seed), similarity) for seed, _, similarity in (name.partition(" ") for name in GOLDEN) if seed.isdigit()]
SIMILARITIES = {
    "cosine": lambda one, other: torch.nn.functional.normalize(one) @ torch.nn.functional.normalize(other).T,
    "dot": lambda one, other: one @ other.T,
    "euclidean": lambda one, other: -torch.cdist(one, other),
}


class Model:
    """Stands for a `SentenceTransformer`: the vector of a text is drawn from it, with ties where `whole` is true."""

    def __init__(self, similarity: str, *, whole: bool = False) -> None:
        """Choose the similarity."""
        self.similarity_fn_name, self.whole = similarity, whole
        self.similarity = SIMILARITIES[similarity]

    def encode(self, texts: list[str], **_: Any) -> Any:
        """The vectors of texts."""
        draws = [np.random.default_rng(int.from_bytes(text.encode(), "big")) for text in texts]
        vectors = [draw.integers(-1, 2, 4) if self.whole else draw.standard_normal(8) for draw in draws]
        return torch.tensor(np.array(vectors), dtype=torch.float32)


def collection(seed: int) -> tuple[dict[str, str], dict[str, str], dict[str, set[str]]]:
    """Queries, documents and the relevant ones."""
    draw = np.random.default_rng(seed)
    documents = int(draw.integers(20, 400))
    queries = {f"q{number}": f"query {number} {seed}" for number in range(15)}
    corpus = {f"d{number}": f"doc {number} {seed}" for number in draw.permutation(documents)}
    relevant = {
        f"q{number}": {f"d{one}" for one in draw.integers(0, documents, int(draw.integers(0, 6)))}
        for number in range(14)
    }
    return queries, corpus, relevant


@pytest.mark.parametrize(("seed", "similarity"), CASES)
def test_values_are_those_of_sentence_transformers(seed: int, similarity: Any) -> None:
    evaluator = Evaluator(*collection(seed), name="dev" if seed % 3 else "")
    means = evaluator(Model(similarity, whole=similarity == "dot" and seed % 2 == 1))
    expected = GOLDEN[f"{seed} {similarity}"]["values"]
    assert [*means][: len(expected)] == [*expected]
    assert {name: means[name] for name in expected} == pytest.approx(expected, abs=1e-15)
    main = evaluator.primary_metric
    assert main == ("dev_" if seed % 3 else "") + f"{similarity}_ndcg@10"
    assert means[f"{main}_low"] <= means[main] <= means[f"{main}_high"]
    assert [*means][len(expected) :] == [f"{main}_low", f"{main}_high"]


@pytest.mark.parametrize(("seed", "similarity"), CASES)
def test_parts_of_the_corpus_are_encoded_one_after_the_other(seed: int, similarity: Any) -> None:
    sizes: list[int] = []

    class Recording(Model):
        def encode(self, texts: list[str], **options: Any) -> Any:
            sizes.append(len(texts))
            return super().encode(texts, **options)

    queries, corpus, relevant = collection(seed)
    whole = similarity == "dot" and seed % 2 == 1
    evaluator = Evaluator(queries, corpus, relevant, corpus_chunk_size=17, write_csv=False)
    means = evaluator(Recording(similarity, whole=whole))
    size = len(corpus)
    assert sizes == [len(evaluator.queries), *[17] * (size // 17), *[size % 17] * (size % 17 > 0)]
    at_once = Evaluator(queries, corpus, relevant, write_csv=False)(Model(similarity, whole=whole))
    assert means == at_once


@pytest.mark.parametrize(("seed", "similarity"), CASES)
def test_embeddings_have_the_same_values(seed: int, similarity: Any) -> None:
    queries, corpus, relevant = collection(seed)
    model = Model(similarity, whole=similarity == "dot" and seed % 2 == 1)
    prefix = f"{'dev_' if seed % 3 else ''}{similarity}_"
    expected = {name.removeprefix(prefix): value for name, value in GOLDEN[f"{seed} {similarity}"]["values"].items()}
    values = rw.evaluate_embeddings(
        model.encode(list(queries.values())),
        model.encode(list(corpus.values())),
        {query: dict.fromkeys(documents, 1) for query, documents in relevant.items() if documents},
        list(expected),
        query_ids=list(queries),
        corpus_ids=list(corpus),
        similarity=similarity,
        profile="sentence-transformers-6",
    )
    assert values.mean() == pytest.approx(expected, abs=1e-15)


def test_files_have_means_queries_and_what_was_found(tmp_path: Path) -> None:
    evaluator = Evaluator(*collection(1), name="dev", write_predictions=True, map_at_k=[3])
    for epoch in (1, 2):
        means = evaluator(Model("dot"), str(tmp_path), epoch=epoch, steps=10 * epoch)
    stem = "Information-Retrieval_evaluation_dev"
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        f"{stem}_{rest}" for rest in ("per_query.csv", "predictions_dot.jsonl", "results.csv")
    ]
    [head, first, second] = csv.reader((tmp_path / f"{stem}_results.csv").read_text("utf-8").splitlines())
    assert head[:5] == ["epoch", "steps", "dot-Accuracy@1", "dot-Accuracy@3", "dot-Accuracy@5"]
    assert head[6:8] == ["dot-Precision@1", "dot-Recall@1"]
    assert head[-3:] == ["dot-MRR@10", "dot-NDCG@10", "dot-MAP@3"]
    assert first[:2] == ["1", "10"]
    assert float(second[-2]) == means["dev_dot_ndcg@10"]
    [head, *rows] = csv.reader((tmp_path / f"{stem}_per_query.csv").read_text("utf-8").splitlines())
    assert head[:3] == ["epoch", "steps", "query"]
    assert len(rows) == 2 * len(evaluator.qrels)
    ours = evaluator.values["dot"].per_query.to_dict()
    assert {row[2]: float(row[-2]) for row in rows} == {query: ours[query]["ndcg@10"] for query in ours}
    lines = (tmp_path / f"{stem}_predictions_dot.jsonl").read_text("utf-8").splitlines()
    hits = json.loads(lines[0])["results"]
    assert len(lines) == len(evaluator.queries)
    assert [hit["score"] for hit in hits] == sorted((hit["score"] for hit in hits), reverse=True)


def test_nothing_is_written_without_a_folder_or_where_nobody_wants_it(tmp_path: Path) -> None:
    evaluator = Evaluator(*collection(1), write_csv=False)
    evaluator(Model("dot"), str(tmp_path))
    assert list(tmp_path.iterdir()) == []


def test_a_search_stands_in_for_the_exact_one() -> None:
    queries, corpus, relevant = collection(2)
    model = Model("dot")

    def exact(one: Any, other: Any, number: int) -> Any:
        scores, rows = torch.topk(one @ other.T, number, dim=1)
        return scores, rows

    def hits(one: Any, _: Any, number: int) -> Any:  # of the first query alone, at the second rank
        rows = np.full((len(one), number), -1)
        rows[0, 1] = list(corpus).index(next(iter(relevant[next(iter(queries))] & set(corpus))))
        return np.zeros((len(one), number)), rows

    whole = Evaluator(queries, corpus, relevant)(model)
    assert Evaluator(queries, corpus, relevant, search=exact)(model) == pytest.approx(whole)
    assert Evaluator(queries, corpus, relevant, search=hits)(model)["dot_accuracy@1"] == 1 / sum(
        map(bool, relevant.values())
    )
    with pytest.raises(RankworthError, match="input-type"):
        Evaluator(queries, corpus, relevant, search=lambda *_: (np.zeros((1, 1)), np.zeros((1, 2))))(model)


def test_several_score_functions_and_known_vectors() -> None:
    queries, corpus, relevant = collection(0)
    functions = {name: SIMILARITIES[name] for name in ("dot", "cosine")}
    evaluator = Evaluator(queries, corpus, relevant, score_functions=functions, main_score_function="dot")
    model = Model("euclidean")
    means = evaluator(model, corpus_embeddings=model.encode(list(corpus.values())))
    assert {name.partition("_")[0] for name in means} == {"dot", "cosine"}
    assert evaluator.primary_metric == "dot_ndcg@10"
    best = Evaluator(queries, corpus, relevant, score_functions=functions)
    best(model)
    assert best.primary_metric == f"{max(functions, key=lambda name: means[f'{name}_ndcg@10'])}_ndcg@10"


@pytest.mark.parametrize(
    ("queries", "corpus", "relevant"),
    [({"q": "x"}, {"d": "y"}, {}), ({"q": "x"}, {"d": "y"}, {"q": set()}), ({"q": "x"}, {}, {"q": {"d"}})],
)
def test_nothing_to_evaluate_is_refused(queries: Any, corpus: Any, relevant: Any) -> None:
    with pytest.raises(RankworthError, match="empty-input"):
        Evaluator(queries, corpus, relevant)


def test_grades_above_0_are_relevant_and_the_difference_from_the_tool_is_said() -> None:
    queries, corpus, relevant = collection(1)
    model, draw = Model("dot"), np.random.default_rng(0)
    graded = {query: {document: int(draw.integers(1, 4)) for document in ids} for query, ids in relevant.items()}
    expected = Evaluator(queries, corpus, relevant)(model)
    assert Evaluator(queries, corpus, graded)(model) == expected
    assert Evaluator(queries, corpus, {query: dict.fromkeys(ids, True) for query, ids in relevant.items()})(model)
    with_zeros = {query: grades | {"d1": grades.get("d1", 0), "other": -1} for query, grades in graded.items()}
    with pytest.warns(rw.RankworthWarning, match="InformationRetrievalEvaluator counts every key") as caught:
        evaluator = Evaluator(queries, corpus, with_zeros)
    assert [warning.message.slug for warning in caught] == ["known-defect"]  # type: ignore[union-attr]
    assert evaluator(model) == expected
    assert evaluator.qrels == {query: dict.fromkeys(ids, 1) for query, ids in relevant.items() if ids}
    for grade in ("2", None, float("nan")):
        with pytest.raises(RankworthError, match="bad-grade"):
            Evaluator({"q": "x"}, {"d": "y"}, {"q": {"d": grade}})


def test_rankworth_itself_imports_none_of_it() -> None:
    code = "import sys, rankworth; rankworth.evaluate; print('rankworth.sentence_transformers' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"
