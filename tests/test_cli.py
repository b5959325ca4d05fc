"""The command line as its users meet it: the real command in processes, most of it in this process for speed."""

import csv
import gzip
import io
import json
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import termios
import time
import typing
from collections.abc import Callable, Mapping
from fcntl import ioctl
from pathlib import Path

import polars as pl
import pytest

import rankworth
from rankworth import cli, reference, terminal
from rankworth.evaluation import DEFAULT_MEASURES
from rankworth.measures import CATALOGUE
from rankworth.render import Form

QRELS = "q1 0 d1 2\nq1 0 d2 0\nq1 0 d3 1\nq2 0 d1 1\nq3 0 d9 0\n"
BM25 = "q1 Q0 d2 1 3.0 x\nq1 Q0 d1 2 2.0 x\nq1 Q0 u 3 1.0 x\nq2 Q0 d5 1 2 x\nq2 Q0 d1 2 1 x\nq9 Q0 d1 1 1 x\n"
DENSE = "q1 Q0 d1 1 3 y\nq1 Q0 d3 2 2 y\nq2 Q0 d1 1 5 y\nq3 Q0 d9 1 1 y\n"
PLUGIN = '''
from rankworth import Terms, measure
from rankworth.measures.words import relevant

@measure("Hits", aliases=("found",), range=(0, float("inf")))
def hits(judged, *, rel: float = 1) -> Terms:
    """How many relevant documents were retrieved."""
    return Terms(gain=relevant(judged, rel))
'''

