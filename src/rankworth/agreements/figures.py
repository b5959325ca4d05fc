"""The figures of agreement that are told together, of confusion tables `[b, C, C]`, on arrays alone."""

from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal, get_args

import numpy as np

from rankworth.agreements.alphas import LEVELS, alpha
from rankworth.agreements.kappas import WEIGHTINGS, equal, kappa, weights
from rankworth.agreements.tables import Floats

Distance = Literal["steps", "grades"]
"""How far two grades are apart in a weighted kappa: how many steps among the grades that occur, or their difference."""
DISTANCES: Final[tuple[Distance, ...]] = get_args(Distance)
NAMES: Final = (
    "equal",
    "kappa",
    "linear",
    "quadratic",
    "alpha_nominal",
    "alpha_ordinal",
    "alpha_interval",
    "bias",
)
RELEVANT: Final = ("relevant_equal", "relevant_kappa")


@dataclass(frozen=True, eq=False)
class Scale:
    """The grades of two judges, and what is asked of them.

    Attributes:
        grades: `[C]`, all that occur, in their order.
        distance: how far two of them are apart in a weighted kappa.
        rel: the grade from which a document counts as relevant, if that is asked.

    """

    grades: Floats
    distance: Distance = "steps"
    rel: float | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """What the figures are called."""
        return NAMES if self.rel is None else (*NAMES, *RELEVANT)

    @property
    def even(self) -> bool:
        """Whether all steps between grades are equal, so that it does not matter what distances are."""
        steps = np.diff(self.grades)
        return bool(np.allclose(steps, steps[:1], rtol=1e-9, atol=0))

    def figures(self, tables: Floats) -> Floats:
        """`[b, S]`: the figures, as `names` has them, of tables `[b, C, C]`."""
        places = np.arange(len(self.grades), dtype=np.float64) if self.distance == "steps" else self._small
        found = [equal(tables), *(kappa(tables, weights(places, weighting)) for weighting in WEIGHTINGS)]
        found += [alpha(tables, level, self._small) for level in LEVELS]
        found.append(self._bias(tables))
        if self.rel is not None:
            relevant = self.relevant(tables)
            found += [equal(relevant), kappa(relevant)]
        return np.stack(found, axis=-1)

    def relevant(self, tables: Floats) -> Floats:
        """`[..., 2, 2]`: the tables of not relevant and relevant."""
        first = int(np.searchsorted(self.grades, np.inf if self.rel is None else self.rel))
        parts = (slice(None, first), slice(first, None))
        cells = [[tables[..., row, column].sum(axis=(-2, -1)) for column in parts] for row in parts]
        return np.stack([np.stack(row, axis=-1) for row in cells], axis=-2)

    def _bias(self, tables: Floats) -> Floats:
        """`[b]`: how much higher the second judge grades in the mean."""
        n = tables.sum(axis=(-2, -1))
        apart = self._small - self._small[:, None]
        with np.errstate(divide="ignore", invalid="ignore"):
            mean = np.where(n > 0, (tables * apart).sum(axis=(-2, -1)) / n, np.nan)
        return np.ldexp(mean, self._exponent)

    @cached_property
    def _exponent(self) -> int:
        return int(np.frexp(np.abs(self.grades).max(initial=0.0))[1])

    @cached_property
    def _small(self) -> Floats:
        """`[C]`: the grades divided by a power of two, so that no square of them leaves the range of floats."""
        return np.ldexp(self.grades, -self._exponent)
