"""Formats of files: which one it is, detected from the content, and the room that reads it.

Every room of a format has the same door, `batches(source, layout, reading, progress)`, and hands out frames with the
columns `query` and `document` (text) and `score` or `grade` (float64), for judgements also `subtopic` where there is
one. A higher score is better; where a ranking has no scores they are made from its order: -1, -2, -3 ...
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from rankworth.errors import InputError, quoted
from rankworth.io.lines import MARK, QRELS, RUN, Layout, bare, first_line
from rankworth.io.reading import FORMATS, Reading
from rankworth.io.source import Progress, Source, opened

if TYPE_CHECKING:
    import polars as pl

__all__ = ["FORMATS", "QRELS", "RUN", "Layout", "Reading", "batches", "format_of", "opened"]

RANKED: Final = ("query", "document", "score", "rank")
"""the columns of TREC's lines that tell scores and ranks; both are numbers then"""
HEAD: Final = 1 << 16
_FORM: Final = {"\t": "tsv", ",": "csv", ";": "csv", "|": "csv"}
_DELIMITERS: Final = tuple(_FORM)
_SECOND: Final = (b"0", b"Q0", b"q0")
"""what stands in the second column of TREC's lines"""
MAGIC: Final = {
    b"PAR1": "parquet",
    b"ARROW1": "arrow",
    b"\xff\xff\xff\xff": "arrow",
    **dict.fromkeys((b"{\0", b"[\0", b"\0{", b"\0[", b"\xff\xfe", b"\xfe\xff"), "trec"),
}
"""how files begin that are no text in UTF-8; for those in UTF-16 it is TREC's reader that says so"""
_KEY: Final = re.compile(rb'[{]\s*"((?:[^"\\]|\\.)*+)"\s*:')


def batches(
    source: Source,
    layout: Layout,
    reading: Reading,
    *,
    columns: tuple[str, ...] = (),
    progress: Progress | None = None,
) -> "Iterator[pl.DataFrame]":
    """The rows of a file, some hundred thousand at a time; before and after a look whether it is still what it was.

    Args:
        source: the file.
        layout: `RUN` or `QRELS`.
        reading: what the user says of it.
        columns: which columns to hand out of TREC's lines; those that judging needs where not said.
        progress: told how far the file is read.

    Raises:
        InputError: `changed-file`, `empty-input`, and with the problems of the file.

    """
    source.check()
    empty = True
    for frame in _rows(source, layout, reading, columns, progress):
        if frame.height:
            empty = False
            yield frame if layout is RUN else reading.blanks.settle(frame, source.name)
    source.check()
    if empty:
        raise InputError("empty-input", f"{quoted([source.path])}: there is not one row")


def _rows(
    source: Source, layout: Layout, reading: Reading, columns: tuple[str, ...], progress: Progress | None
) -> "Iterator[pl.DataFrame]":
    form = format_of(source, layout, reading)
    if form == "trec":
        if any(reading.columns.values()):
            text = f"{source.name}: this reads as TREC's lines, whose columns have no names"
            raise InputError(
                "frame-columns", text, remedy="columns are those of tables; leave them out, or say the format"
            )
        from rankworth.io import trec  # noqa: PLC0415 - not needed for the others

        reading.orders.agree("score", source.name)
        if columns == RANKED:
            return trec.with_ranks(source, progress=progress)
        return trec.batches(source, layout, columns=columns, progress=progress)
    room = import_module(f"rankworth.io.{FORMATS[form].room}")
    rows: Iterator[pl.DataFrame] = room.batches(source, layout, replace(reading, format=form), progress)
    return rows


