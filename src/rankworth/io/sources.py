"""Bytes from a file or from standard input, unpacked, and readable from the start as often as needed."""

import bz2
import gzip
import io
import lzma
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import IO, Final, cast

from rankworth.errors import InputError

STDIN: Final = "-"

Progress = Callable[[str, int, int | None], None]
"""Called with a name, the bytes read so far and the size of the file, if known."""


def _zstd(raw: IO[bytes]) -> IO[bytes]:
    if sys.version_info >= (3, 14):
        from compression import zstd  # noqa: PLC0415 - rarely needed
    else:
        from backports import zstd  # noqa: PLC0415 - rarely needed
    return cast("IO[bytes]", zstd.ZstdFile(raw))


_MAGIC: Final[dict[bytes, Callable[[IO[bytes]], IO[bytes]]]] = {
    b"\x1f\x8b": lambda raw: cast("IO[bytes]", gzip.GzipFile(fileobj=raw)),
    b"BZh": bz2.BZ2File,
    b"\xfd7zXZ\x00": lzma.LZMAFile,
    b"\x28\xb5\x2f\xfd": _zstd,
}
_DAMAGED: Final = ("EOFError", "BadGzipFile", "error", "LZMAError", "ZstdError")
_SPOOLED_BLOCK: Final = 1 << 20


class Source:
    """A named stream of bytes that may be opened more than once."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Name the file; nothing is opened yet."""
        self.path = os.fspath(path)
        self.name = "standard input" if self.path == STDIN else self.path
        self._spool: _Spool | None = None

    @property
    def size(self) -> int | None:
        """Bytes in the file as it lies on the disk; unknown for standard input."""
        return None if self.path == STDIN else Path(self.path).stat().st_size

    def open(self) -> "Stream":
        """Start from the first byte.

        Raises:
            InputError: `missing-file`, `is-directory`, `unreadable-file`, `truncated-file`.

        """
        return Stream(self.name, self._raw())

    def _raw(self) -> IO[bytes]:
        if self.path == STDIN:
            if self._spool is None:
                self._spool = _Spool(sys.stdin.buffer)
            return self._spool.reader()
        try:
            return Path(self.path).open("rb", buffering=0)
        except FileNotFoundError:
            raise InputError("missing-file", f"{self.name}: there is no such file", remedy=_nearby(self.path)) from None
        except IsADirectoryError:
            raise InputError("is-directory", f"{self.name}: this is a directory, a file is needed") from None
        except OSError as error:
            raise InputError("unreadable-file", f"{self.name}: {error.strerror}") from None


class Stream:
    """One pass over a source, unpacked; damage in a packed file comes out as `truncated-file`."""

    def __init__(self, name: str, raw: IO[bytes]) -> None:
        """Look at the first bytes and unpack what they announce."""
        self.name = name
        self.raw = raw
        self._stream = raw
        head = raw.read(max(map(len, _MAGIC)))
        raw.seek(0)
        for magic, opener in _MAGIC.items():
            if head.startswith(magic):
                self._stream = opener(raw)

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
                raise InputError("unreadable-file", f"{self.name}: {error.strerror}") from None
            raise

    def close(self) -> None:
        """Close the file."""
        if self._stream is not self.raw:
            self._stream.close()
        self.raw.close()

    def __enter__(self) -> "Stream":
        """Open for the length of a block."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close at the end of the block."""
        self.close()


class _Spool:
    """Standard input, kept in a temporary file as far as it was read, so that it can be read again."""

    def __init__(self, stream: IO[bytes]) -> None:
        self.stream = stream
        self.file = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the spool
        self.length = 0

    def reader(self) -> IO[bytes]:
        return _SpoolReader(self)  # type: ignore[return-value]

    def extend(self) -> bool:
        block = self.stream.read1(_SPOOLED_BLOCK)  # type: ignore[attr-defined]
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
        count = spool.file.readinto(memoryview(buffer)[: spool.length - self.place])  # type: ignore[attr-defined]
        self.place += count
        return int(count)


def _nearby(path: str) -> str:
    """Name a file of nearly the same name, if there is one."""
    import difflib  # noqa: PLC0415 - only for a message

    folder = Path(path).parent
    names = [entry.name for entry in folder.iterdir()] if folder.is_dir() else []
    close = difflib.get_close_matches(Path(path).name, names, n=1)
    return f"did you mean {folder / close[0]}?" if close else ""
