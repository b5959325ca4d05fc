"""Pairs of systems that two views order differently, and how sure either order is."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

import numpy as np

from rankworth.comparison import Comparison
from rankworth.correlation.standings.views import View

Significant = Literal["both", "one", "none"]
_ORDER: Final[Mapping[Significant, int]] = {"both": 0, "one": 1, "none": 2}


class Swap(NamedTuple):
    """Two systems of which one is better by x, and the other by y."""

    first: str
    """better by x"""
    second: str
    """better by y"""
    x_difference: float
    """the mean of the second by x, less that of the first"""
    y_difference: float
    """the same by y"""
    x_p: float
    """of the difference by x, corrected as `rankworth.compare` of all pairs corrects it"""
    y_p: float
    """of the difference by y"""
    significant: Significant
    """of which orders the p value is below 1 - level: `both`, which is a contradiction, `one` or `none`"""


@dataclass(frozen=True)
class Orders:
    """What the pairs of systems are in two views.

    Attributes:
        concordant: pairs in the same order.
        tied: pairs of equal means by one view or by both.
        swaps: pairs in opposite orders, those first that deserve most attention.

    """

    concordant: int
    tied: int
    swaps: tuple[Swap, ...]


def p_values(comparison: Comparison, measure: str) -> dict[tuple[str, str], float]:
    """The corrected p values of all pairs of systems by a measure, in either order of a pair."""
    found = {}
    for one in comparison.differences:
        if one.measure == measure:
            found[one.first, one.second] = found[one.second, one.first] = one.adjusted
    return found


def orders(
    x: View, y: View, p: tuple[Mapping[tuple[str, str], float], Mapping[tuple[str, str], float]], level: float
) -> Orders:
    """Compare the orders of two views, pair by pair.

    Args:
        x: one view.
        y: the other one, of the same systems.
        p: by names of two systems the p value of their difference by x, and by y.
        level: 1 - level is the chance of a difference called where there is none.

    """
    one, other = np.triu_indices(len(x.systems), 1)
    above = [view.levels.higher[0] for view in (x, y)]
    sides = [np.sign(higher[other] - higher[one]) for higher in above]  # above 0 where the one is better
    product = sides[0] * sides[1]
    swaps = []
    for place in np.flatnonzero(product < 0).tolist():
        a, b = int(one[place]), int(other[place])
        first, second = (a, b) if sides[0][place] > 0 else (b, a)
        names = x.systems[first], x.systems[second]
        x_p, y_p = p[0].get(names, np.nan), p[1].get(names, np.nan)
        count = (x_p < 1 - level) + (y_p < 1 - level)
        words: tuple[Significant, ...] = ("none", "one", "both")
        x_apart, y_apart = (float(view.means[second] - view.means[first]) for view in (x, y))
        swaps.append(Swap(*names, x_apart, y_apart, x_p, y_p, words[count]))
    swaps.sort(key=lambda swap: (_ORDER[swap.significant], _least(swap), -abs(swap.x_difference), swap[:2]))
    return Orders(int((product > 0).sum()), int((product == 0).sum()), tuple(swaps))


def _least(swap: Swap) -> float:
    """The p value that decides how much a swap matters: the higher one of two that count, else the lower one."""
    return max(swap.x_p, swap.y_p) if swap.significant == "both" else float(np.fmin(swap.x_p, swap.y_p))
