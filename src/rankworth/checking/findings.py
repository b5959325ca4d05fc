"""Findings of a check and its result: as a table, as columns, as JSON, and as annotations of GitHub."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, NamedTuple

from rankworth.errors import RankworthError, Severity, catalogue, counted, on_command_line
from rankworth.results import tables
from rankworth.tables.analysis import Analysis
from rankworth.tables.columns import Column, Sheet, by_name
from rankworth.tables.data import annotation

if TYPE_CHECKING:
    from rankworth.results.values import Values

SEVERITIES: Final[tuple[Severity, ...]] = ("error", "warning", "note")
_OF_GITHUB: Final = {"error": "error", "warning": "warning", "note": "notice"}
_SHOWN: Final = 10
"""how many findings of one kind about one file a table shows"""
_NAMED: Final = 100
"""how many queries a finding names"""


class Finding(NamedTuple):
    """A defect of the data, or a reason to misread a number."""

    slug: str
    """the code, which has a page in docs/errors"""
    text: str
    severity: Severity
    """`error`: a number would be wrong; `warning`: it is likely to mislead; `note`: it is good to know"""
    file: str = ""
    """the path of the file; empty where the data came from none"""
    line: int | None = None
    run: str = ""
    """the run; empty where it is about judgements, or about several runs"""
    queries: tuple[str, ...] = ()
    """the queries that it is about, the first hundred of them"""
    remedy: str = ""

    @classmethod
    def of(cls, slug: str, text: str, severity: Severity | None = None, **fields: Any) -> "Finding":  # noqa: ANN401 - the fields
        """Make a finding about the first of its queries, with the severity of the catalogue where none is named."""
        queries = tuple(map(str, fields.pop("queries", ())))[:_NAMED]
        return cls(slug, text, severity or catalogue()[slug][0], queries=queries, **fields)


class CheckedInput(NamedTuple):
    """Judgements or a run that were checked."""

    name: str
    file: str
    queries: int
    rows: int
    """judgements, or documents of judged queries"""
    mean: Mapping[str, float]
    """of a run, by measure"""


@dataclass(frozen=True, repr=False)
class Check(Analysis[Literal["findings"]]):
    """What is wrong or risky in judgements and runs.

    The table of columns, `findings`, has a row for each finding, errors first.

    Attributes:
        findings: what was found, errors first.
        sources: the judgements and the runs that could be read.
        profiles: the values of each run under each profile, where profiles were asked for.
        measures: the measures, as they were asked for.

    """

    _SCHEMA: ClassVar = "rankworth.check/1"
    _TABLES: ClassVar = ("findings",)
    findings: tuple[Finding, ...]
    sources: tuple[CheckedInput, ...]
    measures: tuple[str, ...]
    profiles: "Mapping[str, Mapping[str, Values | RankworthError]]" = field(default_factory=dict)

    @property
    def errors(self) -> tuple[Finding, ...]:
        """The findings that make a number wrong."""
        return tuple(finding for finding in self.findings if finding.severity == "error")

    @property
    def counts(self) -> dict[Severity, int]:
        """How many findings there are of each severity."""
        severities = [finding.severity for finding in self.findings]
        return {severity: severities.count(severity) for severity in SEVERITIES}

    @property
    def warnings(self) -> tuple[tuple[str, str], ...]:
        """Slug and text of the findings that are errors or warnings."""
        return tuple((finding.slug, finding.text) for finding in self.findings if finding.severity != "note")

    @property
    def verdict(self) -> str:
        """How many findings there are, in words.

        >>> Check((), (), ()).verdict
        'no errors, no warnings, no notes'
        """
        parts = (counted(count, severity, f"{severity}s") for severity, count in self.counts.items())
        return ", ".join(part.replace("0 ", "no ", 1) if part.startswith("0 ") else part for part in parts)

    def _columns(self, of: str) -> dict[str, Any]:  # noqa: ARG002 - there is one table
        rows = [finding._replace(queries=" ".join(finding.queries)) for finding in self.findings]  # type: ignore[arg-type]
        names = ("severity", "slug", "file", "line", "run", "text", "remedy", "queries")
        return by_name(names, ([getattr(row, name) for name in names] for row in rows))

    def _record(self) -> dict[str, Any]:
        profiles = {"profiles": tables.record_beside(self.profiles, self.measures)["runs"]} if self.profiles else {}
        return {"findings": self.findings, "counts": self.counts, "inputs": self.sources, **profiles}

    def to_dict(self) -> dict[str, Any]:
        """Return the result as JSON holds it."""
        fields = super().to_dict()
        del fields["notes"], fields["warnings"]
        return fields

    def sheets(self) -> list[Sheet]:
        """Return the findings as sentences below the table of inputs, and the values under all profiles."""
        columns = [
            Column("input", "text", [source.name for source in self.sources]),
            Column("queries", "count", [source.queries for source in self.sources]),
            Column("rows", "count", [source.rows for source in self.sources]),
        ]
        means = {measure: [source.mean.get(measure) for source in self.sources] for measure in self.measures}
        columns += [Column(name, "value", values) for name, values in means.items() if {*values} - {None}]
        sentences, beside = self._sentences(), []
        try:
            beside = [tables.beside(self.profiles, self.measures)] if self.profiles else []
        except RankworthError as error:  # of all profiles
            sentences += ["every profile refuses:", *(f"  {problem}" for problem in error.problems)]
        return [Sheet(tuple(columns), tuple(sentences), title=self.verdict), *beside]

    def _sentences(self) -> list[str]:
        """Write each finding, with its remedy in lines of its own; of many with one slug the first ones."""
        sentences: list[str] = []
        for _, findings in groupby(self.findings, key=lambda finding: (finding.severity, finding.slug, finding.file)):
            group = list(findings)
            shown = group[:_SHOWN]
            sentences += [f"{finding.severity}: {finding.text}   [{finding.slug}]" for finding in shown]
            sentences += [f"  ... and {len(group) - _SHOWN:,} more"] if group[_SHOWN:] else []
            remedies = dict.fromkeys(line for finding in group for line in finding.remedy.splitlines())
            sentences += [f"  {line}" for line in remedies]
        return sentences

    def to_github(self) -> str:
        """Return findings as commands of GitHub's workflows, which are shown beside the lines of a change."""
        commands = []
        for each in self.findings:
            text, line = (
                on_command_line("\n".join(filter(None, (each.text, each.remedy)))),
                "" if each.line is None else str(each.line),
            )
            commands.append(annotation(_OF_GITHUB[each.severity], text, file=each.file, line=line, title=each.slug))
        return "".join(commands)


def ordered(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Sort findings: errors first, then warnings, then notes, each once."""
    return tuple(sorted(dict.fromkeys(findings), key=lambda finding: SEVERITIES.index(finding.severity)))


def joined(checks: Mapping[str, Check]) -> Check:
    """Join checks of judgements alone, by the path of their file, which each finding then names first."""
    findings = [
        finding if finding.text.startswith(path) else finding._replace(text=f"{path}: {finding.text}")
        for path, check in checks.items()
        for finding in check.findings
    ]
    sources = [source._replace(name=path) for path, check in checks.items() for source in check.sources]
    return Check(ordered(findings), tuple(sources), next(iter(checks.values())).measures)
