"""Whether two measures, or two judges, put systems into the same order."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, ClassVar, Final, Literal, Unpack

from rankworth.comparison import Comparison
from rankworth.comparison.differences import LEVEL
from rankworth.correlation.judges import Agreement, agreement, judge_names, resamples_for
from rankworth.correlation.methods import METHODS, Method, method_rules, methods
from rankworth.correlation.orders import (
    TEST,
    CompareOptions,
    Correlated,
    Estimate,
    Swap,
    SystemMeans,
    compare_all,
    correlated,
    means_of,
    plan_record,
    significance_note,
    warnings_of,
    with_means,
    with_p,
)
from rankworth.correlation.power import DiscriminativePower
from rankworth.errors import InputError, UsageError, counted, quoted
from rankworth.io.paths import is_path
from rankworth.io.validate import ids
from rankworth.measures import Measure
from rankworth.model import Qrels
from rankworth.names import several
from rankworth.profiles import DEFAULT as STANDARD
from rankworth.profiles import combined, profile_of
from rankworth.results.file import Result
from rankworth.results.loading import is_results
from rankworth.results.values import Values
from rankworth.scoring import inputs
from rankworth.stats.rank_correlation import COEFFICIENTS
from rankworth.tables.analysis import Analysis, estimated
from rankworth.tables.columns import Column, Sheet, by_name
from rankworth.tables.look import p_value, signed

METHOD: Final = ("tau-b", "tau-ap-b", "spearman")
"""the coefficients by default"""
_UNDEFINED: Final = ("no-common-pairs", "input-type", "many-grades")
"""why judges have no agreement, although systems can be measured"""
_SHOWN: Final = 15
"""how many swaps are shown"""
_COUNTS: Final = ("concordant", "swapped", "tied", "significant", "contradictions")


@dataclass(frozen=True, repr=False, eq=False)
class SystemCorrelation(Analysis[Literal["rows", "swaps", "means"]]):
    """How alike measures, or two judges, order the same systems.

    The tables of columns: `rows` has a row for each coefficient of each pair of measures (of each measure, for judges);
    `swaps` one for each pair of systems that change places; `means` one for each system by each measure (and judge).

    Attributes:
        rows: one for each pair of measures, or for each measure under two sets of judgements.
        orders: of the systems, by a measure, or by a measure under one set of judgements; with all means.
        methods: the coefficients.
        comparisons: each pair of systems tested: one comparison, or one for each judge.
        judges: the names of two sets of judgements; empty where measures are correlated.
        queries: the ids of the queries, over which all means are taken.
        level: of intervals and tests.
        resamples: how many samples of queries the intervals are from.
        seed: of these.
        agreement: how far two judges agree; None where that is not defined, and for measures.
        notes: what must be said about it.
        warnings: what deserves a second look, with its slug.

    """

    _SCHEMA: ClassVar = "rankworth.correlation/1"
    _TABLES: ClassVar = ("rows", "swaps", "means")
    _RECORD: ClassVar = ("judges", "systems", "measures", "signatures", "resamples", "means")
    rows: tuple[Correlated, ...]
    orders: tuple[SystemMeans, ...]
    methods: tuple[Method, ...]
    comparisons: tuple[Comparison, ...]
    judges: tuple[str, ...]
    queries: tuple[str, ...]
    level: float
    resamples: int
    seed: int
    agreement: Agreement | None = None
    notes: tuple[str, ...] = ()
    warnings: tuple[tuple[str, str], ...] = ()

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems."""
        return self.orders[0].systems

    @property
    def measures(self) -> tuple[str, ...]:
        """What tables call the measures."""
        return tuple(dict.fromkeys(order.measure for order in self.orders))

    @property
    def means(self) -> dict[str, dict[str, float]]:
        """`{order: {system: mean}}`; an order is a measure, or `measure (judge)`."""
        return {order.title: dict(zip(order.systems, order.means.tolist(), strict=True)) for order in self.orders}

    @cached_property
    def powers(self) -> tuple[DiscriminativePower, ...]:
        """How often measures tell two systems apart; nothing where there are two judges."""
        return () if self.judges else tuple(map(DiscriminativePower.of, self.comparisons))

    @property
    def swaps(self) -> tuple[Swap, ...]:
        """The pairs of systems that change places, of the only row.

        Raises:
            UsageError: `not-measured` where there are several rows.

        """
        return self.of().swaps

    def of(self, x: str = "", y: str = "") -> Correlated:
        """Return one row.

        Args:
            x: a measure: the only one that judges are looked at by, or the first one of two.
            y: the second one of two measures.

        Raises:
            UsageError: `not-measured`; also where nothing is said and there are several rows.

        """
        if not x and len(self.rows) == 1:
            return self.rows[0]
        wanted = tuple(self.comparisons[0].scores.label(name) for name in (x, y) if name)
        for row in self.rows:
            if wanted == tuple(getattr(row, name) for name in self._named):
                return row
        present = quoted([row.called for row in self.rows])
        raise UsageError("not-measured", f"there is no row of {' and '.join(wanted) or 'nothing'}; there are {present}")

    @property
    def _named(self) -> tuple[str, ...]:
        """The fields that tell a row from others."""
        return ("measure",) if self.judges else ("x", "y")

    def orders_of(self, row: Correlated) -> tuple[SystemMeans, SystemMeans]:
        """Return the orders that a row is about, x and y."""
        x, y = ((row.measure, name) if self.judges else (name, "") for name in (row.x, row.y))
        orders = {(order.measure, order.judge): order for order in self.orders}
        return orders[x], orders[y]

    def coefficients(self) -> dict[str, dict[str, Estimate]]:
        """Return `{row: {method: ...}}`; a row is a measure, or `x and y`."""
        return {row.called: dict(row.coefficients) for row in self.rows}

    @property
    def signatures(self) -> dict[str, str]:
        """How the values of each order came about."""
        return {order.title: order.signature for order in self.orders}

    def _columns(self, of: str) -> dict[str, list[Any]]:
        if of == "means":
            names: tuple[str, ...] = ("system", "measure", "judge", "mean", "rank")
            rows: list[tuple[Any, ...]] = []
            for order in self.orders:
                ranked = zip(order.systems, order.means.tolist(), order.ranks, strict=True)
                rows += [(system, order.measure, order.judge, mean, rank) for system, mean, rank in ranked]
        elif of == "rows":
            names = ("measure", "x", "y", "method", *Estimate._fields, "systems", *_COUNTS)
            rows = []
            for row in self.rows:
                head, counts = (
                    (row.measure, row.x, row.y),
                    (len(self.systems), *(getattr(row, name) for name in _COUNTS)),
                )
                rows += [(*head, name, *estimate, *counts) for name, estimate in row.coefficients.items()]
        else:
            names = ("measure", "x", "y", *Swap._fields)
            rows = [(row.measure, row.x, row.y, *swap) for row in self.rows for swap in row.swaps]
        columns = by_name(names, rows)
        if not self.judges:
            del columns["judge" if of == "means" else "measure"]
        return columns

    def _record(self) -> dict[str, Any]:
        fields = dict.fromkeys((*self._named, "x", "y", "coefficients", *_COUNTS, "swaps"))
        rows = [{name: getattr(row, name) for name in fields} | {"systems": len(self.systems)} for row in self.rows]
        return {
            **super()._record(),
            **plan_record(self.comparisons[0]),
            "of": "judges" if self.judges else "measures",
            "methods": [method.name for method in self.methods],
            "rows": rows,
            "discriminative_power": [row for power in self.powers for row in power.measures],
            "agreement": None if self.agreement is None else self.agreement.to_dict(),
        }

    def sheets(self) -> list[Sheet]:
        """Return coefficients, significant swaps and discriminative power; for two judges also means and agreement."""
        swaps = [(row, swap) for row in self.rows for swap in row.swaps if swap.significant != "none"]
        return [
            self._coefficients_sheet(),
            *([self._swaps_sheet(swaps)] if swaps else []),
            *([self._means_sheet()] if self.judges else []),
            *(self.agreement.sheets() if self.agreement else []),
            *(power.table() for power in self.powers),
        ]

    def _name_columns(self, rows: Sequence[Correlated]) -> list[Column]:
        """Return the columns that name the subject of a row."""
        return [Column(name, "text", [getattr(row, name) for row in rows]) for name in self._named]

    def _coefficients_sheet(self) -> Sheet:
        """Return a row for each pair of measures, or for each measure of two judges."""
        rows, columns = self.rows, self._name_columns(self.rows)
        tested_by = with_p(rows, self.methods)[:1]
        for method in self.methods:
            estimates = [row.coefficients[method.name] for row in rows]
            columns.append(estimated(method.label, "value", estimates))
            if method in tested_by:
                columns.append(Column("p", "number", [p_value(estimate.p) for estimate in estimates]))
        titles = {"swapped": "swapped", "tied": "tied", "significant": "significant", "contradictions": "both ways"}
        for name, title in titles.items():
            cells = [getattr(row, name) for row in rows]
            columns += [Column(title, "count", cells)] if title != "tied" or any(cells) else []
        title = f"{len(self.systems):,} systems over {counted(len(self.queries))}"
        if self.judges:
            title = f"{self.judges[0]} (x) and {self.judges[1]} (y): {title}"
        chance = "".join(f"; p: that of {method.label}, for systems in random order" for method in tested_by)
        drawn = f"percentile bootstrap over queries, {self.resamples:,} resamples, seed {self.seed}"
        pairs = len(self.systems) * (len(self.systems) - 1) // 2
        notes = (
            *self.notes,
            *method_rules(self.methods, self.judges[0] if self.judges else "x"),
            f"{100 * self.level:g} % intervals ({drawn}), of these very systems{chance}",
            f"swapped: of {pairs:,} pairs of systems, those in opposite orders; both ways: significant by x and by y",
            significance_note(self.comparisons[0]),
        )
        signatures = combined(order.signature for order in self.orders)
        comment = f"{' '.join(method.label for method in self.methods)}|{signatures}|seed:{self.seed}"
        return Sheet(tuple(columns), notes, comment, self._defects, title)

    def _swaps_sheet(self, significant: Sequence[tuple[Correlated, Swap]]) -> Sheet:
        """Return the swaps of which one order at least is significant."""
        rows, swaps = zip(*sorted(significant, key=lambda pair: pair[1].significant != "both")[:_SHOWN], strict=True)
        x, y = (self.rows[0].x, self.rows[0].y) if self.judges or len(self.rows) == 1 else ("x", "y")
        ways = {(True, True): "both ways", (True, False): f"by {x}", (False, True): f"by {y}"}
        alpha = 1 - self.level
        columns = (
            *(self._name_columns(rows) if len(self.rows) > 1 else ()),
            Column(f"better by {x}", "text", [swap.first for swap in swaps]),
            Column(f"better by {y}", "text", [swap.second for swap in swaps]),
            Column(x, "number", [signed(swap.x_difference) for swap in swaps]),
            Column(f"p {x}", "number", [p_value(swap.x_p) for swap in swaps]),
            Column(y, "number", [signed(swap.y_difference) for swap in swaps]),
            Column(f"p {y}", "number", [p_value(swap.y_p) for swap in swaps]),
            Column("significant", "text", [ways[swap.x_p < alpha, swap.y_p < alpha] for swap in swaps]),
        )
        more, rest = len(significant) - len(swaps), sum(row.swapped for row in self.rows) - len(significant)
        notes = {
            f"{x}, {y}: the mean of the second system less that of the first": True,
            f"{more:,} more swaps are significant: to_frame(of='swaps')": more,
            f"{counted(rest, 'other swap', 'other swaps')}: neither order is significant": rest,
        }
        title = "pairs of systems that change places, where an order is significant"
        return Sheet(columns, tuple(note for note, is_due in notes.items() if is_due), title=title)

    def _means_sheet(self) -> Sheet:
        """Return each system's mean under both judges, in the order of the first one."""
        half, (first, second) = len(self.orders) // 2, self.judges
        pairs = zip(self.orders[:half], self.orders[half:], strict=True)
        rows = [(x, y, at) for x, y in pairs for at in x.order.order[0].tolist()]
        columns = (
            Column("measure", "text", [x.measure for x, _, _ in rows]),
            Column("system", "text", [x.systems[at] for x, _, at in rows]),
            Column(first, "value", [float(x.means[at]) for x, _, at in rows]),
            Column(second, "value", [float(y.means[at]) for _, y, at in rows]),
            Column("difference", "number", [signed(float(y.means[at] - x.means[at])) for x, y, at in rows]),
            Column(f"rank {first}", "count", [x.ranks[at] for x, _, at in rows]),
            Column(f"rank {second}", "count", [y.ranks[at] for _, y, at in rows]),
        )
        title = f"means by {self.measures[0]}" if half == 1 else "means"
        return Sheet(columns[half == 1 :], (f"difference: {second} - {first}",), title=title)


