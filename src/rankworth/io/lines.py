"""Text files in chunks of whole lines, what lines of runs and qrels hold, and files that are no text in UTF-8."""

import math
import re
import shlex
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Final, TypeVar

from rankworth.errors import InputError
from rankworth.io.source import STDIN, Progress, Source

T = TypeVar("T")

MARK: Final = b"\xef\xbb\xbf"
"""a byte order mark; files that were joined have some in their middle"""
FIELDS: Final = 10_000
"""how many columns a line or a record may have"""
BLANKS: Final = " \t"
NUMBER: Final = re.compile(
    r"[+-]?(?:[0-9]+\.?[0-9]*(?:e[+-]?[0-9]+)?|\.[0-9]+(?:e[+-]?[0-9]+)?|inf|infinity|nan)", re.IGNORECASE
)
COMMA: Final = re.compile(r"[+-]?[0-9]+,[0-9]+")
"""a number with a decimal comma"""
_SHOWN: Final = 10
_SMALL: Final = 1 << 16
_AHEAD: Final = 2
_BEFORE: Final = re.compile(rb"\A(?:\xef\xbb\xbf|\s)+")


@dataclass(frozen=True)
class Layout:
    """What a file holds: a run or qrels."""

    what: str
    columns: tuple[str, ...]
    """of TREC's lines"""
    value: str
    used: tuple[str, ...]
    """the columns that judging needs"""
    slug: str
    bad_value: str
    infinite: bool
    verb: str
    repeated: str
    option: str
    """what the command line calls such files"""
    exchanged: str
    """what helps where this is expected, and the other is there"""

    @property
    def other(self) -> "Layout":
        """Qrels for a run, and the other way around."""
        return QRELS if self is RUN else RUN

    @property
    def value_index(self) -> int:
        """Which column of TREC's lines holds the value."""
        return self.columns.index(self.value)

    def fits(self, fields: list[bytes]) -> bool:
        """Whether a line may have these columns."""
        if len(fields) != len(self.columns) or not NUMBER.fullmatch(fields[self.value_index].decode("latin-1")):
            return False
        value = float(fields[self.value_index])
        return math.isfinite(value) or (self.infinite and not math.isnan(value))


RUN: Final = Layout(
    what="run line",
    columns=("query", "Q0", "document", "rank", "score", "tag"),
    value="score",
    used=("query", "document", "score"),
    slug="run-columns",
    bad_value="bad-score",
    infinite=True,
    verb="ranks",
    repeated="duplicate-document",
    option="run",
    exchanged="this looks like judgements; they come first, the run comes second",
)
QRELS: Final = Layout(
    what="qrels line",
    columns=("query", "iteration", "document", "grade"),
    value="grade",
    used=("query", "document", "grade"),
    slug="qrels-columns",
    bad_value="bad-grade",
    infinite=False,
    verb="judges",
    repeated="duplicate-judgement",
    option="qrels",
    exchanged="this looks like a run; the judgements come first, the run comes second",
)


@dataclass
class Problems:
    """The problems of one file: the first ten in words, the others counted."""

    name: str
    count: int = 0
    _texts: list[tuple[str, str]] = field(default_factory=list)
    _remedies: dict[str, None] = field(default_factory=dict)

    def add(self, line: int, slug: str, text: str, remedy: str) -> None:
        """Count a problem of a line, and keep it while there are few."""
        self.count += 1
        if self.count <= _SHOWN:
            self._texts.append((slug, f"{self.name}:{line}: {text}"))
            self._remedies[remedy] = None

    def error(self, note: str = "") -> InputError:
        """All problems as one error, with a further note."""
        slugs, texts = zip(*self._texts, strict=True)
        remedy = "\n".join(filter(None, (*self._remedies, note)))
        return InputError(slugs[0], *texts, slugs=slugs, more=self.count - len(texts), remedy=remedy)


# Lines


