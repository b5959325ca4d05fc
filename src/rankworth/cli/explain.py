"""The command `explain`: plain arguments in, one call of the library, its answer out."""

import os
import warnings
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from cyclopts import App, Group, Parameter, Token
from cyclopts.validators import Number

from rankworth.cli import arguments, commands
from rankworth.cli.inputs import Given
from rankworth.cli.options import GROUP, Measured, Read, Settings
from rankworth.cli.outlets import Outlets
from rankworth.cli.terminal import say, working
from rankworth.errors import InputError, RankworthWarning, UsageError
from rankworth.io.source import STDIN
from rankworth.tables import data
from rankworth.tables.look import Look
from rankworth.tables.show import render, show

if TYPE_CHECKING:
    from rankworth.explanation import Difference, Explanation, Explanations

USAGE: Final = "Usage: rankworth explain QRELS RUN [RUN] QUERY [OPTIONS]"
EXAMPLES: Final = """Examples:
  rankworth explain qrels.txt dense.run q7 -m nDCG@3
  rankworth explain qrels.txt bm25.run dense.run q7 -m nDCG@10 AP
  rankworth explain qrels.txt dense.run --worst 5 --queries queries.tsv
  rankworth explain --grades 2,1,0,1,2 -m 'nDCG(gain=exp2)@3'"""
Form = Literal["table", "tsv", "json", "jsonl", "csv", "md", "latex", "html"]
MEASURES: Final = ("nDCG@10",)

_MEASURED = Group("What is explained", sort_key=1)
_READ = Group("How files are read", sort_key=2)
_SHOWN = Group("What is shown", sort_key=3)
_OTHER = Group("Other", sort_key=5)
_TEXTS: Final = ("query", "document", "text", "title")
"""columns of the files that hold texts, where text or title are named"""
_WORDS: Final = {
    "grades": ("given", "truncated", "whole"),
    "missing": ("zero", "nought", "nan", "skip", "absent", "error"),
}
"""settings of the names of two options; other texts are lists of grades"""


def _file(_: Any, tokens: Sequence[Token]) -> str:  # noqa: ANN401 - what Cyclopts hands over
    return arguments.path(tokens, App(default_command=explain).assemble_argument_collection)


File = Annotated[str, Parameter(allow_leading_hyphen=True, converter=_file, n_tokens=1, show=False)]


