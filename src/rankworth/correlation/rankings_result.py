"""Correlations of rankings as results: of two rankings or runs, and of several runs, each with each."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankworth.arrays import Floats
from rankworth.correlation.methods import Method, Missing
from rankworth.errors import UsageError, counted, quoted
from rankworth.tables.analysis import Analysis, Of
from rankworth.tables.columns import Column, Sheet, defined
from rankworth.tables.frames import FrameLibrary
from rankworth.tables.look import p_value
from rankworth.version import __version__

_LOWEST: Final = 3
"""how many of the queries are named whose rankings are least alike"""


class QueryCorrelation(NamedTuple):
    """How alike the rankings of one query are."""

    query: Any
    value: float
    first: int
    """how many documents the first ranking has"""
    second: int
    common: int


class _Rankings(Analysis[Of]):
    """A result about rankings."""

    _SCHEMA: ClassVar = "rankworth.rankings/1"

    def flat(self, of: Of | None = None) -> Sheet:
        """The columns as one table for CSV and JSON lines; ids are text, and None stands where there is no number."""
        sheet = super().flat(of)
        columns = [
            replace(column, kind="text", values=list(map(str, column.values))) if column.name == "query" else column
            for column in sheet.columns
        ]
        return replace(sheet, columns=tuple(columns))


@dataclass(frozen=True, eq=False, repr=False)
class Correlation(_Rankings[Literal["queries"]]):
    """How alike two rankings are, or those of two runs for each query.

    The table of columns has a row for each query: `query`, the numbers of documents `n_first`, `n_second`, `n_common`,
    and each method; RBO and RBA also with what they are at least and at most (`... min`, `... max`).

    Attributes:
        names: what the two are called.
        methods: the methods.
        queries: the ids of the queries; one empty id for two rankings of no query.
        values: `[Q, M]`, NaN where undefined.
        least: `[Q, M]`, for methods with bounds the least that documents beyond the ends could make of it, else NaN.
        most: `[Q, M]`, the most.
        p_values: `[Q, M]`, two-sided, of coefficients of two single rankings, else NaN.
        sizes: `[Q, 3]`, how many documents the first ranking has, the second one, and both.
        means: `[M]`, over the queries that have a value.
        low: `[M]`, the lower ends of their intervals; NaN for a single query.
        high: `[M]`, the upper ends.
        level: of the intervals.
        seed: of the samples behind them.
        missing: what became of documents of one ranking only, for coefficients.
        tied: in how many queries documents of a ranking have equal scores.
        notes: sentences that explain the numbers.
        warnings: slug and text of each warning.

    """

    _TABLES: ClassVar = ("queries",)
    names: tuple[str, str]
    methods: tuple[Method, ...]
    queries: tuple[Any, ...]
    values: Floats
    least: Floats
    most: Floats
    p_values: Floats
    sizes: NDArray[np.integer[Any]]
    means: Floats
    low: Floats
    high: Floats
    level: float
    seed: int
    missing: Missing
    tied: int = 0
    notes: tuple[str, ...] = ()
    warnings: tuple[tuple[str, str], ...] = ()

    @property
    def labels(self) -> tuple[str, ...]:
        """What tables call the methods."""
        return tuple(method.label for method in self.methods)

    @property
    def value(self) -> float:
        """The value of the only method; over several queries their mean.

        Raises:
            UsageError: `not-measured` where there are several methods.

        """
        return self._only(self.means.tolist())

    @property
    def min(self) -> float:
        """The least that documents beyond the ends of both rankings could make of it; over several queries the mean."""
        return self._only(_means(self.least))

    @property
    def max(self) -> float:
        """The most that documents beyond the ends could make of it."""
        return self._only(_means(self.most))

    @property
    def residual(self) -> float:
        """How much documents beyond the ends could change it: the most minus the least."""
        return self.max - self.min

    @property
    def p(self) -> float:
        """The two-sided p value of the only method; NaN where it has none, and over several queries."""
        return self._only(self.p_values[0].tolist()) if len(self.queries) == 1 else float("nan")

    def __float__(self) -> float:
        """The value of the only method; over several queries their mean."""
        return self.value

    def mean(self) -> dict[str, float]:
        """The value of each method by its label; over several queries the mean."""
        return dict(zip(self.labels, self.means.tolist(), strict=True))

    def interval(self) -> dict[str, tuple[float, float]]:
        """The ends of the interval of each mean."""
        return dict(zip(self.labels, zip(self.low.tolist(), self.high.tolist(), strict=True), strict=True))

    def of(self, query: object) -> dict[str, float]:
        """The values of one query.

        Raises:
            UsageError: `not-measured`.

        """
        known = list(map(str, self.queries))
        if str(query) not in known:
            raise UsageError("not-measured", f"there is no query {query!r}; there are {quoted(self.queries)}")
        return dict(zip(self.labels, self.values[known.index(str(query))].tolist(), strict=True))

    def lowest(self, count: int = 10, method: str = "") -> list[QueryCorrelation]:
        """The queries whose rankings are least alike, by the first method where none is named.

        Raises:
            UsageError: `not-measured`.

        """
        known = [index for index, one in enumerate(self.methods) if not method or method in (one.label, one.name)]
        if not known:
            raise UsageError("not-measured", f"{method} was not asked for; there are {quoted(self.labels)}")
        values = self.values[:, known[0]]
        order = np.argsort(values, kind="stable")
        rows = order[~np.isnan(values[order])][: max(0, count)].tolist()
        return [QueryCorrelation(self.queries[row], float(values[row]), *map(int, self.sizes[row])) for row in rows]

    def _columns(self, of: str) -> dict[str, list[Any]]:  # noqa: ARG002 - there is one table
        columns: dict[str, list[Any]] = {"query": list(self.queries)}
        columns |= dict(zip(("n_first", "n_second", "n_common"), self.sizes.T.tolist(), strict=True))
        for index, label in enumerate(self.labels):
            columns[label] = defined(self.values[:, index].tolist())
            for end, side in (("min", self.least), ("max", self.most), ("p", self.p_values)):
                if not np.isnan(side[:, index]).all():
                    columns[f"{label} {end}"] = defined(side[:, index].tolist())
        return columns

    def summary(self) -> list[dict[str, Any]]:
        """One row for each method: its mean, the interval, and over how many queries."""
        names = ("first", "second", "method", "value", "low", "high", "min", "max", "p", "queries")
        rows = zip(
            self.labels,
            self.means.tolist(),
            self.low.tolist(),
            self.high.tolist(),
            _means(self.least),
            _means(self.most),
            self.p_values[0].tolist() if len(self.queries) == 1 else [None] * len(self.methods),
            (~np.isnan(self.values)).sum(axis=0).tolist(),
            strict=True,
        )
        return [dict(zip(names, (*self.names, *defined(row)), strict=True)) for row in rows]

    def _record(self) -> dict[str, Any]:
        return {
            "names": list(self.names),
            "methods": list(self.labels),
            "missing": self.missing,
            "level": self.level,
            "seed": self.seed,
            "means": self.summary(),
            "per_query": {str(row.pop("query")): row for row in _rows(self.columns())},
        }

    def sheets(self) -> list[Sheet]:
        """The values, or their means with intervals, and what must be said about them."""
        several = len(self.queries) > 1
        bounds = list(zip(self.low.tolist(), self.high.tolist(), strict=True)) if several else ()
        columns = [
            Column("method", "text", list(self.labels)),
            Column("mean" if several else "value", "value", self.means.tolist(), bounds=bounds),
        ]
        for name, side in (("min", self.least), ("max", self.most)):
            if not np.isnan(side).all():
                columns.append(Column(name, "value", _means(side)))
        if not np.isnan(self.p_values).all() and not several:
            columns.append(Column("p", "number", [p_value(p) for p in self.p_values[0].tolist()]))
        if several:
            columns.append(Column("queries", "count", (~np.isnan(self.values)).sum(axis=0).tolist()))
        title = f"{self.names[0]} and {self.names[1]}: {self._sizes()}"
        return [Sheet(tuple(columns), (*self.notes, *self._method_notes()), _comment(self), self._defects, title)]

    def _sizes(self) -> str:
        """How many documents there are."""
        first, second, common = self.sizes.sum(axis=0).tolist()
        queries = len(self.queries)
        if queries == 1:
            return f"{first:,} and {second:,} items, {common:,} common"
        each = [f"{total / queries:,.1f}" for total in (first, second, common)]
        return f"{counted(queries)}, on average {each[0]} and {each[1]} documents, {each[2]} common"

    def _method_notes(self) -> Iterator[str]:
        """The queries whose rankings are least alike, what bounds are, and what intervals are."""
        rows = [row for row in self.lowest(len(self.queries)) if row.first and row.second]
        if len(rows) > _LOWEST and rows[0].value != rows[-1].value:
            least = ", ".join(f"{row.query} {row.value:.4f}" for row in rows[:_LOWEST])
            yield f"least alike by {self.labels[0]}: {least}"
        if not np.isnan(self.least).all():
            yield "min, max: what documents beyond the ends of the rankings could make of it"
        yield from _interval_note(self)

    def _only(self, numbers: Sequence[float]) -> float:
        """The number of the only method; a UsageError (`not-measured`) where there are several."""
        if len(self.methods) > 1:
            raise UsageError("not-measured", f"there are {len(self.methods)} methods; ask for mean() or of(query)")
        return numbers[0]


class Correlations(Mapping[tuple[str, str], Correlation], _Rankings[Literal["means", "queries"]]):
    """How alike the rankings of several runs are, by the names of every two of them.

    The tables of columns: `means` has a row for each pair of runs and method, `queries` one for each pair and query.
    """

    _TABLES: ClassVar = ("means", "queries")

    def __init__(self, pairs: Mapping[tuple[str, str], Correlation]) -> None:
        """Hold the correlation of each pair of runs."""
        self._pairs = dict(pairs)

    def __getitem__(self, pair: tuple[str, str]) -> Correlation:
        """The correlation of two runs."""
        return self._pairs[pair]

    def __iter__(self) -> Iterator[tuple[str, str]]:
        """The names of every two runs."""
        return iter(self._pairs)

    def __len__(self) -> int:
        """How many pairs there are."""
        return len(self._pairs)

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences that explain the numbers of all pairs."""
        several = list(self.values())
        methods = several[0].methods
        tied = "equal scores" if any(pair.tied for pair in several) else ""
        notes = [
            *method_rules(methods, "the first of two runs", tied),
            *_left_out(several),
            *_interval_note(several[0]),
        ]
        empty = sum(any(size == 0 for size in row[:2]) for pair in several for row in pair.sizes.tolist())
        if empty:
            notes.insert(0, f"{empty:,} times a run does not answer a query of the other one: an empty ranking")
        return tuple(notes)

    @property
    def warnings(self) -> tuple[tuple[str, str], ...]:
        """Slug and text of each warning."""
        return tuple(warning for pair in self.values() for warning in pair.warnings)

    def rows(self) -> list[dict[str, Any]]:
        """One row for each pair of runs and method."""
        return [row for pair in self.values() for row in pair.summary()]

    def _columns(self, of: str) -> dict[str, list[Any]]:
        if of == "means":
            rows = self.rows()
        else:
            pairs = ((*names, pair.columns()) for names, pair in self.items())
            rows = [{"first": one, "second": other, **row} for one, other, columns in pairs for row in _rows(columns)]
        names = dict.fromkeys(name for row in rows for name in row)
        return {name: [row.get(name) for row in rows] for name in names}

    def to_frame(
        self,
        library: FrameLibrary = "polars",
        *,
        per_query: bool = False,
        of: Literal["means", "queries"] | None = None,
    ) -> Any:  # noqa: ANN401 - the library's own frame
        """One row for each pair of runs and method, or for each pair and query.

        Args:
            library: `polars`, `pandas` or `pyarrow`.
            per_query: whether rows are pairs and queries, as with `of="queries"`.
            of: `means` or `queries`; `means` by default.

        Raises:
            UsageError: `missing-library`, `unknown-setting`.

        """
        return super().to_frame(library, of="queries" if per_query else of)

    def to_dict(self) -> dict[str, Any]:
        """The correlations of all pairs as JSON holds them."""
        return {"schema": self._SCHEMA, "rankworth": __version__, **self._record()}

    def _record(self) -> dict[str, Any]:
        return {"pairs": [pair.to_dict() for pair in self.values()]}

    def sheets(self) -> list[Sheet]:
        """One table for all pairs."""
        several = list(self.values())
        first = several[0]
        if len(several) == 1:
            return first.sheets()
        columns = [
            Column(name, "text", [pair.names[side] for pair in several]) for side, name in enumerate(("run", "and"))
        ]
        for index, label in enumerate(first.labels):
            bounds = [(float(pair.low[index]), float(pair.high[index])) for pair in several]
            columns.append(Column(label, "value", [float(pair.means[index]) for pair in several], bounds=bounds))
        counts = [len(pair.queries) for pair in several]
        same = min(counts) == max(counts)
        if not same:
            columns.append(Column("queries", "count", counts))
        runs = len({name for pair in several for name in pair.names})
        title = f"{runs} runs, each with each{f', over {counted(counts[0])}' if same else ''}"
        return [Sheet(tuple(columns), self.notes, _comment(first), title=title)]


