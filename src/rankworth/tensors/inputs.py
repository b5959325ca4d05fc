"""Which arrays are taken: of numbers, or of true and false, all of one library and on one device."""

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from rankworth.errors import InputError, UsageError
from rankworth.judged import Array, device_of, namespace
from rankworth.tensors.libraries import plain, torch_of

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
"""what an array may hold by its name, how that is called, and what makes it of something else"""


def taken(given: Mapping[str, Array | None]) -> dict[str, Array]:
    """What was handed in, each array in a type that its library can work with; shapes and contents are not looked at.

    Args:
        given: arrays by name, `scores` among them; None where nothing was handed in.

    Raises:
        InputError: `input-type`, where something is no array, holds something else than numbers, or is of another
            library or on another device than the scores.
        UsageError: `missing-library`.

    """
    arrays: dict[str, Array] = {
        name: array for name, array in given.items() if array is not None or name in ("scores", "grades")
    }
    libraries = {name: _library(name, array) for name, array in arrays.items()}
    scores, library = arrays["scores"], libraries["scores"]
    found = {}
    for name, array in arrays.items():
        if libraries[name].__name__ != library.__name__:
            text = f"scores are an array of {library.__name__}, {name} of {libraries[name].__name__}"
            raise InputError("input-type", text, remedy="bring all arrays to one library")
        if device_of(array) != device_of(scores):
            text = f"scores are on {device_of(scores)}, {name} on {device_of(array)}"
            raise InputError("input-type", text, remedy="bring all arrays to one device")
        found[name] = plain(array)
        kinds, called, remedy = _TYPES[name]
        if not library.isdtype(found[name].dtype, kinds):
            text = f"{name} holds {array.dtype}, not {called}"
            raise InputError("input-type", text, remedy=remedy.format(name))
    return found


def _library(name: str, array: Array) -> Any:  # noqa: ANN401 - an array namespace
    """The library of an array.

    Raises:
        InputError: `input-type`, where it is none, or has cells without a number.
        UsageError: `missing-library`.

    """
    if isinstance(array, np.ma.MaskedArray):
        flags = "judged" if name == "grades" else "mask"
        remedy = f"{name}.data is an array, and {flags}=~numpy.ma.getmaskarray({name}) tells what was masked"
        raise InputError("input-type", f"{name} is a masked array, whose mask would be lost", remedy=remedy)
    torch = torch_of(array)
    if torch is not None and array.layout != torch.strided:
        remedy = "to_dense() makes one; queries of different lengths go as flat arrays with indexes"
        raise InputError("input-type", f"{name} is a tensor of layout {array.layout}, not a dense one", remedy=remedy)
    if hasattr(array, "shape") and hasattr(array, "dtype"):
        try:
            return namespace(array)
        except ModuleNotFoundError as error:
            text = f"{name}: arrays of {type(array).__module__.partition('.')[0]} need {error.name}"
            raise UsageError("missing-library", text, remedy="pip install array-api-compat") from error
        except TypeError:
            pass  # it has a shape and a type as arrays have them, and is none
    text, remedy = _no_array(name, array)
    raise InputError("input-type", text, remedy=remedy)


def _no_array(name: str, thing: object) -> tuple[str, str]:
    """What something is instead of an array, and what makes one of it."""
    text = f"{name} is a {type(thing).__name__}, not an array"
    if hasattr(thing, "to_numpy"):
        return text, f"{name}.to_numpy() is one"
    if isinstance(thing, list | tuple):
        lengths = {len(row) for row in thing if isinstance(row, list | tuple)}
        if len(lengths) > 1:
            text = f"{name} is a {type(thing).__name__} with rows of {min(lengths):,} to {max(lengths):,} items"
            remedy = "queries of different lengths go as flat arrays with indexes, or as rows padded to one length,"
            return f"{text}, not an array", f"{remedy} with a mask"
        return text, f"numpy.asarray({name}) is one"
    return text, "arrays of NumPy, PyTorch, CuPy, JAX and their like are taken"
