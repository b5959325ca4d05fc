"""Spans of characters: how much of the gold of a query its first pieces hold, and the best that a chunking allows.

A span is `(source, start, end)`: the characters of a source from `start`, counted from 0, up to `end`, which is not one
of them. Shapes: `K` pieces in rank order, `G` gold spans, `A` stretches between two ends of spans, in which every
character belongs to the same spans.
"""

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from rankworth.arrays import Floats, Integers, expand

_END: Final = sys.maxsize
"""a position behind all characters"""
Span = tuple[str, int, int]
"""A source, and the first character and that after the last one."""


@dataclass(frozen=True)
class SpanCounts:
    """Characters of one query, after each of its pieces.

    Attributes:
        gold: |G|, characters that are in some gold span.
        gold_each: sum of the lengths of gold spans, in which a character counts for each span that has it.
        found: `[K + 1]`, |G and T|: characters of the gold in the first 0, 1, ... K pieces.
        retrieved: `[K + 1]`, |T|: characters that are in some of these pieces.
        found_each: `[K + 1]`, sum over these pieces and all gold spans of the characters that both have.
        retrieved_each: `[K + 1]`, sum of the lengths of these pieces.
        missed_each: `[K + 1]`, sum over gold spans of the characters that are in none of these pieces.
        shares: `[K]`, of each piece the largest share that it holds of some gold span; NaN where none has a length.

    """

    gold: int
    gold_each: int
    found: Integers
    retrieved: Integers
    found_each: Integers
    retrieved_each: Integers
    missed_each: Integers
    shares: Floats

    @property
    def recall(self) -> Floats:
        """`[K + 1]`: |G and T| / |G|; NaN without gold."""
        return _ratio(self.found, np.asarray(self.gold))

    @property
    def precision(self) -> Floats:
        """`[K + 1]`: |G and T| / |T|; NaN where nothing is retrieved."""
        return _ratio(self.found, self.retrieved)

    @property
    def iou(self) -> Floats:
        """`[K + 1]`: |G and T| / |G or T|; NaN where both are empty."""
        return _ratio(self.found, self.gold + self.retrieved - self.found)


def count_spans(gold: Sequence[Span], pieces: Sequence[Span]) -> SpanCounts:
    """Count the characters of gold and of pieces that are in both, in one, once and as often as spans have them.

    Spans that only touch have no character in common. Gold spans that overlap are merged, and a character that several
    pieces have counts once, in all but the sums that are called `each`.

    Args:
        gold: the spans that answer a query.
        pieces: the spans retrieved, best first.

    >>> counts = count_spans([("a", 10, 30)], [("a", 0, 20), ("a", 15, 35)])
    >>> counts.recall.tolist()  # 10 / 20, 20 / 20
    [0.0, 0.5, 1.0]
    >>> [round(value, 4) for value in counts.precision.tolist()[1:]]  # 10 / 20, 20 / 35
    [0.5, 0.5714]
    """
    first, last, lengths = _stretches([*gold, *pieces])
    size, n_gold, n_pieces = lengths.size, len(gold), len(pieces)
    counts = last - first  # [G + K]
    stretch = expand(first, counts)  # [S]: the stretches of each span, one span after the other
    span = np.repeat(np.arange(n_gold + n_pieces), counts)  # [S]
    is_gold = span < n_gold
    times = np.bincount(stretch[is_gold], minlength=size)  # [A]: how many gold spans have it
    rank = np.full(size, n_pieces)  # [A]: the first piece that has it, K where none does
    np.minimum.at(rank, stretch[~is_gold], span[~is_gold] - n_gold)

    def up_to(weights: Integers) -> Integers:
        """Return `[K + 1]`, the sum over the stretches that the first 0, 1, ... K pieces have."""
        by_piece = np.bincount(rank, weights, minlength=n_pieces + 1)[:n_pieces]
        return np.concatenate(([0], np.cumsum(by_piece))).astype(np.int64)

    common = np.bincount(  # [K]: characters that a piece and gold spans have in common, for each of the spans
        span[~is_gold] - n_gold, (lengths * times)[stretch[~is_gold]], minlength=n_pieces
    )
    gold_each = int((lengths * times).sum())
    return SpanCounts(
        gold=int(lengths[times > 0].sum()),
        gold_each=gold_each,
        found=up_to(lengths * (times > 0)),
        retrieved=up_to(lengths),
        found_each=np.concatenate(([0], np.cumsum(common))).astype(np.int64),
        retrieved_each=np.concatenate(([0], np.cumsum([end - start for _, start, end in pieces]))).astype(np.int64),
        missed_each=gold_each - up_to(lengths * times),
        shares=_shares(gold, pieces),
    )


