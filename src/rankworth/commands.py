"""Commands beside `evaluate`: plain arguments in, one call of the library, its answer out."""

import signal
import sys
from collections.abc import Sequence
from typing import Annotated, Any, Final, Literal

from cyclopts import App, Group, Parameter, Token

from rankworth import arguments
from rankworth.errors import UsageError
from rankworth.io.sources import STDIN
from rankworth.terminal import Progress, say

CONVERT: Final = "Usage: rankworth convert IN OUT [OPTIONS]"
CONVERT_EXAMPLES: Final = """Examples:
  rankworth convert bm25.run bm25.parquet
  rankworth convert clicks.csv qrels.txt --columns query=term document=sku
  rankworth convert --qrels qrels.json - --to trec | gzip > qrels.txt.gz"""

# As `rankworth.io.duplicates` has them, which loads NumPy.
Duplicates = Literal["error", "best", "first", "last"]
DuplicateJudgements = Literal["error", "max", "first", "last"]

_READ = Group("What is read", sort_key=1)
_WRITTEN = Group("What is written", sort_key=2)
_OTHER = Group("Other", sort_key=3)


def _place(_: Any, tokens: Sequence[Token]) -> str:  # noqa: ANN401 - what Cyclopts hands over
    return arguments.path(tokens, App(default_command=convert).assemble_argument_collection)


Place = Annotated[str, Parameter(allow_leading_hyphen=True, converter=_place, n_tokens=1, show=False)]


def convert(
    source: Place,
    target: Place,
    /,
    *,
    is_run: Annotated[bool, Parameter(name="--run", group=_READ)] = False,
    is_qrels: Annotated[bool, Parameter(name="--qrels", group=_READ)] = False,
    form: Annotated[
        str, Parameter(name="--from", alias=["--run-format", "--qrels-format"], metavar="FORMAT", group=_READ)
    ] = "",
    columns: Annotated[list[str] | None, Parameter(consume_multiple=1, metavar="WHAT=NAME", group=_READ)] = None,
    split: Annotated[str, Parameter(metavar="NAME", group=_READ)] = "",
    duplicates: Annotated[Duplicates, Parameter(group=_READ)] = "error",
    duplicate_judgements: Annotated[DuplicateJudgements, Parameter(group=_READ)] = "error",
    to: Annotated[str, Parameter(metavar="FORMAT", group=_WRITTEN)] = "",
    lossy: Annotated[bool, Parameter(group=_WRITTEN)] = False,
    quiet: Annotated[bool, Parameter(group=_OTHER)] = False,
) -> None:
    """Write a run or judgements in another format.

    IN is a file in any format, plain or packed, a pattern or a folder, or -;
    NAME=FILE names a run. OUT is a file whose suffix tells its format (.run
    .qrels .trec .txt .csv .tsv .jsonl .json .parquet .arrow .feather), or -.

    Args:
        source: What is read.
        target: What is written.
        is_run: IN is a run, where its content does not tell.
        is_qrels: IN holds judgements, where its content does not tell.
        form: Format of IN: trec csv tsv msmarco jsonl json parquet arrow. Default: told from the content.
        columns: Which column holds what: query=term document=sku; score, rank, grade and subtopic likewise.
        split: Which judgements of a BEIR folder. Default: test.
        duplicates: What becomes of a document that a query ranks twice. Default: an error.
        duplicate_judgements: What becomes of a document that a query judges twice. Default: an error.
        to: Format of OUT, where its suffix does not tell, or tells another: msmarco.
        lossy: Leave out what OUT cannot hold: scores in msmarco, subtopics in json.
        quiet: Nothing on standard error but errors.

    """
    if is_run and is_qrels:
        raise UsageError("conflicting-options", "--run and --qrels contradict each other; give one")
    tag, path = ("", source) if source == STDIN else arguments.named(source)
    if target == STDIN and to in ("parquet", "arrow") and sys.stdout.isatty():
        raise UsageError("unwritable-output", f"{to} is not for terminals", remedy="name a file, or use a pipe")
    from rankworth import conversion  # noqa: PLC0415 - not before the arguments are known to be sound

    if hasattr(signal, "siginterrupt"):  # Ctrl-C must reach a read from a silent pipe
        signal.siginterrupt(signal.SIGINT, True)
    with Progress(shown=sys.stderr.isatty() and not quiet) as progress:
        converted = conversion.convert(
            path,
            target,
            kind="run" if is_run else "qrels" if is_qrels else "",
            format=form,
            columns=arguments.columns(columns or ()),
            split=split,
            duplicates=duplicates,
            duplicate_judgements=duplicate_judgements,
            to=to,
            tag=tag,
            lossy=lossy,
            progress=progress,
        )
    if not quiet:
        say(f"wrote {'standard output' if target == STDIN else target}: {converted}")
        for remark in converted.left_out:
            say(f"left out: {remark}")
