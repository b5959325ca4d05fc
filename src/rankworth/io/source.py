"""Bytes of files and pipes: what a path stands for, decompressed, and readable from the start as often as needed."""

import io
import os
import re
import stat
import sys
import weakref
from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import IO, Any, Final, Self, cast

from rankworth.errors import InputError, quoted
from rankworth.io import inflation
from rankworth.io.folders import names_in, remedy_for_missing
from rankworth.io.formats import FORMATS

STDIN: Final = "-"
COMPRESSIONS: Final = (".gz", ".bz2", ".xz", ".zst")
"""suffixes of compressed files"""
SIGNS: Final = "*?["
"""what makes a pattern of a path"""

Progress = Callable[[str, int, int | None], None]
"""Called with a name, the bytes of the file that were read so far, compressed as they are, and its size, if known."""

_STDIN_DESCRIPTOR: Final = 0
_BLOCK: Final = 1 << 22
_LOOK: Final = "ls -l FILE shows whether it is there, and who may read it"


def is_stdin(path: str | os.PathLike[str]) -> bool:
    """Return whether a path is standard input, `-` or a name of the same pipe such as `/dev/stdin`."""
    if os.fspath(path) == STDIN:
        return True
    try:
        status = os.stat(path)  # noqa: PTH116 - compared with that of a descriptor
        return not stat.S_ISREG(status.st_mode) and os.path.samestat(status, os.fstat(_STDIN_DESCRIPTOR))
    except (OSError, ValueError):
        return False


class Source:
    """A file or a pipe. Its head is read once; the first pass goes on from there, so that a file is opened once."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Name the file; nothing is opened yet."""
        self.path = os.fsdecode(path)
        self.name = "standard input" if self.path == STDIN else quoted([self.path])
        self.progress: Progress | None = None
        """what is called while its bytes are read"""
        self.pattern = ""
        """the pattern that it fits together with other files"""
        self.columns_option = "--columns"
        """the option by which messages name its columns: one for it alone where files of a command share too few"""
        self._pipe: tuple[IO[bytes], IO[bytes]] | None = None
        """a pipe, and what was read of it"""
        self._state: tuple[int, int] | None = None
        self._begun: Stream | None = None
        self._head = b""
        self._head_length = 0
        """how many bytes were asked for where the head was read, of which a short file has fewer"""
        self.compressed = False
        """whether its bytes are compressed, once its head is read"""
        self.tolerates = 0
        """how many problems of lines are told of, which are then left out; 0 where such a file is refused"""
        self.problem: InputError | None = None
        """what is wrong with the lines that the last reading left out"""
        self.label_rows: Any = None
        """the rows of a learning-to-rank file whose labels or scores it holds (`svmlight.LabelRows`)"""

    def __fspath__(self) -> str:
        """Return the path."""
        return self.path

    @property
    def stem(self) -> str:
        """The name of a file of JSON without folder and suffixes; empty for standard input."""
        suffixes = (suffix for form in ("json", "jsonl") for suffix in (*FORMATS[form].suffixes, *COMPRESSIONS))
        pattern = "|".join(map(re.escape, suffixes))
        return "" if self.path == STDIN else re.sub(f"({pattern})+$", "", Path(self.path).name)

    @property
    def query(self) -> str:
        """The name of the file without folder, suffix and suffix of compression, if it is a query."""
        path = Path(self.path)
        path = path.with_suffix("") if path.suffix in COMPRESSIONS else path
        return "" if self.path == STDIN else path.stem

    @property
    def size(self) -> int | None:
        """Bytes in the file as it lies on the disk; None for standard input and other pipes."""
        return Path(self.path).stat().st_size if self.path != STDIN and Path(self.path).is_file() else None

    @property
    def is_pipe(self) -> bool:
        """Whether its bytes can be read once only: standard input, a named pipe."""
        return self.path == STDIN or (Path(self.path).exists() and not Path(self.path).is_file())

    def open(self) -> "Stream":
        """Open the file at its first byte.

        Raises:
            InputError: `missing-file`, `is-directory`, `unreadable-file`, `truncated-file`, `changed-file`.

        """
        stream, self._begun = self._begun, None
        if stream is not None:
            return stream
        raw = self._raw()
        check = None if self._pipe is not None else partial(self._compare, raw.fileno())
        return Stream(self.name, raw, check)

    def head(self, length: int) -> bytes:
        """Return the first bytes, decompressed.

        Raises:
            InputError: as `open`.

        """
        if self._head_length < length:
            self._head_length = length
            self._begun = self.open()
            weakref.finalize(self, self._begun.raw.close)
            self._head = self._begun.peek(length)
            self.compressed = self._begun.compressed
        return self._head[:length]

    def close(self) -> None:
        """Close the file where its head was read and no more."""
        if self._begun is not None:
            self._begun.close()
            self._begun = None

    def report(self, done: int) -> None:
        """Report how many bytes of the file, as it lies on the disk, were read so far."""
        if self.progress is not None:
            self.progress(self.name, done, self.size)

    def whole(self) -> bytes:
        """Return all bytes, decompressed.

        Raises:
            InputError: as `open`; `endless-line` where a block of some megabytes holds the same few characters only.

        """
        parts = []
        with self.open() as stream:
            buffer = bytearray(_BLOCK)
            while count := stream.fill(buffer):
                parts.append(bytes(memoryview(buffer)[:count]))
                few = bytes(set(parts[-1][:1024]))
                if count == _BLOCK and len(few) < 8 and not parts[-1].translate(None, few):  # noqa: PLR2004 - ids need more
                    text = f"{self.name}: {_BLOCK >> 20} MB of it are made of the same few characters"
                    raise InputError("endless-line", text, remedy="a ranking is no such file; look at what wrote it")
                self.report(stream.position)
        return b"".join(parts)

    def check(self) -> None:
        """Check that the file has not changed since it was first opened or checked.

        Raises:
            InputError: `changed-file`.

        """
        if self.path != STDIN and os.path.exists(self.path):  # noqa: PTH110 - a file that is gone was read as it was
            self._compare(self.path)

    def _compare(self, file: int | str) -> None:
        """Remember the size and the last change of a file, or compare them."""
        status = os.stat(file)  # noqa: PTH116 - an open file has no path
        state = status.st_size, status.st_mtime_ns
        if stat.S_ISREG(status.st_mode) and state != (self._state or state):
            raise InputError(
                "changed-file",
                f"{self.name}: it changed after it was first opened",
                remedy="wait until nobody writes to it; then make the Run or the Qrels again, if there is one",
            )
        self._state = state

    def _raw(self) -> IO[bytes]:
        """Open the bytes as they lie there; of a pipe those that are kept, and further ones."""
        if self._pipe is not None:
            return cast("IO[bytes]", _Pipe(*self._pipe))
        if self.path == STDIN:
            stream = getattr(sys.stdin, "buffer", None)
            if stream is None:
                raise InputError("unreadable-file", "standard input: there is none to read from")
            return self._replayable(stream)
        try:
            raw = Path(self.path).open("rb", buffering=0)  # noqa: SIM115 - the stream closes it
        except FileNotFoundError:
            remedy = remedy_for_missing(self.path)
            raise InputError("missing-file", f"{self.name}: there is no such file", remedy=remedy) from None
        except IsADirectoryError:
            names = names_in(Path(self.path))
            remedy = f"it holds {quoted(names)}" if names else ""
            text = f"{self.name}: this is a directory, a file is needed"
            raise InputError("is-directory", text, remedy=remedy) from None
        except (OSError, ValueError) as error:
            raise unreadable(self.name, error) from None
        if not raw.seekable():
            weakref.finalize(self, raw.close)
            return self._replayable(raw)
        try:
            self._compare(raw.fileno())
        except InputError:
            raw.close()
            raise
        return raw

    def _replayable(self, stream: IO[bytes]) -> IO[bytes]:
        """Keep all that is read of a pipe in a temporary file as long as there is this source."""
        import tempfile  # noqa: PLC0415 - for pipes only

        self._pipe = stream, tempfile.TemporaryFile()  # noqa: SIM115 - closed by the next line
        weakref.finalize(self, self._pipe[1].close)
        return cast("IO[bytes]", _Pipe(*self._pipe))


