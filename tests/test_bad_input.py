"""Bad input never gives a number: it is refused, with the fact, the place, the remedy and the slug."""

import bz2
import errno
import gc
import gzip
import io
import json
import lzma
import os
import pickle
import random
import re
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import nullcontext, suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import rankworth as rw
from judge import judge
from rankworth.errors import InputError, UsageError
from rankworth.io import parquet, trec
from rankworth.io.source import Source
from rankworth.model import Qrels, Run

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

QRELS = {"q1": {"d1": 1, "d2": 0}}
RUN = {"q1": {"d1": 2.0, "d3": 1.0}}
GOOD = "q1 Q0 d1 1 2.0 bm25\n"
PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstd": zstd.compress,
}


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in an empty folder, so that messages name files without one."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a folder for files that examples of Hypothesis may overwrite."""
    return tmp_path_factory.mktemp("bad")


def refused(qrels: object, run: object) -> InputError:
    """The error that evaluating gives."""
    with pytest.raises(InputError) as caught:
        rw.evaluate(qrels, run, ["RR"])
    return caught.value


def refused_run(content: str | bytes) -> InputError:
    """The error for a run file."""
    Path("a.run").write_bytes(content if isinstance(content, bytes) else content.encode())
    return refused(QRELS, "a.run")


def refused_qrels(content: str | bytes) -> InputError:
    """The error for a file of judgements."""
    Path("a.qrels").write_bytes(content if isinstance(content, bytes) else content.encode())
    return refused("a.qrels", RUN)


# Lines

RUN_HAS = "a run line has 6 columns (query Q0 document rank score tag), this one has"
QRELS_HAVE = "a qrels line has 4 columns (query iteration document grade), this one has"
WRITE = (
    "write every line as {}, without blanks in ids and names\n"
    "  if it is a table: {}, format='tsv'); if it is JSON: {}, format='jsonl')"
)
RUN_WRITE = WRITE.format("query Q0 document rank score tag", *("Run('a.run'",) * 2)
QRELS_WRITE = WRITE.format("query iteration document grade", *("Qrels('a.qrels'",) * 2)
NO_NUMBER = "a score is a number such as 2, 12.5 or 1e-3, with a decimal point; remove a header line"
FINITE = "drop the lines whose score is no finite number, or fix what wrote them"
EXCHANGED = "this looks like judgements; they come first, the run comes second"
RUN_LINES = {
    "q31 Q0 d19 89 dense": (f"a.run:2: {RUN_HAS} 5: q31 Q0 d19 89 dense   [run-columns]", RUN_WRITE),
    "q1 Q0 d1 1 2.0 my run": (f"a.run:2: {RUN_HAS} 7: q1 Q0 d1 1 2.0 my run   [run-columns]", RUN_WRITE),
    "q1 Q0 d1 1 2.0 my very own run": (
        f"a.run:2: {RUN_HAS} 9: q1 Q0 d1 1 2.0 my very own ...   [run-columns]",
        RUN_WRITE,
    ),
    "q1 0 d1 1": (f"a.run:2: {RUN_HAS} 4: q1 0 d1 1   [run-columns]", EXCHANGED),
    "q1": (f"a.run:2: {RUN_HAS} 1: q1   [run-columns]", RUN_WRITE),
    "q1,d1,2.0": (f"a.run:2: {RUN_HAS} 1: q1,d1,2.0   [run-columns]", RUN_WRITE),
    "q1\td1\t2.0": (f"a.run:2: {RUN_HAS} 3: q1 d1 2.0   [run-columns]", RUN_WRITE),
    '{"q1": {"d1": 2.0}}': (f'a.run:2: {RUN_HAS} 3: {{"q1": {{"d1": 2.0}}}}   [run-columns]', RUN_WRITE),
    "q1 Q0 d1 1 high bm25": ("a.run:2: the score is 'high', not a number   [bad-score]", NO_NUMBER),
    "q1 Q0 d1 1 12,5 bm25": (
        "a.run:2: the score is '12,5', not a number   [bad-score]",
        NO_NUMBER.replace("remove a header line", "write 9.5, and not 9,5"),
    ),
    "q1 Q0 d1 1 NaN bm25": ("a.run:2: the score is NaN   [bad-score]", FINITE),
    "q1 Q0 d1 1 2.0 \u00a0 bm25": (f"a.run:2: {RUN_HAS} 7: q1 Q0 d1 1 2.0 '\\xa0' bm25   [run-columns]", RUN_WRITE),
}


@pytest.mark.parametrize("line", RUN_LINES)
def test_a_bad_line_of_a_run_is_quoted_with_its_place_and_what_helps(line: str) -> None:
    error = refused_run(f"{GOOD}{line}\nq2 Q0 d1 1 2.0 bm25\n")
    fact, remedy = RUN_LINES[line]
    assert str(error) == f"{fact}\n  {remedy}"
    assert error.slug in fact


QRELS_LINES = {
    "q1 d1 1": (f"a.qrels:2: {QRELS_HAVE} 3: q1 d1 1   [qrels-columns]", QRELS_WRITE),
    "q1 0 d1 1 x": (f"a.qrels:2: {QRELS_HAVE} 5: q1 0 d1 1 x   [qrels-columns]", QRELS_WRITE),
    "q1 Q0 d1 1 2.0 bm25": (
        f"a.qrels:2: {QRELS_HAVE} 6: q1 Q0 d1 1 2.0 bm25   [qrels-columns]",
        "this looks like a run; the judgements come first, the run comes second",
    ),
    "q1\td1\t1": (f"a.qrels:2: {QRELS_HAVE} 3: q1 d1 1   [qrels-columns]", QRELS_WRITE),
    "q1 0 d1 good": (
        "a.qrels:2: the grade is 'good', not a number   [bad-grade]",
        NO_NUMBER.replace("score", "grade") + "\n  say which grade each word means: grades={'good': 2}",
    ),
    "q1 0 d1 inf": ("a.qrels:2: the grade is inf   [bad-grade]", FINITE.replace("score", "grade")),
    "q1 0 d1 -1e999": ("a.qrels:2: the grade is -1e999   [bad-grade]", FINITE.replace("score", "grade")),
    "q1 0 d1 nan": ("a.qrels:2: the grade is nan   [bad-grade]", FINITE.replace("score", "grade")),
}


@pytest.mark.parametrize("line", QRELS_LINES)
def test_a_bad_line_of_judgements_is_quoted_with_its_place_and_what_helps(line: str) -> None:
    error = refused_qrels(f"q1 0 d2 0\n{line}\nq2 0 d1 1\n")
    fact, remedy = QRELS_LINES[line]
    assert str(error) == f"{fact}\n  {remedy}"
    assert error.slug in fact


@pytest.mark.parametrize(
    ("separator", "line"), [(" ", "q Q0 d  2.0 t"), (" ", "q  d 1 2.0 t"), ("\t", "q Q0 d  2.0 t")]
)
def test_two_separators_are_no_column(separator: str, line: str) -> None:
    lines = [f"q Q0 d{place} 1 2.0 t" for place in range(50)]
    text = "".join(f"{one}\n" for one in [*lines[:25], line, *lines[25:]]).replace(" ", separator)
    assert refused_run(text).problems[0].startswith(f"a.run:26: {RUN_HAS} 5: ")
    qrels = [f"q 0 d{place} 1" for place in range(50)]
    text = "".join(f"{one}\n" for one in [*qrels[:25], "q  d 1", *qrels[25:]]).replace(" ", separator)
    assert refused_qrels(text).problems[0].startswith(f"a.qrels:26: {QRELS_HAVE} 3: ")


NOT_NUMBERS = [
    "1_000",
    "0x10",
    "1e",
    "e5",
    ".",
    "-",
    "+-1",
    "1.2.3",
    "١٢",
    "½",
    "None",
    "infinit",
    "nanny",
    "1f",
    "--1",
    "1e5.5",
]


@pytest.mark.parametrize("text", NOT_NUMBERS)
def test_what_is_no_decimal_number_is_no_score_and_no_grade(text: str) -> None:
    assert refused_run(f"q1 Q0 d1 1 {text} bm25\n").slug == "bad-score"
    assert refused_qrels(f"q1 0 d1 {text}\n").slug == "bad-grade"


def test_a_header_line_has_no_number() -> None:
    assert str(refused_run(f"query Q0 document rank score tag\n{GOOD}")) == (
        f"a.run:1: the score is 'score', not a number   [bad-score]\n  {NO_NUMBER}"
    )


