"""Runs the examples of the README, the documentation and all docstrings as tests, `console` blocks included."""

import gc
import hashlib
import importlib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, chdir, contextmanager, nullcontext, redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from cyclopts import App, ArgumentCollection
from sybil import Document, Example, Region, Sybil
from sybil.document import PythonDocStringDocument
from sybil.parsers.markdown import PythonCodeBlockParser
from sybil.parsers.markdown.lexers import FencedCodeBlockLexer
from sybil.parsers.rest import DocTestParser

import heavy

EXAMPLES = Path(__file__).parent / "docs" / "example"
SURROUNDINGS = (
    *("COLUMNS", "LINES", "TERM", "NO_COLOR", "FORCE_COLOR"),  # how wide and how bold output is
    *("GITHUB_STEP_SUMMARY", "MASTER", "RANKWORTH_TRUST"),  # where gates write, where Spark runs, whose plugins run
    "PYTHONDONTWRITEBYTECODE",  # hundreds of processes import the same, which only the first one is to compile
    "PYTHONUNBUFFERED",  # with it, nothing is left to be written as a process ends
)
"""variables that a command heeds; a test that is about one of them sets it itself"""
TEMPORARY = os.path.realpath(tempfile.gettempdir())
PYTHON = shlex.quote(sys.executable)
PROGRAM = f"{PYTHON} -m rankworth"


def pytest_sessionstart() -> None:
    """Let tests come out alike wherever they are started: on a terminal of any width, in a job, without either."""
    for name in SURROUNDINGS:
        os.environ.pop(name, None)
    os.environ["SPARK_CONF_DIR"] = str(Path(__file__).parent / "tests" / "data" / "spark")
    declare_options_once()


def declare_options_once() -> None:
    """Keep the options that Cyclopts makes of annotations, which it does at each call and which takes most of many."""
    declared, made = App.assemble_argument_collection, {}

    def copied(app: App, **settings: bool) -> ArgumentCollection:
        key = (id(app), repr(app.app_stack.default_parameter), *settings.items())  # a parent may have its own
        if key not in made:
            made[key] = declared(app, **settings)
        fresh = made[key].copy(reset_tokens=True)
        twins = {id(before): after for before, after in zip(made[key], fresh, strict=True)}
        for option in fresh:
            option.children = ArgumentCollection(twins[id(child)] for child in option.children)
        return fresh

    App.assemble_argument_collection = copied


@contextmanager
def restored() -> Iterator[None]:
    """Take back what is registered meanwhile, so that what runs afterwards does not depend on it.

    That is measures, the provider of ir_measures, modules out of temporary folders and where they are looked for, and
    the environment.
    """
    measures = importlib.import_module("rankworth.measures")
    catalogues = [(each, dict(each)) for each in (measures.CATALOGUE, measures.FACTS, measures.ITEM_MEASURES)]
    modules, paths, environment = set(sys.modules), list(sys.path), dict(os.environ)
    yield
    for catalogue, before in catalogues:
        if catalogue != before:
            catalogue.clear()
            catalogue.update(before)
    if (ir_measures := sys.modules.get("ir_measures")) is not None:
        providers = ir_measures.DefaultPipeline.providers
        providers[:] = [provider for provider in providers if not type(provider).__module__.startswith("rankworth")]
    for name in sys.modules.keys() - modules:
        if str(getattr(sys.modules[name], "__file__", None) or "").startswith(TEMPORARY):
            del sys.modules[name]
    sys.path[:] = paths
    if dict(os.environ) != environment:
        os.environ.clear()
        os.environ.update(environment)


@pytest.fixture(autouse=True)
def nothing_left_registered(request: pytest.FixtureRequest) -> Iterator[None]:
    """Take back what a test registers; what a page does stays until its end."""
    with restored() if isinstance(request.node, pytest.Function) else nullcontext():
        yield


LONGEST = (
    *("spark", "live", "explorer_page", "corpus", "explanation_laws", "lowest_versions"),
    *("bad_input", "convert", "cli", "measure_laws"),
)
"""groups of tests that take half a minute or more, which begin first"""


