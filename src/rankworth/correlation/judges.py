"""Agreement of two judges: whether two sets of judgements give the same grades to the same documents."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, ClassVar, Final, Literal, NamedTuple, get_args

import numpy as np

from rankworth.arrays import Floats, Integers
from rankworth.correlation.judged_pairs import JudgedPairs, by_item, judged_pairs
from rankworth.correlation.methods import names_of
from rankworth.errors import UsageError, counted, quoted
from rankworth.groups import Slices
from rankworth.io.duplicates import OneJudgement
from rankworth.io.options import Blank
from rankworth.io.paths import is_path
from rankworth.io.validate import is_number
from rankworth.model import Qrels, stem
from rankworth.scoring import inputs
from rankworth.stats import t_test
from rankworth.stats.agreement import (
    ConfusionTables,
    Distance,
    Scale,
    cluster_intervals,
    grade_kappas,
    specific,
)
from rankworth.stats.samples import FEW_QUERIES, check_sampling, check_word
from rankworth.tables.analysis import Analysis, estimated
from rankworth.tables.columns import Column, Kind, Sheet, by_name
from rankworth.tables.look import p_value
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
    "relevant_equal": "relevant (from {rel:g}): equal",
    "relevant_kappa": "relevant: kappa",
}
_OF_GROUPS: Final[Mapping[str, tuple[str, Kind]]] = {
    "equal": ("equal", "share"),
    "kappa": ("kappa", "value"),
    "quadratic": ("quadratic", "value"),
    "alpha_ordinal": ("alpha", "value"),
    "bias": ("bias", "number"),
}
"""of the coefficients of groups that tables show: heading and kind of the column"""
_OF_GRADES: Final[Mapping[str, Kind]] = {"both": "count", "agreement": "share", "kappa": "value"}
_VERDICTS: Final[Mapping[Word, str]] = {
    "higher": "{1} grades higher than {0}",
    "lower": "{1} grades lower than {0}",
    "equal": "no grade differs",
    "unclear": "neither judge can be told to grade higher",
}
_SHOWN: Final = 20
"""grades up to which the confusion table is shown"""
_MANY_QUERIES: Final = 1_000
"""beyond that many a tenth of the samples is drawn"""
_ALONE: Final = 0.2
"""the share of pairs judged by one judge alone from which there is a warning"""
_DOMINANT: Final = 0.8
"""the share of one grade in all grades from which it may hide disagreement"""
_HIGH: Final = 0.8
_LOW: Final = 0.6
"""a share of equal grades from the one on and a kappa below the other look like a contradiction"""


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
        """Return one query by its id; raise a `KeyError` where there is no pair of it."""
        for row in self:
            if str(row.query) == str(query):
                return row
        raise KeyError(query)

    def worst(self, count: int = 10) -> list[QueryAgreement]:
        """Return the queries with the smallest share of equal grades; of equal shares those with more pairs first."""
        return sorted(self, key=lambda row: (row.equal, -row.pairs))[: max(0, count)]

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
    _RECORD: ClassVar = (
        *("names", "judged", "distance", "rel", "level", "resamples", "seed"),
        *("bias", "grades", "table", "per_grade", "by"),
    )
    names: tuple[str, str]
    judged: JudgedPairs
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
        """The share of pairs that both find relevant or both do not; None without `rel`."""
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
        """Return the columns row by row, None where there is no number."""
        return self.flat(of).rows()

    def _columns(self, of: str) -> dict[str, Any]:
        if of == "queries":
            return by_name(QueryAgreement._fields, self.queries)
        if of == "grades":
            return by_name(GradeAgreement._fields, self.per_grade)
        if of == "table":
            grades = np.array(self.grades)
            # [C * C] each: both grades of each cell, row by row
            first, second = np.repeat(grades, grades.size), np.tile(grades, grades.size)
            return {"first": first.tolist(), "second": second.tolist(), "pairs": self.table.ravel().tolist()}
        named = product(self._parts, self.figures)
        rows = [(part.group, name, *getattr(part, name), part.pairs, part.queries) for part, name in named]
        return by_name(("group", "figure", *Estimate._fields, "pairs", "queries"), rows)

    def _record(self) -> dict[str, Any]:
        figures, *parts = ({name: getattr(part, name) for name in self.figures} for part in self._parts)
        counts = ({"pairs": part.pairs, "queries": part.queries} for part in self.groups.values())
        of_each = (count | {"figures": part} for count, part in zip(counts, parts, strict=True))
        groups = dict(zip(self.groups, of_each, strict=True))
        return super()._record() | {"figures": figures, "groups": groups}

    @property
    def _parts(self) -> tuple[Figures, ...]:
        """The coefficients of all queries, and those of each group."""
        return (self.overall, *self.groups.values())

    def sheets(self) -> list[Sheet]:
        """Return coefficients, who grades higher, the confusion table, each grade, and groups."""
        table = [self._table_sheet()] if len(self.grades) <= _SHOWN else []
        groups = [self._groups_sheet()] if self.groups else []
        return [self._figures_sheet(), self._bias_sheet(), *table, self._grades_sheet(), *groups]

    def _figures_sheet(self) -> Sheet:
        names = [name for name in _TITLES if name in self.figures]
        figures = Column("agreement", "text", [_TITLES[name].format(rel=self.rel) for name in names])
        values = estimated("value", "value", [getattr(self.overall, name) for name in names])
        how = f"BCa bootstrap over queries, {self.resamples:,} resamples, seed {self.seed}"
        (first, second), judged = self.names, self.judged
        each = f"{first} {judged.first:,} pairs of {judged.first_queries:,} queries, {second} {judged.second:,} of"
        counts = f"judged: {each} {judged.second_queries:,}; both {judged.both:,} of {judged.both_queries:,}"
        alone = [counts] if judged.first_only or judged.second_only else []
        notes = (*self.notes, *alone, f"{100 * self.level:g} % intervals ({how})")
        title = f"{first} and {second}: {counted(self.pairs, 'pair', 'pairs')} of {counted(self.overall.queries)}"
        comment = f"agreement|distance:{self.distance}|rankworth:{__version__}|seed:{self.seed}"
        return Sheet((figures, values), notes, comment, self._defects, title)

    def _bias_sheet(self) -> Sheet:
        bias = self.bias
        columns = (
            Column("grades", "text", [f"{self.names[1]} - {self.names[0]}"]),
            estimated("mean", "number", [self.overall.bias]),
            *(Column(name, "count", [getattr(bias, name)]) for name in ("higher", "equal", "lower")),
            Column("p", "number", [p_value(bias.p)]),
            Column("verdict", "number", [bias.word]),
        )
        note = f"{_VERDICTS[bias.word].format(*self.names)} (t test over queries, p < {1 - self.level:.2g})"
        return Sheet(columns, (note,), title="who grades higher")

    def _table_sheet(self) -> Sheet:
        grades = [*(f"{grade:g}" for grade in self.grades), "all"]
        table = np.vstack((self.table, self.table.sum(axis=0)))  # [C + 1, C]: with the sums of columns
        table = np.column_stack((table, table.sum(axis=1)))  # [C + 1, C + 1]: and of rows
        columns = [Column(name, "count", cells) for name, cells in zip(grades, table.T.tolist(), strict=True)]
        title = f"grades of {self.names[0]} (rows) and {self.names[1]} (columns)"
        return Sheet((Column(self.names[0], "text", grades), *columns), title=title)

    def _grades_sheet(self) -> Sheet:
        (first, second), rows = self.names, self.per_grade
        instead = [f"{row.instead:g} ({100 * row.instead_share:.0f} %)" for row in rows]
        cells = by_name(GradeAgreement._fields, rows)
        columns = (
            Column("grade", "text", [f"{row.grade:g}" for row in rows]),
            *(Column(title, "count", cells[name]) for title, name in ((first, "first"), (second, "second"))),
            *(Column(name, kind, cells[name]) for name, kind in _OF_GRADES.items()),
            Column("instead", "number", ["" if text.startswith("nan") else text for text in instead]),
        )
        note = f"agreement: 2 both / ({first} + {second}); kappa: the grade against all others"
        note = f"{note}; instead: what {second} gives most often where {first} alone gives the grade"
        return Sheet(columns, (note,), title="grade by grade")

    def _groups_sheet(self) -> Sheet:
        cells = by_name(Figures._fields, self.groups.values())
        columns = (
            Column(self.by, "text", cells["group"]),
            *(Column(name, "count", cells[name]) for name in ("queries", "pairs")),
            *(estimated(title, kind, cells[name]) for name, (title, kind) in _OF_GROUPS.items()),
        )
        note = f"quadratic: kappa with these weights; alpha: ordinal; bias: {self.names[1]} - {self.names[0]}"
        return Sheet(columns, (note,), title=f"by {self.by}")


def agreement(
    qrels_a: object,
    qrels_b: object,
    *,
    names: Sequence[str] | None = None,
    queries: Iterable[object] | None = None,
    table: object = None,
    by: object = None,
    rel: float | None = None,
    grades: Mapping[str, float] | None = None,
    verdicts: Mapping[str, float] | None = None,
    distance: Distance = "steps",
    duplicate_judgements: OneJudgement = "error",
    columns: Mapping[str, str] | None = None,
    blank: Blank | None = None,
    ids: object = None,
    level: float = 0.95,
    resamples: int | None = None,
    seed: int = 0,
) -> Agreement:
    """Measure how far two sets of judgements agree, giving the same grades to the same documents.

    Only pairs of a query and a document that both have judged are looked at; the result says how many one judge alone
    has. Computed are the share of equal grades, Cohen's kappa without weights, with linear and with quadratic ones,
    Krippendorff's alpha for names, orders and numbers, the mean difference of grades, the agreement on each grade, and
    on each query. Intervals are bias-corrected and accelerated, from samples of queries: documents of one query are
    judged alike, and so they are drawn together. Formulas and sources stand in `rankworth.stats.agreement`.

    Grades may be any numbers, negative and fractional ones too, 128 different ones at most. Where all grades are one
    and the same nothing could disagree, and kappa and alpha are NaN.

    Args:
        qrels_a: judgements, as for `evaluate`; of the first judge, say people. Or a list of grades, None for an item
            without one: each item is a query of its own then, and intervals are from samples of items.
        qrels_b: judgements of the second one, say a model; or the grades of the same items.
        names: what to call them; by default the names of files, otherwise `first` and `second`.
        queries: the ids of the queries to look at; all by default.
        table: columns of the queries, as `rankworth.io.query_texts.queries` reads them.
        by: as for `evaluate`: the column by whose groups agreement is computed, too.
        rel: the grade from which a document counts as relevant, to compute the agreement on that, too.
        grades: as for `evaluate`: the grades that words mean, `{"irrelevant": 0, "relevant": 1}`.
        verdicts: an older name of `grades`.
        distance: how far two grades are apart in a weighted kappa: `steps` counts the steps between them among the
            grades that the pairs have, as scikit-learn does, `grades` takes their difference; both give the same where
            the grades are 0, 1, 2 and so on and all of them occur. Alpha for numbers always takes the difference.
        duplicate_judgements: what becomes of several grades of one document: an `error`, the best (`max`), the `first`
            or the `last` counts.
        columns: as for `evaluate`, of judgements.
        blank: as for `evaluate`.
        ids: as for `evaluate`, of judgements: how documents are renamed.
        level: of the intervals; 1 - level is the chance to say that a judge grades higher where none does.
        resamples: how many samples; by default 9,999, and 999 where there are more than 1,000 queries.
        seed: of these samples.

    Returns:
        An `Agreement`.

    Raises:
        InputError: as `Qrels`; `bad-grade` for a word that `grades` does not have; `input-type` for lists of
            different lengths; `no-common-pairs`; `many-grades`; `unjudged-queries` where neither judged a query;
            `input-type` where documents are judged for several subtopics of a query.
        UsageError: `unknown-setting`, `conflicting-options`, `run-names`.

    >>> human = {"q1": {"a": 2, "b": 0, "c": 1}, "q2": {"a": 0, "b": 1, "d": 1}}
    >>> model = {"q1": {"a": 2, "b": 1, "c": 1}, "q2": {"a": 0, "b": 1, "c": 2}}
    >>> found = agreement(human, model, names=("human", "model"))
    >>> found.pairs, found.equal.value, round(found.kappa.value, 4)  # kappa: 1 - 1 * 5 / (2 * 4 + 2 * 2 + 1 * 4)
    (5, 0.8, 0.6875)
    >>> found.bias.mean, found.bias.word
    (0.2, 'unclear')
    >>> round(agreement([2, 0, 1, 0, 1], [2, 1, 1, 0, 1]).kappa.value, 4)
    0.6875
    """
    check_word("distance", distance, get_args(Distance))
    check_word("duplicate_judgements", duplicate_judgements, get_args(OneJudgement))
    check_sampling(level, seed, 1 if resamples is None else resamples)
    if rel is not None and (isinstance(rel, bool) or not is_number(rel, infinite=False)):
        raise UsageError("unknown-setting", f"rel={rel!r}: the grade from which documents are relevant is a number")
    judges = judge_names(names, (qrels_a, qrels_b))
    slices = Slices.of(table, by=by)
    if grades is not None and verdicts is not None:
        raise UsageError("conflicting-options", "grades and verdicts are one option", remedy="give grades alone")
    words = verdicts if grades is None else grades
    reading = inputs.InputOptions({"columns": columns, "blank": blank, "grades": words, "ids": ids})
    sources, _ = reading.read(by_item((qrels_a, qrels_b), judges, reading.grades), ())
    policy = duplicate_judgements
    both = [qrels if isinstance(qrels, Qrels) else Qrels(qrels, duplicate_judgements=policy) for qrels in sources]
    if (rule := both[0].ids) is not None and not any(qrels.facts.renamed for qrels in both):
        raise rule.unused(quoted(judges), both[0].document_series.head(3).to_list())
    judged, query_ids, scale_grades, tables = judged_pairs(both, judges, queries)
    scale, samples = Scale(scale_grades, distance, rel), resamples or resamples_for(tables.queries)

    def figures(group: str, part: ConfusionTables) -> Figures:
        values = scale.coefficients(part.total()[None])[0]
        low, high = cluster_intervals(part, scale.coefficients, level=level, resamples=samples, seed=seed)
        estimates = map(Estimate, values.tolist(), low.tolist(), high.tolist())
        return Figures(group, int(part.pairs.sum()), part.queries, *estimates)

    overall, groups = figures("", tables), {}
    if slices.by is not None:
        slices.by.shown(list(map(str, query_ids)))
        parts = slices.by.parts(list(map(str, query_ids)))
        groups = {name: figures(name, tables.only(parts.of(name))) for name in parts.names}
    of_each = dict(zip(scale.names, tables.of_each(scale.coefficients).T, strict=True))
    each = [of_each[name].tolist() for name in QueryAgreement._fields[2:]]
    counts = tables.total().astype(np.int64)
    counts.setflags(write=False)
    return Agreement(
        names=judges,
        judged=judged,
        grades=tuple((scale_grades + 0.0).tolist()),
        table=counts,
        overall=overall,
        per_grade=tuple(_per_grade(tables.total(), scale_grades + 0.0)),
        bias=_bias(tables, overall.bias, of_each["bias"], level),
        queries=QueryAgreements(map(QueryAgreement, query_ids, tables.pairs.astype(np.int64).tolist(), *each)),
        groups=groups,
        by="" if slices.by is None else slices.by.name,
        distance=distance,
        rel=rel,
        level=level,
        resamples=samples,
        seed=seed,
        notes=tuple(_notes(overall, scale)),
        warnings=tuple(_warnings(overall, judged, scale, tables.total(), judges)),
    )


def resamples_for(queries: int) -> int:
    """Return how many samples of queries are drawn by default."""
    return 9_999 if queries <= _MANY_QUERIES else 999


def judge_names(names: Sequence[str] | None, sources: Iterable[object]) -> tuple[str, str]:
    """Return the names of two judges: those that users chose, or those of their files.

    Raises:
        UsageError: `run-names`.

    """
    return names_of(names, stems_of(sources), ("first", "second"))


def stems_of(sources: Iterable[object]) -> list[str]:
    """Return the names of files of judgements without suffixes; an empty text for an object."""
    return [stem(source).removesuffix(".qrels") if is_path(source) else "" for source in sources]


def _per_grade(table: Floats, grades: Floats) -> Iterator[GradeAgreement]:
    """Yield the agreement on each grade of `[C]`, from the table `[C, C]`."""
    # [C] each: how often either judge gives the grade, and how often both do
    first, second, both = table.sum(axis=1), table.sum(axis=0), np.diagonal(table)
    off_diagonal = table - np.diag(both)
    differ = off_diagonal.max(axis=1)  # [C]: pairs of the other grade that the second judge gives most often
    instead = np.where(differ > 0, grades[off_diagonal.argmax(axis=1)], np.nan)  # [C]: this other grade
    with np.errstate(invalid="ignore"):
        shares = [both / first, both / second, specific(table), grade_kappas(table)]
        shares += [instead, np.where(differ > 0, differ / first, np.nan)]
    counts = (part.astype(np.int64).tolist() for part in (first, second, both))
    return map(GradeAgreement, grades.tolist(), *counts, *(part.tolist() for part in shares))


def _bias(tables: ConfusionTables, mean: Estimate, of_each: Floats, level: float) -> Bias:
    """Find who grades higher, from the mean difference of grades, over all queries and, `[Q]`, of each."""
    table = tables.total()
    higher, lower = int(np.triu(table, 1).sum()), int(np.tril(table, -1).sum())
    p = float(t_test(of_each[:, None], tables.pairs).p[0])
    direction: Word = "higher" if mean.value > 0 else "lower"
    word: Word = direction if p < 1 - level else "unclear" if higher or lower else "equal"
    return Bias(*mean, higher, int(np.trace(table)), lower, p, word)


def _notes(figures: Figures, scale: Scale) -> Iterator[str]:
    """Yield notes on the coefficients: one grade alone, uneven grades, all relevant or none."""
    grades = [f"{grade:g}" for grade in (scale.grades + 0.0).tolist()]
    if len(grades) == 1:
        yield f"every grade is {grades[0]}: nothing could disagree, and neither kappa nor alpha is defined"
    elif not scale.even:
        steps = 'the steps between them; distance="grades" takes their differences'
        weights = steps if scale.distance == "steps" else "their differences"
        yield f"the grades are {quoted(grades, 8)}: weights of kappa are {weights}"
    if figures.relevant_kappa is not None and math.isnan(figures.relevant_kappa.value):
        yield f"all grades are on one side of {scale.rel:g}: there is no kappa of relevant and not relevant"


def _warnings(
    figures: Figures, judged: JudgedPairs, scale: Scale, table: Floats, names: tuple[str, str]
) -> Iterator[tuple[str, str]]:
    """Yield slug and text of what makes agreement easy to misread: few queries, one main grade, pairs of one judge."""
    if figures.queries < FEW_QUERIES:
        few = f"{counted(figures.queries)} {'is' if figures.queries == 1 else 'are'} few"
        yield "few-queries", f"{few}: intervals of so few are too narrow, if anything"
    shares = (table.sum(axis=0) + table.sum(axis=1)) / (2 * table.sum())  # [C]: of each grade
    most = int(shares.argmax())
    if figures.equal.value >= _HIGH and figures.kappa.value < _LOW and shares[most] >= _DOMINANT:
        text = f"{100 * figures.equal.value:.1f} % of the grades are equal, and kappa is {figures.kappa.value:.2f}"
        grade = f"{100 * shares[most]:.1f} % of all grades are {scale.grades[most] + 0.0:g}"
        yield "dominant-grade", f"{text}: {grade}, where two judges meet by chance; look at the other grades one by one"
    union = judged.both + judged.first_only + judged.second_only
    counts = zip(names, (judged.first_only, judged.second_only), strict=True)
    if alone := [f"{name} {100 * count / union:.1f} %" for name, count in counts if count >= _ALONE * union]:
        text = f"judged by one alone: {', '.join(alone)} of {union:,} pairs, and agreement leaves them out"
        yield "judged-by-one", text
