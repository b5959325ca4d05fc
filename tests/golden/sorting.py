"""How close rankworth comes to each record."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, Literal

import rankworth as rw
from golden.asking import Asker, Way
from golden.notebooks import NOTEBOOKS
from golden.others import OTHERS
from golden.reasons import DIFFERENT, UNSPECIFIED
from golden.records import RECORDS, Record
from golden.trec_family import TREC_FAMILY

Verdict = Literal["reproduced", "refused alike", "unspecified", "correlation", "different", "wrong"]
VERDICTS: Final[tuple[Verdict, ...]] = (
    "reproduced",
    "refused alike",
    "unspecified",
    "correlation",
    "different",
    "wrong",
)


@dataclass(frozen=True)
class Finding:
    """What became of a record.

    Attributes:
        record: the record.
        verdict: the number came out; both refuse; the tool leaves the order of ties open; a correlation of rankings,
            which is another matter; another number for a reason that is given; or another number without one.
        why: the reason, where there must be one.
        ours: what rankworth says, for people.

    """

    record: Record
    verdict: Verdict
    why: str = ""
    ours: str = ""


def way_of(record: Record) -> Way:
    """How the number of a record is asked for."""
    for select, way in (*TREC_FAMILY, *OTHERS, *NOTEBOOKS):
        if select(record):
            return way
    message = f"nobody said how to ask for {record}"
    raise LookupError(message)


def is_correlation(record: Record) -> bool:
    """Whether a record compares rankings or lists of scores, without judgements."""
    return record.case.startswith(("RC", "RL"))


@cache
def findings() -> list[Finding]:
    """What became of every record."""
    return findings_of(RECORDS)


def findings_of(records: Iterable[Record]) -> list[Finding]:
    """What became of some records."""
    return [Finding(record, "correlation") if is_correlation(record) else _finding(record) for record in records]


@cache
def asker() -> Asker:
    """Who asks, and remembers the answers."""
    return Asker(way_of, [record for record in RECORDS if not is_correlation(record)])


def unsaid() -> Counter[tuple[str, str]]:
    """Refusals that do not say what the tool says, by tool and slug of the error."""
    found: Counter[tuple[str, str]] = Counter()
    for finding in findings():
        if finding.verdict == "refused alike":
            error = asker().answer(finding.record)
            if "(here: " not in str(error):
                found[finding.record.tool, getattr(error, "slug", "")] += 1
    return found


def rows_beside() -> Counter[str]:
    """Rows of queries that rankworth has, and that the tool does not, where it has rows for other queries, by tool."""
    found: dict[tuple[str, ...], set[str]] = defaultdict(set)
    records = {}
    for finding in findings():
        record = finding.record
        if isinstance(record.expected, float) and record.query not in ("all", "-") and not is_correlation(record):
            key = (record.tool, record.version, record.called, record.case, record.measure)
            found[key].add(record.query)
            records[key] = record
    beside: Counter[str] = Counter()
    for key, queries in found.items():
        way = way_of(records[key])
        answer = asker().answer(records[key])
        if not way.alone and not isinstance(answer, rw.RankworthError):
            beside[f"{key[0]} {key[1]}"] += len(answer.keys() - queries - {"all"})
    return +beside


def _finding(record: Record) -> Finding:
    answer = asker().answer(record)
    if isinstance(answer, rw.RankworthError):
        ours = str(answer)
        if record.expected is None and isinstance(answer, rw.InputError):
            return Finding(record, "refused alike", ours=ours)
    else:
        values = _values(record, answer)
        ours = f"{values}"
        if record.expected is not None and _same(record.expected, values, way_of(record)):
            return Finding(record, "reproduced", ours=ours)
    for select, why in UNSPECIFIED:
        if select(record):
            return Finding(record, "unspecified", why, ours)
    for select, why in DIFFERENT:
        if select(record):
            return Finding(record, "different", why, ours)
    return Finding(record, "wrong", ours=ours)


def _values(record: Record, answer: dict[str, Sequence[float]]) -> float | list[float] | None:
    """What rankworth has at the place of a record."""
    if isinstance(record.expected, tuple):
        return [value for query, column in answer.items() if query != "all" for value in column]
    column = answer.get(record.query, ())
    return column[record.occurrence] if record.occurrence < len(column) else None


def _same(expected: float | tuple[float, ...], values: float | list[float] | None, way: Way) -> bool:
    if isinstance(expected, tuple):
        wanted, found = list(expected), values
    else:
        wanted, found = [expected], [values]
    if not isinstance(found, list) or len(wanted) != len(found):
        return False
    return all(_close(one, other, way) for one, other in zip(wanted, found, strict=True))


def _close(expected: float, value: float | None, way: Way) -> bool:
    if value is None:
        return False
    if math.isnan(expected) or math.isnan(value):
        return math.isnan(expected) and math.isnan(value)
    scale = abs(expected) if way.relative else max(1.0, abs(expected))
    return abs(expected - value) <= way.tolerance * scale