def ceiling(gold: Sequence[Span], chunks: Sequence[Span]) -> SpanCounts:
    """Count the characters of the best retrieval of a chunking: of all its chunks that have a character of the gold.

    The last of the recalls is that of a perfect retriever, 1 where the chunks leave nothing out. The last IoU is what
    Chroma's chunking_evaluation calls precision omega, but that it takes chunks that only touch the gold, too.

    Args:
        gold: the spans that answer a query.
        chunks: all spans of the chunking, in any order.

    >>> counts = ceiling([("a", 10, 30)], [("a", 0, 25), ("a", 25, 50), ("a", 50, 75)])  # 20 of 50 characters
    >>> counts.shares.size, float(counts.recall[-1]), float(counts.precision[-1])
    (2, 1.0, 0.4)
    """
    shares = _shares(gold, chunks)
    return count_spans(gold, [chunk for chunk, share in zip(chunks, shares, strict=True) if share > 0])


def cover(gold: Sequence[Span], chunks: Sequence[Span]) -> list[int]:
    """Choose the chunks with all of the gold that any chunk holds, in as few characters as possible.

    Of several such choices it is one with the fewest chunks. Where chunks do not overlap, these are all that have a
    character of the gold.

    Args:
        gold: the spans that answer a query.
        chunks: all spans of the chunking, in any order.

    Returns:
        The places of the chosen chunks, ascending.

    >>> cover([("a", 10, 30)], [("a", 0, 20), ("a", 8, 28), ("a", 16, 36), ("b", 0, 20)])
    [1, 2]
    >>> cover([("a", 0, 12)], [("a", 11, 13), ("a", 11, 12)])  # one within the other
    [1]
    """
    wanted: dict[str, list[tuple[int, int]]] = {}
    for source, start, end in gold:
        wanted.setdefault(source, []).append((start, end))
    by_source: dict[str, list[tuple[int, int, int]]] = {}
    for number, (source, start, end) in enumerate(chunks):
        if _have_common(start, end, wanted.get(source, ())):
            by_source.setdefault(source, []).append((start, end, number))
    return sorted(number for source, candidates in by_source.items() for number in _cover(wanted[source], candidates))


def _have_common(start: int, end: int, wanted: Iterable[tuple[int, int]]) -> bool:
    """Return whether some gold span has a character from a start up to an end."""
    return any(max(start, first) < min(end, last) for first, last in wanted)


def _cover(wanted: Sequence[tuple[int, int]], held: Sequence[tuple[int, int, int]]) -> list[int]:
    """Choose chunks of one source by the shortest path along chunks of which both starts and ends grow.

    A chunk may follow another one if no character of the gold that a chunk holds lies between them. A chunk that lies
    within another one is never chosen beside it, but may be chosen instead of it.

    Args:
        wanted: start and end of the gold spans.
        held: start, end and number of all chunks that have a character of the gold.

    """
    common = _merged((max(start, first), min(end, last)) for start, end, _ in held for first, last in wanted)

    def common_before(position: int) -> int:
        return sum(max(0, min(last, position) - first) for first, last in common)

    by_end = sorted(held, key=lambda chunk: (chunk[1], chunk[0]))
    steps = [(-1, 0, -1), *by_end, (_END, _END, -1)]  # the beginning of the source, its chunks, its end
    common_at_end = [common_before(end) for _, end, _ in steps]
    best = [(0, 0, 0)]  # of the choices that end with each step: characters, chunks, and the step before
    for number, (start, end, _) in enumerate(steps[1:], 1):
        common_at_start = common_before(start)
        options = []
        for before in range(number - 1, -1, -1):
            if common_at_end[before] < common_at_start:  # so it is for all steps further back
                break
            if steps[before][0] < start:
                characters, chunks, _ = best[before]
                options.append((characters + end - max(start, steps[before][1]), chunks + 1, before))
        best.append(min(options, default=(_END, 0, 0)))  # without an option, no choice ends with this chunk
    chosen, step = [], best[-1][2]
    while step:
        chosen.append(steps[step][2])
        step = best[step][2]
    return chosen


