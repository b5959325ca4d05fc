"""What is measured against: each peer reads two TREC files, computes the five measures and prints their means as JSON.

Every function is one whole process, `python file_peers.py NAME QRELS RUN [--queries]`, and imports nothing but its own
peer. With `--queries` it prints the values of all queries in place of means, `{measure: {query: value}}`.
"""

import json
import sys
from typing import Final

FIVE: Final = ("nDCG@10", "RR", "AP", "P@5", "R@100")
PYTREC_EVAL: Final = ("ndcg_cut_10", "recip_rank", "map", "P_5", "recall_100")
RANX: Final = ("ndcg@10", "mrr", "map", "precision@5", "recall@100")
Values = dict[str, dict[str, float]]


def rankworth_api(qrels: str, run: str) -> list[float]:
    """The library without its command line."""
    import rankworth  # noqa: PLC0415 - each peer imports itself only

    return list(rankworth.evaluate(qrels, run, FIVE).mean().values())


def floor(_: str, run: str) -> list[float]:
    """The limit of what Polars can do: parse the three columns that are needed, and look at each value."""
    import polars as pl  # noqa: PLC0415 - each peer imports itself only

    text, number = pl.String, pl.Float64
    lines = pl.scan_csv(
        run,
        separator=" ",
        has_header=False,
        quote_char=None,
        schema={"query": text, "Q0": text, "document": text, "rank": text, "score": number, "tag": text},
    )
    seen = lines.select(pl.col("query", "document").str.len_bytes().sum(), pl.col("score").sum())
    seen.collect(engine="streaming")
    return []


def pytrec_eval(qrels: str, run: str) -> Values:
    """pytrec_eval-terrier with its own parsers."""
    import pytrec_eval as peer  # noqa: PLC0415 - each peer imports itself only

    with open(qrels) as judged, open(run) as returned:  # noqa: PTH123 - no further import in the measured process
        evaluator = peer.RelevanceEvaluator(peer.parse_qrel(judged), PYTREC_EVAL)
        values = evaluator.evaluate(peer.parse_run(returned))
    return {name: {query: values[query][name] for query in values} for name in PYTREC_EVAL}


def ranx(qrels: str, run: str) -> Values:
    """Ranx; its compiled kernels lie in the cache after the first time."""
    import ranx as peer  # type: ignore[import-untyped]  # noqa: PLC0415 - each peer imports itself only

    judged = peer.Qrels.from_file(qrels, kind="trec")
    returned = peer.Run.from_file(run, kind="trec")
    peer.evaluate(judged, returned, list(RANX), make_comparable=True)
    return {name: {query: float(value) for query, value in returned.scores[name].items()} for name in RANX}


PEERS: Final = {one.__name__: one for one in (rankworth_api, floor, pytrec_eval, ranx)}

if __name__ == "__main__":
    _, name, qrels, run, *options = sys.argv
    values = PEERS[name](qrels, run)
    if isinstance(values, dict) and not options:
        values = [sum(by_query.values()) / len(by_query) for by_query in values.values()]
    print(json.dumps(values))
