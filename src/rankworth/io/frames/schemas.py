"""How the columns of an Arrow file are laid out, by its schema: which buffers each has, how wide a value is in them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from rankworth.io.frames.flatbuffers import Table

# Numbers of the types.
NULL: Final = 1
STRUCT: Final = 13
FIXED_LIST: Final = 16
VIEWS: Final = (23, 24)
_INTEGER: Final = 2
_DECIMAL: Final = 7
_LIST, _MAP, _LARGE_LIST = 12, 17, 21
OFFSETS: Final = {4: 32, 5: 32, 19: 64, 20: 64, _LIST: 32, _MAP: 32, _LARGE_LIST: 64}
"""bits of an offset, of binary, text and lists"""
_OF_ONE_PART: Final = (_LIST, FIXED_LIST, _MAP, _LARGE_LIST)
_DIGITS: Final = 76
WIDTHS: Final[dict[int, Callable[[Table], int]]] = {
    _INTEGER: lambda kind: kind.number(0, "i"),
    3: lambda kind: 16 << (kind.number(0, "h") & 3),
    6: lambda _: 1,
    _DECIMAL: lambda kind: kind.number(2, "i", 128),
    8: lambda kind: 64 if kind.number(0, "h", 1) else 32,
    9: lambda kind: kind.number(1, "i", 32),
    10: lambda _: 64,
    11: lambda kind: 32 << (kind.number(0, "h") & 3),
    15: lambda kind: 8 * kind.number(0, "i"),
    18: lambda _: 64,
}
"""bits of one value, of numbers and times"""

# Numbers of fields in the tables of Schema.fbs.
_ENTRIES: Final = 1
_NAME, _KIND, _TYPE, _DICTIONARY, _CHILDREN = 0, 2, 3, 4, 5
_ID, _INDEX = 0, 1


@dataclass(frozen=True)
class Column:
    """How a column, or a part of one, is laid out.

    Attributes:
        kind: the number of its type; none where it is not known what its buffers are.
        width: bits of a value, of an offset, or how many values a list has.
        parts: what it consists of.

    """

    kind: int
    width: int = 0
    parts: tuple["Column", ...] = ()


@dataclass(frozen=True)
class Schema:
    """What a schema says.

    Attributes:
        columns: all columns.
        dictionaries: what dictionaries hold, by their numbers.

    """

    columns: tuple[Column, ...]
    dictionaries: Mapping[int, Column]

    @classmethod
    def of(cls, table: Table) -> "Schema":
        """Read it.

        Raises:
            ValueError: where it does not hold together.

        """
        dictionaries: dict[int, Column] = {}
        return cls(tuple(_column(entry, dictionaries) for entry in table.tables(_ENTRIES)), dictionaries)


def _column(entry: Table, dictionaries: dict[int, Column]) -> Column:
    """How a column of a schema is laid out."""
    entry.text(_NAME)
    number, kind = entry.number(_KIND, "B"), entry.table(_TYPE)
    parts = tuple(_column(part, dictionaries) for part in entry.tables(_CHILDREN))
    if kind is None or (number in _OF_ONE_PART and len(parts) != 1):
        raise ValueError("a column has no type")
    width = WIDTHS[number](kind) if number in WIDTHS else OFFSETS.get(number, 0)
    column = Column(number, kind.number(0, "i") if number == FIXED_LIST else width, parts)
    if column.width < 0 or (number == _DECIMAL and not 1 <= kind.number(0, "i") <= _DIGITS):
        raise ValueError("the type of a column is none that there is")
    dictionary = entry.table(_DICTIONARY)
    if dictionary is None:
        return column
    dictionaries[dictionary.number(_ID, "q")] = column
    index = dictionary.table(_INDEX)
    return Column(_INTEGER, WIDTHS[_INTEGER](index) if index else 32)
