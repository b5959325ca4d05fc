"""What the batches of an Arrow file say of their columns, compared with the schema and with what lies in the file.

Polars believes most of it: for a buffer that says that it holds 2**60 bytes when unpacked, it asks for the memory, and
where it gets none, the whole process dies. So each column has as many rows as its batch, buffers lie in the body one
after the other, hold what so many rows need, and unpack to no more than their compression can make of so few bytes.
What the buffers hold is left to Polars. Arrow has no checksums: a value that is damaged is a value.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import IO, Final

from rankworth.io.frames.flatbuffers import Table

# Numbers of fields in the tables of Schema.fbs and Message.fbs.
_ENTRIES: Final = 1
_NAME, _KIND, _TYPE, _DICTIONARY, _CHILDREN = 0, 2, 3, 4, 5
_ID, _INDEX = 0, 1
_DATA: Final = 1
_ROWS, _NODES, _BUFFERS, _COMPRESSION, _PARTS = 0, 1, 2, 3, 4

# Numbers of the types.
_NULL, _INTEGER, _LIST, _STRUCT, _FIXED_LIST, _MAP, _LARGE_LIST = 1, 2, 12, 13, 16, 17, 21
_TEXTS: Final = {4: 32, 5: 32, 19: 64, 20: 64}
"""binary and text, with the bits of an offset"""
_LISTS: Final = {_LIST: 32, _MAP: 32, _LARGE_LIST: 64}
_VIEWS: Final = (23, 24)
_VIEW: Final = 128
_WIDTHS: Final[dict[int, Callable[[Table], int]]] = {
    _INTEGER: lambda kind: kind.number(0, "i"),
    3: lambda kind: 16 << (kind.number(0, "h") & 3),
    6: lambda _: 1,
    7: lambda kind: kind.number(2, "i", 128),
    8: lambda kind: 64 if kind.number(0, "h", 1) else 32,
    9: lambda kind: kind.number(1, "i", 32),
    10: lambda _: 64,
    11: lambda kind: 32 << (kind.number(0, "h") & 3),
    15: lambda kind: 8 * kind.number(0, "i"),
    18: lambda _: 64,
}
"""bits of one value, of numbers and times"""

_ALIGNED: Final = 8
_LENGTH: Final = 8
"""bytes before packed ones, which say how many they are when unpacked"""
_AS_IT_IS: Final = -1
_MOST: Final = (255, 1 << 15)
"""times that LZ4 and zstd can make something smaller"""


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
    """All columns, and those that dictionaries hold, by the numbers of these."""

    columns: tuple[Column, ...]
    dictionaries: dict[int, Column] = field(default_factory=dict)

    @classmethod
    def of(cls, table: Table) -> "Schema":
        """What a schema says.

        Raises:
            ValueError: where it does not hold together.

        """
        dictionaries: dict[int, Column] = {}
        return cls(tuple(_column(entry, dictionaries) for entry in table.tables(_ENTRIES)), dictionaries)

    def check(self, batch: Table, body: "Body", *, dictionary: bool) -> None:
        """Refuse a batch that cannot be one of these columns.

        Args:
            batch: what it says.
            body: where its buffers lie.
            dictionary: whether it is part of a dictionary.

        Raises:
            ValueError: with what is wrong.

        """
        columns = self.columns
        if dictionary:
            column = self.dictionaries.get(batch.number(_ID, "q"))
            data = batch.table(_DATA)
            if column is None or data is None:
                raise ValueError("a dictionary belongs to no column")
            columns, batch = (column,), data
        _Batch(batch, body).check(columns)


@dataclass(frozen=True)
class Body:
    """Where the buffers of a message lie.

    Attributes:
        file: the whole file.
        start: where the body begins in it.
        size: how long it is.

    """

    file: IO[bytes]
    start: int
    size: int

    def number(self, place: int) -> int:
        """A number of eight bytes."""
        self.file.seek(self.start + place)
        return int.from_bytes(self.file.read(_LENGTH), "little", signed=True)


class _Batch:
    """The lengths of columns and buffers of one batch, which are taken from the first to the last."""

    def __init__(self, table: Table, body: Body) -> None:
        self.rows = table.number(_ROWS, "q")
        self.nodes = table.structs(_NODES, "qq")
        self.buffers = table.structs(_BUFFERS, "qq")
        self.counts = table.structs(_PARTS, "q")
        packing = table.table(_COMPRESSION)
        self.most = _MOST[packing.number(0, "b") & 1] if packing else 0
        self.body = body
        self.end = 0

    def check(self, columns: tuple[Column, ...]) -> None:
        try:
            for column in columns:
                if self._column(column) != self.rows:
                    raise ValueError(f"a column is not as long as its batch of {self.rows:,} rows")
        except StopIteration:
            raise ValueError("a batch has fewer columns than the schema") from None
        except NotImplementedError:
            pass

    def _column(self, column: Column) -> int:
        """The length of a column, all of whose buffers suffice for that."""
        length, nulls = next(self.nodes)
        if not 0 <= nulls <= length:
            raise ValueError(f"a column has {nulls:,} values missing of {length:,}")
        if column.kind == _NULL:
            return length
        self._buffer(length if nulls else 0)
        if column.kind in _WIDTHS:
            self._buffer(length * column.width)
        elif column.kind in _TEXTS:
            self._buffer((length + 1) * column.width if length else 0)
            self._buffer(0)
        elif column.kind in _VIEWS:
            self._buffer(length * _VIEW)
            for _ in range(*next(self.counts)):
                self._buffer(0)
        elif column.kind in _LISTS:
            self._buffer((length + 1) * column.width if length else 0)
            self._column(column.parts[0])
        elif column.kind in (_STRUCT, _FIXED_LIST):
            least = length * (column.width if column.kind == _FIXED_LIST else 1)
            if any(self._column(part) < least for part in column.parts):
                raise ValueError("the parts of a column are shorter than it is")
        else:
            raise NotImplementedError
        return length

    def _buffer(self, bits: int) -> None:
        """Take the next buffer, which has to hold so many bits."""
        place, size = next(self.buffers)
        if size:
            if not (self.end <= place <= place + size <= self.body.size) or place % _ALIGNED:
                raise ValueError(f"a buffer of {size:,} bytes does not lie where it should")
            self.end = place + size
        if size and self.most:
            size -= _LENGTH
            said = self.body.number(place)
            if size < 0 or not _AS_IT_IS <= said <= max(size * self.most, 0):
                raise ValueError(f"{size:,} bytes are said to be {said:,} when unpacked")
            size = size if said == _AS_IT_IS else said
        if size * 8 < bits:
            raise ValueError(f"a buffer of {size:,} bytes is too short for its column")


def _column(entry: Table, dictionaries: dict[int, Column]) -> Column:
    """How a column of a schema is laid out."""
    entry.text(_NAME)
    number, kind = entry.number(_KIND, "B"), entry.table(_TYPE)
    parts = tuple(_column(part, dictionaries) for part in entry.tables(_CHILDREN))
    if kind is None or ((number in _LISTS or number == _FIXED_LIST) and len(parts) != 1):
        raise ValueError("a column has no type")
    width = _TEXTS.get(number) or _LISTS.get(number) or (kind.number(0, "i") if number == _FIXED_LIST else 0)
    column = Column(number, _WIDTHS[number](kind) if number in _WIDTHS else width, parts)
    if column.width < 0:
        raise ValueError("a column has no type")
    dictionary = entry.table(_DICTIONARY)
    if dictionary is None:
        return column
    dictionaries[dictionary.number(_ID, "q")] = column
    index = dictionary.table(_INDEX)
    return Column(_INTEGER, _WIDTHS[_INTEGER](index) if index else 32)
