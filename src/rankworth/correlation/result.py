"""What a correlation of rankings says."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankworth.correlation import sheets as shown
from rankworth.correlation.items import Missing
from rankworth.correlation.methods import Method
from rankworth.errors import UsageError, quoted
from rankworth.hits import Floats
from rankworth.io.frames.columns import FrameLibrary, to_library
from rankworth.render import Look, show
from rankworth.render.showing import Shown
from rankworth.sheet import Column, Sheet, defined
from rankworth.version import __version__

SCHEMA: Final = "rankworth.rankings/1"


class QueryCorrelation(NamedTuple):
    """How alike the rankings of one query are."""

    query: Any
    value: float
    first: int
    """how many documents the first ranking has"""
    second: int
    common: int


@dataclass(frozen=True, eq=False, repr=False)
class Correlation(Shown):
    """How alike two rankings are, or those of two runs for each query.

    Attributes:
        names: what the two are called.
        methods: what was asked for.
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
        notes: what must be said about it.
        warnings: what deserves a second look, with its slug.

    """

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
        return tuple(one.label for one in self.methods)

    @property
    def value(self) -> float:
        """The value of the only method; over several queries their mean.

        Raises:
            UsageError: `not-measured` where there are several methods.

        """
        return float(self.means[self._only])

    @property
    def min(self) -> float:
        """The least that documents beyond the ends of both rankings could make of it; over several queries the mean."""
        return float(np.nanmean(self.least[:, self._only])) if self._bounded else float("nan")

    @property
    def max(self) -> float:
        """The most that they could make of it."""
        return float(np.nanmean(self.most[:, self._only])) if self._bounded else float("nan")

    @property
    def residual(self) -> float:
        """How much they could make a difference: the most less the least."""
        return self.max - self.min

    @property
    def p(self) -> float:
        """The two-sided p value of the only method; NaN where it has none, and over several queries."""
        return float(self.p_values[0, self._only]) if len(self.queries) == 1 else float("nan")

    def __float__(self) -> float:
        """The same as `value`."""
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
        place = self._place(method) if method else 0
        column = self.values[:, place]
        order = np.argsort(column, kind="stable")
        known = order[~np.isnan(column[order])][: max(0, count)]
        return [
            QueryCorrelation(self.queries[row], float(column[row]), *map(int, self.sizes[row]))
            for row in known.tolist()
        ]

    def columns(self) -> dict[str, list[Any]]:
        """One row for each query: `query`, the numbers of documents `n_first`, `n_second`, `n_common`, and each method.

        RBO and RBA have three: the value, and what it is at least and at most (`... min`, `... max`).
        """
        found: dict[str, list[Any]] = {"query": list(self.queries)}
        for place, name in enumerate(("n_first", "n_second", "n_common")):
            found[name] = self.sizes[:, place].tolist()
        for place, label in enumerate(self.labels):
            found[label] = defined(self.values[:, place].tolist())
            for end, bounds in (("min", self.least), ("max", self.most)):
                if not np.isnan(bounds[:, place]).all():
                    found[f"{label} {end}"] = defined(bounds[:, place].tolist())
            if not np.isnan(self.p_values[:, place]).all():
                found[f"{label} p"] = defined(self.p_values[:, place].tolist())
        return found

    def flat(self) -> Sheet:
        """The same as one sheet, for programs."""
        columns = self.columns() | {"query": list(map(str, self.queries))}
        kinds = {"query": "text", "n_first": "count", "n_second": "count", "n_common": "count"}
        return Sheet(tuple(Column(name, kinds.get(name, "value"), cells) for name, cells in columns.items()))  # type: ignore[arg-type]

    def to_frame(self, library: FrameLibrary = "polars") -> Any:  # noqa: ANN401 - the library's own frame
        """The columns as a frame.

        Raises:
            UsageError: `missing-library`, `unknown-setting`.

        """
        return to_library(self.columns(), library)

    def summary(self) -> list[dict[str, Any]]:
        """One row for each method: its mean, the interval, and over how many queries."""
        known = (~np.isnan(self.values)).sum(axis=0).tolist()
        rows = zip(self.labels, self.means.tolist(), self.low.tolist(), self.high.tolist(), known, strict=True)
        told = []
        for place, (label, mean, low, high, queries) in enumerate(rows):
            p = float(self.p_values[0, place]) if len(self.queries) == 1 else float("nan")
            least, most = (_mean(side[:, place]) for side in (self.least, self.most))
            cells = {"first": self.names[0], "second": self.names[1], "method": label}
            numbers = {"value": mean, "low": low, "high": high, "min": least, "max": most, "p": p}
            told.append(
                {**cells, **dict(zip(numbers, defined(list(numbers.values())), strict=True)), "queries": queries}
            )
        return told

    def to_dict(self) -> dict[str, Any]:
        """The correlation as JSON holds it: full precision, None where there is no number."""
        columns = self.columns()
        return {
            "schema": SCHEMA,
            "rankworth": __version__,
            "names": list(self.names),
            "methods": list(self.labels),
            "missing": self.missing,
            "level": self.level,
            "seed": self.seed,
            "means": self.summary(),
            "per_query": {
                str(query): dict(zip([*columns][1:], cells, strict=True))
                for query, *cells in zip(*columns.values(), strict=True)
            },
            "notes": list(self.notes),
            "warnings": [{"slug": slug, "text": text} for slug, text in self.warnings],
        }

    def sheets(self) -> list[Sheet]:
        """The values, or their means with intervals, and what must be said about them."""
        return [shown.of_one(self)]

    def __repr__(self) -> str:
        """The table as plain text."""
        return show(self.sheets(), "table", Look(width=100)).rstrip("\n")

    @property
    def _only(self) -> int:
        if len(self.methods) > 1:
            raise UsageError("not-measured", f"there are {len(self.methods)} methods; ask for mean() or of(query)")
        return 0

    @property
    def _bounded(self) -> bool:
        return not np.isnan(self.least[:, self._only]).all()

    def _place(self, method: str) -> int:
        for place, one in enumerate(self.methods):
            if method in (one.label, one.name):
                return place
        raise UsageError("not-measured", f"{method} was not asked for; there are {quoted(self.labels)}")


class Correlations(Mapping[tuple[str, str], Correlation], Shown):
    """How alike the rankings of several runs are, by the names of every two of them."""

    def __init__(self, found: Mapping[tuple[str, str], Correlation]) -> None:
        """Hold them."""
        self._found = dict(found)

    def __getitem__(self, pair: tuple[str, str]) -> Correlation:
        """What is said of two runs."""
        return self._found[pair]

    def __iter__(self) -> Iterator[tuple[str, str]]:
        """The names of every two runs."""
        return iter(self._found)

    def __len__(self) -> int:
        """How many pairs there are."""
        return len(self._found)

    def rows(self) -> list[dict[str, Any]]:
        """One row for each pair of runs and method."""
        return [row for one in self.values() for row in one.summary()]

    def columns(self) -> dict[str, list[Any]]:
        """The same column by column."""
        rows = self.rows()
        return {name: [row[name] for row in rows] for name in rows[0]}

    def flat(self, *, per_query: bool = False) -> Sheet:
        """One sheet for programs: means, or the values of each query."""
        if not per_query:
            kinds = {"first": "text", "second": "text", "method": "text", "queries": "count"}
            return Sheet(tuple(Column(name, kinds.get(name, "value"), cells) for name, cells in self.columns().items()))  # type: ignore[arg-type]
        parts = [one.flat() for one in self.values()]
        runs = [
            Column(
                name, "text", [pair[place] for pair, part in zip(self, parts, strict=True) for _ in range(part.height)]
            )
            for place, name in enumerate(("first", "second"))
        ]
        return Sheet((*runs, *(Column(one.name, one.kind, _cells(parts, one.name)) for one in _every(parts))))

    def to_frame(self, library: FrameLibrary = "polars", *, per_query: bool = False) -> Any:  # noqa: ANN401 - the library's own frame
        """One row for each pair of runs and method, or for each pair and query.

        Raises:
            UsageError: `missing-library`, `unknown-setting`.

        """
        columns = {column.name: list(column.values) for column in self.flat(per_query=per_query).columns}
        ids = {"query": [query for one in self.values() for query in one.queries]} if per_query else {}
        return to_library(columns | ids, library)

    def to_dict(self) -> dict[str, Any]:
        """All as JSON holds it."""
        return {
            "schema": SCHEMA,
            "rankworth": __version__,
            "pairs": [one.to_dict() for one in self.values()],
        }

    def sheets(self) -> list[Sheet]:
        """One table for all pairs."""
        several: Sequence[Correlation] = list(self.values())
        return several[0].sheets() if len(several) == 1 else [shown.of_several(several)]

    def __repr__(self) -> str:
        """The table as plain text."""
        return show(self.sheets(), "table", Look(width=100)).rstrip("\n")


def _mean(values: Floats) -> float:
    return float("nan") if np.isnan(values).all() else float(np.nanmean(values))


def _every(parts: Sequence[Sheet]) -> list[Column]:
    """The columns that any of the sheets has."""
    return list({column.name: column for part in parts for column in part.columns}.values())


def _cells(parts: Sequence[Sheet], name: str) -> list[Any]:
    """What the column of this name holds in all sheets, None where there is none."""
    found: list[Any] = []
    for part in parts:
        cells = next((column.values for column in part.columns if column.name == name), None)
        found.extend([None] * part.height if cells is None else cells)
    return found
