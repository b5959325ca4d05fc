"""Judge a run: exclude, remove duplicates, find the judged documents, rank them, break ties, collect their rows."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankworth.arrays import Floats, Integers, expand
from rankworth.catalogue import Catalogue
from rankworth.errors import InputError
from rankworth.judging.exclusion import Exclusion
from rankworth.judging.judged_run import Columns
from rankworth.model import Qrels
from rankworth.model.costs import Costs
from rankworth.settings import UNBROKEN, Duplicates, Judging, Order, ScoreType, Ties

_CELLS: Final = 1 << 17
"""how many scores are sorted at a time, so that they stay in the processor's cache"""


class Ordering(NamedTuple):
    """The settings that select and order the rows of a run; all others are applied afterwards."""

    order: Order
    score_type: ScoreType
    ties: Ties
    duplicates: Duplicates
    exclude: "Exclusion | None"

    @classmethod
    def of(cls, judging: Judging, exclude: "Exclusion | None" = None) -> "Ordering":
        """Take the ordering out of settings; ties that are settled later stand by descending id until then."""
        ties: Ties = "id-descending" if judging.ties in UNBROKEN else judging.ties
        return cls(judging.order, judging.score_type, ties, judging.duplicates, exclude)

    def settled(self, lists: object) -> "Ordering":
        """Resolve `order="auto"`: the order of lists, or the scores of a table, for which `lists` is None."""
        return self._replace(order="score" if lists is None else "given") if self.order == "auto" else self


_HASH: Final = (1 << 62) - 1
Conventions = Sequence[tuple[Qrels, Ordering]]
"""Judgements and the ordering of each convention by which a run is judged."""


@dataclass(frozen=True)
class Include:
    """What the rows of a judged run include.

    Attributes:
        full: unjudged documents.
        elsewhere: whether a document is judged for any query; only where `full`.
        shown: queries of which all documents get rows, with ids and scores.
        subtopics: the grades by subtopic.
        spans: the spans of pieces and gold.
        catalogue: what is known of items and users, whose numbers the rows have; only where `full`.
        costs: what each document of a query costs; only where `full`.

    """

    full: bool = False
    elsewhere: bool = False
    shown: Collection[str] = ()
    subtopics: bool = False
    spans: bool = False
    catalogue: Catalogue | None = None
    costs: Costs | None = None


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


@dataclass(frozen=True)
class TieGroups:
    """Documents with equal scores: `T` of them are among the hits, and their `G` groups have `K` rows."""

    hits: Integers
    """`[T]`: the places of the documents among the hits"""
    group: Integers
    """`[T]`: the number of the group of each"""
    sizes: Integers
    """`[G]`: how many rows each group has"""
    rows: Integers
    """`[K]`: the rows of the groups, one group after the other, ascending in each"""


