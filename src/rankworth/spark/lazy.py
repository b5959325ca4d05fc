"""A frame of Spark that knows how its means are taken."""

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, cast

from pyspark.sql import DataFrame

from rankworth.errors import InputError, MeasureError, RankworthWarning
from rankworth.judging.meeting import nothing_in_common
from rankworth.measures import TextFact
from rankworth.measuring import Plan
from rankworth.spark.aggregates import SCHEMA, Aggregates
from rankworth.spark.answers import Cells
from rankworth.spark.blocks import Blocks
from rankworth.spark.failures import translated
from rankworth.spark.means import Means
from rankworth.spark.relation import Sides

_SOME: Final = 1000
"""how many queries of either side are looked at where none meet"""

if TYPE_CHECKING:

    class PerQuery(DataFrame):
        """A frame of Spark that has `mean()`, too."""

        def mean(self) -> Means:
            """As `Job.mean`."""


@dataclass(frozen=True)
class Job:
    """What stands behind the values, and has not run.

    Attributes:
        plan: what is asked for.
        blocks: what measures rows.
        rows: the rows.
        sides: the judgements and the run.

    """

    plan: Plan
    blocks: Blocks
    rows: DataFrame
    sides: Sides

    def mean(self) -> Means:
        """The means of all queries, aggregated by Spark; a row for each measure and group comes to the driver.

        Raises:
            InputError: `no-common-queries`, `empty-input`, and whatever is wrong with rows.
            MeasureError: `no-measures`.
            RefusedError: where a setting refuses.

        """
        numbers = [one for one in self.plan.asked if not isinstance(one.quantity, TextFact)]
        if not numbers:
            raise MeasureError("no-measures", "texts have no mean", remedy="ask for a measure beside them: nDCG@10")
        weights, macro = numbers[0].averaging.weights, numbers[0].averaging.macro
        groups = self.plan.by if self.plan.by is not None else macro
        rows = self.rows.mapInArrow(Cells(self.blocks, weights, groups, everyone=macro is not None), SCHEMA)
        with translated():
            found = Aggregates.of(rows, len(numbers), grouped=groups is not None)
        try:
            means = Means.of(
                found,
                self.plan,
                lists=self.sides.run.listed,
                blank=self.sides.blank,
                restricted=self.sides.asked is not None,
            )
        except InputError as error:
            if error.slug != "no-common-queries":
                raise
            ours, theirs = (_queries(side.frame) for side in (self.sides.qrels, self.sides.run))
            raise nothing_in_common(ours, theirs) from None
        for notice in means.notices:
            warnings.warn(RankworthWarning(notice.slug, notice.text), stacklevel=3)
        return means


def _queries(frame: DataFrame) -> list[str]:
    """Some of the ids of queries in a frame."""
    with translated():
        return sorted(row[0] for row in frame.selectExpr("string(query)").distinct().limit(_SOME).collect() if row[0])


def per_query(frame: DataFrame, job: Job) -> "PerQuery":
    """The same frame with `mean()`, and whatever a frame of Spark has.

    Args:
        frame: the values.
        job: what stands behind them.

    """
    kind = type(frame)
    frame.__class__ = type("PerQuery", (kind,), {"mean": _mean, "__doc__": kind.__doc__, "__module__": kind.__module__})
    frame.__dict__["_rankworth"] = job
    return cast("PerQuery", frame)


def _mean(self: Any) -> Means:  # noqa: ANN401 - a frame of Spark
    return self.__dict__["_rankworth"].mean()  # type: ignore[no-any-return]


_mean.__doc__ = Job.mean.__doc__
