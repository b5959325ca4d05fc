"""What every analysis returns: tables to read, their columns for programs, and a record for JSON."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from types import NoneType
from typing import Any, ClassVar, Generic, TypeVar

from rankworth.errors import UsageError
from rankworth.tables.columns import Column, Kind, Sheet, defined
from rankworth.tables.frames import FrameLibrary, to_library
from rankworth.tables.look import signed
from rankworth.tables.show import Shown
from rankworth.version import __version__

Of = TypeVar("Of", bound=str)


class Analysis(Shown, Generic[Of]):
    """The result of an analysis.

    A subclass names its tables of columns and says what is in them (`_columns`), what people see (`sheets`), and which
    attributes JSON holds beside the notes and warnings (`_RECORD`, and `_record` for what is no attribute).
    """

    _SCHEMA: ClassVar[str]
    """of the JSON record"""
    _RECORD: ClassVar[tuple[str, ...]] = ()
    """names of the attributes that JSON holds"""
    _TABLES: ClassVar[tuple[str, ...]]
    """names of the tables of columns, the default one first"""

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences that explain the numbers; none if the tables suffice."""
        return ()

    @property
    def warnings(self) -> tuple[tuple[str, str], ...]:
        """Slug and text of each warning, if there are some."""
        return ()

    @abstractmethod
    def _columns(self, of: str) -> dict[str, Any]:
        """Return the columns of one table."""

    def _record(self) -> dict[str, Any]:
        """Return the fields of the JSON record that only this analysis has."""
        return {name: getattr(self, name) for name in self._RECORD}

    def columns(self, of: Of | None = None) -> dict[str, Any]:
        """Return columns in full precision.

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
        """Return the columns as one table for CSV and JSON lines: query ids as text, None where there is no number."""
        return Sheet(tuple(_column(name, list(cells)) for name, cells in self.columns(of).items()))

    def to_frame(self, library: FrameLibrary = "polars", *, of: Of | None = None) -> Any:  # noqa: ANN401 - the library's own frame
        """Return the columns as a data frame.

        Args:
            library: `polars`, `pandas` or `pyarrow`.
            of: the name of a table, as the class lists them; the first one by default.

        Raises:
            UsageError: `missing-library`, `unknown-setting`.

        """
        return to_library(self.columns(of), library)

    def to_dict(self) -> dict[str, Any]:
        """Return the result as JSON holds it: full precision, None where there is no number."""
        warnings = [dict(zip(("slug", "text"), warning, strict=True)) for warning in self.warnings]
        common = {"notes": self.notes, "warnings": warnings}
        fields: dict[str, Any] = record({"schema": self._SCHEMA, "rankworth": __version__, **self._record(), **common})
        return fields

    @property
    def _defects(self) -> tuple[str, ...]:
        """The warnings as tables show them."""
        return tuple(f"{text}   [{slug}]" for slug, text in self.warnings)


def record(value: Any) -> Any:  # noqa: ANN401 - an attribute of any kind
    """Convert a value to JSON: named tuples and mappings to objects, arrays to lists, None where there is no number.

    >>> record({"a": [0.5, float("nan")]})
    {'a': [0.5, None]}
    """
    value = value._asdict() if hasattr(value, "_asdict") else value.tolist() if hasattr(value, "tolist") else value
    if isinstance(value, Mapping):
        return {name: record(part) for name, part in value.items()}
    return [record(part) for part in value] if isinstance(value, list | tuple) else defined([value])[0]


def estimated(name: str, kind: Kind, estimates: Sequence[Any]) -> Column:
    """Build a column of estimates, `value` with `low` and `high`; without intervals where no estimate has one."""
    values = [signed(each.value) if kind == "number" else each.value for each in estimates]
    bounds = [(each.low, each.high) for each in estimates if each.low == each.low]
    return Column(name, kind, values, bounds=[(each.low, each.high) for each in estimates] if bounds else ())


def _column(name: str, cells: list[Any]) -> Column:
    """Build a column for CSV and JSON lines, in which ids of queries are text."""
    cells = list(map(str, cells)) if name == "query" else defined(cells)
    kinds = {type(cell) for cell in cells}
    return Column(name, "text" if kinds == {str} else "count" if kinds - {NoneType} == {int} else "value", cells)
