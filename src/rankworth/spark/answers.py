"""What workers answer: values of queries as columns, or one by one for the aggregates of Spark."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa

from rankworth.averaging import Averaging, Floats, additive
from rankworth.columns import Column, Mask
from rankworth.slices import Groups, Weights
from rankworth.spark.blocks import STAND_IN, Blocks
from rankworth.values import PerQuery
from rankworth.work import Measured


@dataclass(frozen=True)
class Rows:
    """Gives a row for each query.

    Attributes:
        blocks: what measures them.
        is_whole: whether ids of queries are integers.
        labels: the names of the measures, in their order.
        groups: that are shown.

    """

    blocks: Blocks
    is_whole: bool
    labels: Sequence[str]
    groups: Groups | None = None

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The values of the queries of a partition."""
        for block in self.blocks(batches):
            if block.measured is None:
                continue
            values = block.measured.per_query
            own = np.array([query != STAND_IN for query in values.ids], dtype=bool)
            if own.any():
                yield from self._table(values, own).to_batches()

    def _table(self, values: PerQuery, own: "np.ndarray[tuple[int], np.dtype[np.bool_]]") -> pa.Table:
        queries = pl.Series("query", values.ids, dtype=pl.String).filter(pl.Series(own))
        columns = {"query": (queries.cast(pl.Int64) if self.is_whole else queries).to_arrow().cast(self._id)}
        if self.groups is not None:
            columns["group"] = pa.array(self.groups.labels(queries.to_list()), pa.string())
        there = np.ones(values.array.shape, dtype=bool) if values.there is None else values.there
        for name in self.labels:
            if name in values.texts:
                columns[name] = pa.array(np.array(values.texts[name], dtype=object)[own], pa.string())
            else:
                place = values.measures.index(name)
                columns[name] = pa.array(values.array[own, place], pa.float64(), mask=~there[own, place])
        return pa.table(columns)

    @property
    def _id(self) -> pa.DataType:
        return pa.int64() if self.is_whole else pa.string()


@dataclass(frozen=True)
class Cells:
    """Gives a row for each query and measure, as `aggregates.SCHEMA` tells, and counts of each block.

    Attributes:
        blocks: what measures them.
        weights: of queries.
        groups: that are shown, or that count alike.
        everyone: whether every query has to have a group.

    """

    blocks: Blocks
    weights: Weights | None
    groups: Groups | None
    everyone: bool = False

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The rows of a partition."""
        for block in self.blocks(batches):
            counts = {"ignored": block.ignored, "blanks": block.blanks}
            if block.measured is not None:
                counts |= _counts(block.measured)
                yield from self._rows(block.measured.columns)
            yield _batch([None] * len(counts), [*counts], [*counts.values()], [1.0] * len(counts), None)

    def _rows(self, columns: Sequence[Column]) -> Iterator[pa.RecordBatch]:
        """The rows of a block, measure by measure."""
        names, table, there, divides = _side_by_side(columns)
        for given in (self.weights, self.groups if self.everyone else None):
            if given is not None:
                given.refuse_without(names)
        groups = [None] * len(names) if self.groups is None else self.groups.labels(names)
        weights = np.ones(len(names)) if self.weights is None else _scaled(self.weights, names)
        for place, column in enumerate(columns):
            own = np.ones(len(names)) if column.way == "sum" else weights
            over = np.where(divides[:, place] if column.way == "mean" else there[:, place], own, 0.0)
            has = (there[:, place] & (own > 0)) if self.weights is None else (own > 0) & (there[:, place] | (over > 0))
            values = additive(table[:, [place]], [column.way])[:, 0]
            yield _batch([place] * len(names), groups, np.where(has, values, 0.0), own, over, ~has)


def _batch(
    measures: Sequence[int | None],
    groups: Sequence[str | None],
    values: Any,  # noqa: ANN401 - numbers
    weights: Any,  # noqa: ANN401 - numbers
    over: Floats | None,
    void: Mask | None = None,
) -> pa.RecordBatch:
    """Rows as `aggregates.SCHEMA` tells.

    Args:
        measures: the place of each row's measure.
        groups: the groups, or names of counts.
        values: the numbers.
        weights: what they weigh.
        over: what means are divided by; nothing where None.
        void: which rows have neither value nor weight.

    """
    return pa.RecordBatch.from_pydict(
        {
            "measure": pa.array(measures, pa.int32()),
            "group": pa.array(groups, pa.string()),
            "value": pa.array(np.asarray(values, dtype=np.float64), mask=void),
            "weight": pa.array(np.asarray(weights, dtype=np.float64), mask=void),
            "divisor": pa.array(np.zeros(len(groups)) if over is None else over),
        }
    )


def _counts(measured: Measured) -> dict[str, int]:
    """What is counted in a block; the query that stands in for judged ones is not."""
    counts = {name: count for name, count in measured.counts.numbers.items() if count}
    standing = measured.whole.standing
    counts["answered"] = int(np.count_nonzero(standing.answered & standing.judged))
    if STAND_IN in measured.whole.queries:
        counts |= {"judged": 0, "scored": counts.get("scored", 1) - 1, "answered": 0}
    return counts


def _scaled(weights: Weights, queries: Sequence[str]) -> Floats:
    """The weights of some queries, divided by a power of two, so that no sum is beyond all numbers."""
    return np.ldexp(weights.array(queries), -math.frexp(max(weights.known().values(), default=0.0))[1])


def bare(averaging: Averaging) -> Averaging:
    """Settings of averaging without those that are about all queries together, which come last."""
    return replace(averaging, no_queries="nan", round_means=None, weights=None, macro=None)


def _side_by_side(columns: Sequence[Column]) -> tuple[list[str], Floats, Mask, Mask]:
    """The values that are averaged, `[Q, M]`, where there is one, and over which queries the means are taken."""
    counted, over = [column.counted for column in columns], [column.over for column in columns]
    first = counted[0]
    if all(names == first for names in (*counted, *over)) and STAND_IN not in first:
        table = np.stack([column.averaged() for column in columns], axis=1)
        everywhere = np.ones(table.shape, dtype=bool)
        return first, table, everywhere, everywhere
    parts = [
        dict(zip(names, column.averaged().tolist(), strict=True))
        for names, column in zip(counted, columns, strict=True)
    ]
    within = [set(names) for names in over]
    names = sorted({name for some in (*parts, *within) for name in some} - {STAND_IN})
    shape = (len(names), len(parts))
    table = np.array([[part.get(name, 0.0) for part in parts] for name in names], dtype=np.float64).reshape(shape)
    there = np.array([[name in part for part in parts] for name in names], dtype=bool).reshape(shape)
    divided = np.array([[name in some for some in within] for name in names], dtype=bool).reshape(shape)
    return names, table, there, divided
