"""Judging for files and frames, batch by batch: filter the judged documents first, count who stands above them after.

No sort, no window and no rank of documents that nobody judged. Most runs have each query's rows together; where they do
not, the pass is given up, and all rows are brought together first.
"""

from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, field, fields
from itertools import compress, count
from typing import Final

import numpy as np
import polars as pl

from rankworth.errors import InputError
from rankworth.hits import Integers, expand
from rankworth.io.duplicates import COUNTED
from rankworth.io.frames.columns import taken
from rankworth.io.sources import Progress
from rankworth.judging.assembly import Found, Judgement, Layout, assemble, nothing_left
from rankworth.judging.batches import Batch, gathered, in_order
from rankworth.judging.counting import Standing, bisect, tie_groups
from rankworth.judging.exclusion import Exclusion
from rankworth.judging.meeting import nothing_in_common
from rankworth.judging.places import places
from rankworth.judging.policies import Keys, Rows, candidates, excluded, repeated, superfluous
from rankworth.judging.settings import STANDARD, Judging, Ordering, ScoreType
from rankworth.model import Qrels, Run

_SPREAD: Final = np.uint64(0x9E3779B97F4A7C15)

Asked = tuple[Qrels, Ordering]
"""Judgements, and a convention by which a run is judged."""


class _ScatteredError(Exception):
    """A query came back after other queries; never leaves this room."""


def judge(
    qrels: Qrels,
    run: Run,
    layout: Layout = "compact",
    settings: Judging = STANDARD,
    progress: Progress | None = None,
) -> Judgement:
    """Where the documents of a run stand, by one convention.

    Args:
        qrels: the judgements.
        run: rows in any order; fastest where each query's rows stand together.
        layout: whether unjudged documents get rows, too.
        settings: what becomes of repeated and excluded documents, and what orders them.
        progress: told how far a file is read.

    Raises:
        InputError: `no-common-queries`, `duplicate-document`, and what the door finds.

    """
    [judgement] = judge_all([(qrels, settings.ordering)], run, layout, progress=progress)
    if isinstance(judgement, InputError):
        raise judgement
    return judgement


def judge_all(
    asked: Sequence[Asked],
    run: Run,
    layout: Layout = "compact",
    *,
    elsewhere: bool = False,
    progress: Progress | None = None,
) -> list[Judgement | InputError]:
    """Where the documents of a run stand, by several conventions; the run is read once, and joined once.

    Args:
        asked: the judgements and the ordering of each convention; judgements differ in what was excluded.
        run: as for `judge`.
        layout: as for `judge`.
        elsewhere: whether rows tell if a document is judged for some query; in the full layout only.
        progress: as for `judge`.

    Raises:
        InputError: what the door finds. What one convention refuses stands in its place.

    """
    try:
        with closing(in_order(run.batches(progress))) as batches:
            return _through(batches, asked, run, layout, elsewhere=elsewhere)
    except _ScatteredError:
        with closing(gathered(run.batches(progress))) as batches:
            return _through(batches, asked, run, layout, elsewhere=elsewhere)


def _through(
    batches: Iterable[Batch], asked: Sequence[Asked], run: Run, layout: Layout, *, elsewhere: bool
) -> list[Judgement | InputError]:
    """Judge all batches; conventions that leave out the same rows share one join."""
    known: dict[tuple[int, object, object], _Work] = {}
    for qrels, ordering in asked:
        key = (id(qrels), ordering.duplicates, ordering.exclude)
        work = known.setdefault(key, _Work(qrels, run, layout, ordering, elsewhere=elsewhere))
        work.parts.setdefault(ordering, [])
    for batch in batches:
        for work in known.values():
            if work.refused is None:
                try:
                    work.settle(batch)
                except InputError as error:
                    if len(known) == 1:
                        raise
                    work.refused = error
    return [known[id(qrels), one.duplicates, one.exclude].judgement(one) for qrels, one in asked]


@dataclass(frozen=True)
class _Index:
    """The judgements as 64-bit keys of (query, document)."""

    keys: Keys
    seed: int

    @classmethod
    def of(cls, qrels: Qrels) -> "_Index":
        """Keys that differ for all judgements; found once for each `Qrels`."""
        known: _Index | None = qrels.__dict__.get("_index")
        if known is not None:
            return known
        for seed in count():
            spread = np.repeat(_spread(np.arange(len(qrels))), qrels.lengths)
            known = cls(_keys(qrels.document_series, spread, seed), seed)
            if not repeated(known.keys):
                break
        qrels.__dict__["_index"] = known
        return known  # type: ignore[return-value]


