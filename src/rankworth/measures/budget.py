"""Cutoffs by cost: where a ranking ends that may cost so many tokens, bytes or milliseconds."""

import re
from typing import Final, Literal, NamedTuple, get_args

from rankworth.errors import MeasureError
from rankworth.judged import Array, Judged, added_up, constant

UNITS: Final = {"tok": "tokens", "B": "bytes", "ms": "milliseconds"}
"""what stands behind the number, and what it counts"""
End = Literal["without", "whole", "share"]
"""What counts of the document at which a budget ends: nothing, all of it, or the share of it that fits."""
ENDS: Final[tuple[End, ...]] = get_args(End)
_BUDGET: Final = re.compile(rf"(\d+)\s*({'|'.join(UNITS)})")
MOST: Final = 10**15
"""the greatest budget, which is exact in every number format"""


class Budget(NamedTuple):
    """What a ranking may cost."""

    amount: int
    unit: str

    def __str__(self) -> str:
        """The number with its unit."""
        return f"{self.amount}{self.unit}"

    @classmethod
    def of(cls, text: str) -> "Budget | None":
        """Read a budget; None where a text is none.

        >>> Budget.of("2000tok"), Budget.of("10")
        (Budget(amount=2000, unit='tok'), None)
        """
        match = _BUDGET.fullmatch(text.strip())
        if match is None or not 1 <= int(match[1]) <= MOST:
            return None
        return cls(int(match[1]), match[2])

    def fitting(self, judged: Judged) -> tuple[Array, Array]:
        """Return how many documents fit, and which share of the next one does, `[Q]` each.

        Args:
            judged: rankings with the cost of each document.

        """
        xp, cost = judged.xp, costs(judged, f"a cutoff such as @{self}")
        spent = added_up(cost) if cost.shape[1] else cost  # [Q, H]: down to each document, this one included
        ones = xp.astype(judged.retrieved, cost.dtype)
        number = xp.sum(xp.where(spent <= self.amount, ones, 0 * ones), axis=1)
        before = spent - cost
        left = xp.where(
            judged.retrieved & (spent > self.amount) & (before < self.amount), self.amount - before, 0 * cost
        )
        share = left / xp.where(cost > 0, cost, xp.ones_like(cost))
        return number, xp.sum(share, axis=1)


def costs(judged: Judged, name: str) -> Array:
    """Return `[Q, H]`, the cost of each retrieved document, 0 beyond the end of a ranking.

    Raises:
        MeasureError: `missing-input`.

    """
    if judged.cost is None:
        text = f"{name} adds up what documents cost, and nothing says what they do"
        remedy = "name the column of the run: --cost tokens (cost='tokens'), or Run(run).with_costs({document: 120})"
        raise MeasureError("missing-input", text, remedy=remedy)
    return judged.xp.where(judged.retrieved, judged.cost, constant(0.0, judged.cost))


def within(judged: Judged, number: Array) -> Judged:
    """Return rankings that end behind so many documents, `[Q]`, as if nothing else had been retrieved."""
    from dataclasses import replace  # noqa: PLC0415 - rarely needed

    return replace(judged.cut(number), cutoff=None, uncut=None)
