"""Text tables: comma- or tab-separated, with a header or without, quoted as RFC 4180 says.

Ids stay the text that stands there. Polars parses chunks without quotes. The csv module of Python reads the others, and
those in which anything is odd, record by record, so that every problem can be named with the line on which its record
begins. Blank lines are skipped, and comments above the first record.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np
import polars as pl

from rankworth.errors import InputError, quoted, shortened
from rankworth.io import lines
from rankworth.io.columns import SMALLER, SPELLINGS, VALUES, Table, is_header, is_plural
from rankworth.io.delimited import SIGNS, UNCLOSED, Record, cells_at_once, records, refuse_wide
from rankworth.io.lines import BLANKS, COMMA, MARK, NUMBER, QRELS, RUN, Layout, Problems
from rankworth.io.source import Progress, Source

if TYPE_CHECKING:
    from rankworth.io.reading import Reading

CHUNK: Final = 8 << 20
LONGEST: Final = 32 << 20
"""how long a record may be"""
_HEAD: Final = 1 << 20
_DELIMITERS: Final[Mapping[str, str]] = {"csv": ",;|\t", "tsv": "\t", "msmarco": "\t"}
_USUAL: Final = {
    ("tsv", RUN, 3): ("query", "document", "score"),
    ("tsv", QRELS, 3): ("query", "document", "grade"),
    ("msmarco", RUN, 3): ("query", "document", "rank"),
    ("msmarco", QRELS, 3): ("query", "document", "grade"),
    ("msmarco", QRELS, 4): ("query", "subtopic", "document", "grade"),
}
"""the columns of files without a header: in which format, of what, and how many"""
_QUEPID: Final = ({"query", "docid", "rating"}, {"query", "doc_id", "rating"})
_FORMULAS: Final = (" =", " @", " +", " -")
"""Quepid puts a blank before what a spreadsheet would take for a formula"""

Row = tuple[str, str, float | None, str | None]
"""Query, document, value and subtopic."""


@dataclass(frozen=True)
class Header:
    """What the beginning of a table says, and how its records are to be read.

    Attributes:
        delimiter: what stands between cells.
        names: of the columns; their numbers, from 1, where there is no header.
        named: whether there is a header.
        places: which column holds `query`, `document`, `score`, `rank`, `distance`, `grade` or `subtopic`.
        quepid: whether Quepid wrote it, which leaves cells empty where nothing was found or nobody judged.
        start: where the first record begins that is no header.
        lines: how many lines stand before it.
        undecided: whether the values could be ranks as well as scores.

    """

    delimiter: str
    names: tuple[str, ...]
    named: bool
    places: Mapping[str, int]
    quepid: bool
    start: int
    lines: int
    undecided: bool

    @property
    def value(self) -> str:
        """What the values are; nothing where every judgement is 1."""
        return next((what for what in ("score", "rank", "distance", "grade") if what in self.places), "")


def batches(
    source: Source, layout: Layout, reading: "Reading", progress: Progress | None = None
) -> Iterator[pl.DataFrame]:
    """The rows of a table, some hundred thousand at a time.

    Args:
        source: where the bytes come from.
        layout: `RUN` or `QRELS`.
        reading: what the user says of the file; its format is `csv`, `tsv` or `msmarco`.
        progress: called after each batch with how far the file is read.

    Raises:
        InputError: with up to ten problems of the file, each with its line.

    """
    header = read_header(source, layout, reading)
    if layout is RUN:
        reading.orders.agree(header.value, source.name)
    frames = _frames(source, layout, header, progress)
    undecided: list[pl.DataFrame] | None = [] if header.undecided else None
    for frame in frames:
        if undecided is not None and _are_whole(frame):
            undecided.append(frame)
            continue
        yield from undecided or ()
        undecided = None
        yield frame
    if undecided is not None:
        said = {"query": "1", "document": "2", "score": "3"}
        raise InputError(
            "rank-or-score",
            f"{source.name}: all numbers of the third column are whole; they may be ranks or scores",
            remedy=f"ranks:  --run-format msmarco, in Python Run({source.path!r}, format='msmarco')\n"
            f"scores: --run-format tsv --columns {' '.join(f'{what}={place}' for what, place in said.items())}, "
            f"in Python Run({source.path!r}, format='tsv', columns={said})",
        )


# The header


def read_header(source: Source, layout: Layout, reading: "Reading") -> Header:
    """Look at the first line that is neither blank nor a comment.

    Args:
        source: the file.
        layout: `RUN` or `QRELS`.
        reading: what the user says of it, with its format.

    Raises:
        InputError: `frame-columns`, `empty-input`, `wrong-encoding`, `binary-file`; as `Source.open`.

    """
    head = source.head(_HEAD)
    lines.refuse_binary(source, head)
    start, above = _beginning(head, reading.format, reading.columns)
    if start == len(head):
        content = "there is nothing in it but comments and blank lines" if head else "there is nothing in it"
        raise InputError("empty-input", f"{source.name}: {content}, not one {layout.what}")
    if len(head) == _HEAD and b"\n" not in head[start:]:
        remedy = "end each record with a line break; if it is no table, say the format"
        raise lines.endless(source, above, _HEAD, remedy)
    where = f"{source.name}:{above + 1}"
    delimiter, record = _first(head[start:], reading.format, reading.columns)
    refuse_wide(source, [record.text], delimiter, above)
    if record.problem is not None:
        raise InputError(record.problem.slug, f"{where}: {record.problem.problems[0]}", remedy=record.problem.remedy)
    names, named, columns = _named(where, layout, reading, record.cells)
    places = {what: names.index(column) for what, column in _chosen(where, layout, names, columns).items()}
    lower = {name.lower() for name in names}
    quepid = named and (lower >= {"query text", "doc id"} or (layout is QRELS and lower in _QUEPID))
    undecided = not named and not any(reading.columns.values()) and "score" in places
    if named:
        count = record.text.count("\n") + 1
        start += sum(len(line) + 1 for line in head[start:].split(b"\n", count)[:count])
        above += count
    return Header(delimiter, names, named, places, quepid, start, above, undecided)


def names(source: Source, form: str, columns: Mapping[str, str]) -> list[str]:
    """The names of the columns of a table; their numbers, from 1, where it has no header.

    Args:
        source: the file.
        form: `csv`, `tsv` or `msmarco`.
        columns: which column holds what, as the user says.

    """
    head = source.head(_HEAD)
    start, _ = _beginning(head, form, columns)
    cells = _first(head[start:], form, columns)[1].cells if start < len(head) else []
    is_numbered = form == "msmarco" or (not is_header(cells, columns) and _is_data(cells))
    return [str(number) for number in range(1, len(cells) + 1)] if is_numbered else cells


def ranks(source: Source, reading: "Reading") -> int | None:
    """Which column of a run holds ranks, maybe beside scores; None where none does.

    Args:
        source: the file.
        reading: what the user says of it, with its format.

    """
    try:
        header = read_header(source, RUN, replace(reading, columns={**reading.columns, "score": ""}))
    except InputError:
        return None
    return header.places.get("rank")


def _beginning(head: bytes, form: str, columns: Mapping[str, str]) -> tuple[int, int]:
    """Where the first line stands that is no comment and not blank, and how many lines stand above it."""
    start, above = len(MARK) if head.startswith(MARK) else 0, 0
    while start < len(head):
        end = head.find(b"\n", start) + 1 or len(head)
        line = head[start:end]
        says = not lines.is_sep(line)
        if says and line.startswith(b"#"):
            cells = _first(line, form, columns)[1].cells
            says = is_header(cells, columns) or _is_data(cells)
        elif says:
            says = bool(line.strip(b' \t\r\n"' + _DELIMITERS[form].encode())) or line.count(b'"') % 2 == 1
        if says:
            break
        start, above = end, above + 1
    return start, above


def _first(text: bytes, form: str, columns: Mapping[str, str]) -> tuple[str, Record]:
    """The delimiter that makes a header of the first record, or else most cells, and that record.

    The cells have no blanks around them, nor around their quotes.
    """
    part = text.decode(errors="replace").split("\n")
    found: dict[str, Record] = {}
    for delimiter in _DELIMITERS[form]:
        record = next(records(enumerate(part), delimiter))
        cells = [cell.strip().removeprefix('"').removesuffix('"').strip() for cell in record.cells]
        found[delimiter] = record._replace(cells=cells)
    known = [key for key, record in found.items() if len(record.cells) > 1 and is_header(record.cells, columns)]
    delimiter = max(known or found, key=lambda delimiter: len(found[delimiter].cells))
    return delimiter, found[delimiter]


def _is_data(cells: Sequence[str]) -> bool:
    """Whether a record reads as query, document and a number, or with one column between."""
    return any(NUMBER.fullmatch(cell) for cell in cells[2:4])


def _named(
    where: str, layout: Layout, reading: "Reading", cells: Sequence[str]
) -> tuple[tuple[str, ...], bool, Mapping[str, str]]:
    """The names of the columns, whether they stand in a header, and which column holds what if that is known."""
    form, columns = reading.format, reading.columns
    counted = all(column.removeprefix("-").isdecimal() for column in columns.values() if column)
    named = is_header(cells, columns)
    if form == "msmarco" and named:
        remedy = f"leave the format out, or say --{layout.option}-format tsv"
        raise InputError("frame-columns", f"{where}: this is a header; MS MARCO's files have none", remedy=remedy)
    if named or not counted or (form != "msmarco" and not columns and not _is_data(cells)):
        if len(cells) == 1:
            signs = "tab" if form == "tsv" else "comma, semicolon, vertical bar or tab"
            remedy = "leave the format out to have it detected from the content"
            raise InputError(
                "frame-columns", f"{where}: there is no {signs} in this line: {quoted(cells)}", remedy=remedy
            )
        width = max((number for number, cell in enumerate(cells, 1) if cell), default=0)
        return tuple(cells[:width]), True, columns
    if not any(columns.values()):
        usual = _USUAL.get((form, layout, len(cells)))
        if usual is None:
            raise _no_header(where, layout, form, cells)
        columns = {what: str(number) for number, what in enumerate(usual, 1)}
    return tuple(str(number) for number in range(1, len(cells) + 1)), False, columns


def _no_header(where: str, layout: Layout, form: str, cells: Sequence[str]) -> InputError:
    """The error for a file of which nothing says what its columns are."""
    said = f"--columns query=1 document=2 {layout.value}=3"
    if form == "msmarco":
        usual = [" ".join(names) for (each, what, _), names in _USUAL.items() if (each, what) == (form, layout)]
        text = f"{where}: MS MARCO's columns are {' or '.join(usual)}; this line has {len(cells)}: {quoted(cells, 8)}"
        return InputError(layout.slug, text, remedy=f"count the columns: --{layout.option}-format tsv {said}")
    text = f"{where}: this is no header, and nothing tells what the columns are: {quoted(cells, 8)}"
    return InputError("frame-columns", text, remedy=f"put the names of the columns above, or count them: {said}")


def _chosen(where: str, layout: Layout, names: tuple[str, ...], columns: Mapping[str, str]) -> dict[str, str]:
    """Which column holds what, with every one that is needed."""
    value = layout.value
    table = Table(value, where, columns, names, first=1)
    table.check_said()
    known = {*columns.values(), *(name for what in ("query", "document", value) for name in SPELLINGS[what])}
    twice = [name for name in names if names.count(name) > 1 and {name, name.lower()} & known]
    if twice:
        raise table.repeated(twice)
    found = table.chosen()
    for what, column in found.items():
        if is_plural(column, what):
            raise table.missing((what,), f"{quoted([column])} holds no lists; ")
    if layout is RUN and set(VALUES["score"]).isdisjoint(found):
        raise table.missing(VALUES["score"])
    if layout is QRELS and "grade" not in found and len(found) < len(names) and columns.get("grade") != "":
        raise table.missing(VALUES["grade"], more=f"\nif none tells grades, say so: {table.said('grade', '')}")
    return found


# The records


def _frames(source: Source, layout: Layout, header: Header, progress: Progress | None) -> Iterator[pl.DataFrame]:
    """The rows of the records below the header."""
    reader = _Reader(source, layout, header)
    held = b""
    parts = lines.chunks(source, usual=CHUNK, longest=LONGEST, skip=header.start, progress=progress)
    tried = 0
    for chunk, parsed in lines.parsed(parts, reader.parsed):
        text = held + chunk
        if held and len(text) < min(2 * tried, LONGEST):  # a long record is not read again for each chunk
            held = text
            continue
        frame, held = reader.rows_of(text, None if held else parsed)
        tried = len(held)
        yield from frame
    if held:
        frame, _ = reader.rows_of(held, None, last=True)
        yield from frame
    reader.finish()


class _Reader:
    """Turns chunks into frames and remembers the lines, the rows and the problems so far."""

    def __init__(self, source: Source, layout: Layout, header: Header) -> None:
        self.source = source
        self.layout = layout
        self.header = header
        self.lines = header.lines
        self.rows = 0
        self.problems = Problems(source.name)
        count = len(header.names)
        value = header.places.get(header.value)
        # One column more than a record has tells when a record is too long; a last cell that is not empty, that none is
        # missing.
        self.schema = {str(place): pl.Float64() if place == value else pl.String() for place in range(count + 1)}
        self.places = sorted({*header.places.values(), count - 1, count})

    def parsed(self, chunk: bytes) -> pl.DataFrame | None:
        """Parse a chunk in which quotes only stand around cells and every record is as it should be, or give up."""
        delimiter = self.header.delimiter
        if self.header.quepid or _is_odd(chunk, delimiter) or lines.is_unusual(chunk, len(self.header.names)):
            return None
        try:
            frame = pl.read_csv(
                chunk,
                separator=delimiter,
                has_header=False,
                quote_char='"' if b'"' in chunk else None,
                schema=self.schema,
                columns=self.places,
                missing_columns="insert",
            )
        except pl.exceptions.PolarsError:
            return None
        count = len(self.header.names)
        if frame[str(count)].null_count() < frame.height or frame[str(count - 1)].null_count():
            return None
        blanks = any(blank in chunk for blank in (b" ", b"\t") if blank != self.header.delimiter.encode())
        return self._sound(frame, blanks=blanks)

    def rows_of(
        self, chunk: bytes, frame: pl.DataFrame | None, *, last: bool = False
    ) -> tuple[list[pl.DataFrame], bytes]:
        """The rows of a chunk that is parsed, or gets read now, and the part that belongs to the next chunk."""
        held = b""
        if 0 in chunk:
            raise lines.no_text(self.source, chunk, self.lines)
        if lines.is_endless(chunk, LONGEST):
            raise lines.endless(self.source, self.lines, LONGEST, UNCLOSED, "record")
        if frame is None:
            frame, held = self._read(chunk, last=last)
            if len(held) >= LONGEST:
                above = self.lines + chunk.count(b"\n") - held.count(b"\n")
                raise lines.endless(self.source, above, LONGEST, UNCLOSED, "record")
        self.lines += chunk.count(b"\n") - held.count(b"\n")
        self.rows += frame.height
        if self.problems.count and not self.rows and len(chunk) > CHUNK >> 4:
            note = f"reading stopped: not one of the first {self.lines:,} lines is a {self.layout.what}"
            raise self.problems.error(note)
        return [frame] if frame.height and not self.problems.count else [], held

    def finish(self) -> None:
        """Raise the problems; a table without rows is one, too."""
        if self.problems.count:
            raise self.problems.error()
        if not self.rows:
            text = f"{self.source.name}: there is nothing below the header, not one {self.layout.what}"
            raise InputError("empty-input", text)

    def _sound(self, frame: pl.DataFrame, *, blanks: bool) -> pl.DataFrame | None:
        """The rows under the names of what they hold, where nothing is wrong with any."""
        header = self.header
        frame = frame.select(**{what: pl.col(str(place)) for what, place in header.places.items()})
        if any(frame[what].null_count() for what in header.places if what not in ("subtopic", "grade")):
            return None
        if blanks and any(
            (column.str.strip_chars(BLANKS) != column).any() for column in frame.select(pl.col(pl.String))
        ):
            return None
        if not header.value:
            return frame.with_columns(grade=pl.lit(1.0))
        value = frame[header.value]
        if value.is_nan().any() if header.value in ("score", "distance") else not value.is_finite().all():
            return None
        return frame.with_columns(score=0.0 - value).drop(header.value) if header.value in SMALLER else frame

    def _read(self, chunk: bytes, *, last: bool) -> tuple[pl.DataFrame, bytes]:
        """Read records by the csv module, all at once where nothing is odd; and the part that is cut off at the end."""
        text = chunk.decode(errors="surrogateescape")
        part = text.removesuffix("\n").split("\n") if text.strip("\r\n") else []
        refuse_wide(self.source, part, self.header.delimiter, self.lines)
        cells = [] if self.header.quepid or MARK in chunk else cells_at_once(part, self.header.delimiter)
        if set(map(len, cells)) == {len(self.header.names)} and (frame := self._typed(cells)) is not None:
            return frame, b""
        frame, held = self._one_by_one(part, last=last)
        return frame, held + b"\n" * (bool(held) and chunk.endswith(b"\n"))

    def _typed(self, cells: list[list[str]]) -> pl.DataFrame | None:
        """Records as a frame, where nothing is wrong with any: empty cells are null, and what is no number NaN."""
        places, columns = {*self.header.places.values()}, list(zip(*cells, strict=True))
        try:
            texts = pl.DataFrame({str(place): pl.Series(columns[place], dtype=pl.String) for place in sorted(places)})
        except UnicodeEncodeError:
            return None
        typed = texts.with_columns(pl.when(pl.all() != "").then(pl.all()))
        if self.header.value:
            value = pl.col(str(self.header.places[self.header.value]))
            number = value.cast(pl.Float64, strict=False).fill_null(float("nan"))
            typed = typed.with_columns(pl.when(value.is_not_null()).then(number))
        return self._sound(typed, blanks=True)

    def _one_by_one(self, part: list[str], *, last: bool) -> tuple[pl.DataFrame, bytes]:
        """Read record by record, and remember the problems; what is cut off at the end is handed back."""
        rows: list[Row] = []
        held = b""
        for record in records(enumerate(part), self.header.delimiter):
            if record.is_open and not last:
                held = "\n".join(part[record.number :]).encode(errors="surrogateescape")
                break
            try:
                row = self._row(record)
            except InputError as error:
                self.problems.add(self.lines + record.number + 1, error.slug, error.problems[0], error.remedy)
            else:
                rows += [row] if row is not None else []
        kinds = {
            "query": pl.String(),
            "document": pl.String(),
            self.layout.value: pl.Float64(),
            "subtopic": pl.String(),
        }
        frame = pl.DataFrame(rows, schema=kinds, orient="row")
        return frame if "subtopic" in self.header.places else frame.drop("subtopic"), held

    def _row(self, record: Record) -> Row | None:
        """Query, document, value and subtopic; None for a blank record, and for one of Quepid's without a grade."""
        header, cells = self.header, record.cells
        if record.problem is not None:
            raise record.problem
        if not any(map(str.strip, cells)):
            return None
        if header.quepid and len(cells) == header.places["query"] + 1:  # nothing was found, or nobody judged
            cells = [*cells, *[""] * (len(header.names) - len(cells))]
        self._check_width(cells)
        texts = {what: self._text(what, cells[place]) for what, place in header.places.items()}
        if header.quepid and not texts.get("grade", texts["document"]):
            return None
        for what in ("query", "document"):
            self._check_id(what, texts[what], record.text)
        subtopic = texts.get("subtopic") or None
        if header.value == "grade" and not texts["grade"].strip(BLANKS):
            return texts["query"], texts["document"], None, subtopic
        value = self._number(header.value, texts, record.number) if header.value else 1.0
        return texts["query"], texts["document"], 0.0 - value if header.value in SMALLER else value, subtopic

    def _check_width(self, cells: list[str]) -> None:
        """Refuse a record with too few cells, or too many; what is too much and empty does no harm."""
        count, wanted, delimiter = len(cells), len(self.header.names), self.header.delimiter
        if count < wanted or any(cells[wanted:]):
            has = f"the {'header' if self.header.named else 'first line'} has {wanted} cells"
            comma = "; numbers need a decimal point" if delimiter == "," else ""
            remedy = f"put cells in quotes that hold a {SIGNS[delimiter]}{comma}"
            text = f"{has}, this record has {count}: {quoted(map(_readable, cells), 8)}"
            raise InputError(self.layout.slug, text, remedy=remedy if count > wanted else "drop or fill such records")

    def _text(self, what: str, cell: str) -> str:
        if _readable(cell) != cell:
            text = f"the {what} is {str(cell[:100].encode(errors='surrogateescape'))[1:]}, not UTF-8"
            raise InputError("wrong-encoding", text, remedy=lines.latin1(self.source))
        return cell[1:] if self.header.quepid and cell.startswith(_FORMULAS) else cell

    def _check_id(self, what: str, text: str, record: str) -> None:
        if not text.strip(BLANKS):
            raise InputError("missing-value", f"there is no {what}", remedy="drop or fill such records")
        escaped = text.replace('"', '""')
        if text != text.strip(BLANKS) and f'"{escaped}"' not in record:
            remedy = "remove the blanks; if they belong to the id, quote it"
            raise InputError("padded-id", f"blanks surround the {what} {shortened(text)!r}", remedy=remedy)

    def _number(self, what: str, texts: Mapping[str, str], line: int) -> float:
        """The score, the rank or the grade of a record."""
        header, slug, text = self.header, self.layout.bad_value, texts[what].strip(BLANKS)
        if not text:
            raise InputError("missing-value", f"there is no {what}", remedy="drop or fill such records")
        if NUMBER.fullmatch(text):
            number = float(text)
            if math.isfinite(number) or (what in ("score", "distance") and not math.isnan(number)):
                return number
            remedy = f"drop the records whose {what} is no finite number, or mend what wrote them"
            raise InputError(slug, f"the {what} is {text}", remedy=remedy)
        remedy = f"a {what} is a number such as {'12.5 or 1e-3' if what == 'score' else '0, 1 or 2'}"
        if COMMA.fullmatch(text):
            remedy = "write numbers with a decimal point, as in 12.5"
        elif self.lines + line == header.lines and not header.named:
            said = " ".join(f"{role}=NAME" for role in header.places)
            form = "tsv" if SIGNS[header.delimiter] == "tab" else "csv"
            option = f"--{self.layout.option}-format {form} --columns {said}"
            remedy = f"if the first line is a header, say which column is which: {option}"
        elif (header.named and texts["query"] in header.names) or is_header(list(texts.values())):
            remedy = "this looks like a header; of files that were joined, keep that of the first only"
        raise InputError(slug, f"the {what} is {shortened(text)!r}, not a number", remedy=remedy)


