"""Texts in files: tables with delimiters, lines of JSON, one JSON document, and topics of TREC and CLEF.

Tables are separated by tabs, commas, semicolons or bars below a header; or a line is an id, a tab and a text.

Below a header, cells are quoted as RFC 4180 says. In files without one, as TREC and MS MARCO have them, a line is a row
and a quote a quote. Tabs are rare in texts, and quotes are not: in a cell between tabs, a quote that opens and does not
close as it should stands for itself.
"""

import html
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import orjson

from rankworth.errors import InputError, quoted
from rankworth.io.metadata.columns import Asked, Row
from rankworth.io.objects import syntax
from rankworth.io.source import Progress, Source
from rankworth.io.text import chunks, foreign
from rankworth.io.text.lines import FIELDS, MARK, is_sep
from rankworth.io.text.records import QUOTES, Record, misquoted, records, refuse_endless
from rankworth.io.validate import shown

CHUNK: Final = 8 << 20
LONGEST: Final = 32 << 20
_HEAD: Final = 1 << 20
_TAB: Final = "\t"
_DELIMITERS: Final = "\t,;|"
_BLANKS: Final = " \t"

Cells = list[bytes]
"""The cells of a row, without their quotes."""


class _Header(NamedTuple):
    """What the beginning of a table tells."""

    delimiter: str
    names: tuple[str, ...]
    asked: Asked
    """what is looked for, in columns of these names"""
    named: bool
    place: int
    """where the first row begins"""
    lines: int
    """how many lines stand before it"""

    @property
    def literal(self) -> bool:
        """Whether a quote is a quote, and a line a row."""
        return self.delimiter == _TAB and not self.named


def delimited(source: Source, asked: Asked, progress: Progress | None = None) -> Iterator[Row]:
    """The rows of a table.

    Raises:
        InputError: `frame-columns`, `missing-value`, `padded-id`, `bad-quotes`, `wrong-encoding`, `binary-file`,
            `line-ends`, `endless-line`, `empty-input`.

    """
    header = _header(source, asked)
    table = _Table(source, header)
    wanted = None if asked.wanted is None else {name.encode() for name in asked.wanted}
    place = header.names.index(header.asked.names(header.names, source.name).id)
    found = False
    for number, cells in table.cells(progress):
        found = True
        if wanted is None or (len(cells) > place and cells[place] in wanted):
            row = table.row(number, cells, place)
            if row is not None:
                yield row
    if not found:
        raise InputError("empty-input", f"{source.name}: there is nothing below the header, not one {asked.kind.what}")


def _header(source: Source, asked: Asked) -> _Header:
    """Look at the first line that is neither blank nor a comment.

    Raises:
        InputError: `frame-columns`, `empty-input`, `wrong-encoding`, `binary-file`, `line-ends`.

    """
    head = source.head(_HEAD)
    foreign.refuse(source, head)
    place, lines = len(MARK) if head.startswith(MARK) else 0, 0
    while place < len(head) and _says_nothing(head[place : head.find(b"\n", place) + 1 or len(head)]):
        place, lines = head.find(b"\n", place) + 1 or len(head), lines + 1
    if place == len(head):
        content = "there is nothing in it but comments and blank lines" if head else "there is nothing in it"
        raise InputError("empty-input", f"{source.name}: {content}, not one {asked.kind.what}")
    where = f"{source.name}:{lines + 1}"
    first = {delimiter: next(records(head[place:], delimiter)) for delimiter in _DELIMITERS}
    shown = {delimiter: _shown(record.cells) for delimiter, record in first.items()}
    named = [delimiter for delimiter, cells in shown.items() if asked.kind.is_header(cells, asked.columns)]
    if named:
        delimiter = max(named, key=lambda delimiter: len(shown[delimiter]))
        refuse_endless(source, lines, first[delimiter])
        names = _once(shown[delimiter], where)
        asked.names(names, where)
        end = first[delimiter].end
        return _Header(delimiter, names, asked, True, place + end, lines + head.count(b"\n", place, place + end))
    line = head[place:].partition(b"\n")[0]
    delimiter = _TAB if b"\t" in line else max(_DELIMITERS, key=lambda delimiter: len(shown[delimiter]))
    refuse_endless(source, lines, first[delimiter])
    count = line.count(b"\t") + 1 if delimiter == _TAB else len(shown[delimiter])
    counted = asked.counted(count) if delimiter == _TAB or asked.columns else None
    if counted is None:
        raise _no_header(where, asked, line, count)
    names = tuple(map(str, range(1, count + 1)))
    counted.names(names, where)
    return _Header(delimiter, names, counted, False, place, lines)