def chunks(
    source: Source, *, usual: int, longest: int, skip: int = 0, progress: Progress | None = None
) -> Iterator[bytes]:
    """Whole lines: few at first, so that a parser has something to do soon.

    The buffer grows beyond the usual size where a single line needs it, and never beyond the longest; nor where there
    is a null byte, so that a file of another kind is not read to its end. The last chunk may have no line end: it is
    the end of the file, or as long as the longest line may be, see `is_endless`.

    Args:
        source: the file.
        usual: how many bytes at a time.
        longest: how many bytes a line may have.
        skip: how many bytes at the beginning to pass over.
        progress: called after each chunk with how far the file is read.

    """
    with source.open() as stream:
        stream.fill(bytearray(skip))
        buffer = bytearray(max(1, usual >> 3))
        held = 0
        while (held := stream.fill(buffer, held)) == len(buffer):
            end = buffer.rfind(b"\n") + 1
            if end:
                yield bytes(memoryview(buffer)[:end])
                buffer[: held - end] = buffer[end:held]
                held -= end
            elif len(buffer) >= longest or 0 in buffer:
                break
            if not end or len(buffer) < usual:
                buffer.extend(bytes(len(buffer)))
            if progress is not None:
                progress(source.name, stream.position, source.size)
        if held:
            yield bytes(memoryview(buffer)[:held])
        if progress is not None:
            progress(source.name, stream.position, source.size)


def parsed(chunks: Iterator[bytes], parse: Callable[[bytes], T]) -> Iterator[tuple[bytes, T]]:
    """Chunks in file order with what the parser makes of them; the next ones are parsed meanwhile."""
    pool = ThreadPoolExecutor(_AHEAD)
    coming: deque[tuple[bytes, Future[T]]] = deque()
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


def is_unusual(chunk: bytes, least: int) -> bool:
    """Whether Polars must not see a chunk: lines are too short or too long, or it takes it for compressed data.

    Compressed data begin so in zlib, gzip and zstd; `x^` is text as well.
    """
    if chunk.count(b"\n") * least > len(chunk) + least or long_line(chunk, _SMALL) is not None:
        return True
    return chunk[:1024].lstrip().startswith((b"x\x01", b"x^", b"x\x9c", b"x\xda", b"\x1f\x8b", b"(\xb5/\xfd"))


def long_line(chunk: bytes, longest: int) -> int | None:
    """Where the first line begins that is longer; None where there is none."""
    place = 0
    while len(chunk) - place > longest:
        end = chunk.rfind(b"\n", place, place + longest + 1)
        if end < 0:
            return place
        place = end + 1
    return None


def numbered(
    source: Source, usual: int = _SMALL, longest: int = _SMALL, progress: Progress | None = None
) -> Iterator[tuple[int, bytes]]:
    """The lines of a file that are not blank, without their ends, and their numbers.

    Args:
        source: the file.
        usual: how many bytes to read at a time.
        longest: how many bytes a line may have.
        progress: called with how far the file is read.

    Raises:
        InputError: `wrong-encoding`, `binary-file`, `line-ends`, `endless-line`.

    """
    refuse_binary(source, source.head(_SMALL))
    above = 0
    for chunk in chunks(source, usual=usual, longest=longest, progress=progress):
        if 0 in chunk:
            raise no_text(source, chunk, above)
        if is_endless(chunk, longest):
            raise endless(source, above, longest, "end each line with a line break")
        text = chunk if above else chunk.removeprefix(MARK)
        yield from ((number, line) for number, line in enumerate(text.split(b"\n"), above + 1) if line.strip())
        above += text.count(b"\n")


