"""Rankings and judgements on their way into files: what each format can hold, and how it is written.

Rows come in frames in which every query is whole, and go out frame by frame. Numbers are written in the shortest way
that gives the same float64 when it is read, whole ones without a decimal point.
"""

import os
import re
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from io import BytesIO
from itertools import chain
from queue import SimpleQueue
from threading import Semaphore
from types import MappingProxyType
from typing import IO, Final, NamedTuple

import polars as pl
from polars.io.plugins import register_io_source

from rankworth.errors import UsageError, quoted
from rankworth.io import atomic
from rankworth.io.atomic import put
from rankworth.io.formats import FORMATS, SUFFIXES, WRITTEN
from rankworth.io.layout import QRELS, RUN
from rankworth.io.source import STDIN, is_compressed
from rankworth.io.usual_names import is_header

Frames = Iterator[pl.DataFrame]
"""Frames with `query, document, rank, score, tag` or `query, document, grade, subtopic`, each query in one of them."""

_SUFFIXES: Final = {suffix: form for suffix, form in SUFFIXES.items() if form in WRITTEN}
"""what the suffix of a file to be written says of its format"""
TABLES: Final = {RUN.value: ("query", "document", "rank", "score"), QRELS.value: ("query", "document", "grade")}
"""The columns of tables; judgements have `subtopic` beside them where it says something."""

_AHEAD: Final = 2
"""how many frames wait for Polars to write them"""
_HEAD: Final = 1 << 16
_ANY: Final = "jsonl, json, parquet and arrow hold any id"
_ANY_TABLE: Final = "csv, tsv, jsonl, json, parquet and arrow hold it"
_IDS: Final = ("query", "document", "subtopic", "source")
_LINES: Final = ("trec", "msmarco")
_CELLS: Final = ("csv", "tsv")


class _Limit(NamedTuple):
    """What some formats cannot hold in some columns."""

    forms: tuple[str, ...]
    columns: tuple[str, ...]
    cannot: Callable[[pl.Expr], pl.Expr]
    text: str
    remedy: str


_LIMITS: Final = (
    _Limit(_CELLS, _IDS, lambda ids: ~ids.str.contains(r"[^\s\x1c-\x1f]"), "is empty", _ANY),
    _Limit(_LINES, _IDS, lambda ids: ids == "", "is empty", _ANY),
    _Limit(_LINES + _CELLS, _IDS, lambda ids: ids.str.contains("\0", literal=True), "has a null byte", _ANY),
    _Limit(_LINES, _IDS, lambda ids: ids.str.contains(r"[ \t\n\r\x0b\x0c]"), "has blanks or line ends", _ANY_TABLE),
    _Limit(
        *(_LINES, ("query",), lambda ids: ids.str.contains("^[#\ufeff]")),
        *("begins as a comment or a byte order mark does", _ANY_TABLE),
    ),
    _Limit(("msmarco",), _IDS, lambda ids: ids.str.starts_with('"'), "begins with a quote", _ANY_TABLE),
    _Limit(
        *(("json", "jsonl"), ("score",), lambda score: score.is_infinite()),
        *("is infinite", "trec, csv, tsv, parquet and arrow have infinite numbers"),
    ),
)
_SCORES: Final = _Limit(
    *(("msmarco",), ("score",), lambda score: (score > -1) | (score != score.round()) | (score <= -(2.0**53))),
    *("is no rank with a minus", "--lossy writes the ranks alone; trec, csv, tsv and others keep scores"),
)
"""where nothing may be lost"""


def target_format(path: str, form: str) -> str:
    """Choose the format of a file to be written: as the user says, otherwise as its suffix does.

    Args:
        path: the file, or `-` for standard output.
        form: a format, or nothing.

    Raises:
        UsageError: `unknown-format`, `unwritable-output`.

    """
    if form and form not in WRITTEN:
        raise UsageError("unknown-format", f"there is no format {form!r}; there are {' '.join(WRITTEN)}")
    if path == STDIN:
        if not form:
            raise UsageError("unknown-format", f"standard output needs --to FORMAT; there are {' '.join(WRITTEN)}")
        return form
    by_suffix = atomic.form_of(path, form, _SUFFIXES, _SUFFIXES, "--to FORMAT")
    return form or by_suffix