class _Table:
    """Turns chunks into rows, and counts lines."""

    def __init__(self, source: Source, header: _Header) -> None:
        self.source = source
        self.header = header
        self.lines = header.lines
        self.lenient = header.delimiter == _TAB
        """whether a quote that opens may stand for itself"""

    def cells(self, progress: Progress | None) -> Iterator[tuple[int, Cells]]:
        """The rows that are not empty, with the numbers of their lines.

        Raises:
            InputError: `bad-quotes`, `binary-file`, `endless-line`.

        """
        parts = chunks.chunks(
            self.source,
            _last_line if self.header.literal else self._cut,
            first=CHUNK >> 3,
            usual=CHUNK,
            longest=LONGEST,
            skip=self.header.place,
            progress=progress,
        )
        for text, found in parts:
            if 0 in text:
                raise foreign.no_text(self.source, text, self.lines)
            if found is None and len(text) >= LONGEST:
                remedy = "a quote may open here that is never closed; or lines do not end in LF"
                raise foreign.endless(self.source, self.lines, LONGEST, remedy, "row")
            yield from self._of_lines(text) if self.header.literal else self._of_records(text, found)
            self.lines += text.count(b"\n")

    def row(self, number: int, cells: Cells, place: int) -> Row | None:
        """A row with its text decoded.

        Raises:
            InputError: `frame-columns`, `missing-value`, `padded-id`, `wrong-encoding`.

        """
        names, asked = self.header.names, self.header.asked
        where = f"{self.source.name}:{number}"
        if len(cells) > len(names) and not any(cells[len(names) :]):
            cells = cells[: len(names)]
        if len(cells) != len(names):
            raise self._uneven(where, cells)
        try:
            texts = [cell.decode() for cell in cells]
        except UnicodeDecodeError as error:
            text = f"{where}: this is not UTF-8 ({error.reason}): {str(error.object[:100])[1:]}"
            raise InputError("wrong-encoding", text, remedy=foreign.latin1(self.source)) from None
        if texts[place] != texts[place].strip(_BLANKS):
            text = f"{where}: blanks surround the {asked.kind.what} {texts[place]!r}"
            raise InputError("padded-id", text, remedy="remove the blanks")
        return asked.row(dict(zip(names, texts, strict=True)), number, lambda _: where)

    def _of_lines(self, text: bytes) -> Iterator[tuple[int, Cells]]:
        of_documents = self.header.asked.wanted is not None
        last = len(self.header.names) - 1 if of_documents else FIELDS  # the texts of documents may hold tabs
        for number, line in enumerate(text.removesuffix(b"\n").split(b"\n"), self.lines + 1):
            if line and line != b"\r":
                yield number, line.removesuffix(b"\r").split(b"\t", last)

    def _of_records(self, text: bytes, found: list[Record] | None) -> Iterator[tuple[int, Cells]]:
        for record in records(text, self.header.delimiter) if found is None else found:
            refuse_endless(self.source, self.lines, record)
            number = self.lines + record.line + 1
            if record.problem and not self.lenient:
                problem = f"{self.source.name}:{number}: {misquoted(record)}"
                raise InputError("bad-quotes", problem, remedy=QUOTES)
            if record.problem:
                line = text[record.place : record.end].removesuffix(b"\n").removesuffix(b"\r")
                cells = line.split(self.header.delimiter.encode())
            else:
                cells = list(map(_unquoted, record.cells))
            if any(cells):
                yield number, cells

    def _cut(self, buffer: bytearray) -> tuple[int, list[Record]]:
        """Where the last record begins, which may go on, and the records before it."""
        held: list[Record] = []
        for record in records(bytes(buffer), self.header.delimiter):
            held.append(record)
            if record.open and not (self.lenient and len(buffer) >= LONGEST):
                break
        last = held.pop()
        return last.place, held

    def _uneven(self, where: str, cells: Cells) -> InputError:
        names, delimiter = self.header.names, self.header.delimiter
        sign = {"\t": "tab", ",": "comma", ";": "semicolon", "|": "vertical bar"}[delimiter]
        text = f"{where}: the {'header' if self.header.named else 'first line'} has {len(names)} cells, this row has "
        text += f"{len(cells)}: {quoted([cell.decode(errors='replace') for cell in cells], 8)}"
        remedy = "fill such rows, or drop them"
        if len(cells) > len(names):
            here = f"a text can hold no {sign} here; put a header above, and quote it"
            remedy = f"put cells in quotes that hold a {sign}" if self.header.named else here
        return InputError("frame-columns", text, remedy=remedy)


