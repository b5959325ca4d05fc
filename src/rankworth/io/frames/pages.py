"""The pages of a Parquet file, looked at before Polars reads them.

For a page that says that it holds 2**60 values Polars asks for the memory, and where it gets none, the whole process
dies. Checksums, which Polars leaves aside, are compared where the file has some: many a damaged page has values, too.
"""

import os
import zlib
from collections.abc import Callable, Collection, Mapping
from typing import IO, Any, Final

_LENGTH: Final = 4
_MAGIC: Final = b"PAR1"
_HEADER: Final = 256
"""bytes that nearly all headers of pages fit in"""
_LARGEST: Final = 1 << 20

# Numbers of the fields that count, in the structures of parquet.thrift.
_GROUPS: Final = 4
_CHUNKS: Final = 1
_ELSEWHERE, _CHUNK = 1, 3
_PATH, _VALUES, _SIZE, _DATA, _DICTIONARY = 3, 5, 7, 9, 11
_PACKED, _CHECKSUM, _PAGE, _PAGE_2 = 3, 4, 5, 8
_VALUES_OF_PAGE: Final = 1

_TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = 1, 2, 3, 7, 8, 9, 10, 11, 12
_INTEGERS: Final = (4, 5, 6)
_WIDTH: Final = 70
"""bits that the bytes of the longest number hold"""


def check(file: IO[bytes], columns: Collection[str]) -> None:
    """Refuse a file some of whose pages are not what it says.

    Args:
        file: the whole file, which is read where the pages lie.
        columns: the columns that will be read; of the others nothing is asked.

    Raises:
        ValueError: with what is wrong.

    """
    footer = file.seek(0, os.SEEK_END) - _LENGTH - len(_MAGIC)
    file.seek(max(footer, 0))
    length = int.from_bytes(file.read(_LENGTH), "little")
    start = footer - length
    if file.read() != _MAGIC or start < len(_MAGIC):
        raise ValueError("the end of the file is missing")
    names = {column.encode() for column in columns}
    file.seek(start)
    last = len(_MAGIC)
    try:
        for group in _Thrift(file.read(length)).struct().get(_GROUPS, []):
            for chunk in group.get(_CHUNKS, []):
                pages = chunk.get(_CHUNK)
                if pages and pages[_VALUES] and _ELSEWHERE not in chunk:
                    last = max(last, _span(pages, start)[1])
                    if pages[_PATH][0] in names:
                        _check_chunk(file, pages, start)
    except LookupError:
        raise ValueError("what it says of its pages is not complete") from None
    file.seek(last - len(_MAGIC))
    if _MAGIC * 2 in file.read(start - last + len(_MAGIC)):
        raise ValueError("several files lie in it, one after the other; they are not read")


def _span(chunk: Mapping[int, Any], limit: int) -> tuple[int, int]:
    """Where the pages of one column in one row group lie; where it has no values, the file may say anything."""
    place = min(chunk[_DATA], chunk.get(_DICTIONARY) or chunk[_DATA])
    end = place + chunk[_SIZE]
    if not 0 <= place <= end <= limit:
        raise ValueError(f"pages are said to lie at bytes {place:,} to {end:,}, the last of which is {limit:,}")
    return place, end


def _check_chunk(file: IO[bytes], chunk: Mapping[int, Any], limit: int) -> None:
    """Walk through the pages of one column in one row group."""
    place, end = _span(chunk, limit)
    values = 0
    while place < end:
        header, length = _header(file, place, end)
        start, size = place + length, header[_PACKED]
        data = header.get(_PAGE) or header.get(_PAGE_2)
        count = data[_VALUES_OF_PAGE] if data else 0
        if size < 0 or count < 0 or start + size > end:
            raise ValueError(f"the page at byte {place:,} does not hold together")
        if _CHECKSUM in header:
            file.seek(start)
            if zlib.crc32(file.read(size)) != header[_CHECKSUM] & 0xFFFFFFFF:
                raise ValueError(f"the page at byte {place:,} does not fit its checksum")
        values += count
        place = start + size
    if values != chunk[_VALUES]:
        raise ValueError(f"the pages of a column hold {values:,} values, not {chunk[_VALUES]:,}")


def _header(file: IO[bytes], place: int, end: int) -> tuple[dict[int, Any], int]:
    """The header of the page at a place, and how long it is."""
    for size in (_HEADER, _LARGEST):
        file.seek(place)
        thrift = _Thrift(file.read(min(size, end - place)))
        try:
            return thrift.struct(), thrift.place
        except IndexError:
            continue
    raise ValueError(f"the page at byte {place:,} has no end")


class _Thrift:
    """Structures in Thrift's compact protocol, as dicts by the numbers of their fields."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.place = 0

    def struct(self) -> dict[int, Any]:
        """All fields of a structure.

        Raises:
            IndexError: where the data end before.

        """
        fields: dict[int, Any] = {}
        number = 0
        while head := self._byte():
            step = head >> 4
            number = number + step if step else self._integer()
            kind = head & 15
            fields[number] = kind == _TRUE if kind in (_TRUE, _FALSE) else self._value(kind)
        return fields

    def _value(self, kind: int) -> Any:  # noqa: ANN401 - any kind
        if kind in _INTEGERS:
            return self._integer()
        if kind in (_TRUE, _FALSE, _BYTE):
            return self._byte()
        read = self._readers.get(kind)
        if read is None:
            raise ValueError(f"there is no Thrift type {kind}")
        return read(self)

    def _byte(self) -> int:
        self.place += 1
        return self.data[self.place - 1]

    def _bytes(self, length: int) -> bytes:
        self.place += length
        if self.place > len(self.data):
            raise IndexError
        return self.data[self.place - length : self.place]

    def _unsigned(self) -> int:
        value = 0
        for shift in range(0, _WIDTH, 7):
            byte = self._byte()
            value |= (byte & 0x7F) << shift
            if byte < 0x80:  # noqa: PLR2004 - the bit that says that more follow
                return value
        raise ValueError("a number has no end")

    def _integer(self) -> int:
        value = self._unsigned()
        return (value >> 1) ^ -(value & 1)

    def _binary(self) -> bytes:
        return self._bytes(self._unsigned())

    def _double(self) -> bytes:
        return self._bytes(8)

    def _list(self) -> list[Any]:
        head = self._byte()
        length = head >> 4
        return [self._value(head & 15) for _ in range(self._unsigned() if length == 15 else length)]  # noqa: PLR2004 - then it follows

    def _map(self) -> list[tuple[Any, Any]]:
        length = self._unsigned()
        kinds = self._byte() if length else 0
        return [(self._value(kinds >> 4), self._value(kinds & 15)) for _ in range(length)]

    _readers: Final[Mapping[int, Callable[["_Thrift"], Any]]] = {
        _DOUBLE: _double,
        _BINARY: _binary,
        _LIST: _list,
        _SET: _list,
        _MAP: _map,
        _STRUCT: struct,
    }
