"""Commands beside `evaluate` and `demo`: plain arguments in, one call of the library, its answer out."""

import signal
import sys
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from cyclopts import App, Group, Parameter, Token

from rankworth.cli import arguments
from rankworth.cli.terminal import Progress, put, say, width
from rankworth.errors import UsageError, known
from rankworth.io.source import STDIN

if TYPE_CHECKING:
    from rankworth.judging.duckdb.connection import Engine

CONVERT: Final = "Usage: rankworth convert IN OUT [OPTIONS]"
CONVERT_EXAMPLES: Final = """Examples:
  rankworth convert bm25.run bm25.parquet
  rankworth convert clicks.csv qrels.txt --columns query=term document=sku
  rankworth convert --qrels qrels.json - --to trec | gzip > qrels.txt.gz"""

MEASURES: Final = "Usage: rankworth measures [NAME] [OPTIONS]"
MEASURES_EXAMPLES: Final = """Examples:
  rankworth measures --all
  rankworth measures 'nDCG(gain=exp2)@10'
  rankworth measures --profile ranx-0.3"""
PROFILES: Final = "Usage: rankworth profiles [NAME]"
PROFILES_EXAMPLES: Final = """Examples:
  rankworth profiles
  rankworth profiles beir-2.2
  rankworth evaluate qrels.txt bm25.run -m nDCG@10 --profile all"""
_READABLE: Final = 100

# Those of `rankworth.io.duplicates`, which loads NumPy, that leave one row.
Duplicates = Literal["error", "best", "first", "last"]
DuplicateJudgements = Literal["error", "max", "first", "last"]

_READ = Group("What is read", sort_key=1)
_WRITTEN = Group("What is written", sort_key=2)
_SHOWN = Group("What is shown", sort_key=1)
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
    columns: Annotated[
        list[str] | None,
        Parameter(
            name="--columns",
            alias=["--run-columns", "--qrels-columns"],
            consume_multiple=1,
            metavar="WHAT=NAME",
            group=_READ,
        ),
    ] = None,
    split: Annotated[str, Parameter(metavar="NAME", group=_READ)] = "",
    blank: Annotated[Literal["unjudged", "zero", "error"], Parameter(group=_READ)] = "unjudged",
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
        blank: What judgements without a grade mean: unjudged, zero, or an error. Default: unjudged.
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
            blank=blank,
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


def measures(
    name: str | None = None,
    /,
    *,
    everything: Annotated[bool, Parameter(name="--all", alias="-a", group=_SHOWN)] = False,
    profile: Annotated[str | None, Parameter(metavar="NAME", group=_SHOWN)] = None,
    plugin: Annotated[list[str] | None, Parameter(metavar="MODULE", group=_OTHER)] = None,
) -> None:
    """List the measures, or explain one of them.

    Args:
        name: A measure, in any of its spellings; those to start with where not said.
        everything: List all of them.
        profile: List the names of a tool and what they mean here.
        plugin: Module or .py file that defines measures. Repeatable.

    """
    if name is not None and everything:
        raise UsageError("conflicting-options", f"--all lists the measures, and {name} names one; give one of the two")
    if profile is not None and (name is not None or everything):
        raise UsageError("conflicting-options", "--profile lists the names of a tool; give it alone")
    prepare(plugin or ())
    if profile is not None:
        from rankworth.reference import profiles  # noqa: PLC0415 - not needed for help

        _put_page(profiles.names(profile))
        return
    from rankworth.reference import measures  # noqa: PLC0415 - not needed for help

    _put_page(measures.catalogue(everything=everything) if name is None else measures.measure(name))


def profiles(name: str | None = None, /) -> None:
    """List the conventions that go by the name of a tool, or explain one of them.

    Args:
        name: A profile; without its version, the newest. All of them where not said.

    """
    from rankworth.reference import profiles  # noqa: PLC0415 - not needed for help

    _put_page(profiles.listing() if name is None else profiles.profile(name))


def _put_page(page: str) -> None:
    """Print a page of Markdown as text that can be read on the terminal."""
    from rankworth.reference.markdown import in_terminal  # noqa: PLC0415 - not needed for help

    put(in_terminal(page, min(width(), _READABLE)).encode())


def engine(name: str | None, memory: int | None) -> "AbstractContextManager[Engine | None]":
    """The engine that judges runs here, for the length of a block; None where none was asked for.

    Args:
        name: which.
        memory: how many bytes it takes, where that is limited.

    Raises:
        UsageError: `missing-library`, `unknown-setting`.

    """
    if name != "duckdb":
        return nullcontext()
    from rankworth.judging.duckdb import connection  # noqa: PLC0415 - not needed for help

    return connection.opened(memory)


def prepare(plugins: Iterable[str], *, quiet: bool = False) -> tuple[str, ...]:
    """Load the plugins of the project and of the command; gives the measures that the project asks for.

    Args:
        plugins: those of the command.
        quiet: whether only errors may be said.

    Raises:
        UsageError: `bad-config`, `bad-plugin`.

    """
    from rankworth.cli import configuration  # noqa: PLC0415 - not needed for help

    here = Path.cwd()
    settings = configuration.find(here)
    text, remedy = settings.untrusted
    if text and not quiet:
        say(f"warning: {text}   [{known('untrusted-plugin')}]\n  {remedy}")
    configuration.load(settings.plugins, settings.folder)
    configuration.load(plugins, here)
    return settings.measures
