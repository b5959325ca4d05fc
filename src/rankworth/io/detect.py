"""What a file holds, detected from its content: its format, whether it is a run or judgements, what nobody reads."""

import re
from pathlib import Path
from typing import Final

from rankworth.errors import InputError, quoted
from rankworth.io import looks, plain_lines, remedies
from rankworth.io.formats import BY_SUFFIX
from rankworth.io.layout import QRELS, RUN, Layout
from rankworth.io.lines import HEAD, MARK, first_line
from rankworth.io.options import Reading
from rankworth.io.score_lines import ROWS, is_ranklib, is_scores, sizes_beside
from rankworth.io.signs import MAGIC, json_form
from rankworth.io.source import Source
from rankworth.io.usual_names import OF_FILE, bare_names, is_header, is_plural

_FORM: Final = {"\t": "tsv", ",": "csv", ";": "csv", "|": "csv"}
_DELIMITERS: Final = tuple(_FORM)
_SVMLIGHT: Final = re.compile(rb"\s*\S+\s+qid:\S+(\s|$)")
"""how a line of learning to rank begins: grade and query"""
_OF_CELLS: Final = ("tsv", "csv")
_CELLS: Final = 3
"""query, document, value"""
_EVERY: Final = "*"
"""how a user says that documents stand in all other columns"""
_NUMBERS: Final = re.compile(rb"[-+]?[\d.]+[ \t,;|]+[-+]?[\d.]")
"""how a line begins with two numbers"""
_LINES: Final = ("trec", "tsv")
"""formats that are told by the number of columns"""


def format_of(source: Source, layout: Layout, reading: Reading) -> str:
    """Detect the format of a file: what the user says or its first bytes tell; TREC's where nothing tells.

    Raises:
        InputError: as `Source.open`.

    """
    suffixes = Path(source.path).suffixes[-2:]
    form = reading.format or next((BY_SUFFIX[suffix] for suffix in suffixes if suffix in BY_SUFFIX), "")
    if form not in ("", "json", *_OF_CELLS):
        return form
    head = source.head(HEAD)
    text = head.removeprefix(MARK).lstrip()
    first = first_line(text)
    has_numbers = _NUMBERS.match(first) or _EVERY in reading.columns.values()
    if has_numbers and form != "json" and (told := _of_all_lines(source, layout, reading, first)):
        return told
    if reading.format:
        return form if form != "json" else json_form(text, lambda _: False, _is_of_row, whole=len(head) < HEAD)[0]
    fits = _fits(source, layout, reading, first)
    binary = next((form for magic, form in MAGIC.items() if head.startswith(magic)), "")
    if binary and not fits:
        return binary
    if text[:1] in (b"{", b"["):
        from rankworth.io.json import is_row  # noqa: PLC0415 - not needed for the others

        is_by_file = reading.columns.get("query", "").startswith(OF_FILE)  # of which a single line may hold the list
        is_one_row = (lambda _: False) if is_by_file else is_row
        form, sure = json_form(text, is_one_row, _is_of_row, whole=len(head) < HEAD)
        return "json" if "root" in reading.columns else "trec" if fits and not sure else form
    return "trec" if fits or not first or b"\0" in head else _of_text(first, layout, reading)


def _fits(source: Source, layout: Layout, reading: Reading, first: bytes) -> bool:
    """Return whether the first line is one of TREC, and no stated column or later line contradicts it."""
    if not layout.fits(first) or _SVMLIGHT.match(first):
        return False
    cells = first.split(b"\t")
    may_be_cells = len(cells) == _CELLS and b" " in first.strip() and b" " not in cells[2].strip()
    if may_be_cells and _are_cells(source, first, layout):  # of which one has several words
        return False
    is_counted = any(map(_is_counted, reading.columns.values()))
    return not is_counted or (not reading.is_specific and not _misfit(source, layout, "trec"))


def _of_all_lines(source: Source, layout: Layout, reading: Reading, first: bytes) -> str:
    """Return the format of rows of rankers without queries, or of lines of a query and its documents; empty for others.

    Sizes of queries in a file beside it tell the one, what its lines look like or what a user says the other.
    """
    if not reading.format and layout is QRELS and sizes_beside(source.path, first):
        return "svmlight"
    if _EVERY in reading.columns.values():
        is_said = plain_lines.are_numbered_lists(source, reading.columns)
        return "lists" if is_said and (reading.format or not _fits(source, layout, reading, first)) else ""
    is_said = bool(reading.format) or any(reading.columns.values())
    return "lists" if not is_said and plain_lines.are_lists(source) else ""


