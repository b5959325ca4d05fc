"""The first line of a text table: its delimiter, whether it is a header, and which column holds what."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

from rankworth.errors import InputError, quoted
from rankworth.io.columns import SPELLINGS, VALUES, Table, is_header, is_plural
from rankworth.io.source import Source
from rankworth.io.text import foreign
from rankworth.io.text.lines import MARK, QRELS, RUN, Layout, is_sep
from rankworth.io.text.records import QUOTES, Form, Record, is_number, misquoted, records, refuse_endless

if TYPE_CHECKING:
    from rankworth.io.reading import Reading

_HEAD: Final = 1 << 20
_QUEPID: Final = {"query text", "doc id"}
_BASIC: Final = ({"query", "docid", "rating"}, {"query", "doc_id", "rating"})
_DELIMITERS: Final[Mapping[str, str]] = {"csv": ",;|\t", "tsv": "\t", "msmarco": "\t"}
_USUAL: Final = {
    ("tsv", RUN, 3): ("query", "document", "score"),
    ("tsv", QRELS, 3): ("query", "document", "grade"),
    ("msmarco", RUN, 3): ("query", "document", "rank"),
    ("msmarco", QRELS, 3): ("query", "document", "grade"),
    ("msmarco", QRELS, 4): ("query", "subtopic", "document", "grade"),
}
"""the columns of files without a header: in which format, of what, and how many"""


class Header(NamedTuple):
    """What the beginning of a table tells."""

    form: Form
    place: int
    """where the first record begins that is no header"""
    lines: int
    """how many lines stand before it"""
    undecided: bool
    """whether the values could be ranks as well as scores"""


def read(source: Source, layout: Layout, reading: "Reading") -> Header:
    """Look at the first line that is neither blank nor a comment.

    Args:
        source: the file.
        layout: `RUN` or `QRELS`.
        reading: what the user says of it, with its format.

    Raises:
        InputError: `frame-columns`, `empty-input`, `wrong-encoding`, `binary-file`; as `Source.open`.

    """
    head = source.head(_HEAD)
    foreign.refuse(source, head)
    columns = reading.columns
    place, lines = len(MARK) if head.startswith(MARK) else 0, 0
    while place < len(head) and _says_nothing(head, place, reading.format, columns):
        place, lines = head.find(b"\n", place) + 1 or len(head), lines + 1
    if place == len(head):
        content = "there is nothing in it but comments and blank lines" if head else "there is nothing in it"
        raise InputError("empty-input", f"{source.name}: {content}, not one {layout.what}")
    delimiter, first = _first(head[place:], reading.format, columns)
    refuse_endless(source, lines, first)
    cells = [_shown(cell) for cell in first.cells]
    where = f"{source.name}:{lines + 1}"
    if first.problem:
        raise InputError("bad-quotes", f"{where}: {misquoted(first)}", remedy=QUOTES)
    if len(head) == _HEAD and b"\n" not in head[place:]:
        raise foreign.endless(
            source, lines, _HEAD, "end each record with a line break; if it is no table, say the format"
        )
    form, undecided = _form(_Beginning(where, layout, reading.format, columns, cells), delimiter)
    if form.named:
        lines += head.count(b"\n", place, place + first.end)
        place += first.end
    return Header(form, place, lines, undecided)


def names(source: Source, form: str, columns: Mapping[str, str]) -> list[str]:
    """The names of the columns of a table; their numbers, from 1, where it has no header.

    Args:
        source: the file.
        form: `csv`, `tsv` or `msmarco`.
        columns: which column holds what, as the user says.

    """
    head = source.head(_HEAD)
    place = len(MARK) if head.startswith(MARK) else 0
    while place < len(head) and _says_nothing(head, place, form, columns):
        place = head.find(b"\n", place) + 1 or len(head)
    if place == len(head):
        return []
    cells = [_shown(cell) for cell in _first(head[place:], form, columns)[1].cells]
    is_numbered = form == "msmarco" or (not is_header(cells, columns) and _is_data(cells))
    return [str(number + 1) for number in range(len(cells))] if is_numbered else cells


def ranks(source: Source, reading: "Reading") -> int | None:
    """Which column of a run holds ranks, maybe beside scores; None where none does.

    Args:
        source: the file.
        reading: as for `read`.

    """
    try:
        form = read(source, RUN, replace(reading, columns={**reading.columns, "score": ""})).form
    except InputError:
        return None
    return form.places.get("rank")


class _Beginning(NamedTuple):
    """The first line, and what is said of it."""

    where: str
    layout: Layout
    format: str
    columns: Mapping[str, str]
    cells: Sequence[str]


def _says_nothing(head: bytes, place: int, form: str, columns: Mapping[str, str]) -> bool:
    """Whether a line has no cell that says anything, or is a comment; what could be a header or a record is none."""
    line = head[place : head.find(b"\n", place) + 1 or len(head)]
    if is_sep(line):
        return True
    if not line.startswith(b"#"):
        return not line.strip(b' \t\r\n"' + _DELIMITERS[form].encode()) and line.count(b'"') % 2 == 0
    cells = [_shown(cell) for cell in _first(line, form, columns)[1].cells]
    return not is_header(cells, columns) and not _is_data(cells)


def _first(text: bytes, form: str, columns: Mapping[str, str]) -> tuple[str, Record]:
    """The delimiter that makes a header of the first record, or else most cells, and that record."""
    found = {delimiter: next(records(text, delimiter)) for delimiter in _DELIMITERS[form]}
    known = [
        delimiter
        for delimiter, record in found.items()
        if len(record.cells) > 1 and is_header([_shown(cell) for cell in record.cells], columns)
    ]
    delimiter = max(known or found, key=lambda delimiter: len(found[delimiter].cells))
    return delimiter, found[delimiter]


def _shown(cell: bytes) -> str:
    """What a cell of the first line says, without blanks around it."""
    text = cell.decode(errors="replace").strip()
    return (text[1:-1].replace('""', '"') if text.startswith('"') else text).strip()


def _is_data(cells: Sequence[str]) -> bool:
    """Whether a record reads as query, document and a number, or with one column between."""
    return any(map(is_number, cells[2:4]))


def _form(first: _Beginning, delimiter: str) -> tuple[Form, bool]:
    """How to read the records, and whether it is open what the values are."""
    _, layout, form, columns, cells = first
    counted = all(column.removeprefix("-").isdecimal() for column in columns.values() if column)
    named = is_header(cells, columns)
    if form == "msmarco" and named:
        remedy = f"leave the format out, or say --{layout.option}-format tsv"
        raise InputError("frame-columns", f"{first.where}: this is a header; MS MARCO's files have none", remedy=remedy)
    named = named or not counted or (form != "msmarco" and not columns and not _is_data(cells))
    if named and len(cells) == 1:
        raise _undivided(first)
    names = _without_empty(cells) if named else tuple(str(number + 1) for number in range(len(cells)))
    undecided = False
    if not named and not any(columns.values()):
        usual = _USUAL.get((form, layout, len(cells)))
        if not usual:
            raise _no_header(first)
        columns = {what: str(number + 1) for number, what in enumerate(usual)}
        undecided = usual[-1] == "score"
    places = {what: names.index(column) for what, column in _chosen(first, names, columns).items()}
    quepid = named and _is_quepid({name.lower() for name in names}, layout)
    return Form(delimiter, names, named, places, quepid), undecided


def _is_quepid(names: set[str], layout: Layout) -> bool:
    """Whether Quepid wrote this: a snapshot, or an export of ratings, detailed or basic."""
    return names >= _QUEPID or (layout is QRELS and names in _BASIC)


def _without_empty(cells: Sequence[str]) -> tuple[str, ...]:
    """The names of a header that ends in delimiters, as its records then do."""
    count = max((number for number, cell in enumerate(cells, 1) if cell), default=0)
    return tuple(cells[:count])


def _undivided(first: _Beginning) -> InputError:
    """The error for a first line that has no delimiter."""
    signs = "tab" if first.format == "tsv" else "comma, semicolon, vertical bar or tab"
    text = f"{first.where}: there is no {signs} in this line: {quoted(first.cells)}"
    return InputError("frame-columns", text, remedy="leave the format out to have it told from the content")


def _no_header(first: _Beginning) -> InputError:
    """The error for a file of which nothing tells the columns."""
    where, layout, form, _, cells = first
    said = f"--columns query=1 document=2 {layout.value}=3"
    shown = quoted(cells, 8)
    if form == "msmarco":
        usual = [" ".join(names) for (kind, what, _), names in _USUAL.items() if (kind, what) == (form, layout)]
        text = f"{where}: MS MARCO's columns are {' or '.join(usual)}; this line has {len(cells)}: {shown}"
        return InputError(layout.slug, text, remedy=f"count the columns: --{layout.option}-format tsv {said}")
    text = f"{where}: this is no header, and nothing tells what the columns are: {shown}"
    return InputError("frame-columns", text, remedy=f"put the names of the columns above, or count them: {said}")


def _chosen(first: _Beginning, names: Sequence[str], columns: Mapping[str, str]) -> dict[str, str]:
    """Which column holds what, with every one that is needed."""
    where, layout, value = first.where, first.layout, first.layout.value
    table = Table(value, where, columns, tuple(names), first=1)
    table.check_said()
    _check_once(table)
    found = table.chosen()
    for what, column in found.items():
        if is_plural(column, what):
            raise table.missing((what,), f"{quoted([column])} holds no lists; ")
    if layout is RUN and set(VALUES["score"]).isdisjoint(found):
        raise table.missing(VALUES["score"])
    if layout is QRELS and "grade" not in found and len(found) < len(names) and columns.get("grade") != "":
        raise table.missing(VALUES["grade"], more=f"\nif none tells grades, say so: {table.said('grade', '')}")
    return found


def _check_once(table: Table) -> None:
    """Refuse columns of one name where they could hold something that counts."""
    known = {
        *table.columns.values(),
        *(name for what in ("query", "document", table.value) for name in SPELLINGS[what]),
    }
    names = table.names
    twice = [name for name in names if names.count(name) > 1 and (name in known or name.lower() in known)]
    if twice:
        raise table.repeated(twice)