def test_ten_problems_of_a_file_are_shown_at_once_and_the_others_counted() -> None:
    bad = ["q1 Q0 d1", "q1 Q0 d1 1 x t", "q1 Q0 d1 1 nan t", *(["a b c d e f g"] * 1239)]
    error = refused_run("".join(f"{GOOD.replace('d1', f'd{place}')}{line}\n" for place, line in enumerate(bad)))
    assert error.slugs == ("run-columns", "bad-score", "bad-score", *["run-columns"] * 7)
    assert error.slug == "run-columns"
    assert error.more == 1232
    assert [problem.split(":")[1] for problem in error.problems] == [str(2 * place) for place in range(1, 11)]
    lines = str(error).split("\n")
    assert lines[0] == f"a.run:2: {RUN_HAS} 3: q1 Q0 d1   [run-columns]"
    assert lines[9] == f"a.run:20: {RUN_HAS} 7: a b c d e f g   [run-columns]"
    assert lines[10:] == ["... and 1,232 more", *f"  {RUN_WRITE}".split("\n"), f"  {NO_NUMBER}", f"  {FINITE}"]


@pytest.mark.parametrize("chunk", [32, 64, 1000, 8 << 20])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("noise", ["", "# a comment\n\n \t\n"])
def test_lines_are_counted_as_an_editor_counts_them(
    chunk: int, end: str, noise: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trec, "CHUNK", chunk)
    good = [f"q1 Q0 d{place} 1 2.0 bm25\n" for place in range(40)]
    bad = {25: "q1 Q0 d1\n", 33: "q1 Q0 d1 1 x t\n"}
    text = "\ufeff" + "".join(f"{noise}{bad.get(place, line)}" for place, line in enumerate(good)) + "q9 Q0 d9 1 y t"
    wanted = [number for number, line in enumerate(text.split("\n"), 1) if line + "\n" in bad.values()]
    error = refused_run(text.replace("\n", end))
    numbers = [int(problem.split(":")[1]) for problem in error.problems]
    assert numbers == [*wanted, 40 * (1 + noise.count("\n")) + 1]
    assert error.more == 0


def test_a_long_line_is_quoted_in_part() -> None:
    error = refused_run("q1 " + "x" * 500 + "\n")
    assert error.problems[0].endswith(f"this one has 2: q1 {'x' * 97}...")


def test_a_large_file_without_a_single_line_that_fits_is_not_read_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trec, "CHUNK", 1000)
    error = refused_run("x q1,d1,2\n" * 10_000)
    assert error.more == 2
    written, *_, stopped = error.remedy.split("\n")
    assert written == RUN_WRITE.partition("\n")[0]
    assert stopped == "reading stopped: none of the first 12 lines is a run line"


# Whole files


@pytest.mark.parametrize("content", ["", "\n\n  \n", "# a\n#b 1 2 3\n", "\ufeff"])
def test_an_empty_file_is_refused(content: str) -> None:
    assert str(refused_run(content)) == "a.run: there is no run line in it   [empty-input]"
    assert str(refused_qrels(content)) == "a.qrels: there is no qrels line in it   [empty-input]"


@pytest.mark.parametrize("packer", PACKERS)
def test_an_empty_packed_file_is_refused(packer: str) -> None:
    assert refused_run(PACKERS[packer](b"")).slug == "empty-input"


def test_a_missing_file_is_named_with_one_of_nearly_the_same_name() -> None:
    Path("dense.run.gz").write_bytes(b"")
    assert str(refused(QRELS, "dence.run.gz")) == (
        "dence.run.gz: there is no such file   [missing-file]\n  did you mean dense.run.gz?"
    )
    assert str(refused("nowhere/a.qrels", RUN)) == (
        "nowhere/a.qrels: there is no such file   [missing-file]\n  there is no directory nowhere either"
    )
    assert str(refused(QRELS, "zzz")) == "zzz: there is no such file   [missing-file]"


def test_a_directory_is_refused() -> None:
    Path("runs").mkdir()
    assert str(refused(QRELS, "runs")) == "runs: this is a directory, a file is needed   [is-directory]"
    Path("runs/b.run").touch()
    Path("runs/a.run").touch()
    assert str(refused(Path("runs"), RUN)) == (
        "runs: this is a directory, a file is needed   [is-directory]\n  it holds a.run b.run\n"
        "  if they are parts of one table: 'runs/*.run', in quotes"
    )


def test_a_file_that_may_not_be_read_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("a.run").write_text(GOOD)
    Path("a.run").chmod(0)
    if os.access("a.run", os.R_OK):  # root may read everything: let the system refuse it all the same
        unlocked = Path.open

        def locked(path: Path, *arguments: Any, **options: Any) -> Any:
            if path.name == "a.run":
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
            return unlocked(path, *arguments, **options)

        monkeypatch.setattr(Path, "open", locked)
    assert str(refused(QRELS, "a.run")) == (
        "a.run: it cannot be read (Permission denied)   [unreadable-file]\n"
        "  ls -l FILE shows whether it is there, and who may read it"
    )


def test_what_the_system_refuses_is_refused() -> None:
    Path("loop").symlink_to("loop")
    assert str(refused(QRELS, "loop")).startswith("loop: it cannot be read (")
    assert refused(QRELS, "loop").slug == "unreadable-file"
    assert refused(QRELS, "a\0b").slug == "unreadable-file"
    assert refused(QRELS, "").slug == "missing-file"


def test_the_text_of_a_file_is_no_path() -> None:
    error = refused(QRELS, GOOD * 100)
    assert error.slug == "unreadable-file"
    assert len(str(error)) < 300


def test_a_process_without_standard_input_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    assert str(refused(QRELS, "-")) == "standard input: there is none to read from   [unreadable-file]"


def test_standard_input_can_be_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"q1 0 d1 1\n")))
    assert str(refused("-", "-")) == (
        "standard input: there is no run line in it   [empty-input]\n"
        "  standard input can be read once only; was it read before?"
    )


def test_standard_input_is_named_in_messages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"q1 Q0 d1 1 2.0\n")))
    assert str(refused(QRELS, "-")) == (
        f"standard input:1: {RUN_HAS} 5: q1 Q0 d1 1 2.0   [run-columns]\n  if this is a table without a header: "
        "which of 4 5 holds the scores? NUMBER is its number: "
        "Run('-', format='tsv', columns={'query': '1', 'document': '3', 'score': 'NUMBER'})"
    )


LATIN = "q1 Q0 dé 1 2.0 bm25\n".encode("latin-1")


def test_text_in_another_encoding_is_refused() -> None:
    assert str(refused_run(GOOD.encode() + LATIN)) == (
        "a.run:2: the document is 'd\\xe9', not UTF-8   [wrong-encoding]\n"
        "  if the text is Windows-1252 or Latin-1: iconv -f WINDOWS-1252 -t UTF-8 a.run > utf8.txt"
    )
    assert refused_run(GOOD.encode() + "q1 Q0 d2 1 2.0 é\n".encode("latin-1")).slug == "wrong-encoding"
    assert refused_qrels("q1 0 dé 1\n".encode("latin-1")).slug == "wrong-encoding"


@pytest.mark.parametrize("encoding", ["UTF-16", "UTF-32"])
def test_other_encodings_are_named_by_their_mark(encoding: str) -> None:
    assert str(refused_run((GOOD * 2).encode(encoding))) == (
        f"a.run: the text is {encoding}, not UTF-8   [wrong-encoding]\n  iconv -f {encoding} -t UTF-8 a.run > utf8.txt"
    )
    assert refused_run(GOOD.encode(f"{encoding}LE")).slug == "binary-file"


def test_binary_files_are_refused() -> None:
    assert str(refused_run(GOOD.encode() * 2 + b"q2 Q0 \0 1 2 t\n")) == (
        "a.run:3: a null byte; this is not a text file   [binary-file]\n"
        "  export or extract its table as text, or leave the format out to have it detected from the content"
    )
    assert refused_run(b"\0").slug == "binary-file"
    assert refused_run(bytes(1000)).slug == "binary-file"
    assert refused_qrels(bytes(range(256))).slug == "binary-file"
    subprocess.run([sys.executable, "-m", "zipfile", "-c", "zip.run", "a.run"], check=True)
    assert refused(QRELS, "zip.run").remedy.startswith("export or extract its table as text")


def test_a_null_byte_is_found_in_any_chunk_and_in_a_line_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trec, "CHUNK", 64)
    assert str(refused_run(GOOD.encode() * 30 + b"q2 Q0 \0 1 2 t\n")).startswith("a.run:31: a null byte")
    assert str(refused_run(GOOD.encode() * 30 + b"q2 Q0" + bytes(1000))).startswith("a.run:31: a null byte")


