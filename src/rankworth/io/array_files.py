"""Arrays in files: NumPy's `.npy` and `.npz`, Texmex's `.ivecs`, and the `.ibin` and `.fbin` of big-ann-benchmarks.

Lists of different lengths, in arrays of objects or as answers within a radius, become rows that end in -1.
"""

import io
import math
import pickle
import zipfile
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from rankworth.errors import InputError
from rankworth.io import inflation
from rankworth.io.source import Source

_ABSENT: Final = -1
"""no document"""
_WORD: Final = 4
"""bytes of a number"""
_HEAD: Final = 2 * _WORD
_ALLOWED: Final = frozenset(
    (
        *((f"numpy.{core}.multiarray", name) for core in ("core", "_core") for name in ("_reconstruct", "scalar")),
        *(("numpy", "ndarray"), ("numpy", "dtype"), ("_codecs", "encode"), ("builtins", "set"), ("builtins", "range")),
    )
)
"""what an array of lists needs to be made again; anything else could run a program"""


def npy(source: Source, content: bytes) -> NDArray[Any]:
    """Read the array of a file of NumPy, which may state more numbers than follow.

    Args:
        source: the file.
        content: of it, or of a part of it.

    Raises:
        InputError: `truncated-file`, `input-type`.

    """
    from numpy.lib import format as numpy_format  # noqa: PLC0415 - for this format only

    stream = io.BytesIO(content)
    try:
        major, _ = numpy_format.read_magic(stream)
        is_old = major == 1
        header = numpy_format.read_array_header_1_0 if is_old else numpy_format.read_array_header_2_0
        shape, is_fortran, kind = header(stream)
    except Exception as error:  # noqa: BLE001 - the head is an expression of Python, which damage makes anything of
        raise damaged(source, str(error)) from None
    if kind.hasobject and kind.names is None:
        return _of_objects(source, stream)
    start, count = stream.tell(), math.prod(shape)
    if kind.hasobject or not kind.itemsize:
        raise damaged(source, f"its array holds {kind}")
    if min(shape, default=1) < 0 or start + count * kind.itemsize > len(content):
        stated = " x ".join(map(str, shape))
        raise damaged(source, f"it states {stated} numbers of {kind.itemsize} bytes, and {len(content):,} bytes follow")
    numbers: NDArray[Any] = np.frombuffer(content, kind, count, start) if count else np.empty(0, kind)
    return numbers.reshape(shape, order="F" if is_fortran else "C")


class _Lists(pickle.Unpickler):
    """Makes arrays and lists again, and nothing that could run a program."""

    def find_class(self, module: str, name: str) -> Any:  # noqa: ANN401 - what a pickle names
        """Return one of the few things that arrays and lists need.

        Raises:
            UnpicklingError: for anything else.

        """
        if (module, name) not in _ALLOWED:
            raise pickle.UnpicklingError(f"{module}.{name}")
        return super().find_class(module, name)


def _of_objects(source: Source, stream: io.BytesIO) -> NDArray[Any]:
    """Read lists of ids of different lengths, as an array of objects holds them.

    Raises:
        InputError: `input-type`, `truncated-file`.

    """
    python = f"list(numpy.load({source.path!r}, allow_pickle=True))"
    remedy = f"save lists of whole numbers; in Python, if you trust the file: evaluate({python}, ...)"
    try:
        made = _Lists(stream).load()
    except pickle.UnpicklingError as error:
        text = f"{source.name}: its array holds objects of Python, which are not read: {error}"
        raise InputError("input-type", text, remedy=remedy) from None
    except Exception as error:  # noqa: BLE001 - damage makes anything of a pickle
        raise damaged(source, str(error)) from None
    lists: list[Any] = made.reshape(-1).tolist() if isinstance(made, np.ndarray) else []
    rows = [np.asarray(sorted(each) if isinstance(each, set) else each) for each in lists]
    wrong = next(
        (row for row in rows if row.ndim != 1 or (row.size and not np.issubdtype(row.dtype, np.integer))), None
    )
    if wrong is not None or not rows:
        kind = type(made).__name__ if wrong is None else f"{wrong.dtype} [{' x '.join(map(str, wrong.shape))}]"
        text = f"{source.name}: its array of objects holds {kind}, and not a list of whole numbers for each query"
        raise InputError("input-type", text, remedy=remedy)
    return _rectangle(source, rows)


