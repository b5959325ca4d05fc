"""The settings of a project, `[tool.rankworth]` in its pyproject.toml, and the plugins that it or a command names."""

import importlib
import importlib.util
import os
import shlex
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from rankworth.cli.output import say
from rankworth.errors import RankworthError, UsageError, checked_slug

FILE: Final = "pyproject.toml"
GATES: Final = ("max-drop", "noninferior", "fail-under")
"""kinds of gates, as options and tables name them"""
TRUST: Final = "RANKWORTH_TRUST"
"""the variable that names folders whose plugins are run"""
ROOT: Final = 0
"""the user who owns what belongs to the system"""
_ROOTS: Final = (".git", ".hg", ".jj", ".svn", ".bzr", ".fslckout", "_darcs")
"""what the folder on top of a version-controlled tree holds; in a worktree or a submodule, `.git` is a file"""
_HERE: Final = Path(__file__).parent.parent


def _holds(kind: type[dict[str, Any]] | type[list[Any]], *types: type) -> Callable[[Any], bool]:
    """Return a check whether a value is a list or a table, all of whose values are of some types."""

    def holds(value: Any) -> bool:  # noqa: ANN401 - of any file
        values = value.values() if isinstance(value, dict) else value
        return isinstance(value, kind) and {*map(type, values)} <= {*types}

    return holds


_TEXTS: Final = (_holds(list, str), "a list of texts")
_COLUMNS: Final = (_holds(dict, str), "a table of names, as in {query = 'term'}")
_LIMITS: Final = "a table of limits by measure, numbers or shares, as in {'nDCG@10' = 0.01, AP = '2%'}"
_TABLE: Final = {
    **dict.fromkeys(("measures", "plugins"), _TEXTS),
    **dict.fromkeys(("columns", "qrels-columns", "run-columns"), _COLUMNS),
    "gates": (lambda value: isinstance(value, dict), "a table"),
}
"""the keys of `[tool.rankworth]`: what they take, and what that is called"""
_GATES: Final = {
    **dict.fromkeys(GATES, (_holds(dict, int, float, str), _LIMITS)),
    "when": (lambda value: value in ("mean", "significant", "any"), "mean, significant or any"),
}


@dataclass(frozen=True)
class Project:
    """The settings of a project.

    Attributes:
        folder: where they stand, and where relative paths start.
        table: `[tool.rankworth]`, checked.

    """

    folder: Path
    table: Mapping[str, Any] = field(default_factory=dict)

    @property
    def measures(self) -> list[str]:
        """What is measured where a command does not say it."""
        return list(self.table.get("measures", ()))

    def load(self, plugins: Iterable[str] | None, *, quiet: bool = False) -> None:
        """Import the plugins of the project, if its file is trusted, and those of the command.

        Raises:
            UsageError: `bad-plugin`, for the first that fails.

        """
        here = Path.cwd()
        configured = self.table.get("plugins", ())
        if configured and (reason := self._distrust(here) or self._distrust_plugins(configured)):
            named = (os.path.relpath(self.folder / each, here) if each.endswith(".py") else each for each in configured)
            options = " ".join(f"--plugin {shlex.quote(module)}" for module in named)
            if not quiet:
                slug = checked_slug("untrusted-plugin")
                say(f"warning: {self.folder / FILE}: its plugins were not run: {reason}   [{slug}]")
                say(f"  if you trust them: {TRUST}={shlex.quote(str(self.folder.resolve()))}, or {options}")
            configured = ()
        for folder, modules in ((self.folder, configured), (here, plugins or ())):
            for plugin in modules:
                load(plugin, folder)

    def _distrust(self, here: Path) -> str:
        """Say why the plugins are not run; empty where they are, see `docs/configuration.md`."""
        folder, here = self.folder.resolve(), here.resolve()
        if self._is_named():
            return ""
        if (owner := _other_owner(self.folder / FILE)) is not None:
            return f"the file belongs to another user ({owner})"
        tree = next((root for root in (here, *here.parents) if any((root / name).exists() for name in _ROOTS)), None)
        if folder == here or (tree is not None and folder.is_relative_to(tree)):
            return ""
        return "the file is above this folder, and not in the same version-controlled tree"

    def _distrust_plugins(self, plugins: Sequence[str]) -> str:
        """Return why plugins of a trusted file are not run, or an empty text."""
        if self._is_named():
            return ""
        for plugin in plugins:
            for path in [self.folder / plugin] if plugin.endswith(".py") else _files_of(plugin, self.folder):
                if (owner := _other_owner(path)) is not None:
                    return f"{path} belongs to another user ({owner})"
        return ""

    def _is_named(self) -> bool:
        """Return whether the folder is one of those, or below one of those, that the user trusts by name."""
        trusted = [Path(named).resolve() for named in os.environ.get(TRUST, "").split(os.pathsep) if named]
        return any(self.folder.resolve().is_relative_to(root) for root in trusted)


