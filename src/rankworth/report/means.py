"""Means of runs: how sure they are, and accuracy against a measure of items or of whole runs."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np

from rankworth import stats
from rankworth.arrays import Floats
from rankworth.explanation.trace import finite
from rankworth.measures import Fact, Measure
from rankworth.names import measure_of
from rankworth.plots import data
from rankworth.scoring.intervals import of_whole_run
from rankworth.tables.wording import named_alone

_LISTED: Final = 12
"""how many runs of the Pareto set are named in a sentence"""


def mean_intervals(
    values: Floats, means: Sequence[float], weights: Floats | None, labels: Sequence[str], seed: int
) -> Iterator[list[float | None]]:
    """Yield the 95% interval of each mean, as the values of each run have it.

    Measures of whole runs have the interval of `scoring.intervals.of_whole_run`; all others that of the bootstrap, for
    which queries are drawn once.

    Args:
        values: `[M, Q]`, a row for each run and measure.
        means: `[M]`.
        weights: `[Q]`.
        labels: the measure of each row.
        seed: of the bootstrap.

    """
    bounds = stats.intervals(values.T, weights, seed=seed)
    for row, label in enumerate(labels):
        measure = measure_of(label)
        if measure is not None and measure.definition.of_run:
            low, high = of_whole_run(values[row][~np.isnan(values[row])], means[row], measure.range)
        else:
            low, high = bounds.low[row], bounds.high[row]
        yield [finite(low), finite(high)]


def tradeoff(record: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the means of runs by a measure of items and by a measure of accuracy; None where there are not both.

    Args:
        record: of the report, with runs, measures, which ends of these are better, means and intervals.

    Returns:
        The measures `x` and `y`, a row for each run in the columns of `rankworth.plots.data.tradeoff`, and a `sentence`
        on the Pareto set.

    """
    known = {label: measure for label in record["measures"] if (measure := measure_of(label)) is not None}
    x = next(filter(lambda label: known[label].definition.of_run, known), None)
    x = x or next(filter(lambda label: known[label].definition.needs, known), None)
    y = next((label for label, measure in known.items() if _is_accuracy(measure)), None)
    if x is None or y is None or len(record["runs"]) == 1:
        return None
    cells = {
        run: [(record["means"][run][label], *record["intervals"][run][label]) for label in (x, y)]
        for run in record["runs"]
    }
    better = record["better"]
    pareto = data.pareto_set([(across[0], up[0]) for across, up in cells.values()], (better[x], better[y]))
    names = ("run", "x", "x_low", "x_high", "y", "y_low", "y_high", "pareto")
    rows = [
        dict(zip(names, (run, *across, *up, best), strict=True))
        for (run, (across, up)), best in zip(cells.items(), pareto, strict=True)
    ]
    return {"x": x, "y": y, "rows": rows, "sentence": _sentence(x, y, [row["run"] for row in rows if row["pareto"]])}


def _is_accuracy(measure: Measure | Fact) -> bool:
    """Return whether a measure needs no data about items, and has a value for each query."""
    return isinstance(measure, Measure) and not measure.definition.needs and not measure.definition.of_run


def _sentence(x: str, y: str, runs: Sequence[str]) -> str:
    """Name the Pareto set."""
    if not runs:
        return f"No run has a mean by both {y} and {x}."
    names = ", ".join(named_alone(run) for run in runs[:_LISTED])
    more = f" and {len(runs) - _LISTED:,} more" if len(runs) > _LISTED else ""
    rule = "no other run is at least as good by both and better by one"
    return f"The Pareto set by {y} and {x} is {names}{more}: to judge by the means alone, {rule}."
