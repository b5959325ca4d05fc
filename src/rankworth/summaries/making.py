"""From values of queries to the cells of a summary."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankworth.averaging import additive
from rankworth.errors import InputError, UsageError, counted, quoted
from rankworth.summaries import exact, ids, poisson
from rankworth.summaries.asked import Asked, Range
from rankworth.summaries.bins import Histogram, binned
from rankworth.summaries.cells import ALL, Cells, empty, kinds
from rankworth.summaries.exact import Floats, Places
from rankworth.summaries.ids import Words
from rankworth.summaries.poisson import NONE, Track

Mask = NDArray[np.bool_]
BEYOND: Final = 8
"""A value so many times as large as the largest of its range has no place in samples."""
_WEIGHTS: Final = 1e120  # and one over it: third powers of weights are floats, too


def nothing(asked: Asked, groups: tuple[str, ...] = ()) -> Cells:
    """The cells of no query."""
    tracks = [(NONE, 2) if one is None else (one, 1) for one in powers(asked)] if asked.resamples else []
    shape = (len(asked.labels), len(kinds(asked)))
    return empty(groups or (() if asked.grouped else (ALL,)), shape, [(*one, asked.resamples) for one in tracks])


def powers(asked: Asked) -> list[int | None]:
    """The power of each track, where it is known beforehand: those of M numerators, and those of M denominators."""
    if asked.weighted:
        return [None] * (2 * len(asked.labels))
    above = [None if span is None else poisson.fixed_power(largest(span)) for span in asked.scales]
    return [*above, *(0 for _ in above)]


def largest(span: Range) -> float:
    """The size of the largest number of a range."""
    return max(map(abs, span))


def made(
    asked: Asked,
    queries: Any,  # noqa: ANN401 - a list, an array, or a column of a frame
    values: ArrayLike,
    *,
    weights: ArrayLike | None,
    groups: Sequence[str] | None,
    counts: Mapping[str, Any],
    there: ArrayLike | None,
    divided: ArrayLike | None,
) -> Cells:
    """The cells of some queries; arguments as of `Summary.of`."""
    texts = ids.texts(queries)
    measures, shape = len(asked.labels), (len(texts), len(asked.labels))
    table = _numbers("values", values)
    table = table.reshape(shape) if table.size == 0 == len(texts) else table
    if table.shape != shape:
        text = f"there are {len(texts)} queries and {measures} measures, and values of the shape {table.shape}"
        raise UsageError("input-type", text, remedy="give a row for each query, and a column for each measure")
    has = _mask("there", there, shape, None)
    over = _mask("divided", divided, shape, has)
    heavy = _weights(asked, weights, len(texts))
    names, codes = _groups(asked, groups, len(texts))
    order = None if len(names) <= 1 else np.argsort(codes, kind="stable")
    if order is not None:
        codes, table, has, over, heavy = codes[order], table[order], has[order], over[order], heavy[order]
    states = ids.hashes(texts, asked.seed) if asked.resamples else np.zeros(len(texts), dtype=np.uint64)
    cells = nothing(asked, names)
    parts, found = _counted(counts, len(texts), order)
    if not texts:
        return replace(cells, counts=found, shares={name: np.zeros(len(names), dtype=np.int64) for name in parts})
    block = _Block(asked, table, has, over, heavy, np.searchsorted(codes, np.arange(len(names))))
    block.fill(cells)
    tracks = block.tracks(states if order is None else states[order]) if asked.resamples else ()
    shares = {name: np.add.reduceat(part, block.starts) for name, part in parts.items()}
    return replace(cells, histogram=block.histogram(), tracks=tracks, counts=found, shares=shares)


def _numbers(name: str, given: ArrayLike) -> Floats:
    try:
        return np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise UsageError("input-type", f"{name}: these are no numbers: {quoted([given])}") from None


def _counted(counts: Mapping[str, Any], rows: int, order: Places | None) -> tuple[dict[str, Places], dict[str, int]]:
    """What is counted for each query, in their order, and what is counted for all."""
    parts: dict[str, Places] = {}
    found: dict[str, int] = {}
    for name in sorted(counts):
        count = np.asarray(counts[name])
        each = count.shape == (rows,)
        whole = count.dtype.kind in "biu" or (each and not rows)
        if not whole or (count.shape and not each):
            text = f"counts: {name} is a whole number, or one for each of {counted(rows)}: {quoted([counts[name]])}"
            raise UsageError("input-type", text)
        if each:
            part = count.astype(np.int64)
            parts[name] = part if order is None else part[order]
        else:
            found[name] = int(count)
    return parts, found


def _mask(name: str, given: ArrayLike | None, shape: tuple[int, int], other: Mask | None) -> Mask:
    if given is None:
        return np.ones(shape, dtype=np.bool_) if other is None else other
    mask = np.asarray(given)
    if mask.dtype != np.bool_ and mask.size:
        raise UsageError("input-type", f"{name}: this says yes or no for each query and measure, not {mask.dtype}")
    try:
        return np.broadcast_to(mask.astype(np.bool_), shape).copy()
    except ValueError:
        text = f"{name}: there are {shape[0]} queries and {shape[1]} measures, and the shape is {mask.shape}"
        raise UsageError("input-type", text) from None


def _weights(asked: Asked, given: ArrayLike | None, rows: int) -> Floats:
    if asked.weighted and rows if given is None else not asked.weighted:
        text = "weights are asked for, and none are given" if asked.weighted else "weights are given, but not asked for"
        raise UsageError("conflicting-options", text, remedy="Asked(..., weighted=True) asks for them")
    if given is None:
        return np.ones(rows)
    weights = _numbers("weights", given)
    if weights.shape != (rows,):
        raise UsageError("input-type", f"there are {rows} queries, and weights of the shape {weights.shape}")
    odd = weights[~((weights == 0) | ((weights >= 1 / _WEIGHTS) & (weights <= _WEIGHTS)))]
    if odd.size:
        text = f"weights: a weight is 0 or a number from {1 / _WEIGHTS} to {_WEIGHTS}, and there is {odd[0]}"
        raise InputError("bad-weight", text, remedy="0 is the weight of a query that does not count")
    return weights


def _groups(
    asked: Asked,
    given: Any,  # noqa: ANN401 - a list, an array, or a column of a frame
    rows: int,
) -> tuple[tuple[str, ...], Places]:
    """The names, ascending, and the place of each query's."""
    if asked.grouped and rows if given is None else not asked.grouped:
        text = "groups are asked for, and none are given" if asked.grouped else "groups are given, but not asked for"
        raise UsageError("conflicting-options", text, remedy="Asked(..., grouped=True) asks for them")
    if given is None:
        return ((ALL,) if not asked.grouped else ()), np.zeros(rows, dtype=np.int64)
    labels = ids.listed(given)
    if len(labels) != rows:
        raise UsageError("input-type", f"there are {rows} queries, and {len(labels)} groups")
    odd = [label for label in set(labels) if not isinstance(label, str)]
    if odd:
        raise InputError("missing-value", f"groups: the name of a group is text, not {odd[0]!r}")
    names = tuple(sorted(set(labels)))
    places = {name: place for place, name in enumerate(names)}
    return names, np.fromiter(map(places.__getitem__, labels), dtype=np.int64, count=rows)


