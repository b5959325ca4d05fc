"""From sheets to text: for terminals, for papers, for programs; results that show themselves, as in a notebook."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Final, Literal

from rankworth.tables import data
from rankworth.tables.columns import Sheet
from rankworth.tables.look import Look

Form = Literal["table", "tsv", "json", "jsonl", "csv", "md", "latex", "html", "trec", "parquet"]
"""How a result may be shown."""

RowForm = Literal["table", "tsv", "jsonl", "csv", "md", "latex", "html", "trec"]
"""The forms of a sheet as text; JSON shows a record instead (`data.document`), Parquet is no text (`io.results`)."""

PeopleForm = Literal["table", "md", "latex", "html"]
"""The forms that people read, which hold several sheets one after the other."""

_ROWS: Final = 60
"""how many rows of a table a notebook shows"""


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
    from rankworth.tables import markup, text  # noqa: PLC0415 - not needed until there is something to show

    if form == "html":
        return markup.page(sheets, look, title)
    written = {"table": text.table, "md": markup.markdown, "latex": markup.latex}[form]
    return "\n".join(written(sheet, look) for sheet in sheets)


class Shown(ABC):
    """What shows itself as the sheets that it gives."""

    @abstractmethod
    def sheets(self) -> list[Sheet]:
        """What there is to see: tables, with what must be said about them."""

    def to_html(self, *, digits: int | None = None, percent: bool = False, page: bool = False) -> str:
        """All rows as static HTML, which any page may take in: without scripts, with everything escaped.

        Args:
            digits: decimals of values; 4 by default, 2 in percent.
            percent: whether shares are shown in percent.
            page: whether a whole document is wanted, for a file of its own.

        """
        from rankworth.tables import markup  # noqa: PLC0415 - as in `show`

        return (markup.page if page else markup.fragment)(self.sheets(), Look(digits, percent))

    def to_markdown(self, *, digits: int | None = None, percent: bool = False) -> str:
        """All rows as Markdown tables, as GitHub reads them.

        Args:
            digits: decimals of values; 4 by default, 2 in percent.
            percent: whether shares are shown in percent.

        """
        return show(self.sheets(), "md", Look(digits, percent))

    def to_latex(self, *, digits: int | None = None, percent: bool = False) -> str:
        """All rows as LaTeX tabulars, for the package booktabs.

        Args:
            digits: decimals of values; 4 by default, 2 in percent.
            percent: whether shares are shown in percent.

        """
        return show(self.sheets(), "latex", Look(digits, percent))

    def __repr__(self) -> str:
        """The tables as plain text."""
        return show(self.sheets(), "table", Look(width=100)).rstrip("\n")

    def _repr_html_(self) -> str:
        from rankworth.tables import markup  # noqa: PLC0415 - as in `show`

        return markup.fragment(self._beginnings(), Look())

    def _repr_markdown_(self) -> str:
        return show(self._beginnings(), "md", Look())

    def _repr_latex_(self) -> str:
        return show(self._beginnings(), "latex", Look())

    def _beginnings(self) -> list[Sheet]:
        return [sheet.beginning(_ROWS) for sheet in self.sheets()]
