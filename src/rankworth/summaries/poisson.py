"""The Poisson bootstrap: how often each sample has each query, and sums over samples that no order can change."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from rankworth.summaries.exact import Floats, Places
from rankworth.summaries.ids import Words, streams

Sums = NDArray[np.int64]
TIMES: Final = (24_110, 24_108, 12_055, 4_018, 1_006, 201, 32, 5, 1)
"""How many of 2^16 equally likely numbers stand for 0, 1, 2 ... times a query: Poisson's probabilities, rounded so that
mean and variance are exactly 1."""
DIGITS: Final = 30
"""Values are rounded to `2^-DIGITS` of what they may be at most."""
NONE: Final = -(1 << 20)
"""The power of a track that holds nothing but zeros."""

_BOUNDS: Final = np.cumsum(TIMES)[:-1].astype(np.uint16)
_DRAWS: Final = 4  # of 16 bits from one word
_BLOCK: Final = 1 << 18  # draws at a time, so that they stay in the cache


@dataclass(frozen=True, eq=False)
class Track:
    """Sums over samples, of one thing.

    With a fixed power there is one level, in units of `2^power`. Otherwise there are two, of numbers rounded to whole
    multiples of `2^power` and of what is left, rounded to multiples of `2^(power - DIGITS)`; the power is a multiple of
    `DIGITS`, by the largest number there is. Merged with larger numbers, the finer level is given up. Since a number is
    rounded alike whatever stands beside it, the sums do not depend on which were merged first.

    Attributes:
        power: see above; `NONE` where all is 0.
        sums: `[L, G, B]`.

    """

    power: int
    sums: Sums

    def merged(self, other: "Track") -> "Track":
        """Both together."""
        power = max(self.power, other.power)
        return Track(power, self.raised(power) + other.raised(power))

    def raised(self, power: int) -> Sums:
        """The sums with another power from this one on."""
        if self.power in (power, NONE):
            return self.sums
        levels = np.zeros_like(self.sums)
        if power - self.power == DIGITS:
            levels[1] = self.sums[0]
        return levels

    def regrouped(self, places: Places, groups: int) -> "Track":
        """The same with groups at other places."""
        sums = np.zeros((self.sums.shape[0], groups, self.sums.shape[2]), dtype=np.int64)
        sums[:, places] = self.sums
        return Track(self.power, sums)

    def over(self, other: "Track") -> Floats:
        """`[G, B]`, these sums over others; NaN where those are 0."""
        above, below = self.scaled(), other.scaled()
        found: Floats = np.divide(above, below, out=np.full(above.shape, np.nan), where=below > 0)
        with np.errstate(over="ignore"):
            return np.asarray(np.ldexp(found, 0 if self.power == NONE else self.power - other.power))

    def scaled(self) -> Floats:
        """`[G, B]`, the sums as floats in units of `2^power`."""
        if len(self.sums) == 1:
            return np.asarray(self.sums[0], dtype=np.float64)
        return np.asarray(self.sums[0] + np.ldexp(self.sums[1].astype(np.float64), -DIGITS))


def fixed_power(largest: float) -> int | None:
    """The power of a track of numbers that are not larger; None where whole numbers would not be exact."""
    digits = int(np.frexp(largest)[1]) - (np.frexp(largest)[0] == 0.5)  # noqa: PLR2004 - a power of two itself
    return int(digits) - DIGITS if digits <= DIGITS else None


def levels(numbers: Floats, power: int | None) -> tuple[int, list[Floats]]:
    """Numbers `[N]` as whole numbers: the power of the first level, and the levels.

    Args:
        numbers: finite.
        power: of the only level; None for two, by the largest number.

    """
    if power is not None:
        return power, [np.rint(np.ldexp(numbers, -power))]
    largest = np.abs(numbers).max(initial=0.0)
    if largest == 0:
        return NONE, [np.zeros(len(numbers))] * 2
    power = -(-(int(np.frexp(largest)[1]) + 1 - DIGITS) // DIGITS) * DIGITS
    scaled = np.ldexp(numbers, -power)
    first = np.rint(scaled)
    return power, [first, np.rint(np.ldexp(scaled - first, DIGITS))]


def drawn(states: Words, resamples: int) -> NDArray[np.uint8]:
    """`[Q, B]`: how often each sample has each query.

    Sample b has the query as often as the b-th 16 bits of its stream say, so that this depends on nothing but the id,
    the seed and b.
    """
    words = streams(states, -(-resamples // _DRAWS)).astype("<u8", copy=False).view("<u2")
    times = (words >= _BOUNDS[0]).view(np.uint8)
    for bound in _BOUNDS[1:]:
        np.add(times, (words >= bound).view(np.uint8), out=times)
    return np.asarray(times[:, :resamples])


def over_samples(states: Words, lines: Floats, starts: Places, resamples: int) -> Sums:
    """`[C, G, B]`: sums over samples of the queries of each group.

    They are products of matrices of whole numbers below 2^53, which floats hold as they are.

    Args:
        states: `[N]`, of the queries.
        lines: `[C, N]`, whole numbers up to `2^(DIGITS + 4)`.
        starts: `[G]`, where each group begins.
        resamples: B.

    """
    total = np.zeros((len(lines), len(starts), resamples), dtype=np.int64)
    rows = lines.shape[1]
    step = max(16, min(1 << 12, _BLOCK // max(1, resamples)))
    ends = np.append(starts[1:], rows)
    for begin in range(0, rows, step):
        end = min(begin + step, rows)
        times = drawn(states[begin:end], resamples).astype(np.float64)
        first = int(np.searchsorted(starts, begin, side="right")) - 1
        for group in range(first, int(np.searchsorted(starts, end, side="left"))):
            low, high = max(begin, int(starts[group])), min(end, int(ends[group]))
            total[:, group] += (lines[:, low:high] @ times[low - begin : high - begin]).astype(np.int64)
    return total
