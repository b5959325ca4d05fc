"""The command `audit`: which conventions give a number, why those of two profiles differ, which fusion made a run."""

from collections.abc import Sequence
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
    typed,
)
from rankworth.cli.output import Output, progress
from rankworth.errors import UsageError
from rankworth.tables.show import Form

USAGE: Final = """\
Usage: rankworth audit QRELS RUN MEASURE=NUMBER [OPTIONS]
       rankworth audit RUN --parts RUN RUN [OPTIONS]"""
_BY_PARTS: Final = "rankworth audit fused.run --parts bm25.run dense.run"


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
    run: File = "",
    measure: str = "",
    /,
    *,
    options: Annotated[AuditOptions, FLAT] = AuditOptions(),
    parts: Annotated[list[str] | None, Parameter(consume_multiple=1, metavar="RUN", group=COMPARED)] = None,
    between: Annotated[tuple[str, str] | None, Parameter(metavar="PROFILE PROFILE", group=COMPARED)] = None,
    format: Annotated[Form | None, FORMAT] = None,  # noqa: A002 - the name of the option
    shown: Annotated[DisplayOptions, Parameter(name="*", group=SHOWN)] = DisplayOptions(),
) -> None:
    """Find which conventions give a number, why two profiles differ, or which fusion made a run.

    All settings, parameters of the measure, known profiles and measures that
    tools confuse are tried, one departure first, then two, or a known profile
    with a change. The answer names the smallest departures, the queries that
    move most, and one of them explained under both; or how near anything came.

    Args:
        qrels: Judgements, as for evaluate.
        run: One run, as for evaluate.
        measure: What was measured and the number to explain, with all its digits: nDCG@10=0.4218.
        options: From which conventions it departs, and how files are read.
        parts: Runs of which the only argument was fused; the answer names the fusion.
        between: Two profiles whose numbers differ; then no number is given.
        format: How to show it. Default: table.
        shown: How it is shown.

    Examples:
        rankworth audit qrels.txt bm25.run nDCG@10=0.4218
        rankworth audit qrels.txt bm25.run nDCG@10 --between trec_eval-10.0 scikit-learn
        rankworth audit qrels.txt bm25.run AP=0.2716 --profile ranx -f json
        rankworth audit fused.run --parts bm25.run dense.run

    """
    if parts is not None:
        _audit_fusion([qrels, *filter(None, (run, measure))], parts, options, format, shown, between=between)
        return
    if not measure:
        present = " ".join(filter(None, (qrels, run))) or "nothing"
        text = f"audit needs judgements, a run and the value to explain; there is {present}"
        remedy = f"rankworth audit qrels.txt bm25.run nDCG@10=0.4218; of a fused run: {_BY_PARTS}"
        raise UsageError("conflicting-options", text, remedy=remedy)
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


def _audit_fusion(
    files: Sequence[str],
    parts: Sequence[str],
    options: AuditOptions,
    form: str | None,
    shown: DisplayOptions,
    *,
    between: tuple[str, str] | None,
) -> None:
    """Name the fusion that made a run of its parts.

    Raises:
        UsageError: `conflicting-options`.

    """
    if len(files) > 1:
        text = f"--parts is about one run, by its scores and without judgements; there are {' '.join(files)}"
        raise UsageError("conflicting-options", text, remedy=_BY_PARTS)
    measured = options.measured
    named = typed(vars(measured) | {"conventions": options.conventions or None, "between": between})
    if named:
        text = f"--parts measures nothing, and {' '.join(next(iter(named.items()))[:1])} is about what is measured"
        raise UsageError("conflicting-options", text, remedy=f"leave it out: {_BY_PARTS}")
    project = configuration.find(None, quiet=shown.quiet)
    inputs = InputFiles.of(project, options, "", [*files, *parts])
    out = Output.of(shown, form, inputs.paths, contents="audits", further_suffixes=())

    from rankworth import auditing  # noqa: PLC0415 - not before the arguments are known to be sound

    with progress(quiet=shown.quiet) as drawing:
        fused, *runs = inputs.read_runs()
        result = auditing.audit_fusion([fused], {run.name: run for run in runs}, progress=drawing)
    out.write_result(result, "rankworth audit --parts")
