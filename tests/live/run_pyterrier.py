"""Runs experiments of PyTerrier with its own measures and with ours, and prints in what their tables differ as JSON."""

import json
import sys
import warnings
from typing import Any, Final

import ir_measures
import numpy as np
import pandas as pd
import pyterrier as pt

from rankworth.compat import ir_measures as compat

QUERIES: Final = 80
DOCUMENTS: Final = [f"d{number}" for number in range(60)]
MEASURES: Final = (
    *("map", "ndcg_cut_10", ir_measures.nDCG @ 10, ir_measures.RR @ 10, ir_measures.P(rel=2) @ 5),
    *(ir_measures.RBP(rel=1), ir_measures.Judged @ 10, ir_measures.NumRet),
)
NAMES: Final = ["first", "second", "third"]
EXPERIMENTS: Final[dict[str, dict[str, Any]]] = {
    "means": {},
    "perquery": {"perquery": True},
    "baseline": {"baseline": 0},
    "correction": {"baseline": 0, "correction": "bonferroni"},
    "round": {"round": 3},
}


def system(seed: int, first: int) -> pd.DataFrame:
    """A run with ties that lacks the first queries."""
    random = np.random.default_rng(seed)
    rows = [
        (str(query), document, float(score))
        for query in range(first, QUERIES)
        for document, score in zip(random.choice(DOCUMENTS, 20, replace=False), random.random(20).round(1), strict=True)
    ]
    return pt.model.add_ranks(pd.DataFrame(rows, columns=["qid", "docno", "score"]).assign(query="text"))


def tables() -> dict[str, pd.DataFrame]:
    """The tables of all experiments, their rows in one order."""
    random = np.random.default_rng(3)
    judged = [
        (str(query), document, int(random.integers(0, 3)))
        for query in range(QUERIES)
        for document in random.choice(DOCUMENTS, 15, replace=False)
    ]
    qrels = pd.DataFrame(judged, columns=["qid", "docno", "label"])
    topics = pd.DataFrame({"qid": [str(query) for query in range(QUERIES)], "query": "text"})
    systems = [system(1, 0), system(2, 0), system(5, 7)]
    found = {}
    for name, options in EXPERIMENTS.items():
        table = pt.Experiment(systems, topics, qrels, [*MEASURES], names=NAMES, **options)
        keys = [key for key in ("name", "qid", "measure") if key in table]
        found[name] = table.sort_values(keys).reset_index(drop=True)
    return found


def difference(one: pd.DataFrame, other: pd.DataFrame) -> float:
    """The largest difference of two tables; infinity where their columns, texts or undefined values differ."""
    other = other.reindex(columns=one.columns)
    numbers = one.select_dtypes("number").columns
    texts = one.columns.difference(numbers)
    if not one[texts].equals(other[texts]) or not one[numbers].isna().equals(other[numbers].isna()):
        return float("inf")
    return float((one[numbers] - other[numbers]).abs().max().max())


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    theirs = tables()
    provider = compat.install()
    asked: list[str] = []
    evaluator = type(provider)._evaluator
    type(provider)._evaluator = lambda self, measures, qrels: (
        asked.extend(map(str, measures)),
        evaluator(self, measures, qrels),
    )[1]
    ours = tables()
    compat.install(profile="ranx-0.3-comparable")
    other = tables()
    found = {
        "differences": {name: difference(theirs[name], ours[name]) for name in EXPERIMENTS},
        "rows": {name: len(table) for name, table in ours.items()},
        "asked": sorted({*asked}),
        "ranx": difference(ours["means"], other["means"]),
        "java": pt.java.started(),
    }
    sys.stdout.write(json.dumps(found))
