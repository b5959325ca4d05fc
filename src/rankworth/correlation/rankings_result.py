"""Correlations of rankings as results: of two rankings or runs, and of several runs, each with each."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final, Literal, NamedTuple

import numpy as np

from rankworth.arrays import Floats, Integers
from rankworth.correlation.methods import Method, Missing, method_rules
from rankworth.errors import UsageError, counted, quoted
from rankworth.tables.analysis import Analysis, Of
from rankworth.tables.columns import Column, Sheet, defined
from rankworth.tables.frames import FrameLibrary
from rankworth.tables.look import p_value
from rankworth.version import __version__

FEW: Final = 10
"""fewer items than that say little about a correlation"""
_LOWEST: Final = 3
"""how many of the queries are named whose rankings are least alike"""
_SUMMARY: Final = ("first", "second", "method", "value", "low", "high", "min", "max", "p", "queries")


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

    """

    _TABLES: ClassVar = ("queries",)
    names: tuple[str, str]
    methods: tuple[Method, ...]
    queries: tuple[Any, ...]
    values: Floats
    least: Floats
    most: Floats
    p_values: Floats
    sizes: Integers
    means: Floats
    low: Floats
    high: Floats
    level: float
    seed: int
    missing: Missing
    tied: int = 0

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
        return self._only("value")

    @property
    def min(self) -> float:
        """The least that documents beyond the ends of both rankings could make of it; over several queries the mean."""
        return self._only("min")

    @property
    def max(self) -> float:
        """The most that documents beyond the ends could make of it."""
        return self._only("max")

    @property
    def residual(self) -> float:
        """How much documents beyond the ends could change it: the most minus the least."""
        return self.max - self.min

    @property
    def p(self) -> float:
        """The two-sided p value of the only method; NaN where it has none, and over several queries."""
        return self._only("p")

    def __float__(self) -> float:
        """The value of the only method; over several queries their mean."""
        return self.value

    def _only(self, name: str) -> float:
        """A number of the only method."""
        if len(self.methods) > 1:
            raise UsageError("not-measured", f"there are {len(self.methods)} methods; ask for mean() or of(query)")
        number = self.summary()[0][name]
        return float("nan") if number is None else number

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
            raise UsageError("not-measured", f"there is no method {method}; there are {quoted(self.labels)}")
        values = self.values[:, known[0]]
        rows = np.argsort(values, kind="stable")[: int((~np.isnan(values)).sum())][: max(0, count)].tolist()
        return [QueryCorrelation(self.queries[row], float(values[row]), *map(int, self.sizes[row])) for row in rows]

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences that explain the numbers."""
        return tuple(_notes([self]))

    @property
    def warnings(self) -> tuple[tuple[str, str], ...]:
        """Slug and text where there are so few items that chance could have put them in this order."""
        if len(self.queries) != 1:
            return ()
        first, second, common = self.sizes[0].tolist()
        items = common if self.missing == "common" else first + second - common
        shown = []
        for method, value, p in zip(self.methods, self.values[0].tolist(), self.p_values[0].tolist(), strict=True):
            if method.correlates and not math.isnan(value):
                shown.append(f"{method.label} of {value:.4g}{'' if math.isnan(p) else f' has p = {p_value(p)}'}")
        few = f"{items} items are few: {', '.join(shown)}".replace("p = <", "p < ")
        return (("few-items", few),) if shown and items < FEW else ()

    def _columns(self, of: str) -> dict[str, list[Any]]:  # noqa: ARG002 - there is one table
        sizes = zip(("n_first", "n_second", "n_common"), self.sizes.T.tolist(), strict=True)
        columns: dict[str, list[Any]] = {"query": list(self.queries), **dict(sizes)}
        for index, label in enumerate(self.labels):
            columns[label] = defined(self.values[:, index].tolist())
            for end, side in (("min", self.least), ("max", self.most), ("p", self.p_values)):
                if not np.isnan(side[:, index]).all():
                    columns[f"{label} {end}"] = defined(side[:, index].tolist())
        return columns

    def summary(self) -> list[dict[str, Any]]:
        """One row for each method: its mean, the interval, and over how many queries."""
        p = self.p_values[0] if len(self.queries) == 1 else np.full(len(self.methods), np.nan)
        numbers = (self.means, self.low, self.high, _means(self.least), _means(self.most), p)
        counts = (~np.isnan(self.values)).sum(axis=0).tolist()
        rows = zip(self.labels, *(part.tolist() for part in numbers), counts, strict=True)
        return [dict(zip(_SUMMARY, (*self.names, *defined(row)), strict=True)) for row in rows]

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
        several, rows = len(self.queries) > 1, self.summary()
        bounds = list(zip(self.low.tolist(), self.high.tolist(), strict=True)) if several else ()
        columns = [
            Column("method", "text", list(self.labels)),
            Column("mean" if several else "value", "value", self.means.tolist(), bounds=bounds),
            *(Column(end, "value", [row[end] for row in rows]) for end in ("min", "max") if _any(rows, end)),
        ]
        if _any(rows, "p"):
            columns.append(Column("p", "number", [p_value(p) for p in self.p_values[0].tolist()]))
        if several:
            columns.append(Column("queries", "count", [row["queries"] for row in rows]))
        first, second, common = self.sizes.sum(axis=0).tolist()
        sizes = f"{first:,} and {second:,} items, {common:,} common"
        if several:
            first, second, common = (f"{total / len(self.queries):,.1f}" for total in (first, second, common))
            sizes = f"{counted(len(self.queries))}, on average {first} and {second} documents, {common} common"
        notes = [*self.notes, *self._least_alike()]
        if _any(rows, "min"):
            notes.append("min, max: what documents beyond the ends of the rankings could make of it")
        title = f"{self.names[0]} and {self.names[1]}: {sizes}"
        return [Sheet(tuple(columns), (*notes, *_interval_note(self)), _comment(self), self._defects, title)]

    def _least_alike(self) -> Iterator[str]:
        """The queries whose rankings are least alike."""
        rows = [row for row in self.lowest(len(self.queries)) if row.first and row.second]
        if len(rows) > _LOWEST and rows[0].value != rows[-1].value:
            least = ", ".join(f"{row.query} {row.value:.4f}" for row in rows[:_LOWEST])
            yield f"least alike by {self.labels[0]}: {least}"


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
        return (*_notes(list(self.values())), *_interval_note(next(iter(self.values()))))

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


def _notes(several: Sequence[Correlation]) -> Iterator[str]:
    """What must be said about pairs: ties, reference, queries and documents of one side, undefined values."""
    first = several[0]
    total = sum(len(pair.queries) for pair in several)
    sizes = np.concatenate([pair.sizes for pair in several])
    tied = sum(pair.tied for pair in several)
    where = f" in {tied:,} of {counted(total)}" if len(several) == 1 < total else ""
    reference = first.names[0] if len(several) == 1 else "the first of two runs"
    yield from method_rules(first.methods, reference, f"equal scores{where}" if tied else "")
    empty: Counter[str] = Counter()
    for pair in several:
        alone = (pair.sizes[:, :2] == 0) & (pair.sizes[:, 1::-1] > 0)
        empty.update(dict(zip(pair.names, alone.sum(axis=0).tolist(), strict=True)))
    for name, count in empty.items():
        if total > 1 and count:
            yield f"{name} has no answer {count:,} times where the other run has one: an empty ranking"
    labels = [method.label for method in first.methods if method.correlates]
    common = int(sizes[:, 2].sum())
    if labels and (others := int(sizes[:, :2].sum()) - 2 * common):
        how = "are left out" if first.missing == "common" else "stand behind all others, tied"
        yield f"{', '.join(labels)}: over {common:,} documents that both have; {others:,} of one alone {how}"
    by_count: dict[int, list[str]] = {}
    void = np.sum([np.isnan(pair.values).sum(axis=0) for pair in several], axis=0).tolist()
    for label, count in zip(first.labels, void, strict=True):
        by_count.setdefault(count, []).append(label)
    for count, names in by_count.items():
        if count:
            times = f" in {count:,} of {total:,}, which the mean leaves out" if total > 1 else ""
            yield f"{', '.join(names)}: undefined{times}"


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


def _any(rows: Sequence[Mapping[str, Any]], name: str) -> bool:
    """Whether any row has a number of this name."""
    return any(row[name] is not None for row in rows)


def _means(values: Floats) -> Floats:
    """`[M]`: the means of the defined values of columns `[Q, M]`; NaN where there is none."""
    return np.array([np.nan if np.isnan(column).all() else np.nanmean(column) for column in values.T])