def unreadable(name: str, error: Exception) -> InputError:
    """Build the error for what the operating system refuses to read."""
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return InputError("unreadable-file", f"{name}: it cannot be read ({reason})", remedy=_LOOK)


class Stream:
    """One pass over a source, decompressed; damage in a compressed file comes out as `truncated-file`."""

    def __init__(self, name: str, raw: IO[bytes], check: Callable[[], None] | None) -> None:
        """Read the first bytes, and decompress the rest where these are the mark of a compressed file.

        Args:
            name: what messages call it.
            raw: bytes that can be read again from the start.
            check: called where the last byte was read.

        """
        self.name = name
        self.raw = raw
        self._check: Callable[[], None] | None = None
        self._stream = raw
        self._peeked = b""
        self._inflated = 0
        """how many bytes were decompressed"""
        self.compressed = False
        magic = self.peek(10)
        self._stream = next((opener(raw) for sign, opener in _COMPRESSED.items() if re.match(sign, magic)), raw)
        self.compressed = self._stream is not raw
        if self.compressed:
            raw.seek(0)
            self._peeked = b""
        self._check = check

    @property
    def position(self) -> int:
        """How many bytes of the file were read, compressed as they are."""
        return self.raw.tell()

    def peek(self, length: int) -> bytes:
        """Return the next bytes, which are read once more by `readinto`."""
        buffer = bytearray(length)
        head = bytes(memoryview(buffer)[: self.fill(buffer)])
        self._peeked = head + self._peeked  # of what was looked at before, more may be left
        return head

    def fill(self, buffer: bytearray, filled: int = 0) -> int:
        """Fill a buffer that holds some bytes already; return how many it holds then, less than its size at the end."""
        while filled < len(buffer) and (count := self.readinto(memoryview(buffer)[filled:])):
            filled += count
        return filled

    def readinto(self, buffer: memoryview) -> int:
        """Fill the buffer as far as one read goes; return the number of bytes, 0 at the end.

        Raises:
            InputError: `truncated-file`, `unreadable-file`, `changed-file`, `inflated-file`.

        """
        if self._peeked:
            part = self._peeked[: len(buffer)]
            buffer[: len(part)], self._peeked = part, self._peeked[len(part) :]
            return len(part)
        try:
            count: int = self._stream.readinto(buffer)  # type: ignore[attr-defined]
        except Exception as error:  # noqa: BLE001 - each decompressor fails in its own way
            raise self._refusal(error) from None
        if self.compressed:
            self._inflated += count
            inflation.refuse(self.name, self.position, self._inflated)
        if not count and len(buffer) and self._check is not None:
            self._check()
        return count

    def _refusal(self, error: Exception) -> Exception:
        """Return the error for bytes that cannot be read or decompressed; any other as it is."""
        try:
            if self._check is not None:
                self._check()
        except InputError as changed:
            return changed
        if self.compressed and (isinstance(error, OSError) or type(error).__name__ in _DAMAGED):
            text = f"{self.name}: the compressed data end early or are damaged ({error})"
            remedy = "copy or download the file again; nothing of it was used"
            return InputError("truncated-file", text, remedy=remedy)
        return unreadable(self.name, error) if isinstance(error, OSError) else error

    def close(self) -> None:
        """Close the file."""
        if self.compressed:
            self._stream.close()
        self.raw.close()

    def __enter__(self) -> Self:
        """Open for the length of a block."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close at the end of the block."""
        self.close()


