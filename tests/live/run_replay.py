"""Runs RePlay; the ground truth is the documents with a grade above 0.

How: `"pandas input; ..."` or `"dict input; ..."`.
"""

import warnings
from typing import Any

import pandas as pd
from lines import ALL, Answer, Collection, attempt, relevant, serve
from replay.metrics import MAP, MRR, NDCG, HitRate, PerUser, Precision, Recall

MEASURES = {
    f"{measure.__name__}@{k}": (measure, k) for measure in (NDCG, MAP, MRR, Precision, Recall, HitRate) for k in (3, 10)
}


def answer(collection: Collection) -> Answer:
    """All measures; frames and dicts take different ways through the tool."""
    recommended, truth = frames(collection) if collection["how"].startswith("pandas") else dicts(collection)
    return {
        name: attempt(lambda m=measure, k=k: values(m, k, recommended, truth))
        for name, (measure, k) in MEASURES.items()
    }


def values(measure: Any, k: int, recommended: object, truth: object) -> dict[str, float]:
    """One value for each query, and the tool's own mean."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that there are duplicates
        (rows,) = measure(k, mode=PerUser())(recommended, truth).values()
        (mean,) = measure(k)(recommended, truth).values()
    return dict(rows) | {ALL: mean}


def frames(collection: Collection) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The rows as they are."""
    ranked = pd.DataFrame([(*row[:2], row[3]) for row in collection["run"]], columns=["query_id", "item_id", "rating"])
    return ranked, pd.DataFrame(relevant(collection), columns=["query_id", "item_id"], dtype=object)


def dicts(collection: Collection) -> tuple[dict[str, list[tuple[str, float]]], dict[str, list[str]]]:
    """Lists of documents for each query, in the order of the rows."""
    ranked: dict[str, list[tuple[str, float]]] = {query: [] for query in collection.get("empty_queries", ())}
    for query, document, _, score in collection["run"]:
        ranked.setdefault(query, []).append((document, score))
    truth: dict[str, list[str]] = {}
    for query, document in relevant(collection):
        truth.setdefault(query, []).append(document)
    return ranked, truth


if __name__ == "__main__":
    serve(answer)
