"""Every number that another tool gave for the golden cases comes out by naming its profile, or is accounted for."""

import math
from collections import Counter, defaultdict
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from golden import table
from golden.asking import Asker
from golden.reasons import PROFILES, ROUNDING, holds, rounding, units_apart
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
