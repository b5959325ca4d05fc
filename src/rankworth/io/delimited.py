"""Text tables: where they begin, and their records, in quotes as RFC 4180 says, with the numbers of their lines."""

import csv
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice, starmap
from typing import Final, NamedTuple

from rankworth.errors import InputError, shortened
from rankworth.io.lines import FIELDS, beginning, chunks, endless, is_endless, no_text, refuse_binary, too_wide
from rankworth.io.source import Progress, Source

CHUNK: Final = 8 << 20
LONGEST: Final = 32 << 20
"""how many bytes a record may have"""
HEAD: Final = 1 << 20
TAB: Final = "\t"
SIGNS: Final = {TAB: "tab", ",": "comma", ";": "semicolon", "|": "vertical bar"}
_UNCLOSED: Final = "a quote may open here that is never closed; or lines do not end in LF"
_HEADER_LINES: Final = 100
_MARK: Final = "\ufeff"
"""a byte order mark, which files that were joined have within, where a record begins"""


Place = tuple[int, int]
"""How many bytes and how many lines stand before a line."""


class Record(NamedTuple):
    """A record of some lines."""

    number: int
    """that of its first line, from 0"""
    cells: list[str]
    """without their quotes; those of its first line as they stand, where there is a problem"""
    problem: InputError | None = None


class Beginning(NamedTuple):
    """The first record of a table."""

    sign: str
    """the delimiter"""
    cells: list[str]
    """without blanks around them; none where there is no record"""
    start: Place
    below: Place
    problem: InputError | None = None


def begin(source: Source, signs: Iterable[str], is_header: Callable[[list[str]], bool]) -> Beginning:
    """The first record that is neither blank nor a comment.

    Args:
        source: the file.
        signs: the delimiters that it may have; the one that makes a header of it is taken, or else most cells.
        is_header: whether cells are names of columns.

    Raises:
        InputError: `wrong-encoding`, `binary-file`, `line-ends`, `endless-line`.

    """
    head = source.head(HEAD)
    refuse_binary(source, head)
    start, above = place = beginning(head)
    if start == len(head):
        return Beginning("", [], place, place)
    if len(head) == HEAD and b"\n" not in head[start:]:
        raise endless(source, above, HEAD, "end each record with a line break; if it is no table, say the format")
    parts = head[start:].split(b"\n", _HEADER_LINES)[:_HEADER_LINES]
    lines = [part.decode(errors="replace") for part in parts]
    found: list[Beginning] = []
    for sign in signs:
        refuse_wide(source, lines[:1], sign, above)
        (first, *others), end = records(lines, sign)
        count = others[0].number if others else end
        below = start + sum(len(part) + 1 for part in parts[:count]), above + count
        cells = [cell.strip().removeprefix('"').removesuffix('"').strip() for cell in first.cells]
        found.append(Beginning(sign, cells, place, below, first.problem))
    known = [each for each in found if len(each.cells) > 1 and is_header(each.cells)]
    return max(known or found, key=lambda each: len(each.cells))


def records(lines: Sequence[str], sign: str, *, last: bool = True) -> tuple[list[Record], int]:
    """The records of some lines that are not blank, and how many lines they take.

    A record with a problem ends with its first line.

    Args:
        lines: without their ends.
        sign: the delimiter.
        last: whether no lines follow, in which the last record goes on.

    """
    found: list[Record] = []
    begins = True

    def ended(start: int) -> Iterator[str]:
        nonlocal begins
        for line in islice(lines, start, None):
            text, begins = line.lstrip(_MARK) if begins else line, False
            yield f"{text}\n"

    end, limit = 0, csv.field_size_limit(LONGEST << 2)
    try:
        while end < len(lines):
            start, begins = end, True
            reader = csv.reader(ended(start), delimiter=sign, strict=True)
            try:
                for cells in reader:
                    if cells:
                        found.append(Record(end, cells))
                    end, begins = start + reader.line_num, True
            except csv.Error as error:
                if "unexpected end" in str(error) and not last:
                    break
                found.append(Record(end, lines[end].removesuffix("\r").split(sign), _misquoted(error, lines[end])))
                end += 1
    finally:
        csv.field_size_limit(limit)
    return found, end


def text_lines(chunk: bytes) -> list[str]:
    """The lines of a chunk, in which a byte that is not UTF-8 stands for itself as half of a character."""
    text = chunk.decode(errors="surrogateescape")
    return text.removesuffix("\n").split("\n") if chunk else []


def rows(
    source: Source, sign: str, start: Place, progress: Progress | None, *, quoted: bool = True, most: int = -1
) -> Iterator[tuple[int, list[str]]]:
    """The cells of each record, and the number of its first line.

    Tabs are rare in texts, and quotes are not: between tabs, a quote that closes no cell stands for itself.

    Args:
        source: the file.
        sign: the delimiter.
        start: where its first record begins.
        progress: called with how far the file is read.
        quoted: whether cells may be quoted; otherwise quotes stand for themselves, and each line is a record.
        most: how often such a line is split; its last cell holds what follows.

    Raises:
        InputError: `bad-quotes`, `line-ends`, `endless-line`, `binary-file`.

    """
    (skip, above), held = start, b""
    for chunk in chain(chunks(source, usual=CHUNK, longest=LONGEST, skip=skip, progress=progress), [b""]):
        refuse_odd(source, held, chunk, above, LONGEST)
        text = held + chunk
        lines = text_lines(text)
        if not quoted:
            split = (line.lstrip(_MARK).removesuffix("\r").split(sign, most) for line in lines)
            found, end = list(starmap(Record, enumerate(split))), len(lines)
        else:
            found, end = records(lines, sign, last=not chunk)
        for number, cells, problem in found:
            if problem is not None and sign != TAB:
                where = f"{source.name}:{above + number + 1}"
                raise InputError(problem.slug, f"{where}: {problem.problems[0]}", remedy=problem.remedy)
            yield above + number + 1, cells
        above += end
        held = text.split(b"\n", end)[-1] if end < len(lines) else b""


def refuse_odd(source: Source, held: bytes, chunk: bytes, above: int, longest: int) -> None:
    """Refuse null bytes, and records that are too long.

    Args:
        source: the file.
        held: the record that begins above the chunk.
        chunk: whole lines.
        above: how many lines stand before them.
        longest: how long a record may be.

    """
    if 0 in chunk:
        raise no_text(source, chunk, above + held.count(b"\n"))
    if len(held) >= longest or is_endless(chunk, longest):
        raise endless(source, above, longest, _UNCLOSED, "record")


def refuse_wide(source: Source, lines: Iterable[str], sign: str, above: int) -> None:
    """Refuse a line with more cells than any should have, before it takes all memory."""
    for number, line in enumerate(lines, above + 1):
        if len(line) > FIELDS and line.count(f'"{sign}' if '"' in line else sign) > FIELDS:
            raise too_wide(source, number, "record")


def _misquoted(error: csv.Error, line: str) -> InputError:
    """The error for a record that the csv module refuses."""
    line = shortened(line.strip())
    if str(error).startswith("new-line"):
        text = f"a carriage return stands within a cell: {line!r}"
        return InputError("line-ends", text, remedy="end all lines alike, in LF or CR LF")
    text = f"a quote is not closed, or a cell goes on after the quote that closes it: {line!r}"
    return InputError("bad-quotes", text, remedy='quotes that belong to a text are doubled, within quotes: "5"" nails"')