def explain(
    *files: File,
    measure: Annotated[
        list[str] | None, Parameter(alias="-m", consume_multiple=1, metavar="MEASURE", group=_MEASURED)
    ] = None,
    worst: Annotated[int | None, Parameter(metavar="N", validator=Number(gte=1), group=_MEASURED)] = None,
    best: Annotated[int | None, Parameter(metavar="N", validator=Number(gte=1), group=_MEASURED)] = None,
    only: Annotated[str | None, Parameter(metavar="FILE", group=_MEASURED)] = None,
    grades: Annotated[str | None, Parameter(allow_leading_hyphen=True, metavar="LIST", group=_MEASURED)] = None,
    missing: Annotated[str | None, Parameter(allow_leading_hyphen=True, metavar="LIST", group=_MEASURED)] = None,
    measured: Annotated[Measured | None, Parameter(name="*", group=_MEASURED)] = None,
    profile: Annotated[str | None, Parameter(metavar="NAME", group=_MEASURED)] = None,
    conventions: Annotated[Settings | None, Parameter(name="*", group=GROUP)] = None,
    queries: Annotated[str | None, Parameter(metavar="FILE", group=_READ)] = None,
    docs: Annotated[str | None, Parameter(metavar="FILE", group=_READ)] = None,
    read: Annotated[Read | None, Parameter(name="*", group=_READ)] = None,
    format: Annotated[  # noqa: A002 - the name of the option
        Form | None, Parameter(alias="-f", metavar="FORMAT", group=_SHOWN)
    ] = None,
    output: Annotated[list[str] | None, Parameter(alias="-o", metavar="FILE", group=_SHOWN)] = None,
    digits: Annotated[int | None, Parameter(validator=Number(gte=0, lte=15), group=_SHOWN)] = None,
    safe_csv: Annotated[bool, Parameter(group=_SHOWN)] = False,
    quiet: Annotated[bool, Parameter(group=_OTHER)] = False,
) -> None:
    """Show how the value of a query comes about, rank by rank, and what is missing.

    QRELS and RUN are files in any format, as for evaluate; NAME=FILE names a
    run. With two runs the difference is attributed to documents. QUERY is an
    id; --worst, --best or --only choose queries instead.

    Args:
        files: Judgements, one run or two, a query.
        measure: Measures, as many as wanted: nDCG@10 AP 'P(rel=2)@5'. Default: nDCG@10.
        worst: The N queries with the least value by the first measure; of two runs, with the greatest loss.
        best: The N queries with the greatest value, or gain.
        only: File with the ids of the queries, one in each line.
        grades: No files, but the grades of one ranking, best rank first: 2,1,0,?,2; ? is unjudged.
        missing: Grades of judged documents that are not in that ranking: 2,1.
        measured: What is measured.
        profile: Conventions of a tool, see rankworth profiles. Default: standard.
        conventions: What differs from the profile.
        queries: File with the texts of queries: queries.tsv, queries.jsonl, topics.
        docs: File with the texts of documents: corpus.jsonl, collection.tsv.
        read: How files are read.
        format: How to show it: table tsv json jsonl csv md latex html. Default: table.
        output: File to write instead: .txt .tsv .json .jsonl .csv .md .tex .html; pictures: .png .svg .pdf. Repeatable.
        digits: Decimals in the columns of table, md, latex and html. Default: 4.
        safe_csv: Put ' before ids and names in csv and tsv that begin with = + - or @, which are formulas elsewhere.
        quiet: Nothing on standard error but errors.

    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # NumPy need not start threads that nothing here uses
    measured, read = measured or Measured(), read or Read()
    said: dict[str, Any] = {
        name: text for name, text in (("grades", grades), ("missing", missing)) if text in _WORDS[name]
    }
    listed = None if grades is None or "grades" in said else _grades(grades, "--grades")
    absent = () if missing is None or "missing" in said else _grades(missing, "--missing", judged=True)
    if absent and listed is None:
        raise UsageError("conflicting-options", "--missing is about a list of grades, and there is no --grades")
    selected = [name for name, one in (("--worst", worst), ("--best", best), ("--only", only)) if one is not None]
    if len(selected) > 1:
        raise UsageError("conflicting-options", f"{' and '.join(selected)} each choose queries; give one of them")
    qrels, runs, query = _places(files, selected[0] if selected else "", listed=listed is not None)
    of_texts = read.of_texts(*_TEXTS)
    given = None if listed is not None else Given.of(qrels, runs, read.without(of_texts), exclude=measured.exclude)
    inputs = [] if given is None else given.paths
    outlets = Outlets.of(output or (), format, inputs, Look(digits, safe=safe_csv), what="explanations", quiet=quiet)
    settings = measured.settings(conventions or Settings()) | said
    configured = commands.prepare(measured.plugin or (), quiet=quiet)
    measures = tuple(measure or configured or MEASURES)

    from rankworth.explanation import explain_queries  # noqa: PLC0415 - not before the arguments are known to be sound
    from rankworth.io import queries as ids  # noqa: PLC0415 - as above
    from rankworth.judging.inputs import GRADES, of_grades  # noqa: PLC0415 - as above
    from rankworth.profiles import chosen_of  # noqa: PLC0415 - as above

    with working(quiet=quiet) as progress:
        [chosen] = chosen_of([profile] if profile else (), complete=measured.complete)
        if given is None:
            judgements, rankings = of_grades(listed or (), absent)
            told = explain_queries(
                judgements,
                rankings,
                measures,
                queries=[GRADES],
                rel=measured.rel,
                profile=chosen,
                progress=progress,
                **settings,
            )
        else:
            policies = {each.judging.duplicate_judgements for each in chosen.ask(measures, rel=measured.rel)}
            with chosen.its_words(only=True):
                judged, ranked, excluded = given.read(None, policies, measured.duplicate_judgements)
            if excluded is not None:
                settings["exclude"] = excluded
            told = explain_queries(
                judged,
                ranked[0],
                measures,
                queries=ids.read(only) if only else [query] if query is not None else None,
                worst=worst,
                best=best,
                against=ranked[1] if len(ranked) > 1 else None,
                rel=measured.rel,
                profile=chosen,
                texts=queries,
                docs=docs,
                columns=of_texts,
                progress=progress,
                **settings,
            )
        outlets.deliver(
            partial(_rendered, told),
            partial(_picture, told, quiet=quiet),
            (text for one in told for sheet in one.sheets() for text in sheet.defects),
        )


def _places(files: Sequence[str], chosen: str, *, listed: bool) -> tuple[str, list[str], str | None]:
    """Judgements, runs and query out of what stands on the command line.

    Args:
        files: what stands there.
        chosen: the option that chooses the queries, if one does.
        listed: whether a list of grades stands instead.

    Raises:
        UsageError: `conflicting-options`.

    """
    usage = "rankworth explain QRELS RUN [RUN] QUERY, or without QUERY and with --worst 5"
    if listed:
        if files or chosen:
            what = f"{files[0]} is there, too" if files else f"{chosen} chooses queries"
            raise UsageError("conflicting-options", f"--grades stands instead of files and queries, and {what}")
        return "", [], None
    named = list(files[1:])
    if chosen and len(named) > 1 and not _file_like(named[-1]):
        text = f"{chosen} chooses queries, and {named[-1]} is no file; a query beside it would choose another"
        raise UsageError("conflicting-options", text, remedy="give one of the two")
    runs, query = (named, None) if chosen else (named[:-1], files[-1] if files else None)
    if not runs:
        text = "there are no judgements and no run"
        if len(files) == 1:
            text = f"there is no run beside {files[0]}"
        elif len(files) == 2 and not chosen:  # noqa: PLR2004 - judgements and a run
            text = f"no query is named beside {files[0]} and {files[1]}"
        raise UsageError("conflicting-options", text, remedy=usage)
    if len(runs) == 2 and not _file_like(runs[1]):  # noqa: PLR2004 - a run, and a query too many
        text = f"{runs[1]} is no file: two queries seem to be named, {runs[1]} and {query}"
        raise UsageError("conflicting-options", text, remedy=f"{usage}; several queries: --only FILE")
    if len(runs) > 2:  # noqa: PLR2004 - one or two
        text = f"{len(runs)} runs are named, {' '.join(runs)}, and one is explained, or the difference of two"
        raise UsageError("conflicting-options", text, remedy=f"{usage}; several queries: --only FILE")
    return files[0], runs, query


def _file_like(text: str) -> bool:
    """Whether a word may be a file: it is one, is written like one, or names one."""
    return any(mark in text for mark in "=./\\*?") or text == STDIN or Path(text).exists()


def _grades(text: str, option: str, *, judged: bool = False) -> list[float | None]:
    """A list of grades as it is typed.

    Args:
        text: numbers between commas or blanks.
        option: where they are typed.
        judged: whether each has to be a number.

    Raises:
        InputError: `bad-grade`.

    """
    grades: list[float | None] = []
    example = "2,1" if judged else "2,1,0,?,2"
    for place, word in enumerate(map(str.strip, text.split(",")) if "," in text else text.split(), 1):
        try:
            grades.append(None if word == "?" and not judged else float(word))
        except ValueError:
            also = "" if judged else ", and ? for a document that nobody judged"
            raise InputError(
                "bad-grade",
                f"{option}: number {place} of the list is {word!r}, which is no grade",
                remedy=f"write numbers{also}: {option} {example}",
            ) from None
    return grades


def _rendered(told: "Explanations[Explanation | Difference]", form: Any, look: Look) -> bytes:  # noqa: ANN401 - a `Form`
    """Explanations in one form."""
    if form == "json":
        return data.document(told[0].to_dict() if len(told) == 1 else told.to_dict()).encode()
    if form == "jsonl":
        return b"".join(data.line(one.to_dict()).encode() for one in told)
    if form in ("tsv", "csv"):
        return render(told.flat(), form, look).encode()
    return show(told.sheets(), form, look, title="rankworth explain").encode()


def _picture(told: "Explanations[Explanation | Difference]", form: str, *, quiet: bool) -> bytes:
    """The contributions as a picture, explanations below each other.

    Raises:
        UsageError: `conflicting-options`, `missing-library`.

    """
    from rankworth import plots  # noqa: PLC0415 - where there is a picture

    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always", RankworthWarning)
        picture = plots.rendered(plots.stacked(told), form)
    for text in () if quiet else dict.fromkeys(str(one.message) for one in warned):
        say(f"warning: {text}")
    return picture
