"""DuckDB for files: a connection with a limit of memory and a folder to spill to, and runs as its relations."""

import importlib
import os
import signal
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Final, NoReturn

from rankworth.errors import InputError, RankworthError, UsageError
from rankworth.io import detect
from rankworth.io.columns import NONE
from rankworth.io.lines import RUN
from rankworth.io.reading import Reading
from rankworth.io.source import STDIN
from rankworth.judging.duckdb import files
from rankworth.judging.duckdb.relation import Door, Related
from rankworth.model import Run

_LEAST: Final = 20_000_000
"""bytes with which DuckDB reads a file and groups its rows"""
_READ: Final = ("parquet", "csv", "tsv")
"""formats that DuckDB reads itself"""


@dataclass(frozen=True)
class Engine:
    """A connection."""

    connection: Any

    def run(self, run: Run) -> Related:
        """A run whose files are read by DuckDB.

        Args:
            run: files.

        Raises:
            InputError: `unknown-format` where DuckDB does not read them; and as `Related`.

        """
        reading = Reading(run.format, run.columns)
        found = [(file, "" if file.path == STDIN else detect.format_of(file, RUN, reading)) for file in run.files]
        odd = next(((file, form) for file, form in found if form not in _READ), None)
        if odd is not None or not found or len({form for _, form in found}) > 1:
            said = f"{odd[0].name} is {odd[1] or 'no file'}" if odd else "its files have several formats"
            text = f"--engine duckdb reads Parquet and CSV, and {said}"
            raise InputError(
                "unknown-format", text, remedy=files.otherwise((odd[0] if odd else run.files[0]).path, run.columns)
            )
        reading, columns = replace(reading, format=found[0][1]), run.columns
        if reading.format == "parquet":
            order, query = files.of_parquet(self.connection, [file.path for file in run.files])
            door = Door(order, lambda: _read_here(run))
        else:
            query, columns = files.of_texts(run.files, reading), NONE
            door = Door(files.ORDER, lambda: _read_here(run), files.ODD)
        try:
            return Related(self.connection.sql(query), run.name, columns, door=door)
        except Exception as error:  # of DuckDB's many
            if isinstance(error, RankworthError) and error.slug != "unreadable-file":
                raise
            _read_here(run)
            text = f"{run.files[0].name}: DuckDB cannot read it ({' '.join(str(error).split())})"
            raise InputError("unreadable-file", text, remedy=files.otherwise(run.files[0].path, run.columns)) from error


def _read_here(run: Run) -> None:
    """Let the reader of files without an engine say what is wrong, and where.

    Raises:
        InputError: what it finds, if it does.

    """
    for _ in run.batches():
        pass


@contextmanager
def opened(memory: int | None = None) -> Iterator[Engine]:
    """DuckDB for the length of a block; what it spills goes to a folder that is gone afterwards.

    Args:
        memory: how many bytes it takes; 80 % of the machine's where not said.

    Raises:
        UsageError: `missing-library`, `unknown-setting`.

    """
    if memory is not None and memory < _LEAST:
        text = f"--memory-limit {memory / 10**6:g}MB: DuckDB takes {_LEAST // 10**6} MB at the least"
        raise UsageError("unknown-setting", text, remedy="it spills to disk what does not fit: --memory-limit 2GB")
    try:
        library = importlib.import_module("duckdb")
    except ImportError:
        remedy = "pip install 'duckdb>=1.5'"
        raise UsageError("missing-library", "duckdb is not installed", remedy=remedy) from None
    with _ended(), tempfile.TemporaryDirectory(prefix="rankworth-") as folder:
        settings = {"temp_directory": folder, "enable_progress_bar": False}
        settings |= {"memory_limit": f"{memory}B"} if memory is not None else {}
        connection = library.connect()
        try:
            for name, value in settings.items():
                connection.execute(f"SET {name} = '{value}'")
            yield Engine(connection)
        finally:
            connection.close()


@contextmanager
def _ended() -> Iterator[None]:
    """Let the folder to spill to be taken away where the process is told to end."""
    if threading.current_thread() is not threading.main_thread() or signal.getsignal(signal.SIGTERM) != signal.SIG_DFL:
        yield
        return

    told: list[int] = []

    def end(number: int, _: object) -> NoReturn:
        told.append(number)
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        if told:
            os.kill(os.getpid(), signal.SIGTERM)
