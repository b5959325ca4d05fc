"""Lines and records of text tables: their cells, in quotes as RFC 4180 says, and the numbers of their lines."""

import csv
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Final, NamedTuple

from rankworth.errors import InputError, shortened
from rankworth.io.lines import FIELDS, MARK, chunks, endless, is_endless, is_sep, no_text, too_wide
from rankworth.io.source import Progress, Source

CHUNK: Final = 8 << 20
LONGEST: Final = 32 << 20
"""how many bytes a row may have"""
TAB: Final = "\t"
Lines = Iterator[tuple[int, str]]
"""Lines without their ends, and their numbers."""
SIGNS: Final = {"\t": "tab", ",": "comma", ";": "semicolon", "|": "vertical bar"}
UNCLOSED: Final = "a quote may open here that is never closed; or lines do not end in LF"


class Record(NamedTuple):
    """A record of some lines."""

    number: int
    """that of its first line"""
    cells: list[str]
    """without their quotes; those of its first line as they stand, where there is a problem"""
    text: str
    """as it stands there"""
    problem: InputError | None = None
    is_open: bool = False
    """whether a quote opens that is not closed"""


def lines(source: Source, progress: Progress | None) -> Iterator[tuple[int, bytes]]:
    """The lines of a file without their ends, and their numbers."""
    above = 0
    for chunk in chunks(source, usual=CHUNK, longest=LONGEST, progress=progress):
        text = chunk if above else chunk.removeprefix(MARK)
        if 0 in text:
            raise no_text(source, text, above)
        if is_endless(text, LONGEST):
            raise endless(source, above, LONGEST, "end each row with a line break", "row")
        yield from enumerate(text.removesuffix(b"\n").split(b"\n"), above + 1)
        above += text.count(b"\n")


def texts(source: Source, progress: Progress | None) -> Lines:
    """The lines as texts, in which an odd byte stands for itself as half of a character."""
    return ((number, line.decode(errors="surrogateescape")) for number, line in lines(source, progress))


def says_nothing(line: str) -> bool:
    """Whether a line is blank, tells Excel the delimiter, or is a comment, which has no tab."""
    return not line.strip() or is_sep(line.encode(errors="replace")) or (line.startswith("#") and "\t" not in line)


def split(rows: Lines, sign: str, most: int) -> Iterator[tuple[int, list[str]]]:
    """The cells of each line, in which quotes stand for themselves; the last of them holds what follows it."""
    return ((number, line.removesuffix("\r").split(sign, most)) for number, line in rows)


class _Feed:
    """Lines with their ends for the csv module, of which those can be read again that belong to no record."""

    def __init__(self, rows: Lines) -> None:
        self.rows = rows
        self.again: deque[tuple[int, str]] = deque()
        self.held: list[tuple[int, str]] = []
        self.size = 0

    def __iter__(self) -> "_Feed":
        return self

    def __next__(self) -> str:
        if self.size > LONGEST:
            raise StopIteration
        number, line = self.again.popleft() if self.again else next(self.rows)
        if not self.held:  # where a record begins, files that were joined have a byte order mark
            line = line.removeprefix("\ufeff")
        self.held.append((number, line))
        self.size += len(line)
        return f"{line}\n"


def records(rows: Lines, sign: str) -> Iterator[Record]:
    """The records of some lines; one with a problem ends with its first line."""
    feed = _Feed(rows)
    reader = csv.reader(feed, delimiter=sign, strict=True)
    while True:
        feed.held, feed.size = [], 0
        try:
            with _long_cells():
                cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            (number, line), *others = feed.held
            feed.again.extendleft(reversed(others))
            problem = _misquoted(error, shortened(line.strip()))
            if feed.size > LONGEST:
                text = f"this row does not end within {LONGEST >> 20:,} MB"
                problem = InputError("endless-line", text, remedy=UNCLOSED)
            yield Record(number, line.removesuffix("\r").split(sign), line, problem, "unexpected end" in str(error))
        else:
            yield Record(feed.held[0][0], cells, "\n".join(line for _, line in feed.held))


def cells_at_once(part: Iterable[str], sign: str) -> list[list[str]]:
    """The cells of all records of some lines that are not blank; none where a record has a problem."""
    try:
        with _long_cells():
            return list(filter(None, csv.reader((f"{line}\n" for line in part), delimiter=sign, strict=True)))
    except csv.Error:
        return []


def cells_of(line: str, sign: str) -> list[str]:
    """The cells of one line without their quotes, as far as these are closed."""
    return next(records(iter([(1, line)]), sign)).cells


def rows(source: Source, rows: Lines, sign: str) -> Iterator[tuple[int, list[str]]]:
    """The cells of each record, and the number of its first line.

    Tabs are rare in texts, and quotes are not: between tabs, a quote that does not close its cell stands for itself.

    Raises:
        InputError: `bad-quotes`, `line-ends`.

    """
    for record in records(rows, sign):
        if record.problem is not None and sign != TAB:
            problem = record.problem
            raise InputError(
                problem.slug, f"{source.name}:{record.number}: {problem.problems[0]}", remedy=problem.remedy
            )
        yield record.number, record.cells


def refuse_wide(source: Source, part: Iterable[str], sign: str, above: int) -> None:
    """Refuse a line with more cells than any should have, before it takes all memory."""
    for number, line in enumerate(part, above + 1):
        if len(line) > FIELDS and line.count(f'"{sign}' if '"' in line else sign) > FIELDS:
            raise too_wide(source, number, "record")


def _misquoted(error: csv.Error, line: str) -> InputError:
    """The error for a record that the csv module refuses."""
    if str(error).startswith("new-line"):
        text = f"a carriage return stands within a cell: {line!r}"
        return InputError("line-ends", text, remedy="end all lines alike, in LF or CR LF")
    text = f"a quote is not closed, or a cell goes on after the quote that closes it: {line!r}"
    return InputError("bad-quotes", text, remedy='quotes that belong to a text are doubled, within quotes: "5"" nails"')


@contextmanager
def _long_cells() -> Iterator[None]:
    """Let the csv module read cells of any length."""
    limit = csv.field_size_limit(LONGEST << 2)
    try:
        yield
    finally:
        csv.field_size_limit(limit)
