"""The command line: plain arguments in, one call of the library, its answer out.

Whatever costs time to import is imported inside the commands, so that help and mistyped options answer at once.
"""

import gc
import os
import sys
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from cyclopts import App, Group, Parameter, Token
from cyclopts.exceptions import CycloptsError, MissingArgumentError, UnknownCommandError, UnknownOptionError
from cyclopts.validators import Number

from rankworth.cli import arguments, commands, compare, correlate, explain, publishing
from rankworth.cli.inputs import Given, readable
from rankworth.cli.options import GROUP, Conventions, Measured, Read, Running, words
from rankworth.cli.output import Request
from rankworth.cli.terminal import put, say, shows_bold, stand_in, width, working
from rankworth.errors import MeasureError, RankworthError, RankworthWarning, UsageError
from rankworth.io.source import STDIN
from rankworth.tables.look import Look
from rankworth.tables.show import render
from rankworth.version import __version__

Format = Literal["table", "tsv", "json", "jsonl", "csv", "md", "latex", "html", "trec", "parquet"]
Shell = Literal["bash", "zsh", "fish", "powershell"]

_LEVEL: Final = 0.95
_FILES_FIRST: Final = "-m takes all that follows, up to the next option: rankworth evaluate QRELS RUN... -m MEASURE..."
_WRONG, _INTERRUPTED, _PIPE_CLOSED = 2, 130, 141

_MEASURED = Group("What is measured", sort_key=1)
_READ = Group("How files are read", sort_key=2)
_SHOWN = Group("What is shown", sort_key=3)
_OTHER = Group("Other", sort_key=5)

app = App(
    name="rankworth",
    help="What a ranking is worth, and why: measures of ranked retrieval, exact, explained and fast.",
    version=__version__,
    usage="Usage: rankworth COMMAND [ARGUMENTS] [OPTIONS]",
    help_format="plaintext",
    help_epilogue="""Examples:
  rankworth demo
  rankworth evaluate qrels.txt bm25.run dense.run
  rankworth evaluate --help""",
    default_parameter=Parameter(negative=(), negative_iterable=(), show_default=False),
    result_action="return_value",
    print_error=False,
    exit_on_error=False,
    suppress_keyboard_interrupt=False,
)


def _file(_: Any, tokens: Sequence[Token]) -> str:  # noqa: ANN401 - what Cyclopts hands over
    return arguments.path(tokens, app["evaluate"].assemble_argument_collection)


File = Annotated[str, Parameter(allow_leading_hyphen=True, converter=_file, n_tokens=1)]