@dataclass(frozen=True, kw_only=True)
class Rows(ABC):
    """Some whole queries of a run, and the judgements: the rows of one query after those of the other, `R` of them."""

    qrels: Qrels
    include: Include
    queries: list[str]
    """`[S]`"""
    query_index: Integers
    """`[S]`: the index of the query in the judgements, from `len(qrels)` on where it is unjudged"""
    lengths: Integers
    """`[S]`: the number of rows"""
    _groups: dict[ScoreType, tuple[Integers, Integers, Integers | None]] = field(init=False, default_factory=dict)

    @cached_property
    def judged(self) -> Integers:
        """The numbers of the judged queries."""
        return np.flatnonzero(self.query_index < len(self.qrels))

    @cached_property
    def size(self) -> int:
        """The number of rows of judged queries."""
        return int(self.lengths[self.judged].sum())

    @property
    def unjudged(self) -> dict[str, int]:
        """The number of rows of each unjudged query."""
        numbers = np.flatnonzero(self.query_index >= len(self.qrels)).tolist()
        return {self.queries[number]: int(self.lengths[number]) for number in numbers}

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
        """Return the rows of the documents that are not excluded."""

    @abstractmethod
    def once(self, policy: Duplicates) -> "Rows":
        """Keep the rows that count of documents repeated in a query.

        Raises:
            InputError: `duplicate-document`.

        """

    @abstractmethod
    def documents(self, rows: Integers) -> list[str]:
        """Return the ids at the given rows."""

    @abstractmethod
    def hits(self) -> Hits:
        """Find the judged documents."""

    @abstractmethod
    def judgements(self, segments: Integers) -> Integers:
        """Return the judgement of every row of the given judged queries, -1 where there is none."""

    def items(self, rows: Integers, catalogue: Catalogue) -> Integers:
        """Return the number of the document at each row in the catalogue, a negative one where it has none."""
        numbers, documents = catalogue.numbers, self.documents(rows)
        return np.array([numbers.get(each, -2 - (hash(each) & _HASH)) for each in documents], dtype=np.int64)

    @abstractmethod
    def judged_anywhere(self, rows: Integers) -> NDArray[np.bool_]:
        """Return whether the document of each row is judged for any query."""

    @abstractmethod
    def before_in_group(self, hits: Hits, groups: TieGroups, ties: Ties) -> Integers:
        """Return `[T]`, how many rows of its group come before each tied document, by ids or by the order given.

        Raises:
            InputError: `id-type`.

        """

    def ranked(self, ordering: Ordering) -> Columns:
        """Rank the documents that get a row by one ordering; orderings share intermediate results."""
        ranks = zip(("tie_first", "tie_last", "rank"), self._ranks(ordering), strict=True)
        return self._columns | dict(ranks)

    @cached_property
    def _shown(self) -> Integers:
        """The numbers of the queries that are shown."""
        return np.array([number for number in self.judged.tolist() if self.queries[number] in self.include.shown], int)

    @cached_property
    def _columns(self) -> Columns:
        """What no ordering changes of the documents that get a row."""
        hits, include = self._included, self.include
        columns: dict[str, Any] = {
            "query": self.query_index[hits.segment],
            "judgement": hits.judgement,
            "positive": hits.score > 0,
            "score": hits.score,
        }
        if include.elsewhere and include.full:
            columns["elsewhere"] = self.judged_anywhere(hits.row)
        if include.catalogue is not None and include.full:
            columns["item"] = self.items(hits.row, include.catalogue)
        if include.costs is not None and include.full:
            queries = [self.queries[segment] for segment in hits.segment.tolist()]
            columns["cost"] = include.costs.of(queries, self.documents(hits.row))
        if include.shown:
            columns["document"] = document = np.full(hits.segment.size, "", dtype=object)
            named = np.flatnonzero(np.isin(hits.segment, self._shown))  # [D]: the hits that have an id
            document[named] = self.documents(hits.row[named])
        return columns

    def _ranks(self, ordering: Ordering) -> tuple[Integers, Integers, Integers]:
        """Return the first rank of the group of equal scores, the last rank of it, and the rank: `[N]` each.

        Raises:
            InputError: `bad-score`, of a rank column.

        """
        hits, score_type = self._included, ordering.score_type
        if ordering.order in ("given", "rank"):
            is_given = ordering.order == "given"
            rank = hits.row - self.starts[hits.segment] + 1 if is_given else whole_ranks(self.ranks[hits.row])
            return rank, rank, rank
        if score_type not in self._groups:
            # [R] and [N]: the scores of all rows, and of the hits
            scores, score = (at_precision(values, score_type) for values in (self.scores, hits.score))
            self._groups[score_type] = tie_groups(-scores, self.starts, self.lengths, hits.segment, -score)
        first, last, order = self._groups[score_type]  # [N], [N], and [R] or None
        if last is first:
            return first, first, first
        return first, last, break_ties(first, last, order, self, hits, ordering.ties)

    @cached_property
    def _included(self) -> Hits:
        """The documents that get a row: the judged ones, and every document of queries that are shown, or of all."""
        whole = self.judged if self.include.full else self._shown
        if not whole.size:
            return self.hits()
        rows = expand(self.starts[whole], self.lengths[whole])  # [W]: every row of these queries
        segment, judgement = np.repeat(whole, self.lengths[whole]), self.judgements(whole)
        if whole.size < self.judged.size:
            hits = self.hits()
            partial = np.flatnonzero(~np.isin(hits.segment, whole))  # [P]: the hits of all other queries
            segment = np.append(hits.segment[partial], segment)
            judgement = np.append(hits.judgement[partial], judgement)
            rows = np.append(hits.row[partial], rows)
        return Hits(segment, judgement, self.scores[rows], lambda: rows)


