"""Text tables: comma- or tab-separated, with a header or without, quoted as RFC 4180 says.

Ids stay the text that stands there. Blank lines are skipped, and comments above the first record. Polars parses chunks
in which quotes only stand around cells, and the csv module of Python all others.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import polars as pl

from rankworth.errors import InputError, quoted
from rankworth.io import frames as frames_of
from rankworth.io import grade_words, lines, remedies
from rankworth.io.cells import is_number, is_written
from rankworth.io.csv_records import LONGEST, MARK, read_records
from rankworth.io.formats import FORMATS
from rankworth.io.grade_words import Words
from rankworth.io.impressions import value_by_position
from rankworth.io.layout import NUMBER, QRELS, RUN, Layout
from rankworth.io.looks import Looks, has_header, of_cells
from rankworth.io.plain_lines import may_be_lists, separator_of
from rankworth.io.remedies import Request
from rankworth.io.resolve import SMALLER, VALUES, Roles, check_named, check_values, resolve, unread
from rankworth.io.source import Source
from rankworth.io.text_lines import Reader, Record
from rankworth.io.usual_names import OF_FILE, SPELLINGS, bare_names, is_header

if TYPE_CHECKING:
    from rankworth.io.facts import Observed
    from rankworth.io.options import Reading

CHUNK: Final = 8 << 20
TAB: Final = "\t"
DELIMITERS: Final = {TAB: "tab", ",": "comma", ";": "semicolon", "|": "vertical bar"}
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
_PAIR: Final = ("query", "document")
_QUEPID: Final = ({"query", "docid", "rating"}, {"query", "doc_id", "rating"})
_FORMULAS: Final = (" =", " @", " +", " -")
"""Quepid puts a blank before what a spreadsheet would take for a formula"""
_HEAD: Final = 1 << 20
_HEADER_LINES: Final = 100
_BLANKS: Final = re.compile(rb" +")
_OUTER_BLANKS: Final = re.compile(rb"^ +| +(?=\r?$)", re.MULTILINE)
_LISTS: Final = re.compile(rb"\[[^\]\n]*\]")


@dataclass(frozen=True)
class Header:
    """What the beginning of a table says, and how its records are to be read.

    Attributes:
        looks: what the table looks like.
        roles: which of its columns holds what.
        said: which column holds what, as the user says, or as the format does.
        is_listed: whether cells hold several documents, each rank has a column, or several columns tell a document.
        quepid: whether Quepid wrote it, which leaves cells empty where nothing was retrieved or judged.
        start: how many bytes stand before the first record that is no header.
        lines: how many lines stand before it.
        undecided: whether the values could be ranks as well as scores.

    """

    looks: Looks
    roles: Roles
    said: Mapping[str, str]
    is_listed: bool
    quepid: bool
    start: int
    lines: int
    undecided: bool

    @property
    def cells(self) -> dict[str, int]:
        """Which column holds `query`, `document`, `score` and so on; of a query of several columns, the first."""
        names = [*self.looks.names]
        places = self.roles.locations.items()
        return {role: names.index(place.columns[0]) for role, place in places if place.way not in ("position", "file")}

    @property
    def file(self) -> str:
        """The name of the file if it is the query of all rows; empty if a column tells the query."""
        place = self.roles.locations["query"]
        return place.path if place.way == "file" else ""

    @property
    def joined(self) -> tuple[int, ...]:
        """Further columns that name the query, behind the first one."""
        return tuple(self.looks.names.index(name) for name in self.roles.locations["query"].columns[1:])

    @property
    def value(self) -> str:
        """What the values are; nothing where every judgement is 1, or rows stand in the order of the ranking."""
        return self.roles.value


def batches(source: Source, layout: Layout, reading: "Reading", observed: "Observed") -> Iterator[pl.DataFrame]:
    """Read the rows of a table, some hundred thousand at a time.

    Args:
        source: where the bytes come from.
        layout: `RUN` or `QRELS`.
        reading: what the user says of the file; its format is `csv`, `tsv` or `msmarco`.
        observed: gets to know the facts.

    Raises:
        InputError: with up to ten problems of the file, each with its line.

    """
    header = read_header(source, layout, reading)
    observed.note_unread(source.name, unread(header.looks, header.roles))
    if header.is_listed:
        return _of_lists(source, layout, reading, observed, header)
    value = header.value
    if layout is RUN:
        observed.agree(value or "order", source.name)
    more = {f"query {number}": cell for number, cell in enumerate(header.joined, 2)}
    cells = {**header.cells, **more}
    required = [role for role in cells if role not in ("subtopic", "grade")]
    kind = _Quepid if header.quepid else TableRecords
    records = _records(kind, source, layout, header, cells, required, [value] if value else [], reading.grades)
    frames = records.read((header.start, header.lines), header.looks.separator)
    if more:
        joined = pl.concat_str(["query", *more], separator=" ").alias("query")
        frames = (frame.with_columns(joined).drop(*more) for frame in frames)
    if header.file:
        frames = (frame.with_columns(query=pl.lit(header.file)) for frame in frames)
    if header.roles.by_position:
        frames = (_by_position(frame, observed) for frame in frames)
    if value in SMALLER:
        frames = (frame.with_columns(score=0.0 - pl.col(value)).drop(value) for frame in frames)
    if not value and layout is RUN:
        frames = (_ranked(frame, observed) for frame in frames)
    elif not value:
        frames = (frame.with_columns(grade=pl.lit(1.0)) for frame in frames)
    return _decided(frames, source) if header.undecided else frames


def _records(
    kind: "type[TableRecords]",
    source: Source,
    layout: Layout,
    header: Header,
    cells: Mapping[str, int],
    required: Collection[str],
    numbers: Sequence[str] = (),
    words: Words = grade_words.NONE,
) -> "TableRecords":
    """Return what reads the records below the beginning of a table."""
    looks = header.looks
    return kind(
        source,
        TAB if looks.separator in LOOSE else looks.separator,
        cells,
        len(looks.names),
        required=required,
        has_quotes=looks.separator not in LOOSE,
        numbers=numbers,
        words=words,
        noun=layout.noun,
        slug=layout.slug,
        has=f"the {'header' if looks.is_named else 'first line'} has {len(looks.names)} cells",
    )


def _of_lists(
    source: Source, layout: Layout, reading: "Reading", observed: "Observed", header: Header
) -> Iterator[pl.DataFrame]:
    """Read a table with several documents in a cell, or with a column for each rank; one row for each document."""
    request = Request(layout.value, replace(header.looks, called=source.name), header.said)
    schema = dict.fromkeys(header.looks.names, pl.String())
    reader = frames_of.TableReader(request, schema, observed, reading.grades)
    names = header.looks.names
    cells = {name: names.index(name) for name in header.roles.columns}
    required = header.roles.locations["query"].columns
    first = 1
    for frame in _records(TableRecords, source, layout, header, cells, required).read(
        (header.start, header.lines), header.looks.separator
    ):
        settled = reader.settle(frame, first)
        first += frame.height
        if settled.height:
            yield settled


def _by_position(frame: pl.DataFrame, observed: "Observed") -> pl.DataFrame:
    """Call documents without ids by their position within the query."""
    documents = observed.positions(frame["query"].to_list())
    return frame.with_columns(pl.Series("document", documents, dtype=pl.String))


def _ranked(frame: pl.DataFrame, observed: "Observed") -> pl.DataFrame:
    """Score rows that stand in the order of the ranking."""
    return frame.with_columns(score=pl.Series(observed.ranked(frame["query"].to_list()), dtype=pl.Float64))


def _decided(frames: Iterator[pl.DataFrame], source: Source) -> Iterator[pl.DataFrame]:
    """Pass the rows on if any has a score that cannot be a rank; refuse the file otherwise.

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
    rows: Sequence[Sequence[str]] = ()
    """the cells of the next ones, as far as they were looked at"""


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
            rows = [record.cells for record in records[1:] if record.problem is None]
            beginnings.append(Beginning(delimiter, cells, (start, above), below, first.problem, rows))
    if not beginnings:
        return Beginning("", [], (start, above), (start, above))
    with_header = [each for each in beginnings if len(each.cells) > 1 and is_header(each.cells)]
    begun = max(with_header or beginnings, key=lambda each: len(each.cells))
    if begun.problem is not None:
        where = f"{source.name}:{above + 1}"
        raise InputError(begun.problem.slug, f"{where}: {begun.problem.problems[0]}", remedy=begun.problem.remedy)
    return begun


