"""Rows of text files: Polars parses them in chunks, and records in which anything is odd are read one by one.

The modules `trec` and `delimited` say what a record is, and when Polars must not see a chunk.
"""

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import numpy as np
import polars as pl

from rankworth.errors import InputError, quoted, shortened
from rankworth.io import grade_words
from rankworth.io.grade_words import Words
from rankworth.io.layout import NUMBER
from rankworth.io.lines import HEAD, Chunk, latin1, long_line, parsed
from rankworth.io.source import Source
from rankworth.tables.versions import SHORT_LINES

FIELDS: Final = 10_000
"""how many cells a record may have"""
_BLANKS: Final = " \t"
_INFINITE: Final = ("score", "distance")
"""numbers that may be infinite"""
_COMMA: Final = re.compile(r"[-+]?\d+,\d+")
"""a number with a decimal comma"""
_THOUSANDS: Final = re.compile(r"[-+]?\d{1,3}(,\d{3})+\.\d+")
"""a number with commas between thousands"""
_SHOWN: Final = 10
_COMPRESSED: Final = (b"x\x01", b"x^", b"x\x9c", b"x\xda", b"\x1f\x8b", b"(\xb5/\xfd")
"""what Polars takes for compressed data; `x^` begins texts as well"""


@dataclass
class Problems:
    """The problems of one file: the first ones in words, the others counted."""

    name: str
    shown: int
    count: int = 0
    first: list[InputError] = field(default_factory=list)

    def add(self, line: int, error: InputError) -> None:
        """Count a problem of a line, and keep it while there are few."""
        self.count += 1
        if self.count <= self.shown:
            self.first.append(InputError(error.slug, f"{self.name}:{line}: {error.problems[0]}", remedy=error.remedy))

    def error(self, note: str = "") -> InputError:
        """Join all problems in one error, with a further note."""
        whole = InputError.together(self.first)
        remedy = "\n".join(filter(None, (whole.remedy, "" if note in whole.remedy else note)))
        return InputError(
            whole.slug, *whole.problems, slugs=whole.slugs, more=self.count - len(self.first), remedy=remedy
        )


class Record(NamedTuple):
    """The cells of a row; a byte that is not UTF-8 is kept as half of a surrogate pair."""

    line: int
    """the number of its first line in its chunk, from 0"""
    cells: list[str]
    raw: str = ""
    """as it stands in the file, with quotes"""
    problem: InputError | None = None


