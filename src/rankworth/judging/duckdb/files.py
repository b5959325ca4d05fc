"""Files as DuckDB is to read them: each by its own name, tables by the headers that are found here."""

# ruff: noqa: S608 - names of files are quoted

import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from rankworth.errors import InputError
from rankworth.io import csv
from rankworth.io.csv import Header
from rankworth.io.lines import RUN
from rankworth.io.reading import Reading
from rankworth.io.source import STDIN, Source

ORDER: Final = "rankworth_6b3c_order"
"""the column that tells where a row of a text table stands"""
_PLACES: Final = ("file_index", "file_row_number")
"""where a row of a Parquet file stands, unless the file has such columns"""
_ROWS: Final = 1 << 36
"""more rows than a file has, few enough that numbers of files times rows are exact as float64"""
_BLANKS: Final = "' \t'"
ODD: Final = " OR ".join(
    f"{what} <> trim({what}, {_BLANKS}) OR contains({what}, chr(0))" for what in ("query", "document")
)
"""ids that are read once more here: blanks around them count where they are quoted"""


def otherwise(path: str, columns: Mapping[str, str]) -> str:
    """What helps where an engine does not read a file: a command that writes it so that it does.

    Args:
        path: the file.
        columns: which column holds what.

    """
    target = f"{Path(path).with_suffix('') if path != STDIN else 'run'}.parquet"
    said = ["--columns", *(f"{what}={name}" for what, name in columns.items())] if columns else []
    return f"leave --engine out, or write it so:\n  {shlex.join(['rankworth', 'convert', path, target, *said])}"


def of_parquet(connection: Any, paths: Sequence[str]) -> tuple[str, str]:  # noqa: ANN401 - of DuckDB
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
    order = next(name for tail in range(len(names) + 1) if (name := f"{ORDER}_{tail}") not in names)
    place = f" * {_ROWS} + ".join(_PLACES) if names.isdisjoint(_PLACES) else "row_number() OVER ()"
    return order, f"SELECT *, {place} AS {order} FROM {read}"


def of_texts(files: Sequence[Source], reading: Reading) -> str:
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
        _of_text(number, file, header, rank if ranked else None)
        for number, (file, (header, rank)) in enumerate(zip(files, forms, strict=True))
    ]
    return " UNION ALL ".join(parts)


def _of_text(number: int, file: Source, header: Header, rank: int | None) -> str:
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
    return f"SELECT {chosen}, {number * _ROWS} + row_number() OVER () AS {ORDER} FROM {read} {there}"


def _number(column: str) -> str:
    """A cell as a number, NaN where it is none; DuckDB takes 1_000 for one."""
    number = f"CASE WHEN contains({column}, '_') THEN NULL ELSE TRY_CAST(trim({column}, {_BLANKS}) AS DOUBLE) END"
    return f"CASE WHEN trim({column}, {_BLANKS}) <> '' THEN coalesce({number}, 'nan'::DOUBLE) END"


def _literal(path: str) -> str:
    """The name of a file as queries hold it: no signs of patterns, no folder of the user."""
    return _quoted(re.sub(r"([*?\[])", r"[\1]", f"./{path}" if path.startswith("~") else path))


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