@dataclass
class _Work:
    """What was found so far, of conventions that leave out the same rows."""

    qrels: Qrels
    run: Run
    layout: Layout
    leaves_out: Ordering
    elsewhere: bool = False
    index: _Index = field(init=False)
    codes: dict[str, int] = field(init=False)
    n_retrieved: Integers = field(init=False)
    parts: dict[Ordering, list[Found]] = field(default_factory=dict)
    done: set[int] = field(default_factory=set)
    unjudged: dict[str, int] = field(default_factory=dict)
    emptied: set[str] = field(default_factory=set)
    left_out: dict[str, int] = field(default_factory=lambda: {"excluded": 0, "repeated": 0})
    refused: InputError | None = None

    def __post_init__(self) -> None:
        self.index = _Index.of(self.qrels)
        self.codes = {query: code for code, query in enumerate(self.qrels.queries)}
        self.n_retrieved = np.zeros(len(self.qrels), dtype=np.int64)

    def judgement(self, ordering: Ordering) -> Judgement | InputError:
        """Put the parts of one convention together."""
        if self.refused is not None:
            return self.refused
        if not self.n_retrieved.any():
            if self.left_out["excluded"]:
                return nothing_left(self.leaves_out.exclude, self.run.name)
            return nothing_in_common(self.qrels, list(self.codes)[len(self.qrels) :], self.run.name)
        parts = self.parts[ordering]
        names = [one.name for one in fields(Found) if getattr(parts[0], one.name) is not None]
        found = Found(**{name: np.concatenate([getattr(part, name) for part in parts]) for name in names})
        return assemble(
            self.qrels,
            found,
            self.n_retrieved,
            self.unjudged,
            duplicates=ordering.duplicates,
            emptied=self.emptied,
            **self.left_out,
        )

    def settle(self, batch: Batch) -> None:
        """Judge a batch.

        Raises:
            _ScatteredError: where a query comes back.

        """
        code = self.code(batch.queries)
        keys = _keys(batch.documents, batch.spread(_spread(code)), self.index.seed)
        if self.leaves_out.exclude is not None:
            out = self.excluded(batch, code, keys, self.leaves_out.exclude)
            batch, code, keys = self.without(out, "excluded", batch, code, keys)
        if (out_too := self.superfluous(batch, code, keys)) is not None:
            batch, code, keys = self.without(out_too, "repeated", batch, code, keys)
        if not batch.queries:
            return
        starts, lengths, documents = batch.starts, batch.lengths, batch.documents
        is_judged = code < len(self.qrels)
        judged = np.flatnonzero(is_judged)
        others = zip(batch.queries, lengths.tolist(), is_judged.tolist(), strict=True)
        self.unjudged |= {query: length for query, length, known in others if not known}
        self.n_retrieved[code[judged]] = lengths[judged]
        row, judgement = self.hits(documents, keys, code[judged])
        elsewhere = None
        if self.layout == "full":
            judgements = np.full(len(documents), -1)
            judgements[row] = judgement
            at = expand(starts[judged], lengths[judged])
            row = batch.row_at(at)
            judgement = judgements[row]
            if self.elsewhere:
                elsewhere = taken(documents, row).is_in(self.qrels.document_series.unique().implode()).to_numpy()
        else:
            at = batch.place_of(row)
        segment = batch.query_of(row)
        scores = batch.scores_together
        positive = batch.scores[row] > 0
        above: dict[ScoreType, Integers] = {}
        for ordering, parts in self.parts.items():

            def by_id(standing: Standing, ordering: Ordering = ordering) -> Integers:
                if ordering.score_type not in above:
                    above[ordering.score_type] = _tied_above(standing, batch, segment, row)
                return above[ordering.score_type]

            stood = places(ordering, scores, starts, lengths, segment, at, batch.row_at, by_id)
            rank = stood.first if stood.rank is None else stood.rank
            parts.append(Found(code[segment], rank, stood.first, stood.last, judgement, positive, elsewhere))

    def code(self, queries: list[str]) -> Integers:
        """Numbers of queries: their place in the judgements, or a number beyond for those that nobody judged."""
        codes = self.codes
        numbers = [codes.setdefault(query, len(codes)) for query in queries]
        before = len(self.done)
        self.done.update(numbers)
        if len(self.done) < before + len(numbers):
            raise _ScatteredError
        return np.array(numbers, dtype=np.int64)

    def without(self, rows: Rows, why: str, batch: Batch, code: Integers, keys: Keys) -> tuple[Batch, Integers, Keys]:
        """Leave rows out, and count those of judged queries."""
        if not rows.any():
            return batch, code, keys
        self.left_out[why] += int(np.count_nonzero(code[batch.query_of(np.flatnonzero(rows))] < len(self.qrels)))
        others, left = batch.without(rows)
        self.emptied.update(compress(batch.queries, ~left))
        return others, code[left], keys[~rows]

    def hits(self, documents: pl.Series, keys: Keys, code: Integers) -> tuple[Integers, Integers]:
        """The rows of judged documents, and their places in the judgements.

        Rows of equal keys are compared as text, so that equal keys of different documents do no harm.
        """
        places = expand(self.qrels.offsets[code], self.qrels.lengths[code])
        wanted = self.index.keys[places]
        order = np.argsort(wanted)
        row, found = candidates(keys, wanted[order])
        place = places[order[found]]
        same = (taken(documents, row) == taken(self.qrels.document_series, place)).to_numpy()
        return row[same], place[same]

    def excluded(self, batch: Batch, code: Integers, keys: Keys, exclude: Exclusion) -> Rows:
        """The rows that `Judging.exclude` takes out."""
        query, documents = exclude.of_queries(batch.queries)
        wanted = _keys(documents, _spread(code[query]), self.index.seed)
        return excluded(batch, keys, wanted, query, documents)

    def superfluous(self, batch: Batch, code: Integers, keys: Keys) -> Rows | None:
        """The rows of documents of which another row counts, if there are such.

        Raises:
            InputError: `duplicate-document`, where none is said to count.

        """
        if self.leaves_out.duplicates in COUNTED or not repeated(keys):
            return None
        if self.leaves_out.duplicates != "error":
            spread, seed = batch.spread(_spread(code)), self.index.seed
            return superfluous(
                batch,
                lambda number: _keys(batch.documents, spread, seed + number) if number else keys,
                self.leaves_out.duplicates,
            )
        order = np.argsort(keys)
        next_to = np.flatnonzero(keys[order[1:]] == keys[order[:-1]])
        one, other = order[next_to], order[next_to + 1]
        if (taken(batch.documents, one) == taken(batch.documents, other)).any():
            raise self.run.duplicates()
        return None


