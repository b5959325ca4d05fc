"""What workers answer: values of queries as columns, or a summary of them as bytes."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Final

import numpy as np
import polars as pl
import pyarrow as pa
from pyspark import TaskContext

from rankworth.averaging import Averaging, Floats
from rankworth.columns import Column, Mask
from rankworth.slices import Groups, Weights
from rankworth.spark.blocks import STAND_IN, Block, Blocks
from rankworth.summaries import Asked, Summary
from rankworth.values import PerQuery

SUMMARY: Final = "summary"
"""the column of summaries"""
SCHEMA: Final = f"part int, {SUMMARY} binary"
_PARTS: Final = 64
"""in how many parts summaries are merged before those are"""


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
class Summaries:
    """Gives a summary of all queries of a partition.

    Attributes:
        blocks: what measures them.
        asked: what is to be summarised.
        weights: of queries.
        groups: that are shown, or that count alike.
        everyone: whether every query has to have a group.

    """

    blocks: Blocks
    asked: Asked
    weights: Weights | None
    groups: Groups | None
    everyone: bool = False

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The summary of a partition."""
        whole = Summary.merged(chain([Summary.empty(self.asked)], map(self._summary, self.blocks(batches))))
        context = TaskContext.get()
        yield _packed(whole, 0 if context is None else context.partitionId() % _PARTS)

    def _summary(self, block: Block) -> Summary:
        if block.measured is None:
            return Summary.of(
                self.asked,
                [],
                np.zeros((0, len(self.asked.labels))),
                counts={"ignored": block.ignored, "blanks": block.blanks},
            )
        measured = block.measured
        counts = {name: count for name, count in measured.counts.numbers.items() if count}
        counts |= {"answered": int(np.count_nonzero(measured.whole.standing.answered & measured.whole.standing.judged))}
        counts |= {"blanks": block.blanks}
        stand_in = STAND_IN in measured.whole.queries
        if stand_in:
            counts |= {"judged": 0, "scored": counts.get("scored", 1) - 1, "answered": 0}
        names, table, there, divided = _side_by_side(measured.columns)
        for given in (self.weights, self.groups if self.everyone else None):
            if given is not None:
                given.refuse_without(names)
        return Summary.of(
            self.asked,
            names,
            table,
            weights=None if self.weights is None else self.weights.array(names),
            groups=None if self.groups is None else self.groups.labels(names),
            counts=counts,
            there=there,
            divided=divided,
        )


def merged(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Summaries as one."""
    parts = (Summary.from_bytes(item.as_py()) for batch in batches for item in batch.column(SUMMARY))
    first = next(parts, None)
    if first is not None:
        yield _packed(Summary.merged(chain([first], parts)), 0)


def _packed(summary: Summary, part: int) -> pa.RecordBatch:
    """A row with a summary."""
    return pa.RecordBatch.from_pydict(
        {"part": pa.array([part], pa.int32()), SUMMARY: pa.array([summary.to_bytes()], pa.binary())}
    )


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
