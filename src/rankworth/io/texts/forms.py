"""Formats of files of texts, told from the content."""

import json
import re
from collections.abc import Iterator
from typing import Final

from rankworth.io.sources import Progress, Source
from rankworth.io.text.lines import MARK
from rankworth.io.texts import delimited, objects, topics
from rankworth.io.texts.roles import QUERIES
from rankworth.io.texts.rows import Asked, Row

_HEAD: Final = 1 << 16
_MAGIC: Final = {b"PAR1": "parquet", b"ARROW1": "arrow", b"\xff\xff\xff\xff": "arrow"}
_KEY: Final = re.compile(rb'[{]\s*"((?:[^"\\]|\\.)*+)"\s*:')


def rows(source: Source, asked: Asked, progress: Progress | None = None) -> Iterator[Row]:
    """The rows of a file that somebody wants, in its order; before and after a look whether it is still what it was.

    Raises:
        InputError: with what is wrong with the file.

    """
    source.check()
    head = source.head(_HEAD)
    form = next((form for magic, form in _MAGIC.items() if head.startswith(magic)), "")
    text = head.removeprefix(MARK).lstrip()
    if form:
        from rankworth.io.texts import columnar  # noqa: PLC0415 - text needs no dataframe library

        yield from columnar.rows(source, form, asked, progress)
    elif text[:1] in (b"{", b"["):
        room = objects.lines if _is_lines(text, asked, whole=len(head) < _HEAD) else objects.whole
        yield from room(source, asked, progress)
    elif asked.kind is QUERIES and text[:1] == b"<":
        yield from topics.rows(source, asked)
    else:
        yield from delimited.rows(source, asked, progress)
    source.check()


def _is_lines(text: bytes, asked: Asked, *, whole: bool) -> bool:
    """Whether each line is an object, rather than all of them together; as far as the beginning tells."""
    first, newline, rest = text.partition(b"\n")
    try:
        value = json.loads(first)
    except (ValueError, RecursionError):
        key = None if newline or whole else _KEY.match(first)
        return key is not None and objects.is_row([key[1].decode("utf-8", "replace")], asked)
    return isinstance(value, dict) and (bool(rest.strip()) or objects.is_row(list(value), asked))
