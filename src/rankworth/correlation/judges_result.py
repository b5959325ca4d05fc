"""The agreement of two judges as a result: coefficients with intervals, grades, queries, groups, and their tables."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, Literal, NamedTuple, get_args

import numpy as np

from rankworth.errors import counted
from rankworth.stats.agreement import Distance, Integers
from rankworth.tables.analysis import Analysis, record
from rankworth.tables.columns import Column, Kind, Sheet, by_name
from rankworth.tables.look import p_value, signed
from rankworth.version import __version__

Word = Literal["higher", "lower", "equal", "unclear"]
Rows = Literal["figures", "grades", "table", "queries"]
_TITLES: Final = {
    "equal": "equal grades",
    "kappa": "kappa",
    "linear": "kappa, linear weights",
    "quadratic": "kappa, quadratic weights",
    "alpha_nominal": "alpha, nominal",
    "alpha_ordinal": "alpha, ordinal",
    "alpha_interval": "alpha, interval",
}
_OF_GROUPS: Final[Mapping[str, tuple[str, Kind]]] = {
    "equal": ("equal", "share"),
    "kappa": ("kappa", "value"),
    "quadratic": ("quadratic", "value"),
    "alpha_ordinal": ("alpha", "value"),
    "bias": ("bias", "number"),
}
_GRADES: Final = 20
"""grades up to which the confusion table is shown"""


class Judged(NamedTuple):
    """How much is judged, and by whom."""

    first: int
    """pairs of a query and a document that the first judge has"""
    second: int
    both: int
    first_only: int
    second_only: int
    first_queries: int
    """queries that the first judge has"""
    second_queries: int
    both_queries: int
    """queries with a pair that both have"""


class Estimate(NamedTuple):
    """A coefficient with its interval."""

    value: float
    low: float
    high: float


class Figures(NamedTuple):
    """The coefficients of agreement over some queries; NaN where one is undefined."""

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
    """Krippendorff's alpha, grades being an order"""
    alpha_interval: Estimate
    """Krippendorff's alpha, grades being numbers"""
    bias: Estimate
    """the mean of the second grade minus the first"""
    relevant_equal: Estimate | None = None
    """the share of pairs that both find relevant or both not, where `rel` is given"""
    relevant_kappa: Estimate | None = None
    """Cohen's kappa of relevant and not relevant, where `rel` is given"""


class GradeAgreement(NamedTuple):
    """Agreement on one grade."""

    grade: float
    first: int
    """how often the first judge gives it"""
    second: int
    """how often the second judge gives it"""
    both: int
    """to how many pairs both give it"""
    first_same: float
    """of the pairs to which the first judge gives it, the share to which the second does, too"""
    second_same: float
    """of the pairs to which the second judge gives it, the share to which the first does, too"""
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
    """of the second grade minus the first"""
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
    """Agreement on one query."""

    query: Any
    pairs: int
    equal: float
    kappa: float
    linear: float
    quadratic: float
    bias: float


class QueryAgreements(tuple[QueryAgreement, ...]):
    """The queries with a pair that both judged, in the order of their ids."""

    __slots__ = ()

    def of(self, query: object) -> QueryAgreement:
        """One query by its id; a `KeyError` where there is no pair of it."""
        for one in self:
            if str(one.query) == str(query):
                return one
        raise KeyError(query)

    def worst(self, count: int = 10) -> list[QueryAgreement]:
        """The queries with the smallest share of equal grades; of equal shares those with more pairs first."""
        return sorted(self, key=lambda one: (one.equal, -one.pairs))[: max(0, count)]

    def __repr__(self) -> str:
        """Say how many queries there are."""
        return f"QueryAgreements({counted(len(self))})"


