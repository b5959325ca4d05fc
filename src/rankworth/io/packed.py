"""Packed data: gzip, bzip2, xz and zstd, told from how they begin, and unpacked to their very end."""

import io
import re
import sys
from collections.abc import Callable
from functools import partial
from typing import IO, Any, Final, cast

HEAD: Final = 10
"""so many bytes tell how data are packed"""
_BLOCK: Final = 1 << 18


def unpacked(raw: IO[bytes], head: bytes) -> IO[bytes]:
    """The data as they were before they were packed; the same stream where nothing says that they are.

    Args:
        raw: the bytes of a file.
        head: the first `HEAD` of them.

    """
    return next((opener(raw) for magic, opener in _MAGIC.items() if re.match(magic, head)), raw)


def is_packed(head: bytes) -> bool:
    """Whether packed data begin so."""
    return any(re.match(magic, head) for magic in _MAGIC)


def _gzip(raw: IO[bytes]) -> IO[bytes]:
    import gzip  # noqa: PLC0415 - each of these is rarely needed, and costs as much as a small file

    return cast("IO[bytes]", gzip.GzipFile(fileobj=raw))


def _bzip2(raw: IO[bytes]) -> IO[bytes]:
    import bz2  # noqa: PLC0415 - as above

    return cast("IO[bytes]", _Parts(raw, bz2.BZ2Decompressor))


def _xz(raw: IO[bytes]) -> IO[bytes]:
    import lzma  # noqa: PLC0415 - as above

    return cast("IO[bytes]", _Parts(raw, partial(lzma.LZMADecompressor, lzma.FORMAT_XZ), padding=b"\0"))


def _zstd(raw: IO[bytes]) -> IO[bytes]:
    if sys.version_info >= (3, 14):
        from compression import zstd  # noqa: PLC0415 - as above
    else:
        from backports import zstd  # noqa: PLC0415 - as above
    return cast("IO[bytes]", zstd.ZstdFile(raw))


_MAGIC: Final[dict[bytes, Callable[[IO[bytes]], IO[bytes]]]] = {
    rb"\x1f\x8b": _gzip,
    rb"BZh[1-9](1AY&SY|\x17rE8P\x90)": _bzip2,
    rb"\xfd7zXZ\x00": _xz,
    rb"\x28\xb5\x2f\xfd": _zstd,
}
"""How packed data begin, in a way that no text begins, in at most `HEAD` bytes."""


class _Parts(io.RawIOBase):
    """Packed parts one after the other, as parallel packers write them.

    The classes of the standard library take a damaged part for rubbish behind the last one, and stop without a word.
    """

    def __init__(self, raw: IO[bytes], unpacker: Callable[[], Any], padding: bytes = b"") -> None:
        self._raw = raw
        self._unpacker = unpacker
        self._padding = padding
        self._part = unpacker()
        self._held = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        content = b""
        while buffer and not content:
            if self._part.eof and not self._next():
                return 0
            if self._part.needs_input and not self._held:
                self._held = self._raw.read(_BLOCK)
                if not self._held:
                    raise EOFError("the end is missing")
            content = self._part.decompress(self._held, len(buffer))
            self._held = b""
        buffer[: len(content)] = content
        return len(content)

    def _next(self) -> bool:
        """Go on with the next part, if there is one."""
        self._held = self._part.unused_data.lstrip(self._padding)
        while not self._held and (packed := self._raw.read(_BLOCK)):
            self._held = packed.lstrip(self._padding)
        self._part = self._unpacker() if self._held else self._part
        return bool(self._held)
