"""How close rankworth comes to each record."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Final, Literal

import rankworth as rw
from golden.asking import Answer, Asker, Way
from golden.notebooks import NOTEBOOKS
from golden.others import OTHERS
from golden.reasons import PROFILES, Ours, holds
from golden.records import RECORDS, Key, Record
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


def unsaid() -> Counter[tuple[str, str, str, str]]:
    """Refusals that do not say what the tool says, by tool, case, query and slug of the error."""
    found: Counter[tuple[str, str, str, str]] = Counter()
    for finding in findings():
        if finding.verdict == "refused alike":
            record, error = finding.record, asker().answer(finding.record)
            if "(here: " not in str(error):
                found[record.tool, record.case, record.query, getattr(error, "slug", "")] += 1
    return found


def rows_beside() -> dict[Key, float]:
    """Values of queries that rankworth has, and that the tool does not, where it has values for other queries."""
    found: dict[Key, list[Record]] = defaultdict(list)
    for record in RECORDS:
        if isinstance(record.expected, float) and record.query not in ("all", "-") and not is_correlation(record):
            found[replace(record, query="", occurrence=0).key].append(record)
    return {
        replace(records[0], query=query).key: values[0]
        for records in found.values()
        if not way_of(records[0]).alone and isinstance(answer := asker().answer(records[0]), Mapping)
        for query, values in answer.items()
        if query not in {"all", *(record.query for record in records)}
    }


def _finding(record: Record) -> Finding:
    answer = asker().answer(record)
    ours = ours_of(record, answer)
    excuse = PROFILES.get(record.key)
    if not holds(record, ours, PROFILES):
        alike = excuse is None and record.expected is None and isinstance(answer, rw.InputError)
        return Finding(record, "refused alike" if alike else "wrong", ours=str(answer if alike else ours))
    return Finding(record, excuse.verdict if excuse else "reproduced", excuse.why if excuse else "", str(ours))


def ours_of(record: Record, answer: Answer) -> Ours:
    """What rankworth has at the place of a record."""
    if isinstance(answer, rw.RankworthError):
        return answer.slug
    if isinstance(record.expected, tuple):
        return [value for query, column in answer.items() if query != "all" for value in column]
    if record.query == "-":
        return {query: column[0] for query, column in answer.items()}
    column = answer.get(record.query, ())
    return column[record.occurrence] if record.occurrence < len(column) else None
