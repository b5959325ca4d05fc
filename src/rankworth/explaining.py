"""The command `explain`: plain arguments in, one call of the library, its answer out."""

import os
import signal
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from cyclopts import App, Group, Parameter, Token
from cyclopts.validators import Number

from rankworth import arguments, commands
from rankworth.errors import InputError, RankworthWarning, UsageError
from rankworth.given import Given
from rankworth.io.sources import STDIN
from rankworth.options import GROUP, DuplicateJudgements, Duplicates, Settings
from rankworth.render import Look, data, render, show
from rankworth.terminal import Progress, put, say, shows_bold, width

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
_PICTURES: Final = (".png", ".svg", ".pdf")
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
    rel: Annotated[float | None, Parameter(alias="-l", metavar="GRADE", group=_MEASURED)] = None,
    depth: Annotated[int | None, Parameter(alias="-M", metavar="N", validator=Number(gte=1), group=_MEASURED)] = None,
    judged_only: Annotated[bool, Parameter(alias="-J", group=_MEASURED)] = False,
    complete: Annotated[bool, Parameter(alias="-c", group=_MEASURED)] = False,
    exclude: Annotated[str | None, Parameter(metavar="FILE", group=_MEASURED)] = None,
    duplicates: Annotated[Duplicates | None, Parameter(group=_MEASURED)] = None,
    duplicate_judgements: Annotated[DuplicateJudgements | None, Parameter(group=_MEASURED)] = None,
    profile: Annotated[str | None, Parameter(metavar="NAME", group=_MEASURED)] = None,
    conventions: Annotated[Settings | None, Parameter(name="*", group=GROUP)] = None,
    plugin: Annotated[list[str] | None, Parameter(metavar="MODULE", group=_MEASURED)] = None,
    queries: Annotated[str | None, Parameter(metavar="FILE", group=_READ)] = None,
    docs: Annotated[str | None, Parameter(metavar="FILE", group=_READ)] = None,
    columns: Annotated[list[str] | None, Parameter(consume_multiple=1, metavar="WHAT=NAME", group=_READ)] = None,
    qrels_format: Annotated[str, Parameter(metavar="FORMAT", group=_READ)] = "",
    run_format: Annotated[str, Parameter(metavar="FORMAT", group=_READ)] = "",
    split: Annotated[str, Parameter(metavar="NAME", group=_READ)] = "",
    format: Annotated[  # noqa: A002 - the name of the option
        Form | None, Parameter(alias="-f", metavar="FORMAT", group=_SHOWN)
    ] = None,
    output: Annotated[list[str] | None, Parameter(alias="-o", metavar="FILE", group=_SHOWN)] = None,
    digits: Annotated[int | None, Parameter(validator=Number(gte=0, lte=15), group=_SHOWN)] = None,
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
        rel: Grade from which documents count as relevant, for measures that do not say their own (trec_eval's -l).
        depth: Look at the first N documents of each query only (trec_eval's -M).
        judged_only: Remove documents that nobody judged before ranks are counted (trec_eval's -J).
        complete: Judged queries without results count as empty rankings (trec_eval's -c); the default.
        exclude: File with queries and documents to take out of run and judgements first; self: those with one id.
        duplicates: What becomes of a document that a query ranks twice (best: its highest score). Default: an error.
        duplicate_judgements: What becomes of a document that a query judges twice. Default: an error.
        profile: Conventions of a tool, see rankworth profiles. Default: standard.
        conventions: What differs from the profile.
        plugin: Module or .py file that defines measures. Repeatable.
        queries: File with the texts of queries: queries.tsv, queries.jsonl, topics.
        docs: File with the texts of documents: corpus.jsonl, collection.tsv.
        columns: Which column holds what: query=term document=sku; score, rank, grade and subtopic likewise. Beside
            text=words or title=head they are columns of --queries and --docs.
        qrels_format: Format of the judgements: trec csv tsv msmarco jsonl json parquet arrow. Default: by content.
        run_format: Format of the runs.
        split: Which judgements of a BEIR folder. Default: test.
        format: How to show it: table tsv json jsonl csv md latex html. Default: table.
        output: File to write instead: .txt .tsv .json .jsonl .csv .md .tex .html; pictures: .png .svg .pdf. Repeatable.
        digits: Decimals in the columns of table, md, latex and html. Default: 4.
        quiet: Nothing on standard error but errors.

    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # NumPy need not start threads that nothing here uses
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
    named = arguments.columns(columns or ())
    texts = _TEXTS if {"text", "title"} & set(named) else ()
    given = (
        None
        if listed is not None
        else Given.of(
            qrels,
            runs,
            columns=[f"{what}={name}" for what, name in named.items() if what not in texts],
            qrels_format=qrels_format,
            run_format=run_format,
            split=split,
            exclude=exclude,
        )
    )
    pictures = [path for path in output or () if Path(path).suffix.lower() in _PICTURES]
    written = _Written.of([path for path in output or () if path not in pictures], format, given, pictures)
    settings = (conventions or Settings()).said(
        {"--answered-only": False, "--complete": complete, "--judged-only": judged_only}
    )
    settings |= {"depth": depth, "duplicates": duplicates, "duplicate_judgements": duplicate_judgements} | said
    configured = commands.prepare(plugin or ())
    measures = tuple(measure or configured or MEASURES)

    from rankworth.explanation import explain_queries  # noqa: PLC0415 - not before the arguments are known to be sound
    from rankworth.io import queries as ids  # noqa: PLC0415 - as above
    from rankworth.judging.inputs import GRADES, of_grades  # noqa: PLC0415 - as above
    from rankworth.profiles import chosen_of  # noqa: PLC0415 - as above

    if hasattr(signal, "siginterrupt"):  # Ctrl-C must reach a read from a silent pipe
        signal.siginterrupt(signal.SIGINT, True)
    with warnings.catch_warnings(), Progress(shown=sys.stderr.isatty() and not quiet) as progress:
        warnings.simplefilter("ignore", RankworthWarning)
        [chosen] = chosen_of([profile] if profile else (), complete=complete)
        if given is None:
            judgements, rankings = of_grades(listed or (), absent)
            told = explain_queries(
                judgements, rankings, measures, queries=[GRADES], rel=rel, profile=chosen, progress=progress, **settings
            )
        else:
            policies = {each.judging.duplicate_judgements for each in chosen.ask(measures, rel=rel)}
            with chosen.its_words(only=True):
                judged, ranked, excluded = given.read(None, policies, duplicate_judgements)
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
                rel=rel,
                profile=chosen,
                texts=queries,
                docs=docs,
                columns={what: name for what, name in named.items() if what in texts},
                progress=progress,
                **settings,
            )
        written.deliver(told, Look(digits), quiet=quiet)


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


class _Written:
    """Where explanations go, settled before the work."""

    def __init__(self, targets: Sequence[Any], form: Form, pictures: Sequence[str]) -> None:
        self.targets = targets
        self.form = form
        self.pictures = pictures

    @classmethod
    def of(cls, paths: Sequence[str], form: Form | None, given: Given | None, pictures: Sequence[str]) -> "_Written":
        """Settle files and forms.

        Raises:
            UsageError: `unknown-format`, `unwritable-output`.

        """
        from rankworth.io import results  # noqa: PLC0415 - not needed for help

        inputs = [] if given is None else given.paths
        known = [suffix for suffix in results.SUFFIXES if suffix != ".parquet"]
        targets = results.targets(paths, form, inputs, (*known, *_PICTURES))
        for target in targets:
            if target.form == "parquet":
                raise UsageError("unknown-format", f"{target.path}: explanations are not written as {target.form}")
        for path in pictures:
            if refused := results.refusal(Path(path), inputs):
                raise UsageError("unwritable-output", f"{path}: {refused}")
        return cls(targets, form or "table", pictures)

    def deliver(self, told: "Explanations[Explanation | Difference]", look: Look, *, quiet: bool) -> None:
        """Render everything, then write everything.

        Raises:
            UsageError: `unwritable-output`, `missing-library`, `conflicting-options`.

        """
        from rankworth.io import results  # noqa: PLC0415 - as above

        contents = {target.path: _rendered(told, target.form, look) for target in self.targets}
        drawn = {Path(path): _picture(told, path, quiet=quiet) for path in self.pictures}
        if contents or drawn:
            results.write(contents | drawn)
            for path in (*contents, *drawn):
                if not quiet:
                    say(f"wrote {path}")
        else:
            wide = Look(look.digits, width=width(), bold=shows_bold())
            put(_rendered(told, self.form, wide))
        if self.form in ("tsv", "csv", "json", "jsonl") and not contents:
            for note in dict.fromkeys(note for one in told for sheet in one.sheets() for note in sheet.defects):
                say(f"warning: {note}")


def _rendered(told: "Explanations[Explanation | Difference]", form: Any, look: Look) -> bytes:  # noqa: ANN401 - a `Form`
    """Explanations in one form."""
    if form == "json":
        return data.document(told[0].to_dict() if len(told) == 1 else told.to_dict()).encode()
    if form == "jsonl":
        return b"".join(data.line(one.to_dict()).encode() for one in told)
    if form in ("tsv", "csv"):
        return render(told.flat(), form, look).encode()
    return show(told.sheets(), form, look, title="rankworth explain").encode()


def _picture(told: "Explanations[Explanation | Difference]", path: str, *, quiet: bool) -> bytes:
    """The contributions as a picture, explanations below each other.

    Raises:
        UsageError: `conflicting-options`, `missing-library`.

    """
    from rankworth import plots  # noqa: PLC0415 - where there is a picture

    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always", RankworthWarning)
        picture = plots.rendered(plots.stacked(told), Path(path).suffix.lower().removeprefix("."))
    for text in () if quiet else dict.fromkeys(str(one.message) for one in warned):
        say(f"warning: {text}")
    return picture
