"""How alike two rankings are, or the rankings of runs for each query: RBO, overlaps and rank correlation."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, ClassVar, Final, Literal, NamedTuple, TypedDict, get_args

import numpy as np

from rankworth.arrays import Floats, Integers
from rankworth.correlation.matching import RankedRows, numbers_are_scores, of_rows, read
from rankworth.correlation.methods import Method, Missing, method_rules, methods, names_of
from rankworth.correlation.steps import RANKED, Steps, steps_of
from rankworth.errors import InputError, UsageError, counted, quoted
from rankworth.io import validate
from rankworth.model import Run
from rankworth.scoring import inputs
from rankworth.scoring.inputs import refuse_unused_ids
from rankworth.stats import intervals
from rankworth.stats.pairing import Pairing
from rankworth.stats.samples import check_sampling, check_word
from rankworth.tables.analysis import Analysis, record
from rankworth.tables.columns import Column, Sheet
from rankworth.tables.frames import FrameLibrary
from rankworth.tables.look import p_value
from rankworth.version import __version__

DEFAULT = ("rbo", "overlap", "jaccard")
"""the methods of `correlate_runs` by default"""
FEW: Final = 10
"""fewer items than that say little about a correlation"""
_LOWEST: Final = 3
"""how many of the queries are named whose rankings are least alike"""
_SUMMARY: Final = ("first", "second", "method", "value", "low", "high", "min", "max", "p", "queries")
_ENDS: Final = {"min": "at least", "max": "at most"}
"""headings of the bounds of RBO and RBA"""
_BOUNDS: Final = "at least, at most: lower and upper bound, given where the rankings stop"


class QueryCorrelation(NamedTuple):
    """How alike the rankings of one query are."""

    query: Any
    value: float
    first: int
    """how many documents the first ranking has"""
    second: int
    common: int


@dataclass(frozen=True, eq=False, repr=False)
class Correlation(Analysis[Literal["queries"]]):
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
        steps: how coefficients of two single rankings come about, for those of pairs or ranks.

    """

    _SCHEMA: ClassVar = "rankworth.rankings/1"
    _TABLES: ClassVar = ("queries",)
    _RECORD: ClassVar = ("names", "missing", "level", "seed")
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
    steps: Steps | None = None

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
        """Return the value of the only method; over several queries their mean."""
        return self.value

    def _only(self, name: str) -> float:
        """Return a number of the only method."""
        if len(self.methods) > 1:
            raise UsageError("not-measured", f"there are {len(self.methods)} methods; ask for mean() or of(query)")
        return float(self._summary()[name][0])

    def mean(self) -> dict[str, float]:
        """Return the value of each method by its label; over several queries the mean."""
        return dict(zip(self.labels, self.means.tolist(), strict=True))

    def interval(self) -> dict[str, tuple[float, float]]:
        """Return the ends of the interval of each mean."""
        return dict(zip(self.labels, zip(self.low.tolist(), self.high.tolist(), strict=True), strict=True))

    def of(self, query: object) -> dict[str, float]:
        """Return the values of one query.

        Raises:
            UsageError: `not-measured`.

        """
        query_ids = list(map(str, self.queries))
        if str(query) not in query_ids:
            raise UsageError("not-measured", f"there is no query {query!r}; there are {quoted(self.queries)}")
        return dict(zip(self.labels, self.values[query_ids.index(str(query))].tolist(), strict=True))

    def lowest(self, count: int = 10, method: str = "") -> list[QueryCorrelation]:
        """Return the queries with the least alike rankings, by the first or the named method.

        Raises:
            UsageError: `not-measured`.

        """
        matching = [index for index, each in enumerate(self.methods) if not method or method in (each.label, each.name)]
        if not matching:
            raise UsageError("not-measured", f"there is no method {method}; there are {quoted(self.labels)}")
        values = self.values[:, matching[0]]  # [Q]
        rows = np.argsort(values, kind="stable")[: int((~np.isnan(values)).sum())][: max(0, count)].tolist()
        return [QueryCorrelation(self.queries[row], float(values[row]), *map(int, self.sizes[row])) for row in rows]

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences that explain the numbers."""
        return tuple(_notes([self]))

    @property
    def warnings(self) -> tuple[tuple[str, str], ...]:
        """A slug and a text for rankings so short that chance could have ordered them alike."""
        first, second, common = self.sizes[0].tolist()
        items = common if self.missing == "common" else first + second - common
        shown = []
        for method, value, p in zip(self.methods, self.values[0].tolist(), self.p_values[0].tolist(), strict=True):
            if method.correlates and not math.isnan(value):
                shown.append(f"{method.label} of {value:.4g}{'' if math.isnan(p) else f' has p = {p_value(p)}'}")
        few = f"{items} items are few: {', '.join(shown)}; report p beside it".replace("p = <", "p < ")
        return (("few-items", few),) if shown and items < FEW and len(self.queries) == 1 else ()

    def _columns(self, of: str) -> dict[str, list[Any]]:  # noqa: ARG002 - there is one table
        sizes = zip(("n_first", "n_second", "n_common"), self.sizes.T.tolist(), strict=True)
        columns: dict[str, list[Any]] = {"query": list(self.queries), **dict(sizes)}
        tables = (("", self.values), (" min", self.least), (" max", self.most), (" p", self.p_values))
        for index, label in enumerate(self.labels):
            for end, table in tables:
                if not end or not np.isnan(table[:, index]).all():
                    columns[f"{label}{end}"] = record(table[:, index])
        return columns

    def _summary(self) -> dict[str, list[Any]]:
        """Return a row for each method, as columns."""
        p = self.p_values[0] if len(self.queries) == 1 else np.full(len(self.methods), np.nan)
        counts = (~np.isnan(self.values)).sum(axis=0)  # [M]: queries with a value
        numbers = (self.means, self.low, self.high, _means(self.least), _means(self.most), p, counts)
        names = ([name] * len(self.methods) for name in self.names)
        return dict(zip(_SUMMARY, (*names, list(self.labels), *(part.tolist() for part in numbers)), strict=True))

    def summary(self) -> list[dict[str, Any]]:
        """Return a row for each method: its mean, the interval, and over how many queries."""
        return _rows(record(self._summary()))

    def _record(self) -> dict[str, Any]:
        per_query = {str(row.pop("query")): row for row in _rows(self.columns())}
        return super()._record() | {"methods": list(self.labels), "means": self.summary(), "per_query": per_query}

    def sheets(self) -> list[Sheet]:
        """Return the values, or their means with intervals, and what must be said about them."""
        has_several, cells = len(self.queries) > 1, self._summary()
        bounds = list(zip(cells["low"], cells["high"], strict=True)) if has_several else ()
        bounded, tested = (not np.isnan(cells[name]).all() for name in ("min", "p"))
        columns = [
            Column("method", "text", cells["method"]),
            Column("mean" if has_several else "value", "value", cells["value"], bounds=bounds),
            *(Column(heading, "value", cells[end]) for end, heading in _ENDS.items() if bounded),
            *([Column("p", "number", list(map(p_value, cells["p"])))] if tested else []),
            *([Column("queries", "count", cells["queries"])] if has_several else []),
        ]
        first, second, common = self.sizes.sum(axis=0).tolist()
        sizes = f"{first:,} and {second:,} items, {common:,} common"
        if has_several:
            first, second, common = (f"{total / len(self.queries):,.1f}" for total in (first, second, common))
            sizes = f"{counted(len(self.queries))}, on average {first} and {second} documents, {common} common"
        notes = (*self.notes, *self._least_alike(), *([_BOUNDS] if bounded else []), *_interval_note(self))
        title, below = f"{' and '.join(self.names)}: {sizes}", []
        if self.steps is not None:
            values = zip((method.name for method in self.methods), self.values[0].tolist(), strict=True)
            defined = {name: value for name, value in values if not math.isnan(value)}
            notes = (*self.steps.sentences(defined, self.names), *notes)
            below = self.steps.sheet(self.names) if RANKED in defined else []
        return [Sheet(tuple(columns), notes, _comment(self), self._defects, title), *below]

    def _least_alike(self) -> Iterator[str]:
        """Yield a note on the queries whose rankings are least alike."""
        rows = [row for row in self.lowest(len(self.queries)) if row.first and row.second]
        if len(rows) > _LOWEST and rows[0].value != rows[-1].value:
            least = ", ".join(f"{row.query} {row.value:.4f}" for row in rows[:_LOWEST])
            yield f"least alike by {self.labels[0]}: {least}"


class Correlations(Mapping[tuple[str, str], Correlation], Analysis[Literal["means", "queries"]]):
    """How alike the rankings of several runs are, by the names of every two of them.

    The tables of columns: `means` has a row for each pair of runs and method, `queries` one for each pair and query.
    """

    _SCHEMA: ClassVar = "rankworth.rankings/1"
    _TABLES: ClassVar = ("means", "queries")

    def __init__(self, pairs: Mapping[tuple[str, str], Correlation]) -> None:
        """Hold the correlation of each pair of runs."""
        self._pairs = dict(pairs)

    def __getitem__(self, pair: tuple[str, str]) -> Correlation:
        """Return the correlation of two runs."""
        return self._pairs[pair]

    def __iter__(self) -> Iterator[tuple[str, str]]:
        """Iterate over the names of every two runs."""
        return iter(self._pairs)

    def __len__(self) -> int:
        """Return how many pairs there are."""
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
        """Return a row for each pair of runs and method."""
        return [row for pair in self.values() for row in pair.summary()]

    def _columns(self, of: str) -> dict[str, list[Any]]:
        rows = self.rows()
        if of == "queries":
            of_pairs = [(dict(zip(("first", "second"), names, strict=True)), pair) for names, pair in self.items()]
            rows = [names | row for names, pair in of_pairs for row in _rows(pair.columns())]
        names = dict.fromkeys(name for row in rows for name in row)
        return {name: [row.get(name) for row in rows] for name in names}

    def to_frame(
        self,
        library: FrameLibrary = "polars",
        *,
        per_query: bool = False,
        of: Literal["means", "queries"] | None = None,
    ) -> Any:  # noqa: ANN401 - the library's own frame
        """Return a row for each pair of runs and method, or for each pair and query.

        Args:
            library: `polars`, `pandas` or `pyarrow`.
            per_query: whether rows are pairs and queries, as with `of="queries"`.
            of: `means` or `queries`; `means` by default.

        Raises:
            UsageError: `missing-library`, `unknown-setting`.

        """
        return super().to_frame(library, of="queries" if per_query else of)

    def to_dict(self) -> dict[str, Any]:
        """Return the correlations of all pairs as JSON holds them."""
        return {"schema": self._SCHEMA, "rankworth": __version__, **self._record()}

    def _record(self) -> dict[str, Any]:
        return {"pairs": [pair.to_dict() for pair in self.values()]}

    def sheets(self) -> list[Sheet]:
        """Return one table for all pairs."""
        pairs = list(self.values())
        if len(pairs) == 1:
            return pairs[0].sheets()
        columns = [Column("run", "text", [pair.names[0] for pair in pairs])]
        columns.append(Column("and", "text", [pair.names[1] for pair in pairs]))
        for index, label in enumerate(pairs[0].labels):
            means, *bounds = np.array([(pair.means, pair.low, pair.high) for pair in pairs])[:, :, index].T.tolist()
            columns.append(Column(label, "value", means, bounds=list(zip(*bounds, strict=True))))
        counts = [len(pair.queries) for pair in pairs]
        title = f"{len({name for pair in pairs for name in pair.names})} runs, each with each"
        if len(set(counts)) == 1:
            title = f"{title}, over {counted(counts[0])}"
        else:
            columns.append(Column("queries", "count", counts))
        return [Sheet(tuple(columns), self.notes, _comment(pairs[0]), title=title)]


def _notes(pairs: Sequence[Correlation]) -> Iterator[str]:
    """Yield notes on pairs: ties, reference, queries and documents of one side, undefined values."""
    first, total = pairs[0], sum(len(pair.queries) for pair in pairs)
    tied = sum(pair.tied for pair in pairs)
    where = f" in {tied:,} of {counted(total)}" if len(pairs) == 1 < total else ""
    reference = first.names[0] if len(pairs) == 1 else "the first of two runs"
    yield from method_rules(first.methods, reference, f"ties{where}" if tied else "")
    empty: Counter[str] = Counter()
    for pair in pairs:
        # [Q, 2]: whether only the other side has documents
        alone = (pair.sizes[:, :2] == 0) & (pair.sizes[:, 1::-1] > 0)
        empty.update(dict(zip(pair.names, alone.sum(axis=0).tolist(), strict=True)))
    for name, count in empty.items():
        if total > 1 and count:
            yield f"{name} has no answer {count:,} times where the other run has one: an empty ranking"
    labels = [method.label for method in first.methods if method.correlates]
    ranked, in_second, common = np.concatenate([pair.sizes for pair in pairs]).sum(axis=0).tolist()
    if labels and (alone := ranked + in_second - 2 * common):
        how = "are left out" if first.missing == "common" else "stand behind all others, tied"
        yield f"{', '.join(labels)}: over {common:,} documents that both have; {alone:,} of one alone {how}"
    undefined = np.isnan(np.concatenate([pair.values for pair in pairs])).sum(axis=0)  # [M]: in how many queries
    for count in dict.fromkeys(undefined[undefined > 0].tolist()):
        times = f" in {count:,} of {total:,}, which the mean leaves out" if total > 1 else ""
        yield f"{', '.join(np.array(first.labels)[undefined == count])}: undefined{times}"


def _comment(pair: Correlation) -> str:
    """Say in one line how the numbers came about."""
    missing = f"|missing:{pair.missing}" if any(method.correlates for method in pair.methods) else ""
    seed = f"|seed:{pair.seed}" if len(pair.queries) > 1 else ""
    return f"{' '.join(pair.labels)}{missing}|rankworth:{__version__}{seed}"


def _interval_note(pair: Correlation) -> list[str]:
    if len(pair.queries) == 1:
        return []
    return [f"{100 * pair.level:g} % intervals of the means (BCa bootstrap over queries, seed {pair.seed})"]


def _rows(columns: Mapping[str, list[Any]]) -> list[dict[str, Any]]:
    """Turn columns into rows."""
    return [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]


def _means(values: Floats) -> Floats:
    """Return `[M]`, the means of the defined values of columns `[Q, M]`; NaN where there is none."""
    return np.array([np.nan if np.isnan(column).all() else np.nanmean(column) for column in values.T])


def correlate(
    x: object,
    y: object,
    method: str | Iterable[str] = "rbo",
    *,
    p: float = 0.9,
    k: int | None = None,
    missing: Missing = "refuse",
    names: Sequence[str] | None = None,
    queries: Iterable[object] | None = None,
    columns: Mapping[str, str] | None = None,
    ids: object = None,
    level: float = 0.95,
    seed: int = 0,
) -> Correlation:
    """Measure how alike two rankings are, or the rankings of two runs for each query. No judgements are needed.

    Rankings need not hold the same documents for `rbo` (rank-biased overlap; `rbo-a`, `rbo-b` and `rbo-w` say what ties
    mean), `overlap`, `average-overlap`, `jaccard` and `rba` (rank-biased alignment): from 0, nothing in common, to 1.
    They do for coefficients of correlation, from -1 to 1: `tau-a`, `tau-b`, `tau-c` (Kendall), `gamma` (Goodman and
    Kruskal), `spearman`, `weighted-tau`, `weighted-tau-reference`, `tau-ap`, `tau-ap-a` and `tau-ap-b`, which weigh the
    first ranks more, and `pearson`, which is about scores. Documents are told apart by their ids alone, and equal
    scores are ties: to rename documents, or to rescale scores, changes nothing.

    Formulas and sources stand in `rankworth.stats.overlap` and `rankworth.stats.rank_correlation`.

    Args:
        x: a run, as for `evaluate`; or one ranking: a list of ids, best first, in which a list or a set of ids is a
            group of ties, or scores, higher first: `{id: score}`, or an array, whose items are told apart by place. A
            list of numbers holds scores for coefficients, as an array does, and ids for overlaps.
            For `tau-ap`, `tau-ap-a` and `weighted-tau-reference` this is the reference.
        y: the other run or ranking.
        method: one method or several.
        p: of `rbo` and `rba`, between 0 and 1: the chance that a reader goes on from one rank to the next.
        k: how many documents of each ranking to look at, and whatever is tied with the last of them.
        missing: for coefficients, what becomes of documents that one ranking does not have: `refuse`, `common` (they
            are left out), `last` (they stand behind all others, tied).
        names: what to call the two; the names of files by default, otherwise `x` and `y`.
        queries: the queries to look at; those of any of the two runs by default.
        columns: as for `evaluate`, of runs.
        ids: as for `evaluate`, of runs; of several rows of a document the best one counts.
        level: of the intervals of means over queries (bootstrap).
        seed: of the samples behind them.

    Returns:
        A `Correlation`, which is a number, too, where there is one method: `float(correlate(x, y))`.

    Raises:
        InputError: as `evaluate` for runs; `duplicate-document`, `bad-score`, `input-type`, `not-conjoint` where
            a coefficient meets different documents, `unknown-query`.
        UsageError: `unknown-setting`, `bad-parameter`, `bad-cutoff`, `run-names`, `tied-ranking`.

    >>> round(correlate(["a", "b", "c"], ["a", "c", "d"], "rbo", p=0.9).value, 4)
    0.685
    >>> found = correlate({"s1": 0.4, "s2": 0.3, "s3": 0.1}, {"s1": 7, "s2": 9, "s3": 1}, ["tau-b", "spearman"])
    >>> {name: round(value, 4) for name, value in found.mean().items()}
    {'tau-b': 0.3333, 'spearman': 0.5}
    >>> round(correlate([1, 2, 3, 4, 5], [2, 1, 2, 4, 5], "spearman").value, 4)
    0.8208
    """
    how = _how(missing, level, seed, methods(method, p, k))
    _, [x, y] = inputs.InputOptions({"columns": columns, "ids": ids}).read((), (x, y))
    scored = numbers_are_scores(x, y, how["methods"])
    chosen = names_of(names, ("", ""), ("", ""))
    first, second = (read(source, name, scores=scored) for source, name in zip((x, y), chosen, strict=True))
    named = names_of(names, [side.name if isinstance(side, Run) else "" for side in (first, second)], ("x", "y"))
    if isinstance(first, Run) and isinstance(second, Run):
        rows = RankedRows.of_run(first), RankedRows.of_run(second)
        refuse_unused_ids([first, second])
        return _of_runs(rows, queries, named, how)
    if isinstance(first, Run) or isinstance(second, Run):
        kinds = ["a run" if isinstance(side, Run) else "one ranking" for side in (first, second)]
        text = " and ".join(f"{name} is {kind}" for name, kind in zip(named, kinds, strict=True))
        raise InputError("input-type", text, remedy="give two runs, or two rankings")
    if queries is not None:
        raise UsageError("conflicting-options", "queries are those of runs, and these are single rankings")
    pairing = Pairing.of_lists(first.groups, second.groups)
    correlation = _correlation(pairing, (first.scores, second.scores), named, how)
    return replace(correlation, steps=steps_of(pairing, first, second, how["methods"], how["missing"]))


def correlate_runs(
    runs: Mapping[str, object] | Sequence[object],
    method: str | Iterable[str] = DEFAULT,
    *,
    p: float = 0.9,
    k: int | None = None,
    missing: Missing = "refuse",
    queries: Iterable[object] | None = None,
    columns: Mapping[str, str] | None = None,
    ids: object = None,
    level: float = 0.95,
    seed: int = 0,
) -> Correlations:
    """Measure how alike the rankings of several runs are, each with each: what `correlate` says of every two of them.

    Args:
        runs: runs by name, or files; two at least. Of two runs the earlier one is the reference, where a method has
            one.
        method: as for `correlate`.
        p: as for `correlate`.
        k: as for `correlate`.
        missing: as for `correlate`.
        queries: as for `correlate`.
        columns: as for `correlate`.
        ids: as for `correlate`.
        level: as for `correlate`.
        seed: as for `correlate`.

    Raises:
        InputError: as `correlate`.
        UsageError: as `correlate`; `conflicting-options` where there are fewer than two runs.

    >>> runs = {"a": {"q": ["d1", "d2"]}, "b": {"q": ["d2", "d1"]}, "c": {"q": ["d2", "d3"]}}
    >>> {pair: found.mean()["overlap@1"] for pair, found in correlate_runs(runs, "overlap", k=1).items()}
    {('a', 'b'): 0.0, ('a', 'c'): 0.0, ('b', 'c'): 1.0}
    """
    _, runs = inputs.InputOptions({"columns": columns, "ids": ids}).read_runs((), runs)
    named, how = inputs.runs(runs), _how(missing, level, seed, methods(method, p, k))
    if len(named) < 2:  # noqa: PLR2004 - a correlation takes two
        present = f"there is {next(iter(named))} only" if named else "there is none"
        text = f"a correlation takes two runs at least, and {present}"
        raise UsageError(
            "conflicting-options",
            text,
            remedy="give several: {name: run, ...}, on the command line rankworth correlate RUN RUN...",
        )
    rows = {name: RankedRows.of_run(run) for name, run in named.items()}
    refuse_unused_ids([*named.values()])
    pairs, query_ids = combinations(named, 2), None if queries is None else validate.ids(queries)
    return Correlations({pair: _of_runs((rows[pair[0]], rows[pair[1]]), query_ids, pair, how) for pair in pairs})


class _How(TypedDict):
    """The settings of a correlation."""

    methods: tuple[Method, ...]
    missing: Missing
    level: float
    seed: int


def _how(missing: Missing, level: float, seed: int, methods: Sequence[Method]) -> _How:
    """Check the settings of a correlation.

    Raises:
        UsageError: `unknown-setting` for a value that one of them cannot have.

    """
    check_word("missing", missing, get_args(Missing))
    check_sampling(level, seed)
    return {"methods": tuple(methods), "missing": missing, "level": level, "seed": seed}


def _of_runs(
    rows: tuple[RankedRows, RankedRows], queries: Iterable[object] | None, names: tuple[str, str], how: _How
) -> Correlation:
    """Compute the values of all methods for the rankings of two runs.

    Raises:
        InputError: `unknown-query`, `empty-input`, and as `evaluate`.

    """
    query_ids = None if queries is None else list(dict.fromkeys(validate.ids(queries)))
    all_queries = {*rows[0].queries, *rows[1].queries}
    if unknown := [query for query in query_ids or () if query not in all_queries]:
        text = f"{quoted(unknown)}: neither {names[0]} nor {names[1]} has such a query"
        raise InputError("unknown-query", text, remedy="ids are compared to the letter")
    pairing = of_rows(*rows, query_ids)
    if not len(pairing):
        raise InputError("empty-input", f"neither {names[0]} nor {names[1]} has a query")
    result = _correlation(pairing, (), names, how)
    return replace(result, queries=tuple(rows[0].kinds.back("query", result.queries)))


def _correlation(
    pairing: Pairing, scores: Sequence[Mapping[str, float] | None], names: tuple[str, str], how: _How
) -> Correlation:
    """Compute the values of all methods for rankings side by side."""
    wanted = how["methods"]
    # [Q, M] each
    values, least, most, p_values = np.stack([each.of(pairing, how["missing"], scores) for each in wanted], axis=2)
    defined = ~np.isnan(values)
    sums, counts = np.where(defined, values, 0.0).sum(axis=0), defined.sum(axis=0)  # [M] each
    low = high = np.full(len(wanted), np.nan)
    if len(pairing) > 1:
        bounds = intervals(values, level=how["level"], seed=how["seed"])
        low, high = bounds.low, bounds.high
    cut = pairing.cut(wanted[0].k)
    return Correlation(
        names=names,
        queries=pairing.queries,
        values=values,
        least=least,
        most=most,
        p_values=p_values,
        sizes=np.stack([cut.first.lengths, cut.second.lengths, cut.common], axis=1),
        means=np.divide(sums, counts, out=np.full(len(wanted), np.nan), where=counts > 0),
        low=low,
        high=high,
        tied=int(np.union1d(*(side.query[side.bottom != side.top] for side in (cut.first, cut.second))).size),
        **how,
    )
