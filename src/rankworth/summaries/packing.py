"""Summaries as bytes, equal for equal summaries, whatever they were merged from.

A heading in JSON, and behind it plain arrays, the first byte of each number first; sums over samples take as many bytes
as the largest needs, and equal ones stand there once.
"""

import json
import struct
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from rankworth.errors import InputError, RankworthError
from rankworth.summaries.asked import Asked
from rankworth.summaries.bins import Histogram
from rankworth.summaries.cells import TALLIES, Cells, kinds
from rankworth.summaries.poisson import Track

VERSION: Final = 1
_MAGIC: Final = b"rankworth summary\n"
_LENGTH: Final = struct.Struct("<HQ")
_WHOLE: Final = struct.Struct("<HH")
_DAMAGE: Final = (ValueError, LookupError, TypeError, AttributeError, OverflowError, struct.error, RankworthError)
_ARRAYS: Final = ("queries", "tallies", "lowest", "highest", "lightest", "heaviest")


def packed(asked: Asked, cells: Cells) -> bytes:
    """A summary as bytes."""
    arrays = [_plain(getattr(cells, name)) for name in _ARRAYS]
    arrays += [_narrow(cells.histogram.keys), _narrow(cells.histogram.counts)]
    own: dict[tuple[int, bytes], int] = {}
    tracks = []
    for track in cells.tracks:
        sums = _narrow(track.sums)
        key = (len(track.sums), sums.tobytes())
        if key not in own:
            own[key] = len(arrays)
            arrays.append(sums)
        tracks.append((track.power, own[key]))
    whole = b"".join(map(_whole, cells.sums.ravel().tolist()))
    heading = {
        "asked": asdict(asked),
        "groups": cells.groups,
        "counts": dict(cells.counts),
        "shares": {name: part.tolist() for name, part in cells.shares.items()},
        "arrays": [(array.dtype.str, array.shape) for array in arrays],
        "tracks": tracks,
        "sums": len(whole),
    }
    text = json.dumps(heading, sort_keys=True, separators=(",", ":")).encode()
    return b"".join([_MAGIC, _LENGTH.pack(VERSION, len(text)), text, *(one.tobytes() for one in arrays), whole])


def unpacked(data: bytes) -> tuple[Asked, Cells]:
    """A summary from bytes.

    Raises:
        InputError: `bad-results`, `newer-results`, `truncated-file`.

    """
    begin = len(_MAGIC) + _LENGTH.size
    if data[: len(_MAGIC)] != _MAGIC[: len(data)]:
        raise InputError("bad-results", "the bytes hold no summary")
    if len(data) < begin:
        raise _truncated(data)
    version, length = _LENGTH.unpack_from(data, len(_MAGIC))
    if version > VERSION:
        text = f"the summary has version {version}, and this is rankworth for versions up to {VERSION}"
        raise InputError("newer-results", text, remedy="read it with the version that wrote it, or a later one")
    if len(data) < begin + length:
        raise _truncated(data)
    try:
        heading = json.loads(data[begin : begin + length])
        return _read(heading, memoryview(data)[begin + length :])
    except InputError:
        raise
    except _DAMAGE as error:
        raise InputError("bad-results", f"the heading of a summary is damaged: {error}") from None


def _read(heading: dict[str, Any], body: memoryview) -> tuple[Asked, Cells]:
    given = heading["asked"]
    ranges = tuple(None if span is None else tuple(span) for span in given["ranges"])
    asked = Asked(**given | {"labels": tuple(given["labels"]), "ways": tuple(given["ways"]), "ranges": ranges})
    dtypes = [(np.dtype(kind), tuple(shape)) for kind, shape in heading["arrays"]]
    sizes = [dtype.itemsize * int(np.prod(shape)) for dtype, shape in dtypes]
    if len(body) < sum(sizes) + heading["sums"]:
        raise _truncated(body)
    if len(body) > sum(sizes) + heading["sums"]:
        raise InputError("bad-results", "something stands behind the summary")
    arrays: list[NDArray[Any]] = []
    place = 0
    for (dtype, shape), size in zip(dtypes, sizes, strict=True):
        read = np.frombuffer(body[place : place + size], dtype=dtype).reshape(shape)
        arrays.append(read.astype(np.float64 if dtype.kind == "f" else np.int64))
        place += size
    groups = tuple(heading["groups"])
    shape = (len(groups), len(asked.labels), len(kinds(asked)))
    sums = np.empty(shape, dtype=object)
    sums.reshape(-1)[:] = list(_wholes(body[place:]))
    named: dict[str, Any] = dict(zip(_ARRAYS, arrays, strict=False))
    counts = {str(name): int(count) for name, count in heading["counts"].items()}
    shares = {name: np.array(part, dtype=np.int64) for name, part in heading["shares"].items()}
    tracks = tuple(Track(int(power), arrays[number]) for power, number in heading["tracks"])
    histogram = Histogram(*arrays[len(_ARRAYS) : len(_ARRAYS) + 2])
    cells = Cells(groups, sums=sums, histogram=histogram, tracks=tracks, counts=counts, shares=shares, **named)
    expected = {"queries": shape[:1], "tallies": (*shape[:2], len(TALLIES))}
    fitting = all(named[name].shape == expected.get(name, shape[:2]) for name in _ARRAYS)
    fitting = fitting and all(part.shape == shape[:1] for part in shares.values())
    fitting = fitting and all(track.sums.shape[1:] == (len(groups), asked.resamples) for track in tracks)
    if not fitting or len(tracks) != 2 * shape[1] * bool(asked.resamples):
        raise InputError("bad-results", "the parts of a summary do not belong together")
    return asked, cells


def _truncated(data: bytes | memoryview) -> InputError:
    return InputError("truncated-file", f"the summary ends early, after {len(data):,} bytes of its last part")


def _plain(array: NDArray[Any]) -> NDArray[Any]:
    return np.ascontiguousarray(array.astype(array.dtype.newbyteorder("<"), copy=False))


def _narrow(array: NDArray[np.int64]) -> NDArray[Any]:
    """Whole numbers, in as few bytes as all of them need."""
    low, high = int(array.min(initial=0)), int(array.max(initial=0))
    for kind in ("<i1", "<i2", "<i4"):
        ends = np.iinfo(kind)
        if ends.min <= low and high <= ends.max:
            return np.ascontiguousarray(array.astype(kind))
    return _plain(array)


def _whole(number: int) -> bytes:
    """A whole number without the zeros at its end: how many there are, how many bytes are left, and these."""
    zeros = (number & -number).bit_length() - 1 if number else 0
    rest = number >> zeros
    size = rest.bit_length() // 8 + 1
    return _WHOLE.pack(zeros, size) + rest.to_bytes(size, "little", signed=True)


def _wholes(data: memoryview) -> Iterator[int]:
    place = 0
    while place < len(data):
        zeros, size = _WHOLE.unpack_from(data, place)
        place += _WHOLE.size + size
        yield int.from_bytes(data[place - size : place], "little", signed=True) << zeros
