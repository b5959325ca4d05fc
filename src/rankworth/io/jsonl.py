"""JSON lines: an object in each line, read some megabytes at a time.

Where every line has two text ids and a number under the same keys, Polars parses them, and counting shows whether it
converted or left out anything. The rest is read line by line, so that every problem can be named with its line.
"""

from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING, Final

import orjson
import polars as pl

from rankworth.errors import InputError
from rankworth.io import json, json_text, lines
from rankworth.io.id_arrays import is_chroma
from rankworth.io.kinds import has_documents
from rankworth.io.known_layouts import is_known
from rankworth.io.layout import RUN, Layout
from rankworth.io.lines import Chunk
from rankworth.io.python_objects import Reader
from rankworth.io.resolve import check_named, unread
from rankworth.io.responses import by_query, unknown
from rankworth.io.rows import Records
from rankworth.io.source import Source
from rankworth.io.validate import shown

if TYPE_CHECKING:
    from rankworth.io.facts import Observed
    from rankworth.io.options import Reading

CHUNK: Final = 8 << 20
LONGEST: Final = 1 << 28
"""bytes of a line; a list of a million documents takes some ten millions"""
_LONG: Final = 1 << 20
"""bytes of a line that holds lists, which Polars would read in vain"""


def batches(source: Source, layout: Layout, reading: "Reading", observed: "Observed") -> Iterator[pl.DataFrame]:
    """Yield the rows in batches, in file order; all of a file that turns out to be one JSON document.

    Args:
        source: where the bytes come from.
        layout: `RUN` or `QRELS`.
        reading: what the user says of the file.
        observed: gets to know the facts.

    Raises:
        InputError: with the first problem of the file and its line.

    """
    reader = _JsonReader(source, layout, reading, observed)
    chunks = lines.chunks(source, usual=CHUNK, longest=LONGEST)
    first = next((chunk for chunk in chunks if chunk.text.strip()), None)
    if first is None:
        raise lines.empty(source, layout)
    empty = True
    try:
        if not reader.begin(first):
            yield from json.batches(source, layout, reading, observed)
            return
        for chunk, parsed in lines.parsed(chain([first], chunks), lambda chunk: reader.parsed(chunk.text)):
            frame = reader.line_by_line(*chunk) if parsed is None else parsed
            if frame.height:
                empty = False
                yield frame
    except InputError as error:
        from rankworth.io.roots import with_root  # noqa: PLC0415 - for a message only

        error = unknown(reader.first, source.name, reading.columns, error)
        whole = Reader(layout, source.name, reading.columns, first=1, grades=reading.grades)
        raise with_root(error, reader.first, whole) from None
    if empty:
        raise InputError("empty-input", f"{source.name}: all lists are empty")


class _JsonReader:
    """Turns chunks into frames."""

    def __init__(self, source: Source, layout: Layout, reading: "Reading", observed: "Observed") -> None:
        self.source, self.layout, self.reading, self.observed = source, layout, reading, observed
        self.records = Records(layout, reading.columns, observed, grades=reading.grades)
        self.first: object = None
        """the first object of the file"""
        self.keys: tuple[str, ...] = ()
        """of `columns`, where Polars may parse them"""
        self.columns = ("query", "document", layout.value)

    def begin(self, chunk: Chunk) -> bool:
        """Learn the keys from the first object; return whether it may stand in a line."""
        numbered = enumerate(chunk.text.split(b"\n"), chunk.above + 1)
        lines_of_text = ((number, line) for number, line in numbered if line.strip())
        number, line = next(lines_of_text)
        first = json_text.parsed(line, self.source, number)
        is_row = json.is_row(first) or _is_alike(first, next(lines_of_text, (0, b""))[1])
        if not is_row or by_query(first, self.reading.columns):
            return False
        where = f"{self.source.name}:{number}"
        fields = Records(self.layout, self.reading.columns, self.observed).fields
        self.first = first
        columns = fields.columns([first], lambda _: where)
        self.observed.note_unread(self.source.name, unread(fields.looks, fields.roles))
        is_plain = all(place.way == "column" for place in fields.roles.locations.values())
        if set(columns) == {*self.columns} and is_plain and not has_documents(columns["document"][0]):
            check_named(fields.request)
            self.keys = tuple(fields.roles.locations[role].called for role in self.columns)
            if self.layout is RUN:
                self.observed.agree("score", where)
        return True

    def parsed(self, chunk: bytes) -> pl.DataFrame | None:
        """Parse a chunk in which every line has each of the keys once, with two texts and a number, or give up.

        Polars would make texts of other ids and take the first of two keys; where every line has something under every
        key, counting the keys and the texts under them rules that out. An escape may be anything.
        """
        if b"\\" in chunk or not self.keys or lines.long_line(chunk, _LONG):
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
        if not (self.layout is RUN or frame[self.keys[-1]].is_finite().all()):
            return None
        return frame.rename(dict(zip(self.keys, self.columns, strict=True)))

    def line_by_line(self, chunk: bytes, above: int) -> pl.DataFrame:
        """Read the rows of a chunk line by line, or refuse the first line that is wrong."""
        texts = chunk.removesuffix(b"\n").split(b"\n")
        numbers = list(range(above + 1, above + 1 + len(texts)))
        try:
            values = list(map(orjson.loads, texts))
        except orjson.JSONDecodeError:
            nonblank = [pair for pair in zip(numbers, texts, strict=True) if pair[1].strip()]
            numbers, texts = [number for number, _ in nonblank], [text for _, text in nonblank]
            values = [json_text.parsed(text, self.source, number) for number, text in nonblank]

        def where(row: int) -> str:
            return f"{self.source.name}:{numbers[row]}"

        if wrong_row := next((row for row, value in enumerate(values, 1) if type(value) is not dict), 0):
            value = "score" if self.layout is RUN else "relevance"
            remedy = f'write an object in each line, such as {{"query_id": "q1", "doc_id": "d1", "{value}": 1}}'
            problem = f"{where(wrong_row - 1)}: this is {shown(values[wrong_row - 1])}, not an object"
            raise InputError("input-type", problem, remedy=remedy)
        if not json_text.has_each_key_once(chunk, values):
            for row, (text, value) in enumerate(zip(texts, values, strict=True)):
                json_text.check_keys(text, value, where(row), self.layout.repeated, [value])
        return self.records.frame(values, where) if values else pl.DataFrame()


def _is_alike(first: object, line: bytes) -> bool:
    """Return whether the next line holds an object with the keys of the first one, so that these name columns."""
    if not isinstance(first, dict) or is_chroma(first) or is_known(first):
        return False
    try:
        second = orjson.loads(line)
    except orjson.JSONDecodeError:
        return False
    return isinstance(second, dict) and second.keys() == first.keys()
