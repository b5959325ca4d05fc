"""Arrays that are handed in: their libraries, types, shapes and contents checked, and brought into one form."""

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from rankworth.errors import InputError, UsageError
from rankworth.judged import Array, constant, device_of, namespace, widest

_REAL: Final = ("real floating", "integral")
_FLAGS: Final = ("bool",), "true and false", "{0} != 0 makes them of numbers"
_WHOLE: Final = ("integral",), "whole numbers that can be sorted", "{0}.astype(int), in PyTorch {0}.long()"
_NUMBERS: Final = "real numbers", "{0}.astype(float), in PyTorch {0}.double()"
_TYPES: Final[dict[str, tuple[tuple[str, ...], str, str]]] = {
    "scores": (_REAL, *_NUMBERS),
    "grades": (("bool", *_REAL), *_NUMBERS),
    "mask": _FLAGS,
    "judged": _FLAGS,
    "relevant": (_REAL, *_NUMBERS),
    "pool": (("bool", *_REAL), *_NUMBERS),
    "indexes": _WHOLE,
}
"""what an array may hold by its name, how that is called, and what converts other arrays"""
_SHAPES: Final = dict.fromkeys(("scores", "grades", "mask", "judged"), "[B, N]") | {"pool": "[B, P]", "relevant": "[B]"}


def torch_of(array: Array) -> Any:  # noqa: ANN401 - a module
    """The library PyTorch, where the array is one of its tensors; else None."""
    torch = sys.modules.get("torch")
    return torch if torch is not None and isinstance(array, torch.Tensor) else None


def near(array: Array) -> bool:
    """Whether the contents of an array can be read without waiting for a device or breaking a compiled graph."""
    torch = torch_of(array)
    if torch is not None:
        return bool(array.device.type == "cpu" and not torch.compiler.is_compiling())
    return isinstance(array, np.ndarray)


def to_list(array: Array) -> list[Any]:
    """The numbers of an array of one or two axes; waits for the device, once where the library can."""
    if hasattr(array, "tolist"):
        numbers: list[Any] = array.tolist()
        return numbers
    if len(array.shape) > 1:
        return [to_list(array[row, :]) for row in range(array.shape[0])]
    number = int if namespace(array).isdtype(array.dtype, "integral") else float
    return [number(array[place]) for place in range(array.shape[0])]


def checked_arrays(arrays: Mapping[str, Array]) -> dict[str, Array]:
    """Each array in a type that its library can work with, without looking at shapes and contents.

    Args:
        arrays: by name, `scores` and `grades` among them; others may be None.

    Raises:
        InputError: `input-type`, where something is no array, holds something else than numbers, or is of another
            library or on another device than the scores.
        UsageError: `missing-library`.

    """
    library, device = _library("scores", arrays["scores"]), device_of(arrays["scores"])
    checked = {}
    for name, array in arrays.items():
        if array is None and name != "grades":
            continue
        own = _library(name, array)
        if own.__name__ != library.__name__:
            text = f"scores are an array of {library.__name__}, {name} of {own.__name__}"
            raise InputError("input-type", text, remedy="bring all arrays to one library")
        if device_of(array) != device:
            text = f"scores are on {device}, {name} on {device_of(array)}"
            raise InputError("input-type", text, remedy="bring all arrays to one device")
        checked[name] = _plain(array)
        kinds, called, remedy = _TYPES[name]
        if not library.isdtype(checked[name].dtype, kinds):
            text = f"{name} holds {array.dtype}, not {called}"
            raise InputError("input-type", text, remedy=remedy.format(name))
    return checked


def _library(name: str, array: Array) -> Any:  # noqa: ANN401 - an array namespace
    """The library of an array; `input-type` where it is none, or has cells without a number."""
    text = f"{name} is a {type(array).__name__}, not an array"
    remedy = (
        f"arrays of NumPy, PyTorch, CuPy, JAX and their like are taken: numpy.asarray({name}) or {name}.to_numpy(); "
        "queries of different lengths go as flat arrays with indexes, or padded with a mask"
    )
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
    """The array without a gradient, a subclass of NumPy's, or a type that PyTorch holds but can hardly work with."""
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
    mask: Array | None = None,
    judged: Array | None = None,
    relevant: Array | None = None,
    pool: Array | None = None,
) -> Batch:
    """One form for checked arrays; arguments as for `evaluate`.

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
    return Batch(
        scores=scores,
        grades=grades,
        mask=mask,
        pool=grades if pool is None else _numbers(pool),
        relevant=relevant,
        dtype=widest(scores) if double else xp.float32,
        readable=near(scores),
    )


def _check_shapes(**arrays: Array | None) -> None:
    """Refuse shapes that do not fit together (`input-type`)."""
    shapes = {name: tuple(array.shape) for name, array in arrays.items() if array is not None}
    of_scores = shapes["scores"]
    for name, shape in shapes.items():
        expected = _SHAPES[name]
        fits = len(shape) == expected.count(",") + 1 and shape[:1] == of_scores[:1]
        if not fits or ("N" in expected and shape != of_scores):
            text = f"{name} is {_written(shape)}, not {expected}"
            if name != "scores":
                raise InputError("input-type", f"{text}; scores are {_written(of_scores)}")
            remedy = "scores[None, :] is one query; flat arrays of many queries need indexes"
            raise InputError("input-type", text, remedy=remedy)


def _written(shape: tuple[int, ...]) -> str:
    return " x ".join(map(str, shape)) or "a number"


def _real(array: Array) -> Array:
    """The array as real numbers."""
    xp = namespace(array)
    return array if xp.isdtype(array.dtype, "real floating") else xp.astype(array, widest(array))


def _numbers(grades: Array) -> Array:
    """Grades as numbers, where they are true and false."""
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


def check_relevant(relevant: Array) -> None:
    """Refuse numbers of documents that are not whole (`input-type`)."""
    xp = namespace(relevant)
    if not xp.isdtype(relevant.dtype, "real floating"):
        return
    fractional = ~(xp.isfinite(relevant) & (xp.floor(relevant) == relevant))
    if bool(xp.any(fractional)):
        text = f"relevant holds {float(relevant[fractional][0]):g}, and counts documents"
        raise InputError("input-type", text, remedy="relevant is a whole number for each query")


def falling(scores: Array) -> bool:
    """Whether the scores of each query fall from the first column to the last, as a search for the top k leaves them.

    The first query is looked at first: that of a matrix of all documents seldom falls, so that no other is read.
    """
    xp = namespace(scores)
    if scores.shape[1] < 2:  # noqa: PLR2004 - one document has no order
        return False
    for rows in (scores[:1, :], scores):
        if bool(xp.any(rows[:, 1:] > rows[:, :-1])):
            return False
    return bool(xp.any(scores[:, 0] > scores[:, -1]))
