"""What makes agreement easily misread: few queries, one grade above all, pairs that one judge alone has."""

from collections.abc import Iterator
from typing import Final

import numpy as np

from rankworth.agreements.figures import Scale
from rankworth.agreements.pairs import Judged
from rankworth.agreements.tables import Floats
from rankworth.agreements.told import Figures

_FEW: Final = 10
"""fewer queries than that say little"""
_ALONE: Final = 0.2
"""the share of pairs that one judge alone has from which it is told"""
_DOMINANT: Final = 0.8
"""the share of one grade in all that are given from which it may hide disagreement"""
_HIGH: Final = 0.8
_LOW: Final = 0.6
"""equal grades from the one share on, and a kappa below the other, look like a contradiction"""


def of(
    figures: Figures, judged: Judged, table: Floats, scale: Scale, names: tuple[str, str]
) -> Iterator[tuple[str, str]]:
    """Slug and text of all that deserves a second look.

    Args:
        figures: over all queries.
        judged: who judged how much.
        table: `[C, C]`.
        scale: the grades.
        names: the judges.

    """
    if figures.queries < _FEW:
        one = figures.queries == 1
        text = f"{figures.queries:,} {'query is' if one else 'queries are'} few: intervals"
        yield "few-queries", f"{text} cannot be had of one" if one else f"{text} of so few are too narrow, if anything"
    given = (table.sum(axis=0) + table.sum(axis=1)) / (2 * table.sum())
    most = int(given.argmax())
    if figures.equal.value >= _HIGH and figures.kappa.value < _LOW and given[most] >= _DOMINANT:
        text = f"{100 * figures.equal.value:.1f} % of the grades are equal, and kappa is {figures.kappa.value:.2f}"
        why = (
            f"{100 * given[most]:.1f} % of all grades are {scale.grades[most] + 0.0:g}, where two judges meet by chance"
        )
        yield "dominant-grade", f"{text}: {why}; look at the other grades one by one"
    alone = {names[0]: judged.first_only, names[1]: judged.second_only}
    union = judged.both + sum(alone.values())
    told = [f"{name} {100 * count / union:.1f} %" for name, count in alone.items() if count >= _ALONE * union]
    if told:
        yield (
            "judged-by-one",
            f"judged by one alone: {', '.join(told)} of {union:,} pairs, and agreement leaves them out",
        )


def notes(figures: Figures, scale: Scale, table: Floats) -> Iterator[str]:
    """What must be said about the figures.

    Args:
        figures: over all queries.
        scale: the grades.
        table: `[C, C]`.

    """
    if len(scale.grades) == 1:
        grade = f"{scale.grades[0] + 0.0:g}"
        yield f"every grade is {grade}: nothing could disagree, and neither kappa nor alpha is defined"
    elif not scale.even:
        grades = " ".join(f"{grade + 0.0:g}" for grade in scale.grades[:8]) + (" ..." if len(scale.grades) > 8 else "")  # noqa: PLR2004 - as many as shown
        if scale.distance == "steps":
            text = f'the grades are {grades}: weights of kappa count the steps between them; distance="grades" takes'
            yield f"{text} their differences"
        else:
            yield f"the grades are {grades}: weights of kappa are their differences"
    if scale.rel is not None and np.isnan(figures.relevant_kappa.value if figures.relevant_kappa else np.nan):
        relevant = scale.relevant(table)
        if relevant.sum() in (relevant[0, 0], relevant[1, 1]):
            side = "reach" if relevant[1, 1] else "are below"
            yield f"all grades {side} {scale.rel:g}: there is no kappa of relevant and not relevant"
