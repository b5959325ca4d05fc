"""The numbers behind each plot as tidy frames, under the name of the plot: draw them with whatever library you like."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import compress, product
from operator import attrgetter
from os import PathLike
from typing import Any, Final

import numpy as np

from rankworth.comparison import Comparison
from rankworth.correlation import SystemCorrelation
from rankworth.errors import InputError, MeasureError
from rankworth.evaluation import evaluate_runs
from rankworth.explanation import Difference, Explanation, Variation
from rankworth.judging.item_data import History, ranked_rows
from rankworth.measures import Fact, Measure
from rankworth.measures.core import Better
from rankworth.model import Run
from rankworth.names import parse
from rankworth.pipelines import Silence, Trace
from rankworth.pipelines.tracing import STATES
from rankworth.results.values import RunValues, Values
from rankworth.scoring import inputs
from rankworth.tables.columns import by_name
from rankworth.tables.frames import FrameLibrary, to_library

CUTOFFS: Final = (1, 2, 3, 5, 10, 20, 50, 100)
"""where `at_k` measures if nobody says"""
LENGTH: Final = "NumRet"
"""what says where a run ends"""
RECALLS: Final = tuple(place / 10 for place in range(11))
"""the standard points of recall"""
_EQUAL: Final = 12
"""to how many decimals values are alike: what is left are the last bits of sums"""


Row = Mapping[str, Any]
"""a row of a frame, by column"""
Scored = Values | Mapping[str, Values] | Mapping[str, Mapping[str, float | None]]
"""What `scores` shows: one run, several runs, or scenarios."""


def scores(values: Scored, *, interval: bool = True, library: FrameLibrary = "polars") -> Any:  # noqa: ANN401 - the library's own frame
    """Return what runs or scenarios are worth: `run` (or `scenario`), `measure`, `value`; `low` and `high` of runs.

    Args:
        values: as for `rankworth.plots.scores`.
        interval: whether runs have confidence intervals.
        library: polars, pandas or pyarrow.

    Raises:
        InputError: `input-type`.
        UsageError: `missing-library`, `unknown-setting`.

    >>> scores({"late": {"RR": 0.2}, "early": {"RR": 1.0}}).rows()
    [('late', 'RR', 0.2), ('early', 'RR', 1.0)]
    """
    table: Mapping[str, Any] = {values.run: values} if isinstance(values, Values) else values
    if not isinstance(table, Mapping) or not all(isinstance(each, Values | Mapping) for each in table.values()):
        text = f"scores are shown of values, values of runs, and scenarios, not of {type(values).__name__}"
        raise InputError("input-type", text, remedy="give what rankworth.evaluate or rankworth.scenarios returns")
    runs = {name: each for name, each in table.items() if isinstance(each, Values)}
    if not runs and not isinstance(values, RunValues):
        named = ((name, *pair) for name, each in table.items() for pair in each.items())
        cells = [(name, measure, None if value is None else float(value)) for name, measure, value in named]
        return to_library(by_name(("scenario", "measure", "value"), cells), library)
    rows = []
    for name, result in runs.items():
        bounds = result.interval() if interval else {}
        for measure, value in result.mean().items():
            low, high = bounds[measure][:2] if interval else (None, None)
            rows.append((name, measure, value, low, high))
    return to_library(by_name(("run", "measure", "value", "low", "high"), rows), library)


def differences(comparison: Comparison, *, library: FrameLibrary = "polars") -> Any:  # noqa: ANN401 - the library's own frame
    """Return how systems differ: `run` (the second one), `against`, `measure`, `value`, `low`, `high` and `verdict`.

    Where there are margins, `equivalence_low` and `equivalence_high` are the ends of the intervals that decide whether
    systems are equivalent.

    Args:
        comparison: what `rankworth.compare` returns.
        library: polars, pandas or pyarrow.

    Raises:
        UsageError: `missing-library`, `unknown-setting`.

    """
    require(comparison, Comparison, "rankworth.compare")
    inner = ("equivalence_low", "equivalence_high") if comparison.plan.margins else ()
    names = ("run", "against", "measure", "value", "low", "high", "verdict", *inner)
    cells = attrgetter("second", "first", "measure", "difference", "low", "high", "word", *inner)
    return to_library(by_name(names, map(cells, comparison.differences)), library)


def query_differences(
    comparison: Comparison, measure: str, system: str = "", other: str = "", *, library: FrameLibrary = "polars"
) -> Any:  # noqa: ANN401 - the library's own frame
    """Return the queries of two systems, the greatest gain first: `query`, `first`, `second`, `difference`, `gain`.

    The gain is the difference with the sign by which the measure is better. Queries without a value by both systems are
    left out.

    Args:
        comparison: what `rankworth.compare` returns.
        measure: by which of its measures.
        system: the system; the last one where not said.
        other: the one that is taken from it; the baseline, or the first one, where not said.
        library: polars, pandas or pyarrow.

    Raises:
        UsageError: `missing-library`, `unknown-setting`; `not-measured`, also for a measure of whole runs.

    >>> import rankworth as rw
    >>> runs = {"old": {"q1": ["b", "a"], "q2": ["a"]}, "new": {"q1": ["a"], "q2": ["a"]}}
    >>> compared = rw.compare({"q1": {"a": 1}, "q2": {"a": 1}}, runs, ["RR"])
    >>> query_differences(compared, "RR").rows()
    [('q1', 0.5, 1.0, 0.5, 0.5), ('q2', 1.0, 1.0, 0.0, 0.0)]
    """
    require(comparison, Comparison, "rankworth.compare")
    name = _of_queries(comparison, measure)
    sign = -1.0 if comparison.scores.better[name] == "lower" else 1.0
    frame = comparison.queries(name, system, other).to_frame()
    gains = sign * frame["difference"]
    return to_library(frame.with_columns(gain=gains)[gains.arg_sort(descending=True)].to_dict(), library)


query_scatter = query_differences


def heat_map(comparison: Comparison, measure: str, *, library: FrameLibrary = "polars") -> Any:  # noqa: ANN401 - the library's own frame
    """Return the value of each query by each system, queries in the order of their mean: `query`, `run`, `value`.

    Args:
        comparison: what `rankworth.compare` returns.
        measure: by which of its measures.
        library: polars, pandas or pyarrow.

    Raises:
        UsageError: `missing-library`, `unknown-setting`; `not-measured`, also for a measure of whole runs.

    """
    require(comparison, Comparison, "rankworth.compare")
    scores, name = comparison.scores, _of_queries(comparison, measure)
    values = scores.values[:, scores.measures.index(name)]  # [S, Q]
    means = [
        sum(defined) / len(defined) if (defined := column[~np.isnan(column)]).size else -math.inf for column in values.T
    ]
    order = sorted(range(len(means)), key=lambda query: -means[query])
    ids = comparison.query_ids
    cells = [
        (ids[query], system, float(values[row, query])) for query in order for row, system in enumerate(scores.systems)
    ]
    return to_library(by_name(("query", "run", "value"), cells), library)


def require(result: object, kind: Any, function: str) -> None:  # noqa: ANN401 - a class, or several
    """Refuse what a plot does not show.

    Args:
        result: what is to be shown.
        kind: what the plot shows.
        function: which function returns it.

    Raises:
        InputError: `input-type`.

    """
    if not isinstance(result, kind):
        text = f"this plot shows what {function} returns, and not {type(result).__name__}"
        raise InputError("input-type", text, remedy=f"give it the result of {function}(...)")


def _of_queries(comparison: Comparison, measure: str) -> str:
    """Return the column name of a measure with values of queries.

    Raises:
        UsageError: `not-measured`; `conflicting-options` for a measure of all queries together.

    """
    name = comparison.scores.label(measure)
    comparison.scores.require_queries(name, "no query has a value", "show its mean instead")
    return name


def vary(variation: Variation, *, library: FrameLibrary = "polars") -> Any:  # noqa: ANN401 - the library's own frame
    """Return what a change does, in the columns of `rankworth.vary`: `measure`, what is varied, `value`, `change`.

    Args:
        variation: what `rankworth.vary` returns.
        library: polars, pandas or pyarrow.

    Raises:
        UsageError: `missing-library`, `unknown-setting`.

    >>> from rankworth import vary as varied
    >>> vary(varied(measures="RR", by="position", n=4)).select("position", "value").rows()
    [(1, 1.0), (2, 0.5), (3, 0.3333333333333333), (4, 0.25)]
    """
    require(variation, Variation, "rankworth.vary")
    return variation.to_frame(library)


def contributions(explanation: Explanation | Difference, *, library: FrameLibrary = "polars") -> Any:  # noqa: ANN401 - the library's own frame
    """Return what each rank adds: `ranking` (`run` or `ideal`), `rank`, `document`, `grade`, `contribution`, `running`.

    For a difference, return what each document adds to it, in the columns that its `to_frame` has.

    Args:
        explanation: what `rankworth.explain` returns.
        library: polars, pandas or pyarrow.

    Raises:
        UsageError: `missing-library`, `unknown-setting`.

    >>> from rankworth import explain
    >>> contributions(explain(grades=[0, 1], measure="nDCG@2")).select("ranking", "rank", "grade").rows()
    [('run', 1, 0.0), ('run', 2, 1.0), ('ideal', 1, 1.0), ('ideal', 2, 0.0)]
    """
    require(explanation, Explanation | Difference, "rankworth.explain")
    if isinstance(explanation, Difference):
        return explanation.to_frame(library)
    names = ("ranking", "rank", "document", "grade", "contribution", "running")
    steps = [*product(["run"], explanation.terms), *product(["ideal"], explanation.ideal)]
    rows = [(of, step.rank, step.document, _grade(step.grade), step.contribution, step.running) for of, step in steps]
    return to_library(by_name(names, rows), library)


def at_k(  # noqa: D417 - settings are those of evaluate_runs
    qrels: object,
    runs: object,
    measure: str | Measure,
    *,
    cutoffs: Iterable[int] | None = None,
    library: FrameLibrary = "polars",
    **settings: Any,  # noqa: ANN401 - as for evaluate_runs
) -> Any:  # noqa: ANN401 - the library's own frame
    """Evaluate a measure at several cutoffs: `run`, `measure`, `cutoff`, `value`.

    Args:
        qrels: as for `rankworth.evaluate`.
        runs: as for `rankworth.plots.at_k`.
        measure: a name or a measure; a cutoff of its own is not looked at.
        cutoffs: the cutoffs; where None the usual ones, of each run those that it reaches.
        library: polars, pandas or pyarrow.

    Raises:
        InputError, MeasureError, UsageError: as `rankworth.evaluate_runs`.

    >>> at_k({"q": {"a": 1, "b": 1}}, {"new": {"q": ["a", "c", "b"]}}, "P", cutoffs=[1, 2]).rows()
    [('new', 'P@1', 1, 1.0), ('new', 'P@2', 2, 0.5)]
    """
    depths = sorted(set(CUTOFFS if cutoffs is None else cutoffs))
    measures: list[Any] = [cut(measure, depth) for depth in depths]
    values = evaluate_runs(qrels, named(runs), [*measures, LENGTH], **settings)
    rows = []
    for name, each in values.items():
        end = math.inf if cutoffs is not None else max(depths[0], last_rank(each))
        means = zip(depths, each.mean().items(), strict=False)
        rows += [(name, measured, depth, value) for depth, (measured, value) in means if depth <= end]
    return to_library(by_name(("run", "measure", "cutoff", "value"), rows), library)


def last_rank(values: Values) -> int:
    """Return the last rank of the longest ranking of a run, the end of its curve by cutoff.

    Args:
        values: of the run, `NumRet` among them.

    """
    lengths = values.per_query.array[:, values.per_query.measures.index(LENGTH)]
    return int(np.nan_to_num(lengths).max(initial=0))  # NaN of a query without results, where settings say so


def precision_recall(  # noqa: D417 - settings are those of evaluate_runs
    qrels: object,
    runs: object,
    *,
    library: FrameLibrary = "polars",
    **settings: Any,  # noqa: ANN401 - as for evaluate_runs
) -> Any:  # noqa: ANN401 - the library's own frame
    """Interpolate precision at the standard points of recall: `run`, `recall`, `precision`.

    Args:
        qrels: as for `rankworth.evaluate`.
        runs: as for `rankworth.plots.at_k`.
        library: polars, pandas or pyarrow.

    Raises:
        InputError, MeasureError, UsageError: as `rankworth.evaluate_runs`.

    >>> precision_recall({"q": {"a": 1, "b": 1}}, {"new": {"q": ["a", "c", "b"]}})["precision"].round(4).to_list()
    [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.6667, 0.6667, 0.6667]
    """
    measures = [parse(f"IPrec@{recall:g}") for recall in RECALLS]
    values = evaluate_runs(qrels, named(runs), measures, **settings)
    rows: list[tuple[str, float, float]] = []
    for name, each in values.items():
        rows += [(name, *pair) for pair in zip(RECALLS, each.mean().values(), strict=True)]
    return to_library(by_name(("run", "recall", "precision"), rows), library)


def histogram(values: Values, measure: str | Measure | Fact, *, library: FrameLibrary = "polars") -> Any:  # noqa: ANN401 - the library's own frame
    """Return the values of single queries: `query`, `value`; without those that have none.

    Args:
        values: what `rankworth.evaluate` returns.
        measure: which of its measures.
        library: polars, pandas or pyarrow.

    Raises:
        UsageError: `not-measured`, `missing-library`, `unknown-setting`.

    """
    require(values, Values, "rankworth.evaluate")
    table = values.per_query
    column = values._index(measure)  # noqa: SLF001 - a measure by any of its names
    pairs = zip(table.queries, table.array[:, column].tolist(), strict=True)
    rows = pairs if table.there is None else compress(pairs, table.there[:, column].tolist())
    return to_library(by_name(("query", "value"), rows), library)


def systems(result: SystemCorrelation, *, library: FrameLibrary = "polars") -> Any:  # noqa: ANN401 - the library's own frame
    """Return the numbers behind `rankworth.plots.systems`: the mean of each system in each view.

    Args:
        result: the orders of systems, of `correlate_measures` or `correlate_judges`.
        library: polars, pandas or pyarrow.

    Raises:
        UsageError: `missing-library`, `unknown-setting`.

    """
    require(result, SystemCorrelation, "rankworth.correlate_measures")
    return result.to_frame(library, of="means")


def tradeoff(
    values: Values | Mapping[str, Values],
    x: str | Measure | Fact,
    y: str | Measure | Fact,
    *,
    level: float = 0.95,
    library: FrameLibrary = "polars",
) -> Any:  # noqa: ANN401 - the library's own frame
    """Return the means of runs by two measures: `run`, `x`, `x_low`, `x_high`, `y`, `y_low`, `y_high`, `pareto`.

    Args:
        values: as for `rankworth.plots.tradeoff`.
        x: a measure, by any of its names.
        y: another one.
        level: of the confidence intervals.
        library: polars, pandas or pyarrow.

    Raises:
        InputError: `input-type`.
        UsageError: `not-measured`, `missing-library`, `unknown-setting`.

    >>> import rankworth
    >>> qrels, history = {"u1": {"a": 1}, "u2": {"a": 1}}, {"u3": ["a", "b"]}
    >>> runs = {"same": {"u1": ["a"], "u2": ["a"]}, "all": {"u1": ["a"], "u2": ["b"]}}
    >>> values = rankworth.evaluate_runs(qrels, runs, ["P@1", "Coverage@1"], history=history)
    >>> tradeoff(values, "Coverage@1", "P@1").select("run", "x", "y", "pareto").rows()
    [('same', 0.5, 1.0, True), ('all', 1.0, 0.5, True)]
    """
    names = ("run", "x", "x_low", "x_high", "y", "y_low", "y_high", "pareto")
    runs: Any = {values.run: values} if isinstance(values, Values) else values
    if not isinstance(runs, Mapping) or not all(isinstance(each, Values) for each in runs.values()):
        text = f"a trade-off is shown of values of runs, not of {type(values).__name__}"
        raise InputError("input-type", text, remedy="give what rankworth.evaluate_runs returns")
    rows = []
    better: list[Better] = ["higher", "higher"]
    for name, result in runs.items():
        bounds, row = result.interval(level=level), [name]
        for axis, measure in enumerate((x, y)):
            column = result._index(measure)  # noqa: SLF001 - a measure by any of its names
            low, high, _ = bounds[result.per_query.measures[column]]
            row += [result[measure], low, high]
            better[axis] = result.measures[column].definition.better
        rows.append(row)
    pareto = pareto_set([(row[1], row[4]) for row in rows], (better[0], better[1]))
    return to_library(by_name(names, [(*row, best) for row, best in zip(rows, pareto, strict=True)]), library)


def pareto_set(
    points: Sequence[tuple[float | None, float | None]], better: tuple[Better, Better] = ("higher", "higher")
) -> list[bool]:
    """Return for each point whether it is in the Pareto set: no other is at least as good by both, and better by one.

    Args:
        points: two values each; a point that lacks one is not in the set.
        better: which end of each scale is better, `higher` or `lower`.

    >>> pareto_set([(0.5, 0.9), (0.9, 0.5), (0.4, 0.9)]), pareto_set([(0.5, 0.9), (0.9, 0.5)], ("lower", "higher"))
    ([True, True, False], [True, False])
    """
    signs = [1 if end == "higher" else -1 for end in better]
    ends: list[tuple[float, ...] | None] = []
    for point in points:
        defined = [value for value in point if value is not None and not math.isnan(value)]
        signed = (round(sign * value, _EQUAL) for sign, value in zip(signs, defined, strict=False))
        ends.append(tuple(signed) if len(defined) == len(signs) else None)
    highest = -math.inf
    best = set()
    for end in sorted({end for end in ends if end is not None}, reverse=True):  # the best by the first measure first
        if end[1] > highest:
            best.add(end)
            highest = end[1]
    return [end in best for end in ends]


def long_tail(runs: object, history: object, *, k: int = 10, library: FrameLibrary = "polars") -> Any:  # noqa: ANN401 - the library's own frame
    """Return how much of all that is shown the most popular items are: `run`, `popularity`, `items`, `shown`.

    Rows of a run go down by popularity, from (0, 0) to (1, 1); those of the history itself come first, with None as
    `run`.

    Args:
        runs: as for `rankworth.plots.long_tail`.
        history: as for `rankworth.plots.long_tail`.
        k: how many items of each list count.
        library: polars, pandas or pyarrow.

    Returns:
        A frame: `items` is the share of the items that have this `popularity`, which is how often they are in the
        history, or a higher one; `shown` their share in what the run shows, or in the history.

    Raises:
        InputError: where runs or the history cannot be read.
        MeasureError: `bad-cutoff`.
        UsageError: `run-names`, `missing-library`, `unknown-setting`.

    >>> history = {"u1": ["a", "b"], "u2": ["a"]}
    >>> for row in long_tail({"new": {"u1": ["a", "c"], "u2": ["b", "a"]}}, history, k=2).filter(run="new").rows():
    ...     print(row[0], row[1], round(row[2], 4), row[3])
    new None 0.0 0.0
    new 2 0.3333 0.5
    new 1 0.6667 0.75
    new 0 1.0 1.0
    """
    cutoff = cut("P", k).cutoff
    popularity = History.of(history).interactions
    times: dict[str | None, Mapping[str, int]] = {None: popularity}
    for run_name, run in inputs.runs(named(runs)).items():
        rows = ranked_rows(run)
        times[run_name] = _times(rows.filter(rows["rank"] <= cutoff).unique(["query", "document"]))
    every = {item for counts in times.values() for item in counts}
    sizes = Counter(popularity.get(item, 0) for item in every)
    levels = sorted(sizes, reverse=True)
    cells: list[tuple[str | None, int | None, float, float]] = []
    for name, counts in times.items():
        shown: Counter[int] = Counter()
        for item, count in counts.items():
            shown[popularity.get(item, 0)] += count
        above, among, whole = 0, 0, shown.total()
        cells.append((name, None, 0.0, 0.0 if whole else math.nan))
        for level in levels:
            above, among = above + sizes[level], among + shown[level]
            cells.append((name, level, above / len(every), among / whole if whole else math.nan))
    return to_library(by_name(("run", "popularity", "items", "shown"), cells), library)


def _times(rows: Any) -> dict[str, int]:  # noqa: ANN401 - a Polars frame
    """Count the rows of each item."""
    counts = rows["document"].value_counts()
    return dict(zip(counts["document"].to_list(), counts["count"].to_list(), strict=True))


def cut(measure: str | Measure, cutoff: int) -> Measure:
    """Give a measure another cutoff.

    Raises:
        MeasureError: `unknown-measure`; `bad-cutoff`, also for a fact, which has none.

    """
    quantity = parse(measure) if isinstance(measure, str) else measure
    if not isinstance(quantity, Measure):
        raise MeasureError("bad-cutoff", f"{quantity} counts something and has no cutoff")
    return quantity @ cutoff


def named(runs: object) -> Any:  # noqa: ANN401 - what evaluate_runs takes
    """Convert runs to what `evaluate_runs` takes; a single path or `Run` becomes a list of one."""
    return [runs] if isinstance(runs, str | PathLike | Run) else runs


def _grade(grade: Any) -> Any:  # noqa: ANN401 - a number, several of them, or None
    """Return one grade as it is; of a grade for each subtopic the best."""
    return max((each for each in grade if each is not None), default=None) if isinstance(grade, tuple) else grade


def flow(trace: Trace, *, library: FrameLibrary = "polars") -> Any:  # noqa: ANN401 - the library's own frame
    """Return where relevant documents stand: `stage`, `state`, `next_stage`, `next_state`, `documents`.

    Rows with an empty `next_stage` count the documents of a stage, others those that go to the next one.

    Args:
        trace: as for `rankworth.plots.flow`.
        library: polars, pandas or pyarrow.

    Raises:
        UsageError: `missing-library`, `unknown-setting`.

    >>> from rankworth import trace
    >>> flow(trace({"q": {"a": 1, "b": 1}}, {"only": {"q": ["x", "a"]}}, "RR@1")).rows()
    [('only', 'below', '', '', 1), ('only', 'absent', '', '', 1)]
    """
    require(trace, Trace, "rankworth.trace")
    rows: list[tuple[Any, ...]] = []
    for index, stage in enumerate(trace.stages):
        counts = Counter(trace.state(each.ranks[index]) for each in trace.documents)
        rows += [(stage.stage, state, "", "", counts[state]) for state in STATES if counts[state]]
    rows += [tuple(each) for each in trace.flow]
    return to_library(by_name(("stage", "state", "next_stage", "next_state", "documents"), rows), library)


def silence(result: Silence, *, library: FrameLibrary = "polars") -> Any:  # noqa: ANN401 - the library's own frame
    """Return what each threshold of the top score gives on all queries, from the lowest threshold on.

    The columns are those of `rankworth.silence(...).columns("thresholds")`: `threshold` (infinite where nothing is
    answered), `refused`, the rates of both errors with `low` and `high`, `quality`, `value` and `cost` among them.

    Args:
        result: as for `rankworth.plots.silence`.
        library: polars, pandas or pyarrow.

    Raises:
        UsageError: `missing-library`, `unknown-setting`.

    >>> import rankworth as rw
    >>> found = rw.silence({"q1": {"a": 1}, "q2": {}}, {"q1": {"a": 0.9}, "q2": {"c": 0.4}}, "RR")
    >>> silence(found).select("threshold", "wrong_answer_rate", "wrong_silence_rate").rows()
    [(0.4, 1.0, 0.0), (0.9, 0.0, 0.0), (inf, 0.0, 1.0)]
    """
    require(result, Silence, "rankworth.silence")
    return result.to_frame(library, of="thresholds")
