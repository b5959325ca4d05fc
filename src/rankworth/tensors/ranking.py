"""Judged rankings of a matrix of scores: its rows in rank order, all columns or only the first few, ties by column.

Where a measure looks at the first k documents, two top-k searches are enough: one over the scores for the ranking, one
over the grades for the ideal ranking. What has to be known of all documents is counted, and not sorted.

Only rows in which the score after the last one wanted equals it have ties that reach beyond. The first columns of that
score are looked up: in these rows where contents can be read, and in all rows elsewhere, so that nobody waits.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np

from rankworth.errors import InputError, counted
from rankworth.judged import Array, IdealOf, Judged, constant, counting, namespace, spans
from rankworth.tensors.inputs import Batch, check_scores, near, torch_of

_CELLS: Final = 1 << 26
"""how many documents without a column the ideal rankings of a batch may have: half a gigabyte for each array"""


class DeeperError(Exception):
    """A measure looks beyond the first documents, so that it needs all of them; no user ever sees it."""


@dataclass(frozen=True, eq=False)
class Shallow(Judged):
    """The first documents of each ranking, and the best of the pool: enough for a cutoff that is no deeper."""

    all_grades: Array | None = None
    """`[B, M]`: the grades of all judged documents, in any order, NaN for none"""
    missing: Array | None = None
    """`[B]`: how many relevant documents have no grade there"""
    level: float = 1.0
    """the grade of these"""

    @property
    def whole(self) -> Judged:
        """The ranking before it was cut, which is not known."""
        raise DeeperError

    @cached_property
    def condensed(self) -> Judged:
        """The ranking without unjudged documents, which needs those beyond."""
        raise DeeperError

    def ideal(self, gain: Callable[[Judged], Array], *, of: IdealOf = "judged", cut: bool = True) -> Judged:  # noqa: ARG002 - all gains that come here grow with the grade
        """Rank the documents ideally, as `Judged.ideal` does: the best grades stand in order already."""
        if of != "judged" or not cut or self.cutoff is None:
            raise DeeperError
        return self._uncut_as_they_come(of).cut(self.cutoff)

    def _number(self, condition: Callable[[Any], Any]) -> Array:
        """Return `[B]`, how many judged documents have a grade that meets a condition, also those without a column."""
        number = self.xp.astype(self.xp.count_nonzero(condition(self.all_grades), axis=1), self.rank.dtype)
        return number + self.missing if self.missing is not None and condition(self.level) else number


def judged_rows(
    batch: Batch, depth: int | None = None, *, level: float, check: bool = False, expected: bool = False
) -> Judged:
    """Rank the documents of each query.

    Args:
        batch: all documents.
        depth: how many of the first ones; all where None.
        level: the grade of relevant documents that are in no column.
        check: whether to refuse scores that are NaN, and numbers of relevant documents that cannot be.
        expected: whether ties count by their expectation.

    Raises:
        InputError: `bad-score`; `input-type`, where fewer documents are relevant than stand there, or too many to rank.

    """
    missing = _missing(batch, level, check=check)
    columns, scores = first(batch.scores, depth)  # [B, H] each: columns and scores, best first
    xp = namespace(scores)
    if check:
        check_scores(scores)
    marks = xp.take_along_axis(batch.grades, columns, axis=1)  # [B, H]: grades, NaN for unjudged
    grade = xp.astype(marks, batch.dtype)
    is_judged = xp.ones_like(grade, dtype=xp.bool)
    if xp.isdtype(marks.dtype, "real floating"):
        is_judged = ~xp.isnan(grade)
        grade = xp.where(is_judged, grade, constant(0.0, grade))
    queries, height = columns.shape
    if batch.mask is None:
        retrieved = xp.ones_like(is_judged)
        n_retrieved = xp.broadcast_to(constant(batch.scores.shape[1], grade), (queries,))
    else:
        n_retrieved = xp.astype(xp.count_nonzero(batch.mask, axis=1), batch.dtype)  # [B]
        retrieved = counting(height, grade) < n_retrieved[:, None]  # [B, H]: absent documents are last
    rank = xp.broadcast_to(counting(height, grade) + 1, (queries, height))  # [B, H]
    tie_first = tie_last = rank
    if expected and height and queries:
        ends = spans(scores, retrieved)
        tie_first, tie_last = (xp.where(retrieved, xp.astype(end, batch.dtype), rank) for end in ends)  # [B, H] each
    pool, in_pool = _best_grades(batch, depth, missing, level)
    fields: dict[str, Any] = {"rank": rank, "tie_first": tie_first, "tie_last": tie_last, "grade": grade}
    fields |= {"is_judged": is_judged, "retrieved": retrieved, "n_retrieved": n_retrieved}
    fields |= {"pool": pool, "in_pool": in_pool}
    fields |= {"ties": "expected" if expected else "broken", "even": True, "asks": batch.readable}
    return Judged(**fields) if depth is None else Shallow(**fields, all_grades=batch.pool, missing=missing, level=level)


def _best_grades(batch: Batch, depth: int | None, missing: Array | None, level: float) -> tuple[Array, Array]:
    """Return `[B, P]` each: the best grades of all judged documents, and which of them are there."""
    marks = batch.pool
    xp = namespace(marks)
    real = xp.isdtype(marks.dtype, "real floating")
    best = greatest(marks, depth) if real and batch.readable and depth is not None else None
    if best is None or bool(xp.any(xp.isnan(best))):  # NaN may stand first, as in PyTorch, or last
        best = greatest(xp.where(xp.isnan(marks), constant(-xp.inf, marks), marks) if real else marks, depth)
    best = xp.astype(best, batch.dtype)
    if missing is not None:
        most = depth
        if most is None or batch.readable or most > batch.scores.shape[1]:
            most = _affordable(xp.max(missing), most, missing.shape[0])
        more = counting(most, best) < missing[:, None]  # [B, most]: a cell for each document without a column
        extra = xp.where(more, constant(level, best), constant(-xp.inf, best))
        best = greatest(xp.concat([best, extra], axis=1), depth)
    is_judged = best > -xp.inf
    return xp.where(is_judged, best, constant(0.0, best)), is_judged


def _affordable(missing: Array, depth: int | None, queries: int) -> int:
    """Return how many relevant documents without a column an ideal ranking has.

    Args:
        missing: the greatest number of any query, which may be anything where nobody checked.
        depth: how many are enough; None where all are needed.
        queries: how many have such a ranking.

    Raises:
        InputError: `input-type`, where they would fill the memory.

    """
    most = float(missing)
    most = most if depth is None else min(most, depth)
    if not most * queries <= _CELLS:
        text = f"relevant has {most:,.15g} documents without a column to rank for each of {counted(queries)}"
        remedy = f"a smaller cutoff ranks fewer; at most {_CELLS:,} go in one batch"
        raise InputError("input-type", text, remedy=remedy)
    return max(0, int(most))


def _missing(batch: Batch, level: float, *, check: bool) -> Array | None:
    """Return `[B]`, how many relevant documents have no column; None where nothing says it."""
    if batch.relevant is None:
        return None
    xp = namespace(batch.scores)
    relevant = batch.relevant
    if check and xp.isdtype(relevant.dtype, "real floating"):
        fractional = ~(xp.isfinite(relevant) & (xp.floor(relevant) == relevant))
        if bool(xp.any(fractional)):
            text = f"relevant holds {float(relevant[fractional][0]):g}, and counts documents"
            raise InputError("input-type", text, remedy="relevant is a whole number for each query")
    # [B]: how many relevant documents have a column
    in_matrix = xp.astype(xp.count_nonzero(batch.grades >= level, axis=1), batch.dtype)
    missing = xp.astype(relevant, batch.dtype) - in_matrix
    if check and not bool(xp.all(missing >= 0)):
        text = f"relevant is smaller than the number of documents of grade {level:g} or better that stand there"
        remedy = "relevant counts all relevant documents of a query, those in the matrix among them"
        raise InputError("input-type", text, remedy=remedy)
    return missing


def first(scores: Array, number: int | None) -> tuple[Array, Array]:
    """Return `[B, K]` each: the columns with the greatest scores, best first, and these scores; ties by column.

    Args:
        scores: `[B, N]`.
        number: how many; all where None.

    """
    width = scores.shape[1]
    xp = namespace(scores)
    torch, jax = torch_of(scores), _jax_of(scores)
    if number is None or number >= width:
        columns = _sorted(xp, scores)
    elif jax is not None:  # its search has ties by column, but would put 0 before -0
        columns = jax.lax.top_k(xp.where(scores == 0, 0, scores), number)[1]
    elif isinstance(scores, np.ndarray):
        columns = _first_of_numpy(scores, number)
    elif torch is None:
        columns = _sorted(xp, scores)[:, :number]
    elif near(scores):
        return _first_of_torch(torch, scores, number)
    else:
        return _first_unread(torch, scores, number)
    return columns, xp.take_along_axis(scores, columns, axis=1)


def greatest(grades: Array, number: int | None) -> Array:
    """Return `[B, K]`, the greatest numbers of each row, best first; all where `number` is None.

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
    jax = _jax_of(grades)
    if jax is not None and number < width:
        return jax.lax.top_k(grades, number)[0]
    if isinstance(grades, np.ndarray) and 0 < number < width:
        grades = np.partition(grades, width - number, axis=1)[:, width - number :]
    return xp.flip(xp.sort(grades, axis=1), axis=1)[:, :number]


