"""The steps of coefficients of two single rankings, as on paper: pairs that are counted, and differences of ranks."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from rankworth.arrays import Floats
from rankworth.correlation.matching import Ranked
from rankworth.correlation.methods import Method, Missing
from rankworth.stats.pairing import Pairing
from rankworth.stats.rank_correlation import Pair
from rankworth.tables.columns import Column, Sheet

COUNTED: Final = ("tau-a", "tau-b", "tau-c", "gamma")
"""coefficients of pairs in the same order and in opposite ones"""
RANKED: Final = "spearman"
"""the coefficient of ranks"""
_LISTED: Final = 20
"""up to how many items are listed with their ranks"""


@dataclass(frozen=True)
class Steps:
    """Two orders of the same items.

    Attributes:
        items: what they are called.
        pair: their scores, higher is better.

    """

    items: Sequence[str]
    pair: Pair

    @property
    def ranks(self) -> tuple[Floats, Floats]:
        """`[n]` each: ranks from 1, best first; tied items share the mean of theirs."""
        first, second = (side.higher[0] + (side.tied[0] + 1) / 2 for side in (self.pair.x, self.pair.y))
        return first, second

    def sentences(self, values: Mapping[str, float], names: tuple[str, str]) -> Iterator[str]:
        """Yield how coefficients come about, by name and value."""
        if any(name in COUNTED for name in values):
            yield from self._of_pairs(values, names)
        if RANKED in values:
            yield from self._of_ranks(values[RANKED])

    def _of_pairs(self, values: Mapping[str, float], names: tuple[str, str]) -> Iterator[str]:
        """Yield the counts of pairs, and the coefficients that are made of them."""
        pair, size, groups = self.pair, self.pair.items, int(self.pair.fewest_groups[0])
        both, same, opposite = (int(count[0]) for count in (pair.tied_both, pair.concordant, pair.discordant))
        tied = [int(side.tied_pairs[0]) for side in (pair.x, pair.y)]
        alone = ", ".join(f"{count - both} in {name} alone" for count, name in zip(tied, names, strict=True))
        kinds = f"{same} concordant (in the same order), {opposite} discordant, tied {alone}, {both} in both"
        yield f"pairs of items: {kinds}; {pair.all} together"
        balance = f"({same} - {opposite})"
        formulas = {
            "tau-a": f"{balance} / {pair.all}",
            "tau-b": f"{balance} / sqrt(({pair.all} - {tied[0]}) * ({pair.all} - {tied[1]}))",
            "tau-c": f"2 * {groups} * {balance} / ({size}^2 * ({groups} - 1))",
            "gamma": f"{balance} / ({same} + {opposite})",
        }
        yield from (f"{name} = {formulas[name]} = {value:.4f}" for name, value in values.items() if name in formulas)

    def _of_ranks(self, value: float) -> Iterator[str]:
        """Yield how Spearman's rho is made of ranks, and why the formula of textbooks may give another number."""
        first, second = self.ranks
        size, squares = self.pair.items, float(((first - second) ** 2).sum())
        shortcut = f"1 - 6 * {squares:g} / ({size} * ({size}^2 - 1))"
        if not (self.pair.x.tied_pairs[0] or self.pair.y.tied_pairs[0]):
            yield f"{RANKED} = 1 - 6 * (sum of d^2) / (n * (n^2 - 1)) = {shortcut} = {value:.4f}"
            return
        x, y = first - first.mean(), second - second.mean()
        products, spread, other = (float((left * right).sum()) for left, right in ((x, y), (x, x), (y, y)))
        yield f"{RANKED} is Pearson's r of the ranks: {products:g} / sqrt({spread:g} * {other:g}) = {value:.4f}"
        wrong = f"{shortcut} = {1 - 6 * squares / (size * (size**2 - 1)):.4f}"
        yield f"the formula of textbooks, {wrong}, holds without ties only, and some of these ranks are tied"

    def sheet(self, names: tuple[str, str]) -> list[Sheet]:
        """Return a table of the items with both ranks, their difference d and its square; none of many items."""
        if len(self.items) > _LISTED:
            return []
        first, second = self.ranks
        d = first - second
        numbers = {f"rank in {names[0]}": first, f"rank in {names[1]}": second, "d": d, "d^2": d**2}
        columns = [Column("item", "text", list(self.items))]
        for title, column in numbers.items():
            columns.append(Column(title, "number", [f"{number:g}" for number in column.tolist()]))
        return [Sheet(tuple(columns), (f"d^2 adds up to {float((d**2).sum()):g}",))]


def steps_of(
    pairing: Pairing, first: Ranked, second: Ranked, methods: Sequence[Method], missing: Missing
) -> Steps | None:
    """Return the terms of coefficients of pairs and of ranks, with items in their given order.

    Args:
        pairing: the two rankings side by side.
        first: the first one, with the names of its items.
        second: the second one.
        methods: what is computed; None is returned where no such coefficient is among them.
        missing: what becomes of items of one ranking alone.

    """
    method = next((each for each in methods if each.name in (*COUNTED, RANKED)), None)
    if method is None:
        return None
    [(x, y)], cut = method.ranks(pairing, missing), pairing.cut(method.k)
    names, other_names = ([item for group in side.groups for item in group] for side in (first, second))
    items = [names[row] for row in np.flatnonzero(cut.first.match >= 0).tolist()]
    if missing == "last":
        items += [names[row] for row in np.flatnonzero(cut.first.match < 0).tolist()]
        items += [other_names[row] for row in np.flatnonzero(cut.second.match < 0).tolist()]
    number_of = {item: number for number, item in enumerate(first.scores or names)}
    order = sorted(range(len(items)), key=lambda row: number_of.get(items[row], len(number_of)))
    return Steps([items[row] for row in order], Pair.of(x[order], y[order]))
