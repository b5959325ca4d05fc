"""JSON lines: an object in each line, read some megabytes at a time.

Where every line has two text ids and a number under the same keys, Polars parses them, and counting tells whether it
converted or left out anything. The rest is read line by line, so that every problem can be named with its line.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

import orjson
import polars as pl

from rankworth.errors import InputError, quoted
from rankworth.io import lines, search_response
from rankworth.io.lines import MARK, RUN, Layout
from rankworth.io.objects import syntax
from rankworth.io.objects.tables import Objects, shown
from rankworth.io.source import Progress, Source

if TYPE_CHECKING:
    from rankworth.io.reading import Reading

CHUNK: Final = 8 << 20
LONGEST: Final = 1 << 28
"""bytes of a line; a list of a million documents takes some ten millions"""


def batches(
    source: Source, layout: Layout, reading: "Reading", progress: Progress | None = None
) -> Iterator[pl.DataFrame]:
    """The documents in batches, in file order; all of a file that turns out to be one JSON document.

    Args:
        source: where the bytes come from.
        layout: `RUN` or `QRELS`.
        reading: what the user says of the file.
        progress: told after each batch how far the file is read.

    Raises:
        InputError: with the first problem of the file and its line.

    """
    reader = _Reader(source, layout, reading)
    for chunk in lines.chunks(source, usual=CHUNK, longest=LONGEST, progress=progress):
        if lines.is_endless(chunk, LONGEST):
            raise reader.endless(chunk)
        if not reader.objects and not reader.begin(chunk):
            from rankworth.io import json  # noqa: PLC0415 - which needs this module for files that are lines

            yield from json.batches(source, layout, reading, progress)
            return
        frame = reader.frame(chunk)
        if frame is not None and frame.height:
            yield frame
    reader.finish()


def is_row(value: object) -> bool:
    """Whether this is an object with something besides lists and objects, as the ids and numbers of a row are."""
    if not isinstance(value, dict) or search_response.is_known(value):
        return False
    return not all(isinstance(item, dict | list) for item in value.values())


class _Reader:
    """Turns chunks into frames and remembers what it met on the way."""

    def __init__(self, source: Source, layout: Layout, reading: "Reading") -> None:
        self.source = source
        self.layout = layout
        self.table = Objects(layout, reading)
        self.lines = 0
        self.objects = 0
        self.documents = 0
        self.keys: tuple[str, ...] = ()
        """of query, document and score, where Polars may parse them"""

    def endless(self, chunk: bytes) -> InputError:
        """The error for a line that does not end."""
        if 0 in chunk:
            return lines.no_text(self.source, chunk, self.lines)
        if not self.lines and lines.ends_in_cr(chunk):
            return lines.only_cr(self.source)
        remedy = "end each object with a line break; if the file is one JSON document: "
        return lines.endless(self.source, self.lines, LONGEST, f"{remedy}--{self.layout.option}-format json")

    def begin(self, chunk: bytes) -> bool:
        """Learn from the first object what the keys are; whether it is one that may stand in a line."""
        lines = enumerate(chunk.split(b"\n"), self.lines + 1)
        number, line = next(((number, line) for number, line in lines if line.removeprefix(MARK).strip()), (0, b""))
        if not line:
            return True
        first = syntax.parsed(line, self.source, number)
        if not is_row(first):
            return False
        roles = self.table.roles(first, lambda _: f"{self.source.name}:{number}")
        if self.layout is RUN and set(roles) == {"query", "document", "score"}:
            self.keys = tuple(roles[what] for what in ("query", "document", "score"))
        return True

    def frame(self, chunk: bytes) -> pl.DataFrame | None:
        """The documents of a chunk; None where it has no objects."""
        lines = chunk.count(b"\n") + (not chunk.endswith(b"\n"))
        frame = _quickly(chunk, self.keys) if self.keys else None
        if frame is None:
            frame = self._line_by_line(chunk)
        else:
            self.objects += frame.height
        self.lines += lines
        self.documents += 0 if frame is None else frame.height
        return frame

    def finish(self) -> None:
        """An empty file is a problem, too."""
        if not self.documents:
            content = "all lists are empty" if self.objects else "there is nothing in it but empty lines"
            raise InputError(
                "empty-input", f"{self.source.name}: {content if self.lines else 'there is nothing in it'}"
            )

    def _line_by_line(self, chunk: bytes) -> pl.DataFrame | None:
        lines = chunk.removesuffix(b"\n").split(b"\n")
        numbers: Sequence[int] = range(self.lines + 1, self.lines + 1 + len(lines))
        try:
            values = list(map(orjson.loads, lines))
        except orjson.JSONDecodeError:
            kept = [
                (number, line) for number, line in zip(numbers, lines, strict=True) if line.removeprefix(MARK).strip()
            ]
            numbers, lines = [number for number, _ in kept], [line for _, line in kept]
            values = [syntax.parsed(line, self.source, number) for number, line in kept]
        if not values:
            return None

        def place(row: int) -> str:
            return f"{self.source.name}:{numbers[row]}"

        if set(map(type, values)) != {dict}:
            row = next(row for row, value in enumerate(values) if type(value) is not dict)
            raise InputError(
                "input-type",
                f"{place(row)}: this is {shown(values[row])}, not an object",
                remedy='write an object in each line, such as {"query_id": "q1", "doc_id": "d1", '
                f'"{"score" if self.layout is RUN else "relevance"}": 1}}',
            )
        if not syntax.has_each_key_once(chunk, values, sum(map(len, values))):
            for row, (line, value) in enumerate(zip(lines, values, strict=True)):
                if not syntax.has_each_key_once(line, value, len(value)):
                    self._check_keys(line, place(row))
        self.objects += len(values)
        return self.table.frame(values, place)

    def _check_keys(self, line: bytes, where: str) -> None:
        """An object has each key once, and a list each document."""
        way = syntax.repeated(line, where)
        if way:
            slug = self.layout.repeated if len(way) > 1 else "frame-columns"
            text = f"{where}: the key {quoted([way[-1]])} stands twice in one object"
            raise InputError(slug, text, remedy="keep one of them")


def _quickly(chunk: bytes, keys: tuple[str, ...]) -> pl.DataFrame | None:
    """The documents of a chunk in which every line has each of the keys once, with two texts and a number.

    Polars would make texts of other ids and take the first of two keys; where every line has something under every key,
    counting the keys and the texts under them rules that out. An escape may be anything.
    """
    if b"\\" in chunk:
        return None
    types = dict(zip(keys, (pl.String(), pl.String(), pl.Float64()), strict=True))
    try:
        frame = pl.read_ndjson(chunk, schema=types)
    except pl.exceptions.PolarsError:
        return None
    height = frame.height
    if any(frame.null_count().row(0)):
        return None
    names = [b'"%b"' % key.encode() for key in keys]
    texts = [chunk.count(name + b':"') or chunk.count(name + b': "') for name in names[:2]]
    if texts != [height] * 2 or any(chunk.count(name) != height for name in names):
        return None
    return frame.rename(dict(zip(keys, ("query", "document", "score"), strict=True)))
