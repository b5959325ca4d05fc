"""DuckDB for files: a connection with a limit of memory and a folder to spill to, and runs as its relations."""

# ruff: noqa: S608 - names of files are quoted

import importlib
import os
import re
import signal
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Final, NoReturn

from rankworth.engines.related import Door, Related
from rankworth.errors import InputError, RankworthError, UsageError
from rankworth.io import formats
from rankworth.io.formats import RUN, Reading
from rankworth.io.frames.roles import NONE
from rankworth.io.sources import STDIN, Source
from rankworth.io.text import delimited, headers
from rankworth.io.text.headers import Header
from rankworth.model import Run

_LIMIT: Final = re.compile(r"\s*(\d+(?:\.\d+)?) ?([KMGT]?)(i?)B\s*", re.IGNORECASE)
_LEAST: Final = 20_000_000
"""bytes with which DuckDB reads a file and groups its rows"""
_READ: Final = ("parquet", "csv", "tsv")
"""formats that DuckDB reads itself"""
_ORDER: Final = "rankworth_6b3c_order"
_PLACES: Final = ("file_index", "file_row_number")
"""where a row of a Parquet file stands, unless the file has such columns"""
_ROWS: Final = 1 << 36
"""more rows than a file has, few enough that numbers of files times rows are exact as float64"""
_BLANKS: Final = "' \t'"
_OTHERWISE: Final = "leave --engine out, or write it so: rankworth convert IN OUT.parquet"


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
        found = [(file, "" if file.path == STDIN else formats.format_of(file, RUN, reading)) for file in run.files]
        odd = next(((file, form) for file, form in found if form not in _READ), None)
        if odd is not None or not found or len({form for _, form in found}) > 1:
            said = f"{odd[0].name} is {odd[1] or 'no file'}" if odd else "its files have several formats"
            text = f"--engine duckdb reads Parquet and CSV, and {said}"
            raise InputError("unknown-format", text, remedy=_OTHERWISE)
        reading, columns = replace(reading, format=found[0][1]), run.columns
        if reading.format == "parquet":
            order, query = self._of_parquet([file.path for file in run.files])
            door = Door(order, lambda: _read_here(run))
        else:
            query, columns = _of_texts(run.files, reading), NONE
            door = Door(_ORDER, lambda: _read_here(run), _ODD)
        try:
            return Related(self.connection.sql(query), run.name, columns, door=door)
        except Exception as error:  # of DuckDB's many
            if isinstance(error, RankworthError) and error.slug != "unreadable-file":
                raise
            _read_here(run)
            text = f"{run.files[0].name}: DuckDB cannot read it ({' '.join(str(error).split())})"
            raise InputError("unreadable-file", text, remedy=_OTHERWISE) from error

    def _of_parquet(self, paths: list[str]) -> tuple[str, str]:
        """The query for Parquet files: columns of types that suit all files, and where each row stands, which comes first.

        What is in names of folders is no column.
        """
        files = f"[{', '.join(map(_literal, paths))}]"
        read = f"read_parquet({files}, hive_partitioning=false, union_by_name={len(paths) > 1})"
        try:
            names = {name.lower() for name in self.connection.sql(f"SELECT * FROM {read}").columns}
        except Exception:  # noqa: BLE001 - of DuckDB's many; it is told where the files are read
            names = set()
        order = next(name for tail in range(len(names) + 1) if (name := f"{_ORDER}_{tail}") not in names)
        place = f" * {_ROWS} + ".join(_PLACES) if names.isdisjoint(_PLACES) else "row_number() OVER ()"
        return order, f"SELECT *, {place} AS {order} FROM {read}"


def _of_texts(files: Sequence[Source], reading: Reading) -> str:
    """The query for text tables: their columns under the names of what they hold, and where each row stands.

    Headers are looked at here, so that DuckDB guesses nothing.

    Raises:
        InputError: as `rankworth.io.text.headers.read`; `unknown-format`, `rank-or-score`.

    """
    forms: list[tuple[Header, int | None]] = []
    for file in files:
        header = headers.read(file, RUN, reading)
        reading.orders.agree(header.form.value, file.name)
        if header.form.quepid:
            text = f"--engine duckdb reads no exports of Quepid, and {file.name} is one"
            raise InputError("unknown-format", text, remedy=_OTHERWISE)
        if header.undecided:
            next(delimited.batches(file, RUN, reading))
        try:
            ranks = headers.read(file, RUN, replace(reading, columns={**reading.columns, "score": ""}))
            forms.append((header, ranks.form.places.get("rank")))
        except InputError:
            forms.append((header, None))
    ranked = all(rank is not None for _, rank in forms)
    parts = [
        _of_text(number, file, header, rank if ranked else None)
        for number, (file, (header, rank)) in enumerate(zip(files, forms, strict=True))
    ]
    return " UNION ALL ".join(parts)