@dataclass(frozen=True, repr=False, eq=False)
class Agreement(Analysis[Rows]):
    """How far two sets of judgements agree, over pairs of a query and a document that both have.

    The tables of columns: `figures` has a row for each coefficient, of all queries (whose group is empty) and of
    groups; `grades` one for each grade; `table` one for each cell of the confusion table; `queries` one for each query.

    Attributes:
        names: the two judges.
        judged: how many pairs and queries each of them has, both, and one alone.
        grades: all grades that the pairs have, ascending.
        table: `[C, C]`, the confusion table: a row for each grade of the first judge, a column for each of the second.
        overall: the coefficients over all queries.
        per_grade: the agreement on each grade.
        bias: who grades higher.
        queries: the coefficients of each query.
        groups: the coefficients of each group of queries, if there are groups.
        by: the column of the groups.
        distance: how far two grades are apart in a weighted kappa.
        rel: the grade from which a document counts as relevant; None where it was not given.
        level: of the intervals.
        resamples: how many samples of queries the intervals are from.
        seed: of these samples.
        notes: sentences that explain the numbers.
        warnings: slug and text of each warning.

    """

    _SCHEMA: ClassVar = "rankworth.agreement/1"
    _TABLES: ClassVar = get_args(Rows)
    names: tuple[str, str]
    judged: Judged
    grades: tuple[float, ...]
    table: Integers
    overall: Figures
    per_grade: tuple[GradeAgreement, ...]
    bias: Bias
    queries: QueryAgreements
    groups: Mapping[str, Figures] = field(default_factory=dict)
    by: str = ""
    distance: Distance = "steps"
    rel: float | None = None
    level: float = 0.95
    resamples: int = 0
    seed: int = 0
    notes: tuple[str, ...] = ()
    warnings: tuple[tuple[str, str], ...] = ()

    @property
    def pairs(self) -> int:
        """How many pairs both judged."""
        return self.judged.both

    @property
    def equal(self) -> Estimate:
        """The share of pairs with equal grades."""
        return self.overall.equal

    @property
    def kappa(self) -> Estimate:
        """Cohen's kappa."""
        return self.overall.kappa

    @property
    def linear(self) -> Estimate:
        """Kappa with linear weights."""
        return self.overall.linear

    @property
    def quadratic(self) -> Estimate:
        """Kappa with quadratic weights."""
        return self.overall.quadratic

    @property
    def alpha_nominal(self) -> Estimate:
        """Krippendorff's alpha, grades being names."""
        return self.overall.alpha_nominal

    @property
    def alpha_ordinal(self) -> Estimate:
        """Krippendorff's alpha, grades being an order."""
        return self.overall.alpha_ordinal

    @property
    def alpha_interval(self) -> Estimate:
        """Krippendorff's alpha, grades being numbers."""
        return self.overall.alpha_interval

    @property
    def relevant_equal(self) -> Estimate | None:
        """The share of pairs that both find relevant or both not; None where `rel` was not given."""
        return self.overall.relevant_equal

    @property
    def relevant_kappa(self) -> Estimate | None:
        """Cohen's kappa of relevant and not relevant; None where `rel` was not given."""
        return self.overall.relevant_kappa

    @property
    def figures(self) -> tuple[str, ...]:
        """The names of the coefficients that there are."""
        return tuple(name for name in Figures._fields[3:] if getattr(self.overall, name) is not None)

    def rows(self, of: Rows = "figures") -> list[dict[str, Any]]:
        """The columns row by row, None where there is no number."""
        return self.flat(of).rows()

    def _columns(self, of: str) -> dict[str, Any]:
        if of == "queries":
            return by_name(QueryAgreement._fields, self.queries)
        if of == "grades":
            return by_name(GradeAgreement._fields, self.per_grade)
        if of == "table":
            size = len(self.grades)
            first = [grade for grade in self.grades for _ in range(size)]
            return {"first": first, "second": [*self.grades] * size, "pairs": self.table.ravel().tolist()}
        rows = [
            (part.group, name, *getattr(part, name), part.pairs, part.queries)
            for part in (self.overall, *self.groups.values())
            for name in self.figures
        ]
        return by_name(("group", "figure", *Estimate._fields, "pairs", "queries"), rows)

    def _record(self) -> dict[str, Any]:
        return {
            "names": list(self.names),
            "judged": self.judged._asdict(),
            "distance": self.distance,
            "rel": self.rel,
            "level": self.level,
            "resamples": self.resamples,
            "seed": self.seed,
            "figures": self._estimates(self.overall),
            "bias": record(self.bias),
            "grades": list(self.grades),
            "table": self.table.tolist(),
            "per_grade": [record(grade) for grade in self.per_grade],
            "by": self.by,
            "groups": {
                name: {"pairs": group.pairs, "queries": group.queries, "figures": self._estimates(group)}
                for name, group in self.groups.items()
            },
        }

    def _estimates(self, figures: Figures) -> dict[str, dict[str, Any]]:
        return {name: record(getattr(figures, name)) for name in self.figures}

    def sheets(self) -> list[Sheet]:
        """Coefficients, who grades higher, the confusion table, each grade, and groups."""
        table = [self._table_sheet()] if len(self.grades) <= _GRADES else []
        groups = [self._groups_sheet()] if self.groups else []
        return [self._figures_sheet(), self._bias_sheet(), *table, self._grades_sheet(), *groups]

    def _figures_sheet(self) -> Sheet:
        titles = dict(_TITLES)
        if self.rel is not None:
            titles |= {"relevant_equal": f"relevant (from {self.rel:g}): equal", "relevant_kappa": "relevant: kappa"}
        columns = (
            Column("agreement", "text", list(titles.values())),
            _estimated("value", "value", [getattr(self.overall, name) for name in titles]),
        )
        how = f"BCa bootstrap over queries, {self.resamples:,} resamples, seed {self.seed}"
        notes = (*self.notes, *self._counts(), f"{100 * self.level:g} % intervals ({how})")
        pairs = f"{self.pairs:,} {'pair' if self.pairs == 1 else 'pairs'}"
        title = f"{self.names[0]} and {self.names[1]}: {pairs} of {counted(self.overall.queries)}"
        comment = f"agreement|distance:{self.distance}|rankworth:{__version__}|seed:{self.seed}"
        return Sheet(columns, notes, comment, self._defects, title)

    def _counts(self) -> Iterator[str]:
        """Who judged how much, where the judges differ in that."""
        judged, (first, second) = self.judged, self.names
        if judged.first_only or judged.second_only:
            alone = f"{first} alone {judged.first_only:,}, {second} alone {judged.second_only:,}"
            yield f"pairs judged: {first} {judged.first:,}, {second} {judged.second:,}; both {judged.both:,}, {alone}"
        if not judged.first_queries == judged.second_queries == judged.both_queries:
            each = f"{first} {judged.first_queries:,}, {second} {judged.second_queries:,}"
            yield f"queries judged: {each}; with pairs that both judged {judged.both_queries:,}"

    def _bias_sheet(self) -> Sheet:
        first, second = self.names
        columns = (
            Column("grades", "text", [f"{second} - {first}"]),
            _estimated("mean", "number", [Estimate(*self.bias[:3])]),
            Column("higher", "count", [self.bias.higher]),
            Column("equal", "count", [self.bias.equal]),
            Column("lower", "count", [self.bias.lower]),
            Column("p", "number", [p_value(self.bias.p)]),
            Column("verdict", "number", [self.bias.word]),
        )
        verdict = {
            "higher": f"{second} grades higher than {first}",
            "lower": f"{second} grades lower than {first}",
            "equal": "no grade differs",
            "unclear": "neither judge can be told to grade higher",
        }[self.bias.word]
        note = f"{verdict} (t test over queries, p < {1 - self.level:.2g})"
        return Sheet(columns, (note,), title="who grades higher")

    def _table_sheet(self) -> Sheet:
        grades = [f"{grade:g}" for grade in self.grades]
        table = np.vstack((self.table, self.table.sum(axis=0)))
        columns = [Column(name, "count", cells.tolist()) for name, cells in zip(grades, table.T, strict=True)]
        columns = [Column(self.names[0], "text", [*grades, "all"]), *columns]
        columns.append(Column("all", "count", table.sum(axis=1).tolist()))
        return Sheet(tuple(columns), title=f"grades of {self.names[0]} (rows) and {self.names[1]} (columns)")

    def _grades_sheet(self) -> Sheet:
        (first, second), grades = self.names, self._columns("grades")
        instead = [
            "" if math.isnan(grade) else f"{grade:g} ({100 * share:.0f} %)"
            for grade, share in zip(grades["instead"], grades["instead_share"], strict=True)
        ]
        columns = (
            Column("grade", "text", [f"{grade:g}" for grade in grades["grade"]]),
            Column(first, "count", grades["first"]),
            Column(second, "count", grades["second"]),
            Column("both", "count", grades["both"]),
            Column("agreement", "share", grades["agreement"]),
            Column("kappa", "value", grades["kappa"]),
            Column("instead", "number", instead),
        )
        note = (
            f"agreement: 2 both / ({first} + {second}); kappa: the grade against all others; instead: what"
            f" {second} gives most often where {first} alone gives the grade"
        )
        return Sheet(columns, (note,), title="grade by grade")

    def _groups_sheet(self) -> Sheet:
        groups = list(self.groups.values())
        columns = [
            Column(self.by, "text", [group.group for group in groups]),
            Column("queries", "count", [group.queries for group in groups]),
            Column("pairs", "count", [group.pairs for group in groups]),
        ]
        for name, (title, kind) in _OF_GROUPS.items():
            columns.append(_estimated(title, kind, [getattr(group, name) for group in groups]))
        note = f"quadratic: kappa with these weights; alpha: ordinal; bias: {self.names[1]} - {self.names[0]}"
        return Sheet(tuple(columns), (note,), title=f"by {self.by}")


def _estimated(name: str, kind: Kind, estimates: list[Estimate]) -> Column:
    """A column with intervals; without any where no coefficient has one, as with a single query."""
    values = [estimate.value for estimate in estimates]
    bounds = [(estimate.low, estimate.high) for estimate in estimates]
    undefined = all(math.isnan(low) for low, _ in bounds)
    return Column(
        name, kind, list(map(signed, values)) if kind == "number" else values, bounds=[] if undefined else bounds
    )
