"""Lines without a header as columns: what stands between their cells, and what the columns look like."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from rankworth.io.grade_words import usual_grades
from rankworth.io.lines import HEAD, beginning, first_line
from rankworth.io.looks import SECOND, Looks, has_header, of_cells
from rankworth.io.source import Source
from rankworth.io.usual_names import is_header

_WORDS: Final = 6
"""in lines of TREC's, at most"""
_NUMBER: Final = re.compile(rb"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")

_BRACKETS: Final = re.compile(rb"[^\s,\[\]]+[ \t]+\[ *[-+.eE\d]+(?: *, *[-+.eE\d]+)* *\]")


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


def has_numbers_in_brackets(line: bytes) -> bool:
    """Return whether a line is a query and a list of numbers in brackets, as the impressions of MIND have it.

    >>> has_numbers_in_brackets(b"1 [0,1,0]"), has_numbers_in_brackets(b"1 [d2,d1]")
    (True, False)
    """
    return _BRACKETS.fullmatch(line.strip()) is not None


def list_separator(line: bytes) -> str:
    """Return what separates a query and its documents in a line.

    >>> list_separator(b"7, spotify:track:1, spotify:track:2"), list_separator(b"0 10 11")
    (',', ' ')
    """
    return next((sign for sign in ("\t", ",", ";", "|") if sign.encode() in line.strip()), " ")


def are_lists(source: Source) -> bool:
    """Return whether each line of a text holds a query and its documents, as many as it has: whole numbers.

    Lines of which one or two are shorter than all others are a damaged table rather, and so are those with 0 in the
    second column.

    Args:
        source: the text.

    Raises:
        InputError: as `Source.open`.

    """
    first = first_line(source.head(HEAD))
    if not all(map(bytes.isdigit, _cells_of(first, list_separator(first)))):
        return False
    rows = _rows(source)
    if not _have_queries(rows) or not all(cell.isdigit() for row in rows for cell in row):
        return False
    if all(row[1:2] in ([b"0"], []) for row in rows):
        return False
    widths = Counter(map(len, rows))
    return len(widths) > 1 and (max(widths) > _WORDS or 4 * max(widths.values()) <= 3 * len(rows))


def may_be_lists(source: Source, *, ragged: bool = False) -> bool:
    """Return whether lines of a text may hold a query and its documents: no query twice, nothing like a value or JSON.

    Args:
        source: the text.
        ragged: whether lines of one length do not count.

    Raises:
        InputError: as `Source.open`.

    """
    rows = _rows(source)
    is_json = any(row[0].startswith((b"{", b"[")) for row in rows)
    if is_json or not _have_queries(rows) or _begin_with_names(rows):
        return False
    if {row[1].decode("latin-1") for row in rows if len(row) > 1} <= {*SECOND}:
        return False
    last = [row[-1] for row in rows if len(row) == max(map(len, rows))]
    is_text = not any(map(_NUMBER.fullmatch, last)) and 2 * len({*last}) > len(last)
    is_scale = bool(usual_grades(cell.decode(errors="replace") for cell in last))
    return (is_text and not is_scale and not ragged) or len({*map(len, rows)}) > 1


def are_numbered_lists(source: Source, columns: Mapping[str, str]) -> bool:
    """Return whether lines without a header hold a query and, as `document=*` says, documents everywhere else.

    Args:
        source: the text.
        columns: which column holds what, as the user says.

    Raises:
        InputError: as `Source.open`.

    """
    if "*" not in (columns.get("document"), columns.get("documents")) or not columns.get("query", "1").isdecimal():
        return False
    rows = _rows(source)
    return bool(rows) and not _begin_with_names(rows)


def _begin_with_names(rows: Sequence[Sequence[bytes]]) -> bool:
    """Return whether the first row is a header."""
    texts = [[cell.decode(errors="replace").strip('"') for cell in row] for row in rows]
    return has_header(texts[0], texts[1:]) or is_header(texts[0])


def _rows(source: Source) -> list[list[bytes]]:
    """Return the cells of the first lines, without those of blank lines and comments."""
    head = source.head(HEAD)
    lines = head[beginning(head)[0] :].split(b"\n")[: -1 if len(head) == HEAD else None]
    separator = list_separator(first_line(head))
    return [cells for line in lines if not line.startswith(b"#") and (cells := _cells_of(line, separator))]


def _cells_of(line: bytes, separator: str) -> list[bytes]:
    """Return the cells of a line without blanks around them, as lines of lists have them."""
    cells = line.split() if separator == " " else [cell.strip() for cell in line.split(separator.encode())]
    return [cell for cell in cells if cell]


def _have_queries(rows: Sequence[Sequence[bytes]]) -> bool:
    """Return whether several lines begin with a different cell each, and some of them go on."""
    return len({row[0] for row in rows}) == len(rows) > 1 and any(len(row) > 1 for row in rows)


def looks_of(source: Source, separator: str = "") -> Looks:
    """Return the looks of the first lines of a text that have the length of the first one.

    Args:
        source: the text.
        separator: what stands between cells; what the first line tells where empty.

    Raises:
        InputError: as `Source.open`.

    """
    head = source.head(HEAD)
    lines = head[beginning(head)[0] :].split(b"\n")
    lines = lines[:-1] if len(head) == HEAD and len(lines) > 1 else lines
    separator = separator or separator_of(first_line(head))
    rows = [split(line, separator) for line in lines if line.strip() and not line.lstrip().startswith(b"#")]
    columns = of_cells(rows, len(rows[0])) if rows else []
    names = tuple(str(column.number) for column in columns)
    seen = dict(zip(names, columns, strict=True))
    return Looks(source.name, names, first=1, is_named=False, columns=seen, separator=separator)
