"""ir_measures with rankworth as its first provider, against ir_measures alone: the same calls, frames and dicts."""

import argparse
import math
from collections.abc import Callable
from typing import Any, Final

import ir_measures
import measuring
import numpy as np
import pandas as pd
from ir_measures.util import QrelsConverter, RunConverter

from rankworth.compat.ir_measures import install, uninstall

MEASURES: Final = [ir_measures.nDCG @ 10, ir_measures.RR, ir_measures.AP, ir_measures.P @ 5, ir_measures.R @ 100]
CALLS: Final = ("calc_aggregate", "calc", "iter_calc")


def main() -> None:
    """Measure all calls on frames and on dicts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--queries", type=int, default=2000, help="default: %(default)s")
    parser.add_argument("--documents", type=int, default=100, help="for each query; default: %(default)s")
    parser.add_argument("--rounds", type=int, default=7, help="default: %(default)s")
    options = parser.parse_args()
    print(measuring.machine())
    qrels, run = _frames(options.queries, options.documents)
    dicts = QrelsConverter(qrels).as_dict_of_dict(), RunConverter(run).as_dict_of_dict()
    for name, pair in {"frames of pandas": (qrels, run), "dicts": dicts}.items():
        _check(*pair)
        for call in CALLS:
            samples = measuring.calls(_calls(call, *pair), options.rounds)
            print(measuring.table(f"{name}: {call}, five measures", samples))
    print(measuring.load())


def _calls(call: str, qrels: Any, run: Any) -> dict[str, Callable[[], object]]:  # noqa: ANN401 - frames or dicts
    """The call with the provider, and without it."""

    def ours() -> object:
        install()
        return list(getattr(ir_measures, call)(MEASURES, qrels, run))

    def theirs() -> object:
        uninstall()
        return list(getattr(ir_measures, call)(MEASURES, qrels, run))

    return {"rankworth as the provider": ours, "ir_measures": theirs}


def _check(qrels: Any, run: Any) -> None:  # noqa: ANN401 - as above
    """Say so where the two do not agree."""
    uninstall()
    theirs = ir_measures.calc_aggregate(MEASURES, qrels, run)
    install()
    ours = ir_measures.calc_aggregate(MEASURES, qrels, run)
    uninstall()
    for measure, value in theirs.items():
        if not math.isclose(ours[measure], value, rel_tol=1e-12):
            print(f"{measure}: rankworth {ours[measure]!r}, ir_measures {value!r}\n")


def _frames(queries: int, documents: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Judgements of 15 of the documents of each query, and a run."""
    chance, corpus = np.random.default_rng(0), 200 * documents
    ids = np.array([f"d{number}" for number in range(corpus)])
    rows = [chance.choice(corpus, documents, replace=False) for _ in range(queries)]
    names = np.repeat([f"q{number}" for number in range(queries)], documents)
    run = pd.DataFrame({"query_id": names, "doc_id": ids[np.concatenate(rows)], "score": chance.random(names.size)})
    judged = run.groupby("query_id", sort=False).sample(min(15, documents), random_state=0)
    grades = chance.integers(0, 4, len(judged))
    qrels = pd.DataFrame({"query_id": judged["query_id"], "doc_id": judged["doc_id"], "relevance": grades})
    return qrels.reset_index(drop=True), run


if __name__ == "__main__":
    main()
