"""Values of score matrices by measure: measures are parsed and refused once, and applied to batch after batch."""

import math
import sys
import warnings
from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import lru_cache
from numbers import Real
from typing import Any, Final, TypeGuard

import numpy as np

from rankworth import names
from rankworth.errors import MeasureError, NotMeasuredError, RankworthWarning, RefusedError, UsageError
from rankworth.judged import Array, Judged, constant, namespace, widest
from rankworth.measures import Averaging, Fact, Measure, TextFact
from rankworth.profiles import DEFAULT, Profile, ResolvedMeasure, profile_of
from rankworth.scoring.columns import summary
from rankworth.tensors.conventions import Conventions, Ties, Undefined
from rankworth.tensors.inputs import Batch, Ragged, batch, check_grades, check_scores, checked_arrays, falling
from rankworth.tensors.ranking import DeeperError, judged_rows

Measures = Iterable[str | Measure | Fact]
_LEAST: Final = 2.0**-24
"""the least number above 0 in half precision"""
_FLOOR: Final = 0.00001
"""the least value of which a geometric mean is taken"""


class ByMeasure(dict[str, Array]):
    """Arrays by measure.

    A dict by the names that were asked for; measures and other names of theirs find the same arrays.

    >>> import numpy as np
    >>> from rankworth.tensors import evaluate
    >>> means = evaluate(np.array([[0.9, 0.5]]), np.array([[0, 1]]), ["MRR"]).mean()
    >>> list(means), means["mrr"].item(), "RR" in means, "AP" in means, means.get("AP")
    (['MRR'], 0.5, True, False, None)
    """

    def __init__(self, arrays: Mapping[str, Array], canonical: tuple[str, ...]) -> None:
        """Keep arrays under the names of measures.

        Args:
            arrays: by the name that was asked for.
            canonical: the canonical names of the measures.

        """
        super().__init__(arrays)
        self.canonical = canonical

    @property
    def arrays(self) -> Mapping[str, Array]:
        """By the name that was asked for."""
        return dict(self)

    def __missing__(self, measure: str | Measure | Fact) -> Array:
        """Look up the array of a measure, in any spelling of its name.

        Raises:
            NotMeasuredError: `not-measured`; a `KeyError`, too.

        """
        labels = list(self)
        try:
            column = names.column_of(measure, labels, self.canonical)
        except MeasureError as error:
            raise NotMeasuredError.of(measure, labels, error) from None
        if column is None:
            raise NotMeasuredError.of(measure, labels)
        return self[labels[column]]

    def get(self, measure: Any, default: Any = None) -> Any:  # noqa: ANN401 - whatever stands in
        """Return the array of a measure, in any spelling of its name; the default where it was not measured."""
        try:
            return self[measure]
        except KeyError:
            return default

    def __contains__(self, measure: object) -> bool:
        """Return whether a measure has an array, in any spelling of its name."""
        return self.get(measure) is not None


class BatchValues(ByMeasure):
    """The values of each query of a batch, by measure: arrays `[B]`, of the library and on the device of the scores.

    >>> import numpy as np
    >>> from rankworth.tensors import evaluate
    >>> values = evaluate(np.array([[0.9, 0.5]]), np.array([[0, 1]]), ["RR", "P@1"])
    >>> list(values), values["MRR"].tolist(), values.mean()["RR"].item()
    (['RR', 'P@1'], [0.5], 0.5)
    """

    def __init__(
        self,
        arrays: Mapping[str, Array],
        canonical: tuple[str, ...],
        ways: tuple[Averaging, ...],
        skips: tuple[bool, ...],
        indexes: Array | None = None,
    ) -> None:
        """Keep arrays under the names of measures.

        Args:
            arrays: by the name that was asked for.
            canonical: the canonical names of the measures.
            ways: how the values of each measure become one.
            skips: whether the mean of each leaves out values that are NaN.
            indexes: `[B]`: the index of each query, ascending, where documents came with indexes.

        """
        super().__init__(arrays, canonical)
        self.ways, self.skips, self.indexes = ways, skips, indexes

    def mean(self) -> ByMeasure:
        """Average each measure to an array without axes: the mean, of `gmean(...)` the geometric one, of counts a sum.

        They are added in double precision where the device has it; NaN where there is no query.
        """
        rows = zip(self.items(), self.ways, self.skips, strict=True)
        means = {name: _mean(array, way, skips=skips) for (name, array), way, skips in rows}
        return ByMeasure(means, self.canonical)


