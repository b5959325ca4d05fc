"""Runs scikit-learn, one array for each query of the run, which the tool does not know about.

How: `"retrieved docs only, ..."`: the documents of the list, in the order of the rows, unjudged ones with grade 0;
`"retrieved + unretrieved judged docs ..."`: after them the judged ones that were not retrieved, with the lowest score
less 1.
"""

import warnings
from collections.abc import Callable
from functools import partial

import numpy as np
from lines import ALL, Answer, Collection, attempt, judgements, serve
from sklearn import metrics

Scored = tuple[np.ndarray, np.ndarray]


def binary(measure: Callable[..., float], grades: np.ndarray, scores: np.ndarray) -> float:
    """A measure of labels: what has a grade above 0 is one."""
    return measure(grades > 0, scores)


MEASURES: dict[str, Callable[[np.ndarray, np.ndarray], float]] = {
    f"{measure.__name__}(k={k}, ignore_ties=False)": partial(measure, k=k)
    for k in (None, 3, 10)
    for measure in (metrics.ndcg_score, metrics.dcg_score)
}
MEASURES["average_precision_score(rel>0)"] = lambda grades, scores: metrics.average_precision_score(
    grades[0] > 0, scores[0]
)
MEASURES["label_ranking_average_precision_score(rel>0)"] = partial(
    binary, metrics.label_ranking_average_precision_score
)


def answer(collection: Collection) -> Answer:
    """All measures of all lists; the mean is over the lists."""
    arrays = lists(collection)
    return {name: attempt(lambda measure=measure: values(measure, arrays)) for name, measure in MEASURES.items()}


def values(measure: Callable[[np.ndarray, np.ndarray], float], arrays: dict[str, Scored]) -> dict[str, float]:
    """One value for each list."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that there is no positive label
        rows = {query: float(measure(*scored)) for query, scored in arrays.items()}
    return rows | {ALL: float(np.mean(list(rows.values())))}


def lists(collection: Collection) -> dict[str, Scored]:
    """Grades and scores of each list, as arrays with one row."""
    grades = judgements(collection)
    rows: dict[str, list[tuple[str, float]]] = {query: [] for query in collection.get("empty_queries", ())}
    for query, document, _, score in collection["run"]:
        rows.setdefault(query, []).append((document, score))
    if collection["how"].startswith("retrieved +"):
        for query, listed in rows.items():
            known, lowest = {document for document, _ in listed}, min((score for _, score in listed), default=0.0)
            listed += [(document, lowest - 1) for document in grades.get(query, ()) if document not in known]
    return {
        query: (
            np.array([[grades.get(query, {}).get(document, 0) for document, _ in listed]]),
            np.array([[score for _, score in listed]]),
        )
        for query, listed in rows.items()
    }


if __name__ == "__main__":
    serve(answer)