def _last_line(buffer: bytearray) -> tuple[int, list[Record]]:
    return buffer.rfind(b"\n") + 1, []


def _unquoted(cell: bytes) -> bytes:
    return cell[1:-1].replace(b'""', b'"') if cell.startswith(b'"') else cell


def _says_nothing(line: bytes) -> bool:
    """Whether a line is blank, tells Excel the delimiter, or is a comment, which has no tab."""
    return not line.strip() or is_sep(line) or (line.startswith(b"#") and b"\t" not in line)


def _shown(cells: list[bytes]) -> list[str]:
    """What the cells of the first line say, without blanks around them and without empty ones at the end."""
    texts = [_unquoted(cell.strip()).decode(errors="replace").strip() for cell in cells]
    while texts and not texts[-1]:
        texts.pop()
    return texts or [""]


def _once(names: list[str], where: str) -> tuple[str, ...]:
    """The names of columns, which are different.

    Raises:
        InputError: `frame-columns`.

    """
    twice = [name for name in names if name and names.count(name) > 1]
    if twice:
        text = f"{where}: {names.count(twice[0])} columns are called {twice[0]}; the columns are {quoted(names, 8)}"
        raise InputError("frame-columns", text, remedy="rename or remove those that are not meant")
    return tuple(names)


def _no_header(where: str, asked: Asked, line: bytes, count: int) -> InputError:
    """The error for a file of which nothing tells the columns."""
    what, shown = asked.kind.what, quoted([line.decode(errors="replace").rstrip("\r")])
    said = f"--columns {what}=1 text=2, in Python columns={{{what!r}: 1, 'text': 2}}"
    if b"\t" in line:
        text = f"{where}: this is no header, and nothing tells what the {count} columns are: {shown}"
        return InputError("frame-columns", text, remedy=f"put the names of the columns above, or count them: {said}")
    text = f"{where}: this is neither a header nor an id, a tab and a text: {shown}"
    return InputError("frame-columns", text, remedy=f"put a header above, such as {what}_id,text; or count: {said}")


LONGEST_LINE: Final = 1 << 28
"""how long a line of JSON may be"""


def is_row(keys: Sequence[str], asked: Asked) -> bool:
    """Whether these are the keys of a row rather than ids; or the first of them."""
    return bool(keys) and asked.kind.is_header(keys, asked.columns)


