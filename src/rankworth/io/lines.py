"""Lines of text files: what lines of runs and judgements hold, whole lines in chunks, and what is no text in UTF-8."""

import re
import shlex
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Final, NamedTuple, TypeVar

from rankworth.errors import InputError
from rankworth.io.layout import Layout
from rankworth.io.source import STDIN, Source

T = TypeVar("T")

MARK: Final = b"\xef\xbb\xbf"
"""a byte order mark; files that were joined have some in their middle"""
MOST_BLANK: Final = 1 << 24
"""how many bytes of blank lines may stand together"""
HEAD: Final = 1 << 16
"""how much of a file tells what it is"""
_AHEAD: Final = 2
_AROUND: Final = 30
"""how many bytes before and after a wrong one are shown"""
_MARKED: Final = re.compile(rb"^[ \t\v\f\r]*\xef\xbb\xbf", re.MULTILINE)


class Chunk(NamedTuple):
    """Whole lines of a file."""

    text: bytes
    above: int
    """how many lines stand above them"""


def chunks(
    source: Source,
    *,
    usual: int,
    longest: int,
    noun: str = "line",
    has_quotes: bool = False,
    skip: tuple[int, int] = (0, 0),
) -> Iterator[Chunk]:
    """Yield whole lines, without byte order marks where they begin: few at first, so that a parser can start soon.

    The last chunk is empty. The buffer grows beyond the usual size where a single line needs it, and never beyond the
    longest.

    Args:
        source: the file.
        usual: how many bytes at a time.
        longest: how many bytes a line may have.
        noun: what messages call a line.
        has_quotes: whether a line may begin within a quoted cell, so that byte order marks stay.
        skip: how many bytes at the beginning to pass over, and how many lines those are.

    Raises:
        InputError: `wrong-encoding`, `binary-file`, `line-ends`, `endless-line`.

    """
    import numpy as np  # noqa: PLC0415 - dicts come here for the layouts

    head = source.head(HEAD)
    refuse_binary(source, head)
    with source.open() as stream:
        start, above = skip
        stream.fill(bytearray(start))
        buffer, filled, is_last, blank = bytearray(max(1, usual >> 3)), 0, False, 0
        while not is_last:
            filled = stream.fill(buffer, filled)
            is_last = filled < len(buffer)
            end = filled if is_last else buffer.rfind(b"\n") + 1
            text = bytes(memoryview(buffer)[: end or filled])
            if 0 in text:
                raise null_byte(source, text, above)
            if not end and filled >= longest:
                raise endless(source, above, longest, noun)
            blank = 0 if text[:_AROUND].strip() or text.strip() else blank + len(text)
            if blank > MOST_BLANK:
                raise blank_lines(source, above)
            if end:
                yield Chunk(_MARKED.sub(b"", text) if not has_quotes and has_mark(text) else text, above)
                above += int(np.count_nonzero(np.frombuffer(text, np.uint8) == ord("\n")))
                filled -= end
                buffer[:filled] = buffer[end : end + filled]
            if not end or len(buffer) < usual:
                buffer.extend(bytes(len(buffer)))
            if source.progress is not None:
                source.report(stream.position)
        yield Chunk(b"", above)


def blank_lines(source: Source, above: int) -> InputError:
    """Return the error for a file that goes on with nothing but blank lines.

    Args:
        source: the file.
        above: how many lines stand above the last blank ones.

    """
    text = f"{source.name}: more than {MOST_BLANK >> 20} MB of blank lines stand before line {above + 1:,}"
    return InputError("endless-line", text, remedy="a run or judgements are no such file; look at what wrote it")


def has_mark(text: bytes) -> bool:
    """Return whether there is a byte order mark; its first byte is sought sooner than all of it."""
    return MARK[:1] in text and MARK in text


def parsed(chunks: Iterator[Chunk], parse: Callable[[Chunk], T]) -> Iterator[tuple[Chunk, T]]:
    """Yield chunks in file order with what the parser makes of them; the next ones are parsed meanwhile."""
    pool = ThreadPoolExecutor(_AHEAD)
    coming: deque[tuple[Chunk, Future[T]]] = deque()
    try:
        for chunk in chunks:
            coming.append((chunk, pool.submit(parse, chunk)))
            if len(coming) > _AHEAD:
                first, result = coming.popleft()
                yield first, result.result()
        for first, result in coming:
            yield first, result.result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def long_line(text: bytes, longest: int) -> bool:
    """Return whether a line is longer."""
    start = 0
    while len(text) - start > longest:
        end = text.rfind(b"\n", start, start + longest + 1)
        if end < 0:
            return True
        start = end + 1
    return False


