"""Structures in the compact protocol of Thrift, in which Parquet says what a file holds, as dicts by field numbers."""

from collections.abc import Callable, Mapping
from typing import Any, Final

_TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = 1, 2, 3, 7, 8, 9, 10, 11, 12
_INTEGERS: Final = (4, 5, 6)
_WIDTH: Final = 70
"""bits that the bytes of the longest number hold"""


class Thrift:
    """Reads one structure after the other.

    Attributes:
        place: how far the data are read.

    """

    def __init__(self, data: bytes) -> None:
        """Begin at the first byte."""
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

    _readers: Final[Mapping[int, Callable[["Thrift"], Any]]] = {
        _DOUBLE: _double,
        _BINARY: _binary,
        _LIST: _list,
        _SET: _list,
        _MAP: _map,
        _STRUCT: struct,
    }
