"""The command `explain`: plain arguments in, one call of the library, its answer out."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

from cyclopts import Parameter

from rankworth.cli import configuration
from rankworth.cli.inputs import InputFiles
from rankworth.cli.options import (
    CONVENTIONS,
    FLAT,
    FORMAT,
    MEASURED,
    READ,
    SHOWN,
    ConventionsButMissing,
    DisplayOptions,
    FromOne,
    GradeWords,
    HiddenFile,
    ReadTexts,
    TextOptions,
)
from rankworth.cli.output import Output, picture, progress, rendered
from rankworth.errors import InputError, UsageError
from rankworth.io.source import STDIN
from rankworth.settings import VALUES
from rankworth.tables import data
from rankworth.tables.look import Look
from rankworth.tables.show import Form

if TYPE_CHECKING:
    from rankworth.explanation import Difference, Explanation, Explanations
    from rankworth.model import Run

USAGE: Final = "Usage: rankworth explain QRELS RUN [RUN] QUERY [OPTIONS]"
_FUSED: Final = "rankworth explain QRELS RUN RUN QUERY --fuse rrf"
MEASURES: Final = ("nDCG@10",)


@dataclass(frozen=True)
class ReadLists(ReadTexts):
    """How files are read, or a list of grades instead of them.

    Attributes:
        grades: No files, but the grades of one ranking, best rank first: 2,1,0,?,2; ? is unjudged. Or as for evaluate:
            grades that words mean.

    """

    grades: Annotated[GradeWords, Parameter(metavar="LIST")] = None


@dataclass(frozen=True)
class ExplainOptions(TextOptions):
    """Options of an explanation.

    Attributes:
        conventions: What differs from the profile.
        read: How files are read.

    """

    read: Annotated[ReadLists, Parameter(name="*", group=READ)] = ReadLists()
    conventions: Annotated[ConventionsButMissing | None, Parameter(name="*", group=CONVENTIONS)] = None


def explain(
    *files: HiddenFile,
    options: Annotated[ExplainOptions, FLAT] = ExplainOptions(),
    worst: Annotated[int | None, Parameter(metavar="N", validator=FromOne, group=SHOWN)] = None,
    best: Annotated[int | None, Parameter(metavar="N", validator=FromOne, group=SHOWN)] = None,
    missing: Annotated[str | None, Parameter(allow_leading_hyphen=True, metavar="LIST", group=MEASURED)] = None,
    fuse: Annotated[str | None, Parameter(metavar="METHOD", group=MEASURED)] = None,
    format: Annotated[Form | None, FORMAT] = None,  # noqa: A002 - the name of the option
    shown: Annotated[DisplayOptions, Parameter(name="*", group=SHOWN)] = DisplayOptions(),
) -> None:
    """Show how the value of a query is computed, rank by rank, and what is missing.

    QRELS and RUN are files in any format, as for evaluate; NAME=FILE names a
    run. With two runs the difference is attributed to documents. QUERY is an
    id; --worst, --best or --only choose queries instead. Without -m the measure
    is nDCG@10.

    Args:
        files: Judgements, one run or two, a query.
        options: What is measured, and how files are read.
        worst: The N queries with the least value by the first measure; of two runs, with the greatest loss.
        best: The N queries with the greatest value, or gain.
        missing: Grades of judged documents that are not in that ranking: 2,1.
        fuse: Explain the run that all runs become, as fuse reads --method: rrf, 'sum(norm=z)', qdrant.
        format: How to show it. Default: table.
        shown: How it is shown.

    Examples:
        rankworth explain qrels.txt dense.run q7 -m nDCG@3
        rankworth explain qrels.txt bm25.run dense.run q7 -m nDCG@10 AP
        rankworth explain qrels.txt dense.run --worst 5 --queries queries.tsv
        rankworth explain qrels.txt bm25.run dense.run q7 --fuse rrf
        rankworth explain --grades 2,1,0,1,2 -m 'nDCG(gain=exp2)@3'

    """
    grades = None if options.read.grades is None or options.grades_by_word else " ".join(options.read.grades)
    either = {name: text for name, text in (("grades", grades), ("missing", missing)) if text is not None}
    settings: dict[str, Any] = {name: text for name, text in either.items() if text in VALUES[name].words}
    lists = {name: _grades(name, text) for name, text in either.items() if name not in settings}
    if "grades" in lists:
        options = replace(options, read=replace(options.read, grades=None))
    only = options.measured.only
    is_chosen = bool(worst or best or only)
    if lists and ("grades" not in lists or files or is_chosen or fuse is not None):
        text = "--grades, and --missing beside it, stand instead of files and of options that choose queries"
        raise UsageError("conflicting-options", text, remedy="as in --grades 2,1,0,?,2 --missing 1")
    project = configuration.find(options.measured.plugin, quiet=shown.quiet)
    inputs, query = None, None
    if not lists:
        qrels, runs, query = _arguments(files, is_chosen=is_chosen, is_fused=fuse is not None)
        inputs = InputFiles.of(project, options, qrels, runs, options.read.docs)
    out = Output.of(shown, format, inputs.paths if inputs else [], contents="explanations")
    measures = options.measured.measure or project.measures or list(MEASURES)

    from rankworth.explanation import explain_queries  # noqa: PLC0415 - not before the arguments are known to be sound
    from rankworth.scoring.inputs import GRADES, of_grades  # noqa: PLC0415 - as above

    with progress(quiet=shown.quiet) as drawing:
        other_runs: Sequence[Run] = ()
        if inputs is None:
            judgements, run = of_grades(lists["grades"], lists.get("missing", ()))
            settings |= options.settings() | {"profile": options.profiles()[0], "queries": [GRADES]}
        else:
            judgements, [run, *other_runs], keywords = inputs.read(measures)
            settings |= keywords | ({"queries": [query]} if query is not None else {})
        result = explain_queries(
            judgements,
            run if fuse is None else [run, *other_runs],
            measures,
            worst=worst,
            best=best,
            against=other_runs[0] if other_runs and fuse is None else None,
            fuse=fuse,
            texts=options.read.queries,
            docs=options.read.docs,
            columns=options.read.text_columns,
            progress=drawing,
            **settings,
        )
        out.write(partial(_content, result), picture("stacked", result, out=out))
        out.warn_of(sheet for explanation in result for sheet in explanation.sheets())


def _arguments(files: Sequence[str], *, is_chosen: bool, is_fused: bool) -> tuple[str, list[str], str | None]:
    """Split the arguments into judgements, runs and query.

    Args:
        files: the arguments.
        is_chosen: whether an option chooses the queries.
        is_fused: whether runs are fused, of which there may be many.

    Raises:
        UsageError: `conflicting-options`.

    """
    qrels, *runs = files or ("",)
    query = None if is_chosen or not runs else runs.pop()
    if runs and (is_fused or len(runs) <= 2) and all(map(_file_like, runs[1:])):  # noqa: PLR2004 - a run or two
        return qrels, runs, query
    several = "runs" if is_fused else "one run or two"
    needed, present = f"judgements, {several}{'' if is_chosen else ', and a query'}", " ".join(files) or "nothing"
    usage = _FUSED if is_fused else USAGE.removeprefix("Usage: ")
    remedy = f"{usage}, or without QUERY and with --worst 5; several queries: --only FILE"
    raise UsageError("conflicting-options", f"explain needs {needed}; there is {present}", remedy=remedy)


def _file_like(text: str) -> bool:
    """Return whether a word may be a file: it is one, is written like one, or names one."""
    return any(mark in text for mark in "=./\\*?") or text == STDIN or Path(text).exists()


def _grades(name: str, text: str) -> list[float | None]:
    """Read a list of grades as it is typed, with commas or blanks between them.

    Raises:
        InputError: `bad-grade`.

    """
    grades: list[float | None] = []
    for number, word in enumerate(map(str.strip, text.split(",")) if "," in text else text.split(), 1):
        try:
            grades.append(None if word == "?" else float(word))
        except ValueError:
            problem = f"--{name}: number {number} of the list is {word!r}, which is no grade"
            remedy = f"write numbers, and ? for unjudged documents: --{name} 2,1,0,?,2"
            raise InputError("bad-grade", problem, remedy=remedy) from None
    return grades


def _content(result: "Explanations[Explanation | Difference]", form: str, look: Look) -> bytes:
    """Write explanations in one format."""
    if form == "json":
        return data.document(result[0].to_dict() if len(result) == 1 else result.to_dict()).encode()
    if form == "jsonl":
        return b"".join(data.line(explanation.to_dict()).encode() for explanation in result)
    return rendered(result, form, look, "rankworth explain")
