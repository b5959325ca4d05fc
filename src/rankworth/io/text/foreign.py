"""Files that are no text in UTF-8, and lines that end otherwise: what they are, and what helps."""

import shlex
from typing import Final

from rankworth.errors import InputError
from rankworth.io.source import STDIN, Source

_MARKS: Final = {
    b"\xff\xfe\0\0": "UTF-32",
    b"\0\0\xfe\xff": "UTF-32",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
}
_KINDS: Final = {
    b"PAR1": ("Parquet", "leave the format out to have it told from the content"),
    b"ARROW1": ("Arrow", "leave the format out to have it told from the content"),
    b"PK\x03\x04": ("a zip archive or an Excel workbook", "unpack it first; save a workbook as CSV"),
    b"7z\xbc\xaf": ("a 7z archive", "unpack it first"),
    b"\x04\x22\x4d\x18": ("packed with lz4", "unpack it first: lz4 -d; gzip, bzip2, xz and zstd are unpacked here"),
    b"FEA1": ("Feather of version 1", "write it as version 2: pandas.read_feather(path).to_feather(path)"),
    b"%PDF": ("a PDF", "save its table as CSV"),
    b"SQLite format 3": ("a database of SQLite", "read it with sqlite3 or DuckDB, and pass the rows or the frame"),
    b"\x93NUMPY": ("an array of NumPy", "load it with numpy.load and pass the array"),
}
_MANY: Final = 3
_LOOKED_AT: Final = 100
_TAR: Final = slice(257, 262)


def path_of(source: Source) -> str:
    """The path as a shell takes it; `FILE` for standard input."""
    return "FILE" if source.path == STDIN else shlex.quote(source.path)


def refuse(source: Source, head: bytes) -> None:
    """Refuse what does not begin like a text in UTF-8 with lines.

    Args:
        source: the file.
        head: how it begins.

    Raises:
        InputError: `wrong-encoding`, `binary-file`, `line-ends`.

    """
    if name := encoding(head):
        raise wide(source, name)
    if 0 in head or is_known(head):
        raise no_text(source, head)
    if ends_in_cr(head):
        raise only_cr(source)


def encoding(head: bytes) -> str:
    """The encoding of more than one byte in which a text begins, as iconv calls it; nothing where it begins in none."""
    if marked := next((name for mark, name in _MARKS.items() if head.startswith(mark)), ""):
        return marked
    zeros = [head[parity:_LOOKED_AT:2].count(0) for parity in (0, 1)]
    if min(zeros) or max(zeros) <= max(_MANY, min(len(head), _LOOKED_AT) // 3):
        return ""
    return "UTF-16LE" if zeros[1] else "UTF-16BE"


def wide(source: Source, name: str) -> InputError:
    """The error for a text in UTF-16 or UTF-32.

    Args:
        source: the file.
        name: what `encoding` gives.

    """
    remedy = f"iconv -f {name} -t UTF-8 {path_of(source)} > utf8.txt"
    return InputError("wrong-encoding", f"{source.name}: the text is {name[:6]}, not UTF-8", remedy=remedy)


def latin1(source: Source) -> str:
    """What helps where a text is not UTF-8: Windows-1252 has all letters of Latin-1, and quotes and dashes besides."""
    return f"if the text is Windows-1252 or Latin-1: iconv -f WINDOWS-1252 -t UTF-8 {path_of(source)} > utf8.txt"


def no_text(source: Source, chunk: bytes, lines: int = 0) -> InputError:
    """The error for bytes among which is a null byte.

    Args:
        source: the file.
        chunk: the bytes.
        lines: how many lines stand before them.

    """
    if not lines and (name := encoding(chunk)):
        return wide(source, name)
    if not lines and (kind := _kind(chunk)):
        what, remedy = kind
        return InputError("binary-file", f"{source.name}: this is {what}, not text", remedy=remedy)
    line = lines + chunk.count(b"\n", 0, chunk.index(0)) + 1
    return InputError(
        "binary-file",
        f"{source.name}:{line}: a null byte; this is not a text file",
        remedy="if it should be one, write or copy it again"
        + (f"; sed -n {line}l {path_of(source)} shows the line" if source.path != STDIN else ""),
    )


def is_known(head: bytes) -> bool:
    """Whether some format that is no text begins so."""
    return _kind(head) is not None


def _kind(head: bytes) -> tuple[str, str] | None:
    if head[_TAR] == b"ustar":
        return "a tar archive", "unpack it first"
    return next((kind for magic, kind in _KINDS.items() if head.startswith(magic)), None)


def ends_in_cr(head: bytes) -> bool:
    """Whether lines end in CR alone, as far as can be seen."""
    return b"\r" in head.rstrip() and b"\n" not in head


def only_cr(source: Source) -> InputError:
    """The error for lines that end in CR alone."""
    return InputError("line-ends", f"{source.name}: its lines end in CR alone, not in LF", remedy=with_lf(source))


def with_lf(source: Source) -> str:
    """What helps where lines end in CR alone."""
    return f"tr '\\r' '\\n' < {path_of(source)} > lines.txt"


def endless(source: Source, lines: int, longest: int, remedy: str, what: str = "line", counted: str = "") -> InputError:
    """The error for a line or a record that is longer than any should be.

    Args:
        source: the file.
        lines: how many lines stand before it.
        longest: how many bytes it has at least; how many words or cells, if `counted` says what is counted.
        remedy: what may be the cause, and what helps.
        what: a line or a record.
        counted: what there is too much of, where that is not bytes.

    """
    size = f"{longest >> 20:,} MB" if longest >> 20 else f"{longest >> 10:,} kB"
    text = f"{source.name}:{lines + 1}: this {what} "
    text += f"has more than {longest:,} {counted}" if counted else f"does not end within {size}"
    return InputError("endless-line", text, remedy=remedy)