class Endless(io.RawIOBase):
    """Zeros, as a disk or a device may give them; patience for some megabytes."""

    given = 0

    def readable(self) -> bool:
        """Say that it can be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Give more zeros."""
        self.given += len(buffer)
        assert self.given < 64 << 20
        buffer[:] = bytes(len(buffer))
        return len(buffer)


def test_what_never_ends_a_line_is_not_read_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=Endless()))
    assert str(refused(QRELS, "-")) == (
        "standard input:1: a null byte; this is not a text file   [binary-file]\n"
        "  export or extract its table as text, or leave the format out to have it detected from the content"
    )


@pytest.mark.parametrize("packer", PACKERS)
@pytest.mark.parametrize("chunk", [100, 8 << 20])
def test_a_packed_file_that_ends_early_never_gives_a_number(
    packer: str, chunk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trec, "CHUNK", chunk)
    lines = "".join(f"q1 Q0 d{place} {place} {1 / (place + 1)!r} bm25\n" for place in range(60))
    packed = PACKERS[packer](lines.encode())
    Path("whole.run").write_bytes(packed)
    assert judge(Qrels(QRELS), Run("whole.run")).hits.n_retrieved.tolist() == [60]
    for length in {*range(10, len(packed), 7), len(packed) - 1}:
        error = refused_run(packed[:length])
        assert error.slug == "truncated-file"
        assert str(error).startswith("a.run: the compressed data end early or are damaged (")
        assert error.remedy == "copy or download the file again; nothing of it was used"
    for length in range(10):
        refused_run(packed[:length])


@pytest.mark.parametrize("packer", PACKERS)
@pytest.mark.parametrize("between", [b"X", b"junk that begins no part", b"BZh9"])
def test_a_packed_part_that_is_damaged_is_not_left_out(packer: str, between: bytes) -> None:
    parts = [PACKERS[packer](f"q1 Q0 d{number} 1 {number} t\n".encode()) for number in (1, 2)]
    assert refused_run(between.join(parts)).slug == "truncated-file"
    assert refused_run(parts[0] + between).slug == "truncated-file"


@pytest.mark.parametrize("packer", PACKERS)
def test_a_packed_file_that_is_damaged_never_gives_a_number(packer: str) -> None:
    lines = "".join(f"q1 Q0 d{place} {place} {1 / (place + 1)!r} bm25\n" for place in range(60))
    compress = PACKERS[packer]
    packed = (
        zstd.compress(lines.encode(), options={zstd.CompressionParameter.checksum_flag: 1})
        if packer == "zstd"
        else compress(lines.encode())
    )
    for place in range(len(packed) // 3, len(packed) - 12, 11):
        error = refused_run(packed[:place] + bytes([packed[place] ^ 0x55]) + packed[place + 1 :])
        assert error.slug in ("truncated-file", "binary-file", "wrong-encoding", "run-columns", "bad-score")


# Duplicates

AGAIN = "keep one line for each query and document, such as the first: awk '!seen[$1, $3]++'"
OR = (
    'or say which of them counts: duplicates="best" is the highest score, '
    'and ranks close up\n  or duplicates="once" is the first, and the others '
    "keep their ranks, as in MAP@k on Kaggle"
)
OR_JUDGEMENTS = 'or say which of them counts: duplicate_judgements="max"'


def test_a_document_that_a_run_file_ranks_twice_is_refused_also_where_nobody_judged_it() -> None:
    content = "q1 Q0 d1 1 3 t\n# comment\nq1 Q0 u 2 2 t\n\nq1\tQ0\tu 3 2.0 t\nq9 Q0 x 1 1 t\nq9 Q0 x 2 0 t\n"
    assert str(refused_run(content)) == (
        "a.run:5: query q1 ranks document u again (first in line 3)   [duplicate-document]\n"
        "a.run:7: query q9 ranks document x again (first in line 6)   [duplicate-document]\n"
        f"  {AGAIN} a.run > once.txt\n  {OR}"
    )


def test_duplicates_are_counted_and_three_are_shown() -> None:
    content = "".join(f"q1 Q0 d{place % 10} {place} {-place} t\n" for place in range(1234))
    error = refused_run(content)
    assert error.problems == tuple(
        f"a.run:{place + 11}: query q1 ranks document d{place} again (first in line {place + 1})" for place in range(3)
    )
    assert error.more == 1234 - 10 - 3
    assert "... and 1,221 more\n" in str(error)


@pytest.mark.parametrize("chunk", [40, 100, 8 << 20])
@pytest.mark.parametrize("order", ["in order", "scattered", "far apart"])
@pytest.mark.parametrize("document", ["d1", "u7"])
def test_duplicates_are_found_across_chunks_and_in_scattered_files(
    chunk: int, order: str, document: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trec, "CHUNK", chunk)
    lines = [
        f"q{query} Q0 {name} 1 {rank} t\n"
        for query in range(8)
        for rank, name in enumerate(["d1", *(f"u{i}" for i in range(20))])
    ]
    again = lines.index(f"q1 Q0 {document} 1 {0 if document == 'd1' else 8} t\n")
    twice = f"q1 Q0 {document} 9 -5.5 t\n"
    if order == "in order":
        lines.insert(again + 3, twice)
    elif order == "far apart":
        lines.append(twice)
    else:
        lines.append(twice)
        lines.sort(key=lambda line: line.split()[2])
    numbers = [place for place, line in enumerate(lines, 1) if line.startswith(f"q1 Q0 {document} ")]
    assert len(numbers) == 2
    error = refused_run("".join(lines))
    assert error.problems == (
        f"a.run:{numbers[1]}: query q1 ranks document {document} again (first in line {numbers[0]})",
    )
    assert (error.slug, error.more) == ("duplicate-document", 0)


@pytest.mark.parametrize("packer", PACKERS)
def test_the_remedy_against_duplicates_works(packer: str) -> None:
    suffix, tool = {
        "gzip": (".gz", "zcat"),
        "bzip2": (".bz2", "bzcat"),
        "xz": (".xz", "xzcat"),
        "zstd": (".zst", "zstdcat"),
    }[packer]
    name = f"my run{suffix}"
    Path(name).write_bytes(PACKERS[packer]((GOOD * 3 + "q1 Q0 d2 1 1 t\n").encode()))
    error = refused(QRELS, name)
    command = error.remedy.partition("\n")[0].partition(": ")[2]
    assert command == f"{tool} 'my run{suffix}' | awk '!seen[$1, $3]++' > once.txt"
    if subprocess.run(["which", tool], capture_output=True, check=False).returncode == 0:
        subprocess.run(["sh", "-c", command], check=True)
        assert Path("once.txt").read_text() == GOOD + "q1 Q0 d2 1 1 t\n"


def test_duplicates_in_standard_input_are_shown_with_their_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(gzip.compress(GOOD.encode() * 2))))
    assert str(refused(QRELS, "-")) == (
        "standard input:2: query q1 ranks document d1 again (first in line 1)   [duplicate-document]\n"
        f"  {AGAIN} > once.txt\n  {OR}"
    )


def test_a_document_that_judgements_have_twice_is_refused() -> None:
    content = "q1 0 d1 1\n# c\nq2 0 'd 1\nq1 0 d1 1\nq1 0 d1 0\n"
    assert str(refused_qrels(content)) == (
        "a.qrels:4: query q1 judges document d1 again (first in line 1)   [duplicate-judgement]\n"
        "... and 1 more\n"
        f"  {AGAIN} a.qrels > once.txt\n  {OR_JUDGEMENTS}"
    )


def test_frames_with_duplicates_are_refused_with_their_rows() -> None:
    frame = pl.DataFrame({"query": [1, 1, 2, 1], "document": ["a", "b", "a", "a"], "value": [1.0, 1.0, 1.0, 2.0]})
    assert str(refused({1: {"a": 1}}, frame.rename({"value": "score"}))) == (
        "the run: row 3: query 1 ranks document a again (first in row 0)   [duplicate-document]\n"
        f"  keep one row for each query and document\n  {OR}"
    )
    assert str(refused(frame.rename({"value": "grade"}).to_pandas(), RUN)) == (
        "the judgements: row 3: query 1 judges document a again (first in row 0)   [duplicate-judgement]\n"
        f"  keep one row for each query and document\n  {OR_JUDGEMENTS}\n"
        "  if these are judgements for several subtopics, add a column subtopic"
    )


