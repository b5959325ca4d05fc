"""Arrays that are handed in: their libraries, types, shapes and contents checked, and brought into one form.

Flat arrays, documents of many queries one after the other, become matrices with masks. One matrix would be as wide as
the longest query. Queries of about the same length share one instead, so that all of them together have at most some
two cells for each document; how many there are grows with the logarithm of the longest.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from rankworth.errors import InputError, UsageError, counted
from rankworth.judged import Array, constant, counting, device_of, namespace, widest

_REAL: Final = ("real floating", "integral")
_FLAGS: Final = ("bool",), "true and false", "{0} != 0 makes them of numbers"
_NUMBERS: Final = "real numbers", "{0}.astype(float), in PyTorch {0}.double()"
_TYPES: Final[dict[str, tuple[tuple[str, ...], str, str]]] = {
    **dict.fromkeys(("scores", "relevant", "queries", "corpus"), (_REAL, *_NUMBERS)),
    **dict.fromkeys(("grades", "pool"), (("bool", *_REAL), *_NUMBERS)),
    **dict.fromkeys(("mask", "judged"), _FLAGS),
    "indexes": (("integral",), "whole numbers that can be sorted", "{0}.astype(int), in PyTorch {0}.long()"),
}
"""what an array may hold by its name, how that is called, and what converts other arrays"""
_SHAPES: Final = dict.fromkeys(("scores", "grades", "mask", "judged"), "[B, N]") | {"pool": "[B, P]", "relevant": "[B]"}
_SPARE: Final = 1 << 18
"""cells of padding that cost less than a further matrix"""


def torch_of(array: Array) -> Any:  # noqa: ANN401 - a module
    """Return the library PyTorch, where the array is one of its tensors; else None."""
    torch = sys.modules.get("torch")
    return torch if torch is not None and isinstance(array, torch.Tensor) else None


def near(array: Array) -> bool:
    """Return whether an array can be read without waiting for a device or breaking a compiled graph."""
    torch = torch_of(array)
    if torch is not None:
        return bool(array.device.type == "cpu" and not torch.compiler.is_compiling())
    return isinstance(array, np.ndarray)


def to_list(array: Array) -> list[Any]:
    """Return the numbers of an array; waits for the device."""
    numbers: list[Any] = (array if hasattr(array, "tolist") else np.from_dlpack(array)).tolist()
    return numbers


def checked_arrays(**arrays: Array) -> dict[str, Array]:
    """Convert each array to a type that its library can work with, without looking at shapes and contents.

    Args:
        **arrays: by name; others than `scores` and `grades` may be None.

    Raises:
        InputError: `input-type`, where something is no array, holds something else than numbers, or is of another
            library or on another device than the first one.
        UsageError: `missing-library`.

    """
    reference, leader = next(iter(arrays.items()))
    library, device = _library(reference, leader), device_of(leader)
    checked = {}
    for name, array in arrays.items():
        if array is None and name != "grades":
            continue
        its_library = _library(name, array)
        if its_library.__name__ != library.__name__:
            text = f"{reference} are an array of {library.__name__}, {name} of {its_library.__name__}"
            raise InputError("input-type", text, remedy="bring all arrays to one library")
        if device_of(array) != device:
            text = f"{reference} are on {device}, {name} on {device_of(array)}"
            raise InputError("input-type", text, remedy="bring all arrays to one device")
        checked[name] = _plain(array)
        kinds, called, remedy = _TYPES[name]
        if not library.isdtype(checked[name].dtype, kinds):
            text = f"{name} holds {array.dtype}, not {called}"
            raise InputError("input-type", text, remedy=remedy.format(name))
    return checked


def _library(name: str, array: Array) -> Any:  # noqa: ANN401 - an array namespace
    """Return the library of an array; refuse (`input-type`) what is none, or has cells without a number."""
    text = f"{name} is a {type(array).__name__}, not an array"
    remedy = f"arrays of NumPy, PyTorch, CuPy, JAX and their like are taken: numpy.asarray({name}) or {name}.to_numpy()"
    if name in _SHAPES:
        remedy += "; queries of different lengths go as flat arrays with indexes, or padded with a mask"
    if isinstance(array, np.ma.MaskedArray):
        flags = "judged" if name == "grades" else "mask"
        text = f"{name} is a masked array, whose mask would be lost"
        remedy = f"{name}.data is an array, and {flags}=~numpy.ma.getmaskarray({name}) keeps its mask"
    elif torch_of(array) is not None and array.layout != torch_of(array).strided:
        text = f"{name} is a tensor of layout {array.layout}, not a dense one"
        remedy = "to_dense() makes one; queries of different lengths go as flat arrays with indexes"
    elif hasattr(array, "shape") and hasattr(array, "dtype"):
        try:
            return namespace(array)
        except ModuleNotFoundError as error:
            text = f"{name}: arrays of {type(array).__module__.partition('.')[0]} need {error.name}"
            raise UsageError("missing-library", text, remedy="pip install array-api-compat") from error
        except TypeError:
            pass  # it has a shape and a type as arrays have them, and is none
    raise InputError("input-type", text, remedy=remedy)


def _plain(array: Array) -> Array:
    """Detach the array from a gradient or a subclass of NumPy's, and widen types that PyTorch can hardly work with."""
    torch = torch_of(array)
    if torch is None:
        return np.asarray(array) if isinstance(array, np.ndarray) else array
    array = array.detach()
    if array.dtype.is_floating_point and array.dtype.itemsize == 1:
        return array.to(torch.float32)
    if array.dtype == torch.uint64:
        return array.to(widest(array))
    return array.to(torch.int64) if array.dtype in (torch.uint16, torch.uint32) else array