def correlate_measures(
    qrels: object = None,
    runs: Mapping[str, object] | Sequence[object] = (),
    measures: Iterable[str | Measure] | None = None,
    *,
    method: str | Iterable[str] = METHOD,
    test: str = TEST,
    level: float = LEVEL,
    resamples: int | None = None,
    seed: int = 0,
    **options: Unpack[CompareOptions],
) -> SystemCorrelation:
    """Measure whether measures agree on the order of systems.

    Systems are put into an order by their means, better ones first whichever end of a measure's scale is better; means
    that rounding alone tells apart are tied. Each two measures are correlated, the one that was named first as x, which
    is the reference of coefficients that have one (`tau-ap`, `tau-ap-a`, `weighted-tau-reference`).

    Intervals are percentiles of the coefficient over samples of the queries with replacement; all measures have the
    same samples. They say what other queries would have done to this coefficient of these very systems, not what other
    systems would have. Sampled means vary more than those seen, so that intervals lean towards 0, and that of a
    perfect correlation ends at 1. P values are about systems: how probable a coefficient as far from 0 is where the
    order of as many systems is random.

    Pairs of systems that change places are listed, with the p values of a test of either difference, as
    `rankworth.compare` of all pairs gives them.

    Args:
        qrels: judgements, as for `compare`; needless where all values were stored.
        runs: systems, as for `compare`.
        measures: two or more, as for `evaluate`; where not said, as for `compare`.
        method: coefficients, names of `rankworth.stats.rank_correlation.COEFFICIENTS`.
        test: of differences of systems, as for `compare`.
        level: of intervals and tests.
        resamples: how many samples of queries, and random shuffles (or sign flips, or samples) of the test; where not
            said, 9,999 samples, and 999 where there are more than 1,000 queries; 10,000 shuffles, and as many sign
            flips as in `compare`.
        seed: of these.
        **options: as for `compare` and `evaluate`: `correction` of p values, `table`, `weights` (not with the default
            test), `macro`, `queries`, `rel`, `profile`, `accept_new_qrels`, `progress`, and conventions.

    Returns:
        A `SystemCorrelation`.

    Raises:
        InputError, MeasureError: as `compare`.
        UsageError: as `compare`; `unknown-setting`; `conflicting-options` where there are fewer than two systems or
            measures; `tied-ranking` where a coefficient is not defined for systems of equal means.

    Sources: on orders of systems and their swaps, Voorhees (2000), Variations in relevance judgments and the
    measurement of retrieval effectiveness, https://doi.org/10.1016/S0306-4573(00)00010-8; on tests of all pairs,
    Carterette (2012), https://doi.org/10.1145/2094072.2094076

    >>> qrels = {"q1": {"a": 2, "b": 1}, "q2": {"a": 2, "b": 1}}
    >>> runs = {
    ...     "old": {"q1": ["x", "b", "a"], "q2": ["x", "b", "a"]},
    ...     "new": {"q1": ["b", "x", "y"], "q2": ["b", "x", "y"]},
    ...     "all": {"q1": ["a", "b"], "q2": ["a", "b"]},
    ... }
    >>> found = correlate_measures(qrels, runs, ["RR", "R@10"], method="tau-b")
    >>> round(found.of("RR", "R@10").value, 4)  # RR 0.5, 1, 1 and recall 1, 0.5, 1: (0 - 1) / sqrt(2 * 2)
    -0.5
    >>> [(swap.first, swap.second) for swap in found.swaps]
    [('new', 'old')]
    """
    named = None if measures is None else dict.fromkeys(several(measures))
    coefficients = _coefficients(method)
    compared = compare_all(qrels, runs, named, test=test, level=level, resamples=resamples, seed=seed, **options)
    orders = means_of(compared)
    if len(orders) < 2:  # noqa: PLR2004 - a correlation takes two
        text = f"measures are held against each other, and there is {orders[0].measure} only"
        raise UsageError("conflicting-options", text, remedy="name two or more: measures=['nDCG@10', 'AP']")
    pairs = list(combinations(range(len(orders)), 2))
    return _correlation(orders, pairs, [compared], coefficients, resamples)