def _jax_of(array: Array) -> Any:  # noqa: ANN401 - a module
    """Return the library JAX, where the array is one of its own; else None."""
    jax = sys.modules.get("jax")
    return jax if jax is not None and isinstance(array, jax.Array) else None


def _sorted(xp: Any, scores: Array) -> Array:  # noqa: ANN401 - an array namespace
    """Return `[B, N]`, all columns in order of descending scores."""
    if isinstance(scores, np.ndarray):
        return np.argsort(-scores, axis=1, kind="stable")
    return xp.argsort(scores, axis=1, descending=True, stable=True)


def _first_of_numpy(scores: Array, number: int) -> Array:
    """Return `[B, number]`, the columns with the greatest scores of each row, best first; ties by column."""
    width = scores.shape[1]
    # [B, number + 1]: the columns of the greatest scores and of the next, ascending
    columns = np.sort(np.argpartition(scores, width - number - 1, axis=1)[:, width - number - 1 :], axis=1)
    best = np.take_along_axis(scores, columns, axis=1)
    order = np.argsort(-best, axis=1, kind="stable")
    columns, best = (np.take_along_axis(array, order, axis=1) for array in (columns, best))
    # beyond: the rows whose last score occurs again behind it
    columns, beyond = columns[:, :number], np.flatnonzero(best[:, number] == best[:, number - 1])
    if beyond.size:
        columns[beyond] = _sorted(np, scores[beyond])[:, :number]
    rows_with_nan = np.flatnonzero(np.isnan(best).any(axis=1))
    if rows_with_nan.size:  # NaN comes first, as in PyTorch, so that whoever checks sees it
        columns[rows_with_nan] = np.argsort(~np.isnan(scores[rows_with_nan]), axis=1, kind="stable")[:, :number]
    return columns


