"""The pages of a Parquet file, looked at before Polars reads them.

For a page that says that it holds 2**60 values Polars asks for the memory, and where it gets none, the whole process
dies. Checksums, which Polars leaves aside, are compared where the file has some, and where gzip packed the pages, which
has its own: many a damaged page has values, too. The end of a file has none, but says some things twice.
"""

import os
import zlib
from collections.abc import Collection, Mapping
from typing import IO, Any, Final

from rankworth.io.frames.thrift import Thrift

_LENGTH: Final = 4
_MAGIC: Final = b"PAR1"
_HEADER: Final = 256
"""bytes that nearly all headers of pages fit in"""
_LARGEST: Final = 1 << 20

# Numbers of the fields that count, in the structures of parquet.thrift.
_SCHEMA, _GROUPS = 2, 4
_CHUNKS: Final = 1
_ROWS: Final = 3
_ELSEWHERE, _CHUNK = 1, 3
_NAME: Final = 4
_TYPE, _PATH, _CODEC, _VALUES, _SIZE, _DATA, _DICTIONARY = 1, 3, 4, 5, 7, 9, 11
_UNPACKED, _PACKED, _CHECKSUM, _PAGE, _PAGE_OF_DICTIONARY, _PAGE_2 = 2, 3, 4, 5, 7, 8
_VALUES_OF_PAGE: Final = 1
_ENCODINGS: Final = {_PAGE: (2, 3, 4), _PAGE_OF_DICTIONARY: (2,), _PAGE_2: (4,)}
"""where kinds of pages say how their values are written"""
_ENCODED: Final = frozenset((0, 2, 3, 4, 5, 6, 7, 8, 9))
_LEVELS: Final = (5, 6)
_IS_PACKED: Final = 7
_GZIP: Final = 2
_ANY_ZLIB: Final = 47
"""zlib's number for what gzip or zlib packed"""

Footer = Mapping[int, Any]
"""what the end of a file says of all others of its parts"""


def footer(file: IO[bytes]) -> Footer:
    """The end of a file, where that holds together, and lists columns that lie in the file and are those of the schema.

    Args:
        file: the whole file.

    Raises:
        ValueError: with what is wrong.

    """
    start, length = _bounds(file)
    file.seek(start)
    last = len(_MAGIC)
    try:
        found = Thrift(file.read(length)).struct()
        leaves = [(element[_NAME], element[_TYPE]) for element in found[_SCHEMA] if _TYPE in element]
        for chunks in (group[_CHUNKS] for group in found[_GROUPS]):
            if [(chunk[_CHUNK][_PATH][-1], chunk[_CHUNK][_TYPE]) for chunk in chunks] != leaves:
                raise ValueError("its columns are not those of its schema")
            last = max([last, *(_span(chunk[_CHUNK], start)[1] for chunk in chunks if _is_here(chunk))])
        if sum(group[_ROWS] for group in found[_GROUPS]) != found[_ROWS]:
            raise ValueError("it has not as many rows as it says")
    except (LookupError, TypeError):
        raise ValueError("what it says of its pages is not complete") from None
    file.seek(last - len(_MAGIC))
    if _MAGIC * 2 in file.read(start - last + len(_MAGIC)):
        raise ValueError("several files lie in it, one after the other; they are not read")
    return found


def check(file: IO[bytes], footer: Footer, columns: Collection[str]) -> None:
    """Refuse a file some of whose pages are not what it says.

    Args:
        file: the whole file, which is read where the pages lie.
        footer: its end.
        columns: the columns that will be read; of the others nothing is asked.

    Raises:
        ValueError: with what is wrong.

    """
    start, _ = _bounds(file)
    names = {column.encode() for column in columns}
    try:
        for group in footer[_GROUPS]:
            for chunk in group[_CHUNKS]:
                if chunk[_CHUNK][_PATH][0] in names and _is_here(chunk):
                    _check_chunk(file, chunk[_CHUNK], start)
    except (LookupError, TypeError):
        raise ValueError("what it says of its pages is not complete") from None


def _bounds(file: IO[bytes]) -> tuple[int, int]:
    """Where the footer begins, and how long it is."""
    end = file.seek(0, os.SEEK_END) - _LENGTH - len(_MAGIC)
    file.seek(max(end, 0))
    length = int.from_bytes(file.read(_LENGTH), "little")
    if file.read() != _MAGIC or end - length < len(_MAGIC):
        raise ValueError("the end of the file is missing")
    return end - length, length


def _is_here(chunk: Mapping[int, Any]) -> bool:
    """Whether a column in one row group has values in this file."""
    return bool(chunk[_CHUNK][_VALUES]) and _ELSEWHERE not in chunk


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
        if min(size, header[_UNPACKED], count) < 0 or start + size > end or not _is_possible(header):
            raise ValueError(f"the page at byte {place:,} does not hold together")
        if _CHECKSUM in header or chunk[_CODEC] == _GZIP:
            file.seek(start)
            content = file.read(size)
            if zlib.crc32(content) != header.get(_CHECKSUM, zlib.crc32(content)) & 0xFFFFFFFF:
                raise ValueError(f"the page at byte {place:,} does not fit its checksum")
            if chunk[_CODEC] == _GZIP and not _is_whole(content, header):
                raise ValueError(f"the page at byte {place:,} cannot be unpacked")
        values += count
        place = start + size
    if values != chunk[_VALUES]:
        raise ValueError(f"the pages of a column hold {values:,} values, not {chunk[_VALUES]:,}")


def _is_possible(header: Mapping[int, Any]) -> bool:
    """Whether the values of a page are written in a way that there is, behind levels that fit into it."""
    known = all(
        header[kind][field] in _ENCODED for kind, fields in _ENCODINGS.items() if kind in header for field in fields
    )
    levels = [header[_PAGE_2][field] for field in _LEVELS] if _PAGE_2 in header else [0]
    return known and min(levels) >= 0 and sum(levels) <= min(header[_PACKED], header[_UNPACKED])


def _is_whole(content: bytes, header: Mapping[int, Any]) -> bool:
    """Whether what gzip packed has the length and the checksum that stand at its end."""
    second = header.get(_PAGE_2, {})
    if not second.get(_IS_PACKED, True):
        return True
    levels = sum(second.get(field, 0) for field in _LEVELS)
    packed, missing = content[levels:], header[_UNPACKED] - levels
    while packed and missing >= 0:
        stream = zlib.decompressobj(_ANY_ZLIB)
        try:
            missing -= len(stream.decompress(packed, missing + 1))
        except zlib.error:
            return False
        if not stream.eof:
            return False
        packed = stream.unused_data
    return bool(missing == 0)


def _header(file: IO[bytes], place: int, end: int) -> tuple[dict[int, Any], int]:
    """The header of the page at a place, and how long it is."""
    for size in (_HEADER, _LARGEST):
        file.seek(place)
        thrift = Thrift(file.read(min(size, end - place)))
        try:
            return thrift.struct(), thrift.place
        except IndexError:
            continue
    raise ValueError(f"the page at byte {place:,} has no end")
