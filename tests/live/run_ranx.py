"""Runs ranx. How: `"make_comparable=False"`, `"make_comparable=True"` or `"dict"`; `measures` if not those below."""

import numpy as np
import ranx
from lines import ALL, Answer, Collection, attempt, judgements, ranking, serve

MEASURES = (
    *("hits", "hits@3", "hit_rate@3", "precision", "precision@3", "precision@10", "recall@3", "recall@10", "f1"),
    *("f1@3", "r-precision", "mrr", "mrr@3", "map", "map@3", "map@10", "dcg", "dcg@3", "dcg_burges", "ndcg"),
    *("ndcg@3", "ndcg@10", "ndcg_burges", "ndcg_burges@3", "bpref", "rbp.80", "rbp.90", "ndcg@3-l2", "map-l2"),
    "precision@3-l2",
)


class Id(str):
    """A document id that passes for one of 64 characters: ranx compiles itself anew for each length of the longest."""

    __slots__ = ()

    def __len__(self) -> int:
        """The one length."""
        return 64


def ids(by_query: dict[str, dict[str, float]]) -> dict[str, dict[str, float]]:
    """The same with documents whose ids pass for equally long."""
    return {
        query: {Id(document): value for document, value in documents.items()} for query, documents in by_query.items()
    }


def answer(collection: Collection) -> Answer:
    """Each measure on its own: where one raises, the others still have values."""
    names = collection.get("measures", MEASURES)
    return {name: attempt(lambda name=name: one(name, collection)) for name in names}


def one(name: str, collection: Collection) -> dict[str, float]:
    """The values of one measure; objects are made anew, since they are changed by an evaluation."""
    grades, scores = judgements(collection), ranking(collection)
    if collection["how"] == "dict":
        # One measure alone is looked up by a name without its cutoff; values have the places of the judged queries.
        values = ranx.evaluate(grades, scores, [name, "hits"], return_mean=False)[name]
        return dict(zip(grades, values, strict=True)) | {ALL: np.mean(values)}
    run = ranx.Run(ids(scores))
    comparable = collection["how"] == "make_comparable=True"
    mean = ranx.evaluate(ranx.Qrels(ids(grades)), run, name, make_comparable=comparable)
    return dict(run.scores[name]) | {ALL: mean}


if __name__ == "__main__":
    serve(answer)
