"""The steps of judging: exclude, remove duplicates, find the judged documents, rank them, collect their rows."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rankworth.arrays import Floats, Integers, expand
from rankworth.errors import InputError
from rankworth.judging.exclusion import Exclusion
from rankworth.judging.judged_run import Columns, JudgedRun, Layout, assemble, nothing_left, subtopics_of
from rankworth.judging.overlap import nothing_in_common
from rankworth.judging.ties import Contradictions, Ranks
from rankworth.model import Qrels, Run
from rankworth.settings import STANDARD_JUDGING, Duplicates, Judging, Ordering

if TYPE_CHECKING:
    from rankworth.io.source import Progress

Conventions = Sequence[tuple[Qrels, Ordering]]
"""Judgements and the ordering of each convention by which a run is judged."""


@dataclass(frozen=True)
class Include:
    """What the rows of a judged run include.

    Attributes:
        full: unjudged documents.
        elsewhere: whether a document is judged for any query; only where `full`.
        shown: queries of which all documents get rows, with ids and scores.

    """

    full: bool
    elsewhere: bool
    shown: Collection[str]


@dataclass(frozen=True)
class Hits:
    """Documents that get a row: `[N]` each."""

    segment: Integers
    """the number of the query in the batch"""
    judgement: Integers
    """the place among the judgements, -1 where unjudged"""
    score: Floats
    find: Callable[[], Integers]

    @cached_property
    def row(self) -> Integers:
        """The row in the batch, found where it is needed."""
        return self.find()


@dataclass(frozen=True, kw_only=True)
class Rows(ABC):
    """Some whole queries of a run, and the judgements: the rows of one query after those of the other, `R` of them."""

    qrels: Qrels
    queries: list[str]
    """`[S]`"""
    place: Integers
    """`[S]`: the place of the query in the judgements, from `len(qrels)` on where it is unjudged"""
    lengths: Integers
    """`[S]`: the number of rows"""

    @cached_property
    def judged(self) -> Integers:
        """The numbers of the judged queries."""
        return np.flatnonzero(self.place < len(self.qrels))

    @cached_property
    def size(self) -> int:
        """The number of rows of judged queries."""
        return int(self.lengths[self.judged].sum())

    @property
    def unjudged(self) -> dict[str, int]:
        """The number of rows of each unjudged query."""
        lengths = zip(self.queries, self.place.tolist(), self.lengths.tolist(), strict=True)
        return {query: length for query, place, length in lengths if place >= len(self.qrels)}

    @cached_property
    def starts(self) -> Integers:
        """`[S]`: the first row of each query."""
        return np.cumsum(self.lengths) - self.lengths

    @property
    @abstractmethod
    def scores(self) -> Floats:
        """`[R]`."""

    @property
    @abstractmethod
    def ranks(self) -> Floats:
        """`[R]`: the rank column."""

    @abstractmethod
    def without(self, exclude: Exclusion) -> "Rows":
        """The rows of all other documents."""

    @abstractmethod
    def once(self, policy: Duplicates) -> "Rows":
        """The rows that count of documents that a query has twice.

        Raises:
            InputError: `duplicate-document`.

        """

    @abstractmethod
    def documents(self, rows: Integers) -> list[str]:
        """The ids of some rows."""

    @abstractmethod
    def hits(self) -> Hits:
        """The judged documents."""

    @abstractmethod
    def judgements(self, segments: Integers) -> Integers:
        """The judgement of every row of some judged queries, -1 where there is none."""

    @abstractmethod
    def judged_anywhere(self, rows: Integers) -> NDArray[np.bool_]:
        """Whether the documents of some rows are judged for any query."""

    @abstractmethod
    def by_id(self, rows: Integers, group: Integers, *, descending: bool) -> Integers:
        """The order of rows by group, id and row."""

    def ranked(self, include: Include) -> Callable[[Ordering], Columns]:
        """A function that ranks the documents that get a row."""
        shown = [number for number in self.judged.tolist() if self.queries[number] in include.shown]
        hits = self._with_all(self.judged if include.full else np.array(shown, dtype=np.int64))
        columns: dict[str, Any] = {
            "query": self.place[hits.segment],
            "judgement": hits.judgement,
            "positive": hits.score > 0,
            "score": hits.score,
        }
        if include.elsewhere and include.full:
            columns["elsewhere"] = self.judged_anywhere(hits.row)
        if include.shown:
            columns["document"] = document = np.full(hits.segment.size, "", dtype=object)
            named = np.flatnonzero(np.isin(hits.segment, shown))
            document[named] = self.documents(hits.row[named])
        ranks = Ranks(self, hits)
        return lambda ordering: columns | dict(zip(("tie_first", "tie_last", "rank"), ranks.by(ordering), strict=True))

    def _with_all(self, whole: Integers) -> Hits:
        """The judged documents, and every document of some queries."""
        if not whole.size:
            return self.hits()
        rows = expand(self.starts[whole], self.lengths[whole])
        segment, judgement = np.repeat(whole, self.lengths[whole]), self.judgements(whole)
        if whole.size < self.judged.size:
            hits = self.hits()
            others = np.flatnonzero(~np.isin(hits.segment, whole))
            segment = np.append(hits.segment[others], segment)
            judgement = np.append(hits.judgement[others], judgement)
            rows = np.append(hits.row[others], rows)
        return Hits(segment, judgement, self.scores[rows], lambda: rows)


@dataclass
class _Rest:
    """What is left once documents were excluded and duplicates removed, and the rows found in it."""

    n_retrieved: Integers
    columns: dict[Ordering, list[Columns]] = field(default_factory=dict)
    unjudged: dict[str, int] = field(default_factory=dict)
    emptied: set[str] = field(default_factory=set)
    excluded: int = 0
    repeated: int = 0
    refused: InputError | None = None
    unranked: dict[Ordering, InputError] = field(default_factory=dict)

    def count(self, batch: Rows, left: Rows, once: Rows) -> None:
        """Count a batch, what exclusion leaves of it, and the rows of that which count."""
        self.excluded += batch.size - left.size
        self.repeated += left.size - once.size
        self.emptied.update({*batch.queries}.difference(left.queries))
        self.unjudged |= once.unjudged
        self.n_retrieved[once.place[once.judged]] = once.lengths[once.judged]

    def rank(self, ranked: Callable[[Ordering], Columns]) -> None:
        """Rank the documents of a batch that get a row by every ordering."""
        for ordering, parts in self.columns.items():
            try:
                parts.append(ranked(ordering))
            except InputError as error:
                self.unranked[ordering] = error


class _Steps:
    """The conventions over the same judgements."""

    def __init__(self, qrels: Qrels, run: Run, include: Include, *, contradictions: bool) -> None:
        self.qrels, self.run, self.include = qrels, run, include
        self.contradictions = Contradictions() if contradictions else None
        self.rests: dict[tuple[Exclusion | None, Duplicates], _Rest] = {}

    @property
    def may_miss(self) -> bool:
        """Whether it is no error that no query is judged."""
        return not len(self.qrels) or self.run.is_rowless

    def expect(self, ordering: Ordering) -> None:
        """Rank by one more ordering."""
        key = ordering.exclude, ordering.duplicates
        rest = self.rests.setdefault(key, _Rest(np.zeros(len(self.qrels), dtype=np.int64)))
        rest.columns.setdefault(ordering, [])

    def add(self, batch: Rows) -> None:
        """Judge a batch; conventions that leave out nothing of it share the work."""
        if self.contradictions is not None:
            document = lambda row: batch.documents(np.array([row]))[0]  # noqa: E731 - for a message only
            self.contradictions.look(batch.queries, batch.starts, batch.scores, document, batch.judged)
        lefts: dict[Exclusion | None, Rows] = {None: batch}
        ranked: dict[int, tuple[Rows, Callable[[Ordering], Columns]]] = {}
        for (exclude, policy), rest in self.rests.items():
            if rest.refused is not None:
                continue
            if exclude is not None and exclude not in lefts:
                lefts[exclude] = batch.without(exclude)
            try:
                once = lefts[exclude].once(policy)
            except InputError as error:
                rest.refused = error
                continue
            rest.count(batch, lefts[exclude], once)
            if once.judged.size or self.may_miss:
                if id(once) not in ranked:
                    ranked[id(once)] = once, once.ranked(self.include)
                rest.rank(ranked[id(once)][1])

    def judged_run(self, ordering: Ordering, *, auto: bool) -> JudgedRun | InputError:
        """The run as one convention judges it, or the error with which it is refused."""
        name, rest = self.run.name, self.rests[ordering.exclude, ordering.duplicates]
        if auto and self.contradictions is not None and self.run.lists is not None:
            error = self.contradictions.error(name, self.run.lists)
            if error is not None:
                return error
        if rest.refused is not None:
            return rest.refused
        if not rest.n_retrieved.any() and not self.may_miss:
            if rest.excluded:
                return nothing_left(ordering.exclude, name)
            return nothing_in_common(self.qrels.queries, list(rest.unjudged), name, self.run.column)
        if ordering in rest.unranked:
            return rest.unranked[ordering]
        first, *others = parts = rest.columns[ordering]
        columns = {name: np.concatenate([part[name] for part in parts]) for name in first} if others else first
        hits = assemble(self.qrels, columns, rest.n_retrieved, ordering.duplicates)
        return JudgedRun(hits, rest.unjudged, rest.repeated, rest.excluded, frozenset(rest.emptied))


def judge_batches(
    asked: Conventions,
    run: Run,
    batches: Iterable[Callable[[Qrels], Rows]],
    include: Include,
) -> list[JudgedRun | InputError]:
    """Judge a run by several conventions; it is read once, and joined once for equal judgements.

    Args:
        asked: the judgements and the ordering of each convention.
        run: the run.
        batches: its rows, each as a function that puts them beside judgements.
        include: which rows and columns there are to be.

    Raises:
        InputError: what refuses the run under every convention; else the error is in the list.

    """
    batches = iter(batches)
    begin = list(islice(batches, 1))  # the first batch read says whether the run came as lists
    lists = run.lists
    settled = [(qrels, ordering.settled(lists)) for qrels, ordering in asked]
    contradictions = lists is not None and not lists.is_order and any(one.order == "auto" for _, one in asked)
    steps: dict[int, _Steps] = {}
    for qrels, ordering in settled:
        if id(qrels) not in steps:
            steps[id(qrels)] = _Steps(qrels, run, include, contradictions=contradictions)
        steps[id(qrels)].expect(ordering)
    for batch in chain(begin, batches):
        for some in steps.values():
            some.add(batch(some.qrels))
        refused = [rest.refused for some in steps.values() for rest in some.rests.values()]
        if all(refused) and refused[0] is not None:
            raise refused[0]
    return [
        steps[id(qrels)].judged_run(ordering, auto=before.order == "auto")
        for (qrels, ordering), (_, before) in zip(settled, asked, strict=True)
    ]


def judge(
    qrels: Qrels,
    run: Run,
    *,
    layout: Layout = "compact",
    settings: Judging = STANDARD_JUDGING,
    subtopics: bool = False,
    progress: "Progress | None" = None,
) -> JudgedRun:
    """Judge a run by one convention.

    Args:
        qrels: the judgements.
        run: what the system returned.
        layout: `compact` gives rows to judged documents only, `full` to all that were retrieved.
        settings: what orders the documents, and what becomes of repeated and excluded ones; the judgements are settled
            already, and what else is set comes after, in `rankworth.judging.grades`.
        subtopics: whether the grades by subtopic are wanted, too.
        progress: called while a file is read, see `rankworth.io.source.Progress`.

    Raises:
        InputError: where the run cannot be trusted, or shares no query with the judgements.

    """
    [judgement] = judge_all([(qrels, settings.ordering)], run, layout=layout, subtopics=subtopics, progress=progress)
    if isinstance(judgement, InputError):
        raise judgement
    return judgement


def judge_all(
    asked: Conventions,
    run: Run,
    *,
    layout: Layout = "compact",
    subtopics: bool = False,
    elsewhere: bool = False,
    shown: Collection[str] = (),
    progress: "Progress | None" = None,
) -> list[JudgedRun | InputError]:
    """Judge a run by several conventions, by the form that suits its door; it is read and joined once.

    Args:
        asked: the judgements and the ordering of each convention.
        run: as for `judge`.
        layout: as for `judge`.
        subtopics: as for `judge`.
        elsewhere: whether rows tell if a document is judged for some query; in the full layout only.
        shown: queries that are to be shown: all their documents get rows, with ids and scores.
        progress: as for `judge`.

    Returns:
        One for each that is asked; what one convention refuses stands in its place.

    Raises:
        InputError: where the run cannot be trusted by any.

    """
    include = Include(layout == "full", elsewhere, shown)
    by_rank = [ordering.order == "rank" and not run.has_ranks for _, ordering in asked]
    ranked = run.by_rank() if any(by_rank) else None
    if any(by_rank) and ranked is None:  # lists and scores make the ranks; equal scores stand as they were given
        asked = [
            (qrels, ordering._replace(order="auto", ties="given") if rank else ordering)
            for (qrels, ordering), rank in zip(asked, by_rank, strict=True)
        ]
        by_rank = [False] * len(asked)
    found: dict[int, JudgedRun | InputError] = {}
    for source, rank in ((run, False), (ranked or run, True)):
        numbers = [number for number, each in enumerate(by_rank) if each == rank]
        if numbers:
            found |= zip(
                numbers, _judged([asked[number] for number in numbers], source, include, progress), strict=True
            )
    judged = [found[number] for number in range(len(asked))]
    return _shared(judged, asked, run, subtopics=subtopics)


def _shared(
    judged: Sequence[JudgedRun | InputError], asked: Conventions, run: Run, *, subtopics: bool
) -> list[JudgedRun | InputError]:
    """Judged runs with what is known besides; equal ones without ties are one object, to be measured once."""
    shared: list[JudgedRun | InputError] = []
    lists = run.lists
    distinct: dict[tuple[object, ...], list[JudgedRun]] = {}
    for one, (qrels, ordering) in zip(judged, asked, strict=True):
        if isinstance(one, InputError):
            shared.append(one)
            continue
        key = id(qrels), ordering.settled(lists).order, ordering.exclude, ordering.duplicates
        some = distinct.setdefault(key, [])
        known = next((other for other in some if other.equals(one)), None)
        if known is None:
            known = replace(one, lists=lists is not None)
            if subtopics and one.hits.pool.size == qrels.grades.size:  # what was added has no subtopics
                known = replace(known, hits=replace(one.hits, subtopics=subtopics_of(qrels)))
            if not (one.hits.tie_last > one.hits.tie_first).any():
                some.append(known)
        shared.append(known)
    return shared


def _judged(
    asked: Conventions, run: Run, include: Include, progress: "Progress | None"
) -> list[JudgedRun | InputError]:
    """Judge by the module for the input, of which one is imported."""
    queries = run.dicts(progress)
    if queries is not None:
        from rankworth.judging import dicts  # noqa: PLC0415 - as said

        return judge_batches(asked, run, [lambda qrels: dicts.batch(qrels, queries, run.name)], include)
    from rankworth.judging import polars  # noqa: PLC0415 - as said

    return polars.judge_all(asked, run, include, progress=progress)
