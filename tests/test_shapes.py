"""Whatever a message proposes for a shape of file that people bring ends in the right number, or in another message."""

import re
import shlex
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from remedies import Command
from shapes import AP, SHAPES, Shape
from shapes_of_trades import MORE

PAGE: Final = Path(__file__).parent.parent / "docs" / "howto" / "your-file.md"
EVERY: Final = {**SHAPES, **MORE}
MOST: Final = 4
"""how many messages may follow each other before an end"""
UNTRUE: Final = ("if these are TREC's lines all the same", "if each cell is one id")
"""what no user of these shapes would take for true"""
TEXT: Final = re.compile(r"awk '[^'\n]+' \S+ > (\S+)")
"""a command of the shell that writes the file anew"""
TWICE: Final = re.compile(r"rankworth evaluate (\S+) \1")
"""a command for a file that holds judgements and results"""
OF_WARNING: Final = re.compile(r"(?m)^warning: .*?(: --[^\n]*?)   \[[\w-]+\]$")
"""what a warning proposes behind a colon, of a number that is worth nothing"""


class End(NamedTuple):
    """Where a way ends."""

    command: Command
    value: float | None
    message: str
    steps: int


def started(shape: Shape, folder: Path) -> Command:
    """Write the files of a shape, and return what is typed first."""
    for name, text in shape.files.items():
        (folder / name).write_text(text, encoding="utf-8", newline="")
    return Command(tuple(shlex.split(shape.line)))


def proposed(command: Command, message: str, shape: Shape) -> Iterator[Command]:
    """Each way that a message proposes, with what the user knows in the place of what is asked."""
    for asked, answer in shape.answers.items():
        message = message.replace(asked, answer)
    first, *others = message.splitlines() or [""]
    untrue = (*UNTRUE, *(("if none holds grades",) if shape.right != AP else ()), *shape.untrue)
    others = [line for line in others if "NAME" not in line and not line.strip().startswith(untrue)]
    for text in TEXT.finditer("\n".join(others)):
        subprocess.run(["sh", "-c", text[0]], check=True)
        old = shlex.split(text[0])[-3]
        yield replace(command, typed=tuple(text[1] if word == old else word for word in command.typed))
    for file in TWICE.findall("\n".join(others)):
        at = command.typed.index(file)
        yield replace(command, typed=(*command.typed[:at], file, *command.typed[at:]))
    for ways in command.proposals("\n".join([first, *others])):
        yield ways[0]


def ends(command: Command, shape: Shape, seen: tuple[str, ...] = ()) -> Iterator[End]:
    """Follow what messages propose until it ends: in a number, or in a message that proposes nothing new."""
    value, message = command.outcome()
    if value is not None:
        found = OF_WARNING.search(message)
        if found is None or seen:
            yield End(command, value, message, len(seen))
            return
        message = f"warning\n  {found[1]}"
    ways = list(proposed(command, message, shape)) if message not in seen and len(seen) < MOST else []
    if not ways:
        yield End(command, None, message, len(seen))
    for way in ways:
        yield from ends(way, shape, (*seen, message))


def is_right(end: End, shape: Shape) -> bool:
    """Return whether a number is the right one."""
    return end.value is not None and shape.right is not None and end.value == pytest.approx(shape.right, abs=1e-9)


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in an empty folder."""
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("name", EVERY)
def test_a_shape_ends_in_the_right_number_or_in_a_message(name: str, tmp_path: Path) -> None:
    shape = EVERY[name]
    found = list(ends(started(shape, tmp_path), shape))
    wrong = [f"{end.value} by {end.command}" for end in found if end.value is not None and not is_right(end, shape)]
    assert wrong == []
    if shape.right is not None:
        assert any(is_right(end, shape) for end in found), [f"{end.command}\n{end.message}" for end in found]
    for end in found:
        assert "Traceback" not in end.message
    if shape.group:  # the page is written by scripts/shapes-page
        assert str(next(end.command for end in found if is_right(end, shape))) in PAGE.read_text("utf-8").splitlines()