@app.command(
    usage="Usage: rankworth evaluate QRELS RUN... [OPTIONS]",
    help_epilogue="""Examples:
  rankworth evaluate qrels.txt bm25.run dense.run -m nDCG@10 RR AP 'P(rel=2)@5'
  zcat dense.run.gz | rankworth evaluate qrels.txt - -q -f csv -o values.csv
  rankworth evaluate qrels.txt old=v1/dense.run new=v2/dense.run -o scores.json""",
)
def evaluate(
    qrels: File,
    run: File,
    /,
    *runs: Annotated[File, Parameter(show=False)],
    measure: Annotated[
        list[str] | None, Parameter(alias="-m", consume_multiple=1, metavar="MEASURE", group=_MEASURED)
    ] = None,
    only: Annotated[str | None, Parameter(metavar="FILE", group=_MEASURED)] = None,
    weights: Annotated[str | None, Parameter(metavar="COLUMN", group=_MEASURED)] = None,
    macro: Annotated[list[str] | None, Parameter(consume_multiple=1, metavar="COLUMN", group=_MEASURED)] = None,
    answered_only: Annotated[bool, Parameter(group=_MEASURED)] = False,
    measured: Annotated[Measured | None, Parameter(name="*", group=_MEASURED)] = None,
    profile: Annotated[list[str] | None, Parameter(consume_multiple=1, metavar="NAME", group=_MEASURED)] = None,
    conventions: Annotated[Conventions | None, Parameter(name="*", group=GROUP)] = None,
    queries: Annotated[str | None, Parameter(metavar="FILE", group=_READ)] = None,
    read: Annotated[Read | None, Parameter(name="*", group=_READ)] = None,
    running: Annotated[Running | None, Parameter(name="*", group=_READ)] = None,
    format: Annotated[  # noqa: A002 - the name of the option
        Format | None, Parameter(alias="-f", metavar="FORMAT", group=_SHOWN)
    ] = None,
    output: Annotated[list[str] | None, Parameter(alias="-o", metavar="FILE", group=_SHOWN)] = None,
    per_query: Annotated[bool, Parameter(alias="-q", group=_SHOWN)] = False,
    by: Annotated[list[str] | None, Parameter(consume_multiple=1, metavar="COLUMN", group=_SHOWN)] = None,
    interval: Annotated[bool, Parameter(group=_SHOWN)] = False,
    level: Annotated[float | None, Parameter(validator=Number(gt=0, lt=1), group=_SHOWN)] = None,
    digits: Annotated[int | None, Parameter(validator=Number(gte=0, lte=15), group=_SHOWN)] = None,
    safe_csv: Annotated[bool, Parameter(group=_SHOWN)] = False,
    percent: Annotated[bool, Parameter(group=_SHOWN)] = False,
    fail_under: Annotated[list[str] | None, Parameter(consume_multiple=1, metavar="M=X", group=_OTHER)] = None,
    quiet: Annotated[bool, Parameter(group=_OTHER)] = False,
) -> int:
    """Measure what runs are worth, given judgements.

    Args:
        qrels: Judgements in any format, plain or packed: a file, a pattern, a folder (of BEIR's), or -.
        run: One run or several likewise; NAME=FILE names a run.
        runs: Further runs.
        measure: Measures, as many as wanted: nDCG@10 AP 'P(rel=2)@5'. Default: nDCG@10 RR@10 AP R@100 Judged@10.
        only: File with the ids of the queries to evaluate, one in each line; all others are ignored.
        weights: Weight the means by this column of --queries.
        macro: Means of the means of each group, by this column of --queries; several are crossed.
        answered_only: Leave judged queries without results out of the means instead.
        measured: What is measured.
        profile: Conventions of a tool, see rankworth profiles; several, or all, side by side. Default: standard.
        conventions: What differs from the profile.
        queries: File with the ids of queries and what is known of them: qid,text,language,traffic.
        read: How files are read.
        running: Where runs are judged.
        format: How to show the result. Default: table on a terminal, otherwise tsv.
        output: File to write instead, by suffix: .txt .tsv .json .jsonl .csv .md .tex .html .parquet. Repeatable.
        per_query: The value of each query instead of the means; json gives both.
        by: The means of each group beside those of all, by this column of --queries; several are crossed.
        interval: Confidence intervals of the means (BCa bootstrap).
        level: Their confidence level; 0.95 where not said.
        digits: Decimals in table, md, latex and html. Default: 4, in percent 2.
        safe_csv: Put ' before ids and names in csv and tsv that begin with = + - or @, which are formulas elsewhere.
        percent: Shares in percent in table, md, latex and html.
        fail_under: Exit with 1 if a mean is lower: nDCG@10=0.45, language:nDCG@10=0.3 for each group of --by.
        quiet: Nothing on standard error but errors, and means that are too low.

    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # NumPy need not start threads that nothing here uses
    measured, read, running = measured or Measured(), read or Read(), running or Running()
    of_queries = read.of_texts("query", "text")
    given = Given.of(qrels, (run, *runs), read.without(of_queries), exclude=measured.exclude)
    request = Request.of(
        output or (),
        format,
        [*given.paths, *filter(None, (only, queries))],
        per_query=per_query,
        level=(level or _LEVEL) if interval or level is not None else None,
        look=Look(digits, percent, safe=safe_csv),
        quiet=quiet,
        rel=measured.rel,
        complete=measured.complete,
        by=by is not None,
    )
    _refuse_unread(queries, {"--by": by, "--weights": weights, "--macro": macro}, given)
    settings = measured.settings(conventions, answered_only=answered_only)
    settings |= {"by": by, "weights": weights, "macro": macro}
    _refuse_stray(measure or ())
    floors = publishing.floors(fail_under or ())
    configured = commands.prepare(measured.plugin or (), quiet=quiet)

    from rankworth import evaluation  # noqa: PLC0415 - not before the arguments are known to be sound
    from rankworth.io import metadata, trec  # noqa: F401, PLC0415 - as above; trec brings Polars
    from rankworth.io import queries as listed  # noqa: PLC0415 - as above
    from rankworth.judging.inputs import runs as named_runs  # noqa: PLC0415 - as above
    from rankworth.profiles import chosen_of  # noqa: PLC0415 - as above

    with working(quiet=quiet) as progress, commands.engine(running.engine, running.memory) as engine:
        chosen = chosen_of(profile or (), complete=measured.complete)
        running.refuse({"--fail-under": bool(floors), "second --profile": len(chosen) > 1})
        wanted = [*(measure or configured or evaluation.DEFAULT_MEASURES)]
        known = {one.label: str(one.quantity) for one in chosen[0].ask(wanted, rel=measured.rel)} if floors else {}
        wanted += [floor.measure for floor in floors if not floor.among(known)]
        if floors and len(chosen) > 1:
            text = "--fail-under is about means of one profile, and several are shown side by side"
            raise UsageError("conflicting-options", text, remedy="name one --profile")
        if queries is not None:
            settings["table"] = metadata.queries(queries, columns=of_queries)
        policies = {each.judging.duplicate_judgements for one in chosen for each in one.ask(wanted, rel=measured.rel)}
        ids = listed.read(only) if only else None
        if running.engine == "spark":
            from rankworth.cli import spark  # noqa: PLC0415 - takes a second

            settings |= {"rel": measured.rel, "duplicate_judgements": measured.duplicate_judgements}
            return spark.evaluate(given, request, wanted, chosen[0], settings, running, ids)
        with chosen[0].its_words(only=len(chosen) == 1):
            judgements, rankings, excluded = given.read(ids, policies, measured.duplicate_judgements)
            rankings = rankings if engine is None else list(map(engine.run, rankings))
        if excluded is not None:
            settings["exclude"] = excluded
        if len(chosen) > 1:
            beside = {
                run.name: evaluation.evaluate_profiles(
                    judgements, run, wanted, profiles=chosen, rel=measured.rel, progress=progress, **settings
                )
                for run in named_runs(rankings).values()
            }
        else:
            table = evaluation.evaluate_runs(
                judgements, rankings, wanted, rel=measured.rel, profile=chosen[0], progress=progress, **settings
            )
    request = replace(request, measures=measure or configured)
    if len(chosen) > 1:
        request.deliver_beside(beside, wanted)
        return 0
    verdicts = publishing.held(table, floors)
    request.deliver(table)
    typed = chain(_typed("--profile", profile), _typed("--only", only), _typed("--queries", queries))
    said = [*words(read), *words(measured), *words(conventions), *typed]
    return publishing.decide(
        verdicts,
        {"": qrels} | {run.name: path for run, (_, path) in zip(rankings, given.named, strict=True)},
        said,
        quiet=quiet,
    )


app.command(compare.compare, usage=compare.USAGE, help_epilogue=compare.EXAMPLES)
app.command(correlate.correlate, usage=correlate.USAGE, help_epilogue=correlate.EXAMPLES)
app.command(explain.explain, usage=explain.USAGE, help_epilogue=explain.EXAMPLES)
app.command(commands.convert, usage=commands.CONVERT, help_epilogue=commands.CONVERT_EXAMPLES)


app.command(commands.measures, alias="metrics", usage=commands.MEASURES, help_epilogue=commands.MEASURES_EXAMPLES)
app.command(commands.profiles, usage=commands.PROFILES, help_epilogue=commands.PROFILES_EXAMPLES)


@app.command(
    usage="Usage: rankworth demo [FOLDER] [OPTIONS]",
    help_epilogue="""Examples:
  rankworth demo
  rankworth demo /tmp/collection
  rankworth demo --list""",
)
def demo(
    folder: str | None = None,
    /,
    *,
    listing: Annotated[bool, Parameter(name="--list", alias="-l", group=_SHOWN)] = False,
) -> None:
    """Write a small real test collection, measure its six runs, and say what to try next.

    Programmers look for names of Python's standard library, in English and Arabic.

    Args:
        folder: Where to write it; ./rankworth-demo where not said.
        listing: List its runs and queries instead; nothing is written.

    """
    from rankworth import demonstration  # noqa: PLC0415 - see above

    if listing:
        if folder is not None:
            raise UsageError("conflicting-options", f"--list writes nothing, and {folder} is where to write; give one")
        put(demonstration.listing().encode())
        return
    from rankworth import evaluation  # noqa: PLC0415 - see above
    from rankworth.evaluation import summary  # noqa: PLC0415 - see above

    if folder == "":
        raise UsageError("unwritable-output", "an empty text names no folder", remedy="rankworth demo . writes here")
    place = Path(folder or "rankworth-demo")
    done = "wrote" if demonstration.write(place) else "already there:"
    say(f"{done} {readable(str(place))}: {demonstration.demo().title}")
    qrels, runs = demonstration.paths(place)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RankworthWarning)
        table = evaluation.evaluate_runs(qrels, runs)
    look = Look(width=width(), bold=shows_bold())
    tried = "\n".join(f"  # {sentence}\n  {command}\n" for sentence, command in demonstration.commands(place))
    shown = render(summary.means(table), "table", look) + "\nTry next:\n\n" + tried
    put(shown.encode("utf-8", "surrogateescape"), bold=True)


@app.command(name="--install-completion", group=_OTHER)
def install_completion(
    *, shell: Shell | None = None, output: Annotated[Path | None, Parameter(alias="-o")] = None
) -> None:
    """Install completion for a shell: writes a script, and has bash and zsh load it when they start.

    Args:
        shell: The shell; the one in use where not said.
        output: File for the script; where the shell looks for it if not said.

    """
    from cyclopts.completion.detect import ShellDetectionError  # noqa: PLC0415 - rarely needed

    try:
        path = app.install_completion(shell=shell, output=output)
    except ShellDetectionError:
        raise UsageError(
            "unknown-setting", "the shell in use cannot be told", remedy="say it: --shell bash, zsh, fish or powershell"
        ) from None
    say(f"wrote {path}; completion works in the next shell that you open")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        arguments: what follows `rankworth`; those of the process where not said.

    Returns:
        0 when all went well, 2 when the call or the input is at fault; 1 is kept for gates that fail.

    """
    tokens = list(sys.argv[1:] if arguments is None else arguments)
    if arguments is None:
        stand_in()
        gc.disable()  # a command is short; collecting would only walk through freshly imported modules
    try:
        status = app(tokens)
        sys.stdout.flush()
    except RankworthError as error:
        say(f"error: {error.typed}")
    except CycloptsError as error:
        said = _elsewhere(error) if isinstance(error, UnknownOptionError) else ""
        say(f"error: {said or f'{error}{_advice(error, tokens)}'}")
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _PIPE_CLOSED
    except OSError as error:  # of help, which is not written by `put`
        say(f"error: standard output: {error.strerror}   [unwritable-output]")
    except KeyboardInterrupt:
        if arguments is None:
            os._exit(_INTERRUPTED)  # at once, without waiting for a thread that reads
        return _INTERRUPTED
    else:
        return status if isinstance(status, int) else 0
    return _WRONG