def refuse(frame: pl.DataFrame, form: str, name: str, first: int, *, lossy: bool) -> None:
    """Find what a format cannot hold, before it is written.

    Args:
        frame: some rows of the input: `query, document`, `score` or `grade`.
        form: the format that they go to.
        name: what messages call the input.
        first: the number of the first row, counted from 1.
        lossy: whether scores may be left out.

    Raises:
        UsageError: `unwritable-output`.

    """
    limits = _LIMITS if lossy else (*_LIMITS, _SCORES)
    applying = [(column, limit) for limit in limits if form in limit.forms for column in limit.columns]
    for column, limit in applying:
        if column not in frame.columns:
            continue
        rows = frame.select(limit.cannot(pl.col(column))).to_series().arg_true()
        if len(rows):
            item = quoted([frame[column][rows[0]]])
            more = f" ({len(rows):,} or more such rows)" if len(rows) > 1 else ""
            place, called = f"{name}: row {rows[0] + first}", FORMATS[form].called
            text = f"{place}: the {column} {item} {limit.text}, and {called} cannot hold that"
            raise UsageError("unwritable-output", f"{text}{more}", remedy=limit.remedy)


def write(
    frames: Frames,
    file: IO[bytes],
    form: str,
    *,
    columns: tuple[str, ...],
    metadata: Mapping[str, str] = MappingProxyType({}),
) -> None:
    """Write all rows.

    Args:
        frames: the rows; a column `score` tells a run, otherwise they are judgements.
        file: what to write to; it has no buffer.
        form: one of `rankworth.io.formats.WRITTEN`.
        columns: the columns of a table.
        metadata: what is said of the rows beside them; Parquet has room for it.

    Raises:
        OSError: where the operating system refuses.
        UsageError: `unwritable-output` where the file would begin as one of another kind does.

    """
    if FORMATS[form].is_binary:
        _columnar(frames, file, form, columns, metadata)
        return
    writers: dict[str, Callable[[], Iterator[bytes]]] = {
        "trec": lambda: _trec(frames),
        "msmarco": lambda: (_delimited(frame, "\t", ("query", "document", "rank")) for frame in frames),
        "csv": lambda: _table(frames, ",", columns),
        "tsv": lambda: _table(frames, "\t", columns),
        "jsonl": lambda: (_lines(frame, columns) for frame in frames),
        "json": lambda: _dicts(frames),
    }
    for number, content in enumerate(writers[form]()):
        if not number and (kind := _taken_for(content[:_HEAD], form)):
            line = content.partition(b"\n")[0].decode()
            text = f"the first line would be taken for {kind}, and {FORMATS[form].called} cannot hold that: {line!r}"
            raise UsageError("unwritable-output", text, remedy=_ANY_TABLE)
        put(content, file)


def _taken_for(head: bytes, form: str) -> str:
    """Return the misreading of a file without a header by its beginning; empty if it reads as it should."""
    if form in _LINES and is_compressed(head):
        return "compressed data"
    if form != "msmarco":
        return ""
    cells = head.partition(b"\n")[0].decode().split("\t")
    return "a header" if is_header([cell.strip() for cell in cells]) else ""


def _number(column: str) -> pl.Expr:
    """Write float64 as text; only minus zero keeps its point where it has none, since JSON's -0 is a whole 0."""
    text = pl.col(column).cast(pl.String).str.strip_suffix(".0")
    return pl.when(text == "-0").then(pl.lit("-0.0")).otherwise(text).alias(column)


def _numbers(frame: pl.DataFrame) -> pl.DataFrame:
    """Write scores and grades as text."""
    return frame.with_columns(_number(value) for value in ("score", "grade") if value in frame.columns)


def _delimited(frame: pl.DataFrame, separator: str, columns: tuple[str, ...]) -> bytes:
    target = BytesIO()
    frame.select(columns).write_csv(target, include_header=False, separator=separator, quote_style="never")
    return target.getvalue()


