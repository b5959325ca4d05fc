"""Records of text tables: cells as RFC 4180 writes them, and what to say of a record that does not hold what it should.

The slow and definite way to read: one record at a time, every problem with its line and with what helps.
"""

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Final, NamedTuple

from rankworth.errors import InputError, quoted, shortened
from rankworth.io.columns import SMALLER, is_header
from rankworth.io.source import Source
from rankworth.io.text import foreign
from rankworth.io.text.lines import FIELDS, MARK, SHOWN, Layout

_NUMBER: Final = re.compile(
    r"[+-]?(?:[0-9]+\.?[0-9]*(?:e[+-]?[0-9]+)?|\.[0-9]+(?:e[+-]?[0-9]+)?|inf|infinity|nan)", re.IGNORECASE
)
_COMMA: Final = re.compile(r"[+-]?[0-9]+,[0-9]+")
_TAB: Final = "\t"
_BLANKS: Final = " \t"
_NOTHING: Final = (b"", b'""')
_FORMULAS: Final = (" =", " @", " +", " -")
"""Quepid puts a blank before what a spreadsheet would take for a formula"""
QUOTES: Final = 'quotes that belong to a text are doubled, within quotes: "5"" nails"'
_QUOTED: Final = rb'"[^"]*+(?:""[^"]*+)*+'
_BLANK: Final = re.compile(rb"[\r\n]*\n")
_ENDS: Final = b"\r\n"
_OPEN: Final = re.compile(_QUOTED + rb"\Z")


class Record(NamedTuple):
    """A record, and where it stands."""

    place: int
    """where it begins"""
    end: int
    """where the next one begins"""
    line: int
    """the line on which it begins, counted from 0"""
    cells: list[bytes]
    """as they stand there, with their quotes; those before the wrong one where there is a problem"""
    problem: str = ""
    """how the cell begins that does not end with the quote that closes it"""
    open: bool = False
    """whether that cell is never closed"""


def records(chunk: bytes, delimiter: str) -> Iterator[Record]:
    """The records of a text that starts with one; blank lines that follow each other are one without a cell.

    Quotes count where a cell begins with one, and stand for themselves elsewhere. A record with wrong quotes, or with
    more cells than any should have, ends with its first line; of those, the last holds the rest.
    """
    separator = delimiter.encode()
    cell = _cell(separator)
    place = line = 0
    while place < len(chunk):
        if chunk[place] in _ENDS and (blank := _BLANK.match(chunk, place)):
            yield Record(place, blank.end(), line, [b""])
            line += chunk.count(b"\n", place, blank.end())
            place = blank.end()
            continue
        end = chunk.find(b"\n", place)
        end = len(chunk) if end < 0 else end
        if chunk.find(b'"', place, end) < 0:
            yield Record(place, end + 1, line, chunk[place:end].removesuffix(b"\r").split(separator, FIELDS))
            place, line = end + 1, line + 1
            continue
        cells: list[bytes] = []
        after, last = place, separator
        while last == separator and len(cells) <= FIELDS and (found := cell.match(chunk, after)):
            cells.append(found[1])
            after, last = found.end(), found[2]
        if len(cells) > FIELDS:
            yield Record(place, end + 1, line, cells)
            place, line = end + 1, line + 1
            continue
        if last == separator:
            problem = chunk[after : min(end, after + 100)].decode(errors="replace")
            yield Record(place, end + 1, line, cells, problem, open=_OPEN.match(chunk, after) is not None)
            place, line = end + 1, line + 1
            continue
        if not cells[-1].startswith(b'"'):
            cells[-1] = cells[-1].removesuffix(b"\r")
        yield Record(place, after, line, cells)
        line += chunk.count(b"\n", place, after)
        place = after


def refuse_endless(source: Source, lines: int, record: Record) -> None:
    """Refuse a record that has more cells than any should have.

    Args:
        source: the file.
        lines: how many lines stand before the text that the record is of.
        record: what stands there.

    Raises:
        InputError: `endless-line`.

    """
    if len(record.cells) > FIELDS:
        remedy = "end each record with a line break; of wide tables, keep the columns that count"
        raise foreign.endless(source, lines + record.line, FIELDS, remedy, "record", "cells")


