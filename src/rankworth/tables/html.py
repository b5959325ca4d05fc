"""Sheets as static HTML: a fragment that a notebook takes in, and a document of its own.

No script, no class and no id; every style stands where it applies, so nothing leaks into the page around a fragment.
What people wrote is escaped and decides its own direction; `dir="auto"` stands on the very element that holds a text,
since it does not look into a `<bdi>`. Light or dark is the reader's choice, and the fragment brings its background
along: the page around it may have chosen otherwise.
"""

from collections.abc import Iterator, Sequence
from html import escape
from typing import Final

from rankworth.tables.columns import Column, Sheet
from rankworth.tables.look import Look, Markup, visible

_UNTITLED: Final = "Values by rankworth"
_LONG: Final = 24
"""letters from which a heading may be broken anywhere"""
_PAPER: Final = "color:light-dark(#1b1f24,#e6e8eb);background:light-dark(#fff,#14171c)"
_FAINT: Final = "color:light-dark(#57606a,#a0a8b4)"
_ALARM: Final = "color:light-dark(#b34700,#e69f00)"
_RULE: Final = "1px solid light-dark(#d0d7de,#3a424d)"
_BODY: Final = (
    "font:14px/1.45 system-ui,'Noto Sans','Noto Naskh Arabic','Noto Sans Hebrew',sans-serif;"
    "text-align:start;overflow-wrap:anywhere"
)
_TABLE: Final = (
    "border-collapse:collapse;border:0;margin:0;font-size:inherit;color:inherit;font-variant-numeric:tabular-nums"
)
_ROW: Final = "background:none"
_CELL: Final = "padding:.2em .7em;border:0;vertical-align:top;font-weight:inherit"
_TEXT: Final = f"{_CELL};text-align:start;min-width:5em;max-width:40em;white-space:pre-wrap;overflow-wrap:anywhere"
_NUMBER: Final = f"{_CELL};text-align:right;white-space:nowrap"
_CAPTION: Final = "display:block;margin:0;color:inherit;text-align:start"
_LINE: Final = "display:block;margin:.4em 0;width:fit-content;max-width:60em"
_HEADING: Final = (
    f"padding:.2em .7em;border:0;border-bottom:{_RULE};vertical-align:bottom;font-weight:600;max-width:16em"
)

_PAGE: Final = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; \
form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark }}
@media print {{ :root {{ color-scheme: light }} tr {{ break-inside: avoid }} }}
</style>
</head>
<body style="margin:0;{paper}">
<main style="padding:1.5em;{text}">
{body}
</main>
</body>
</html>
"""


def fragment(sheets: Sequence[Sheet], look: Look) -> str:
    """Sheets as one element for a page that somebody else made.

    Args:
        sheets: what is to be shown.
        look: digits and percent.

    """
    inside = "\n".join(_sheet(sheet, look) for sheet in sheets)
    return f'<div dir="ltr" style="color-scheme:light dark;padding:.5em;{_PAPER};{_BODY}">\n{inside}\n</div>\n'


def page(sheets: Sequence[Sheet], look: Look, title: str = "") -> str:
    """Sheets as a whole document, which loads nothing and prints on white.

    Args:
        sheets: what is to be shown.
        look: digits and percent.
        title: what the document is about; the title of the first sheet where not said.

    """
    title = title or next((sheet.title for sheet in sheets if sheet.title), _UNTITLED)
    parts = [f'<h1 dir="auto" style="margin:0 0 .7em;font-size:1.4em">{_escaped(title)}</h1>']
    parts += [_sheet(sheet, look, above=title) for sheet in sheets]
    return _PAGE.format(title=_escaped(title), paper=_PAPER, text=_BODY, body="\n".join(parts))


def _sheet(sheet: Sheet, look: Look, above: str = "") -> str:
    """One sheet, with its title unless it stands above already."""
    title = [_line(sheet.title, "font-weight:600")] if sheet.title and sheet.title != above else []
    lines = [*title, *(_line(text) for text in sheet.lead)]
    parts = [f'<figcaption style="{_CAPTION}">{"".join(lines)}</figcaption>'] if lines else []
    if sheet.columns:
        name = _escaped(sheet.title or "table")
        parts.append(f'<div role="group" aria-label="{name}" tabindex="0" style="overflow-x:auto">')
        parts += [f'<table style="{_TABLE}">', *_rows(sheet, look), "</table>", "</div>"]
    parts += [_line(note, _FAINT) for note in sheet.notes]
    parts += [_line(defect, _ALARM) for defect in sheet.defects]
    parts += [_line(sheet.comment, f"{_FAINT};font-size:.8em")] if sheet.comment else []
    return "\n".join(['<figure style="margin:0 0 1.2em">', *parts, "</figure>"])


def _rows(sheet: Sheet, look: Look) -> Iterator[str]:
    """The heading and the rows; what stands in the first column names its row."""
    yield f'<thead><tr style="{_ROW}">{"".join(map(_heading, sheet.columns))}</tr></thead>'
    yield "<tbody>"
    columns = [_cells(column, look, first=not place) for place, column in enumerate(sheet.columns)]
    for cells in zip(*columns, strict=True):
        yield f'<tr style="{_ROW}">{"".join(cells)}</tr>'
    yield "</tbody>"


def _heading(column: Column) -> str:
    if not column.name:
        return f'<td style="{_HEADING}"></td>'
    side = "start" if column.kind == "text" else "right"
    folds = "anywhere" if len(column.name) > _LONG else "normal"
    style = f"{_HEADING};text-align:{side};overflow-wrap:{folds}"
    return f'<th scope="col" dir="auto" style="{style}">{_escaped(column.name)}</th>'


def _cells(column: Column, look: Look, *, first: bool) -> list[str]:
    """The cells of a column, with their tags."""
    style = f'dir="auto" style="{_TEXT}"' if column.kind == "text" else f'style="{_NUMBER}"'
    names_row = f'<th scope="row" {style}>{{}}</th>'
    plain = f"<td {style}>{{}}</td>"
    return [(names_row if first and text else plain).format(text) for text in _MARKUP.cells(column, look)]


def _line(text: str, style: str = "") -> str:
    """A line of text that decides its own direction."""
    return f'<p dir="auto" style="{_LINE};{style}">{_escaped(text)}</p>'


def _escaped(text: str) -> str:
    return escape(visible(text))


_MARKUP: Final = Markup(
    _escaped, "<b>{}</b>", "<u>{}</u>", "<sup>{}</sup>", f'<br><small style="{_FAINT}">{{}}…{{}}</small>'
)