def _coefficients(method: str | Iterable[str]) -> tuple[Method, ...]:
    """Look up coefficients by their names.

    Raises:
        UsageError: `unknown-setting`.

    """
    coefficients = tuple(methods(method, 0.9, None))
    if wrong := [each.name for each in coefficients if not each.correlates]:
        text = f"method={wrong[0]!r} is about documents; systems are correlated by {quoted(COEFFICIENTS, len(METHODS))}"
        raise UsageError("unknown-setting", text)
    return coefficients


def correlate_judges(
    qrels_a: object,
    qrels_b: object,
    runs: Mapping[str, object] | Sequence[object],
    measures: Iterable[str | Measure] = ("nDCG@10",),
    *,
    names: Sequence[str] | None = None,
    method: str | Iterable[str] = METHOD,
    test: str = TEST,
    level: float = LEVEL,
    resamples: int | None = None,
    seed: int = 0,
    by: object = None,
    **options: Unpack[CompareOptions],
) -> SystemCorrelation:
    """Measure whether two sets of judgements put systems into the same order.

    Each measure is taken of all systems under both, over the queries that both have judgements for; otherwise as
    `correlate_measures`. The first judge is x, the reference of coefficients that have one. Samples of queries are the
    same under both. The result holds how far the judges agree on documents, too, and each system's mean under both.

    Args:
        qrels_a: judgements, as for `evaluate`; of the first judge, say people.
        qrels_b: the same of the second one, say a model.
        runs: systems, as for `compare`, but stored values, which come from one set of judgements.
        measures: as for `evaluate`.
        names: what to call the judges; the names of files where not said, otherwise `first` and `second`.
        method: as for `correlate_measures`.
        test: as for `correlate_measures`.
        level: as for `correlate_measures`.
        resamples: as for `correlate_measures`.
        seed: as for `correlate_measures`.
        by: the column by whose groups there is the agreement on documents, too.
        **options: as for `compare` and `evaluate`: `correction` of p values, `table`, `weights` (not with the default
            test), `macro`, `queries`, `rel`, `profile`, `accept_new_qrels`, `progress`, and conventions.

    Returns:
        A `SystemCorrelation`.

    Raises:
        InputError, MeasureError: as `compare`; `no-common-queries` where no query is judged by both.
        UsageError: as `correlate_measures`; `run-names`; `conflicting-options` for stored values.

    Source: Voorhees (2000), Variations in relevance judgments and the measurement of retrieval effectiveness,
    https://doi.org/10.1016/S0306-4573(00)00010-8

    >>> human = {"q1": {"a": 1, "b": 0}, "q2": {"a": 1, "b": 0}}
    >>> model = {"q1": {"a": 0, "b": 1}, "q2": {"a": 0, "b": 1}}
    >>> runs = {"new": {"q1": ["a"], "q2": ["a"]}, "old": {"q1": ["b"], "q2": ["b"]}}
    >>> found = correlate_judges(human, model, runs, ["RR"], names=("human", "model"))
    >>> found.of("RR").value, found.means["RR (human)"], found.agreement.equal.value
    (-1.0, {'new': 1.0, 'old': 0.0}, 0.0)
    """
    coefficients, judges = _coefficients(method), judge_names(names, (qrels_a, qrels_b))
    if is_path(runs) or not isinstance(runs, Iterable):
        text = f"{type(runs).__name__} is no collection of systems"
        raise InputError("input-type", text, remedy="systems are a dict {name: run, ...} or a list of files")
    both, runs, how = _read(qrels_a, qrels_b, runs, options)
    common, notes = _common(both, judges, how.pop("queries", None))
    table, named = how.pop("table", None), list(dict.fromkeys(several(measures)))
    how |= {"level": level, "resamples": resamples, "seed": seed}
    of_systems = how | {"test": test}
    if how.get("weights") is not None or how.get("macro") is not None:
        of_systems["table"] = table
    compared = [compare_all(qrels, runs, named, queries=common, **of_systems) for qrels in both]
    if compared[0].scores.queries != compared[1].scores.queries:  # a profile may leave out queries for what is judged
        common = [query for query in compared[0].scores.queries if query in compared[1].scores.queries]
        if not common:
            raise InputError("no-common-queries", f"no query has a value under both {judges[0]} and {judges[1]}")
        compared = [compare_all(qrels, runs, named, queries=common, **of_systems) for qrels in both]
    orders = [order for each, judge in zip(compared, judges, strict=True) for order in means_of(each, judge)]
    agreed: Agreement | None = None
    about: dict[str, Any] = {"queries": compared[0].scores.queries, "by": by, "table": None if by is None else table}
    how = {name: how.get(name) for name in ("rel", "level", "resamples", "seed")}
    try:
        agreed = agreement(both[0], both[1], names=judges, **about, **how)
    except InputError as error:
        if error.slug not in _UNDEFINED:
            raise
        notes.append(f"agreement of the judges is not defined: {error.problems[0]}")
    half = len(orders) // 2
    pairs = list(zip(range(half), range(half, 2 * half), strict=True))
    return _correlation(orders, pairs, compared, coefficients, resamples, judges, agreed, notes)


