"""Runs and frames become pairs of rankings: sorted by score, and their documents matched within each query."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rankworth.arrays import Floats, Integers, expand
from rankworth.io.validate import IdKinds
from rankworth.judging.ties import Contradictions
from rankworth.model import Run
from rankworth.stats.pairing import Pairing, Ranks, Side, groups_of, repeated_document
from rankworth.tables.frames import run_starts, taken

_ROWS: Final = 1 << 17
"""Of both sides, which are matched at a time: their keys stay in the cache."""
_SPREAD: Final = np.uint64(0x9E3779B97F4A7C15)
_FEW: Final = 64
"""Queries of fewer documents are sorted together."""
_SEEDS: Final = 20
"""So many hash functions do not collide by accident."""


def of_rows(first: "Rows", second: "Rows", queries: Sequence[str] | None = None) -> Pairing:
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
    sides = _Ranked(first, names), _Ranked(second, names)
    kind: type[np.integer[Any]] = np.int32 if max(side.scores.size for side in sides) < 1 << 31 else np.int64
    matches = [np.full(side.scores.size, -1, dtype=kind) for side in sides]
    keys = [side.hashed(0) for side in sides]
    rows = sides[0].starts + sides[1].starts
    begin = 0
    while begin < len(names):
        end = max(begin + 1, int(np.searchsorted(rows, rows[begin] + _ROWS, side="right")) - 1)
        _match(sides, keys, matches, names, begin, end)
        begin = end
    groups = [groups_of(side.scores, side.starts, kind) for side in sides]
    made = [Side(side.starts, *group, match) for side, group, match in zip(sides, groups, matches, strict=True)]
    return Pairing(tuple(names), *made)


@dataclass(frozen=True)
class Rows:
    """The rows of a run as they came, read once."""

    names: list[str]
    """`[S]`: ids of the queries"""
    starts: Integers
    """`[S + 1]`: where the rows of each query begin, once they stand together"""
    together: Integers | None
    """`[N]`: the rows, those of every query together; None where they stand so"""
    documents: pl.Series
    """`[N]`: ids, row by row"""
    scores: Floats
    """`[N]`"""
    empty: Collection[str] = ()
    """queries without a document"""
    kinds: IdKinds = field(default_factory=IdKinds)
    """whether ids came as integers"""

    @classmethod
    def of(cls, frame: pl.DataFrame) -> "Rows":
        """The rows of a frame."""
        kinds = IdKinds()
        kinds.meet_frame(frame)
        query, documents = (frame[what].cast(pl.String) for what in ("query", "document"))
        scores = frame["score"].cast(pl.Float64).to_numpy()
        if not frame.height:
            return cls([], np.zeros(1, dtype=np.int64), None, documents, scores, kinds=kinds)
        starts = run_starts(query)
        names = taken(query, starts).to_list()
        if len(set(names)) == len(names):
            return cls(names, np.append(starts, frame.height), None, documents, scores, kinds=kinds)
        known = query.unique(maintain_order=True)
        code = query.cast(pl.Enum(known)).to_physical().to_numpy()
        starts = np.concatenate(([0], np.cumsum(np.bincount(code, minlength=len(known)))))
        return cls(known.to_list(), starts, np.argsort(code, kind="stable"), documents, scores, kinds=kinds)

    @classmethod
    def of_run(cls, run: Run) -> "Rows":
        """Read a run; a list is a ranking without ties.

        Raises:
            InputError: `ambiguous-order`, and what reading finds.

        """
        frame = run.frame
        if frame is None:
            frame = pl.concat([batch.select("query", "document", "score") for batch in run.batches()])
        rows = replace(cls.of(frame), empty=run.empty)
        if not rows.kinds.integers("query") and hasattr(run, "kinds"):  # which relations do not have
            rows = replace(rows, kinds=run.kinds)
        if run.lists is None:
            return rows
        starts, order = rows.starts[:-1], np.arange(rows.scores.size) if rows.together is None else rows.together
        found = Contradictions()
        found.look(rows.names, starts, rows.scores[order], lambda row: rows.documents[int(order[row])])
        if not run.lists.is_order and (error := found.error(run.name, run.lists, ways=False)) is not None:
            raise error
        scores = np.empty_like(rows.scores)
        scores[order] = np.repeat(starts, np.diff(rows.starts)) - np.arange(order.size)
        return replace(rows, scores=scores)

    @property
    def queries(self) -> list[str]:
        """The ids of all queries, those without a document last."""
        return [*self.names, *self.empty]

    def by_score(self, queries: Sequence[str]) -> tuple[Integers, Integers | None]:
        """Where the rows of some queries begin, `[Q + 1]`, and the rows, best first; None where they stand so."""
        places = {name: place for place, name in enumerate(self.names)}
        place = np.array([places.get(query, -1) for query in queries], dtype=np.int64)
        lengths = np.where(place < 0, 0, np.diff(self.starts, append=0)[place])
        starts = np.concatenate(([0], np.cumsum(lengths)))
        rows = self.together
        if not np.array_equal(place[place >= 0], np.arange(len(self.names))):
            chosen = expand(self.starts[place], lengths)
            rows = chosen if rows is None else rows[chosen]
        scores = self.scores if rows is None else self.scores[rows]
        rises = np.append(False, scores[1:] > scores[:-1])[: scores.size]
        rises[starts[:-1][lengths > 0]] = False
        wrong = np.flatnonzero(np.diff(np.searchsorted(np.flatnonzero(rises), starts)))
        if not wrong.size:
            return starts, rows
        order = np.arange(scores.size)
        if lengths[wrong].sum() < _FEW * wrong.size:
            some = expand(starts[wrong], lengths[wrong])
            order[some] = some[np.lexsort((-scores[some], np.repeat(wrong, lengths[wrong])))]
        else:
            for begin, end in zip(starts[wrong].tolist(), starts[wrong + 1].tolist(), strict=True):
                order[begin:end] = begin + np.argsort(-scores[begin:end])
        return starts, order if rows is None else rows[order]


class _Ranked:
    """A side whose documents are still known."""

    def __init__(self, rows: Rows, queries: Sequence[str]) -> None:
        self.starts, self.rows = rows.by_score(queries)
        self.documents = rows.documents
        self.scores = rows.scores if self.rows is None else rows.scores[self.rows]

    def hashed(self, seed: int) -> NDArray[np.uint64]:
        """`[N]`: a key for each document."""
        keys: NDArray[np.uint64] = self.documents.hash(seed).to_numpy()
        return keys if self.rows is None else keys[self.rows]

    def ids(self, rows: Integers) -> pl.Series:
        """The ids of some documents."""
        return self.documents.gather(rows if self.rows is None else self.rows[rows])


def _match(
    sides: tuple[_Ranked, _Ranked],
    keys: Sequence[NDArray[np.uint64]],
    matches: Sequence[Ranks],
    queries: Sequence[str],
    begin: int,
    end: int,
) -> None:
    """Match the documents of some queries.

    A key and the place of its document go into one number, so that sorting numbers, which is several times as fast as
    sorting places, brings equal documents together. Documents of equal keys are compared as text; where they differ,
    another hash function is tried.

    Raises:
        InputError: `duplicate-document`.

    """
    parts = [slice(int(one.starts[begin]), int(one.starts[end])) for one in sides]
    length = parts[0].stop - parts[0].start
    rows = length + parts[1].stop - parts[1].start
    bits = np.uint64(rows.bit_length())
    low = (np.uint64(1) << bits) - np.uint64(1)
    numbers = np.arange(begin, end, dtype=np.uint64) * _SPREAD
    spread = np.concatenate([np.repeat(numbers, np.diff(one.starts[begin : end + 1])) for one in sides])
    for seed in range(_SEEDS):
        hashed = keys if not seed else [one.hashed(seed) for one in sides]
        packed = np.concatenate([one[part] for one, part in zip(hashed, parts, strict=True)])
        packed += spread
        packed &= ~low
        packed |= np.arange(rows, dtype=np.uint64)
        packed.sort()
        alike = np.flatnonzero((packed[1:] ^ packed[:-1]) <= low)
        one, other = ((packed[alike + step] & low).astype(np.int64) for step in (0, 1))
        across = (one < length) & (other >= length)
        inside = np.flatnonzero(~across)
        for place in inside.tolist():
            _refuse(sides, parts, queries, int(one[place]), int(other[place]))
        mine, theirs = one[across] + parts[0].start, other[across] - length + parts[1].start
        if not inside.size and (sides[0].ids(mine) == sides[1].ids(theirs)).all():
            matches[0][mine] = theirs
            matches[1][theirs] = mine
            return
    raise RuntimeError("documents with different ids had equal hashes under all seeds")


def _refuse(
    sides: tuple[_Ranked, _Ranked], parts: Sequence[slice], queries: Sequence[str], one: int, other: int
) -> None:
    """Raise the error for two rows of one side that hold the same document."""
    length = parts[0].stop - parts[0].start
    side, shift = (0, parts[0].start) if one < length else (1, parts[1].start - length)
    rows = np.array([one + shift, other + shift])
    document, again = sides[side].ids(rows).to_list()
    query = np.searchsorted(sides[side].starts, rows, side="right") - 1
    if document == again and query[0] == query[1]:
        raise repeated_document(document, queries[int(query[0])])