def group(nodeid: str) -> str:
    """The tests that run in one process: those of a file, all with Spark, so that Java starts once, and all of ranx."""
    file = nodeid.partition("::")[0].replace("tests/parity/test_peers", "tests/test_live")
    on_spark = "spark" in nodeid.partition("[")[0] or file in ("tests/test_engines_agree.py", "docs/clusters.md")
    return "spark" if on_spark else file.removeprefix("tests/test_").removesuffix(".py")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add what finds tests that depend on the order in which they run."""
    parser.addoption("--shuffle", type=int, metavar="SEED", help="run files in random order, and tests within them")
    parser.addoption("--heavy", action="store_true", help="run groups of tests/heavy.toml in which nothing has changed")


def unchanged(config: pytest.Config) -> list[heavy.Group]:
    """The heavy groups that this run leaves out: it runs everything, and nothing has changed since they passed."""
    is_whole = config.args_source is pytest.Config.ArgsSource.TESTPATHS
    everything = config.getoption("--heavy") or os.environ.get("HYPOTHESIS_PROFILE") == "thorough"
    return heavy.left_out(everything=everything) if is_whole else []


def pytest_collection_modifyitems(items: list[pytest.Item], config: pytest.Config) -> None:
    """Begin with what takes long; or shuffle files and the tests of each, but no examples: they lean on those above."""
    absent = unchanged(config)
    deselected = [item for item in items if any(group.holds(item.nodeid) for group in absent)]
    if deselected:
        config.hook.pytest_deselected(items=deselected)
        items[:] = [item for item in items if item not in set(deselected)]
    groups = {item: group(item.nodeid) for item in items}
    seed = config.getoption("--shuffle")
    if seed is None:
        items.sort(key=lambda item: LONGEST.index(groups[item]) if groups[item] in LONGEST else len(LONGEST))
        return
    places = shuffled(items, seed)
    items.sort(key=lambda item: places[item])


def shuffled(items: list[pytest.Item], seed: int) -> dict[pytest.Item, tuple[str, str]]:
    """Return what items are sorted by: by a digest of their file, and in a file of tests by one of their name."""

    def digest(name: str) -> str:
        return hashlib.sha256(f"{seed} {name}".encode()).hexdigest()

    return {
        item: (digest(str(item.path)), digest(item.nodeid) if isinstance(item, pytest.Function) else "")
        for item in items
    }


def pytest_collection_finish() -> None:
    """Leave thousands of tests, which stay to the end, out of what is looked through for garbage again and again."""
    gc.collect()
    gc.freeze()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Show in which files tests took longest, without what fixtures took; reports of other processes are there, too."""
    for absent in unchanged(config):
        sentence = f"{absent.name}: not run: nothing has changed since its tests passed, which start {absent.starts}"
        terminalreporter.write_line(f"{sentence} (--heavy runs them)", yellow=True)
    seconds: Counter[str] = Counter()
    for reports in terminalreporter.stats.values():
        for report in reports:
            if isinstance(report, pytest.TestReport) and report.when == "call":
                seconds[report.nodeid.partition("::")[0]] += report.duration
    if seconds:
        terminalreporter.write_sep("=", "slowest files, seconds in tests")
        for file, duration in seconds.most_common(10):
            terminalreporter.write_line(f"{duration:8.1f}  {file}")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object:
    """Hand out groups; xdist's own would need marks, which have no effect on the ids of pytest 9.2."""
    scheduling = importlib.import_module("xdist.scheduler").LoadFileScheduling
    return type("Grouped", (scheduling,), {"_split_scope": staticmethod(group)})(config, log)


