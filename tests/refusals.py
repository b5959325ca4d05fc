"""What is said of the bad inputs: each is given to its reader, and the messages are put on one page."""

import errno
import os
import re
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest

import rankworth as rw
from bad_inputs import GOOD, MATRIX, NAMES, QRELS, RUN, Cell
from rankworth.io import delimited, jsonl, trec

HEAD: Final = """What rankworth says of bad inputs. Under each fault stand the readers in which it can occur, with the
file after `>` where that is short, and the message. Written by scripts/refusals, compared by tests/test_refusals.py;
to be read by a human eye: would you know what to do?
"""
SHORT: Final = 300


def cells() -> Iterator[tuple[str, str, str, Cell]]:
    """Each chapter, fault and reader with what it is given."""
    for chapter, faults in MATRIX.items():
        for fault, readers in faults.items():
            for reader, given in readers.items():
                yield chapter, fault, reader, given if isinstance(given, Cell) else Cell(given)


def name_of(reader: str, given: Cell) -> str:
    """How the file of a cell is called."""
    side, _, form = reader.partition(", ")
    return given.name or NAMES[form][side != "run"]


@contextmanager
def circumstances() -> Iterator[None]:
    """Lines of more than one MiB are too long, and nobody may read a file that is called `locked`."""
    unlocked = Path.open

    def locked(path: Path, *arguments: Any, **options: Any) -> Any:
        if path.name == "locked" and options.get("buffering") == 0:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        return unlocked(path, *arguments, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Path, "open", locked)
        for room in (trec, delimited, jsonl):
            patch.setattr(room, "CHUNK", 1 << 16)
            patch.setattr(room, "LONGEST", 1 << 20)
        yield


def given(reader: str, one: Cell) -> Any:
    """What is to be handed over, made in this folder."""
    if callable(one.given):
        return one.given()
    path = Path(name_of(reader, one))
    path.write_bytes(one.given if isinstance(one.given, bytes) else one.given.encode())
    return str(path)


def evaluate(reader: str, one: Cell, what: Any) -> None:
    """Evaluate what is given as a run or as judgements, beside good ones."""
    if reader.startswith("run"):
        rw.evaluate(QRELS, rw.Run(what, **one.options) if one.options else what, ["RR"])
    else:
        rw.evaluate(rw.Qrels(what, **one.options) if one.options else what, RUN, ["RR"])


def refusal(reader: str, one: Cell) -> rw.RankworthError:
    """The error that evaluating gives, in this folder.

    Raises:
        AssertionError: where there is none.

    """
    with circumstances():
        try:
            evaluate(reader, one, given(reader, one))
        except rw.RankworthError as error:
            return error
    message = f"{reader}: this was read"
    raise AssertionError(message)


def said_of(error: rw.RankworthError, one: Cell) -> str:
    """The message, without the reason that another library gives, which each version words anew."""
    return re.sub(r" \(.*\)(?=   \[)", " (...)", error.typed) if one.foreign else error.typed


def heading(reader: str, one: Cell) -> str:
    """The reader, with what a user says of the file."""
    options = ", ".join(f"{name}={value!r}" for name, value in one.options.items())
    return f"{reader} ({options})" if options else reader


def shown(one: Cell) -> list[str]:
    """What stands in a text file, if that is short."""
    if not isinstance(one.given, str) or one.given in GOOD.values() or len(one.given) > SHORT:
        return []
    return [f"    > {line}" for line in one.given.encode("unicode_escape").decode().split("\\n") if line]


def page() -> str:
    """All messages, as they are printed, under what was wrong and who read it."""
    parts = [HEAD]
    last = ("", "")
    home = Path.cwd()
    for chapter, fault, reader, one in cells():
        parts += [f"\n# {chapter}\n"] if chapter != last[0] else []
        parts += [f"\n## {fault}\n"] if fault != last[1] else []
        last = (chapter, fault)
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            os.chdir(folder)
            try:
                error = refusal(reader, one)
            finally:
                os.chdir(home)
        text = [f"    {line}" for line in said_of(error, one).split("\n")]
        parts += ["\n" + "\n".join([heading(reader, one), *shown(one), *text]) + "\n"]
    return "".join(parts)
