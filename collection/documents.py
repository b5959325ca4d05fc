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
    antigravity curses ensurepip fcntl genericpath grp idlelib lib2to3 msilib msvcrt nt ntpath nturl2path opcode
    ossaudiodev posix posixpath pty pwd pydoc_data readline resource rlcompleter site spwd sre_compile sre_constants
    sre_parse syslog termios test this tkinter tty turtle turtledemo venv winreg winsound
    """.split()
)
"""Modules of one platform, of the interpreter's own making, about graphical interfaces, or jokes."""
INSIDE: Final = tuple(
    """
    collections.abc concurrent.futures ctypes.util dbm.dumb email.charset email.contentmanager email.encoders
    email.errors email.generator email.header email.headerregistry email.iterators email.message email.mime.application
    email.mime.audio email.mime.base email.mime.image email.mime.message email.mime.multipart email.mime.nonmultipart
    email.mime.text email.parser email.policy email.utils encodings.idna encodings.utf_8_sig html.entities html.parser
    http.client http.cookiejar http.cookies http.server importlib.abc importlib.machinery importlib.metadata
    importlib.resources importlib.resources.abc importlib.util json.tool logging.config logging.handlers
    multiprocessing.connection multiprocessing.managers multiprocessing.pool multiprocessing.shared_memory
    multiprocessing.sharedctypes os.path unittest.mock urllib.error urllib.parse urllib.request urllib.response
    urllib.robotparser wsgiref.handlers wsgiref.headers wsgiref.simple_server wsgiref.types wsgiref.util
    wsgiref.validate xml.dom xml.dom.minidom xml.dom.pulldom xml.etree.ElementTree xml.parsers.expat xml.sax
    xml.sax.handler xml.sax.saxutils xml.sax.xmlreader xmlrpc.client xmlrpc.server
    """.split()
)
"""The modules inside of packages that CPython's documentation describes."""
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
    """Public modules that the documentation describes and that can be imported here."""
    top = (name for name in sorted(sys.stdlib_module_names) if not name.startswith("_") and name not in LEFT_OUT)
    return (name for name in (*top, *INSIDE) if imported(name) is not None)


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
    shared = [path for path in lists[0] if all(path in other for other in lists)]
    everywhere = [path for path in shared if on_every_platform(path)]
    kept = without_aliases(everywhere)
    (DATA / "documents.txt").write_text("".join(f"{path}\n" for path in sorted(kept)))
    print(f"{len(lists[0])} in the first, {len(shared)} in all, {len(everywhere)} everywhere, {len(kept)} kept")


def on_every_platform(path: str) -> bool:
    """Whether typeshed has the name for all platforms and versions; or has none of its module's names like it.

    Typeshed leaves out some names that are the same everywhere: inherited methods, and functions without a type.
    """
    module, rest = split(path)
    if not all(has_module(resolver, module) for resolver in resolvers()):
        return False
    if not rest or module == "os.path":
        return True
    known = [is_known(resolver, module, rest) for resolver in resolvers()]
    if any(known):
        return all(known)
    owner = ".".join(path.split(".")[:-1])
    return module not in BY_PLATFORM and (len(rest) == 1 or on_every_platform(owner))


@cache
def split(path: str) -> tuple[str, tuple[str, ...]]:
    """The module of a name, and the rest."""
    parts = path.split(".")
    for cut in range(len(parts), 0, -1):
        module = ".".join(parts[:cut])
        if module.partition(".")[0] in sys.stdlib_module_names and imported(module) is not None:
            return module, tuple(parts[cut:])
    return "builtins", tuple(parts)


@cache
def resolvers() -> tuple[Any, ...]:
    """What looks names up, for each platform and version."""
    import typeshed_client  # noqa: PLC0415 - not for `list`

    return tuple(
        typeshed_client.Resolver(typeshed_client.get_search_context(version=version, platform=platform))
        for version in VERSIONS
        for platform in PLATFORMS
    )


@cache
def has_module(resolver: Any, module: str) -> bool:  # noqa: ANN401 - of a library without types
    """Whether a module has names for one platform and version."""
    import typeshed_client  # noqa: PLC0415 - as above

    found = typeshed_client.get_stub_names(module, search_context=resolver.ctx)
    return found is not None


def is_known(resolver: Any, module: str, rest: tuple[str, ...]) -> bool:  # noqa: ANN401 - as above
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
