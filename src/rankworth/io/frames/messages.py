"""The messages of an Arrow file or stream, looked at before Polars reads them.

They follow each other up to the mark at the end, nothing stands behind that, and the end of a file lists all of them.
Polars reads a stream as far as it goes, of several files one after the other the rows of one, and of a file what stands
in that list. What a message says of its columns is compared with what it holds: `buffers`.
"""

import os
from typing import IO, Final

from rankworth.io.frames import buffers
from rankworth.io.frames.flatbuffers import Table
from rankworth.io.frames.schemas import Schema

_MAGIC: Final = b"ARROW1"
_FIRST: Final = 8
_LENGTH: Final = 4
_MORE: Final = b"\xff" * 4
"""stands before the length of a message since version 0.15"""

# Numbers of fields in the tables of Message.fbs and File.fbs, and of the kinds of messages.
_KIND, _CONTENT, _BODY = 1, 2, 3
_SCHEMA_OF_FILE: Final = 1
_SCHEMA, _DICTIONARY, _BATCH = 1, 2, 3
_BLOCKS: Final = ((_DICTIONARY, 2), (_BATCH, 3))

Block = tuple[int, ...]
"""the kind of a message, where it begins, the length of its head and of its body"""


def check(file: IO[bytes]) -> None:
    """Refuse what is not one file or one stream from its first to its last byte.

    Args:
        file: the whole file.

    Raises:
        ValueError: with what is wrong.

    """
    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    (_check_file if file.read(len(_MAGIC)) == _MAGIC else _check_stream)(file, size)


def _check_stream(file: IO[bytes], size: int) -> None:
    """The messages follow each other up to the mark at the end, and nothing follows that."""
    end, _, marked = _walk(file, 0, size, None)
    if not marked:
        raise ValueError("the mark at the end of the stream is missing")
    if end != size:
        raise ValueError("more follows where it ends; several streams in one file are not read")


def _check_file(file: IO[bytes], size: int) -> None:
    """The messages that the end of the file lists, and no others, lie between the schema and that.

    What stands before them is left alone: Polars writes the schema there without its length.
    """
    end = size - _LENGTH - len(_MAGIC)
    file.seek(max(end, 0))
    length = int.from_bytes(file.read(_LENGTH), "little")
    start = end - length
    if file.read() != _MAGIC or start < _FIRST:
        raise ValueError("the end of the file is missing")
    file.seek(start)
    footer = Table(file.read(length))
    schema = footer.table(_SCHEMA_OF_FILE)
    if schema is None:
        raise ValueError("it has no schema")
    listed = [(kind, *block) for kind, field in _BLOCKS for block in footer.structs(field, "qi4xq")]
    first = min((place for _, place, _, _ in listed), default=_FIRST)
    last, messages, _ = _walk(file, first, start if listed else first, Schema.of(schema))
    if sorted(listed) != sorted(messages):
        raise ValueError("the messages do not lie where its end says")
    file.seek(last)
    rest = file.read(start - last)
    if rest.strip(b"\0") if listed else _MAGIC * 2 in rest:
        raise ValueError("several files lie in it, one after the other; they are not read")


def _walk(file: IO[bytes], place: int, end: int, schema: Schema | None) -> tuple[int, list[Block], bool]:
    """Look at the messages from a place on: where they end, those that hold rows, and whether the mark was there."""
    messages: list[Block] = []
    while place < end:
        file.seek(place)
        length = _read(file, _LENGTH)
        if length == _MORE:
            length = _read(file, _LENGTH)
        start, head = file.tell(), int.from_bytes(length, "little", signed=True)
        if not head:
            return start, messages, True
        message = Table(file.read(head)) if 0 < head <= end - start else None
        body = message.number(_BODY, "q") if message else -1
        if message is None or not 0 <= body <= end - start - head:
            raise ValueError("a message is longer than what is there")
        kind, content = message.number(_KIND, "B"), message.table(_CONTENT)
        if content is None or kind not in (_SCHEMA, _DICTIONARY, _BATCH):
            raise ValueError(f"there is no message of kind {kind}")
        if kind == _SCHEMA:
            schema = Schema.of(content) if schema is None else schema
        elif schema is None:
            raise ValueError("it has no schema")
        else:
            fits = buffers.check if kind == _BATCH else buffers.check_dictionary
            fits(content, buffers.Body(file, start + head, body), schema)
            messages.append((kind, place, start + head - place, body))
        place = start + head + body
    return place, messages, False


def _read(file: IO[bytes], size: int) -> bytes:
    data = file.read(size)
    if len(data) != size:
        raise ValueError("a message is not complete")
    return data
