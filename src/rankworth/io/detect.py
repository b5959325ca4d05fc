"""What a file holds, detected from its content: its format, whether it is a run or judgements, what nobody reads."""

from pathlib import Path
from typing import Final

from rankworth.errors import InputError, quoted
from rankworth.io import headerless
from rankworth.io.columns import bare_names, is_counted, is_header, is_plural
from rankworth.io.layout import RUN, Layout
from rankworth.io.lines import HEAD, MARK, first_line
from rankworth.io.options import Reading
from rankworth.io.score_lines import ROWS, is_ranklib, is_scores
from rankworth.io.signs import MAGIC, json_form
from rankworth.io.source import Source

_FORM: Final = {"\t": "tsv", ",": "csv", ";": "csv", "|": "csv"}
_DELIMITERS: Final = tuple(_FORM)
_BY_SUFFIX: Final = ("ivecs", "fvecs")
"""formats that nothing but the suffix tells: a length, and as many numbers"""


def format_of(source: Source, layout: Layout, reading: Reading) -> str:
    """Detect the format of a file: what the user says or its first bytes tell; TREC's where nothing tells.

    Raises:
        InputError: as `Source.open`.

    """
    suffixes = Path(source.path).suffixes[-2:]
    form = reading.format or next((form for form in _BY_SUFFIX if f".{form}" in suffixes), "")
    if form not in ("", "json"):
        return form
    head = source.head(HEAD)
    text = head.removeprefix(MARK).lstrip()
    if reading.format:
        return json_form(text, lambda _: False, _is_of_row, whole=len(head) < HEAD)[0]
    first = first_line(text)
    fits = layout.fits(first) and not headerless.SVMLIGHT.match(first)
    if fits and _may_be_cells(first):
        fits = not _are_cells(source, first, layout)
    counted = any(map(is_counted, reading.columns.values()))
    if fits and counted:
        fits = not headerless.FirstLines.of(source).misfit(layout, "trec")
    binary = next((form for magic, form in MAGIC.items() if head.startswith(magic)), "")
    if binary and not fits:
        return binary
    if text[:1] in (b"{", b"["):
        from rankworth.io.json import is_row  # noqa: PLC0415 - not needed for the others

        form, sure = json_form(text, is_row, _is_of_row, whole=len(head) < HEAD)
        return "json" if "root" in reading.columns else "trec" if fits and not sure else form
    if fits or not first or b"\0" in head:
        return "trec"
    are_scores = layout is RUN and (is_scores(first) or (is_ranklib(first) and ROWS in reading.columns))
    return "scores" if are_scores else _of_table(first.decode("utf-8", "replace"), reading, counted=counted)


def _of_table(first: str, reading: Reading, *, counted: bool) -> str:
    """Detect the format of a text by its first line: TREC's, unless it is a header or has cells as tables have."""
    if headerless.SVMLIGHT.match(first.encode()):
        return "svmlight"
    count = {delimiter: len(first.split(delimiter)) for delimiter in _DELIMITERS}
    for delimiter in _DELIMITERS:
        cells = bare_names([cell.strip().strip('"') for cell in first.split(delimiter)])
        if len(cells) > 1 and is_header(cells, reading.columns):
            return _FORM[delimiter]
    if count["\t"] == 3:  # noqa: PLR2004 - query document value
        return "tsv"
    likely = max(_DELIMITERS, key=lambda delimiter: count[delimiter])
    if count[likely] > 1 and (counted or (len(first.split()) == 1 and count[likely] > 2)):  # noqa: PLR2004 - as above
        return _FORM[likely]
    return "tsv" if counted and headerless.separator_of(first.encode()) in ("::", " ") else "trec"


def _may_be_cells(line: bytes) -> bool:
    """Return whether what has as many words as a line of TREC's has three cells, of which one holds several words."""
    cells = [cell.strip() for cell in line.split(b"\t")]
    return len(cells) == 3 and b" " in line and b" " not in cells[2]  # noqa: PLR2004 - query document value


def _are_cells(source: Source, line: bytes, layout: Layout) -> bool:
    """Return whether they are cells rather than words: the second word of TREC's lines is Q0, or a number.

    Raises:
        InputError: `unknown-format` for any other number than 0, which may be a part of an id.

    """
    second = line.split()[1]
    if second.decode("latin-1") in headerless.SECOND:
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