def _typed(option: str, words: str | Iterable[str] | None) -> list[str]:
    """An option as it was typed; nothing where it was not."""
    return [option, *([words] if isinstance(words, str) else words)] if words else []


def _refuse_unread(queries: str | None, named: dict[str, object], given: Given) -> None:
    """Find columns without a table, a table without columns, and what cannot be read twice."""
    columns = [option for option, column in named.items() if column is not None]
    if columns and queries is None:
        text = f"{columns[0]} names a column of the table of queries, and no table is given"
        raise UsageError("conflicting-options", text, remedy="--queries FILE says which: qid,text,language,traffic")
    if queries is not None and not columns:
        text = f"--queries {queries} is read for {', '.join(named)}, and none of them is there"
        raise UsageError("conflicting-options", text, remedy="give one of them with a column, or leave --queries out")
    if queries == STDIN and STDIN in (given.qrels, *(path for _, path in given.named)):
        raise UsageError("one-stdin", "- is given more than once, and standard input can be read once only")


def _refuse_stray(measures: Iterable[str]) -> None:
    """Find files among the measures, where they land if they are named after -m."""
    stray = [text for text in measures if "." in text and Path(text).is_file()]
    if stray:
        problems = [f"{text} is a file, not a measure" for text in stray]
        raise MeasureError("measure-syntax", *problems, remedy=_FILES_FIRST)


