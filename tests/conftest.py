"""What tests share: how many examples Hypothesis makes, and where the data of other tools lies, which may be absent."""

import importlib
import os
import shutil
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from math import ceil
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import Phase, settings

from thorough import PROFILE, SHARE, is_thorough

UNTIMED = settings(deadline=None, phases=set(Phase) - {Phase.explain})  # machines are shared, no test is about time
settings.register_profile("thorough", UNTIMED, derandomize=False, max_examples=100)
for name in ("commit", "quick"):
    settings.register_profile(name, UNTIMED, derandomize=True, max_examples=ceil(100 / SHARE))
settings.load_profile(PROFILE)

OTHERS = Path(__file__).parent / "collections_of_others"
"""tests that read the collections of others, which are not in this repository; `scripts/test --thorough` runs them"""


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave the collections of others to the thorough run, and to those who name their folder."""
    is_named = any(OTHERS.name in argument for argument in config.args)
    return True if collection_path == OTHERS and not is_named and not is_thorough() else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Divide the numbers of examples that tests ask for themselves, where the run is not thorough.

    What a test calls within itself stays as it is: it may count its examples.
    """
    if is_thorough():
        return
    attribute = "_hypothesis_internal_use_settings"
    methods = [getattr(item, "obj", None) for item in items]
    for function in {getattr(method, "__func__", method) for method in methods}:
        asked = getattr(function, attribute, None)
        if asked and asked.max_examples != settings.default.max_examples:
            setattr(function, attribute, settings(asked, max_examples=ceil(asked.max_examples / SHARE)))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Say how many tests wait for the thorough run, and how many of them missed their data there."""
    if is_thorough():
        skipped = terminalreporter.stats.get("skipped", [])
        number = sum(OTHERS.name in report.nodeid for report in skipped)
        sentence = "tests need ../shared/data with the collections of others, which is not here"
    else:
        number = sum(path.read_text("utf-8").count("\ndef test_") for path in OTHERS.glob("test_*.py"))
        number *= config.args_source is pytest.Config.ArgsSource.TESTPATHS
        sentence = "tests with collections of others are left to scripts/test --thorough"
    if number:
        terminalreporter.write_line(f"{number} {sentence}", yellow=True)


@pytest.fixture(autouse=True)
def closed_figures() -> Iterator[None]:
    """Close the figures that a test leaves open, of which matplotlib warns from the twentieth on."""
    yield
    if (pyplot := sys.modules.get("matplotlib.pyplot")) is not None:
        pyplot.close("all")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Debian's Chromium, which scripts/set-up --apt installs: best without windows, in a third of the time."""
    playwright = importlib.import_module("playwright.sync_api")
    path = shutil.which("chromium-headless-shell") or shutil.which("chromium")
    assert path, "there is no Chromium; on Debian: apt-get install chromium-headless-shell"
    playwright.expect.set_options(timeout=60_000)  # a slow machine is no failure
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def ranx_runner() -> Iterator[Any]:
    """Ranx in a process of its own, which compiles itself for all tests of this one."""
    runners, tools = importlib.import_module("live.runners"), importlib.import_module("live.tools")
    [tool] = [tool for tool in tools.TOOLS if tool.name == "ranx"]
    with runners.Runner(tool) as runner:
        yield runner


def free_port() -> int:
    """A port that nobody listens to."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


@contextmanager
def small_spark(folder: Path) -> Iterator[Any]:
    """Start Spark on this machine, small; a Java runtime has to be there, which scripts/set-up sees to."""
    os.environ |= {"PYSPARK_PYTHON": sys.executable, "SPARK_CONF_DIR": str(Path(__file__).parent / "data" / "spark")}
    sql = importlib.import_module("pyspark.sql")
    settings = {
        "spark.driver.memory": "1g",
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.local.dir": str(folder),
        "spark.sql.execution.pyspark.udf.faulthandler.enabled": "false",
        "spark.python.daemon.module": "spark_daemon",
        "spark.plugins": "org.apache.spark.sql.connect.SparkConnectPlugin",
        "spark.connect.grpc.binding.port": str(free_port()),
    }
    builder = sql.SparkSession.builder.master("local[2]").appName("rankworth tests")
    for name, value in settings.items():
        builder = builder.config(name, value)
    paths = f"{Path(__file__).parent}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
    with patch.dict(os.environ, PYTHONPATH=paths):
        session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Give one small Spark to all tests of a process."""
    with small_spark(tmp_path_factory.mktemp("spark")) as session:
        yield session
