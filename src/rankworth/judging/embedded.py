"""Judging for files and frames, batch by batch: filter the judged documents first, count who stands above them after.

No sort, no window and no rank of documents that nobody judged. A batch is worked off query by query as long as every
query's rows stand together; where they do not, all rows are gathered and brought together first.
"""

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from typing import Final, TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rankworth.hits import Integers
from rankworth.io.sources import Progress
from rankworth.judging.assembly import Found, Judgement, Layout, assemble, nothing_in_common
from rankworth.judging.counting import stand, tie_groups
from rankworth.model import Qrels, Run, expand, run_starts

Keys = NDArray[np.uint64]
T = TypeVar("T")

_SPREAD: Final = np.uint64(0x9E3779B97F4A7C15)
_ROWS: Final = 1 << 18


class _ScatteredError(Exception):
    """A query came back after other queries; never leaves this room."""


def judge(qrels: Qrels, run: Run, layout: Layout = "compact", progress: Progress | None = None) -> Judgement:
    """Where the documents of a run stand.

    Args:
        qrels: the judgements.
        run: rows in any order; fastest where each query's rows stand together.
        layout: whether unjudged documents get rows, too.
        progress: told how far a file is read.

    Raises:
        InputError: `no-common-queries`, `duplicate-document`, and what the door finds.

    """
    index = _Index.of(qrels)
    try:
        work = _Work(qrels, run, layout, index)
        for frame, starts in _whole_queries(_ahead(run.batches(progress))):
            work.settle(frame, starts)
    except _ScatteredError:
        work = _Work(qrels, run, layout, index)
        for frame, starts in _gathered(_ahead(run.batches(progress))):
            work.settle(frame, starts)
    return work.finish()


@dataclass(frozen=True)
class _Index:
    """The judgements as 64-bit keys of (query, document)."""

    keys: Keys
    seed: int

    @classmethod
    def of(cls, qrels: Qrels) -> "_Index":
        """Keys that differ for all judgements; found once for each `Qrels`."""
        known = qrels.__dict__.get("_index")
        if known is None:
            query = np.repeat(np.arange(len(qrels)), qrels.lengths)
            for seed in count():
                known = cls(_keys(qrels.document_series, query, seed), seed)
                if np.unique(known.keys).size == known.keys.size:
                    break
            qrels.__dict__["_index"] = known
        return known  # type: ignore[return-value]


