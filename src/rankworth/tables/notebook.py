"""Results that show themselves: in a notebook, in a Markdown file, in a paper."""

from abc import ABC, abstractmethod
from typing import Final

from rankworth.tables import html
from rankworth.tables.columns import Sheet
from rankworth.tables.look import Look
from rankworth.tables.show import show

_ROWS: Final = 60
"""how many rows of a table a notebook shows"""


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
        return (html.page if page else html.fragment)(self.sheets(), Look(digits, percent))

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
        return html.fragment(self._beginnings(), Look())

    def _repr_markdown_(self) -> str:
        return show(self._beginnings(), "md", Look())

    def _repr_latex_(self) -> str:
        return show(self._beginnings(), "latex", Look())

    def _beginnings(self) -> list[Sheet]:
        return [sheet.beginning(_ROWS) for sheet in self.sheets()]
