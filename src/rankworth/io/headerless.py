"""Texts without a header: whether their columns hold what a format says, and otherwise the options that read them.

The number of columns alone tells no format: four of them are TREC's judgements, or user, item, rating and time.
"""

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

from rankworth.errors import InputError, quoted
from rankworth.io.grade_words import usual_grades
from rankworth.io.layout import NUMBER, QRELS, RUN, Layout
from rankworth.io.lines import HEAD, beginning, first_line
from rankworth.io.source import STDIN, Source

if TYPE_CHECKING:
    from rankworth.io.options import Reading

TIMES: Final = ((1e8, 2.2e9), (1e11, 2.2e12))
"""seconds and milliseconds since 1970, from 1973 to 2039"""
_DAY: Final = re.compile(r"\d{4}[-/]\d\d[-/]\d\d")
_FEW: Final = 11
"""how many different grades there are at most: half stars from 0 to 5"""
_LARGEST_GRADE: Final = 100
_ROWS: Final = 10
"""from how many lines on numbers of subtopics that are as small as grades tell something"""
_SUBTOPICS: Final = 3
"""up to how many different cells may be subtopics beside documents that look like times"""
_UNIQUE: Final = 0.9
"""how many of the pairs of query and subtopic are different, at least, where these are documents"""
SVMLIGHT: Final = re.compile(rb"\s*\S+\s+qid:\S+(\s|$)")
"""how a line of learning to rank begins: grade and query"""
_WITHOUT_QUERY: Final = re.compile(rb"\s*[-+]?[0-9][0-9.eE+-]*\s+[0-9]+:[-+0-9.eE]+(\s|$)")
WITHOUT_QUERY: Final = (
    "learning-to-rank files name the query of each line: grade qid:N features # document\n"
    "where the sizes of queries stand in a file of their own, in Python: "
    "evaluate(labels=labels, scores=scores, group=numpy.loadtxt('test.query', dtype=int))"
)
"""what helps where lines of learning to rank have no query"""
SECOND: Final = ("0", "Q0", "q0")
"""what stands in the second column of TREC's lines"""
_LINES: Final = ("trec", "tsv")
"""formats that are told by the number of columns"""
_PAIR: Final = 2
PAIRS: Final = ("exclude", "history")
"""arguments that are pairs of query and document, without a value"""


def split(line: bytes, separator: str) -> list[str]:
    """Return the cells of a line without blanks around them; a separator of blanks is any number of them."""
    text = line.decode(errors="replace")
    return text.split() if separator == " " else [cell.strip() for cell in text.split(separator)]


def separator_of(line: bytes) -> str:
    """Return what separates the cells of a line without a header: tabs, `::`, blanks, or the signs of CSV.

    >>> separator_of(b"1::1193::5::978300760"), separator_of(b"1,3,4"), separator_of(b"q1 d1 1")
    ('::', ',', ' ')
    """
    bare = line.strip()
    return next((sign for sign in ("\t", "::", " ", ",", ";", "|") if sign.encode() in bare), " ")


@dataclass(frozen=True)
class FirstCells:
    """The cells of one column at the beginning of a file; `number` counts columns from 1."""

    number: int
    cells: Sequence[str]

    @cached_property
    def distinct(self) -> int:
        """The number of different cells."""
        return len({*self.cells})

    @cached_property
    def numbers(self) -> list[float]:
        """The cells as numbers; none where one of them is no number."""
        is_numeric = all(map(NUMBER.fullmatch, self.cells))
        return [float(cell) for cell in self.cells] if is_numeric else []

    @cached_property
    def has_times(self) -> bool:
        """Whether most cells are days, or seconds or milliseconds since 1970."""
        if not self.numbers:
            return all(map(_DAY.match, self.cells))
        times = sum(any(low <= number < high for low, high in TIMES) for number in self.numbers)
        return 2 * times > len(self.cells)

    @cached_property
    def has_grades(self) -> bool:
        """Whether these may be grades: few different numbers, none of them large, or words of a usual scale."""
        if self.distinct > _FEW:
            return False
        is_small = bool(self.numbers) and max(map(abs, self.numbers)) <= _LARGEST_GRADE
        return is_small or bool(usual_grades(self.cells))

    @property
    def has_ids(self) -> bool:
        """Whether these are more likely ids of documents than numbers of subtopics."""
        is_small = bool(self.numbers) and max(map(abs, self.numbers)) <= _LARGEST_GRADE
        return not is_small or len(self.cells) >= _ROWS