@dataclass
class Reader(ABC):
    """Reads the records of one file.

    Attributes:
        source: the file.
        separator: what stands between cells.
        cells: which cell of a record holds what.
        width: how many cells a record has.
        required: what must not be empty; ids, and nothing else, have no blanks around them unless they are quoted.
        numbers: what is a number.
        words: the grades that words mean.
        loose: numbers that may be anything else, and NaN then.
        has_quotes: whether cells may be quoted.
        noun: what messages call a record.
        slug: of a record with more or fewer cells than it should have.
        has: what messages say of how many cells a record has.

    """

    source: Source
    separator: str
    cells: Mapping[str, int]
    width: int
    required: Collection[str]
    numbers: Sequence[str] = ()
    loose: Sequence[str] = ()
    has_quotes: bool = True
    noun: str = "row"
    slug: str = "frame-columns"
    has: str = ""
    words: Words = field(default_factory=lambda: grade_words.NONE)

    def __post_init__(self) -> None:
        """Choose the types of all cells, and the cells that Polars is to parse."""
        counts = isinstance(self.words, grade_words.TextCounts)
        self._worded = [role for role in self.numbers if self.words and (counts or role == "grade")]
        self._plain = [role for role in self.numbers if role not in self._worded]
        self._unknown: dict[str, None] = {}
        numeric = {self.cells[role] for role in self._plain}
        # One cell more than a record has tells when a record is too long; a last cell, that none is missing.
        self._schema = {str(cell): pl.Float64() if cell in numeric else pl.String() for cell in range(self.width + 1)}
        self._parsed = sorted({*self.cells.values(), self.width - 1, self.width})

    @abstractmethod
    def is_odd(self, text: bytes) -> bool:
        """Return whether Polars must not see a chunk."""

    @abstractmethod
    def records(self, text: bytes, above: int, *, last: bool) -> tuple[list[Record], bytes]:
        """Split a chunk into records; return these, and the lines of one that goes on in the next chunk.

        Args:
            text: whole lines.
            above: how many lines stand above them.
            last: whether no chunk follows.

        Raises:
            InputError: `endless-line`.

        """

    @abstractmethod
    def advice(self, cells: Sequence[str]) -> str:
        """Suggest the remedy for a record with too many or too few cells."""

    def frames(self, chunks: Iterator[Chunk]) -> Iterator[pl.DataFrame]:
        """Yield the rows of all chunks, in file order, under the names of what they hold; texts, numbers as float64.

        Raises:
            InputError: with up to ten problems of the file, each with its line; where the file tolerates some, only if
                all of many lines have one.

        """
        tolerates = self.source.tolerates
        problems, rows, unfinished = Problems(self.source.name, tolerates or _SHOWN), 0, b""
        for chunk, parsed_frame in parsed(chunks, self.parse):
            frame, text, above = parsed_frame, unfinished + chunk.text, chunk.above - unfinished.count(b"\n")
            if problems.count and not rows and chunk.text:
                stopped = f"reading stopped: none of the first {above:,} lines is a {self.noun}"
                raise problems.error("\n".join(filter(None, (self._advice, stopped))))
            if text and (frame is None or unfinished):
                records, unfinished = self.records(text, above, last=not chunk.text)
                frame = self._typed(records)
                frame = self._checked(records, above, problems) if frame is None else frame
            if frame is not None and frame.height:
                rows += frame.height
                if tolerates or not problems.count:
                    yield frame
        if problems.count and not tolerates:
            raise problems.error(self._advice)
        self.source.problem = problems.error(self._advice) if problems.count else None

    @property
    def _advice(self) -> str:
        """Return the option that gives each word in the column of grades a number; empty without words."""
        return grade_words.advice(self._unknown, self.words)

    def parse(self, chunk: Chunk) -> pl.DataFrame | None:
        """Parse a chunk in which every record is as it should be, or give up."""
        text = chunk.text
        if self.is_unusual(text) or self.is_odd(text):
            return None
        try:
            frame = pl.read_csv(
                text,
                separator=self.separator,
                has_header=False,
                quote_char='"' if self.has_quotes and b'"' in text else None,
                schema=self._schema,
                columns=self._parsed,
                **SHORT_LINES,
            )
        except pl.exceptions.PolarsError:
            return None
        if frame[str(self.width)].null_count() < frame.height or frame[str(self.width - 1)].null_count():
            return None
        return self.sound(frame, blanks=any(blank.encode() in text for blank in _BLANKS if blank != self.separator))

    def is_unusual(self, text: bytes) -> bool:
        """Return whether lines are so short or long that Polars needs much memory, or end in neither LF nor CR LF."""
        if (b"\r" in text and text.count(b"\r") > text.count(b"\r\n")) or text[:1024].lstrip().startswith(_COMPRESSED):
            return True
        count = int(np.count_nonzero(np.frombuffer(text, np.uint8) == ord("\n")))
        return count * self.width > len(text) + self.width or long_line(text, HEAD)

    def sound(self, frame: pl.DataFrame, *, blanks: bool) -> pl.DataFrame | None:
        """Return the rows under the names of their roles, or None if a row has a defect."""
        frame = frame.select(**{role: pl.col(str(cell)) for role, cell in self.cells.items()})
        if any(frame[role].null_count() for role in self.required):
            return None
        for role in self._worded:
            texts = frame[role].drop_nulls().unique()
            grades = {text: grade_words.number(text, self.words) for text in texts}
            if None in grades.values():
                return None
            grade = pl.col(role).replace_strict(grades) if grades else pl.col(role).cast(pl.Float64)
            frame = frame.with_columns(grade)
        ids = frame.select(role for role in self.required if role not in self.numbers) if blanks else ()
        if any((column.str.strip_chars(_BLANKS) != column).any() for column in ids):
            return None
        for role in {*self.numbers}.difference(self.loose):
            if frame[role].is_nan().any() or (role not in _INFINITE and frame[role].is_infinite().any()):
                return None
        return frame

    def _typed(self, records: Sequence[Record]) -> pl.DataFrame | None:
        """Convert records, empty cells to null and texts without a number to NaN; None if a record has a defect."""
        if {(len(record.cells), record.problem) for record in records} != {(self.width, None)}:
            return None
        columns = list(zip(*(record.cells for record in records), strict=True))
        try:
            texts = pl.DataFrame({str(cell): pl.Series(columns[cell], dtype=pl.String) for cell in self._parsed[:-1]})
        except UnicodeEncodeError:
            return None
        cells = texts.with_columns(pl.when(pl.all() != "").then(pl.all()))
        for role in self._plain:
            cell = pl.col(str(self.cells[role]))
            number = cell.cast(pl.Float64, strict=False).fill_null(float("nan"))
            cells = cells.with_columns(pl.when(cell.is_not_null()).then(number))
        return self.sound(cells, blanks=True)

    def _checked(self, records: Sequence[Record], above: int, problems: Problems) -> pl.DataFrame:
        """Return the rows of records of which some have problems, and remember the problems."""
        rows = []
        for record in records:
            try:
                rows.append(self._row(record))
            except InputError as error:
                problems.add(above + record.line + 1, error)
        schema = {role: pl.Float64() if role in self.numbers else pl.String() for role in self.cells}
        return pl.DataFrame(rows, schema=schema, orient="row")

    def _row(self, record: Record) -> list[str | float | None]:
        """Return the values of one record."""
        if record.problem is not None:
            raise record.problem
        if len(record.cells) != self.width:
            text = f"{self.has}, this one has {len(record.cells)}: {quoted(map(_readable, record.cells), 8)}"
            raise InputError(self.slug, text, remedy=self.advice(record.cells))
        return [self._cell(role, record.cells[cell], record.raw) for role, cell in self.cells.items()]

    def _cell(self, role: str, text: str, raw: str) -> str | float | None:
        """Return the contents of a cell; None for an empty cell that may be empty."""
        if _readable(text) != text:
            shown = str(text[:100].encode(errors="surrogateescape"))[1:]
            raise InputError("wrong-encoding", f"the {role} is {shown}, not UTF-8", remedy=latin1(self.source))
        bare = text.strip(_BLANKS)
        if not bare and role in self.required:
            raise InputError("missing-value", f"there is no {role}", remedy="drop or fill such lines")
        if role in self.loose and not NUMBER.fullmatch(bare):
            return math.nan
        if role in self.numbers:
            return self._number(role, bare) if bare else None
        escaped = text.replace('"', '""')
        if role in self.required and text != bare and f'"{escaped}"' not in raw:
            remedy = "remove the blanks; if they belong to the id, quote it"
            raise InputError("padded-id", f"there are blanks around the {role} {shortened(text)!r}", remedy=remedy)
        return text or None

    def _number(self, role: str, text: str) -> float:
        """Parse a score, a rank or a grade."""
        slug = "bad-grade" if role == "grade" else "bad-score"
        is_worded = role == "grade" or role in self._worded
        if is_worded and (grade := grade_words.number(text, self.words)) is not None:
            return grade
        if not NUMBER.fullmatch(text) or isinstance(self.words, grade_words.TextCounts):
            remedy = f"a {role} is a number such as 2, 12.5 or 1e-3, with a decimal point; {_mended(text)}"
            if role == "grade":
                self._unknown[text] = None
            raise InputError(slug, f"the {role} is {shortened(text)!r}, not a number", remedy=remedy)
        number = float(text)
        if math.isnan(number) or (math.isinf(number) and role not in _INFINITE):
            remedy = f"drop the lines whose {role} is no finite number, or fix what wrote them"
            raise InputError(slug, f"the {role} is {text}", remedy=remedy)
        return number


def _mended(text: str) -> str:
    """Say how to write numbers of another notation; any other text may be a header.

    >>> _mended("9,5"), _mended("1,009.5"), _mended("score")
    ('write 9.5, and not 9,5', 'write 1009.5, and not 1,009.5', 'remove a header line')
    """
    if _COMMA.fullmatch(text):
        return "write 9.5, and not 9,5"
    if _THOUSANDS.fullmatch(text):
        return "write 1009.5, and not 1,009.5"
    return "write 95, and not 95%" if text.endswith("%") else "remove a header line"


def _readable(cell: str) -> str:
    """Replace what is not UTF-8 in a cell by signs of replacement."""
    return cell.encode(errors="surrogateescape").decode(errors="replace")
