"""The golden data: cases, and one record for each number or refusal of a tool."""

import gzip
import json
import math
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

_FILE: Final = Path(__file__).parents[1] / "data" / "golden.json.gz"


Key = tuple[str, str, str, str, str, str, int]
"""case, tool, version, call, measure, query and occurrence, which name a record"""


@dataclass(frozen=True)
class Case:
    """Judgements and a run, as rows in the order of their files.

    Attributes:
        qrels: rows of query, document and grade.
        run: rows of query, document, rank column and score.
        empty: queries that the run has with an empty list, which only a dict can say.

    """

    qrels: list[tuple[str, str, float]]
    run: list[tuple[str, str, int, float]]
    empty: list[str]


@dataclass(frozen=True)
class Record:
    """One number that a tool gave, or its refusal to give one.

    Attributes:
        case: the name of the case.
        tool: the name of the tool.
        version: its version.
        called: its options, provider or adapter, as they were noted.
        measure: the measure in the tool's own words.
        query: the query; `all` for the number over all queries, `-` for what concerns the whole call.
        expected: the number, a list of numbers in the order of the queries, or None for a refusal.
        error: what the tool said when it refused.
        occurrence: 0; 1 where the tool gave a second row for the same query and measure.
        unreliable: the tool's number depends on memory that it never set.

    """

    case: str
    tool: str
    version: str
    called: str
    measure: str
    query: str
    expected: float | tuple[float, ...] | None
    error: str
    occurrence: int
    unreliable: bool

    @property
    def key(self) -> Key:
        """What names the record."""
        return (self.case, self.tool, self.version, self.called, self.measure, self.query, self.occurrence)


def _number(value: Any) -> float:
    return math.nan if value is None else float(value)


def _record(entry: dict[str, Any], before: Counter[tuple[str, ...]]) -> Record:
    called = entry.get("options") or entry.get("provider") or entry.get("adapter") or ""
    key = (entry["case"], entry["tool"], entry["version"], called, entry["metric"], entry["query"])
    before[key] += 1
    expected: float | tuple[float, ...] | None = None
    if "value_list" in entry:
        expected = tuple(map(_number, entry["value_list"]))
    elif entry["value"] is not None:
        expected = float(entry["value"])
    return Record(*key, expected, entry.get("error", ""), before[key] - 1, bool(entry.get("unreliable")))


def of_two_rankings() -> list[dict[str, Any]]:
    """Return what tools gave for two rankings or two vectors of scores, `x` and `y`, as it was recorded."""
    return [entry for entry in json.loads(gzip.decompress(_FILE.read_bytes()))["records"] if "x" in entry]


def _read() -> tuple[dict[str, Case], list[Record]]:
    data = json.loads(gzip.decompress(_FILE.read_bytes()))
    cases = {
        name: Case([tuple(row) for row in case["qrels"]], [tuple(row) for row in case["run"]], case["empty_queries"])
        for name, case in data["inputs"].items()
    }
    before: Counter[tuple[str, ...]] = Counter()
    return cases, [_record(entry, before) for entry in data["records"]]


CASES: Final[dict[str, Case]]
RECORDS: Final[list[Record]]
CASES, RECORDS = _read()