def test_ids_of_a_dict_that_are_one_as_text_are_refused() -> None:
    both = {1: 1.0, "x": 0.5, "1": 2.0}
    text = "as text, 1 id appears twice: 1"
    remedy = "\n  ids are compared as text, so an integer and a text may be the same id; keep one of them"
    assert str(refused({"q1": both}, RUN)) == f"the judgements: query 'q1': {text}   [duplicate-judgement]{remedy}"
    assert str(refused(QRELS, {"q1": both})) == f"query 'q1': {text}   [duplicate-document]{remedy}"
    assert (
        str(refused({1: QRELS["q1"], "1": {"d": 1}}, RUN)) == f"the judgements: {text}   [duplicate-judgement]{remedy}"
    )
    assert str(refused(QRELS, {1: RUN["q1"], "1": {"d": 1}})) == f"the run: {text}   [duplicate-document]{remedy}"


# Queries

DIFFERENCES = [
    (
        ["2027", "2035", "2041", "2042"],
        ["2027.1", "2035.1"],
        "a suffix: '2027' in the judgements, '2027.1' in the run; converted to one form, 2 of 4",
    ),
    (
        ["2027.1", "2035.1"],
        ["2027", "9"],
        "a suffix: '2027.1' in the judgements, '2027' in the run; converted to one form, 1 of 2",
    ),
    (["1", "2"], ["1.0", "2.0"], "a suffix: '1' in the judgements, '1.0' in the run; converted to one form, 2 of 2"),
    (["q1", "q2"], ["1", "2", "3"], "a prefix: 'q1' in the judgements, '1' in the run; converted to one form, 2 of 2"),
    (["1", "2"], ["q2", "q3"], "a prefix: '2' in the judgements, 'q2' in the run; converted to one form, 1 of 2"),
    (
        ["dl19-1", "dl19-2"],
        ["1", "2"],
        "a prefix: 'dl19-1' in the judgements, '1' in the run; converted to one form, 2 of 2",
    ),
    (["0"], ["00"], "leading zeros: '0' in the judgements, '00' in the run; converted to one form, 1 of 1"),
    (["007"], ["7"], "leading zeros: '007' in the judgements, '7' in the run; converted to one form, 1 of 1"),
    (["07"], ["007"], "leading zeros: '07' in the judgements, '007' in the run; converted to one form, 1 of 1"),
    (
        ["Q1", "Q2"],
        ["q1"],
        "upper and lower case: 'Q1' in the judgements, 'q1' in the run; converted to one form, 1 of 2",
    ),
    (
        ["q1 "],
        ["q1"],
        "blanks or invisible characters: 'q1 ' in the judgements, 'q1' in the run; converted to one form, 1 of 1",
    ),
    (
        ["q1"],
        ["\ufeffq1"],
        "blanks or invisible characters: 'q1' in the judgements, '\\ufeffq1' in the run; converted to one form, 1 of 1",
    ),
    (
        ["caf\u00e9"],
        ["cafe\u0301"],
        (
            "Unicode form (NFC, NFD): 'caf\\xe9' in the judgements, "
            "'cafe\\u0301' in the run; converted to one form, 1 of 1"
        ),
    ),
]


@pytest.mark.parametrize(("judged", "retrieved", "difference"), DIFFERENCES)
@pytest.mark.parametrize("door", ["dict", "frame"])
def test_no_query_in_common_is_refused_and_the_difference_named(
    judged: list[str], retrieved: list[str], difference: str, door: str
) -> None:
    run: Any = {query: {"d": 1.0} for query in retrieved}
    error = refused({query: {"d": 1} for query in judged}, run if door == "dict" else Run(run).to_frame())
    assert error.slug == "no-common-queries"
    assert error.remedy == f"they differ in {difference} judged queries would have results"


def test_no_query_in_common_shows_both_sides() -> None:
    Path("a.qrels").write_text("2027.1 0 d 1\n2035.1 0 d 1\n2041.1 0 d 1\n2100.1 0 d 1\n")
    Path("a.run").write_text("2027 Q0 d 1 1 t\n2035 Q0 d 1 1 t\n")
    assert (
        str(refused("a.qrels", "a.run"))
        .split("\n")[0]
        .endswith(
            "is judged: the judgements have 2027.1 2035.1 2041.1 ..., the run has 2027 2035   [no-common-queries]"
        )
    )


@pytest.mark.parametrize(
    ("judged", "retrieved"), [("1.5", "1.7"), ("abc", "xyz"), ("MB1", "WT1"), ("0", "00x"), ("q", "1")]
)
def test_a_difference_that_is_none_is_not_made_up(judged: str, retrieved: str) -> None:
    error = refused({judged: {"d": 1}}, {retrieved: {"d": 1}})
    assert error.remedy == "are these judgements and a run of the same collection?"


def test_queries_asked_for_must_be_judged_and_a_list() -> None:
    with pytest.raises(InputError) as caught:
        rw.evaluate(QRELS, RUN, ["RR"], queries=["q1", "q7", "q 8"])
    assert str(caught.value) == (
        "2 of the 3 queries asked for are not judged: q7 'q 8'   [unjudged-queries]\n"
        "  judged are q1; leave out the queries without judgements"
    )
    for queries, slug in (("q1", "input-type"), (1, "input-type"), ([], "empty-input"), ([1.0], "id-type")):
        with pytest.raises(InputError) as caught:
            rw.evaluate(QRELS, RUN, ["RR"], queries=queries)  # type: ignore[arg-type]
        assert caught.value.slug == slug


# Dicts


@pytest.mark.parametrize("place", ["first", "middle", "last"])
@pytest.mark.parametrize(
    "bad",
    [
        float("nan"),
        np.float32("nan"),
        None,
        "0,5",
        "nan",
        "high",
        b"1",
        [1.0],
        1j,
        10**400,
        {"x": 1},
        np.array([1.0, 2.0]),
    ],
    ids=repr,
)
def test_scores_and_grades_of_dicts_are_numbers(bad: Any, place: str) -> None:
    names = {"first": "abcd", "middle": "bacd", "last": "bcda"}[place]
    documents: dict[str, Any] = {name: bad if name == "a" else 1.5 for name in names}
    cases = [(refused(QRELS, {"q1": documents}), "bad-score")]
    if bad is None or (isinstance(bad, float | np.floating) and np.isnan(bad)):  # nobody judged the document
        assert rw.Qrels({"q1": documents}).to_dict() == {"q1": {name: 1.5 for name in names if name != "a"}}
        assert refused({"q1": {"a": bad}}, RUN).slug == "missing-value"
    else:
        cases.append((refused({"q1": documents}, RUN), "bad-grade"))
    for error, slug in cases:
        what = "the run" if slug == "bad-score" else "the judgements"
        if isinstance(bad, dict) and place == "first":
            assert error.slug == "nested-runs"
        else:
            assert error.slug == ("missing-value" if bad is None else slug)
            assert error.problems[0].startswith(f"{what}: query 'q1', document 'a': the {slug[4:]} is ")
            assert len(str(error)) < 260


def test_infinite_scores_order_and_infinite_grades_do_not() -> None:
    assert rw.evaluate(QRELS, {"q1": {"d1": float("-inf"), "d3": float("inf")}}, ["RR"])["RR"] == 1 / 2
    error = refused({"q1": {"d1": float("inf")}}, RUN)
    assert str(error) == (
        "the judgements: query 'q1', document 'd1': the grade is inf, not a finite number   [bad-grade]\n"
        "  leave out what has no finite grade, or fix what made it"
    )


@pytest.mark.parametrize("bad", [1.0, True, b"q1", ("q", 1), np.float64(2)], ids=repr)
def test_ids_are_text_or_integers(bad: Any) -> None:
    name = type(bad).__name__
    text = (
        f"the id {bad!r} is {name}; ids are text or integers   [id-type]\n"
        "  convert the ids to text, as they are in the other input"
    )
    assert str(refused(QRELS, {bad: {"d1": 1}})) == f"the run: {text}"
    assert str(refused(QRELS, {"q1": {bad: 1}})) == f"query 'q1': {text}"
    assert str(refused({bad: {"d1": 1}}, RUN)) == f"the judgements: {text}"
    assert str(refused({"q1": {"d1": 1, bad: 1}}, RUN)) == f"the judgements: query 'q1': {text}"


def test_an_id_that_is_none_is_missing() -> None:
    text = "the id is missing   [missing-value]\n  leave it out, or give it"
    assert str(refused(QRELS, {None: {"d1": 1}})) == f"the run: {text}"
    assert str(refused({"q1": {"d1": 1, None: 1}}, RUN)) == f"the judgements: query 'q1': {text}"