def _read(
    qrels_a: object, qrels_b: object, runs: Mapping[str, object] | Iterable[object], options: Mapping[str, Any]
) -> tuple[list[Qrels], Mapping[str, object] | list[object], dict[str, Any]]:
    """Read the judgements of both and the runs; return the options that are not about reading, too.

    Raises:
        InputError: as `evaluate`.
        UsageError: `conflicting-options` for stored values, which come from one set of judgements.

    """
    sources = list(runs.values()) if isinstance(runs, Mapping) else list(runs)
    parts = [part for source in sources for part in (source if isinstance(source, list | tuple) else [source])]
    if any(isinstance(part, Values | Result) or (is_path(part) and is_results(part)) for part in parts):
        text = "stored values come from one set of judgements, and systems are to be measured under two"
        raise UsageError("conflicting-options", text, remedy="give the runs themselves")
    policy: Any = options.get("duplicate_judgements")
    policy = policy or profile_of(options.get("profile", STANDARD)).judging.duplicate_judgements
    how = dict(options)
    pair, systems = inputs.InputOptions(how).read((qrels_a, qrels_b), sources)
    both = [qrels if isinstance(qrels, Qrels) else Qrels(qrels, duplicate_judgements=policy) for qrels in pair]
    return both, dict(zip(runs, systems, strict=True)) if isinstance(runs, Mapping) else systems, how