@dataclass(frozen=True, eq=False)
class Batch:
    """Some queries with their documents side by side, in one library and on one device."""

    scores: Array
    """`[B, N]`: real numbers; minus infinity where there is no document"""
    grades: Array
    """`[B, N]`: NaN where nobody judged or there is no document"""
    mask: Array | None
    """`[B, N]`: whether there is a document; None where all are"""
    pool: Array
    """`[B, P]`: the grades of all judged documents in any order, NaN for none; `grades` unless more are known"""
    relevant: Array | None
    """`[B]`: how many documents are relevant, whether they stand here or not; None where it is not known"""
    dtype: Any
    """the type that values have"""
    readable: bool
    """whether it costs next to nothing to look at what is in the arrays"""


def batch(
    scores: Array,
    grades: Array,
    *,
    mask: Array = None,
    judged: Array = None,
    relevant: Array = None,
    pool: Array = None,
) -> Batch:
    """Bring checked arrays into one form; arguments as for `evaluate`.

    Raises:
        InputError: `input-type`, where shapes do not fit.
        UsageError: `conflicting-options`, for both `relevant` and `pool`.

    """
    _check_shapes(scores=scores, grades=grades, mask=mask, judged=judged, pool=pool, relevant=relevant)
    if relevant is not None and pool is not None:
        text = "relevant and pool both state how many documents are relevant in all"
        raise UsageError("conflicting-options", text, remedy="pool states more: the grades of all judged documents")
    scores = _real(scores)
    xp = namespace(scores)
    double = isinstance(scores, np.ndarray) or scores.dtype == widest(scores)
    grades = _numbers(grades)
    if mask is not None:
        lowest = constant(xp.finfo(scores.dtype).min, scores)
        scores = xp.where(mask, xp.maximum(scores, lowest), constant(-xp.inf, scores))
        judged = mask if judged is None else mask & judged
    if judged is not None:
        grades = _real(grades)
        grades = xp.where(judged, grades, constant(xp.nan, grades))
    pool, dtype = grades if pool is None else _numbers(pool), widest(scores) if double else xp.float32
    return Batch(scores, grades, mask, pool, relevant, dtype, near(scores))


