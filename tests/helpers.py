"""What tests of several subjects need: the command in this process, its JSON and refusals, calls without warnings."""

import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import rankworth as rw
from rankworth import cli

Answer = tuple[int, str, str]
"""Exit status, standard output, standard error."""
Command = Callable[..., Answer]
"""Runs a command."""


def command_of(capture: pytest.CaptureFixture[bytes], *beginning: str) -> Command:
    """Return the command in this process, whose output a fixture of pytest captures.

    Args:
        capture: the fixture.
        *beginning: the words that all calls begin with.

    """

    def run(*arguments: str) -> Answer:
        capture.readouterr()
        status = cli.main((*beginning, *arguments))
        out, err = capture.readouterr()
        return status, out.decode(), err.decode()

    return run


def json_of(command: Command) -> Callable[..., dict[str, Any]]:
    """Return the command that gives its JSON, and nothing on standard error."""

    def run(*arguments: str) -> dict[str, Any]:
        status, out, err = command(*arguments, "-f", "json", "--quiet")
        assert (status, err) == (0, "")
        record: dict[str, Any] = json.loads(out)
        return record

    return run


def refused(command: Command, *arguments: str) -> str:
    """Return what the command says where it fails, without a traceback; no file is written."""
    before = {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()}
    status, out, err = command(*arguments)
    assert (status, out) == (2, "")
    assert {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()} == before
    assert "Traceback" not in err
    return err


def raises(call: Callable[[], object], slug: str, text: str) -> None:
    """Check that a call is refused by this kind of error, with this text in its message or its remedy."""
    with pytest.raises(rw.RankworthError) as caught:
        call()
    assert caught.value.slug == slug
    assert text in str(caught.value)


def quietly(function: Callable[..., Any], *arguments: Any, **settings: Any) -> Any:
    """Return what a function gives, whatever it warns of."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rw.RankworthWarning)
        return function(*arguments, **settings)


def scores_of(run: rw.Run) -> dict[str, dict[str, float]]:
    """Return the score of each document by query."""
    scores: dict[str, dict[str, float]] = {}
    for row in run.to_frame().rows(named=True):
        scores.setdefault(row["query"], {})[row["document"]] = row["score"]
    return scores
