"""In which order the columns of a score matrix stand: the first few of each row, ties by column, without sorting all.

Only rows in which the score after the last one wanted equals it have ties that reach beyond. The first columns of that
score are looked up: in these rows where one may ask, and in all rows elsewhere, so that nobody waits.
"""

from typing import Any

import numpy as np

from rankworth.judged import Array, namespace
from rankworth.tensors.libraries import jax_of, near, torch_of


def first(scores: Array, number: int | None) -> tuple[Array, Array]:
    """`[B, K]` each: the columns with the greatest scores, best first, and these scores; ties by ascending column.

    Args:
        scores: `[B, N]`.
        number: how many; all where None.

    """
    width = scores.shape[1]
    xp = namespace(scores)
    torch, jax = torch_of(scores), jax_of(scores)
    if jax is not None and number is not None and number < width:  # the search of JAX has ties by column
        places = jax.lax.top_k(xp.where(scores == 0, 0, scores), number)[1]  # but would put 0 before -0
    elif number is None or number >= width or (torch is None and not isinstance(scores, np.ndarray)):
        places = _sorted(xp, scores)[:, : width if number is None else min(number, width)]
    elif isinstance(scores, np.ndarray):
        places = _of_numpy(scores, number)
    elif near(scores):
        return _of_torch(torch, scores, number)
    else:
        return _unasked(torch, scores, number)
    return places, xp.take_along_axis(scores, places, axis=1)


def greatest(grades: Array, number: int | None) -> Array:
    """`[B, K]`: the greatest numbers of each row, best first; all where no number is said.

    Args:
        grades: `[B, N]`, none of them NaN.
        number: how many.

    """
    width = grades.shape[1]
    xp = namespace(grades)
    torch = torch_of(grades)
    number = width if number is None else min(number, width)
    if torch is not None and number < width:
        return torch.topk(grades, number, dim=1).values
    jax = jax_of(grades)
    if jax is not None and number < width:
        return jax.lax.top_k(grades, number)[0]
    if isinstance(grades, np.ndarray) and 0 < number < width:
        grades = np.partition(grades, width - number, axis=1)[:, width - number :]
    return xp.flip(xp.sort(grades, axis=1), axis=1)[:, :number]


def _sorted(xp: Any, scores: Array) -> Array:  # noqa: ANN401 - an array namespace
    """All columns in order."""
    if isinstance(scores, np.ndarray):
        return np.argsort(-scores, axis=1, stable=True)
    return xp.argsort(scores, axis=1, descending=True, stable=True)


def _of_numpy(scores: Array, number: int) -> Array:
    """The first columns of each row, and one more to tell whether it ties with the last."""
    width = scores.shape[1]
    places = np.sort(np.argpartition(scores, width - number - 1, axis=1)[:, width - number - 1 :], axis=1)
    some = np.take_along_axis(scores, places, axis=1)
    order = np.argsort(-some, axis=1, stable=True)
    places, some = (np.take_along_axis(array, order, axis=1) for array in (places, some))
    places, beyond = places[:, :number], np.flatnonzero(some[:, number] == some[:, number - 1])
    if beyond.size:
        places[beyond] = _sorted(np, scores[beyond])[:, :number]
    void = np.flatnonzero(np.isnan(some).any(axis=1))
    if void.size:  # NaN comes first, as in PyTorch, so that whoever checks sees it
        places[void] = np.argsort(~np.isnan(scores[void]), axis=1, stable=True)[:, :number]
    return places


def _of_torch(torch: Any, scores: Array, number: int) -> tuple[Array, Array]:  # noqa: ANN401 - a module
    """The same where the tensor is at hand; most often nothing is tied, and then nothing is sorted."""
    some, places = torch.topk(scores, number + 1, dim=1)
    tied = (some[:, 1:] == some[:, :-1]) & ~torch.isnan(some[:, :1])  # where NaN is first it stays, to be seen
    places, some = places[:, :number], some[:, :number]
    rows = torch.nonzero(tied.any(dim=1))[:, 0]
    if rows.shape[0]:
        places[rows], some[rows] = _by_column(torch, scores[rows], places[rows])
        beyond = torch.nonzero(tied[:, -1])[:, 0]
        places[beyond], _ = _unasked(torch, scores[beyond], number)
    return places, some


def _unasked(torch: Any, scores: Array, number: int) -> tuple[Array, Array]:  # noqa: ANN401 - a module
    """The same without a question to the device: the first columns with the last score are looked up in every row."""
    width = scores.shape[1]
    some, places = torch.topk(scores, number, dim=1)
    last = some[:, -1:]
    column = torch.arange(width, dtype=torch.int32, device=scores.device)
    tied = width - torch.topk(torch.where(scores == last, width - column, 0), number, dim=1).values
    above = some > last
    slot = torch.arange(number, device=scores.device) - above.sum(dim=1, keepdim=True)
    places = torch.where(above, places, torch.gather(tied.long(), 1, slot.clamp(min=0)))
    return _by_column(torch, scores, places)


def _by_column(torch: Any, scores: Array, places: Array) -> tuple[Array, Array]:  # noqa: ANN401 - a module
    """Some columns of each row in order."""
    places = torch.sort(places, dim=1).values
    some, order = torch.sort(torch.gather(scores, 1, places), dim=1, descending=True, stable=True)
    return torch.gather(places, 1, order), some
