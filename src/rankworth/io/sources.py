"""Bytes from a file or from standard input, unpacked, and readable from the start as often as needed."""

import io
import os
import re
import sys
import weakref
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import IO, Final, Self, cast

from rankworth.errors import InputError, quoted

STDIN: Final = "-"

Progress = Callable[[str, int, int | None], None]
"""Called with a name, the bytes of the file that were read so far, packed as they are, and its size, if known."""


def _gzip(raw: IO[bytes]) -> IO[bytes]:
    import gzip  # noqa: PLC0415 - each of these is rarely needed, and costs as much as a small file

    return cast("IO[bytes]", gzip.GzipFile(fileobj=raw))


def _bzip2(raw: IO[bytes]) -> IO[bytes]:
    import bz2  # noqa: PLC0415 - as above

    return bz2.BZ2File(raw)


def _xz(raw: IO[bytes]) -> IO[bytes]:
    import lzma  # noqa: PLC0415 - as above

    return lzma.LZMAFile(raw)


def _zstd(raw: IO[bytes]) -> IO[bytes]:
    if sys.version_info >= (3, 14):
        from compression import zstd  # noqa: PLC0415 - as above
    else:
        from backports import zstd  # noqa: PLC0415 - as above
    return cast("IO[bytes]", zstd.ZstdFile(raw))


_HEAD: Final = 10
_MAGIC: Final[dict[bytes, Callable[[IO[bytes]], IO[bytes]]]] = {
    rb"\x1f\x8b": _gzip,
    rb"BZh[1-9](1AY&SY|\x17rE8P\x90)": _bzip2,
    rb"\xfd7zXZ\x00": _xz,
    rb"\x28\xb5\x2f\xfd": _zstd,
}
"""How packed data begin, in a way that no text begins, in at most `_HEAD` bytes."""
_DAMAGED: Final = ("EOFError", "error", "LZMAError", "ZstdError")
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

    @property
    def size(self) -> int | None:
        """Bytes in the file as it lies on the disk; None for standard input and other pipes."""
        return Path(self.path).stat().st_size if self.path != STDIN and Path(self.path).is_file() else None

    def open(self) -> "Stream":
        """Start from the first byte.

        Raises:
            InputError: `missing-file`, `is-directory`, `unreadable-file`, `truncated-file`.

        """
        return Stream(self.name, self._raw())

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
            raise InputError("missing-file", f"{self.name}: there is no such file", remedy=_nearby(self.path)) from None
        except IsADirectoryError:
            raise InputError(
                "is-directory", f"{self.name}: this is a directory, a file is needed", remedy=_inside(self.path)
            ) from None
        except (OSError, ValueError) as error:
            remedy = "this is the text of a file; give its path, or a dict or a frame" if "\n" in self.path else ""
            raise unreadable(self.name, error, remedy) from None
        return raw if raw.seekable() else self._kept(raw)

    def _kept(self, stream: IO[bytes]) -> IO[bytes]:
        self._spool = _Spool(stream, own=self.path != STDIN)
        return self._spool.reader()


def unreadable(name: str, error: Exception, remedy: str = "") -> InputError:
    """The error for what the operating system refuses."""
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return InputError("unreadable-file", f"{name}: it cannot be read ({reason})", remedy=remedy)


class Stream:
    """One pass over a source, unpacked; damage in a packed file comes out as `truncated-file`."""

    def __init__(self, name: str, raw: IO[bytes]) -> None:
        """Look at the first bytes and unpack what they announce."""
        self.name = name
        self.raw = raw
        self._stream = raw
        head = bytearray(_HEAD)
        held = 0
        while count := self.readinto(memoryview(head)[held:]):
            held += count
        raw.seek(0)
        for magic, opener in _MAGIC.items():
            if re.match(magic, head):
                self._stream = opener(raw)

    @property
    def place(self) -> int:
        """How many bytes were read, packed as they are."""
        return self.raw.tell()

    def readinto(self, buffer: memoryview) -> int:
        """Fill the buffer as far as one read goes; 0 at the end.

        Raises:
            InputError: `truncated-file`, `unreadable-file`.

        """
        try:
            return self._stream.readinto(buffer)  # type: ignore[attr-defined, no-any-return]
        except Exception as error:
            if self._stream is not self.raw and (isinstance(error, OSError) or type(error).__name__ in _DAMAGED):
                raise InputError(
                    "truncated-file",
                    f"{self.name}: the compressed data end early or are damaged ({error})",
                    remedy="copy or download the file again; nothing of it was used",
                ) from None
            if isinstance(error, OSError):
                raise unreadable(self.name, error) from None
            raise

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