def _of_text(number: int, file: Source, header: Header, rank: int | None) -> str:
    """The query for one of them."""
    form = header.form
    names = [f"c{place}" for place in range(len(form.names))]
    types = ", ".join(f"{name}: 'VARCHAR'" for name in names)
    how = f"auto_detect=false, header=false, skip={header.lines}, delim={_quoted(form.delimiter)}, columns={{{types}}}"
    read = f"read_csv({_literal(file.path)}, {how}, quote='\"', escape='\"', nullstr='', hive_partitioning=false)"
    columns = {what: names[place] for what, place in form.places.items() if what in ("query", "document")}
    columns |= {"score": _number(names[form.places["score"]])} if form.value == "score" else {}
    columns |= {"rank": _number(names[rank])} if rank is not None else {}
    chosen = ", ".join(f"{column} AS {what}" for what, column in columns.items())
    there = f"WHERE coalesce({', '.join(names)}) IS NOT NULL"
    return f"SELECT {chosen}, {number * _ROWS} + row_number() OVER () AS {_ORDER} FROM {read} {there}"


_ODD: Final = " OR ".join(
    f"{what} <> trim({what}, {_BLANKS}) OR contains({what}, chr(0))" for what in ("query", "document")
)
"""ids that are read once more here: blanks around them count where they are quoted"""


def _number(column: str) -> str:
    """A cell as a number, NaN where it is none; DuckDB takes 1_000 for one."""
    number = f"CASE WHEN contains({column}, '_') THEN NULL ELSE TRY_CAST(trim({column}, {_BLANKS}) AS DOUBLE) END"
    return f"CASE WHEN trim({column}, {_BLANKS}) <> '' THEN coalesce({number}, 'nan'::DOUBLE) END"


def _literal(path: str) -> str:
    """The name of a file as queries hold it: no signs of patterns, no folder of the user."""
    return _quoted(re.sub(r"([*?\[])", r"[\1]", f"./{path}" if path.startswith("~") else path))


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _read_here(run: Run) -> None:
    """Let the reader of files without an engine say what is wrong, and where.

    Raises:
        InputError: what it finds, if it does.

    """
    for _ in run.batches():
        pass


@contextmanager
def opened(memory_limit: str = "") -> Iterator[Engine]:
    """DuckDB for the length of a block; what it spills goes to a folder that is gone afterwards.

    Args:
        memory_limit: how much memory it takes, `2GB`, `500MB` or `1GiB`; 80 % of the machine's where not said.

    Raises:
        UsageError: `missing-library`, `unknown-setting`.

    """
    limit = _bytes(memory_limit) if memory_limit else 0
    try:
        library = importlib.import_module("duckdb")
    except ImportError:
        remedy = "pip install 'rankworth[duckdb]'"
        raise UsageError("missing-library", "duckdb is not installed", remedy=remedy) from None
    with _ended(), tempfile.TemporaryDirectory(prefix="rankworth-") as folder:
        settings = {"temp_directory": folder, "enable_progress_bar": False}
        settings |= {"memory_limit": f"{limit}B"} if limit else {}
        connection = library.connect()
        try:
            for name, value in settings.items():
                connection.execute(f"SET {name} = '{value}'")
            yield Engine(connection)
        finally:
            connection.close()


def _bytes(limit: str) -> int:
    """A limit of memory in bytes.

    Raises:
        UsageError: `unknown-setting`.

    """
    found = _LIMIT.fullmatch(limit)
    if found is None:
        text = f"--memory-limit {limit}: a limit is a number with a unit"
        raise UsageError("unknown-setting", text, remedy="as in --memory-limit 2GB")
    number, unit, binary = found.groups()
    size = int(float(number) * (1024 if binary else 1000) ** (" KMGT".index(unit.upper() or " ")))
    if size < _LEAST:
        text = f"--memory-limit {limit}: DuckDB takes {_LEAST // 10**6} MB at the least"
        raise UsageError("unknown-setting", text, remedy="it spills to disk what does not fit: --memory-limit 2GB")
    return size


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