def beginning(head: bytes) -> tuple[int, int]:
    """How many bytes and how many lines stand before the first line that is neither blank nor a comment.

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
    """The first line that is neither blank nor a comment; nothing where there is none."""
    lines = head[beginning(head)[0] :].split(b"\n")
    return next((line for line in lines if line.strip() and not line.lstrip().startswith(b"#")), b"")


def bare(line: bytes) -> bytes:
    """A line without a byte order mark before its first column."""
    return _BEFORE.sub(b"", line, count=1) if MARK in line else line


# Files that are no text in UTF-8 with lines

_MARKS: Final = {
    b"\xff\xfe\0\0": "UTF-32",
    b"\0\0\xfe\xff": "UTF-32",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
}
_KINDS: Final = {
    b"PAR1": "Parquet",
    b"ARROW1": "Arrow",
    b"PK\x03\x04": "a zip archive or an Excel workbook",
    b"7z\xbc\xaf": "a 7z archive",
    b"\x04\x22\x4d\x18": "compressed with lz4",
    b"FEA1": "Feather of version 1",
    b"%PDF": "a PDF",
    b"SQLite format 3": "a database of SQLite",
    b"\x93NUMPY": "an array of NumPy",
}
_REMEDIES: Final = {
    b"PAR1": "leave the format out to have it detected from the content",
    b"ARROW1": "leave the format out to have it detected from the content",
    b"\x93NUMPY": "load it with numpy.load and pass the array",
}


def path_of(source: Source) -> str:
    """The path as a shell takes it; `FILE` for standard input."""
    return "FILE" if source.path == STDIN else shlex.quote(source.path)


def refuse_binary(source: Source, head: bytes) -> None:
    """Refuse what does not begin like a text in UTF-8 with lines.

    Raises:
        InputError: `wrong-encoding`, `binary-file`, `line-ends`.

    """
    if 0 in head or kind_of(head) or encoding(head):
        raise no_text(source, head)
    if ends_in_cr(head):
        raise only_cr(source)


def encoding(head: bytes) -> str:
    """The encoding of more than one byte in which a text begins, as iconv calls it; nothing where it begins in none."""
    if marked := next((name for mark, name in _MARKS.items() if head.startswith(mark)), ""):
        return marked
    begin = head[:100]
    zeros = [begin[parity::2].count(0) for parity in (0, 1)]
    if min(zeros) or max(zeros) <= max(3, len(begin) // 3):
        return ""
    return "UTF-16LE" if zeros[1] else "UTF-16BE"


def kind_of(head: bytes) -> str:
    """What begins so and is no text; nothing where that is not known."""
    if head[257:262] == b"ustar":
        return "a tar archive"
    return next((kind for magic, kind in _KINDS.items() if head.startswith(magic)), "")


def no_text(source: Source, chunk: bytes, lines: int = 0) -> InputError:
    """The error for bytes that are no text in UTF-8, below some lines."""
    if not lines and (name := encoding(chunk)):
        remedy = f"iconv -f {name} -t UTF-8 {path_of(source)} > utf8.txt"
        return InputError("wrong-encoding", f"{source.name}: the text is {name[:6]}, not UTF-8", remedy=remedy)
    if not lines and (kind := kind_of(chunk)):
        remedy = next((remedy for magic, remedy in _REMEDIES.items() if chunk.startswith(magic)), "")
        text = f"{source.name}: this is {kind}, not text"
        return InputError("binary-file", text, remedy=remedy or "extract or export its table as text")
    line = lines + chunk.count(b"\n", 0, chunk.index(0)) + 1
    show = f"; sed -n {line}l {path_of(source)} shows the line" if source.path != STDIN else ""
    text = f"{source.name}:{line}: a null byte; this is not a text file"
    return InputError("binary-file", text, remedy=f"if it should be one, write or copy it again{show}")


def latin1(source: Source) -> str:
    """What helps where a text is not UTF-8: Windows-1252 has all letters of Latin-1, and quotes and dashes besides."""
    return f"if the text is Windows-1252 or Latin-1: iconv -f WINDOWS-1252 -t UTF-8 {path_of(source)} > utf8.txt"


def ends_in_cr(head: bytes) -> bool:
    """Whether lines end in CR alone, as far as can be seen."""
    return b"\r" in head.rstrip() and b"\n" not in head


def with_lf(source: Source) -> str:
    """What helps where lines end in CR alone."""
    return f"tr '\\r' '\\n' < {path_of(source)} > lines.txt"


def only_cr(source: Source) -> InputError:
    """The error for lines that end in CR alone."""
    return InputError("line-ends", f"{source.name}: its lines end in CR alone, not in LF", remedy=with_lf(source))


def is_endless(chunk: bytes, longest: int) -> bool:
    """Whether this is a part of a line that does not end."""
    return len(chunk) >= longest and b"\n" not in chunk


def endless(source: Source, lines: int, longest: int, remedy: str, what: str = "line") -> InputError:
    """The error for a line or a record, below some lines, that has more bytes than any should have."""
    size = f"{longest >> 20:,} MB" if longest >> 20 else f"{longest >> 10:,} kB"
    text = f"{source.name}:{lines + 1}: this {what} does not end within {size}"
    return InputError("endless-line", text, remedy=remedy)


def too_wide(source: Source, line: int, what: str) -> InputError:
    """The error for a line or a record with more columns than any should have."""
    text = f"{source.name}:{line}: this {what} has more than {FIELDS:,} columns"
    return InputError("endless-line", text, remedy=f"end each {what} with a line break")
