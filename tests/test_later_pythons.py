"""Nothing that is run uses what Python took out after 3.11, or warns of: by name, where no later Python is at hand."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parent.parent
GONE: Final = """
3.12 asynchat asyncore distutils imp smtpd
3.12 configparser.SafeConfigParser importlib.find_loader importlib.abc.Finder pkgutil.ImpImporter pkgutil.ImpLoader
3.12 importlib.util.set_package importlib.util.set_loader importlib.util.module_for_loader locale.format ssl.wrap_socket
3.12 sqlite3.OptimizedUnicode ssl.match_hostname ssl.RAND_pseudo_bytes webbrowser.MacOSX
3.13 aifc audioop cgi cgitb chunk crypt imghdr lib2to3 mailcap msilib nis nntplib ossaudiodev pipes sndhdr spwd sunau
3.13 telnetlib uu xdrlib typing.io typing.re
3.13 configparser.LegacyInterpolation locale.resetlocale logging.warn re.template tkinter.tix turtle.settiltangle
3.13 unittest.findTestCases unittest.getTestCaseNames unittest.makeSuite
3.14 ast.Bytes ast.Ellipsis ast.NameConstant ast.Num ast.Str asyncio.AbstractChildWatcher asyncio.SafeChildWatcher
3.14 asyncio.get_child_watcher asyncio.set_child_watcher asyncio.ThreadedChildWatcher asyncio.MultiLoopChildWatcher
3.14 collections.abc.ByteString typing.ByteString importlib.abc.ResourceReader importlib.abc.Traversable
3.14 importlib.abc.TraversableResources pkgutil.find_loader pkgutil.get_loader pty.master_open pty.slave_open
3.14 sqlite3.version sqlite3.version_info urllib.request.FancyURLopener urllib.request.URLopener
"""
"""modules and names that a version does not have; of one that the documentation announces for later, the sooner"""
DEPRECATED: Final = """
3.12 datetime.datetime.utcfromtimestamp datetime.datetime.utcnow
3.14 asyncio.AbstractEventLoopPolicy asyncio.DefaultEventLoopPolicy asyncio.get_event_loop_policy
3.14 asyncio.iscoroutinefunction asyncio.set_event_loop_policy codecs.open
"""
"""names of which a version warns, which is an error in tests"""
REMOVED: Final = {
    name: line.split()[0] for line in (GONE + DEPRECATED).strip().splitlines() for name in line.split()[1:]
}
LAST: Final = {name.rpartition(".")[2] for name in REMOVED}
ANY: Final = re.compile(rf"\b(?:{'|'.join(sorted(LAST))})\b")
FOLDERS: Final = ("src", "tests", "scripts", "docs", "benchmarks", "collection")


def sources() -> Iterator[Path]:
    """Every Python file of the repository; a script without a suffix says so in its first line."""
    yield ROOT / "conftest.py"
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            is_script = not path.suffix and path.is_file() and b"python" in path.read_bytes().partition(b"\n")[0]
            if path.suffix == ".py" or is_script:
                yield path


def used(tree: ast.Module) -> Iterator[str]:
    """Modules and names that a file imports, and what it takes out of modules by a dot."""
    modules: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name
                modules[alias.asname or alias.name.partition(".")[0]] = alias.name if alias.asname else ""
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
            for alias in node.names:
                yield f"{node.module}.{alias.name}"
                modules[alias.asname or alias.name] = f"{node.module}.{alias.name}"
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in LAST:
            first, _, rest = ast.unparse(node).partition(".")
            if first in modules:
                yield f"{modules[first] or first}.{rest}"


def uses(code: str) -> set[str]:
    """What code uses of that which is not there later, or warned of."""
    if not ANY.search(code):
        return set()
    return {name for name in used(ast.parse(code)) if name in REMOVED or name.partition(".")[0] in REMOVED}


def test_no_file_uses_what_later_pythons_lack_or_warn_of() -> None:
    paths = list(sources())
    assert len(paths) > 400
    assert {str(path.relative_to(ROOT)): names for path in paths if (names := uses(path.read_text("utf-8")))} == {}


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("from importlib.abc import Traversable", "importlib.abc.Traversable"),
        ("import importlib.abc\nx: importlib.abc.Traversable", "importlib.abc.Traversable"),
        ("import importlib.abc as abc\nx: abc.Traversable", "importlib.abc.Traversable"),
        ("from importlib import abc\nx: abc.Traversable", "importlib.abc.Traversable"),
        ("import distutils.version", "distutils.version"),
        ("import datetime as dt\ndt.datetime.utcnow()", "datetime.datetime.utcnow"),
        ("from datetime import datetime\ndatetime.utcnow()", "datetime.datetime.utcnow"),
        ("import ast\nisinstance(node, ast.Str)", "ast.Str"),
    ],
)
def test_what_is_gone_is_recognised(code: str, name: str) -> None:
    assert uses(code) == {name}