class _Pipe(io.RawIOBase):
    """A position in a pipe; a file keeps all bytes read so far."""

    def __init__(self, stream: IO[bytes], copy: IO[bytes]) -> None:
        self._stream, self._copy, self._position = stream, copy, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        if whence == io.SEEK_END:
            raise io.UnsupportedOperation
        self._position = offset if whence == io.SEEK_SET else self._position + offset
        return self._position

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        self._copy.seek(self._position)
        count: int = self._copy.readinto(buffer)  # type: ignore[attr-defined]
        if not count:
            count = self._copy.write(getattr(self._stream, "read1", self._stream.read)(len(buffer)))
            self._copy.seek(self._position)
            count = self._copy.readinto(buffer)  # type: ignore[attr-defined]
        self._position += count
        return count


# Compressed data, detected from how they begin, decompressed to their very end.


def is_compressed(head: bytes) -> bool:
    """Return whether compressed data begin so."""
    return any(re.match(sign, head) for sign in _COMPRESSED)


_XZ: Final = 1
"""`lzma.FORMAT_XZ`"""
_ZSTD: Final = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
_COMPRESSED: Final[dict[bytes, Callable[[IO[bytes]], Any]]] = {
    rb"\x1f\x8b": lambda raw: import_module("gzip").GzipFile(fileobj=raw),
    rb"BZh[1-9](1AY&SY|\x17rE8P\x90)": lambda raw: _Parts(raw, import_module("bz2").BZ2Decompressor),
    rb"\xfd7zXZ\x00": lambda raw: _Parts(raw, partial(import_module("lzma").LZMADecompressor, _XZ), padding=b"\0"),
    rb"\x28\xb5\x2f\xfd": lambda raw: import_module(_ZSTD).ZstdFile(raw),
}
"""how compressed data begin, and what decompresses them by modules that are rarely needed and slow to import"""
_DAMAGED: Final = ("EOFError", "error", "LZMAError", "ZstdError")


class _Parts(io.RawIOBase):
    """Compressed parts one after the other, as parallel compressors write them.

    The classes of the standard library take a damaged part for rubbish behind the last one, and stop without a word.
    """

    def __init__(self, raw: IO[bytes], decompressor: Callable[[], Any], padding: bytes = b"") -> None:
        self._raw = raw
        self._decompressor = decompressor
        self._padding = padding
        self._part = decompressor()
        self._compressed = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        content = b""
        while buffer and not content:
            if self._part.eof and not self._next():
                return 0
            if self._part.needs_input and not self._compressed:
                self._compressed = self._raw.read(_BLOCK >> 4)
                if not self._compressed:
                    raise EOFError("the end is missing")
            content = self._part.decompress(self._compressed, len(buffer))
            self._compressed = b""
        buffer[: len(content)] = content
        return len(content)

    def _next(self) -> bool:
        """Go on with the next part; return whether there is one."""
        self._compressed = self._part.unused_data.lstrip(self._padding)
        while not self._compressed and (block := self._raw.read(_BLOCK >> 4)):
            self._compressed = block.lstrip(self._padding)
        self._part = self._decompressor() if self._compressed else self._part
        return bool(self._compressed)