@pytest.mark.parametrize("empty", [{}, {"q1": {}}, {"q1": {}, "q2": {}}])
def test_dicts_without_documents_are_refused(empty: dict[str, Any]) -> None:
    what = "documents" if empty else "queries"
    assert str(refused(empty, RUN)) == (
        f"the judgements: the dict has no {what}   [empty-input]\n  as in {{query: {{document: grade}}}}"
    )
    assert str(refused(QRELS, empty)) == (
        f"the run: the dict has no {what}   [empty-input]\n  as in {{query: {{document: score}}}}"
    )


def test_an_empty_answer_to_every_judged_query_is_no_query_in_common() -> None:
    assert refused(QRELS, {"q1": {}, "q2": {"d": 1}}).slug == "no-common-queries"


def test_a_dict_of_runs_is_never_guessed() -> None:
    assert str(refused(QRELS, {"bm25": RUN})) == (
        "the run: 'bm25' holds a dict of dicts, so this looks like several runs   [nested-runs]\n"
        "  several: rankworth.evaluate_runs(qrels, {name: run, ...})\n"
        "  if the run stands under bm25: run_columns={'root': 'bm25'}"
    )
    assert rw.evaluate(QRELS, {"bm25": RUN}, ["RR"], run_columns={"root": "bm25"}) == rw.evaluate(QRELS, RUN, ["RR"])
    assert str(refused({"trec": QRELS}, RUN)).startswith(
        "the judgements: 'trec' holds a dict of dicts, so this looks like several sets of judgements   [nested-runs]"
    )


def test_dicts_of_other_things_are_refused() -> None:
    assert str(refused(QRELS, {"q1": {"d1", "d2"}})) == (
        "the run: query 'q1' holds a set, which has no order, and RR needs one   [input-type]\n"
        "  give a list, best document first, or {document: score}; P, R and F without a cutoff take sets"
    )
    assert str(refused({"q1": "d1"}, RUN)) == (
        "the judgements: query 'q1' holds 'd1', and not a list of documents   [input-type]\n"
        "  as in {'q1': ['d1', 'd2']} or {'q1': {'d1': grade}}"
    )
    assert str(refused(QRELS, {"q1": {"d1": 1.0}, "q2": ["d1"]})) == (
        "the run: query 'q2' holds list, not a dict {document: score}   [input-type]\n"
        "  a list in rank order becomes {document: -rank for rank, document in enumerate(documents)}"
    )


def test_the_name_of_a_run_is_in_its_messages() -> None:
    with pytest.raises(InputError, match=r"^run dense: query 'q1' holds 1, and not a list of documents"):
        rw.evaluate_runs(QRELS, {"bm25": RUN, "dense": {"q1": 1}}, ["RR"])
    with pytest.raises(InputError, match=r"^run dense: query 'q1', document 'd1': the score is missing"):
        rw.evaluate_runs(QRELS, {"bm25": RUN, "dense": {"q1": {"d1": None}}}, ["RR"])
    with pytest.raises(InputError, match=r"^run dense: query 'q1': the id 1.5 is float"):
        rw.evaluate_runs(QRELS, {"bm25": RUN, "dense": {"q1": {"d1": 1, 1.5: 2}}}, ["RR"])
    with pytest.raises(InputError, match=r"^run dense: there is no score or rank column"):
        rw.evaluate_runs(QRELS, {"bm25": RUN, "dense": pl.DataFrame({"query": ["a"], "document": ["b"]})}, ["RR"])


LABELS = "  labels go with scores or orders of the same items: labels=[[1, 0, 2]], scores=[[0.9, 0.2, 0.7]]"
READ = "which cannot be read   [input-type]\n  give {query: {document: "
OTHERS: list[tuple[Callable[[], Any], str]] = [
    (lambda: [object()], ": row 0 is <object object at"),
    (lambda: (1, 2), f": its first item 1 is int, {READ}"),
    (lambda: {1}, f": its first item 1 is int, {READ}"),
    (lambda: io.StringIO(GOOD), f": its first item {GOOD!r} is str, {READ}"),
    (lambda: iter([]), ": the list_iterator is empty   [empty-input]\n  an iterator can be read once only;"),
    (
        lambda: np.zeros((1, 2)),
        ": query '0', item 0: the document 0.0 is float; ids are text or integers   [id-type]",
    ),
]


@pytest.mark.parametrize(("make", "text"), OTHERS, ids=lambda one: one if isinstance(one, str) else "")
def test_other_objects_are_refused(make: Callable[[], Any], text: str) -> None:
    with pytest.raises(InputError) as caught:
        Run(make())
    assert str(caught.value).startswith(f"the run{text}")
    with pytest.raises(InputError) as caught:
        Qrels(make())
    assert str(caught.value).startswith(f"the judgements{text}")


@pytest.mark.parametrize("thing", [1, 2.5, b"a.run", object, len], ids=lambda thing: type(thing).__name__)
def test_objects_that_hold_nothing_are_refused(thing: Any) -> None:
    unreadable = f"{thing!r} is {type(thing).__name__}, which cannot be read"
    assert refused(QRELS, thing).problems == (f"the run: {unreadable}",)
    assert refused(thing, RUN).problems == (f"the judgements: {unreadable}",)
    assert refused(thing, RUN).remedy.startswith("give {query: {document: grade}}, {query: [document, ...]}, rows")


def test_nothing_is_neither_a_run_nor_judgements() -> None:
    assert str(refused(QRELS, None)) == (
        f"there is no run: run=None   [input-type]\n  give judgements and a run: evaluate(qrels, run)\n{LABELS}"
    )
    assert refused(None, RUN).problems == ("there are no judgements: qrels=None",)


# Frames

FRAME = pl.DataFrame({"query": ["q1", "q1"], "document": ["d1", "d2"], "score": [1.0, 2.0]})
LIBRARIES: dict[str, Callable[[pl.DataFrame], Any]] = {
    "polars": lambda frame: frame,
    "lazy": lambda frame: frame.lazy(),
    "pandas": lambda frame: frame.to_pandas(),
    "pyarrow": lambda frame: frame.to_arrow(),
}
every_library = pytest.mark.parametrize("library", LIBRARIES)


@every_library
def test_frames_lack_no_column_and_have_none_twice(library: str) -> None:
    to = LIBRARIES[library]
    assert str(refused(QRELS, to(FRAME.rename({"score": "points"})))) == (
        "the run: there is no score or rank column; the columns are query document points   [frame-columns]\n"
        '  if its rows are in rank order: order="given", '
        "or columns={'score': ''}\n"
        "  otherwise say which it is: columns={'score': 'NAME'}"
    )
    assert str(refused(QRELS, to(FRAME.rename({"query": "term"})))) == (
        "the run: there is no query column; the columns are term document score   [frame-columns]\n"
        "  say which it is: columns={'query': 'NAME'}"
    )
    assert str(refused(QRELS, to(FRAME.with_columns(docno=pl.col("document"))))) == (
        "the run: document docno could all be the document column; the columns are query document score docno"
        "   [frame-columns]\n  keep one of them, or say which it is: "
        "columns={'document': 'document'}"
    )
    assert refused(QRELS, to(FRAME.with_columns(pl.col("score").alias("Score")))).slug == "frame-columns"
    assert str(refused(to(FRAME), RUN)) == (
        "the judgements: there is no grade column; the columns are query document score   [frame-columns]\n"
        "  this looks like a run; the judgements come first, the run comes second\n"
        "  say which it is: columns={'grade': 'NAME'}\n  if none holds grades: columns={'grade': ''}"
    )


@every_library
@pytest.mark.parametrize("column", ["query", "document", "score"])
def test_frames_have_no_holes(library: str, column: str) -> None:
    holes = FRAME.with_columns(pl.when(pl.int_range(pl.len()) == 1).then(None).otherwise(pl.col(column)).alias(column))
    assert str(refused(QRELS, LIBRARIES[library](pl.concat([holes, holes])))) == (
        f"the run: row 1: the {column} is missing   [missing-value]\n  leave "
        + ("the document out, or give it a score" if column == "score" else "it out, or give it")
    )


def test_a_column_of_nothing_is_a_column_of_holes() -> None:
    assert refused(QRELS, FRAME.with_columns(score=pl.lit(None))).slug == "missing-value"
    one = FRAME.with_columns(score=pl.Series([None, 1.0]))
    assert refused(QRELS, one).problems == ("the run: row 0: the score is missing",)


