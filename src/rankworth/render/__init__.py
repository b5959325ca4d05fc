"""From sheets to text: for terminals, for papers, for programs; a renderer gives a string and touches no file."""

from typing import Literal

from rankworth.render import data
from rankworth.render.look import Look
from rankworth.sheet import Sheet

Form = Literal["table", "tsv", "json", "jsonl", "csv", "md", "latex", "trec", "parquet"]
"""How a result may be shown."""

RowForm = Literal["table", "tsv", "jsonl", "csv", "md", "latex", "trec"]
"""The forms of a sheet as text; JSON shows a record instead (`data.document`), Parquet is no text (`io.results`)."""

__all__ = ["Form", "Look", "RowForm", "data", "render"]


def render(sheet: Sheet, form: RowForm, look: Look) -> str:
    """A sheet as text, with a newline at the end.

    Args:
        sheet: what is to be shown.
        form: which kind of text.
        look: digits and width, for the forms that people read; machines get full precision.

    """
    from rankworth.render import markup, text  # noqa: PLC0415 - not needed until there is something to show

    match form:
        case "table":
            return text.table(sheet, look)
        case "md":
            return markup.markdown(sheet, look)
        case "latex":
            return markup.latex(sheet, look)
        case "tsv" | "csv":
            return data.delimited(sheet, "\t" if form == "tsv" else ",")
        case "jsonl":
            return data.lines(sheet)
        case "trec":
            return data.trec(sheet)
