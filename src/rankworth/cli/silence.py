"""The command `silence`: from which top score on to answer, where some queries have no answer."""

from dataclasses import dataclass
from typing import Annotated, Final

from cyclopts import Group, Parameter

from rankworth.cli import configuration
from rankworth.cli.inputs import InputFiles
from rankworth.cli.options import (
    FLAT,
    FORMAT,
    SHOWN,
    TESTED,
    DisplayOptions,
    File,
    FromZero,
    Options,
    Share,
    refuse_files,
)
from rankworth.cli.output import Output, picture, progress
from rankworth.errors import UsageError
from rankworth.tables.show import Form

USAGE: Final = "Usage: rankworth silence QRELS RUN [OPTIONS]"
CHOSEN: Final = Group("How the threshold is chosen", sort_key=0)
_HERE: Final = Parameter(name="*", group=CHOSEN)


@dataclass(frozen=True)
class ThresholdOptions:
    """How the threshold is chosen.

    Attributes:
        wrong_answer: What an answer costs where there is none. Default: 1.
        wrong_silence: What silence costs where there is an answer. Default: 1.
        threshold: Measure this one, which was chosen on other queries.
        seed: Of the halves: one to choose on, the other to measure on. Default: 0.
        level: Confidence level of the intervals. Default: 0.95.

    """

    wrong_answer: Annotated[float, Parameter(metavar="COST", validator=FromZero)] = 1.0
    wrong_silence: Annotated[float, Parameter(metavar="COST", validator=FromZero)] = 1.0
    threshold: Annotated[float | None, Parameter(metavar="SCORE", allow_leading_hyphen=True)] = None
    seed: Annotated[int, Parameter(metavar="N", validator=FromZero, group=TESTED)] = 0
    level: Annotated[float, Parameter(validator=Share, group=TESTED)] = 0.95


def silence(
    qrels: File,
    run: File,
    /,
    *,
    chosen: Annotated[ThresholdOptions, _HERE] = ThresholdOptions(),
    options: Annotated[Options, FLAT] = Options(),
    format: Annotated[Form | None, FORMAT] = None,  # noqa: A002 - the name of the option
    by: Annotated[list[str] | None, Parameter(consume_multiple=1, metavar="COLUMN", group=SHOWN)] = None,
    shown: Annotated[DisplayOptions, Parameter(name="*", group=SHOWN)] = DisplayOptions(),
) -> None:
    """Find from which top score on to answer, where some queries have no answer.

    A query has no answer if its judgements have no grade above 0. Over every
    threshold of the top score: refusal against quality, wrong answers and
    wrong silences with exact intervals. On half of the queries the threshold
    with the least cost is chosen, on the other half it is measured. Without -m
    the measure is nDCG@10.

    Args:
        qrels: Judgements, as for evaluate.
        run: The run, with scores.
        chosen: How the threshold is chosen.
        options: What is measured, and how files are read; --queries brings texts.
        format: How to show it. Default: table.
        by: Also show groups of this column of --queries; several are crossed, a,b is each by itself.
        shown: How it is shown.

    Examples:
        rankworth silence qrels.txt dense.run --wrong-answer 5
        rankworth silence test-qrels.txt test.run --threshold 0.42 -m RR@10

    """
    project = configuration.find(options.measured.plugin, quiet=shown.quiet)
    inputs = InputFiles.of(project, options, qrels, [run])
    out = Output.of(shown, format, inputs.paths, contents="thresholds")
    refuse_files("silence QRELS RUN", options.typed())

    from rankworth import pipelines  # noqa: PLC0415 - not before the arguments are known to be sound
    from rankworth.names import several  # noqa: PLC0415 - as above
    from rankworth.pipelines.refusal import MEASURE  # noqa: PLC0415 - as above

    wanted = several(options.measured.measure or [MEASURE])
    if len(wanted) > 1:
        raise UsageError("conflicting-options", "answers are measured by one measure, and -m names several")
    with progress(quiet=shown.quiet) as drawing:
        judgements, runs, settings = inputs.read(wanted)
        result = pipelines.silence(
            judgements, runs[0], wanted[0], table=options.table(), by=by, progress=drawing, **vars(chosen), **settings
        )
    out.write_result(result, "rankworth silence", picture("silence", result, out=out))
