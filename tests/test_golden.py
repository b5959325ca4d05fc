"""Every number that another tool gave for the golden cases comes out by naming its profile, or is accounted for."""

from pathlib import Path
from typing import Final

from golden import table
from golden.records import RECORDS
from golden.sorting import findings, rows_beside

PAGE: Final = Path(__file__).parents[1] / "docs" / "conventions" / "reproduced.md"

COUNTS: Final[dict[str, dict[str, int]]] = {}
"""records of each tool by what became of them"""

BESIDE: Final[list[str]] = []
"""rows of queries that a tool does not print"""


def test_every_record_is_accounted_for() -> None:
    wrong = [finding for finding in findings() if finding.verdict == "wrong"]
    assert not wrong, f"{len(wrong)} records, the first ones: {wrong[:5]}; all: scripts/golden-table --wrong"
    assert len(findings()) == len(RECORDS) == 30810


def test_as_many_numbers_of_each_tool_come_out_as_ever() -> None:
    assert {name: dict(counts) for name, counts in table.tally().items()} == COUNTS


def test_the_rows_of_queries_are_those_of_the_tool() -> None:
    assert rows_beside() == BESIDE


def test_the_page_says_what_was_found() -> None:
    assert PAGE.read_text(encoding="utf-8") == table.page(), "to write it: scripts/golden-table"
