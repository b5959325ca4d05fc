"""The command `calibrate`: how a judge errs by some labels of people, and the share of relevant that this corrects."""

from typing import Annotated, Final, Literal

from cyclopts import Parameter

from rankworth.cli.inputs import judge_names, named
from rankworth.cli.options import (
    COMPARED,
    FORMAT,
    MEASURED,
    READ,
    SHOWN,
    TESTED,
    Columns,
    DisplayOptions,
    File,
    FromZero,
    GradeWords,
    Share,
    grades_of,
)
from rankworth.cli.options import columns as parsed_columns
from rankworth.cli.output import Output, progress
from rankworth.errors import UsageError
from rankworth.tables.show import Form

USAGE: Final = "Usage: rankworth calibrate PEOPLE JUDGE [--before QRELS] [OPTIONS]"


def calibrate(
    people: File,
    judge: File,
    /,
    *,
    before: Annotated[str | None, Parameter(metavar="QRELS", group=COMPARED)] = None,
    rel: Annotated[float, Parameter(alias="-l", metavar="GRADE", group=MEASURED)] = 1.0,
    only: Annotated[str | None, Parameter(metavar="FILE", group=MEASURED)] = None,
    columns: Annotated[Columns, Parameter(alias="--qrels-columns", group=READ)] = None,
    form: Annotated[str, Parameter(name="--qrels-format", metavar="FORMAT", group=READ)] = "",
    blank: Annotated[Literal["unjudged", "zero", "error"], Parameter(group=READ)] = "unjudged",
    grades: Annotated[GradeWords, Parameter(group=READ)] = None,
    level: Annotated[float, Parameter(validator=Share, group=TESTED)] = 0.95,
    seed: Annotated[int, Parameter(metavar="N", validator=FromZero, group=TESTED)] = 0,
    format: Annotated[Form | None, FORMAT] = None,  # noqa: A002 - the name of the option
    shown: Annotated[DisplayOptions, Parameter(name="*", group=SHOWN)] = DisplayOptions(),
) -> None:
    """Tell how a judge errs by some hundred labels of people, and correct its share of relevant.

    PEOPLE are labels of a random sample of what JUDGE judged, 100 at least. Shown
    are kappa, sensitivity and specificity with intervals, the corrected share of
    relevant pairs, and with --before what changed since another version.

    Args:
        people: Judgements of people. NAME=FILE names them, as all files here.
        judge: Judgements of the judge.
        before: Judgements of an earlier version of the judge.
        rel: Lowest relevant grade. Default: 1.
        only: Look at the queries in this file alone, one id in each line.
        columns: Names of columns: query=question document=answer grade=verdict.
        form: Format of the files (tsv). Default: by content.
        blank: What judgements without a grade are. Default: unjudged.
        grades: Words as grades: no=0 yes=1.
        level: Of the intervals. Default: 0.95.
        seed: Of the samples that the interval of kappa is from. Default: 0.
        format: How to show it. Default: table.
        shown: How it is shown.

    Examples:
        rankworth calibrate human.qrels llm.qrels
        rankworth calibrate human.csv v2.csv --before v1.csv --grades no=0 yes=1

    """
    files = [file for file in (people, judge, before) if file is not None]
    names, paths = judge_names(files), [named(file)[1] for file in files]
    counting, words = grades_of(grades)
    if counting:
        text = f"--grades {counting}: words mean a grade here: WORD=GRADE"
        raise UsageError("unknown-setting", text, remedy="as in --grades no=0 yes=1")
    out = Output.of(shown, format, [*paths, *([only] if only else [])], contents="calibrations", further_suffixes=())

    from rankworth import correlation  # noqa: PLC0415 - not before the arguments are known to be sound
    from rankworth.io import ids  # noqa: PLC0415 - as above
    from rankworth.model import Qrels  # noqa: PLC0415 - as above

    with progress(quiet=shown.quiet):
        by_role = parsed_columns(columns)
        read = [Qrels(path, format=form, columns=by_role, blank=blank, grades=words) for path in paths]
        result = correlation.calibrate(
            *read[:2],
            before=read[2] if before is not None else None,
            names=names,
            rel=rel,
            queries=None if only is None else ids.read_ids(only),
            level=level,
            seed=seed,
        )
    out.write_result(result, "rankworth calibrate")
