"""Whether a file is a run or judgements, as far as its content tells, and what of it nobody reads."""

import json
from pathlib import Path
from typing import Any, Final

import polars as pl

from rankworth.errors import InputError
from rankworth.io import csv, formats
from rankworth.io.columns import SPELLINGS, chosen
from rankworth.io.formats import QRELS, RUN, Layout, Reading
from rankworth.io.lines import MARK, bare, first_line
from rankworth.io.source import STDIN, Source

_HEAD: Final = 1 << 16
_SHAPE: Final = ("frame-columns", "run-columns", "qrels-columns", "input-type")
"""the errors of a file that is something else"""


def is_beir(path: str) -> bool:
    """Whether this is a folder with judgements in BEIR's form."""
    return path != STDIN and (Path(path) / "qrels").is_dir()


def layout_of(source: Source, reading: Reading) -> Layout:
    """Whether a file is a run or judgements: by the columns of TREC's lines, otherwise by what its first rows read as.

    Args:
        source: the file.
        reading: what the user says of it.

    Raises:
        InputError: `input-type` where it may be either; where it can be neither, as reading it.

    """
    form = formats.format_of(source, RUN, reading)
    if form == "trec":
        return _of_line(source)
    errors = {layout: _tried(source, layout, reading) for layout in (RUN, QRELS)}
    likely = [layout for layout, error in errors.items() if error is None or error.slug not in _SHAPE]
    readable = None in errors.values()
    if len(likely) == 1:
        return likely[0]
    if readable:
        text = f"{source.name}: this may be a run or judgements, nothing in it tells"
        raise InputError("input-type", text, remedy="say which it is: --run or --qrels")
    raise _both(*filter(None, errors.values()))


def unread(source: Source, layout: Layout, reading: Reading) -> list[str]:
    """The columns of a table, or the keys of a first row of JSON lines, that nobody reads; ranks can be told again.

    Args:
        source: a file that was read.
        layout: what it was read as.
        reading: what the user says of it.

    """
    form = formats.format_of(source, layout, reading)
    try:
        names = _names(source, form, layout, reading)
        used = chosen(names, layout.value, source.name, reading.columns).values() if names else ()
    except (InputError, OSError, pl.exceptions.PolarsError):  # a list in each row, or no file that can be opened again
        return []
    return [name for name in names if name not in used and name.lower() not in SPELLINGS["rank"]]


def _names(source: Source, form: str, layout: Layout, reading: Reading) -> list[str]:
    if form in ("csv", "tsv"):
        header = csv.read_header(source, layout, Reading(form, reading.columns))
        return list(header.names) if header.named else []
    if form == "jsonl":
        return list(_first_object(source))
    if form == "parquet":
        return list(pl.read_parquet_schema(source.path))
    return list(pl.read_ipc_schema(source.path)) if form == "arrow" else []


def _of_line(source: Source) -> Layout:
    """What a file of TREC's is by its first line; where that is none, whose reader says more of it."""
    first = bare(first_line(source.head(_HEAD))).split()
    return QRELS if 1 < len(first) <= len(QRELS.columns) else RUN


def _first_object(source: Source) -> dict[str, Any]:
    """The first of JSON's lines, as far as it can be read."""
    line = next((line for line in source.head(_HEAD).removeprefix(MARK).split(b"\n") if line.strip()), b"")
    try:
        first = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return first if isinstance(first, dict) else {}


def _tried(source: Source, layout: Layout, reading: Reading) -> InputError | None:
    """What is wrong with the first rows of a file, if they are taken for this."""
    rows = formats.batches(source, layout, reading.afresh())
    try:
        empty = next(rows, None) is None
    except InputError as error:
        return error
    finally:
        rows.close()  # type: ignore[attr-defined]  # a generator, with threads that read ahead
    return InputError("empty-input", f"{source.name}: there is not a single row") if empty else None


def _both(first: InputError, second: InputError) -> InputError:
    """Why a file is neither a run nor judgements; what is wrong with both is said once."""
    if first.problems != second.problems:
        return InputError.together([first, second])
    remedy = "\n".join(dict.fromkeys((first.remedy, second.remedy)))
    return InputError(first.slug, *first.problems, slugs=first.slugs, more=first.more, remedy=remedy)
