"""The page that says, tool by tool, how many numbers come out."""

from collections import Counter, defaultdict

from golden.reasons import DOUBLE, ROUNDING, SINGLE
from golden.records import RECORDS
from golden.sorting import VERDICTS, Finding, Verdict, findings

HEAD = """# Numbers that come out by naming a profile

Written by `scripts/golden-table`; a test keeps it true.

{cases} small hard cases were handed to {tools} tools and notebooks, which gave {records:,} numbers or refusals
([where they are](../../tests/data/SOURCE.md)). Each was asked for again with `rankworth.evaluate(..., profile=...)`.

- *reproduced*: the same bits, after the tool's own rounding where it rounds. Where a tool computes the same formula by
  other steps, what these round: at most {double} units in the last place, as the table in `tests/golden/reasons.py` has
  it by tool and measure; for torchmetrics, which computes in float32, at most {single} units of float32.
- *refused alike*: the tool stops with an error, and the profile stops with one that says so in the tool's terms.
- *order left open*: documents have equal scores, and the tool sorts them by a sort that is not stable, so that the
  number depends on the processor or the length of the list.
- *correlation*: compares rankings or lists of scores, without judgements. No profile is about these.
- *different*: there is another number here, for the reason that is given below. `tests/golden/excuses.json` names each
  such record, and what is here instead.

| tool | records | reproduced | refused alike | order left open | correlation | different |
|---|--:|--:|--:|--:|--:|--:|
"""


def tally() -> dict[str, Counter[Verdict]]:
    """How many records of each tool and version had which verdict, in alphabetical order."""
    counts: dict[str, Counter[Verdict]] = defaultdict(Counter)
    for finding in findings():
        counts[_name(finding)][finding.verdict] += 1
    return {name: counts[name] for name in sorted(counts, key=str.casefold)}


def reasons(verdict: Verdict) -> list[tuple[str, str, int]]:
    """Tool, reason and number of records, of those with this verdict."""
    counts = Counter((_name(one), one.why) for one in findings() if one.verdict == verdict)
    return [(name, why, counts[name, why]) for name, why in sorted(counts, key=lambda key: (key[0].casefold(), key[1]))]


def page() -> str:
    """The whole page."""
    shown = VERDICTS[:-1]
    counts = tally()
    lines = [
        f"| {name} | {sum(found.values()):,} | {' | '.join(f'{found[one]:,}' for one in shown)} |"
        for name, found in counts.items()
    ]
    total: Counter[Verdict] = sum(counts.values(), Counter())
    lines.append(f"| **all** | {len(RECORDS):,} | {' | '.join(f'{total[one]:,}' for one in shown)} |")
    head = HEAD.format(
        cases=len({record.case for record in RECORDS}),
        tools=len({record.tool for record in RECORDS}),
        records=len(RECORDS),
        double=max(units for _, units, size, _ in ROUNDING if size == DOUBLE),
        single=max(units for _, units, size, _ in ROUNDING if size == SINGLE),
    )
    parts = [head + "\n".join(lines)]
    for verdict, title in (("unspecified", "Order left open"), ("different", "Different, and why")):
        rows = [f"| {name} | {count} | {why} |" for name, why, count in reasons(verdict)]
        parts.append(f"## {title}\n\n" + "\n".join(["| tool | records | why |", "|---|--:|---|", *rows]))
    return "\n\n".join(parts) + "\n"


def _name(finding: Finding) -> str:
    return f"{finding.record.tool} {finding.record.version}"