def _rectangle(source: Source, rows: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """Return rows of different lengths as rows of one length that end in -1.

    Raises:
        InputError: `inflated-file`.

    """
    stored = sum(row.nbytes for row in rows)
    inflation.refuse(source.name, stored, 2 * _WORD * len(rows) * max(map(len, rows)))
    rectangle = np.full((len(rows), max(map(len, rows))), _ABSENT, dtype=np.int64)
    for number, row in enumerate(rows):
        rectangle[number, : len(row)] = row
    return rectangle


def npz(source: Source) -> dict[str, NDArray[Any]]:
    """Read the arrays of a file of NumPy that holds several, by their names.

    Raises:
        InputError: `truncated-file`, `inflated-file`, `input-type`.

    """
    try:
        with zipfile.ZipFile(io.BytesIO(source.whole())) as archive:
            members = [each for each in archive.infolist() if each.filename.endswith(".npy")]
            for member in members:
                inflation.refuse(f"{source.name}: {member.filename}", member.compress_size, member.file_size)
            contents = {each.filename.removesuffix(".npy"): archive.read(each) for each in members}
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError) as error:
        raise damaged(source, str(error)) from None
    if not contents:
        raise damaged(source, "it holds no array")
    return {name: npy(source, content) for name, content in contents.items()}


def ibin(source: Source) -> tuple[NDArray[Any], NDArray[Any] | None]:
    """Read ids and distances of a ground truth of big-ann-benchmarks; None where no distances follow.

    Two numbers tell how many queries and neighbours there are. Of answers within a radius, the second one tells how
    many there are in all, and one for each query follows.

    Raises:
        InputError: `truncated-file`.

    """
    content = source.whole()
    rows, width = (int(number) for number in _numbers(content, "<u4", 0, 2)) if len(content) >= _HEAD else (0, 0)
    count, length = rows * width, len(content) - _HEAD
    lengths = _numbers(content, "<u4", _HEAD, rows) if length >= _WORD * rows > 0 else np.zeros(0, dtype=np.int64)
    if width and int(lengths.sum()) == width and length in (_WORD * (rows + width), _WORD * (rows + 2 * width)):
        ids = _numbers(content, "<u4", _HEAD + _WORD * rows, width).astype(np.int64)
        return _rectangle(source, np.split(ids, np.cumsum(lengths)[:-1])), None
    if count and length in (_WORD * count, 2 * _WORD * count):
        ids = _numbers(content, "<u4", _HEAD, count).astype(np.int64).reshape(rows, width)
        has_distances = length > _WORD * count
        distances = (
            _numbers(content, "<f4", _HEAD + _WORD * count, count).reshape(rows, width) if has_distances else None
        )
        return ids, distances
    raise damaged(source, f"it states {rows:,} queries with {width:,} neighbours, and {max(length, 0):,} bytes follow")


def fbin(source: Source) -> NDArray[Any]:
    """Read the distances beside an `.ibin`.

    Raises:
        InputError: `truncated-file`.

    """
    content = source.whole()
    rows, width = (int(number) for number in _numbers(content, "<u4", 0, 2)) if len(content) >= _HEAD else (0, 0)
    if not rows * width or len(content) != _HEAD + _WORD * rows * width:
        raise damaged(source, f"it states {rows:,} x {width:,} numbers, and {len(content):,} bytes follow")
    return _numbers(content, "<f4", _HEAD, rows * width).reshape(rows, width)


def _numbers(content: bytes, kind: str, start: int, count: int) -> NDArray[Any]:
    return np.frombuffer(content, dtype=kind, count=count, offset=start)


def vecs(source: Source, kind: np.dtype[Any]) -> NDArray[Any]:
    """Read the rows of an `.ivecs` or an `.fvecs`: each is its length, and as many numbers of four bytes.

    Raises:
        InputError: `truncated-file`.

    """
    content = source.whole()
    length = int(_numbers(content, "<i4", 0, 1)[0]) if len(content) >= kind.itemsize else 0
    width = kind.itemsize * (1 + length)
    if length < 1 or len(content) % width:
        raise damaged(source, f"{len(content):,} bytes are no rows of {length:,} numbers")
    rows = np.frombuffer(content, dtype="<i4").reshape(-1, 1 + length)
    if (rows[:, 0] != length).any():
        raise damaged(source, "rows have different lengths")
    return rows[:, 1:].copy().view(kind)


def damaged(source: Source, reason: str) -> InputError:
    """Build the error for a file that cannot be read as an array."""
    problem = f"{source.name}: it cannot be read as an array ({reason})"
    return InputError("truncated-file", problem, remedy="write, copy or download it again; nothing of it was used")
