"""The numbers behind each plot as tidy frames, under the name of the plot: draw them with whatever library you like."""

import math
from collections.abc import Iterable, Mapping
from itertools import compress, product
from operator import attrgetter
from os import PathLike
from typing import Any, Final

from rankworth.comparison import Comparison
from rankworth.correlation import SystemCorrelation
from rankworth.errors import InputError, MeasureError
from rankworth.evaluation import evaluate_runs
from rankworth.explanation import Difference, Explanation, Variation
from rankworth.measures import Fact, Measure
from rankworth.model import Run
from rankworth.names import parse
from rankworth.results.values import RunValues, Values
from rankworth.tables.columns import by_name
from rankworth.tables.frames import FrameLibrary, to_library

CUTOFFS: Final = (1, 2, 3, 5, 10, 20, 50, 100)
"""where `at_k` measures if nobody says"""
LENGTH: Final = "NumRet"
"""what says where a run ends"""
RECALLS: Final = tuple(place / 10 for place in range(11))
"""the standard points of recall"""


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

    Args:
        comparison: what `rankworth.compare` returns.
        library: polars, pandas or pyarrow.

    Raises:
        UsageError: `missing-library`, `unknown-setting`.

    """
    names = ("run", "against", "measure", "value", "low", "high", "verdict")
    cells = attrgetter("second", "first", "measure", "difference", "low", "high", "word")
    return to_library(by_name(names, map(cells, comparison.differences)), library)


def vary(variation: Variation, *, library: FrameLibrary = "polars") -> Any:  # noqa: ANN401 - the library's own frame
    """Return what a change does, in the columns of `rankworth.vary`: `measure`, what is varied, `value`, `change`.

    Args:
        variation: what `rankworth.vary` returns.
        library: polars, pandas or pyarrow.

    Raises:
        UsageError: `missing-library`, `unknown-setting`.

    >>> from rankworth import vary as varied
    >>> vary(varied("RR", by="position", n=4)).select("position", "value").rows()
    [(1, 1.0), (2, 0.5), (3, 0.3333333333333333), (4, 0.25)]
    """
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
    """Return the rank at which the longest ranking of a run ends, beyond which no curve by cutoff is drawn.

    Args:
        values: of the run, `NumRet` among them.

    """
    return int(values.per_query.array[:, values.per_query.measures.index(LENGTH)].max(initial=0))


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
    return result.to_frame(library, of="means")


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
