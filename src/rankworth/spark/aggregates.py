"""Means, errors and t intervals from aggregates that Spark takes of values, by measure and group."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Final, Self

import numpy as np
from pyspark.sql import functions as sql

from rankworth.evaluation.aggregation import Way, back
from rankworth.stats.samples import ROUNDING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

SCHEMA: Final = "measure int, `group` string, value double, weight double, divisor double"
"""A row for each query and measure: weight and value are null where the query has none; the divisor is the weight of a
query that the mean is taken over, otherwise 0. Counts have no measure, and their name for a group."""
_AGGREGATES: Final = {
    "queries": "count(1)",
    "values": "count(value)",
    "divided": "count_if(divisor > 0)",
    "total": "sum(weight * value)",
    "divisor": "sum(divisor)",
    "weight": "sum(weight)",
    "squares": "sum(weight * weight)",
    "cubes": "sum(weight * weight * weight)",
    "variance": "var_pop(weight * value)",
    "covariance": "covar_pop(weight * value, weight)",
    "spread": "var_pop(weight)",
    "lowest": "min(value)",
    "highest": "max(value)",
}


@dataclass(frozen=True)
class Cell:
    """Aggregates of the values of one measure in one group; values of a geometric mean are logarithms.

    Where a mean is divided by more queries than have values, those that are missing count as 0; where it is divided by
    fewer, values are multiplied so that their own mean is the same one.
    """

    queries: int = 0
    values: int = 0
    divided: int = 0
    total: float = 0.0
    divisor: float = 0.0
    weight: float = 0.0
    squares: float = 0.0
    cubes: float = 0.0
    variance: float = 0.0
    covariance: float = 0.0
    spread: float = 0.0
    lowest: float = 0.0
    highest: float = 0.0

    @classmethod
    def of(cls, row: Any) -> Self:  # noqa: ANN401 - a row of Spark
        """Take the aggregates of a row; null is what an aggregate over nothing gives."""
        return cls(**{field.name: row[field.name] or 0 for field in fields(cls)})

    @property
    def mean(self) -> float:
        """The mean; NaN over no query."""
        return self.total / self.divisor if self.divided else math.nan

    @property
    def error(self) -> tuple[float, float]:
        """The standard error of the mean and its degrees of freedom, as `rankworth.stats` defines both.

        NaN with fewer than two values, and where one is NaN or infinite.
        """
        more = max(self.divided - self.values, 0)
        weight = self.weight + more
        if not (self.divided and math.isfinite(self.total)):
            return math.nan, math.nan
        together = (self.squares + more) / weight**2
        if not 0 < together <= 1 - ROUNDING:
            return math.nan, math.nan
        ends = [self.lowest, self.highest, *([0.0] if more else [])]
        if max(ends) - min(ends) <= ROUNDING * max(map(abs, ends)):
            return 0.0, 1 / together - 1
        factor = weight / self.divisor
        apart = factor**2 * self.variance - 2 * factor * self.mean * self.covariance + self.mean**2 * self.spread
        apart += ((factor * self.total - self.mean * self.weight) / self.values) ** 2
        squares = max(self.values * apart, 0.0) + more * self.mean**2
        short = 1 - 2 * (self.cubes + more) / weight**3 / together + together
        return math.sqrt(squares / short) / weight, 1 / together - 1


@dataclass(frozen=True)
class Aggregates:
    """What Spark aggregated.

    Attributes:
        counts: of queries, documents and judgements, by name.
        whole: a cell for each measure.
        groups: cells by group, where there are groups.

    """

    counts: dict[str, int]
    whole: list[Cell]
    groups: dict[str, list[Cell]]

    @classmethod
    def of(cls, rows: "DataFrame", measures: int, *, grouped: bool) -> Self:
        """Aggregate values on the cluster.

        Args:
            rows: as `SCHEMA` tells.
            measures: how many there are.
            grouped: whether queries have groups.

        """
        told = [sql.expr(text).alias(name) for name, text in _AGGREGATES.items()]
        by = rows.rollup("measure", "group") if grouped else rows.groupBy("measure", "group")
        found = by.agg(*told).collect()
        counts = {row["group"]: int(row["total"]) for row in found if row["measure"] is None and row["group"]}
        cells = {"": [Cell()] * measures}  # no group is called by the empty text
        for row in found:
            if row["measure"] is not None:
                cells.setdefault(row["group"] or "", [Cell()] * measures)[row["measure"]] = Cell.of(row)
        whole = cells.pop("")
        return cls(counts, whole, dict(sorted(cells.items())))


def mean(whole: Cell, parts: Sequence[Cell], way: Way) -> float:
    """The mean of one measure, or that of the means of groups; the sum, of what is summed.

    Args:
        whole: of all queries.
        parts: of the groups, where these count alike.
        way: what it is.

    """
    if way == "sum":
        return whole.total
    means = [part.mean for part in parts if part.divided] or [whole.mean]
    return _shown(sum(means) / len(means), way)


def interval(whole: Cell, parts: Sequence[Cell], way: Way, level: float) -> tuple[float, float]:
    """The t interval of `mean`; NaN of a sum.

    For groups that count alike, the squared error is the sum of those of the groups over the square of their number,
    and degrees of freedom are those of Welch and Satterthwaite.

    Args:
        whole: of all queries.
        parts: of the groups, where these count alike.
        way: what the mean is.
        level: the confidence level.

    """
    from scipy.special import stdtrit  # noqa: PLC0415 - costs more than most evaluations

    if way == "sum":
        return math.nan, math.nan
    cells = [part for part in parts if part.divided] or [whole]
    center = sum(cell.mean for cell in cells) / len(cells)
    errors, freedom = np.array([cell.error for cell in cells]).T
    error = float(np.sqrt((errors**2).sum()))
    half = 0.0
    if error:
        half = float(stdtrit(error**4 / (errors**4 / freedom).sum(), (1 + level) / 2)) * error / len(cells)
    return _shown(center - half, way), _shown(center + half, way)


def _shown(number: float, way: Way) -> float:
    """A mean of values, or of logarithms, on the scale of the values."""
    try:
        return float(back(np.array([number]), [way])[0])
    except OverflowError:
        return math.inf
