"""Starts the runners: one process for each tool, which is handed one collection after the other."""

import json
import os
import subprocess
import tempfile
import threading
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from live.environments import missing, python_of
from live.tools import Tool

HERE = Path(__file__).parent
PATIENCE = 240
"""seconds; ranx compiles itself when it is called for the first time"""


class Runner:
    """A tool in a process of its own."""

    def __init__(self, tool: Tool) -> None:
        """Start the process in the tool's environment.

        Raises:
            LookupError: the environment is not there; with what makes it.

        """
        if reason := missing(tool.environment):
            raise LookupError(reason)
        self._tool = tool
        self._said = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the runner
        self._process = subprocess.Popen(
            [python_of(tool.environment), "-X", "utf8", HERE / tool.script],
            env=os.environ | {"NUMBA_OPT": "0"},  # small collections: compiling takes longer than anything else
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._said,
            text=True,
            encoding="utf-8",
        )

    def __enter__(self) -> Self:
        """The runner itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the process: there are no more lines."""
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()
        self._said.close()

    def answer(self, collection: Mapping[str, Any], how: str) -> dict[str, dict[str, Any]]:
        """What the tool gives for a collection: `{measure: {query: value}}`, or `{measure: {"error": text}}`.

        Raises:
            RuntimeError: the process has ended; with the last that it said.

        """
        watch = threading.Timer(PATIENCE, self._process.kill)
        watch.start()
        self._process.stdin.write(json.dumps({**collection, "how": how}) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        watch.cancel()
        if not line:
            self._said.seek(0)
            last = self._said.read().decode(errors="replace")[-2000:]
            raise RuntimeError(f"the runner of {self._tool.name} ended, or was ended, at {collection}:\n{last}")
        return json.loads(line)
