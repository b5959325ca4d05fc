"""The command `check`: what is wrong or risky in judgements and runs."""

from dataclasses import dataclass
from typing import Annotated, Final, Literal

from cyclopts import Parameter

from rankworth.cli import configuration
from rankworth.cli.evaluate import SeveralProfiles
from rankworth.cli.inputs import InputFiles
from rankworth.cli.options import (
    FLAT,
    FORMAT,
    MEASURED,
    READ,
    SHOWN,
    DisplayOptions,
    File,
    HiddenFile,
    TextOptions,
    refuse_files,
)
from rankworth.cli.output import Output, progress, put
from rankworth.tables.show import Form

USAGE: Final = "Usage: rankworth check QRELS [RUN...] [OPTIONS]"
_STANDARD: Final = SeveralProfiles()
CheckForm = Literal[Form, "github"]


@dataclass(frozen=True)
class CheckOptions(TextOptions):
    """Options of a check.

    Attributes:
        measured: What is measured.

    """

    measured: Annotated[SeveralProfiles, Parameter(name="*", group=MEASURED)] = _STANDARD


def check(
    qrels: File,
    /,
    *runs: HiddenFile,
    options: Annotated[CheckOptions, FLAT] = CheckOptions(),
    qrels_only: Annotated[bool, Parameter(group=READ)] = False,
    bounds: Annotated[Literal["unjudged"] | None, Parameter(metavar="BY", group=SHOWN)] = None,
    format: Annotated[CheckForm | None, FORMAT] = None,  # noqa: A002 - the name of the option
    shown: Annotated[DisplayOptions, Parameter(name="*", group=SHOWN)] = DisplayOptions(),
) -> int:
    """List what is wrong or risky in judgements and runs; exit with 1 if there are errors.

    Errors make a number wrong, warnings are likely to mislead, notes are good to
    know; each has a code, and each code a page in docs/errors. Lines that cannot
    be read are named and left out, and the others measured. With several
    profiles (--profile all) the values under each are shown, too.

    Args:
        qrels: Judgements, as for evaluate.
        runs: Runs, as for evaluate; none to check judgements alone.
        options: What is measured, and how files are read; --docs finds judged documents that are not there.
        qrels_only: All files are judgements, each checked by itself; there is no run.
        bounds: unjudged: how low and how high the first mean could be, whatever unjudged documents are worth.
        format: How to show it: also github, for annotations of a workflow. Default: table.
        shown: How it is shown.

    Examples:
        rankworth check qrels.txt bm25.run dense.run
        rankworth check qrels.txt dense.run -m nDCG@10 --profile all
        rankworth check qrels.txt *.run --docs corpus.jsonl -f github
        rankworth check --qrels-only qrels/*.txt

    """
    project = configuration.find(options.measured.plugin, quiet=shown.quiet)
    groups = [(path, ()) for path in dict.fromkeys([qrels, *runs])] if qrels_only else [(qrels, runs)]
    inputs = [InputFiles.of(project, options, first, further, options.read.docs) for first, further in groups]
    paths = [path for files in inputs for path in files.paths]
    out = Output.of(shown, None if format == "github" else format, paths, contents="findings", further_suffixes=())
    refuse_files("check QRELS RUN...", options.typed())

    from rankworth import checking, evaluation  # noqa: PLC0415 - not before the arguments are known to be sound
    from rankworth.checking.findings import joined  # noqa: PLC0415 - as above

    measures = options.measured.measure or project.measures or evaluation.DEFAULT_MEASURES
    profiles = options.profiles()
    with progress(quiet=shown.quiet) as drawing:
        checks = {}
        for files in inputs:
            judgements, rankings, settings = files.described()
            checks[files.qrels] = checking.check(
                judgements,
                rankings,
                measures,
                docs=options.read.docs,
                profiles=profiles if len(profiles) > 1 else (),
                bounds=bounds,
                progress=drawing,
                **settings,
            )
        result = joined(checks) if qrels_only else checks[qrels]
    if format == "github":
        put(result.to_github().encode())
    if format != "github" or out.is_file:
        out.write_result(result, "rankworth check")
    return int(bool(result.errors))