class ConsoleParser:
    """Blocks of `$ command` lines, each followed by what it must print; a last line `...` stands for the rest.

    `pip` is taken to have done its part.
    """

    def __call__(self, document: Document) -> Iterator[Region]:
        """Find the blocks."""
        for region in FencedCodeBlockLexer("console")(document):
            yield Region(region.start, region.end, region.lexemes["source"], self.evaluate)

    def evaluate(self, example: Example) -> str | None:
        """Run each command among the example files and compare what it prints, on both channels."""
        for command, expected in commands(example.parsed):
            _, _, rest = command.partition(" && ") if command.startswith("pip ") else ("", "", command)
            if not rest:
                continue
            printed = run(rest)
            beginning, dots, _ = expected.partition("\n...\n")
            if not (printed.startswith(f"{beginning}\n") if dots else printed.rstrip() == expected.rstrip()):
                return f"$ {command}\nexpected:\n{expected}\nprinted:\n{printed}"
        return None


def commands(block: str) -> Iterator[tuple[str, str]]:
    """Each command of a block with its output."""
    for part in re.split(r"(?m)^\$ ", block)[1:]:
        command, _, expected = part.partition("\n")
        yield command, expected


def run(command: str) -> str:
    """What a shell prints, with the command line of this checkout and an 80 column terminal.

    What asks nothing of a shell but to leave out messages runs in this process; not so where measures are registered.
    """
    settings = {"COLUMNS": "80", "NO_COLOR": "1", "LC_COLLATE": "C"}  # and files in the order of their bytes
    line = command.removesuffix(" 2>/dev/null")
    unquoted = re.sub(r"'[^']*'|\"[^\"$`]*\"", "''", line)
    apart = "plugin" in line or Path("pyproject.toml").exists()
    if line.startswith("rankworth ") and not apart and not re.search(r"[^\w\s./,:=@%+'-]", unquoted):
        return called(shlex.split(line)[1:], settings, silent=line != command)
    command = re.sub(r"\brankworth (?=[a-z-])", f"{PROGRAM} ", command)
    return subprocess.run(
        ["bash", "-c", re.sub(r"\bpython3 (?=-)", f"{PYTHON} ", command)],
        env=os.environ | settings,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    ).stdout


def called(words: list[str], settings: dict[str, str], *, silent: bool) -> str:
    """What the program prints on both channels, of which standard output waits until it is flushed, as into a pipe."""
    both = io.BytesIO()
    out = io.TextIOWrapper(io.BufferedWriter(both), "utf-8")
    error = io.TextIOWrapper(io.BytesIO() if silent else both, "utf-8", write_through=True)
    with patch.dict(os.environ, settings), warnings.catch_warnings(), redirect_stdout(out), redirect_stderr(error):
        warnings.simplefilter("default")
        with suppress(SystemExit):
            importlib.import_module("rankworth.cli").main(words)
    out.flush()
    return both.getvalue().decode()


def enter(namespace: dict[str, Any]) -> None:
    """Work in a folder of its own that holds the example files."""
    remember(namespace)
    folder = namespace["_left"].enter_context(tempfile.TemporaryDirectory())
    shutil.copytree(EXAMPLES, folder, dirs_exist_ok=True)
    namespace["_left"].enter_context(chdir(folder))


def remember(namespace: dict[str, Any]) -> None:
    """Remember what is registered."""
    namespace["_left"] = ExitStack()
    namespace["_left"].enter_context(restored())


def leave(namespace: dict[str, Any]) -> None:
    """Go back and leave nothing."""
    namespace["_left"].close()


class Docstrings(PythonDocStringDocument):
    """The docstrings of a module, which is parsed only where it has an example."""

    @staticmethod
    def extract_docstrings(python_source_code: str) -> Iterator[tuple[int, int, str]]:
        """Each docstring with its place."""
        if ">>> " in python_source_code:
            yield from PythonDocStringDocument.extract_docstrings(python_source_code)


pages = Sybil(
    parsers=[PythonCodeBlockParser(), ConsoleParser()],
    patterns=["README.md", "docs/*.md", "docs/*/*.md", "benchmarks/README.md"],
    setup=enter,
    teardown=leave,
)
docstrings = Sybil(
    parsers=[DocTestParser()],
    patterns=["src/*/*.py", "src/*/*/*.py", "src/*/*/*/*.py"],
    document_types={".py": Docstrings},
    setup=remember,
    teardown=leave,
)
pytest_collect_file = (pages + docstrings).pytest()
