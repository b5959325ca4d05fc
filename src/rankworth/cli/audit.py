"""The command `audit`: which conventions give a number, or why those of two profiles differ."""

from dataclasses import dataclass
from typing import Annotated, Final

from cyclopts import Parameter

from rankworth.cli import configuration
from rankworth.cli.inputs import InputFiles
from rankworth.cli.options import (
    COMPARED,
    FLAT,
    FORMAT,
    MEASURED,
    SHOWN,
    DisplayOptions,
    File,
    Measured,
    Measures,
    Options,
)
from rankworth.cli.output import Output, progress
from rankworth.errors import UsageError
from rankworth.tables.show import Form

USAGE: Final = "Usage: rankworth audit QRELS RUN MEASURE=NUMBER [OPTIONS]"


@dataclass(frozen=True)
class AuditConventions(Measured):
    """By which conventions one measure is taken; it is named behind the run, and not by an option.

    Attributes:
        measure: Refused.

    """

    measure: Annotated[Measures, Parameter(show=False)] = None


@dataclass(frozen=True)
class AuditOptions(Options):
    """Options of an audit.

    Attributes:
        measured: From which conventions a number departs.

    """

    measured: Annotated[AuditConventions, Parameter(name="*", group=MEASURED)] = AuditConventions()


def audit(
    qrels: File,
    run: File,
    measure: str,
    /,
    *,
    options: Annotated[AuditOptions, FLAT] = AuditOptions(),
    between: Annotated[tuple[str, str] | None, Parameter(metavar="PROFILE PROFILE", group=COMPARED)] = None,
    format: Annotated[Form | None, FORMAT] = None,  # noqa: A002 - the name of the option
    shown: Annotated[DisplayOptions, Parameter(name="*", group=SHOWN)] = DisplayOptions(),
) -> None:
    """Find which conventions give a number, or why two profiles differ.

    All settings, parameters of the measure, known profiles and measures that
    tools confuse are tried, one departure first, then two, or a known profile
    with a change. The answer names the smallest departures, the queries that
    move most, and one of them explained under both; or how near anything came.

    Args:
        qrels: Judgements, as for evaluate.
        run: One run, as for evaluate.
        measure: What was measured and the number to explain, with all its digits: nDCG@10=0.4218.
        options: From which conventions it departs, and how files are read.
        between: Two profiles whose numbers differ; then no number is given.
        format: How to show it. Default: table.
        shown: How it is shown.

    Examples:
        rankworth audit qrels.txt bm25.run nDCG@10=0.4218
        rankworth audit qrels.txt bm25.run nDCG@10 --between trec_eval-10.0 scikit-learn
        rankworth audit qrels.txt bm25.run AP=0.2716 --profile ranx -f json

    """
    if options.measured.measure:
        text = "audit takes its measure behind the run, and -m names another one"
        raise UsageError("conflicting-options", text, remedy="rankworth audit QRELS RUN nDCG@10=0.4218")
    if between and options.measured.profile:
        raise UsageError("conflicting-options", "--between names two profiles, and --profile a third; give one")
    project = configuration.find(options.measured.plugin, quiet=shown.quiet)
    files = InputFiles.of(project, options, qrels, [run])
    out = Output.of(shown, format, files.paths, contents="audits", further_suffixes=())

    from rankworth import auditing  # noqa: PLC0415 - not before the arguments are known to be sound

    with progress(quiet=shown.quiet) as drawing:
        judgements, [ranking], settings = files.described()
        measuring = None if drawing is None else drawing.measuring
        result = auditing.audit(
            judgements, ranking, measure, between=between, progress=drawing, measuring=measuring, **settings
        )
    out.write_result(result, "rankworth audit")
