"""What every analysis returns: tables to read, their columns for programs, and a record for JSON."""

from abc import abstractmethod
from typing import Any, ClassVar, Generic, TypeVar

from rankworth.errors import UsageError
from rankworth.tables.columns import Column, Kind, Sheet, defined
from rankworth.tables.frames import FrameLibrary, to_library
from rankworth.tables.show import Shown
from rankworth.version import __version__

Of = TypeVar("Of", bound=str)


class Analysis(Shown, Generic[Of]):
    """The result of an analysis.

    A subclass names its tables of columns, and says what is in them (`_columns`), what people see (`sheets`), and what
    JSON holds beside the notes and warnings (`_record`).
    """

    _SCHEMA: ClassVar[str]
    """of the JSON record"""
    _TABLES: ClassVar[tuple[str, ...]]
    """names of the tables of columns, the default one first"""

    @property
    @abstractmethod
    def notes(self) -> tuple[str, ...]:
        """Sentences that explain the numbers."""

    @property
    @abstractmethod
    def warnings(self) -> tuple[tuple[str, str], ...]:
        """Slug and text of each warning."""

    @abstractmethod
    def _columns(self, of: str) -> dict[str, Any]:
        """The columns of one table."""

    @abstractmethod
    def _record(self) -> dict[str, Any]:
        """The fields of the JSON record that only this analysis has."""

    def columns(self, of: Of | None = None) -> dict[str, Any]:
        """Columns in full precision.

        Args:
            of: the name of a table, as the class lists them; the first one by default.

        Raises:
            UsageError: `unknown-setting`.

        """
        table = self._TABLES[0] if of is None else of
        if table not in self._TABLES:
            raise UsageError("unknown-setting", f"of={of!r}: there are rows of {' or '.join(map(repr, self._TABLES))}")
        return self._columns(table)

    def flat(self, of: Of | None = None) -> Sheet:
        """The columns as one table for CSV and JSON lines; None where there is no number."""
        columns = {name: defined(list(cells)) for name, cells in self.columns(of).items()}
        return Sheet(tuple(Column(name, _kind(cells), cells) for name, cells in columns.items()))

    def to_frame(self, library: FrameLibrary = "polars", *, of: Of | None = None) -> Any:  # noqa: ANN401 - the library's own frame
        """The columns as a data frame.

        Args:
            library: `polars`, `pandas` or `pyarrow`.
            of: the name of a table, as the class lists them; the first one by default.

        Raises:
            UsageError: `missing-library`, `unknown-setting`.

        """
        return to_library(self.columns(of), library)

    def to_dict(self) -> dict[str, Any]:
        """The result as JSON holds it: full precision, None where there is no number."""
        return {
            "schema": self._SCHEMA,
            "rankworth": __version__,
            **self._record(),
            "notes": list(self.notes),
            "warnings": [{"slug": slug, "text": text} for slug, text in self.warnings],
        }

    @property
    def _defects(self) -> tuple[str, ...]:
        """The warnings as tables show them."""
        return tuple(f"{text}   [{slug}]" for slug, text in self.warnings)


def record(row: Any) -> dict[str, Any]:  # noqa: ANN401 - any named tuple
    """A named tuple as JSON holds it, None where there is no number."""
    return dict(zip(row._fields, defined(list(row)), strict=True))


def _kind(cells: list[Any]) -> Kind:
    kinds = {type(cell) for cell in cells}
    return "text" if kinds == {str} else "count" if kinds == {int} else "value"