def json_lines(source: Source, asked: Asked, progress: Progress | None = None) -> Iterator[Row]:
    """The objects of a file that has one in each line.

    Raises:
        InputError: with the first problem of the file and its line.

    """
    above = found = 0

    def where(number: int) -> str:
        return f"{source.name}:{number}"

    for chunk in chunks.lines(source, usual=CHUNK, longest=LONGEST_LINE, progress=progress):
        if chunks.is_endless(chunk, LONGEST_LINE):
            raise foreign.endless(source, above, LONGEST_LINE, "end each object with a line break")
        for number, line, value in _objects(chunk, source, above + 1):
            if not found:
                _refuse_columns(value, asked, where(number))
            found += 1
            row = asked.row(value, number, where, "key")
            if row is not None:
                if not syntax.has_each_key_once(line, value, len(value)):
                    _check_keys(line, row.where)
                yield row
        above += chunk.count(b"\n")
    if not found:
        raise InputError("empty-input", f"{source.name}: there is nothing in it but empty lines")


def _objects(chunk: bytes, source: Source, first: int) -> Iterator[tuple[int, bytes, dict[str, Any]]]:
    """The objects of some lines, with these and their numbers."""
    for number, line in enumerate(chunk.removesuffix(b"\n").split(b"\n"), first):
        try:
            value = orjson.loads(line)
        except orjson.JSONDecodeError:
            if not line.removeprefix(MARK).strip():
                continue
            value = syntax.parsed(line, source, number)
        if type(value) is not dict:
            text = f"{source.name}:{number}: this is {shown(value)}, not an object"
            remedy = 'write an object in each line, such as {"_id": "q1", "text": "red shoes"}'
            raise InputError("input-type", text, remedy=remedy)
        yield number, line, value


def json_document(source: Source, asked: Asked, progress: Progress | None = None) -> Iterator[Row]:
    """The entries of one JSON document.

    Raises:
        InputError: with the first problem of the file.

    """
    text = source.whole(progress)
    value = syntax.parsed(text, source)
    _check_once(text, value, source.name)
    del text
    if isinstance(value, dict) and not is_row(list(value), asked):
        yield from entries(value, asked, source.name)
        return
    if not value:
        raise InputError("empty-input", f"{source.name}: there is nothing in it")

    def where(row: int) -> str:
        return f"{source.name}: row {row}"

    for number, cells in enumerate(value if isinstance(value, list) else [value], 1):
        if not isinstance(cells, dict):
            remedy = f'a list holds objects, such as {{"_id": "{asked.kind.what[0]}1", "text": "red shoes"}}'
            raise InputError("input-type", f"{where(number)} is {shown(cells)}, not an object", remedy=remedy)
        _refuse_columns(cells, asked, where(number))
        row = asked.row(cells, number, where, "key")
        if row is not None:
            yield row


def entries(value: Mapping[Any, Any], asked: Asked, name: str) -> Iterator[Row]:
    """The texts that a dict holds by their ids.

    Raises:
        InputError: as `Asked.entry`.

    """
    if not value:
        raise InputError("empty-input", f"{name}: there is nothing in it")
    for key, item in value.items():
        row = asked.entry(key, item, f"{name}: {asked.kind.what} {quoted([key])}")
        if row is not None:
            yield row


def _refuse_columns(cells: Mapping[str, Any], asked: Asked, where: str) -> None:
    """Refuse a table that stands there column by column."""
    if all(isinstance(item, list | dict) for item in cells.values()):
        text = f"{where}: this looks like a {asked.kind.what} table, column by column: {quoted(cells, 8)}"
        raise InputError("input-type", text, remedy='pandas writes it by rows: frame.to_json(path, orient="records")')


def _check_once(text: bytes, value: Any, name: str) -> None:  # noqa: ANN401 - of JSON
    """An object has each key once: no id stands there twice."""
    inner = value if isinstance(value, list) else value.values() if isinstance(value, dict) else ()
    members = sum(len(each) for each in (value, *inner) if isinstance(each, dict))
    if not syntax.has_each_key_once(text, value, members):
        _check_keys(text, name)


def _check_keys(text: bytes, where: str) -> None:
    way = syntax.repeated(text, where)
    if way:
        problem = f"{where}: the key {quoted([way[-1]])} stands twice in one object"
        raise InputError("input-type", problem, remedy="keep one of them")


