"""The command `convert`: a run or judgements in another format."""

import sys
from typing import Annotated, Final, Literal

from cyclopts import Parameter

from rankworth.cli.inputs import named
from rankworth.cli.options import OTHER, READ, SHOWN, Columns, GradeWords, HiddenFile, grades_of
from rankworth.cli.options import columns as parsed_columns
from rankworth.cli.output import progress, say
from rankworth.errors import UsageError
from rankworth.io.formats import FORMATS
from rankworth.io.source import STDIN

USAGE: Final = "Usage: rankworth convert IN OUT [OPTIONS]"

# Those of `rankworth.io.duplicates`, which loads NumPy, that leave one row.
Duplicates = Literal["error", "best", "first", "last", "sum", "mean-top-3"]
DuplicateJudgements = Literal["error", "max", "first", "last"]


def convert(
    source: HiddenFile,
    target: HiddenFile,
    /,
    *,
    is_run: Annotated[bool, Parameter(name="--run", group=READ)] = False,
    is_qrels: Annotated[bool, Parameter(name="--qrels", group=READ)] = False,
    form: Annotated[
        str, Parameter("--from", alias=["--run-format", "--qrels-format"], metavar="FORMAT", group=READ)
    ] = "",
    columns: Annotated[Columns, Parameter(alias=["--run-columns", "--qrels-columns"], group=READ)] = None,
    split: Annotated[str, Parameter(metavar="NAME", group=READ)] = "",
    blank: Annotated[Literal["unjudged", "zero", "error"], Parameter(group=READ)] = "unjudged",
    grades: Annotated[GradeWords, Parameter(group=READ)] = None,
    ids: Annotated[str | None, Parameter(alias=["--run-ids", "--qrels-ids"], metavar="RULE", group=READ)] = None,
    collapse: Annotated[str | None, Parameter(metavar="RULE", group=READ)] = None,
    sources: Annotated[str | None, Parameter(metavar="FILE", group=READ)] = None,
    duplicates: Annotated[Duplicates, Parameter(group=READ)] = "error",
    duplicate_judgements: Annotated[DuplicateJudgements, Parameter(group=READ)] = "error",
    to: Annotated[str, Parameter(metavar="FORMAT", group=SHOWN)] = "",
    lossy: Annotated[bool, Parameter(group=SHOWN)] = False,
    quiet: Annotated[bool, Parameter(group=OTHER)] = False,
) -> None:
    """Write a run or judgements in another format.

    IN is a file in any format, plain or compressed, a pattern or a folder, or -;
    NAME=FILE names a run. OUT is a file whose suffix tells its format (.run
    .qrels .trec .txt .csv .tsv .jsonl .json .parquet .arrow .feather), or -.

    Args:
        source: What is read.
        target: What is written.
        is_run: IN is a run, where its content does not tell.
        is_qrels: IN holds judgements, where its content does not tell.
        form: Format of IN: trec csv tsv msmarco jsonl json parquet arrow svmlight. Default: detected from the content.
        columns: Which column holds what: query=term document=sku; so for score, rank, grade and subtopic.
        split: Which judgements of a BEIR folder. Default: test.
        blank: What judgements without a grade mean: unjudged, zero, or an error. Default: unjudged.
        grades: Grades that words mean: E=3 S=2 C=1 I=0.
        ids: Rename documents: cut at '#', group of '(.*)_[0-9]+', or a table of two columns.
        collapse: Chunks to documents: --ids RULE --duplicates best.
        sources: Texts in which texts of IN are sought, folder or corpus: OUT has source, start and end.
        duplicates: What becomes of a document that a query ranks twice. Default: an error.
        duplicate_judgements: What becomes of a document that a query judges twice. Default: an error.
        to: Format of OUT, where its suffix does not tell, or tells another: msmarco.
        lossy: Leave out what OUT cannot hold: scores in msmarco, subtopics in json.
        quiet: Nothing on standard error but errors.

    Examples:
        rankworth convert bm25.run bm25.parquet
        rankworth convert clicks.csv qrels.txt --columns query=term document=sku
        rankworth convert --qrels qrels.json - --to trec | gzip > qrels.txt.gz

    """
    if is_run and is_qrels:
        raise UsageError("conflicting-options", "--run and --qrels contradict each other; give one")
    counting, words = grades_of(grades)
    if counting:
        text = f"--grades {counting}: grades are written as they are, and words mean one: WORD=GRADE"
        raise UsageError("unknown-setting", text, remedy="as in --grades E=3 S=2 C=1 I=0")
    tag, path = ("", source) if source == STDIN else named(source)
    if target == STDIN and to in FORMATS and FORMATS[to].is_binary and sys.stdout.isatty():
        raise UsageError("unwritable-output", f"{to} is not for terminals", remedy="name a file, or use a pipe")
    from rankworth import conversion  # noqa: PLC0415 - not before the arguments are known to be sound

    with progress(quiet=quiet) as drawing:
        converted = conversion.convert(
            path,
            target,
            kind="run" if is_run else "qrels" if is_qrels else "",
            format=form,
            columns=parsed_columns(columns),
            split=split,
            blank=blank,
            grades=words,
            ids=ids,
            collapse=collapse,
            sources=sources,
            duplicates=duplicates,
            duplicate_judgements=duplicate_judgements,
            to=to,
            tag=tag,
            lossy=lossy,
            progress=drawing,
        )
    if not quiet:
        say(f"wrote {'standard output' if target == STDIN else target}: {converted}")
        for remark in converted.left_out:
            say(f"left out: {remark}")
