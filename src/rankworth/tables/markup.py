"""Sheets for documents: Markdown tables for GitHub, LaTeX tables with booktabs, static HTML.

HTML has no script, no class and no id; every style stands where it applies, so nothing leaks into the page around a
fragment. What people wrote is escaped and decides its own direction; `dir="auto"` stands on the very element that holds
a text, since it does not look into a `<bdi>`. Light or dark is the reader's choice, and the fragment brings its
background along: the page around it may have chosen otherwise.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from typing import Final

from rankworth.tables.columns import Column, Sheet
from rankworth.tables.look import ZERO_WIDTH, Look, best_rows, second_rows, unlinked, visible, visible_sentence

_MARKDOWN: Final = re.compile(r"([\\`*_\[\]<>|~&$])")
_BREAK: Final = "&#8203;"
"""a blank of no width, which the source of a document shows"""
_LIST_OR_HEADING: Final = re.compile(r"^(\d*)([-+=#.)])")
_LATEX: Final = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        "†": r"\textdagger{}",
        "‡": r"\textdaggerdbl{}",
    }
    | {character: f"\\{character}" for character in "&%$#_{}"}
)
_UNTITLED: Final = "Values by rankworth"
_LONG: Final = 24
"""letters from which a heading may be broken anywhere"""
_PAPER: Final = "color:light-dark(#1b1f24,#e8ebef);background:light-dark(#fff,#14171c)"
_FAINT: Final = "color:light-dark(#59616b,#a9b1bb)"
_ALARM: Final = "color:light-dark(#b34700,#e69f00)"
_RULE: Final = "1px solid light-dark(#e1e5ea,#343a42)"
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
_EDGES: Final = f"padding:.2em .7em;border:0;border-bottom:{_RULE}"
_SECOND: Final = f";border-left:{_RULE}"
"""where a second list begins beside the first"""
_HEADING: Final = f"{_EDGES};vertical-align:bottom;font-weight:600;max-width:16em"

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


@dataclass(frozen=True)
class Markup:
    """How a form of text marks cells: patterns with {} for what they mark.

    Attributes:
        escape: makes text safe in the form.
        best: of the best values of a column.
        second: of the second best values.
        mark: of what stands raised behind a value.
        bounds: of an interval behind a value.

    """

    escape: Callable[[str], str]
    best: str
    second: str
    mark: str
    bounds: str

    def cells(self, column: Column, look: Look) -> list[str]:
        """Write the cells of a column: best values emphasised, with marks and bounds."""
        texts = look.cells(column)
        best, second = best_rows(column, texts), second_rows(column, texts)
        marked = []
        for row, text in enumerate(map(self.escape, texts)):
            style = self.best if row in best else self.second if row in second else "{}"
            mark = column.marks[row].strip() if any(column.marks) else ""
            marked.append(style.format(text) + (self.mark.format(self.escape(mark)) if mark else ""))
        if column.bounds:
            bounds = [self.bounds.format(*map(self.escape, pair)) if any(pair) else "" for pair in look.bounds(column)]
            return [cell + bound for cell, bound in zip(marked, bounds, strict=True)]
        return marked


def markdown(sheet: Sheet, look: Look) -> str:
    """Write a Markdown table: best values bold, title and notes around it, the comment only in the source."""
    parts = [f"**{_markdown_text(sheet.title.strip())}**"] if sheet.title else []
    parts += [_markdown_paragraph(text) for text in sheet.lead]
    if sheet.columns:
        columns = [[_markdown_text(column.name), *_IN_MARKDOWN.cells(column, look)] for column in sheet.columns]
        rows = [f"| {' | '.join(row)} |" for row in zip(*columns, strict=True)]
        rule = "|" + "|".join(":--" if column.kind == "text" else "--:" for column in sheet.columns) + "|"
        parts.append("\n".join([rows[0], rule, *rows[1:]]))
    parts += [_markdown_paragraph(text) for text in (*sheet.legend, *sheet.notes, *sheet.defects)]
    parts += [f"<!-- {visible(sheet.comment).replace('--', '- -')} -->"] if sheet.comment else []
    return "\n\n".join(parts) + "\n"


def latex(sheet: Sheet, look: Look) -> str:
    """Write a LaTeX tabular for the booktabs package: best values bold, the legend as its last row, notes as comments.

    With a caption or a label it stands in a table of its own.
    """
    lines = [f"% {visible(text)}" for text in (sheet.title, *sheet.lead) if text]
    remarks = [f"% {visible(note)}" for note in (*sheet.notes, *sheet.defects, sheet.comment) if note]
    return "\n".join([*lines, *(_latex_table(sheet, look) if sheet.columns else ()), *remarks, ""])


def _latex_table(sheet: Sheet, look: Look) -> list[str]:
    columns = [_IN_LATEX.cells(column, look) for column in sheet.columns]
    caption = rf"\caption{{{_latex_text(look.caption or sheet.title)}}}"
    label = [rf"\label{{{look.label}}}"] if look.label else []
    is_float = bool(look.caption or look.label)
    alignment = "".join("l" if column.kind == "text" else "r" for column in sheet.columns)
    rows = [" & ".join(row) for row in zip(*columns, strict=True)]
    return [
        r"% \usepackage{booktabs}",
        *([r"\begin{table}", r"\centering", caption, *label] if is_float else ()),
        rf"\begin{{tabular}}{{{alignment}}}",
        r"\toprule",
        " & ".join(_latex_text(column.name) for column in sheet.columns) + r" \\",
        r"\midrule",
        *(f"{'{}' if row.startswith(('[', '*')) else ''}{row} \\\\" for row in rows),  # not arguments of the line above
        r"\bottomrule",
        *(rf"\multicolumn{{{len(columns)}}}{{l}}{{\footnotesize {_latex_text(text)}}} \\" for text in sheet.legend),
        r"\end{tabular}",
        *([r"\end{table}"] if is_float else ()),
    ]


def _markdown_paragraph(text: str) -> str:
    """Write text that starts no list, no heading and no block of code."""
    return _LIST_OR_HEADING.sub(r"\1\\\2", _escaped_in_markdown(visible_sentence(text.strip())))


def _markdown_text(text: str) -> str:
    return _escaped_in_markdown(visible(text))


def _escaped_in_markdown(text: str) -> str:
    """Escape the characters with a meaning in Markdown, and texts that its pages make a link or a call."""
    return _MARKDOWN.sub(r"\\\1", unlinked(text)).replace(ZERO_WIDTH, _BREAK)


def _latex_text(text: str) -> str:
    return visible(text).translate(_LATEX).replace("--", "-{}-")


def fragment(sheets: Sequence[Sheet], look: Look) -> str:
    """Write sheets as one element for a page that somebody else made.

    Args:
        sheets: what is to be shown.
        look: digits and percent.

    """
    inside = "\n".join(_figure(sheet, look) for sheet in sheets)
    return f'<div dir="ltr" style="color-scheme:light dark;padding:.5em;{_PAPER};{_BODY}">\n{inside}\n</div>\n'


def page(sheets: Sequence[Sheet], look: Look, title: str = "") -> str:
    """Write sheets as a whole document, which loads nothing and prints on white.

    Args:
        sheets: what is to be shown.
        look: digits and percent.
        title: what the document is about; the title of the first sheet where not said.

    """
    title = title or next((sheet.title for sheet in sheets if sheet.title), _UNTITLED)
    parts = [f'<h1 dir="auto" style="margin:0 0 .7em;font-size:1.4em">{_escaped(title)}</h1>']
    parts += [_figure(sheet, look, above=title) for sheet in sheets]
    return _PAGE.format(title=_escaped(title), paper=_PAPER, text=_BODY, body="\n".join(parts))


def _figure(sheet: Sheet, look: Look, above: str = "") -> str:
    """Write one sheet, with its title unless it stands above already."""
    title = [_paragraph(sheet.title, "font-weight:600")] if sheet.title and sheet.title != above else []
    lines = [*title, *(_paragraph(text) for text in sheet.lead)]
    parts = [f'<figcaption style="{_CAPTION}">{"".join(lines)}</figcaption>'] if lines else []
    if sheet.columns:
        name = _escaped(sheet.title or "table")
        parts.append(f'<div role="group" aria-label="{name}" tabindex="0" style="overflow-x:auto">')
        parts += [f'<table style="{_TABLE}">', *_html_rows(sheet, look), "</table>", "</div>"]
    parts += [_paragraph(note, _FAINT) for note in (*sheet.legend, *sheet.notes)]
    parts += [_paragraph(defect, _ALARM) for defect in sheet.defects]
    parts += [_paragraph(sheet.comment, f"{_FAINT};font-size:.8em")] if sheet.comment else []
    return "\n".join(['<figure style="margin:0 0 1.2em">', *parts, "</figure>"])


def _html_rows(sheet: Sheet, look: Look) -> Iterator[str]:
    """Yield the heading and the rows; the first column names its row."""
    is_apart = [False, *(column.apart for column in sheet.columns)]
    rules = [_SECOND if after and not before else "" for before, after in pairwise(is_apart)]
    yield f'<thead><tr style="{_ROW}">{"".join(map(_heading, sheet.columns, rules))}</tr></thead>'
    yield "<tbody>"
    columns = [
        _html_cells(column, look, rule, first=not index)
        for index, (column, rule) in enumerate(zip(sheet.columns, rules, strict=True))
    ]
    for cells in zip(*columns, strict=True):
        yield f'<tr style="{_ROW}">{"".join(cells)}</tr>'
    yield "</tbody>"


def _heading(column: Column, rule: str) -> str:
    if not column.name:
        return f'<td style="{_HEADING}{rule}"></td>'
    side = "start" if column.kind == "text" else "right"
    folds = "anywhere" if len(column.name) > _LONG else "normal"
    style = f"{_HEADING};text-align:{side};overflow-wrap:{folds}{rule}"
    return f'<th scope="col" dir="auto" style="{style}">{_escaped(column.name)}</th>'


def _html_cells(column: Column, look: Look, rule: str, *, first: bool) -> list[str]:
    """Write the cells of a column, with their tags."""
    style = f'dir="auto" style="{_TEXT}{rule}"' if column.kind == "text" else f'style="{_NUMBER}{rule}"'
    names_row, plain = f'<th scope="row" {style}>{{}}</th>', f"<td {style}>{{}}</td>"
    return [(names_row if first and text else plain).format(text) for text in _IN_HTML.cells(column, look)]


def _paragraph(text: str, style: str = "") -> str:
    """Write a line of text that decides its own direction."""
    return f'<p dir="auto" style="{_LINE};{style}">{escape(visible_sentence(text))}</p>'


def _escaped(text: str) -> str:
    return escape(visible(text))


_IN_MARKDOWN: Final = Markup(_markdown_text, "**{}**", "{}", "<sup>{}</sup>", " ({}…{})")
_IN_LATEX: Final = Markup(
    _latex_text, r"\textbf{{{}}}", r"\underline{{{}}}", r"\textsuperscript{{{}}}", r" {{\scriptsize [{}, {}]}}"
)
_IN_HTML: Final = Markup(
    _escaped, "<b>{}</b>", "<u>{}</u>", "<sup>{}</sup>", f'<br><small style="{_FAINT}">{{}}…{{}}</small>'
)
