"""What is told of the agreement of two judges: figures with intervals, grades, queries, and who grades higher."""

from collections.abc import Sequence
from typing import Any, Final, Literal, NamedTuple, overload

import numpy as np

from rankworth.agreements.kappas import one_against_rest, specific
from rankworth.agreements.tables import Floats, Tables
from rankworth.errors import counted

Word = Literal["higher", "lower", "equal", "unclear"]
PER_QUERY: Final = ("equal", "kappa", "linear", "quadratic", "bias")
"""the figures that are told of each query"""


class Estimate(NamedTuple):
    """A figure with its interval."""

    value: float
    low: float
    high: float


class Figures(NamedTuple):
    """The figures of agreement over some queries; NaN where one is not defined."""

    group: str
    """the group of queries; empty for all of them"""
    pairs: int
    queries: int
    equal: Estimate
    """the share of pairs with equal grades"""
    kappa: Estimate
    """Cohen's kappa"""
    linear: Estimate
    """kappa with linear weights"""
    quadratic: Estimate
    """kappa with quadratic weights"""
    alpha_nominal: Estimate
    """Krippendorff's alpha, grades being names"""
    alpha_ordinal: Estimate
    """the same, grades being an order"""
    alpha_interval: Estimate
    """the same, grades being numbers"""
    bias: Estimate
    """the mean of the second grade less the first"""
    relevant_equal: Estimate | None = None
    """the share of pairs that both find relevant or both not, if a grade was said from which they are"""
    relevant_kappa: Estimate | None = None
    """Cohen's kappa of these"""


class GradeAgreement(NamedTuple):
    """What becomes of one grade."""

    grade: float
    first: int
    """how often the first judge gives it"""
    second: int
    """how often the second one does"""
    both: int
    """to how many pairs both do"""
    first_same: float
    """in which share of the pairs to which the first gives it the second does, too"""
    second_same: float
    """the same the other way round"""
    agreement: float
    """2 both / (first + second)"""
    kappa: float
    """Cohen's kappa of this grade against all others"""
    instead: float
    """the grade that the second gives most often where the first gives this and the second does not; NaN for none"""
    instead_share: float
    """in which share of the pairs to which the first gives this grade; NaN for none"""


class Bias(NamedTuple):
    """Who grades higher."""

    mean: float
    """of the second grade less the first"""
    low: float
    high: float
    higher: int
    """pairs that the second judge grades higher"""
    equal: int
    lower: int
    p: float
    """of a t test of the mean over queries, each with as much weight as it has pairs"""
    word: Word
    """how the second judge grades"""


class QueryAgreement(NamedTuple):
    """One query."""

    query: Any
    pairs: int
    equal: float
    kappa: float
    linear: float
    quadratic: float
    bias: float


class QueryAgreements(Sequence[QueryAgreement]):
    """The queries with a pair that both judged, in the order of their ids."""

    def __init__(self, queries: Sequence[Any], pairs: Floats, values: Floats) -> None:
        """Hold them; `values` is `[Q, S]`, as `PER_QUERY`."""
        self._queries, self._pairs, self._values = queries, pairs, values

    @overload
    def __getitem__(self, place: int) -> QueryAgreement: ...
    @overload
    def __getitem__(self, place: slice) -> list[QueryAgreement]: ...
    def __getitem__(self, place: int | slice) -> QueryAgreement | list[QueryAgreement]:
        """One, or some, by number."""
        if isinstance(place, slice):
            return [self[number] for number in range(*place.indices(len(self)))]
        return QueryAgreement(self._queries[place], int(self._pairs[place]), *self._values[place].tolist())

    def __len__(self) -> int:
        """How many there are."""
        return len(self._queries)

    def of(self, query: object) -> QueryAgreement:
        """One, by its id; a `KeyError` where there is no pair of it."""
        try:
            return self[list(map(str, self._queries)).index(str(query))]
        except ValueError:
            raise KeyError(query) from None

    def worst(self, count: int = 10) -> list[QueryAgreement]:
        """Those with the smallest share of equal grades; of the same share those with more pairs first."""
        order = np.lexsort((-self._pairs, self._values[:, 0]))
        return [self[int(place)] for place in order[: max(0, count)]]

    def columns(self) -> dict[str, list[Any] | Floats]:
        """`query`, `pairs` and the figures, column by column."""
        figures = dict(zip(PER_QUERY, self._values.T, strict=True))
        return {"query": list(self._queries), "pairs": self._pairs.astype(np.int64).tolist(), **figures}

    def __repr__(self) -> str:
        """Say what is in it."""
        return f"QueryAgreements({counted(len(self))})"


def of_grades(table: Floats, grades: Floats) -> tuple[GradeAgreement, ...]:
    """What becomes of each grade.

    Args:
        table: `[C, C]`.
        grades: `[C]`.

    """
    rows, columns, both = table.sum(axis=1), table.sum(axis=0), np.diagonal(table)
    shares, kappas = specific(table), one_against_rest(table)
    others = table - np.diag(both)
    found = []
    for place, grade in enumerate(grades.tolist()):
        most = int(others[place].argmax())
        there = others[place, most] > 0
        first, second, same = (int(one[place]) for one in (rows, columns, both))
        found.append(
            GradeAgreement(
                grade,
                first,
                second,
                same,
                first_same=same / first if first else np.nan,
                second_same=same / second if second else np.nan,
                agreement=float(shares[place]),
                kappa=float(kappas[place]),
                instead=float(grades[most]) if there else np.nan,
                instead_share=float(others[place, most] / first) if there else np.nan,
            )
        )
    return tuple(found)


def of_bias(tables: Tables, mean: Estimate, of_each: Floats, level: float) -> Bias:
    """Who grades higher.

    Args:
        tables: those of queries.
        mean: of the second grade less the first.
        of_each: `[Q]`, the same of each query.
        level: 1 - level is the chance to call a difference where there is none.

    """
    from rankworth.statistics import t_test  # noqa: PLC0415 - loads what it needs when it is called

    table = tables.total()
    higher, lower = (int(one.sum()) for one in (np.triu(table, 1), np.tril(table, -1)))
    p = float(t_test(of_each[:, None], tables.pairs).p[0])
    sided: Word = "higher" if mean.value > 0 else "lower"
    word: Word = sided if p < 1 - level else "unclear" if higher or lower else "equal"
    return Bias(*mean, higher, int(np.trace(table)), lower, p, word)
