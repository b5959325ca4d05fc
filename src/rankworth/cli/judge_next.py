"""The command `judge-next`: which documents to judge first."""

from typing import Annotated, Final

from cyclopts import Parameter

from rankworth.cli import configuration
from rankworth.cli.inputs import InputFiles
from rankworth.cli.options import (
    FLAT,
    FORMAT,
    SHOWN,
    DisplayOptions,
    File,
    FromOne,
    HiddenFile,
    TextOptions,
    refuse_files,
)
from rankworth.cli.output import Output, progress
from rankworth.errors import UsageError
from rankworth.tables.show import Form

USAGE: Final = "Usage: rankworth judge-next QRELS RUN [RUN] [OPTIONS]"


def judge_next(
    qrels: File,
    run: File,
    /,
    *runs: HiddenFile,
    options: Annotated[TextOptions, FLAT] = TextOptions(),
    n: Annotated[int, Parameter(name="-n", metavar="N", validator=FromOne, group=SHOWN)] = 50,
    format: Annotated[Form | None, FORMAT] = None,  # noqa: A002 - the name of the option
    shown: Annotated[DisplayOptions, Parameter(name="*", group=SHOWN)] = DisplayOptions(),
) -> None:
    """List the unjudged documents that can change a value, or the difference of two runs, most.

    Judge them in this order: the file of -o (CSV) has an empty column grade, and
    with grades in it every command reads it as judgements; rows without a grade
    are unjudged. Without -m the measure is nDCG@10.

    Args:
        qrels: Judgements, as for evaluate.
        run: One run, or two whose difference is looked at.
        runs: The second run.
        options: What is measured, and how files are read; --queries and --docs bring texts.
        n: How many documents. Default: 50.
        format: How to show it. Default: table.
        shown: How it is shown.

    Examples:
        rankworth judge-next qrels.txt bm25.run dense.run -n 50 -o to-judge.csv
        rankworth judge-next qrels.txt dense.run -m AP -n 20 --docs corpus.jsonl --queries queries.tsv -o to-judge.csv

    """
    project = configuration.find(options.measured.plugin, quiet=shown.quiet)
    files = InputFiles.of(project, options, qrels, (run, *runs), options.read.docs)
    out = Output.of(shown, format, files.paths, contents="documents", further_suffixes=())
    refuse_files("judge-next QRELS RUN [RUN]", options.typed())

    from rankworth.comparison import next_judgements  # noqa: PLC0415 - not before arguments are sound
    from rankworth.names import several  # noqa: PLC0415 - as above

    wanted = several(options.measured.measure or [next_judgements.MEASURE])
    if len(wanted) > 1:
        raise UsageError("conflicting-options", "documents are chosen by one measure, and -m names several")
    with progress(quiet=shown.quiet):
        judgements, rankings, settings = files.read(wanted)
        texts, docs = options.table(), options.read.docs
        result = next_judgements.judge_next(judgements, rankings, wanted[0], n=n, texts=texts, docs=docs, **settings)
    out.write_result(result, "rankworth judge-next")
