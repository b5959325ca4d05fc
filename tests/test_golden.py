"""Every number that another tool gave for the golden cases comes out by naming its profile, or is accounted for."""

import json
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any, Final

import rankworth as rw
from golden import table
from golden.records import RECORDS
from golden.sorting import findings, rows_beside, unsaid

PAGE: Final = Path(__file__).parents[1] / "docs" / "conventions" / "reproduced.md"

SHORT: Final = {
    "ir_measures 0.4.3": {"different": 99},
    "ranx 0.3.21": {"unspecified": 26},
    "recommenders 1.2.1": {"different": 20},
    "RecTools 0.19.0": {"different": 1},
    "scikit-learn 1.9.1": {"unspecified": 12},
    "seed-000 notebook": {"different": 2, "unspecified": 1},
    "seed-001 notebook": {"different": 1},
    "seed-002 notebook": {"different": 13},
    "seed-003 notebook": {"different": 8},
    "torchmetrics 1.9.0": {"unspecified": 34},
    "trec_eval 10.0": {"different": 40},
    "trectools 0.0.50 (pandas 2.1.4)": {"different": 6},
    "trectools 0.0.50 (pandas 3.0.6)": {"different": 9},
}
"""how many numbers of each tool do not come out, by verdict; all others do, or are refused on both sides"""

UNSAID: Final = {
    ("ranx", "refused-input"): 1,
    ("scikit-learn", "no-common-queries"): 14,
    ("torchmetrics", "no-common-queries"): 23,
}
"""refusals in our own terms, by tool and slug"""

BESIDE: Final = {"trectools 0.0.50 (pandas 2.1.4)": 14, "trectools 0.0.50 (pandas 3.0.6)": 14}
"""rows of queries that a tool does not print: trectools leaves some without a relevant document out, here NaN"""


def test_every_record_is_accounted_for() -> None:
    wrong = [finding for finding in findings() if finding.verdict == "wrong"]
    assert not wrong, f"{len(wrong)} records, the first ones: {wrong[:5]}; all: scripts/golden-table --wrong"
    assert len(findings()) == len(RECORDS) == 30810


def test_as_many_numbers_of_each_tool_come_out_as_ever() -> None:
    expected = {"reproduced", "refused alike", "correlation"}
    short = {
        name: {what: number for what, number in counts.items() if what not in expected}
        for name, counts in table.tally().items()
    }
    assert {name: counts for name, counts in short.items() if counts} == SHORT


def test_what_a_tool_refuses_is_refused_in_its_terms() -> None:
    assert unsaid() == UNSAID


def test_the_rows_of_queries_are_those_of_the_tool() -> None:
    assert rows_beside() == BESIDE


def test_the_page_says_what_was_found() -> None:
    assert PAGE.read_text(encoding="utf-8") == table.page(), "to write it: scripts/golden-table"


def test_numbers_of_rbp_eval_come_out_by_its_profile(shared: Path) -> None:
    """All but some of those in which a group of equal scores lies across the depth, which it weighs by its own rule."""
    cases = json.loads((shared / "suites" / "rbp_eval.json").read_text())["cases"]
    asked = [case for case in cases if "p" in case["inputs"] and case["case"] != "spec 6"]
    specs: dict[str, set[str]] = defaultdict(set)
    for case in asked:
        specs[case["case"]].add(by_rbp_eval(case))
    values = {}
    for case in asked:
        if case["case"] not in values:
            inputs = case["inputs"]
            order: dict[str, Any] = {"order": "rank"} if "-r" in inputs["flags"] else {}
            pair = (shared / inputs["qrels_file"], shared / inputs["run_file"])
            values[case["case"]] = rw.evaluate(*pair, sorted(specs[case["case"]]), profile="rbp_eval-1.0", **order)
    found: Counter[tuple[str, bool]] = Counter()
    for case in asked:
        rows = values[case["case"]].per_query.to_dict() | {"all": values[case["case"]].mean()}
        value = rows[case["inputs"]["query_id"]][by_rbp_eval(case)]
        found[case["case"], abs(value - case["expected"]) <= case["tolerance"]] += 1
    assert found == RBP_EVAL


RBP_EVAL: Final = {("spec 5", True): 37, ("spec 5", False): 17, ("spec 11", True): 37, ("spec 11", False): 17} | {
    (f"spec {number}", True): 54 for number in (1, 2, 3, 4, 7, 8, 9, 10)
}
"""what agrees and what does not; spec 6 asks for ranks of the file that several documents share"""


def by_rbp_eval(case: dict[str, Any]) -> str:
    """What the value or the residual is asked for with, as on rbp_eval's command line."""
    inputs, flags = case["inputs"], case["inputs"]["flags"]
    if case["measure"] != "RBP":
        return f"err(-p {inputs['p']} -d {inputs['depth']})"
    if "-f" in flags:
        return f"rbp(-f 0.25 -p {inputs['p']} -d {inputs['depth']})"
    gains = "-b 0.25 " if "-b" in flags else "-F " if "frac" in inputs["qrels_file"] else ""
    return f"rbp({gains}-p {inputs['p']} -d {inputs['depth']})"
