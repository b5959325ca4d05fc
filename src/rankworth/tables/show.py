"""From sheets to text: for terminals, for papers, for programs; results that show themselves, as in a notebook."""

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate, chain, count
from typing import Final, Literal

from rankworth.errors import counted, in_python
from rankworth.tables import data, markup, text
from rankworth.tables.columns import Sheet
from rankworth.tables.look import Look

Form = Literal["table", "tsv", "json", "jsonl", "csv", "md", "latex", "html"]
"""How any result may be shown; `FORMATS` says how each is written."""

ValueForm = Literal[Form, "trec", "parquet", "long"]
"""How values may be shown."""

LONG: Final = "long"
"""the form that says which rows are written: one for each mean. The suffix of a file says how"""
LONG_FILES: Final = ("csv", "tsv", "jsonl", "parquet")
"""the forms of files that hold rows"""

_ROWS: Final = 60
"""how many rows of a table a notebook shows"""
_SCREEN: Final = 60
"""how many lines `repr` prints"""
_SHORT: Final = (_ROWS, 20, 10)
"""how many rows of each table `repr` tries in turn"""


@dataclass(frozen=True)
class Format:
    """What a file of one form holds, and how it is written.

    Attributes:
        suffix: the suffix of such files; empty where no suffix stands for the form.
        holds: `tables` with all that is said about them, for people; `rows` of a single table, or a `record`, for
            programs.
        write: tables as text, with a title where the form has a place for it; None of a record, which each kind of
            result writes itself.
        is_signed: whether it has room for the signature of values.

    """

    suffix: str
    holds: Literal["tables", "rows", "record"]
    write: Callable[[Sequence[Sheet], Look, str], str] | None = None
    is_signed: bool = True


def _joined(write: Callable[[Sheet, Look], str]) -> Callable[[Sequence[Sheet], Look, str], str]:
    """Return a function that writes tables one after the other."""
    return lambda sheets, look, _: "\n".join(write(sheet, look) for sheet in sheets)


def _latex(sheets: Sequence[Sheet], look: Look, _: str) -> str:
    """Write tables in LaTeX; the caption is that of the first one, and labels of further ones are numbered from 2."""
    further = (replace(look, caption="", label=look.label and f"{look.label}-{number}") for number in count(2))
    return "\n".join(markup.latex(*pair) for pair in zip(sheets, chain([look], further), strict=False))


FORMATS: Final[Mapping[str, Format]] = {
    "table": Format(".txt", "tables", _joined(text.table)),
    "tsv": Format(".tsv", "rows", _joined(partial(data.delimited, separator="\t")), is_signed=False),
    "json": Format(".json", "record"),
    "jsonl": Format(".jsonl", "rows", _joined(lambda sheet, _: data.lines(sheet))),
    "csv": Format(".csv", "rows", _joined(partial(data.delimited, separator=",")), is_signed=False),
    "md": Format(".md", "tables", _joined(markup.markdown)),
    "latex": Format(".tex", "tables", _latex),
    "html": Format(".html", "tables", markup.page),
    "trec": Format("", "rows", _joined(lambda sheet, _: data.trec(sheet)), is_signed=False),
    "parquet": Format(".parquet", "record"),
    LONG: Format("", "rows", _joined(partial(data.delimited, separator=","))),
}
"""What is written, by form: a further form takes an entry, and its name in `Form`."""


def show(sheets: Sequence[Sheet], form: str, look: Look, title: str = "") -> str:
    """Write tables as text, with a newline at the end.

    Args:
        sheets: what is to be shown; a single one where the form holds rows.
        form: a form that holds tables or rows; HTML is a whole document.
        look: digits and width, for people; programs get full precision.
        title: what the document is about, where a form has a place for it; the first sheet's title where not said.

    """
    return FORMATS[form].write(sheets, look, title)  # type: ignore[misc]  # records are not written from tables


def render(sheet: Sheet, form: str, look: Look) -> str:
    """Render a single table as text, with a newline at the end."""
    return show([sheet], form, look)


def on_screen(sheets: Sequence[Sheet], look: Look, further: int = 0) -> str:
    """Write tables as plain text that fits on a screen: the first rows of each, the first tables, and all warnings.

    Args:
        sheets: the tables, or the first of them.
        look: as for `show`.
        further: how many tables there are beyond these.

    """
    parts: list[str] = []
    lengths: list[int] = []
    for rows in _SHORT:
        parts = [text.table(sheet.beginning(rows), look) for sheet in sheets]
        lengths = list(accumulate(part.count("\n") + 1 for part in parts))
        if not parts or lengths[-1] <= _SCREEN:
            break
    shown = max(1, bisect_right(lengths, _SCREEN))
    said = [note for sheet in sheets[shown:] for note in sheet.defects]
    said += sheets[-1].notes if sheets[shown:] and not further else ()
    hidden = len(sheets[shown:]) + further
    said += [f"... and {counted(hidden, 'more table', 'more tables')}: to_markdown() has all"] if hidden else []
    return "\n".join([*parts[:shown], *dict.fromkeys(said)]).rstrip("\n")


class Shown(ABC):
    """What shows itself as the sheets that it gives."""

    @abstractmethod
    def sheets(self) -> list[Sheet]:
        """Return the tables to show, with what must be said about them."""

    def to_html(self, *, digits: int | None = None, percent: bool = False, page: bool = False) -> str:
        """Write all rows as static HTML, which any page may take in: without scripts, with everything escaped.

        Args:
            digits: decimals of values; 4 by default, 2 in percent.
            percent: whether shares are shown in percent.
            page: whether a whole document is wanted, for a file of its own.

        """
        return (markup.page if page else markup.fragment)(self._worded(), Look(digits, percent))

    def to_markdown(self, *, digits: int | None = None, percent: bool = False) -> str:
        """Write all rows as Markdown tables, as GitHub reads them.

        Args:
            digits: decimals of values; 4 by default, 2 in percent.
            percent: whether shares are shown in percent.

        """
        return show(self._worded(), "md", Look(digits, percent))

    def to_latex(self, *, digits: int | None = None, percent: bool = False, caption: str = "", label: str = "") -> str:
        """Write all rows as LaTeX tabulars, for the package booktabs.

        Args:
            digits: decimals of values; 4 by default, 2 in percent.
            percent: whether shares are shown in percent.
            caption: of the first table, which then is a float; further ones have their titles.
            label: of the first table; those of further ones end in -2, -3 and so on.

        """
        return show(self._worded(), "latex", Look(digits, percent, caption=caption, label=label))

    def __repr__(self) -> str:
        """Show the tables as plain text, as far as they fit on a screen."""
        return on_screen(self._worded(), Look(width=100))

    def _repr_html_(self) -> str:
        return markup.fragment(self._beginnings(), Look())

    def _repr_markdown_(self) -> str:
        return show(self._beginnings(), "md", Look())

    def _repr_latex_(self) -> str:
        return show(self._beginnings(), "latex", Look())

    def _beginnings(self) -> list[Sheet]:
        return [sheet.beginning(_ROWS) for sheet in self._worded()]

    def _worded(self) -> list[Sheet]:
        """Return the sheets with the remedies of Python."""
        return [sheet.worded(in_python) for sheet in self.sheets()]
