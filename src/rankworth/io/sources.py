"""Bytes from a file or from standard input, unpacked, and readable from the start as often as needed."""

import io
import os
import re
import shlex
import stat
import sys
import weakref
from collections.abc import Callable
from functools import partial
from itertools import islice
from pathlib import Path
from typing import IO, Final, Self

from rankworth.errors import InputError, quoted
from rankworth.io import packed

STDIN: Final = "-"

Progress = Callable[[str, int, int | None], None]
"""Called with a name, the bytes of the file that were read so far, packed as they are, and its size, if known."""


_TEXT: Final = "a path is needed; if this is the content of a file, write it to one"
_DAMAGED: Final = ("EOFError", "error", "LZMAError", "ZstdError")
_BLOCK: Final = 1 << 22
_DULL: Final = 1 << 23
_FEW: Final = 8
"""ids and numbers need more different characters than these"""
_SPOOLED_BLOCK: Final = 1 << 20


class Source:
    """A named stream of bytes that may be opened more than once; what cannot be rewound is kept as it is read."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Name the file; nothing is opened yet."""
        self.path = os.fsdecode(path)
        self.name = "standard input" if self.path == STDIN else quoted([self.path])
        self.tag = ""
        """the tag in the last row of a run, once it is read"""
        self._spool: _Spool | None = None
        self._state: tuple[int, int] | None = None

    def __fspath__(self) -> str:
        """The path."""
        return self.path

    @property
    def size(self) -> int | None:
        """Bytes in the file as it lies on the disk; None for standard input and other pipes."""
        return Path(self.path).stat().st_size if self.path != STDIN and Path(self.path).is_file() else None

    def open(self) -> "Stream":
        """Start from the first byte.

        Raises:
            InputError: `missing-file`, `is-directory`, `unreadable-file`, `truncated-file`, `changed-file`.

        """
        raw = self._raw()
        if self._spool is not None:
            return Stream(self.name, raw)
        return Stream(self.name, raw, at_end=partial(self._compare, raw.fileno()))

    def check(self) -> None:
        """Look whether the file is still what it was when it was first looked at or opened.

        Raises:
            InputError: `changed-file`.

        """
        if self.path != STDIN and os.path.exists(self.path):  # noqa: PTH110 - what was read of a file that is gone is sound
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

    def head(self, length: int) -> bytes:
        """The first bytes, unpacked.

        Raises:
            InputError: as `open`.

        """
        buffer = bytearray(length)
        held = 0
        with self.open() as stream:
            while held < length and (count := stream.readinto(memoryview(buffer)[held:])):
                held += count
        return bytes(buffer[:held])

    def whole(self, progress: Progress | None = None) -> bytes:
        """All bytes, unpacked.

        Raises:
            InputError: as `open`; `endless-line` where it goes on with the same few characters, such as blanks.

        """
        parts, dull = [], 0
        with self.open() as stream:
            buffer = bytearray(_BLOCK)
            while count := stream.readinto(memoryview(buffer)):
                parts.append(bytes(memoryview(buffer)[:count]))
                dull += count * _is_dull(parts[-1])
                if dull > _DULL:
                    text = f"{self.name}: {_DULL >> 20} MB of it are made of the same few characters"
                    raise InputError(
                        "endless-line", text, remedy="such a file holds no rankings; look at what wrote it"
                    )
                if progress is not None:
                    progress(self.name, stream.place, self.size)
        return b"".join(parts)

    def _raw(self) -> IO[bytes]:
        if self._spool is not None:
            return self._spool.reader()
        if self.path == STDIN:
            stream = getattr(sys.stdin, "buffer", None)
            if stream is None:
                raise InputError("unreadable-file", "standard input: there is none to read from")
            return self._kept(stream)
        try:
            raw = Path(self.path).open("rb", buffering=0)  # noqa: SIM115 - the stream closes it
        except FileNotFoundError:
            remedy = _TEXT if "\n" in self.path else _nearby(self.path)
            if re.match(r"\w+://", self.path):
                remedy = f"files are read, not addresses: curl -LO {shlex.quote(self.path)}, and give the file"
            raise InputError("missing-file", f"{self.name}: there is no such file", remedy=remedy) from None
        except IsADirectoryError:
            raise InputError(
                "is-directory", f"{self.name}: this is a directory, a file is needed", remedy=_inside(self.path)
            ) from None
        except (OSError, ValueError) as error:
            raise unreadable(self.name, error, _TEXT if "\n" in self.path else "") from None
        if not raw.seekable():
            return self._kept(raw)
        try:
            self._compare(raw.fileno())
        except InputError:
            raw.close()
            raise
        return raw

    def _kept(self, stream: IO[bytes]) -> IO[bytes]:
        self._spool = _Spool(stream, own=self.path != STDIN)
        return self._spool.reader()


