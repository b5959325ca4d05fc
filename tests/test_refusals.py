"""The matrix of bad inputs: every message as it is stored, and nothing but a message.

`tests/data/refusals.txt` holds the messages; `scripts/refusals` writes it.
"""

import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import polars as pl
import pytest

import rankworth as rw
from bad_inputs import MATRIX, QRELS, Cell, text
from rankworth import cli
from rankworth.errors import InputError, UsageError, slugs
from rankworth.io import delimited, jsonl, trec
from refusals import HEAD, cells, circumstances, evaluate, given, heading, name_of, refusal, said_of

ROOT: Final = Path(__file__).parent.parent
STORED: Final = (ROOT / "tests" / "data" / "refusals.txt").read_text(encoding="utf-8")
CELLS: Final = {f"{fault}: {reader}": (reader, one) for _, fault, reader, one in cells()}
ON_DISK: Final = {
    name: (reader, one)
    for name, (reader, one) in CELLS.items()
    if not callable(one.given) and one.name != "locked" and set(one.options) <= {"format"}
}
"""files of which the command line can be told the same"""


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in an empty folder, so that messages name files without one."""
    monkeypatch.chdir(tmp_path)


def stored() -> dict[str, str]:
    """The message of each cell."""
    found = {}
    fault = ""
    for block in STORED.split("\n\n"):
        if block.startswith("## "):
            fault = block[3:]
        elif block.startswith("#") or not fault:
            continue
        else:
            heading, *rest = block.rstrip("\n").split("\n")
            found[f"{fault}: {heading}"] = "\n".join(line[4:] for line in rest if not line.startswith("    > "))
    return found


MESSAGES: Final = stored()


def test_there_are_many_faults_in_many_readers() -> None:
    faults = [fault for chapter in MATRIX.values() for fault in chapter]
    assert len(set(faults)) == len(faults) >= 100
    assert len(CELLS) >= 400
    readers = {reader.partition(", ")[2] for reader, _ in CELLS.values()}
    formats = {"trec", "csv", "tsv", "msmarco", "jsonl", "json", "_rank_eval", "parquet", "arrow", "arrow stream"}
    assert formats | {"Polars", "Polars lazily", "pandas", "PyArrow", "DuckDB", "NumPy", "dict", "rows"} < readers


def test_what_is_stored_are_the_messages_of_all_cells_and_no_others() -> None:
    assert STORED.startswith(HEAD)
    assert list(MESSAGES) == [f"{fault}: {heading(reader, one)}" for _, fault, reader, one in cells()]


@pytest.mark.parametrize("name", CELLS)
def test_a_bad_input_is_refused_in_the_words_that_are_stored_and_stays_as_it_is(name: str) -> None:
    reader, one = CELLS[name]
    with circumstances():
        what = given(reader, one)
        before, seen = contents(), _look(what)
        with pytest.raises((InputError, UsageError)) as caught:
            evaluate(reader, one, what)
    assert said_of(caught.value, one) == MESSAGES[f"{name.partition(':')[0]}: {heading(reader, one)}"]
    assert set(caught.value.slugs) <= set(slugs())
    assert contents() == before
    assert _look(what) == seen


@pytest.mark.parametrize("name", CELLS)
def test_a_message_says_where_and_is_short(name: str) -> None:
    reader, one = CELLS[name]
    message = MESSAGES[f"{name.partition(':')[0]}: {heading(reader, one)}"]
    problem, *rest = message.split("\n")
    assert re.search(r"(?m)   \[[a-z-]+\]$", message)
    assert len(problem) < 250
    assert len(rest) < 6
    assert "Traceback" not in message
    if not callable(one.given) and not UNREAD.search(problem) and "no-common" not in problem:
        assert problem.startswith(name_of(reader, one))
    elif not UNREAD.search(problem):
        assert re.match(r"(?:the |no query of |query ')|[\w.*?/'-]+: ", problem)


UNREAD: Final = re.compile(r"there is no |cannot be read as |^columns: |^split=|^\d paths")
"""what is said before anything is read, or of what has no name"""


def test_what_helps_is_said_wherever_it_is_not_plain() -> None:
    slugs = "empty-input|missing-file|is-directory|unreadable-file|unknown-setting"
    plain = re.compile(rf"{slugs}|s are numbers|not a number|there are trec|Expected unique")
    silent = [message for message in MESSAGES.values() if "\n  " not in message]
    assert [message for message in silent if not plain.search(message)] == []
    assert len(silent) < len(MESSAGES) / 4


def contents() -> dict[str, bytes]:
    """All files here."""
    return {str(path): path.read_bytes() for path in Path().rglob("*") if path.is_file()}


def _look(what: Any) -> str:
    """What an object shows of itself; its kind where looking would use it up."""
    return type(what).__name__ if hasattr(what, "__next__") or hasattr(what, "readline") else repr(what)


# The command line


def arguments(reader: str, one: Cell) -> list[str]:
    """How the command line is told the same."""
    side = "run" if reader.startswith("run") else "qrels"
    return [f"--{side}-format={one.options['format']}"] if "format" in one.options else []


@pytest.mark.parametrize("name", ON_DISK)
def test_the_command_line_says_the_same_and_nothing_else(name: str, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    reader, one = ON_DISK[name]
    Path("good.txt").write_text(text("judgements, trec" if reader.startswith("run") else "run, trec"))
    with circumstances():
        bad = given(reader, one)
        files = ["good.txt", bad] if reader.startswith("run") else [bad, "good.txt"]
        before = contents()
        capsysbinary.readouterr()
        status = cli.main(["evaluate", *files, *arguments(reader, one), "-o", "values.csv"])
    out, err = capsysbinary.readouterr()
    assert (status, out) == (2, b"")
    error = refusal(reader, one)
    assert err.decode() == f"error: {error.typed}\n"
    assert contents() == before


@pytest.mark.parametrize("name", ["a score that is text: run, csv", "JSON cut in the middle: run, json"])
def test_a_process_ends_with_2_one_message_and_no_trace(name: str) -> None:
    reader, one = CELLS[name]
    path = given(reader, one)
    Path("good.txt").write_text(text("judgements, trec"))
    Path("values.csv").write_text("old")
    before = contents()
    line = [sys.executable, "-m", "rankworth", "evaluate", "good.txt", path, "-o", "values.csv", "-o", "values.json"]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"error: {MESSAGES[name]}\n")
    assert contents() == before


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("command", [["evaluate", "qrels.txt", "bm25.run", "-f", "csv", "-o"], ["convert", "bm25.run"]])
def test_a_full_disk_is_said(command: list[str]) -> None:
    Path("qrels.txt").write_text(text("judgements, trec"))
    Path("bm25.run").write_text(text("run, trec"))
    before = contents()
    more = ["--to", "csv"] if command[0] == "convert" else []
    line = [sys.executable, "-m", "rankworth", *command, "/dev/full", *more]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == "error: /dev/full: No space left on device   [unwritable-output]\n"
    assert contents() == before


# What helps does help

WAYS_OUT: Final[dict[str, Callable[[], Any]]] = {
    "a table among TREC's lines": lambda: rw.Run(
        _file("a.tsv", "q1\td1\t2.5\tx\n"),
        format="tsv",
        columns={"query": 1, "document": 2, "score": 3},  # type: ignore[dict-item]
    ),
    "a header of MS MARCO's": lambda: rw.Run(_file("a.tsv", text("run, tsv"))),
    "MS MARCO's columns and one more": lambda: rw.Run(
        _file("a.tsv", "q1\td1\t1\t2.5\n"), format="tsv", columns={"query": "1", "document": "2", "score": "4"}
    ),
    "a header above headerless lines": lambda: rw.Run(
        _file("a.tsv", "q\td\tr\nq1\td1\t1\n"), format="tsv", columns={"query": "q", "document": "d", "rank": "r"}
    ),
    "ids with blanks around them, quoted": lambda: rw.Run(
        _file("a.csv", 'query,document,score\nq1,d1,1\nq1," d2",0\n')
    ),
    "quotes, doubled": lambda: rw.Run(_file("a.csv", 'query,document,score\nq1,d1,1\nq1,"5"" tv",0\n')),
    "numbers of texts": lambda: {"q1": {"d1": float("2.5")}},
    "no format said": lambda: rw.Run(_file("a", text("run, trec"))),
    "LF for CR": lambda: rw.Run(_file("a", text("run, trec").replace("\n", "\r").replace("\r", "\n"))),
    "pandas row by row": lambda: rw.Run(
        _file(
            "a.json",
            pl.DataFrame({"query": ["q1"], "document": ["d1"], "score": [1.0]}).to_pandas().to_json(orient="records"),
        )
    ),
}


def _file(name: str, content: str) -> Path:
    Path(name).write_text(content, encoding="utf-8")
    return Path(name)


@pytest.mark.parametrize("way", WAYS_OUT)
def test_what_a_message_advises_works(way: str) -> None:
    assert rw.evaluate(QRELS, WAYS_OUT[way](), ["RR"], queries=["q1"])["RR"] == 1.0


SHELL: Final = {
    "text in UTF-16: run, trec": "utf8.txt",
    "text in UTF-32: run, json": "utf8.txt",
    "text in Latin-1: run, csv": "utf8.txt",
    "lines that end in CR alone: run, trec": "lines.txt",
    "lines that end in CR alone: run, csv": "lines.txt",
    "a document twice: run, trec": "once.txt",
}


@pytest.mark.skipif(sys.platform == "win32", reason="commands of a shell")
@pytest.mark.parametrize("name", SHELL)
def test_a_command_that_a_message_advises_mends_the_file(name: str) -> None:
    reader, one = CELLS[name]
    given(reader, one)
    [command] = re.findall(r"(?m)^.*?\b((?:iconv|tr|awk) .* > \w+\.txt)$", MESSAGES[name])
    subprocess.run(["bash", "-c", command], check=True)
    assert rw.evaluate(QRELS, SHELL[name], ["RR"], queries=["q1"])["RR"] == 1.0


# A line without end

ENDLESS: Final = {
    "trec": (trec, b"q1 Q0 ", "a.run"),
    "csv": (delimited, b'query,document,score\nq1,"', "a.csv"),
    "jsonl": (jsonl, b'{"query": "q1", "document": "d1", "score": 1}\n{"query": "', "a.jsonl"),
}


@pytest.mark.parametrize("form", ENDLESS)
def test_a_line_without_end_is_read_no_further_than_it_may_be_long(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    room, beginning, name = ENDLESS[form]
    monkeypatch.setattr(room, "CHUNK", 1 << 16)
    monkeypatch.setattr(room, "LONGEST", 1 << 20)
    path = tmp_path / name
    written = _endless(path, beginning)
    assert refused_slug(path, form) == "endless-line"
    assert written() < 8 << 20


def _endless(path: Path, beginning: bytes) -> Callable[[], int]:
    """Make a pipe into which letters are written as long as somebody reads; how many there were."""
    os.mkfifo(path)
    count = [0]

    def write() -> None:
        try:
            with path.open("wb", buffering=0) as pipe:
                pipe.write(beginning)
                while True:
                    count[0] += pipe.write(b"x" * (1 << 16))
        except BrokenPipeError:
            pass

    threading.Thread(target=write, daemon=True).start()
    return lambda: count[0]


def refused_slug(path: Path, form: str) -> str:
    """The slug of the error for a run."""
    with pytest.raises(InputError) as caught:
        rw.evaluate(QRELS, rw.Run(path, format=form), ["RR"])
    return caught.value.slug
