"""JSON: texts and what is wrong with them, and whole documents that hold a run or judgements.

A document is read as what it is in Python: a dict of dicts, a dict of lists, a list of rows, hits of _rank_eval.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from rankworth.errors import InputError
from rankworth.io import validate
from rankworth.io.id_arrays import is_chroma
from rankworth.io.known_layouts import is_known
from rankworth.io.layout import RUN, Layout
from rankworth.io.lines import MARK
from rankworth.io.python_objects import Reader, Scored, frame_of
from rankworth.io.responses import by_query, is_response
from rankworth.io.source import Source
from rankworth.io.usual_names import NONE

if TYPE_CHECKING:
    import polars as pl

    from rankworth.io.facts import Observed
    from rankworth.io.options import Reading

from rankworth.io.json_text import check_keys, parsed

_HEAD: Final = 1 << 12
_STRING: Final = rb'"(?:[^"\\]|\\.)*+"\s*'
_DICTS: Final = re.compile(rb"\s*\{\s*" + _STRING + rb":\s*\{\s*" + _STRING + rb":\s*-?[0-9]")
"""how a dict of dicts begins"""


def batches(source: Source, layout: Layout, reading: "Reading", observed: "Observed") -> "Iterator[pl.DataFrame]":
    """Yield the rows of a document of JSON, in file order.

    Args:
        source: where the bytes come from.
        layout: `RUN` or `QRELS`.
        reading: what the user says of the file.
        observed: gets to know the facts.

    Raises:
        InputError: with the first problem of the file.

    """
    rows = _rows(source, layout, reading, observed)
    yield frame_of(rows, layout, source.name, reading.grades) if isinstance(rows, Mapping) else rows


def dicts(source: Source, layout: Layout, reading: "Reading", observed: "Observed") -> Scored | None:
    """Read a dict of dicts, checked, without its empty queries; None for any other document, see `batches`.

    Args:
        source: where the bytes come from.
        layout: `RUN` or `QRELS`.
        reading: what the user says of the file.
        observed: gets to know the facts.

    Raises:
        InputError: with the first problem of the file.

    """
    if _DICTS.match(source.head(_HEAD).removeprefix(MARK)) is None:
        return None
    rows = _rows(source, layout, reading, observed)
    return rows if isinstance(rows, Mapping) and observed.facts.lists is None else None


def is_row(value: object) -> bool:
    """Return whether this is an object with more than lists and objects, as the ids and numbers of a row are."""
    return (
        isinstance(value, dict)
        and not is_chroma(value)
        and not is_response(value, NONE)
        and not is_known(value)
        and not all(isinstance(each, dict | list) for each in value.values())
    )


def _rows(source: Source, layout: Layout, reading: "Reading", observed: "Observed") -> "Scored | pl.DataFrame":
    """Read what a document holds with the reader of Python's objects; lines may be responses."""
    text, name = source.whole(), source.name
    if not text.removeprefix(MARK).strip():
        raise InputError("empty-input", f"{name}: it is empty")
    try:
        document = parsed(text, source)
    except InputError:
        numbered = [(number, line) for number, line in enumerate(text.split(b"\n"), 1) if line.strip()]
        if not _is_response(numbered[0][1], reading.columns):
            raise
        document = [parsed(line, source, number) for number, line in numbered]
        text = b"[%b]" % b",".join(line for _, line in numbered)
    check_keys(text, document, name, layout.repeated, document)
    del text
    reader = Reader(layout, name, reading.columns, observed, first=1, file=source.stem, grades=reading.grades)
    rows = reader.read(document)
    if not isinstance(rows, Mapping):
        return rows
    try:
        rows = validate.dicts(rows, layout.value, name)
    except InputError as error:
        from rankworth.io.roots import with_root  # noqa: PLC0415 - for a message only

        raise with_root(error, document, reader) from None
    if layout is RUN and observed.facts.lists is None:
        observed.agree("score", name)
    parts = rows.values()
    validate.values(parts, sum(map(len, parts)), layout.value, list(rows), name=name, words=reading.grades)
    return rows


def _is_response(line: bytes, columns: Mapping[str, str]) -> bool:
    """Return whether a line is a response by itself, so that others may follow."""
    with suppress(InputError):
        value = parsed(line, Source(""))
        return isinstance(value, dict) and bool(by_query(value, columns))
    return False
