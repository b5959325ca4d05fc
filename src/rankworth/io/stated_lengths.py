"""What Parquet and Arrow files state about their length, compared with their size before Polars reads them.

Polars asks for as much memory as a batch, a buffer or a page states: a damaged length would end the process, and a few
kilobytes may state rows without end.
"""

import os
import struct
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import IO, Any, Final, NamedTuple

from rankworth.io import inflation

_PARQUET: Final = b"PAR1"
_ARROW: Final = b"ARROW1"
_MARK: Final = b"\xff" * 4
_LENGTH: Final = 4
_FOOTER: Final = 10
"""the length of the footer and the magic bytes behind it"""
_BLOCK: Final = "qi4xq"
# Numbers of fields in the tables of File.fbs and Message.fbs, and of the types of messages.
_DICTIONARIES, _BATCHES = 2, 3
_TYPE, _HEADER, _BODY = 1, 2, 3
_DATA: Final = 1
_ROWS, _NODES, _BUFFERS, _COMPRESSION = 0, 1, 2, 3
_DICTIONARY, _BATCH = 2, 3
# Numbers of fields in the structures of parquet.thrift: FileMetaData, RowGroup, ColumnChunk and ColumnMetaData.
_GROUPS = 4
_CHUNKS, _GROUP_ROWS = 1, 3
_METADATA = 3
_PATH, _VALUES, _SIZE = 3, 5, 6


class Batch(NamedTuple):
    """Rows that stand together in a file."""

    rows: int
    values: Mapping[str, int]
    """how many values each column has, those in lists counted; in Arrow, the longest one without its name"""
    inflated: Mapping[str, int]
    """how many bytes each column takes when it is read, at the least"""

    def of(self, columns: Collection[str]) -> "Batch":
        """Keep the columns that are read."""
        values, inflated = (
            {name: number for name, number in each.items() if not name or name in columns}
            for each in (self.values, self.inflated)
        )
        return Batch(self.rows, values, inflated)

    @property
    def most(self) -> int:
        """How many values the longest column has."""
        return max(self.values.values(), default=self.rows)


def refuse_inflated(batches: Iterable[Batch], name: str, size: int) -> None:
    """Refuse a file that is much larger when it is read.

    Args:
        batches: what it states.
        name: what messages call it.
        size: how many bytes it has.

    Raises:
        InputError: `inflated-file`.

    """
    inflation.refuse(name, size, sum(sum(batch.inflated.values()) for batch in batches))


# Arrow


def of_arrow(file: IO[bytes], *, is_stream: bool) -> list[Batch]:
    """List the batches of a file or a stream; refuse those that do not lie in it.

    Args:
        file: its bytes.
        is_stream: whether it is a stream, which has no table of contents.

    Raises:
        ValueError: with what is wrong.

    """
    batches = []
    for message, body in (_of_stream if is_stream else _of_file)(file):
        table = _target(message, 0)
        kind = message[_field(message, table, _TYPE)]
        if kind in (_DICTIONARY, _BATCH):
            batch = _target(message, _field(message, table, _HEADER))
            batch = batch if kind == _BATCH else _target(message, _field(message, batch, _DATA))
            lengths = [length for length, _ in _structs(message, batch, _NODES, "qq")]
            rows = _number("q", message, field) if (field := _field(message, batch, _ROWS)) else 0
            values = max(rows, *lengths) if lengths else rows
            inflated = max(inflation.CELL * values, _stated(file, message, batch, body))
            batches.append(
                Batch(rows, {"": values}, {"": inflated}) if kind == _BATCH else Batch(0, {}, {"": inflated})
            )
    return batches


def _of_file(file: IO[bytes]) -> Iterator[tuple[bytes, int]]:
    """Yield the message of each batch and the start of its body; refuse batches beyond the end of the file.

    Raises:
        ValueError: with what is wrong.

    """
    end = file.seek(max(file.seek(0, os.SEEK_END) - _FOOTER, 0))
    size = _number("i", file.read(_LENGTH))
    if file.read() != _ARROW or not 0 <= size <= end:
        raise ValueError("the end of the file is missing")
    last, start = 0, file.seek(end - size)
    footer = file.read(size)
    for field in (_DICTIONARIES, _BATCHES):
        for offset, head, body in _structs(footer, _target(footer, 0), field, _BLOCK):
            file.seek(max(offset, 0))
            message = file.read(max(head, 0)).removeprefix(_MARK)[_LENGTH:]
            if min(offset, head) < 0 or _body(message) != body or offset + head + body > start:
                raise ValueError("a batch does not lie where the footer states")
            last = max(last, offset + head + body)
            yield message, offset + head
    file.seek(last)
    if _ARROW * 2 in file.read(start - last + size + _FOOTER):
        raise ValueError("several files lie in it, one after the other; they are not read")


def _of_stream(file: IO[bytes]) -> Iterator[tuple[bytes, int]]:
    """Yield each message and the start of its body; refuse a stream that ends before its mark or continues after it.

    Raises:
        ValueError: with what is wrong.

    """
    end = file.seek(0, os.SEEK_END)
    offset = 0
    while offset < end:
        file.seek(offset)
        length = file.read(_LENGTH)
        length = file.read(_LENGTH) if length == _MARK else length
        size = _number("i", length) if len(length) == _LENGTH else end
        message = file.read(max(size, 0))
        start = file.tell()
        if not size and start != end:
            raise ValueError("more follows where it ends; several streams in one file are not read")
        if not size:
            return
        if len(message) != size:
            break
        offset = start + max(_body(message), 0)
        yield message, start
    raise ValueError("the mark at the end of the stream is missing")


