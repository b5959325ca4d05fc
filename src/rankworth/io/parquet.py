"""Parquet and Arrow IPC (file and stream): the columns that count, some hundred thousand rows at a time.

A file is read where it lies, without what is not needed. What is compressed or comes from a pipe is held in memory as a
whole; of an Arrow stream, in which nothing can be found without reading what stands before it, the columns that count.
"""

import io
import os
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING, Final, TypeVar

import polars as pl

from rankworth.errors import InputError, shortened
from rankworth.io import frames
from rankworth.io.columns import Table, numbered, parts_of
from rankworth.io.frames import fields, is_list
from rankworth.io.layout import Layout
from rankworth.io.source import Source, unreadable
from rankworth.tables.versions import address

if TYPE_CHECKING:
    from rankworth.io.options import Reading

T = TypeVar("T")

SLICE: Final = 1 << 19
"""how many documents are read at a time"""
_SAMPLE: Final = 1000
_STREAM: Final = b"\xff\xff\xff\xff"
_MAGIC: Final = {"parquet": (b"PAR1",), "arrow": (b"ARROW1", _STREAM)}
_CALLED: Final = {"parquet": "Parquet", "arrow": "Arrow IPC"}
_HEAD: Final = 8
_STDERR: Final = 2
_ONE_AT_A_TIME: Final = threading.Lock()
"""held where standard error is another file"""
_ARROW: Final = b"ARROW1"
_MARK: Final = b"\xff" * 4
_LENGTH: Final = 4
_FOOTER: Final = 10
"""the length of the footer and the magic bytes behind it"""
_BLOCK: Final = "qi4xq"
_RATIO: Final = 1 << 15
"""how many times smaller compression may make data"""
# Numbers of fields in the tables of File.fbs and Message.fbs, and of the types of messages.
_DICTIONARIES, _BATCHES = 2, 3
_TYPE, _HEADER, _BODY = 1, 2, 3
_DATA: Final = 1
_BUFFERS, _COMPRESSION = 2, 3
_DICTIONARY, _BATCH = 2, 3


