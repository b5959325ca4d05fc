"""Parquet and Arrow IPC (file and stream): the columns that count, some hundred thousand rows at a time.

A file is read where it lies, without what is not needed. What is compressed or comes from a pipe is held in memory as a
whole; of an Arrow stream, in which nothing can be found without reading what stands before it, the columns that count.
"""

import io
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

import polars as pl

from rankworth.errors import InputError, shortened
from rankworth.io import arrow, frames
from rankworth.io.columns import chosen
from rankworth.io.frames import fields, is_list
from rankworth.io.lines import Layout
from rankworth.io.source import Progress, Source, unreadable

if TYPE_CHECKING:
    from rankworth.io.reading import Reading

T = TypeVar("T")

SLICE: Final = 1 << 19
"""how many documents are read at a time"""
_SAMPLE: Final = 1000
_STREAM: Final = b"\xff\xff\xff\xff"
_MAGIC: Final = {"parquet": (b"PAR1",), "arrow": (b"ARROW1", _STREAM)}
_CALLED: Final = {"parquet": "Parquet", "arrow": "Arrow IPC"}
_HEAD: Final = 8


def batches(
    source: Source, layout: Layout, reading: "Reading", progress: Progress | None = None
) -> Iterator[pl.DataFrame]:
    """The rows of a file, in file order; none where it has none.

    Args:
        source: where the bytes come from.
        layout: `RUN` or `QRELS`.
        reading: what the user says of the file; its format is `parquet` or `arrow`.
        progress: told after each batch how far the file is read.

    Raises:
        InputError: `truncated-file`, `changed-file`, `unknown-format`, `empty-input`, and as `frames.settle`.

    """
    file = File(source, reading.format, progress)
    schema = file.schema()
    columns = chosen(schema.names(), layout.value, source.name, reading.columns)
    table = file.table(list(dict.fromkeys(columns.values())))
    rows = int(file.sure(lambda: table.select(pl.len()).collect()).item())
    done = 0
    listed = is_list(schema[columns["document"]])
    size = _together(file, table, columns["document"]) if listed else SLICE
    findable = file.stream or (reading.format == "parquet" and not listed)
    for frame in file.slices(table, rows, size) if findable else file.batches(table, size):
        settled = frames.settle(
            frame, layout.value, source.name, reading.columns, first=done + 1, schema=schema, orders=reading.orders
        )
        done += frame.height
        if settled.height:
            yield settled
        if progress is not None and file.in_place and source.size is not None:
            progress(source.name, source.size * done // rows, source.size)
    if done != rows:
        raise file.damaged(f"{done:,} of {rows:,} rows are there")


def names(source: Source, form: str) -> list[str]:
    """The names of all columns, and of the fields of records in their lists.

    Args:
        source: the file.
        form: `parquet` or `arrow`.

    Raises:
        InputError: as `batches`.

    """
    schema = File(source, form, None).schema()
    return [*schema.names(), *fields(schema.dtypes())]


class File:
    """One file, and what to say where it cannot be read.

    Attributes:
        in_place: whether it is read where it lies.

    """

    def __init__(self, source: Source, form: str, progress: Progress | None) -> None:
        """Look at the head of ``source``, which is to be ``form``."""
        self.source = source
        self.form = form
        head = source.head(_HEAD)
        if not head:
            raise InputError("empty-input", f"{source.name}: there is nothing in it, not one row")
        if not head.startswith(_MAGIC[form]):
            text = f"{source.name}: this is not {_CALLED[form]}; it begins with {head!r}"
            raise InputError("unknown-format", text, remedy="leave the format out to have it detected from the content")
        self.stream = head.startswith(_STREAM)
        path = Path(source.path).resolve()  # Polars knows no ".." in an address
        self.in_place = source.size is not None and not source.compressed and _is_text(str(path))
        self.place = path if self.in_place else source.whole(progress)
        if form == "arrow":
            self.sure(self._check_lengths)
        source.close()  # Polars opens the path itself

    def schema(self) -> pl.Schema:
        """All columns and what they hold."""
        if self.stream:
            return self.sure(lambda: pl.read_ipc_stream(self.place, n_rows=0).schema)
        return self.sure(lambda: self._scan().collect_schema())

    def table(self, columns: list[str]) -> pl.LazyFrame:
        """Some columns, not read yet unless the file is a stream."""
        if self.stream:
            return self.sure(lambda: pl.read_ipc_stream(self.place, columns=columns).lazy())
        return self._scan().select(columns)

    def slices(self, table: pl.LazyFrame, rows: int, size: int) -> Iterator[pl.DataFrame]:
        """All rows, some at a time: where they can be found, this needs the least memory."""
        for start in range(0, rows, size):
            yield self.sure(table.slice(start, size).collect)

    def batches(self, table: pl.LazyFrame, size: int) -> Iterator[pl.DataFrame]:
        """All rows, some at a time: for lists and for what is compressed, where a slice costs as much as the whole."""
        frames = self.sure(lambda: table.collect_batches(chunk_size=size))
        while (frame := self.sure(lambda: next(frames, None))) is not None:
            yield frame

    def sure(self, read: Callable[[], T]) -> T:
        """What a call gives, or that the file cannot be read.

        Raises:
            InputError: `truncated-file`, `changed-file`, `unreadable-file`.

        """
        try:
            return read()
        except (FileNotFoundError, PermissionError) as error:
            raise unreadable(self.source.name, error) from None
        except MemoryError:
            raise
        except (Exception, pl.exceptions.PanicException) as error:  # noqa: BLE001 - whatever damage does to a parser
            reason = str(error).partition("\n")[0].partition(" Error {")[0]
        raise self.damaged(reason.rpartition("out of specification: ")[2])

    def damaged(self, reason: str) -> InputError:
        """The error for a file that cannot be read to its end.

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
        place = self.place if isinstance(self.place, bytes) else self.place.as_uri()
        scan = pl.scan_parquet if self.form == "parquet" else pl.scan_ipc
        return scan(place, glob=False, hive_partitioning=False)

    def _check_lengths(self) -> None:
        with io.BytesIO(self.place) if isinstance(self.place, bytes) else self.source.open().raw as file:
            (arrow.check_stream if self.stream else arrow.check_file)(file)


def _is_text(path: str) -> bool:
    """Whether a path can be handed to Polars, which knows paths in UTF-8 only."""
    try:
        return bool(path.encode())
    except UnicodeEncodeError:
        return False


def _together(file: File, table: pl.LazyFrame, document: str) -> int:
    """How many rows of lists hold about as many documents as are read at a time, as far as the first rows tell."""
    sample = table.select(pl.col(document).head(_SAMPLE))
    lengths = file.sure(sample.select(pl.len(), documents=pl.col(document).explode().len()).collect)
    rows, documents = map(int, lengths.row(0))
    return max(1, SLICE * rows // max(documents, rows, 1))
