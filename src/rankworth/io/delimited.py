"""Lines and records of text tables: their cells, in quotes as RFC 4180 says, and the numbers of their lines.

Tabs are rare in texts, and quotes are not: between tabs, a quote that does not close its cell stands for itself.
"""

import re
from collections import deque
from collections.abc import Iterator
from typing import Final

from rankworth.errors import InputError, shortened
from rankworth.io.lines import MARK, chunks, endless, is_endless, is_sep, no_text
from rankworth.io.source import Progress, Source

CHUNK: Final = 8 << 20
LONGEST: Final = 32 << 20
"""how many bytes a row may have"""
TAB: Final = "\t"
Lines = Iterator[tuple[int, str]]
"""Lines without their ends, and their numbers."""
SIGNS: Final = {"\t": "tab", ",": "comma", ";": "semicolon", "|": "vertical bar"}


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


def records(source: Source, rows: Lines, sign: str) -> Iterator[tuple[int, list[str]]]:
    """The cells of each row, and the number of its first line.

    Raises:
        InputError: `bad-quotes`, `endless-line`.

    """
    again: deque[tuple[int, str]] = deque()
    """lines that were read behind a quote which closes nothing"""
    while (first := again.popleft() if again else next(rows, None)) is not None:
        number, line = first
        held, cells, size = [first], list[list[str]](), len(line)
        is_open = _read(line, sign, cells, is_open=False)
        while is_open and size <= LONGEST and (further := again.popleft() if again else next(rows, None)) is not None:
            held.append(further)
            size += len(further[1])
            is_open = _read(further[1], sign, cells, is_open=True)
        if is_open is False:
            yield number, ["".join(parts) for parts in cells]
        elif sign == TAB:
            again.extendleft(reversed(held[1:]))
            yield number, line.removesuffix("\r").split(sign)
        elif size > LONGEST:
            remedy = "a quote may open here that is never closed; or lines do not end in LF"
            raise endless(source, number - 1, LONGEST, remedy, "row")
        else:
            text = f"{source.name}:{number}: this row has a cell that is not closed, or goes on after its closing quote"
            remedy = 'quotes that belong to a text are doubled, within quotes: "5"" nails"'
            raise InputError("bad-quotes", f"{text}: {shortened(line)}", remedy=remedy)


def cells_of(line: str, sign: str) -> list[str]:
    """The cells of one line without their quotes, as far as these are closed."""
    cells: list[list[str]] = []
    sound = _read(line, sign, cells, is_open=False) is False
    return ["".join(parts) for parts in cells] if sound else line.split(sign)


_QUOTED: Final = {sign: re.compile(rf'([^"]*+(?:""[^"]*+)*+)(?:"({re.escape(sign)}|\r?\Z)|\Z)') for sign in SIGNS}
"""the rest of a cell in quotes, and what ends it if that is in this line"""


def _read(line: str, sign: str, cells: list[list[str]], *, is_open: bool) -> bool | None:
    """Add the cells of a line to those of the lines before.

    Args:
        line: without its end.
        sign: what stands between cells.
        cells: the parts of each cell.
        is_open: whether the last cell goes on in this line.

    Returns:
        Whether the last cell goes on in the next line; None where something follows the quote that closes a cell.

    """
    if '"' not in line and not is_open:
        cells.extend([cell] for cell in line.removesuffix("\r").split(sign))
        return False
    place = 0
    while True:
        if not is_open:
            cells.append([])
        if is_open or line.startswith('"', place):
            found = _QUOTED[sign].match(line, place if is_open else place + 1)
            if found is None:
                return None
            cells[-1].append(found[1].replace('""', '"'))
            if found[2] is None:
                cells[-1].append("\n")
                return True
            place, ends = found.end(), found[2] != sign
        else:
            end = line.find(sign, place)
            ends = end < 0
            cells[-1].append(line[place:].removesuffix("\r") if ends else line[place:end])
            place = end + 1
        is_open = False
        if ends:
            return False
