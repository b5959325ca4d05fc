"""Records of CSV by the csv module of Python, each with its line: those in which quotes stand for themselves, too."""

import csv
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Final

from rankworth.errors import InputError, shortened
from rankworth.io.text_lines import FIELDS, Record

LONGEST: Final = 32 << 20
"""how many bytes a record may have"""
MARK: Final = "\ufeff"
"""a byte order mark"""


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
            text, begins = line.removeprefix(MARK) if begins else line, False
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
