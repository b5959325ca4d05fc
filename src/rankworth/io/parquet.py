"""Parquet and Arrow IPC (file and stream): the columns that count, some hundred thousand rows at a time.

A file is read where it lies, without what is not needed. What is compressed or comes from a pipe is held in memory as a
whole; of an Arrow stream, in which nothing can be found without reading what stands before it, the columns that count.
"""

import io
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING, Final, TypeVar

import polars as pl

from rankworth.errors import InputError, shortened
from rankworth.io import frames, stated_lengths
from rankworth.io.formats import FORMATS
from rankworth.io.frames import is_list
from rankworth.io.layout import Layout
from rankworth.io.looks import Looks
from rankworth.io.remedies import Request
from rankworth.io.resolve import unread
from rankworth.io.source import Source, unreadable
from rankworth.io.stated_lengths import Batch
from rankworth.tables.versions import address

if TYPE_CHECKING:
    from rankworth.io.facts import Observed
    from rankworth.io.options import Reading

T = TypeVar("T")

SLICE: Final = 1 << 19
"""how many documents are read at a time"""
_STREAM: Final = b"\xff\xff\xff\xff"
_HEAD: Final = 8
_STDERR: Final = 2
_ONE_AT_A_TIME: Final = threading.Lock()
"""held where standard error is another file"""


