"""A frame of Spark that knows how its means are taken."""

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, cast

from pyspark.sql import DataFrame

from rankworth.errors import InputError, MeasureError, RankworthWarning
from rankworth.judging.meeting import nothing_in_common
from rankworth.measures import TextFact
from rankworth.measuring import Plan
from rankworth.spark.answers import SCHEMA, SUMMARY, Summaries, merged
from rankworth.spark.blocks import Blocks
from rankworth.spark.failures import translated
from rankworth.spark.means import Means
from rankworth.spark.relation import Sides
from rankworth.summaries import RESAMPLES, Asked, Summary

_SOME: Final = 1000
"""how many queries of either side are looked at where none meet"""

if TYPE_CHECKING:

    class PerQuery(DataFrame):
        """A frame of Spark that has `mean()`, too."""

        def mean(self, *, resamples: int = RESAMPLES, seed: int = 0) -> Means:
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

    def mean(self, *, resamples: int = RESAMPLES, seed: int = 0) -> Means:
        """The means of all queries, merged where the data lies; one row comes to the driver.

        Args:
            resamples: how many samples intervals are made of; 0 for no intervals.
            seed: of these samples.

        Raises:
            InputError: `no-common-queries`, `empty-input`, and whatever is wrong with rows.
            MeasureError: `no-measures`.
            RefusedError: where a setting refuses.

        """
        numbers = [one for one in self.plan.asked if not isinstance(one.quantity, TextFact)]
        if not numbers:
            raise MeasureError("no-measures", "texts have no mean", remedy="ask for a measure beside them: nDCG@10")
        averaging = numbers[0].averaging
        groups = self.plan.by if self.plan.by is not None else averaging.macro
        asked = Asked(
            tuple(one.label for one in numbers),
            tuple(one.quantity.averaging for one in numbers),
            tuple(one.quantity.definition.range for one in numbers),
            resamples=resamples,
            seed=seed,
            weighted=averaging.weights is not None,
            grouped=groups is not None,
        )
        summaries = Summaries(self.blocks, asked, averaging.weights, groups, everyone=averaging.macro is not None)
        parts = self.rows.mapInArrow(summaries, SCHEMA)
        whole = parts.repartition("part").mapInArrow(merged, SCHEMA).repartition(1).mapInArrow(merged, SCHEMA)
        with translated():
            found = whole.collect()
        if not found and not self.plan.rowless:
            raise InputError("empty-input", "there are neither judgements nor a run: no row came")
        try:
            summary = Summary.from_bytes(bytes(found[0][SUMMARY])) if found else Summary.empty(asked)
            means = Means.of(
                summary,
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


def _mean(self: Any, *, resamples: int = RESAMPLES, seed: int = 0) -> Means:  # noqa: ANN401 - a frame of Spark
    return self.__dict__["_rankworth"].mean(resamples=resamples, seed=seed)  # type: ignore[no-any-return]


_mean.__doc__ = Job.mean.__doc__
