"""What tests of several subjects need: the command in this process, and the scores of a run."""

from collections.abc import Callable

import pytest

import rankworth as rw
from rankworth import cli

Command = Callable[..., tuple[int, str, str]]
"""Runs a command: exit status, standard output, standard error."""


def command_of(capture: pytest.CaptureFixture[bytes]) -> Command:
    """Return the command in this process, whose output a fixture of pytest captures."""

    def run(*arguments: str) -> tuple[int, str, str]:
        capture.readouterr()
        status = cli.main(arguments)
        out, err = capture.readouterr()
        return status, out.decode(), err.decode()

    return run


def scores_of(run: rw.Run) -> dict[str, dict[str, float]]:
    """Return the score of each document by query."""
    scores: dict[str, dict[str, float]] = {}
    for row in run.to_frame().rows(named=True):
        scores.setdefault(row["query"], {})[row["document"]] = row["score"]
    return scores
