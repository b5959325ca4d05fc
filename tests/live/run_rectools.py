"""Runs RecTools: interactions are the pairs with a grade above 0, and ranks are the rank column of the run."""

import warnings

import pandas as pd
from lines import ALL, Answer, Collection, attempt, relevant, serve
from rectools.metrics import MAP, MRR, NDCG, F1Beta, HitRate, Precision, Recall

MEASURES = {
    f"{name}@{k}": measure(k=k, **options)
    for k in (3, 10)
    for name, measure, options in (
        ("NDCG", NDCG, {}),
        ("NDCG(divide_by_achievable=True)", NDCG, {"divide_by_achievable": True}),
        ("MAP", MAP, {}),
        ("MAP(divide_by_k=True)", MAP, {"divide_by_k": True}),
        ("MRR", MRR, {}),
        ("Precision", Precision, {}),
        ("Precision(r_precision=True)", Precision, {"r_precision": True}),
        ("Recall", Recall, {}),
        ("F1Beta", F1Beta, {}),
        ("HitRate", HitRate, {}),
    )
}


def answer(collection: Collection) -> Answer:
    """All measures of two frames."""
    interactions = pd.DataFrame(relevant(collection), columns=["user_id", "item_id"], dtype=object)
    ranked = [(query, document) for query, document, _, _ in collection["run"]]
    recommended = pd.DataFrame(ranked, columns=["user_id", "item_id"], dtype=object)
    recommended["rank"] = pd.Series([rank for _, _, rank, _ in collection["run"]], dtype="int64")
    return {name: attempt(lambda m=measure: values(m, recommended, interactions)) for name, measure in MEASURES.items()}


def values(measure: NDCG, recommended: pd.DataFrame, interactions: pd.DataFrame) -> dict[str, float]:
    """One value for each user, and the tool's own mean."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that ranks do not begin with 1
        rows = measure.calc_per_user(recommended, interactions)
        return {str(query): value for query, value in rows.items()} | {ALL: measure.calc(recommended, interactions)}


if __name__ == "__main__":
    serve(answer)
