"""The command `chunks`: the best that retrieval could do with chunkings, before any retriever is run."""

from typing import Annotated, Final

from cyclopts import Parameter

from rankworth.cli import configuration
from rankworth.cli.evaluate import write
from rankworth.cli.inputs import named
from rankworth.cli.options import (
    FORMAT,
    MEASURED,
    READ,
    SHOWN,
    TESTED,
    Columns,
    DisplayOptions,
    File,
    HiddenFile,
    Measured,
    Share,
    columns,
)
from rankworth.cli.output import Output, picture, progress
from rankworth.errors import UsageError
from rankworth.tables.show import ValueForm

USAGE: Final = "Usage: rankworth chunks GOLD CHUNKS... [OPTIONS]"


def chunks(
    gold: File,
    chunking: File,
    /,
    *chunkings: HiddenFile,
    measure: Annotated[list[str] | None, Parameter(alias="-m", consume_multiple=1, metavar="M", group=MEASURED)] = None,
    only: Annotated[str | None, Parameter(metavar="FILE", group=MEASURED)] = None,
    answered_only: Annotated[bool, Parameter(group=MEASURED)] = False,
    qrels_columns: Annotated[Columns, Parameter(group=READ)] = None,
    run_columns: Annotated[Columns, Parameter(group=READ)] = None,
    sources: Annotated[str | None, Parameter(metavar="FILE", group=READ)] = None,
    cost: Annotated[str | None, Parameter(metavar="WHAT", group=READ)] = None,
    format: Annotated[ValueForm | None, FORMAT] = None,  # noqa: A002 - the name of the option
    per_query: Annotated[bool, Parameter(alias="-q", group=SHOWN)] = False,
    level: Annotated[float, Parameter(validator=Share, group=TESTED)] = 0.95,
    shown: Annotated[DisplayOptions, Parameter(name="*", group=SHOWN)] = DisplayOptions(),
) -> None:
    """Tell the best that retrieval could do with each of several chunkings.

    For each query the chunks that hold all of the gold, in as few characters as
    there can be: recall is 1, unless a chunking leaves characters out, and no
    retriever that finds all has a better precision or IoU. A picture (-o) shows
    precision over what has to be read.

    Args:
        gold: Judgements that are spans: source, start and end.
        chunking: All chunks of a chunking: source, start and end; small=a.jsonl is named small.
        chunkings: Further chunkings.
        measure: Measures. Default: SpanR SpanP SpanIoU SpanPieces SpanLength.
        only: Look at the queries in this file alone, one id in each line.
        answered_only: Leave queries of whose gold a chunking has no character out of its means.
        qrels_columns: Names of columns of the gold: source=file start=from.
        run_columns: Names of columns of the chunks.
        sources: Texts that hold gold and chunks: folder, corpus.
        cost: What chunks cost: tokens, or tokens=COLUMN; what has to be read is shown then.
        format: Default: table on a terminal, otherwise tsv.
        per_query: Values of each query instead of means; json has both.
        level: Confidence level of the intervals of means. Default: 0.95.
        shown: How it is shown.

    Examples:
        rankworth chunks gold.jsonl size-200.jsonl size-400.jsonl size-800.jsonl
        rankworth chunks gold.jsonl size-*.jsonl --cost tokens=text -o chunks.svg
        rankworth chunks gold.jsonl size-200.jsonl -m SpanP SpanPieces -q -f csv

    """
    configuration.find(None, quiet=shown.quiet)
    pairs = [named(text) for text in (chunking, *chunkings)]
    out = Output.of(shown, format, [gold, *(path for _, path in pairs), *filter(None, (only, sources))])
    out.refuse_in_long(per_query=per_query)

    from rankworth.evaluation import ceilings  # noqa: PLC0415 - not before the arguments are known to be sound
    from rankworth.io import ids  # noqa: PLC0415 - as above
    from rankworth.model.run import stem  # noqa: PLC0415 - as above

    names = [name or stem(path) for name, path in pairs]
    if twice := [name for name in names if names.count(name) > 1]:
        text = f"two chunkings are called {twice[0]!r}"
        raise UsageError("run-names", text, remedy="name them: small=a/chunks.jsonl large=b/chunks.jsonl")
    with progress(quiet=shown.quiet):
        table = ceilings.chunks(
            gold,
            dict(zip(names, (path for _, path in pairs), strict=True)),
            measure or ceilings.MEASURES,
            qrels_columns=columns(qrels_columns, "--qrels-columns"),
            run_columns=columns(run_columns, "--run-columns"),
            queries=None if only is None else ids.read_ids(only),
            sources=sources,
            cost=cost,
            missing="skip" if answered_only else None,
        )
    measured = Measured()
    across = ceilings.COST if cost is not None else "SpanLength"
    drawn = picture("scores", table, out=out) if measure else picture("tradeoff", table, across, "SpanP", out=out)
    wanted = measure or list(ceilings.MEASURES)
    write(out, table, wanted, measured, None if per_query else level, per_query=per_query, drawn=drawn)
