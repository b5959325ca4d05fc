"""Ways to look at systems: one measure under one set of judgements, with the values and means of all systems."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from rankworth.comparison import Board
from rankworth.comparison.systems import Better
from rankworth.correlation.standings.levels import Levels
from rankworth.sheet import Kind
from rankworth.statistics.samples import Floats


@dataclass(frozen=True, eq=False)
class View:
    """What puts systems into an order.

    Attributes:
        measure: what tables call the measure.
        judge: whose judgements it is taken with, where there are two judges; empty otherwise.
        systems: the names.
        values: `[S, Q]`, NaN where there is none.
        means: `[S]`, as an evaluation has them.
        weights: `[Q]`, what each query counts; None where all count alike.
        better: which end of the scale is better.
        kind: what the values are.
        signature: how they came about.

    """

    measure: str
    judge: str
    systems: tuple[str, ...]
    values: Floats
    means: Floats
    weights: Floats | None
    better: Better
    kind: Kind
    signature: str

    @property
    def name(self) -> str:
        """What it is called among views of its kind: the judge where there are two, otherwise the measure."""
        return self.judge or self.measure

    @property
    def title(self) -> str:
        """What it is called alone."""
        return f"{self.measure} ({self.judge})" if self.judge else self.measure

    @property
    def sign(self) -> float:
        """1 where higher is better, -1 where lower is."""
        return 1.0 if self.better == "higher" else -1.0

    @cached_property
    def levels(self) -> Levels:
        """The order of the systems by their means: one sample."""
        return Levels.of(self.sign * self.means[None])

    @cached_property
    def heights(self) -> Floats:
        """`[S]`: the means, higher ones better, those that rounding alone tells apart made equal."""
        best = self.levels.order[0][self.levels.higher[0]]
        return np.asarray(self.sign * self.means[best])

    @property
    def ranks(self) -> list[int]:
        """`[S]`, from 1; systems of equal means share the first rank of theirs."""
        return [int(higher) + 1 for higher in self.levels.higher[0]]

    def only(self, systems: Sequence[int]) -> "View":
        """The same with some of the systems, by number."""
        rows = np.array(systems, dtype=np.intp)
        names = tuple(self.systems[row] for row in systems)
        return replace(self, systems=names, values=self.values[rows], means=self.means[rows])


def views(board: Board, judge: str = "") -> list[View]:
    """A view for each measure of a board."""
    return [
        View(
            measure=name,
            judge=judge,
            systems=board.systems,
            values=board.values[:, place],
            means=board.means[:, place],
            weights=board.weights,
            better=board.better[name],
            kind=board.kinds[name],
            signature=board.signatures[name],
        )
        for place, name in enumerate(board.measures)
    ]


def with_means(found: Sequence[View]) -> tuple[list[View], list[str]]:
    """The views with the systems that all of them have a mean of, and what is said of the others."""
    known = [np.isfinite(one.means) for one in found]
    kept = np.flatnonzero(np.logical_and.reduce(known)).tolist()
    return [one.only(kept) for one in found], list(_missing(found))


def _missing(found: Sequence[View]) -> Iterator[str]:
    for place, system in enumerate(found[0].systems):
        void = [one.title for one in found if not np.isfinite(one.means[place])]
        if void:
            yield f"{system} is left out: it has no mean by {', '.join(void)}"