def misquoted(record: Record) -> str:
    """What is wrong with the quotes of a record that has a problem."""
    cell = record.problem if record.problem.isprintable() else repr(record.problem)
    return f"this cell is not closed, or goes on after the quote that closes it: {cell}"


@lru_cache
def _cell(separator: bytes) -> re.Pattern[bytes]:
    """A cell and what ends it."""
    sign = re.escape(separator)
    return re.compile(rb'(%b"|[^"\n%b][^\n%b]*+|)(%b|\r?\n|\r?\Z)' % (_QUOTED, sign, sign, sign))


def is_number(text: str) -> bool:
    """Whether this reads as a number, be it none that counts."""
    return _NUMBER.fullmatch(text.strip(_BLANKS)) is not None


def text_of(cell: bytes) -> str:
    """What a cell says.

    Raises:
        UnicodeDecodeError: where that is not UTF-8.

    """
    return (cell[1:-1].replace(b'""', b'"') if cell.startswith(b'"') else cell).decode()


@dataclass(frozen=True)
class Form:
    """How the records of a table are to be read.

    Attributes:
        delimiter: what stands between cells.
        names: of the columns; their numbers, from 1, where there is no header.
        named: whether there is a header.
        places: which column holds `query`, `document`, `score`, `rank`, `distance`, `grade` or `subtopic`.
        quepid: whether Quepid wrote it, which leaves cells empty where nothing was found or nobody judged.

    """

    delimiter: str
    names: tuple[str, ...]
    named: bool
    places: Mapping[str, int]
    quepid: bool = False

    @cached_property
    def value(self) -> str:
        """What the values are; nothing where every judgement is 1."""
        return next((what for what in ("score", "rank", "distance", "grade") if what in self.places), "")


Row = tuple[str, str, float | None, str | None]


