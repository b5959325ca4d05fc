"""The command line: plain arguments in, one call of the library, its answer out.

Whatever costs time to import is imported inside the commands, so that help and mistyped options answer at once.
"""

import gc
import os
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from cyclopts import App, Parameter
from cyclopts.exceptions import CycloptsError

from rankworth.cli import (
    audit,
    calibrate,
    check,
    chunks,
    compare,
    convert,
    correlate,
    demo,
    evaluate,
    explain,
    explore,
    fuse,
    history,
    judge_next,
    reference,
    report,
    silence,
    trace,
)
from rankworth.cli.options import OTHER
from rankworth.cli.output import drop_unwritable_output, replace_closed_streams, say
from rankworth.errors import RankworthError, UsageError
from rankworth.version import __version__

Shell = Literal["bash", "zsh", "fish", "powershell"]

_WRONG, _INTERRUPTED, _PIPE_CLOSED = 2, 130, 141
HELP: Final = frozenset({"--help", "-h", "--help-all", "--help-conventions"})
"""options that show help"""


app = App(
    name="rankworth",
    help="Evaluate search and recommendation results against relevance judgements: nDCG, MAP, MRR, recall and more.",
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


def _add(command: Callable[..., Any], usage: str, *aliases: str, further: str = "", delimiter: str = "--") -> None:
    """Add a command, whose help opens with its usage and the first example of its docstring, and ends with the others.

    Args:
        command: the command.
        usage: how its arguments stand.
        *aliases: other names.
        further: what help says before the other examples.
        delimiter: the word behind which no options stand; empty where `--` is an argument, which separates systems.

    """
    _, _, listed = (command.__doc__ or "").partition("Examples:\n")
    first, *examples = filter(None, map(str.strip, listed.splitlines()))
    epilogue = "\n  ".join([f"{further}More examples:", *examples])
    described = {"usage": f"{usage}\nExample: {first}", "help_epilogue": epilogue}
    app.command(command, alias=aliases, end_of_options_delimiter=delimiter, **described)


for module in (
    evaluate,
    compare,
    explain,
    check,
    audit,
    judge_next,
    history,
    correlate,
    calibrate,
    report,
    explore,
    fuse,
    trace,
    silence,
    chunks,
    convert,
    demo,
):
    further = f"{correlate.METHODS}\n\n" if module is correlate else ""
    delimiter = "" if module in (compare, report) else "--"
    _add(getattr(module, module.__name__.rpartition(".")[2]), module.USAGE, further=further, delimiter=delimiter)
_add(reference.measures, reference.MEASURES, "metrics")
_add(reference.profiles, reference.PROFILES)


@app.command(name="--install-completion", group=OTHER)
def install_completion(
    *, shell: Shell | None = None, output: Annotated[Path | None, Parameter(alias="-o")] = None
) -> None:
    """Install completion for a shell: writes a script, and sets bash and zsh to load it.

    Args:
        shell: The shell. Default: the one in use.
        output: File for the script; where the shell looks for it if not said.

    """
    from cyclopts.completion.detect import ShellDetectionError  # noqa: PLC0415 - rarely needed

    try:
        path = app.install_completion(shell=shell, output=output)
    except ShellDetectionError:
        remedy = "say it: --shell bash, zsh, fish or powershell"
        raise UsageError("unknown-setting", "the shell in use cannot be told", remedy=remedy) from None
    say(f"wrote {path}; completion works in the next shell that you open")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        arguments: what follows `rankworth`; those of the process where not said.

    Returns:
        0 when all went well, 2 when the call or the input is at fault; 1 is kept for gates that fail.

    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # NumPy need not start threads that nothing here uses
    tokens = _with_negative_grades(sys.argv[1:] if arguments is None else arguments)
    if arguments is None:
        replace_closed_streams()
        gc.disable()  # a command is short; collecting would only walk through freshly imported modules
    try:
        status = _run(tokens)
        sys.stdout.flush()
    except RankworthError as error:
        say(f"error: {error.typed}")
    except CycloptsError as error:
        from rankworth.cli.mistakes import explained  # noqa: PLC0415 - only for a message

        say(f"error: {explained(error, app, tokens)}")
    except BrokenPipeError:
        return _PIPE_CLOSED
    except OSError as error:  # of help, which is not written by `put`
        say(f"error: standard output: {error.strerror}   [unwritable-output]")
    except KeyboardInterrupt:
        if arguments is None:
            os._exit(_INTERRUPTED)  # at once, without waiting for a thread that reads
        return _INTERRUPTED
    else:
        return status if isinstance(status, int) else 0
    finally:
        if arguments is None:
            drop_unwritable_output()
    return _WRONG


def _with_negative_grades(words: Sequence[str]) -> list[str]:
    """Join `--grades` with a list that begins with a negative grade and would be read as an option."""
    tokens: list[str] = []
    for word in words:
        if tokens[-1:] == ["--grades"] and re.match(r"-[\d.]", word):
            tokens[-1] = f"--grades={word}"
        else:
            tokens.append(word)
    return tokens


def _run(tokens: list[str]) -> object:
    """Run a command, or show its help."""
    if not HELP.intersection(tokens) or tokens[0] in HELP or tokens[0] not in app:
        return app(tokens)
    from rankworth.cli.help import print_help  # noqa: PLC0415 - only for this

    print_help(app, tokens)
    return 0
