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

SHARE = 3
"""of the examples that a test asks for, the profile `commit` makes one in so many"""
PROFILE = "HYPOTHESIS_PROFILE"
"""environment variable with the name of a profile, which `scripts/test --thorough` sets"""
UNTIMED = settings(deadline=None, phases=set(Phase) - {Phase.explain})  # machines are shared, no test is about time
settings.register_profile("thorough", UNTIMED, derandomize=False, max_examples=100)
settings.register_profile("commit", UNTIMED, derandomize=True, max_examples=ceil(100 / SHARE))
settings.load_profile(os.environ.get(PROFILE, "commit"))

VARIABLE = "RANKWORTH_SHARED"
ABSENT = "needs the shared data folder"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Divide the numbers of examples that tests ask for themselves, where the profile is `commit`.

    What a test calls within itself stays as it is: it may count its examples.
    """
    if settings.default is not settings.get_profile("commit"):
        return
    attribute = "_hypothesis_internal_use_settings"
    methods = [getattr(item, "obj", None) for item in items]
    for function in {getattr(method, "__func__", method) for method in methods}:
        asked = getattr(function, attribute, None)
        if asked and asked.max_examples != settings.default.max_examples:
            setattr(function, attribute, settings(asked, max_examples=ceil(asked.max_examples / SHARE)))


@pytest.fixture(scope="session")
def shared() -> Path:
    """Give the folder of collections with other tools' output, which belong to others and stay outside.

    A checkout without it skips the tests that need it, and the summary counts them; a folder that was named but is not
    there, or that lacks a file, is an error.
    """
    named = os.environ.get(VARIABLE)
    folder = Path(named) if named else Path(__file__).resolve().parents[2] / "shared" / "data"
    if not folder.is_dir():
        if named:
            pytest.fail(f"{VARIABLE}={named} is no folder", pytrace=False)
        pytest.skip(f"{ABSENT}: ../shared/data beside the repository, or {VARIABLE}=FOLDER")
    return folder


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how many numbers were not checked, so that a green run without the data does not pass for a whole one."""
    skipped = terminalreporter.stats.get("skipped", [])
    without = [report for report in skipped if isinstance(report.longrepr, tuple) and ABSENT in report.longrepr[2]]
    if without:
        terminalreporter.write_line(f"{len(without)} tests need the shared data folder, which is not here", yellow=True)


@pytest.fixture(autouse=True)
def closed_figures() -> Iterator[None]:
    """Close the figures that a test leaves open, of which matplotlib warns from the twentieth on."""
    yield
    if (pyplot := sys.modules.get("matplotlib.pyplot")) is not None:
        pyplot.close("all")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Debian's Chromium, which scripts/set-up installs: preferably without windows, which takes a third of the time."""
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