def _trec(frames: Frames) -> Iterator[bytes]:
    """Write lines of a run or of judgements; tabs stand between columns where the first tags have blanks.

    Raises:
        UsageError: `unwritable-output` for blanks in later tags.

    """
    separator = ""
    for frame in frames:
        run = "score" in frame.columns
        blanks = run and frame["tag"].str.contains(" ", literal=True).any()
        separator = separator or ("\t" if blanks else " ")
        if blanks and separator == " ":
            text = "some tags have blanks and the first do not, and TREC's lines cannot hold that"
            raise UsageError("unwritable-output", text, remedy="give the run one name: NAME=FILE")
        columns = RUN.columns if run else ("query", "subtopic", "document", "grade")
        yield _delimited(_numbers(frame.with_columns(Q0=pl.lit("Q0"))), separator, columns)


def _table(frames: Frames, separator: str, columns: tuple[str, ...]) -> Iterator[bytes]:
    """Write rows in columns with a header, quoted as RFC 4180 says, where they need it."""
    yield separator.join(columns).encode() + b"\n"
    for frame in frames:
        texts = [_quoted(column, separator) for column in columns if column in _IDS]
        yield _delimited(_numbers(frame).with_columns(texts), separator, columns)


def _quoted(column: str, separator: str) -> pl.Expr:
    """Put a text in quotes where it would not be read as it is without; blanks around it are such a case."""
    text = pl.col(column)
    needed = text.str.contains(f'["\n\r{separator}]|^[ \t\ufeff]|[ \t]$')
    doubled = pl.concat_str(pl.lit('"'), text.str.replace_all('"', '""', literal=True), pl.lit('"'))
    return pl.when(needed).then(doubled).otherwise(text).alias(column)


def _json(column: str) -> pl.Expr:
    """Write a text as JSON, in quotes."""
    record = pl.struct(pl.col(column).alias("t")).struct.json_encode()
    return record.str.slice(len('{"t":')).str.strip_suffix("}")


def _lines(frame: pl.DataFrame, columns: tuple[str, ...]) -> bytes:
    """Write a JSON object in each line."""
    parts: list[pl.Expr] = []
    for column in columns:
        parts += [pl.lit(f'{", " if parts else "{"}"{column}": '), _json(column) if column in _IDS else pl.col(column)]
    lines = _numbers(frame).select(pl.concat_str(*parts, pl.lit("}\n"))).to_series()
    return str(lines.str.join("").item()).encode()


def _dicts(frames: Frames) -> Iterator[bytes]:
    """Write a dict of dicts, a query in each line."""
    before = "{\n"
    for frame in frames:
        value = "score" if "score" in frame.columns else "grade"
        pair = pl.concat_str(_json("document"), pl.lit(": "), _number(value)).alias("pair")
        inner = frame.select("query", pair).group_by("query", maintain_order=True).agg(pl.col("pair").str.join(", "))
        lines = inner.select(pl.concat_str(_json("query"), pl.lit(": {"), "pair", pl.lit("}"))).to_series()
        yield (before + ",\n".join(lines.to_list())).encode()
        before = ",\n"
    yield b"\n}\n"


def _columnar(
    frames: Frames, file: IO[bytes], form: str, columns: tuple[str, ...], metadata: Mapping[str, str]
) -> None:
    """Write a file of columns with Polars, which runs in another thread and takes the rows as if from a file."""
    first = next(frames).select(columns)
    handed: SimpleQueue[pl.DataFrame | None] = SimpleQueue()
    room = Semaphore(_AHEAD)

    def rows(*_: object) -> Iterator[pl.DataFrame]:
        while (frame := handed.get()) is not None:
            yield frame
            room.release()

    table = register_io_source(rows, schema=first.schema)
    oldest = pl.CompatLevel.oldest()
    to_parquet = partial(table.sink_parquet, metadata=dict(metadata) or None)
    sink = to_parquet if form == "parquet" else partial(table.sink_ipc, compat_level=oldest)
    with ThreadPoolExecutor(1) as pool:
        work = pool.submit(sink, file)
        work.add_done_callback(lambda _: room.release())
        try:
            for frame in chain([first], frames):
                room.acquire()
                if work.done():
                    break
                handed.put(frame.select(columns))
        finally:
            handed.put(None)
        try:
            work.result()
        except (pl.exceptions.PolarsError, OSError) as error:  # as the operating system says it
            number = re.search(r"\(os error (\d+)\)", str(error))
            raise (OSError(int(number[1]), os.strerror(int(number[1]))) if number else OSError(str(error))) from None
