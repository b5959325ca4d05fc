"""What stands on a command line: files, names of runs, columns."""

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from cyclopts import ArgumentCollection, Token
from cyclopts.exceptions import UnknownOptionError

from rankworth.errors import InputError, UsageError
from rankworth.io.source import STDIN

if TYPE_CHECKING:
    from rankworth.io.lines import Layout
    from rankworth.io.reading import Reading
    from rankworth.io.source import Source


def path(tokens: Sequence[Token], options: Callable[[], ArgumentCollection]) -> str:
    """A file, or `-`; anything else that starts with a hyphen is a mistyped option.

    Args:
        tokens: one token, as Cyclopts hands it over.
        options: gives the options that the command has.

    """
    value = tokens[0].value
    if value.startswith("-") and value != STDIN:
        mistyped = Token(keyword=value.partition("=")[0], source="cli")
        raise UnknownOptionError(token=mistyped, argument_collection=options())
    return value


def named(text: str) -> tuple[str, str]:
    """The name, if one is given, and the path of a run: `NAME=FILE`, unless the whole of it is a file.

    Raises:
        UsageError: `run-names`.

    """
    if text == STDIN:
        return "stdin", text
    splits = [(text[:place], text[place + 1 :]) for place, character in enumerate(text) if character == "="]
    if not splits or Path(text).exists():
        return "", text
    there = [(name, path) for name, path in splits if path == STDIN or Path(path).exists()]
    name, path = (there or splits)[0]
    if not there and os.sep in name:
        return "", text
    if not name or not path:
        raise UsageError("run-names", f"{text!r}: a run is named NAME=FILE")
    return name, path


def files(inputs: "Sequence[tuple[str, Layout, Reading]]") -> "list[tuple[Source, ...]]":
    """The files that each input stands for; all that are not there are named before the first is read.

    Args:
        inputs: paths, with what they hold and what is said of them.

    Raises:
        InputError: `missing-file`, `is-directory`, `unreadable-file`.
        UsageError: `one-stdin`, `unknown-setting`.

    """
    from rankworth.io.source import opened  # noqa: PLC0415 - not needed for help

    if sum(path == STDIN for path, _, _ in inputs) > 1:
        raise UsageError("one-stdin", "- is given more than once, and standard input can be read once only")
    found: list[tuple[Source, ...]] = []
    errors: list[InputError] = []
    for path, layout, reading in inputs:
        try:
            found.append(opened(path, layout, reading))
            if path != STDIN and not Path(path).exists():
                found[-1][0].open().close()
        except InputError as error:
            errors.append(error)
    if errors:
        raise InputError.together(errors)
    return found


def columns(texts: Iterable[str], option: str = "--columns") -> dict[str, str]:
    """Which column holds what, out of `WHAT=NAME`.

    Args:
        texts: what was typed.
        option: behind which option.

    Raises:
        UsageError: `unknown-setting`.

    """
    found: dict[str, str] = {}
    for text in texts:
        what, sign, name = text.partition("=")
        is_named = bool(name or (sign and what == "grade"))  # that no column tells grades can be said, too
        if not is_named or what in found:
            fault = f"{what} is there twice" if is_named else "a column is named WHAT=NAME, as in query=term"
            raise UsageError("unknown-setting", f"{option} {text}: {fault}")
        found[what] = name
    return found