def _tied_above(standing: Standing, batch: Batch, segment: Integers, row: Integers) -> Integers:
    """How many documents of the same score stand above each of the rows, by descending id.

    The ids of a group are not sorted: each is looked up among the few that are asked for, and then they are counted.
    """
    above = np.zeros_like(row)
    groups, documents = tie_groups(standing, batch.starts, segment), batch.documents
    if not groups.held.size:
        return above
    asked = pl.DataFrame({"group": groups.group.tolist(), "document": taken(documents, row[groups.held])})
    order = asked.select(pl.arg_sort_by("group", "document")).to_series().to_numpy()
    ids, group = taken(asked["document"], order), groups.group[order]
    edges = np.searchsorted(group, np.arange(int(group[-1]) + 2))
    all_ids, last = taken(documents, batch.row_at(groups.rows)), len(ids) - 1
    smaller = bisect(
        edges[groups.group_of_row],
        edges[groups.group_of_row + 1],
        lambda place: (taken(ids, np.minimum(place, last)) < all_ids).to_numpy(),
    )
    counts = np.bincount(smaller + groups.group_of_row, minlength=len(ids) + edges.size)  # a slot more in each group
    from_here = np.cumsum(counts[::-1])[::-1]
    above[groups.held[order]] = from_here[np.arange(len(ids)) + group + 1] - from_here[edges[group + 1] + group + 1]
    return above


def _keys(documents: pl.Series, spread: Keys, seed: int) -> Keys:
    hashed: Keys = documents.hash(seed).to_numpy()
    return hashed + spread


def _spread(queries: Integers) -> Keys:
    """What a query adds to the hashes of its documents."""
    return queries.astype(np.uint64) * _SPREAD