_BEGIN: Final = re.compile(r"<top(?:ic)?(?=[\s>])([^<>]*)>", re.IGNORECASE)
_END: Final = re.compile(r"</top(?:ic)?\s*>", re.IGNORECASE)
_COMMENT: Final = re.compile(r"<!--.*?-->", re.DOTALL)
_FIELD: Final = re.compile(r"<([A-Za-z][\w-]*)[^<>]*>((?:[^<]|<(?!/?[A-Za-z]))*+)")
_ATTRIBUTE: Final = re.compile(r"""([\w-]+)\s*=\s*("[^"]*"|'[^']*')""")
_ENTITY: Final = re.compile(r"&(?:amp|lt|gt|quot|apos|#[0-9]{1,7}|#x[0-9A-Fa-f]{1,6});")
_LANGUAGE: Final = re.compile(r"[a-z]{2}-")
"""what CLEF puts before the names of fields"""
_CALLED: Final = {"num": "number", "desc": "description", "narr": "narrative"}
_OPENINGS: Final = {
    "number": "number",
    "title": "topic",
    "description": "description",
    "narrative": "narrative",
    "dom": "domain",
    "smry": "summary",
    "con": "concept(s)",
    "fac": "factor(s)",
    "def": "definition(s)",
}
"""the words that early topics repeat where a field begins"""


def topics(source: Source, asked: Asked) -> Iterator[Row]:
    """The topics of a file: their number, their title, and whatever fields they have besides.

    Raises:
        InputError: `unknown-format`, `missing-value`, `wrong-encoding`, `binary-file`.

    """
    text = _COMMENT.sub(lambda found: "\n" * found[0].count("\n"), _decoded(source))
    begins = list(_BEGIN.finditer(text))
    if not begins:
        problem = f"{source.name}: this looks like markup, but there is neither a <top> nor a <topic> in it"
        raise InputError("unknown-format", problem, remedy="write the queries as a table: id, tab, text")
    line, place = 1, 0
    for begin, end in zip(begins, [*(after.start() for after in begins[1:]), len(text)], strict=True):
        line += text.count("\n", place, begin.start())
        place = begin.start()
        yield from _topic(_END.split(text[begin.end() : end], maxsplit=1)[0], begin[1], line, asked, source)


def _topic(body: str, attributes: str, line: int, asked: Asked, source: Source) -> Iterator[Row]:
    cells = {name.lower(): _plain(value[1:-1]) for name, value in _ATTRIBUTE.findall(attributes)}
    fields = [(_field_name(tag), _plain(content)) for tag, content in _FIELD.findall(body)]
    times = Counter(name for name, _ in fields)
    cells |= {name: _without_opening(name, content) for name, content in fields if times[name] == 1}
    if not fields:
        cells["text"] = _plain(body)
    row = asked.row(cells, line, lambda number: f"{source.name}:{number}", "field")
    if row is not None:
        yield row


def _field_name(tag: str) -> str:
    bare = _LANGUAGE.sub("", tag.lower(), count=1) if _LANGUAGE.match(tag.lower()) else tag.lower()
    return _CALLED.get(bare, bare)


def _plain(content: str) -> str:
    """A field on one line, with the signs that markup cannot write as they are."""
    return _ENTITY.sub(lambda found: html.unescape(found[0]), " ".join(content.split()))


def _without_opening(name: str, content: str) -> str:
    opening, colon, rest = content.partition(":")
    return rest.strip() if colon and opening.strip().lower() == _OPENINGS.get(name) else content


def _decoded(source: Source) -> str:
    content = source.whole().removeprefix(MARK)
    if 0 in content:
        raise foreign.no_text(source, content)
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        text = f"{source.name}:{line}: this is not UTF-8 ({error.reason})"
        raise InputError("wrong-encoding", text, remedy=foreign.latin1(source)) from None
