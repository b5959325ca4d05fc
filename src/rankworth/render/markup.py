"""A sheet for documents: a Markdown table for GitHub, a LaTeX table with booktabs."""

import re
from typing import Final

from rankworth.render.look import Look, best_rows, visible
from rankworth.sheet import Column, Sheet

_MARKDOWN: Final = re.compile(r"([\\`*_\[\]<>|~])")
_LATEX: Final = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
    }
    | {character: f"\\{character}" for character in "&%$#_{}"}
)


def markdown(sheet: Sheet, look: Look) -> str:
    """A Markdown table, the best values bold, the notes below, the comment where only the source shows it."""
    columns = [_markdown_column(column, look) for column in sheet.columns]
    heading = "| " + " | ".join(_markdown_text(column.name) for column in sheet.columns) + " |"
    rule = "|" + "|".join(":--" if column.kind == "text" else "--:" for column in sheet.columns) + "|"
    rows = ["| " + " | ".join(row) + " |" for row in zip(*columns, strict=True)]
    parts = ["\n".join([heading, rule, *rows])]
    parts += [_markdown_text(note) for note in (*sheet.notes, *sheet.defects)]
    if sheet.comment:
        parts.append(f"<!-- {visible(sheet.comment).replace('--', '- -')} -->")
    return "\n\n".join(parts) + "\n"


def latex(sheet: Sheet, look: Look) -> str:
    """A LaTeX tabular for the booktabs package, the best values bold, notes and comment as comments."""
    columns = [_latex_column(column, look) for column in sheet.columns]
    alignment = "".join("l" if column.kind == "text" else "r" for column in sheet.columns)
    remarks = [f"% {visible(note)}" for note in (*sheet.notes, *sheet.defects, sheet.comment) if note]
    return "\n".join(
        [
            r"% \usepackage{booktabs}",
            rf"\begin{{tabular}}{{{alignment}}}",
            r"\toprule",
            " & ".join(_latex_text(column.name) for column in sheet.columns) + r" \\",
            r"\midrule",
            *(" & ".join(row) + r" \\" for row in zip(*columns, strict=True)),
            r"\bottomrule",
            r"\end{tabular}",
            *remarks,
            "",
        ]
    )


def _markdown_column(column: Column, look: Look) -> list[str]:
    cells = look.cells(column)
    if column.kind == "text":
        return [_markdown_text(cell) for cell in cells]
    best = best_rows(column, cells)
    shown = [f"**{cell}**" if row in best else cell for row, cell in enumerate(cells)]
    if column.bounds:
        return [f"{cell} ({low}…{high})" for cell, (low, high) in zip(shown, look.bounds(column), strict=True)]
    return shown


def _latex_column(column: Column, look: Look) -> list[str]:
    cells = look.cells(column)
    if column.kind == "text":
        return [_latex_text(cell) for cell in cells]
    best = best_rows(column, cells)
    texts = [_latex_text(cell) for cell in cells]
    shown = [rf"\textbf{{{text}}}" if row in best else text for row, text in enumerate(texts)]
    if column.bounds:
        bounds = [rf"{{\scriptsize [{_latex_text(low)}, {_latex_text(high)}]}}" for low, high in look.bounds(column)]
        return [f"{cell} {bound}" for cell, bound in zip(shown, bounds, strict=True)]
    return shown


def _markdown_text(text: str) -> str:
    return _MARKDOWN.sub(r"\\\1", visible(text))


def _latex_text(text: str) -> str:
    return visible(text).translate(_LATEX)