def _of_text(line: bytes, layout: Layout, reading: Reading) -> str:
    """Detect the format of a text by its first line: TREC's, unless it is a header or has cells as tables have."""
    if layout is RUN and (is_scores(line) or (is_ranklib(line) and ROWS in reading.columns)):
        return "scores"
    first, counted = line.decode("utf-8", "replace"), any(map(_is_counted, reading.columns.values()))
    if _SVMLIGHT.match(first.encode()):
        return "svmlight"
    count = {delimiter: len(first.split(delimiter)) for delimiter in _DELIMITERS}
    for delimiter in _DELIMITERS:
        cells = bare_names([cell.strip().strip('"') for cell in first.split(delimiter)])
        if len(cells) > 1 and is_header(cells, reading.columns):
            return _FORM[delimiter]
    if count["\t"] == _CELLS or plain_lines.has_numbers_in_brackets(line):
        return "tsv"
    separator = reading.columns.get("separator", "")  # stands within cells, if anything else stands between them
    likely = max(_DELIMITERS, key=lambda sign: (count[sign] > 1, sign == "\t", sign != separator, count[sign]))
    if count[likely] > 1 and (counted or len(first.split()) == 1):
        return _FORM[likely]
    return "tsv" if counted and plain_lines.separator_of(first.encode()) in ("::", " ") else "trec"


def _are_cells(source: Source, line: bytes, layout: Layout) -> bool:
    """Return whether they are cells rather than words: the second word of TREC's lines is Q0, or a number.

    Raises:
        InputError: `unknown-format` for any other number than 0, which may be a part of an id.

    """
    second = line.split()[1]
    if second.decode("latin-1") in looks.SECOND:
        return False
    if not second.isdigit():
        return True
    raise InputError(
        "unknown-format",
        f"{source.name}: {quoted([line.decode('utf-8', 'replace')])} may be {len(layout.columns)} words or three cells",
        remedy=f"say which: {layout.format_option('trec', source.path)}\nor {layout.format_option('tsv', source.path)}",
    )


def _is_of_row(key: str) -> bool:
    """Return whether this is what a row calls its query, its document or its list of documents."""
    return is_header([key]) or is_plural(key, "document")


def _is_counted(column: str) -> bool:
    """Return whether a column is named by its number, or a query by several."""
    return column.removeprefix("-").replace(",", "").isdecimal()


def _misfit(source: Source, layout: Layout, form: str) -> str:
    """Return why the columns of a text do not fit a format, or an empty text."""
    seen = plain_lines.looks_of(source, " " if form == "trec" else "")
    return looks.misfit([*seen.columns.values()], layout, form)


def _has_rows_of_a_query(source: Source) -> bool:
    """Return whether the first column has another value in every row, as documents have in the file of one query."""
    first = plain_lines.looks_of(source).columns["1"]
    return first.distinct == len(first.texts) > 1


def refuse_misfit(source: Source, layout: Layout, form: str, reading: Reading) -> None:
    """Refuse a file of a format told only by its number of columns, if the contents do not fit.

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
    taken = other if form == "trec" and other.fits(first) else layout
    if form == "tsv" and source.pattern and _has_rows_of_a_query(source):
        looks_of_file = plain_lines.looks_of(source)
        text = f"{source.name}: each row would be another query, as {quoted(looks_of_file.columns['1'].texts, 3)}"
        remedy = remedies.by_file(source.pattern, looks_of_file, layout, option)
        remedy += f"\nif each row is a query all the same: {layout.format_option('tsv', source.path)}"
        raise InputError("unfit-columns", text, remedy=remedy)
    is_valued = form == "trec" or option not in remedies.PAIRS  # the time beside a pair that is excluded does no harm
    if is_valued and (reason := _misfit(source, taken, form)):
        called = "TREC's lines" if form == "trec" else "query, document and grade"
        text = f"{source.name}: this looks like a table without a header, not like {called}: {reason}"
        by_number = remedies.by_number(source.path, plain_lines.looks_of(source), layout, option)
        remedy = f"read it with: {by_number}"
        if form == "trec" and option not in remedies.PAIRS:
            remedy += f"\nif these are {called} all the same: {layout.format_option('trec', source.path)}"
        raise InputError("unfit-columns", text, remedy=remedy)
