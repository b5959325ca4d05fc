"""How libraries of learning and recommendation, BEIR, MTEB, ranx and trectools are asked for."""

from typing import Final

from golden.asking import Way
from golden.choosing import Select, records

_FUNCTIONS: Final = {
    "calculate_retrieval_scores|mrr": "MRR@3",
    "recall_cap": "R_cap@3",
    "top_k_accuracy": "Accuracy@3",
}
"""functions of BEIR and MTEB that stopped, and measures that they are there for"""

OTHERS: Final[list[tuple[Select, Way]]] = [
    (records("ranx", called="dict"), Way("ranx-0.3-dict")),
    (records("ranx", called="make_comparable=True"), Way("ranx-0.3-comparable")),
    # A file's grades are read as whole numbers; objects cut fractions off.
    (records("ranx", called="from_file"), Way("ranx-0.3", {"grades": "whole"})),
    (records("ranx"), Way("ranx-0.3", dicts=True)),
    (records("beir", called="ignore_identical_ids=False"), Way("beir-2.2-identical", dicts=True)),
    (records("beir"), Way("beir-2.2", dicts=True, spelt=_FUNCTIONS)),
    (
        records("mteb"),
        Way(
            "mteb-2.26", dicts=True, spelt={r"\w+:(\S+) \(raw list\)": r"\1", **_FUNCTIONS, "recall_cap": "R_cap_at_3"}
        ),
    ),
    (records("sentence-transformers", version="5"), Way("sentence-transformers-5")),
    (records("sentence-transformers", version="6"), Way("sentence-transformers-6")),
    # Nobody judged the third query of this case: alone it would be a run without judgements.
    (
        records("torchmetrics", measure=r"retrieval_.*", case="C09"),
        Way("torchmetrics-1.9", dicts=True),
    ),
    (
        records("torchmetrics", measure=r"retrieval_.*"),
        Way("torchmetrics-1.9", alone=True, dicts=True),
    ),
    (records("torchmetrics"), Way("torchmetrics-1.9")),
    (records("scikit-learn", called="retrieved docs only", case="C09"), Way("scikit-learn-1.9", dicts=True)),
    (
        records("scikit-learn", called="retrieved docs only"),
        Way("scikit-learn-1.9", alone=True, dicts=True),
    ),
    # Alone, a query with an empty list would be an empty run.
    (records("scikit-learn", case="C07|C09"), Way("scikit-learn-1.9-all", dicts=True)),
    (records("scikit-learn"), Way("scikit-learn-1.9-all", alone=True, dicts=True)),
    (records("trectools", version="0.0.50 (pandas 3"), Way("trectools-0.0.50")),
    (records("trectools"), Way("trectools-0.0.50-pandas2")),
    (records("recommenders", called="rating_true = rel>0"), Way("recommenders-1.2", grades="relevant")),
    (records("recommenders", called="rating_true"), Way("recommenders-1.2-all")),
    (
        records("recommenders", called=".*raw.*log2"),
        Way("recommenders-1.2", spelt={r"ndcg_at_k\(k=(\d+)\)": r"ndcg_at_k[raw,log2](k=\1)"}),
    ),
    (records("recommenders"), Way("recommenders-1.2")),
    (records("RecTools", called="interactions = rel>0"), Way("rectools-0.19", grades="relevant")),
    (records("RecTools"), Way("rectools-0.19")),
    (records("RePlay", called="dict"), Way("replay-0.22-dict", grades="relevant")),
    (records("RePlay"), Way("replay-0.22", grades="relevant")),
]