def _common(
    both: Sequence[Qrels], names: tuple[str, str], queries: Iterable[object] | None
) -> tuple[list[str], list[str]]:
    """Return the queries that both have judgements for, and a note on the others.

    Raises:
        InputError: `no-common-queries`.

    """
    first, second = (list(qrels.queries) for qrels in both)
    judged_by_both = set(first).intersection(second)
    common = [query for query in (first if queries is None else dict.fromkeys(ids(queries))) if query in judged_by_both]
    if not common:
        text = f"no query is judged by both: {names[0]} has {quoted(first)}, {names[1]} {quoted(second)}"
        raise InputError("no-common-queries", text)
    each = f"{names[0]} {len(first):,}, {names[1]} {len(second):,}"
    note = f"over the {counted(len(common))} that both have judgements for; there are {each}"
    return common, [note] if len(common) < max(len(first), len(second)) else []


def _correlation(
    orders: Sequence[SystemMeans],
    pairs: Sequence[tuple[int, int]],
    comparisons: Sequence[Comparison],
    coefficients: Sequence[Method],
    resamples: int | None,
    judges: tuple[str, ...] = (),
    agreed: Agreement | None = None,
    notes: Sequence[str] = (),
) -> SystemCorrelation:
    """Correlate pairs of orders, which come from the comparisons."""
    with_mean, missing = with_means(orders)
    plan, queries = comparisons[0].plan, comparisons[0].scores.queries
    count = resamples_for(len(queries)) if resamples is None else resamples
    rows, more = correlated(with_mean, pairs, coefficients, level=plan.level, resamples=count, seed=plan.seed)
    together = [*notes, *(note for compared in comparisons for note in compared.notes), *missing, *more]
    return SystemCorrelation(
        rows=tuple(rows),
        orders=tuple(with_mean),
        methods=tuple(coefficients),
        comparisons=tuple(comparisons),
        judges=judges,
        queries=queries,
        level=plan.level,
        resamples=count,
        seed=plan.seed,
        agreement=agreed,
        notes=tuple(dict.fromkeys(together)),
        warnings=tuple(warnings_of(rows, len(with_mean[0].systems), coefficients, comparisons, judges)),
    )
