"""JSON lines: an object in each line, read some megabytes at a time.

Where every line has two text ids and a number under the same keys, Polars parses them, and counting shows whether it
converted or left out anything. The rest is read line by line, so that every problem can be named with its line.
"""

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Final

import orjson
import polars as pl

from rankworth.errors import InputError, quoted
from rankworth.io import json, lines
from rankworth.io.json_rows import Rows, shown
from rankworth.io.json_text import has_each_key_once, repeated
from rankworth.io.json_text import parsed as parse_json
from rankworth.io.lines import MARK, RUN, Layout
from rankworth.io.source import Progress, Source

if TYPE_CHECKING:
    from rankworth.io.reading import Reading

CHUNK: Final = 8 << 20
LONGEST: Final = 1 << 28
"""bytes of a line; a list of a million documents takes some ten millions"""
_LONG: Final = 1 << 20
"""bytes of a line that holds lists, which Polars would read in vain"""


def batches(
    source: Source, layout: Layout, reading: "Reading", progress: Progress | None = None
) -> Iterator[pl.DataFrame]:
    """The documents in batches, in file order; all of a file that turns out to be one JSON document.

    Args:
        source: where the bytes come from.
        layout: `RUN` or `QRELS`.
        reading: what the user says of the file.
        progress: called after each batch with how far the file is read.

    Raises:
        InputError: with the first problem of the file and its line.

    """
    reader = _Reader(source, layout, reading)
    chunks = lines.chunks(source, usual=CHUNK, longest=LONGEST, progress=progress)
    for first in chunks:
        reader.refuse_endless(first)
        if first.removeprefix(MARK).strip():
            break
        reader.lines += first.count(b"\n")
    else:
        raise reader.empty()
    if not reader.begin(first):
        yield from json.batches(source, layout, reading, progress)
        return
    for chunk, parsed in lines.parsed(chain([first], chunks), reader.parsed):
        frame = reader.frame(chunk, parsed)
        if frame.height:
            yield frame
    if not reader.documents:
        raise reader.empty()


class _Reader:
    """Turns chunks into frames and remembers the lines, the objects and the documents so far."""

    def __init__(self, source: Source, layout: Layout, reading: "Reading") -> None:
        self.source = source
        self.layout = layout
        self.table = Rows(layout, reading)
        self.lines = self.objects = self.documents = 0
        self.keys: tuple[str, ...] = ()
        """of query, document and score, where Polars may parse them"""

    def refuse_endless(self, chunk: bytes) -> None:
        """Refuse a line that does not end."""
        if not lines.is_endless(chunk, LONGEST):
            return
        if 0 in chunk:
            raise lines.no_text(self.source, chunk, self.lines)
        if not self.lines and lines.ends_in_cr(chunk):
            raise lines.only_cr(self.source)
        remedy = "end each object with a line break; if the file is one JSON document: "
        raise lines.endless(self.source, self.lines, LONGEST, f"{remedy}--{self.layout.option}-format json")

    def begin(self, chunk: bytes) -> bool:
        """Learn from the first object what the keys are; whether it is one that may stand in a line."""
        numbered = enumerate(chunk.split(b"\n"), self.lines + 1)
        number, line = next((number, line) for number, line in numbered if line.removeprefix(MARK).strip())
        first = parse_json(line, self.source, number)
        if not json.is_row(first):
            return False
        roles = self.table.roles(first, lambda _: f"{self.source.name}:{number}")
        if self.layout is RUN and set(roles) == {"query", "document", "score"}:
            self.keys = tuple(roles[what] for what in ("query", "document", "score"))
        return True

    def parsed(self, chunk: bytes) -> pl.DataFrame | None:
        """Parse a chunk in which every line has each of the keys once, with two texts and a number, or give up.

        Polars would make texts of other ids and take the first of two keys; where every line has something under every
        key, counting the keys and the texts under them rules that out. An escape may be anything.
        """
        if b"\\" in chunk or not self.keys or lines.long_line(chunk, _LONG) is not None:
            return None
        types = dict(zip(self.keys, (pl.String(), pl.String(), pl.Float64()), strict=True))
        try:
            frame = pl.read_ndjson(chunk, schema=types)
        except pl.exceptions.PolarsError:
            return None
        names = [b'"%b"' % key.encode() for key in self.keys]
        texts = [chunk.count(name + b':"') or chunk.count(name + b': "') for name in names[:2]]
        counts = [*texts, *(chunk.count(name) for name in names)]
        if any(frame.null_count().row(0)) or any(count != frame.height for count in counts):
            return None
        return frame.rename(dict(zip(self.keys, ("query", "document", "score"), strict=True)))

    def frame(self, chunk: bytes, parsed: pl.DataFrame | None) -> pl.DataFrame:
        """The documents of a chunk."""
        self.refuse_endless(chunk)
        frame = self._line_by_line(chunk) if parsed is None else parsed
        self.objects += 0 if parsed is None else frame.height
        self.lines += chunk.count(b"\n") + (not chunk.endswith(b"\n"))
        self.documents += frame.height
        return frame

    def empty(self) -> InputError:
        """The error for a file without documents."""
        content = "all lists are empty" if self.objects else "there is nothing in it but empty lines"
        return InputError("empty-input", f"{self.source.name}: {content if self.lines else 'there is nothing in it'}")

    def _line_by_line(self, chunk: bytes) -> pl.DataFrame:
        texts = chunk.removesuffix(b"\n").split(b"\n")
        numbers: Sequence[int] = range(self.lines + 1, self.lines + 1 + len(texts))
        try:
            values = list(map(orjson.loads, texts))
        except orjson.JSONDecodeError:
            kept = [pair for pair in zip(numbers, texts, strict=True) if pair[1].removeprefix(MARK).strip()]
            numbers, texts = [number for number, _ in kept], [text for _, text in kept]
            values = [parse_json(text, self.source, number) for number, text in kept]

        def place(row: int) -> str:
            return f"{self.source.name}:{numbers[row]}"

        if odd := next((row for row, value in enumerate(values, 1) if type(value) is not dict), 0):
            value = "score" if self.layout is RUN else "relevance"
            remedy = f'write an object in each line, such as {{"query_id": "q1", "doc_id": "d1", "{value}": 1}}'
            problem = f"{place(odd - 1)}: this is {shown(values[odd - 1])}, not an object"
            raise InputError("input-type", problem, remedy=remedy)
        if not has_each_key_once(chunk, values, sum(map(len, values))):
            for row, (text, value) in enumerate(zip(texts, values, strict=True)):
                if not has_each_key_once(text, value, len(value)):
                    self._check_keys(text, place(row))
        self.objects += len(values)
        return self.table.frame(values, place) if values else pl.DataFrame()

    def _check_keys(self, line: bytes, where: str) -> None:
        """An object has each key once, and a list each document."""
        if way := repeated(line, where):
            slug = self.layout.repeated if len(way) > 1 else "frame-columns"
            text = f"{where}: the key {quoted([way[-1]])} stands twice in one object"
            raise InputError(slug, text, remedy="keep one of them")
