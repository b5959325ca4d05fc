"""Runs and frames become pairs of rankings: sorted by score, and their documents matched within each query."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np
import polars as pl

from rankworth.arrays import Floats, Integers, expand
from rankworth.io.validate import IdKinds
from rankworth.judging.ties import Contradictions
from rankworth.model import Run
from rankworth.stats.pairing import Pairing, Ranks, Side, groups_of, repeated_document
from rankworth.tables.frames import run_starts, taken

_SPREAD: Final = np.uint64(0x9E3779B97F4A7C15)
"""by which numbers of queries are multiplied, so that they change all bits of a hash"""


@dataclass(frozen=True)
class Rows:
    """The rows of a run, those of each query together."""

    names: Sequence[str]
    """`[S]`: ids of the queries"""
    starts: Integers
    """`[S + 1]`: where the rows of each query begin"""
    documents: pl.Series
    """`[N]`: ids"""
    scores: Floats
    """`[N]`"""
    empty: Collection[str] = ()
    """queries without a document"""
    kinds: IdKinds = field(default_factory=IdKinds)
    """whether ids came as integers"""

    @classmethod
    def of(cls, frame: pl.DataFrame) -> "Rows":
        """The rows of a frame, those of each query best first."""
        return cls._grouped(frame).by_score()

    @classmethod
    def of_run(cls, run: Run) -> "Rows":
        """The rows of a run, those of each query best first; a list is a ranking without ties.

        Raises:
            InputError: `ambiguous-order`, and what reading finds.

        """
        frame = run.frame
        if frame is None:
            frame = pl.concat([batch.select("query", "document", "score") for batch in run.batches()])
        rows = replace(cls._grouped(frame), empty=run.empty)
        if not rows.kinds.integers("query") and hasattr(run, "kinds"):  # which relations do not have
            rows = replace(rows, kinds=run.kinds)
        if run.lists is None:
            return rows.by_score()
        found, starts = Contradictions(), rows.starts[:-1]
        found.look(list(rows.names), starts, rows.scores, lambda row: rows.documents[row])
        if not run.lists.is_order and (error := found.error(run.name, run.lists, ways=False)) is not None:
            raise error
        return replace(rows, scores=np.arange(rows.scores.size, 0, -1, dtype=np.float64))

    @classmethod
    def _grouped(cls, frame: pl.DataFrame) -> "Rows":
        """The rows of a frame in the order of the queries, and within a query in their own."""
        kinds = IdKinds()
        kinds.meet_frame(frame)
        query, documents = (frame[what].cast(pl.String) for what in ("query", "document"))
        scores = frame["score"].cast(pl.Float64).to_numpy()
        if not frame.height:
            return cls([], np.zeros(1, dtype=np.int64), documents, scores, kinds=kinds)
        starts = run_starts(query)
        names = taken(query, starts).to_list()
        if len(set(names)) < len(names):
            known = query.unique(maintain_order=True)
            code = query.cast(pl.Enum(known)).to_physical().to_numpy()
            order = np.argsort(code, kind="stable")
            names, documents, scores = known.to_list(), documents.gather(order), scores[order]
            starts = np.searchsorted(code[order], np.arange(len(names)))
        return cls(names, np.append(starts, frame.height), documents, scores, kinds=kinds)

    def by_score(self) -> "Rows":
        """The rows of each query best first."""
        lengths = np.diff(self.starts)
        rises = np.flatnonzero(self.scores[1:] > self.scores[:-1]) + 1
        owner = np.repeat(np.arange(lengths.size), lengths)
        wrong = np.unique(owner[rises[owner[rises] == owner[rises - 1]]])
        if not wrong.size:
            return self
        order, rows = np.arange(self.scores.size), expand(self.starts[wrong], lengths[wrong])
        order[rows] = rows[np.lexsort((-self.scores[rows], owner[rows]))]
        return replace(self, documents=self.documents.gather(order), scores=self.scores[order])

    @property
    def queries(self) -> list[str]:
        """The ids of all queries, those without a document last."""
        return [*self.names, *self.empty]

    def only(self, queries: Sequence[str]) -> "Rows":
        """The rows of some queries, in their order; none for a query that is not there."""
        numbers = {name: number for number, name in enumerate(self.names)}
        places = np.array([numbers.get(query, -1) for query in queries], dtype=np.int64)
        lengths = np.where(places < 0, 0, np.diff(self.starts, append=0)[places])
        starts = np.concatenate(([0], np.cumsum(lengths)))
        if np.array_equal(places[places >= 0], np.arange(len(self.names))):
            return Rows(queries, starts, self.documents, self.scores)
        rows = expand(self.starts[places], lengths)
        return Rows(queries, starts, self.documents.gather(rows), self.scores[rows])

    def keyed(self) -> pl.DataFrame:
        """A row for each document: the number of its query, its id, a hash of both, and its row."""
        query = np.repeat(np.arange(len(self.names), dtype=np.uint64), np.diff(self.starts))
        key = self.documents.hash().to_numpy() + query * _SPREAD
        return pl.DataFrame({"query": query, "document": self.documents, "key": key}).with_row_index("row")


def of_rows(first: Rows, second: Rows, queries: Sequence[str] | None = None) -> Pairing:
    """The rankings of two runs, whose rows were read before; documents with equal scores are tied.

    Args:
        first: what one system returned.
        second: what the other one returned.
        queries: which, in which order; where not said, those of the first run, and after them what else the second one
            has. A query that a run does not have, or for which it has no documents, has an empty ranking.

    Raises:
        InputError: `duplicate-document`.

    >>> pair = of_rows(*(Rows.of_run(Run(one)) for one in ({"q1": {"a": 2, "b": 1}}, {"q1": {"b": 5}, "q2": {"c": 1}})))
    >>> pair.queries, pair.first.match
    (('q1', 'q2'), array([-1,  0], dtype=int32))
    """
    names = list(dict.fromkeys((*first.queries, *second.queries))) if queries is None else queries
    sides = first.only(names), second.only(names)
    matched = _matched(sides)
    kind: type[np.integer[Any]] = np.int32 if max(side.scores.size for side in sides) < 1 << 31 else np.int64
    made = []
    for side, rows, others in zip(sides, matched, matched[::-1], strict=True):
        match: Ranks = np.full(side.scores.size, -1, dtype=kind)
        match[rows] = others
        made.append(Side(side.starts, *groups_of(side.scores, side.starts, kind), match))
    return Pairing(tuple(names), *made)


def _matched(sides: tuple[Rows, Rows]) -> list[Integers]:
    """The rows of both sides that hold the same document for the same query.

    To join by one number is twice as fast as by query and document; where hashes are not unique, these are compared.

    Raises:
        InputError: `duplicate-document`.

    """
    frames = [side.keyed() for side in sides]
    if all(frame["key"].n_unique() == frame.height for frame in frames):
        rows = _joined(frames, ["key"])
        if (sides[0].documents.gather(rows[0]) == sides[1].documents.gather(rows[1])).all():
            return rows
    for frame, side in zip(frames, sides, strict=True):
        repeated = frame.filter(frame.select("query", "document").is_duplicated())
        if repeated.height:
            raise repeated_document(repeated["document"][0], side.names[repeated["query"][0]])
    return _joined(frames, ["query", "document"])


def _joined(frames: Sequence[pl.DataFrame], by: list[str]) -> list[Integers]:
    """The rows of two frames that are equal in some columns."""
    first, second = (frame.select("row", *by) for frame in frames)
    joined = first.join(second, on=by)
    return [joined["row"].to_numpy().astype(np.int64), joined["row_right"].to_numpy().astype(np.int64)]
