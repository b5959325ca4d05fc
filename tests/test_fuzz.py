"""A thousand made-up and damaged files: each gives a clear error or the right rows and values, and never a traceback.

The files are those of `benchmarks/fuzz.py`, which tries a hundred thousand; `tests/fuzzing` says what is right.
"""

import base64
import bz2
import json
import lzma
import subprocess
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from fuzzing import packing, processes, trials
from fuzzing.naive import Unclear
from fuzzing.trials import COLUMNAR, NAIVE, WRITERS, Trial
from rankworth.errors import InputError
from rankworth.io import ids
from rankworth.io.facts import Observed
from rankworth.io.files import file_batches
from rankworth.io.layout import QRELS, RUN, Layout
from rankworth.io.options import Reading
from rankworth.io.source import Source

Rows = list[tuple[Any, ...]]
SEED = 1
WRITTEN, DAMAGED, DRAWN = 25, 45, 100
READERS = sorted(WRITERS)
TEXTS = sorted(WRITERS.keys() - COLUMNAR)
several = settings(
    max_examples=100,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    phases=set(settings.default.phases) - {Phase.shrink},  # of a thousand random choices, shrinking finds no end
)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a file that every trial overwrites."""
    return tmp_path_factory.mktemp("fuzz") / "input"


def trial_of(reader: str, number: int, *, damaged: bool) -> Trial:
    """The trial of a number, which is the same on every machine."""
    return Trial.of(reader, Random(f"{SEED}/{reader}/{number}"), damaged=damaged)  # noqa: S311 - nothing secret


def wrong_with(trial: Trial, path: Path) -> str:
    """What is wrong, and with which bytes; nothing where all is well."""
    wrong = trials.judged(trial, path).wrong
    return wrong and f"{wrong}\n{trial.said()}\n{trial.written.content!r}"


@pytest.mark.parametrize("reader", READERS)
def test_a_file_gives_the_rows_and_values_that_were_written_in_all_ways_that_its_format_allows(
    reader: str, path: Path
) -> None:
    for number in range(WRITTEN):
        assert not wrong_with(trial_of(reader, number, damaged=False), path)


@pytest.mark.parametrize("reader", TEXTS)
def test_a_damaged_file_gives_a_clear_error_or_what_a_naive_reader_finds_in_it(reader: str, path: Path) -> None:
    for number in range(DAMAGED):
        assert not wrong_with(trial_of(reader, number, damaged=True), path)


@pytest.mark.parametrize("reader", sorted(COLUMNAR))
def test_damage_to_columns_ends_no_process_and_says_nothing_besides_the_error(reader: str) -> None:
    results = list(processes.watched(reader, SEED, 0, DAMAGED))
    assert [result.number for result in results] == list(range(DAMAGED))
    assert not [result for result in results if result.wrong]


def test_no_file_that_is_made_up_gives_a_traceback_or_another_number(path: Path) -> None:
    """Any reader, written or damaged; by numbers, as Hypothesis draws other ones where other modules are loaded."""
    for number in range(DRAWN):
        random = Random(f"{SEED}/drawn/{number}")  # noqa: S311 - nothing secret
        assert not wrong_with(Trial.of(random.choice(TEXTS), random), path)


@several
@given(content=st.binary(max_size=100) | st.text(max_size=60).map(str.encode), code=st.binary(min_size=4, max_size=4))
def test_no_bytes_at_all_give_a_traceback_or_rows_that_a_naive_reader_does_not_find(
    content: bytes, code: bytes, path: Path
) -> None:
    assert not wrong_with(trials.coded(code + content, TEXTS), path)


# What was found, in the smallest inputs that show it: the rows, or the slug of the error.

HITS = {
    "metric_score": 0.1,
    "details": {
        "q": {
            "hits": [
                {"hit": {"_index": "a", "_id": "d1", "_score": 2.0}, "rating": 1},
                {"hit": {"_index": "b", "_id": "d2", "_score": 1.0}, "rating": None},
            ]
        }
    },
}
ONE, TWO = b"q1 0 d1 1\n", b"q1 0 d2 1\n"
JUDGED: dict[str, tuple[bytes, str, Rows | str]] = {
    "a damaged second part, bzip2": (bz2.compress(ONE) + b"X" + bz2.compress(TWO), "", "truncated-file"),
    "a damaged second part, xz": (lzma.compress(ONE) + b"X" + lzma.compress(TWO), "", "truncated-file"),
    "two parts, bzip2": (bz2.compress(ONE) + bz2.compress(TWO), "", [("q1", "d1", 1.0), ("q1", "d2", 1.0)]),
    "rated hits of one index among two": (json.dumps(HITS).encode(), "", [("q", "a/d1", 1.0)]),
}


def answer(failures: object = None, **hit: object) -> bytes:
    """Write a response of _rank_eval with a hit of these fields."""
    return json.dumps({"details": {"q": {"hits": [{"hit": hit}]}}, "failures": failures}).encode()


RANKED: dict[str, tuple[bytes, str, Rows | str]] = {
    "failures that are a number": (answer(2.5, _id="d", _score=1), "json", "frame-columns"),
    "an index that is a list": (answer(_index=[], _id="d", _score=1), "json", "id-type"),
    "an index that is an object": (answer(_index={}, _id="d", _score=1), "json", "id-type"),
    "an id that is a fraction": (answer(_index="a", _id=0.25, _score=1), "json", "id-type"),
    "a score that is an object": (answer(_index="a", _id="d", _score={}), "json", "bad-score"),
    "an id that begins as zlib's data do": (b"x^1 Q0 d 1 2.5 t\n", "", [("x^1", "d", 2.5)]),
    "the same in a table": (b"x\x01\td\t2.5\n", "tsv", [("x\x01", "d", 2.5)]),
    "zstd's first bytes below an empty line": (b"\n(\xb5/\xfd Q0 d 1 2.5 t\n", "", "wrong-encoding"),
    "a first cell of several lines": (b'",\n#"\td\t.5\n', "tsv", [(",\n#", "d", 0.5)]),
    "a hit without the name of its index": (
        json.dumps(HITS).replace('"_index": "b", ', "").encode(),
        "",
        "frame-columns",
    ),
    "a first cell with a line break and no other tab in its line": (
        b'"\n24"\td\t.5\n"\n25"\td\t1\n',
        "tsv",
        [("\n24", "d", 0.5), ("\n25", "d", 1.0)],
    ),
    "a column called as lists are": (b"query,hits,score\nq1,10,2.5\n", "", "frame-columns"),
    "terminal codes in an open cell": (b'query,document,score\n"a\x1b[2J\n', "", "bad-quotes"),
}


@pytest.mark.parametrize("name", JUDGED)
def test_judgements_that_were_misread_once_are_read_or_refused(name: str, path: Path) -> None:
    content, form, expected = JUDGED[name]
    assert read(content, path, QRELS, form) == expected


@pytest.mark.parametrize("name", RANKED)
def test_runs_that_were_misread_once_are_read_or_refused(name: str, path: Path) -> None:
    content, form, expected = RANKED[name]
    assert read(content, path, RUN, form) == expected


def read(content: bytes, path: Path, layout: Layout, form: str) -> Rows | str:
    """The rows, or the slug of an error whose text can be shown on any terminal."""
    path.write_bytes(content)
    try:
        return [
            row for frame in file_batches((Source(path),), layout, Reading(form), Observed()) for row in frame.rows()
        ]
    except InputError as error:
        return error.slug if all(line.isprintable() for line in str(error).splitlines()) else repr(str(error))


@pytest.mark.parametrize("content", [b"a\x1cb\n", "a\u2028b\n".encode(), "a\u00a0\n".encode(), "a\u0085b\n".encode()])
def test_a_list_of_queries_is_split_at_line_ends_only(content: bytes, path: Path) -> None:
    path.write_bytes(content)
    assert ids.read_ids(str(path)) == [content.decode().removesuffix("\n")]


SHIFTED = (
    "eNrVUztOw0AQfcabjUFbuEgBEkJGUNDxEVQ08QkipaFMEEYoTSIF6GjoKDlCjkDDHTgCR+ASKLydHQdnUQQtI82O33j89s3Ouuz3exfHwJz2Di"
    "CHtw04WLSQ8YmWGGIQZVyNrkBKf6AfKZ6Rg8Udz7GpOW8tejW5Gk8Yn1nzFurWfF3RqLP06eXdaHzj93L0tuzlFXRFW4fYMusEBa1hv+0GT5t+"
    "f3s9HYwq5ozkfX9FAjIEc1QYOnTChtQIxwzf5rDDPcyi5oW+r70laJoVrVa1ZlhtuxoPNNZ6ulFdjbc0DqP3w4jvKeKDzieJvvsN57W+18PPIn"
    "9cJuMxLiEtSymyOjmDXJFGPivDuc9l3n+h/wEX/Od769Ax1jyOzVoZTh5GyFGd6oiMtvZR82ifzfH+5+vsmyvl1/0CGrhY8A=="
)
"""An Arrow file in which a packed buffer is said to begin elsewhere, so that its length is 71,776,119,061,217,283."""


def test_an_arrow_file_that_asks_for_more_than_all_memory_does_not_end_the_process(path: Path) -> None:
    path.write_bytes(zlib.decompress(base64.b64decode(SHIFTED)))
    code = f"import rankworth; rankworth.evaluate({{'q': {{'d': 1}}}}, {str(path)!r})"
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (process.returncode, "inflated-file" in process.stderr) == (1, True), process.stderr[-300:]


# What finds mistakes is tried on mistakes.


@pytest.mark.parametrize("reader", sorted(WRITERS.keys() - {"pairs"}))
def test_the_naive_readers_find_what_was_written(reader: str) -> None:
    for number in range(DAMAGED):
        trial = trial_of(reader, number, damaged=False)
        assert naively(trial) == [list(row[:3]) for row in trial.written.rows], trial.said()


def naively(trial: Trial) -> list[list[Any]] | str:
    """The rows of the first naive reader that finds some."""
    written = trial.written
    for reader in NAIVE[written.form]:
        try:
            return [list(row[:3]) for row in reader(packing.unpacked(written.content), written.value, written.columns)]
        except Unclear as error:
            reason = str(error)
    return reason


def test_a_reader_that_loses_a_row_changes_a_number_or_raises_what_it_should_not_is_found(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trial = Trial(**{**trial_of("csv", 1, damaged=False).__dict__, "against": None})
    batches = file_batches

    def lossy(*given: Any, **named: Any) -> Iterator[pl.DataFrame]:
        return (frame[1:] for frame in batches(*given, **named))

    def careless(*given: Any, **named: Any) -> Iterator[pl.DataFrame]:
        value = trial.written.value
        return (frame.with_columns(pl.col(value) + 1) for frame in batches(*given, **named))

    def raising(*_: Any, **__: Any) -> Iterator[pl.DataFrame]:
        raise KeyError("query")

    def mute(*_: Any, **__: Any) -> Iterator[pl.DataFrame]:
        raise InputError("bad-score", " ")

    found = []
    for reader in (batches, lossy, careless, raising, mute):
        monkeypatch.setattr(trials, "file_batches", reader)
        found.append(trials.judged(trial, path).wrong.partition(":")[0])
    assert found == ["", "other rows", "other rows", "builtins.KeyError", "this says nothing"]


DYING = """
import json, os, sys
for number in range(*map(int, sys.argv[-2:])):
    print(json.dumps({"at": number}), flush=True)
    if number == 2:
        os.write(2, b"the end")
        os._exit(7)
    print(json.dumps({"number": number, "damaged": True, "outcome": "read"}), flush=True)
"""


def test_a_process_that_dies_is_found_and_the_rest_is_run_all_the_same() -> None:
    results = list(processes.watched("trec", SEED, 0, 5, command=(sys.executable, "-c", DYING)))
    assert [(one.number, one.outcome) for one in results] == [
        *((0, "read"), (1, "read"), (2, "death"), (3, "read"), (4, "read")),
    ]
    assert [one.wrong for one in results if one.wrong] == ["ends the process with 7: the end"]