@dataclass(frozen=True)
class Prepared:
    """Measures that are settled: call it with batch after batch, or hand it to `torch.compile`.

    Attributes:
        labels: the names that the measures were asked for by.
        quantities: the measures.
        depths: for each, the cutoff to which the first documents are enough; None where all of them are needed.
        conventions: for each, what becomes of ties, grades and undefined values.
        level: the grade from which documents are relevant where measures do not say it, and of those in `relevant`.
        beyond: the names of those whose values depend on judged documents that are not retrieved.
        single: those that are refused for several queries.
        profile: the profile in whose words grades are refused; None where it refuses none.

    """

    labels: tuple[str, ...]
    quantities: tuple[Measure | Fact, ...]
    depths: tuple[int | None, ...]
    conventions: tuple[Conventions, ...]
    level: float
    beyond: tuple[str, ...] = ()
    single: tuple[ResolvedMeasure, ...] = ()
    profile: Profile | None = None

    def __call__(
        self,
        scores: Array,
        grades: Array,
        *,
        mask: Array | None = None,
        judged: Array | None = None,
        relevant: Array | None = None,
        pool: Array | None = None,
        indexes: Array | None = None,
        check: bool | None = None,
    ) -> BatchValues:
        """Compute the values of a batch; arguments and errors as for `evaluate`."""
        rest = {"mask": mask, "judged": judged, "relevant": relevant, "pool": pool, "indexes": indexes}
        arrays = checked_arrays(scores=scores, grades=grades, **rest)
        tops: list[bool] = []
        queries = None
        if indexes is None:
            values = self._values(check, tops, **arrays)
        else:
            ragged = Ragged(arrays)
            values = ragged.together([self._values(check, tops, **matrix) for matrix in ragged.matrices()])
            queries = ragged.queries
        for measure in self.single:
            measure.refuse_several(values[0].shape[0])
        if tops and all(tops):
            self._warn_of_tops()
        ways = tuple(quantity.averaging for quantity in self.quantities)
        skips = tuple(convention.skips for convention in self.conventions)
        return BatchValues(dict(zip(self.labels, values, strict=True)), self.canonical, ways, skips, queries)

    @property
    def canonical(self) -> tuple[str, ...]:
        """The canonical names of the measures."""
        return tuple(map(str, self.quantities))

    def _warn_of_tops(self) -> None:
        """Say at the caller's line that relevant documents outside of the columns are not known."""
        beyond = ", ".join(self.beyond[:3]) + (f" and {len(self.beyond) - 3:,} more" if self.beyond[3:] else "")
        verb = "know" if len(self.beyond) > 1 else "knows"
        text = (
            "the columns look like a top-k (scores fall from the first to the last), and neither relevant= nor pool= "
            f"is given: {beyond} {verb} only the relevant documents in the columns, so recall and ideal rankings "
            "leave out those outside of the top k; pass relevant= (how many documents are relevant in all) or pool= "
            "(the grades of all judged documents)"
        )
        frame, level = sys._getframe(1), 2  # noqa: SLF001 - Python 3.11 has no other way to the caller's line
        while frame.f_back is not None and frame.f_globals.get("__package__") == __package__:
            frame, level = frame.f_back, level + 1
        warnings.warn(RankworthWarning("columns-only", text), stacklevel=level)

    def _refuse_grades(self, conventions: Conventions, queries: Batch, label: str) -> None:
        """Refuse grades in the words of the tool.

        Raises:
            RefusedError: as `Conventions.refuse_grades`.

        """
        try:
            conventions.refuse_grades(queries)
        except RefusedError as error:
            says = "" if self.profile is None else self.profile.refused(error, label).says
            remedy = "change such grades, or leave these rows out; rankworth.evaluate has settings for them"
            raise RefusedError(error.setting, error.refused, says, remedy) from None

    def _values(self, check: bool | None, tops: list[bool], **arrays: Array) -> list[Array]:
        """Compute the values of each measure of one matrix; append to `tops` whether it may be a top-k."""
        queries = batch(**arrays)
        xp = namespace(queries.scores)
        checks = queries.readable if check is None else check
        if checks:
            check_grades(queries.grades)
            if "pool" in arrays:
                check_grades(queries.pool)
        if check:
            check_scores(queries.scores)
        if not queries.scores.shape[0]:
            return [xp.sum(xp.astype(queries.scores, queries.dtype), axis=1) for _ in self.quantities]
        if checks and self.beyond and not {"relevant", "pool"} & set(arrays):
            tops.append(falling(queries.scores))
        values: list[Array] = [None] * len(self.quantities)
        for conventions in dict.fromkeys(self.conventions):
            columns = [column for column, other in enumerate(self.conventions) if other == conventions]
            if checks:
                self._refuse_grades(conventions, queries, self.labels[columns[0]])
            settled = conventions.settled(queries)
            depths, expected = [self.depths[column] for column in columns], conventions.ties == "expected"
            depth = None if None in depths else max(depth or 0 for depth in depths)
            judged = judged_rows(settled, depth, level=self.level, check=checks, expected=expected)
            if conventions.unjudged == "removed":
                judged = judged.condensed
            measured = _values([self.quantities[column] for column in columns], judged)
            for column, value in zip(columns, measured, strict=True):
                values[column] = conventions.replaced(value, settled)
        return values


