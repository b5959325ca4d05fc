"""Runs pytrec_eval-terrier. How: `""`, `"relevance_level=2"` or `"judged_docs_only_flag=True"`."""

from functools import cache
from typing import Any

import pytrec_eval
from lines import ALL, Answer, Collection, attempt, judgements, ranking, serve

CUT = {"P": "1,3,10", "recall": "3,10", "ndcg_cut": "1,3,10", "map_cut": "3,10", "success": "1,3,10"}
WHOLE = {
    *("num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref", "recip_rank", "infAP", "binG"),
    *("G", "ndcg", "ndcg_rel", "Rndcg", "set_P", "set_recall", "set_map", "set_F", "gm_bpref", "set_relative_P"),
    *("utility", "11pt_avg", "num_nonrel_judged_ret", "Rprec_mult", "iprec_at_recall"),
}
ASKED = {*(f"{name}.{cutoffs}" for name, cutoffs in CUT.items()), *WHOLE, "relative_P.3,10"}
OPTIONS: dict[str, dict[str, Any]] = {
    "": {},
    "relevance_level=2": {"relevance_level": 2},
    "judged_docs_only_flag=True": {"judged_docs_only_flag": True},
}


def answer(collection: Collection) -> Answer:
    """All measures in one go, as the tool computes them."""
    try:
        judge = pytrec_eval.RelevanceEvaluator(judgements(collection), ASKED, **OPTIONS[collection["how"]])
        rows = judge.evaluate(ranking(collection))
    except Exception as error:  # noqa: BLE001 - whatever the tool raises is how it refuses
        said = f"{type(error).__name__}: {error}"
        return {name: {"error": said} for name in names()}
    return {
        name: attempt(
            lambda name=name: {
                **{query: row[name] for query, row in rows.items()},
                ALL: pytrec_eval.compute_aggregated_measure(name, [row[name] for row in rows.values()]),
            }
        )
        for name in names()
    }


@cache
def names() -> tuple[str, ...]:
    """How the tool calls what was asked for."""
    rows = pytrec_eval.RelevanceEvaluator({"q": {"d": 1}}, ASKED).evaluate({"q": {"d": 1.0}})
    return tuple(rows["q"])


if __name__ == "__main__":
    serve(answer)
