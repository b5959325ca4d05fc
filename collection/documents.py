"""Which names of the standard library are documents: public modules, classes, functions and methods with a docstring.

    PYTHON documents.py list FILE.json      under every Python that is to have them all
    python documents.py join FILE.json...   with typeshed-client: what all of them have, and every platform has

A name stays if all these Pythons document it and typeshed does not say that a platform lacks it. Of several names of
one object the shortest stays.
"""

import contextlib
import importlib
import inspect
import io
import json
import pkgutil
import pydoc
import sys
import types
import warnings
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final

DATA: Final = Path(__file__).parents[1] / "src" / "rankworth" / "data" / "stdlib"
VERSIONS: Final = ((3, 11), (3, 12), (3, 13))
PLATFORMS: Final = ("linux", "darwin", "win32")
LEFT_OUT: Final = frozenset(
    """
    antigravity curses ensurepip fcntl genericpath grp idlelib lib2to3 msilib msvcrt multiprocessing.dummy nt ntpath
    nturl2path opcode ossaudiodev posix posixpath pty pwd pydoc_data readline resource rlcompleter site spwd sre_compile
    sre_constants sre_parse syslog termios test this tkinter tty turtle turtledemo venv winreg winsound
    """.split()
)
"""Modules of one platform, of the interpreter's own making, about windows on a screen, or jokes."""
BY_PLATFORM: Final = ("os", "select", "signal", "socket")
"""Modules in which what typeshed does not know may be missing somewhere."""


def names() -> dict[str, str]:
    """Documented public names of this Python, with what they are."""
    found = {}
    for module in modules():
        loaded = importlib.import_module(module)
        if inspect.getdoc(loaded):
            found[module] = "module"
        for name, thing in members(loaded, module):
            path = name if module == "builtins" else f"{module}.{name}"
            found[path] = "class" if inspect.isclass(thing) else "function"
            if inspect.isclass(thing) and not issubclass(thing, BaseException):
                found |= {f"{path}.{method}": "method" for method in methods(thing)}
    return {path: kind for path, kind in found.items() if pydoc.locate(path) is not None}


def modules() -> Iterator[str]:
    """Public modules, with those inside packages."""
    for name in sorted(sys.stdlib_module_names):
        loaded = None if name.startswith("_") or name in LEFT_OUT else imported(name)
        if loaded is None:
            continue
        yield name
        for inside in pkgutil.iter_modules(getattr(loaded, "__path__", ())):
            path = f"{name}.{inside.name}"
            if inside.name.startswith("_") or path in LEFT_OUT:
                continue
            if getattr(imported(path), "__all__", ()):
                yield path
    yield "os.path"


def imported(name: str) -> types.ModuleType | None:
    """A module, or None where it cannot be imported here."""
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            return importlib.import_module(name)
    except (Exception, SystemExit):  # noqa: BLE001 - some modules run when they are imported
        return None


def members(module: types.ModuleType, name: str) -> Iterator[tuple[str, Any]]:
    """Public functions and classes: those that `__all__` names, or that were made in the module."""
    listed = getattr(module, "__all__", None)
    for member in listed or dir(module):
        thing = getattr(module, member, None)
        home = getattr(thing, "__module__", None)
        ours = listed is not None or home in (name, f"_{name}", None) or name == "builtins"
        kind = inspect.isroutine(thing) or inspect.isclass(thing)
        if ours and not member.startswith("_") and kind and inspect.getdoc(thing):
            yield member, thing


def methods(thing: type) -> Iterator[str]:
    """Public methods with a docstring, those of bases of its own module among them."""
    for name in dir(thing):
        owner = next((base for base in thing.__mro__ if name in vars(base)), object)
        near = owner is not object and owner.__module__.split(".")[0] == thing.__module__.split(".")[0]
        if name.startswith("_") or not near or not inspect.isroutine(getattr(thing, name, None)):
            continue
        own = name in vars(thing) or owner.__name__.startswith(("_", "Pure")) or owner.__name__.endswith("Base")
        if own and inspect.getdoc(getattr(thing, name)):
            yield name


def join(files: list[str]) -> None:
    """Write the list of documents."""
    lists = [json.loads(Path(file).read_text()) for file in files]
    shared = {path: kind for path, kind in lists[0].items() if all(path in other for other in lists)}
    everywhere = [path for path, kind in shared.items() if on_every_platform(path, kind, shared)]
    kept = without_aliases(everywhere)
    (DATA / "documents.txt").write_text("".join(f"{path}\n" for path in sorted(kept)))
    print(f"{len(lists[0])} in the first, {len(shared)} in all, {len(everywhere)} everywhere, {len(kept)} kept")


def on_every_platform(path: str, kind: str, shared: dict[str, str]) -> bool:
    """Whether typeshed has the name for all platforms and versions, or for none of them and nothing else is known."""
    if kind == "module" or path.startswith("os.path."):
        return True
    parts = path.split(".")
    cut = next((cut for cut in range(len(parts) - 1, 0, -1) if shared.get(".".join(parts[:cut])) == "module"), 0)
    module, rest = ".".join(parts[:cut]) or "builtins", parts[cut:]
    known = [is_known(resolver, module, rest) for resolver in resolvers()]
    if any(known):
        return all(known)
    return module not in BY_PLATFORM and (len(rest) == 1 or on_every_platform(".".join(parts[:-1]), "class", shared))


@cache
def resolvers() -> list[Any]:
    """What looks names up, for each platform and version."""
    import typeshed_client  # noqa: PLC0415 - not for `list`

    return [
        typeshed_client.Resolver(typeshed_client.get_search_context(version=version, platform=platform))
        for version in VERSIONS
        for platform in PLATFORMS
    ]


def is_known(resolver: Any, module: str, rest: list[str]) -> bool:  # noqa: ANN401 - of a library without types
    """Whether a name is there for one platform and version."""
    try:
        info = resolver.get_fully_qualified_name(f"{module}.{rest[0]}")
    except Exception:  # noqa: BLE001 - typeshed-client cannot follow every import
        return False
    while hasattr(info, "info"):
        info = info.info
    for part in rest[1:]:
        info = (getattr(info, "child_nodes", None) or {}).get(part)
    return info is not None


def without_aliases(found: list[str]) -> list[str]:
    """One name for each object."""
    same: dict[tuple[int, str], list[str]] = {}
    alive = []  # an id belongs to an object only as long as that lives
    for path in found:
        thing = pydoc.locate(path)
        alive.append(thing)
        same.setdefault((id(thing), inspect.getdoc(thing) or ""), []).append(path)
    kept = []
    for paths in same.values():
        thing = pydoc.locate(paths[0])
        home = f"{getattr(thing, '__module__', '')}.{getattr(thing, '__qualname__', '')}".removeprefix("builtins.")
        kept.append(min(paths, key=lambda path: (path.count("."), path != home, path)))
    return kept


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    command, *arguments = sys.argv[1:]
    if command == "list":
        Path(arguments[0]).write_text(json.dumps(names(), indent=0))
        print(sys.version.split()[0], len(json.loads(Path(arguments[0]).read_text())))
    else:
        join(arguments)
