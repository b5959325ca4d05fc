"""A sheet for documents: a Markdown table for GitHub, a LaTeX table with booktabs."""

import re
from typing import Final

from rankworth.tables.columns import Sheet
from rankworth.tables.look import Look, Markup, visible

_MARKDOWN: Final = re.compile(r"([\\`*_\[\]<>|~&$])")
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
    }
    | {character: f"\\{character}" for character in "&%$#_{}"}
)


def markdown(sheet: Sheet, look: Look) -> str:
    """A Markdown table, the best values bold, title and notes around it, the comment where only the source shows it."""
    parts = [f"**{_markdown_text(sheet.title.strip())}**"] if sheet.title else []
    parts += [_markdown_paragraph(text) for text in sheet.lead]
    parts += [_markdown_table(sheet, look)] if sheet.columns else []
    parts += [_markdown_paragraph(text) for text in (*sheet.notes, *sheet.defects)]
    if sheet.comment:
        parts.append(f"<!-- {visible(sheet.comment).replace('--', '- -')} -->")
    return "\n\n".join(parts) + "\n"


def _markdown_table(sheet: Sheet, look: Look) -> str:
    columns = [_IN_MARKDOWN.cells(column, look) for column in sheet.columns]
    heading = "| " + " | ".join(_markdown_text(column.name) for column in sheet.columns) + " |"
    rule = "|" + "|".join(":--" if column.kind == "text" else "--:" for column in sheet.columns) + "|"
    rows = ["| " + " | ".join(row) + " |" for row in zip(*columns, strict=True)]
    return "\n".join([heading, rule, *rows])


def latex(sheet: Sheet, look: Look) -> str:
    """A LaTeX tabular for the booktabs package, the best values bold, all that is said about it as comments."""
    said = [f"% {visible(text)}" for text in (sheet.title, *sheet.lead) if text]
    remarks = [f"% {visible(note)}" for note in (*sheet.notes, *sheet.defects, sheet.comment) if note]
    return "\n".join([*said, *(_latex_table(sheet, look) if sheet.columns else ()), *remarks, ""])


def _latex_table(sheet: Sheet, look: Look) -> list[str]:
    columns = [_IN_LATEX.cells(column, look) for column in sheet.columns]
    alignment = "".join("l" if column.kind == "text" else "r" for column in sheet.columns)
    rows = [" & ".join(row) for row in zip(*columns, strict=True)]
    return [
        r"% \usepackage{booktabs}",
        rf"\begin{{tabular}}{{{alignment}}}",
        r"\toprule",
        " & ".join(_latex_text(column.name) for column in sheet.columns) + r" \\",
        r"\midrule",
        *(f"{'{}' if row.startswith(('[', '*')) else ''}{row} \\\\" for row in rows),  # not arguments of the line above
        r"\bottomrule",
        r"\end{tabular}",
    ]


def _markdown_paragraph(text: str) -> str:
    """Text that starts no list, no heading and no block of code."""
    return _LIST_OR_HEADING.sub(r"\1\\\2", _markdown_text(text.strip()))


def _markdown_text(text: str) -> str:
    return _MARKDOWN.sub(r"\\\1", visible(text))


def _latex_text(text: str) -> str:
    return visible(text).translate(_LATEX).replace("--", "-{}-")


_IN_MARKDOWN: Final = Markup(_markdown_text, "**{}**", "{}", "<sup>{}</sup>", " ({}…{})")
_IN_LATEX: Final = Markup(
    _latex_text, r"\textbf{{{}}}", r"\underline{{{}}}", r"\textsuperscript{{{}}}", r" {{\scriptsize [{}, {}]}}"
)
