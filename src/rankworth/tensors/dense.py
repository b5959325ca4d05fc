"""How a judged ranking comes about from a matrix: rows in rank order, all of them or only the first few.

Where a measure looks at the first k documents, two top-k searches are enough: one over the scores for the ranking, one
over the grades for the ideal ranking. What has to be known of all documents is counted, and not sorted.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from rankworth.errors import InputError, counted
from rankworth.judged import Array, Judged, Pool, constant, counting, namespace, spans
from rankworth.tensors.batches import Batch
from rankworth.tensors.contents import countable, ordered
from rankworth.tensors.tops import first, greatest

_CELLS: Final = 1 << 26
"""how many documents without a column the ideal rankings of a batch may have: half a gigabyte for each array"""


class DeeperError(Exception):
    """A measure looks beyond the first documents, so that it needs all of them; no user ever sees it."""


@dataclass(frozen=True, eq=False)
class Shallow(Judged):
    """The first documents of each ranking, and the best of the pool: enough for a cutoff that is no deeper."""

    everyone: Array | None = None
    """`[B, M]`: the grades of all judged documents, in any order, NaN for none"""
    missing: Array | None = None
    """`[B]`: how many relevant documents have no grade there"""
    level: float = 1.0
    """the grade of these"""

    @property
    def whole(self) -> Judged:
        """The ranking before it was cut, which is not here."""
        raise DeeperError

    @cached_property
    def condensed(self) -> Judged:
        """The ranking without unjudged documents, which would need those beyond."""
        raise DeeperError

    def ideal(self, gain: Callable[[Judged], Array], *, of: Pool = "judged", cut: bool = True) -> Judged:  # noqa: ARG002 - all gains that come here grow with the grade
        """The best order of the documents, as `Judged.ideal`: the best grades, which stand in order."""
        if of != "judged" or not cut or self.cutoff is None:
            raise DeeperError
        return self._uncut_as_they_come(of).cut(self.cutoff)

    def n_judged(self) -> Array:
        """`[B]`: how many documents are judged."""
        return self._counted(lambda grade: grade == grade, counts=True)  # noqa: PLR0124 - NaN is not

    def n_relevant(self, rel: float) -> Array:
        """`[B]`: how many documents are judged with grade `rel` or better."""
        return self._counted(lambda grade: grade >= rel, counts=self.level >= rel)

    def n_above(self, grade: float) -> Array:
        """`[B]`: how many documents are judged with more than a grade."""
        return self._counted(lambda one: one > grade, counts=self.level > grade)

    def n_nonrelevant(self, rel: float) -> Array:
        """`[B]`: how many documents are judged with a grade from 0 to below `rel`."""
        return self._counted(lambda grade: (grade >= 0) & (grade < rel), counts=0 <= self.level < rel)

    def _counted(self, condition: Callable[[Array], Array], *, counts: bool) -> Array:
        xp = self.xp
        number = xp.astype(xp.count_nonzero(condition(self.everyone), axis=1), self.rank.dtype)
        return number + self.missing if counts and self.missing is not None else number


def shallow(batch: Batch, depth: int, *, level: float, check: bool) -> Shallow:
    """The first documents.

    Args:
        batch: all documents.
        depth: how many of them.
        level: the grade of relevant documents that stand nowhere.
        check: whether to refuse scores that are NaN, and numbers of relevant documents that cannot be.

    Raises:
        InputError: `bad-score`; `input-type`, where fewer documents are relevant than stand there, or too many to rank.

    """
    missing = _missing(batch, level, check=check)
    fields = _rows(batch, depth, check=check)
    pool, pool_known = _pool(batch, depth, missing, level)
    return Shallow(**fields, pool=pool, pool_known=pool_known, everyone=batch.everyone, missing=missing, level=level)


def deep(batch: Batch, *, level: float, check: bool, expected: bool) -> Judged:
    """All documents; arguments as for `shallow`, and whether ties count by their expectation."""
    missing = _missing(batch, level, check=check)
    fields = _rows(batch, None, check=check, expected=expected)
    pool, pool_known = _pool(batch, None, missing, level)
    return Judged(**fields, pool=pool, pool_known=pool_known)


def _rows(batch: Batch, depth: int | None, *, check: bool, expected: bool = False) -> dict[str, Array]:
    """What a judged ranking has for each row."""
    places, scores = first(batch.scores, depth)
    xp = namespace(scores)
    if check:
        ordered(scores)
    marks = xp.take_along_axis(batch.grades, places, axis=1)
    known, grade = _known(marks, batch.dtype)
    queries, height = places.shape
    width = constant(batch.scores.shape[1], grade)
    if batch.mask is None:
        retrieved, n_retrieved = xp.ones_like(known), xp.broadcast_to(width, (queries,))
    else:
        n_retrieved = xp.astype(xp.count_nonzero(batch.mask, axis=1), batch.dtype)
        retrieved = counting(height, grade) < n_retrieved[:, None]
    rank = xp.broadcast_to(counting(height, grade) + 1, (queries, height))
    begin = end = rank
    if expected and height and queries:
        begin, end = (xp.astype(one, batch.dtype) for one in spans(scores, retrieved))
        begin, end = (xp.where(retrieved, one, rank) for one in (begin, end))
    return {
        "rank": rank,
        "tie_first": begin,
        "tie_last": end,
        "grade": grade,
        "known": known,
        "retrieved": retrieved,
        "n_retrieved": n_retrieved,
        "ties": "expected" if expected else "broken",
        "even": True,
        "asks": batch.asks,
    }


def _known(marks: Array, dtype: object) -> tuple[Array, Array]:
    """Which documents are judged, and their grades; 0 for the others."""
    xp = namespace(marks)
    grade = xp.astype(marks, dtype)
    if not xp.isdtype(marks.dtype, "real floating"):
        return xp.ones_like(grade, dtype=xp.bool), grade
    known = ~xp.isnan(grade)
    return known, xp.where(known, grade, constant(0.0, grade))


def _pool(batch: Batch, depth: int | None, missing: Array | None, level: float) -> tuple[Array, Array]:
    """The best grades of all judged documents, and which of them are there."""
    marks = batch.everyone
    xp = namespace(marks)
    real = xp.isdtype(marks.dtype, "real floating")
    best = greatest(marks, depth) if real and batch.asks and depth is not None else None
    if best is None or bool(xp.any(xp.isnan(best))):  # NaN may stand first, as in PyTorch, or last
        best = greatest(xp.where(xp.isnan(marks), constant(-xp.inf, marks), marks) if real else marks, depth)
    best = xp.astype(best, batch.dtype)
    if missing is not None:
        most = depth
        if most is None or batch.asks or most > batch.scores.shape[1]:
            most = _affordable(xp.max(missing), most, missing.shape[0])
        more = counting(most, best) < missing[:, None]
        extra = xp.where(more, constant(level, best), constant(-xp.inf, best))
        best = greatest(xp.concat([best, extra], axis=1), depth)
    known = best > -xp.inf
    return xp.where(known, best, constant(0.0, best)), known


def _affordable(missing: Array, depth: int | None, queries: int) -> int:
    """How many relevant documents that stand nowhere an ideal ranking is given.

    Args:
        missing: the greatest number of any query, which may be anything where nobody checked.
        depth: how many are enough; None where all are needed.
        queries: how many have such a ranking.

    Raises:
        InputError: `input-type`, where memory should not be asked for that many.

    """
    most = float(missing)
    most = most if depth is None else min(most, depth)
    if not most * queries <= _CELLS:
        text = f"relevant has {most:,.15g} documents without a column to rank for each of {counted(queries)}"
        remedy = f"a smaller cutoff ranks fewer; at most {_CELLS:,} go in one batch"
        raise InputError("input-type", text, remedy=remedy)
    return max(0, int(most))


def _missing(batch: Batch, level: float, *, check: bool) -> Array | None:
    """How many relevant documents stand nowhere."""
    if batch.relevant is None:
        return None
    xp = namespace(batch.scores)
    if check:
        countable(batch.relevant)
    there = xp.astype(xp.count_nonzero(batch.grades >= level, axis=1), batch.dtype)
    missing = xp.astype(batch.relevant, batch.dtype) - there
    if check and not bool(xp.all(missing >= 0)):
        raise InputError(
            "input-type",
            f"relevant is smaller than the number of documents of grade {level:g} or better that stand there",
            remedy="relevant counts all relevant documents of a query, those in the matrix among them",
        )
    return missing