def _other_owner(path: Path) -> int | None:
    """Return the owner of a file if it is neither the user nor the system, else None."""
    try:
        owner = path.stat().st_uid
    except OSError:
        return None
    return owner if hasattr(os, "geteuid") and owner not in (os.geteuid(), ROOT) else None


def _files_of(module: str, folder: Path) -> Iterator[Path]:
    """Iterate over the files of a folder that importing a module would run, those of the packages around it first.

    What lies elsewhere is installed, as rankworth is.
    """
    if str(folder) not in sys.path:
        sys.path.append(str(folder))
    names = module.split(".")
    for number in range(1, len(names) + 1):
        with suppress(Exception):  # what cannot be found cannot be imported, which is said then
            spec = importlib.util.find_spec(".".join(names[:number]))  # imports those above it
            if spec is None:
                return
            paths = map(Path, filter(None, [spec.origin, *(spec.submodule_search_locations or ())]))
            yield from (path for path in paths if path.is_relative_to(folder))


def find(plugins: Iterable[str] | None = None, *, quiet: bool = False) -> Project:
    """Find the settings of the nearest pyproject.toml with `[tool.rankworth]`, in the current folder or above it.

    The plugins of the project and those of the command are imported.

    Args:
        plugins: those of the command.
        quiet: whether only errors are written to standard error.

    Raises:
        UsageError: `bad-config`, `bad-plugin`.

    """
    here = Path.cwd()
    project = next(filter(None, map(_project, (here, *here.parents))), Project(here))
    project.load(plugins, quiet=quiet)
    return project


def _project(folder: Path) -> Project | None:
    """Read the settings of a folder; None where it has none.

    Raises:
        UsageError: `bad-config`.

    """
    path = folder / FILE
    text = ""
    with suppress(OSError, UnicodeDecodeError):
        text = path.read_text(encoding="utf-8") if path.is_file() else ""  # a pipe would wait for somebody to write
    if "rankworth" not in text:
        return None
    import tomllib  # noqa: PLC0415 - only where there is something to read

    try:
        tool = tomllib.loads(text).get("tool", {})
    except tomllib.TOMLDecodeError as error:
        raise UsageError("bad-config", f"{path}: {error}") from None
    if not isinstance(tool, dict) or "rankworth" not in tool:
        return None
    table = _checked(f"{path}: [tool.rankworth]", tool["rankworth"], _TABLE)
    if "gates" in table:
        _checked(f"{path}: [tool.rankworth.gates]", table["gates"], _GATES)
    return Project(folder, table)


def _checked(where: str, table: Any, schema: Mapping[str, tuple[Callable[[Any], bool], str]]) -> Mapping[str, Any]:  # noqa: ANN401 - of any file
    """Check the keys and values of a table against a schema, and return the table.

    Raises:
        UsageError: `bad-config`.

    """
    *names, last = schema
    if not isinstance(table, dict):
        raise UsageError("bad-config", f"{where} is a table, with {', '.join(names)} and {last}")
    for name, value in table.items():
        if name not in schema:
            raise UsageError("bad-config", f"{where} has no {name!r}; it has {', '.join(names)} and {last}")
        takes, description = schema[name]
        if not takes(value):
            raise UsageError("bad-config", f"{where} {name} is {description}, not {value!r}")
    return table


def load(plugin: str, folder: Path) -> None:
    """Import a plugin, so that the measures it defines are known.

    Args:
        plugin: the name of a module, or the path of a Python file.
        folder: where relative paths start, and modules are looked for after all other places.

    Raises:
        UsageError: `bad-plugin`.

    """
    try:
        if plugin.endswith(".py"):
            _import_file(folder / plugin)
        else:
            if str(folder) not in sys.path:
                sys.path.append(str(folder))
            importlib.import_module(plugin)
    except (Exception, SystemExit) as error:
        remedy = "a plugin is a module that can be imported from here, or the path of a .py file"
        raise UsageError("bad-plugin", f"plugin {plugin}: {_reason(error)}", remedy=remedy) from error


def _import_file(path: Path) -> None:
    """Run a file as a module, once."""
    name = f"rankworth_plugin_{path.stem}"
    if getattr(sys.modules.get(name), "__file__", None) == str(path):
        return
    module = sys.modules[name] = ModuleType(name)
    module.__file__ = str(path)
    try:
        SourceFileLoader(name, str(path)).exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise


def _reason(error: BaseException) -> str:
    """Say why the plugin failed, and in which line."""
    if isinstance(error, SyntaxError):
        return f"{error.filename}:{error.lineno}: {error.msg}"
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame for frame in frames if frame.filename[0] != "<" and not Path(frame.filename).is_relative_to(_HERE)]
    if isinstance(error, ImportError | OSError) or not lines:
        return str(error)
    kind = "" if isinstance(error, RankworthError) else f"{type(error).__name__}: "
    return f"{lines[-1].filename}:{lines[-1].lineno}: {kind}{error}"