def _check_shapes(**arrays: Array | None) -> None:
    """Refuse shapes that do not fit together (`input-type`)."""
    shapes = {name: tuple(array.shape) for name, array in arrays.items() if array is not None}
    of_scores = shapes["scores"]
    for name, shape in shapes.items():
        expected = _SHAPES[name]
        fits = len(shape) == expected.count(",") + 1 and shape[:1] == of_scores[:1]
        if not fits or ("N" in expected and shape != of_scores):
            text = f"{name} is {_written(shape)}, not {expected}; scores are {_written(of_scores)}"
            remedy = "scores[None, :] is one query; flat arrays of many queries need indexes"
            raise InputError("input-type", text, remedy=remedy)


def _written(shape: tuple[int, ...]) -> str:
    return " x ".join(map(str, shape)) or "a number"


def _real(array: Array) -> Array:
    """Convert the array to real numbers."""
    xp = namespace(array)
    return array if xp.isdtype(array.dtype, "real floating") else xp.astype(array, widest(array))


def _numbers(grades: Array) -> Array:
    """Convert grades that are true and false to numbers."""
    xp = namespace(grades)
    return xp.astype(grades, xp.int8) if xp.isdtype(grades.dtype, "bool") else grades


def check_scores(scores: Array) -> None:
    """Refuse NaN among scores (`bad-score`)."""
    xp = namespace(scores)
    if bool(xp.any(xp.isnan(scores))):
        raise InputError("bad-score", "a score is NaN, which has no rank", remedy="mask=~isnan(scores) drops it")


def check_grades(grades: Array) -> None:
    """Refuse infinities among grades (`bad-grade`); NaN is unjudged."""
    xp = namespace(grades)
    if not xp.isdtype(grades.dtype, "real floating") or 0 in grades.shape:
        return
    ends = xp.isfinite(xp.min(grades)) & xp.isfinite(xp.max(grades))  # a tenth of the time; not finite beside NaN
    if not bool(ends) and bool(xp.any(xp.isinf(grades))):
        raise InputError("bad-grade", "a grade is infinite; grades are finite numbers, or NaN where nobody judged")


def falling(scores: Array) -> bool:
    """Return whether the scores of each query fall from the first column to the last, as a search for the top k does.

    The first query is looked at first: that of a matrix of all documents seldom falls, so that no other is read.
    """
    xp = namespace(scores)
    if scores.shape[1] < 2:  # noqa: PLR2004 - one document has no order
        return False
    for rows in (scores[:1, :], scores):
        if bool(xp.any(rows[:, 1:] > rows[:, :-1])):
            return False
    return bool(xp.any(scores[:, 0] > scores[:, -1]))


