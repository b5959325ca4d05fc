"""Text tables: comma- or tab-separated, with a header or without, quoted as RFC 4180 says.

Ids stay the text that stands there. Blank lines are skipped, and comments above the first record. Polars parses chunks
in which quotes only stand around cells, and the csv module of Python all others.
"""

import csv
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import polars as pl

from rankworth.errors import InputError, quoted, shortened
from rankworth.io import frames as frames_of
from rankworth.io import grade_words, headerless, lines
from rankworth.io.cells import is_number, is_written
from rankworth.io.columns import SMALLER, VALUES, Table, bare_names, is_counted, is_header, numbered, parts_of
from rankworth.io.grade_words import Words
from rankworth.io.layout import NUMBER, QRELS, RUN, Layout
from rankworth.io.source import Source
from rankworth.io.text_lines import FIELDS, Reader, Record
from rankworth.io.usual_names import SPELLINGS

if TYPE_CHECKING:
    from rankworth.io.options import Orders, Reading

CHUNK: Final = 8 << 20
LONGEST: Final = 32 << 20
"""how many bytes a record may have"""
TAB: Final = "\t"
DELIMITERS: Final = {TAB: "tab", ",": "comma", ";": "semicolon", "|": "vertical bar"}
_OF_FORMAT: Final[Mapping[str, str]] = {"csv": ",;|\t", "tsv": TAB, "msmarco": TAB}
LOOSE: Final = ("::", " ")
"""what may stand between cells instead of tabs: as in MovieLens' ratings.dat, or any number of blanks"""
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
_HEAD: Final = 1 << 20
_HEADER_LINES: Final = 100
_BLANKS: Final = re.compile(rb" +")
_OUTER_BLANKS: Final = re.compile(rb"^ +| +(?=\r?$)", re.MULTILINE)
_MARK: Final = "\ufeff"
"""a byte order mark"""


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
        joined: further columns that name the query, behind the first one.

    """

    delimiter: str
    names: tuple[str, ...]
    named: bool
    places: Mapping[str, int]
    quepid: bool
    start: int
    lines: int
    undecided: bool
    joined: tuple[int, ...] = ()

    @property
    def value(self) -> str:
        """What the values are; nothing where every judgement is 1, or rows stand in the order of the ranking."""
        return next((role for role in ("score", "rank", "distance", "grade") if role in self.places), "")


def batches(source: Source, layout: Layout, reading: "Reading") -> Iterator[pl.DataFrame]:
    """Read the rows of a table, some hundred thousand at a time.

    Args:
        source: where the bytes come from.
        layout: `RUN` or `QRELS`.
        reading: what the user says of the file; its format is `csv`, `tsv` or `msmarco`.

    Raises:
        InputError: with up to ten problems of the file, each with its line.

    """
    if (lists := _lists(source, layout, reading)) is not None:
        return lists
    header = read_header(source, layout, reading)
    value = header.value
    if layout is RUN:
        reading.orders.agree(value or "order", source.name)
    more = {f"query {number}": cell for number, cell in enumerate(header.joined, 2)}
    cells = {**header.places, **more}
    records = (_Quepid if header.quepid else TableRecords)(
        source,
        TAB if header.delimiter in LOOSE else header.delimiter,
        cells,
        len(header.names),
        required=[role for role in cells if role not in ("subtopic", "grade")],
        has_quotes=header.delimiter not in LOOSE,
        numbers=[value] if value else [],
        words=reading.grades,
        noun=layout.noun,
        slug=layout.slug,
        has=f"the {'header' if header.named else 'first line'} has {len(header.names)} cells",
    )
    frames = records.read((header.start, header.lines), header.delimiter)
    if more:
        joined = pl.concat_str(["query", *more], separator=" ").alias("query")
        frames = (frame.with_columns(joined).drop(*more) for frame in frames)
    if value in SMALLER:
        frames = (frame.with_columns(score=0.0 - pl.col(value)).drop(value) for frame in frames)
    if not value and layout is RUN:
        frames = (_ranked(frame, reading.orders) for frame in frames)
    elif not value:
        frames = (frame.with_columns(grade=pl.lit(1.0)) for frame in frames)
    return _decided(frames, source) if header.undecided else frames


def _lists(source: Source, layout: Layout, reading: "Reading") -> Iterator[pl.DataFrame] | None:
    """Read a table with several documents in a cell, or with a column for each rank; None for any other table."""
    begun = _begin(source, reading.format, reading.columns)
    header = tuple(names(source, reading.format, reading.columns))
    is_named = header != _names(begun.cells, named=False)
    table = Table(layout.value, source.name, reading.columns, header, first=1, orders=reading.orders)
    table = replace(table, grades=reading.grades)
    try:
        document = table.column_of("document")
    except InputError:
        return None  # of which reading the header says more
    ranks = [] if document in header else numbered(document, header, reading.columns.values())
    cell = _first_cell(source, begun, header.index(document), is_named=is_named) if document in header else None
    if not (ranks or table.separator or (is_written(cell) and not _has_number(table, source, begun, named=is_named))):
        return None
    table.check_named()
    chosen = table.chosen()
    source.unread = table.unread(chosen)
    queries = parts_of(chosen["query"], header) or (chosen["query"],)
    chosen_columns = list(chosen.values())
    needed = [
        name
        for column in chosen_columns
        for name in parts_of(column, header) or numbered(column, header, chosen_columns)
    ]
    needed += [column for column in chosen_columns if column in header]
    records = TableRecords(
        source,
        TAB if begun.delimiter in LOOSE else begun.delimiter,
        {name: header.index(name) for name in dict.fromkeys(needed)},
        len(header),
        required=queries,
        has_quotes=begun.delimiter not in LOOSE,
        noun=layout.noun,
        slug=layout.slug,
        has=f"the {'header' if is_named else 'first line'} has {len(header)} cells",
    )
    return _settled(records.read(begun.below if is_named else begun.start, begun.delimiter), table)


def _settled(texts: Iterator[pl.DataFrame], table: Table) -> Iterator[pl.DataFrame]:
    """Yield the rows of texts that hold several documents, one row for each document."""
    first = 1
    for frame in texts:
        settled = frames_of.settle(frame, replace(table, first=first), frame.schema)
        first += frame.height
        if settled.height:
            yield settled


def _first_cell(source: Source, begun: "Beginning", index: int, *, is_named: bool) -> str | None:
    """Return the first cell below the header in one of the columns; None where it is missing."""
    if not is_named:
        return begun.cells[index]
    parts = source.head(_HEAD)[begun.below[0] :].split(b"\n", _HEADER_LINES)[:_HEADER_LINES]
    sign = TAB if begun.delimiter in LOOSE else begun.delimiter
    records, _ = read_records([part.decode(errors="replace") for part in parts], sign, last=True)
    return records[0].cells[index] if records and len(records[0].cells) > index else None


def _has_number(table: Table, source: Source, begun: "Beginning", *, named: bool) -> bool:
    """Return whether a single number stands beside the document of the first row, which is an id then and no list.

    Raises:
        InputError: `frame-columns` where several columns could be meant.

    """
    header = list(table.names)
    columns = [table.column_of(role) for role in VALUES[table.value]]
    cells = [_first_cell(source, begun, header.index(column), is_named=named) for column in columns if column in header]
    return any(map(is_number, cells))


def _ranked(frame: pl.DataFrame, orders: "Orders") -> pl.DataFrame:
    """Score rows that stand in the order of the ranking."""
    return frame.with_columns(score=pl.Series(orders.ranked(frame["query"].to_list()), dtype=pl.Float64))


def _decided(frames: Iterator[pl.DataFrame], source: Source) -> Iterator[pl.DataFrame]:
    """Pass the rows on where one of them has a score that cannot be a rank; refuse the file otherwise.

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
    if whole:
        columns = {"query": "1", "document": "2", "score": "3"}
        raise InputError(
            "rank-or-score",
            f"{source.name}: all numbers of the third column are whole; they may be ranks or scores",
            remedy=f"ranks:  --run-format msmarco, in Python Run({source.path!r}, format='msmarco')\n"
            f"scores: --run-format tsv --columns {' '.join(f'{role}={number}' for role, number in columns.items())}, "
            f"in Python Run({source.path!r}, format='tsv', columns={columns})",
        )