def _advice(error: CycloptsError, tokens: Sequence[str]) -> str:
    """What to do about a command line that cannot be understood."""
    command = tokens[0] if tokens and tokens[0] in app else ""
    if isinstance(error, MissingArgumentError) and command == "evaluate" and {"-m", "--measure"} & set(tokens):
        return f"\n  {_FILES_FIRST}"
    if isinstance(error, UnknownCommandError) and Path(tokens[0]).exists():
        return "\n  to measure runs: rankworth evaluate QRELS RUN..."
    return f"\n  rankworth {f'{command} ' if command else ''}--help says more"


def _elsewhere(error: UnknownOptionError) -> str:
    """What an option is called here that other tools have; nothing where it is not known."""
    from rankworth.settings import QUIRKS  # noqa: PLC0415 - only for a message
    from rankworth.spellings import OPTIONS  # noqa: PLC0415 - only for a message

    option = error.token.keyword or error.token.value
    quirk = option.lstrip("-").partition("=")[0].replace("-", "_")
    if quirk in QUIRKS:
        return f"Unknown option: {option}.\n  here: --set {quirk}=VALUE"
    written = OPTIONS.get(option.lstrip("-").partition("=")[0].lower().replace("_", "-"))
    return f"Unknown option: {option}.\n  here: {written}" if written else ""