def tie_groups(
    ascending: Floats, starts: Integers, lengths: Integers, segment: Integers, target: Floats
) -> tuple[Integers, Integers, Integers | None]:
    """Find the first and the last rank of each document's group of equal scores, and the order of all rows.

    Args:
        ascending: `[R]`, minus the scores of all rows, segment after segment; a segment holds one query.
        starts: `[S]`, where each segment begins.
        lengths: `[S]`, how many rows it has.
        segment: `[N]`, the segments of the documents.
        target: `[N]`, minus the scores of the documents.

    Returns:
        `[N]`, `[N]`, which are one array where none of them is tied, and `[R]` places from the best score to the worst
        within their segment, None where they stand so.

    """
    falls = ascending[1:] < ascending[:-1]  # [R - 1]: whether the next row has a better score
    falls[starts[1:] - 1] = False  # the next row is of another query
    order = None
    if falls.any():
        disorder = np.zeros(starts.size, dtype=bool)  # [S]: whether the segment has documents, and rows out of order
        disorder[segment] = True
        disorder &= np.logical_or.reduceat(np.append(falls, False), starts)
        if disorder.any():
            if int(lengths[segment].sum()) <= 2 * ascending.size:
                first, last = _counted(ascending, starts, lengths, segment, target)
                if (first == last).all():
                    return first, first, None
            order = np.arange(ascending.size)  # [R]: as rows stand, but for the segments that are sorted below
            for length in np.unique(lengths[disorder]).tolist():
                # [C]: where the segments of this length begin
                begin, step = starts[disorder & (lengths == length)], max(1, _CELLS // length)
                for at in range(0, begin.size, step):
                    rows = begin[at : at + step, None] + np.arange(length)  # [c, length]: the rows of c segments
                    order[rows] = np.take_along_axis(rows, np.argsort(ascending[rows], axis=1), axis=1)
            ascending = ascending[order]  # [R]: every segment with documents from its best score to its worst
    # [N]: where the segment of each document begins and ends
    low, high = starts[segment], starts[segment] + lengths[segment]
    # [N]: the first row of each document's group, in the order of scores
    first = _bisect(low, high, lambda index: ascending.take(index, mode="clip") < target)
    last = first + 1
    rank = last - low
    # [N]: whether the next row has the same score
    follows = (last < high) & (ascending.take(last, mode="clip") == target)
    if not follows.any():
        return rank, rank, order
    equal = target[follows]  # [T]: minus the scores of tied documents
    last[follows] = _bisect(last[follows], high[follows], lambda index: ascending.take(index, mode="clip") <= equal)
    return rank, last - low, order


def _counted(
    ascending: Floats, starts: Integers, lengths: Integers, segment: Integers, target: Floats
) -> tuple[Integers, Integers]:
    """Count `[N]` first and last ranks over every score of a segment: for few documents, quicker than to sort it.

    Arguments are those of `tie_groups`.
    """
    size = lengths[segment]  # [N]: with how many scores each document is compared
    first, last = np.ones_like(segment), np.zeros_like(segment)
    # the documents at which a new block of about `_CELLS` scores begins
    blocks = np.flatnonzero(np.diff(np.cumsum(size) // _CELLS, prepend=-1))
    for begin, end in pairwise([*blocks.tolist(), segment.size]):
        block = slice(begin, end)
        ends = np.cumsum(size[block])  # [n]: where the scores for each document of the block end
        # the scores of whole segments, document after document
        values = ascending[expand(starts[segment[block]], size[block])]
        theirs = np.repeat(target[block], size[block])  # for each of these the score of the document
        first[block] += np.add.reduceat(values < theirs, ends - size[block], dtype=np.int64)
        last[block] += np.add.reduceat(values <= theirs, ends - size[block], dtype=np.int64)
    return first, last


def _bisect(low: Integers, high: Integers, before: Callable[[Integers], NDArray[np.bool_]]) -> Integers:
    """Find, for many slices at once, the first place that is not `before`; places may lie one beyond the end.

    Args:
        low: `[N]`, where each slice begins.
        high: `[N]`, where it ends.
        before: tells for one place per slice whether what is searched comes after it.

    """
    low = low.copy()
    for power in reversed(range(int((high - low).max(initial=0)).bit_length())):
        probe = low + (1 << power) - 1  # [N]: a step ahead in each slice
        low += ((probe < high) & before(probe)) << power
    return low


def break_ties(
    first: Integers, last: Integers, order: Integers | None, batch: Rows, hits: Hits, ties: Ties
) -> Integers:
    """Rank documents within groups of equal scores by ids or by the order given."""
    rank, tied = first.copy(), np.flatnonzero(last > first)  # [N], and [T]: the hits that share their score
    # In the order of scores, the rows of a group stand together.
    begin = batch.starts[hits.segment[tied]] + first[tied] - 1  # [T]: where the group of each begins
    # [G]: where each group begins; [G]: a tied hit of it; [T]: the group of each tied hit
    begin, index, group = np.unique(begin, return_index=True, return_inverse=True)
    sizes = (last - first + 1)[tied][index]  # [G]: how many rows each group has
    rows = expand(begin, sizes)  # [K]: positions in the order of scores, group after group
    if order is not None:
        rows = order[rows]  # [K]: the rows at these positions
        rows = rows[np.lexsort((rows, np.repeat(np.arange(sizes.size), sizes)))]  # [K]: ascending in each group
    rank[tied] += batch.before_in_group(hits, TieGroups(tied, group, sizes, rows), ties)
    return rank


def at_precision(scores: Floats, score_type: ScoreType) -> Floats:
    """Round scores to the precision in which they are compared."""
    if score_type == "float64":
        return scores
    with np.errstate(over="ignore"):
        return scores.astype(np.float32).astype(np.float64)


def whole_ranks(ranks: Floats) -> Integers:
    """Read ranks from a rank column.

    Raises:
        InputError: `bad-score`.

    """
    bad = np.flatnonzero((ranks < 1) | (ranks != np.floor(ranks)) | ~np.isfinite(ranks))
    if bad.size:
        text = f"a document has the rank {ranks[bad[0]]:g}; ranks are whole numbers from 1"
        raise InputError("bad-score", text, remedy="fix the rank column, or let scores decide: order='score'")
    return ranks.astype(np.int64)
