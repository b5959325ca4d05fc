"""DuckDB for files: a connection with a limit of memory and a folder to spill to, and runs as its relations."""

# ruff: noqa: S608 - names of files are quoted

import importlib
import os
import re
import shlex
import signal
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, NoReturn

from rankworth.errors import InputError, RankworthError, UsageError
from rankworth.io import csv, detect
from rankworth.io.columns import NONE
from rankworth.io.csv import Header
from rankworth.io.lines import RUN
from rankworth.io.reading import Reading
from rankworth.io.source import STDIN, Source
from rankworth.judging.duckdb.relation import EngineFiles, Related
from rankworth.model import Run

_LEAST: Final = 20_000_000
"""bytes with which DuckDB reads a file and groups its rows"""
_READ: Final = ("parquet", "csv", "tsv")
"""formats that DuckDB reads itself"""
_ORDER: Final = "rankworth_6b3c_order"
"""the column that tells where a row of a text table stands"""
_PLACES: Final = ("file_index", "file_row_number")
"""where a row of a Parquet file stands, unless the file has such columns"""
_ROWS: Final = 1 << 36
"""more rows than a file has, few enough that numbers of files times rows are exact as float64"""
_BLANKS: Final = "' \t'"
_ODD: Final = " OR ".join(
    f"{what} <> trim({what}, {_BLANKS}) OR contains({what}, chr(0))" for what in ("query", "document")
)
"""ids that are read once more here: blanks around them count where they are quoted"""


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
                "unknown-format", text, remedy=otherwise((odd[0] if odd else run.files[0]).path, run.columns)
            )
        reading, columns = replace(reading, format=found[0][1]), run.columns
        if reading.format == "parquet":
            order, query = _of_parquet(self.connection, [file.path for file in run.files])
            files = EngineFiles(order, lambda: _read_here(run))
        else:
            query, columns = _of_tables(run.files, reading), NONE
            files = EngineFiles(_ORDER, lambda: _read_here(run), _ODD)
        try:
            return Related(self.connection.sql(query), run.name, columns, files=files)
        except Exception as error:  # of DuckDB's many
            if isinstance(error, RankworthError) and error.slug != "unreadable-file":
                raise
            _read_here(run)
            text = f"{run.files[0].name}: DuckDB cannot read it ({' '.join(str(error).split())})"
            raise InputError("unreadable-file", text, remedy=otherwise(run.files[0].path, run.columns)) from error


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


def otherwise(path: str, columns: Mapping[str, str]) -> str:
    """What helps where an engine does not read a file: a command that writes it so that it does.

    Args:
        path: the file.
        columns: which column holds what.

    """
    target = f"{Path(path).with_suffix('') if path != STDIN else 'run'}.parquet"
    said = ["--columns", *(f"{what}={name}" for what, name in columns.items())] if columns else []
    return f"leave --engine out, or write it so:\n  {shlex.join(['rankworth', 'convert', path, target, *said])}"


def _of_parquet(connection: Any, paths: Sequence[str]) -> tuple[str, str]:  # noqa: ANN401 - of DuckDB
    """The column that tells where a row stands, and the query for Parquet files, their columns of types that suit all.

    What is in names of folders is no column.

    Args:
        connection: what reads them.
        paths: their names.

    """
    files = f"[{', '.join(map(_literal, paths))}]"
    read = f"read_parquet({files}, hive_partitioning=false, union_by_name={len(paths) > 1})"
    try:
        names = {name.lower() for name in connection.sql(f"SELECT * FROM {read}").columns}
    except Exception:  # noqa: BLE001 - of DuckDB's many; it is told where the files are read
        names = set()
    order = next(name for tail in range(len(names) + 1) if (name := f"{_ORDER}_{tail}") not in names)
    place = f" * {_ROWS} + ".join(_PLACES) if names.isdisjoint(_PLACES) else "row_number() OVER ()"
    return order, f"SELECT *, {place} AS {order} FROM {read}"


def _of_tables(files: Sequence[Source], reading: Reading) -> str:
    """The query for text tables: their columns under the names of what they hold, and where each row stands.

    Headers are looked at here, so that DuckDB guesses nothing.

    Raises:
        InputError: as `rankworth.io.csv.read_header`; `unknown-format`, `rank-or-score`.

    """
    forms: list[tuple[Header, int | None]] = []
    for file in files:
        header = csv.read_header(file, RUN, reading)
        reading.orders.agree(header.value, file.name)
        if header.quepid:
            text = f"--engine duckdb reads no exports of Quepid, and {file.name} is one"
            raise InputError("unknown-format", text, remedy=otherwise(file.path, reading.columns))
        if header.undecided:
            next(csv.batches(file, RUN, reading))
        forms.append((header, csv.ranks(file, reading)))
    ranked = all(rank is not None for _, rank in forms)
    parts = [
        _of_table(number, file, header, rank if ranked else None)
        for number, (file, (header, rank)) in enumerate(zip(files, forms, strict=True))
    ]
    return " UNION ALL ".join(parts)


def _of_table(number: int, file: Source, header: Header, rank: int | None) -> str:
    """The query for one of them."""
    names = [f"c{place}" for place in range(len(header.names))]
    types = ", ".join(f"{name}: 'VARCHAR'" for name in names)
    how = (
        f"auto_detect=false, header=false, skip={header.lines}, delim={_quoted(header.delimiter)}, columns={{{types}}}"
    )
    read = f"read_csv({_literal(file.path)}, {how}, quote='\"', escape='\"', nullstr='', hive_partitioning=false)"
    columns = {what: names[place] for what, place in header.places.items() if what in ("query", "document")}
    columns |= {what: _number(names[header.places[what]]) for what in ("score", "distance") if header.value == what}
    columns |= {"rank": _number(names[rank])} if rank is not None else {}
    chosen = ", ".join(f"{column} AS {what}" for what, column in columns.items())
    there = f"WHERE coalesce({', '.join(names)}) IS NOT NULL"
    return f"SELECT {chosen}, {number * _ROWS} + row_number() OVER () AS {_ORDER} FROM {read} {there}"


def _number(column: str) -> str:
    """A cell as a number, NaN where it is none; DuckDB takes 1_000 for one."""
    number = f"CASE WHEN contains({column}, '_') THEN NULL ELSE TRY_CAST(trim({column}, {_BLANKS}) AS DOUBLE) END"
    return f"CASE WHEN trim({column}, {_BLANKS}) <> '' THEN coalesce({number}, 'nan'::DOUBLE) END"


def _literal(path: str) -> str:
    """The name of a file as queries hold it: no signs of patterns, no folder of the user."""
    return _quoted(re.sub(r"([*?\[])", r"[\1]", f"./{path}" if path.startswith("~") else path))


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
