"""Runs recommenders. How: `"rating_true = rel>0 only"` or `"rating_true = all judgments ..."`."""

import warnings
from functools import partial

import pandas as pd
from lines import ALL, Answer, Collection, attempt, serve
from recommenders.evaluation import python_evaluation as tool

MEASURES = {
    f"{name}(k={k})": partial(measure, k=k)
    for k in (3, 10)
    for name, measure in (
        ("precision_at_k", tool.precision_at_k),
        ("recall_at_k", tool.recall_at_k),
        ("r_precision_at_k", tool.r_precision_at_k),
        ("map", tool.map),
        ("map_at_k", tool.map_at_k),
        ("ndcg_at_k", tool.ndcg_at_k),
        ("ndcg_at_k[raw,log2]", partial(tool.ndcg_at_k, score_type="raw", discfun_type="log2")),
        ("ndcg_at_k[exp,log2]", partial(tool.ndcg_at_k, score_type="exp", discfun_type="log2")),
    )
}


def answer(collection: Collection) -> Answer:
    """All measures of two frames; the tool gives means only."""
    every = collection["how"].startswith("rating_true = all")
    judged = [(query, document, float(grade)) for query, document, grade in collection["qrels"] if grade > 0 or every]
    ranked = [(query, document, score) for query, document, _, score in collection["run"]]
    truth = pd.DataFrame(judged, columns=["userID", "itemID", "rating"])
    predicted = pd.DataFrame(ranked, columns=["userID", "itemID", "prediction"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {
            name: attempt(lambda m=measure: {ALL: m(truth.copy(), predicted.copy())})
            for name, measure in MEASURES.items()
        }


if __name__ == "__main__":
    serve(answer)