@dataclass
class _Work:
    """What was found so far."""

    qrels: Qrels
    run: Run
    layout: Layout
    index: _Index
    codes: dict[str, int] = field(init=False)
    n_retrieved: Integers = field(init=False)
    parts: list[Found] = field(default_factory=list)
    answered: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.codes = {query: code for code, query in enumerate(self.qrels.queries)}
        self.n_retrieved = np.zeros(len(self.qrels), dtype=np.int64)

    def code(self, queries: Iterable[str]) -> Integers:
        """Numbers of queries: their place in the judgements, or a number beyond for those that nobody judged."""
        codes = self.codes
        return np.fromiter((codes.setdefault(query, len(codes)) for query in queries), np.int64)

    def settle(self, frame: pl.DataFrame, starts: Integers) -> None:
        """Judge rows in which every query is whole and stands together, from `starts` on.

        Raises:
            _ScatteredError: where a query comes back.

        """
        before = len(self.answered)
        code = self.code(frame["query"].gather(starts).to_list())
        self.answered.update(code.tolist())
        if len(self.answered) < before + code.size:
            raise _ScatteredError
        lengths = np.diff(starts, append=frame.height)
        documents = frame["document"]
        keys = _keys(documents, np.repeat(code, lengths), self.index.seed)
        self._refuse_duplicates(frame, keys)
        judged = np.flatnonzero(code < len(self.qrels))
        self.n_retrieved[code[judged]] = lengths[judged]
        row, judgement = self._hits(documents, keys, code[judged])
        if self.layout == "full":
            rows = expand(starts[judged], lengths[judged])
            judgements = np.full(frame.height, -1)
            judgements[row] = judgement
            row, judgement = rows, judgements[rows]
        scores = frame["score"].to_numpy()
        segment = np.searchsorted(starts, row, side="right") - 1
        standing = stand(scores, starts, lengths, segment, scores[row])
        rank = standing.first
        if (standing.last > standing.first).any():
            tied, group, first = tie_groups(standing, starts, segment)
            ids = pl.DataFrame({"group": group, "document": documents.gather(tied)})
            order = ids.select(pl.arg_sort_by("group", "document", descending=[False, True])).to_series().to_numpy()
            sizes = np.bincount(group)
            place = np.empty(frame.height, dtype=np.int64)
            place[row] = rank
            place[tied[order]] = first + expand(np.zeros_like(sizes), sizes)
            rank = place[row]
        known = judgement >= 0
        grade = np.where(known, self.qrels.grades[judgement], 0.0)
        self.parts.append(Found(code[segment], rank, standing.first, standing.last, grade, known))

    def finish(self) -> Judgement:
        """Put the parts together."""
        ignored = len(self.codes) - len(self.qrels)
        if not self.n_retrieved.any():
            raise nothing_in_common(self.qrels, list(self.codes)[len(self.qrels) :])
        names = ("query", "rank", "first", "last", "grade", "known")
        found = Found(*(np.concatenate([getattr(part, name) for part in self.parts]) for name in names))
        return assemble(self.qrels, found, self.n_retrieved, ignored)

    def _hits(self, documents: pl.Series, keys: Keys, code: Integers) -> tuple[Integers, Integers]:
        """The rows of judged documents, and their places in the judgements.

        A table of the first bits of all wanted keys lets nearly all other rows go; what is left is searched, and
        compared as text, so that equal keys of different documents do no harm.
        """
        places = expand(self.qrels.offsets[code], self.qrels.lengths[code])
        wanted = self.index.keys[places]
        bits = min(max(int(wanted.size).bit_length() + 3, 16), 24)
        shift = np.uint64(64 - bits)
        table = np.zeros(1 << bits, dtype=bool)
        table[wanted >> shift] = True
        row = np.flatnonzero(table[keys >> shift])
        order = np.argsort(wanted)
        found = np.searchsorted(wanted, keys[row], sorter=order)
        inside = found < wanted.size
        row, place = row[inside], places[order[found[inside]]]
        same = (documents.gather(row) == self.qrels.document_series.gather(place)).to_numpy()
        same &= keys[row] == self.index.keys[place]
        return row[same], place[same]

    def _refuse_duplicates(self, frame: pl.DataFrame, keys: Keys) -> None:
        ordered = np.sort(keys)
        if (ordered[1:] == ordered[:-1]).any():
            twice = np.unique(ordered[1:][ordered[1:] == ordered[:-1]])
            suspects = frame.select("query", "document").filter(pl.Series(np.isin(keys, twice)))
            again = suspects.filter(~pl.struct("query", "document").is_first_distinct())
            if again.height:
                raise self.run.duplicates(again.unique(maintain_order=True).rows(), again.height)


def _keys(documents: pl.Series, query: Integers, seed: int) -> Keys:
    hashed: Keys = documents.hash(seed).to_numpy()
    return hashed + query.astype(np.uint64) * _SPREAD


def _whole_queries(frames: Iterable[pl.DataFrame]) -> Iterator[tuple[pl.DataFrame, Integers]]:
    """Cut the rows where queries begin; the last query of a frame waits for the next one."""
    held: pl.DataFrame | None = None
    for frame in frames:
        starts = run_starts(frame["query"])
        if held is not None:
            goes_on = frame["query"][0] == held["query"][0]
            starts = np.concatenate(([0], starts[1 if goes_on else 0 :] + held.height))
            frame = held.vstack(frame)  # noqa: PLW2901 - the frame, as it should have come
        last = int(starts[-1])
        if last:
            yield frame[:last], starts[:-1]
        held = frame[last:]
    if held is not None:
        yield held, np.zeros(1, dtype=np.int64)


def _gathered(frames: Iterable[pl.DataFrame]) -> Iterator[tuple[pl.DataFrame, Integers]]:
    """All rows, each query's brought together; for runs that are scattered."""
    frame = pl.concat(list(frames))
    number = frame["query"].cast(pl.Enum(frame["query"].unique())).to_physical()
    frame = frame.with_columns(number.alias("number")).sort("number").drop("number")
    starts = run_starts(frame["query"])
    bounds = np.append(starts, frame.height)
    cuts = np.unique(np.searchsorted(starts, np.arange(0, frame.height, _ROWS)).clip(max=starts.size - 1))
    for begin, end in zip(cuts.tolist(), [*cuts[1:].tolist(), starts.size], strict=True):
        yield frame[int(bounds[begin]) : int(bounds[end])], starts[begin:end] - starts[begin]


def _ahead(items: Iterator[T]) -> Iterator[T]:
    """The same items, each made in another thread while the one before is worked on."""
    with ThreadPoolExecutor(1) as pool:
        step = partial(next, items, None)
        coming = pool.submit(step)
        while (item := coming.result()) is not None:
            coming = pool.submit(step)
            yield item
