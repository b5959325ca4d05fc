"""A sheet for the terminal: aligned columns that fit the width; what does not fit goes below, and nothing is cut."""

import sys
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import compress, pairwise

from rankworth.tables.columns import Column, Sheet
from rankworth.tables.look import Look, best_rows, visible

_GAP = "  "
_RULE = " │ "
"""what stands between two lists side by side"""
_LEAST_LABEL = 12
_COMMAND = "  "
"""with which a note begins that is to be copied, and not folded"""


@dataclass(frozen=True)
class _Strip:
    """A column ready to be set: the lines of the heading and of each cell."""

    heading: list[str]
    cells: list[list[str]]
    right: bool
    bold: frozenset[int]
    width: int
    apart: bool


def table(sheet: Sheet, look: Look) -> str:
    """Write the sheet as aligned text, in several blocks where the columns need more than the width.

    What names a row stands on the left of every block and takes half of the width: texts, and a number before them.
    Long texts are folded, numbers never. A second list stands beside the first, or has blocks of its own.
    """
    labels, numeric = _parted(sheet.columns)
    numbers = [_strip(column, look, look.width) for column in numeric]
    widest = max((strip.width for strip in numbers), default=0)
    gaps = len(_GAP) * (len(labels) - (not numbers))
    room = min(look.width // 2 if numbers else look.width, look.width - widest - gaps)
    left = _labels(labels, look, room)
    blocks = [_bold(visible(sheet.title), look)] if sheet.title else []
    blocks += [_paragraph(visible(text), look.width) for text in sheet.lead]
    parts = ["\n".join(blocks)] if blocks else []
    parts += ["\n".join(_lines(block, look)) for block in _blocks(left, numbers, look.width) if block]
    notes = [
        visible(note) if note.startswith(_COMMAND) else _paragraph(visible(note), look.width)
        for note in (*sheet.legend, *sheet.notes, *sheet.defects)
    ]
    notes += [visible(sheet.comment)] if sheet.comment else []
    return "\n\n".join([*parts, "\n".join(notes)] if notes else parts) + "\n"


def _parted(columns: Sequence[Column]) -> tuple[list[Column], list[Column]]:
    """Separate the columns that name a row from the others; without a text, the first number is the name."""
    first = next((index for index, column in enumerate(columns) if column.kind == "text"), 0)
    named = [index <= first or column.kind == "text" for index, column in enumerate(columns)]
    return list(compress(columns, named)), [column for column, name in zip(columns, named, strict=True) if not name]


def _bold(text: str, look: Look) -> str:
    return f"\x1b[1m{text}\x1b[0m" if look.bold else text


def _paragraph(text: str, width: int) -> str:
    return textwrap.fill(text, width, break_long_words=False, break_on_hyphens=False)


def _labels(columns: Sequence[Column], look: Look, room: int) -> list[_Strip]:
    """Fit text columns into their room; short ones take their width, long ones share the rest."""
    set_free = [_strip(column, look, sys.maxsize) for column in columns]
    limits: dict[int, int] = {}
    for index in sorted(range(len(columns)), key=lambda index: set_free[index].width):
        share = (room - sum(limits.values())) // (len(columns) - len(limits))
        limits[index] = min(set_free[index].width, max(_LEAST_LABEL, share))
    return [_strip(column, look, limits[index]) for index, column in enumerate(columns)]


def _strip(column: Column, look: Look, limit: int) -> _Strip:
    texts = look.cells(column)
    bold = best_rows(column, texts)
    if column.kind == "text":
        cells = [[*_folded(text, limit), *filter(None, [column.under])] for text in texts]
    elif any(column.marks):
        marks = [visible(mark) for mark in column.marks]
        room = max(map(cell_width, marks))
        behind = (f" {mark}{' ' * (room - cell_width(mark))}" for mark in marks)
        cells = [[text + mark] for text, mark in zip(texts, behind, strict=True)]
    elif column.bounds:
        ends = [f"{low}…{high}" if low or high else "" for low, high in look.bounds(column)]
        cells = [[text, *filter(None, [end])] for text, end in zip(texts, ends, strict=True)]
    else:
        cells = [[text] for text in texts]
    heading = _folded(visible(column.name), limit)
    width = max(cell_width(line) for lines in (heading, *cells) for line in lines)
    return _Strip(heading, cells, column.kind != "text", bold, width, column.apart)


def _blocks(left: list[_Strip], numbers: list[_Strip], width: int) -> Iterator[list[_Strip]]:
    """Put as many columns side by side as the width holds, and at least one; a second list apart, unless all fit."""
    second = [replace(strip, apart=False) for strip in numbers if strip.apart]
    if second and _total([*left, *numbers]) > width:
        yield from _blocks(left, [strip for strip in numbers if not strip.apart], width)
        yield from _blocks([strip for strip in left if strip.right], second, width)
        return
    block = list(left)
    for strip in numbers:
        if len(block) > len(left) and _total([*block, strip]) > width:
            yield block
            block = list(left)
        block.append(strip)
    yield block


def _gaps(block: Sequence[_Strip]) -> list[str]:
    """Return the gap before each column: a rule where the second list begins beside the first."""
    return ["", *(_RULE if after.apart and not before.apart else _GAP for before, after in pairwise(block))]


def _total(block: Sequence[_Strip]) -> int:
    return sum(strip.width for strip in block) + sum(map(len, _gaps(block)))


def _lines(block: Sequence[_Strip], look: Look) -> Iterator[str]:
    tall = max(len(strip.heading) for strip in block)
    headings = [[""] * (tall - len(strip.heading)) + strip.heading for strip in block]
    yield from _row(block, headings, None, look)
    gaps = [gap.replace(" ", "─").replace("│", "┼") for gap in _gaps(block)]
    yield "".join(gap + "─" * strip.width for gap, strip in zip(gaps, block, strict=True))
    for row in range(len(block[0].cells)):
        yield from _row(block, [strip.cells[row] for strip in block], row, look)


def _row(block: Sequence[_Strip], cells: Sequence[list[str]], row: int | None, look: Look) -> Iterator[str]:
    for line in range(max(map(len, cells))):
        parts = []
        for strip, lines in zip(block, cells, strict=True):
            text = lines[line] if line < len(lines) else ""
            padding = " " * (strip.width - cell_width(text))
            if row in strip.bold and not line:
                text = _bold(text, look)
            parts.append(padding + text if strip.right else text + padding)
        yield "".join(gap + part for gap, part in zip(_gaps(block), parts, strict=True)).rstrip()


def cell_width(text: str) -> int:
    """Count the cells that a text takes in a terminal."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len  # noqa: PLC0415 - most tables do without

    return cell_len(text)


def _folded(text: str, width: int) -> list[str]:
    """Fold a text to lines of a width, broken behind a blank where there is one in the second half of a line."""
    if cell_width(text) <= width:
        return [text]
    from rich.cells import chop_cells  # noqa: PLC0415 - most tables do without

    if " " not in text:
        return chop_cells(text, width)
    lines = []
    while text:
        line = next(iter(chop_cells(text, width)))
        blank = line.rfind(" ") + 1
        if len(line) < len(text) and blank > len(line) // 2:
            line = line[:blank]
        lines.append(line)
        text = text[len(line) :]
    return lines
