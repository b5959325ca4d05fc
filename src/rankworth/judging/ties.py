"""Ranks: by score with ties broken by id or by position, by the rank column, or in the order given.

And what has no order to rank by: lists whose scores contradict it, and relations that say none of their rows.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from rankworth.arrays import Floats, Integers, expand
from rankworth.errors import InputError, UsageError, counted, quoted
from rankworth.io.reading import Lists
from rankworth.settings import Judging, ScoreType, Ties

if TYPE_CHECKING:
    from rankworth.judging.steps import Hits, Rows

_CELLS: Final = 1 << 17
"""how many scores are sorted at a time, so that they stay in the processor's cache"""
Spans = tuple[Integers, Integers, Integers]
"""First rank of the group of equal scores, last rank of it, and rank: `[N]` each."""


def tie_groups(
    ascending: Floats, starts: Integers, lengths: Integers, segment: Integers, target: Floats
) -> tuple[Integers, Integers, Integers | None]:
    """The first and the last rank of the group of equal scores of some documents, and the order of all rows.

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
    falls = ascending[1:] < ascending[:-1]
    falls[starts[1:] - 1] = False
    order = None
    if falls.any():
        disorder = np.zeros(starts.size, dtype=bool)
        disorder[segment] = True
        disorder &= np.logical_or.reduceat(np.append(falls, False), starts)
        if disorder.any():
            if int(lengths[segment].sum()) <= 2 * ascending.size:
                first, last = _counted(ascending, starts, lengths, segment, target)
                if (first == last).all():
                    return first, first, None
            order = np.arange(ascending.size)
            for length in np.unique(lengths[disorder]).tolist():
                begin, step = starts[disorder & (lengths == length)], max(1, _CELLS // length)
                for some in range(0, begin.size, step):
                    rows = begin[some : some + step, None] + np.arange(length)
                    order[rows] = np.take_along_axis(rows, np.argsort(ascending[rows], axis=1), axis=1)
            ascending = ascending[order]
    low, high = starts[segment], starts[segment] + lengths[segment]
    first = _bisect(low, high, lambda place: ascending.take(place, mode="clip") < target)
    last = first + 1
    rank = last - low
    follows = (last < high) & (ascending.take(last, mode="clip") == target)
    if not follows.any():
        return rank, rank, order
    last = _bisect(last, high, lambda place: ascending.take(place, mode="clip") <= target)
    return rank, last - low, order


def _counted(
    ascending: Floats, starts: Integers, lengths: Integers, segment: Integers, target: Floats
) -> tuple[Integers, Integers]:
    """First and last ranks by looking at every score of a segment: for few documents, quicker than to sort it."""
    size = lengths[segment]
    first, last = np.ones_like(segment), np.zeros_like(segment)
    blocks = np.flatnonzero(np.diff(np.cumsum(size) // _CELLS, prepend=-1))
    for begin, end in pairwise([*blocks.tolist(), segment.size]):
        some = slice(begin, end)
        ends = np.cumsum(size[some])
        values = ascending[expand(starts[segment[some]], size[some])]
        theirs = np.repeat(target[some], size[some])
        first[some] += np.add.reduceat(values < theirs, ends - size[some], dtype=np.int64)
        last[some] += np.add.reduceat(values <= theirs, ends - size[some], dtype=np.int64)
    return first, last


def _bisect(low: Integers, high: Integers, before: Callable[[Integers], NDArray[np.bool_]]) -> Integers:
    """For many slices at once, the first place that is not `before`; places may lie one beyond the end.

    Args:
        low: where each slice begins.
        high: where it ends.
        before: tells for one place per slice whether what is searched comes after it.

    """
    low = low.copy()
    for power in reversed(range(int((high - low).max(initial=0)).bit_length())):
        place = low + (1 << power) - 1
        low += ((place < high) & before(place)) << power
    return low


def break_ties(
    first: Integers, last: Integers, order: Integers | None, batch: "Rows", hits: "Hits", ties: Ties
) -> Integers:
    """Ranks of documents, within groups of equal scores by ids or by the order given."""
    rank, tied = first.copy(), np.flatnonzero(last > first)
    begin, index = np.unique(batch.starts[hits.segment[tied]] + first[tied] - 1, return_index=True)
    size = (last - first + 1)[tied][index]
    rows = expand(begin, size) if order is None else order[expand(begin, size)]
    group = np.repeat(np.arange(begin.size), size)
    if ties in ("given", "given-reversed"):
        by_group = np.lexsort((rows if ties == "given" else -rows, group))
    else:
        by_group = batch.by_id(rows, group, descending=ties == "id-descending")
    before = np.empty_like(by_group)
    before[by_group] = expand(np.zeros_like(size), size)
    by_row = np.argsort(rows)
    rank[tied] += before[by_row[np.searchsorted(rows, hits.row[tied], sorter=by_row)]]
    return rank


def at_precision(scores: Floats, score_type: ScoreType) -> Floats:
    """Scores as they are compared."""
    if score_type == "float64":
        return scores
    with np.errstate(over="ignore"):
        return scores.astype(np.float32).astype(np.float64)


def whole_ranks(ranks: Floats) -> Integers:
    """Ranks of a rank column.

    Raises:
        InputError: `bad-score`.

    """
    bad = np.flatnonzero((ranks < 1) | (ranks != np.floor(ranks)) | ~np.isfinite(ranks))
    if bad.size:
        text = f"a document has the rank {ranks[bad[0]]:g}; ranks are whole numbers from 1"
        raise InputError("bad-score", text, remedy="fix the rank column, or let scores decide: order='score'")
    return ranks.astype(np.int64)


_WAYS: Final = (
    'order="given" (--order given) takes lists as they stand, order="score" (--order score) sorts them by score'
)


@dataclass
class Contradictions:
    """Lists whose scores contradict their order.

    Attributes:
        queries: how many queries were looked at.
        rising: in how many of them some score is above the one before.
        falls: whether any score is below the one before.
        example: a query, two documents that stand one after the other, and their scores.

    """

    queries: int = 0
    rising: int = 0
    falls: bool = False
    example: tuple[str, str, float, str, float] | None = None

    def look_at(self, rows: "Rows") -> None:
        """Look at the lists of the judged queries of a batch."""
        self.look(rows.queries, rows.starts, rows.scores, lambda row: rows.documents(np.array([row]))[0], rows.judged)

    def look(
        self,
        queries: Sequence[str],
        starts: Integers,
        scores: Floats,
        document: Callable[[int], Any],
        only: Integers | None = None,
    ) -> None:
        """Look at the lists of some queries.

        Args:
            queries: `[S]`, their ids.
            starts: `[S]`, where their lists begin.
            scores: `[R]`, those of a query together.
            document: gives the id at a place.
            only: the numbers of the queries that are judged; all where None.

        """
        judged = np.ones(len(queries), dtype=bool) if only is None else np.isin(np.arange(len(queries)), only)
        inner = np.repeat(judged, np.diff(starts, append=scores.size))[1:]
        inner[starts[1:] - 1] = False
        self.queries += int(judged.sum())
        self.falls = self.falls or bool((inner & (scores[1:] < scores[:-1])).any())
        above = np.flatnonzero(inner & (scores[1:] > scores[:-1])) + 1
        owners = np.searchsorted(starts, above, side="right") - 1
        self.rising += np.unique(owners).size
        if self.example is None and above.size:
            place = int(above[0])
            (before, one), (after, other) = ((str(document(row)), float(scores[row])) for row in (place - 1, place))
            self.example = queries[int(owners[0])], before, one, after, other

    def error(self, run: str, lists: Lists | None, *, ways: bool = True) -> InputError | None:
        """What is said of them; None where there are none.

        Args:
            run: what the run is called; nothing where it has no name.
            lists: how lists came; None where there are none.
            ways: whether there is a setting that says which of the two is the ranking.

        """
        if self.example is None or lists is None:
            return None
        query, before, one, after, other = self.example
        called = f"run {run}" if run else "the run"
        many = counted(self.rising)
        of = f" of {self.queries:,}" if self.queries > 1 else ""
        text = (
            f"{called}: in {many}{of} the scores contradict the order of the list: query {quoted([query])} has "
            f"{quoted([before])} ({one:g}) before {quoted([after])} ({other:g})"
        )
        remedy = _WAYS if ways else "sort the lists by their scores, or leave the scores out"
        if not self.falls:
            text += "; the scores of all lists only rise, so they look like distances"
            negate = "negate them"
            if lists.field:
                field = f"-{lists.field}"
                negate = f"columns={{'score': {field!r}}} (--columns {quoted(['score=' + field])})"
            remedy = f"if a smaller score is better: {negate}\n{remedy}"
        return InputError("ambiguous-order", text, remedy=remedy)


_OTHERWISE: Final = {
    "order": "the scores count with order='score'",
    "ties": "ids decide with ties='id-descending'",
    "duplicates": "the best score counts with duplicates='best'",
    "blocks": "all rows of a query are one ranking with blocks='joined'",
    "pairing": "queries meet by their ids with pairing='id'",
}
POSITION: Final = "; or give them a column position"


def refuse_unordered(settings: Judging, *, ranked: bool) -> None:
    """Refuse settings that need the order of queries, or that of rows where nothing says it.

    Args:
        settings: the settings.
        ranked: whether something says the order of rows.

    Raises:
        UsageError: `unknown-setting`.

    """
    for name in settings_of_queries(settings):
        raise refusal(settings, name)
    for name in () if ranked else settings_of_rows(settings):
        raise refusal(settings, name, more=POSITION)


def settings_of_rows(settings: Judging, *, ranked: bool = False) -> list[str]:
    """The settings that need the order of rows, unless a column of ranks says it."""
    needed = {
        "order": settings.order not in ("auto", "score") and not ranked,
        "ties": settings.ties in ("given", "given-reversed") and not ranked,
        "duplicates": settings.duplicates in ("first", "last"),
    }
    return [name for name, is_needed in needed.items() if is_needed]


def settings_of_queries(settings: Judging) -> list[str]:
    """The settings that need the order of queries."""
    plain = {"blocks": "joined", "pairing": "id"}
    return [name for name, value in plain.items() if getattr(settings, name) != value]


def refusal(
    settings: Judging, name: str, why: str = "the rows of a relation have no order", more: str = ""
) -> UsageError:
    """The error for a setting that needs an order.

    Args:
        settings: the settings.
        name: the one that is refused.
        why: what the rows lack.
        more: what helps besides.

    """
    text = f"{name}={getattr(settings, name)!r}: {why}"
    return UsageError("unknown-setting", text, remedy=_OTHERWISE[name] + more)
