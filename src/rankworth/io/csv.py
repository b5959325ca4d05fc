"""Text tables: comma- or tab-separated, with a header or without, quoted as RFC 4180 says.

Ids stay the text that stands there. Polars parses chunks without quotes. The csv module of Python reads the others, and
those in which anything is odd, record by record, so that every problem can be named with the line on which its record
begins. Blank lines are skipped, and comments above the first record.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Final

import numpy as np
import polars as pl

from rankworth.errors import InputError, quoted, shortened
from rankworth.io import delimited, lines
from rankworth.io.columns import SMALLER, SPELLINGS, Table, is_header
from rankworth.io.delimited import CHUNK, LONGEST, SIGNS, Beginning, Record
from rankworth.io.lines import BLANKS, COMMA, MARK, NUMBER, QRELS, RUN, Layout, Problems
from rankworth.io.source import Progress, Source

if TYPE_CHECKING:
    from rankworth.io.reading import Reading

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
_FILL: Final = "drop or fill such records"

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
        quepid: whether Quepid wrote it, which leaves cells empty where nothing was retrieved or judged.
        start: how many bytes stand before the first record that is no header.
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
    frames = _Reader(source, layout, header).frames(progress)
    return _decided(frames, source) if header.undecided else frames


def _decided(frames: Iterator[pl.DataFrame], source: Source) -> Iterator[pl.DataFrame]:
    """The rows, where one of them has a score that is no rank.

    Raises:
        InputError: `rank-or-score`.

    """
    whole: list[pl.DataFrame] = []
    for frame in frames:
        score = frame["score"]
        whole.append(frame)
        if not (score.is_finite() & (score >= 0) & (score == score.floor())).all():
            yield from whole
            yield from frames
            return
    columns = {"query": "1", "document": "2", "score": "3"}
    raise InputError(
        "rank-or-score",
        f"{source.name}: all numbers of the third column are whole; they may be ranks or scores",
        remedy=f"ranks:  --run-format msmarco, in Python Run({source.path!r}, format='msmarco')\n"
        f"scores: --run-format tsv --columns {' '.join(f'{what}={place}' for what, place in columns.items())}, "
        f"in Python Run({source.path!r}, format='tsv', columns={columns})",
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
    begin = _begin(source, reading.format, reading.columns)
    if not begin.cells:
        content = "there is nothing in it but comments and blank lines" if begin.start[1] else "there is nothing in it"
        raise InputError("empty-input", f"{source.name}: {content}, not one {layout.what}")
    where = f"{source.name}:{begin.start[1] + 1}"
    if begin.problem is not None:
        raise InputError(begin.problem.slug, f"{where}: {begin.problem.problems[0]}", remedy=begin.problem.remedy)
    named, columns = is_header(begin.cells, reading.columns), reading.columns
    if named and reading.format == "msmarco":
        remedy = f"leave the format out, or say --{layout.option}-format tsv"
        raise InputError("frame-columns", f"{where}: this is a header; MS MARCO's files have none", remedy=remedy)
    if not named and any(columns.values()):
        named = not all(column.removeprefix("-").isdecimal() for column in columns.values() if column)
    elif not named and not (named := reading.format != "msmarco" and not _is_data(begin.cells)):
        usual = _USUAL.get((reading.format, layout, len(begin.cells)))
        if usual is None:
            counted = f"--{layout.option}-format tsv --columns query=1 document=2 {layout.value}=3"
            text = f"{where}: this is no header, and nothing tells what the columns are: {quoted(begin.cells, 8)}"
            raise InputError("frame-columns", text, remedy=f"put their names above, or count them: {counted}")
        columns = {what: str(number) for number, what in enumerate(usual, 1)}
    names = _names(begin.cells, named=named)
    places = {what: names.index(column) for what, column in _chosen(where, layout, names, columns).items()}
    lower = {name.lower() for name in names}
    return Header(
        begin.sign,
        names,
        named,
        places,
        named and (lower >= {"query text", "doc id"} or (layout is QRELS and lower in _QUEPID)),
        *(begin.below if named else begin.start),
        not named and not any(reading.columns.values()) and "score" in places,
    )


def names(source: Source, form: str, columns: Mapping[str, str]) -> list[str]:
    """The names of the columns of a table; their numbers, from 1, where it has no header.

    Args:
        source: the file.
        form: `csv`, `tsv` or `msmarco`.
        columns: which column holds what, as the user says.

    """
    cells = _begin(source, form, columns).cells
    return list(_names(cells, named=form != "msmarco" and (is_header(cells, columns) or not _is_data(cells))))


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


def _begin(source: Source, form: str, columns: Mapping[str, str]) -> Beginning:
    return delimited.begin(source, _DELIMITERS[form], partial(is_header, columns=columns))


def _is_data(cells: Sequence[str]) -> bool:
    """Whether a record reads as query, document and a number, or with one column between."""
    return any(NUMBER.fullmatch(cell) for cell in cells[2:4])


def _names(cells: Sequence[str], *, named: bool) -> tuple[str, ...]:
    """The names of the columns, or their numbers; empty cells at the end of a header are none."""
    if not named:
        return tuple(str(number) for number in range(1, len(cells) + 1))
    return tuple(cells[: max((number for number, cell in enumerate(cells, 1) if cell), default=0)])


def _chosen(where: str, layout: Layout, names: tuple[str, ...], columns: Mapping[str, str]) -> dict[str, str]:
    """Which column holds what, with every one that is needed."""
    value = layout.value
    table = Table(value, where, columns, names, first=1)
    table.check_named()
    known = {*columns.values(), *(name for what in ("query", "document", value) for name in SPELLINGS[what])}
    twice = [name for name in names if names.count(name) > 1 and {name, name.lower()} & known]
    if twice:
        raise table.repeated(twice)
    found = table.chosen()
    table.check_flat(found)
    if layout is QRELS and "grade" not in found and len(found) < len(names) and columns.get("grade") != "":
        raise table.missing("grade")
    return found


# The records


class _Reader:
    """Turns chunks into frames and remembers the lines, the rows and the problems so far."""

    def __init__(self, source: Source, layout: Layout, header: Header) -> None:
        self.source = source
        self.layout = layout
        self.header = header
        self.lines = header.lines
        self.rows = 0
        self.problems = Problems(source.name)
        self.count = len(header.names)
        value = header.places.get(header.value)
        # One column more than a record has tells when a record is too long; a last cell that is not empty, that none is
        # missing.
        places = range(self.count + 1)
        self.schema = {str(place): pl.Float64() if place == value else pl.String() for place in places}
        self.places = sorted({*header.places.values(), self.count - 1, self.count})

    def frames(self, progress: Progress | None) -> Iterator[pl.DataFrame]:
        """The rows of the records below the header.

        Raises:
            InputError: with up to ten problems of the file; `empty-input`.

        """
        held = b""
        parts = lines.chunks(self.source, usual=CHUNK, longest=LONGEST, skip=self.header.start, progress=progress)
        for chunk, parsed in chain(lines.parsed(parts, self.parsed), [(b"", None)]):
            delimited.refuse_odd(self.source, held, chunk, self.lines, LONGEST)
            if not (text := held + chunk):
                break
            if (frame := parsed) is None or held:
                frame, held = self._read(text, last=not chunk)
            self.lines += text.count(b"\n") - held.count(b"\n")
            self.rows += frame.height
            if self.problems.count and not self.rows and len(chunk) > CHUNK >> 4:
                note = f"reading stopped: not one of the first {self.lines:,} lines is a {self.layout.what}"
                raise self.problems.error(note)
            if frame.height and not self.problems.count:
                yield frame
        if self.problems.count:
            raise self.problems.error()
        if not self.rows:
            problem = f"{self.source.name}: there is nothing below the header, not one {self.layout.what}"
            raise InputError("empty-input", problem)

    def parsed(self, chunk: bytes) -> pl.DataFrame | None:
        """Parse a chunk in which quotes only stand around cells and every record is as it should be, or give up."""
        delimiter = self.header.delimiter
        if self.header.quepid or _is_odd(chunk, delimiter) or lines.is_unusual(chunk, self.count):
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
        if frame[str(self.count)].null_count() < frame.height or frame[str(self.count - 1)].null_count():
            return None
        return self._sound(frame, blanks=any(blank in chunk for blank in (b" ", b"\t") if blank != delimiter.encode()))

    def _sound(self, frame: pl.DataFrame, *, blanks: bool) -> pl.DataFrame | None:
        """The rows under the names of what they hold, where nothing is wrong with any."""
        header = self.header
        frame = frame.select(**{what: pl.col(str(place)) for what, place in header.places.items()})
        if any(frame[what].null_count() for what in header.places if what not in ("subtopic", "grade")):
            return None
        texts = frame.select(pl.col(pl.String)) if blanks else ()
        if any((column.str.strip_chars(BLANKS) != column).any() for column in texts):
            return None
        if not header.value:
            return frame.with_columns(grade=pl.lit(1.0))
        value = frame[header.value]
        if value.is_nan().any() if header.value in ("score", "distance") else not value.is_finite().all():
            return None
        return frame.with_columns(score=0.0 - value).drop(header.value) if header.value in SMALLER else frame

    def _read(self, text: bytes, *, last: bool) -> tuple[pl.DataFrame, bytes]:
        """The rows of records by the csv module, and the part that is cut off at the end."""
        part = delimited.text_lines(text)
        delimited.refuse_wide(self.source, part, self.header.delimiter, self.lines)
        records, end = delimited.records(part, self.header.delimiter, last=last)
        frame = self._typed(records)
        if frame is None:
            frame = self._checked(part, records)
        return frame, text.split(b"\n", end)[-1] if end < len(part) else b""

    def _typed(self, records: Sequence[Record]) -> pl.DataFrame | None:
        """Records as a frame, where nothing is wrong with any: empty cells are null, and what is no number NaN."""
        header = self.header
        if header.quepid or {(len(record.cells), record.problem) for record in records} != {(self.count, None)}:
            return None
        columns = list(zip(*(record.cells for record in records), strict=True))
        try:
            texts = pl.DataFrame({str(place): pl.Series(columns[place], dtype=pl.String) for place in self.places[:-1]})
        except UnicodeEncodeError:
            return None
        typed = texts.with_columns(pl.when(pl.all() != "").then(pl.all()))
        if header.value:
            value = pl.col(str(header.places[header.value]))
            number = value.cast(pl.Float64, strict=False).fill_null(float("nan"))
            typed = typed.with_columns(pl.when(value.is_not_null()).then(number))
        return self._sound(typed, blanks=True)

    def _checked(self, part: Sequence[str], records: Sequence[Record]) -> pl.DataFrame:
        """The rows of records of which some have problems, which are remembered."""
        rows: list[Row] = []
        for record, end in zip(records, [*(each.number for each in records[1:]), None], strict=False):
            try:
                row = self._row(record, "\n".join(part[record.number : end]))
            except InputError as error:
                self.problems.add(self.lines + record.number + 1, error.slug, error.problems[0], error.remedy)
            else:
                rows += [row] if row is not None else []
        kinds = {what: pl.String() for what in ("query", "document", self.layout.value, "subtopic")}
        frame = pl.DataFrame(rows, schema=kinds | {self.layout.value: pl.Float64()}, orient="row")
        return frame if "subtopic" in self.header.places else frame.drop("subtopic")

    def _row(self, record: Record, text: str) -> Row | None:
        """Query, document, value and subtopic; None for a blank record, and for one of Quepid's without a grade."""
        header, cells = self.header, record.cells
        if record.problem is not None:
            raise record.problem
        if not any(map(str.strip, cells)):
            return None
        if header.quepid and len(cells) == header.places["query"] + 1:  # nothing was retrieved, or judged
            cells = [*cells, *[""] * (self.count - len(cells))]
        if len(cells) < self.count or any(cells[self.count :]):
            has = f"the {'header' if header.named else 'first line'} has {self.count} cells"
            problem = f"{has}, this record has {len(cells)}: {quoted(map(_readable, cells), 8)}"
            quote = f"put cells in quotes that hold a {SIGNS[header.delimiter]}"
            raise InputError(self.layout.slug, problem, remedy=_FILL if len(cells) < self.count else quote)
        held = {what: self._cell(what, cells[place]) for what, place in header.places.items()}
        if header.quepid and not held.get("grade", held["document"]):
            return None
        for what in ("query", "document"):
            _check_id(what, held[what], text)
        subtopic = held.get("subtopic") or None
        if header.value == "grade" and not held["grade"].strip(BLANKS):
            return held["query"], held["document"], None, subtopic
        value = self._number(header.value, held[header.value].strip(BLANKS)) if header.value else 1.0
        return held["query"], held["document"], 0.0 - value if header.value in SMALLER else value, subtopic

    def _cell(self, what: str, cell: str) -> str:
        """A cell that is UTF-8; of Quepid's without the blank before a formula."""
        if _readable(cell) != cell:
            text = f"the {what} is {str(cell[:100].encode(errors='surrogateescape'))[1:]}, not UTF-8"
            raise InputError("wrong-encoding", text, remedy=lines.latin1(self.source))
        return cell[1:] if self.header.quepid and cell.startswith(_FORMULAS) else cell

    def _number(self, what: str, text: str) -> float:
        """The score, the rank or the grade of a record."""
        if not text:
            raise InputError("missing-value", f"there is no {what}", remedy=_FILL)
        if NUMBER.fullmatch(text):
            number = float(text)
            if math.isfinite(number) or (what in ("score", "distance") and not math.isnan(number)):
                return number
            remedy = f"drop the records whose {what} is no finite number, or mend what wrote them"
            raise InputError(self.layout.bad_value, f"the {what} is {text}", remedy=remedy)
        remedy = f"a {what} is a number such as {'12.5 or 1e-3' if what == 'score' else '0, 1 or 2'}"
        if COMMA.fullmatch(text):
            remedy = "write numbers with a decimal point, as in 12.5"
        raise InputError(self.layout.bad_value, f"the {what} is {shortened(text)!r}, not a number", remedy=remedy)


def _check_id(what: str, text: str, record: str) -> None:
    if not text.strip(BLANKS):
        raise InputError("missing-value", f"there is no {what}", remedy=_FILL)
    escaped = text.replace('"', '""')
    if text != text.strip(BLANKS) and f'"{escaped}"' not in record:
        remedy = "remove the blanks; if they belong to the id, quote it"
        raise InputError("padded-id", f"blanks surround the {what} {shortened(text)!r}", remedy=remedy)


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