def test_frames_hold_numbers_where_numbers_belong() -> None:
    nan = FRAME.with_columns(score=pl.Series([1.0, float("nan")]))
    assert str(refused(QRELS, nan)) == (
        "the run: row 1: the score is nan, not a number   [bad-score]\n"
        "  leave out what has no finite score, or fix what made it"
    )
    grades = nan.rename({"score": "grade"})
    assert rw.Qrels(grades).blanks == 1
    assert refused(grades.with_columns(grade=pl.Series([float("inf"), 1])), RUN).slug == "bad-grade"
    assert rw.evaluate({"q1": {"d1": 1}}, FRAME.with_columns(score=pl.Series([float("inf"), 1])), ["RR"])["RR"] == 1
    text = FRAME.with_columns(score=pl.Series(["A", "B"]))
    assert str(refused(QRELS, text)) == (
        "the run: row 0: the score is 'A', not a number   [bad-score]\n"
        "  leave out what has no finite score, or fix what made it"
    )
    digits = FRAME.with_columns(score=pl.Series(["1.0", "2.0"])).rename({"score": "label"})
    assert rw.Qrels(digits).grades.tolist() == [1, 2]
    assert refused(QRELS, FRAME.with_columns(score=pl.date(2026, 1, 1))).slug == "bad-score"


def test_ids_in_frames_are_text_or_integers() -> None:
    assert str(refused(QRELS, FRAME.with_columns(document=pl.Series([1.0, 2.0])))) == (
        "the run: row 0: the document 1.0 is float; ids are text or integers   [id-type]\n"
        "  convert the ids to text, as they are in the other input"
    )
    for bad in (pl.lit(value=True), pl.lit(b"x"), pl.date(2026, 1, 1)):
        assert refused(QRELS, FRAME.with_columns(query=bad)).slug == "id-type"


def test_columns_of_one_name_are_refused_in_one_line() -> None:
    rows = [["q1", "d1", 1.0, 2.0]]
    names = ["query", "document", "score", "score"]
    for frame in (pd.DataFrame(rows, columns=names), pa.table(list(zip(*rows, strict=True)), names=names)):
        assert str(refused(QRELS, frame)) == (
            "the run: 2 columns are called score; the columns are query document score score   [frame-columns]\n"
            "  rename or remove those that are not meant"
        )


def test_a_frame_without_columns_says_so() -> None:
    for frame in (pl.DataFrame(), pd.DataFrame()):
        [problem] = refused(QRELS, frame).problems
        assert problem.startswith("the run: there is no query column, no document column and no score or rank column;")
        assert problem.endswith("; there are no columns")


def test_the_fields_of_records_are_no_columns() -> None:
    frame = pl.DataFrame({"query": ["q1"], "docs": [[{"name": "d1", "score": 0.5}]]})
    assert str(refused(QRELS, frame)) == (
        "the run: row 0, item 0: there is no document field; the fields are name score   [frame-columns]\n"
        "  did you mean columns={'document': 'name'}?"
    )


@pytest.mark.parametrize(
    ("items", "may_be_grades"),
    [([["a"], ["b"]], False), ([None, {"a": 1}], False), ([[1], [2]], False), ([None, 1], True), ([1, "b"], True)],
)
def test_pandas_columns_of_objects_may_be_grades_if_the_first_item_is_a_number(
    items: list[Any], may_be_grades: bool
) -> None:
    frame = pd.DataFrame({"query": ["q1", "q1"], "document": ["d1", "d2"], "more": pd.Series(items, dtype=object)})
    if may_be_grades:
        assert refused(frame, RUN).remedy == "did you mean columns={'grade': 'more'}?"
    else:
        assert rw.Qrels(frame) == rw.Qrels({"q1": {"d1": 1, "d2": 1}})


def test_pandas_columns_of_objects_are_looked_at_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def frame(**changed: list[Any]) -> pd.DataFrame:
        return pd.DataFrame(
            {"query": ["q1", "q1"], "document": ["d1", "d2"], "score": [1.0, 2.0]} | changed, dtype=object
        )

    for _ in range(2):
        assert (
            str(refused(QRELS, frame(score=[1.0, "high"])))
            == "the run: row 1: the score is 'high', not a number   [bad-score]\n"
            "  leave out what has no finite score, or fix what made it"
        )
        assert refused(QRELS, frame(score=[1.0, None])).slug == "missing-value"
        assert refused(QRELS, frame(document=["d1", 2.5])).slug == "id-type"
        assert refused(QRELS, frame(document=["d1", None])).slug == "missing-value"
        monkeypatch.setitem(sys.modules, "pyarrow", None)


def test_frames_without_rows_are_refused() -> None:
    assert str(refused(QRELS, FRAME.clear())) == "the run: the frame has no rows   [empty-input]"
    assert refused(QRELS, pl.DataFrame()).slug == "frame-columns"


def test_what_speaks_arrow_but_is_no_frame_is_refused() -> None:
    class Broken:
        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            message = "the connection is closed"
            raise RuntimeError(message)

    assert str(refused(QRELS, Broken())) == (
        "the run: this Broken cannot be read as a frame (the connection is closed)   [input-type]"
    )
    assert refused(QRELS, pl.Series("score", [1.0])).problems == (
        "the run: its first item 1.0 is float, which cannot be read",
    )
    assert refused(QRELS, pa.chunked_array([[1.0]])).problems == (
        "the run: its first item 1.0 is float, which cannot be read",
    )


# Errors themselves


def test_errors_travel_between_processes() -> None:
    error = refused_run("q1 Q0\nq1 Q0 d 1 x t\n" * 20)
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is InputError
    assert str(again) == str(error)
    for name in ("slug", "slugs", "problems", "more", "remedy"):
        assert getattr(again, name) == getattr(error, name)
    warning = rw.RankworthWarning("shallow-run", "the run is 5 deep")
    again = pickle.loads(pickle.dumps(warning))
    assert (str(again), again.slug, again.text) == (str(warning), "shallow-run", "the run is 5 deep")


