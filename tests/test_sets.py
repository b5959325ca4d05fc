"""Runs of sets: measures that know no order take them, all others say that they need one."""

import re
from typing import Any, Final

import pytest

import rankworth as rw
from rankworth.scoring.sets import is_of_sets

QRELS: Final = {"q1": {"a": 1, "b": 2, "c": 0}, "q2": {"d": 1}}
SETS: Final = {"q1": {"a", "c", "x"}, "q2": frozenset({"d", "e"})}
P: Final = (1 / 3 + 1 / 2) / 2
R: Final = (1 / 2 + 1) / 2


def test_precision_recall_and_f_take_sets() -> None:
    values = rw.evaluate(QRELS, SETS, ["P", "R", "F", "set_P", "NumRet"])
    assert values.mean() == {"P": P, "R": R, "F": ((2 / 5) + (2 / 3)) / 2, "set_P": P, "NumRet": 5}
    assert values.notices == ()
    lists = {query: sorted(documents) for query, documents in SETS.items()}
    assert rw.evaluate(QRELS, lists, ["P", "R"]).mean() == {"P": P, "R": R}
    assert rw.evaluate_runs(QRELS, {"sets": SETS, "lists": lists}, ["R"])["sets"]["R"] == R


@pytest.mark.parametrize("measure", ["RR", "AP", "nDCG", "nDCG@10", "P@10", "R@1", "Rprec", "Bpref", "ERR", "RBP"])
def test_others_need_an_order(measure: str) -> None:
    with pytest.raises(rw.InputError, match=re.escape(f"a set, which has no order, and {measure} needs one")) as caught:
        rw.evaluate(QRELS, SETS, ["P", measure])
    assert caught.value.slug == "input-type"


@pytest.mark.parametrize(
    "ask",
    [
        lambda: rw.evaluate(QRELS, SETS, ["P"], depth=2),
        lambda: rw.correlate(SETS, SETS),
        lambda: rw.explain(QRELS, SETS, "RR", query="q1"),
        lambda: rw.compare(QRELS, {"a": SETS, "b": SETS}, ["RR"]),
    ],
)
def test_what_looks_at_ranks_needs_an_order(ask: Any) -> None:
    with pytest.raises(rw.InputError, match="a set, which has no order"):
        ask()


def test_a_set_among_lists_is_refused() -> None:
    with pytest.raises(rw.InputError, match=r"query 'q2' holds a set, which has no order   "):
        rw.evaluate(QRELS, {"q1": ["a"], "q2": {"d"}}, ["P"])


def test_measures_of_sets_are_those_whose_value_no_order_changes() -> None:
    named = {name for name, measure in rw.CATALOGUE.items() if is_of_sets(measure)}
    assert {"P", "R", "F", "Success", "FallOut", "Judged"} <= named
    assert not named & {"AP", "RR", "nDCG", "DCG", "ERR", "RBP", "Rprec", "Bpref", "CWL_P", "infAP", "iPrec"}
