"""What a project says for all commands, in `[tool.rankworth]` of its pyproject.toml; and how plugins are loaded."""

import importlib
import importlib.util
import os
import shlex
import sys
import traceback
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from rankworth.cli.terminal import say
from rankworth.errors import RankworthError, UsageError, known

FILE: Final = "pyproject.toml"
_LISTS: Final = ("measures", "plugins")
_COLUMNS: Final = ("columns", "qrels-columns", "run-columns")
_KNOWN: Final = (*_LISTS, *_COLUMNS, "gates")
GATES: Final = ("max-drop", "noninferior", "fail-under")
"""the kinds of gates, as options and tables name them"""
_WHEN: Final = "when"
_DROPS: Final = ("mean", "significant", "any")
"""what a drop is"""
_HERE: Final = Path(__file__).parent.parent
TRUST: Final = "RANKWORTH_TRUST"
"""the variable that names folders whose plugins are run"""
ROOT: Final = 0
"""the user who owns what belongs to the system"""
_ROOTS: Final = (".git", ".hg", ".jj", ".svn", ".bzr", ".fslckout", "_darcs")
"""what the folder on top of a version-controlled tree holds; in a worktree or a submodule, `.git` is a file"""


@dataclass(frozen=True)
class Configuration:
    """The settings of a project.

    Attributes:
        folder: where they stand, and where relative paths start.
        measures: what `evaluate` measures where nothing is asked for.
        plugins: modules or files that define measures; none where the file is not trusted.
        untrusted: why its plugins are not run, and what helps; nothing where they are.
        columns: which column of judgements and runs holds what, where a file has such columns.
        qrels_columns: as `columns`, of judgements alone.
        run_columns: as `columns`, of runs alone.
        gates: what `compare` asks for where its options say nothing: by kind, limits by measure; and `when`.

    """

    folder: Path
    measures: tuple[str, ...] = ()
    plugins: tuple[str, ...] = ()
    columns: Mapping[str, str] = field(default_factory=dict)
    qrels_columns: Mapping[str, str] = field(default_factory=dict)
    run_columns: Mapping[str, str] = field(default_factory=dict)
    gates: Mapping[str, Any] = field(default_factory=dict)
    untrusted: tuple[str, str] = ("", "")


def find(start: Path) -> Configuration:
    """The settings for a folder: the nearest pyproject.toml with `[tool.rankworth]`, in it or above it.

    Measures and gates are data and taken from any such file; plugins are programs, see `_untrusted`.

    Raises:
        UsageError: `bad-config`.

    """
    for folder in (start, *start.parents):
        path = folder / FILE
        try:
            text = path.read_text(encoding="utf-8") if path.is_file() else ""
        except (OSError, UnicodeDecodeError):
            continue
        if "rankworth" in text:
            table = _table(path, text)
            if table is not None:
                settings = Configuration(folder, **_checked(path, table))
                reason = _untrusted(path, settings.plugins, start) if settings.plugins else ("", "")
                return replace(settings, plugins=(), untrusted=reason) if any(reason) else settings
    return Configuration(start)


def load(plugins: Iterable[str], folder: Path) -> None:
    """Import plugins, so that the measures they define are known.

    Args:
        plugins: names of modules, or paths of Python files.
        folder: where relative paths start, and modules are looked for after all other places.

    Raises:
        UsageError: `bad-plugin`, for the first that fails.

    """
    for plugin in plugins:
        try:
            if plugin.endswith(".py"):
                _import_file(folder / plugin)
            else:
                _import_module(plugin, folder)
        except (Exception, SystemExit) as error:
            raise UsageError(
                "bad-plugin",
                f"plugin {plugin}: {_reason(error)}",
                remedy="a plugin is a module that can be imported from here, or the path of a .py file",
            ) from error


def prepare(plugins: Iterable[str], *, quiet: bool = False) -> tuple[str, ...]:
    """Load the plugins of the project and of the command; gives the measures that the project asks for.

    Args:
        plugins: those of the command.
        quiet: whether only errors may be said.

    Raises:
        UsageError: `bad-config`, `bad-plugin`.

    """
    here = Path.cwd()
    settings = find(here)
    text, remedy = settings.untrusted
    if text and not quiet:
        say(f"warning: {text}   [{known('untrusted-plugin')}]\n  {remedy}")
    load(settings.plugins, settings.folder)
    load(plugins, here)
    return settings.measures


def _untrusted(path: Path, plugins: Sequence[str], start: Path) -> tuple[str, str]:
    """Why the plugins that a file names are not run, and what helps; nothing where they are run.

    They are run if the file belongs to the user or to root, and if its folder is the current one or within the same
    version-controlled tree; or if `RANKWORTH_TRUST` names its folder or one above it.

    Args:
        path: the file.
        plugins: those that it names.
        start: the current folder.

    """
    folder = path.parent.resolve()
    if any(
        folder.is_relative_to(Path(named).resolve()) for named in os.environ.get(TRUST, "").split(os.pathsep) if named
    ):
        return "", ""
    owner = path.stat().st_uid
    if hasattr(os, "geteuid") and owner not in (os.geteuid(), ROOT):
        reason = f"the file belongs to another user ({owner})"
    elif folder != (here := start.resolve()) and not _is_within_tree(folder, here):
        reason = "the file is above this folder, and not in the same version-controlled tree"
    else:
        return "", ""
    named = " ".join(f"--plugin {shlex.quote(_elsewhere(plugin, path.parent, start))}" for plugin in plugins)
    remedy = f"if you trust them: {TRUST}={shlex.quote(str(folder))}, or {named}"
    return f"{path}: its plugins were not run: {reason}", remedy


