"""Matrices in one form: their shapes checked, missing documents and judgements marked, contents not looked at."""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from rankworth.errors import InputError, UsageError
from rankworth.judged import Array, constant, namespace, widest
from rankworth.tensors.libraries import near

_SHAPES: Final = {
    "scores": "[B, N]",
    "grades": "[B, N]",
    "mask": "[B, N]",
    "judged": "[B, N]",
    "pool": "[B, P]",
    "relevant": "[B]",
}


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


def batch(
    scores: Array,
    grades: Array,
    *,
    mask: Array | None,
    judged: Array | None,
    relevant: Array | None,
    pool: Array | None,
) -> Batch:
    """One form for all that may be handed in, once it is taken.

    Args:
        scores: `[B, N]`, real or whole numbers.
        grades: `[B, N]`, NaN where nobody judged.
        mask: `[B, N]`, false where there is no document.
        judged: `[B, N]`, false where nobody judged.
        relevant: `[B]`, how many documents are relevant in all.
        pool: `[B, P]`, the grades of all judged documents, NaN for none.

    Raises:
        InputError: `input-type`, where shapes do not fit.
        UsageError: `conflicting-options`, for both `relevant` and `pool`.

    """
    _fitting(scores=scores, grades=grades, mask=mask, judged=judged, pool=pool, relevant=relevant)
    if relevant is not None and pool is not None:
        text = "relevant and pool both tell how many documents are relevant in all"
        raise UsageError("conflicting-options", text, remedy="pool tells more: the grades of all judged documents")
    scores = _real(scores)
    dtype = _value_type(scores)
    xp = namespace(scores)
    grades = _counted(grades)
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
        pool=None if pool is None else _counted(pool),
        relevant=relevant,
        dtype=dtype,
        asks=near(scores),
    )


def _fitting(**given: Array | None) -> None:
    """Refuse shapes that do not fit together.

    Raises:
        InputError: `input-type`.

    """
    shapes = {name: tuple(array.shape) for name, array in given.items() if array is not None}
    of_scores = shapes["scores"]
    for name, shape in shapes.items():
        wanted = _SHAPES[name]
        fits = len(shape) == wanted.count(",") + 1 and shape[:1] == of_scores[:1]
        if not fits or ("N" in wanted and shape != of_scores):
            text = f"{name} is {_written(shape)}, not {wanted}"
            if name != "scores":
                raise InputError("input-type", f"{text}; scores are {_written(of_scores)}")
            remedy = "scores[None, :] is one query; flat arrays of many queries need indexes"
            raise InputError("input-type", text, remedy=remedy)


def _written(shape: tuple[int, ...]) -> str:
    return " x ".join(map(str, shape)) or "a number"


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