# The header


class Beginning(NamedTuple):
    """The first record of a table."""

    delimiter: str
    cells: list[str]
    """without blanks around them; none where there is no record"""
    start: tuple[int, int]
    """how many bytes and how many lines stand before it"""
    below: tuple[int, int]
    """how many bytes and how many lines stand before the next one"""
    problem: InputError | None = None


def begin(source: Source, delimiters: Iterable[str], is_header: Callable[[list[str]], bool]) -> Beginning:
    """Find the first record that is neither blank nor a comment.

    Args:
        source: the file.
        delimiters: those that it may have; the one that makes a header of it is taken, or else most cells.
        is_header: whether cells are names of columns.

    Raises:
        InputError: `wrong-encoding`, `binary-file`, `line-ends`; with its line where the record is wrong.

    """
    head = source.head(_HEAD)
    lines.refuse_binary(source, head)
    start, above = lines.beginning(head)
    parts = head[start:].split(b"\n", _HEADER_LINES)[:_HEADER_LINES]
    beginnings: list[Beginning] = []
    for delimiter in delimiters:
        sign = TAB if delimiter in LOOSE else delimiter
        tabbed = [_with_tabs(part, delimiter) if delimiter in LOOSE else part for part in parts]
        records, end = read_records([part.decode(errors="replace") for part in tabbed], sign, last=True)
        for first, after in zip(records[:1], [*(other.line for other in records[1:2]), end], strict=False):
            cells = bare_names([cell.strip().removeprefix('"').removesuffix('"').strip() for cell in first.cells])
            below = start + sum(len(part) + 1 for part in parts[:after]), above + after
            beginnings.append(Beginning(delimiter, cells, (start, above), below, first.problem))
    if not beginnings:
        return Beginning("", [], (start, above), (start, above))
    with_header = [each for each in beginnings if len(each.cells) > 1 and is_header(each.cells)]
    begun = max(with_header or beginnings, key=lambda each: len(each.cells))
    if begun.problem is not None:
        where = f"{source.name}:{above + 1}"
        raise InputError(begun.problem.slug, f"{where}: {begun.problem.problems[0]}", remedy=begun.problem.remedy)
    return begun