def read_header(source: Source, layout: Layout, reading: "Reading", *, in_order: bool = True) -> Header:
    """Look at the beginning of a table, and find the columns of query, document and value.

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
    looks, said = _looks(source, begun, reading, in_order=in_order), reading.columns
    if not looks.is_named and not any(said.values()):
        said = {**_usual_columns(source, layout, reading, begun, looks), **said}
    request, names = Request(layout.value, looks, said), looks.names
    check_named(request)
    usual_names = {name for role in ("query", "document", layout.value) for name in SPELLINGS[role]}
    role_names = {*said.values(), *usual_names}
    if twice := [name for name in names if names.count(name) > 1 and {name, name.lower()} & role_names]:
        raise remedies.repeated(looks, twice)
    try:
        roles = resolve(looks, said, layout.value)
    except InputError as error:
        if any(said.values()) or not may_be_lists(source, ragged=True):
            raise
        lists = remedies.as_lists(source.path, layout, reading.option or layout.option)
        raise InputError(error.slug, *error.problems, remedy=f"{lists}\n{error.remedy}") from None
    is_listed = bool(request.separator) or roles.locations["document"].is_span or _holds_lists(looks, roles)
    if not is_listed:
        check_values(request, roles)
    lower = {name.lower() for name in names}
    is_quepid = lower >= {"query text", "doc id"} or (layout is QRELS and lower in _QUEPID)
    is_undecided = not looks.is_named and not any(reading.columns.values()) and "score" in roles.locations
    start = begun.below if looks.is_named else begun.start
    return Header(looks, roles, said, is_listed, looks.is_named and is_quepid, *start, is_undecided)


def _usual_columns(
    source: Source, layout: Layout, reading: "Reading", begun: Beginning, looks: Looks
) -> dict[str, str]:
    """Return the usual columns of a table without a header and without options.

    Raises:
        InputError: `frame-columns`, `rank-or-score`.

    """
    usual = _USUAL.get((reading.format, layout, len(begun.cells)))
    if reading.option in remedies.PAIRS and len(begun.cells) == len(_PAIR):
        usual = _PAIR
    if usual is not None and layout is not RUN and _are_ids(looks, usual):
        usual = None
    if usual is None and is_written(begun.cells[-1]) and (role := value_by_position(source.path, looks, layout)):
        return {"query": "1", "document": "", role: "2"}
    if usual is None:
        remedy = "a line holds query and document, between tabs or commas"
        if len(looks.names) > 1:
            counted = remedies.by_number(source.path, looks, layout, reading.option or layout.option)
            remedy = f"add a header line, or give columns by number: {counted}"
        text = f"{looks.called}: this is no header line, so the columns are not known: {quoted(begun.cells, 8)}"
        raise InputError("frame-columns", text, remedy=remedy)
    return {role: str(number) for number, role in enumerate(usual, 1)}


def _are_ids(looks: Looks, usual: Sequence[str]) -> bool:
    """Return whether ids with digits stand where grades usually do."""
    if "grade" not in usual:
        return False
    grades = looks.columns[str(usual.index("grade") + 1)]
    return len(grades.texts) > 1 and all(text[0].isalpha() and text[-1].isdigit() for text in grades.texts)


def _holds_lists(looks: Looks, roles: Roles) -> bool:
    """Return whether documents stand in columns by rank, or in a cell that is written as a list.

    Beside a single number, what is written as a list is an id.
    """
    document = roles.locations["document"]
    values = (roles.locations[role] for role in VALUES["score"] + VALUES["grade"] if role in roles.locations)
    has_number = any(is_number(looks.cell(location.called)) for location in values)
    cell = looks.cell(document.columns[0] if roles.by_position else document.called)
    return document.way == "ranks" or (is_written(cell) and (roles.by_position or not has_number))


def looks_of(source: Source, reading: "Reading") -> Looks:
    """Return what a table looks like at its beginning.

    Args:
        source: the file.
        reading: what the user says of it, with its format.

    Raises:
        InputError: as `begin`.

    """
    return _looks(source, _begin(source, reading.format, reading.columns), reading)


def _looks(source: Source, begun: Beginning, reading: "Reading", *, in_order: bool = True) -> Looks:
    """Return the looks of a table with this beginning.

    Raises:
        InputError: `frame-columns` where there is a header that the format does not have.

    """
    where = f"{source.name}:{begun.start[1] + 1}"
    is_named = _is_named(begun, reading)
    if is_named and reading.format == "msmarco":
        remedy = f"leave the format out, or say {RUN.format_option('tsv', source.path)}"
        raise InputError("frame-columns", f"{where}: this is a header; MS MARCO's files have none", remedy=remedy)
    names = _names(begun.cells, named=is_named)
    rows = begun.rows if is_named else [begun.cells, *begun.rows]
    columns = dict(zip(names, of_cells(rows, len(names)), strict=True))
    numeric = frozenset(name for name, column in columns.items() if column.may_hold_values)
    return Looks(
        where,
        names,
        first=1,
        is_named=is_named,
        in_order=in_order,
        columns=columns,
        numeric=numeric,
        separator=begun.delimiter,
    )


def _is_named(begun: Beginning, reading: "Reading") -> bool:
    """Return whether the first record has the names of columns."""
    columns = reading.columns.items()
    said = [name for role, name in columns if name and role not in ("separator", "root") and OF_FILE not in name]
    if is_header(begun.cells, reading.columns):
        return True
    if reading.format == "msmarco" or not begun.cells:
        return False
    if has_header(begun.cells, begun.rows):
        return True
    if said:
        numbers = [column.removeprefix("-").replace(",", "") for column in said if column != "*"]  # all other columns
        return not numbers or not all(map(str.isdecimal, numbers))
    columns_below = of_cells(begun.rows, len(begun.cells))
    comes_again = any(cell and cell in below.texts for cell, below in zip(begun.cells, columns_below, strict=True))
    return len(begun.cells) > 2 and not (comes_again or _is_data(begun.cells, reading.grades))  # noqa: PLR2004 - two cells are no table


def ranks(source: Source, reading: "Reading") -> int | None:
    """Return the column of ranks of a run, with or without scores beside it, or None.

    Args:
        source: the file.
        reading: what the user says of it, with its format.

    """
    try:
        header = read_header(source, RUN, replace(reading, columns={**reading.columns, "score": ""}))
    except InputError:
        return None
    return header.cells.get("rank")


def _begin(source: Source, form: str, columns: Mapping[str, str]) -> Beginning:
    delimiters: Iterable[str] = FORMATS[form].delimiters
    head = source.head(_HEAD)
    first = lines.first_line(head)
    goes_on = first.count(b'"') % 2 == 1 and b"\t" in head  # a record whose first cell has a line break
    if form == "tsv" and not goes_on and (sign := separator_of(first)) in LOOSE:
        numbers = {name for role, name in columns.items() if role != "query"} - {"", "1"}
        is_single = OF_FILE in columns.get("query", "") and not numbers  # a document in each line, with its blanks
        delimiters = (TAB,) if is_single else (sign,)
    separator, is_names = columns.get("separator", ""), partial(is_header, columns=columns)
    if others := [delimiter for delimiter in delimiters if separator and delimiter != separator]:
        begun = begin(source, others, is_names)
        if len(begun.cells) > 1:
            return begun
    return begin(source, delimiters, is_names)


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
        if not above and parts[0].startswith(MARK):  # that of the file is gone, and this one is part of the first id
            parts[0] = MARK + parts[0]
        if self.has_quotes:
            records, end = read_records(parts, self.separator, last=last)
        else:
            split = (line.removeprefix(MARK).removesuffix("\r").split(self.separator, self.most) for line in parts)
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
    if b"[" in text:  # blanks within a list stand between its items
        text = _LISTS.sub(lambda match: match[0].replace(b" ", b""), text)
    return _BLANKS.sub(b"\t", _OUTER_BLANKS.sub(b"", text))


class _Quepid(TableRecords):
    """Exports of Quepid, with empty cells for queries without retrieved or judged documents."""

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


def _quotes_whole_cells(chunk: bytes, delimiter: str) -> bool:
    """Return whether every quote opens or closes a non-empty cell; of others Polars may make one cell of several."""
    if b'""' in chunk:
        return False
    text = np.frombuffer(b"\n%b\n" % chunk, dtype=np.uint8)
    quotes = np.flatnonzero(text == ord('"'))
    before, after = text[quotes[::2] - 1], text[quotes[1::2] + 1]
    ends = [ord(delimiter), ord("\n"), ord("\r")]
    return before.size == after.size and bool(np.isin(before, ends[:2]).all() and np.isin(after, ends).all())