def test_errors_of_one_input_are_value_errors_and_no_usage_errors() -> None:
    error = refused_run("")
    assert isinstance(error, rw.RankworthError)
    assert isinstance(error, ValueError)
    assert not isinstance(error, UsageError)


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="counts open files as Linux does")
@pytest.mark.parametrize("scattered", [False, True])
def test_no_thread_and_no_open_file_outlives_a_refusal(
    scattered: bool, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    monkeypatch.setattr(trec, "CHUNK", 500)
    lines = [f"q{query} Q0 d{rank} 1 {rank} t\n" for query in range(30) for rank in range(20)]
    lines.insert(200, lines[195])
    if scattered:
        lines.sort(key=lambda line: line.split()[2])
    threads = set(threading.enumerate())
    refused_run("".join(lines))  # what Polars opens with its first file, and keeps
    gc.collect()
    gc.disable()
    request.addfinalizer(gc.enable)
    opened = len(list(Path("/proc/self/fd").iterdir()))
    error = refused_run("".join(lines))
    assert error.slug == "duplicate-document"
    assert error.__traceback__ is not None
    patience = time.monotonic() + 10
    while set(threading.enumerate()) - threads and time.monotonic() < patience:
        time.sleep(0.01)
    assert set(threading.enumerate()) - threads == set()
    assert len(list(Path("/proc/self/fd").iterdir())) == opened


def test_nothing_is_printed_when_the_interpreter_ends_after_an_error(tmp_path: Path) -> None:
    (tmp_path / "bad.run").write_text(GOOD + "q1\n")
    program = (
        "import rankworth as rw\n"
        "try: rw.evaluate({'q1': {'d1': 1}}, 'bad.run', ['RR'])\n"
        "except rw.InputError as error: print(error.slug)\n"
    )
    command = [sys.executable, "-X", "dev", "-W", "error", "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("run-columns\n", "")


# Any bytes at all

NUMBER = re.compile(rb"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|(?i:inf|infinity))")


def parsed(content: bytes, columns: int, place: int) -> list[tuple[str, str, float]] | None:
    """What a file holds; None where it is not valid: the format in ten lines, for comparison."""
    rows, keys = [], []
    for line in content.split(b"\n"):
        text = re.sub(rb"^(\xef\xbb\xbf)?[ \t\v\f\r]*", b"", line)  # a second byte order mark is part of the id
        fields = [field for field in re.split(rb"[ \t\v\f\r]+", text) if field]
        if not fields or fields[0].startswith(b"#"):
            continue
        cells = text.strip(b" \t\v\f\r").split(b"\t")
        if len(fields) > columns == len(cells) == 6 and all(re.fullmatch(rb"\s*\S+\s*", cell) for cell in cells[:5]):
            fields = [*fields[:5], cells[5]]
        if len(fields) != columns or not NUMBER.fullmatch(fields[place]):
            return None
        if not is_text(b" ".join(fields if columns == 4 else (fields[0], fields[2], fields[-1]))):
            return None
        rows.append((fields[0].decode(), fields[2].decode(), float(fields[place])))
        keys.append((fields[0], fields[2], fields[1] if columns == 4 else b""))  # documents again for each subtopic
    only_cr = b"\r" in content.rstrip() and b"\n" not in content
    infinite = columns == 4 and any(abs(value) == float("inf") for _, _, value in rows)
    twice = len({*keys}) < len(rows)
    return None if not rows or twice or infinite or only_cr or b"\0" in content else rows


def is_text(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True


def compare(content: bytes, folder: Path, chunk: int) -> bool:
    """Read the bytes as a run and as judgements, and compare; whether they are valid as either."""
    path = folder / "any"
    path.write_bytes(content)
    as_run, as_qrels = parsed(content, 6, 4), parsed(content, 4, 3)
    form = "trec" if b"\t" in content and b" " in content else ""  # words with tabs here and there may be cells
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trec, "CHUNK", chunk)
        if as_run is None:
            with pytest.raises(InputError):
                judge(Qrels({"q1": {"d1": 1}}), Run(path, format="trec"))
            with suppress(InputError):  # it may be a table or JSON
                Run(path).to_frame()
        else:
            with nullcontext() if is_text(content) else suppress(InputError):  # of ranks that are no text
                frame = Run(path, format=form).to_frame().select("query", "document", "score")
                assert frame.rows() == as_run
            counts = Counter(query for query, _, _ in as_run)
            qrels = {query: {"d1": 1} for query in counts}
            assert judge(Qrels(qrels), Run(path, format=form)).hits.n_retrieved.tolist() == [
                counts[query] for query in sorted(counts)
            ]
        if as_qrels is None:
            with pytest.raises(InputError):
                Qrels(path, format="trec")
            with suppress(InputError):
                Qrels(path)
        else:
            wanted: dict[str, dict[str, float]] = {}
            for query, document, grade in as_qrels:
                grades = wanted.setdefault(query, {})
                grades[document] = max(grade, grades.get(document, grade))
            assert Qrels(path, format=form).to_dict() == wanted
    return as_run is not None or as_qrels is not None


CHUNKS = st.sampled_from([8, 24, 64, 8 << 20])
WORDS = st.sampled_from(
    [
        "q1",
        "q2",
        "1",
        "Q0",
        "d1",
        "d2",
        "d\u00e9",
        "\ufeffd",
        "#x",
        "x#",
        "0.5",
        "-1",
        "1e5",
        "inf",
        "nan",
        "NaN",
        "1,5",
        "BZh9",
        '"',
        "'",
        "\\",
        "\x85",
        "\u2028",
        "\xa0",
        "\x1c",
        "\0",
        "\x7f",
    ]
)
WHITE = st.sampled_from([" ", " ", " ", " ", "\t", "\t", "  ", "\r", "\v", "\f", " \t "])
ENDS = st.sampled_from(["\n", "\n", "\n", "\r\n", "\n\n", "\n# c\n", " \n\t", "\r"])
fuzz = settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@fuzz
@given(content=st.binary(max_size=200), chunk=CHUNKS)
@example(content=b"\x1f\x8b", chunk=64)
@example(content=b"BZh91AY&SY", chunk=64)
@example(content=b"BZh9 Q0 d1 1 2.0 t\n", chunk=64)
@example(content=b"\xef\xbb\xbf\xef\xbb\xbfq1 Q0 d1 1 2.0 t\n", chunk=64)
def test_any_bytes_are_read_right_or_refused(content: bytes, chunk: int, folder: Path) -> None:
    compare(content, folder, chunk)


@st.composite
def odd_lines(draw: st.DrawFn) -> bytes:
    """Write lines of four and six words that are often valid, and often nearly."""
    width = draw(st.sampled_from([4, 6, 6]))
    parts = [draw(st.sampled_from(["", "", "\ufeff", "\t"]))]
    for number in range(draw(st.integers(1, 5))):
        likely = ["q1", "Q0", f"d{number}", "1.5", "0.25", "t"][: 6 if width == 6 else 4]
        odd = draw(st.integers(-8, 5))
        white = draw(st.sampled_from([WHITE, WHITE, WHITE, st.just("\t")]))
        words = [draw(WORDS) if place == odd else word for place, word in enumerate(likely)]
        words += draw(st.lists(WORDS, max_size=1)) if draw(st.integers(0, 9)) == 0 else []
        words[-1] += draw(st.sampled_from(["", "", "", " x", " x y"]))
        parts += [word + draw(white) for word in words[:-1]] + [words[-1], draw(ENDS)]
    content = "".join(parts).encode()
    if draw(st.integers(0, 4)) == 0:
        place = draw(st.integers(0, len(content) - 1))
        content = content[:place] + draw(st.binary(max_size=2)) + content[place + 1 :]
    return content


@fuzz
@given(content=odd_lines(), chunk=CHUNKS)
def test_nearly_valid_lines_are_read_right_or_refused(content: bytes, chunk: int, folder: Path) -> None:
    compare(content, folder, chunk)


@st.composite
def valid_lines(draw: st.DrawFn) -> bytes:
    """Write any run or judgements in any valid way."""
    word = st.text(st.characters(exclude_categories=["Cs"], exclude_characters=" \t\n\v\f\r\0"), min_size=1, max_size=5)
    number = (
        st.floats(allow_nan=False, allow_infinity=False).map(repr)
        | st.integers().map(str)
        | st.sampled_from(["+.5", "5.", "1E-3"])
    )
    run = draw(st.booleans())
    pairs = draw(st.lists(st.tuples(word, word), min_size=1, max_size=6, unique=True))
    parts = []
    for query, document in pairs:
        words = [query, draw(word), document, draw(number)]
        words = [*words[:3], draw(word), draw(number), draw(word)] if run else words
        parts += [
            "x" * query.startswith(("#", "\ufeff")),
            *(text + draw(WHITE) for text in words[:-1]),
            words[-1],
            draw(ENDS),
        ]
    return "".join(parts).replace("\r" * (parts[-1] == "\r"), "").encode()


@fuzz
@given(content=valid_lines(), chunk=CHUNKS)
def test_valid_files_are_always_read(content: bytes, chunk: int, folder: Path) -> None:
    compare(content, folder, chunk)


def test_the_lines_of_the_fuzzers_are_often_valid_and_often_not(folder: Path) -> None:
    seen: dict[str, Counter[bool]] = {"odd": Counter(), "valid": Counter()}

    @settings(max_examples=200, deadline=None, database=None, derandomize=True)
    @given(odd=odd_lines(), valid=valid_lines())
    def count(odd: bytes, valid: bytes) -> None:
        seen["odd"][compare(odd, folder, 64)] += 1
        seen["valid"][compare(valid, folder, 64)] += 1

    count()
    assert min(seen["odd"][True], seen["odd"][False]) > 30
    assert seen["valid"][True] > 100


def test_json_is_a_run_as_its_dict_is() -> None:
    Path("a.json").write_text(json.dumps(RUN))
    assert Run("a.json").to_frame().equals(Run(RUN).to_frame())
    assert rw.evaluate(QRELS, "a.json", ["RR"])["RR"] == rw.evaluate(QRELS, RUN, ["RR"])["RR"] == 1


# Memory

MANY = 10_000_000
HOSTILE: dict[str, tuple[bytes, bytes, str]] = {
    "words": (b"", b"ab ", "endless-line"),
    "words below a line": (GOOD.encode(), b"ab ", "endless-line"),
    "one word": (GOOD.encode(), b"a", "endless-line"),
    "blank lines": (b"", b"\n", "empty-input"),
    "blank lines below a line": (GOOD.encode(), b"\r\n", ""),
    "comments": (b"", b"#\n", "empty-input"),
    "cells": (b"query,document,score\nq1,d1,1\n", b"ab,", "endless-line"),
    "quoted cells": (b"query,document,score\nq1,d1,1\n", b'"a",', "endless-line"),
    "delimiters": (b"query\tdocument\tscore\n", b"\t", "endless-line"),
    "columns": (b"query,document,score,", b"c,", "endless-line"),
    "blank lines below a header": (b"query,document,score\nq1,d1,1\n", b"\n", ""),
    "brackets": (b"", b"[", "endless-line"),
    "empty objects": (b'{"query":"q1","document":"d1","score":1}\n{"documents":[', b"{},", "input-type"),
    "one text again and again": (b'{"q1":[', b'"a",', "endless-line"),
    "blanks before JSON": (b"[", b" ", "endless-line"),
    "words below JSON": (b'{"query":"q1","document":"d1","score":1}\n', b"ab ", "bad-json"),
}
MEASURED = """
import os, sys
from pathlib import Path
import numpy, polars
import rankworth as rw
from rankworth.evaluation import runner
for folder in sys.stdin.read().splitlines():
    if not os.fork():
        os.chdir(folder)
        slug = ""
        try:
            rw.evaluate("qrels.txt", "a", ["RR"], missing="absent")
        except rw.RankworthError as error:
            slug = error.slug
        [peak] = [line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM")]
        Path("measured").write_text(f"{slug} {peak.split()[1]}")
        os._exit(0)
    os.wait()
"""
"""evaluates a file of each folder in a process of its own, which is forked where all is imported and nothing has run"""


def test_what_is_no_ranking_takes_less_than_300_megabytes(tmp_path: Path) -> None:
    """Ten million bytes of it; as objects of Python, they would take more."""
    shapes = [*((shape, False) for shape in HOSTILE), ("words", True), ("blank lines", True), ("cells", True)]
    for number, (shape, packed) in enumerate(shapes):
        before, unit, _ = HOSTILE[shape]
        content = before + unit * (MANY // len(unit))
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "a").write_bytes(gzip.compress(content, 1) if packed else content)
        (folder / "qrels.txt").write_text("q1 0 d1 1\n")
    folders = "\n".join(str(tmp_path / str(number)) for number in range(len(shapes)))
    done = subprocess.run([sys.executable, "-c", MEASURED], input=folders, capture_output=True, text=True, check=False)
    found = {}
    for number, shape in enumerate(shapes):
        measured = tmp_path / str(number) / "measured"
        assert measured.exists(), (shape, done.stderr)
        slug, kilobytes = measured.read_text().split(" ")
        found[shape] = (slug, int(kilobytes))
    assert {shape: slug for shape, (slug, _) in found.items()} == {shape: HOSTILE[shape[0]][2] for shape in shapes}
    assert {shape: size for shape, (_, size) in found.items() if size >= 300_000} == {}


@pytest.mark.parametrize("what", ["only", "exclude"])
def test_lists_of_ids_keep_no_blank_lines(what: str) -> None:
    Path("a").write_bytes(gzip.compress(b"q1 d1\n" if what == "exclude" else b"q1\n") + gzip.compress(b"\n" * MANY, 1))
    Path("qrels.txt").write_text("q1 0 d1 1\nq1 0 d2 1\n")
    Path("good.run").write_text("q1 Q0 d2 1 1 t\n")
    line = [sys.executable, "-m", "rankworth", "evaluate", "qrels.txt", "good.run", f"--{what}", "a"]
    code = f"import resource, subprocess; print(subprocess.run({line!r}).returncode)"
    code += "; print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    *_, status, kilobytes = done.stdout.split()
    assert status == "0", done.stderr
    assert int(kilobytes) < 250_000


def test_a_line_has_64_kilobytes_at_most() -> None:
    error = refused_run(f"{GOOD}q1 Q0 {'d' * 65536} 1 2.0 t\n")
    assert (error.slug, error.problems) == ("endless-line", ("a.run:2: this run line does not end within 64 kB",))


def test_a_line_with_far_too_many_columns_is_not_split_at_all_of_them() -> None:
    error = refused_run(f"{GOOD}q1 Q0 d1 1 2.0 {'t ' * 20_000}\n")
    assert error.problems == (f"a.run:2: {RUN_HAS} 10001: q1 Q0 d1 1 2.0 t t t ...",)


def test_a_line_of_64_kilobytes_is_read() -> None:
    document = "d" * (65536 - len(GOOD))
    Path("a.run").write_text(f"{GOOD}q1 Q0 {document} 1 1.0 bm25\n")
    assert rw.evaluate({"q1": {document: 1}}, "a.run", ["RR"]).mean() == {"RR": 0.5}


SWAPPED = {
    "txt": ("q1 0 a 1\nq1 0 b 0\n", "q1 Q0 a 1 0.9 t\nq1 Q0 b 2 0.5 t\n"),
    "csv": ("query,document,grade\nq1,a,1\n", "query,document,score\nq1,a,0.9\n"),
    "tsv": ("qid\tdocid\trelevance\nq1\ta\t1\n", "qid\tdocid\trank\nq1\ta\t1\n"),
    "json": ('[{"query":"q1","document":"a","grade":1}]', '[{"query":"q1","document":"a","score":0.9}]'),
    "jsonl": ('{"query":"q1","document":"a","grade":1}\n', '{"query":"q1","document":"a","score":0.9}\n'),
}


@pytest.mark.parametrize("form", [*SWAPPED, "parquet", "frame"])
def test_swapped_judgements_and_runs_are_said_first(form: str) -> None:
    sides: list[Any] = [
        pl.DataFrame({"query": ["q1"], "document": ["a"], value: [1.0]}) for value in ("grade", "score")
    ]
    if form != "frame":
        names = [f"qrels.{form}", f"run.{form}"]
        for name, frame, text in zip(names, sides, SWAPPED.get(form, sides), strict=True):
            frame.write_parquet(name) if form == "parquet" else Path(name).write_text(text)
        sides = names
    qrels, run = sides
    hints = {
        "this looks like a run; the judgements come first, the run comes second",
        "this looks like judgements; they come first, the run comes second",
    }
    for judged, ranked in ((run, qrels), (qrels, qrels), (run, run)):
        with pytest.raises(InputError) as caught:
            rw.evaluate(judged, ranked)
        assert caught.value.remedy.splitlines()[0] in hints


# Files that are made to take time or memory


@pytest.mark.parametrize(
    ("name", "head"),
    [
        ("a.run.gz", ""),
        ("a.run.gz", "q1 Q0 d1 1 2.0 x\n"),
        ("a.csv.gz", "query,document,score\nq1,d1,2\n"),
        ("a.jsonl.gz", '{"query": "q1", "document": "d1", "score": 2}\n'),
    ],
)
@pytest.mark.parametrize("blank", ["\n", "\r\n", " \n"])
def test_line_breaks_without_end_are_refused_soon(name: str, head: str, blank: str, tmp_path: Path) -> None:
    path = tmp_path / name
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(head.encode())
        for _ in range(24):
            file.write(blank.encode() * ((1 << 20) // len(blank)))
    with pytest.raises(InputError) as caught:
        rw.evaluate({"q1": {"d1": 1}}, path, ["RR"])
    assert caught.value.slug == "endless-line"
    assert "more than 16 MB of blank lines stand before line" in str(caught.value)


def test_many_blank_lines_do_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    path.write_text("\n" * 9_000_000 + "q1 Q0 d1 1 2.0 x\n" + "\n" * 9_000_000)
    assert rw.evaluate({"q1": {"d1": 1}}, path, ["RR"])["RR"] == 1


def test_a_panic_of_the_reader_is_not_shown_and_all_else_is(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.arrow"
    pl.DataFrame({"query": ["q"], "document": ["d"], "score": [1.0]}).write_ipc(path)
    file = parquet.File(Source(path), "arrow")

    def panics() -> None:
        os.write(2, b"thread 'x' panicked at lib.rs:1\n")
        raise pl.exceptions.PanicException("out of bounds")

    def warns() -> int:
        os.write(2, b"a warning of another library\n")
        return 7

    with pytest.raises(InputError, match=r"cannot be read as Arrow IPC \(out of bounds\)"):
        file.sure(panics)
    assert capfd.readouterr().err == ""
    assert file.sure(warns) == 7
    assert capfd.readouterr().err == "a warning of another library\n"
    with pytest.raises(InputError, match="no such column"):
        file.sure(lambda: [os.write(2, b"said\n"), {}["no such column"]])
    assert capfd.readouterr().err == "said\n"


@pytest.mark.parametrize("form", ["ipc", "ipc_stream", "parquet"])
def test_no_damaged_table_prints_more_than_its_error(
    form: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    good, path = io.BytesIO(), tmp_path / "a.table"
    rows = {"query": [f"q{row // 10}" for row in range(300)], "document": [f"d{row}" for row in range(300)]}
    getattr(pl.DataFrame(rows | {"score": [float(row) for row in range(300)]}), f"write_{form}")(good)
    for seed in range(60):
        chance, damaged = random.Random(seed), bytearray(good.getvalue())  # noqa: S311 - planted
        for _ in range(3):
            damaged[chance.randrange(8, len(damaged))] = chance.randrange(256)
        path.write_bytes(damaged)
        with suppress(rw.RankworthError):
            rw.Run(path).to_frame()
    assert capfd.readouterr().err == ""