def read_header(source: Source, layout: Layout, reading: "Reading", *, in_order: bool = True) -> Header:
    """Read the first line that is neither blank nor a comment.

    Args:
        source: the file.
        layout: `RUN` or `QRELS`.
        reading: what the user says of it, with its format.
        in_order: whether rows are read in their order, which may be the ranking.

    Raises:
        InputError: `frame-columns`, `empty-input`, and as `begin`.

    """
    begun = _begin(source, reading.format, reading.columns)
    if not begun.cells:
        raise lines.empty(source, layout)
    where = f"{source.name}:{begun.start[1] + 1}"
    named, columns = is_header(begun.cells, reading.columns), reading.columns
    if named and reading.format == "msmarco":
        remedy = f"leave the format out, or say {layout.format_option('tsv', source.path)}"
        raise InputError("frame-columns", f"{where}: this is a header; MS MARCO's files have none", remedy=remedy)
    if not named and any(columns.values()):
        named = not all(is_counted(column) for role, column in columns.items() if column and role != "separator")
    elif not named and not (named := reading.format != "msmarco" and not _is_data(begun.cells, reading.grades)):
        usual = _USUAL.get((reading.format, layout, len(begun.cells)))
        if usual is None:
            beginning = headerless.FirstLines.of(source)
            remedy = "a line holds query and document, between tabs or commas"
            if len(beginning.columns) > 1:
                counted = headerless.way(source, beginning, layout, reading.option or layout.option)
                remedy = f"add a header line, or give columns by number: {counted}"
            text = f"{where}: this is no header line, so the columns are not known: {quoted(begun.cells, 8)}"
            raise InputError("frame-columns", text, remedy=remedy)
        columns = {role: str(number) for number, role in enumerate(usual, 1)} | dict(columns)
    names = _names(begun.cells, named=named)
    query = columns.get("query", "")
    parts = parts_of(query, names)
    table = Table(layout.value, where, columns, (*names, *([query] if parts else [])), first=1, in_order=in_order)
    table.check_named()
    role_names = {
        *columns.values(),
        *(name for role in ("query", "document", layout.value) for name in SPELLINGS[role]),
    }
    if twice := [name for name in names if names.count(name) > 1 and {name, name.lower()} & role_names]:
        raise table.repeated(twice)
    chosen = table.chosen()
    document = names.index(chosen["document"])
    table.check_values(chosen, names, cell=_first_cell(source, begun, document, is_named=named))
    source.unread = table.unread(chosen)
    first, *joined = [names.index(part) for part in parts] or [-1]
    places = {role: first if parts and role == "query" else names.index(column) for role, column in chosen.items()}
    lower = {name.lower() for name in names}
    return Header(
        begun.delimiter,
        names,
        named,
        places,
        named and (lower >= {"query text", "doc id"} or (layout is QRELS and lower in _QUEPID)),
        *(begun.below if named else begun.start),
        not named and not any(reading.columns.values()) and "score" in places,
        tuple(joined),
    )