def prepared(
    measures: Measures | str,
    *,
    rel: float | None = None,
    profile: str | Profile = DEFAULT,
    ties: Ties | None = None,
    undefined: Undefined | None = None,
) -> Prepared:
    """Settle measures for many batches.

    Args:
        measures: as for `evaluate`.
        rel: as for `evaluate`.
        profile: as for `evaluate`.
        ties: as for `evaluate`.
        undefined: as for `evaluate`.

    Raises:
        MeasureError, UsageError: as `evaluate`.

    >>> import numpy as np
    >>> measure = prepared(["nDCG@10"])
    >>> measure(np.array([[0.2, 0.9]]), np.array([[1, 0]]))["nDCG@10"].round(4).tolist()
    [0.6309]
    """
    _checked(measures, rel, ties, undefined)
    quantities = (measures,) if isinstance(measures, str | Measure | Fact) else measures
    chosen = profile_of(profile)
    level = 1.0 if rel is None else float(rel)
    if undefined is not None and undefined != "skip":
        undefined = float(undefined)
    resolved = chosen.ask(quantities, rel=rel)
    pairs = tuple((measure.label, _above_zero(measure.quantity)) for measure in resolved)
    conventions = tuple(Conventions.of(measure, ties, undefined) for measure in resolved)
    single = tuple(measure for measure in resolved if measure.rule is not None and measure.rule.several)
    settled = _prepared(pairs, conventions, level)
    return replace(settled, single=single, profile=chosen) if single or chosen.refuses else settled


def evaluate(
    scores: Array,
    grades: Array,
    measures: Measures | str,
    *,
    mask: Array | None = None,
    judged: Array | None = None,
    relevant: Array | None = None,
    pool: Array | None = None,
    indexes: Array | None = None,
    rel: float | None = None,
    profile: str | Profile = DEFAULT,
    ties: Ties | None = None,
    undefined: Undefined | None = None,
    check: bool | None = None,
) -> BatchValues:
    """Evaluate the rankings of a batch of queries by the same definitions as `rankworth.evaluate`.

    With NumPy the values are those of `rankworth.evaluate` by the profile `standard-1`, bit for bit, where the ids of
    documents fall from one column to the next (in `standard-1`, of documents with one score that with the greatest id
    comes first).

    Args:
        scores: `[B, N]`, one row for each query, one column for each document: an array of NumPy, PyTorch, CuPy, JAX or
            any library that `array_api_compat` knows. Greater is better. Whole numbers count as real ones.
        grades: `[B, N]`: what the assessor gave each document; true and false are 1 and 0. NaN is unjudged.
        measures: names such as `"nDCG@10"`, measures such as `AP(rel=2) @ 100`, and facts that are counted. Those that
            need subtopics, or to know a document in another query, are refused.
        mask: `[B, N]` of true and false: false where there is no document.
        judged: `[B, N]` of true and false: false where nobody judged, as NaN in `grades`.
        relevant: `[B]`: how many documents are relevant in all, also where they have no column; those have the grade
            `rel` in an ideal ranking.
        pool: `[B, P]` instead: the grades of all judged documents, also of those in the columns, NaN for none.
        indexes: `[n]` whole numbers where `scores`, `grades`, `mask` and `judged` are flat, `[n]`: the query of each
            document, as torchmetrics has it. Queries come out in ascending order, see `BatchValues.indexes`; `relevant`
            and `pool` are in that order.
        rel: the grade from which documents count as relevant, for measures that do not say their own; 1 where not said.
        profile: the conventions of a tool, by name (`rankworth.PROFILES`): what its names of measures mean, and what
            becomes of ties, grades and undefined values, for each measure. What is about reading, about queries that
            are missing and about rounding is left out, and what a matrix cannot follow is refused.
        ties: documents with one score stand in the `order` of their columns, or have `expected` values: the mean over
            all their orders, for measures that know it. By default as in the profile; an order by id is that of the
            columns.
        undefined: what a value without a divisor becomes, such as recall where nothing is relevant: a number, or
            `"skip"`: it is NaN then, and means leave it out. By default as in the profile: 0 in the standard one.
        check: whether to look for scores that are NaN, grades that are infinite and `relevant` that is no such number:
            where that is true, at all of them, and it waits for the device; where None, on arrays of the main memory
            only, and of scores at those that are met anyway.

    Warns:
        RankworthWarning: `columns-only`, where the scores of all queries fall from the first column to the last, as
            those of a top-k do, and neither `relevant` nor `pool` tells what is relevant outside of them; looked at
            where `check` looks.

    Returns:
        Values `[B]` of each measure, of the library and device of the scores: float64 in NumPy; elsewhere float64 where
        scores are float64 or whole numbers, float32 otherwise.

    Raises:
        InputError: `input-type`, where shapes, types, libraries or devices do not fit, or where `relevant` is no number
            of documents, or of more than an ideal ranking should have; `bad-score`, `bad-grade`.
        MeasureError: where a measure is not known, misused, or cannot be had of a matrix (`bad-definition`).
        UsageError: `unknown-setting`, `conflicting-options`, `missing-library`.

    >>> import numpy as np
    >>> scores = np.array([[0.9, 0.5, 0.7], [0.1, 0.3, 0.3]])
    >>> values = evaluate(scores, np.array([[0, 1, 2], [0, 0, 1]]), ["nDCG@2", "RR"])
    >>> values["RR"].tolist(), values["nDCG@2"].round(4).tolist(), values.mean()["RR"].item()
    ([0.5, 0.5], [0.4796, 0.6309], 0.5)
    """
    measured = prepared(measures, rel=rel, profile=profile, ties=ties, undefined=undefined)
    rest = {"mask": mask, "judged": judged, "relevant": relevant, "pool": pool, "indexes": indexes}
    return measured(scores, grades, check=check, **rest)


