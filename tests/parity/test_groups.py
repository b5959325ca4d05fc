"""Measures over groups, nuggets and gold that must all be found, against what the tools' own code gave."""

import gzip
import json
import warnings
from collections import defaultdict
from math import isclose
from pathlib import Path
from typing import Any, Final

import rankworth as rw
from rankworth.errors import RankworthWarning

CASES: Final = json.loads(gzip.decompress((Path(__file__).parent.parent / "data" / "groups.json.gz").read_bytes()))
AUTORAG: Final = ("recall", "full_recall", "precision", "map", "mrr")
NOT_HERE: Final = {"retrieval_ndcg": 51, "retrieval_f1": 55}
"""functions of AutoRAG-Research that the page of its profile describes, and how many cases they have"""
SUPPORT: Final = {"support": 1.0, "partial_support": 0.5, "not_support": 0.0}
SESSION: Final = r"(.*)_\d+"


def cases(tool: str) -> dict[str, list[dict[str, Any]]]:
    """The cases of a tool by function."""
    by_function = defaultdict(list)
    for case in CASES["cases"]:
        if case["tool"] == tool:
            by_function[case["function"]].append(case)
    return by_function


def value(gold: Any, run: Any, profile: str, measure: str, **options: Any) -> float:
    """The value of the query q."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RankworthWarning)
        values = rw.evaluate(gold, run, [measure], profile=profile, **options)
    return float(values.per_query.to_dict()["q"][measure])


def differing(found: list[tuple[Any, float, float]]) -> list[tuple[Any, float, float]]:
    """Cases whose value is not that of the tool, but for the last bits of a sum."""
    return [case for case in found if not isclose(case[1], case[2], rel_tol=4e-16, abs_tol=0)]


def test_autorag_research() -> None:
    by_function = cases("autorag-research")
    assert {name: len(by_function.pop(name)) for name in NOT_HERE} == NOT_HERE
    assert sorted(by_function) == sorted(f"retrieval_{name}" for name in AUTORAG)
    found = []
    for function, each in by_function.items():
        for case in each:
            groups, retrieved = ([*map(set, case["given"]["groups"])], case["given"]["retrieved"])
            if not all(groups):  # refused here: a group without a document
                assert case["result"] == 0
                continue
            run = {"q": retrieved, "other": ["x"]}
            gold = {"q": groups, "other": [{"x"}]}
            found.append((case, value(gold, run, "autorag-research-0.1", function), case["result"]))
    assert len(found) > 230
    assert not differing(found)


def test_longmemeval() -> None:
    by_function = cases("LongMemEval")
    found = []
    for function, each in by_function.items():
        of_sessions = function == "evaluate_retrieval_turn2session"
        options = {"ids": SESSION, "duplicates": "first", "duplicate_judgements": "max"} if of_sessions else {}
        for case in each:
            given = case["given"]
            gold = {"q": {name: float(name in given["correct"]) for name in given["corpus_ids"]}}
            for name in ("recall_any", "recall_all", *([] if of_sessions else ["ndcg_any"])):
                measure = f"{name}@{given['k']}"
                got = value(gold, {"q": given["ranking"]}, "longmemeval", measure, **options)
                found.append((case, got, case["result"][name]))
    assert len(found) == 44 * 3 + 46 * 2
    assert not differing(found)


def test_nuggetizer() -> None:
    found = []
    for case in cases("nuggetizer")["calculate_nugget_scores"]:
        nuggets = case["given"]["nuggets"]
        rows = [("q", str(number), "answer", SUPPORT[text]) for number, (_, text) in enumerate(nuggets)]
        vital = [row for row, (importance, _) in zip(rows, nuggets, strict=True) if importance == "vital"]
        other = ("other", "1", "answer", 1.0)
        for kept, name in ((rows, "all_score"), (vital, "vital_score")):
            names = ("query", "nugget", "document", "grade")
            gold = [dict(zip(names, row, strict=True)) for row in (*kept, other)]
            run = {"q": ["answer"], "other": ["answer"]}
            measures = (name, f"strict_{name}")
            found += [(case, value(gold, run, "nuggetizer", each), case["result"][each]) for each in measures]
    assert len(found) == 30 * 4
    assert not differing(found)
