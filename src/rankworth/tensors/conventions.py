"""What the settings of a profile make of a matrix, and which grades they refuse."""

import math
from dataclasses import replace
from typing import Literal, NamedTuple

from rankworth import support
from rankworth.errors import RefusedError, UsageError
from rankworth.judged import Array, constant, namespace, widest
from rankworth.profiles import ResolvedMeasure
from rankworth.tensors.inputs import Batch

Ties = Literal["order", "expected"]
"""Documents with one score stand in the order of their columns, or each has the mean weight of the ranks they share."""
Undefined = float | Literal["skip"]
"""What a value without a divisor becomes: a number, NaN among them; or it is left out of the mean, and NaN itself."""


class Conventions(NamedTuple):
    """What a profile makes of a matrix for one measure; see `rankworth.settings` for the words."""

    ties: Ties = "order"
    undefined: Undefined = 0.0
    no_relevant: float | str = "keep"
    relevant_by: str = "grade"
    score_type: str = "float64"
    grades: str = "given"
    negative: str = "pooled"
    judgements: str = "all"
    pool: str = "judged"
    scored: str = "all"
    unjudged: str = "kept"
    highest: float | None = None
    extra: str = "ignore"
    fewest: int = 0

    @classmethod
    def of(cls, resolved: ResolvedMeasure, ties: Ties | None, undefined: Undefined | None) -> "Conventions":
        """Return the conventions of a measure under a profile.

        Args:
            resolved: the measure.
            ties: what becomes of documents with one score, where that is not the profile's to say.
            undefined: what a value without a divisor becomes, where the profile is not to say it.

        Raises:
            UsageError: `unfollowed-setting`, where a setting changes values in a way that a matrix cannot follow, or
                a mean is to leave out certain queries and to be NaN for others without a value.

        """
        more = "; rankworth.evaluate follows it, where documents have ids"
        but = () if ties is None else ("ties",)
        parts = resolved.judging, resolved.averaging, resolved.data
        support.refuse("matrices", *parts, label=resolved.label, but=but, more=more)
        settings = resolved.conventions
        fields = {name: settings[name] for name in cls._fields}
        fields["ties"] = ties or ("expected" if settings["ties"] == "expected" else "order")
        replacing = settings["undefined"] if undefined is None else undefined
        conventions = cls(**(fields | {"undefined": math.nan if replacing == "nan" else replacing}))
        if conventions.skips:
            conventions.refuse_beside_skipped(resolved, more)
        return conventions

    def refuse_beside_skipped(self, resolved: ResolvedMeasure, more: str) -> None:
        """Refuse settings under which NaN would mean both an undefined value and a row left out of the mean.

        Raises:
            UsageError: `unfollowed-setting`.

        """
        why, values = "", (self.undefined, self.no_relevant)
        if any(value == "nan" or (isinstance(value, float) and math.isnan(value)) for value in values):
            why = "a value is to be NaN"
        elif resolved.averaging.divisor != "rows":
            why = f"divisor={resolved.averaging.divisor} counts them"
        if why:
            text = f"{resolved.label}: {why} beside rows that the mean leaves out, and a matrix has NaN for those"
            raise UsageError("unfollowed-setting", text, remedy=f"leave one of the two settings out{more}")

    @property
    def skips(self) -> bool:
        """Whether means leave out values that are NaN."""
        return "skip" in (self.undefined, self.no_relevant) or self.leaves_out_unjudged

    @property
    def leaves_out_unjudged(self) -> bool:
        """Whether the mean leaves out queries without a judgement that counts."""
        return self.extra == "ignore" and (self.judgements == "relevant" or self.negative == "dropped")

    def refuse_grades(self, queries: Batch) -> None:
        """Refuse grades that the settings do not take, of arrays with readable values.

        Raises:
            RefusedError: `grades`, `negative`, `highest`; `extra` where a row has no judgement that counts; `fewest`.

        """
        xp, pool = namespace(queries.pool), queries.pool
        columns = queries.scores.shape[1]
        if self.fewest and (columns < self.fewest or bool(xp.any(_lengths(queries) < self.fewest))):
            raise RefusedError("fewest", f"a row has fewer than {self.fewest} documents")
        if self.grades == "whole" and xp.isdtype(pool.dtype, "real floating"):
            _refuse("grades", pool, xp.isfinite(pool) & (xp.trunc(pool) != pool))
        if self.negative == "error":
            _refuse("negative", pool, pool < 0)
        elif self.negative == "error-retrieved":
            _refuse("negative", queries.grades, queries.grades < 0)
        if self.highest is not None:
            _refuse("highest", pool, pool > self.highest)
        if self.extra == "error" and self.judgements == "relevant" and not bool(xp.all(xp.any(pool > 0, axis=1))):
            raise RefusedError("extra", "a row has no relevant document")

    def settled(self, queries: Batch) -> Batch:
        """Apply the settings to a batch: the scores that are compared and the grades that count."""
        xp, scores = namespace(queries.scores), queries.scores
        if self.score_type == "float32":
            scores = xp.astype(xp.astype(scores, xp.float32), scores.dtype)
        grades = self._graded(queries.grades)
        pool = grades if queries.pool is queries.grades else self._graded(queries.pool)
        relevant = queries.relevant
        if self.pool == "retrieved":
            pool, relevant = grades, None
        if self.scored == "positive":
            grades = xp.where(scores > 0, grades, xp.minimum(grades, xp.zeros_like(grades)))
        return replace(queries, scores=scores, grades=grades, pool=pool, relevant=relevant)

    def _graded(self, grades: Array) -> Array:
        """Return the grades that count, and NaN for other judgements."""
        xp = namespace(grades)
        if self.grades == "truncated" and xp.isdtype(grades.dtype, "real floating"):
            grades = xp.trunc(grades)
        if self.negative == "zero":
            grades = xp.maximum(grades, xp.zeros_like(grades))
        if self.judgements == "relevant" or self.negative == "dropped":
            grades = grades if xp.isdtype(grades.dtype, "real floating") else xp.astype(grades, widest(grades))
            counts = grades > 0 if self.judgements == "relevant" else grades >= 0
            grades = xp.where(counts, grades, constant(math.nan, grades))
        return grades

    def replaced(self, values: Array, queries: Batch) -> Array:
        """Replace values `[B]` that are undefined, and those of queries without a relevant document."""
        xp = namespace(values)
        if self.undefined != "skip" and self.undefined == self.undefined:  # NaN is not equal to itself
            values = xp.where(xp.isnan(values), constant(self.undefined, values), values)
        pool = queries.pool
        if self.leaves_out_unjudged:
            is_judged = xp.any(~xp.isnan(pool), axis=1)  # [B]
            if queries.relevant is not None:
                is_judged = is_judged | (queries.relevant > 0)
            values = xp.where(is_judged, values, constant(math.nan, values))
        if self.no_relevant == "keep":
            return values
        relevant = xp.any(pool > 0, axis=1)  # [B]
        if self.relevant_by == "sum":
            relevant = xp.sum(xp.where(xp.isnan(pool), xp.zeros_like(pool), pool), axis=1) != 0
        if queries.relevant is not None:
            relevant = relevant | (queries.relevant > 0)
        value = math.nan if self.no_relevant in ("nan", "skip") else self.no_relevant
        return xp.where(relevant, values, constant(value, values))


def _lengths(queries: Batch) -> Array:
    """Return `[B]`, how many documents each row has."""
    xp, scores = namespace(queries.scores), queries.scores
    there = xp.ones_like(scores, dtype=xp.bool) if queries.mask is None else queries.mask
    return xp.sum(xp.astype(there, xp.int64), axis=1)


def _refuse(setting: str, grades: Array, refused: Array) -> None:
    """Refuse grades if there are any, and tell the first."""
    if bool(namespace(grades).any(refused)):
        raise RefusedError(setting, f"a document has the grade {float(grades[refused][0]):g}")
