"""Means of runs: how sure they are, and accuracy against a measure of items or of whole runs."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from rankworth.measures import Measure
from rankworth.names import measure_of
from rankworth.plots import data
from rankworth.tables.wording import named_alone

Ends = tuple[float, float]
_LISTED: Final = 12
"""how many runs of the Pareto set are named in a sentence"""


def tradeoff(record: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the means of runs by a measure of items and by a measure of accuracy; None where there are not both.

    Args:
        record: of the report, with runs, measures, which ends of these are better, means and intervals.

    Returns:
        The measures `x` and `y`, a row for each run in the columns of `rankworth.plots.data.tradeoff`, and a `sentence`
        on the Pareto set.

    """
    known = {label: measure for label in record["measures"] if (measure := measure_of(label)) is not None}
    of_items = [label for label, measure in known.items() if measure.definition.needs]
    x = next((label for label in (*record["whole"], *of_items) if label in known), None)
    accuracy = (label for label, measure in known.items() if isinstance(measure, Measure) and label not in of_items)
    y = next((label for label in accuracy if label not in record["whole"]), None)
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


def _sentence(x: str, y: str, runs: Sequence[str]) -> str:
    """Name the Pareto set."""
    if not runs:
        return f"No run has a mean by both {y} and {x}."
    names = ", ".join(named_alone(run) for run in runs[:_LISTED])
    more = f" and {len(runs) - _LISTED:,} more" if len(runs) > _LISTED else ""
    rule = "no other run is at least as good by both and better by one"
    return f"The Pareto set by {y} and {x} is {names}{more}: to judge by the means alone, {rule}."