@dataclass(frozen=True)
class FirstLines:
    """The columns at the beginning of a text without a header, all as long as its first line says."""

    separator: str
    columns: Sequence[FirstCells]

    @classmethod
    def of(cls, source: Source) -> "FirstLines":
        """Return those of a file.

        Raises:
            InputError: as `Source.open`.

        """
        head = source.head(HEAD)
        lines = head[beginning(head)[0] :].split(b"\n")
        lines = lines[:-1] if len(head) == HEAD and len(lines) > 1 else lines
        separator = separator_of(first_line(head))
        rows = [split(line, separator) for line in lines if line.strip() and not line.lstrip().startswith(b"#")]
        rows = [row for row in rows if len(row) == len(rows[0])]
        return cls(separator, [FirstCells(number, cells) for number, cells in enumerate(zip(*rows, strict=True), 1)])

    def roles(self, layout: Layout) -> dict[str, str]:
        """Return the likely column of query, document and value, as options name them; an empty one where none is.

        The query comes first. Of the others, grades have the fewest different values, and documents the most.
        """
        query, *other_columns = self.columns
        rest = [column for column in other_columns if not column.has_times] or other_columns
        grades = [column for column in rest if (column.has_grades if layout is QRELS else column.numbers)]
        if layout is QRELS:
            grades = [column for column in grades if {*column.numbers} != {0.0}]
            grades.sort(key=lambda column: (column.distinct == 1, column.distinct, -column.number))
        else:
            grades.sort(key=lambda column: (all(map(float.is_integer, column.numbers)), -column.number))
        value = grades[0] if grades and len(rest) > 1 else None
        documents = [column for column in rest if column is not value]
        document = max(documents, key=lambda column: (column.distinct, -column.number))
        return {
            "query": str(query.number),
            "document": str(document.number),
            layout.value: "" if value is None else str(value.number),
        }

    @property
    def format(self) -> str:
        """What a table of these cells is called."""
        return "csv" if self.separator in (",", ";", "|") else "tsv"

    def misfit(self, layout: Layout, form: str) -> str:
        """Return why the columns do not hold what a format says; nothing where they may.

        Args:
            layout: `RUN` or `QRELS`.
            form: `trec`, or `tsv` for query, document and value.

        """
        names = layout.columns if form == "trec" else ("query", "document", layout.value)
        if len(self.columns) != len(names) or (form == "trec" and self.separator == "::"):
            return ""
        column = dict(zip(names, self.columns, strict=True))
        document, value = column["document"], column[layout.value]
        if layout is QRELS and value.numbers and value.has_times:
            return f"the grades would be times, as {value.cells[0]} is one of {_day(value.numbers[0])}"
        if "rank" in column and {*column["rank"].numbers} == {-1.0}:
            return "the rank is -1 in every line"
        if form == "trec":
            second = self.columns[1]
            is_unique = len({*zip(self.columns[0].cells, second.cells, strict=True)}) >= _UNIQUE * len(second.cells)
            of_ratings = document.has_grades and second.distinct > document.distinct and second.has_ids
            of_times = document.has_times and second.distinct > _SUBTOPICS
            if is_unique and (of_ratings or of_times):
                text = f"the documents would be {quoted(dict.fromkeys(document.cells), 4)}, and column 2"
                return f"{text}, which is 0, Q0 or a subtopic there, has {second.distinct:,} different values"
            return ""
        is_swapped = document.has_grades and value.distinct > 2 * document.distinct and len(value.cells) >= _ROWS
        text = f"there would be {value.distinct:,} different {layout.value}s of {document.distinct} documents"
        return text if layout is QRELS and is_swapped else ""


def refuse_misfit(source: Source, layout: Layout, form: str, reading: "Reading") -> None:
    """Refuse a file whose format only the number of its columns tells, and whose columns hold something else.

    Args:
        source: the file.
        layout: `RUN` or `QRELS`.
        form: the format that was detected.
        reading: what the user says of the file; a format or columns that are named are trusted.

    Raises:
        InputError: `unfit-columns`.

    """
    if form not in _LINES or reading.format or any(reading.columns.values()):
        return
    option = reading.option or layout.option
    other, first = QRELS if layout is RUN else RUN, first_line(source.head(HEAD))
    start = FirstLines.of(source)
    taken = other if form == "trec" and other.fits(first) else layout
    is_valued = form == "trec" or option not in PAIRS  # the time beside a pair that is excluded does no harm
    if start.columns and is_valued and (reason := start.misfit(taken, form)):
        called = "TREC's lines" if form == "trec" else "query, document and grade"
        text = f"{source.name}: this looks like a table without a header, not like {called}: {reason}"
        remedy = f"read it with: {way(source, start, layout, option)}"
        if form == "trec" and option not in PAIRS:
            remedy += f"\nif these are {called} all the same: {layout.format_option('trec', source.path)}"
        raise InputError("unfit-columns", text, remedy=remedy)


def way(source: Source, start: FirstLines, layout: Layout, option: str) -> str:
    """Return the options, and the call, that read a text without a header as a table."""
    columns = start.roles(layout)
    if option in PAIRS:
        columns[layout.value] = ""
    if len(start.columns) == _PAIR:
        columns.pop(layout.value)
    typed = "--columns" if option in PAIRS else f"--{option}-format {start.format} --{option}-columns"
    path = STDIN if source.path == STDIN else source.path
    called = "Run" if layout is RUN else "Qrels"
    in_python = f"{called}({path!r}, format={start.format!r}, columns={columns})"
    if option in PAIRS:
        columns, in_python = {role: columns[role] for role in ("query", "document")}, f"{option}={in_python}"
    return f"{typed} {_typed(columns)}\nin Python {in_python}"


def advice(source: Source, layout: Layout, option: str) -> str:
    """Return what reads a file whose lines have too many or too few columns for TREC's; nothing where nothing is known.

    Raises:
        InputError: as `Source.open`.

    """
    if _WITHOUT_QUERY.match(first_line(source.head(HEAD))):
        return WITHOUT_QUERY
    start = FirstLines.of(source)
    width = len(start.columns)
    least, most = (_PAIR, len(RUN.columns)) if layout is QRELS else (_PAIR + 1, len(QRELS.columns))
    is_line = width == len(layout.columns) and start.separator in ("\t", " ")
    if is_line or not least <= width <= most or {*start.columns[1].cells} <= {*SECOND}:
        return ""
    is_valued = start.roles(layout)[layout.value] != ""
    if not is_valued and (layout is RUN or width > _PAIR):
        return ""
    return f"if this is a table without a header: {way(source, start, layout, option)}"


def _typed(columns: Mapping[str, str]) -> str:
    return shlex.join(f"{role}={number}" for role, number in columns.items())


def _day(number: float) -> str:
    """Return the day of a time in seconds or milliseconds."""
    from datetime import UTC, datetime  # noqa: PLC0415 - for messages only

    seconds = number / 1000 if number >= TIMES[1][0] else number
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d}"
