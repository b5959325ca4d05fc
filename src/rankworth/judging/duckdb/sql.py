"""How DuckDB is asked: text and frames go in, a frame comes out, and what fails is told in our words."""

# ruff: noqa: S608 - all text is our own

from collections.abc import Mapping
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final, NoReturn

import polars as pl

from rankworth.errors import InputError, shortened

GIVEN: Final = "rankworth_6b3c_given"
"""what queries call the relation; nobody has a table of such a name"""
AGAIN: Final = "a reader gives its rows once, and they are read several times: make a table of them"
"""what helps where rows do not come again"""
_TABLES: Final = ("queries", "judged", "others", "names")
"""what they call the frames that go in"""
_ALONE: Final = 2
"""the first version that reads streams by itself, and asks relations without a view of theirs"""
_FAILED: Final = (
    (
        "out of memory",
        "give it more memory, fewer threads or a disk to spill to: memory_limit, threads, temp_directory",
    ),
    ("no space left", "give it another disk to spill to: temp_directory"),
    ("io error", "is the file whole? does it change while it is read?"),
    ("parquet", "is the file whole? does it change while it is read?"),
    (
        "csv ",
        "rankworth reads more tables than DuckDB: give the file itself, on the command line without --engine",
    ),
)
"""what helps, by what DuckDB says"""
_NO_RUN: Final = (
    ("already been closed", "the connection of the relation must stay open: take the rows out before it is closed"),
    ("already been consumed", AGAIN),
    (GIVEN.removesuffix("given"), "judgements reach the connection as a frame: SET python_enable_replacements = true"),
)
"""the same of relations that cannot be asked"""


class Stream:
    """A frame, or a relation, that is read through Arrow's stream alone.

    DuckDB takes a frame so without PyArrow. Polars takes a relation so without remembering its class: DuckDB 2.0 tells
    on standard error, when Python ends, of classes that somebody still knows then.
    """

    def __init__(self, source: Any) -> None:  # noqa: ANN401 - of Polars, or of DuckDB
        """Hold what is to be read."""
        self.source = source

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Hand out its columns."""
        return self.source.__arrow_c_stream__(requested_schema)


def text(column: str) -> str:
    """A column as text that is compared byte by byte, whatever collation it or the connection has."""
    return f"CAST({column} AS VARCHAR) COLLATE c"


def answer(relation: Any, name: str, query: str, frames: Mapping[str, pl.DataFrame | None]) -> pl.DataFrame:  # noqa: ANN401 - of DuckDB
    """What DuckDB answers.

    Args:
        relation: the relation, which the query calls `GIVEN`.
        name: what messages call it.
        query: goes on after common table expressions, with more of them or with `SELECT`.
        frames: what goes in: `queries`, `judged`, `others`, `names`.

    Raises:
        InputError: `unreadable-file`, `input-type`, where it fails.

    """
    try:
        return pl.DataFrame(Stream(_asked(relation, query, frames)))
    except Exception as error:  # noqa: BLE001 - of DuckDB's many
        give_up(name, error)
    finally:
        _clean_up(relation)


def described(relation: Any, name: str) -> dict[str, str]:  # noqa: ANN401 - of DuckDB
    """The columns of a relation, and what DuckDB calls their types.

    Raises:
        InputError: `input-type`, where its connection is closed.

    """
    try:
        return dict(zip(relation.columns, map(str, relation.types), strict=True))
    except Exception as error:  # noqa: BLE001 - of DuckDB's many
        give_up(name, error)


def give_up(name: str, error: Exception) -> NoReturn:
    """Say that a query has failed: files are damaged, memory or disk are full, or somebody wants it to end.

    Raises:
        InputError: `unreadable-file`, `input-type`.
        KeyboardInterrupt: where it was interrupted.

    """
    told = " ".join(str(error).split())
    lower = told.lower()
    if "interrupt" in lower:
        raise KeyboardInterrupt from error
    told = f"{name}: DuckDB gives up: {shortened(told.partition(' Possible solutions:')[0], 300)}"
    for said, remedy in _NO_RUN:
        if said in lower:
            raise InputError("input-type", told, remedy=remedy) from error
    remedy = "the query behind the relation fails, or its tables have changed: what does relation.fetchall() say?"
    remedy = next((better for said, better in _FAILED if said in lower), remedy)
    raise InputError("unreadable-file", told, remedy=remedy) from error


def _asked(relation: Any, query: str, frames: Mapping[str, pl.DataFrame | None]) -> Any:  # noqa: ANN401 - of DuckDB
    """What is asked; DuckDB finds the frames among the variables of this function."""
    rankworth_6b3c_queries, rankworth_6b3c_judged = _handed(frames.get("queries")), _handed(frames.get("judged"))
    rankworth_6b3c_others, rankworth_6b3c_names = _handed(frames.get("others")), _handed(frames.get("names"))
    handed = (rankworth_6b3c_queries, rankworth_6b3c_judged, rankworth_6b3c_others, rankworth_6b3c_names)
    there = [name for name, frame in zip(_TABLES, handed, strict=True) if frame is not None]
    tables = [f"{name} AS ({_bytewise(name, frames[name])})" for name in there]
    return relation.query(GIVEN, f"WITH {', '.join((*tables, query))}")


def _bytewise(name: str, frame: pl.DataFrame | None) -> str:
    """The query that gives a frame with its texts compared byte by byte."""
    assert frame is not None  # noqa: S101 - for type checkers
    texts = ", ".join(f"{text(column)} AS {column}" for column, kind in frame.schema.items() if kind == pl.String)
    return f"SELECT *{f' REPLACE ({texts})' if texts else ''} FROM {GIVEN.removesuffix('given')}{name}"


def _handed(frame: pl.DataFrame | None) -> Any:  # noqa: ANN401 - of Polars or of Arrow
    """A frame as DuckDB takes it: up to 1.5 it asks PyArrow, if that is there, which filters no text of this kind."""
    if frame is None:
        return None
    if _is_old() and find_spec("pyarrow") is not None:
        return frame.to_arrow(compat_level=pl.CompatLevel.oldest())
    return Stream(frame)


def _is_old() -> bool:
    return int(import_module("duckdb").__version__.partition(".")[0]) < _ALONE


def _clean_up(relation: Any) -> None:  # noqa: ANN401 - of DuckDB
    """Take away the view that DuckDB leaves behind, up to 1.5, where a relation has been asked."""
    if _is_old():
        with suppress(Exception):  # where the connection is closed, there is none
            relation.query(GIVEN, f"DROP VIEW IF EXISTS {GIVEN}")