def batches(source: Source, layout: Layout, reading: "Reading", observed: "Observed") -> Iterator[pl.DataFrame]:
    """Yield the rows of a file, in file order; none where it has none.

    Args:
        source: where the bytes come from.
        layout: `RUN` or `QRELS`.
        reading: what the user says of the file; its format is `parquet` or `arrow`.
        observed: gets to know the facts.

    Raises:
        InputError: `truncated-file`, `changed-file`, `unknown-format`, `empty-input`, and as `frames.settle`.

    """
    file = File(source, reading.format)
    schema = file.schema()
    request = Request(layout.value, frames.looks_of(schema, source.name, first=1), reading.columns)
    reader = frames.TableReader(request, schema, observed, reading.grades)
    observed.note_unread(source.name, unread(request.looks, reader.roles))
    if names := reader.doubtful:
        reader = reader.seeing(file.head(names))
    lazy = file.table(reader.roles.columns)
    done = 0
    has_lists = is_list(schema.get(reader.roles.locations["document"].columns[0]))
    for frame in file.slices(lazy, SLICE, has_lists=has_lists):
        settled = reader.settle(frame, done + 1)
        done += frame.height
        if settled.height:
            yield settled
        if file.in_place and source.size is not None:
            source.report(source.size * done // file.rows)
    if done != file.rows:
        raise file.damaged(f"{done:,} of {file.rows:,} rows are there")


def looks_of(source: Source, form: str) -> Looks:
    """Return what a file looks like: its columns, with the fields of records in their lists behind them.

    Args:
        source: the file.
        form: `parquet` or `arrow`.

    Raises:
        InputError: as `batches`.

    """
    return frames.looks_of(File(source, form).schema(), source.name, first=1)


class File:
    """A file, and the message if it cannot be read.

    Attributes:
        in_place: whether it is read where it lies.
        batches: what it states about rows that stand together.

    """

    def __init__(self, source: Source, form: str) -> None:
        """Read the head of `source`, which is to be in the format `form`."""
        self.source = source
        self.form = form
        head = source.head(_HEAD)
        if not head:
            raise InputError("empty-input", f"{source.name}: it has no rows")
        if not head.startswith(FORMATS[form].magic):
            text = f"{source.name}: this is not {FORMATS[form].called}; it begins with {head!r}"
            raise InputError("unknown-format", text, remedy="leave the format out to have it detected from the content")
        self.stream = head.startswith(_STREAM)
        path = Path(source.path).resolve()  # Polars knows no ".." in an address, and paths in UTF-8 only
        self.in_place = source.size is not None and not source.compressed and str(path).isprintable()
        self.location = path if self.in_place else source.whole()
        self.batches = self.sure(self._stated)
        if form == "arrow":
            self._refuse_inflated(self.batches)
        source.close()  # Polars opens the path itself

    def schema(self) -> pl.Schema:
        """Return all columns and their types."""
        if self.stream:
            return self.sure(lambda: pl.read_ipc_stream(self.location, n_rows=0).schema)
        return self.sure(lambda: self._scan().collect_schema())

    @property
    def rows(self) -> int:
        """How many rows it states."""
        return sum(batch.rows for batch in self.batches)

    def table(self, columns: list[str]) -> pl.LazyFrame:
        """Select some columns; they are not read yet unless the file is a stream.

        Raises:
            InputError: `inflated-file`, and as `sure`.

        """
        if self.form == "parquet":
            self.batches = [batch.of(columns) for batch in self.batches]
            self._refuse_inflated(self.batches)
        if self.stream:
            return self.sure(lambda: pl.read_ipc_stream(self.location, columns=columns).lazy())
        return self._scan().select(columns)

    def head(self, columns: list[str]) -> pl.DataFrame:
        """Read the first rows of some columns.

        Raises:
            InputError: `inflated-file`, and as `sure`.

        """
        if self.stream:
            return self.sure(lambda: pl.read_ipc_stream(self.location, columns=columns, n_rows=frames.SEEN))
        if self.form == "parquet":
            self._refuse_inflated([batch.of(columns) for batch in self.batches])
        return self.sure(self._scan().select(columns).head(frames.SEEN).collect)

    def slices(self, table: pl.LazyFrame, size: int, *, has_lists: bool) -> Iterator[pl.DataFrame]:
        """Yield all rows, some at a time.

        Nothing is read ahead: damage would make Polars write of it when nobody holds that back.

        Args:
            table: what `table` returned.
            size: how many values to read at a time.
            has_lists: whether there are lists in it: of a group of rows in Parquet, as of a batch in an Arrow file, a
                part takes as long as all of them then.

        """
        step = max(1, self.rows * size // max(sum(batch.most for batch in self.batches), 1))
        if self.stream or (self.form == "parquet" and not has_lists):
            for start in range(0, self.rows, step):
                yield self.sure(table.slice(start, step).collect)
            return
        start = rows = values = 0
        for number, batch in enumerate(self.batches, 1):
            rows, values = rows + batch.rows, values + batch.most
            if values >= size or number == len(self.batches):
                frame = self.sure(table.slice(start, rows).collect)
                yield from frame.iter_slices(step)
                start, rows, values = start + rows, 0, 0

    def sure(self, read: Callable[[], T]) -> T:
        """Return the result of a call, and refuse the file if the call fails.

        Raises:
            InputError: `truncated-file`, `changed-file`, `unreadable-file`.

        """
        try:
            with without_panics():
                return read()
        except InputError:
            raise
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
            f"{self.source.name}: it cannot be read as {FORMATS[self.form].called} ({shortened(reason, 200)})",
            remedy="it ends early or is damaged, or Polars cannot read it: write, copy or download it again; "
            "nothing of it was used",
        )

    def _scan(self) -> pl.LazyFrame:
        # Polars maps a file that it is given by its path, and where that is cut off meanwhile, the process dies; one
        # that it is given by an address is read. And an address is never taken for one within the home directory.
        location = self.location if isinstance(self.location, bytes) else address(self.location)
        scan = pl.scan_parquet if self.form == "parquet" else pl.scan_ipc
        return scan(location, glob=False, hive_partitioning=False)

    def _stated(self) -> list[Batch]:
        location = self.location
        with io.BytesIO(location) if isinstance(location, bytes) else self.source.open().raw as file:
            if self.form == "parquet":
                return stated_lengths.of_parquet(file)
            return stated_lengths.of_arrow(file, is_stream=self.stream)

    def _refuse_inflated(self, batches: list[Batch]) -> None:
        size = len(self.location) if isinstance(self.location, bytes) else self.source.size or 0
        stated_lengths.refuse_inflated(batches, self.source.name, size)


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