def unreadable(name: str, error: Exception, remedy: str = "") -> InputError:
    """The error for what the operating system refuses."""
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return InputError("unreadable-file", f"{name}: it cannot be read ({reason})", remedy=remedy)


class Stream:
    """One pass over a source, unpacked; damage in a packed file comes out as `truncated-file`."""

    def __init__(self, name: str, raw: IO[bytes], at_end: Callable[[], None] | None = None) -> None:
        """Look at the first bytes and unpack what they announce.

        Args:
            name: what messages call it.
            raw: bytes that can be read again from the start.
            at_end: called where the last byte was read.

        """
        self.name = name
        self.raw = raw
        self._stream = raw
        self._at_end: Callable[[], None] | None = None
        head = bytearray(packed.HEAD)
        held = 0
        while count := self.readinto(memoryview(head)[held:]):
            held += count
        raw.seek(0)
        self._stream = packed.unpacked(raw, bytes(head))
        self._at_end = at_end

    @property
    def place(self) -> int:
        """How many bytes were read, packed as they are."""
        return self.raw.tell()

    def readinto(self, buffer: memoryview) -> int:
        """Fill the buffer as far as one read goes; 0 at the end.

        Raises:
            InputError: `truncated-file`, `unreadable-file`, `changed-file`.

        """
        try:
            count: int = self._stream.readinto(buffer)  # type: ignore[attr-defined]
        except Exception as error:
            try:
                self._end()
            except InputError as changed:
                raise changed from None
            if self._stream is not self.raw and (isinstance(error, OSError) or type(error).__name__ in _DAMAGED):
                raise InputError(
                    "truncated-file",
                    f"{self.name}: the compressed data end early or are damaged ({error})",
                    remedy="copy or download the file again; nothing of it was used",
                ) from None
            if isinstance(error, OSError):
                raise unreadable(self.name, error) from None
            raise
        if not count and len(buffer):
            self._end()
        return count

    def _end(self) -> None:
        if self._at_end is not None:
            self._at_end()

    def close(self) -> None:
        """Close the file."""
        if self._stream is not self.raw:
            self._stream.close()
        self.raw.close()

    def __enter__(self) -> Self:
        """Open for the length of a block."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close at the end of the block."""
        self.close()


class _Spool:
    """A pipe, kept in a temporary file as far as it was read, so that it can be read again."""

    def __init__(self, stream: IO[bytes], *, own: bool) -> None:
        self.read = getattr(stream, "read1", stream.read)
        import tempfile  # noqa: PLC0415 - standard input is one door of many

        self.file = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the spool
        self.length = 0
        for file in (self.file, stream) if own else (self.file,):
            weakref.finalize(self, file.close)

    def reader(self) -> IO[bytes]:
        return _SpoolReader(self)  # type: ignore[return-value]

    def extend(self) -> bool:
        block = self.read(_SPOOLED_BLOCK)
        self.file.seek(self.length)
        self.file.write(block)
        self.length += len(block)
        return bool(block)


class _SpoolReader(io.RawIOBase):
    """A place in the spool."""

    def __init__(self, spool: _Spool) -> None:
        self.spool = spool
        self.place = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        if whence == io.SEEK_END:
            raise io.UnsupportedOperation
        self.place = offset if whence == io.SEEK_SET else self.place + offset
        return self.place

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        spool = self.spool
        if self.place == spool.length and not spool.extend():
            return 0
        spool.file.seek(self.place)
        count = spool.file.readinto(memoryview(buffer)[: spool.length - self.place])
        self.place += count
        return int(count)


def _is_dull(block: bytes) -> bool:
    """Whether the same few characters come again and again: blanks, line breaks, brackets of empty lists."""
    few = bytes(set(block[:1024]))
    return len(few) < _FEW and not block.translate(None, few)


def _nearby(path: str) -> str:
    """Name a file of nearly the same name, if there is one."""
    import difflib  # noqa: PLC0415 - only for a message

    folder = Path(path).parent
    if not folder.is_dir():
        return f"there is no directory {folder} either"
    close = difflib.get_close_matches(Path(path).name, _names(folder), n=1)
    return f"did you mean {folder / close[0]}?" if close else ""


def _inside(path: str) -> str:
    """Name what is in a directory, if there is anything."""
    names = _names(Path(path))
    return f"it holds {quoted(names)}" if names else ""


def _names(folder: Path) -> list[str]:
    """What is in a folder, for messages; some thousand names are enough."""
    try:
        return sorted(entry.name for entry in islice(folder.iterdir(), 5000))
    except OSError:
        return []
