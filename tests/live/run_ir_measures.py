"""Runs ir_measures. How: the provider, `"default"`, `"cwl_eval"` or `"msmarco"`."""

from collections import Counter

import ir_measures
from ir_measures.providers import registry
from lines import ALL, Answer, Collection, attempt, judgements, ranking, serve

MEASURES = {
    "default": (
        *("P@3", "P@10", "R@3", "R@10", "AP", "AP@3", "AP@10", "AP(rel=2)", "RR", "RR@3", "RR@10", "RR(rel=2)@10"),
        *("Rprec", "nDCG", "nDCG@3", "nDCG@10", "nDCG(dcg='exp-log2')@3", "nDCG(dcg='exp-log2')@10", "ERR@3"),
        *("ERR@10", "Bpref", "infAP", "Success@1", "Success@3", "SetP", "SetR", "SetF", "SetAP", "Judged"),
        *("Judged@3", "Judged@10", "RBP(rel=1)", "RBP(rel=1,p=0.9)", "INST(max_rel=3)", "INSQ(max_rel=3)"),
        *("SDCG(max_rel=3)@3", "NERR8(max_rel=3)@3", "NERR9(max_rel=3)@3", "NERR10(max_rel=3)"),
        *("NERR11(max_rel=3)", "BPM(max_rel=3)@3", "Compat", "Compat(p=0.8)", "NumQ", "NumRet", "NumRel"),
        *("NumRet(rel=1)", "P(judged_only=True)@3", "nDCG(judged_only=True)@3", "Accuracy"),
    ),
    "cwl_eval": ("P@3", "P@10", "RR", "AP", "RBP(rel=1)"),
    "msmarco": ("RR", "RR@3", "RR@10"),
}


def answer(collection: Collection) -> Answer:
    """Each measure on its own, since those of one call are not independent of each other here."""
    how = collection["how"]
    provider = ir_measures.DefaultPipeline if how == "default" else registry[how]
    return {name: attempt(lambda name=name: one(provider, name, collection)) for name in MEASURES[how]}


def one(provider: ir_measures.providers.Provider, name: str, collection: Collection) -> dict[str, float]:
    """The values of one measure; rows are handed over as rows, unless a query has none."""
    measure = ir_measures.parse_measure(name)
    qrels: object = [ir_measures.Qrel(*row) for row in collection["qrels"]]
    run: object = [ir_measures.ScoredDoc(query, document, score) for query, document, _, score in collection["run"]]
    if collection.get("empty_queries"):
        qrels, run = judgements(collection), ranking(collection)
    result = provider.calc([measure], qrels, run)
    rows: dict[str, float] = {}
    blocks: Counter[str] = Counter()
    for metric in result.per_query:
        # Some providers take rows of a query that stand apart for lists of their own, and give a row for each.
        blocks[metric.query_id] += 1
        block = blocks[metric.query_id]
        rows[metric.query_id if block == 1 else f"{metric.query_id} ({block})"] = metric.value
    return rows | {ALL: result.aggregated[measure]}


if __name__ == "__main__":
    serve(answer)
