"""What the batches of an Arrow file say of their columns, compared with the schema and with what lies in the file.

Polars believes most of it: for a buffer that says that it holds 2**60 bytes when unpacked, it asks for the memory, and
where it gets none, the whole process dies. So each column has as many rows as its batch, buffers lie in the body one
after the other, hold what so many rows need, and unpack to no more than their compression can make of so few bytes.
What the buffers hold is left to Polars. Arrow has no checksums: a value that is damaged is a value.
"""

import sys
from contextlib import suppress
from dataclasses import dataclass
from typing import IO, Final

from rankworth.io.frames.flatbuffers import Table
from rankworth.io.frames.schemas import FIXED_LIST, NULL, OFFSETS, STRUCT, VIEWS, WIDTHS, Column, Schema

# Numbers of fields in the tables of Message.fbs.
_ID, _DATA = 0, 1
_ROWS, _NODES, _BUFFERS, _COMPRESSION, _PARTS = 0, 1, 2, 3, 4

_VIEW: Final = 128
"""bits of a view"""
_FARTHEST: Final = 1 << 31
"""bytes that a view can point to"""
_ALIGNED: Final = 8
_LENGTH: Final = 8
"""bytes before packed ones, which say how many they are when unpacked"""
_HEAD: Final = _LENGTH + 18
"""with the longest header of zstd"""
_AS_IT_IS: Final = -1
_MOST: Final = (255, 1 << 15)
"""times that LZ4 and zstd can make something smaller"""


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

    def head(self, place: int, size: int) -> bytes:
        """The first bytes of a buffer of some size."""
        self.file.seek(self.start + place)
        return self.file.read(min(size, _HEAD))


def check(batch: Table, body: Body, schema: Schema) -> None:
    """Refuse a batch that cannot be one of the columns of a schema.

    Args:
        batch: what it says.
        body: where its buffers lie.
        schema: which columns there are.

    Raises:
        ValueError: with what is wrong.

    """
    _Batch(batch, body).check(schema.columns)


def check_dictionary(dictionary: Table, body: Body, schema: Schema) -> None:
    """The same for a part of a dictionary, which belongs to some column.

    Raises:
        ValueError: with what is wrong.

    """
    column = schema.dictionaries.get(dictionary.number(_ID, "q"))
    data = dictionary.table(_DATA)
    if column is None or data is None:
        raise ValueError("a dictionary belongs to no column")
    _Batch(data, body).check((column,))


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
        except NotImplementedError:  # from here on it is not known whose the buffers are; where they lie is
            with suppress(StopIteration):
                while True:
                    self._buffer(0)

    def _column(self, column: Column) -> int:
        """The length of a column, all of whose buffers suffice for that."""
        length, nulls = self._length()
        least = 0
        if column.kind == NULL:
            return length
        self._buffer(length if nulls else 0)
        if column.kind in WIDTHS:
            self._buffer(length * column.width)
        elif column.kind in OFFSETS:
            self._buffer((length + 1) * column.width if length else 0)
            if not column.parts:
                self._buffer(0)
        elif column.kind in VIEWS:
            self._views(length)
        elif column.kind in (STRUCT, FIXED_LIST):
            least = length * (column.width if column.kind == FIXED_LIST else 1)
        else:
            raise NotImplementedError
        if min([self._column(part) for part in column.parts], default=least) < least:
            raise ValueError("the parts of a column are shorter than it is")
        return length

    def _length(self) -> tuple[int, int]:
        """Take the next column: how long it is, and how much of it is missing."""
        length, nulls = next(self.nodes)
        if not 0 <= nulls <= length:
            raise ValueError(f"a column has {nulls:,} values missing of {length:,}")
        return length, nulls

    def _views(self, length: int) -> None:
        """Take the buffer of so many views, and those that they point into."""
        self._buffer(length * _VIEW)
        for _ in range(*next(self.counts)):
            if self._buffer(0) > _FARTHEST:
                raise ValueError("a buffer is longer than what can point into it")

    def _buffer(self, bits: int) -> int:
        """Take the next buffer, which has to hold so many bits, and say what it holds when unpacked, in bytes."""
        place, size = next(self.buffers)
        if size:
            if not (self.end <= place <= place + size <= self.body.size) or place % _ALIGNED:
                raise ValueError(f"a buffer of {size:,} bytes does not lie where it should")
            self.end = place + size
        if size and self.most:
            size = self._unpacked(self.body.head(place, size), size - _LENGTH)
        if size * 8 < bits:
            raise ValueError(f"a buffer of {size:,} bytes is too short for its column")
        return size

    def _unpacked(self, head: bytes, size: int) -> int:
        """How long a packed buffer says that it is when unpacked; where zstd says that, too, it has to agree."""
        said = int.from_bytes(head[:_LENGTH], "little", signed=True)
        if size < 0 or not _AS_IT_IS <= said <= size * self.most:
            raise ValueError(f"{size:,} bytes are said to be {said:,} when unpacked")
        if said != _AS_IT_IS and self.most == _MOST[1] and _content(head[_LENGTH:]) not in (None, said):
            raise ValueError(f"{size:,} bytes are not {said:,} when unpacked")
        return size if said == _AS_IT_IS else said


def _content(frame: bytes) -> int | None:
    """How many bytes a frame of zstd, of which the first are given, says it holds; nothing where it does not."""
    if sys.version_info >= (3, 14):
        from compression import zstd  # noqa: PLC0415 - few files need it
    else:
        from backports import zstd  # noqa: PLC0415 - as above
    try:
        return zstd.get_frame_info(frame).decompressed_size
    except zstd.ZstdError:
        raise ValueError("a buffer is not packed by zstd, as it should be") from None