def format_of(source: Source, layout: Layout, reading: Reading) -> str:
    """The format of a file, as the user says or as its first bytes tell; TREC's where nothing tells.

    Raises:
        InputError: as `Source.open`.

    """
    if reading.format:
        return reading.format
    head = source.head(HEAD)
    text = head.removeprefix(MARK).lstrip()
    first = first_line(text)
    fits = layout.fits(bare(first).split())
    if fits and _may_be_cells(first):
        fits = not _are_cells(source, first, layout)
    binary = next((form for magic, form in MAGIC.items() if head.startswith(magic)), "")
    if binary and not fits:
        return binary
    if text[:1] in (b"{", b"["):
        from rankworth.io import json  # noqa: PLC0415 - not needed for the others

        form, sure = json_form(text, json.is_row, _is_of_row, whole=len(head) < HEAD)
        return "trec" if fits and not sure else form
    if fits or not first or b"\0" in head:
        return "trec"
    return _of_table(first.decode("utf-8", "replace"), reading)


def _of_table(first: str, reading: Reading) -> str:
    """The format of a text by its first line: TREC's, unless it is a header or has cells as tables have."""
    from rankworth.io.columns import is_header  # noqa: PLC0415 - not needed for TREC's lines

    count = {delimiter: len(first.split(delimiter)) for delimiter in _DELIMITERS}
    for delimiter in _DELIMITERS:
        cells = [cell.strip().strip('"') for cell in first.split(delimiter)]
        if len(cells) > 1 and is_header(cells, reading.columns):
            return _FORM[delimiter]
    if count["\t"] == 3:  # noqa: PLR2004 - query document value
        return "tsv"
    counted = any(column.isdecimal() for column in reading.columns.values())
    likely = max(_DELIMITERS, key=lambda delimiter: count[delimiter])
    if count[likely] > 1 and (counted or (len(bare(first.encode()).split()) == 1 and count[likely] > 2)):  # noqa: PLR2004 - as above
        return _FORM[likely]
    return "trec"


def _may_be_cells(line: bytes) -> bool:
    """Whether what has the words of a line of TREC's has three cells as well, of which one holds several words."""
    cells = [cell.strip() for cell in line.split(b"\t")]
    return len(cells) == 3 and b" " in line and b" " not in cells[2]  # noqa: PLR2004 - query document value


def _are_cells(source: Source, line: bytes, layout: Layout) -> bool:
    """Whether they are cells rather than words: the second word of TREC's lines is Q0, or a number.

    Raises:
        InputError: `unknown-format` for any other number than 0, which may be a part of an id.

    """
    second = bare(line).split()[1]
    if second in _SECOND:
        return False
    if not second.isdigit():
        return True
    what = "run" if layout is RUN else "qrels"
    raise InputError(
        "unknown-format",
        f"{source.name}: {quoted([line.decode('utf-8', 'replace')])} may be {len(layout.columns)} words or three cells",
        remedy=f"say which: --{what}-format trec or --{what}-format tsv, in Python format='trec' or 'tsv'",
    )


def json_form(
    text: bytes, is_row: Callable[[dict[str, Any]], bool], is_key: Callable[[str], bool], *, whole: bool
) -> tuple[str, bool]:
    """Lines of JSON or one document; and whether the first line is JSON for sure.

    Args:
        text: the beginning of a file.
        is_row: whether an object is a row rather than all rows.
        is_key: whether the first key of an object is one of a row.
        whole: whether the text is all of the file.

    """
    import json  # noqa: PLC0415 - not needed for the others

    first, newline, rest = text.partition(b"\n")
    try:
        value = json.loads(first)
    except (ValueError, RecursionError):
        key = None if newline or whole else _KEY.match(first)
        return "jsonl" if key and is_key(key[1].decode("utf-8", "replace")) else "json", False
    if not isinstance(value, dict):
        return "json", True
    return "jsonl" if rest.strip() or is_row(value) else "json", True


def _is_of_row(key: str) -> bool:
    """Whether this is what a row calls its query, its document or its list of documents."""
    from rankworth.io.columns import is_header, is_plural  # noqa: PLC0415 - as above

    return is_header([key]) or is_plural(key, "document")
