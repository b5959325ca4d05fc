"""Judging for files and frames, batch by batch: filter the judged documents first, count who stands above them after.

No sort, no window and no rank of documents that nobody judged. Most runs have each query's rows together; where they do
not, the pass is given up, and all rows are brought together first.
"""

from collections.abc import Collection, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, field, fields, replace
from itertools import chain, compress, count, islice
from typing import Final

import numpy as np
import polars as pl

from rankworth.arrays import Integers, expand
from rankworth.errors import InputError
from rankworth.io.duplicates import COUNTED
from rankworth.io.source import Progress
from rankworth.judging.batches import Batch, gathered, in_order
from rankworth.judging.exclusion import Exclusion
from rankworth.judging.judged_run import Found, JudgedRun, Layout, assemble, nothing_left
from rankworth.judging.order import Contradictions, settled
from rankworth.judging.overlap import nothing_in_common
from rankworth.judging.policies import Keys, Rows, candidates, excluded, repeated, superfluous
from rankworth.judging.ties import Places, Standing, bisect, tie_groups
from rankworth.model import Qrels, Run
from rankworth.settings import STANDARD_JUDGING, Duplicates, Judging, Ordering
from rankworth.tables.frames import taken

_SPREAD: Final = np.uint64(0x9E3779B97F4A7C15)

Asked = tuple[Qrels, Ordering]
"""Judgements, and a convention by which a run is judged."""


class _ScatteredError(Exception):
    """A query came back after other queries; never leaves this room."""


def judge(
    qrels: Qrels,
    run: Run,
    layout: Layout = "compact",
    settings: Judging = STANDARD_JUDGING,
    progress: Progress | None = None,
) -> JudgedRun:
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
    shown: Collection[str] = (),
    progress: Progress | None = None,
) -> list[JudgedRun | InputError]:
    """Where the documents of a run stand, by several conventions; the run is read once, and joined once.

    Args:
        asked: the judgements and the ordering of each convention; judgements differ in what was excluded.
        run: as for `judge`.
        layout: as for `judge`.
        elsewhere: whether rows tell if a document is judged for some query; in the full layout only.
        shown: queries of which all documents get rows, with ids and scores.
        progress: as for `judge`.

    Raises:
        InputError: what the door finds. What one convention refuses stands in its place.

    """
    ranks = any(ordering.order == "rank" for _, ordering in asked)
    try:
        with closing(in_order(run.batches(progress, ranks=ranks))) as batches:
            return _through(batches, asked, run, layout, elsewhere=elsewhere, shown=shown)
    except _ScatteredError:
        with closing(gathered(run.batches(progress, ranks=ranks))) as batches:
            found = _through(batches, asked, run, layout, elsewhere=elsewhere, shown=shown)
        return [replace(one, scattered=True) if isinstance(one, JudgedRun) else one for one in found]


def _through(
    batches: Iterable[Batch],
    asked: Sequence[Asked],
    run: Run,
    layout: Layout,
    *,
    elsewhere: bool,
    shown: Collection[str],
) -> list[JudgedRun | InputError]:
    """Judge all batches; conventions over the same judgements share one join."""
    works: dict[int, _Work] = {}
    batches = iter(batches)
    begun = list(islice(batches, 1))  # which tells how the run came
    lists, auto = run.lists, any(ordering.order == "auto" for _, ordering in asked)
    for qrels, one in asked:
        ordering = settled(one, lists)
        work = works.setdefault(id(qrels), _Work(qrels, run, layout, elsewhere=elsewhere, shown=shown))
        if auto and lists is not None and not lists.is_order:
            work.contradictions = work.contradictions or Contradictions()
        kept = work.kept.setdefault((ordering.exclude, ordering.duplicates), _Kept(len(qrels)))
        kept.parts.setdefault(ordering, [])
    for batch in chain(begun, batches):
        for work in works.values():
            work.settle(batch)
        refused = [kept.refused for work in works.values() for kept in work.kept.values()]
        if all(refused) and refused[0] is not None:
            raise refused[0]
    found = []
    for qrels, ordering in asked:
        work = works[id(qrels)]
        contrary = work.contrary if ordering.order == "auto" else None
        found.append(contrary or work.judgement(settled(ordering, lists)))
    return found


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


