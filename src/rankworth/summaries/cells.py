"""What a summary holds: numbers for each group and measure that merely add up, or of which the larger one is kept."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from rankworth.averaging import Way
from rankworth.summaries.asked import Asked
from rankworth.summaries.bins import Histogram
from rankworth.summaries.cell import Cell
from rankworth.summaries.exact import Floats, Places
from rankworth.summaries.poisson import Track

ALL: Final = "all"
"""The only group where there are none."""
TALLIES: Final = ("values", "nan", "above", "below", "divided", "either")
"""What is counted: values; those that are NaN, infinite, and infinite below 0; queries that a mean is taken over; and
those of which at least one holds, a value or this."""
PLAIN: Final = ("v", "vv", "v_divided")
WEIGHTED: Final = (*PLAIN, "w", "ww", "www", "u", "wv", "wvv", "wwv", "wwvv", "wv_divided")
"""What is added up exactly: values v, weights w (of queries that are divided by), u = w v rounded, and exact products;
`_divided` for those of queries that are divided by, too."""
Least = Literal["lowest", "lightest"]


@dataclass(frozen=True, eq=False)
class Cells:
    """Numbers by group and measure.

    Attributes:
        groups: G names, ascending.
        queries: `[G]`.
        tallies: `[G, M, 6]`, see `TALLIES`.
        lowest: `[G, M]`, the smallest value; infinite where there is none.
        highest: `[G, M]`, the largest one.
        lightest: `[G, M]`, the smallest weight of those that count.
        heaviest: `[G, M]`, the largest one.
        sums: `[G, M, K]`, Python's whole numbers, see `PLAIN` and `WEIGHTED`.
        histogram: its cells are numbered group by group.
        tracks: M sums over samples of what means are made of, and M of what it is divided by; nothing without samples.
        counts: whatever is counted besides, of all queries together.
        shares: the same of each group, `[G]`.

    """

    groups: tuple[str, ...]
    queries: Places
    tallies: Places
    lowest: Floats
    highest: Floats
    lightest: Floats
    heaviest: Floats
    sums: NDArray[Any]
    histogram: Histogram
    tracks: tuple[Track, ...]
    counts: Mapping[str, int]
    shares: Mapping[str, Places]

    @property
    def shape(self) -> tuple[int, int]:
        """M and K."""
        return self.sums.shape[1], self.sums.shape[2]

    def plus(self, other: "Cells") -> "Cells":
        """Both together."""
        groups = self.groups
        if groups != other.groups:
            groups = tuple(sorted({*self.groups, *other.groups}))
            self, other = self.among(groups), other.among(groups)  # noqa: PLW0642 - the same numbers at other places
        names, parts = sorted({*self.counts, *other.counts}), sorted({*self.shares, *other.shares})
        none = np.zeros(len(groups), dtype=np.int64)
        return Cells(
            groups=groups,
            queries=self.queries + other.queries,
            tallies=self.tallies + other.tallies,
            lowest=np.minimum(self.lowest, other.lowest),
            highest=np.maximum(self.highest, other.highest),
            lightest=np.minimum(self.lightest, other.lightest),
            heaviest=np.maximum(self.heaviest, other.heaviest),
            sums=self.sums + other.sums,
            histogram=self.histogram.plus(other.histogram),
            tracks=tuple(one.merged(two) for one, two in zip(self.tracks, other.tracks, strict=True)),
            counts={name: self.counts.get(name, 0) + other.counts.get(name, 0) for name in names},
            shares={name: self.shares.get(name, none) + other.shares.get(name, none) for name in parts},
        )

    def among(self, groups: Sequence[str]) -> "Cells":
        """The same with further groups, that have nothing."""
        if groups == self.groups:
            return self
        numbers = {name: place for place, name in enumerate(groups)}
        places = np.array([numbers[name] for name in self.groups], dtype=np.int64)
        blank = empty(tuple(groups), self.shape, ())
        for field in fields(Cells):
            whole, part = getattr(blank, field.name), getattr(self, field.name)
            if isinstance(whole, np.ndarray):
                whole[places] = part
        measures = self.sums.shape[1]
        cells = (places[:, None] * measures + np.arange(measures)).ravel()
        tracks = tuple(track.regrouped(places, len(groups)) for track in self.tracks)
        shares = {name: np.zeros(len(groups), dtype=np.int64) for name in self.shares}
        for name, part in self.shares.items():
            shares[name][places] = part
        return replace(blank, histogram=self.histogram.moved(cells), tracks=tracks, counts=self.counts, shares=shares)

    def together(self) -> "Cells":
        """All groups as one."""
        if self.groups == (ALL,):
            return self
        groups, measures = self.sums.shape[:2]
        none = empty((ALL,), self.shape, ())
        sums = none.sums
        for group in range(groups):
            sums = sums + self.sums[group : group + 1]
        return Cells(
            groups=(ALL,),
            queries=self.queries.sum(axis=0, keepdims=True),
            tallies=self.tallies.sum(axis=0, keepdims=True),
            lowest=self.lowest.min(axis=0, keepdims=True, initial=np.inf),
            highest=self.highest.max(axis=0, keepdims=True, initial=-np.inf),
            lightest=self.lightest.min(axis=0, keepdims=True, initial=np.inf),
            heaviest=self.heaviest.max(axis=0, keepdims=True, initial=-np.inf),
            sums=sums,
            histogram=self.histogram.moved(np.tile(np.arange(measures), groups)),
            tracks=tuple(Track(track.power, track.sums.sum(axis=1, keepdims=True)) for track in self.tracks),
            counts=self.counts,
            shares={name: part.sum(keepdims=True) for name, part in self.shares.items()},
        )

    def only(self, name: str) -> "Cells":
        """One group alone."""
        place = self.groups.index(name)
        parts = {
            field.name: getattr(self, field.name)[place : place + 1]
            for field in fields(Cells)
            if isinstance(getattr(self, field.name), np.ndarray)
        }
        measures = self.shape[0]
        cells = np.full((len(self.groups), measures), -1, dtype=np.int64)
        cells[place] = np.arange(measures)
        return replace(
            self,
            **parts,
            groups=(name,),
            histogram=self.histogram.moved(cells.ravel()),
            tracks=tuple(Track(track.power, track.sums[:, place : place + 1]) for track in self.tracks),
            counts={},
            shares={name: part[place : place + 1] for name, part in self.shares.items()},
        )

    def cell(self, group: int, measure: int, way: Way) -> Cell:
        """One group and measure."""
        total: list[int] = self.sums[group, measure].tolist()
        kinds = PLAIN if len(total) == len(PLAIN) else WEIGHTED
        tallies: list[int] = self.tallies[group, measure].tolist()
        return Cell(
            way=way,
            sums=dict(zip(kinds, total, strict=True)),
            lowest=float(self.lowest[group, measure]),
            highest=float(self.highest[group, measure]),
            alike=len(kinds) == len(PLAIN) or bool(self.lightest[group, measure] >= self.heaviest[group, measure]),
            **dict(zip(TALLIES, tallies, strict=True)),
        )


def empty(groups: tuple[str, ...], shape: tuple[int, int], tracks: Sequence[tuple[int, int, int]]) -> Cells:
    """Cells with nothing in them.

    Args:
        groups: their names.
        shape: M and how many sums there are.
        tracks: the power of each while it holds nothing, how many levels it has, and how many samples there are.

    """
    cells = (len(groups), shape[0])
    sums = np.empty((len(groups), *shape), dtype=object)
    sums[:] = 0
    none = np.zeros(0, dtype=np.int64)
    return Cells(
        groups=groups,
        queries=np.zeros(len(groups), dtype=np.int64),
        tallies=np.zeros((*cells, len(TALLIES)), dtype=np.int64),
        lowest=np.full(cells, np.inf),
        highest=np.full(cells, -np.inf),
        lightest=np.full(cells, np.inf),
        heaviest=np.full(cells, -np.inf),
        sums=sums,
        histogram=Histogram(none, none),
        tracks=tuple(Track(one[0], np.zeros((one[1], len(groups), one[2]), np.int64)) for one in tracks),
        counts={},
        shares={},
    )


def kinds(asked: Asked) -> tuple[str, ...]:
    """What is added up."""
    return WEIGHTED if asked.weighted else PLAIN