@dataclass
class Complaints:
    """The problems of one table: the first ten in words, the others counted."""

    source: Source
    layout: Layout
    form: Form
    above: int = 0
    """how many lines stand above the first record"""
    problems: list[tuple[str, str]] = field(default_factory=list)
    remedies: dict[str, None] = field(default_factory=dict)
    found: int = 0

    def read(self, record: Record, before: int) -> Row | None:
        """Query, document, value and subtopic; None where there is nothing to read or something to complain of.

        Args:
            record: what stands there.
            before: how many lines stand above the chunk of the record.

        """
        refuse_endless(self.source, before, record)
        cells, form = record.cells, self.form
        if not record.problem and all(cell.strip() in _NOTHING for cell in cells):
            return None
        if form.quepid and len(cells) == form.places["query"] + 1:  # nothing was found, or nobody judged
            cells = [*cells, *[b""] * (len(form.names) - len(cells))]
        try:
            if cells[:1] and cells[0].startswith(MARK):
                cells = [self._without_mark(cells[0]), *cells[1:]]
            self._check_shape(record, cells)
            return self._row({what: cells[place] for what, place in form.places.items()}, before + record.line)
        except _Problem as problem:
            self.found += 1
            if self.found <= SHOWN:
                number = before + record.line + 1
                self.problems.append((problem.slug, f"{self.source.name}:{number}: {problem.text}"))
                self.remedies[problem.remedy] = None
        return None

    def error(self, note: str = "") -> InputError:
        """All of them as one error, with a further note."""
        slugs, texts = zip(*self.problems, strict=True)
        remedy = "\n".join(filter(None, (*self.remedies, note)))
        return InputError(slugs[0], *texts, slugs=slugs, more=self.found - len(texts), remedy=remedy)

    def _row(self, cells: Mapping[str, bytes], above: int) -> Row | None:
        """What the cells say that count, of a record below some lines."""
        form, texts = self.form, {what: self._text(what, cell) for what, cell in cells.items()}
        if form.quepid and not texts.get("grade", texts["document"]):
            return None
        for what in ("query", "document"):
            self._check_id(what, texts[what], cells[what])
        if form.value == "grade" and not texts["grade"].strip(_BLANKS):
            return texts["query"], texts["document"], None, texts.get("subtopic") or None
        value = self._number(form.value, texts, first=above == self.above) if form.value else 1.0
        value = 0.0 - value if form.value in SMALLER else value
        return texts["query"], texts["document"], value, texts.get("subtopic") or None

    def _without_mark(self, cell: bytes) -> bytes:
        """A cell of a file that was joined to another one."""
        if cell.startswith(MARK + b'"'):
            remedy = "remove the marks within: sed 's/^\\xef\\xbb\\xbf//'"
            raise _Problem(self.layout.slug, "a byte order mark stands before a quoted cell", remedy)
        return cell.removeprefix(MARK)

    def _text(self, what: str, cell: bytes) -> str:
        try:
            text = text_of(cell)
        except UnicodeDecodeError:
            text, remedy = f"the {what} is {str(cell[:100])[1:]}, not UTF-8", foreign.latin1(self.source)
            raise _Problem("wrong-encoding", text, remedy) from None
        return text[1:] if self.form.quepid and text.startswith(_FORMULAS) else text

    def _check_id(self, what: str, text: str, cell: bytes) -> None:
        if not text.strip(_BLANKS):
            raise _Problem("missing-value", f"there is no {what}", "drop or fill such records")
        if not cell.startswith(b'"'):
            if text != text.strip(_BLANKS):
                remedy = "remove the blanks; if they belong to the id, quote it"
                raise _Problem("padded-id", f"blanks surround the {what} {shortened(text)!r}", remedy)
            if "\r" in text:
                remedy = "end all lines alike, in LF or CR LF"
                raise _Problem("line-ends", f"a carriage return stands in the {what} {shortened(text)!r}", remedy)

    def _number(self, what: str, texts: Mapping[str, str], *, first: bool) -> float:
        """The score, the rank or the grade; of the first record or of another."""
        slug, text = self.layout.bad_value, texts[what].strip(_BLANKS)
        if not text:
            raise _Problem("missing-value", f"there is no {what}", "drop or fill such records")
        if is_number(text):
            number = float(text)
            if math.isfinite(number) or (what in ("score", "distance") and not math.isnan(number)):
                return number
            remedy = f"drop the records whose {what} is no finite number, or mend what wrote them"
            raise _Problem(slug, f"the {what} is {text}", remedy)
        remedy = f"a {what} is a number such as {'12.5 or 1e-3' if what == 'score' else '0, 1 or 2'}"
        if _COMMA.fullmatch(text):
            remedy = "write numbers with a decimal point, as in 12.5"
        elif first and not self.form.named:
            said = " ".join(f"{role}=NAME" for role in self.form.places)
            form = f"--{self.layout.option}-format {'tsv' if self.form.delimiter == _TAB else 'csv'}"
            remedy = f"if the first line is a header, say which column is which: {form} --columns {said}"
        elif self._is_header(texts):
            remedy = "this looks like a header; of files that were joined, keep that of the first only"
        raise _Problem(slug, f"the {what} is {shortened(text)!r}, not a number", remedy)

    def _is_header(self, texts: Mapping[str, str]) -> bool:
        """Whether these are names of columns."""
        named = self.form.named and texts["query"] == self.form.names[self.form.places["query"]]
        return named or is_header((texts["query"], texts["document"]))

    def _check_shape(self, record: Record, cells: list[bytes]) -> None:
        """Quotes and the number of cells; what is too much and empty does no harm."""
        count, wanted = len(cells), len(self.form.names)
        if record.problem:
            raise _Problem("bad-quotes", misquoted(record), QUOTES)
        if count == wanted or (count > wanted and not any(cells[wanted:])):
            return
        has = f"the {'header' if self.form.named else 'first line'} has {wanted} cells"
        shown = quoted([cell.decode(errors="replace") for cell in cells], 8)
        remedy = "drop or fill such records"
        if count > wanted:
            comma = "; numbers need a decimal point" if self.form.delimiter == "," else ""
            remedy = f"put cells in quotes that hold a {_SIGNS[self.form.delimiter]}{comma}"
        raise _Problem(self.layout.slug, f"{has}, this record has {count}: {shown}", remedy)


_SIGNS: Final = {"\t": "tab", ",": "comma", ";": "semicolon", "|": "vertical bar"}


class _Problem(Exception):  # noqa: N818 - never leaves this module
    """A record that cannot be read."""

    def __init__(self, slug: str, text: str, remedy: str) -> None:
        super().__init__(text)
        self.slug, self.text, self.remedy = slug, text, remedy
