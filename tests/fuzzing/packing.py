"""Packs and unpacks; strictly: nothing may follow that is not packed alike."""

import bz2
import gzip
import lzma
import re
import sys
import zlib
from collections.abc import Callable
from random import Random
from typing import Any, Final

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

PACKERS: Final[dict[str, Callable[[bytes], bytes]]] = {
    "gzip": lambda content: gzip.compress(content, mtime=0),
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstd": zstd.compress,
}
_MAGIC: Final = {
    rb"\x1f\x8b": "gzip",
    rb"BZh[1-9](1AY&SY|\x17rE8P\x90)": "bzip2",
    rb"\xfd7zXZ\x00": "xz",
    rb"\x28\xb5\x2f\xfd": "zstd",
}

_ERRORS: Final = (OSError, EOFError, lzma.LZMAError, zstd.ZstdError, zlib.error)


def packed(random: Random, content: bytes, kind: str) -> bytes:
    """The content, in one or two pieces that are packed one after the other."""
    pack = PACKERS[kind]
    if random.random() < 0.3:
        middle = random.randint(0, len(content))
        return pack(content[:middle]) + pack(content[middle:])
    return pack(content)


def unpacked(content: bytes) -> bytes:
    """What is packed in it, or the content itself.

    Raises:
        ValueError: where anything of it is damaged or left over.

    """
    kind = _kind(content)
    if not kind:
        return content
    parts = []
    try:
        while content:
            one = _opened(kind)
            parts.append(one.decompress(content))
            if not one.eof:
                raise ValueError(f"the {kind} data end early")
            content = one.unused_data
            if kind in ("gzip", "xz"):  # which allow zeros between and at the end
                content = content.lstrip(b"\0")
    except _ERRORS as error:
        raise ValueError(f"damaged {kind} data: {error}") from None
    return b"".join(parts)


def head(content: bytes, length: int) -> bytes:
    """The first bytes of what is packed in it, as far as it can be unpacked."""
    kind = _kind(content)
    try:
        return bytes(_opened(kind).decompress(content))[:length] if kind else content[:length]
    except _ERRORS:
        return b""


def _kind(content: bytes) -> str:
    return next((kind for magic, kind in _MAGIC.items() if re.match(magic, content)), "")


def _opened(kind: str) -> Any:
    if kind == "gzip":
        return zlib.decompressobj(wbits=31)
    return {"bzip2": bz2.BZ2Decompressor, "xz": lzma.LZMADecompressor, "zstd": zstd.ZstdDecompressor}[kind]()