class _Kept:
    """What was found so far, of conventions that leave out the same rows."""

    def __init__(self, queries: int) -> None:
        self.n_retrieved = np.zeros(queries, dtype=np.int64)
        self.parts: dict[Ordering, list[Found]] = {}
        self.unjudged: dict[str, int] = {}
        self.emptied: set[str] = set()
        self.left_out = {"excluded": 0, "repeated": 0}
        self.refused: InputError | None = None


@dataclass(frozen=True)
class _Part:
    """A batch, or what is left of it."""

    batch: Batch
    code: Integers
    """`[S]`: the numbers of its queries"""
    keys: Keys
    """`[R]`: the keys of its rows"""

    def without(self, rows: Rows) -> "tuple[_Part, list[str]]":
        """Leave rows out; what is left, and the queries that have nothing left."""
        if not rows.any():
            return self, []
        others, left = self.batch.without(rows)
        return _Part(others, self.code[left], self.keys[~rows]), list(compress(self.batch.queries, ~left))

    def count(self, rows: Rows, judged: int) -> int:
        """How many of some rows belong to judged queries."""
        return int(np.count_nonzero(self.code[self.batch.query_of(np.flatnonzero(rows))] < judged))


@dataclass
class _Work:
    """All conventions over the same judgements."""

    qrels: Qrels
    run: Run
    layout: Layout
    elsewhere: bool = False
    shown: Collection[str] = ()
    index: _Index = field(init=False)
    codes: dict[str, int] = field(init=False)
    done: set[int] = field(default_factory=set)
    kept: dict[tuple[Exclusion | None, Duplicates], _Kept] = field(default_factory=dict)
    known: dict[tuple[object, ...], JudgedRun] = field(default_factory=dict)
    contradictions: Contradictions | None = None

    def __post_init__(self) -> None:
        self.index = _Index.of(self.qrels)
        self.codes = {query: code for code, query in enumerate(self.qrels.queries)}

    @property
    def contrary(self) -> InputError | None:
        """The error where the run came as lists and their scores contradict their order."""
        if self.contradictions is None or self.run.lists is None:
            return None
        return self.contradictions.error(self.run.name, self.run.lists)

    def judgement(self, ordering: Ordering) -> JudgedRun | InputError:
        """Put the parts of one convention together."""
        kept = self.kept[ordering.exclude, ordering.duplicates]
        if kept.refused is not None:
            return kept.refused
        if not kept.n_retrieved.any():
            if kept.left_out["excluded"]:
                return nothing_left(ordering.exclude, self.run.name)
            return nothing_in_common(self.qrels.queries, list(self.codes)[len(self.qrels) :], self.run.name)
        parts = kept.parts[ordering]
        same = (*(id(part.rank) for part in parts), *map(id, (parts[0].judgement, kept.n_retrieved)))
        copied = ordering.duplicates if ordering.duplicates in ("once", "joined") else ""
        if (known := self.known.get((*same, copied))) is not None:
            return known
        names = [one.name for one in fields(Found) if getattr(parts[0], one.name) is not None]
        self.known[*same, copied] = judgement = assemble(
            self.qrels,
            Found(**{name: np.concatenate([getattr(part, name) for part in parts]) for name in names}),
            kept.n_retrieved,
            kept.unjudged,
            duplicates=ordering.duplicates,
            emptied=kept.emptied,
            **kept.left_out,
        )
        return judgement

    def settle(self, batch: Batch) -> None:
        """Judge a batch by every convention; those that leave out nothing of it share the work.

        Raises:
            _ScatteredError: where a query comes back.

        """
        code = self.code(batch.queries)
        keys = _keys(batch.documents, batch.spread(_spread(code)), self.index.seed)
        whole = _Part(batch, code, keys)
        if self.contradictions is not None:
            judged = np.flatnonzero(code < len(self.qrels))
            self.contradictions.look(
                batch.queries,
                batch.starts,
                batch.scores_together,
                lambda place: batch.documents[int(batch.row_at(np.array([place]))[0])],
                judged,
            )
        alike: dict[int, tuple[_Part, list[_Kept]]] = {}
        for exclude in dict.fromkeys(exclude for exclude, _ in self.kept):
            some = {policy: kept for (other, policy), kept in self.kept.items() if other == exclude}
            part, excluded_rows = whole, 0
            emptied: list[str] = []
            if exclude is not None:
                out = self.excluded(whole, exclude)
                excluded_rows = whole.count(out, len(self.qrels))
                part, emptied = whole.without(out)
            twice = any(policy not in COUNTED for policy in some) and repeated(part.keys)
            for policy, kept in some.items():
                if kept.refused is not None:
                    continue
                kept.left_out["excluded"] += excluded_rows
                kept.emptied.update(emptied)
                left = part
                if twice and policy not in COUNTED:
                    try:
                        rows = self.superfluous(part, policy)
                    except InputError as error:
                        kept.refused = error
                        continue
                    kept.left_out["repeated"] += part.count(rows, len(self.qrels))
                    left, _ = part.without(rows)
                alike.setdefault(id(left), (left, []))[1].append(kept)
        for part, some_kept in alike.values():
            if part.batch.queries:
                self.stand(part, some_kept)

    def stand(self, part: _Part, kept: Sequence[_Kept]) -> None:
        """Find out where the documents of a batch stand."""
        batch, code = part.batch, part.code
        starts, lengths, documents = batch.starts, batch.lengths, batch.documents
        is_judged = code < len(self.qrels)
        judged = np.flatnonzero(is_judged)
        others = zip(batch.queries, lengths.tolist(), is_judged.tolist(), strict=True)
        unjudged = {query: length for query, length, known in others if not known}
        row, judgement = self.hits(documents, part.keys, code[judged])
        elsewhere = document = None
        shown = judged[[batch.queries[place] in self.shown for place in judged.tolist()]] if self.shown else judged[:0]
        whole = judged if self.layout == "full" else shown
        if self.layout == "full" or shown.size:
            judgements = np.full(len(documents), -1)
            judgements[row] = judgement
            row = row[~np.isin(batch.query_of(row), whole)]
            at = np.append(batch.place_of(row), expand(starts[whole], lengths[whole]))
            row = batch.row_at(at)
            judgement = judgements[row]
        else:
            at = batch.place_of(row)
        if self.elsewhere and self.layout == "full":
            elsewhere = taken(documents, row).is_in(self.qrels.document_series.unique().implode()).to_numpy()
        segment = batch.query_of(row)
        query, score = code[segment], batch.scores[row]
        if self.shown:
            document = np.full(row.size, "", dtype=object)
            named = np.flatnonzero(np.isin(segment, shown))
            document[named] = taken(documents, row[named]).to_list()
        stood = Places(batch, segment, at, lambda standing: _tied_above(standing, batch, segment, row))
        for one in kept:
            one.unjudged |= unjudged
            one.n_retrieved[code[judged]] = lengths[judged]
            for ordering, parts in one.parts.items():
                first, last, rank = stood.by(ordering)
                parts.append(Found(query, rank, first, last, judgement, score > 0, elsewhere, document, score))

    def code(self, queries: list[str]) -> Integers:
        """Numbers of queries: their place in the judgements, or a number beyond for those that nobody judged."""
        codes = self.codes
        numbers = [codes.setdefault(query, len(codes)) for query in queries]
        before = len(self.done)
        self.done.update(numbers)
        if len(self.done) < before + len(numbers):
            raise _ScatteredError
        return np.array(numbers, dtype=np.int64)

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

    def excluded(self, part: _Part, exclude: Exclusion) -> Rows:
        """The rows that `Judging.exclude` takes out."""
        query, documents = exclude.of_queries(part.batch.queries)
        wanted = _keys(documents, _spread(part.code[query]), self.index.seed)
        return excluded(part.batch, part.keys, wanted, query, documents)

    def superfluous(self, part: _Part, policy: Duplicates) -> Rows:
        """The rows of documents of which another row counts; equal keys may be of different documents.

        Raises:
            InputError: `duplicate-document`, where none is said to count.

        """
        batch, keys = part.batch, part.keys
        if policy != "error":
            spread, seed = batch.spread(_spread(part.code)), self.index.seed
            return superfluous(
                batch, lambda number: _keys(batch.documents, spread, seed + number) if number else keys, policy
            )
        order = np.argsort(keys)
        next_to = np.flatnonzero(keys[order[1:]] == keys[order[:-1]])
        one, other = order[next_to], order[next_to + 1]
        if (taken(batch.documents, one) == taken(batch.documents, other)).any():
            raise self.run.duplicates()
        return np.zeros(keys.size, dtype=bool)


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