class Ragged:
    """Queries in ascending order of their indexes, and matrices of some of them at a time."""

    def __init__(self, arrays: dict[str, Array]) -> None:
        """Find the queries, and how long they are.

        Args:
            arrays: checked ones by name: `indexes` and those of one number for each document, `[n]`; `relevant` and
                `pool` have one row for each query.

        Raises:
            InputError: `input-type`, where shapes do not fit.

        """
        indexes = arrays["indexes"]
        xp = namespace(indexes)
        in_order = near(indexes) and len(indexes.shape) == 1 and bool(xp.all(indexes[1:] >= indexes[:-1]))
        if in_order:
            is_first = xp.concat([xp.ones_like(indexes[:1], dtype=xp.bool), indexes[1:] != indexes[:-1]])  # [n]
            self.queries = indexes[is_first]
        else:
            self.queries = xp.sort(xp.unique_values(indexes)) if len(indexes.shape) == 1 else indexes
        self._each = {name: array for name, array in arrays.items() if name in ("relevant", "pool")}
        flat = {name: array for name, array in arrays.items() if name not in self._each}
        for name, array in flat.items():
            if len(array.shape) != 1 or array.shape != indexes.shape:
                text = f"{name} is no flat array of one number for each of the indexes"
                raise InputError("input-type", text, remedy="indexes go with flat arrays; matrices need none")
        for name, array in self._each.items():
            if array.shape[:1] != self.queries.shape:
                text = f"{name} is {_written(tuple(array.shape))}; indexes are of {counted(self.queries.shape[0])}"
                raise InputError("input-type", text, remedy=f"{name} has a row for each query")
        if not in_order:
            order = xp.argsort(indexes, stable=True)  # [n]: by query
            flat = {name: xp.take(array, order, axis=0) for name, array in flat.items()}
        ordered = flat.pop("indexes")
        self._flat = flat
        # [B] each: where the documents of each query begin and end
        self._starts, ends = (xp.searchsorted(ordered, self.queries, side=side) for side in ("left", "right"))
        self._lengths = ends - self._starts
        self._by_length = xp.argsort(self._lengths, stable=True)  # [B]: queries, the shortest first
        self._pieces = _pieces(xp.take(self._lengths, self._by_length, axis=0), indexes.shape[0])

    def matrices(self) -> Iterator[dict[str, Any]]:
        """Yield by name `[b, N]` of each flat array and `[b]` or `[b, P]` of each other one; a mask is always there."""
        for begin, end, width in self._pieces:
            yield self._matrix(self._by_length[begin:end], width)

    def together(self, parts: list[list[Array]]) -> list[Array]:
        """Join the values of the matrices: `[B]` of each measure, in the order of the queries."""
        xp = namespace(self.queries)
        order = xp.argsort(self._by_length, stable=True)  # [B]: where each query is in the matrices, put in a line
        return [xp.take(xp.concat(columns, axis=0), order, axis=0) for columns in zip(*parts, strict=True)]

    def _matrix(self, rows: Array, width: int) -> dict[str, Any]:
        xp = namespace(rows)
        # [b, 1] each
        starts, lengths = (xp.take(array, rows, axis=0)[:, None] for array in (self._starts, self._lengths))
        step = counting(width, lengths)
        is_item = step < lengths  # [b, N]
        # [b * N]: the document of each cell, the last of the query again as padding
        cells = xp.reshape(xp.minimum(starts + step, starts + lengths - 1), (-1,))
        chosen = {name: xp.take(array, cells, axis=0) if width else array for name, array in self._flat.items()}
        wide = {name: xp.reshape(array, tuple(is_item.shape)) for name, array in chosen.items()}
        each = {name: xp.take(array, rows, axis=0) for name, array in self._each.items()}
        return wide | each | {"mask": is_item & wide["mask"] if "mask" in wide else is_item}


def _pieces(lengths: Array, documents: int) -> list[tuple[int, int, int]]:
    """Return which queries share a matrix: of each the first query, the first one behind it, and how wide it is.

    Args:
        lengths: `[B]`, ascending.
        documents: how many there are in all.

    """
    if not documents:
        return [(0, 0, 0)]
    xp = namespace(lengths)
    steps = counting(documents.bit_length() + 1, lengths)
    # how many queries have at most 1, 2, 4, ... documents
    ends = xp.searchsorted(lengths, xp.bitwise_left_shift(xp.ones_like(steps), steps), side="right")
    # how many documents the longest of these has
    longest = xp.take(lengths, xp.maximum(ends, xp.ones_like(ends)) - 1, axis=0)
    pieces: list[tuple[int, int, int]] = []
    counts = to_list(xp.stack([ends, longest]))
    for begin, end, width in reversed([*zip([0, *counts[0]], *counts, strict=False)]):
        if pieces and (end - begin) * (pieces[-1][2] - width) <= _SPARE:
            pieces[-1] = (begin, *pieces[-1][1:])
        elif end > begin:
            pieces.append((begin, end, width))
    return pieces[::-1]