def _is_odd(chunk: bytes, delimiter: str) -> bool:
    """Whether there are null bytes, byte order marks, lines that end in CR, or quotes that stand for themselves."""
    return (
        0 in chunk
        or (MARK[:1] in chunk and MARK in chunk)
        or (b"\r" in chunk and chunk.count(b"\r") > chunk.count(b"\r\n"))
        or (b'"' in chunk and not _quotes_whole_cells(chunk, delimiter))
    )


def _quotes_whole_cells(chunk: bytes, delimiter: str) -> bool:
    """Whether every quote opens or closes a cell that is not empty; of others Polars may make one cell of several."""
    if b'""' in chunk:
        return False
    text = np.frombuffer(b"\n%b\n" % chunk, dtype=np.uint8)
    quotes = np.flatnonzero(text == ord('"'))
    before, after = text[quotes[::2] - 1], text[quotes[1::2] + 1]
    ends = [ord(delimiter), ord("\n"), ord("\r")]
    return before.size == after.size and bool(np.isin(before, ends[:2]).all() and np.isin(after, ends).all())


def _readable(cell: str) -> str:
    """A cell with signs of replacement where it is not UTF-8."""
    return cell.encode(errors="surrogateescape").decode(errors="replace")


def _are_whole(frame: pl.DataFrame) -> bool:
    """Whether all scores could be ranks."""
    score = frame["score"]
    return bool((score.is_finite() & (score >= 0) & (score == score.floor())).all())