def _elsewhere(plugin: str, folder: Path, start: Path) -> str:
    """How a plugin is named from another folder."""
    return os.path.relpath(folder / plugin, start) if plugin.endswith(".py") else plugin


def _is_within_tree(folder: Path, start: Path) -> bool:
    """Whether a folder above another one is in the same version-controlled tree, which begins in it or above it."""
    root = next((above for above in (start, *start.parents) if any((above / name).exists() for name in _ROOTS)), None)
    return root is not None and folder.is_relative_to(root)


def _table(path: Path, text: str) -> Any:  # noqa: ANN401 - whatever stands there
    import tomllib  # noqa: PLC0415 - only where there is something to read

    try:
        tool = tomllib.loads(text).get("tool", {})
    except tomllib.TOMLDecodeError as error:
        raise UsageError("bad-config", f"{path}: {error}") from None
    return tool.get("rankworth") if isinstance(tool, dict) else None


def _checked(path: Path, table: Any) -> dict[str, Any]:  # noqa: ANN401 - whatever stands there
    names = f"{', '.join(_KNOWN[:-1])} and {_KNOWN[-1]}"
    if not isinstance(table, dict):
        raise UsageError("bad-config", f"{path}: [tool.rankworth] is a table, with {names}")
    for name, value in table.items():
        if name not in _KNOWN:
            raise UsageError("bad-config", f"{path}: [tool.rankworth] has no {name!r}; it has {names}")
        if name in _LISTS and (not isinstance(value, list) or not all(isinstance(item, str) for item in value)):
            raise UsageError("bad-config", f"{path}: [tool.rankworth] {name} is a list of texts, not {value!r}")
        if name in _COLUMNS and not (isinstance(value, dict) and all(isinstance(item, str) for item in value.values())):
            text = f"{path}: [tool.rankworth] {name} is a table of names, as in {{query = 'term'}}, not {value!r}"
            raise UsageError("bad-config", text)
    readers: dict[str, Any] = {"gates": partial(_gates, path), **dict.fromkeys(_COLUMNS, dict)}
    return {name.replace("-", "_"): readers.get(name, tuple)(value) for name, value in table.items()}


def _gates(path: Path, table: Any) -> dict[str, Any]:  # noqa: ANN401 - whatever stands there
    """Limits by kind and measure, and what a drop is."""
    place = f"{path}: [tool.rankworth.gates]"
    if not isinstance(table, dict):
        raise UsageError("bad-config", f"{place} is a table, with {', '.join(GATES)} and {_WHEN}")
    for kind, limits in table.items():
        if kind == _WHEN and limits in _DROPS:
            continue
        if kind == _WHEN:
            raise UsageError(
                "bad-config", f"{place} {_WHEN} is {', '.join(_DROPS[:-1])} or {_DROPS[-1]}, not {limits!r}"
            )
        if kind not in GATES:
            raise UsageError("bad-config", f"{place} has no {kind!r}; it has {', '.join(GATES)} and {_WHEN}")
        if not isinstance(limits, dict):
            text = f"{place} {kind} is a table of limits by measure, as in {{'nDCG@10' = 0.01}}, not {limits!r}"
            raise UsageError("bad-config", text)
        for measure, limit in limits.items():
            if isinstance(limit, bool) or not isinstance(limit, int | float | str):
                text = f"{place} {kind}: the limit of {measure} is a number, or a share such as '2%', not {limit!r}"
                raise UsageError("bad-config", text)
    return table


def _import_module(name: str, folder: Path) -> None:
    if str(folder) not in sys.path:
        sys.path.append(str(folder))
    importlib.import_module(name)


def _import_file(path: Path) -> None:
    name = f"rankworth_plugin_{path.stem}"
    loaded = sys.modules.get(name)
    if loaded is not None and loaded.__file__ == str(path):
        return
    if not path.is_file():
        message = f"there is no file {path}"
        raise ImportError(message)
    specification = importlib.util.spec_from_file_location(name, path)
    if specification is None or specification.loader is None:
        message = f"{path} is no Python file"
        raise ImportError(message)
    module = importlib.util.module_from_spec(specification)
    sys.modules[name] = module
    try:
        specification.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise


def _reason(error: BaseException) -> str:
    """What went wrong, and where if that is in a file of the plugin."""
    if isinstance(error, SyntaxError):
        return f"{error.filename}:{error.lineno}: {error.msg}"
    text = str(error) or type(error).__name__
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if _is_foreign(frame.filename)]
    if isinstance(error, ImportError) or not frames:
        return text
    kind = "" if isinstance(error, RankworthError) else f"{type(error).__name__}: "
    return f"{frames[-1].filename}:{frames[-1].lineno}: {kind}{text}"


def _is_foreign(file: str) -> bool:
    """Whether a line of a traceback belongs to the plugin, neither to Python's importing nor to rankworth."""
    return not file.startswith("<") and not Path(file).is_relative_to(_HERE) and Path(file) != Path(importlib.__file__)