def _first_of_torch(torch: Any, scores: Array, number: int) -> tuple[Array, Array]:  # noqa: ANN401 - a module
    """Do the same as `first` for a readable tensor; mostly nothing is tied, and then nothing is sorted."""
    best, columns = torch.topk(scores, number + 1, dim=1)  # [B, number + 1] each
    # [B, number]: whether the next score is the same
    tied = (best[:, 1:] == best[:, :-1]) & ~torch.isnan(best[:, :1])  # where NaN is first it stays, to be seen
    columns, best = columns[:, :number], best[:, :number]
    rows = torch.nonzero(tied.any(dim=1))[:, 0]  # the rows with ties
    if rows.shape[0]:
        columns[rows], best[rows] = _by_column(torch, scores[rows], columns[rows])
        beyond = torch.nonzero(tied[:, -1])[:, 0]  # of these, the rows whose last score occurs again
        columns[beyond], _ = _first_unread(torch, scores[beyond], number)
    return columns, best


def _first_unread(torch: Any, scores: Array, number: int) -> tuple[Array, Array]:  # noqa: ANN401 - a module
    """Do what `first` does without waiting for the device: look up columns with the last score in every row."""
    width = scores.shape[1]
    best, columns = torch.topk(scores, number, dim=1)  # [B, number] each
    last = best[:, -1:]  # [B, 1]
    column = torch.arange(width, dtype=torch.int32, device=scores.device)  # [N]
    # [B, number]: the first columns with the last score, ascending; N where there are no more
    tied = width - torch.topk(torch.where(scores == last, width - column, 0), number, dim=1).values
    above = best > last  # [B, number]
    # [B, number]: the index of each column among those with the last score
    slot = torch.arange(number, device=scores.device) - above.sum(dim=1, keepdim=True)
    columns = torch.where(above, columns, torch.gather(tied.long(), 1, slot.clamp(min=0)))
    return _by_column(torch, scores, columns)


def _by_column(torch: Any, scores: Array, columns: Array) -> tuple[Array, Array]:  # noqa: ANN401 - a module
    """Sort some columns of each row, `[B, K]`, by descending score, ties by column."""
    columns = torch.sort(columns, dim=1).values
    best, order = torch.sort(torch.gather(scores, 1, columns), dim=1, descending=True, stable=True)
    return torch.gather(columns, 1, order), best
