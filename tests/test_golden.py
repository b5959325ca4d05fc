"""Every number that another tool gave for the golden cases comes out by naming its profile, or is accounted for."""

import json
import math
from collections import Counter, defaultdict
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest

import rankworth as rw
from golden import table
from golden.asking import Asker
from golden.reasons import PROFILES, RBP_EVAL, ROUNDING, holds, rounding, units_apart
from golden.records import RECORDS
from golden.sorting import asker, findings, ours_of, rows_beside, unsaid, way_of

PAGE: Final = Path(__file__).parents[1] / "docs" / "conventions" / "reproduced.md"

INSTEAD: Final = 20
"""numbers of the notebooks that come out by a setting which the reason names"""

UNSAID: Final = {
    ("ranx", "X16_grade_float_text", "-", "refused-input"): 1,
    ("scikit-learn", "C07_empty_result", "2", "no-common-queries"): 14,
    ("torchmetrics", "C07_empty_result", "2", "no-common-queries"): 23,
}
"""refusals in our own terms, by tool, case, query and slug"""

BESIDE: Final = {
    (f"0.0.50 (pandas {pandas})", measure, value): number
    for pandas in ("2.1.4", "3.0.6")
    for measure, value, number in (("NDCG", "nan", 12), ("P", "0.0", 2))
}
"""rows that a tool does not print, with their values: trectools leaves some queries without relevant documents out"""


def test_every_record_is_accounted_for() -> None:
    wrong = [finding for finding in findings() if finding.verdict == "wrong"]
    assert not wrong, f"{len(wrong)} records, the first ones: {wrong[:5]}; all: scripts/golden-table --wrong"
    assert len(findings()) == len(RECORDS) == 30810


def test_every_excuse_is_about_one_record_that_differs() -> None:
    differing = {one.record.key for one in findings() if one.verdict in ("different", "unspecified")}
    assert PROFILES.keys() == differing


def test_with_another_setting_an_excused_number_comes_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the reason says by which setting, the number of the tool is the one that rankworth has with it.

    An AP of 1.2 of a document that is ranked three times is refused as `beyond-range`; here it counts.
    """
    monkeypatch.setattr("rankworth.results.values.refuse_beyond_range", lambda *_: None)
    kept = [one for one in RECORDS if one.key in PROFILES and PROFILES[one.key].instead]
    ways = {one.key: replace(way_of(one), **(PROFILES[one.key].instead or {})) for one in kept}
    other = Asker(lambda record: ways[record.key], kept)
    wrong = [one for one in kept if not holds(one, ours_of(one, other.answer(one)), {})]
    assert not wrong
    assert len(kept) == INSTEAD


def test_no_rounding_is_allowed_that_does_not_happen() -> None:
    """More than half of what the table allows is needed; without an entry, numbers have the same bits."""
    apart: dict[int, float] = defaultdict(float)
    for record in (one.record for one in findings() if one.verdict == "reproduced"):
        entry, ours = rounding(record), ours_of(record, asker().answer(record))
        if entry and isinstance(record.expected, float) and isinstance(ours, float) and not math.isnan(ours):
            place = ROUNDING.index(entry)
            apart[place] = max(apart[place], units_apart(record.expected, ours, entry[2]))
    loose = [entry[1:] for place, entry in enumerate(ROUNDING) if apart[place] <= entry[1] / 2]
    assert not loose


def test_what_a_tool_refuses_is_refused_in_its_terms() -> None:
    assert unsaid() == UNSAID


def test_the_rows_of_queries_are_those_of_the_tool() -> None:
    rows = rows_beside()
    assert {tool for _, tool, *_ in rows} == {"trectools"}
    assert Counter((key[2], key[4].partition("@")[0], str(value)) for key, value in rows.items()) == BESIDE


def test_the_page_says_what_was_found() -> None:
    assert PAGE.read_text(encoding="utf-8") == table.page(), "to write it: scripts/golden-table"


def test_numbers_of_rbp_eval_come_out_by_its_profile(shared: Path) -> None:
    """It prints four decimals. Spec 6 is left out: it asks for ranks of the file that several documents share."""
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
    excused = dict(RBP_EVAL)
    for case in asked:
        name, query = by_rbp_eval(case), case["inputs"]["query_id"]
        rows = values[case["case"]].per_query.to_dict() | {"all": values[case["case"]].mean()}
        excuse = excused.pop((case["case"], "rbp_eval", "1.0", "", name, query, 0), None)
        agrees = abs(rows[query][name] - case["expected"]) <= (case["tolerance"] if query == "all" else 0.0000500001)
        assert rows[query][name] == excuse.ours and not agrees if excuse else agrees, (case, excuse)
    assert not excused


def by_rbp_eval(case: dict[str, Any]) -> str:
    """What the value or the residual is asked for with, as on rbp_eval's command line."""
    inputs, flags = case["inputs"], case["inputs"]["flags"]
    if case["measure"] != "RBP":
        return f"err(-p {inputs['p']} -d {inputs['depth']})"
    if "-f" in flags:
        return f"rbp(-f 0.25 -p {inputs['p']} -d {inputs['depth']})"
    gains = "-b 0.25 " if "-b" in flags else "-F " if "frac" in inputs["qrels_file"] else ""
    return f"rbp({gains}-p {inputs['p']} -d {inputs['depth']})"