def method_rules(methods: Sequence[Method], reference: str, ties: str = "") -> Iterator[str]:
    """What the methods make of ties, and which ranking is the reference.

    Args:
        methods: the methods.
        reference: the ranking that is the reference for methods that have one.
        ties: where there are equal scores; empty where there are none.

    """
    if ties:
        treated: dict[str, list[str]] = {}
        for method in methods:
            treated.setdefault(method.ties, []).append(method.label)
        rules = "; ".join(f"{', '.join(labels)}: {how}" for how, labels in treated.items())
        yield f"{ties}: {rules}"
    if one_sided := [method.label for method in methods if not method.symmetric]:
        yield f"{', '.join(one_sided)}: {reference} is the reference"


def undefined(labels: Sequence[str], counts: Sequence[int]) -> Iterator[tuple[str, int]]:
    """The labels of methods that are undefined equally often, and how often; nothing of those that never are."""
    by_count: dict[int, list[str]] = {}
    for label, count in zip(labels, counts, strict=True):
        by_count.setdefault(count, []).append(label)
    return ((", ".join(names), count) for count, names in by_count.items() if count)


def _left_out(several: Sequence[Correlation]) -> Iterator[str]:
    """What is not in the numbers of several runs: documents of one of two alone, and queries without a value."""
    first = several[0]
    labels = [method.label for method in first.methods if method.correlates]
    if labels and any((pair.sizes != pair.sizes[:, :1]).any() for pair in several):
        how = "are left out" if first.missing == "common" else "stand behind all others, tied"
        yield f"{', '.join(labels)}: documents of one run alone {how}"
    times = sum(len(pair.queries) for pair in several)
    counts = np.sum([np.isnan(pair.values).sum(axis=0) for pair in several], axis=0).tolist()
    for names, count in undefined(first.labels, counts):
        yield f"{names}: undefined {count:,} times of {times:,}, which the means leave out"


def _comment(pair: Correlation) -> str:
    """How the numbers came about, in one line."""
    missing = f"|missing:{pair.missing}" if any(method.correlates for method in pair.methods) else ""
    seed = f"|seed:{pair.seed}" if len(pair.queries) > 1 else ""
    return f"{' '.join(pair.labels)}{missing}|rankworth:{__version__}{seed}"


def _interval_note(pair: Correlation) -> list[str]:
    if len(pair.queries) == 1:
        return []
    return [f"{100 * pair.level:g} % intervals of the means (BCa bootstrap over queries, seed {pair.seed})"]


def _rows(columns: Mapping[str, list[Any]]) -> list[dict[str, Any]]:
    """Columns row by row."""
    return [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]


def _means(values: Floats) -> list[float]:
    """The mean of the defined values of each column; NaN where there is none."""
    return [float("nan") if np.isnan(column).all() else float(np.nanmean(column)) for column in values.T]