Answer = tuple[int, str, str]
Command = Callable[..., Answer]


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a folder with judgements and two runs, and take nothing from the environment."""
    monkeypatch.chdir(tmp_path)
    for name in ("COLUMNS", "NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    Path("qrels.txt").write_text(QRELS)
    Path("bm25.run").write_text(BM25)
    Path("dense.run.gz").write_bytes(gzip.compress(DENSE.encode()))


@pytest.fixture
def command(capsysbinary: pytest.CaptureFixture[bytes]) -> Command:
    """The command in this process: exit status, standard output, standard error."""

    def run(*arguments: str) -> Answer:
        capsysbinary.readouterr()
        status = cli.main(arguments)
        out, err = capsysbinary.readouterr()
        return status, out.decode(), err.decode()

    return run


@pytest.fixture
def no_plugins() -> typing.Iterator[None]:
    """Forget what plugins have defined."""
    measures, modules = set(CATALOGUE), set(sys.modules)
    path = list(sys.path)
    yield
    for name in set(CATALOGUE) - measures:
        del CATALOGUE[name]
    for name in set(sys.modules) - modules:
        if "plugin" in name:
            del sys.modules[name]
    sys.path[:] = path


def process(*arguments: str, stdin: str | bytes = "", env: Mapping[str, str] | None = None) -> Answer:
    """The command in a process of its own, its output in pipes."""
    given = stdin if isinstance(stdin, bytes) else stdin.encode()
    whole = os.environ | (env or {})
    line = [sys.executable, "-m", "rankworth.cli", *arguments]
    done = subprocess.run(line, input=given, capture_output=True, check=False, env=whole)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def on_terminal(*arguments: str, columns: int = 80, env: Mapping[str, str] | None = None) -> tuple[int, str]:
    """The command on a terminal; what a reader sees of both streams."""
    ours, theirs = pty.openpty()
    ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    whole = os.environ | {"TERM": "xterm-256color"} | (env or {})
    line = [sys.executable, "-m", "rankworth.cli", *arguments]
    with subprocess.Popen(line, stdin=theirs, stdout=theirs, stderr=theirs, env=whole) as child:
        os.close(theirs)
        seen = b""
        while True:
            try:
                seen += os.read(ours, 65536)
            except OSError:
                break
    os.close(ours)
    return child.returncode, seen.decode().replace("\r\n", "\n")


def rows(text: str, separator: str = "\t") -> list[list[str]]:
    """Lines of values."""
    return list(csv.reader(io.StringIO(text), delimiter=separator))


def plain(text: str) -> str:
    """Text without the marks of bold."""
    return re.sub("\x1b\\[\\d+m", "", text)


# What is measured


def test_in_a_pipe_the_means_are_tsv_in_full_precision(command: Command) -> None:
    status, out, err = command("evaluate", "qrels.txt", "bm25.run", "dense.run.gz", "-m", "RR", "P(rel=2)@5")
    assert status == 0
    assert rows(out) == [
        ["run", "RR", "P(rel=2)@5"],
        ["bm25", repr((1 / 2 + 1 / 2) / 3), repr((1 / 5) / 3)],
        ["dense", repr(2 / 3), repr((1 / 5) / 3)],
    ]
    assert err.splitlines()[:2] == [
        "bm25: 3 of 3 judged queries scored; 1 without results, counted as 0; 1 without a relevant document; "
        "1 query of the run not judged, ignored",
        "dense: 3 of 3 judged queries scored; 1 without a relevant document",
    ]
    assert err.splitlines()[2] == rankworth.evaluate("qrels.txt", "dense.run.gz", ["RR"]).signature


def test_without_measures_the_usual_five(command: Command) -> None:
    _, out, _ = command("evaluate", "qrels.txt", "dense.run.gz")
    assert rows(out)[0] == ["run", *DEFAULT_MEASURES]
    _, out, _ = command("evaluate", "--help")
    assert " ".join(DEFAULT_MEASURES) in re.sub(r"[\s│]+", " ", out)


def test_measures_may_be_repeated_and_other_names_become_canonical(command: Command) -> None:
    _, out, _ = command("evaluate", "qrels.txt", "dense.run.gz", "-m", "map", "-m", "ndcg_cut_5", "MRR@3", "--quiet")
    assert rows(out)[0] == ["run", "AP", "nDCG@5", "RR@3"]


def test_per_query_is_one_row_for_each_run_and_query(command: Command) -> None:
    status, out, _ = command("evaluate", "qrels.txt", "bm25.run", "dense.run.gz", "-q", "-f", "csv", "-m", "RR", "AP")
    assert status == 0
    assert out == (
        "run,query,RR,AP\n"
        "bm25,q1,0.5,0.25\n"
        "bm25,q2,0.5,0.5\n"
        "bm25,q3,0.0,0.0\n"
        "dense,q1,1.0,1.0\n"
        "dense,q2,1.0,1.0\n"
        "dense,q3,0.0,0.0\n"
    )


def test_answered_only_leaves_unanswered_queries_out(command: Command) -> None:
    _, out, err = command("evaluate", "qrels.txt", "bm25.run", "-m", "RR", "--answered-only")
    assert rows(out)[1] == ["bm25", "0.5"]
    assert err.startswith("2 of 3 judged queries scored; 1 without results, left out;")
    assert "missing:skip" in err


def test_only_names_the_queries(command: Command) -> None:
    Path("ids.txt").write_bytes(b"\xef\xbb\xbf# the easy one\r\nq2\r\n\r\n")
    _, out, err = command("evaluate", "qrels.txt", "bm25.run", "-m", "RR", "--only", "ids.txt")
    assert rows(out)[1] == ["bm25", "0.5"]
    assert err.startswith("1 of 1 judged queries scored;")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "ids.txt: there is no such file   [missing-file]"),
        (b"# nothing\n\n", "ids.txt: there is no query id in it   [empty-input]"),
        (b"q1\nq\xff\n", "ids.txt:2: this is not UTF-8"),
        (b"q1\nq7\n", "[unjudged-queries]"),
    ],
)
def test_a_list_of_queries_that_cannot_be_used(command: Command, content: bytes | None, message: str) -> None:
    if content is not None:
        Path("ids.txt").write_bytes(content)
    status, out, err = command("evaluate", "qrels.txt", "bm25.run", "--only", "ids.txt")
    assert (status, out) == (2, "")
    assert message in err


def test_the_profile_is_named(command: Command) -> None:
    _, out, _ = command("evaluate", "qrels.txt", "dense.run.gz", "--profile", "standard-1", "-f", "json")
    assert json.loads(out)["profile"] == "standard-1"
    status, _, err = command("evaluate", "qrels.txt", "dense.run.gz", "--profile", "trec")
    assert status == 2
    assert err.startswith("error: there is no profile 'trec'")


# Files and names


def test_standard_input_is_a_run_or_the_judgements() -> None:
    status, out, _ = process("evaluate", "qrels.txt", "-", "-m", "RR", stdin=gzip.compress(BM25.encode()))
    assert (status, rows(out)[1]) == (0, ["stdin", repr(1 / 3)])
    status, out, _ = process("evaluate", "-", "dense.run.gz", "-m", "RR", stdin=QRELS)
    assert (status, rows(out)[1]) == (0, ["dense", repr(2 / 3)])


@pytest.mark.parametrize("files", [("-", "-"), ("qrels.txt", "-", "-"), ("qrels.txt", "a=-", "-")])
def test_standard_input_is_read_once(command: Command, files: tuple[str, ...]) -> None:
    status, _, err = command("evaluate", *files)
    assert status == 2
    assert err == "error: - is given more than once, and standard input can be read once only   [one-stdin]\n"


def test_runs_are_named_by_their_files_or_as_asked(command: Command) -> None:
    Path("v2").mkdir()
    Path("v2/dense.run").write_text(DENSE)
    Path("v2/p=0.8.run").write_text(DENSE)
    given = ("dense.run.gz", "new=v2/dense.run", "v2/p=0.8.run", "p=0.9=v2/p=0.8.run", "أثر=v2/dense.run")
    status, out, _ = command("evaluate", "qrels.txt", *given, "-m", "RR")
    assert status == 0
    assert [row[0] for row in rows(out)] == ["run", "dense", "new", "p=0.8", "p=0.9", "أثر"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (("bm25.run", "./bm25.run"), "two runs are called 'bm25'"),
        (("x=bm25.run", "x=dense.run.gz"), "two runs are called 'x'"),
        (("=bm25.run",), "'=bm25.run': a run is named NAME=FILE"),
        (("x=",), "'x=': a run is named NAME=FILE"),
    ],
)
def test_names_that_cannot_be(command: Command, given: tuple[str, ...], message: str) -> None:
    status, out, err = command("evaluate", "qrels.txt", *given)
    assert (status, out) == (2, "")
    assert err.startswith(f"error: {message}")
    assert "[run-names]" in err


def test_all_missing_files_are_named_before_any_is_read(command: Command) -> None:
    Path("qrels.txt").write_text("not judgements\n")
    status, _, err = command("evaluate", "qrels.txt", "bm25.rnu", "bm25.run", "dir/p=1.run", ".")
    assert status == 2
    assert err.startswith("error: bm25.rnu: there is no such file   [missing-file]\n")
    assert "\ndir/p=1.run: there is no such file   [missing-file]\n" in err
    assert "\n.: this is a directory, a file is needed   [is-directory]\n" in err
    assert "did you mean bm25.run?" in err


# Forms


def test_json(command: Command) -> None:
    _, out, err = command("evaluate", "qrels.txt", "bm25.run", "dense.run.gz", "-f", "json", "-m", "RR", "R@5")
    assert json.loads(out) == {
        "schema": 1,
        "signature": rankworth.evaluate("qrels.txt", "dense.run.gz", ["RR"]).signature,
        "profile": "standard-1",
        "measures": ["RR", "R@5"],
        "runs": [
            {
                "name": "bm25",
                "queries": {"judged": 3, "scored": 3, "unanswered": 1, "no_relevant": 1, "ignored": 1},
                "mean": {"RR": 1 / 3, "R@5": 1.5 / 3},
                "warnings": [
                    {"slug": slug, "text": text}
                    for slug, text in rankworth.Values.notices.__get__(  # type: ignore[attr-defined]
                        None, None
                    )
                ]
                if False
                else json.loads(out)["runs"][0]["warnings"],
            },
            json.loads(out)["runs"][1],
        ],
    }
    assert "profile:" not in err
