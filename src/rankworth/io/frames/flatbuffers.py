"""Tables of FlatBuffers, in which Arrow's messages say what they hold: no step leads out of the data."""

import struct
from collections.abc import Iterator
from typing import Any, Final

_SHORT: Final = 2
_LENGTH: Final = 4


class Table:
    """One table, whose fields are known by their numbers."""

    def __init__(self, data: bytes, place: int | None = None) -> None:
        """Find it.

        Args:
            data: all that it may point into.
            place: where it stands; where the root stands if that is left out.

        Raises:
            ValueError: for this and every other step that leads out of the data.

        """
        self.data = data
        self.place = _number("I", data, 0) if place is None else place
        fields = self.place - _number("i", data, self.place)
        count = _number("H", data, fields) // _SHORT - 2
        if count < 0:
            raise ValueError("a message does not hold together")
        self.fields: tuple[int, ...] = _numbers(f"{count}H", data, fields + 2 * _SHORT)

    def number(self, field: int, kind: str, default: int = 0) -> int:
        """A number, of a kind as `struct` calls them."""
        place = self._at(field)
        return _number(kind, self.data, place) if place else default

    def table(self, field: int) -> "Table | None":
        """Another table."""
        place = self._at(field)
        return Table(self.data, place + _number("I", self.data, place)) if place else None

    def tables(self, field: int) -> Iterator["Table"]:
        """A list of tables."""
        first, count = self._list(field)
        for place in range(first, first + count * _LENGTH, _LENGTH):
            yield Table(self.data, place + _number("I", self.data, place))

    def structs(self, field: int, kinds: str) -> Iterator[tuple[int, ...]]:
        """A list of structures, with numbers of the kinds."""
        form = struct.Struct(f"<{kinds}")
        first, count = self._list(field)
        if first + count * form.size > len(self.data):
            raise ValueError("a message does not hold together")
        return form.iter_unpack(self.data[first : first + count * form.size])

    def text(self, field: int) -> str:
        """A text."""
        first, count = self._list(field)
        return bytes(self.data[first : first + count]).decode()

    def _at(self, field: int) -> int:
        distance = self.fields[field] if field < len(self.fields) else 0
        return self.place + distance if distance else 0

    def _list(self, field: int) -> tuple[int, int]:
        place = self._at(field)
        if not place:
            return 0, 0
        first = place + _number("I", self.data, place)
        return first + _LENGTH, _number("I", self.data, first)


def _number(kind: str, data: bytes, place: int) -> int:
    if place % struct.calcsize(kind):  # every number stands at a multiple of its length
        raise ValueError("a message does not hold together")
    number: int = _numbers(kind, data, place)[0]
    return number


def _numbers(kinds: str, data: bytes, place: int) -> tuple[Any, ...]:
    if place < 0:  # which `struct` counts from the end
        raise ValueError("a message does not hold together")
    try:
        return struct.unpack_from(f"<{kinds}", data, place)
    except struct.error:
        raise ValueError("a message does not hold together") from None
