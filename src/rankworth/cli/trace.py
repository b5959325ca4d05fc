"""The command `trace`: which stage of a pipeline loses relevant documents."""

from typing import Annotated, Final

from cyclopts import Parameter

from rankworth.cli import configuration
from rankworth.cli.inputs import InputFiles, runs_of_stage
from rankworth.cli.options import (
    COMPARED,
    FLAT,
    FORMAT,
    SHOWN,
    DisplayOptions,
    File,
    FromOne,
    HiddenFile,
    Options,
    refuse_files,
)
from rankworth.cli.output import Output, picture, progress
from rankworth.errors import UsageError
from rankworth.tables.show import Form

USAGE: Final = "Usage: rankworth trace QRELS STAGE... [OPTIONS]"


def trace(
    qrels: File,
    /,
    *stages: HiddenFile,
    options: Annotated[Options, FLAT] = Options(),
    by: Annotated[str | None, Parameter(metavar="COLUMN", group=COMPARED)] = None,
    at: Annotated[list[int] | None, Parameter(consume_multiple=1, metavar="N", validator=FromOne, group=SHOWN)] = None,
    format: Annotated[Form | None, FORMAT] = None,  # noqa: A002 - the name of the option
    shown: Annotated[DisplayOptions, Parameter(name="*", group=SHOWN)] = DisplayOptions(),
) -> None:
    """Find the stage of a pipeline to work on: what its candidates hold, and what it realises.

    A STAGE is a run, or several with commas between them that stand side by
    side, as two retrievers do; from left to right as documents pass. The first
    sentence names the stage to work on. Without -m the measure is nDCG@10.

    Args:
        qrels: Judgements, as for evaluate.
        stages: Stages.
        options: What is measured, and how files are read; --queries brings texts and groups.
        by: Column of --queries by whose groups losses are shown, too.
        at: Depths at which ceilings are told. Default: 10 20 50 100 200 500.
        format: How to show it. Default: table.
        shown: How it is shown.

    Examples:
        rankworth trace qrels.txt bm25.run,dense.run fused.run reranked.run -m nDCG@10
        rankworth trace qrels.txt dense.run reranked.run -m R@100 --queries queries.tsv --by language

    """
    groups = [runs_of_stage(stage) for stage in stages]
    if not groups:
        raise UsageError("conflicting-options", "there is no stage to trace", remedy=USAGE.removeprefix("Usage: "))
    project = configuration.find(options.measured.plugin, quiet=shown.quiet)
    inputs = InputFiles.of(project, options, qrels, [run for group in groups for run in group])
    out = Output.of(shown, format, inputs.paths, contents="traces")
    refuse_files("trace QRELS STAGE...", options.typed(by=by))

    from rankworth import pipelines  # noqa: PLC0415 - not before the arguments are known to be sound
    from rankworth.names import several  # noqa: PLC0415 - as above
    from rankworth.pipelines.tracing import DEPTHS, MEASURE  # noqa: PLC0415 - as above

    wanted = several(options.measured.measure or [MEASURE])
    if len(wanted) > 1:
        raise UsageError("conflicting-options", "a pipeline is traced by one measure, and -m names several")
    with progress(quiet=shown.quiet) as drawing:
        judgements, runs, settings = inputs.read(wanted)
        rest = iter(runs)
        staged = [[next(rest) for _ in group] for group in groups]
        result = pipelines.trace(
            judgements,
            staged,
            wanted[0],
            depths=at or DEPTHS,
            table=options.table(),
            by=by,
            progress=drawing,
            **settings,
        )
    out.write_result(result, "rankworth trace", picture("flow", result, out=out))
