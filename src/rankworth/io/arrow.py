"""The lengths that an Arrow file or stream states, compared with what it holds before Polars reads it.

Polars asks for as much memory as a batch or a compressed buffer states: a damaged length would end the process.
"""

import os
import struct
from collections.abc import Iterator
from typing import IO, Final

_MAGIC: Final = b"ARROW1"
_MARK: Final = b"\xff" * 4
_LENGTH: Final = 4
_FOOTER: Final = 10
"""the length of the footer and the magic bytes behind it"""
_BLOCK: Final = "qi4xq"
_RATIO: Final = 1 << 15
"""how many times smaller compression may make data"""
# Numbers of fields in the tables of File.fbs and Message.fbs, and of the types of messages.
_DICTIONARIES, _BATCHES = 2, 3
_TYPE, _HEADER, _BODY = 1, 2, 3
_DATA: Final = 1
_BUFFERS, _COMPRESSION = 2, 3
_DICTIONARY, _BATCH = 2, 3


def check_file(file: IO[bytes]) -> None:
    """Refuse a file whose footer states batches that do not lie in it, and batches that state impossible lengths.

    Raises:
        ValueError: with what is wrong.

    """
    end = file.seek(max(file.seek(0, os.SEEK_END) - _FOOTER, 0))
    size = _number("i", file.read(_LENGTH))
    if file.read() != _MAGIC or not 0 <= size <= end:
        raise ValueError("the end of the file is missing")
    last, start = 0, file.seek(end - size)
    footer = file.read(size)
    for field in (_DICTIONARIES, _BATCHES):
        for place, head, body in _structs(footer, _target(footer, 0), field, _BLOCK):
            file.seek(max(place, 0))
            message = file.read(max(head, 0)).removeprefix(_MARK)[_LENGTH:]
            if min(place, head) < 0 or _body(message) != body or place + head + body > start:
                raise ValueError("a batch does not lie where the footer states")
            last = max(last, place + head + body)
            _check_message(file, message, place + head)
    file.seek(last)
    if _MAGIC * 2 in file.read(start - last + size + _FOOTER):
        raise ValueError("several files lie in it, one after the other; they are not read")


def check_stream(file: IO[bytes]) -> None:
    """Refuse a stream that ends before its mark or goes on behind it, and batches that state impossible lengths.

    Raises:
        ValueError: with what is wrong.

    """
    end = file.seek(0, os.SEEK_END)
    place = 0
    while place < end:
        file.seek(place)
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
        place = start + max(_body(message), 0)
        _check_message(file, message, start)
    raise ValueError("the mark at the end of the stream is missing")


def _body(message: bytes) -> int:
    """How many bytes follow a message."""
    place = _field(message, _target(message, 0), _BODY)
    return _number("q", message, place) if place else 0


def _check_message(file: IO[bytes], message: bytes, body: int) -> None:
    """Refuse a compressed buffer that states more bytes than it can hold."""
    table = _target(message, 0)
    kind = message[_field(message, table, _TYPE)]
    if kind not in (_DICTIONARY, _BATCH):
        return
    batch = _target(message, _field(message, table, _HEADER))
    if kind == _DICTIONARY:
        batch = _target(message, _field(message, batch, _DATA))
    if not _field(message, batch, _COMPRESSION):
        return
    for place, size in _structs(message, batch, _BUFFERS, "qq"):
        file.seek(max(body + place, 0))
        stated = _number("q", file.read(8)) if size else 0
        if stated > size * _RATIO:
            raise ValueError(f"{size:,} bytes are said to be {stated:,} when decompressed")


def _number(kind: str, data: bytes, place: int = 0) -> int:
    try:
        return int(struct.unpack_from(f"<{kind}", data, place)[0])
    except struct.error:
        raise ValueError("a message is not complete") from None


def _target(data: bytes, place: int) -> int:
    """Where an offset of FlatBuffers leads."""
    return place + _number("I", data, place)


def _field(data: bytes, table: int, number: int) -> int:
    """Where a field of a table of FlatBuffers lies; 0 where the table has no such field."""
    fields = table - _number("i", data, table)
    entry = 4 + 2 * number
    distance = _number("H", data, fields + entry) if entry < _number("H", data, fields) else 0
    return table + distance if distance else 0


def _structs(data: bytes, table: int, number: int, kinds: str) -> Iterator[tuple[int, ...]]:
    """The structures in a vector of FlatBuffers."""
    place = _field(data, table, number)
    if not place:
        return
    start = _target(data, place)
    form = struct.Struct(f"<{kinds}")
    vector = data[start + 4 : start + 4 + form.size * _number("I", data, start)]
    if len(vector) % form.size:
        raise ValueError("a message is not complete")
    yield from form.iter_unpack(vector)