def _merged(stretches: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the union of stretches, ascending; an empty one has no part in it."""
    union: list[tuple[int, int]] = []
    for first, last in sorted(stretch for stretch in stretches if stretch[0] < stretch[1]):
        if union and first <= union[-1][1]:
            union[-1] = union[-1][0], max(last, union[-1][1])
        else:
            union.append((first, last))
    return union


def _stretches(spans: Sequence[Span]) -> tuple[Integers, Integers, Integers]:
    """Cut sources at both ends of all spans.

    Returns:
        The first stretch of each span, the one after its last, and the length of each stretch, 0 between sources.

    """
    numbers = {source: number for number, source in enumerate(dict.fromkeys(source for source, _, _ in spans))}
    ends = sorted({(numbers[source], position) for source, start, end in spans for position in (start, end)})
    at = {end: index for index, end in enumerate(ends)}
    first = np.array([at[numbers[source], start] for source, start, _ in spans], dtype=np.int64)
    last = np.array([at[numbers[source], end] for source, _, end in spans], dtype=np.int64)
    table = np.array(ends, dtype=np.int64).reshape(-1, 2)  # [A + 1, 2]: source and position of each end
    lengths = np.where(np.diff(table[:, 0]) == 0, np.diff(table[:, 1]), 0)
    return first, last, lengths


def shares_of(gold: Sequence[Span], pieces: Sequence[Span]) -> Floats:
    """Return `[K, G]`, the share of each gold span that each piece holds; 0 of a gold span of no length.

    >>> shares_of([("a", 10, 30), ("a", 30, 40)], [("a", 0, 25), ("b", 0, 25)]).tolist()
    [[0.75, 0.0], [0.0, 0.0]]
    """
    start, end = (np.array([span[side] for span in gold], dtype=np.int64) for side in (1, 2))  # [G] each
    first, last = (np.array([piece[side] for piece in pieces], dtype=np.int64)[:, None] for side in (1, 2))  # [K, 1]
    numbers = {source: number for number, source in enumerate(dict.fromkeys(span[0] for span in (*gold, *pieces)))}
    of_gold, of_pieces = (np.array([numbers[span[0]] for span in spans], dtype=np.int64) for spans in (gold, pieces))
    common = np.maximum(np.minimum(end, last) - np.maximum(start, first), 0) * (of_gold == of_pieces[:, None])
    return np.asarray(common / np.maximum(end - start, 1))


def stretches_within(piece: Span, gold: Iterable[Span]) -> list[tuple[int, int]]:
    """Return the stretches of a piece that are gold, counted from its first character, ascending.

    Gold spans that overlap, or follow each other, are one stretch; gold that only touches the piece is none.

    >>> stretches_within(("a", 10, 30), [("a", 0, 15), ("a", 12, 18), ("a", 30, 40), ("b", 10, 30)])
    [(0, 8)]
    """
    source, start, end = piece
    return _merged((max(start, first) - start, min(end, last) - start) for name, first, last in gold if name == source)


def _shares(gold: Sequence[Span], pieces: Sequence[Span]) -> Floats:
    """Return `[K]`, the largest share of a gold span in each piece; NaN without a gold span of a length above 0."""
    if not any(end > start for _, start, end in gold):
        return np.full(len(pieces), np.nan)
    return np.asarray(shares_of(gold, pieces).max(axis=1))


def _ratio(part: Integers, whole: Integers) -> Floats:
    """Divide; NaN where there is nothing to divide by."""
    whole = np.broadcast_to(whole, part.shape)
    quotient = np.full(part.shape, np.nan)
    np.divide(part, whole, out=quotient, where=whole > 0)
    return quotient
