"""Whatever a message proposes leads on: to a number, or to a message that was not there before; by either door."""

import re
import shlex
from pathlib import Path
from typing import Final

import pytest

from rankworth.errors import RankworthError, in_python, on_command_line
from refusals import cells, circumstances, refusal
from remedies import NUMBER, Call, Command, Try, dead_ends, messages
from remedy_cases import COMMANDS, FILES, calls

TYPED: Final = re.compile(r"(?<![\w-])--[a-z]")
"""an option, which no message in Python names"""
PYTHON: Final = re.compile(
    r"in Python|\brankworth\.\w+\(|\b(?:Run|Qrels)\(|\b[a-z_]+=(?:['\"\[]|\{(?!file\})|True|None)"
)
"""a keyword with its value or a call, which no message of the command line names"""


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in an empty folder."""
    monkeypatch.chdir(tmp_path)


def of_files(name: str) -> list[Try]:
    """The files of a case, and how each door is told to evaluate them."""
    files, qrels, run = FILES[name]
    for path, text in files.items():
        Path(path).write_text(text, encoding="utf-8")
    return [Command(("evaluate", qrels, run, "-m", "RR")), Call(qrels, run)]


def remedy_of(message: str) -> str:
    """The lines of a message that say what to do; `make_comparable` is a word of ranx."""
    return "\n".join(line for line in message.split("\n") if line.startswith("  ") and "make_comparable" not in line)


def of_command(name: str) -> Command:
    """The files of a case, and what the user typed."""
    files, line = COMMANDS[name]
    for path, text in files.items():
        Path(path).write_text(text, encoding="utf-8")
    return Command(tuple(shlex.split(line)))


@pytest.mark.parametrize("name", FILES)
def test_what_is_proposed_for_a_file_leads_on(name: str) -> None:
    for first in of_files(name):
        assert list(dead_ends(first)) == []


@pytest.mark.parametrize("name", COMMANDS)
def test_what_is_proposed_for_a_command_leads_on(name: str) -> None:
    assert list(dead_ends(of_command(name))) == []


@pytest.mark.parametrize("name", calls())
def test_what_is_proposed_for_a_call_leads_on(name: str) -> None:
    qrels, run, settings = calls()[name]
    assert list(dead_ends(Call(qrels, run, settings))) == []


@pytest.mark.parametrize("name", [*FILES, *COMMANDS, *calls()])
def test_a_door_gives_no_remedy_of_the_other(name: str) -> None:
    ways = of_files(name) if name in FILES else [of_command(name)] if name in COMMANDS else [Call(*calls()[name])]
    for first in ways:
        for message in messages(first):
            other = PYTHON if isinstance(first, Command) else TYPED
            assert not other.search(remedy_of(message)), message


def test_no_bad_input_is_answered_with_a_remedy_of_the_other_door(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = []
    for number, (_, fault, reader, one) in enumerate(cells()):
        folder = tmp_path / str(number)
        folder.mkdir()
        monkeypatch.chdir(folder)
        with circumstances():
            error = refusal(reader, one)
        if TYPED.search(remedy_of(str(error))):
            wrong.append((fault, reader, str(error)))
        if not callable(one.given) and PYTHON.search(remedy_of(error.typed)):
            wrong.append((fault, reader, error.typed))
    assert wrong == []


TABLE: Final = "Qrels('a b (1).csv', columns={'query': '1'})"
BOTH: Final = {
    'leave them out: --answered-only (missing="skip")': (
        "leave them out: --answered-only",
        'leave them out: missing="skip"',
    ),
    "say --blank zero, in Python blank='zero'; or not": ("say --blank zero; or not", "say blank='zero'; or not"),
    f"read it: --qrels-columns query=1\nin Python {TABLE}\nor": (
        "read it: --qrels-columns query=1\nor",
        f"read it: {TABLE}\nor",
    ),
    "name them: {name: run}, on the command line NAME=FILE": ("name them: NAME=FILE", "name them: {name: run}"),
    "all: rankworth profiles, in Python rankworth.PROFILES": ("all: rankworth profiles", "all: rankworth.PROFILES"),
    "nothing of the kind (but a bracket)": ("nothing of the kind (but a bracket)",) * 2,
}
"""a remedy for both, and what the command line and Python say"""


@pytest.mark.parametrize("text", BOTH)
def test_a_remedy_for_both_doors_is_worded_for_each(text: str) -> None:
    typed, python = BOTH[text]
    assert (in_python(text), on_command_line(text)) == (python, typed)
    error = RankworthError("input-type", "x", remedy=text)
    assert str(error).splitlines()[1:] == [f"  {line}" for line in python.splitlines()]
    assert error.typed.splitlines()[1:] == [f"  {line}" for line in typed.splitlines()]


# The law itself


class Circle:
    """A door whose message proposes what changes nothing."""

    def __init__(self, options: int = 0) -> None:
        """Begin with no option."""
        self.options = options

    def answer(self) -> str:
        """Say the same, whatever is typed."""
        return "wrong\n  --order given"

    def proposals(self, _: str) -> list[list["Circle"]]:
        """Propose one thing."""
        return [[Circle(self.options + 1)]]


def test_a_circle_is_found() -> None:
    assert len(list(dead_ends(Circle()))) == 1  # type: ignore[arg-type]


def test_proposals_are_read_as_users_read_them() -> None:
    first = Command(("evaluate", "q", "r"), (("--columns", ("query=user",)),))
    [[way], [other]] = first.proposals("wrong\n  did you mean --columns 'document=an id' score=? or --order given.\n")
    assert way.options == (("--columns", ("query=user", "document=an id", "score=")),)
    assert other.options == (("--columns", ("query=user",)), ("--order", ("given",)))
    assert list(first.proposals("wrong\n  --columns document=PATH\n  --split NAME chooses one\n")) == []
    named = "no document column; the columns are a b   [frame-columns]\n  say which it is: --columns document=NAME"
    [ways] = first.proposals(named)
    assert [dict(way.options)["--columns"][-1] for way in ways] == ["document=a", "document=b"]
    call = Call("q", "r", {"columns": {"query": "user"}})
    [[made], [kept]] = call.proposals("wrong\n  Run('r', format='tsv')\n  columns={'score': ''} or so\n")
    assert made.run.format == "tsv"
    assert kept.settings == {"columns": {"query": "user", "score": ""}}


def test_a_number_ends_the_way() -> None:
    Path("q.txt").write_text("q1 0 d1 1\n")
    Path("a.run").write_text("q1 Q0 d1 1 1 t\n")
    assert Command(("evaluate", "q.txt", "a.run", "-m", "RR")).answer() == NUMBER
    assert Call("q.txt", "a.run").answer() == NUMBER