def batches(source: Source, layout: Layout, reading: "Reading") -> Iterator[pl.DataFrame]:
    """Yield the rows of a file, in file order; none where it has none.

    Args:
        source: where the bytes come from.
        layout: `RUN` or `QRELS`.
        reading: what the user says of the file; its format is `parquet` or `arrow`.

    Raises:
        InputError: `truncated-file`, `changed-file`, `unknown-format`, `empty-input`, and as `frames.settle`.

    """
    file = File(source, reading.format)
    schema = file.schema()
    query = reading.columns.get("query", "")
    parts = parts_of(query, schema.names())
    every = (*schema.names(), *([query] if parts else []))
    table = Table(layout.value, source.name, reading.columns, every, first=1, orders=reading.orders)
    table = replace(table, grades=reading.grades)
    columns = table.chosen()
    source.unread = table.unread(columns)
    needed = [
        name
        for column in columns.values()
        for name in parts_of(column, schema.names()) or numbered(column, schema.names(), columns.values()) or (column,)
    ]
    lazy = file.table(list(dict.fromkeys(needed)))
    rows = int(file.sure(lambda: lazy.select(pl.len()).collect()).item())
    done = 0
    listed = is_list(schema.get(columns["document"]))
    size = _together(file, lazy, columns["document"]) if listed else SLICE
    findable = file.stream or (reading.format == "parquet" and not listed)
    for frame in file.slices(lazy, rows, size) if findable else file.batches(lazy, size):
        settled = frames.settle(frame, replace(table, first=done + 1), schema)
        done += frame.height
        if settled.height:
            yield settled
        if file.in_place and source.size is not None:
            source.report(source.size * done // rows)
    if done != rows:
        raise file.damaged(f"{done:,} of {rows:,} rows are there")


def names(source: Source, form: str) -> list[str]:
    """List the names of all columns, and of the fields of records in their lists.

    Args:
        source: the file.
        form: `parquet` or `arrow`.

    Raises:
        InputError: as `batches`.

    """
    schema = File(source, form).schema()
    return [*schema.names(), *fields(schema.dtypes())]


class File:
    """One file, and what to say where it cannot be read.

    Attributes:
        in_place: whether it is read where it lies.

    """

    def __init__(self, source: Source, form: str) -> None:
        """Read the head of `source`, which is to be in the format `form`."""
        self.source = source
        self.form = form
        head = source.head(_HEAD)
        if not head:
            raise InputError("empty-input", f"{source.name}: it has no rows")
        if not head.startswith(_MAGIC[form]):
            text = f"{source.name}: this is not {_CALLED[form]}; it begins with {head!r}"
            raise InputError("unknown-format", text, remedy="leave the format out to have it detected from the content")
        self.stream = head.startswith(_STREAM)
        path = Path(source.path).resolve()  # Polars knows no ".." in an address, and paths in UTF-8 only
        self.in_place = source.size is not None and not source.compressed and str(path).isprintable()
        self.location = path if self.in_place else source.whole()
        if form == "arrow":
            self.sure(self._check_lengths)
        source.close()  # Polars opens the path itself

    def schema(self) -> pl.Schema:
        """Return all columns and their types."""
        if self.stream:
            return self.sure(lambda: pl.read_ipc_stream(self.location, n_rows=0).schema)
        return self.sure(lambda: self._scan().collect_schema())

    def table(self, columns: list[str]) -> pl.LazyFrame:
        """Select some columns; they are not read yet unless the file is a stream."""
        if self.stream:
            return self.sure(lambda: pl.read_ipc_stream(self.location, columns=columns).lazy())
        return self._scan().select(columns)

    def slices(self, table: pl.LazyFrame, rows: int, size: int) -> Iterator[pl.DataFrame]:
        """Yield all rows, some at a time: where they can be found, this needs the least memory."""
        for start in range(0, rows, size):
            yield self.sure(table.slice(start, size).collect)

    def batches(self, table: pl.LazyFrame, size: int) -> Iterator[pl.DataFrame]:
        """Yield all rows, some at a time: for lists and compressed data, where a slice costs as much as the whole."""
        frames = self.sure(lambda: table.collect_batches(chunk_size=size))
        while (frame := self.sure(lambda: next(frames, None))) is not None:
            yield frame

    def sure(self, read: Callable[[], T]) -> T:
        """Return what a call returns, and refuse the file where the call fails.

        Raises:
            InputError: `truncated-file`, `changed-file`, `unreadable-file`.

        """
        try:
            with without_panics():
                return read()
        except (FileNotFoundError, PermissionError) as error:
            raise unreadable(self.source.name, error) from None
        except MemoryError:
            raise
        except (Exception, pl.exceptions.PanicException) as error:  # noqa: BLE001 - whatever damage does to a parser
            reason = str(error).partition("\n")[0].partition(" Error {")[0]
        raise self.damaged(reason.rpartition("out of specification: ")[2])

    def damaged(self, reason: str) -> InputError:
        """Build the error for a file that cannot be read to its end.

        Raises:
            InputError: `changed-file`, where that is why.

        """
        self.source.check()
        return InputError(
            "truncated-file",
            f"{self.source.name}: it cannot be read as {_CALLED[self.form]} ({shortened(reason, 200)})",
            remedy="it ends early or is damaged, or Polars cannot read it: write, copy or download it again; "
            "nothing of it was used",
        )

    def _scan(self) -> pl.LazyFrame:
        # Polars maps a file that it is given by its path, and where that is cut off meanwhile, the process dies; one
        # that it is given by an address is read. And an address is never taken for one within the home directory.
        location = self.location if isinstance(self.location, bytes) else address(self.location)
        scan = pl.scan_parquet if self.form == "parquet" else pl.scan_ipc
        return scan(location, glob=False, hive_partitioning=False)

    def _check_lengths(self) -> None:
        with io.BytesIO(self.location) if isinstance(self.location, bytes) else self.source.open().raw as file:
            (_check_stream if self.stream else _check_file)(file)


@contextmanager
def without_panics() -> Iterator[None]:
    """Hold back what is written to standard error, and show it after all unless Polars panics.

    Damage that Polars does not expect makes it write a report for its developers, before the error that says the rest.
    """
    with _ONE_AT_A_TIME, ExitStack() as stack:
        captured: IO[bytes] | None = None
        with suppress(OSError):  # where there is no standard error, or no folder for temporary files
            captured = stack.enter_context(TemporaryFile())
            stderr_copy = os.dup(_STDERR)
            stack.callback(os.close, stderr_copy)
            os.dup2(captured.fileno(), _STDERR)
            stack.callback(os.dup2, stderr_copy, _STDERR)
        try:
            yield
        except pl.exceptions.PanicException:
            captured = None
            raise
        finally:
            if captured is not None:
                captured.seek(0)
                with suppress(OSError):
                    os.write(stderr_copy, captured.read())


def _together(file: File, table: pl.LazyFrame, document: str) -> int:
    """Count the rows of lists that hold about as many documents as are read at a time, by what the first rows tell."""
    sample = file.sure(table.select(pl.col(document).head(_SAMPLE)).collect).to_series()
    rows, documents = sample.len(), sample.explode().len()
    return max(1, SLICE * rows // max(documents, rows, 1))


# The lengths that an Arrow file or stream states, compared with what it holds before Polars reads it, which asks for as
# much memory as a batch or a compressed buffer states: a damaged length would end the process.


def _check_file(file: IO[bytes]) -> None:
    """Refuse a file whose footer states batches that do not lie in it, and batches that state impossible lengths.

    Raises:
        ValueError: with what is wrong.

    """
    end = file.seek(max(file.seek(0, os.SEEK_END) - _FOOTER, 0))
    size = _number("i", file.read(_LENGTH))
    if file.read() != _ARROW or not 0 <= size <= end:
        raise ValueError("the end of the file is missing")
    last, start = 0, file.seek(end - size)
    footer = file.read(size)
    for field in (_DICTIONARIES, _BATCHES):
        for offset, head, body in _structs(footer, _target(footer, 0), field, _BLOCK):
            file.seek(max(offset, 0))
            message = file.read(max(head, 0)).removeprefix(_MARK)[_LENGTH:]
            if min(offset, head) < 0 or _body(message) != body or offset + head + body > start:
                raise ValueError("a batch does not lie where the footer states")
            last = max(last, offset + head + body)
            _check_message(file, message, offset + head)
    file.seek(last)
    if _ARROW * 2 in file.read(start - last + size + _FOOTER):
        raise ValueError("several files lie in it, one after the other; they are not read")


def _check_stream(file: IO[bytes]) -> None:
    """Refuse a stream that ends before its mark or goes on behind it, and batches that state impossible lengths.

    Raises:
        ValueError: with what is wrong.

    """
    end = file.seek(0, os.SEEK_END)
    offset = 0
    while offset < end:
        file.seek(offset)
        length = file.read(_LENGTH)
        length = file.read(_LENGTH) if length == _MARK else length
        size = _number("i", length) if len(length) == _LENGTH else end
        message = file.read(max(size, 0))
        start = file.tell()
        if not size and start != end:
            raise ValueError("more follows where it ends; several streams in one file are not read")
        if not size:
            return
        if len(message) != size:
            break
        offset = start + max(_body(message), 0)
        _check_message(file, message, start)
    raise ValueError("the mark at the end of the stream is missing")


def _body(message: bytes) -> int:
    """Return how many bytes follow a message."""
    field = _field(message, _target(message, 0), _BODY)
    return _number("q", message, field) if field else 0


def _check_message(file: IO[bytes], message: bytes, body: int) -> None:
    """Refuse a compressed buffer that states more bytes than it can hold."""
    table = _target(message, 0)
    kind = message[_field(message, table, _TYPE)]
    if kind not in (_DICTIONARY, _BATCH):
        return
    batch = _target(message, _field(message, table, _HEADER))
    if kind == _DICTIONARY:
        batch = _target(message, _field(message, batch, _DATA))
    if not _field(message, batch, _COMPRESSION):
        return
    for offset, size in _structs(message, batch, _BUFFERS, "qq"):
        file.seek(max(body + offset, 0))
        stated = _number("q", file.read(8)) if size else 0
        if stated > size * _RATIO:
            raise ValueError(f"{size:,} bytes are said to be {stated:,} when decompressed")


def _number(kind: str, data: bytes, offset: int = 0) -> int:
    try:
        return int(struct.unpack_from(f"<{kind}", data, offset)[0])
    except struct.error:
        raise ValueError("a message is not complete") from None


def _target(data: bytes, offset: int) -> int:
    """Return where an offset of FlatBuffers leads."""
    return offset + _number("I", data, offset)


def _field(data: bytes, table: int, number: int) -> int:
    """Return where a field of a table of FlatBuffers lies; 0 where the table has no such field."""
    fields = table - _number("i", data, table)
    entry = 4 + 2 * number
    distance = _number("H", data, fields + entry) if entry < _number("H", data, fields) else 0
    return table + distance if distance else 0


def _structs(data: bytes, table: int, number: int, kinds: str) -> Iterator[tuple[int, ...]]:
    """Yield the structures in a vector of FlatBuffers."""
    field = _field(data, table, number)
    if not field:
        return
    start = _target(data, field)
    form = struct.Struct(f"<{kinds}")
    vector = data[start + 4 : start + 4 + form.size * _number("I", data, start)]
    if len(vector) % form.size:
        raise ValueError("a message is not complete")
    yield from form.iter_unpack(vector)