def numbered(source: Source, usual: int = HEAD, longest: int = HEAD) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of a file that are not blank, without their ends, each with its number.

    Args:
        source: the file.
        usual: how many bytes to read at a time.
        longest: how many bytes a line may have.

    Raises:
        InputError: as `chunks`.

    """
    for text, above in chunks(source, usual=usual, longest=longest):
        yield from ((number, line) for number, line in enumerate(text.split(b"\n"), above + 1) if line.strip())


def beginning(head: bytes) -> tuple[int, int]:
    """Count the bytes and the lines before the first line that is neither blank nor a comment.

    Cells that are all empty are blank; a line with a tab is no comment.
    """
    start, above = len(MARK) if head.startswith(MARK) else 0, 0
    while start < len(head):
        end = head.find(b"\n", start) + 1 or len(head)
        line = head[start:end]
        if line.strip(b" \t\r\n,;|") and (b"\t" in line or not line.lstrip().startswith(b"#")):
            break
        start, above = end, above + 1
    return start, above


def first_line(head: bytes) -> bytes:
    """Return the first line that is neither blank nor a comment, or an empty text."""
    lines = _MARKED.sub(b"", head[beginning(head)[0] :]).split(b"\n")
    return next((line for line in lines if line.strip() and not line.lstrip().startswith(b"#")), b"")


# Files that are no text in UTF-8 with lines


def path_of(source: Source) -> str:
    """Return the path as a shell takes it; `FILE` for standard input."""
    return "FILE" if source.path == STDIN else shlex.quote(source.path)


def refuse_binary(source: Source, head: bytes) -> None:
    """Refuse what does not begin like a text in UTF-8 with lines.

    Raises:
        InputError: `wrong-encoding`, `binary-file`, `line-ends`.

    """
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        encoding = "UTF-32" if head[2:4] == b"\0\0" else "UTF-16"
        remedy = f"iconv -f {encoding} -t UTF-8 {path_of(source)} > utf8.txt"
        raise InputError("wrong-encoding", f"{source.name}: the text is {encoding}, not UTF-8", remedy=remedy)
    if 0 in head:
        raise null_byte(source, head)
    if b"\r" in head.rstrip() and b"\n" not in head:
        raise InputError("line-ends", f"{source.name}: its lines end in CR alone, not in LF", remedy=with_lf(source))


def null_byte(source: Source, text: bytes, above: int = 0) -> InputError:
    """Build the error for a null byte in a text that stands below some lines."""
    line = above + text.count(b"\n", 0, text.index(0)) + 1
    problem = f"{source.name}:{line}: a null byte; this is not a text file"
    remedy = "export or extract its table as text, or leave the format out to have it detected from the content"
    return InputError("binary-file", problem, remedy=remedy)


def decoded(source: Source, line: bytes, number: int) -> str:
    """Decode a line as UTF-8.

    Raises:
        InputError: `wrong-encoding`.

    """
    try:
        return line.decode()
    except UnicodeDecodeError as error:
        number += line.count(b"\n", 0, error.start)
        shown = str(line[max(0, error.start - _AROUND) : error.start + _AROUND])[1:]
        text = f"{source.name}:{number}: this is not UTF-8: {shown}"
        raise InputError("wrong-encoding", text, remedy=latin1(source)) from None


def latin1(source: Source) -> str:
    """Suggest a command for text that is not UTF-8: Windows-1252 has all letters of Latin-1, and quotes and dashes."""
    return f"if the text is Windows-1252 or Latin-1: iconv -f WINDOWS-1252 -t UTF-8 {path_of(source)} > utf8.txt"


def with_lf(source: Source) -> str:
    """Suggest a command where lines end in CR alone."""
    return f"tr '\\r' '\\n' < {path_of(source)} > lines.txt"


def endless(source: Source, above: int, longest: int, noun: str) -> InputError:
    """Build the error for a line or a record, below some lines, that has more bytes than any should have."""
    size = f"{longest >> 20:,} MB" if longest >> 20 else f"{longest >> 10:,} kB"
    remedy = f"end each {noun} with a line break, and close all quotes; if the file is something else, say its format"
    text = f"{source.name}:{above + 1}: this {noun} does not end within {size}"
    return InputError("endless-line", text, remedy=remedy)


def empty(source: Source, layout: Layout) -> InputError:
    """Build the error for a file without rows."""
    remedy = "standard input can be read once only; was it read before?" if source.path == STDIN else ""
    return InputError("empty-input", f"{source.name}: there is no {layout.noun} in it", remedy=remedy)