def names(source: Source, form: str, columns: Mapping[str, str]) -> list[str]:
    """List the names of the columns of a table; their numbers, from 1, where it has no header.

    Args:
        source: the file.
        form: `csv`, `tsv` or `msmarco`.
        columns: which column holds what, as the user says.

    """
    cells = _begin(source, form, columns).cells
    return list(_names(cells, named=form != "msmarco" and (is_header(cells, columns) or not _is_data(cells))))


def ranks(source: Source, reading: "Reading") -> int | None:
    """Return the column of a run that holds ranks, maybe beside scores; None where none does.

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
    delimiters: Iterable[str] = _OF_FORMAT[form]
    if form == "tsv" and (sign := headerless.separator_of(lines.first_line(source.head(_HEAD)))) in LOOSE:
        delimiters = (sign,)
    return begin(source, delimiters, partial(is_header, columns=columns))


def _is_data(cells: Sequence[str], grades: Words = grade_words.NONE) -> bool:
    """Return whether a record reads as query, document and a number or a grade, or with one column between."""
    return any(NUMBER.fullmatch(cell) or cell in grades for cell in cells[2:4])


def _names(cells: Sequence[str], *, named: bool) -> tuple[str, ...]:
    """Name the columns by their header or by number; empty cells at the end of a header are no columns."""
    if not named:
        return tuple(str(number) for number in range(1, len(cells) + 1))
    return tuple(cells[: max((number for number, cell in enumerate(cells, 1) if cell), default=0)])


# The records


@dataclass
class TableRecords(Reader):
    """The records below the beginning of a table.

    Attributes:
        most: how often a line without quotes is split at most, so that its last cell holds what follows.

    """

    most: int = -1

    def read(self, start: tuple[int, int], delimiter: str = TAB) -> Iterator[pl.DataFrame]:
        """Read all rows below some bytes and lines.

        Args:
            start: how many bytes and lines to pass over.
            delimiter: what stands between cells; tabs take the place of what Polars cannot split by.

        """
        chunks = lines.chunks(self.source, usual=CHUNK, longest=LONGEST, noun="record", has_quotes=True, skip=start)
        if delimiter in LOOSE:
            chunks = (chunk._replace(text=_with_tabs(chunk.text, delimiter)) for chunk in chunks)
        return self.frames(chunks)

    def is_odd(self, text: bytes) -> bool:
        """Return whether quotes stand for themselves, or there are byte order marks, as in files that were joined."""
        return lines.has_mark(text) or (
            self.has_quotes and b'"' in text and not _quotes_whole_cells(text, self.separator)
        )

    def records(self, text: bytes, above: int, *, last: bool) -> tuple[list[Record], bytes]:
        """Split a chunk into records with the csv module; without quotes, each line is a record."""
        parts = text.decode(errors="surrogateescape").removesuffix("\n").split("\n")
        if not above and parts[0].startswith(_MARK):  # that of the file is gone, and this one is part of the first id
            parts[0] = _MARK + parts[0]
        if self.has_quotes:
            records, end = read_records(parts, self.separator, last=last)
        else:
            split = (line.removeprefix(_MARK).removesuffix("\r").split(self.separator, self.most) for line in parts)
            records, end = [Record(line, cells) for line, cells in enumerate(split) if any(cells)], len(parts)
        rest = text.split(b"\n", end)[-1] if end < len(parts) else b""
        if len(rest) > LONGEST:
            raise lines.endless(self.source, above + end, LONGEST, "record")
        return list(filter(None, map(self.adapted, records))), rest

    def adapted(self, record: Record) -> Record | None:
        """Drop the empty cells beyond the last column of a record; None where the record does not count."""
        return record if any(record.cells[self.width :]) else record._replace(cells=record.cells[: self.width])

    def advice(self, cells: Sequence[str]) -> str:
        """Return whether cells are missing, or are too many."""
        if len(cells) < self.width:
            return "drop or fill such lines"
        return f"put cells in quotes that hold a {DELIMITERS[self.separator]}"


def _with_tabs(text: bytes, delimiter: str) -> bytes:
    """Return lines with tabs between their cells instead of `::`, or instead of any number of blanks."""
    if delimiter == "::":
        return text.replace(b"::", b"\t")
    return _BLANKS.sub(b"\t", _OUTER_BLANKS.sub(b"", text))


class _Quepid(TableRecords):
    """Exports of Quepid, which leave cells empty where nothing was retrieved or judged."""

    def is_odd(self, text: bytes) -> bool:  # noqa: ARG002 - all of them are read record by record
        """Return whether Polars must not see a chunk: always."""
        return True

    def adapted(self, record: Record) -> Record | None:
        """Remove blanks before formulas; None for a query without results or a document without a rating."""
        cells = [cell[1:] if cell.startswith(_FORMULAS) else cell for cell in record.cells]
        needed = self.cells.get("grade", self.cells["document"])
        if (len(cells) == self.cells["query"] + 1 or len(cells) >= self.width) and not any(cells[needed : needed + 1]):
            return None
        return super().adapted(record._replace(cells=cells))


def read_records(parts: Sequence[str], delimiter: str, *, last: bool) -> tuple[list[Record], int]:
    """Parse lines into records, without blank ones, and count the lines that these take.

    A record with a problem ends with its first line.

    Args:
        parts: the lines without their ends.
        delimiter: what stands between cells.
        last: whether no lines follow, in which the last record goes on.

    """
    records: list[Record] = []
    begins = True

    def narrow(lines: Iterable[str]) -> Iterator[str]:
        """Yield lines with their ends, without byte order marks where a record begins; refuse one of too many cells."""
        nonlocal begins
        for line in lines:
            if len(line) > FIELDS and line.count(f'"{delimiter}' if '"' in line else delimiter) > FIELDS:
                raise csv.Error(f"more than {FIELDS:,} columns")
            text, begins = line.removeprefix(_MARK) if begins else line, False
            yield f"{text}\n"

    end, limit = 0, csv.field_size_limit(LONGEST << 2)
    try:
        while end < len(parts):
            start, begins = end, True
            reader = csv.reader(narrow(islice(parts, start, None)), delimiter=delimiter, strict=True)
            try:
                for cells in reader:
                    begin, end, begins = end, start + reader.line_num, True
                    if any(map(str.strip, cells)):
                        records.append(Record(begin, cells, "\n".join(parts[begin:end])))
            except csv.Error as error:
                if "unexpected end" in str(error) and not last:
                    break
                cells = parts[end].split(delimiter, FIELDS)
                records.append(Record(end, cells, problem=_problem(str(error), parts[end])))
                end += 1
    finally:
        csv.field_size_limit(limit)
    return records, end


def _problem(reason: str, line: str) -> InputError:
    """Build the error for a record that cannot be parsed."""
    if reason.startswith("more"):
        return InputError("endless-line", f"this record has {reason}", remedy="end each record with a line break")
    line = shortened(line.strip())
    if reason.startswith("new-line"):
        text = f"a carriage return stands within a cell: {line!r}"
        return InputError("line-ends", text, remedy="end all lines alike, in LF or CR LF")
    text = f"a quote is not closed, or there is text after the closing quote: {line!r}"
    return InputError("bad-quotes", text, remedy='quotes that belong to a text are doubled, within quotes: "5"" nails"')


def _quotes_whole_cells(chunk: bytes, delimiter: str) -> bool:
    """Return whether every quote opens or closes a non-empty cell; of others Polars may make one cell of several."""
    if b'""' in chunk:
        return False
    text = np.frombuffer(b"\n%b\n" % chunk, dtype=np.uint8)
    quotes = np.flatnonzero(text == ord('"'))
    before, after = text[quotes[::2] - 1], text[quotes[1::2] + 1]
    ends = [ord(delimiter), ord("\n"), ord("\r")]
    return before.size == after.size and bool(np.isin(before, ends[:2]).all() and np.isin(after, ends).all())
