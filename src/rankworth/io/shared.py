"""Columns that are named once for several files: to each file go the names that it has."""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from rankworth.errors import InputError, quoted
from rankworth.io.formats import QRELS, RUN, Layout, Reading, format_of
from rankworth.io.frames.roles import is_header
from rankworth.io.objects.documents import is_dicts
from rankworth.io.sources import Source
from rankworth.io.text.lines import first_line

_HEAD: Final = 1 << 16
_ROLES: Final = {RUN: ("query", "document", "score", "rank"), QRELS: ("query", "document", "grade", "subtopic")}


def narrowed(files: Sequence[tuple[Source, Layout, Reading]]) -> list[Reading]:
    """What is said of each file, without columns that it does not have.

    Args:
        files: each with what it holds and what is said of it; all with the same columns.

    Raises:
        InputError: `frame-columns` where no file has some column; what tells the names of the columns.

    """
    readings = []
    missing: dict[str, str] = {}
    for source, layout, reading in files:
        asked = {what: reading.columns[what] for what in _ROLES[layout] if what in reading.columns}
        there = _there(source, layout, reading, asked.values()) if asked else ()
        known = {what: name for what, name in asked.items() if not name or name in there}
        readings.append(replace(reading, columns=known))
        missing |= asked
    for reading in readings:
        missing = {what: name for what, name in missing.items() if reading.columns.get(what) != name}
    if missing:
        what, name = next(iter(missing.items()))
        paths = quoted(dict.fromkeys(source.path for source, layout, _ in files if what in _ROLES[layout]))
        text = f"--columns {what}={name}: there is no such column in {paths}"
        raise InputError("frame-columns", text, remedy="names are those in the file, to the letter")
    return readings


def _there(source: Source, layout: Layout, reading: Reading, names: Iterable[str]) -> set[str]:
    """Which of some columns a file has: surely, or as far as its beginning tells, and its reader says if not.

    What can be read once only is not looked into.
    """
    if source.size is None:
        return set(names)
    form = format_of(source, layout, reading)
    if form == "trec":
        return set()
    if form in ("parquet", "arrow"):
        from rankworth.io.frames import columnar  # noqa: PLC0415 - not needed for text

        return set(columnar.names(source, form)) & set(names)
    head = source.head(_HEAD)
    if form in ("json", "jsonl"):
        if is_dicts(source):
            return set()
        text = head.decode("utf-8", "replace")
        return {name for name in names if re.search(re.escape(json.dumps(name, ensure_ascii=False)) + r"\s*:", text)}
    header = first_line(head).decode("utf-8", "replace")
    counted = not is_header([cell.strip().strip('"') for cell in re.split("[\t,;|]", header)])
    return {name for name in names if (counted if name.isdecimal() else name in header)}