def _checked(measures: object, rel: object, ties: object, undefined: object) -> None:
    """Refuse settings of other types and values."""
    if not isinstance(measures, str | Measure | Fact | Iterable):
        text = f"measures is {measures!r}, not a list of them"
        raise MeasureError("measure-syntax", text, remedy="for example: ['nDCG@10', 'RR']")
    if rel is not None and not (_number(rel) and math.isfinite(rel)):
        raise MeasureError("bad-parameter", f"rel={rel!r}: rel is a number, such as 1")
    if ties is not None and ties not in ("order", "expected"):
        raise UsageError("unknown-setting", f"ties={ties!r}: ties is 'order' or 'expected'")
    if undefined is not None and not (_number(undefined) or (isinstance(undefined, str) and undefined == "skip")):
        raise UsageError("unknown-setting", f"undefined={undefined!r}: undefined is a number or 'skip'")


def _above_zero(quantity: Measure | Fact) -> Measure | Fact:
    """Replace a least relevant grade of any above 0 by the least grade that half precision tells from 0."""
    rel = dict(quantity.settings).get("rel")
    return quantity(rel=_LEAST) if isinstance(rel, float) and 0 < rel < _LEAST else quantity


def _number(setting: object) -> TypeGuard[float]:
    return isinstance(setting, Real) and not isinstance(setting, bool)


@lru_cache(maxsize=256)
def _prepared(
    pairs: tuple[tuple[str, Measure | Fact], ...], conventions: tuple[Conventions, ...], level: float
) -> Prepared:
    """Parse and try measures whose settings are checked."""
    labels, quantities = zip(*pairs, strict=True)
    errors = [error for error in map(_refusal, quantities) if error is not None]
    if errors:
        raise MeasureError.together(errors)
    depths = tuple(map(_depth, quantities, (level for _ in pairs), conventions))
    of_judged = [pair for pair, convention in zip(pairs, conventions, strict=True) if convention.pool == "judged"]
    beyond = tuple(label for label, quantity in of_judged if _looks_beyond(quantity, level))
    return Prepared(labels, quantities, depths, conventions, level, beyond)