def _body(message: bytes) -> int:
    """Return how many bytes follow a message."""
    field = _field(message, _target(message, 0), _BODY)
    return _number("q", message, field) if field else 0


def _stated(file: IO[bytes], message: bytes, batch: int, body: int) -> int:
    """Return how many bytes the buffers of a batch are stated to have when decompressed; 0 where they are not."""
    stated = 0
    if _field(message, batch, _COMPRESSION):
        for offset, size in _structs(message, batch, _BUFFERS, "qq"):
            file.seek(max(body + offset, 0))
            stated += max(_number("q", file.read(8)) if size else 0, 0)
    return stated


def _number(kind: str, data: bytes, offset: int = 0) -> int:
    try:
        return int(struct.unpack_from(f"<{kind}", data, offset)[0])
    except struct.error:
        raise ValueError("a message is not complete") from None


def _target(data: bytes, offset: int) -> int:
    """Return where an offset of FlatBuffers leads."""
    return offset + _number("I", data, offset)


def _field(data: bytes, table: int, number: int) -> int:
    """Return the position of a field in a table of FlatBuffers, or 0 if the table lacks the field."""
    fields = table - _number("i", data, table)
    entry = 4 + 2 * number
    distance = _number("H", data, fields + entry) if entry < _number("H", data, fields) else 0
    return table + distance if distance else 0


def _structs(data: bytes, table: int, number: int, kinds: str) -> Iterator[tuple[int, ...]]:
    """Yield the structures in a vector of FlatBuffers."""
    field = _field(data, table, number)
    if not field:
        return
    start = _target(data, field)
    form = struct.Struct(f"<{kinds}")
    vector = data[start + 4 : start + 4 + form.size * _number("I", data, start)]
    if len(vector) % form.size:
        raise ValueError("a message is not complete")
    yield from form.iter_unpack(vector)


# Parquet


def of_parquet(file: IO[bytes]) -> list[Batch]:
    """List the groups of rows of a file.

    Args:
        file: its bytes.

    Raises:
        ValueError: with what is wrong.

    """
    size = file.seek(0, os.SEEK_END)
    file.seek(max(size - 2 * _LENGTH, 0))
    length, magic = _number("I", file.read(_LENGTH)), file.read()
    if magic != _PARQUET or length > size:
        raise ValueError("the end of the file is missing")
    file.seek(size - length - 2 * _LENGTH)
    groups = []
    try:
        for group in _Thrift(file.read(length)).struct()[_GROUPS]:
            values: dict[str, int] = {}
            inflated: dict[str, int] = {}
            for chunk in group[_CHUNKS]:
                column = chunk[_METADATA]
                name, count = column[_PATH][0].decode(), column[_VALUES]
                values[name] = max(values.get(name, 0), count)
                inflated[name] = inflated.get(name, 0) + max(inflation.CELL * count, column[_SIZE])
            groups.append(Batch(group[_GROUP_ROWS], values, inflated))
    except (LookupError, AttributeError, TypeError, UnicodeDecodeError, RecursionError):
        raise ValueError("the table of contents is damaged") from None
    return groups


class _Thrift:
    """Reads structures of Thrift's compact protocol: dicts of fields by their numbers."""

    def __init__(self, data: bytes) -> None:
        """Begin with the first byte."""
        self.data, self.position = data, 0
        self.readers: dict[int, Callable[[], Any]] = {
            **dict.fromkeys((1, 2, 3), self._byte),
            **dict.fromkeys((4, 5, 6), self._integer),
            7: lambda: self._bytes(8),
            8: lambda: self._bytes(self._varint()),
            **dict.fromkeys((9, 10), self._list),
            12: self.struct,
        }
        """by the numbers of types; there is no map in the table of contents of Parquet"""

    def struct(self) -> dict[int, Any]:
        """Read a structure.

        Raises:
            LookupError: where it is not complete, or of an unknown type.

        """
        fields: dict[int, Any] = {}
        number = 0
        while kind := self._byte():
            number = number + (kind >> 4) if kind >> 4 else self._integer()
            is_flag = kind & 15 in (1, 2)  # which stands in its type
            fields[number] = kind & 15 == 1 if is_flag else self.readers[kind & 15]()
        return fields

    def _list(self) -> list[Any]:
        head = self._byte()
        count = head >> 4 if head >> 4 < 15 else self._varint()  # noqa: PLR2004 - a number that does not fit stands behind
        read = self.readers[head & 15]
        return [read() for _ in range(count)]  # each reads a byte at the least

    def _byte(self) -> int:
        self.position += 1
        return self.data[self.position - 1]

    def _bytes(self, count: int) -> bytes:
        start, self.position = self.position, self.position + count
        if self.position > len(self.data):
            raise IndexError(count)
        return self.data[start : self.position]

    def _varint(self) -> int:
        number = shift = 0
        while (byte := self._byte()) & 128:
            number |= (byte & 127) << shift
            shift += 7
        return number | byte << shift

    def _integer(self) -> int:
        number = self._varint()
        return (number >> 1) ^ -(number & 1)
