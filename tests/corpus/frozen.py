"""Names that may not change unnoticed: those of modules, of classes, of options, and the keys of JSON."""

import importlib
import inspect
import io
import os
import re
import typing
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import redirect_stderr, redirect_stdout, suppress
from multiprocessing import get_context
from typing import Any

import rankworth as rw
from rankworth.cli import main


def signature(call: Any) -> str:
    """Parameters and their defaults; annotations are no promise, but for the keywords that settings are."""
    try:
        found = inspect.signature(call)
    except (TypeError, ValueError):
        return ""
    parameters = []
    for one in found.parameters.values():
        parameter = one.replace(annotation=inspect.Parameter.empty)
        default = one.default
        if default is not inspect.Parameter.empty and not isinstance(default, int | float | str | tuple | None):
            parameter = parameter.replace(default=type(default).__name__)
        text = str(parameter)
        if one.kind is inspect.Parameter.VAR_KEYWORD and typing.get_origin(one.annotation) is typing.Unpack:
            text += f": {' '.join(sorted(typing.get_args(one.annotation)[0].__annotations__))}"
        parameters.append(("*, " if one.kind is inspect.Parameter.KEYWORD_ONLY else "") + text)
    starred = [text for text in parameters if text.startswith("*, ")]
    return f"({', '.join(text if text in starred[:1] else text.removeprefix('*, ') for text in parameters)})"


def names(module: str) -> list[str]:
    """The public names of a module, functions with their parameters."""
    home = importlib.import_module(module)
    found = []
    for name in getattr(home, "__all__", None) or dir(home):
        one = getattr(home, name)
        own = getattr(one, "__module__", module) or module
        foreign = module != "rankworth" and not own.startswith(module) and not hasattr(home, "__all__")
        if name.startswith("_") or foreign or (inspect.ismodule(one) and module != "rankworth"):
            continue
        known = module == "rankworth" and (name in rw.CATALOGUE or name in rw.FACTS)
        found.append(name + (signature(one) if inspect.isfunction(one) and not known else ""))
    return sorted(set(found))


def members(*classes: type) -> dict[str, list[str]]:
    """The public members of classes, methods with their parameters."""
    return {one.__name__: list(_members(one)) for one in classes}


def _members(one: type) -> typing.Iterator[str]:
    common = {*dir(Exception), *dir(tuple)}
    fields = {name for base in one.__mro__ for name in getattr(base, "__annotations__", {})}
    for name in sorted({*dir(one), *fields} - common):
        if not name.startswith("_"):
            found = inspect.getattr_static(one, name, None)
            method = isinstance(found, classmethod | staticmethod) or inspect.isfunction(found)
            yield name + (signature(getattr(one, name)) if method else "")


def options(command: str = "") -> dict[str, str]:
    """The options of a command, or the commands, with what they take and the choices of those that have some."""
    with ProcessPoolExecutor(1, mp_context=get_context("forkserver")) as process:  # the width of help is set once
        helps = process.submit(_wide_help, command).result()
    found = {}
    for row in helps.splitlines():
        match = re.fullmatch(r"│ (?:\* +)?(\S.*?)(?:  +(.*?))? *│", row)
        if match and (match[1].startswith("-") or not command or match[1].isupper()):
            choices = re.search(r"\[choices: (.*?)\]", match[2] or "")
            found[match[1]] = choices[1] if choices else ""
    return found


def shape(value: Any) -> Any:
    """The keys of JSON and the types below them; of a list the shapes of its items, each once."""
    if isinstance(value, Mapping):
        return {key: shape(part) for key, part in value.items()}
    if isinstance(value, list):
        kinds = []
        for part in value:
            kind = shape(part)
            if kind not in kinds:
                kinds.append(kind)
        return kinds
    return {bool: "bool", int: "number", float: "number", str: "text", type(None): "null"}[type(value)]


def _wide_help(command: str) -> str:
    os.environ["COLUMNS"] = "400"
    helps = io.StringIO()
    with redirect_stdout(helps), redirect_stderr(io.StringIO()):
        for option in ("--help-all", "--help-conventions"):  # the latter of those that have some
            with suppress(SystemExit):
                main([*command.split(), option])
    return helps.getvalue()
