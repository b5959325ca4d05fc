"""Runs BEIR. How: `"ignore_identical_ids=True"`, `"ignore_identical_ids=False"`, or `"custom"` for its own measures."""

from beir.retrieval.evaluation import EvaluateRetrieval
from lines import ALL, Answer, Collection, attempt, judgements, ranking, serve

CUTOFFS = [1, 3, 10]
MAIN = ("NDCG", "MAP", "Recall", "P")
CUSTOM = {"MRR": "mrr", "R_cap": "recall_cap", "Hole": "hole", "Accuracy": "top_k_accuracy"}


def answer(collection: Collection) -> Answer:
    """All measures; the tool gives means only, rounded to five decimals."""
    qrels, run = judgements(collection), ranking(collection)
    if collection["how"] == "custom":
        return {
            f"{name}@{k}": attempt(
                lambda name=name, word=word, k=k: {
                    ALL: EvaluateRetrieval.evaluate_custom(qrels, run, [k], metric=word)[f"{name}@{k}"]
                }
            )
            for name, word in CUSTOM.items()
            for k in CUTOFFS
        }
    ignore = collection["how"] == "ignore_identical_ids=True"
    try:
        tables = EvaluateRetrieval.evaluate(qrels, run, CUTOFFS, ignore_identical_ids=ignore)
    except Exception as error:  # noqa: BLE001 - whatever the tool raises is how it refuses
        said = f"{type(error).__name__}: {error}"
        return {f"{name}@{k}": {"error": said} for name in MAIN for k in CUTOFFS}
    return {name: {ALL: value} for table in tables for name, value in table.items()}


if __name__ == "__main__":
    serve(answer)