@lru_cache(maxsize=1024)
def _looks_beyond(quantity: Measure | Fact, level: float) -> bool:
    """Return whether judged documents without a column change the values: tried with some of several grades."""
    scores, grades = np.array([[2.0, 1.0]]), np.array([[level, 0.0]])
    for grade in (level, level + 1, level + 3):
        pools = (None, np.array([[level, 0.0, grade, grade]]))
        try:
            without, with_pool = (_tried(quantity, batch(scores, grades, pool=pool), level=level) for pool in pools)
        except MeasureError:  # a grade above the maximum of the measure
            continue
        if not np.array_equal(without, with_pool, equal_nan=True):
            return True
    return False


def _refusal(quantity: Measure | Fact) -> MeasureError | None:
    """Return the error of a measure that a matrix cannot give, or None."""
    if isinstance(quantity, TextFact):
        return MeasureError("measure-syntax", f"{quantity} is a text, and arrays hold numbers")
    remedy = "rankworth.evaluate has it, where documents have ids"
    why = ""
    if quantity.averaging in ("median", "micro"):
        why = "is a median or a pooled mean over queries, and batches add up to means of values"
    elif quantity.definition.subtopics:
        why = "needs grades by subtopic; a matrix has none"
    elif quantity.definition.needs:
        why = "needs data about items; the columns of a matrix have no ids"
    if why:
        return MeasureError("bad-definition", f"{quantity} {why}", remedy=remedy)
    if isinstance(quantity, Measure) and quantity.uses_costs:
        text = f"{quantity} adds up what documents cost, which a matrix does not say"
        return MeasureError("bad-definition", text, remedy=remedy)
    if quantity.definition.elsewhere:
        text = f"{quantity} asks what is judged for other queries; columns of two rows need not be one document"
        return MeasureError("bad-definition", text, remedy=remedy)
    return None


def _depth(quantity: Measure | Fact, level: float, conventions: Conventions) -> int | None:
    """Return how many of the first documents are enough for a measure; None where all are needed.

    It is tried on one document, which also tells what the measure refuses, before any work. A table of gains need not
    grow with the grade, so that the best grades are not those of the ideal ranking.

    Raises:
        MeasureError: what the measure refuses.

    """
    document = batch(np.zeros((1, 1)), np.zeros((1, 1)))
    declared = quantity.definition.parameters
    by_table = any(declared[name].grades and isinstance(value, tuple) for name, value in quantity.settings)
    expected = conventions.ties == "expected"
    if quantity.cutoff is None or by_table or expected or conventions.unjudged == "removed":
        _tried(quantity, document, level=level, expected=expected)
        return None
    try:
        _tried(quantity, document, 1, level=level)
    except DeeperError:
        return None
    return quantity.cutoff


def _tried(
    quantity: Measure | Fact, queries: Batch, depth: int | None = None, *, level: float, expected: bool = False
) -> Array:
    return _values([quantity], judged_rows(queries, depth, level=level, expected=expected))[0]


def _values(quantities: Sequence[Measure | Fact], judged: Judged) -> list[Array]:
    """Compute the values of each measure, `[B]` each; NumPy is silent about divisions by 0."""
    with np.errstate(divide="ignore", invalid="ignore") if isinstance(judged.rank, np.ndarray) else nullcontext():
        return [quantity.values(judged) for quantity in quantities]


def additive(values: Array, way: Averaging) -> Array:
    """Return what a mean may be taken of: values in the widest type, or their logarithms."""
    xp = namespace(values)
    values = xp.astype(values, widest(values))
    return xp.log(xp.maximum(values, constant(_FLOOR, values))) if way == "gmean" else values


def averaged(total: Array, number: Array, way: Averaging) -> Array:
    """Average: one number out of the sum of `additive` values and how many they are."""
    if way == "sum":
        return total
    xp = namespace(total)
    mean = xp.where(number > 0, total / xp.maximum(number, constant(1, number)), constant(math.nan, total))
    return xp.exp(mean) if way == "gmean" else mean


def _mean(values: Array, way: Averaging, *, skips: bool) -> Any:  # noqa: ANN401 - an array without axes
    xp = namespace(values)
    if isinstance(values, np.ndarray):
        counted = values[~np.isnan(values)] if skips else values
        if way == "sum":
            return np.float64(np.cumsum(counted)[-1] if counted.size else 0.0)
        return np.float64(summary(counted[:, None], [way])[0])
    terms = additive(values, way)
    counts = ~xp.isnan(terms) if skips else xp.ones_like(terms, dtype=xp.bool)
    total = xp.sum(xp.where(counts, terms, xp.zeros_like(terms)))
    return averaged(total, xp.sum(xp.astype(counts, terms.dtype)), way)
