"""From sheets to text: for terminals, for papers, for programs; a renderer gives a string and touches no file."""

from collections.abc import Sequence
from typing import Literal

from rankworth.tables import data
from rankworth.tables.columns import Sheet
from rankworth.tables.look import Look

Form = Literal["table", "tsv", "json", "jsonl", "csv", "md", "latex", "html", "trec", "parquet"]
"""How a result may be shown."""

RowForm = Literal["table", "tsv", "jsonl", "csv", "md", "latex", "html", "trec"]
"""The forms of a sheet as text; JSON shows a record instead (`data.document`), Parquet is no text (`io.results`)."""

PeopleForm = Literal["table", "md", "latex", "html"]
"""The forms that people read, which hold several sheets one after the other."""


def render(sheet: Sheet, form: RowForm, look: Look) -> str:
    """A sheet as text, with a newline at the end.

    Args:
        sheet: what is to be shown.
        form: which kind of text.
        look: digits and width, for the forms that people read; machines get full precision.

    """
    match form:
        case "tsv" | "csv":
            return data.delimited(sheet, "\t" if form == "tsv" else ",", safe=look.safe)
        case "jsonl":
            return data.lines(sheet)
        case "trec":
            return data.trec(sheet)
        case "table" | "md" | "latex" | "html":
            return show([sheet], form, look)


def show(sheets: Sequence[Sheet], form: PeopleForm, look: Look, title: str = "") -> str:
    """Sheets one after the other for people, with a newline at the end.

    Args:
        sheets: what is to be shown.
        form: which kind of text; HTML is a whole document.
        look: digits and width.
        title: what the document is about, where a form has a place for it; the first sheet's title where not said.

    """
    from rankworth.tables import html, markup, text  # noqa: PLC0415 - not needed until there is something to show

    if form == "html":
        return html.page(sheets, look, title)
    one = {"table": text.table, "md": markup.markdown, "latex": markup.latex}[form]
    return "\n".join(one(sheet, look) for sheet in sheets)