class _Block:
    """Queries ordered by group, measures as lines."""

    def __init__(self, asked: Asked, table: Floats, has: Mask, over: Mask, weights: Floats, starts: Places) -> None:
        """Take values `[Q, M]`, which of them there are, and which queries count in the mean."""
        self.asked, self.starts, self.weights = asked, starts, weights
        if "sum" in asked.ways:  # no weight changes a sum
            self.weights = np.where([[way == "sum"] for way in asked.ways], 1.0, weights)
        counted = self.weights > 0
        self.values = np.ascontiguousarray(table.T)
        self.there = np.ascontiguousarray(has.T) & counted
        mean = np.array([[way == "mean"] for way in asked.ways])
        self.over = np.where(mean, over.T & counted, self.there)
        self.added = self.values
        if "gmean" in asked.ways:
            self.added = self.values.copy()
            for place in np.flatnonzero([way == "gmean" for way in asked.ways]):
                self.added[place] = additive(self.values[place][:, None], ["gmean"])[:, 0]
        self.finite = self.there & np.isfinite(self.added)
        self.plain = np.where(self.finite, self.added, 0.0)  # what is added up
        self.heavy = (
            np.where(self.over, self.weights, 0.0) if asked.weighted else np.asarray(self.over, dtype=np.float64)
        )
        with np.errstate(over="ignore"):
            self.products = self.plain * self.weights
        if not np.isfinite(self.products).all():
            raise InputError("bad-weight", "weights: weight times value is beyond all numbers")

    def fill(self, cells: Cells) -> None:
        """Enter what is counted and added up, and the ends."""
        there, added, over = self.there, self.added, self.over
        tallies = (there, there & np.isnan(added), there & (added == np.inf), there & (added == -np.inf), over)
        for place, mask in enumerate((*tallies, there | over)):
            cells.tallies[:, :, place] = self._reduced(np.add, mask.astype(np.int64))
        cells.queries[:] = np.diff(np.append(self.starts, there.shape[1]))
        kept = there & ~np.isnan(self.values)
        cells.lowest[:] = self._reduced(np.minimum, np.where(kept, self.values, np.inf)) + 0.0
        cells.highest[:] = self._reduced(np.maximum, np.where(kept, self.values, -np.inf)) + 0.0
        if self.asked.weighted:
            either = there | over
            cells.lightest[:] = self._reduced(np.minimum, np.where(either, self.weights, np.inf))
            cells.heaviest[:] = self._reduced(np.maximum, np.where(either, self.weights, -np.inf))
        for place, pairs in enumerate(self._summands()):
            for left, right in pairs:
                if right is None:
                    cells.sums[:, :, place] += exact.sums(left, self.starts).T
                else:
                    cells.sums[:, :, place] += exact.products(left, right, self.starts).T

    def _summands(self) -> "Iterator[list[tuple[Floats, Floats | None]]]":
        """What is added up, in the order of `cells.WEIGHTED`: numbers, or products of two."""
        value, over = self.plain, np.asarray(self.over, dtype=np.float64)
        yield [(value, None)]
        yield [(value, value)]
        yield [(value * over, None)]
        if self.asked.weighted:
            weight = self.heavy
            high, low = exact.product(np.broadcast_to(self.weights, value.shape), value)
            yield [(weight, None)]
            yield [(weight, weight)]
            yield [(part, weight) for part in exact.product(weight, weight)]
            yield [(self.products, None)]
            yield [(high, None), (low, None)]
            yield [(high, value), (low, value)]
            yield [(high, weight), (low, weight)]
            yield [(high, high), (high, low), (high, low), (low, low)]
            yield [(high * over, None), (low * over, None)]

    def _reduced(self, function: "np.ufunc", lines: NDArray[Any]) -> NDArray[Any]:
        """`[G, M]`, from `[M, Q]`."""
        return np.asarray(function.reduceat(lines, self.starts, axis=1)).T

    def histogram(self) -> Histogram:
        """That of the values."""
        kept = self.there & ~np.isnan(self.values)
        values = np.where(kept, self.values, 0.0)
        bins = np.stack([binned(line, span) for line, span in zip(values, self.asked.ranges, strict=True)])
        return Histogram.of(bins, kept, self.starts)

    def tracks(self, states: Words) -> tuple[Track, ...]:
        """Sums over samples."""
        lines: list[Floats] = []
        found: dict[bytes, int] = {}
        tracks: list[tuple[int, int, int]] = []
        numbers = [*self.products, *self.heavy]
        for line, power in zip(numbers, powers(self.asked), strict=True):
            known = line if power is None else _within(line, power)
            own, parts = poisson.levels(known, power)
            key = known.tobytes() if power == 0 or self.asked.weighted else b""
            place = found.get(key, len(lines)) if key else len(lines)
            if place == len(lines):
                lines += parts
                found[key] = place
            tracks.append((own, place, len(parts)))
        sums = poisson.over_samples(states, np.stack(lines), self.starts, self.asked.resamples)
        return tuple(Track(power, sums[place : place + high]) for power, place, high in tracks)


def _within(line: Floats, power: int) -> Floats:
    """Numbers, with 0 for those that are far beyond their range."""
    return np.where(np.abs(line) <= np.ldexp(float(BEYOND), power + poisson.DIGITS), line, 0.0)
