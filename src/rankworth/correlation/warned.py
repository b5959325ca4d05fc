"""What must be said about a correlation: ties, references, queries of one side, few items."""

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from rankworth.correlation.items import Missing
from rankworth.correlation.methods import Found, Method
from rankworth.correlation.pairing import Pairing
from rankworth.errors import counted
from rankworth.hits import Floats
from rankworth.render import p_value

FEW: Final = 10
"""fewer items than that say little about a correlation"""


def rules(asked: Sequence[Method], reference: str, ties: str) -> Iterator[str]:
    """What the methods make of ties, and which ranking is the reference.

    Args:
        asked: the methods.
        reference: the ranking that is the reference where one is.
        ties: where there are equal scores; empty where there are none.

    """
    if ties:
        treated: dict[str, list[str]] = {}
        for one in asked:
            treated.setdefault(one.ties, []).append(one.label)
        told = "; ".join(f"{', '.join(labels)}: {what}" for what, labels in treated.items())
        yield f"{ties}: {told}"
    if one_sided := [one.label for one in asked if not one.symmetric]:
        yield f"{', '.join(one_sided)}: {reference} is the reference"


def notes(
    asked: Sequence[Method], pairing: Pairing, values: Floats, names: tuple[str, str], missing: Missing
) -> Iterator[str]:
    """What belongs under the table.

    Args:
        asked: the methods.
        pairing: the rankings, as far as they are looked at.
        values: `[Q, M]`.
        names: what the rankings are called.
        missing: what became of documents of one ranking only.

    """
    several = len(pairing) > 1
    tied = int(tied_queries(pairing).sum())
    where = f" in {counted(tied)} of {len(pairing):,}" if several else ""
    yield from rules(asked, names[0], f"equal scores{where}" if tied else "")
    for name, other, side in zip(names, reversed(names), (pairing.first, pairing.second), strict=True):
        alone = int(((side.lengths == 0) & (pairing.long > 0)).sum())
        if several and alone:
            yield f"{counted(alone)} that {other} answers and {name} does not: an empty ranking beside a ranking"
    coefficients = [one.label for one in asked if one.correlates]
    common, total = int(pairing.common.sum()), int((pairing.first.lengths + pairing.second.lengths).sum())
    if coefficients and 2 * common < total:
        how = "are left out" if missing == "common" else "stand behind all others, tied"
        others = f"{total - 2 * common:,} of one alone {how}"
        yield f"{', '.join(coefficients)}: over {counted(common, 'document', 'documents')} that both have; {others}"
    void: dict[int, list[str]] = {}
    for one, count in zip(asked, np.isnan(values).sum(axis=0).tolist(), strict=True):
        void.setdefault(count, []).append(one.label)
    for count, labels in void.items():
        if count:
            left_out = f" for {counted(count)}, which the mean leaves out" if several else ""
            yield f"{', '.join(labels)}: undefined{left_out}"


def of(
    asked: Sequence[Method], pairing: Pairing, values: Floats, found: Sequence[Found], missing: Missing
) -> Iterator[tuple[str, str]]:
    """Slug and text of what deserves a second look: so few items that chance could have put them in this order."""
    if len(pairing) != 1:
        return
    common = int(pairing.common[0])
    items = common if missing == "common" else int(pairing.first.lengths[0] + pairing.second.lengths[0]) - common
    told = [
        f"{one.label} of {values[0, place]:.4g}{_has(float(each.p[0]))}"
        for place, (one, each) in enumerate(zip(asked, found, strict=True))
        if one.correlates and not np.isnan(values[0, place])
    ]
    if told and items < FEW:
        yield "few-items", f"{items} items are few: {', '.join(told)}"


def _has(p: float) -> str:
    """What is said of a p value, where there is one."""
    shown = p_value(p)
    return "" if np.isnan(p) else f" has p {shown[0]} {shown[1:]}" if shown.startswith("<") else f" has p = {shown}"


def tied_queries(pairing: Pairing) -> NDArray[np.bool_]:
    """`[Q]`: whether any two documents of a ranking share a rank."""
    first, second = (
        np.bincount(side.query[side.bottom != side.top], minlength=len(pairing))
        for side in (pairing.first, pairing.second)
    )
    return np.asarray(first + second > 0)
