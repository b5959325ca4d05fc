"""What every rank contributes to a value, and how the contributions become one number.

    value = link((last running total of gain * weight / discount, + rest) / norm)

Sums run from left to right, so that a query has the same value alone, among a million, and in the explanation.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

from rankworth.judged import Array, Judged, added_up, constant, namespace


class Ideal(NamedTuple):
    """The ranking that a ranking is measured by, and what each of its ranks adds to the norm."""

    ranking: Judged
    terms: "Terms"
    total: Array
    """`[Q]`"""

    @classmethod
    def of(cls, ranking: Judged, terms: "Terms") -> "Ideal":
        """A ranking, what each of its ranks adds, and the sum."""
        return cls(ranking, terms, terms.total())


class Terms(NamedTuple):
    """What every rank contributes, and what the sum is divided by."""

    gain: Array
    """`[Q, H]`: what the document at this rank is worth; 0 beyond the cutoff"""
    weight: Array | float = 1.0
    """`[Q, H]`: how much the rank counts, as a factor"""
    discount: Array | float = 1.0
    """`[Q, H]`: how much the rank counts, as a divisor: divided where the formula divides"""
    norm: Array | float = 1.0
    """`[Q]`: what the sum is divided by; the value is undefined where it is 0"""
    rest: Array | float = 0.0
    """`[Q]`: what documents without a row add to the sum"""
    link: Callable[[Array], Array] | None = None
    """the last step of a measure that is no plain ratio"""
    rank: Array | None = None
    """`[Q, T]`: the ranks that the terms belong to, where terms and rows are not one to one"""
    label: tuple[str, ...] = ()
    """`[T]`: what each term is called, where ranks do not tell them apart"""
    ranking: Judged | None = None
    """the ranking whose documents the terms are, where it is another one"""
    ideal: Ideal | None = None
    """the ranking whose total the norm is, where it is one"""

    def over(self, ranking: Judged, terms: "Terms") -> "Terms":
        """These terms as a share of what another ranking adds up to.

        Args:
            ranking: the other ranking.
            terms: what each of its ranks adds.

        """
        return self.share_of(Ideal.of(ranking, terms))

    def share_of(self, ideal: Ideal) -> "Terms":
        """These terms as a share of what an ideal ranking adds up to."""
        return self._replace(norm=ideal.total, ideal=ideal)

    def contributions(self) -> Array:
        """`[Q, H]`: what each rank adds."""
        contribution = self.gain
        if not isinstance(self.weight, float):
            contribution = contribution * self.weight
        if not isinstance(self.discount, float):
            contribution = contribution / self.discount
        return contribution

    def running(self) -> Array:
        """`[Q, H]`: the sum of the contributions down to each rank."""
        contribution = self.contributions()
        return added_up(contribution) if contribution.shape[1] else contribution

    def total(self) -> Array:
        """`[Q]`: the sum, before it is divided."""
        running = self.running()
        last = running[:, -1] if running.shape[1] else namespace(running).sum(running, axis=1)
        return last if isinstance(self.rest, float) and self.rest == 0 else last + self.rest

    def value(self) -> Array:
        """`[Q]`: the values; NaN where undefined."""
        total = self.total()
        if not isinstance(self.norm, float | int):
            xp = namespace(total)
            void = self.norm == 0
            total = total / xp.where(void, constant(math.nan, total), self.norm)
        elif self.norm != 1:
            total = total / self.norm if self.norm else total * math.nan
        return total if self.link is None else self.link(total)
