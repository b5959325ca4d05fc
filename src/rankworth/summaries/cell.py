"""One measure over the queries of one group: its mean, how far its values spread, and how far the mean may be off."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import numpy as np

from rankworth.averaging import Way, additive, back
from rankworth.summaries.exact import FINE, UNIT, rounded

_ROUNDING: Final = 1e-12


@dataclass(frozen=True)
class Cell:
    """What is known of one measure and group; see `cells.TALLIES` and `cells.WEIGHTED`."""

    way: Way
    sums: Mapping[str, int]
    lowest: float
    highest: float
    alike: bool
    """whether all queries weigh the same"""
    values: int
    nan: int
    above: int
    below: int
    divided: int
    either: int

    @property
    def finite(self) -> bool:
        """Whether all values are numbers."""
        return not self.nan + self.above + self.below

    @property
    def constant(self) -> bool:
        """Whether all queries have the same value."""
        return self.finite and self.values == self.divided == self.either > 0 and self.lowest == self.highest

    @property
    def mean(self) -> float:
        """The mean, geometric mean or sum."""
        if self.way == "sum":
            return self._of_finite(rounded(self.sums["v"], UNIT))
        return self.shown(self.center)

    @property
    def center(self) -> float:
        """The mean of what is added up, such as the logarithms of a geometric mean; NaN where it is over no query."""
        if not self.divided:
            return math.nan
        if self.alike:
            return self._of_finite(rounded(self.sums["v"], UNIT) / self.divided)
        return self._of_finite(rounded(self.sums["u"], UNIT) / rounded(self.sums["w"], UNIT))

    @property
    def variance(self) -> float:
        """How far values spread, those of a geometric mean as logarithms; NaN with fewer than two queries."""
        if not self._spreads:
            return math.nan
        if self.constant:
            return 0.0
        if self.alike:
            return self._squares(self.either - 1)
        mean, weight, together = self._weighing()
        apart = self._fine("wvv") - 2 * mean * self._of_unit("wv_divided") + mean**2 * weight
        return _float(apart / weight / (1 - together))

    @property
    def error(self) -> float:
        """The standard error of the mean; of a geometric one, that of the mean of the logarithms."""
        if not self._spreads or self.way == "sum":
            return math.nan
        if self.constant:
            return 0.0
        if self.alike:
            return math.sqrt(self._squares((self.either - 1) * self.divided**2, self.either))
        mean, weight, together = self._weighing()
        short = 1 - 2 * self._fine("www") / weight**3 / together + together
        apart = self._fine("wwvv") - 2 * mean * self._fine("wwv") + mean**2 * self._fine("ww")
        return math.sqrt(_float(apart / weight**2 / short))

    @property
    def alone(self) -> bool:
        """Whether one query holds all the weight, so that nothing is known about the spread."""
        if self.either < 2 or not self.divided:  # noqa: PLR2004 - one value has no spread
            return True
        return not self.alike and self._weighing()[2] > 1 - _ROUNDING

    def shown(self, number: float) -> float:
        """A mean of what is added up, on the scale of the values."""
        try:
            return float(back(np.array([number]), [self.way])[0])
        except OverflowError:
            return math.inf

    def added(self, value: float) -> float:
        """A value as what is added up."""
        return float(additive(np.array([[value]]), [self.way])[0, 0])

    @property
    def _spreads(self) -> bool:
        return self.finite and not self.alone

    def _of_finite(self, number: float) -> float:
        """What is made of finite values, once the others have their say."""
        if self.nan or (self.above and self.below):
            return math.nan
        return math.inf if self.above else -math.inf if self.below else number

    def _squares(self, divisor: int, times: int = 1) -> float:
        """The sum of squares around the mean, times a number over another, rounded once.

        With T the sum of the values, S that of those that are divided by and d their number, the values v and the mean
        T / d make `sum(v^2) - 2 S T / d + T^2 / d`, where queries without a value count as 0.
        """
        total, over, many = self.sums["v"], self.sums["v_divided"], self.divided
        apart = self.sums["vv"] * many**2 - 2 * total * over * many + total**2 * many
        try:
            return apart * times / (many**2 * divisor << FINE)
        except OverflowError:
            return math.inf

    def _weighing(self) -> tuple[Fraction, Fraction, Fraction]:
        """The mean, the sum of the weights, and the sum of the squares of their shares."""
        weight = self._of_unit("w")
        if not weight:
            return Fraction(0), weight, Fraction(1)
        return self._of_unit("wv") / weight, weight, self._fine("ww") / weight**2

    def _of_unit(self, kind: str) -> Fraction:
        """A sum of floats."""
        return Fraction(self.sums[kind], 1 << UNIT)

    def _fine(self, kind: str) -> Fraction:
        """A sum of products."""
        return Fraction(self.sums[kind], 1 << FINE)


def _float(square: Fraction) -> float:
    """The nearest float, not below 0 where products are finer than floats are."""
    try:
        return float(max(square, Fraction(0)))
    except OverflowError:
        return math.inf
