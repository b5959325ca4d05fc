"""Files in chunks of whole lines or records, some megabytes at a time."""

from collections.abc import Callable, Iterator
from typing import Final, TypeVar

import numpy as np

from rankworth.io.source import Progress, Source, Stream
from rankworth.io.text import foreign
from rankworth.io.text.lines import MARK

T = TypeVar("T")

_PACKED: Final = (b"x\x01", b"x^", b"x\x9c", b"x\xda", b"\x1f\x8b", b"(\xb5/\xfd")
"""how zlib, gzip and zstd begin; `x^` is text as well"""
_HEAD: Final = 1 << 10
_LITTLE: Final = 1 << 20
_NEWLINE: Final = ord("\n")
LINE: Final = 1 << 16
"""how long a line of words may be"""


def chunks(
    source: Source,
    cut: Callable[[bytearray], tuple[int, T]],
    *,
    first: int,
    usual: int,
    longest: int,
    skip: int = 0,
    progress: Progress | None = None,
) -> Iterator[tuple[bytes, T | None]]:
    """Whole lines: little at first, so that a parser has something to do soon.

    The buffer grows beyond the usual size where a single line needs it, and never beyond the longest; nor where there
    is a null byte, so that a file of another kind is not read to its end. What is left in the end is handed out as it
    is: it is a line without an end if it is as long as the longest.

    Args:
        source: the file.
        cut: gives the place where the last whole line ends, 0 where none does, and what else is to be handed out; it
            is not asked about what is left in the end.
        first: how many bytes at first.
        usual: how many bytes later.
        longest: how many bytes a line may have.
        skip: how many bytes at the beginning to pass over.
        progress: told after each chunk how far the file is read.

    """
    with source.open() as stream:
        _pass_over(stream, skip)
        buffer = bytearray(max(1, first))
        held = 0
        while count := stream.readinto(memoryview(buffer)[held:]):
            held += count
            if held < len(buffer):
                continue
            end, told = cut(buffer)
            if end:
                yield bytes(memoryview(buffer)[:end]), told
                buffer[: held - end] = buffer[end:held]
                held -= end
            elif len(buffer) >= longest or 0 in buffer:
                break
            if not end or len(buffer) < usual:
                buffer.extend(bytes(len(buffer)))
            if progress is not None:
                progress(source.name, stream.place, source.size)
        if held:
            yield bytes(memoryview(buffer)[:held]), None
        if progress is not None:
            progress(source.name, stream.place, source.size)


def _pass_over(stream: Stream, count: int) -> None:
    rest = memoryview(bytearray(count))
    while rest and (read := stream.readinto(rest)):
        rest = rest[read:]


def lines(source: Source, *, usual: int, longest: int, progress: Progress | None = None) -> Iterator[bytes]:
    """Whole lines, as `chunks`.

    Args:
        source: the file.
        usual: how many bytes at a time.
        longest: how many bytes a line may have.
        progress: told after each chunk how far the file is read.

    """
    parts = chunks(source, _last_line, first=usual >> 3, usual=usual, longest=longest, progress=progress)
    return (chunk for chunk, _ in parts)


def _last_line(buffer: bytearray) -> tuple[int, None]:
    return buffer.rfind(b"\n") + 1, None


def long_line(chunk: bytes, longest: int = LINE) -> int | None:
    """Where the first line begins that is longer; None where there is none."""
    place = 0
    while len(chunk) - place > longest:
        end = chunk.rfind(b"\n", place, place + longest + 1)
        if end < 0:
            return place
        place = end + 1
    return None


def is_dense(chunk: bytes, least: int) -> bool:
    """Whether lines have fewer bytes than the least on average, so that many of them are blank or cut off."""
    return int(np.count_nonzero(np.frombuffer(chunk, np.uint8) == _NEWLINE)) * least > len(chunk) + least


def numbered(source: Source) -> Iterator[tuple[int, bytes]]:
    """The lines of a small file that are not blank, without their ends, and their numbers.

    Raises:
        InputError: `binary-file`, `line-ends`, `endless-line`.

    """
    above = 0
    for chunk in lines(source, usual=_LITTLE, longest=LINE):
        text = chunk if above else chunk.removeprefix(MARK)
        if 0 in text:
            raise foreign.no_text(source, text, above)
        if not above and foreign.ends_in_cr(text):
            raise foreign.only_cr(source)
        if (place := long_line(text)) is not None:
            raise foreign.endless(source, above + text.count(b"\n", 0, place), LINE, "end each line with a line break")
        if text.strip():
            yield from ((number, line) for number, line in enumerate(text.split(b"\n"), above + 1) if line.strip())
        above += text.count(b"\n")


def is_endless(chunk: bytes, longest: int) -> bool:
    """Whether this is a part of a line that does not end."""
    return len(chunk) >= longest and b"\n" not in chunk


def looks_packed(chunk: bytes) -> bool:
    """Whether Polars would take a text for packed data and unpack it."""
    return chunk[:_HEAD].lstrip().startswith(_PACKED)
