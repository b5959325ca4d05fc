"""What a command line that cannot be understood is answered: what is missing or wrong, and what to type instead."""

import shlex
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, get_args, get_origin

from cyclopts.exceptions import (
    CoercionError,
    ConsumeMultipleError,
    CycloptsError,
    MissingArgumentError,
    RepeatArgumentError,
    UnknownCommandError,
    UnknownOptionError,
    UnusedCliTokensError,
    ValidationError,
)

from rankworth.cli import evaluate
from rankworth.errors import quoted

if TYPE_CHECKING:
    from cyclopts import App

NEEDS: Final[Mapping[str, str]] = {
    "evaluate": "judgements and a run",
    "check": "judgements",
    "audit": "judgements, a run and the value to explain",
    "judge-next": "judgements and a run, or two",
    "fuse": "runs",
    "trace": "judgements and stages",
    "silence": "judgements and a run",
    "calibrate": "judgements of people and of a judge",
    "chunks": "gold and the chunks of one or more chunkings",
    "convert": "a file to read and one to write",
}
"""what stands behind the name of a command"""
_MEASURE: Final = {"-m", "--measure"}
_KINDS: Final[Mapping[Any, str]] = {int: "a whole number", float: "a number", Path: "a path"}
_LIMITS: Final = {"Must be < ": "below ", "Must be <= ": "at most ", "Must be > ": "above ", "Must be >= ": "at least "}
"""what Cyclopts says of numbers beyond a limit, and how we say it"""


def explained(error: CycloptsError, app: "App", tokens: Sequence[str]) -> str:
    """Say why a command line cannot be understood, and what to type."""
    command = tokens[0] if tokens and tokens[0] in app else ""
    with app.app_stack([app, app[command]] if command else [app]):  # options as the program has them: none is negated
        fact, remedy = _described(error, app, command, tokens)
    return f"{fact}\n  {remedy or ' '.join(['rankworth', *filter(None, [command]), '--help says more'])}"


def _described(error: CycloptsError, app: "App", command: str, tokens: Sequence[str]) -> tuple[str, str]:
    """Return the error, with its remedy if it has one."""
    usage, _, example = (str(app[command].usage) if command else "").partition("\nExample: ")
    said = str(error), ""
    match error:
        case UnknownCommandError():
            said = _unknown_command(app, tokens[0])
        case UnknownOptionError() if command:
            said = _unknown_option(error, app[command])
        case UnusedCliTokensError() if command:
            said = f"there are more arguments than the command takes: {' '.join(error.unused_tokens or ())}", usage
        case MissingArgumentError() if command and error.argument is not None:
            fact, remedy = _missing(error, app[command], tokens)
            said = fact, remedy or example
        case CoercionError() | ValidationError() if command and error.argument is not None:
            said = _wrong_value(error, app[command])
        case RepeatArgumentError():
            said = f"{error.token.keyword} is given twice", "leave out one of them"
    return said


def _unknown_command(app: "App", name: str) -> tuple[str, str]:
    """Explain a word that is no command: a misspelt one, or a file, for which people leave `evaluate` out."""
    commands = [each for each in app if not each.startswith("-")]
    near = get_close_matches(name, commands, 1)
    fact = f"there is no command {name}"
    if Path(name).exists():
        return f"{fact}; it is a file", f"to measure runs: {_EVALUATE}"
    return f"{fact}; did you mean {near[0]}?" if near else fact, f"there are {' '.join(commands)}"


_EVALUATE: Final = "rankworth evaluate QRELS RUN..."


def _unknown_option(error: UnknownOptionError, command: "App") -> tuple[str, str]:
    """Explain an option that is called otherwise here, or misspelt."""
    option = (error.token.keyword or error.token.value).partition("=")[0]
    fact = f"there is no option {option}"
    if here := _elsewhere(option):
        return fact, f"here: {here}"
    options = [name for each in command.assemble_argument_collection() if each.parse for name in each.names]
    near = get_close_matches(option, options, 1)
    return (f"{fact}; did you mean {near[0]}?", _help(near[0], command)) if near else (fact, "")


def _elsewhere(option: str) -> str:
    """Return our name of an option of another tool, or an empty text."""
    import tomllib  # noqa: PLC0415 - only for a message
    from importlib.resources import files  # noqa: PLC0415 - as above

    from rankworth.settings import QUIRKS  # noqa: PLC0415 - as above

    name = option.lstrip("-").replace("_", "-")
    if name.replace("-", "_") in QUIRKS:
        return f"--set {name.replace('-', '_')}=VALUE"
    table = tomllib.loads((files("rankworth") / "profiles" / "spellings.toml").read_text("utf-8"))
    return next((here for here, names_elsewhere in table["options"].items() if name.lower() in names_elsewhere), "")


def _missing(error: MissingArgumentError, command: "App", tokens: Sequence[str]) -> tuple[str, str]:
    """Explain that a file is missing, or the value of an option."""
    name = error.keyword or error.argument.name  # type: ignore[union-attr]
    if name.startswith("-"):
        return f"{name} needs {'at least one' if isinstance(error, ConsumeMultipleError) else 'a'} value", _help(
            name, command
        )
    fact = f"{tokens[0]} needs {NEEDS.get(tokens[0], name)}"
    if tokens[0] == "evaluate" and _MEASURE & set(tokens):
        return fact, evaluate.FILES_FIRST
    arguments = list(takewhile(lambda token: not token.startswith("-"), tokens[1:]))
    return f"{fact}; there is {quoted(map(shlex.quote, arguments)) if arguments else 'nothing'}", ""


def _wrong_value(error: CoercionError | ValidationError, command: "App") -> tuple[str, str]:
    """Explain a value that an option does not take."""
    argument: Any = error.argument
    token = getattr(error, "token", None) or next(iter(argument.tokens), None)
    name = (token and token.keyword) or argument.name
    value = shlex.quote(str(token.value if token else ""))
    kind: Any = getattr(error, "target_type", None)
    if isinstance(error, ValidationError):
        limit = next((ours for theirs, ours in _LIMITS.items() if error.exception_message.startswith(theirs)), "")
        number = error.exception_message.rpartition(" ")[2].removesuffix(".")
        wanted = f"it needs a number {limit}{number}" if limit else error.exception_message
    elif get_origin(kind) is Literal:
        words = list(map(str, get_args(kind)))
        near = get_close_matches(value, words, 1)
        wanted = " ".join([*(f"did you mean {word}?" for word in near), "it is one of", *words])
    elif kind is bool:
        return f"{name} takes no value, and {value} is given", f"{name} alone"
    else:
        wanted = f"it needs {_KINDS.get(kind) or getattr(kind, '__name__', 'another kind of value')}"
    return f"{name} {value}: {wanted}", _help(name, command)


def _help(name: str, command: "App") -> str:
    """Return what the help says of an option."""
    options = command.assemble_argument_collection(parse_docstring=True)
    text = next((each.parameter.help for each in options if name in each.names), "") or ""
    return f"{name}: {' '.join(text.split())}" if text else ""
