"""What is handed in: checked for shape, library and device, and brought to one form without looking at its contents."""

import sys
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from rankworth.errors import InputError, UsageError
from rankworth.judged import Array, constant, device_of, namespace, widest

_SHAPES: Final = {
    "scores": "[B, N]",
    "grades": "[B, N]",
    "mask": "[B, N]",
    "judged": "[B, N]",
    "pool": "[B, P]",
    "relevant": "[B]",
}
_FLAGS: Final = ("mask", "judged")


@dataclass(frozen=True, eq=False)
class Batch:
    """Some queries with their documents side by side, in one library and on one device."""

    scores: Array
    """`[B, N]`: real numbers; minus infinity where there is no document"""
    grades: Array
    """`[B, N]`: NaN where nobody judged or there is no document"""
    mask: Array | None
    """`[B, N]`: whether there is a document; None where all are"""
    pool: Array | None
    """`[B, P]`: the grades of all judged documents in any order, NaN for none; None where they are in `grades`"""
    relevant: Array | None
    """`[B]`: how many documents are relevant, whether they stand here or not; None where nobody said"""
    dtype: Any
    """the type that values have"""
    asks: bool
    """whether it costs next to nothing to ask what is in the arrays"""

    @property
    def everyone(self) -> Array:
        """The grades of all judged documents that are told one by one."""
        return self.grades if self.pool is None else self.pool


def torch_of(array: Array) -> Any:  # noqa: ANN401 - a module
    """The library PyTorch, where the array is one of its tensors; else None."""
    torch = sys.modules.get("torch")
    return torch if torch is not None and isinstance(array, torch.Tensor) else None


def jax_of(array: Array) -> Any:  # noqa: ANN401 - a module
    """The library JAX, where the array is one of its own; else None."""
    jax = sys.modules.get("jax")
    return jax if jax is not None and isinstance(array, jax.Array) else None


def near(array: Array) -> bool:
    """Whether the contents of an array can be asked without waiting for a device or breaking a compiled graph."""
    torch = torch_of(array)
    if torch is not None:
        return bool(array.device.type == "cpu" and not torch.compiler.is_compiling())
    return isinstance(array, np.ndarray)


def batch(
    scores: Array,
    grades: Array,
    *,
    mask: Array | None,
    judged: Array | None,
    relevant: Array | None,
    pool: Array | None,
) -> Batch:
    """One form for all that may be handed in.

    Args:
        scores: `[B, N]`, real or whole numbers.
        grades: `[B, N]`, NaN where nobody judged.
        mask: `[B, N]`, false where there is no document.
        judged: `[B, N]`, false where nobody judged.
        relevant: `[B]`, how many documents are relevant in all.
        pool: `[B, P]`, the grades of all judged documents, NaN for none.

    Raises:
        InputError: `input-type`, where shapes, types, libraries or devices do not fit.
        UsageError: `conflicting-options`, for both `relevant` and `pool`.

    """
    given = {"scores": scores, "grades": grades, "mask": mask, "judged": judged, "pool": pool, "relevant": relevant}
    arrays = {name: array for name, array in given.items() if array is not None or name in ("scores", "grades")}
    _fitting(arrays)
    if relevant is not None and pool is not None:
        text = "relevant and pool both tell how many documents are relevant in all"
        raise UsageError("conflicting-options", text, remedy="pool tells more: the grades of all judged documents")
    if torch_of(scores) is not None:
        arrays = {name: array.detach() for name, array in arrays.items()}
    scores = _real(arrays["scores"])
    dtype = _value_type(scores)
    xp = namespace(scores)
    grades, mask, judged = arrays["grades"], arrays.get("mask"), arrays.get("judged")
    grades = _counted(grades)
    if mask is not None:
        lowest = constant(xp.finfo(scores.dtype).min, scores)
        scores = xp.where(mask, xp.maximum(scores, lowest), constant(-xp.inf, scores))
        judged = mask if judged is None else mask & judged
    if judged is not None:
        grades = _real(grades)
        grades = xp.where(judged, grades, constant(xp.nan, grades))
    whole = arrays.get("pool")
    return Batch(
        scores=scores,
        grades=grades,
        mask=mask,
        pool=None if whole is None else _counted(whole),
        relevant=None if relevant is None else xp.astype(arrays["relevant"], dtype),
        dtype=dtype,
        asks=near(scores),
    )


def _fitting(arrays: dict[str, Array]) -> None:
    """Refuse what does not fit together.

    Raises:
        InputError: `input-type`.

    """
    for name, array in arrays.items():
        if not (hasattr(array, "shape") and hasattr(array, "dtype")):
            raise InputError(
                "input-type",
                f"{name} is a {type(array).__name__}, not an array",
                remedy="arrays of NumPy, PyTorch, CuPy, JAX and their like are taken: numpy.asarray makes one of lists",
            )
    scores = arrays["scores"]
    library = namespace(scores).__name__
    wide_as: dict[str, tuple[int, ...]] = {name: tuple(array.shape) for name, array in arrays.items()}
    for name, array in arrays.items():
        wanted = _SHAPES[name]
        fits = len(wide_as[name]) == wanted.count(",") + 1 and wide_as[name][:1] == wide_as["scores"][:1]
        if not fits or ("N" in wanted and wide_as[name] != wide_as["scores"]):
            said = " x ".join(map(str, wide_as["scores"]))
            shape = " x ".join(map(str, wide_as[name])) or "a number"
            text = f"{name} is {shape}, not {wanted}" + (f"; scores are {said}" if name != "scores" else "")
            remedy = "scores[None, :] is one query; flat arrays of many queries need indexes"
            raise InputError("input-type", text, remedy=remedy if name == "scores" else "")
        if namespace(array).__name__ != library:
            raise InputError(
                "input-type",
                f"scores are an array of {library}, {name} of {namespace(array).__name__}",
                remedy="bring all arrays to one library",
            )
        if device_of(array) != device_of(scores):
            text = f"scores are on {device_of(scores)}, {name} on {device_of(array)}"
            raise InputError("input-type", text, remedy="bring all arrays to one device")
        flags = namespace(array).isdtype(array.dtype, "bool")
        if (name in _FLAGS) != flags and (name in _FLAGS or name in ("scores", "relevant")):
            wants = "true and false" if name in _FLAGS else "numbers"
            raise InputError("input-type", f"{name} holds {array.dtype}, not {wants}")
        if namespace(array).isdtype(array.dtype, "complex floating"):
            raise InputError("input-type", f"{name} holds {array.dtype}, which has no order")


def _real(array: Array) -> Array:
    """The same as real numbers."""
    xp = namespace(array)
    return array if xp.isdtype(array.dtype, "real floating") else xp.astype(array, widest(array))


def _counted(grades: Array) -> Array:
    """The same as numbers, where they are true and false."""
    xp = namespace(grades)
    return xp.astype(grades, xp.int8) if xp.isdtype(grades.dtype, "bool") else grades


def _value_type(scores: Array) -> Any:  # noqa: ANN401 - of the array library
    """The type of values: that of the scores, but no less than single precision; double in NumPy."""
    xp = namespace(scores)
    if isinstance(scores, np.ndarray) or scores.dtype == widest(scores):
        return widest(scores)
    return xp.float32
